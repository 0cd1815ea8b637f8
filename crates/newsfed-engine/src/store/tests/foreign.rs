//! Databases of other readers, and databases that only resemble them.

use super::*;
use crate::model::{ForeignItem, ForeignKind, ForeignText};
use rusqlite::Connection;
use std::path::PathBuf;

fn made(folder: &Path, sql: &str) -> PathBuf {
    let path = folder.join("foreign.db");
    let conn = Connection::open(&path).unwrap();
    conn.execute_batch(sql).unwrap();
    drop(conn);
    path
}

fn items(path: &Path) -> std::result::Result<(ForeignKind, Vec<ForeignItem>), ForeignError> {
    let scratch = tempfile::tempdir().unwrap();
    let database = ForeignDatabase::open(path, scratch.path())?;
    let mut items = Vec::new();
    database.items(|item| {
        items.push(item);
        std::result::Result::<(), ForeignError>::Ok(())
    })?;
    Ok((database.kind(), items))
}

const NEWSBOAT: &str = include_str!("../../../../../tests/data/import/newsboat.sql");
const NEWSRAFT: &str = include_str!("../../../../../tests/data/import/newsraft.sql");
const NEWSFLASH: &str = include_str!("../../../../../tests/data/import/newsflash.sql");

#[test]
fn reads_newsboat_newsraft_and_newsflash() {
    let html = |text: &str| Some(ForeignText::Html(text.to_owned()));
    let cases = [
        (NEWSBOAT, ForeignKind::NewsboatCache, html("<p>High &amp; low</p>"), (5, "s", vec![])),
        (NEWSRAFT, ForeignKind::Newsraft, html("<p>High = low</p>"), (2, "", vec![])),
        (NEWSFLASH, ForeignKind::NewsFlash, html("<p>High</p>"), (2, "", vec!["sea".to_owned()])),
    ];
    for (sql, kind, content, (count, flags, tags)) in cases {
        let folder = tempfile::tempdir().unwrap();
        let (found, items) = items(&made(folder.path(), sql)).unwrap();
        assert_eq!((found, items.len()), (kind, count));
        let first = &items[0];
        assert_eq!(first.title, "Spring tide");
        assert_eq!(first.url.as_deref(), Some("https://tide.example/1"));
        assert_eq!(first.feed.as_deref(), Some("https://tide.example/rss"));
        assert_eq!(first.authors, ["M. Moon"]);
        assert_eq!(first.published, Time::from_timestamp(1_600_000_000, 0), "{kind:?}");
        assert_eq!(first.enclosures[0].0, "https://tide.example/1.mp3");
        assert_eq!((&first.content, &first.tags), (&content, &tags));
        assert_eq!((first.flags.as_str(), first.read), (flags, true));
        assert_eq!(first.pinned, kind != ForeignKind::NewsboatCache);
        assert_eq!((items[1].read, items[1].pinned), (false, false), "{kind:?}");
    }
}

#[test]
fn does_not_change_the_imported_database() {
    let folder = tempfile::tempdir().unwrap();
    let path = made(folder.path(), NEWSBOAT);
    // The last items are in the log of a program that is still running.
    let conn = Connection::open(&path).unwrap();
    conn.execute_batch(
        "PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0;
         INSERT INTO rss_item (guid, title, author, url, feedurl, pubDate, content, unread)
         VALUES ('n', 'Newest', '', '', 'https://tide.example/rss', 1, '', 1)",
    )
    .unwrap();
    let state = || {
        let mut files: Vec<_> = std::fs::read_dir(folder.path())
            .unwrap()
            .map(|file| file.unwrap().path())
            .filter(|path| !path.to_string_lossy().ends_with("-shm"))
            .map(|path| (std::fs::read(&path).unwrap(), path))
            .collect();
        files.sort_by(|a, b| a.1.cmp(&b.1));
        files
    };
    let before = state();
    let (_, items) = items(&path).unwrap();
    assert_eq!(items.last().unwrap().title, "Newest");
    assert!(state() == before, "the files were changed");
}

