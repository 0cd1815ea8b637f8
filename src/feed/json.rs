//! A lenient JSON Feed reader: any version, numeric identifiers, trailing commas.

use super::FeedError;
use super::construct::play_time;
use super::raw::{Rank, RawEntry, RawFeed, RawLink, RawText, TextKind};
use serde_json::{Map, Value};
use std::borrow::Cow;

type Object = Map<String, Value>;

/// Reads a JSON text that starts with a brace or bracket.
pub(super) fn read(text: &str, repairs: &mut Vec<String>) -> Result<RawFeed, FeedError> {
    let value = match first_value(text) {
        Ok(value) => value,
        Err(why) => {
            let repaired = without_trailing_commas(text);
            let value = first_value(&repaired).map_err(|_| error(&why))?;
            repairs.push("extra commas were ignored".to_owned());
            value
        }
    };
    let Value::Object(root) = value else {
        return Err(FeedError::not_a_feed("JSON that is not a feed"));
    };
    let version = root.get("version").and_then(Value::as_str);
    let named = version.is_some_and(|v| v.contains("jsonfeed.org"));
    let Some(items) = root.get("items").and_then(Value::as_array) else {
        return Err(FeedError::not_a_feed("JSON that is not a feed"));
    };
    if !named && (version.is_some() || !items.iter().all(actual_item)) {
        return Err(FeedError::not_a_feed("JSON that is not a feed"));
    }
    if !named {
        repairs.push("the JSON feed has no version".to_owned());
    }
    Ok(feed(&root, items))
}

/// The first value of the text; the rest is ignored. serde_json limits the depth.
fn first_value(text: &str) -> Result<Value, serde_json::Error> {
    let mut values = serde_json::Deserializer::from_str(text).into_iter::<Value>();
    values.next().unwrap_or(Ok(Value::Null))
}

fn error(why: &serde_json::Error) -> FeedError {
    let why = crate::util::text::line(&why.to_string());
    if why.contains("recursion limit") { FeedError::TooDeep } else { FeedError::Malformed { why } }
}

fn actual_item(item: &Value) -> bool {
    let known = ["content_html", "content_text", "date_published", "url", "external_url", "title"];
    known.iter().any(|key| item.get(key).is_some())
}

/// The text without commas before closing brackets.
fn without_trailing_commas(text: &str) -> Cow<'_, str> {
    let mut out = String::with_capacity(text.len());
    let (mut in_string, mut escaped) = (false, false);
    for (at, c) in text.char_indices() {
        let closes = || text[at + 1..].trim_start().starts_with([']', '}']);
        if in_string {
            in_string = escaped || c != '"';
            escaped = !escaped && c == '\\';
        } else if c == '"' {
            in_string = true;
        } else if c == ',' && closes() {
            continue;
        }
        out.push(c);
    }
    out.into()
}

fn feed(root: &Object, items: &[Value]) -> RawFeed {
    let mut feed = RawFeed::default();
    if let Some(title) = string(root, "title") {
        feed.title.offer(Rank::Strong, RawText { value: title, ..RawText::default() });
    }
    if let Some(href) = string(root, "home_page_url") {
        feed.links.push(RawLink { href, rel: "alternate".to_owned(), ..RawLink::default() });
    }
    if let Some(language) = string(root, "language") {
        feed.language.offer(Rank::Strong, language);
    }
    feed.authors = authors(root);
    feed.entries = items.iter().filter_map(Value::as_object).map(entry).collect();
    feed
}

fn entry(item: &Object) -> RawEntry {
    let mut entry = RawEntry { authors: authors(item), guid_is_link: None, ..RawEntry::default() };
    if let Some(id) = string(item, "id") {
        entry.guid.offer(Rank::Strong, id);
    }
    for key in ["url", "external_url"] {
        if let Some(href) = string(item, key) {
            entry.links.push(RawLink { href, rel: "alternate".to_owned(), ..RawLink::default() });
        }
    }
    let text = |key, kind| string(item, key).map(|value| RawText { value, kind, base: None });
    if let Some(title) = text("title", TextKind::Guess) {
        entry.title.offer(Rank::Strong, title);
    }
    if let Some(summary) = text("summary", TextKind::Guess) {
        entry.summary.offer(Rank::Strong, summary);
    }
    let content = text("content_html", TextKind::Html).filter(|t| !t.value.trim().is_empty());
    if let Some(content) = content.or_else(|| text("content_text", TextKind::Plain)) {
        entry.content.offer(Rank::Strong, content);
    }
    if let Some(date) = string(item, "date_published") {
        entry.published.offer(Rank::Strong, date);
    }
    if let Some(date) = string(item, "date_modified") {
        entry.updated.offer(Rank::Strong, date);
    }
    entry.language = string(item, "language");
    entry.categories = list(item, "tags").filter_map(scalar).collect();
    entry.enclosures =
        list(item, "attachments").filter_map(Value::as_object).filter_map(attachment).collect();
    entry
}

fn attachment(object: &Object) -> Option<RawLink> {
    // Sizes and durations are integers, but some feeds write fractions or strings.
    let number = |key| string(object, key).and_then(|v| play_time(&v)).filter(|n| *n > 0);
    Some(RawLink {
        href: string(object, "url")?,
        rel: "enclosure".to_owned(),
        mime: string(object, "mime_type"),
        bytes: number("size_in_bytes"),
        seconds: number("duration_in_seconds"),
        base: None,
    })
}

/// Names in `authors`, and in the `author` of version 1.0.
fn authors(object: &Object) -> Vec<String> {
    let one = object.get("author").into_iter();
    let name = |author: &Value| match author {
        Value::Object(author) => string(author, "name").or_else(|| string(author, "url")),
        other => scalar(other),
    };
    list(object, "authors").chain(one).filter_map(name).collect()
}

fn list<'v>(object: &'v Object, key: &str) -> impl Iterator<Item = &'v Value> {
    object.get(key).and_then(Value::as_array).into_iter().flatten()
}

fn string(object: &Object, key: &str) -> Option<String> {
    object.get(key).and_then(scalar).filter(|s| !s.is_empty())
}

fn scalar(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    }
}
