//! Undo of marks and of rules, which keeps all other changes.

use super::rules::{list, rule, use_rules};
use super::upkeep::wait;
use super::*;
use crate::model::Effect;
use crate::store::{Rule, RuleMarks};
use std::sync::Arc;

fn titles(f: &Fixture, query: &str) -> String {
    f.titles(&list(query)).join(", ")
}

fn key(f: &Fixture, title: &str) -> i64 {
    let all = f.rows(&list("is:hidden OR is:snoozed OR unread OR is:read"));
    all.iter().find(|row| row.title == title).unwrap().key
}

fn undo_rule(f: &Fixture, name: &str) -> usize {
    f.store.undo_rule_blocking(name.to_owned()).unwrap()
}

#[test]
fn undoing_a_read_rule_keeps_hidden_items_hidden() {
    let (read, hide) =
        (rule("R", "title:/alpha/", &["read"]), rule("H", "title:/alpha/", &["hide"]));
    for rules in [[read.clone(), hide.clone()], [hide, read]] {
        for stored in [false, true] {
            let f = Fixture::new(&["s"]);
            if stored {
                f.poll("s", vec![dated("alpha", 1), dated("beta", 2)]);
                // On stored items, a rule does not mark hidden items as read.
                for rule in [&rules[0], &rules[1]] {
                    let view = list(&rule.query.to_string());
                    f.store.apply_rule_blocking(rule.clone(), view, f.now).unwrap();
                }
            } else {
                use_rules(&f, rules.to_vec());
                f.poll("s", vec![dated("alpha", 1), dated("beta", 2)]);
            }
            assert_eq!(titles(&f, "is:hidden"), "alpha");
            let marks_read = !stored || rules[0].name == "R";
            assert_eq!(undo_rule(&f, "R"), usize::from(marks_read), "{stored}");
            assert_eq!(
                (titles(&f, "is:hidden"), titles(&f, "unread")),
                ("alpha".into(), "beta".into())
            );
            assert_eq!((undo_rule(&f, "R"), undo_rule(&f, "H")), (0, 1));
            assert_eq!(titles(&f, "unread"), "beta, alpha", "{stored}");
            assert_eq!(f.counts("s").1, 2);
        }
    }
}

#[test]
fn undo_of_a_rule_leaves_items_snoozed() {
    let f = Fixture::new(&["s"]);
    f.poll("s", vec![dated("alpha", 1)]);
    let until = f.now + TimeDelta::days(3);
    let view = list("");
    let apply = |rule: Rule| wait(f.store.apply_rule(rule, view.clone(), f.now)).unwrap();
    let marks: Arc<RuleMarks> = Arc::new(apply(rule("R", "title:alpha", &["read"])));
    f.store.mark_blocking(Mark::Snoozed(until), vec![key(&f, "alpha")], true).unwrap();
    let by_rule = |on| wait(f.store.mark_by_rule("R".into(), marks.clone(), on, f.now)).unwrap();
    let kept = || f.store.reader().unwrap().kept(key(&f, "alpha")).unwrap().1;
    let unsnoozed = || {
        let keys = vec![key(&f, "alpha")];
        f.store.mark_blocking(Mark::Snoozed(until), keys.clone(), false).unwrap();
        let unread = titles(&f, "unread");
        f.store.mark_blocking(Mark::Snoozed(until), keys, true).unwrap();
        unread
    };
    assert_eq!((kept(), unsnoozed()), (Some(until), String::new()));
    by_rule(false);
    assert_eq!((kept(), unsnoozed()), (Some(until), "alpha".to_owned()));
    by_rule(true);
    assert_eq!((kept(), unsnoozed()), (Some(until), String::new()));
    assert_eq!((undo_rule(&f, "R"), kept()), (1, Some(until)));
    assert_eq!(unsnoozed(), "alpha");
}

#[test]
fn undoes_and_redoes_a_rule_with_two_effects() {
    for effects in [["read", "hide"], ["hide", "read"]] {
        let f = Fixture::new(&["s"]);
        f.poll("s", vec![dated("alpha", 1)]);
        let both = rule("B", "title:alpha", &effects);
        let marks = Arc::new(wait(f.store.apply_rule(both, list(""), f.now)).unwrap());
        for _ in 0..2 {
            assert_eq!(titles(&f, "is:hidden"), "alpha");
            wait(f.store.mark_by_rule("B".into(), marks.clone(), false, f.now)).unwrap();
            assert_eq!(titles(&f, "unread"), "alpha", "{effects:?}");
            wait(f.store.mark_by_rule("B".into(), marks.clone(), true, f.now)).unwrap();
        }
    }
}

