//! A row of text pieces with a fixed width.

use crate::util::text;
use ratatui::Frame;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::{Line, Span};
use ratatui::widgets::Widget;
use std::borrow::Cow;

/// Text at the left and right of a row. The left text is clipped if there is not enough space.
pub(super) struct Row {
    width: usize,
    left: Vec<Span<'static>>,
    used: usize,
    right: Vec<Span<'static>>,
    reserved: usize,
}

impl Row {
    pub(super) fn new(width: u16) -> Self {
        Self { width: width.into(), left: Vec::new(), used: 0, right: Vec::new(), reserved: 0 }
    }

    /// Adds text to the left of the right-aligned text, if at least half of the row remains free.
    pub(super) fn right(&mut self, content: impl Into<String>, style: Style) {
        let content = content.into();
        let cells = text::width(&content);
        if cells > 0 && (self.reserved + cells) * 2 <= self.width {
            self.reserved += cells;
            self.right.insert(0, Span::styled(content, style));
        }
    }

    /// Adds text to the left of the right-aligned text, if it fits completely next to the left-aligned text.
    pub(super) fn right_beside(&mut self, content: String, style: Style) {
        let cells = text::width(&content);
        if cells <= self.free() {
            self.reserved += cells;
            self.right.insert(0, Span::styled(content, style));
        }
    }

    /// Like [`Self::right`], with as many words as fit.
    pub(super) fn right_fitting(&mut self, words: &str, style: Style) {
        let mut words = words;
        while !self.fits_right(words) {
            words = words.rsplit_once(' ').map_or("", |(shorter, _)| shorter);
            if words.is_empty() {
                return;
            }
        }
        self.right(words, style);
    }

    /// Whether the right-aligned text, including these words, would use at most half of the row.
    pub(super) fn fits_right(&self, words: &str) -> bool {
        (self.reserved + text::width(words)) * 2 <= self.width
    }

    /// Adds left-aligned text, clipped at the end of the row.
    pub(super) fn left(&mut self, content: &str, style: Style) {
        let space = self.free();
        if space == 0 {
            return;
        }
        let shown = text::truncate(content, space);
        let is_cut = matches!(shown, Cow::Owned(_));
        let mut shown = shown.into_owned();
        // Nothing may follow truncated text, even if a wide character left a cell free.
        if is_cut {
            shown += &" ".repeat(space - text::width(&shown));
        }
        self.used += text::width(&shown);
        self.left.push(Span::styled(shown, style));
    }

    /// Adds text in a left-aligned column of this width. The last two cells of the column stay blank.
    pub(super) fn column(&mut self, content: &str, width: usize, style: Style) {
        let shown = text::truncate(content, width.saturating_sub(2)).into_owned();
        let space = width.saturating_sub(text::width(&shown));
        self.left(&(shown + &" ".repeat(space)), style);
    }

    pub(super) fn width(&self) -> u16 {
        u16::try_from(self.width).unwrap_or(u16::MAX)
    }

    /// Number of cells used by left-aligned text.
    pub(super) fn used(&self) -> usize {
        self.used
    }

    /// Number of free cells.
    pub(super) fn free(&self) -> usize {
        self.width.saturating_sub(self.used + self.reserved)
    }

    /// Fills the space between the left-aligned and the right-aligned text.
    pub(super) fn fill(&mut self, with: &str, style: Style) {
        let space = self.free();
        self.left.push(Span::styled(with.repeat(space), style));
        self.used += space;
    }

    pub(super) fn line(mut self, style: Style) -> Line<'static> {
        self.fill(" ", Style::new());
        self.left.extend(self.right);
        Line::from(self.left).style(style)
    }
}

/// Draws a line in a row like ratatui's widget, but faster for text without grapheme clusters. Most of a
/// frame consists of such rows.
pub(super) fn put(frame: &mut Frame<'_>, line: &Line<'_>, at: Rect) {
    put_line(frame.buffer_mut(), line, at);
}

