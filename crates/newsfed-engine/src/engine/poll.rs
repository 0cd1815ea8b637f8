//! One poll of one source: fetch, parse, store.

use super::context::Context;
pub(super) use super::finished::Finished;
use super::lists;
use super::local;
use super::message::{Pace, Refreshed};
use super::network::{lost, reached};
use super::planner::Planner;
use super::queue::Job;
use super::read_feed::read_feed;
use super::retry::sent;
use super::site::{PageFetcher, Prefetched, Visit};
use super::verdict::{Verdict, validators_to_send};
use crate::model::{
    ErrorKind, LeftOut, Outcome, Pause, PauseReason, PollRecord, SelectorProblem, Source,
    SourceFacts, SourceKind, SourceRules, Time, Validators,
};
use crate::net::{self, FetchError, Purpose, Response};
use crate::schedule::skipped_until;
use crate::store::{FinishedPoll, Hashing, StoreError};
use crate::util::{limits, text};
use std::sync::Arc;
use url::Url;

/// The result of a poll, as shown to the user.
pub(super) struct Polled {
    pub(super) result: Refreshed,
    pub(super) left_out: Vec<LeftOut>,
    /// See [`super::message::Report`].
    pub(super) problem: Option<SelectorProblem>,
}

impl From<Refreshed> for Polled {
    fn from(result: Refreshed) -> Self {
        Self { result, left_out: Vec::new(), problem: None }
    }
}

/// Polls a source and stores the result. If `recorded` is true, the poll is recorded before its first
/// request, so that a response that crashes the program is noticed.
pub(super) async fn poll(
    context: &Arc<Context>,
    job: &Job,
    recorded: bool,
) -> Result<Polled, StoreError> {
    let key = job.key;
    // The source may have been removed or changed while the poll waited for its turn.
    let Some(source) = declared_as(context, job) else {
        return Ok(Refreshed::Lost(
            "the source was removed, or its URL was changed, before the check".to_owned(),
        )
        .into());
    };
    let job = &Job { source, ..job.clone() };
    let (now, pace) = (context.clock.now(), job.pace);
    let facts = if recorded {
        let begins = move |facts: &SourceFacts| refused(pace, facts, now).is_none();
        context.store.begin_poll(key, now, begins).await?
    } else {
        context.read(move |reader| reader.source(key)).await?
    };
    let Some(mut facts) = facts else {
        return Ok(Refreshed::Lost("the source no longer exists".to_owned()).into());
    };
    if let Some(refused) = refused(pace, &facts, now) {
        return Ok(refused.into());
    }
    let rules_before = facts.website.rules;
    match job.source.rules.pages() {
        Some(rules) => facts.website = facts.website.under(rules),
        None => local::facts_under(&job.source.origin, &mut facts),
    }
    // Pages that the old selectors rejected may be articles according to the new ones.
    if facts.website.rules != rules_before || job.pace == Pace::Force {
        context.store.clear_refused(key, now).await?;
        // The list is read again even if it has not changed.
        facts.website.unfinished |= job.source.kind().reads_pages();
    }
    let hashing = context.store.hashing().await?;
    let mut fetcher = PageFetcher::new(context, &job.source, job.pace == Pace::Force);
    let started = Started { context, job, facts: &facts, at: now, hashing };
    // The steps are boxed, so that hundreds of polls that wait for their turn take little memory.
    let finished = if job.source.origin.is_local() {
        Box::pin(local::poll(&started, fetcher)).await
    } else {
        let (result, requests) =
            Box::pin(fetch_document(context, job, &facts, now, &mut fetcher)).await;
        if let Err(FetchError::Paused { until, .. }) = result {
            // No request was sent: the host is paused, not this source in particular.
            let pause = Pause { until, reason: PauseReason::HostPaused };
            context.store.pause(vec![key], pause).await?;
            context.store.clear_begun_poll(Some(key)).await?;
            return Ok(Refreshed::Skipped(pause).into());
        }
        Box::pin(read(&started, fetcher, (result, requests))).await
    };
    let Some(source) = declared_as(context, job) else {
        context.store.clear_begun_poll(Some(key)).await?;
        return Ok(Refreshed::Lost(
            "the source was removed, or its URL was changed, during the check".to_owned(),
        )
        .into());
    };
    // The next poll is planned with the current settings.
    Box::pin(store(context, &Job { source, ..job.clone() }, now, finished)).await
}

