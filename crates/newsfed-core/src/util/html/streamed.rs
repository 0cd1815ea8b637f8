//! Pages that React streams: parts that were not ready in time are at the end, hidden, and a script moves
//! them to their places. This module moves them without the script.

use ego_tree::{NodeId, Tree};
use scraper::{Html, Node};
use std::collections::HashMap;

/// Maximum number of parts that are moved.
const MAX_PARTS: usize = 1000;

/// A `template` that marks the place of a part.
struct Place {
    template: NodeId,
    part: String,
    /// Whether a placeholder such as "Loading" follows, up to a comment `/$`.
    substitute: bool,
}

/// Whether a page may have parts to move.
pub(super) fn is_likely(markup: &str) -> bool {
    memchr::memmem::find(markup.as_bytes(), b"id=\"S:").is_some()
}

/// Moves the parts to their places.
pub(super) fn assemble(html: &mut Html) {
    let (mut parts, mut places) = (HashMap::new(), Vec::new());
    for node in html.tree.root().descendants() {
        let Some(element) = node.value().as_element() else { continue };
        let Some(id) = element.attr("id") else { continue };
        match element.name() {
            "template" if places.len() < MAX_PARTS => {
                let boundary = id.strip_prefix("B:");
                if let Some(part) = boundary.or_else(|| id.strip_prefix("P:")) {
                    let (part, substitute) = (part.to_owned(), boundary.is_some());
                    places.push(Place { template: node.id(), part, substitute });
                }
            }
            "div" if element.attr("hidden").is_some() => {
                if let Some(part) = id.strip_prefix("S:") {
                    parts.entry(part.to_owned()).or_insert(node.id());
                }
            }
            _ => {}
        }
    }
    for place in places {
        if let Some(part) = parts.remove(&place.part) {
            fill(&mut html.tree, &place, part);
        }
    }
}

fn fill(tree: &mut Tree<Node>, place: &Place, part: NodeId) {
    let (Some(template), Some(content)) = (tree.get(place.template), tree.get(part)) else {
        return;
    };
    // A part cannot be moved into itself.
    if template.ancestors().any(|above| above.id() == part) {
        return;
    }
    let content: Vec<NodeId> = content.children().map(|child| child.id()).collect();
    let substitute = if place.substitute { substitute(tree, place.template) } else { Vec::new() };
    let Some(mut template) = tree.get_mut(place.template) else { return };
    for child in content {
        template.insert_id_before(child);
    }
    // The content of a template is never read.
    for node in substitute {
        template.append_id(node);
    }
}

/// The placeholder: the nodes between a template and the comment that ends its boundary.
fn substitute(tree: &Tree<Node>, template: NodeId) -> Vec<NodeId> {
    let mut nodes = Vec::new();
    let mut open = 0;
    for node in tree.get(template).into_iter().flat_map(|t| t.next_siblings()) {
        match node.value().as_comment().map(|comment| &*comment.comment) {
            Some("/$") if open == 0 => return nodes,
            Some("/$") => open -= 1,
            Some("$" | "$?" | "$!" | "$~") => open += 1,
            _ => {}
        }
        nodes.push(node.id());
    }
    Vec::new()
}

#[cfg(test)]
mod tests {
    use super::super::tree::{page, text_of};

    #[test]
    fn moves_parts_to_their_places() {
        let cases = [
            (
                "<main><h1>A</h1><!--$?--><template id=\"B:0\"></template><p>Loading</p><!--/$--><p>Z</p></main>\
                 <div hidden id=\"S:0\"><p>one</p><template id=\"P:1\"></template><p>three</p></div>\
                 <div hidden id=\"S:1\">two</div>",
                "A one two three Z",
            ),
            (
                "<body><!--$?--><template id=\"B:0\"></template>x<!--$-->y<!--/$-->z<!--/$--><p>end</p>\
                 <div hidden id=\"S:0\">new</div>",
                "new end",
            ),
            // Without the closing comment, there is no placeholder.
            ("<body><template id=\"B:0\"></template>x<div hidden id=\"S:0\">new</div>", "newx"),
            // A part inside itself, and two parts inside each other.
            ("a<div hidden id=\"S:0\">b<template id=\"P:0\"></template></div>", "a b"),
            (
                "a<div hidden id=\"S:0\">b<template id=\"P:1\"></template></div>\
                 <div hidden id=\"S:1\">c<template id=\"P:0\"></template></div>",
                "a bc",
            ),
        ];
        for (markup, want) in cases {
            let tree = page(markup).unwrap();
            assert_eq!(text_of(tree.root_element()), want, "{markup}");
        }
    }

    #[test]
    fn rejects_streamed_parts_that_nest_too_deeply() {
        let part = |n: usize| {
            let (deep, end) = ("<p><b>x".repeat(10), "</b></p>".repeat(10));
            format!(
                "<div hidden id=\"S:{n}\">{deep}<template id=\"P:{}\"></template>{end}</div>",
                n + 1
            )
        };
        let parts: String = (0..200).map(part).collect();
        assert!(page(&format!("<template id=\"P:0\"></template>{parts}")).is_none());
        let parts: String = (0..9).map(part).collect();
        assert!(page(&format!("<template id=\"P:0\"></template>{parts}")).is_some());
    }
}
