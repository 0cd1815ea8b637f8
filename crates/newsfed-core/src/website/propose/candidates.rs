//! Selectors that could find the links of a list.

use super::likeness::segments;
use super::links::{MAX_SIBLINGS, above, column};
use super::names::{around, classes, is_heading};
use scraper::ElementRef;
use std::collections::{BTreeSet, HashMap};
use url::Url;

/// Maximum number of selectors per link.
const MAX_SELECTORS: usize = 120;
/// Maximum number of ancestors of a link that are examined.
const LEVELS: usize = 12;
/// Maximum number of columns in a table that has a list in one of them.
const MAX_COLUMNS: usize = 10;
/// Parents of links in lists without any names.
const PLAIN_PARENTS: [&str; 7] = ["p", "div", "span", "strong", "b", "em", "details"];
/// Parts of a page that are not a list of articles, with their selectors.
const FRAMES: [(&str, &str); 4] =
    [("nav", "nav a"), ("footer", "footer a"), ("aside", "aside a"), ("header", "body > header a")];
/// Maximum length of a URL's folder that is used in a selector, in bytes.
const MAX_FOLDER: usize = 30;
/// Maximum number of folders of a URL that are used in a selector.
const MAX_FOLDERS: usize = 3;

/// The selectors for the links on a page.
pub(super) struct Candidates {
    /// For each selector without names, the frames that also contain links matched by it.
    frames: HashMap<String, BTreeSet<usize>>,
}

impl Candidates {
    pub(super) fn read<'a>(links: impl Iterator<Item = (ElementRef<'a>, &'a Url)>) -> Self {
        let mut frames: HashMap<String, BTreeSet<usize>> = HashMap::new();
        for (link, url) in links {
            let Some(frame) = frame(link) else { continue };
            for selector in plain(link, url) {
                frames.entry(selector).or_default().insert(frame);
            }
        }
        Self { frames }
    }

    /// All selectors of one link.
    pub(super) fn of(&self, link: ElementRef<'_>, url: &Url) -> Vec<String> {
        let mut found = selectors(link);
        found.extend(by_folder(link, url));
        if frame(link).is_none() {
            for selector in plain(link, url) {
                let Some(frames) = self.frames.get(&selector) else { continue };
                let others = frames.iter().map(|n| format!(":not({})", FRAMES[*n].1));
                found.push(selector + &others.collect::<String>());
            }
        }
        found.sort_unstable();
        found.dedup();
        found
    }
}

/// The frame that contains a link, as an index into [`FRAMES`]. The header of an article is not a frame.
fn frame(link: ElementRef<'_>) -> Option<usize> {
    let of = |element: ElementRef<'_>| {
        let number = FRAMES.iter().position(|(tag, _)| *tag == element.value().name())?;
        let top = || above(element).next().is_some_and(|parent| parent.value().name() == "body");
        (FRAMES[number].0 != "header" || top()).then_some(number)
    };
    above(link).find_map(of)
}

/// Selectors that use only tags or folders, which also occur in menus.
fn plain(link: ElementRef<'_>, url: &Url) -> Vec<String> {
    let mut found = by_folder(link, url);
    if let Some(parent) = above(link).next() {
        found.push(format!("{} > a", parent.value().name()));
    }
    let tags = above(link).take(3).map(|e| e.value().name());
    let meaningful =
        tags.filter(|tag| matches!(*tag, "li" | "ul" | "ol" | "dt") || is_heading(tag));
    found.extend(meaningful.map(|tag| format!("{tag} a")));
    found.sort_unstable();
    found.dedup();
    found
}

/// Selectors that use the leading folders of a URL that have names and are written in the link.
fn by_folder(link: ElementRef<'_>, url: &Url) -> Vec<String> {
    let is_name = |s: &&&str| {
        let plain = s.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_'));
        plain && s.len() <= MAX_FOLDER && s.bytes().any(|b| b.is_ascii_alphabetic())
    };
    let segments = segments(url.path());
    let folders = segments.split_last().map_or(&[][..], |(_, folders)| folders);
    let href = link.attr("href").unwrap_or_default();
    let mut found = Vec::new();
    let mut written = String::from("/");
    for folder in folders.iter().take_while(is_name).take(MAX_FOLDERS) {
        written.push_str(folder);
        written.push('/');
        let selector = match &written[1..] {
            relative if href.starts_with(relative) => format!("a[href^=\"{relative}\"]"),
            _ if href.starts_with(&written) => format!("a[href^=\"{written}\"]"),
            _ if href.contains(&written) => format!("a[href*=\"{written}\"]"),
            _ => continue,
        };
        found.extend(["li", "main"].iter().filter_map(|tag| {
            let within = above(link).take(LEVELS).any(|e| e.value().name() == *tag);
            within.then(|| format!("{tag} {selector}"))
        }));
        found.push(selector);
    }
    found
}

/// Selectors that match a link by its own classes, by its ancestors, by headings, or by two ancestors at
/// once.
fn selectors(link: ElementRef<'_>) -> Vec<String> {
    let mut found: Vec<String> = classes(link).into_iter().map(|c| format!("a{c}")).collect();
    let levels: Vec<ElementRef<'_>> =
        above(link).take_while(|e| !matches!(e.value().name(), "html")).take(LEVELS).collect();
    if link.attr("rel").is_some_and(|r| r.split_whitespace().any(|w| w == "bookmark")) {
        found.push("a[rel~=bookmark]".to_owned());
    }
    // The last step: the link itself, the link in its parent, or a heading.
    let mut ends = vec!["a".to_owned()];
    ends.extend(classes(link).into_iter().take(1).map(|c| format!("a{c}")));
    if let Some(parent) = levels.first() {
        let tag = parent.value().name();
        ends.push(format!("{tag} > a"));
        if PLAIN_PARENTS.contains(&tag) {
            found.push(format!("{tag} > a"));
        }
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
        let before = column(*cell);
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
                // The parent is already part of the last step.
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
