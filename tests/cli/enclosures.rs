//! Showing and opening enclosures.

use super::World;
use newsfed::demo::server::Reply;

/// A podcast. `BASE` in the enclosures is replaced by the URL of the server.
fn podcast(enclosures: &'static str) -> World {
    let world = World::new(move |request| match request.path.as_str() {
        "/feed" => {
            let host = String::from_utf8(request.header("host").unwrap().to_vec()).unwrap();
            let enclosures = enclosures.replace("BASE", &format!("http://{host}"));
            let feed = format!(
                "<rss version='2.0' xmlns:itunes='http://www.itunes.com/dtds/podcast-1.0.dtd'><channel>\
                 <title>Radio</title><item><title>One</title><guid>1</guid>\
                 <itunes:duration>52:00</itunes:duration>{enclosures}</item></channel></rss>"
            );
            Reply::ok("application/rss+xml", feed)
        }
        _ => Reply::status(404),
    });
    world.run_with(&["import", "--private", "-"], &world.server.url("/feed")).ok();
    world.run(&["sync", "--set", "net.host_delay=0s"]).ok();
    world
}

const TWO: &str = "<enclosure url='BASE/notes.pdf' length='20000'/>\
                   <enclosure url='BASE/a%20b.mp3?x=1' type='audio/mpeg' length='34567890'/>";

#[test]
fn show_lists_enclosures() {
    let world = podcast(TWO);
    let shown = world.run(&["show", "1"]).ok();
    let base = world.server.url("");
    for line in [
        format!("Enclosure: {base}/notes.pdf (application/pdf, 20 kB)"),
        format!("Enclosure: {base}/a%20b.mp3?x=1 (audio/mpeg, 34 MB, 52 min)"),
    ] {
        assert!(shown.lines().any(|l| l == line), "{line} in {shown}");
    }
}

#[cfg(unix)]
#[test]
fn open_selects_the_enclosure_and_its_program() {
    let world = podcast(TWO);
    let fifo = world.path().join("opened");
    assert!(std::process::Command::new("mkfifo").arg(&fifo).status().unwrap().success());
    let script = world.path().join("player");
    let text = format!("#!/bin/sh\necho \"$#\" \"$@\" > {}\n", fifo.display());
    std::fs::write(&script, text).unwrap();
    std::fs::set_permissions(&script, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    let config = format!(
        "browser = [\"{0}\", \"browser\"]\n[open]\n\"audio/*\" = [\"{0}\", \"--\", \"{{url}}\"]\n",
        script.display()
    );
    std::fs::write(world.config().join("config.toml"), config).unwrap();
    let base = world.server.url("");
    for (argument, expected) in [
        ("--enclosure", format!("2 -- {base}/a%20b.mp3?x=1\n")),
        ("--enclosure=2", format!("2 -- {base}/a%20b.mp3?x=1\n")),
        ("--enclosure=1", format!("2 browser {base}/notes.pdf\n")),
    ] {
        let run = world.run(&["open", argument, "1"]);
        assert_eq!(std::fs::read_to_string(&fifo).unwrap(), expected);
        assert_eq!(run.ok(), "");
    }
    let json = world.run(&["open", "--enclosure", "--json", "1"]).values();
    assert_eq!(json, [serde_json::json!({ "url": format!("{base}/a%20b.mp3?x=1") })]);
    let third = world.run(&["open", "--enclosure=3", "1"]);
    assert_eq!(third.code, Some(1));
    assert!(third.err.contains("item 1 has no enclosure 3; `newsfed show 1`"), "{third:?}");
    let text = ["--set", "open.terminal=[\"player\"]", "open", "--enclosure", "1"];
    let piped = world.run(&text);
    assert_eq!((piped.code, piped.out), (Some(1), format!("{base}/a%20b.mp3?x=1\n")));
    assert!(piped.err.contains("the program needs a terminal"), "{}", piped.err);
    let gone = world.run(&["--set", "open.\"audio/*\"=[\"gone\"]", "open", "--enclosure", "1"]);
    assert!(gone.err.contains("gone is not installed"), "{}", gone.err);
    assert_eq!(world.run(&["open", "--enclosure=0", "1"]).code, Some(2));
}
