//! Entries on a page that changes from poll to poll.

use super::websites::Site;
use super::*;
use newsfed::model::{LeftOutReason, RuleKey, SourceKind, SourceRules, WebsiteRules};
use newsfed::store::Mark;
use std::fmt::Write;

fn followed(url: &str, articles: Option<&str>) -> Source {
    let articles = articles.map(str::to_owned);
    let rules = WebsiteRules { articles, ..WebsiteRules::default() };
    Source { rules: SourceRules::Entries(rules.into()), ..source("page", url) }
}

/// An entry on the publisher's page.
#[derive(Debug, Clone)]
struct Post {
    number: usize,
    /// Number of times that the text was changed.
    edits: usize,
}

impl Post {
    /// Every third entry has the same title, but a different date.
    fn title(&self) -> String {
        match self.number % 3 {
            0 => "Planned maintenance".to_owned(),
            _ => format!("Notice {} of the harbour", self.number),
        }
    }

    fn day(&self) -> String {
        let months = ["January", "February", "March"];
        format!("{} {} 2026", self.number % 27 + 1, months[self.number / 27])
    }

    fn text(&self) -> String {
        format!(
            "The crane number {} lifts the boats out of the water. {}",
            self.number,
            "It was repaired again. ".repeat(self.edits)
        )
    }
}

/// Renders an entry for a poll.
type Template = fn(&Post, usize) -> String;

/// Blocks with ids that differ in each response.
fn rotating(post: &Post, poll: usize) -> String {
    format!(
        "<article id='entry-{:08x}' class='n n{poll}'><h3>{}</h3>\n<time>{}</time>{}<p>{}</p></article>",
        0x9f3a_11c7_usize.wrapping_mul(poll * 100 + post.number + 1) & 0xffff_ffff,
        post.title(),
        post.day(),
        "\n  ".repeat(poll % 3),
        post.text()
    )
}

/// Sections with an anchor in each heading.
fn sections(post: &Post, poll: usize) -> String {
    format!(
        "<h2 id=n-{0}>{1}</h2><p class=c{poll}>{2}</p><p>{3}{4}</p>",
        post.number,
        post.title(),
        post.day(),
        " ".repeat(poll % 4),
        post.text()
    )
}

/// Rows of a table, without ids or links.
fn rows(post: &Post, poll: usize) -> String {
    let class = if (post.number + poll).is_multiple_of(2) { "odd" } else { "even" };
    format!(
        "<tr class={class}><td>{}</td><td><b>{}</b></td><td>{}</td></tr>",
        post.day(),
        post.title(),
        post.text()
    )
}

fn page(posts: &[Post], template: Template, poll: usize) -> String {
    let mut all = String::new();
    posts.iter().for_each(|post| write!(all, "{}", template(post, poll)).unwrap());
    let all = if all.starts_with("<tr") { format!("<table>{all}</table>") } else { all };
    format!("<nav><a href=/>Home</a></nav><main><h1>Harbour</h1>{all}</main>")
}

/// Changes the page before a poll. Returns the number of new and of changed entries.
fn change(posts: &mut Vec<Post>, next: &mut usize, poll: usize) -> (u32, u32) {
    match poll % 6 {
        1 | 4 => {
            posts.insert(0, Post { number: *next, edits: 0 });
            *next += 1;
            (1, 0)
        }
        2 => {
            let at = poll * 7 % posts.len();
            posts[at].edits += 1;
            (0, 1)
        }
        3 => {
            posts.remove(poll * 5 % posts.len());
            (0, 0)
        }
        5 => {
            posts.reverse();
            let at = poll * 3 % posts.len();
            posts[at].edits += 1;
            (0, 1)
        }
        // Only whitespace, classes and generated ids change.
        _ => (0, 0),
    }
}

#[tokio::test]
async fn fifty_polls_store_entries_once_and_edits_as_versions() {
    let templates: [(&str, Template, &str); 3] =
        [("rotating ids", rotating, "article"), ("sections", sections, "h2"), ("rows", rows, "tr")];
    for (name, template, articles) in templates {
        let mut posts: Vec<Post> = (0..6).rev().map(|number| Post { number, edits: 0 }).collect();
        let mut next = posts.len();
        let site = Site::default();
        let server = site.start();
        let home = Home::with(&[followed(&server.url("/harbour"), Some(articles))]);
        let engine = home.on_demand().await;
        let mut edits: BTreeMap<String, usize> = BTreeMap::new();
        for poll in 0..50 {
            let (new, updated) = match poll {
                0 => (6, 0),
                _ => change(&mut posts, &mut next, poll),
            };
            site.html("/harbour", &page(&posts, template, poll));
            let want = fetched(new, updated, u32::try_from(posts.len()).unwrap());
            assert_eq!(sync_one(&engine, Pace::Manual).await, want, "{name}, poll {poll}");
            for post in &posts {
                edits.insert(format!("{} {}", post.title(), post.number), post.edits);
            }
            home.clock.advance(DAY);
        }
        let stored = items(&engine);
        assert_eq!(stored.len(), next, "{name}: nothing twice, nothing lost");
        let versions: u32 = stored.iter().map(|item| item.versions).sum();
        assert_eq!(versions as usize, edits.values().sum::<usize>(), "{name}");
        for item in &stored {
            let own = item.body().matches("repaired").count();
            assert_eq!(item.versions as usize, own, "{name}: {}", item.title);
        }
        engine.shutdown().await;
    }
}

