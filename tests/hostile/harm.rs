//! Harm that hostile input must not do: misaligned columns, shell commands, or excessive memory use.

use super::corpus::{ALL, Corpus, run};
use super::term::{Term, key, unread_on};
use serde_json::Value;
use std::collections::BTreeMap;
use std::process::Command;

/// Panics if a vertical border of the interface is not straight, because then the program and the terminal
/// emulator disagree about the width of some text to the left of it.
fn assert_straight(t: &Term, what: &str) {
    t.settle();
    let rows = t.cells();
    let mut lines: BTreeMap<usize, usize> = BTreeMap::new();
    // The rows between the titles and the lower edge.
    let body = &rows[2..rows.len() - 2];
    for (column, _) in body.iter().flat_map(|r| r.iter().enumerate()).filter(|(_, c)| *c == "│") {
        *lines.entry(column).or_default() += 1;
    }
    let straight: Vec<_> = lines.iter().filter(|(_, n)| **n * 2 > body.len()).collect();
    for (column, count) in &straight {
        assert_eq!(**count, body.len(), "{what}: column {column}\n{}", t.screen());
    }
    if !straight.is_empty() {
        return;
    }
    // Without a second pane, the last column contains ages.
    let age = |row: &Vec<String>| row.windows(3).rposition(|cells| cells == ["n", "o", "w"]);
    let ages: Vec<usize> = body.iter().filter_map(age).collect();
    let same = ages.windows(2).all(|pair| pair[0] == pair[1]);
    assert!(same && ages.len() > 3, "{what}: ages at {ages:?}\n{}", t.screen());
}

#[test]
fn rows_keep_their_width() {
    let Some(corpus) = Corpus::make() else { return };
    let cases = corpus.of_kind("feed").filter(|c| c.class == "unicode");
    let names: Vec<&str> = cases.map(|c| c.name.as_str()).collect();
    let world = corpus.world(names.iter().copied());
    run(&world, &["sync", "--force"], ALL);
    let mut t = world.open(110, 30);
    t.wait_until("all", |screen| unread_on(screen) == names.len());
    t.wait_for("Today");
    assert_straight(&t, "list");
    t.send(key::ENTER);
    for left in (0..names.len()).rev() {
        t.wait_until("read", |s| unread_on(s) == left);
        assert_straight(&t, &format!("article, {left} left"));
        t.send("n");
    }
    t.send("Q");
    assert_eq!(t.exit_code(), 0);
}

#[test]
fn the_browser_receives_exactly_one_web_url() {
    let Some(corpus) = Corpus::make() else { return };
    let world = corpus.world(["urls.xml"].into_iter());
    world.browser_that_writes("opened");
    run(&world, &["sync", "--force"], ALL);
    let list = run(&world, &["list", "--json", "--limit", "0"], ALL).stdout;
    let mut opened = 0;
    for line in String::from_utf8(list).unwrap().lines() {
        let item: Value = serde_json::from_str(line).unwrap();
        let output = run(&world, &["open", &item["number"].to_string()], ALL);
        if item["url"].is_null() {
            assert_eq!(output.status.code(), Some(1), "{item}");
            continue;
        }
        world.wait_for_file("opened");
        let argv = world.read("opened");
        std::fs::remove_file(world.path("opened")).unwrap();
        let address = argv.strip_prefix("1 ").and_then(|a| a.strip_suffix('\n'));
        let address = address.unwrap_or_else(|| panic!("{item}: {argv}"));
        assert!(address.starts_with("http://") || address.starts_with("https://"), "{address}");
        assert!(address.bytes().all(|b| b.is_ascii_graphic()), "{address}");
        opened += 1;
    }
    assert!(opened > 5, "{opened}");
    assert!(!world.path("PWN").exists());
}

/// Runs a program and prints its peak resident memory in KiB.
const PEAK: &str = "import resource, subprocess, sys
subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)";

#[test]
fn no_file_causes_excessive_memory_use() {
    let Some(corpus) = Corpus::make() else { return };
    let mut most = (0, "");
    for case in corpus.cases.iter().filter(|c| matches!(&*c.kind, "feed" | "http-body")) {
        let mut peak = Command::new("python3");
        peak.args(["-c", PEAK, env!("CARGO_BIN_EXE_newsfed"), "parse"])
            .arg(corpus.path(&case.name));
        let said = String::from_utf8(peak.output().unwrap().stdout).unwrap();
        let kib: usize = said.trim().parse().unwrap();
        // A 10 MB file is in memory together with everything that is parsed from it.
        let limit = if case.name == "many-items.xml" { 200 } else { 64 };
        assert!(kib < limit << 10, "{}: {kib} KiB", case.name);
        most = most.max((kib, &case.name));
    }
    println!("at most {} KiB, for {}", most.0, most.1);
}
