//! Compares `--json` output with docs/json.md.

use super::{World, feed};
use newsfed::demo::server::Reply;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

pub(super) const DOCUMENT: &str = include_str!("../../docs/json.md");

/// The keys in a section of the document, and whether each is optional.
pub(super) fn documented(section: &str) -> BTreeMap<String, bool> {
    let start = DOCUMENT.find(&format!("## {section}\n")).expect(section);
    let text = DOCUMENT[start + 3..].split("\n## ").next().unwrap();
    let mut keys = BTreeMap::new();
    for line in text.lines().filter_map(|l| l.strip_prefix("- ")) {
        let names = line.split(':').next().unwrap();
        for name in names.split(", ") {
            let (key, rest) = name.trim_start_matches('`').split_once('`').unwrap();
            keys.insert(key.to_owned(), rest.contains('('));
        }
    }
    assert!(!keys.is_empty(), "{section}");
    keys
}

/// For each command, the sections that describe its output, in the order in which they are tried.
const SECTIONS: &[(&str, &[&str])] = &[
    ("account move", &["Move", "Synchronisation"]),
    ("account sync", &["Synchronisation"]),
    ("account", &["Account", "Synchronisation"]),
    ("add", &["Follow", "Marks"]),
    ("backup", &["Backup"]),
    ("config check", &["Check"]),
    // The formats of these commands are defined by the files.
    ("config schema", &[]),
    ("config show", &[]),
    // This command is described in the section "Others".
    ("parse", &[]),
    ("config path", &["Paths"]),
    ("crawl", &["Crawl", "Crawl result", "Replay"]),
    ("discover", &["Way to follow a URL"]),
    ("doctor", &["Finding"]),
    ("download", &["Download", "Listed download", "Removed download"]),
    ("export", &["Export"]),
    ("extract", &["Article"]),
    ("import", &["Import", "Following a list", "Import of items", "Undone import", "Summary"]),
    ("list", &["Item"]),
    ("machines", &["Mark file"]),
    ("open", &["URL", "Marks"]),
    ("prefetch", &["Prefetched page", "Prefetch"]),
    ("prune", &["Prune", "Removed download"]),
    ("queue", &["Episode in the queue"]),
    ("reread", &["Reread"]),
    ("restore", &["Restore"]),
    ("rules apply", &["Marks", "Summary"]),
    ("rules test", &["Item", "Summary"]),
    ("rules", &["Rule", "Summary", "Marks"]),
    ("run", &["Program", "Program run"]),
    ("save", &["Saved file"]),
    ("schedule advise", &["Advice"]),
    ("schedule simulate", &["Simulation"]),
    ("schedule", &["Schedule"]),
    ("search", &["Item"]),
    ("show", &["Item", "Version", "Difference", "Prefetched page"]),
    ("sources show", &["Source details"]),
    ("sources", &["Source", "Changes to sources"]),
    ("stats", &["Statistics"]),
    ("sync", &["Poll", "Synchronisation", "Summary"]),
    ("views url", &["URL of a view"]),
    ("views", &["View", "Feed of a view"]),
    ("read", &["Marks"]),
    ("unread", &["Marks"]),
    ("pin", &["Marks"]),
];

/// The difference between a value and its section; `None` if there is none.
fn difference(section: &str, value: &Value) -> Option<String> {
    let mut wanted = documented(section);
    if section == "Source details" {
        wanted.extend(documented("Source"));
    }
    let found: BTreeSet<&String> = value.as_object()?.keys().collect();
    let unknown = found.iter().find(|key| !wanted.contains_key(**key));
    let absent = wanted.iter().find(|(key, optional)| !**optional && !found.contains(key));
    unknown
        .map(|key| format!("{section}: {key} is not documented"))
        .or_else(|| absent.map(|(key, _)| format!("{section}: {key} is missing")))
}

/// Checks the `--json` output of every test.
#[track_caller]
pub(super) fn check_run(args: &[&str], out: &str) {
    let words: Vec<&str> = args.iter().copied().filter(|arg| !arg.starts_with('-')).collect();
    // The values of options may precede the command.
    let sections = (0..words.len()).find_map(|at| {
        SECTIONS
            .iter()
            .find(|(command, _)| words[at..].starts_with(&Vec::from_iter(command.split(' '))))
    });
    if let Some((_, [])) = sections {
        return;
    }
    for line in out.lines() {
        let value: Value = serde_json::from_str(line).unwrap_or_else(|e| panic!("{e}: {line}"));
        let (_, sections) = sections.unwrap_or_else(|| panic!("no section for {args:?}: {line}"));
        let differences: Vec<Option<String>> =
            sections.iter().map(|section| difference(section, &value)).collect();
        let Some(at) = differences.iter().position(Option::is_none) else {
            panic!("{args:?}: {differences:?} in {line}");
        };
        check_times(sections[at], &value);
        super::output_schema::check(sections[at], &[value]);
    }
}

