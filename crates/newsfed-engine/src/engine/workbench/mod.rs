//! The pages for which a user writes selectors. Each is fetched once, through the same HTTP client as
//! everything else. A separate thread ([`worker`]) keeps the pages as trees, and computes the matches of
//! selectors again after each key press. Callers never wait: results come through a channel.

mod worker;

pub use worker::{Offer, Preview, WorkbenchEvent, WorkbenchPage};

use super::handle::Handle;
use super::message::{Discovery, FirstFetch};
use super::network;
use super::site::PageFetcher;
use crate::model::{Source, SourceRules};
use crate::net::Response;
use crate::util::url::normalise;
use crate::website::SelectorField;
use std::collections::HashSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc;
use tokio::sync::mpsc::UnboundedSender;
use tokio::task::AbortHandle;
use url::Url;
use worker::{Task, Worker};

/// Maximum number of known article URLs of a source.
const MAX_KNOWN: usize = 500;
/// Stack size of the thread that owns the trees, for pages as deep as the depth limit allows.
const STACK: usize = 8 << 20;

/// What a workbench is opened for.
#[derive(Debug)]
pub enum Subject {
    /// A source that is followed, by its row key.
    Followed(i64),
    /// A way to follow a URL, by its number; the page has already been fetched. Without a number, a website
    /// at that URL.
    Way(Box<Discovery>, Option<usize>),
}

/// Pages, and the matches of selectors on them. Dropping it cancels running requests.
pub struct Workbench {
    handle: Handle,
    source: Arc<Source>,
    jobs: mpsc::Sender<Task>,
    /// Number of the newest preview request: older ones are skipped.
    newest: Arc<AtomicU64>,
    said: UnboundedSender<WorkbenchEvent>,
    fetching: Vec<AbortHandle>,
}

impl Handle {
    /// A workbench for a source; its page is fetched immediately. `None` if the source does not exist.
    pub fn workbench(
        &self,
        subject: Subject,
        said: UnboundedSender<WorkbenchEvent>,
    ) -> Option<Workbench> {
        let (source, key, page) = match subject {
            Subject::Followed(key) => (self.context.source(key)?, Some(key), None),
            Subject::Way(discovery, None) => (Arc::new(discovery.source_by_hand()), None, None),
            Subject::Way(mut discovery, Some(way)) => {
                let way = (way < discovery.ways.len()).then(|| discovery.ways.swap_remove(way))?;
                let source = Arc::new(discovery.source(&way));
                let page = match way.first {
                    Some(FirstFetch::Page(page)) => Some(page.response.response),
                    _ => None,
                };
                (source, None, page)
            }
        };
        let (jobs, inbox) = mpsc::channel();
        let newest = Arc::new(AtomicU64::new(0));
        let thread = std::thread::Builder::new().name("workbench".to_owned()).stack_size(STACK);
        let (counter, events) = (newest.clone(), said.clone());
        // Trees stay on the thread that created them.
        let work = move || Worker::new(inbox, counter, events).run();
        if let Err(e) = thread.spawn(work) {
            tracing::error!("cannot start the thread of the workbench: {e}");
            return None;
        }
        let fetching = Vec::new();
        let handle = self.clone();
        let mut bench = Workbench { handle, source, jobs, newest, said, fetching };
        bench.open(key, page);
        Some(bench)
    }
}

impl Workbench {
    /// Reads what is known about the source, and fetches its page.
    fn open(&mut self, key: Option<i64>, page: Option<Response>) {
        let (handle, source) = (self.handle.clone(), self.source.clone());
        let (jobs, said) = (self.jobs.clone(), self.said.clone());
        let task = tokio::spawn(async move {
            let mut newest = None;
            if let Some(key) = key {
                let read = handle.context.read(move |reader| {
                    Ok((reader.addresses(key, MAX_KNOWN)?, reader.list_copies(key)?))
                });
                match read.await {
                    Ok((addresses, copies)) => {
                        let urls = addresses.iter().filter_map(|url| Url::parse(url).ok());
                        let urls: Vec<Url> = urls.collect();
                        newest = urls.first().cloned();
                        let known: HashSet<String> = urls.iter().map(normalise).collect();
                        let _ = jobs.send(Task::Known { known, copies });
                    }
                    Err(e) => tracing::warn!("cannot read the stored state of {}: {e}", source.id),
                }
            }
            let (place, url) = match &source.rules {
                SourceRules::Website(_) | SourceRules::Entries(_) => {
                    (WorkbenchPage::List, Some(source.url.clone()))
                }
                SourceRules::Page(_) => (WorkbenchPage::Article, Some(source.url.clone())),
                // Other kinds of sources have no list page.
                SourceRules::Feed
                | SourceRules::Sitemap(_)
                | SourceRules::Crawl(_)
                | SourceRules::List => (WorkbenchPage::Article, newest),
            };
            match (page, url) {
                (Some(response), _) => {
                    _ = jobs.send(Task::Page {
                        place,
                        response: Box::new(response),
                        title: String::new(),
                    })
                }
                (None, Some(url)) => {
                    fetch(&handle, &source, url, place, String::new(), &jobs, &said).await
                }
                (None, None) => {
                    let why = "no article of this source is known yet".to_owned();
                    let _ = said.send(WorkbenchEvent::Failed { place, why });
                }
            }
        });
        self.fetching.push(task.abort_handle());
    }

