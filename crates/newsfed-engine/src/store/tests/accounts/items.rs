//! Items of accounts, and their marks here and on the server.

use super::*;
use crate::greader::RemoteId;

fn marks(read: bool, pinned: bool) -> Marks {
    Marks { read, pinned }
}

fn id(number: i64) -> RemoteId {
    RemoteId::Number(number)
}

fn prepared(f: &Fixture, entry: Entry) -> Prepared {
    prepare(vec![entry], &f.store.hashing_blocking().unwrap()).remove(0)
}

pub(super) fn arrived(f: &Fixture, number: i64, entry: Entry, marks: Marks) -> ArrivedItem {
    ArrivedItem {
        remote: id(number),
        source: Some(f.key("a")),
        is_first: false,
        marks,
        discovered: f.now,
        entry: Some(prepared(f, entry)),
    }
}

/// Stores items; returns how many were new.
pub(super) fn store(f: &Fixture, account: i64, items: Vec<ArrivedItem>, relink: bool) -> usize {
    let state = "{\"n\":1}".to_owned();
    wait(f.store.store_arrived(account, items, relink, state, f.now)).unwrap().new
}

/// Two items here and on the server, an item that is only on the server, and their account.
fn three() -> (Fixture, i64) {
    let (f, account) = account(&["a", "b"]);
    let unknown = |number, marks| ArrivedItem {
        source: None,
        entry: None,
        ..arrived(&f, number, entry("x"), marks)
    };
    let items = vec![
        arrived(&f, 1, entry("one"), marks(false, false)),
        arrived(&f, 2, entry("two"), marks(true, false)),
        arrived(&f, 3, entry("three"), marks(false, true)),
        unknown(4, marks(true, false)),
    ];
    assert_eq!(store(&f, account, items.clone(), false), 3);
    assert_eq!(store(&f, account, items, false), 0, "they are known");
    (f, account)
}

fn of(f: &Fixture, account: i64, number: i64) -> RemoteItem {
    let found = f.store.reader().unwrap().remote_items_of(account, &[id(number)]).unwrap();
    found.into_iter().next().unwrap()
}

/// Merges marks that the server lists; returns how many were adopted.
fn merge(f: &Fixture, account: i64, number: i64, theirs: Marks, sent: bool) -> usize {
    wait(f.store.merge_marks(account, vec![SeenMarks { remote: id(number), theirs, sent }]))
        .unwrap()
}

fn waiting(f: &Fixture, account: i64) -> (usize, usize) {
    f.store.reader().unwrap().waiting_marks(account, 3, true).unwrap()
}

#[test]
fn each_mark_follows_the_side_that_changed_it() {
    let all =
        [false, true].into_iter().flat_map(|read| [false, true].map(|pinned| marks(read, pinned)));
    let all: Vec<Marks> = all.collect();
    for base in &all {
        for side in &all {
            let none = Marks::default();
            assert_eq!(merged(*base, none, *base, *side), *side, "only the server changed");
            assert_eq!(merged(*base, none, *side, *base), *side, "only we changed");
            assert_eq!(merged(*base, none, *side, *side), *side, "both changed alike");
            assert_eq!(
                merged(*base, marks(true, true), *base, *side),
                *base,
                "sent and changed back"
            );
            let sent = merged(*base, marks(true, false), *base, *side);
            assert_eq!(sent, marks(base.read, side.pinned), "only the read was sent");
        }
    }
}

#[test]
fn stores_items_of_a_server_once_with_their_marks() {
    let (f, account) = three();
    assert_eq!((f.counts("a"), stored(&f).state.as_str()), ((3, 2, 1), "{\"n\":1}"));
    let reader = f.store.reader().unwrap();
    let numbers = |items: Vec<RemoteItem>| items.into_iter().map(|i| i.remote).collect::<Vec<_>>();
    assert_eq!(numbers(reader.remote_items(account).unwrap()), [1, 2, 3, 4].map(id));
    assert_eq!(numbers(reader.open_remote_items(account).unwrap()), [1, 3].map(id));
    assert_eq!(reader.newest_remote_items(account, 2).unwrap(), [3, 2].map(id));
    assert_eq!(reader.newest_remote_items(account, 9).unwrap().len(), 3, "4 is not stored here");
    let other = |title: &str| Entry { url: Some("https://x.example/".into()), ..entry(title) };
    let same = [(1, entry("one")), (2, other("two")), (3, other("x")), (9, entry("one"))];
    let same = same.map(|(number, entry)| (id(number), prepared(&f, entry)));
    assert_eq!(reader.same_remote_items(account, &same).unwrap(), 2, "by the title or the URL");
    // Items that cannot be fetched are treated as known and read.
    let text = RemoteId::Other("x-9".to_owned());
    wait(f.store.skip_remote_items(account, vec![id(9), text.clone()])).unwrap();
    let skipped = reader.remote_items_of(account, &[id(9), text.clone(), id(10)]).unwrap();
    assert_eq!(numbers(skipped.clone()), [id(9), text]);
    assert!(skipped.iter().all(|i| i.ours == marks(true, false) && !i.is_waiting()), "{skipped:?}");
    assert_eq!(reader.open_remote_items(account).unwrap().len(), 2);
    // Items count as discovered at the time given by the server, but not in the future.
    let day = TimeDelta::days(1);
    let mut items =
        ["past", "future"].map(|title| arrived(&f, 0, entry(title), marks(false, false)));
    (items[0].remote, items[0].discovered) = (id(20), f.now - day);
    (items[1].remote, items[1].discovered) = (id(21), f.now + day);
    store(&f, account, items.to_vec(), false);
    let rows = f.rows(&View::of(Scope::All));
    let date = |title: &str| rows.iter().find(|row| row.title == title).unwrap().date;
    assert_eq!((date("past"), date("future")), (f.now - day, f.now));
}

