//! `newsfed account`: from adding to removing, and that nothing prints a secret.

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
fn accounts_are_added_synchronised_and_removed() {
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
    // A mark that the server does not take waits.
    world.run(&["read", "1"]).ok();
    let failed = world.run(&["account", "sync", "--json"]);
    assert_eq!(failed.code, Some(1), "{failed:?}");
    let status = world.run(&["account", "status", "--json"]).values();
    assert_eq!((&status[0]["waiting"], &status[0]["unread"]), (&1.into(), &0.into()));
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
