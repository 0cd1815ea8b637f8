//! The links of a page that may lead to articles, and their context on the page.

use super::candidates::Candidates;
use super::labels::Blocks;
use super::names::{classes, is_heading, is_style_name};
use crate::util::domain::same_site;
use crate::util::html::tree::text_up_to;
use crate::util::text;
use crate::util::url::normalise;
use crate::website::card;
use crate::website::date::in_text;
use crate::website::page::Page;
use ego_tree::NodeId;
use scraper::{ElementRef, Node};
use std::collections::HashSet;
use url::Url;

/// Maximum number of links on one page that are examined.
const MAX_LINKS: usize = 2000;
/// Maximum number of bytes of one element's text that are examined.
pub(super) const MAX_TEXT: usize = 1000;
/// Maximum number of elements in a link that are searched for its title.
const MAX_INSIDE: usize = 100;
/// Maximum number of ancestors of a link that are searched for its date.
pub(super) const NEAR: usize = 6;
/// Maximum number of elements next to a link, or next to its cell, that are examined.
pub(super) const MAX_SIBLINGS: usize = 50;
/// Maximum number of ancestors of a link that are checked for names such as `sidebar`.
const MAX_ABOVE: usize = 100;
/// Maximum number of class names of an element that are read.
const MAX_CLASSES: usize = 16;
/// Maximum length of a name that is read.
const LONGEST_NAME: usize = 60;
/// Maximum number of bytes of the text before and after a link that are examined.
const MAX_LINE: usize = 2000;
/// Maximum number of nodes in a paragraph before a link.
const MAX_NODES: usize = 400;
/// Elements that start a new line.
const BREAKS: [&str; 9] = ["br", "p", "div", "ul", "ol", "table", "h2", "h3", "h4"];
/// Maximum number of URLs in a block that share its date.
pub(super) const SHARED: usize = 4;
/// Maximum length of a text that may be a date, in bytes.
pub(super) const LONGEST_DATE: usize = 60;

/// The part of a page that contains a link.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::website) enum Region {
    /// The part with the articles.
    Body,
    /// Navigation, footers, sidebars.
    Frame,
}

/// Whether a link is part of running text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Prose {
    None,
    /// The link is at the start of its line, perhaps as a title with a teaser.
    Begins,
    Within,
}

#[derive(Debug)]
pub(super) struct Link {
    /// Key of its URL; see `normalise`.
    pub(super) key: String,
    pub(super) url: Url,
    /// Its text, or else the text of its image.
    pub(super) text: String,
    pub(super) in_heading: bool,
    /// Whether the block around it contains a date.
    pub(super) dated: bool,
    pub(super) prose: Prose,
    pub(super) region: Region,
    /// Whether it is one of the popular or related articles, which are not the newest.
    pub(super) popular: bool,
    /// Number of leading folders that its URL shares with the page.
    pub(super) within_page: usize,
    /// Its role in the row.
    pub(super) place: String,
    /// Selectors that find it.
    pub(super) selectors: Vec<String>,
    /// Whether it links to a translation.
    pub(super) foreign: bool,
    /// Whether it links to another site, to a file, or to a folder that contains the page.
    pub(super) elsewhere: bool,
}

/// All links, in page order.
pub(super) fn gather(page: &Page) -> Vec<Link> {
    let root = page.tree().root_element();
    let links = targets(page);
    let language = root.attr("lang").unwrap_or_default();
    let candidates = Candidates::read(links.iter().map(|(e, url, _)| (*e, url)));
    let blocks = Blocks::read(root, links.iter().map(|(e, _, key)| (*e, key.as_str())));
    links
        .into_iter()
        .map(|(element, url, key)| Link {
            text: blocks.label(element, &url),
            in_heading: in_heading(element),
            dated: blocks.is_dated(element),
            prose: prose(element),
            foreign: is_foreign(element, language),
            region: region(element),
            popular: is_popular(element),
            place: place(element),
            within_page: within(&url, page.url()),
            selectors: candidates.of(element, &url),
            elsewhere: leads_up(&url, page.url()) || is_file(&url) || !same_site(&url, page.url()),
            key,
            url,
        })
        .collect()
}

/// The links of a page with their URLs and keys, except for links to the page itself.
pub(super) fn targets(page: &Page) -> Vec<(ElementRef<'_>, Url, String)> {
    let own = normalise(page.url());
    let target = |element: ElementRef<'_>| {
        let url = page.resolve(element.attr("href")?)?;
        let key = normalise(&url);
        (key != own).then_some((url, key))
    };
    let elements = page.tree().root_element().descendent_elements();
    let links = elements.filter(|e| e.value().name() == "a" && e.attr("href").is_some());
    links.take(MAX_LINKS).filter_map(|e| target(e).map(|(url, key)| (e, url, key))).collect()
}

