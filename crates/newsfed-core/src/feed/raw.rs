//! A feed as written, before URLs, dates and texts are interpreted. All lists are limited while being read.

use super::hints::RawHints;
use crate::model::Time;
use crate::util::date;
use crate::util::limits;
use std::cmp::Reverse;
use std::sync::Arc;
use url::Url;

/// A base URL set by the document. It is shared, because it can be long and apply to many fields.
pub(super) type Base = Option<Arc<Url>>;

/// A text and its format.
#[derive(Debug, Clone, Default)]
pub(super) struct RawText {
    pub(super) value: String,
    pub(super) kind: TextKind,
    /// The base URL in effect, if the document sets one.
    pub(super) base: Base,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum TextKind {
    Plain,
    /// HTML source.
    Html,
    /// RSS does not declare the format. The text is HTML if it looks like HTML.
    #[default]
    Guess,
}

/// An Atom link, or an RSS element with the same meaning.
#[derive(Debug, Clone, Default)]
pub(super) struct RawLink {
    pub(super) href: String,
    /// In lower case; `alternate` if missing.
    pub(super) rel: String,
    pub(super) mime: Option<String>,
    pub(super) bytes: Option<u64>,
    pub(super) seconds: Option<u64>,
    pub(super) base: Base,
}

/// How reliable a value is. A less reliable value never replaces a more reliable one.
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
    /// Replaces the value if the new one is more reliable. The first of several equally reliable values is
    /// kept.
    pub(super) fn offer(&mut self, rank: Rank, value: T) {
        if rank > self.rank {
            *self = Self { value: Some(value), rank };
        }
    }
}

/// A list of names or links that keeps the first [`limits::ENTRY_LIST`] values and counts the rest.
#[derive(Debug)]
pub(super) struct Limited<T> {
    pub(super) kept: Vec<T>,
    pub(super) left_out: usize,
}

impl<T> Default for Limited<T> {
    fn default() -> Self {
        Self { kept: Vec::new(), left_out: 0 }
    }
}

impl<T> Limited<T> {
    pub(super) fn push(&mut self, value: T) {
        if self.kept.len() < limits::ENTRY_LIST {
            self.kept.push(value);
        } else {
            self.left_out += 1;
        }
    }
}

impl<T> Extend<T> for Limited<T> {
    fn extend<I: IntoIterator<Item = T>>(&mut self, values: I) {
        values.into_iter().for_each(|value| self.push(value));
    }
}

#[derive(Debug, Default)]
pub(super) struct RawEntry {
    pub(super) guid: Ranked<String>,
    /// Whether the guid may be a URL; `None` if the feed does not declare it.
    pub(super) guid_is_link: Option<bool>,
    pub(super) title: Ranked<RawText>,
    pub(super) links: Limited<RawLink>,
    pub(super) original_link: Option<String>,
    pub(super) authors: Limited<String>,
    pub(super) weak_authors: Limited<String>,
    pub(super) published: Ranked<String>,
    pub(super) updated: Ranked<String>,
    pub(super) summary: Ranked<RawText>,
    pub(super) content: Ranked<RawText>,
    pub(super) enclosures: Limited<RawLink>,
    pub(super) seconds: Option<u64>,
    /// Start in seconds, and title of each chapter.
    pub(super) chapters: Vec<(u64, String)>,
    pub(super) chapters_url: Option<RawLink>,
    pub(super) categories: Limited<String>,
    pub(super) comments: Option<String>,
    pub(super) comment_feed: Option<String>,
    pub(super) comment_count: Option<u32>,
    pub(super) language: Option<String>,
    pub(super) publisher: Option<String>,
    /// The base URL in effect, if the document sets one.
    pub(super) base: Base,
}

#[derive(Debug, Default)]
pub(super) struct RawFeed {
    pub(super) title: Ranked<RawText>,
    pub(super) links: Limited<RawLink>,
    pub(super) authors: Limited<String>,
    pub(super) language: Ranked<String>,
    pub(super) hints: RawHints,
    pub(super) base: Base,
    pub(super) entries: Entries,
}

impl RawEntry {
    /// The date used to order entries.
    fn date(&self) -> Option<Time> {
        self.published.value.as_deref().or(self.updated.value.as_deref()).and_then(date::parse)
    }

    /// Number of names and links beyond [`limits::ENTRY_LIST`].
    fn left_out(&self) -> usize {
        let links = [&self.links, &self.enclosures].map(|list| list.left_out);
        let names = [&self.authors, &self.weak_authors, &self.categories].map(|list| list.left_out);
        links.iter().chain(&names).sum()
    }
}

/// The newest [`limits::FEED_ENTRIES`] entries, or the first ones if none has a date. An entry without a date
/// is treated as if it had the date of the previous one. At most twice as many are in memory.
#[derive(Debug, Default)]
pub(super) struct Entries {
    kept: Vec<RawEntry>,
    /// Whether any of the entries compared so far has a date.
    dated: bool,
    /// Number of entries in the document.
    total: usize,
    /// Number of names and links of entries beyond [`limits::ENTRY_LIST`].
    pub(super) left_out: usize,
}

impl Entries {
    pub(super) fn push(&mut self, entry: RawEntry) {
        self.total += 1;
        self.left_out += entry.left_out();
        self.kept.push(entry);
        if self.kept.len() >= 2 * limits::FEED_ENTRIES {
            self.drop_oldest();
        }
    }

    /// The entries in document order, and a note if others were dropped.
    pub(super) fn finish(mut self) -> (Vec<RawEntry>, Option<String>) {
        self.drop_oldest();
        let (kept, total) = (self.kept.len(), self.total);
        let which = if self.dated { "newest" } else { "first" };
        let note = format!("only the {which} {kept} of {total} entries were kept");
        (self.kept, Some(note).filter(|_| kept < total))
    }

    fn drop_oldest(&mut self) {
        if self.kept.len() <= limits::FEED_ENTRIES {
            return;
        }
        let mut dates: Vec<Option<Time>> = self.kept.iter().map(RawEntry::date).collect();
        let mut last = dates.iter().copied().find(Option::is_some).flatten();
        self.dated |= last.is_some();
        for date in &mut dates {
            last = date.or(last);
            *date = last;
        }
        let mut order: Vec<usize> = (0..dates.len()).collect();
        order.sort_by_key(|at| Reverse(dates[*at]));
        let mut keep = vec![false; dates.len()];
        order.iter().take(limits::FEED_ENTRIES).for_each(|at| keep[*at] = true);
        let mut flags = keep.into_iter();
        self.kept.retain(|_| flags.next().unwrap_or(false));
    }
}
