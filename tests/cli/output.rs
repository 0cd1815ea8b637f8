//! Standard output and standard error with hostile input.

use super::{World, feed};
use newsfed::demo::server::Reply;
use std::process::Stdio;

/// Titles, identifiers and error messages with terminal escape sequences.
const HOSTILE: &str = "<?xml version=\"1.0\"?><rss version=\"2.0\"><channel>\
    <title>T&#x9b;2J&#x202e;x</title><link>http://h/</link><description/>\
    <item><title>a&#x9b;31mb\u{202e}c &#x85;d</title><guid isPermaLink=\"false\">g&#x9b;2J&#x7f;</guid>\
    <link>http://h/x</link><author>e&#x9b;1m</author><category>c&#x9b;m</category>\
    <description>body &#x9b;2J &amp;#27;[2J end</description></item></channel></rss>";

#[test]
fn output_contains_no_terminal_escapes() {
    let world = World::new(|request| match request.path.as_str() {
        "/feed" => Reply::ok("application/rss+xml", HOSTILE),
        _ => Reply::ok("application/\u{9b}2Jx", "\u{1b}[2J\u{9b}2J no feed"),
    });
    let urls = ["/feed", "/other"].map(|p| world.server.url(p)).join("\n");
    world.run_with(&["import", "--private", "-"], &urls).ok();
    let fast = ["sync", "-v", "--set", "net.host_delay=0s"];
    assert_eq!(world.run(&fast).code, Some(3));
    let number = &world.numbers()[0];
    let calls: &[&[&str]] = &[
        &fast,
        &["sync", "--json", "--set", "net.host_delay=0s"],
        &["list"],
        &["list", "--json"],
        &["search", "body"],
        &["show", number],
        &["show", "--json", number],
        &["show", "--format", "html", number],
        &["sources"],
        &["sources", "--json"],
        &["sources", "show", "127-0-0-1-feed", "127-0-0-1-other"],
        &["doctor"],
        &["export"],
        &["list", "--source", "\u{1b}[2J\u{9b}x"],
        &["show", "\u{1b}[2Jx"],
        &["add", "\u{1b}[2Jx"],
    ];
    for args in calls {
        let run = world.run(args);
        for text in [&run.out, &run.err] {
            let odd = text.chars().find(|c| {
                (c.is_control() && !matches!(c, '\n' | '\t'))
                    || matches!(c, '\u{202a}'..='\u{202e}')
            });
            assert_eq!(odd, None, "{args:?}: {text:?}");
        }
    }
    assert!(world.run(&["show", number]).ok().contains("end"), "the text itself is printed");
}

/// Titles are sanitised before they are stored, but another program can change the database.
#[test]
fn output_of_a_tampered_database_contains_no_terminal_escapes() {
    let world = World::followed();
    let database = rusqlite::Connection::open(world.path().join("data/newsfed.db")).unwrap();
    let title = "x\u{1b}[2J\u{9b}2J\u{202e}\ny\tz";
    assert!(database.execute("UPDATE item SET title = ?1, url = ?1", [title]).unwrap() == 3);
    let authors = serde_json::json!([title]).to_string();
    database.execute("UPDATE detail SET authors = ?1, comments = ?2", [&authors, title]).unwrap();
    database.execute("UPDATE source SET feed_title = ?1", [title]).unwrap();
    drop(database);
    let number = world.numbers()[0].clone();
    let calls: &[&[&str]] = &[
        &["list"],
        &["list", "--json"],
        &["search", "body"],
        &["show", &number],
        &["show", "--json", &number],
        &["show", "--format", "markdown", &number],
        &["sources"],
        &["sources", "show", "127-0-0-1-kernel"],
    ];
    for args in calls {
        let out = world.run(args).out;
        let odd = |c: &char| (c.is_control() && !matches!(c, '\n' | '\t')) || *c == '\u{202e}';
        assert_eq!(out.chars().find(odd), None, "{args:?}: {out:?}");
    }
    assert_eq!(world.run(&["list"]).ok().lines().count(), 3, "one line per item");
}

