//! Importing items and marks from other readers.

use super::World;
use serde_json::Value;
use std::path::{Path, PathBuf};

fn data(name: &str) -> String {
    format!("{}/tests/data/import/{name}", env!("CARGO_MANIFEST_DIR"))
}

/// Creates a database from a file of SQL statements.
fn database(folder: &Path, name: &str) -> String {
    let path: PathBuf = folder.join(format!("{name}.db"));
    let conn = rusqlite::Connection::open(&path).unwrap();
    conn.execute_batch(&std::fs::read_to_string(data(&format!("{name}.sql"))).unwrap()).unwrap();
    path.display().to_string()
}

/// The title, read and pinned marks, and tags of all items.
fn items(world: &World) -> Vec<String> {
    let run = world.run(&["list", "--json", "--limit", "0", "--sort", "oldest"]);
    let row = |item: &Value| {
        let title = item["title"].as_str().unwrap();
        format!("{title} {} {}", item["read"], item["pinned"])
    };
    run.values().iter().map(row).collect()
}

#[test]
fn imports_items_and_marks_from_databases_of_other_readers() {
    for (name, kind) in
        [("newsboat", "newsboat-cache"), ("newsraft", "newsraft"), ("newsflash", "news-flash")]
    {
        let world = World::usual();
        world.write(
            "sources.toml",
            "[[source]]\nid = \"tide\"\nurl = \"http://www.tide.example/rss/\"\n",
        );
        let file = database(world.path(), name);
        let dry = world.run(&["import", "--dry-run", "--json", &file]).values().remove(0);
        assert_eq!((&dry["kind"], &dry["import"]), (&kind.into(), &Value::Null), "{name}");
        assert_eq!(items(&world), [""; 0], "{name}");
        let done = world.run(&["import", "--json", &file]).values().remove(0);
        for key in ["new", "known", "read", "pinned", "tagged", "removed", "unfollowed"] {
            assert_eq!(done[key], dry[key], "{name}: {key}");
        }
        assert_eq!(items(&world), ["Spring tide true true", "Neap tide false false"], "{name}");
        let again = world.run(&["import", "--json", &file]).values().remove(0);
        assert_eq!((again["new"].as_u64(), again["known"].as_u64()), (Some(0), Some(2)), "{name}");
        assert_eq!(again["import"], Value::Null, "{name}");
        assert!(world.run(&["rules"]).ok().is_empty(), "an import is not a rule");
    }
}

#[test]
fn imports_flags_and_reports_unfollowed_feeds() {
    let world = World::usual();
    world.write("sources.toml", "[[source]]\nurl = \"https://tide.example/rss\"\n");
    let file = database(world.path(), "newsboat");
    let run = world.run(&["import", "--pin-flags", "b", &file]);
    assert!(
        run.err.contains("1 item of https://lost.example/rss (you do not follow this feed)"),
        "{}",
        run.err
    );
    assert!(run.err.contains("exec:~/feed (you do not follow this feed)"), "{}", run.err);
    let line = "newsboat's cache: 2 new, 0 known, 1 skipped (already removed); 1 read, 1 pinned, 0 for later, 2 tagged\n";
    assert_eq!(run.ok(), line);
    assert_eq!(items(&world), ["Spring tide true false", "Neap tide false true"]);
    for (query, count) in [("tag:flag-s", 1), ("tag:flag-x", 1)] {
        let listed = world.run(&["list", "--query", query]).ok();
        assert_eq!(listed.lines().count(), count, "{query}");
    }
    let again = world.run(&["import", "--pin-flags", "b", &file]);
    assert!(!again.err.contains("--undo"), "{}", again.err);
    let unchanged = "newsboat's cache: nothing changed, 2 known, 1 skipped (already removed)\n";
    assert_eq!(again.ok(), unchanged);
    let undone = world.run(&["import", "--undo"]).ok();
    assert!(undone.contains("2 items removed; marks of 2 items undone"), "{undone}");
    assert_eq!(items(&world), [""; 0]);
    let nothing = world.run(&["import", "--undo"]);
    assert_eq!(nothing.code, Some(1));
    assert!(nothing.err.contains("there is no item import to undo"), "{}", nothing.err);
}

