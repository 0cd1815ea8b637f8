//! Copies a database for a backup, and makes a database from a backup.

use super::connect::{create_private, open_writer, refuse_newer};
use super::error::{Result, StoreError};
use super::migrate::STEPS;
use rusqlite::{Connection, OpenFlags};
use std::path::Path;
use std::time::Duration;

/// How long to wait for a process that uses the database exclusively.
const PATIENCE: Duration = Duration::from_secs(2);

/// The schema of this version: the number of its migrations.
pub fn schema_version() -> usize {
    STEPS.len()
}

/// Writes a consistent copy of a database into a new file that only its owner can read, while other
/// processes read and write it; returns the schema version.
///
/// `VACUUM INTO` reads within one transaction. SQLite's backup restarts whenever another process
/// writes between two of its steps, and copies free pages.
///
/// # Errors
/// [`StoreError::Busy`] if a process uses the database exclusively; other errors if the database cannot be
/// read, or the copy cannot be written.
pub fn snapshot(from: &Path, to: &Path) -> Result<usize> {
    // The database is opened for writing if possible, because a read-only connection leaves an empty log
    // behind.
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let conn = Connection::open_with_flags(from, flags)
        .map_err(|e| StoreError::Open { path: from.to_owned(), why: e.to_string() })?;
    conn.busy_timeout(PATIENCE)?;
    let version: i64 = conn.pragma_query_value(None, "user_version", |row| row.get(0))?;
    create_private(to)?;
    conn.execute("VACUUM INTO ?1", [to.to_string_lossy()])?;
    Ok(usize::try_from(version).unwrap_or(0))
}

/// Checks a database from a backup and migrates it; returns the schema version that it had.
///
/// # Errors
/// If the database is damaged, or a newer version of newsfed wrote it.
pub fn adopt(path: &Path) -> Result<usize> {
    refuse_newer(path)?;
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let conn = Connection::open_with_flags(path, flags)?;
    let version: i64 = conn.pragma_query_value(None, "user_version", |row| row.get(0))?;
    let found: String = conn.query_row("PRAGMA quick_check(1)", [], |row| row.get(0))?;
    if found != "ok" {
        return Err(StoreError::Corrupt(found));
    }
    // Without a version, the migrations would run on existing tables.
    if version < 1 {
        return Err(StoreError::Corrupt("it contains no newsfed tables".to_owned()));
    }
    drop(conn);
    let conn = open_writer(path)?;
    // The result is a single file, without a log next to it.
    conn.pragma_update(None, "journal_mode", "DELETE")?;
    conn.close().map_err(|(_, e)| e)?;
    Ok(usize::try_from(version).unwrap_or(0))
}

/// Whether another process, or another part of this process, has the database open.
///
/// # Errors
/// If the database cannot be opened.
pub fn in_use(path: &Path) -> Result<bool> {
    if !path.exists() {
        return Ok(false);
    }
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let conn = Connection::open_with_flags(path, flags)
        .map_err(|e| StoreError::Open { path: path.to_owned(), why: e.to_string() })?;
    conn.busy_timeout(Duration::ZERO)?;
    // The write-ahead log can be switched off only while nothing else has the database open.
    match conn.pragma_update(None, "journal_mode", "DELETE").map_err(StoreError::from) {
        Err(StoreError::Busy) => Ok(true),
        // A damaged file is reported as not in use.
        Ok(()) | Err(StoreError::Corrupt(_)) => Ok(false),
        Err(e) => Err(e),
    }
}

/// Creates a database with an earlier schema, for tests.
#[cfg(test)]
pub(crate) fn database_of(path: &Path, schema: usize) {
    let mut conn = Connection::open(path).unwrap();
    rusqlite_migration::Migrations::from_slice(STEPS).to_version(&mut conn, schema).unwrap();
    let url = "http://a.example/feed";
    conn.execute("INSERT INTO source (key, id, url) VALUES (1, 'a', ?1)", [url]).unwrap();
    conn.execute_batch(
        "INSERT INTO item (key, id, source, date, discovered, title, url_hash, content_hash, version_hash)
            VALUES (1, x'00112233445566778899aabbccddeeff', 1, 7, 7, 'kept', 1, 1, 1);
         INSERT INTO detail (item, content) VALUES (1, '<p>text</p>')",
    )
    .unwrap();
}
