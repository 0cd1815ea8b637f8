//! Cache headers and robots.txt.

use crate::reference::lines;
use newsfed::model::Time;
use newsfed::net::Freshness;
use newsfed::net::robots::Robots;
use serde_json::Value;

/// The unescaped path and query of a URL.
fn path_of(address: &str) -> String {
    let rest = address.split_once("://").map_or(address, |(_, rest)| rest);
    let rest = rest.split('#').next().unwrap();
    let start = rest.find(['/', '?', ';']).unwrap_or(rest.len());
    let path = &rest[start..];
    if path.starts_with('/') { path.to_owned() } else { format!("/{path}") }
}

#[test]
fn obeys_robots_txt_as_expected() {
    let mut wrong = Vec::new();
    for case in lines("conformance/robots_google.jsonl") {
        let text = |key: &str| case[key].as_str().unwrap().to_owned();
        let robots = Robots::parse(text("robots").as_bytes(), &text("agent"));
        if robots.allows_path(&path_of(&text("url"))) != case["allowed"].as_bool().unwrap() {
            wrong.push(case);
        }
    }
    assert!(wrong.is_empty(), "{} wrong: {wrong:#?}", wrong.len());
}

#[test]
fn reads_freshness_as_expected() {
    for case in lines("newsfed-original/freshness_headers.jsonl") {
        let headers: Vec<(String, String)> = case["headers"]
            .as_object()
            .unwrap()
            .iter()
            .map(|(n, v)| (n.to_lowercase(), v.as_str().unwrap().to_owned()))
            .collect();
        let now = httpdate::parse_http_date(case["now"].as_str().unwrap()).unwrap();
        let headers = headers.iter().map(|(n, v)| (n.as_str(), v.as_str()));
        let facts = Freshness::read(headers, Time::from(now));
        let got = facts.fresh_for().map(|d| d.as_secs());
        let matches = match &case["fresh_for_s"] {
            Value::Null => got.is_none(),
            Value::Number(n) => got == n.as_u64(),
            Value::String(s) if s == "huge" => got.is_some_and(|s| s > 365 * 86_400),
            Value::String(s) => s.split('|').any(|want| match got {
                Some(got) => want == got.to_string(),
                None => want == "None",
            }),
            _ => false,
        };
        assert!(matches, "{got:?} for {case}");
        let flags: Vec<_> = case["flags"].as_array().unwrap().iter().collect();
        assert_eq!(facts.no_store, flags.iter().any(|f| *f == "highly_dynamic"), "{case}");
    }
}
