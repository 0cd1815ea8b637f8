//! States of data files, and when files are checked again.

use super::*;
use crate::store::datasets;
use crate::util::limits;
use chrono::TimeDelta;

#[test]
fn the_states_of_a_source_stay_within_the_limit() {
    let f = Fixture::new(&["site", "other"]);
    f.poll("site", vec![entry("a"), entry("b")]);
    f.poll("other", vec![entry("c")]);
    let save = |source: &str, item: i64, bytes: usize| {
        let (source, state) = (f.key(source), vec![0; bytes]);
        let write = move |conn: &rusqlite::Connection| datasets::save(conn, item, source, &state);
        f.store.writer().unwrap().call_blocking(write).unwrap();
        f.store.reader().unwrap().dataset(item).unwrap().map(|state| state.len())
    };
    let half = limits::DATASET_STATES / 2;
    assert_eq!(save("site", 1, half), Some(half));
    assert_eq!(save("site", 2, half + 1), None, "the second one does not fit");
    assert_eq!(save("site", 2, half), Some(half));
    assert_eq!(save("site", 2, half + 1), None, "and is removed where it grows");
    assert_eq!(save("other", 3, half + 1), Some(half + 1), "each source has its own");
    assert_eq!(save("other", 3, limits::DATASET_STATES + 1), None);
}

#[test]
fn lists_the_longest_waiting_files_first() {
    let f = Fixture::new(&["site"]);
    f.poll("site", ["a", "b", "c", "d"].map(entry).to_vec());
    let (site, now) = (f.key("site"), f.now);
    let reader = f.store.reader().unwrap();
    let unplanned = || reader.unplanned_files(site, 9).unwrap().len();
    assert_eq!(unplanned(), 4);
    let hours = |n| Some(now + TimeDelta::hours(n));
    let plans = vec![(1, hours(5)), (2, hours(3)), (3, None), (4, hours(9))];
    for (item, next) in plans {
        let write = move |conn: &rusqlite::Connection| datasets::plan(conn, item, now, next);
        f.store.writer().unwrap().call_blocking(write).unwrap();
    }
    assert_eq!(unplanned(), 0);
    let due = |at: Option<Time>, limit| -> Vec<(i64, Option<i64>)> {
        let files = reader.due_files(site, at.unwrap(), limit).unwrap();
        files.into_iter().map(|f| (f.item, f.interval.map(|i| i.num_hours()))).collect()
    };
    assert_eq!(due(hours(2), 9), []);
    assert_eq!(due(hours(6), 9), [(2, Some(3)), (1, Some(5))]);
    assert_eq!(due(hours(99), 1), [(2, Some(3))]);
    // Storing a state alone does not schedule a request.
    let write = move |conn: &rusqlite::Connection| datasets::save(conn, 3, site, b"state");
    f.store.writer().unwrap().call_blocking(write).unwrap();
    assert_eq!(due(hours(99), 9).len(), 3);
}
