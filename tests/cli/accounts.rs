//! Tests of `newsfed account`, from adding to removing an account. Nothing may print a secret.

use super::World;
use newsfed::demo::server::Reply;
use std::os::unix::fs::PermissionsExt;

const SECRETS: [&str; 3] = ["pw-account", "auth-token", "change-token"];

/// A server with one feed and one item.
fn world() -> World {
    World::new(|request| {
        let path = request.path.split('?').next().unwrap_or_default();
        let json = |text: &str| Reply::ok("application/json", text.to_owned());
        let Some(endpoint) = path.strip_prefix("/api/greader.php/") else {
            return Reply::status(404);
        };
        match endpoint.strip_prefix("reader/api/0/").unwrap_or(endpoint) {
            "accounts/ClientLogin" => {
                Reply::ok("text/plain", "SID=x\nAuth=auth-token\n".to_owned())
            }
            "token" => Reply::ok("text/plain", "change-token\n".to_owned()),
            "user-info" => json(r#"{"userName":"alice"}"#),
            "subscription/list" => json(
                r#"{"subscriptions":[{"id":"feed/1","title":"Kernel","url":"http://feeds.example/1",
                    "categories":[{"id":"user/-/label/Tech","label":"Tech"}]}]}"#,
            ),
            "stream/items/ids" if request.path.contains("starred") => json(r#"{"itemRefs":[]}"#),
            "stream/items/ids" => json(r#"{"itemRefs":[{"id":"42"}]}"#),
            "tag/list" => json(r#"{"tags":[]}"#),
            "edit-tag" => Reply::status(500),
            _ => json(
                r#"{"items":[{"id":"tag:google.com,2005:reader/item/000000000000002a",
                    "title":"First release","published":1600000000,"categories":[],
                    "origin":{"streamId":"feed/1"},"summary":{"content":"<p>text</p>"}}]}"#,
            ),
        }
    })
}

fn password(world: &World, mode: u32) -> String {
    let file = world.path().join("password");
    std::fs::write(&file, "pw-account\n").unwrap();
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(mode)).unwrap();
    file.display().to_string()
}

#[test]
fn adds_synchronises_and_removes_an_account() {
    let world = world();
    let (url, file) = (world.server.url("/"), password(&world, 0o644));
    let add = ["account", "add", &url, "--user", "alice", "--password-file", &file];
    let yes = [&add[..], &["--yes"]].concat();
    let refused = world.run(&yes);
    assert_eq!(refused.code, Some(1), "{refused:?}");
    assert!(refused.err.contains("chmod 600"), "{refused:?}");
    password(&world, 0o600);
    assert_eq!(world.run(&add).code, Some(2), "without a terminal it needs --yes");
    assert!(!world.config().join("config.toml").exists());
    let added = world.run(&yes);
    assert!(added.err.contains("FreshRSS") && added.err.contains("1 source,"), "{added:?}");
    let synced = world.run(&["sync", "-vv", "--set", "log.level=trace"]).ok();
    assert!(synced.contains("home: 1 new"), "{synced}");
    assert!(world.run(&["list"]).ok().contains("First release"));
    let sources = world.run(&["sources", "--json"]).values();
    assert_eq!(sources[0]["folder"], "home/Tech");
    // The server does not accept the mark, so it stays pending.
    world.run(&["read", "1"]).ok();
    let failed = world.run(&["account", "sync", "--json"]);
    assert_eq!(failed.code, Some(1), "{failed:?}");
    let status = world.run(&["account", "status", "--json"]).values();
    assert_eq!((&status[0]["waiting"], &status[0]["unread"]), (&1.into(), &0.into()));
    let doctor = world.run(&["doctor", "--json"]).values();
    let finding = doctor.iter().find(|finding| finding["topic"] == "account").unwrap();
    let message = finding["message"].as_str().unwrap();
    assert!(message.contains("FreshRSS accepts alice: 1 source, 1 unread"), "{message}");
    let unknown = world.run(&["account", "sync", "hone"]);
    assert!(unknown.err.contains("did you mean \"home\"?"), "{unknown:?}");
    for args in [&["config", "show"][..], &["doctor"], &["account"], &["account", "status"]] {
        let run = world.run(args);
        for secret in SECRETS {
            assert!(!run.out.contains(secret) && !run.err.contains(secret), "{args:?}: {run:?}");
        }
    }
    let mut logs = walk(world.path());
    logs.retain(|path| path.extension().is_some_and(|e| e == "log"));
    for path in &logs {
        let text = std::fs::read_to_string(path).unwrap();
        assert!(SECRETS.iter().all(|secret| !text.contains(secret)), "{}", path.display());
    }
    world.run(&["account", "remove", "home", "--keep"]).ok();
    let sources = std::fs::read_to_string(world.config().join("sources.toml")).unwrap();
    assert!(sources.contains("http://feeds.example/1"), "{sources}");
    assert!(world.run(&["list"]).ok().contains("First release"), "its items stay");
    assert!(world.run(&["account"]).err.contains("no accounts yet"));
}

