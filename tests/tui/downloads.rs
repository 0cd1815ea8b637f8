//! Tests of stopped downloads and saves.

use crate::term::key;
use crate::world::World;
use newsfed::demo::server::{Failure, Reply, Server};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

const FEED: &str = "<rss version=\"2.0\"><channel><title>Pod</title><item><title>Episode one</title>\
    <guid>1</guid><enclosure url=\"/a.mp3\" type=\"audio/mpeg\" length=\"2000\"/></item></channel></rss>";

#[test]
fn resumes_stopped_downloads() {
    let body: Vec<u8> = (0..2000_u32).map(|n| (n % 251) as u8).collect();
    let whole = body.clone();
    let server = Server::start(move |request| match request.path.as_str() {
        "/feed.xml" => Reply::ok("application/rss+xml", FEED),
        // The response without a range stalls after the first half of the file.
        "/a.mp3" => match request.header("range") {
            None => Reply::ok("audio/mpeg", body.clone())
                .header("etag", "\"v1\"")
                .failing(Failure::Stall),
            Some(_) => Reply::ok("audio/mpeg", body[1000..].to_vec())
                .with_status(206)
                .header("content-range", "bytes 1000-1999/2000"),
        },
        _ => Reply::status(404),
    });
    let world = World::following(server.unwrap(), ["/feed.xml".to_owned()]);
    let folder = world.path("files");
    let config = format!("[download]\nfolder = {folder:?}\n[net]\nhost_delay = \"0s\"\n");
    std::fs::write(world.path("config/config.toml"), config).unwrap();
    let mut t = world.open(100, 30);
    t.wait_for("Episode one");
    t.send(":stop-running\r");
    t.wait_for("Nothing to stop");
    t.send(key::CTRL_S);
    t.wait_for("Downloading");
    world.wait_for_file("files/a.mp3.part");
    let part = folder.join("a.mp3.part");
    t.wait_until("half of the file", |_| std::fs::metadata(&part).is_ok_and(|p| p.len() == 1000));
    t.send(":stop-running\r");
    t.wait_for("Stopped the download of");
    assert!(folder.join("a.mp3.part.json").exists());
    t.send(key::CTRL_S);
    t.wait_for("Downloaded ");
    assert!(std::fs::read(folder.join("a.mp3")).unwrap() == whole);
    // Quitting stops the running download and reports that.
    std::fs::remove_file(folder.join("a.mp3")).unwrap();
    t.send(key::CTRL_S);
    t.wait_for("Downloading");
    t.wait_until("half of the file", |_| std::fs::metadata(&part).is_ok_and(|p| p.len() == 1000));
    t.send("Q");
    assert_eq!(t.exit_code(), 0);
    t.wait_for("1 download stopped");
}

#[test]
fn stops_saving_with_pictures() {
    let requested = Arc::new(AtomicBool::new(false));
    let seen = requested.clone();
    let server = Server::start(move |request| match request.path.as_str() {
        "/feed.xml" => Reply::ok(
            "application/rss+xml",
            "<rss version=\"2.0\"><channel><title>Pod</title><item><title>Episode one</title><guid>1</guid>\
             <description>&lt;p&gt;Text&lt;/p&gt;&lt;img src=\"/p.png\"&gt;</description></item></channel></rss>",
        ),
        "/p.png" => {
            seen.store(true, Ordering::SeqCst);
            Reply::ok("image/png", vec![0; 1000]).failing(Failure::Stall)
        }
        _ => Reply::status(404),
    });
    let world = World::following(server.unwrap(), ["/feed.xml".to_owned()]);
    let folder = world.path("files");
    let config =
        format!("[save]\nfolder = {folder:?}\npictures = true\n[net]\nhost_delay = \"0s\"\n");
    std::fs::write(world.path("config/config.toml"), config).unwrap();
    let mut t = world.open(100, 30);
    t.wait_for("Episode one");
    t.send(key::CTRL_W);
    t.wait_for("Episode one.md");
    t.send(key::CTRL_U);
    t.send("one.html\r");
    t.wait_for("Saving 1 article");
    t.wait_until("its picture is requested", |_| requested.load(Ordering::SeqCst));
    t.send(":stop-running\r");
    t.wait_for("Stopped: nothing was saved");
    assert!(!folder.exists());
    t.send("Q");
    assert_eq!(t.exit_code(), 0);
}

#[test]
fn a_player_exits_when_newsfed_is_killed() {
    let server = Server::start(|request| match request.path.as_str() {
        "/feed.xml" => Reply::ok("application/rss+xml", FEED),
        _ => Reply::status(404),
    });
    let world = World::following(server.unwrap(), ["/feed.xml".to_owned()]);
    let player = world
        .script("player", "#!/bin/sh\ntouch \"$0.began\"; cat > /dev/null; touch \"$0.ended\"");
    let config = format!("[listen]\nplayer = [{player:?}]\n");
    std::fs::write(world.path("config/config.toml"), config).unwrap();
    let mut t = world.open(100, 30);
    t.wait_for("Episode one");
    t.send("\x05");
    t.wait_for("1 item added to the queue");
    t.send("\x1bp");
    world.wait_for_file("player.began");
    t.kill("KILL");
    world.wait_for_file("player.ended");
}
