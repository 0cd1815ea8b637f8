//! Reading positions in articles.

use super::error::Result;
use super::reader::Reader;
use rusqlite::{Connection, OptionalExtension, params};

/// Stores a position in an item (row key). No row is stored for the start of the text.
pub(super) fn set(conn: &Connection, item: i64, place: usize) -> Result<()> {
    let place = i64::try_from(place).unwrap_or(i64::MAX);
    if place == 0 {
        conn.prepare_cached("DELETE FROM place WHERE item = ?1")?.execute([item])?;
    } else {
        // The item may have been removed.
        conn.prepare_cached(
            "INSERT OR REPLACE INTO place (item, position) SELECT key, ?2 FROM item WHERE key = ?1",
        )?
        .execute(params![item, place])?;
    }
    Ok(())
}

impl Reader {
    /// The reading position of an item (row key), in characters from its start; see
    /// [`super::Store::set_place`].
    pub fn place(&self, item: i64) -> Result<usize> {
        let mut query = self.conn.prepare_cached("SELECT position FROM place WHERE item = ?1")?;
        let place: Option<i64> = query.query_row([item], |r| r.get(0)).optional()?;
        Ok(place.and_then(|p| p.try_into().ok()).unwrap_or(0))
    }
}
