//! Values that the program stores under a name.

use super::Store;
use super::error::Result;
use super::reader::Reader;
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

/// The secret in the URLs of views.
pub const FEEDS_SECRET: &str = "feeds_secret";

/// The password of `newsfed serve`, as a hash, and the secret of its tokens.
pub const SERVE_LOGIN: &str = "serve_login";

impl Store {
    /// The secret stored under a name: 128 random bits as hexadecimal digits. It is created if there is none,
    /// or if `another` is requested.
    pub fn secret_blocking(&self, name: &'static str, another: bool) -> Result<String> {
        self.writer()?.call_blocking(move |conn| {
            let on_conflict = if another { "REPLACE" } else { "IGNORE" };
            // SQLite's generator is seeded by the operating system.
            let insert = format!(
                "INSERT OR {on_conflict} INTO memo (name, value) VALUES (?1, lower(hex(randomblob(16))))"
            );
            conn.execute(&insert, [name])?;
            Ok(conn.query_row("SELECT value FROM memo WHERE name = ?1", [name], |r| r.get(0))?)
        })
    }
}

impl Store {
    /// Like [`Store::set_memo`], outside of a runtime.
    pub fn set_memo_blocking(&self, name: &'static str, value: String) -> Result<()> {
        self.writer()?.call_blocking(move |conn| set(conn, name, &value))
    }
}

impl Reader {
    /// The value stored under a name; see [`super::Store::set_memo`].
    pub fn memo(&self, name: &str) -> Result<Option<String>> {
        get(&self.conn, name)
    }
}
