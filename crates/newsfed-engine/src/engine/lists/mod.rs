//! Follows OPML lists. A list is polled like other sources (`read.rs`). A separate, repeatable step then
//! keeps the sources in `sources.toml` in sync with it.

mod known;
mod read;
mod step;

use super::announce;
use super::follow::FollowError;
use super::handle::{Handle, role_changed};
use super::local;
use super::message::{FirstFetch, FirstPage, ProcessRole, TimedResponse};
use super::{TypedOrigin, access};
use crate::config::{FileEdit, ImportError, ListPlan, Listed, path_url};
use crate::model::{Origin, Source, SourceId, SourceRules};
use crate::net::{self, Response};
use crate::store::StoreError;
use crate::util::address::is_private_host;
use crate::util::text;
use crate::util::url::{WebAddress, parse_web};
use chrono::TimeDelta;
pub(super) use read::{begun, read, unchanged};
use tokio::sync::{Mutex, Notify};
use url::Url;

/// Interval between additional comparisons of lists with the file, which may have had errors.
const ROUND: TimeDelta = TimeDelta::hours(6);
/// Why no sources were added with a new list.
const NOT_STORED: &str =
    "the content of the list was not stored; its sources are added after its next check";

/// State shared by all lists.
#[derive(Debug, Default)]
pub(super) struct Lists {
    /// Notified when a list was read.
    pub(super) was_read: Notify,
    /// Held while sources are synchronised with their lists.
    turn: Mutex<()>,
}

/// A newly followed list.
#[derive(Debug)]
pub struct ListFollowed {
    pub source: Source,
    /// The sources that were added.
    pub added: Vec<Source>,
    /// The URLs that were already followed.
    pub already: Vec<Url>,
    /// Entries of the list that were skipped, and why.
    pub skipped: Vec<(String, String)>,
    pub edits: Vec<FileEdit>,
    /// Why its sources were not added even though the list is followed.
    pub problem: Option<String>,
}

/// The file or URL of a list.
enum Place {
    File(Url, Origin),
    Web(WebAddress),
}

impl Place {
    fn parse(typed: &str) -> Result<Self, FollowError> {
        let Some(origin) = TypedOrigin::parse(typed) else {
            return Ok(Self::Web(parse_web(typed)?));
        };
        let origin = origin.map_err(FollowError::Local)?.origin;
        let Some(path) = origin.file.clone().filter(|_| origin.program().is_empty()) else {
            let message = "a list is a URL or a file; programs are not run for lists";
            return Err(FollowError::Local(message.to_owned()));
        };
        Ok(Self::File(path_url(&path, None).map_err(FollowError::Local)?, origin))
    }

    /// The source for the list itself.
    fn source(&self) -> Source {
        let source = |url: &Url| Source {
            rules: SourceRules::List,
            ..Source::feed(SourceId(String::new()), url.clone())
        };
        match self {
            Self::File(url, origin) => Source { origin: origin.clone(), ..source(url) },
            Self::Web(web) => Source { access: access(web), ..source(&web.url) },
        }
    }
}

impl Handle {
    /// Follows an OPML list at a URL or in a file that the user typed. Adds its sources now and keeps them in
    /// sync with it.
    ///
    /// # Errors
    /// If the list cannot be fetched or parsed, or the file cannot be changed. The list is not followed then.
    pub async fn follow_list(
        &self,
        typed: &str,
        title: Option<String>,
        folder: Option<String>,
    ) -> Result<ListFollowed, FollowError> {
        let at = self.now();
        let source = Source { title, folder, ..Place::parse(typed)?.source() };
        let response = self.fetch_list(&source).await?;
        let (name, of) = (source.url.to_string(), source.clone());
        let work = move || (Listed::read(&response.body, &name, &of), response);
        let read = self.context.read_document(0, work).await;
        let (listed, response) = read.ok_or(StoreError::Closed)?;
        let listed = listed.map_err(not_a_list)?;
        let first = FirstFetch::Page(FirstPage {
            items: Vec::new(),
            count: listed.sources.len(),
            samples: Vec::new(),
            response: TimedResponse { response, at },
        });
        let _turn = self.context.lists.turn.lock().await;
        let (source, edit) = self.follow_source(source, Some(first)).await?;
        let stepped = self.step(&source.id).await;
        // The other lists are applied later.
        self.context.lists.was_read.notify_one();
        let (stepped, problem) = match stepped {
            Ok(Some(stepped)) => (Some(stepped), None),
            Ok(None) => (None, Some(NOT_STORED.to_owned())),
            Err(e) => (None, Some(text::line(&e.to_string()))),
        };
        let problem = problem.or(stepped.as_ref().and_then(|stepped| stepped.problem.clone()));
        let (plan, more) = stepped.map(|stepped| (stepped.plan, stepped.edit)).unzip();
        let ListPlan { add: added, already, .. } = plan.unwrap_or_default();
        let edits = [edit].into_iter().chain(more).filter(|edit| !edit.is_empty()).collect();
        Ok(ListFollowed { source, added, already, skipped: listed.skipped, edits, problem })
    }

    /// Confirms that the sources that are no longer in a list (row key) are to be removed with its next poll.
    /// Returns whether there was something to confirm.
    ///
    /// # Errors
    /// If the confirmation cannot be stored.
    pub async fn accept_list(&self, list: i64) -> Result<bool, StoreError> {
        self.context.store.confirm_list(list).await
    }

    async fn fetch_list(&self, source: &Source) -> Result<Response, FollowError> {
        if source.origin.is_local() {
            let (response, _) = local::read(&self.context, source, None).await?;
            return Ok(Response { memory: None, ..response });
        }
        let url = source.url.clone();
        let request = net::Request {
            declared: Some(url.clone()),
            access: source.access.clone(),
            allow_private: is_private_host(&url),
            ..net::Request::feed(url.clone())
        };
        let fetched = self.context.client.fetch(request).await;
        let response = fetched.map_err(|error| FollowError::Fetch { url: Box::new(url), error })?;
        if !response.is_success() {
            return Err(FollowError::status(&response, self.now()));
        }
        Ok(Response { memory: None, ..response })
    }
}

fn not_a_list(error: ImportError) -> FollowError {
    FollowError::Local(text::line(&error.to_string()))
}

/// Runs until the engine stops: keeps sources in sync with their lists while this process is the one
/// that polls.
pub(super) async fn run(handle: Handle) {
    let mut status = handle.status();
    loop {
        let follows = status.borrow_and_update().role == ProcessRole::Follows;
        if follows {
            match handle.keep_lists_in_step().await {
                Ok(changes) => {
                    for change in changes {
                        announce::report(&handle.context, change).await;
                    }
                }
                Err(e) => tracing::warn!("sources were not synchronised with their lists: {e}"),
            }
        }
        tokio::select! {
            () = handle.stop.cancelled() => return,
            () = role_changed(&mut status, follows) => {}
            () = handle.context.lists.was_read.notified() => {}
            () = handle.context.clock.sleep_until(handle.now() + ROUND) => {}
        }
    }
}
