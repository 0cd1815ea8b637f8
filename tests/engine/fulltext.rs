//! Full texts of items: fetched from their pages, stored and compared.

mod ahead;
mod unchanged;
mod ways;

use super::*;
use newsfed::config::FileChange;
use newsfed::engine::{ProcessRole, TextGot};
use newsfed::model::{FullText, TextFrom, TextWay};
use newsfed::store::{Mark, MarkedItems};
use std::sync::Mutex;

/// A blog with teasers in its feed, and with pages that a test can change.
#[derive(Clone, Default)]
struct Blog {
    /// Responses that replace the default ones, by path.
    special: Arc<Mutex<BTreeMap<String, Reply>>>,
    posts: Arc<Mutex<usize>>,
    /// Whether the feed contains full texts.
    whole: bool,
}

/// The text of a post. All texts begin differently.
fn prose(n: usize) -> String {
    const WORDS: [&str; 13] = [
        "harbour", "keeper", "lantern", "morning", "baker", "ferry", "letter", "winter", "island",
        "bridge", "garden", "engine", "story",
    ];
    let word = |k: usize| WORDS[(n * 5 + k * k * 3 + k * n) % WORDS.len()];
    let line = |k: usize| {
        let words: Vec<&str> = (0..24).map(|at| word(k * 31 + at)).collect();
        format!(
            "<p>{} number {n}{k}, written in paragraph {k}, of the keeper.</p>",
            words.join(" ")
        )
    };
    (1..=8).map(line).collect()
}

/// A page with a post, surrounded by the usual elements.
fn page(n: usize, text: &str, comments: &str) -> Reply {
    let html = format!(
        "<!doctype html><html><head><title>Post {n} – Blog</title></head><body>\
         <header><a href=/>Blog</a><nav><a href=/a>News</a> <a href=/b>About</a></nav></header>\
         <main><article class=post><h1>Post {n}</h1><p class=byline>By Ann</p>\
         <div class=entry>{text}</div></article>\
         <section id=comments class=comments><h2>Comments</h2>{comments}</section></main>\
         <footer>All rights reserved</footer></body></html>"
    );
    let length = html.len();
    Reply::ok("text/html; charset=utf-8", html).header("etag", format!("\"{length}\""))
}

impl Blog {
    fn with(posts: usize) -> Self {
        let blog = Self::default();
        *blog.posts.lock().unwrap() = posts;
        blog
    }

    fn put(&self, path: &str, reply: Reply) {
        self.special.lock().unwrap().insert(path.to_owned(), reply);
    }

    fn feed(&self, host: &str) -> String {
        let item = |n: usize| {
            let body = if self.whole { prose(n) } else { format!("Post {n} is about a ferry") };
            format!(
                "<item><title>Post {n}</title><link>http://{host}/post-{n}</link>\
                 <pubDate>{}</pubDate><description><![CDATA[{body}]]></description></item>",
                Time::from_timestamp(1_800_000_000 - 60 * n as i64, 0).unwrap().to_rfc2822()
            )
        };
        let items: String = (1..=*self.posts.lock().unwrap()).map(item).collect();
        format!("<rss version=\"2.0\"><channel><title>Blog</title>{items}</channel></rss>")
    }

    fn start(&self) -> Server {
        let blog = self.clone();
        Server::start(move |request| {
            let host = request.header("host").map(String::from_utf8_lossy).unwrap_or_default();
            if let Some(reply) = blog.special.lock().unwrap().get(&request.path) {
                return conditional(request, reply.clone());
            }
            match request.path.strip_prefix("/post-").and_then(|n| n.parse().ok()) {
                Some(n) => conditional(request, page(n, &prose(n), "")),
                None if request.path == "/feed" => {
                    Reply::ok("application/rss+xml", blog.feed(&host))
                }
                None => Reply::status(404),
            }
        })
        .unwrap()
    }
}

fn conditional(request: &ScriptedRequest, reply: Reply) -> Reply {
    let etag = reply.headers.iter().find(|(name, _)| name == "etag").map(|(_, v)| v.as_slice());
    if etag.is_some() && request.header("if-none-match") == etag {
        return Reply::status(304);
    }
    reply
}

fn home(server: &Server, setting: FullText) -> Home {
    let blog = source("blog", &server.url("/feed"));
    Home::with(&[Source { full_text: Some(setting), ..blog }])
}

/// The item of a post, with its row key.
fn stored(engine: &Handle, n: usize) -> Option<(i64, Item)> {
    let reader = engine.store().reader().unwrap();
    let window = reader.window(&View::of(Scope::All), Anchor::First, 1000).unwrap();
    let key = window.rows.iter().find(|r| r.title == format!("Post {n}"))?.key;
    Some((key, reader.item(key).unwrap()?))
}

fn key(engine: &Handle, n: usize) -> i64 {
    stored(engine, n).unwrap().0
}

fn item(engine: &Handle, n: usize) -> Item {
    stored(engine, n).unwrap().1
}

