//! Checks module boundaries (which modules each module may import) by reading the source files.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// The source folders of the crates, lowest layer first. Cargo prevents a crate from using a higher one.
const CRATES: [&str; 3] = ["crates/newsfed-core/src", "crates/newsfed-engine/src", "src"];

/// The modules that each module may import.
const MODULES: &[(&str, &[&str])] = &[
    ("model", &["util"]),
    ("util", &["model"]),
    ("query", &["model", "util"]),
    ("config", &["crawl", "model", "query", "util", "website"]),
    ("article", &["model", "util"]),
    ("exchange", &["model", "util"]),
    ("feed", &["model", "util"]),
    ("greader", &[]),
    ("mail", &["util"]),
    ("save", &["article", "model", "util"]),
    ("schedule", &["model", "util"]),
    ("website", &["article", "model", "util"]),
    ("sitemap", &["model", "util"]),
    ("story", &["model", "util"]),
    ("crawl", &["model", "util"]),
    ("dataset", &["article", "model", "util"]),
    ("discover", &["article", "crawl", "feed", "model", "sitemap", "util", "website"]),
    ("net", &["config", "model", "serve", "util"]),
    ("store", &["article", "config", "greader", "model", "query", "story", "util"]),
    (
        "engine",
        &[
            "article", "config", "crawl", "dataset", "discover", "exchange", "feed", "greader",
            "mail", "model", "net", "save", "schedule", "sitemap", "store", "util", "website",
        ],
    ),
    ("api", &["config", "engine", "feed", "greader", "model", "serve", "store", "util"]),
    ("backup", &["config", "model", "store", "util"]),
    ("demo", &["config", "model", "serve", "util"]),
    ("serve", &[]),
    ("tui", &["article", "config", "engine", "exchange", "model", "query", "store", "util"]),
    (
        "cli",
        &[
            "api", "article", "backup", "config", "crawl", "demo", "discover", "engine",
            "exchange", "feed", "greader", "model", "net", "query", "save", "schedule", "serve",
            "sitemap", "store", "tui", "util", "website",
        ],
    ),
];

/// External crates that only one module may use.
const CRATE_OWNERS: &[(&str, &str)] = &[
    ("reqwest", "net"),
    ("rustls", "net"),
    ("rusqlite", "store"),
    ("rusqlite_migration", "store"),
    ("ratatui", "tui"),
    ("crossterm", "tui"),
];

/// Pure modules: their input is bytes and times, and their output is data.
const PURE: &[&str] = &[
    "article", "crawl", "dataset", "discover", "exchange", "feed", "greader", "mail", "model",
    "query", "save", "schedule", "sitemap", "story", "website",
];
/// Runtimes and clocks, which a pure module must not use.
const IMPURE: &[&[&str]] = &[
    &["tokio"],
    &["SystemTime"],
    &["Instant"],
    &["Utc", "::", "now"],
    &["Local", "::", "now"],
    &["std", "::", "net", "::", "TcpStream"],
    &["std", "::", "thread", "::", "sleep"],
];

/// Clocks that panic if the system time is before 1970; see `util/clock.rs`.
const PANICKING: &[&[&str]] =
    &[&["Utc", "::", "now"], &["Local", "::", "now"], &["Uuid", "::", "now_v7"]];

/// Maximum length of a source file, in lines.
const LONGEST: usize = 499;
/// Files that may be longer, and the reasons.
const LONG: &[(&str, &str)] = &[
    ("article/blocks.rs", "one walk over the tree, whose rules share its state"),
    ("article/features.rs", "the order of the features is the format of the trained tables"),
    ("article/from_html.rs", "one builder, whose rules for tags share its state"),
];

#[test]
fn modules_respect_their_boundaries() {
    let mut breaches = Vec::new();
    for (file, path) in sources() {
        let text = fs::read_to_string(path).unwrap();
        breaches.extend(check(&file, &text).into_iter().map(|b| format!("{file}: {b}")));
    }
    assert!(breaches.is_empty(), "{}", breaches.join("\n"));
}

