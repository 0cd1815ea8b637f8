//! A feed as its document says it, before addresses, dates and texts are made sense of.

use super::hints::RawHints;
use url::Url;

/// A text and how it is to be read.
#[derive(Debug, Clone, Default)]
pub(super) struct RawText {
    pub(super) value: String,
    pub(super) kind: TextKind,
    /// The base address in force there, where the document sets one.
    pub(super) base: Option<Url>,
}

/// How a text is to be read.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum TextKind {
    /// Plain text.
    Plain,
    /// HTML source.
    Html,
    /// RSS does not say: HTML if it looks like it.
    #[default]
    Guess,
}

/// A link of Atom, or an RSS element that means the same.
#[derive(Debug, Clone, Default)]
pub(super) struct RawLink {
    pub(super) href: String,
    /// Lower case; `alternate` where none is given.
    pub(super) rel: String,
    pub(super) mime: Option<String>,
    pub(super) bytes: Option<u64>,
    pub(super) seconds: Option<u64>,
    pub(super) base: Option<Url>,
}

/// How sure a value is: a weaker one never replaces a stronger one.
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
    /// Takes a value that is surer than the present one; of equals the first stays.
    pub(super) fn offer(&mut self, rank: Rank, value: T) {
        if rank > self.rank {
            *self = Self { value: Some(value), rank };
        }
    }
}

/// One entry.
#[derive(Debug, Default)]
pub(super) struct RawEntry {
    pub(super) guid: Ranked<String>,
    /// Whether the guid may be an address; `None` says nothing.
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
    /// The base address in force, where the document sets one.
    pub(super) base: Option<Url>,
}

/// A whole feed.
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
