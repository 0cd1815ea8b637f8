//! What every look needs: store, network, clock, the declared sources.

use super::look::parse;
use crate::config::Settings;
use crate::feed::ParsedFeed;
use crate::model::{Source, SourceFacts};
use crate::net::{Client, Response, host_key};
use crate::store::{Reader, Store, StoreError};
use crate::util::clock::Clock;
use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, PoisonError, RwLock};
use tokio::sync::{Semaphore, watch};

/// Shared by everything the engine does.
pub(super) struct Context {
    pub(super) store: Store,
    pub(super) client: Client,
    pub(super) clock: Arc<dyn Clock>,
    pub(super) network: Network,
    settings: Settings,
    /// The declared sources by row key; `declared` publishes them in the order of the file.
    sources: RwLock<HashMap<i64, Arc<Source>>>,
    declared: watch::Sender<Arc<Vec<Arc<Source>>>>,
    readers: Mutex<Vec<Reader>>,
    parsers: Semaphore,
    random: Mutex<fastrand::Rng>,
}

impl Context {
    pub(super) fn new(store: Store, settings: Settings, clock: Arc<dyn Clock>, seed: u64) -> Self {
        let parsers = std::thread::available_parallelism().map_or(2, usize::from);
        Self {
            client: Client::new(settings.net.clone(), clock.clone()),
            store,
            clock,
            network: Network::default(),
            settings,
            sources: RwLock::default(),
            declared: watch::Sender::new(Arc::default()),
            readers: Mutex::default(),
            parsers: Semaphore::new(parsers),
            random: Mutex::new(fastrand::Rng::with_seed(seed)),
        }
    }

    pub(super) fn settings(&self) -> &Settings {
        &self.settings
    }

    /// A number for jitter.
    pub(super) fn seed(&self) -> u64 {
        self.random.lock().unwrap_or_else(PoisonError::into_inner).u64(..)
    }

    /// Runs a query on a read-only connection, off the runtime's threads.
    pub(super) async fn read<T: Send + 'static>(
        self: &Arc<Self>,
        query: impl FnOnce(&Reader) -> Result<T, StoreError> + Send + 'static,
    ) -> Result<T, StoreError> {
        let context = self.clone();
        let task = tokio::task::spawn_blocking(move || {
            let readers = || context.readers.lock().unwrap_or_else(PoisonError::into_inner);
            let idle = readers().pop();
            let reader = match idle {
                Some(reader) => reader,
                None => context.store.reader()?,
            };
            let result = query(&reader);
            let mut idle = readers();
            if idle.len() < 4 {
                idle.push(reader);
            }
            result
        });
        task.await.unwrap_or(Err(StoreError::Closed))
    }

    /// Parses a body on the blocking pool, as many at once as there are processors.
    pub(super) async fn parse(&self, response: Response) -> Result<(ParsedFeed, Response), String> {
        let _turn = self.parsers.acquire().await.map_err(|_| "newsfed is shutting down")?;
        let task =
            tokio::task::spawn_blocking(move || parse(&response).map(|feed| (feed, response)));
        task.await
            .unwrap_or_else(|_| Err("the document could not be read (this is a bug)".to_owned()))
    }

    /// Takes over what is declared, once the rows are in line with it.
    pub(super) fn set_sources(&self, declared: Vec<Source>, facts: &[SourceFacts]) {
        let keys: HashMap<&str, i64> = facts.iter().map(|f| (f.id.as_str(), f.key)).collect();
        let all: Vec<Arc<Source>> = declared.into_iter().map(Arc::new).collect();
        let by_key = all.iter().filter_map(|s| Some((*keys.get(s.id.as_str())?, s.clone())));
        *self.sources.write().unwrap_or_else(PoisonError::into_inner) = by_key.collect();
        self.declared.send_replace(Arc::new(all));
    }

    pub(super) fn declared(&self) -> watch::Receiver<Arc<Vec<Arc<Source>>>> {
        self.declared.subscribe()
    }

    pub(super) fn source(&self, key: i64) -> Option<Arc<Source>> {
        self.sources.read().unwrap_or_else(PoisonError::into_inner).get(&key).cloned()
    }

    /// Row keys of all declared sources, the ones followed longest first.
    pub(super) fn keys(&self) -> Vec<i64> {
        let sources = self.sources.read().unwrap_or_else(PoisonError::into_inner);
        let mut keys: Vec<i64> = sources.keys().copied().collect();
        keys.sort_unstable();
        keys
    }

    /// The other sources whose declared address is on a host.
    pub(super) fn on_host(&self, host: &str, but: i64) -> Vec<i64> {
        let sources = self.sources.read().unwrap_or_else(PoisonError::into_inner);
        let others = sources.iter().filter(|(key, s)| **key != but && host_key(&s.url) == host);
        others.map(|(key, _)| *key).collect()
    }
}

/// Tells a network that is gone from a host that is: several hosts cannot be reached, and not one
/// has answered in between.
#[derive(Debug, Default)]
pub(super) struct Network {
    unreachable: Mutex<HashSet<String>>,
}

/// Unreachable hosts from which the network counts as gone.
const OFFLINE_AFTER: usize = 3;

impl Network {
    /// Notes the end of a request to a host; tells whether the network counts as gone.
    pub(super) fn note(&self, host: &str, failed_to_connect: bool) -> bool {
        let mut hosts = self.unreachable.lock().unwrap_or_else(PoisonError::into_inner);
        if failed_to_connect {
            hosts.insert(host.to_owned());
        } else {
            hosts.clear();
        }
        hosts.len() >= OFFLINE_AFTER
    }

    /// Whether the network counts as gone.
    pub(super) fn is_offline(&self) -> bool {
        self.unreachable.lock().unwrap_or_else(PoisonError::into_inner).len() >= OFFLINE_AFTER
    }
}
