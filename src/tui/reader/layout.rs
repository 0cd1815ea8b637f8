//! Document tree -> lines.

use super::wrap::{Span, wrap};
use crate::article::{Block, Document, Inline, LinkKind};
use crate::config::Role;
use crate::util::text;

/// One line of the reader.
pub(crate) type StyledLine = Vec<Span>;

/// A document laid out.
#[derive(Debug, Clone, Default)]
pub(crate) struct Lines {
    /// From top to bottom.
    pub(crate) lines: Vec<StyledLine>,
}

/// Lines that are laid out; what comes after is announced in a last line.
const MAX_LINES: usize = 50_000;

/// Lays a document out in lines of `width` cells, with its links listed at the end.
pub(crate) fn layout(document: &Document, width: usize) -> Lines {
    let mut out = Out { lines: Vec::new(), width: width.max(8) };
    out.blocks(&document.blocks, &[]);
    if !document.links.is_empty() {
        out.gap();
        for (i, link) in document.links.iter().enumerate() {
            let kind = match link.kind {
                LinkKind::Page => "",
                LinkKind::Image => " (image)",
                LinkKind::Media => " (media)",
            };
            let spans = [
                Span { text: format!("[{}] ", i + 1), role: Role::Dim, link: Some(i) },
                Span { text: link.url.clone(), role: Role::Link, link: Some(i) },
                Span::new(kind, Role::Dim),
            ];
            out.paragraph(&spans, &[]);
        }
    }
    if out.lines.len() > MAX_LINES {
        out.lines.truncate(MAX_LINES);
        out.lines.push(vec![Span::new("… the rest is too long to show here", Role::Dim)]);
    }
    Lines { lines: out.lines }
}

struct Out {
    lines: Vec<StyledLine>,
    width: usize,
}

/// What stands before each line of a block: for its first line, and for the others.
type Margin = [(Span, Span)];

impl Out {
    fn gap(&mut self) {
        if self.lines.last().is_some_and(|l| !l.is_empty()) {
            self.lines.push(Vec::new());
        }
    }

    fn blocks(&mut self, blocks: &[Block], margin: &Margin) {
        for (i, block) in blocks.iter().enumerate() {
            if i > 0 {
                self.gap_in(margin);
            }
            self.block(block, margin);
        }
    }

    /// An empty line that keeps the bars of quotations going.
    fn gap_in(&mut self, margin: &Margin) {
        let bars: Vec<Span> = margin.iter().map(|(_, rest)| rest.clone()).collect();
        let drawn = bars.iter().any(|s| !s.text.trim().is_empty());
        self.lines.push(if drawn { bars } else { Vec::new() });
    }

    fn block(&mut self, block: &Block, margin: &Margin) {
        match block {
            Block::Heading(_, inline) => {
                let mut spans = Vec::new();
                flatten(inline, Role::Heading, None, &mut spans);
                self.paragraph(&spans, margin);
            }
            Block::Paragraph(inline) => {
                let mut spans = Vec::new();
                flatten(inline, Role::Text, None, &mut spans);
                self.paragraph(&spans, margin);
            }
            Block::Figure(image, caption) => {
                let mut spans = Vec::new();
                flatten(image, Role::Dim, None, &mut spans);
                if !caption.is_empty() {
                    spans.push(Span::new(" ", Role::Dim));
                    flatten(caption, Role::Dim, None, &mut spans);
                }
                self.paragraph(&spans, margin);
            }
            Block::Quote(inner) => {
                let bar = Span::new("▎ ", Role::Quote);
                let margin = nested(margin, bar.clone(), bar);
                self.blocks(inner, &margin);
            }
            Block::List(start, items) => self.list(*start, items, margin),
            Block::Code(code) => self.code(code, margin),
            Block::Table { header, rows } => self.table(*header, rows, margin),
            Block::Rule => {
                let width = self.room(margin).min(24);
                self.paragraph(&[Span::new("─".repeat(width), Role::Dim)], margin);
            }
        }
    }

    fn room(&self, margin: &Margin) -> usize {
        let used: usize = margin.iter().map(|(_, rest)| text::width(&rest.text)).sum();
        self.width.saturating_sub(used).max(8)
    }

    fn paragraph(&mut self, spans: &[Span], margin: &Margin) {
        for (i, line) in wrap(spans, self.room(margin)).into_iter().enumerate() {
            self.line(line, i == 0, margin);
        }
    }

    fn line(&mut self, line: Vec<Span>, first: bool, margin: &Margin) {
        let mut full: Vec<Span> =
            margin.iter().map(|(start, rest)| if first { start } else { rest }.clone()).collect();
        full.extend(line);
        self.lines.push(full);
    }

