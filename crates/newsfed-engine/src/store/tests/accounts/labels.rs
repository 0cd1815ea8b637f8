//! Tags of items as labels on servers.

use super::items::{arrived, store};
use super::*;
use crate::greader::RemoteId;
use std::collections::HashSet;

fn ids(numbers: &[i64]) -> Vec<RemoteId> {
    numbers.iter().map(|number| RemoteId::Number(*number)).collect()
}

/// An account with `count` items, whose titles are their numbers.
fn numbered(count: i64) -> (Fixture, i64) {
    let (f, account) = account(&["a"]);
    let item = |n: i64| arrived(&f, n, entry(&n.to_string()), Marks::default());
    store(&f, account, (1..=count).map(item).collect(), false);
    (f, account)
}

fn seen(tag: &str, items: impl IntoIterator<Item = i64>) -> SeenLabel {
    let items = items.into_iter().map(RemoteId::Number).collect();
    SeenLabel { form: tag_form(tag), tag: tag.to_owned(), items }
}

fn merge(f: &Fixture, account: i64, seen: Vec<SeenLabel>, sent: &[(&str, i64)]) -> MergedLabels {
    let sent: HashSet<_> =
        sent.iter().map(|(form, n)| ((*form).to_owned(), RemoteId::Number(*n))).collect();
    wait(f.store.merge_labels(account, seen, sent, false)).unwrap()
}

fn waiting(f: &Fixture, account: i64) -> Vec<WaitingLabel> {
    f.store.reader().unwrap().waiting_labels(account, 3).unwrap()
}

fn label(tag: &str, to: bool, items: &[i64]) -> WaitingLabel {
    WaitingLabel { form: tag_form(tag), tag: tag.to_owned(), to, items: ids(items) }
}

/// The titles of the items with a tag, sorted.
fn tagged(f: &Fixture, tag: &str) -> Vec<String> {
    let view = View { criteria: criteria(&format!("tag:{tag}")), ..View::of(Scope::All) };
    let mut titles = f.titles(&view);
    titles.sort();
    titles
}

fn untag(f: &Fixture, tag: &str, title: &str) {
    let key = key_of(f, "a", title);
    f.store.mark_blocking(Mark::Tag(tag.to_owned()), vec![key], false).unwrap();
}

#[test]
fn tags_are_sent_and_received() {
    let (f, account) = numbered(4);
    f.set(Mark::Tag("Sea".into()), "1");
    f.set(Mark::Tag("Sea".into()), "2");
    f.set(Mark::Tag("Air".into()), "2");
    assert_eq!(waiting(&f, account), [label("Air", true, &[2]), label("Sea", true, &[1, 2])]);
    wait(f.store.begin_sending_label(account, "sea".into(), ids(&[1]))).unwrap();
    // The server lists a label that was sent, a label that was not, and a label of its own.
    let lists = |sea: &[i64], air: &[i64]| {
        vec![seen("Sea", sea.iter().copied()), seen("Air", air.iter().copied())]
    };
    assert_eq!(
        merge(&f, account, lists(&[1, 2, 3, 99], &[]), &[("sea", 1)]),
        MergedLabels::Taken(1)
    );
    assert_eq!(tagged(&f, "Sea"), ["1", "2", "3"]);
    assert_eq!(waiting(&f, account), [label("Air", true, &[2])]);
    // A label that only one side removes is removed.
    untag(&f, "Sea", "1");
    assert_eq!(waiting(&f, account), [label("Air", true, &[2]), label("Sea", false, &[1])]);
    assert_eq!(merge(&f, account, lists(&[1, 3], &[]), &[]), MergedLabels::Taken(1));
    assert_eq!(tagged(&f, "Sea"), ["3"]);
    wait(f.store.begin_sending_label(account, "sea".into(), ids(&[1]))).unwrap();
    assert_eq!(merge(&f, account, lists(&[3], &[]), &[("sea", 1)]), MergedLabels::Taken(0));
    assert_eq!(waiting(&f, account), [label("Air", true, &[2])]);
    // A tag that is sent without effect is given up, until it is changed here again.
    for _ in 0..3 {
        assert_eq!(waiting(&f, account).len(), 1);
        merge(&f, account, lists(&[3], &[]), &[("air", 2)]);
    }
    assert_eq!(waiting(&f, account), []);
    merge(&f, account, lists(&[3], &[2]), &[]);
    untag(&f, "Air", "2");
    assert_eq!(waiting(&f, account), [label("Air", false, &[2])]);
    wait(f.store.keep_tags_here(account, "air".into(), 3)).unwrap();
    assert_eq!(waiting(&f, account), []);
    // A label that the server no longer lists.
    f.set(Mark::Tag("Air".into()), "4");
    assert_eq!(merge(&f, account, vec![seen("Air", [2])], &[]), MergedLabels::Taken(1));
    assert_eq!((tagged(&f, "Sea").len(), tagged(&f, "Air")), (0, vec!["4".to_owned()]));
}

#[test]
fn removing_many_tags_needs_confirmation() {
    for (all, lost, is_many) in [(20, 20, false), (21, 21, true), (210, 21, false), (209, 21, true)]
    {
        let (f, account) = numbered(all);
        let tag = |from: i64| vec![seen("Sea", from..=all)];
        assert_eq!(merge(&f, account, tag(1), &[]), MergedLabels::Taken(all as usize));
        let count = lost as usize;
        let want = match is_many {
            true => MergedLabels::TooMany { lost: count },
            false => MergedLabels::Taken(count),
        };
        assert_eq!(merge(&f, account, tag(lost + 1), &[]), want, "{lost} of {all}");
        let accepted = f.store.merge_labels(account, tag(lost + 1), HashSet::new(), true);
        let rest = if is_many { count } else { 0 };
        assert_eq!(wait(accepted).unwrap(), MergedLabels::Taken(rest));
        assert_eq!(tagged(&f, "Sea").len(), (all - lost) as usize);
    }
}
