//! Requests for another text of an unchanged article.

use super::*;

#[tokio::test]
async fn switching_to_the_pages_text_is_not_a_change() {
    let blog = Blog { whole: true, ..Blog::with(1) };
    let server = blog.start();
    let home = home(&server, FullText::OnOpen);
    let engine = home.on_demand().await;
    sync(&engine, Pace::Manual).await;
    assert_eq!(open(&engine, 1).await, TextGot::InFeed);
    // The publisher corrects a word in the feed and on the page. The page also gains a line.
    let corrected = prose(1).replace("paragraph 5, of", "paragraph 5 and a half, of");
    let line = "<p>The keeper of the island has more letters about the bridge in the garden.</p>";
    let host = server.url("/").trim_start_matches("http://").trim_end_matches('/').to_owned();
    let feed = blog.feed(&host).replace(&prose(1), &corrected);
    blog.put("/feed", Reply::ok("application/rss+xml", feed));
    blog.put("/post-1", page(1, &(corrected + line), ""));
    home.clock.advance(HOUR / 3);
    sync(&engine, Pace::Manual).await;
    assert_eq!((item(&engine, 1).versions, item(&engine, 1).text_from), (1, TextFrom::Feed));
    assert_eq!(want(&engine, 1).await, got(TextFrom::Page));
    let shown = item(&engine, 1);
    assert!(shown.body().contains("in the garden") && shown.body().contains("5 and a half"));
    assert_eq!(shown.versions, 1, "the correction alone");
}

#[tokio::test]
async fn a_different_extraction_method_is_not_a_change() {
    let blog = Blog::with(1);
    let several = |views: usize| {
        let article = |n: usize, more: &str| {
            format!(
                "<article><h2><a href=\"/post-{n}\">Post {n}</a></h2>{}{more}</article>",
                prose(n)
            )
        };
        let views = format!("<p>{views} views</p>");
        let html = format!(
            "<!doctype html><html><head><title>Blog</title></head><body><main>{}{}</main></body></html>",
            article(1, &views),
            article(2, &views)
        );
        Reply::ok("text/html; charset=utf-8", html)
    };
    blog.put("/post-1", several(17));
    let server = blog.start();
    let home = home(&server, FullText::OnOpen);
    let engine = home.on_demand().await;
    sync(&engine, Pace::Manual).await;
    assert!(matches!(open(&engine, 1).await, TextGot::Fetched { changed: false, .. }));
    let first = item(&engine, 1);
    assert!(!first.body().contains("number 21"), "the post alone");
    // Later, the page shows a higher number of views.
    blog.put("/post-1", several(18));
    home.clock.advance(HOUR);
    let another = soon(engine.full_text(key(&engine, 1), Some(TextWay::Page))).await.unwrap();
    assert!(matches!(another, TextGot::Fetched { changed: false, .. }), "{another:?}");
    let shown = item(&engine, 1);
    assert!(shown.body().contains("number 21"), "everything on the page");
    assert_eq!((shown.versions, shown.changed), (0, false));
}
