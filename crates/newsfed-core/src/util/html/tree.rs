//! HTML trees. All of them are built here, piece by piece and within the limits of depth and size.

use super::gate::{Drawings, Gated, gate};
use super::streamed;
use crate::util::limits::{PAGE_BYTES, PAGE_DEPTH, PAGE_NODES, PAGE_STEPS};
use crate::util::text;
use ego_tree::{NodeId, NodeRef, Tree};
use html5ever::driver::{self, Parser};
use html5ever::tendril::{StrTendril, TendrilSink};
use html5ever::{QualName, local_name, ns};
use scraper::{ElementRef, Html, HtmlTreeSink, Node};
use std::time::{Duration, Instant};

/// Number of bytes that are parsed between two checks. A piece cannot add more than a few hundred levels.
const PIECE: usize = 512;
/// Maximum time for one tree, as a last resort. Ordinary pages take a few hundredths of a second.
const MAX_TIME: Duration = Duration::from_secs(20);

/// Why a page has no tree.
pub const REFUSED: &str = "the page is nested too deeply, or too large, to be read safely";

/// The tree of a page's first [`PAGE_BYTES`], with streamed parts in their places. `None` if it would be
/// nested deeper than [`PAGE_DEPTH`], have more than [`PAGE_NODES`] nodes or a sum of depths above
/// [`PAGE_STEPS`], or take too long.
pub fn page(markup: &str) -> Option<Html> {
    document(markup, Drawings::Kept)
}

/// Like [`page`], but without the contents of most drawings, for code that reads only text and has no
/// selectors.
pub fn article(markup: &str) -> Option<Html> {
    document(markup, Drawings::Emptied)
}

fn document(markup: &str, drawings: Drawings) -> Option<Html> {
    let source = gate(text::start(markup, PAGE_BYTES), drawings)?;
    let sink = sink_for(&source, Html::new_document(), Node::Document);
    let mut html = build(source, driver::parse_document(sink, driver::ParseOpts::default()))?;
    if streamed::is_likely(markup) {
        streamed::assemble(&mut html);
        return is_within_limits(&html).then_some(html);
    }
    Some(html)
}

/// The tree of a fragment, with the same limits as [`page`].
pub fn fragment(markup: &str) -> Option<Html> {
    let source = gate(text::start(markup, PAGE_BYTES), Drawings::Kept)?;
    let sink = sink_for(&source, Html::new_fragment(), Node::Fragment);
    let context = QualName::new(None, ns!(html), local_name!("body"));
    let options = driver::ParseOpts::default();
    build(source, driver::parse_fragment(sink, options, context, Vec::new(), false))
}

/// A sink for an empty tree, with capacity for about as many nodes as the source has.
fn sink_for(source: &Gated, mut html: Html, root: Node) -> HtmlTreeSink {
    html.tree = Tree::with_capacity(root, source.tags + 8);
    HtmlTreeSink::new(html)
}

fn build(source: Gated, mut parser: Parser<HtmlTreeSink>) -> Option<Html> {
    let (started, mut known, mut steps) = (Instant::now(), 0, 0);
    for piece in pieces(source.text) {
        parser.process(piece);
        let tree = &parser.tokenizer.sink.sink.0.borrow().tree;
        if tree.nodes().len() > PAGE_NODES || started.elapsed() > MAX_TIME {
            return None;
        }
        let nodes = tree.nodes();
        let added = nodes.len() - known;
        known += added;
        let mut depths = Depths::default();
        for node in nodes.rev().take(added) {
            let depth = depths.of(node);
            steps += depth;
            if depth > PAGE_DEPTH || steps > PAGE_STEPS {
                return None;
            }
        }
    }
    let html = parser.finish();
    // The parser may have moved parts of the tree since the last check.
    is_within_limits(&html).then_some(html)
}

/// Splits a text into pieces of at most [`PIECE`] bytes. They share its buffer, so that the parser does not
/// copy the texts between tags. The buffer lives as long as the tree.
fn pieces(text: StrTendril) -> impl Iterator<Item = StrTendril> {
    let mut at = 0;
    std::iter::from_fn(move || {
        let len = text::start(&text[at..], PIECE).len();
        let piece = text.subtendril(at as u32, len as u32);
        at += len;
        (len > 0).then_some(piece)
    })
}

/// The depths of nodes in a tree that does not change, up to `PAGE_DEPTH + 1`. The ancestors of siblings, or
/// of a parent and its child, are counted only once.
#[derive(Default)]
struct Depths {
    /// The parent of the previous node, and its depth.
    last: Option<(NodeId, usize)>,
}

impl Depths {
    fn of(&mut self, node: NodeRef<'_, Node>) -> usize {
        let Some(parent) = node.parent() else { return 0 };
        let above = match self.last {
            Some((last, depth)) if last == parent.id() => depth,
            Some((last, depth)) if last == node.id() && (1..=PAGE_DEPTH).contains(&depth) => {
                depth - 1
            }
            _ => parent.ancestors().take(PAGE_DEPTH + 1).count(),
        };
        self.last = Some((parent.id(), above));
        (above + 1).min(PAGE_DEPTH + 1)
    }
}