/// Why a source is not polled at `now`.
fn refused(pace: Pace, facts: &SourceFacts, now: Time) -> Option<Refreshed> {
    let binds = |reason: PauseReason| match pace {
        Pace::Due => true,
        Pace::Manual => reason.binds_manual(),
        Pace::Force => false,
    };
    if let Some(at) = facts.next_poll.filter(|at| *at > now && pace == Pace::Due) {
        return Some(Refreshed::NotDue(at));
    }
    if let Some(pause) = facts.pause.filter(|h| h.until > now && binds(h.reason)) {
        return Some(Refreshed::Skipped(pause));
    }
    let until = skipped_until(&facts.hints, now).filter(|_| pace == Pace::Manual)?;
    Some(Refreshed::Skipped(Pause { until, reason: PauseReason::SkipWindow }))
}

/// The source with its current settings, if it still has the URL that the job was created for.
fn declared_as(context: &Context, job: &Job) -> Option<Arc<Source>> {
    context.source(job.key).filter(|source| source.url == job.source.url)
}

/// The URL to fetch: the target of a permanent redirect, else the declared one.
pub(super) fn address(declared: &Url, facts: &SourceFacts) -> Url {
    facts.moved_to.as_deref().and_then(|u| Url::parse(u).ok()).unwrap_or_else(|| declared.clone())
}

async fn fetch_document(
    context: &Context,
    job: &Job,
    facts: &SourceFacts,
    now: Time,
    fetcher: &mut PageFetcher<'_>,
) -> (Result<Response, FetchError>, u32) {
    let request = net::Request {
        declared: Some(job.source.url.clone()),
        validators: validators_to_send(facts, now),
        validators_of: facts.validators_of.as_deref().and_then(|u| Url::parse(u).ok()),
        access: job.source.access.clone(),
        allow_private: net::allows_private(&job.source),
        force: job.pace == Pace::Force,
        ..net::Request::feed(address(&job.source.url, facts))
    };
    match &job.source.rules {
        SourceRules::Feed | SourceRules::List => {
            // Bytes beyond the size limit of feeds are not even read.
            let max_bytes = Some(limits::FEED_BYTES as u64);
            let request = net::Request { max_bytes, ..request };
            let result = context.client.fetch(request.clone()).await;
            let requests = sent(&result);
            if !is_unusable(&result, facts) {
                return (result, requests);
            }
            let request = net::Request { validators: Validators::default(), ..request };
            let result = context.client.fetch(request).await;
            let requests = requests + sent(&result);
            (result, requests)
        }
        SourceRules::Website(_)
        | SourceRules::Entries(_)
        | SourceRules::Page(_)
        | SourceRules::Sitemap(_)
        | SourceRules::Crawl(_) => {
            // After an unfinished poll the page is needed even if it has not changed.
            let request = if facts.website.unfinished {
                net::Request::page(request.url)
            } else {
                net::Request { purpose: Purpose::Page, ..request }
            };
            let mut result = Box::pin(fetcher.fetch(request.clone())).await;
            if is_unusable(&result, facts) {
                let request = net::Request { validators: Validators::default(), ..request };
                result = Box::pin(fetcher.fetch(request)).await;
            }
            (result, fetcher.sent)
        }
    }
}

/// Whether the server reports that nothing has changed, but the earlier response is not stored.
fn is_unusable(result: &Result<Response, FetchError>, facts: &SourceFacts) -> bool {
    result.as_ref().is_ok_and(|response| response.status == 304) && facts.body_hash.is_none()
}

/// A poll after its first request.
pub(super) struct Started<'a> {
    pub(super) context: &'a Arc<Context>,
    pub(super) job: &'a Job,
    pub(super) facts: &'a SourceFacts,
    pub(super) at: Time,
    pub(super) hashing: Hashing,
}

async fn read(
    started: &Started<'_>,
    fetcher: PageFetcher<'_>,
    (result, requests): (Result<Response, FetchError>, u32),
) -> Finished {
    let Started { context, job, facts, at: now, .. } = *started;
    let requested = address(&job.source.url, facts);
    let offline = match &result {
        Err(e) if e.is_local() => true,
        // A failure of a source that was failing before does not show that the connection is lost.
        Err(e) if e.is_offline() && facts.fail_count > 0 => context.network.is_offline(),
        Err(e) if e.is_offline() => lost(context, net::host_key(&requested), job.key).await,
        // An error before any request, such as a missing password, shows nothing about the network.
        Err(e) if e.kind() == ErrorKind::User => context.network.is_offline(),
        _ => {
            reached(context).await;
            false
        }
    };
    let requested = requested.to_string();
    match result {
        Ok(response) => {
            let finished = Finished { requests, ..Finished::of(&response, requested) };
            match local::filtered(context, &job.source, response, Some(facts)).await {
                Ok(response) => {
                    let read =
                        read_response(started, fetcher, finished, response, Prefetched::new());
                    let finished = read.await;
                    match finished.announced.is_empty() {
                        true => finished,
                        false => Box::pin(read_announced(started, finished)).await,
                    }
                }
                Err(e) => {
                    let outcome = Outcome::Failed { kind: e.kind, message: e.message };
                    Finished { outcome, ..finished }
                }
            }
        }
        Err(e) => {
            let elapsed = (context.clock.now() - now).to_std().unwrap_or_default();
            let message = failure_message(&e, &job.source);
            let failed = Finished::failed(requested, e.kind(), message, elapsed);
            Finished { requests, offline, ..failed }
        }
    }
}

