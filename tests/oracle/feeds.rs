//! Compares newsfed with feed-rs: newsfed must accept every feed that feed-rs accepts, and find everything
//! that feed-rs finds, except for [`DIFFERENCES`].
//!
//! The feeds are from the project's tests and fuzz seeds, and from the folder in `NEWSFED_ORACLE`.

#![allow(clippy::unwrap_used, clippy::print_stdout)]

use chrono::{DateTime, Utc};
use feed_rs::model::{Entry as Theirs, Feed};
use newsfed::feed::{self, ParsedFeed};
use newsfed::model::Entry as Ours;
use newsfed::util::{html, text};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use url::Url;

/// The base URL for relative URLs.
const BASE: &str = "https://example.org/feed";

/// Intended differences: file, field, and reason.
const DIFFERENCES: &[(&str, &str, &str)] = &[
    ("hostile-text.xml", "title", "newsfed removes invisible characters"),
    ("hostile-text.xml", "url", "newsfed keeps only links to the web"),
    ("rss-entities.xml", "feed title", "newsfed expands the entities that the document declares"),
    ("rss-entities.xml", "title", "newsfed expands the entities that the document declares"),
    ("rss-usual.xml", "authors", "newsfed extracts the name from \"address (name)\""),
];

/// feed-rs recurses for each level, so deeper documents would overflow the stack.
const MAX_DEPTH: usize = 200;

/// The text without markup and with normalised whitespace.
fn plain(markup: &str) -> String {
    let mut out = String::new();
    let mut inside = false;
    for c in html::decode_entities(&html::decode_entities(markup)).chars() {
        match c {
            '<' => inside = true,
            '>' if inside => {
                inside = false;
                out.push(' ');
            }
            c if !inside => out.push(c),
            _ => {}
        }
    }
    text::line(&out).chars().filter(|c| !c.is_whitespace()).collect()
}

fn url(text: &str) -> String {
    Url::parse(BASE).unwrap().join(text.trim()).map_or_else(|_| text.to_owned(), Into::into)
}

type Field = (&'static str, BTreeSet<String>);

fn date(at: Option<DateTime<Utc>>) -> BTreeSet<String> {
    at.map(|at| at.timestamp().to_string()).into_iter().collect()
}

fn theirs(entry: &Theirs) -> Vec<Field> {
    let alternate = |rel: &Option<String>| rel.as_deref().is_none_or(|rel| rel == "alternate");
    let link = entry.links.iter().find(|link| alternate(&link.rel));
    let names =
        entry.authors.iter().filter_map(|p| p.name.as_deref()).map(plain).filter(|n| !n.is_empty());
    vec![
        ("title", entry.title.iter().map(|t| plain(&t.content)).collect()),
        ("url", link.map(|link| url(&link.href)).into_iter().collect()),
        ("published", date(entry.published)),
        ("authors", names.collect()),
        ("categories", entry.categories.iter().map(|c| plain(&c.term)).collect()),
    ]
}

fn ours(entry: &Ours) -> Vec<Field> {
    let both = entry.published.or(entry.updated);
    vec![
        ("title", BTreeSet::from([plain(&entry.title)])),
        ("url", entry.url.iter().map(|u| url(u)).collect()),
        ("published", date(both)),
        ("authors", entry.authors.iter().map(|a| plain(a)).collect()),
        ("categories", entry.categories.iter().map(|c| plain(c)).collect()),
    ]
}

/// The fields and values that feed-rs finds and newsfed does not.
fn disagreements(theirs_all: &Feed, ours_all: &ParsedFeed) -> Vec<(&'static str, String)> {
    let mut out = Vec::new();
    if theirs_all.entries.len() > ours_all.entries.len() {
        let counts = format!("{} and {}", theirs_all.entries.len(), ours_all.entries.len());
        return vec![("entries", counts)];
    }
    let title = theirs_all.title.as_ref().map(|t| plain(&t.content)).filter(|t| !t.is_empty());
    if title.is_some() && title != ours_all.title.as_deref().map(plain) {
        out.push(("feed title", format!("{title:?} and {:?}", ours_all.title)));
    }
    if theirs_all.entries.len() < ours_all.entries.len() {
        // feed-rs skipped entries, so the entries cannot be compared one by one.
        return out;
    }
    for (a, b) in theirs_all.entries.iter().zip(&ours_all.entries) {
        for ((field, a), (_, b)) in theirs(a).into_iter().zip(ours(b)) {
            if a.iter().any(|value| !value.is_empty() && !b.contains(value)) {
                out.push((field, format!("{a:?} and {b:?}")));
            }
        }
    }
    out
}

fn depth(bytes: &[u8]) -> usize {
    // An estimate, which is sufficient to exclude documents with extreme nesting.
    let (mut depth, mut most) = (0usize, 0);
    for pair in bytes.windows(2) {
        match pair {
            [b'<', b'/'] => depth = depth.saturating_sub(1),
            [b'<', b'!' | b'?'] | [b'/', b'>'] => {
                depth = depth.saturating_sub(usize::from(pair[0] == b'/'));
            }
            [b'<' | b'[' | b'{', _] => depth += 1,
            [b']' | b'}', _] => depth = depth.saturating_sub(1),
            _ => {}
        }
        most = most.max(depth);
    }
    most
}

fn files(folder: &Path, out: &mut Vec<PathBuf>) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    for path in entries.map(|entry| entry.unwrap().path()) {
        if path.is_dir() {
            files(&path, out);
        } else if !path.to_string_lossy().ends_with(".expected.json") {
            out.push(path);
        }
    }
}

