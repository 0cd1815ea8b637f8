//! A read-only connection, for one thread at a time.

use super::ahead::{self, Ahead, MarkedItems, WantedPage};
use super::articles::{self, LearnedSite, PageState, Version};
use super::count::Count;
use super::error::Result;
use super::history::{self, History, Spent};
use super::marks::{IdMatch, find, last_key};
use super::rows::{ITEM, ITEM_ROW, item, item_row};
use super::sources::{self, Due, PollFilter};
use super::view::{self, Anchor, View, Window};
use super::{connect, index};
use crate::model::{Item, ItemRow, Pause, PollRecord, Retention, SourceFacts, SourceId, Time};
use rusqlite::{Connection, InterruptHandle, OptionalExtension};
use std::collections::{HashMap, HashSet};
use std::path::Path;
use url::Url;

/// Reads committed data.
pub struct Reader {
    conn: Connection,
    frozen: bool,
}

impl Reader {
    pub(super) fn open(path: &Path) -> Result<Self> {
        let (conn, frozen) = connect::open_reader(path)?;
        Ok(Self { conn, frozen })
    }

    /// Whether it shows the database as it was when it was opened, because nobody could write to
    /// it then. Once it can be written, only a new reader sees the changes.
    pub fn is_frozen(&self) -> bool {
        self.frozen
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

    /// The ids of all stored sources, including those that are no longer declared.
    pub fn kept_ids(&self) -> Result<HashSet<String>> {
        sources::kept_ids(&self.conn)
    }

    /// Permanent redirects of declared sources, by row key; of one source only if it is given.
    pub fn moved(&self, source: Option<i64>) -> Result<Vec<(i64, String)>> {
        sources::moved(&self.conn, source)
    }

    /// The facts of one source.
    pub fn source(&self, key: i64) -> Result<Option<SourceFacts>> {
        super::rows::load_facts(&self.conn, key)
    }

    /// Which of these pages need no request of a source: stored by any source, removed by
    /// retention, or failed recently.
    pub fn known_pages(&self, source: i64, pages: &[Url], now: Time) -> Result<Vec<Option<Time>>> {
        super::pages::known(&self.conn, source, pages, now)
    }

    /// When the newest poll of all started; later than now after the clock was set back.
    pub fn newest_poll(&self) -> Result<Option<Time>> {
        sources::newest_poll(&self.conn)
    }

    /// The enabled sources in the order of their next poll, at most `limit`.
    pub fn by_next_poll(&self, limit: usize) -> Result<Vec<Due>> {
        sources::by_next_poll(&self.conn, limit)
    }

    /// `size` rows of a list at an anchor, twice as many around a cursor.
    pub fn window(&self, view: &View, anchor: Anchor, size: usize) -> Result<Window> {
        view::window(&self.conn, view, anchor, size)
    }

    /// How many rows a view has, with limited cost.
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

    /// The copies of the list page of a source (row key), newest first.
    pub fn list_copies(&self, source: i64) -> Result<Vec<super::ListCopy>> {
        super::copies::of(&self.conn, source)
    }

    /// The URLs of the newest items of a source (row key), at most `limit`.
    pub fn addresses(&self, source: i64, limit: usize) -> Result<Vec<String>> {
        super::copies::addresses(&self.conn, source, limit)
    }

    /// The reading position of an item (row key), in characters from its start; see
    /// [`super::Store::set_place`].
    pub fn place(&self, item: i64) -> Result<usize> {
        super::place::get(&self.conn, item)
    }

    /// The texts of an item's page, newest first.
    pub fn versions(&self, item: i64) -> Result<Vec<Version>> {
        articles::versions(&self.conn, item)
    }

    /// The state of the page of an item; `None` if it was never fetched.
    pub fn page(&self, item: i64) -> Result<Option<PageState>> {
        articles::page(&self.conn, item)
    }

    /// What was learned from the pages of a source (row key).
    pub fn site(&self, source: i64) -> Result<LearnedSite> {
        articles::site(&self.conn, source)
    }

    /// The URLs of sources that are paused at `now`, each with its pause.
    pub fn paused(&self, now: Time) -> Result<Vec<(String, Pause)>> {
        sources::paused(&self.conn, now)
    }

    /// The next pages to fetch in advance, at most `limit`, the most urgent first.
    pub fn ahead(&self, ahead: &Ahead, now: Time, limit: usize) -> Result<Vec<WantedPage>> {
        ahead::next(&self.conn, ahead, now, limit)
    }

    /// When the next page is due for a refresh, if that is later than now.
    pub fn next_page(&self, now: Time) -> Result<Option<Time>> {
        ahead::wake(&self.conn, now)
    }

    /// The items of these sources (row keys) whose pages were never fetched, or failed and are
    /// due for a retry, newest first, at most `limit`.
    pub fn unfetched(
        &self,
        kept: MarkedItems,
        sources: &[i64],
        now: Time,
        limit: usize,
    ) -> Result<Vec<WantedPage>> {
        ahead::unfetched(&self.conn, kept, sources, now, limit)
    }

    /// The items (row keys) of these sources (row keys) whose pages failed and are not due for a
    /// retry.
    pub fn refused(&self, kept: MarkedItems, sources: &[i64], now: Time) -> Result<Vec<i64>> {
        ahead::refused(&self.conn, kept, sources, now)
    }

    /// The mean number of bytes of a page, by source (row key) and over all.
    pub fn page_sizes(&self) -> Result<(HashMap<i64, u64>, Option<u64>)> {
        ahead::page_sizes(&self.conn)
    }

    /// Number of items whose articles changed since they were last opened.
    pub fn changed(&self) -> Result<u32> {
        view::changed(&self.conn)
    }

    /// The row key of an item by that key in digits, its id, or the beginning of its id.
    pub fn find(&self, id: &str) -> Result<IdMatch> {
        find(&self.conn, id)
    }

    pub fn last_key(&self) -> Result<i64> {
        last_key(&self.conn)
    }

    /// Number of unread items dated at or after a moment.
    pub fn unread_since(&self, since: Time) -> Result<u32> {
        view::unread_since(&self.conn, since)
    }

    /// The newest polls with the id of their source.
    pub fn polls(&self, filter: PollFilter, limit: usize) -> Result<Vec<(SourceId, PollRecord)>> {
        sources::polls(&self.conn, filter, limit)
    }

    /// The publication times of all declared sources.
    pub fn histories(&self) -> Result<Vec<History>> {
        history::all(&self.conn)
    }

    /// The dates of the newest items of a source, newest first, at most `limit`.
    pub fn dates(&self, source: i64, limit: usize) -> Result<Vec<Time>> {
        history::dates(&self.conn, source, limit)
    }

    /// The number of automatic polls that began after `since` and until `until`, by the row keys
    /// of their sources.
    pub fn automatic_polls(&self, since: Time, until: Time) -> Result<HashMap<i64, u32>> {
        history::automatic_polls(&self.conn, since, until)
    }

    /// Items of a source (row key) on each of the last `days` days, by date: the last count is of
    /// the 24 hours that end at `until`.
    pub fn items_per_day(&self, source: i64, until: Time, days: usize) -> Result<Vec<u32>> {
        history::items_per_day(&self.conn, source, until, days)
    }

    /// Mean delay in seconds between publication and discovery of the items that each poll of a
    /// source since `since` found, by the second in which the poll began.
    pub fn delays(&self, source: i64, since: Time) -> Result<HashMap<i64, i64>> {
        history::delays(&self.conn, source, since)
    }

    /// When the oldest recorded poll of a source began.
    pub fn oldest_poll(&self, source: i64) -> Result<Option<Time>> {
        history::oldest_poll(&self.conn, source)
    }

    /// The cost of the polls of a source after `since`.
    pub fn spent(&self, source: i64, since: Time) -> Result<Spent> {
        history::spent(&self.conn, source, since)
    }

    /// The value under a name; see [`super::Store::set_memo`].
    pub fn memo(&self, name: &str) -> Result<Option<String>> {
        super::memo::get(&self.conn, name)
    }

    /// How many items of a source its retention would remove.
    pub fn prunable(&self, source: i64, retention: Retention, now: Time) -> Result<usize> {
        super::retention::prune(&self.conn, source, retention, now, false)
    }

    /// A number that changes when another process has written.
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

    pub(super) fn next_unindexed(&self) -> Result<Vec<index::Body>> {
        index::next_batch(&self.conn)
    }
}

pub struct Interrupter(InterruptHandle);

impl Interrupter {
    pub fn interrupt(&self) {
        self.0.interrupt();
    }
}
