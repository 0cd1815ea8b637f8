//! Reads every hostile file with newsfed's commands.

use super::clean::assert_printed;
use super::corpus::{ALL, Corpus, run};
use serde_json::Value;

fn values(bytes: &[u8]) -> Vec<Value> {
    let text = std::str::from_utf8(bytes).unwrap();
    text.lines().map(|l| serde_json::from_str(l).unwrap()).collect()
}

#[test]
fn parses_or_rejects_every_file() {
    let Some(corpus) = Corpus::make() else { return };
    let world = corpus.world([].into_iter());
    for case in corpus.of_kind("feed") {
        let path = corpus.path(&case.name).display().to_string();
        for args in [&["parse", &path][..], &["parse", "--json", &path]] {
            let output = run(&world, args, &case.name);
            assert_printed(&output.stdout, &case.name);
            assert_printed(&output.stderr, &case.name);
        }
    }
}

#[test]
fn discover_prints_clean_output_for_every_hostile_page() {
    let Some(corpus) = Corpus::make() else { return };
    let world = corpus.world([].into_iter());
    for case in corpus.cases.iter().filter(|c| matches!(&*c.kind, "page" | "http-body" | "sitemap"))
    {
        let url = world.url(&format!("/{}", case.name));
        for args in [&["discover", &url][..], &["discover", "--json", &url]] {
            let output = run(&world, args, &case.name);
            assert_printed(&output.stdout, &case.name);
            assert_printed(&output.stderr, &case.name);
        }
    }
}

#[test]
fn follows_lists_and_shows_every_feed() {
    let Some(corpus) = Corpus::make() else { return };
    let followed = corpus.cases.iter().filter(|c| matches!(&*c.kind, "feed" | "http-body"));
    let world = corpus.world(followed.map(|c| c.name.as_str()));
    let sync = ["sync", "--force", "--json"];
    let output = run(&world, &sync, ALL);
    assert_printed(&output.stdout, "sync");
    assert_printed(&output.stderr, "sync");
    let first = values(&run(&world, &["list", "--json", "--limit", "0"], ALL).stdout);
    for _ in 0..10 {
        for name in ["rotating-guid", "same-guid"] {
            let id = format!("127-0-0-1-{name}-xml");
            run(&world, &["sync", "--force", &id], name);
        }
    }
    let output = run(&world, &["list", "--json", "--limit", "0"], ALL);
    let again = values(&output.stdout);
    assert_eq!(first.len(), again.len(), "no duplicates");
    let of =
        |name: &str| again.iter().filter(|i| i["source"].as_str().unwrap().contains(name)).count();
    assert_eq!(of("rotating-guid"), 1);
    assert_eq!(of("many-items"), newsfed::util::limits::FEED_ENTRIES);
    assert!((1..=500).contains(&of("same-guid")));
    assert_printed(&output.stdout, "list");
    for item in &again {
        let title = item["title"].as_str().unwrap();
        assert!(title.chars().count() <= 1001, "{title}");
        let url = item["url"].as_str().unwrap_or("http://");
        assert!(url.starts_with("http://") || url.starts_with("https://"), "{url}");
    }
    let short = |i: &&Value| {
        !["many-items", "same-guid"].iter().any(|n| i["source"].as_str().unwrap().contains(n))
    };
    let numbers: Vec<String> =
        again.iter().filter(short).map(|i| i["number"].to_string()).collect();
    for format in ["text", "html", "json"] {
        let chosen: &[&str] = if format == "json" { &["--json"] } else { &["--format", format] };
        let args: Vec<&str> = [&["show"][..], chosen].concat();
        let args: Vec<&str> = args.into_iter().chain(numbers.iter().map(String::as_str)).collect();
        let output = run(&world, &args, ALL);
        assert_eq!(output.status.code(), Some(0));
        assert_printed(&output.stdout, format);
        assert_printed(&output.stderr, format);
        let text = String::from_utf8(output.stdout).unwrap().to_lowercase();
        assert!(!text.contains("<script") && !text.contains("href=\"javascript:"));
    }
    for args in [&["list"][..], &["sources"], &["sources", "--json"], &["doctor"], &["export"]] {
        let output = run(&world, args, ALL);
        assert_printed(&output.stdout, args[0]);
        assert_printed(&output.stderr, args[0]);
    }
}

#[test]
fn removing_escape_sequences_keeps_the_surrounding_text() {
    let Some(corpus) = Corpus::make() else { return };
    let cases = corpus.of_kind("feed").filter(|c| c.class == "terminal");
    let names: Vec<&str> = cases.map(|c| c.name.as_str()).collect();
    let world = corpus.world(names.iter().copied());
    run(&world, &["sync", "--force"], ALL);
    let items = values(&run(&world, &["list", "--json", "--limit", "0"], ALL).stdout);
    assert_eq!(items.len(), names.len());
    let (start, end) = corpus.mark.split_at(4);
    for item in items {
        let title = item["title"].as_str().unwrap();
        assert!(title.find(start).is_some_and(|at| title[at..].contains(end)), "{item}");
    }
}

#[test]
fn source_lists_cannot_run_commands() {
    let Some(corpus) = Corpus::make() else { return };
    for case in corpus.of_kind("opml") {
        let world = corpus.world([].into_iter());
        let path = corpus.path(&case.name).display().to_string();
        let output = run(&world, &["import", "--private", &path], &case.name);
        assert_printed(&output.stdout, &case.name);
        assert_printed(&output.stderr, &case.name);
        let sources = values(&run(&world, &["sources", "--json"], &case.name).stdout);
        for source in &sources {
            let url = source["url"].as_str().unwrap();
            assert!(url.starts_with("http://") || url.starts_with("https://"), "{url}");
        }
        if case.name == "opml-dup.opml" {
            assert_eq!(sources.len(), 1);
        }
        let config = run(&world, &["config", "check"], &case.name);
        assert_eq!(config.status.code(), Some(0), "{}: {config:?}", case.name);
        assert!(!world.path("PWN").exists());
    }
}

#[test]
fn searches_odd_queries_as_plain_words() {
    let Some(corpus) = Corpus::make() else { return };
    let world = corpus.world(["markdown.xml", "paths.xml", "urls.xml"].into_iter());
    run(&world, &["sync", "--force"], ALL);
    let count = || values(&run(&world, &["list", "--json", "--limit", "0"], ALL).stdout).len();
    let before = count();
    let queries: Vec<String> = serde_json::from_slice(&corpus.read("search_queries.json")).unwrap();
    for query in &queries {
        // A NUL byte cannot be passed as an argument.
        let query = query.replace('\0', "");
        for args in [&["search", "--", &query][..], &["list", "--query", &query]] {
            let args: Vec<&str> = args.to_vec();
            let output = world.command().args(&args).output().unwrap();
            let said = String::from_utf8(output.stderr).unwrap();
            assert!(matches!(output.status.code(), Some(0..=2)), "{query:.40}: {said}");
            assert!(
                !said.contains("SQL") && !said.contains("fts5") && !said.contains("database"),
                "{query:.40}: {said}"
            );
        }
    }
    assert_eq!(count(), before);
}
