//! Parts of a crawl's log: its progress, without what the crawl has learned, and lost responses at its end.

use super::connect::open_unchanged;
use super::crawl_log::{CrawlLog, RequestRow, version};
use super::error::{Result, StoreError};
use std::path::Path;

impl CrawlLog {
    /// Opens the log without changing it. Other readers and new crawls do not have to wait.
    ///
    /// # Errors
    /// If the log cannot be opened, is empty, or was written by a newer version; [`StoreError::Busy`] if a
    /// crawl has it open.
    pub fn open_for_reading(path: &Path) -> Result<Self> {
        let conn = open_unchanged(path)?;
        if version(&conn, path)? == 0 {
            let why = "it is empty".to_owned();
            return Err(StoreError::Open { path: path.to_owned(), why });
        }
        Self::of(conn)
    }

    /// Calls a function with all responses in order, without their links.
    ///
    /// # Errors
    /// If the file cannot be read.
    pub fn each_response(&self, mut each: impl FnMut(RequestRow)) -> Result<()> {
        let sql = "SELECT link, head, sent, status, class, article, bytes, at FROM request
                   ORDER BY id";
        let mut query = self.conn.prepare(sql)?;
        let mut rows = query.query([])?;
        while let Some(row) = rows.next()? {
            each(RequestRow {
                link: row.get(0)?,
                head: row.get(1)?,
                sent: row.get(2)?,
                status: row.get(3)?,
                class: row.get(4)?,
                article: row.get(5)?,
                bytes: row.get::<_, i64>(6)?.max(0) as u64,
                at: row.get(7)?,
                ..RequestRow::default()
            });
        }
        Ok(())
    }

    /// Number of responses at the end of the log that were lost because there was no connection.
    pub fn lost_at_end(&self) -> Result<u32> {
        let sql = "SELECT count(*) FROM request
                   WHERE id > (SELECT coalesce(max(id), -1) FROM request WHERE lost = 0)";
        Ok(self.conn.query_row(sql, [], |r| r.get(0))?)
    }

    /// Keeps the last responses, which were lost although the host can be reached.
    pub fn keep_lost(&self, responses: u32) -> Result<()> {
        let from = self.requests().saturating_sub(responses);
        self.conn.execute("UPDATE request SET lost = 0 WHERE id >= ?1", [from])?;
        Ok(())
    }

    /// The targets saved last, as passed to [`CrawlLog::append`], latest first.
    ///
    /// # Errors
    /// If the file cannot be read.
    pub fn newest_saved(&self, most: usize) -> Result<Vec<String>> {
        let sql = "SELECT json FROM saved ORDER BY request DESC LIMIT ?1";
        let mut query = self.conn.prepare(sql)?;
        let most = i64::try_from(most).unwrap_or(i64::MAX);
        let rows = query.query_map([most], |r| r.get(0))?;
        Ok(rows.collect::<rusqlite::Result<_>>()?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reading_a_log_changes_nothing_and_takes_no_lock() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("crawl.db");
        let mut log = CrawlLog::open(&path).unwrap();
        log.append(&RequestRow::default(), std::iter::empty(), Some("{}")).unwrap();
        assert!(matches!(CrawlLog::open_for_reading(&path), Err(StoreError::Busy)));
        // The state that an older version left behind.
        log.conn.execute_batch("ALTER TABLE request DROP COLUMN lost").unwrap();
        log.conn.pragma_update(None, "user_version", 2).unwrap();
        drop(log);
        let before = std::fs::read(&path).unwrap();
        let (one, two) = (CrawlLog::open_for_reading(&path), CrawlLog::open_for_reading(&path));
        for log in [one.unwrap(), two.unwrap()] {
            let mut responses = 0;
            log.each_response(|_| responses += 1).unwrap();
            assert_eq!((responses, log.newest_saved(9).unwrap()), (1, vec!["{}".to_owned()]));
            assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 1, "no other files");
        }
        assert_eq!(std::fs::read(&path).unwrap(), before);
        let reading = CrawlLog::open_for_reading(&path).unwrap();
        drop(CrawlLog::open(&path).unwrap());
        drop(reading);
    }

    #[test]
    fn the_log_of_a_killed_crawl_is_read() {
        let dir = tempfile::tempdir().unwrap();
        let (path, copy) = (dir.path().join("crawl.db"), dir.path().join("copy.db"));
        let mut log = CrawlLog::open(&path).unwrap();
        log.append(&RequestRow::default(), std::iter::empty(), None).unwrap();
        // The files as they are on disk during the crawl.
        std::fs::copy(&path, &copy).unwrap();
        std::fs::copy(dir.path().join("crawl.db-wal"), dir.path().join("copy.db-wal")).unwrap();
        let killed = CrawlLog::open_for_reading(&copy).unwrap();
        assert_eq!(killed.requests(), 1);
    }
}
