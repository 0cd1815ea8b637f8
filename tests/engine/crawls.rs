//! Sources that are followed by crawling the site.

use super::*;
use newsfed::model::{SourceRules, WebsiteRules};
use std::collections::BTreeSet;
use std::sync::Mutex;

/// Number of pages without links to articles.
const TALK: usize = 30;

/// A site without a feed, list or sitemap. Its articles are linked from topic pages, among other pages.
#[derive(Clone, Default)]
struct Site {
    /// Number of articles by topic.
    topics: Arc<Mutex<BTreeMap<String, usize>>>,
}

impl Site {
    fn put(&self, topic: &str, articles: usize) {
        self.topics.lock().unwrap().insert(topic.to_owned(), articles);
    }

    fn page(&self, path: &str) -> Option<String> {
        let link = |to: String| format!("<li><a href='{to}'>{to}</a></li>");
        let topics = self.topics.lock().unwrap();
        if path == "/" {
            let topics = topics.keys().map(|t| link(format!("/topic/{t}")));
            let talk: String = (0..TALK).map(|n| link(format!("/talk/{n}"))).collect();
            return Some(format!("<nav>{}</nav><ul>{talk}</ul>", topics.collect::<String>()));
        }
        if let Some(topic) = path.strip_prefix("/topic/") {
            let story = |n| link(format!("/story/{topic}-{n}"));
            let stories: String = (1..=*topics.get(topic)?).rev().map(story).collect();
            return Some(format!("<main><ul class=stories>{stories}</ul></main>"));
        }
        if let Some((topic, n)) = path.strip_prefix("/story/")?.split_once('-') {
            let n: usize =
                n.parse().ok().filter(|n| Some(n) <= topics.get(topic).as_ref().copied())?;
            let text = "The bus went on to the harbour and came back in the evening. ".repeat(8);
            return Some(format!(
                "<script type='application/ld+json'>{{\"@type\":\"NewsArticle\",\
                 \"datePublished\":\"2024-03-{:02}\"}}</script>\
                 <article><h1>Story {n} of {topic}</h1><p>{text}</p><p>{text}</p></article>",
                n % 28 + 1
            ));
        }
        None
    }

    fn start(&self) -> Server {
        let site = self.clone();
        Server::start(move |request| match site.page(&request.path) {
            Some(body) => {
                Reply::ok("text/html", format!("<!doctype html><title>The Town</title>{body}"))
            }
            None if request.path.starts_with("/talk/") => Reply::ok("text/html", "<p>Talk</p>"),
            None if request.path.ends_with(".csv") => Reply::ok("text/csv", "a,b\n1,2\n"),
            None => Reply::status(404),
        })
        .unwrap()
    }
}

fn crawl(url: &str) -> Source {
    crawl_for(url, WebsiteRules::default())
}

fn crawl_for(url: &str, rules: WebsiteRules) -> Source {
    Source { rules: SourceRules::Crawl(rules.into()), ..source("town", url) }
}

fn requested(server: &Server, from: usize) -> Vec<String> {
    let paths = server.requests().split_off(from).into_iter().map(|r| r.path);
    paths.filter(|p| p != "/robots.txt" && p != "/sitemap.xml").collect()
}

#[tokio::test]
async fn explores_first_and_later_visits_productive_pages() {
    let site = Site::default();
    site.put("buses", 4);
    site.put("parks", 3);
    let server = site.start();
    let home = Home::with(&[crawl(&server.url("/"))]);
    let engine = home.on_demand().await;
    assert_eq!(sync_one(&engine, Pace::Manual).await, fetched(7, 0, 7));
    let first = requested(&server, 0);
    let once: BTreeSet<&String> = first.iter().collect();
    assert_eq!(once.len(), first.len(), "nothing is fetched twice: {first:?}");
    assert!(first.len() <= 60);
    let item = items(&engine).into_iter().find(|i| i.title == "Story 4 of buses").unwrap();
    assert_eq!(item.publisher.as_deref(), Some("The Town"));
    assert!(item.published.is_some() && item.summary.unwrap().starts_with("The bus"));
    // Without new articles, some productive pages are fetched, but no articles.
    home.clock.advance(DAY);
    let before = server.requests().len();
    assert_eq!(sync_one(&engine, Pace::Manual).await, fetched(0, 0, 0));
    let second = requested(&server, before);
    assert!(second.len() <= 6 && !second.iter().any(|p| p.starts_with("/story")), "{second:?}");
    engine.shutdown().await;
    // The learned values are kept across a restart.
    site.put("buses", 6);
    home.clock.advance(DAY);
    let engine = home.on_demand().await;
    let before = server.requests().len();
    assert_eq!(sync_one(&engine, Pace::Manual).await, fetched(2, 0, 2));
    let third = requested(&server, before);
    let stories: Vec<&String> = third.iter().filter(|p| p.starts_with("/story")).collect();
    assert_eq!(stories, ["/story/buses-6", "/story/buses-5"]);
    assert!(third.len() <= 10 && !third.iter().any(|p| p.starts_with("/talk")), "{third:?}");
    // Articles are not fetched again.
    home.clock.advance(DAY);
    assert_eq!(sync_one(&engine, Pace::Manual).await, fetched(0, 0, 0));
    engine.shutdown().await;
}

