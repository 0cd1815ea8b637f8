//! Pages that are fetched before the user opens their items.

use super::*;

#[tokio::test]
async fn fetches_pages_of_new_items_if_configured() {
    let blog = Blog::with(3);
    let server = blog.start();
    let home = home(&server, FullText::All);
    let engine = home.following().await;
    received(&server, 5).await;
    settled(&engine).await;
    texts(&engine, &[1, 2, 3]).await;
    assert_eq!(paths_requested(&server), ["/feed", "/robots.txt", "/post-1", "/post-2", "/post-3"]);
    *blog.posts.lock().unwrap() = 4;
    home.clock.advance(2 * HOUR);
    texts(&engine, &[4]).await;
    assert_eq!(pages(&server).iter().filter(|p| *p == "/post-4").count(), 1);
}

#[tokio::test]
async fn prefetches_nothing_in_quiet_hours() {
    let server = Blog::with(2).start();
    let mut home = home(&server, FullText::All);
    let engine = home.on_demand().await;
    sync(&engine, Pace::Manual).await;
    engine.shutdown().await;
    let at = home.clock.now().with_timezone(&chrono::Local);
    let hours = [-1, 2].map(|h| (at + chrono::TimeDelta::hours(h)).format("%H:%M").to_string());
    home.settings.schedule.quiet_hours = Some(hours.join("-"));
    let engine = home.following().await;
    home.clock.advance(HOUR);
    replanned(&engine).await;
    assert_eq!(pages(&server), Vec::<String>::new());
    home.clock.advance(HOUR);
    texts(&engine, &[1, 2]).await;
    engine.shutdown().await;
}

#[tokio::test]
async fn fetches_only_pages_of_pinned_items() {
    let server = Blog::with(3).start();
    let home = home(&server, FullText::Pinned);
    let engine = home.following().await;
    received(&server, 1).await;
    settled(&engine).await;
    engine.mark(newsfed::store::Mark::Pinned, vec![key(&engine, 2)], true).await.unwrap();
    texts(&engine, &[2]).await;
    assert_eq!(pages(&server), ["/post-2"]);
}

#[tokio::test]
async fn prefetches_a_known_number_of_pages_once() {
    let server = Blog::with(6).start();
    let home = home(&server, FullText::OnOpen);
    let engine = home.on_demand().await;
    sync(&engine, Pace::Manual).await;
    let plan =
        engine.plan_prefetch(&[MarkedItems::Pinned, MarkedItems::Unread], 100).await.unwrap();
    assert_eq!((plan.pages.len(), plan.bytes), (6, 6 * 60_000));
    // The prefetch is stopped after the first page.
    let mut reports = engine.prefetch(plan.pages);
    assert!(soon(reports.recv()).await.is_some_and(|(_, got)| got.is_ok()));
    drop(reports);
    let plan =
        engine.plan_prefetch(&[MarkedItems::Pinned, MarkedItems::Unread], 100).await.unwrap();
    let left = plan.pages.len();
    assert!((1..6).contains(&left), "{left}");
    assert!(plan.bytes < 6 * 10_000, "{} bytes, known from the first", plan.bytes);
    let mut reports = engine.prefetch(plan.pages);
    while let Some((_, got)) = soon(reports.recv()).await {
        assert!(matches!(got, Ok(TextGot::Fetched { .. })), "{got:?}");
    }
    assert_eq!(
        engine.plan_prefetch(&[MarkedItems::Pinned, MarkedItems::Unread], 100).await.unwrap().pages,
        []
    );
    let mut requested = pages(&server);
    requested.dedup();
    assert!(requested.len() <= 7, "none twice but the cancelled one: {requested:?}");
    assert_eq!(engine.plan_prefetch(&[MarkedItems::Pinned], 100).await.unwrap().pages, []);
}

#[tokio::test]
async fn finishes_a_running_page_request_when_a_poll_begins() {
    let blog = Blog::with(2);
    blog.put("/post-1", page(1, &prose(1), "").after(SECOND));
    let server = blog.start();
    let home = home(&server, FullText::All);
    let engine = home.following().await;
    while !pages(&server).contains(&"/post-1".to_owned()) {
        received(&server, server.requests().len() + 1).await;
    }
    sync(&engine, Pace::Force).await;
    texts(&engine, &[1, 2]).await;
    assert_eq!(pages(&server), ["/post-1", "/post-2"], "none twice");
}

#[tokio::test]
async fn drops_failed_pages_of_full_text_feeds() {
    let blog = Blog { whole: true, ..Blog::with(3) };
    blog.put("/post-1", Reply::status(500));
    let server = blog.start();
    let home = home(&server, FullText::All);
    let engine = home.on_demand().await;
    sync(&engine, Pace::Manual).await;
    assert!(matches!(open(&engine, 1).await, TextGot::Failed(_)));
    assert_eq!(open(&engine, 2).await, TextGot::InFeed);
    engine.shutdown().await;
    home.clock.advance(HOUR);
    let engine = home.following().await;
    let next = || engine.store().reader().unwrap().page(key(&engine, 1)).unwrap().unwrap().next;
    let mut revision = engine.store().revision();
    while next().is_some() {
        soon(revision.changed()).await.unwrap();
    }
    assert_eq!(pages(&server).iter().filter(|p| *p == "/post-1").count(), 1);
}

#[tokio::test]
async fn retries_failed_pages_when_due() {
    let blog = Blog::with(3);
    blog.put("/post-1", Reply::status(500));
    blog.put("/post-2", Reply::status(404));
    let server = blog.start();
    let home = home(&server, FullText::OnOpen);
    let engine = home.on_demand().await;
    sync(&engine, Pace::Manual).await;
    let database = rusqlite::Connection::open(home.paths().database()).unwrap();
    // DNS names cannot be this long, so no DNS query is sent.
    let nowhere = format!("http://{}.example/post-3", "n".repeat(64));
    let set = "UPDATE item SET url = ?1 WHERE title = 'Post 3'";
    assert_eq!(database.execute(set, [nowhere]).unwrap(), 1);
    let kept = [MarkedItems::Pinned, MarkedItems::Unread];
    let plan = engine.plan_prefetch(&kept, 100).await.unwrap();
    assert_eq!((plan.pages.len(), plan.failed), (3, 0));
    let mut reports = engine.prefetch(plan.pages);
    while let Some((_, got)) = soon(reports.recv()).await {
        assert!(matches!(got, Ok(TextGot::Failed(_))), "{got:?}");
    }
    let plan = engine.plan_prefetch(&kept, 100).await.unwrap();
    let planned: Vec<i64> = plan.pages.iter().map(|p| p.item).collect();
    assert_eq!((planned, plan.failed), (vec![key(&engine, 3)], 2), "offline says nothing");
    assert_eq!(item(&engine, 3).fetch_error, None);
    home.clock.advance(HOUR);
    let plan = engine.plan_prefetch(&kept, 100).await.unwrap();
    let planned: Vec<i64> = plan.pages.iter().map(|p| p.item).collect();
    assert_eq!((planned, plan.failed), (vec![key(&engine, 1), key(&engine, 3)], 1));
    assert!(plan.nothing().contains("1 has no text"));
}
