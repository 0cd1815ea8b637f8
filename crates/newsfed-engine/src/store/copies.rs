//! Copies of list pages from the last time their selectors worked. New selectors are tested
//! against them.

use super::error::Result;
use super::reader::Reader;
use super::rows::{json, origin, time};
use crate::model::{DatesFrom, Time};
use flate2::Compression;
use flate2::read::ZlibDecoder;
use flate2::write::ZlibEncoder;
use rusqlite::{Connection, params};
use std::io::{Read, Write};

/// Maximum number of copies per source.
const MAX_COPIES: i64 = 3;
/// Maximum size of a page, in bytes.
const MAX_PAGE: usize = 2 << 20;
/// Maximum size of a page's packed copy, in bytes.
const MAX_PACKED: usize = 256 << 10;

/// A compressed copy of a list page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListCopy {
    /// When the page was fetched.
    pub at: Time,
    /// The URL that sent the page.
    pub url: String,
    pub media_type: Option<String>,
    packed: Vec<u8>,
}

impl ListCopy {
    /// Compresses a page; `None` if it is too large.
    pub fn pack(at: Time, url: &str, media_type: Option<&str>, body: &[u8]) -> Option<Self> {
        if body.len() > MAX_PAGE {
            return None;
        }
        let mut packed = ZlibEncoder::new(Vec::new(), Compression::default());
        packed.write_all(body).ok()?;
        let packed = packed.finish().ok().filter(|packed| packed.len() <= MAX_PACKED)?;
        Some(Self { at, url: url.to_owned(), media_type: media_type.map(str::to_owned), packed })
    }

    /// The page; `None` if the bytes are damaged.
    pub fn body(&self) -> Option<Vec<u8>> {
        let mut body = Vec::new();
        let most = u64::try_from(MAX_PAGE).unwrap_or(u64::MAX);
        ZlibDecoder::new(self.packed.as_slice()).take(most).read_to_end(&mut body).ok()?;
        Some(body)
    }
}

/// Stores a copy; only the last copy of each day and only the newest days are kept.
pub(super) fn keep(conn: &Connection, source: i64, copy: &ListCopy) -> Result<()> {
    let at = copy.at.timestamp();
    conn.prepare_cached(
        "INSERT OR REPLACE INTO copy (source, day, at, url, media_type, body)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
    )?
    .execute(params![
        source,
        at.div_euclid(86_400),
        at,
        copy.url,
        copy.media_type,
        copy.packed
    ])?;
    conn.prepare_cached(
        "DELETE FROM copy WHERE source = ?1 AND day NOT IN
             (SELECT day FROM copy WHERE source = ?1 ORDER BY day DESC LIMIT ?2)",
    )?
    .execute(params![source, MAX_COPIES])?;
    Ok(())
}

impl Reader {
    /// The copies of the list page of a source (row key), newest first.
    pub fn list_copies(&self, source: i64) -> Result<Vec<ListCopy>> {
        let mut query = self.conn.prepare_cached(
            "SELECT at, url, media_type, body FROM copy WHERE source = ?1 ORDER BY day DESC",
        )?;
        let copy = |r: &rusqlite::Row<'_>| {
            Ok(ListCopy {
                at: time(r.get(0)?),
                url: r.get(1)?,
                media_type: r.get(2)?,
                packed: r.get(3)?,
            })
        };
        Ok(query.query_map([source], copy)?.collect::<rusqlite::Result<_>>()?)
    }

    /// Where the publication dates of the newest `limit` items of a source (row key) come from, most frequent
    /// origin first.
    pub fn dates_from(&self, source: i64, limit: u32) -> Result<Vec<DatesFrom>> {
        let mut query = self.conn.prepare_cached(
            "SELECT d.date_from, d.published IS NOT NULL AS dated, count(*) FROM
                (SELECT key FROM item WHERE source = ?1 ORDER BY date DESC, key DESC LIMIT ?2) i
             JOIN detail d ON d.item = i.key GROUP BY 1, 2 ORDER BY 3 DESC, 1",
        )?;
        let row = |r: &rusqlite::Row<'_>| {
            let given = json(r.get(0)?);
            let origin = r.get::<_, bool>(1)?.then(|| origin(given));
            Ok(DatesFrom { origin, items: r.get(2)? })
        };
        Ok(query.query_map(params![source, limit], row)?.collect::<rusqlite::Result<_>>()?)
    }

    /// The URLs of the newest items of a source (row key), at most `limit`.
    pub fn addresses(&self, source: i64, limit: usize) -> Result<Vec<String>> {
        let mut query = self.conn.prepare_cached(
            "SELECT url FROM item WHERE source = ?1 AND url IS NOT NULL
             ORDER BY date DESC, key DESC LIMIT ?2",
        )?;
        let limit = i64::try_from(limit).unwrap_or(i64::MAX);
        Ok(query
            .query_map(params![source, limit], |r| r.get(0))?
            .collect::<rusqlite::Result<_>>()?)
    }
}
