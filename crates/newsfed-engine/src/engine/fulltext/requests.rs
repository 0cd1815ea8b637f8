//! State shared by all page requests.

use super::data_file::Overdue;
use super::read::SavedPage;
use crate::model::Time;
use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, PoisonError};
use tokio::sync::Mutex as Turn;

/// Maximum number of pages kept in memory, so that another extraction needs no request.
const MAX_SAVED: usize = 4;
/// Maximum total size of the kept pages, in bytes.
const MAX_BYTES: usize = 4 << 20;
/// How long a kept page can be used.
const FRESH: chrono::TimeDelta = chrono::TimeDelta::minutes(10);

#[derive(Default)]
pub(crate) struct PageRequests {
    /// Locks by item (row key), so that no page is fetched twice at the same time.
    turns: Mutex<HashMap<i64, Arc<Turn<()>>>>,
    saved: Mutex<VecDeque<(i64, Time, SavedPage)>>,
    /// The language model is not asked before this time.
    pub(super) model_rests: Turn<Option<Time>>,
    pub(super) overdue: Overdue,
}

impl PageRequests {
    pub(super) fn turn(&self, key: i64) -> Arc<Turn<()>> {
        let mut turns = self.turns.lock().unwrap_or_else(PoisonError::into_inner);
        turns.retain(|_, turn| Arc::strong_count(turn) > 1);
        turns.entry(key).or_default().clone()
    }

    pub(super) fn save(&self, key: i64, now: Time, page: &SavedPage) {
        let mut saved = self.saved.lock().unwrap_or_else(PoisonError::into_inner);
        saved.retain(|(k, ..)| *k != key);
        saved.push_front((key, now, page.clone()));
        let mut bytes = 0;
        saved.retain(|(_, at, page)| {
            bytes += page.body.len();
            bytes <= MAX_BYTES && now - *at < FRESH
        });
        saved.truncate(MAX_SAVED);
    }

    pub(super) fn saved(&self, key: i64, now: Time) -> Option<SavedPage> {
        let saved = self.saved.lock().unwrap_or_else(PoisonError::into_inner);
        let found = saved.iter().find(|(k, at, _)| *k == key && now - *at < FRESH);
        found.map(|(.., page)| page.clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_wait_only_for_the_same_item() {
        let requests = PageRequests::default();
        let paused = requests.turn(1).try_lock_owned().unwrap();
        for key in 2..200 {
            assert!(requests.turn(key).try_lock_owned().is_ok(), "{key}");
        }
        assert!(requests.turn(1).try_lock_owned().is_err());
        drop(paused);
        assert!(requests.turn(1).try_lock_owned().is_ok());
        assert!(requests.turns.lock().unwrap().len() <= 1, "finished items are removed");
    }
}