#[test]
fn assigns_saved_items_to_their_source_or_a_new_one() {
    let world = World::usual();
    world.write(
        "sources.toml",
        "[[source]]\nid = \"ferry\"\nurl = \"https://ferry.example/feed\"\n",
    );
    world.run(&["import", "--dry-run", &data("inoreader.json")]).ok();
    assert_eq!(world.run(&["sources", "--json"]).values().len(), 1);
    let done = world.run(&["import", "--json", &data("inoreader.json")]).values().remove(0);
    assert_eq!((&done["new"], &done["source"]), (&2.into(), &"inoreader".into()));
    for file in ["feedly.json", "pocket.csv", "pocket.html"] {
        world.run(&["import", &data(file)]).ok();
    }
    let sources: Vec<(String, u64)> = world
        .run(&["sources", "--json"])
        .values()
        .iter()
        .map(|s| (s["id"].as_str().unwrap().to_owned(), s["items"].as_u64().unwrap()))
        .collect();
    let expected = [("ferry", 1), ("inoreader", 1), ("feedly", 2), ("pocket", 4)];
    assert_eq!(sources, expected.map(|(id, items)| (id.to_owned(), items)));
    let list = |query: &str| world.run(&["list", "--query", query]).ok();
    assert!(list("tag:\"Harbour & docks\"").contains("The ferry timetable"));
    assert_eq!(list("in:later source:pocket").lines().count(), 2);
    assert!(list("tag:maps").contains("A \"quoted\", long title"));
    // The new sources are not polled.
    let text = std::fs::read_to_string(world.config().join("sources.toml")).unwrap();
    assert_eq!(text.matches("enabled = false").count(), 3, "{text}");
}

#[test]
fn a_dry_run_previews_a_list() {
    let world = World::usual();
    world.write("list.opml", "<opml xmlns:newsfed='https://newsfed.example/opml'><head><newsfed:view name='Mine' query='is:unread'/></head>\
        <body><outline xmlUrl='https://a.example/'/></body></opml>");
    let file = world.config().join("list.opml").display().to_string();
    let run = world.run(&["import", "--dry-run", &file]);
    assert!(run.err.contains("would be saved as a view: Mine"), "{}", run.err);
    assert!(run.err.contains("would be added: https://a.example/\n"), "{}", run.err);
    assert_eq!(run.ok(), "OPML: 1 added, 0 already followed, 1 view saved, 0 skipped\n");
    assert!(
        !world.config().join("sources.toml").exists()
            && !world.config().join("config.toml").exists()
    );
    world.run(&["import", &file]).ok();
    let first = world.run(&["export"]).ok();
    let other = World::usual();
    other.run_with(&["import", "-"], &first).ok();
    assert_eq!(other.run(&["export"]).ok(), first);
    let written = other.path().join("out.opml").display().to_string();
    assert_eq!(other.run(&["export", "--output", &written]).ok(), format!("{written}: 1 source\n"));
    assert_eq!(std::fs::read_to_string(&written).unwrap(), first);
}

#[test]
fn does_not_skip_followed_private_sources() {
    let world = World::followed();
    let list = world.run(&["export", "--format", "urls"]).ok();
    let run = world.run_with(&["import", "-"], &list);
    assert_eq!(run.out, "URLs: 0 added, 2 already followed, 0 skipped\n", "{run:?}");
}

/// Items that were stored before the error are reported, and their import can be undone.
#[test]
fn imports_the_readable_part_of_a_damaged_database() {
    let world = World::usual();
    world.write("sources.toml", "[[source]]\nurl = \"https://tide.example/rss\"\n");
    let file = database(world.path(), "newsboat");
    let conn = rusqlite::Connection::open(&file).unwrap();
    conn.execute_batch(
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1500)
         INSERT INTO rss_item (guid, title, author, url, feedurl, pubDate, content, unread)
         SELECT 'g' || i, 'Tide ' || i, '', 'https://tide.example/more/' || i, 'https://tide.example/rss',
            1600000000 + i, hex(zeroblob(250)), 1 FROM n",
    )
    .unwrap();
    drop(conn);
    let mut bytes = std::fs::read(&file).unwrap();
    let page = bytes.len() * 4 / 5 / 4096 * 4096;
    bytes[page..page + 4096].fill(0xff);
    std::fs::write(&file, bytes).unwrap();
    for (args, note) in [
        (vec!["import", "--dry-run", &file], "nothing was changed"),
        (vec!["import", "--json", &file], "`newsfed import --undo` undoes this"),
    ] {
        let run = world.run(&args);
        assert_eq!(run.code, Some(3), "{run:?}");
        assert!(run.err.contains("only the items before this error were read"), "{}", run.err);
        assert!(run.err.contains("malformed") && run.err.contains(note), "{}", run.err);
        assert!(run.out.contains("new"), "{}", run.out);
    }
    let stored = items(&world).len();
    assert!((1001..1500).contains(&stored), "{stored}");
    let undone = world.run(&["import", "--undo"]).ok();
    assert!(undone.contains(&format!("{stored} items removed")), "{undone}");
    assert_eq!(items(&world), [""; 0]);
}

/// Data read from a pipe cannot be read again, so nothing may be read before the import.
#[cfg(unix)]
#[test]
fn reads_a_list_from_a_pipe() {
    let world = World::usual();
    let list = "https://first.example/\nhttps://second.example/\n";
    let run = world.run_with(&["import", "/dev/stdin"], list);
    assert_eq!(run.ok(), "URLs: 2 added, 0 already followed, 0 skipped\n");
    let text = std::fs::read_to_string(world.config().join("sources.toml")).unwrap();
    assert!(text.contains("https://first.example/"), "{text}");
}

