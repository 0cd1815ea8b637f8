//! A row built of pieces that share its width.

use crate::util::text;
use ratatui::style::Style;
use ratatui::text::{Line, Span};

/// Text at the left and at the right of a row; the left gives way.
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

    /// Puts text at the right, before what is there already, if half of the row stays free.
    pub(super) fn right(&mut self, content: impl Into<String>, style: Style) {
        let content = content.into();
        let cells = text::width(&content);
        if cells > 0 && (self.reserved + cells) * 2 <= self.width {
            self.reserved += cells;
            self.right.insert(0, Span::styled(content, style));
        }
    }

    /// The same with as many of the words as there is room for.
    pub(super) fn right_words(&mut self, words: &str, style: Style) {
        let mut words = words;
        while (self.reserved + text::width(words)) * 2 > self.width {
            words = words.rsplit_once(' ').map_or("", |(shorter, _)| shorter);
            if words.is_empty() {
                return;
            }
        }
        self.right(words, style);
    }

    /// Adds text at the left, cut where the row ends.
    pub(super) fn left(&mut self, content: &str, style: Style) {
        let room = self.room();
        if room == 0 {
            return;
        }
        let shown = text::truncate(content, room).into_owned();
        self.used += text::width(&shown);
        self.left.push(Span::styled(shown, style));
    }

    /// Cells that are still free.
    pub(super) fn room(&self) -> usize {
        self.width.saturating_sub(self.used + self.reserved)
    }

    /// Fills what is between left and right with a character.
    pub(super) fn fill(&mut self, with: &str, style: Style) {
        let room = self.room();
        self.left.push(Span::styled(with.repeat(room), style));
        self.used += room;
    }

    pub(super) fn line(mut self, style: Style) -> Line<'static> {
        self.fill(" ", Style::new());
        self.left.extend(self.right);
        Line::from(self.left).style(style)
    }
}

/// `5s` … `59m`, `3h`, `6d`, `9w`, `2y`.
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
    fn ages_are_short() {
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
    fn a_row_is_exactly_as_wide_as_asked() {
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
