//! Signals for how often the pages of a site change, and their effect on the schedule.

use super::websites::{Site, website};
use super::*;
use newsfed::demo::server::Failure;
use newsfed::model::{DecidingSignal, Signal, SourceRules};

fn learned() -> Home {
    let mut home = Home::new();
    home.settings.schedule.policy = PolicyKind::Learned;
    home
}

/// A source that watches a page.
fn watched(url: &str) -> Source {
    Source { rules: SourceRules::Page(Box::default()), ..source("page", url) }
}

fn sitemap(url: &str) -> Source {
    Source { rules: SourceRules::Sitemap(Box::default()), ..source("map", url) }
}

/// The deciding signal after the first poll of a site.
async fn signal_of(home: &Home, declared: Source) -> DecidingSignal {
    let id = declared.id.0.clone();
    home.declare(&[declared]);
    let engine = home.on_demand().await;
    sync_one(&engine, Pace::Manual).await;
    let planned = facts(&engine, &id).await.planned.unwrap();
    engine.shutdown().await;
    planned.signal.unwrap()
}

#[tokio::test]
async fn stores_the_first_conclusive_signal_with_the_plan() {
    let text = "<p>The bus goes to the harbour and back again every evening.</p>";
    // The clock starts at 2027-01-15, 08:00 UTC.
    let meta = "<meta property=article:modified_time content=2027-01-14T22:00:00Z>";
    let time = "<time datetime=2027-01-15T03:00:00Z>today</time>";
    let article = |head: &str, body: &str| {
        Reply::ok("text/html", format!("<!doctype html>{head}<h1>Bus</h1>{body}{text}"))
    };
    let cases = [
        (
            "/a",
            article(meta, time).header("cache-control", "max-age=3600").header("age", "1800"),
            Signal::Headers,
            1800,
        ),
        (
            "/a",
            article(meta, time).header("cache-control", "no-cache, max-age=3600"),
            Signal::Metadata,
            3600,
        ),
        ("/live/a", article(meta, time), Signal::Metadata, 3600),
        ("/live/a", article("", time), Signal::Url, 300),
        ("/a", article("", time), Signal::Body, 1800),
        ("/a", article("", ""), Signal::Nothing, 86_400),
    ];
    for (path, reply, signal, after) in cases {
        let site = Site::default();
        site.put(path, reply);
        let server = site.start();
        let home = learned();
        let found = signal_of(&home, watched(&server.url(path))).await;
        assert_eq!((found.name, found.after), (signal, after), "{path}: {}", found.why);
    }
    let site = Site::default();
    let rows = "<ul><li class=story><a href=/a>The bus</a> <time datetime=2027-01-15T06:00:00Z>\
                </time></ul>";
    site.html("/news", rows);
    let server = site.start();
    let found = signal_of(&learned(), website(&server.url("/news"))).await;
    assert_eq!((found.name, found.after), (Signal::Listed, 720), "{}", found.why);
}

#[tokio::test]
async fn the_schedule_starts_with_the_changefreq_of_a_sitemap() {
    let mut gaps = Vec::new();
    for freq in ["weekly", "hourly", "unheard-of"] {
        let site = Site::default();
        // Without a date on the page, the sitemap is the only signal.
        site.html("/news/story-1", "<article><h1>The bus</h1><p>It goes on.</p></article>");
        let page = |path: &str, freq: &str| {
            format!("<url><loc>{path}</loc><changefreq>{freq}</changefreq></url>")
        };
        let pages = page("/news/story-1", freq) + &page("/news/none", "yearly");
        site.put("/map.xml", Reply::ok("application/xml", format!("<urlset>{pages}</urlset>")));
        let server = site.start();
        let home = learned();
        home.declare(&[sitemap(&server.url("/map.xml"))]);
        let engine = home.on_demand().await;
        sync_one(&engine, Pace::Manual).await;
        let known = facts(&engine, "map").await;
        assert_eq!(known.hints, newsfed::model::FeedHints::default(), "it is not a hint of a feed");
        let planned = known.planned.unwrap();
        let gap = (planned.wanted - planned.at).num_minutes();
        gaps.push((planned.signal.unwrap().name, gap));
        engine.shutdown().await;
    }
    let [weekly, hourly, none] = gaps.as_slice() else { panic!("{gaps:?}") };
    assert_eq!((weekly.0, hourly.0, none.0), (Signal::Sitemap, Signal::Sitemap, Signal::Sitemap));
    assert!(hourly.1 < weekly.1 && hourly.1 < none.1, "{gaps:?}");
}

