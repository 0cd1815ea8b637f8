//! A feed as written, before URLs, dates and texts are interpreted.

use super::hints::RawHints;
use url::Url;

/// A text and its format.
#[derive(Debug, Clone, Default)]
pub(super) struct RawText {
    pub(super) value: String,
    pub(super) kind: TextKind,
    /// The base URL in force, if the document sets one.
    pub(super) base: Option<Url>,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum TextKind {
    Plain,
    /// HTML source.
    Html,
    /// RSS does not declare it: HTML if it resembles HTML.
    #[default]
    Guess,
}

/// An Atom link, or an RSS element with the same meaning.
#[derive(Debug, Clone, Default)]
pub(super) struct RawLink {
    pub(super) href: String,
    /// Lower case; `alternate` if missing.
    pub(super) rel: String,
    pub(super) mime: Option<String>,
    pub(super) bytes: Option<u64>,
    pub(super) seconds: Option<u64>,
    pub(super) base: Option<Url>,
}

/// How reliable a value is. A weaker value never replaces a stronger one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub(super) enum Rank {
    #[default]
    None,
    Weak,
    Fair,
    Strong,
}

/// A value with its rank.
#[derive(Debug, Clone, Default)]
pub(super) struct Ranked<T> {
    pub(super) value: Option<T>,
    pub(super) rank: Rank,
}

impl<T> Ranked<T> {
    /// Takes a value that is more reliable than the present one. Among equals the first stays.
    pub(super) fn offer(&mut self, rank: Rank, value: T) {
        if rank > self.rank {
            *self = Self { value: Some(value), rank };
        }
    }
}

#[derive(Debug, Default)]
pub(super) struct RawEntry {
    pub(super) guid: Ranked<String>,
    /// Whether the guid may be a URL; `None` if the feed does not declare it.
    pub(super) guid_is_link: Option<bool>,
    pub(super) title: Ranked<RawText>,
    pub(super) links: Vec<RawLink>,
    pub(super) original_link: Option<String>,
    pub(super) authors: Vec<String>,
    pub(super) weak_authors: Vec<String>,
    pub(super) published: Ranked<String>,
    pub(super) updated: Ranked<String>,
    pub(super) summary: Ranked<RawText>,
    pub(super) content: Ranked<RawText>,
    pub(super) enclosures: Vec<RawLink>,
    pub(super) seconds: Option<u64>,
    pub(super) categories: Vec<String>,
    pub(super) comments: Option<String>,
    pub(super) language: Option<String>,
    pub(super) publisher: Option<String>,
    /// The base URL in force, if the document sets one.
    pub(super) base: Option<Url>,
}

#[derive(Debug, Default)]
pub(super) struct RawFeed {
    pub(super) title: Ranked<RawText>,
    pub(super) links: Vec<RawLink>,
    pub(super) authors: Vec<String>,
    pub(super) language: Ranked<String>,
    pub(super) hints: RawHints,
    pub(super) base: Option<Url>,
    pub(super) entries: Vec<RawEntry>,
}
