//! Read and pin marks. Each function returns the keys that it changed, for undo.

use super::Store;
use super::error::Result;
use super::reader::Reader;
use crate::model::Time;
use rusqlite::{Connection, OptionalExtension, params};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mark {
    Read,
    Pinned,
    /// Kept for later.
    Later,
}

/// Sets a mark on items (row keys); items that already had it are not returned.
pub(super) fn set(conn: &Connection, mark: Mark, keys: &[i64], to: bool) -> Result<Vec<i64>> {
    let mut update = conn.prepare_cached(match mark {
        Mark::Read => "UPDATE item SET read = ?2 WHERE key = ?1 AND read <> ?2",
        Mark::Pinned => "UPDATE item SET pinned = ?2 WHERE key = ?1 AND pinned <> ?2",
        Mark::Later => "UPDATE item SET later = ?2 WHERE key = ?1 AND later <> ?2",
    })?;
    let mut changed = Vec::new();
    for &key in keys {
        if update.execute(params![key, to])? > 0 {
            changed.push(key);
        }
    }
    Ok(changed)
}

/// Hides items (row keys) and marks them read; returns those that changed. Pinned ones stay.
pub(super) fn hide(conn: &Connection, keys: &[i64]) -> Result<Vec<i64>> {
    let mut update = conn.prepare_cached(
        "UPDATE item SET read = 1, hidden = 1 WHERE key = ?1 AND hidden = 0 AND pinned = 0",
    )?;
    let mut changed = Vec::new();
    for &key in keys {
        if update.execute([key])? > 0 {
            changed.push(key);
        }
    }
    Ok(changed)
}

/// Shows hidden items (row keys) again, as unread; returns those that changed.
pub(super) fn unhide(conn: &Connection, keys: &[i64]) -> Result<Vec<i64>> {
    let mut update =
        conn.prepare_cached("UPDATE item SET read = 0 WHERE key = ?1 AND hidden = 1")?;
    let mut changed = Vec::new();
    for &key in keys {
        if update.execute([key])? > 0 {
            changed.push(key);
        }
    }
    Ok(changed)
}

/// Hides items (row keys) until a moment; returns those that changed.
pub(super) fn snooze(conn: &Connection, keys: &[i64], until: Time) -> Result<Vec<i64>> {
    let mut remember = conn.prepare_cached(
        "INSERT OR REPLACE INTO snooze (item, until, was_read)
         SELECT key, ?2, read FROM item WHERE key = ?1 AND hidden <> 1",
    )?;
    let mut hide = conn.prepare_cached("UPDATE item SET read = 1, hidden = 2 WHERE key = ?1")?;
    let mut changed = Vec::new();
    for &key in keys {
        if remember.execute(params![key, until.timestamp()])? > 0 {
            hide.execute([key])?;
            changed.push(key);
        }
    }
    Ok(changed)
}

/// Shows snoozed items whose time has come, as unread; returns their number.
pub(super) fn wake(conn: &Connection, now: Time) -> Result<usize> {
    let woken = conn
        .prepare_cached(
            "UPDATE item SET read = 0 WHERE key IN (SELECT item FROM snooze WHERE until <= ?1)",
        )?
        .execute([now.timestamp()])?;
    // The trigger has removed those that were hidden.
    conn.prepare_cached("DELETE FROM snooze WHERE until <= ?1")?.execute([now.timestamp()])?;
    Ok(woken)
}

impl Store {
    /// Hides items (row keys) until a moment; returns the keys that were changed.
    pub async fn snooze(&self, keys: Vec<i64>, until: Time) -> Result<Vec<i64>> {
        self.call(move |conn| snooze(conn, &keys, until)).await
    }

    /// Like [`Store::snooze`], outside of a runtime.
    pub fn snooze_blocking(&self, keys: Vec<i64>, until: Time) -> Result<Vec<i64>> {
        self.writer()?.call_blocking(move |conn| snooze(conn, &keys, until))
    }

    /// Shows snoozed items whose time has come, as unread; returns their number.
    pub async fn wake(&self, now: Time) -> Result<usize> {
        self.call(move |conn| wake(conn, now)).await
    }
}

impl Reader {
    /// When the next snoozed item comes back.
    pub fn next_wake(&self) -> Result<Option<Time>> {
        let next: Option<i64> = self
            .conn
            .prepare_cached("SELECT min(until) FROM snooze")?
            .query_row([], |r| r.get(0))?;
        Ok(next.map(super::rows::time))
    }

    /// The row key of an item by that key in digits, its id, or the beginning of its id.
    pub fn find(&self, id: &str) -> Result<IdMatch> {
        let is_key =
            !id.starts_with('0') && id.len() < 19 && id.bytes().all(|b| b.is_ascii_digit());
        if let (true, Ok(key)) = (is_key, id.parse::<i64>()) {
            let mut query = self.conn.prepare_cached("SELECT key FROM item WHERE key = ?1")?;
            let found = query.query_row([key], |r| r.get(0)).optional()?;
            return Ok(found.map_or(IdMatch::None, IdMatch::One));
        }
        let hex: String = id.chars().filter(|c| *c != '-').collect::<String>().to_ascii_uppercase();
        if hex.len() < 4 || hex.len() > 32 || !hex.chars().all(|c| c.is_ascii_hexdigit()) {
            return Ok(IdMatch::None);
        }
        let mut query = self.conn.prepare_cached(
            "SELECT key FROM item WHERE id >= ?1 AND id <= ?2 ORDER BY id LIMIT 2",
        )?;
        let bound = |fill: &str| {
            let digits = hex.clone() + &fill.repeat(32 - hex.len());
            u128::from_str_radix(&digits, 16).unwrap_or_default().to_be_bytes()
        };
        let keys: Vec<i64> = query
            .query_map(params![bound("0"), bound("F")], |r| r.get(0))?
            .collect::<rusqlite::Result<_>>()?;
        Ok(match keys.as_slice() {
            [] => IdMatch::None,
            [key] => IdMatch::One(*key),
            _ => IdMatch::Several,
        })
    }
}

/// The result of searching an item by its id.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum IdMatch {
    None,
    /// This row key.
    One(i64),
    /// More than one; a longer prefix is needed.
    Several,
}

impl Reader {
    pub fn last_key(&self) -> Result<i64> {
        let key: Option<i64> = self
            .conn
            .prepare_cached("SELECT key FROM item ORDER BY key DESC LIMIT 1")?
            .query_row([], |r| r.get(0))
            .optional()?;
        Ok(key.unwrap_or(0))
    }
}
