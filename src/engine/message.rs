//! What the engine tells and is asked, as plain data.

use crate::feed::ParsedFeed;
use crate::model::{Hold, Outcome, Source, SourceId, Time};
use crate::net::Response;
use crate::util::url::WebAddress;
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
    /// When the next look is planned.
    pub next: Option<Time>,
    /// No host can be reached.
    pub offline: bool,
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
    /// It was looked at.
    Looked(Outcome),
    /// It was left alone, and why.
    Left(Hold),
    /// Its next look is planned for then, and only due sources were asked for.
    NotDue(Time),
    /// It is switched off.
    Disabled,
    /// It could not be stored or is no longer there.
    Lost(String),
}

/// What was found at an address.
#[derive(Debug)]
pub struct Discovery {
    /// The address that was asked for.
    pub address: Url,
    /// The ways to follow it, best first; empty when there is none.
    pub ways: Vec<Way>,
    /// What was tried, in words, in the order in which it was.
    pub tried: Vec<String>,
    /// The address with the credentials that were typed with it.
    pub(super) web: Box<WebAddress>,
}

/// One way to follow an address.
#[derive(Debug)]
pub struct Way {
    /// The address of the feed.
    pub url: Url,
    /// Its title, or what the page calls it.
    pub title: String,
    /// The feed itself where it has been fetched already; it then serves as the first look.
    pub(super) first: Option<FirstAnswer>,
}

impl Way {
    /// The first entries it gives, as title and date, where they are known.
    pub fn preview(&self) -> Option<Vec<(String, Option<Time>)>> {
        let entries = &self.first.as_ref()?.feed.entries;
        Some(
            entries.iter().take(20).map(|e| (e.title.clone(), e.published.or(e.updated))).collect(),
        )
    }

    /// How many entries it gives now, where that is known.
    pub fn count(&self) -> Option<usize> {
        self.first.as_ref().map(|f| f.feed.entries.len())
    }
}

/// A feed that was fetched while an address was explored.
#[derive(Debug)]
pub(super) struct FirstAnswer {
    pub(super) feed: ParsedFeed,
    pub(super) response: Response,
    pub(super) at: Time,
    pub(super) millis: u32,
}

/// Sources that were taken out, with what putting them back takes.
#[derive(Debug, Clone)]
pub struct Removed {
    /// The declarations.
    pub sources: Vec<Source>,
    /// What to call them: a title, or how many they are.
    pub what: String,
    pub(super) undo: crate::config::Removed,
}
