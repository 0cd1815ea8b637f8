//! A read-only connection, for one thread at a time.

use super::articles::{self, PageState};
use super::connect;
use super::count::Count;
use super::error::Result;
use super::migrate::{self, Migration};
use super::rows::{ITEM, ITEM_ROW, item, item_row};
use super::sources;
use super::view::View;
use super::{Store, WriterState};
use crate::model::{Item, ItemRow, Retention, SourceFacts, Time};
use rusqlite::{Connection, InterruptHandle, OptionalExtension};
use std::path::Path;
use std::sync::Arc;
use tokio::sync::watch;

/// Reads committed data. The queries are in the modules of their tables.
pub struct Reader {
    pub(super) conn: Connection,
    frozen: bool,
}

impl Store {
    /// Like [`Self::open`], but opens a database with the current schema for writing only when something is
    /// written, because opening it for writing takes longer than reading a list.
    pub fn open_to_read(path: &Path, show: &mut dyn FnMut(Migration)) -> Result<Self> {
        let Some(reader) = Reader::open(path).ok().filter(Reader::is_current) else {
            return Self::open_showing(path, show);
        };
        // All rows of sources are read twice. With the default cache size, their pages would have to be read
        // from the file both times.
        reader.conn.pragma_update(None, "cache_size", -8192)?;
        let store = Self::with(path, WriterState::Unavailable, Arc::new(watch::Sender::new(0)));
        *store.spare() = Some(reader);
        Ok(store)
    }
}

impl Reader {
    pub(super) fn open(path: &Path) -> Result<Self> {
        let (conn, frozen) = connect::open_reader(path)?;
        Ok(Self { conn, frozen })
    }

    /// Whether the reader shows the database as it was when it was opened, because nothing could write to it
    /// at that time. If writing becomes possible, only a new reader sees the changes.
    pub fn is_frozen(&self) -> bool {
        self.frozen
    }

    /// Whether the database has the schema of this version and can be written.
    pub(super) fn is_current(&self) -> bool {
        !self.frozen && migrate::is_current(&self.conn)
    }

    /// Returns a handle to stop a query of this reader from another thread; the query fails with
    /// [`super::StoreError::Interrupted`].
    pub fn interrupter(&self) -> Interrupter {
        Interrupter(self.conn.get_interrupt_handle())
    }

    /// The facts of every declared source.
    pub fn sources(&self) -> Result<Vec<SourceFacts>> {
        sources::all(&self.conn)
    }

    /// The facts of one source.
    pub fn source(&self, key: i64) -> Result<Option<SourceFacts>> {
        super::rows::load_facts(&self.conn, key)
    }

    /// How many rows a view has, at limited cost.
    pub fn count(&self, view: &View) -> Result<Count> {
        super::count::count(&self.conn, view, super::count::MAX_STEPS)
    }

    /// One complete item by its row key.
    pub fn item(&self, key: i64) -> Result<Option<Item>> {
        let mut query = self.conn.prepare_cached(&format!("{ITEM} WHERE i.key = ?1"))?;
        Ok(query.query_row([key], item).optional()?)
    }

    /// One row of a list by its row key.
    pub fn row(&self, key: i64) -> Result<Option<ItemRow>> {
        let mut query =
            self.conn.prepare_cached(&format!("SELECT {ITEM_ROW} FROM item i WHERE i.key = ?1"))?;
        Ok(query.query_row([key], item_row).optional()?)
    }

    /// The state of an item's page; `None` if it was never fetched.
    pub fn page(&self, item: i64) -> Result<Option<PageState>> {
        articles::page(&self.conn, item)
    }

    /// Number of items of a source that its retention would remove.
    pub fn prunable(&self, source: i64, retention: Retention, now: Time) -> Result<usize> {
        super::retention::prune(&self.conn, source, retention, now, false)
    }

    /// A number that changes when another process has written to the database.
    pub fn data_version(&self) -> Result<i64> {
        Ok(self.conn.query_row("PRAGMA data_version", [], |r| r.get(0))?)
    }

    /// The problems found by SQLite's integrity check; empty if there are none.
    pub fn check(&self) -> Result<Vec<String>> {
        let mut query = self.conn.prepare("PRAGMA integrity_check")?;
        let found: Vec<String> =
            query.query_map([], |r| r.get(0))?.collect::<rusqlite::Result<_>>()?;
        Ok(found.into_iter().filter(|line| line != "ok").collect())
    }
}

pub struct Interrupter(InterruptHandle);

impl Interrupter {
    pub fn interrupt(&self) {
        self.0.interrupt();
    }
}
