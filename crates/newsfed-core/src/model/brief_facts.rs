//! The facts about a source that lists of items need.

use super::{Collected, Source, SourceFacts, SourceId};

/// The identity and names of a source. Reading them is much faster than reading all [`SourceFacts`].
#[derive(Debug, Clone, PartialEq)]
pub struct BriefFacts {
    /// Row key in the database.
    pub key: i64,
    pub id: SourceId,
    pub url: String,
    /// Target of a permanent redirect.
    pub moved_to: Option<String>,
    pub feed_title: Option<String>,
    /// The site's home page.
    pub home_url: Option<String>,
    /// Whether the source was ever polled.
    pub polled: bool,
    /// The account that polls the source on its server; `None` if the source is declared in `sources.toml`.
    pub collected: Option<Box<Collected>>,
}

impl BriefFacts {
    /// See [`SourceFacts::title`].
    pub fn title<'a>(&'a self, source: &'a Source) -> &'a str {
        source.title_or(self.feed_title.as_deref())
    }

    /// See [`SourceFacts::collected_source`].
    pub fn collected_source(&self) -> Option<Source> {
        self.collected.as_ref()?.source(&self.id, &self.url)
    }
}

impl Source {
    /// The title set by the user, or the title of the feed, or the name of the program or file, or the URL.
    pub(super) fn title_or<'a>(&'a self, of_feed: Option<&'a str>) -> &'a str {
        let title = self.title.as_deref().or(of_feed);
        title.filter(|title| !title.is_empty()).unwrap_or_else(|| self.place_name())
    }
}

impl From<SourceFacts> for BriefFacts {
    fn from(facts: SourceFacts) -> Self {
        Self {
            key: facts.key,
            id: facts.id,
            url: facts.url,
            moved_to: facts.moved_to,
            feed_title: facts.feed_title,
            home_url: facts.home_url,
            polled: facts.last_poll.is_some(),
            collected: facts.collected,
        }
    }
}
