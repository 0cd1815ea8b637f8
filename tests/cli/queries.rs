//! Invalid queries on the command line, and queries imported from other readers.

use super::World;

#[test]
fn unknown_operators_result_in_a_suggestion() {
    let world = World::followed();
    for (query, words) in [
        ("is:foo", "invalid search: \"foo\" is not a state; is: accepts unread, new, read"),
        ("is:raed", "did you mean \"read\"?"),
        ("sorce:kernel", "no operator \"sorce:\"; did you mean \"source:\"?"),
        ("after:2026-99", "\"2026-99\" is not a date; write 2026-11-21"),
        ("age<soon", "\"soon\" is not an age; write 3d"),
        ("tag:", "\"tag:\" needs a tag"),
        ("title =~ \"rust\"", "this is a newsboat filter; in newsfed: title:rust"),
        ("words > 500", "word 2: write a comparison without spaces, as in words>500"),
    ] {
        for args in [["search", query], ["list", &format!("--query={query}")]] {
            let run = world.run(&args);
            assert_eq!(run.code, Some(2), "{args:?}: {run:?}");
            assert!(run.err.contains(words) && run.out.is_empty(), "{args:?}: {run:?}");
        }
    }
    for (query, words) in [
        ("source:kernle", "there is no source \"kernle\"; did you mean \"Kernel\"?"),
        ("folder:Tehc", "no source is in the folder \"Tehc\""),
    ] {
        let run = world.run(&["search", query]);
        assert_eq!(run.code, Some(1), "{run:?}");
        assert!(run.err.contains(words), "{run:?}");
    }
}

#[test]
fn operators_filter_but_urls_are_searched_as_words() {
    let world = World::followed();
    let count = |query: &[&str]| world.run(&[&["search"], query].concat()).ok().lines().count();
    assert_eq!(count(&["unread"]), 3);
    assert_eq!(count(&["unread", "source:kernel"]), 2);
    assert_eq!(count(&["release", "--", "-title:second"]), 1);
    let query = ["list", "--query", "-source:kernel", "--unread"];
    assert_eq!(world.run(&query).ok().lines().count(), 1, "a value may begin with a dash");
    let feed = world.run(&["views", "feed", "--query", "-source:kernel"]).ok();
    assert!(feed.contains("Bridge reopens") && !feed.contains("release"), "{feed}");
    assert_eq!(count(&["title:\"second release\"", "is:unpinned"]), 1);
    assert_eq!(count(&["title:/^(first|second) rel/ OR source:council"]), 3);
    assert_eq!(count(&["(first OR second) -source:council url:/[01]$/"]), 2);
    assert_eq!((count(&["age<99y"]), count(&["age>99y"])), (3, 0));
    assert_eq!(count(&["https://site.example/none"]), 0);
    assert_eq!(count(&["std::vec"]), 0);
}

#[test]
fn imports_newsboat_queries_as_views() {
    let world = World::usual();
    let urls = "https://a.example/feed linux\n\"query:New:unread = \\\"yes\\\" and tags # \\\"linux\\\"\"\n\
        \"query:Odd:age between 3:x or unread = \\\"yes\\\"\"\nexec:~/x.sh\n";
    let run = world.run_with(&["import", "--private", "-"], urls);
    assert_eq!(run.code, Some(0), "{run:?}");
    assert!(run.err.contains("saved as a view: New: unread tag:linux"), "{run:?}");
    assert!(
        run.err
            .contains("a query that cannot be converted: \"age between 3:x\" cannot be expressed"),
        "{run:?}"
    );
    assert!(run.err.contains("newsfed does not run the commands"), "{run:?}");
    let config = std::fs::read_to_string(world.config().join("config.toml")).unwrap();
    assert_eq!(config, "[[view]]\nname = \"New\"\nquery = \"unread tag:linux\"\n");
    let again = world.run_with(&["import", "--private", "-", "--json"], urls).values();
    assert_eq!(again[0]["views"], serde_json::json!([]), "it already exists");
}

#[test]
fn adds_and_removes_tags() {
    let world = World::followed();
    world.run(&["sources", "edit", "Kernel", "--add-tag", "a", "--add-tag", "b"]).ok();
    world.run(&["sources", "edit", "Kernel", "--remove-tag", "a"]).ok();
    assert_eq!(world.run(&["search", "tag:b"]).ok().lines().count(), 2);
    let unused = world.run(&["search", "tag:a"]);
    assert_eq!((unused.code, unused.out.as_str()), (Some(0), ""));
    assert!(unused.err.contains("no source or item has the tag \"a\""), "{unused:?}");
    assert_eq!(
        world.run(&["search", "--", "-tag:a"]).ok().lines().count(),
        world.run(&["list"]).ok().lines().count()
    );
}

