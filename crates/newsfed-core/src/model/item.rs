//! A stored entry.

use super::{
    Confidence, DatePrecision, DateSource, Enclosure, Revision, SourceId, TextFrom, Time,
    ZoneSource,
};
use std::fmt;
use std::str::FromStr;

/// Reading speed.
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

/// One stored item with everything known about it. `--json` prints this structure.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct Item {
    pub id: ItemId,
    pub source: SourceId,
    /// The publisher's identifier.
    pub guid: Option<String>,
    /// One line of plain text; may be empty.
    pub title: String,
    /// Short text, safe HTML.
    pub summary: Option<String>,
    /// Full text, safe HTML.
    pub content: Option<String>,
    pub url: Option<String>,
    /// The publisher given by the entry, else the title of the source.
    pub publisher: Option<String>,
    pub authors: Vec<String>,
    /// When it was first published, according to the publisher.
    pub published: Option<Time>,
    /// Where that date comes from; `None` without one.
    pub published_from: Option<DateSource>,
    /// How certain it is.
    pub published_confidence: Option<Confidence>,
    /// How exactly it is known.
    pub published_precision: Option<DatePrecision>,
    /// Where its zone comes from, if its time of day was written without one.
    pub published_zone: Option<ZoneSource>,
    /// When it was last changed, according to the publisher.
    pub updated: Option<Time>,
    /// When newsfed first saw it.
    pub discovered: Time,
    /// Kept by the user, exempt from retention.
    pub pinned: bool,
    pub read: bool,
    pub enclosures: Vec<Enclosure>,
    /// Categories that the feed gives.
    pub categories: Vec<String>,
    /// The categories, and the tags that its page gives.
    pub tags: Vec<String>,
    /// URL of the page with the comments.
    pub comments: Option<String>,
    /// URL of the comment feed.
    pub comment_feed: Option<String>,
    /// Number of comments according to the feed.
    pub comment_count: Option<u32>,
    /// How many of them were added since the user read the item.
    pub new_comments: u32,
    /// Language tag; `None` if unknown.
    pub language: Option<String>,
    /// The newest stored version of the article, safe HTML, if the user wants to see it: from the
    /// page, or from a feed that changed the full text.
    pub article: Option<String>,
    /// Where the text comes from.
    pub text_from: TextFrom,
    /// When the page was last fetched.
    pub fetched: Option<Time>,
    /// Why the last fetch of the page gave no text.
    pub fetch_error: Option<String>,
    /// Whether the feed is known to carry full text (true) or not (false).
    pub feed_has_full_text: Option<bool>,
    /// Whether the article changed since the user last opened it.
    pub changed: bool,
    /// Whether it changed in more than typos since then.
    pub substantial: bool,
    /// How many earlier versions of the article are stored.
    pub versions: u32,
    /// What the last change to the article or its title was about, apart from typos.
    pub revisions: Vec<Revision>,
    /// The title before the current one.
    pub former_title: Option<String>,
    /// Whether a text of its page is stored, shown or not.
    pub page_text: bool,
}

impl Item {
    /// The text from the page, else from the feed; empty if there is none.
    pub fn body(&self) -> &str {
        self.article.as_deref().unwrap_or_else(|| self.feed_body())
    }

    /// The text from the feed: the longer one of content and summary; empty if there is none.
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
    /// One line of plain text; may be empty.
    pub title: String,
    pub url: Option<String>,
    /// As in [`ItemRow`].
    pub date: Time,
    pub read: bool,
}

/// The data that a row of an item list needs, and the key by which lists are sorted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ItemRow {
    /// Row key in the database: grows in the order of discovery.
    pub key: i64,
    pub id: ItemId,
    /// Row key of the source.
    pub source_key: i64,
    /// One line of plain text; may be empty.
    pub title: String,
    pub url: Option<String>,
    /// The date it is sorted by: published, but never later than discovered. Without a date, the time of discovery or the
    /// start of that day.
    pub date: Time,
    /// When it was discovered, if it has no date.
    pub found: Option<Time>,
    pub pinned: bool,
    pub read: bool,
    /// Whether it is kept for later.
    pub later: bool,
    /// Words in the longest text known; 0 if unknown. Reading time is derived from it.
    pub words: u32,
    /// Whether the article changed since the user last opened it.
    pub changed: bool,
    /// Whether it changed in more than typos since then.
    pub substantial: bool,
    /// Number of comments according to the feed.
    pub comment_count: Option<u32>,
    /// How many of them were added since the user read the item.
    pub new_comments: u32,
    /// The story that other sources have too: a name for all of its items.
    pub story: Option<i64>,
    /// How many other items are about it.
    pub also: u32,
    /// How well it matches a search that lists the best matches first: less is better. 0 in other lists.
    pub rank: i64,
}
