//! Writes files and their differences as the text of an item: safe HTML, with removed parts in `del` and
//! added parts in `ins`.

use super::compare::{ChangedRow, Difference, TableDifference, is_id, sum};
use super::numbers::written;
use super::{DataFormat, Dataset, Table};
use crate::article::{Change, differences};
use crate::util::html::escape;
use crate::util::text::{self, counted};
use std::fmt::Write;

/// Maximum number of rows of each kind, and of changed cells, that are shown.
const MAX_ROWS: usize = 50;
/// Maximum number of rows in a new file that are shown.
const FIRST_ROWS: usize = 10;
/// Maximum number of columns in a row that are shown.
const MAX_COLUMNS: usize = 8;
/// Maximum number of columns that are described.
const MAX_DESCRIBED: usize = 40;
/// Maximum number of tables that are shown.
const MAX_TABLES: usize = 20;
/// Maximum number of pages shown.
const MAX_PAGES: usize = 20;
/// Maximum length of a page's text, in terminal cells.
const MAX_PAGE: usize = 4_000;
/// Maximum length of a cell that is shown, in terminal cells.
const MAX_CELL: usize = 100;
/// Maximum number of names listed in a sentence.
const MAX_NAMES: usize = 8;

/// A one-line summary of a file: `CSV file with 12 rows and 3 columns, 8 B`.
pub fn summary(dataset: &Dataset) -> String {
    let size = text::size(dataset.bytes);
    let format = dataset.format.name();
    match dataset.tables.as_slice() {
        [table] => format!("{format} file with {}, {size}", extent(table, dataset.format)),
        tables => {
            let rows: u64 = tables.iter().map(Table::total).sum();
            let rows = grouped(rows, "row");
            format!("{format} file with {rows} in {}, {size}", counted(tables.len(), "table"))
        }
    }
}

/// The size of a table: `1,204 rows and 8 columns`.
fn extent(table: &Table, format: DataFormat) -> String {
    if format == DataFormat::Pdf {
        return grouped(table.total(), "page");
    }
    let columns = counted(table.columns.len(), "column");
    format!("{} and {columns}", grouped(table.total(), "row"))
}

fn grouped(number: u64, noun: &str) -> String {
    let plural = if number == 1 { "" } else { "s" };
    format!("{} {noun}{plural}", written(number as f64, 0))
}

/// Writes a file as the text of its item, if there is no earlier state to compare with.
pub fn describe(dataset: &Dataset) -> String {
    let mut out = String::new();
    paragraph(&mut out, &format!("{}.", summary(dataset)));
    notes(&mut out, dataset);
    describe_tables(&mut out, dataset, true);
    out
}

/// Writes the columns and totals of each table and, if `with_rows`, its first rows.
fn describe_tables(out: &mut String, dataset: &Dataset, with_rows: bool) {
    if dataset.format == DataFormat::Pdf {
        for table in dataset.tables.iter().filter(|table| with_rows && !table.is_empty()) {
            heading(out, "First page");
            paragraph(out, &text::truncate(table.cell(0, 0), MAX_PAGE));
        }
        return;
    }
    let several = dataset.tables.len() > 1;
    for table in dataset.tables.iter().take(MAX_TABLES) {
        if several || !table.name.is_empty() {
            heading(out, &table.name);
        }
        if several {
            paragraph(out, &format!("{}.", extent(table, dataset.format)));
        }
        columns(out, table, dataset.format);
        if with_rows && !table.is_empty() {
            heading(out, "First rows");
            rows(out, table, 0..table.len().min(FIRST_ROWS), "");
        }
    }
    more(out, dataset.tables.len(), MAX_TABLES, "table");
}

