//! The queue of episodes, with a player that supports the IPC of mpv.

use super::{Reply, Run, World};
use serde_json::Value;
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::os::unix::net::UnixListener;
use std::path::Path;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

/// Acts as the player if it runs as a separate program for another test; otherwise does nothing.
#[test]
fn fake_player() {
    let (Ok(mode), Ok(args)) = (std::env::var("FAKE_PLAYER"), std::env::var("FAKE_ARGS")) else {
        return;
    };
    let value = |name: &str| args.split(' ').find_map(|arg| arg.strip_prefix(name));
    let log = std::env::var("FAKE_LOG").unwrap();
    let mut log = fs::OpenOptions::new().create(true).append(true).open(log).unwrap();
    writeln!(log, "{args}").unwrap();
    if mode == "dies" {
        std::process::exit(3);
    }
    let start: f64 = value("--start=+").map_or(0.0, |start| start.parse().unwrap());
    let listener = UnixListener::bind(value("--input-ipc-server=").unwrap()).unwrap();
    let (stream, _) = listener.accept().unwrap();
    let mut writer = stream.try_clone().unwrap();
    let commands = std::thread::spawn(move || {
        for line in BufReader::new(stream).lines().map_while(Result::ok) {
            writeln!(log, "{line}").unwrap();
            if line.contains("\"quit\"") {
                std::process::exit(0);
            }
        }
    });
    let mut send = |bytes: &[u8]| drop(writer.write_all(bytes));
    let property = |name: &str, data: &str| {
        format!("{{\"event\":\"property-change\",\"name\":\"{name}\",\"data\":{data}}}\n")
    };
    match mode.as_str() {
        "plays" => {
            send(property("duration", "100.5").as_bytes());
            send(property("time-pos", "99.0").as_bytes());
            send(b"{\"event\":\"end-file\",\"reason\":\"eof\"}\n");
        }
        "waits" => {
            send(property("duration", "3000").as_bytes());
            send(property("time-pos", &(start + 42.0).to_string()).as_bytes());
            // Waits until newsfed exits or is killed.
            commands.join().unwrap();
        }
        "removed" => {
            send(property("duration", "100.5").as_bytes());
            send(property("time-pos", "99.0").as_bytes());
            send(property("pause", "true").as_bytes());
            wait_for_go();
            send(b"{\"event\":\"end-file\",\"reason\":\"eof\"}\n");
        }
        "paused" => {
            send(property("time-pos", "42").as_bytes());
            send(property("pause", "true").as_bytes());
            wait_for_go();
            send(property("pause", "true").as_bytes());
        }
        "early" => {
            send(property("duration", "3000").as_bytes());
            send(property("time-pos", "50").as_bytes());
            send(b"{\"event\":\"end-file\",\"reason\":\"eof\"}\n");
        }
        "hostile" => {
            send(property("time-pos", "7").as_bytes());
            for data in ["NaN", "-Infinity", "1e308", "1e999", "{}", "\"x\""] {
                send(property("time-pos", data).as_bytes());
                send(property("duration", data).as_bytes());
            }
            send(&vec![b'['; 2 << 20]);
            send(b"\n\0\xff\xfe garbage\n{\"event\":\n\n");
            let chapters = "[{\"title\":\"\\u001b]0;x\\u0007\",\"time\":NaN}]";
            send(property("chapter-list", chapters).as_bytes());
        }
        other => panic!("{other}"),
    }
    // Closes the connection without a message.
    std::process::exit(0);
}

/// Waits until the test creates the file that ends in `.go`.
fn wait_for_go() {
    let go = std::env::var("FAKE_LOG").unwrap() + ".go";
    while !Path::new(&go).exists() {
        std::thread::yield_now();
    }
}

