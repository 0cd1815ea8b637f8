//! Which pages to fetch in advance, before their items are opened.

use super::error::Result;
use super::reader::Reader;
use super::rows::time;
use crate::model::Time;
use rusqlite::{Connection, OptionalExtension, params};
use std::collections::{HashMap, HashSet};

/// A page to fetch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WantedPage {
    pub item: i64,
    pub source: i64,
    pub url: String,
}

/// The sources (row keys) for which pages are fetched in advance.
#[derive(Debug, Clone, Default)]
pub struct Ahead {
    /// Sources whose pinned items get full text.
    pub pinned: Vec<i64>,
    /// Sources whose new items get full text.
    pub all: Vec<i64>,
    /// Sources whose pinned items have their stored pages refreshed.
    pub again: Vec<i64>,
}

/// Number of days for which an item counts as new.
const NEW_DAYS: i64 = 7;
/// Number of page requests per source per day after which nothing more is fetched in advance.
const MAX_A_DAY: i64 = 100;
/// A day, in seconds.
const DAY: i64 = 86_400;

impl Reader {
    /// The next pages to fetch in advance, at most `limit`, most urgent first.
    pub fn ahead(&self, ahead: &Ahead, now: Time, limit: usize) -> Result<Vec<WantedPage>> {
        let mut found = again(&self.conn, ahead, now, limit)?;
        if found.len() < limit && !ahead.pinned.is_empty() {
            let scope = format!("i.pinned = 1 AND i.source IN ({})", list(&ahead.pinned));
            found.extend(unread_pages(
                &self.conn,
                "item_pinned",
                &scope,
                now,
                limit - found.len(),
            )?);
        }
        for &source in &ahead.all {
            let left = limit.saturating_sub(found.len());
            if left == 0 {
                break;
            }
            let today: i64 = self
                .conn
                .prepare_cached("SELECT count(*) FROM fetch WHERE source = ?1 AND asked > ?2")?
                .query_row(params![source, now.timestamp() - DAY], |r| r.get(0))?;
            let left = left.min(usize::try_from(MAX_A_DAY - today).unwrap_or(0));
            let since = now.timestamp() - NEW_DAYS * DAY;
            let scope = format!("i.source = {source} AND i.date >= {since}");
            found.extend(unread_pages(&self.conn, "item_source", &scope, now, left)?);
        }
        let mut known = HashSet::new();
        found.retain(|w| known.insert(w.item));
        Ok(found)
    }
}

/// Pages that are due for a refresh.
fn again(conn: &Connection, ahead: &Ahead, now: Time, limit: usize) -> Result<Vec<WantedPage>> {
    let sql = format!(
        "SELECT f.item, f.source, i.url FROM fetch f INDEXED BY fetch_next CROSS JOIN item i ON i.key = f.item
         WHERE f.next <= ?1 AND i.url IS NOT NULL
            AND (f.source IN ({}) OR i.pinned = 1 AND f.source IN ({}))
         ORDER BY f.next LIMIT ?2",
        list(&ahead.all),
        list(&ahead.again)
    );
    let mut query = conn.prepare(&sql)?;
    let limit = i64::try_from(limit).unwrap_or(i64::MAX);
    let rows = query.query_map(params![now.timestamp(), limit], wanted)?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

/// Items whose pages were never fetched, or failed and are due for a retry, newest first, of sources whose
/// feeds do not have full text.
fn unread_pages(
    conn: &Connection,
    index: &str,
    scope: &str,
    now: Time,
    limit: usize,
) -> Result<Vec<WantedPage>> {
    let sql = format!(
        "SELECT i.key, i.source, i.url FROM item i INDEXED BY {index}
         WHERE {scope} AND i.url IS NOT NULL
            AND NOT EXISTS (SELECT 1 FROM fetch f WHERE f.item = i.key
                AND (f.error IS NULL OR f.next IS NULL OR f.next > ?2))
            AND NOT EXISTS (SELECT 1 FROM site w WHERE w.source = i.source AND w.whole = 1)
         ORDER BY i.date DESC, i.key DESC LIMIT ?1"
    );
    let mut query = conn.prepare(&sql)?;
    let rows = query
        .query_map(params![i64::try_from(limit).unwrap_or(i64::MAX), now.timestamp()], wanted)?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

fn wanted(r: &rusqlite::Row<'_>) -> rusqlite::Result<WantedPage> {
    Ok(WantedPage { item: r.get(0)?, source: r.get(1)?, url: r.get(2)? })
}

fn list(keys: &[i64]) -> String {
    keys.iter().map(i64::to_string).collect::<Vec<_>>().join(",")
}

impl Reader {
    /// When the next page is due for a refresh, if that is later than `now`.
    pub fn next_page(&self, now: Time) -> Result<Option<Time>> {
        let mut query = self.conn.prepare_cached(
            "SELECT next FROM fetch INDEXED BY fetch_next WHERE next > ?1 ORDER BY next LIMIT 1",
        )?;
        Ok(query.query_row([now.timestamp()], |r| r.get(0)).optional()?.map(time))
    }
}

/// Removes due times that passed more than a week ago: their pages are not fetched any more.
pub(super) fn expire(conn: &Connection, now: Time) -> Result<()> {
    let before = now.timestamp() - NEW_DAYS * DAY;
    conn.execute("UPDATE fetch SET next = NULL WHERE next < ?1", [before])?;
    Ok(())
}

/// The items whose full text is fetched in advance on the user's request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MarkedItems {
    Pinned,
    Unread,
}

impl MarkedItems {
    fn mark(self) -> &'static str {
        match self {
            Self::Pinned => "i.pinned = 1",
            Self::Unread => "i.read = 0",
        }
    }
}

