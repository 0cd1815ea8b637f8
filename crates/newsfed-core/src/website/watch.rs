//! The part of a page that is watched for changes.

use super::page::{Page, own};
use super::selector::Selectors;
use crate::util::html::{self, tree::text_of};
use crate::util::text;
use scraper::{ElementRef, Html, Selector};
use std::collections::HashSet;
use std::sync::LazyLock;

/// Maximum size of the watched markup, in bytes.
const MAX_MARKUP: usize = 1 << 20;

static MAIN: LazyLock<Option<Selector>> = LazyLock::new(|| own("main, [role=main]"));
static BODY: LazyLock<Option<Selector>> = LazyLock::new(|| own("body"));
/// Elements around the content of a page, and advertisements.
static AROUND: LazyLock<Option<Selector>> = LazyLock::new(|| {
    own("nav, footer, aside, script, style, noscript, template, iframe, dialog, \
         [role=navigation], [role=banner], [role=contentinfo], [role=complementary], [aria-hidden=true], \
         form input, form button, form select, form textarea, \
         .ad, .ads, .advert, .advertisement, .adsbygoogle, .sponsored, .cookie-banner")
});
static FORM: LazyLock<Option<Selector>> = LazyLock::new(|| own("form"));
static HEADER: LazyLock<Option<Selector>> = LazyLock::new(|| own("body > header"));

static H1: LazyLock<Option<Selector>> = LazyLock::new(|| own("h1"));
static ARTICLE: LazyLock<Option<Selector>> = LazyLock::new(|| own("article"));
static ARTICLE_TYPE: LazyLock<Option<Selector>> = LazyLock::new(|| {
    own("meta[property='og:type'][content=article], [itemtype$=Article], [itemtype$=BlogPosting]")
});

/// Whether a page declares itself to be one article, by its metadata or by its only `article` element.
pub fn declares_article(page: &Page) -> bool {
    let count = |selector: &Option<Selector>| {
        selector.as_ref().map_or(0, |s| page.tree().select(s).take(2).count())
    };
    count(&ARTICLE) == 1 || count(&ARTICLE) == 0 && count(&ARTICLE_TYPE) == 1
}

/// All parts of a page that a selector matches, as safe HTML; `None` if it matches nothing.
pub fn selected_part(page: &Page, selector: &str) -> Option<String> {
    let selectors = Selectors::parse(selector).ok()?;
    let found = selectors.first_matching(page.tree());
    let all: HashSet<_> = found.iter().map(|e| e.id()).collect();
    let mut markup = String::new();
    for element in &found {
        // The markup of a match includes the matches inside it.
        if element.ancestors().any(|around| all.contains(&around.id())) {
            continue;
        }
        markup.push_str(&element.html());
        if markup.len() >= MAX_MARKUP {
            break;
        }
    }
    (!found.is_empty()).then(|| clean(page, &markup))
}

/// The main element of a page, or else its body, as safe HTML, without elements that every page of the site
/// has, and without the heading that equals `title`.
pub fn main_part(page: &Page, title: &str) -> String {
    let mut tree = page.tree().clone();
    let around: Vec<_> = [&AROUND, &HEADER]
        .into_iter()
        .filter_map(|selector| selector.as_ref())
        .flat_map(|selector| page.tree().select(selector).map(|e| e.id()))
        .chain(page_heading(page, title))
        .collect();
    for id in around {
        if let Some(mut node) = tree.tree.get_mut(id) {
            node.detach();
        }
    }
    for id in small_forms(&tree) {
        if let Some(mut node) = tree.tree.get_mut(id) {
            node.detach();
        }
    }
    let first = |selector: &Option<Selector>| {
        selector
            .as_ref()
            .and_then(|s| tree.select(s).next())
            .map(|e: ElementRef<'_>| e.inner_html())
    };
    clean(page, &first(&MAIN).or_else(|| first(&BODY)).unwrap_or_default())
}

/// The forms with less than half of the text. Some systems put the whole page into one form.
fn small_forms(tree: &Html) -> Vec<ego_tree::NodeId> {
    let letters = |e: ElementRef<'_>| text_of(e).chars().filter(|c| c.is_alphanumeric()).count();
    let body = BODY.as_ref().and_then(|s| tree.select(s).next());
    let (Some(body), Some(forms)) = (body, FORM.as_ref()) else { return Vec::new() };
    let all = letters(body);
    // Forms that have been detached are still found, which does no harm.
    tree.select(forms)
        .filter(|form| letters(*form) * 2 < all.max(1))
        .map(|form| form.id())
        .collect()
}

fn page_heading(page: &Page, title: &str) -> Option<ego_tree::NodeId> {
    let heading = H1.as_ref().and_then(|s| page.tree().select(s).next())?;
    (text::line(&text_of(heading)) == title).then(|| heading.id())
}

fn clean(page: &Page, markup: &str) -> String {
    html::clean(text::start(markup, MAX_MARKUP), Some(page.base()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(markup: &str) -> Page {
        Page::parse(markup, &url::Url::parse("https://example.org/a").unwrap()).unwrap()
    }

    #[test]
    fn leaves_out_everything_around_the_content() {
        let cases = [
            (
                "<body><nav>Home</nav><main><h1>Prices</h1><p>Tea 3 €</main><footer>©</footer>",
                "Tea 3 €",
            ),
            (
                "<body><header>Club</header><h2>News</h2><div class=ads>Buy</div><p>Open day<form>Mail</form>",
                "News Open day",
            ),
            ("<body><main></main>", ""),
            (
                "<body><form><nav>Home</nav><h2>Prices</h2><input value=x><p>Tea 3 € <select><option>All\
                 </select><button>Go</button></form>Imprint",
                "Prices Tea 3 € Imprint",
            ),
        ];
        for (markup, want) in cases {
            let found = html::to_text(&main_part(&page(markup), "Prices"));
            assert_eq!(found.split_whitespace().collect::<Vec<_>>().join(" "), want, "{markup}");
        }
    }

    #[test]
    fn recognises_declared_articles() {
        let meta = "<meta property=og:type content=article>";
        let cases = [
            ("<article>a</article>".to_owned(), true),
            ("<article>a</article><article>b</article>".to_owned(), false),
            (format!("{meta}<p>a"), true),
            (format!("{meta}<article>a</article><article>b</article>"), false),
            ("<p>a".to_owned(), false),
        ];
        for (markup, want) in cases {
            assert_eq!(declares_article(&page(&markup)), want, "{markup}");
        }
    }

    #[test]
    fn selects_the_part_by_selector() {
        let page = page("<p class=a>One</p><p class=b>Two</p><p class=a>Three</p>");
        let text = |selector: &str| selected_part(&page, selector).map(|part| html::to_text(&part));
        let three = text("p.a").unwrap();
        assert_eq!(three.split_whitespace().collect::<Vec<_>>(), ["One", "Three"]);
        assert_eq!(text("p.c"), None);
    }

    #[test]
    fn nested_matches_are_read_once() {
        let nested = format!("{}<p>{}", "<div class=e>".repeat(200), "word ".repeat(100_000));
        let part = selected_part(&page(&nested), "div.e").unwrap();
        assert_eq!(html::to_text(&part).split_whitespace().count(), 100_000);
        let many = format!("<p class=e>{}</p>", "word ".repeat(100)).repeat(4_000);
        let part = selected_part(&page(&many), ".e").unwrap();
        assert!(part.len() <= MAX_MARKUP + 1000, "{}", part.len());
    }
}
