//! JSON: every array outside a row is a table, and everything outside arrays is a table of paths and values.

use super::DatasetError;
use super::table::{Budget, Table, clean};
use crate::model::stable_hash;
use crate::util::{limits, text};
use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use std::borrow::Cow;
use std::collections::HashMap;
use std::fmt;

/// Maximum number of arrays that become tables. Further arrays become values.
const MAX_TABLES: usize = 50;
/// Maximum length of a path, in bytes.
const MAX_PATH: usize = 200;
/// Name of the table for values outside arrays.
const VALUES: &str = "values";
/// Name of the table for an array whose path is `values`.
const ARRAY_OF_VALUES: &str = "values[]";
/// The byte before each text in a JSON text sequence.
const SEPARATOR: u8 = 0x1e;

/// Maximum number of digits in a value that is read as a number. A longer number would lose digits.
const MAX_DIGITS: usize = 16;

/// Reads a JSON document, or JSON Lines.
pub(super) fn read(bytes: &[u8], budget: &mut Budget) -> Result<Vec<Table>, DatasetError> {
    let bytes = start(bytes);
    if bytes.first() == Some(&SEPARATOR) {
        return read_lines(bytes, budget);
    }
    let document = with_long_numbers(bytes);
    let mut out = Tables::new(budget.clone());
    let mut reader = serde_json::Deserializer::from_slice(&document);
    let first = Node { out: &mut out, path: String::new() }.deserialize(&mut reader);
    first.map_err(|e| invalid(&e))?;
    if reader.end().is_err() {
        return read_lines(bytes, budget);
    }
    Ok(out.finish(budget))
}

/// Reads the value on each line as a row. In a JSON text sequence (RFC 7464), a separator precedes each
/// value.
pub(super) fn read_lines(bytes: &[u8], budget: &mut Budget) -> Result<Vec<Table>, DatasetError> {
    let document = with_long_numbers(start(bytes));
    let mut out = Tables::new(budget.clone());
    let table = out.table("");
    let separator = if document.first() == Some(&SEPARATOR) { SEPARATOR } else { b'\n' };
    // A single reader for all values would count the preceding lines again for each value.
    for line in document.split(|b| *b == separator) {
        let line = line.trim_ascii();
        if line.is_empty() {
            continue;
        }
        let mut reader = serde_json::Deserializer::from_slice(line);
        let row = RowSeed { out: &mut out, table, top: true, path: String::new() };
        row.deserialize(&mut reader).and_then(|()| reader.end()).map_err(|e| invalid(&e))?;
        out.end_row(table);
    }
    Ok(out.finish(budget))
}

fn start(bytes: &[u8]) -> &[u8] {
    bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes)
}

/// The document with long numbers as strings, so that they are shown as written.
fn with_long_numbers(bytes: &[u8]) -> Cow<'_, [u8]> {
    let (mut out, mut copied, mut at) = (Vec::new(), 0, 0);
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'"' => at += string_length(&bytes[at..]),
            b'-' | b'0'..=b'9' => {
                let is_part =
                    |b: &u8| b.is_ascii_digit() || matches!(b, b'-' | b'+' | b'.' | b'e' | b'E');
                let length = bytes[at..].iter().take_while(|b| is_part(b)).count();
                let number = &bytes[at..at + length];
                if length > MAX_DIGITS && is_long(number) {
                    out.extend_from_slice(&bytes[copied..at]);
                    out.push(b'"');
                    out.extend_from_slice(number);
                    out.push(b'"');
                    copied = at + length;
                }
                at += length;
            }
            _ => at += 1,
        }
    }
    if copied == 0 {
        return Cow::Borrowed(bytes);
    }
    out.extend_from_slice(&bytes[copied..]);
    Cow::Owned(out)
}

