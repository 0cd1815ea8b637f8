//! Changed settings also apply to a check that is already planned.

use super::*;
use newsfed::config::SourceChange;
use std::sync::atomic::{AtomicUsize, Ordering};

const MAX_AGE: &str = "max-age=5400";

fn sources_of(server: &Server) -> Vec<Source> {
    ["/plain", "/fresh", "/fails"]
        .map(|path| source(&path[1..], &server.url(path)))
        .into_iter()
        .collect()
}

fn server() -> Server {
    Server::start(|request| match request.path.as_str() {
        "/fails" => Reply::status(500),
        "/fresh" => feed(&[("f", "F")]).header("etag", "\"x\"").header("cache-control", MAX_AGE),
        path => feed(&[(path, path)]).header("etag", "\"x\""),
    })
    .unwrap()
}

/// The minutes between the last poll (at the start of the clock) and the next poll.
async fn wait(engine: &Handle, home: &Home, id: &str) -> i64 {
    let facts = facts(engine, id).await;
    let wait = facts.next_poll.unwrap() - home.clock.now();
    assert_eq!(facts.planned.unwrap().next, facts.next_poll.unwrap(), "{id}");
    wait.num_minutes()
}

async fn set(engine: &Handle, home: &Home, id: &str, key: &'static str, value: &str) {
    let change = SourceChange::default().set(key, value);
    home.file().update(&[SourceId(id.to_owned())], &change).unwrap();
    engine.reload().await.unwrap();
}

#[tokio::test]
async fn a_changed_interval_moves_the_next_check() {
    let server = server();
    let home = Home::with(&sources_of(&server));
    let engine = home.on_demand().await;
    sync(&engine, Pace::Manual).await;
    let before = wait(&engine, &home, "plain").await;
    assert!((60..=61).contains(&before), "{before}");
    assert!((90..=91).contains(&wait(&engine, &home, "fresh").await));
    let failing = wait(&engine, &home, "fails").await;
    for id in ["plain", "fresh", "fails"] {
        set(&engine, &home, id, "interval", "3h").await;
    }
    for id in ["plain", "fresh"] {
        let later = wait(&engine, &home, id).await;
        assert!((180..=181).contains(&later), "{id}: {later}");
    }
    for id in ["plain", "fresh", "fails"] {
        set(&engine, &home, id, "interval", "10m").await;
    }
    let sooner = wait(&engine, &home, "plain").await;
    assert!((10..=11).contains(&sooner), "{sooner}");
    // The server's limits and the backoff still apply.
    assert_eq!(wait(&engine, &home, "fresh").await, 90);
    assert_eq!(wait(&engine, &home, "fails").await, failing);
    let reasons = facts(&engine, "fresh").await.planned.unwrap().moved_by;
    assert_eq!(reasons.iter().map(|m| m.reason).collect::<Vec<_>>(), [PauseReason::MaxAge]);
    assert_eq!(server.requests().len(), 3, "nothing was polled for that");
    engine.shutdown().await;
}

#[tokio::test]
async fn settings_changed_while_stopped_apply_at_startup() {
    let server = server();
    let mut home = Home::with(&sources_of(&server));
    let engine = home.on_demand().await;
    sync(&engine, Pace::Manual).await;
    let planned = facts(&engine, "plain").await;
    engine.shutdown().await;
    // With the same settings, the plan does not change.
    let engine = home.on_demand().await;
    assert_eq!(facts(&engine, "plain").await, planned);
    engine.shutdown().await;
    home.settings.schedule.interval = 4 * HOUR;
    home.clock.advance(HOUR);
    let engine = home.on_demand().await;
    let left = wait(&engine, &home, "plain").await;
    assert!((180..=181).contains(&left), "four hours after the poll: {left}");
    engine.shutdown().await;
}

#[tokio::test]
async fn a_pause_of_the_host_outlasts_changed_settings() {
    let server = Server::start(|request| match request.path.as_str() {
        "/limited" => Reply::status(429).header("retry-after", "7200"),
        path => feed(&[(path, path)]).header("etag", "\"x\""),
    })
    .unwrap();
    let home =
        Home::with(&[source("a", &server.url("/a")), source("limited", &server.url("/limited"))]);
    let engine = home.on_demand().await;
    for id in ["a", "limited"] {
        let key = facts(&engine, id).await.key;
        let mut reports = engine.refresh(Some(vec![key]), Pace::Manual).await;
        while soon(reports.recv()).await.is_some() {}
    }
    let paused = facts(&engine, "a").await.pause;
    assert!(paused.is_some());
    set(&engine, &home, "a", "interval", "10m").await;
    let after = facts(&engine, "a").await;
    assert_eq!(after.pause, paused);
    assert!(after.due().unwrap() >= paused.unwrap().until);
    engine.shutdown().await;
}

#[tokio::test]
async fn a_response_without_max_age_clears_the_earlier_one() {
    let count = Arc::new(AtomicUsize::new(0));
    let polls = count.clone();
    let server = Server::start(move |_| match polls.fetch_add(1, Ordering::SeqCst) {
        0 => feed(&[("a", "A")]).header("etag", "\"x\"").header("cache-control", MAX_AGE),
        // After a 304, the earlier max-age still applies.
        1 => Reply::status(304),
        n => feed(&[("b", &format!("B {n}"))]),
    })
    .unwrap();
    let home = Home::with(&[source("s", &server.url("/"))]);
    let engine = home.on_demand().await;
    for (poll, applies) in [(0, true), (1, true), (2, false)] {
        sync(&engine, Pace::Force).await;
        set(&engine, &home, "s", "interval", if poll == 1 { "11m" } else { "10m" }).await;
        let wait = wait(&engine, &home, "s").await;
        assert_eq!(wait >= 85, applies, "{poll}: {wait}");
        set(&engine, &home, "s", "interval", "1h").await;
    }
    assert_eq!(count.load(Ordering::SeqCst), 3);
    engine.shutdown().await;
}

#[tokio::test]
async fn settings_changed_during_a_poll_apply_afterwards() {
    let (requested, mut is_requested) = tokio::sync::mpsc::unbounded_channel();
    let (go, wait_for_go) = std::sync::mpsc::channel::<()>();
    let wait_for_go = std::sync::Mutex::new(wait_for_go);
    let server = Server::start(move |_| {
        let _ = requested.send(());
        let _ = wait_for_go.lock().unwrap().recv();
        feed(&[("a", "A")])
    })
    .unwrap();
    let home = Home::with(&[Source { interval: Some(20 * HOUR), ..source("s", &server.url("/")) }]);
    let engine = home.on_demand().await;
    let polls = tokio::spawn({
        let engine = engine.clone();
        async move { sync(&engine, Pace::Force).await.len() }
    });
    is_requested.recv().await.unwrap();
    set(&engine, &home, "s", "interval", "30m").await;
    go.send(()).unwrap();
    assert_eq!(polls.await.unwrap(), 1);
    let wait = wait(&engine, &home, "s").await;
    assert!((30..=31).contains(&wait), "{wait}");
    engine.shutdown().await;
}
