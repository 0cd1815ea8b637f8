//! JSON: every array outside of a row is a table, whatever is around it is a table of paths and values.

use super::DatasetError;
use super::table::{Budget, Table, clean};
use crate::util::{limits, text};
use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use std::collections::HashMap;
use std::fmt;

/// Arrays that become tables; further ones are values.
const MAX_TABLES: usize = 50;
/// Longest path, in bytes.
const MAX_PATH: usize = 200;
/// Name of the table of what is in no array.
const VALUES: &str = "values";

/// Reads a document, or JSON lines.
pub(super) fn read(bytes: &[u8], budget: &mut Budget) -> Result<Vec<Table>, DatasetError> {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let mut out = Tables::new(std::mem::take(budget));
    let mut reader = serde_json::Deserializer::from_slice(bytes);
    let first = Node { out: &mut out, path: String::new() }.deserialize(&mut reader);
    first.map_err(|e| invalid(&e))?;
    if reader.end().is_err() {
        out = lines(bytes)?;
    }
    let (tables, left) = out.finish();
    *budget = left;
    Ok(tables)
}

/// The value of each line is a row.
fn lines(bytes: &[u8]) -> Result<Tables, DatasetError> {
    let mut out = Tables::new(Budget::default());
    let table = out.table("");
    // One reader for all of them would count the lines before each value again.
    for line in bytes.split(|b| *b == b'\n') {
        let line = line.strip_prefix(b"\x1e").unwrap_or(line).trim_ascii();
        if line.is_empty() {
            continue;
        }
        let mut reader = serde_json::Deserializer::from_slice(line);
        let row = RowSeed { out: &mut out, table, top: true, path: String::new() };
        row.deserialize(&mut reader).and_then(|()| reader.end()).map_err(|e| invalid(&e))?;
        out.end_row(table);
    }
    Ok(out)
}

fn invalid(error: &serde_json::Error) -> DatasetError {
    DatasetError::Invalid { format: "JSON", why: text::line(&error.to_string()) }
}

/// The tables of a document, and the row that is being read.
struct Tables {
    tables: Vec<Table>,
    columns: Vec<HashMap<String, usize>>,
    by_name: HashMap<String, usize>,
    row: Vec<String>,
    budget: Budget,
}

impl Tables {
    fn new(budget: Budget) -> Self {
        let (tables, columns, by_name, row) = Default::default();
        Self { tables, columns, by_name, row, budget }
    }

    fn finish(self) -> (Vec<Table>, Budget) {
        let mut tables = self.tables;
        tables.retain(|table| !table.columns.is_empty() || table.name.is_empty());
        (tables, self.budget)
    }

    fn table(&mut self, name: &str) -> usize {
        if let Some(table) = self.by_name.get(name) {
            return *table;
        }
        self.tables.push(Table::named(name));
        self.columns.push(HashMap::new());
        self.by_name.insert(name.to_owned(), self.tables.len() - 1);
        self.tables.len() - 1
    }

    /// Sets a cell of the row that is being read.
    fn cell(&mut self, table: usize, column: &str, value: &str) {
        let columns = &mut self.columns[table];
        let at = match columns.get(column) {
            Some(at) => *at,
            None if columns.len() >= limits::DATASET_COLUMNS => {
                self.budget.surplus_cells += 1;
                return;
            }
            None => {
                let at = columns.len();
                columns.insert(column.to_owned(), at);
                self.tables[table].columns.push(text::line(column));
                at
            }
        };
        if self.row.len() <= at {
            self.row.resize(at + 1, String::new());
        }
        self.row[at] = clean(value).into_owned();
    }

    fn end_row(&mut self, table: usize) {
        let row = std::mem::take(&mut self.row);
        self.tables[table].push(&row, &mut self.budget);
    }

    /// A value in no array.
    fn value(&mut self, path: &str, value: &str) {
        let table = self.table(VALUES);
        self.cell(table, "path", path);
        self.cell(table, "value", value);
        self.end_row(table);
    }
}

fn below(path: &str, name: &str) -> String {
    let joined = if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") };
    text::start(&joined, MAX_PATH).to_owned()
}

