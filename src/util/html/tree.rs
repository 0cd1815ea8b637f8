//! HTML trees. This is the only place where they are built, after the gate.

use super::gate;
use crate::util::limits;
use crate::util::text;
use scraper::{ElementRef, Html, Node};

/// The tree of a page's first [`limits::PAGE_BYTES`] bytes. `None` if it would be nested deeper than
/// [`limits::PAGE_DEPTH`], or too large.
pub fn page(markup: &str) -> Option<Html> {
    gate(text::start(markup, limits::PAGE_BYTES), limits::PAGE_DEPTH)
        .map(|markup| Html::parse_document(&markup))
}

/// The tree of a fragment, with the same limits as [`page`].
pub fn fragment(markup: &str) -> Option<Html> {
    gate(text::start(markup, limits::PAGE_BYTES), limits::PAGE_DEPTH)
        .map(|markup| Html::parse_fragment(&markup))
}

/// Elements whose content is not readable text.
pub const HIDDEN: [&str; 7] = ["script", "style", "noscript", "template", "iframe", "svg", "head"];
/// Inline elements: their boundaries do not separate words.
const INLINE: [&str; 27] = [
    "a", "abbr", "b", "bdi", "bdo", "big", "cite", "code", "data", "del", "em", "font", "i", "ins",
    "kbd", "label", "mark", "q", "s", "small", "span", "strong", "sub", "sup", "time", "u", "wbr",
];

/// The visible text of an element in one line: without scripts and the like, white space
/// collapsed, with a space where a block begins or ends. Not sanitised.
pub fn text_of(element: ElementRef<'_>) -> String {
    text_up_to(element, usize::MAX)
}

/// As [`text_of`], but stops after about `most` bytes and tags. Use it for the text of many
/// elements that may be nested in each other.
pub fn text_up_to(element: ElementRef<'_>, most: usize) -> String {
    let (mut out, mut left) = (String::new(), most);
    push_text(element, &mut out, &mut left);
    out.truncate(out.trim_end().len());
    out
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
        let deep = "<div>".repeat(limits::PAGE_DEPTH + 10);
        assert!(page(&deep).is_none());
        assert!(fragment(&deep).is_none());
    }
}
