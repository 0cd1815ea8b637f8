//! A stored entry.

use super::{Enclosure, SourceId, TextFrom, Time};
use std::fmt;
use std::str::FromStr;

/// Identifier of an item, for people and scripts: a UUID that never changes.
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

/// One stored item with everything known of it. `--json` prints this shape.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct Item {
    /// Stable identifier.
    pub id: ItemId,
    /// The source that it came from.
    pub source: SourceId,
    /// The publisher's identifier.
    pub guid: Option<String>,
    /// One line of plain text; may be empty.
    pub title: String,
    /// Short text, safe HTML.
    pub summary: Option<String>,
    /// Full text, safe HTML.
    pub content: Option<String>,
    /// Address of the article.
    pub url: Option<String>,
    /// Who published it: what the entry says, else the title of its source.
    pub publisher: Option<String>,
    /// Names of the authors.
    pub authors: Vec<String>,
    /// When it was first published, as the publisher says.
    pub published: Option<Time>,
    /// When it was last changed, as the publisher says.
    pub updated: Option<Time>,
    /// When newsfed first saw it.
    pub discovered: Time,
    /// Kept by the user, exempt from retention.
    pub pinned: bool,
    /// Read by the user.
    pub read: bool,
    /// Attached files.
    pub enclosures: Vec<Enclosure>,
    /// Categories and tags.
    pub categories: Vec<String>,
    /// Page with the comments.
    pub comments: Option<String>,
    /// Language tag; `None` is unknown.
    pub language: Option<String>,
    /// The newest version of its article, safe HTML, where one is kept and is what the user wants
    /// to see: of its page, or of a feed that changed a whole article.
    pub article: Option<String>,
    /// Where its text comes from.
    pub text_from: TextFrom,
    /// When its page was last asked for.
    pub fetched: Option<Time>,
    /// Why its page gave no text when it was last asked for.
    pub fetch_error: Option<String>,
    /// Whether its feed is known to carry whole articles (true) or not (false).
    pub feed_has_full_text: Option<bool>,
    /// Whether the article changed since the user last opened it.
    pub changed: bool,
    /// How many earlier versions of the article are kept.
    pub versions: u32,
}

impl Item {
    /// Its text: that of its page, else what the feed gives; empty when there is none.
    pub fn body(&self) -> &str {
        self.article.as_deref().unwrap_or_else(|| self.feed_body())
    }

    /// What its feed gives: the longer one of content and summary; empty when it gives none.
    pub fn feed_body(&self) -> &str {
        let texts = [self.content.as_deref(), self.summary.as_deref()];
        texts.into_iter().flatten().max_by_key(|text| text.len()).unwrap_or("")
    }
}

/// What a line of an item list needs, and the keyset by which lists are ordered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ItemRow {
    /// Row key in the database: grows with the order of discovery.
    pub key: i64,
    /// Stable identifier.
    pub id: ItemId,
    /// Row key of the source.
    pub source_key: i64,
    /// One line of plain text; may be empty.
    pub title: String,
    /// Address of the article.
    pub url: Option<String>,
    /// The date it is sorted by: published, but never later than discovered.
    pub date: Time,
    /// Kept by the user.
    pub pinned: bool,
    /// Read by the user.
    pub read: bool,
    /// Words in the longest text known; 0 is unknown. Reading time is derived from it.
    pub words: u32,
    /// Whether the article changed since the user last opened it.
    pub changed: bool,
}
