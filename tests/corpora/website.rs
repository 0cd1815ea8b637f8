//! Compares dates, selectors and URLs of pages with reference data next to the project (`NEWSFED_CORPORA` or
//! `../shared/corpora`), if it exists. Run with `cargo test --test corpora website::`.

use newsfed::website::{Page, Selectors, date::parse_layout};
use serde_json::Value;
use url::Url;

/// The lines of a JSON Lines file; empty if the data is missing.
fn lines(name: &str) -> Vec<Value> {
    crate::reference::lines(&format!("newsfed-original/{name}"))
}

/// Runs a check on every case, and panics with a list of the failed cases.
fn every(name: &str, check: impl Fn(&Value) -> bool) {
    let cases = lines(name);
    let wrong: Vec<&Value> = cases.iter().filter(|case| !check(case)).collect();
    println!("{name}: {} of {}", cases.len() - wrong.len(), cases.len());
    assert!(wrong.is_empty(), "{} wrong: {wrong:#?}", wrong.len());
}

fn text<'a>(case: &'a Value, key: &str) -> &'a str {
    case[key].as_str().unwrap()
}

#[test]
fn parses_dates_by_layout_as_expected() {
    every("go_dates.jsonl", |case| {
        let want = case["utc"].as_str().map(|t| t.parse().unwrap());
        parse_layout(text(case, "layout"), text(case, "text")) == want
    });
}

#[test]
fn selectors_find_the_expected_elements() {
    let at = Url::parse("https://example.org/").unwrap();
    every("selectors.jsonl", |case| {
        let file = format!("newsfed-original/selectors_{}.html", text(case, "html"));
        let markup =
            std::fs::read_to_string(crate::reference::corpora().unwrap().join(file)).unwrap();
        let page = Page::parse(&markup, &at).unwrap();
        let found = Selectors::parse(text(case, "selector")).unwrap().all(page.tree());
        let collapsed = |e: &scraper::ElementRef<'_>| {
            let text: String = e.text().collect();
            text.split_whitespace().collect::<Vec<_>>().join(" ")
        };
        let want: Vec<&str> =
            case["texts"].as_array().unwrap().iter().map(|t| t.as_str().unwrap()).collect();
        found.iter().map(collapsed).collect::<Vec<_>>() == want
    });
}

/// Only http(s) URLs are accepted, and fragments are dropped. Otherwise URLs are resolved as in the URL
/// standard.
#[test]
fn resolves_urls_as_expected() {
    every("url_resolve.jsonl", |case| {
        let base = Url::parse(text(case, "base")).unwrap();
        let page = Page::parse("<p>", &base).unwrap();
        let found = page.resolve(text(case, "href"));
        let want = case["abs"].as_str().and_then(|abs| Url::parse(abs).ok());
        let mut want = want.filter(|url| matches!(url.scheme(), "http" | "https"));
        if let Some(url) = &mut want {
            url.set_fragment(None);
        }
        let own = text(case, "href").is_empty();
        // An empty reference resolves to the page itself, which is not a link to another page.
        if own { found.is_none() } else { found == want }
    });
}
