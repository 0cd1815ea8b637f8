//! Changes to subscriptions that the user makes in newsfed.

use super::*;
use newsfed::config::FileChange;
use newsfed::engine::FollowError;

/// Titles and folders by URL, in newsfed and on the server.
async fn subscriptions(
    engine: &Handle,
    server: &Reader,
) -> [BTreeMap<String, (String, String)>; 2] {
    let all = engine.sources().await.unwrap();
    let here = all.iter().map(|(source, facts)| {
        let folder = source.folder.clone().unwrap();
        let folder = folder.strip_prefix("home").unwrap().trim_matches('/').to_owned();
        (source.url.to_string(), (facts.title(source).to_owned(), folder))
    });
    let world = server.world();
    let there = world
        .feeds
        .values()
        .map(|(url, title, folder)| (url.clone(), (title.clone(), folder.clone())));
    [here.collect(), there.collect()]
}

async fn id_of(engine: &Handle, url: &str) -> SourceId {
    let all = engine.sources().await.unwrap();
    all.iter().find(|(source, _)| source.url.as_str().ends_with(url)).unwrap().0.id.clone()
}

async fn edit(engine: &Handle, id: &SourceId, key: &str, value: &str) {
    let change = SourceChange::default().set(key, value);
    engine.edit(FileChange::Sources(vec![(id.clone(), change)])).await.unwrap();
}

#[tokio::test]
async fn changes_are_queued_and_sent_in_order() {
    for kind in KINDS {
        let server = reader(kind, 4, 5);
        let home = home_of(&server);
        let engine = home.on_demand().await;
        synced(&engine).await;
        let (one, two) = (id_of(&engine, "1.xml").await, id_of(&engine, "2.xml").await);
        let three = id_of(&engine, "3.xml").await;
        edit(&engine, &one, "title", "Wrong").await;
        edit(&engine, &one, "title", "Harbour / port").await;
        edit(&engine, &two, "folder", "home/Daily").await;
        edit(&engine, &two, "title", "Two, daily").await;
        engine.edit(FileChange::Remove(vec![three.clone()])).await.unwrap();
        let new = "http://feeds.example/new.xml".parse().unwrap();
        let (title, folder) = (Some("Fresh".to_owned()), Some("home/Daily".to_owned()));
        engine.subscribe_at("home", &new, title, folder).await.unwrap();
        // The changes are visible at once, even after a restart, and even if the server still lists the old
        // values.
        engine.shutdown().await;
        let engine = home.on_demand().await;
        assert_eq!(status_of(&engine).await.changes.len(), 5);
        let [here, _] = subscriptions(&engine, &server).await;
        server.world().fail("subscription/edit", Failure::Lost, 2);
        home.clock.advance(HOUR);
        synced(&engine).await;
        let [after, _] = subscriptions(&engine, &server).await;
        assert!(here.iter().all(|(url, of)| after.get(url) == Some(of)), "{kind:?}: {after:?}");
        synced(&engine).await;
        let [here, there] = subscriptions(&engine, &server).await;
        assert_eq!(here, there, "{kind:?}");
        let titles: Vec<&str> = here.values().map(|(title, _)| title.as_str()).collect();
        assert_eq!(titles, ["Harbour / port", "Two, daily", "Feed 4", "Fresh"]);
        assert_eq!(here["http://feeds.example/f/2.xml"].1, "Daily");
        assert_eq!(status_of(&engine).await.changes, [""; 0]);
        server.world().requests();
        synced(&engine).await;
        assert_eq!(server.world().requests().len(), 3, "nothing is sent again");
        engine.shutdown().await;
    }
}

