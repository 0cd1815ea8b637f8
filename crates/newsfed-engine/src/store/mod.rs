//! SQLite: the only module that opens the database.
//!
//! One writer thread per process, read-only connections for everything else. See `schema.sql` for
//! the tables.

mod account;
mod account_items;
mod account_labels;
mod account_move;
mod account_ops;
mod account_reader;
mod arrivals;
mod articles;
mod attempts;
mod by_source;
mod condition;
mod connect;
mod copies;
mod count;
mod crawl_log;
mod crawl_overview;
mod criteria;
mod datasets;
mod downloads;
mod episodes;
mod error;
mod filter;
mod first_words;
mod fitting;
mod folding;
mod followed_lists;
mod foreign;
mod foreign_related;
mod functions;
mod hashing;
mod history;
mod identity;
mod import;
mod index;
mod ingest;
mod lock;
mod mark_expiry;
mod mark_registers;
mod mark_sources;
mod marks;
mod memo;
mod migrate;
mod new_marks;
mod pages;
mod part;
mod phrase_walk;
mod phrases;
mod place;
mod prefetch;
mod prefilter;
mod reader;
mod rebuild;
mod retention;
mod rows;
mod rule_commands;
mod rule_effects;
mod rule_test;
mod rule_undo;
mod rules;
mod shared_marks;
mod sieve;
mod sieve_blocks;
mod signs;
mod snapshot;
mod snippets;
mod source_order;
mod sources;
mod statistics;
mod stories;
mod streams;
mod tags;
mod undo_marks;
mod undo_read;
mod versions;
mod view;
mod visits;
mod writer;

#[cfg(test)]
mod tests;

pub use account::{RemoteFeed, StoredAccount};
pub use account_items::{ArrivedItem, ArrivedItems, Marks, RemoteItem, SeenMarks, merged};
pub use account_labels::{MergedLabels, SeenLabel, WaitingLabel};
pub use account_move::MovedSource;
pub use account_ops::{AccountOp, WaitingOp};
pub use articles::{FetchedPage, LearnedSite, PageRead, PageResult, PageState, PageText};
pub use condition::{Condition, Hidden};
pub use copies::ListCopy;
pub use count::{Count, MAX_COUNTED};
pub use crawl_log::{CrawlLog, LearnedLinks, LinkRow, RequestRow, Stored};
pub use criteria::{Criteria, TitleMatch};
pub use datasets::StoredFile;
pub use downloads::DownloadRecord;
pub use episodes::MAX_QUEUE;
pub use error::{Result, StoreError};
pub use followed_lists::FollowedList;
pub use foreign::{ForeignDatabase, ForeignError, ForeignSurplus};
pub use hashing::Hashing;
pub use history::{History, Spent};
pub use identity::{Prepared, prepare, prepare_identified};
pub use import::{IMPORT_PREFIX, ImportCounts, ImportUndone, ImportedItem};
pub use index::count_words;
pub use ingest::{Finish, FinishedPoll, Ingested};
pub use lock::{Poller, PollerLock};
pub use mark_expiry::MAX_SHARED_MARKS;
pub use marks::{IdMatch, Mark};
pub use memo::{FEEDS_SECRET, SERVE_LOGIN};
pub use migrate::Migration;
pub use pages::{KnownEntry, KnownTo, PollPages, ReservedKeys};
pub use part::{Beyond, Part};
pub use prefetch::{Ahead, MarkedItems, WantedPage};
pub use reader::{Interrupter, Reader};
pub use rebuild::{Rebuilt, Salvage, rebuild};
pub use rule_commands::HOOK_PREFIX;
pub use rule_effects::{RuleMarks, RuleRecord, WouldChange};
pub use rules::{Announcement, Rule, Rules};
#[cfg(test)]
pub(crate) use snapshot::database_of;
pub use snapshot::{adopt, in_use, schema_version, snapshot};
pub use snippets::Snippet;
pub use source_order::SourceOrder;
pub use sources::{Due, PollFilter};
pub use statistics::{ItemFacts, PollCosts};
pub use streams::{StreamPart, StreamQuery, UnreadOf, discovery_micros};
pub use tags::{ItemValues, MAX_TAG, tag_form};
pub use undo_read::ReadUndone;
pub use versions::{MAX_VERSIONS, Version};
pub use view::{Anchor, Cursor, SEARCH_LIMIT, Scope, View, Window};

