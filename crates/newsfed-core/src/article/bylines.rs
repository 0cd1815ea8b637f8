//! Author names in the visible lines of a page.

mod prefixes;
mod roles;

pub(super) use prefixes::Prefixes;
pub(super) use roles::is_role;

use super::blocks::Page;
use super::page_date::is_date_line;
use crate::util::date::is_weekday;
use crate::util::text;
use ego_tree::NodeRef;
use scraper::{ElementRef, Node};
use std::ops::Range;

/// Maximum length of a name, in characters. A longer line is a sentence.
const MAX_NAME: usize = 80;
/// Maximum number of words in a name, not counting lower-case words such as "de la".
const MAX_WORDS: usize = 5;
/// Maximum number of lower-case words in a name.
const MAX_SMALL: usize = 4;
/// Maximum length of a line that names the author, in words.
const MAX_LINE: usize = 24;
/// Number of blocks above the article that may name the author.
const ABOVE: usize = 12;
/// Number of blocks at the start of the article that may name the author.
const BELOW: usize = 3;
/// Maximum number of text nodes in a byline.
const MAX_PIECES: usize = 30;
/// Maximum number of authors in one byline.
const MAX_AUTHORS: usize = 8;

/// Separators between two names.
const JOINS: [&str; 9] = ["and", "&", ",", "und", "et", "y", "e", "og", "и"];
/// Case-folded texts that appear in place of a name but are not names.
const OTHERS: [&str; 13] = [
    "the author",
    "about the author",
    "author",
    "authors",
    "guest post",
    "post",
    "share",
    "follow",
    "comments",
    "read more",
    "updated",
    "last updated",
    "published",
];

/// The names in an element that is marked as a byline: the first ones, without roles and dates.
pub(super) fn marked(element: ElementRef<'_>, prefixes: &Prefixes) -> Vec<String> {
    let pieces = element.descendants().filter_map(|node| match node.value() {
        Node::Text(text) => Some((text::line(text), node)),
        _ => None,
    });
    let mut names: Vec<String> = Vec::new();
    let (mut joined, mut last) = (true, None);
    for (piece, node) in pieces.filter(|(piece, _)| !piece.is_empty()).take(MAX_PIECES) {
        if !names.is_empty() && JOINS.contains(&piece.to_lowercase().trim()) {
            joined = true;
            continue;
        }
        joined |= last.is_some_and(|last| are_alike(last, node));
        let rest = prefixes.rest(&piece).unwrap_or(&piece);
        let mut found = if joined { listed(rest, prefixes) } else { Vec::new() };
        if found.first().is_some_and(|first| is_day_of(first, rest)) {
            found.clear();
        }
        if found.is_empty() && !names.is_empty() || names.len() >= MAX_AUTHORS {
            break;
        }
        joined = found.is_empty() || piece.trim_end().ends_with([',', '&']);
        last = Some(node);
        names.extend(found);
    }
    names
}

/// Whether two text nodes are in adjacent elements of the same kind, like the names in a list without
/// separators.
fn are_alike(a: NodeRef<'_, Node>, b: NodeRef<'_, Node>) -> bool {
    let (Some(a), Some(b)) = (a.parent(), b.parent()) else { return false };
    let (Some(a), Some(b)) = (ElementRef::wrap(a), ElementRef::wrap(b)) else { return false };
    let alike = a.value().name() == b.value().name() && a.attr("class") == b.attr("class");
    if a.id() == b.id() || !alike || a.parent().map(|p| p.id()) != b.parent().map(|p| p.id()) {
        return false;
    }
    if a.value().name() == "a" {
        // The link after an author's link may lead to a section or a location.
        let folder = |e: ElementRef<'_>| {
            let path = e.attr("href").map(|href| href.trim_end_matches('/').rsplit_once('/'));
            path.map(|path| path.map_or_else(String::new, |(folder, _)| folder.to_owned()))
        };
        return folder(a) == folder(b)
            && (a.attr("href").is_none() || a.attr("href") != b.attr("href"));
    }
    let list = a.parent().and_then(ElementRef::wrap).and_then(|list| list.attr("class"));
    let is_list = list.is_some_and(|class| class.split(['-', '_', ' ']).any(|w| w == "authors"));
    a.attr("class").is_some_and(|class| !class.trim().is_empty()) || is_list
}