#[tokio::test]
async fn undoes_a_change_that_the_server_repeatedly_ignores() {
    let server = reader(Kind::FreshRss, 3, 5);
    let home = home_of(&server);
    let engine = home.on_demand().await;
    synced(&engine).await;
    let before = subscriptions(&engine, &server).await;
    let (one, two) = (id_of(&engine, "1.xml").await, id_of(&engine, "2.xml").await);
    server.world().stubborn = true;
    edit(&engine, &one, "title", "Other").await;
    edit(&engine, &one, "folder", "").await;
    engine.edit(FileChange::Remove(vec![two])).await.unwrap();
    let bad = "http://feeds.example/bad".parse().unwrap();
    engine.subscribe_at("home", &bad, None, None).await.unwrap();
    for tries in 1..=3 {
        assert_ne!(subscriptions(&engine, &server).await, before);
        assert_eq!(status_of(&engine).await.changes.len(), 4, "{tries}");
        synced(&engine).await;
    }
    let status = status_of(&engine).await;
    assert_eq!(subscriptions(&engine, &server).await, before);
    assert_eq!((status.changes.len(), status.warnings.len()), (0, 4), "{status:?}");
    assert!(status.warnings.iter().any(|w| w.contains("http://feeds.example/bad: the server did")));
    assert!(status.warnings.iter().any(|w| w.contains("(no feed)")), "{status:?}");
    engine.shutdown().await;
}

#[tokio::test]
async fn undoes_changes_in_newsfed_and_on_the_server() {
    let server = reader(Kind::FreshRss, 2, 5);
    let home = home_of(&server);
    let engine = home.on_demand().await;
    synced(&engine).await;
    let before = subscriptions(&engine, &server).await;
    let one = id_of(&engine, "1.xml").await;
    for sent in [false, true] {
        let change = SourceChange::default().set("title", "Other").set("folder", "home/X");
        let titled = engine.edit(FileChange::Sources(vec![(one.clone(), change)])).await.unwrap();
        let removed = engine.edit(FileChange::Remove(vec![one.clone()])).await.unwrap();
        assert!(titled.edits.is_empty() && removed.collected.len() == 1);
        if sent {
            synced(&engine).await;
            assert_eq!(server.world().feeds.len(), 1);
        }
        let again = engine.edit(FileChange::Collected(removed.collected)).await.unwrap();
        let redone = engine.edit(FileChange::Collected(again.collected)).await.unwrap();
        engine.edit(FileChange::Collected(redone.collected)).await.unwrap();
        engine.edit(FileChange::Collected(titled.collected)).await.unwrap();
        let [here, _] = subscriptions(&engine, &server).await;
        assert_eq!(here, before[0]);
        synced(&engine).await;
        synced(&engine).await;
        assert_eq!(subscriptions(&engine, &server).await, before, "{sent}");
        assert_eq!(status_of(&engine).await.changes, [""; 0]);
        assert_eq!(items(&engine).len(), 10, "items come back with their source");
    }
    engine.shutdown().await;
}

