//! Rows of text cells under named columns, stored in few allocations.

use super::numbers::is_number;
use crate::model::stable_hash;
use crate::util::text::counted;
use crate::util::{limits, text};
use std::borrow::Cow;
use std::collections::HashSet;

/// Maximum number of records that are searched for the header.
const FIRST: usize = 20;
/// Maximum length of a table or column name, in terminal cells.
const MAX_NAME: usize = 80;

/// Rows under named columns. Cells are sanitised lines of text. Missing cells are empty.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Table {
    /// The name of the sheet, or the path of the array in a JSON file; empty if it is the only table.
    pub name: String,
    pub columns: Vec<String>,
    /// Number of rows that were only counted.
    pub beyond: u64,
    text: String,
    /// The offset in `text` at which each cell ends.
    ends: Vec<u32>,
    /// For each row, the total number of cells up to its end.
    rows: Vec<u32>,
}

/// The remaining limits for reading.
#[derive(Debug, Clone)]
pub(super) struct Budget {
    pub(super) rows: usize,
    pub(super) cells: usize,
    pub(super) bytes: usize,
    /// Number of cells beyond the column limit.
    pub(super) surplus_cells: u64,
    /// Other parts that were left out.
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

    /// Number of rows in the file.
    pub fn total(&self) -> u64 {
        self.rows.len() as u64 + self.beyond
    }

    /// A cell of an existing row; empty if the row is shorter.
    pub fn cell(&self, row: usize, column: usize) -> &str {
        let from = row.checked_sub(1).map_or(0, |before| self.rows[before] as usize);
        let at = from + column;
        if at >= self.rows[row] as usize {
            return "";
        }
        let start = at.checked_sub(1).map_or(0, |before| self.ends[before] as usize);
        &self.text[start..self.ends[at] as usize]
    }

    /// The stored cells of a row.
    pub(super) fn cells(&self, row: usize) -> impl Iterator<Item = &str> {
        let from = row.checked_sub(1).map_or(0, |before| self.rows[before]);
        (0..(self.rows[row] - from) as usize).map(move |column| self.cell(row, column))
    }

    /// Adds a row of sanitised cells if the budget allows. Otherwise the row is only counted.
    pub(super) fn push<S: AsRef<str>>(&mut self, cells: &[S], budget: &mut Budget) {
        self.push_wide(cells, cells.len(), budget);
    }

    /// Like [`Table::push`], but takes only the first cells of a row. If there are more, `all` is the number
    /// of cells up to the last non-empty one.
    fn push_wide<S: AsRef<str>>(&mut self, cells: &[S], all: usize, budget: &mut Budget) {
        let surplus = all.saturating_sub(cells.len());
        let cells = match cells.iter().rposition(|cell| !cell.as_ref().is_empty()) {
            Some(last) => &cells[..=last],
            None if surplus == 0 => return,
            None => &cells[..0],
        };
        let width = cells.len().min(limits::DATASET_COLUMNS);
        let bytes: usize = cells[..width].iter().map(|cell| cell.as_ref().len()).sum();
        // After a row is left out, all following rows are left out too, because states are compared by their
        // first rows.
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
        for _ in self.columns.len()..width {
            self.add_column("");
        }
    }

    /// Adds a column. A duplicate name gets a number.
    pub(super) fn add_column(&mut self, name: &str) {
        let name = match name {
            "" => format!("column {}", self.columns.len() + 1),
            name => name.to_owned(),
        };
        if !self.columns.contains(&name) {
            return self.columns.push(name);
        }
        let numbered = |column: &&String| {
            column.strip_prefix(name.as_str()).is_some_and(|rest| rest.starts_with(" ("))
        };
        let first = 2 + self.columns.iter().filter(numbered).count();
        let mut free = (first..).map(|n| format!("{name} ({n})"));
        self.columns.extend(free.find(|name| !self.columns.contains(name)));
    }
}

/// A table with an optional header, which is the first record or follows a few lines about the table.
#[derive(Debug, Default)]
pub(super) struct Headed {
    table: Table,
    /// The first records with their widths, until the header is found.
    first: Vec<(Vec<String>, usize)>,
    begun: bool,
}

impl Headed {
    pub(super) fn named(name: &str) -> Self {
        Self { table: Table::named(name), ..Self::default() }
    }

    /// Whether further records are only counted.
    pub(super) fn is_full(&self) -> bool {
        self.table.beyond > 0
    }

