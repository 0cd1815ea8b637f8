//! How many rows a view has, at a bounded cost.

use super::error::{Result, StoreError};
use super::view::{Filter, View, index_of};
use rusqlite::{Connection, params_from_iter};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// The rows of a view, as far as they were counted.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Count {
    /// Those that were counted.
    pub items: u32,
    /// Whether there may be more.
    pub more: bool,
}

/// Rows that are counted at most.
pub const MOST_COUNTED: u32 = 999;
/// Steps of SQLite's machine that counting one view may take, about ten for a row that is looked at.
pub(super) const MOST_STEPS: i32 = 1_000_000;

/// Counts up to [`MOST_COUNTED`] rows, and for so many of those steps only.
pub(super) fn count(conn: &Connection, view: &View, most_steps: i32) -> Result<Count> {
    if view.is_void() {
        return Ok(Count::default());
    }
    let mut filter = Filter::default();
    let from = match &view.criteria.text {
        Some(text) => {
            filter.bind("item_text MATCH ?", text.clone());
            "item_text t CROSS JOIN item i ON i.key = t.rowid".to_owned()
        }
        None => {
            let pinned = view.criteria.pinned.filter(|pinned| *pinned);
            format!("item i INDEXED BY {}", index_of(view, None, pinned))
        }
    };
    filter.scope(&view.scope);
    filter.view(view);
    let sql = format!("SELECT 1 FROM {from} WHERE {} LIMIT {}", filter.sql(), MOST_COUNTED + 1);
    let mut statement = conn.prepare_cached(&sql)?;
    let limit = Limit::set(conn, most_steps)?;
    let mut rows = statement.query(params_from_iter(filter.values))?;
    let mut count = Count::default();
    loop {
        match rows.next().map(|row| row.is_some()).map_err(StoreError::from) {
            Ok(true) if count.items == MOST_COUNTED => return Ok(Count { more: true, ..count }),
            Ok(true) => count.items += 1,
            Ok(false) => return Ok(count),
            Err(StoreError::Interrupted) if limit.is_reached() => {
                return Ok(Count { more: true, ..count });
            }
            Err(e) => return Err(e),
        }
    }
}

/// Ends what a connection is doing after so many steps, for as long as it lives.
struct Limit<'a> {
    conn: &'a Connection,
    reached: Arc<AtomicBool>,
}

impl<'a> Limit<'a> {
    fn set(conn: &'a Connection, most_steps: i32) -> Result<Self> {
        let reached = Arc::new(AtomicBool::new(false));
        let told = reached.clone();
        let stop = move || {
            told.store(true, Ordering::SeqCst);
            true
        };
        conn.progress_handler(most_steps, Some(stop))?;
        Ok(Self { conn, reached })
    }

    fn is_reached(&self) -> bool {
        self.reached.load(Ordering::SeqCst)
    }
}

impl Drop for Limit<'_> {
    fn drop(&mut self) {
        if let Err(e) = self.conn.progress_handler(0, None::<fn() -> bool>) {
            tracing::error!("the limit of a count stays set: {e}");
        }
    }
}
