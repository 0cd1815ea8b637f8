//! Reads the stored items of a site again, with its current selectors.

use super::gathering::Gathering;
use super::{PageFetcher, Prefetched, Visit};
use crate::engine::context::Context;
use crate::engine::fulltext;
use crate::engine::handle::Handle;
use crate::engine::message::{Pace, Refreshed};
use crate::engine::queue::Job;
use crate::model::{
    Entry, LeftOut, LeftOutReason, Outcome, Pause, PauseReason, Source, SourceKind,
};
use crate::net::FetchError;
use crate::store::{StoreError, prepare};
use crate::util::url::normalise;
use crate::util::{text, time_text};
use std::sync::Arc;
use url::Url;

/// The result of reading the items of a source again.
#[derive(Debug, Clone, Default, PartialEq, Eq, serde::Serialize)]
pub struct Reread {
    /// Items whose pages were read.
    pub read: u32,
    /// Items whose title, text, date or author is now different.
    pub changed: u32,
    /// Items that were not changed because their page cannot be used, with the reasons.
    pub left_out: Vec<LeftOut>,
    /// Why it ended early.
    pub stopped: Option<String>,
}

impl Handle {
    /// Reads the newest `limit` items of a site (row key of the source) again, with the current selectors of
    /// the source. Marks and versions are kept.
    ///
    /// # Errors
    /// If the database cannot be read or written.
    pub async fn reread(&self, key: i64, limit: usize) -> Result<Reread, StoreError> {
        self.context.store.writable()?;
        let Some(source) = self.context.source(key) else { return Ok(Reread::default()) };
        if source.kind() == SourceKind::Entries {
            return self.reread_entries(key).await;
        }
        let done = reread(&self.context, source, key, limit).await?;
        // The next poll retries what earlier ones left out.
        self.context.store.clear_refused(key, self.context.clock.now()).await?;
        self.context.store.change_facts(key, |facts| facts.website.unfinished = true).await?;
        Ok(done)
    }
}

impl Handle {
    /// Reads the entries of a page again by polling it.
    async fn reread_entries(&self, key: i64) -> Result<Reread, StoreError> {
        self.context.store.change_facts(key, |facts| facts.website.unfinished = true).await?;
        let mut reports = self.refresh(Some(vec![key]), Pace::Manual).await;
        let Some(report) = reports.recv().await else {
            let why = "another newsfed process is polling the sources".to_owned();
            return Ok(Reread { stopped: Some(why), ..Reread::default() });
        };
        let left_out = report.left_out;
        let now = self.context.clock.now();
        Ok(match report.result {
            Refreshed::Polled(Outcome::Fetched { updated, entries, .. }) => {
                Reread { read: entries, changed: updated, left_out, stopped: None }
            }
            Refreshed::Polled(Outcome::Failed { message: why, .. }) | Refreshed::Lost(why) => {
                Reread { left_out, stopped: Some(why), ..Reread::default() }
            }
            Refreshed::Skipped(pause) => {
                Reread { stopped: Some(time_text::pause(&pause, now)), ..Reread::default() }
            }
            Refreshed::Disabled => {
                let why = "the source is disabled".to_owned();
                Reread { stopped: Some(why), ..Reread::default() }
            }
            Refreshed::Polled(Outcome::Unchanged) | Refreshed::NotDue(_) => {
                Reread { left_out, ..Reread::default() }
            }
        })
    }
}

/// Reads the newest `limit` items of a source (row key) again.
async fn reread(
    context: &Arc<Context>,
    source: Arc<Source>,
    key: i64,
    limit: usize,
) -> Result<Reread, StoreError> {
    let mut done = Reread::default();
    let Some(rules) = source.rules.pages().cloned() else { return Ok(done) };
    let read = context.read(move |reader| Ok((reader.source(key)?, reader.addresses(key, limit)?)));
    let (Some(facts), urls) = read.await? else { return Ok(done) };
    let job = Job { key, source, pace: Pace::Manual, report: None };
    let mut visit = Visit {
        context,
        job: &job,
        facts: &facts,
        started: context.clock.now(),
        fetcher: PageFetcher::new(context, &job.source, false),
        sent: 0,
        prefetched: Prefetched::new(),
        hash: [0; 32],
        hashing: context.store.hashing().await?,
    };
    let now = visit.started;
    if let Some(pause) = facts.pause.filter(|pause| pause.until > now) {
        done.stopped = Some(time_text::pause(&pause, now));
        return Ok(done);
    }
    if let Some(until) = fulltext::paused_until(context, &job.source.url, now).await {
        let pause = Pause { until, reason: PauseReason::HostPaused };
        done.stopped = Some(time_text::pause(&pause, now));
        return Ok(done);
    }
    let publisher = visit.publisher(None);
    let mut gathering = Gathering::after(&facts.website);
    for url in urls.iter().filter_map(|url| Url::parse(url).ok()) {
        match visit.fetcher.page(url.clone()).await {
            // A page at a different URL has a different text.
            Ok(response) if normalise(&response.final_url) != normalise(&url) => {
                gathering.leave_out(LeftOutReason::Missing, &url);
            }
            Ok(response) if visit.is_file(&response) => {
                done.read += 1;
                if let Err(why) = visit.full_text(&url, response).await {
                    tracing::warn!("cannot store the changes to {url}: {why}");
                }
            }
            Ok(response) if response.is_success() => {
                let page = response.clone();
                let read =
                    visit.take(url.clone(), response, &rules, &publisher, &mut gathering).await;
                let Some(entry) = read else { continue };
                done.read += 1;
                // Parts that the selectors no longer find are kept.
                if gathering.untitled + gathering.empty > 0 {
                    (gathering.untitled, gathering.empty) = (0, 0);
                    gathering.leave_out(LeftOutReason::NotSelected, &url);
                    continue;
                }
                let Ok(Some(item)) = visit.item(&url).await else { continue };
                // A date in the future was replaced by the current time, which is not a publication date.
                let published = entry.published.filter(|at| *at < visit.started);
                let entry = Entry { url: Some(url.to_string()), published, ..entry };
                let hashing = visit.hashing;
                let prepared = context.work(move || prepare(vec![entry], &hashing)).await;
                let prepared = prepared.and_then(|mut all| all.pop()).ok_or(StoreError::Closed)?;
                let changed = context.store.replace_article(item, prepared, visit.started).await?;
                done.changed += u32::from(changed);
                if let Err(why) = visit.full_text(&url, page).await {
                    tracing::warn!("cannot store the text of {url}: {why}");
                }
            }
            Ok(response) if response.status == 429 => {
                done.stopped = Some("the server asked for fewer requests (HTTP 429)".to_owned());
                break;
            }
            Ok(_) => gathering.leave_out(LeftOutReason::Missing, &url),
            Err(e @ FetchError::Paused { .. }) => {
                done.stopped = Some(text::line(&e.to_string()));
                break;
            }
            Err(FetchError::Robots { .. }) => gathering.leave_out(LeftOutReason::Robots, &url),
            Err(_) => gathering.leave_out(LeftOutReason::Unreachable, &url),
        }
    }
    let offsets = gathering.offsets;
    context
        .store
        .change_facts(key, move |facts| facts.website.offsets.clone_from(&offsets))
        .await?;
    done.left_out = gathering.left_out;
    Ok(done)
}
