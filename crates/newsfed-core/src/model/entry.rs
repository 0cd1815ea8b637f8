//! What a parser returns: entries that are not stored yet, and the hints of the feed.

use super::{Chapter, DateOrigin, Time};
use crate::util::{html, text};
use std::collections::BTreeSet;
use std::time::Duration;

/// A file attached to an entry (podcast episode, image, video).
#[derive(Debug, Clone, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Enclosure {
    /// Absolute http(s) URL.
    pub url: String,
    /// Media type as stated by the feed.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub mime: Option<String>,
    /// Size in bytes as stated by the feed.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub bytes: Option<u64>,
    /// Duration in seconds.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub seconds: Option<u64>,
    /// Chapters that the feed lists.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub chapters: Vec<Chapter>,
    /// Absolute http(s) URL of a file with chapters.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub chapters_url: Option<String>,
}

/// One entry of a feed or one article of a website, cleaned and resolved, before it is stored.
///
/// Every text is already sanitised (see [`crate::util::text`]); every URL is absolute
/// http(s).
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Entry {
    /// The publisher's identifier (`guid`, `id`), byte for byte.
    pub guid: Option<String>,
    /// One line of plain text; may be empty.
    pub title: String,
    /// URL of the article.
    pub url: Option<String>,
    /// Names as plain text.
    pub authors: Vec<String>,
    pub published: Option<Time>,
    /// Where that date comes from; `None`: it is stated by the feed.
    pub dated: Option<DateOrigin>,
    pub updated: Option<Time>,
    /// Short text, safe HTML.
    pub summary: Option<String>,
    /// Full text, safe HTML.
    pub content: Option<String>,
    pub enclosures: Vec<Enclosure>,
    /// Categories and tags, plain text.
    pub categories: Vec<String>,
    /// URL of the page with the comments.
    pub comments: Option<String>,
    /// URL of the comment feed.
    pub comment_feed: Option<String>,
    /// Number of comments.
    pub comment_count: Option<u32>,
    /// Language tag (RFC 5646); `None` if unknown.
    pub language: Option<String>,
    /// Name of the original publisher if the feed republishes (RSS `source`, Atom `source`).
    pub publisher: Option<String>,
    /// Its texts as earlier versions of newsfed read them.
    pub former: Option<Box<FormerTexts>>,
}

impl Entry {
    /// The beginning of its summary, or else of its text, as plain text in one line.
    pub fn opening(&self) -> String {
        /// Maximum number of bytes of markup that are read.
        const MARKUP: usize = 2000;
        let has_text = |markup: &&String| !markup.trim().is_empty();
        let markup = self.summary.as_ref().filter(has_text).or(self.content.as_ref());
        text::line(&html::to_text(text::start(markup.map_or("", String::as_str), MARKUP)))
    }
}

/// The texts of an entry as earlier versions of newsfed read them, where that differs; empty where
/// they found nothing.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FormerTexts {
    pub summary: Option<String>,
    pub content: Option<String>,
}

/// What a feed states about how often to poll it.
#[derive(Debug, Clone, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct FeedHints {
    /// RSS `ttl`.
    pub ttl: Option<Duration>,
    /// RSS `skipHours`, UTC hours 0-23.
    pub skip_hours: BTreeSet<u8>,
    /// RSS `skipDays`, days from Monday = 0 to Sunday = 6, UTC.
    pub skip_days: BTreeSet<u8>,
    /// `sy:updatePeriod` divided by `sy:updateFrequency`.
    pub update_period: Option<Duration>,
}
