//! What the engine tells and is asked, as plain data.

use super::follow::{access, may_have_credentials};
use crate::config::{Section, unique_id};
use crate::feed::ParsedFeed;
use crate::model::{Outcome, Pause, Source, SourceId, SourceKind, Time, WebsiteRules};
use crate::net::Response;
use crate::util::url::WebAddress;
use std::collections::HashSet;
use tokio::sync::mpsc::UnboundedSender;
use url::Url;

/// What the engine is doing; only the latest value counts.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Status {
    /// Who follows the sources.
    pub role: Role,
    /// Looks finished since the queue was last empty.
    pub done: usize,
    /// Looks finished, under way and waiting since the queue was last empty.
    pub total: usize,
    /// A host that is being asked.
    pub host: Option<String>,
    /// Row keys of the sources that are being polled or wait for their turn.
    pub claimed: HashSet<i64>,
    /// When the next poll is planned.
    pub next: Option<Time>,
    /// No host can be reached.
    pub offline: bool,
    /// Why the declared sources were not read again when they were changed; the old ones hold.
    pub fault: Option<String>,
}

/// Which part this process plays.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Role {
    /// It looks at the sources when they are due.
    #[default]
    Follows,
    /// Another process (its number when known) does; this one shows what that one finds.
    Watches(Option<u32>),
    /// It looks only when told to.
    OnDemand,
    /// The database cannot be written, so nothing is polled.
    Reads,
}

/// How a refresh treats what holds a source back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pace {
    /// Only sources that are due.
    Due,
    /// Now, but obeying what servers asked for.
    Manual,
    /// Now, whatever the rules say.
    Force,
}

/// What became of one source of a refresh.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Report {
    /// The source.
    pub source: SourceId,
    /// What happened.
    pub result: Refreshed,
}

/// See [`Report`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Refreshed {
    /// It was polled.
    Polled(Outcome),
    /// It was left alone, and why.
    Left(Pause),
    /// Its next poll is planned for then, and only due sources were asked for.
    NotDue(Time),
    /// It is switched off.
    Disabled,
    /// It could not be stored or is no longer there.
    Lost(String),
}

/// What was found at an address.
#[derive(Debug, Clone)]
pub struct Discovery {
    /// The address that was asked for.
    pub address: Url,
    /// The ways to follow it, best first; empty when there is none.
    pub ways: Vec<Way>,
    /// What was tried, in words, in the order in which it was.
    pub tried: Vec<String>,
    /// The address with the credentials that were typed with it.
    pub(super) web: Box<WebAddress>,
    /// Who hears at once of what was tried.
    pub(super) listener: Option<UnboundedSender<String>>,
}

impl Discovery {
    pub(super) fn report(&mut self, words: String) {
        if let Some(listener) = &self.listener {
            // Who listens no more has given up.
            let _ = listener.send(words.clone());
        }
        self.tried.push(words);
    }

    /// The entry that following a way would write, to be edited before; without a way that of a
    /// website whose selectors are still to be written.
    pub fn draft(&self, way: Option<usize>) -> Option<Section> {
        Some(Section::draft(&match way {
            Some(way) => self.source(self.ways.get(way)?),
            None => self.source_by_hand(),
        }))
    }

    /// A website at the address that was asked for, without a selector for its articles.
    pub(super) fn source_by_hand(&self) -> Source {
        self.source(&Way {
            kind: SourceKind::Website,
            url: self.address.clone(),
            title: String::new(),
            rules: Some(WebsiteRules::default()),
            confidence: None,
            first: None,
        })
    }

    /// The source that a way makes.
    pub(super) fn source(&self, way: &Way) -> Source {
        // Taken ids are replaced when the file is written.
        let id = unique_id(&way.url, &mut HashSet::new());
        let mut source = Source::feed(id, way.url.clone());
        source.kind = way.kind;
        if may_have_credentials(&self.web.url, &way.url) {
            source.access = access(&self.web);
        }
        source.website = way.rules.clone();
        source
    }
}

