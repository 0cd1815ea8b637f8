//! The links of a list page.

use super::date::time_of;
use super::page::Page;
use super::propose::{name, title_in};
use super::selector::Selectors;
use super::{row, row_dates};
use crate::article::{self, Guide};
use crate::model::Time;
use crate::util::date::{DateContext, FoundDate, Zone};
use crate::util::html::tree::{text_up_to, text_within};
use crate::util::limits;
use crate::util::url::normalise;
use crate::util::{date, text};
use chrono::NaiveDate;
use ego_tree::NodeId;
use ego_tree::iter::Edge;
use scraper::{ElementRef, Html};
use std::cell::LazyCell;
use std::collections::{HashMap, HashSet};
use url::Url;

/// Maximum number of elements in a block that are searched for a date.
pub(super) const MAX_ELEMENTS: usize = 200;
/// Maximum number of bytes of a link's text that are used as its title.
const MAX_TITLE: usize = 2000;
/// Maximum length of a row's text, in bytes.
const MAX_ROW: usize = 400;
/// Maximum length of a part of a row that can be a date, in bytes.
const MAX_PART: usize = 60;
/// Maximum number of levels above a link that are searched for its date.
const DATE_LEVELS: usize = 3;

/// The links found on a list page.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ListPage {
    /// Links to articles in page order, with each URL only once.
    pub links: Vec<ListLink>,
    /// The next page of the list.
    pub next: Option<Url>,
    /// Number of links beyond [`limits::LIST_LINKS`].
    pub left_out: usize,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListLink {
    pub url: Url,
    /// The text of the link, or the headline of its block if the text is not a title, such as "read more";
    /// one sanitised line, may be empty.
    pub title: String,
    /// The date next to the link.
    pub date: Option<Time>,
    /// What the date states about its zone.
    pub zone: Zone,
    /// The author named in the link's row; see [`list_page_with_rows`].
    pub author: Option<String>,
    /// The latest date in the link's row, if there are several; see [`list_page_with_rows`].
    pub active: Option<Time>,
    /// The text next to the link, in one line; see `list_page_with_summaries`.
    pub summary: String,
}

impl ListLink {
    fn take_date(&mut self, found: Option<(Time, Zone)>) {
        if let Some((date, zone)) = found {
            (self.date, self.zone) = (Some(date), zone);
        }
    }
}

/// Finds the links to articles and to the next page.
pub fn list_page(page: &Page, articles: &Selectors, next: Option<&Selectors>) -> ListPage {
    read(page, articles, next).0
}

/// Finds only the links to articles, without dates; titles are the texts of the links.
pub(super) fn undated_links(page: &Page, articles: &Selectors) -> Vec<ListLink> {
    gather(page, articles, None).0.links
}

/// Like [`list_page`], but with authors and the last activity.
pub fn list_page_with_rows(
    page: &Page,
    articles: &Selectors,
    next: Option<&Selectors>,
) -> ListPage {
    completed(page, articles, next).0
}

/// Like [`list_page_with_rows`], but with the texts next to the links, for previews.
pub(super) fn list_page_with_summaries(
    page: &Page,
    articles: &Selectors,
    next: Option<&Selectors>,
) -> ListPage {
    let (mut found, rows) = completed(page, articles, next);
    row::summarise(&mut found.links, &rows);
    found
}

fn completed<'a>(
    page: &'a Page,
    articles: &Selectors,
    next: Option<&Selectors>,
) -> (ListPage, Vec<ElementRef<'a>>) {
    let (mut found, rows) = read(page, articles, next);
    row::complete(&mut found.links, &rows, &date_context(page));
    (found, rows)
}

/// The links of a page with their elements and dates.
fn read<'a>(
    page: &'a Page,
    articles: &Selectors,
    next: Option<&Selectors>,
) -> (ListPage, Vec<ElementRef<'a>>) {
    let (mut list, rows) = gather(page, articles, next);
    name(page, &mut list.links, &rows);
    let context = LazyCell::new(|| date_context(page));
    date_by_element(&mut list.links, &rows);
    if list.links.iter().any(|link| link.date.is_none()) {
        date_by_text(&mut list.links, &rows, &context);
    }
    if !rows.is_empty() {
        for (link, date) in list.links.iter_mut().zip(row_dates::decide(&rows, &context)) {
            link.take_date(date);
        }
    }
    (list, rows)
}

