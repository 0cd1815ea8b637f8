//! The shared context of polls: store, network, clock, and the declared sources.

use super::announce::Announcer;
use super::crawl::Crawls;
use super::download::Downloads;
use super::fulltext::PageRequests;
use super::lists::Lists;
use super::message::{AccountNote, MARKS_FOLDER, SyncProgress};
use super::network::Connectivity;
use super::planner::Scheduling;
use super::setup::{Machine, east};
use super::workers::Workers;
use crate::config::Settings;
use crate::model::{Source, SourceFacts};
use crate::net::{Client, host_key};
use crate::schedule::price_for;
use crate::store::{Reader, Store, StoreError};
use crate::util::clock::Clock;
use std::collections::{HashMap, HashSet};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};
use std::time::SystemTime;
use tokio::sync::{Semaphore, oneshot, watch};
use tokio_util::sync::CancellationToken;
use url::Url;

/// Number of database connections used by polls.
const READERS: usize = 1;

/// Shared by all parts of the engine.
pub(super) struct Context {
    pub(super) store: Store,
    pub(super) client: Client,
    pub(super) clock: Arc<dyn Clock>,
    pub(super) network: Connectivity,
    pub(super) pages: PageRequests,
    pub(super) announcer: Announcer,
    pub(super) downloads: Downloads,
    pub(super) crawls: Crawls,
    pub(super) lists: Lists,
    /// The settings, and the subset that schedules use.
    settings: RwLock<(Arc<Settings>, Arc<Scheduling>)>,
    /// The settings that were last reloaded.
    pub(super) reloaded: watch::Sender<Arc<Settings>>,
    /// The declared sources by row key; `declared` publishes them in file order.
    sources: RwLock<HashMap<i64, Arc<Source>>>,
    declared: watch::Sender<Arc<Vec<Arc<Source>>>>,
    pub(super) readers: Mutex<Vec<Reader>>,
    /// Permits to run programs of sources.
    pub(super) programs: Semaphore,
    /// Permits to read mailboxes.
    pub(super) mailboxes: Semaphore,
    /// Permits to read the database.
    reading: Semaphore,
    workers: Workers,
    random: Mutex<fastrand::Rng>,
    /// The seed in [`Context::machine`].
    jitter: AtomicU64,
    /// Price of a poll, in item-seconds.
    price: Mutex<f64>,
    /// The states of `sources.toml` and `config.toml` when they were last read.
    pub(super) declared_at: Mutex<[Option<FileState>; 2]>,
    /// Whether `config.toml` has changed since its settings were read.
    pub(super) config_changed: AtomicBool,
    /// Why the current files could not be used.
    declaration_error: Mutex<Option<String>>,
    /// The first warning about the files.
    declaration_warning: Mutex<Option<String>>,
    /// Held while the configuration is reloaded, because an edit and the watcher may notice the same change.
    pub(super) reloading: tokio::sync::Mutex<()>,
    /// The results of the last synchronisations.
    pub(super) account_notes: Mutex<Vec<AccountNote>>,
    /// Progress of an account's first synchronisation.
    sync_progress: Mutex<Option<SyncProgress>>,
    /// Held while an account is synchronised.
    pub(super) syncing: tokio::sync::Mutex<()>,
    /// Cancellation tokens of the running explorations, by row key.
    exploring: Mutex<HashMap<i64, CancellationToken>>,
    /// URLs of the sources whose first responses are being stored, once for each attempt to add one.
    adding: Mutex<Vec<Url>>,
}

/// A source that is being added.
pub(super) struct Adding<'a> {
    context: &'a Context,
    url: Url,
}

impl Drop for Adding<'_> {
    fn drop(&mut self) {
        let mut adding = self.context.adding();
        if let Some(at) = adding.iter().position(|url| *url == self.url) {
            adding.swap_remove(at);
        }
    }
}

