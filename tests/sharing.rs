//! The TUI, the daemon, refreshes and marks from the command line use the same database concurrently: one
//! process polls, no operation fails because the database is locked, and no write is lost.
//!
//! Not part of the default test run. Run with `cargo test --test sharing`. `NEWSFED_SECONDS` is the duration
//! (default 20).

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that cannot continue should fail")]
#![allow(clippy::print_stdout, reason = "prints measurements")]

#[path = "tui/term.rs"]
#[allow(dead_code, reason = "shared with the tests of the interface")]
mod term;
#[path = "tui/world.rs"]
#[allow(dead_code, reason = "shared with the tests of the interface")]
mod world;

use newsfed::demo::server::{Reply, ScriptedRequest, Server};
use serde_json::Value;
use std::collections::HashSet;
use std::process::{Child, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};
use world::World;

/// Number of feeds, each on its own host.
const FEEDS: u8 = 10;
/// Number of entries in each response; one of them is new.
const ENTRIES: u64 = 50;

fn feed(request: &ScriptedRequest, fetches: &[AtomicU64]) -> Reply {
    let number: usize = request.path[2..].parse().unwrap();
    let newest = fetches[number].fetch_add(1, Ordering::SeqCst) + ENTRIES;
    let item = |n: u64| {
        format!(
            "<item><title>Entry {n} of {number}</title><guid>{number}-{n}</guid>\
             <link>http://s.example/{number}/{n}</link><description>{}</description></item>",
            "text ".repeat(200)
        )
    };
    let items: String = (newest - ENTRIES..newest).rev().map(item).collect();
    let channel = format!("<channel><title>Feed {number}</title>{items}</channel>");
    Reply::ok("application/rss+xml", format!("<rss version=\"2.0\">{channel}</rss>"))
}

/// A running daemon; dropping it kills the process.
struct Daemon(Child);

impl Daemon {
    fn start(world: &World) -> Self {
        let mut command = world.command();
        command.args([
            "daemon",
            "--set",
            "schedule.interval=1m",
            "--set",
            "schedule.min_interval=1m",
        ]);
        let mut this = Self(command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap());
        // The lock file contains the process id of its owner.
        let (lock, own) = (world.path("data/newsfed.lock"), this.0.id().to_string());
        while std::fs::read_to_string(&lock).unwrap() != own {
            assert_eq!(this.0.try_wait().unwrap(), None, "no other process polls");
            std::thread::yield_now();
        }
        this
    }

    /// Stops the daemon and waits until it exits.
    fn stop(mut self) {
        let pid = self.0.id().to_string();
        std::process::Command::new("kill").arg(&pid).status().unwrap();
        assert!(self.0.wait().unwrap().success());
    }
}