    pub(super) fn push(&mut self, record: &[Cow<'_, str>], budget: &mut Budget) {
        self.push_wide(record, width(record), budget);
    }

    /// Like [`Headed::push`], but takes only the first cells of a record. `all` is the number of cells up to
    /// the last non-empty one.
    pub(super) fn push_wide(&mut self, record: &[Cow<'_, str>], all: usize, budget: &mut Budget) {
        if self.begun {
            return self.table.push_wide(record, all, budget);
        }
        if all > 0 {
            let cells = record.iter().map(|cell| cell.clone().into_owned()).collect();
            self.first.push((cells, all));
            if self.first.len() == FIRST {
                self.begin(budget);
            }
        }
    }

    pub(super) fn finish(mut self, budget: &mut Budget) -> Table {
        self.begin(budget);
        self.table
    }

    /// Finds the header among the first records.
    fn begin(&mut self, budget: &mut Budget) {
        self.begun = true;
        let first = std::mem::take(&mut self.first);
        let widths: Vec<usize> = first.iter().map(|(_, all)| *all).collect();
        let count = |width: usize| widths.iter().filter(|w| **w == width).count();
        let usual = widths.iter().copied().max_by_key(|w| (count(*w), *w)).unwrap_or(0);
        // A header may be narrower than the rows, but a title has only one or two cells.
        let above = widths.iter().take_while(|w| **w * 2 <= usual).count();
        let header = first.get(above).map(|(record, _)| record).filter(|record| is_header(record));
        let skipped = header.map_or(0, |header| {
            let names = &header[..width(header).min(limits::DATASET_COLUMNS)];
            names.iter().for_each(|name| self.table.add_column(&text::truncate(name, MAX_NAME)));
            above + 1
        });
        if skipped > 1 {
            budget.notes.push(format!("{} above the header", counted(above, "line")));
        }
        let rows = first.iter().skip(skipped);
        rows.for_each(|(record, all)| self.table.push_wide(record, *all, budget));
    }
}

/// Number of cells up to the last non-empty one.
fn width<S: AsRef<str>>(record: &[S]) -> usize {
    record.iter().rposition(|cell| !cell.as_ref().is_empty()).map_or(0, |last| last + 1)
}

/// Whether a record contains column names: none of its cells is a number or a URL. As an exception, columns
/// may be named by years or by several days.
fn is_header(record: &[String]) -> bool {
    let is_year = |cell: &str| {
        cell.len() == 4 && cell.parse::<u16>().is_ok_and(|year| (1500..2300).contains(&year))
    };
    let all_years = record.iter().all(|cell| is_year(cell));
    let days: Vec<&str> = record.iter().map(String::as_str).filter(|cell| is_day(cell)).collect();
    let different: HashSet<&&str> = days.iter().collect();
    let days_are_names = days.len() >= 3 && different.len() == days.len();
    record.iter().all(|cell| {
        let is_url = cell.starts_with("http://") || cell.starts_with("https://");
        let is_date = is_day(cell) && !days_are_names;
        !is_url && !is_date && (!is_number(cell) || is_year(cell) && !all_years)
    })
}

/// Whether a cell is a numeric date, optionally followed by a time: `2026-11-24`, `24.11.2026 12:00`.
fn is_day(cell: &str) -> bool {
    let day = cell.split([' ', 'T']).next().unwrap_or_default();
    let are_parts = |separator: char| {
        let mut parts = day.split(separator);
        let is_part =
            |part: &str| (1..=4).contains(&part.len()) && part.bytes().all(|b| b.is_ascii_digit());
        parts.by_ref().take(3).filter(|part| is_part(part)).count() == 3 && parts.next().is_none()
    };
    ['-', '.', '/'].into_iter().any(are_parts)
}

/// A cell as one line of sanitised text. A long cell is truncated and ends with its length and a hash, so
/// that a change in the truncated part still changes the cell.
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
    fn uses_the_first_record_without_numbers_as_header() {
        let cases: [(&[&str], &[&str]); 12] = [
            (&["id", "id (2)", "id", "id"], &["id", "id (2)", "id (3)", "id (4)"]),
            (&["id", "id (3)", "id", "id"], &["id", "id (3)", "id (4)", "id (5)"]),
            (&["column 2", ""], &["column 2"]),
            (&["2026-11-24", "foo", "x"], &["column 1", "column 2", "column 3"]),
            (&["foo", "https://a.example/"], &["column 1", "column 2"]),
            (
                &["town", "1/22/20", "1/23/20", "1/24/20"],
                &["town", "1/22/20", "1/23/20", "1/24/20"],
            ),
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
            let table = headed.finish(&mut Budget::default());
            assert_eq!(table.columns, want, "{first:?}");
        }
    }

    #[test]
    fn counts_rows_beyond_the_budget() {
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
    fn sanitises_cells_and_marks_truncated_ones() {
        assert_eq!(clean(" a\u{1b}[31m\tb\r\nc "), "a b c");
        let long = "ä".repeat(5000);
        let (one, other) = (clean(&long), format!("{long}x"));
        assert!(one.contains("[10000 bytes, ") && one.chars().count() < 1100, "{one}");
        assert_ne!(one, clean(&other), "what follows the cut counts");
    }
}