#[test]
fn adding_an_account_names_feeds_that_could_move() {
    let world = world();
    std::fs::create_dir_all(world.config()).unwrap();
    let own = "[[source]]\nurl = \"http://feeds.example/1\"\n[[source]]\nurl = \"http://b.example/\"\n\
               kind = \"sitemap\"\n";
    std::fs::write(world.config().join("sources.toml"), own).unwrap();
    let (url, file) = (world.server.url("/"), password(&world, 0o600));
    let add = ["account", "add", &url, "--user", "alice", "--password-file", &file, "--yes"];
    let added = world.run(&add);
    assert!(added.err.contains("1 of your feeds too: `newsfed account move home"), "{added:?}");
    world.run(&["refresh"]);
    let why = world.run(&["schedule", "why", "home-feeds-example"]).ok();
    assert!(why.contains("checked by home (FreshRSS)") && why.contains("next sync"), "{why}");
    assert!(!why.contains("policy"), "{why}");
}

/// A world with an account that was synchronised once.
fn synchronised() -> World {
    let world = world();
    let (url, file) = (world.server.url("/"), password(&world, 0o600));
    let add = ["account", "add", &url, "--user", "alice", "--password-file", &file, "--yes"];
    world.run(&add).ok();
    world.run(&["sync"]).ok();
    world
}

#[test]
fn lists_and_removes_an_account_missing_from_the_file() {
    let world = synchronised();
    let id = world.run(&["sources", "--json"]).values()[0]["id"].as_str().unwrap().to_owned();
    world.run(&["sources", "edit", &id, "--tags", "linux"]).ok();
    std::fs::write(world.config().join("config.toml"), "").unwrap();
    let status = world.run(&["account", "status", "--json"]).values();
    assert_eq!((&status[0]["id"], &status[0]["configured"]), (&"home".into(), &false.into()));
    assert!(world.run(&["account"]).ok().contains("newsfed account remove home"));
    let removed = world.run(&["account", "remove", "home"]);
    assert!(removed.ok().contains("1 entry with settings for its sources was removed"));
    let text = std::fs::read_to_string(world.config().join("sources.toml")).unwrap();
    assert!(!text.contains("[[source]]"), "{text}");
    let none = world.run(&["account"]);
    assert!(none.err.contains("no accounts yet") && !none.err.contains("sources.toml"), "{none:?}");
    assert_eq!(world.run(&["sources", "--json"]).values().len(), 0);
    assert_eq!(world.run(&["account", "remove", "home"]).code, Some(1));
}

#[test]
fn an_interrupted_removal_keeps_the_items() {
    let world = synchronised();
    // The interruption is simulated: the sources are already in the file, and another process has read the
    // file, but the account still exists.
    let kept = "[[source]]\nid = \"home-feeds-example\"\nurl = \"http://feeds.example/1\"\n";
    std::fs::write(world.config().join("sources.toml"), kept).unwrap();
    assert_eq!(world.run(&["sources", "--json"]).values().len(), 2);
    world.run(&["account", "status"]).ok();
    world.run(&["account", "remove", "home", "--keep"]).ok();
    let sources = world.run(&["sources", "--json"]).values();
    assert_eq!(sources.len(), 1, "{sources:?}");
    assert_eq!((&sources[0]["items"], &sources[0]["unread"]), (&1.into(), &1.into()));
}

#[test]
fn refuses_to_remove_an_account_with_moved_sources() {
    let world = synchronised();
    let own = "[[source]]\nid = \"kernel\"\nurl = \"http://feeds.example/1\"\ntags = [\"x\"]\n\
               interval = \"2h\"\n";
    std::fs::write(world.config().join("sources.toml"), own).unwrap();
    let plan = world.run(&["account", "move", "home", "--all", "--dry-run", "--json"]).values();
    assert_eq!(plan[0]["dropped"][0], "interval");
    let plan = world.run(&["account", "move", "home", "--all", "--dry-run"]);
    assert!(plan.err.contains("without interval"), "{plan:?}");
    world.run(&["account", "move", "home", "--all", "--yes"]).ok();
    let text = || std::fs::read_to_string(world.config().join("sources.toml")).unwrap();
    assert!(text().contains("account = \"home\"") && !text().contains("interval"), "{}", text());
    assert_eq!(world.run(&["sources", "--json"]).values()[0]["tags"][0], "x");
    let refused = world.run(&["account", "remove", "home"]);
    assert!(refused.code == Some(1) && refused.err.contains("move home --back"), "{refused:?}");
    assert_eq!(
        world.run(&["account"]).ok().lines().next().unwrap().split(':').next(),
        Some("home")
    );
    world.run(&["account", "remove", "home", "--keep"]).ok();
    assert_eq!(text(), own);
    let sources = world.run(&["sources", "--json"]).values();
    assert_eq!((&sources[0]["id"], &sources[0]["items"]), (&"kernel".into(), &1.into()));
    assert_eq!(sources.len(), 1);
}