#[tokio::test]
async fn edited_entries_keep_marks_and_counters_are_ignored() {
    let site = Site::default();
    let entry = |n: usize, text: &str, views: usize| {
        format!(
            "<div class=release><h2>Knot 1.{n}.0</h2><p>{n} days ago</p><p>{text}</p><p>{views} views</p></div>"
        )
    };
    let show = |text: &str, views: usize| {
        let all: String =
            (1..4).map(|n| entry(n, if n == 2 { text } else { "Better." }, views)).collect();
        site.html("/log", &all);
    };
    show("Faster.", 10);
    let server = site.start();
    let home = Home::with(&[followed(&server.url("/log"), None)]);
    let engine = home.on_demand().await;
    assert_eq!(sync_one(&engine, Pace::Manual).await, fetched(3, 0, 3));
    let reader = engine.store().reader().unwrap();
    let rows = reader.window(&View::of(Scope::All), Anchor::First, 9).unwrap().rows;
    let key = rows.iter().find(|row| row.title == "Knot 1.2.0").unwrap().key;
    drop(reader);
    engine.mark(Mark::Pinned, vec![key], true).await.unwrap();
    let dates = |engine: &Handle| items(engine).iter().map(|i| i.published).collect::<Vec<_>>();
    let first = dates(&engine);
    assert!(first.iter().all(Option::is_some), "{first:?}");

    home.clock.advance(10 * DAY);
    show("Faster.", 11);
    assert_eq!(sync_one(&engine, Pace::Manual).await, fetched(0, 0, 3));
    assert_eq!(dates(&engine), first, "a date relative to the poll is used once");

    home.clock.advance(DAY);
    show("Much faster, and smaller.", 12);
    assert_eq!(sync_one(&engine, Pace::Manual).await, fetched(0, 1, 3));
    let item = items(&engine).into_iter().find(|item| item.title == "Knot 1.2.0").unwrap();
    assert_eq!((item.versions, item.changed, item.pinned), (1, true, true));
    engine.shutdown().await;
}

#[tokio::test]
async fn stores_entries_with_relative_dates_once() {
    let site = Site::default();
    let show = |all: &[(&str, &str, &str)]| {
        let entry = |(title, ago, text): &(&str, &str, &str)| {
            format!("<div class=release><h2>{title}</h2><p>{ago}</p><p>{text}</p></div>")
        };
        site.html("/log", &all.iter().map(entry).collect::<String>());
    };
    let (old, other) = ("The crane lifts boats again.", "The sauna stays open.");
    show(&[("Outage", "3 days ago", old), ("Sauna", "5 days ago", other)]);
    let server = site.start();
    let home = Home::with(&[followed(&server.url("/log"), Some("div.release"))]);
    let engine = home.on_demand().await;
    assert_eq!(sync_one(&engine, Pace::Manual).await, fetched(2, 0, 2));
    home.clock.advance(DAY);
    // The page rounds differently: according to the relative date, the entry is now a day younger.
    let new = "The pump has failed, and the pool is closed.";
    show(&[
        ("Outage", "1 day ago", new),
        ("Outage", "3 days ago", old),
        ("Sauna", "6 days ago", other),
    ]);
    sync_one(&engine, Pace::Manual).await;
    assert_eq!(titles(&engine).len(), 3, "{:?}", titles(&engine));
    engine.shutdown().await;
}

