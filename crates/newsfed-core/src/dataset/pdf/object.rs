//! The values in a PDF.

use super::work::{Items, Weight, Work};
use std::rc::Rc;

/// Maximum nesting depth of a value.
const MAX_DEPTH: usize = 40;
/// Maximum number of values inside one value.
const MAX_VALUES: usize = 100_000;
/// Maximum length of a string, in bytes.
const MAX_STRING: usize = 1 << 20;
/// Maximum length of a name, in bytes. PDF allows 127.
const MAX_NAME: usize = 255;
/// Maximum number of bytes after the first number that are searched for the end of a reference.
const AHEAD: usize = 20;
/// Cost of creating a value, relative to reading a byte.
const VALUE: usize = 6;

/// A value. Clones share their content.
#[derive(Debug, Clone)]
pub(super) enum Value {
    Null,
    Number(f64),
    Name(Rc<[u8]>),
    Text(Rc<[u8]>),
    Array(Rc<Items<Value>>),
    Dict(Dict),
    /// The number of an object.
    Reference(u32),
    /// Any other token, such as an operator or `true`.
    Word(Rc<[u8]>),
}

impl Weight for Value {
    fn weight(&self) -> usize {
        match self {
            Self::Name(bytes) | Self::Text(bytes) | Self::Word(bytes) => 1 + bytes.len() / 32,
            _ => 1,
        }
    }
}

impl Weight for Entry {
    fn weight(&self) -> usize {
        1 + self.0.len() / 32 + self.1.weight()
    }
}

/// Entries of a dictionary, sorted by name.
#[derive(Debug, Clone, Default)]
pub(super) struct Dict(Option<Rc<Items<Entry>>>);

/// A name and its value.
type Entry = (Rc<[u8]>, Value);

impl Dict {
    pub(super) fn get(&self, key: &str) -> Option<&Value> {
        self.find(key.as_bytes())
    }

    /// The last value with this name.
    pub(super) fn find(&self, key: &[u8]) -> Option<&Value> {
        let all = self.0.as_deref()?;
        let next = all.partition_point(|(name, _)| **name <= *key);
        let (name, value) = &all[next.checked_sub(1)?];
        (**name == *key).then_some(value)
    }

    pub(super) fn is(&self, key: &str, name: &str) -> bool {
        matches!(self.get(key), Some(Value::Name(found)) if **found == *name.as_bytes())
    }

    pub(super) fn number(&self, key: &str) -> Option<usize> {
        match self.get(key) {
            Some(Value::Number(number)) if (0.0..1e9).contains(number) => Some(*number as usize),
            _ => None,
        }
    }
}

/// Parses values from bytes. Every byte that is read is charged.
pub(super) struct Lexer<'b> {
    pub(super) bytes: &'b [u8],
    pub(super) at: usize,
    /// Number of values that may still be created.
    values: usize,
    work: Rc<Work>,
}

pub(super) fn is_space(byte: u8) -> bool {
    matches!(byte, 0 | b'\t' | b'\n' | 0x0c | b'\r' | b' ')
}

fn is_delimiter(byte: u8) -> bool {
    matches!(byte, b'(' | b')' | b'<' | b'>' | b'[' | b']' | b'{' | b'}' | b'/' | b'%')
}

impl<'b> Lexer<'b> {
    pub(super) fn new(bytes: &'b [u8], at: usize, work: &Rc<Work>) -> Self {
        Self { bytes, at: at.min(bytes.len()), values: 0, work: work.clone() }
    }

    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    /// Skips a number of bytes.
    pub(super) fn skip(&mut self, bytes: usize) {
        self.at += bytes;
        self.work.charge(bytes);
    }

    /// Whether the input continues with these bytes.
    pub(super) fn follows(&self, what: &[u8]) -> bool {
        self.bytes[self.at..].starts_with(what)
    }

    pub(super) fn skip_space(&mut self) {
        let start = self.at;
        while let Some(byte) = self.peek() {
            match byte {
                b'%' => {
                    let line = &self.bytes[self.at..];
                    self.at += memchr::memchr2(b'\n', b'\r', line).unwrap_or(line.len());
                }
                byte if is_space(byte) => self.at += 1,
                _ => break,
            }
        }
        self.work.charge(self.at - start);
    }

    /// The next value; `None` at the end, or if the value is incomplete or too large.
    pub(super) fn value(&mut self) -> Option<Value> {
        let mut most = MAX_VALUES;
        self.value_of(&mut most)
    }

    /// The next value if it consists of at most `most` values. Its number of values is subtracted from
    /// `most`.
    pub(super) fn value_of(&mut self, most: &mut usize) -> Option<Value> {
        self.values = *most;
        let value = self.nested(0);
        *most = self.values;
        value
    }

    fn nested(&mut self, depth: usize) -> Option<Value> {
        self.skip_space();
        self.work.charge(VALUE);
        if depth > MAX_DEPTH || self.work.is_exhausted() {
            return None;
        }
        self.values = self.values.checked_sub(1)?;
        match self.peek()? {
            b'/' => {
                self.skip(1);
                Some(Value::Name(self.name().into()))
            }
            b'(' => self.string(),
            b'<' if self.follows(b"<<") => self.dict(depth),
            b'<' => Some(self.hexadecimal()),
            b'[' => self.array(depth),
            b'+' | b'-' | b'.' | b'0'..=b'9' => Some(self.number()),
            byte if is_delimiter(byte) => {
                self.skip(1);
                Some(Value::Word([byte].into()))
            }
            _ => {
                let word = self.regular();
                Some(if word == b"null" { Value::Null } else { Value::Word(word.into()) })
            }
        }
    }

