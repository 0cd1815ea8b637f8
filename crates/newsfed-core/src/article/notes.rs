//! Footnotes: finds the elements of a document that are footnotes, and the links that refer to them.

use ego_tree::NodeId;
use ego_tree::iter::Edge;
use scraper::{ElementRef, Node};
use std::collections::{HashMap, HashSet};

/// Maximum length of a footnote marker, in characters.
const MAX_LABEL: usize = 6;
/// Maximum length of a footnote's text, in bytes.
const MAX_NOTE: usize = 8000;
/// Maximum number of nodes in a footnote.
const MAX_NODES: usize = 2000;
/// Maximum number of links per page.
const MAX_JUMPS: usize = 10_000;
/// Maximum number of footnotes per document. Links to additional ones are left unchanged.
const MAX_NOTES: usize = 1000;

/// The footnotes of a document.
#[derive(Debug, Default)]
pub(super) struct Notes {
    /// Links that refer to a footnote, with the footnote's index.
    references: HashMap<NodeId, usize>,
    /// Elements that are footnotes.
    bodies: HashMap<NodeId, Body>,
    /// Links from a footnote back into the text.
    backs: HashSet<NodeId>,
}

#[derive(Debug, Clone)]
struct Body {
    number: usize,
    label: String,
}

impl Notes {
    /// Searches an element with these anchors for footnotes: a footnote is a later block without headings
    /// that a short marker links to.
    pub(super) fn find<'a>(root: ElementRef<'a>, (jumps, places): &Anchors<'a>) -> Self {
        let mut notes = Self::default();
        let mut polled = HashMap::new();
        for (order, link, fragment) in jumps {
            let Some((at, place)) = places.get(fragment.as_str()) else { continue };
            let label = link.text().collect::<String>().trim().to_owned();
            if at < order || notes.bodies.len() >= MAX_NOTES || !is_label(&label, *link) {
                continue;
            }
            let Some(body) = body_of(*place, *link, root) else { continue };
            if !*polled.entry(body.id()).or_insert_with(|| is_note(body, root)) {
                continue;
            }
            let number = notes.bodies.len();
            let known = notes.bodies.entry(body.id()).or_insert(Body { number, label });
            notes.references.insert(link.id(), known.number);
        }
        if notes.bodies.is_empty() {
            return notes;
        }
        notes.drop_outer(root);
        for (order, link, fragment) in jumps {
            let back = places.get(fragment.as_str()).is_some_and(|(at, _)| at < order);
            let within = link.ancestors().any(|a| notes.bodies.contains_key(&a.id()));
            if back && within && !link.text().any(|t| t.contains(char::is_alphanumeric)) {
                notes.backs.insert(link.id());
            }
        }
        notes
    }

    /// Drops blocks that contain other footnotes: they are lists of footnotes.
    fn drop_outer(&mut self, root: ElementRef<'_>) {
        let inner: Vec<NodeId> = self.bodies.keys().copied().collect();
        let outer: HashSet<NodeId> = inner
            .iter()
            .filter_map(|id| root.tree().get(*id))
            .flat_map(|node| node.ancestors().map(|a| a.id()).collect::<Vec<_>>())
            .filter(|id| self.bodies.contains_key(id))
            .collect();
        if outer.is_empty() {
            return;
        }
        self.bodies.retain(|id, _| !outer.contains(id));
        let mut kept: Vec<usize> = self.bodies.values().map(|b| b.number).collect();
        kept.sort_unstable();
        let renumbered = |n: &usize| kept.binary_search(n).ok();
        self.references.retain(|_, n| renumbered(n).map(|new| *n = new).is_some());
        for body in self.bodies.values_mut() {
            body.number = renumbered(&body.number).unwrap_or(body.number);
        }
    }

    /// The index of the footnote that a link refers to.
    pub(super) fn referred(&self, link: NodeId) -> Option<usize> {
        self.references.get(&link).copied()
    }

    /// The index and the marker of a footnote element.
    pub(super) fn body(&self, element: NodeId) -> Option<(usize, &str)> {
        self.bodies.get(&element).map(|b| (b.number, b.label.as_str()))
    }

    /// Whether a link only leads from a footnote back to its marker.
    pub(super) fn is_back(&self, link: NodeId) -> bool {
        self.backs.contains(&link)
    }
}

