//! Values that the program stores under a name.

use super::error::Result;
use rusqlite::{Connection, OptionalExtension, params};

pub(super) fn set(conn: &Connection, name: &str, value: &str) -> Result<()> {
    conn.prepare_cached("INSERT OR REPLACE INTO memo (name, value) VALUES (?1, ?2)")?
        .execute(params![name, value])?;
    Ok(())
}

pub(super) fn get(conn: &Connection, name: &str) -> Result<Option<String>> {
    let mut query = conn.prepare_cached("SELECT value FROM memo WHERE name = ?1")?;
    Ok(query.query_row([name], |r| r.get(0)).optional()?)
}