    fn array(&mut self, depth: usize) -> Option<Value> {
        self.skip(1);
        let mut all = Items::new(&self.work);
        loop {
            self.skip_space();
            if self.peek()? == b']' {
                self.skip(1);
                return Some(Value::Array(all.finish(|_| {})));
            }
            all.push(self.nested(depth + 1)?);
        }
    }

    /// The bytes up to whitespace or a delimiter.
    fn regular(&mut self) -> &'b [u8] {
        let rest = &self.bytes[self.at..];
        let end = rest.iter().position(|b| is_space(*b) || is_delimiter(*b));
        let word = &rest[..end.unwrap_or(rest.len())];
        self.skip(word.len());
        word
    }

    fn name(&mut self) -> Vec<u8> {
        let raw = self.regular();
        let mut name = Vec::with_capacity(raw.len().min(64));
        let mut rest = raw;
        while let Some((byte, after)) = rest.split_first().filter(|_| name.len() < MAX_NAME) {
            rest = after;
            let escaped = (*byte == b'#').then(|| after.first_chunk::<2>()).flatten();
            let escaped = escaped.and_then(|[a, b]| Some(digit(*a)? * 16 + digit(*b)?));
            name.push(escaped.unwrap_or(*byte));
            if escaped.is_some() {
                rest = &after[2..];
            }
        }
        name
    }

    fn number(&mut self) -> Value {
        let word = self.regular();
        let text = std::str::from_utf8(word).unwrap_or_default();
        if let Ok(number) = text.parse::<u32>()
            && let Some(length) = self.reference_end()
        {
            self.skip(length);
            return Value::Reference(number);
        }
        text.parse::<f64>().map_or_else(|_| Value::Word(word.into()), Value::Number)
    }

    /// The length of `0 R`, if the input continues with it.
    fn reference_end(&self) -> Option<usize> {
        let rest = &self.bytes[self.at..];
        let ahead = &rest[..rest.len().min(AHEAD)];
        let count = |from: usize, is: &dyn Fn(u8) -> bool| {
            ahead.get(from..).unwrap_or_default().iter().take_while(|b| is(**b)).count()
        };
        let start = count(0, &is_space);
        let digits = count(start, &|b| b.is_ascii_digit());
        let between = count(start + digits, &is_space);
        self.work.charge(start + digits + between);
        let end = start + digits + between;
        let is_last = |byte: &u8| is_space(*byte) || is_delimiter(*byte);
        let is_reference = start > 0
            && (1..=5).contains(&digits)
            && between > 0
            && ahead.get(end) == Some(&b'R')
            && rest.get(end + 1).is_none_or(is_last);
        is_reference.then_some(end + 1)
    }

    fn string(&mut self) -> Option<Value> {
        let start = self.at;
        let text = self.string_bytes();
        self.work.charge(self.at - start);
        Some(Value::Text(text?.into()))
    }

    fn string_bytes(&mut self) -> Option<Vec<u8>> {
        self.at += 1;
        let (mut text, mut depth) = (Vec::new(), 1_usize);
        loop {
            let byte = self.peek()?;
            self.at += 1;
            match byte {
                b'\\' => text.extend(self.escape()),
                b'(' => {
                    depth += 1;
                    text.push(byte);
                }
                b')' => {
                    depth -= 1;
                    if depth == 0 {
                        return Some(text);
                    }
                    text.push(byte);
                }
                byte => text.push(byte),
            }
            if text.len() > MAX_STRING {
                return None;
            }
        }
    }

    fn escape(&mut self) -> Option<u8> {
        let byte = self.peek()?;
        self.at += 1;
        Some(match byte {
            b'n' => b'\n',
            b'r' => b'\r',
            b't' => b'\t',
            b'b' | b'f' => b' ',
            b'\r' if self.peek() == Some(b'\n') => {
                self.at += 1;
                return None;
            }
            b'\r' | b'\n' => return None,
            b'0'..=b'7' => {
                let mut code = u32::from(byte - b'0');
                for _ in 0..2 {
                    let Some(next @ b'0'..=b'7') = self.peek() else { break };
                    code = code * 8 + u32::from(next - b'0');
                    self.at += 1;
                }
                (code & 0xff) as u8
            }
            other => other,
        })
    }

    fn hexadecimal(&mut self) -> Value {
        self.skip(1);
        let rest = &self.bytes[self.at..];
        let end = memchr::memchr(b'>', rest).unwrap_or(rest.len());
        self.skip((end + 1).min(rest.len()));
        let digits: Vec<u8> =
            rest[..end].iter().filter_map(|b| digit(*b)).take(MAX_STRING).collect();
        let byte = |pair: &[u8]| pair[0] * 16 + pair.get(1).copied().unwrap_or(0);
        Value::Text(digits.chunks(2).map(byte).collect())
    }

    fn dict(&mut self, depth: usize) -> Option<Value> {
        self.skip(2);
        let mut all = Items::new(&self.work);
        loop {
            self.skip_space();
            if self.follows(b">>") {
                self.skip(2);
                // The sort is stable, so that the last of several equal names can be used.
                let by_name = |all: &mut Vec<Entry>| all.sort_by(|a, b| a.0.cmp(&b.0));
                let all = all.finish(by_name);
                return Some(Value::Dict(Dict(Some(all))));
            }
            let Value::Name(key) = self.nested(depth + 1)? else { continue };
            self.skip_space();
            if self.follows(b">>") {
                continue;
            }
            all.push((key, self.nested(depth + 1)?));
        }
    }
}

fn digit(byte: u8) -> Option<u8> {
    (byte as char).to_digit(16).map(|digit| digit as u8)
}
