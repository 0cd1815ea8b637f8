//! What newsfed learns from a poll about its source: validators, moves, the next poll. Does no I/O.

use super::planner::Planner;
use super::setup::begin;
use crate::model::{
    DecidingSignal, FeedHints, MoveCandidate, Outcome, PageHints, SourceFacts, Time, Validators,
};
use crate::net::Response;
use crate::schedule::{self, Clues, Memory, ResponseFacts, ResponseKind};
use crate::store::Ingested;
use crate::website::signal::{Evidence, HeaderFacts, next_visit};
use chrono::TimeDelta;
use std::time::Duration;

/// Number of polls after which a permanent redirect to a target without known items is trusted.
const MOVE_POLLS: u32 = 3;
/// Minimum time that these polls must span, because a captive portal redirects everything until the user logs
/// in.
const MOVE_TIME: TimeDelta = TimeDelta::days(1);
/// If a server always responds with 304, the full document is requested again after this time.
const FULL_EVERY: TimeDelta = TimeDelta::days(8);

/// Everything that is known when a poll ends, except what the store finds out.
pub(super) struct Verdict {
    pub(super) started: Time,
    pub(super) now: Time,
    /// The URL that was fetched.
    pub(super) requested: String,
    pub(super) outcome: Outcome,
    /// The head of the response, if there was one.
    pub(super) response: Option<Head>,
    /// The facts of the document, if anything was new.
    pub(super) document: Option<DocumentFacts>,
    /// Whether this machine or its network caused the failure, which then does not count for the source.
    pub(super) offline: bool,
    /// Whether the source is polled from now on at the URL that sent the response.
    pub(super) settles: bool,
    /// Whether the poll was automatic.
    pub(super) automatic: bool,
    pub(super) planner: Planner,
}

/// The part of a response that is kept after its body.
#[derive(Debug, Clone)]
pub(super) struct Head {
    pub(super) status: u16,
    pub(super) final_url: String,
    pub(super) moved_for_good: bool,
    pub(super) validators: Validators,
    pub(super) cache: crate::net::Freshness,
    /// `crawl-delay` of the robots.txt that was obeyed; zero without one.
    pub(super) crawl_delay: Duration,
}

impl From<&Response> for Head {
    fn from(r: &Response) -> Self {
        Self {
            status: r.status,
            final_url: r.final_url.to_string(),
            moved_for_good: r.moved_for_good(),
            validators: r.validators.clone(),
            cache: r.cache.clone(),
            crawl_delay: r.crawl_delay,
        }
    }
}

/// What a document states about its source.
pub(super) struct DocumentFacts {
    pub(super) title: Option<String>,
    pub(super) home_url: Option<String>,
    pub(super) hints: FeedHints,
    pub(super) hash: [u8; 32],
}

/// The validators to send: none if a full response is overdue.
pub(super) fn validators_to_send(facts: &SourceFacts, now: Time) -> Validators {
    let stale = facts.last_full.is_some_and(|t| now - t >= FULL_EVERY);
    if stale && facts.pause.is_none() { Validators::default() } else { facts.validators.clone() }
}

impl Verdict {
    /// Updates the facts inside the transaction that stores the items.
    pub(super) fn apply(&self, facts: &mut SourceFacts, ingested: &Ingested) {
        // The earlier of the two times, because the clock may have been set back during the poll.
        facts.last_poll = Some(self.started.min(self.now));
        let failed = matches!(self.outcome, Outcome::Failed { .. });
        if let Some(head) = self.response.as_ref().filter(|_| !failed) {
            self.adopt_validators(facts, head);
            self.follow_move(facts, head, ingested);
            facts.last_ok = Some(self.now);
        }
        match (failed, self.offline) {
            (false, _) => facts.fail_count = 0,
            (true, false) => facts.fail_count = facts.fail_count.saturating_add(1),
            (true, true) => {}
        }
        self.plan_next(facts, ingested);
        if let Some(document) = &self.document {
            facts.feed_title = document.title.clone().or(facts.feed_title.take());
            facts.home_url = document.home_url.clone().or(facts.home_url.take());
            facts.body_hash = Some(document.hash);
        }
    }

    /// A full response replaces both validators, and a missing one is removed; a 304 can only
    /// renew them.
    fn adopt_validators(&self, facts: &mut SourceFacts, head: &Head) {
        let sent = &head.validators;
        if head.status == 304 {
            if sent.etag.is_some() {
                facts.validators.etag.clone_from(&sent.etag);
            }
            if sent.last_modified.is_some() {
                facts.validators.last_modified.clone_from(&sent.last_modified);
            }
        } else {
            facts.validators = sent.clone();
            facts.validators_of = Some(head.final_url.clone());
            facts.last_full = Some(self.now);
        }
    }

