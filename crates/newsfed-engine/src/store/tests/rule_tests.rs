//! Tests that rules match the same items as the database.

use super::queries::{Sources, declare};
use super::rules::{list, rule, use_rules};
use super::*;
use crate::query::{Named, Query, resolve};
use crate::store::arrivals::{ARRIVING, among};
use crate::store::identity::Prepared;
use crate::store::index::text_of;
use crate::store::phrases::{Found, Phrases};
use crate::store::rule_test::{Arriving, Names, RuleTest};
use crate::store::rules::Rules;
use chrono::Local;
use proptest::prelude::*;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use rusqlite::{Connection, params};
use std::cell::OnceCell;
use std::collections::HashSet;

/// Words as publishers write them, and parts of words.
const WORDS: &[&str] = &[
    "rust",
    "Rust",
    "RUSTY",
    "ru",
    "r",
    "caf\u{e9}",
    "cafe\u{301}",
    "Cafe",
    "na\u{308}ive",
    "\u{2122}",
    "rust\u{2122}",
    "\u{2122}rust",
    "a\u{a0}b",
    "rust\u{a0}go",
    "NUL\u{0}rust",
    "rust_go",
    "_rust_",
    "__",
    "2024",
    "v1.2",
    "1",
    "\u{664}\u{662}",
    "2\u{bd}",
    "\u{ff32}ust",
    "\u{ad}rust\u{ad}go",
    "ru\u{200b}st",
    "\u{65e5}\u{672c}",
    "\u{130}stanbul",
    "stra\u{df}e",
    "C++",
    "c#",
    "C",
    "rust+",
    "#go",
    "a-b",
    "it's",
    "\u{201c}rust\u{201d}",
    "\u{1f980}",
    "rust\u{1f980}go",
    "e\u{301}",
    "\u{301}",
    "go\u{336}rust",
    "r\u{301}ust",
    "&amp;",
    "<b>ru</b>st",
    "<br>go<i>",
    "...",
    "Sm\u{f8}rrebr\u{f8}d",
    "sm\u{d8}",
    "\u{41d}\u{41e}\u{412}\u{41e}\u{421}\u{422}\u{418}",
    "\u{43d}\u{43e}\u{432}\u{43e}\u{441}\u{442}\u{438}",
    "\u{43d}\u{43e}\u{432}\u{43e}",
    "\u{439}",
    "\u{438}\u{306}",
    "\u{39f}\u{3b4}\u{3cc}\u{3c2}",
    "\u{39f}\u{394}\u{38c}\u{3a3}",
    "\u{3c3}",
    "\u{212a}ust",
    "\u{c5}ngstr\u{f6}m",
    "\u{212b}ngstrom",
    "\u{1e0}b",
    "ab",
    "\u{b5}s",
    "\u{3bc}s",
    "\u{3d5}\u{3c6}",
    "\u{6f22}\u{5b57}go",
    "\u{65e5}",
    "go\u{1f680}",
    "\u{2b50}\u{fe0f}rust",
    "\u{ed}\u{1ea5}x",
    "x\u{e1}rust",
    "stanislavsk",
    "Stanisl\u{e1}vsk",
    "stan",
    "\u{1c80}",
    "\u{432}",
    "1\u{fe0f}\u{20e3}",
];

fn word() -> impl Strategy<Value = &'static str> {
    proptest::sample::select(WORDS)
}

fn words(most: usize) -> impl Strategy<Value = String> {
    let joint = proptest::sample::select(vec![" ", " ", " ", "", "\u{a0}", "-", "\u{0}", ", "]);
    proptest::collection::vec((word(), joint), 0..most)
        .prop_map(|words| words.into_iter().map(|(word, joint)| format!("{word}{joint}")).collect())
}

/// Title, text, authors, URL and age in hours.
type Made = (String, String, Vec<String>, Option<String>, i64);

fn made() -> impl Strategy<Value = Made> {
    let url = proptest::option::of(words(2).prop_map(|words| format!("https://A.example/{words}")));
    (words(4), words(5), proptest::collection::vec(words(3), 0..3), url, 0i64..300)
}