#[track_caller]
pub(super) fn check(section: &str, values: &[Value]) {
    let wanted = documented(section);
    assert!(!values.is_empty(), "{section}: nothing printed");
    let mut seen = BTreeSet::new();
    for value in values {
        let found: BTreeSet<&String> = value.as_object().unwrap().keys().collect();
        assert_eq!(difference(section, value), None, "{value}");
        seen.extend(found.into_iter().cloned());
        check_times(section, value);
    }
    assert_eq!(seen, wanted.into_keys().collect(), "{section}: every key appears at least once");
    super::output_schema::check(section, values);
}

/// Checks that all times have the same format: UTC with `Z`, in whole seconds.
fn check_times(section: &str, value: &Value) {
    // The times of an article have the time zone of its page.
    if section == "Article" {
        return;
    }
    match value {
        Value::String(text) => {
            let is_time = chrono::DateTime::parse_from_rfc3339(text).is_ok();
            assert!(!is_time || (text.len() == 20 && text.ends_with('Z')), "{section}: {text}");
        }
        Value::Array(list) => list.iter().for_each(|value| check_times(section, value)),
        Value::Object(map) => map.values().for_each(|value| check_times(section, value)),
        _ => {}
    }
}

#[test]
fn json_matches_the_documentation() {
    let world = World::new(|request| match request.path.as_str() {
        "/kernel.xml" => feed("Kernel", &["one", "two"]),
        "/held.xml" => feed("Held", &["x"]).header("cache-control", "max-age=600"),
        _ => Reply::status(500),
    });
    let run =
        |args: &[&str]| world.run(&[&["--json", "--set", "net.host_delay=0s"], args].concat());
    let url = |path| world.server.url(path);
    let list = [url("/held.xml"), url("/bad"), "exec:x".to_owned()].join("\n");
    check("Import", &world.run_with(&["import", "--private", "--json", "-"], &list).values());
    check("Way to follow a URL", &run(&["discover", &url("/kernel.xml")]).values());
    check("Follow", &run(&["add", &url("/kernel.xml")]).values());
    run(&["sync"]);
    let polls = run(&["sync"]).values();
    let (summary, polls) = polls.split_last().unwrap();
    assert_eq!(polls.len(), 3);
    check("Poll", polls);
    check("Summary", std::slice::from_ref(summary));
    let items = run(&["list"]).values();
    let found = run(&["search", "one"]).values();
    check("Item", &[items.clone(), found].concat());
    let number = items[0]["number"].to_string();
    assert_eq!(run(&["show", &number]).values()[0], items[0], "the same shape everywhere");
    let by_id = run(&["show", items[0]["id"].as_str().unwrap()]).values();
    assert_eq!(by_id[0], items[0]);
    let marks = [&["read", "--dry-run", &number][..], &["read", &number]];
    check("Marks", &marks.map(|args| run(args).values()).concat());
    check("URL", &run(&["open", &number]).values());
    check("Source", &run(&["sources"]).values());
    let full = run(&["sources", "show", "Kernel", "Held"]).values();
    for value in full {
        super::output_schema::check("Source details", std::slice::from_ref(&value));
        let mut value = value;
        let polls = value.as_object_mut().unwrap().remove("polls").unwrap();
        assert_eq!(polls[0]["status"], 200);
        assert_eq!(value.as_object_mut().unwrap().remove("full_text").unwrap(), "on-open");
        assert!(value.as_object_mut().unwrap().remove("feed_has_full_text").unwrap().is_null());
        let dates = value.as_object_mut().unwrap().remove("dates").unwrap();
        assert!(value.as_object_mut().unwrap().remove("changes").unwrap().is_null());
        assert!(dates[0]["from"] == "feed" && dates[0]["confidence"] == "high", "{dates}");
        check("Source", &[value]);
    }
    check("Schedule", &run(&["schedule", "why", "Kernel", "Held"]).values());
    world.followed_for_days(2);
    let simulated = run(&["schedule", "simulate", "--from-db", "--weekly"]).values();
    assert_eq!(simulated[0]["sources"], 2);
    check("Simulation", &simulated);
    check("Advice", &run(&["schedule", "advise"]).values());
    check("Changes to sources", &run(&["sources", "disable", "Kernel"]).values());
    check("Export", &run(&["export"]).values());
    let data = |name: &str| format!("{}/tests/data/import/{name}", env!("CARGO_MANIFEST_DIR"));
    check("Import of items", &run(&["import", "--dry-run", &data("pocket.csv")]).values());
    check("Import of items", &run(&["import", &data("inoreader.json")]).values());
    check("Undone import", &run(&["import", "--undo"]).values());
    let file = world.path().join("b.tar.gz").display().to_string();
    check("Backup", &run(&["backup", &file]).values());
    check("Restore", &run(&["restore", "--check", &file]).values());
    check("Restore", &run(&["restore", "--replace", &file]).values());
    run(&["read", "--all"]);
    check("Statistics", &run(&["stats"]).values());
    check("Prune", &run(&["prune", "--set", "retention.items=1"]).values());
    check("Finding", &run(&["doctor"]).values());
    check("Paths", &run(&["config", "path"]).values());
    check("Check", &run(&["config", "check"]).values());
    let page = include_str!("../data/pages/long_comments.html");
    check("Article", &world.run_with(&["extract", "--json", "-"], page).values());
    assert_eq!(run(&["config", "show"]).values()[0]["net"]["host_delay"], "0s");
}
