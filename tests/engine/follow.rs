//! Adding a source by its URL.

use super::*;
use newsfed::engine::FollowError;
use newsfed::model::SourceKind;
use std::sync::atomic::{AtomicBool, Ordering};

fn site() -> Server {
    Server::start(|request| match request.path.as_str() {
        "/" => Reply::ok(
            "text/html",
            "<html><head><title>Site</title><link rel=\"alternate\" \
             type=\"application/rss+xml\" title=\"News\" href=\"/feed\"></head><body>Hello</body></html>",
        ),
        "/moved" => Reply::status(301).header("location", "/feed"),
        "/feed" => feed(&[("1", "One"), ("2", "Two")]).header("etag", "\"f\""),
        "/bare" | "/notes/" => Reply::ok("text/html", "<html><head><title>Bare</title></head><body><p>Nothing here.</p></body></html>"),
        _ => Reply::status(404),
    })
    .unwrap()
}

/// Discovers a URL and follows the first way; returns all requests, including those shortly afterwards.
async fn follow(path: &str) -> (Vec<String>, Home, Server) {
    let server = site();
    let home = Home::new();
    let engine = home.following().await;
    let discovery = engine.discover(&server.url(path)).await.unwrap();
    assert_eq!(discovery.ways[0].count(), Some(2), "{discovery:?}");
    engine.follow(discovery, 0, None, Some("New".to_owned())).await.unwrap();
    settled(&engine).await;
    assert_eq!(titles(&engine).len(), 2);
    // The feed is now followed, so it is not fetched again.
    let again = engine.discover(&server.url("/feed")).await.unwrap();
    let before = server.requests().len() - 1;
    if path == "/feed" {
        let error = engine.follow(again, 0, None, None).await.unwrap_err();
        assert!(matches!(error, FollowError::Known(_)), "{error}");
    }
    engine.shutdown().await;
    let requested = paths_requested(&server)[..before].to_vec();
    (requested, home, server)
}

#[tokio::test]
async fn a_feed_url_needs_one_request() {
    let (requested, home, server) = follow("/feed").await;
    assert_eq!(requested, ["/feed"]);
    let engine = home.on_demand().await;
    sync_one(&engine, Pace::Manual).await;
    let last = server.requests().pop().unwrap();
    assert_eq!(last.header("if-none-match"), Some(b"\"f\"".as_slice()), "the first poll counts");
    let (source, _) = engine.sources().await.unwrap().remove(0);
    assert_eq!((source.folder.as_deref(), source.title.as_deref()), (Some("New"), None));
    engine.shutdown().await;
}

#[tokio::test]
async fn a_page_needs_two_requests() {
    let (requested, ..) = follow("/").await;
    assert_eq!(requested, ["/", "/feed"]);
}

#[tokio::test]
async fn follows_a_redirected_url_at_its_target() {
    let (requested, home, server) = follow("/moved").await;
    assert_eq!(requested, ["/moved", "/feed"]);
    let engine = home.on_demand().await;
    let (_, facts) = engine.sources().await.unwrap().remove(0);
    assert_eq!(facts.moved_to, Some(server.url("/feed")));
    engine.shutdown().await;
}

#[tokio::test]
async fn finds_a_feed_that_only_the_home_page_announces() {
    let (requested, ..) = follow("/bare").await;
    assert_eq!(requested, ["/bare", "/robots.txt", "/", "/feed"]);
}

#[tokio::test]
async fn the_first_poll_of_a_page_finds_its_feed() {
    let server = Server::start(|request| match request.path.as_str() {
        "/" => Reply::ok(
            "text/html",
            "<link rel=alternate type=application/rss+xml href=/gone title=News>\
             <link rel=alternate type=application/atom+xml href=/feed title=News>",
        ),
        "/feed" => feed(&[("1", "One")]),
        _ => Reply::status(404),
    })
    .unwrap();
    let home = Home::with(&[source("s", &server.url("/"))]);
    let engine = home.on_demand().await;
    assert!(matches!(
        sync_one(&engine, Pace::Force).await,
        Refreshed::Polled(Outcome::Fetched { new: 1, .. })
    ));
    let (_, facts) = engine.sources().await.unwrap().remove(0);
    assert_eq!((facts.moved_to, facts.fail_count), (Some(server.url("/feed")), 0));
    sync_one(&engine, Pace::Force).await;
    let requested: Vec<String> = server.requests().into_iter().map(|r| r.path).collect();
    assert_eq!(requested, ["/", "/gone", "/feed", "/feed"]);
    engine.shutdown().await;
}

#[tokio::test]
async fn does_not_replace_a_feed_that_becomes_a_page() {
    let is_page = Arc::new(AtomicBool::new(false));
    let now = is_page.clone();
    let server =
        Server::start(move |request| match (request.path.as_str(), now.load(Ordering::SeqCst)) {
            ("/", true) => Reply::ok(
                "text/html",
                "<title>Log in</title><link rel=alternate type=application/rss+xml href=/other>",
            ),
            _ => feed(&[("1", "One")]),
        })
        .unwrap();
    let home = Home::with(&[source("s", &server.url("/"))]);
    let engine = home.on_demand().await;
    sync_one(&engine, Pace::Force).await;
    is_page.store(true, Ordering::SeqCst);
    let refreshed = sync_one(&engine, Pace::Force).await;
    assert!(failure(&refreshed).is_some_and(|why| why.contains("HTML page")), "{refreshed:?}");
    assert!(server.requests().iter().all(|request| request.path == "/"));
    engine.shutdown().await;
}

