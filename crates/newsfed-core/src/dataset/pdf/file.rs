//! The objects of a file, its streams and its pages.

use super::object::{Dict, Lexer, Value, is_space};
use crate::dataset::DatasetError;
use flate2::read::ZlibDecoder;
use memchr::memmem;
use std::collections::{HashMap, HashSet};
use std::io::Read;
use std::rc::Rc;

/// Bytes of one stream after decompression.
const MAX_STREAM: usize = 4 << 20;
/// Bytes of all streams of objects.
const MAX_OBJECT_STREAMS: usize = 32 << 20;
/// Bytes of the resources that pages inherit.
const MAX_RESOURCES: usize = 4 << 20;
/// Objects of a file.
const MAX_OBJECTS: usize = 500_000;
/// Levels of the page tree, and references in a row.
const MAX_LEVELS: usize = 40;
/// Nodes of the page tree.
const MAX_NODES: usize = 50_000;

/// Where an object is.
#[derive(Debug, Clone, Copy)]
enum Place {
    /// In the file, with its stream if it has one.
    File(usize, Option<(usize, usize)>),
    /// In a stream of objects.
    Packed(usize, usize),
}

pub(super) struct PdfFile<'b> {
    bytes: &'b [u8],
    places: HashMap<u32, Place>,
    /// Streams of objects, decompressed.
    packed: Vec<Vec<u8>>,
    root: Option<u32>,
    encrypted: bool,
    work: usize,
    left_for_objects: usize,
    /// Bytes of resources that pages may inherit.
    left_for_resources: usize,
}

/// A page by the number of its object, with the resources of the nodes above it.
#[derive(Debug, Clone)]
pub(super) struct Page {
    number: u32,
    inherited: Rc<Dict>,
}

impl<'b> PdfFile<'b> {
    pub(super) fn open(bytes: &'b [u8], work: usize) -> Result<Self, DatasetError> {
        let mut file = Self {
            bytes,
            places: HashMap::new(),
            packed: Vec::new(),
            root: None,
            encrypted: false,
            work,
            left_for_objects: MAX_OBJECT_STREAMS,
            left_for_resources: MAX_RESOURCES,
        };
        file.scan();
        file.trailers();
        match (file.encrypted, file.is_exhausted()) {
            (true, _) => Err(DatasetError::Encrypted),
            (_, true) => Err(DatasetError::TooLarge),
            _ => Ok(file),
        }
    }

    /// Whether more work would be needed than is allowed.
    pub(super) fn is_exhausted(&self) -> bool {
        self.work == 0
    }

    pub(super) fn charge(&mut self, bytes: usize) {
        self.work = self.work.saturating_sub(bytes.max(1));
    }

    /// Finds all objects, in the order of the file: the last one with a number counts.
    fn scan(&mut self) {
        let (bytes, mut at) = (self.bytes, 0);
        while let Some(found) = memmem::find(&bytes[at..], b"obj") {
            let place = at + found;
            self.charge(found);
            at = place + 3;
            let Some(number) = object_number(&bytes[..place]) else { continue };
            if self.is_exhausted() || self.places.len() >= MAX_OBJECTS {
                self.work = 0;
                return;
            }
            let mut lexer = Lexer::new(bytes, at);
            let value = lexer.value();
            self.charge(lexer.at - at);
            let stream = match &value {
                Some(Value::Dict(dict)) => self.stream_at(lexer.at, dict),
                _ => None,
            };
            self.places.insert(number, Place::File(at, stream));
            if let (Some((start, end)), Some(Value::Dict(dict))) = (stream, value) {
                at = end;
                self.note_trailer(&dict);
                if dict.is("Type", "ObjStm") {
                    self.unpack(&dict, &bytes[start..end]);
                }
            }
        }
    }

    /// The bytes of the stream that follows a dictionary.
    fn stream_at(&mut self, at: usize, dict: &Dict) -> Option<(usize, usize)> {
        let mut lexer = Lexer::new(self.bytes, at);
        lexer.skip_space();
        if !lexer.follows(b"stream") {
            return None;
        }
        lexer.at += b"stream".len();
        let start = lexer.at
            + if lexer.follows(b"\r\n") {
                2
            } else {
                usize::from(lexer.follows(b"\n") || lexer.follows(b"\r"))
            };
        // Its length may be wrong, or in an object that is not known yet.
        let stated = dict.number("Length").and_then(|length| start.checked_add(length));
        if let Some(end) = stated.filter(|end| *end <= self.bytes.len()) {
            let mut after = Lexer::new(self.bytes, end);
            after.skip_space();
            if after.follows(b"endstream") {
                return Some((start, end));
            }
        }
        let rest = &self.bytes[start..];
        let length = memmem::find(rest, b"endstream").unwrap_or(rest.len());
        self.charge(length);
        Some((start, start + length))
    }

