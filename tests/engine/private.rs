//! Private addresses are requested only if the user typed them.

use super::*;
use newsfed::engine::FollowError;
use newsfed::model::{SourceRules, WebsiteRules};
use std::collections::HashMap;

const LOOPBACK: IpAddr = IpAddr::V4(Ipv4Addr::LOCALHOST);

/// Names that exist in no real resolver; all of them resolve to this machine.
fn names() -> Names {
    let names = ["nas.test", "other.test", "localhost", "ip6.test"];
    let address = |name: &str| match name {
        "ip6.test" => vec!["::ffff:127.0.0.1".parse().unwrap()],
        _ => vec![LOOPBACK],
    };
    let table: HashMap<_, _> = names.iter().map(|&n| (n.to_owned(), address(n))).collect();
    Names::Table(Arc::new(table))
}

fn at(server: &Server, host: &str, path: &str) -> String {
    server.url(path).replace("127.0.0.1", host)
}

fn site() -> Server {
    Server::start(|request| match request.path.as_str() {
        "/" => Reply::ok("text/html", "<ul><li><a href='/story'>A story of the town</a></ul>"),
        "/feed" => feed(&[("1", "One")]),
        "/sitemap.xml" => Reply::ok(
            "application/xml",
            "<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'></urlset>",
        ),
        "/announces" => Reply::ok(
            "text/html",
            "<link rel=alternate type=application/rss+xml href=http://192.168.1.1/feed>\
             <link rel=alternate type=application/rss+xml href=/feed>",
        ),
        _ => Reply::status(404),
    })
    .unwrap()
}

/// A source of each kind on this host.
fn every_kind(server: &Server, host: &str) -> Vec<Source> {
    let rules = || WebsiteRules { articles: Some("li a".into()), ..WebsiteRules::default() }.into();
    [
        ("feed", "/feed", SourceRules::Feed),
        ("website", "/", SourceRules::Website(rules())),
        ("sitemap", "/sitemap.xml", SourceRules::Sitemap(rules())),
        ("crawl", "/", SourceRules::Crawl(rules())),
    ]
    .map(|(id, path, rules)| Source { rules, ..source(id, &at(server, host, path)) })
    .into()
}

#[tokio::test]
async fn does_not_request_a_name_with_a_private_address() {
    for host in ["nas.test", "ip6.test"] {
        let server = site();
        let home = Home { names: names(), ..Home::with(&every_kind(&server, host)) };
        let engine = home.on_demand().await;
        for (id, refreshed) in sync(&engine, Pace::Force).await {
            let message = failure(&refreshed).unwrap();
            let how = format!("newsfed sources edit {id} --private on");
            assert!(message.contains(host) && message.contains(&how), "{message}");
        }
        assert_eq!(server.requests().len(), 0, "not even for robots.txt");
        engine.shutdown().await;
    }
}

#[tokio::test]
async fn requests_a_private_source() {
    let server = site();
    let private = |source| Source { private: true, ..source };
    let sources: Vec<_> = every_kind(&server, "nas.test").into_iter().map(private).collect();
    let home = Home { names: names(), ..Home::with(&sources) };
    let engine = home.on_demand().await;
    for (id, refreshed) in sync(&engine, Pace::Force).await {
        let message = failure(&refreshed).unwrap_or_default();
        assert!(!message.contains("private"), "{id}: {message}");
    }
    let requested = paths_requested(&server);
    for path in ["/robots.txt", "/feed", "/", "/sitemap.xml", "/story"] {
        assert!(requested.iter().any(|p| p == path), "{path} in {requested:?}");
    }
    engine.shutdown().await;
}

/// The user typed the address, so the URL shows where the request is sent.
#[tokio::test]
async fn requests_a_private_address_in_the_url() {
    for host in ["127.0.0.1", "127.1", "0x7f.0.0.1", "2130706433", "localhost"] {
        let server = site();
        let sources = [source("s", &at(&server, host, "/feed"))];
        let home = Home { names: names(), ..Home::with(&sources) };
        let engine = home.on_demand().await;
        assert_eq!(sync_one(&engine, Pace::Manual).await, fetched(1, 0, 1), "{host}");
        engine.shutdown().await;
    }
}

