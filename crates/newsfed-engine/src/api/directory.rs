//! The declared sources as subscriptions, and streams as selections of items in the database.

use super::call::Listing;
use super::refusal::Refusal;
use crate::greader::{Category, Stream, Subscription};
use crate::model::{FullText, Source, SourceFacts, SourceId};
use crate::store::{Reader, StreamPart, StreamQuery};
use crate::util::url::normalise;
use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;
use url::Url;

pub(super) struct Feed {
    pub(super) source: Arc<Source>,
    pub(super) facts: SourceFacts,
}

impl Feed {
    pub(super) fn title(&self) -> &str {
        self.facts.title(&self.source)
    }

    /// The id of the feed's stream.
    pub(super) fn id(&self) -> String {
        Stream::Feed(self.facts.key.to_string()).to_string()
    }

    pub(super) fn folder(&self) -> Option<&str> {
        self.source.folder.as_deref()
    }

    /// Whether items are shown with the feed's own text.
    pub(super) fn shows_feed_text(&self, general: FullText) -> bool {
        let setting = self.source.full_text.unwrap_or(general);
        setting == FullText::Never && !self.source.kind().reads_pages()
    }

    pub(super) fn subscription(&self) -> Subscription {
        let category = |name: &str| Category { id: label(name), label: name.to_owned() };
        Subscription {
            id: self.id(),
            title: self.title().to_owned(),
            categories: self.folder().map(category).into_iter().collect(),
            url: self.source.url.to_string(),
            html_url: self.facts.home_url.clone().unwrap_or_default(),
            icon_url: String::new(),
        }
    }
}

/// The id of the stream for a folder or tag.
pub(super) fn label(name: &str) -> String {
    Stream::Label(name.to_owned()).to_string()
}

pub(super) struct Directory {
    pub(super) feeds: Vec<Feed>,
}

impl Directory {
    pub(super) fn read(reader: &Reader, declared: &[Arc<Source>]) -> Result<Self, Refusal> {
        let facts = reader.sources()?;
        let mut by_id: HashMap<SourceId, SourceFacts> =
            facts.into_iter().map(|facts| (facts.id.clone(), facts)).collect();
        let feed = |source: &Arc<Source>| {
            Some(Feed { source: source.clone(), facts: by_id.remove(&source.id)? })
        };
        Ok(Self { feeds: declared.iter().filter_map(feed).collect() })
    }

    pub(super) fn folders(&self) -> BTreeSet<&str> {
        self.feeds.iter().filter_map(Feed::folder).collect()
    }

    pub(super) fn is_folder(&self, name: &str) -> bool {
        self.feeds.iter().any(|feed| feed.folder() == Some(name))
    }

    /// Finds a subscription by the part after `feed/`: its number or its URL.
    pub(super) fn find(&self, name: &str) -> Option<&Feed> {
        if let Ok(key) = name.parse::<i64>() {
            return self.feeds.iter().find(|feed| feed.facts.key == key);
        }
        let address = normalise(&Url::parse(name).ok()?);
        self.feeds.iter().find(|feed| normalise(&feed.source.url) == address)
    }

    /// The items of a stream; an unknown stream has none.
    pub(super) fn part(&self, stream: Option<&Stream>) -> StreamPart {
        match stream {
            Some(Stream::ReadingList) => StreamPart::All,
            Some(Stream::Read) => StreamPart::Read,
            Some(Stream::Starred) => StreamPart::Pinned,
            Some(Stream::Feed(name)) => match self.find(name) {
                Some(feed) => StreamPart::Sources(vec![feed.facts.key]),
                None => StreamPart::Nothing,
            },
            Some(Stream::Label(name)) => {
                let within = self.feeds.iter().filter(|feed| feed.folder() == Some(name));
                let sources = within.map(|feed| feed.facts.key).collect();
                StreamPart::Label { tag: name.clone(), sources }
            }
            Some(Stream::State(_)) | None => StreamPart::Nothing,
        }
    }

    /// The query for a page of a stream and one more item, which shows whether there is another page.
    pub(super) fn query(&self, listing: &Listing) -> StreamQuery {
        let part = |stream: &Option<Stream>| self.part(stream.as_ref());
        let mut within: Vec<StreamPart> = listing.within.iter().map(part).collect();
        within.push(self.part(listing.stream.as_ref()));
        // The last microsecond of the given second.
        let until = |seconds: i64| seconds.saturating_mul(1_000_000).saturating_add(999_999);
        StreamQuery {
            within,
            without: listing.without.iter().map(part).collect(),
            since: listing.since,
            until: listing.until.map(until),
            beyond: listing.continuation,
            oldest_first: listing.oldest_first,
            most: listing.most.saturating_add(1),
        }
    }
}
