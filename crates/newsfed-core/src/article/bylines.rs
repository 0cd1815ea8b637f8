//! The names of authors in the visible lines of a page.

use super::blocks::Page;
use super::page_date::is_date_line;
use crate::util::text;
use scraper::{ElementRef, Node};
use std::ops::Range;

/// Longest name, in characters and in words.
const MAX_NAME: usize = 60;
const MAX_WORDS: usize = 5;
/// Longest line that names the author, in words.
const MAX_LINE: usize = 24;
/// How many blocks above the article, and at its start, can name the author.
const ABOVE: usize = 12;
const BELOW: usize = 3;
/// Maximum number of pieces of text of a byline.
const MAX_PIECES: usize = 30;
/// Maximum number of authors of one byline.
const MAX_AUTHORS: usize = 8;

/// Words before a name, folded. Longer ones come before their beginnings.
const PREFIXES: [&str; 38] = [
    "written by",
    "posted by",
    "authored by",
    "published by",
    "words by",
    "story by",
    "text by",
    "reviewed by",
    "by",
    "author",
    "geschrieben von",
    "ein beitrag von",
    "von",
    "autorin",
    "autor",
    "autore",
    "autora",
    "auteur",
    "écrit par",
    "publié par",
    "par",
    "escrito por",
    "publicado por",
    "por",
    "scritto da",
    "door",
    "skrevet av",
    "автор",
    "текст",
    "מאת",
    "بقلم",
    "نویسنده",
    "โดย",
    "लेखक",
    "tác giả",
    "作者",
    "文／",
    "文/",
];
/// What stands between two names.
const JOINS: [&str; 9] = ["and", "&", ",", "und", "et", "y", "e", "og", "и"];
/// Texts in the place of a name that are not names, folded.
const OTHERS: [&str; 15] = [
    "the author",
    "about the author",
    "author",
    "authors",
    "staff",
    "editor",
    "guest",
    "guest post",
    "share",
    "follow",
    "comments",
    "read more",
    "updated",
    "last updated",
    "published",
];

/// The names in an element that is marked as a byline: the first ones, without roles and dates.
pub(super) fn marked(element: ElementRef<'_>) -> Vec<String> {
    let pieces = element.descendants().filter_map(|node| match node.value() {
        Node::Text(text) => Some(text::line(text)),
        _ => None,
    });
    let mut names: Vec<String> = Vec::new();
    let mut joined = true;
    for piece in pieces.filter(|piece| !piece.is_empty()).take(MAX_PIECES) {
        if !names.is_empty() && JOINS.contains(&piece.to_lowercase().trim()) {
            joined = true;
            continue;
        }
        let found =
            if joined { listed(after_prefix(&piece).unwrap_or(&piece)) } else { Vec::new() };
        if found.is_empty() && !names.is_empty() || names.len() >= MAX_AUTHORS {
            break;
        }
        joined = found.is_empty() || piece.trim_end().ends_with([',', '&']);
        names.extend(found);
    }
    names
}

/// The names in a line such as `By Ann Lee and Bob Ray · 3 May`, of a page without marked bylines.
pub(super) fn near(page: &Page<'_>, taken: &[bool]) -> Vec<String> {
    let Some(first) = taken.iter().position(|t| *t) else { return Vec::new() };
    let above = first.saturating_sub(ABOVE);
    let is_title = |at: &usize| page.elements[page.blocks[*at].element].name() == "h1";
    let heading = (above..first).rev().find(is_title);
    let start = heading.map_or(above, |heading| heading.saturating_sub(BELOW).max(above));
    let range: Range<usize> = start..(first + BELOW).min(page.blocks.len());
    for at in range {
        let line = page.text(at);
        if page.blocks[at].words > MAX_LINE {
            continue;
        }
        let Some(rest) = after_prefix(line) else { continue };
        let names: Vec<String> = listed(cut(rest)).into_iter().filter(|n| is_written(n)).collect();
        if !names.is_empty() {
            return names;
        }
    }
    Vec::new()
}

/// What follows the words before a name; `None` if there are none.
pub(super) fn after_prefix(line: &str) -> Option<&str> {
    let line = line.trim_start();
    PREFIXES.iter().find_map(|prefix| {
        let rest = strip_folded(line, prefix)?;
        let sign = rest.starts_with([':', '：', '／', '/']);
        let rest = rest.trim_start_matches([':', '：', '／', '/']);
        let apart = sign || rest.is_empty() || rest.starts_with(char::is_whitespace);
        (apart || prefix.ends_with(['/', '／'])).then(|| rest.trim())
    })
}

/// The rest of a text after a prefix in lower case.
fn strip_folded<'t>(text: &'t str, prefix: &str) -> Option<&'t str> {
    let mut rest = text.chars();
    for wanted in prefix.chars() {
        let c = rest.next()?;
        if !c.to_lowercase().eq(std::iter::once(wanted)) {
            return None;
        }
    }
    Some(rest.as_str())
}

/// A line up to the first sign or word after which no name follows.
fn cut(line: &str) -> &str {
    let ends = [
        " | ", " · ", " • ", " - ", " – ", " — ", " / ", " on ", " in ", " am ", " le ", " (", "\n",
    ];
    let end = ends.iter().filter_map(|sign| line.find(sign)).min().unwrap_or(line.len());
    &line[..end]
}

/// The names of a list, up to the first part that is not a name.
fn listed(line: &str) -> Vec<String> {
    let parts = line.split([',', ';', '&', '|', '·', '•', '،', '、']);
    let parts = parts.flat_map(|part| part.split(" and "));
    let parts = parts.flat_map(|part| part.split(" und ")).flat_map(|part| part.split(" et "));
    let parts = parts.map(text::line);
    parts.filter(|p| !p.is_empty()).map_while(|part| is_name(&part).then_some(part)).collect()
}

fn is_name(part: &str) -> bool {
    let folded = part.to_lowercase();
    part.chars().count() <= MAX_NAME
        && part.split(' ').count() <= MAX_WORDS
        && part.chars().any(char::is_alphabetic)
        && !part.contains("://")
        && !part.contains("www.")
        && !part.contains(['@', ':', '?', '!'])
        // A nickname may have digits, a date has them beside words.
        && !(part.chars().any(char::is_numeric) && (part.contains(' ') || is_date_line(part)))
        && !OTHERS.contains(&folded.as_str())
        && !PREFIXES.contains(&folded.as_str())
}

/// Whether each word of a name begins with a capital letter, or with a letter of a script that has none.
/// Short words between them may be small.
fn is_written(name: &str) -> bool {
    let small = |word: &str| word.chars().next().is_some_and(char::is_lowercase);
    let mut words = name.split(' ');
    words.next().is_some_and(|first| !small(first))
        && words.all(|word| !small(word) || word.chars().count() <= 3)
        && !name.chars().any(char::is_numeric)
        && !name.ends_with('.')
}
