//! Runs a crawl: gets the next link from a strategy, fetches it, and logs each response before it continues.
//!
//! [`Crawl::step`] fetches one link. Whenever the process ends, [`Crawl::resume`] continues after the last
//! logged response.

mod background;
mod budget;
mod curve;
mod error;
mod fetch;
mod overview;
mod plan;
mod record;
mod revisit;
mod save;
mod seeds;
mod state;

pub(super) use background::Crawls;
pub use background::{CrawlListing, RunningCrawl};
pub use budget::{CrawlBudget, DEFAULT_BUDGET, NoBudget};
pub use curve::Curve;
pub use error::CrawlError;
pub use fetch::LinkResult;
pub use plan::{CrawlPlan, folder_name};
pub use revisit::{Revisit, spec_at};
pub use save::CrawlFind;
pub use state::{CrawlPhase, CrawlState};
// Used by the interface.
pub use crate::crawl::Targets;

use crate::crawl::{Class, Kind, LinkGroup, NextRequest, Site, SleepingBanditParameters};
use crate::model::{Access, Time};
use crate::net::{Client, Request, Response};
use crate::util::clock::Clock;
use crate::util::limits;
use fetch::{Fetcher, LinkRequest};
use overview::{Ending, MAX_GROUPS};
use record::Record;
use save::CrawlFolder;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use url::Url;

/// Number of consecutive failed requests after which the host is considered unreachable.
const MAX_LOST: u32 = 5;
/// Name of the log in the folder of a crawl.
const RECORD: &str = "crawl.db";

/// What to crawl, and how.
#[derive(Debug, Clone, PartialEq)]
pub struct CrawlSpec {
    /// The start URL; its host and subdomains are the site.
    pub start: Url,
    /// The URL that the user entered, if it redirected to the start. Credentials are sent only there.
    pub declared: Option<Url>,
    /// What to search for.
    pub targets: Targets,
    /// The order in which links are fetched.
    pub strategy: Kind,
    /// The parameters of the strategy, if it has any.
    pub parameters: SleepingBanditParameters,
    /// Seed of the random number generator.
    pub seed: u64,
}

/// Why a crawl ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CrawlEnd {
    /// No links are left.
    Done,
    /// The request limit was reached.
    Requests,
    /// The byte limit was reached.
    Bytes,
    /// The time limit was reached.
    Time,
    /// The user stopped it.
    Stopped,
    /// The host stopped responding or asked for a pause, with the reason.
    Left(String),
}

/// The progress of a crawl.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct CrawlProgress {
    pub requests: u64,
    pub bytes: u64,
    /// Number of targets found.
    pub found: u64,
    pub links: usize,
    /// Number of links that were fetched.
    pub fetched: usize,
    /// Number of links on the pages of this run that exceeded the limit.
    pub links_left_out: u64,
}

/// The result of one step.
pub enum CrawlStep {
    /// A response that was logged.
    Response {
        /// The URL that was fetched.
        url: String,
        /// The target, if the response is one.
        found: Option<Box<CrawlFind>>,
        got: Box<LinkResult>,
    },
    Ended(CrawlEnd),
}

/// A running crawl.
pub struct Crawl {
    spec: CrawlSpec,
    budget: CrawlBudget,
    deadline: Option<Time>,
    fetcher: Fetcher,
    record: Record,
    folder: Option<CrawlFolder>,
    /// Number of consecutive failed requests.
    lost: u32,
}

/// Where a crawl stores its data.
#[derive(Debug, Clone)]
pub enum CrawlLocation {
    /// A folder with the log, the found files and a manifest.
    Folder(PathBuf),
    /// A file for the log; found files are not stored.
    Record(PathBuf),
}

impl CrawlLocation {
    fn record(&self) -> PathBuf {
        match self {
            Self::Folder(folder) => folder.join(RECORD),
            Self::Record(file) => file.clone(),
        }
    }

