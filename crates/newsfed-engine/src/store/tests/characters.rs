//! Searches for Chinese and Japanese words, which are not separated by spaces.

use super::*;
use crate::store::snapshot::database_of;
use crate::util::segment::SEPARATOR;
use proptest::prelude::*;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use rusqlite::Connection;
use std::collections::BTreeSet;
use std::ops::Range;

const TITLE: &str = "人間の直感とその限界";

/// Some Han and Kana characters, so few that short runs often occur.
const CHARACTERS: [char; 8] = ['人', '直', '感', 'の', 'コ', 'ー', 'ﾃ', '\u{20000}'];

fn found(f: &Fixture, query: &str) -> Vec<String> {
    let mut titles = f.titles(&View { criteria: criteria(query), ..View::of(Scope::All) });
    titles.sort();
    titles
}

/// The byte positions in these ranges.
fn covered(ranges: &[Range<usize>]) -> BTreeSet<usize> {
    ranges.iter().cloned().flatten().collect()
}

/// The places of a word in a text, which may overlap.
fn places(text: &str, word: &str) -> Vec<Range<usize>> {
    let starts = text.char_indices().map(|(at, _)| at);
    starts.filter(|at| text[*at..].starts_with(word)).map(|at| at..at + word.len()).collect()
}

#[test]
fn any_part_of_a_run_of_characters_is_found_and_marked() {
    let config = Config { cases: 6, failure_persistence: None, ..Config::default() };
    let seed = TestRng::from_seed(RngAlgorithm::ChaCha, &[19; 32]);
    let mut runner = TestRunner::new_with_rng(config, seed);
    let run = proptest::collection::vec(proptest::sample::select(&CHARACTERS[..]), 1..12);
    let run = run.prop_map(String::from_iter).boxed();
    let parts =
        proptest::collection::vec((any::<prop::sample::Index>(), 0usize..12, 1usize..4), 40);
    let matches = std::cell::Cell::new(0);
    runner
        .run(&(proptest::collection::btree_set(run, 1..12), parts), |(runs, parts)| {
            let f = Fixture::new(&["a"]);
            let item = |run: &String| Entry {
                content: Some(format!("<p>Text: {run}.</p>")),
                ..entry(&format!("go{run}rust"))
            };
            f.poll("a", runs.iter().map(item).collect());
            f.index_all();
            for (index, from, count) in parts {
                let run = index.get(&runs.iter().collect::<Vec<_>>()).chars().collect::<Vec<_>>();
                let from = from.min(run.len() - 1);
                let part: String = run[from..(from + count).min(run.len())].iter().collect();
                let with = runs.iter().filter(|run| run.contains(&part));
                let with: Vec<String> = with.map(|run| format!("go{run}rust")).collect();
                for column in ["", "title:"] {
                    prop_assert_eq!(found(&f, &format!("{column}{part}")), with.clone());
                }
                let (reader, criteria) = (f.store.reader().unwrap(), criteria(&part));
                let rows = f.rows(&View { criteria: criteria.clone(), ..View::of(Scope::All) });
                let keys: Vec<i64> = rows.iter().map(|row| row.key).collect();
                let snippets = reader.snippets(&keys, criteria.text.as_deref().unwrap()).unwrap();
                prop_assert_eq!(snippets.len(), with.len());
                for (key, snippet) in snippets {
                    let title = &rows.iter().find(|row| row.key == key).unwrap().title;
                    prop_assert_eq!(covered(&snippet.title_hits), covered(&places(title, &part)));
                    let text = &snippet.text;
                    prop_assert_eq!(covered(&snippet.hits), covered(&places(text, &part)));
                    let is_plain = text.starts_with("Text: ") && !text.contains(SEPARATOR);
                    prop_assert!(is_plain, "{:?}", text);
                }
                matches.set(matches.get() + with.len());
            }
            Ok(())
        })
        .unwrap();
    assert!(matches.get() > 300, "too few for a meaningful test: {}", matches.get());
}

#[test]
fn rules_and_version_searches_match_words_inside_a_run() {
    let f = Fixture::new(&["a"]);
    let rule = super::rules::rule("Hide", "title:限界 (words>0 OR is:unread)", &["pin"]);
    super::rules::use_rules(&f, vec![rule]);
    f.poll("a", vec![Entry { title: TITLE.to_owned(), ..entry("1") }, entry("限られた世界")]);
    assert_eq!(found(&f, "is:pinned"), [TITLE]);
    f.poll("a", vec![Entry { title: "別の題".to_owned(), ..entry("1") }]);
    f.index_all();
    assert_eq!(found(&f, "in:versions 直感"), ["別の題"]);
    assert_eq!((found(&f, "直感").len(), found(&f, "の題").len()), (0, 1));
}

#[test]
fn short_words_match_whole_words_only() {
    let f = Fixture::new(&["a"]);
    f.poll("a", ["Google", "go home", "gossip", "서울에서"].map(entry).into());
    f.index_all();
    assert_eq!(found(&f, "title:go"), ["go home"]);
    assert_eq!(found(&f, "title:goo"), ["Google"]);
    assert_eq!(found(&f, "서"), ["서울에서"]);
}

