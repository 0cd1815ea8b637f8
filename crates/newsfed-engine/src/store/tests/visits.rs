//! Tests of what is new since the last visit, and of the first items of a feed.

use super::rules::rule;
use super::upkeep::wait;
use super::*;
use crate::query::{Query, resolve};
use crate::store::{Rule, Rules};
use rusqlite::trace::{TraceEvent, TraceEventCodes};

fn titles(f: &Fixture, query: &str) -> String {
    let query: Query = query.parse().unwrap();
    let now = f.now.with_timezone(&chrono::Local);
    let criteria = Criteria::new(&query, now, |named| resolve(named, std::iter::empty()));
    let view = View { criteria, order: SortOrder::Oldest, ..View::of(Scope::All) };
    f.rows(&view).iter().map(|row| row.title.as_str()).collect::<Vec<_>>().join(" ")
}

#[test]
fn items_that_arrive_between_sessions_are_new() {
    let f = Fixture::new(&["s"]);
    let visit = |begins: bool| match begins {
        true => wait(f.store.begin_visit()).unwrap(),
        false => wait(f.store.end_visit()).unwrap(),
    };
    let count = || f.store.reader().unwrap().new_unread().unwrap();
    f.poll("s", vec![entry("first")]);
    visit(true);
    assert_eq!((titles(&f, "is:new").as_str(), count()), ("", 0), "nothing in the first visit");
    f.poll("s", vec![entry("seen")]);
    visit(false);
    // The command line is used before the next visit.
    assert_eq!(titles(&f, "is:new"), "");
    f.poll("s", vec![entry("away")]);
    visit(true);
    f.poll("s", vec![entry("now")]);
    assert_eq!((titles(&f, "is:new").as_str(), count()), ("away now", 2));
    assert_eq!(titles(&f, "-is:new"), "first seen");
    // If the program was killed during a visit, the items from before the visit count as seen.
    visit(true);
    assert_eq!((titles(&f, "is:new").as_str(), count()), ("now", 1));
}

#[test]
fn only_the_newest_items_of_new_feeds_are_unread() {
    let f = Fixture::new(&["s", "t"]);
    f.store.set_rules(Rules::default().first_unread(Some(2)));
    let at =
        |n: i64| Entry { published: Some(f.now - TimeDelta::hours(n)), ..entry(&format!("h{n}")) };
    f.poll("s", [5, 1, 3, 2, 4].map(at).to_vec());
    assert_eq!(titles(&f, "is:unread"), "h2 h1");
    assert_eq!(f.counts("s").1, 2);
    // Items that arrive later are unread.
    f.poll("s", vec![at(6), at(0)]);
    assert_eq!(titles(&f, "is:unread"), "h6 h2 h1 h0");
    f.store.set_rules(Rules::default());
    f.poll("t", [8, 7, 9].map(at).to_vec());
    assert_eq!(f.counts("t").1, 3);
}

#[test]
fn hidden_items_do_not_count_towards_the_unread_limit() {
    let f = Fixture::new(&["s"]);
    let rules = Rules::new(vec![rule("H", "title:/^ad/", &["hide"])], |_| vec![]);
    f.store.set_rules(rules.first_unread(Some(2)));
    f.poll(
        "s",
        vec![dated("ad one", 1), dated("ad two", 2), dated("a", 3), dated("b", 4), dated("c", 5)],
    );
    assert_eq!((titles(&f, "is:unread").as_str(), f.counts("s").1), ("b a", 2));
}

#[test]
fn a_feed_without_remaining_items_is_not_new() {
    let f = Fixture::new(&["s"]);
    f.store.set_rules(Rules::default().first_unread(Some(1)));
    f.poll("s", vec![entry("old")]);
    let retention = Retention { days: Some(1), unread: true, ..Retention::default() };
    let later = f.now + TimeDelta::days(30);
    assert_eq!(f.store.prune_blocking(f.key("s"), retention, later).unwrap(), 1);
    f.poll("s", vec![entry("a"), entry("b"), entry("c")]);
    assert_eq!(f.counts("s").1, 3);
}