/// What a value is to whoever reads it.
trait Place<'de>: Sized {
    fn scalar(self, value: &str);
    fn map<A: MapAccess<'de>>(self, map: A) -> Result<(), A::Error>;
    fn seq<A: SeqAccess<'de>>(self, seq: A) -> Result<(), A::Error>;
}

/// Visits a value at a place.
struct At<P>(P);

impl<'de, P: Place<'de>> Visitor<'de> for At<P> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value")
    }

    fn visit_bool<E: Error>(self, value: bool) -> Result<(), E> {
        self.0.scalar(if value { "true" } else { "false" });
        Ok(())
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<(), E> {
        self.0.scalar(&value.to_string());
        Ok(())
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<(), E> {
        self.0.scalar(&value.to_string());
        Ok(())
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<(), E> {
        self.0.scalar(&format!("{value:?}"));
        Ok(())
    }

    fn visit_str<E: Error>(self, value: &str) -> Result<(), E> {
        self.0.scalar(value);
        Ok(())
    }

    fn visit_unit<E: Error>(self) -> Result<(), E> {
        self.0.scalar("");
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<(), A::Error> {
        self.0.map(map)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, seq: A) -> Result<(), A::Error> {
        self.0.seq(seq)
    }
}

/// A value outside of rows.
struct Node<'a> {
    out: &'a mut Tables,
    path: String,
}

impl<'de> DeserializeSeed<'de> for Node<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, reader: D) -> Result<(), D::Error> {
        reader.deserialize_any(At(self))
    }
}

impl<'de> Place<'de> for Node<'_> {
    fn scalar(self, value: &str) {
        self.out.value(&self.path, value);
    }

    fn map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        while let Some(key) = map.next_key::<String>()? {
            map.next_value_seed(Node { out: self.out, path: below(&self.path, &key) })?;
        }
        Ok(())
    }

    fn seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<(), A::Error> {
        let known = self.out.by_name.contains_key(&self.path);
        if self.out.tables.len() >= MAX_TABLES && !known {
            let mut written = String::new();
            Written(&mut written).seq(seq)?;
            self.out.value(&self.path, &written);
            return Ok(());
        }
        let table = self.out.table(&self.path);
        loop {
            let row = RowSeed { out: &mut *self.out, table, top: true, path: String::new() };
            if seq.next_element_seed(row)?.is_none() {
                return Ok(());
            }
            self.out.end_row(table);
        }
    }
}

/// A row, or a value in it.
struct RowSeed<'a> {
    out: &'a mut Tables,
    table: usize,
    /// Whether it is the row itself.
    top: bool,
    path: String,
}

impl<'de> DeserializeSeed<'de> for RowSeed<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, reader: D) -> Result<(), D::Error> {
        reader.deserialize_any(At(self))
    }
}

impl<'de> Place<'de> for RowSeed<'_> {
    fn scalar(self, value: &str) {
        let column = if self.top { "value" } else { &self.path };
        self.out.cell(self.table, column, value);
    }

    fn map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        while let Some(key) = map.next_key::<String>()? {
            let path = below(&self.path, &key);
            map.next_value_seed(RowSeed { out: self.out, table: self.table, top: false, path })?;
        }
        Ok(())
    }

    fn seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<(), A::Error> {
        if !self.top {
            let mut written = String::new();
            Written(&mut written).seq(seq)?;
            self.out.cell(self.table, &self.path, &written);
            return Ok(());
        }
        for column in 1_u32.. {
            let path = format!("column {column}");
            let cell = RowSeed { out: self.out, table: self.table, top: false, path };
            if seq.next_element_seed(cell)?.is_none() {
                break;
            }
        }
        Ok(())
    }
}

/// A value written as text, for a cell. The text is never much longer than the document.
struct Written<'a>(&'a mut String);

impl<'de> DeserializeSeed<'de> for Written<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, reader: D) -> Result<(), D::Error> {
        reader.deserialize_any(At(self))
    }
}

