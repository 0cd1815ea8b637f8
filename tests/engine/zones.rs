//! Times without a time zone, on a site that shows its offset elsewhere.

use super::websites::Site;
use super::*;
use newsfed::model::{DateSource, SourceRules, WebsiteRules, ZoneSource};

const TEXT: &str = "<div class=story-text><p>The bus went on to the harbour and came back in the evening, \
    and those who had waited for it since noon were glad.</p><p>It will go there again on Monday.</p></div>";

fn page(n: usize, head: &str, date: &str) -> String {
    format!(
        "{head}<article><h1 class=headline>Story {n}</h1><p class=meta>{date}</p>{TEXT}</article>"
    )
}

fn stated(time: &str) -> String {
    format!(
        "<script type=application/ld+json>{{\"@type\":\"NewsArticle\",\"datePublished\":\"{time}\"}}</script>"
    )
}

/// Serves a list of these articles, with a text next to each link.
fn list(site: &Site, rows: &[(usize, &str)]) {
    let row = |(n, beside): &(usize, &str)| {
        format!("<li class=story><a href=/s{n}>Story {n}</a> {beside}</li>")
    };
    let rows: String = rows.iter().map(row).collect();
    site.html("/news", &format!("<ul>{rows}</ul>"));
}

fn followed(url: &str, date: Option<&str>) -> Source {
    let rules = WebsiteRules {
        articles: Some("li.story a".to_owned()),
        title: "h1.headline".to_owned(),
        content: ".story-text".to_owned(),
        date: date.map(str::to_owned),
        ..WebsiteRules::default()
    };
    Source { rules: SourceRules::Website(rules.into()), ..source("site", url) }
}

/// The titles of all items in order, with their dates and the origins of their time zones.
fn dates(engine: &Handle) -> Vec<(String, String, Option<ZoneSource>)> {
    let mut found: Vec<_> = items(engine)
        .into_iter()
        .map(|i| (i.title, i.published.unwrap().to_rfc3339(), i.published_zone))
        .collect();
    found.sort_by(|a, b| a.0.cmp(&b.0));
    found
}

fn want(n: usize, time: &str, zone: Option<ZoneSource>) -> (String, String, Option<ZoneSource>) {
    (format!("Story {n}"), format!("2024-{time}:00+00:00"), zone)
}

#[tokio::test]
async fn times_without_a_zone_use_that_of_other_pages() {
    let site = Site::default();
    list(&site, &[(1, "")]);
    site.html("/s1", &page(1, &stated("2024-02-20T10:30:00+01:00"), ""));
    let server = site.start();
    let home = Home::with(&[followed(&server.url("/news"), None)]);
    let engine = home.on_demand().await;
    sync_one(&engine, Pace::Manual).await;
    home.clock.advance(DAY);
    list(&site, &[(5, "2 March 2024, 11:05"), (4, ""), (3, ""), (2, ""), (1, "")]);
    site.html("/s2", &page(2, "", "Published 26 February 2024, 09:15"));
    // A date without a time, a time in another zone, and an article that is dated only in the list.
    site.html("/s3", &page(3, "", "Published 27 February 2024"));
    site.html("/s4", &page(4, "", "Published 28 February 2024, 09:15 JST"));
    site.html("/s5", &page(5, "", ""));
    sync_one(&engine, Pace::Manual).await;
    let all = [
        want(1, "02-20T09:30", None),
        want(2, "02-26T08:15", Some(ZoneSource::Site)),
        want(3, "02-27T00:00", None),
        want(4, "02-28T00:15", None),
        want(5, "03-02T10:05", Some(ZoneSource::Site)),
    ];
    assert_eq!(dates(&engine), all);
    let last = items(&engine).into_iter().find(|i| i.title == "Story 5").unwrap();
    assert_eq!(last.published_from, Some(DateSource::List));
    engine.shutdown().await;
}

