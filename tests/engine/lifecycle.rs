//! Starting and stopping, two engines at once, and adding and removing sources.

use super::*;
use newsfed::config::FileChange;
use newsfed::demo::server::Failure;
use newsfed::engine::ProcessRole;

#[tokio::test]
async fn shutdown_does_not_wait_for_a_silent_server() {
    let ips = hosts(20);
    let alive = ips[19];
    let server = Server::start_on(&ips, move |request| {
        if request.ip == alive {
            feed(&[("1", "Kept")])
        } else {
            Reply::status(200).failing(Failure::NeverAnswer)
        }
    })
    .unwrap();
    let sources: Vec<_> =
        (0..).zip(&ips).map(|(n, ip)| source(&format!("s{n}"), &server.url_on(*ip, "/"))).collect();
    let mut home = Home::with(&sources);
    home.settings.net.max_in_flight = 64;
    let engine = home.following().await;
    soon(engine.status().wait_for(|s| s.done == 1)).await.unwrap();
    received(&server, 20).await;
    let reports = engine.refresh(None, Pace::Manual).await;
    // The requests time out after half a minute, but stopping must not take that long.
    tokio::time::timeout(Duration::from_secs(10), engine.shutdown()).await.unwrap();
    assert!(reports.is_closed());
    let engine = home.on_demand().await;
    assert_eq!(titles(&engine), ["Kept"]);
    assert_eq!(facts(&engine, "s0").await.fail_count, 0, "cancelled is not failed");
    engine.shutdown().await;
}

#[tokio::test]
async fn a_second_engine_only_watches() {
    let server = Server::start(|_| feed(&[("1", "One")])).unwrap();
    let home = Home::with(&[source("s", &server.url("/"))]);
    let first = home.following().await;
    assert_eq!(first.status().borrow().role, ProcessRole::Follows);
    settled(&first).await;
    let second = home.following().await;
    assert_eq!(second.status().borrow().role, ProcessRole::Watches(Some(std::process::id())));
    assert_eq!(titles(&second), ["One"]);
    assert!(sync(&second, Pace::Force).await.is_empty());
    second.shutdown().await;
    assert_eq!(server.requests().len(), 1);
    first.shutdown().await;
    let third = home.on_demand().await;
    assert_eq!(third.status().borrow().role, ProcessRole::OnDemand, "the lock is free again");
    third.shutdown().await;
}

#[tokio::test]
async fn polls_a_disabled_source_only_if_named() {
    let server = Server::start(|r| feed(&[(&r.path, &r.path)])).unwrap();
    let off = Source { enabled: false, ..source("off", &server.url("/off")) };
    let home = Home::with(&[source("on", &server.url("/on")), off]);
    let engine = home.following().await;
    settled(&engine).await;
    assert_eq!(paths_requested(&server), ["/on"]);
    let all = sync(&engine, Pace::Manual).await;
    assert_eq!((&all["on"], &all["off"]), (&UNCHANGED, &Refreshed::Disabled));
    let key = facts(&engine, "off").await.key;
    let mut named = engine.refresh(Some(vec![key]), Pace::Manual).await;
    assert_eq!(named.recv().await.unwrap().result, fetched(1, 0, 1));
    engine.shutdown().await;
}

#[tokio::test]
async fn a_source_removed_during_its_poll_stores_nothing() {
    let (open, opened) = std::sync::mpsc::channel::<()>();
    let opened = std::sync::Mutex::new(opened);
    let server = Server::start(move |request| {
        if request.path == "/slow" {
            let _ = opened.lock().unwrap().recv();
        }
        feed(&[(&request.path, &request.path)])
    })
    .unwrap();
    let home = Home::with(&[source("slow", &server.url("/slow"))]);
    let engine = home.on_demand().await;
    let mut reports = engine.refresh(None, Pace::Manual).await;
    received(&server, 1).await;
    let removed = engine.edit(FileChange::Remove(vec![SourceId("slow".to_owned())])).await.unwrap();
    open.send(()).unwrap();
    assert!(matches!(reports.recv().await.unwrap().result, Refreshed::Lost(_)));
    assert_eq!((items(&engine).len(), polls(&engine).len()), (0, 0));
    engine.edit(FileChange::Revert(removed.edits)).await.unwrap();
    open.send(()).unwrap();
    assert_eq!(sync_one(&engine, Pace::Manual).await, fetched(1, 0, 1));
    engine.shutdown().await;
}

