//! Writes the database's log to disk in the background.
//!
//! A checkpoint waits until the whole log is on disk, and the writer waits with it. While much is being
//! written, a thread syncs the log from time to time, so that little is left to wait for.

use crate::store::connect::log_of;
use rusqlite::Connection;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::JoinHandle;

/// Number of bytes after which the log is synced. Polls that find nothing write far fewer, so they do not
/// wake the disk.
const BYTES: i64 = 4 << 20;

pub(super) struct LogSync {
    log: PathBuf,
    /// Size of a page, in bytes.
    page: i64,
    /// The length of the log from which growth is counted, in pages; `None` before the first commit.
    counted_from: Option<i64>,
    thread: Option<(SyncSender<()>, JoinHandle<u32>)>,
}

impl LogSync {
    pub(super) fn new(conn: &Connection, page: u32) -> Self {
        // The path of the connection is absolute, without symbolic links.
        let log = log_of(Path::new(conn.path().unwrap_or_default()));
        Self { log, page: page.into(), counted_from: None, thread: None }
    }

    /// Called after commits. Starts the thread when it is first needed. The thread ends when `self` is
    /// dropped.
    pub(super) fn committed(&mut self, conn: &Connection) {
        // On macOS, `sync_data` does more than the sync of a checkpoint, and takes longer than the wait that
        // it saves. On Windows, the file would have to be opened for writing.
        if !cfg!(target_os = "linux") {
            return;
        }
        let due = log_pages(conn).is_some_and(|(pages, copied)| self.take_due(pages, copied));
        if due {
            let thread = self.thread.take().or_else(|| start(self.log.clone()));
            if let Some((wake, _)) = &thread {
                // If the thread is busy and already has another sync to do, that one includes this commit.
                let _ = wake.try_send(());
            }
            self.thread = thread;
        }
    }

    /// Whether the log has grown enough since the last sync. If so, growth is counted from here. `copied` is
    /// the number of pages that a checkpoint has copied into the database.
    fn take_due(&mut self, pages: i64, copied: i64) -> bool {
        let from = match self.counted_from {
            // After a checkpoint, the log is written from its start again.
            Some(from) if copied < pages => {
                if pages < from {
                    0
                } else {
                    from
                }
            }
            // At first, the log contains what other processes wrote. A checkpoint has synced what it copied.
            _ => {
                self.counted_from = Some(pages);
                return false;
            }
        };
        let due = (pages - from) * self.page >= BYTES;
        self.counted_from = Some(if due { pages } else { from });
        due
    }

    /// Waits for the last sync. Returns the number of syncs.
    #[cfg(test)]
    fn finish(self) -> u32 {
        let Some((wake, thread)) = self.thread else { return 0 };
        drop(wake);
        thread.join().unwrap()
    }
}

/// Length of the log and how much of it a checkpoint has copied into the database, in pages.
fn log_pages(conn: &Connection) -> Option<(i64, i64)> {
    // Needs SQLite 3.51: older versions would ignore NOOP and checkpoint.
    let mut query = conn.prepare_cached("PRAGMA main.wal_checkpoint(NOOP)").ok()?;
    let pages = query.query_row([], |row| Ok((row.get(1)?, row.get(2)?))).ok();
    pages.filter(|(pages, _)| *pages >= 0)
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
    // The file stays open: SQLite uses the same one for as long as the writer's connection is open. Closing
    // it loses no lock, because SQLite does not lock the log. It locks the database and the index of the log,
    // which must therefore never be opened like this.
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
            // Linux reports a disk error to each open file, so a checkpoint will fail, too.
            Err(e) => tracing::warn!("cannot sync the log of the database: {e}"),
        }
    }
    count
}

#[cfg(test)]
#[cfg(target_os = "linux")]
mod tests {
    use super::*;

    fn open(path: &Path) -> Connection {
        let conn = Connection::open(path).unwrap();
        conn.pragma_update(None, "journal_mode", "WAL").unwrap();
        conn.pragma_update(None, "wal_autocheckpoint", 0).unwrap();
        conn.execute_batch("CREATE TABLE IF NOT EXISTS t (x)").unwrap();
        conn
    }

    fn write(conn: &Connection, bytes: i64) {
        conn.execute("INSERT INTO t VALUES (zeroblob(?1))", [bytes]).unwrap();
    }

    #[test]
    fn large_writes_are_synced_and_small_ones_are_not() {
        let dir = tempfile::tempdir().unwrap();
        let conn = open(&dir.path().join("db"));
        let mut log = LogSync::new(&conn, 4096);
        for bytes in [1, BYTES / 2] {
            write(&conn, bytes);
            log.committed(&conn);
            assert!(log.thread.is_none());
        }
        write(&conn, BYTES / 2);
        log.committed(&conn);
        assert_eq!(log.finish(), 1);
    }

    #[test]
    fn writes_by_another_process_do_not_cause_a_sync() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("db");
        let other = open(&path);
        write(&other, 2 * BYTES);
        let conn = open(&path);
        let mut log = LogSync::new(&conn, 4096);
        write(&conn, 1);
        log.committed(&conn);
        assert!(log.thread.is_none());
    }

    #[test]
    fn growth_is_counted_from_the_last_sync_or_checkpoint() {
        let dir = tempfile::tempdir().unwrap();
        let mut log = LogSync::new(&open(&dir.path().join("db")), 4096);
        let lengths = [
            (5000, 0, false),
            (6023, 0, false),
            (6024, 0, true),
            (7047, 0, false),
            // A checkpoint has copied everything, so the log starts again.
            (7048, 7048, false),
            (100, 0, false),
            (1023, 0, false),
            (1024, 0, true),
        ];
        for (pages, copied, due) in lengths {
            assert_eq!(log.take_due(pages, copied), due, "{pages}");
        }
    }

    #[test]
    fn the_log_of_a_linked_database_is_next_to_its_target() {
        let dir = tempfile::tempdir().unwrap();
        let (target, link) = (dir.path().join("db"), dir.path().join("link"));
        drop(open(&target));
        std::os::unix::fs::symlink(&target, &link).unwrap();
        let log = LogSync::new(&open(&link), 4096);
        assert_eq!(log.log, log_of(&target.canonicalize().unwrap()));
    }
}
