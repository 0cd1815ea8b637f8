//! Choosing one of several ways to follow a URL, and URLs that are already followed.

use super::{World, feed};
use chrono::{DateTime, TimeDelta, Utc};
use newsfed::demo::server::Reply;

/// A page that announces two feeds and contains a list of articles.
fn two_feeds() -> World {
    World::new(|request| match request.path.as_str() {
        "/" => Reply::ok(
            "text/html",
            "<!doctype html><title>Both</title>\
             <link rel=alternate type=application/rss+xml title=All href=/all.xml>\
             <link rel=alternate type=application/rss+xml title=Comments href=/comments.xml><p>x",
        ),
        "/all.xml" => feed("All", &["one", "two"]),
        "/comments.xml" => feed("Comments", &["a remark"]),
        "/old.xml" => Reply::status(301).header("location", "/all.xml"),
        "/for-now.xml" => Reply::status(302).header("location", "/all.xml"),
        _ => Reply::status(404),
    })
}

#[test]
fn pick_selects_a_way_by_number() {
    let world = two_feeds();
    let page = world.server.url("/");
    let shown = world.run(&["discover", &page]).ok();
    let heads: Vec<&str> = shown.lines().filter(|l| !l.starts_with(' ')).collect();
    assert_eq!(
        heads,
        ["1  Feed · 2 entries, newest 2025-11-02", "2  Feed · announced by the site"]
    );
    let urls: Vec<&str> = shown.lines().filter(|l| l.contains(".xml")).collect();
    assert!(urls[0].contains("/all.xml") && urls[1].contains("/comments.xml"), "{shown}");
    let shapes = world.run(&["discover", "--json", &page]).values();
    assert_eq!([&shapes[0]["number"], &shapes[1]["number"]], [1, 2]);
    let undecided = world.run(&["add", &page]);
    assert_eq!(undecided.code, Some(2), "{undecided:?}");
    assert!(undecided.err.contains("choose one with --pick, from 1 to 2"), "{undecided:?}");
    for (number, why) in [("0", "expected a whole number, 1 or more"), ("3", "lists 1 to 2")] {
        let beyond = world.run(&["add", &page, "--pick", number]);
        assert_eq!(beyond.code, Some(2), "{beyond:?}");
        assert!(beyond.err.contains(why), "{beyond:?}");
    }
    let both = world.run(&["add", &page, "--pick", "1", "--yes"]);
    assert_eq!(both.code, Some(2), "{both:?}");
    assert_eq!(world.run(&["sources"]).ok(), "", "nothing was followed so far");
    let added = world.run(&["add", &page, "--pick", "2"]).ok();
    assert!(added.contains("/comments.xml, 1 item\n"), "{added}");
}

#[test]
fn messages_about_refusals_give_advice() {
    let world = World::new(|request| match request.path.as_str() {
        "/busy" => Reply::status(429).header("retry-after", "172800"),
        "/limited" => Reply::status(429),
        "/broken" => Reply::status(500),
        "/empty.xml" => feed("Empty", &[]),
        "/image" => Reply::ok("image/x", (0..=255).collect::<Vec<u8>>().repeat(20)),
        _ => Reply::status(404),
    });
    for (path, what, wait) in [
        ("/busy", "limits the rate of requests (HTTP 429); try again after ", Some(172_800)),
        ("/limited", "limits the rate of requests (HTTP 429); try again after ", Some(600)),
        ("/broken", "reports an internal error (HTTP 500); try again later", None),
        ("/gone", "has nothing at this URL (HTTP 404); check the URL in a browser", None),
        ("/image", "this is not a feed but a binary file", None),
    ] {
        // The message that newsfed prints if it reads the clock at this time.
        let message = |now: DateTime<Utc>| {
            let end = wait.map(|wait| now + TimeDelta::seconds(wait));
            let form = |end: DateTime<Utc>| match end.date_naive() == now.date_naive() {
                true => end.format("%H:%M").to_string(),
                false => end.format("%Y-%m-%d %H:%M").to_string(),
            };
            end.map_or(what.to_owned(), |end| format!("{what}{}\n", form(end)))
        };
        let before = Utc::now();
        let run = world.run(&["add", &world.server.url(path)]);
        assert_eq!(run.code, Some(1), "{run:?}");
        // Times have no seconds, so a run of less than a minute prints one of two messages.
        let expected = [message(before), message(Utc::now())];
        let found = expected.iter().any(|text| run.err.contains(text));
        assert!(found, "{expected:?}: {run:?}");
    }
    let empty = world.run(&["add", &world.server.url("/empty.xml")]);
    assert!(empty.err.contains("the feed has no entries yet"), "{empty:?}");
}

