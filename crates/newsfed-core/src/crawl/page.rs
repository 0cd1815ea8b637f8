//! A page as a crawl sees it: its links, its title, and whether it declares itself an article.

use super::links::{MAX_ADDRESS, Seen};
use crate::util::html::{self, tree};
use crate::util::limits;
use crate::util::session::without_session;
use crate::util::{text, url as address};
use scraper::{ElementRef, Html};
use serde_json::Value;
use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash, Hasher};
use url::{Host, Url};

/// Maximum length of an anchor text, in characters.
const MAX_ANCHOR: usize = 60;
/// Maximum length of a link's path, in bytes. Longer paths lose their first elements.
const MAX_PATH: usize = 300;
/// Maximum length of an element's name, classes or id in a path, in bytes.
const MAX_NAME: usize = 40;
/// Maximum size of structured data that is read, in bytes.
const MAX_JSON: usize = 512 << 10;
/// Maximum number of structured data blocks.
const MAX_PIECES: usize = 20;
/// Maximum nesting depth when searching structured data.
const MAX_LEVELS: usize = 4;

/// The URLs that belong to one crawl: a host without `www.` and its subdomains, on the port of the first URL
/// (or on either default port, if the first URL uses one).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Site {
    host: String,
    port: Option<u16>,
}

impl Site {
    /// The site of a crawl that starts at `start`.
    pub fn of(start: &Url) -> Self {
        let host = start.host_str().unwrap_or_default().trim_end_matches('.');
        let host = host.strip_prefix("www.").unwrap_or(host).to_owned();
        Self { host, port: start.port() }
    }

    /// Whether a URL belongs to the site.
    pub fn holds(&self, url: &Url) -> bool {
        if !matches!(url.scheme(), "http" | "https") || url.port() != self.port {
            return false;
        }
        let host = url.host_str().unwrap_or_default().trim_end_matches('.');
        let below = || host.strip_suffix(&self.host).is_some_and(|rest| rest.ends_with('.'));
        host == self.host || (matches!(url.host(), Some(Host::Domain(_))) && below())
    }
}

/// A link on a page, ready to be stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PageLink {
    /// Absolute URL on the site, without fragment and credentials.
    pub url: String,
    /// The elements from the root to the link: `/html/body.wide/ul.menu main#top/li/a`.
    pub path: String,
    /// Start of the anchor text, sanitised.
    pub anchor: String,
}

impl PageLink {
    /// A borrowed view for [`super::Links`].
    pub fn seen(&self) -> Seen<'_> {
        Seen { url: &self.url, path: &self.path, anchor: &self.anchor }
    }
}

/// A parsed page.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CrawledPage {
    /// The title as one sanitised line; may be empty.
    pub title: String,
    /// The first link to each URL on the site, in page order, up to the requested number.
    pub links: Vec<PageLink>,
    /// Which part of the page was not read, and the reason.
    pub note: Option<String>,
    /// Whether the page declares itself an article: by the type of its structured data, by `og:type` and a
    /// date, or by a single `article` with an `h1` and a `time`. The date is required because some generators
    /// set `og:type` on every page.
    pub article: bool,
}

/// Parses a page that was fetched from `url`, with at most `most` links. A page that is too large, or nested
/// too deeply for a tree, has no links.
pub fn read_page(
    bytes: &[u8],
    content_type: Option<&str>,
    url: &Url,
    site: &Site,
    most: usize,
) -> CrawledPage {
    let Some(tree) = tree::page(&html::decode(bytes, content_type)) else {
        let note = Some(tree::REFUSED.to_owned());
        return CrawledPage { note, ..CrawledPage::default() };
    };
    let mut page = Reading::of(&tree, url);
    let mut links = Vec::new();
    let mut known = HashSet::new();
    let mut surplus = HashSet::new();
    for element in tree.root_element().descendent_elements() {
        page.take(element);
        let reference = match element.value().name() {
            "a" | "area" => element.attr("href"),
            "frame" | "iframe" => element.attr("src"),
            _ => None,
        };
        let Some(target) = reference.and_then(|r| target(&page.base, r, site)) else { continue };
        if known.contains(&target) {
            continue;
        }
        if links.len() >= most {
            // Stores a hash instead of the target, because there may be many targets.
            surplus.insert(hash(&target));
            continue;
        }
        let anchor = anchor(element);
        known.insert(target.clone());
        links.push(PageLink { url: target, path: path(element), anchor });
    }
    let note = limits::left_out(surplus.len(), "link", most);
    CrawledPage { title: text::line(&page.title), links, note, article: page.is_article(url) }
}

fn hash(text: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    text.hash(&mut hasher);
    hasher.finish()
}

/// The target of a reference, if it is on the site.
pub fn target(base: &Url, reference: &str, site: &Site) -> Option<String> {
    let mut url = without_session(address::resolve(base, reference)?);
    url.set_fragment(None);
    (site.holds(&url) && url.as_str().len() <= MAX_ADDRESS).then(|| url.into())
}

