//! Response times of the interface: `cargo bench --bench tui -- DIR...`. The example `fill` creates the
//! folders.
//!
//! `cargo bench --bench tui -- workbench` measures the selector workbench instead, on a page of 500 KB with
//! 3,000 elements.
//!
//! Times are medians of five runs, from the key press to the last byte of the output. Run it alone on an idle
//! machine. The refresh at the end adds items to the databases.
#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stdout, reason = "a bench")]

mod list_page;
mod term;
mod workbench;

use newsfed::demo::server::{Reply, Server};
use newsfed::store::{Anchor, Scope, Store, View};
use std::path::{Path, PathBuf};
use std::time::Duration;
use term::Term;

const ROUNDS: usize = 5;
/// Number of key presses for the percentiles.
const KEYS: usize = 300;
const DOWN: &str = "j";
const PAGE_DOWN: &str = "\x1b[6~";

fn main() {
    if std::env::args().any(|a| a == "workbench") {
        workbench::keystrokes();
        return;
    }
    let folders: Vec<PathBuf> =
        // The paths must be absolute, because the program is started in another folder.
        std::env::args().skip(1).filter_map(|a| std::fs::canonicalize(a).ok()).collect();
    if folders.is_empty() {
        println!("usage: cargo bench --bench tui -- FOLDER...   (written by the example fill)");
    }
    for data in &folders {
        println!("{}", data.display());
        starts(data);
        keys(data, &data.join("config"), "keys", |_| {});
        during_refresh(data);
    }
}

/// The beginning of the first title in the list, as displayed.
fn first_title(data: &Path) -> String {
    let store = Store::open(&data.join("newsfed.db")).unwrap();
    let view = View { unread_only: true, ..View::of(Scope::All) };
    let window = store.reader().unwrap().window(&view, Anchor::First, 1).unwrap();
    window.rows[0].title.chars().take(12).collect()
}

fn starts(data: &Path) {
    let title = first_title(data);
    let names = ["first list", "all items", "source", "folder", "page down", "last item", "search"];
    let mut times: Vec<Vec<Duration>> = vec![Vec::new(); names.len()];
    let (mut resident, mut idle) = (Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        let mut term = Term::open(data, &data.join("config"));
        times[0].push(term.until_shown(&title));
        std::thread::sleep(Duration::from_millis(1500));
        resident.push(term.memory("VmRSS"));
        let before = term.cpu();
        std::thread::sleep(Duration::from_secs(3));
        idle.push(term.cpu() - before);
        // Goes to the Sources pane, then to "Today", then down the list.
        term.press("\x1b[Z");
        term.press(DOWN);
        let mut note = |i: usize, answer: term::Answer| times[i].push(answer.complete);
        note(1, term.press(DOWN));
        term.press(DOWN);
        note(2, term.press(DOWN));
        note(3, term.press("k"));
        term.press("kk");
        term.press("kk");
        term.press("\t");
        note(4, term.press(PAGE_DOWN));
        note(5, term.press("G"));
        term.press("/");
        // Frequent letters: the worst case of a search while typing.
        for letter in ["k", "a"] {
            term.tap(letter);
        }
        note(6, term.press("l"));
        if std::env::var_os("SHOW").is_some() {
            println!("{}", term.screen());
        }
        term.press("\x1b");
    }
    for (name, times) in names.iter().zip(&mut times) {
        times.sort();
        println!("  {name:<22}{:>9.1} ms", millis(times[ROUNDS / 2]));
    }
    resident.sort_unstable();
    idle.sort();
    println!("  {:<22}{:>9.1} MB", "resident", resident[ROUNDS / 2] as f64 / 1024.0);
    println!("  {:<22}{:>9.2} ms", "CPU in 3 idle s", millis(idle[ROUNDS / 2]));
}

/// Percentiles of the response times of single key presses, at the key repeat rate.
fn keys(data: &Path, config: &Path, what: &str, before: impl FnOnce(&mut Term)) {
    let mut term = Term::open(data, config);
    std::thread::sleep(Duration::from_millis(1500));
    before(&mut term);
    let mut times: Vec<Duration> = (0..KEYS)
        .map(|_| {
            std::thread::sleep(Duration::from_millis(33));
            term.tap(DOWN)
        })
        .collect();
    times.sort();
    let [p50, p99] = [KEYS / 2, KEYS * 99 / 100].map(|i| millis(times[i]));
    let most = term.memory("VmHWM") as f64 / 1024.0;
    println!("  {what:<22}{p50:>9.1} ms p50, {p99:.1} ms p99, at most {most:.1} MB");
}

/// The same measurement during a refresh in which each source has 30 new items.
fn during_refresh(data: &Path) {
    let hosts: Vec<_> = (1..=50).map(|n| [127, 0, 3, n].into()).collect();
    let stamp = std::time::SystemTime::UNIX_EPOCH.elapsed().unwrap().as_secs();
    let server = Server::start_on(&hosts, move |request| {
        Reply::ok("application/rss+xml", feed(&request.path, stamp))
            .after(Duration::from_millis(50))
    })
    .unwrap();
    let config = tempfile::tempdir().unwrap();
    let declared = std::fs::read_to_string(data.join("config/sources.toml")).unwrap();
    let mut next = hosts.iter().cycle();
    let addressed: Vec<String> = declared
        .split("http://127.0.0.1:9/")
        .map(|part| format!("{part}{}", server.url_on(*next.next().unwrap(), "/")))
        .collect();
    let mut addressed = addressed.concat();
    addressed.truncate(addressed.rfind("http://").unwrap());
    std::fs::write(config.path().join("sources.toml"), addressed).unwrap();
    // All URLs are new, so every source is due at once.
    keys(data, config.path(), "keys during a refresh", |_| {});
    println!("  {:<22}{:>9} requests", "", server.requests().len());
}

fn feed(path: &str, stamp: u64) -> String {
    let item = |n: usize| {
        format!(
            "<item><title>New item {n} of {path}</title><guid>{stamp}-{n}</guid>\
             <link>http://site.example{path}/{stamp}/{n}</link><description>{}</description></item>",
            "Words of a body that is not long. ".repeat(60)
        )
    };
    let items: String = (0..30).map(item).collect();
    format!("<rss version=\"2.0\"><channel><title>Feed {path}</title>{items}</channel></rss>")
}

fn millis(time: Duration) -> f64 {
    time.as_secs_f64() * 1000.0
}