#[test]
fn marks_wait_until_the_server_shows_them() {
    let (f, account) = three();
    assert_eq!(waiting(&f, account), (0, 0));
    f.set(Mark::Read, "one");
    assert_eq!(waiting(&f, account), (1, 0));
    f.set(Mark::Pinned, "one");
    assert_eq!(waiting(&f, account), (1, 0), "items are counted");
    let one = of(&f, account, 1);
    assert_eq!((one.base, one.ours, one.tries), (marks(false, false), marks(true, true), 0));
    assert!(one.is_waiting() && one.sent == Marks::default());
    wait(f.store.begin_sending(account, true, vec![id(1)])).unwrap();
    assert_eq!(of(&f, account, 1).sent, marks(true, false));
    wait(f.store.begin_sending(account, false, vec![id(1), id(3)])).unwrap();
    assert_eq!(of(&f, account, 1).sent, marks(true, true));
    let three = of(&f, account, 3);
    assert_eq!((three.base, three.sent), (marks(false, true), marks(false, true)));
    assert!(three.is_waiting(), "the server may have either");
    assert_eq!(merge(&f, account, 3, marks(false, true), false), 0);
    assert!(!of(&f, account, 3).is_waiting());
    // A mark that was sent three times without effect is given up.
    for tries in 1..=3 {
        assert_eq!(waiting(&f, account), (1, 0));
        assert_eq!(merge(&f, account, 1, marks(true, false), true), 0);
        assert_eq!(of(&f, account, 1).tries, tries);
    }
    assert_eq!(waiting(&f, account), (0, 1));
    assert_eq!(merge(&f, account, 1, marks(true, false), false), 0);
    assert_eq!(of(&f, account, 1).tries, 3, "it was not sent");
    // After a new change here, the mark is sent again; marks that the server already shows do not wait.
    f.set(Mark::Tag("t".into()), "two");
    assert_eq!(waiting(&f, account), (1, 1), "a tag waits, too");
    assert_eq!(f.store.reader().unwrap().waiting_marks(account, 3, false).unwrap(), (0, 1));
    assert_eq!(merge(&f, account, 1, marks(true, true), true), 0);
    assert_eq!((of(&f, account, 1).tries, of(&f, account, 1).is_waiting()), (0, false));
    // The server's changes are adopted, separately for each mark.
    assert_eq!(merge(&f, account, 2, marks(true, true), false), 1);
    assert_eq!(merge(&f, account, 3, marks(true, false), false), 2);
    assert_eq!(f.counts("a"), (3, 0, 2));
    assert_eq!(merge(&f, account, 4, marks(false, false), false), 1, "it is not stored here");
    assert_eq!(merge(&f, account, 99, marks(false, false), false), 0);
}

#[test]
fn keeps_items_that_a_server_no_longer_has() {
    let (f, account) = three();
    f.set(Mark::Read, "one");
    wait(f.store.set_gone(account, vec![id(1), id(4)])).unwrap();
    assert!(of(&f, account, 1).gone && !of(&f, account, 1).is_waiting());
    assert_eq!((waiting(&f, account), f.counts("a").0), ((0, 0), 3));
    let reader = f.store.reader().unwrap();
    assert_eq!(reader.remote_items_of(account, &[id(4)]).unwrap(), [], "nothing of it is here");
    assert_eq!(reader.newest_remote_items(account, 9).unwrap(), [3, 2].map(id));
    wait(f.store.set_present(account, vec![id(1)])).unwrap();
    assert_eq!(waiting(&f, account), (1, 0));
    wait(f.store.settle_ops(Vec::new(), Vec::new(), vec![f.key("a")])).unwrap();
    assert_eq!(reader.newest_remote_items(account, 9).unwrap(), [], "the source has left");
}

#[test]
fn links_items_to_those_of_a_new_server() {
    let (f, account) = three();
    f.set(Mark::Pinned, "one");
    wait(f.store.request_sync(account, false, true)).unwrap();
    wait(f.store.begin_relink(account, "{\"n\":2}".to_owned())).unwrap();
    assert_eq!((stored(&f).relink, stored(&f).state.as_str()), (false, "{\"n\":2}"));
    assert_eq!(f.store.reader().unwrap().remote_items(account).unwrap(), []);
    // The identifiers differ, but the URLs are the same; an equal title alone is not enough.
    let from = |title: &str, guid: &str| Entry { guid: Some(guid.to_owned()), ..entry(title) };
    let apart = Entry { url: Some("https://x.example/".into()), ..from("two", "g-2") };
    let items = vec![
        arrived(&f, 11, from("one", "g-1"), marks(true, false)),
        arrived(&f, 12, apart, marks(false, false)),
        arrived(
            &f,
            13,
            Entry { title: "Other".into(), ..from("three", "g-3") },
            marks(false, false),
        ),
    ];
    assert_eq!(store(&f, account, items, true), 2);
    let one = of(&f, account, 11);
    assert_eq!((one.base, one.ours), (marks(true, false), marks(true, true)), "marks of both");
    assert_eq!((f.counts("a"), waiting(&f, account)), ((5, 3, 2), (1, 0)));
    // In a rebuilt database, items are linked by their identifiers.
    wait(f.store.begin_relink(account, "{}".to_owned())).unwrap();
    let moved = Entry { url: Some("https://y.example/".into()), ..from("one", "g-1") };
    assert_eq!(
        store(&f, account, vec![arrived(&f, 11, moved.clone(), marks(true, true))], false),
        0
    );
    let other = Entry { title: "Other".into(), ..moved };
    assert_eq!(store(&f, account, vec![arrived(&f, 14, other, marks(true, true))], false), 1);
}