#[tokio::test]
async fn the_permission_covers_only_the_declared_host() {
    for (declared, to) in
        [("nas.test", "other.test"), ("nas.test", "127.0.0.1"), ("localhost", "nas.test")]
    {
        let target = site();
        let there = at(&target, to, "/feed");
        let server = Server::start(move |_| Reply::status(302).header("location", &there)).unwrap();
        let one = Source { private: true, ..source("s", &at(&server, declared, "/feed")) };
        let home = Home { names: names(), ..Home::with(&[one]) };
        let engine = home.on_demand().await;
        let refreshed = sync_one(&engine, Pace::Manual).await;
        let message = failure(&refreshed).unwrap();
        assert!(message.contains(to) && !message.contains("sources edit"), "{message}");
        assert_eq!((server.requests().len(), target.requests().len()), (1, 0), "{to}");
        engine.shutdown().await;
    }
}

#[tokio::test]
async fn adding_a_private_name_records_the_permission() {
    let server = site();
    let home = Home { names: names(), ..Home::new() };
    let engine = home.on_demand().await;
    let typed = at(&server, "nas.test", "/announces");
    let discovery = engine.discover(&typed).await.unwrap();
    let tried = discovery.attempts().join("\n");
    assert!(tried.contains("nas.test resolves to a private address"), "{tried}");
    assert!(tried.contains("http://192.168.1.1/feed: 192.168.1.1 is a private address"), "{tried}");
    assert!(discovery.ways.iter().all(|w| w.url.host_str() == Some("nas.test")), "{discovery:?}");
    let (source, _) = engine.follow(discovery, 0, None, None).await.unwrap();
    assert!(source.private);
    engine.shutdown().await;
    // The permission is also kept after a restart, when only the file contains it.
    let engine = home.on_demand().await;
    assert_eq!(sync_one(&engine, Pace::Force).await, UNCHANGED);
    engine.shutdown().await;
}

#[tokio::test]
async fn discovery_stays_on_the_typed_host() {
    let target = site();
    let there = at(&target, "nas.test", "/feed");
    let server = Server::start(move |request| match request.path.as_str() {
        "/moved" => Reply::status(301).header("location", &there),
        _ => Reply::ok(
            "text/html",
            format!("<link rel=alternate type=application/rss+xml href={there}>"),
        ),
    })
    .unwrap();
    let home = Home { names: names(), ..Home::new() };
    let engine = home.on_demand().await;
    let error = engine.discover(&server.url("/moved")).await.unwrap_err();
    assert!(matches!(error, FollowError::Fetch { .. }), "{error}");
    let page = engine.discover(&server.url("/")).await.unwrap();
    assert!(page.ways.iter().all(|w| w.url.host_str() == Some("127.0.0.1")), "{page:?}");
    assert_eq!(target.requests().len(), 0);
    engine.shutdown().await;
}

#[tokio::test]
async fn a_crawl_requests_a_private_name_only_if_typed() {
    use newsfed::engine::crawl::{CrawlEnd, CrawlPhase, CrawlPlan, CrawlState};
    use newsfed::util::url::parse_web;
    let server = site();
    let home = Home { names: names(), ..Home::new() };
    let engine = home.on_demand().await;
    let folder = home.dir.path().join("crawl");
    let run = async |resume: bool, url: Option<String>, allow_private: bool| -> CrawlState {
        let address = url.map(|url| parse_web(&url).unwrap());
        let plan = CrawlPlan::new(address, folder.clone());
        let plan = CrawlPlan { allow_private: plan.allow_private || allow_private, resume, ..plan };
        let crawl = engine.crawl(plan);
        let mut states = crawl.states();
        let ended = soon(states.wait_for(|state| !state.is_running())).await.unwrap().clone();
        soon(crawl.finish()).await;
        ended
    };
    let url = at(&server, "nas.test", "/");
    let is_refused = |state: &CrawlState| matches!(&state.phase, CrawlPhase::Ended(CrawlEnd::Left(why)) if why.contains("private"));
    let state = run(false, Some(url.clone()), false).await;
    assert!(is_refused(&state), "{state:?}");
    // The address is also refused when the crawl is resumed.
    let state = run(true, None, false).await;
    assert!(is_refused(&state) && server.requests().is_empty(), "{state:?}");
    let state = run(true, Some(url), true).await;
    assert_eq!(state.phase, CrawlPhase::Ended(CrawlEnd::Done));
    // A typed private address implies the permission, which is stored.
    let folder = home.dir.path().join("typed");
    let plan = CrawlPlan::new(Some(parse_web(&server.url("/")).unwrap()), folder);
    assert!(plan.allow_private);
    engine.shutdown().await;
}
