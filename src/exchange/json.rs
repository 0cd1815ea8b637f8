//! Saved items as JSON: the format of Google Reader, which Inoreader, FreshRSS and others export, and
//! the similar one of Feedly.

use super::ForeignItems;
use super::clean::moment;
use crate::model::{ForeignItem, ForeignKind, ForeignText, Time};
use crate::util::limits;
use serde_json::Value;

/// Parses the items; single ones that cannot be read are counted.
pub(super) fn read(bytes: &[u8]) -> Result<ForeignItems, String> {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let root: Value = serde_json::from_slice(bytes).map_err(|e| e.to_string())?;
    let stream = [text(&root, "id"), text(&root["self"], "href")].concat().to_ascii_lowercase();
    let list = match &root {
        Value::Array(list) => list,
        root => root["items"].as_array().ok_or("it has no list of items")?,
    };
    let is_feedly = stream.contains("feedly") || list.iter().any(is_of_feedly);
    let kind = match stream.contains("inoreader") {
        _ if is_feedly => ForeignKind::Feedly,
        true => ForeignKind::Inoreader,
        false => ForeignKind::GoogleReader,
    };
    let is_item = |item: &&Value| url(item).is_some() || !text(item, "title").trim().is_empty();
    let is_starred = stream.contains("/starred");
    let items: Vec<ForeignItem> = list
        .iter()
        .filter(is_item)
        .map(|item| match is_feedly {
            true => of_feedly(item),
            false => of_google(item, is_starred),
        })
        .collect();
    let unreadable = list.len() - items.len();
    if items.is_empty() && unreadable > 0 {
        return Err("its items have neither a URL nor a title".to_owned());
    }
    Ok(ForeignItems { kind, items, unreadable })
}

fn is_of_feedly(item: &Value) -> bool {
    item["originId"].is_string() || item["canonicalUrl"].is_string()
}

/// A text; empty if there is none.
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

/// What both formats have.
fn common(item: &Value) -> ForeignItem {
    let origin = &item["origin"];
    let stream = text(origin, "streamId").strip_prefix("feed/").map(str::to_owned);
    // Some services write a number of their own there.
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

/// Feedly's saved items are for reading later.
fn of_feedly(item: &Value) -> ForeignItem {
    // The others, such as global.saved, are states.
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
