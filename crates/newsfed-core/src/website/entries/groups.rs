//! Groups of elements that a selector matches: candidates for the blocks of a page.

use super::blocks::{Block, blocks};
use super::parts::has_word;
use crate::website::page::Page;
use crate::website::propose::{Region, around, classes, cost, is_heading, region, tag};
use crate::website::selector::Selectors;
use ego_tree::NodeId;
use scraper::ElementRef;
use std::collections::HashMap;

/// Elements that may be blocks.
const BLOCKS: [&str; 11] =
    ["article", "li", "div", "section", "tr", "details", "figure", "dt", "p", "b", "strong"];
/// Tags of blocks that are specific enough to be a selector on their own.
const TAGS: [&str; 8] = ["article", "li", "tr", "details", "figure", "dt", "b", "strong"];
/// Maximum number of elements that are examined.
const MAX_ELEMENTS: usize = 4000;
/// Maximum number of selectors per element.
const MAX_SELECTORS: usize = 40;
/// Maximum number of groups.
const MAX_GROUPS: usize = 200;
/// Maximum number of selectors of a group that are tried.
const MAX_TRIED: usize = 8;
/// Maximum number of elements that are compared with selectors in total.
const MAX_STEPS: usize = 40_000_000;
/// Maximum number of parts in the blocks of all groups, because the last section of each group may be most of
/// the page.
const MAX_PARTS: usize = 500_000;
/// Maximum number of members in a group.
const MAX_MEMBERS: usize = MAX_ELEMENTS;
/// Maximum number of ancestors that a selector may name.
const LEVELS: usize = 6;
/// Words in the classes of reader comments.
const COMMENTS: [&str; 6] = ["comment", "comments", "reply", "replies", "respond", "disqus"];

/// A selector with the elements that it matches.
pub(super) struct Group<'a> {
    pub(super) selector: String,
    pub(super) blocks: Vec<Block<'a>>,
}

/// The groups of at least `least` blocks. If several selectors match the same blocks, the simplest is used.
pub(super) fn groups(page: &Page, least: usize) -> Vec<Group<'_>> {
    let candidates: Vec<ElementRef<'_>> = page
        .tree()
        .root_element()
        .descendent_elements()
        .filter(|e| is_candidate(*e))
        .take(MAX_ELEMENTS)
        .collect();
    // On a longer page, only some members of a group are known.
    let cut = candidates.len() == MAX_ELEMENTS;
    let mut by_selector: HashMap<String, Vec<NodeId>> = HashMap::new();
    for element in &candidates {
        for selector in selectors(*element) {
            by_selector.entry(selector).or_default().push(element.id());
        }
    }
    let mut by_members: HashMap<Vec<NodeId>, Vec<String>> = HashMap::new();
    for (selector, members) in by_selector {
        if (least..=MAX_MEMBERS).contains(&members.len()) {
            by_members.entry(members).or_default().push(selector);
        }
    }
    let mut found: Vec<(usize, Vec<String>)> = Vec::new();
    for (members, mut selectors) in by_members {
        selectors.sort_by_cached_key(|s| (dependence(s), s.len(), s.clone()));
        selectors.truncate(MAX_TRIED);
        found.push((members.len(), selectors));
    }
    found.sort_by_cached_key(|(members, selectors)| {
        (std::cmp::Reverse(*members), selectors.first().map(|s| dependence(s)), selectors.clone())
    });
    found.truncate(MAX_GROUPS);
    // Selectors are also compared with the ancestors of each element.
    let levels = page.tree().root_element().descendent_elements().map(|e| e.ancestors().count());
    let mut tries = MAX_STEPS / levels.sum::<usize>().max(1);
    let mut parts = MAX_PARTS;
    found
        .into_iter()
        .filter_map(|(members, selectors)| {
            let group = real(page, (members, cut), selectors, &mut tries)?;
            parts = parts.checked_sub(group.blocks.iter().map(|b| b.parts.len()).sum())?;
            Some(group)
        })
        .collect()
}

/// The group of the first selector that matches as many elements as the group has blocks (or more if the list
/// was cut). The other selectors may also match elements such as menu entries.
fn real<'a>(
    page: &'a Page,
    (members, cut): (usize, bool),
    selectors: Vec<String>,
    tries: &mut usize,
) -> Option<Group<'a>> {
    selectors.into_iter().find_map(|selector| {
        *tries = tries.checked_sub(1)?;
        let all = Selectors::parse(&selector).ok()?.all(page.tree());
        (all.len() == members || cut && all.len() > members)
            .then(|| Group { selector, blocks: blocks(all) })
    })
}

/// How much a selector depends on things that may change, and on tags such as `li` that are on every page.
fn dependence(selector: &str) -> usize {
    cost(selector)
        + if matches!(selector, "li" | "tr" | "dt" | "figure" | "b" | "strong") { 3 } else { 0 }
}

fn is_candidate(element: ElementRef<'_>) -> bool {
    let name = element.value().name();
    (BLOCKS.contains(&name) || is_heading(name) && name != "h1")
        && region(element) == Region::Body
        && !std::iter::once(element)
            .chain(element.ancestors().filter_map(ElementRef::wrap).take(LEVELS))
            .any(|e| has_word(e, &COMMENTS))
}

/// Selectors for an element, with its own names and with those of an ancestor.
fn selectors(element: ElementRef<'_>) -> Vec<String> {
    let tag = tag(element);
    let mut own: Vec<String> = classes(element).into_iter().map(|c| format!("{tag}{c}")).collect();
    let plain = TAGS.contains(&tag) || is_heading(tag);
    if plain {
        own.push(tag.to_owned());
    }
    let mut found = own.clone();
    let levels = element.ancestors().filter_map(ElementRef::wrap);
    let levels = levels.take_while(|e| e.value().name() != "html").take(LEVELS);
    for (level, outer) in levels.enumerate() {
        let mut names = around(outer);
        if outer.value().name() == "main" {
            names.push("main".to_owned());
        }
        for name in names {
            // A paragraph without a class may be anything.
            if level == 0 && tag != "p" {
                found.push(format!("{name} > {tag}"));
            }
            found.extend(own.iter().map(|own| format!("{name} {own}")));
        }
    }
    found.truncate(MAX_SELECTORS);
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_the_parts_of_all_groups() {
        let heads: String = (0..200).map(|n| format!("<b class=w{n}>x</b>").repeat(3)).collect();
        let markup = format!("{heads}{}", "12.03.2026<br>".repeat(3000));
        let page = Page::parse(&markup, &"https://example.org/".parse().unwrap()).unwrap();
        let found = groups(&page, 3);
        let parts = |group: &Group<'_>| group.blocks.iter().map(|b| b.parts.len()).sum::<usize>();
        assert!(found.iter().any(|group| parts(group) > 6000), "a section goes on to the end");
        assert!(found.iter().map(parts).sum::<usize>() <= MAX_PARTS);
    }
}
