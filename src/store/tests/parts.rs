//! Tests of marks on whole lists and on parts of them.

use super::*;

#[test]
fn mark_all_read_changes_only_the_view_and_can_be_undone() {
    let f = Fixture::new(&["s", "t"]);
    f.poll("s", vec![entry("a"), entry("b")]);
    f.poll("t", vec![entry("c")]);
    let view = View::of(Scope::Sources(vec![f.key("s")]));
    let up_to = f.store.reader().unwrap().last_key().unwrap();
    f.poll("s", vec![entry("later")]);
    let changed = f.store.mark_view_read_blocking(view, Part::up_to(up_to), false).unwrap();
    assert_eq!((changed.len(), f.counts("s").1, f.counts("t").1), (2, 1, 1));
    f.store.mark_blocking(Mark::Read, changed, false).unwrap();
    assert_eq!(f.counts("s").1, 3);
}

#[test]
fn the_items_beyond_a_row_are_those_above_or_below_it_in_the_list() {
    for (order, grouped) in SortOrder::ALL.into_iter().flat_map(|o| [(o, false), (o, true)]) {
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
                let mut marked =
                    f.store.mark_view_read_blocking(view.clone(), part, false).unwrap();
                let mut expected = expected.to_vec();
                f.store.mark_blocking(Mark::Read, marked.clone(), false).unwrap();
                marked.sort_unstable();
                expected.sort_unstable();
                assert_eq!(marked, expected, "{order:?}, grouped {grouped}, row {at}");
            }
        }
    }
}