use crate::model::{Outcome, Pause, PauseReason, Retention, Source, SourceFacts, Time};
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};
use tokio::sync::{oneshot, watch};
use writer::{Job, Joined, Writer};

/// The version of the bundled SQLite.
pub fn sqlite_version() -> &'static str {
    rusqlite::version()
}

/// The database of this process: one writer, and readers on request. Clones share both.
#[derive(Clone)]
pub struct Store {
    inner: Arc<Inner>,
}

struct Inner {
    path: PathBuf,
    writer: Mutex<WriterState>,
    /// The rules for new items.
    rules: RwLock<Arc<Rules>>,
    /// Whether new items of a story that was read become read too.
    stories_together: AtomicBool,
    /// Hidden and snoozed states that the user's marks ended, for undo.
    ended: undo_marks::Ended,
    revision: Arc<watch::Sender<u64>>,
    /// A connection in reserve, because opening one takes time.
    spare: Mutex<Option<Reader>>,
}

/// The state of the writer.
enum WriterState {
    Open(Writer, Joined),
    /// The permissions or a full disk prevent writing; each write tries again to open the database.
    Unavailable,
    Closed,
}

impl WriterState {
    /// Starts the writer, unless the database can only be read. A database that does not exist yet cannot
    /// be read either, which is an error.
    fn open(
        path: &Path,
        revision: &Arc<watch::Sender<u64>>,
        show: &mut dyn FnMut(Migration),
    ) -> Result<Self> {
        match Writer::start(path, revision.clone(), show) {
            Ok((writer, thread)) => Ok(Self::Open(writer, thread)),
            Err(e) if e.leaves_reading() => match Reader::open(path) {
                Err(StoreError::Open { .. }) => Err(connect::open_error(path, &e)),
                _ => Ok(Self::Unavailable),
            },
            Err(e) => Err(e),
        }
    }
}

impl Inner {
    fn state(&self) -> MutexGuard<'_, WriterState> {
        self.writer.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn close(&self) {
        let state = std::mem::replace(&mut *self.state(), WriterState::Closed);
        if let WriterState::Open(writer, thread) = state {
            drop(writer);
            if thread.join().is_err() {
                tracing::error!("the writer thread panicked");
            }
        }
    }
}

impl Drop for Inner {
    /// If the database is not closed, its log remains, and the file alone is incomplete.
    fn drop(&mut self) {
        self.close();
    }
}

impl Store {
    /// Opens the database, creating or migrating it first. A database that can only be read is opened too;
    /// writes fail with [`StoreError::ReadOnly`] or [`StoreError::Full`] until that changes.
    pub fn open(path: &Path) -> Result<Self> {
        Self::open_showing(path, &mut |_| {})
    }

    /// Like [`Self::open`]; `show` receives the progress of a migration.
    pub fn open_showing(path: &Path, show: &mut dyn FnMut(Migration)) -> Result<Self> {
        let revision = Arc::new(watch::Sender::new(0));
        Ok(Self::with(path, WriterState::open(path, &revision, show)?, revision))
    }

    fn with(path: &Path, writer: WriterState, revision: Arc<watch::Sender<u64>>) -> Self {
        let (rules, stories_together) = (RwLock::default(), AtomicBool::default());
        let ended = undo_marks::Ended::default();
        let (path, writer) = (path.to_owned(), Mutex::new(writer));
        let spare = Mutex::default();
        Self {
            inner: Arc::new(Inner {
                path,
                writer,
                rules,
                stories_together,
                ended,
                revision,
                spare,
            }),
        }
    }

    fn spare(&self) -> MutexGuard<'_, Option<Reader>> {
        self.inner.spare.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The folder of the database.
    pub fn folder(&self) -> &Path {
        self.inner.path.parent().unwrap_or(Path::new("."))
    }

    /// A read-only connection.
    pub fn reader(&self) -> Result<Reader> {
        let spare = self.spare().take();
        spare.map_or_else(|| Reader::open(&self.inner.path), Ok)
    }

    /// Keeps a connection for the next call of [`Self::reader`], so that the schema is not read again.
    pub fn keep(&self, reader: Reader) {
        *self.spare() = Some(reader);
    }

    /// The database file.
    pub fn path(&self) -> &Path {
        &self.inner.path
    }

