//! Full texts on the command line: prefetched, shown in every format, compared.

use super::shapes::check;
use super::{Run, World};
use newsfed::demo::server::Reply;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

/// A paragraph unlike all others.
fn paragraph(post: &str, n: usize) -> String {
    let words = ["harbour", "lantern", "baker", "letter", "winter", "garden", "engine"];
    let word = |k: usize| words[(k * k + n * 3 + post.len()) % words.len()];
    let row: Vec<&str> = (0..30).map(word).collect();
    format!("<p>{} of {post}, paragraph {n}.</p>", row.join(" "))
}

/// A blog of three posts whose feed has teasers only. The third page is missing. The flag corrects
/// the first post.
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
    check("Page", &values);
    let again = quick(&world, &["prefetch"]);
    assert_eq!(
        (again.code, again.err.trim()),
        (Some(0), "all pages are already fetched, except 1 without text")
    );
    assert_eq!((requests(&world, "/one"), requests(&world, "/three")), (1, 1));

    let text = world.run(&["show", one]).ok();
    assert!(text.contains("Text: from the page") && text.contains("paragraph 5"), "{text}");
    assert!(!text.contains("Rights") && text.contains("\n  let b = 2;"), "{text}");
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
        assert!(none.err.contains("no version of its article is stored"), "{none:?}");
    }
    quick(&world, &["prefetch", &one]).ok();
    let none = world.run(&["show", "--diff", &one]);
    assert!(none.err.contains("no earlier version"), "{none:?}");
    corrected.store(true, Ordering::SeqCst);
    quick(&world, &["prefetch", &one]).ok();
    assert_eq!(requests(&world, "/one"), 2);
    let changed = world.run(&["search", "--json", "is:changed"]).values();
    check("Item", &changed);
    assert_eq!((changed.len(), &changed[0]["title"]), (1, &"Post one".into()));
    let diff = world.run(&["show", "--diff", &one]).ok();
    assert!(diff.contains("paragraph [-2.-] {+two.+}"), "{diff}");
    assert_eq!(diff.matches("[-").count(), 1, "{diff}");
    check("Difference", &world.run(&["show", "--json", "--diff", &one]).values());
    let versions = world.run(&["show", "--json", "--versions", &one]).values();
    check("Version", &versions);
    assert_eq!(versions.len(), 2);
    let both = world.run(&["show", "--versions", &one]).ok();
    assert!(both.find("paragraph two") < both.find("paragraph 2"), "newest first: {both}");
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
    assert!(nothing.err.contains("all pages are already fetched"), "{nothing:?}");
    world.run(&["sources", "edit", "Blog", "--full-text", ""]).ok();
    let wrong = world.run(&["sources", "edit", "Blog", "--full-text", "always"]);
    assert_eq!(wrong.code, Some(2));
    assert!(wrong.err.contains("\"never\", \"on-open\", \"pinned\" or \"all\""), "{wrong:?}");
    let shown = world.run(&["config", "show", "--set", "full_text=all"]).ok();
    assert!(shown.contains("full_text = \"all\""), "{shown}");
}
