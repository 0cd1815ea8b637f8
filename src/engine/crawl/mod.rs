//! The living crawl: asks a strategy for the next link, the network for its answer, and writes each
//! answer down before it goes on.
//!
//! [`Crawl::step`] does one request. Whatever happens between two steps, or in the middle of one,
//! [`Crawl::resume`] stands where the last answer left it.

mod again;
mod fetch;
mod record;
mod save;
mod seeds;

pub use again::{Again, ordered};
pub use fetch::Got;
pub use save::Found;

use crate::crawl::{Ask, Class, Kind, LinkGroup, Site, Targets};
use crate::model::{Access, Time};
use crate::net::{Client, Request, Response};
use crate::store::StoreError;
use crate::util::clock::Clock;
use fetch::{Fetcher, LinkRequest};
use record::Record;
use save::Folder;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use url::Url;

/// Requests in a row without any answer after which the host counts as gone.
const MOST_LOST: u32 = 5;
/// The record of a crawl in its folder.
const RECORD: &str = "crawl.db";

/// What is to be crawled, and how.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Order {
    /// Where it starts; its host and the hosts below it are the site.
    pub start: Url,
    /// The address that the user gave, where it has redirected to the start. Credentials go there
    /// only.
    pub declared: Option<Url>,
    /// What is looked for.
    pub targets: Targets,
    /// In which order links are asked for.
    pub strategy: Kind,
    /// Where the random numbers begin.
    pub seed: u64,
}

/// When a crawl ends although there is more to ask for.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Budget {
    /// Requests of the crawl in all, those before an interruption included.
    pub requests: Option<u64>,
    /// Bytes received in all; an answer that would pass this ends the crawl and is left out.
    pub bytes: Option<u64>,
    /// Time of this run.
    pub time: Option<Duration>,
}

impl Budget {
    /// Whether requests or bytes are used up.
    fn used_up(&self, requests: u64, bytes: u64) -> Option<End> {
        let over = |used: u64, most: Option<u64>| most.is_some_and(|most| used >= most);
        if over(requests, self.requests) {
            return Some(End::Requests);
        }
        over(bytes, self.bytes).then_some(End::Bytes)
    }
}

/// Why a crawl ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum End {
    /// Nothing is left to ask for.
    Done,
    /// So many requests were allowed.
    Requests,
    /// So many bytes were allowed.
    Bytes,
    /// So much time was allowed.
    Time,
    /// The user wanted no more.
    Stopped,
    /// The host does not answer any more, or wants to be left alone; in plain words.
    Left(String),
}

/// Why a crawl cannot be done.
#[derive(Debug, thiserror::Error)]
pub enum CrawlError {
    /// The record.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// Another crawl is there already.
    #[error("{} holds a crawl already; --resume goes on with it, --out chooses another folder", .0.display())]
    Exists(PathBuf),
    /// Somebody's file is where the list of what was found would be.
    #[error("{} has a list of another program; --out chooses another folder", .0.display())]
    Foreign(PathBuf),
    /// It was begun with credentials, and without them all that is left would be refused.
    #[error("this crawl was begun with credentials; give the address with them to go on")]
    Credentials,
    /// There is nothing to go on with.
    #[error("{} holds no crawl that could be resumed", .0.display())]
    Missing(PathBuf),
    /// Another process has it.
    #[error("another crawl is at work with {}", .0.display())]
    Busy(PathBuf),
    /// The record does not lead to what it says.
    #[error(
        "the record of the crawl does not fit this version of newsfed; begin again in another folder"
    )]
    Record,
    /// The strategy must know the site before.
    #[error("the strategy {0} must know a site before it crawls it; it is for replays only")]
    Strategy(&'static str),
    /// A file cannot be written.
    #[error("{} cannot be written: {why}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// The system's words.
        why: std::io::Error,
    },
}

/// How far a crawl has come.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Progress {
    /// Requests sent.
    pub requests: u64,
    /// Bytes received.
    pub bytes: u64,
    /// What was looked for and found.
    pub found: u64,
    /// Links seen.
    pub links: usize,
}

/// What one step came to.
pub enum Step {
    /// An answer, which is written down.
    Answered {
        /// The address that was asked for.
        url: String,
        /// What was found, if it is what is looked for.
        found: Option<Box<Found>>,
        /// The answer.
        got: Box<Got>,
    },
    /// The crawl is over.
    Ended(End),
}

/// A crawl under way.
pub struct Crawl {
    order: Order,
    budget: Budget,
    deadline: Option<Time>,
    fetcher: Fetcher,
    record: Record,
    folder: Option<Folder>,
    /// Requests in a row without any answer.
    lost: u32,
}

