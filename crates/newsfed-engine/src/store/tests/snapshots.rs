//! Copies of databases for backups, and databases from backups.

use super::*;
use rusqlite::Connection;

#[test]
fn copies_and_backups_report_their_original_schema() {
    for schema in [2, 7, schema_version()] {
        let dir = tempfile::tempdir().unwrap();
        let [from, to] = ["from.db", "to.db"].map(|name| dir.path().join(name));
        database_of(&from, schema);
        assert_eq!(snapshot(&from, &to).unwrap(), schema);
        assert_eq!(adopt(&to).unwrap(), schema, "before it was migrated");
        assert_eq!(adopt(&to).unwrap(), schema_version());
        assert_eq!(snapshot(&from, &dir.path().join("again.db")).unwrap(), schema, "unchanged");
        let reader = Store::open(&to).unwrap().reader().unwrap();
        assert_eq!(reader.item(1).unwrap().unwrap().title, "kept");
    }
}

#[test]
fn a_database_of_another_program_is_not_adopted() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("other.db");
    Connection::open(&path).unwrap().execute_batch("CREATE TABLE item (key)").unwrap();
    let refused = adopt(&path);
    assert!(matches!(refused, Err(StoreError::Corrupt(_))), "{refused:?}");
    let tables = "SELECT count(*) FROM sqlite_schema";
    let conn = Connection::open(&path).unwrap();
    assert_eq!(conn.query_row(tables, [], |r| r.get::<_, i64>(0)).unwrap(), 1, "it is unchanged");
    let newer = schema_version() + 1;
    conn.pragma_update(None, "user_version", newer as i64).unwrap();
    let refused = adopt(&path);
    assert!(matches!(refused, Err(StoreError::TooNew { found, .. }) if found == newer));
}