#[tokio::test]
async fn a_large_site_stays_within_the_poll_limit() {
    let site = Site::default();
    site.put("all", 200);
    let server = site.start();
    let home = Home::with(&[crawl(&server.url("/"))]);
    let engine = home.on_demand().await;
    assert_eq!(sync_one(&engine, Pace::Manual).await, fetched(20, 0, 20));
    assert_eq!(requested(&server, 0).len() + 1, 60, "one for the sitemap");
    home.clock.advance(DAY);
    assert_eq!(sync_one(&engine, Pace::Manual).await, fetched(0, 0, 0), "old articles are not new");
    engine.shutdown().await;
}

#[tokio::test]
async fn files_become_items_with_type_and_size() {
    let server = Server::start(|request| match request.path.as_str() {
        "/" => Reply::ok("text/html", "<a href=/x/2026-11.csv>November &amp; all</a>"),
        "/x/2026-11.csv" => Reply::ok("text/csv; charset=utf-8", "a,b\n1,2\n"),
        _ => Reply::status(404),
    })
    .unwrap();
    let rules = WebsiteRules { targets: Some("data".to_owned()), ..WebsiteRules::default() };
    let home = Home::with(&[crawl_for(&server.url("/"), rules)]);
    let engine = home.on_demand().await;
    assert_eq!(sync_one(&engine, Pace::Manual).await, fetched(1, 0, 1));
    let item = items(&engine).remove(0);
    assert_eq!(item.title, "November & all");
    assert_eq!(item.summary.as_deref(), Some("text/csv, 8 bytes"));
    assert_eq!(
        (item.enclosures[0].mime.as_deref(), item.enclosures[0].bytes),
        (Some("text/csv"), Some(8))
    );
    engine.shutdown().await;
}

#[tokio::test]
async fn resumes_a_killed_exploration_without_loss() {
    let site = Site::default();
    site.put("buses", 5);
    let server = site.start();
    let home = Home::with(&[crawl(&server.url("/"))]);
    let engine = home.on_demand().await;
    let mut reports = engine.refresh(None, Pace::Manual).await;
    while requested(&server, 0).len() < 20 {
        tokio::task::yield_now().await;
    }
    engine.shutdown().await;
    while reports.recv().await.is_some() {}
    let engine = home.on_demand().await;
    sync_one(&engine, Pace::Manual).await;
    home.clock.advance(DAY);
    sync_one(&engine, Pace::Manual).await;
    assert_eq!(items(&engine).len(), 5);
    engine.shutdown().await;
}

#[tokio::test]
async fn stores_files_found_by_a_killed_poll_as_items() {
    const FILES: usize = 15;
    let server = Server::start(|request| match request.path.as_str() {
        "/" => {
            let links = (0..FILES).map(|n| format!("<a href=/{n}.csv>File {n}</a>"));
            Reply::ok("text/html", links.collect::<String>())
        }
        path if path.ends_with(".csv") => Reply::ok("text/csv", path.to_owned()),
        _ => Reply::status(404),
    })
    .unwrap();
    let rules = WebsiteRules { targets: Some("data".to_owned()), ..WebsiteRules::default() };
    let home = Home::with(&[crawl_for(&server.url("/"), rules)]);
    let engine = home.on_demand().await;
    let mut reports = engine.refresh(None, Pace::Manual).await;
    while requested(&server, 0).len() < FILES - 3 {
        tokio::task::yield_now().await;
    }
    engine.shutdown().await;
    while reports.recv().await.is_some() {}
    let engine = home.on_demand().await;
    sync_one(&engine, Pace::Manual).await;
    assert_eq!(items(&engine).len(), FILES);
    let once: BTreeSet<String> = requested(&server, 0).into_iter().filter(|p| p != "/").collect();
    assert!(once.len() == FILES);
    engine.shutdown().await;
}

