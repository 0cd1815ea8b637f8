//! Compares feed parsing and discovery with reference data in a folder next to the project.
//!
//! Not part of the default test run. Run with `cargo test --test corpora conformance::`. Without the data,
//! each test prints a note and passes.

use crate::reference::corpora;
use newsfed::discover::{DocumentKind, inspect};
use newsfed::feed;
use newsfed::util::html;
use serde_json::Value;
use std::io::Read;
use std::path::Path;
use url::Url;

fn json(path: &Path) -> Value {
    serde_json::from_slice(&std::fs::read(path).expect("readable")).expect("valid")
}

#[test]
fn parsed_feeds_match_the_stored_results() {
    let Some(root) = corpora().map(|f| f.join("conformance")) else { return };
    let index = json(&root.join("index.json"));
    let (mut accepted, mut must, mut right, mut fields) = (0, 0, 0, 0);
    for case in index["feeds"].as_array().expect("a list") {
        let path = case["path"].as_str().expect("a path");
        let bytes = std::fs::read(root.join(path)).expect("readable");
        let header = case["headers"].as_object().and_then(|headers| {
            let mut named = headers.iter().filter(|(n, _)| n.eq_ignore_ascii_case("content-type"));
            named.next().and_then(|(_, v)| v.as_str())
        });
        let base = case["base"].as_str().and_then(|b| Url::parse(b).ok());
        let parsed = feed::parse(&bytes, header, base.as_ref());
        if case["expect"] == "reject" {
            assert!(parsed.is_err(), "{path} is not a feed");
            continue;
        }
        must += 1;
        accepted += usize::from(parsed.is_ok());
        let got = parsed.map(|p| feed::to_json(&p)).unwrap_or_default();
        for assertion in case["asserts"].as_array().into_iter().flatten() {
            if let Some(holds) = check(assertion, &got) {
                fields += 1;
                right += usize::from(holds);
                if !holds {
                    println!("{path}: {assertion}");
                }
            }
        }
    }
    println!("accepted {accepted} of {must}, fields {right} of {fields}");
    assert!(accepted * 100 >= must * 99, "accepted {accepted} of {must}");
    assert!(right * 1000 >= fields * 995, "fields {right} of {fields}");
}

/// Whether an assertion of the index is true; `None` for assertions that only the scorer of the reference
/// data can check.
fn check(assertion: &Value, got: &Value) -> Option<bool> {
    let path = assertion["field"].as_str().unwrap_or_default().replace('.', "/");
    let field = got.pointer(&format!("/{path}")).unwrap_or(&Value::Null);
    let wanted = match &assertion["value"] {
        Value::Array(many) => many.clone(),
        one => vec![one.clone()],
    };
    let any = |test: &dyn Fn(&Value) -> bool| Some(wanted.iter().any(test));
    match assertion["op"].as_str()? {
        "count" => {
            let count = got["entries"].as_array().map_or(0, Vec::len);
            any(&|w| w.as_u64() == Some(count as u64))
        }
        "text" => any(&|w| loose(field) == loose(w)),
        "url" => any(&|w| address(field) == address(w)),
        "body" => {
            any(&|w| [&field["summary"], &field["content"]].iter().any(|g| loose(g) == loose(w)))
        }
        "time" => {
            any(&|w| [&field["published"], &field["updated"]].iter().any(|g| time(g) == time(w)))
        }
        _ => None,
    }
}

