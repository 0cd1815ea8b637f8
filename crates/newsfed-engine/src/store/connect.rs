//! Opening the database: folder, file modes, pragmas.

use super::error::{Result, StoreError};
use super::functions;
use super::migrate::{Migration, STEPS, migrate};
use rusqlite::{Connection, OpenFlags};
use std::fs::{self, OpenOptions};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// How long a statement waits for another process's write lock.
const BUSY_TIMEOUT: Duration = Duration::from_secs(10);

/// Opens the only read-write connection; creates or migrates the file first.
pub(super) fn open_writer(path: &Path) -> Result<Connection> {
    open_writer_showing(path, &mut |_| {})
}

/// Like [`open_writer`]; `show` receives the progress of a migration.
pub(super) fn open_writer_showing(
    path: &Path,
    show: &mut dyn FnMut(Migration),
) -> Result<Connection> {
    create_private(path)?;
    let mut conn = Connection::open(path).map_err(|e| open_error(path, &e))?;
    conn.busy_timeout(BUSY_TIMEOUT)?;
    if conn.is_readonly("main")? {
        return Err(StoreError::ReadOnly);
    }
    // Only a new file gets this page size. The larger a page, the fewer writes: with 4 KiB, the first refresh
    // of 1,000 feeds takes a tenth more CPU time. With 16 KiB, it is no faster than with 8 KiB.
    conn.pragma_update(None, "page_size", 8192)?;
    conn.pragma_update(None, "synchronous", "NORMAL")?;
    // If no file can be created in the folder, SQLite cannot open its log.
    conn.pragma_update(None, "journal_mode", "WAL").map_err(forbidden)?;
    conn.pragma_update(None, "foreign_keys", true)?;
    // Keeps statement journals, which undo failed statements, in memory: on disk, they would take as long as
    // the writes themselves.
    conn.pragma_update(None, "temp_store", "MEMORY")?;
    // SQLite never releases this memory. If there are many sources, the writer sets a larger cache.
    conn.pragma_update(None, "cache_size", -4096)?;
    // The log is copied to the file once it has 32 MiB, and then overwritten. With few sources, the writer
    // sets a lower limit, because the first write to a part of the log takes longer than overwriting it. With
    // many, a lower limit would cause more copies of pages that change often. A process that does not know
    // the sources must not have a lower limit than one that polls them, because its commits would copy that
    // process's log.
    let page: i64 = conn.pragma_query_value(None, "page_size", |r| r.get(0))?;
    conn.pragma_update(None, "wal_autocheckpoint", (32 << 20) / page)?;
    // Longer, because the last transaction before a checkpoint exceeds the limit.
    conn.pragma_update(None, "journal_size_limit", 48 << 20)?;
    // Large enough for many rules, each of which has its own statement.
    conn.set_prepared_statement_cache_capacity(320);
    functions::register(&conn)?;
    migrate(&mut conn, path, show)?;
    Ok(conn)
}

/// Opens a read-only connection. Also returns whether the connection treats the file as immutable for as long
/// as it is open.
pub(super) fn open_reader(path: &Path) -> Result<(Connection, bool)> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let mut conn = Connection::open_with_flags(path, flags).map_err(|e| open_error(path, &e))?;
    conn.busy_timeout(BUSY_TIMEOUT)?;
    // Reading would create a log that is read-only like the file, and stays read-only when the permissions
    // are fixed.
    let frozen = fs::metadata(path).is_ok_and(|m| m.permissions().readonly());
    let unreadable = || probe(&conn).map_err(forbidden).is_err_and(|e| e.leaves_reading());
    let immutable = !has_log(path) && (frozen || unreadable());
    if immutable {
        // A file that no process can write does not change.
        let uri = immutable_uri(path);
        let flags = flags | OpenFlags::SQLITE_OPEN_URI;
        conn = Connection::open_with_flags(uri, flags).map_err(|e| open_error(path, &e))?;
    }
    // The writer is opened first; if the schema is older, it could not create the tables or migrate the file.
    let version: i64 = conn.pragma_query_value(None, "user_version", |r| r.get(0))?;
    match usize::try_from(version) {
        Ok(0) => return Err(open_error(path, &"it is empty; delete it and start newsfed again")),
        Ok(version) if version < STEPS.len() => {
            return Err(StoreError::TooOld { path: path.to_owned() });
        }
        _ => {}
    }
    conn.pragma_update(None, "query_only", true)?;
    functions::register(&conn)?;
    conn.set_prepared_statement_cache_capacity(64);
    Ok((conn, immutable))
}

