//! Exit codes and error messages.

use super::{World, feed};
use newsfed::demo::server::Reply;

#[test]
fn invalid_arguments_give_a_message_and_an_exit_code() {
    let world = World::followed();
    let cases: &[(&[&str], i32, &str)] = &[
        (&["lst"], 2, "list"),
        (&["list", "--nonsense"], 2, "--nonsense"),
        (&["list", "-v", "-q"], 2, "cannot be used with"),
        (&["list", "--since", "soon"], 2, "is not a date"),
        (&["list", "--sort", "random"], 2, "pinned-newest"),
        (&["list", "--source", "kernle"], 1, "there is no source \"kernle\""),
        (&["list", "--source", "Kernle"], 1, "did you mean \"Kernel\"?"),
        (&["list", "--source", "127"], 1, "matches 2 sources"),
        (&["list", "--tag", "x"], 0, "no source or item has the tag"),
        (&["read"], 2, "--all selects every item"),
        (&["read", "1", "--source", "Kernel"], 2, "not both"),
        (&["read", "1", "999"], 1, "there is no item 999"),
        (&["show", "no-such"], 1, "there is no item"),
        (&["show"], 2, "<ID>"),
        (&["sync", "nobody"], 1, "there is no source"),
        (&["sync", "--due", "--force"], 2, "cannot be used with"),
        (&["import", "/no/such/file"], 1, "cannot read /no/such/file: no such file or directory"),
        (&["add", "not an address"], 1, "address"),
        (&["add", "file:///etc/passwd"], 1, "only http and https"),
        (&["add", "exec:touch hacked"], 1, "--exec"),
        (&["add", "/etc/passwd"], 1, "--file"),
        (
            &["parse", "/no/such/file"],
            1,
            "newsfed: cannot read /no/such/file: no such file or directory",
        ),
        (&["parse", "https://example.org/feed"], 1, "parse reads files; try `curl -s URL |"),
        (&["parse", "--base", "x", "-"], 2, "--base"),
        (&["sources", "undo-move", "Kernel"], 1, "has no permanent redirect"),
        (&["sources", "edit", "Kernel", "--interval", "soon"], 2, "expected a time"),
        (&["man", "nothing"], 2, "there is no command"),
        (&["completions", "tcsh"], 2, "bash"),
        (&["--set", "net.host_dely=2s", "list"], 4, "did you mean"),
        (&["--set", "net.host_delay=soon", "list"], 4, "net.host_delay"),
        (&[], 1, "needs a terminal"),
    ];
    for (args, code, words) in cases {
        let run = world.run(args);
        assert_eq!(run.code, Some(*code), "{args:?}: {run:?}");
        assert!(run.err.contains(words), "{args:?} should print {words:?}: {}", run.err);
        let named = run.err.starts_with("newsfed: ") || *code != 2;
        assert!(named, "{args:?} should name the program: {}", run.err);
        assert_eq!(run.out, "", "{args:?}: nothing but data is printed on standard output");
    }
    let listed = world.run(&["list", "--unread"]).ok();
    assert_eq!(listed.lines().count(), 3, "a command with an unknown item marks nothing");
}

#[test]
fn file_errors_name_the_position() {
    let world = World::usual();
    world.write("config.toml", "[net]\nhost_delay = \"soon\"\n");
    world.write("sources.toml", "[[source]]\nurl = \"nonsense\"\n");
    for args in [&["list"][..], &["sync"], &["config", "check"], &["sources"], &["daemon"]] {
        let run = world.run(args);
        assert_eq!(run.code, Some(4), "{args:?}: {run:?}");
        assert!(run.err.contains("config.toml:2:14: net.host_delay"), "{args:?}: {}", run.err);
        assert!(run.err.contains("sources.toml:2:"), "{args:?}: {}", run.err);
    }
    let doctor = world.run(&["doctor"]);
    assert_eq!(doctor.code, Some(1), "{doctor:?}");
    assert!(doctor.out.contains("problem  config"), "{}", doctor.out);
    let path = world.run(&["config", "path"]).ok();
    assert!(path.contains("config.toml"), "an error does not hide the location");
}

#[test]
fn exits_with_3_for_some_and_1_for_all_failures() {
    let world = World::new(|request| match request.path.as_str() {
        "/good.xml" => feed("Good", &["x"]),
        "/page" => Reply::ok("text/html", "<p>no feed"),
        _ => Reply::status(500),
    });
    let fast = ["--set", "net.host_delay=0s"];
    let urls = ["/good.xml", "/bad", "/page"].map(|p| world.server.url(p)).join("\n");
    world.run_with(&["import", "--private", "-"], &urls).ok();
    let ids: Vec<String> = world
        .run(&["sources", "--json"])
        .values()
        .iter()
        .map(|v| v["id"].as_str().unwrap().to_owned())
        .collect();
    let some = world.run(&[&["sync"], &fast[..]].concat());
    assert_eq!(
        (some.code, some.out.as_str()),
        (Some(3), "1 new in 1 refreshed source, 2 failed\n")
    );
    assert!(some.err.contains("reports an internal error (HTTP 500)"), "{}", some.err);
    let all = world.run(&[&["sync", &ids[1], &ids[2]], &fast[..]].concat());
    assert_eq!(all.code, Some(1), "{all:?}");
    let none = world.run(&["sync", "--due"]);
    assert_eq!(none.code, Some(0), "nothing is due: {none:?}");
}

