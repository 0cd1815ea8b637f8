//! One look at one source: ask, read, store.

use super::context::{Context, Reach};
use super::message::{Pace, Refreshed};
use super::queue::Job;
use super::site::{PageFetcher, Prefetched, SiteEnd, Visit, sent};
use super::verdict::{DocumentFacts, Head, Verdict, validators_to_send};
use crate::feed::{self, ParsedFeed};
use crate::model::{
    ErrorKind, Outcome, Pause, PauseReason, PollRecord, SourceFacts, SourceKind, Time,
};
use crate::net::{self, FetchError, Purpose, Response, Share};
use crate::schedule::{limits::OFFLINE, skipped_until};
use crate::store::{FinishedPoll, Prepared, StoreError, prepare};
use crate::util::text;
use crate::website;
use sha2::{Digest, Sha256};
use std::sync::Arc;
use std::time::Duration;
use url::Url;

/// Takes one poll and stores what came of it.
pub(super) async fn poll(context: &Arc<Context>, job: &Job) -> Result<Refreshed, StoreError> {
    let key = job.key;
    let Some(mut facts) = context.read(move |reader| reader.source(key)).await? else {
        return Ok(Refreshed::Lost("the source is no longer there".to_owned()));
    };
    if let Some(rules) = &job.source.website {
        facts.website = facts.website.under(rules);
    }
    // It may have been taken out or changed while the poll waited for its turn.
    if !declared_as(context, job) {
        return Ok(Refreshed::Lost("the source is no longer declared like that".to_owned()));
    }
    let now = context.clock.now();
    let binds = |reason: PauseReason| match job.pace {
        Pace::Due => true,
        Pace::Manual => reason.binds_manual(),
        Pace::Force => false,
    };
    if let Some(at) = facts.next_poll.filter(|at| *at > now && job.pace == Pace::Due) {
        return Ok(Refreshed::NotDue(at));
    }
    if let Some(pause) = facts.pause.filter(|h| h.until > now && binds(h.reason)) {
        return Ok(Refreshed::Left(pause));
    }
    if let Some(until) = skipped_until(&facts.hints, now).filter(|_| job.pace == Pace::Manual) {
        return Ok(Refreshed::Left(Pause { until, reason: PauseReason::SkipWindow }));
    }
    if let Some(end) = peak_hours_end(job, now) {
        context.store.change_facts(key, move |facts| facts.next_poll = Some(end)).await?;
        return Ok(Refreshed::NotDue(end));
    }
    let mut fetcher = PageFetcher::new(context, &job.source, job.pace == Pace::Force);
    let answer = ask(context, job, &facts, now, &mut fetcher).await;
    if let Err(FetchError::Paused { until, .. }) = answer {
        // Nothing was asked: the host wants to be left alone, not this source in particular.
        let pause = Pause { until, reason: PauseReason::HostPaused };
        context.store.pause(vec![key], pause).await?;
        return Ok(Refreshed::Left(pause));
    }
    let started = Started { context, job, facts: &facts, at: now };
    let finished = read(&started, fetcher, answer).await;
    if !declared_as(context, job) {
        return Ok(Refreshed::Lost("the source was taken out meanwhile".to_owned()));
    }
    store(context, job, now, finished).await
}

/// Whether the source is still declared with the address that the job was made for.
fn declared_as(context: &Context, job: &Job) -> bool {
    context.source(job.key).is_some_and(|source| source.url == job.source.url)
}

/// The address that is asked: where a permanent redirect leads, else the declared one.
pub(super) fn address(declared: &Url, facts: &SourceFacts) -> Url {
    facts.moved_to.as_deref().and_then(|u| Url::parse(u).ok()).unwrap_or_else(|| declared.clone())
}

/// When the hours end in which the user wants the site to be left alone; a refresh by hand does
/// not wait for that.
fn peak_hours_end(job: &Job, now: Time) -> Option<Time> {
    let hours = job.source.website.as_ref()?.peak_hours.filter(|_| job.pace == Pace::Due)?;
    website::peak_end(hours, now, &chrono::Local)
}

