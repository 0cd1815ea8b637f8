//! Migrations of the database to the schema of this version, with a backup before the first step.

use super::connect::{create_private, open_error, too_new};
use super::error::{Result, StoreError};
use rusqlite::Connection;
use rusqlite::backup::{Backup, StepResult};
use rusqlite_migration::{M, Migrations, SchemaVersion};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// One step per schema version; a released step is never edited.
pub(super) const STEPS: &[M<'static>] = &[
    M::up(include_str!("schema.sql")),
    M::up(include_str!("schema-2.sql")),
    M::up(include_str!("schema-3.sql")),
    M::up(include_str!("schema-4.sql")),
    M::up(include_str!("schema-5.sql")),
    M::up(include_str!("schema-6.sql")),
    M::up(include_str!("schema-7.sql")),
    M::up(include_str!("schema-8.sql")),
    M::up(include_str!("schema-9.sql")),
    M::up(include_str!("schema-10.sql")),
    M::up(include_str!("schema-11.sql")),
    M::up(include_str!("schema-12.sql")),
    M::up(include_str!("schema-13.sql")),
    M::up(include_str!("schema-14.sql")),
    M::up(include_str!("schema-15.sql")),
    M::up(include_str!("schema-16.sql")),
    M::up(include_str!("schema-17.sql")),
    M::up(include_str!("schema-18.sql")),
    M::up(include_str!("schema-19.sql")),
    M::up(include_str!("schema-20.sql")),
    M::up(include_str!("schema-21.sql")),
    M::up(include_str!("schema-22.sql")),
    M::up(include_str!("schema-23.sql")),
    M::up(include_str!("schema-24.sql")),
];

/// What a migration does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Migration {
    /// Copies the database, in percent.
    Copy(u8),
    /// Runs a step, counted from 1, and the number of steps.
    Step(usize, usize),
}

/// Whether the database has the schema of this version.
pub(super) fn is_current(conn: &Connection) -> bool {
    let version: rusqlite::Result<i64> =
        conn.pragma_query_value(None, "user_version", |r| r.get(0));
    version.is_ok_and(|version| usize::try_from(version) == Ok(STEPS.len()))
}

/// Brings the schema up to date. The migration may be interrupted: each step is one transaction, and the next
/// start continues with the next step.
pub(super) fn migrate(
    conn: &mut Connection,
    path: &Path,
    show: &mut dyn FnMut(Migration),
) -> Result<()> {
    let migrations = Migrations::from_slice(STEPS);
    let version = |conn: &Connection| -> Result<usize> {
        match migrations.current_version(conn) {
            Ok(SchemaVersion::NoneSet) => Ok(0),
            Ok(SchemaVersion::Inside(v) | SchemaVersion::Outside(v)) => Ok(v.get()),
            Err(e) => Err(migration_error(e)),
        }
    };
    let found = version(conn)?;
    if found > STEPS.len() {
        return Err(too_new(path, found));
    }
    // A new file has no data to back up.
    if (1..STEPS.len()).contains(&found) {
        back_up(conn, &backup_path(path, found), show)?;
    }
    let mut done = found;
    while done < STEPS.len() {
        // A new database has nothing to lose, so all steps are one transaction.
        let to = if found == 0 { STEPS.len() } else { done + 1 };
        if found > 0 {
            show(Migration::Step(to - found, STEPS.len() - found));
        }
        match migrations.to_version(conn, to) {
            Ok(()) => done = to,
            // If two processes start at the same time, the other one may have done these steps.
            Err(e) => match version(conn)? {
                now if now > STEPS.len() => return Err(too_new(path, now)),
                now if now > done => done = now,
                _ => return Err(migration_error(e)),
            },
        }
    }
    Ok(())
}

fn migration_error(e: rusqlite_migration::Error) -> StoreError {
    match e {
        rusqlite_migration::Error::RusqliteError { err, .. } => err.into(),
        other => StoreError::Sqlite(other.to_string()),
    }
}

/// `newsfed.db` at schema 3 is saved as `newsfed.db.schema-3.bak`.
pub(super) fn backup_path(path: &Path, version: usize) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(format!(".schema-{version}.bak"));
    PathBuf::from(name)
}

/// Number of pages that are copied at once.
const PAGES: i32 = 4096;
/// How long to wait for a process that is writing.
const PAUSE: Duration = Duration::from_millis(50);

/// Copies the whole database to a file that only its owner can read.
pub(super) fn back_up(conn: &Connection, to: &Path, show: &mut dyn FnMut(Migration)) -> Result<()> {
    create_private(to)?;
    let mut copy = Connection::open(to).map_err(|e| open_error(to, &e))?;
    let backup = Backup::new(conn, &mut copy)?;
    loop {
        let result = backup.step(PAGES)?;
        let pages = backup.progress();
        let done = i64::from(pages.pagecount - pages.remaining) * 100;
        let percent = done / i64::from(pages.pagecount.max(1));
        show(Migration::Copy(u8::try_from(percent).unwrap_or(100)));
        match result {
            StepResult::Done => return Ok(()),
            StepResult::More => {}
            _ => std::thread::sleep(PAUSE),
        }
    }
}
