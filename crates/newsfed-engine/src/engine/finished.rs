//! What a poll found, before it is stored.

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
    /// What was not stored, and why.
    pub(super) left_out: Vec<LeftOut>,
    pub(super) asked: String,
    pub(super) requests: u32,
    pub(super) wire_bytes: u64,
    pub(super) elapsed: Duration,
    /// The reason is this machine or its network: the failure does not count for the source.
    pub(super) offline: bool,
    /// The body keeps its share of the memory budget until it is stored.
    pub(super) memory: Option<MemoryShare>,
    /// For a website or sitemap that was read.
    pub(super) site: Option<SiteEnd>,
    /// The feeds that are announced by a page which should have been a feed, best first.
    pub(super) announced: Vec<Url>,
    /// Whether the source is polled from now on where this response came from.
    pub(super) settles: bool,
}

impl Finished {
    /// The result of a response whose body was not read yet.
    pub(super) fn of(response: &Response, asked: String) -> Self {
        Self {
            outcome: Outcome::Unchanged,
            head: Some(Head::from(response)),
            document: None,
            repairs: Vec::new(),
            left_out: Vec::new(),
            asked,
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

    /// The result of a poll without a response.
    pub(super) fn failed(
        asked: String,
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
            asked,
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

    /// Adds what was read from a feed.
    pub(super) fn take(mut self, feed: ReadFeed) -> Self {
        self.document = Some((feed.entries, feed.document));
        self.repairs = feed.repairs;
        self
    }

    /// The result if the document could not be read. Without its items the response must not count
    /// as read.
    pub(super) fn unreadable(mut self) -> Self {
        let message = "the document could not be read (this is a bug)".to_owned();
        self.outcome = Outcome::Failed { kind: ErrorKind::Permanent, message };
        self
    }
}