impl Drop for Daemon {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Runs the program, and checks that its output does not mention locks.
fn run(world: &World, args: &[&str]) -> (Option<i32>, String, String) {
    let output = world.command().args(args).output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    let (out, err) = (text(output.stdout), text(output.stderr));
    assert!(!err.contains("locked") && !err.contains("for too long"), "{args:?}: {err}");
    (output.status.code(), out, err)
}

fn items(world: &World) -> Vec<Value> {
    let (code, out, err) = run(world, &["list", "--json", "--limit", "0"]);
    assert_eq!(code, Some(0), "{err}");
    out.lines().map(|l| serde_json::from_str(l).unwrap()).collect()
}

/// The number of pinned items in the Sources pane.
fn pinned(screen: &str) -> u64 {
    let row = &screen[screen.find("Pinned ").unwrap_or(screen.len())..];
    row.split_whitespace().nth(1).and_then(|number| number.parse().ok()).unwrap_or(0)
}

#[test]
fn one_process_polls_and_all_write() {
    let seconds = std::env::var("NEWSFED_SECONDS").ok().and_then(|v| v.parse().ok()).unwrap_or(20);
    let fetches: Arc<[AtomicU64]> = (0..FEEDS).map(|_| AtomicU64::new(0)).collect();
    let counts = fetches.clone();
    let ips: Vec<_> = (1..=FEEDS).map(|n| [127, 0, 3, n].into()).collect();
    let server = Server::start_on(&ips, move |request| feed(request, &fetches)).unwrap();
    let urls: Vec<_> =
        (0..).zip(&ips).map(|(n, ip)| server.url_on(*ip, &format!("/f{n}"))).collect();
    let world = World::following(server, urls);
    assert_eq!(run(&world, &["sync"]).0, Some(0));
    let mut daemon = Daemon::start(&world);
    let end = Instant::now() + Duration::from_secs(seconds);
    let mut random = fastrand::Rng::with_seed(1);
    let (mut read, mut refused, mut refreshed, mut keys) = (HashSet::new(), 0, 0, 0);
    while Instant::now() < end {
        let mut panes = world.open(110, 30);
        panes.wait_for("checked by another newsfed");
        panes.wait_for("unread");
        // The daemon polls half of the time. In the other half, two refreshes compete, unless the TUI takes
        // over first.
        let (code, _, err) = run(&world, &["sync", "--force"]);
        assert_eq!(code, Some(1), "{err}");
        assert!(err.contains(&format!("process {}", daemon.0.id())), "{err}");
        refused += 1;
        daemon.stop();
        let start = |args: &[&str]| {
            let mut command = world.command();
            command.args(args).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
        };
        let both = [start(&["sync", "--force"]), start(&["sync", "--force"])];
        let known = items(&world);
        for _ in 0..3 {
            let number = known[random.usize(..known.len())]["number"].to_string();
            assert_eq!(run(&world, &["read", &number]).0, Some(0));
            read.insert(number);
            let before = pinned(&panes.screen());
            panes.send(&("j".repeat(random.usize(..20)) + "p"));
            panes.wait_until("another number of pins", |s| pinned(s) != before);
            keys += 1;
        }
        let codes: Vec<_> = both.map(|mut child| child.wait().unwrap().code()).into();
        if !codes.contains(&Some(0)) {
            panes.wait_gone("checked by another newsfed");
        }
        assert!(codes.iter().all(|c| matches!(c, Some(0 | 1))), "{codes:?}");
        refreshed += codes.iter().filter(|c| **c == Some(0)).count();
        panes.send("Q");
        assert_eq!(panes.exit_code(), 0);
        daemon = Daemon::start(&world);
    }
    daemon.stop();
    let items = items(&world);
    // Every entry is stored once. Entries sent to a stopped daemon may be missing until the next poll.
    assert_eq!(run(&world, &["sync", "--force"]).0, Some(0));
    let all = self::items(&world);
    let titles: HashSet<_> = all.iter().map(|i| i["title"].to_string()).collect();
    assert_eq!(titles.len(), all.len(), "no item is there twice");
    let sent: u64 = counts.iter().map(|c| c.load(Ordering::SeqCst) - 1 + ENTRIES).sum();
    assert_eq!(titles.len() as u64, sent, "nothing was lost");
    for item in &all {
        let number = item["number"].to_string();
        assert!(item["read"] == true || !read.contains(&number), "a mark was lost: {item}");
    }
    let pins = items.iter().filter(|i| i["pinned"] == true).count() as u64;
    let mut panes = world.open(110, 30);
    panes.wait_until("all pins", |s| pinned(s) == pins);
    panes.send("Q");
    assert_eq!(panes.exit_code(), 0);
    let log: String = std::fs::read_dir(world.path("data/log"))
        .unwrap()
        .map(|f| std::fs::read_to_string(f.unwrap().path()).unwrap())
        .collect();
    assert!(!log.contains("locked") && !log.contains("for too long"), "{log}");
    let (_, doctor, _) = run(&world, &["doctor"]);
    assert!(doctor.contains("no errors found"), "{doctor}");
    println!(
        "{} items, {} read, {pins} pinned of {keys} keys; {refreshed} refreshes, {refused} rejected",
        all.len(),
        read.len()
    );
}