impl Context {
    /// With `follow`, the engine runs during interactive use and leaves one processor free.
    pub(super) fn new(
        store: Store,
        settings: Settings,
        client: Client,
        clock: Arc<dyn Clock>,
        seed: u64,
        follow: bool,
    ) -> Self {
        let processors = std::thread::available_parallelism().map_or(2, usize::from);
        // At least two, so that one slow document does not block all others.
        let workers = Workers::new((processors - usize::from(follow)).max(2));
        store.read_stories_together(settings.ui.mark_stories);
        Self {
            store,
            client,
            clock,
            network: Connectivity::default(),
            pages: PageRequests::default(),
            announcer: Announcer::default(),
            downloads: Downloads::default(),
            crawls: Crawls::default(),
            lists: Lists::default(),
            sources: RwLock::default(),
            declared: watch::Sender::new(Arc::default()),
            readers: Mutex::default(),
            programs: Semaphore::new(super::local::AT_ONCE),
            mailboxes: Semaphore::new(super::local::MAILBOXES_AT_ONCE),
            reading: Semaphore::new(READERS),
            workers,
            price: Mutex::new(price_for(settings.schedule.polls_per_day)),
            reloaded: watch::Sender::new(Arc::new(settings.clone())),
            settings: RwLock::new(Scheduling::beside(settings)),
            random: Mutex::new(fastrand::Rng::with_seed(seed)),
            jitter: AtomicU64::new(seed.max(1)),
            declared_at: Mutex::default(),
            config_changed: AtomicBool::new(false),
            declaration_error: Mutex::default(),
            declaration_warning: Mutex::default(),
            reloading: tokio::sync::Mutex::default(),
            account_notes: Mutex::default(),
            sync_progress: Mutex::default(),
            syncing: tokio::sync::Mutex::default(),
            exploring: Mutex::default(),
            adding: Mutex::default(),
        }
    }

    pub(super) fn settings(&self) -> Arc<Settings> {
        self.settings.read().unwrap_or_else(PoisonError::into_inner).0.clone()
    }

    /// Replaces the settings. The HTTP client keeps the settings that it was created with.
    pub(super) fn set_settings(&self, settings: Settings) {
        self.store.read_stories_together(settings.ui.mark_stories);
        let settings = Scheduling::beside(settings);
        *self.settings.write().unwrap_or_else(PoisonError::into_inner) = settings;
    }

