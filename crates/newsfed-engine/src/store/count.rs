//! Counting the rows of a view, with limited cost.

use super::error::{Result, StoreError};
use super::filter::Filter;
use super::reader::Reader;
use super::view::{Anchor, MERGED_SOURCES, Scope, View, rows_in};
use crate::model::{ItemRow, Time};
use rusqlite::{Connection, StatementStatus, params_from_iter};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// The number of rows in a view, up to a limit.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Count {
    pub items: u32,
    /// Whether there may be more rows.
    pub more: bool,
}

/// Maximum number of rows that are counted.
pub const MAX_COUNTED: u32 = 999;
/// Maximum number of SQLite virtual machine steps for counting one view, about ten per row.
pub(super) const MAX_STEPS: i32 = 250_000;
/// Like [`MAX_COUNTED`], for the list on the screen, where the number matters more.
const MAX_TOTAL: u32 = 99_999;
const MAX_TOTAL_STEPS: i32 = 10 * MAX_STEPS;

impl Reader {
    /// How many rows a view has, and its first rows, both at limited cost. Fewer rows are returned if finding
    /// them costs too much.
    pub fn sample(&self, view: &View, rows: usize) -> Result<(Count, Vec<ItemRow>)> {
        let counted = count(&self.conn, view, MAX_STEPS)?;
        let limit = Limit::set(&self.conn, MAX_STEPS)?;
        match self.window(view, Anchor::First, rows) {
            Ok(window) => Ok((counted, window.rows)),
            Err(StoreError::Interrupted) if limit.is_reached() => Ok((counted, Vec::new())),
            Err(e) => Err(e),
        }
    }
}

impl Reader {
    /// How many rows a view has, as far as they can be counted in a moment.
    pub fn total(&self, view: &View) -> Result<Count> {
        count_up_to(&self.conn, view, MAX_TOTAL, MAX_TOTAL_STEPS)
    }

    /// Number of items whose articles changed by more than typos since they were last
    /// opened.
    pub fn changed(&self) -> Result<u32> {
        let mut query = self.conn.prepare_cached(
            "SELECT count(*) FROM item INDEXED BY item_substantial WHERE substantial = 1
             AND hidden = 0 AND source NOT IN (SELECT key FROM source WHERE declared = 0)",
        )?;
        Ok(query.query_row([], |r| r.get(0))?)
    }

    /// Number of items kept for later.
    pub fn later(&self) -> Result<u32> {
        let mut query = self.conn.prepare_cached(
            "SELECT count(*) FROM item INDEXED BY item_later WHERE later = 1 AND hidden = 0
             AND source NOT IN (SELECT key FROM source WHERE declared = 0)",
        )?;
        Ok(query.query_row([], |r| r.get(0))?)
    }

    /// Number of hidden items.
    pub fn hidden(&self) -> Result<u32> {
        let mut query = self.conn.prepare_cached(
            "SELECT count(*) FROM item INDEXED BY item_hidden WHERE hidden <> 0
             AND source NOT IN (SELECT key FROM source WHERE declared = 0)",
        )?;
        Ok(query.query_row([], |r| r.get(0))?)
    }

    /// Number of unread items dated at or after a time.
    pub fn unread_since(&self, since: Time) -> Result<u32> {
        let mut query = self.conn.prepare_cached(
            "SELECT count(*) FROM item INDEXED BY item_unread WHERE read = 0 AND date >= ?1
             AND source NOT IN (SELECT key FROM source WHERE declared = 0)",
        )?;
        Ok(query.query_row([since.timestamp()], |r| r.get(0))?)
    }
}

/// Counts up to [`MAX_COUNTED`] rows, within `most_steps` SQLite steps.
pub(super) fn count(conn: &Connection, view: &View, most_steps: i32) -> Result<Count> {
    count_up_to(conn, view, MAX_COUNTED, most_steps)
}

/// Counts up to `most` rows, within `most_steps` SQLite steps.
fn count_up_to(conn: &Connection, view: &View, most: u32, most_steps: i32) -> Result<Count> {
    let view = &*view.by_source(conn)?;
    let mut count = Count::default();
    if view.is_void() {
        return Ok(count);
    }
    let sources = match &view.scope {
        Scope::Sources(keys)
            if keys.len() <= MERGED_SOURCES
                && view.criteria.text.is_none()
                && !view.criteria.few_new =>
        {
            keys.iter().map(|key| Some(*key)).collect()
        }
        _ => vec![None],
    };
    let limit = Limit::set(conn, most_steps)?;
    let mut left = most_steps;
    for source in sources {
        match add(conn, view, source, most, &mut count) {
            Err(StoreError::Interrupted) if limit.is_reached() => count.more = true,
            steps => left -= steps?,
        }
        count.more |= left <= 0;
        if count.more {
            break;
        }
    }
    Ok(count)
}

/// Adds the rows of one index; returns the number of steps that this took.
fn add(
    conn: &Connection,
    view: &View,
    source: Option<i64>,
    most: u32,
    count: &mut Count,
) -> Result<i32> {
    let mut filter = Filter::default();
    let from = match &view.criteria.text {
        Some(text) => filter.matching(text, view).0.to_owned(),
        None => {
            let pinned = view.criteria.pinned.filter(|pinned| *pinned && source.is_none());
            rows_in(view, source, pinned)
        }
    };
    match source {
        Some(key) => filter.bind("i.source = ?", key),
        None => filter.scope(&view.scope),
    }
    filter.view(view);
    filter.fold(view);
    let left = most + 1 - count.items;
    let sql = format!("SELECT 1 FROM {from} WHERE {} LIMIT {left}", filter.sql());
    let mut statement = conn.prepare(&sql)?;
    let mut rows = statement.query(params_from_iter(filter.values))?;
    while rows.next()?.is_some() {
        if count.items == most {
            count.more = true;
            break;
        }
        count.items += 1;
    }
    drop(rows);
    Ok(statement.get_status(StatementStatus::VmStep))
}

/// Interrupts the statements of a connection after a number of steps, until dropped.
struct Limit<'a> {
    conn: &'a Connection,
    reached: Arc<AtomicBool>,
}

impl<'a> Limit<'a> {
    fn set(conn: &'a Connection, most_steps: i32) -> Result<Self> {
        let reached = Arc::new(AtomicBool::new(false));
        let summary = reached.clone();
        let stop = move || {
            summary.store(true, Ordering::SeqCst);
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
            tracing::error!("cannot remove the step limit of a count: {e}");
        }
    }
}