#[tokio::test]
async fn reports_blocks_that_are_not_entries_and_missing_entries() {
    let site = Site::default();
    const TEXT: &str = "The pool is closed until the new pump arrives from the factory in Bergen, \
                        which may take until the end of the month. The sauna stays open, and all \
                        tickets are valid for a month longer. We are sorry for the trouble, and \
                        thank the volunteers who have cleaned the old pump day after day.";
    let block =
        |n: usize| format!("<div class=entry id=e{n}0><h3>Entry {n}</h3><p>{TEXT}</p></div>");
    let blocks = block(3) + "<div class=entry id=gap></div>" + &block(2) + &block(1);
    site.html("/log", &blocks);
    let server = site.start();
    let home = Home::with(&[followed(&server.url("/log"), Some("div.entry"))]);
    let engine = home.on_demand().await;
    let mut reports = engine.refresh(None, Pace::Manual).await;
    let report = soon(reports.recv()).await.unwrap();
    assert_eq!(report.result, fetched(3, 0, 3));
    let left_out: Vec<_> = report.left_out.iter().map(|l| (l.reason, l.count)).collect();
    assert_eq!(left_out, [(LeftOutReason::Empty, 1)]);
    assert!(report.left_out[0].example.ends_with("/log#gap"), "{:?}", report.left_out);
    assert_eq!(server.requests().len(), 2, "robots.txt and the page, nothing for the entries");

    let since = home.clock.now() + chrono::TimeDelta::days(1);
    for _ in 0..3 {
        home.clock.advance(DAY);
        assert!(facts(&engine, "page").await.website.broken().is_none());
        site.html("/log", &blocks.replace("class=entry", "class=story"));
        sync_one(&engine, Pace::Manual).await;
    }
    let known = facts(&engine, "page").await.website;
    let problem = known.broken().unwrap();
    assert_eq!((problem.since, problem.what.as_str()), (since, "no entries"));
    assert_eq!((problem.key, problem.instead[0].as_str()), (RuleKey::Articles, "div.story"));
    assert_eq!(items(&engine).len(), 3, "what disappears stays");

    home.clock.advance(DAY);
    site.html("/log", "<div id=root></div><script src=a.js></script>");
    let mut reports = engine.refresh(None, Pace::Manual).await;
    let report = soon(reports.recv()).await.unwrap();
    assert_eq!(report.left_out[0].reason, LeftOutReason::NeedsJavascript);

    home.clock.advance(DAY);
    site.html("/log", &blocks);
    sync_one(&engine, Pace::Manual).await;
    assert_eq!(facts(&engine, "page").await.website.problem, None);
    engine.shutdown().await;
}

#[tokio::test]
async fn applies_the_users_selectors_within_each_block() {
    let site = Site::default();
    let block = |n: usize| {
        format!(
            "<li><h4>Section</h4><b class=name>Entry {n}</b><i class=on>0{n}.03.2026</i>\
             <em class=who>Ann Lee and Bob Ray</em><div class=body>Text {n}</div><p>Beside</p></li>"
        )
    };
    let untitled = "<li><h4>Section</h4><div class=body>No name</div></li>";
    site.html("/log", &format!("<ul>{}{}{untitled}</ul>", block(2), block(1)));
    let server = site.start();
    let rules = WebsiteRules {
        articles: Some("ul > li".to_owned()),
        title: ".name".to_owned(),
        content: ".body".to_owned(),
        author: Some(".who".to_owned()),
        date: Some(".on".to_owned()),
        date_format: Some("02.01.2006".to_owned()),
        ..WebsiteRules::default()
    };
    let source =
        Source { rules: SourceRules::Entries(rules.into()), ..source("page", &server.url("/log")) };
    let home = Home::with(&[source]);
    let engine = home.on_demand().await;
    let mut reports = engine.refresh(None, Pace::Manual).await;
    let report = soon(reports.recv()).await.unwrap();
    assert_eq!(report.left_out[0].reason, LeftOutReason::NotSelected);
    let found: Vec<_> = items(&engine)
        .into_iter()
        .map(|i| (i.title, i.published.unwrap().to_string(), i.authors, i.content.unwrap()))
        .collect();
    let want = |n: usize| {
        let authors = vec!["Ann Lee".to_owned(), "Bob Ray".to_owned()];
        (
            format!("Entry {n}"),
            format!("2026-03-0{n} 00:00:00 UTC"),
            authors,
            format!("<p>Text {n}</p>"),
        )
    };
    assert_eq!(found, [want(2), want(1)]);

    let read = engine.reread(facts(&engine, "page").await.key, 10).await.unwrap();
    assert_eq!((read.read, read.changed, read.stopped), (2, 0, None));
    engine.shutdown().await;
}

/// A page with these headings, each followed by a few sentences.
fn log(headings: &[&str]) -> String {
    let section = |h: &&str| {
        format!(
            "<h2 id='{}'>{h}</h2><ul><li>Ropes are longer.<li>Knots hold better in rain.</ul>",
            &h[..3]
        )
    };
    let all: String = headings.iter().map(section).collect();
    format!("<nav><a href=/docs>Documentation</a></nav><main><h1>Changelog</h1>{all}</main>")
}