async fn ask(
    context: &Context,
    job: &Job,
    facts: &SourceFacts,
    now: Time,
    fetcher: &mut PageFetcher<'_>,
) -> Result<Response, FetchError> {
    let request = net::Request {
        declared: Some(job.source.url.clone()),
        validators: validators_to_send(facts, now),
        validators_of: facts.validators_of.as_deref().and_then(|u| Url::parse(u).ok()),
        access: job.source.access.clone(),
        allow_private: true,
        force: job.pace == Pace::Force,
        ..net::Request::feed(address(&job.source.url, facts))
    };
    match job.source.kind {
        SourceKind::Feed => context.client.fetch(request).await,
        // Something was left behind: the page is needed although it has not changed.
        _ if facts.website.unfinished => {
            Box::pin(fetcher.page(address(&job.source.url, facts))).await
        }
        _ => Box::pin(fetcher.ask(net::Request { purpose: Purpose::Page, ..request })).await,
    }
}

/// A look that is over, before it is stored.
pub(super) struct Finished {
    pub(super) outcome: Outcome,
    pub(super) head: Option<Head>,
    pub(super) document: Option<(Vec<Prepared>, DocumentFacts)>,
    pub(super) repairs: Vec<String>,
    pub(super) asked: String,
    pub(super) requests: u32,
    pub(super) wire_bytes: u64,
    pub(super) elapsed: Duration,
    pub(super) offline: bool,
    /// What was read keeps its room until it is stored.
    pub(super) room: Option<Share>,
    /// Of a website or sitemap that was read.
    pub(super) site: Option<SiteEnd>,
}

/// A look that has asked.
pub(super) struct Started<'a> {
    pub(super) context: &'a Arc<Context>,
    pub(super) job: &'a Job,
    pub(super) facts: &'a SourceFacts,
    pub(super) at: Time,
}

async fn read(
    started: &Started<'_>,
    fetcher: PageFetcher<'_>,
    answer: Result<Response, FetchError>,
) -> Finished {
    let Started { context, job, facts, at: now } = *started;
    let asked = address(&job.source.url, facts);
    let offline = match &answer {
        // A source that was failing before says nothing about the network.
        Err(e) if e.is_offline() && facts.fail_count > 0 => context.network.is_offline(),
        Err(e) if e.is_offline() => lost(context, net::host_key(&asked), job.key).await,
        // A password that is missing, say: no word was said to the network.
        Err(e) if e.kind() == ErrorKind::User => context.network.is_offline(),
        _ => {
            reached(context).await;
            false
        }
    };
    let asked = asked.to_string();
    let requests = sent(&answer).max(fetcher.sent);
    match answer {
        Ok(response) => {
            let finished = Finished { requests, ..Finished::of(&response, asked) };
            read_answer(started, fetcher, finished, response, Prefetched::new()).await
        }
        Err(e) => Finished {
            outcome: Outcome::Failed { kind: e.kind(), message: text::line(&e.to_string()) },
            head: None,
            document: None,
            repairs: Vec::new(),
            asked,
            requests,
            wire_bytes: 0,
            elapsed: (context.clock.now() - now).to_std().unwrap_or_default(),
            offline,
            room: None,
            site: None,
        },
    }
}

/// Notes that the network is there. Sources that were forgiven for a lost one although it was there
/// all the time have failed after all.
pub(super) async fn reached(context: &Context) {
    for key in context.network.reached(context.clock.now()) {
        amend(context, key, |facts| facts.fail_count += 1).await;
    }
}

/// Notes that a host cannot be reached; tells whether the network is gone. When that turns out only
/// now, the sources that were taken for failing before are forgiven and looked at again as soon.
async fn lost(context: &Arc<Context>, host: String, key: i64) -> bool {
    let earlier = match context.network.unreachable(host, key, context.hosts(), context.clock.now())
    {
        Reach::Online => return false,
        Reach::Offline => return true,
        Reach::Lost(earlier) => earlier,
    };
    for key in earlier {
        let next = context.clock.now() + OFFLINE;
        let forgive = move |facts: &mut SourceFacts| {
            facts.fail_count = facts.fail_count.saturating_sub(1);
            facts.next_poll = facts.next_poll.map(|at| at.min(next));
        };
        amend(context, key, forgive).await;
    }
    true
}

