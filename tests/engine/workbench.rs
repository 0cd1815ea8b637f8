//! The workbench: pages are fetched once by the usual client, the list is stored, and ways are edited before
//! they are followed.

use super::websites::{Site, website};
use super::*;
use newsfed::config::KeyChange;
use newsfed::engine::{SelectorField, Subject, Workbench, WorkbenchEvent, WorkbenchPage};
use newsfed::model::{SourceKind, SourceRules, WebsiteRules};
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};

/// The next event other than suggested selectors.
async fn next(events: &mut UnboundedReceiver<WorkbenchEvent>) -> WorkbenchEvent {
    loop {
        match soon(events.recv()).await.unwrap() {
            WorkbenchEvent::Offers(..) => {}
            said => return said,
        }
    }
}

async fn key(engine: &Handle) -> i64 {
    engine.sources().await.unwrap()[0].1.key
}

async fn open(engine: &Handle) -> (Workbench, UnboundedReceiver<WorkbenchEvent>) {
    let (said, events) = unbounded_channel();
    let bench = engine.workbench(Subject::Followed(key(engine).await), said).unwrap();
    (bench, events)
}

fn rules(articles: &str) -> WebsiteRules {
    WebsiteRules { articles: Some(articles.to_owned()), ..WebsiteRules::default() }
}

fn site_rules(rules: WebsiteRules) -> SourceRules {
    SourceRules::new(SourceKind::Website, rules)
}

#[tokio::test]
async fn fetches_a_page_once_and_tries_selectors_on_it() {
    let site = Site::default();
    site.list(5);
    let server = site.start();
    let home = Home::with(&[website(&server.url("/news"))]);
    let engine = home.on_demand().await;
    sync_one(&engine, Pace::Manual).await;
    home.clock.advance(DAY);
    site.list(6);
    sync_one(&engine, Pace::Manual).await;
    // The site has been redesigned.
    site.html("/news", "<main><h3><a href=/news/story-6>The story of bus number 6</a></h3></main>");
    sync_one(&engine, Pace::Manual).await;
    let before = server.requests().len();
    let (mut bench, mut events) = open(&engine).await;
    let WorkbenchEvent::Copies(times) = next(&mut events).await else { panic!("no copies") };
    assert_eq!(times.len(), 2, "one per day, of the days on which it worked");
    let WorkbenchEvent::Page { place: WorkbenchPage::List, outline, .. } = next(&mut events).await
    else {
        panic!("no page")
    };
    assert!(outline.lines.iter().any(|line| line.text == "The story of bus number 6"));
    for (request, articles, found, known, lost) in
        [(1, "li.story a", 0, 1, 1), (2, "h3 a", 1, 1, 0), (3, "h3 >", 0, 1, 1)]
    {
        bench.preview(request, site_rules(rules(articles)), WorkbenchPage::List);
        let WorkbenchEvent::Previewed(answered, summary) = next(&mut events).await else {
            panic!("no preview")
        };
        let list = summary.list.unwrap();
        assert_eq!(answered, request);
        assert_eq!((list.links.len(), list.known, list.lost), (found, known, lost), "{articles}");
    }
    bench.copy(1);
    let WorkbenchEvent::Page { place: WorkbenchPage::Copy(1), .. } = next(&mut events).await else {
        panic!()
    };
    bench.preview(4, site_rules(rules("li.story a")), WorkbenchPage::Copy(1));
    let WorkbenchEvent::Previewed(4, summary) = next(&mut events).await else { panic!() };
    assert_eq!(summary.list.unwrap().links.len(), 5, "the older one");
    let link = outline.lines.iter().find(|line| line.text.starts_with("The story")).unwrap();
    bench.pick(WorkbenchPage::List, link.element, SelectorField::Articles);
    let WorkbenchEvent::Picked(SelectorField::Articles, selector) = next(&mut events).await else {
        panic!()
    };
    assert_eq!(selector.as_deref(), Some("h3 a"));
    assert_eq!(server.requests().len(), before + 1, "all that from one request");
    let url = server.url("/news/story-6").parse().unwrap();
    bench.fetch(url, WorkbenchPage::Article, "The story of bus number 6".to_owned());
    let WorkbenchEvent::Page { place: WorkbenchPage::Article, .. } = next(&mut events).await else {
        panic!()
    };
    let read = WebsiteRules { date: Some("time.when".to_owned()), ..rules("h3 a") };
    bench.preview(5, site_rules(read), WorkbenchPage::List);
    let WorkbenchEvent::Previewed(5, summary) = next(&mut events).await else { panic!() };
    let article = summary.article.unwrap().article;
    assert_eq!(article.title, "The story of bus number 6");
    assert_eq!(article.published.unwrap().format("%F").to_string(), "2024-03-07");
}