/// One way to follow an address.
#[derive(Debug, Clone)]
pub struct Way {
    /// What kind of source it becomes.
    pub kind: SourceKind,
    /// The address of the feed, page or sitemap.
    pub url: Url,
    /// Its title, or what the page calls it.
    pub title: String,
    /// Of a website: how its pages are read.
    pub rules: Option<WebsiteRules>,
    /// Of a website: how sure it is that these are the articles, 0 to 1.
    pub confidence: Option<f64>,
    /// What was fetched already; it then serves as the first poll.
    pub(super) first: Option<First>,
}

/// What was fetched while an address was explored.
#[derive(Debug, Clone)]
pub(super) enum First {
    /// A feed.
    Feed(FirstFeed),
    /// A list page or sitemap, and what it lists.
    Page(FirstPage),
}

impl Way {
    /// The first entries it gives, as title and date, where they are known.
    pub fn preview(&self) -> Option<Vec<(String, Option<Time>)>> {
        Some(match self.first.as_ref()? {
            First::Feed(first) => {
                let entries = first.feed.entries.iter().take(20);
                entries.map(|e| (e.title.clone(), e.published.or(e.updated))).collect()
            }
            First::Page(first) => first.items.iter().take(20).cloned().collect(),
        })
    }

    /// How many entries it gives now, where that is known.
    pub fn count(&self) -> Option<usize> {
        Some(match self.first.as_ref()? {
            First::Feed(first) => first.feed.entries.len(),
            First::Page(first) => first.count,
        })
    }
}

/// A feed that was fetched while an address was explored.
#[derive(Debug, Clone)]
pub(super) struct FirstFeed {
    pub(super) feed: ParsedFeed,
    pub(super) answer: Answer,
}

/// A page that was fetched while an address was explored.
#[derive(Debug, Clone)]
pub(super) struct FirstPage {
    /// Titles and dates of what it lists.
    pub(super) items: Vec<(String, Option<Time>)>,
    pub(super) count: usize,
    /// Addresses of the first articles.
    pub(super) samples: Vec<(Url, String)>,
    pub(super) answer: Answer,
}

/// An answer and when it came.
#[derive(Debug, Clone)]
pub(super) struct Answer {
    pub(super) response: Response,
    pub(super) at: Time,
}

/// Made up for the interface.
#[cfg(test)]
impl Discovery {
    pub(crate) fn sample(address: &str, ways: Vec<Way>, tried: &[&str]) -> Self {
        let web = crate::util::url::parse_web(address).unwrap();
        let tried = tried.iter().map(|&words| words.to_owned()).collect();
        Self { address: web.url.clone(), ways, tried, web: Box::new(web), listener: None }
    }
}

#[cfg(test)]
impl Way {
    /// A list of articles on a page, by their selector and how sure it is; without them a sitemap.
    pub(crate) fn sample(
        url: &str,
        title: &str,
        list: Option<(&str, f64)>,
        items: &[(&str, Time)],
    ) -> Self {
        let url: Url = url.parse().unwrap();
        let response = Response {
            status: 200,
            final_url: url.clone(),
            hops: Vec::new(),
            validators: crate::model::Validators::default(),
            cache: crate::net::Freshness::default(),
            headers: Vec::new(),
            body: bytes::Bytes::new(),
            room: None,
            wire_bytes: 0,
            elapsed: std::time::Duration::ZERO,
            crawl_delay: std::time::Duration::ZERO,
        };
        let page = FirstPage {
            items: items.iter().map(|(title, at)| ((*title).to_owned(), Some(*at))).collect(),
            count: if list.is_some() { items.len() } else { 412 },
            samples: Vec::new(),
            answer: Answer { response, at: Time::UNIX_EPOCH },
        };
        let rules = list.map(|(articles, _)| WebsiteRules {
            articles: Some(articles.to_owned()),
            ..WebsiteRules::default()
        });
        Self {
            kind: if list.is_some() { SourceKind::Website } else { SourceKind::Sitemap },
            url,
            title: title.to_owned(),
            rules,
            confidence: list.map(|(_, sure)| sure),
            first: Some(First::Page(page)),
        }
    }
}
