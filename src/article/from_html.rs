//! HTML -> document tree.

use super::document::{Block, Document, Inline, Link, LinkKind};
use super::notes::Notes;
use super::spaces::tidy;
use crate::util::limits;
use crate::util::{html, text};
use ego_tree::NodeId;
use ego_tree::iter::Edge;
use scraper::{ElementRef, Node};
use std::collections::{HashMap, HashSet};
use url::Url;

/// Nesting depth from which elements are flattened into their parent.
const MAX_NESTING: usize = 24;
/// Maximum length of a document, in bytes.
const MAX_HTML: usize = 2 << 20;

/// Reads a fragment of HTML. URLs are resolved against `base`. A fragment nested too deeply for a
/// tree is read as plain text.
pub fn from_html(markup: &str, base: Option<&Url>) -> Document {
    let markup = text::start(markup, MAX_HTML);
    if !markup.contains(['<', '&']) {
        return Document::from_text(&text::block(markup));
    }
    let Some(tree) = html::tree::fragment(markup) else {
        return Document::from_text(&text::block(&html::to_text(markup)));
    };
    of_element(tree.root_element(), base, &HashSet::new())
}

/// Reads an element of a page without the nodes in `dropped`.
pub(super) fn of_element(
    element: ElementRef<'_>,
    base: Option<&Url>,
    dropped: &HashSet<NodeId>,
) -> Document {
    let notes = Notes::find(element, dropped);
    let mut builder = Builder {
        base,
        links: Vec::new(),
        known: HashMap::new(),
        left: limits::ARTICLE_TARGETS,
        dropped,
        notes,
    };
    let blocks = builder.blocks(element, 0);
    Document { blocks, links: builder.links }
}

struct Builder<'a> {
    base: Option<&'a Url>,
    links: Vec<Link>,
    /// Index of each target among the links.
    known: HashMap<(LinkKind, String), usize>,
    /// How long further targets may be, in bytes; then only absolute ones are read.
    left: usize,
    /// Nodes that are skipped with all their content.
    dropped: &'a HashSet<NodeId>,
    notes: Notes,
}

/// Collects blocks. Inline content between them becomes paragraphs.
#[derive(Default)]
struct Flow {
    blocks: Vec<Block>,
    inline: Vec<Inline>,
}

impl Flow {
    fn push(&mut self, block: Block) {
        self.end_paragraph();
        self.blocks.push(block);
    }

    fn end_paragraph(&mut self) {
        let inline = tidy(std::mem::take(&mut self.inline));
        match inline.as_slice() {
            [] => {}
            [Inline::Image(..)] => self.blocks.push(Block::Figure(inline, Vec::new())),
            _ => self.blocks.push(Block::Paragraph(inline)),
        }
    }
}

