//! Read-only connections for requests.

use super::refusal::Refusal;
use crate::store::{Reader, Store};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::Semaphore;

/// Requests that read at the same time; further ones wait.
const MOST: usize = 4;

struct Pool {
    store: Store,
    idle: Mutex<Vec<Reader>>,
}

impl Pool {
    fn idle(&self) -> MutexGuard<'_, Vec<Reader>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

pub(super) struct Readers {
    pool: Arc<Pool>,
    turns: Semaphore,
}

impl Readers {
    pub(super) fn new(store: Store) -> Self {
        let pool = Pool { store, idle: Mutex::default() };
        Self { pool: Arc::new(pool), turns: Semaphore::new(MOST) }
    }

    /// Reads on a blocking thread.
    pub(super) async fn read<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Reader) -> Result<T, Refusal> + Send + 'static,
    ) -> Result<T, Refusal> {
        let stopped = |_| Refusal::Unavailable("the server is stopping".to_owned());
        let _turn = self.turns.acquire().await.map_err(stopped)?;
        let pool = self.pool.clone();
        let task = tokio::task::spawn_blocking(move || {
            let idle = pool.idle().pop();
            let reader = match idle {
                Some(reader) => reader,
                None => pool.store.reader()?,
            };
            let result = work(&reader);
            if !reader.is_frozen() {
                pool.idle().push(reader);
            }
            result
        });
        task.await.unwrap_or_else(|e| Err(Refusal::Unavailable(e.to_string())))
    }
}
