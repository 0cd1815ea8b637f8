//! Websites and sitemaps: lists and articles over real HTTP.

use super::*;
use newsfed::model::{Confidence, DateSource, SourceKind, SourceRules, WebsiteRules};
use std::sync::Mutex;

/// A site with a list and articles that a test can change.
#[derive(Clone, Default)]
pub(super) struct Site {
    pages: Arc<Mutex<BTreeMap<String, Reply>>>,
    /// Responses that are sent only once, before the permanent ones.
    once: Arc<Mutex<BTreeMap<String, Reply>>>,
}

impl Site {
    pub(super) fn put(&self, path: &str, reply: Reply) {
        self.pages.lock().unwrap().insert(path.to_owned(), reply);
    }

    pub(super) fn html(&self, path: &str, body: &str) {
        self.put(
            path,
            Reply::ok("text/html", format!("<!doctype html><title>The Site</title>{body}")),
        );
    }

    /// Serves a list of the articles `/news/story-1` to `/news/story-{count}`, newest first, and their pages.
    pub(super) fn list(&self, count: usize) {
        let rows: String = (1..=count)
            .rev()
            .map(|n| {
                format!(
                    "<li class=story><a href=/news/story-{n}>The story of bus number {n}</a></li>"
                )
            })
            .collect();
        self.html("/news", &format!("<main><ul class=stories>{rows}</ul></main>"));
        for n in 1..=count {
            self.article(n);
        }
    }

    pub(super) fn article(&self, n: usize) {
        let text = "The bus went on to the harbour and came back in the evening. ".repeat(5);
        self.html(
            &format!("/news/story-{n}"),
            &format!(
                "<article><h1 class=headline>The story of bus number {n}</h1>\
                 <p class=byline>By Ann Lee</p><time class=when datetime=2024-03-{:02}>March</time>\
                 <div class=story-text><p>{text}</p><p>{text}</p></div></article>",
                n % 28 + 1
            ),
        );
    }

    pub(super) fn start(&self) -> Server {
        self.start_on(&hosts(1))
    }

    fn start_on(&self, ips: &[IpAddr]) -> Server {
        let site = self.clone();
        Server::start_on(ips, move |request| {
            let first = site.once.lock().unwrap().remove(&request.path);
            let found = first.or_else(|| site.pages.lock().unwrap().get(&request.path).cloned());
            found.unwrap_or_else(|| Reply::status(404))
        })
        .unwrap()
    }
}

pub(super) fn website(url: &str) -> Source {
    let rules = WebsiteRules {
        articles: Some("li.story a".to_owned()),
        title: "h1.headline".to_owned(),
        content: ".story-text".to_owned(),
        author: Some(".byline".to_owned()),
        date: Some("time.when".to_owned()),
        ..WebsiteRules::default()
    };
    Source { rules: SourceRules::Website(rules.into()), ..source("site", url) }
}

#[tokio::test]
async fn stores_articles_once_and_adds_new_ones() {
    let site = Site::default();
    site.list(3);
    let server = site.start();
    let home = Home::with(&[website(&server.url("/news"))]);
    let engine = home.on_demand().await;
    assert_eq!(sync_one(&engine, Pace::Manual).await, fetched(3, 0, 3));
    let item = items(&engine).into_iter().find(|i| i.title.ends_with('1')).unwrap();
    assert_eq!(item.authors, ["Ann Lee"]);
    assert_eq!(item.publisher.as_deref(), Some("The Site"));
    assert!(item.summary.unwrap().starts_with("The bus went on"));
    assert_eq!(item.published.unwrap().to_rfc3339(), "2024-03-02T00:00:00+00:00");
    assert_eq!(
        paths_requested(&server),
        ["/robots.txt", "/news", "/news/story-3", "/news/story-2", "/news/story-1"]
    );
    assert_eq!(sync_one(&engine, Pace::Manual).await, UNCHANGED);
    site.list(4);
    home.clock.advance(DAY);
    assert_eq!(sync_one(&engine, Pace::Manual).await, fetched(1, 0, 1));
    let requested = paths_requested(&server);
    let once = |path: &str| requested.iter().filter(|p| *p == path).count() == 1;
    assert!((1..=4).all(|n| once(&format!("/news/story-{n}"))), "{requested:?}");
    engine.shutdown().await;
}

