//! Reading positions.

use super::*;

#[test]
fn a_position_is_kept_until_its_item_is_removed() {
    let f = Fixture::new(&["a"]);
    f.poll("a", vec![entry("one"), entry("two")]);
    let keys: Vec<i64> = f.rows(&View::of(Scope::All)).iter().map(|r| r.key).collect();
    let place = |item: i64| f.store.reader().unwrap().place(item).unwrap();
    let set = |item: i64, to: usize| {
        let writer = f.store.writer().unwrap();
        writer.call_blocking(move |conn| place::set(conn, item, to)).unwrap();
    };
    assert_eq!(place(keys[0]), 0);
    set(keys[0], 700);
    set(keys[1], 3);
    set(keys[0], 1200);
    assert_eq!((place(keys[0]), place(keys[1])), (1200, 3));
    set(keys[1], 0);
    assert_eq!(place(keys[1]), 0);
    // A removed item has no position, and cannot get one.
    let gone = keys[0];
    let removed =
        f.store.writer().unwrap().call_blocking(move |conn| {
            Ok(conn.execute("DELETE FROM item WHERE key = ?1", [gone])?)
        });
    assert_eq!(removed.unwrap(), 1);
    assert_eq!(place(gone), 0);
    set(gone, 5);
    assert_eq!(place(gone), 0);
}

#[test]
fn a_position_survives_a_rebuild() {
    let f = Fixture::new(&["a"]);
    f.poll("a", vec![entry("one")]);
    let item = f.rows(&View::of(Scope::All))[0].key;
    let writer = f.store.writer().unwrap();
    writer.call_blocking(move |conn| place::set(conn, item, 42)).unwrap();
    drop(writer);
    let path = f.store.path().to_owned();
    f.store.close();
    let rebuilt = rebuild(&path).unwrap();
    let places = rebuilt.tables.iter().find(|t| t.what == "reading positions").unwrap();
    assert_eq!((places.saved, places.lost_some), (1, false));
    assert_eq!(Store::open(&path).unwrap().reader().unwrap().place(item).unwrap(), 42);
}
