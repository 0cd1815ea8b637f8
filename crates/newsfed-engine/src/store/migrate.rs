//! Migrations of the database to the schema of this version, with a backup before the first step.

use super::connect::{create_private, open_error, too_new};
use super::error::{Result, StoreError};
use rusqlite::backup::{Backup, StepResult};
use rusqlite::{Connection, TransactionBehavior};
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
    M::up(include_str!("schema-25.sql")),
];

/// The schema after all steps, which a test generates from the steps. Running the steps would take several
/// times as long.
const CURRENT: &str = include_str!("current.sql");

/// What a migration does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Migration {
    /// Copies the database, of which this percentage is done.
    Copy(u8),
    /// Runs a step: its number, counted from 1, and the number of steps.
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
    let mut found = version(conn)?;
    if found == 0 {
        create(conn)?;
        // Another process may have created the database at the same time.
        found = version(conn)?;
    }
    if found > STEPS.len() {
        return Err(too_new(path, found));
    }
    if found < STEPS.len() {
        back_up(conn, &backup_path(path, found), show)?;
    }
    let mut done = found;
    while done < STEPS.len() {
        show(Migration::Step(done + 1 - found, STEPS.len() - found));
        match migrations.to_version(conn, done + 1) {
            Ok(()) => done += 1,
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

/// Creates the current schema, unless the database has one.
fn create(conn: &mut Connection) -> Result<()> {
    let new = conn.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let found: i64 = new.pragma_query_value(None, "user_version", |r| r.get(0))?;
    if found == 0 {
        new.execute_batch(CURRENT)?;
        new.pragma_update(None, "user_version", STEPS.len() as i64)?;
    }
    Ok(new.commit()?)
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

#[cfg(test)]
mod tests {
    use super::*;

    /// The statements that create the schema of a database and the settings of its full-text indexes.
    fn statements(conn: &Connection) -> Vec<String> {
        let read = |query: &str| -> Vec<(String, String)> {
            let mut query = conn.prepare(query).unwrap();
            let rows = query.query_map([], |r| Ok((r.get(0)?, r.get(1)?))).unwrap();
            rows.collect::<rusqlite::Result<_>>().unwrap()
        };
        let schema =
            read("SELECT name, sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY rowid");
        let indexes: Vec<&str> = schema
            .iter()
            .filter(|(_, sql)| sql.starts_with("CREATE VIRTUAL TABLE"))
            .map(|(name, _)| name.as_str())
            .collect();
        // The tables behind a full-text index and `sqlite_sequence` are created by SQLite.
        let is_own = |name: &str| {
            let behind =
                |index: &&str| name.strip_prefix(*index).is_some_and(|n| n.starts_with('_'));
            !name.starts_with("sqlite_") && !indexes.iter().any(behind)
        };
        let mut out: Vec<String> =
            schema.iter().filter(|(name, _)| is_own(name)).map(|(_, sql)| sql.clone()).collect();
        for index in &indexes {
            let settings = read(&format!(
                "SELECT k, CAST(v AS TEXT) FROM {index}_config WHERE k <> 'version' ORDER BY k"
            ));
            out.extend(settings.into_iter().map(|(key, value)| {
                format!("INSERT INTO {index} ({index}, rank) VALUES ('{key}', {value})")
            }));
        }
        out
    }

    #[test]
    fn a_new_database_has_the_schema_of_all_steps() {
        let open = || Connection::open_in_memory().unwrap();
        let mut stepped = open();
        Migrations::from_slice(STEPS).to_latest(&mut stepped).unwrap();
        let steps = statements(&stepped);
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/store/current.sql");
        let text = format!(
            "-- The schema of a new database: what all steps (schema*.sql) result in.\n-- A test compares them; \
             UPDATE_EXPECT=1 writes this file.\n\n{};\n",
            steps.join(";\n\n")
        );
        if std::env::var_os("UPDATE_EXPECT").is_some() {
            // The file is compiled into the test, so only the next run can compare it.
            return std::fs::write(&file, &text).unwrap();
        }
        assert_eq!(CURRENT, text, "UPDATE_EXPECT=1 writes {}", file.display());
        let mut new = open();
        create(&mut new).unwrap();
        assert_eq!(statements(&new), steps);
        assert!(is_current(&new) && is_current(&stepped));
        // The steps leave no rows in other tables.
        let mut tables = stepped
            .prepare(
                "SELECT name FROM sqlite_schema WHERE type = 'table' AND sql NOT LIKE '%fts5%'",
            )
            .unwrap();
        let names = tables.query_map([], |r| r.get::<_, String>(0)).unwrap();
        for name in names.flatten().filter(|name| !name.contains("_text_")) {
            let count = format!("SELECT count(*) FROM {name}");
            let rows: i64 = stepped.query_row(&count, [], |r| r.get(0)).unwrap();
            assert_eq!(rows, 0, "{name}");
        }
    }
}