#[tokio::test]
async fn stores_the_origins_of_dates() {
    let site = Site::default();
    let row = |n: usize, date: &str| format!("<li class=story><a href=/s{n}>Story {n}</a>{date}");
    let rows = row(1, "")
        + &row(2, "")
        + &row(3, " <time datetime=2024-03-05>5 March</time>")
        + &row(4, "");
    site.html("/news", &format!("<ul>{rows}</ul>"));
    let text = "<p class=story-text>It was a long day in the harbour, and the ferry was late.</p>";
    let article = |n: usize, date: &str| {
        site.html(&format!("/s{n}"), &format!("<h1 class=headline>Story {n}</h1>{date}{text}"));
    };
    article(1, "<time class=when datetime=2024-03-02>2 March</time>");
    article(2, "<p>Published 3 March 2024</p>");
    article(3, "");
    article(4, "");
    let server = site.start();
    let home = Home::with(&[website(&server.url("/news"))]);
    let engine = home.on_demand().await;
    sync_one(&engine, Pace::Manual).await;
    let mut found: Vec<_> = items(&engine)
        .into_iter()
        .map(|i| (i.title, i.published_from, i.published_confidence))
        .collect();
    found.sort_by(|a, b| a.0.cmp(&b.0));
    let (high, medium) = (Some(Confidence::High), Some(Confidence::Medium));
    let want = [
        ("Story 1".to_owned(), Some(DateSource::Selector), high),
        ("Story 2".to_owned(), Some(DateSource::Text), medium),
        ("Story 3".to_owned(), Some(DateSource::List), medium),
        ("Story 4".to_owned(), None, None),
    ];
    assert_eq!(found, want);
    let reader = engine.store().reader().unwrap();
    let counted = reader.dates_from(1, 3).unwrap();
    assert_eq!(counted.iter().map(|of| of.items).sum::<u32>(), 3, "{counted:?}");
    let counted = reader.dates_from(1, 500).unwrap();
    assert_eq!(counted.len(), 4, "{counted:?}");
    engine.shutdown().await;
}

#[tokio::test]
async fn does_not_store_an_article_of_another_source_again() {
    let site = Site::default();
    site.list(2);
    let server = site.start();
    let home = Home::with(&[
        website(&server.url("/news")),
        Source { id: SourceId("again".to_owned()), ..website(&server.url("/news?again")) },
    ]);
    site.html("/news?again", "<ul><li class=story><a href=/news/story-2#top>Bus</a></ul>");
    let engine = home.on_demand().await;
    sync(&engine, Pace::Manual).await;
    assert_eq!(titles(&engine).len(), 2);
    engine.shutdown().await;
}

#[tokio::test]
async fn continues_an_unfinished_poll() {
    let site = Site::default();
    site.list(23);
    site.put("/news/story-23", Reply::status(404));
    let server = site.start();
    let home = Home::with(&[website(&server.url("/news"))]);
    let engine = home.on_demand().await;
    assert_eq!(sync_one(&engine, Pace::Manual).await, fetched(19, 0, 19));
    // The list is unchanged, but three articles remain to be fetched; the missing one is retried after a day.
    assert_eq!(sync_one(&engine, Pace::Manual).await, fetched(3, 0, 3));
    assert_eq!(sync_one(&engine, Pace::Manual).await, UNCHANGED);
    let requested = paths_requested(&server);
    assert_eq!(requested.iter().filter(|p| *p == "/news/story-23").count(), 1);
    engine.shutdown().await;
}