fn term() -> impl Strategy<Value = String> {
    let column = proptest::sample::select(vec!["", "", "title:", "author:"]);
    let text = (column, word(), 0..4, word()).prop_map(|(column, word, kind, next)| match kind {
        0 => format!("{column}\"{word} {next}\""),
        1 => format!("{column}\"{word}\""),
        _ => format!("{column}{word}"),
    });
    let fixed = proptest::sample::select(vec![
        "title:/rust/",
        "/rust/",
        "/caf. ?go/",
        "title:/^.?rust$/",
        "title:/caf./",
        "title:/\\bgo/",
        "author:/rust/",
        "author:/^.?go/",
        "category:rust",
        "category:cafe",
        "url:/a[.]example/",
        "url:/rust/",
        "url:RUST",
        "url:/^$/",
        "url:A.ex",
        "age<3d",
        "age>40h",
        "after:2027-01-10",
        "before:2027-01-12",
        "source:a",
        "source:b",
        "folder:Tech",
        "tag:x",
        "tag:none",
        "is:unread",
        "is:pinned",
        "words>2",
        "has:audio",
    ]);
    let plain = prop_oneof![3 => text, 1 => fixed.prop_map(str::to_owned)];
    let signed = (any::<bool>(), plain).prop_map(|(not, term)| match not {
        true => format!("-{term}"),
        false => term,
    });
    signed.prop_recursive(2, 6, 3, |inner| {
        let group = proptest::collection::vec(inner, 1..4);
        (group, any::<bool>(), any::<bool>()).prop_map(|(terms, or, not)| {
            let joined = terms.join(if or { " OR " } else { " " });
            format!("{}({joined})", if not { "-" } else { "" })
        })
    })
}

/// Stores items of the source `a`, and returns their row keys with what was stored.
fn stored(f: &Fixture, items: &[Made]) -> Vec<(i64, Prepared)> {
    let entry = |(i, (title, body, authors, url, hours)): (usize, &Made)| Entry {
        title: title.clone(),
        content: Some(format!("<p>{body}</p>")),
        authors: authors.clone(),
        categories: authors.iter().flat_map(|a| a.split(' ')).map(str::to_owned).collect(),
        url: url.clone(),
        // Dates differ, so that they identify the items.
        published: Some(f.now - TimeDelta::hours(*hours) - TimeDelta::seconds(i as i64)),
        guid: Some(format!("guid-{i}")),
        ..Entry::default()
    };
    let entries: Vec<Entry> = items.iter().enumerate().map(entry).collect();
    f.poll("a", entries.clone());
    let prepared = prepare(entries, &f.store.hashing_blocking().unwrap());
    let rows = f.rows(&View::of(Scope::All));
    assert_eq!(rows.len(), prepared.len());
    let key =
        |one: &Prepared| rows.iter().find(|row| Some(row.date) == one.entry.published).unwrap().key;
    prepared.into_iter().map(|one| (key(&one), one)).collect()
}

/// Compares each decision about each item with SQL; returns the number of decisions, the number of matches
/// among them, and the first wrong decision.
fn compare(
    conn: &Connection,
    (sources, items, queries): (&Sources, &[(i64, Prepared)], &[String]),
    now: Time,
) -> (usize, usize, Option<String>) {
    let (mut decided, mut met) = (0, 0);
    let local = now.with_timezone(&Local);
    let rules = queries.iter().map(|query| super::rules::rule(query, query, &["pin"])).collect();
    let find = |named: &Named| resolve(named, sources.known());
    let rules = Rules::new(rules, find);
    let source = sources.known().next().unwrap().key;
    let (find, given): (_, HashSet<String>) =
        (&find as &dyn Fn(&Named) -> Vec<i64>, HashSet::new());
    for (key, one) in items {
        let entry = &one.entry;
        let (body, authors) = (text_of(entry), serde_json::to_string(&entry.authors).unwrap());
        conn.execute_batch(ARRIVING).unwrap();
        conn.execute("INSERT INTO arriving (arriving) VALUES ('delete-all')", []).unwrap();
        let insert = "INSERT INTO arriving (rowid, title, authors, body) VALUES
            (?1, segmented(?2), segmented(?3), segmented(?4))";
        conn.execute(insert, params![key, entry.title, authors, body]).unwrap();
        let words = super::super::index::count_words(&body);
        conn.execute("UPDATE item SET words = ?2 WHERE key = ?1", params![key, words]).unwrap();
        let date = "SELECT date FROM item WHERE key = ?1";
        let date = conn.query_row(date, [key], |row| row.get(0)).unwrap();
        for typed in queries {
            let query: Query = typed.parse().unwrap();
            let names = Names { resolve: find, given: &given };
            let (mut phrases, mut found) = (Phrases::default(), Found::default());
            let test = RuleTest::new(&query, &names, &mut phrases);
            phrases.build();
            phrases.search(entry, &mut found);
            let (phrases, categories, text) = (&found, OnceCell::new(), OnceCell::new());
            let (now, has_page) = (local, false);
            let item = Arriving { entry, source, date, now, phrases, has_page, categories, text };
            let Some(meets) = test.decide(&item) else { continue };
            let sql = match rules.condition(&query, local) {
                Some(condition) => !among(conn, &[*key], &condition).unwrap().is_empty(),
                None => false,
            };
            if meets != sql {
                let wrong = format!("{typed} is {meets} about {entry:?}: {test:?}");
                return (decided, met, Some(wrong));
            }
            decided += 1;
            met += usize::from(meets);
        }
    }
    (decided, met, None)
}

