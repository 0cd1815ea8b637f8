//! Deletes marks after half a year if they wait for items that are not stored here, or belong to items that
//! were removed.

use super::Store;
use super::error::Result;
use super::mark_registers::{BATCH, COLUMNS, register};
use super::memo;
use super::reader::Reader;
use super::rows::to_json;
use super::shared_marks::{items_of, source_keys};
use crate::model::Time;
use rusqlite::Connection;

/// How long a mark waits for its item, or is kept after its item was removed, in days.
const KEEP_DAYS: i64 = 180;
/// Maximum number of marks; each takes about 200 bytes.
pub const MAX_SHARED_MARKS: i64 = 2_000_000;
/// The ages of marks (JSON): days, each with the greatest row key at the end of the day. Stamps do not show
/// when marks arrived, and the clocks of other machines may be wrong.
const AGES: &str = "machine_ages";

type Ages = Vec<(i64, i64)>;

fn greatest(conn: &Connection) -> Result<i64> {
    Ok(conn.query_row("SELECT coalesce(max(key), 0) FROM shared_mark", [], |r| r.get(0))?)
}

/// How many more marks may be stored, out of `limit`.
pub(super) fn free(conn: &Connection, limit: i64) -> Result<i64> {
    let most = greatest(conn)?;
    if most < limit {
        return Ok(limit - most);
    }
    let count: i64 = conn.query_row("SELECT count(*) FROM shared_mark", [], |r| r.get(0))?;
    Ok(limit - count)
}

impl Reader {
    fn ages(&self, today: i64) -> Result<Ages> {
        let ages = self.memo(AGES)?.and_then(|text| serde_json::from_str(&text).ok());
        let mut ages: Ages = ages.unwrap_or_default();
        // Days in the future come from a wrong clock.
        ages.retain(|(day, _)| *day <= today);
        let greatest = greatest(&self.conn)?;
        // Row keys of deleted marks are reused.
        ages.iter_mut().for_each(|(_, key)| *key = (*key).min(greatest));
        Ok(ages)
    }

    /// The last row key that was examined, and the marks (row keys) after `after` and up to `last` that were
    /// set before a time and have no item here.
    fn marks_without_item(&self, after: i64, last: i64, before: Time) -> Result<(i64, Vec<i64>)> {
        let sql = format!(
            "SELECT {COLUMNS} FROM shared_mark WHERE key > ?1 AND key <= ?2 AND millis < ?3
             AND written = 1 ORDER BY key LIMIT {BATCH}"
        );
        let mut query = self.conn.prepare_cached(&sql)?;
        let rows = query.query_map([after, last, before.timestamp_millis()], register)?;
        let sources = source_keys(&self.conn)?;
        let (mut seen, mut without) = (last, Vec::new());
        let mut count = 0;
        for row in rows {
            let row = row?;
            (seen, count) = (row.key, count + 1);
            let mut sources = sources.get(&row.mark.source).into_iter().flatten();
            let is_here = sources.try_fold(false, |is_here, source| {
                Ok::<_, super::StoreError>(
                    is_here || !items_of(&self.conn, *source, &row.mark)?.is_empty(),
                )
            })?;
            if !is_here {
                without.push(row.key);
            }
        }
        Ok((if count < BATCH { last } else { seen }, without))
    }
}

impl Store {
    /// Deletes marks that have waited long enough, at most once a day; returns their number.
    pub fn expire_marks_blocking(&self, now: Time) -> Result<usize> {
        let (reader, today) = (self.reader()?, now.timestamp().div_euclid(86_400));
        let mut ages = reader.ages(today)?;
        if ages.last().is_some_and(|(day, _)| *day == today) {
            return Ok(0);
        }
        let is_old = |(day, _): &(i64, i64)| day + KEEP_DAYS <= today;
        let old = ages.iter().rposition(is_old).unwrap_or(0);
        ages.drain(..old);
        let last = ages.first().filter(|age| is_old(age)).map_or(0, |(_, key)| *key);
        let (mut after, mut expired) = (0, 0);
        while after < last {
            let before = now - chrono::TimeDelta::days(KEEP_DAYS);
            let (seen, without) = reader.marks_without_item(after, last, before)?;
            after = seen;
            expired += without.len();
            self.writer()?.call_blocking(move |conn| {
                let mut delete = conn.prepare_cached("DELETE FROM shared_mark WHERE key = ?1")?;
                without.iter().try_for_each(|key| delete.execute([key]).map(drop))?;
                Ok(())
            })?;
        }
        self.writer()?.call_blocking(move |conn| {
            let mut ages = ages.clone();
            ages.push((today, greatest(conn)?));
            memo::set(conn, AGES, &to_json(&ages)?)
        })?;
        Ok(expired)
    }
}