fn world(mode: &str) -> World {
    let world = World::new(|request| {
        let item = |n: u8| {
            format!(
                "<item><title>Episode {n}</title><guid isPermaLink=\"false\">{n}</guid>\
                 <pubDate>0{n} Nov 2025 09:00:00 GMT</pubDate><itunes:duration>50:00</itunes:duration>\
                 <enclosure url=\"/{n}.mp3\" type=\"audio/mpeg\" length=\"1\"/>\
                 <psc:chapters><psc:chapter start=\"0\" title=\"Intro\"/>\
                 <psc:chapter start=\"00:01:30.5\" title=\"Main &lt;b&gt;\"/></psc:chapters>\
                 <podcast:chapters url=\"/chapters.json\" type=\"application/json+chapters\"/></item>"
            )
        };
        match request.path.as_str() {
            "/feed.xml" => {
                let items: String = (1..4).map(item).collect();
                Reply::ok(
                    "application/rss+xml",
                    format!(
                        "<rss version=\"2.0\" xmlns:itunes=\"http://www.itunes.com/dtds/podcast-1.0.dtd\" \
                         xmlns:psc=\"http://podlove.org/simple-chapters\" \
                         xmlns:podcast=\"https://podcastindex.org/namespace/1.0\"><channel>\
                         <title>Kernel</title><link>/</link>{items}\
                         <item><title>Text</title><guid>t</guid></item></channel></rss>"
                    ),
                )
            }
            _ => Reply::status(404),
        }
    });
    world.run_with(&["import", "--private", "-"], &world.server.url("/feed.xml")).ok();
    world.run(&["sync", "--set", "net.host_delay=0s"]).ok();
    let exe = std::env::current_exe().unwrap();
    let log = world.path().join("log");
    world.write(
        "config.toml",
        &format!(
            "[listen]\nplayer = [\"sh\", \"-c\", \"FAKE_PLAYER={mode} FAKE_LOG='{}' FAKE_ARGS=\\\"$*\\\" exec '{}' --exact listening::fake_player --nocapture\", \"sh\"]\n",
            log.display(),
            exe.display()
        ),
    );
    world
}

impl World {
    /// The item numbers in the queue, with the playback positions.
    fn positions(&self) -> Vec<(String, f64)> {
        let row = |row: &Value| (row["number"].to_string(), row["position"].as_f64().unwrap());
        self.run(&["queue", "--json"]).values().iter().map(row).collect()
    }

    fn episodes(&self) -> Vec<String> {
        let list = self.run(&["list", "--query", "has:audio", "--sort", "oldest", "--json"]);
        list.values().iter().map(|item| item["number"].to_string()).collect()
    }

    /// Starts playing, and waits until the first episode's stored position reaches `position`.
    fn playing(&self, position: f64) -> Child {
        let child = self.command(&["queue", "play"]).stdout(Stdio::piped()).spawn().unwrap();
        let begun = Instant::now();
        while self.positions()[0].1 < position {
            assert!(begun.elapsed() < Duration::from_secs(60), "{}", self.played());
            std::thread::yield_now();
        }
        child
    }

    /// Creates the file that the player waits for.
    fn go(&self) {
        fs::write(self.path().join("log.go"), "").unwrap();
    }

    fn played(&self) -> String {
        fs::read_to_string(self.path().join("log")).unwrap_or_default()
    }
}

