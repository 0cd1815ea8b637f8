//! Document tree -> lines.

use super::glyphs::Glyphs;
use super::inline::spans;
use super::line::{Line, Span, Target};
use super::table;
use super::wrap::wrap;
use crate::article::{Block, Document, Link, LinkKind};
use crate::config::Role;
use crate::util::text;

/// A document after layout.
#[derive(Debug, Clone, Default)]
pub(crate) struct Lines {
    pub(crate) lines: Vec<Line>,
    /// In a difference: lines where a change begins.
    pub(crate) changes: Vec<usize>,
}

/// Largest number of lines; a last line says that the rest is missing.
const MAX_LINES: usize = 50_000;
/// From this width on code is indented, so that it stands out without colours.
const MIN_WIDTH_TO_INDENT: usize = 40;

/// Lays a document out in lines of `width` cells, with footnotes and links at the end. Code and
/// tables may be wider.
pub(crate) fn layout(document: &Document, width: usize, glyphs: &'static Glyphs) -> Lines {
    let mut out = Out { lines: Vec::new(), width: width.max(8), glyphs, depth: 0, notes: vec![] };
    out.blocks(&document.blocks, &[]);
    out.all_notes();
    out.links(&document.links);
    finished(out.lines, glyphs)
}

/// Limits the number of lines and numbers their positions.
pub(super) fn finished(mut lines: Vec<Line>, glyphs: &Glyphs) -> Lines {
    if lines.len() > MAX_LINES {
        lines.truncate(MAX_LINES);
        let note = format!("{} the rest is too long to be shown", glyphs.more);
        lines.push(Line::of(Span::new(note, Role::Dim)));
    }
    let mut before = 0;
    for line in &mut lines {
        line.at = before;
        let solid = |s: &Span| s.text.chars().filter(|c| !c.is_whitespace()).count();
        before += line.spans.iter().filter(|s| !s.mark).map(solid).sum::<usize>();
    }
    Lines { lines, changes: vec![] }
}

struct Out<'a> {
    lines: Vec<Line>,
    width: usize,
    glyphs: &'static Glyphs,
    /// Nesting depth of lists.
    depth: usize,
    /// Footnotes so far: number, label, text.
    notes: Vec<(usize, &'a str, &'a [Block])>,
}

/// Prefixes of a block's lines: of the first line and of the others.
type Margin = [(Span, Span)];

impl<'a> Out<'a> {
    fn gap(&mut self) {
        if self.lines.last().is_some_and(|l| l.all().next().is_some()) {
            self.lines.push(Line::default());
        }
    }

    fn blocks(&mut self, blocks: &'a [Block], margin: &Margin) {
        let mut drawn: Option<&Block> = None;
        for (i, block) in blocks.iter().enumerate() {
            // The heading or rule above the footnotes moves with them.
            let over_notes = matches!(block, Block::Heading(..) | Block::Rule)
                && blocks.get(i + 1).is_some_and(is_notes);
            if over_notes {
                continue;
            }
            if !is_notes(block) {
                let within = matches!(drawn, Some(Block::Paragraph(_)))
                    && matches!(block, Block::List(..))
                    && self.depth > 0;
                if drawn.is_some() && !within {
                    self.gap_in(margin);
                }
                drawn = Some(block);
            }
            self.block(block, margin);
        }
    }

    /// An empty line that continues the bars of quotations.
    fn gap_in(&mut self, margin: &Margin) {
        let bars: Vec<Span> = margin.iter().map(|(_, rest)| rest.clone()).collect();
        let drawn = bars.iter().any(|s| !s.text.trim().is_empty());
        self.lines.push(Line { margin: if drawn { bars } else { vec![] }, ..Line::default() });
    }

    fn block(&mut self, block: &'a Block, margin: &Margin) {
        match block {
            Block::Heading(_, inline) => {
                self.paragraph(&spans(inline, Role::Heading, self.glyphs), margin);
            }
            Block::Paragraph(inline) => {
                self.paragraph(&spans(inline, Role::Text, self.glyphs), margin);
            }
            Block::Figure(image, caption) => {
                let mut all = spans(image, Role::Dim, self.glyphs);
                if !caption.is_empty() {
                    all.push(Span::new(" ", Role::Dim));
                    all.extend(spans(caption, Role::Dim, self.glyphs));
                }
                self.paragraph(&all, margin);
            }
            Block::Quote(inner) => {
                let bar = Span::new(self.glyphs.bar, Role::Quote);
                let margin = nested(margin, bar.clone(), bar);
                self.blocks(inner, &margin);
            }
            Block::List(start, items) => self.list(*start, items, margin),
            Block::Code { code, .. } => self.code(code, margin),
            Block::Table { header, rows } => {
                let (lines, wide) = table::lay_out(*header, rows, self.space(margin), self.glyphs);
                self.wide(lines, wide, margin);
            }
            Block::Note { number, label, blocks } => self.notes.push((*number, label, blocks)),
            Block::Rule => self.rule(margin),
        }
    }

    fn rule(&mut self, margin: &Margin) {
        let width = self.space(margin).min(24);
        self.paragraph(&[Span::new(self.glyphs.rule.repeat(width), Role::Dim)], margin);
    }

    fn space(&self, margin: &Margin) -> usize {
        let used: usize = margin.iter().map(|(_, rest)| text::width(&rest.text)).sum();
        self.width.saturating_sub(used).max(8)
    }