/// The links of a page with their elements.
fn gather<'a>(
    page: &'a Page,
    articles: &Selectors,
    next: Option<&Selectors>,
) -> (ListPage, Vec<ElementRef<'a>>) {
    // The list itself is not an article.
    let mut seen = HashSet::from([normalise(page.url())]);
    // URLs as written, to count surplus links without resolving them.
    let mut written = HashSet::new();
    let (mut links, mut rows) = (Vec::new(), Vec::new());
    let mut left_out = 0;
    let places = Places::of(page.tree());
    for element in articles.all(page.tree()) {
        let Some(link) = places.link_of(element) else { continue };
        let Some(href) = link.attr("href").filter(|href| written.insert(*href)) else { continue };
        if links.len() == limits::LIST_LINKS {
            left_out += 1;
            continue;
        }
        let Some(url) = page.resolve(href) else { continue };
        if seen.insert(normalise(&url)) {
            let title = title_in(link, &url, MAX_TITLE);
            links.push(ListLink {
                url,
                title,
                date: None,
                zone: Zone::default(),
                author: None,
                active: None,
                summary: String::new(),
            });
            rows.push(link);
        }
    }
    let next = next.and_then(|s| s.first(page.tree())).and_then(|e| places.link_of(e));
    let next = next.and_then(|a| page.resolve(a.attr("href")?));
    (ListPage { links, next, left_out }, rows)
}

fn date_context(page: &Page) -> DateContext {
    let guide = Guide { url: Some(page.url().clone()), ..Guide::default() };
    article::date_context(page.tree(), &guide)
}

/// Index of the elements and links of a page. Searching each element for its link would take quadratic time
/// in nested elements.
struct Places<'a> {
    /// For each element: its number, the number of its last descendant, and the index of the link around it.
    elements: HashMap<NodeId, (usize, usize, Option<usize>)>,
    /// The links with their numbers, in page order.
    links: Vec<(usize, ElementRef<'a>)>,
}

impl<'a> Places<'a> {
    fn of(tree: &'a Html) -> Self {
        let mut places = Self { elements: HashMap::new(), links: Vec::new() };
        let (mut number, mut around) = (0, Vec::new());
        for edge in tree.tree.root().traverse() {
            match edge {
                Edge::Open(node) => {
                    let Some(element) = ElementRef::wrap(node) else { continue };
                    number += 1;
                    places.elements.insert(node.id(), (number, number, around.last().copied()));
                    if element.value().name() == "a" && element.attr("href").is_some() {
                        around.push(places.links.len());
                        places.links.push((number, element));
                    }
                }
                Edge::Close(node) => {
                    let Some(place) = places.elements.get_mut(&node.id()) else { continue };
                    place.1 = number;
                    let link = around.last().and_then(|link| places.links.get(*link));
                    if link.is_some_and(|(_, link)| link.id() == node.id()) {
                        around.pop();
                    }
                }
            }
        }
        places
    }