/// A link's position in page order, the link, and its fragment.
type Jump<'a> = (usize, ElementRef<'a>, String);
/// Elements by name, each with its position in page order.
type Named<'a> = HashMap<&'a str, (usize, ElementRef<'a>)>;
pub(super) type Anchors<'a> = (Vec<Jump<'a>>, Named<'a>);

/// The links with a fragment and the elements with a name, skipping the nodes in `dropped`.
pub(super) fn anchors<'a>(root: ElementRef<'a>, dropped: &HashSet<NodeId>) -> Anchors<'a> {
    let (mut jumps, mut places) = (Vec::new(), HashMap::new());
    let (mut skip, mut order) = (None, 0);
    for edge in root.traverse() {
        let node = match edge {
            Edge::Open(node) if skip.is_none() => node,
            Edge::Close(node) if skip == Some(node.id()) => {
                skip = None;
                continue;
            }
            _ => continue,
        };
        if dropped.contains(&node.id()) {
            skip = Some(node.id());
            continue;
        }
        let (Node::Element(element), Some(e)) = (node.value(), ElementRef::wrap(node)) else {
            continue;
        };
        order += 1;
        let anchor = element.name() == "a";
        for name in [element.attr("id"), element.attr("name").filter(|_| anchor)] {
            if let Some(name) = name.filter(|n| !n.is_empty()) {
                places.entry(name).or_insert((order, e));
            }
        }
        let fragment = element.attr("href").filter(|_| anchor).and_then(|h| h.split_once('#'));
        let wanted = fragment.filter(|(_, f)| !f.is_empty() && jumps.len() < MAX_JUMPS);
        if let Some((_, fragment)) = wanted {
            let decoded = percent_encoding::percent_decode_str(fragment).decode_utf8_lossy();
            jumps.push((order, e, decoded.into_owned()));
        }
    }
    (jumps, places)
}

/// Whether the text of a link can be a footnote marker: a number or a symbol, or another short text if it is
/// superscript or declared as a reference.
fn is_label(label: &str, link: ElementRef<'_>) -> bool {
    let bare = label.trim_matches(['[', ']', '(', ')', '^']);
    if bare.is_empty() || label.chars().count() > MAX_LABEL {
        return false;
    }
    let number = bare.chars().all(|c| c.is_ascii_digit());
    let sign = bare.chars().all(|c| "*†‡§¶‖".contains(c));
    let is_sup = |e: &ElementRef<'_>| e.value().name() == "sup";
    let raised = link.ancestors().take(3).filter_map(ElementRef::wrap).any(|e| is_sup(&e))
        || link.child_elements().any(|e| is_sup(&e));
    let declared = ["role", "epub:type", "class", "rel"].iter().any(|name| {
        let value = link.attr(name).unwrap_or_default();
        value.contains("noteref") || value.contains("footnote")
    });
    number || sign || raised || declared
}

/// The block that contains an anchor, unless it also contains the link to it.
fn body_of<'a>(
    place: ElementRef<'a>,
    link: ElementRef<'a>,
    root: ElementRef<'a>,
) -> Option<ElementRef<'a>> {
    let is_body = |e: &ElementRef<'_>| {
        matches!(e.value().name(), "li" | "p" | "div" | "aside" | "section" | "dd")
    };
    let above = place.ancestors().take(4).filter_map(ElementRef::wrap);
    let inside = |e: &ElementRef<'_>| e.id() != root.id();
    let body = [place].into_iter().chain(above).take_while(inside).find(is_body)?;
    let around = link.ancestors().any(|a| a.id() == body.id());
    (!around).then_some(body)
}

/// Whether a block can be a footnote: it has some text and no headings, and is not in a table.
fn is_note(body: ElementRef<'_>, root: ElementRef<'_>) -> bool {
    let (mut nodes, mut length) = (0, 0);
    for node in body.descendants() {
        nodes += 1;
        match node.value() {
            Node::Text(text) => length += text.trim().len(),
            Node::Element(e) => {
                let name = e.name();
                if matches!(name, "h1" | "h2" | "h3" | "h4" | "h5" | "h6" | "article") {
                    return false;
                }
            }
            _ => {}
        }
        if nodes > MAX_NODES || length > MAX_NOTE {
            return false;
        }
    }
    let apart =
        |e: ElementRef<'_>| matches!(e.value().name(), "table" | "figure" | "h1" | "h2" | "h3");
    let above = body.ancestors().filter_map(ElementRef::wrap).take_while(|a| a.id() != root.id());
    length > 0 && !above.into_iter().any(apart)
}

