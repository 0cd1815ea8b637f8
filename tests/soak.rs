//! Simulates a day with a thousand sources on a fake clock, with real HTTP on loopback and a real database.
//! Memory use and open files must not grow, the write-ahead log must stay small, and no item may be missed.
//!
//! Not part of the default test run. Run with `cargo test --test soak`. `NEWSFED_SOURCES` (default 1,000) and
//! `NEWSFED_HOURS` (default 24) set the size.

#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, reason = "a test that cannot continue should fail")]
#![allow(clippy::print_stdout, reason = "prints measurements")]

use newsfed::config::{NetSettings, Paths, Settings, load};
use newsfed::demo::server::{Reply, ScriptedRequest, Server};
use newsfed::engine::{Engine, Handle};
use newsfed::model::{Source, SourceId, Time};
use newsfed::net::Names;
use newsfed::store::{Anchor, Scope, Store, View};
use newsfed::util::clock::{Clock, FakeClock};
use std::collections::HashSet;
use std::net::IpAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Number of hosts that serve the sources.
const HOSTS: usize = 100;
/// Number of entries in each response.
const ENTRIES: i64 = 20;
/// Number of hours after which memory should not grow: everything was used once, and the server's record of
/// requests is full.
const WARM: i64 = 11;
const PATIENCE: Duration = Duration::from_secs(60);

fn variable(name: &str, usual: usize) -> usize {
    std::env::var(name).ok().and_then(|v| v.parse().ok()).unwrap_or(usual)
}

/// The hours between two new items of a feed: one, three, or so many that there are none.
fn pace(number: usize) -> i64 {
    [1, 3, 100_000][number % 3]
}

/// The number of a feed's newest item after this many hours.
fn newest(number: usize, hours: i64) -> i64 {
    ENTRIES - 1 + hours / pace(number)
}

fn answer(request: &ScriptedRequest, hours: i64) -> Reply {
    let number: usize = request.path[1..].parse().unwrap();
    let newest = newest(number, hours);
    let etag = format!("\"{newest}\"");
    if request.header("if-none-match") == Some(etag.as_bytes()) {
        return Reply::status(304).header("etag", etag);
    }
    let item = |n: i64| {
        format!(
            "<item><title>Entry {n} of {number}</title><guid>{number}-{n}</guid>\
             <link>http://s.example/{number}/{n}</link><description>{}</description></item>",
            "text of a usual length ".repeat(40)
        )
    };
    let items: String = (newest - ENTRIES + 1..=newest).rev().map(item).collect();
    let channel = format!("<channel><title>Feed {number}</title>{items}</channel>");
    Reply::ok("application/rss+xml", format!("<rss version=\"2.0\">{channel}</rss>"))
        .header("etag", etag)
}

/// Resident memory of this process, in KiB.
fn resident() -> usize {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find(|l| l.starts_with("VmRSS")).unwrap();
    line.split_whitespace().nth(1).unwrap().parse().unwrap()
}

/// Number of files opened by the engine (its database, sockets and so on), but not by the server.
fn open_files() -> usize {
    std::fs::read_dir("/proc/self/fd").unwrap().count()
}

/// Waits until no poll is running; returns the time of the next poll.
async fn settled(engine: &Handle) -> Time {
    let mut status = engine.status();
    let idle = status.wait_for(|s| s.total == 0 && s.next.is_some());
    tokio::time::timeout(PATIENCE, idle).await.unwrap().unwrap().next.unwrap()
}

