//! Crawls that run in the background of the interface, and the folders of earlier ones.

use super::overview::{MAX_GROUPS, describe};
use super::state::{CrawlPhase, CrawlState, Speed};
use super::{Crawl, CrawlEnd, CrawlError, CrawlPlan, CrawlStep, Targets};
use crate::engine::context::Context;
use crate::engine::follow::FollowError;
use crate::engine::handle::Handle;
use crate::engine::site;
use crate::model::{Source, SourceKind, SourceRules, WebsiteRules};
use crate::net::host_key;
use crate::store::StoreError;
use crate::util::text;
use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, watch};
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

/// Name of the stored list of folders.
const FOLDERS: &str = "crawl_folders";
/// Maximum number of listed folders; the oldest are dropped.
const MAX_FOLDERS: usize = 100;
/// Number of responses between two updates of the link groups.
const GROUPS_EVERY: u64 = 20;

/// The crawls of this process.
#[derive(Debug, Default)]
pub(in crate::engine) struct Crawls {
    /// Permits by host, because only one crawl per host runs at a time.
    hosts: Mutex<HashMap<String, Arc<Semaphore>>>,
    /// Held while the list of folders is changed.
    listing: tokio::sync::Mutex<()>,
}

impl Crawls {
    fn turn(&self, host: String) -> Arc<Semaphore> {
        let mut hosts = self.hosts.lock().unwrap_or_else(PoisonError::into_inner);
        hosts.entry(host).or_insert_with(|| Arc::new(Semaphore::new(1))).clone()
    }
}

/// A crawl in the background. Dropping it stops the crawl.
pub struct RunningCrawl {
    stop: CancellationToken,
    states: watch::Receiver<CrawlState>,
    task: JoinHandle<()>,
}

impl RunningCrawl {
    /// The states of the crawl, to be watched; the last one is the final state.
    pub fn states(&self) -> watch::Receiver<CrawlState> {
        self.states.clone()
    }

    /// Stops the crawl without waiting for a response. It can be resumed.
    pub fn stop(&self) {
        self.stop.cancel();
    }

    pub fn has_ended(&self) -> bool {
        self.task.is_finished()
    }

    /// Stops the crawl and waits until its folder is free.
    pub async fn finish(mut self) {
        self.stop.cancel();
        if let Err(e) = (&mut self.task).await {
            tracing::error!("a crawl panicked: {e}");
        }
    }
}

impl Drop for RunningCrawl {
    fn drop(&mut self) {
        self.stop.cancel();
    }
}

/// The crawls in a list.
#[derive(Debug, Clone, Default)]
pub struct CrawlListing {
    /// Crawls in listed folders, the newest first.
    pub crawls: Vec<CrawlState>,
    /// Folders that the caller excluded.
    pub except: Vec<PathBuf>,
    /// Sources (row keys) that are exploring their sites, and descriptions of their progress.
    pub exploring: Vec<(i64, Vec<String>)>,
}

impl Handle {
    /// Starts or resumes a crawl in the background, and records its folder. Only one crawl per host runs at a
    /// time; others wait.
    pub fn crawl(&self, plan: CrawlPlan) -> RunningCrawl {
        let (states_in, states) = watch::channel(CrawlState::new(plan.folder.clone()));
        // The crawl stops with the engine.
        let stop = self.stop.child_token();
        let run = Run {
            handle: self.clone(),
            stop: stop.clone(),
            state: CrawlState::new(plan.folder.clone()),
            states: states_in,
            turn: None,
        };
        RunningCrawl { stop, states, task: tokio::spawn(run.run(plan)) }
    }

