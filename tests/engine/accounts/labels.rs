//! Tags in newsfed and labels on servers.

use super::*;

type Tags = BTreeMap<i64, Vec<String>>;

/// The tags of items in newsfed and the labels on the server, by item identifier.
fn tags(engine: &Handle, server: &Reader) -> [Tags; 2] {
    let reader = engine.store().reader().unwrap();
    let here = local(engine).into_iter().map(|(id, (key, ..))| {
        let mut tags = reader.tags_of(key).unwrap();
        tags.sort();
        (id, tags)
    });
    let world = server.world();
    let there = world.items.iter().map(|(id, i)| (*id, i.labels.iter().cloned().collect()));
    [here.collect(), there.collect()]
}

fn label(server: &Reader, ids: &[i64], label: &str, to: bool) {
    let mut world = server.world();
    for id in ids {
        let labels = &mut world.items.get_mut(id).unwrap().labels;
        if to {
            labels.insert(label.to_owned());
        } else {
            labels.remove(label);
        }
    }
}

async fn tag(engine: &Handle, ids: &[i64], tag: &str, to: bool) {
    mark(engine, Mark::Tag(tag.to_owned()), ids, to).await;
}

#[tokio::test]
async fn merges_label_changes_from_both_sides() {
    let server = reader(Kind::FreshRss, 2, 20);
    let all = ids(&server);
    label(&server, &all[..6], "Rust é", true);
    label(&server, &all[4..8], "later", true);
    let home = home_of(&server);
    let engine = home.on_demand().await;
    assert_eq!(synced(&engine).await, SyncDone { new: 40, received: 10, ..SyncDone::default() });
    let [here, there] = tags(&engine, &server);
    assert_eq!(here, there);
    assert!(here.values().flatten().all(|tag| !tag.starts_with("Folder")));
    server.world().requests();
    assert_eq!(synced(&engine).await, SyncDone::default());
    assert_eq!(server.world().requests().len(), 3, "labels are read once an hour");
    // Tags are changed locally, on the server, and on both sides.
    tag(&engine, &all[10..12], "RUST E", true).await;
    tag(&engine, &all[10..13], "new", true).await;
    tag(&engine, &all[..2], "Rust é", false).await;
    tag(&engine, &all[20..22], "undone", true).await;
    tag(&engine, &all[20..22], "undone", false).await;
    label(&server, &all[1..3], "Rust é", false);
    label(&server, &all[12..14], "new", true);
    assert_eq!(status_of(&engine).await.waiting, 5);
    engine.shutdown().await;
    let engine = home.on_demand().await;
    let done = synced(&engine).await;
    assert_eq!((done.sent, done.received), (7, 2), "{done:?}");
    let [here, there] = tags(&engine, &server);
    let mut written = here.clone();
    for id in &all[10..12] {
        // The server already has the label with a different spelling.
        assert_eq!(
            written.insert(*id, there[id].clone()),
            Some(vec!["RUST E".into(), "new".into()])
        );
    }
    assert!(there[&all[10]].contains(&"Rust é".to_owned()), "{there:?}");
    assert_eq!(written, there);
    assert_eq!(status_of(&engine).await.waiting, 0);
    home.clock.advance(HOUR);
    assert_eq!(synced(&engine).await, SyncDone::default());
    assert_eq!(tags(&engine, &server), [here, there]);
    engine.shutdown().await;
}

#[tokio::test]
async fn errors_lose_no_labels() {
    let failures =
        [Failure::Status(500), Failure::Drop, Failure::Late, Failure::Lost, Failure::Cut];
    for failure in failures {
        for endpoint in ["tag/list", "edit-tag", "label", "token"] {
            let server = reader(Kind::FreshRss, 1, 20);
            let all = ids(&server);
            label(&server, &all[..6], "one", true);
            let home = home_of(&server);
            let engine = home.on_demand().await;
            synced(&engine).await;
            tag(&engine, &all[5..9], "two", true).await;
            tag(&engine, &all[..2], "one", false).await;
            label(&server, &all[4..5], "one", false);
            server.world().fail(endpoint, failure, 1);
            let _ = try_sync(&engine, false).await;
            server.world().failures.clear();
            synced(&engine).await;
            let [here, there] = tags(&engine, &server);
            assert_eq!(here, there, "{failure:?} {endpoint}");
            let of = |name: &str| here.values().flatten().filter(|tag| *tag == name).count();
            assert_eq!((of("one"), of("two")), (3, 4), "{failure:?} {endpoint}");
            engine.shutdown().await;
        }
    }
}