#[test]
fn read_for_prefers_items_of_sources_that_are_read() {
    let f = Fixture::new(&["s", "t"]);
    let at = |name: &str, hours: i64, words: usize| Entry {
        published: Some(f.now - TimeDelta::hours(hours)),
        content: Some("word ".repeat(words)),
        ..entry(name)
    };
    f.poll("s", (0..6).map(|n| at(&format!("s{n}"), n, 230 * 4)).collect());
    f.poll("t", (0..6).map(|n| at(&format!("t{n}"), n, 230 * 4)).collect());
    for title in ["t1", "t2", "t3", "t4"] {
        f.set(Mark::Read, title);
    }
    f.index_all();
    let reader = f.store.reader().unwrap();
    let fitting = |view: &View, minutes| {
        let keys = reader.fitting(view, minutes, f.now).unwrap();
        f.titles(&View { order: SortOrder::Newest, ..View::of(Scope::Only(keys.into())) })
    };
    let all = View::of(Scope::All);
    assert_eq!(fitting(&all, 9), ["t0", "t5"]);
    assert_eq!(fitting(&all, 13), ["t0", "s0", "t5"], "then the newest of the other");
    assert_eq!(fitting(&View::of(Scope::Sources(vec![f.key("s")])), 5), ["s0"]);
    assert!(fitting(&all, 3).is_empty());
    let none = View::of(Scope::Only(std::sync::Arc::from([])));
    assert_eq!(reader.count(&none).unwrap().items, 0);
    // Items that rules hide or mark do not show what the user reads.
    let rule = |name: &str, query: &str, effect: &str| Rule {
        name: name.to_owned(),
        query: query.parse().unwrap(),
        effects: vec![effect.parse().unwrap()],
        until: None,
        stop: false,
    };
    let rules = vec![
        rule("hide", "title:/^s[6-9]/", "hide"),
        rule("read", "title:/^r/", "read"),
        rule("pin", "title:/^p/", "pin"),
        rule("later", "title:/^l/", "later"),
    ];
    f.store.set_rules(Rules::new(rules, |_| vec![]));
    f.poll("s", (0..30).map(|n| at(&format!("{}{n}", ["r", "s9"][n % 2]), 50, 9)).collect());
    assert_eq!(fitting(&all, 9), ["t0", "t5"]);
    let long = |n: usize| at(&format!("{}{n}", ["p", "l"][n % 2]), 9000, 230 * 60);
    f.poll("s", (0..30).map(long).collect());
    assert_eq!(fitting(&all, 9), ["t0", "t5"]);
}

/// The statements that the test below has executed.
static READ: Mutex<Vec<String>> = Mutex::new(Vec::new());

#[test]
fn new_items_are_found_by_their_keys() {
    fn note(event: TraceEvent<'_>) {
        if let TraceEvent::Profile(statement, _) = event {
            READ.lock().unwrap().push(statement.sql().into_owned());
        }
    }
    let f = Fixture::new(&["s", "t"]);
    let poll = |source, name: &str, count| {
        f.poll(source, (0..count).map(|n| entry(&format!("{name}{n}"))).collect());
    };
    poll("s", "old", 50);
    wait(f.store.end_visit()).unwrap();
    wait(f.store.begin_visit()).unwrap();
    poll("s", "s", 3);
    poll("t", "t", 2);
    f.set(Mark::Pinned, "s1");
    let is_new = |query: &str| View { criteria: criteria(query), ..View::of(Scope::All) };
    let sources = |keys: &[i64]| Scope::Sources(keys.to_vec());
    let views = [
        (is_new("is:new"), 5),
        (View { unread_only: true, order: SortOrder::Oldest, ..is_new("is:new") }, 5),
        (View { scope: sources(&[f.key("s"), f.key("t")]), ..is_new("is:new") }, 5),
        (View { scope: sources(&[f.key("t")]), ..is_new("is:new -t0") }, 1),
    ];
    f.index_all();
    let reader = f.store.reader().unwrap();
    reader.conn.trace_v2(TraceEventCodes::SQLITE_TRACE_PROFILE, Some(note));
    for (view, count) in views {
        assert_eq!(f.rows(&view).len(), count);
        assert_eq!(reader.window(&view, Anchor::First, 10).unwrap().rows.len(), count);
        assert_eq!(reader.count(&view).unwrap().items as usize, count);
    }
    let read = std::mem::take(&mut *READ.lock().unwrap());
    let lists: Vec<_> =
        read.iter().filter(|sql| sql.contains(super::super::visits::IS_NEW)).collect();
    assert!(lists.len() > 8, "{lists:?}");
    for sql in lists {
        let mut explain = reader.conn.prepare(&format!("EXPLAIN QUERY PLAN {sql}")).unwrap();
        let rows = explain.raw_query().mapped(|row| row.get::<_, String>(3));
        let plan = rows.map(|row| row.unwrap()).collect::<Vec<_>>().join("\n");
        assert!(plan.contains("SEARCH i USING INTEGER PRIMARY KEY (rowid>?)"), "{plan}: {sql}");
    }
}