/// At its first poll, an imported URL may turn out to be a page. Then the feed that the page announces is
/// read, and polled from then on.
async fn read_announced(started: &Started<'_>, mut page: Finished) -> Finished {
    let Started { context, job, facts, hashing, .. } = *started;
    let announced = std::mem::take(&mut page.announced);
    if facts.last_ok.is_some() || facts.moved_to.is_some() {
        return page;
    }
    page.memory = None;
    for url in announced {
        let request = net::Request {
            declared: Some(job.source.url.clone()),
            access: job.source.access.clone(),
            allow_private: net::allows_private(&job.source),
            force: job.pace == Pace::Force,
            max_bytes: Some(limits::FEED_BYTES as u64),
            ..net::Request::feed(url)
        };
        let result = context.client.fetch(request).await;
        page.requests = page.requests.saturating_add(sent(&result));
        let Ok(response) = result else { continue };
        page.wire_bytes = page.wire_bytes.saturating_add(response.wire_bytes);
        if !response.is_success() {
            continue;
        }
        let feed = Finished::of(&response, page.requested.clone());
        let feed = read_feed(context, feed, response, hashing, None).await;
        if !matches!(feed.outcome, Outcome::Failed { .. }) {
            let (requests, wire_bytes) = (page.requests, page.wire_bytes);
            return Finished { settles: true, requests, wire_bytes, ..feed };
        }
    }
    page
}

/// What failed, and what to do about it.
fn failure_message(error: &FetchError, source: &Source) -> String {
    match error {
        FetchError::PrivateName { host } => format!(
            "{host} resolves to a private address; if this is your own server, run \
             `newsfed sources edit {} --private on`",
            source.id
        ),
        error => text::line(&error.to_string()),
    }
}

pub(super) async fn read_response(
    started: &Started<'_>,
    fetcher: PageFetcher<'_>,
    mut finished: Finished,
    response: Response,
    prefetched: Prefetched,
) -> Finished {
    let Started { context, job, facts, .. } = *started;
    if response.status == 304 {
        if facts.body_hash.is_none() {
            let host = text::line(response.final_url.host_str().unwrap_or("the server"));
            let message = format!(
                "{host} reports that nothing has changed (HTTP 304), but nothing is stored yet"
            );
            finished.outcome = Outcome::Failed { kind: ErrorKind::Permanent, message };
        }
        if job.source.kind() == SourceKind::List {
            lists::unchanged(context, job.key).await;
        }
        return finished;
    }
    if !response.is_success() {
        let (kind, message) = response.refusal();
        finished.outcome = Outcome::Failed { kind, message };
        return finished;
    }
    // Most responses were handled above, and moving a large future takes time.
    Box::pin(read_document(started, fetcher, finished, response, prefetched)).await
}

/// Reads a response with a document.
async fn read_document(
    started: &Started<'_>,
    fetcher: PageFetcher<'_>,
    finished: Finished,
    response: Response,
    prefetched: Prefetched,
) -> Finished {
    let Started { context, job, facts, at, hashing } = *started;
    let read_before = facts.body_hash.filter(|_| !facts.website.unfinished);
    if let SourceRules::Feed = &job.source.rules {
        return read_feed(context, finished, response, hashing, read_before).await;
    }
    if let SourceRules::List = &job.source.rules {
        return lists::read(started, finished, response).await;
    }
    let (size, body) = (response.body.len(), response.body.clone());
    let hashed = move || {
        let hash = hashing.document(&body);
        (hash, hashing.is_same(read_before, hash, &body))
    };
    let Some((hash, same)) = context.read_document(size, hashed).await else {
        return finished.unreadable();
    };
    if same {
        return finished;
    }
    let sent = fetcher.sent;
    let visit =
        || Visit { context, job, facts, started: at, fetcher, sent, prefetched, hash, hashing };
    // The branches for sites are boxed, so that the futures of hundreds of feed polls stay small.
    match &job.source.rules {
        // Handled above.
        SourceRules::Feed | SourceRules::List => finished.unreadable(),
        SourceRules::Website(rules) => Box::pin(visit().website(rules, finished, response)).await,
        SourceRules::Entries(rules) => Box::pin(visit().entries(rules, finished, response)).await,
        SourceRules::Page(rules) => Box::pin(visit().page(rules, finished, response)).await,
        SourceRules::Sitemap(rules) => Box::pin(visit().sitemap(rules, finished, response)).await,
        SourceRules::Crawl(rules) => Box::pin(visit().crawl(rules, finished, response)).await,
    }
}