/// The length of the string at the start, including its quotes.
fn string_length(bytes: &[u8]) -> usize {
    let mut at = 1;
    while let Some(found) = memchr::memchr2(b'"', b'\\', bytes.get(at..).unwrap_or_default()) {
        at += found + 1;
        if bytes[at - 1] == b'"' {
            return at;
        }
        at += 1;
    }
    bytes.len()
}

/// Whether a token is a number with too many digits.
fn is_long(number: &[u8]) -> bool {
    let whole = number.strip_prefix(b"-").unwrap_or(number);
    let digits = whole.iter().position(|b| matches!(b, b'e' | b'E')).unwrap_or(whole.len());
    let digits = whole[..digits].iter().filter(|b| b.is_ascii_digit()).count();
    // Invalid numbers remain an error.
    digits > MAX_DIGITS && serde_json::from_slice::<serde::de::IgnoredAny>(number).is_ok()
}

fn invalid(error: &serde_json::Error) -> DatasetError {
    DatasetError::Invalid { format: "JSON", why: text::line(&error.to_string()) }
}

/// The tables of a document, and the current row.
struct Tables {
    tables: Vec<Table>,
    columns: Vec<HashMap<String, usize>>,
    by_path: HashMap<String, usize>,
    /// The table of values outside arrays.
    values: Option<usize>,
    row: Vec<String>,
    budget: Budget,
}

impl Tables {
    fn new(budget: Budget) -> Self {
        let (tables, columns, by_path, row) = Default::default();
        Self { tables, columns, by_path, values: None, row, budget }
    }

    fn finish(self, budget: &mut Budget) -> Vec<Table> {
        let mut tables = self.tables;
        tables.retain(|table| !table.columns.is_empty() || table.name.is_empty());
        *budget = self.budget;
        tables
    }

    /// The table of the array at a path.
    fn table(&mut self, path: &str) -> usize {
        if let Some(table) = self.by_path.get(path) {
            return *table;
        }
        let table = self.new_table(if path == VALUES { ARRAY_OF_VALUES } else { path });
        self.by_path.insert(path.to_owned(), table);
        table
    }

    fn new_table(&mut self, path: &str) -> usize {
        self.tables.push(Table::named(&shown(path)));
        self.columns.push(HashMap::new());
        self.tables.len() - 1
    }

    /// Sets a cell of the current row.
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
                self.tables[table].add_column(&text::line(&shown(column)));
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

    /// Adds a value outside arrays.
    fn value(&mut self, path: &str, value: &str) {
        let table = match self.values {
            Some(table) => table,
            None => self.new_table(VALUES),
        };
        self.values = Some(table);
        self.cell(table, "path", &shown(path));
        self.cell(table, "value", value);
        self.end_row(table);
    }
}

/// The path of a value in an object. Dots in names are escaped, so that paths are unique.
fn below(path: &str, name: &str) -> String {
    let name = match name.contains(['.', '\\']) {
        true => Cow::Owned(name.replace('\\', "\\\\").replace('.', "\\.")),
        false => Cow::Borrowed(name),
    };
    let joined = if path.is_empty() { name.into_owned() } else { format!("{path}.{name}") };
    if joined.len() <= MAX_PATH {
        return joined;
    }
    let hash = stable_hash([joined.as_str()]) >> 32;
    format!("{}… {hash:08x}", text::start(&joined, MAX_PATH))
}

/// A path without escapes.
fn shown(path: &str) -> Cow<'_, str> {
    match path.contains('\\') {
        true => Cow::Owned(path.replace("\\.", ".").replace("\\\\", "\\")),
        false => Cow::Borrowed(path),
    }
}

/// Handles the value at a place in the document.
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

/// A value outside of arrays.
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
        let known = self.out.by_path.contains_key(&self.path);
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

/// A row, or a value in a row.
struct RowSeed<'a> {
    out: &'a mut Tables,
    table: usize,
    /// Whether the value is the entire row.
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

/// Writes a value as text into a cell. The text is never much longer than the document.
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
mod tests;