#[tokio::test]
async fn stores_local_settings_of_account_sources_in_the_file() {
    let server = reader(Kind::FreshRss, 2, 1);
    let home = home_of(&server);
    let engine = home.on_demand().await;
    synced(&engine).await;
    let id = id_of(&engine, "1.xml").await;
    for change in [
        SourceChange::default().set("interval", "2h"),
        SourceChange::default().set("enabled", "off"),
        SourceChange::default().set("title", ""),
    ] {
        let result = engine.edit(FileChange::Sources(vec![(id.clone(), change)])).await;
        assert!(matches!(result, Err(FollowError::Account(_))), "{result:?}");
    }
    assert_eq!(status_of(&engine).await.changes, [""; 0]);
    let own = async |engine: &Handle| {
        let all = engine.sources().await.unwrap();
        let source = all.iter().find(|(source, _)| source.id == id).unwrap().0.clone();
        (source.tags.clone(), source.color, source.full_text, source.retention)
    };
    let before = own(&engine).await;
    let change = SourceChange::default().add_tags(["x".to_owned()]).set("color", "3");
    let change = change.set("title", "Kernel").set("full_text", "all");
    let done = engine.edit(FileChange::Sources(vec![(id.clone(), change)])).await.unwrap();
    assert_eq!((done.edits.len(), done.collected.len()), (1, 1));
    let text = || std::fs::read_to_string(home.paths().sources_file()).unwrap();
    assert!(text().contains("account = \"home\"") && !text().contains("title"), "{}", text());
    assert_eq!(own(&engine).await.0, ["x"]);
    assert_eq!(own(&engine).await.1, Some(3));
    // The form shows the setting, and changes another key of the entry.
    let base = engine.source_section(&id).await.unwrap();
    assert!(base.text().contains("color = 3"), "{}", base.text());
    let changes = vec![newsfed::config::KeyChange {
        path: vec!["retention".to_owned(), "days".to_owned()],
        value: Some("9".to_owned()),
    }];
    engine.edit(FileChange::Section { base, changes }).await.unwrap();
    assert_eq!(own(&engine).await.3.unwrap().days, Some(9));
    assert_eq!(text().matches("[[source]]").count(), 1, "{}", text());
    // The setting is kept across synchronisations, a restart, and a new URL of the feed.
    server.world().feeds.get_mut(&1).unwrap().0 = "http://feeds.example/new.xml".to_owned();
    home.clock.advance(2 * HOUR);
    synced(&engine).await;
    engine.shutdown().await;
    let engine = home.on_demand().await;
    assert_eq!(own(&engine).await.0, ["x"]);
    assert_eq!(status_of(&engine).await.unused, []);
    let undone = engine.edit(FileChange::Revert(done.edits)).await;
    assert!(undone.is_err(), "the entry was changed since");
    // Removing the subscription keeps the entry, and reports it as unused.
    engine.edit(FileChange::Remove(vec![id.clone()])).await.unwrap();
    synced(&engine).await;
    assert_eq!(status_of(&engine).await.unused.len(), 1);
    assert!(text().contains("tags"));
    assert_ne!(before.0, ["x"]);
    engine.shutdown().await;
}

#[tokio::test]
async fn the_form_changes_titles_on_the_server() {
    let server = reader(Kind::FreshRss, 1, 1);
    let home = home_of(&server);
    let engine = home.on_demand().await;
    synced(&engine).await;
    let id = id_of(&engine, "1.xml").await;
    // The form contains the title and the folder.
    let base = engine.source_section(&id).await.unwrap();
    let changes = vec![newsfed::config::KeyChange {
        path: vec!["title".to_owned()],
        value: Some("\"Harbour\"".to_owned()),
    }];
    engine.edit(FileChange::Section { base, changes }).await.unwrap();
    synced(&engine).await;
    assert_eq!(server.world().feeds[&1].1, "Harbour");
    engine.shutdown().await;
}

/// The list of subscriptions is read only once an hour, and there are too few items to identify the server.
#[tokio::test]
async fn does_not_send_changes_to_another_server() {
    for kind in KINDS {
        for same_url in [true, false] {
            let server = reader(kind, 2, 2);
            let mut home = home_of(&server);
            let engine = home.on_demand().await;
            synced(&engine).await;
            let (one, two) = (id_of(&engine, "1.xml").await, id_of(&engine, "2.xml").await);
            edit(&engine, &one, "title", "Other").await;
            engine.edit(FileChange::Remove(vec![two])).await.unwrap();
            engine.shutdown().await;
            let other = reader(kind, 2, 2);
            let world = if same_url { &server } else { &other };
            world.world().reset();
            home.settings.accounts[0].url = world.url.clone();
            let before = world.world().feeds.clone();
            let engine = home.on_demand().await;
            for _ in 0..2 {
                let result = try_sync(&engine, false).await;
                assert!(matches!(result, Err(AccountError::OtherServer)), "{kind:?} {result:?}");
                assert_eq!(world.world().feeds, before, "{kind:?} {same_url}");
            }
            assert_eq!(status_of(&engine).await.changes.len(), 2);
            engine.shutdown().await;
        }
    }
}

