//! Messages about changed items, vanished entries, known URLs and settings without effect.

use super::{Run, World};
use newsfed::demo::server::Reply;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// A feed with a title and text that change, and a page with entries that change and then vanish.
fn changing() -> (World, Arc<AtomicUsize>) {
    let round = Arc::new(AtomicUsize::new(0));
    let now = round.clone();
    let world = World::new(move |request| {
        let round = now.load(Ordering::SeqCst);
        match request.path.as_str() {
            "/town.xml" => {
                let title = ["Bridge approved", "Bridge rejected"][round.min(1)];
                let text = format!(
                    "<rss version=\"2.0\"><channel><title>Town</title><item><guid>1</guid>\
                     <title>{title}</title><description>x</description>\
                     <pubDate>Thu, 20 Nov 2025</pubDate></item></channel></rss>"
                );
                Reply::ok("application/rss+xml", text)
            }
            "/log" => {
                let more = ["of some", "of all 17"][round.min(1)];
                let entry = |n: usize, text: &str| {
                    format!(
                        "<section class=rel><h2 id=v{n}>Version {n}</h2><p>{text} things that \
                         people asked for in the last year.</p></section>"
                    )
                };
                let entries =
                    [entry(3, more), entry(2, "The second"), entry(1, "The first")].concat();
                let entries = if round < 2 { entries } else { "<p>Nothing".to_owned() };
                Reply::ok("text/html", format!("<title>Log</title><main>{entries}</main>"))
            }
            "/empty" => Reply::ok("application/rss+xml", "<rss version=\"2.0\"></rss>"),
            _ => Reply::status(404),
        }
    });
    (world, round)
}

/// Follows the page with its entries selector.
fn follow_log(world: &World) {
    let text = format!(
        "\n[[source]]\nid = \"log\"\nurl = \"{}\"\nkind = \"entries\"\nprivate = true\n\
         website.articles = \"section.rel\"\n",
        world.server.url("/log")
    );
    let file = world.config().join("sources.toml");
    let before = std::fs::read_to_string(&file).unwrap_or_default();
    world.write("sources.toml", &(before + &text));
    quick(world, &["sync", "log"]).ok();
}

fn quick(world: &World, args: &[&str]) -> Run {
    world.run(&[args, &["--set", "net.host_delay=0s"]].concat())
}

#[test]
fn shows_changed_titles_and_the_origin_of_versions() {
    let (world, round) = changing();
    quick(&world, &["add", &world.server.url("/town.xml")]).ok();
    follow_log(&world);
    let number = |title: &str| {
        let items = world.run(&["list", "--json", "--limit", "0"]).values();
        let item = items.iter().find(|item| item["title"] == title).unwrap().clone();
        item["number"].to_string()
    };
    let day = world.run(&["list", "--source", "Town"]).ok();
    assert!(day.contains("\t2025-11-20\t"), "no time of day: {day}");
    let item = world.run(&["--json", "list", "--source", "Town"]).values().remove(0);
    assert_eq!(item["published_precision"], "day");
    let none = world.run(&["show", "--diff", &number("Bridge approved")]);
    assert!(none.err.contains("may contain only the beginning"), "{none:?}");
    round.store(1, Ordering::SeqCst);
    quick(&world, &["sync", "--force"]).ok();
    let title = world.run(&["show", "--diff", &number("Bridge rejected")]).ok();
    assert!(title.contains("Title: Bridge [-approved-] {+rejected+}"), "{title}");
    let shape = world.run(&["--json", "show", "--diff", &number("Bridge rejected")]).values();
    assert_eq!(
        (&shape[0]["former_title"], &shape[0]["text"]),
        (&"Bridge approved".into(), &"".into())
    );
    let entry = number("Version 3");
    let versions = world.run(&["show", "--versions", &entry]).ok();
    assert!(versions.contains("(from the page)") && !versions.contains("feed"), "{versions}");
    let text = world.run(&["show", "--diff", &entry]).ok();
    assert!(text.contains("of [-some-] {+all 17+} things"), "{text}");
}

#[test]
fn reports_the_first_poll_without_entries() {
    let (world, round) = changing();
    follow_log(&world);
    assert_eq!(quick(&world, &["sync", "--force"]).err, "");
    round.store(2, Ordering::SeqCst);
    let vanished = quick(&world, &["sync", "--force"]);
    assert!(vanished.err.contains("Log: no entries since"), "{vanished:?}");
    let poll = quick(&world, &["sync", "--force", "--json"]).values().remove(0);
    assert_eq!(poll["problem"]["what"], "no entries");
}

#[test]
fn add_refuses_empty_feeds_and_reports_useless_options() {
    let (world, _) = changing();
    let url = world.server.url("/town.xml");
    quick(&world, &["add", &url]).ok();
    let known = quick(&world, &["add", &url, "--title", "X", "--folder", "Y"]);
    assert!(
        known.err.contains("--title, --folder had no effect; `newsfed sources edit"),
        "{known:?}"
    );
    assert_eq!(quick(&world, &["add", &url]).err, "");
    let empty = quick(&world, &["add", &world.server.url("/empty")]);
    assert_ne!(empty.code, Some(0), "{empty:?}");
}

#[test]
fn names_the_line_of_a_setting_without_effect() {
    let world = World::usual();
    let file = "[[source]]\nid = \"a\"\nurl = \"http://site.example/\"\nkind = \"page\"\n\
                website.next = \".next\"\n\n[[source]]\nid = \"b\"\n\
                url = \"http://site.example/feed\"\ninterval = \"1s\"\n";
    world.write("sources.toml", file);
    let check = world.run(&["config", "check"]);
    let useless = "sources.toml:5:9: source \"a\": website.next: has no effect on a source of the";
    assert!(check.err.contains(useless), "{check:?}");
    assert!(check.err.contains("1s is shorter than schedule.min_interval"), "{check:?}");
    let edited = world.run(&["sources", "edit", "b", "--interval", "30s"]);
    assert!(edited.err.contains("30s is shorter than schedule.min_interval"), "{edited:?}");
    // Only commands for which the warnings matter print them.
    for (args, count) in
        [(&["config", "check"][..], 2), (&["sync", "--due"], 2), (&["list"], 0), (&["views"], 0)]
    {
        let warnings = world.run(args).err;
        let warnings = warnings.lines().filter(|line| line.starts_with("warning: "));
        assert_eq!(warnings.count(), count, "{args:?}");
    }
    let enough = world.run(&["sources", "edit", "b", "--interval", "10m"]);
    assert_eq!(enough.err.lines().filter(|line| line.contains("shorter")).count(), 0, "{enough:?}");
}