#[test]
fn a_feed_at_the_root_is_not_chosen_for_another_page() {
    let world = World::new(|request| match request.path.as_str() {
        "/hours.html" => Reply::ok(
            "text/html",
            "<!doctype html><title>Opening hours</title><h1>Opening hours</h1><p>Daily from 9 to 17.",
        ),
        "/" => Reply::ok("text/html", "<!doctype html><title>Pool</title><p>Welcome"),
        "/atom.xml" => feed("News of the pool", &["one", "two"]),
        _ => Reply::status(404),
    });
    let page = world.server.url("/hours.html");
    let undecided = world.run(&["add", &page]);
    assert_eq!(undecided.code, Some(2), "{undecided:?}");
    assert!(undecided.err.contains("there are several ways to follow this URL"), "{undecided:?}");
    assert_eq!(world.run(&["sources"]).ok(), "");
    let first = world.run(&["add", &page, "--yes"]).ok();
    assert!(first.contains("/atom.xml, 2 items\n"), "{first}");
    let root = unannounced_feed();
    let added = root.run(&["add", &root.server.url("/")]).ok();
    assert!(added.contains("/atom.xml, 1 item\n"), "{added}");
}

/// A home page that does not announce the feed of the site.
fn unannounced_feed() -> World {
    World::new(|request| match request.path.as_str() {
        "/" => Reply::ok("text/html", "<!doctype html><title>Pool</title><p>Welcome"),
        "/atom.xml" => feed("News of the pool", &["one"]),
        _ => Reply::status(404),
    })
}

/// Private addresses that only a page mentions are not followed, so they are not offered.
#[test]
fn does_not_offer_private_feeds_of_other_hosts() {
    let world = World::new(|request| match request.path.as_str() {
        "/" => Reply::ok(
            "text/html",
            "<!doctype html><title>Both</title>\
             <link rel=alternate type=application/rss+xml title=All href=/all.xml>\
             <link rel=alternate type=application/rss+xml href='http://127.0.0.9:1/x.xml'>\
             <link rel=alternate type=application/rss+xml href='http://10.0.0.1/y.xml'><p>x",
        ),
        "/all.xml" => feed("All", &["one"]),
        _ => Reply::status(404),
    });
    let discovered = world.run(&["discover", &world.server.url("/")]);
    assert!(!discovered.out.contains("127.0.0.9") && !discovered.out.contains("10.0.0.1"));
    assert!(discovered.out.contains("/all.xml"), "{discovered:?}");
    assert!(
        discovered.err.contains("http://10.0.0.1/y.xml: 10.0.0.1 is a private"),
        "{discovered:?}"
    );
    let added = world.run(&["add", &world.server.url("/")]).ok();
    assert!(added.contains("/all.xml, 1 item\n"), "nothing to choose: {added}");
}

