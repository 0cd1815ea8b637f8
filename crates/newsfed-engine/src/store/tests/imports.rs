//! Items of other readers in the lists.

use super::*;
use crate::model::{Effect, Enclosure};

const NAME: &str = "import of a test";

fn item(f: &Fixture, entry: Entry, effects: &[Effect]) -> ImportedItem {
    let hashing = f.store.hashing_blocking().unwrap();
    let entry = prepare(vec![entry], &hashing).remove(0);
    ImportedItem { entry, effects: effects.to_vec(), deleted: false, discovered: None }
}

fn import(f: &Fixture, items: Vec<ImportedItem>) -> ImportCounts {
    let counted = f.store.reader().unwrap().count_import(f.key("a"), &items).unwrap();
    let done =
        f.store.import_items_blocking(vec![(f.key("a"), items)], NAME.into(), f.now).unwrap();
    assert_eq!(counted, done, "a dry run reports the same");
    done
}

/// Title and marks of all items.
fn marks(f: &Fixture) -> Vec<String> {
    let reader = f.store.reader().unwrap();
    let mark = |row: ItemRow| {
        let marks = [(row.read, "read"), (row.pinned, "pinned"), (row.later, "later")];
        let mut words: Vec<String> =
            marks.into_iter().filter(|(on, _)| *on).map(|(_, word)| word.to_owned()).collect();
        words.extend(reader.tags_of(row.key).unwrap());
        format!("{}: {}", row.title, words.join(" "))
    };
    f.rows(&View::of(Scope::All)).into_iter().map(mark).collect()
}

#[test]
fn marks_known_items_and_stores_the_others() {
    let f = Fixture::new(&["a"]);
    f.poll("a", vec![dated("one", 1), dated("two", 2)]);
    f.set(Mark::Read, "two");
    let tag = Effect::Tag("Sea".to_owned());
    // The other reader has no guid for this item.
    let one = Entry { guid: None, ..dated("one", 1) };
    let counts = import(
        &f,
        vec![
            item(&f, one, &[Effect::Read, tag.clone()]),
            item(&f, dated("two", 2), &[]),
            item(&f, dated("old", 9), &[Effect::Read, Effect::Pin]),
            item(&f, dated("older", 10), &[Effect::Later, tag]),
        ],
    );
    let expected =
        ImportCounts { new: 2, known: 2, read: 2, pinned: 1, later: 1, tagged: 2, removed: 0 };
    assert_eq!(counts, expected);
    let after = ["old: read pinned", "one: read Sea", "two: read", "older: later Sea"];
    assert_eq!(marks(&f), after);
    assert_eq!(f.counts("a"), (4, 1, 1));
    // Importing again changes nothing.
    let again = import(&f, vec![item(&f, dated("old", 9), &[Effect::Read, Effect::Pin])]);
    assert_eq!((again.new, again.known), (0, 1));
    assert_eq!(marks(&f), after);
    // The feed still has one of the items: it stays the same item with its marks, and gets no new version.
    let feed = Entry { content: Some("<p>As the feed has it</p>".into()), ..dated("old", 9) };
    assert_eq!(f.poll("a", vec![feed]).new.len(), 0);
    assert_eq!(marks(&f), after);
    assert!(!f.rows(&View::of(Scope::All))[0].changed);
}

#[test]
fn removed_items_do_not_come_back() {
    let f = Fixture::new(&["a"]);
    f.poll("a", vec![dated("kept", 1)]);
    let deleted = |title: &str| ImportedItem { deleted: true, ..item(&f, dated(title, 5), &[]) };
    let counts = import(&f, vec![deleted("gone"), deleted("kept")]);
    assert_eq!((counts.removed, counts.known, counts.new), (1, 1, 0));
    assert_eq!(counts.read, 1);
    assert_eq!(f.poll("a", vec![dated("gone", 5), dated("kept", 1)]).new.len(), 0);
    // The item is kept, but the user is done with it.
    assert_eq!(marks(&f), ["kept: read"]);
    // An item that retention has removed here comes back only if it is to be kept.
    f.set(Mark::Read, "kept");
    let retention = Retention { items: Some(0), days: Some(0), unread: true };
    f.store.prune_blocking(f.key("a"), retention, f.now + TimeDelta::days(2)).unwrap();
    assert_eq!(import(&f, vec![item(&f, dated("kept", 1), &[Effect::Read])]).removed, 1);
    assert_eq!(import(&f, vec![item(&f, dated("kept", 1), &[Effect::Pin])]).new, 1);
}

#[test]
fn an_import_can_be_undone() {
    let f = Fixture::new(&["a"]);
    f.poll("a", vec![dated("one", 1), dated("two", 2)]);
    f.set(Mark::Pinned, "two");
    let tag = || Effect::Tag("Sea".to_owned());
    let items = vec![
        item(&f, dated("one", 1), &[Effect::Read, tag()]),
        item(&f, dated("two", 2), &[Effect::Pin]),
        item(&f, dated("old", 9), &[Effect::Read, Effect::Pin, tag()]),
        item(&f, dated("mine", 10), &[Effect::Read]),
        ImportedItem { deleted: true, ..item(&f, dated("gone", 11), &[]) },
    ];
    import(&f, items);
    f.poll("a", vec![dated("new", 0)]);
    f.set(Mark::Tag("own".into()), "mine");
    assert_eq!(f.store.reader().unwrap().imports().unwrap(), [NAME]);
    let undone = f.store.undo_import_blocking(NAME.into()).unwrap();
    assert_eq!((undone.removed, undone.kept, undone.marks), (1, 1, 2));
    assert_eq!(marks(&f), ["two: pinned", "new: ", "one: ", "mine: read own"]);
    assert_eq!(f.counts("a"), (4, 3, 1));
    assert_eq!(f.poll("a", vec![dated("gone", 11)]).new.len(), 1);
    assert!(f.store.reader().unwrap().imports().unwrap().is_empty());
    // An import that changes nothing need not be undone.
    import(&f, vec![item(&f, dated("two", 2), &[Effect::Pin])]);
    assert!(f.store.reader().unwrap().imports().unwrap().is_empty());
    let nothing = f.store.undo_import_blocking(NAME.into()).unwrap();
    assert_eq!(nothing, ImportUndone::default());
}

