//! Moves that fail, are interrupted, or cannot be undone immediately.

use super::moving::{ids_of, local_feed};
use super::*;
use newsfed::config::SourcesFile;
use newsfed::engine::FollowError;
use newsfed::model::Retention;
use newsfed::store::MovedSource;

/// A server with its own feed, and a home directory with the user's own source `one`, which was polled once.
async fn before_moving() -> (Server, Reader, Home, Handle) {
    let feeds = Server::start(local_feed).unwrap();
    let server = reader(Kind::FreshRss, 1, 2);
    let home = home_of(&server);
    home.declare(&[source("one", &feeds.url("/f/1.xml"))]);
    let engine = home.on_demand().await;
    let mut reports = engine.refresh(None, Pace::Manual).await;
    while soon(reports.recv()).await.is_some() {}
    synced(&engine).await;
    (feeds, server, home, engine)
}

async fn moved() -> (Server, Reader, Home, Handle) {
    let world = before_moving().await;
    let moved = world.3.move_to_account("home", &ids_of(&["one"])).await.unwrap();
    assert_eq!((moved.moved.len(), moved.staying.len()), (1, 0), "{moved:?}");
    world
}

/// All sources: identifier, whether the source belongs to an account, and number of items.
async fn sources(engine: &Handle) -> Vec<(String, bool, u32)> {
    let all = engine.sources().await.unwrap();
    let mut all: Vec<_> =
        all.iter().map(|(s, f)| (s.id.0.clone(), s.account.is_some(), f.items)).collect();
    all.sort();
    all
}

fn own(id: &str) -> (String, bool, u32) {
    (id.to_owned(), false, 10)
}

fn urls(server: &Reader) -> Vec<String> {
    server.world().feeds.values().map(|feed| feed.0.clone()).collect()
}

#[tokio::test]
async fn does_not_move_sources_that_would_lose_settings() {
    let (feeds, _server, home, engine) = before_moving().await;
    let mut kept = source("kept", &feeds.url("/f/2.xml"));
    kept.retention = Some(Retention { days: Some(9), ..Retention::default() });
    let mut private = source("private", &feeds.url("/f/3.xml"));
    private.private = true;
    let mut own = source("own", &feeds.url("/f/4.xml"));
    (own.tags, own.color) = (vec!["x".to_owned()], Some(3));
    own.interval = Some(std::time::Duration::from_secs(7200));
    home.declare(&[kept, private, own]);
    engine.reload().await.unwrap();
    let plan = engine.plan_move(None).await.unwrap();
    let moving: Vec<_> = plan.moving.iter().map(|s| (s.id.as_str(), s.dropped.clone())).collect();
    assert_eq!(moving, [("one", vec![]), ("own", vec!["interval"])]);
    let staying: Vec<_> = plan.staying.iter().map(|(id, why)| (id.as_str(), why)).collect();
    let whys = [("kept", "retention"), ("private", "private")];
    for ((id, why), (want, part)) in staying.into_iter().zip(whys) {
        assert!(id == want && why.contains(part), "{id} {why}");
    }
    engine.shutdown().await;
}

#[tokio::test]
async fn does_not_merge_two_sources_with_the_same_feed() {
    let (feeds, server, home, engine) = before_moving().await;
    home.declare(&[source("two", &feeds.url("/f/1.xml?utm_source=x"))]);
    engine.reload().await.unwrap();
    let text = || std::fs::read_to_string(home.paths().sources_file()).unwrap();
    let moved = engine.move_to_account("home", &ids_of(&["one", "two"])).await.unwrap();
    assert_eq!(moved.moved, ids_of(&["one"]));
    assert!(moved.staying[0].1.contains("one"), "{moved:?}");
    assert!(text().contains("utm_source") && !text().contains("f/1.xml\""));
    // The second source is not moved later either.
    let moved = engine.move_to_account("home", &ids_of(&["two"])).await.unwrap();
    assert_eq!((moved.moved.len(), moved.staying.len()), (0, 1), "{moved:?}");
    engine.move_back("home").await.unwrap();
    assert!(text().contains("utm_source") && text().contains("f/1.xml\""));
    assert_eq!(urls(&server), ["http://feeds.example/f/1.xml"]);
    engine.shutdown().await;
}

/// The server has subscribed to the feed, but its list of subscriptions cannot be read.
#[tokio::test]
async fn repeats_or_undoes_a_failed_move() {
    for repeated in [false, true] {
        let (_feeds, server, home, engine) = before_moving().await;
        server.world().fail("subscription/list", Failure::Pass, 1);
        server.world().fail("subscription/list", Failure::Status(500), 3);
        let failed = engine.move_to_account("home", &ids_of(&["one"])).await;
        assert!(matches!(failed, Err(FollowError::Account(_))), "{failed:?}");
        server.world().failures.clear();
        assert_eq!(urls(&server).len(), 2);
        assert!(sources(&engine).await.contains(&own("one")));
        if repeated {
            let moved = engine.move_to_account("home", &ids_of(&["one"])).await.unwrap();
            assert_eq!(moved.moved, ids_of(&["one"]));
        }
        let back = engine.move_back("home").await.unwrap();
        assert_eq!((back.moved.len(), back.staying.len()), (1, 0), "{back:?}");
        assert_eq!(urls(&server), ["http://feeds.example/f/1.xml"], "{repeated}");
        assert!(sources(&engine).await.contains(&own("one")));
        let text = std::fs::read_to_string(home.paths().sources_file()).unwrap();
        assert_eq!(text.matches("[[source]]").count(), 1, "{text}");
        engine.shutdown().await;
    }
}

