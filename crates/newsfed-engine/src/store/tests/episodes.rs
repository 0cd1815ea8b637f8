//! The queue of episodes.

use super::*;
use crate::model::{Enclosure, EpisodeKey, Progress};

fn episode(guid: &str) -> Entry {
    let file = |kind: &str| Enclosure {
        url: format!("https://a.example/{guid}.{kind}"),
        mime: None,
        ..Enclosure::default()
    };
    Entry { enclosures: vec![file("pdf"), file("mp3"), file("ogg")], ..entry(guid) }
}

#[test]
fn queues_moves_and_plays_episodes() {
    let f = Fixture::new(&["a"]);
    f.poll("a", vec![episode("one"), episode("two"), episode("three"), entry("text")]);
    let rows = f.rows(&View::of(Scope::All));
    let key = |title: &str| rows.iter().find(|row| row.title == title).unwrap().key;
    let (one, two, three) = (key("one"), key("two"), key("three"));
    let mark =
        |items: &[i64], to: bool| f.store.mark_blocking(Mark::Queued, items.to_vec(), to).unwrap();
    let queue = || f.store.reader().unwrap().queue().unwrap();
    let order = || queue().iter().map(|e| e.key.item).collect::<Vec<_>>();
    assert_eq!(mark(&[one, key("text"), two, 999], true), [one, two]);
    assert_eq!(mark(&[one, three], true), [three], "what is in the queue stays where it is");
    assert_eq!(order(), [one, two, three]);
    assert_eq!(queue()[0].key.url, "https://a.example/one.mp3", "the first one that is played");
    assert_eq!(queue()[0].media_type, "audio/mpeg");
    let episode = |item: i64| queue().into_iter().find(|e| e.key.item == item).unwrap().key;
    for (item, by, moved, expected) in [
        (three, -1, -1, [one, three, two]),
        (three, -5, -1, [three, one, two]),
        (three, i64::MAX, 2, [one, two, three]),
        (one, i64::MIN, 0, [one, two, three]),
    ] {
        assert_eq!(f.store.move_in_queue_blocking(episode(item), by).unwrap(), moved);
        assert_eq!(order(), expected);
    }
    let unknown = EpisodeKey { item: one, url: "https://a.example/other".to_owned() };
    assert_eq!(f.store.move_in_queue_blocking(unknown, 1).unwrap(), 0);
    // Progress is kept outside the queue, and a finished episode starts from the beginning.
    let heard = |item: i64, progress: Progress| {
        super::upkeep::wait(f.store.record_progress(episode(item), progress)).unwrap();
    };
    let at = |position: f64| Progress { position, length: Some(100.0), finished: false };
    heard(one, at(42.5));
    heard(one, Progress { length: None, ..at(50.0) });
    assert_eq!(queue()[0].progress, at(50.0));
    mark(&[one], false);
    mark(&[one], true);
    assert_eq!((order(), queue()[0].progress.position), (vec![one, two, three], 50.0));
    let next = || f.store.reader().unwrap().next_episode().unwrap().map(|key| key.item);
    assert_eq!(next(), Some(one));
    heard(three, at(3.0));
    assert_eq!(next(), Some(three), "the one that was heard last");
    heard(two, Progress { finished: true, ..at(99.0) });
    assert_eq!((order(), next()), (vec![one, three], Some(one)));
    mark(&[two], true);
    assert_eq!(queue()[2].progress.position, 0.0);
    // Retention keeps the items in the queue.
    let retention = crate::model::Retention { days: None, items: Some(1), unread: true };
    f.store.mark_blocking(Mark::Queued, vec![three], false).unwrap();
    super::upkeep::wait(f.store.prune(f.key("a"), retention, f.now)).unwrap();
    assert_eq!(order(), [one, two]);
    assert!(!f.rows(&View::of(Scope::All)).iter().any(|row| row.key == three));
}