    /// Keeps the source with this URL from being polled until the result is dropped.
    pub(super) fn begin_adding(&self, url: Url) -> Adding<'_> {
        self.adding().push(url.clone());
        Adding { context: self, url }
    }

    pub(super) fn is_adding(&self, url: &Url) -> bool {
        self.adding().contains(url)
    }

    fn adding(&self) -> MutexGuard<'_, Vec<Url>> {
        self.adding.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Registers the exploration of a source's site. Returns its cancellation token.
    pub(super) fn begin_exploring(&self, source: i64) -> CancellationToken {
        let stop = CancellationToken::new();
        self.exploring().insert(source, stop.clone());
        stop
    }

    /// Stops the exploration of a source. Returns whether there was one.
    pub(super) fn end_exploring(&self, source: i64) -> bool {
        self.exploring().remove(&source).is_some_and(|stop| {
            let running = !stop.is_cancelled();
            stop.cancel();
            running
        })
    }

    /// The sources (row keys) whose sites are being explored.
    pub(super) fn exploring_keys(&self) -> Vec<i64> {
        let exploring = self.exploring();
        let running = exploring.iter().filter(|(_, stop)| !stop.is_cancelled());
        let mut keys: Vec<i64> = running.map(|(key, _)| *key).collect();
        keys.sort_unstable();
        keys
    }

    fn exploring(&self) -> MutexGuard<'_, HashMap<i64, CancellationToken>> {
        self.exploring.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A seed for the delays between requests.
    pub(super) fn seed(&self) -> u64 {
        self.random.lock().unwrap_or_else(PoisonError::into_inner).u64(..)
    }

    /// Facts of this machine that schedules depend on.
    pub(super) fn machine(&self) -> Machine {
        let seed = self.jitter.load(Ordering::Relaxed);
        Machine { east: east(self.clock.now()), seed }
    }

    pub(super) fn scheduling(&self) -> Arc<Scheduling> {
        self.settings.read().unwrap_or_else(PoisonError::into_inner).1.clone()
    }

    pub(super) fn set_jitter_seed(&self, seed: u64) {
        self.jitter.store(seed, Ordering::Relaxed);
    }

    /// Price of a poll for the sources that share a budget.
    pub(super) fn price(&self) -> f64 {
        *self.price.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn set_price(&self, price: f64) {
        *self.price.lock().unwrap_or_else(PoisonError::into_inner) = price;
    }

    /// Runs a query on a read-only connection, outside the runtime's threads.
    pub(super) async fn read<T: Send + 'static>(
        self: &Arc<Self>,
        query: impl FnOnce(&Reader) -> Result<T, StoreError> + Send + 'static,
    ) -> Result<T, StoreError> {
        let (reply, result) = oneshot::channel();
        let query = move |reader: &Reader| drop(reply.send(query(reader)));
        self.read_boxed(Box::new(query)).await?;
        result.await.unwrap_or(Err(StoreError::Closed))
    }

    /// Runs a query. Shared by all query types, because a separate task for each would slow down compilation.
    async fn read_boxed(
        self: &Arc<Self>,
        query: Box<dyn FnOnce(&Reader) + Send>,
    ) -> Result<(), StoreError> {
        let _turn = self.reading.acquire().await.map_err(|_| StoreError::Closed)?;
        let context = self.clone();
        let task = tokio::task::spawn_blocking(move || {
            let readers = || context.readers.lock().unwrap_or_else(PoisonError::into_inner);
            let idle = readers().pop();
            let reader = match idle {
                Some(reader) => reader,
                None => context.store.reader()?,
            };
            query(&reader);
            let mut idle = readers();
            if idle.len() < READERS && !reader.is_frozen() {
                idle.push(reader);
            }
            Ok(())
        });
        task.await.unwrap_or(Err(StoreError::Closed))
    }

    /// Closes idle connections, because the writer checkpoints the log only if its connection is closed last.
    pub(super) fn close_readers(&self) {
        self.readers.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }

    /// Runs short work outside the runtime's threads; `None` if it panicked.
    pub(super) async fn work<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Option<T> {
        self.read_document(0, work).await
    }

    /// Runs a closure that reads a document of `bytes` bytes; `None` if the closure panicked.
    pub(super) async fn read_document<T: Send + 'static>(
        &self,
        bytes: usize,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Option<T> {
        self.begin(bytes, work).await?.await.ok()
    }

    /// Performs work on a document of this size in bytes, and blocks the calling thread until it is done.
    pub(super) fn work_on<T: Send + 'static>(
        &self,
        bytes: usize,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Option<T> {
        self.workers.perform(bytes, work)
    }

    /// Starts work on a document of this size in bytes when a thread is free. It continues even if no caller
    /// waits for the result; `None` if there are no threads.
    pub(super) async fn begin<T: Send + 'static>(
        &self,
        bytes: usize,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Option<oneshot::Receiver<T>> {
        self.workers.begin(bytes, work).await
    }

    /// Replaces the declared sources. `facts` are the updated rows, which supply the account sources. Returns
    /// the keys of the sources that will be fetched differently.
    pub(super) fn set_sources(&self, declared: Vec<Source>, facts: &[SourceFacts]) -> HashSet<i64> {
        let keys: HashMap<&str, i64> = facts.iter().map(|f| (f.id.as_str(), f.key)).collect();
        let collected = facts.iter().filter_map(SourceFacts::collected_source);
        let local = declared.into_iter().filter(|source| source.account.is_none());
        let all: Vec<Arc<Source>> = local.chain(collected).map(Arc::new).collect();
        let by_key = all.iter().filter_map(|s| Some((*keys.get(s.id.as_str())?, s.clone())));
        let by_key: HashMap<i64, Arc<Source>> = by_key.collect();
        let mut sources = self.sources.write().unwrap_or_else(PoisonError::into_inner);
        let differs = |key: &i64| {
            let (Some(old), Some(new)) = (sources.get(key), by_key.get(key)) else { return false };
            (&old.url, &old.rules, &old.access, old.private)
                != (&new.url, &new.rules, &new.access, new.private)
        };
        let changed = by_key.keys().copied().filter(differs).collect();
        *sources = by_key;
        drop(sources);
        self.declared.send_replace(Arc::new(all));
        changed
    }

    /// Progress of an account's first synchronisation.
    pub(super) fn sync_progress(&self) -> Option<SyncProgress> {
        self.sync_progress.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub(super) fn set_sync_progress(&self, progress: Option<SyncProgress>) {
        *self.sync_progress.lock().unwrap_or_else(PoisonError::into_inner) = progress;
    }

    /// The results of the last synchronisations of existing accounts and of the folder for marks.
    pub(super) fn account_notes(&self) -> Vec<AccountNote> {
        let settings = self.settings();
        let mut notes = self.account_notes.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let exists = |name: &str| settings.accounts.iter().any(|account| account.id == name);
        notes.retain(|note| note.account == MARKS_FOLDER || exists(&note.account));
        notes
    }

    /// Records the result of a synchronisation.
    pub(super) fn note_account(&self, note: AccountNote) {
        let mut notes = self.account_notes.lock().unwrap_or_else(PoisonError::into_inner);
        notes.retain(|other| other.account != note.account);
        notes.push(note);
    }

    /// Clears the recorded result of an account's last synchronisation.
    pub(super) fn clear_account_note(&self, account: &str) {
        let mut notes = self.account_notes.lock().unwrap_or_else(PoisonError::into_inner);
        notes.retain(|note| note.account != account);
    }

    /// Why the declared sources could not be reloaded.
    pub(super) fn declaration_error(&self) -> Option<String> {
        self.declaration_error.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub(super) fn set_error(&self, declaration_error: Option<String>) {
        *self.declaration_error.lock().unwrap_or_else(PoisonError::into_inner) = declaration_error;
    }

    /// The first warning about the files since they were last reloaded.
    pub(super) fn declaration_warning(&self) -> Option<String> {
        self.declaration_warning.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub(super) fn set_warning(&self, warning: Option<String>) {
        *self.declaration_warning.lock().unwrap_or_else(PoisonError::into_inner) = warning;
    }

    pub(super) fn declared(&self) -> watch::Receiver<Arc<Vec<Arc<Source>>>> {
        self.declared.subscribe()
    }

    pub(super) fn source(&self, key: i64) -> Option<Arc<Source>> {
        self.sources.read().unwrap_or_else(PoisonError::into_inner).get(&key).cloned()
    }

    /// Number of distinct hosts of the declared sources.
    pub(super) fn hosts(&self) -> usize {
        let sources = self.sources.read().unwrap_or_else(PoisonError::into_inner);
        sources.values().filter_map(|s| s.web_url().map(host_key)).collect::<HashSet<_>>().len()
    }

    /// Row keys of all declared sources, oldest first.
    pub(super) fn keys(&self) -> Vec<i64> {
        let sources = self.sources.read().unwrap_or_else(PoisonError::into_inner);
        let mut keys: Vec<i64> = sources.keys().copied().collect();
        keys.sort_unstable();
        keys
    }
}

/// Modification time and length of a file, for detecting changes.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct FileState {
    modified: SystemTime,
    length: u64,
}

impl FileState {
    /// `None` if the file does not exist.
    pub(super) fn of(file: PathBuf) -> Option<Self> {
        let metadata = std::fs::metadata(file).ok()?;
        Some(Self { modified: metadata.modified().ok()?, length: metadata.len() })
    }
}
