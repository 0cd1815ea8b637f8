//! Formats rows as aligned columns on a terminal, and as tab-separated values elsewhere.

use crate::util::text::{line, truncate, width};
use std::borrow::Cow;

#[derive(Debug, Clone, Copy)]
pub(super) struct Column {
    /// Maximum width, in cells.
    pub(super) most: usize,
    /// Whether the values are right-aligned.
    pub(super) right: bool,
}

/// A table whose last column fills the rest of the line.
#[derive(Debug)]
pub(super) struct Table {
    columns: Vec<Column>,
    widths: Vec<usize>,
    /// Width of a line, in cells; `None` if the output is for a program.
    total: Option<usize>,
}

/// Space between two columns.
const GAP: usize = 2;
/// Minimum width of the last column.
const MIN_LAST: usize = 12;

impl Table {
    /// A table for lines of `total` cells.
    pub(super) fn new(columns: &[Column], total: Option<usize>) -> Self {
        Self { columns: columns.to_vec(), widths: vec![0; columns.len()], total }
    }

    /// Widens the columns to fit a line, up to their maximum widths.
    pub(super) fn fit(&mut self, cells: &[&str]) {
        for ((column, known), cell) in self.columns.iter().zip(&mut self.widths).zip(cells) {
            *known = (*known).max(width(cell).min(column.most));
        }
    }

    /// Like [`Self::line`], with a note after the last cell. If space is short, the cell is truncated, not
    /// the note.
    pub(super) fn line_with_note(&self, cells: &[&str], note: &str) -> String {
        let (Some(total), Some((last, before))) = (self.total, cells.split_last()) else {
            return self.line(cells);
        };
        let used: usize = self.widths.iter().take(before.len()).map(|width| width + GAP).sum();
        let left = total.saturating_sub(used + width(note)).max(MIN_LAST);
        let last = truncate(last, left).into_owned() + note;
        let shown: Vec<&str> = before.iter().copied().chain([last.as_str()]).collect();
        self.line(&shown)
    }

    /// Formats a line of the table.
    pub(super) fn line(&self, cells: &[&str]) -> String {
        let cells: Vec<Cow<'_, str>> = cells.iter().map(|cell| one_line(cell)).collect();
        let Some(total) = self.total else { return cells.join("\t") };
        let mut line = String::new();
        let mut used = 0;
        for (n, cell) in cells.iter().enumerate() {
            let last = n + 1 == cells.len();
            let space = match (last, self.widths.get(n)) {
                (false, Some(width)) => *width,
                _ => total.saturating_sub(used).max(MIN_LAST),
            };
            let cell = truncate(cell, space);
            let blank = " ".repeat(space - width(&cell).min(space));
            let right = self.columns.get(n).is_some_and(|c| c.right);
            match (last, right) {
                (true, _) => line.push_str(&cell),
                (_, true) => line.push_str(&(blank + &cell)),
                (_, false) => line.push_str(&(cell.into_owned() + &blank)),
            }
            if !last {
                line.push_str(&" ".repeat(GAP));
                used += space + GAP;
            }
        }
        line.truncate(line.trim_end().len());
        line
    }
}

/// Replaces line breaks and tabs in a cell, because they would break the table.
fn one_line(cell: &str) -> Cow<'_, str> {
    if cell.contains(char::is_control) { line(cell).into() } else { cell.into() }
}

#[cfg(test)]
mod tests {
    use super::*;

    const COLUMNS: [Column; 2] =
        [Column { most: 4, right: true }, Column { most: 6, right: false }];

    #[test]
    fn aligns_columns() {
        let mut table = Table::new(&COLUMNS, Some(30));
        let lines = [["1", "日本語の", "title"], ["1234", "ab", "a much longer title than fits"]];
        lines.iter().for_each(|l| table.fit(l));
        let shown: Vec<String> = lines.iter().map(|l| table.line(l)).collect();
        assert_eq!(shown, ["   1  日本…   title", "1234  ab      a much longer t…"]);
    }

    #[test]
    fn truncates_the_title_but_not_the_note() {
        let mut table = Table::new(&COLUMNS, Some(36));
        let cells = ["1234", "ab", "a much longer title than fits"];
        table.fit(&cells);
        let line = table.line_with_note(&cells, " (also in 1)");
        assert_eq!(line, "1234  ab  a much longer… (also in 1)");
        assert_eq!(width(&line), 36);
        let short = ["1", "ab", "title"];
        assert_eq!(table.line_with_note(&short, " (also in 1)"), "   1  ab  title (also in 1)");
    }

    #[test]
    fn separates_values_with_tabs_for_programs() {
        let table = Table::new(&COLUMNS, None);
        assert_eq!(table.line(&["1", "a long name", "t"]), "1\ta long name\tt");
        assert_eq!(table.line(&["1", "a\tb\nc\u{1b}[2J", "t\u{9b}"]), "1\ta b c\tt");
    }
}