    /// A number that grows with each commit of this process, and with each change by another process that is
    /// noticed. Only the latest value is kept, so a slow listener never blocks the writer.
    pub fn revision(&self) -> watch::Receiver<u64> {
        self.inner.revision.subscribe()
    }

    /// Waits for the queued jobs, then closes the file.
    pub fn close(&self) {
        drop(self.spare().take());
        self.inner.close();
    }

    /// Checks that the database can be written.
    pub fn writable(&self) -> Result<()> {
        self.writer().map(drop)
    }

    /// Runs a job on the writer thread, twice if another job in its transaction fails. If the database could
    /// not be opened for writing, a blocking thread tries to open it again.
    async fn call<T: Send + 'static>(
        &self,
        job: impl Fn(&rusqlite::Connection) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        self.send(writer::job(false, job)).await
    }

    /// Like [`Store::call`], without notifying readers: the revision does not change.
    async fn call_quietly<T: Send + 'static>(
        &self,
        job: impl Fn(&rusqlite::Connection) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        self.send(writer::job(true, job)).await
    }

    async fn send<T>(&self, (job, receiver): (Job, oneshot::Receiver<Result<T>>)) -> Result<T> {
        self.submit(job).await?;
        receiver.await.unwrap_or(Err(StoreError::Closed))
    }

    /// Queues a job on the writer thread, which is started if necessary.
    async fn submit(&self, job: Job) -> Result<()> {
        self.opened().await?.submit(job).await
    }

    async fn opened(&self) -> Result<Writer> {
        let open = match &*self.inner.state() {
            WriterState::Open(writer, _) => Some(writer.clone()),
            WriterState::Unavailable | WriterState::Closed => None,
        };
        match open {
            Some(writer) => Ok(writer),
            None => {
                let store = self.clone();
                let opened = tokio::task::spawn_blocking(move || store.writer()).await;
                opened.map_err(|_| StoreError::Closed)?
            }
        }
    }

    fn writer(&self) -> Result<Writer> {
        let mut state = self.inner.state();
        if let WriterState::Unavailable = *state {
            let (writer, thread) =
                Writer::start(&self.inner.path, self.inner.revision.clone(), &mut |_| {})?;
            *state = WriterState::Open(writer, thread);
        }
        match &*state {
            WriterState::Open(writer, _) => Ok(writer.clone()),
            WriterState::Unavailable | WriterState::Closed => Err(StoreError::Closed),
        }
    }

    /// The hashing of documents and texts in this database.
    pub async fn hashing(&self) -> Result<Hashing> {
        Ok(self.opened().await?.hashing)
    }

    /// Like [`Store::hashing`], outside of a runtime.
    pub fn hashing_blocking(&self) -> Result<Hashing> {
        Ok(self.writer()?.hashing)
    }

    /// Updates the rows to match the declared sources, shows snoozed items whose time has come, and
    /// returns the facts of the sources.
    pub async fn reconcile(&self, declared: Vec<Source>, now: Time) -> Result<Vec<SourceFacts>> {
        self.opened().await?.serve(declared.len());
        self.call(move |conn| {
            sources::reconcile(conn, &declared, now)?;
            marks::wake(conn, now)?;
            sources::all(conn)
        })
        .await
    }

    /// Like [`Store::reconcile`], outside of a runtime.
    pub fn reconcile_blocking(&self, declared: Vec<Source>, now: Time) -> Result<Vec<SourceFacts>> {
        let writer = self.writer()?;
        writer.serve(declared.len());
        writer.call_blocking(move |conn| {
            sources::reconcile(conn, &declared, now)?;
            marks::wake(conn, now)?;
            sources::all(conn)
        })
    }

    /// Stores articles of a website or sitemap during the poll, newest first. An article that a source
    /// already has is neither stored again nor changed; `known` decides which sources count. `None` if the
    /// source is gone.
    pub async fn store_articles(
        &self,
        source: i64,
        articles: Vec<Prepared>,
        discovered: Time,
        keys: ReservedKeys,
        known: KnownTo,
    ) -> Result<Option<(Ingested, ReservedKeys)>> {
        let rules = self.rules();
        let store = move |conn: &rusqlite::Connection| match rows::load_facts(conn, source)? {
            Some(facts) => {
                let is_first = facts.last_ok.is_none();
                let arrival = arrivals::Arrival { rules: &rules, at: discovered, is_first };
                pages::ingest(conn, source, &articles, arrival, keys, known).map(Some)
            }
            None => Ok(None),
        };
        self.call(move |conn| store(conn)).await
    }

    /// Replaces the stored data of an article (row key) with the current data of its page. Marks are kept.
    /// Returns whether anything changed.
    pub async fn replace_article(&self, item: i64, article: Prepared, now: Time) -> Result<bool> {
        self.call(move |conn| {
            let mut left = versions::EXAMINED;
            ingest::update(conn, item, &article, now, &mut left)
        })
        .await
    }

    /// Forgets which pages of a source (row key) are skipped, except those from before the source was
    /// followed.
    pub async fn clear_refused(&self, source: i64, now: Time) -> Result<()> {
        self.call(move |conn| pages::clear_refused(conn, source, now)).await
    }

    /// Stores a finished poll in one transaction. `None` if the source is gone.
    pub async fn store_poll(&self, poll: FinishedPoll) -> Result<Option<(Ingested, Outcome)>> {
        let rules = self.rules();
        self.call(move |conn| ingest::store(conn, &poll, &rules)).await
    }

    /// Ends the back-off of these sources (row keys) after refusals such as 404, because the user wants them
    /// to be polled again. Pauses that a server asked for remain.
    pub fn lift_refusals_blocking(&self, sources: Vec<i64>) -> Result<()> {
        self.writer()?.call_blocking(move |conn| {
            for source in &sources {
                let Some(mut facts) = rows::load_facts(conn, *source)? else { continue };
                if facts.pause.is_some_and(|pause| pause.reason == PauseReason::Refused) {
                    (facts.pause, facts.next_poll) = (None, None);
                    rows::save_facts(conn, &facts)?;
                }
            }
            Ok(())
        })
    }

    /// A number that changes when another process has written to the database.
    pub async fn foreign_version(&self) -> Result<i64> {
        // Uses the connection that writes for this process, so that its own writes do not count.
        let version = |conn: &rusqlite::Connection| {
            Ok(conn.query_row("PRAGMA data_version", [], |row| row.get(0))?)
        };
        self.call_quietly(version).await
    }

    /// Increases the revision because another process has written.
    pub fn announce(&self) {
        self.inner.revision.send_modify(|revision| *revision += 1);
    }

    /// Pauses sources (row keys), unless they are already paused for longer.
    pub async fn pause(&self, sources: Vec<i64>, pause: Pause) -> Result<()> {
        self.call(move |conn| sources::pause(conn, &sources, pause)).await
    }

    /// Moves the last polls, plans and pauses of all sources back, after the clock was set back.
    pub async fn set_back(&self, by: chrono::TimeDelta) -> Result<()> {
        self.call(move |conn| sources::set_back(conn, by)).await
    }

    /// Stores the reading position of an item (row key), in characters from its start.
    pub async fn set_place(&self, item: i64, place: usize) -> Result<()> {
        self.call(move |conn| place::set(conn, item, place)).await
    }

    /// Removes the items that a source's retention no longer keeps; returns their number.
    pub async fn prune(&self, source: i64, retention: Retention, now: Time) -> Result<usize> {
        self.call(move |conn| retention::prune(conn, source, retention, now, true)).await
    }

    /// Like [`Store::prune`], outside of a runtime.
    pub fn prune_blocking(&self, source: i64, retention: Retention, now: Time) -> Result<usize> {
        self.writer()?
            .call_blocking(move |conn| retention::prune(conn, source, retention, now, true))
    }

    /// Stores a value under a name, replacing an older one.
    pub async fn set_memo(&self, name: impl Into<String>, value: String) -> Result<()> {
        let name = name.into();
        self.call(move |conn| memo::set(conn, &name, &value)).await
    }

    /// Stores the result of fetching an item's page in one transaction. False if the item is gone.
    pub async fn store_fetched(&self, fetched: FetchedPage) -> Result<bool> {
        self.call(move |conn| articles::save(conn, &fetched)).await
    }

    /// Marks the changes to an item's article as seen; returns whether there were any.
    pub async fn seen(&self, item: i64) -> Result<bool> {
        self.call(move |conn| articles::seen(conn, item)).await
    }

    /// Removes old poll records and sources that are no longer declared.
    pub async fn tidy(&self, now: Time) -> Result<()> {
        self.call(move |conn| retention::tidy(conn, now)).await
    }
}