/// FreshRSS reports success without setting the label, and lists the items of the folder for it.
#[tokio::test]
async fn a_tag_named_like_a_folder_stays_local() {
    let server = reader(Kind::FreshRss, 2, 10);
    let all = ids(&server);
    let home = home_of(&server);
    let engine = home.on_demand().await;
    synced(&engine).await;
    tag(&engine, &all[..1], "folder 1 é&", true).await;
    for _ in 0..2 {
        synced(&engine).await;
        home.clock.advance(HOUR);
    }
    let [here, there] = tags(&engine, &server);
    assert_eq!(here.values().flatten().collect::<Vec<_>>(), ["folder 1 é&"]);
    assert!(there.values().all(Vec::is_empty));
    let status = status_of(&engine).await;
    assert_eq!((status.waiting, status.refused), (0, 1));
    assert!(status.warnings[0].contains("folder"), "{status:?}");
    engine.shutdown().await;
}

#[tokio::test]
async fn a_label_that_loses_many_items_needs_confirmation() {
    let server = reader(Kind::FreshRss, 1, 60);
    let all = ids(&server);
    label(&server, &all[..40], "many", true);
    let home = home_of(&server);
    let engine = home.on_demand().await;
    synced(&engine).await;
    label(&server, &all[..40], "many", false);
    home.clock.advance(HOUR);
    server.world().items.get_mut(&all[50]).unwrap().read = true;
    let result = try_sync(&engine, false).await;
    assert!(matches!(result, Err(AccountError::Labels { lost: 40 })), "{result:?}");
    assert_eq!(tags(&engine, &server)[0].values().flatten().count(), 40);
    assert!(local(&engine)[&all[50]].1, "marks are taken");
    try_sync(&engine, true).await.unwrap();
    assert_eq!(tags(&engine, &server)[0].values().flatten().count(), 0);
    engine.shutdown().await;
}

/// Miniflux has no labels, so tags stay local, and are neither queued nor sent.
#[tokio::test]
async fn tags_stay_local_if_the_server_has_no_labels() {
    let server = reader(Kind::Miniflux, 1, 10);
    let home = home_of(&server);
    let engine = home.on_demand().await;
    synced(&engine).await;
    tag(&engine, &ids(&server)[..3], "x", true).await;
    assert_eq!(status_of(&engine).await.waiting, 0);
    server.world().requests();
    synced(&engine).await;
    assert_eq!(server.world().requests().len(), 3);
    assert_eq!(tags(&engine, &server)[0].values().flatten().count(), 3);
    engine.shutdown().await;
}

/// A new server has no labels. It receives all tags, and removes none in newsfed.
#[tokio::test]
async fn tags_survive_a_new_server() {
    let server = reader(Kind::FreshRss, 2, 30);
    let all = ids(&server);
    label(&server, &all[..5], "one", true);
    let home = home_of(&server);
    let engine = home.on_demand().await;
    synced(&engine).await;
    tag(&engine, &all[3..9], "two", true).await;
    synced(&engine).await;
    let count = |tags: &Tags| tags.values().flatten().count();
    assert_eq!(count(&tags(&engine, &server)[1]), 11);
    server.world().reset();
    engine.request_sync("home", false, true).await.unwrap();
    synced(&engine).await;
    let [here, there] = tags(&engine, &server);
    assert_eq!((here.clone(), count(&here)), (there, 11));
    engine.shutdown().await;
}

#[tokio::test]
async fn synchronises_a_server_that_lists_no_labels() {
    for failure in [Failure::Status(400), Failure::Html] {
        let server = reader(Kind::FreshRss, 1, 10);
        let home = home_of(&server);
        let engine = home.on_demand().await;
        server.world().fail("tag/list", failure, 3);
        assert_eq!(synced(&engine).await.new, 10);
        assert!(status_of(&engine).await.warnings[0].starts_with("labels were not synchronised"));
        tag(&engine, &ids(&server)[..3], "x", true).await;
        synced(&engine).await;
        assert_eq!(status_of(&engine).await.waiting, 3);
        server.world().failures.clear();
        synced(&engine).await;
        assert_eq!(status_of(&engine).await.waiting, 0);
        engine.shutdown().await;
    }
}

#[tokio::test]
async fn labels_are_sanitised_and_survive_a_rebuild() {
    let server = reader(Kind::FreshRss, 1, 10);
    let all = ids(&server);
    label(&server, &all[..2], "bad\u{202e}\u{1b}[2J", true);
    let home = home_of(&server);
    let engine = home.on_demand().await;
    synced(&engine).await;
    let [here, _] = tags(&engine, &server);
    assert_eq!(here[&all[0]], ["bad"]);
    engine.shutdown().await;
    newsfed::store::rebuild(&home.paths().database()).unwrap();
    let engine = home.on_demand().await;
    assert_eq!(status_of(&engine).await.waiting, 0, "the base is known");
    tag(&engine, &all[..1], "bad", false).await;
    synced(&engine).await;
    let [here, there] = tags(&engine, &server);
    assert_eq!((here.values().flatten().count(), there.values().flatten().count()), (1, 1));
    engine.shutdown().await;
}
