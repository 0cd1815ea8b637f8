//! A page as a sequence of text blocks, read in one pass over its tree. All other modules use these blocks.

use super::classes::{self, Kinds};
use super::from_html::is_bare_reading;
use super::signs::Signs;
use super::toggles::{Shown, Toggle, is_apart};
use crate::util::text;
use ego_tree::NodeId;
use ego_tree::iter::Edge;
use foldhash::HashMap;
use scraper::{ElementRef, Html, Node};
use std::ops::Range;

/// Maximum number of blocks per page.
const MAX_BLOCKS: usize = 20_000;
/// Maximum number of block-level elements per page.
const MAX_ELEMENTS: usize = 100_000;
/// Hidden text is skipped if it is less than this share of the page's text. Streamed pages put the article
/// itself into a hidden element.
const HIDDEN_SHARE: f32 = 0.3;
/// Maximum number of bytes at the start of a class or id that are searched for words.
const MAX_NAME: usize = 200;

/// A block-level element, also called a box.
pub(super) struct Element<'a> {
    /// Its node in the tree.
    pub(super) node: ElementRef<'a>,
    /// Index of the parent element; its own index for the root.
    pub(super) parent: usize,
    /// Number of block-level ancestors.
    pub(super) depth: usize,
    /// Kinds derived from its class and id.
    pub(super) kinds: Kinds,
    /// Range of the blocks inside the element.
    pub(super) blocks: Range<usize>,
}

impl<'a> Element<'a> {
    /// The tag name in lower case.
    pub(super) fn name(&self) -> &'a str {
        self.node.value().name()
    }
}

/// A run of text between two boundaries of block-level elements.
#[derive(Debug, Clone)]
pub(super) struct Block {
    /// Index of the block-level element that contains it.
    pub(super) element: usize,
    /// Range of its text, see [`Page::text`].
    range: Range<usize>,
    /// Range of its text nodes, see [`Page::nodes`].
    nodes: Range<usize>,
    /// Number of characters.
    pub(super) chars: usize,
    /// Number of characters inside links.
    pub(super) link_chars: usize,
    /// Number of links that start in this block.
    pub(super) links: usize,
    /// Number of emphasised characters.
    pub(super) strong_chars: usize,
    /// Number of words. Three characters of a script without spaces count as two words.
    pub(super) words: usize,
    /// Kinds of the inline elements around its first text.
    pub(super) kinds: Kinds,
    /// Whether an inline element around its first text has a class.
    pub(super) classed: bool,
    /// Number of text nodes.
    pub(super) pieces: usize,
    /// Whether it is inside a `time` element.
    pub(super) time: bool,
}

/// The blocks of a page and the block-level elements around them.
pub(super) struct Page<'a> {
    /// Elements in page order; the first is the root.
    pub(super) elements: Vec<Element<'a>>,
    /// Blocks in page order.
    pub(super) blocks: Vec<Block>,
    text: String,
    nodes: Vec<NodeId>,
    /// Elements that are not readable text: line numbers, and permalinks of headings.
    pub(super) dropped: Vec<NodeId>,
    /// Types given in microdata.
    pub(super) signs: Signs,
}

impl<'a> Page<'a> {
    pub(super) fn read(tree: &'a Html) -> Self {
        let mut walk = Walk::new(tree.root_element());
        walk.run(tree);
        walk.finish()
    }

    /// The text of a block. Whitespace is collapsed, except in `pre`.
    pub(super) fn text(&self, block: usize) -> &str {
        &self.text[self.blocks[block].range.clone()]
    }

    pub(super) fn nodes(&self, block: usize) -> &[NodeId] {
        &self.nodes[self.blocks[block].nodes.clone()]
    }

    /// How well the words of each box match those of the selected blocks: the harmonic mean of precision and
    /// recall, 0 to 1.
    pub(super) fn agreements(&self, taken: &[bool]) -> Vec<f32> {
        let mut sums = vec![(0usize, 0usize)];
        for (block, taken) in self.blocks.iter().zip(taken) {
            let (all, own) = sums.last().copied().unwrap_or_default();
            sums.push((all + block.words, own + if *taken { block.words } else { 0 }));
        }
        let total = sums.last().map_or(0, |s| s.1);
        let agreement = |range: &Range<usize>| {
            let all = sums[range.end].0 - sums[range.start].0;
            let own = sums[range.end].1 - sums[range.start].1;
            2.0 * own as f32 / (all + total).max(1) as f32
        };
        self.elements.iter().map(|e| agreement(&e.blocks)).collect()
    }