#[test]
fn long_files_have_a_reason() {
    let sources = sources();
    for (file, reason) in LONG {
        assert!(reason.len() > 20, "{file}: a reason is a sentence");
        assert!(sources.iter().any(|(name, _)| name == file), "{file} does not exist");
    }
    for (file, path) in sources {
        let lines = fs::read_to_string(path).unwrap().lines().count();
        let excused = LONG.iter().any(|(long, _)| *long == file);
        assert!(lines <= LONGEST || excused, "{file} has {lines} lines: split it by subject");
        assert!(lines > LONGEST || !excused, "{file} is short again; take it off the list");
    }
}

#[test]
fn every_module_is_listed() {
    let roots = CRATES.map(|path| fs::read_to_string(root().join(path).join("lib.rs")).unwrap());
    let roots = code(&roots.concat());
    let tokens: Vec<&str> = tokens(&roots);
    let declared: BTreeSet<&str> =
        tokens.windows(3).filter(|w| w[0] == "mod" && w[2] == ";").map(|w| w[1]).collect();
    assert!(declared.len() >= 10, "{declared:?}");
    let known: BTreeSet<&str> = MODULES.iter().map(|(module, _)| *module).collect();
    let unknown: Vec<_> = declared.difference(&known).collect();
    assert!(unknown.is_empty(), "modules without boundaries: {unknown:?}");
    let Ok(map) = fs::read_to_string(root().join("ARCHITECTURE.md")) else { return };
    let missing: Vec<_> = declared
        .iter()
        .filter(|name| !map.contains(&format!("`{name}`")) && !map.contains(&format!("{name}/")))
        .collect();
    assert!(missing.is_empty(), "not in ARCHITECTURE.md: {missing:?}");
}

/// Snippets that must be rejected, and the expected messages.
#[test]
fn detects_violations() {
    let cases = [
        ("model/item.rs", "use crate::query::parse;", "imports query"),
        ("util/url.rs", "use crate::net::host_key;", "imports net"),
        ("util/url.rs", "use crate::{model::Time, store};", "imports store"),
        ("util/url.rs", "use crate::{model::{Time, Pause}, engine::{self}};", "imports engine"),
        ("util/url.rs", "use super::super::feed;", "imports feed"),
        ("util/mod.rs", "use super::feed;", "imports feed"),
        ("util/url.rs", "use super::super::{model, config};", "imports config"),
        ("tui/app/add.rs", "fn f() { crate :: net :: host_key(u) }", "imports net"),
        ("tui/app/mod.rs", "use crate::feed as parser;", "imports feed"),
        (
            "tui/view/row.rs",
            "let x = super::super::super::discover::inspect();",
            "imports discover",
        ),
        ("tui/view/row.rs", "use crate::/* hidden */discover;", "imports discover"),
        ("cli/mod.rs", "use newsfed::nowhere;", "imports nowhere"),
        ("tui/mod.rs", "use newsfed_core::feed;", "imports feed"),
        ("net/client.rs", "use crate::*;", "imports every module"),
        ("store/mod.rs", "pub(in crate::engine) fn f() {}", "imports engine"),
        ("feed/read.rs", "let c = reqwest::Client::new();", "uses reqwest"),
        ("engine/run.rs", "use ::reqwest;", "uses reqwest"),
        ("engine/run.rs", "extern crate rusqlite;", "uses rusqlite"),
        ("engine/run.rs", "use {url::Url, rusqlite as db};", "uses rusqlite"),
        ("cli/list.rs", "use crossterm::style::Stylize;", "uses crossterm"),
        ("main.rs", "use ratatui::Frame;", "uses ratatui"),
        ("demo/server.rs", "use rustls::Error;", "uses rustls"),
        ("schedule/fixed.rs", "use tokio::time;", "uses tokio"),
        ("article/mod.rs", "let t = std::time::SystemTime::now();", "uses SystemTime"),
        ("feed/dates.rs", "let t = chrono::Utc::now();", "uses Utc::now"),
        ("discover/mod.rs", "let t = Utc\n    ::now();", "uses Utc::now"),
        ("util/clock.rs", "fn now() -> Time { chrono::Utc::now() }", "panics before 1970"),
        ("cli/log.rs", "let t = Local::now();", "panics before 1970"),
        ("store/ingest.rs", "let id = uuid::Uuid::now_v7();", "panics before 1970"),
        ("crawl/mod.rs", "use std::time::{Duration, Instant};", "uses Instant"),
        ("sitemap/mod.rs", "let lives = 'a'; use tokio::sync; let b = 'b';", "uses tokio"),
        ("website/mod.rs", "fn f<'a>(x: &'a str) { tokio::spawn(x) }", "uses tokio"),
        ("feed/xml.rs", "let s = r#\"quote\" \"#; tokio::spawn(s)", "uses tokio"),
        ("feed/xml.rs", "let s = \"\\\\\"; tokio::spawn(s)", "uses tokio"),
        ("feed/xml.rs", "/* /* nested */ */ tokio::spawn(s)", "uses tokio"),
        ("net/mod.rs", "mod tests { use super::super::engine; }", "imports engine"),
        ("net/gate.rs", "mod a { } use super::super::engine;", "imports engine"),
        ("cellar/mod.rs", "use crate::model::Item;", "unknown module"),
    ];
    for (file, snippet, want) in cases {
        let found = check(file, snippet);
        assert!(found.iter().any(|b| b.contains(want)), "{file}: {snippet}\n{found:?}");
    }
}