#[tokio::test]
async fn broken_selectors_are_reported_with_the_date() {
    let site = Site::default();
    site.list(4);
    let server = site.start();
    let home = Home::with(&[website(&server.url("/news"))]);
    let engine = home.on_demand().await;
    sync_one(&engine, Pace::Manual).await;
    let rows: String = (1..9)
        .map(|n| format!("<p class=entry><a href=/n/tale-{n}>The tale of the old bus {n}</a></p>"))
        .collect();
    site.html("/news", &format!("<main>{rows}</main>"));
    home.clock.advance(DAY);
    let since = home.clock.now();
    for _ in 0..3 {
        assert!(facts(&engine, "site").await.website.broken().is_none());
        assert_eq!(sync_one(&engine, Pace::Manual).await, fetched(0, 0, 0));
        home.clock.advance(DAY);
    }
    let known = facts(&engine, "site").await.website;
    let problem = known.broken().unwrap();
    assert_eq!((problem.since, problem.what.as_str()), (since, "no links to articles"));
    let works = newsfed::website::Selectors::parse(&problem.instead[0]);
    assert!(works.is_ok(), "{problem:?}");
    assert_eq!(why(&engine, "site", &home).await.broken.as_ref(), Some(problem));
    let discovery = engine.discover(&server.url("/news")).await.unwrap();
    let proposed = discovery.ways[0].rules.pages().unwrap().articles.as_ref();
    assert_eq!(proposed, problem.instead.first(), "exploring the URL proposes the same");
    site.list(5);
    sync_one(&engine, Pace::Manual).await;
    assert_eq!(facts(&engine, "site").await.website.problem, None);
    engine.shutdown().await;
}

#[tokio::test]
async fn reports_articles_without_text_with_a_working_selector() {
    let site = Site::default();
    site.list(2);
    let server = site.start();
    let home = Home::with(&[website(&server.url("/news"))]);
    let engine = home.on_demand().await;
    sync_one(&engine, Pace::Manual).await;
    let text = "The bus went on to the harbour and came back in the evening. ".repeat(9);
    for n in 3..6 {
        // The site renames the class of the elements with the text.
        site.list(n);
        for n in 3..=n {
            let body = format!("<div class=prose><p>{text}</p><p>{text}</p></div>");
            let head = format!("<h1 class=headline>The story of bus number {n}</h1>");
            site.html(&format!("/news/story-{n}"), &format!("<nav>x</nav>{head}{body}"));
        }
        home.clock.advance(DAY);
        assert_eq!(sync_one(&engine, Pace::Manual).await, fetched(1, 0, 1));
    }
    let known = facts(&engine, "site").await.website;
    let problem = known.broken().unwrap();
    assert_eq!(problem.what, "no text in the articles");
    assert_eq!(problem.key, newsfed::model::RuleKey::Content);
    assert!(problem.instead[0].starts_with("div.prose"), "{problem:?}");
    engine.shutdown().await;
}

#[tokio::test]
async fn an_unreadable_next_page_does_not_fail_the_poll() {
    let site = Site::default();
    site.list(2);
    let rows = "<li class=story><a href=/news/story-1>Bus</a></li><a class=next href=/more>on</a>";
    site.html("/news", rows);
    site.put("/more", Reply::ok("application/pdf", "%PDF-1.7"));
    let server = site.start();
    let mut source = website(&server.url("/news"));
    let rules = source.rules.pages_mut().unwrap();
    (rules.next, rules.max_pages) = (Some("a.next".to_owned()), 2);
    let home = Home::with(&[source]);
    let engine = home.on_demand().await;
    assert_eq!(sync_one(&engine, Pace::Manual).await, fetched(1, 0, 1));
    let note = &polls(&engine)[0].repairs[0];
    assert!(note.contains("/more") && note.contains("PDF"), "{note}");
    engine.shutdown().await;
}

