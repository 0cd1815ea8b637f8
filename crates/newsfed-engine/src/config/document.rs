//! A TOML file as a tree of keys and values with their positions.

use super::error::{At, Report};
use crate::util::file_error::reason;
use crate::util::limits;
use crate::util::login::without_secrets;
use std::fs;
use std::io::{ErrorKind, Read};
use std::ops::Range;
use std::path::Path;
use toml::Spanned;
use toml::de::{DeString, DeTable, DeValue};

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

/// A key and its value in a table.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Pair {
    pub(crate) key: String,
    pub(crate) at: At,
    pub(crate) node: Node,
}

impl Pair {
    /// Finds a key in the table that is this key's value.
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
        Err(error) => return Err(format!("cannot read the file: {}", reason(&error))),
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
    let size = metadata.len().min(limits::CONFIG_BYTES as u64);
    let mut bytes = Vec::with_capacity(usize::try_from(size).unwrap_or_default() + 1);
    fs::File::open(file)?.take(limits::CONFIG_BYTES as u64 + 1).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Parses a text. Reports all syntax errors, and returns an empty tree if there are any.
pub(crate) fn parse(text: &str, report: &mut Report) -> Vec<Pair> {
    let (document, errors) = DeTable::parse_recoverable(text);
    for error in &errors {
        let at = span_at(error.span().unwrap_or_default(), 0);
        report.error(at, "", syntax(error.message()));
    }
    if !errors.is_empty() {
        return Vec::new();
    }
    table(document.into_inner(), 0, &mut |at, message| report.error(at, "", syntax(message)))
}

/// Parses a single value. The error is a message.
pub(crate) fn parse_value(text: &str, origin: usize) -> Result<Node, String> {
    let value = DeValue::parse(text).map_err(|error| syntax(error.message()))?;
    let mut wrong = None;
    let node = node(value, origin, &mut |_, message| wrong = Some(syntax(message)));
    wrong.map_or(Ok(node), Err)
}

fn syntax(message: &str) -> String {
    format!("not valid TOML: {}", message.trim())
}

fn span_at(span: Range<usize>, origin: usize) -> At {
    At { origin, start: span.start, end: span.end }
}

/// Receives the position and the cause for each number that is out of range.
type Wrong<'a> = &'a mut dyn FnMut(At, &str);

/// The keys in file order.
fn table(table: DeTable<'_>, origin: usize, wrong: Wrong<'_>) -> Vec<Pair> {
    let pair = |(key, value): (Spanned<DeString<'_>>, Spanned<DeValue<'_>>)| Pair {
        at: span_at(key.span(), origin),
        key: key.into_inner().into_owned(),
        node: node(value, origin, wrong),
    };
    let mut pairs: Vec<Pair> = table.into_iter().map(pair).collect();
    pairs.sort_by_key(|pair| pair.at.start);
    pairs
}

fn node(value: Spanned<DeValue<'_>>, origin: usize, wrong: Wrong<'_>) -> Node {
    let at = span_at(value.span(), origin);
    let value = match value.into_inner() {
        DeValue::String(text) => Value::Text(text.into_owned()),
        DeValue::Integer(number) => {
            let number = i64::from_str_radix(number.as_str(), number.radix());
            Value::Whole(number.unwrap_or_else(|_| {
                wrong(at, "the number is out of range");
                0
            }))
        }
        DeValue::Float(number) => {
            let typed = number.as_str();
            let number = typed.parse::<f64>().ok();
            let number = number.filter(|n| n.is_finite() || typed.contains(['i', 'n']));
            Value::Decimal(number.unwrap_or_else(|| {
                wrong(at, "the number is out of range");
                0.0
            }))
        }
        DeValue::Boolean(flag) => Value::Flag(flag),
        DeValue::Datetime(date) => Value::Date(date.to_string()),
        DeValue::Array(list) => {
            Value::List(list.into_iter().map(|value| node(value, origin, wrong)).collect())
        }
        DeValue::Table(inner) => Value::Table(table(inner, origin, wrong)),
    };
    Node { at, value }
}

/// Sets the value at a path. Creates missing tables and replaces values that are not tables.
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
    /// The value for a message; long text is truncated.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_keep_file_order_and_positions() {
        let text = "z = 1\na.y = 2\na.b = 3\n[[s]]\nq = [1, 2]\n[t]\nk = { m = 1, c = 2 }\n[[s]]\n";
        let mut report = Report::new(Path::new("config.toml"), text);
        let tree = parse(text, &mut report);
        let keys = |pairs: &[Pair]| pairs.iter().map(|p| p.key.clone()).collect::<Vec<_>>();
        assert_eq!(keys(&tree), ["z", "a", "s", "t"]);
        let Value::Table(inner) = &tree[1].node.value else { panic!("{tree:?}") };
        assert_eq!(keys(inner), ["y", "b"]);
        let Value::List(sections) = &tree[2].node.value else { panic!("{tree:?}") };
        let at: Vec<&str> = sections.iter().map(|s| &text[s.at.start..s.at.end]).collect();
        assert_eq!(at, ["[[s]]", "[[s]]"]);
        let inline = tree[3].find("k").unwrap();
        assert_eq!(&text[inline.node.at.start..inline.node.at.end], "{ m = 1, c = 2 }");
        assert_eq!(&text[inline.at.start..inline.at.end], "k");
    }

    #[test]
    fn reports_numbers_out_of_range_at_their_position() {
        for number in ["99999999999999999999", "-0x8000000000000001", "1e400"] {
            assert!(parse_value(number, 0).is_err(), "{number}");
        }
        for (typed, value) in [("0x10", Value::Whole(16)), ("-1_000", Value::Whole(-1000))] {
            assert_eq!(parse_value(typed, 0).unwrap().value, value);
        }
        let infinite = parse_value("-inf", 0).unwrap().value;
        assert_eq!(infinite, Value::Decimal(f64::NEG_INFINITY));
    }
}
