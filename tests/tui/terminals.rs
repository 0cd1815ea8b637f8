//! Tests of terminal replies and signals at unusual times.

use crate::term::{Term, key};
use crate::world::{FEED, World};
use newsfed::demo::server::{Reply, Server};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// If this variable is empty, the terminal is queried for its background.
const ASKED: (&str, &str) = ("COLORFGBG", "");
/// The reply to the device attributes query, which is the last one.
const ATTRIBUTES: &str = "\x1b[?1;2c";

fn quit(mut t: Term) {
    t.send("Q");
    assert_eq!(t.exit_code(), 0);
}

#[test]
fn keys_typed_before_the_terminal_replies_take_effect() {
    let world = World::new(&["/feed.xml"]);
    let mut t = world.open_with(100, 30, &[ASKED]);
    t.wait_written("\x1b]11;?");
    t.send("gp");
    t.send(&format!("\x1b]11;rgb:0/0/0\x1b\\{ATTRIBUTES}"));
    t.wait_title("Pinned");
    quit(t);
}

#[test]
fn keys_that_begin_like_a_terminal_reply_are_handled() {
    for (env, reply) in [
        // The terminal is not queried.
        (vec![], ""),
        // The terminal is queried, but does not report its background.
        (vec![ASKED], ATTRIBUTES),
    ] {
        let world = World::new(&["/feed.xml"]);
        let keys = "[keys.items]\n\"A-]\" = \"help\"\n";
        std::fs::write(world.path("config/config.toml"), keys).unwrap();
        let mut t = world.open_with(100, 30, &env);
        if !reply.is_empty() {
            t.wait_written("\x1b]11;?");
            t.send(reply);
        }
        t.wait_for("Third article");
        for _ in 0..2 {
            t.send("\x1b]");
            t.wait_for("╭─ Keys");
            t.send(key::ESC);
            t.wait_gone("╭─ Keys");
        }
        quit(t);
    }
}

/// Opens an editor that waits for a line from a fifo.
fn open_editor(world: &World, script: &str) -> Term {
    let path = |name| world.path(name).display().to_string();
    let (go, started) = (path("go"), path("started"));
    let script =
        format!("#!/bin/sh\n{script}\nmkfifo '{go}'\n: > '{started}'\nread line < '{go}'\n");
    world.script("editor", &script);
    let mut t = world.open_with(100, 30, &[("EDITOR", &path("editor"))]);
    t.wait_for("Third article");
    t.send("h");
    t.wait_focus("newsfed");
    t.send("GE");
    world.wait_for_file("started");
    t
}

#[test]
fn quitting_another_program_by_key_does_not_quit_newsfed() {
    let world = World::new(&["/feed.xml"]);
    let mut t = open_editor(&world, "ulimit -c 0");
    t.wait_alternate_screen(false);
    t.send("\x1c");
    t.wait_alternate_screen(true);
    t.send("?");
    t.wait_for("╭─ Keys");
    t.send(key::ESC);
    t.wait_gone("╭─ Keys");
    quit(t);
}

/// The end of a visit determines which items are new.
#[test]
fn a_signal_during_another_program_ends_the_visit() {
    let more = Arc::new(AtomicBool::new(false));
    let has_more = more.clone();
    let server = Server::start(move |_| {
        let item = "<item><title>Fourth article</title><guid>4</guid></item></channel>";
        let text = match has_more.load(Ordering::SeqCst) {
            true => FEED.replace("</channel>", item),
            false => FEED.to_owned(),
        };
        Reply::ok("application/rss+xml", text)
    });
    let world = World::following(server.unwrap(), ["/feed.xml".to_owned()]);
    let mut t = open_editor(&world, "trap '' HUP TERM");
    t.kill("HUP");
    assert_eq!(t.exit_code(), 0);
    std::fs::write(world.path("go"), "\n").unwrap();
    more.store(true, Ordering::SeqCst);
    let run = |args: &[&str]| {
        let output = world.command().args(args).output().unwrap();
        String::from_utf8_lossy(&output.stdout).into_owned()
    };
    run(&["sync"]);
    assert!(run(&["list"]).contains("Fourth article"));
    let new = run(&["list", "--query", "is:new"]);
    assert!(new.contains("Fourth article") && !new.contains("Third article"), "{new}");
}
