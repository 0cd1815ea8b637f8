//! Problems with servers, passwords and large changes.

use super::*;
use newsfed::api::{Api, set_password};
use newsfed::engine::ProcessRole;
use newsfed::serve::{HttpServer, Limits};
use tokio_util::sync::CancellationToken;

/// Waits until a request to this endpoint has arrived.
async fn requested(server: &Reader, endpoint: &str) {
    let arrived = || server.world().log.iter().any(|(name, _)| name.contains(endpoint));
    let wait = async {
        while !arrived() {
            tokio::task::yield_now().await;
        }
    };
    soon(wait).await;
}

/// Waits until the latest background synchronisation has failed (if `failed`) or succeeded.
async fn noted(engine: &Handle, failed: bool) {
    let mut status = engine.status();
    let is_so = |s: &Status| s.accounts.first().is_some_and(|n| n.problem.is_some() == failed);
    soon(status.wait_for(is_so)).await.unwrap();
}

#[tokio::test]
async fn quitting_does_not_wait_for_a_server() {
    let server = reader(Kind::FreshRss, 1, 5);
    server.world().fail("items/ids", Failure::Stall, 9);
    let home = home_of(&server);
    let engine = home.following().await;
    requested(&server, "items/ids").await;
    let within = tokio::time::timeout(20 * SECOND, engine.shutdown());
    within.await.expect("a request may take a minute");
    server.world().failures.clear();
    // Quitting also stops a requested synchronisation.
    let engine = home.on_demand().await;
    server.world().fail("items/ids", Failure::Stall, 9);
    server.world().log.clear();
    let stopping = async {
        requested(&server, "items/ids").await;
        engine.shutdown().await;
    };
    let both = async { tokio::join!(try_sync(&engine, false), stopping) };
    let (result, ()) = tokio::time::timeout(20 * SECOND, both).await.unwrap();
    assert!(matches!(result, Err(AccountError::Stopped)), "{result:?}");
    server.world().failures.clear();
    let engine = home.on_demand().await;
    synced(&engine).await;
    assert_eq!(local(&engine).len(), 5);
    engine.shutdown().await;
}

#[tokio::test]
async fn uses_a_login_from_another_process_at_once() {
    let server = reader(Kind::FreshRss, 1, 5);
    let mut home = home_of(&server);
    let account = &mut home.settings.accounts[0];
    let file = account.password_file.take().unwrap();
    account.password_command = vec!["cat".to_owned(), file.clone()];
    std::fs::write(&file, "hush-hush").unwrap();
    let engine = home.following().await;
    noted(&engine, true).await;
    std::fs::write(&file, PASSWORD).unwrap();
    let other = home.on_demand().await;
    assert!(matches!(other.status().borrow().role, ProcessRole::Watches(_)));
    other.log_in_account("home").await.unwrap();
    other.shutdown().await;
    noted(&engine, false).await;
    assert_eq!(local(&engine).len(), 5);
    engine.shutdown().await;
}

#[tokio::test]
async fn rereads_a_changed_password() {
    let server = reader(Kind::FreshRss, 1, 5);
    let mut home = home_of(&server);
    let account = &mut home.settings.accounts[0];
    let file = account.password_file.take().unwrap();
    account.password_command = vec!["cat".to_owned(), file.clone()];
    std::fs::write(&file, "hush-hush").unwrap();
    let engine = home.on_demand().await;
    assert!(matches!(try_sync(&engine, false).await, Err(AccountError::Refused)));
    std::fs::write(&file, PASSWORD).unwrap();
    assert_eq!(synced(&engine).await.new, 5);
    engine.shutdown().await;
}

