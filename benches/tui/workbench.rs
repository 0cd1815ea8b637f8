//! Response times of keys in the selector workbench, on a long list page.

use super::list_page::list_page;
use super::millis;
use super::term::Term;
use newsfed::demo::server::{Reply, Server};
use std::time::Duration;

/// A selector that is typed and deleted again, key by key.
const TYPED: &str = " article .card-title > a";
const ROUNDS: usize = 8;
const BACKSPACE: &str = "\x7f";

/// Prints the time from each key press to the last byte of the updated preview.
pub(crate) fn keystrokes() {
    let page = list_page();
    println!("a page of {} KB with {} elements", page.len() / 1000, page.matches("</").count());
    let list = page.clone();
    let server = Server::start(move |request| match request.path.as_str() {
        "/news" => Reply::ok("text/html", list.clone()),
        _ => Reply::status(404),
    })
    .unwrap();
    let folder = tempfile::tempdir().unwrap();
    let (config, data) = (folder.path().join("config"), folder.path().join("data"));
    std::fs::create_dir_all(&config).unwrap();
    let entry = format!(
        "[[source]]\nid = \"news\"\nurl = \"{}\"\nkind = \"website\"\nwebsite.articles = \"main\"\n\
         website.title = \"h1\"\nwebsite.content = \"article\"\n",
        server.url("/news")
    );
    std::fs::write(config.join("sources.toml"), entry).unwrap();
    let mut term = Term::open(&data, &config);
    term.until_shown("Items");
    std::thread::sleep(Duration::from_millis(1500));
    for key in ["\x1b[Z", "G", "W"] {
        term.press(key);
    }
    term.until_shown("matched");
    std::thread::sleep(Duration::from_millis(1500));
    term.press("i");
    let mut times = Vec::new();
    for _ in 0..ROUNDS {
        for key in TYPED.chars() {
            times.push(term.press(&key.to_string()).complete);
        }
        for _ in TYPED.chars() {
            times.push(term.press(BACKSPACE).complete);
        }
    }
    assert!(term.screen().contains("1 matched"), "{}", term.screen());
    times.sort();
    let [p50, p95, most] = [times.len() / 2, times.len() * 95 / 100, times.len() - 1];
    let [p50, p95, most] = [p50, p95, most].map(|i| millis(times[i]));
    println!("  keystroke to preview  {p50:>9.1} ms p50, {p95:.1} ms p95, {most:.1} ms at most");
}
