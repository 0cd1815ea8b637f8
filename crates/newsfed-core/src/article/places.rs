//! Links to places in the same document, such as those in a table of contents.

use super::document::Inline;
use super::notes::{Anchors, Notes};
use crate::util::url::normalise;
use ego_tree::NodeId;
use scraper::ElementRef;
use std::collections::{HashMap, HashSet};
use url::Url;

/// Maximum number of ancestors of a link that are searched for its heading.
const MAX_ABOVE: usize = 8;

/// The target of a link.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Lead {
    /// Another document, or an element that is not in the text.
    Away,
    /// The heading or the element that contains the link.
    Here,
    /// A place, by index.
    Place(usize),
}

/// The places of a document that are targets of links.
#[derive(Debug, Default)]
pub(super) struct Places {
    /// The target of each link; `None` if it is the element that contains the link.
    links: HashMap<NodeId, Option<NodeId>>,
    targets: HashSet<NodeId>,
    /// Targets that have begun but have no text yet.
    begun: Vec<NodeId>,
    /// The index of each place, in the order of first use.
    numbers: HashMap<NodeId, usize>,
    /// For each target in the text, the first target that begins with the same text.
    reached: HashMap<NodeId, NodeId>,
    /// Targets of links in the text.
    used: HashSet<NodeId>,
}

impl Places {
    /// Finds the links of a document at `base` to its own elements, except footnotes.
    pub(super) fn find((links, named): &Anchors<'_>, base: Option<&Url>, notes: &Notes) -> Self {
        let mut places = Self::default();
        let own = base.map(normalise);
        for (_, link, fragment) in links {
            let Some((_, target)) = named.get(fragment.as_str()) else { continue };
            let is_note = notes.referred(link.id()).is_some() || notes.is_back(link.id());
            if is_note || !is_within(*link, base, own.as_deref()) {
                continue;
            }
            let away = (!is_here(*link, *target)).then(|| target.id());
            places.targets.extend(away);
            places.links.insert(link.id(), away);
        }
        places
    }

    /// Records that an element begins.
    pub(super) fn enter(&mut self, element: NodeId) {
        if self.targets.contains(&element) && !self.reached.contains_key(&element) {
            self.begun.push(element);
        }
    }

    /// The place of all elements that have begun; called when their text begins.
    pub(super) fn reached(&mut self) -> Option<Inline> {
        let first = *self.begun.first()?;
        for target in self.begun.drain(..) {
            self.reached.entry(target).or_insert(first);
        }
        Some(Inline::Place(self.number(first)))
    }

    /// The target of a link in the text.
    pub(super) fn led_to(&mut self, link: NodeId) -> Lead {
        match self.links.get(&link).copied() {
            None => Lead::Away,
            Some(None) => Lead::Here,
            Some(Some(target)) => {
                self.used.insert(target);
                Lead::Place(self.number(target))
            }
        }
    }

    fn number(&mut self, target: NodeId) -> usize {
        let next = self.numbers.len();
        *self.numbers.entry(target).or_insert(next)
    }

    /// Keeps only places that are in the text and are targets of links. Returns whether this changed the
    /// places, so that the document must be built again.
    pub(super) fn settle(&mut self) -> bool {
        let (reached, used) = (std::mem::take(&mut self.reached), std::mem::take(&mut self.used));
        let first = |target: &NodeId| reached.get(target).copied();
        let is_settled = self.targets.iter().all(|t| first(t) == Some(*t) && used.contains(t));
        if is_settled {
            return false;
        }
        self.links.retain(|_, target| match target {
            None => true,
            Some(target) => match first(target) {
                Some(first) => {
                    *target = first;
                    true
                }
                None => false,
            },
        });
        self.targets = used.iter().filter_map(first).collect();
        self.begun.clear();
        self.numbers.clear();
        true
    }
}

/// Whether a link leads to its own document. In stored texts, URLs are absolute.
fn is_within(link: ElementRef<'_>, base: Option<&Url>, own: Option<&str>) -> bool {
    let href = link.attr("href").unwrap_or_default().trim();
    if href.starts_with('#') {
        return true;
    }
    let Some((base, own)) = base.zip(own) else { return false };
    base.join(href).is_ok_and(|url| normalise(&url) == own)
}

/// Whether a link leads to itself, or from a heading to the same heading or to the section below it.
fn is_here(link: ElementRef<'_>, target: ElementRef<'_>) -> bool {
    let is_in = |inner: ElementRef<'_>, outer: ElementRef<'_>| {
        inner.id() == outer.id() || inner.ancestors().any(|a| a.id() == outer.id())
    };
    let mut above = link.ancestors().take(MAX_ABOVE).filter_map(ElementRef::wrap);
    let is_heading =
        |e: &ElementRef<'_>| matches!(e.value().name(), "h1" | "h2" | "h3" | "h4" | "h5" | "h6");
    match above.find(is_heading) {
        Some(heading) => is_in(heading, target) || is_in(target, heading),
        None => is_in(target, link),
    }
}

