//! JSON Feed 1.1.

use super::{FeedHeader, OutgoingItem, id, published, rfc3339, summary, tags};
use crate::util::html::to_text;
use crate::util::media::media_type;
use serde_json::{Map, Value, json};

/// The text before and after the items.
pub(super) fn frame(feed: &FeedHeader) -> (String, String) {
    let head = json!({ "version": "https://jsonfeed.org/version/1.1", "title": feed.title });
    let mut head = head.to_string();
    // The items are inserted before the closing brace.
    head.truncate(head.len() - 1);
    (head + ",\"items\":[\n", "]}\n".to_owned())
}

pub(super) fn item(entry: &OutgoingItem) -> String {
    let item = &entry.item;
    let mut out = Map::new();
    let mut set = |name: &str, value: Value| {
        let nothing = value.is_null()
            || value.as_str().is_some_and(str::is_empty)
            || value.as_array().is_some_and(Vec::is_empty);
        if !nothing {
            out.insert(name.to_owned(), value);
        }
    };
    set("id", json!(id(item)));
    set("url", json!(item.url));
    set("title", json!(item.title));
    set("summary", json!(summary(item).map(to_text)));
    set("date_published", json!(rfc3339(published(item))));
    set("date_modified", json!(item.updated.map(rfc3339)));
    set("authors", item.authors.iter().map(|name| json!({ "name": name })).collect());
    set("tags", json!(tags(entry)));
    set("language", json!(item.language));
    set("attachments", attachments(entry));
    let source = json!({ "title": entry.source, "feed_url": entry.source_url, "home_page_url": entry.home_url });
    set("_newsfed", json!({ "about": env!("CARGO_PKG_HOMEPAGE"), "source": source }));
    // An item must have a text, even if it is empty.
    out.insert("content_html".to_owned(), json!(item.body()));
    Value::Object(out).to_string() + "\n"
}

fn attachments(entry: &OutgoingItem) -> Value {
    let one = |file: &crate::model::Enclosure| {
        let kind = media_type(file.mime.as_deref(), &file.url);
        let kind = kind.as_deref().unwrap_or("application/octet-stream");
        let mut out = json!({ "url": file.url, "mime_type": kind });
        if let Some(bytes) = file.bytes {
            out["size_in_bytes"] = json!(bytes);
        }
        if let Some(seconds) = file.seconds {
            out["duration_in_seconds"] = json!(seconds);
        }
        out
    };
    entry.item.enclosures.iter().map(one).collect()
}
