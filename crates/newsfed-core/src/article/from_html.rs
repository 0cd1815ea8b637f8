//! Converts HTML into a document tree.

use super::document::{
    Block, Definition, Document, EMBEDDED, Inline, Link, LinkKind, NOWHERE, plain,
};
use super::link_order::number_in_text_order;
use super::maths::Part;
use super::notes::{Notes, anchors};
use super::permalinks::is_permalink;
use super::picture::{self, Picture};
use super::places::{Lead, Places};
use super::spaces::{outer_breaks, tidy};
use super::{code, maths};
use crate::util::limits;
use crate::util::{html, text};
use ego_tree::iter::Edge;
use ego_tree::{NodeId, NodeRef};
use scraper::{ElementRef, Node};
use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use url::Url;

/// Nesting depth at which elements are flattened into their parent.
const MAX_NESTING: usize = 24;
/// Maximum length of the attribution of a quotation, in characters.
const MAX_ATTRIBUTION: usize = 200;
/// Hover text of an image with fewer words is not an explanation.
const TITLE_WORDS: usize = 4;
/// Maximum number of elements in a figure.
const MAX_IN_FIGURE: usize = 200;
/// Maximum number of sources of a video.
const MAX_SOURCES: usize = 10;
/// Maximum number of rows in a table.
const MAX_ROWS: usize = 1000;
/// Maximum number of columns in a table.
const MAX_COLUMNS: usize = 64;
/// Maximum length, in words, of text next to an image and its captions that is not part of the article.
const MAX_BESIDE: usize = 20;
/// Maximum number of captions and credits of a figure.
const MAX_CAPTIONS: usize = 4;
/// Maximum nesting depth of superscript and subscript text. Each level takes a pass over the text.
const MAX_SCRIPTS: usize = 4;
/// Suffixes of ordinal numbers, which are often superscript.
const ORDINALS: [&str; 9] = ["st", "nd", "rd", "th", "er", "re", "ème", "nde", "ère"];

/// Reads an HTML fragment. URLs are resolved against `base`. A fragment that is nested too deeply for a tree
/// is read as plain text.
pub fn from_html(markup: &str, base: Option<&Url>) -> Document {
    // Texts stored before the limit was introduced may be longer.
    if markup.len() > limits::TEXT_BYTES {
        return from_html(&html::clean(markup, base), None);
    }
    if !markup.contains(['<', '&']) {
        return Document::from_text(&text::block(markup));
    }
    let Some(tree) = html::tree::fragment(markup) else {
        return Document::from_text(&text::block(&html::to_text(markup)));
    };
    of_element(tree.root_element(), base, &HashSet::new())
}

/// The URL of the first image of a fragment that is worth showing.
pub fn first_image(markup: &str, base: Option<&Url>) -> Option<String> {
    if !markup.contains("<img") {
        return None;
    }
    let found = first_in(markup, "img", |img| match picture::read(img) {
        Picture::Image(source) => Some(source),
        Picture::Embedded | Picture::Icon | Picture::Nothing => None,
    })?;
    let url = Url::options().base_url(base).parse(&found).ok()?;
    matches!(url.scheme(), "http" | "https").then(|| url.into())
}

/// Reads an element of a page, skipping the nodes in `dropped`.
pub(super) fn of_element(
    element: ElementRef<'_>,
    base: Option<&Url>,
    dropped: &HashSet<NodeId>,
) -> Document {
    of_discussion(element, base, dropped, &HashMap::new())
}

/// Like [`of_element`]. Each element in `posts` starts with its header line from that map.
pub(super) fn of_discussion(
    element: ElementRef<'_>,
    base: Option<&Url>,
    dropped: &HashSet<NodeId>,
    posts: &HashMap<NodeId, Vec<Inline>>,
) -> Document {
    let anchors = anchors(element, dropped);
    let notes = Notes::find(element, &anchors);
    let places = Places::find(&anchors, base, &notes);
    let mut builder = Builder {
        base,
        links: Vec::new(),
        known: HashMap::new(),
        embedded: Vec::new(),
        known_embedded: HashMap::new(),
        left: limits::ARTICLE_TARGETS,
        dropped,
        posts,
        around_posts: around(element, posts.keys()),
        notes,
        places,
        in_heading: false,
        in_caption: false,
        has_formulas: maths::has_formulas(element),
    };
    let mut blocks = builder.blocks(element, 0);
    // Which places the text contains is only known after it has been read once.
    if builder.places.settle() {
        builder.links.clear();
        builder.known.clear();
        builder.embedded.clear();
        builder.known_embedded.clear();
        builder.left = limits::ARTICLE_TARGETS;
        blocks = builder.blocks(element, 0);
    }
    // A rule at either end of a text separates nothing.
    let rules = blocks.iter().take_while(|block| **block == Block::Rule).count();
    blocks.drain(..rules);
    blocks.truncate(blocks.iter().rposition(|block| *block != Block::Rule).map_or(0, |at| at + 1));
    let mut document = Document { blocks, links: builder.links, embedded: builder.embedded };
    number_in_text_order(&mut document);
    document
}

struct Builder<'a> {
    base: Option<&'a Url>,
    links: Vec<Link>,
    /// Index of each target among the links.
    known: HashMap<(LinkKind, String), usize>,
    /// The markers of embedded images, and the index of each.
    embedded: Vec<String>,
    known_embedded: HashMap<String, usize>,
    /// Number of bytes left for URLs of links and images. When none are left, only absolute URLs are read.
    left: usize,
    /// Nodes that are skipped with their descendants.
    dropped: &'a HashSet<NodeId>,
    /// The header lines of the posts of a discussion.
    posts: &'a HashMap<NodeId, Vec<Inline>>,
    /// Ancestors of posts.
    around_posts: HashSet<NodeId>,
    notes: Notes,
    places: Places,
    /// Whether the content of a heading is being read.
    in_heading: bool,
    in_caption: bool,
    /// Whether the text has formulas between single dollar signs.
    has_formulas: bool,
}

/// Collects blocks. Inline content between them becomes paragraphs.
#[derive(Default)]
struct Flow {
    blocks: Vec<Block>,
    inline: Vec<Inline>,
    /// Whether formulas are between single dollar signs.
    has_formulas: bool,
}

impl Flow {
    fn push(&mut self, block: Block) {
        self.end_paragraph();
        self.blocks.push(block);
    }

    fn begin_post(&mut self, line: Vec<Inline>) {
        self.end_paragraph();
        if self.blocks.last().is_some_and(|last| *last != Block::Rule) {
            self.blocks.push(Block::Rule);
        }
        self.blocks.push(Block::Paragraph(line));
    }

    /// Adds a line break. Two consecutive line breaks end the paragraph.
    fn line_break(&mut self) {
        let blank = |i: &Inline| matches!(i, Inline::Text(t) if t.trim().is_empty());
        let last = self.inline.iter().rev().find(|i| !blank(i));
        if last == Some(&Inline::Break) {
            self.end_paragraph();
        } else {
            self.inline.push(Inline::Break);
        }
    }

    fn end_paragraph(&mut self) {
        for part in maths::split(std::mem::take(&mut self.inline), self.has_formulas) {
            let mut inline = match part {
                Part::Text(pieces) => tidy(pieces),
                Part::Formula(source) => {
                    self.blocks.push(maths::block(&source));
                    continue;
                }
            };
            // Line breaks at the start may remain after a formula or a quotation.
            let breaks = inline.iter().take_while(|i| **i == Inline::Break).count();
            inline.drain(..breaks);
            match inline.as_slice() {
                [] => {}
                [Inline::Image(..)] => self.blocks.push(Block::Figure(inline, Vec::new())),
                _ => self.paragraph(inline),
            }
        }
    }

