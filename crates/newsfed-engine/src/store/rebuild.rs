//! Rebuilding a damaged database from everything that can still be read.

use super::connect::{open_writer, refuse_newer};
use super::error::{Result, StoreError};
use crate::util::text;
use rusqlite::types::{Value, ValueRef};
use rusqlite::{Connection, OpenFlags, params_from_iter};
use std::path::{Path, PathBuf};

/// The result of a rebuild.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rebuilt {
    /// The new path of the damaged file.
    pub damaged: PathBuf,
    /// What was recovered and lost, table by table.
    pub tables: Vec<Salvage>,
}

/// The recovered rows of one kind.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Salvage {
    /// The kind of the rows, in the plural.
    pub what: &'static str,
    /// Number of recovered rows.
    pub saved: usize,
    /// Whether some rows could not be read.
    pub lost_some: bool,
}

/// A table: its name, the kind of its rows, and the columns that are not copied because the program computes
/// them again, each with the value that replaces it.
type Table = (&'static str, &'static str, &'static [(&'static str, &'static str)]);

const TABLES: &[Table] = &[
    ("source", "sources", &[("items", "0"), ("unread", "0"), ("pinned", "0")]),
    ("item", "items", &[]),
    ("detail", "texts", &[("indexed", "0")]),
    ("poll", "log entries", &[]),
    ("pruned", "removed items", &[]),
    ("page", "skipped pages", &[]),
    ("fetch", "page requests", &[]),
    ("article", "full texts", &[("indexed", "NULL")]),
    ("headline", "earlier titles", &[]),
    ("dataset", "data file states", &[]),
    ("site", "site templates", &[]),
    ("memo", "notes", &[]),
    ("place", "reading positions", &[]),
    ("item_tag", "tags", &[]),
    ("snooze", "snoozed items", &[]),
    ("rule_effect", "rule effects", &[]),
    ("story_item", "story items", &[]),
    ("copy", "list page copies", &[]),
    ("download", "downloads", &[]),
    ("episode", "episodes", &[]),
    ("account", "accounts", &[]),
    // These rows precede those of `remote_item`, because inserting the latter creates rows in this table for
    // tags.
    ("remote_label", "item labels", &[]),
    ("remote_item", "account items", &[]),
    ("account_op", "changes for accounts", &[]),
    ("account_moved", "sources moved to accounts", &[]),
    ("account_override", "source settings of accounts", &[]),
    ("shared_mark", "marks of other machines", &[]),
    ("marked", "marks for other machines", &[]),
    ("followed_list", "followed lists", &[]),
];

/// Columns by their current names, with the names in older versions.
const RENAMED: [(&str, &str); 2] =
    [("paused_until", "hold_until"), ("pause_reason", "hold_reason")];

/// Removes orphaned rows, and adds empty texts to items without text.
const FINISH: &str = "
    DELETE FROM item WHERE source NOT IN (SELECT key FROM source);
    -- The file of this machine is read again, because it may have marks that were lost here.
    DELETE FROM memo WHERE name = 'machine_file';
    DELETE FROM detail WHERE item NOT IN (SELECT key FROM item);
    DELETE FROM poll WHERE source NOT IN (SELECT key FROM source);
    DELETE FROM place WHERE item NOT IN (SELECT key FROM item);
    DELETE FROM item_tag WHERE item NOT IN (SELECT key FROM item);
    DELETE FROM snooze WHERE item NOT IN (SELECT key FROM item);
    UPDATE item SET hidden = 0, read = 0 WHERE hidden = 2 AND key NOT IN (SELECT item FROM snooze);
    DELETE FROM rule_effect WHERE item NOT IN (SELECT key FROM item);
    DELETE FROM story_item WHERE item NOT IN (SELECT key FROM item);
    DELETE FROM story_item WHERE story IN (SELECT story FROM story_item GROUP BY story HAVING count(*) = 1);
    DELETE FROM episode WHERE item NOT IN (SELECT key FROM item);
    UPDATE download SET item = NULL WHERE item NOT IN (SELECT key FROM item);
    UPDATE source SET account = NULL, declared = 0, undeclared_at = unixepoch()
        WHERE account IS NOT NULL AND account NOT IN (SELECT key FROM account);
    DELETE FROM remote_item WHERE account NOT IN (SELECT key FROM account);
    UPDATE remote_item SET item = NULL WHERE item NOT IN (SELECT key FROM item);
    DELETE FROM remote_label WHERE (account, remote) NOT IN (SELECT account, remote FROM remote_item);
    DELETE FROM account_op WHERE account NOT IN (SELECT key FROM account)
        OR source NOT IN (SELECT key FROM source);
    DELETE FROM account_moved WHERE account NOT IN (SELECT key FROM account)
        OR source NOT IN (SELECT key FROM source);
    DELETE FROM followed_list WHERE source NOT IN (SELECT key FROM source);
    DELETE FROM pruned WHERE source NOT IN (SELECT key FROM source);
    DELETE FROM page WHERE source NOT IN (SELECT key FROM source);
    DELETE FROM copy WHERE source NOT IN (SELECT key FROM source);
    DELETE FROM site WHERE source NOT IN (SELECT key FROM source);
    DELETE FROM fetch WHERE item NOT IN (SELECT key FROM item) OR source NOT IN (SELECT key FROM source);
    DELETE FROM article WHERE item NOT IN (SELECT key FROM item);
    DELETE FROM dataset WHERE item NOT IN (SELECT key FROM item) OR source NOT IN (SELECT key FROM source);
    DELETE FROM headline WHERE item NOT IN (SELECT key FROM item);
    UPDATE article SET indexed = 0
        WHERE key < (SELECT max(newer.key) FROM article newer WHERE newer.item = article.item);
    INSERT INTO version_text (rowid, title, authors, body) SELECT -key, segmented(title), '', ''
        FROM headline;
    UPDATE source SET (items, unread, pinned) = (SELECT count(*), coalesce(sum(read = 0), 0), coalesce(sum(pinned), 0)
        FROM item WHERE source = source.key);
    INSERT INTO unindexed SELECT key FROM item;
    INSERT INTO detail (item, publisher) SELECT key, '' FROM item WHERE key NOT IN (SELECT item FROM detail);
    UPDATE source SET last_modified = NULL, etag = NULL, body_hash = NULL, validators_of = NULL;";

/// Moves the database away and creates a new one from what can be read. No process may have the database
/// open.
///
/// # Errors
/// If a newer version of newsfed wrote the database, because this version would lose a part of it, or if
/// files cannot be moved or written. The database then remains where it was.
pub fn rebuild(path: &Path) -> Result<Rebuilt> {
    refuse_newer(path)?;
    let fresh = beside(path, ".rebuilt");
    for end in ["", "-wal", "-shm"] {
        let _ = std::fs::remove_file(beside(&fresh, end));
    }
    let tables = salvage(path, &fresh)?;
    let damaged = (1..)
        .map(|n| beside(path, &format!(".damaged-{n}")))
        .find(|p| !p.exists())
        .unwrap_or_else(|| beside(path, ".damaged"));
    let fail = |e: std::io::Error| StoreError::Open { path: path.to_owned(), why: e.to_string() };
    for end in ["-wal", "-shm", ""] {
        let (from, to) = (beside(path, end), beside(&damaged, end));
        if from.exists() {
            std::fs::rename(from, to).map_err(fail)?;
        }
    }
    std::fs::rename(&fresh, path).map_err(fail)?;
    Ok(Rebuilt { damaged, tables })
}

fn beside(path: &Path, end: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(end);
    PathBuf::from(name)
}

/// Copies what can be read into a new file.
fn salvage(from: &Path, to: &Path) -> Result<Vec<Salvage>> {
    let new = open_writer(to)?;
    new.pragma_update(None, "foreign_keys", false)?;
    // The file is written in one transaction and then moved into place, so it needs no log.
    new.pragma_update(None, "journal_mode", "DELETE")?;
    new.execute_batch("BEGIN")?;
    let mut tables = Vec::new();
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let old = Connection::open_with_flags(from, flags);
    for (name, what, own) in TABLES {
        let mut copy = Copy { saved: 0, failed: false };
        match &old {
            Ok(old) => copy.table(old, &new, name, own)?,
            Err(_) => copy.failed = true,
        }
        tables.push(Salvage { what, saved: copy.saved, lost_some: copy.failed });
    }
    new.execute_batch(FINISH)?;
    new.execute_batch("COMMIT")?;
    new.close().map_err(|(_, e)| e)?;
    Ok(tables)
}

struct Copy {
    saved: usize,
    failed: bool,
}

impl Copy {
    /// Copies rows in the order of their keys; if a page is damaged, the next readable key is
    /// searched for in growing steps.
    fn table(
        &mut self,
        old: &Connection,
        new: &Connection,
        name: &str,
        own: &[(&str, &str)],
    ) -> Result<()> {
        // A file of an older version lacks some tables and columns, which is not a loss.
        let there = columns(old, name).unwrap_or_default();
        let is_known = |table| columns(old, table).is_ok_and(|c| !c.is_empty());
        if there.is_empty() && is_known("source") {
            return Ok(());
        }
        let has = |column: &str| there.is_empty() || there.iter().any(|c| c == column);
        let old_name = |column: &str| {
            let renamed = RENAMED.iter().find(|(new, old)| *new == column && !has(new) && has(old));
            renamed.map_or(column.to_owned(), |(_, old)| (*old).to_owned())
        };
        let mut columns = columns(new, name)?;
        columns.retain(|c| has(&old_name(c)));
        let shown: Vec<String> = columns
            .iter()
            .map(|c| own.iter().find(|(n, _)| n == c).map_or(old_name(c), |(_, v)| (*v).to_owned()))
            .collect();
        let marks = vec!["?"; columns.len()].join(", ");
        let insert =
            format!("INSERT OR IGNORE INTO {name} ({}) VALUES ({marks})", columns.join(", "));
        let keyed = columns.iter().any(|c| c == "key" || c == "item");
        let key = if columns.iter().any(|c| c == "key") { "key" } else { "item" };
        let shown = shown.join(", ");
        if !keyed {
            let query = format!("SELECT {shown} FROM {name}");
            self.rows(old, new, &columns, &query, &insert, None)?;
            return Ok(());
        }
        let query =
            format!("SELECT {shown} FROM {name} NOT INDEXED WHERE {key} > ?1 ORDER BY {key}");
        let (mut after, mut step) = (i64::MIN, 1i64);
        loop {
            let last = self.rows(old, new, &columns, &query, &insert, Some(after))?;
            match last {
                Ended::Whole => return Ok(()),
                Ended::At(Some(key)) => (after, step) = (key, 1),
                Ended::At(None) => {
                    // No row is readable here, but there may be more rows after the damage.
                    after = after.max(0).saturating_add(step);
                    step = step.saturating_mul(2);
                    if step > MAX_STEP {
                        return Ok(());
                    }
                }
            }
        }
    }

    /// Copies rows until the end or an unreadable row.
    fn rows(
        &mut self,
        old: &Connection,
        new: &Connection,
        columns: &[String],
        query: &str,
        insert: &str,
        after: Option<i64>,
    ) -> Result<Ended> {
        let mut last = None;
        let Ok(mut select) = old.prepare(query) else {
            self.failed = true;
            return Ok(Ended::Whole);
        };
        let mut insert = new.prepare_cached(insert)?;
        let count = select.column_count();
        let Ok(mut rows) = select.query(params_from_iter(after)) else {
            self.failed = true;
            return Ok(Ended::At(last));
        };
        loop {
            match rows.next() {
                Ok(None) => return Ok(Ended::Whole),
                Ok(Some(row)) => {
                    let values: rusqlite::Result<Vec<Value>> =
                        (0..count).map(|c| Ok(cleaned(&columns[c], row.get_ref(c)?))).collect();
                    last = row.get(0).ok().or(last);
                    // A row that violates a constraint of the table is damaged too.
                    match values.map(|v| insert.execute(params_from_iter(v))) {
                        Ok(Ok(n)) => self.saved += n,
                        _ => self.failed = true,
                    }
                }
                Err(_) => {
                    self.failed = true;
                    return Ok(Ended::At(last));
                }
            }
        }
    }
}

/// Columns that are shown as one line of text.
const LINES: [&str; 3] = ["title", "feed_title", "publisher"];

/// A value that is safe to show, because damage may have put anything into a text.
fn cleaned(column: &str, value: ValueRef<'_>) -> Value {
    let ValueRef::Text(bytes) = value else {
        // Only text needs cleaning.
        return Value::try_from(value).unwrap_or(Value::Null);
    };
    let text = String::from_utf8_lossy(bytes);
    let line = LINES.contains(&column);
    Value::Text(if line { text::line(&text) } else { text::markup(&text).into_owned() })
}

/// How reading ended.
enum Ended {
    /// The end of the table was reached.
    Whole,
    /// A damaged place was reached, after this key.
    At(Option<i64>),
}

/// Maximum distance, in keys, that is searched for rows after damage.
const MAX_STEP: i64 = 1 << 40;

fn columns(conn: &Connection, table: &str) -> Result<Vec<String>> {
    let mut query = conn.prepare("SELECT name FROM pragma_table_info(?1)")?;
    Ok(query.query_map([table], |r| r.get(0))?.collect::<rusqlite::Result<_>>()?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::{Anchor, Scope, Store, View};

    /// Creates a database of 5 sources and 2,000 items, 400 of them pinned, and returns its bytes.
    fn filled(path: &Path) -> Vec<u8> {
        let conn = open_writer(path).unwrap();
        conn.execute_batch(
            "INSERT INTO source (key, id, url) WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < 5)
                 SELECT i, 's' || i, 'http://s.example/' || i FROM n;
             INSERT INTO item (key, id, source, date, discovered, pinned, title, url_hash, content_hash, version_hash)
                 WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < 2000)
                 SELECT i, CAST(printf('%016d', i) AS BLOB), 1 + i % 5, i, i, i % 5 = 0, 'title ' || i, i, i, i FROM n;
             INSERT INTO detail (item, content) SELECT key, '<p>' || hex(zeroblob(200)) FROM item;",
        )
        .unwrap();
        conn.pragma_update(None, "wal_checkpoint", "TRUNCATE").unwrap();
        drop(conn);
        std::fs::read(path).unwrap()
    }

    /// Whichever bytes are wrong, opening and reading never panic, and a rebuild creates a sound database.
    #[test]
    fn damage_is_reported_and_repaired() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("db");
        let whole = filled(&path);
        const ROUNDS: u64 = 10;
        let mut saved = 0;
        for seed in 0..ROUNDS {
            let mut random = fastrand::Rng::with_seed(seed);
            let mut bytes = whole.clone();
            for _ in 0..20 {
                // The first page of the file is covered by another test.
                let at = random.usize(4096..bytes.len());
                bytes[at] ^= random.u8(1..);
            }
            for end in ["-wal", "-shm"] {
                let _ = std::fs::remove_file(beside(&path, end));
            }
            std::fs::write(&path, &bytes).unwrap();
            if let Ok(store) = Store::open(&path) {
                let reader = store.reader().unwrap();
                let _ = reader.sources();
                let _ = (1..=2000).filter(|k| reader.item(*k).is_ok()).count();
                drop(reader);
                store.close();
            }
            let rebuilt = rebuild(&path).unwrap();
            assert!(rebuilt.damaged.exists());
            let store = Store::open(&path).unwrap();
            assert_eq!(store.reader().unwrap().check().unwrap(), Vec::<String>::new(), "{seed}");
            let facts = store.reader().unwrap().sources().unwrap();
            let counted: u32 = facts.iter().map(|f| f.items).sum();
            let reader = store.reader().unwrap();
            // A flipped bit may have given an item a different key.
            let all = View::of(Scope::All);
            let rows = reader.window(&all, Anchor::First, 5000).unwrap().rows;
            let items = rows.len();
            for row in rows {
                assert!(matches!(reader.item(row.key), Ok(Some(_))), "{seed}: {row:?}");
            }
            drop(reader);
            assert_eq!(counted as usize, items, "{seed}");
            saved += items;
            store.close();
        }
        // Damage in the pages of the schema leaves nothing to read.
        let all = ROUNDS as usize * 2000;
        assert!(saved > all * 2 / 3, "{saved} of {all}");
    }

    /// Wrong bytes in the middle of texts: the texts are neither lost nor harmful.
    #[test]
    fn recovered_texts_are_cleaned() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("db");
        let mut bytes = filled(&path);
        let mut damage = |find: &str, with: &[u8]| {
            let at = bytes.windows(find.len()).position(|w| w == find.as_bytes()).unwrap();
            bytes[at..at + with.len()].copy_from_slice(with);
        };
        damage("title 1234", b"ti\x1b[J 1234");
        damage("title 1235", b"t\xfftle");
        damage("<p>0000", b"<p>\x1b]0;");
        std::fs::write(&path, &bytes).unwrap();
        rebuild(&path).unwrap();
        let store = Store::open(&path).unwrap();
        let reader = store.reader().unwrap();
        let titles = [1234, 1235].map(|key| reader.row(key).unwrap().unwrap().title);
        assert_eq!(titles, ["ti 1234".to_owned(), "t\u{fffd}tle 1235".to_owned()]);
        for key in 1..=2000 {
            let item = reader.item(key).unwrap().unwrap();
            assert!(!item.body().contains('\u{1b}') && !item.title.contains('\u{1b}'), "{key}");
        }
    }

    #[test]
    fn every_table_is_recovered() {
        let dir = tempfile::tempdir().unwrap();
        let conn = open_writer(&dir.path().join("db")).unwrap();
        let mut query = conn
            .prepare(
                "SELECT name FROM sqlite_schema WHERE type = 'table'
                 AND name NOT LIKE '%_text%' AND name NOT LIKE 'sqlite_%'
                 AND name NOT IN ('unindexed', 'signature', 'story_key') ORDER BY name",
            )
            .unwrap();
        let names = query.query_map([], |r| r.get(0)).unwrap();
        let all: Vec<String> = names.collect::<rusqlite::Result<_>>().unwrap();
        let mut copied = TABLES.iter().map(|(name, ..)| *name).collect::<Vec<_>>();
        copied.sort_unstable();
        assert_eq!(all, copied);
    }

    #[test]
    fn an_older_schema_is_recovered_completely() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("db");
        filled(&path);
        let old = Connection::open(&path).unwrap();
        old.execute_batch(
            "DROP TRIGGER source_key_used; DROP TRIGGER marked_item;
             DROP TRIGGER marked_tag; DROP TRIGGER marked_untag;
             ALTER TABLE source DROP COLUMN planned; ALTER TABLE poll DROP COLUMN automatic;
             DROP TABLE memo; ALTER TABLE source DROP COLUMN website; DROP TABLE page;
             DROP TABLE fetch; DROP TABLE article; DROP TABLE site; DROP INDEX item_changed;
             ALTER TABLE item DROP COLUMN changed;
             ALTER TABLE source RENAME COLUMN paused_until TO hold_until;
             ALTER TABLE source RENAME COLUMN pause_reason TO hold_reason;
             UPDATE source SET hold_until = 99 WHERE key = 1;
             PRAGMA user_version = 1;",
        )
        .unwrap();
        drop(old);
        let rebuilt = rebuild(&path).unwrap();
        assert!(rebuilt.tables.iter().all(|t| !t.lost_some), "{rebuilt:?}");
        assert_eq!(rebuilt.tables[0].saved, 5);
        let new = Connection::open(&path).unwrap();
        let paused = "SELECT count(*) FROM source WHERE paused_until = 99";
        assert_eq!(new.query_row(paused, [], |r| r.get::<_, i64>(0)).unwrap(), 1);
    }

    #[test]
    fn a_file_without_a_database_becomes_an_empty_one() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("db");
        std::fs::write(&path, vec![7; 10_000]).unwrap();
        assert!(matches!(Store::open(&path), Err(StoreError::Corrupt(_))));
        let rebuilt = rebuild(&path).unwrap();
        assert!(rebuilt.tables.iter().all(|t| t.lost_some && t.saved == 0), "{rebuilt:?}");
        assert!(Store::open(&path).is_ok());
    }
}
