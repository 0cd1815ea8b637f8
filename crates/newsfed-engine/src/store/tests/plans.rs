//! Query plans on a database that was never analysed: no statement scans a whole table of items,
//! and none sorts what an index has in order.

use super::*;
use rusqlite::StatementStatus;
use rusqlite::trace::{TraceEvent, TraceEventCodes};
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::PoisonError;

/// Number of items in the database. A statement that steps over a quarter of them one by one counts as a
/// table scan.
const ITEMS: i32 = 1200;

/// How many steps each statement has taken so far, and the statements that took too many in one run. This is
/// global because SQLite calls a plain function, which has no state.
static SEEN: Mutex<(BTreeMap<String, i32>, BTreeSet<String>)> =
    Mutex::new((BTreeMap::new(), BTreeSet::new()));

fn watch(conn: &rusqlite::Connection) {
    fn seen(event: TraceEvent<'_>) {
        let TraceEvent::Profile(statement, _) = event else { return };
        let steps = statement.get_status(StatementStatus::FullscanStep);
        let sorts = statement.get_status(StatementStatus::Sort);
        let (runs, heavy) = &mut *SEEN.lock().unwrap_or_else(PoisonError::into_inner);
        let before = runs.insert(statement.sql().into_owned(), steps).unwrap_or_default();
        // The counter grows from run to run, and restarts after the statement is removed from the
        // cache.
        let here = if steps < before { steps } else { steps - before };
        if here >= ITEMS / 4 || sorts > 0 {
            heavy.insert(statement.sql().into_owned());
        }
    }
    conn.trace_v2(TraceEventCodes::SQLITE_TRACE_PROFILE, Some(seen));
}

fn heavy() -> BTreeSet<String> {
    std::mem::take(&mut SEEN.lock().unwrap_or_else(PoisonError::into_inner).1)
}

fn views(key: i64) -> Vec<View> {
    let scopes = [
        Scope::All,
        Scope::Sources(vec![key]),
        Scope::Sources((1..=300).collect()),
        Scope::Since(1_799_000_000),
        Scope::Pinned,
    ];
    let orders = [SortOrder::PinnedNewest, SortOrder::Newest, SortOrder::Oldest];
    let mut views = Vec::new();
    for scope in scopes {
        for order in orders {
            for unread_only in [false, true] {
                views.push(View { order, unread_only, ..View::of(scope.clone()) });
            }
        }
    }
    views
}

#[test]
fn no_statement_scans_all_items() {
    let f = Fixture::new(&["a", "b"]);
    let writer = f.store.writer().unwrap();
    let watched = |conn: &rusqlite::Connection| {
        watch(conn);
        Ok(())
    };
    writer.call_blocking(watched).unwrap();
    let document = |first: i64| (first..first + 40).map(|n| dated(&format!("title {n}"), n));
    for poll in 0..15 {
        f.poll("a", document(poll * 40).collect());
        f.poll("b", document(poll * 40).collect());
    }
    f.poll("a", document(0).map(|e| Entry { title: "changed".into(), ..e }).collect());
    f.store.mark_blocking(Mark::Pinned, vec![1, 2], true).unwrap();
    assert!(!f.store.reader().unwrap().next_unindexed().unwrap().is_empty());
    f.index_all();

    let reader = f.store.reader().unwrap();
    watch(&reader.conn);
    let row = f.rows(&View::of(Scope::All)).swap_remove(100);
    let at = view::Cursor::from(&row);
    for view in views(f.key("a")) {
        for anchor in
            [Anchor::First, Anchor::Last, Anchor::After(at), Anchor::Before(at), Anchor::Around(at)]
        {
            assert!(
                !reader.window(&view, anchor, 10).unwrap().rows.is_empty()
                    || view.scope == Scope::Pinned
            );
        }
    }
    let criteria = Criteria { text: Some("title".into()), ..Criteria::default() };
    let search = View { criteria, ..View::of(Scope::All) };
    assert!(reader.window(&search, Anchor::First, 10).unwrap().rows.len() > 300);
    // A search with source names reads the indexes of the sources, and so does counting its rows.
    let criteria = Criteria { sources: Some(vec![f.key("a")]), ..Criteria::default() };
    let named = View { unread_only: true, criteria, ..View::of(Scope::All) };
    assert_eq!(reader.window(&named, Anchor::First, 10).unwrap().rows.len(), 10);
    assert!(reader.count(&named).unwrap().items > 300);
    reader.unread_since(f.now - TimeDelta::hours(3)).unwrap();
    reader.source(f.key("a")).unwrap();
    reader.by_next_poll(10).unwrap();
    reader.polls(sources::PollFilter::default(), 10).unwrap();
    reader.find("12").unwrap();
    reader.last_key().unwrap();
    assert!(reader.next_unindexed().unwrap().is_empty());
    let (a, b) = (f.key("a"), f.key("b"));
    let wants = prefetch::Ahead { pinned: vec![a, b], all: vec![b], again: vec![a, b] };
    assert!(reader.ahead(&wants, f.now, 16).unwrap().len() > 2);
    reader.next_page(f.now).unwrap();
    for kept in [prefetch::MarkedItems::Unread, prefetch::MarkedItems::Pinned] {
        reader.unfetched(kept, &[a, b], f.now, 20).unwrap();
        reader.refused(kept, &[a, b], f.now).unwrap();
    }
    reader.changed().unwrap();
    reader.page(1).unwrap();
    reader.versions(1).unwrap();

    assert_eq!(heavy(), BTreeSet::new());
    // Checks that the detection works: without an index, it reports the statement.
    reader.conn.query_row("SELECT count(*) FROM item WHERE words = 1", [], |_| Ok(())).unwrap();
    assert_eq!(heavy().len(), 1);
}