async fn want(engine: &Handle, n: usize) -> TextGot {
    soon(engine.full_text(key(engine, n), None)).await.unwrap()
}

async fn open(engine: &Handle, n: usize) -> TextGot {
    soon(engine.opened(key(engine, n))).await.unwrap()
}

fn got(from: TextFrom) -> TextGot {
    TextGot::Fetched { from, changed: false }
}

/// The requested pages of posts.
fn pages(server: &Server) -> Vec<String> {
    paths_requested(server).into_iter().filter(|p| p.starts_with("/post-")).collect()
}

fn found(engine: &Handle, words: &str) -> usize {
    let criteria =
        newsfed::store::Criteria::new(&words.parse().unwrap(), chrono::Local::now(), |_| vec![]);
    let view = View { criteria, ..View::of(Scope::All) };
    let reader = engine.store().reader().unwrap();
    reader.window(&view, Anchor::First, 100).unwrap().rows.len()
}

/// Waits until the items of these posts have their full text.
async fn texts(engine: &Handle, posts: &[usize]) {
    let mut revision = engine.store().revision();
    let there = |n: &usize| stored(engine, *n).is_some_and(|(_, item)| item.article.is_some());
    while !posts.iter().all(there) {
        soon(revision.changed()).await.unwrap();
    }
}

#[tokio::test]
async fn fetches_full_text_once_and_indexes_it() {
    let blog = Blog::with(2);
    let server = blog.start();
    let home = home(&server, FullText::OnOpen);
    let engine = home.on_demand().await;
    sync(&engine, Pace::Manual).await;
    assert_eq!(open(&engine, 1).await, got(TextFrom::Page));
    let text = item(&engine, 1);
    assert!(text.body().contains("paragraph 8") && !text.body().contains("rights"), "{text:?}");
    assert_eq!((text.text_from, text.versions, text.changed), (TextFrom::Page, 0, false));
    assert_eq!(open(&engine, 1).await, TextGot::Left);
    assert_eq!(paths_requested(&server), ["/feed", "/robots.txt", "/post-1"]);
    while engine.store().index_step().await.unwrap().is_some() {}
    assert_eq!((found(&engine, "keeper"), found(&engine, "ferry")), (1, 2));
}

#[tokio::test]
async fn repeated_requests_cycle_through_extractions_without_fetching() {
    let server = Blog::with(1).start();
    let home = home(&server, FullText::Never);
    let engine = home.on_demand().await;
    sync(&engine, Pace::Manual).await;
    assert_eq!(open(&engine, 1).await, TextGot::Left, "the settings do not request it");
    assert_eq!(want(&engine, 1).await, got(TextFrom::Page));
    // The other ways extract the same text, so they are skipped.
    assert_eq!(want(&engine, 1).await, TextGot::Feed);
    assert_eq!((item(&engine, 1).text_from, item(&engine, 1).article), (TextFrom::Feed, None));
    assert_eq!(want(&engine, 1).await, got(TextFrom::Page));
    assert_eq!(item(&engine, 1).text_from, TextFrom::Page);
    assert_eq!(
        (want(&engine, 1).await, want(&engine, 1).await),
        (TextGot::Feed, got(TextFrom::Page))
    );
    assert_eq!(pages(&server).len(), 1);
    home.clock.advance(HOUR);
    let again = soon(engine.full_text(key(&engine, 1), Some(TextWay::Best))).await.unwrap();
    assert_eq!((again, pages(&server).len()), (TextGot::Same(TextWay::Best), 2));
    assert!(!is_conditional(&server.requests().pop().unwrap()), "the complete page is needed");
}

#[tokio::test]
async fn reports_failures_and_keeps_the_teaser() {
    let blog = Blog::with(9);
    let robots = "User-agent: *\nDisallow: /post-4\n";
    blog.put("/robots.txt", Reply::ok("text/plain", robots));
    blog.put("/post-1", Reply::status(404));
    blog.put("/post-2", Reply::status(500));
    blog.put("/post-3", Reply::ok("application/pdf", "%PDF-1.7"));
    blog.put("/post-5", Reply::ok("text/html", "<div>".repeat(32_000)));
    let script = "<!doctype html><title>x</title><div id=app></div><script>run()</script>";
    blog.put("/post-6", Reply::ok("text/html", script));
    blog.put("/post-7", Reply::ok("text/html", "<ul><li>".repeat(16_000)));
    blog.put("/post-8", Reply::ok("text/html", ""));
    let server = blog.start();
    let home = home(&server, FullText::OnOpen);
    let engine = home.on_demand().await;
    sync(&engine, Pace::Manual).await;
    let cases = [
        (1, "127.0.0.1 has nothing at this URL (HTTP 404)"),
        (2, "127.0.0.1 reports an internal error (HTTP 500)"),
        (3, "its URL returns application/pdf, which is not a page"),
        (4, "robots.txt of 127.0.0.1 does not allow programs to read /post-4"),
        (5, "the page is nested too deeply, or too large, to be read safely"),
        (6, "the page loads its text with scripts, which newsfed does not run"),
        (7, "the page is nested too deeply, or too large, to be read safely"),
        (8, "the page contains no text"),
    ];
    for (n, why) in cases {
        assert_eq!(open(&engine, n).await, TextGot::Failed(why.to_owned()));
        let item = item(&engine, n);
        assert_eq!((item.fetch_error.as_deref(), item.text_from), (Some(why), TextFrom::Feed));
        assert!(item.body().starts_with("Post"), "{item:?}");
        assert_eq!(open(&engine, n).await, TextGot::Left, "it is not fetched immediately");
    }
    let before = pages(&server).len();
    home.clock.advance(HOUR);
    blog.special.lock().unwrap().clear();
    assert_eq!(open(&engine, 1).await, TextGot::Left, "a missing page is not retried");
    assert_eq!(open(&engine, 2).await, got(TextFrom::Page), "a temporary error passes");
    let TextGot::Fetched { .. } = want(&engine, 1).await else { panic!("a user may retry") };
    assert_eq!(pages(&server).len(), before + 2);
}

