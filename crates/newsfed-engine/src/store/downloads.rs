//! Files that were downloaded.

use super::Store;
use super::error::Result;
use super::memo;
use super::reader::Reader;
use super::rows::time;
use crate::model::Time;
use rusqlite::{Connection, params};

/// Prefix of the name under which the URL of a file is stored; the path of the file follows.
pub(super) const URL_OF: &str = "download of: ";

/// A file that newsfed downloaded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DownloadRecord {
    /// Absolute path.
    pub path: String,
    /// The URL as the feed gives it; `None` if the file was downloaded by an older newsfed, which did not
    /// store it.
    pub url: Option<String>,
    /// The row key of the file's item, if that is still stored.
    pub item: Option<i64>,
    /// The row key of the item's source.
    pub source: Option<i64>,
    /// When the download was completed.
    pub at: Time,
    /// The size at that time, in bytes.
    pub size: u64,
    /// The modification time at that time, in seconds since the epoch.
    pub modified: i64,
    /// Whether the item is pinned, kept for later or in the queue.
    pub kept: bool,
}

impl Store {
    /// Records a file, replacing the record with the same path. Its source, and whether it is kept, are taken
    /// from its item.
    pub async fn record_download(&self, file: DownloadRecord) -> Result<()> {
        self.call_quietly(move |conn| {
            let size = i64::try_from(file.size).unwrap_or(i64::MAX);
            // The item may have been removed.
            conn.execute(
                "INSERT OR REPLACE INTO download (path, item, at, size, modified)
                 VALUES (?1, (SELECT key FROM item WHERE key = ?2), ?3, ?4, ?5)",
                params![file.path, file.item, file.at.timestamp(), size, file.modified],
            )?;
            match &file.url {
                Some(url) => memo::set(conn, &format!("{URL_OF}{}", file.path), url),
                None => Ok(()),
            }
        })
        .await
    }

    /// Deletes the records of files that are gone, by their paths.
    pub async fn drop_download_records(&self, paths: Vec<String>) -> Result<()> {
        self.call_quietly(move |conn| drop_records(conn, &paths)).await
    }

    /// Like [`Store::drop_download_records`], outside of a runtime.
    pub fn drop_download_records_blocking(&self, paths: Vec<String>) -> Result<()> {
        self.writer()?.call_blocking(move |conn| drop_records(conn, &paths))
    }
}

fn drop_records(conn: &Connection, paths: &[String]) -> Result<()> {
    let mut delete = conn.prepare_cached("DELETE FROM download WHERE path = ?1")?;
    let mut delete_url = conn.prepare_cached("DELETE FROM memo WHERE name = ?1")?;
    for path in paths {
        delete.execute([path])?;
        delete_url.execute([format!("{URL_OF}{path}")])?;
    }
    Ok(())
}

impl Reader {
    /// The files that were downloaded, newest first.
    pub fn downloads(&self) -> Result<Vec<DownloadRecord>> {
        let mut query = self.conn.prepare_cached(
            "SELECT d.path, d.item, d.at, d.size, d.modified, coalesce(i.pinned OR i.later
                 OR EXISTS (SELECT 1 FROM episode e WHERE e.item = i.key AND e.rank IS NOT NULL), 0),
                i.source, m.value
             FROM download d LEFT JOIN item i ON i.key = d.item
             LEFT JOIN memo m ON m.name = ?1 || d.path ORDER BY d.at DESC, d.path",
        )?;
        let rows = query.query_map([URL_OF], |r| {
            Ok(DownloadRecord {
                path: r.get(0)?,
                item: r.get(1)?,
                at: time(r.get(2)?),
                size: r.get::<_, i64>(3)?.try_into().unwrap_or(0),
                modified: r.get(4)?,
                kept: r.get(5)?,
                source: r.get(6)?,
                url: r.get(7)?,
            })
        })?;
        Ok(rows.collect::<rusqlite::Result<_>>()?)
    }
}
