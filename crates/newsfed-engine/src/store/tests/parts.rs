//! Tests of marks on whole lists and on parts of them.

use super::*;

#[test]
fn mark_all_read_changes_only_the_view() {
    let f = Fixture::new(&["s", "t"]);
    f.poll("s", vec![entry("a"), entry("b")]);
    f.poll("t", vec![entry("c")]);
    let view = View::of(Scope::Sources(vec![f.key("s")]));
    let up_to = f.store.reader().unwrap().last_key().unwrap();
    f.poll("s", vec![entry("later")]);
    let changed = f.store.read_view_blocking(view, Part::up_to(up_to), false, f.now).unwrap();
    assert_eq!((changed.len(), f.counts("s").1, f.counts("t").1), (2, 1, 1));
    f.store.mark_blocking(Mark::Read, changed, false).unwrap();
    assert_eq!(f.counts("s").1, 3);
}

#[test]
fn marks_only_the_items_above_or_below_a_row() {
    for (order, grouped) in SortOrder::ALL.iter().copied().flat_map(|o| [(o, false), (o, true)]) {
        let f = Fixture::new(&["s", "t"]);
        f.poll("s", (0..6).map(|i| entry(&format!("item {i}"))).collect());
        f.poll("t", (0..3).map(|i| entry(&format!("other {i}"))).collect());
        let order_of = [(None, f.key("s")), (None, f.key("t"))];
        let sources = grouped.then(|| SourceOrder::new(order_of.into_iter()));
        let view = View { order, sources, ..View::of(Scope::All) };
        let pinned = [f.rows(&view)[2].key, f.rows(&view)[4].key];
        f.store.mark_blocking(Mark::Pinned, pinned.to_vec(), true).unwrap();
        let keys: Vec<i64> = f.rows(&view).iter().map(|row| row.key).collect();
        let up_to = f.store.reader().unwrap().last_key().unwrap();
        for (at, row) in f.rows(&view).iter().enumerate() {
            let sides = [
                (Beyond::Above(Cursor::from(row)), &keys[..at]),
                (Beyond::Below(Cursor::from(row)), &keys[at + 1..]),
            ];
            for (beyond, expected) in sides {
                let part = Part { up_to, beyond: Some(beyond) };
                let unread = f.store.reader().unwrap().unread_in(&view, part, false).unwrap();
                assert_eq!(unread, expected.len());
                let mut marked =
                    f.store.read_view_blocking(view.clone(), part, false, f.now).unwrap();
                let mut expected = expected.to_vec();
                f.store.mark_blocking(Mark::Read, marked.clone(), false).unwrap();
                marked.sort_unstable();
                expected.sort_unstable();
                assert_eq!(marked, expected, "{order:?}, grouped {grouped}, row {at}");
            }
        }
    }
}

#[test]
fn undoes_mark_read_commands_newest_first() {
    let f = Fixture::new(&["s", "t"]);
    f.poll("s", ["a", "b", "c", "d"].map(entry).to_vec());
    f.poll("t", vec![entry("e")]);
    let of = |source| View::of(Scope::Sources(vec![f.key(source)]));
    let key = |title: &str| f.rows(&of("s")).iter().find(|row| row.title == title).unwrap().key;
    f.store.mark_blocking(Mark::Read, vec![key("a")], true).unwrap();
    let last = Part::up_to(f.store.reader().unwrap().last_key().unwrap());
    let reader = f.store.reader().unwrap();
    assert_eq!(reader.read_among(&[key("a"), key("b")], false, true).unwrap(), [key("b")]);
    let read = |view| f.store.read_view_blocking(view, last, false, f.now).unwrap().len();
    assert_eq!((read(of("s")), read(of("s"))), (3, 0), "what changes nothing is not remembered");
    assert_eq!(f.store.read_items_blocking(vec![key("a")], true, f.now).unwrap(), [0i64; 0]);
    assert_eq!(read(of("t")), 1);
    // Since then, the user has marked one item unread and hidden another.
    f.store.mark_blocking(Mark::Read, vec![key("b")], false).unwrap();
    f.store.mark_blocking(Mark::Hidden, vec![key("c")], true).unwrap();
    let undo = || f.store.undo_read_blocking().unwrap().map(|undone| (undone.at, undone.unread));
    assert_eq!((undo(), f.counts("t").1), (Some((f.now, 1)), 1));
    assert_eq!((undo(), f.counts("s").1), (Some((f.now, 1)), 2), "a is as it was, c stays hidden");
    assert_eq!(undo(), None);
    let each = |read| {
        let (key, now) = (key("d"), f.now);
        match read {
            true => f.store.read_items_blocking(vec![key], false, now).unwrap().len(),
            false => f.store.mark_blocking(Mark::Read, vec![key], false).unwrap().len(),
        }
    };
    assert_eq!((0..60).map(|n| each(n % 2 == 0)).sum::<usize>(), 60);
    assert_eq!((0..60).filter(|_| undo().is_some()).count(), 20, "older ones are forgotten");
}

/// Apps identify feeds by the keys of sources.
#[test]
fn keys_of_sources_are_never_reused() {
    let fixture = Fixture::new(&["a", "b", "c"]);
    let keys = [fixture.key("b"), fixture.key("c")];
    let delete = |keys: Vec<i64>| {
        let delete = move |conn: &rusqlite::Connection| {
            for key in &keys {
                conn.execute("DELETE FROM source WHERE key = ?1", [key])?;
            }
            Ok(())
        };
        fixture.store.writer().unwrap().call_blocking(delete).unwrap();
    };
    delete(keys.to_vec());
    fixture.declare(&["a", "d"]);
    assert!(fixture.key("d") > keys[1]);
    let last = fixture.key("d");
    delete(vec![last]);
    let new = RemoteFeed {
        stream: "feed/1".to_owned(),
        id: "home-e".to_owned(),
        url: "https://e.example/feed".to_owned(),
        title: None,
        home_url: None,
        folder: None,
    };
    let (store, now) = (fixture.store.clone(), fixture.now);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let account = store.open_account("home".into(), "http://h/".into(), "al".into()).await;
        store.set_remote_feeds(account.unwrap().key, vec![new], now).await.unwrap();
    });
    assert!(fixture.key("home-e") > last);
}
