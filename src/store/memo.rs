//! Values that the program stores under a name.

use super::error::Result;
use super::reader::Reader;
use rusqlite::{Connection, OptionalExtension, params};

pub(super) fn set(conn: &Connection, name: &str, value: &str) -> Result<()> {
    conn.prepare_cached("INSERT OR REPLACE INTO memo (name, value) VALUES (?1, ?2)")?
        .execute(params![name, value])?;
    Ok(())
}

impl Reader {
    /// The value under a name; see [`super::Store::set_memo`].
    pub fn memo(&self, name: &str) -> Result<Option<String>> {
        let mut query = self.conn.prepare_cached("SELECT value FROM memo WHERE name = ?1")?;
        Ok(query.query_row([name], |r| r.get(0)).optional()?)
    }
}
