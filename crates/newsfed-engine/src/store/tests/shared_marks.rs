//! Marks exchanged with other machines.

use super::*;
use crate::model::{SharedMark, Stamp};
use crate::store::shared_marks::source_hash;

fn prepared(f: &Fixture) {
    while f.store.prepare_marks_blocking(f.now).unwrap() {}
}

/// The marks that this machine would write, without their stamps.
fn to_write(f: &Fixture) -> Vec<(String, bool)> {
    prepared(f);
    let marks = f.store.reader().unwrap().marks_to_write().unwrap();
    marks.into_iter().map(|(_, mark)| (mark.mark, mark.on)).collect()
}

/// A machine with a feed of items, and the marks that it has set.
fn other(titles: &[&str], mark: &Mark) -> Vec<SharedMark> {
    let f = Fixture::new(&["a"]);
    f.store.join_machines_blocking(f.now).unwrap();
    f.poll("a", titles.iter().map(|title| entry(title)).collect());
    titles.iter().for_each(|title| f.set(mark.clone(), title));
    prepared(&f);
    f.store.reader().unwrap().marks_to_write().unwrap().into_iter().map(|(_, mark)| mark).collect()
}

#[test]
fn known_marks_change_even_at_the_limit() {
    let titles = ["one", "two", "three", "four", "five"];
    let marks = other(&titles, &Mark::Pinned);
    let f = Fixture::new(&["a"]);
    f.store.join_machines_blocking(f.now).unwrap();
    f.poll("a", titles.iter().map(|title| entry(title)).collect());
    let merge = |marks: Vec<SharedMark>| f.store.merge_marks_blocking(marks, 3, f.now).unwrap();
    assert_eq!(merge(marks.clone()), (3, 2), "(changed, left out)");
    // At the limit, a later state of a known mark is applied, but a new mark is not.
    let mut later = marks;
    for mark in &mut later {
        mark.on = false;
        mark.stamp.millis += 1;
    }
    assert_eq!(merge(later.clone()), (3, 2));
    assert_eq!(f.store.merge_marks_blocking(later, 5, f.now).unwrap(), (0, 0));
    assert!(f.rows(&View::of(Scope::Pinned)).is_empty());
}

#[test]
fn a_source_removed_from_an_account_gets_shared_marks() {
    let marks = other(&["one", "two"], &Mark::Read);
    let f = Fixture::new(&["a"]);
    f.store.join_machines_blocking(f.now).unwrap();
    f.poll("a", vec![entry("one"), entry("two")]);
    let belongs = |account: bool| {
        let change = move |conn: &rusqlite::Connection| {
            conn.execute(
                "INSERT OR IGNORE INTO account (key, id, url, user) VALUES (1, 'h', '', '')",
                [],
            )?;
            conn.execute("UPDATE source SET account = iif(?1, 1, NULL)", [account])?;
            Ok(())
        };
        f.store.writer().unwrap().call_blocking(change).unwrap();
    };
    belongs(true);
    f.set(Mark::Pinned, "one");
    assert_eq!(to_write(&f), [], "its server has the marks");
    let (changed, _) = f.store.merge_marks_blocking(marks, 100, f.now).unwrap();
    assert_eq!(changed, 0, "marks of other machines wait");
    belongs(false);
    assert_eq!(to_write(&f), [("pin".to_owned(), true)]);
    let unread: Vec<_> = f.rows(&View::of(Scope::All)).into_iter().filter(|r| !r.read).collect();
    assert!(unread.is_empty(), "{unread:?}");
    assert_eq!(f.rows(&View::of(Scope::Pinned)).len(), 1);
}

#[test]
fn marks_are_counted_until_they_are_written() {
    let f = Fixture::new(&["a"]);
    f.poll("a", vec![entry("one"), entry("two"), entry("three")]);
    let counts = || {
        let reader = f.store.reader().unwrap();
        let counts = (reader.count_marks_to_write(), reader.count_unwritten_marks());
        (counts.0.unwrap(), counts.1.unwrap())
    };
    f.store.join_machines_blocking(f.now).unwrap();
    prepared(&f);
    assert_eq!(counts(), (0, 0));
    f.set(Mark::Pinned, "one");
    f.set(Mark::Read, "two");
    assert_eq!(counts(), (2, 0), "they are not compared yet");
    assert!(f.store.reader().unwrap().has_marks_to_record().unwrap());
    prepared(&f);
    assert_eq!(counts(), (2, 2));
    assert!(!f.store.reader().unwrap().has_marks_to_record().unwrap());
    let reader = f.store.reader().unwrap();
    let own = reader.marks_to_write().unwrap();
    let machine = own[0].1.stamp.machine.clone();
    assert_eq!(reader.count_marks_of(&machine).unwrap(), 2);
    assert_eq!(reader.marks_of(&machine, 0).unwrap(), own);
    assert_eq!(reader.marks_of(&machine, own[0].0).unwrap(), own[1..]);
    assert_eq!(reader.count_marks_of("other").unwrap(), 0);
    // The marks of another machine are not written here.
    let marks = other(&["one", "three"], &Mark::Later);
    assert_eq!(f.store.merge_marks_blocking(marks.clone(), 9, f.now).unwrap(), (2, 0));
    assert_eq!((counts().1, reader.count_marks_of(&marks[0].stamp.machine).unwrap()), (2, 2));
}