#[tokio::test]
async fn explains_why_a_url_cannot_be_followed() {
    let server = Server::start(|request| match request.path.as_str() {
        "/notes/" => Reply::ok("text/html", "<title>Bare</title><p>Nothing here."),
        _ => Reply::status(404),
    })
    .unwrap();
    let home = Home::new();
    let engine = home.on_demand().await;
    let bare = engine.discover(&server.url("/notes/")).await.unwrap();
    // Only watching the page and crawling the site remain.
    let crawls =
        bare.ways.iter().all(|way| matches!(way.kind(), SourceKind::Page | SourceKind::Crawl));
    assert!(crawls && !bare.tried.is_empty(), "{bare:?}");
    let error = engine.discover(&server.url("/nothing")).await.unwrap_err();
    assert!(matches!(&error, FollowError::Status { status: 404, .. }), "{error}");
    assert!(engine.discover("no address at all").await.is_err());
    engine.shutdown().await;
}

#[tokio::test]
async fn keeps_credentials_in_the_url_for_its_host() {
    let server = Server::start(|request| match request.header("authorization") {
        // The credentials are `alice:s3cret`.
        Some(b"Basic YWxpY2U6czNjcmV0") => feed(&[("1", "Members only")]),
        _ => Reply::status(401),
    })
    .unwrap();
    let home = Home::with(&[]);
    let engine = home.on_demand().await;
    let typed = server.url("/feed").replace("http://", "http://alice:s3cret@");
    let discovery = engine.discover(&typed).await.unwrap();
    assert!(!format!("{discovery:?}").contains("s3cret"));
    let (source, _) = engine.follow(discovery, 0, None, None).await.unwrap();
    assert!(!source.url.as_str().contains("alice"));
    let refreshed = sync_one(&engine, Pace::Force).await;
    assert_eq!(refreshed, Refreshed::Polled(Outcome::Unchanged));
    engine.shutdown().await;
}

#[tokio::test]
async fn another_announced_feed_also_needs_one_request() {
    let server = Server::start(|request| match request.path.as_str() {
        "/" => Reply::ok(
            "text/html",
            "<link rel=alternate type=application/rss+xml href=/a title=A>\
             <link rel=alternate type=application/rss+xml href=/b title=B>\
             <link rel=alternate type=application/rss+xml href=/c title=C>",
        ),
        "/c" => Reply::ok("text/html", "<p>moved away"),
        _ => feed(&[("1", "One")]),
    })
    .unwrap();
    let home = Home::with(&[]);
    let engine = home.on_demand().await;
    let discovery = engine.discover(&server.url("/")).await.unwrap();
    assert_eq!(discovery.ways.len(), 3);
    engine.follow(discovery, 1, None, None).await.unwrap();
    let requested = |path: &str| server.requests().iter().filter(|r| r.path == path).count();
    assert_eq!((requested("/"), requested("/a"), requested("/b"), requested("/c")), (1, 1, 1, 0));
    // A document that is not a feed cannot be followed as a feed.
    let discovery = engine.discover(&server.url("/")).await.unwrap();
    let error = engine.follow(discovery, 2, None, None).await.unwrap_err();
    assert!(matches!(error, FollowError::NoFeed(_)), "{error}");
    engine.shutdown().await;
}

#[tokio::test]
async fn a_site_that_is_being_added_is_not_polled_at_the_same_time() {
    let page = |path: &str| match path.strip_prefix("/news/story-") {
        Some(n) => {
            format!("<article><h1>The story of bus {n}</h1><p>It came to the harbour.</article>")
        }
        None => (1..=5)
            .map(|n| format!("<li class=story><a href=/news/story-{n}>The story of bus {n}</a>"))
            .collect(),
    };
    // Samples of the articles are fetched before the source is declared; the last article is not among them.
    let (release, gate) = std::sync::mpsc::channel();
    let gate = std::sync::Mutex::new(gate);
    let server = Server::start(move |request| {
        if request.path == "/robots.txt" {
            return Reply::status(404);
        }
        if request.path == "/news/story-5" {
            let _ = gate.lock().unwrap().recv_timeout(MINUTE);
        }
        Reply::ok("text/html", format!("<!doctype html><title>News</title>{}", page(&request.path)))
    })
    .unwrap();
    let home = Home::new();
    let engine = home.following().await;
    let discovery = engine.discover(&server.url("/news")).await.unwrap();
    let way = discovery.ways.iter().position(|way| way.kind() == SourceKind::Website).unwrap();
    let adding = tokio::spawn({
        let engine = engine.clone();
        async move { engine.follow(discovery, way, None, None).await.map(|(source, _)| source.id) }
    });
    let last = async {
        let mut count = 0;
        while !paths_requested(&server).contains(&"/news/story-5".to_owned()) {
            count += 1;
            server.received(count).await;
        }
    };
    soon(last).await;
    // The file watcher would also reload. Commands run in order, so the reload ends before the refresh.
    engine.reload().await.unwrap();
    assert_eq!(engine.refresh(Some(Vec::new()), Pace::Due).await.recv().await, None);
    release.send(()).unwrap();
    soon(adding).await.unwrap().unwrap();
    settled(&engine).await;
    assert_eq!(titles(&engine).len(), 5);
    let mut paths = paths_requested(&server);
    paths.retain(|path| path.starts_with("/news/story-"));
    paths.sort();
    let once: Vec<String> = (1..=5).map(|n| format!("/news/story-{n}")).collect();
    assert_eq!(paths, once);
    engine.shutdown().await;
}
