//! Any address -> the ways to follow it; following one; and taking sources out again.

use super::handle::Handle;
use super::look::{Finished, store};
use super::message::{Discovery, FirstAnswer, Pace, Removed, Way};
use super::queue::Job;
use super::verdict::Head;
use crate::config::{self, Added, ConfigErrors, EditError, SourceChange, SourcesFile};
use crate::discover::{self, Found};
use crate::model::{Access, BasicAuth, Outcome, Secret, Source, SourceFacts, SourceId};
use crate::net::{FetchError, Request};
use crate::store::StoreError;
use crate::util::{text, url as address};
use sha2::{Digest, Sha256};
use std::collections::HashSet;
use std::path::Path;
use std::sync::Arc;
use std::time::SystemTime;
use url::Url;

/// Why an address could not be followed or a source not changed.
#[derive(Debug, thiserror::Error)]
pub enum FollowError {
    /// Not an address.
    #[error("{0}")]
    Address(#[from] address::UrlError),
    /// No answer.
    #[error("{url}: {}", without_promise(error))]
    Fetch {
        /// What was asked.
        url: Box<Url>,
        /// Why there is none.
        error: FetchError,
    },
    /// An answer that is none.
    #[error("{host} answered HTTP {status} for this address; check it in a browser")]
    Status {
        /// Who answered.
        host: String,
        /// What.
        status: u16,
    },
    /// Something else than a feed.
    #[error("there is no feed at {0}")]
    NoFeed(Url),
    /// Followed already.
    #[error("this address is followed already, as {0}")]
    Known(SourceId),
    /// `sources.toml` could not be changed.
    #[error("{0}")]
    Edit(#[from] EditError),
    /// The files are not valid.
    #[error("{0}")]
    Config(#[from] ConfigErrors),
    /// The database could not be changed.
    #[error("{0}")]
    Store(#[from] StoreError),
}

/// Announced feeds that are fetched for the one to begin with; the others wait to be chosen.
const MOST_TRIED: usize = 3;

impl Handle {
    /// Explores an address as a person typed it: one request, and one more for the first feed that
    /// a page announces (up to three where the first ones do not work). Drop the future to give up.
    pub async fn discover(&self, typed: &str) -> Result<Discovery, FollowError> {
        let web = address::parse_web(typed)?;
        let mut tried = Vec::new();
        let first = self.fetch(&web.url, &web, true).await?;
        let (ways, title) = match first.found {
            Found::Feed(feed) => {
                tried.push("the address is a feed".to_owned());
                (vec![way(web.url.clone(), *feed, first.answer)], None)
            }
            Found::Page { title, announced } => {
                tried.push(match announced.len() {
                    1 => "the page announces a feed".to_owned(),
                    n => format!("the page announces {n} feeds"),
                });
                (announced.into_iter().map(announced_way).collect(), title)
            }
            Found::Nothing { reason } => {
                tried.push(reason);
                (Vec::new(), None)
            }
        };
        let mut discovery = Discovery { address: web.url.clone(), ways, tried, web: Box::new(web) };
        self.try_first(&mut discovery).await;
        let untitled = discovery.ways.first_mut().filter(|w| w.title.is_empty());
        if let (Some(way), Some(title)) = (untitled, title) {
            way.title = title;
        }
        Ok(discovery)
    }

    /// Fetches the best of the announced feeds, so that its entries can be shown.
    async fn try_first(&self, discovery: &mut Discovery) {
        for _ in 0..MOST_TRIED {
            let Some(best) = discovery.ways.first_mut().filter(|w| w.first.is_none()) else {
                return;
            };
            match self.fetch_announced(&best.url, &discovery.web).await {
                Ok(first) => {
                    // What it calls itself is what the list will show.
                    if let Some(title) = first.feed.title.clone().filter(|t| !t.is_empty()) {
                        best.title = title;
                    }
                    best.first = Some(first);
                }
                Err(failure) => {
                    let gone = discovery.ways.remove(0);
                    discovery.tried.push(format!("{}: {failure}", gone.url));
                }
            }
        }
    }

    /// Fetches a feed that a page announces. A private address is asked only on the host of the
    /// page, which the person gave; so are the credentials used.
    async fn fetch_announced(
        &self,
        url: &Url,
        web: &address::WebAddress,
    ) -> Result<FirstAnswer, FollowError> {
        let same_host = url.host_str() == web.url.host_str();
        match self.fetch(url, web, same_host).await? {
            Fetched { found: Found::Feed(feed), answer } => Ok(first_answer(*feed, answer)),
            _ => Err(FollowError::NoFeed(url.clone())),
        }
    }

    async fn fetch(
        &self,
        url: &Url,
        web: &address::WebAddress,
        allow_private: bool,
    ) -> Result<Fetched, FollowError> {
        let at = self.now();
        let request = Request {
            allow_private,
            declared: Some(web.url.clone()),
            access: access(web),
            ..Request::feed(url.clone())
        };
        let fetched = self.context.client.fetch(request).await;
        let mut response =
            fetched.map_err(|error| FollowError::Fetch { url: Box::new(url.clone()), error })?;
        // What the person looks through may take long and is no part of a refresh.
        response.room = None;
        if !response.is_success() {
            let host = response.final_url.host_str().unwrap_or_default().to_owned();
            return Err(FollowError::Status { host, status: response.status });
        }
        let task = tokio::task::spawn_blocking(move || {
            let found =
                discover::inspect(&response.body, response.content_type(), &response.final_url);
            (found, response)
        });
        let (found, response) = task.await.map_err(|_| StoreError::Closed)?;
        let millis = u32::try_from(response.elapsed.as_millis()).unwrap_or(u32::MAX);
        Ok(Fetched { found, answer: Answer { response, at, millis } })
    }

    /// Follows one of the ways of a discovery; what was fetched then serves as the first look.
    /// `title` and `folder` are the person's own.
    pub async fn follow(
        &self,
        mut discovery: Discovery,
        way: usize,
        title: Option<String>,
        folder: Option<String>,
    ) -> Result<Source, FollowError> {
        if way >= discovery.ways.len() {
            return Err(address::UrlError::Empty.into());
        }
        let way = discovery.ways.swap_remove(way);
        let web = &discovery.web;
        let first = match way.first {
            Some(first) => first,
            None => self.fetch_announced(&way.url, web).await?,
        };
        // Taken ids are replaced when the file is written.
        let id = config::unique_id(&way.url, &mut HashSet::new());
        let mut source = Source::feed(id, way.url.clone());
        source.title = title;
        source.folder = folder;
        if may_have_credentials(&web.url, &way.url) {
            source.access = access(web);
        }
        let added = self.edit(move |file| file.import(&[source])).await?;
        let (source, known) = (added.sources.into_iter().next(), added.already.into_iter().next());
        let Some(source) = source else {
            let id = known.map_or(SourceId(String::new()), |(id, _)| id);
            return Err(FollowError::Known(id));
        };
        // The loop does not know the source yet, so it cannot look at it before what was fetched
        // is stored.
        let (declared, facts) = self.read_declared().await?;
        if let Some(facts) = facts.iter().find(|f| f.id == source.id) {
            self.store_first(facts, &source, first).await?;
        }
        self.context.set_sources(declared, &facts);
        self.replan().await;
        Ok(source)
    }

    async fn store_first(
        &self,
        facts: &SourceFacts,
        source: &Source,
        first: FirstAnswer,
    ) -> Result<(), FollowError> {
        let FirstAnswer { feed, response, at, millis } = first;
        let hash: [u8; 32] = Sha256::digest(&response.body).into();
        let finished = Finished {
            outcome: Outcome::Unchanged,
            head: Some(Head::from(&response)),
            document: None,
            repairs: Vec::new(),
            asked: source.url.to_string(),
            wire_bytes: response.wire_bytes,
            elapsed: std::time::Duration::from_millis(millis.into()),
            offline: false,
            room: None,
            site: None,
        };
        let finished = finished.take(&self.context, feed, hash).await;
        let source = Arc::new(source.clone());
        let job = Job { key: facts.key, source, pace: Pace::Manual, report: None };
        store(&self.context, &job, at, finished).await?;
        Ok(())
    }

    /// Declares sources in `sources.toml`; those whose address is declared already are left out.
    /// Each gets an id of its own.
    pub async fn declare(&self, sources: Vec<Source>) -> Result<Added, FollowError> {
        let added = self.edit(move |file| file.import(&sources)).await?;
        self.reload().await?;
        Ok(added)
    }

    /// Takes sources out of `sources.toml`; their items stay for a while, so that putting them back
    /// brings everything back.
    pub async fn remove(&self, ids: Vec<SourceId>) -> Result<Removed, FollowError> {
        let mut going = self.sources().await?;
        going.retain(|(source, _)| ids.contains(&source.id));
        let what = match going.as_slice() {
            [(source, facts)] => facts.title(source).to_owned(),
            many => format!("{} sources", many.len()),
        };
        let undo = self.edit(move |file| file.remove(&ids)).await?;
        self.reload().await?;
        let sources = going.iter().map(|(source, _)| Source::clone(source)).collect();
        Ok(Removed { sources, what, undo })
    }

    /// Puts sources back exactly where they were.
    pub async fn restore(&self, removed: Removed) -> Result<Removed, FollowError> {
        let undo = removed.undo.clone();
        self.edit(move |file| file.restore(&undo)).await?;
        self.reload().await?;
        Ok(removed)
    }

    /// Changes what `sources.toml` says of sources.
    pub async fn change(
        &self,
        ids: Vec<SourceId>,
        change: SourceChange,
    ) -> Result<(), FollowError> {
        self.edit(move |file| file.update(&ids, &change)).await?;
        self.reload().await
    }

    async fn edit<T: Send + 'static>(
        &self,
        change: impl FnOnce(&SourcesFile) -> Result<T, EditError> + Send + 'static,
    ) -> Result<T, FollowError> {
        let file = SourcesFile::open(&self.paths);
        let task = tokio::task::spawn_blocking(move || change(&file));
        Ok(task.await.map_err(|_| StoreError::Closed)??)
    }

    /// Notes that the file has been read as it is.
    pub(super) fn declarations_seen(&self) -> bool {
        let now = stamp(&self.paths.sources_file());
        let seen = self.context.declared_at.lock().map(|mut at| std::mem::replace(&mut *at, now));
        seen.is_ok_and(|before| before == now)
    }

    /// Reads the declared sources again where another program, or a person, has changed the file.
    /// A file with faults changes nothing.
    pub(super) async fn reload_if_changed(&self) {
        if self.declarations_seen() {
            return;
        }
        match self.reload().await {
            Ok(()) => tracing::info!("sources read again"),
            Err(e) => tracing::error!("sources not read again, the old ones stay: {e}"),
        }
    }

    /// Reads the declared sources again, after any program has changed them.
    pub async fn reload(&self) -> Result<(), FollowError> {
        let (declared, facts) = self.read_declared().await?;
        self.context.set_sources(declared, &facts);
        self.replan().await;
        Ok(())
    }

    /// The sources as the file has them now, their rows in line with it.
    async fn read_declared(&self) -> Result<(Vec<Source>, Vec<SourceFacts>), FollowError> {
        let (paths, overrides) = (self.paths.clone(), self.overrides.clone());
        let task = tokio::task::spawn_blocking(move || config::load(&paths, &overrides));
        let loaded = task.await.map_err(|_| StoreError::Closed)??;
        let facts = self.context.store.reconcile(loaded.sources.clone(), self.now()).await?;
        Ok((loaded.sources, facts))
    }

    /// Takes back a permanent redirect; the declared address is asked again from now on.
    pub async fn undo_move(&self, key: i64) -> Result<(), FollowError> {
        let undo = |facts: &mut SourceFacts| {
            facts.move_refused = facts.moved_to.take();
            facts.validators = crate::model::Validators::default();
            facts.body_hash = None;
        };
        Ok(self.context.store.change_facts(key, undo).await?)
    }
}

/// What tells one state of a file from another.
fn stamp(file: &Path) -> Stamp {
    let metadata = std::fs::metadata(file).ok()?;
    Some((metadata.modified().ok()?, metadata.len()))
}

/// Time of the last change and length; `None` without a file.
pub(super) type Stamp = Option<(SystemTime, u64)>;

/// Whether what was typed for one address may be sent to another: the same origin, or the same
/// host over TLS.
fn may_have_credentials(typed: &Url, other: &Url) -> bool {
    let default_ports = typed.port().is_none() && other.port().is_none();
    let secured = typed.scheme() == "http" && other.scheme() == "https" && default_ports;
    typed.origin() == other.origin() || (secured && typed.host() == other.host())
}

/// Sources are tried again later; an address that is not followed yet is not.
fn without_promise(error: &FetchError) -> String {
    let words = error.to_string();
    let kept = words.strip_suffix("; it is tried again later").unwrap_or(&words);
    format!("{kept}; nothing is followed")
}

/// Credentials that were typed with the address.
fn access(web: &address::WebAddress) -> Access {
    let auth = web.user.clone().map(|user| BasicAuth {
        user,
        password: Secret::Plain(web.password.clone().unwrap_or_default()),
    });
    Access { auth, ..Access::default() }
}

struct Fetched {
    found: Found,
    answer: Answer,
}

struct Answer {
    response: crate::net::Response,
    at: crate::model::Time,
    millis: u32,
}

fn first_answer(feed: crate::feed::ParsedFeed, answer: Answer) -> FirstAnswer {
    FirstAnswer { feed, response: answer.response, at: answer.at, millis: answer.millis }
}

fn way(url: Url, feed: crate::feed::ParsedFeed, answer: Answer) -> Way {
    let title = feed.title.clone().unwrap_or_default();
    Way { url, title, first: Some(first_answer(feed, answer)) }
}

fn announced_way(announced: discover::Announced) -> Way {
    let title = announced.title.as_deref().map(text::line).unwrap_or_default();
    Way { url: announced.url, title, first: None }
}
