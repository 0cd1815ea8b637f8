//! Stories: `cargo bench --bench stories -- FOLDER [--all]`. The example `fill` with `--no-index` creates the
//! folder.
//!
//! Adds items to a copy of the database and indexes them as the background task does. One in ten has the
//! title and text of an item of another source. The first run uses dates of a month ago, for which no stories
//! are found, and the second uses today's dates: the difference is the cost of stories. `--all` moves the
//! stored items to these dates instead of adding items. At the end, lists are read with stories folded and
//! unfolded. Linux only.
#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "a bench")]

#[path = "../examples/fill/prose.rs"]
#[allow(dead_code, reason = "the example uses more of it")]
mod prose;

use chrono::{TimeDelta, Utc};
use newsfed::model::{Entry, Outcome, PollRecord, Time};
use newsfed::store::{Anchor, Criteria, FinishedPoll, Scope, Store, View, prepare};
use prose::Prose;
use rusqlite::Connection;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Number of new items.
const NEW: usize = 20_000;
/// Number of new items per source.
const PER_SOURCE: usize = 20;
/// One in this many new items is a copy.
const COPIED: usize = 10;
const ROUNDS: usize = 5;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let folder = arguments.iter().find(|a| !a.starts_with('-')).map(PathBuf::from);
    let Some(data) = folder else {
        println!("usage: cargo bench --bench stories -- FOLDER [--all]");
        return;
    };
    let all = arguments.iter().any(|a| a == "--all");
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let mut costs = Vec::new();
    let copy = tempfile::tempdir_in(&data).unwrap();
    let path = copy.path().join("newsfed.db");
    for days in [30, 0] {
        std::fs::copy(data.join("newsfed.db"), &path).unwrap();
        for end in ["-wal", "-shm"] {
            let _ = std::fs::remove_file(copy.path().join(format!("newsfed.db{end}")));
        }
        Store::open(&path).unwrap().close();
        if all {
            move_dates(&path, days);
        } else {
            Connection::open(&path).unwrap().execute("DELETE FROM unindexed", []).unwrap();
            add_items(&path, days, &runtime);
        }
        costs.push(index(&path, days, &runtime));
    }
    println!("stories: {:.0} us an item", costs[1] - costs[0]);
    read_lists(&path);
}

/// Moves all items to the week that ended `days` days ago, and queues them for the index.
fn move_dates(path: &Path, days: i64) {
    let conn = Connection::open(path).unwrap();
    let now = Utc::now().timestamp();
    conn.execute(
        "UPDATE item SET discovered = ?1, date = ?1 - ?2 - key * 7919 % 500000",
        [now, days * 86_400],
    )
    .unwrap();
    conn.execute("INSERT OR IGNORE INTO unindexed SELECT key FROM item", []).unwrap();
}

fn add_items(path: &Path, days: i64, runtime: &tokio::runtime::Runtime) {
    let store = Store::open(path).unwrap();
    let hashing = store.hashing_blocking().unwrap();
    let sources = store.reader().unwrap().sources().unwrap();
    let mut prose = Prose::new(7);
    let mut texts: Vec<(String, String)> = Vec::new();
    let now = Utc::now();
    for n in 0..NEW / PER_SOURCE {
        let source = sources[n % sources.len()].key;
        let mut entry = |i: usize| {
            if texts.len() < PER_SOURCE || !i.is_multiple_of(COPIED) {
                texts.push((prose.title(), prose.body()));
            }
            let last = texts.len() - 1;
            let (title, body) =
                &texts[if i.is_multiple_of(COPIED) { last.saturating_sub(30) } else { last }];
            Entry {
                guid: Some(format!("new-{n}-{i}")),
                title: title.clone(),
                url: Some(format!("https://site{source}.example/new-{n}-{i}")),
                published: Some(now - TimeDelta::days(days) - TimeDelta::minutes(n as i64)),
                content: Some(body.clone()),
                ..Entry::default()
            }
        };
        let entries = prepare((0..PER_SOURCE).map(&mut entry).collect(), &hashing);
        runtime.block_on(store.store_poll(poll(source, entries, now))).unwrap();
    }
    store.close();
}

