//! The writer thread: the only read-write connection of this process.
//!
//! Jobs that wait at the same time share one transaction, each in a savepoint of its own, so a
//! failed job does not affect the others. Replies are sent after the commit.

use super::connect::open_writer;
use super::error::{Result, StoreError};
use super::index;
use rusqlite::Connection;
use std::path::Path;
use std::sync::Arc;
use tokio::sync::{mpsc, oneshot, watch};

/// Jobs that may wait; a full queue blocks the senders.
const QUEUE: usize = 64;
/// Jobs in one transaction.
const BATCH: usize = 64;

/// Runs inside the transaction, or gets the error if there is none; returns whether it succeeded,
/// and the function that sends the reply.
type Work = Box<dyn FnOnce(Result<&Connection>) -> (bool, Reply) + Send>;
/// Sends the reply; gets the error of a failed commit.
type Reply = Box<dyn FnOnce(Option<StoreError>) + Send>;

struct Job {
    work: Work,
    /// Whether the revision stays although something changes.
    quiet: bool,
}

/// Sends jobs to the writer thread.
#[derive(Clone)]
pub(super) struct Writer {
    jobs: mpsc::Sender<Job>,
}

pub(super) type Joined = std::thread::JoinHandle<()>;

impl Writer {
    /// Opens the database and starts the thread; `revision` grows with each commit that changed
    /// something.
    pub(super) fn start(path: &Path, revision: Arc<watch::Sender<u64>>) -> Result<(Self, Joined)> {
        let conn = open_writer(path)?;
        index::open(&conn)?;
        let (jobs, queue) = mpsc::channel(QUEUE);
        let thread = std::thread::Builder::new()
            .name("newsfed-writer".to_owned())
            .spawn(move || run(conn, queue, &revision))
            .map_err(|e| StoreError::Open { path: path.to_owned(), why: e.to_string() })?;
        Ok((Self { jobs }, thread))
    }

    /// Runs a job and waits for its commit.
    pub(super) async fn call<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Connection) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        self.send(false, work).await
    }

    /// Like [`Writer::call`], but the revision stays.
    pub(super) async fn call_quietly<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Connection) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        self.send(true, work).await
    }

    async fn send<T: Send + 'static>(
        &self,
        quiet: bool,
        work: impl FnOnce(&Connection) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        let (work, answer) = job(work);
        self.jobs.send(Job { work, quiet }).await.map_err(|_| StoreError::Closed)?;
        answer.await.unwrap_or(Err(StoreError::Closed))
    }

    /// Like [`Writer::call`], outside of a runtime.
    pub(super) fn call_blocking<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Connection) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        let (work, answer) = job(work);
        self.jobs.blocking_send(Job { work, quiet: false }).map_err(|_| StoreError::Closed)?;
        answer.blocking_recv().unwrap_or(Err(StoreError::Closed))
    }
}

fn job<T: Send + 'static>(
    work: impl FnOnce(&Connection) -> Result<T> + Send + 'static,
) -> (Work, oneshot::Receiver<Result<T>>) {
    let (reply, answer) = oneshot::channel();
    let work: Work = Box::new(move |conn| {
        let result = conn.and_then(work);
        let ok = result.is_ok();
        let after: Reply = Box::new(move |failed| {
            // If the calling task was dropped, nobody waits for the reply, but the work is done.
            let _ = reply.send(match (failed, result) {
                (Some(e), Ok(_)) => Err(e),
                (_, result) => result,
            });
        });
        (ok, after)
    });
    (work, answer)
}

fn run(conn: Connection, mut queue: mpsc::Receiver<Job>, revision: &watch::Sender<u64>) {
    while let Some(first) = queue.blocking_recv() {
        let mut answers = Vec::new();
        let mut changed = false;
        let result = batch(&conn, first, &mut queue, &mut answers, &mut changed);
        if let Err(e) = &result {
            tracing::error!("write failed: {e}");
            // A commit that failed may have left the transaction open.
            if !conn.is_autocommit() {
                let _ = conn.execute_batch("ROLLBACK");
            }
        }
        for answer in answers {
            answer(result.as_ref().err().cloned());
        }
        if result.is_ok() && changed {
            revision.send_modify(|r| *r += 1);
        }
    }
    if let Err(e) = conn.execute_batch("PRAGMA optimize") {
        tracing::warn!("optimize on close: {e}");
    }
}

fn batch(
    conn: &Connection,
    first: Job,
    queue: &mut mpsc::Receiver<Job>,
    answers: &mut Vec<Reply>,
    changed: &mut bool,
) -> Result<()> {
    let begun = conn.execute_batch("BEGIN IMMEDIATE").map_err(StoreError::from);
    let mut next = Some(first);
    while let Some(job) = next {
        match &begun {
            Ok(()) => *changed |= in_savepoint(conn, job, answers)?,
            // Without a transaction no job runs; each caller gets the error.
            Err(e) => answers.push((job.work)(Err(e.clone())).1),
        }
        next = if answers.len() < BATCH { queue.try_recv().ok() } else { None };
    }
    begun?;
    index::write_titles(conn)?;
    Ok(conn.execute_batch("COMMIT")?)
}

/// Returns whether the job changed something that others need to notice.
fn in_savepoint(conn: &Connection, job: Job, answers: &mut Vec<Reply>) -> Result<bool> {
    let before = conn.total_changes();
    conn.execute_batch("SAVEPOINT job")?;
    let (ok, answer) = (job.work)(Ok(conn));
    answers.push(answer);
    if !ok {
        conn.execute_batch("ROLLBACK TO job")?;
    }
    conn.execute_batch("RELEASE job")?;
    Ok(!job.quiet && conn.total_changes() != before)
}