fn columns(out: &mut String, table: &Table, format: DataFormat) {
    if table.columns.is_empty() {
        return;
    }
    out.push_str("<table><tr><th>Column</th><th>Total</th></tr>");
    for (column, name) in table.columns.iter().enumerate().take(MAX_DESCRIBED) {
        let total = Some(name).filter(|name| !is_id(name)).and_then(|_| sum(table, column, format));
        let total = total.map(|(total, decimals)| written(total, decimals));
        let total = total.unwrap_or_default();
        let _ = write!(out, "<tr><td>{}</td><td>{total}</td></tr>", shown(name));
    }
    out.push_str("</table>");
    more(out, table.columns.len(), MAX_DESCRIBED, "column");
}

/// Writes which parts were not read.
fn notes(out: &mut String, dataset: &Dataset) {
    for note in &dataset.left_out {
        paragraph(out, &format!("Not compared: {note}."));
    }
}

/// Writes the changes to a file, followed by its current state.
pub fn describe_difference(difference: &Difference, old: &Dataset, new: &Dataset) -> String {
    let mut out = String::new();
    paragraph(&mut out, &format!("{}.", difference.summary(old, new)));
    notes(&mut out, new);
    for (name, count) in difference.tables_removed.iter().take(MAX_TABLES) {
        let line = format!("{name} ({})", grouped(*count, "row"));
        let _ = write!(out, "<p>Table removed: <del>{}</del></p>", shown(&line));
    }
    for (name, count) in difference.tables_added.iter().take(MAX_TABLES) {
        let line = format!("{name} ({})", grouped(*count, "row"));
        let _ = write!(out, "<p>Table added: <ins>{}</ins></p>", shown(&line));
    }
    for each in difference.tables.iter().take(MAX_TABLES) {
        let (before, now) = (&old.tables[each.places.0], &new.tables[each.places.1]);
        if !now.name.is_empty() && new.tables.len() > 1 {
            heading(&mut out, &now.name);
        }
        match new.format {
            DataFormat::Pdf => page_difference(&mut out, each, before, now),
            _ => table_difference(&mut out, each, before, now),
        }
    }
    more(&mut out, difference.tables.len(), MAX_TABLES, "table");
    heading(&mut out, "Current file");
    paragraph(&mut out, &format!("{}.", summary(new)));
    describe_tables(&mut out, new, false);
    out
}

fn table_difference(out: &mut String, each: &TableDifference, old: &Table, new: &Table) {
    if each.partial {
        let note = "Only the first rows are compared: a row that is listed as added or removed may only \
                    have moved into or out of them.";
        paragraph(out, note);
    }
    let mut change = |what: &str, marked: String| {
        let _ = write!(out, "<p>{what}: {marked}</p>");
    };
    for column in each.columns_removed.iter().take(MAX_DESCRIBED) {
        change("Column removed", format!("<del>{}</del>", shown(&old.columns[*column])));
    }
    for column in each.columns_added.iter().take(MAX_DESCRIBED) {
        change("Column added", format!("<ins>{}</ins>", shown(&new.columns[*column])));
    }
    for (before, now) in each.columns_renamed.iter().take(MAX_DESCRIBED) {
        let (before, now) = (shown(&old.columns[*before]), shown(&new.columns[*now]));
        change("Column renamed", format!("<del>{before}</del> <ins>{now}</ins>"));
    }
    totals(out, each, old, new);
    changed_rows(out, each, old, new);
    if !each.added.is_empty() {
        heading(out, "Rows added");
        rows(out, new, each.added.iter().copied(), "ins");
    }
    if !each.removed.is_empty() {
        heading(out, "Rows removed");
        rows(out, old, each.removed.iter().copied(), "del");
    }
}

/// Writes the changed words of each page.
fn page_difference(out: &mut String, each: &TableDifference, old: &Table, new: &Table) {
    let page = |out: &mut String, row: usize, tag: &str, text: &str| {
        heading(out, &format!("Page {}", row + 1));
        let text = escape(&text::truncate(text, MAX_PAGE)).into_owned();
        let _ = write!(out, "<p><{tag}>{text}</{tag}></p>");
    };
    for row in each.changed.iter().take(MAX_PAGES) {
        heading(out, &format!("Page {}", row.rows.1 + 1));
        out.push_str("<p>");
        words(out, old.cell(row.rows.0, 0), new.cell(row.rows.1, 0));
        out.push_str("</p>");
    }
    more(out, each.changed.len(), MAX_PAGES, "changed page");
    for row in each.added.iter().take(MAX_PAGES) {
        page(out, *row, "ins", new.cell(*row, 0));
    }
    more(out, each.added.len(), MAX_PAGES, "added page");
    for row in each.removed.iter().take(MAX_PAGES) {
        page(out, *row, "del", old.cell(*row, 0));
    }
    more(out, each.removed.len(), MAX_PAGES, "removed page");
}