#[test]
fn refuses_unreadable_files() {
    let world = World::usual();
    let write = |name: &str, bytes: &[u8]| {
        let path = world.path().join(name);
        std::fs::write(&path, bytes).unwrap();
        path.display().to_string()
    };
    rusqlite::Connection::open(world.path().join("else.db"))
        .unwrap()
        .execute_batch("CREATE TABLE t (x)")
        .unwrap();
    let other = world.path().join("else.db").display().to_string();
    let own = world.path().join("data/newsfed.db").display().to_string();
    world.run(&["list"]).ok();
    let cases = [
        (other, "not one of newsboat"),
        (own, "newsfed backup"),
        (write("cut.db", b"SQLite format 3\0"), "database"),
        (write("a.json", b"{\"a\": 1}"), "no list of items"),
        (write("b.json", b"[]"), "lists no items"),
        (write("sources.toml", b"[[source]]\nurl = \"https://a.example/\"\n"), "newsfed export"),
    ];
    for (file, part) in cases {
        let run = world.run(&["import", &file]);
        assert_eq!(run.code, Some(1), "{file}: {run:?}");
        assert!(run.err.contains(part), "{file}: {}", run.err);
    }
    assert_eq!(world.run_with(&["import", "-"], "SQLite format 3\0").code, Some(1));
}

#[test]
fn an_import_adds_tags_and_folders_and_reports_conflicts() {
    let world = World::usual();
    world.write(
        "sources.toml",
        "# mine\n[[source]]\nid = \"a\"\nurl = \"https://a.example/feed\"\ntags = [\"old\"]\n\n\
         [[source]]\nid = \"b\"\nurl = \"https://b.example/feed\"\nfolder = \"Here\"\n",
    );
    let list = "<opml><body><outline text=\"There\"><outline xmlUrl=\"https://a.example/feed\" \
                category=\"old,new\"/><outline xmlUrl=\"https://b.example/feed\"/></outline></body></opml>";
    let before = std::fs::read_to_string(world.config().join("sources.toml")).unwrap();
    let dry = world.run_with(&["import", "--dry-run", "-"], list);
    let stays = "not applied: folder There of b, which stays in Here\n";
    assert!(dry.err.contains("would be added to a: tag new and folder There\n"), "{dry:?}");
    assert!(dry.err.contains(stays), "{dry:?}");
    let after = || std::fs::read_to_string(world.config().join("sources.toml")).unwrap();
    assert_eq!(after(), before);
    let done = world.run_with(&["import", "-"], list);
    assert!(done.err.contains("added to a: tag new and folder There\n"), "{done:?}");
    assert_eq!(
        done.ok(),
        "OPML: 0 added, 2 already followed (a folder or tags added to 1), 0 skipped\n"
    );
    assert!(after().contains("tags = [\"old\", \"new\"]\nfolder = \"There\"\n"), "{}", after());
    let again = world.run_with(&["import", "--json", "-"], list).values().remove(0);
    assert_eq!(again["completed"], serde_json::json!([]), "as the summary says");
    assert_eq!(again["other_folders"], serde_json::json!([{"id": "b", "folder": "There"}]));
}

#[test]
fn an_import_fails_if_everything_is_skipped() {
    let world = World::usual();
    for (list, why) in [
        ("http://10.0.0.1/a\nhttp://localhost/b\n", "a private address"),
        ("exec:~/feed\n", "does not run the commands"),
    ] {
        let run = world.run_with(&["import", "-"], list);
        assert!(run.err.contains(why) && run.err.contains("nothing was imported"), "{run:?}");
        assert_eq!(run.code, Some(1), "{run:?}");
    }
    let hidden = world.run_with(&["import", "-"], "!https://a.example/feed\n");
    assert!(
        hidden.err.contains("hidden (!): https://a.example/feed: newsfed cannot hide"),
        "{hidden:?}"
    );
    let advice = "for the keys of newsboat, set keys.preset = \"newsboat\" in config.toml";
    assert!(hidden.err.contains(advice), "{hidden:?}");
    assert_eq!(
        hidden.ok(),
        "newsboat urls: 1 added, 0 already followed, 0 skipped, 1 setting not imported\n"
    );
    let refused = "http://10.0.0.1/a\n\"query:Rust:title =~ \\\"rust\\\"\"\n";
    let refused = world.run_with(&["import", "-"], refused);
    assert_eq!(refused.code, Some(3), "only the view was imported: {refused:?}");
    for (args, list) in [
        (&["import", "-"][..], "https://b.example/feed\n"),
        (&["import", "--dry-run", "-"], "https://b.example/feed tag\n"),
        (&["--set", "keys.preset=\"newsboat\"", "import", "-"], "https://b.example/feed tag\n"),
    ] {
        let run = world.run_with(args, list);
        assert!(!run.err.contains(advice), "{args:?}: {run:?}");
    }
}
