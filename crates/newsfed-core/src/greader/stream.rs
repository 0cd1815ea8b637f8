//! Streams: lists of items that can be requested, and the names of marks and labels.

use std::fmt;

/// A list of items, a mark, or a label.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Stream {
    /// All items.
    ReadingList,
    Read,
    Starred,
    /// Another state of the API, such as `kept-unread`.
    State(String),
    /// A folder, or a label of items.
    Label(String),
    /// A feed, by the text after `feed/`: a number or a URL.
    Feed(String),
}

impl Stream {
    /// Parses the name of a stream, with `-` or any user name; `None` for anything else.
    pub fn parse(text: &str) -> Option<Self> {
        if let Some(feed) = text.strip_prefix("feed/") {
            return (!feed.is_empty()).then(|| Self::Feed(feed.to_owned()));
        }
        let (_, name) = text.strip_prefix("user/")?.split_once('/')?;
        if let Some(label) = name.strip_prefix("label/") {
            return (!label.is_empty()).then(|| Self::Label(label.to_owned()));
        }
        Some(match name.strip_prefix("state/com.google/")? {
            "reading-list" => Self::ReadingList,
            "read" => Self::Read,
            "starred" => Self::Starred,
            "" => return None,
            other => Self::State(other.to_owned()),
        })
    }
}

/// Always writes `-`, because FreshRSS treats any other user name as the whole reading list.
impl fmt::Display for Stream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let state = match self {
            Self::Feed(feed) => return write!(f, "feed/{feed}"),
            Self::Label(label) => return write!(f, "user/-/label/{label}"),
            Self::ReadingList => "reading-list",
            Self::Read => "read",
            Self::Starred => "starred",
            Self::State(state) => state,
        };
        write!(f, "user/-/state/com.google/{state}")
    }
}
