//! Crawled sources that check known data files again.

use super::datasets::{Files, TOWNS};
use super::*;
use newsfed::model::{Revision, SourceRules, TextFrom, WebsiteRules};
use newsfed::store::Mark;

/// A crawl source for a site with pages of links to files.
fn crawled(url: &str) -> Source {
    let rules = WebsiteRules { targets: Some("data".to_owned()), ..WebsiteRules::default() };
    Source { rules: SourceRules::Crawl(rules.into()), ..source("site", url) }
}

#[tokio::test]
async fn a_crawl_source_checks_its_files_again() {
    let files = Files::default();
    let links =
        |names: &[&str]| names.iter().map(|n| format!("<a href=/{n}>{n}</a>")).collect::<String>();
    files.put("/", "text/html", links(&["towns.csv", "pack.zip", "old.csv"]));
    files.put("/towns.csv", "text/csv", TOWNS);
    files.put("/old.csv", "text/csv", "id,v\n1,2\n");
    files.put("/pack.zip", "application/zip", "PK no data");
    let server = files.start();
    let home = Home::with(&[crawled(&server.url("/"))]);
    let engine = home.on_demand().await;
    assert_eq!(sync_one(&engine, Pace::Manual).await, fetched(3, 0, 3));
    let named = |title: &str| items(&engine).into_iter().find(|i| i.title == title).unwrap();
    assert!(
        newsfed::util::html::to_text(named("towns.csv").body()).starts_with("CSV file with 3 rows")
    );
    let requested = |before: usize| -> Vec<(String, bool)> {
        let requests = server.requests().split_off(before);
        requests
            .iter()
            .filter(|r| r.path != "/" && r.path != "/robots.txt")
            .map(|r| (r.path.clone(), is_conditional(r)))
            .collect()
    };
    let requests = server.requests().len();
    // A day later, the files are checked with conditional requests. The archive is not fetched again.
    home.clock.advance(HOUR);
    assert_eq!(sync_one(&engine, Pace::Manual).await, fetched(0, 0, 0));
    assert_eq!(requested(requests), []);
    home.clock.advance(DAY);
    let requests = server.requests().len();
    assert_eq!(sync_one(&engine, Pace::Manual).await, fetched(0, 0, 2));
    let both = [("/towns.csv".to_owned(), true), ("/old.csv".to_owned(), true)];
    let mut found = requested(requests);
    found.sort_by(|a, b| b.cmp(a));
    assert_eq!(found, both);
    // A change in the data becomes a version, and the item becomes unread.
    let reader = engine.store().reader().unwrap();
    let all = reader.keys(&View::of(Scope::All)).unwrap();
    engine.mark(Mark::Read, all, true).await.unwrap();
    files.put("/towns.csv", "text/csv", TOWNS.replace("330", "340"));
    home.clock.advance(DAY * 2);
    assert_eq!(sync_one(&engine, Pace::Manual).await, fetched(0, 1, 2));
    let changed = named("towns.csv");
    assert!(changed.changed && !changed.read && changed.versions == 1);
    assert_eq!(Revision::summary(&changed.revisions), "1 row changed");
    assert!(!named("old.csv").changed && named("old.csv").read && !named("pack.zip").changed);
    engine.shutdown().await;
}

#[tokio::test]
async fn checks_unchanged_files_less_and_less_often() {
    const FILES: usize = 15;
    let files = Files::default();
    let names: Vec<String> = (0..FILES).map(|n| format!("/{n}.csv")).collect();
    files.put(
        "/",
        "text/html",
        names.iter().map(|n| format!("<a href={n}>{n}</a>")).collect::<String>(),
    );
    let state = |n: usize| -> String { (0..=n).map(|n| format!("row {n},x\n")).collect() };
    names.iter().for_each(|name| files.put(name, "text/csv", format!("k,v\n{}", state(0))));
    let server = files.start();
    let home = Home::with(&[crawled(&server.url("/"))]);
    let engine = home.on_demand().await;
    assert_eq!(sync_one(&engine, Pace::Manual).await, fetched(FILES as u32, 0, FILES as u32));
    let (mut changes, mut most) = (0, 0);
    for n in 1..50 {
        home.clock.advance(DAY);
        files.put("/3.csv", "text/csv", format!("k,v\n{}", state(n)));
        let before = server.requests().len();
        let Refreshed::Polled(Outcome::Fetched { new: 0, updated, .. }) =
            sync_one(&engine, Pace::Manual).await
        else {
            panic!("poll {n}")
        };
        changes += updated;
        let requested = paths_requested(&server).split_off(before);
        let requested = requested.iter().filter(|path| path.ends_with(".csv")).count();
        most = most.max(requested);
        assert!(n < 40 || requested <= 3, "poll {n} sent {requested} requests for files");
    }
    assert_eq!(items(&engine).len(), FILES);
    assert_eq!(most, 10, "the limit of a poll");
    assert!(changes >= 45, "{changes}");
    engine.shutdown().await;
}

#[tokio::test]
async fn a_forbidden_or_missing_file_changes_nothing() {
    let files = Files::default();
    files.put("/", "text/html", "<a href=/a.csv>a</a><a href=/b.csv>b</a><a href=/c.csv>c</a>");
    ["/a.csv", "/b.csv", "/c.csv"].iter().for_each(|path| files.put(path, "text/csv", TOWNS));
    let server = files.start();
    let home = Home::with(&[crawled(&server.url("/"))]);
    let engine = home.on_demand().await;
    assert_eq!(sync_one(&engine, Pace::Manual).await, fetched(3, 0, 3));
    files.put("/robots.txt", "text/plain", "User-agent: *\nDisallow: /a.csv\n");
    files.remove("/b.csv");
    files.put("/c.csv", "text/html", "<!doctype html><title>Log in</title>");
    home.clock.advance(DAY * 2);
    let before = server.requests().len();
    assert_eq!(sync_one(&engine, Pace::Manual).await, fetched(0, 0, 1));
    let requested: Vec<String> =
        server.requests().split_off(before).into_iter().map(|r| r.path).collect();
    assert!(!requested.contains(&"/a.csv".to_owned()), "{requested:?}");
    let notes = polls(&engine)[0].repairs.join("; ");
    for part in ["robots.txt", "/b.csv: HTTP 404", "/c.csv: the server returned a page instead"] {
        assert!(notes.contains(part), "{part}: {notes}");
    }
    assert!(items(&engine).iter().all(|item| !item.changed && item.text_from == TextFrom::File));
    engine.shutdown().await;
}
