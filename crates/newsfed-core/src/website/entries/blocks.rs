//! The blocks of a page that are its entries: elements, or headings with the content after them.

use crate::util::html::tree::text_up_to;
use ego_tree::{NodeId, NodeRef};
use scraper::{ElementRef, Node};
use std::collections::HashSet;

/// Elements that begin a block, which extends up to the next such element.
const STARTS: [&str; 11] = ["h1", "h2", "h3", "h4", "h5", "h6", "dt", "p", "b", "strong", "hr"];
/// Elements that may wrap only a heading.
const WRAPPERS: [&str; 5] = ["div", "header", "hgroup", "span", "a"];
/// Elements that are not part of the content of a section.
const BESIDE: [&str; 8] =
    ["nav", "footer", "aside", "script", "style", "noscript", "form", "template"];
/// Maximum number of wrappers around a heading.
const MAX_WRAPPERS: usize = 4;
/// Maximum number of additional letters in the wrapper of a heading, such as in a link to edit the section.
const WRAPPER_TEXT: usize = 40;
/// Maximum number of elements in a wrapper.
const MAX_INSIDE: usize = 50;

/// An element, or a heading and the nodes that follow it.
#[derive(Debug, Clone)]
pub(super) struct Block<'a> {
    /// The selected element.
    pub(super) head: ElementRef<'a>,
    /// The nodes of the block, which are siblings, in page order.
    pub(super) parts: Vec<NodeRef<'a, Node>>,
}

impl<'a> Block<'a> {
    /// Whether its head is only the start of the block, as in a section.
    pub(super) fn is_section(&self) -> bool {
        is_start(self.head)
    }

    /// Its elements, in page order.
    pub(super) fn elements(&self) -> impl Iterator<Item = ElementRef<'a>> + '_ {
        let parts = self.parts.iter().copied().filter_map(ElementRef::wrap);
        parts.flat_map(|part| part.descendent_elements())
    }

    /// The start of its text on one line, about `most` bytes. Not sanitised.
    pub(super) fn text(&self, most: usize) -> String {
        let mut text = String::new();
        for part in &self.parts {
            if text.len() >= most {
                break;
            }
            let own = match (part.value(), ElementRef::wrap(*part)) {
                (_, Some(element)) => text_up_to(element, most - text.len()),
                (Node::Text(own), None) => {
                    let own = crate::util::text::start(own, most - text.len());
                    own.split_whitespace().collect::<Vec<_>>().join(" ")
                }
                _ => continue,
            };
            if !own.is_empty() {
                if !text.is_empty() {
                    text.push(' ');
                }
                text.push_str(&own);
            }
        }
        text
    }
}

pub(super) fn is_start(element: ElementRef<'_>) -> bool {
    STARTS.contains(&element.value().name())
}

/// The level of a heading, 1 to 6.
fn level(element: ElementRef<'_>) -> Option<u8> {
    match element.value().name().as_bytes() {
        [b'h', digit @ b'1'..=b'6'] => Some(digit - b'0'),
        _ => None,
    }
}

/// The blocks of selected elements, in page order. Elements inside other selected elements, and header rows
/// of tables, are not blocks.
pub(super) fn blocks(selected: Vec<ElementRef<'_>>) -> Vec<Block<'_>> {
    let all: HashSet<NodeId> = selected.iter().map(|e| e.id()).collect();
    let outermost: Vec<ElementRef<'_>> = selected
        .into_iter()
        .filter(|e| !e.ancestors().any(|around| all.contains(&around.id())) && !is_header_row(*e))
        .collect();
    let starts: Vec<ElementRef<'_>> =
        outermost.iter().map(|e| if is_start(*e) { unwrapped(*e, &all) } else { *e }).collect();
    let mut ends: HashSet<NodeId> = HashSet::new();
    for start in &starts {
        ends.insert(start.id());
        // An element that contains another block does not belong to the current block.
        for around in start.ancestors() {
            if !ends.insert(around.id()) {
                break;
            }
        }
    }
    let pairs = outermost.into_iter().zip(starts);
    pairs.map(|(head, start)| Block { head, parts: parts(head, start, &ends) }).collect()
}

fn is_header_row(element: ElementRef<'_>) -> bool {
    element.value().name() == "tr"
        && !element.child_elements().any(|cell| cell.value().name() == "td")
}

/// The outermost element around a heading that contains only the heading.
fn unwrapped<'a>(heading: ElementRef<'a>, selected: &HashSet<NodeId>) -> ElementRef<'a> {
    let own = text_up_to(heading, 2000).chars().count();
    let mut start = heading;
    for _ in 0..MAX_WRAPPERS {
        let Some(parent) = start.parent().and_then(ElementRef::wrap) else { break };
        let alone = || {
            let inside = parent.descendent_elements().take(MAX_INSIDE);
            inside.filter(|e| selected.contains(&e.id())).count() == 1
        };
        let short = || text_up_to(parent, 4 * own + 400).chars().count() <= own + WRAPPER_TEXT;
        if !WRAPPERS.contains(&parent.value().name()) || !short() || !alone() {
            break;
        }
        start = parent;
    }
    start
}

fn parts<'a>(
    head: ElementRef<'a>,
    start: ElementRef<'a>,
    ends: &HashSet<NodeId>,
) -> Vec<NodeRef<'a, Node>> {
    let mut parts = vec![*start];
    if !is_start(head) {
        return parts;
    }
    for node in start.next_siblings() {
        let element = ElementRef::wrap(node);
        let higher = element.and_then(level).zip(level(head)).is_some_and(|(a, b)| a < b);
        if ends.contains(&node.id()) || higher {
            break;
        }
        if element.is_none_or(|e| !BESIDE.contains(&e.value().name())) {
            parts.push(node);
        }
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::util::html::tree;
    use scraper::Selector;

    fn texts(markup: &str, selector: &str) -> Vec<String> {
        let tree = tree::page(markup).unwrap();
        let selector = Selector::parse(selector).unwrap();
        blocks(tree.select(&selector).collect()).iter().map(|b| b.text(1000)).collect()
    }

    #[test]
    fn finds_elements_and_sections() {
        let cases: [(&str, &str, &[&str]); 8] = [
            ("<li>a<li>b", "li", &["a", "b"]),
            (
                "<h1>T</h1><h2>1</h2><p>a<ul><li>b</ul><h2>2</h2>c<h1>U</h1>d",
                "h2",
                &["1 a b", "2 c"],
            ),
            (
                "<div><h2>1</h2><a href=#x>edit</a></div><p>a</p><div><h2>2</h2></div><p>b</p>",
                "h2",
                &["1 edit a", "2 b"],
            ),
            ("<article><h2>1</h2>a</article><article><h2>2</h2>b</article>", "h2", &["1 a", "2 b"]),
            ("<dl><dt>1<dd>a<dd>b<dt>2<dd>c</dl>", "dt", &["1 a b", "2 c"]),
            ("<table><tr><th>h<tr><td>1<td>a<tr><th>2<td>b</table>", "tr", &["1 a", "2 b"]),
            ("<div class=e>1<div class=e>2</div></div><div class=e>3</div>", ".e", &["1 2", "3"]),
            ("<h2>1</h2><p>a</p><footer>f</footer>", "h2", &["1 a"]),
        ];
        for (markup, selector, want) in cases {
            assert_eq!(texts(markup, selector), want, "{markup}");
        }
    }
}
