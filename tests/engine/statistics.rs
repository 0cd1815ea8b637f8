//! Statistics of sources after real polls.

use super::*;
use newsfed::engine::{RemovalReason, statistics};
use newsfed::store::Mark;
use std::sync::atomic::{AtomicI64, Ordering};

#[tokio::test]
async fn counts_published_and_read_items() {
    let home = Home::new();
    let start = home.clock.now();
    // Twenty-four items, one for each of the last 24 days, at ten minutes past the hour.
    let moved = Arc::new(AtomicI64::new(0));
    let days = moved.clone();
    let server = Server::start(move |request| match request.path.as_str() {
        "/news" => {
            let days = days.load(Ordering::SeqCst);
            let item = |n: i64| {
                let at = start + chrono::TimeDelta::days(days - n) + chrono::TimeDelta::minutes(10);
                let date = at.to_rfc2822();
                format!(
                    "<item><guid>{days}-{n}</guid><title>Item {days}-{n}</title><description>{}</description>\
                     <pubDate>{date}</pubDate></item>",
                    "word ".repeat(460)
                )
            };
            let items: String = (1..=24).map(item).collect();
            let text =
                format!("<rss version=\"2.0\"><channel><title>N</title>{items}</channel></rss>");
            Reply::ok("application/rss+xml", text)
        }
        _ => Reply::status(410),
    })
    .unwrap();
    let sources = [source("gone", &server.url("/gone")), source("news", &server.url("/news"))];
    home.declare(&sources);
    let engine = home.on_demand().await;
    sync(&engine, Pace::Manual).await;
    while engine.store().index_step().await.unwrap().is_some() {}
    let all = items_by_date(&engine);
    engine.mark(Mark::Read, all[..2].to_vec(), true).await.unwrap();
    let zone = chrono::FixedOffset::east_opt(3600).unwrap();
    let declared: Vec<_> = sources.iter().cloned().map(Arc::new).collect();
    let reader = engine.store().reader().unwrap();
    let found = statistics(&reader, &declared, 2, zone, home.clock.now()).unwrap();
    assert_eq!((found.items, found.read, found.complete), (14, 2, true));
    assert_eq!(found.items_per_week, [7, 7]);
    assert_eq!(found.read_per_week, [0, 2]);
    let hour = (start + chrono::TimeDelta::minutes(70)).format("%H").to_string();
    assert_eq!(found.hours[hour.parse::<usize>().unwrap()], 14);
    assert_eq!((found.polls, found.failed), (2, 1));
    let [news, gone] = found.sources.as_slice() else { panic!("{found:?}") };
    assert_eq!((news.source.as_str(), news.items, news.read, news.minutes), ("news", 14, 2, 4));
    assert_eq!((news.removal, gone.removal), (None, Some(RemovalReason::Gone)));
    // After four weeks, a source is suggested for removal if less than a twentieth of its items have been
    // read.
    home.clock.advance(28 * DAY);
    let later = statistics(&reader, &declared, 8, zone, home.clock.now()).unwrap();
    let news = later.sources.iter().find(|s| s.source.as_str() == "news").unwrap();
    assert_eq!((news.items, news.removal), (24, None), "two of 24 are more than a twentieth");
    engine.mark(Mark::Read, all[..1].to_vec(), false).await.unwrap();
    let later = statistics(&reader, &declared, 8, zone, home.clock.now()).unwrap();
    let news = later.sources.iter().find(|s| s.source.as_str() == "news").unwrap();
    assert_eq!(news.removal, Some(RemovalReason::Unread));
    assert_eq!(news.reason().unwrap(), "1 of 24 items read");
    // Statistics of a short period are sufficient if the source has been followed for a long time.
    sync(&engine, Pace::Manual).await;
    moved.store(56, Ordering::SeqCst);
    home.clock.advance(28 * DAY);
    sync(&engine, Pace::Manual).await;
    let later = statistics(&reader, &declared, 4, zone, home.clock.now()).unwrap();
    let news = later.sources.iter().find(|s| s.source.as_str() == "news").unwrap();
    assert_eq!((news.items, news.removal), (24, Some(RemovalReason::Unread)));
    engine.shutdown().await;
}

#[tokio::test]
async fn counts_items_without_a_date_only_if_a_later_poll_found_them() {
    let home = Home::new();
    let count = Arc::new(AtomicI64::new(3));
    let served = count.clone();
    let server = Server::start(move |request| match request.path.as_str() {
        "/news" => {
            let item = |n: i64| {
                format!(
                    "<item><guid>{n}</guid><title>Item {n}</title>\
                     <description>Text {n}</description></item>"
                )
            };
            let items: String = (1..=served.load(Ordering::SeqCst)).rev().map(item).collect();
            let text =
                format!("<rss version=\"2.0\"><channel><title>N</title>{items}</channel></rss>");
            Reply::ok("application/rss+xml", text)
        }
        _ => Reply::status(404),
    })
    .unwrap();
    let sources = [source("news", &server.url("/news"))];
    home.declare(&sources);
    let engine = home.on_demand().await;
    let declared: Vec<_> = sources.iter().cloned().map(Arc::new).collect();
    let reader = engine.store().reader().unwrap();
    let zone = chrono::FixedOffset::east_opt(0).unwrap();
    let counted = || {
        let found = statistics(&reader, &declared, 2, zone, home.clock.now()).unwrap();
        let hours = found.hours.iter().sum::<u32>();
        (found.items, found.items_per_week, hours, found.sources[0].items)
    };
    assert_eq!(sync_one(&engine, Pace::Manual).await, fetched(3, 0, 3));
    assert_eq!(items_by_date(&engine).len(), 3);
    assert_eq!(counted(), (0, vec![0, 0], 0, 0), "they may be of any age");
    count.store(4, Ordering::SeqCst);
    home.clock.advance(DAY);
    assert_eq!(sync_one(&engine, Pace::Manual).await, fetched(1, 0, 4));
    assert_eq!(counted(), (1, vec![0, 1], 1, 1));
    engine.shutdown().await;
}

/// Row keys of all items, newest first.
fn items_by_date(engine: &Handle) -> Vec<i64> {
    let reader = engine.store().reader().unwrap();
    let window = reader.window(&View::of(Scope::All), Anchor::First, 100).unwrap();
    window.rows.iter().map(|row| row.key).collect()
}