    /// Permanent redirects are stored immediately in a source's first successful poll or if the target
    /// contains a known item, otherwise after several polls.
    fn follow_move(&self, facts: &mut SourceFacts, head: &Head, ingested: &Ingested) {
        if self.settles {
            facts.moved_to = Some(head.final_url.clone());
            return;
        }
        let refused = facts.move_refused.as_deref() == Some(&head.final_url);
        if !head.moved_for_good || refused || head.final_url == self.requested {
            facts.move_candidate = None;
            return;
        }
        let candidate = match facts.move_candidate.take() {
            Some(c) if c.url == head.final_url => MoveCandidate { seen: c.seen + 1, ..c },
            _ => MoveCandidate { url: head.final_url.clone(), since: self.started, seen: 1 },
        };
        let first_poll = facts.last_ok.is_none();
        // The items are tested only in the first of these polls: later, the known items may come from the
        // target itself.
        let same_feed = candidate.seen == 1
            && (ingested.known > 0 || head.status == 304 || self.same_body(facts));
        let patient = candidate.seen >= MOVE_POLLS && self.started - candidate.since >= MOVE_TIME;
        if first_poll || same_feed || patient {
            tracing::info!(source = %facts.id, to = candidate.url, "moved permanently");
            facts.moved_to = Some(candidate.url);
        } else {
            facts.move_candidate = Some(candidate);
        }
    }

    fn same_body(&self, facts: &SourceFacts) -> bool {
        self.document.is_none() && facts.body_hash.is_some()
    }

    fn plan_next(&self, facts: &mut SourceFacts, ingested: &Ingested) {
        if let Some(document) = &self.document {
            facts.hints = document.hints.clone();
        }
        let response = self.response();
        // A full response replaces the freshness stated by an earlier one; a 304 or a failure does not.
        let is_whole = self.response.as_ref().is_some_and(|head| head.status != 304);
        if let Some(planned) = facts.planned.as_mut().filter(|_| is_whole && facts.fail_count == 0)
        {
            planned.fresh_for = None;
        }
        let said = self.signal(&response, facts.website.hints, None);
        let memory = self.updated_memory(facts, ingested, &response, said.as_ref());
        facts.schedule = memory.save();
        // The hints of a site count until its own rate is known.
        let signal = match memory.learned().gap(self.now) {
            Some(gap) => self.signal(&response, PageHints::default(), Some(gap)),
            None => said,
        };
        self.planner.plan(facts, &memory, response, signal, self.now);
    }

    /// The signal that determines when the pages of a site should be polled again: the cheapest
    /// conclusive one. `interval` is how often the site is known to change. For feeds, the headers are the
    /// signal.
    fn signal(
        &self,
        response: &ResponseFacts,
        hints: PageHints,
        interval: Option<Duration>,
    ) -> Option<DecidingSignal> {
        let head = self.response.as_ref().filter(|_| response.kind == ResponseKind::Ok)?;
        let headers = Some(HeaderFacts {
            fresh_for: head.cache.max_age.or(head.cache.expires),
            no_cache: head.cache.no_cache,
            no_store: head.cache.no_store,
        });
        let evidence = Evidence { headers, hints, interval };
        let site = self.planner.source.kind().reads_pages();
        site.then(|| next_visit(&self.planner.source.url, &evidence, self.now))
    }

    /// The state of the schedule after this poll. A failed poll shows nothing about what the source
    /// publishes.
    fn updated_memory(
        &self,
        facts: &SourceFacts,
        ingested: &Ingested,
        response: &ResponseFacts,
        said: Option<&DecidingSignal>,
    ) -> Memory {
        let mut setup = self.planner.setup(facts);
        if !schedule::is_learned(&facts.schedule) {
            let hint = said.filter(|signal| signal.name.is_hint());
            let hint = hint.map(|signal| Duration::from_secs(signal.after));
            let clues = Clues {
                url: &facts.url,
                items: &ingested.new,
                changes: facts.website.hints.changes,
                update_period: facts.hints.update_period,
                max_age: response.max_age.or(response.expires),
                page: hint,
            };
            begin(&mut setup, &clues, self.now);
        }
        let mut memory = Memory::load(&facts.schedule, setup);
        if facts.fail_count == 0 && response.kind == ResponseKind::Ok {
            match self.is_early(facts) {
                true => memory.observe_early(&ingested.new, self.now),
                false => memory.observe(&ingested.new, self.now),
            }
            let entries = ingested.new.len().saturating_add(ingested.known as usize);
            if entries > 0 {
                memory.set_window(u32::try_from(entries).unwrap_or(u32::MAX));
            }
        }
        if self.automatic {
            memory.count_poll(self.now);
        }
        memory
    }

    /// Whether the user refreshed in the first half of the time that the policy wanted to wait.
    fn is_early(&self, facts: &SourceFacts) -> bool {
        let planned = facts.planned.as_ref().filter(|_| !self.automatic);
        planned.is_some_and(|p| self.started - p.at < (p.wanted - p.at) / 2)
    }

    fn response(&self) -> ResponseFacts {
        let failed = matches!(self.outcome, Outcome::Failed { .. });
        let Some(Head { status, cache, crawl_delay, .. }) = &self.response else {
            let kind = if self.offline { ResponseKind::Offline } else { ResponseKind::Failed };
            return ResponseFacts { kind, ..ResponseFacts::default() };
        };
        let kind = match ResponseKind::of_status(*status) {
            // A response that is not a feed is a failure, whatever its status.
            ResponseKind::Ok if failed => ResponseKind::Failed,
            kind => kind,
        };
        let uncached = cache.no_cache || cache.no_store;
        ResponseFacts {
            kind,
            retry_after: cache.retry_after,
            max_age: if uncached { Some(Duration::ZERO) } else { cache.max_age },
            expires: cache.expires,
            crawl_delay: Some(*crawl_delay).filter(|delay| !delay.is_zero()),
            site_hint: None,
        }
    }
}