    /// What a trailer contains, even one that is the dictionary of a stream.
    fn note_trailer(&mut self, dict: &Dict) {
        if let Some(Value::Reference(root)) = dict.get("Root") {
            self.root = Some(*root);
            self.encrypted |= dict.get("Encrypt").is_some();
        }
    }

    fn trailers(&mut self) {
        let bytes = self.bytes;
        for at in memmem::find_iter(bytes, b"trailer") {
            if self.is_exhausted() {
                return;
            }
            let mut lexer = Lexer::new(bytes, at + b"trailer".len());
            let value = lexer.value();
            self.charge(lexer.at - at);
            if let Some(Value::Dict(dict)) = value {
                self.note_trailer(&dict);
            }
        }
    }

    /// Notes the objects of a stream of objects.
    fn unpack(&mut self, dict: &Dict, data: &[u8]) {
        let Some(content) = self.decode(dict, data) else { return };
        let first = dict.number("First").unwrap_or(0);
        if content.len() > self.left_for_objects || first > content.len() {
            self.work = if first > content.len() { self.work } else { 0 };
            return;
        }
        self.left_for_objects -= content.len();
        let mut lexer = Lexer::new(&content[..first], 0);
        let stream = self.packed.len();
        while let (Some(Value::Number(number)), Some(Value::Number(offset))) =
            (lexer.value(), lexer.value())
        {
            if self.places.len() >= MAX_OBJECTS {
                self.work = 0;
                break;
            }
            let (number, offset) = (number as u32, offset as usize);
            self.places.insert(number, Place::Packed(stream, first.saturating_add(offset)));
        }
        self.packed.push(content);
    }

    /// A stream without its filters; `None` with a filter that is not supported, or if it is too large.
    fn decode(&mut self, dict: &Dict, data: &[u8]) -> Option<Vec<u8>> {
        let filters = match dict.get("Filter").map(|filter| self.resolve(filter)) {
            None | Some(Value::Null) => Vec::new(),
            Some(Value::Array(all)) => all.iter().map(|filter| self.resolve(filter)).collect(),
            Some(one) => vec![one],
        };
        let mut content = std::borrow::Cow::Borrowed(data);
        if filters.len() > 4 {
            return None;
        }
        for filter in filters {
            let Value::Name(name) = filter else { return None };
            let decoded = match name.as_slice() {
                b"FlateDecode" | b"Fl" => inflate(&content),
                b"ASCIIHexDecode" | b"AHx" => Some(hexadecimal(&content)),
                b"ASCII85Decode" | b"A85" => Some(ascii85(&content)),
                _ => None,
            };
            content = decoded?.into();
            self.charge(content.len());
        }
        (content.len() <= MAX_STREAM).then(|| content.into_owned())
    }

    fn object(&mut self, number: u32) -> Option<Value> {
        if self.is_exhausted() {
            return None;
        }
        let place = *self.places.get(&number)?;
        let (value, length) = match place {
            Place::File(at, _) => {
                let mut lexer = Lexer::new(self.bytes, at);
                (lexer.value(), lexer.at.saturating_sub(at))
            }
            Place::Packed(stream, at) => {
                let mut lexer = Lexer::new(&self.packed[stream], at);
                (lexer.value(), lexer.at.saturating_sub(at))
            }
        };
        self.charge(length);
        value
    }

    /// The value itself, or what it refers to.
    pub(super) fn resolve(&mut self, value: &Value) -> Value {
        let mut value = value.clone();
        for _ in 0..MAX_LEVELS {
            match value {
                Value::Reference(number) => value = self.object(number).unwrap_or(Value::Null),
                value => return value,
            }
        }
        Value::Null
    }

    pub(super) fn dict(&mut self, value: Option<&Value>) -> Option<Dict> {
        match self.resolve(value?) {
            Value::Dict(dict) => Some(dict),
            _ => None,
        }
    }

    /// The dictionary and the content of a stream.
    pub(super) fn stream(&mut self, number: u32) -> Option<(Dict, Vec<u8>)> {
        let Some(Value::Dict(dict)) = self.object(number) else { return None };
        let Place::File(_, Some((start, end))) = *self.places.get(&number)? else { return None };
        let bytes = self.bytes;
        let content = self.decode(&dict, &bytes[start..end])?;
        Some((dict, content))
    }

