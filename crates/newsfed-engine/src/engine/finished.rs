//! The result of a poll before it is stored.

use super::read_feed::ReadFeed;
use super::site::SiteEnd;
use super::verdict::{DocumentFacts, Head};
use crate::model::{ErrorKind, LeftOut, Outcome};
use crate::net::{MemoryShare, Response};
use crate::store::Prepared;
use std::time::Duration;
use url::Url;

/// A finished poll, before it is stored.
pub(super) struct Finished {
    pub(super) outcome: Outcome,
    pub(super) head: Option<Head>,
    pub(super) document: Option<(Vec<Prepared>, DocumentFacts)>,
    pub(super) repairs: Vec<String>,
    /// Entries and parts that were not stored, and why.
    pub(super) left_out: Vec<LeftOut>,
    pub(super) requested: String,
    pub(super) requests: u32,
    pub(super) wire_bytes: u64,
    pub(super) elapsed: Duration,
    /// Whether this machine or its network is the cause, so that the source is not recorded as failing.
    pub(super) offline: bool,
    /// The body's share of the memory budget, kept until the body is stored.
    pub(super) memory: Option<MemoryShare>,
    /// The result for a website or sitemap that was read.
    pub(super) site: Option<SiteEnd>,
    /// The feeds announced by a page that should have been a feed, best first.
    pub(super) announced: Vec<Url>,
    /// Whether the source will be polled at the URL of this response.
    pub(super) settles: bool,
}

impl Finished {
    /// The result for a response whose body has not been read yet.
    pub(super) fn of(response: &Response, requested: String) -> Self {
        Self {
            outcome: Outcome::Unchanged,
            head: Some(Head::from(response)),
            document: None,
            repairs: Vec::new(),
            left_out: Vec::new(),
            requested,
            requests: 1 + u32::try_from(response.hops.len()).unwrap_or(u32::MAX - 1),
            wire_bytes: response.wire_bytes,
            elapsed: response.elapsed,
            offline: false,
            memory: None,
            site: None,
            announced: Vec::new(),
            settles: false,
        }
    }

    /// The result for a poll without a response.
    pub(super) fn failed(
        requested: String,
        kind: ErrorKind,
        message: String,
        elapsed: Duration,
    ) -> Self {
        Self {
            outcome: Outcome::Failed { kind, message },
            head: None,
            document: None,
            repairs: Vec::new(),
            left_out: Vec::new(),
            requested,
            requests: 0,
            wire_bytes: 0,
            elapsed,
            offline: false,
            memory: None,
            site: None,
            announced: Vec::new(),
            settles: false,
        }
    }

    /// Adds the content of a feed.
    pub(super) fn take(mut self, feed: ReadFeed) -> Self {
        self.document = Some((feed.entries, feed.document));
        self.repairs = feed.repairs;
        self
    }

    /// The result if the document could not be read. A response without its items must not be stored as read.
    pub(super) fn unreadable(mut self) -> Self {
        let message = "the document could not be read (this is a bug)".to_owned();
        self.outcome = Outcome::Failed { kind: ErrorKind::Permanent, message };
        self
    }
}