#[test]
fn the_later_timestamp_wins_and_a_set_mark_wins_ties() {
    let [mark] = <[SharedMark; 1]>::try_from(other(&["one"], &Mark::Pinned)).unwrap();
    // (known, arriving, milliseconds later, pinned afterwards, items that change)
    for (known, arriving, later, pinned, changed) in [
        (false, true, 0, true, 1),
        (true, false, 0, true, 0),
        (true, true, 0, true, 0),
        (false, false, 0, false, 0),
        (true, false, 1, false, 1),
        (false, true, 1, true, 1),
        (true, false, -1, true, 0),
        (false, true, -1, false, 0),
    ] {
        let case = (known, arriving, later);
        let f = Fixture::new(&["a"]);
        f.store.join_machines_blocking(f.now).unwrap();
        f.poll("a", vec![entry("one")]);
        let merge = |on, later| {
            let stamp = Stamp { millis: mark.stamp.millis + later, ..mark.stamp.clone() };
            let mark = SharedMark { on, stamp, ..mark.clone() };
            f.store.merge_marks_blocking(vec![mark], 9, f.now).unwrap()
        };
        assert_eq!(merge(known, 0), (usize::from(known), 0));
        assert_eq!(merge(arriving, later), (changed, 0), "{case:?}");
        assert_eq!(f.rows(&View::of(Scope::All))[0].pinned, pinned, "{case:?}");
    }
}

#[test]
fn cleans_the_tags_of_other_machines() {
    let raw = "\u{1b}]0;pwned\u{7}\u{1b}[31mX\u{202e}y";
    let [mark] = <[SharedMark; 1]>::try_from(other(&["one"], &Mark::Pinned)).unwrap();
    let mark = SharedMark { mark: format!("tag:{raw}"), ..mark };
    let f = Fixture::new(&["a"]);
    f.store.join_machines_blocking(f.now).unwrap();
    f.poll("a", vec![entry("one")]);
    assert_eq!(f.store.merge_marks_blocking(vec![mark], 9, f.now).unwrap(), (1, 0));
    let key = f.rows(&View::of(Scope::All))[0].key;
    let tags = || f.store.reader().unwrap().tags_of(key).unwrap();
    let unset = |tag: &str| {
        let tag = Mark::Tag(tag.to_owned());
        assert_eq!(f.store.mark_blocking(tag, vec![key], false).unwrap(), [key]);
    };
    assert_eq!(tags(), ["Xy"]);
    assert_eq!(to_write(&f), []);
    unset("Xy");
    assert_eq!(tags(), [""; 0]);
    assert_eq!(to_write(&f), [("tag:Xy".to_owned(), false)]);
    // The tag as stored by an earlier version.
    let insert = "INSERT INTO item_tag (item, form, tag) VALUES (?1, comparable(?2), ?2)";
    let insert = move |conn: &rusqlite::Connection| Ok(conn.execute(insert, (key, raw))?);
    f.store.writer().unwrap().call_blocking(insert).unwrap();
    assert_eq!(tags(), ["Xy"]);
    unset("xY");
    assert_eq!(tags(), [""; 0]);
}

#[test]
fn a_mark_that_is_set_again_is_written() {
    let f = Fixture::new(&["a"]);
    f.store.join_machines_blocking(f.now).unwrap();
    f.poll("a", vec![entry("one")]);
    f.set(Mark::Pinned, "one");
    prepared(&f);
    let own = f.store.reader().unwrap().marks_to_write().unwrap();
    // A copy of this machine has written these marks.
    let same = own.iter().map(|(_, mark)| mark.clone()).collect();
    assert_eq!(f.store.merge_marks_blocking(same, 9, f.now).unwrap(), (0, 0));
    assert_eq!(f.store.reader().unwrap().marks_to_write().unwrap(), own);
}

#[test]
fn marks_follow_a_source_to_its_new_url() {
    let titles = ["one", "two", "three"];
    let mut marks = other(&titles, &Mark::Pinned);
    let f = Fixture::new(&["a"]);
    let own = f.store.join_machines_blocking(f.now).unwrap();
    f.poll("a", titles.iter().map(|title| entry(title)).collect());
    let to = "https://moved.example/feed";
    let mut expected = marks.clone();
    for mark in &mut expected {
        // From now on, this machine keeps the marks in its file.
        (mark.source, mark.stamp.machine) = (source_hash(to), own.clone());
    }
    // For the other machine, one item has a different URL, and one has no guid.
    marks[0].url += 1;
    marks[1].guid = None;
    assert_eq!(f.store.merge_marks_blocking(marks, 9, f.now).unwrap(), (3, 0));
    assert_eq!(to_write(&f), []);
    let moved = Source::feed(SourceId("a".to_owned()), to.parse().unwrap());
    f.store.reconcile_blocking(vec![moved], f.now).unwrap();
    prepared(&f);
    let written = f.store.reader().unwrap().marks_to_write().unwrap();
    let written: Vec<SharedMark> = written.into_iter().map(|(_, mark)| mark).collect();
    assert_eq!(written, expected);
}

#[test]
fn deletes_thousands_of_marks_without_items_at_once() {
    let [mark] = <[SharedMark; 1]>::try_from(other(&["here"], &Mark::Pinned)).unwrap();
    let f = Fixture::new(&["a"]);
    f.store.join_machines_blocking(f.now).unwrap();
    f.poll("a", vec![entry("here")]);
    let without = |n: i64| SharedMark { guid: Some(n), url: n, ..mark.clone() };
    let mut marks: Vec<SharedMark> = (1..=2500).map(without).collect();
    marks.insert(1500, mark.clone());
    assert_eq!(f.store.merge_marks_blocking(marks, 9999, f.now).unwrap(), (1, 0));
    let expire = |days| {
        let expired = f.store.expire_marks_blocking(f.now + TimeDelta::days(days)).unwrap();
        let left = f.store.reader().unwrap().count_marks_of(&mark.stamp.machine).unwrap();
        (expired, left)
    };
    assert_eq!(expire(0), (0, 2501));
    assert_eq!(expire(179), (0, 2501));
    assert_eq!(expire(181), (2500, 1), "the one whose item is here stays");
}
