//! Views and searches as feeds.

use super::World;
use newsfed::feed::parse;

/// A world with a view, and the arguments that print the feed of the view.
fn world() -> World {
    let world = World::followed();
    world.write("config.toml", "[[view]]\nname = \"All & new\"\nquery = \"is:unread release\"\n");
    world
}

#[test]
fn feeds_of_views_contain_the_listed_items() {
    let world = world();
    let wanted = world.run(&["list", "--view", "All & new", "--json"]).values();
    assert_eq!(wanted.len(), 2);
    for format in ["atom", "rss", "json"] {
        let text = world.run(&["views", "feed", "all & NEW", "--format", format]).ok();
        let feed = parse(text.as_bytes(), None, None).unwrap();
        assert_eq!(feed.title.as_deref(), Some("All & new"), "{text}");
        assert_eq!(feed.repairs, Vec::<String>::new());
        for (entry, item) in feed.entries.iter().zip(&wanted) {
            assert_eq!(entry.title, item["title"]);
            assert_eq!(entry.url.as_deref(), item["url"].as_str());
            assert_eq!(entry.content.as_deref(), item["summary"].as_str());
            let published = entry.published.unwrap().to_rfc3339().replace("+00:00", "Z");
            assert_eq!(published, item["published"]);
            let source = if format == "json" { None } else { Some("Kernel") };
            assert_eq!(entry.publisher.as_deref(), source);
        }
        assert_eq!(feed.entries.len(), wanted.len());
        assert!(!text.contains("kernel.xml"), "the source is private: {text}");
    }
}

#[test]
fn writes_feeds_to_files() {
    let world = world();
    let file = world.path().join("rust.xml");
    let path = file.to_str().unwrap();
    std::fs::write(&file, "old").unwrap();
    let args = ["views", "feed", "--query", "source:council", "--output", path];
    let written = world.run(&args).ok();
    assert!(written.contains("1 item,"), "{written}");
    let shapes = world.run(&[&args[..], &["--json"]].concat()).values();
    super::shapes::check("Feed of a view", &shapes);
    let text = std::fs::read(&file).unwrap();
    assert_eq!(shapes[0]["bytes"], text.len());
    assert_eq!(parse(&text, None, None).unwrap().entries[0].title, "Bridge reopens");
    let limited = world.run(&["views", "feed", "--query", "unread", "--limit", "1"]).ok();
    assert_eq!(parse(limited.as_bytes(), None, None).unwrap().entries.len(), 1);
    let setting = ["--set", "feeds.items=2", "views", "feed", "--query", "unread"];
    let limited = world.run(&setting).ok();
    assert_eq!(parse(limited.as_bytes(), None, None).unwrap().entries.len(), 2);
    assert_eq!(world.path().read_dir().unwrap().count(), 3, "no temporary file is left");
}

#[test]
fn explains_mistakes() {
    let world = world();
    for (args, code, words) in [
        (&["views", "feed"][..], 2, "--query"),
        (&["views", "feed", "all"], 1, "there is no view \"all\""),
        (&["views", "feed", "All & new", "--query", "x"], 2, "cannot be used with"),
        (
            &["views", "feed", "All & new", "--limit", "0"],
            2,
            "expected a whole number from 1 to 5000",
        ),
        (&["views", "feed", "All & new", "--output", "/no/such/file"], 1, "cannot write /no/such"),
        (&["--set", "feeds.items=0", "views"], 4, "feeds.items"),
    ] {
        let run = world.run(args);
        assert_eq!(run.code, Some(code), "{args:?}: {run:?}");
        assert!(run.err.contains(words), "{args:?}: {run:?}");
    }
}