impl Reader {
    /// The items of these sources (row keys) whose pages were never fetched, or failed and are
    /// due for a retry, newest first, at most `limit`.
    pub fn unfetched(
        &self,
        kept: MarkedItems,
        sources: &[i64],
        now: Time,
        limit: usize,
    ) -> Result<Vec<WantedPage>> {
        let index = match kept {
            MarkedItems::Pinned => "item_pinned",
            MarkedItems::Unread => "item_unread",
        };
        if sources.is_empty() {
            return Ok(Vec::new());
        }
        let scope = format!("{} AND i.source IN ({})", kept.mark(), list(sources));
        unread_pages(&self.conn, index, &scope, now, limit)
    }

    /// The items (row keys) of these sources (row keys) whose pages failed and are not due for a retry.
    pub fn refused(&self, kept: MarkedItems, sources: &[i64], now: Time) -> Result<Vec<i64>> {
        // With an empty list, SQLite would reject the query, because no index can be used.
        if sources.is_empty() {
            return Ok(Vec::new());
        }
        let mark = kept.mark();
        let sql = format!(
            "SELECT i.key FROM fetch f INDEXED BY fetch_source CROSS JOIN item i ON i.key = f.item
             WHERE f.source IN ({}) AND {mark} AND f.error IS NOT NULL AND (f.next IS NULL OR f.next > ?1)
                AND NOT EXISTS (SELECT 1 FROM article a WHERE a.item = i.key)
                AND NOT EXISTS (SELECT 1 FROM site w WHERE w.source = i.source AND w.whole = 1)",
            list(sources)
        );
        let mut query = self.conn.prepare(&sql)?;
        let rows = query.query_map([now.timestamp()], |r| r.get(0))?;
        Ok(rows.collect::<rusqlite::Result<_>>()?)
    }

    /// The mean number of bytes of a page, by source (row key) and overall.
    pub fn page_sizes(&self) -> Result<(HashMap<i64, u64>, Option<u64>)> {
        let mut query = self.conn.prepare_cached(
            "SELECT source, sum(bytes), count(*) FROM fetch WHERE bytes > 0 GROUP BY source",
        )?;
        let rows = query.query_map([], |r| Ok((r.get(0)?, r.get(1)?, r.get(2)?)))?;
        let (mut means, mut bytes, mut count) = (HashMap::new(), 0u64, 0u64);
        for row in rows {
            let (source, sum, pages): (i64, i64, i64) = row?;
            let (sum, pages) = (u64::try_from(sum).unwrap_or(0), u64::try_from(pages).unwrap_or(1));
            means.insert(source, sum / pages.max(1));
            (bytes, count) = (bytes + sum, count + pages);
        }
        Ok((means, bytes.checked_div(count)))
    }
}