#[tokio::test]
async fn pending_removals_apply_to_a_relinked_server() {
    let server = reader(Kind::FreshRss, 2, 2);
    let home = home_of(&server);
    let engine = home.on_demand().await;
    synced(&engine).await;
    engine.edit(FileChange::Remove(vec![id_of(&engine, "1.xml").await])).await.unwrap();
    server.world().reset();
    engine.request_sync("home", false, true).await.unwrap();
    synced(&engine).await;
    let left: Vec<String> = server.world().feeds.values().map(|feed| feed.0.clone()).collect();
    assert_eq!(left, ["http://feeds.example/f/2.xml"]);
    engine.shutdown().await;
}

#[tokio::test]
async fn a_failing_change_does_not_stop_the_others() {
    for failure in [Failure::Status(503), Failure::Status(413), Failure::Cut, Failure::Drop] {
        let server = reader(Kind::FreshRss, 2, 5);
        let home = home_of(&server);
        let engine = home.on_demand().await;
        synced(&engine).await;
        let before = subscriptions(&engine, &server).await;
        let (one, two) = (id_of(&engine, "1.xml").await, id_of(&engine, "2.xml").await);
        edit(&engine, &one, "title", "Never").await;
        edit(&engine, &two, "title", "Harbour").await;
        server.world().stubborn_feed = Some(1);
        for tries in 1..=3 {
            // Other requests are retried, so they must fail three times.
            let times = if failure == Failure::Status(413) { 1 } else { 3 };
            server.world().fail("subscription/edit", failure, times);
            let now = server.world().now;
            server.world().add(1, 100 + tries, now, now);
            assert_eq!(synced(&engine).await.new, 1, "{failure:?} {tries}");
            server.world().failures.clear();
            assert_eq!(server.world().feeds[&2].1, "Harbour", "{failure:?}");
        }
        let status = status_of(&engine).await;
        assert_eq!((status.changes.len(), status.warnings.len()), (0, 1), "{status:?}");
        let [here, _] = subscriptions(&engine, &server).await;
        assert_eq!(here["http://feeds.example/f/1.xml"], before[0]["http://feeds.example/f/1.xml"]);
        engine.shutdown().await;
    }
}

/// Failed attempts are counted only if other requests to the server succeed.
#[tokio::test]
async fn does_not_undo_changes_if_the_server_is_unreachable() {
    let server = reader(Kind::FreshRss, 1, 5);
    let home = home_of(&server);
    let engine = home.on_demand().await;
    synced(&engine).await;
    let one = id_of(&engine, "1.xml").await;
    edit(&engine, &one, "title", "Harbour").await;
    for _ in 0..4 {
        server.world().fail("subscription/list", Failure::Pass, 1);
        server.world().fail("subscription/edit", Failure::Drop, 3);
        server.world().fail("subscription/list", Failure::Status(500), 3);
        assert!(try_sync(&engine, false).await.is_err());
        server.world().failures.clear();
        assert_eq!(status_of(&engine).await.changes.len(), 1);
    }
    synced(&engine).await;
    assert_eq!(server.world().feeds[&1].1, "Harbour");
    engine.shutdown().await;
}

/// If the user had not removed the sources, the server would be taken for a different one.
#[tokio::test]
async fn all_sources_can_be_removed() {
    let server = reader(Kind::FreshRss, 6, 1);
    let home = home_of(&server);
    let engine = home.on_demand().await;
    synced(&engine).await;
    let all = engine.sources().await.unwrap();
    let ids = all.iter().map(|(source, _)| source.id.clone()).collect();
    engine.edit(FileChange::Remove(ids)).await.unwrap();
    synced(&engine).await;
    synced(&engine).await;
    assert_eq!(server.world().feeds.len(), 0);
    engine.shutdown().await;
}
