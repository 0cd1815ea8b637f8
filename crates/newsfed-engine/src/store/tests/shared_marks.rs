//! Marks exchanged with other machines.

use super::*;
use crate::model::SharedMark;

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
fn marks_beyond_the_limit_are_counted_and_known_ones_still_change() {
    let titles = ["one", "two", "three", "four", "five"];
    let marks = other(&titles, &Mark::Pinned);
    let f = Fixture::new(&["a"]);
    f.store.join_machines_blocking(f.now).unwrap();
    f.poll("a", titles.iter().map(|title| entry(title)).collect());
    let merge = |marks: Vec<SharedMark>| f.store.merge_marks_blocking(marks, 3, f.now).unwrap();
    assert_eq!(merge(marks.clone()), (3, 2), "(changed, left out)");
    // At the limit, a later state of a known mark is applied, and a new mark is not.
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
fn a_source_that_leaves_an_account_gets_the_marks_of_other_machines() {
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
    // Those of another machine are not written here.
    let marks = other(&["one", "three"], &Mark::Later);
    assert_eq!(f.store.merge_marks_blocking(marks.clone(), 9, f.now).unwrap(), (2, 0));
    assert_eq!((counts().1, reader.count_marks_of(&marks[0].stamp.machine).unwrap()), (2, 2));
}