impl<'de> Place<'de> for Written<'_> {
    fn scalar(self, value: &str) {
        self.0.push_str(value);
    }

    fn map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        self.0.push('{');
        let mut first = true;
        while let Some(key) = map.next_key::<String>()? {
            self.0.push_str(if first { "" } else { ", " });
            self.0.push_str(&key);
            self.0.push_str(": ");
            map.next_value_seed(Written(&mut *self.0))?;
            first = false;
        }
        self.0.push('}');
        Ok(())
    }

    fn seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<(), A::Error> {
        self.0.push('[');
        let start = self.0.len();
        loop {
            let before = self.0.len();
            if before > start {
                self.0.push_str(", ");
            }
            if seq.next_element_seed(Written(&mut *self.0))?.is_none() {
                self.0.truncate(before);
                break;
            }
        }
        self.0.push(']');
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(document: &str) -> Vec<String> {
        let tables = read(document.as_bytes(), &mut Budget::default()).unwrap();
        let table = |table: &Table| {
            let row = |row| {
                let cells: Vec<&str> =
                    (0..table.columns.len()).map(|c| table.cell(row, c)).collect();
                cells.join("|")
            };
            let rows: Vec<String> = (0..table.len()).map(row).collect();
            format!("{}: {} / {}", table.name, table.columns.join("|"), rows.join(" / "))
        };
        tables.iter().map(table).collect()
    }

    #[test]
    fn arrays_are_tables_and_the_rest_is_values() {
        let cases: [(&str, &[&str]); 8] = [
            (r#"[{"id":1,"b":null},{"c":true,"id":2.5}]"#, &[": id|b|c / 1|| / 2.5||true"]),
            ("[[1,2],[3]]", &[": column 1|column 2 / 1|2 / 3|"]),
            (r#"["x",3]"#, &[": value / x / 3"]),
            (
                r#"{"at":{"day":"Mon"},"rows":[{"a":{"b":1,"c":[1,{"d":2}]}}],"n":7}"#,
                &["values: path|value / at.day|Mon / n|7", "rows: a.b|a.c / 1|[1, {d: 2}]"],
            ),
            ("{\"a\":1}\n{\"a\":2}\n", &[": a / 1 / 2"]),
            ("7", &["values: path|value / |7"]),
            ("[]", &[": "]),
            ("{}", &[]),
        ];
        for (document, want) in cases {
            let found = shown(document);
            let found: Vec<&str> = found.iter().map(|t| t.trim_end_matches([' ', '/'])).collect();
            let want: Vec<&str> = want.iter().map(|t| t.trim_end_matches([' ', '/'])).collect();
            assert_eq!(found, want, "{document}");
        }
    }

    #[test]
    fn many_lines_take_no_more_time_each() {
        let lines = "{\"a\":1}\n".repeat(50_000);
        assert_eq!(read(lines.as_bytes(), &mut Budget::default()).unwrap()[0].total(), 50_000);
    }

    #[test]
    fn damaged_and_hostile_documents_are_refused() {
        let deep = "[".repeat(100_000);
        let deep_objects = "{\"a\":".repeat(100_000);
        for document in ["", "[1,", "{\"a\":1} x", "nul", "[1e999]", &deep, &deep_objects] {
            let error = read(document.as_bytes(), &mut Budget::default()).unwrap_err();
            assert!(error.to_string().contains("JSON"), "{error}");
        }
    }

    #[test]
    fn many_keys_and_arrays_stay_within_the_limits() {
        let keys: String = (0..5_000).map(|n| format!("\"k{n}\":1,")).collect();
        let mut budget = Budget::default();
        let tables = read(format!("[{{{keys}\"z\":1}}]").as_bytes(), &mut budget).unwrap();
        assert_eq!(tables[0].columns.len(), limits::DATASET_COLUMNS);
        assert_eq!(budget.surplus_cells, 5_001 - limits::DATASET_COLUMNS as u64);
        let arrays: String = (0..500).map(|n| format!("\"k{n}\":[1],")).collect();
        let document = format!("{{{arrays}\"z\":[\u{31}]}}");
        let tables = read(document.as_bytes(), &mut Budget::default()).unwrap();
        assert_eq!(tables.len(), MAX_TABLES + 1);
    }
}