    /// Adds a paragraph. If it repeats the description of the image above it, it is the caption.
    fn paragraph(&mut self, inline: Vec<Inline>) {
        let repeats =
            |alt: &str| !alt.trim().is_empty() && text::line(&plain(&inline)) == text::line(alt);
        match self.blocks.last_mut() {
            Some(Block::Figure(images, caption)) if caption.is_empty() => {
                if let [Inline::Image(alt, _)] = images.as_slice()
                    && repeats(alt)
                {
                    *caption = inline;
                    return;
                }
            }
            Some(Block::Paragraph(above)) => {
                if let [Inline::Link(inner, _)] = above.as_mut_slice()
                    && let [Inline::Image(alt, _)] = inner.as_mut_slice()
                    && repeats(alt)
                {
                    alt.clear();
                }
            }
            _ => {}
        }
        self.blocks.push(Block::Paragraph(inline));
    }
}

impl Builder<'_> {
    fn blocks(&mut self, element: ElementRef<'_>, depth: usize) -> Vec<Block> {
        let mut flow = self.new_flow();
        self.flow(element, depth, &mut flow);
        flow.end_paragraph();
        // There may be many such lists of blocks, most with only one block.
        flow.blocks.shrink_to_fit();
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
        self.places.enter(element.id());
        for child in element.children().filter(|c| !self.dropped.contains(&c.id())) {
            match child.value() {
                Node::Text(t) => {
                    if t.contains(|c: char| !c.is_whitespace()) {
                        flow.inline.extend(self.places.reached());
                    }
                    flow.inline.push(Inline::Text(t.to_string()));
                }
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
        self.places.enter(e.id());
        if let Some(line) = self.posts.get(&e.id()) {
            flow.begin_post(line.clone());
        }
        match e.value().name() {
            _ if maths::is_rendering(e) => {}
            _ if !deep && self.notes.body(e.id()).is_some() => {
                self.entry(e, depth).into_iter().for_each(|block| flow.push(block));
            }
            "iframe" | "embed" | "lite-youtube" | "youtube-video" | "amp-youtube"
            | "amp-iframe" => self.embed(e, flow),
            "object" => {
                // On older pages, the element may contain a player for other browsers that shows the same
                // content.
                let mut within = e.descendent_elements().skip(1).take(MAX_IN_FIGURE);
                if !within.any(|d| html::is_player(d.value().name())) {
                    self.embed(e, flow);
                }
                self.flow(e, depth + 1, flow);
            }
            "noscript" => self.noscript(e, flow),
            "script" => {
                if let Some((source, display)) = maths::script(e) {
                    self.formula(&source, display, flow);
                }
            }
            "style" | "head" | "template" | "title" | "svg" | "select" | "button" | "textarea"
            | "canvas" => {}
            "math" => match maths::source(e) {
                Some(source) => self.formula(&source, maths::is_display(e), flow),
                None => flow.inline.push(Inline::Text(maths::text(e))),
            },
            name @ ("h1" | "h2" | "h3" | "h4" | "h5" | "h6") => {
                let level = name.as_bytes()[1] - b'0';
                let around = std::mem::replace(&mut self.in_heading, true);
                let inline = tidy(self.inline(e, depth));
                self.in_heading = around;
                if !inline.is_empty() {
                    flow.push(Block::Heading(level, inline));
                }
            }
            "pre" => {
                let code = self.raw_text(e);
                let code = text::block(code.trim_end().trim_start_matches('\n'));
                if !code.is_empty() {
                    let language = code::language(e);
                    flow.end_paragraph();
                    if let Some(Block::Paragraph(label)) = flow.blocks.last()
                        && code::is_label(&plain(label), language.as_deref(), e)
                    {
                        flow.blocks.pop();
                    }
                    flow.push(Block::Code { language, code });
                }
                self.pictures_of_code(e, flow);
            }
            "blockquote" if is_post_text(e) => {
                flow.end_paragraph();
                self.flow(e, depth + 1, flow);
                flow.end_paragraph();
            }
            "blockquote" if !deep => {
                let mut inner = self.blocks(e, depth + 1);
                let by = attribution(e, &mut inner);
                if !inner.is_empty() {
                    flow.push(Block::Quote(inner, by));
                }
            }
            // The header lines already separate the posts, so they need no list or table.
            "ul" | "ol" | "dl" | "table" if self.holds_posts(e) => {
                flow.end_paragraph();
                self.flow(e, depth + 1, flow);
                flow.end_paragraph();
            }
            "ul" | "menu" if !deep => self.list(e, depth, None, flow),
            "ol" if !deep => {
                let start = e.attr("start").and_then(|s| s.trim().parse().ok()).unwrap_or(1);
                self.list(e, depth, Some(start), flow);
            }
            "table" if !deep => self.table(e, depth, flow),
            "figure" if !deep => self.figure(e, depth, flow),
            "div" if !deep && is_captioned(e) => self.figure(e, depth, flow),
            "dl" if !deep => self.definitions(e, depth, flow),
            "summary" => {
                let inline = tidy(self.inline(e, depth));
                if !inline.is_empty() {
                    flow.push(Block::Paragraph(vec![Inline::Strong(inline)]));
                }
            }
            "hr" => flow.push(Block::Rule),
            "video" | "audio" => self.media(e, flow),
            name if is_block(name) => {
                flow.end_paragraph();
                self.flow(e, depth + 1, flow);
                flow.end_paragraph();
            }
            _ => self.phrase(e, depth, flow),
        }
    }

    /// Reads inline elements. Those that contain blocks (such as links around cards) are replaced by their
    /// content.
    fn phrase(&mut self, e: ElementRef<'_>, depth: usize, flow: &mut Flow) {
        let deep = depth >= MAX_NESTING;
        let contains_blocks =
            || e.descendent_elements().skip(1).any(|d| is_block(d.value().name()));
        match e.value().name() {
            "br" => flow.line_break(),
            "input" => flow.inline.extend(task(e)),
            "img" => self.picture(e, flow),
            "source" => {}
            _ if is_tooltip(e) => {
                let inner = tidy(self.inline(e, depth + 1));
                if !inner.is_empty() {
                    flow.inline.push(Inline::Text(" [".to_owned()));
                    flow.inline.extend(inner);
                    flow.inline.push(Inline::Text("] ".to_owned()));
                }
            }
            "del" | "s" | "strike" if !deep && !contains_blocks() => {
                self.marked(e, depth, flow, Inline::Deleted);
            }
            "ins" if !deep && !contains_blocks() => {
                self.marked(e, depth, flow, Inline::Inserted);
            }
            "code" | "kbd" | "samp" | "tt" => {
                let code = self.raw_text(e);
                flow.inline.extend(self.places.reached());
                // Whitespace at either end of the code separates it from the surrounding text.
                let space = |at_end: bool| at_end.then(|| Inline::Text(" ".to_owned()));
                flow.inline.extend(space(code.starts_with(char::is_whitespace)));
                flow.inline.push(Inline::Code(on_one_line(&code)));
                flow.inline.extend(space(code.ends_with(char::is_whitespace)));
            }
            "a" if self.notes.is_back(e.id()) => {}
            "a" if self.in_heading && is_permalink(e) => {}
            "a" if self.notes.referred(e.id()).is_some() => {
                let label = text::line(&e.text().collect::<String>());
                let number = self.notes.referred(e.id()).unwrap_or_default();
                flow.inline.push(Inline::Note(label, number));
            }
            "a" if !deep && !contains_blocks() => {
                let inner = self.inline(e, depth + 1);
                if inner.is_empty() {
                    return;
                }
                let to = match self.places.led_to(e.id()) {
                    Lead::Place(number) => return flow.inline.push(Inline::Jump(inner, number)),
                    Lead::Here => None,
                    Lead::Away => self.link(e.attr("href"), LinkKind::Page),
                };
                match to.filter(|to| !self.is_own_image(&inner, *to)) {
                    Some(to) => flow.inline.push(Inline::Link(inner, to)),
                    None => flow.inline.extend(inner),
                }
            }
            "a" if !deep && e.attr("href").is_some() => self.card(e, depth, flow),
            "em" | "i" | "cite" | "var" | "dfn" if !deep && !contains_blocks() => {
                self.marked(e, depth, flow, Inline::Emphasis);
            }
            "strong" | "b" | "mark" if !deep && !contains_blocks() => {
                self.marked(e, depth, flow, Inline::Strong);
            }
            "rt" if !deep && is_bare_reading(e) => {
                flow.inline.push(Inline::Text("(".to_owned()));
                let inner = tidy(self.inline(e, depth + 1));
                flow.inline.extend(inner);
                flow.inline.push(Inline::Text(")".to_owned()));
            }
            "sup" | "sub" => {
                let mut inner = String::new();
                script_text(e, MAX_SCRIPTS, &mut inner);
                let raised = e.value().name() == "sup";
                let link = e.descendent_elements().any(|d| d.value().name() == "a");
                if link {
                    self.flow(e, depth + 1, flow);
                } else if !inner.trim().is_empty() {
                    let script = script(inner.trim(), raised, &flow.inline);
                    flow.inline.push(Inline::Text(script));
                }
            }
            _ => {
                let credit = self.in_caption && is_credit(e);
                if credit && flow.inline.last().is_some_and(|last| *last != Inline::Break) {
                    flow.inline.push(Inline::Break);
                }
                // The labels of tabs are adjacent, without whitespace.
                let apart = e.value().attrs().any(|(name, value)| name == "role" && value == "tab");
                flow.inline.extend(apart.then(|| Inline::Text(" ".to_owned())));
                self.flow(e, depth + 1, flow);
                flow.inline.extend(apart.then(|| Inline::Text(" ".to_owned())));
            }
        }
    }

    /// Adds marked text, such as emphasis. Line breaks at its ends are moved outside, and two line breaks
    /// inside end the surrounding paragraph.
    fn marked(
        &mut self,
        e: ElementRef<'_>,
        depth: usize,
        flow: &mut Flow,
        mark: fn(Vec<Inline>) -> Inline,
    ) {
        if begins_with_breaks(e) {
            flow.end_paragraph();
        }
        let mut inner = self.new_flow();
        self.flow(e, depth + 2, &mut inner);
        if inner.blocks.iter().all(|block| matches!(block, Block::Paragraph(_))) {
            for block in std::mem::take(&mut inner.blocks) {
                if let Block::Paragraph(text) = block {
                    flow.inline.push(mark(text));
                    flow.end_paragraph();
                }
            }
        }
        let mut text = self.joined(inner);
        let (before, after) = outer_breaks(&mut text);
        (0..before).for_each(|_| flow.line_break());
        if !text.is_empty() {
            flow.inline.push(mark(text));
        }
        (0..after).for_each(|_| flow.line_break());
    }

    /// Reads a link around blocks, such as a product card. Its first heading becomes the link, or its first
    /// paragraph if it has no heading.
    fn card(&mut self, e: ElementRef<'_>, depth: usize, flow: &mut Flow) {
        flow.end_paragraph();
        let from = flow.blocks.len();
        self.flow(e, depth + 1, flow);
        flow.end_paragraph();
        let blocks = &mut flow.blocks[from..];
        let heading = blocks.iter().position(|block| matches!(block, Block::Heading(..)));
        let first =
            heading.or_else(|| blocks.iter().position(|b| matches!(b, Block::Paragraph(_))));
        let Some(Block::Heading(_, text) | Block::Paragraph(text)) =
            first.and_then(|first| blocks.get_mut(first))
        else {
            return;
        };
        if !has_link(text)
            && let Lead::Away = self.places.led_to(e.id())
            && let Some(to) = self.link(e.attr("href"), LinkKind::Page)
        {
            *text = vec![Inline::Link(std::mem::take(text), to)];
        }
    }

    fn holds_posts(&self, e: ElementRef<'_>) -> bool {
        self.around_posts.contains(&e.id())
    }

    fn new_flow(&self) -> Flow {
        Flow { has_formulas: self.has_formulas, ..Flow::default() }
    }

    /// Reads the content of an element as inline content.
    fn inline(&mut self, e: ElementRef<'_>, depth: usize) -> Vec<Inline> {
        let mut flow = self.new_flow();
        self.flow(e, depth + 1, &mut flow);
        self.joined(flow)
    }

    fn joined(&self, mut flow: Flow) -> Vec<Inline> {
        if flow.blocks.is_empty() {
            return maths::within(flow.inline, self.has_formulas);
        }
        flow.end_paragraph();
        let mut out = Vec::new();
        for block in flow.blocks {
            let inner = match block {
                Block::Paragraph(inner) | Block::Heading(_, inner) => inner,
                Block::Code { code, .. } => vec![Inline::Code(on_one_line(&code))],
                other => {
                    let mut lines = Vec::new();
                    lines_of(vec![other], &mut lines);
                    let on_line = |inline| match inline {
                        Inline::Break => Inline::Text(" ".to_owned()),
                        other => other,
                    };
                    lines.into_iter().map(on_line).collect()
                }
            };
            if !out.is_empty() {
                out.push(Inline::Text(" ".to_owned()));
            }
            out.extend(inner);
        }
        out
    }

    fn list(&mut self, e: ElementRef<'_>, depth: usize, start: Option<u32>, flow: &mut Flow) {
        let mut items: Vec<Vec<Block>> = Vec::new();
        for child in e.child_elements().filter(|c| !self.dropped.contains(&c.id())) {
            let mut inner = match child.value().name() {
                "li" => self.entry(child, depth),
                _ => {
                    let mut stray = self.new_flow();
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

    /// Keeps data tables as tables. A table with one column, or with blocks in it, is only used for layout.
    /// In a table with a header, cells may contain lists.
    fn table(&mut self, e: ElementRef<'_>, depth: usize, flow: &mut Flow) {
        let is_kept = |c: &ElementRef<'_>| !self.dropped.contains(&c.id());
        let mut rows: Vec<Vec<ElementRef<'_>>> = own_rows(e)
            .filter(is_kept)
            .map(|r| {
                r.child_elements().filter(|c| matches!(c.value().name(), "td" | "th")).collect()
            })
            .filter(|cells: &Vec<_>| cells.iter().any(is_kept))
            .collect();
        let left_out = rows.len().saturating_sub(MAX_ROWS);
        rows.truncate(MAX_ROWS);
        let caption = e.child_elements().find(|c| c.value().name() == "caption");
        if let Some(caption) = caption.filter(|c| !self.dropped.contains(&c.id())) {
            let caption = tidy(self.inline(caption, depth + 1));
            if !caption.is_empty() {
                flow.push(Block::Paragraph(vec![Inline::Emphasis(caption)]));
            }
        }
        let kept = |r: &Vec<ElementRef<'_>>| r.iter().filter(|c| is_kept(c)).count();
        let columns = rows.iter().map(kept).max().unwrap_or(0);
        let header = rows.first().is_some_and(|r| r.iter().all(|c| c.value().name() == "th"));
        let is_block = |d: ElementRef<'_>| match d.value().name() {
            "table" | "pre" | "h1" | "h2" | "h3" => true,
            "ul" | "ol" => !header || rows.len() < 2,
            _ => false,
        };
        let layout = columns < 2 || e.descendent_elements().skip(1).any(is_block);
        if layout {
            flow.end_paragraph();
            let is_alone = rows.len() == 1;
            let cells = rows.into_iter().flat_map(|row| match row.as_slice() {
                // Feeds do not keep the classes that mark line numbers on pages.
                [numbers, code] if is_gutter(*numbers, *code, is_alone) => row[1..].to_vec(),
                _ => row,
            });
            for cell in cells.filter(is_kept) {
                let mut inner = self.blocks(cell, depth + 1);
                flow.blocks.append(&mut inner);
            }
            return;
        }
        let mut used: Vec<bool> = Vec::new();
        for (at, cell) in rows.iter().flat_map(|r| r.iter().enumerate()) {
            used.resize(used.len().max(at + 1), false);
            used[at] |= is_kept(cell);
        }
        let rows = rows
            .into_iter()
            .map(|r| {
                // Other dropped cells become empty, so that the remaining cells stay in their columns.
                let mut cells = r.into_iter().zip(&used).filter(|(_, used)| **used);
                let mut row = Vec::new();
                for (cell, _) in cells.by_ref().take(MAX_COLUMNS) {
                    row.push(if is_kept(&cell) { self.cell(cell, depth) } else { Vec::new() });
                }
                let (left_out, mut cells) = (cells.next().is_some(), row);
                cells.extend(left_out.then(|| vec![Inline::Text("…".to_owned())]));
                cells
            })
            .collect();
        flow.push(Block::Table { header, rows });
        if left_out > 0 {
            let note = format!("{} not shown", text::counted_as(left_out, "more row", "more rows"));
            flow.push(Block::Paragraph(vec![Inline::Emphasis(vec![Inline::Text(note)])]));
        }
    }

    /// Reads a cell of a data table. The entries of a list in it become lines that begin with a bullet or
    /// number.
    fn cell(&mut self, cell: ElementRef<'_>, depth: usize) -> Vec<Inline> {
        if !cell.descendent_elements().any(|d| matches!(d.value().name(), "ul" | "ol")) {
            return tidy(self.inline(cell, depth + 1));
        }
        let mut blocks = self.blocks(cell, depth + 1);
        mark_entries(&mut blocks);
        let mut lines = Vec::new();
        lines_of(blocks, &mut lines);
        tidy(lines)
    }

    fn figure(&mut self, e: ElementRef<'_>, depth: usize, flow: &mut Flow) {
        let within = || e.descendent_elements().skip(1).take(MAX_IN_FIGURE);
        // The figures of a gallery are read individually.
        let nested = within().any(|d| d.value().name() == "figure" || is_captioned(d));
        let mut images: Vec<Inline> = Vec::new();
        if !nested {
            for inner in within().filter(|d| !self.dropped.contains(&d.id())) {
                let image = match inner.value().name() {
                    "img" => self.image(inner),
                    // The `noscript` element is only used if the image itself has no URL.
                    "noscript" if images.is_empty() => self.original(inner),
                    _ => None,
                };
                if let Some(image @ Inline::Image(..)) = image
                    && !images.contains(&image)
                {
                    images.push(image);
                }
            }
        }
        let captions = if nested { Vec::new() } else { captions(e) };
        if images.is_empty() {
            // If a script loads an image, the page contains only its caption.
            let text = |e: ElementRef<'_>| e.text().flat_map(str::split_ascii_whitespace).count();
            let in_captions: usize = captions.iter().map(|c| text(*c)).sum();
            let alone = !captions.is_empty() && in_captions == text(e);
            if !alone {
                flow.end_paragraph();
                self.flow(e, depth + 1, flow);
                flow.end_paragraph();
                return;
            }
        }
        let caption = self.caption(&captions, depth);
        let beside = if nested { Vec::new() } else { self.beside(e, &captions, &caption, depth) };
        if !(images.is_empty() && caption.is_empty()) {
            flow.push(Block::Figure(images, caption));
        }
        beside.into_iter().for_each(|block| flow.push(block));
    }

    /// Paragraphs of the article in the box of an image. Short texts usually belong to the image and are
    /// skipped.
    fn beside(
        &mut self,
        e: ElementRef<'_>,
        captions: &[ElementRef<'_>],
        caption: &[Inline],
        depth: usize,
    ) -> Vec<Block> {
        let words = |e| self.raw_text(e).split_whitespace().count();
        let in_captions: usize = captions.iter().map(|caption| words(*caption)).sum();
        if words(e) <= in_captions + MAX_BESIDE {
            return Vec::new();
        }
        let caption = plain(caption);
        let is_known = |block: &Block| match block {
            Block::Figure(..) => true,
            Block::Paragraph(inner) | Block::Heading(_, inner) => {
                let is_image = |inline: &Inline| matches!(inline, Inline::Image(..));
                inner.iter().all(is_image) || caption.contains(plain(inner).trim())
            }
            _ => false,
        };
        let mut blocks = self.blocks(e, depth + 1);
        blocks.retain(|block| !is_known(block));
        blocks
    }

    /// Reads captions, with each paragraph and each credit on its own line.
    fn caption(&mut self, captions: &[ElementRef<'_>], depth: usize) -> Vec<Inline> {
        let around = std::mem::replace(&mut self.in_caption, true);
        let mut lines = Vec::new();
        for caption in captions {
            lines_of(self.blocks(*caption, depth + 1), &mut lines);
        }
        self.in_caption = around;
        tidy(lines)
    }

    /// Reads a definition list. Several terms in a row share their definitions.
    fn definitions(&mut self, e: ElementRef<'_>, depth: usize, flow: &mut Flow) {
        // Pairs may be wrapped in elements.
        let inner = e.child_elements().flat_map(|child| {
            let wraps = child.value().name() == "div";
            let own = (!wraps).then_some(child);
            own.into_iter().chain(child.child_elements().filter(move |_| wraps))
        });
        let mut all: Vec<Definition> = Vec::new();
        let mut after_term = false;
        for child in inner.filter(|c| !self.dropped.contains(&c.id())) {
            let term = child.value().name() == "dt";
            let mut blocks = self.entry(child, depth);
            if blocks.is_empty() {
                after_term &= term;
                continue;
            }
            if all.is_empty() || term && !after_term {
                all.push(Definition::default());
            }
            after_term = term;
            let Some(last) = all.last_mut() else { break };
            match blocks.as_mut_slice() {
                [Block::Paragraph(text)] if term => last.terms.push(std::mem::take(text)),
                _ => last.blocks.append(&mut blocks),
            }
        }
        // Footnotes are shown elsewhere.
        let notes = |d: &Definition| {
            d.terms.is_empty() && d.blocks.iter().all(|b| matches!(b, Block::Note { .. }))
        };
        if all.iter().all(notes) {
            all.into_iter().flat_map(|d| d.blocks).for_each(|note| flow.push(note));
        } else {
            flow.push(Block::Definitions(all));
        }
    }

    /// Reads content for clients without scripts: only an image, and only if its URL has not been found
    /// before.
    fn noscript(&mut self, e: ElementRef<'_>, flow: &mut Flow) {
        let known = self.links.len();
        if let Some(image) = self.original(e)
            && self.links.len() > known
        {
            flow.inline.push(image);
        }
    }

    /// The image in a `noscript` element.
    fn original(&mut self, noscript: ElementRef<'_>) -> Option<Inline> {
        let source = picture::in_noscript(noscript)?;
        let to = self.link(Some(&source), LinkKind::Image)?;
        Some(Inline::Image(String::new(), to))
    }

    fn embed(&mut self, e: ElementRef<'_>, flow: &mut Flow) {
        let attribute = |name: &str| e.attr(name).map(Cow::from);
        let found = html::player(e.value().name(), true, attribute);
        let Some((label, address)) = found else { return };
        if let Some(to) = self.link(Some(&address), LinkKind::Page) {
            flow.push(Block::Paragraph(vec![Inline::Link(vec![Inline::Text(label)], to)]));
        }
    }

    /// The text inside an element, unchanged. Each block in it starts on a new line.
    fn raw_text(&self, e: ElementRef<'_>) -> String {
        let mut out = String::new();
        let mut skip = None;
        // The offset in `out` at which the text of each open block begins.
        let mut blocks = Vec::new();
        // The offset in `out` at which the text of the last line element begins.
        let mut line = 0;
        let is_box = |node: NodeRef<'_, Node>| {
            node.id() != e.id() && node.value().as_element().is_some_and(|e| is_block(e.name()))
        };
        for edge in e.traverse() {
            match edge {
                Edge::Open(node) if skip.is_none() => {
                    if self.dropped.contains(&node.id()) {
                        skip = Some(node.id());
                    } else if let Node::Text(text) = node.value() {
                        out.push_str(text);
                    } else if node.value().as_element().is_some_and(|e| e.name() == "br") {
                        out.push('\n');
                    } else if is_box(node) {
                        if !out.is_empty() && !out.ends_with('\n') {
                            out.push('\n');
                        }
                        blocks.push(out.len());
                    } else if code::is_line(node) {
                        let follows = node.prev_sibling().is_some_and(code::is_line);
                        if follows && (out.len() == line || !out.ends_with('\n')) {
                            out.push('\n');
                        }
                        line = out.len();
                    }
                }
                Edge::Close(node) if skip == Some(node.id()) => skip = None,
                Edge::Close(node) if skip.is_none() && is_box(node) => {
                    let start = blocks.pop().unwrap_or_default();
                    // Ends the block. An empty block becomes an empty line.
                    if out.len() == start || !out.ends_with('\n') {
                        out.push('\n');
                    }
                }
                _ => {}
            }
        }
        out
    }

    /// Adds the images of preformatted text after it, because code cannot contain them.
    fn pictures_of_code(&mut self, pre: ElementRef<'_>, flow: &mut Flow) {
        let is_dropped = |e: ElementRef<'_>| {
            let inside = e.ancestors().take_while(|around| around.id() != pre.id());
            std::iter::once(*e).chain(inside).any(|node| self.dropped.contains(&node.id()))
        };
        let images = pre.descendent_elements().filter(|e| e.value().name() == "img");
        let images: Vec<ElementRef<'_>> = images.filter(|e| !is_dropped(*e)).collect();
        for image in images {
            if let Some(image @ Inline::Image(..)) = self.image(image) {
                flow.push(Block::Figure(vec![image], Vec::new()));
            }
        }
    }

    /// An image, or the alternative text of an icon that is part of the text, such as an emoji.
    fn image(&mut self, e: ElementRef<'_>) -> Option<Inline> {
        let mut alt = text::line(e.attr("alt").unwrap_or(""));
        // A URL does not describe the content of an image.
        if is_address(&alt) {
            alt.clear();
        }
        match picture::read(e) {
            Picture::Image(source) => {
                let to = self.link(Some(&source), LinkKind::Image)?;
                if let Some(link) = self.links.get_mut(to) {
                    link.size = link.size.or_else(|| picture::size(e));
                }
                Some(Inline::Image(alt, to))
            }
            Picture::Icon if !alt.is_empty() && !alt.chars().any(|c| c.is_ascii_alphanumeric()) => {
                Some(Inline::Text(alt))
            }
            Picture::Embedded => Some(Inline::Image(alt, self.embedded(e.attr("src")?))),
            Picture::Icon | Picture::Nothing => None,
        }
    }

    /// The index of an embedded image.
    fn embedded(&mut self, source: &str) -> usize {
        let marker = html::marker(source);
        if self.left == 0 || !html::has_hash(&marker) {
            return NOWHERE;
        }
        let next = self.embedded.len();
        let at = *self.known_embedded.entry(marker.clone()).or_insert(next);
        if at == next {
            self.left = self.left.saturating_sub(marker.len());
            self.embedded.push(marker);
        }
        EMBEDDED + at
    }

    /// Reads an image in the text. If it begins a paragraph and has an explanation as hover text, as in
    /// comics, it becomes a figure with that caption.
    fn picture(&mut self, e: ElementRef<'_>, flow: &mut Flow) {
        let Some(image) = self.image(e) else { return };
        let title = text::line(e.attr("title").unwrap_or_default());
        let is_explanation = matches!(&image, Inline::Image(alt, _) if *alt != title)
            && title.ends_with(['.', '!', '?', '…', '。', '"', '”'])
            && super::words::count(&title) >= TITLE_WORDS;
        if is_explanation && flow.inline.iter().all(|i| matches!(i, Inline::Image(..))) {
            flow.push(Block::Figure(vec![image], vec![Inline::Text(title)]));
        } else {
            flow.inline.push(image);
        }
    }

    fn formula(&mut self, source: &str, display: bool, flow: &mut Flow) {
        if display {
            return flow.push(maths::block(source));
        }
        flow.inline.extend(self.places.reached());
        flow.inline.push(maths::inline(source));
    }

    /// Reads audio or video as a single link in its own paragraph.
    fn media(&mut self, e: ElementRef<'_>, flow: &mut Flow) {
        let name = e.value().name();
        let sources = e.child_elements().filter(|c| c.value().name() == "source");
        let sources = sources.take(MAX_SOURCES).filter_map(|s| s.attr("src"));
        let own = [e.attr("src"), e.attr("data-src")].into_iter().flatten();
        let address = own.chain(sources).find(|s| !s.trim().is_empty() && !s.starts_with("blob:"));
        if let Some(to) = self.link(address, LinkKind::Media) {
            let link = Inline::Link(vec![Inline::Text(name.to_owned())], to);
            flow.push(Block::Paragraph(vec![link]));
        } else {
            self.flow(e, MAX_NESTING, flow);
        }
    }

    /// Whether a link contains only an image and leads to it.
    fn is_own_image(&self, inner: &[Inline], to: usize) -> bool {
        let [Inline::Image(_, image)] = inner else { return false };
        let url = |at: usize| self.links.get(at).map(|link| &link.url);
        url(to).is_some() && url(to) == url(*image)
    }

    fn link(&mut self, address: Option<&str>, kind: LinkKind) -> Option<usize> {
        let address = address?.trim();
        let url = match self.base.filter(|_| self.left > 0) {
            Some(base) => base.join(address).ok()?,
            None => Url::parse(address).ok()?,
        };
        // Every link uses up bytes, because each URL must be resolved.
        self.left = self.left.saturating_sub(url.as_str().len());
        let wanted =
            matches!((url.scheme(), kind), ("http" | "https", _) | ("mailto", LinkKind::Page));
        // Links to places in the text have become jumps, so this link's target is not in the text.
        let jump = address.starts_with('#');
        if !wanted || jump {
            return None;
        }
        let url = url.to_string();
        let next = self.links.len();
        let at = *self.known.entry((kind, url.clone())).or_insert(next);
        if at == next {
            self.links.push(Link { url, kind, size: None, file: None });
        }
        Some(at)
    }
}

/// Whether an element begins with two line breaks.
fn begins_with_breaks(e: ElementRef<'_>) -> bool {
    let is_break = |node: &NodeRef<'_, Node>| {
        node.value().as_element().is_some_and(|element| element.name() == "br")
    };
    let is_content = |node: &NodeRef<'_, Node>| match node.value() {
        Node::Text(text) => !text.trim().is_empty(),
        Node::Element(element) => element.name() == "img",
        _ => false,
    };
    e.descendants().take_while(|node| !is_content(node)).filter(is_break).nth(1).is_some()
}

/// Whether an element is a `blockquote` that contains a whole post: vBulletin puts all posts into these
/// elements.
pub(super) fn is_post_text(quote: ElementRef<'_>) -> bool {
    quote
        .attr("class")
        .is_some_and(|class| class.split_ascii_whitespace().any(|c| c == "postcontent"))
}

/// These nodes and all their ancestors.
fn around<'n>(root: ElementRef<'_>, nodes: impl Iterator<Item = &'n NodeId>) -> HashSet<NodeId> {
    let mut found = HashSet::new();
    for node in nodes.filter_map(|id| root.tree().get(*id)) {
        // The ancestors of a known node are already known.
        let mut above = node.ancestors();
        while above.next().is_some_and(|n| found.insert(n.id())) {}
    }
    found
}

/// Removes the attribution of a quotation from its blocks and returns it: the content of a `footer` or `cite`
/// at the end, or a last paragraph that begins with a dash.
fn attribution(quote: ElementRef<'_>, blocks: &mut Vec<Block>) -> Vec<Inline> {
    let last = quote.child_elements().last().map(|e| e.value().name());
    let named = matches!(last, Some("footer" | "cite"));
    let Some((Block::Paragraph(by), [_, ..])) = blocks.split_last() else { return vec![] };
    let text = plain(by);
    let dash = text.starts_with(['—', '–', '―']);
    if !(named || dash) || text.chars().count() > MAX_ATTRIBUTION {
        return vec![];
    }
    match blocks.pop() {
        Some(Block::Paragraph(by)) => by,
        _ => vec![],
    }
}

/// Whether inline content contains a link or another element that must not be nested in a link.
fn has_link(inlines: &[Inline]) -> bool {
    inlines.iter().any(|inline| match inline {
        Inline::Link(..) | Inline::Jump(..) | Inline::Note(..) => true,
        Inline::Emphasis(inner)
        | Inline::Strong(inner)
        | Inline::Deleted(inner)
        | Inline::Inserted(inner) => has_link(inner),
        _ => false,
    })
}

/// Whether a text consists only of a URL.
fn is_address(text: &str) -> bool {
    let is_web = |url: Url| matches!(url.scheme(), "http" | "https" | "file");
    !text.contains(' ') && text.contains("://") && Url::parse(text).is_ok_and(is_web)
}

/// The checkbox of a task list item as a character.
fn task(e: ElementRef<'_>) -> Option<Inline> {
    let attribute = |name| e.attr(name);
    html::task_box(attribute).map(|text| Inline::Text(text.to_owned()))
}

/// Whether a cell contains the line numbers of the listing in the adjacent cell: one number per line, and the
/// same number of lines as the listing. A single line may be data, unless it is 1 in a table without other
/// rows.
fn is_gutter(numbers: ElementRef<'_>, code: ElementRef<'_>, is_alone: bool) -> bool {
    let has_listing = |cell: ElementRef<'_>| {
        cell.descendent_elements().take(MAX_IN_FIGURE).any(|e| e.value().name() == "pre")
    };
    if !has_listing(numbers) || !has_listing(code) {
        return false;
    }
    let lines = |cell: ElementRef<'_>| -> String {
        let piece = |node: ego_tree::NodeRef<'_, Node>| match node.value() {
            Node::Text(text) => Some(text.to_string()),
            Node::Element(element) if element.name() == "br" => Some("\n".to_owned()),
            _ => None,
        };
        cell.descendants().filter_map(piece).collect()
    };
    let (numbers, code) = (lines(numbers), lines(code));
    let count = numbers.lines().count();
    let parsed = numbers.lines().map_while(|line| line.trim().parse::<u32>().ok());
    let parsed: Vec<u32> = parsed.collect();
    let in_order = parsed.windows(2).all(|pair| pair[0].checked_add(1) == Some(pair[1]));
    let is_likely = count > 1 || is_alone && parsed == [1];
    is_likely && parsed.len() == count && in_order && code.lines().count() == count
}