/// Snippets that must be accepted.
#[test]
fn allows_everything_else() {
    let cases = [
        ("model/item.rs", "use super::source::Source; use self::poll::Pause; use chrono::Utc;"),
        ("model/mod.rs", "/// See [`crate::util::text`] and tokio.\nmod item; pub use item::Item;"),
        ("util/url.rs", "// use crate::net;\nuse crate::model::Time; use super::text;"),
        ("util/clock.rs", "fn now() -> Time { SystemTime::now().into() }"),
        (
            "net/client.rs",
            "use reqwest::header; use crate::config::NetSettings; use super::gate::Gate;",
        ),
        (
            "tui/view/row.rs",
            "use super::super::style; use crate::tui::app; use crate::engine::Handle;",
        ),
        (
            "feed/xml.rs",
            "const S: &str = \"use tokio::time; crate::net\"; let c = '\"'; let q = b'\\'';",
        ),
        (
            "feed/xml.rs",
            "const S: &str = r##\"crate::net \"# tokio \"##; const B: &[u8] = br\"reqwest\";",
        ),
        ("feed/names.rs", "let t = item.tokio; let feed = feed.crossterm();"),
        ("schedule/mod.rs", "let d: Duration = now - start; let utc: DateTime<Utc> = now;"),
        ("store/mod.rs", "use rusqlite::Connection; pub(crate) fn f() {}"),
        ("main.rs", "fn main() { newsfed::cli::run() }"),
        ("net/gate.rs", "mod tests { fn f() { if x {} } use super::super::client; }"),
        ("lib.rs", "pub mod net; pub mod tui;"),
    ];
    for (file, snippet) in cases {
        let found = check(file, snippet);
        assert!(found.is_empty(), "{file}: {snippet}\n{found:?}");
    }
}

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

/// All Rust files of the crates: the path from the root of the crate, with forward slashes, and the location.
fn sources() -> Vec<(String, PathBuf)> {
    fn walk(folder: &Path, prefix: &str, found: &mut Vec<(String, PathBuf)>) {
        for entry in fs::read_dir(folder).unwrap() {
            let entry = entry.unwrap();
            let name = format!("{prefix}{}", entry.file_name().to_str().unwrap());
            if entry.file_type().unwrap().is_dir() {
                walk(&entry.path(), &format!("{name}/"), found);
            } else if name.ends_with(".rs") {
                found.push((name, entry.path()));
            }
        }
    }
    let mut found = Vec::new();
    for path in CRATES {
        let before = found.len();
        walk(&root().join(path), "", &mut found);
        assert!(found.len() > before + 50, "the sources of {path} were not found");
    }
    found.sort();
    found
}

