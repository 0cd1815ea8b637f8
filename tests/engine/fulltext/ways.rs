//! All ways of reading a page, in turn.

use super::super::pages::{item, key, watched};
use super::super::websites::{Site, website};
use super::*;
use newsfed::model::{SourceRules, WebsiteRules};

/// A page with different texts in its article, selected part, notice and metadata.
fn page(text: &str) -> String {
    // The part that the selectors match is different in each text.
    let (start, rest) = text.split_at(text.find("</p>").unwrap() + "</p>".len());
    let words = newsfed::util::html::to_text(text);
    let data = serde_json::json!({
        "@context": "https://schema.org",
        "@type": "NewsArticle",
        "headline": "The story of bus number 1",
        "articleBody": format!("{words} This is only in the data of the page, not in its text."),
    });
    format!(
        "<script type=application/ld+json>{data}</script>\
         <nav><a href=/>Home</a> <a href=/news>News</a></nav>\
         <article><h1 class=headline>The story of bus number 1</h1>\
         <div class=story-text>{start}</div><div class=rest>{rest}</div></article>\
         <aside><p>Subscribe to the letter of the ferry, which comes every week.</p></aside>"
    )
}

/// Fetches the only item in each way in turn, repeatedly, and then once more in the last way after the page
/// has changed. `several` is whether the ways result in different texts.
async fn goes_around(declared: Source, several: bool, site: &Site, path: &str) {
    let title = declared.title.clone();
    let home = Home::with(&[declared]);
    let engine = home.on_demand().await;
    sync(&engine, Pace::Manual).await;
    engine.mark(Mark::Read, vec![key(&engine)], true).await.unwrap();
    let mut texts = Vec::new();
    for round in 0..12 {
        soon(engine.full_text(key(&engine), None)).await.unwrap();
        let shown = item(&engine);
        let change = (shown.changed, shown.substantial, shown.versions, shown.read);
        let from = shown.text_from;
        assert_eq!(change, (false, false, 0, true), "{title:?}, {round}: {from:?}");
        texts.push((from, shown.body().to_owned()));
        // After every third request, the cached page expires and is fetched again.
        if round % 3 == 2 {
            home.clock.advance(HOUR);
        }
    }
    let differ = texts.iter().any(|text| *text != texts[0]);
    assert!(differ || !several, "{title:?}: one text {:?}", texts[0]);
    // The page is read in the same way, but its text has changed.
    home.clock.advance(DAY);
    site.html(path, &page(&prose(2)));
    let way = engine.store().reader().unwrap().page(key(&engine)).unwrap().unwrap().way;
    soon(engine.full_text(key(&engine), Some(way))).await.unwrap();
    assert!(way == TextWay::Feed || item(&engine).changed, "{title:?}: {way:?}");
    engine.shutdown().await;
}

#[tokio::test]
async fn a_different_reading_of_a_page_is_not_a_change() {
    let site = Site::default();
    site.list(1);
    site.html("/news/story-1", &page(&prose(1)));
    let server = site.start();
    let url = server.url("/news/story-1");
    let feed = format!(
        "<rss version=\"2.0\"><channel><title>Blog</title><item><title>The story of bus number 1\
         </title><link>{url}</link><description>About the bus</description></item></channel></rss>"
    );
    site.put("/feed", Reply::ok("application/rss+xml", feed));
    let named = |name: &str, source: Source| Source { title: Some(name.to_owned()), ..source };
    let list = server.url("/news");
    let article = WebsiteRules {
        articles: Some("li.story a".to_owned()),
        title: "h1.headline".to_owned(),
        ..WebsiteRules::default()
    };
    let article = Source { rules: SourceRules::Website(article.into()), ..source("site", &list) };
    for (declared, several) in [
        (named("a feed", source("feed", &server.url("/feed"))), true),
        (named("a selected part", website(&list)), true),
        (named("the article of a site", article), false),
        (named("a watched page", watched(&url, None)), false),
        (named("a watched part", watched(&url, Some(".story-text"))), true),
    ] {
        site.html("/news/story-1", &page(&prose(1)));
        goes_around(declared, several, &site, "/news/story-1").await;
    }
}