    /// The crawls in the listed folders except those in `except`, and the sources that are exploring. Folders
    /// without a crawl are left out.
    ///
    /// # Errors
    /// If the database cannot be read.
    pub async fn crawls(&self, except: Vec<PathBuf>) -> Result<CrawlListing, StoreError> {
        let mut folders = listed_folders(&self.context).await?;
        folders.retain(|folder| !except.contains(folder));
        let read = move || -> Vec<CrawlState> {
            folders.into_iter().filter_map(CrawlState::read).rev().collect()
        };
        // Do not occupy the worker threads for documents, because polls need them.
        let crawls = tokio::task::spawn_blocking(read).await.map_err(|_| StoreError::Closed)?;
        Ok(CrawlListing { crawls, except, exploring: self.explorations().await? })
    }

    /// The sources (row keys) that are exploring their sites, with descriptions of their progress.
    ///
    /// # Errors
    /// If the database cannot be read.
    pub async fn explorations(&self) -> Result<Vec<(i64, Vec<String>)>, StoreError> {
        let keys = self.context.exploring_keys();
        let read = move |reader: &crate::store::Reader| {
            let of = |key| Ok((key, site::crawl_summary(reader, key)?));
            keys.into_iter().map(of).collect()
        };
        self.context.read(read).await
    }

    /// Removes a crawl from the list. Its files are kept.
    ///
    /// # Errors
    /// If the list cannot be stored.
    pub async fn unlist_crawl(&self, folder: &Path) -> Result<(), StoreError> {
        change_listed(&self.context, |folders| folders.retain(|known| known != folder)).await
    }

    /// Follows the site of a crawl as a source of kind crawl, with the same targets.
    ///
    /// # Errors
    /// If the site is already followed, or the source cannot be stored.
    pub async fn follow_crawl(
        &self,
        start: &str,
        targets: &str,
    ) -> Result<(Source, crate::config::FileEdit), FollowError> {
        let web = crate::util::url::parse_web(start)?;
        let id = crate::config::unique_id(&web.url, &mut HashSet::new());
        let mut source = Source::feed(id, web.url);
        // Articles are the default targets of sources.
        let targets = Some(targets.to_owned()).filter(|_| targets != Targets::Articles.to_string());
        let rules = WebsiteRules { targets, ..WebsiteRules::default() };
        source.rules = SourceRules::new(SourceKind::Crawl, rules);
        source.private = crate::util::address::is_private_host(&source.url);
        self.follow_source(source, None).await
    }
}

/// The listed folders, the newest last.
async fn listed_folders(context: &Arc<Context>) -> Result<Vec<PathBuf>, StoreError> {
    let text = context.read(|reader| reader.memo(FOLDERS)).await?;
    Ok(serde_json::from_str(&text.unwrap_or_default()).unwrap_or_default())
}

async fn change_listed(
    context: &Arc<Context>,
    change: impl FnOnce(&mut Vec<PathBuf>),
) -> Result<(), StoreError> {
    let _turn = context.crawls.listing.lock().await;
    let before = listed_folders(context).await?;
    let mut folders = before.clone();
    change(&mut folders);
    folders.drain(..folders.len().saturating_sub(MAX_FOLDERS));
    if folders == before {
        return Ok(());
    }
    // Users cannot type paths that are not valid Unicode.
    let json = serde_json::to_string(&folders).unwrap_or_default();
    context.store.set_memo(FOLDERS, json).await
}

/// A running crawl.
struct Run {
    handle: Handle,
    stop: CancellationToken,
    state: CrawlState,
    states: watch::Sender<CrawlState>,
    /// The permit for the host.
    turn: Option<OwnedSemaphorePermit>,
}

impl Run {
    async fn run(mut self, plan: CrawlPlan) {
        let phase = match self.open(plan).await {
            Err(e) => {
                self.state.exists = matches!(e, CrawlError::Exists(_));
                CrawlPhase::Failed(text::line(&e.to_string()))
            }
            Ok(crawl) => self.follow(crawl).await,
        };
        if self.state.exists || !matches!(phase, CrawlPhase::Failed(_)) {
            self.list_folder().await;
        }
        self.turn = None;
        self.state.deadline = None;
        self.show(phase);
    }

    fn show(&mut self, phase: CrawlPhase) {
        self.state.phase = phase;
        self.states.send_replace(self.state.clone());
    }

