//! What every look needs: store, network, clock, the declared sources.

use super::look::parse;
use crate::config::Settings;
use crate::feed::ParsedFeed;
use crate::model::{Source, SourceFacts};
use crate::net::{Client, Response, host_key};
use crate::store::{Reader, Store, StoreError};
use crate::util::clock::Clock;
use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};
use tokio::sync::{Semaphore, watch};

/// Connections that looks read the database with.
const READERS: usize = 2;

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
    /// Turns of the blocking pool, so that its threads stay few.
    reading: Semaphore,
    working: Semaphore,
    random: Mutex<fastrand::Rng>,
}

impl Context {
    pub(super) fn new(store: Store, settings: Settings, clock: Arc<dyn Clock>, seed: u64) -> Self {
        let processors = std::thread::available_parallelism().map_or(2, usize::from);
        Self {
            client: Client::new(settings.net.clone(), clock.clone()),
            store,
            clock,
            network: Network::default(),
            settings,
            sources: RwLock::default(),
            declared: watch::Sender::new(Arc::default()),
            readers: Mutex::default(),
            reading: Semaphore::new(READERS),
            working: Semaphore::new(processors),
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
        let _turn = self.reading.acquire().await.map_err(|_| StoreError::Closed)?;
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
            if idle.len() < READERS {
                idle.push(reader);
            }
            result
        });
        task.await.unwrap_or(Err(StoreError::Closed))
    }

    /// Parses a body on the blocking pool.
    pub(super) async fn parse(&self, response: Response) -> Result<ParsedFeed, String> {
        let parsed = self.work(move || parse(&response)).await;
        parsed.unwrap_or_else(|| Err("the document could not be read (this is a bug)".to_owned()))
    }

    /// Works on the blocking pool, as many at once as there are processors; `None` when the work
    /// panicked.
    pub(super) async fn work<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Option<T> {
        let _turn = self.working.acquire().await.ok()?;
        tokio::task::spawn_blocking(work).await.ok()
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
    /// Per host that cannot be reached, the sources that were looked for there.
    unreachable: Mutex<HashMap<String, HashSet<i64>>>,
}

/// Unreachable hosts from which the network counts as gone.
const OFFLINE_AFTER: usize = 3;

/// What the end of a request says about the network.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Reach {
    /// Nothing speaks against it.
    Online,
    /// The network counts as gone.
    Offline,
    /// As of now. These sources were taken for failing before that was known.
    Lost(Vec<i64>),
}

impl Network {
    /// Notes that a host answered, or failed by itself.
    pub(super) fn reached(&self) {
        self.hosts().clear();
    }

    /// Notes that a host could not be reached when a source was looked for there.
    pub(super) fn unreachable(&self, host: String, source: i64) -> Reach {
        let mut hosts = self.hosts();
        let before = hosts.len();
        let earlier = hosts.values().flatten().copied().filter(|key| *key != source).collect();
        hosts.entry(host).or_default().insert(source);
        match (before >= OFFLINE_AFTER, hosts.len() >= OFFLINE_AFTER) {
            (true, _) => Reach::Offline,
            (false, true) => Reach::Lost(earlier),
            (false, false) => Reach::Online,
        }
    }

    /// Whether the network counts as gone.
    pub(super) fn is_offline(&self) -> bool {
        self.hosts().len() >= OFFLINE_AFTER
    }

    fn hosts(&self) -> MutexGuard<'_, HashMap<String, HashSet<i64>>> {
        self.unreachable.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_hosts_without_an_answer_in_between_are_a_lost_network() {
        let network = Network::default();
        let fails = |host: &str, key| network.unreachable(host.to_owned(), key);
        assert_eq!((fails("a", 1), fails("b", 2)), (Reach::Online, Reach::Online));
        network.reached();
        assert_eq!((fails("a", 1), fails("a", 3)), (Reach::Online, Reach::Online), "one host");
        assert_eq!(fails("b", 2), Reach::Online);
        let Reach::Lost(mut earlier) = fails("c", 4) else { panic!("three hosts") };
        earlier.sort_unstable();
        assert_eq!(earlier, [1, 2, 3]);
        assert_eq!(fails("d", 5), Reach::Offline);
        assert!(network.is_offline());
        network.reached();
        assert!(!network.is_offline());
    }
}