#[test]
fn edits_adds_and_removes_sources_of_accounts() {
    let world = synchronised();
    let id = world.run(&["sources", "--json"]).values()[0]["id"].as_str().unwrap().to_owned();
    world.run(&["sources", "edit", &id, "--title", "Harbour", "--folder", "home/Port"]).ok();
    let source = &world.run(&["sources", "--json"]).values()[0];
    assert_eq!((&source["title"], &source["folder"]), (&"Harbour".into(), &"home/Port".into()));
    let refused = world.run(&["sources", "edit", &id, "--interval", "2h"]);
    assert!(refused.err.contains("interval has no effect"), "{refused:?}");
    let own = ["sources", "edit", &id, "--color", "3", "--tags", "linux", "--full-text", "all"];
    world.run(&own).ok();
    let source = &world.run(&["sources", "--json"]).values()[0];
    assert_eq!(source["tags"][0], "linux");
    assert!(world.run(&["sources", "show", &id]).ok().contains("linux"));
    assert_eq!(world.run(&["sources", "disable", &id]).code, Some(1));
    let text = std::fs::read_to_string(world.config().join("sources.toml")).unwrap();
    assert!(text.contains("account = \"home\"") && text.contains("color = 3"), "{text}");
    assert!(!text.contains("enabled"), "{text}");
    let url = world.server.url("/feed.xml");
    let none = world.run(&["add", &url, "--account", "other"]);
    assert_ne!(none.code, Some(0), "{none:?}");
    world.run(&["sources", "remove", &id]).ok();
    assert_eq!(world.run(&["sources", "--json"]).values().len(), 0);
    let status = world.run(&["account", "status", "--json"]).values();
    let changes = status[0]["changes"].as_array().unwrap();
    assert_eq!(changes.len(), 3, "{changes:?}");
    assert!(changes[0].as_str().unwrap().contains("Harbour"), "{changes:?}");
    assert_eq!(status[0]["unused"][0][0], id);
    let shown = world.run(&["account", "status"]).ok();
    assert!(shown.contains(&format!("settings for {id}")), "{shown}");
    let archive = world.path().join("all.tar.gz").display().to_string();
    world.run(&["backup", &archive]).ok();
    std::fs::remove_file(world.config().join("sources.toml")).unwrap();
    world.run(&["restore", "--replace", &archive]).ok();
    assert_eq!(std::fs::read_to_string(world.config().join("sources.toml")).unwrap(), text);
}

#[test]
fn shows_a_move_before_making_it() {
    let world = synchronised();
    let sources = "[[source]]\nid = \"own\"\nurl = \"http://feeds.example/1\"\n\n\
                   [[source]]\nid = \"map\"\nurl = \"http://feeds.example/map\"\nkind = \"sitemap\"\n";
    std::fs::write(world.config().join("sources.toml"), sources).unwrap();
    let shown = world.run(&["account", "move", "home", "--all", "--dry-run"]);
    assert!(shown.err.contains("map stays: it is not a feed"), "{shown:?}");
    assert!(shown.err.contains("1 source moves to home; 1 cannot"), "{shown:?}");
    assert_eq!(world.run(&["account", "move", "home", "own"]).code, Some(2), "it needs --yes");
    assert_eq!(std::fs::read_to_string(world.config().join("sources.toml")).unwrap(), sources);
    // The server already has a source with this feed.
    let moved = world.run(&["account", "move", "home", "own", "--yes", "--json"]).values();
    assert_eq!((&moved[0]["source"], &moved[0]["result"]), (&"own".into(), &"moved".into()));
    let left = std::fs::read_to_string(world.config().join("sources.toml")).unwrap();
    assert!(!left.contains("own") && left.contains("map"), "{left}");
    world.run(&["account", "move", "home", "--back", "--yes"]).ok();
    let back = std::fs::read_to_string(world.config().join("sources.toml")).unwrap();
    assert!(back.contains("id = \"own\""), "{back}");
}

fn walk(folder: &std::path::Path) -> Vec<std::path::PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap().map(Result::unwrap) {
        match entry.file_type().unwrap().is_dir() {
            true => found.extend(walk(&entry.path())),
            false => found.push(entry.path()),
        }
    }
    found
}
