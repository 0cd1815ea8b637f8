//! The writer thread: the only read-write connection of this process.
//!
//! Jobs that wait at the same time share one transaction. If one of them fails, the transaction is rolled
//! back and they run again, each in a transaction of its own, so that a failed job does not affect the
//! others. Savepoints in the shared transaction would copy each page that changes, although jobs rarely fail.
//! A job may therefore run twice, and must have no effect except on the database. Replies are sent after the
//! commit.

mod log_sync;

use super::connect::open_writer_showing;
use super::error::{Result, StoreError};
use super::hashing::Hashing;
use super::migrate::Migration;
use log_sync::LogSync;
use rusqlite::Connection;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use tokio::sync::{mpsc, oneshot, watch};

/// Maximum number of queued jobs; a full queue blocks the senders.
const QUEUE: usize = 64;
/// Maximum number of jobs in one transaction.
const BATCH: usize = 256;
/// Number of cached pages per source. A refresh changes the same index pages many times.
const PAGES_OF_SOURCE: usize = 2;
/// Minimum size of the cache, in bytes.
const MIN_CACHE: u32 = 4 << 20;
/// Maximum number of pages in the cache.
const MAX_PAGES: usize = 4096;
/// Minimum length of the log that causes a checkpoint, in bytes.
const MIN_LOG: u32 = 8 << 20;

/// A job, and the caller that waits for it.
trait Work: Send {
    /// Runs the job inside the transaction; returns whether it succeeded.
    fn run(&mut self, conn: &Connection) -> bool;
    /// Sends the result, or the error of the transaction.
    fn reply(self: Box<Self>, failed: Option<&StoreError>);
}

struct Call<T, F> {
    work: F,
    result: Option<Result<T>>,
    reply: oneshot::Sender<Result<T>>,
}

impl<T: Send, F: Fn(&Connection) -> Result<T> + Send> Work for Call<T, F> {
    fn run(&mut self, conn: &Connection) -> bool {
        self.result.insert((self.work)(conn)).is_ok()
    }

    fn reply(self: Box<Self>, failed: Option<&StoreError>) {
        let result = match (failed, self.result) {
            (_, Some(Err(own))) => Err(own),
            (Some(e), _) => Err(e.clone()),
            (None, result) => result.unwrap_or(Err(StoreError::Closed)),
        };
        // If the calling task was dropped, nothing waits for the reply, but the job has run.
        let _ = self.reply.send(result);
    }
}

pub(super) struct Job {
    work: Box<dyn Work>,
    /// Whether the job leaves the revision unchanged even if it changes the database.
    quiet: bool,
}

impl Job {
    /// Returns whether the job succeeded, and whether it made a change that increases the revision.
    fn run(&mut self, conn: &Connection) -> (bool, bool) {
        let before = conn.total_changes();
        let ok = self.work.run(conn);
        (ok, !self.quiet && conn.total_changes() != before)
    }
}

/// Sends jobs to the writer thread.
#[derive(Clone)]
pub(super) struct Writer {
    jobs: mpsc::Sender<Job>,
    /// The number of declared sources; 0 if not known yet.
    sources: Arc<AtomicUsize>,
    pub(super) hashing: Hashing,
}

pub(super) type Joined = std::thread::JoinHandle<()>;

impl Writer {
    /// Opens the database and starts the thread. `revision` increases with each commit that changed
    /// something. `show` receives the progress of a migration.
    pub(super) fn start(
        path: &Path,
        revision: Arc<watch::Sender<u64>>,
        show: &mut dyn FnMut(Migration),
    ) -> Result<(Self, Joined)> {
        let conn = open_writer_showing(path, show)?;
        let hashing = Hashing::of(&conn)?;
        let (jobs, queue) = mpsc::channel(QUEUE);
        let sources = Arc::new(AtomicUsize::new(0));
        let page: u32 = conn.pragma_query_value(None, "page_size", |r| r.get(0))?;
        let min = (MIN_CACHE / page) as usize;
        let cache = Cache { sources: sources.clone(), sized_for: 0, pages: min, page };
        let log = LogSync::new(&conn, page);
        let thread = std::thread::Builder::new()
            .name("newsfed-writer".to_owned())
            .spawn(move || run(conn, queue, cache, log, &revision))
            .map_err(|e| StoreError::Open { path: path.to_owned(), why: e.to_string() })?;
        Ok((Self { jobs, sources, hashing }, thread))
    }

    /// Sets the number of declared sources; the page cache grows with it.
    pub(super) fn serve(&self, sources: usize) {
        self.sources.store(sources, Ordering::Relaxed);
    }

    /// Queues a job.
    pub(super) async fn submit(&self, job: Job) -> Result<()> {
        self.jobs.send(job).await.map_err(|_| StoreError::Closed)
    }

    /// Runs a job and waits for its commit, outside of a runtime.
    pub(super) fn call_blocking<T: Send + 'static>(
        &self,
        work: impl Fn(&Connection) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        let (job, receiver) = job(false, work);
        self.jobs.blocking_send(job).map_err(|_| StoreError::Closed)?;
        receiver.blocking_recv().unwrap_or(Err(StoreError::Closed))
    }
}