#[tokio::test]
async fn a_synchronisation_does_not_overwrite_a_newer_login() {
    let home = Home::new();
    let store = home.store();
    let open = || store.open_account("home".into(), "http://a.example".into(), "alice".into());
    let mut running = open().await.unwrap();
    let mut login = running.clone();
    login.auth = Some("new".to_owned());
    store.save_login(login).await.unwrap();
    store.request_sync(running.key, true, false).await.unwrap();
    (running.auth, running.state) = (None, r#"{"stopped":true}"#.to_owned());
    store.save_account(running, true).await.unwrap();
    let after = open().await.unwrap();
    assert_eq!((after.auth.as_deref(), after.requested, after.accept), (Some("new"), 2, true));
    store.save_account(after, true).await.unwrap();
    assert!(!open().await.unwrap().accept, "what was accepted is done");
    store.close();
}

#[tokio::test]
async fn items_that_arrive_late_are_discovered_when_stored() {
    let server = reader(Kind::FreshRss, 1, 5);
    let home = home_of(&server);
    let engine = home.on_demand().await;
    synced(&engine).await;
    home.clock.advance(HOUR);
    let now = engine.now();
    let ago = now.timestamp() - 20 * 60;
    let id = server.world().add(1, 99, ago - 60, ago);
    synced(&engine).await;
    let key = local(&engine)[&id].0;
    let item = engine.store().reader().unwrap().item(key).unwrap().unwrap();
    assert_eq!(item.discovered, now);
    engine.shutdown().await;
}

#[tokio::test]
async fn an_empty_list_of_subscriptions_removes_nothing() {
    for kind in KINDS {
        let server = reader(kind, 6, 3);
        let home = home_of(&server);
        let engine = home.on_demand().await;
        synced(&engine).await;
        server.world().hidden = (1..=6).collect();
        home.clock.advance(HOUR);
        let result = try_sync(&engine, false).await;
        assert!(matches!(result, Err(AccountError::OtherServer)), "{result:?}");
        assert_eq!(engine.sources().await.unwrap().len(), 6);
        server.world().hidden = vec![1, 2, 3, 4, 5];
        synced(&engine).await;
        assert_eq!(engine.sources().await.unwrap().len(), 1, "one is the same");
        engine.shutdown().await;
    }
}

#[tokio::test]
async fn one_rejected_mark_does_not_block_the_others() {
    for kind in KINDS {
        let server = reader(kind, 1, 60);
        let all = ids(&server);
        let home = home_of(&server);
        let engine = home.on_demand().await;
        synced(&engine).await;
        server.world().rejected = Some(all[20]);
        mark(&engine, Mark::Read, &all[..50], true).await;
        for tries in 1..=3 {
            synced(&engine).await;
            let status = status_of(&engine).await;
            let want = if tries == 3 { (0, 1) } else { (1, 0) };
            assert_eq!((status.waiting, status.refused), want, "{kind:?} {tries}");
        }
        let read = server.world().items.values().filter(|item| item.read).count();
        assert_eq!(read, 49);
        engine.shutdown().await;
    }
}

/// The server has received the first change, but the user reverts the mark before newsfed receives the
/// response.
#[tokio::test]
async fn keeps_a_mark_that_is_reverted_during_the_request() {
    for kind in KINDS {
        let server = reader(kind, 1, 10);
        let all = ids(&server);
        server.world().items.get_mut(&all[1]).unwrap().starred = true;
        let home = home_of(&server);
        let engine = home.on_demand().await;
        synced(&engine).await;
        for to in [true, false] {
            mark(&engine, Mark::Read, &all[..1], to).await;
            mark(&engine, Mark::Pinned, &all[1..2], !to).await;
            if to {
                server.world().fail("items/ids", Failure::Html, 1);
                assert!(try_sync(&engine, false).await.is_err());
                assert!(server.world().items[&all[0]].read);
            }
            assert_eq!(status_of(&engine).await.waiting, 2, "{kind:?} {to}");
        }
        synced(&engine).await;
        synced(&engine).await;
        let [here, there] = marks(&engine, &server);
        assert_eq!(here, there);
        assert_eq!((here[&all[0]], here[&all[1]]), ((false, false), (false, true)), "{kind:?}");
        assert_eq!(status_of(&engine).await.waiting, 0);
        engine.shutdown().await;
    }
}

#[tokio::test]
async fn synchronises_items_that_reappear() {
    for kind in KINDS {
        let server = reader(kind, 1, 50);
        let all = ids(&server);
        let home = home_of(&server);
        let engine = home.on_demand().await;
        synced(&engine).await;
        let kept = server.world().items.clone();
        for id in &all[..10] {
            server.world().items.remove(id);
        }
        home.clock.advance(DAY);
        assert_eq!(synced(&engine).await.gone, 10);
        server.world().items = kept.clone();
        server.world().items.get_mut(&all[3]).unwrap().starred = true;
        mark(&engine, Mark::Read, &all[..3], true).await;
        synced(&engine).await;
        synced(&engine).await;
        let [here, there] = marks(&engine, &server);
        assert_eq!(here, there, "{kind:?}");
        assert_eq!((here[&all[0]], here[&all[3]]), ((true, false), (false, true)));
        // A sudden loss of most items is refused until it is confirmed.
        server.world().items = kept.into_iter().filter(|(id, _)| *id > all[30]).collect();
        home.clock.advance(DAY);
        let result = try_sync(&engine, false).await;
        assert!(matches!(result, Err(AccountError::Missing { missing: 31, known: 50 })));
        assert_eq!(marks(&engine, &server)[0], here);
        assert_eq!(try_sync(&engine, true).await.unwrap().gone, 31);
        engine.shutdown().await;
    }
}

#[tokio::test]
async fn skips_an_item_that_is_too_large() {
    for kind in KINDS {
        let server = reader(kind, 2, 40);
        let all = ids(&server);
        server.world().heavy = Some(all[37]);
        let home = home_of(&server);
        let engine = home.on_demand().await;
        assert_eq!(synced(&engine).await.new, 79, "{kind:?}");
        let status = status_of(&engine).await;
        let id = all[37].to_string();
        assert!(status.warnings.len() == 1 && status.warnings[0].contains(&id), "{status:?}");
        server.world().requests();
        synced(&engine).await;
        assert_eq!(server.world().requests().len(), 3, "it is not requested again");
        home.clock.advance(8 * DAY);
        synced(&engine).await;
        assert!(status_of(&engine).await.warnings.is_empty());
        engine.shutdown().await;
    }
}

#[tokio::test]
async fn fetches_unstorable_items_only_once() {
    for kind in KINDS {
        let server = reader(kind, 3, 10);
        server.world().feeds.get_mut(&2).unwrap().0 = "ftp://feeds.example/".to_owned();
        server.world().hidden = vec![3];
        let home = home_of(&server);
        let engine = home.on_demand().await;
        assert_eq!(synced(&engine).await.new, 10, "{kind:?}");
        assert_eq!(status_of(&engine).await.left_out, 1);
        server.world().requests();
        synced(&engine).await;
        assert_eq!(server.world().requests().len(), 3, "{kind:?}");
        let rows = || engine.store().reader().unwrap().remote_items(1).unwrap().len();
        assert_eq!(rows(), 30);
        // When the server removes the items, they are forgotten.
        server.world().items.retain(|_, item| item.feed != 3);
        home.clock.advance(DAY);
        synced(&engine).await;
        assert_eq!(rows(), 20);
        engine.shutdown().await;
    }
}

#[tokio::test]
async fn a_token_may_expire_several_times() {
    let server = reader(Kind::FreshRss, 1, 500);
    let all = ids(&server);
    for id in &all[..200] {
        let mut world = server.world();
        let item = world.items.get_mut(id).unwrap();
        (item.read, item.starred) = (true, true);
    }
    let home = home_of(&server);
    let engine = home.on_demand().await;
    synced(&engine).await;
    mark(&engine, Mark::Read, &all[..200], false).await;
    mark(&engine, Mark::Pinned, &all[..200], false).await;
    mark(&engine, Mark::Read, &all[200..400], true).await;
    mark(&engine, Mark::Pinned, &all[200..400], true).await;
    for _ in 0..5 {
        server.world().fail("edit-tag", Failure::Status(401), 1);
        server.world().fail("edit-tag", Failure::Pass, 1);
    }
    synced(&engine).await;
    assert!(server.world().failures.is_empty());
    let [here, there] = marks(&engine, &server);
    assert_eq!(here, there);
    engine.shutdown().await;
}

#[tokio::test]
async fn retries_items_after_the_complete_list_failed() {
    let server = reader(Kind::FreshRss, 1, 10);
    let home = home_of(&server);
    let engine = home.on_demand().await;
    synced(&engine).await;
    home.clock.advance(DAY);
    synced(&engine).await;
    // Only the complete list contains this item.
    let id = {
        let mut world = server.world();
        let old = world.now - 30 * 86_400;
        let id = world.add(1, 99, old, old);
        world.items.get_mut(&id).unwrap().read = true;
        id
    };
    home.clock.advance(DAY);
    server.world().fail("contents", Failure::Html, 1);
    assert!(try_sync(&engine, false).await.is_err());
    assert_eq!(synced(&engine).await.new, 1);
    assert!(local(&engine).contains_key(&id));
    engine.shutdown().await;
}

#[tokio::test]
async fn accepts_large_changes_while_newsfed_is_running() {
    let server = reader(Kind::FreshRss, 1, 40);
    for item in server.world().items.values_mut() {
        item.starred = true;
    }
    let home = home_of(&server);
    let engine = home.following().await;
    noted(&engine, false).await;
    for item in server.world().items.values_mut() {
        item.starred = false;
    }
    let other = home.on_demand().await;
    other.request_sync("home", false, false).await.unwrap();
    noted(&engine, true).await;
    assert!(status_of(&other).await.problem.unwrap().contains("--accept"));
    other.request_sync("home", true, false).await.unwrap();
    noted(&engine, false).await;
    assert!(local(&engine).values().all(|(_, _, pinned)| !pinned));
    assert!(!engine.store().reader().unwrap().accounts().unwrap()[0].accept);
    other.shutdown().await;
    engine.shutdown().await;
}

#[tokio::test]
async fn newsfed_reads_items_from_newsfed_serve() {
    let feeds = Server::start(|_| feed(&[("1", "One \u{ff06} all"), ("2", "Two")])).unwrap();
    let mut far = Home::with(&[source("s", &feeds.url("/"))]);
    far.settings.serve.user = "alice".to_owned();
    let collector = far.on_demand().await;
    sync_one(&collector, Pace::Manual).await;
    let store = collector.store().clone();
    let set = move || set_password(&store, PASSWORD);
    tokio::task::spawn_blocking(set).await.unwrap().unwrap();
    let serving = HttpServer::bind(([127, 0, 0, 1], 0).into(), Limits::default()).await.unwrap();
    let address = serving.address().unwrap();
    let (api, stop) = (Api::new(collector.clone()), CancellationToken::new());
    let served = tokio::spawn(serving.run(move |r| api.clone().respond(r), stop.clone()));
    let unused = reader(Kind::FreshRss, 1, 1);
    let mut home = home_of(&unused);
    home.settings.accounts[0].url = format!("http://{address}/api/greader.php");
    let engine = home.on_demand().await;
    assert_eq!(synced(&engine).await.new, 2);
    assert_eq!(status_of(&engine).await.server, Some("newsfed"));
    assert!(titles(&engine).contains(&"One \u{ff06} all".to_owned()), "{:?}", titles(&engine));
    let keys: Vec<i64> = local(&engine).into_values().map(|(key, ..)| key).collect();
    engine.mark(Mark::Read, vec![keys[0]], true).await.unwrap();
    engine.mark(Mark::Pinned, vec![keys[1]], true).await.unwrap();
    assert_eq!(synced(&engine).await.sent, 2);
    assert_eq!(status_of(&engine).await.waiting, 0);
    let there: Vec<(bool, bool)> = items(&collector).iter().map(|i| (i.read, i.pinned)).collect();
    let here: Vec<(bool, bool)> = items(&engine).iter().map(|i| (i.read, i.pinned)).collect();
    assert_eq!(there, here);
    engine.shutdown().await;
    stop.cancel();
    served.await.unwrap();
    collector.shutdown().await;
}