#[tokio::test]
async fn removing_and_restoring_keeps_items_and_marks() {
    let server = Server::start(|_| feed(&[("1", "One"), ("2", "Two")])).unwrap();
    let home = Home::with(&[source("s", &server.url("/"))]);
    let engine = home.on_demand().await;
    sync_one(&engine, Pace::Manual).await;
    let key = engine.store().reader().unwrap().last_key().unwrap();
    engine.mark(newsfed::store::Mark::Pinned, vec![key], true).await.unwrap();
    let before = std::fs::read(home.paths().sources_file()).unwrap();
    let removed = engine.edit(FileChange::Remove(vec![SourceId("s".to_owned())])).await.unwrap();
    assert!(engine.sources().await.unwrap().is_empty());
    engine.edit(FileChange::Revert(removed.edits)).await.unwrap();
    assert_eq!(std::fs::read(home.paths().sources_file()).unwrap(), before);
    let facts = facts(&engine, "s").await;
    assert_eq!((facts.items, facts.pinned), (2, 1));
    assert_eq!(sync_one(&engine, Pace::Manual).await, UNCHANGED);
    engine.shutdown().await;
}

/// However the first process ended, the lock becomes free while another process waits for it.
#[tokio::test]
async fn a_watching_process_takes_over_when_the_other_exits() {
    let server = Server::start(|_| feed(&[("1", "One")])).unwrap();
    let home = Home::with(&[source("s", &server.url("/"))]);
    let first = home.following().await;
    let next = settled(&first).await.next.unwrap();
    let second = home.following().await;
    let third = home.on_demand().await;
    let watches = ProcessRole::Watches(Some(std::process::id()));
    home.clock.advance(10 * SECOND);
    assert!(sync(&second, Pace::Force).await.is_empty());
    let before = second.status().borrow().clone();
    assert_eq!((before.role, before.next), (watches, None));
    first.shutdown().await;
    home.clock.advance(10 * SECOND);
    let mut status = second.status();
    soon(status.wait_for(|s| s.role == ProcessRole::Follows)).await.unwrap();
    assert_eq!(settled(&second).await.next, Some(next), "no poll earlier than planned");
    assert_eq!(sync_one(&second, Pace::Manual).await, UNCHANGED);
    home.clock.advance(DAY);
    received(&server, 3).await;
    assert_eq!(third.status().borrow().role, watches, "it polls only on request");
    third.shutdown().await;
    let fourth = home.following().await;
    assert_eq!(fourth.status().borrow().role, watches, "the lock is taken");
    fourth.shutdown().await;
    second.shutdown().await;
}

#[tokio::test]
async fn a_delayed_engine_polls_nothing_until_released() {
    let server = Server::start(|_| feed(&[("1", "One")])).unwrap();
    let home = Home::with(&[source("s", &server.url("/"))]);
    let (engine, held) = home.engine(true).start_held().await.unwrap();
    // Enough turns of the event loop for a poll to begin if the engine were not held.
    for _ in 0..50 {
        engine.begin_visit().await.unwrap();
    }
    assert_eq!(engine.status().borrow().total, 0);
    assert!(server.requests().is_empty());
    drop(held);
    received(&server, 1).await;
    engine.shutdown().await;
    // Shutting down does not wait for tasks that were never started.
    let (engine, _held) = home.engine(true).start_held().await.unwrap();
    soon(engine.shutdown()).await;
    assert_eq!(server.requests().len(), 1);
}