/// Writes the words that differ, each with a few surrounding words.
fn words(out: &mut String, old: &str, new: &str) {
    let limit = out.len() + MAX_PAGE * 4;
    for change in differences(old, new) {
        if out.len() > limit {
            out.push_str(" …");
            return;
        }
        let _ = match change {
            Change::Same(text) => write!(out, "{}", escape(&around(&text))),
            Change::Removed(text) => write!(out, "<del>{}</del> ", escape(text.trim())),
            Change::Added(text) => write!(out, "<ins>{}</ins> ", escape(text.trim())),
        };
    }
}

/// The first and last words of unchanged text.
fn around(text: &str) -> String {
    let words: Vec<&str> = text.split_inclusive(' ').collect();
    match words.len() {
        0..=24 => text.to_owned(),
        all => format!("{}… {}", words[..12].concat(), words[all - 12..].concat()),
    }
}

/// Writes the numbers of rows and the totals before and after the change.
fn totals(out: &mut String, each: &TableDifference, old: &Table, new: &Table) {
    let rows = (old.total() != new.total())
        .then(|| ("Rows", old.total() as f64, new.total() as f64, 0_usize));
    let sums = each.totals.iter().take(MAX_DESCRIBED);
    let sums = sums.map(|t| (new.columns[t.column].as_str(), t.before, t.now, t.decimals));
    let all: Vec<_> = rows.into_iter().chain(sums).collect();
    if all.is_empty() {
        return;
    }
    out.push_str("<table><tr><th>Total</th><th>Before</th><th>Now</th><th>Change</th></tr>");
    for (name, before, now, decimals) in all {
        let sign = if now > before { "+" } else { "" };
        let _ = write!(
            out,
            "<tr><td>{}</td><td><del>{}</del></td><td><ins>{}</ins></td><td>{sign}{}</td></tr>",
            shown(name),
            written(before, decimals),
            written(now, decimals),
            written(now - before, decimals)
        );
    }
    out.push_str("</table>");
}

fn changed_rows(out: &mut String, each: &TableDifference, old: &Table, new: &Table) {
    if each.changed.is_empty() {
        return;
    }
    heading(out, "Rows changed");
    let key: Vec<&str> = each.key.iter().map(|column| new.columns[*column].as_str()).collect();
    let head = shown(&key.join(", "));
    let _ =
        write!(out, "<table><tr><th>{head}</th><th>Column</th><th>Before</th><th>Now</th></tr>");
    let cells = |row: &'_ ChangedRow| row.cells.clone().into_iter();
    let all = each.changed.iter().flat_map(|row| cells(row).map(move |cell| (row.rows, cell)));
    for ((before, now), (earlier, later)) in all.clone().take(MAX_ROWS) {
        let key: Vec<&str> = each.key.iter().map(|column| new.cell(now, *column)).collect();
        let mark = |tag: &str, cell: &str| match cell {
            "" => String::new(),
            cell => format!("<{tag}>{}</{tag}>", shown(cell)),
        };
        let _ = write!(
            out,
            "<tr><td>{}</td><td>{}</td><td>{}</td><td>{}</td></tr>",
            shown(&key.join(", ")),
            shown(&new.columns[later]),
            mark("del", old.cell(before, earlier)),
            mark("ins", new.cell(now, later))
        );
    }
    out.push_str("</table>");
    more(out, all.count(), MAX_ROWS, "changed cell");
}

