//! A long list page: 500 KB, 3,000 elements.

/// Number of articles. Each has ten elements.
pub(crate) const ARTICLES: usize = 300;

pub(crate) fn list_page() -> String {
    let teaser = "Words of a teaser that goes on for a while, as they do. ".repeat(20);
    let card = |n: usize| {
        format!(
            "<article class='css-1x{n}y card teaser-card' data-id='{n}'><div class=card-body>\
             <h3 class=card-title><a class=card-link href='/news/2026/story-{n}'>The story of the \
             number {n} bus</a></h3><p class=meta><time datetime='2026-11-20'>20 Nov</time>\
             <span class=byline>Ann Lee</span></p><p class=teaser>{teaser}<b>more</b> \
             <a href='/tag/{n}'>tag</a></p><div class=tools data-x='{filler}'></div></div></article>",
            filler = "x".repeat(220)
        )
    };
    let cards: String = (0..ARTICLES).map(card).collect();
    format!(
        "<!doctype html><html><head><title>News</title></head><body><main><section class=list>\
         {cards}</section><a class=older href='/news?page=2'>older</a></main></body></html>"
    )
}