    /// Fetches a page that the list links to: an article, whose title in the list is known, or
    /// the next page of the list.
    pub fn fetch(&mut self, url: Url, place: WorkbenchPage, title: String) {
        let (handle, source) = (self.handle.clone(), self.source.clone());
        let (jobs, said) = (self.jobs.clone(), self.said.clone());
        let task = tokio::spawn(async move {
            fetch(&handle, &source, url, place, title, &jobs, &said).await;
        });
        self.fetching.retain(|task| !task.is_finished());
        self.fetching.push(task.abort_handle());
    }

    /// Requests the matches of selectors on the loaded pages, with the page `list` as the list. Only the
    /// newest of these requests is certain to be processed.
    pub fn preview(&self, request: u64, rules: SourceRules, list: WorkbenchPage) {
        self.newest.store(request, Ordering::SeqCst);
        let _ = self.jobs.send(Task::Preview { request, rules: Box::new(rules), list });
    }

    /// Requests a selector for an element of a page.
    pub fn pick(&self, place: WorkbenchPage, element: u32, part: SelectorField) {
        let _ = self.jobs.send(Task::Pick { place, element, part });
    }

    /// Requests a copy of the list page by its number, counted from the newest.
    pub fn copy(&self, number: usize) {
        let _ = self.jobs.send(Task::Copy(number));
    }
}

impl Drop for Workbench {
    fn drop(&mut self) {
        self.fetching.iter().for_each(AbortHandle::abort);
    }
}

/// Fetches a page and passes it to the worker, or reports why there is none.
async fn fetch(
    handle: &Handle,
    source: &Source,
    url: Url,
    place: WorkbenchPage,
    title: String,
    jobs: &mpsc::Sender<Task>,
    said: &UnboundedSender<WorkbenchEvent>,
) {
    let context = &handle.context;
    let mut fetcher = PageFetcher::new(context, source, false);
    let why = match fetcher.page(url).await {
        Ok(response) => {
            network::reached(context).await;
            if response.is_success() {
                let _ =
                    jobs.send(Task::Page { place, response: Box::new(response.release()), title });
                return;
            }
            response.refusal().1
        }
        Err(e) => e.to_string(),
    };
    let _ = said.send(WorkbenchEvent::Failed { place, why: crate::util::text::line(&why) });
}

/// A workbench without a thread or network, for tests: results are available immediately.
#[cfg(any(test, feature = "testing"))]
pub struct TestWorkbench {
    worker: Worker,
    events: tokio::sync::mpsc::UnboundedReceiver<WorkbenchEvent>,
}

#[cfg(any(test, feature = "testing"))]
#[allow(clippy::unwrap_used, reason = "for tests")]
impl TestWorkbench {
    /// A workbench with the URLs of known articles, and with copies of the list, newest first.
    pub fn new(known: &[String], copies: &[(crate::model::Time, Url, &str)]) -> Self {
        let (said, events) = tokio::sync::mpsc::unbounded_channel();
        let mut worker = Worker::new(mpsc::channel().1, Arc::default(), said);
        let known = known.iter().map(|url| normalise(&url.parse().unwrap())).collect();
        let pack = |(at, url, markup): &(crate::model::Time, Url, &str)| {
            crate::store::ListCopy::pack(*at, url.as_str(), None, markup.as_bytes()).unwrap()
        };
        worker.take(Task::Known { known, copies: copies.iter().map(pack).collect() });
        Self { worker, events }
    }

    /// Loads a page.
    pub fn lay(&mut self, place: WorkbenchPage, url: &Url, markup: &str) {
        self.worker.lay(place, markup.as_bytes(), None, url);
    }

    pub fn preview(&mut self, request: u64, rules: SourceRules, list: WorkbenchPage) {
        self.worker.take(Task::Preview { request, rules: Box::new(rules), list });
    }

    pub fn pick(&mut self, place: WorkbenchPage, element: u32, part: SelectorField) {
        self.worker.take(Task::Pick { place, element, part });
    }

    pub fn copy(&mut self, number: usize) {
        self.worker.take(Task::Copy(number));
    }

    /// The events since the last call.
    pub fn events(&mut self) -> Vec<WorkbenchEvent> {
        self.worker.offer_all();
        std::iter::from_fn(|| self.events.try_recv().ok()).collect()
    }
}