/// Where a crawl keeps what it has.
#[derive(Debug, Clone)]
pub enum Place {
    /// A folder: the record, the files found, a list of them.
    Folder(PathBuf),
    /// A file for the record; what is found is not kept.
    Record(PathBuf),
}

impl Place {
    fn record(&self) -> PathBuf {
        match self {
            Self::Folder(folder) => folder.join(RECORD),
            Self::Record(file) => file.clone(),
        }
    }

    fn folder(&self) -> Result<Option<Folder>, CrawlError> {
        match self {
            Self::Folder(folder) => Folder::open(folder).map(Some),
            Self::Record(_) => Ok(None),
        }
    }
}

impl Crawl {
    /// Begins a crawl.
    ///
    /// # Errors
    /// When one is there already, or nothing can be written there.
    pub fn begin(
        place: &Place,
        order: Order,
        budget: Budget,
        net: Network,
    ) -> Result<Self, CrawlError> {
        let file = place.record();
        if file.exists() && Record::is_begun(&file)? {
            return Err(CrawlError::Exists(shown(&file)));
        }
        let folder = place.folder()?;
        if folder.as_ref().is_some_and(Folder::has_list) {
            return Err(CrawlError::Foreign(shown(&file)));
        }
        let record = Record::begin(&file, &order, net.access.auth.is_some())?;
        Ok(Self::with(order, budget, net, record, folder))
    }

    /// Goes on with a crawl that was interrupted, or ended by its budget.
    ///
    /// # Errors
    /// When there is none, or it cannot be read.
    pub fn resume(place: &Place, budget: Budget, net: Network) -> Result<Self, CrawlError> {
        let file = place.record();
        if !file.exists() || !Record::is_begun(&file)? {
            return Err(CrawlError::Missing(shown(&file)));
        }
        let (record, order) = Record::resume(&file, net.access.auth.is_some())?;
        let folder = place.folder()?;
        if let Some(folder) = &folder {
            folder.rewrite(&record.saved()?)?;
        }
        Ok(Self::with(order, budget, net, record, folder))
    }

    fn with(
        order: Order,
        budget: Budget,
        net: Network,
        record: Record,
        folder: Option<Folder>,
    ) -> Self {
        let time = budget.time.and_then(|t| chrono::TimeDelta::from_std(t).ok());
        let deadline = time.map(|time| net.clock.now() + time);
        let fetcher = fetcher(&order, net);
        Self { order, budget, deadline, fetcher, record, folder, lost: 0 }
    }

    /// Allows so many requests from here on.
    pub fn allow(mut self, requests: u64) -> Self {
        self.budget.requests = Some(self.progress().requests + requests);
        self
    }

    /// Takes an answer to the first request that is there already.
    pub fn know(&self, first: Response) {
        self.fetcher.know(first);
    }

    /// Writes down what was learned for the next crawl of the site, which is [`Again`].
    ///
    /// # Errors
    /// When it cannot be written down.
    pub fn conclude(&mut self) -> Result<(), CrawlError> {
        self.record.conclude()
    }

    /// What was found before this run.
    ///
    /// # Errors
    /// When the record cannot be read.
    pub fn found_before(&self) -> Result<Vec<Found>, CrawlError> {
        let found = self.record.saved()?;
        found.iter().map(|json| Found::read(json).ok_or(CrawlError::Record)).collect()
    }

    /// What was ordered.
    pub fn order(&self) -> &Order {
        &self.order
    }

    /// How far it has come.
    pub fn progress(&self) -> Progress {
        self.record.progress()
    }

    /// Which kinds of links have led to what is looked for, best first.
    pub fn link_groups(&self, most: usize) -> Vec<LinkGroup> {
        self.record.link_groups(most)
    }

