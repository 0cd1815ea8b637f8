//! The links of a page that may lead to articles, with their context on the page.

use super::likeness::says_nothing;
use super::names::{around, classes, is_heading};
use crate::util::domain::same_site;
use crate::util::html::tree::text_up_to;
use crate::util::text;
use crate::util::url::normalise;
use crate::website::date::in_text;
use crate::website::page::Page;
use ego_tree::NodeId;
use scraper::{ElementRef, Node};
use std::collections::{HashMap, HashSet};
use url::Url;

/// Maximum number of links of one page that are examined.
const MAX_LINKS: usize = 2000;
/// Maximum number of selectors per link.
const MAX_SELECTORS: usize = 120;
/// Maximum number of bytes of the text of one element that are examined.
const MAX_TEXT: usize = 1000;
/// Maximum number of ancestors of a link that are examined.
const LEVELS: usize = 12;
/// Maximum number of ancestors of a link within which its date is.
const NEAR: usize = 6;
/// Maximum number of elements beside a link, or beside its cell, that are examined.
const MAX_SIBLINGS: usize = 50;
/// Maximum number of columns of a table that has a list in one of them.
const MAX_COLUMNS: usize = 10;
/// Maximum number of URLs in a block whose date applies to them.
const SHARED: usize = 4;
/// Longest text that may be a date, in bytes.
const LONGEST_DATE: usize = 60;

/// The part of a page that contains a link.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::website) enum Region {
    /// Where articles are.
    Body,
    /// Navigation, footers, sidebars.
    Frame,
}

#[derive(Debug)]
pub(super) struct Link {
    /// Key of its URL: see `normalise`.
    pub(super) key: String,
    pub(super) url: Url,
    /// Its text, else that of its image.
    pub(super) text: String,
    pub(super) in_heading: bool,
    /// Whether the block around it contains a date.
    pub(super) dated: bool,
    /// Whether it is part of running text.
    pub(super) in_prose: bool,
    pub(super) region: Region,
    /// Whether it is one of the popular or related articles, which are not the newest.
    pub(super) popular: bool,
    /// Number of folders of its URL that contain the page too.
    pub(super) within_page: usize,
    /// The parent element, and whether it is part of a heading.
    pub(super) place: String,
    /// Selectors that find it.
    pub(super) selectors: Vec<String>,
    /// Whether it leads to another site, to a file, or to a folder that contains the page.
    pub(super) elsewhere: bool,
}

/// All links, in the order of the page.
pub(super) fn gather(page: &Page) -> Vec<Link> {
    let root = page.tree().root_element();
    let elements: Vec<ElementRef<'_>> = root
        .descendent_elements()
        .filter(|e| e.value().name() == "a" && e.attr("href").is_some())
        .take(MAX_LINKS)
        .collect();
    let own = normalise(page.url());
    let target = |element: &ElementRef<'_>| {
        let url = page.resolve(element.attr("href")?)?;
        let key = normalise(&url);
        (key != own).then_some((url, key))
    };
    let links: Vec<_> =
        elements.into_iter().filter_map(|e| target(&e).map(|(url, key)| (e, url, key))).collect();
    let blocks = Blocks::read(root, links.iter().map(|(e, _, key)| (*e, key.as_str())));
    links
        .into_iter()
        .map(|(element, url, key)| Link {
            text: blocks.label(element),
            in_heading: in_heading(element),
            dated: blocks.is_dated(element),
            in_prose: in_prose(element),
            region: region(element),
            popular: is_popular(element),
            place: place(element),
            within_page: within(&url, page.url()),
            selectors: selectors(element),
            elsewhere: leads_up(&url, page.url()) || is_file(&url) || !same_site(&url, page.url()),
            key,
            url,
        })
        .collect()
}

fn place(link: ElementRef<'_>) -> String {
    let parent = above(link).next().map_or("", |e| e.value().name());
    let heading = if in_heading(link) { " h" } else { "" };
    format!("{parent}{heading}")
}

/// The number of common folders at the beginning of two URLs, the page itself counting as one:
/// `/jobs` and `/jobs/1` share one.
fn within(url: &Url, page: &Url) -> usize {
    fn folders(url: &Url) -> impl Iterator<Item = &str> {
        url.path().split('/').filter(|s| !s.is_empty())
    }
    folders(url).zip(folders(page)).take_while(|(a, b)| a == b).count()
}

fn leads_up(url: &Url, page: &Url) -> bool {
    page.path().starts_with(url.path()) && url.query().is_none()
}

/// URLs of images, archives and the like.
pub(in crate::website) fn is_file(url: &Url) -> bool {
    const FILES: [&str; 22] = [
        "jpg", "jpeg", "png", "gif", "webp", "svg", "ico", "pdf", "zip", "gz", "mp3", "mp4", "ogg",
        "css", "js", "xml", "rss", "atom", "json", "epub", "webm", "tar",
    ];
    let last = url.path().rsplit('/').next().unwrap_or_default();
    let ending = last.rsplit_once('.').map(|(_, e)| e.to_ascii_lowercase());
    ending.is_some_and(|e| FILES.contains(&e.as_str()))
}

