//! Stored items.

use super::{
    Confidence, DatePrecision, DateSource, Enclosure, Revision, SourceId, TextFrom, Time,
    ZoneSource,
};
use std::fmt;
use std::str::FromStr;

/// Reading speed, to estimate the reading time.
pub const WORDS_PER_MINUTE: u32 = 230;

/// Identifier of an item for users and scripts: a UUID that never changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, serde::Serialize)]
#[serde(transparent)]
pub struct ItemId(pub uuid::Uuid);

impl fmt::Display for ItemId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl FromStr for ItemId {
    type Err = uuid::Error;

    fn from_str(s: &str) -> Result<Self, Self::Err> {
        s.parse().map(ItemId)
    }
}

/// A stored item with everything known about it. `--json` prints this structure.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct Item {
    pub id: ItemId,
    pub source: SourceId,
    /// The publisher's identifier.
    pub guid: Option<String>,
    /// Title as one line of plain text; may be empty.
    pub title: String,
    /// Short text as safe HTML.
    pub summary: Option<String>,
    /// Full text as safe HTML.
    pub content: Option<String>,
    pub url: Option<String>,
    /// The publisher given by the entry, or the title of the source if there is none.
    pub publisher: Option<String>,
    pub authors: Vec<String>,
    /// Date of first publication, according to the publisher.
    pub published: Option<Time>,
    /// The origin of the publication date; `None` if there is no date.
    pub published_from: Option<DateSource>,
    /// The certainty of the publication date.
    pub published_confidence: Option<Confidence>,
    /// The precision of the publication date.
    pub published_precision: Option<DatePrecision>,
    /// The origin of the time zone, if the time of day was written without one.
    pub published_zone: Option<ZoneSource>,
    /// Date of the last change, according to the publisher.
    pub updated: Option<Time>,
    /// When newsfed first found the item.
    pub discovered: Time,
    /// Whether the user pinned the item, which exempts it from retention.
    pub pinned: bool,
    pub read: bool,
    pub enclosures: Vec<Enclosure>,
    /// Categories given by the feed.
    pub categories: Vec<String>,
    /// The categories given by the feed, and the tags given by the page.
    pub tags: Vec<String>,
    /// URL of the page with the comments.
    pub comments: Option<String>,
    /// URL of the comment feed.
    pub comment_feed: Option<String>,
    /// Number of comments according to the feed.
    pub comment_count: Option<u32>,
    /// Number of comments added since the user read the item.
    pub new_comments: u32,
    /// Language tag; `None` if unknown.
    pub language: Option<String>,
    /// The newest stored version of the article as safe HTML, from the page or from a feed that changed its
    /// full text. `None` if there is none, or if the user chose the text in the feed.
    pub article: Option<String>,
    /// The origin of the text.
    pub text_from: TextFrom,
    /// When the page was last fetched.
    pub fetched: Option<Time>,
    /// Why the last fetch of the page returned no text.
    pub fetch_error: Option<String>,
    /// Whether the feed contains full text; `None` if that is not known yet.
    pub feed_has_full_text: Option<bool>,
    /// Whether the article changed since the user last opened it.
    pub changed: bool,
    /// Whether the article changed by more than typo fixes since the user last opened it.
    pub substantial: bool,
    /// Number of earlier versions of the article that are stored.
    pub versions: u32,
    /// What the last change to the article or its title was about, except typo fixes.
    pub revisions: Vec<Revision>,
    /// The previous title.
    pub former_title: Option<String>,
    /// Whether a text from the page is stored, regardless of whether it is shown.
    pub page_text: bool,
}

impl Item {
    /// The text from the page, or from the feed if there is none; empty if there is neither.
    pub fn body(&self) -> &str {
        self.article.as_deref().unwrap_or_else(|| self.feed_body())
    }

    /// The text from the feed: the longer of content and summary; empty if there is neither.
    pub fn feed_body(&self) -> &str {
        let texts = [self.content.as_deref(), self.summary.as_deref()];
        texts.into_iter().flatten().max_by_key(|text| text.len()).unwrap_or("")
    }
}

/// An item of another source about the same story.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct StoryItem {
    /// Row key in the database.
    pub number: i64,
    pub source: SourceId,
    /// Title as one line of plain text; may be empty.
    pub title: String,
    pub url: Option<String>,
    /// The date used for sorting, see [`ItemRow::date`].
    pub date: Time,
    pub read: bool,
}

/// The data for a row in a list of items, including the sort key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ItemRow {
    /// Row key in the database, which increases in the order of discovery.
    pub key: i64,
    pub id: ItemId,
    /// Row key of the source.
    pub source_key: i64,
    /// Title as one line of plain text; may be empty.
    pub title: String,
    pub url: Option<String>,
    /// The date used for sorting: the date given by the publisher, but never later than the time of
    /// discovery. If there is no such date, the time of discovery or, for the first items of a source, the
    /// end of the day two days earlier.
    pub date: Time,
    /// The time of discovery, if the item has no publication date.
    pub found: Option<Time>,
    pub pinned: bool,
    pub read: bool,
    /// Whether the item is marked to read later.
    pub later: bool,
    /// Number of words in the longest known text, from which the reading time is derived; 0 if unknown.
    pub words: u32,
    /// Whether the article changed since the user last opened it.
    pub changed: bool,
    /// Whether the article changed by more than typo fixes since the user last opened it.
    pub substantial: bool,
    /// Number of comments according to the feed.
    pub comment_count: Option<u32>,
    /// Number of comments added since the user read the item.
    pub new_comments: u32,
    /// The identifier of the story, if other sources have items about it.
    pub story: Option<i64>,
    /// Number of other items about the same story.
    pub also: u32,
    /// How well the item matches a search that is sorted by relevance; lower is better. 0 in other lists.
    pub rank: i64,
    /// Whether a search lists the item first because of its title.
    pub by_title: bool,
}