    /// An element and its ancestors, innermost first; the root is the last.
    pub(super) fn around(&self, element: usize) -> impl Iterator<Item = usize> + '_ {
        let mut next = Some(element);
        std::iter::from_fn(move || {
            let here = next?;
            let parent = self.elements[here].parent;
            next = (parent != here).then_some(parent);
            Some(here)
        })
    }
}

/// Elements whose content is not readable text.
pub(super) fn is_skipped(name: &str) -> bool {
    matches!(
        name,
        "script"
            | "style"
            | "noscript"
            | "template"
            | "svg"
            | "iframe"
            | "head"
            | "select"
            | "textarea"
            | "button"
            | "option"
            | "datalist"
            | "object"
            | "canvas"
            | "video"
            | "audio"
            | "map"
            | "progress"
            | "meter"
    )
}

struct Walk<'a> {
    page: Page<'a>,
    kinds: HashMap<&'a str, Kinds>,
    element: usize,
    /// Open inline elements: their kinds, and whether they have a class.
    inline: Vec<(Kinds, bool)>,
    links: usize,
    strong: usize,
    time: usize,
    pre: usize,
    /// The hidden element that is open.
    hidden: Option<NodeId>,
    /// Each hidden element, and the range of its blocks.
    hiddens: Vec<(ElementRef<'a>, Range<usize>)>,
    /// Content that is hidden until a click.
    shown: Shown<'a>,
    /// The current block.
    open: Block,
    breaks: usize,
}

impl<'a> Walk<'a> {
    fn new(root: ElementRef<'a>) -> Self {
        let root = Element { node: root, parent: 0, depth: 0, kinds: 0, blocks: 0..0 };
        Self {
            page: Page {
                elements: vec![root],
                blocks: Vec::new(),
                text: String::new(),
                nodes: Vec::new(),
                dropped: Vec::new(),
                signs: Signs::default(),
            },
            kinds: HashMap::default(),
            element: 0,
            inline: Vec::new(),
            links: 0,
            strong: 0,
            time: 0,
            pre: 0,
            hidden: None,
            hiddens: Vec::new(),
            shown: Shown::default(),
            open: empty(0, 0),
            breaks: 0,
        }
    }

    fn run(&mut self, tree: &'a Html) {
        let mut skip: Option<NodeId> = None;
        let root = tree.root_element();
        for edge in root.traverse() {
            match edge {
                Edge::Open(node) if skip.is_none() => match node.value() {
                    Node::Text(text) => self.text(text, node.id()),
                    Node::Element(_) if node.id() != root.id() => {
                        let Some(element) = ElementRef::wrap(node) else { continue };
                        if self.is_full() {
                            break;
                        }
                        if !self.enter(element) {
                            skip = Some(node.id());
                        }
                    }
                    _ => {}
                },
                Edge::Close(node) => {
                    if skip == Some(node.id()) {
                        skip = None;
                    } else if skip.is_none()
                        && node.id() != root.id()
                        && let Some(element) = ElementRef::wrap(node)
                    {
                        self.leave(element);
                    }
                }
                Edge::Open(_) => {}
            }
        }
        self.end_block();
        // Closes the boxes that are still open where the walk was cut off.
        let (mut at, end) = (self.element, self.page.blocks.len());
        while at != 0 {
            self.page.elements[at].blocks.end = end;
            at = self.page.elements[at].parent;
        }
        if let Some((_, last)) = self.hiddens.last_mut().filter(|_| self.hidden.is_some()) {
            last.end = end;
        }
    }

    fn is_full(&self) -> bool {
        self.page.blocks.len() >= MAX_BLOCKS || self.page.elements.len() >= MAX_ELEMENTS
    }