#[tokio::test]
async fn skips_other_sites_and_pages_forbidden_by_robots_txt() {
    let site = Site::default();
    site.list(2);
    site.put("/robots.txt", Reply::ok("text/plain", "User-agent: *\nDisallow: /news/story-2\n"));
    let server = site.start();
    let home = Home::with(&[website(&server.url("/news"))]);
    let engine = home.on_demand().await;
    assert_eq!(sync_one(&engine, Pace::Manual).await, fetched(1, 0, 1));
    site.put("/robots.txt", Reply::ok("text/plain", "User-agent: *\nDisallow: /\n"));
    engine.shutdown().await;
    let engine = home.on_demand().await;
    let refused = sync_one(&engine, Pace::Manual).await;
    assert!(failure(&refused).is_some_and(|m| m.contains("robots.txt")), "{refused:?}");
    engine.shutdown().await;
}

#[tokio::test]
async fn fetches_only_new_pages_of_a_sitemap() {
    let site = Site::default();
    site.list(4);
    let entry = |n: usize, day: &str| {
        format!("<url><loc>/news/story-{n}</loc><lastmod>{day}</lastmod></url>")
    };
    let index = "<sitemapindex><sitemap><loc>/s1.xml</loc><lastmod>2027-01-10</lastmod></sitemap>\
                 <sitemap><loc>/s2.xml</loc><lastmod>2026-01-01</lastmod></sitemap></sitemapindex>";
    let xml = |body: String| Reply::ok("application/xml", body);
    site.put("/sitemap.xml", xml(index.to_owned()));
    site.put(
        "/s1.xml",
        xml(format!("<urlset>{}{}</urlset>", entry(1, "2027-01-10"), entry(2, "2027-01-09"))),
    );
    let news = "<url><loc>/flash</loc><news:news><news:title>News flash</news:title>\
                <news:publication_date>2027-01-08</news:publication_date></news:news></url>";
    site.put("/s2.xml", xml(format!("<urlset>{news}</urlset>")));
    let server = site.start();
    let map = Source {
        rules: SourceRules::Sitemap(Box::default()),
        ..source("map", &server.url("/sitemap.xml"))
    };
    let home = Home::with(&[map]);
    let engine = home.on_demand().await;
    assert_eq!(sync_one(&engine, Pace::Manual).await, fetched(3, 0, 3));
    assert!(titles(&engine).contains(&"News flash".to_owned()));
    assert!(
        !paths_requested(&server).contains(&"/flash".to_owned()),
        "its title is known without it"
    );
    home.clock.advance(10 * DAY);
    let day = home.clock.now().format("%F").to_string();
    site.put("/sitemap.xml", xml(index.replace("2027-01-10", &day)));
    site.put(
        "/s1.xml",
        xml(format!("<urlset>{}{}</urlset>", entry(1, "2027-01-10"), entry(3, &day))),
    );
    let before = server.requests().len();
    assert_eq!(sync_one(&engine, Pace::Manual).await, fetched(1, 0, 1));
    let requested = paths_requested(&server)[before..].to_vec();
    let requested: Vec<&String> = requested.iter().filter(|p| *p != "/robots.txt").collect();
    assert_eq!(requested, ["/sitemap.xml", "/s1.xml", "/news/story-3"]);
    engine.shutdown().await;
}

#[tokio::test]
async fn follows_a_page_without_a_feed_by_its_links() {
    let site = Site::default();
    site.list(6);
    let server = site.start();
    let home = Home::new();
    let engine = home.on_demand().await;
    let kind = Some(SourceKind::Website);
    let (listener, _) = tokio::sync::mpsc::unbounded_channel();
    let discovery = engine.discover_reporting(&server.url("/news"), kind, listener).await.unwrap();
    assert_eq!(paths_requested(&server), ["/news", "/robots.txt"]);
    let way = &discovery.ways[0];
    assert_eq!(
        (way.kind(), way.count(), way.title.as_str()),
        (SourceKind::Website, Some(6), "The Site")
    );
    assert_eq!(way.preview().unwrap()[0].title, "The story of bus number 6");
    let (source, _) = engine.follow(discovery, 0, None, None).await.unwrap();
    let requested = paths_requested(&server);
    assert_eq!(
        requested.iter().filter(|p| *p == "/news").count(),
        1,
        "it is used as the first poll"
    );
    assert_eq!(requested.len(), 8, "robots.txt, the list, and each article once: {requested:?}");
    assert_eq!(titles(&engine).len(), 6);
    let rules = source.rules.pages().unwrap();
    assert!(rules.title.starts_with("h1.headline"), "{rules:?}");
    assert!(rules.content.starts_with("div.story-text"), "{rules:?}");
    assert!(items(&engine).iter().all(|i| i.published.is_some() && i.authors == ["Ann Lee"]));
    site.list(7);
    home.clock.advance(DAY);
    assert_eq!(sync_one(&engine, Pace::Manual).await, fetched(1, 0, 1));
    engine.shutdown().await;
}

