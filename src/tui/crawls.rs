//! Starts and stops the crawls that run in the background, and sends their states to the interface as events.

use super::driver::{followed, message};
use super::event::{Event, RequestId};
use crate::engine::Handle;
use crate::engine::crawl::{CrawlPlan, CrawlState, RunningCrawl};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::mpsc::UnboundedSender;

/// Minimum time between two states of a crawl. The last state is sent at once.
const STEP: Duration = Duration::from_millis(400);

/// Commands for crawls.
#[derive(Debug)]
pub(super) enum CrawlCommand {
    /// Starts or resumes a crawl.
    Run(Box<CrawlPlan>),
    /// Stops the crawl in a folder.
    Stop(PathBuf),
    /// Reads the crawls in remembered folders, except those that are running.
    List { running: Vec<PathBuf> },
    /// Reads which sources are exploring their sites.
    Explorations,
    /// Removes a crawl from the list; its files stay.
    Unlist(PathBuf),
    /// Follows a site by crawling it.
    Follow { request: RequestId, start: String, targets: String },
}

/// The running crawls by folder, shared by all clones.
#[derive(Clone, Default)]
pub(super) struct RunningCrawls(Arc<Mutex<Vec<(PathBuf, RunningCrawl)>>>);

impl RunningCrawls {
    pub(super) fn perform(
        &self,
        handle: &Handle,
        events: &UnboundedSender<Event>,
        command: CrawlCommand,
    ) {
        let (handle, events) = (handle.clone(), events.clone());
        match command {
            CrawlCommand::Run(plan) => self.run(&handle, events, *plan),
            CrawlCommand::Stop(folder) => {
                let all = self.all();
                all.iter().filter(|(of, _)| *of == folder).for_each(|(_, crawl)| crawl.stop());
            }
            other => {
                tokio::spawn(async move {
                    if let Some(event) = performed(&handle, other).await {
                        // Sending fails if the interface is already closed.
                        let _ = events.send(event);
                    }
                });
            }
        }
    }

    fn run(&self, handle: &Handle, events: UnboundedSender<Event>, plan: CrawlPlan) {
        self.all().retain(|(_, crawl)| !crawl.has_ended());
        let folder = plan.folder.clone();
        let crawl = handle.crawl(plan);
        let mut states = crawl.states();
        tokio::spawn(async move {
            let has_ended = |state: &CrawlState| !state.is_running();
            while states.changed().await.is_ok() {
                let state = states.borrow_and_update().clone();
                let is_last = has_ended(&state);
                if events.send(Event::CrawlChanged(Box::new(state))).is_err() || is_last {
                    break;
                }
                // The end is sent at once. A separate receiver waits for the end, so that `states` misses
                // nothing.
                let _ = tokio::time::timeout(STEP, states.clone().wait_for(has_ended)).await;
            }
        });
        self.all().push((folder, crawl));
    }

    /// Stops all crawls; they can be resumed.
    pub(super) async fn finish(&self) {
        let all = std::mem::take(&mut *self.all());
        all.iter().for_each(|(_, crawl)| crawl.stop());
        for (_, crawl) in all {
            crawl.finish().await;
        }
    }

    fn all(&self) -> MutexGuard<'_, Vec<(PathBuf, RunningCrawl)>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Performs the commands that need the database or the disk.
async fn performed(handle: &Handle, command: CrawlCommand) -> Option<Event> {
    Some(match command {
        CrawlCommand::List { running } => {
            Event::CrawlsListed(handle.crawls(running).await.map_err(message))
        }
        CrawlCommand::Explorations => {
            Event::ExplorationsListed(handle.explorations().await.map_err(message))
        }
        CrawlCommand::Unlist(folder) => match handle.unlist_crawl(&folder).await {
            Ok(()) => Event::CrawlUnlisted(folder),
            Err(e) => Event::Message(Err(message(e))),
        },
        CrawlCommand::Follow { request, start, targets } => {
            let source = handle.follow_crawl(&start, &targets).await;
            followed(handle, request, source, None, (0, Vec::new())).await
        }
        CrawlCommand::Run(_) | CrawlCommand::Stop(_) => return None,
    })
}