/// The violations in a file.
fn check(file: &str, text: &str) -> Vec<String> {
    let code = code(text);
    let tokens = tokens(&code);
    let mut breaches = Vec::new();
    // `main.rs` and `lib.rs` belong to no module, so only `CRATE_OWNERS` applies to them.
    let module = file.split_once('/').map(|(module, _)| module);
    for (name, owner) in CRATE_OWNERS {
        if module != Some(owner) && names(&tokens, &[name]) {
            breaches.push(format!("uses {name}, which only {owner} may"));
        }
    }
    let Some(module) = module else { return breaches };
    if PURE.contains(&module) {
        let named = IMPURE.iter().filter(|path| names(&tokens, path));
        breaches.extend(named.map(|path| format!("uses {}: {module} is pure", path.concat())));
    }
    let named = PANICKING.iter().filter(|path| names(&tokens, path));
    breaches.extend(named.map(|path| format!("uses {}, which panics before 1970", path.concat())));
    let Some((_, allowed)) = MODULES.iter().find(|(name, _)| *name == module) else {
        breaches.push(format!("unknown module: {module} needs a line in MODULES"));
        return breaches;
    };
    for other in modules_named(&tokens, depth(file)) {
        match other {
            "*" => breaches.push("imports every module".to_owned()),
            _ if other == module || allowed.contains(&other) => {}
            _ => breaches.push(format!("imports {other}, which {module} may not")),
        }
    }
    breaches
}

/// Number of `super` in the path from a file's module to the root of the crate.
fn depth(file: &str) -> usize {
    let parts = file.split('/').count();
    if file.ends_with("/mod.rs") { parts - 1 } else { parts }
}

/// Whether the tokens contain this path, but not as a field, a method or the end of another path. A path of
/// one name is also found inside `use` groups.
fn names(tokens: &[&str], path: &[&str]) -> bool {
    let matches = |at: usize| tokens[at..].starts_with(path);
    let inside = |at: usize| {
        let before = at.checked_sub(1).map(|i| tokens[i]);
        match before {
            Some(".") => true,
            // The name is the end of another path. `::reqwest` and `std::time::SystemTime` are not excluded.
            Some("::") => {
                path.len() == 1
                    && CRATE_OWNERS.iter().any(|(name, _)| *name == path[0])
                    && at >= 2
                    && is_name(tokens[at - 2])
                    && !matches!(tokens[at - 2], "use")
            }
            _ => false,
        }
    };
    (0..tokens.len()).any(|at| matches(at) && !inside(at))
}

/// The first names after `crate::`, crate names or enough `super::`, including names in groups. A file at
/// `depth` reaches the root with that number of `super`.
fn modules_named<'a>(tokens: &[&'a str], depth: usize) -> BTreeSet<&'a str> {
    let mut found = BTreeSet::new();
    let (mut at, mut level) = (0, 0);
    // The brace levels of inline modules. Each of them needs another `super`.
    let mut inner: Vec<usize> = Vec::new();
    while at < tokens.len() {
        let mut behind = at;
        match tokens[at] {
            "{" => {
                level += 1;
                at += 1;
                if at >= 3 && tokens[at - 3] == "mod" {
                    inner.push(level);
                }
                continue;
            }
            "}" => {
                inner.retain(|began| *began < level);
                level = level.saturating_sub(1);
                at += 1;
                continue;
            }
            "crate" | "newsfed" | "newsfed_core" | "newsfed_engine" => behind += 1,
            "super" => {
                let mut supers = 0;
                while tokens.get(behind) == Some(&"super") {
                    supers += 1;
                    behind += 1;
                    if tokens.get(behind) == Some(&"::") && tokens.get(behind + 1) == Some(&"super")
                    {
                        behind += 1;
                    }
                }
                if supers < depth + inner.len() {
                    at = behind;
                    continue;
                }
            }
            _ => {
                at += 1;
                continue;
            }
        }
        at = behind;
        if tokens.get(at) == Some(&"::") {
            at += 1;
            first_names(&tokens[at..], &mut found);
        }
    }
    found
}

/// The first name, or the first name of each branch of a group.
fn first_names<'a>(tokens: &[&'a str], found: &mut BTreeSet<&'a str>) {
    match tokens.first() {
        Some(&"{") => {
            let (mut level, mut fresh) = (0, true);
            for token in tokens {
                match *token {
                    "{" => level += 1,
                    "}" => level -= 1,
                    "," if level == 1 => fresh = true,
                    "::" => {}
                    name => {
                        if fresh && level == 1 {
                            found.insert(name);
                        }
                        fresh = false;
                    }
                }
                if level == 0 {
                    return;
                }
            }
        }
        // Items in the crate root, such as macros, are not modules.
        Some(name) => drop(found.insert(name)),
        None => {}
    }
}