#[test]
fn lists_views_and_reads_them_by_name() {
    let world = World::usual();
    std::fs::create_dir_all(world.config()).unwrap();
    let config = "[[view]]\nname = \"City\"\nquery = \"source:council\"\nsort = \"oldest\"\n\
        [[view]]\nname = \"Odd\"\nquery = \"age<x\"\n";
    std::fs::write(world.config().join("config.toml"), config).unwrap();
    let list = ["/kernel.xml", "/council.xml"].map(|path| world.server.url(path));
    world.run_with(&["import", "--private", "-"], &list.join("\n")).ok();
    world.run(&["sync", "--set", "net.host_delay=0s"]);
    let views = world.run(&["views", "--json"]).values();
    let all =
        world.run(&["list", "--json", "--query", "source:council", "--sort", "oldest"]).values();
    assert_eq!((&views[0]["name"], &views[0]["items"]), (&"City".into(), &all.len().into()));
    assert!(views[1]["problem"].as_str().unwrap().contains("is not an age"), "{}", views[1]);
    let named = world.run(&["list", "--json", "--view", "city"]).values();
    assert!(!all.is_empty() && named == all, "the view's own order, and its name in any case");
    let both = world.run(&["list", "--json", "--view", "City", "--query", "nothing"]).values();
    assert!(both.is_empty());
    let unknown = world.run(&["list", "--view", "Citi"]);
    assert!(unknown.err.contains("did you mean \"City\""), "{unknown:?}");
    world.run(&["read", "--view", "City"]).ok();
    assert_eq!(world.run(&["views", "--json"]).values()[0]["unread"], 0);
}

#[test]
fn saves_and_removes_a_view_by_name() {
    let world = World::followed();
    let run = world.run(&["views", "add", "First", "title:first", "OR", "title:bridge"]);
    assert_eq!(run.ok(), "saved: First: title:first OR title:bridge\n");
    assert_eq!(world.run(&["list", "--view", "First"]).ok().lines().count(), 2);
    for (args, why) in [
        (["views", "add", "First", "x"], "First"),
        (["views", "add", "Odd", "is:foo"], "is not a state"),
        (["views", "add", " ", "x"], "name"),
    ] {
        let run = world.run(&args);
        assert!(run.code != Some(0) && run.err.contains(why), "{run:?}");
    }
    let unknown = world.run(&["views", "remove", "Frist"]);
    assert!(unknown.err.contains("did you mean \"First\"?"), "{unknown:?}");
    let removed = world.run(&["views", "remove", "First"]);
    assert!(removed.err.contains("query = \"title:first OR title:bridge\""), "{removed:?}");
    assert!(world.run(&["views"]).ok().is_empty());
}

#[test]
fn a_search_reports_that_it_prints_only_some_matches() {
    let world = World::followed();
    let item = |n: usize| format!("<item><guid>{n}</guid><title>plover {n}</title></item>");
    let items: String = (0..1001).map(item).collect();
    let feed = world.path().join("many.xml");
    std::fs::write(&feed, format!("<rss><channel><title>Many</title>{items}</channel></rss>"))
        .unwrap();
    world.run(&["add", "--file", &feed.to_string_lossy()]).ok();
    let run = world.run(&["search", "plover", "--limit", "0"]);
    assert_eq!(run.out.lines().count(), 1000);
    assert!(run.err.contains("only the newest 1000 matches are shown"), "{}", run.err);
    let run = world.run(&["search", "plover", "--limit", "0", "--sort", "best"]);
    assert!(run.err.contains("only the best 1000 matches are shown"), "{}", run.err);
    let run = world.run(&["search", "plover"]);
    assert_eq!((run.out.lines().count(), run.err.as_str()), (50, ""), "a limit was wanted");
}

#[test]
fn a_search_accepts_list_options_and_explains_empty_results() {
    let world = World::followed();
    let count = |args: &[&str]| world.run(args).ok().lines().count();
    assert_eq!(count(&["search", "release", "--source", "kernel", "--unread"]), 2);
    let number = world.run(&["search", "title:first", "--json"]).values()[0]["number"].to_string();
    world.run(&["read", &number]).ok();
    assert_eq!(count(&["search", "release", "--source", "kernel", "--unread"]), 1);
    world.run(&["later", &number]).ok();
    assert_eq!((count(&["list", "--later"]), count(&["list", "--later", "--unread"])), (1, 0));
    let run = world.run(&["search", "first", "or", "bridge"]);
    assert!(run.out.is_empty() && run.err.contains("write OR between"), "{run:?}");
    // In machine-readable output, the last column is the matching text, which may be empty.
    let columns = |line: &str| line.split('\t').count();
    let lines = world.run(&["search", "release"]).ok();
    assert!(lines.lines().all(|line| columns(line) == 7), "{lines}");
}
