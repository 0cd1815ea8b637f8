//! Redirects: which ones are stored, when, and how to undo them.

use super::*;
use std::sync::atomic::{AtomicUsize, Ordering};

/// A server with a feed at `/old`. From step 1 on, `/old` redirects with `status` to `/new`, a feed with the
/// item `target`.
fn moving(status: u16, target: &'static str) -> (Server, Arc<AtomicUsize>) {
    let step = Arc::new(AtomicUsize::new(0));
    let now = step.clone();
    let server =
        Server::start(move |request| match (request.path.as_str(), now.load(Ordering::SeqCst)) {
            ("/old", 0) => feed(&[("1", "One"), ("2", "Two")]),
            ("/old", _) => Reply::status(status).header("location", "/new"),
            _ => feed(&[(target, "At the target")]).header("etag", "\"new\""),
        })
        .unwrap();
    (server, step)
}

async fn moved_to(engine: &Handle) -> Option<String> {
    facts(engine, "s").await.moved_to
}

#[tokio::test]
async fn stores_permanent_redirects_to_the_same_feed_immediately() {
    // (is a new source, status, item at the target, redirect is stored)
    let cases = [
        (true, 301, "unknown", true),
        (true, 308, "unknown", true),
        (true, 302, "unknown", false),
        (true, 307, "unknown", false),
        (false, 301, "2", true),
        (false, 308, "2", true),
        (false, 302, "2", false),
        (false, 301, "unknown", false),
    ];
    for (new, status, target, remembered) in cases {
        let case = format!("new {new}, {status}, {target}");
        let (server, step) = moving(status, target);
        let home = Home::with(&[source("s", &server.url("/old"))]);
        let engine = home.on_demand().await;
        if !new {
            sync_one(&engine, Pace::Manual).await;
        }
        step.store(1, Ordering::SeqCst);
        sync_one(&engine, Pace::Manual).await;
        let want = remembered.then(|| server.url("/new"));
        assert_eq!(moved_to(&engine).await, want, "{case}");
        let before = server.requests().len();
        sync_one(&engine, Pace::Manual).await;
        let requested = paths_requested(&server)[before..].join(" ");
        assert_eq!(requested, if remembered { "/new" } else { "/old /new" }, "{case}");
        let last = server.requests().pop().unwrap();
        assert_eq!(last.header("if-none-match"), Some(b"\"new\"".as_slice()), "{case}");
        engine.shutdown().await;
    }
}

#[tokio::test]
async fn trusts_an_unknown_target_after_a_day() {
    // Each response of the target has another item, so the redirect could be that of a captive portal.
    let count = Arc::new(AtomicUsize::new(0));
    let polls = count.clone();
    let server = Server::start(move |request| {
        let n = polls.load(Ordering::SeqCst);
        match (request.path.as_str(), n) {
            ("/old", 0) => feed(&[("1", "One")]),
            ("/old", _) => Reply::status(301).header("location", "/new"),
            _ => feed(&[(&format!("new-{n}"), &format!("New {n}"))]),
        }
    })
    .unwrap();
    let home = Home::with(&[source("s", &server.url("/old"))]);
    let engine = home.on_demand().await;
    let poll = async |after: Duration| {
        home.clock.advance(after);
        sync_one(&engine, Pace::Manual).await;
        count.fetch_add(1, Ordering::SeqCst);
        moved_to(&engine).await
    };
    for after in [Duration::ZERO, HOUR, HOUR, HOUR, HOUR] {
        assert_eq!(poll(after).await, None, "an evening in a hotel");
    }
    assert_eq!(poll(DAY).await, Some(server.url("/new")), "a day and many polls");

    let key = facts(&engine, "s").await.key;
    engine.undo_move(key).await.unwrap();
    assert_eq!(facts(&engine, "s").await.move_refused, Some(server.url("/new")));
    for after in [HOUR, DAY, DAY, DAY] {
        assert_eq!(poll(after).await, None, "reverted by the user");
    }
    assert!(paths_requested(&server).ends_with(&["/old".to_owned(), "/new".to_owned()]));
    engine.shutdown().await;
}

#[tokio::test]
async fn redirect_loops_and_long_chains_end() {
    let server = Server::start(|request| match request.path.as_str() {
        "/circle" => Reply::status(301).header("location", "/back"),
        "/back" => Reply::status(301).header("location", "/circle"),
        path => Reply::status(301).header("location", format!("{path}x")),
    })
    .unwrap();
    let home = Home::with(&[
        source("circle", &server.url("/circle")),
        source("long", &server.url("/long")),
    ]);
    let engine = home.on_demand().await;
    let all = sync(&engine, Pace::Manual).await;
    assert!(failure(&all["circle"]).unwrap().contains("loop"), "{all:?}");
    assert!(failure(&all["long"]).unwrap().contains("more than 5 times"), "{all:?}");
    assert_eq!(server.requests().len(), 2 + 6);
    engine.shutdown().await;
}