/// The text of a link, of its title attribute, or of the image in it.
fn label(link: ElementRef<'_>) -> String {
    // A card may be one link that contains heading and teaser; the heading is its label.
    let heading = link.descendent_elements().skip(1).find(|e| is_heading(e.value().name()));
    let text = text::line(&text_up_to(heading.unwrap_or(link), MAX_TEXT));
    if !text.is_empty() {
        return text;
    }
    let picture = link.descendent_elements().find_map(|e| e.attr("alt"));
    text::line(link.attr("title").or(picture).unwrap_or_default())
}

fn above(element: ElementRef<'_>) -> impl Iterator<Item = ElementRef<'_>> {
    element.ancestors().filter_map(ElementRef::wrap)
}

fn in_heading(link: ElementRef<'_>) -> bool {
    above(link).take(3).any(|e| is_heading(e.value().name()))
        || link.descendent_elements().any(|e| is_heading(e.value().name()))
}

/// Whether its paragraph contains more text than the link.
fn in_prose(link: ElementRef<'_>) -> bool {
    let paragraph = above(link)
        .take(3)
        .find(|e| matches!(e.value().name(), "p" | "blockquote" | "figcaption" | "pre" | "code"));
    let length = |e| text_up_to(e, MAX_TEXT).chars().count();
    paragraph.is_some_and(|p| {
        let (all, own) = (length(p), length(link));
        all > 60 && own * 5 < all * 2
    })
}

pub(in crate::website) fn region(link: ElementRef<'_>) -> Region {
    const WORDS: [&str; 15] = [
        "nav",
        "navbar",
        "navigation",
        "menu",
        "footer",
        "sidebar",
        "aside",
        "breadcrumb",
        "breadcrumbs",
        "pagination",
        "pager",
        "widget",
        "tagcloud",
        "related",
        "social",
    ];
    let named = |e: &ElementRef<'_>| {
        let names = e.value().classes().chain(e.attr("id")).chain(e.attr("role"));
        names.flat_map(|n| n.split(['-', '_'])).any(|w| WORDS.contains(&w.to_lowercase().as_str()))
    };
    for element in above(link) {
        match element.value().name() {
            "nav" | "footer" | "aside" => {
                // Elements inside an article frame only that article.
                return Region::Frame;
            }
            "body" | "html" | "main" => return Region::Body,
            _ if named(&element) => return Region::Frame,
            _ => {}
        }
    }
    Region::Body
}

/// Whether a box around a link is named after popular or related articles, or begins with a heading
/// that says so.
fn is_popular(link: ElementRef<'_>) -> bool {
    const NAMES: [&str; 8] =
        ["popular", "mostread", "trending", "related", "meistgelesen", "toplist", "bestof", "hot"];
    const HEADINGS: [&str; 16] = [
        "popular",
        "most read",
        "most viewed",
        "trending",
        "related",
        "beliebt",
        "meistgelesen",
        "populaire",
        "les plus lus",
        "más leíd",
        "più lett",
        "популярн",
        "самое читаемое",
        "人気",
        "热门",
        "인기",
    ];
    let named = |e: &ElementRef<'_>| {
        let mut names = e.value().classes().chain(e.attr("id"));
        names.any(|name| {
            let name = name.to_lowercase();
            name.split(['-', '_']).any(|word| NAMES.contains(&word)) || name.contains("most-read")
        })
    };
    let headed = |e: &ElementRef<'_>| {
        let heading = e.child_elements().take(2).find(|c| is_heading(c.value().name()));
        heading.is_some_and(|h| {
            let text = text_up_to(h, LONGEST_DATE).to_lowercase();
            HEADINGS.iter().any(|word| text.contains(word))
        })
    };
    let around = above(link).take_while(|e| !matches!(e.value().name(), "body" | "main"));
    around.take(NEAR).any(|e| named(&e) || headed(&e))
}

/// The contents of the blocks of a page.
struct Blocks {
    dates: HashSet<NodeId>,
    addresses: HashMap<NodeId, usize>,
}

