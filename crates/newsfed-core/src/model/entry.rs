//! The results of parsers: entries that are not stored yet, and the hints of the feed.

use super::{Chapter, DateOrigin, Time};
use crate::util::{html, text};
use std::collections::BTreeSet;
use std::time::Duration;

/// A file attached to an entry (podcast episode, image, video).
#[derive(Debug, Clone, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Enclosure {
    /// Absolute http(s) URL.
    pub url: String,
    /// Media type as given by the feed.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub mime: Option<String>,
    /// Size in bytes as given by the feed.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub bytes: Option<u64>,
    /// Duration in seconds.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub seconds: Option<u64>,
    /// Chapters listed in the feed.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub chapters: Vec<Chapter>,
    /// Absolute http(s) URL of a file with chapters.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub chapters_url: Option<String>,
}

/// An entry of a feed or an article of a website before it is stored.
///
/// All texts are sanitised (see [`crate::util::text`]), and all URLs are absolute http(s) URLs.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Entry {
    /// The publisher's identifier (`guid`, `id`), byte for byte.
    pub guid: Option<String>,
    /// Title as one line of plain text; may be empty.
    pub title: String,
    /// URL of the article.
    pub url: Option<String>,
    /// Names of the authors as plain text.
    pub authors: Vec<String>,
    pub published: Option<Time>,
    /// The origin of the publication date; `None` if the feed gives the date.
    pub dated: Option<DateOrigin>,
    pub updated: Option<Time>,
    /// Short text as safe HTML.
    pub summary: Option<String>,
    /// Full text as safe HTML.
    pub content: Option<String>,
    pub enclosures: Vec<Enclosure>,
    /// Categories and tags as plain text.
    pub categories: Vec<String>,
    /// URL of the page with the comments.
    pub comments: Option<String>,
    /// URL of the comment feed.
    pub comment_feed: Option<String>,
    /// Number of comments.
    pub comment_count: Option<u32>,
    /// Language tag (RFC 5646); `None` if unknown.
    pub language: Option<String>,
    /// Name of the original publisher if the feed republishes the entry (RSS `source`, Atom `source`).
    pub publisher: Option<String>,
    /// The texts as read by earlier versions of newsfed.
    pub former: Option<Box<FormerTexts>>,
}

impl Entry {
    /// The beginning of the summary, or of the text if there is no summary, as one line of plain text.
    pub fn opening(&self) -> String {
        /// Maximum number of bytes of markup that are read.
        const MARKUP: usize = 2000;
        let has_text = |markup: &&String| !markup.trim().is_empty();
        let markup = self.summary.as_ref().filter(has_text).or(self.content.as_ref());
        text::line(&html::to_text(text::start(markup.map_or("", String::as_str), MARKUP)))
    }
}

/// The texts of an entry that earlier versions of newsfed read differently. A text is empty if they found
/// nothing.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FormerTexts {
    pub summary: Option<String>,
    pub content: Option<String>,
}

/// Polling hints of a feed.
#[derive(Debug, Clone, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct FeedHints {
    /// RSS `ttl`.
    pub ttl: Option<Duration>,
    /// RSS `skipHours` as UTC hours, 0 to 23.
    pub skip_hours: BTreeSet<u8>,
    /// RSS `skipDays` as days in UTC, from 0 (Monday) to 6 (Sunday).
    pub skip_days: BTreeSet<u8>,
    /// `sy:updatePeriod` divided by `sy:updateFrequency`.
    pub update_period: Option<Duration>,
}
