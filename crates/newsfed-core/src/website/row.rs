//! More information from the row of a link: who wrote the article, and when its last activity was, such as a
//! reply to a topic.

use super::authors::split_names;
use super::date::time_of;
use super::list::{ListLink, MAX_ELEMENTS};
use crate::model::Time;
use crate::util::date::{self, DateContext};
use crate::util::html::tree::{text_up_to, text_within};
use crate::util::text;
use ego_tree::NodeId;
use scraper::ElementRef;
use std::collections::HashMap;

/// Maximum number of levels above a link that belong to its row.
const LEVELS: usize = 6;
/// Maximum number of bytes of a row's text.
const MAX_ROW: usize = 1000;
/// Maximum length of an author's name, in bytes.
const MAX_AUTHOR: usize = 120;
/// Class names for authors of articles and topics.
const AUTHORS: [&str; 9] = [
    "author",
    "byline",
    "username",
    "poster",
    "starter",
    "topicstarter",
    "creator",
    "hnuser",
    "topic-author",
];
/// Parts of the URLs of users.
const USERS: [&str; 9] = [
    "memberlist.php",
    "member.php",
    "/members/",
    "/user/",
    "/users/",
    "/u/",
    "/profile/",
    "/author/",
    "user?id=",
];

/// Sets the authors and the last activity of links from their rows. `rows` are the elements of the links.
pub(super) fn complete(links: &mut [ListLink], rows: &[ElementRef<'_>], context: &DateContext) {
    let within = rows_within(rows);
    for (link, row) in links.iter_mut().zip(rows) {
        // The largest box that contains no other article.
        let own = |e: &ElementRef<'_>| within.get(&e.id()).is_some_and(|links| *links == 1);
        let Some(block) = around(*row).take_while(own).last() else { continue };
        link.author = author(block, *row);
        link.active = activity(block, *row, context);
    }
}

/// Sets the summaries of links from the texts of their rows. `rows` are the elements of the links.
pub(super) fn summarise(links: &mut [ListLink], rows: &[ElementRef<'_>]) {
    let within = rows_within(rows);
    for (link, row) in links.iter_mut().zip(rows) {
        let own = |e: &ElementRef<'_>| within.get(&e.id()).is_some_and(|links| *links == 1);
        let block = around(*row).take_while(own).last().unwrap_or(*row);
        link.summary = summary(block, *row, &link.title).unwrap_or_default();
    }
}

/// The longest paragraph in a row, apart from the title.
fn summary(block: ElementRef<'_>, link: ElementRef<'_>, title: &str) -> Option<String> {
    /// Minimum length, in characters, of a text that is neither a label nor a date.
    const MIN_SUMMARY: usize = 20;
    let elements = block.descendent_elements().take(MAX_ELEMENTS);
    let is_around = |e: &ElementRef<'_>| link.ancestors().any(|above| above.id() == e.id());
    let paragraphs = elements.filter(|e| e.value().name() == "p" && !is_around(e));
    let texts = paragraphs.map(|p| text::line(&text_up_to(p, MAX_ROW)));
    let texts = texts.filter(|text| text != title && text.chars().count() >= MIN_SUMMARY);
    texts.max_by_key(String::len)
}

/// The number of rows that each element contains.
fn rows_within(rows: &[ElementRef<'_>]) -> HashMap<NodeId, usize> {
    let mut within: HashMap<NodeId, usize> = HashMap::new();
    for element in rows.iter().flat_map(|row| around(*row)) {
        *within.entry(element.id()).or_default() += 1;
    }
    within
}

fn around(link: ElementRef<'_>) -> impl Iterator<Item = ElementRef<'_>> {
    let above = link.ancestors().filter_map(ElementRef::wrap).take(LEVELS);
    above.take_while(|e| !matches!(e.value().name(), "body" | "html" | "main"))
}

/// The first author in a row. For a topic, this is the user who started it.
fn author(block: ElementRef<'_>, link: ElementRef<'_>) -> Option<String> {
    let is_author = |e: &ElementRef<'_>| {
        let word = |key: &str| e.attr(key).is_some_and(|v| v.eq_ignore_ascii_case("author"));
        let classed = || {
            e.value().classes().any(|class| AUTHORS.contains(&class.to_ascii_lowercase().as_str()))
        };
        let user = || {
            let href = e.attr("href").unwrap_or_default();
            e.value().name() == "a" && USERS.iter().any(|part| href.contains(part))
        };
        word("rel") || word("itemprop") || classed() || user()
    };
    let elements = block.descendent_elements().take(MAX_ELEMENTS).filter(|e| e.id() != link.id());
    let mut names = elements.filter(is_author).filter_map(|e| {
        let text = text::line(&text_within(e, MAX_AUTHOR)?);
        let fits = text.contains(char::is_alphabetic);
        match e.value().name() {
            // User names can be anything.
            "a" => Some(text),
            _ => split_names([text.as_str()]).into_iter().next(),
        }
        .filter(|_| fits)
    });
    names.next()
}

/// The latest date of a row, if the row has more than one date. If there is no time, the start of the day.
fn activity(block: ElementRef<'_>, link: ElementRef<'_>, context: &DateContext) -> Option<Time> {
    let times: Vec<Time> = block
        .descendent_elements()
        .take(MAX_ELEMENTS)
        .filter(|e| e.value().name() == "time")
        .filter_map(|e| date::parse(e.attr("datetime")?))
        .collect();
    if times.len() > 1 {
        return times.into_iter().max();
    }
    let row = text_within(block, MAX_ROW)?;
    let own = text::line(&text_up_to(link, MAX_ROW));
    let row = text::line(&row).replacen(&own, " ", 1);
    let dates = date::scan(&row, context).dates.into_iter();
    let sure = dates.filter(|d| !d.range && !d.short && d.swapped.is_none());
    let times: Vec<Time> = sure.map(|d| time_of(&d, context)).collect();
    times.iter().max().filter(|_| times.len() > 1).copied()
}

#[cfg(test)]
mod tests {
    use crate::website::{Page, Selectors, list_page_with_rows};
    use url::Url;

    /// Author and last activity of each link of class `t`.
    fn rows(markup: &str) -> Vec<(Option<String>, Option<String>)> {
        let url = Url::parse("https://example.org/board/").unwrap();
        let page = Page::parse(markup, &url).unwrap();
        let links = list_page_with_rows(&page, &Selectors::parse("a.t").unwrap(), None).links;
        let at = |l: &crate::website::ListLink| l.active.map(|at| at.format("%F %R").to_string());
        links.iter().map(|l| (l.author.clone(), at(l))).collect()
    }

    #[test]
    fn uses_the_longest_paragraph_as_summary() {
        let long = "After nine months of work the bridge opens to trams first.";
        let cases = [
            (format!("<a class=t href=1>One</a><p>3 May 2024</p><p>{long}</p>"), long),
            (format!("<a class=t href=1><h3>One</h3><p>{long}</p></a>"), long),
            (format!("<p><a class=t href=1>One</a> {long}</p>"), ""),
            ("<h3><a class=t href=1>One</a></h3><p>3 May 2024</p>".to_owned(), ""),
        ];
        let url = Url::parse("https://example.org/").unwrap();
        for (markup, expected) in cases {
            let other = "<article><a class=t href=2>Two</a></article>";
            let markup = format!("<article>{markup}</article>{other}");
            let page = Page::parse(&markup, &url).unwrap();
            let selectors = Selectors::parse("a.t").unwrap();
            let links = super::super::list::list_page_with_summaries(&page, &selectors, None).links;
            let summaries: Vec<&str> = links.iter().map(|link| link.summary.as_str()).collect();
            assert_eq!(summaries, [expected, ""], "{markup}");
        }
    }

    #[test]
    fn reads_authors_and_replies_of_topics() {
        let pair = |author: &str, active: &str| {
            let some = |s: &str| Some(s.to_owned()).filter(|s| !s.is_empty());
            (some(author), some(active))
        };
        let cases = [
            (
                "<table><tr><td><a class=t href=1>One</a> by <a href=memberlist.php?u=2>Ann</a></td>\
                 <td>10 Nov 2026, 09:00</td><td><a href=memberlist.php?u=3>Bob</a> 12 Nov 2026, 10:30</td></tr>\
                 <tr><td><a class=t href=2>Two</a> by <a href=memberlist.php?u=3>Bob</a></td>\
                 <td>9 Nov 2026, 09:00</td><td>11 Nov 2026, 08:00</td></tr></table>",
                vec![pair("Ann", "2026-11-12 10:30"), pair("Bob", "2026-11-11 08:00")],
            ),
            (
                "<ul><li><a class=t href=1>One</a><span class=author>by Ann Lee</span>\
                 <time datetime=2026-11-10T09:00Z>a</time><time datetime=2026-11-12T10:30Z>b</time>\
                 <li><a class=t href=2>Two</a><span>no name</span></ul>",
                vec![pair("Ann Lee", "2026-11-12 10:30"), pair("", "")],
            ),
            (
                "<p><a class=t href=1>One of 3 May 2024</a><p><a class=t href=2>Two</a> 5 May 2024",
                vec![pair("", ""), pair("", "")],
            ),
            (
                "<p><a class=t href=1>One</a> <time datetime=2026-11-12T10:30Z>12 Nov 2026</time>\
                 <p><a class=t href=2>Two</a> 5 May 2024, changed on 6 May 2024",
                vec![pair("", ""), pair("", "2024-05-06 00:00")],
            ),
        ];
        for (markup, want) in cases {
            assert_eq!(rows(markup), want, "{markup}");
        }
    }
}
