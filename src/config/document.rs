//! A TOML file as a tree in which every key and value has its position.

use super::error::{At, Report};
use crate::util::limits;
use crate::util::login::without_secrets;
use std::fs;
use std::io::{ErrorKind, Read};
use std::path::Path;
use toml_edit::{Item, Table, Value as Toml};

/// A value and its position.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Node {
    pub(crate) at: At,
    pub(crate) value: Value,
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Value {
    Text(String),
    Whole(i64),
    Decimal(f64),
    Flag(bool),
    Date(String),
    List(Vec<Node>),
    Table(Vec<Pair>),
}

/// A key of a table.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Pair {
    pub(crate) key: String,
    pub(crate) at: At,
    pub(crate) node: Node,
}

impl Pair {
    /// A key of the table that this key holds.
    pub(crate) fn find(&self, key: &str) -> Option<&Self> {
        match &self.node.value {
            Value::Table(table) => table.iter().find(|pair| pair.key == key),
            _ => None,
        }
    }
}

/// Reads a file as text; `None` if it does not exist. Errors are messages.
pub(crate) fn read_text(file: &Path) -> Result<Option<String>, String> {
    let bytes = match read_bytes(file) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(format!("cannot be read: {error}")),
    };
    if bytes.len() > limits::CONFIG_BYTES {
        let mebibytes = limits::CONFIG_BYTES / 1024 / 1024;
        return Err(format!("is larger than {mebibytes} MiB; is this the right file?"));
    }
    match String::from_utf8(bytes) {
        Ok(text) => Ok(Some(text)),
        Err(error) => {
            let good = error.utf8_error().valid_up_to();
            let line = error.as_bytes()[..good].iter().filter(|b| **b == b'\n').count() + 1;
            Err(format!("is not UTF-8: line {line} has an invalid byte; save the file as UTF-8"))
        }
    }
}

/// Reads at most one byte more than the maximum, so that the caller notices larger files.
fn read_bytes(file: &Path) -> std::io::Result<Vec<u8>> {
    let metadata = fs::metadata(file)?;
    if metadata.is_dir() {
        return Err(std::io::Error::other("this is a folder, not a file"));
    }
    // Reading a pipe would block.
    if !metadata.is_file() {
        return Err(std::io::Error::other("this is not a regular file"));
    }
    let mut bytes = Vec::new();
    fs::File::open(file)?.take(limits::CONFIG_BYTES as u64 + 1).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Parses a text. All syntax errors are reported and give an empty tree.
pub(crate) fn parse(text: &str, report: &mut Report) -> Vec<Pair> {
    match toml_edit::Document::parse(text) {
        Ok(document) => table(document.as_table(), 0),
        Err(first) => {
            // The tree builder stops at the first error; the recovering parser finds them all.
            let (_, all) = toml::de::DeTable::parse_recoverable(text);
            for error in &all {
                report.error(point(error.span()), "", syntax(error.message()));
            }
            if all.is_empty() {
                report.error(point(first.span()), "", syntax(first.message()));
            }
            Vec::new()
        }
    }
}

fn syntax(message: &str) -> String {
    format!("not valid TOML: {}", message.trim())
}

fn point(span: Option<std::ops::Range<usize>>) -> At {
    span_at(span, 0)
}

fn span_at(span: Option<std::ops::Range<usize>>, origin: usize) -> At {
    let span = span.unwrap_or(0..0);
    At { origin, start: span.start, end: span.end }
}

fn table(table: &Table, origin: usize) -> Vec<Pair> {
    table.iter().filter_map(|(key, item)| pair(table.key(key)?, item, origin)).collect()
}

fn pair(key: &toml_edit::Key, item: &Item, origin: usize) -> Option<Pair> {
    let at = span_at(item.span(), origin);
    let value = match item {
        Item::None => return None,
        Item::Value(value) => return Some(leaf_pair(key, value, origin)),
        Item::Table(inner) => Value::Table(table(inner, origin)),
        Item::ArrayOfTables(tables) => {
            let node = |t: &Table| Node {
                at: span_at(t.span(), origin),
                value: Value::Table(table(t, origin)),
            };
            Value::List(tables.iter().map(node).collect())
        }
    };
    let key_at = span_at(key.span(), origin);
    Some(Pair { key: key.get().to_owned(), at: key_at, node: Node { at, value } })
}

fn leaf_pair(key: &toml_edit::Key, value: &Toml, origin: usize) -> Pair {
    let at = span_at(key.span(), origin);
    Pair { key: key.get().to_owned(), at, node: node(value, origin) }
}

pub(crate) fn node(value: &Toml, origin: usize) -> Node {
    let at = span_at(value.span(), origin);
    let value = match value {
        Toml::String(text) => Value::Text(text.value().clone()),
        Toml::Integer(number) => Value::Whole(*number.value()),
        Toml::Float(number) => Value::Decimal(*number.value()),
        Toml::Boolean(flag) => Value::Flag(*flag.value()),
        Toml::Datetime(date) => Value::Date(date.value().to_string()),
        Toml::Array(list) => Value::List(list.iter().map(|v| node(v, origin)).collect()),
        Toml::InlineTable(inner) => {
            let key = |name: &str| inner.key(name);
            let pairs = inner.iter().filter_map(|(k, v)| Some(leaf_pair(key(k)?, v, origin)));
            Value::Table(pairs.collect())
        }
    };
    Node { at, value }
}

/// Sets the value at a path. Creates missing tables and replaces values that are no tables.
pub(crate) fn put(table: &mut Vec<Pair>, path: &[String], new: Node) {
    let Some((first, rest)) = path.split_first() else { return };
    let at = new.at;
    let index = table.iter().position(|p| p.key == *first).unwrap_or_else(|| {
        let node = Node { at, value: Value::Table(Vec::new()) };
        table.push(Pair { key: first.clone(), at, node });
        table.len() - 1
    });
    let pair = &mut table[index];
    pair.at = at;
    if rest.is_empty() {
        pair.node = new;
        return;
    }
    if !matches!(pair.node.value, Value::Table(_)) {
        pair.node = Node { at, value: Value::Table(Vec::new()) };
    }
    if let Value::Table(inner) = &mut pair.node.value {
        put(inner, rest, new);
    }
}

impl Value {
    /// The value for a message; long texts are truncated.
    pub(crate) fn describe(&self) -> String {
        match self {
            Self::Text(text) => super::quote::quote(&without_secrets(text)),
            Self::Whole(number) => number.to_string(),
            Self::Decimal(number) => number.to_string(),
            Self::Flag(flag) => flag.to_string(),
            Self::Date(date) => format!("the date {date}"),
            Self::List(_) => "a list".to_owned(),
            Self::Table(_) => "a table".to_owned(),
        }
    }
}
