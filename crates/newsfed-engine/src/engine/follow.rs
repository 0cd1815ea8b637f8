//! Follows a URL in one of the detected ways, and reloads the configuration.

use super::announce;
use super::budget;
use super::context::FileState;
use super::edit::blocking;
use super::handle::Handle;
use super::lists;
use super::message::{Discovery, FirstFeed, FirstFetch, FirstPage, Pace, TimedResponse, Way};
use super::planner;
use super::poll::{Finished, Started, read_response, store};
use super::queue::Job;
use super::read_feed::ReadFeed;
use super::rules;
use super::site::{PageFetcher, Prefetched};
use crate::config::{
    self, Added, ConfigError, ConfigErrors, EditError, ErrorPlace, FileEdit, KeyChange, Section,
    Settings, SourcesFile,
};
use crate::model::{
    Access, BasicAuth, Pause, PauseReason, Secret, Source, SourceFacts, SourceId, SourceKind, Time,
};
use crate::net::{FetchError, Response};
use crate::store::StoreError;
use crate::util::time_text::clock;
use crate::util::url as address;
use crate::website::Page;
use crate::website::propose::{Sample, article_rules};
use std::collections::HashSet;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use url::Url;

/// Why a URL could not be followed or a source not changed.
#[derive(Debug, thiserror::Error)]
pub enum FollowError {
    /// The text is not a URL.
    #[error("{0}")]
    Address(#[from] address::UrlError),
    #[error("{url}: {error}")]
    Fetch { url: Box<Url>, error: FetchError },
    /// Neither https nor http returned a response.
    #[error("{https}: {http}")]
    Neither {
        /// The error of the https request.
        https: String,
        /// The error of the http request.
        http: Box<FollowError>,
    },
    /// The response was an error.
    #[error("{message}")]
    Status { status: u16, message: String },
    /// The item has no comment feed.
    #[error("this item has no comment feed")]
    NoComments,
    /// The comment feed has a private address on a different host than the item's source.
    #[error("the comments were not followed: {0} is a private address; `newsfed add` follows it")]
    PrivateComments(Url),
    /// A program printed no feed, or a file contains none.
    #[error("{0}")]
    Local(String),
    /// A list cannot be imported.
    #[error("{0}")]
    List(String),
    /// The document is not a feed.
    #[error("there is no feed at {0}")]
    NoFeed(Url),
    /// The URL is already followed.
    #[error("this URL is already followed as {0}")]
    Known(SourceId),
    /// A source of an account could not be changed.
    #[error("{0}")]
    Account(String),
    #[error("{0}")]
    Edit(#[from] EditError),
    /// The configuration files are not valid.
    #[error("{0}")]
    Config(#[from] ConfigErrors),
    #[error("{0}")]
    Store(#[from] StoreError),
}

impl FollowError {
    /// The error for an unsuccessful response, with what to do.
    pub(super) fn status(response: &Response, now: Time) -> Self {
        let advice = match response.pause() {
            Some(wait) => format!("try again after {}", clock(now + wait, now)),
            None if response.status >= 500 => "try again later".to_owned(),
            None => "check the URL in a browser".to_owned(),
        };
        let message = format!("{}; {advice}", response.refusal().1);
        Self::Status { status: response.status, message }
    }
}

impl Handle {
    /// Adds a source in one of the detected ways. A response from discovery serves as the first poll. `title`
    /// and `folder` come from the user.
    pub async fn follow(
        &self,
        mut discovery: Discovery,
        way: usize,
        title: Option<String>,
        folder: Option<String>,
    ) -> Result<(Source, FileEdit), FollowError> {
        if way >= discovery.ways.len() {
            return Err(address::UrlError::Empty.into());
        }
        let way = discovery.ways.swap_remove(way);
        let source = Source { title, folder, ..discovery.source(&way) };
        let first = match way.first {
            // A crawl takes too long to wait for.
            None if way.kind() == SourceKind::Crawl => None,
            Some(first) => Some(first),
            None => Some(FirstFetch::Feed(self.fetch_announced(&way.url, &discovery.typed).await?)),
        };
        self.follow_source(source, first).await
    }

    /// Like [`Handle::follow`], with the user's edited draft of the entry ([`Discovery::draft`]). If the user
    /// wrote the entry by hand or changed its URL or kind, the source is polled again.
    pub async fn follow_edited(
        &self,
        discovery: &Discovery,
        way: Option<usize>,
        entry: &Section,
        changes: &[KeyChange],
    ) -> Result<(Source, FileEdit), FollowError> {
        let source = entry.source_with(changes)?;
        let same = |way: &&Way| source.url == way.url && source.kind() == way.kind();
        let way = way.and_then(|way| discovery.ways.get(way)).filter(same);
        let first = way.and_then(|way| way.first.clone());
        self.follow_source(source, first).await
    }

    /// Declares a source and stores its first poll, if there is one.
    pub(super) async fn follow_source(
        &self,
        mut source: Source,
        first: Option<FirstFetch>,
    ) -> Result<(Source, FileEdit), FollowError> {
        if let Some(known) = self.followed_as(&source.url, first.as_ref()).await? {
            return Err(FollowError::Known(known));
        }
        let mut prefetched = Prefetched::new();
        let unsaid = source.rules.pages().is_some_and(|rules| !rules.has_selectors());
        if let (Some(FirstFetch::Page(page)), true) = (&first, unsaid) {
            prefetched = self.learn_articles(&mut source, &page.samples).await;
        }
        self.refuse_missing_file().await?;
        let file = SourcesFile::open(&self.paths);
        // The source is declared while the pages of its first response are being fetched.
        let adding = self.context.begin_adding(source.url.clone());
        let reloading = self.context.reloading.lock().await;
        let (added, edit) = blocking(move || file.import(&[source])).await?;
        let (source, known) = (added.sources.into_iter().next(), added.already.into_iter().next());
        let Some(source) = source else {
            let id = known.map_or(SourceId(String::new()), |(id, _)| id);
            return Err(FollowError::Known(id));
        };
        let (declared, facts) = match self.read_declared().await {
            Ok(read) => read,
            Err(e) => {
                self.declarations_invalid(&e).await;
                return Ok((source, edit));
            }
        };
        self.context.set_error(None);
        rules::renew_for(&self.context, declared.iter(), &facts);
        self.context.set_sources(declared, &facts);
        drop(reloading);
        if let Some(facts) = facts.iter().find(|f| f.id == source.id) {
            // The file has already been changed, and without this response the source will be polled soon.
            if let Err(e) = self.begin_source(facts, &source, first, prefetched).await {
                tracing::error!("the first response of {} was not stored: {e}", source.id);
            }
        }
        drop(adding);
        self.replan().await;
        Ok((source, edit))
    }

    /// The source that already follows the target of the URL's permanent redirect.
    async fn followed_as(
        &self,
        url: &Url,
        first: Option<&FirstFetch>,
    ) -> Result<Option<SourceId>, FollowError> {
        let response = first.map(|first| match first {
            FirstFetch::Feed(first) => &first.response.response,
            FirstFetch::Page(first) => &first.response.response,
        });
        let mut here = HashSet::from([address::normalise(url)]);
        if let Some(response) = response.filter(|r| r.moved_for_good()) {
            here.insert(address::normalise(&response.final_url));
        }
        let leads_here = |(source, facts): &(Arc<Source>, SourceFacts)| {
            let moved = facts.moved_to.as_deref().and_then(|url| Url::parse(url).ok());
            here.contains(&address::normalise(&source.url))
                || moved.is_some_and(|url| here.contains(&address::normalise(&url)))
        };
        let known = self.sources().await?.into_iter().find(leads_here);
        Ok(known.map(|(source, _)| source.id.clone()))
    }

    /// Derives the selectors for a website's articles from the first few. Returns their pages, because the
    /// first poll needs them again.
    async fn learn_articles(&self, source: &mut Source, samples: &[(Url, String)]) -> Prefetched {
        let mut fetcher = PageFetcher::new(&self.context, source, false);
        let (mut prefetched, mut read) = (Prefetched::new(), Vec::new());
        for (url, title) in samples {
            // If a page cannot be fetched, the default selectors are used.
            let Ok(response) = fetcher.page(url.clone()).await else { continue };
            if response.is_success() {
                let response = response.release();
                read.push((response.clone(), title.clone()));
                prefetched.insert(address::normalise(url), response);
            }
        }
        let Some(rules) = source.rules.pages().cloned() else { return prefetched };
        let now = self.context.clock.now();
        let learned = self.context.work(move || {
            let sample = |(response, title): (Response, String)| {
                let page = Page::read(&response.body, response.content_type(), &response.final_url);
                page.ok().map(|page| Sample { page, title })
            };
            let samples: Vec<Sample> = read.into_iter().filter_map(sample).collect();
            if samples.is_empty() { rules } else { article_rules(&samples, rules, Some(now)) }
        });
        if let (Some(rules), Some(learned)) = (source.rules.pages_mut(), learned.await) {
            *rules = learned;
        }
        prefetched
    }

    /// Stores the first response of a new source.
    async fn begin_source(
        &self,
        facts: &SourceFacts,
        source: &Source,
        first: Option<FirstFetch>,
        prefetched: Prefetched,
    ) -> Result<(), StoreError> {
        let facts = lists::begun(&self.context, source, facts).await?;
        let Some(first) = first else { return Ok(()) };
        self.store_first(&facts, source, first, prefetched).await
    }

    async fn store_first(
        &self,
        facts: &SourceFacts,
        source: &Source,
        first: FirstFetch,
        prefetched: Prefetched,
    ) -> Result<(), StoreError> {
        let source = Arc::new(source.clone());
        let job = Job { key: facts.key, source, pace: Pace::Manual, report: None };
        let hashing = self.context.store.hashing().await?;
        let (at, finished) = match first {
            FirstFetch::Feed(FirstFeed { feed, response: TimedResponse { response, at } }) => {
                let finished = Finished::of(&response, job.source.url.to_string());
                let body = response.body.clone();
                let read = move || ReadFeed::new(feed, hashing.document(&body), &hashing);
                let finished = match self.context.read_document(response.body.len(), read).await {
                    Some(feed) => finished.take(feed),
                    None => finished.unreadable(),
                };
                (at, finished)
            }
            FirstFetch::Page(FirstPage { response: TimedResponse { response, at }, .. }) => {
                let mut facts = facts.clone();
                if let Some(rules) = job.source.rules.pages() {
                    facts.website = facts.website.under(rules);
                }
                let fetcher = PageFetcher::new(&self.context, &job.source, false);
                let started =
                    Started { context: &self.context, job: &job, facts: &facts, at, hashing };
                let mut finished = Finished::of(&response, job.source.url.to_string());
                finished.requests += u32::try_from(prefetched.len()).unwrap_or(0);
                (at, read_response(&started, fetcher, finished, response, prefetched).await)
            }
        };
        store(&self.context, &job, at, finished).await?;
        // A re-added source already has items, so new ones are announced.
        announce::refresh_ended(&self.context);
        Ok(())
    }

    /// Declares sources in `sources.toml`. Those with URLs that are already declared are skipped. Each gets a
    /// unique id.
    pub async fn declare(&self, sources: Vec<Source>) -> Result<(Added, FileEdit), FollowError> {
        self.refuse_missing_file().await?;
        let file = SourcesFile::open(&self.paths);
        let added = blocking(move || file.import(&sources)).await?;
        self.read_again().await;
        Ok(added)
    }

    /// Fails if there are sources but `sources.toml` is missing, because a new file would contain only the
    /// added source.
    pub(super) async fn refuse_missing_file(&self) -> Result<(), FollowError> {
        let (file, had_sources) = (self.paths.sources_file(), self.has_sources());
        let lost = had_sources && tokio::fs::metadata(&file).await.is_err_and(is_not_found);
        if lost { Err(missing(file).into()) } else { Ok(()) }
    }

    fn has_sources(&self) -> bool {
        self.context.declared().borrow().iter().any(|source| source.account.is_none())
    }

    /// Records the current state of the files as the one last read. Returns whether it is unchanged.
    pub(super) fn declarations_seen(&self) -> bool {
        let now = [self.paths.sources_file(), self.paths.config_file()].map(FileState::of);
        let seen = self.context.declared_at.lock().map(|mut at| std::mem::replace(&mut *at, now));
        let Ok(before) = seen else { return false };
        if before[1] != now[1] {
            self.context.config_changed.store(true, Ordering::SeqCst);
        }
        before == now
    }

    /// Reloads the declared sources if another program or the user has changed the files. Files with errors
    /// are ignored.
    pub(super) async fn reload_if_changed(&self) {
        let _one_at_a_time = self.context.reloading.lock().await;
        if self.declarations_seen() {
            return;
        }
        if let Err(e) = self.reload_now().await {
            tracing::error!("{NOT_RELOADED}: {e}");
        }
    }

    /// Reloads the declared sources after a change to the file, which is kept even if reloading fails.
    /// Returns whether it succeeded; otherwise, the status contains the error.
    pub(super) async fn read_again(&self) -> bool {
        let read = self.reload().await;
        if let Err(e) = &read {
            tracing::error!("{NOT_RELOADED}: {e}");
        }
        read.is_ok()
    }

    /// Reloads the declared sources after a program has changed them.
    pub async fn reload(&self) -> Result<(), FollowError> {
        let _one_at_a_time = self.context.reloading.lock().await;
        self.reload_now().await
    }

    async fn reload_now(&self) -> Result<(), FollowError> {
        self.declarations_seen();
        match self.read_declared().await {
            Ok((declared, facts)) => {
                self.context.set_error(None);
                rules::renew_for(&self.context, declared.iter(), &facts);
                let changed = self.context.set_sources(declared, &facts);
                self.end_refusals(&facts, &changed).await?;
                planner::plan_changed(&self.context, &facts).await?;
                self.replan().await;
                Ok(())
            }
            Err(e) => {
                self.declarations_invalid(&e).await;
                Err(e)
            }
        }
    }

    /// Ends the pauses after 4xx responses for sources that will be fetched differently.
    async fn end_refusals(
        &self,
        facts: &[SourceFacts],
        changed: &HashSet<i64>,
    ) -> Result<(), StoreError> {
        let refused = |pause: Pause| pause.reason == PauseReason::Refused;
        for facts in facts.iter().filter(|f| f.pause.is_some_and(refused)) {
            if changed.contains(&facts.key) {
                self.context.store.change_facts(facts.key, |facts| facts.pause = None).await?;
            }
        }
        Ok(())
    }

    /// Shows the error in the status until it is fixed.
    async fn declarations_invalid(&self, error: &FollowError) {
        self.context.set_error(Some(first_line(error)));
        self.replan().await;
    }

    /// Loads the sources from the file, updates their rows, and applies changed settings.
    async fn read_declared(&self) -> Result<(Vec<Source>, Vec<SourceFacts>), FollowError> {
        let (paths, overrides) = (self.paths.clone(), self.overrides());
        let had_sources = self.has_sources();
        let load = move || {
            let file = paths.sources_file();
            // Editors replace files, so a missing file may reappear in a moment.
            if had_sources && std::fs::metadata(&file).is_err_and(is_not_found) {
                Err(missing(file))
            } else {
                config::load(&paths, &overrides)
            }
        };
        let task = tokio::task::spawn_blocking(load);
        let loaded = task.await.map_err(|_| StoreError::Closed)??;
        for warning in &loaded.warnings {
            tracing::warn!("{warning}");
        }
        self.context.set_warning(config::first_warning(&loaded.warnings));
        if self.context.config_changed.swap(false, Ordering::SeqCst) {
            self.reload_settings(loaded.settings).await;
        }
        let facts = self.context.store.reconcile(loaded.sources.clone(), self.now()).await?;
        Ok((loaded.sources, facts))
    }

    /// Applies reloaded settings if they have changed. The HTTP client keeps the settings that it was created
    /// with.
    async fn reload_settings(&self, settings: Settings) {
        if *self.context.settings() == settings {
            return;
        }
        tracing::info!("config.toml was reloaded");
        self.context.set_settings(settings.clone());
        budget::restore(&self.context).await;
        rules::renew(&self.context).await;
        self.context.reloaded.send_replace(Arc::new(settings));
    }

    /// Reverts a permanent redirect, so that the declared URL is fetched again.
    pub async fn undo_move(&self, key: i64) -> Result<(), FollowError> {
        let undo = |facts: &mut SourceFacts| {
            facts.move_refused = facts.moved_to.take();
            facts.validators = crate::model::Validators::default();
            facts.body_hash = None;
        };
        Ok(self.context.store.change_facts(key, undo).await?)
    }
}

const NOT_RELOADED: &str = "the configuration was not reloaded; the old one stays in effect";

fn is_not_found(error: std::io::Error) -> bool {
    error.kind() == std::io::ErrorKind::NotFound
}

fn missing(file: PathBuf) -> ConfigErrors {
    let message = "is missing; the sources stay until it is back or newsfed is restarted";
    let place = ErrorPlace::File(file);
    let error = ConfigError { place, key: String::new(), message: message.to_owned() };
    ConfigErrors { errors: vec![error], more: 0 }
}

fn first_line(error: &FollowError) -> String {
    error.to_string().lines().next().unwrap_or_default().to_owned()
}

/// Whether credentials typed for one URL may be sent to another: to the same origin, or from http to https on
/// the same host, both on the default port.
pub(super) fn may_have_credentials(typed: &Url, other: &Url) -> bool {
    let default_ports = typed.port().is_none() && other.port().is_none();
    let secured = typed.scheme() == "http" && other.scheme() == "https" && default_ports;
    typed.origin() == other.origin() || (secured && typed.host() == other.host())
}

/// The credentials that were typed with the URL.
pub fn access(web: &address::WebAddress) -> Access {
    let auth = web.user.clone().map(|user| BasicAuth {
        user,
        password: Secret::Plain(web.password.clone().unwrap_or_default()),
    });
    Access { auth, ..Access::default() }
}
