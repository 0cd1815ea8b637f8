//! RSS 2.0, with elements of Atom and Dublin Core for missing features.

use super::{FeedHeader, OutgoingItem, id, published, rfc3339, summary, tags};
use crate::model::Time;
use crate::util::html::{contains_markup, escape};
use crate::util::media::media_type;
use crate::util::xml::{DECLARATION, element, empty, end, start};
use std::borrow::Cow;

/// The namespaces that are used.
const NAMESPACES: [(&str, &str); 5] = [
    ("version", "2.0"),
    ("xmlns:atom", "http://www.w3.org/2005/Atom"),
    ("xmlns:content", "http://purl.org/rss/1.0/modules/content/"),
    ("xmlns:dc", "http://purl.org/dc/elements/1.1/"),
    ("xmlns:itunes", "http://www.itunes.com/dtds/podcast-1.0.dtd"),
];

/// The text before and after the items.
pub(super) fn frame(feed: &FeedHeader, updated: Time) -> (String, String) {
    let mut head = DECLARATION.to_owned();
    start(&mut head, "rss", &NAMESPACES);
    start(&mut head, "channel", &[]);
    element(&mut head, "title", &[], &title(&feed.title));
    element(&mut head, "link", &[], env!("CARGO_PKG_HOMEPAGE"));
    element(&mut head, "description", &[], &title(&feed.title));
    element(&mut head, "lastBuildDate", &[], &date(updated));
    element(&mut head, "generator", &[], concat!("newsfed ", env!("CARGO_PKG_VERSION")));
    (head, "</channel></rss>\n".to_owned())
}

pub(super) fn item(entry: &OutgoingItem) -> String {
    let item = &entry.item;
    let mut out = String::new();
    start(&mut out, "item", &[]);
    element(&mut out, "guid", &[("isPermaLink", "false")], &id(item));
    element(&mut out, "title", &[], &title(&item.title));
    if let Some(url) = &item.url {
        element(&mut out, "link", &[], url);
    }
    element(&mut out, "pubDate", &[], &date(published(item)));
    if let Some(updated) = item.updated {
        element(&mut out, "atom:updated", &[], &rfc3339(updated));
    }
    for name in &item.authors {
        element(&mut out, "dc:creator", &[], name);
    }
    for tag in tags(entry) {
        element(&mut out, "category", &[], tag);
    }
    if let Some(language) = &item.language {
        element(&mut out, "dc:language", &[], language);
    }
    if let Some(url) = &item.comments {
        element(&mut out, "comments", &[], url);
    }
    enclosures(&mut out, entry);
    // An item needs a title or a description.
    let text = Some(item.body()).filter(|_| item.title.is_empty());
    if let Some(summary) = summary(item).or(text) {
        element(&mut out, "description", &[], summary);
    }
    if !item.body().is_empty() {
        element(&mut out, "content:encoded", &[], item.body());
    }
    if let Some(url) = entry.source_url.as_ref().or(entry.home_url.as_ref()) {
        element(&mut out, "source", &[("url", url)], &entry.source);
    }
    end(&mut out, "item");
    out.push('\n');
    out
}

fn enclosures(out: &mut String, entry: &OutgoingItem) {
    for file in &entry.item.enclosures {
        let kind = media_type(file.mime.as_deref(), &file.url);
        let kind = kind.as_deref().unwrap_or("application/octet-stream");
        // All three attributes are required. A size of 0 means unknown.
        let bytes = file.bytes.unwrap_or(0).to_string();
        empty(out, "enclosure", &[("url", &file.url), ("length", &bytes), ("type", kind)]);
    }
    if let Some(seconds) = entry.item.enclosures.iter().find_map(|file| file.seconds) {
        element(out, "itunes:duration", &[], &seconds.to_string());
    }
}

/// Escapes a title that looks like HTML, because readers would treat it as HTML.
fn title(text: &str) -> Cow<'_, str> {
    if contains_markup(text) { escape(text) } else { Cow::Borrowed(text) }
}

fn date(time: Time) -> String {
    time.format("%a, %d %b %Y %H:%M:%S GMT").to_string()
}
