//! What is removed over time: old items, sources that are no longer declared, old poll records.

use super::error::Result;
use crate::model::{Retention, Time};
use rusqlite::{Connection, OptionalExtension, params};

/// A source that is no longer declared keeps its items for this many days.
const UNDECLARED_DAYS: i64 = 30;
/// Poll records are kept for this many days.
const POLL_DAYS: i64 = 14;
/// A removed item is remembered until its feed has not listed it for this many days.
const PRUNED_DAYS: i64 = 90;

const DAY: i64 = 86400;

/// Removes (or, if `apply` is false, only counts) the items that retention no longer keeps. Pinned, snoozed
/// and queued items, and those kept for later, always stay; unread items stay unless `retention.unread` is
/// set.
pub(super) fn prune(
    conn: &Connection,
    source: i64,
    retention: Retention,
    now: Time,
    apply: bool,
) -> Result<usize> {
    let cutoff = retention.days.map(|days| now.timestamp() - i64::from(days) * DAY);
    let newest = match retention.items {
        Some(n) => boundary(conn, source, n)?,
        None => None,
    };
    if cutoff.is_none() && newest.is_none() {
        return Ok(0);
    }
    let (date, key) = newest.unwrap_or((i64::MIN, i64::MIN));
    let cutoff = cutoff.unwrap_or(i64::MIN);
    const GOING: &str = "source = ?1 AND pinned = 0 AND later = 0 AND hidden <> 2
        AND key NOT IN (SELECT item FROM episode WHERE rank IS NOT NULL)
        AND (read = 1 OR ?2)
        AND (discovered < ?3 OR (date, key) <= (?4, ?5))";
    let values = params![source, retention.unread, cutoff, date, key];
    if !apply {
        let count: i64 = conn
            .prepare_cached(&format!("SELECT count(*) FROM item WHERE {GOING}"))?
            .query_row(values, |r| r.get(0))?;
        return Ok(usize::try_from(count).unwrap_or(0));
    }
    conn.execute(
        &format!(
            "INSERT OR IGNORE INTO pruned (source, hash, seen)
             SELECT source, coalesce(guid_hash, url_hash), {} FROM item WHERE {GOING}",
            now.timestamp()
        ),
        values,
    )?;
    Ok(conn.execute(&format!("DELETE FROM item WHERE {GOING}"), values)?)
}

/// Date and key of the newest item that exceeds the limit.
fn boundary(conn: &Connection, source: i64, keep: u32) -> Result<Option<(i64, i64)>> {
    Ok(conn
        .prepare_cached(
            "SELECT date, key FROM item WHERE source = ?1 ORDER BY date DESC, key DESC LIMIT 1 OFFSET ?2",
        )?
        .query_row(params![source, keep], |r| Ok((r.get(0)?, r.get(1)?)))
        .optional()?)
}

/// Removes expired rows, and lets SQLite update its statistics.
pub(super) fn tidy(conn: &Connection, now: Time) -> Result<()> {
    let before = |days: i64| now.timestamp() - days * DAY;
    conn.execute("DELETE FROM poll WHERE at < ?1", [before(POLL_DAYS)])?;
    super::pages::expire(conn, now)?;
    super::prefetch::expire(conn, now)?;
    conn.execute("DELETE FROM pruned WHERE seen < ?1", [before(PRUNED_DAYS)])?;
    let forgotten = "declared = 0 AND undeclared_at < ?1";
    conn.execute(
        &format!(
            "DELETE FROM memo WHERE name IN (SELECT 'crawl.' || key FROM source WHERE {forgotten})"
        ),
        [before(UNDECLARED_DAYS)],
    )?;
    conn.execute(&format!("DELETE FROM source WHERE {forgotten}"), [before(UNDECLARED_DAYS)])?;
    conn.execute_batch("PRAGMA optimize")?;
    Ok(())
}