    fn folder(&self) -> Result<Option<CrawlFolder>, CrawlError> {
        match self {
            Self::Folder(folder) => CrawlFolder::open(folder).map(Some),
            Self::Record(_) => Ok(None),
        }
    }
}

impl Crawl {
    /// Whether there is a crawl. A crawl that was killed before its parameters were stored does not count.
    ///
    /// # Errors
    /// If there is a log that cannot be read.
    pub fn is_begun(place: &CrawlLocation) -> Result<bool, CrawlError> {
        let file = place.record();
        Ok(file.exists() && Record::is_begun(&file)?)
    }

    /// Whether a crawl may only send requests to public addresses.
    fn is_public(place: &CrawlLocation) -> Result<bool, CrawlError> {
        Record::is_public(&place.record())
    }

    /// Starts a crawl.
    ///
    /// # Errors
    /// If there already is a crawl, or the folder is not writable.
    pub fn begin(
        place: &CrawlLocation,
        spec: CrawlSpec,
        budget: CrawlBudget,
        net: CrawlNetwork,
    ) -> Result<Self, CrawlError> {
        let file = place.record();
        if Self::is_begun(place)? {
            return Err(CrawlError::Exists(shown(&file)));
        }
        let folder = place.folder()?;
        if folder.as_ref().is_some_and(CrawlFolder::has_list) {
            return Err(CrawlError::Foreign(shown(&file)));
        }
        let record = Record::begin(&file, &spec, budget.links, &net)?;
        Ok(Self::with(spec, budget, net, record, folder))
    }

    /// Continues a crawl that was interrupted or reached a limit of its budget.
    ///
    /// # Errors
    /// If there is no crawl, or it cannot be read.
    pub fn resume(
        place: &CrawlLocation,
        budget: CrawlBudget,
        net: CrawlNetwork,
    ) -> Result<Self, CrawlError> {
        let file = place.record();
        if !Self::is_begun(place)? {
            return Err(CrawlError::Missing(shown(&file)));
        }
        let (record, spec) = Record::resume(&file, budget.links, net.access.auth.is_some())?;
        let folder = place.folder()?;
        if let Some(folder) = &folder {
            folder.rewrite(&record.saved()?)?;
        }
        Ok(Self::with(spec, budget, net, record, folder))
    }

    fn with(
        spec: CrawlSpec,
        budget: CrawlBudget,
        net: CrawlNetwork,
        record: Record,
        folder: Option<CrawlFolder>,
    ) -> Self {
        let fetcher = fetcher(&spec, budget.page_links, net);
        let mut crawl = Self { spec, budget, deadline: None, fetcher, record, folder, lost: 0 };
        crawl.restart_time();
        crawl
    }

    /// Allows this many more requests.
    pub fn allow(mut self, requests: u64) -> Self {
        self.budget.requests = Some(self.progress().requests + requests);
        self
    }

    /// Provides the response to the first request, which was fetched earlier.
    pub fn know(&self, first: Response) {
        self.fetcher.use_response(first);
    }

    /// Restarts the time limit of this run.
    fn restart_time(&mut self) {
        let time = self.budget.time.and_then(|t| chrono::TimeDelta::from_std(t).ok());
        self.deadline = time.map(|time| self.fetcher.clock.now() + time);
    }

    /// Records how this run has ended, for listing the crawl later.
    ///
    /// # Errors
    /// If it cannot be stored.
    pub fn close(&self, end: &CrawlEnd) -> Result<(), CrawlError> {
        self.record.close(&Ending::of(end, &self.budget, &self.link_groups(MAX_GROUPS)))
    }

    /// Stores what was learned, for the next visit to the site; see [`Revisit`].
    ///
    /// # Errors
    /// If it cannot be stored.
    pub fn conclude(&mut self) -> Result<(), CrawlError> {
        self.record.conclude()
    }

    /// The targets found before this run.
    ///
    /// # Errors
    /// If the log cannot be read.
    pub fn found_before(&self) -> Result<Vec<CrawlFind>, CrawlError> {
        let found = self.record.saved()?;
        found.iter().map(|json| CrawlFind::read(json).ok_or(CrawlError::Record)).collect()
    }

