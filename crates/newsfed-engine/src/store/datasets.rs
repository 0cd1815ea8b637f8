//! Data files: what they contained, and when the files of crawled sites are checked again.

use super::Store;
use super::error::Result;
use super::reader::Reader;
use super::rows::{json, seconds};
use crate::model::{Enclosure, Time};
use crate::util::limits;
use chrono::TimeDelta;
use rusqlite::{Connection, OptionalExtension, params};

/// A file that has an item.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredFile {
    pub item: i64,
    pub url: String,
    /// The media type that the server sent when the file was found.
    pub mime: Option<String>,
    /// The time between the last check of the file and the next one; `None` before the first check.
    pub interval: Option<TimeDelta>,
}

/// Stores the state of a file, unless the states of its source would become too large. Without a stored
/// state, the next change is noticed, but not what has changed inside the file.
pub(super) fn save(conn: &Connection, item: i64, source: i64, state: &[u8]) -> Result<()> {
    let others: i64 = conn
        .prepare_cached(
            "SELECT coalesce(sum(length(state)), 0) FROM dataset WHERE source = ?1 AND item <> ?2",
        )?
        .query_row([source, item], |r| r.get(0))?;
    let left = limits::DATASET_STATES.saturating_sub(state.len());
    let fits = state.len() <= limits::DATASET_STATES
        && usize::try_from(others).is_ok_and(|others| others <= left);
    conn.prepare_cached(
        "INSERT INTO dataset (item, source, state) VALUES (?1, ?2, ?3)
         ON CONFLICT (item) DO UPDATE SET state = ?3",
    )?
    .execute(params![item, source, fits.then_some(state)])?;
    Ok(())
}

pub(super) fn plan(conn: &Connection, item: i64, checked: Time, next: Option<Time>) -> Result<()> {
    conn.prepare_cached(
        "INSERT INTO dataset (item, source, checked, next)
            SELECT key, source, ?2, ?3 FROM item WHERE key = ?1
         ON CONFLICT (item) DO UPDATE SET checked = ?2, next = ?3",
    )?
    .execute(params![item, checked.timestamp(), seconds(next)])?;
    Ok(())
}

impl Store {
    /// Stores when files (row keys of their items) are checked again; `None` means never automatically.
    pub async fn plan_files(&self, checked: Time, files: Vec<(i64, Option<Time>)>) -> Result<()> {
        self.call(move |conn| {
            files.iter().try_for_each(|(item, next)| plan(conn, *item, checked, *next))
        })
        .await
    }
}

impl Reader {
    /// The contents of a file when it was last read, packed; `None` if not stored.
    pub fn dataset(&self, item: i64) -> Result<Option<Vec<u8>>> {
        let mut query = self.conn.prepare_cached("SELECT state FROM dataset WHERE item = ?1")?;
        Ok(query.query_row([item], |r| r.get(0)).optional()?.flatten())
    }

    /// Items of a source (row key) for which it is not decided yet whether their files are checked again, at
    /// most `limit`.
    pub fn unplanned_files(&self, source: i64, limit: usize) -> Result<Vec<StoredFile>> {
        let sql =
            "SELECT i.key, i.url, d.enclosures, NULL FROM item i JOIN detail d ON d.item = i.key
             LEFT JOIN dataset f ON f.item = i.key
             WHERE i.source = ?1 AND i.url IS NOT NULL AND f.checked IS NULL AND ?3 IS NOT NULL
             ORDER BY i.key LIMIT ?2";
        self.files(sql, source, limit, Time::UNIX_EPOCH)
    }

    /// The files of a source (row key) that are due for a check, at most `limit`; the one that has waited
    /// longest comes first.
    pub fn due_files(&self, source: i64, now: Time, limit: usize) -> Result<Vec<StoredFile>> {
        let sql = "SELECT i.key, i.url, d.enclosures, f.next - f.checked
             FROM dataset f JOIN item i ON i.key = f.item JOIN detail d ON d.item = i.key
             WHERE f.source = ?1 AND f.next <= ?3 AND i.url IS NOT NULL
             ORDER BY f.next, i.key LIMIT ?2";
        self.files(sql, source, limit, now)
    }

    fn files(&self, sql: &str, source: i64, limit: usize, now: Time) -> Result<Vec<StoredFile>> {
        let mut query = self.conn.prepare_cached(sql)?;
        let limit = i64::try_from(limit).unwrap_or(i64::MAX);
        let rows = query.query_map([source, limit, now.timestamp()], |r| {
            let enclosures: Vec<Enclosure> = json(r.get(2)?).unwrap_or_default();
            let interval: Option<i64> = r.get(3)?;
            Ok(StoredFile {
                item: r.get(0)?,
                url: r.get(1)?,
                mime: enclosures.into_iter().next().and_then(|file| file.mime),
                interval: interval.and_then(TimeDelta::try_seconds),
            })
        })?;
        Ok(rows.collect::<rusqlite::Result<_>>()?)
    }
}