#[tokio::test]
async fn the_next_poll_retries_a_failed_page() {
    let site = Site::default();
    site.put("buses", 5);
    let (pages, down) = (site.clone(), Arc::new(std::sync::atomic::AtomicBool::new(false)));
    let fails = down.clone();
    let server = Server::start(move |request| {
        let story = request.path.starts_with("/story/");
        if story && fails.load(std::sync::atomic::Ordering::SeqCst) {
            // The requested pause is longer than a poll waits.
            return Reply::status(503).header("retry-after", "3600");
        }
        match pages.page(&request.path) {
            Some(body) => Reply::ok("text/html", format!("<title>The Town</title>{body}")),
            None => Reply::status(404),
        }
    })
    .unwrap();
    let home = Home::with(&[crawl(&server.url("/"))]);
    let engine = home.on_demand().await;
    sync_one(&engine, Pace::Manual).await;
    site.put("buses", 8);
    down.store(true, std::sync::atomic::Ordering::SeqCst);
    home.clock.advance(DAY);
    sync_one(&engine, Pace::Manual).await;
    down.store(false, std::sync::atomic::Ordering::SeqCst);
    home.clock.advance(DAY);
    assert_eq!(sync_one(&engine, Pace::Manual).await, fetched(3, 0, 3));
    let facts = facts(&engine, "town").await;
    assert_eq!(facts.feed_title.as_deref(), Some("The Town"));
    engine.shutdown().await;
}

#[tokio::test]
async fn explores_a_site_with_a_varying_start_url_once() {
    let site = Site::default();
    site.put("buses", 4);
    let pages = site.clone();
    let visits = std::sync::atomic::AtomicUsize::new(0);
    let server = Server::start(move |request| match request.path.as_str() {
        "/" => {
            let n = visits.fetch_add(1, std::sync::atomic::Ordering::SeqCst);
            Reply::status(302).header("location", format!("/front?s={n}"))
        }
        path if path.starts_with("/front") => Reply::ok("text/html", pages.page("/").unwrap()),
        path => pages.page(path).map_or(Reply::status(404), |body| Reply::ok("text/html", body)),
    })
    .unwrap();
    let home = Home::with(&[crawl(&server.url("/"))]);
    let engine = home.on_demand().await;
    assert_eq!(sync_one(&engine, Pace::Manual).await, fetched(4, 0, 4));
    home.clock.advance(DAY);
    let before = server.requests().len();
    assert_eq!(sync_one(&engine, Pace::Manual).await, fetched(0, 0, 0));
    assert!(server.requests().len() - before <= 8);
    engine.shutdown().await;
}

#[tokio::test]
async fn explores_again_if_nothing_was_found_at_first() {
    // A site with a hundred pages without targets before the first topic.
    let server = Server::start(|request| {
        let next = |n: usize| format!("<title>T</title><a href='/{}'>on</a>", n + 1);
        let path = request.path.as_str();
        match path.trim_start_matches('/').parse::<usize>() {
            Ok(n) if n < 90 => Reply::ok("text/html", next(n)),
            Ok(_) => Reply::ok("text/html", "<a href=/x.csv>At last</a>"),
            Err(_) if path == "/" => Reply::ok("text/html", next(0)),
            Err(_) if path == "/x.csv" => Reply::ok("text/csv", "x"),
            Err(_) => Reply::status(404),
        }
    })
    .unwrap();
    let rules = WebsiteRules { targets: Some("data".to_owned()), ..WebsiteRules::default() };
    let home = Home::with(&[crawl_for(&server.url("/"), rules)]);
    let engine = home.on_demand().await;
    assert_eq!(sync_one(&engine, Pace::Manual).await, fetched(0, 0, 0));
    home.clock.advance(DAY);
    assert_eq!(sync_one(&engine, Pace::Manual).await, fetched(1, 0, 1));
    let requested: Vec<String> = requested(&server, 0).into_iter().filter(|p| p != "/").collect();
    let once: BTreeSet<&String> = requested.iter().collect();
    assert_eq!((requested.len(), once.len()), (91, 91));
    engine.shutdown().await;
}