#[tokio::test]
async fn hints_delay_polls_until_the_rate_is_known() {
    let site = Site::default();
    let old = "<meta property=article:modified_time content=2026-12-01T00:00:00Z>";
    let rows = |count: usize| -> String {
        let row = |n| format!("<li class=story><a href=/news/story-{n}>The bus {n}</a></li>");
        (1..=count).rev().map(row).collect()
    };
    site.list(8);
    site.html("/news", &format!("{old}<ul>{}</ul>", rows(2)));
    let server = site.start();
    let mut home = learned();
    home.settings.schedule.polls_per_day = 200.0;
    home.declare(&[website(&server.url("/news"))]);
    let engine = home.on_demand().await;
    sync_one(&engine, Pace::Manual).await;
    let planned = facts(&engine, "site").await.planned.unwrap();
    let moved = planned.moved_by.iter().find(|m| m.reason == PauseReason::SiteHints).unwrap();
    assert_eq!(planned.signal.unwrap().name, Signal::Metadata);
    assert_eq!((moved.to - planned.at).num_hours(), 24, "a tenth of 45 days is cut to a day");
    assert_eq!(facts(&engine, "site").await.pause, None, "a user may poll all the same");
    home.clock.advance(DAY);
    site.html("/news", &format!("{old}<ul>{}</ul>", rows(8)));
    assert_eq!(sync_one(&engine, Pace::Manual).await, fetched(6, 0, 6));
    let planned = facts(&engine, "site").await.planned.unwrap();
    assert_eq!(planned.signal.unwrap().name, Signal::History);
    assert!(planned.moved_by.iter().all(|m| m.reason != PauseReason::SiteHints));
    engine.shutdown().await;
}

#[tokio::test]
async fn does_not_reread_a_page_with_an_unchanged_date() {
    let site = Site::default();
    let page = |modified: &str, more: &str| {
        let meta = format!("<meta property=article:modified_time content={modified}>");
        format!("{meta}<h1>Bus</h1><p>{more}</p>")
    };
    site.html("/page", &page("2027-01-10T00:00:00Z", "one"));
    let server = site.start();
    let home = Home::with(&[watched(&server.url("/page"))]);
    let engine = home.on_demand().await;
    assert_eq!(sync_one(&engine, Pace::Manual).await, fetched(1, 0, 1));
    site.html("/page", &page("2027-01-10T00:00:00Z", "an advertisement"));
    assert_eq!(sync_one(&engine, Pace::Manual).await, UNCHANGED);
    site.html("/page", &page("2027-01-11T00:00:00Z", "two"));
    assert_eq!(sync_one(&engine, Pace::Manual).await, fetched(0, 1, 1), "read, and changed");
    engine.shutdown().await;
}

#[tokio::test]
async fn the_crawl_delay_limits_the_plan() {
    let site = Site::default();
    site.list(1);
    site.put("/robots.txt", Reply::ok("text/plain", "User-agent: *\nCrawl-delay: 40\n"));
    let server = site.start();
    let mut often = website(&server.url("/news"));
    often.interval = Some(10 * SECOND);
    often.schedule.min_interval = Some(10 * SECOND);
    let home = Home::with(&[often.clone()]);
    let engine = home.on_demand().await;
    // The delay between the requests of a poll uses the test clock.
    let poll = async { sync_one(&engine, Pace::Manual).await };
    let tick = async {
        loop {
            home.clock.advance(SECOND);
            tokio::task::yield_now().await;
        }
    };
    tokio::select! { polled = poll => assert_eq!(polled, fetched(1, 0, 1)), () = tick => {} }
    let known = facts(&engine, "site").await;
    let planned = known.planned.unwrap();
    let moved = planned.moved_by.iter().find(|m| m.reason == PauseReason::CrawlDelay).unwrap();
    assert_eq!((moved.to - planned.at).num_seconds(), 40);
    assert_eq!(known.pause, None, "by hand, the gate keeps the delay");
    engine.shutdown().await;
}