#[test]
fn changes_and_lists_the_queue() {
    let world = world("waits");
    let items = world.episodes();
    let names: Vec<&str> = items.iter().map(String::as_str).collect();
    let [one, two, three] = names[..] else { panic!() };
    assert!(world.run(&["queue"]).err.contains("the queue is empty"));
    world.run(&["queue", "add", one, two, three]).ok();
    let numbers = || -> Vec<String> { world.positions().into_iter().map(|(n, _)| n).collect() };
    assert_eq!(numbers(), [one, two, three]);
    for (moved, by, expected) in [
        (three, "-1", [one, three, two]),
        (one, "2", [three, two, one]),
        (one, "-99", [one, three, two]),
        (one, "0", [one, three, two]),
    ] {
        world.run(&["queue", "move", moved, by]).ok();
        assert_eq!(numbers(), expected, "{moved} {by}");
    }
    let again = world.run(&["queue", "add", one]);
    assert!(again.err.contains("already in the queue"), "{again:?}");
    let table = world.run(&["queue"]).ok();
    assert!(table.contains("50:00") && table.contains("Episode 3"), "{table}");
    world.run(&["queue", "remove", three]).ok();
    assert_eq!(numbers(), [one, two]);
    let text =
        world.run(&["list", "--query", "-has:audio", "--json"]).values()[0]["number"].to_string();
    let refused: Run = world.run(&["queue", "add", &text]);
    assert!(refused.code == Some(1) && refused.err.contains("no audio or video"), "{refused:?}");
    let partly = world.run(&["queue", "add", &text, three]);
    assert!(partly.code == Some(3) && partly.err.contains("no audio or video"), "{partly:?}");
    // Undo returns a removed episode to its old place in the queue.
    world.run(&["queue", "move", three, "-1"]).ok();
    world.run(&["queue", "remove", three, one]).ok();
    assert_eq!(numbers(), [two]);
    world.run(&["queue", "undo"]).ok();
    assert_eq!(numbers(), [one, three, two]);
    assert_eq!(world.run(&["queue", "undo"]).code, Some(1));
    for number in [two, one] {
        world.run(&["queue", "remove", number]).ok();
    }
    for expected in [vec![one, three], vec![one, three, two]] {
        world.run(&["queue", "undo"]).ok();
        assert_eq!(numbers(), expected, "each removal is undone by itself");
    }
    let cleared = world.run(&["queue", "clear"]);
    assert!(cleared.err.contains("`newsfed queue undo` undoes this"), "{cleared:?}");
    assert_eq!(numbers(), [""; 0]);
    world.run(&["queue", "undo"]).ok();
    assert_eq!(numbers(), [one, three, two]);
    world.run(&["queue", "remove", three]).ok();
    let missing = world.run(&["queue", "play", three]);
    assert!(missing.code == Some(1) && missing.err.contains("is not in the queue"), "{missing:?}");
    let item = world.run(&["show", one, "--json"]).values().remove(0);
    let file = &item["enclosures"][0];
    assert_eq!(file["chapters"][1]["start"], 90);
    assert_eq!(file["chapters"][1]["title"], "Main <b>");
    assert_eq!(file["chapters_url"], world.server.url("/chapters.json"));
}

#[test]
fn finished_episodes_leave_the_queue() {
    let world = world("plays");
    let items = world.episodes();
    world.run(&["queue", "add", &items[0], &items[1]]).ok();
    let played = world.run(&["queue", "play"]).ok();
    let titles: Vec<&str> = played.lines().filter_map(|line| line.split(" (").next()).collect();
    // With this player, an episode may end before its title is printed. Such an episode is only in the log.
    assert!(
        titles.is_sorted() && titles.iter().all(|title| title.starts_with("Episode ")),
        "{played}"
    );
    assert_eq!(world.positions(), []);
    let log = world.played();
    for part in ["--no-video", "--no-terminal", "-- http://", "/1.mp3", "/2.mp3"] {
        assert!(log.contains(part), "{part} in {log}");
    }
    // When the episode is added again, it starts from the beginning.
    world.run(&["queue", "add", &items[0]]).ok();
    assert_eq!(world.positions(), [(items[0].clone(), 0.0)]);
}