thread_local! {
    /// The number of rows that each statement of a list on this thread has stepped over one by one.
    static LISTED: RefCell<Vec<i32>> = const { RefCell::new(Vec::new()) };
}

/// Reads the beginning and the end of a list; returns how many statements read items, and how many rows they
/// stepped over one by one.
fn cost(f: &Fixture, view: &View) -> (usize, i32) {
    fn seen(event: TraceEvent<'_>) {
        let TraceEvent::Profile(statement, _) = event else { return };
        if statement.sql().contains(" FROM item i ") {
            let steps = statement.get_status(StatementStatus::FullscanStep);
            LISTED.with_borrow_mut(|listed| listed.push(steps));
        }
    }
    for anchor in [Anchor::First, Anchor::Last] {
        let reader = f.store.reader().unwrap();
        reader.conn.trace_v2(TraceEventCodes::SQLITE_TRACE_PROFILE, Some(seen));
        assert_eq!(reader.window(view, anchor, 10).unwrap().rows.len(), 10);
    }
    let listed = LISTED.take();
    (listed.len(), listed.iter().sum())
}

#[test]
fn folder_lists_skip_other_sources() {
    let f = Fixture::new(&["older", "busy", "newer"]);
    let items = |tag: &str, hours: std::ops::Range<i64>| {
        hours.map(|hour| dated(&format!("{tag} {hour}"), hour)).collect::<Vec<_>>()
    };
    f.poll("newer", items("newer", 0..10));
    f.poll("busy", items("busy", 10..10 + i64::from(ITEMS)));
    f.poll("older", items("older", 5000..5010));
    let few = vec![f.key("older"), f.key("newer")];
    let many: Vec<i64> = (1..=view::MERGED_SOURCES as i64 + 1).collect();
    for pinned in [false, true] {
        if pinned {
            let older = f.rows(&View::of(Scope::Sources(few[..1].to_vec())));
            f.store.mark_blocking(Mark::Pinned, vec![older[3].key], true).unwrap();
        }
        for &order in SortOrder::ALL {
            let view = |keys: &Vec<i64>| View { order, ..View::of(Scope::Sources(keys.clone())) };
            let has_phases = matches!(order, SortOrder::PinnedNewest | SortOrder::Best);
            let phases = if has_phases { 2 } else { 1 };
            let (statements, steps) = cost(&f, &view(&few));
            assert!(steps < ITEMS / 4, "{order:?}: items of other sources are read: {steps}");
            // There are few pinned items, so one statement finds them.
            assert!(statements <= 2 * (few.len() + phases - 1), "{order:?}: {statements}");
            let (statements, _) = cost(&f, &view(&many));
            assert!(statements <= 2 * phases, "{order:?}: one for each source: {statements}");
        }
    }
}
