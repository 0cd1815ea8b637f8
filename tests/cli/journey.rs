//! A journey from the first URL to the export, as a user or a script would make it.

use super::{World, feed};
use newsfed::demo::server::Reply;
use std::sync::atomic::{AtomicUsize, Ordering};

#[test]
fn follows_reads_pins_searches_and_exports() {
    let world = World::usual();
    let kernel = world.server.url("/kernel.xml");
    let added = world.run(&["add", &kernel, "--title", "Kernel notes", "--folder", "Tech"]).ok();
    assert!(added.contains(&kernel) && added.contains("2 items"), "{added}");
    assert_eq!(world.server.requests().len(), 1, "the discovery serves as the first poll");

    let listed = world.run(&["list"]).ok();
    let lines: Vec<Vec<&str>> = listed.lines().map(|l| l.split('\t').collect()).collect();
    let titles: Vec<&str> = lines.iter().map(|l| l[4]).collect();
    assert_eq!(titles, ["Second release", "First release"], "newest first");
    assert_eq!((lines[0][1], lines[0][2]), ("*", "2025-11-02 09:00"));
    let (second, first) = (lines[0][0], lines[1][0]);

    let shown = world.run(&["show", first]).ok();
    for part in ["Title: First release", "Source: Kernel notes", "Body of First release with more"]
    {
        assert!(shown.contains(part), "{part} in {shown}");
    }
    assert!(shown.contains("[1] http://site.example/more"), "{shown}");
    let html = world.run(&["show", "--format", "html", first]).ok();
    assert!(html.contains("<p>Body of"), "{html}");

    assert_eq!(world.run(&["read", first]).ok(), "1 item marked read\n");
    assert_eq!(world.run(&["read", first]).ok(), "0 items marked read\n", "it was read already");
    assert_eq!(world.run(&["list", "--unread"]).ok().lines().count(), 1);
    assert_eq!(world.run(&["unread", first]).ok(), "1 item marked unread\n");
    world.run(&["pin", first]).ok();
    let pinned = world.run(&["list", "--pinned"]).ok();
    assert!(pinned.contains("*+") && pinned.contains("First release"), "{pinned}");

    // The text of new items can be searched at once.
    let hits = world.run(&["search", "body", "second"]).ok();
    assert!(hits.lines().count() == 1 && hits.starts_with(second), "{hits}");

    world.run(&["read", "--all"]).ok();
    let keep = ["--set", "retention.items=0", "--set", "retention.days=0"];
    assert!(world.run(&[&["prune"], &keep[..]].concat()).ok().contains("0 items would"));
    let one = ["--set", "retention.items=1"];
    let would = world.run(&[&["prune"], &one[..]].concat()).ok();
    assert!(would.contains("0 items would"), "the older item is pinned: {would}");
    world.run(&["unpin", first]).ok();
    let would = world.run(&[&["prune"], &one[..]].concat()).ok();
    assert!(would.contains("1  Kernel notes") && would.contains("1 item would"), "{would}");
    assert_eq!(world.numbers().len(), 2, "nothing was removed yet");
    world.run(&[&["prune", "--apply"], &one[..]].concat()).ok();
    assert_eq!(world.numbers(), [second]);

    for format in ["opml", "urls"] {
        let exported = world.run(&["export", "--format", format]).ok();
        let other = World::usual();
        other.run_with(&["import", "--private", "-"], &exported).ok();
        assert_eq!(other.run(&["export", "--format", format]).ok(), exported);
    }
    world.run(&["sources", "remove", "Kernel notes"]).ok();
    assert_eq!(world.run(&["list"]).ok(), "", "items of a removed source are not shown");
    assert_eq!(world.run(&["sources"]).ok(), "");
}

#[test]
fn import_fetches_nothing_and_reports_skipped_entries() {
    let world = World::usual();
    let list = format!(
        "{} tag \"~A title\"\n|script\n{}\n{}\n",
        world.server.url("/kernel.xml"),
        world.server.url("/council.xml"),
        world.server.url("/kernel.xml"),
    );
    let first = world.run_with(&["import", "--private", "-"], &list);
    assert!(first.err.contains("does not run the commands"), "{first:?}");
    assert!(first.err.contains("listed 2 times"), "{first:?}");
    assert_eq!(first.ok(), "newsboat urls: 2 added, 0 already followed, 2 skipped\n");
    let again = world.run_with(&["import", "--private", "-"], &list).ok();
    assert_eq!(again, "newsboat urls: 0 added, 2 already followed, 2 skipped\n");
    assert_eq!(world.server.requests().len(), 0);
    assert!(world.run(&["sources"]).ok().contains("A title"));
}