#[cfg(test)]
mod tests {
    use crate::article::{Block, Document, Inline, from_html};

    fn notes(document: &Document) -> Vec<(usize, String)> {
        fn walk(blocks: &[Block], out: &mut Vec<(usize, String)>) {
            for block in blocks {
                match block {
                    Block::Note { number, blocks, .. } => {
                        let inner = Document { blocks: blocks.clone(), ..Document::default() };
                        out.push((*number, inner.text()));
                    }
                    Block::List(_, items) => items.iter().for_each(|i| walk(i, out)),
                    Block::Quote(inner, _) => walk(inner, out),
                    _ => {}
                }
            }
        }
        let mut out = Vec::new();
        walk(&document.blocks, &mut out);
        out
    }

    fn references(document: &Document) -> Vec<usize> {
        let Some(Block::Paragraph(text)) = document.blocks.first() else { return vec![] };
        let number = |i: &Inline| if let Inline::Note(_, n) = i { Some(*n) } else { None };
        text.iter().filter_map(number).collect()
    }

    #[test]
    fn recognises_footnotes_of_common_systems() {
        for (html, expected) in [
            // The markup of Markdown converters.
            (
                "<p>a<sup id='r1'><a href='#f:1'>1</a></sup> b<sup><a href='#f:2'>2</a></sup></p>\
                 <ol><li id='f:1'><p>one <a href='#r1'>↩</a></p></li><li id='f:2'>two</li></ol>",
                vec![(0, "one"), (1, "two")],
            ),
            // The second footnote is referenced first.
            (
                "<p>a<a href='#y'>[2]</a> b<a href='#x'>[1]</a></p>\
                 <p><a id='x'></a>[1] one</p><p><a name='y'></a>[2] two</p>",
                vec![(1, "[1] one"), (0, "[2] two")],
            ),
            // Links with the full URL, as in feeds.
            (
                "<p>a<a href='http://e.org/p#n'>*</a></p><aside id='n'>star</aside>",
                vec![(0, "star")],
            ),
            // A list of footnotes is not a footnote.
            (
                "<p>a<a href='#all'>1</a> b<a href='#n'>2</a></p><div id='all'><p id='n'>x</p></div>",
                vec![(0, "x")],
            ),
        ] {
            let document = from_html(html, None);
            let expected: Vec<(usize, String)> =
                expected.into_iter().map(|(n, t): (usize, &str)| (n, t.to_owned())).collect();
            assert_eq!(notes(&document), expected, "{html}");
            assert!(!references(&document).is_empty(), "{html}");
        }
    }

    #[test]
    fn other_jumps_are_not_footnotes() {
        for html in [
            // A table of contents, and the pages of a long article.
            "<p><a href='#a'>1</a></p><h2 id='a'>First</h2><p>text</p>",
            "<p><a href='#a'>1</a></p><section id='a'><h2>First</h2><p>text</p></section>",
            "<p><a href='#a'>Read on</a></p><p id='a'>text</p>",
            // A link back to earlier text.
            "<p id='a'>text</p><p><a href='#a'>1</a></p>",
            "<p id='a'>text <a href='#a'>1</a></p>",
            "<p><a href='#gone'>1</a></p>",
        ] {
            let document = from_html(html, None);
            assert_eq!(notes(&document), [], "{html}");
        }
    }

    #[test]
    fn recognition_does_not_change_the_text() {
        let html = "<p>a<sup><a href='#n'>1</a></sup></p><ol><li id='n'>one</li></ol>";
        assert_eq!(from_html(html, None).text(), "a1\n\n1. one");
    }

    #[test]
    fn handles_many_links_into_a_long_text_quickly() {
        let much = "<b>x</b> ".repeat(50_000);
        let jumps = "<a href='#x'>1</a> ".repeat(30_000);
        let document = from_html(&format!("<p>{jumps}</p><div id='x'>{much}</div>"), None);
        assert_eq!(notes(&document), []);
        let places: String =
            (0..20_000).map(|n| format!("<a href='#n{n}'>1</a><i id='n{n}'></i>")).collect();
        let document = from_html(&format!("<div>{places}{much}</div>"), None);
        assert_eq!(notes(&document), []);
    }
}