impl Builder<'_> {
    fn blocks(&mut self, element: ElementRef<'_>, depth: usize) -> Vec<Block> {
        let mut flow = Flow::default();
        self.flow(element, depth, &mut flow);
        flow.end_paragraph();
        flow.blocks
    }

    /// The blocks of an element that may be a footnote.
    fn entry(&mut self, e: ElementRef<'_>, depth: usize) -> Vec<Block> {
        let blocks = self.blocks(e, depth + 1);
        match self.notes.body(e.id()) {
            Some((number, label)) if !blocks.is_empty() => {
                vec![Block::Note { number, label: label.to_owned(), blocks }]
            }
            _ => blocks,
        }
    }

    fn flow(&mut self, element: ElementRef<'_>, depth: usize, flow: &mut Flow) {
        for child in element.children().filter(|c| !self.dropped.contains(&c.id())) {
            match child.value() {
                Node::Text(t) => flow.inline.push(Inline::Text(t.to_string())),
                Node::Element(_) => {
                    if let Some(child) = ElementRef::wrap(child) {
                        self.element(child, depth, flow);
                    }
                }
                _ => {}
            }
        }
    }

    fn element(&mut self, e: ElementRef<'_>, depth: usize, flow: &mut Flow) {
        let deep = depth >= MAX_NESTING;
        match e.value().name() {
            _ if !deep && self.notes.body(e.id()).is_some() => {
                self.entry(e, depth).into_iter().for_each(|block| flow.push(block));
            }
            "script" | "style" | "head" | "template" | "noscript" | "title" | "svg" | "iframe"
            | "select" | "button" | "textarea" | "object" | "canvas" => {}
            name @ ("h1" | "h2" | "h3" | "h4" | "h5" | "h6") => {
                let level = name.as_bytes()[1] - b'0';
                let inline = tidy(self.inline(e, depth));
                if !inline.is_empty() {
                    flow.push(Block::Heading(level, inline));
                }
            }
            "pre" => {
                let code = self.raw_text(e);
                let code = text::block(code.trim_end().trim_start_matches('\n'));
                flow.push(Block::Code(code));
            }
            "blockquote" if !deep => {
                let inner = self.blocks(e, depth + 1);
                if !inner.is_empty() {
                    flow.push(Block::Quote(inner));
                }
            }
            "ul" | "menu" if !deep => self.list(e, depth, None, flow),
            "ol" if !deep => {
                let start = e.attr("start").and_then(|s| s.trim().parse().ok()).unwrap_or(1);
                self.list(e, depth, Some(start), flow);
            }
            "table" if !deep => self.table(e, depth, flow),
            "figure" if !deep => self.figure(e, depth, flow),
            "hr" => flow.push(Block::Rule),
            "video" | "audio" | "source" => self.media(e, flow),
            name if is_block(name) => {
                flow.end_paragraph();
                self.flow(e, depth + 1, flow);
                flow.end_paragraph();
            }
            _ => self.phrase(e, depth, flow),
        }
    }

    /// Inline elements. Those that contain blocks (such as links around cards) are opened up.
    fn phrase(&mut self, e: ElementRef<'_>, depth: usize, flow: &mut Flow) {
        let deep = depth >= MAX_NESTING;
        let contains_blocks =
            || e.descendent_elements().skip(1).any(|d| is_block(d.value().name()));
        match e.value().name() {
            "br" => flow.inline.push(Inline::Break),
            "img" => flow.inline.extend(self.image(e)),
            "code" | "kbd" | "samp" | "tt" => {
                let code = self.raw_text(e);
                flow.inline.push(Inline::Code(text::line(&code)));
            }
            "a" if self.notes.is_back(e.id()) => {}
            "a" if self.notes.referred(e.id()).is_some() => {
                let label = text::line(&e.text().collect::<String>());
                let number = self.notes.referred(e.id()).unwrap_or_default();
                flow.inline.push(Inline::Note(label, number));
            }
            "a" if !deep && !contains_blocks() => {
                let inner = self.inline(e, depth + 1);
                match self.link(e.attr("href"), LinkKind::Page) {
                    Some(to) if !inner.is_empty() => flow.inline.push(Inline::Link(inner, to)),
                    _ => flow.inline.extend(inner),
                }
            }
            "em" | "i" | "cite" | "var" | "dfn" if !deep && !contains_blocks() => {
                let inner = self.inline(e, depth + 1);
                flow.inline.push(Inline::Emphasis(inner));
            }
            "strong" | "b" | "mark" if !deep && !contains_blocks() => {
                let inner = self.inline(e, depth + 1);
                flow.inline.push(Inline::Strong(inner));
            }
            "sup" | "sub" => {
                let inner: String = e.text().collect();
                let mark = if e.value().name() == "sup" { '^' } else { '_' };
                let link = e.descendent_elements().any(|d| d.value().name() == "a");
                if link {
                    self.flow(e, depth + 1, flow);
                } else if !inner.trim().is_empty() {
                    flow.inline.push(Inline::Text(format!("{mark}{}", inner.trim())));
                }
            }
            _ => self.flow(e, depth + 1, flow),
        }
    }

    /// Everything below as inline content.
    fn inline(&mut self, e: ElementRef<'_>, depth: usize) -> Vec<Inline> {
        let mut flow = Flow::default();
        self.flow(e, depth + 1, &mut flow);
        if flow.blocks.is_empty() {
            return flow.inline;
        }
        flow.end_paragraph();
        let mut out = Vec::new();
        for block in flow.blocks {
            if let Block::Paragraph(inner) | Block::Heading(_, inner) | Block::Figure(inner, _) =
                block
            {
                if !out.is_empty() {
                    out.push(Inline::Text(" ".to_owned()));
                }
                out.extend(inner);
            }
        }
        out
    }

    fn list(&mut self, e: ElementRef<'_>, depth: usize, start: Option<u32>, flow: &mut Flow) {
        let mut items: Vec<Vec<Block>> = Vec::new();
        for child in e.child_elements().filter(|c| !self.dropped.contains(&c.id())) {
            let mut inner = match child.value().name() {
                "li" => self.entry(child, depth),
                _ => {
                    let mut stray = Flow::default();
                    self.element(child, depth + 1, &mut stray);
                    stray.end_paragraph();
                    stray.blocks
                }
            };
            match (child.value().name(), items.last_mut()) {
                _ if inner.is_empty() => {}
                ("li", _) | (_, None) => items.push(inner),
                (_, Some(last)) => last.append(&mut inner),
            }
        }
        if !items.is_empty() {
            flow.push(Block::List(start, items));
        }
    }

    /// Data tables stay tables. A table with one column or with blocks in it is for layout.
    fn table(&mut self, e: ElementRef<'_>, depth: usize, flow: &mut Flow) {
        let rows: Vec<Vec<ElementRef<'_>>> = own_rows(e)
            .filter(|r| !self.dropped.contains(&r.id()))
            .map(|r| {
                r.child_elements()
                    .filter(|c| !self.dropped.contains(&c.id()))
                    .filter(|c| matches!(c.value().name(), "td" | "th"))
                    .collect()
            })
            .filter(|cells: &Vec<_>| !cells.is_empty())
            .take(1000)
            .collect();
        let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
        let layout = columns < 2
            || e.descendent_elements().skip(1).any(|d| {
                matches!(d.value().name(), "table" | "ul" | "ol" | "pre" | "h1" | "h2" | "h3")
            });
        if layout {
            flow.end_paragraph();
            for cell in rows.into_iter().flatten() {
                let mut inner = self.blocks(cell, depth + 1);
                flow.blocks.append(&mut inner);
            }
            return;
        }
        let header = rows.first().is_some_and(|r| r.iter().all(|c| c.value().name() == "th"));
        let rows = rows
            .into_iter()
            .map(|r| r.into_iter().take(64).map(|c| tidy(self.inline(c, depth + 1))).collect())
            .collect();
        flow.push(Block::Table { header, rows });
    }

    fn figure(&mut self, e: ElementRef<'_>, depth: usize, flow: &mut Flow) {
        let caption = e.descendent_elements().find(|d| d.value().name() == "figcaption");
        let image = e.descendent_elements().find(|d| d.value().name() == "img");
        let Some(image) = image.and_then(|i| self.image(i)) else {
            flow.end_paragraph();
            self.flow(e, depth + 1, flow);
            flow.end_paragraph();
            return;
        };
        let caption = caption.map(|c| tidy(self.inline(c, depth + 1))).unwrap_or_default();
        flow.push(Block::Figure(vec![image], caption));
    }

    /// The text below an element, unchanged.
    fn raw_text(&self, e: ElementRef<'_>) -> String {
        let mut out = String::new();
        let mut skip = None;
        for edge in e.traverse() {
            match edge {
                Edge::Open(node) if skip.is_none() => {
                    if self.dropped.contains(&node.id()) {
                        skip = Some(node.id());
                    } else if let Node::Text(text) = node.value() {
                        out.push_str(text);
                    } else if node.value().as_element().is_some_and(|e| e.name() == "br") {
                        out.push('\n');
                    }
                }
                Edge::Close(node) if skip == Some(node.id()) => skip = None,
                _ => {}
            }
        }
        out
    }

    fn image(&mut self, e: ElementRef<'_>) -> Option<Inline> {
        // One-pixel images are trackers.
        let tiny = |name| e.attr(name).is_some_and(|v| matches!(v.trim(), "0" | "1"));
        if tiny("width") || tiny("height") {
            return None;
        }
        // Lazily loaded images have a placeholder.
        let real = ["data-src", "data-lazy-src", "data-original"].iter().find_map(|a| e.attr(a));
        let src = e.attr("src").filter(|s| !s.trim_start().starts_with("data:"));
        let to = self.link(real.or(src), LinkKind::Image)?;
        Some(Inline::Image(text::line(e.attr("alt").unwrap_or("")), to))
    }

    fn media(&mut self, e: ElementRef<'_>, flow: &mut Flow) {
        let name = e.value().name();
        if let Some(to) = self.link(e.attr("src"), LinkKind::Media) {
            let label = if name == "source" { "media" } else { name };
            flow.inline.push(Inline::Link(vec![Inline::Text(label.to_owned())], to));
        }
        self.flow(e, MAX_NESTING, flow);
    }

    fn link(&mut self, address: Option<&str>, kind: LinkKind) -> Option<usize> {
        let address = address?.trim();
        let url = match self.base.filter(|_| self.left > 0) {
            Some(base) => base.join(address).ok()?,
            None => Url::parse(address).ok()?,
        };
        // Every link counts, because each must be resolved.
        self.left = self.left.saturating_sub(url.as_str().len());
        let wanted =
            matches!((url.scheme(), kind), ("http" | "https", _) | ("mailto", LinkKind::Page));
        // A jump within the page leads nowhere in a terminal.
        let jump = address.starts_with('#');
        if !wanted || jump {
            return None;
        }
        let url = url.to_string();
        let next = self.links.len();
        let at = *self.known.entry((kind, url.clone())).or_insert(next);
        if at == next {
            self.links.push(Link { url, kind });
        }
        Some(at)
    }
}

