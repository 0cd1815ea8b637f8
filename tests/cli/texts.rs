//! Full texts on the command line: prefetching, output formats and differences.

use super::shapes::check;
use super::{Run, World};
use newsfed::demo::server::Reply;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

/// A paragraph that differs from all others.
fn paragraph(post: &str, n: usize) -> String {
    let words = ["harbour", "lantern", "baker", "letter", "winter", "garden", "engine"];
    let word = |k: usize| words[(k * k + n * 3 + post.len()) % words.len()];
    let row: Vec<&str> = (0..30).map(word).collect();
    format!("<p>{} of {post}, paragraph {n}.</p>", row.join(" "))
}

/// A blog with three posts and a feed with teasers. The third page is missing. Setting the flag corrects the
/// first post.
fn blog() -> (World, Arc<AtomicBool>) {
    let corrected = Arc::new(AtomicBool::new(false));
    let (flag, address) = (corrected.clone(), Arc::new(Mutex::new(String::new())));
    let own = address.clone();
    let world = World::new(move |request| match request.path.as_str() {
        "/feed" => {
            let base = own.lock().unwrap().clone();
            let item = |n: &str, day| {
                format!(
                    "<item><title>Post {n}</title><link>{base}{n}</link>\
                     <pubDate>0{day} Nov 2025 09:00:00 GMT</pubDate>\
                     <description>Teaser of {n}</description></item>"
                )
            };
            let items = [item("one", 3), item("two", 2), item("three", 1)].concat();
            let text =
                format!("<rss version=\"2.0\"><channel><title>Blog</title>{items}</channel></rss>");
            Reply::ok("application/rss+xml", text)
        }
        "/one" | "/two" => {
            let name = &request.path[1..];
            let mut text: String = (1..6).map(|n| paragraph(name, n)).collect();
            if flag.load(Ordering::SeqCst) {
                text = text.replace("paragraph 2", "paragraph two");
            }
            let page = format!(
                "<!doctype html><title>x</title><nav><a href=/>Home</a></nav><article><h1>Post \
                 {name}</h1>{text}<h2>The log</h2><p>He counted the boats</p><ul><li>The keeper wrote it down on <a href=\"/two\">another page</a> long ago</li></ul>\
                 <pre>let a = 1;\n  let b = 2;</pre></article><footer>Rights</footer>"
            );
            Reply::ok("text/html", page)
        }
        _ => Reply::status(404),
    });
    *address.lock().unwrap() = world.server.url("/");
    world.run_with(&["import", "--private", "-"], &world.server.url("/feed")).ok();
    quick(&world, &["sync"]).ok();
    (world, corrected)
}

fn quick(world: &World, args: &[&str]) -> Run {
    world.run(&[args, &["--set", "net.host_delay=0s"]].concat())
}

fn requests(world: &World, path: &str) -> usize {
    world.server.requests().iter().filter(|r| r.path == path).count()
}