/// Corrects what an earlier poll made of a source.
async fn amend(
    context: &Context,
    key: i64,
    change: impl FnOnce(&mut SourceFacts) + Send + 'static,
) {
    if let Err(e) = context.store.change_facts(key, change).await {
        tracing::error!("correcting what is known of a source: {e}");
    }
}

pub(super) async fn read_answer(
    started: &Started<'_>,
    fetcher: PageFetcher<'_>,
    mut finished: Finished,
    response: Response,
    prefetched: Prefetched,
) -> Finished {
    let Started { context, job, facts, at } = *started;
    if response.status == 304 {
        return finished;
    }
    if !response.is_success() {
        finished.outcome = refusal(&response);
        return finished;
    }
    let hash: [u8; 32] = Sha256::digest(&response.body).into();
    if facts.body_hash == Some(hash) && !facts.website.unfinished {
        return finished;
    }
    if job.source.kind != SourceKind::Feed {
        let visit = Visit { context, job, facts, started: at, fetcher, prefetched };
        // Boxed like the other branches for sites: hundreds of looks at feeds need no room for it.
        return Box::pin(visit.read(finished, response, hash)).await;
    }
    finished.room = response.room.clone();
    match context.parse(response).await {
        Ok(feed) => finished.take(context, feed, hash).await,
        Err(message) => {
            finished.outcome = Outcome::Failed { kind: ErrorKind::Permanent, message };
            finished
        }
    }
}

impl Finished {
    /// An answer of which nothing has been read yet.
    pub(super) fn of(response: &Response, asked: String) -> Self {
        Self {
            outcome: Outcome::Unchanged,
            head: Some(Head::from(response)),
            document: None,
            repairs: Vec::new(),
            asked,
            requests: 1 + u32::try_from(response.hops.len()).unwrap_or(u32::MAX - 1),
            wire_bytes: response.wire_bytes,
            elapsed: response.elapsed,
            offline: false,
            room: None,
            site: None,
        }
    }

    /// Takes over a feed that was read.
    pub(super) async fn take(
        mut self,
        context: &Context,
        feed: ParsedFeed,
        hash: [u8; 32],
    ) -> Self {
        let ParsedFeed { title, home_url, hints, entries, repairs, .. } = feed;
        let document = DocumentFacts { title, home_url, hints, hash };
        // Hashing a long feed takes milliseconds, which the runtime's threads are not for.
        let prepared = context.work(move || prepare(entries)).await;
        match prepared {
            Some(entries) => self.document = Some((entries, document)),
            // Without its items the answer must not count as read.
            None => {
                let message = "the document could not be read (this is a bug)".to_owned();
                self.outcome = Outcome::Failed { kind: ErrorKind::Permanent, message };
            }
        }
        self.repairs = repairs;
        self
    }
}

/// A status that is no feed, in plain words.
fn refusal(response: &Response) -> Outcome {
    let host = response.final_url.host_str().unwrap_or("the server");
    let (kind, what) = match response.status {
        401 | 407 => (ErrorKind::User, "asks for a user name and password"),
        403 => (ErrorKind::Permanent, "refuses access"),
        404 => (ErrorKind::Permanent, "has nothing at this address"),
        410 => (ErrorKind::Permanent, "says that this feed is gone for good"),
        429 => (ErrorKind::Politeness, "asks to be left alone for a while"),
        503 => (ErrorKind::Politeness, "is unavailable for now"),
        500..600 => (ErrorKind::Transient, "has a fault"),
        _ => (ErrorKind::Permanent, "gives an unexpected answer"),
    };
    Outcome::Failed { kind, message: format!("{host} {what} (HTTP {})", response.status) }
}