/// Metadata of a page, collected element by element.
struct Reading {
    base: Url,
    has_base: bool,
    title: String,
    pieces: usize,
    typed: bool,
    og_article: bool,
    dated: bool,
    /// Number of `article` elements, and whether one of them contains an `h1` and a `time`.
    articles: usize,
    headed: bool,
    timed: bool,
}

impl Reading {
    fn of(tree: &Html, url: &Url) -> Self {
        let title = tree.root_element().descendent_elements().find(|e| e.value().name() == "title");
        Self {
            base: url.clone(),
            has_base: false,
            title: title.map(|t| t.text().collect()).unwrap_or_default(),
            pieces: 0,
            typed: false,
            og_article: false,
            dated: false,
            articles: 0,
            headed: false,
            timed: false,
        }
    }

    fn take(&mut self, element: ElementRef<'_>) {
        match element.value().name() {
            "base" if !self.has_base => {
                if let Some(base) =
                    element.attr("href").and_then(|h| address::resolve(&self.base, h))
                {
                    (self.base, self.has_base) = (base, true);
                }
            }
            "meta" => {
                let name = element.attr("property").or_else(|| element.attr("name"));
                let content = element.attr("content").unwrap_or_default().trim();
                match name.unwrap_or_default().trim().to_ascii_lowercase().as_str() {
                    "og:type" => self.og_article |= content.eq_ignore_ascii_case("article"),
                    "article:published_time"
                    | "datepublished"
                    | "date"
                    | "dc.date"
                    | "dcterms.issued" => self.dated |= !content.is_empty(),
                    _ => {}
                }
            }
            "article" => self.articles += 1,
            "h1" if self.articles == 1 && !self.headed => self.headed = in_article(element),
            "time" => {
                self.dated = true;
                self.timed |= self.articles == 1 && !self.timed && in_article(element);
            }
            "script" if self.pieces < MAX_PIECES => {
                let kind = element.attr("type").unwrap_or_default().trim().to_ascii_lowercase();
                if kind.starts_with("application/ld+json") {
                    self.pieces += 1;
                    let json: String = element.text().collect();
                    let json = Some(json).filter(|j| j.len() <= MAX_JSON);
                    let value = json.and_then(|j| serde_json::from_str::<Value>(j.trim()).ok());
                    self.typed |= value.is_some_and(|v| is_article(&v, 0));
                }
            }
            _ => {}
        }
    }

    fn is_article(&self, url: &Url) -> bool {
        self.typed
            || (self.og_article && (self.dated || date_in(url)))
            || (self.articles == 1 && self.headed && self.timed)
    }
}

fn in_article(element: ElementRef<'_>) -> bool {
    element.ancestors().filter_map(ElementRef::wrap).any(|above| above.value().name() == "article")
}

/// Whether structured data describes an article: the object itself, an object in a list or graph, or the
/// page's main entity.
fn is_article(value: &Value, level: usize) -> bool {
    let article = |kind: &Value| {
        kind.as_str().is_some_and(|k| k.ends_with("Article") || k.ends_with("Posting"))
    };
    match value {
        Value::Array(values) if level < MAX_LEVELS => {
            values.iter().any(|v| is_article(v, level + 1))
        }
        Value::Object(object) if level < MAX_LEVELS => {
            let typed = match object.get("@type") {
                Some(Value::Array(kinds)) => kinds.iter().any(article),
                Some(kind) => article(kind),
                None => false,
            };
            let within = ["@graph", "mainEntity"].into_iter().filter_map(|k| object.get(k));
            typed || within.into_iter().any(|v| is_article(v, level + 1))
        }
        _ => false,
    }
}

/// Whether a path contains a year and a month: `/2026/11/`, `/2026-11-21-title`.
fn date_in(url: &Url) -> bool {
    let numbers: Vec<&str> =
        url.path().split(|c: char| !c.is_ascii_digit()).filter(|n| !n.is_empty()).collect();
    numbers.windows(2).any(|pair| {
        let year = pair[0].len() == 4 && ("1990".."2100").contains(&pair[0]);
        year && matches!(pair[1].parse(), Ok(1..=12))
    })
}

fn anchor(element: ElementRef<'_>) -> String {
    let line = text::line(&tree::text_up_to(element, 4 * MAX_ANCHOR));
    line.char_indices().nth(MAX_ANCHOR).map_or(line.as_str(), |(at, _)| &line[..at]).to_owned()
}