fn is_within_limits(html: &Html) -> bool {
    let (mut depth, mut steps) = (0, 0);
    for edge in html.tree.root().traverse() {
        match edge {
            ego_tree::iter::Edge::Open(_) => depth += 1,
            ego_tree::iter::Edge::Close(_) => depth -= 1,
        }
        steps += depth;
        // The walk visits each node twice.
        if depth > PAGE_DEPTH + 1 || steps > 2 * PAGE_STEPS {
            return false;
        }
    }
    true
}

/// Elements whose content is not readable text.
pub const HIDDEN: [&str; 7] = ["script", "style", "noscript", "template", "iframe", "svg", "head"];
/// Inline elements, whose boundaries do not separate words.
const INLINE: [&str; 27] = [
    "a", "abbr", "b", "bdi", "bdo", "big", "cite", "code", "data", "del", "em", "font", "i", "ins",
    "kbd", "label", "mark", "q", "s", "small", "span", "strong", "sub", "sup", "time", "u", "wbr",
];

/// The visible text of an element in one line, without scripts and the like. Whitespace is collapsed, and a
/// block begins and ends with a space. Not sanitised.
pub fn text_of(element: ElementRef<'_>) -> String {
    text_up_to(element, usize::MAX)
}

/// Like [`text_of`], but stops after about `most` bytes and tags. Use it for the text of many elements that
/// may be nested.
pub fn text_up_to(element: ElementRef<'_>, most: usize) -> String {
    let (mut out, mut left) = (String::new(), most);
    push_text(element, &mut out, &mut left);
    out.truncate(out.trim_end().len());
    out
}

/// Like [`text_of`]; `None` if it has more than `most` bytes.
pub fn text_within(element: ElementRef<'_>, most: usize) -> Option<String> {
    /// Maximum number of whitespace characters in the markup for each byte of text. An element with more is
    /// treated as too long.
    const MAX_SPACES: usize = 16;
    let (mut out, mut left) =
        (String::new(), most.saturating_mul(MAX_SPACES).saturating_add(MAX_SPACES));
    push_text(element, &mut out, &mut left);
    out.truncate(out.trim_end().len());
    (left > 0 && out.len() <= most).then_some(out)
}

fn push_text(element: ElementRef<'_>, out: &mut String, left: &mut usize) {
    for child in element.children() {
        let cost = match child.value() {
            Node::Text(text) => text.len(),
            _ => 1,
        };
        if *left == 0 {
            return;
        }
        match child.value() {
            Node::Text(text) => push_words(text::start(text, *left), out),
            Node::Element(tag) if !HIDDEN.contains(&tag.name()) => {
                let gap = !INLINE.contains(&tag.name());
                if gap {
                    push_blank(out);
                }
                if let Some(child) = ElementRef::wrap(child) {
                    push_text(child, out, left);
                }
                if gap {
                    push_blank(out);
                }
            }
            _ => {}
        }
        *left = left.saturating_sub(cost);
    }
}

fn push_words(text: &str, out: &mut String) {
    for c in text.chars() {
        if c.is_whitespace() {
            push_blank(out);
        } else {
            out.push(c);
        }
    }
}

fn push_blank(out: &mut String) {
    if !out.is_empty() && !out.ends_with(' ') {
        out.push(' ');
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn extracts_visible_text() {
        let cases = [
            ("<p>Alpha</p><p>Beta</p>", "Alpha Beta"),
            ("<script>var q;</script><style>.z{}</style><p>Alpha<br>Beta</p>", "Alpha Beta"),
            ("  A \n\t B&nbsp;&amp; <em>C</em>  ", "A B & C"),
            ("a<b>b</b>c<template>t</template>", "abc"),
            ("", ""),
        ];
        for (markup, want) in cases {
            let tree = fragment(markup).unwrap();
            assert_eq!(text_of(tree.root_element()), want, "{markup}");
        }
    }

    #[test]
    fn limits_long_text() {
        let tree =
            fragment(&format!("<p>one <b>two</b></p>{}", "<p>three</p>".repeat(99))).unwrap();
        let start = text_up_to(tree.root_element(), 12);
        assert!(start.starts_with("one two") && start.len() < 20, "{start}");
    }

    #[test]
    fn builds_no_tree_for_deep_nesting() {
        let deep = "<div>".repeat(PAGE_DEPTH + 10);
        assert!(page(&deep).is_none());
        assert!(fragment(&deep).is_none());
    }

    #[test]
    fn builds_no_tree_for_many_elements_in_deep_nesting() {
        let elements = |count| "<div>".repeat(500) + &"<br>".repeat(count);
        assert!(page(&elements(1_000)).is_some());
        assert!(page(&elements(PAGE_STEPS / 500)).is_none());
    }

    #[test]
    fn depths_match_the_number_of_ancestors() {
        let deep = "<div>".repeat(PAGE_DEPTH - 10) + "<p>a<br>b";
        for markup in ["<ul><li>a<li>b<b>c</b>d</ul><table>x<tr><td>y</table>e", &deep] {
            let tree = fragment(markup).unwrap().tree;
            let counted = |node: &NodeRef<'_, Node>| node.ancestors().count();
            let (mut back, mut forth) = (Depths::default(), Depths::default());
            assert!(tree.nodes().rev().all(|node| back.of(node) == counted(&node)));
            assert!(tree.nodes().all(|node| forth.of(node) == counted(&node)));
        }
    }
}
