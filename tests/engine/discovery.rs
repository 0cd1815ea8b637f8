//! The ways to follow a URL: the requests that find them, their order, and the effects of robots.txt.

use super::*;
use newsfed::engine::Discovery;
use newsfed::model::SourceKind;
use std::collections::{HashMap, HashSet};

/// A site with these documents; all other paths return 404.
fn serve(documents: &[(&'static str, String)]) -> Server {
    let documents = documents.to_vec();
    Server::start(move |request| {
        let found = documents.iter().find(|(path, _)| *path == request.path);
        match found {
            Some((path, body)) if *path == "/robots.txt" => Reply::ok("text/plain", body.clone()),
            Some((_, body)) if body.starts_with("<rss") => Reply::ok("text/xml", body.clone()),
            Some((_, body)) => Reply::ok("text/html", body.clone()),
            None => Reply::status(404),
        }
    })
    .unwrap()
}

const RSS: &str = "<rss version='2.0'><channel><title>All</title><item><guid>1</guid>\
                   <title>One</title></item></channel></rss>";

/// A page with a list of articles between `head` and `foot`.
fn list(head: &str, foot: &str) -> String {
    let row =
        |n: usize| format!("<li><h3><a href=/news/story-of-bus-{n}>The story of bus {n}</a></h3>");
    let rows: String = (1..9).map(row).collect();
    format!("<title>News</title>{head}<main><ul class=news>{rows}</ul></main>{foot}")
}

async fn discover(server: &Server, path: &str) -> Discovery {
    let home = Home::new();
    let engine = home.on_demand().await;
    let found = engine.discover(&server.url(path)).await.unwrap();
    engine.shutdown().await;
    found
}

fn kinds(found: &Discovery) -> Vec<SourceKind> {
    found.ways.iter().map(|way| way.kind()).collect()
}

#[tokio::test]
async fn explains_why_an_announced_feed_does_not_work() {
    let link = "<link rel=alternate type=application/rss+xml href=/index.xml>";
    let server = serve(&[("/", list(link, "")), ("/empty", "<p>Nothing".to_owned())]);
    let found = discover(&server, "/").await;
    let url = server.url("/index.xml");
    let expected = format!("the page announces a feed, but it returns 404 Not Found: {url}");
    assert_eq!(found.tried[0].text, expected, "{:?}", found.tried);
    assert!(!found.tried[0].found);
    assert!(!found.tried[1..].iter().any(|tried| tried.text.contains("/index.xml")));
    // If several feeds are announced, each is reported separately.
    let two = "<link rel=alternate type=application/rss+xml href=/a.xml>\
               <link rel=alternate type=application/rss+xml href=/empty>";
    let server = serve(&[("/", list(two, "")), ("/empty", "<p>Nothing".to_owned())]);
    let found = discover(&server, "/").await;
    let texts: Vec<&str> = found.tried.iter().map(|tried| tried.text.as_str()).collect();
    assert_eq!(texts[0], "the page announces 2 feeds");
    let start = "the announced feed does not work: ";
    assert_eq!(texts[1], format!("{start}it returns 404 Not Found: {}", server.url("/a.xml")));
    assert_eq!(texts[2], format!("{start}the URL is not a feed: {}", server.url("/empty")));
}

#[tokio::test]
async fn finds_the_root_feed_from_a_deep_page() {
    let server = serve(&[("/a/b/c/page.html", "<p>Hello".to_owned()), ("/feed", RSS.to_owned())]);
    let found = discover(&server, "/a/b/c/page.html").await;
    assert_eq!(found.ways[0].url.path(), "/feed", "{:?}", found.tried);
    let requested = paths_requested(&server);
    assert_eq!(requested, ["/a/b/c/page.html", "/robots.txt", "/", "/a/b/c/feed", "/feed"]);
}

#[tokio::test]
async fn prefers_entries_of_a_page_to_another_feed() {
    let release =
        |v: &str, day: &str| format!("<h2 id=v{v}>Knot {v} - {day}</h2><p>Ropes are faster.</p>");
    let log =
        release("3", "2026-03-12") + &release("2", "2026-02-01") + &release("1", "2026-01-03");
    let log = format!("<main><h1>Changelog</h1>{log}</main>");
    let feed = |link: &str| {
        format!(
            "<rss version='2.0'><channel><item><title>One</title><link>{link}</link></item></channel></rss>"
        )
    };
    let cases = [
        ("/blog/one", [SourceKind::Entries, SourceKind::Feed]),
        ("/docs/log#v3", [SourceKind::Feed, SourceKind::Entries]),
    ];
    for (link, first) in cases {
        let server = serve(&[("/docs/log", log.clone()), ("/feed", feed(link))]);
        let found = discover(&server, "/docs/log").await;
        assert_eq!(kinds(&found)[..2], first, "{link}");
    }
}

#[tokio::test]
async fn knows_the_feed_urls_of_common_systems() {
    let page = "<meta name=generator content='Hugo 0.140'><p>Hello".to_owned();
    let server = serve(&[("/notes/", page), ("/notes/index.xml", RSS.to_owned())]);
    let found = discover(&server, "/notes/").await;
    assert_eq!(paths_requested(&server), ["/notes/", "/robots.txt", "/notes/index.xml"]);
    assert!(found.tried.iter().any(|t| t.text.ends_with("is a feed (Hugo)")), "{:?}", found.tried);
}

#[tokio::test]
async fn robots_txt_applies_to_everything_except_announced_feeds() {
    let robots = ("/robots.txt", "User-agent: *\nDisallow: /".to_owned());
    let server = serve(&[robots.clone(), ("/news", list("", "")), ("/feed", RSS.to_owned())]);
    let found = discover(&server, "/news").await;
    assert_eq!(paths_requested(&server), ["/news", "/robots.txt"]);
    assert!(found.ways.is_empty(), "{:?}", found.ways);
    let tried = found.attempts().join("\n");
    assert!(tried.contains("forbids programs from reading this page"), "{tried}");

    let announcing = list("<link rel=alternate type=application/rss+xml href=/feed>", "");
    let server = serve(&[robots, ("/news", announcing), ("/feed", RSS.to_owned())]);
    let found = discover(&server, "/news").await;
    assert_eq!(kinds(&found), [SourceKind::Feed], "the user subscribes to it");

    let robots = ("/robots.txt", "User-agent: *\nDisallow: /feed".to_owned());
    let server = serve(&[robots, ("/", list("", "")), ("/feed", RSS.to_owned())]);
    let found = discover(&server, "/").await;
    assert!(!paths_requested(&server).contains(&"/feed".to_owned()), "guessed URLs are pages");
    assert_eq!(found.ways[0].kind(), SourceKind::Website);
}

#[tokio::test]
async fn sends_no_more_requests_if_robots_txt_fails() {
    let server = Server::start(|request| match request.path.as_str() {
        "/robots.txt" => Reply::status(500),
        _ => Reply::ok("text/html", list("", "")),
    })
    .unwrap();
    let found = discover(&server, "/").await;
    assert!(found.ways.is_empty() && paths_requested(&server).len() == 2, "{:?}", found.tried);
}

#[tokio::test]
async fn orders_ways_by_confidence_and_distinguishes_them() {
    let popular = "<aside class=popular><ul>".to_owned()
        + &(1..6)
            .map(|n| format!("<li><a href=/old/popular-report-{n}>Popular report number {n}</a>"))
            .collect::<String>()
        + "</ul></aside>";
    let head = "<link rel=alternate type=application/rss+xml href=/feed>\
                <link rel=alternate type=application/rss+xml href=/comments/feed title=Comments>";
    let server = serve(&[("/", list(head, &popular)), ("/feed", RSS.to_owned())]);
    let found = discover(&server, "/").await;
    let sure: Vec<f64> = found.ways.iter().map(|way| way.confidence).collect();
    assert!(sure.is_sorted_by(|a, b| a >= b), "{sure:?}");
    assert_eq!(kinds(&found)[..2], [SourceKind::Feed, SourceKind::Website]);
    let now = newsfed::model::Time::UNIX_EPOCH;
    let labels = found.labels(now);
    let distinct: HashSet<&String> = labels.iter().collect();
    assert_eq!(distinct.len(), labels.len(), "{labels:?}");
    assert_eq!(labels[0], "Feed · 1 entry");
    assert!(labels[1].starts_with("List of articles · 8 found"), "{labels:?}");
}

#[tokio::test]
async fn follows_redirects_in_markup_and_reports_them() {
    let server = serve(&[
        ("/", "<meta http-equiv=refresh content='0; url=/en/'>".to_owned()),
        ("/en/", "<link rel=feed href=/feed><p>Hello".to_owned()),
        ("/feed", RSS.to_owned()),
    ]);
    let found = discover(&server, "/").await;
    assert_eq!(paths_requested(&server), ["/", "/en/", "/feed"]);
    assert!(found.tried[0].text.starts_with("the URL redirects to"), "{:?}", found.tried);
    assert_eq!(kinds(&found), [SourceKind::Feed]);
}

#[tokio::test]
async fn a_new_website_has_a_page_limit_and_a_title() {
    let next = "<a rel=next href=/page/2>Older</a>";
    let server = serve(&[("/", list("", next)), ("/page/2", list("", ""))]);
    let home = Home::new();
    let engine = home.on_demand().await;
    let found = engine.discover(&server.url("/")).await.unwrap();
    let (source, _) = engine.follow(found, 0, None, None).await.unwrap();
    assert_eq!(source.rules.pages().map(|rules| rules.max_pages), Some(3));
    let (source, facts) = engine.sources().await.unwrap().remove(0);
    assert_eq!(facts.title(&source), "News");
    engine.shutdown().await;
}

fn feed_of(link: &str) -> String {
    format!(
        "<rss version='2.0'><channel><item><title>One</title><link>{link}</link></item></channel></rss>"
    )
}

#[tokio::test]
async fn offers_other_ways_if_the_feed_is_unrelated() {
    let hours = "<title>Opening hours</title><p>Open from nine to five.".to_owned();
    for (path, own) in [("/opening-hours.html", false), ("/pool/hours.html", false), ("/", true)] {
        let server = serve(&[(path, hours.clone()), ("/rss.xml", RSS.to_owned())]);
        let found = kinds(&discover(&server, path).await);
        let rest = [SourceKind::Crawl, SourceKind::Crawl, SourceKind::Page];
        let rest: &[SourceKind] = if own { &[] } else { &rest };
        let mut all = found[1..].to_vec();
        all.sort_by_key(|kind| *kind == SourceKind::Page);
        assert_eq!((found[0], &all[..]), (SourceKind::Feed, rest), "{path}");
    }
    let server = serve(&[("/pool/hours.html", hours), ("/pool/feed", RSS.to_owned())]);
    assert_eq!(kinds(&discover(&server, "/pool/hours.html").await), [SourceKind::Feed]);
}

#[tokio::test]
async fn prefers_a_list_to_an_unrelated_feed() {
    let cases = [
        ("/press/one", [SourceKind::Website, SourceKind::Feed]),
        ("/news/story-of-bus-3", [SourceKind::Feed, SourceKind::Website]),
    ];
    for (link, first) in cases {
        let server = serve(&[("/~ann/notes.html", list("", "")), ("/feed", feed_of(link))]);
        let found = discover(&server, "/~ann/notes.html").await;
        assert_eq!(kinds(&found)[..2], first, "{link}");
    }
}

#[tokio::test]
async fn explores_a_redirected_page_on_its_own_host() {
    let real = serve(&[("/~ann/", "<p>Hello".to_owned())]);
    let target = real.url("/~ann/").to_string();
    let typed = Server::start(move |request| match request.path.as_str() {
        "/old" => Reply::status(301).header("Location", &target),
        _ => Reply::status(404),
    })
    .unwrap();
    let found = discover(&typed, "/old").await;
    assert_eq!(paths_requested(&typed), ["/old"], "{:?}", found.tried);
    let requested = paths_requested(&real);
    assert_eq!(requested[..3], ["/~ann/", "/robots.txt", "/"]);
    assert!(requested.contains(&"/sitemap.xml".to_owned()), "{requested:?}");
}

#[tokio::test]
async fn limits_the_number_of_requests() {
    let feeds = |folder: &str| {
        let link = |n: usize| {
            format!("<link rel=alternate type=application/rss+xml href={folder}{n}.xml>")
        };
        (1..=3).map(link).collect::<String>()
    };
    let maps = "Sitemap: /map-1.xml\nSitemap: /map-2.xml\nSitemap: /map-3.xml\n".to_owned();
    let server = serve(&[
        ("/a/b/c/", feeds("/a/feed-") + "<p>Hello"),
        ("/", feeds("/feed-") + "<p>Hello"),
        ("/robots.txt", maps),
    ]);
    let found = discover(&server, "/a/b/c/").await;
    let requested = paths_requested(&server);
    assert_eq!(requested.len(), 19, "{requested:?}: {:?}", found.tried);
    let distinct: HashSet<&String> = requested.iter().collect();
    assert_eq!(distinct.len(), requested.len(), "{requested:?}");
}

#[tokio::test]
async fn does_not_search_the_host_of_a_known_system() {
    let server = serve(&[("/s/one", "<p>Hello".to_owned()), ("/", feed_of("/s/one"))]);
    let host = HashMap::from([("lobste.rs".to_owned(), vec![IpAddr::V4(Ipv4Addr::LOCALHOST)])]);
    let home = Home { names: Names::Table(Arc::new(host)), ..Home::new() };
    let engine = home.on_demand().await;
    let typed = server.url("/s/one").replace("127.0.0.1", "lobste.rs");
    let found = engine.discover(&typed).await.unwrap();
    let requested = paths_requested(&server);
    assert_eq!(requested, ["/s/one", "/robots.txt", "/rss", "/sitemap.xml"], "{:?}", found.tried);
    engine.shutdown().await;
}

/// A home page without posts, but with links to other pages.
fn entrance(links: &str) -> String {
    format!("<title>Ann</title><header><nav>{links}</nav></header><h1>Hi, I am Ann</h1><p>I write.")
}

#[tokio::test]
async fn follows_the_link_to_the_list_of_all_posts() {
    let home =
        entrance("<a href=/about>About</a><a href=/archive>Archive</a><a href=/news>Posts</a>");
    let server = serve(&[("/", home.clone()), ("/news", list("", "")), ("/about", RSS.to_owned())]);
    let found = discover(&server, "/").await;
    let best = &found.ways[0];
    assert_eq!((best.kind(), best.url.path()), (SourceKind::Website, "/news"), "{:?}", found.tried);
    assert_eq!(best.count(), Some(8));
    let requested = paths_requested(&server);
    assert_eq!(
        requested
            .iter()
            .filter(|path| ["/news", "/archive", "/about"].contains(&path.as_str()))
            .count(),
        1
    );
    assert!(found.tried.iter().any(|t| t.found && t.text.ends_with("/news, which lists articles")));

    // A feed that is announced only by the list of posts.
    let link = "<link rel=alternate type=application/rss+xml href=/news.rss>";
    let server =
        serve(&[("/", home.clone()), ("/news", list(link, "")), ("/news.rss", RSS.to_owned())]);
    let found = discover(&server, "/").await;
    assert_eq!((found.ways[0].kind(), found.ways[0].url.path()), (SourceKind::Feed, "/news.rss"));
    assert!(found.ways[0].count().is_some(), "it was fetched");

    // The link may lead directly to a feed.
    let server = serve(&[("/", home.clone()), ("/news", RSS.to_owned())]);
    let found = discover(&server, "/").await;
    assert_eq!((found.ways[0].kind(), found.ways[0].url.path()), (SourceKind::Feed, "/news"));
    assert!(found.ways[0].count().is_some());

    // The first linked page may be empty.
    let server = serve(&[("/", home.clone()), ("/news", entrance("")), ("/archive", list("", ""))]);
    let found = discover(&server, "/").await;
    assert_eq!((found.ways[0].kind(), found.ways[0].url.path()), (SourceKind::Website, "/archive"));
}

#[tokio::test]
async fn reads_lists_of_posts_politely() {
    let links = "<a href=/a>Posts</a><a href=/b>Blog</a><a href=/c>News</a><a href=/d>Archive</a>";
    let pages: Vec<(&'static str, String)> =
        ["/a", "/b", "/c", "/d"].map(|path| (path, entrance(""))).to_vec();
    let with = |more: &[(&'static str, String)]| serve(&[&pages[..], more].concat());
    let server = with(&[("/", entrance(links))]);
    let requested = |server: &Server| -> Vec<String> {
        paths_requested(server).into_iter().filter(|path| path.len() == 2).collect()
    };
    assert!(discover(&server, "/").await.ways.iter().all(|way| way.is_last_resort()));
    assert_eq!(requested(&server), ["/a", "/b"], "two at most");
    let robots = ("/robots.txt", "User-agent: *\nDisallow: /a".to_owned());
    let server = with(&[("/", entrance(links)), robots]);
    discover(&server, "/").await;
    assert_eq!(requested(&server), ["/b"]);
    // If the page at the typed URL has a list, no other page is fetched.
    let server = with(&[("/", list(links, ""))]);
    discover(&server, "/").await;
    assert!(requested(&server).is_empty(), "{:?}", requested(&server));
    let feed = "<link rel=alternate type=application/rss+xml href=/feed>";
    let server = with(&[("/", entrance(links) + feed), ("/feed", RSS.to_owned())]);
    discover(&server, "/").await;
    assert!(requested(&server).is_empty(), "{:?}", requested(&server));
}