/// The page is nested as deeply as the parser allows. No thread may overflow its stack, even in debug builds.
#[tokio::test]
async fn reads_deeply_nested_pages() {
    let blog = Blog::with(1);
    let deep = format!("{}{}{}", "<div>".repeat(490), prose(1), "</div>".repeat(490));
    blog.put("/post-1", Reply::ok("text/html", deep));
    let server = blog.start();
    let home = home(&server, FullText::OnOpen);
    let engine = home.on_demand().await;
    sync(&engine, Pace::Manual).await;
    assert_eq!(open(&engine, 1).await, got(TextFrom::Page));
    assert!(item(&engine, 1).body().contains("paragraph 8"));
}

#[tokio::test]
async fn recognises_a_full_text_feed_after_one_page() {
    let blog = Blog { whole: true, ..Blog::with(3) };
    let server = blog.start();
    let home = home(&server, FullText::OnOpen);
    let engine = home.on_demand().await;
    sync(&engine, Pace::Manual).await;
    assert_eq!(open(&engine, 1).await, TextGot::InFeed);
    assert_eq!(
        (open(&engine, 2).await, open(&engine, 3).await),
        (TextGot::InFeed, TextGot::InFeed)
    );
    assert_eq!(pages(&server), ["/post-1"]);
    assert_eq!(
        (item(&engine, 2).text_from, item(&engine, 2).feed_has_full_text),
        (TextFrom::Feed, Some(true))
    );
    // The user can still request the text of the page.
    assert_eq!(want(&engine, 1).await, got(TextFrom::Page));
    assert_eq!(pages(&server).len(), 1, "the page is in memory");
    // The feed's text is already shown, so one request is enough.
    assert_eq!(want(&engine, 2).await, got(TextFrom::Page));
    assert_eq!(want(&engine, 2).await, TextGot::Feed);
}

#[tokio::test]
async fn shows_the_page_if_the_feed_has_lost_the_layout_of_code() {
    let code =
        "<pre>fn main() {\n    let a = 1;\n    if a &gt; 0 {\n        run(a);\n    }\n}</pre>";
    let flat: String = code.lines().map(|line| format!("{}\n", line.trim())).collect();
    let blog = Blog { whole: true, ..Blog::with(4) };
    let entry = |n: usize, code: &str| {
        format!(
            "<item><title>Post {n}</title><link>/post-{n}</link>\
             <description><![CDATA[{}{code}]]></description></item>",
            prose(n)
        )
    };
    let items =
        [(1, &*flat), (2, code), (3, &*flat), (4, &*flat)].map(|(n, code)| entry(n, code)).concat();
    let feed = format!("<rss version=\"2.0\"><channel><title>Blog</title>{items}</channel></rss>");
    blog.put("/feed", Reply::ok("application/rss+xml", feed));
    for (n, code) in [(1, code), (2, code), (3, code), (4, &*flat)] {
        blog.put(&format!("/post-{n}"), page(n, &format!("{}{code}", prose(n)), ""));
    }
    let server = blog.start();
    let home = home(&server, FullText::OnOpen);
    let engine = home.on_demand().await;
    sync(&engine, Pace::Manual).await;
    assert!(matches!(open(&engine, 1).await, TextGot::Fetched { changed: false, .. }));
    assert!(item(&engine, 1).body().contains("    let a = 1;"));
    assert_eq!(open(&engine, 2).await, TextGot::InFeed);
    assert!(matches!(open(&engine, 3).await, TextGot::Fetched { changed: false, .. }));
    // The page is not better.
    assert_eq!(open(&engine, 4).await, TextGot::InFeed);
    assert_eq!(pages(&server), ["/post-1", "/post-3", "/post-4"]);
}