#[test]
fn prefetches_pages_and_shows_them_in_every_format() {
    let (world, _) = blog();
    let numbers = world.numbers();
    let [three, _, one] = numbers.as_slice() else { panic!("three posts") };
    let dry = quick(&world, &["prefetch", "--dry-run"]);
    assert!(dry.err.contains("3 pages, about 180 kB"), "{dry:?}");
    check("Prefetch", &quick(&world, &["prefetch", "--dry-run", "--json"]).values());
    assert_eq!(requests(&world, "/one"), 0);
    let some = quick(&world, &["prefetch", "--json", "--limit", "1"]);
    assert_eq!(some.code, Some(0), "{some:?}");
    let rest = quick(&world, &["prefetch", "--json"]);
    assert_eq!(rest.code, Some(3), "the third page is missing: {rest:?}");
    let mut values = rest.values();
    check("Prefetch", &[values.pop().unwrap()]);
    check("Prefetched page", &values);
    let again = quick(&world, &["prefetch"]);
    assert_eq!(
        (again.code, again.err.trim()),
        (Some(0), "all pages have already been fetched; 1 has no text")
    );
    assert_eq!((requests(&world, "/one"), requests(&world, "/three")), (1, 1));

    let text = world.run(&["show", one]).ok();
    assert!(text.contains("Text: from the page") && text.contains("paragraph 5"), "{text}");
    assert!(!text.contains("Rights") && text.contains("\n  let b = 2;"), "{text}");
    assert!(text.contains("on another page [1] long ago"), "{text}");
    assert!(text.contains("\n[1] http"), "{text}");
    let markdown = world.run(&["show", "--format", "markdown", one]).ok();
    assert!(markdown.starts_with("# Post one\n\n"), "{markdown}");
    assert!(
        markdown.contains("\n## The log\n") && markdown.contains("on [another page](http"),
        "{markdown}"
    );
    assert!(markdown.contains("```\nlet a = 1;\n  let b = 2;\n```"), "{markdown}");
    let html = world.run(&["show", "--format", "html", one]).ok();
    assert!(html.contains("<h2>The log</h2>") && !html.contains("<nav"), "{html}");
    let json = world.run(&["show", "--format", "json", one]).values().remove(0);
    assert_eq!((&json["text_from"], &json["versions"]), (&"page".into(), &0.into()));
    assert_eq!(json["summary"], "Teaser of one");
    let missing = world.run(&["show", three]).ok();
    assert!(missing.contains("Teaser of three") && missing.contains("(HTTP 404)"), "{missing}");
    let sources = world.run(&["sources", "show", "Blog"]).ok();
    assert!(
        sources.contains("full text     fetched when an item is opened (on-open)"),
        "{sources}"
    );
}

#[test]
fn shows_differences_between_versions() {
    let (world, corrected) = blog();
    let one = world.numbers().pop().unwrap();
    for flag in ["--diff", "--versions"] {
        let none = world.run(&["show", flag, &one]);
        assert_eq!(none.code, Some(1));
        assert!(none.err.contains("may contain only the beginning"), "{none:?}");
    }
    quick(&world, &["prefetch", &one]).ok();
    let none = world.run(&["show", "--diff", &one]);
    assert!(none.err.contains("no earlier version"), "{none:?}");
    corrected.store(true, Ordering::SeqCst);
    quick(&world, &["prefetch", &one]).ok();
    assert_eq!(requests(&world, "/one"), 2);
    let changed = world.run(&["search", "--json", "is:changed"]).values();
    let found = world.run(&["search", "--json", "two"]).values();
    check("Item", &[changed.clone(), found].concat());
    assert_eq!((changed.len(), &changed[0]["title"]), (1, &"Post one".into()));
    let diff = world.run(&["show", "--diff", &one]).ok();
    assert!(diff.contains("paragraph [-2.-] {+two.+}"), "{diff}");
    assert_eq!(diff.matches("[-").count(), 1, "{diff}");
    check("Difference", &world.run(&["show", "--json", "--diff", &one]).values());
    let versions = world.run(&["show", "--json", "--versions", &one]).values();
    check("Version", &versions);
    assert_eq!(versions.len(), 2);
    assert_eq!(versions[0]["revisions"][0]["kind"], "numbers", "{versions:?}");
    assert_eq!(changed[0]["substantial"], true);
    let old = world.run(&["search", "--json", "in:versions paragraph"]).values();
    assert_eq!(old.len(), 1, "{old:?}");
    let both = world.run(&["show", "--versions", &one]).ok();
    assert!(both.find("paragraph two") < both.find("paragraph 2"), "newest first: {both}");
}

