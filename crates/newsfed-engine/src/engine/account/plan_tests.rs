use super::*;

fn marks(text: &str) -> Marks {
    Marks { read: text.contains('r'), pinned: text.contains('p') }
}

fn item(id: i64, base: &str, ours: &str) -> RemoteItem {
    let (base, ours) = (marks(base), marks(ours));
    let sent = Marks::default();
    RemoteItem { remote: RemoteId::Number(id), base, sent, ours, tries: 0, gone: false }
}

fn lists(unread: &[i64], starred: &[i64]) -> Lists {
    let set = |ids: &[i64]| ids.iter().map(|id| RemoteId::Number(*id)).collect();
    Lists { unread: set(unread), starred: set(starred) }
}

#[test]
fn marks_are_sent_by_kind_with_limited_retries() {
    let mut known = vec![
        item(1, "", "r"),
        item(2, "r", ""),
        item(3, "", "rp"),
        item(4, "p", ""),
        item(5, "r", "r"),
    ];
    known.push(RemoteItem { tries: MAX_TRIES, ..item(6, "", "r") });
    known.push(RemoteItem { gone: true, ..item(7, "", "r") });
    // The mark was sent, and has been changed back since.
    known.push(RemoteItem { sent: marks("r"), ..item(8, "", "") });
    let push = |state, to, ids: &[i64]| Push {
        state,
        to,
        items: ids.iter().map(|id| RemoteId::Number(*id)).collect(),
    };
    let want = [
        push(RemoteMark::Read, true, &[1, 3]),
        push(RemoteMark::Read, false, &[2, 8]),
        push(RemoteMark::Starred, true, &[3]),
        push(RemoteMark::Starred, false, &[4]),
    ];
    assert_eq!(pushes(&known), want);
}

#[test]
fn batch_and_page_sizes_adapt_to_the_server() {
    let seconds = Duration::from_secs;
    assert_eq!(next_batch(100, Duration::from_millis(20)), 200);
    assert_eq!(next_batch(200, Duration::from_millis(20)), LARGEST_BATCH);
    assert_eq!((next_batch(100, seconds(5)), next_batch(100, seconds(11))), (100, 50));
    assert_eq!(
        (next_page(250, 1 << 20, seconds(1)), next_page(1000, 1 << 20, seconds(1))),
        (500, 1000)
    );
    assert_eq!(
        (next_page(500, 8 << 20, seconds(1)), next_page(500, 17 << 20, seconds(1))),
        (500, 250)
    );
}

#[test]
fn merges_only_differences() {
    let known = [item(1, "", ""), item(2, "r", "r"), item(3, "", "r"), item(4, "p", "p")];
    let seen_of = |lists: &Lists, sent: &[i64]| -> Vec<(i64, String)> {
        let sent = sent.iter().map(|id| RemoteId::Number(*id)).collect();
        let describe = |s: &SeenMarks| {
            let RemoteId::Number(id) = s.remote else { panic!() };
            let read = if s.theirs.read { "r" } else { "" };
            (id, format!("{read}{}", if s.theirs.pinned { "p" } else { "" }))
        };
        seen(&known, lists, &sent).iter().map(describe).collect()
    };
    assert_eq!(seen_of(&lists(&[1, 3, 4], &[4]), &[]), []);
    assert_eq!(
        seen_of(&lists(&[1, 3, 4], &[4]), &[3]),
        [(3, String::new())],
        "sent without effect"
    );
    assert_eq!(seen_of(&lists(&[1, 4], &[4]), &[3]), [(3, "r".to_owned())]);
    let all = [(1, "r".to_owned()), (2, String::new()), (4, "rp".to_owned())];
    assert_eq!(seen_of(&lists(&[2, 3], &[4]), &[]), all);
}

#[test]
fn rejects_too_many_changed_pins() {
    let pinned: Vec<RemoteItem> = (0..300).map(|id| item(id, "p", "p")).collect();
    let all: Vec<i64> = (0..300).collect();
    assert_eq!(check_pins(&pinned, &lists(&[], &all)), Ok(()));
    assert_eq!(check_pins(&pinned, &lists(&[], &all[..270])), Ok(()), "10 %");
    let lost = TooManyPins { lost: 31, gained: 0 };
    assert_eq!(check_pins(&pinned, &lists(&[], &all[..269])), Err(lost));
    let few: Vec<RemoteItem> = (0..20).map(|id| item(id, "p", "p")).collect();
    assert_eq!(check_pins(&few, &lists(&[], &[])), Ok(()), "20 are few");
    // The server lists all its items instead of the starred ones.
    let none: Vec<RemoteItem> = (0..300).map(|id| item(id, "", "")).collect();
    let gained = TooManyPins { lost: 0, gained: 300 };
    assert_eq!(check_pins(&none, &lists(&[], &all)), Err(gained));
    // Items that were unpinned locally are not lost.
    let ours: Vec<RemoteItem> = (0..300).map(|id| item(id, "p", "")).collect();
    assert_eq!(check_pins(&ours, &lists(&[], &[])), Ok(()));
}

#[test]
fn suspects_a_different_server() {
    let strange = |known: &[RemoteItem], unread: &[i64], starred: &[i64]| {
        let lists = lists(unread, starred);
        is_strange(known, &lists, &seen(known, &lists, &HashSet::new()))
    };
    let unread: Vec<RemoteItem> = (0..9).map(|id| item(id, "", "")).collect();
    assert!(strange(&unread, &[100, 101], &[]));
    assert!(!strange(&unread, &[100, 3], &[]), "one is known");
    assert!(!strange(&unread[..4], &[100], &[]), "few would change");
    // A new server also numbers its items from 1.
    let read: Vec<RemoteItem> = (0..9).map(|id| item(id, "r", "r")).collect();
    assert!(strange(&read, &[0, 1, 2, 3, 4], &[]));
    assert!(!strange(&read, &[0, 1, 2, 3], &[]));
}

#[test]
fn rejects_removing_most_items_at_once() {
    let cases = [(20, 20, false), (21, 30, true), (21, 42, false), (22, 43, true), (0, 0, false)];
    for (missing, known, want) in cases {
        assert_eq!(are_too_many_missing(missing, known), want, "{missing} of {known}");
    }
}