/// The rows of a table without the rows of nested tables, which would otherwise be read once per enclosing
/// table.
fn own_rows<'a>(table: ElementRef<'a>) -> impl Iterator<Item = ElementRef<'a>> {
    let is_row = |e: &ElementRef<'_>| e.value().name() == "tr";
    table.child_elements().flat_map(move |child| {
        let group = matches!(child.value().name(), "tbody" | "thead" | "tfoot");
        let inner = group.then(|| child.child_elements().filter(is_row));
        is_row(&child).then_some(child).into_iter().chain(inner.into_iter().flatten())
    })
}

/// Whether a box is a figure by its class, as in the markup of older systems.
fn is_captioned(e: ElementRef<'_>) -> bool {
    let boxes = ["wp-caption", "captioned-image-container", "image-caption", "thumbinner"];
    e.value().name() == "div"
        && has_class(e, &boxes)
        && e.descendent_elements().skip(1).take(MAX_IN_FIGURE).any(is_caption)
}

/// Whether an element is the caption of a figure.
pub(super) fn is_caption(e: ElementRef<'_>) -> bool {
    e.value().name() == "figcaption" || has_class(e, &["wp-caption-text", "thumbcaption"])
}

/// The captions in a figure and the credits next to them, in page order.
fn captions(figure: ElementRef<'_>) -> Vec<ElementRef<'_>> {
    let mut found: Vec<ElementRef<'_>> = Vec::new();
    for element in figure.descendent_elements().skip(1).take(MAX_IN_FIGURE) {
        let inside = found.iter().any(|f| element.ancestors().any(|a| a.id() == f.id()));
        let holds_more = || {
            let mut inner = element.descendent_elements().skip(1).take(MAX_IN_FIGURE);
            inner.any(|d| d.value().name() == "img" || is_caption(d))
        };
        if found.len() < MAX_CAPTIONS
            && !inside
            && (is_caption(element) || is_credit(element) && !holds_more())
        {
            found.push(element);
        }
    }
    // A credit alone is not a caption.
    if !found.iter().any(|f| is_caption(*f)) {
        found.clear();
    }
    found
}

/// Whether an element names the creator of an image.
pub(super) fn is_credit(e: ElementRef<'_>) -> bool {
    let is_word = |w: &str| {
        ["credit", "credits", "copyright", "photographer"].iter().any(|c| w.eq_ignore_ascii_case(c))
    };
    let class = e.attr("class").unwrap_or_default();
    class.split(|c: char| !c.is_ascii_alphanumeric()).any(is_word)
}

/// Code without line breaks, for a line of text.
pub(super) fn on_one_line(code: &str) -> String {
    text::block(code).split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The bullet before an entry of a list in a table cell.
pub const BULLET: &str = "• ";

/// Writes a bullet or a number before each entry of the lists among these blocks.
fn mark_entries(blocks: &mut [Block]) {
    for block in blocks {
        let Block::List(start, items) = block else { continue };
        let numbers = start.map(|start| u64::from(start)..);
        let mut numbers = numbers.into_iter().flatten();
        for item in items {
            let mark = numbers.next().map_or(BULLET.to_owned(), |number| format!("{number}. "));
            mark_entries(item);
            match item.first_mut() {
                Some(Block::Paragraph(text)) => text.insert(0, Inline::Text(mark)),
                _ => item.insert(0, Block::Paragraph(vec![Inline::Text(mark)])),
            }
        }
    }
}

/// The content of blocks as lines of one text.
fn lines_of(blocks: Vec<Block>, out: &mut Vec<Inline>) {
    let line = |inner: Vec<Inline>, out: &mut Vec<Inline>| {
        if !out.is_empty() && !inner.is_empty() {
            out.push(Inline::Break);
        }
        out.extend(inner);
    };
    for block in blocks {
        match block {
            Block::Paragraph(inner) | Block::Heading(_, inner) => line(inner, out),
            Block::Figure(image, caption) => {
                line(image, out);
                line(caption, out);
            }
            Block::Code { code, .. } => line(vec![Inline::Code(on_one_line(&code))], out),
            Block::List(_, items) => items.into_iter().for_each(|item| lines_of(item, out)),
            Block::Definitions(all) => {
                all.iter().for_each(|definition| lines_of(definition.as_item(), out));
            }
            Block::Quote(inner, by) => {
                lines_of(inner, out);
                line(by, out);
            }
            Block::Note { blocks, .. } => lines_of(blocks, out),
            Block::Table { rows, .. } => {
                for row in rows {
                    let cells = row.into_iter().filter(|cell| !cell.is_empty());
                    line(cells.collect::<Vec<_>>().join(&Inline::Text(" ".to_owned())), out);
                }
            }
            Block::Rule => {}
        }
    }
}

/// Superscript or subscript text with a `^` or `_` before it. Reference markers, ordinals and symbols such as
/// `®` get no prefix.
fn script(inner: &str, raised: bool, before: &[Inline]) -> String {
    let after_digit = || {
        let last = before.iter().rev().find_map(|i| match i {
            Inline::Text(text) => text.chars().next_back(),
            _ => None,
        });
        last.is_some_and(char::is_numeric)
    };
    let folded = inner.to_lowercase();
    let ordinal = || ORDINALS.contains(&folded.as_str()) && after_digit();
    match (raised, folded.as_str()) {
        (true, "tm") => "™".to_owned(),
        (true, "*" | "†" | "‡" | "™" | "®" | "©" | "º" | "ª" | "°") => inner.to_owned(),
        _ if inner.starts_with('[') && inner.ends_with(']') => inner.to_owned(),
        (true, _) if ordinal() => inner.to_owned(),
        (true, _) => format!("^{}", enclosed(inner)),
        (false, _) => format!("_{}", enclosed(inner)),
    }
}

/// Text that is raised or lowered as a whole: in parentheses if it would otherwise seem to end earlier.
fn enclosed(inner: &str) -> Cow<'_, str> {
    let is_long = inner.chars().skip(1).any(|c| "/+-−*·^_=".contains(c));
    let is_enclosed = inner.starts_with('(') && inner.ends_with(')');
    if is_long && !is_enclosed { format!("({inner})").into() } else { inner.into() }
}

/// Adds the text of a superscript or subscript element. Such elements inside it are marked up to a depth of
/// `levels`.
fn script_text(e: ElementRef<'_>, levels: usize, out: &mut String) {
    for node in e.children() {
        match (ElementRef::wrap(node), node.value()) {
            (Some(child), _) if levels > 0 && matches!(child.value().name(), "sup" | "sub") => {
                let mut inner = String::new();
                script_text(child, levels - 1, &mut inner);
                let last = out.chars().next_back().map(String::from);
                let before = [Inline::Text(last.unwrap_or_default())];
                *out += &script(inner.trim(), child.value().name() == "sup", &before);
            }
            (Some(child), _) => script_text(child, levels, out),
            (None, Node::Text(text)) => *out += text,
            _ => {}
        }
    }
}

/// Whether an element is a ruby annotation (`rt`) without the brackets that some pages put in `rp` elements.
pub(super) fn is_bare_reading(e: ElementRef<'_>) -> bool {
    let is_blank = |e: ElementRef<'_>| e.text().all(|text| text.trim().is_empty());
    let before = e.prev_siblings().find_map(ElementRef::wrap);
    let bracket = before.filter(|b| b.value().name() == "rp" && !is_blank(*b));
    e.value().name() == "rt" && bracket.is_none() && !is_blank(e)
}

/// Whether an element is a tooltip that explains a word.
fn is_tooltip(e: ElementRef<'_>) -> bool {
    e.attr("role") == Some("tooltip")
        || has_class(e, &["tooltiptext", "tooltip-text", "tooltip-content", "tooltip__content"])
}

fn has_class(e: ElementRef<'_>, names: &[&str]) -> bool {
    let class = e.attr("class").unwrap_or_default();
    class.split_ascii_whitespace().any(|c| names.contains(&c))
}

/// The first result of `read` for an element with this name in a short fragment.
pub(super) fn first_in<T>(
    markup: &str,
    name: &str,
    read: impl Fn(ElementRef<'_>) -> Option<T>,
) -> Option<T> {
    let tree = html::tree::fragment(markup)?;
    let mut found = tree.root_element().descendent_elements().filter(|e| e.value().name() == name);
    found.find_map(read)
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
    fn keeps_text_in_code_cells_and_figures() {
        let long = "word ".repeat(3000);
        let rows = |n: usize| "<tr><td>a<td>b".repeat(n);
        for (markup, parts) in [
            ("<pre><code><div>def f(x):</div><div></div><div>    return x</div></code></pre>".to_owned(), vec![
                "def f(x):\n\n    return x",
            ]),
            ("<pre><ol><li>one<li>two</ol></pre>".to_owned(), vec!["one\ntwo"]),
            (format!("<p>See <code>{long}end</code>.</p>"), vec!["word end"]),
            ("<table><tr><td><blockquote>quoted</blockquote><td>b<tr><td><dl><dt>term<dd>meaning</dl><td>d</table>".to_owned(), vec![
                "quoted", "term", "meaning",
            ]),
            (format!("<figure><img src=https://a.example/1.jpg><p>The lead {} paragraph.</p><figcaption>A bridge</figcaption></figure>", "long ".repeat(20)), vec![
                "long paragraph.", "A bridge",
            ]),
            (format!("<table>{}<tr><td>last<td>b</table>", rows(1100)), vec!["101 more rows not shown"]),
            (format!("<table><tr>{}<tr><td>a<td>b</table>", "<td>c".repeat(70)), vec!["…"]),
        ] {
            let text = from_html(&markup, None).text();
            for part in parts {
                assert!(text.contains(part), "{markup:.80}: {text:.300}");
            }
        }
    }

    #[test]
    fn a_paragraph_that_repeats_the_description_of_an_image_is_its_caption() {
        let image = "<img src=https://a.example/1.jpg alt='The final circuit'>";
        let shown = |image: &str, below: &str| {
            let html = format!("<p>Text</p><p>{image}</p><p>{below}</p><p>More</p>");
            from_html(&html, None).numbered_text()
        };
        assert_eq!(
            shown(image, "<i>The final  circuit</i>"),
            "Text\n\n[image] [1] The final circuit\n\nMore"
        );
        let linked = format!("<a href=https://a.example/large>{image}</a>");
        assert_eq!(
            shown(&linked, "The final circuit"),
            "Text\n\n[image] [2] [1]\n\nThe final circuit\n\nMore"
        );
        for below in ["The final circuits", ""] {
            assert!(shown(image, below).contains("[image: The final circuit] [1]"), "{below}");
        }
    }

    #[test]
    fn keeps_adjacent_code_lines_separate() {
        let lines = |class: &str| {
            let line = |text: &str| format!("<span {class}>{text}</span>");
            let lines = ["a {", "", "  <b>b</b>", "}<br>", "c\n", "d"].map(line).concat();
            format!("<pre><code>x\n{lines}\ny {}{}</code></pre>", line("z"), line("\n"))
        };
        for class in
            ["class=line", "class='hl page-code-line'", "style='color: red; display: block'"]
        {
            let text = from_html(&lines(class), None).text();
            assert_eq!(text, "x\na {\n\n  b\n}\nc\nd\ny z", "{class}");
        }
        let text = from_html(&lines("class=inline"), None).text();
        assert!(text.contains("a {  b}\n"), "words in a line: {text}");
    }

    #[test]
    fn leaves_out_language_labels_of_code_blocks() {
        let text = |before: &str| {
            let markup = format!("<p>a</p><div class=language-vue>{before}<pre>b</pre></div>");
            from_html(&markup, None).text()
        };
        for label in [
            "<span>vue</span>",
            "<button>Copy</button><span class=lang>Vue</span>\n",
            "<div><div> vue </div><button>Copy</button></div><i></i>",
        ] {
            assert_eq!(text(label), "a\n\nb", "{label}");
        }
        for other in ["<span>app.vue</span>", "<p>Vue</p>", "<h3>vue</h3>", "vue", "<i>Vue</i> is"]
        {
            assert_ne!(text(other), "a\n\nb", "{other}");
        }
        assert_eq!(from_html("<span>vue</span><pre>b</pre>", None).text(), "vue\n\nb");
    }

    #[test]
    fn leaves_out_rules_at_the_ends_of_a_text() {
        for (markup, expected) in
            [("<hr><hr><p>a</p><hr><p>b</p><div><hr></div>", "a\n\n---\n\nb"), ("<hr>", "")]
        {
            assert_eq!(from_html(markup, None).text(), expected, "{markup}");
        }
    }

    #[test]
    fn keeps_lists_in_the_cells_of_a_table_with_a_header() {
        let list = "<ul><li>fast<li>small<ol start=3><li>x<li>y</ol></ul>";
        let table = |head: &str| {
            format!("<table><tr>{head}</tr><tr><td>Jython<td><p>It is</p>{list}</table>")
        };
        let document = from_html(&table("<th>Name<th>Facts"), None);
        let [Block::Table { header: true, rows }] = document.blocks.as_slice() else {
            panic!("{document:?}")
        };
        assert_eq!(plain(&rows[1][1]), "It is\n• fast\n• small\n3. x\n4. y");
        let odd = from_html(
            "<table><tr><th>a<th>b<tr><td>1<td><ol start=4294967295><li>x<li>y</ol></table>",
            None,
        );
        assert!(odd.text().contains("4294967296. y"), "{}", odd.text());
        // The stored text gives the same document.
        assert_eq!(from_html(&document.html(), None).text(), document.text());
        let layout = from_html(&table("<td>Name<td>Facts"), None);
        assert!(layout.blocks.iter().all(|block| !matches!(block, Block::Table { .. })));
    }

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
    fn leaves_out_line_numbers_without_a_class() {
        let listing = |numbers: &str| {
            let cells = format!("<td><pre>{numbers}</pre></td><td><pre>a<br>b</pre></td>");
            from_html(&format!("<figure><table><tr>{cells}</tr></table></figure>"), None).text()
        };
        for (numbers, stays) in [
            ("<span>1</span><br><span>2</span><br>", false),
            ("7\n8", false),
            ("1\n3", true),
            ("one", true),
            // Data: one number, several numbers on a line, or more or fewer numbers than lines in the
            // listing.
            ("5", true),
            ("1 2", true),
            ("1\n2\n3", true),
        ] {
            let text = listing(numbers);
            let first = numbers.trim_start_matches("<span>").chars().next();
            assert_eq!(text.contains(first.unwrap()), stays, "{numbers}: {text}");
            assert!(text.contains('a') && text.contains('b'), "{text}");
        }
        let row = |number: u8| format!("<tr><td><pre>{number}</pre><td><pre>a</pre>");
        let listing = |rows: &str| from_html(&format!("<table>{rows}</table>"), None).text();
        assert_eq!(listing(&row(1)), "a");
        assert!(listing(&row(2)).contains('2'), "a number is data");
        assert!(listing(&[row(1), row(2)].concat()).contains('1'), "several numbers are data");
        let data = from_html("<table><tr><td>1<td>2<tr><td>3<td>4</table>", None).text();
        assert!(data.contains('1'), "a table of data stays: {data}");
    }

    #[test]
    fn limits_runs_of_breaks() {
        let document = from_html(&format!("a{}b", "<br>".repeat(1000)), None);
        assert!(document.text().lines().count() < 5);
    }

    #[test]
    fn reads_tasks_attributions_definitions_and_sizes() {
        let document = |html: &str| from_html(html, None);
        let tasks = "<ul><li><input type=checkbox disabled checked> a<li><input type=checkbox disabled>b\
            <li><input type=checkbox>c<li><input type=text disabled>d</ul>";
        assert_eq!(document(tasks).text(), "- ☑ a\n\n- ☐ b\n\n- c\n\n- d");
        let by = |html: &str| match document(html).blocks.as_slice() {
            [Block::Quote(inner, by)] => (inner.len(), plain(by)),
            other => panic!("{other:?}"),
        };
        for (html, expected) in [
            ("<blockquote><p>a</p><footer>b</footer></blockquote>", (1, "b")),
            ("<blockquote><p>a</p><cite>b</cite></blockquote>", (1, "b")),
            ("<blockquote><p>a</p><p>— b</p></blockquote>", (1, "— b")),
            ("<blockquote><p>a</p><p>b</p></blockquote>", (2, "")),
            ("<blockquote><footer>b</footer></blockquote>", (1, "")),
        ] {
            assert_eq!(by(html), (expected.0, expected.1.to_owned()), "{html}");
        }
        let dl = document("<dl><dt>a<dt>b<dd>c<dd>d<div><dt>e<dd>f</div></dl>");
        let [Block::Definitions(all)] = dl.blocks.as_slice() else { panic!("{dl:?}") };
        let sizes: Vec<_> = all.iter().map(|d| (d.terms.len(), d.blocks.len())).collect();
        assert_eq!(sizes, [(2, 2), (1, 1)]);
        for (size, expected) in
            [("width=640 height=360px", Some((640, 360))), ("width=640", None), ("", None)]
        {
            let html = format!("<img src='http://e.org/a.png' {size}>");
            assert_eq!(document(&html).links[0].size, expected, "{size}");
        }
    }
}
