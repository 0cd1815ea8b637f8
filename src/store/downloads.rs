//! Files that were downloaded.

use super::Store;
use super::error::Result;
use super::reader::Reader;
use super::rows::time;
use crate::model::Time;
use rusqlite::{Connection, params};

/// A file that newsfed downloaded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DownloadRecord {
    /// Absolute.
    pub path: String,
    /// The row key of its item, while that is stored.
    pub item: Option<i64>,
    /// When it was complete.
    pub at: Time,
    /// Its size then, in bytes.
    pub size: u64,
    /// Its modification time then, in seconds since the epoch.
    pub modified: i64,
    /// Whether the item is pinned or kept for later.
    pub kept: bool,
}

impl Store {
    /// Records a file, replacing what was recorded of its path. Whether its item is kept is not stored.
    pub async fn record_download(&self, file: DownloadRecord) -> Result<()> {
        self.call_quietly(move |conn| {
            let size = i64::try_from(file.size).unwrap_or(i64::MAX);
            // The item may have been removed.
            conn.execute(
                "INSERT OR REPLACE INTO download (path, item, at, size, modified)
                 VALUES (?1, (SELECT key FROM item WHERE key = ?2), ?3, ?4, ?5)",
                params![file.path, file.item, file.at.timestamp(), size, file.modified],
            )?;
            Ok(())
        })
        .await
    }

    /// Forgets files that are gone, by their paths.
    pub async fn forget_downloads(&self, paths: Vec<String>) -> Result<()> {
        self.call_quietly(move |conn| forget(conn, &paths)).await
    }

    /// Like [`Store::forget_downloads`], outside of a runtime.
    pub fn forget_downloads_blocking(&self, paths: Vec<String>) -> Result<()> {
        self.writer()?.call_blocking(move |conn| forget(conn, &paths))
    }
}

fn forget(conn: &Connection, paths: &[String]) -> Result<()> {
    let mut forget = conn.prepare_cached("DELETE FROM download WHERE path = ?1")?;
    for path in paths {
        forget.execute([path])?;
    }
    Ok(())
}

impl Reader {
    /// The files that were downloaded, the newest first.
    pub fn downloads(&self) -> Result<Vec<DownloadRecord>> {
        let mut query = self.conn.prepare_cached(
            "SELECT d.path, d.item, d.at, d.size, d.modified, coalesce(i.pinned OR i.later, 0)
             FROM download d LEFT JOIN item i ON i.key = d.item ORDER BY d.at DESC, d.path",
        )?;
        let rows = query.query_map([], |r| {
            Ok(DownloadRecord {
                path: r.get(0)?,
                item: r.get(1)?,
                at: time(r.get(2)?),
                size: r.get::<_, i64>(3)?.try_into().unwrap_or(0),
                modified: r.get(4)?,
                kept: r.get(5)?,
            })
        })?;
        Ok(rows.collect::<rusqlite::Result<_>>()?)
    }
}
