//! Rows of text cells under named columns, in few allocations.

use super::numbers::number;
use crate::model::stable_hash;
use crate::util::{limits, text};
use std::borrow::Cow;
use std::collections::HashMap;

/// Longest name of a table or column, in terminal cells.
const MAX_NAME: usize = 80;

/// Rows under named columns. Cells are clean lines of text; missing ones are empty.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Table {
    /// The sheet, or where in a JSON file it is; empty if it is the only one.
    pub name: String,
    pub columns: Vec<String>,
    /// Rows that were only counted.
    pub beyond: u64,
    text: String,
    /// Where each cell ends in the text.
    ends: Vec<u32>,
    /// The number of cells up to the end of each row.
    rows: Vec<u32>,
}

/// What may still be read.
#[derive(Debug)]
pub(super) struct Budget {
    pub(super) rows: usize,
    pub(super) cells: usize,
    pub(super) bytes: usize,
    /// Cells beyond the limit of columns.
    pub(super) surplus_cells: u64,
    /// What else was left out.
    pub(super) notes: Vec<String>,
}

impl Default for Budget {
    fn default() -> Self {
        Self {
            rows: limits::DATASET_ROWS,
            cells: limits::DATASET_CELLS,
            bytes: limits::DATASET_TEXT,
            surplus_cells: 0,
            notes: Vec::new(),
        }
    }
}

impl Table {
    pub fn named(name: &str) -> Self {
        Self { name: text::truncate(&text::line(name), MAX_NAME).into_owned(), ..Self::default() }
    }

    /// Number of rows that were read.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Number of rows of the file.
    pub fn total(&self) -> u64 {
        self.rows.len() as u64 + self.beyond
    }

    /// A cell of a row that exists; empty if the row is shorter.
    pub fn cell(&self, row: usize, column: usize) -> &str {
        let from = row.checked_sub(1).map_or(0, |before| self.rows[before] as usize);
        let at = from + column;
        if at >= self.rows[row] as usize {
            return "";
        }
        let start = at.checked_sub(1).map_or(0, |before| self.ends[before] as usize);
        &self.text[start..self.ends[at] as usize]
    }

    /// The cells of a row that are stored.
    pub(super) fn cells(&self, row: usize) -> impl Iterator<Item = &str> {
        let from = row.checked_sub(1).map_or(0, |before| self.rows[before]);
        (0..(self.rows[row] - from) as usize).map(move |column| self.cell(row, column))
    }

    /// Adds a row of clean cells as far as the budget allows; beyond it the row is only counted.
    pub(super) fn push<S: AsRef<str>>(&mut self, cells: &[S], budget: &mut Budget) {
        self.push_wide(cells, cells.len(), budget);
    }

    /// As [`Table::push`], of the first cells of a row. `all`: its cells up to the last one that is not
    /// empty, if they are more.
    fn push_wide<S: AsRef<str>>(&mut self, cells: &[S], all: usize, budget: &mut Budget) {
        let surplus = all.saturating_sub(cells.len());
        let cells = match cells.iter().rposition(|cell| !cell.as_ref().is_empty()) {
            Some(last) => &cells[..=last],
            None if surplus == 0 => return,
            None => &cells[..0],
        };
        let width = cells.len().min(limits::DATASET_COLUMNS);
        let bytes: usize = cells[..width].iter().map(|cell| cell.as_ref().len()).sum();
        // Once something is left out, all that follows is: the first rows are compared.
        if self.beyond > 0 || budget.rows == 0 || budget.cells < width || budget.bytes < bytes {
            self.beyond += 1;
            return;
        }
        budget.rows -= 1;
        budget.cells -= width;
        budget.bytes -= bytes;
        budget.surplus_cells += (cells.len() - width + surplus) as u64;
        for cell in &cells[..width] {
            self.text.push_str(cell.as_ref());
            self.ends.push(u32::try_from(self.text.len()).unwrap_or(u32::MAX));
        }
        self.rows.push(u32::try_from(self.ends.len()).unwrap_or(u32::MAX));
        for column in self.columns.len()..width {
            self.columns.push(format!("column {}", column + 1));
        }
    }
}

/// The columns of a table whose header comes first, if it has one.
#[derive(Debug, Default)]
pub(super) struct Headed {
    pub(super) table: Table,
    begun: bool,
}

impl Headed {
    pub(super) fn named(name: &str) -> Self {
        Self { table: Table::named(name), begun: false }
    }