/// The names in a line such as `By Ann Lee and Bob Ray · 3 May`, for pages without marked bylines.
pub(super) fn near(page: &Page<'_>, taken: &[bool], prefixes: &Prefixes) -> Vec<String> {
    let Some(first) = taken.iter().position(|t| *t) else { return Vec::new() };
    let above = first.saturating_sub(ABOVE);
    let is_title = |at: &usize| page.elements[page.blocks[*at].element].name() == "h1";
    let heading = (above..first).rev().find(is_title);
    let start = heading.map_or(above, |heading| heading.saturating_sub(BELOW).max(above));
    let range: Range<usize> = start..(first + BELOW).min(page.blocks.len());
    for at in range {
        if page.blocks[at].words > MAX_LINE {
            continue;
        }
        let line = separated(page, at);
        let Some(rest) = prefixes.rest(&line) else { continue };
        let rest = rest.trim_start_matches([' ', '·']);
        let names = listed(cut(rest), prefixes);
        let names: Vec<String> = names.into_iter().filter(|n| is_written(n)).collect();
        if names.first().is_some_and(|first| !is_day_of(first, cut(rest))) {
            return names;
        }
    }
    Vec::new()
}

/// Whether a name is only the weekday of a date on the line.
fn is_day_of(name: &str, line: &str) -> bool {
    is_weekday(&name.to_lowercase()) && is_date_line(line)
}

/// The text of a block, with separators between the names of a list and between other adjacent elements
/// without whitespace between them.
fn separated(page: &Page<'_>, at: usize) -> String {
    let tree = page.elements[0].node.tree();
    let (mut out, mut last) = (String::new(), None);
    for node in page.nodes(at).iter().filter_map(|id| tree.get(*id)) {
        let Node::Text(text) = node.value() else { continue };
        let begins = text.starts_with(|c: char| c.is_uppercase() || c.is_numeric());
        if last.is_some_and(|last| are_alike(last, node)) {
            out.truncate(out.trim_end().len());
            out.push_str(", ");
        } else if begins && out.ends_with(char::is_alphanumeric) {
            out.push_str(" · ");
        }
        out.push_str(text);
        if text.contains(|c: char| !c.is_whitespace()) {
            last = Some(node);
        }
    }
    text::line(&out)
}

/// A line up to the first separator or word that ends the names.
fn cut(line: &str) -> &str {
    let ends = [
        " | ", " · ", " • ", " - ", " – ", " — ", " / ", " on ", " in ", " am ", " le ", " (", "\n",
    ];
    let end = ends.iter().filter_map(|sign| line.find(sign)).min().unwrap_or(line.len());
    &line[..end]
}

/// The names of a list, up to the first entry that is not a name.
fn listed(line: &str, prefixes: &Prefixes) -> Vec<String> {
    let parts = line.split([',', ';', '&', '|', '·', '•', '،', '、']);
    let parts = parts.flat_map(|part| part.split(" and "));
    let parts = parts.flat_map(|part| part.split(" und ")).flat_map(|part| part.split(" et "));
    let parts = parts.map(text::line);
    parts
        .filter(|p| !p.is_empty())
        .map_while(|part| is_name(&part, prefixes).then_some(part))
        .collect()
}

fn is_name(part: &str, prefixes: &Prefixes) -> bool {
    let folded = part.to_lowercase();
    let small = part.split(' ').filter(|word| word.starts_with(char::is_lowercase)).count();
    part.chars().count() <= MAX_NAME
        && part.split(' ').count() - small <= MAX_WORDS
        && small <= MAX_SMALL
        && part.chars().any(char::is_alphabetic)
        && !part.contains("://")
        && !part.contains("www.")
        && !part.contains(['@', ':', '?', '!'])
        // A nickname may contain digits, but a name with digits and spaces is a date.
        && !(part.chars().any(char::is_numeric) && (part.contains(' ') || is_date_line(part)))
        && !OTHERS.contains(&folded.as_str())
        && !prefixes.contains(&folded)
        && !is_role(part)
}

/// Whether each word of a name begins with a capital letter, or with a letter of a script without capitals.
/// Short words after the first may be in lower case.
fn is_written(name: &str) -> bool {
    let small = |word: &str| word.chars().next().is_some_and(char::is_lowercase);
    let mut words = name.split(' ');
    words.next().is_some_and(|first| !small(first))
        && words.all(|word| !small(word) || word.chars().count() <= 3)
        && !name.chars().any(char::is_numeric)
        && !name.ends_with('.')
}
