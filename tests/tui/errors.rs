//! Tests with invalid or read-only files.

use super::term::key;
use super::world::{FEED, World};
use newsfed::demo::server::{Reply, Server};
use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt};

fn set_mode(path: &std::path::Path, mode: u32) {
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
}

#[test]
fn opens_the_editor_at_the_invalid_source() {
    let world = World::new(&["/feed.xml"]);
    // newsfed passes a line number to an editor with this name.
    let editor = world.path("nano");
    let out = world.path("called");
    let part = world.path("part");
    let script = format!(
        "#!/bin/sh\necho \"$@\" > '{p}' && mv '{p}' '{o}'\n",
        p = part.display(),
        o = out.display()
    );
    fs::write(&editor, script).unwrap();
    set_mode(&editor, 0o755);
    let mut t = world.open_with(100, 30, &[("EDITOR", editor.to_str().unwrap())]);
    t.wait_for("Third article");
    let file = world.path("config/sources.toml");
    let good = world.read("config/sources.toml");
    fs::write(&file, format!("{good}\n[[source]]\nurl = 7\n")).unwrap();
    t.send("R");
    t.wait_for("! error in sources.toml");
    t.send("hjjjj");
    t.wait_focus("newsfed");
    t.send("E");
    world.wait_for_file("called");
    let line = good.lines().count() + 3;
    assert_eq!(world.read("called").trim(), format!("+{line} {}", file.display()));
    t.wait_focus("newsfed");
    fs::write(&file, good).unwrap();
    t.send("R");
    t.wait_gone("error in sources.toml");
    t.send("Q");
    assert_eq!(t.exit_code(), 0);
}

#[test]
fn shows_and_reports_a_read_only_database() {
    let world = World::new(&["/feed.xml"]);
    assert!(world.command().arg("sync").status().unwrap().success());
    let (folder, file) = (world.path("data"), world.path("data/newsfed.db"));
    for log in ["newsfed.db-wal", "newsfed.db-shm", "newsfed.lock"] {
        let _ = fs::remove_file(folder.join(log));
    }
    let root = fs::metadata(&folder).unwrap().uid() == 0;
    if root {
        world.give_away();
    }
    set_mode(&file, 0o400);
    set_mode(&folder, 0o500);
    let requested = world.requests("/feed.xml");
    let mut t = world.open_as_nobody(root, 100, 30);
    t.wait_for("Third article");
    t.wait_for("read-only");
    t.wait_for("check the permissions of its file and folder");
    t.send(key::ENTER);
    t.wait_for("Text of the third article");
    t.send("R");
    t.wait_for("Not refreshed");
    t.send("p");
    t.wait_for("Not changed: the database is read-only");
    t.send("Q");
    assert_eq!(t.exit_code(), 0);
    assert_eq!(world.requests("/feed.xml"), requested);
    set_mode(&folder, 0o700);
}

#[test]
fn keeps_the_sources_while_their_file_is_missing() {
    let world = World::new(&["/feed.xml"]);
    let mut t = world.open(120, 30);
    t.wait_for("Third article");
    let (file, away) = (world.path("config/sources.toml"), world.path("away"));
    fs::rename(&file, &away).unwrap();
    t.send("R");
    t.wait_for("sources.toml: is missing");
    t.wait_for("! error in sources.toml");
    t.wait_until("both are kept", |s| s.contains("Fixture") && s.contains("Third article"));
    fs::rename(&away, &file).unwrap();
    t.send("R");
    t.wait_gone("error in sources.toml");
    t.wait_for("Third article");
    t.send("Q");
    assert_eq!(t.exit_code(), 0);
}

/// The other program may keep running when the terminal is closed.
#[test]
fn exits_on_a_signal_while_another_program_runs() {
    for signal in ["TERM", "HUP"] {
        let world = World::new(&["/feed.xml"]);
        let path = |name| world.path(name).display().to_string();
        let script = format!(
            "#!/bin/sh\ntrap '' HUP TERM\nmkfifo '{go}'\n: > '{started}'\nread line < '{go}'\n: > '{ended}'\n",
            go = path("go"),
            started = path("started"),
            ended = path("ended"),
        );
        world.script("editor", &script);
        let mut t = world.open_with(100, 30, &[("EDITOR", &path("editor"))]);
        t.wait_for("Third article");
        t.send("h");
        t.wait_focus("newsfed");
        t.send("GE");
        world.wait_for_file("started");
        t.kill(signal);
        assert_eq!(t.exit_code(), 0, "{signal}");
        assert!(!world.path("ended").exists());
        fs::write(world.path("go"), "\n").unwrap();
        // The other program does not keep the database locked.
        let mut t = world.open(100, 30);
        t.wait_for("Third article");
        t.send("Q");
        assert_eq!(t.exit_code(), 0);
    }
}

#[test]
fn add_asks_again_after_a_number_that_is_not_in_the_list() {
    let server = Server::start(|request| match request.path.as_str() {
        "/a.xml" | "/b.xml" => Reply::ok("application/rss+xml", FEED),
        "/" => Reply::ok(
            "text/html",
            "<title>Both</title><link rel=alternate type=application/rss+xml title=A href=/a.xml>\
             <link rel=alternate type=application/rss+xml title=B href=/b.xml><p>x",
        ),
        _ => Reply::status(404),
    });
    let world = World::following(server.unwrap(), []);
    let mut t = world.run(&["add", &world.url("/")], 100, 30);
    t.wait_for("which one? [1]");
    for wrong in ["9", "0", "b"] {
        t.send(&format!("{wrong}{}", key::ENTER));
        t.wait_for(&format!("expected a whole number from 1 to 2, found \"{wrong}\""));
    }
    t.send(&format!("2{}", key::ENTER));
    t.wait_for("/b.xml, 3 items");
    assert_eq!(t.exit_code(), 0);
}