/// The rows of a table without those of nested tables, which would be read once for each enclosing
/// table.
fn own_rows<'a>(table: ElementRef<'a>) -> impl Iterator<Item = ElementRef<'a>> {
    let is_row = |e: &ElementRef<'_>| e.value().name() == "tr";
    table.child_elements().flat_map(move |child| {
        let group = matches!(child.value().name(), "tbody" | "thead" | "tfoot");
        let inner = group.then(|| child.child_elements().filter(is_row));
        is_row(&child).then_some(child).into_iter().chain(inner.into_iter().flatten())
    })
}

pub(super) fn is_block(name: &str) -> bool {
    matches!(
        name,
        "address"
            | "article"
            | "aside"
            | "blockquote"
            | "body"
            | "center"
            | "dd"
            | "details"
            | "dialog"
            | "div"
            | "dl"
            | "dt"
            | "fieldset"
            | "figcaption"
            | "figure"
            | "footer"
            | "form"
            | "h1"
            | "h2"
            | "h3"
            | "h4"
            | "h5"
            | "h6"
            | "header"
            | "hgroup"
            | "hr"
            | "html"
            | "li"
            | "main"
            | "menu"
            | "nav"
            | "ol"
            | "p"
            | "pre"
            | "section"
            | "summary"
            | "table"
            | "tbody"
            | "td"
            | "tfoot"
            | "th"
            | "thead"
            | "tr"
            | "ul"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_nested_tables_once() {
        let document = from_html(&format!("{}x", "<table><tr><td>".repeat(60)), None);
        assert_eq!(document.text().trim(), "x");
        let document =
            from_html("<table><tr><td>a<table><tr><td>b<td>c</table><td>d<tr><td>e</table>", None);
        let text = document.text();
        assert_eq!(text.matches('b').count(), 1, "{text}");
    }

    #[test]
    fn limits_runs_of_breaks() {
        let document = from_html(&format!("a{}b", "<br>".repeat(1000)), None);
        assert!(document.text().lines().count() < 5);
    }
}