fn is_name(token: &str) -> bool {
    token.starts_with(|c: char| c.is_alphabetic() || c == '_')
}

/// Splits code into names, `::`, and single characters.
fn tokens(code: &str) -> Vec<&str> {
    let mut rest = code.trim_start();
    let mut found = Vec::new();
    while let Some(first) = rest.chars().next() {
        let length = if first.is_alphanumeric() || first == '_' {
            rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len())
        } else if rest.starts_with("::") {
            2
        } else {
            first.len_utf8()
        };
        found.push(&rest[..length]);
        rest = rest[length..].trim_start();
    }
    found
}

/// The code without comments, strings and character literals.
fn code(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let skipped = comment(rest).or_else(|| string(rest, &out)).or_else(|| character(rest));
        match skipped {
            Some(length) => {
                out.push(' ');
                rest = &rest[length..];
            }
            None => {
                out.push(c);
                rest = &rest[c.len_utf8()..];
            }
        }
    }
    out
}

/// Length of the comment that starts here. Block comments may be nested.
fn comment(text: &str) -> Option<usize> {
    if text.starts_with("//") {
        return Some(text.find('\n').unwrap_or(text.len()));
    }
    text.strip_prefix("/*")?;
    let (mut at, mut level) = (0, 0);
    while at < text.len() {
        let here = &text.as_bytes()[at..];
        if here.starts_with(b"/*") {
            (at, level) = (at + 2, level + 1);
        } else if here.starts_with(b"*/") {
            (at, level) = (at + 2, level - 1);
            if level == 0 {
                return Some(at);
            }
        } else {
            at += 1;
        }
    }
    Some(text.len())
}

/// Length of the string literal that starts here, including its prefix. `before` is the preceding code.
fn string(text: &str, before: &str) -> Option<usize> {
    // An `r` at the end of a name does not start a raw string.
    if before.ends_with(|c: char| c.is_alphanumeric() || c == '_') && !text.starts_with('"') {
        return None;
    }
    let prefix = text.find(|c| !matches!(c, 'b' | 'c' | 'r')).filter(|length| *length <= 2)?;
    let raw = text[..prefix].ends_with('r');
    let body = &text[prefix..];
    if raw {
        let hashes = body.find(|c| c != '#')?;
        let inner = body[hashes..].strip_prefix('"')?;
        let end = format!("\"{}", "#".repeat(hashes));
        let length = inner.find(&end).map_or(inner.len(), |at| at + end.len());
        return Some(prefix + hashes + 1 + length);
    }
    let inner = body.strip_prefix('"')?;
    let mut escaped = false;
    for (at, c) in inner.char_indices() {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '"' => return Some(prefix + at + 2),
            _ => {}
        }
    }
    Some(text.len())
}

/// Length of the character literal that starts here. A lifetime is not a literal.
fn character(text: &str) -> Option<usize> {
    let inner = text.strip_prefix('\'')?;
    if let Some(escape) = inner.strip_prefix('\\') {
        // The escaped character may be a quote.
        let first = escape.chars().next()?.len_utf8();
        return escape[first..].find('\'').map(|at| 1 + 1 + first + at + 1);
    }
    let first = inner.chars().next()?.len_utf8();
    inner[first..].starts_with('\'').then_some(1 + first + 1)
}

#[test]
fn paths_in_the_documentation_exist() {
    let map = fs::read_to_string(root().join("ARCHITECTURE.md")).unwrap();
    // Everything in backticks that looks like a path in the repository.
    let named =
        map.split('`').skip(1).step_by(2).filter(|w| w.contains('/') && !w.contains([' ', '*']));
    let exists = |path: &str| {
        root().join(path).exists()
            || CRATES.iter().any(|place| root().join(place).join(path).exists())
    };
    let missing: Vec<&str> = named.filter(|path| !exists(path)).collect();
    assert!(missing.is_empty(), "ARCHITECTURE.md names missing files: {missing:?}");
}