#[test]
fn the_queue_is_limited() {
    let f = Fixture::new(&["a"]);
    let entries = (0..=MAX_QUEUE).map(|n| episode(&n.to_string())).collect();
    f.poll("a", entries);
    let keys: Vec<i64> = (1..=MAX_QUEUE as i64 + 1).collect();
    let added = f.store.mark_blocking(Mark::Queued, keys, true).unwrap();
    assert_eq!(added.len(), MAX_QUEUE);
}

#[test]
fn removed_episodes_return_to_their_positions() {
    let f = Fixture::new(&["a"]);
    f.poll("a", ["one", "two", "three", "four"].map(episode).to_vec());
    let rows = f.rows(&View::of(Scope::All));
    let key = |title: &str| rows.iter().find(|row| row.title == title).unwrap().key;
    let [one, two, three, four] = ["one", "two", "three", "four"].map(key);
    let order = || -> Vec<i64> {
        let keys = f.store.reader().unwrap().queue_keys().unwrap();
        keys.into_iter().map(|key| key.item).collect()
    };
    let remove = |items: Option<Vec<i64>>| f.store.remove_from_queue_blocking(items).unwrap();
    let restore = || f.store.restore_queue_blocking().unwrap();
    let sorted = |mut items: Vec<i64>| {
        items.sort_unstable();
        items
    };
    assert_eq!(restore(), None);
    f.store.mark_blocking(Mark::Queued, vec![one, two, three, four], true).unwrap();
    assert_eq!(remove(Some(vec![999])), [0; 0]);
    assert_eq!(remove(Some(vec![three, one])), sorted(vec![one, three]));
    assert_eq!(remove(Some(vec![four])), [four]);
    assert_eq!(order(), [two]);
    assert_eq!((restore(), order()), (Some(vec![four]), vec![two, four]));
    assert_eq!(restore(), Some(sorted(vec![one, three])));
    assert_eq!((order(), restore()), (vec![one, two, three, four], None));
    // An episode that was queued again separately keeps its position.
    remove(None);
    f.store.mark_blocking(Mark::Queued, vec![three], true).unwrap();
    assert_eq!(restore(), Some(sorted(vec![one, two, four])));
    assert_eq!(sorted(order()), sorted(vec![one, two, three, four]));
    // The same items return to their positions when they are queued again.
    remove(Some(vec![order()[0], order()[2]]));
    let left = order();
    let gone: Vec<i64> =
        [one, two, three, four].into_iter().filter(|it| !left.contains(it)).collect();
    assert_eq!(
        f.store.mark_blocking(Mark::Queued, gone.clone(), true).unwrap(),
        sorted(gone.clone())
    );
    assert_eq!((order()[1], order()[3]), (left[0], left[1]));
}

#[test]
fn queued_episodes_have_the_details_of_their_files() {
    let f = Fixture::new(&["a"]);
    let file = |name: &str, mime: Option<&str>, seconds| Enclosure {
        url: format!("https://a.example/{name}"),
        mime: mime.map(str::to_owned),
        seconds,
        ..Enclosure::default()
    };
    let with = |title: &str, enclosures| Entry { enclosures, ..entry(title) };
    let text = file("notes.pdf", Some("application/pdf"), Some(1));
    let entries = vec![
        with("stated", vec![text.clone(), file("play?id=1", Some("audio/opus"), Some(90))]),
        with("by its name", vec![text, file("b.mp3", None, None)]),
    ];
    f.poll("a", entries);
    let rows = f.rows(&View::of(Scope::All));
    let keys: Vec<i64> = rows.iter().map(|row| row.key).collect();
    f.store.mark_blocking(Mark::Queued, keys, true).unwrap();
    let queue = f.store.reader().unwrap().queue().unwrap();
    let mut stated: Vec<_> =
        queue.iter().map(|e| (e.title.as_str(), e.media_type.as_str(), e.stated)).collect();
    stated.sort_unstable();
    assert_eq!(stated, [("by its name", "audio/mpeg", None), ("stated", "audio/opus", Some(90))]);
}