#[test]
fn hostile_databases_are_read_within_limits_or_refused() {
    let columns = "guid, title, author, url, feedurl, pubDate, content, unread, flags";
    let cases: Vec<(&str, String, std::result::Result<usize, &str>)> = vec![
        ("no reader", "CREATE TABLE t (x)".into(), Err("not one of newsboat")),
        (
            "endless view",
            "CREATE VIEW rss_item AS WITH RECURSIVE n(unread) AS (SELECT 1 UNION ALL SELECT unread + 1 FROM n)
             SELECT unread, unread AS feedurl, unread AS title FROM n"
                .into(),
            Err("not one of newsboat"),
        ),
        (
            "computed column",
            "CREATE TABLE rss_item (feedurl, unread, x, title GENERATED ALWAYS AS (zeroblob(x)))".into(),
            Err("not one of newsboat"),
        ),
        (
            "full-text table",
            "CREATE VIRTUAL TABLE rss_item USING fts5 (feedurl, unread, title)".into(),
            Err("not one of newsboat"),
        ),
        (
            "wrong types",
            format!(
                "CREATE TABLE rss_item ({columns});
                 INSERT INTO rss_item VALUES (x'ff00', 7, 1.5, NULL, x'00', 'soon', 3, 'yes', x'6273'),
                    (NULL, NULL, NULL, NULL, NULL, 9e99, NULL, 1e300, NULL)"
            ),
            Ok(2),
        ),
        (
            "huge text",
            format!(
                "CREATE TABLE rss_item ({columns});
                 INSERT INTO rss_item (title, feedurl, unread, content, flags) VALUES
                    ('t', 'https://a.example/', 0, zeroblob(5000000), replace(hex(zeroblob(500000)), '00', 'ba')),
                    (zeroblob(5000000), 'f', 0, 'c', 'a')"
            ),
            Ok(2),
        ),
        ("old version", "CREATE TABLE rss_item (title, feedurl, unread); INSERT INTO rss_item VALUES ('t', 'f', 1)".into(), Ok(1)),
    ];
    for (name, sql, expected) in cases {
        let folder = tempfile::tempdir().unwrap();
        match (items(&made(folder.path(), &sql)), expected) {
            (Ok((_, found)), Ok(count)) => {
                assert_eq!(found.len(), count, "{name}");
                for item in found {
                    let longest = item.title.len().max(match &item.content {
                        Some(ForeignText::Html(text) | ForeignText::Plain(text)) => text.len(),
                        None => 0,
                    });
                    assert!(longest <= 4 << 20 && item.flags.len() <= 52, "{name}");
                }
            }
            (Err(error), Err(part)) => assert!(error.to_string().contains(part), "{name}: {error}"),
            (found, expected) => panic!("{name}: {found:?}, expected {expected:?}"),
        }
    }
    let folder = tempfile::tempdir().unwrap();
    let path = made(folder.path(), NEWSBOAT);
    let whole = std::fs::read(&path).unwrap();
    for seed in 0..30 {
        let mut random = fastrand::Rng::with_seed(seed);
        let mut bytes = whole.clone();
        for _ in 0..40 {
            let at = random.usize(100..bytes.len());
            bytes[at] = random.u8(..);
        }
        bytes.truncate(random.usize(bytes.len() / 2..=bytes.len()));
        std::fs::write(&path, bytes).unwrap();
        let _ = items(&path);
    }
}

/// Everything that the limits exclude is counted.
#[test]
fn limits_of_databases_are_reported() {
    let surplus = |sql: &str| {
        let folder = tempfile::tempdir().unwrap();
        let path = made(folder.path(), sql);
        let scratch = tempfile::tempdir().unwrap();
        let database = ForeignDatabase::open(&path, scratch.path()).unwrap();
        let mut items = Vec::new();
        let surplus = database.items(|item| {
            items.push(item);
            std::result::Result::<(), ForeignError>::Ok(())
        });
        (surplus.unwrap(), items)
    };
    let (none, _) = surplus(NEWSFLASH);
    assert_eq!(none, ForeignSurplus::default());
    let long = "CREATE TABLE rss_item (title, feedurl, unread, content);
        INSERT INTO rss_item VALUES ('t', 'f', 0, zeroblob(5000000)), (zeroblob(5000000), 'f', 0, zeroblob(5000000))";
    assert_eq!(surplus(long).0, ForeignSurplus { texts: 3, ..ForeignSurplus::default() });
    let rows = |count: u32, size: u32| {
        format!(
            "{NEWSFLASH}; DELETE FROM enclosures; DELETE FROM taggings; DELETE FROM tags; DELETE FROM feeds;
             WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {count})
             INSERT INTO enclosures (article_id, url) SELECT 'a' || i, printf('%.{size}c', 'x') FROM n"
        )
    };
    for (count, size, left_out) in [(100_007, 10, 7..=7), (3, 9000, 3..=3), (9000, 8192, 810..=815)]
    {
        let (found, _) = surplus(&rows(count, size));
        assert!(left_out.contains(&found.related), "{count} of {size} bytes: {found:?}");
        assert_eq!((found.items, found.texts), (0, 0));
    }
    // One long label is used by many articles.
    let labels = format!(
        "{NEWSFLASH}; DELETE FROM taggings; DELETE FROM tags;
         INSERT INTO tags (tag_id, label) SELECT 'long', printf('%.8000c', 'x');
         WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20000)
         INSERT INTO taggings (article_id, tag_id) SELECT 'a' || i, 'long' FROM n"
    );
    let (found, _) = surplus(&labels);
    assert!(found.related > 11_000, "{found:?}");
}

#[test]
fn cannot_import_its_own_database() {
    let f = Fixture::new(&["a"]);
    let scratch = tempfile::tempdir().unwrap();
    let error = ForeignDatabase::open(f.store.path(), scratch.path()).err().unwrap();
    assert!(matches!(error, ForeignError::Own(_)), "{error}");
}