/// How long a reader waits for another program's lock on a file whose content is only displayed.
const SHORT_TIMEOUT: Duration = Duration::from_millis(50);

/// Opens a database of a different kind without changing it. If there is no log next to it, no
/// process is writing to it, so no lock is taken.
pub(super) fn open_unchanged(path: &Path) -> Result<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let conn = if has_log(path) {
        Connection::open_with_flags(path, flags)
    } else {
        let flags = flags | OpenFlags::SQLITE_OPEN_URI;
        Connection::open_with_flags(immutable_uri(path), flags)
    };
    let conn = conn.map_err(|e| open_error(path, &e))?;
    conn.busy_timeout(SHORT_TIMEOUT)?;
    Ok(conn)
}

/// Fails if the file was written by a newer version of newsfed. A version that cannot be read is not an
/// error.
pub(super) fn refuse_newer(path: &Path) -> Result<()> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let version = Connection::open_with_flags(path, flags)
        .and_then(|conn| conn.pragma_query_value(None, "user_version", |row| row.get::<_, i64>(0)));
    match version.ok().and_then(|found| usize::try_from(found).ok()) {
        Some(found) if found > STEPS.len() => Err(too_new(path, found)),
        _ => Ok(()),
    }
}

pub(super) fn too_new(path: &Path, found: usize) -> StoreError {
    StoreError::TooNew { path: path.to_owned(), found, known: STEPS.len() }
}

/// Fails if nothing can be read.
fn probe(conn: &Connection) -> rusqlite::Result<i64> {
    conn.query_row("SELECT count(*) FROM sqlite_schema", [], |r| r.get(0))
}

/// If SQLite cannot open a file next to an open database, it is not allowed to create the file.
fn forbidden(e: rusqlite::Error) -> StoreError {
    match e.sqlite_error_code() {
        Some(rusqlite::ErrorCode::CannotOpen) => StoreError::ReadOnly,
        _ => e.into(),
    }
}

/// The log next to the file.
pub(super) fn log_of(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push("-wal");
    PathBuf::from(name)
}

/// Whether there are commits in a log next to the file.
fn has_log(path: &Path) -> bool {
    fs::metadata(log_of(path)).is_ok_and(|m| m.len() > 0)
}

/// A URI that makes SQLite take no locks and need no other file.
fn immutable_uri(path: &Path) -> String {
    let escaped =
        path.to_string_lossy().replace('%', "%25").replace('?', "%3f").replace('#', "%23");
    format!("file:{escaped}?immutable=1")
}

pub(super) fn open_error(path: &Path, e: &dyn std::fmt::Display) -> StoreError {
    StoreError::Open { path: path.to_owned(), why: e.to_string() }
}

/// Like [`open_error`], with advice.
pub(super) fn file_error(path: &Path, e: &std::io::Error) -> StoreError {
    match e.kind() {
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded => open_error(path, &StoreError::Full),
        _ => open_error(path, e),
    }
}

