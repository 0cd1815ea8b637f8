//! Stories covered by several sources, on the command line.

use super::World;
use newsfed::demo::server::Reply;

const TITLE: &str = "River bridge reopens after nine months of repairs";
const TEXT: &str = "The old bridge over the river opens again on Monday, the city said, with two lanes for cars and a \
    wider path for cyclists and pedestrians.";

/// A feed without dates, so that its items are treated as new.
fn feed(name: &str, items: &[(&str, &str)]) -> Reply {
    let item = |(title, link): &(&str, &str)| {
        format!(
            "<item><title>{title}</title><link>{link}</link><description>{TEXT}</description></item>"
        )
    };
    let items: String = items.iter().map(item).collect();
    let text =
        format!("<rss version=\"2.0\"><channel><title>{name}</title>{items}</channel></rss>");
    Reply::ok("application/rss+xml", text)
}

fn world(config: &str) -> World {
    let world = World::new(|request| match request.path.as_str() {
        "/post.xml" => {
            feed("The Post", &[(TITLE, "https://post.example/2026/river-bridge-reopens")])
        }
        "/echo.xml" => feed(
            "Echo",
            &[
                (&format!("{TITLE} | Echo"), "https://echo.example/2026/river-bridge-opens"),
                (
                    "A new theatre for the northern district",
                    "https://echo.example/2026/new-theatre",
                ),
            ],
        ),
        _ => Reply::status(404),
    });
    world.write("config.toml", config);
    let list = ["/post.xml", "/echo.xml"].map(|path| world.server.url(path));
    world.run_with(&["import", "--private", "-"], &list.join("\n")).ok();
    world.run(&["sync", "--set", "net.host_delay=0s"]).ok();
    world
}

#[test]
fn lists_a_story_once_with_its_sources() {
    let world = world("");
    let count = |args: &[&str]| world.run(args).ok().lines().count();
    assert_eq!((count(&["list"]), count(&["list", "--fold"])), (3, 2));
    assert_eq!(count(&["list", "--query", "is:duplicate"]), 1);
    assert_eq!(count(&["list", "--query", "has:duplicate"]), 2);
    let both =
        world.run(&["list", "--query", "has:duplicate", "--sort", "oldest", "--json"]).values();
    assert_eq!(both[0]["story"], both[1]["story"]);
    let (first, second) = (&both[0], &both[1]);
    assert_eq!(first["also_in"][0]["source"], second["source"], "{first}");
    assert_eq!(first["also_in"][0]["number"], second["number"]);
    let shown = world.run(&["show", &first["number"].to_string()]).ok();
    let sources = world.run(&["sources", "--json"]).values();
    let other = sources.iter().find(|source| source["id"] == second["source"]).unwrap();
    let also = format!("Also in: {} ({})", other["title"].as_str().unwrap(), second["number"]);
    assert_ne!(other["title"], other["id"]);
    assert!(shown.contains(&also), "{shown}");
    let alone = world.run(&["list", "--query", "theatre", "--json"]).values();
    assert!(alone[0]["story"].is_null() && alone[0]["also_in"].as_array().unwrap().is_empty());
    let wrong = "[[rule]]\nquery = \"is:duplicate\"\ndo = [\"read\"]\n";
    world.write("config.toml", wrong);
    let check = world.run(&["config", "check"]);
    let message = "is:duplicate and has:duplicate cannot be used in a rule";
    assert!(format!("{check:?}").contains(message), "{check:?}");
}

#[test]
fn marks_apply_to_whole_stories_if_configured() {
    for (config, changed) in [("", 1), ("[ui]\nmark_stories = true\n", 2)] {
        let world = world(config);
        let numbers = world.run(&["list", "--query", "has:duplicate", "--json"]).values();
        let number = numbers[0]["number"].to_string();
        let result = |count: usize, done: &str| match count {
            1 => format!("1 item {done}"),
            n => format!("{n} items {done}"),
        };
        for (command, done) in
            [("pin", "pinned"), ("read", "marked read"), ("unread", "marked unread")]
        {
            let out = world.run(&[command, &number]).ok();
            assert_eq!(out.trim(), result(changed, done), "{command}");
        }
        let source = numbers[0]["source"].as_str().unwrap().to_owned();
        let query = ["read", "--source", &source, "--query", "title:river"];
        assert_eq!(world.run(&query).ok().trim(), result(changed, "marked read"));
    }
}