impl Blocks {
    fn read<'a>(
        root: ElementRef<'a>,
        links: impl Iterator<Item = (ElementRef<'a>, &'a str)>,
    ) -> Self {
        let mut dates = HashSet::new();
        for node in root.descendants() {
            let element = match node.value() {
                Node::Element(tag) if tag.name() == "time" => ElementRef::wrap(node),
                Node::Text(text) if is_date(text) => node.parent().and_then(ElementRef::wrap),
                _ => None,
            };
            if let Some(element) = element {
                dates.insert(element.id());
                dates.extend(above(element).take(NEAR).map(|e| e.id()));
            }
        }
        let mut addresses: HashMap<NodeId, HashSet<&str>> = HashMap::new();
        for (link, key) in links {
            for element in std::iter::once(link).chain(above(link).take(NEAR)) {
                addresses.entry(element.id()).or_default().insert(key);
            }
        }
        Self { dates, addresses: addresses.into_iter().map(|(id, set)| (id, set.len())).collect() }
    }

    /// The label of a link: its own text, or if that is empty ("read more"), the heading or the
    /// longest link in its block.
    fn label(&self, link: ElementRef<'_>) -> String {
        let own = label(link);
        if !says_nothing(&own) {
            return own;
        }
        let alone = |e: &ElementRef<'_>| self.addresses.get(&e.id()).is_some_and(|n| *n == 1);
        let Some(block) = above(link).take(NEAR).take_while(alone).last() else { return own };
        let within = || block.descendent_elements();
        let heading = within().find(|e| is_heading(e.value().name()));
        let links = within().filter(|e| e.value().name() == "a");
        let found = heading.or_else(|| links.max_by_key(|e| text_up_to(*e, MAX_TEXT).len()));
        let found = found.map(|e| text::line(&text_up_to(e, MAX_TEXT))).filter(|t| !t.is_empty());
        found.unwrap_or(own)
    }

    fn is_dated(&self, link: ElementRef<'_>) -> bool {
        let mut blocks = std::iter::once(link).chain(above(link).take(NEAR));
        let own = |e: &ElementRef<'_>| self.addresses.get(&e.id()).is_some_and(|n| *n <= SHARED);
        blocks.by_ref().take_while(own).any(|e| self.dates.contains(&e.id()))
    }
}

fn is_date(text: &str) -> bool {
    let text = text.trim();
    (5..=LONGEST_DATE).contains(&text.len())
        && text.contains(|c: char| c.is_ascii_digit())
        && in_text(text).is_some()
}

/// Selectors that find a link: by its own classes, by its ancestors, by headings, and by two
/// ancestors at once.
fn selectors(link: ElementRef<'_>) -> Vec<String> {
    let mut found: Vec<String> = classes(link).into_iter().map(|c| format!("a{c}")).collect();
    let levels: Vec<ElementRef<'_>> =
        above(link).take_while(|e| !matches!(e.value().name(), "html")).take(LEVELS).collect();
    if link.attr("rel").is_some_and(|r| r.split_whitespace().any(|w| w == "bookmark")) {
        found.push("a[rel~=bookmark]".to_owned());
    }
    // The last step: the link itself, in its parent, or around a heading.
    let mut ends = vec!["a".to_owned()];
    ends.extend(classes(link).into_iter().take(1).map(|c| format!("a{c}")));
    if let Some(parent) = levels.first() {
        let tag = parent.value().name();
        ends.push(format!("{tag} > a"));
        for class in classes(*parent).into_iter().take(2) {
            found.push(format!("{tag}{class} > a"));
            ends.push(format!("{tag}{class} > a"));
        }
        let children = parent.child_elements().take(MAX_SIBLINGS);
        let mut links = children.filter(|e| e.value().name() == "a");
        if links.next().is_some_and(|first| first.id() == link.id()) && links.next().is_some() {
            found.push(format!("{tag} > a:first-of-type"));
        }
    }
    // The column of a table.
    if let Some(cell) = levels.iter().take(3).find(|e| e.value().name() == "td") {
        let before = cell.prev_siblings().take(MAX_SIBLINGS).filter_map(ElementRef::wrap).count();
        if before < MAX_COLUMNS {
            found.push(format!("td:nth-child({}) a", before + 1));
        }
    }
    if let Some(heading) = link.descendent_elements().skip(1).find(|e| is_heading(e.value().name()))
    {
        let end = format!("a {}", heading.value().name());
        found.push(end.clone());
        ends.push(end);
    }
    let heading = levels.iter().take(3).find(|e| is_heading(e.value().name()));
    if let Some(heading) = heading {
        let end = format!("{} a", heading.value().name());
        found.push(end.clone());
        ends.push(end);
    }
    let mut rings = Vec::new();
    for (level, element) in levels.iter().enumerate() {
        for name in around(*element) {
            for end in &ends {
                // The parent is in the last step already.
                let again = level == 0 && end.contains('>');
                if !again && found.len() < MAX_SELECTORS {
                    found.push(format!("{name} {end}"));
                }
            }
            rings.push((level, name));
        }
    }
    // Two ancestors: a list and the relevant part of its entries.
    for (outer_level, outer) in rings.iter().filter(|(_, n)| n.contains(['.', '#']) || n == "main")
    {
        for (inner_level, inner) in rings.iter().filter(|(l, _)| *l < 4) {
            if outer_level > inner_level && found.len() < MAX_SELECTORS {
                found.push(format!("{outer} {inner} a"));
            }
        }
    }
    found.sort_unstable();
    found.dedup();
    found
}
