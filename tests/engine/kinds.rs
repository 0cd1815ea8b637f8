//! Feeds with unusual media types, and other documents with media types of feeds.

use super::*;
use newsfed::model::{SourceKind, Validators};

const ATOM: &str = "<?xml version='1.0'?><feed xmlns='http://www.w3.org/2005/Atom'><title>A</title>\
    <id>a</id><entry><id>1</id><title>One</title></entry></feed>";
const JSON: &str = r#"{"version": "https://jsonfeed.org/version/1.1", "title": "J",
    "items": [{"id": "1", "content_text": "One"}]}"#;
const PAGE: &str = "<!doctype html><html><head><title>Site</title>\
    <link rel=alternate type=application/rss+xml href=/feed></head><body><p>Hello</p></body></html>";

#[tokio::test]
async fn a_feed_is_recognised_by_its_content() {
    let documents =
        [("rss", rss(&[("1", "One")])), ("atom", ATOM.to_owned()), ("json", JSON.to_owned())];
    let types = [
        ("application/rss+xml", false),
        ("text/xml; charset=utf-8", false),
        ("application/json", false),
        ("text/html; charset=utf-8", true),
        ("text/plain", true),
        ("application/octet-stream", true),
        ("image/png", true),
        ("", false),
    ];
    for (name, body) in &documents {
        for (kind, summary) in types {
            let body = body.clone();
            let server = Server::start(move |_| Reply::ok(kind, body.clone())).unwrap();
            let home = Home::new();
            let engine = home.on_demand().await;
            let found = engine.discover(&server.url("/f")).await.unwrap();
            assert_eq!(found.ways[0].kind(), SourceKind::Feed, "{name} as {kind}");
            engine.follow(found, 0, None, None).await.unwrap();
            assert_eq!(titles(&engine).len(), 1, "{name} as {kind}");
            engine.declare(vec![source("again", &server.url("/g"))]).await.unwrap();
            let all = sync(&engine, Pace::Manual).await;
            assert_eq!(all["again"], fetched(1, 0, 1), "{name} as {kind}");
            let note = polls(&engine)[0].repairs.iter().any(|r| r.contains("was sent as"));
            assert_eq!(note, summary, "{name} as {kind}: {:?}", polls(&engine)[0].repairs);
            engine.shutdown().await;
        }
    }
}

#[tokio::test]
async fn rejects_pages_without_storing_validators() {
    let page = |kind: &str| Reply::ok(kind, PAGE).header("etag", "\"page\"");
    for kind in ["text/html", "application/rss+xml", "application/atom+xml"] {
        let server = Server::start(move |_| page(kind)).unwrap();
        let home = Home::with(&[source("s", &server.url("/"))]);
        let engine = home.on_demand().await;
        for _ in 0..2 {
            let refreshed = sync_one(&engine, Pace::Force).await;
            let message = failure(&refreshed).unwrap();
            assert_eq!(message, "this is not a feed but an HTML page", "{kind}");
        }
        let known = facts(&engine, "s").await;
        assert_eq!((known.validators, known.body_hash), (Validators::default(), None), "{kind}");
        assert!(server.requests().iter().all(|r| !is_conditional(r)), "{kind}");
        engine.shutdown().await;
    }
}

#[tokio::test]
async fn exploring_a_page_finds_its_feed() {
    let server = Server::start(|request| match request.path.as_str() {
        "/feed" => feed(&[("1", "One")]),
        // A page with the media type of a feed.
        _ => Reply::ok("application/rss+xml", PAGE),
    })
    .unwrap();
    let home = Home::new();
    let engine = home.on_demand().await;
    let found = engine.discover(&server.url("/")).await.unwrap();
    assert_eq!(found.ways[0].url.path(), "/feed", "{:?}", found.tried);
    assert_eq!(found.ways[0].count(), Some(1));
    engine.shutdown().await;
}
