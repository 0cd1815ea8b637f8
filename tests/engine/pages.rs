//! Watched pages, and articles of websites that change after they were stored.

use super::websites::{Site, website};
use super::*;
use newsfed::model::{LeftOutReason, SourceKind, SourceRules, TextFrom, WebsiteRules};
use newsfed::store::Mark;

/// A source that watches a page, or the part of the page that `content` selects.
pub(super) fn watched(url: &str, content: Option<&str>) -> Source {
    let content = content.unwrap_or(WebsiteRules::CONTENT).to_owned();
    let rules = WebsiteRules { content, ..WebsiteRules::default() };
    Source { rules: SourceRules::Page(rules.into()), ..source("page", url) }
}

/// The only item.
pub(super) fn item(engine: &Handle) -> Item {
    let mut all = items(engine);
    assert_eq!(all.len(), 1, "{all:?}");
    all.remove(0)
}

pub(super) fn key(engine: &Handle) -> i64 {
    let reader = engine.store().reader().unwrap();
    reader.window(&View::of(Scope::All), Anchor::First, 2).unwrap().rows[0].key
}

/// The text of the only item on one line.
pub(super) fn text(engine: &Handle) -> String {
    let text = newsfed::util::html::to_text(item(engine).body());
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn notice(opening: &str, price: &str, visitors: u32) -> String {
    format!(
        "<nav>Home News</nav><main><h1>The harbour pool</h1><p>{opening}</p>\
         <ul><li>Adults {price}</li><li>Children 2 €</li></ul><p>{visitors} visitors</p></main>"
    )
}

#[tokio::test]
async fn stores_each_change_of_a_watched_page() {
    let site = Site::default();
    site.html("/pool", &notice("Open from 9 to 18.", "4 €", 100));
    let server = site.start();
    let home = Home::with(&[watched(&server.url("/pool"), None)]);
    let engine = home.on_demand().await;
    assert_eq!(sync_one(&engine, Pace::Manual).await, fetched(1, 0, 1));
    let first = item(&engine);
    assert_eq!(first.title, "The harbour pool");
    assert_eq!(text(&engine), "Open from 9 to 18. Adults 4 € Children 2 € 100 visitors");
    let key = key(&engine);
    engine.mark(Mark::Read, vec![key], true).await.unwrap();
    engine.mark(Mark::Pinned, vec![key], true).await.unwrap();

    // A changed number is not a change to the page.
    home.clock.advance(DAY);
    site.html("/pool", &notice("Open from 9 to 18.", "4 €", 101));
    assert_eq!(sync_one(&engine, Pace::Manual).await, fetched(0, 0, 1));
    assert!(item(&engine).read);

    home.clock.advance(DAY);
    site.html("/pool", &notice("Closed until May.", "5 €", 102));
    assert_eq!(sync_one(&engine, Pace::Manual).await, fetched(0, 1, 1));
    let changed = item(&engine);
    assert!(changed.changed && changed.pinned && !changed.read, "a change is news; the pin stays");
    assert_eq!((changed.versions, changed.title.as_str()), (1, "The harbour pool"));
    assert_eq!(text(&engine), "Closed until May. Adults 5 € Children 2 € 102 visitors");
    let content = changed.content.unwrap();
    assert!(content.contains("Closed until May") && content.contains("5 €"), "{content}");
    assert!(changed.substantial && !changed.revisions.is_empty(), "{:?}", changed.revisions);
    assert_eq!(sync_one(&engine, Pace::Manual).await, UNCHANGED);
    engine.shutdown().await;
}

#[tokio::test]
async fn the_first_version_is_the_page_as_added() {
    let site = Site::default();
    site.html("/pool", &notice("Open.", "4 €", 100));
    let server = site.start();
    let home = Home::new();
    let engine = home.on_demand().await;
    let url = server.url("/pool");
    let found = engine.discover(&url).await.unwrap();
    let page = found.ways.iter().position(|way| way.kind() == SourceKind::Page).unwrap();
    engine.follow(found, page, None, None).await.unwrap();
    home.clock.advance(DAY);
    site.html("/pool", &notice("Closed.", "4 €", 100));
    assert_eq!(sync_one(&engine, Pace::Manual).await, fetched(0, 1, 1));
    assert_eq!(item(&engine).versions, 1);
    engine.shutdown().await;
}

#[tokio::test]
async fn fifty_polls_of_a_changing_page_store_one_item() {
    let site = Site::default();
    let page = |n: usize| {
        notice(
            &format!("Notice number {} is new.", ["zero", "one"][n % 2].repeat(n / 2 + 1)),
            "4 €",
            1,
        )
    };
    site.html("/pool", &page(0));
    let server = site.start();
    let home = Home::with(&[watched(&server.url("/pool"), None)]);
    let engine = home.on_demand().await;
    for n in 0..50 {
        site.html("/pool", &page(n));
        let want = if n == 0 { fetched(1, 0, 1) } else { fetched(0, 1, 1) };
        assert_eq!(sync_one(&engine, Pace::Manual).await, want, "{n}");
        home.clock.advance(DAY);
    }
    let key = key(&engine);
    let versions = engine.store().reader().unwrap().versions(key).unwrap();
    assert!(versions.last().unwrap().html.contains("number zero is"), "the first version stays");
    assert!(versions[0].html.contains(&"one".repeat(25)));
    assert_eq!(versions.len(), newsfed::store::MAX_VERSIONS);
    engine.shutdown().await;
}

#[tokio::test]
async fn every_digit_of_a_selected_part_is_watched() {
    let site = Site::default();
    site.html("/pool", &notice("Open.", "4 €", 100));
    let server = site.start();
    let home = Home::with(&[watched(&server.url("/pool"), Some("main p, main li"))]);
    let engine = home.on_demand().await;
    assert_eq!(sync_one(&engine, Pace::Manual).await, fetched(1, 0, 1));
    home.clock.advance(DAY);
    site.html("/pool", &notice("Open.", "4 €", 101));
    assert_eq!(sync_one(&engine, Pace::Manual).await, fetched(0, 1, 1));
    assert_eq!(text(&engine), "Open. 101 visitors");
    engine.shutdown().await;
}

#[tokio::test]
async fn watches_pages_without_an_article_as_a_whole() {
    let site = Site::default();
    let table = |price: &str| {
        let rows: String = (0..30).map(|n| format!("<tr><td>Line {n}<td>{n} €")).collect();
        format!("<main><h1>Fares</h1><table>{rows}<tr><td>Night<td>{price}</table></main>")
    };
    site.html("/fares", &table("7 €"));
    let server = site.start();
    let home = Home::with(&[watched(&server.url("/fares"), None)]);
    let engine = home.on_demand().await;
    assert_eq!(sync_one(&engine, Pace::Manual).await, fetched(1, 0, 1));
    assert_eq!(item(&engine).text_from, TextFrom::Selected);
    home.clock.advance(DAY);
    site.html("/fares", &table("8 €"));
    assert_eq!(sync_one(&engine, Pace::Manual).await, fetched(0, 1, 1));
    engine.shutdown().await;
}

#[tokio::test]
async fn can_watch_a_page_listed_in_a_feed() {
    let site = Site::default();
    site.list(1);
    let server = site.start();
    let home =
        Home::with(&[website(&server.url("/news")), watched(&server.url("/news/story-1"), None)]);
    let engine = home.on_demand().await;
    sync(&engine, Pace::Manual).await;
    let counts: Vec<u32> =
        engine.store().reader().unwrap().sources().unwrap().iter().map(|s| s.items).collect();
    assert_eq!(counts, [1, 1]);
    engine.shutdown().await;
}

#[tokio::test]
async fn without_text_selectors_a_website_stores_only_the_article() {
    let site = Site::default();
    let text = "The bus went on to the harbour and came back in the evening. ".repeat(8);
    site.html("/news", "<ul><li class=story><a href=/news/a>The bus came back again</a></ul>");
    site.html(
        "/news/a",
        &format!(
            "<body><div class=nav><a href=/>Home</a> <a href=/news>News</a></div><div class=post>\
             <h1>The bus came back again</h1><p>{text}</p><p>{text}</p></div>\
             <div class=related><h3>Related</h3><ul><li><a href=/b>Another bus</a></ul></div>"
        ),
    );
    let server = site.start();
    let rules = WebsiteRules { articles: Some("li.story a".to_owned()), ..WebsiteRules::default() };
    let home = Home::with(&[Source {
        rules: SourceRules::Website(rules.into()),
        ..source("site", &server.url("/news"))
    }]);
    let engine = home.on_demand().await;
    assert_eq!(sync_one(&engine, Pace::Manual).await, fetched(1, 0, 1));
    let found = self::text(&engine);
    assert!(found.contains("came back in the evening"), "{found}");
    assert!(!found.contains("Another bus") && !found.contains("Home"), "{found}");
    engine.shutdown().await;
}

#[tokio::test]
async fn rereads_articles_with_a_new_sitemap_date() {
    let site = Site::default();
    let map = |at: &str, server: &str| {
        let xml = format!(
            "<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'><url>\
             <loc>{server}</loc><lastmod>{at}</lastmod></url></urlset>"
        );
        Reply::ok("text/xml", xml)
    };
    let body = |words: &str| {
        let text = format!("{words} The bus went on to the harbour and came back. ").repeat(6);
        format!("<article><h1>The bus</h1><p>{text}</p><p>{text}</p></article>")
    };
    site.html("/a", &body("Early."));
    let server = site.start();
    site.put("/sitemap.xml", map("2027-01-10T00:00:00Z", &server.url("/a")));
    let home = Home::with(&[Source {
        rules: SourceRules::Sitemap(Box::default()),
        ..source("map", &server.url("/sitemap.xml"))
    }]);
    let engine = home.on_demand().await;
    assert_eq!(sync_one(&engine, Pace::Manual).await, fetched(1, 0, 1));
    home.clock.advance(2 * DAY);
    site.html("/a", &body("Late."));
    site.put("/sitemap.xml", map("2027-01-16T00:00:00Z", &server.url("/a")));
    assert_eq!(sync_one(&engine, Pace::Manual).await, fetched(0, 1, 1));
    let found = item(&engine);
    assert!(found.changed && found.versions == 1 && self::text(&engine).contains("Late."));
    engine.shutdown().await;
}

#[tokio::test]
async fn requests_an_unreadable_modified_article_only_once() {
    let away = Reply::status(302).header("location", "/login");
    for reply in
        [away, Reply::ok("text/html", "<form><input type=password></form>"), Reply::status(404)]
    {
        let site = Site::default();
        let text = "The bus went on to the harbour and came back. ".repeat(6);
        site.html("/a", &format!("<article><h1>The bus</h1><p>{text}</p></article>"));
        site.html("/login", "<form><input type=password></form>");
        let server = site.start();
        let map = |at: &str, poll: usize| {
            let url = server.url("/a");
            Reply::ok(
                "text/xml",
                format!(
                    "<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'><!-- {poll} -->\
                     <url><loc>{url}</loc><lastmod>{at}</lastmod></url></urlset>"
                ),
            )
        };
        site.put("/sitemap.xml", map("2027-01-10T00:00:00Z", 0));
        let home = Home::with(&[Source {
            rules: SourceRules::Sitemap(Box::default()),
            ..source("map", &server.url("/sitemap.xml"))
        }]);
        let engine = home.on_demand().await;
        assert_eq!(sync_one(&engine, Pace::Manual).await, fetched(1, 0, 1));
        site.put("/a", reply);
        for poll in 1..3 {
            home.clock.advance(2 * DAY);
            site.put("/sitemap.xml", map("2027-01-16T00:00:00Z", poll));
            sync_one(&engine, Pace::Manual).await;
        }
        let requested = paths_requested(&server);
        assert_eq!(requested.iter().filter(|path| *path == "/a").count(), 2, "{requested:?}");
        assert!(self::text(&engine).contains("came back"));
        engine.shutdown().await;
    }
}

#[tokio::test]
async fn refetches_pages_after_their_selectors_were_changed() {
    let site = Site::default();
    site.list(2);
    // A date more than a day in the future is rejected.
    site.html(
        "/news/story-1",
        "<h1 class=headline>Soon</h1><time class=when datetime=2031-01-01>x</time>\
         <time class=real datetime=2024-01-01>y</time><div class=story-text>The text of it</div>",
    );
    let server = site.start();
    let home = Home::with(&[website(&server.url("/news"))]);
    let engine = home.on_demand().await;
    assert_eq!(sync_one(&engine, Pace::Manual).await, fetched(1, 0, 1));
    let change = SourceChange::default().set("website.date", "time.real, time.when");
    home.file().update(&[SourceId("site".to_owned())], &change).unwrap();
    engine.shutdown().await;
    let engine = home.on_demand().await;
    assert_eq!(sync_one(&engine, Pace::Manual).await, fetched(1, 0, 1));
    assert_eq!(items(&engine).len(), 2);
    engine.shutdown().await;
}

#[tokio::test]
async fn a_poll_reports_everything_it_skipped() {
    let site = Site::default();
    site.list(4);
    site.html(
        "/news/story-1",
        "<h1 class=headline>Soon</h1><time class=when datetime=2031-01-01>x</time>\
         <div class=story-text>The text of it</div>",
    );
    site.put("/news/story-2", Reply::status(404));
    site.put("/news/story-3", Reply::status(302).header("location", "/login"));
    site.html("/login", "<p>Please log in<form><input type=password></form>");
    let server = site.start();
    let home = Home::with(&[website(&server.url("/news"))]);
    let engine = home.on_demand().await;
    let mut reports = engine.refresh(None, Pace::Manual).await;
    let report = soon(reports.recv()).await.unwrap();
    assert_eq!(report.result, fetched(1, 0, 1));
    let found: Vec<_> = report.left_out.iter().map(|each| (each.reason, each.count)).collect();
    use LeftOutReason::{FutureDate, Missing, NeedsLogin};
    assert_eq!(found, [(NeedsLogin, 1), (Missing, 1), (FutureDate, 1)]);
    assert!(report.left_out[2].example.ends_with("/news/story-1"));
    assert_eq!(polls(&engine)[0].left_out, report.left_out, "the history has it too");
    engine.shutdown().await;
}

#[tokio::test]
async fn reports_logins_and_foreign_links_at_once() {
    let site = Site::default();
    site.html("/news", "<form>Log in <input type=password></form>");
    let server = site.start();
    let home = Home::with(&[website(&server.url("/news"))]);
    let engine = home.on_demand().await;
    let mut reports = engine.refresh(None, Pace::Manual).await;
    let report = soon(reports.recv()).await.unwrap();
    assert_eq!(report.left_out[0].reason, LeftOutReason::NeedsLogin);
    site.html("/news", "<li class=story><a href=https://other.example/a>Another site has it</a>");
    let mut reports = engine.refresh(None, Pace::Manual).await;
    let report = soon(reports.recv()).await.unwrap();
    assert_eq!(report.left_out[0].reason, LeftOutReason::OtherSite);
    let problem = facts(&engine, "site").await.website.problem.unwrap();
    assert_eq!(problem.what, "all links to articles lead to other sites");
    engine.shutdown().await;
}

#[tokio::test]
async fn rereads_stored_items_with_new_selectors_and_keeps_marks() {
    let site = Site::default();
    site.list(2);
    let server = site.start();
    let mut source = website(&server.url("/news"));
    source.rules.pages_mut().unwrap().title = "h1.wrong".to_owned();
    let home = Home::with(&[source]);
    let engine = home.on_demand().await;
    assert_eq!(sync_one(&engine, Pace::Manual).await, fetched(2, 0, 2));
    assert_eq!(titles(&engine), ["(No title)", "(No title)"]);
    let key = key(&engine);
    engine.mark(Mark::Pinned, vec![key], true).await.unwrap();
    engine.shutdown().await;
    let change = SourceChange::default().set("website.title", "h1.headline");
    home.file().update(&[SourceId("site".to_owned())], &change).unwrap();
    let engine = home.on_demand().await;
    site.put("/news/story-1", Reply::status(404));
    let source = facts(&engine, "site").await.key;
    let done = engine.reread(source, 100).await.unwrap();
    assert_eq!((done.read, done.changed, done.left_out[0].reason), (1, 1, LeftOutReason::Missing));
    let items = items(&engine);
    assert_eq!(items[0].title, "The story of bus number 2");
    assert!(items[0].pinned && items[1].title == "(No title)");
    assert_eq!(sync_one(&engine, Pace::Manual).await, fetched(0, 0, 0), "nothing is doubled");
    engine.shutdown().await;
}

#[tokio::test]
async fn keeps_items_whose_page_is_missing_or_moved() {
    let site = Site::default();
    site.list(2);
    let server = site.start();
    let home = Home::with(&[website(&server.url("/news"))]);
    let engine = home.on_demand().await;
    assert_eq!(sync_one(&engine, Pace::Manual).await, fetched(2, 0, 2));
    let before = items(&engine);
    engine.shutdown().await;
    let change = SourceChange::default().set("website.title", "h1.typo");
    home.file().update(&[SourceId("site".to_owned())], &change).unwrap();
    let engine = home.on_demand().await;
    site.put("/news/story-1", Reply::status(302).header("location", "/news/story-2"));
    let source = facts(&engine, "site").await.key;
    let done = engine.reread(source, 100).await.unwrap();
    assert_eq!((done.read, done.changed), (1, 0));
    let reasons: Vec<_> = done.left_out.iter().map(|each| each.reason).collect();
    assert_eq!(reasons, [LeftOutReason::NotSelected, LeftOutReason::Missing]);
    let after = items(&engine);
    assert_eq!(
        before.iter().map(|i| (&i.title, i.body())).collect::<Vec<_>>(),
        after.iter().map(|i| (&i.title, i.body())).collect::<Vec<_>>()
    );
    engine.shutdown().await;
}

#[tokio::test]
async fn does_not_store_a_login_page_as_a_version() {
    let site = Site::default();
    site.html("/pool", &notice("Open.", "4 €", 1));
    let server = site.start();
    let home = Home::with(&[watched(&server.url("/pool"), None)]);
    let engine = home.on_demand().await;
    assert_eq!(sync_one(&engine, Pace::Manual).await, fetched(1, 0, 1));
    site.put("/pool", Reply::status(302).header("location", "/login"));
    site.html("/login", "<h1>Sign in</h1><form><input type=password></form>");
    home.clock.advance(DAY);
    let mut reports = engine.refresh(None, Pace::Manual).await;
    let report = soon(reports.recv()).await.unwrap();
    assert_eq!(report.left_out[0].reason, LeftOutReason::NeedsLogin);
    let kept = item(&engine);
    assert!(!kept.changed && kept.versions == 0 && kept.body().contains("Open."));
    engine.shutdown().await;
}

#[tokio::test]
async fn a_watched_page_that_moves_stays_one_item() {
    let site = Site::default();
    site.html("/new", &notice("Open.", "4 €", 1));
    site.put("/pool", Reply::status(301).header("location", "/new"));
    let server = site.start();
    let home = Home::with(&[watched(&server.url("/pool"), None)]);
    let engine = home.on_demand().await;
    for n in 0..5 {
        site.html("/new", &notice("Open.", &format!("{n} €"), 1));
        sync_one(&engine, Pace::Manual).await;
        home.clock.advance(DAY);
    }
    assert_eq!(item(&engine).versions, 4);
    engine.shutdown().await;
}

#[tokio::test]
async fn retention_keeps_the_item_of_a_watched_page() {
    let page = watched("https://town.example/pool", None);
    let days = newsfed::model::Retention { days: Some(1), ..Default::default() };
    assert_eq!(page.retention(days).days, None);
    assert_eq!(source("feed", "https://town.example/feed").retention(days).days, Some(1));
}

#[tokio::test]
async fn a_different_extraction_or_selector_is_not_a_change() {
    let site = Site::default();
    site.html("/pool", &notice("Open.", "4 €", 1));
    let server = site.start();
    let home = Home::with(&[watched(&server.url("/pool"), None)]);
    let engine = home.on_demand().await;
    assert_eq!(sync_one(&engine, Pace::Manual).await, fetched(1, 0, 1));
    let key = key(&engine);
    engine.full_text(key, Some(newsfed::model::TextWay::Page)).await.unwrap();
    engine.mark(Mark::Read, vec![key], true).await.unwrap();
    home.clock.advance(DAY);
    assert_eq!(sync_one(&engine, Pace::Force).await, fetched(0, 0, 1));
    engine.shutdown().await;
    let change = SourceChange::default().set("website.content", "ul");
    home.file().update(&[SourceId("page".to_owned())], &change).unwrap();
    let engine = home.on_demand().await;
    assert_eq!(sync_one(&engine, Pace::Manual).await, fetched(0, 0, 1));
    assert!(item(&engine).read && text(&engine) == "Adults 4 € Children 2 €");
    home.clock.advance(DAY);
    site.html("/pool", &notice("Open.", "5 €", 1));
    assert_eq!(sync_one(&engine, Pace::Manual).await, fetched(0, 1, 1));
    assert!(!item(&engine).read, "a change is news again");
    engine.shutdown().await;
}

#[tokio::test]
async fn reports_a_selector_without_matches_on_a_watched_page() {
    let site = Site::default();
    site.html("/pool", &notice("Open.", "4 €", 1));
    let server = site.start();
    let home = Home::with(&[watched(&server.url("/pool"), Some("ul"))]);
    let engine = home.on_demand().await;
    sync_one(&engine, Pace::Manual).await;
    for n in 0..3 {
        site.html("/pool", &notice("Open.", "4 €", n).replace("ul>", "ol>"));
        home.clock.advance(DAY);
        sync_one(&engine, Pace::Manual).await;
    }
    let facts = facts(&engine, "page").await;
    assert_eq!(facts.website.broken().unwrap().what, "no text in the articles");
    assert!(item(&engine).body().contains("Adults"), "the last text stays");
    engine.shutdown().await;
}

#[tokio::test]
async fn force_retries_rejected_pages_of_an_unchanged_list() {
    let site = Site::default();
    site.list(2);
    site.put("/news/story-1", Reply::status(404));
    let server = site.start();
    let home = Home::with(&[website(&server.url("/news"))]);
    let engine = home.on_demand().await;
    assert_eq!(sync_one(&engine, Pace::Manual).await, fetched(1, 0, 1));
    site.article(1);
    assert_eq!(sync_one(&engine, Pace::Manual).await, UNCHANGED);
    assert_eq!(sync_one(&engine, Pace::Force).await, fetched(1, 0, 1));
    engine.shutdown().await;
}