#[test]
fn tries_https_then_http_if_the_scheme_is_missing() {
    let world = two_feeds();
    let typed = world.server.url("/all.xml").replace("http://", "");
    let run = world.run(&["discover", &typed]);
    assert!(run.err.contains("tried http instead"), "{run:?}");
    assert!(run.err.contains("does not support https"), "{run:?}");
    assert!(run.out.contains(&world.server.url("/all.xml")), "{run:?}");
    let added = world.run(&["add", &typed]).ok();
    assert!(added.contains("http://") && added.contains("2 items"), "{added}");
    // An explicit https URL is not downgraded, and a password is not sent unencrypted.
    let requested = world.server.requests().len();
    for typed in [format!("https://{typed}"), format!("me:secret@{typed}")] {
        let refused = world.run(&["add", &typed]);
        assert_eq!(refused.code, Some(1), "{refused:?}");
        assert!(!refused.err.contains("secret") && !refused.err.contains("instead"), "{refused:?}");
    }
    assert_eq!(world.server.requests().len(), requested);
    let dead = world.run(&["add", "127.0.0.1:1/feed.xml"]);
    assert_eq!(dead.code, Some(1), "{dead:?}");
    assert!(dead.err.contains("https://127.0.0.1:1/feed.xml: no connection"), "{dead:?}");
    assert!(dead.err.contains("http://127.0.0.1:1/feed.xml: no connection"), "{dead:?}");
}

#[test]
fn recognises_a_redirect_to_a_followed_url() {
    let world = two_feeds();
    world.run(&["add", &world.server.url("/all.xml")]).ok();
    let again = world.run(&["add", &world.server.url("/old.xml")]).ok();
    assert!(again.starts_with("already followed as "), "{again}");
    assert_eq!(world.run(&["sources"]).ok().lines().count(), 1);
    let detour = world.run(&["add", &world.server.url("/for-now.xml")]).ok();
    assert!(detour.contains("2 items"), "a temporary redirect may change: {detour}");
}

#[test]
fn recognises_a_moved_source_by_both_urls() {
    let world = two_feeds();
    world.run(&["add", &world.server.url("/old.xml")]).ok();
    let again = world.run(&["add", &world.server.url("/all.xml")]).ok();
    assert!(again.starts_with("already followed as "), "{again}");
}

#[test]
fn add_reports_that_all_articles_are_known() {
    let world = World::new(|request| {
        let rows: String = (1..=6)
            .map(|n| format!("<li class=story><a href=/news/story-{n}>The story of bus {n}</a>"))
            .collect();
        let list = |name: &str| {
            format!("<!doctype html><title>{name}</title><main><ul>{rows}</ul></main>")
        };
        let gone = "</ul><ul><li class=story><a href=/news/gone>The story of bus 7</a></ul>";
        match request.path.as_str() {
            "/news" => Reply::ok("text/html", list("News")),
            "/front" => Reply::ok("text/html", list("Front")),
            "/more" => Reply::ok("text/html", list("More").replace("</ul>", gone)),
            "/news/gone" => Reply::status(404),
            path if path.starts_with("/news/") => {
                let text = "<p>The bus went to the harbour and came back in the evening.</p>";
                Reply::ok("text/html", format!("<h1>{path}</h1><article>{text}</article>"))
            }
            _ => Reply::status(404),
        }
    });
    let add = |path: &str| {
        let (site, quick) = (world.server.url(path), ["--set", "net.host_delay=0s"]);
        world.run(&[&["add", &site, "--as", "website", "--yes"][..], &quick].concat())
    };
    assert!(add("/news").ok().contains("6 items"));
    let known = add("/front");
    assert!(known.out.contains("0 items"), "{known:?}");
    let summary = "everything on its list (6 articles) is already in News";
    assert!(known.err.contains(summary), "{known:?}");
    // One page is missing, and the other articles are already known.
    let known = add("/more");
    assert!(known.out.contains("0 items"), "{known:?}");
    assert!(known.err.contains("1 left out: 1 missing"), "{known:?}");
    assert!(known.err.contains("; the rest is already in News"), "{known:?}");
}