/// A job, and the channel for its result. If the job is `quiet`, the revision stays the same.
pub(super) fn job<T: Send + 'static>(
    quiet: bool,
    work: impl Fn(&Connection) -> Result<T> + Send + 'static,
) -> (Job, oneshot::Receiver<Result<T>>) {
    let (reply, receiver) = oneshot::channel();
    (Job { work: Box::new(Call { work, result: None, reply }), quiet }, receiver)
}

/// The writer's page cache.
struct Cache {
    sources: Arc<AtomicUsize>,
    /// The number of sources for which the cache was sized.
    sized_for: usize,
    pages: usize,
    /// Size of a page, in bytes.
    page: u32,
}

impl Cache {
    /// Resizes the cache if the number of sources has changed. The log is checkpointed once it has as many
    /// pages as the cache: a refresh of many sources changes the same pages many times, and each checkpoint
    /// copies them once.
    fn size(&mut self, conn: &Connection) -> Result<()> {
        let sources = self.sources.load(Ordering::Relaxed);
        if sources != self.sized_for {
            self.sized_for = sources;
            let min = (MIN_CACHE / self.page) as usize;
            self.pages = sources.saturating_mul(PAGES_OF_SOURCE).clamp(min, MAX_PAGES);
            let pages = i64::try_from(self.pages).unwrap_or(i64::MAX);
            conn.pragma_update(None, "cache_size", pages)?;
            conn.pragma_update(
                None,
                "wal_autocheckpoint",
                pages.max((MIN_LOG / self.page).into()),
            )?;
        }
        Ok(())
    }

    /// Number of changed rows after which a transaction takes no further jobs. Each row is on about one page.
    /// Changed pages that do not fit into the cache are written early, and often twice.
    fn most_changes(&self) -> u64 {
        self.pages as u64 * 9 / 10
    }
}

fn run(
    conn: Connection,
    mut queue: mpsc::Receiver<Job>,
    mut cache: Cache,
    mut log: LogSync,
    revision: &watch::Sender<u64>,
) {
    while let Some(first) = queue.blocking_recv() {
        let mut jobs = vec![first];
        if let Err(e) = cache.size(&conn) {
            tracing::warn!("cannot set the size of the database cache: {e}");
        }
        match together(&conn, &mut jobs, &mut queue, cache.most_changes()) {
            Ok(Some(changed)) => reply_all(jobs, Ok(changed), revision),
            // One job failed, so each is run in its own transaction, and only those that fail again have no
            // effect.
            Ok(None) => {
                for mut job in jobs {
                    let result = alone(&conn, &mut job).inspect_err(|e| failed(&conn, e));
                    reply_all(vec![job], result, revision);
                }
            }
            Err(e) => {
                failed(&conn, &e);
                reply_all(jobs, Err(e), revision);
            }
        }
        log.committed(&conn);
    }
}

fn failed(conn: &Connection, error: &StoreError) {
    tracing::error!("write failed: {error}");
    roll_back(conn);
}

/// Sends the callers of jobs the result of their transaction: whether something has changed. The revision is
/// increased first, so that it is already new when a caller receives its reply.
fn reply_all(jobs: Vec<Job>, result: Result<bool>, revision: &watch::Sender<u64>) {
    if matches!(result, Ok(true)) {
        revision.send_modify(|r| *r += 1);
    }
    for job in jobs {
        job.work.reply(result.as_ref().err());
    }
}

/// Rolls back a transaction that is still open after an error.
fn roll_back(conn: &Connection) {
    if !conn.is_autocommit()
        && let Err(e) = conn.execute_batch("ROLLBACK")
    {
        tracing::error!("cannot roll back: {e}");
    }
}

/// Runs the jobs, and those that arrive in the meantime, in one transaction. Returns whether something has
/// changed; `None` if a job failed and the transaction was rolled back.
fn together(
    conn: &Connection,
    jobs: &mut Vec<Job>,
    queue: &mut mpsc::Receiver<Job>,
    most_changes: u64,
) -> Result<Option<bool>> {
    conn.execute_batch("BEGIN IMMEDIATE")?;
    let (mut done, mut changed) = (0, false);
    let full = conn.total_changes().saturating_add(most_changes);
    while let Some(job) = jobs.get_mut(done) {
        let (ok, changes) = job.run(conn);
        if !ok {
            roll_back(conn);
            return Ok(None);
        }
        changed |= changes;
        done += 1;
        if done == jobs.len() && done < BATCH && conn.total_changes() < full {
            jobs.extend(queue.try_recv());
        }
    }
    conn.execute_batch("COMMIT")?;
    Ok(Some(changed))
}

/// Runs a job in its own transaction. Returns whether something has changed.
fn alone(conn: &Connection, job: &mut Job) -> Result<bool> {
    conn.execute_batch("BEGIN IMMEDIATE")?;
    let (ok, changed) = job.run(conn);
    if !ok {
        // After some errors SQLite has already rolled back.
        roll_back(conn);
        return Ok(false);
    }
    conn.execute_batch("COMMIT")?;
    Ok(changed)
}