    /// Enters an element. Returns `false` if it contains nothing to read.
    fn enter(&mut self, element: ElementRef<'a>) -> bool {
        let name = element.value().name();
        if is_skipped(name) {
            if name == "button"
                && let Some(toggle) = Toggle::of(element, "")
            {
                self.shown.add(element, toggle);
            }
            return false;
        }
        // A single pass over the attributes is faster than lookups by name.
        let (mut class, mut id, mut role, mut hidden, mut more) = ("", "", "", false, 0);
        for (name, value) in element.value().attrs() {
            match name {
                "class" => class = value,
                "id" => id = value,
                "itemtype" => self.page.signs = self.page.signs.with_type(value),
                "itemprop" | "role" | "data-testid" | "data-component" | "data-component-name" => {
                    role = if name == "role" { value } else { role };
                    more |= self.kinds_of(text::start(value, MAX_NAME));
                }
                _ => hidden |= hides(name, value),
            }
        }
        let dropped = classes::is_gutter(class)
            || super::maths::is_rendering_class(class)
            || name == "a" && self.heading().is_some_and(|h| is_own_link(element, class, h));
        if dropped || self.is_button(element, role) {
            self.page.dropped.push(element.id());
            return false;
        }
        let outer = matches!(name, "body" | "html");
        let kinds = if outer { 0 } else { self.kinds_of(class) | self.kinds_of(id) | more };
        if self.hidden.is_none() && hidden {
            self.end_block();
            self.hidden = Some(element.id());
            self.hiddens.push((element, self.page.blocks.len()..0));
        }
        if name == "br" {
            self.line_break();
        } else if super::from_html::is_block(name) {
            self.end_block();
            let depth = self.page.elements[self.element].depth + 1;
            let start = self.page.blocks.len();
            let new =
                Element { node: element, parent: self.element, depth, kinds, blocks: start..start };
            self.page.elements.push(new);
            self.element = self.page.elements.len() - 1;
            self.pre += usize::from(name == "pre");
            self.open = self.fresh();
        } else {
            self.inline.push((kinds, !class.trim().is_empty()));
            match name {
                "a" => {
                    self.links += 1;
                    self.open.links += 1;
                }
                "b" | "strong" | "em" | "i" => self.strong += 1,
                "time" => self.time += 1,
                "rt" if is_bare_reading(element) => self.page.text.push('('),
                _ => {}
            }
        }
        true
    }

    fn leave(&mut self, element: ElementRef<'a>) {
        let name = element.value().name();
        if name == "br" {
        } else if super::from_html::is_block(name) {
            self.end_block();
            self.pre -= usize::from(name == "pre");
            let here = self.element;
            self.page.elements[here].blocks.end = self.page.blocks.len();
            self.element = self.page.elements[here].parent;
            self.open = self.fresh();
        } else {
            self.inline.pop();
            match name {
                "a" => self.links -= 1,
                "b" | "strong" | "em" | "i" => self.strong -= 1,
                "time" => self.time -= 1,
                "rt" if is_bare_reading(element) => self.page.text.push(')'),
                _ => {}
            }
        }
        if self.hidden == Some(element.id()) {
            self.end_block();
            self.hidden = None;
            if let Some((_, last)) = self.hiddens.last_mut() {
                last.end = self.page.blocks.len();
            }
        }
    }

    /// Whether an element is a toggle whose label is not part of the text.
    fn is_button(&mut self, element: ElementRef<'a>, role: &str) -> bool {
        let Some(toggle) = Toggle::of(element, role) else { return false };
        if self.shown.add(element, toggle) {
            return true;
        }
        let before = &self.page.text[self.open.range.start..];
        // A link that follows other text and leads to a visible place may be part of that text.
        is_apart(element, before) && (self.open.chars == 0 || !self.shown.leads_to_text(element))
    }

    fn kinds_of(&mut self, names: &'a str) -> Kinds {
        if names.is_empty() {
            return 0;
        }
        *self.kinds.entry(names).or_insert_with(|| classes::kinds(names))
    }