/// A link blog with one item, which links to a page that does not contain the item's text. Setting the flag
/// changes the links on that page. The feed announces the comments.
fn link_blog() -> (World, Arc<AtomicBool>) {
    let changed = Arc::new(AtomicBool::new(false));
    let (flag, address) = (changed.clone(), Arc::new(Mutex::new(String::new())));
    let own = address.clone();
    let world = World::new(move |request| match request.path.as_str() {
        "/feed" => {
            let base = own.lock().unwrap().clone();
            let count = if flag.load(Ordering::SeqCst) { 19 } else { 12 };
            let text = format!(
                "<rss version=\"2.0\" xmlns:wfw=\"http://wellformedweb.org/CommentAPI/\" \
                 xmlns:slash=\"http://purl.org/rss/1.0/modules/slash/\"><channel><title>Blog</title>\
                 <item><title>Found</title><link>{base}page</link><category>Ports</category>\
                 <pubDate>03 Nov 2025 09:00:00 GMT</pubDate><comments>{base}page#talk</comments>\
                 <wfw:commentRss>{base}talk.xml</wfw:commentRss><slash:comments>{count}</slash:comments>\
                 <description>Nobody else describes small ports and their pilots as well as this.\
                 </description></item></channel></rss>"
            );
            Reply::ok("application/rss+xml", text)
        }
        "/talk.xml" => super::feed("Comments on Found", &["first", "second"]),
        "/page" => {
            let text: String = (1..6).map(|n| paragraph("page", n)).collect();
            let link = if flag.load(Ordering::SeqCst) { "/new" } else { "/old" };
            let page = format!(
                "<!doctype html><title>x</title><article><h1>Ports</h1>{text}<p>See <a href=\"{link}\">the \
                 list of ports</a> for more of them.</p><p><a rel=tag href=/t>Harbours</a></p></article>"
            );
            Reply::ok("text/html", page)
        }
        _ => Reply::status(404),
    });
    *address.lock().unwrap() = world.server.url("/");
    world.run_with(&["import", "--private", "-"], &world.server.url("/feed")).ok();
    quick(&world, &["sync"]).ok();
    (world, changed)
}

#[test]
fn prints_every_text_of_an_item() {
    let (world, _) = link_blog();
    let id = world.numbers().pop().unwrap();
    let show = |from: &str| world.run(&["show", "--from", from, &id]);
    let none = show("page");
    assert_eq!(none.code, Some(1));
    assert!(
        none.err.contains("`newsfed prefetch") && none.err.contains("it has: feed"),
        "{none:?}"
    );
    quick(&world, &["prefetch", &id]).ok();
    let own = world.run(&["show", &id]).ok();
    assert!(own.contains("small ports and their pilots") && own.contains("--from page"), "{own}");
    assert!(show("page").ok().contains("paragraph 5"));
    assert!(show("feed").ok().contains("small ports and their pilots"));
    let site = show("site");
    assert!(
        site.err.contains("no text from the site") && site.err.contains("feed, page"),
        "{site:?}"
    );
    let json = world.run(&["show", "--json", "--from", "page", &id]).values().remove(0);
    assert_eq!((&json["text_from"], &json["page_text"]), (&"page".into(), &true.into()));
    assert_eq!(json["tags"], serde_json::json!(["Ports", "Harbours"]));
    let tags = world.run(&["show", &id]).ok();
    assert!(tags.contains("Categories: Ports, Harbours"), "{tags}");
    // For a blog with teasers, the page's text is shown, unless full texts are disabled.
    let (world, _) = blog();
    let one = world.numbers().pop().unwrap();
    quick(&world, &["prefetch", &one]).ok();
    assert!(world.run(&["show", &one]).ok().contains("paragraph 5"));
    let never = world.run(&["--set", "full_text=never", "show", &one]).ok();
    assert!(never.contains("Teaser of one") && !never.contains("paragraph 5"), "{never}");
    let asked = world.run(&["--set", "full_text=never", "show", "--from", "page", &one]).ok();
    assert!(asked.contains("paragraph 5"), "{asked}");
}

