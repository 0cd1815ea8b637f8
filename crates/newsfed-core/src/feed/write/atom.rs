//! Atom (RFC 4287).

use super::{
    FeedHeader, OutgoingItem, RemoteEntry, changed, id, published, rfc3339, summary, tags,
};
use crate::model::{Enclosure, Time};
use crate::util::media::media_type;
use crate::util::xml::{DECLARATION, element, empty, end, start};

/// The text before and after the entries.
pub(super) fn frame(feed: &FeedHeader, updated: Time) -> (String, String) {
    let mut head = DECLARATION.to_owned();
    start(&mut head, "feed", &[("xmlns", "http://www.w3.org/2005/Atom")]);
    element(&mut head, "id", &[], &feed.id);
    element(&mut head, "title", &[], &feed.title);
    element(&mut head, "updated", &[], &rfc3339(updated));
    element(&mut head, "generator", &[("version", env!("CARGO_PKG_VERSION"))], "newsfed");
    (head, "</feed>\n".to_owned())
}

pub(super) fn entry(entry: &OutgoingItem) -> String {
    let item = &entry.item;
    let mut out = String::new();
    let language = item.language.as_deref().map(|language| ("xml:lang", language));
    start(&mut out, "entry", language.as_slice());
    match &entry.remote {
        Some(remote) => remote_head(&mut out, remote),
        None => element(&mut out, "id", &[], &id(item)),
    }
    element(&mut out, "title", &[], &item.title);
    if let Some(url) = &item.url {
        empty(&mut out, "link", &[("rel", "alternate"), ("href", url)]);
    }
    if let Some(url) = &item.comments {
        empty(&mut out, "link", &[("rel", "replies"), ("type", "text/html"), ("href", url)]);
    }
    item.enclosures.iter().for_each(|file| enclosure(&mut out, file));
    element(&mut out, "published", &[], &rfc3339(published(item)));
    element(&mut out, "updated", &[], &rfc3339(changed(item)));
    for name in &item.authors {
        author(&mut out, name);
    }
    for tag in tags(entry) {
        empty(&mut out, "category", &[("term", tag)]);
    }
    if let Some(summary) = summary(item) {
        element(&mut out, "summary", &[("type", "html")], summary);
    }
    if !item.body().is_empty() {
        element(&mut out, "content", &[("type", "html")], item.body());
    }
    source(&mut out, entry);
    end(&mut out, "entry");
    out.push('\n');
    out
}

/// Writes the identifier and the streams of an item for clients of the Google Reader API.
fn remote_head(out: &mut String, remote: &RemoteEntry) {
    element(out, "id", &[], &remote.id);
    for (term, label) in &remote.streams {
        let scheme = ("scheme", "http://www.google.com/reader/");
        empty(out, "category", &[("term", term), scheme, ("label", label)]);
    }
}

fn enclosure(out: &mut String, file: &Enclosure) {
    let kind = media_type(file.mime.as_deref(), &file.url);
    let bytes = file.bytes.map(|bytes| bytes.to_string());
    let mut attributes = vec![("rel", "enclosure"), ("href", file.url.as_str())];
    attributes.extend(kind.as_deref().map(|kind| ("type", kind)));
    attributes.extend(bytes.as_deref().map(|bytes| ("length", bytes)));
    empty(out, "link", &attributes);
}

fn author(out: &mut String, name: &str) {
    start(out, "author", &[]);
    element(out, "name", &[], name);
    end(out, "author");
}

/// Writes the source of an entry. An entry needs an author, or a source with one.
fn source(out: &mut String, entry: &OutgoingItem) {
    start(out, "source", &[]);
    if let Some(url) = &entry.source_url {
        element(out, "id", &[], url);
        empty(out, "link", &[("rel", "self"), ("href", url)]);
    }
    element(out, "title", &[], &entry.source);
    if let Some(url) = &entry.home_url {
        empty(out, "link", &[("rel", "alternate"), ("href", url)]);
    }
    author(out, &entry.source);
    end(out, "source");
}