#[tokio::test]
async fn keeps_the_feeds_text_if_pages_are_hidden() {
    let blog = Blog { whole: true, ..Blog::with(1) };
    let boundary =
        "<p>We value your privacy. ".to_owned() + &"Please accept all of our partners. ".repeat(9);
    blog.put("/post-1", page(1, &boundary, ""));
    let server = blog.start();
    let home = home(&server, FullText::OnOpen);
    let engine = home.on_demand().await;
    sync(&engine, Pace::Manual).await;
    assert_eq!(
        open(&engine, 1).await,
        TextGot::Failed("the page has no more text than the feed".to_owned())
    );
    assert!(item(&engine, 1).body().contains("paragraph 8"));
}

/// A feed with one item that has its own text and links to a page on the server.
async fn linked(body: &str, path: &str) -> (Server, Home, Handle) {
    let (body, path) = (body.to_owned(), path.to_owned());
    let server = Server::start(move |request| match request.path.as_str() {
        "/feed" => {
            let host = request.header("host").map(String::from_utf8_lossy).unwrap_or_default();
            let feed = format!(
                "<rss version=\"2.0\"><channel><title>Links</title><item><title>Post 1</title>\
                 <link>http://{host}{path}</link><description><![CDATA[{body}]]></description>\
                 </item></channel></rss>"
            );
            Reply::ok("application/rss+xml", feed)
        }
        "/post-1" => page(1, &prose(1), ""),
        // A page with another title.
        "/post-7" => page(7, &prose(1), ""),
        _ => Reply::status(404),
    })
    .unwrap();
    let home = home(&server, FullText::OnOpen);
    let engine = home.on_demand().await;
    sync(&engine, Pace::Manual).await;
    (server, home, engine)
}

#[tokio::test]
async fn keeps_a_text_that_is_not_on_the_page() {
    let comment =
        "My favourite essay on small ports so far; nobody else explains pilot boats as well.";
    let (server, _home, engine) = linked(comment, "/post-7").await;
    assert_eq!(open(&engine, 1).await, TextGot::Kept);
    let shown = item(&engine, 1);
    assert_eq!((shown.body(), shown.text_from, shown.page_text), (comment, TextFrom::Feed, true));
    // The next request shows the text of the page, and the one after it the text of the feed.
    assert_eq!(want(&engine, 1).await, got(TextFrom::Page));
    assert!(item(&engine, 1).body().contains("paragraph 8"));
    assert_eq!(want(&engine, 1).await, TextGot::Feed);
    assert_eq!(item(&engine, 1).body(), comment);
    assert_eq!(pages(&server).len(), 1);
    // Opening the item again does not change the choice.
    assert_eq!(open(&engine, 1).await, TextGot::Left);
    assert_eq!(item(&engine, 1).text_from, TextFrom::Feed);
}

#[tokio::test]
async fn replaces_a_summary_if_the_page_has_the_title_of_the_item() {
    let summary = "What a year of writing about harbours has taught the three of us, in short.";
    let (_server, _home, engine) = linked(summary, "/post-1").await;
    assert_eq!(open(&engine, 1).await, got(TextFrom::Page));
    assert!(item(&engine, 1).body().contains("paragraph 8"));
    let long = "One of many sentences that only the feed has, and no page. ".repeat(6);
    let (_server, _home, engine) = linked(&long, "/post-1").await;
    assert_eq!(open(&engine, 1).await, TextGot::Kept);
}

#[tokio::test]
async fn can_return_to_the_feeds_text_after_errors() {
    let boundary =
        "<p>We value your privacy. ".to_owned() + &"Please accept all of our partners. ".repeat(9);
    let blog = Blog { whole: true, ..Blog::with(1) };
    blog.put("/post-1", page(1, &boundary, ""));
    let server = blog.start();
    let home = home(&server, FullText::OnOpen);
    let engine = home.on_demand().await;
    sync(&engine, Pace::Manual).await;
    assert!(matches!(open(&engine, 1).await, TextGot::Failed(_)), "no more text than the feed");
    assert!(matches!(want(&engine, 1).await, TextGot::Fetched { .. }), "the page alone");
    assert!(item(&engine, 1).body().contains("partners"));
    assert_eq!(want(&engine, 1).await, TextGot::Feed);
    assert!(item(&engine, 1).body().contains("paragraph 8"));
    assert!(matches!(want(&engine, 1).await, TextGot::Fetched { .. }));
    assert_eq!(item(&engine, 1).fetch_error, None);
}

#[tokio::test]
async fn replaces_a_teaser_with_the_text_of_its_page() {
    let start = prose(1).replace("<p>", "").chars().take(150).collect::<String>() + " […]";
    let (_server, _home, engine) = linked(&start, "/post-1").await;
    assert_eq!(open(&engine, 1).await, got(TextFrom::Page));
    // If the page is missing, the text of the feed stays, whatever the user requests.
    let (_server, _home, engine) = linked(&start, "/gone").await;
    for _ in 0..3 {
        assert!(matches!(want(&engine, 1).await, TextGot::Failed(why) if why.contains("404")));
    }
    assert_eq!(item(&engine, 1).text_from, TextFrom::Feed);
}