/// Writes rows of a table. Each non-empty cell is wrapped in the element `tag`, if there is one.
fn rows(out: &mut String, table: &Table, rows: impl Iterator<Item = usize> + Clone, tag: &str) {
    let width = table.columns.len().min(MAX_COLUMNS);
    out.push_str("<table><tr>");
    for name in &table.columns[..width] {
        let _ = write!(out, "<th>{}</th>", shown(name));
    }
    out.push_str("</tr>");
    let count = rows.clone().count();
    for row in rows.take(MAX_ROWS) {
        out.push_str("<tr>");
        for column in 0..width {
            let _ = match table.cell(row, column) {
                cell if cell.is_empty() || tag.is_empty() => {
                    write!(out, "<td>{}</td>", shown(cell))
                }
                cell => write!(out, "<td><{tag}>{}</{tag}></td>", shown(cell)),
            };
        }
        out.push_str("</tr>");
    }
    out.push_str("</table>");
    more(out, count, MAX_ROWS, "row");
    more(out, table.columns.len(), MAX_COLUMNS, "column");
}

fn more(out: &mut String, all: usize, limit: usize, noun: &str) {
    if all > limit {
        paragraph(out, &format!("and {} more", grouped((all - limit) as u64, noun)));
    }
}

fn paragraph(out: &mut String, plain: &str) {
    let _ = write!(out, "<p>{}</p>", escape(plain));
}

fn heading(out: &mut String, plain: &str) {
    let _ = write!(out, "<h3>{}</h3>", escape(plain));
}

fn shown(cell: &str) -> String {
    escape(&text::truncate(cell, MAX_CELL)).into_owned()
}

impl Difference {
    /// A one-line summary of the changes: `12 rows added, 3 rows removed, 1 column added`.
    pub fn summary(&self, old: &Dataset, new: &Dataset) -> String {
        let count =
            |of: &dyn Fn(&TableDifference) -> usize| self.tables.iter().map(of).sum::<usize>();
        let mut parts = Vec::new();
        let mut part = |number: usize, noun: &str, what: &str| {
            if number > 0 {
                parts.push(format!("{} {what}", grouped(number as u64, noun)));
            }
        };
        let noun = if new.format == DataFormat::Pdf { "page" } else { "row" };
        part(count(&|t| t.added.len()), noun, "added");
        part(count(&|t| t.removed.len()), noun, "removed");
        part(count(&|t| t.changed.len()), noun, "changed");
        part(self.tables_added.len(), "table", "added");
        part(self.tables_removed.len(), "table", "removed");
        let names = |what: &str, columns: Vec<&str>| {
            let list: Vec<&str> = columns.iter().copied().take(MAX_NAMES).collect();
            let more = if columns.len() > MAX_NAMES { " …" } else { "" };
            let noun = if columns.len() == 1 { "column" } else { "columns" };
            (!list.is_empty()).then(|| format!("{noun} {what}: {}{more}", list.join(", ")))
        };
        let pairs =
            || self.tables.iter().map(|t| (t, &old.tables[t.places.0], &new.tables[t.places.1]));
        let added = pairs()
            .flat_map(|(t, _, now)| t.columns_added.iter().map(|c| now.columns[*c].as_str()));
        let removed = pairs().flat_map(|(t, before, _)| {
            t.columns_removed.iter().map(|c| before.columns[*c].as_str())
        });
        let renamed = pairs()
            .flat_map(|(t, _, now)| t.columns_renamed.iter().map(|c| now.columns[c.1].as_str()));
        parts.extend(names("added", added.collect()));
        parts.extend(names("removed", removed.collect()));
        parts.extend(names("renamed", renamed.collect()));
        if parts.is_empty() {
            // Only the number of rows beyond the limits has changed.
            let total = |d: &Dataset| d.tables.iter().map(Table::total).sum::<u64>();
            parts.push(format!(
                "{} instead of {}",
                grouped(total(new), "row"),
                grouped(total(old), "row")
            ));
        }
        parts.join("; ")
    }
}