#[test]
fn stores_versions_for_changed_links_but_not_for_comments() {
    let (world, changed) = link_blog();
    let id = world.numbers().pop().unwrap();
    quick(&world, &["prefetch", &id]).ok();
    world.run(&["read", &id]).ok();
    changed.store(true, Ordering::SeqCst);
    quick(&world, &["sync", "--force"]).ok();
    let shown = world.run(&["show", &id]).ok();
    assert!(shown.contains("19 comments, +7 since you read it"), "{shown}");
    let json = world.run(&["show", "--json", &id]).values().remove(0);
    assert_eq!((&json["comment_count"], &json["new_comments"]), (&19.into(), &7.into()));
    assert_eq!((&json["read"], &json["changed"]), (&true.into(), &false.into()));
    quick(&world, &["prefetch", &id]).ok();
    for flag in ["--diff", "--versions"] {
        let text = world.run(&["show", flag, &id]).ok();
        let removed = format!("Link: [-{}-]", world.server.url("/old"));
        let added = format!("Link: {{+{}+}}", world.server.url("/new"));
        assert!(text.contains(&removed) && text.contains(&added), "{flag}: {text}");
    }
    let diff = world.run(&["show", "--json", "--diff", &id]).values().remove(0);
    assert_eq!(diff["links_added"], serde_json::json!([world.server.url("/new")]));
    let found = |query: &str| world.run(&["search", "--json", query]).values().len();
    assert_eq!((found("is:changed"), found("is:edited")), (0, 1), "only links");
}

#[test]
fn follows_comments_as_a_source() {
    let (world, _) = link_blog();
    let id = world.numbers().pop().unwrap();
    let added = quick(&world, &["add", "--comments-of", &id, "--json"]).values().remove(0);
    assert_eq!((&added["added"], &added["items"]), (&true.into(), &2.into()), "{added}");
    let sources = world.run(&["sources"]).ok();
    assert!(sources.contains("Comments: Found"), "{sources}");
    let again = quick(&world, &["add", "--comments-of", &id]).ok();
    assert!(again.contains("already followed"), "{again}");
    let none = world.numbers().into_iter().find(|number| *number != id).unwrap();
    let none = quick(&world, &["add", "--comments-of", &none]);
    assert!(none.err.contains("no comment feed"), "{none:?}");
}

#[test]
fn lists_items_as_of_a_day() {
    let (world, _) = blog();
    let list = |date: &str| world.run(&["list", "--as-of", date, "--json"]).values().len();
    assert_eq!((list("today"), list("2d"), list("2020")), (3, 0, 0));
    let one = world.numbers().pop().unwrap();
    assert!(world.run(&["show", "--as-of", "today", &one]).ok().contains("Teaser of one"));
    let early = world.run(&["show", "--as-of", "2d", &one]);
    assert!(early.err.contains("was not yet stored on that day"), "{early:?}");
    let wrong = world.run(&["list", "--as-of", "soon"]);
    assert!(wrong.code == Some(2) && wrong.err.contains("is not a date"), "{wrong:?}");
}

#[test]
fn sources_show_reports_when_full_text_is_fetched() {
    let (world, _) = blog();
    world.run(&["sources", "edit", "Blog", "--full-text", "never"]).ok();
    let text = std::fs::read_to_string(world.config().join("sources.toml")).unwrap();
    assert!(text.contains("full_text = \"never\""), "{text}");
    assert!(
        world.run(&["sources", "show", "Blog"]).ok().contains("fetched only when you ask (never)")
    );
    let nothing = quick(&world, &["prefetch"]);
    assert!(nothing.err.contains("all pages have already been fetched"), "{nothing:?}");
    world.run(&["sources", "edit", "Blog", "--full-text", ""]).ok();
    let wrong = world.run(&["sources", "edit", "Blog", "--full-text", "always"]);
    assert_eq!(wrong.code, Some(2));
    assert!(wrong.err.contains("\"never\", \"on-open\", \"pinned\" or \"all\""), "{wrong:?}");
    let shown = world.run(&["config", "show", "--set", "full_text=all"]).ok();
    assert!(shown.contains("full_text = \"all\""), "{shown}");
}