    /// The heading that is open.
    fn heading(&self) -> Option<ElementRef<'a>> {
        let element = &self.page.elements[self.element];
        is_heading(element.name()).then_some(element.node)
    }

    fn fresh(&self) -> Block {
        let mut block = empty(self.page.text.len(), self.page.nodes.len());
        block.element = self.element;
        block
    }

    fn line_break(&mut self) {
        self.breaks += 1;
        if self.pre == 0 && self.breaks > 1 {
            self.end_block();
        } else if self.page.text.len() > self.open.range.start {
            self.page.text.push('\n');
        }
    }

    fn text(&mut self, text: &str, node: NodeId) {
        let start = self.open.range.start;
        let mut chars = 0;
        for (word, blank) in split_blanks(text) {
            chars += word.chars().count();
            let out = &mut self.page.text;
            out.push_str(word);
            if self.pre > 0 {
                out.push_str(blank);
            } else if !blank.is_empty() && out.len() > start && !out.ends_with([' ', '\n']) {
                out.push(' ');
            }
        }
        self.page.nodes.push(node);
        if chars == 0 {
            return;
        }
        self.breaks = 0;
        if self.open.chars == 0 {
            self.open.kinds = self.inline.iter().fold(0, |all, k| all | k.0);
            self.open.classed = self.inline.iter().any(|k| k.1);
        }
        self.open.pieces += 1;
        self.open.chars += chars;
        self.open.link_chars += if self.links > 0 { chars } else { 0 };
        self.open.strong_chars += if self.strong > 0 { chars } else { 0 };
        self.open.time |= self.time > 0;
    }

    fn end_block(&mut self) {
        self.breaks = 0;
        let mut next = self.fresh();
        std::mem::swap(&mut next, &mut self.open);
        let mut block = next;
        block.range.end = self.page.text.len();
        block.nodes.end = self.page.nodes.len();
        if block.chars == 0 {
            return;
        }
        let text = &self.page.text[block.range.clone()];
        let trimmed = text.trim();
        let from = block.range.start + (text.len() - text.trim_start().len());
        block.range = from..from + trimmed.len();
        block.words = super::words::count(trimmed);
        self.page.blocks.push(block);
    }

    fn finish(mut self) -> Page<'a> {
        let all = self.page.blocks.len();
        self.page.elements[0].blocks = 0..all;
        self.remove_hidden();
        self.page
    }

    fn remove_hidden(&mut self) {
        let words = |blocks: &[Block]| blocks.iter().map(|b| b.chars).sum::<usize>() as f32;
        let total = words(&self.page.blocks);
        let mut keep = vec![true; self.page.blocks.len()];
        for (element, range) in &self.hiddens {
            if self.shown.contains(*element) {
                continue;
            }
            let range = range.start..range.end.max(range.start);
            if words(&self.page.blocks[range.clone()]) < HIDDEN_SHARE * total {
                keep[range].fill(false);
            }
        }
        if keep.iter().all(|k| *k) {
            return;
        }
        // The new index of each block, to update the ranges of the elements.
        let mut to = Vec::with_capacity(keep.len() + 1);
        let mut kept = 0;
        for k in &keep {
            to.push(kept);
            kept += usize::from(*k);
        }
        to.push(kept);
        for element in &mut self.page.elements {
            element.blocks = to[element.blocks.start]..to[element.blocks.end];
        }
        let mut at = 0;
        let mut gone = Vec::new();
        let nodes = &self.page.nodes;
        self.page.blocks.retain(|block| {
            at += 1;
            if !keep[at - 1] {
                gone.extend_from_slice(&nodes[block.nodes.clone()]);
            }
            keep[at - 1]
        });
        self.page.dropped.append(&mut gone);
    }
}

/// Splits a text into runs of non-whitespace characters, each with the whitespace after it.
fn split_blanks(mut text: &str) -> impl Iterator<Item = (&str, &str)> {
    std::iter::from_fn(move || {
        if text.is_empty() {
            return None;
        }
        let (word, rest) = text.split_at(prefix(text, false));
        let (blank, rest) = rest.split_at(prefix(rest, true));
        text = rest;
        Some((word, blank))
    })
}

/// Length of the leading run of whitespace (`blank`) or non-whitespace.
fn prefix(text: &str, blank: bool) -> usize {
    let mut at = 0;
    while let Some(byte) = text.as_bytes().get(at) {
        let (is_blank, len) = match byte {
            b'\t'..=b'\r' | b' ' => (true, 1),
            _ if byte.is_ascii() => (false, 1),
            _ => {
                let Some(c) = text[at..].chars().next() else { break };
                (c.is_whitespace(), c.len_utf8())
            }
        };
        if is_blank != blank {
            break;
        }
        at += len;
    }
    at
}

fn empty(text: usize, node: usize) -> Block {
    Block {
        element: 0,
        range: text..text,
        nodes: node..node,
        chars: 0,
        link_chars: 0,
        links: 0,
        strong_chars: 0,
        words: 0,
        kinds: 0,
        classed: false,
        pieces: 0,
        time: false,
    }
}

pub(super) fn is_heading(name: &str) -> bool {
    matches!(name, "h1" | "h2" | "h3" | "h4" | "h5" | "h6")
}

/// Whether a link in a heading is a permalink to the heading: its text is only a symbol, or it has the class
/// of a permalink and is not the entire heading.
fn is_own_link(link: ElementRef<'_>, class: &str, heading: ElementRef<'_>) -> bool {
    if !link.attr("href").is_some_and(|h| h.contains('#')) {
        return false;
    }
    let letters = |e: ElementRef<'_>| {
        e.text().flat_map(str::chars).filter(|c| c.is_alphanumeric()).take(200).count()
    };
    let own = letters(link);
    own == 0 || own < 12 && classes::is_anchor(class) && letters(heading) > own
}

/// Whether the attributes of an element hide it.
pub(super) fn is_hidden(e: ElementRef<'_>) -> bool {
    e.value().attrs().any(|(name, value)| hides(name, value))
}

/// Whether an attribute hides its element.
fn hides(name: &str, value: &str) -> bool {
    match name {
        "hidden" => true,
        "aria-hidden" => value == "true",
        "style" => {
            let style: String = value.chars().filter(|c| !c.is_whitespace()).take(300).collect();
            let style = style.to_ascii_lowercase();
            style.contains("display:none") || style.contains("visibility:hidden")
        }
        _ => false,
    }
}
