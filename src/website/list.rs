//! The links of a list page.

use super::page::Page;
use super::selector::Selectors;
use crate::model::Time;
use crate::util::html::tree::text_up_to;
use crate::util::limits;
use crate::util::url::normalise;
use crate::util::{date, text};
use scraper::ElementRef;
use std::collections::HashSet;
use url::Url;

/// Maximum number of elements of a block that are searched for a date.
const MAX_ELEMENTS: usize = 200;
/// Maximum number of bytes of a link's text that are used as title.
const MAX_TITLE: usize = 2000;
/// Maximum number of levels above a link that are searched for its date.
const DATE_LEVELS: usize = 3;

/// The links found on a list page.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ListPage {
    /// Articles in the order of the page, each URL once.
    pub links: Vec<ListLink>,
    /// The next page of the list.
    pub next: Option<Url>,
    /// Number of links beyond [`limits::LIST_LINKS`].
    pub left_out: usize,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListLink {
    pub url: Url,
    /// The text of the link; one sanitised line, may be empty.
    pub title: String,
    /// A date beside the link, if the page gives one in a machine-readable form.
    pub date: Option<Time>,
}

/// Finds the links to articles and to the next page.
pub fn list_page(page: &Page, articles: &Selectors, next: Option<&Selectors>) -> ListPage {
    // The list itself is not an article.
    let mut seen = HashSet::from([normalise(page.url())]);
    // As written: surplus links are counted without resolving them.
    let mut written = HashSet::new();
    let mut links = Vec::new();
    let mut left_out = 0;
    for element in articles.all(page.tree()) {
        let Some(link) = link_of(element) else { continue };
        let Some(href) = link.attr("href").filter(|href| written.insert(*href)) else { continue };
        if links.len() == limits::LIST_LINKS {
            left_out += 1;
            continue;
        }
        let Some(url) = page.resolve(href) else { continue };
        if seen.insert(normalise(&url)) {
            let title = text::line(&text_up_to(link, MAX_TITLE));
            links.push(ListLink { url, title, date: date_beside(link) });
        }
    }
    let next = next.and_then(|s| s.first(page.tree())).and_then(link_of);
    let next = next.and_then(|a| page.resolve(a.attr("href")?));
    ListPage { links, next, left_out }
}

/// The link that an element is, contains, or is inside of.
fn link_of(element: ElementRef<'_>) -> Option<ElementRef<'_>> {
    let is_link = |e: &ElementRef<'_>| e.attr("href").is_some();
    if is_link(&element) {
        return Some(element);
    }
    let inside = element.descendent_elements().find(|e| e.value().name() == "a" && is_link(e));
    inside.or_else(|| {
        let mut around = element.ancestors().filter_map(ElementRef::wrap);
        around.find(|e| e.value().name() == "a" && is_link(e))
    })
}

/// The date in the `time` element of the block around a link.
pub(super) fn date_beside(link: ElementRef<'_>) -> Option<Time> {
    let around = link.ancestors().filter_map(ElementRef::wrap).take(DATE_LEVELS);
    for block in around {
        let mut times = block
            .descendent_elements()
            .take(MAX_ELEMENTS)
            .filter(|e| e.value().name() == "time")
            .filter_map(|e| date::parse(e.attr("datetime").unwrap_or_default()));
        match (times.next(), times.next()) {
            (Some(one), None) => return Some(one),
            // The block contains several articles.
            (Some(_), Some(_)) => return None,
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(markup: &str, articles: &str, next: Option<&str>) -> (Vec<String>, Option<String>) {
        let url = Url::parse("https://example.org/news/").unwrap();
        let page = Page::parse(markup, &url).unwrap();
        let selectors = |s: &str| Selectors::parse(s).unwrap();
        let list = list_page(&page, &selectors(articles), next.map(selectors).as_ref());
        let short = |u: &Url| u.as_str().replace("https://example.org", "");
        (list.links.iter().map(|l| short(&l.url)).collect(), list.next.as_ref().map(short))
    }

    #[test]
    fn finds_links_of_elements() {
        let cases: [(&str, &str, &[&str]); 7] = [
            ("<a class=s href=a>1</a><a href=b>2</a>", "a.s", &["/news/a"]),
            ("<li class=s><b>x</b><a href=a>1</a><a href=b>2</a></li>", ".s", &["/news/a"]),
            ("<a href=a><h2 class=s>1</h2></a>", "h2.s", &["/news/a"]),
            ("<h2 class=s>no link</h2><a name=x class=s>1</a>", ".s", &[]),
            ("<a class=s href=a><img></a><a class=s href='a#x'>1</a>", ".s", &["/news/a"]),
            ("<a class=s href='mailto:a@b'>1</a><a class=s href='/c?d'>2</a>", ".s", &["/c?d"]),
            (
                "<h3 class=t><a href=b>2</a></h3><a class=s href=a>1</a>",
                ".s, .t",
                &["/news/b", "/news/a"],
            ),
        ];
        for (markup, articles, want) in cases {
            assert_eq!(list(markup, articles, None).0, want, "{markup}");
        }
    }

    #[test]
    fn counts_links_beyond_the_limit() {
        let markup: String = (0..limits::LIST_LINKS + 7)
            .map(|n| format!("<a href={n}>x</a><a href={n}>x</a>"))
            .collect();
        let page = Page::parse(&markup, &Url::parse("https://example.org/").unwrap()).unwrap();
        let list = list_page(&page, &Selectors::parse("a").unwrap(), None);
        assert_eq!((list.links.len(), list.left_out), (limits::LIST_LINKS, 7));
    }

    #[test]
    fn finds_next_page_and_dates() {
        let markup = "<div class=row><a class=s href=a>A</a> <time datetime=2024-03-01>1 March</time>\
                      </div><p class=older><a href='?p=2'>older</a></p>";
        assert_eq!(list(markup, ".s", Some(".older")).1.as_deref(), Some("/news/?p=2"));
        let url = Url::parse("https://example.org/").unwrap();
        let page = Page::parse(markup, &url).unwrap();
        let found = list_page(&page, &Selectors::parse(".s").unwrap(), None);
        assert_eq!(found.links[0].date, date::parse("2024-03-01"));
        assert_eq!(found.links[0].title, "A");
    }
}
