//! Writes the database's log to disk in the background.
//!
//! A checkpoint waits until the whole log is on disk, and the writer waits with it. While much is being written, a
//! thread syncs the log from time to time, so that little is left to wait for.

use crate::store::connect::log_of;
use rusqlite::Connection;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::JoinHandle;

/// Number of bytes after which the log is synced. Polls that find nothing write far fewer, so they do not wake the
/// disk.
const BYTES: i64 = 4 << 20;

pub(super) struct LogSync {
    log: PathBuf,
    /// Size of a page, in bytes.
    page: i64,
    /// Length of the log at the last sync, in pages.
    synced: i64,
    thread: Option<(SyncSender<()>, JoinHandle<u32>)>,
}

impl LogSync {
    pub(super) fn new(database: &Path, page: u32) -> Self {
        Self { log: log_of(database), page: page.into(), synced: 0, thread: None }
    }

    /// Called after each commit. Starts the thread when it is first needed.
    pub(super) fn committed(&mut self, conn: &Connection) {
        // Elsewhere, a sync also flushes the cache of the disk, which takes longer than the wait that it saves.
        if cfg!(target_os = "linux") && self.is_due(log_pages(conn)) {
            let thread = self.thread.take().or_else(|| start(self.log.clone()));
            if let Some((wake, _)) = &thread {
                // If the thread is busy and already has another sync to do, that one includes this commit.
                let _ = wake.try_send(());
            }
            self.thread = thread;
        }
    }

    /// Whether the log has grown enough since the last sync.
    fn is_due(&mut self, pages: i64) -> bool {
        // After a checkpoint, the log is written from its start again.
        let grown = if pages < self.synced { pages } else { pages - self.synced };
        let due = grown * self.page >= BYTES;
        if due || pages < self.synced {
            self.synced = if due { pages } else { 0 };
        }
        due
    }

    /// Waits for the last sync. Returns the number of syncs.
    pub(super) fn finish(self) -> u32 {
        let Some((wake, thread)) = self.thread else { return 0 };
        drop(wake);
        thread.join().unwrap_or_default()
    }
}

/// Length of the log, in pages; -1 if there is none.
fn log_pages(conn: &Connection) -> i64 {
    let pages = conn
        .prepare_cached("PRAGMA wal_checkpoint(NOOP)")
        .and_then(|mut query| query.query_row([], |row| row.get(1)));
    pages.unwrap_or(-1)
}

fn start(log: PathBuf) -> Option<(SyncSender<()>, JoinHandle<u32>)> {
    let (wake, woken) = sync_channel(1);
    let thread = std::thread::Builder::new()
        .name("newsfed-log".to_owned())
        .spawn(move || sync(&log, &woken))
        .inspect_err(|e| tracing::debug!("cannot start a thread that syncs the log: {e}"))
        .ok()?;
    Some((wake, thread))
}

fn sync(log: &Path, woken: &Receiver<()>) -> u32 {
    let mut count = 0;
    // The file stays open: SQLite uses the same one for as long as the writer's connection is open.
    let mut file = None;
    while woken.recv().is_ok() {
        let opened = match file.take() {
            Some(file) => Ok(file),
            None => File::open(log),
        };
        match opened.and_then(|file| file.sync_data().map(|()| file)) {
            Ok(synced) => {
                file = Some(synced);
                count += 1;
            }
            // The checkpoint will report it.
            Err(e) => tracing::debug!("cannot sync the log: {e}"),
        }
    }
    count
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn large_writes_are_synced_and_small_ones_are_not() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("db");
        let conn = Connection::open(&path).unwrap();
        conn.pragma_update(None, "journal_mode", "WAL").unwrap();
        conn.execute_batch("CREATE TABLE t (x)").unwrap();
        let write = |bytes: i64| {
            conn.execute("INSERT INTO t VALUES (zeroblob(?1))", [bytes]).unwrap();
        };
        let mut log = LogSync::new(&path, 4096);
        write(BYTES / 2);
        log.committed(&conn);
        assert!(log.thread.is_none());
        write(BYTES / 2);
        log.committed(&conn);
        assert_eq!(log.finish(), 1);
    }

    #[test]
    fn a_log_that_starts_again_counts_from_its_start() {
        let mut log = LogSync::new(Path::new("db"), 4096);
        let due =
            [1000, 1024, 1025, 2047, 2048, 100, 1099, 1200, 2300].map(|pages| log.is_due(pages));
        assert_eq!(due, [false, true, false, false, true, false, true, false, true]);
    }

    #[test]
    fn a_missing_log_is_no_error() {
        let dir = tempfile::tempdir().unwrap();
        let (wake, woken) = sync_channel(1);
        wake.send(()).unwrap();
        drop(wake);
        assert_eq!(sync(&dir.path().join("db-wal"), &woken), 0);
    }
}