/// Waits until all texts are indexed.
async fn indexed(engine: &Handle) {
    while engine.store().index_step().await.unwrap().is_some() {}
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_day_of_polls_leaks_nothing() {
    let (sources, hours) =
        (variable("NEWSFED_SOURCES", 1000), variable("NEWSFED_HOURS", 24) as i64);
    let begun = Time::from_timestamp(1_800_000_000, 0).unwrap();
    let clock = FakeClock::new(begun);
    let ips: Vec<IpAddr> = (1..=HOSTS as u8).map(|n| [127, 0, 4, n].into()).collect();
    let now = clock.clone();
    let server =
        Server::start_on(&ips, move |r| answer(r, (now.now() - begun).num_hours())).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let paths = Paths::below(folder.path());
    std::fs::create_dir_all(paths.data_dir()).unwrap();
    let declared: Vec<Source> = (0..sources)
        .map(|n| {
            let url = server.url_on(ips[n % HOSTS], &format!("/{n}"));
            Source::feed(SourceId(format!("s{n}")), url.parse().unwrap())
        })
        .collect();
    newsfed::config::SourcesFile::open(&paths).add(&declared).unwrap();
    let net = NetSettings { host_delay: Duration::ZERO, ..NetSettings::default() };
    let engine = Engine {
        names: Names::System,
        store: Store::open(&paths.database()).unwrap(),
        settings: Settings { net, ..Settings::default() },
        sources: load(&paths, &[]).unwrap().sources,
        paths: paths.clone(),
        overrides: Vec::new(),
        clock: Arc::new(clock.clone()),
        seed: 7,
        follow: true,
    };
    let engine = engine.start().await.unwrap();
    let log = paths.database().with_extension("db-wal");
    let (start, mut wal, mut hour) = (Instant::now(), 0, 0);
    let (mut warm, mut most) = ((0, 0), (0, 0));
    server.received(sources).await;
    loop {
        let next = settled(&engine).await;
        wal = wal.max(std::fs::metadata(&log).map_or(0, |m| m.len()));
        let passed = (clock.now() - begun).num_hours();
        if passed > hour {
            hour = passed;
            indexed(&engine).await;
            let now = (resident(), open_files());
            println!("hour {hour}: {} KiB resident, {} files open, log {wal} bytes", now.0, now.1);
            if hour <= WARM {
                warm = (warm.0.max(now.0), warm.1.max(now.1));
            } else {
                most = (most.0.max(now.0), most.1.max(now.1));
            }
        }
        if hour >= hours {
            break;
        }
        // The clock advances in steps of at least a minute, like the main loop of a busy machine.
        clock.set(next.max(clock.now() + Duration::from_secs(60)));
        // The main loop wakes up automatically. All running polls have ended, because `settled` waits for
        // them.
        let mut status = engine.status();
        let woken = status.wait_for(|s| s.next != Some(next) || s.total > 0);
        tokio::time::timeout(PATIENCE, woken).await.unwrap().unwrap();
    }
    // Polls each source once more, so that the items of the last hours are included.
    clock.advance(Duration::from_secs(3 * 3600));
    let mut status = engine.status();
    let woken = status.wait_for(|s| s.total > 0);
    tokio::time::timeout(PATIENCE, woken).await.unwrap().unwrap();
    settled(&engine).await;
    let reader = engine.store().reader().unwrap();
    let rows = reader.window(&View::of(Scope::All), Anchor::First, 1_000_000).unwrap().rows;
    let found: HashSet<String> = rows.iter().map(|row| row.title.clone()).collect();
    assert_eq!(found.len(), rows.len(), "no item is there twice");
    for number in 0..sources {
        for n in 0..=newest(number, hours) {
            let title = format!("Entry {n} of {number}");
            assert!(found.contains(&title), "{title} was missed");
        }
    }
    println!(
        "{} items in {} s; resident {} KiB after {WARM} hours, {} KiB at most later; \
         {} and {} files open; log of the database at most {wal} bytes",
        rows.len(),
        start.elapsed().as_secs(),
        warm.0,
        most.0,
        warm.1,
        most.1
    );
    // Memory varies by 5 % from run to run because of the allocator. A leak of 1 KiB per poll would add 30 %.
    assert!(most.0 * 100 < warm.0 * 110, "memory grows");
    assert!(most.1 <= warm.1, "open files grow");
    assert!(wal < 64 << 20, "the log of the database grows");
    engine.shutdown().await;
}