/// A poll between an import and its undo changes what is known about removed items.
#[test]
fn removed_items_come_back_after_undo_and_polls() {
    let mut f = Fixture::new(&["a"]);
    let batches = [["gone", "lost"], ["left", "gone"]];
    for titles in batches {
        let deleted =
            titles.map(|t| ImportedItem { deleted: true, ..item(&f, dated(t, 5), &[]) }).to_vec();
        import(&f, deleted);
    }
    let all = || ["gone", "lost", "left"].map(|title| dated(title, 5)).to_vec();
    f.now += TimeDelta::hours(1);
    assert_eq!(f.poll("a", all()).new.len(), 0);
    f.store.undo_import_blocking(NAME.into()).unwrap();
    assert_eq!(f.poll("a", all()).new.len(), 3);
    let conn = rusqlite::Connection::open(f.store.path()).unwrap();
    let notes = "SELECT count(*) FROM memo WHERE name LIKE '%import of%'";
    assert_eq!(conn.query_row(notes, [], |r| r.get::<_, i64>(0)).unwrap(), 0, "notes are left");
}

/// Items that an undo removes and the feed still lists come back, even though the feed is unchanged.
#[test]
fn sources_are_read_again_after_undo() {
    for deleted in [false, true] {
        let f = Fixture::new(&["a", "b"]);
        import(&f, vec![ImportedItem { deleted, ..item(&f, dated("old", 9), &[]) }]);
        f.poll("a", vec![dated("old", 9)]);
        let conn = rusqlite::Connection::open(f.store.path()).unwrap();
        let polled = "UPDATE source SET etag = x'65', last_modified = x'6d', body_hash = zeroblob(32), validators_of = 'u'";
        conn.execute(polled, []).unwrap();
        f.store.undo_import_blocking(NAME.into()).unwrap();
        let known = |id: &str| -> [bool; 4] {
            let query = "SELECT etag IS NOT NULL, last_modified IS NOT NULL, body_hash IS NOT NULL,
                validators_of IS NOT NULL FROM source WHERE key = ?1";
            conn.query_row(query, [f.key(id)], |r| Ok([r.get(0)?, r.get(1)?, r.get(2)?, r.get(3)?]))
                .unwrap()
        };
        assert_eq!((known("a"), known("b")), ([false; 4], [true; 4]), "{deleted}");
        assert_eq!(f.poll("a", vec![dated("old", 9)]).new.len(), 1);
    }
}

#[test]
fn saved_items_keep_their_day() {
    let f = Fixture::new(&["a"]);
    let day = |days: i64| Some(f.now - TimeDelta::days(days));
    let saved = |title: &str, at| ImportedItem { discovered: at, ..item(&f, entry(title), &[]) };
    import(&f, vec![saved("recent", day(3)), saved("future", day(-9)), saved("old", day(900))]);
    let rows = f.rows(&View::of(Scope::All));
    let days: Vec<(&str, i64)> =
        rows.iter().map(|row| (row.title.as_str(), (f.now - row.date).num_days())).collect();
    assert_eq!(days, [("future", 0), ("recent", 3), ("old", 900)]);
}

#[test]
fn undo_of_an_import_keeps_snoozed_items() {
    let f = Fixture::new(&["a"]);
    f.poll("a", vec![dated("one", 1)]);
    import(&f, vec![item(&f, dated("one", 1), &[Effect::Read])]);
    let (one, until) = (f.rows(&View::of(Scope::All))[0].key, f.now + TimeDelta::days(3));
    f.store.mark_blocking(Mark::Snoozed(until), vec![one], true).unwrap();
    assert_eq!(f.store.undo_import_blocking(NAME.into()).unwrap().marks, 1);
    assert_eq!(f.store.reader().unwrap().kept(one).unwrap().1, Some(until));
}

#[test]
fn undo_of_an_import_keeps_the_queue() {
    let f = Fixture::new(&["a"]);
    let episode = |title: &str| {
        let file =
            Enclosure { url: format!("https://a.example/{title}.mp3"), ..Enclosure::default() };
        Entry { enclosures: vec![file], ..dated(title, 1) }
    };
    import(&f, vec![item(&f, episode("queued"), &[]), item(&f, episode("other"), &[])]);
    f.set(Mark::Queued, "queued");
    let undone = f.store.undo_import_blocking(NAME.into()).unwrap();
    assert_eq!((undone.removed, undone.kept), (1, 1));
    assert_eq!(f.store.reader().unwrap().queue().unwrap().len(), 1);
    assert_eq!(marks(&f), ["queued: "]);
}
