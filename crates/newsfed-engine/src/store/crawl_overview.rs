//! Parts of the log of a crawl that show how far it is, without what it has learned.

use super::crawl_log::{CrawlLog, RequestRow};
use super::error::Result;

impl CrawlLog {
    /// Passes all responses in order, without their links.
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
                links: Vec::new(),
            });
        }
        Ok(())
    }

    /// The articles saved last, as passed to [`CrawlLog::append`], the last one first.
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