#[test]
fn import_skips_private_addresses_by_default() {
    let world = World::usual();
    let url = world.server.url("/kernel.xml");
    let port = url.rsplit_once(':').unwrap().1;
    let hosts =
        ["127.0.0.1", "localhost", "[::1]", "[::ffff:7f00:1]", "0x7f.1", "10.0.0.1", "a.example"];
    let outline = |host: &str| format!("<outline xmlUrl='http://{host}:{port}'/>");
    let outlines: String = hosts.iter().map(|host| outline(host)).collect();
    let list = format!("<opml version='2.0'><body>{outlines}</body></opml>");
    let file = world.path().join("list.opml");
    std::fs::write(&file, list).unwrap();
    let file = file.to_str().unwrap();
    let first = world.run(&["import", file]);
    assert!(first.err.contains("skipped: http://[::ffff:7f00:1]:"), "{first:?}");
    assert!(first.err.contains("a private address; import it with --private"), "{first:?}");
    // `0x7f.1` is another spelling of 127.0.0.1.
    assert_eq!(first.ok(), "OPML: 1 added, 0 already followed, 6 skipped\n");
    assert!(world.run(&["sources"]).ok().contains("a.example"));
    let again = world.run(&["import", file, "--private"]).ok();
    assert_eq!(again, "OPML: 5 added, 1 already followed, 1 skipped\n");
}

#[test]
fn sync_obeys_servers_and_reports_it() {
    let count = AtomicUsize::new(0);
    let world = World::new(move |request| match request.path.as_str() {
        "/held.xml" => feed("Held", &["x"]).header("cache-control", "max-age=3600"),
        "/grows.xml" => {
            let all = ["one", "two", "three"];
            feed("Grows", &all[..=count.fetch_add(1, Ordering::SeqCst).min(2)])
        }
        _ => Reply::status(500),
    });
    let urls = ["/held.xml", "/grows.xml"].map(|path| world.server.url(path)).join("\n");
    world.run_with(&["import", "--private", "-"], &urls).ok();
    let fast = ["--set", "net.host_delay=0s"];
    let sync = |args: &[&str]| world.run(&[&["sync"], args, &fast[..]].concat());
    assert_eq!(sync(&[]).ok(), "2 new in 2 refreshed sources\n");
    let second = sync(&[]);
    assert!(second.err.contains("Held: paused until"), "{second:?}");
    assert!(second.err.contains("Cache-Control max-age"), "{second:?}");
    assert_eq!(second.ok(), "1 new in 1 refreshed source, 1 skipped\n");
    assert_eq!(sync(&["--due"]).ok(), "no source refreshed, 2 not due\n");
    assert_eq!(sync(&["--force", "Held"]).ok(), "0 new in 1 refreshed source\n");
    assert_eq!(world.server.requests().len(), 4);

    let id = world.run(&["sources", "--json"]).values()[1]["id"].as_str().unwrap().to_owned();
    assert_eq!(world.run(&["sources", "disable", &id]).ok(), format!("{id}: disabled\n"));
    assert!(sync(&[]).ok().contains("1 skipped, 1 disabled"));
    assert_eq!(world.server.requests().len(), 4, "no request was sent");
    world.run(&["sources", "enable", &id]).ok();
    assert_eq!(sync(&["-v", &id]).ok(), "1 new in 1 refreshed source\n");
}

#[test]
fn shows_and_edits_sources() {
    let world = World::followed();
    let kernel = world.run(&["sources", "--json"]).values()[0]["id"].as_str().unwrap().to_owned();
    let edit = ["--title", "K", "--folder", "Tech/Linux", "--tags", "c, linux", "--interval", "2h"];
    world.run(&[&["sources", "edit", &kernel], &edit[..]].concat()).ok();
    let shown = world.run(&["sources", "show", "K"]).ok();
    for part in [
        "title         K",
        "folder        Tech/Linux",
        "tags          c, linux",
        "interval      2h",
        "200  2 new",
    ] {
        assert!(shown.contains(part), "{part} in {shown}");
    }
    for narrowed in
        [["--folder", "Tech"], ["--tag", "linux"], ["--source", "K"], ["--query", "source:K"]]
    {
        let listed = world.run(&[&["list"], &narrowed[..]].concat()).ok();
        assert_eq!(listed.lines().count(), 2, "{narrowed:?}: {listed}");
    }
    assert_eq!(world.run(&["list", "--since", "2025-11-02"]).ok().lines().count(), 1);
    assert_eq!(world.run(&["list", "--before", "2025-11-02"]).ok().lines().count(), 2);
    assert_eq!(world.run(&["list", "--limit", "1"]).ok().lines().count(), 1);
    let oldest = world.run(&["list", "--sort", "oldest", "--source", "K"]).ok();
    assert!(oldest.lines().next().unwrap().contains("First release"), "{oldest}");

    world.run(&["sources", "edit", "K", "--title", "", "--folder", "", "--tags", ""]).ok();
    let plain = &world.run(&["sources", "--json", "show", &kernel]).values()[0];
    assert_eq!((&plain["title"], &plain["folder"]), (&"Kernel".into(), &serde_json::Value::Null));
}