    fn paragraph(&mut self, spans: &[Span], margin: &Margin) {
        for (i, line) in wrap(spans, self.space(margin)).into_iter().enumerate() {
            self.line(line, i == 0, margin);
        }
    }

    fn line(&mut self, line: Line, first: bool, margin: &Margin) {
        let side = |(start, rest): &(Span, Span)| if first { start } else { rest }.clone();
        self.lines.push(Line { margin: margin.iter().map(side).collect(), ..line });
    }

    /// Lines of a block that is `wide` cells wide, independent of the available width.
    fn wide(&mut self, lines: Vec<Line>, wide: usize, margin: &Margin) {
        let over = wide.saturating_sub(self.space(margin));
        for (i, line) in lines.into_iter().enumerate() {
            self.line(Line { over, ..line }, i == 0, margin);
        }
    }

    fn list(&mut self, start: Option<u32>, items: &'a [Vec<Block>], margin: &Margin) {
        let last = start.map_or(0, |n| u64::from(n) + items.len() as u64 - 1);
        let wide = last.to_string().len();
        let bullet = self.glyphs.bullets[self.depth % self.glyphs.bullets.len()];
        let texts =
            |item: &Vec<Block>| item.iter().filter(|b| !matches!(b, Block::List(..))).count();
        let loose = items.iter().any(|item| texts(item) > 1);
        self.depth += 1;
        for (i, item) in items.iter().enumerate() {
            let mark = match start {
                Some(n) => format!("{:>wide$}. ", u64::from(n) + i as u64),
                None => bullet.to_owned(),
            };
            let blank = Span::new(" ".repeat(text::width(&mark)), Role::Text);
            if loose && i > 0 {
                self.gap_in(margin);
            }
            let first_line = self.lines.len();
            let inner = nested(margin, blank.clone(), blank);
            self.blocks(item, &inner);
            // The marker replaces the indentation in the first line of the entry.
            let first = self.lines.get_mut(first_line);
            if let Some(slot) = first.and_then(|l| l.margin.get_mut(margin.len())) {
                *slot = Span::new(mark, Role::Dim);
            }
        }
        self.depth -= 1;
    }

    /// Code keeps its lines, however long they are.
    fn code(&mut self, code: &str, margin: &Margin) {
        let indent = if self.space(margin) >= MIN_WIDTH_TO_INDENT { "  " } else { "" };
        let margin = nested(margin, Span::new(indent, Role::Code), Span::new(indent, Role::Code));
        let lines: Vec<Line> =
            code.lines().map(|line| Line::of(Span::new(line, Role::Code))).collect();
        let wide = code.lines().map(text::width).max().unwrap_or(0);
        self.wide(lines, wide, &margin);
    }

    /// The links in order of their numbers.
    fn links(&mut self, links: &[Link]) {
        if links.is_empty() {
            return;
        }
        self.gap();
        let wide = links.len().to_string().len() + 3;
        for (i, link) in links.iter().enumerate() {
            let kind = match link.kind {
                LinkKind::Page => "",
                LinkKind::Image => " (image)",
                LinkKind::Media => " (media)",
            };
            let target = Target::Link(i);
            let mark = Span::mark(format!("[{}]", i + 1), target);
            let blank = |cells: usize| Span::new(" ".repeat(cells), Role::Text);
            let (marked, pad) = (mark.text.len(), wide - mark.text.len());
            let margin = [(mark, blank(marked)), (blank(pad), blank(pad))];
            let url = Span { target: Some(target), ..Span::new(link.url.clone(), Role::Link) };
            self.paragraph(&[url, Span::new(kind, Role::Dim)], &margin);
        }
    }

    /// The footnotes in order of their numbers.
    fn all_notes(&mut self) {
        let mut notes = std::mem::take(&mut self.notes);
        if notes.is_empty() {
            return;
        }
        notes.sort_by_key(|(number, ..)| *number);
        self.gap();
        self.rule(&[]);
        for (number, label, blocks) in notes {
            let mark = Span::mark(format!("[^{}]", number + 1), Target::Reference(number));
            let wide = text::width(&mark.text) + 1;
            let blank = Span::new(" ".repeat(wide), Role::Text);
            let first = self.lines.len();
            self.blocks(blocks, &[(blank.clone(), blank)]);
            let Some(line) = self.lines.get_mut(first) else { continue };
            line.margin.splice(0..1, [mark, Span::new(" ", Role::Text)]);
            drop_label(&mut line.spans, label);
        }
    }
}

/// Whether a block contains only footnotes.
fn is_notes(block: &Block) -> bool {
    match block {
        Block::Note { .. } => true,
        Block::List(_, items) => items.iter().all(|item| item.iter().all(is_notes)),
        _ => false,
    }
}

/// Removes the label at the start of a footnote, because it has a new one.
fn drop_label(spans: &mut [Span], label: &str) {
    let Some(first) = spans.first_mut() else { return };
    let bare =
        |text: &'_ str| text.trim_matches(['[', ']', '(', ')', '.', ':', '^', ' ']).to_owned();
    let Some((word, rest)) = first.text.split_once(' ') else { return };
    if !label.is_empty() && bare(word) == bare(label) {
        first.text = rest.trim_start().to_owned();
    }
}

fn nested(margin: &Margin, first: Span, rest: Span) -> Vec<(Span, Span)> {
    let mut out: Vec<(Span, Span)> = margin.iter().map(|(_, r)| (r.clone(), r.clone())).collect();
    out.push((first, rest));
    out
}