#[tokio::test]
async fn a_learned_template_survives_a_restart() {
    let server = Blog::with(8).start();
    let home = home(&server, FullText::OnOpen);
    let engine = home.on_demand().await;
    sync(&engine, Pace::Manual).await;
    let mut from = Vec::new();
    for n in 1..=5 {
        open(&engine, n).await;
        from.push(item(&engine, n).text_from);
    }
    engine.shutdown().await;
    let engine = home.on_demand().await;
    open(&engine, 6).await;
    from.push(item(&engine, 6).text_from);
    assert_eq!((from[0], from[5]), (TextFrom::Page, TextFrom::Site), "{from:?}");
    let site = engine.store().reader().unwrap().site(1).unwrap();
    let size = site.template.unwrap().len();
    assert!((100..8192).contains(&size), "{size} bytes");
}

/// Waits until a page was requested this many times, and the last response has been stored.
async fn requested(engine: &Handle, server: &Server, path: &str, times: usize) {
    let mut revision = engine.store().revision();
    let count = || paths_requested(server).iter().filter(|p| *p == path).count();
    let now = engine.now();
    while count() < times || item(engine, 1).fetched != Some(now) {
        soon(revision.changed()).await.unwrap();
    }
    assert_eq!(count(), times);
}

#[tokio::test]
async fn a_changed_article_keeps_its_earlier_version() {
    let blog = Blog::with(1);
    let server = blog.start();
    let mut home = home(&server, FullText::All);
    // The feed is not polled in this test.
    home.settings.schedule.interval = DAY * 30;
    home.settings.schedule.max_interval = DAY * 30;
    let engine = home.following().await;
    texts(&engine, &[1]).await;
    let item_of = || item(&engine, 1);

    // The page has not changed (304).
    home.clock.advance(HOUR);
    requested(&engine, &server, "/post-1", 2).await;
    assert!(is_conditional(&server.requests().pop().unwrap()));
    assert_eq!((item_of().versions, item_of().changed), (0, false));

    // A new comment is not a change.
    blog.put("/post-1", page(1, &prose(1), "<p>Nice!</p>"));
    home.clock.advance(3 * HOUR);
    requested(&engine, &server, "/post-1", 3).await;
    assert_eq!((item_of().versions, item_of().changed), (0, false));

    // The publisher corrects a word.
    let corrected = prose(1).replace("paragraph 5, of", "paragraph 5 and a half, of");
    blog.put("/post-1", page(1, &corrected, "<p>Nice!</p>"));
    home.clock.advance(20 * HOUR);
    requested(&engine, &server, "/post-1", 4).await;
    assert_eq!((item_of().versions, item_of().changed), (1, true));
    assert!(item_of().body().contains("5 and a half"));
    assert_eq!((found(&engine, "is:changed"), facts(&engine, "blog").await.unread), (1, 1));

    // Opening the item marks the change as seen; the version stays.
    open(&engine, 1).await;
    assert_eq!((item_of().versions, item_of().changed), (1, false));

    // The page is fetched again after three and after seven days, and never after that.
    for (wait, times) in [(2 * DAY, 5), (4 * DAY, 6)] {
        home.clock.advance(wait);
        requested(&engine, &server, "/post-1", times).await;
    }
    assert_eq!(engine.store().reader().unwrap().page(key(&engine, 1)).unwrap().unwrap().next, None);

    // A change is detected with any extraction method.
    let again = corrected.replace("paragraph 6, of", "paragraph 6 and a half, of");
    blog.put("/post-1", page(1, &again, ""));
    engine.shutdown().await;
    let engine = home.on_demand().await;
    let got = engine.full_text(key(&engine, 1), Some(TextWay::Page)).await.unwrap();
    assert!(matches!(got, TextGot::Fetched { changed: true, .. }), "{got:?}");
    assert_eq!(item(&engine, 1).versions, 2);
}

#[tokio::test]
async fn opening_an_item_later_checks_for_changes() {
    let blog = Blog::with(1);
    let server = blog.start();
    let home = home(&server, FullText::OnOpen);
    let engine = home.on_demand().await;
    sync(&engine, Pace::Manual).await;
    assert_eq!(open(&engine, 1).await, got(TextFrom::Page));
    home.clock.advance(2 * HOUR);
    assert_eq!(open(&engine, 1).await, TextGot::Same(TextWay::Best));
    assert!(is_conditional(&server.requests().pop().unwrap()));
    assert_eq!(open(&engine, 1).await, TextGot::Left, "only when it is four hours old");
    blog.put("/post-1", page(1, &prose(1).replace("paragraph 7", "paragraph seven"), ""));
    home.clock.advance(3 * HOUR);
    let changed = TextGot::Fetched { from: TextFrom::Page, changed: true };
    assert_eq!(open(&engine, 1).await, changed);
    assert_eq!((item(&engine, 1).versions, item(&engine, 1).changed), (1, false), "it was seen");
    assert_eq!(pages(&server).len(), 3);
}