#[test]
fn decisions_in_memory_match_the_database() {
    let config = Config { cases: 12, failure_persistence: None, ..Config::default() };
    let seed = TestRng::from_seed(RngAlgorithm::ChaCha, &[31; 32]);
    let mut runner = TestRunner::new_with_rng(config, seed);
    let valid = |query: &String| query.parse::<Query>().is_ok();
    let query = proptest::collection::vec(term(), 1..4).prop_map(|terms| terms.join(" "));
    let queries = proptest::collection::vec(query.prop_filter("invalid", valid), 60);
    let found = std::cell::Cell::new((0, 0));
    runner
        .run(&(proptest::collection::vec(made(), 1..20), queries), |(items, queries)| {
            let f = Fixture::new(&[]);
            let sources = declare(&f);
            let (items, now) = (stored(&f, &items), f.now);
            let writer = f.store.writer().unwrap();
            let compared = writer
                .call_blocking(move |conn| Ok(compare(conn, (&sources, &items, &queries), now)))
                .unwrap();
            let (decided, met, wrong) = compared;
            prop_assert_eq!(wrong, None);
            found.set((found.get().0 + decided, found.get().1 + met));
            Ok(())
        })
        .unwrap();
    let (decided, met) = found.get();
    assert!(decided > 2000 && met > 400, "too few for a meaningful test: {decided}, {met}");
}

#[test]
fn a_pin_by_a_rule_prevents_hiding_but_not_marking_read() {
    for query in ["title:v1", "title:v1 (is:unread OR is:read)"] {
        let f = Fixture::new(&["s"]);
        let rules = [("Hide", "hide"), ("Read", "read"), ("Pin", "pin")];
        use_rules(&f, rules.map(|(name, effect)| rule(name, query, &[effect])).into());
        f.poll("s", vec![dated("v1", 2)]);
        assert_eq!(f.titles(&list("is:pinned is:read -is:hidden")), ["v1"], "{query}");
        let key = f.rows(&list(""))[0].key;
        let effects = f.store.reader().unwrap().effects_on(key).unwrap();
        let named = effects.iter().map(|done| (done.rule.as_str(), done.effect.to_string()));
        assert_eq!(crate::model::by_rule(named), "Pin (pin); Read (read)");
        assert_eq!(f.store.undo_rule_blocking("Read".to_owned()).unwrap(), 1);
        assert_eq!(f.titles(&list("is:pinned is:unread")), ["v1"], "{query}");
    }
    // A single rule that is applied on request has the same effect.
    let f = Fixture::new(&["s"]);
    f.poll("s", vec![dated("v1", 2)]);
    let all = rule("All", "title:v1", &["hide", "read", "pin"]);
    super::upkeep::wait(f.store.apply_rule(all, list(""), f.now)).unwrap();
    assert_eq!(f.titles(&list("is:pinned is:read -is:hidden")), ["v1"]);
}