/// Stores a finished poll, and pauses the other sources of a rate-limited host.
pub(super) async fn store(
    context: &Arc<Context>,
    job: &Job,
    started: Time,
    finished: Finished,
) -> Result<Polled, StoreError> {
    let Finished { outcome, head, document, requested, wire_bytes, elapsed, offline, .. } =
        finished;
    let (repairs, left_out) = (finished.repairs, finished.left_out);
    let (requests, settles) = (finished.requests, finished.settles);
    let (memory, mut site) = (finished.memory, finished.site);
    let record = PollRecord {
        at: started,
        status: head.as_ref().map(|h| h.status),
        millis: u32::try_from(elapsed.as_millis()).unwrap_or(u32::MAX),
        requests,
        bytes: wire_bytes,
        outcome: outcome.clone(),
        repairs,
        left_out: left_out.clone(),
    };
    let limiting = head.as_ref().filter(|h| matches!(h.status, 403 | 429 | 503));
    let limiting = limiting.and_then(|h| Url::parse(&h.final_url).ok());
    let (entries, document) = match document {
        Some((entries, document)) => (Some(entries), Some(document)),
        None => (None, site.as_mut().and_then(|site| site.document.take())),
    };
    let document_is_read = document.is_some();
    let verdict = Verdict {
        started,
        now: context.clock.now(),
        requested,
        outcome,
        response: head,
        document,
        offline,
        automatic: job.pace == Pace::Due,
        settles,
        planner: Planner::of(context, job.source.clone()),
    };
    let is_host_paused = site.as_ref().is_some_and(|site| site.is_host_paused);
    let (pages, site) = site.map(|site| (site.pages, site.facts)).unzip();
    let problem = site.as_ref().and_then(|site| site.problem.clone());
    let filter = match job.source.kind() {
        SourceKind::Feed if document_is_read => Some(job.source.origin.filter_fingerprint()),
        _ => None,
    };
    let poll = FinishedPoll {
        source: job.key,
        automatic: job.pace == Pace::Due,
        entries,
        pages,
        record,
        finish: Box::new(move |facts, ingested| {
            if let Some(site) = &site {
                facts.website = site.clone();
            }
            if let Some(filter) = filter {
                facts.website.rules = filter;
            }
            verdict.apply(facts, ingested);
        }),
    };
    let stored = context.store.store_poll(poll).await?;
    drop(memory);
    if let Some(url) = limiting {
        pause_host(context, Some(job.key), &url).await?;
    }
    if is_host_paused {
        let url = &job.source.url;
        // The previous responses were good, so the verdict contains no pause.
        if let Some(until) = context.client.paused_until(url) {
            let pause = Pause { until, reason: PauseReason::RetryAfter };
            context.store.pause(vec![job.key], pause).await?;
        }
        pause_host(context, Some(job.key), url).await?;
    }
    let result = match stored {
        Some((ingested, outcome)) => {
            context.announcer.take(ingested.announcements);
            Refreshed::Polled(outcome)
        }
        None => Refreshed::Lost("the source no longer exists".to_owned()),
    };
    Ok(Polled { result, left_out, problem })
}

/// A pause applies to the whole host: all of its other sources wait equally long, even after a restart.
pub(super) async fn pause_host(
    context: &Arc<Context>,
    except: Option<i64>,
    url: &Url,
) -> Result<(), StoreError> {
    let Some(until) = context.client.paused_until(url) else { return Ok(()) };
    let host = net::host_key(url);
    let all = context.read(|reader| reader.sources()).await?;
    let polled_there = |facts: &SourceFacts| {
        let address = facts.moved_to.as_deref().unwrap_or(&facts.url);
        Url::parse(address).is_ok_and(|url| net::host_key(&url) == host)
    };
    let others: Vec<i64> =
        all.iter().filter(|f| Some(f.key) != except && polled_there(f)).map(|f| f.key).collect();
    if others.is_empty() {
        return Ok(());
    }
    let count = text::counted(others.len(), "other source");
    tracing::info!("{host} is paused until {until}, which also delays {count}");
    context.store.pause(others, Pause { until, reason: PauseReason::HostPaused }).await
}
