//! robots.txt is checked for pages, not for feeds.

use super::*;
use crate::model::ErrorKind;
use crate::serve::scripted::Reply;
use crate::util::clock::Clock;

fn page(server: &Server, path: &str) -> Request {
    Request { allow_private: true, ..Request::page(url(&server.url(path))) }
}

fn paths(server: &Server) -> Vec<String> {
    server.requests().into_iter().map(|r| r.path).collect()
}

#[tokio::test]
async fn pages_obey_robots_txt_and_feeds_do_not() {
    let server = Server::start(|seen| match seen.path.as_str() {
        "/robots.txt" => Reply::ok(
            "text/plain",
            "user-agent: *\ndisallow: /\n\nuser-agent: newsfed\ncrawl-delay: 3600\ndisallow: /no",
        ),
        "/out" => Reply::status(302).header("location", "/no/way"),
        _ => Reply::ok("text/html", "<p>hello"),
    })
    .unwrap();
    let (client, clock) = client_with(settings());
    let response = client.fetch(page(&server, "/yes")).await.unwrap();
    assert_eq!(response.crawl_delay, Duration::from_secs(60), "cut");
    clock.advance(HOUR);
    for path in ["/no/1?x", "/out"] {
        let error = client.fetch(page(&server, path)).await.unwrap_err();
        assert!(matches!(error, FetchError::Robots { .. }), "{error}");
        assert_eq!(error.kind(), ErrorKind::Politeness);
    }
    clock.advance(HOUR);
    assert_eq!(client.fetch(typed(&server.url("/no/feed"))).await.unwrap().status, 200);
    assert_eq!(paths(&server), ["/robots.txt", "/yes", "/out", "/no/feed"], "fetched once");
    clock.advance(HOUR * 24);
    client.fetch(page(&server, "/yes")).await.unwrap();
    assert_eq!(paths(&server)[4..], ["/robots.txt", "/yes"], "and again after a day");
}

#[tokio::test]
async fn many_pages_fetch_robots_txt_once() {
    let server = Server::start(|seen| match seen.path.as_str() {
        "/robots.txt" => Reply::status(404),
        _ => Reply::ok("text/html", "<p>hello"),
    })
    .unwrap();
    let client = client();
    let all = (0..5).map(|n| client.fetch(page(&server, &format!("/{n}"))));
    for end in futures_util::future::join_all(all).await {
        assert_eq!(end.unwrap().status, 200);
    }
    assert_eq!(paths(&server).iter().filter(|p| *p == "/robots.txt").count(), 1);
}

#[tokio::test]
async fn obeys_the_status_of_robots_txt() {
    // The status of robots.txt, and whether the page may be fetched.
    for (status, allowed) in [
        (404, true),
        (403, true),
        (499, true),
        (429, false),
        (500, false),
        (599, false),
        (302, true),
    ] {
        let server = Server::start(move |seen| match seen.path.as_str() {
            "/robots.txt" if status == 302 => Reply::status(302).header("location", "/robots.txt"),
            "/robots.txt" => Reply::status(status),
            _ => Reply::ok("text/html", "<p>hello"),
        })
        .unwrap();
        let (client, clock) = client_with(settings());
        let end = client.fetch(page(&server, "/p")).await;
        assert_eq!(end.is_ok(), allowed, "{status}");
        let Err(error) = end else { continue };
        let retry = clock.now() + Duration::from_secs(600);
        assert!(matches!(error, FetchError::RobotsFails { .. }), "{error}");
        assert_eq!(error.retry_at(), Some(retry));
        client.fetch(page(&server, "/p")).await.unwrap_err();
        assert_eq!(paths(&server), ["/robots.txt"], "not fetched again yet");
        clock.set(retry);
        client.fetch(page(&server, "/p")).await.unwrap_err();
        assert_eq!(paths(&server), ["/robots.txt", "/robots.txt"]);
    }
}

#[tokio::test]
async fn lists_sitemaps_of_pages_that_may_be_read() {
    let server = Server::start(|seen| match seen.path.as_str() {
        "/robots.txt" => Reply::ok(
            "text/plain",
            "sitemap: /a.xml\nsitemap: /b.xml\nuser-agent: *\ndisallow: /no",
        ),
        _ => Reply::status(404),
    })
    .unwrap();
    let client = client();
    let found = client.sitemaps(&page(&server, "/yes")).await.unwrap();
    assert_eq!(found, ["/a.xml", "/b.xml"]);
    let error = client.sitemaps(&page(&server, "/no?x=1")).await.unwrap_err();
    assert_eq!(error, FetchError::Robots { host: "127.0.0.1".into(), path: "/no".into() });
    assert_eq!(paths(&server), ["/robots.txt"]);
}

#[tokio::test]
async fn robots_txt_is_requested_like_the_page_itself() {
    let ips = hosts(1);
    let server = Server::start_on(&ips, |seen| match seen.path.as_str() {
        "/robots.txt" => Reply::ok("text/plain", "user-agent: *\ndisallow:"),
        _ => Reply::status(429),
    })
    .unwrap();
    let home = url(&server.url("/page?x=1"));
    let (client, clock) = client_with(settings());
    let access = crate::model::Access {
        headers: vec![("X-Key".into(), crate::model::Secret::Plain("k".into()))],
        ..Default::default()
    };
    let request = Request { allow_private: true, access, ..Request::page(home.clone()) };
    assert_eq!(client.fetch(request.clone()).await.unwrap().status, 429);
    assert_eq!(paths(&server), ["/robots.txt", "/page?x=1"]);
    assert_eq!(server.requests()[0].header("x-key"), Some(b"k".as_slice()));
    // A forced request does not wait for the end of the pause, nor does its request for robots.txt.
    clock.advance(HOUR * 25);
    client.pause(&home, clock.now() + HOUR);
    assert!(client.fetch(request.clone()).await.is_err());
    let forced = Request { force: true, ..request.clone() };
    assert_eq!(client.fetch(forced).await.unwrap().status, 429);
    assert_eq!(paths(&server)[2..], ["/robots.txt", "/page?x=1"]);
    // If a page has moved to another origin, no secrets are sent there, not even for robots.txt.
    let target = Server::start_on(&ips[..1], |_| Reply::status(404)).unwrap();
    let moved = Request { url: url(&target.url("/moved")), declared: Some(home), ..request };
    let (client, _) = client_with(settings());
    assert_eq!(client.fetch(moved).await.unwrap().status, 404);
    assert_eq!(paths(&target), ["/robots.txt", "/moved"]);
    assert!(target.requests().iter().all(|seen| seen.header("x-key").is_none()));
}
