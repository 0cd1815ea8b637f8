//! A row of text pieces with a fixed width.

use crate::util::text;
use ratatui::style::Style;
use ratatui::text::{Line, Span};

/// Text at the left and right of a row; the left part is clipped.
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

    /// Adds text at the right, before what is there, if at least half of the row stays free.
    pub(super) fn right(&mut self, content: impl Into<String>, style: Style) {
        let content = content.into();
        let cells = text::width(&content);
        if cells > 0 && (self.reserved + cells) * 2 <= self.width {
            self.reserved += cells;
            self.right.insert(0, Span::styled(content, style));
        }
    }

    /// Adds text at the right, before what is there, if all of it fits beside what is at the left.
    pub(super) fn right_beside(&mut self, content: String, style: Style) {
        let cells = text::width(&content);
        if cells <= self.free() {
            self.reserved += cells;
            self.right.insert(0, Span::styled(content, style));
        }
    }

    /// Like `right`, with as many of the words as fit.
    pub(super) fn right_fitting(&mut self, words: &str, style: Style) {
        let mut words = words;
        while (self.reserved + text::width(words)) * 2 > self.width {
            words = words.rsplit_once(' ').map_or("", |(shorter, _)| shorter);
            if words.is_empty() {
                return;
            }
        }
        self.right(words, style);
    }

    /// Adds text at the left, clipped at the end of the row.
    pub(super) fn left(&mut self, content: &str, style: Style) {
        let space = self.free();
        if space == 0 {
            return;
        }
        let shown = text::truncate(content, space).into_owned();
        self.used += text::width(&shown);
        self.left.push(Span::styled(shown, style));
    }

    pub(super) fn width(&self) -> u16 {
        u16::try_from(self.width).unwrap_or(u16::MAX)
    }

    /// Free cells.
    pub(super) fn free(&self) -> usize {
        self.width.saturating_sub(self.used + self.reserved)
    }

    /// Fills the space between left and right.
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

/// Empty cells at both sides of a row in a pane of a width.
pub(super) fn padding(width: u16) -> usize {
    if width < 22 { 1 } else { 2 }
}

/// Time span in sentences: `12 min`, `3 h`, `6 days`; at least a minute.
pub(super) fn span(seconds: i64) -> String {
    match seconds.max(60) {
        s @ ..3600 => format!("{} min", s / 60),
        s @ 3600..172_800 => format!("{} h", s / 3600),
        s => format!("{} days", s / 86400),
    }
}

/// Time span for columns: `59m`, `3h`, `6d`, `9w`, `2y`; `now` below a minute.
pub(super) fn age(seconds: i64) -> String {
    let s = seconds.max(0);
    let (n, unit) = match s {
        0..60 => return "now".to_owned(),
        60..3600 => (s / 60, "m"),
        3600..86400 => (s / 3600, "h"),
        86400..1_209_600 => (s / 86400, "d"),
        1_209_600..31_536_000 => (s / 604_800, "w"),
        _ => (s / 31_536_000, "y"),
    };
    format!("{n}{unit}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_ages() {
        for (seconds, expected) in [
            (-5, "now"),
            (59, "now"),
            (60, "1m"),
            (7199, "1h"),
            (90000, "1d"),
            (1_209_600, "2w"),
            (40_000_000, "1y"),
        ] {
            assert_eq!(age(seconds), expected);
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
