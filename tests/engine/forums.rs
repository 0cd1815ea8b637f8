//! Forums: session ids in URLs, authors and replies to known topics; and pinned articles in any list.

use super::websites::Site;
use super::*;
use newsfed::model::{SourceRules, WebsiteRules};
use newsfed::store::Mark;

/// A list of topics with the time of each topic's last post. `visit` is the session id in the URLs.
fn board(visit: &str, topics: &[(u32, &str)]) -> String {
    let row = |(topic, last): &(u32, &str)| {
        format!(
            "<tr><td><a class=topictitle href='/viewtopic.php?t={topic}&sid={visit}'>Topic {topic}</a> by \
             <a href='/memberlist.php?u=1{topic}'>Ann {topic}</a> 10 Jan 2027, 09:00</td><td>\
             <a href='/memberlist.php?u=7'>Bob</a> {last}</td></tr>"
        )
    };
    format!("<table>{}</table>", topics.iter().map(row).collect::<String>())
}

fn topic(site: &Site, number: u32, posts: &[&str]) {
    let post = |text: &&str| format!("<div class=post><p>{text}</p></div>");
    let posts: String = posts.iter().map(post).collect();
    site.html(
        &format!("/viewtopic.php?t={number}"),
        &format!("<h1>Topic {number}</h1><div class=posts>{posts}</div>"),
    );
}

fn rules(articles: &str) -> WebsiteRules {
    WebsiteRules {
        articles: Some(articles.to_owned()),
        title: "h1".to_owned(),
        content: ".posts".to_owned(),
        ..WebsiteRules::default()
    }
}

fn forum(url: &str, rules: WebsiteRules) -> Source {
    Source { rules: SourceRules::Website(rules.into()), ..source("forum", url) }
}

const FIRST: &str = "The first post asks how the old lamp of the lighthouse was lit.";
const REPLY: &str = "A reply explains at length that it was never lit at all.";

#[tokio::test]
async fn detects_replies_and_ignores_session_ids() {
    let site = Site::default();
    let visits = ["0123456789abcdef0123456789abcdef", "fedcba98765432100123456789abcdef"];
    site.html("/", &board(visits[0], &[(1, "14 Jan 2027, 10:00"), (2, "12 Jan 2027, 10:00")]));
    topic(&site, 1, &[FIRST]);
    topic(&site, 2, &[FIRST]);
    let server = site.start();
    let home = Home::with(&[forum(&server.url("/"), rules("a.topictitle"))]);
    let engine = home.on_demand().await;
    assert_eq!(sync_one(&engine, Pace::Manual).await, fetched(2, 0, 2));
    let found = items(&engine);
    let one = found.iter().find(|item| item.title == "Topic 1").unwrap();
    assert_eq!(one.url.as_deref(), Some(server.url("/viewtopic.php?t=1").as_str()));
    assert_eq!(one.authors, ["Ann 1"], "the one who has started the topic");
    let summary = one.summary.clone();
    assert!(summary.as_ref().is_some_and(|text| text.contains(FIRST)), "{summary:?}");

    let keys: Vec<i64> = (1..=engine.store().reader().unwrap().last_key().unwrap()).collect();
    engine.store().mark(Mark::Read, keys, true).await.unwrap();
    home.clock.advance(DAY);
    site.html("/", &board(visits[1], &[(1, "16 Jan 2027, 07:00"), (2, "12 Jan 2027, 10:00")]));
    topic(&site, 1, &[FIRST, REPLY]);
    let before = server.requests().len();
    assert_eq!(sync_one(&engine, Pace::Manual).await, fetched(0, 1, 1));
    let requested = paths_requested(&server)[before..].to_vec();
    assert_eq!(
        requested.iter().filter(|path| path.starts_with("/view")).count(),
        1,
        "{requested:?}"
    );
    let reader = engine.store().reader().unwrap();
    let unread: Vec<String> = (1..=reader.last_key().unwrap())
        .filter_map(|key| reader.row(key).unwrap())
        .filter(|row| !row.read)
        .map(|row| row.title)
        .collect();
    assert_eq!(unread, ["Topic 1"]);
    let one = items(&engine).into_iter().find(|item| item.title == "Topic 1").unwrap();
    assert_eq!(one.summary, summary, "a topic is not a watched page");
    home.clock.advance(DAY);
    site.html("/", &board(visits[0], &[(1, "16 Jan 2027, 07:00"), (2, "12 Jan 2027, 10:00")]));
    let before = server.requests().len();
    sync_one(&engine, Pace::Manual).await;
    let requested = paths_requested(&server)[before..].to_vec();
    assert!(
        !requested.iter().any(|path| path.starts_with("/view")),
        "nothing has happened: {requested:?}"
    );
    engine.shutdown().await;
}