/// Compares all feeds in a folder. Returns the number of feeds that feed-rs accepts, and the fields that
/// differ: file, field and details.
fn compare(folder: &Path) -> (usize, Vec<(String, &'static str, String)>) {
    let (mut all, mut accepted, mut wrong) = (Vec::new(), 0, Vec::new());
    files(folder, &mut all);
    all.sort();
    for path in all {
        let bytes = std::fs::read(&path).unwrap();
        let name = path.strip_prefix(folder).unwrap().display().to_string();
        if depth(&bytes) > MAX_DEPTH {
            continue;
        }
        // feed-rs panics for some encodings.
        let parsed = std::panic::catch_unwind(|| {
            feed_rs::parser::Builder::new().base_uri(Some(BASE)).build().parse(&*bytes)
        });
        let Ok(Ok(theirs)) = parsed else { continue };
        accepted += 1;
        match feed::parse(&bytes, None, Some(&Url::parse(BASE).unwrap())) {
            Ok(ours) => wrong.extend(
                disagreements(&theirs, &ours).into_iter().map(|(f, d)| (name.clone(), f, d)),
            ),
            Err(e) => wrong.push((name, "accepted", e.to_string())),
        }
    }
    (accepted, wrong)
}

#[test]
fn agrees_with_feed_rs() {
    let project = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut unexpected = Vec::new();
    let mut used = BTreeSet::new();
    for folder in ["tests/data/feeds", "fuzz/seeds/feed"] {
        let (accepted, wrong) = compare(&project.join(folder));
        println!("{folder}: feed-rs accepts {accepted}");
        assert!(accepted > 0, "{folder}");
        for (file, field, details) in wrong {
            let known = DIFFERENCES.iter().position(|(f, known, _)| (*f, *known) == (&file, field));
            match known {
                Some(n) => drop(used.insert(n)),
                None => unexpected.push(format!("{file}: {field}: {details}")),
            }
        }
    }
    assert!(unexpected.is_empty(), "\n{}", unexpected.join("\n"));
    assert_eq!(used.len(), DIFFERENCES.len(), "some of the differences are gone");
}

/// The feeds in another folder, such as a collection of real feeds: newsfed must accept all feeds that
/// feed-rs accepts, and nearly all fields must agree.
#[test]
fn agrees_with_feed_rs_on_other_feeds() {
    let Some(folder) = std::env::var_os("NEWSFED_ORACLE") else {
        println!("skipped: NEWSFED_ORACLE is not set");
        return;
    };
    let (accepted, wrong) = compare(Path::new(&folder));
    let mut by_field: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for (file, field, details) in &wrong {
        let known = by_field.entry(field).or_default();
        if known.insert(file) && known.len() <= 12 {
            println!("{file}: {field}: {}", text::truncate(details, 300));
        }
    }
    println!("feed-rs accepts {accepted}");
    for (field, files) in &by_field {
        println!("{field}: {} files differ", files.len());
        assert!(files.len() * 100 <= accepted * 3, "{field}");
    }
    assert!(!by_field.contains_key("accepted"), "newsfed rejects what feed-rs accepts");
}