/// Creates the folder with mode 0700 and the file with mode 0600 if they are missing.
pub(super) fn create_private(path: &Path) -> Result<()> {
    let fail = |e: std::io::Error| file_error(path, &e);
    if let Some(dir) = path.parent().filter(|d| !d.as_os_str().is_empty() && !d.exists()) {
        let mut builder = fs::DirBuilder::new();
        builder.recursive(true);
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        builder.create(dir).map_err(fail)?;
    }
    if !path.exists() {
        let mut options = OpenOptions::new();
        options.write(true).create(true).truncate(false);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        options.open(path).map_err(fail)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::migrate::{back_up, backup_path};
    use rusqlite_migration::Migrations;

    #[test]
    fn migration_steps_are_valid_sql() {
        Migrations::from_slice(STEPS).validate().unwrap();
    }

    #[test]
    fn rejects_newer_schema_without_changing_the_file() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("db");
        drop(open_writer(&path).unwrap());
        let conn = Connection::open(&path).unwrap();
        conn.pragma_update(None, "user_version", 99).unwrap();
        drop(conn);
        let err = open_writer(&path).unwrap_err();
        assert!(matches!(err, StoreError::TooNew { found: 99, .. }), "{err}");
    }

    #[test]
    fn migrates_the_first_schema() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("db");
        let mut old = Connection::open(&path).unwrap();
        Migrations::from_slice(STEPS).to_version(&mut old, 1).unwrap();
        old.execute("INSERT INTO source (id, url) VALUES ('a', 'http://a/')", []).unwrap();
        old.execute(
            "INSERT INTO poll (source, at, millis, bytes, failed, outcome) VALUES (1, 7, 0, 0, 0, '')",
            [],
        )
        .unwrap();
        drop(old);
        let new = open_writer(&path).unwrap();
        let row: (Option<String>, i64) = new
            .query_row("SELECT s.planned, p.automatic FROM source s, poll p", [], |r| {
                Ok((r.get(0)?, r.get(1)?))
            })
            .unwrap();
        assert_eq!(row, (None, 0));
        assert!(backup_path(&path, 1).exists());
    }

    #[test]
    fn migrates_a_schema_from_before_revisions() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("db");
        let mut old = Connection::open(&path).unwrap();
        Migrations::from_slice(STEPS).to_version(&mut old, 8).unwrap();
        old.execute_batch(
            "INSERT INTO source (key, id, url) VALUES (1, 'a', 'http://a/');
             INSERT INTO item (key, id, source, date, discovered, title, url_hash, content_hash,
                version_hash, changed)
                VALUES (1, zeroblob(16), 1, 7, 7, 't', 1, 1, 1, 1), (2, x'00112233445566778899aabbccddeeff', 1, 7, 7, 't', 2, 2, 2, 0);
             INSERT INTO detail (item) VALUES (1), (2);
             INSERT INTO article (item, at, origin, body)
                VALUES (1, 7, '\"page\"', x'00'), (1, 8, '\"page\"', x'00'), (2, 7, '\"page\"', x'00');",
        )
        .unwrap();
        drop(old);
        let new = open_writer(&path).unwrap();
        let all = |sql: &str| -> Vec<Option<i64>> {
            let mut query = new.prepare(sql).unwrap();
            query.query_map([], |r| r.get(0)).unwrap().collect::<rusqlite::Result<_>>().unwrap()
        };
        assert_eq!(all("SELECT substantial FROM item ORDER BY key"), [Some(1), Some(0)]);
        assert_eq!(all("SELECT indexed FROM article ORDER BY key"), [Some(0), None, None]);
        assert_eq!(all("SELECT comment_count FROM item"), [None, None]);
        // Reading an item for the first time marks its comments as seen.
        new.execute_batch(
            "UPDATE item SET comment_count = 3; UPDATE item SET read = 1 WHERE key = 1;
             UPDATE item SET comment_count = 5, read = 0; UPDATE item SET read = 1 WHERE key = 1",
        )
        .unwrap();
        assert_eq!(all("SELECT comments_seen FROM item ORDER BY key"), [Some(3), None]);
        // One backup, however many steps there are.
        let backups = fs::read_dir(dir.path()).unwrap().filter_map(std::result::Result::ok);
        let backups = backups.filter(|file| file.path().extension().is_some_and(|e| e == "bak"));
        assert_eq!(backups.count(), 1);
        assert!(backup_path(&path, 8).exists());
    }

    #[test]
    fn migrations_show_their_progress() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("db");
        let mut shown = Vec::new();
        drop(open_writer_showing(&path, &mut |what| shown.push(what)).unwrap());
        assert_eq!(shown, [], "a new database has nothing to migrate");
        fs::remove_file(&path).unwrap();
        let mut old = Connection::open(&path).unwrap();
        Migrations::from_slice(STEPS).to_version(&mut old, STEPS.len() - 2).unwrap();
        drop(old);
        drop(open_writer_showing(&path, &mut |what| shown.push(what)).unwrap());
        assert_eq!(shown, [Migration::Copy(100), Migration::Step(1, 2), Migration::Step(2, 2)]);
    }

    #[test]
    fn migrates_the_schema_that_counted_each_item() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("db");
        let mut old = Connection::open(&path).unwrap();
        Migrations::from_slice(STEPS).to_version(&mut old, 9).unwrap();
        let insert =
            "INSERT INTO item (id, source, date, discovered, title, url_hash, content_hash,
            version_hash) VALUES (randomblob(16), 1, 7, 7, 't', 1, 1, 1)";
        old.execute_batch(&format!(
            "INSERT INTO source (key, id, url) VALUES (1, 'a', 'http://a/'); {insert}; {insert}; {insert};
             UPDATE item SET read = 1 WHERE key = 1; UPDATE item SET pinned = 1 WHERE key = 2;
             INSERT INTO detail (item, indexed) VALUES (1, 0), (2, 1), (3, 0)"
        ))
        .unwrap();
        drop(old);
        let new = open_writer(&path).unwrap();
        let counts = || -> (i64, i64, i64) {
            let columns = |r: &rusqlite::Row<'_>| Ok((r.get(0)?, r.get(1)?, r.get(2)?));
            new.query_row("SELECT items, unread, pinned FROM source", [], columns).unwrap()
        };
        assert_eq!(counts(), (3, 2, 1));
        let unindexed = || -> Option<String> {
            new.query_row("SELECT group_concat(item) FROM unindexed", [], |r| r.get(0)).unwrap()
        };
        assert_eq!(unindexed().as_deref(), Some("1,3"));
        new.execute_batch(insert).unwrap();
        assert_eq!(counts(), (3, 2, 1), "the code that inserts items counts them");
        new.execute_batch(
            "UPDATE source SET items = 4, unread = 3; DELETE FROM item WHERE key = 2",
        )
        .unwrap();
        assert_eq!(counts(), (3, 2, 0));
        new.execute_batch("DELETE FROM item WHERE key = 1").unwrap();
        assert_eq!(unindexed().as_deref(), Some("3"));
        assert!(backup_path(&path, 9).exists());
    }

    #[test]
    fn migrates_the_schema_before_downloads() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("db");
        super::super::database_of(&path, 12);
        let new = open_writer(&path).unwrap();
        new.execute("INSERT INTO download VALUES ('/a', 1, 7, 8, 9), ('/b', NULL, 7, 8, 9)", [])
            .unwrap();
        let items = || -> Vec<Option<i64>> {
            let mut query = new.prepare("SELECT item FROM download ORDER BY path").unwrap();
            query.query_map([], |r| r.get(0)).unwrap().map(|item| item.unwrap()).collect()
        };
        assert_eq!(items(), [Some(1), None]);
        new.execute("DELETE FROM item WHERE key = 1", []).unwrap();
        assert_eq!(items(), [None, None], "the files stay");
        assert!(backup_path(&path, 12).exists());
    }

    #[test]
    fn migrates_the_schema_before_accounts() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("db");
        super::super::database_of(&path, 13);
        let new = open_writer(&path).unwrap();
        new.execute_batch(
            "INSERT INTO account (key, id, url, user) VALUES (1, 'home', 'http://a/', 'alice');
             INSERT INTO remote_item (account, remote, item, base_read, base_pinned, read, pinned, tries)
                VALUES (1, -7, 1, 0, 0, 0, 0, 2), (1, 'ab', NULL, 0, 0, 0, 0, 2);
             UPDATE item SET read = 1, pinned = 1 WHERE key = 1",
        )
        .unwrap();
        let marks = |remote: &str| -> (i64, i64, i64, i64, Option<i64>) {
            let sql = format!(
                "SELECT base_read, read, pinned, tries, item FROM remote_item WHERE remote = {remote}"
            );
            let columns =
                |r: &rusqlite::Row<'_>| Ok((r.get(0)?, r.get(1)?, r.get(2)?, r.get(3)?, r.get(4)?));
            new.query_row(&sql, [], columns).unwrap()
        };
        assert_eq!(marks("-7"), (0, 1, 1, 0, Some(1)), "a mark waits from its own transaction on");
        assert_eq!(marks("'ab'"), (0, 0, 0, 2, None));
        new.execute("DELETE FROM item WHERE key = 1", []).unwrap();
        assert_eq!(marks("-7"), (0, 1, 1, 0, None), "it waits without the item, too");
        assert!(backup_path(&path, 13).exists());
    }

    #[test]
    fn migrates_the_schema_with_one_rule_for_each_effect() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("db");
        super::super::database_of(&path, 14);
        let old = Connection::open(&path).unwrap();
        let insert = "INSERT INTO rule_effect VALUES (1, 'notify', ?1, 7, 0)";
        old.execute(insert, ["a"]).unwrap();
        assert!(old.execute(insert, ["b"]).is_err());
        drop(old);
        let new = open_writer(&path).unwrap();
        new.execute(insert, ["b"]).unwrap();
        let rules = "SELECT group_concat(rule) FROM rule_effect WHERE at = 7";
        assert_eq!(new.query_row(rules, [], |r| r.get::<_, String>(0)).unwrap(), "a,b");
        new.execute("DELETE FROM item WHERE key = 1", []).unwrap();
        let left = "SELECT count(*) FROM rule_effect";
        assert_eq!(new.query_row(left, [], |r| r.get::<_, i64>(0)).unwrap(), 0);
        assert!(backup_path(&path, 14).exists());
    }

    #[test]
    fn reports_an_older_database_that_cannot_be_migrated() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("db");
        let mut old = Connection::open(&path).unwrap();
        Migrations::from_slice(STEPS).to_version(&mut old, STEPS.len() - 1).unwrap();
        drop(old);
        let error = open_reader(&path).unwrap_err();
        assert!(matches!(error, StoreError::TooOld { .. }), "{error}");
        drop(open_writer(&path).unwrap());
        assert!(open_reader(&path).is_ok());
    }

    #[test]
    fn databases_keep_their_page_size_and_have_logs_of_the_same_length() {
        let dir = tempfile::tempdir().unwrap();
        let (new, old) = (dir.path().join("new"), dir.path().join("old"));
        let mut conn = Connection::open(&old).unwrap();
        conn.pragma_update(None, "page_size", 4096).unwrap();
        Migrations::from_slice(STEPS).to_version(&mut conn, 1).unwrap();
        drop(conn);
        for (path, size) in [(new, 8192), (old, 4096)] {
            let conn = open_writer(&path).unwrap();
            let number =
                |name| conn.pragma_query_value(None, name, |r| r.get::<_, i64>(0)).unwrap();
            assert_eq!(number("page_size"), size);
            assert_eq!(number("wal_autocheckpoint") * size, 32 << 20);
        }
    }

    #[test]
    fn backup_contains_everything() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("db");
        let conn = open_writer(&path).unwrap();
        conn.execute("INSERT INTO source (id, url) VALUES ('a', 'http://a/')", []).unwrap();
        let bak = backup_path(&path, 1);
        back_up(&conn, &bak, &mut |_| {}).unwrap();
        let n: i64 = Connection::open(&bak)
            .unwrap()
            .query_row("SELECT count(*) FROM source", [], |r| r.get(0))
            .unwrap();
        assert_eq!(n, 1);
    }

    #[cfg(unix)]
    #[test]
    fn files_are_readable_only_by_the_owner() {
        use std::os::unix::fs::PermissionsExt;
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("new/db");
        drop(open_writer(&path).unwrap());
        let files = fs::read_dir(path.parent().unwrap()).unwrap().count();
        assert_eq!(files, 1, "a new database needs no backup");
        let mode = |p: &Path| fs::metadata(p).unwrap().permissions().mode() & 0o777;
        assert_eq!((mode(&path), mode(path.parent().unwrap())), (0o600, 0o700));
    }
}