#[tokio::test]
async fn a_pinned_article_does_not_hide_new_ones() {
    let site = Site::default();
    let page = |articles: &[u32], next: &str| {
        let row = |n: &u32| format!("<p><a class=t href=/a{n}>Article {n}</a></p>");
        format!(
            "{}<a class=next href={next}>Older</a>",
            articles.iter().map(row).collect::<String>()
        )
    };
    for n in 1..=40 {
        site.html(
            &format!("/a{n}"),
            &format!("<h1>Article {n}</h1><div class=posts>{FIRST}</div>"),
        );
    }
    site.html("/", &page(&[1, 2, 3], "/none"));
    let server = site.start();
    let rules = WebsiteRules { max_pages: 3, next: Some("a.next".to_owned()), ..rules("a.t") };
    let home = Home::with(&[forum(&server.url("/"), rules)]);
    let engine = home.on_demand().await;
    sync_one(&engine, Pace::Manual).await;
    let stored = titles(&engine).len();
    home.clock.advance(DAY);
    // Article 1 is pinned, and twenty others are new.
    site.html("/", &page(&[&[1][..], &(14..=23).rev().collect::<Vec<_>>()].concat(), "/2"));
    site.html("/2", &page(&[&(4..=13).rev().collect::<Vec<_>>()[..], &[3, 2, 1]].concat(), "/3"));
    site.html("/3", &page(&[40], "/none"));
    sync_one(&engine, Pace::Manual).await;
    assert_eq!(titles(&engine).len(), stored + 20);
    assert!(!paths_requested(&server).contains(&"/3".to_owned()), "known articles end the walk");
    engine.shutdown().await;
}

#[tokio::test]
async fn refetches_only_when_local_times_change() {
    let site = Site::default();
    let list = |head: &str, updated: &str| {
        let row = "<a class=t href=/a>One</a> 15 Jan 2027, 17:30";
        site.html("/", &format!("<p>{head}</p><ul><li>{row}, updated {updated}</ul>"));
    };
    let article = |text: &str| {
        site.html("/a", &format!("<h1>One</h1><div class=posts><p>{FIRST}</p>{text}</div>"));
    };
    // The page is fetched at 8:00 UTC, which is 18:00 in the time zone of the page.
    list("Monday", "15 Jan 2027, 17:55");
    article("");
    let server = site.start();
    let home = Home::with(&[forum(&server.url("/"), rules("a.t"))]);
    let engine = home.on_demand().await;
    assert_eq!(sync_one(&engine, Pace::Manual).await, fetched(1, 0, 1));
    home.clock.advance(DAY);
    list("Tuesday", "15 Jan 2027, 17:55");
    sync_one(&engine, Pace::Manual).await;
    let requested = || paths_requested(&server).iter().filter(|path| *path == "/a").count();
    assert_eq!(requested(), 1);
    // The last post is half an hour newer than the first fetch.
    list("Wednesday", "15 Jan 2027, 18:30");
    article(&format!("<p>{REPLY}</p>"));
    home.clock.advance(DAY);
    assert_eq!(sync_one(&engine, Pace::Manual).await, fetched(0, 1, 1));
    assert_eq!(requested(), 2);
    engine.shutdown().await;
}