#[tokio::test]
async fn concurrent_callers_share_one_fetch() {
    let blog = Blog::with(1);
    let server = blog.start();
    let home = home(&server, FullText::OnOpen);
    let engine = home.on_demand().await;
    sync(&engine, Pace::Manual).await;
    let (first, second) = tokio::join!(open(&engine, 1), open(&engine, 1));
    assert_eq!((first, second), (got(TextFrom::Page), TextGot::Same(TextWay::Best)));
    assert_eq!(pages(&server).len(), 1);
}

#[tokio::test]
async fn a_lost_network_is_not_a_page_failure() {
    let blog = Blog::with(1);
    let server = blog.start();
    let home = home(&server, FullText::OnOpen);
    let engine = home.on_demand().await;
    sync(&engine, Pace::Manual).await;
    let database = rusqlite::Connection::open(home.paths().database()).unwrap();
    let to = |address: &str| {
        assert_eq!(database.execute("UPDATE item SET url = ?1", [address]).unwrap(), 1);
    };
    // DNS names cannot be this long, so no DNS query is sent.
    to(&format!("http://{}.example/post-1", "n".repeat(64)));
    assert!(matches!(open(&engine, 1).await, TextGot::Failed(why) if why.contains("not found")));
    assert_eq!(item(&engine, 1).fetch_error, None);
    to(&server.url("/post-1"));
    assert_eq!(open(&engine, 1).await, got(TextFrom::Page), "at once");
}

#[tokio::test]
async fn respects_the_pause_of_a_host() {
    let blog = Blog::with(3);
    blog.put("/post-1", Reply::status(429).header("retry-after", "3600"));
    let server = blog.start();
    let home = home(&server, FullText::OnOpen);
    let engine = home.on_demand().await;
    sync(&engine, Pace::Manual).await;
    assert!(matches!(open(&engine, 1).await, TextGot::Failed(why) if why.contains("(HTTP 429)")));
    assert!(matches!(open(&engine, 2).await, TextGot::Failed(why) if why.contains("pause")));
    assert_eq!(pages(&server), ["/post-1"]);
    let pause = facts(&engine, "blog").await.pause.unwrap();
    assert_eq!(
        (pause.reason, pause.until - home.clock.now()),
        (PauseReason::HostPaused, chrono::TimeDelta::hours(1))
    );
    home.clock.advance(HOUR);
    blog.special.lock().unwrap().clear();
    assert_eq!(open(&engine, 2).await, got(TextFrom::Page));
}

#[tokio::test]
async fn a_feed_cannot_cause_requests_to_private_addresses() {
    let inner = Server::start(|_| page(1, &prose(1), "")).unwrap();
    let hidden = inner.url_on(hosts(1)[0], "/post-1");
    let body = format!(
        "<rss version=\"2.0\"><channel><title>x</title><item><title>Post 1</title><link>{hidden}</link></item></channel></rss>"
    );
    let server = Server::start(move |_| Reply::ok("application/rss+xml", body.clone())).unwrap();
    let home = home(&server, FullText::OnOpen);
    let engine = home.on_demand().await;
    sync(&engine, Pace::Manual).await;
    assert!(matches!(open(&engine, 1).await, TextGot::Failed(why) if why.contains("private")));
    assert_eq!(inner.requests().len(), 0);
}

#[tokio::test]
async fn follows_comments_once_in_the_folder_of_their_item() {
    let feed = |comments: &str| {
        format!(
            "<rss version=\"2.0\" xmlns:wfw=\"http://wellformedweb.org/CommentAPI/\"><channel><title>x\
             </title><item><title>Post 1</title><wfw:commentRss>{comments}</wfw:commentRss></item>\
             </channel></rss>"
        )
    };
    let inner = Server::start(|_| Reply::status(200)).unwrap();
    let hidden = inner.url_on(hosts(1)[0], "/talk");
    let talk = "<rss version=\"2.0\"><channel><title>t</title><item><title>Nice!</title></item></channel></rss>";
    let (own, other) = (feed("/talk"), feed(&hidden));
    let server = Server::start(move |request| {
        let body = match request.path.as_str() {
            "/feed" => own.clone(),
            "/other" => other.clone(),
            _ => talk.to_owned(),
        };
        Reply::ok("application/rss+xml", body)
    })
    .unwrap();
    let folder = Some("Ports".to_owned());
    let home = Home::with(&[Source { folder, ..source("blog", &server.url("/feed")) }]);
    let engine = home.on_demand().await;
    sync(&engine, Pace::Manual).await;
    let (added, edit) = soon(engine.follow_comments(key(&engine, 1))).await.unwrap();
    assert_eq!(added.title.as_deref(), Some("Comments: Post 1"));
    assert_eq!(added.folder.as_deref(), Some("Ports"));
    assert_eq!(facts(&engine, &added.id.to_string()).await.items, 1);
    let again = soon(engine.follow_comments(key(&engine, 1))).await.unwrap_err();
    assert!(again.to_string().contains("already followed"), "{again}");
    assert!(!edit.is_empty(), "an undo removes the source");

    // A feed cannot cause requests to private addresses of other hosts.
    let home = Home::with(&[source("blog", &server.url("/other"))]);
    let engine = home.on_demand().await;
    sync(&engine, Pace::Manual).await;
    let refused = soon(engine.follow_comments(key(&engine, 1))).await.unwrap_err();
    assert!(refused.to_string().contains("private address"), "{refused}");
    assert_eq!(inner.requests().len(), 0);
}

