//! The text index: `cargo bench --bench index -- DIR`. The example `fill` with `--no-index` creates the
//! folder.
//!
//! Indexes a copy of the database as the background task does after a refresh, and prints the CPU time and
//! the bytes written per item. Then searches as a user types. Linux only.
#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "a bench")]

use newsfed::store::{Anchor, Criteria, Scope, Store, View};
use std::path::PathBuf;
use std::time::{Duration, Instant};

const ROUNDS: usize = 5;
/// The typed texts: prefixes of a word, a whole word, two words.
const TYPED: [&str; 7] = ["k", "ka", "kal", "kalo", "kalomi", "ka lo", "kalo terso"];

fn main() {
    let Some(data) = std::env::args().skip(1).find(|a| !a.starts_with('-')).map(PathBuf::from)
    else {
        println!("usage: cargo bench --bench index -- FOLDER   (written by the example fill)");
        return;
    };
    let copy = tempfile::tempdir_in(&data).unwrap();
    let path = copy.path().join("newsfed.db");
    std::fs::copy(data.join("newsfed.db"), &path).unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let (before, start, size) = (usage(), Instant::now(), length(&path));
    let store = Store::open(&path).unwrap();
    let reader = store.reader().unwrap();
    let items: u32 = reader.sources().unwrap().iter().map(|source| source.items).sum();
    let mut slowest = Duration::ZERO;
    loop {
        let step = Instant::now();
        if runtime.block_on(store.index_step()).unwrap().is_none() {
            break;
        }
        slowest = slowest.max(step.elapsed());
    }
    drop(reader);
    store.close();
    let (wall, after) = (start.elapsed(), usage());
    let each = |total: f64| total / f64::from(items.max(1));
    println!(
        "{items} items: {:.0} us CPU, {:.1} KB written, {:.1} KB larger each; {wall:.1?}, slowest batch {slowest:.0?}",
        each((after.0 - before.0) * 1e6),
        each((after.1 - before.1) / 1e3),
        each((length(&path) as f64 - size as f64) / 1e3),
    );
    let reader = Store::open(&path).unwrap().reader().unwrap();
    for typed in TYPED {
        let now = chrono::Local::now();
        let criteria = Criteria::new(&typed.parse().unwrap(), now, |_| Vec::new());
        let view = View { criteria, ..View::of(Scope::All) };
        let mut times: Vec<Duration> = (0..ROUNDS)
            .map(|_| {
                let start = Instant::now();
                reader.window(&view, Anchor::First, 50).unwrap();
                start.elapsed()
            })
            .collect();
        let first = times[0];
        times.sort_unstable();
        println!("search {typed:?}: {:.1?}, the first time {first:.1?}", times[ROUNDS / 2]);
    }
}

fn length(path: &std::path::Path) -> u64 {
    std::fs::metadata(path).unwrap().len()
}

/// CPU time of this process in seconds, and the number of bytes that it has written.
fn usage() -> (f64, f64) {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap();
    let fields: Vec<&str> = stat.rsplit(") ").next().unwrap().split(' ').collect();
    let ticks: f64 = fields[11..13].iter().map(|n| n.parse::<f64>().unwrap()).sum();
    let io = std::fs::read_to_string("/proc/self/io").unwrap();
    let written = io.lines().find_map(|line| line.strip_prefix("wchar: ")).unwrap();
    (ticks / 100.0, written.parse().unwrap())
}