    pub fn spec(&self) -> &CrawlSpec {
        &self.spec
    }

    pub fn progress(&self) -> CrawlProgress {
        self.record.progress()
    }

    /// The groups of links that have led to targets, best first.
    pub fn link_groups(&self, limit: usize) -> Vec<LinkGroup> {
        self.record.link_groups(limit)
    }

    /// Fetches one link and logs the response. If a step is cancelled, the crawl must be resumed from its
    /// log, as if the step had not started.
    ///
    /// # Errors
    /// If writing to the disk fails.
    pub async fn step(&mut self) -> Result<CrawlStep, CrawlError> {
        if let Some(end) = self.used_up() {
            return Ok(CrawlStep::Ended(end));
        }
        let Some(request) = self.record.next() else { return Ok(CrawlStep::Ended(CrawlEnd::Done)) };
        let (NextRequest::Get(link) | NextRequest::Head(link)) = request;
        let links = self.record.links();
        let now = self.progress();
        let wanted = FetchingLink {
            requests: self.budget.requests.map(|limit| limit.saturating_sub(now.requests)),
            request_options: LinkRequest {
                first: request == NextRequest::Get(0),
                head: request == NextRequest::Head(link),
                max_bytes: self.budget.bytes.map(|limit| limit.saturating_sub(now.bytes)),
                ..LinkRequest::default()
            },
            url: links.url(link).to_owned(),
            path: links.path(link).to_owned(),
            anchor: links.anchor(link).to_owned(),
        };
        let got = match self.deadline {
            Some(deadline) => {
                let clock = self.fetcher.clock.clone();
                tokio::select! {
                    got = fetch(&self.fetcher, wanted) => got,
                    () = clock.sleep_until(deadline) => return Ok(CrawlStep::Ended(CrawlEnd::Time)),
                }
            }
            None => fetch(&self.fetcher, wanted).await,
        };
        match got {
            // The link is not recorded as fetched, so that a run with a larger byte limit fetches it.
            Ok(got) if got.over => Ok(CrawlStep::Ended(CrawlEnd::Bytes)),
            Ok(got) => {
                let why = got.why.clone().unwrap_or_default();
                let unread = (request == NextRequest::Get(0)).then(|| start_error(&got)).flatten();
                let is_lost = got.lost;
                let step = self.take(request, got)?;
                if let Some(mut why) = unread {
                    // The start page may be readable when the crawl is resumed.
                    self.record.drop_last(1)?;
                    if is_lost && self.spec.start.scheme() == "https" {
                        why += "; start at http:// if the site has no https";
                    }
                    return Ok(CrawlStep::Ended(CrawlEnd::Left(why)));
                }
                if self.lost < MAX_LOST || self.is_there().await? {
                    return Ok(step);
                }
                // The pages may be available when the host responds again.
                self.record.drop_last(self.lost)?;
                Ok(CrawlStep::Ended(CrawlEnd::Left(why)))
            }
            Err(words) => Ok(CrawlStep::Ended(CrawlEnd::Left(words))),
        }
    }

    /// Fetches the start page again, to distinguish an unreachable host from failing pages.
    async fn is_there(&mut self) -> Result<bool, CrawlError> {
        let got = self.fetcher.fetch(self.spec.start.as_str(), LinkRequest::default()).await;
        let Ok(got) = got else { return Ok(false) };
        self.record.count_beside(u64::from(got.sent), got.bytes)?;
        if !got.lost {
            self.record.keep_lost(self.lost)?;
            self.lost = 0;
        }
        Ok(!got.lost)
    }

    fn used_up(&self) -> Option<CrawlEnd> {
        let CrawlProgress { requests, bytes, .. } = self.progress();
        self.budget.used_up(requests, bytes).or_else(|| {
            self.deadline.is_some_and(|at| self.fetcher.clock.now() >= at).then_some(CrawlEnd::Time)
        })
    }