#[tokio::test]
async fn obeys_robots_txt() {
    let site = Site::default();
    site.list(3);
    site.put("/robots.txt", Reply::ok("text/plain", "User-agent: *\nDisallow: /\n"));
    let server = site.start();
    let home = Home::with(&[website(&server.url("/news"))]);
    let engine = home.on_demand().await;
    let (_bench, mut events) = open(&engine).await;
    // The stored copies are read while the page is requested.
    let (mut copies, mut failure) = (None, None);
    while copies.is_none() || failure.is_none() {
        match next(&mut events).await {
            WorkbenchEvent::Copies(times) => copies = Some(times),
            WorkbenchEvent::Failed { place: WorkbenchPage::List, why } => failure = Some(why),
            _ => panic!("neither copies nor a failure"),
        }
    }
    assert!(copies.is_some_and(|times| times.is_empty()));
    assert!(failure.as_ref().is_some_and(|why| why.contains("robots.txt")), "{failure:?}");
    assert!(server.requests().iter().all(|r| r.path == "/robots.txt"));
}

#[tokio::test]
async fn follows_a_way_with_its_edited_draft() {
    let site = Site::default();
    site.list(6);
    let server = site.start();
    let home = Home::new();
    let engine = home.on_demand().await;
    let found = engine.discover(&server.url("/news")).await.unwrap();
    let way = found.ways.iter().position(|w| w.kind() == SourceKind::Website).unwrap();
    let draft = found.draft(Some(way)).unwrap();
    let before = server.requests().len();
    // The workbench uses the page that was fetched during discovery.
    let (said, mut events) = unbounded_channel();
    let bench = engine.workbench(Subject::Way(Box::new(found.clone()), Some(way)), said);
    let WorkbenchEvent::Page { place: WorkbenchPage::List, .. } = next(&mut events).await else {
        panic!("no page")
    };
    drop(bench);
    assert_eq!(server.requests().len(), before);
    let change = |key: &[&str], value: &str| KeyChange {
        path: key.iter().map(|k| (*k).to_owned()).collect(),
        value: Some(format!("\"{value}\"")),
    };
    let changes = [
        change(&["title"], "My buses"),
        change(&["website", "articles"], "li.story a"),
        change(&["website", "title"], "h1.headline"),
        change(&["website", "content"], ".story-text"),
    ];
    let wrong = [change(&["website", "articles"], "li >")];
    let refused =
        engine.follow_edited(&found, Some(way), &draft, &wrong).await.unwrap_err().to_string();
    assert!(refused.contains("an element is missing at the end"), "{refused}");
    let (source, _) = engine.follow_edited(&found, Some(way), &draft, &changes).await.unwrap();
    assert_eq!(source.title.as_deref(), Some("My buses"));
    assert_eq!(source.rules.pages().unwrap().articles.as_deref(), Some("li.story a"));
    let (_, facts) = &engine.sources().await.unwrap()[0];
    assert_eq!(facts.items, 6, "the fetched page is used as the first poll");
    let lists = server.requests().iter().filter(|r| r.path == "/news").count();
    assert_eq!(lists, 1);
    let again = engine.follow_edited(&found, Some(way), &draft, &changes).await.unwrap_err();
    assert!(again.to_string().contains("already followed"), "{again}");
}

#[tokio::test]
async fn can_configure_a_website_manually() {
    let site = Site::default();
    site.html(
        "/odd",
        "<p>See <a href=/news/story-2>this</a> or <a href=/news/story-1>that</a>.</p>",
    );
    (1..3).for_each(|n| site.article(n));
    let server = site.start();
    let home = Home::new();
    let engine = home.on_demand().await;
    let found = engine.discover(&server.url("/odd")).await.unwrap();
    assert!(found.ways.iter().all(|way| way.kind() != SourceKind::Website));
    let draft = found.draft(None).unwrap();
    let (said, mut events) = unbounded_channel();
    let bench = engine.workbench(Subject::Way(Box::new(found.clone()), None), said).unwrap();
    let WorkbenchEvent::Page { place: WorkbenchPage::List, outline, .. } = next(&mut events).await
    else {
        panic!()
    };
    let link = outline.lines.iter().find(|line| line.text == "this").unwrap();
    bench.pick(WorkbenchPage::List, link.element, SelectorField::Articles);
    let WorkbenchEvent::Picked(SelectorField::Articles, Some(selector)) = next(&mut events).await
    else {
        panic!()
    };
    let unfinished = engine.follow_edited(&found, None, &draft, &[]).await.unwrap_err();
    assert!(unfinished.to_string().contains("website.articles"), "{unfinished}");
    let path = ["website", "articles"].map(str::to_owned).to_vec();
    let change = KeyChange { path, value: Some(format!("\"{selector}\"")) };
    engine.follow_edited(&found, None, &draft, &[change]).await.unwrap();
    assert_eq!(sync_one(&engine, Pace::Manual).await, fetched(2, 0, 2));
}