#[tokio::test]
async fn an_interrupted_poll_keeps_its_articles() {
    let site = Site::default();
    site.list(5);
    site.put("/news/story-3", Reply::status(200).failing(Failure::NeverAnswer));
    let server = site.start();
    let home = Home::with(&[website(&server.url("/news"))]);
    let engine = home.on_demand().await;
    let reports = engine.refresh(None, Pace::Manual).await;
    received(&server, 5).await;
    engine.shutdown().await;
    drop(reports);
    site.article(3);
    let engine = home.on_demand().await;
    let known = facts(&engine, "site").await;
    assert_eq!((known.items, known.last_poll, known.planned), (2, None, None), "and nothing else");
    assert_eq!(sync_one(&engine, Pace::Manual).await, fetched(3, 0, 3));
    let found: Vec<String> = titles(&engine);
    assert_eq!(found.len(), 5);
    let requested = paths_requested(&server);
    let count = |path: &str| requested.iter().filter(|p| *p == path).count();
    assert_eq!([5, 4, 3].map(|n| count(&format!("/news/story-{n}"))), [1, 1, 2]);
    engine.shutdown().await;
}

#[tokio::test]
async fn items_keep_the_order_of_the_list() {
    let site = Site::default();
    site.list(4);
    for n in 1..=4 {
        let text = "<p>The bus went on to the harbour and came back in the evening.</p>";
        site.html(&format!("/news/story-{n}"), &format!("<h1 class=headline>Bus {n}</h1>{text}"));
    }
    let server = site.start();
    let home = Home::with(&[website(&server.url("/news"))]);
    let engine = home.on_demand().await;
    assert_eq!(sync_one(&engine, Pace::Manual).await, fetched(4, 0, 4));
    assert_eq!(titles(&engine), ["Bus 4", "Bus 3", "Bus 2", "Bus 1"], "none of them has a date");
    engine.shutdown().await;
}

#[tokio::test]
async fn counts_the_requests_of_a_poll() {
    let site = Site::default();
    site.list(3);
    let server = site.start();
    let home = Home::with(&[website(&server.url("/news"))]);
    let engine = home.on_demand().await;
    sync_one(&engine, Pace::Manual).await;
    sync_one(&engine, Pace::Manual).await;
    let spent = why(&engine, "site", &home).await.spent;
    // The request for robots.txt is not counted, because it is made once a day for all sources of a host.
    assert_eq!((spent.polls, spent.requests as usize), (2, server.requests().len() - 1));
    engine.shutdown().await;
}

#[tokio::test]
async fn stops_at_an_article_older_than_the_last_poll() {
    for (date, pages) in [("2027-01-20T09:00:00Z", 2), ("2026-12-20T09:00:00Z", 1)] {
        let site = Site::default();
        site.list(1);
        let server = site.start();
        let mut source = website(&server.url("/news"));
        let rules = source.rules.pages_mut().unwrap();
        (rules.next, rules.max_pages) = (Some("a.next".to_owned()), 3);
        let home = Home::with(&[source]);
        let engine = home.on_demand().await;
        sync_one(&engine, Pace::Manual).await;
        home.clock.advance(10 * DAY);
        let list = |n: usize, next: &str| {
            format!("<li class=story><a href=/n/{n}>Bus</a></li><a class=next href={next}>on</a>")
        };
        site.html("/news", &list(10, "/news2"));
        site.html("/news2", &list(20, "/news"));
        for n in [10, 20] {
            let time = format!("<time class=when datetime={date}>x</time>");
            site.html(&format!("/n/{n}"), &format!("<h1 class=headline>Bus {n}</h1>{time}"));
        }
        assert_eq!(sync_one(&engine, Pace::Manual).await, fetched(pages, 0, pages), "{date}");
        engine.shutdown().await;
    }
}

#[tokio::test]
async fn a_site_can_have_its_own_request_delay() {
    let site = Site::default();
    site.list(2);
    let server = site.start();
    let mut slow = website(&server.url("/news"));
    slow.rules.pages_mut().unwrap().delay = Some(3 * SECOND);
    let home = Home::with(&[slow]);
    let engine = home.on_demand().await;
    let mut reports = engine.refresh(None, Pace::Manual).await;
    // Requests robots.txt, the list, and two articles.
    for n in 1..=4 {
        received(&server, n).await;
        home.clock.advance(2 * SECOND);
        tokio::task::yield_now().await;
        assert_eq!(server.requests().len(), n, "two seconds are not enough");
        home.clock.advance(SECOND);
    }
    assert_eq!(soon(reports.recv()).await.unwrap().result, fetched(2, 0, 2));
    engine.shutdown().await;
}