#[test]
fn sources_list_shows_why_a_source_fails() {
    let world = World::new(|request| match request.path.as_str() {
        "/good.xml" => feed("Good", &["x"]),
        _ => Reply::status(404),
    });
    let list = ["/good.xml", "/bad.xml"].map(|path| world.server.url(path));
    world.run_with(&["import", "--private", "-"], &list.join("\n")).ok();
    world.run(&["sync", "--set", "net.host_delay=0s"]);
    let shown = world.run(&["sources"]).ok();
    let [good, bad] = shown.lines().collect::<Vec<_>>()[..] else { panic!("{shown}") };
    assert!(good.ends_with("\tGood"), "{shown}");
    assert!(
        bad.contains("\tretrying\t") && bad.contains("nothing at this URL (HTTP 404)"),
        "{shown}"
    );
}

#[test]
fn reports_broken_selectors_with_suggestions() {
    use std::sync::atomic::{AtomicUsize, Ordering};
    let polls = AtomicUsize::new(0);
    let world = World::new(move |request| match request.path.as_str() {
        "/news" => {
            // After the first poll, the classes on the page are different.
            let n = polls.fetch_add(1, Ordering::SeqCst);
            let row = if n == 0 { "story" } else { "entry" };
            let rows: String = (1..=8)
                .map(|n| format!("<p class={row}><a href=/news/tale-{n}>The tale of bus {n}</a>"))
                .collect();
            Reply::ok("text/html", format!("<title>News</title><main>{rows}</main><i>{n}</i>"))
        }
        path if path.starts_with("/news/") => {
            let text = "<p>The bus went to the harbour and came back in the evening.</p>";
            Reply::ok("text/html", format!("<h1>{path}</h1><article>{text}</article>"))
        }
        _ => Reply::status(404),
    });
    let site = world.server.url("/news");
    std::fs::create_dir_all(world.config()).unwrap();
    let declared = format!(
        "[[source]]\nid = \"news\"\nkind = \"website\"\nurl = \"{site}\"\n\
         website.articles = \"p.story a\"\nwebsite.title = \"h1\"\n\
         website.content = \"article\"\n"
    );
    std::fs::write(world.config().join("sources.toml"), declared).unwrap();
    for _ in 0..4 {
        world.run(&["sync", "--force", "--set", "net.host_delay=0s"]);
    }
    let list = world.run(&["sources"]).ok();
    assert!(list.contains("\tbroken\t") && list.contains("no links to articles since "), "{list}");
    let ways = world.run(&["discover", "--json", &site]).values();
    let proposed = ways[0]["articles"].as_str().unwrap();
    let shown = world.run(&["sources", "show", "news"]).ok();
    let why = world.run(&["schedule", "why", "news"]).ok();
    for summary in [shown, why] {
        let line = summary.lines().find(|l| l.starts_with("broken ")).unwrap();
        assert!(line.contains("no links to articles since 20"), "{summary}");
        let works = line.split_once("these would match as website.articles: ").unwrap().1;
        assert!(works.split(" or ").any(|selector| selector == proposed), "{summary}");
    }
}

#[test]
fn finds_lists_of_articles_in_saved_pages_and_feeds() {
    let world = World::usual();
    let links: String = (1..=6)
        .map(|n| format!("<li><h2><a href=/2026/story-{n}>Story {n} of six</a></h2>"))
        .collect();
    let items: String = (1..=6)
        .map(|n| format!("<item><link>https://a.example/2026/story-{n}</link></item>"))
        .collect();
    let folder = world.path().join("saved");
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("page"), format!("<ul>{links}</ul>")).unwrap();
    let feed = format!("<rss version='2.0'><channel>{items}</channel></rss>");
    std::fs::write(folder.join("feed"), feed).unwrap();
    let task = |path: &str| {
        serde_json::json!({"id": path, "html_path": path, "url": "https://a.example/"}).to_string()
    };
    let input = [task("page"), task("feed")].join("\n");
    let args = ["discover", "--batch", "--lists", "--root", folder.to_str().unwrap()];
    let urls: Vec<String> = (1..=6).map(|n| format!("https://a.example/2026/story-{n}")).collect();
    for answer in world.run_with(&args, &input).values() {
        assert_eq!(answer["proposals"][0], serde_json::json!(urls), "{answer}");
    }
}