    /// Opens the crawl even if it is stopped in the meantime, because its folder cannot be released
    /// until it is open.
    async fn open(&mut self, plan: CrawlPlan) -> Result<Crawl, CrawlError> {
        let (client, clock) =
            (self.handle.context.client.clone(), self.handle.context.clock.clone());
        // Do not occupy the worker threads for documents, because reading a long log takes seconds.
        let opening = tokio::task::spawn_blocking(move || {
            let crawl = plan.open(client, clock)?;
            let mut state = CrawlState::new(PathBuf::new());
            state.opened(&crawl)?;
            Ok::<_, CrawlError>((crawl, state))
        });
        let (crawl, state) = opening.await.unwrap_or(Err(CrawlError::Record))?;
        self.state = CrawlState { folder: std::mem::take(&mut self.state.folder), ..state };
        self.state.groups = crawl.link_groups(MAX_GROUPS).iter().map(describe).collect();
        Ok(crawl)
    }

    /// Runs the crawl to its end and returns its final phase. The folder is free afterwards.
    async fn follow(&mut self, mut crawl: Crawl) -> CrawlPhase {
        // The folder is listed first, so that the interface finds the crawl again even if the program is
        // killed.
        self.list_folder().await;
        let end = self.steps(&mut crawl).await;
        self.state.advanced(&crawl);
        self.state.groups = crawl.link_groups(MAX_GROUPS).iter().map(describe).collect();
        let closed = match &end {
            Ok(end) => crawl.close(end),
            Err(_) => Ok(()),
        };
        match end.and_then(|end| closed.map(|()| end)) {
            Ok(end) => CrawlPhase::Ended(end),
            Err(e) => CrawlPhase::Failed(text::line(&e.to_string())),
        }
    }

    async fn steps(&mut self, crawl: &mut Crawl) -> Result<CrawlEnd, CrawlError> {
        let turn = self.handle.context.crawls.turn(host_key(&crawl.spec().start));
        if turn.available_permits() == 0 {
            self.show(CrawlPhase::Waiting);
        }
        // The semaphore is never closed.
        match self.stop.clone().run_until_cancelled(turn.acquire_owned()).await {
            Some(turn) => self.turn = turn.ok(),
            None => return Ok(CrawlEnd::Stopped),
        }
        crawl.restart_time();
        self.state.advanced(crawl);
        let (mut speed, mut responses) = (Speed::default(), 0u64);
        let clock = self.handle.context.clock.clone();
        speed.add(clock.now(), crawl.progress().requests);
        self.show(CrawlPhase::Running);
        loop {
            let stop = self.stop.clone();
            // A cancelled request is repeated when the crawl is resumed.
            let Some(step) = stop.run_until_cancelled(crawl.step()).await else {
                return Ok(CrawlEnd::Stopped);
            };
            let (found, got) = match step? {
                CrawlStep::Ended(end) => return Ok(end),
                CrawlStep::Response { found, got, .. } => (found, got),
            };
            responses += 1;
            self.state.advanced(crawl);
            self.state.speed = speed.add(clock.now(), crawl.progress().requests);
            if let Some(found) = found {
                self.state.found(*found);
            }
            if let Some(note) = got.page.note {
                self.state.note = Some(text::line(&note));
            }
            if responses % GROUPS_EVERY == 1 {
                self.state.groups = crawl.link_groups(MAX_GROUPS).iter().map(describe).collect();
            }
            self.show(CrawlPhase::Running);
        }
    }

    async fn list_folder(&mut self) {
        let folder = self.state.folder.clone();
        let change = |folders: &mut Vec<PathBuf>| {
            if !folders.contains(&folder) {
                folders.push(folder);
            }
        };
        if let Err(e) = change_listed(&self.handle.context, change).await {
            let why = text::line(&e.to_string());
            tracing::warn!("the folder of a crawl is not listed: {why}");
            self.state.note = Some(format!("this crawl will not be listed after a restart: {why}"));
        }
    }
}