#[tokio::test]
async fn discovery_offers_entries_where_they_fit() {
    let site = Site::default();
    site.html("/changelog", &log(&["2.1 - 2026-10-02", "2.0 - 2026-08-01", "1.9 - 2026-03-03"]));
    let pdf = |n: usize| {
        format!(
            "<li>0{n}.03.2026 <a href=/files/n{n}.pdf>Notice number {n} of the town council</a></li>"
        )
    };
    site.html(
        "/notices",
        &format!("<main><ul>{}</ul></main>", (1..6).rev().map(pdf).collect::<String>()),
    );
    let part =
        |n: usize| format!("<h2>Part {n}</h2><p>{}</p>", "It was a long day at sea. ".repeat(20));
    site.html(
        "/story",
        &format!("<main><h1>A story</h1>{}</main>", (1..5).map(part).collect::<String>()),
    );
    site.list(8);
    let server = site.start();
    let home = Home::new();
    let engine = home.on_demand().await;
    let cases: [(&str, &[SourceKind]); 4] = [
        (
            "/changelog",
            &[SourceKind::Entries, SourceKind::Crawl, SourceKind::Page, SourceKind::Crawl],
        ),
        (
            "/notices",
            &[SourceKind::Entries, SourceKind::Crawl, SourceKind::Page, SourceKind::Crawl],
        ),
        ("/story", &[SourceKind::Page, SourceKind::Crawl, SourceKind::Crawl]),
        ("/news", &[SourceKind::Website, SourceKind::Crawl, SourceKind::Page, SourceKind::Crawl]),
    ];
    for (path, want) in cases {
        let found = engine.discover(&server.url(path)).await.unwrap();
        let kinds: Vec<SourceKind> = found.ways.iter().map(newsfed::engine::Way::kind).collect();
        assert_eq!(kinds, want, "{path}: {:?}", found.tried);
    }
    let found = engine.discover(&server.url("/changelog")).await.unwrap();
    let preview = found.ways[0].preview().unwrap();
    assert_eq!(preview[0].title, "2.1 - 2026-10-02");
    assert!(preview.iter().all(|item| item.date.is_some()), "{preview:?}");
    engine.follow(found, 0, None, None).await.unwrap();
    assert_eq!(titles(&engine), ["2.1 - 2026-10-02", "2.0 - 2026-08-01", "1.9 - 2026-03-03"]);
    let url = items(&engine)[0].url.clone().unwrap();
    assert!(url.ends_with("/changelog#2.1"), "{url}");
    engine.shutdown().await;
}

/// A front page with teasers of its articles.
fn teasers(site: &Site) {
    let card = |n: usize| {
        site.article(n);
        format!(
            "<div class=card><div class=heading>The story of bus number {n}</div><div class=body>\
             <p>March {n}, 2024 - Ann Lee.</p><p>The bus went on to the harbour and came back in the \
             evening, and everybody on it was glad of that …</p>\
             <a href=/news/story-{n}>Continue reading</a></div></div>"
        )
    };
    let cards: String = (1..4).rev().map(card).collect();
    site.html("/", &format!("<main><h1>The buses</h1>{cards}</main>"));
}

#[tokio::test]
async fn follows_teasers_to_their_pages() {
    let site = Site::default();
    teasers(&site);
    let server = site.start();
    let home = Home::new();
    let engine = home.on_demand().await;
    let found = engine.discover(&server.url("/")).await.unwrap();
    let kinds: Vec<SourceKind> = found.ways.iter().map(newsfed::engine::Way::kind).collect();
    assert_eq!(kinds[0], SourceKind::Website, "{:?}", found.tried);
    assert!(!kinds.contains(&SourceKind::Entries), "{kinds:?}");
    let preview = found.ways[0].preview().unwrap();
    assert_eq!(preview[0].title, "The story of bus number 3");
    engine.follow(found, 0, None, None).await.unwrap();
    let all = items(&engine);
    assert_eq!(all.len(), 3);
    for item in all {
        assert!(item.title.starts_with("The story of bus number"), "{}", item.title);
        let text = item.content.unwrap();
        assert!(text.matches("came back in the evening.").count() >= 10, "{text}");
        assert!(item.published.is_some());
    }
    engine.shutdown().await;
}

#[tokio::test]
async fn opening_a_teaser_entry_fetches_its_page() {
    let site = Site::default();
    teasers(&site);
    let server = site.start();
    let home = Home::with(&[followed(&server.url("/"), Some("div.card"))]);
    let engine = home.on_demand().await;
    sync(&engine, Pace::Manual).await;
    let pages = || server.requests().iter().filter(|r| r.path.starts_with("/news/")).count();
    assert_eq!((items(&engine).len(), pages()), (3, 0));
    let key = super::pages::key(&engine);
    for fetches in [1, 1] {
        soon(engine.opened(key)).await.unwrap();
        let reader = engine.store().reader().unwrap();
        let item = reader.item(key).unwrap().unwrap();
        assert!(
            item.page_text && item.body().matches("came back").count() >= 10,
            "{}",
            item.body()
        );
        assert_eq!(pages(), fetches);
    }
    engine.shutdown().await;
}
