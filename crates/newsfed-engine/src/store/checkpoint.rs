//! Copies the write-ahead log into the database file while the writer continues.
//!
//! SQLite would do this within a commit, and the next transaction would wait for the disk twice. A passive
//! checkpoint on another connection blocks neither the writer nor readers. It cannot finish while the writer
//! adds pages, so the log only starts again from its beginning when the writer has paused, or when the writer
//! copies the rest itself.

use rusqlite::{Connection, OpenFlags};
use std::cell::Cell;
use std::ffi::c_int;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::{Builder, JoinHandle};

/// Number of new pages (4 KiB) in the log after which they are copied. The pages of a longer log are new to the
/// cache of the system, which costs more than writing a shorter log again.
const STEP: c_int = 2000;
/// Number of pages in the log after which the writer copies the rest itself.
const MOST: c_int = 4 * STEP;

thread_local! {
    /// Number of pages in the log after the last commit of this thread.
    static LOG: Cell<c_int> = const { Cell::new(0) };
}

/// Decides when the log is copied. Belongs to the writer thread.
pub(super) struct Checkpoints {
    path: PathBuf,
    /// Number of pages in the log at the last request.
    requested: c_int,
    worker: Option<(SyncSender<()>, JoinHandle<()>)>,
}

impl Checkpoints {
    /// Must be called on the thread that commits. Replaces the automatic checkpoints of the connection.
    pub(super) fn of(conn: &Connection, path: &Path) -> Self {
        conn.wal_hook(Some(|_, pages| {
            LOG.set(pages);
            Ok(())
        }));
        Self { path: path.to_owned(), requested: 0, worker: None }
    }

    /// Copies pages if the log has grown enough. Errors are ignored: the next commit tries again, and nothing
    /// depends on the length of the log.
    pub(super) fn committed(&mut self, conn: &Connection) {
        let pages = LOG.get();
        if pages < self.requested {
            self.requested = 0;
        }
        if pages >= MOST {
            checkpoint(conn);
        } else if pages - self.requested >= STEP {
            self.requested = pages;
            self.request();
        }
    }

    fn request(&mut self) {
        if self.worker.is_none() {
            let path = self.path.clone();
            let (requests, queue) = sync_channel(1);
            let thread = Builder::new().name("newsfed-log".to_owned());
            match thread.spawn(move || run(&path, &queue)) {
                Ok(thread) => self.worker = Some((requests, thread)),
                Err(e) => return tracing::warn!("cannot copy the log in the background: {e}"),
            }
        }
        if let Some((requests, _)) = &self.worker {
            // A request that is still waiting includes this one.
            let _ = requests.try_send(());
        }
    }
}

impl Drop for Checkpoints {
    /// Waits for the thread, so that the writer's connection is the last one, which removes the log.
    fn drop(&mut self) {
        if let Some((requests, thread)) = self.worker.take() {
            drop(requests);
            if thread.join().is_err() {
                tracing::error!("the thread that copies the log panicked");
            }
        }
    }
}

fn run(path: &Path, requests: &Receiver<()>) {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let conn = match Connection::open_with_flags(path, flags) {
        Ok(conn) => conn,
        Err(e) => return tracing::warn!("cannot open the database to copy its log: {e}"),
    };
    while requests.recv().is_ok() {
        checkpoint(&conn);
    }
}

/// Copies what can be copied without waiting for others.
fn checkpoint(conn: &Connection) {
    if let Err(e) = conn.query_row("PRAGMA wal_checkpoint(PASSIVE)", [], |_| Ok(())) {
        tracing::debug!("checkpoint failed: {e}");
    }
}

#[cfg(test)]
mod tests {
    use super::super::connect::open_writer;
    use super::*;

    /// Commits about this many pages.
    fn write(conn: &Connection, pages: c_int) {
        let insert =
            "INSERT INTO memo (name, value) VALUES (hex(randomblob(8)), hex(zeroblob(?1)))";
        conn.execute(insert, [i64::from(pages) * 2048]).unwrap();
    }

    fn size(path: &Path) -> u64 {
        std::fs::metadata(path).unwrap().len()
    }

    #[test]
    fn a_thread_copies_the_log_and_the_next_commit_starts_it_again() {
        let dir = tempfile::TempDir::new().unwrap();
        let path = dir.path().join("db");
        let conn = open_writer(&path).unwrap();
        let mut checkpoints = Checkpoints::of(&conn, &path);
        write(&conn, STEP / 2);
        checkpoints.committed(&conn);
        assert!(checkpoints.worker.is_none(), "the log is short");
        write(&conn, STEP);
        checkpoints.committed(&conn);
        let log = LOG.get();
        assert!(log > STEP && checkpoints.worker.is_some());
        // Waits for the thread.
        drop(checkpoints);
        assert!(size(&path) > u64::from(STEP.unsigned_abs()) * 4096);
        write(&conn, 1);
        assert!(LOG.get() < 100, "{}", LOG.get());
    }

    #[test]
    fn the_writer_copies_a_long_log_itself() {
        let dir = tempfile::TempDir::new().unwrap();
        let path = dir.path().join("db");
        let conn = open_writer(&path).unwrap();
        // Without its thread.
        let mut checkpoints = Checkpoints::of(&conn, &dir.path().join("missing"));
        write(&conn, MOST);
        checkpoints.committed(&conn);
        assert!(checkpoints.worker.is_none());
        assert!(size(&path) > u64::from(MOST.unsigned_abs()) * 4096);
        write(&conn, 1);
        checkpoints.committed(&conn);
        assert!(LOG.get() < 100 && checkpoints.requested == 0, "{}", LOG.get());
    }

    #[test]
    fn pages_that_a_reader_needs_are_copied_later() {
        let dir = tempfile::TempDir::new().unwrap();
        let path = dir.path().join("db");
        let conn = open_writer(&path).unwrap();
        let mut checkpoints = Checkpoints::of(&conn, &path);
        let reader = Connection::open(&path).unwrap();
        let count =
            || -> i64 { reader.query_row("SELECT count(*) FROM memo", [], |r| r.get(0)).unwrap() };
        reader.execute_batch("BEGIN").unwrap();
        let before = count();
        write(&conn, MOST);
        checkpoints.committed(&conn);
        assert_eq!(count(), before, "its snapshot stays");
        assert!(size(&path) < u64::from(STEP.unsigned_abs()) * 4096);
        reader.execute_batch("COMMIT").unwrap();
        checkpoints.committed(&conn);
        assert!(size(&path) > u64::from(MOST.unsigned_abs()) * 4096);
    }
}