#[cfg(test)]
mod tests {
    use crate::article::{Block, Document, Inline, from_html};
    use crate::util::html::clean;
    use url::Url;

    /// The blocks, with jumps as `{text>n}` and places as `<n>`.
    fn marked(document: &Document) -> String {
        fn marked_inline(all: &[Inline]) -> String {
            let one = |inline: &Inline| match inline {
                Inline::Text(text) | Inline::Code(text) => text.clone(),
                Inline::Jump(inner, to) => format!("{{{}>{to}}}", marked_inline(inner)),
                Inline::Place(number) => format!("<{number}>"),
                Inline::Link(inner, to) => format!("[{}]{to}", marked_inline(inner)),
                Inline::Strong(inner) => marked_inline(inner),
                other => panic!("{other:?}"),
            };
            all.iter().map(one).collect()
        }
        let block = |block: &Block| match block {
            Block::Heading(_, text) | Block::Paragraph(text) => marked_inline(text),
            other => panic!("{other:?}"),
        };
        document.blocks.iter().map(block).collect::<Vec<_>>().join(" | ")
    }

    #[test]
    fn reads_links_within_the_text_as_jumps() {
        let base = Url::parse("https://e.org/p").unwrap();
        for (html, expected) in [
            ("<p><a href='#b'>see b</a></p><h2 id=b>B</h2>", "{see b>0} | <0>B"),
            // With the full URL, as in feeds; to an earlier place; to the name of an anchor.
            (
                "<p id=a>x</p><p><a href='https://e.org/p#a'>up</a> <a href='/p/#n%20m'>b</a></p>\
                 <h2><a name='n m'></a>B</h2>",
                "<0>x | {up>0} {b>1} | <1>B",
            ),
            // Elements that begin with the same text share one place.
            (
                "<p><a href='#s'>s</a> <a href='#h'>h</a></p><section id=s><h2 id=h>B</h2></section>",
                "{s>0} {h>0} | <0>B",
            ),
            // Other documents, and targets that are not in the text.
            ("<p><a href='https://e.org/q#b'>q</a></p><h2 id=b>B</h2>", "[q]0 | B"),
            ("<p><a href='https://e.org/p#b'>p</a></p><h2>B</h2>", "[p]0 | B"),
            (
                "<p><a href='/p#b'>p</a> <a href='/p#c'>c</a></p><h2 id=c>B</h2><i id=b></i>",
                "[p]0 {c>0} | <0>B",
            ),
            // A heading's permalink.
            ("<h2 id=b><a href='#b'>B</a></h2><p>x</p>", "B | x"),
            ("<div id=b><h2><a href='https://e.org/p#b'>B</a></h2></div><p>x</p>", "B | x"),
            ("<h2><a id=b href='/p#b'>B</a></h2><p>x</p>", "B | x"),
        ] {
            let safe = clean(html, Some(&base));
            for document in [from_html(html, Some(&base)), from_html(&safe, Some(&base))] {
                assert_eq!(marked(&document), expected, "{html}");
            }
        }
    }

    #[test]
    fn removes_symbols_that_link_to_their_heading() {
        for sign in ["#", "¶", " § ", "🔗", "", "<i></i>"] {
            let html = format!("<h2 id=b>B <a href='https://e.org/p#b'>{sign}</a></h2><p>x</p>");
            let document = from_html(&html, None);
            assert_eq!((document.text().as_str(), document.links.len()), ("B\n\nx", 0), "{sign}");
        }
        let document = from_html("<h2>B <a href='https://e.org/c'>C #</a></h2>", None);
        assert_eq!((document.text().as_str(), document.links.len()), ("B C #", 1));
        let document = from_html("<p>B <a href='https://e.org/c'>#</a></p>", None);
        assert_eq!(document.links.len(), 1, "only in headings");
    }

    #[test]
    fn limits_the_number_of_jumps() {
        let jumps: String = (0..20_000).map(|n| format!("<a href='#n{n}'>to {n}</a> ")).collect();
        let places: String = (0..20_000).map(|n| format!("<p id=n{n}>x")).collect();
        let document = from_html(&format!("<p>{jumps}</p>{places}"), None);
        assert_eq!(document.blocks.len(), 20_001);
        let Some(Block::Paragraph(first)) = document.blocks.first() else { panic!("no paragraph") };
        let jumps = first.iter().filter(|inline| matches!(inline, Inline::Jump(..))).count();
        assert_eq!(jumps, 10_000, "the text of the others is kept");
        assert!(document.text().contains("to 19999"));
    }
}
