//! The data for statistics.

use super::rules::{rule, use_rules};
use super::*;

#[test]
fn reads_items_since_a_time_newest_first() {
    let mut f = Fixture::new(&["a", "b"]);
    let day = chrono::TimeDelta::days(1);
    let first = f.now;
    f.poll("a", vec![entry("1"), entry("2")]);
    f.now += day;
    f.poll("b", vec![entry("3")]);
    let reader = f.store.reader().unwrap();
    let since = |since: Time| {
        let mut sources = Vec::new();
        assert!(reader.items_since(since, |item| sources.push(item.source)).unwrap());
        sources
    };
    assert_eq!(since(first), [f.key("b"), f.key("a"), f.key("a")]);
    assert_eq!(since(f.now), [f.key("b")]);
    assert!(since(f.now + day).is_empty());
}

#[test]
fn items_marked_read_by_a_rule_do_not_count() {
    let f = Fixture::new(&["a"]);
    let rules = [("hides", "sport", &["hide"]), ("reads", "weather", &["read"])];
    use_rules(&f, rules.iter().map(|(name, query, does)| rule(name, query, *does)).collect());
    f.poll("a", vec![entry("sport"), entry("weather"), entry("news"), entry("more news")]);
    f.set(Mark::Read, "news");
    let mut read = Vec::new();
    f.store.reader().unwrap().items_since(f.now, |item| read.push(item.read)).unwrap();
    assert_eq!(read.iter().filter(|read| **read).count(), 1);
}

#[test]
fn sums_up_time_and_bytes_of_polls() {
    let f = Fixture::new(&["a"]);
    let key = f.key("a");
    for (status, millis, bytes, failed) in [
        (200, 100, 3000, false),
        (304, 20, 100, false),
        (304, 30, 100, false),
        (500, 900, 10, true),
    ] {
        let mut poll = f.finished(key, vec![]);
        let outcome = Outcome::Failed {
            kind: crate::model::ErrorKind::Transient,
            message: "down".to_owned(),
        };
        poll.entries = None;
        poll.record.status = Some(status);
        (poll.record.millis, poll.record.bytes) = (millis, bytes);
        poll.record.outcome = if failed { outcome } else { Outcome::Unchanged };
        let writer = f.store.writer().unwrap();
        writer.call_blocking(move |conn| ingest::store(conn, &poll, &Rules::default())).unwrap();
    }
    let costs = f.store.reader().unwrap().poll_costs(f.now).unwrap();
    let want =
        PollCosts { polls: 4, failed: 1, millis: 50, bytes: 3210, unchanged: 2, bytes_saved: 6000 };
    assert_eq!(costs[&key], want);
    let later = f.now + chrono::TimeDelta::seconds(1);
    assert!(f.store.reader().unwrap().poll_costs(later).unwrap().is_empty());
}