/// A blog with comments on its item. Tests can set the number of comments and the HTTP status.
fn thread() -> (Server, Arc<Mutex<(usize, u16)>>) {
    let state = Arc::new(Mutex::new((1, 200)));
    let seen = state.clone();
    let server = Server::start(move |request| {
        let (count, status) = *seen.lock().unwrap();
        let item = |n: usize| format!("<item><title>C{n}</title><guid>{n}</guid></item>");
        let items: String = match request.path.as_str() {
            "/feed" => "<item><title>Post 1</title><wfw:commentRss>/talk</wfw:commentRss></item>"
                .to_owned(),
            "/talk" if status != 200 => return Reply::status(status),
            _ => (0..count).map(item).collect(),
        };
        let body = format!(
            "<rss version=\"2.0\" xmlns:wfw=\"http://wellformedweb.org/CommentAPI/\"><channel>\
             <title>x</title>{items}</channel></rss>"
        );
        Reply::ok("application/rss+xml", body)
    });
    (server.unwrap(), state)
}

/// Removes expired sources; returns the messages.
async fn dropped(engine: &Handle) -> Vec<String> {
    let changes = soon(engine.drop_dead_sources()).await.unwrap();
    changes.into_iter().map(|change| change.message).collect()
}

#[tokio::test]
async fn removes_comment_sources_without_new_comments() {
    let (server, state) = thread();
    let days = |home: &Home, days: u64| home.clock.advance(DAY * u32::try_from(days).unwrap());
    let mut home = Home::with(&[source("blog", &server.url("/feed"))]);
    home.settings.comments.days = Some(10);
    let engine = home.on_demand().await;
    let poll = async || {
        sync(&engine, Pace::Force).await;
        dropped(&engine).await
    };
    sync(&engine, Pace::Force).await;
    soon(engine.follow_comments(key(&engine, 1))).await.unwrap();
    let none: [String; 0] = [];
    assert_eq!(poll().await, none);
    days(&home, 9);
    assert_eq!(poll().await, none);
    *state.lock().unwrap() = (2, 200);
    assert_eq!(poll().await, none, "another comment");
    days(&home, 9);
    assert_eq!(poll().await, none);
    // A source that was not polled may have new comments, so it is kept.
    days(&home, 5);
    assert_eq!(dropped(&engine).await, none);
    assert_eq!(poll().await, ["Removed Comments: Post 1: nothing new since 2027-01-24"]);
    assert_eq!(engine.sources().await.unwrap().len(), 1, "the blog stays");
    assert_eq!(poll().await, none);
    // If the comments are followed again, the period starts again.
    soon(engine.follow_comments(key(&engine, 1))).await.unwrap();
    assert_eq!(poll().await, none);
    days(&home, 10);
    // A source with items that the user keeps is not removed.
    let reader = engine.store().reader().unwrap();
    let view = View::of(Scope::All);
    let rows = reader.window(&view, Anchor::First, 50).unwrap().rows;
    let comment = rows.iter().find(|row| row.title == "C0").unwrap().key;
    engine.mark(Mark::Pinned, vec![comment], true).await.unwrap();
    assert_eq!(poll().await, none);
    engine.mark(Mark::Pinned, vec![comment], false).await.unwrap();
    assert_eq!(poll().await.len(), 1);
    engine.shutdown().await;
}

#[tokio::test]
async fn removes_missing_comments_unless_the_setting_keeps_them() {
    for (status, polls) in [(410, 1), (404, 3)] {
        let (server, state) = thread();
        let home = Home::with(&[source("blog", &server.url("/feed"))]);
        let engine = home.on_demand().await;
        sync(&engine, Pace::Force).await;
        soon(engine.follow_comments(key(&engine, 1))).await.unwrap();
        *state.lock().unwrap() = (1, status);
        for n in 1..=polls {
            home.clock.advance(DAY);
            sync(&engine, Pace::Force).await;
            let dropped = dropped(&engine).await;
            assert_eq!(dropped.len(), usize::from(n == polls), "{status} {n}");
            assert!(
                dropped
                    .iter()
                    .all(|text| text.ends_with("the server reports that the source is gone"))
            );
        }
        engine.shutdown().await;
    }
    let (server, state) = thread();
    let mut home = Home::with(&[source("blog", &server.url("/feed"))]);
    home.settings.comments.days = None;
    let engine = home.on_demand().await;
    sync(&engine, Pace::Force).await;
    soon(engine.follow_comments(key(&engine, 1))).await.unwrap();
    *state.lock().unwrap() = (1, 410);
    home.clock.advance(DAY * 999);
    sync(&engine, Pace::Force).await;
    assert!(soon(engine.drop_dead_sources()).await.unwrap().is_empty());
    engine.shutdown().await;
}

