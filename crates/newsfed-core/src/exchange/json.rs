//! Saved items as JSON: the format of Google Reader, as exported by Inoreader, FreshRSS and others, and the
//! similar format of Feedly.

use super::ForeignItems;
use super::clean::moment;
use super::json_items::visit;
use crate::model::{ForeignItem, ForeignKind, ForeignText, Time};
use crate::util::limits;
use serde_json::Value;

/// Parses the items. Unreadable items are counted.
pub(super) fn read(bytes: &[u8]) -> Result<ForeignItems, String> {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    // The service can only be recognised after all items have been read.
    let (mut is_feedly, mut items, mut unreadable) = (false, Vec::new(), 0);
    let names = visit(bytes, |item| is_feedly |= item.is_some_and(|item| is_of_feedly(&item)));
    let stream = names.map_err(|e| e.to_string())?.to_ascii_lowercase();
    is_feedly |= stream.contains("feedly");
    let is_starred = stream.contains("/starred");
    let kind = match stream.contains("inoreader") {
        _ if is_feedly => ForeignKind::Feedly,
        true => ForeignKind::Inoreader,
        false => ForeignKind::GoogleReader,
    };
    let take = |item: Option<Value>| match item {
        Some(item) if is_item(&item) && is_feedly => items.push(of_feedly(&item)),
        Some(item) if is_item(&item) => items.push(of_google(&item, is_starred)),
        _ => unreadable += 1,
    };
    visit(bytes, take).map_err(|e| e.to_string())?;
    if items.is_empty() && unreadable > 0 {
        return Err("its items have neither a URL nor a title".to_owned());
    }
    Ok(ForeignItems { kind, items, unreadable })
}

fn is_item(item: &Value) -> bool {
    url(item).is_some() || !text(item, "title").trim().is_empty()
}

fn is_of_feedly(item: &Value) -> bool {
    item["originId"].is_string() || item["canonicalUrl"].is_string()
}

/// A string value, or an empty string if there is none.
fn text<'a>(of: &'a Value, key: &str) -> &'a str {
    of[key].as_str().unwrap_or_default()
}

fn some_text(of: &Value, key: &str) -> Option<String> {
    Some(text(of, key)).filter(|text| !text.is_empty()).map(str::to_owned)
}

fn list<'a>(of: &'a Value, key: &str) -> impl Iterator<Item = &'a Value> {
    of[key].as_array().into_iter().flatten().take(limits::ENTRY_LIST)
}

fn time(of: &Value, key: &str) -> Option<Time> {
    of[key].as_i64().and_then(moment)
}

fn url(item: &Value) -> Option<String> {
    let linked = || ["canonical", "alternate"].into_iter().flat_map(|key| list(item, key));
    some_text(item, "canonicalUrl").or_else(|| linked().find_map(|link| some_text(link, "href")))
}

/// The fields that are common to both formats.
fn common(item: &Value) -> ForeignItem {
    let origin = &item["origin"];
    let stream = text(origin, "streamId").strip_prefix("feed/").map(str::to_owned);
    // Some services write an internal number instead of a URL.
    let stream = stream.filter(|url| url.contains("://"));
    let html = |key: &str| some_text(&item[key], "content").map(ForeignText::Html);
    let enclosures = list(item, "enclosure")
        .filter_map(|file| Some((some_text(file, "href")?, some_text(file, "type"))));
    ForeignItem {
        feed: stream.or_else(|| some_text(origin, "feedUrl")),
        url: url(item),
        title: text(item, "title").to_owned(),
        authors: some_text(item, "author").into_iter().collect(),
        published: time(item, "published"),
        updated: time(item, "updated"),
        summary: html("summary"),
        content: html("content"),
        enclosures: enclosures.collect(),
        publisher: some_text(origin, "title"),
        ..ForeignItem::default()
    }
}

fn of_google(item: &Value, is_starred: bool) -> ForeignItem {
    let states = || list(item, "categories").filter_map(Value::as_str);
    let has = |state: &str| states().any(|s| s.ends_with(&format!("/state/com.google/{state}")));
    ForeignItem {
        saved: time(item, "starred"),
        read: has("read"),
        pinned: is_starred || has("starred"),
        tags: states().filter_map(|s| Some(s.split_once("/label/")?.1.to_owned())).collect(),
        ..common(item)
    }
}

/// Items saved in Feedly are to be read later.
fn of_feedly(item: &Value) -> ForeignItem {
    // Other tags, such as global.saved, are states.
    let boards = list(item, "tags").filter(|tag| !text(tag, "id").contains("/tag/global."));
    let words = |key: &str| list(item, key).filter_map(Value::as_str).map(str::to_owned).collect();
    ForeignItem {
        guid: some_text(item, "originId"),
        saved: time(item, "actionTimestamp"),
        read: item["unread"] == false,
        later: true,
        tags: boards.filter_map(|tag| some_text(tag, "label")).collect(),
        categories: words("keywords"),
        ..common(item)
    }
}
