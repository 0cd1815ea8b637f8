//! Rules, tags, items kept for later and snoozed items, on the command line.

use super::World;

#[test]
fn tests_applies_and_undoes_rules() {
    let world = World::usual();
    let config = "[[rule]]\nname = \"Council\"\nquery = \"source:council\"\ndo = [\"hide\"]\n\
        [[rule]]\nquery = \"title:/first|second/\"\ndo = [\"tag:Release\", \"later\"]\n\
        [[rule]]\nname = \"Odd\"\nquery = \"(\"\ndo = [\"hide\"]\n";
    std::fs::create_dir_all(world.config()).unwrap();
    std::fs::write(world.config().join("config.toml"), config).unwrap();
    let list = ["/kernel.xml", "/council.xml"].map(|path| world.server.url(path));
    world.run_with(&["import", "--private", "-"], &list.join("\n")).ok();
    let sync = world.run(&["sync", "--set", "net.host_delay=0s"]);
    assert!(
        sync.err.contains("\"(\" needs a condition after it; the rule \"Odd\" is not applied"),
        "{sync:?}"
    );
    let titles = |query: &str| {
        let run = world.run(&["list", "--json", "--sort", "oldest", "--query", query]);
        let titles = run.values();
        titles.iter().map(|item| item["title"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(titles("").len(), 2);
    assert_eq!((titles("is:hidden").len(), titles("tag:release in:later").len()), (1, 2));
    let rules = world.run(&["rules", "--json"]).values();
    let counts: Vec<_> =
        rules.iter().map(|rule| (rule["name"].clone(), rule["items"].clone())).collect();
    let expected = [("Council", 1), ("title:/first|second/", 2), ("Odd", 0)];
    assert_eq!(counts, expected.map(|(name, items)| (name.into(), items.into())));
    assert!(
        rules[2]["problem"].as_str().unwrap().starts_with("query: \"(\" needs"),
        "{}",
        rules[2]
    );
    let odd = world.run(&["rules", "test", "Odd"]);
    assert!(
        odd.code == Some(1) && odd.err.contains("is not applied: query: \"(\" needs"),
        "{odd:?}"
    );
    let number =
        world.run(&["list", "--json", "--query", "is:hidden"]).values()[0]["number"].to_string();
    let shown = world.run(&["show", &number]).ok();
    assert!(shown.contains("Rules: Council (hide)"), "{shown}");

    let undone = world.run(&["rules", "undo", "Council"]).ok();
    assert_eq!(undone.trim(), "1 item restored");
    assert_eq!((titles("").len(), titles("is:hidden").len(), titles("unread").len()), (3, 0, 3));
    let test = world.run(&["rules", "test", "Council"]);
    assert!(
        test.err.contains("1 stored item matches") && test.out.lines().count() == 1,
        "{test:?}"
    );
    assert_eq!(titles("").len(), 3, "nothing has changed");
    assert_eq!(world.run(&["rules", "apply", "Council"]).ok().trim(), "1 item changed");
    assert_eq!(titles("").len(), 2);
    let unknown = world.run(&["rules", "apply", "Cuoncil"]);
    assert!(
        unknown.err.contains("there is no rule \"Cuoncil\"; did you mean \"Council\"?"),
        "{unknown:?}"
    );
}

#[test]
fn testing_a_rule_counts_the_items_it_would_change() {
    let world =
        World::new(|_| super::feed("Council", &["Bridge one", "Bridge two", "Bridge three"]));
    world.write(
        "config.toml",
        "[[rule]]\nname = \"Hide\"\nquery = \"bridge\"\ndo = [\"hide\"]\nuntil = \"2020-01-01\"\n\
         [[rule]]\nname = \"Mark\"\nquery = \"bridge\"\ndo = [\"tag:Old\", \"read\"]\nuntil = \"2020-01-01\"\n",
    );
    world.run_with(&["import", "--private", "-"], &world.server.url("/council.xml")).ok();
    world.run(&["sync", "--set", "net.host_delay=0s"]).ok();
    let numbers: Vec<String> = world
        .run(&["list", "--json"])
        .values()
        .iter()
        .map(|item| item["number"].to_string())
        .collect();
    let test = |rule: &str| world.run(&["rules", "test", rule]).err.trim().to_owned();
    let apply = |rule: &str| world.run(&["rules", "apply", rule]).ok().trim().to_owned();
    assert_eq!(test("Hide"), "3 stored items match");
    world.run(&["pin", &numbers[0]]).ok();
    assert_eq!(test("Hide"), "3 stored items match, 2 would change (1 is pinned)");
    assert_eq!(apply("Hide"), "2 items changed");
    assert_eq!(test("Hide"), "3 stored items match, 0 would change (1 is pinned)");
    // The hidden items are already read, but do not have the tag of this rule yet.
    assert_eq!(test("Mark"), "3 stored items match");
    world.run(&["tag", "old", &numbers[0], &numbers[1]]).ok();
    assert_eq!(test("Mark"), "3 stored items match, 2 would change");
    assert_eq!(apply("Mark"), "2 items changed");
    assert_eq!(test("Mark"), "3 stored items match, 0 would change");
}

/// A world with a feed that has one item at first, and the items in `news` in later polls.
#[cfg(unix)]
fn renewed(news: &'static [&'static str]) -> World {
    use std::sync::atomic::{AtomicBool, Ordering};
    let was_polled = AtomicBool::new(false);
    World::new(move |_| match was_polled.swap(true, Ordering::SeqCst) {
        true => super::feed("Council", news),
        false => super::feed("Council", &["Bridge closes"]),
    })
}

#[cfg(unix)]
#[test]
fn commands_of_rules_run_on_arrival_and_on_request() {
    let world = renewed(&["Bridge closes", "Bridge reopens"]);
    let out = world.path().join("out");
    let script = format!("echo \"$1\" >> {0}; echo no >&2; exit 4", out.display());
    let config = format!(
        "[notify]\nhow = \"command\"\ncommand = [\"true\"]\n\
         [[rule]]\nname = \"Save\"\nquery = \"title:reopens\"\ndo = [\"notify\"]\n\
         run = [\"sh\", \"-c\", {script:?}, \"sh\", \"{{url}}\"]\n\
         [[rule]]\nname = \"Ring\"\nquery = \"bridge\"\ndo = [\"notify\"]\n\
         [[rule]]\nquery = \"x\"\ndo = [\"run\"]\n"
    );
    std::fs::create_dir_all(world.config()).unwrap();
    std::fs::write(world.config().join("config.toml"), config).unwrap();
    let list = world.server.url("/council.xml");
    world.run_with(&["import", "--private", "-"], &list).ok();
    let sync = || world.run(&["sync", "--force", "--set", "net.host_delay=0s"]);
    let first = sync();
    assert!(first.err.contains("rule.run: is missing") && first.code == Some(0), "{first:?}");
    let runs = || std::fs::read_to_string(&out).unwrap_or_default().lines().count();
    assert_eq!(runs(), 0, "the first document is not news");
    sync().ok();
    assert_eq!(runs(), 1, "at arrival");
    let listed = world.run(&["rules"]).ok();
    assert!(
        listed.contains(
            "notified you of 1 item, ran 1 command (1 failed, last failure: exit status: 4: no)"
        ),
        "{listed}"
    );
    let json = world.run(&["rules", "--json"]).values().remove(0);
    assert_eq!(json["effects"], serde_json::json!(["notify", "run"]));
    assert_eq!(
        (json["run"][0].as_str(), json["commands"]["failed"].as_u64()),
        (Some("sh"), Some(1))
    );
    let test = world.run(&["rules", "test", "Save"]);
    let would = "would notify you of 1 item; would run sh -c";
    assert!(test.err.contains(would), "{test:?}");
    assert!(
        test.err.contains(" for 1 item; for stored items, only with `newsfed rules apply --run`"),
        "{test:?}"
    );
    world.run(&["rules", "apply", "Save"]).ok();
    assert_eq!(runs(), 1, "stored items are left alone");
    let applied = world.run(&["rules", "apply", "--run", "Save"]);
    assert_eq!(applied.code, Some(3), "the command fails: {applied:?}");
    assert!(applied.err.contains("1 command run, 1 failed"), "{applied:?}");
    assert_eq!(runs(), 2);
    let item = world.run(&["list", "--json", "--query", "reopens"]).values().remove(0);
    let shown = world.run(&["show", &item["number"].to_string()]).ok();
    assert!(shown.contains("Rules: Ring (notify); Save (notify, run)"), "each rule: {shown}");
    // Undoing or removing a rule also removes the record of its commands.
    world.run(&["rules", "undo", "Save"]).ok();
    let undone = world.run(&["rules", "--json"]).values().remove(0);
    assert_eq!((&undone["ran"], undone.get("commands")), (&0.into(), None), "{undone}");
}

#[cfg(unix)]
#[test]
fn requested_commands_run_for_the_newest_visible_items() {
    let world = World::new(|_| {
        let titles: Vec<String> = (0..130).map(|n| format!("Item {n}")).collect();
        super::feed("Feed", &titles.iter().map(String::as_str).collect::<Vec<_>>())
    });
    let out = world.path().join("out");
    let script = format!("echo \"$1\" >> {}", out.display());
    let config = format!(
        "[[rule]]\nname = \"Mute\"\nquery = \"title:/0$/\"\ndo = [\"hide\"]\n\
         [[rule]]\nname = \"Save\"\nquery = \"item\"\ndo = [\"run\"]\n\
         run = [\"sh\", \"-c\", {script:?}, \"sh\", \"{{title}}\"]\n"
    );
    std::fs::create_dir_all(world.config()).unwrap();
    std::fs::write(world.config().join("config.toml"), config).unwrap();
    world.run_with(&["import", "--private", "-"], &world.server.url("/feed.xml")).ok();
    world.run(&["sync", "--set", "net.host_delay=0s"]).ok();
    let applied = world.run(&["rules", "apply", "--run", "Save"]);
    assert_eq!(applied.code, Some(0), "{applied:?}");
    assert!(
        applied.err.contains("100 commands run, 0 failed, not run for 17 items"),
        "{applied:?}"
    );
    let listed = world.run(&["list", "--json", "--limit", "100"]).values();
    let mut newest: Vec<&str> = listed.iter().map(|item| item["title"].as_str().unwrap()).collect();
    let written = std::fs::read_to_string(&out).unwrap();
    let mut ran: Vec<&str> = written.lines().collect();
    // The order may differ, because two commands run concurrently.
    newest.sort_unstable();
    ran.sort_unstable();
    assert_eq!(ran, newest);
    let rules = world.run(&["rules"]).ok();
    assert!(rules.contains("ran 100 commands, not run for 17 items"), "{rules}");
}

#[test]
fn tags_keeps_and_snoozes_items() {
    let world = World::followed();
    let numbers = world.numbers();
    let count = |query: &str| world.run(&["list", "--query", query]).ok().lines().count();
    world.run(&["tag", "To do", &numbers[0], &numbers[1]]).ok();
    assert_eq!((count("tag:\"to do\""), count("has:tag")), (2, 2));
    let by_option = world.run(&["list", "--tag", "to DO", "--query", "has:tag"]).ok();
    assert_eq!(by_option.lines().count(), 2, "as tag: in a query");
    assert_eq!(world.run(&["untag", "TO DO", &numbers[1]]).ok().trim(), "1 item untagged");
    assert_eq!(count("tag:\"to do\""), 1);
    for none in [" ", ",", ", ,"] {
        assert_eq!(world.run(&["tag", none, &numbers[0]]).code, Some(2), "{none:?}");
    }
    // Commas separate tags, as in `sources edit --tags`.
    let tagged = world.run(&["tag", "red, blue,", &numbers[0], &numbers[2]]).ok();
    assert_eq!(tagged.trim(), "2 items tagged");
    assert_eq!((count("tag:red"), count("tag:blue")), (2, 2));
    let untagged = world.run(&["untag", "red,blue", &numbers[0], &numbers[2]]).ok();
    assert_eq!(untagged.trim(), "2 items untagged");
    assert_eq!((count("tag:red"), count("tag:blue")), (0, 0));
    // Tags in quotes may contain commas, and untag needs no quotes for them.
    for (tags, removed) in [("\"Linux, C\", red", "linux, c"), ("\"Linux, C\",red", "\"linux, c\"")]
    {
        world.run(&["tag", tags, &numbers[0]]).ok();
        world.run(&["tag", "linux,c", &numbers[0]]).ok();
        assert_eq!((count("tag:\"linux, c\""), count("tag:red")), (1, 1));
        world.run(&["untag", removed, &numbers[0]]).ok();
        assert_eq!((count("tag:\"linux, c\""), count("tag:linux"), count("tag:c")), (0, 1, 1));
        assert_eq!(world.run(&["untag", "linux, c, red", &numbers[0]]).ok(), "1 item untagged\n");
        assert_eq!(count("has:tag"), 1, "only {}", numbers[0]);
    }
    world.run(&["later", &numbers[2]]).ok();
    assert_eq!(count("in:later"), 1);
    world.run(&["later", "--remove", &numbers[2]]).ok();
    assert_eq!(count("in:later"), 0);

    let snoozed = world.run(&["snooze", "3d", &numbers[0]]).ok();
    assert!(snoozed.starts_with("1 item snoozed until "), "{snoozed}");
    assert_eq!((count(""), count("is:snoozed")), (2, 1));
    let shown = world.run(&["show", "--json", &numbers[0]]).values();
    assert!(
        shown[0]["snoozed_until"].is_string()
            && shown[0]["own_tags"] == serde_json::json!(["To do"])
    );
    for when in ["2020-01-01", "soon", "0h"] {
        assert_eq!(world.run(&["snooze", when, &numbers[0]]).code, Some(2), "{when}");
    }
    let database = rusqlite::Connection::open(world.path().join("data/newsfed.db")).unwrap();
    database.execute("UPDATE snooze SET until = until - 4 * 86400", []).unwrap();
    assert_eq!((count(""), count("is:snoozed")), (3, 0), "its time has come");
}

#[test]
fn reports_a_build_without_desktop_notifications() {
    let world = World::usual();
    world.write("config.toml", "[notify]\nhow = \"desktop\"\n");
    let run = world.run(&["config", "check"]);
    let says = format!("{}{}", run.out, run.err).contains("built without desktop notifications");
    assert_eq!((run.code, says), (Some(0), !cfg!(feature = "desktop")), "{run:?}");
}