#[test]
fn opens_the_editor_at_the_source() {
    let world = World::followed();
    let note = world.path().join("note");
    let mut command = world.command(&["sources", "edit", "Council"]);
    let script = format!("sh -c 'printf \"%s\\n\" \"$@\" > {}' editor", note.display());
    command.env("EDITOR", script);
    assert!(command.status().unwrap().success());
    let noted = std::fs::read_to_string(&note).unwrap();
    let (line, file) = noted.trim().split_once('\n').unwrap();
    let text = std::fs::read_to_string(file).unwrap();
    let line: usize = line.strip_prefix('+').unwrap().parse().unwrap();
    assert!(text.lines().skip(line - 1).take(3).any(|l| l.contains("council.xml")), "{text}");
}

#[test]
fn undoes_a_permanent_redirect() {
    let world = World::new(|request| match request.path.as_str() {
        "/old.xml" => Reply::status(301).header("location", "/new.xml"),
        _ => feed("Moved", &["x"]),
    });
    world.run_with(&["import", "--private", "-"], &world.server.url("/old.xml")).ok();
    let fast = ["sync", "--set", "net.host_delay=0s"];
    world.run(&fast).ok();
    let shown = world.run(&["sources", "show", "Moved"]).ok();
    assert!(shown.contains(&format!("moved to      {}", world.server.url("/new.xml"))), "{shown}");
    world.run(&fast).ok();
    let paths: Vec<String> = world.server.requests().into_iter().map(|r| r.path).collect();
    assert_eq!(paths, ["/old.xml", "/new.xml", "/new.xml"]);
    world.run(&["sources", "undo-move", "Moved"]).ok();
    world.run(&fast).ok();
    assert_eq!(world.server.requests()[3].path, "/old.xml");
}

#[test]
fn marking_read_has_a_dry_run_and_undo() {
    let world = World::followed();
    let unread = || world.run(&["list", "--unread", "--json"]).values().len();
    let none = world.run(&["read", "--undo"]);
    assert_eq!(
        (none.code, none.err.contains("there is no `newsfed read` to undo")),
        (Some(1), true)
    );
    for args in [&["unread"][..], &["unread", "1", "--all"]] {
        assert_eq!(world.run(args).code, Some(2), "{args:?}");
    }
    for (args, count, listed) in [
        (&["--before", "today"][..], "3 items", 3),
        (&["--source", "Kernel", "--query", "second"], "1 item", 1),
        (&["--query", "is:read"], "0 items", 0),
        (&["1", "2", "2"], "2 items", 2),
    ] {
        let dry = world.run(&[&["read", "--dry-run"], args].concat());
        assert!(dry.err.contains(&format!("{count} would be marked read\n")), "{dry:?}");
        assert_eq!((dry.ok().lines().count(), unread()), (listed, 3), "{args:?}");
    }
    let done = world.run(&["read", "--before", "today"]);
    assert_eq!(done.err, "`newsfed read --undo` undoes this\n");
    assert_eq!((done.ok().as_str(), unread()), ("3 items marked read\n", 0));
    let undone = world.run(&["read", "--undo"]).ok();
    assert!(undone.starts_with("3 items marked unread (undid `newsfed read` of 20"), "{undone}");
    assert_eq!(unread(), 3);
    for args in [&["--all"][..], &["--dry-run"], &["1"], &["--query", "x"], &["--since", "7d"]] {
        assert_eq!(world.run(&[&["read", "--undo"], args].concat()).code, Some(2), "{args:?}");
    }
    world.run(&["read", "--all"]).ok();
    for (args, count, left) in [
        (&["--dry-run", "--source", "Kernel"][..], 2, 0),
        (&["--dry-run", "--query", "is:unread"], 0, 0),
        (&["--query", "second", "--before", "today"], 1, 1),
        (&["--dry-run", "--all"], 2, 1),
        (&["--source", "Kernel"], 1, 2),
        (&["--all"], 1, 3),
    ] {
        let run = world.run(&[&["unread", "--json"], args].concat());
        let key = if args.contains(&"--dry-run") { "would_change" } else { "changed" };
        assert_eq!((&run.values()[0][key], unread()), (&count.into(), left), "{args:?}");
    }
    let dry = world.run(&["unread", "--dry-run", "1"]);
    assert!(dry.err.contains("0 items would be marked unread\n"), "{dry:?}");
    world.run(&["read", "--all"]).ok();
    let undone = world.run(&["read", "--undo", "--json", "-q"]);
    assert_eq!(undone.values()[0]["changed"], 3);
}

#[test]
fn marks_items_by_text_before_they_are_indexed() {
    for (query, count) in [
        ("reopens", "1 item"),
        ("-reopens", "2 items"),
        ("(reopens OR is:pinned)", "1 item"),
        ("is:unread -(is:unread -reopens)", "1 item"),
        ("words<500", "3 items"),
        ("-words<500", "0 items"),
    ] {
        let marked = World::followed().run(&["read", "--query", query]).ok();
        assert_eq!(marked, format!("{count} marked read\n"), "{query}");
        let listed = World::followed().run(&["list", "--query", query]).ok();
        let listed = newsfed::util::text::counted(listed.lines().count(), "item");
        assert_eq!(listed, count, "{query}");
    }
}
