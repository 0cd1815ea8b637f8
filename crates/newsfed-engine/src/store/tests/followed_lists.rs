//! The stored data of followed lists.

use super::upkeep::wait;
use super::*;

fn stored(f: &Fixture) -> Option<FollowedList> {
    f.store.reader().unwrap().followed_list(f.key("list")).unwrap()
}

/// Whether the next poll of a source requests the complete body.
fn asks_for_all(f: &Fixture, id: &str) -> bool {
    let facts = f.store.reader().unwrap().source(f.key(id)).unwrap().unwrap();
    let known = facts.validators != Default::default() || facts.validators_of.is_some();
    !known && facts.body_hash.is_none()
}

fn polled(f: &Fixture) {
    let write = |conn: &rusqlite::Connection| {
        let sql = "UPDATE source SET etag = x'65', validators_of = 'u', body_hash = zeroblob(32)";
        Ok(conn.execute(sql, [])?)
    };
    assert_eq!(f.store.writer().unwrap().call_blocking(write).unwrap(), 2);
}

#[test]
fn stores_applies_and_clears_a_list() {
    let f = Fixture::new(&["list", "other"]);
    let key = f.key("list");
    assert_eq!(stored(&f), None);
    polled(&f);
    wait(f.store.set_listed(key, "one".into(), true, true)).unwrap();
    let listed = FollowedList {
        listed: "one".into(),
        is_whole: true,
        is_confirmed: true,
        ..FollowedList::default()
    };
    assert_eq!((stored(&f).as_ref(), asks_for_all(&f, "list")), (Some(&listed), false));
    wait(f.store.set_taken(key, "taken".into(), Some("1 added".into()))).unwrap();
    let applied = FollowedList {
        taken: "taken".into(),
        changes: "1 added".into(),
        is_confirmed: false,
        ..listed
    };
    assert_eq!(stored(&f).as_ref(), Some(&applied), "the confirmation is used up");
    wait(f.store.set_taken(key, "more".into(), None)).unwrap();
    let applied = FollowedList { taken: "more".into(), ..applied };
    assert_eq!(stored(&f).as_ref(), Some(&applied), "what it changed last stays");
    // A list that was read in part is requested again in full.
    wait(f.store.set_listed(key, "part".into(), false, false)).unwrap();
    assert!(asks_for_all(&f, "list") && !asks_for_all(&f, "other"));
    polled(&f);
    wait(f.store.clear_listed(key)).unwrap();
    let empty = FollowedList { listed: String::new(), is_whole: false, ..applied };
    assert_eq!((stored(&f).as_ref(), asks_for_all(&f, "list")), (Some(&empty), true));
    polled(&f);
    wait(f.store.clear_list(key)).unwrap();
    assert_eq!((stored(&f), asks_for_all(&f, "list")), (None, true));
    assert!(!asks_for_all(&f, "other"));
}

#[test]
fn only_refused_changes_can_be_confirmed() {
    let f = Fixture::new(&["list"]);
    let key = f.key("list");
    let hashes = || stored(&f).map(|list| (list.refused, list.confirmed)).unwrap_or_default();
    let confirm = || wait(f.store.confirm_list(key)).unwrap();
    assert!(!confirm(), "it was never read");
    wait(f.store.set_listed(key, "one".into(), true, false)).unwrap();
    assert!(!confirm(), "nothing was refused");
    let [first, second] = [Some([1; 32]), Some([2; 32])];
    wait(f.store.refuse_list(key, first)).unwrap();
    assert_eq!(hashes(), (first, None));
    assert!(confirm() && hashes() == (first, first));
    wait(f.store.refuse_list(key, second)).unwrap();
    assert_eq!(hashes(), (second, None), "the confirmation was of something else");
    assert!(confirm());
    wait(f.store.refuse_list(key, None)).unwrap();
    assert_eq!(hashes(), (None, None));
    wait(f.store.refuse_list(key, first)).unwrap();
    wait(f.store.set_listed(key, "two".into(), true, false)).unwrap();
    assert_eq!(hashes(), (None, None), "the list has changed");
}
