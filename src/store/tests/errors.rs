//! Errors of the disk.

use super::*;

/// SQLite's own limit on the size of the file fails like a full disk.
#[test]
fn a_full_disk_is_reported_loses_nothing_and_recovers() {
    let f = Fixture::new(&["a"]);
    let big = |n: usize| Entry {
        title: format!("big {n}"),
        url: Some(format!("https://a.example/{n}")),
        content: Some(fastrand::Rng::with_seed(1).alphanumeric().to_string().repeat(1 << 20)),
        ..Entry::default()
    };
    let source = f.key("a");
    f.poll("a", vec![big(0)]);
    f.set(Mark::Pinned, "big 0");
    let limit = |pages: i64| {
        let set = move |conn: &rusqlite::Connection| {
            Ok(conn.query_row(&format!("PRAGMA max_page_count = {pages}"), [], |_| Ok(()))?)
        };
        f.store.writer().unwrap().call_blocking(set).unwrap();
    };
    let write = || {
        let poll = f.finished(source, (1..4).map(big).collect());
        f.store.writer().unwrap().call_blocking(move |conn| ingest::store(conn, poll))
    };
    limit(1);
    let error = write().unwrap_err();
    assert!(matches!(error, StoreError::Full), "{error}");
    assert!(error.to_string().contains("disk is full"));
    assert_eq!(f.counts("a"), (1, 1, 1), "stored items stay");
    f.set(Mark::Read, "big 0");
    limit(1 << 20);
    assert_eq!(write().unwrap().unwrap().0.new.len(), 3);
    assert_eq!(f.counts("a"), (4, 3, 1));
    assert!(f.store.reader().unwrap().check().unwrap().is_empty());
}
