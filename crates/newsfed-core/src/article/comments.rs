//! Comments by readers: they are recognised by the class names of their boxes and kept apart from the
//! article.

use super::blocks::Page;
use super::classes::COMMENT;
use super::extract::{FEW_WORDS, words_of};
use super::features::Hints;
use std::ops::Range;

/// Comment sections: the outermost boxes with a matching name that do not contain the page's heading.
pub(super) fn zones(page: &Page<'_>) -> Vec<usize> {
    let headings: Vec<usize> = (0..page.blocks.len())
        .filter(|at| page.elements[page.blocks[*at].element].name() == "h1")
        .collect();
    let mut found: Vec<usize> = Vec::new();
    for (at, element) in page.elements.iter().enumerate() {
        if element.kinds & COMMENT == 0 || element.blocks.is_empty() {
            continue;
        }
        let inside =
            found.last().is_some_and(|z| page.elements[*z].blocks.end > element.blocks.start);
        let named = matches!(element.name(), "div" | "section" | "ol" | "ul" | "aside" | "article");
        let whole = headings.iter().any(|h| element.blocks.contains(h));
        if named && !inside && !whole {
            found.push(at);
        }
    }
    found
}

/// The texts of the individual comments.
pub(super) fn texts(page: &Page<'_>, zones: &[usize]) -> Vec<String> {
    let mut texts = Vec::new();
    for zone in zones {
        let range = page.elements[*zone].blocks.clone();
        let units = units(page, *zone, &range);
        for unit in units {
            let lines: Vec<&str> = unit.map(|at| page.text(at)).collect();
            texts.push(crate::util::text::block(&lines.join("\n")));
        }
    }
    texts
}

/// The blocks of each comment: the outermost boxes in a comment section that have siblings of the same name,
/// or the entire section if there are none.
fn units(page: &Page<'_>, zone: usize, range: &Range<usize>) -> Vec<Range<usize>> {
    let within = (zone + 1..page.elements.len())
        .take_while(|at| page.elements[*at].blocks.start < range.end)
        .filter(|at| !page.elements[*at].blocks.is_empty());
    let mut units: Vec<Range<usize>> = Vec::new();
    for at in within {
        let element = &page.elements[at];
        let inside = units.last().is_some_and(|u| u.end > element.blocks.start);
        let is_unit = matches!(element.name(), "li" | "article")
            || element.name() == "div" && element.kinds & COMMENT != 0;
        if is_unit && !inside && page.elements[at].blocks.len() < range.len() {
            units.push(element.blocks.clone());
        }
    }
    if units.is_empty() { vec![range.clone()] } else { units }
}

/// Removes the comment sections, unless nothing would be left. The posts of a discussion are not comments.
pub(super) fn drop_comments(page: &Page<'_>, hints: &Hints, taken: &mut [bool]) {
    if hints.signs.with(page.signs).is_discussion() {
        return;
    }
    let mut rest = taken.to_vec();
    for zone in zones(page) {
        rest[page.elements[zone].blocks.clone()].fill(false);
    }
    if words_of(page, &rest) >= FEW_WORDS {
        taken.copy_from_slice(&rest);
    }
}