/// The role of a link in its row: the names of the link and its parent, and whether another link precedes it.
fn place(link: ElementRef<'_>) -> String {
    let parent = above(link).next();
    let tag = parent.map_or("", |e| e.value().name());
    let heading = if in_heading(link) { " h" } else { "" };
    let name = |e| classes(e).into_iter().find(|c| !is_style_name(&c[1..])).unwrap_or_default();
    let later = parent.is_some_and(|parent| {
        let links =
            || parent.child_elements().take(MAX_SIBLINGS).filter(|e| e.value().name() == "a");
        (2..=SHARED).contains(&links().count())
            && links().next().is_some_and(|first| first.attr("href") != link.attr("href"))
    });
    let later = if later { " +" } else { "" };
    let column = above(link).take(3).find(|e| e.value().name() == "td").map_or(0, column);
    let frame = if region(link) == Region::Frame { " frame" } else { "" };
    format!(
        "{tag}{} {}{heading}{later}{frame}{column}",
        parent.map(name).unwrap_or_default(),
        name(link)
    )
}

/// The number of cells before this one.
pub(super) fn column(cell: ElementRef<'_>) -> usize {
    cell.prev_siblings().take(MAX_SIBLINGS).filter_map(ElementRef::wrap).count()
}

/// The number of leading folders that two URLs have in common. The page itself also counts as a folder:
/// `/jobs` and `/jobs/1` share one.
fn within(url: &Url, page: &Url) -> usize {
    fn folders(url: &Url) -> impl Iterator<Item = &str> {
        url.path().split('/').filter(|s| !s.is_empty())
    }
    folders(url).zip(folders(page)).take_while(|(a, b)| a == b).count()
}

/// Whether a link declares that its page is in a different language.
fn is_foreign(link: ElementRef<'_>, language: &str) -> bool {
    let primary = |code: &str| code.split(['-', '_']).next().unwrap_or_default().to_lowercase();
    let own = primary(language);
    link.attr("hreflang").is_some_and(|other| !own.is_empty() && primary(other) != own)
}

fn leads_up(url: &Url, page: &Url) -> bool {
    page.path().starts_with(url.path()) && url.query().is_none()
}

/// Whether a URL belongs to an image, an archive or another file.
pub(crate) fn is_file(url: &Url) -> bool {
    const FILES: [&str; 22] = [
        "jpg", "jpeg", "png", "gif", "webp", "svg", "ico", "pdf", "zip", "gz", "mp3", "mp4", "ogg",
        "css", "js", "xml", "rss", "atom", "json", "epub", "webm", "tar",
    ];
    let last = url.path().rsplit('/').next().unwrap_or_default();
    let ending = last.rsplit_once('.').map(|(_, e)| e.to_ascii_lowercase());
    ending.is_some_and(|e| FILES.contains(&e.as_str()))
}

/// The text of a link as a title, in one sanitised line. If the link is a card with title, date and teaser,
/// only its title.
pub(in crate::website) fn title_in(link: ElementRef<'_>, url: &Url, most: usize) -> String {
    let whole = |e: ElementRef<'_>| text::line(&text_up_to(e, most));
    let of_card = || Some(card::title(link, Some(url))?.text);
    headed(link).map(whole).or_else(of_card).unwrap_or_else(|| whole(link))
}