    /// The link that an element is or contains, or that is around it.
    fn link_of(&self, element: ElementRef<'a>) -> Option<ElementRef<'a>> {
        if element.attr("href").is_some() {
            return Some(element);
        }
        let (own, last, around) = *self.elements.get(&element.id())?;
        let next = self.links.partition_point(|(number, _)| *number <= own);
        let inside = self.links.get(next).filter(|(number, _)| *number <= last);
        let link = inside.or_else(|| self.links.get(around?));
        link.map(|(_, link)| *link)
    }
}

/// Sets the dates of links from the `time` elements of their rows.
fn date_by_element(links: &mut [ListLink], rows: &[ElementRef<'_>]) {
    let within = rows_within(rows);
    for (link, row) in links.iter_mut().zip(rows) {
        let own = |e: &ElementRef<'_>| within.get(&e.id()).is_some_and(|links| *links == 1);
        link.take_date(date_beside(around(*row).take_while(own)));
    }
}

/// The number of rows in each ancestor of a row.
fn rows_within(rows: &[ElementRef<'_>]) -> HashMap<NodeId, usize> {
    let mut within: HashMap<NodeId, usize> = HashMap::new();
    for element in rows.iter().flat_map(|row| around(*row)) {
        *within.entry(element.id()).or_default() += 1;
    }
    within
}

fn around(link: ElementRef<'_>) -> impl Iterator<Item = ElementRef<'_>> {
    link.ancestors().filter_map(ElementRef::wrap).take(DATE_LEVELS)
}

/// The date in the only `time` element of the innermost block that has one.
fn date_beside<'a>(blocks: impl Iterator<Item = ElementRef<'a>>) -> Option<(Time, Zone)> {
    for block in blocks {
        let mut times = block
            .descendent_elements()
            .take(MAX_ELEMENTS)
            .filter(|e| e.value().name() == "time")
            .filter_map(|e| date::parse_with_zone(e.attr("datetime").unwrap_or_default()));
        match (times.next(), times.next()) {
            (Some(one), None) => return Some(one),
            // The block contains several articles.
            (Some(_), Some(_)) => return None,
            _ => {}
        }
    }
    None
}

/// Sets the dates of links without a machine-readable date from the text of their rows.
fn date_by_text(links: &mut [ListLink], rows: &[ElementRef<'_>], context: &DateContext) {
    let within = rows_within(rows);
    let own = |e: &ElementRef<'_>| within.get(&e.id()).is_some_and(|links| *links == 1);
    let find = |row: ElementRef<'_>| {
        let in_part = || part_beside(around(row).take_while(own).last()?, row, context);
        text_beside(row, context).or_else(in_part)
    };
    let undated = links.iter().zip(rows).map(|(link, row)| (link.date.is_none(), *row));
    let mut found: Vec<Option<FoundDate>> =
        undated.map(|(undated, row)| if undated { find(row) } else { None }).collect();
    settle_order(&mut found);
    for (link, found) in links.iter_mut().zip(found) {
        // If a date is ambiguous, neither interpretation is certain enough.
        let found = found.filter(|f| f.swapped.is_none());
        if link.date.is_none() {
            link.take_date(found.map(|f| (time_of(&f, context), f.shows())));
        }
    }
}

/// The only date in the text of the block around a link, apart from the link's own text.
fn text_beside(link: ElementRef<'_>, context: &DateContext) -> Option<FoundDate> {
    let own = text::line(&text_up_to(link, MAX_ROW));
    let around = link.ancestors().filter_map(ElementRef::wrap).take(DATE_LEVELS);
    for block in around {
        let Some(row) = text_within(block, MAX_ROW) else { break };
        if matches!(block.value().name(), "body" | "html" | "main") {
            break;
        }
        let row = text::line(&row).replacen(&own, " ", 1);
        let mut dates = date::scan(&row, context).dates;
        match dates.len() {
            0 => {}
            1 => return dates.pop().filter(|d| !d.range && !d.short),
            _ => break,
        }
    }
    // The link may be the entire row.
    let parts = link.descendent_elements().skip(1).take(MAX_ELEMENTS);
    let mut short = parts.filter_map(|e| text_within(e, MAX_PART));
    let found = short.find_map(|t| date::scan(&t, context).dates.into_iter().next())?;
    (!found.range && !found.short).then_some(found)
}

/// The date of a link whose block has a long teaser: a date that is the only text of some part of the block.
fn part_beside(
    block: ElementRef<'_>,
    link: ElementRef<'_>,
    context: &DateContext,
) -> Option<FoundDate> {
    let parts = block.descendent_elements().take(MAX_ELEMENTS);
    let beside = parts.filter(|e| !e.ancestors().any(|around| around.id() == link.id()));
    let short = beside.filter(|e| e.id() != link.id()).filter_map(|e| text_within(e, MAX_PART));
    let lines = short.filter(|text| article::is_date_line(text));
    let dates = lines.flat_map(|text| date::scan(&text, context).dates);
    let mut dates = dates.filter(|found| !found.range && !found.short);
    let first = dates.next()?;
    dates.all(|other| other.day == first.day).then_some(first)
}

/// Lists are sorted, newest or oldest first. If a list is sorted with only one of the two orders of day and
/// month, that order is used.
pub(super) fn settle_order(found: &mut [Option<FoundDate>]) {
    let days = |swap: bool| -> Vec<NaiveDate> {
        let day = |f: &FoundDate| if swap { f.swapped.unwrap_or(f.day) } else { f.day };
        found.iter().flatten().map(day).collect()
    };
    let ordered = |days: &[NaiveDate]| {
        days.windows(2).all(|w| w[0] >= w[1]) || days.windows(2).all(|w| w[0] <= w[1])
    };
    let (plain, swapped) = (days(false), days(true));
    if plain.len() < 3 {
        return;
    }
    let decided = match (ordered(&plain), ordered(&swapped)) {
        (true, false) => false,
        (false, true) => true,
        _ => return,
    };
    for date in found.iter_mut().flatten() {
        if let Some(other) = date.swapped.take()
            && decided
        {
            date.day = other;
        }
    }
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
    fn finds_the_links_of_nested_elements() {
        let markup = "<ul class=s><li class=s><p class=s>1</p><a href=a>2</a><b class=s>3</b></li>\
                      <li class=s><a href=b>4<i class=s>5</i></a><b class=s>6</b></ul><b class=s>7</b>";
        assert_eq!(list(markup, "ul.s", None).0, ["/news/a"]);
        assert_eq!(list(markup, "li.s", None).0, ["/news/a", "/news/b"]);
        assert_eq!(list(markup, "i.s", None).0, ["/news/b"]);
        assert!(list(markup, "p.s, b.s", None).0.is_empty());
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

    /// Title and day of each link of class `s`.
    fn cards(markup: &str) -> Vec<(String, Option<String>)> {
        let page = Page::parse(markup, &Url::parse("https://example.org/").unwrap()).unwrap();
        let links = list_page(&page, &Selectors::parse(".s").unwrap(), None).links;
        let day = |l: &ListLink| l.date.map(|d| d.format("%F").to_string());
        links.iter().map(|l| (l.title.clone(), day(l))).collect()
    }

    #[test]
    fn finds_title_and_date_in_a_link_around_a_row() {
        // With few and many spaces, and with multi-byte characters: a row that was cut must not be mistaken
        // for a complete one.
        for blanks in [1, 40, 400] {
            for teaser in ["Short.", "公開された記事の要約です。".repeat(6).as_str()] {
                for title in ["p class='note title'", "h3", "div class=cardTitle"] {
                    let end = title.split(' ').next().unwrap();
                    let space = "\n".repeat(blanks);
                    let row = |n: u32| {
                        format!(
                            "<li>{space}<a class=s href={n}>{space}<{title}>Part {n}</{end}>{space}\
                             <p>2024-07-0{n}</p>{space}<p>{teaser}</p></a>{space}<i>a tag</i></li>"
                        )
                    };
                    let rows: String = (1..=4).rev().map(row).collect();
                    let want = |n: u32| (format!("Part {n}"), Some(format!("2024-07-0{n}")));
                    let found = cards(&format!("<main><ul>{rows}</ul></main>"));
                    assert_eq!(found, (1..=4).rev().map(want).collect::<Vec<_>>(), "{title}");
                }
            }
        }
    }

    #[test]
    fn a_date_above_several_links_applies_to_all() {
        let day = |n: u32| {
            format!(
                "<div><b>1{n}.11.2026</b><p><a class=s href=a{n}>One</a></p><p><a class=s href=b{n}>Two</a></p></div>"
            )
        };
        let days: Vec<_> =
            cards(&(day(2) + &day(1))).into_iter().map(|(_, day)| day.unwrap()).collect();
        assert_eq!(days, ["2026-11-12", "2026-11-12", "2026-11-11", "2026-11-11"]);
    }

    #[test]
    fn finds_dates_in_the_text_of_rows() {
        let rows = |days: [&str; 3], language: &str| {
            let row = |d: &str| {
                format!(
                    "<li><a class=s href='{}'>A</a> <i>{d}</i></li>",
                    d.replace(['/', '.', ' '], "-")
                )
            };
            let rows: String = days.into_iter().map(row).collect();
            let url = Url::parse("https://example.org/").unwrap();
            let page =
                Page::parse(&format!("<html lang={language}><ul>{rows}</ul>"), &url).unwrap();
            let links = list_page(&page, &Selectors::parse(".s").unwrap(), None).links;
            links.iter().map(|l| l.date.map(|d| d.format("%F").to_string())).collect::<Vec<_>>()
        };
        let days = |days: [&str; 3]| days.map(|d| Some(d.to_owned())).to_vec();
        let dotted = rows(["12.11.2026", "11.11.2026", "05.11.2026"], "de");
        assert_eq!(dotted, days(["2026-11-12", "2026-11-11", "2026-11-05"]));
        // These rows are sorted, newest first, only if the day comes first.
        let slashed = rows(["12/11/2026", "02/11/2026", "08/10/2026"], "en");
        assert_eq!(slashed, days(["2026-11-12", "2026-11-02", "2026-10-08"]));
        let slashed = rows(["02/03/2026", "01/12/2026", "01/05/2026"], "en");
        assert_eq!(slashed, days(["2026-02-03", "2026-01-12", "2026-01-05"]));
        assert_eq!(rows(["08/06/2026", "07/06/2026", "05/06/2026"], "en"), [None, None, None]);
    }
}
