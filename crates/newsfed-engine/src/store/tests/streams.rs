//! Streams of items by key.

use super::*;

fn keys(fixture: &Fixture, query: StreamQuery) -> Vec<i64> {
    fixture.store.reader().unwrap().stream(&StreamQuery { most: 100, ..query }).unwrap()
}

#[test]
fn streams_list_the_shown_items_of_all_parts() {
    let fixture = Fixture::new(&["a", "b"]);
    fixture.poll("a", vec![entry("One"), entry("Two")]);
    fixture.poll("b", vec![entry("Three"), entry("Four")]);
    let of = |title: &str| {
        let rows = fixture.rows(&View::of(Scope::All));
        rows.into_iter().find(|row| row.title == title).unwrap().key
    };
    let (one, two, three, four) = (of("One"), of("Two"), of("Three"), of("Four"));
    fixture.set(Mark::Read, "One");
    fixture.set(Mark::Pinned, "Two");
    fixture.set(Mark::Tag("Böx".to_owned()), "Three");
    fixture.set(Mark::Hidden, "Four");
    let newest_first = |mut all: Vec<i64>| {
        all.sort_unstable_by(|a, b| b.cmp(a));
        all
    };
    let label = |tag: &str, sources: Vec<i64>| StreamPart::Label { tag: tag.to_owned(), sources };
    let (a, b) = (fixture.key("a"), fixture.key("b"));
    let cases: Vec<(Vec<StreamPart>, Vec<StreamPart>, Vec<i64>)> = vec![
        (vec![StreamPart::All], vec![], vec![one, two, three]),
        (vec![StreamPart::All], vec![StreamPart::Read], vec![two, three]),
        (vec![StreamPart::Read], vec![], vec![one]),
        (vec![StreamPart::Pinned], vec![StreamPart::Read], vec![two]),
        (vec![StreamPart::Sources(vec![a])], vec![StreamPart::Pinned], vec![one]),
        (vec![label("böx", vec![])], vec![], vec![three]),
        (vec![label("BÖX", vec![a])], vec![StreamPart::Read], vec![two, three]),
        (vec![StreamPart::All], vec![label("böx", vec![])], vec![one, two]),
        (vec![StreamPart::All], vec![label("none", vec![b])], vec![one, two]),
        (vec![StreamPart::Nothing], vec![], vec![]),
        (vec![StreamPart::Sources(vec![])], vec![], vec![]),
    ];
    for (within, without, expected) in cases {
        let found = keys(
            &fixture,
            StreamQuery {
                within: within.clone(),
                without: without.clone(),
                ..StreamQuery::default()
            },
        );
        assert_eq!(found, newest_first(expected), "{within:?} without {without:?}");
    }
    let seconds = fixture.now.timestamp();
    let (last, first) = (one.max(two).max(three), one.min(two));
    let query = |change: fn(&mut StreamQuery, i64), value: i64| {
        let mut query = StreamQuery::default();
        change(&mut query, value);
        keys(&fixture, query).len()
    };
    assert_eq!(query(|q, v| q.since = Some(v), seconds), 3);
    assert_eq!(query(|q, v| q.since = Some(v), seconds + 1), 0);
    assert_eq!(query(|q, v| q.until = Some(v), discovery_micros(fixture.now, first)), 1);
    assert_eq!(query(|q, v| q.until = Some(v), discovery_micros(fixture.now, last)), 3);
    assert_eq!(query(|q, v| q.beyond = Some(v), last), 2);
    let reader = fixture.store.reader().unwrap();
    assert_eq!(reader.known_items(&[one, four, 99]).unwrap(), [one, four]);
    assert_eq!(reader.unread_of_sources().unwrap()[&b].count, 1);
    assert_eq!(reader.unread_of_tags().unwrap().len(), 1);
    // The items of a removed source are not shown.
    fixture.declare(&["a"]);
    assert_eq!(keys(&fixture, StreamQuery::default()), newest_first(vec![one, two]));
    assert_eq!(fixture.store.reader().unwrap().known_items(&[three]).unwrap(), [] as [i64; 0]);
}

#[test]
fn tags_are_renamed_and_removed() {
    let fixture = Fixture::new(&["a"]);
    fixture.poll("a", vec![entry("One"), entry("Two")]);
    fixture.set(Mark::Tag("x".to_owned()), "One");
    fixture.set(Mark::Tag("x".to_owned()), "Two");
    fixture.set(Mark::Tag("y".to_owned()), "Two");
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let retag = |from: &str, to: Option<&str>| {
        let to = to.map(str::to_owned);
        runtime.block_on(fixture.store.retag(from.to_owned(), to)).unwrap()
    };
    let tags = || fixture.store.reader().unwrap().item_tags().unwrap();
    let changed = retag("X", Some("y"));
    assert_eq!((changed.len(), tags()), (2, vec!["y".to_owned()]));
    // Only the case changes.
    retag("y", Some("Y"));
    assert_eq!(tags(), ["Y"]);
    retag("Y", None);
    assert_eq!(tags(), [] as [String; 0]);
}
