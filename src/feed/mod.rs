//! RSS, Atom and JSON Feed -> entries.
//!
//! [`parse`] is the one way in. It reads what the formats allow and, as far as that can be told,
//! what broken publishers meant; everything that had to be repaired is recorded in words.

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
mod xml;

pub use crate::util::date::parse as parse_date;

use crate::model::{Entry, FeedHints, Time};
use url::Url;

/// Largest document, decompressed, in bytes.
pub const MAX_BYTES: usize = 10 * 1024 * 1024;

/// Most entries taken from one document; of more, the newest are kept.
pub const MAX_ENTRIES: usize = 5000;

/// A feed as it was read.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ParsedFeed {
    /// One line of plain text.
    pub title: Option<String>,
    /// The page that the feed belongs to.
    pub home_url: Option<String>,
    /// Language tag of the whole feed.
    pub language: Option<String>,
    /// What the feed says about how often to ask.
    pub hints: FeedHints,
    /// In the order of the document, at most [`MAX_ENTRIES`].
    pub entries: Vec<Entry>,
    /// What had to be repaired to read the document, in plain words.
    pub repairs: Vec<String>,
}

/// Why a document is no feed. All messages are clean.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum FeedError {
    /// Something else, or nothing.
    #[error("this is no feed, it looks like {looks_like}")]
    NotAFeed {
        /// What it is, with an article: "an HTML page".
        looks_like: String,
    },
    /// Larger than [`MAX_BYTES`].
    #[error("the feed is larger than {} MiB when unpacked", MAX_BYTES / 1024 / 1024)]
    TooLarge,
    /// Nested so deeply that it was not read.
    #[error("the feed is nested too deeply to be read safely")]
    TooDeep,
    /// Damaged beyond repair.
    #[error("the feed cannot be read: {why}")]
    Malformed {
        /// What is wrong.
        why: String,
    },
}

impl FeedError {
    fn looks_like(what: impl Into<String>) -> Self {
        Self::NotAFeed { looks_like: what.into() }
    }
}

/// Reads a feed.
///
/// `content_type` is the value of the HTTP header; only its charset is used. `base` is the
/// address that answered, against which relative addresses are resolved.
///
/// # Errors
/// When the document is no feed, is larger than [`MAX_BYTES`], or cannot be read at all.
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

/// Any document as text, decoded as a feed would be.
///
/// # Errors
/// When it is larger than [`MAX_BYTES`].
pub fn decode_text(bytes: &[u8], content_type: Option<&str>) -> Result<String, FeedError> {
    decode::decode(bytes, content_type, &mut Vec::new())
}

/// The feed as `newsfed parse --json` prints it: `{title, url, entries: [{id, title, url,
/// published, updated, authors, summary, content}]}`, dates as RFC 3339, `null` where unknown.
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