#[test]
fn folders_and_tags_select_sources_to_refresh() {
    let world = World::new(|request| feed(request.path.trim_matches('/'), &["x"]));
    let source = |id: &str, more: &str| {
        let url = world.server.url(&format!("/{id}"));
        format!("[[source]]\nid = \"{id}\"\nurl = \"{url}\"\nprivate = true\n{more}\n")
    };
    let sources = [
        source("a", "folder = \"Tech\""),
        source("b", "folder = \"Tech/Linux\"\ntags = [\"daily\"]"),
        source("c", "tags = [\"daily\"]"),
        source("d", "folder = \"Town\""),
    ];
    world.write("sources.toml", &sources.concat());
    let polled = |args: &[&str]| -> Vec<String> {
        let all = [&["sync", "--force", "--json", "--set", "net.host_delay=0s"], args].concat();
        let run = world.run(&all);
        assert_eq!(run.code, Some(0), "{run:?}");
        let polled = run.values().into_iter().filter(|value| value["type"] != "summary");
        let mut ids: Vec<_> = polled.map(|v| v["source"].as_str().unwrap().to_owned()).collect();
        ids.sort();
        ids
    };
    assert_eq!(polled(&["--folder", "tech"]), ["a", "b"]);
    assert_eq!(polled(&["--tag", "daily"]), ["b", "c"]);
    assert_eq!(polled(&["a", "--tag", "daily", "--folder", "Town", "--folder", "Tech"]).len(), 4);
    assert_eq!(polled(&["--folder", "Town", "d"]), ["d"]);
    for (args, message) in [
        (&["--folder", ""][..], "no source is in the folder \"\""),
        (&["--tag", ""], "has the tag \"\""),
        (&["--folder", "Tehc"], "did you mean \"Tech\"?"),
        (&["a", "--tag", "weekly"], "has the tag \"weekly\""),
    ] {
        let run = world.run(&[&["sync"], args].concat());
        assert!(run.code == Some(1) && run.err.contains(message), "{args:?}: {run:?}");
        assert_eq!(run.out, "", "{args:?}");
    }
}

#[test]
fn add_lists_what_it_tried_if_nothing_works() {
    let world = World::new(|request| match request.path.as_str() {
        "/empty" => Reply::ok("text/html", "<html><title>x</title><p>hello"),
        _ => Reply::status(404),
    });
    let run = world.run(&["add", &world.server.url("/empty")]);
    assert_eq!(run.code, Some(1), "{run:?}");
    assert!(run.err.contains("cannot follow"), "{}", run.err);
    let run = world.run(&["add", &world.server.url("/gone")]);
    assert_eq!(run.code, Some(1), "{run:?}");
    assert!(run.err.contains("HTTP 404"), "{}", run.err);
    assert_eq!(world.run(&["sources"]).ok(), "");
}

#[test]
fn add_names_what_it_chose_if_there_is_no_feed() {
    let world = World::new(|request| match request.path.as_str() {
        "/news" => {
            let entry = |n: usize| {
                format!(
                    "<li class=post><a href='/news/{n}-story'>The long title of story number {n}</a> \
                     <time datetime='2025-11-{n:02}'>{n} November 2025</time></li>"
                )
            };
            let list: String = (1..=12).map(entry).collect();
            Reply::ok("text/html", format!("<title>Town news</title><main><ul>{list}</ul></main>"))
        }
        path if path.starts_with("/news/") => {
            let text =
                "<p>The council met and talked about the old bridge for a long time.".repeat(9);
            Reply::ok("text/html", format!("<h1>A story</h1><article>{text}</article>"))
        }
        _ => Reply::status(404),
    });
    let url = world.server.url("/news");
    let run = world.run(&["add", "--yes", &url]);
    assert_eq!(run.code, Some(0), "{run:?}");
    assert!(run.err.contains("% sure") && run.err.contains("`newsfed discover "), "{}", run.err);
    // A feed needs no explanation.
    let feed = World::followed();
    assert!(
        !feed.run(&["add", "--yes", &feed.server.url("/council.xml")]).err.contains("discover")
    );
}

#[test]
fn adding_twice_changes_nothing() {
    let world = World::followed();
    let kernel = world.server.url("/kernel.xml");
    let again = world.run(&["add", &kernel]).ok();
    assert!(again.starts_with("already followed as "), "{again}");
    assert_eq!(world.run(&["sources"]).ok().lines().count(), 2);
}

#[test]
fn commands_succeed_without_sources() {
    let world = World::usual();
    for (args, words) in [
        (&["list"][..], "newsfed add URL"),
        (&["search", "x"], "newsfed add URL"),
        (&["sources"], "newsfed add URL"),
        (&["sync"], "newsfed add URL"),
        (&["prune"], "[retention]"),
    ] {
        let run = world.run(args);
        assert!(run.err.contains(words), "{args:?}: {run:?}");
        run.ok();
        let quiet = world.run(&[&["-q"], args].concat());
        assert_eq!((quiet.code, quiet.err.as_str()), (Some(0), ""), "{args:?}");
    }
    world.run(&["doctor"]).ok();
}

#[test]
fn wrong_numbers_are_explained() {
    let world = World::usual();
    for (args, expected) in [
        (&["list", "--limit", "x"][..], "expected a whole number, 0 or more"),
        (&["list", "--limit=-1"], "expected a whole number, 0 or more"),
        (&["list", "--read-for", "2000"], "expected a whole number from 1 to 1440"),
        (&["open", "--enclosure=0", "1"], "expected a whole number, 1 or more"),
        (&["stats", "--weeks", "1.5"], "expected a whole number from 1 to 52"),
        (&["save", "--limit", "0"], "expected a whole number from 1 to 1000"),
        (&["queue", "move", "1", "5000"], "expected a whole number from -1000 to 1000"),
    ] {
        let run = world.run(args);
        assert!(run.code == Some(2) && run.err.contains(expected), "{args:?}: {run:?}");
    }
}
