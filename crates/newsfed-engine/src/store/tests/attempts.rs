//! Recording polls that begin, and noticing other processes.

use super::upkeep::wait;
use super::*;

/// The interface would read everything again if the revision increased.
#[test]
fn recording_a_started_poll_keeps_the_revision() {
    let f = Fixture::new(&["a"]);
    let key = f.store.reader().unwrap().sources().unwrap()[0].key;
    let before = *f.store.revision().borrow();
    wait(f.store.clear_begun_poll(Some(key))).unwrap();
    wait(f.store.begin_poll(key, f.now, |_| true)).unwrap();
    wait(f.store.clear_begun_poll(None)).unwrap();
    assert_eq!(*f.store.revision().borrow(), before);
    // The poll is not recorded if the check of the stored facts fails.
    assert!(wait(f.store.begin_poll(key, f.now, |_| false)).unwrap().is_some());
    let outcome = Outcome::Unchanged;
    assert_eq!(wait(f.store.fail_unfinished_polls(outcome, |_, _| ())).unwrap(), 0);
    assert_eq!(wait(f.store.begin_poll(99, f.now, |_| true)).unwrap(), None);
    wait(f.store.begin_poll(key, f.now, |_| true)).unwrap();
    let outcome = Outcome::Unchanged;
    assert_eq!(wait(f.store.fail_unfinished_polls(outcome.clone(), |_, _| ())).unwrap(), 1);
    assert_eq!(wait(f.store.fail_unfinished_polls(outcome, |_, _| ())).unwrap(), 0);
    assert!(*f.store.revision().borrow() > before);
}

/// A caller that has the reply also sees the new revision.
#[test]
fn the_revision_grows_before_the_reply() {
    let f = Fixture::new(&["a"]);
    let revision = f.store.revision();
    for round in 0..300 {
        let before = *revision.borrow();
        wait(f.store.set_memo("round", round.to_string())).unwrap();
        assert_eq!(*revision.borrow(), before + 1, "round {round}");
    }
}

#[test]
fn notices_writes_by_other_processes() {
    let f = Fixture::new(&["a"]);
    let other = Store::open(f.store.path()).unwrap();
    let version = wait(f.store.foreign_version()).unwrap();
    wait(f.store.set_memo("own", "1".to_owned())).unwrap();
    assert_eq!(wait(f.store.foreign_version()).unwrap(), version);
    wait(other.set_memo("theirs", "1".to_owned())).unwrap();
    assert_ne!(wait(f.store.foreign_version()).unwrap(), version);
}
