//! Parses RSS, Atom and JSON Feed, and writes items as feeds ([`mod@write`]).
//!
//! [`parse`] is the entry point. It reads what the formats allow and, as far as possible, what broken
//! publishers meant. All repairs are described for the user.

mod channel;
mod construct;
mod convert;
mod decode;
mod doctype;
mod element;
mod fields;
mod hints;
mod json;
mod names;
mod people;
mod raw;
mod read;
mod root;
pub mod write;
mod xml;

pub use crate::util::date::parse as parse_date;
use crate::util::limits;

use crate::model::{Entry, FeedHints, Time};
use std::borrow::Cow;
use url::Url;

/// A parsed feed.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ParsedFeed {
    /// Title as one line of plain text.
    pub title: Option<String>,
    /// The page that the feed belongs to.
    pub home_url: Option<String>,
    /// Language tag.
    pub language: Option<String>,
    /// The feed's hints about when to poll it.
    pub hints: FeedHints,
    /// Entries in document order, at most [`limits::FEED_ENTRIES`].
    pub entries: Vec<Entry>,
    /// Descriptions of the repairs that were needed to read the document.
    pub repairs: Vec<String>,
}

/// Why a document cannot be read as a feed. All messages are sanitised.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum FeedError {
    /// The document is not a feed, or is empty.
    #[error("this is not a feed but {actual}")]
    NotAFeed {
        /// What the document seems to be, including "a" or "an": "an HTML page".
        actual: String,
    },
    /// Larger than [`limits::FEED_BYTES`].
    #[error("the feed is larger than {} MiB after decompression", limits::FEED_BYTES / 1024 / 1024)]
    TooLarge,
    #[error("cannot read the feed: {why}")]
    Malformed { why: String },
}

impl FeedError {
    fn not_a_feed(what: impl Into<String>) -> Self {
        Self::NotAFeed { actual: what.into() }
    }
}

/// Parses a feed.
///
/// `content_type` is the value of the HTTP header. Only its charset is used. `base` is the URL of the
/// response, which relative URLs are resolved against.
///
/// # Errors
/// When the document is not a feed, is larger than [`limits::FEED_BYTES`], or cannot be read at all.
pub fn parse(
    bytes: &[u8],
    content_type: Option<&str>,
    base: Option<&Url>,
) -> Result<ParsedFeed, FeedError> {
    let mut repairs = Vec::new();
    let text = decode::decode(bytes, content_type, &mut repairs)?;
    let raw = match root::find(&text)? {
        root::Root::Json(text) => json::read(text, &mut repairs)?,
        root::Root::Xml { start } => {
            let mut entities = doctype::Entities::declared_in(&text[..start]);
            root::note_prologue(&text[..start], &mut repairs);
            read::read(&text[start..], &mut entities, base, &mut repairs)?
        }
    };
    Ok(convert::feed(raw, base, repairs))
}

/// Like [`parse`], for a feed that is followed. A feed that has no title, no home page and no entries is the
/// output of a failed program, not a feed without items.
///
/// # Errors
/// As for [`parse`], and when the feed has no title, no home page and no entries.
pub fn parse_followed(
    bytes: &[u8],
    content_type: Option<&str>,
    base: Option<&Url>,
) -> Result<ParsedFeed, FeedError> {
    let feed = parse(bytes, content_type, base)?;
    if feed.title.is_none() && feed.home_url.is_none() && feed.entries.is_empty() {
        return Err(FeedError::not_a_feed("a feed without any content"));
    }
    Ok(feed)
}

/// Decodes any document to text, in the same way as a feed.
///
/// # Errors
/// When it is larger than [`limits::FEED_BYTES`].
pub fn decode_text(bytes: &[u8], content_type: Option<&str>) -> Result<String, FeedError> {
    decode::decode(bytes, content_type, &mut Vec::new()).map(Cow::into_owned)
}

/// The feed in the format of `newsfed parse --json`: `{title, url, entries: [{id, title, url, published,
/// updated, authors, summary, content}]}`, with RFC 3339 dates and `null` for unknown values.
pub fn to_json(feed: &ParsedFeed) -> serde_json::Value {
    let date = |t: Option<Time>| t.map(|t| t.to_rfc3339_opts(chrono::SecondsFormat::Secs, true));
    let entry = |e: &Entry| {
        serde_json::json!({
            "id": e.guid,
            "title": e.title,
            "url": e.url,
            "published": date(e.published),
            "updated": date(e.updated),
            "authors": e.authors,
            "summary": e.summary,
            "content": e.content,
        })
    };
    serde_json::json!({
        "title": feed.title,
        "url": feed.home_url,
        "entries": feed.entries.iter().map(entry).collect::<Vec<_>>(),
    })
}

#[cfg(test)]
mod tests;