fn poll(source: i64, entries: Vec<newsfed::store::Prepared>, at: Time) -> FinishedPoll {
    FinishedPoll {
        pages: None,
        source,
        automatic: true,
        entries: Some(entries),
        record: PollRecord {
            at,
            status: Some(200),
            millis: 1,
            requests: 1,
            bytes: 1,
            outcome: Outcome::Unchanged,
            repairs: Vec::new(),
            left_out: Vec::new(),
        },
        finish: Box::new(|_, _| {}),
    }
}

/// Indexes the queued items. Returns the CPU time per item, in microseconds.
fn index(path: &Path, days: i64, runtime: &tokio::runtime::Runtime) -> f64 {
    let (items, before): (f64, f64) = {
        let conn = Connection::open(path).unwrap();
        let count = |sql: &str| conn.query_row(sql, [], |r| r.get(0)).unwrap();
        (count("SELECT CAST(count(*) AS REAL) FROM unindexed"), length(path))
    };
    let store = Store::open(path).unwrap();
    let (cpu, start, mut slowest) = (processor_time(), Instant::now(), Duration::ZERO);
    loop {
        let step = Instant::now();
        if runtime.block_on(store.index_step()).unwrap().is_none() {
            break;
        }
        slowest = slowest.max(step.elapsed());
    }
    let each = (processor_time() - cpu) * 1e6 / items;
    store.close();
    let conn = Connection::open(path).unwrap();
    let count = |sql: &str| -> i64 { conn.query_row(sql, [], |r| r.get(0)).unwrap() };
    println!(
        "{items} items of {days} days ago: {each:.0} us CPU, {:.0} bytes larger each; {:.1?}, slowest batch {slowest:.0?}; \
         {} items in {} stories, {} keys",
        (length(path) - before) / items,
        start.elapsed(),
        count("SELECT count(*) FROM story_item"),
        count("SELECT count(DISTINCT story) FROM story_item"),
        count("SELECT count(*) FROM story_key"),
    );
    each
}

fn read_lists(path: &Path) {
    let reader = Store::open(path).unwrap().reader().unwrap();
    let source = reader.sources().unwrap()[0].key;
    let views = [
        ("all", View::of(Scope::All)),
        ("unread", View { unread_only: true, ..View::of(Scope::All) }),
        ("a source", View::of(Scope::Sources(vec![source]))),
    ];
    for (name, view) in views {
        for fold in [false, true] {
            let view = View { fold, ..view.clone() };
            let window = time(|| drop(reader.window(&view, Anchor::First, 60).unwrap()));
            let count = time(|| assert!(reader.count(&view).is_ok()));
            println!("{name}, folded {fold}: 60 rows in {window:.1?}, counted in {count:.1?}");
        }
    }
    for query in ["is:duplicate", "has:duplicate", "-is:duplicate"] {
        let criteria = Criteria::new(&query.parse().unwrap(), chrono::Local::now(), |_| vec![]);
        let view = View { criteria, ..View::of(Scope::All) };
        let window = time(|| drop(reader.window(&view, Anchor::First, 60).unwrap()));
        println!("{query}: 60 rows in {window:.1?}");
    }
}

/// The median time of several runs.
fn time(work: impl Fn()) -> Duration {
    let run = |_| {
        let start = Instant::now();
        work();
        start.elapsed()
    };
    let mut times: Vec<Duration> = (0..ROUNDS).map(run).collect();
    times.sort_unstable();
    times[ROUNDS / 2]
}

fn length(path: &Path) -> f64 {
    std::fs::metadata(path).unwrap().len() as f64
}

/// CPU time of this process in seconds.
fn processor_time() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap();
    let fields: Vec<&str> = stat.rsplit(") ").next().unwrap().split(' ').collect();
    fields[11..13].iter().map(|n| n.parse::<f64>().unwrap()).sum::<f64>() / 100.0
}
