//! Kills the program at random points of refreshes, marking and account synchronisation, and while it serves
//! apps. Afterwards, all acknowledged changes must be there, and the database must be intact.
//!
//! Not part of the default test run. Run with `cargo test --test kill`. `NEWSFED_KILLS` is the number of
//! rounds (default 20), and `NEWSFED_SEED` the seed of the random numbers.

#![allow(clippy::unwrap_used, reason = "a test that cannot continue should fail")]
#![allow(clippy::print_stdout, reason = "prints its seed and measurements")]

#[path = "kill/accounts.rs"]
mod accounts;
#[path = "kill/apps.rs"]
mod apps;
#[allow(dead_code, clippy::panic, reason = "the tests of the engine use all of it")]
#[path = "engine/accounts/server.rs"]
mod reader;

use newsfed::demo::server::{Reply, ScriptedRequest, Server};
use std::collections::HashSet;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// Number of feeds.
const FEEDS: u64 = 12;
/// Number of entries in each response; five of them are new.
const ENTRIES: u64 = 30;

fn variable(name: &str, usual: u64) -> u64 {
    std::env::var(name).ok().and_then(|v| v.parse().ok()).unwrap_or(usual)
}

/// A feed with entries that are new since the last request.
fn feed(request: &ScriptedRequest, fetches: &AtomicU64) -> Reply {
    let first = fetches.fetch_add(1, Ordering::SeqCst) / FEEDS * 5;
    let item = |n: u64| {
        let path = &request.path;
        format!(
            "<item><title>Entry {n} of {path}</title><link>http://s.example{path}/{n}</link>\
             <guid>{path}/{n}</guid><description>{}</description></item>",
            "text ".repeat(200)
        )
    };
    let items: String = (first..first + ENTRIES).map(item).collect();
    Reply::ok(
        "application/rss+xml",
        format!(
            "<rss version=\"2.0\"><channel><title>{}</title>{items}</channel></rss>",
            request.path
        ),
    )
}

struct World {
    folder: tempfile::TempDir,
    _server: Server,
}

impl World {
    fn new() -> Self {
        let fetches = AtomicU64::new(0);
        let server = Server::start(move |request| feed(request, &fetches)).unwrap();
        let folder = tempfile::tempdir().unwrap();
        let world = Self { folder, _server: server };
        let list: String = (0..FEEDS).map(|n| world._server.url(&format!("/f{n}\n"))).collect();
        let file = world.folder.path().join("urls");
        std::fs::write(&file, list).unwrap();
        assert!(
            world
                .command(&["import", "--private", file.to_str().unwrap()])
                .status()
                .unwrap()
                .success()
        );
        world
    }

    fn command(&self, args: &[&str]) -> Command {
        command(self.folder.path(), args)
    }

    fn start(&self, args: &[&str]) -> Child {
        self.command(args).spawn().unwrap()
    }

    fn items(&self) -> Vec<serde_json::Value> {
        items(self.folder.path())
    }
}

/// The program with its settings and database in a folder.
fn command(folder: &Path, args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_newsfed"));
    command.args(args).args(["--set", "net.host_delay=0s"]).env_clear();
    command.env("NEWSFED_CONFIG_DIR", folder.join("config"));
    command.env("NEWSFED_DATA_DIR", folder.join("data"));
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command
}

fn items(folder: &Path) -> Vec<serde_json::Value> {
    let list = ["list", "--json", "--limit", "0"];
    let output = command(folder, &list).stdout(Stdio::piped()).output().unwrap();
    assert!(output.status.success(), "{output:?}");
    let text = String::from_utf8(output.stdout).unwrap();
    text.lines().map(|l| serde_json::from_str(l).unwrap()).collect()
}

/// Panics if the database is damaged.
fn check_database(folder: &Path, what: &str) {
    let doctor = command(folder, &["doctor"]).stdout(Stdio::piped()).output().unwrap();
    let doctor = String::from_utf8(doctor.stdout).unwrap();
    assert!(doctor.contains("MiB, no errors found"), "{what}: {doctor}");
}

/// Kills a process after this time. Returns whether the process exited successfully before that.
fn kill_after(mut child: Child, wait: Duration) -> bool {
    let end = Instant::now() + wait;
    while Instant::now() < end {
        if let Some(status) = child.try_wait().unwrap() {
            return status.success();
        }
        std::thread::yield_now();
    }
    let _ = child.kill();
    child.wait().unwrap().success()
}

#[test]
fn acknowledged_changes_survive_kills() {
    let (rounds, seed) = (variable("NEWSFED_KILLS", 20), variable("NEWSFED_SEED", 1));
    println!("{rounds} rounds, seed {seed}");
    let mut random = fastrand::Rng::with_seed(seed);
    let world = World::new();
    world.command(&["sync", "--force"]).status().unwrap();
    let (mut pinned, mut read, mut known) = (HashSet::new(), HashSet::new(), HashSet::new());
    let mut slowest = Duration::ZERO;
    for round in 0..rounds {
        let refresh = if random.bool() { &["sync", "--force"][..] } else { &["daemon"] };
        let sync = world.start(refresh);
        let items = world.items();
        for _ in 0..2 {
            let number = items[random.usize(..items.len())]["number"].to_string();
            let (verb, marks) =
                if random.bool() { ("pin", &mut pinned) } else { ("read", &mut read) };
            let child = world.start(&[verb, &number]);
            // Only acknowledged changes are required to survive.
            if kill_after(child, Duration::from_micros(random.u64(0..80_000))) {
                marks.insert(number);
            }
        }
        kill_after(sync, Duration::from_micros(random.u64(0..150_000)));
        let start = Instant::now();
        let items = world.items();
        slowest = slowest.max(start.elapsed());
        check_database(world.folder.path(), &format!("round {round}"));
        let urls: HashSet<String> = items.iter().map(|i| i["url"].to_string()).collect();
        assert_eq!(urls.len(), items.len(), "round {round}: an item is there twice");
        assert!(known.is_subset(&urls), "round {round}: an item is gone");
        known = urls;
        for item in &items {
            let number = item["number"].to_string();
            assert!(item["pinned"] == true || !pinned.contains(&number), "round {round}: {item}");
            assert!(item["read"] == true || !read.contains(&number), "round {round}: {item}");
        }
    }
    println!(
        "{} items, {} pinned, {} read, next start at most {} ms",
        known.len(),
        pinned.len(),
        read.len(),
        slowest.as_millis()
    );
    assert!(known.len() as u64 >= FEEDS * ENTRIES);
}
