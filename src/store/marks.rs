//! Read and pin marks. Each function returns the keys that it changed, for undo.

use super::error::Result;
use super::reader::Reader;
use rusqlite::{Connection, OptionalExtension, params};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mark {
    Read,
    Pinned,
}

/// Sets a mark on items (row keys); items that already had it are not returned.
pub(super) fn set(conn: &Connection, mark: Mark, keys: &[i64], to: bool) -> Result<Vec<i64>> {
    let mut update = conn.prepare_cached(match mark {
        Mark::Read => "UPDATE item SET read = ?2 WHERE key = ?1 AND read <> ?2",
        Mark::Pinned => "UPDATE item SET pinned = ?2 WHERE key = ?1 AND pinned <> ?2",
    })?;
    let mut changed = Vec::new();
    for &key in keys {
        if update.execute(params![key, to])? > 0 {
            changed.push(key);
        }
    }
    Ok(changed)
}

impl Reader {
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