    /// Adds a record, of which the first is the header if it seems to be one.
    pub(super) fn push(&mut self, record: &[Cow<'_, str>], budget: &mut Budget) {
        self.push_wide(record, record.len(), budget);
    }

    /// As [`Headed::push`], of the first cells of a record. `all`: its cells up to the last one that is
    /// not empty, if they are more.
    pub(super) fn push_wide(&mut self, record: &[Cow<'_, str>], all: usize, budget: &mut Budget) {
        if !self.begun && record.iter().any(|cell| !cell.is_empty()) {
            self.begun = true;
            if is_header(record) {
                let width = record.len().min(limits::DATASET_COLUMNS);
                let last = record[..width].iter().rposition(|cell| !cell.is_empty());
                self.table.columns = column_names(&record[..last.map_or(0, |at| at + 1)]);
                return;
            }
        }
        self.table.push_wide(record, all, budget);
    }
}

/// Whether a first record names columns: none of its cells is a number, except years.
fn is_header(record: &[Cow<'_, str>]) -> bool {
    let is_year = |cell: &str| {
        cell.len() == 4 && cell.parse::<u16>().is_ok_and(|year| (1500..2300).contains(&year))
    };
    let all_years = record.iter().all(|cell| is_year(cell));
    record.iter().all(|cell| number(cell).is_none() || is_year(cell) && !all_years)
}

/// Names without repetitions.
fn column_names(record: &[Cow<'_, str>]) -> Vec<String> {
    let mut seen: HashMap<String, usize> = HashMap::new();
    let named = record.iter().enumerate().map(|(column, cell)| {
        let name = match text::truncate(cell, MAX_NAME) {
            name if name.is_empty() => format!("column {}", column + 1),
            name => name.into_owned(),
        };
        let count = seen.entry(name.clone()).or_default();
        *count += 1;
        if *count > 1 { format!("{name} ({count})") } else { name }
    });
    named.collect()
}

/// A cell as one line of clean text. A long one is cut, and ends with its length and a hash, so that
/// a change behind the cut is a change of the cell.
pub(super) fn clean(raw: &str) -> Cow<'_, str> {
    let trimmed = raw.trim_matches(' ');
    let simple = trimmed.len() <= limits::LINE_CHARS
        && trimmed.bytes().all(|b| (0x20..0x7f).contains(&b))
        && !trimmed.contains("  ");
    if simple {
        return Cow::Borrowed(trimmed);
    }
    let line = text::line(trimmed);
    if !line.ends_with('…') || trimmed.len() <= limits::LINE_CHARS {
        return Cow::Owned(line);
    }
    let short = stable_hash([trimmed]) >> 32;
    Cow::Owned(format!("{line} [{} bytes, {short:08x}]", trimmed.len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record<'a>(cells: &[&'a str]) -> Vec<Cow<'a, str>> {
        cells.iter().map(|cell| clean(cell)).collect()
    }

    #[test]
    fn the_first_record_is_the_header_unless_it_has_numbers() {
        let cases: [(&[&str], &[&str]); 6] = [
            (&["id", "name"], &["id", "name"]),
            (&["id", "", "id"], &["id", "column 2", "id (2)"]),
            (&["country", "2019", "2020", ""], &["country", "2019", "2020"]),
            (&["1", "Berlin"], &["column 1", "column 2"]),
            (&["2019", "2020"], &["column 1", "column 2"]),
            (&["", ""], &[]),
        ];
        for (first, want) in cases {
            let mut headed = Headed::default();
            headed.push(&record(first), &mut Budget::default());
            assert_eq!(headed.table.columns, want, "{first:?}");
        }
    }

    #[test]
    fn rows_beyond_the_budget_are_counted() {
        let mut table = Table::default();
        let mut budget = Budget { rows: 3, cells: 5, ..Budget::default() };
        for row in [["a", "b"], ["c", ""], ["", ""], ["d", "e"], ["f", ""], ["g", ""]] {
            table.push(&row, &mut budget);
        }
        assert_eq!((table.len(), table.beyond, table.total()), (3, 2, 5));
        assert_eq!((table.cell(1, 0), table.cell(1, 1), table.cell(2, 1)), ("c", "", "e"));
        let many = vec!["x"; limits::DATASET_COLUMNS + 7];
        let (mut table, mut budget) = (Table::default(), Budget::default());
        table.push(&many, &mut budget);
        assert_eq!((table.columns.len(), budget.surplus_cells), (limits::DATASET_COLUMNS, 7));
    }

    #[test]
    fn cells_are_clean_and_show_that_they_were_cut() {
        assert_eq!(clean(" a\u{1b}[31m\tb\r\nc "), "a b c");
        let long = "ä".repeat(5000);
        let (one, other) = (clean(&long), format!("{long}x"));
        assert!(one.contains("[10000 bytes, ") && one.chars().count() < 1100, "{one}");
        assert_ne!(one, clean(&other), "what follows the cut counts");
    }
}
