//! Typical pages, in `tests/data/entries`: each with the proposed selector and the entries that it finds.

use super::*;
use std::fmt::Write;
use std::path::PathBuf;

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../tests/data/entries")
}

fn now() -> Time {
    "2026-11-15T12:00:00Z".parse().unwrap()
}

/// A saved page; its URL is on the second line of the file.
fn saved(name: &str) -> Page {
    let markup = std::fs::read_to_string(folder().join(name)).unwrap();
    let line = markup.lines().nth(1).unwrap();
    let url = line.trim_start_matches("<!-- ").trim_end_matches(" -->");
    Page::parse(&markup, &url.parse().unwrap()).unwrap()
}

fn describe(page: &Page) -> String {
    let mut out = String::new();
    let proposals = propose(page);
    let Some(best) = proposals.first() else { return "none".to_owned() };
    let kind = if best.teasers { "teasers" } else { "entries" };
    writeln!(out, "{} {} of {kind}", best.articles, best.entries.len()).unwrap();
    let rules = WebsiteRules { articles: Some(best.articles.clone()), ..WebsiteRules::default() };
    let found = read(page, &rules, Some(now())).unwrap();
    for PageEntry { entry, .. } in found.entries {
        let date = entry.published.map_or("no date".to_owned(), |d| d.format("%F").to_string());
        writeln!(out, "\n{date} {}", entry.title).unwrap();
        writeln!(out, "  id {}", entry.guid.unwrap()).unwrap();
        if let Some(url) = entry.url {
            writeln!(out, "  at {url}").unwrap();
        }
        if !entry.authors.is_empty() {
            writeln!(out, "  by {}", entry.authors.join(" + ")).unwrap();
        }
        if let Some(content) = entry.content {
            writeln!(out, "  {content}").unwrap();
        }
    }
    if let Some(left_out) = LeftOut::describe(&found.left_out) {
        writeln!(out, "\n{left_out}").unwrap();
    }
    out
}

#[test]
fn finds_the_entries_of_typical_pages() {
    let mut pages: Vec<PathBuf> = std::fs::read_dir(folder())
        .unwrap()
        .map(|file| file.unwrap().path())
        .filter(|path| path.extension().is_some_and(|e| e == "html"))
        .collect();
    pages.sort();
    assert!(pages.len() >= 11, "{pages:?}");
    for path in pages {
        let name = path.file_name().unwrap().to_str().unwrap().to_owned();
        let found = describe(&saved(&name));
        let expected = path.with_extension("txt");
        if std::env::var_os("NEWSFED_UPDATE_ENTRIES").is_some() {
            std::fs::write(&expected, &found).unwrap();
        }
        let want = std::fs::read_to_string(&expected).unwrap_or_default();
        assert_eq!(found, want, "{name}");
    }
}
