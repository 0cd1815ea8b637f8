//! Items and their marks as stored by another reader or service.

use super::Time;

/// The origin of foreign items.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum ForeignKind {
    /// newsboat's `cache.db`.
    NewsboatCache,
    /// newsraft's `newsraft.sqlite3`.
    Newsraft,
    /// The database of eilmeldung or NewsFlash.
    NewsFlash,
    Inoreader,
    /// JSON of other services with the Google Reader API, such as FreshRSS.
    GoogleReader,
    Feedly,
    Pocket,
}

impl ForeignKind {
    /// The name shown to users.
    pub fn name(self) -> &'static str {
        match self {
            Self::NewsboatCache => "newsboat's cache",
            Self::Newsraft => "newsraft",
            Self::NewsFlash => "eilmeldung or NewsFlash",
            Self::Inoreader => "Inoreader",
            Self::GoogleReader => "Starred items",
            Self::Feedly => "Feedly",
            Self::Pocket => "Pocket",
        }
    }
}

/// A text in its original format.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ForeignText {
    Html(String),
    Plain(String),
}

/// An item that is neither checked nor sanitised.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ForeignItem {
    /// URL of the feed.
    pub feed: Option<String>,
    /// The publisher's identifier.
    pub guid: Option<String>,
    pub title: String,
    pub url: Option<String>,
    pub authors: Vec<String>,
    pub published: Option<Time>,
    pub updated: Option<Time>,
    /// When the user saved it.
    pub saved: Option<Time>,
    pub summary: Option<ForeignText>,
    pub content: Option<ForeignText>,
    /// URLs and media types of attached files.
    pub enclosures: Vec<(String, Option<String>)>,
    /// Categories given by the publisher.
    pub categories: Vec<String>,
    /// The title of the feed.
    pub publisher: Option<String>,
    pub read: bool,
    pub pinned: bool,
    pub later: bool,
    /// Whether the user removed the item.
    pub deleted: bool,
    /// The user's own tags.
    pub tags: Vec<String>,
    /// newsboat's flags, which are letters.
    pub flags: String,
}