#[tokio::test]
async fn keeps_missing_comments_that_the_user_has_restored() {
    for (status, polls) in [(410, 1), (404, 3)] {
        let (server, state) = thread();
        let mut home = Home::with(&[source("blog", &server.url("/feed"))]);
        home.settings.comments.days = Some(10);
        let engine = home.on_demand().await;
        sync(&engine, Pace::Force).await;
        soon(engine.follow_comments(key(&engine, 1))).await.unwrap();
        *state.lock().unwrap() = (1, status);
        for _ in 0..polls {
            home.clock.advance(DAY);
            sync(&engine, Pace::Force).await;
        }
        let mut changes = soon(engine.drop_dead_sources()).await.unwrap();
        let edit = changes.remove(0).edit.unwrap();
        engine.edit(FileChange::Revert(vec![edit])).await.unwrap();
        for day in 0..10 {
            sync(&engine, Pace::Force).await;
            assert!(dropped(&engine).await.is_empty(), "{status} {day}");
            home.clock.advance(DAY);
        }
        sync(&engine, Pace::Force).await;
        assert_eq!(dropped(&engine).await.len(), 1, "{status}");
        engine.shutdown().await;
    }
}

#[tokio::test]
async fn the_interface_reports_removals_even_without_notifications() {
    let (server, state) = thread();
    let mut home = Home::with(&[source("blog", &server.url("/feed"))]);
    home.settings.notify.how = newsfed::config::NotifyWay::None;
    let engine = home.on_demand().await;
    sync(&engine, Pace::Force).await;
    soon(engine.follow_comments(key(&engine, 1))).await.unwrap();
    *state.lock().unwrap() = (1, 410);
    home.clock.advance(DAY);
    sync(&engine, Pace::Force).await;
    engine.shutdown().await;
    let engine = home.following().await;
    let mut messages = engine.notifications();
    let message = soon(async {
        loop {
            home.clock.advance(HOUR);
            match messages.try_recv() {
                Ok(message) => break message,
                Err(_) => tokio::task::yield_now().await,
            }
        }
    });
    let message = message.await;
    assert!(message.text.starts_with("Removed Comments: Post 1: "), "{message:?}");
    assert_eq!((message.rings, message.is_shown), (false, true));
    // The removal can be undone like other changes.
    let (label, edit) = *message.undo.unwrap();
    assert_eq!(label, "removal of Comments: Post 1");
    assert_eq!(home.file().declared().unwrap().len(), 1);
    edit.revert(&home.paths()).unwrap();
    assert_eq!(home.file().declared().unwrap().len(), 2);
    engine.shutdown().await;
}

#[tokio::test]
async fn a_feeds_pause_applies_to_pages_after_a_restart() {
    let blog = Blog::with(4);
    let server = blog.start();
    let home = home(&server, FullText::OnOpen);
    let engine = home.on_demand().await;
    sync(&engine, Pace::Manual).await;
    blog.put("/feed", Reply::status(429).header("retry-after", "86400"));
    sync(&engine, Pace::Force).await;
    engine.shutdown().await;
    let engine = home.on_demand().await;
    let until = home.clock.now() + chrono::TimeDelta::days(1);
    let until = until.with_timezone(&chrono::Local).format("until %-d %b %H:%M").to_string();
    let refused = |got: &TextGot| match got {
        TextGot::Failed(why) => why.contains(&until),
        _ => false,
    };
    for got in [open(&engine, 1).await, want(&engine, 2).await] {
        assert!(refused(&got), "{got:?}");
    }
    let plan = engine.plan_prefetch(&[MarkedItems::Unread], 100).await.unwrap();
    assert_eq!(plan.pages.len(), 2);
    let mut reports = engine.prefetch(plan.pages);
    while let Some((_, got)) = soon(reports.recv()).await {
        assert!(refused(got.as_ref().unwrap()), "{got:?}");
    }
    assert_eq!(pages(&server), Vec::<String>::new());
    home.clock.advance(DAY);
    assert_eq!(open(&engine, 1).await, got(TextFrom::Page));
}

#[tokio::test]
async fn a_watching_process_fetches_the_pages_that_its_user_opens() {
    let server = Blog::with(3).start();
    let home = home(&server, FullText::OnOpen);
    let first = home.following().await;
    settled(&first).await;
    let second = home.following().await;
    assert!(matches!(second.status().borrow().role, ProcessRole::Watches(_)));
    assert_eq!(open(&second, 1).await, got(TextFrom::Page));
    assert!(matches!(want(&second, 2).await, TextGot::Fetched { .. }));
    assert_eq!(open(&first, 1).await, TextGot::Left, "its text is stored");
    assert_eq!(pages(&server), ["/post-1", "/post-2"]);
}