    fn list(&mut self, start: Option<u32>, items: &[Vec<Block>], margin: &Margin) {
        let last = start.map_or(0, |n| u64::from(n) + items.len() as u64);
        let wide = last.to_string().len();
        for (i, item) in items.iter().enumerate() {
            let mark = match start {
                Some(n) => format!("{:>wide$}. ", u64::from(n) + i as u64),
                None => "• ".to_owned(),
            };
            let blank = Span::new(" ".repeat(text::width(&mark)), Role::Text);
            let first_line = self.lines.len();
            let inner = nested(margin, blank.clone(), blank.clone());
            self.blocks(item, &inner);
            // The mark takes the place of the blank in the entry's first line.
            if let Some(slot) = self.lines.get_mut(first_line).and_then(|l| l.get_mut(margin.len()))
            {
                *slot = Span::new(mark, Role::Dim);
            }
        }
    }

    fn code(&mut self, code: &str, margin: &Margin) {
        let room = self.room(margin);
        for line in code.lines() {
            let spans = wrap_code(line, room);
            for (i, part) in spans.into_iter().enumerate() {
                self.line(vec![Span::new(part, Role::Code)], i == 0, margin);
            }
        }
    }

    /// Columns get their natural width where they fit; otherwise each row becomes a small list.
    fn table(&mut self, header: bool, rows: &[Vec<Vec<Inline>>], margin: &Margin) {
        let cell = |inline: &[Inline]| {
            let mut spans = Vec::new();
            flatten(inline, Role::Text, None, &mut spans);
            spans.iter().map(|s| s.text.replace('\n', " ")).collect::<String>()
        };
        let texts: Vec<Vec<String>> =
            rows.iter().map(|r| r.iter().map(|c| cell(c)).collect()).collect();
        let columns = texts.iter().map(Vec::len).max().unwrap_or(0);
        let widths: Vec<usize> = (0..columns)
            .map(|c| {
                texts.iter().filter_map(|r| r.get(c)).map(|t| text::width(t)).max().unwrap_or(0)
            })
            .collect();
        let fits =
            widths.iter().sum::<usize>() + 2 * columns.saturating_sub(1) <= self.room(margin);
        for (i, row) in texts.iter().enumerate() {
            let role = if header && i == 0 { Role::Heading } else { Role::Text };
            if fits {
                let mut line = String::new();
                for (text, width) in row.iter().zip(&widths) {
                    line.push_str(text);
                    line.push_str(&" ".repeat(width + 2 - text::width(text)));
                }
                self.line(vec![Span::new(line.trim_end(), role)], true, margin);
            } else if !(header && i == 0) {
                self.stacked(row, header.then(|| &texts[0]), margin);
            }
        }
    }

    /// A row that is too wide: one line per cell, named by the header.
    fn stacked(&mut self, row: &[String], names: Option<&Vec<String>>, margin: &Margin) {
        for (i, value) in row.iter().enumerate().filter(|(_, v)| !v.is_empty()) {
            let mut spans = Vec::new();
            if let Some(name) = names.and_then(|n| n.get(i)).filter(|n| !n.is_empty()) {
                spans.push(Span::new(format!("{name}: "), Role::Dim));
            }
            spans.push(Span::new(value.as_str(), Role::Text));
            self.paragraph(&spans, margin);
        }
        self.gap();
    }
}

fn nested(margin: &Margin, first: Span, rest: Span) -> Vec<(Span, Span)> {
    let mut out: Vec<(Span, Span)> = margin.iter().map(|(_, r)| (r.clone(), r.clone())).collect();
    out.push((first, rest));
    out
}

/// Code keeps its spacing; a line that is too long goes on below.
fn wrap_code(line: &str, width: usize) -> Vec<String> {
    use unicode_segmentation::UnicodeSegmentation;
    let mut out = vec![String::new()];
    let mut used = 0;
    for g in line.graphemes(true) {
        let cells = text::width(g);
        if used + cells > width && used > 0 {
            out.push(String::new());
            used = 0;
        }
        used += cells;
        if let Some(last) = out.last_mut() {
            last.push_str(g);
        }
    }
    out
}

fn flatten(inline: &[Inline], role: Role, link: Option<usize>, out: &mut Vec<Span>) {
    let span = |text: &str, role| Span { text: text.to_owned(), role, link };
    for piece in inline {
        match piece {
            Inline::Text(t) => out.push(span(t, if link.is_some() { Role::Link } else { role })),
            Inline::Code(t) => out.push(span(t, Role::Code)),
            Inline::Emphasis(inner) => {
                flatten(inner, if role == Role::Text { Role::Emphasis } else { role }, link, out)
            }
            Inline::Strong(inner) => {
                flatten(inner, if role == Role::Text { Role::Strong } else { role }, link, out)
            }
            Inline::Link(inner, to) => {
                flatten(inner, role, Some(*to), out);
                out.push(Span { text: format!("[{}]", to + 1), role: Role::Dim, link: Some(*to) });
            }
            Inline::Image(alt, to) => {
                let label = if alt.is_empty() { "image" } else { alt };
                out.push(Span { text: format!("▣ {label}"), role: Role::Dim, link });
                out.push(Span { text: format!("[{}]", to + 1), role: Role::Dim, link: Some(*to) });
            }
            Inline::Break => out.push(span("\n", role)),
        }
    }
}