    /// The pages in their order.
    pub(super) fn pages(&mut self) -> Vec<Page> {
        let root = self.root.and_then(|root| self.object(root));
        let Some(Value::Dict(root)) = root else { return Vec::new() };
        let Some(Value::Reference(top)) = root.get("Pages") else { return Vec::new() };
        let (mut pages, mut seen) = (Vec::new(), HashSet::new());
        let mut open = vec![(*top, Rc::new(Dict::default()), 0)];
        while let Some((number, inherited, level)) = open.pop() {
            if level > MAX_LEVELS || seen.len() > MAX_NODES || !seen.insert(number) {
                continue;
            }
            let before = self.work;
            let Some(Value::Dict(node)) = self.object(number) else { continue };
            let Some(Value::Array(kids)) = node.get("Kids").map(|kids| self.resolve(kids)) else {
                pages.push(Page { number, inherited });
                continue;
            };
            let own = self.dict(node.get("Resources"));
            let cost = own.as_ref().map_or(0, |_| before - self.work);
            let Some(left) = self.left_for_resources.checked_sub(cost) else {
                self.work = 0;
                break;
            };
            self.left_for_resources = left;
            let resources = own.map_or(inherited, Rc::new);
            let numbers = kids.iter().rev().filter_map(|kid| match kid {
                Value::Reference(kid) => Some((*kid, resources.clone(), level + 1)),
                _ => None,
            });
            open.extend(numbers);
        }
        pages
    }

    fn references(&mut self, value: Option<&Value>) -> Vec<u32> {
        let array = match value {
            Some(Value::Reference(number)) => match self.object(*number) {
                Some(Value::Array(all)) => all,
                _ => return vec![*number],
            },
            Some(Value::Array(all)) => all.clone(),
            _ => Vec::new(),
        };
        let number = |value: &Value| match value {
            Value::Reference(number) => Some(*number),
            _ => None,
        };
        array.iter().filter_map(number).collect()
    }

    /// The resources of a page, and its drawing instructions.
    pub(super) fn content(&mut self, page: &Page) -> (Rc<Dict>, Vec<u8>) {
        let mut content = Vec::new();
        let Some(Value::Dict(node)) = self.object(page.number) else {
            return (page.inherited.clone(), content);
        };
        let own = self.dict(node.get("Resources"));
        for number in self.references(node.get("Contents")) {
            let Some((_, part)) = self.stream(number) else { continue };
            if content.len() + part.len() > MAX_STREAM {
                self.work = 0;
                break;
            }
            content.extend_from_slice(&part);
            content.push(b'\n');
        }
        (own.map_or_else(|| page.inherited.clone(), Rc::new), content)
    }
}

/// The number of an object, from what is before `obj`: `12 0 `.
fn object_number(before: &[u8]) -> Option<u32> {
    let digits =
        |bytes: &[u8]| bytes.iter().rev().take(11).take_while(|b| b.is_ascii_digit()).count();
    let spaces = |bytes: &[u8]| bytes.iter().rev().take(11).take_while(|b| is_space(**b)).count();
    let mut rest = before;
    let mut cut = |count: usize| {
        let (start, end) = rest.split_at(rest.len() - count);
        rest = start;
        (count > 0).then_some((start, end))
    };
    let (after_generation, _) = cut(spaces(before))?;
    let (between, _) = cut(digits(after_generation))?;
    let (after_number, _) = cut(spaces(between))?;
    let (_, number) = cut(digits(after_number))?;
    std::str::from_utf8(number).ok()?.parse().ok()
}

/// Decompressed data; of damaged data what can be read.
fn inflate(data: &[u8]) -> Option<Vec<u8>> {
    let mut out = Vec::new();
    let _ = ZlibDecoder::new(data).take(MAX_STREAM as u64 + 1).read_to_end(&mut out);
    (out.len() <= MAX_STREAM).then_some(out)
}

fn hexadecimal(data: &[u8]) -> Vec<u8> {
    let digits = data.iter().take_while(|b| **b != b'>').filter_map(|b| (*b as char).to_digit(16));
    let digits: Vec<u8> = digits.map(|digit| digit as u8).collect();
    digits.chunks(2).map(|pair| pair[0] * 16 + pair.get(1).copied().unwrap_or(0)).collect()
}

fn ascii85(data: &[u8]) -> Vec<u8> {
    let (mut out, mut group) = (Vec::new(), Vec::with_capacity(5));
    let mut flush = |group: &mut Vec<u8>| {
        let count = group.len();
        if count > 1 {
            group.resize(5, 84);
            let word =
                group.iter().fold(0_u32, |w, d| w.wrapping_mul(85).wrapping_add(u32::from(*d)));
            out.extend_from_slice(&word.to_be_bytes()[..count - 1]);
        }
        group.clear();
    };
    for byte in data.iter().take_while(|b| **b != b'~') {
        match byte {
            b'z' if group.is_empty() => {
                group.resize(5, 0);
                flush(&mut group);
            }
            b'!'..=b'u' => {
                group.push(byte - b'!');
                if group.len() == 5 {
                    flush(&mut group);
                }
            }
            _ => {}
        }
    }
    flush(&mut group);
    out
}