    /// Asks for one link and writes its answer down. A step that is dropped in the middle is as if
    /// it had not begun, but the crawl must then be resumed from its record.
    ///
    /// # Errors
    /// When something cannot be written.
    pub async fn step(&mut self) -> Result<Step, CrawlError> {
        if let Some(end) = self.used_up() {
            return Ok(Step::Ended(end));
        }
        let Some(ask) = self.record.next() else { return Ok(Step::Ended(End::Done)) };
        let (Ask::Get(link) | Ask::Head(link)) = ask;
        let links = self.record.links();
        let now = self.progress();
        let asked = Asked {
            requests: self.budget.requests.map(|most| most.saturating_sub(now.requests)),
            request_options: LinkRequest {
                first: ask == Ask::Get(0),
                head: ask == Ask::Head(link),
                most: self.budget.bytes.map(|most| most.saturating_sub(now.bytes)),
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
                    got = fetch(&self.fetcher, asked) => got,
                    () = clock.sleep_until(deadline) => return Ok(Step::Ended(End::Time)),
                }
            }
            None => fetch(&self.fetcher, asked).await,
        };
        match got {
            // As if it had not been asked for: with more bytes it is.
            Ok(got) if got.over => Ok(Step::Ended(End::Bytes)),
            Ok(got) => {
                let why = got.why.clone().unwrap_or_default();
                let answered = self.take(ask, got)?;
                if self.lost < MOST_LOST || self.is_there().await? {
                    return Ok(answered);
                }
                // They may be there when the host is.
                self.record.forget_last(self.lost)?;
                Ok(Step::Ended(End::Left(why)))
            }
            Err(words) => Ok(Step::Ended(End::Left(words))),
        }
    }

    /// Whether it is only some pages that do not answer: asks for the first one again.
    async fn is_there(&mut self) -> Result<bool, CrawlError> {
        let got = self.fetcher.ask(self.order.start.as_str(), LinkRequest::default()).await;
        let Ok(got) = got else { return Ok(false) };
        self.record.count_beside(u64::from(got.sent), got.bytes)?;
        if !got.lost {
            self.lost = 0;
        }
        Ok(!got.lost)
    }

    fn used_up(&self) -> Option<End> {
        let Progress { requests, bytes, .. } = self.progress();
        self.budget.used_up(requests, bytes).or_else(|| {
            self.deadline.is_some_and(|at| self.fetcher.clock.now() >= at).then_some(End::Time)
        })
    }

    fn take(&mut self, ask: Ask, got: Got) -> Result<Step, CrawlError> {
        let (Ask::Get(link) | Ask::Head(link)) = ask;
        let at = self.fetcher.clock.now();
        let hit = matches!(ask, Ask::Get(_)) && (got.class == Class::Target || got.article);
        let links = self.record.links();
        let url = links.url(link).to_owned();
        let found = if hit {
            let mut found = Found::of(&url, &got, links, link, at);
            if let Some(folder) = &self.folder {
                found.file = Some(folder.save(&url, &got, &found.sha256)?);
            }
            Some(Box::new(found))
        } else {
            None
        };
        let saved = found.as_ref().map(|f| f.json());
        self.record.answered(ask, &got, at, saved.as_deref())?;
        if let (Some(folder), Some(json)) = (&self.folder, saved) {
            folder.list(&json)?;
        }
        self.lost = if got.lost { self.lost + 1 } else { 0 };
        Ok(Step::Answered { url, found, got: Box::new(got) })
    }
}

/// A link that is being asked for.
struct Asked {
    /// How many requests are left.
    requests: Option<u64>,
    request_options: LinkRequest,
    url: String,
    path: String,
    anchor: String,
}

async fn fetch(fetcher: &Fetcher, asked: Asked) -> Result<Got, String> {
    let (first, most) = (asked.request_options.first, asked.request_options.most);
    let mut got = fetcher.ask(&asked.url, asked.request_options).await?;
    if first {
        if let Some(to) = got.elsewhere.take() {
            return Err(format!("it redirects to {to}, which is another site"));
        }
        if matches!(got.class, Class::Html | Class::Target) {
            fetcher.seeds(&mut got, asked.requests, most).await;
        }
    }
    for link in got.page.links.iter_mut().filter(|_| got.redirected) {
        // A redirect stands where the link to it stands.
        link.path.clone_from(&asked.path);
        link.anchor.clone_from(&asked.anchor);
    }
    Ok(got)
}

/// The way to the network.
pub struct Network {
    /// The door.
    pub client: Client,
    /// The time.
    pub clock: Arc<dyn Clock>,
    /// Credentials, headers, proxy.
    pub access: Access,
    /// Least time between two requests, where it is not the usual one.
    pub spacing: Option<Duration>,
}

/// Asks for the links of such a crawl.
fn fetcher(order: &Order, net: Network) -> Fetcher {
    let Network { client, clock, access, spacing } = net;
    let template = Request {
        declared: Some(order.declared.clone().unwrap_or_else(|| order.start.clone())),
        access,
        spacing,
        allow_private: true,
        follow: false,
        ..Request::page(order.start.clone())
    };
    Fetcher {
        client,
        clock,
        template,
        site: Site::of(&order.start),
        targets: order.targets.clone(),
        seed: order.seed,
        first: Mutex::default(),
        closed: Mutex::default(),
    }
}

/// A record by the folder that a user knows.
fn shown(file: &Path) -> PathBuf {
    file.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new(".")).to_owned()
}
