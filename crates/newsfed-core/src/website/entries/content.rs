//! The texts of entries as safe HTML.

use super::blocks::Block;
use crate::article::from_html;
use crate::util::html;
use crate::util::text;
use crate::website::page::{Page, own};
use ego_tree::NodeId;
use scraper::{ElementRef, Html, Node, Selector};
use std::collections::HashSet;
use std::sync::LazyLock;

/// Maximum size of the text of one entry in bytes.
const MAX_CONTENT: usize = 1 << 20;
/// Elements that are not text: controls, links of a heading to itself, advertisements.
static NOISE: LazyLock<Option<Selector>> = LazyLock::new(|| {
    own("script, style, noscript, template, button, input, select, textarea, nav, dialog, \
         a.anchor, a.headerlink, a.permalink, a.heading-anchor, a.anchorjs-link, .mw-editsection, \
         .ad, .ads, .advert, .adsbygoogle, .sponsored, .share, .sharing, [aria-hidden=true]")
});

/// A page without the elements that are not text or are shown elsewhere.
pub(super) struct Texts<'p> {
    page: &'p Page,
    tree: Html,
}

impl<'p> Texts<'p> {
    /// `shown` are the titles, bylines and dates of the entries.
    pub(super) fn new(page: &'p Page, shown: &HashSet<NodeId>) -> Self {
        let mut tree = page.tree().clone();
        let noise = NOISE.iter().flat_map(|s| page.tree().select(s)).map(|e| e.id());
        for id in noise.chain(shown.iter().copied()) {
            // A comment takes its place, so that the text around it is not joined.
            if let Some(mut node) = tree.tree.get_mut(id) {
                *node.value() = Node::Comment(scraper::node::Comment { comment: " ".into() });
                while let Some(mut child) = node.first_child() {
                    child.detach();
                }
            }
        }
        Self { page, tree }
    }

    /// The text of a block; `None` if it has neither words nor images.
    pub(super) fn of_block(&self, block: &Block<'_>) -> Option<String> {
        self.of_nodes(block.parts.iter().map(|part| part.id()))
    }

    /// The text of elements.
    pub(super) fn of_elements(&self, elements: &[ElementRef<'_>]) -> Option<String> {
        self.of_nodes(elements.iter().map(|e| e.id()))
    }

    fn of_nodes(&self, nodes: impl Iterator<Item = NodeId>) -> Option<String> {
        let mut markup = String::new();
        for id in nodes {
            let Some(node) = self.tree.tree.get(id) else { continue };
            match (node.value(), ElementRef::wrap(node)) {
                // Cells and list items are not blocks outside tables and lists.
                (_, Some(element)) => match element.value().name() {
                    "li" | "dt" | "dd" => {
                        markup.push_str(&format!("<div>{}</div>", element.inner_html()));
                    }
                    "tr" => markup.push_str(&row(element)),
                    _ => markup.push_str(&element.html()),
                },
                (Node::Text(text), None) => markup.push_str(&html::escape(text)),
                _ => {}
            }
            if markup.len() >= MAX_CONTENT {
                break;
            }
        }
        let safe = html::clean(text::start(&markup, MAX_CONTENT), Some(self.page.base()));
        // Converts the HTML to a document and back, which drops whitespace and boxes: they are not part of
        // the text.
        let document = from_html(&safe, None);
        let text = html::clean(&document.html(), None);
        (has_words(&text) || text.contains("<img")).then_some(text)
    }
}

/// The cells of a row, with one paragraph each.
fn row(row: ElementRef<'_>) -> String {
    let cells = row.child_elements().filter(|e| matches!(e.value().name(), "td" | "th"));
    cells.map(|cell| format!("<div>{}</div>", cell.inner_html())).collect()
}

fn has_words(safe: &str) -> bool {
    html::to_text(safe).chars().any(char::is_alphanumeric)
}