/// The letters and digits of a text or of HTML, in lower case.
fn loose(value: &Value) -> String {
    let mut text = value.as_str().unwrap_or_default().to_owned();
    for _ in 0..2 {
        text = html::to_text(&text);
    }
    text.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

fn address(value: &Value) -> String {
    let text = value.as_str().unwrap_or_default();
    Url::parse(text).map_or_else(|_| text.to_owned(), String::from)
}

fn time(value: &Value) -> Option<i64> {
    match value {
        Value::String(text) => feed::parse_date(text).map(|t| t.timestamp()),
        other => other.as_i64(),
    }
}

#[test]
fn reads_dates_as_expected() {
    let Some(root) = corpora().map(|f| f.join("conformance")) else { return };
    let table = std::fs::read_to_string(root.join("dates.tsv")).expect("readable");
    for row in table.lines().skip(1) {
        let mut columns = row.split('\t');
        let input: String =
            serde_json::from_str(columns.next().expect("an input")).expect("a string");
        let wanted = columns.next().unwrap_or_default();
        let got = feed::parse_date(&input).map(|t| t.format("%Y-%m-%dT%H:%M:%SZ").to_string());
        assert_eq!(got.unwrap_or_default(), wanted, "{input}");
    }
}

#[test]
fn finds_announced_feeds() {
    let Some(root) = corpora().map(|f| f.join("conformance")) else { return };
    for file in std::fs::read_dir(root.join("autodiscovery")).expect("a folder") {
        let path = file.expect("a file").path();
        let stem = path.file_stem().and_then(|s| s.to_str()).expect("a name").to_owned();
        let url = Url::parse(&format!("http://www.example.com/tests/{stem}.html")).expect("valid");
        match inspect(&std::fs::read(&path).expect("readable"), None, &url) {
            DocumentKind::Page { announced, .. } => {
                let first = announced[0].url.path();
                assert!(first.ends_with(&format!("{stem}.xml")), "{stem}: {first}");
            }
            other => panic!("{stem}: {other:?}"),
        }
    }
}

#[test]
fn finds_feeds_of_real_sites() {
    let Some(root) = corpora().map(|f| f.join("blogs")) else { return };
    let path = |u: &str| {
        let path = Url::parse(u).map_or_else(|_| u.to_owned(), |u| u.path().to_owned());
        let path = path.trim_end_matches('/').to_lowercase();
        let folder = ["/index.xml", "/index.html", "/index.rss"];
        folder.iter().find_map(|f| path.strip_suffix(f)).map_or(path.clone(), str::to_owned)
    };
    let (mut found, mut announcing) = (0, 0);
    for site in json(&root.join("discover.json")).as_array().expect("a list") {
        let (Some(html_path), false) =
            (site["html_path"].as_str(), site["announced"].as_array().is_none_or(Vec::is_empty))
        else {
            continue;
        };
        announcing += 1;
        let mut page = Vec::new();
        let file = std::fs::File::open(root.join(html_path)).expect("readable");
        flate2::read::GzDecoder::new(file).read_to_end(&mut page).expect("gzip");
        let url = Url::parse(site["url"].as_str().expect("an address")).expect("valid");
        let accepted: Vec<String> = site["accepted"]
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(|u| u.as_str())
            .map(path)
            .collect();
        if let DocumentKind::Page { announced, .. } = inspect(&page, None, &url)
            && accepted.contains(&path(announced[0].url.as_str()))
        {
            found += 1;
        } else {
            println!("{}: not found", site["id"]);
        }
    }
    assert_eq!(found, announcing, "sites whose first announced feed is found first");
}

/// The path of a URL, normalised as in the reference data.
fn article_path(url: &str) -> String {
    let path = Url::parse(url).map_or_else(|_| url.to_owned(), |u| u.path().to_owned());
    let path = percent_encoding::percent_decode_str(&path).decode_utf8_lossy().to_lowercase();
    let path = path.strip_suffix("index.html").unwrap_or(&path);
    path.strip_suffix(".html").unwrap_or(path).trim_end_matches('/').to_owned()
}

/// On the pages for which the first suggestion is wrong, the reference lists links in running text as
/// articles (two pages), or the page is a feed (one page).
#[test]
fn finds_lists_of_real_sites() {
    let Some(root) = corpora().map(|f| f.join("blogs")) else { return };
    let lists = json(&root.join("lists.json"));
    let lists = lists.as_array().expect("a list");
    let paths = |value: &serde_json::Value| -> std::collections::HashSet<String> {
        value
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(|u| u.as_str())
            .map(article_path)
            .collect()
    };
    let mut right = 0;
    for list in lists {
        let mut page = Vec::new();
        let file = std::fs::File::open(root.join(list["html_path"].as_str().expect("a path")));
        flate2::read::GzDecoder::new(file.expect("readable")).read_to_end(&mut page).expect("gzip");
        let url = Url::parse(list["url"].as_str().expect("an address")).expect("valid");
        let wanted = paths(&list["gold"]);
        let optional = paths(&list["optional"]);
        let survey = newsfed::discover::examine(&page, None, &url).1;
        let found: std::collections::HashSet<String> = survey
            .lists
            .first()
            .map(|l| l.items.iter().map(|i| article_path(i.url.as_str())).collect())
            .unwrap_or_default();
        let found: Vec<_> = found
            .into_iter()
            .filter(|path| wanted.contains(path) || !optional.contains(path))
            .collect();
        let common = found.iter().filter(|path| wanted.contains(*path)).count();
        if common * 10 >= found.len() * 9 && common * 10 >= wanted.len() * 9 {
            right += 1;
        } else {
            println!("{}: {common} of {}, {} found", list["id"], wanted.len(), found.len());
        }
    }
    println!("first list right on {right} of {}", lists.len());
    assert!(right * 100 >= lists.len() * 93, "{right} of {}", lists.len());
}