/// The path from the root to an element, with the name, classes and id of each element.
fn path(element: ElementRef<'_>) -> String {
    let mut tokens: Vec<String> = Vec::new();
    let mut length = 0;
    let above = element.ancestors().filter_map(ElementRef::wrap);
    for element in std::iter::once(element).chain(above) {
        let mut token = text::line(text::start(element.value().name(), MAX_NAME));
        let attribute = |name| element.attr(name).map(|v| text::line(text::start(v, MAX_NAME)));
        for (mark, value) in [('.', attribute("class")), ('#', attribute("id"))] {
            if let Some(value) = value.filter(|v| !v.is_empty()) {
                token.push(mark);
                token.push_str(&value.replace('/', "_"));
            }
        }
        length += token.len() + 1;
        if length > MAX_PATH {
            break;
        }
        tokens.push(token);
    }
    tokens.iter().rev().fold(String::with_capacity(length), |path, token| path + "/" + token)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(markup: &str) -> CrawledPage {
        let url = Url::parse("https://www.a.example/x/").unwrap();
        read_page(markup.as_bytes(), Some("text/html"), &url, &Site::of(&url), 50)
    }

    #[test]
    fn reads_links_with_path_and_text() {
        let page = read(
            "<title> A  page </title><body class='wide  page'><ul id=menu class='top/x'>\
             <li><a href='1#part'> One <b>first</b></a><li><a href='/x/1'>again</a>\
             <li><a href='https://data.a.example/f.csv'>Data</a>\
             <li><a href='https://b.example/'>Other</a><a href='mailto:a@a.example'>Mail</a></ul>\
             <iframe src=inner></iframe><map><area href='//a.example/map'></map>",
        );
        assert_eq!(page.title, "A page");
        let found: Vec<_> = page
            .links
            .iter()
            .map(|l| (l.url.as_str(), l.path.as_str(), l.anchor.as_str()))
            .collect();
        let menu = "/html/body.wide page/ul.top_x#menu/li/a";
        assert_eq!(
            found,
            [
                ("https://www.a.example/x/1", menu, "One first"),
                ("https://data.a.example/f.csv", menu, "Data"),
                ("https://www.a.example/x/inner", "/html/body.wide page/iframe", ""),
                ("https://a.example/map", "/html/body.wide page/map/area", ""),
            ]
        );
    }

    #[test]
    fn shortens_long_values() {
        let deep = format!(
            "{}<a href=x>{}</a>",
            format!("<div class='{}'>", "c".repeat(200)).repeat(40),
            "ä ".repeat(100)
        );
        let page = read(&deep);
        assert_eq!(page.links[0].anchor.chars().count(), MAX_ANCHOR);
        assert!(page.links[0].path.len() <= MAX_PATH && page.links[0].path.ends_with("/a"));
        let many: String = (0..59).map(|n| format!("<a href='{n}'>x</a>")).collect();
        let page = read(&(many.clone() + &many));
        assert_eq!(page.links.len(), 50);
        assert_eq!(page.note.as_deref(), Some("9 links left out: limit of 50"));
        let deep = read(&"<div>".repeat(10_000));
        assert_eq!((deep.links.len(), deep.note.as_deref()), (0, Some(tree::REFUSED)));
    }

    #[test]
    fn resolves_links_against_the_base_element() {
        let page = read("<base href='/q/'><a href=1>x</a>");
        assert_eq!(page.links[0].url, "https://www.a.example/q/1");
    }

    #[test]
    fn recognises_declared_articles() {
        let ld = |json: &str| format!("<script type='application/ld+json'>{json}</script>");
        let og = "<meta property='og:type' content='article'>";
        let cases = [
            (ld(r#"{"@type":"NewsArticle"}"#), true),
            (ld(r#"{"@graph":[{"@type":"WebPage"},{"@type":["Thing","BlogPosting"]}]}"#), true),
            (ld(r#"{"@type":"WebPage","mainEntity":{"@type":"Article"}}"#), true),
            (ld(r#"{"@type":"ItemList","itemListElement":[{"@type":"Article"}]}"#), false),
            (ld("{"), false),
            (og.to_owned(), false),
            (format!("{og}<time datetime=2026-01-02>2 Jan</time>"), true),
            (format!("{og}<meta property='article:published_time' content='2026'>"), true),
            ("<time>2 Jan</time>".to_owned(), false),
            ("<article><h1>T</h1><time>2 Jan</time></article>".to_owned(), true),
            ("<h1>T</h1><article><h2>T</h2><time>2 Jan</time></article>".to_owned(), false),
            ("<article><h1>T</h1></article><footer><time>x</time></footer>".to_owned(), false),
            ("<article><h1>T</h1><time>1</time></article>".repeat(2), false),
        ];
        for (markup, want) in cases {
            assert_eq!(read(&markup).article, want, "{markup}");
        }
        let url = Url::parse("https://a.example/2026/11/21/title").unwrap();
        assert!(read_page(og.as_bytes(), None, &url, &Site::of(&url), 50).article);
    }

    #[test]
    fn site_includes_a_host_and_its_subdomains() {
        let cases = [
            ("https://www.a.example/", "http://a.example/x", true),
            ("https://a.example/", "https://www.a.example/", true),
            ("https://a.example/", "https://data.a.example/", true),
            ("https://blog.a.example/", "https://a.example/", false),
            ("https://a.example/", "https://aa.example/", false),
            ("https://a.example/", "https://a.example:8080/", false),
            ("http://127.0.0.1:81/", "http://127.0.0.1:81/x", true),
            ("http://127.0.0.1:81/", "http://127.0.0.1:82/", false),
            ("https://a.example/", "ftp://a.example/", false),
        ];
        for (start, url, want) in cases {
            let at = |s: &str| Url::parse(s).unwrap();
            assert_eq!(Site::of(&at(start)).holds(&at(url)), want, "{start} {url}");
        }
    }
}