#[tokio::test]
async fn reports_all_discovery_attempts() {
    let site = Site::default();
    site.html("/", "<div id=root></div><script src=app.js></script>");
    let server = site.start();
    let home = Home::new();
    let engine = home.on_demand().await;
    let discovery = engine.discover(&server.url("/")).await.unwrap();
    assert!(discovery.ways.is_empty());
    let tried = discovery.attempts().join("\n");
    for word in ["announces no feed", "/feed", "JavaScript", "/sitemap.xml"] {
        assert!(tried.contains(word), "{word}: {tried}");
    }
    assert!(server.requests().len() <= 11, "{:?}", paths_requested(&server));
    engine.shutdown().await;
}

#[tokio::test]
async fn retries_after_a_temporary_error() {
    let site = Site::default();
    site.list(1);
    site.once.lock().unwrap().insert("/news".to_owned(), Reply::status(503));
    let server = site.start();
    let home = Home::with(&[website(&server.url("/news"))]);
    let engine = home.on_demand().await;
    let passing = async {
        received(&server, 2).await;
        while server.requests().len() == 2 {
            home.clock.advance(Duration::from_secs(1));
            tokio::task::yield_now().await;
        }
    };
    let (polled, ()) = tokio::join!(sync_one(&engine, Pace::Manual), soon(passing));
    assert_eq!(polled, fetched(1, 0, 1));
    assert_eq!(paths_requested(&server), ["/robots.txt", "/news", "/news", "/news/story-1"]);
    assert_eq!(facts(&engine, "site").await.fail_count, 0);
    engine.shutdown().await;
}

#[tokio::test]
async fn respects_a_pause_during_a_poll() {
    let site = Site::default();
    site.list(3);
    site.put("/news/story-2", Reply::status(429).header("retry-after", "3600"));
    let server = site.start();
    let home = Home::with(&[website(&server.url("/news")), source("other", &server.url("/feed"))]);
    let engine = home.on_demand().await;
    let all = sync(&engine, Pace::Manual).await;
    assert_eq!(all["site"], fetched(1, 0, 1), "earlier articles are kept");
    for (name, refreshed) in sync(&engine, Pace::Manual).await {
        let (reason, minutes) = left(&refreshed, home.clock.now()).unwrap();
        let requested = name == "site";
        let want = if requested { PauseReason::RetryAfter } else { PauseReason::HostPaused };
        assert_eq!((reason, minutes), (want, 60), "{name}");
    }
    site.article(2);
    home.clock.advance(HOUR);
    assert_eq!(sync(&engine, Pace::Manual).await["site"], fetched(2, 0, 2));
    engine.shutdown().await;
}

#[tokio::test]
async fn changed_selectors_reread_an_unchanged_page() {
    let site = Site::default();
    site.list(2);
    site.html("/more", "<li class=story><a href=/news/story-1>Bus</a></li><p class=x><a href=/news/story-2>Bus</a></p>");
    let server = site.start();
    let first = website(&server.url("/more"));
    let home = Home::with(std::slice::from_ref(&first));
    let engine = home.on_demand().await;
    assert_eq!(sync_one(&engine, Pace::Manual).await, fetched(1, 0, 1));
    assert_eq!(sync_one(&engine, Pace::Manual).await, UNCHANGED);
    let text = std::fs::read_to_string(home.paths().sources_file()).unwrap();
    let text = text.replace("li.story a", "li.story a, p.x a");
    std::fs::write(home.paths().sources_file(), text).unwrap();
    engine.reload().await.unwrap();
    assert_eq!(sync_one(&engine, Pace::Manual).await, fetched(1, 0, 1));
    engine.shutdown().await;
}

