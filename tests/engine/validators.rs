//! Conditional requests over several polls and restarts.

use super::*;
use newsfed::config::FileChange;
use newsfed::model::Validators;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

type Sent = Option<&'static [u8]>;

/// A server with scripted responses: status, `ETag` and `Last-Modified`.
fn scripted(script: &'static [(u16, Sent, Sent)]) -> Server {
    let count = AtomicUsize::new(0);
    Server::start(move |_| {
        let n = count.fetch_add(1, Ordering::SeqCst);
        let (status, etag, modified) = script[n.min(script.len() - 1)];
        // The body differs in each response, so that only the validators matter.
        let reply = match status {
            200 => feed(&[(&n.to_string(), "Title")]),
            other => Reply::status(other),
        };
        let reply = etag.into_iter().fold(reply, |r, v| r.header("etag", v));
        modified.into_iter().fold(reply, |r, v| r.header("last-modified", v))
    })
    .unwrap()
}

#[tokio::test]
async fn sends_validators_byte_for_byte_after_restarts() {
    const ODD: &[u8] = b"W/\"caf\xe9, -gzip\"";
    const DATE: &[u8] = b"Thursday, 01-Jan-70 00:00:00 +0200";
    // For each poll: the response, and the validators expected in the request.
    const SCRIPT: &[(u16, Sent, Sent)] = &[
        (200, Some(ODD), Some(DATE)),
        (304, None, None),
        (304, Some(b"\"renewed\""), None),
        (200, None, Some(b"yesterday")),
        (500, Some(b"\"of the error page\""), None),
        (200, None, None),
        (200, Some(b"unquoted"), None),
        (200, None, None),
    ];
    let carried: [(Sent, Sent); 8] = [
        (None, None),
        (Some(ODD), Some(DATE)),
        (Some(ODD), Some(DATE)),
        (Some(b"\"renewed\""), Some(DATE)),
        (None, Some(b"yesterday")),
        (None, Some(b"yesterday")),
        (None, None),
        (Some(b"unquoted"), None),
    ];
    let server = scripted(SCRIPT);
    let home = Home::with(&[source("s", &server.url("/feed"))]);
    for _ in SCRIPT {
        // Each poll uses a new engine.
        let engine = home.on_demand().await;
        sync_one(&engine, Pace::Manual).await;
        engine.shutdown().await;
    }
    let seen = server.requests();
    assert_eq!(seen.len(), SCRIPT.len());
    for (n, (request, want)) in seen.iter().zip(carried).enumerate() {
        let got = (request.header("if-none-match"), request.header("if-modified-since"));
        assert_eq!(got, want, "poll {n}");
    }
}

#[tokio::test]
async fn sends_a_full_request_after_eight_days_of_304() {
    let server = Server::start(|request| {
        let reply = if is_conditional(request) { Reply::status(304) } else { feed(&[("1", "A")]) };
        reply.header("etag", "\"stuck\"")
    })
    .unwrap();
    let home = Home::with(&[source("s", &server.url("/"))]);
    let engine = home.on_demand().await;
    for _ in 0..=18 {
        sync_one(&engine, Pace::Manual).await;
        home.clock.advance(DAY / 2 + MINUTE);
    }
    let full: Vec<_> = (0..).zip(server.requests()).filter(|(_, r)| !is_conditional(r)).collect();
    let polls: Vec<_> = full.iter().map(|(n, _)| *n).collect();
    assert_eq!(polls, [0, 16], "one full request after eight days, then conditional again");
    engine.shutdown().await;
}

#[tokio::test]
async fn a_changed_url_resets_facts_but_keeps_items() {
    let server = Server::start(|_| feed(&[("1", "One")]).header("etag", "\"x\"")).unwrap();
    let home = Home::with(&[source("s", &server.url("/old"))]);
    let engine = home.on_demand().await;
    sync_one(&engine, Pace::Manual).await;
    let change = newsfed::config::SourceChange::default().set("url", &server.url("/new"));
    engine.edit(FileChange::Sources(vec![(SourceId("s".to_owned()), change)])).await.unwrap();
    assert_eq!(facts(&engine, "s").await.validators, Validators::default());
    assert_eq!(sync_one(&engine, Pace::Manual).await, fetched(0, 0, 1));
    assert!(!is_conditional(&server.requests()[1]));
    assert_eq!(
        (paths_requested(&server), titles(&engine).len()),
        (vec!["/old".into(), "/new".into()], 1)
    );
    engine.shutdown().await;
}

#[tokio::test]
async fn a_304_without_stored_data_is_a_failure() {
    let always = Arc::new(AtomicBool::new(true));
    let script = always.clone();
    let server = Server::start(move |_| match script.load(Ordering::SeqCst) {
        true => Reply::status(304),
        false => feed(&[("1", "One")]),
    })
    .unwrap();
    let home = Home::with(&[source("s", &server.url("/"))]);
    let engine = home.on_demand().await;
    let refreshed = sync_one(&engine, Pace::Manual).await;
    assert!(failure(&refreshed).unwrap().contains("nothing is stored yet"), "{refreshed:?}");
    always.store(false, Ordering::SeqCst);
    assert_eq!(sync_one(&engine, Pace::Manual).await, fetched(1, 0, 1));
    assert!(server.requests().iter().all(|r| !is_conditional(r)));
    engine.shutdown().await;
}

#[tokio::test]
async fn a_304_without_a_body_causes_a_full_request() {
    let server = Server::start(|request| match is_conditional(request) {
        true => Reply::status(304),
        false => feed(&[("1", "One")]).header("etag", "\"e\""),
    })
    .unwrap();
    let home = Home::with(&[source("s", &server.url("/"))]);
    let engine = home.on_demand().await;
    assert_eq!(sync_one(&engine, Pace::Manual).await, fetched(1, 0, 1));
    let key = facts(&engine, "s").await.key;
    engine.store().change_facts(key, |facts| facts.body_hash = None).await.unwrap();
    assert_eq!(sync_one(&engine, Pace::Manual).await, fetched(0, 0, 1));
    let conditional: Vec<bool> = server.requests().iter().map(is_conditional).collect();
    assert_eq!(conditional, [false, true, false]);
    assert_eq!(polls(&engine)[0].requests, 2);
    engine.shutdown().await;
}