/// The heading inside a link, or the element whose name marks it as the title.
fn headed(link: ElementRef<'_>) -> Option<ElementRef<'_>> {
    let inside = || link.descendent_elements().skip(1).take(MAX_INSIDE);
    let has_text = |e: &ElementRef<'_>| !text_up_to(*e, MAX_TEXT).is_empty();
    let named = |e: &ElementRef<'_>| e.value().classes().any(is_title_name) && has_text(e);
    let heading = |e: &ElementRef<'_>| is_heading(e.value().name()) && has_text(e);
    inside().find(heading).or_else(|| inside().find(named))
}

/// Whether a class is called `title` or `headline`, as in `post-title`, `card__headline` or `cardTitle`.
fn is_title_name(class: &str) -> bool {
    ["title", "headline"].iter().any(|name| {
        let at = class.len().saturating_sub(name.len());
        let end = class.get(at..).filter(|end| end.eq_ignore_ascii_case(name));
        let before = class.get(..at).and_then(|start| start.chars().next_back());
        let begins = end.is_some_and(|end| end.starts_with(char::is_uppercase));
        end.is_some() && before.is_none_or(|c| !c.is_alphanumeric() || begins)
    })
}

pub(super) fn above(element: ElementRef<'_>) -> impl Iterator<Item = ElementRef<'_>> {
    element.ancestors().filter_map(ElementRef::wrap)
}

fn in_heading(link: ElementRef<'_>) -> bool {
    above(link).take(3).any(|e| is_heading(e.value().name()))
        || link.descendent_elements().any(|e| is_heading(e.value().name()))
}

/// Whether the link's paragraph contains more text than the link, and on which side.
fn prose(link: ElementRef<'_>) -> Prose {
    let is_text = |e: &ElementRef<'_>| {
        matches!(
            e.value().name(),
            "p" | "blockquote" | "figcaption" | "pre" | "code" | "li" | "dd" | "td"
        )
    };
    let Some(block) = above(link).take(3).find(is_text) else { return Prose::None };
    let (before, after) = words_beside(block, link);
    if before > 2 && after > 1 {
        return Prose::Within;
    }
    let length = |e| text_up_to(e, MAX_TEXT).chars().count();
    let (all, own) = (length(block), length(link));
    if all <= 60 || own * 5 >= all * 2 {
        return Prose::None;
    }
    // A row of a list may be as long as a paragraph.
    let row = matches!(block.value().name(), "li" | "dd" | "td");
    match (before > 2, row) {
        (true, _) => Prose::Within,
        (false, true) => Prose::None,
        (false, false) => Prose::Begins,
    }
}

/// The number of words before and after a link on its line. A date does not count.
fn words_beside(block: ElementRef<'_>, link: ElementRef<'_>) -> (usize, usize) {
    let breaks = |n: &Node| n.as_element().is_some_and(|tag| BREAKS.contains(&tag.name()));
    let nodes = || block.descendants().take(MAX_NODES);
    let mut before = String::new();
    for node in nodes().take_while(|n| n.id() != link.id()) {
        match node.value() {
            Node::Text(text) => push_some(&mut before, text),
            other if breaks(other) => before.clear(),
            _ => {}
        }
    }
    let own: HashSet<NodeId> = link.descendants().take(MAX_NODES).map(|n| n.id()).collect();
    let rest = nodes().skip_while(|n| n.id() != link.id()).filter(|n| !own.contains(&n.id()));
    let rest = rest.take_while(|n| !breaks(n.value()));
    let mut after = String::new();
    rest.filter_map(|n| n.value().as_text()).for_each(|text| push_some(&mut after, text));
    (words(&before), words(&after))
}

/// Appends text up to a total of [`MAX_LINE`] bytes; more would not change the result.
fn push_some(line: &mut String, text: &str) {
    line.push_str(text::start(text, MAX_LINE.saturating_sub(line.len())));
}

fn words(line: &str) -> usize {
    if is_date(line) {
        return 0;
    }
    let words = line.split_whitespace().map(|word| {
        let syllables = word.chars().filter(|c| *c > '\u{2e80}').count();
        let letters = word.chars().filter(|c| c.is_alphabetic()).count();
        if syllables > 0 { syllables.div_ceil(3) } else { usize::from(letters > 1) }
    });
    words.sum()
}

/// Names of an element that may show its purpose, up to a limit.
fn some_names(element: ElementRef<'_>) -> impl Iterator<Item = &str> {
    let names = element.value().classes().take(MAX_CLASSES).chain(element.attr("id"));
    names.filter(|name| name.len() <= LONGEST_NAME)
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
        let names = some_names(*e).chain(e.attr("role"));
        names.flat_map(|n| n.split(['-', '_'])).any(|w| WORDS.contains(&w.to_lowercase().as_str()))
    };
    for element in above(link).take(MAX_ABOVE) {
        match element.value().name() {
            "nav" | "footer" | "aside" => {
                // Even inside an article, these elements are not part of its text.
                return Region::Frame;
            }
            "body" | "html" | "main" => return Region::Body,
            _ if named(&element) => return Region::Frame,
            _ => {}
        }
    }
    Region::Body
}

/// Whether a box around a link is named for popular or related articles, or starts with a heading for them.
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
        some_names(*e).any(|name| {
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
    let around =
        above(link).take(MAX_ABOVE).take_while(|e| !matches!(e.value().name(), "body" | "main"));
    around.take(NEAR).any(|e| named(&e) || headed(&e))
}

pub(super) fn is_date(text: &str) -> bool {
    let text = text.trim();
    (5..=LONGEST_DATE).contains(&text.len())
        && text.contains(|c: char| c.is_ascii_digit())
        && in_text(text).is_some()
}