/// Stores the end of a poll, and holds back the other sources of a host that wants it.
pub(super) async fn store(
    context: &Arc<Context>,
    job: &Job,
    started: Time,
    finished: Finished,
) -> Result<Refreshed, StoreError> {
    let Finished { outcome, head, document, repairs, asked, wire_bytes, elapsed, offline, .. } =
        finished;
    let requests = finished.requests;
    let (room, mut site) = (finished.room, finished.site);
    let record = PollRecord {
        at: started,
        status: head.as_ref().map(|h| h.status),
        millis: u32::try_from(elapsed.as_millis()).unwrap_or(u32::MAX),
        requests,
        bytes: wire_bytes,
        outcome: outcome.clone(),
        repairs,
    };
    let limiting = head.as_ref().filter(|h| matches!(h.status, 429 | 503));
    let limiting = limiting.and_then(|h| Url::parse(&h.final_url).ok());
    let (entries, document) = match document {
        Some((entries, document)) => (Some(entries), Some(document)),
        None => (None, site.as_mut().and_then(|site| site.document.take())),
    };
    let verdict = Verdict {
        started,
        now: context.clock.now(),
        asked,
        outcome,
        response: head,
        document,
        offline,
        source: job.source.clone(),
        settings: context.settings().schedule.clone(),
        price: context.price(),
        automatic: job.pace == Pace::Due,
        east: context.east(),
        seed: context.seed(),
    };
    let left_host = site.as_ref().is_some_and(|site| site.left_host);
    let (pages, site) = site.map(|site| (site.pages, site.facts)).unzip();
    let poll = FinishedPoll {
        source: job.key,
        automatic: job.pace == Pace::Due,
        entries,
        pages,
        record,
        finish: Box::new(move |facts, ingested| {
            if let Some(site) = site {
                facts.website = site;
            }
            verdict.apply(facts, ingested);
        }),
    };
    let stored = context.store.store_poll(poll).await?;
    drop(room);
    if let Some(answered) = limiting {
        pause_host(context, Some(job.key), &answered).await?;
    }
    if left_host {
        let answered = &job.source.url;
        // What came before was good, so the verdict knows of no pause.
        if let Some(until) = context.client.paused_until(answered) {
            let pause = Pause { until, reason: PauseReason::RetryAfter };
            context.store.pause(vec![job.key], pause).await?;
        }
        pause_host(context, Some(job.key), answered).await?;
    }
    Ok(match stored {
        Some((_, outcome)) => Refreshed::Polled(outcome),
        None => Refreshed::Lost("the source is no longer there".to_owned()),
    })
}

/// A pause is meant for the whole host that asked for it: all other sources that are asked there
/// wait as long, also after a restart.
pub(super) async fn pause_host(
    context: &Arc<Context>,
    request_options: Option<i64>,
    answered: &Url,
) -> Result<(), StoreError> {
    let Some(until) = context.client.paused_until(answered) else { return Ok(()) };
    let host = net::host_key(answered);
    let all = context.read(|reader| reader.sources()).await?;
    let polled_there = |facts: &SourceFacts| {
        let address = facts.moved_to.as_deref().unwrap_or(&facts.url);
        Url::parse(address).is_ok_and(|url| net::host_key(&url) == host)
    };
    let others: Vec<i64> = all
        .iter()
        .filter(|f| Some(f.key) != request_options && polled_there(f))
        .map(|f| f.key)
        .collect();
    if others.is_empty() {
        return Ok(());
    }
    let count = others.len();
    tracing::info!("{host} wants a pause until {until}; {count} other sources wait too");
    context.store.pause(others, Pause { until, reason: PauseReason::HostPaused }).await
}

/// Reads a feed off the runtime's threads.
pub(super) fn parse(response: &Response) -> Result<ParsedFeed, String> {
    let mut feed = feed::parse(&response.body, response.content_type(), Some(&response.final_url))
        .map_err(|e| text::line(&e.to_string()))?;
    feed.repairs.extend(other_type(response.content_type()));
    Ok(feed)
}

/// What is to be said of the media type under which a feed came, where it is none of feeds.
fn other_type(content_type: Option<&str>) -> Option<String> {
    let named = content_type?.split(';').next()?.trim().to_ascii_lowercase();
    let fits = named.is_empty() || ["xml", "json", "rss", "atom"].iter().any(|w| named.contains(w));
    (!fits).then(|| format!("a feed that was sent as {}", text::truncate(&text::line(&named), 60)))
}
