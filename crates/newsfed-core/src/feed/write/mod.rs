//! Writes items as a feed: Atom, RSS 2.0 or JSON Feed 1.1.
//!
//! The texts of items are already safe HTML. The same items result in the same bytes, so that readers can
//! check whether a feed has changed.

mod atom;
mod json;
mod rss;

#[cfg(test)]
mod tests;

use crate::model::{Item, Time};
use crate::util::limits::WRITTEN_BYTES;
use crate::util::text::size;
use chrono::SecondsFormat;

/// The format of a feed that newsfed writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FeedFormat {
    Atom,
    Rss,
    Json,
}

impl FeedFormat {
    pub const ALL: [Self; 3] = [Self::Atom, Self::Rss, Self::Json];

    /// The name of the format, which is also the file extension.
    pub fn name(self) -> &'static str {
        match self {
            Self::Atom => "atom",
            Self::Rss => "rss",
            Self::Json => "json",
        }
    }

    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|format| format.name() == name)
    }

    pub fn media_type(self) -> &'static str {
        match self {
            Self::Atom => "application/atom+xml; charset=utf-8",
            Self::Rss => "application/rss+xml; charset=utf-8",
            Self::Json => "application/feed+json; charset=utf-8",
        }
    }
}

/// Metadata of a feed.
#[derive(Debug, Clone, Default)]
pub struct FeedHeader {
    /// A permanent IRI.
    pub id: String,
    pub title: String,
}

/// An item of a feed that newsfed writes.
#[derive(Debug, Clone)]
pub struct OutgoingItem {
    pub item: Item,
    /// The item's own tags.
    pub own_tags: Vec<String>,
    /// The title of the source.
    pub source: String,
    /// The URL of the source, without secrets.
    pub source_url: Option<String>,
    /// The home page of the source.
    pub home_url: Option<String>,
    /// Data for clients of the Google Reader API, only in Atom.
    pub remote: Option<RemoteEntry>,
}

/// The names of an item in the Google Reader API.
#[derive(Debug, Clone)]
pub struct RemoteEntry {
    pub id: String,
    /// The streams that contain the item, each with a short name.
    pub streams: Vec<(String, String)>,
}

/// A feed as text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WrittenFeed {
    pub text: String,
    /// When the newest item was published, changed or discovered.
    pub updated: Time,
    /// Number of items in the feed.
    pub items: usize,
    /// A message about items that were left out because of their size.
    pub left_out: Option<String>,
}

/// The number of bytes reserved for everything but the items.
const FRAME: usize = 64 << 10;

/// Writes a feed item by item, so that only the text of the feed is in memory.
pub struct FeedWriter {
    format: FeedFormat,
    text: String,
    items: usize,
    surplus: usize,
    updated: Time,
}

impl FeedWriter {
    pub fn new(format: FeedFormat) -> Self {
        Self { format, text: String::new(), items: 0, surplus: 0, updated: Time::default() }
    }

    /// Whether an item was left out. All further items are then left out as well and need not be read.
    pub fn is_full(&self) -> bool {
        self.surplus > 0
    }

    /// Counts an item that is left out.
    pub fn leave_out(&mut self) {
        self.surplus += 1;
    }

    /// Adds an item, unless it would make the feed too long.
    pub fn add(&mut self, entry: &OutgoingItem) {
        if self.is_full() {
            return self.leave_out();
        }
        let written = match self.format {
            FeedFormat::Atom => atom::entry(entry),
            FeedFormat::Rss => rss::item(entry),
            FeedFormat::Json => json::item(entry),
        };
        if FRAME + self.text.len() + written.len() > WRITTEN_BYTES {
            return self.leave_out();
        }
        if self.format == FeedFormat::Json && self.items > 0 {
            self.text.push(',');
        }
        self.text.push_str(&written);
        self.items += 1;
        self.updated = self.updated.max(changed(&entry.item));
    }

    /// Returns the feed, which has at most [`WRITTEN_BYTES`] bytes.
    pub fn finish(self, header: &FeedHeader) -> WrittenFeed {
        let (head, tail) = match self.format {
            FeedFormat::Atom => atom::frame(header, self.updated),
            FeedFormat::Rss => rss::frame(header, self.updated),
            FeedFormat::Json => json::frame(header),
        };
        WrittenFeed {
            text: head + &self.text + &tail,
            updated: self.updated,
            items: self.items,
            left_out: self.is_full().then(|| {
                format!("{} left out: limit of {}", self.surplus, size(WRITTEN_BYTES as u64))
            }),
        }
    }
}

/// The identifier of an item in every format. Guids are not used, because they may be the same in different
/// sources.
fn id(item: &Item) -> String {
    format!("urn:uuid:{}", item.id)
}

/// When the item was published, or discovered if that is unknown.
fn published(item: &Item) -> Time {
    item.published.unwrap_or(item.discovered)
}

/// When the item was last changed.
fn changed(item: &Item) -> Time {
    item.updated.unwrap_or_else(|| published(item))
}

fn rfc3339(time: Time) -> String {
    time.to_rfc3339_opts(SecondsFormat::Secs, true)
}

/// The feed's summary, unless it is also the text of the item.
fn summary(item: &Item) -> Option<&str> {
    item.summary.as_deref().filter(|summary| !summary.is_empty() && *summary != item.body())
}

/// The categories and tags of an item, without duplicates.
fn tags(entry: &OutgoingItem) -> Vec<&str> {
    let mut tags: Vec<&str> = Vec::new();
    for tag in entry.item.tags.iter().chain(&entry.own_tags) {
        if !tags.contains(&tag.as_str()) {
            tags.push(tag);
        }
    }
    tags
}