#[test]
fn long_runs_of_characters_are_searched() {
    let f = Fixture::new(&["a"]);
    let text = format!("<p>{}直感</p>{}", "漢字".repeat(4000), "<p>直</p>".repeat(300_000));
    f.poll("a", vec![Entry { content: Some(text), ..entry("long") }]);
    f.index_all();
    let phrase = format!("{}直感", "漢字".repeat(249));
    for (query, count) in [(phrase.clone(), 1), (format!("{phrase} 漢字人"), 0)] {
        let (query, reader) = (criteria(&query), f.store.reader().unwrap());
        let rows = f.rows(&View { criteria: query.clone(), ..View::of(Scope::All) });
        assert_eq!(rows.len(), count);
        for row in rows {
            let found = reader.snippets(&[row.key], query.text.as_deref().unwrap()).unwrap();
            let snippet = &found[0].1;
            assert!(snippet.text.len() <= 806 && snippet.hits.len() == 1, "{snippet:?}");
        }
    }
    let most = vec![phrase.as_str(); 100].join(" ");
    assert_eq!(found(&f, &most), ["long"]);
}

#[test]
fn texts_indexed_as_runs_are_indexed_again() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("newsfed.db");
    database_of(&path, 23);
    let old = Connection::open(&path).unwrap();
    let body = crate::store::articles::pack("<p>古い文章</p>").unwrap();
    for key in [1, 2] {
        let insert = "INSERT INTO article (key, item, at, origin, body, indexed)
            VALUES (?1, 1, 7, '\"page\"', ?2, iif(?1 = 1, 1, NULL))";
        old.execute(insert, (key, &body)).unwrap();
    }
    old.execute_batch(&format!(
        "UPDATE item SET title = '{TITLE}';
         DELETE FROM unindexed;
         INSERT INTO item_text (rowid, title, authors, body) VALUES (1, '{TITLE}', '[]', '');
         INSERT INTO version_text (rowid, title, authors, body) VALUES (1, '{TITLE}', '[]', '古い文章');
         INSERT INTO headline (key, item, until, title, substantial) VALUES (5, 1, 7, 'go最初の題', 1),
            (6, 1, 8, 'Latin', 1);
         INSERT INTO version_text (rowid, title, authors, body) VALUES (-5, 'go最初の題', '', ''),
            (-6, 'Latin', '', '')",
    ))
    .unwrap();
    drop(old);
    let store = Store::open(&path).unwrap();
    let f = Fixture { _dir: dir, store, now: Time::from_timestamp(1_800_000_000, 0).unwrap() };
    f.index_all();
    let keys = |table: &'static str, word: &str| {
        let sql = format!("SELECT rowid FROM {table} WHERE {table} MATCH ?1 ORDER BY rowid");
        let word = criteria(&format!("\"{word}\"")).text.unwrap();
        let reader = f.store.reader().unwrap();
        let mut query = reader.conn.prepare(&sql).unwrap();
        let keys = query.query_map([word], |r| r.get(0)).unwrap();
        keys.collect::<rusqlite::Result<Vec<i64>>>().unwrap()
    };
    assert_eq!(keys("item_text", "直感"), [1]);
    assert_eq!(keys("version_text", "文章"), [1]);
    assert_eq!(keys("version_text", "直感"), [1]);
    assert_eq!(keys("version_text", "最初"), [-5]);
    assert_eq!(keys("version_text", "go"), [-5]);
    assert_eq!(keys("version_text", "latin"), [-6]);
    // No earlier entry is left in the index.
    let reader = f.store.reader().unwrap();
    for (table, run) in
        [("item_text", TITLE), ("version_text", TITLE), ("version_text", "go最初の題")]
    {
        let sql = format!("SELECT count(*) FROM {table} WHERE {table} MATCH ?1");
        let count = |run: &str| {
            let run = format!("\"{run}\"");
            reader.conn.query_row(&sql, [run], |r| r.get::<_, i64>(0)).unwrap()
        };
        assert_eq!(count(run), 0, "{run} in {table}");
    }
}

#[test]
fn texts_with_latin_titles_are_indexed_again() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("newsfed.db");
    database_of(&path, 23);
    let old = Connection::open(&path).unwrap();
    let body = crate::store::articles::pack("<p>東京で発表</p>").unwrap();
    let insert = "INSERT INTO article (key, item, at, origin, body, indexed) VALUES (1, 1, 7, '\"page\"', ?1, 1)";
    old.execute(insert, [&body]).unwrap();
    old.execute_batch(
        "UPDATE item SET title = 'Phone 17';
         DELETE FROM unindexed;
         INSERT INTO item_text (rowid, title, authors, body) VALUES (1, 'Phone 17', '[\"山田太郎\"]', '東京で発表');
         INSERT INTO version_text (rowid, title, authors, body) VALUES (1, 'Phone 17', '[]', '東京で発表')",
    )
    .unwrap();
    let count = |conn: &Connection, table: &str, word: &str| {
        let sql = format!("SELECT count(*) FROM {table} WHERE {table} MATCH ?1");
        conn.query_row(&sql, [format!("\"{word}\"")], |r| r.get::<_, i64>(0)).unwrap()
    };
    assert_eq!(count(&old, "item_text", "東京で発表"), 1);
    drop(old);
    let store = Store::open(&path).unwrap();
    let f = Fixture { _dir: dir, store, now: Time::from_timestamp(1_800_000_000, 0).unwrap() };
    f.index_all();
    let reader = f.store.reader().unwrap();
    for (table, run) in
        [("item_text", "東京で発表"), ("item_text", "山田太郎"), ("version_text", "東京で発表")]
    {
        assert_eq!(count(&reader.conn, table, run), 0, "{run} in {table}");
    }
    let found = criteria("発表").text.unwrap();
    let sql = "SELECT count(*) FROM version_text WHERE version_text MATCH ?1";
    assert_eq!(reader.conn.query_row(sql, [found], |r| r.get::<_, i64>(0)).unwrap(), 1);
}
