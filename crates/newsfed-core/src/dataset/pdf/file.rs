//! The objects, streams and pages of a file.

use super::filters;
use super::object::{Dict, Lexer, Value, is_space};
use super::work::{Items, Work};
use crate::dataset::DatasetError;
use crate::util::limits;
use memchr::memmem;
use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::rc::Rc;

/// Maximum size of a stream after decompression, in bytes.
pub(super) const MAX_STREAM: usize = limits::PDF_CONTENT;
/// Maximum total size of all object streams, in bytes.
const MAX_OBJECT_STREAMS: usize = 32 << 20;
/// Maximum work for resources that pages inherit.
const MAX_RESOURCES: usize = 4 << 20;
/// Cost of finding an object, relative to reading a byte.
const OBJECT: usize = 16;
/// Maximum number of filters of a stream.
const MAX_FILTERS: usize = 4;
/// Maximum depth of the page tree, and maximum number of chained references.
const MAX_LEVELS: usize = 40;
/// Maximum number of nodes in the page tree.
const MAX_NODES: usize = 50_000;

/// The position of an object. The types are small, because there may be many objects.
#[derive(Debug, Clone, Copy)]
enum Place {
    /// In the file: the offset, and the range of its stream if it has one.
    File(u32, Option<(u32, u32)>),
    /// In an object stream: the index of the stream, and the offset in it.
    Packed(u32, u32),
}

pub(super) struct PdfFile<'b> {
    bytes: &'b [u8],
    places: HashMap<u32, Place>,
    /// Object streams, decompressed.
    packed: Vec<Vec<u8>>,
    root: Option<u32>,
    encrypted: bool,
    work: Rc<Work>,
    left_for_objects: usize,
    /// Work left for resources that pages inherit.
    left_for_resources: usize,
}

/// A page by its object number, with the resources of its ancestors.
#[derive(Debug, Clone)]
pub(super) struct Page {
    number: u32,
    inherited: Dict,
}

impl<'b> PdfFile<'b> {
    pub(super) fn open(bytes: &'b [u8], work: Rc<Work>) -> Result<Self, DatasetError> {
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
        if u32::try_from(bytes.len()).is_err() {
            return Err(DatasetError::TooLarge);
        }
        file.scan();
        file.trailers();
        match (file.encrypted, file.is_exhausted()) {
            (true, _) => Err(DatasetError::Encrypted),
            (_, true) => Err(DatasetError::TooLarge),
            _ => Ok(file),
        }
    }

    /// Whether the work budget is used up.
    pub(super) fn is_exhausted(&self) -> bool {
        self.work.is_exhausted()
    }

    pub(super) fn work(&self) -> &Rc<Work> {
        &self.work
    }

    /// Finds all objects in file order. The last object with a number is used.
    fn scan(&mut self) {
        let (bytes, mut at) = (self.bytes, 0);
        while let Some(found) = memmem::find(&bytes[at..], b"obj") {
            let place = at + found;
            self.work.charge(found + OBJECT);
            at = place + 3;
            let Some(number) = object_number(&bytes[..place]) else { continue };
            if self.is_exhausted() || self.places.len() >= limits::PDF_OBJECTS {
                self.work.exhaust();
                return;
            }
            let mut lexer = Lexer::new(bytes, at, &self.work);
            let value = lexer.value();
            let stream = match &value {
                Some(Value::Dict(dict)) => self.stream_at(lexer.at, dict),
                _ => None,
            };
            let short_stream = stream.map(|(start, end)| (short(start), short(end)));
            self.places.insert(number, Place::File(short(at), short_stream));
            if let (Some((start, end)), Some(Value::Dict(dict))) = (stream, value) {
                at = end;
                self.note_trailer(&dict);
                if dict.is("Type", "ObjStm") {
                    self.unpack(&dict, &bytes[start..end]);
                }
            }
        }
    }

    /// The range of the stream after a dictionary.
    fn stream_at(&mut self, at: usize, dict: &Dict) -> Option<(usize, usize)> {
        let mut lexer = Lexer::new(self.bytes, at, &self.work);
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
        // The length may be wrong, or it may be in an object that is not known yet.
        let stated = dict.number("Length").and_then(|length| start.checked_add(length));
        if let Some(end) = stated.filter(|end| *end <= self.bytes.len()) {
            let mut after = Lexer::new(self.bytes, end, &self.work);
            after.skip_space();
            if after.follows(b"endstream") {
                return Some((start, end));
            }
        }
        let rest = &self.bytes[start..];
        let length = memmem::find(rest, b"endstream").unwrap_or(rest.len());
        self.work.charge(length);
        Some((start, start + length))
    }

    /// Records the root and the encryption of a trailer, which may also be the dictionary of a stream.
    fn note_trailer(&mut self, dict: &Dict) {
        if let Some(Value::Reference(root)) = dict.get("Root") {
            self.root = Some(*root);
            self.encrypted |= dict.get("Encrypt").is_some();
        }
    }

    fn trailers(&mut self) {
        let bytes = self.bytes;
        self.work.charge(bytes.len());
        for at in memmem::find_iter(bytes, b"trailer") {
            if self.is_exhausted() {
                return;
            }
            let value = Lexer::new(bytes, at + b"trailer".len(), &self.work).value();
            if let Some(Value::Dict(dict)) = value {
                self.note_trailer(&dict);
            }
        }
    }

