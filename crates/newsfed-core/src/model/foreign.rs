//! Items and their marks as another reader or service has stored them.

use super::Time;

/// Where foreign items come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum ForeignKind {
    /// newsboat's `cache.db`.
    NewsboatCache,
    /// newsraft's `newsraft.sqlite3`.
    Newsraft,
    /// The database of eilmeldung and NewsFlash.
    NewsFlash,
    Inoreader,
    /// JSON of other services with the interface of Google Reader, such as FreshRSS.
    GoogleReader,
    Feedly,
    Pocket,
}

impl ForeignKind {
    /// Its name for users.
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

/// A text as it was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ForeignText {
    Html(String),
    Plain(String),
}

/// An item, nothing of it checked or sanitised.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ForeignItem {
    /// URL of its feed.
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
    /// URL and media type of attached files.
    pub enclosures: Vec<(String, Option<String>)>,
    /// Categories given by the publisher.
    pub categories: Vec<String>,
    /// The title of its feed.
    pub publisher: Option<String>,
    pub read: bool,
    pub pinned: bool,
    pub later: bool,
    /// Whether the user has removed it.
    pub deleted: bool,
    /// The user's own tags.
    pub tags: Vec<String>,
    /// newsboat's flags: letters.
    pub flags: String,
}