#[test]
fn the_position_survives_a_killed_program() {
    let world = world("waits");
    let items = world.episodes();
    world.run(&["queue", "add", &items[0], &items[1]]).ok();
    let mut command = world.command(&["queue", "play", &items[1]]);
    let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let begun = Instant::now();
    while world.positions()[1].1 < 42.0 {
        assert!(begun.elapsed() < Duration::from_secs(60), "{}", world.played());
        std::thread::yield_now();
    }
    child.kill().unwrap();
    child.wait().unwrap();
    assert_eq!(world.positions(), [(items[0].clone(), 0.0), (items[1].clone(), 42.0)]);
    let mut child =
        world.command(&["queue", "play", &items[1]]).stdout(Stdio::null()).spawn().unwrap();
    while !world.played().contains("--start=+42.0") || world.positions()[1].1 < 84.0 {
        assert!(begun.elapsed() < Duration::from_secs(120), "{}", world.played());
        std::thread::yield_now();
    }
    let stopped = std::process::Command::new("kill").arg(child.id().to_string()).status().unwrap();
    assert!(stopped.success());
    assert_eq!(child.wait().unwrap().code(), Some(130));
    assert_eq!(world.positions()[1].1, 84.0);
    for part in ["\"quit\"", "[\"observe_property\",1,\"time-pos\"]"] {
        assert!(world.played().contains(part), "{part} in {}", world.played());
    }
}

#[test]
fn faulty_players_do_no_harm_and_lose_no_position() {
    for (mode, code, why, position) in [
        ("hostile", 0, "", 7.0),
        ("early", 1, "the episode ended early; its position is kept", 50.0),
        ("dies", 1, "the player exited: exit status: 3", 0.0),
    ] {
        let world = world(mode);
        let items = world.episodes();
        world.run(&["queue", "add", &items[0]]).ok();
        let run = world.run(&["queue", "play"]);
        assert!(run.code == Some(code) && run.err.contains(why), "{mode}: {run:?}");
        assert_eq!(world.positions(), [(items[0].clone(), position)], "{mode}");
    }
    let world = world("waits");
    let items = world.episodes();
    world.run(&["queue", "add", &items[0]]).ok();
    let opened = world.path().join("opened");
    for (player, code, why) in [
        ("[]", 0, "listen.player is empty, so the position is not kept"),
        ("[\"/no/such/player\"]", 1, "/no/such/player is not installed (listen.player)"),
    ] {
        let browser = format!("[\"sh\", \"-c\", \"echo $0 > {}\", \"{{url}}\"]", opened.display());
        world.write("config.toml", &format!("browser = {browser}\n[listen]\nplayer = {player}\n"));
        let run = world.run(&["queue", "play"]);
        assert!(run.code == Some(code) && run.err.contains(why), "{player}: {run:?}");
    }
}

#[test]
fn the_next_episode_plays_after_a_removed_one() {
    let world = world("removed");
    let items = world.episodes();
    world.run(&["queue", "add", &items[0], &items[1]]).ok();
    let child = world.playing(99.0);
    world.run(&["queue", "add", &items[2]]).ok();
    world.run(&["queue", "remove", &items[0]]).ok();
    world.go();
    let played = child.wait_with_output().unwrap();
    let played = String::from_utf8(played.stdout).unwrap();
    let titles: Vec<&str> = played.lines().filter_map(|line| line.split(" (").next()).collect();
    assert_eq!(titles, ["Episode 1", "Episode 2", "Episode 3"]);
    assert_eq!(world.positions(), []);
}

#[test]
fn stores_a_position_only_if_it_has_changed() {
    let world = world("paused");
    let items = world.episodes();
    world.run(&["queue", "add", &items[0]]).ok();
    let child = world.playing(42.0);
    // Another program stores a position, while the player reports no newer one.
    let database = rusqlite::Connection::open(world.path().join("data/newsfed.db")).unwrap();
    database.busy_timeout(Duration::from_secs(60)).unwrap();
    assert_eq!(database.execute("UPDATE episode SET position = 7", []).unwrap(), 1);
    world.go();
    assert!(child.wait_with_output().unwrap().status.success());
    assert_eq!(world.positions(), [(items[0].clone(), 7.0)]);
}