    /// Records the objects of an object stream.
    fn unpack(&mut self, dict: &Dict, data: &[u8]) {
        let Some(content) = self.decode(dict, data) else { return };
        let first = dict.number("First").unwrap_or(0);
        if first > content.len() {
            return;
        }
        if content.len() > self.left_for_objects {
            self.work.exhaust();
            return;
        }
        self.left_for_objects -= content.len();
        let mut lexer = Lexer::new(&content[..first], 0, &self.work);
        let stream = self.packed.len();
        while let (Some(Value::Number(number)), Some(Value::Number(offset))) =
            (lexer.value(), lexer.value())
        {
            self.work.charge(OBJECT);
            if self.places.len() >= limits::PDF_OBJECTS {
                self.work.exhaust();
                break;
            }
            let (number, at) = (number as u32, short(first.saturating_add(offset as usize)));
            self.places.insert(number, Place::Packed(short(stream), at));
        }
        self.packed.push(content);
    }

    /// Decodes a stream with its filters; `None` if a filter is not supported, or the result is too large.
    fn decode(&mut self, dict: &Dict, data: &[u8]) -> Option<Vec<u8>> {
        let filters = match dict.get("Filter").map(|filter| self.resolve(filter)) {
            None | Some(Value::Null) => Vec::new(),
            Some(Value::Array(all)) if all.len() <= MAX_FILTERS => {
                all.iter().map(|filter| self.resolve(filter)).collect()
            }
            Some(one) => vec![one],
        };
        self.work.charge(data.len());
        let mut content = Cow::Borrowed(data);
        for filter in filters {
            let Value::Name(name) = filter else { return None };
            if self.is_exhausted() {
                return None;
            }
            // Some data decompresses to nothing, so the input of a filter is also charged.
            self.work.charge(content.len());
            content = filters::apply(&name, &content)?.into();
            self.work.charge(content.len());
        }
        (content.len() <= MAX_STREAM).then(|| content.into_owned())
    }

    pub(super) fn object(&mut self, number: u32) -> Option<Value> {
        self.work.charge(OBJECT);
        if self.is_exhausted() {
            return None;
        }
        match *self.places.get(&number)? {
            Place::File(at, _) => Lexer::new(self.bytes, at as usize, &self.work).value(),
            Place::Packed(stream, at) => {
                let content = self.packed.get(stream as usize)?;
                Lexer::new(content, at as usize, &self.work).value()
            }
        }
    }

    /// The value itself, or the value that a reference points to.
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

    /// The content of a stream.
    pub(super) fn stream(&mut self, number: u32) -> Option<Vec<u8>> {
        let Some(Value::Dict(dict)) = self.object(number) else { return None };
        self.stream_of(number, &dict)
    }

    /// The content of the stream with this dictionary.
    pub(super) fn stream_of(&mut self, number: u32, dict: &Dict) -> Option<Vec<u8>> {
        let Place::File(_, Some((start, end))) = *self.places.get(&number)? else { return None };
        let bytes = self.bytes;
        self.decode(dict, bytes.get(start as usize..end as usize)?)
    }

    /// The pages in document order.
    pub(super) fn pages(&mut self) -> Vec<Page> {
        let root = self.root.and_then(|root| self.object(root));
        let Some(Value::Dict(root)) = root else { return Vec::new() };
        let Some(Value::Reference(top)) = root.get("Pages") else { return Vec::new() };
        let (mut pages, mut seen) = (Vec::new(), HashSet::new());
        let mut open = vec![(*top, Dict::default(), 0)];
        while let Some((number, inherited, level)) = open.pop() {
            if level > MAX_LEVELS || seen.len() > MAX_NODES || !seen.insert(number) {
                continue;
            }
            let before = self.work.left();
            let Some(Value::Dict(node)) = self.object(number) else { continue };
            let Some(Value::Array(kids)) = node.get("Kids").map(|kids| self.resolve(kids)) else {
                pages.push(Page { number, inherited });
                continue;
            };
            let own = self.dict(node.get("Resources"));
            let cost = own.as_ref().map_or(0, |_| before - self.work.left());
            let left = self.left_for_resources.checked_sub(cost);
            let Some(left) = left.filter(|_| open.len() + kids.len() <= 2 * MAX_NODES) else {
                self.work.exhaust();
                break;
            };
            self.left_for_resources = left;
            let resources = own.unwrap_or(inherited);
            let numbers = kids.iter().rev().filter_map(|kid| match kid {
                Value::Reference(kid) => Some((*kid, resources.clone(), level + 1)),
                _ => None,
            });
            open.extend(numbers);
        }
        pages
    }

    /// A single reference or an array of references, as a list.
    fn references(&mut self, value: Option<&Value>) -> Rc<Items<Value>> {
        let single = match value {
            Some(Value::Reference(number)) => match self.object(*number) {
                Some(Value::Array(all)) => return all,
                _ => Some(Value::Reference(*number)),
            },
            Some(Value::Array(all)) => return all.clone(),
            _ => None,
        };
        let mut all = Items::new(&self.work);
        single.into_iter().for_each(|single| all.push(single));
        all.finish(|_| {})
    }

    /// The resources of a page, and its content stream.
    pub(super) fn content(&mut self, page: &Page) -> (Dict, Vec<u8>) {
        let mut content = Vec::new();
        let Some(Value::Dict(node)) = self.object(page.number) else {
            return (page.inherited.clone(), content);
        };
        let own = self.dict(node.get("Resources"));
        for part in self.references(node.get("Contents")).iter() {
            let Value::Reference(number) = part else { continue };
            let Some(part) = self.stream(*number) else { continue };
            if content.len() + part.len() > MAX_STREAM {
                self.work.exhaust();
                break;
            }
            content.extend_from_slice(&part);
            content.push(b'\n');
        }
        (own.unwrap_or_else(|| page.inherited.clone()), content)
    }
}

/// Converts an offset in a file. Files are never too large for this type.
fn short(at: usize) -> u32 {
    u32::try_from(at).unwrap_or(u32::MAX)
}

/// The number of an object, parsed from the text before `obj`, such as `12 0 `.
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