#[tokio::test]
async fn the_next_poll_fetches_the_remaining_links() {
    const NEWS: usize = 80;
    let site = Site::default();
    site.put("buses", 5);
    let server = site.start();
    let home = Home::with(&[crawl(&server.url("/"))]);
    let engine = home.on_demand().await;
    sync_one(&engine, Pace::Manual).await;
    site.put("buses", 5 + NEWS);
    let mut stories = Vec::new();
    for _ in 0..2 {
        home.clock.advance(DAY);
        let before = server.requests().len();
        sync_one(&engine, Pace::Manual).await;
        stories.extend(requested(&server, before).into_iter().filter(|p| p.starts_with("/story")));
    }
    let once: BTreeSet<&String> = stories.iter().collect();
    assert_eq!((stories.len(), once.len()), (NEWS, NEWS));
    engine.shutdown().await;
}

#[tokio::test]
async fn revisits_use_conditional_requests() {
    let site = Site::default();
    site.put("buses", 5);
    let pages = site.clone();
    let server = Server::start(move |request| match pages.page(&request.path) {
        Some(body) => {
            let tag = format!("\"{}\"", body.len());
            if request.header("if-none-match") == Some(tag.as_bytes()) {
                return Reply::status(304);
            }
            Reply::ok("text/html", body).header("etag", tag)
        }
        None => Reply::status(404),
    })
    .unwrap();
    let home = Home::with(&[crawl(&server.url("/"))]);
    let engine = home.on_demand().await;
    sync_one(&engine, Pace::Manual).await;
    let poll = async || {
        home.clock.advance(DAY);
        let before = server.requests().len();
        let poll = sync_one(&engine, Pace::Manual).await;
        let topics = server.requests().split_off(before).into_iter();
        let topics = topics.filter(|r| r.path.starts_with("/topic/"));
        (poll, topics.map(|r| is_conditional(&r)).collect::<Vec<_>>())
    };
    assert_eq!(poll().await, (fetched(0, 0, 0), vec![false]), "no validators are known yet");
    assert_eq!(poll().await, (fetched(0, 0, 0), vec![true]));
    site.put("buses", 6);
    assert_eq!(poll().await, (fetched(1, 0, 1), vec![true]));
    engine.shutdown().await;
}

#[tokio::test]
async fn replaces_a_damaged_log_by_exploring_again() {
    let site = Site::default();
    site.put("buses", 3);
    let server = site.start();
    let home = Home::with(&[crawl(&server.url("/"))]);
    let engine = home.on_demand().await;
    assert_eq!(sync_one(&engine, Pace::Manual).await, fetched(3, 0, 3));
    let record = home.paths().data_dir().join("crawls/town.db");
    std::fs::write(&record, "no database ".repeat(1_000)).unwrap();
    site.put("buses", 4);
    home.clock.advance(DAY);
    assert_eq!(sync_one(&engine, Pace::Manual).await, fetched(1, 0, 4));
    engine.shutdown().await;
}

#[tokio::test]
async fn reports_links_that_exceed_the_limit() {
    let server = Server::start(|request| match request.path.as_str() {
        "/" => Reply::ok(
            "text/html",
            (0..5_002).map(|n| format!("<a href={n}.css>x</a>")).collect::<String>(),
        ),
        _ => Reply::status(404),
    })
    .unwrap();
    let home = Home::with(&[crawl(&server.url("/"))]);
    let engine = home.on_demand().await;
    sync(&engine, Pace::Manual).await;
    let note = format!("{}: 2 links left out: limit of 5000", server.url("/"));
    let notes = &polls(&engine)[0].repairs;
    assert!(notes.contains(&note), "{notes:?}");
    engine.shutdown().await;
}

#[tokio::test]
async fn reports_links_that_exceed_the_revisit_limit() {
    let site = Site::default();
    site.put("buses", 5);
    let server = site.start();
    let home = Home::with(&[crawl(&server.url("/"))]);
    let engine = home.on_demand().await;
    sync_one(&engine, Pace::Manual).await;
    site.put("buses", 700);
    home.clock.advance(DAY);
    sync_one(&engine, Pace::Manual).await;
    let notes = &polls(&engine)[0].repairs;
    let note = "waiting links left out: limit of 500";
    assert!(notes.iter().any(|n| n.ends_with(note)), "{notes:?}");
    engine.shutdown().await;
}