/// The item as a user sees it: shown as unread or read, pinned, hidden by which rule, snoozed until when.
fn state(f: &Fixture, key: i64) -> String {
    let conn = rusqlite::Connection::open(f.store.path()).unwrap();
    let query = "SELECT printf('%d%d%d %s %s', read, pinned, hidden,
        coalesce((SELECT until || '/' || was_read FROM snooze WHERE item = key), '-'),
        coalesce((SELECT rule || '/' || was_read FROM rule_effect WHERE item = key AND effect = 'hide'), '-'))
        FROM item WHERE key = ?1";
    conn.query_row(query, [key], |r| r.get(0)).unwrap()
}

#[test]
fn undoing_a_mark_restores_the_states_that_it_replaced() {
    let f = Fixture::new(&["s"]);
    use_rules(&f, vec![rule("H", "title:hidden", &["hide"])]);
    f.poll("s", ["snoozed", "seen", "hidden", "plain"].map(|title| dated(title, 1)).to_vec());
    f.set(Mark::Read, "seen");
    let keys = ["snoozed", "seen", "hidden", "plain"].map(|title| key(&f, title));
    let (until, later) = (f.now + TimeDelta::days(3), f.now + TimeDelta::days(9));
    f.store.mark_blocking(Mark::Snoozed(until), keys[..2].to_vec(), true).unwrap();
    let states = |f: &Fixture| keys.map(|key| state(f, key));
    let begin = states(&f);
    assert!(begin[0].starts_with("102 ") && begin[2] == "101 - H/0", "{begin:?}");
    let cases = [
        (Mark::Read, false),
        (Mark::Pinned, true),
        (Mark::Snoozed(later), true),
        (Mark::Snoozed(later), false),
        (Mark::Hidden, false),
    ];
    for (mark, to) in cases {
        let keys: Vec<i64> = match mark {
            // The other items would be snoozed for the first time.
            Mark::Snoozed(_) => keys[..2].to_vec(),
            _ => keys.to_vec(),
        };
        for _ in 0..2 {
            let set = wait(f.store.mark_for_undo(mark.clone(), keys.clone(), to, false)).unwrap();
            assert!(!set.is_empty() && states(&f) != begin, "{mark:?}");
            assert_eq!(f.counts("s"), counted(&f));
            let undone = wait(f.store.undo_mark(mark.clone(), set.clone(), to)).unwrap();
            assert_eq!((undone.len(), states(&f)), (set.len(), begin.clone()), "{mark:?} {to}");
            assert_eq!(f.counts("s"), counted(&f));
        }
    }
    // Each undo applies to its own change.
    let one = vec![keys[0]];
    let set = |to| wait(f.store.mark_for_undo(Mark::Read, one.clone(), to, false)).unwrap();
    let undo = |to| wait(f.store.undo_mark(Mark::Read, one.clone(), to)).unwrap();
    set(false);
    let shown = state(&f, keys[0]);
    set(true);
    set(false);
    undo(false);
    assert!(state(&f, keys[0]).starts_with("100 -"), "the second change ended nothing");
    undo(true);
    assert_eq!(state(&f, keys[0]), shown);
    // Changes made in between are kept.
    f.set(Mark::Pinned, "snoozed");
    f.store.mark_blocking(Mark::Read, one.clone(), true).unwrap();
    assert!(undo(false).is_empty());
    assert!(state(&f, keys[0]).starts_with("110 -"));
}

/// The counts of the source, computed from its items.
fn counted(f: &Fixture) -> (u32, u32, u32) {
    let conn = rusqlite::Connection::open(f.store.path()).unwrap();
    let query = "SELECT count(*), sum(read = 0), sum(pinned) FROM item";
    conn.query_row(query, [], |r| Ok((r.get(0)?, r.get(1)?, r.get(2)?))).unwrap()
}

#[test]
fn shown_items_no_longer_count_as_hidden_by_rules() {
    for (mark, to) in [(Mark::Read, false), (Mark::Pinned, true)] {
        let f = Fixture::new(&["s"]);
        use_rules(&f, vec![rule("H", "title:alpha", &["hide"])]);
        f.poll("s", vec![dated("alpha", 1), dated("alpha two", 2)]);
        let alpha = key(&f, "alpha");
        f.store.mark_blocking(mark.clone(), vec![alpha], to).unwrap();
        let reader = f.store.reader().unwrap();
        assert!(reader.effects_on(alpha).unwrap().is_empty(), "{mark:?}");
        assert_eq!(reader.effects_on(key(&f, "alpha two")).unwrap()[0].effect, Effect::Hide);
        assert_eq!(reader.rule_records().unwrap()[0].items, 1);
        assert_eq!((undo_rule(&f, "H"), titles(&f, "is:hidden")), (1, String::new()));
    }
}