#[test]
fn items_without_a_title_are_listed_by_their_text_or_url() {
    let world = World::followed();
    let database = rusqlite::Connection::open(world.path().join("data/newsfed.db")).unwrap();
    database.execute("UPDATE item SET title = '', url = 'https://e.org/a_b/'", []).unwrap();
    database.execute("UPDATE detail SET content = NULL, summary = NULL", []).unwrap();
    let long = format!("<p>How <b>it</b> begins, {}", "and goes on ".repeat(20));
    let first = "UPDATE detail SET summary = ?1 WHERE item = (SELECT min(key) FROM item)";
    assert_eq!(database.execute(first, [&long]).unwrap(), 1);
    drop(database);
    let list = world.run(&["list"]).ok();
    let mut names: Vec<&str> = list.lines().map(|line| line.split('\t').nth(4).unwrap()).collect();
    names.sort_unstable();
    assert!(names[0].starts_with("How it begins, and") && names[0].len() < 90, "{names:?}");
    assert_eq!(names[1..], ["a b", "a b"]);
    for item in world.run(&["list", "--json"]).ok().lines() {
        assert!(item.contains("\"title\":\"\""), "the stored title: {item}");
    }
}

#[test]
fn usage_errors_contain_no_terminal_escapes() {
    let world = World::usual();
    for arg in ["\u{9b}2J", "--x\u{9b}2J", "--x\u{1b}[2J", "--x\u{202e}"] {
        let run = world.run(&[arg]);
        assert_eq!(run.code, Some(2), "{run:?}");
        let odd = |c: &char| (c.is_control() && *c != '\n') || *c == '\u{202e}';
        assert_eq!(run.err.chars().find(odd), None, "{run:?}");
        assert!(run.err.contains("Usage") || run.err.contains("--help"), "{run:?}");
    }
}

#[test]
fn closed_pipe_is_not_an_error() {
    let world = World::followed();
    for args in [&["list"][..], &["list", "--json"], &["export"], &["man"], &["--help"]] {
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let mut command = world.command(args);
        let output = command.stdout(writer).stderr(Stdio::piped()).output().unwrap();
        let said = String::from_utf8(output.stderr).unwrap();
        assert_eq!((output.status.code(), said.as_str()), (Some(0), ""), "{args:?}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn unwritable_output_is_an_error() {
    let world = World::followed();
    let full = std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    let output = world.command(&["list"]).stdout(full).output().unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(said.contains("cannot write the output"), "{said}");
}

#[test]
fn prints_long_lists_completely() {
    let titles: Vec<String> = (0..9).map(|n| format!("item {n}")).collect();
    let world = World::new(move |request| {
        let titles: Vec<&str> = titles.iter().map(String::as_str).collect();
        feed(&request.path, &titles)
    });
    // The list is longer than one window of rows.
    let urls: Vec<String> = (0..120).map(|n| world.server.url(&format!("/{n}"))).collect();
    world.run_with(&["import", "--private", "-"], &urls.join("\n")).ok();
    world.run(&["sync", "--set", "net.host_delay=0s"]).ok();
    let all = world.run(&["list", "--limit", "0"]).ok();
    let mut numbers: Vec<&str> = all.lines().filter_map(|l| l.split('\t').next()).collect();
    assert_eq!(numbers.len(), 1080);
    numbers.sort_unstable();
    numbers.dedup();
    assert_eq!(numbers.len(), 1080, "each item is printed once");
    assert_eq!(world.run(&["list"]).ok().lines().count(), 50);
    assert_eq!(world.run(&["list", "--limit", "700"]).ok().lines().count(), 700);
}

#[test]
fn parse_works_without_a_home_directory() {
    let world = World::usual();
    let mut command = world.command(&["parse", "--json", "-"]);
    command.env_clear().stdin(Stdio::null());
    let output = command.output().unwrap();
    assert_eq!(output.status.code(), Some(1), "an empty document is not a feed");
    let text = "<rss version=\"2.0\"><channel><title>T</title><item><title>x</title></item></channel></rss>";
    let parsed = world.run_with(&["parse", "--json", "-"], text).values();
    assert_eq!((&parsed[0]["title"], parsed.len()), (&"T".into(), 1));
}

#[cfg(unix)]
#[test]
fn runs_no_pager_if_the_output_is_a_file() {
    use std::os::unix::fs::PermissionsExt;
    let world = World::usual();
    let (folder, ran) = (world.path().join("bin"), world.path().join("ran"));
    std::fs::create_dir(&folder).unwrap();
    for name in ["tput", "stty", "sh", "locale"] {
        let program = folder.join(name);
        std::fs::write(&program, format!("#!/bin/sh\n: > '{}'\n", ran.display())).unwrap();
        std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
    }
    for args in [&["list"][..], &["sources"], &["sync"], &["config", "show"], &["--help"]] {
        let mut command = world.command(args);
        assert!(command.env("PATH", &folder).output().unwrap().status.success(), "{args:?}");
    }
    assert!(!ran.exists());
}