#[tokio::test]
async fn completes_an_interrupted_move() {
    for in_file in [false, true] {
        let (feeds, server, home, engine) = before_moving().await;
        let store = engine.store();
        let account = store.reader().unwrap().accounts().unwrap()[0].key;
        let all = engine.sources().await.unwrap();
        let one = &all.iter().find(|(s, _)| s.id.as_str() == "one").unwrap().1;
        let url = feeds.url("/f/1.xml");
        server.world().feeds.insert(2, (url.clone(), "One".to_owned(), "News".to_owned()));
        let file = SourcesFile::open(&home.paths());
        let moving = MovedSource {
            source: one.key,
            id: one.id.clone(),
            url,
            stream: Some("feed/2".to_owned()),
            entry: file.entry(&one.id).unwrap().text().to_owned(),
            subscribed: true,
            collected: false,
        };
        store.begin_move(account, vec![moving]).await.unwrap();
        if !in_file {
            file.remove(&ids_of(&["one"])).unwrap();
        }
        engine.shutdown().await;
        let engine = home.on_demand().await;
        home.clock.advance(HOUR);
        synced(&engine).await;
        let now = sources(&engine).await;
        match in_file {
            true => assert!(now.len() == 3 && now.contains(&own("one")), "{now:?}"),
            false => {
                assert!(now.len() == 2 && now.contains(&("one".to_owned(), true, 10)), "{now:?}");
            }
        }
        engine.move_back("home").await.unwrap();
        assert!(sources(&engine).await.contains(&own("one")));
        assert_eq!(urls(&server).len(), 1);
        engine.shutdown().await;
    }
}

#[tokio::test]
async fn moving_back_does_not_affect_another_server() {
    let (_feeds, server, _home, engine) = moved().await;
    let before = sources(&engine).await;
    server.world().reset();
    let there = server.world().feeds.clone();
    let failed = engine.move_back("home").await;
    assert!(failed.unwrap_err().to_string().contains("another server"));
    assert_eq!(server.world().feeds, there);
    assert_eq!(sources(&engine).await, before);
    engine.shutdown().await;
}

fn grow(server: &Reader, feed: i64) {
    let mut world = server.world();
    let now = world.now;
    for number in 1..=10 {
        world.add(feed, number, now, now);
    }
}

#[tokio::test]
async fn moves_back_only_feeds_that_the_server_has_unsubscribed() {
    let (_feeds, server, home, engine) = moved().await;
    grow(&server, 2);
    synced(&engine).await;
    // Pending marks are sent first.
    let id = *local(&engine).keys().next_back().unwrap();
    mark(&engine, Mark::Read, &[id], true).await;
    server.world().stubborn_feed = Some(2);
    let back = engine.move_back("home").await.unwrap();
    assert_eq!((back.moved.len(), back.staying.len()), (0, 1), "{back:?}");
    assert!(back.staying[0].1.contains("still subscribed"));
    assert!(server.world().items[&id].read);
    assert!(sources(&engine).await.contains(&("one".to_owned(), true, 10)));
    let text = std::fs::read_to_string(home.paths().sources_file()).unwrap();
    assert!(!text.contains("[[source]]"), "{text}");
    server.world().stubborn_feed = None;
    let back = engine.move_back("home").await.unwrap();
    assert_eq!((back.moved.len(), back.staying.len()), (1, 0), "{back:?}");
    assert!(sources(&engine).await.contains(&own("one")));
    engine.shutdown().await;
}

/// The user declares another source with the same identifier while the moved source is on the server.
#[tokio::test]
async fn moved_sources_return_with_their_identifiers() {
    let (feeds, _server, home, engine) = moved().await;
    home.declare(&[source("one", &feeds.url("/f/7.xml"))]);
    engine.reload().await.unwrap();
    let back = engine.move_back("home").await.unwrap();
    assert!(back.moved.is_empty() && back.staying[0].1.contains("this id"), "{back:?}");
    SourcesFile::open(&home.paths()).remove(&ids_of(&["one"])).unwrap();
    engine.reload().await.unwrap();
    let back = engine.move_back("home").await.unwrap();
    assert_eq!(back.moved, ids_of(&["one"]));
    assert!(sources(&engine).await.contains(&own("one")));
    engine.shutdown().await;
}

/// All sources return with their items, including sources that the server renamed.
#[tokio::test]
async fn removing_an_account_keeps_moved_sources() {
    let (_feeds, server, home, engine) = moved().await;
    server.world().feeds.get_mut(&2).unwrap().0 = "http://feeds.example/moved".to_owned();
    home.clock.advance(2 * HOUR);
    synced(&engine).await;
    let store = engine.store();
    let account = store.reader().unwrap().accounts().unwrap()[0].key;
    let entries = store.reader().unwrap().moved_sources(account).unwrap();
    let entries: Vec<_> = entries.into_iter().map(|m| (m.id, m.entry)).collect();
    SourcesFile::open(&home.paths()).restore(&entries).unwrap();
    // Another process reads the file before the account is removed.
    engine.reload().await.unwrap();
    let (store, now) = (store.clone(), home.clock.now());
    let remove = move || store.remove_account_blocking("home".to_owned(), now);
    tokio::task::spawn_blocking(remove).await.unwrap().unwrap();
    engine.reload().await.unwrap();
    assert!(sources(&engine).await.contains(&own("one")), "{:?}", sources(&engine).await);
    engine.shutdown().await;
}