/// Pages without a title and text are kept for a while, so that matching selectors can be found.
#[tokio::test]
async fn large_articles_of_different_sites_do_not_deadlock() {
    let filler = format!("<!--{}-->", " nothing to read here, and much of it".repeat(13_500));
    let site = Site::default();
    site.list(4);
    for n in 1..=4 {
        site.html(&format!("/news/story-{n}"), &filler);
    }
    let ips = hosts(8);
    let server = site.start_on(&ips);
    let named = |ip: &IpAddr| Source {
        id: SourceId(ip.to_string()),
        ..website(&server.url_on(*ip, "/news"))
    };
    let sources: Vec<Source> = ips.iter().map(named).collect();
    let home = Home::with(&sources);
    let engine = home.on_demand().await;
    assert_eq!(sync(&engine, Pace::Manual).await.len(), 8);
    assert_eq!(items(&engine).len(), 32);
    engine.shutdown().await;
}

#[tokio::test]
async fn reports_links_and_urls_that_exceed_the_limits() {
    let site = Site::default();
    site.html(
        "/news",
        &(0..2_003).map(|n| format!("<li class=story><a href=/s/{n}>x</a>")).collect::<String>(),
    );
    let urls = |from: usize| {
        let urls = (from..from + 50_004).map(|n| format!("<url><loc>/s/{n}</loc></url>"));
        format!("<urlset>{}</urlset>", urls.collect::<String>())
    };
    site.put("/map.xml", Reply::ok("text/xml", urls(0)));
    let server = site.start();
    let sitemap = Source {
        rules: SourceRules::Sitemap(WebsiteRules::default().into()),
        ..source("map", &server.url("/map.xml"))
    };
    let home = Home::with(&[website(&server.url("/news")), sitemap]);
    let engine = home.on_demand().await;
    sync(&engine, Pace::Manual).await;
    let notes: Vec<String> = polls(&engine).into_iter().flat_map(|poll| poll.repairs).collect();
    for note in [
        format!("{}: 3 links left out: limit of 2000", server.url("/news")),
        format!("{}: 4 URLs left out: limit of 50000", server.url("/map.xml")),
    ] {
        assert!(notes.contains(&note), "{notes:?}");
    }
    engine.shutdown().await;
}

#[tokio::test]
async fn rejects_a_page_that_exceeds_the_selector_budget() {
    let site = Site::default();
    site.list(1);
    let many = "<p>The bus went on to the harbour.</p>".repeat(8_000);
    site.html("/news/story-1", &format!("<h1 class=headline>Bus</h1><div>{many}</div>"));
    site.html("/flood", &format!("<ul><li class=story><a href=/x>x</a>{many}</ul>"));
    let server = site.start();
    let with = |id: &str, path: &str, change: fn(&mut WebsiteRules)| {
        let mut source = Source { id: SourceId(id.to_owned()), ..website(&server.url(path)) };
        change(source.rules.pages_mut().unwrap());
        source
    };
    let home = Home::with(&[
        with("article", "/news", |rules| rules.content = "em ~ p".to_owned()),
        with("list", "/flood", |rules| rules.articles = Some("em ~ p".to_owned())),
    ]);
    let engine = home.on_demand().await;
    let all = sync(&engine, Pace::Manual).await;
    let why = "more than 30 million steps on this page";
    assert!(failure(&all["list"]).unwrap().contains(why), "{all:?}");
    let notes: Vec<String> = polls(&engine).into_iter().flat_map(|poll| poll.repairs).collect();
    assert!(
        notes.iter().any(|n| n.contains("story-1 was skipped") && n.contains(why)),
        "{notes:?}"
    );
    engine.shutdown().await;
}