#[tokio::test]
async fn ignores_zones_in_comments_and_beyond_a_clock_change() {
    let site = Site::default();
    let comments = "<section class=comments><h2>Comments</h2><ol><li class=comment><p>Bo <time \
        datetime='2024-02-27T08:00:00-05:00'>27 February</time></p><p>I was on that bus too, and it was \
        very late.</p></li></ol></section>";
    list(&site, &[(1, "")]);
    site.html("/s1", &(page(1, "", "Published 20 February 2024, 10:30") + comments));
    let server = site.start();
    let home = Home::with(&[followed(&server.url("/news"), None)]);
    let engine = home.on_demand().await;
    sync_one(&engine, Pace::Manual).await;
    home.clock.advance(DAY);
    list(&site, &[(2, ""), (1, "")]);
    site.html("/s2", &page(2, "", "Published 21 February 2024, 10:30"));
    sync_one(&engine, Pace::Manual).await;
    home.clock.advance(DAY);
    list(&site, &[(3, ""), (5, ""), (4, ""), (2, ""), (1, "")]);
    site.html("/s3", &page(3, &stated("2024-02-27T10:30:00+01:00"), ""));
    // A date in summer, and a page with times in UTC (`Z`).
    site.html("/s4", &page(4, "", "Published 20 August 2023, 10:30"));
    site.html("/s5", &page(5, &stated("2024-02-28T10:30:00Z"), "28 February 2024, 10:30"));
    sync_one(&engine, Pace::Manual).await;
    let found = dates(&engine);
    let all = [
        want(1, "02-20T10:30", None),
        want(2, "02-21T10:30", None),
        want(3, "02-27T09:30", None),
        ("Story 4".to_owned(), "2023-08-20T10:30:00+00:00".to_owned(), None),
        want(5, "02-28T10:30", None),
    ];
    assert_eq!(found, all);
    engine.shutdown().await;
}

#[tokio::test]
async fn reads_selected_times_in_the_zone_of_the_page() {
    let site = Site::default();
    list(&site, &[(3, ""), (2, ""), (1, "")]);
    // The structured data contains the same time in another zone than the visible text.
    site.html(
        "/s1",
        &page(1, &stated("2024-02-20T08:15:00+01:00"), "<b>20 February 2024, 09:15</b>"),
    );
    site.html("/s2", &page(2, &stated("2024-02-21T07:42:00+01:00"), "<b>21 February 2024</b>"));
    let changed = "<meta property=article:modified_time content=2024-02-24T07:42:00+01:00>";
    site.html("/s3", &page(3, changed, "<b>22 February 2024, 09:15</b>"));
    let server = site.start();
    let home = Home::with(&[followed(&server.url("/news"), Some(".meta b"))]);
    let engine = home.on_demand().await;
    sync_one(&engine, Pace::Manual).await;
    let page_zone = Some(ZoneSource::Page);
    let all = [
        want(1, "02-20T07:15", page_zone),
        want(2, "02-21T00:00", None),
        want(3, "02-22T08:15", page_zone),
    ];
    assert_eq!(dates(&engine), all);
    engine.shutdown().await;
}

#[tokio::test]
async fn rereading_uses_a_zone_learned_later() {
    let site = Site::default();
    list(&site, &[(2, ""), (1, "")]);
    site.html("/s1", &page(1, &stated("2024-02-20T10:30:00-05:00"), ""));
    site.html("/s2", &page(2, "", "Published 21 February 2024, 10:30"));
    let server = site.start();
    let home = Home::with(&[followed(&server.url("/news"), None)]);
    let engine = home.on_demand().await;
    sync_one(&engine, Pace::Manual).await;
    assert_eq!(dates(&engine)[1], want(2, "02-21T10:30", None));
    engine.reread(facts(&engine, "site").await.key, 10).await.unwrap();
    assert_eq!(dates(&engine)[1], want(2, "02-21T15:30", Some(ZoneSource::Site)));
    engine.shutdown().await;
}
