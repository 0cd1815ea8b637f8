//! What sources have published, in figures: for the schedule, and for sparklines.

use super::error::Result;
use super::rows::time;
use crate::model::Time;
use rusqlite::{Connection, params};

/// When one source published.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct History {
    /// Row key of the source.
    pub source: i64,
    /// When the first of its items was discovered.
    pub since: Time,
    /// When its items were published, in seconds since the epoch, oldest first; never later than
    /// their discovery.
    pub published: Vec<i64>,
}

/// The histories of every declared source that has items.
pub(super) fn all(conn: &Connection) -> Result<Vec<History>> {
    let mut query = conn.prepare_cached(
        "SELECT i.source, i.date, i.discovered FROM item i JOIN source s ON s.key = i.source
         WHERE s.declared = 1 ORDER BY i.source, i.date, i.key",
    )?;
    let mut rows = query.query([])?;
    let mut histories: Vec<History> = Vec::new();
    while let Some(row) = rows.next()? {
        let (source, date, discovered) = (row.get(0)?, row.get(1)?, time(row.get(2)?));
        match histories.last_mut().filter(|h| h.source == source) {
            Some(history) => {
                history.since = history.since.min(discovered);
                history.published.push(date);
            }
            None => histories.push(History { source, since: discovered, published: vec![date] }),
        }
    }
    Ok(histories)
}

/// The dates of the newest items of a source, newest first.
pub(super) fn dates(conn: &Connection, source: i64, limit: usize) -> Result<Vec<Time>> {
    let mut query = conn.prepare_cached(
        "SELECT date FROM item WHERE source = ?1 ORDER BY date DESC, key DESC LIMIT ?2",
    )?;
    let limit = i64::try_from(limit).unwrap_or(i64::MAX);
    let rows = query.query_map(params![source, limit], |r| r.get(0).map(time))?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}