    fn take(&mut self, request: NextRequest, mut got: LinkResult) -> Result<CrawlStep, CrawlError> {
        let (NextRequest::Get(link) | NextRequest::Head(link)) = request;
        let at = self.fetcher.clock.now();
        let hit =
            matches!(request, NextRequest::Get(_)) && (got.class == Class::Target || got.article);
        let links = self.record.links();
        let url = links.url(link).to_owned();
        let found = if hit {
            let mut found = CrawlFind::of(&url, &got, links, link, at);
            if let Some(folder) = &self.folder {
                found.file = Some(folder.save(&url, &got, &found.sha256)?);
            }
            Some(Box::new(found))
        } else {
            None
        };
        let saved = found.as_ref().map(|f| f.json());
        let before = self.progress().links_left_out;
        self.record.visited(request, &got, at, saved.as_deref())?;
        if before == 0 && self.progress().links_left_out > 0 {
            let note = format!(
                "further links are left out: a crawl can have at most {} links (--max-links)",
                self.record.links().limit()
            );
            got.page.note.get_or_insert(note);
        }
        if let (Some(folder), Some(json)) = (&self.folder, saved) {
            folder.list(&json)?;
        }
        self.lost = if got.lost { self.lost + 1 } else { 0 };
        Ok(CrawlStep::Response { url, found, got: Box::new(got) })
    }
}

/// Why a crawl cannot start: its start page cannot be read.
fn start_error(got: &LinkResult) -> Option<String> {
    let why = match (&got.why, got.status) {
        (Some(why), _) => why.clone(),
        (None, status @ 400..) => format!("HTTP {status}"),
        _ => return None,
    };
    Some(format!("the start page could not be read: {why}"))
}

/// A link that is being fetched.
struct FetchingLink {
    /// Number of remaining requests.
    requests: Option<u64>,
    request_options: LinkRequest,
    url: String,
    path: String,
    anchor: String,
}

async fn fetch(fetcher: &Fetcher, wanted: FetchingLink) -> Result<LinkResult, String> {
    let (first, max_bytes) = (wanted.request_options.first, wanted.request_options.max_bytes);
    let mut got = fetcher.fetch(&wanted.url, wanted.request_options).await?;
    if first {
        if let Some(to) = got.elsewhere.take() {
            return Err(format!("the start page redirects to {to}, which is another site"));
        }
        if matches!(got.class, Class::Html | Class::Target) {
            fetcher.seeds(&mut got, wanted.requests, max_bytes).await;
        }
    }
    for link in got.page.links.iter_mut().filter(|_| got.redirected) {
        // A redirect has the same position as the original link.
        link.path.clone_from(&wanted.path);
        link.anchor.clone_from(&wanted.anchor);
    }
    Ok(got)
}

/// Network access of a crawl.
pub struct CrawlNetwork {
    pub client: Client,
    pub clock: Arc<dyn Clock>,
    pub access: Access,
    /// Whether the host of the declared URL may be private.
    pub allow_private: bool,
    /// Minimum time between two requests, if it differs from the default.
    pub spacing: Option<Duration>,
}

/// Creates the fetcher of a crawl.
fn fetcher(spec: &CrawlSpec, page_links: Option<usize>, net: CrawlNetwork) -> Fetcher {
    let CrawlNetwork { client, clock, access, allow_private, spacing } = net;
    let template = Request {
        declared: Some(spec.declared.clone().unwrap_or_else(|| spec.start.clone())),
        access,
        spacing,
        allow_private,
        follow: false,
        ..Request::page(spec.start.clone())
    };
    Fetcher {
        client,
        clock,
        template,
        site: Site::of(&spec.start),
        targets: spec.targets.clone(),
        page_links: page_links.unwrap_or(limits::CRAWL_LINKS),
        seed: spec.seed,
        first: Mutex::default(),
        closed: Mutex::default(),
    }
}

/// The path of a log as shown in messages: its folder.
fn shown(file: &Path) -> PathBuf {
    file.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new(".")).to_owned()
}