fn put_line(buffer: &mut Buffer, line: &Line<'_>, at: Rect) {
    let mut at = Rect { height: 1, ..at }.intersection(buffer.area);
    if at.is_empty() || line.spans.is_empty() {
        return;
    }
    buffer.set_style(at, line.style);
    for span in &line.spans {
        if at.is_empty() {
            return;
        }
        let cells = if text::is_simple(&span.content) {
            put_simple(buffer, span, at)
        } else {
            span.render(at, buffer);
            u16::try_from(text::width(&span.content)).unwrap_or(u16::MAX).min(at.width)
        };
        at = Rect { x: at.x + cells, width: at.width - cells, ..at };
    }
}

/// Draws a span for which [`text::is_simple`] is true; returns the number of cells used.
fn put_simple(buffer: &mut Buffer, span: &Span<'_>, at: Rect) -> u16 {
    let first = buffer.index_of(at.x, at.y);
    let cells = buffer.content.iter_mut().skip(first).take(at.width.into());
    let mut letters = [0; 4];
    let mut taken = 0;
    for (cell, letter) in cells.zip(span.content.chars()) {
        cell.set_symbol(letter.encode_utf8(&mut letters)).set_style(span.style);
        taken += 1;
    }
    taken
}

/// Fills a row with a symbol that is one cell wide.
pub(super) fn fill(frame: &mut Frame<'_>, symbol: &str, style: Style, at: Rect) {
    let at = Rect { height: 1, ..at }.intersection(frame.area());
    for x in at.x..at.right() {
        frame.buffer_mut()[(x, at.y)].set_symbol(symbol).set_style(style);
    }
}

/// Number of blank cells on each side of a row, for the width of its pane.
pub(super) fn padding(width: u16) -> usize {
    if width < 22 { 1 } else { 2 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ratatui::style::{Color, Modifier, Stylize};

    #[test]
    fn draws_lines_like_ratatui() {
        let lines = [
            Line::default(),
            Line::raw("plain"),
            Line::from(vec![
                "日本".bold(),
                Span::raw(" and "),
                "a\u{301}\u{200d}b".red(),
                "tail".dim(),
            ]),
            Line::from(vec!["👩‍👩‍👧 family".into(), " with\ttab".into(), "\u{1b}[31m".into()])
                .on_blue(),
            Line::from(vec![Span::raw(""), "a long line that does not fit".italic()]).bold(),
        ];
        let ground = Style::new().bg(Color::Green).add_modifier(Modifier::UNDERLINED);
        for line in lines {
            for (x, width) in [(0, 40), (3, 5), (2, 1), (9, 0), (38, 9)] {
                let mut expected =
                    Buffer::filled(Rect::new(0, 0, 40, 2), ratatui::buffer::Cell::new("x"));
                expected.set_style(expected.area, ground);
                let mut drawn = expected.clone();
                let at = Rect { x, y: 1, width, height: 1 };
                (&line).render(at, &mut expected);
                put_line(&mut drawn, &line, at);
                assert_eq!(drawn, expected, "{line:?} at {at}");
            }
        }
    }

    #[test]
    fn a_row_has_only_one_ellipsis() {
        for width in 6..18 {
            let mut row = Row::new(width);
            row.left("日本語の知らせ、橋", Style::new());
            row.left("  and more", Style::new());
            let line = row.line(Style::new()).to_string();
            assert_eq!(line.matches('…').count(), 1, "{line}");
            assert_eq!(text::width(&line), usize::from(width));
        }
    }

    #[test]
    fn rows_fill_their_width_exactly() {
        for width in [1u16, 7, 20, 60] {
            let mut row = Row::new(width);
            row.right("12", Style::new());
            row.left("日本語 and a long title that does not fit", Style::new());
            let line = row.line(Style::new());
            let cells: usize = line.spans.iter().map(|s| text::width(&s.content)).sum();
            assert_eq!(cells, usize::from(width));
        }
    }
}
