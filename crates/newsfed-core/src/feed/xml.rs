//! A lenient XML event reader, and the small trees of individual fields.
//!
//! It accepts valid XML and common mistakes in feeds: unescaped `&` and `<`, unquoted attributes, wrong case,
//! missing end tags, references to HTML entities. It never loads external resources, and entities declared in
//! the document expand only to a limited size.

use super::doctype::Entities;
use super::element::{Element, Node, is_void};
use super::names::{self, Ns};
use crate::util::html::{Scanner, Tag, Token};
use crate::util::limits;
use memchr::{memchr, memmem};
use std::cell::Cell;
use std::rc::Rc;

/// Maximum nesting depth inside a field. Deeper tags are dropped and their text is kept.
const MAX_DEPTH: usize = 256;

/// Maximum number of namespace declarations in effect at the same time.
const MAX_PREFIXES: usize = 200;

/// Maximum number of unterminated CDATA sections that are searched for the end of their field.
const MAX_OPEN_SECTIONS: usize = 16;

/// Maximum total length of URLs that are resolved against `xml:base` attributes inside fields, in bytes.
/// Further URLs are left unchanged.
const MAX_RESOLVED: usize = 8 << 20;

/// Tags at which a field with an unterminated CDATA section ends.
const FIELD_ENDS: [&str; 6] =
    ["</description>", "</content", "</title>", "</summary>", "</item>", "</entry>"];

pub(super) enum Event {
    Start(Element),
    End(String),
    Text(String),
}

/// Reads events one by one. One event can be pushed back.
pub(super) struct Reader<'a> {
    src: &'a str,
    scanner: Scanner<'a>,
    entities: &'a mut Entities,
    /// The depth of each namespace declaration, its prefix (empty: the default), and the namespace.
    prefixes: Vec<(usize, String, Ns)>,
    depth: usize,
    returned: Option<Event>,
    /// Number of bytes that may still be read a second time.
    retries: usize,
    open_sections: usize,
    /// See [`Element::resolvable`].
    resolvable: Rc<Cell<usize>>,
    pub(super) oddities: Oddities,
}

/// Mistakes that the reader tolerated.
#[derive(Default)]
pub(super) struct Oddities {
    pub(super) bare: bool,
    pub(super) cut: bool,
    pub(super) unclosed: bool,
    pub(super) stray: bool,
    pub(super) deep: bool,
    pub(super) many: bool,
}

impl<'a> Reader<'a> {
    pub(super) fn new(src: &'a str, entities: &'a mut Entities) -> Self {
        Self {
            src,
            scanner: Scanner::new(src),
            entities,
            prefixes: Vec::new(),
            depth: 0,
            returned: None,
            retries: src.len().saturating_mul(4),
            open_sections: 0,
            resolvable: Rc::new(Cell::new(MAX_RESOLVED)),
            oddities: Oddities::default(),
        }
    }

    /// Pushes an event back, so that it is returned again.
    pub(super) fn push_back(&mut self, event: Event) {
        self.returned = Some(event);
    }

    pub(super) fn next_event(&mut self) -> Option<Event> {
        if let Some(event) = self.returned.take() {
            return Some(event);
        }
        loop {
            if let Some(section) = self.section() {
                return Some(Event::Text(section));
            }
            let start = self.scanner.position();
            match self.scanner.next_token()? {
                Token::Open(tag) if has_tag_inside(&tag) && self.retry(start) => {
                    return Some(Event::Text("<".to_owned()));
                }
                Token::Cut(rest) if rest.contains('>') && self.retry(start) => {
                    return Some(Event::Text("<".to_owned()));
                }
                Token::Cut(_) => self.oddities.cut = true,
                Token::Open(tag) => return Some(Event::Start(self.element(&tag))),
                Token::Close(name) => {
                    self.depth = self.depth.saturating_sub(1);
                    let depth = self.depth;
                    self.prefixes.retain(|(d, ..)| *d <= depth);
                    let local = name.rsplit(':').next().unwrap_or(name);
                    return Some(Event::End(local.to_ascii_lowercase()));
                }
                Token::Text(text) => {
                    self.oddities.bare |= memchr(b'<', text.as_bytes()).is_some();
                    return Some(Event::Text(self.entities.decode(text).into_owned()));
                }
                Token::Other => {}
            }
        }
    }

    /// Continues after the unescaped `<` at `start`, to read the tags after it. Returns false without
    /// continuing if too many bytes were already read again.
    fn retry(&mut self, start: usize) -> bool {
        let cost = self.scanner.position() - start;
        if cost > self.retries {
            return false;
        }
        self.retries -= cost;
        self.scanner.seek(start + 1);
        self.oddities.bare = true;
        true
    }

    /// The content of a CDATA section that starts at the current position. An unterminated section extends to
    /// the end of the field if that can be found, or else to the end of the document.
    fn section(&mut self) -> Option<String> {
        const START: &str = "<![CDATA[";
        let at = self.scanner.position();
        let rest = &self.src[at..];
        if !matches!(rest.as_bytes(), [b'<', b'!', ..]) {
            return None;
        }
        let rest = rest.strip_prefix(START)?;
        let len = match memmem::find(rest.as_bytes(), b"]]>") {
            Some(len) => {
                self.scanner.seek(at + START.len() + len + 3);
                len
            }
            None => {
                self.oddities.unclosed = true;
                self.open_sections += 1;
                let ends =
                    if self.open_sections > MAX_OPEN_SECTIONS { &[][..] } else { &FIELD_ENDS };
                let len = ends.iter().filter_map(|end| rest.find(end)).min().unwrap_or(rest.len());
                self.scanner.seek(at + START.len() + len);
                len
            }
        };
        Some(rest[..len].to_owned())
    }

    fn element(&mut self, tag: &Tag<'_>) -> Element {
        let mut attributes = Vec::new();
        for (name, value) in tag.attributes().take(limits::TAG_ATTRIBUTES) {
            let name = name.to_ascii_lowercase();
            if !attributes.iter().any(|(n, _)| *n == name) {
                attributes.push((name, self.entities.decode(value).into_owned()));
            }
        }
        let empty = tag.self_closing();
        self.depth += 1;
        for (name, value) in &attributes {
            let prefix = match name.strip_prefix("xmlns") {
                Some("") => "",
                Some(rest) if rest.starts_with(':') => &rest[1..],
                _ => continue,
            };
            if self.prefixes.len() >= MAX_PREFIXES {
                break;
            }
            self.prefixes.push((self.depth, prefix.to_owned(), names::by_address(value)));
        }
        let mut name = tag.name.to_ascii_lowercase();
        let ns = match name.find(':') {
            Some(at) => {
                let ns = self.resolve(&name[..at]);
                name.drain(..=at);
                ns
            }
            None => self.resolve(""),
        };
        if empty {
            self.depth -= 1;
            let depth = self.depth;
            self.prefixes.retain(|(d, ..)| *d <= depth);
        }
        Element {
            ns: Some(ns),
            name,
            attributes,
            children: Vec::new(),
            empty,
            ..Element::default()
        }
    }

    fn resolve(&self, prefix: &str) -> Ns {
        let declared = self.prefixes.iter().rev().find(|(_, p, _)| p == prefix).map(|(.., ns)| *ns);
        match declared {
            // A feed with a wrong default namespace is read anyway.
            Some(Ns::Other | Ns::Atom) if prefix.is_empty() => Ns::Core,
            Some(ns) => ns,
            None if prefix.is_empty() => Ns::Core,
            None => names::by_prefix(prefix),
        }
    }

    /// Reads the content of an element up to its end tag, or up to an event that it cannot contain according
    /// to `ends`. Returns the element and, if the end tag is missing, the fields that follow in its content.
    /// The last field is dropped if the end of the document truncates it.
    pub(super) fn content(
        &mut self,
        element: Element,
        ends: impl Fn(&Event) -> bool,
    ) -> Vec<Element> {
        if element.empty {
            return vec![element];
        }
        let resolvable = Some(self.resolvable.clone());
        let mut stack = vec![Element { resolvable, ..element }];
        let (mut cut, mut nodes) = (true, 0);
        while let Some(event) = self.next_event() {
            if ends(&event) {
                self.push_back(event);
                cut = false;
                break;
            }
            if let Event::Start(element) = &event {
                nodes += 1 + element.attributes.len();
            }
            match event {
                Event::Text(text) => push_node(&mut stack, Node::Text(text)),
                Event::Start(e) if nodes > limits::FIELD_TAGS => {
                    self.oddities.many = true;
                    drop_tag(&mut stack, &e);
                }
                Event::Start(e) if e.empty || is_void(&e.name) => {
                    push_node(&mut stack, Node::Element(e));
                }
                Event::Start(e) if stack.len() >= MAX_DEPTH => {
                    self.oddities.deep = true;
                    drop_tag(&mut stack, &e);
                }
                Event::Start(e) => stack.push(e),
                Event::End(name) => match stack.iter().rposition(|e| e.name == name) {
                    Some(at) if stack[at].dropped > 0 => stack[at].dropped -= 1,
                    Some(0) => return vec![fold(stack)],
                    Some(at) => close(&mut stack, at),
                    None => self.oddities.stray = true,
                },
            }
        }
        self.oddities.unclosed = true;
        let mut fields = fold(stack).into_fields();
        if cut {
            self.oddities.cut = true;
            fields.pop();
        }
        fields
    }
}

/// Counts a dropped start tag, because its end tag would close an outer element of the same name.
fn drop_tag(stack: &mut [Element], dropped: &Element) {
    let closes = !dropped.empty && !is_void(&dropped.name);
    if let Some(same) = stack.iter_mut().rev().find(|e| closes && e.name == dropped.name) {
        same.dropped += 1;
    }
}

fn push_node(stack: &mut [Element], node: Node) {
    if let Some(top) = stack.last_mut() {
        match (top.children.last_mut(), node) {
            (Some(Node::Text(before)), Node::Text(text)) => before.push_str(&text),
            (_, node) => top.children.push(node),
        }
    }
}

/// Closes the element at `at`, which is not the bottom of the stack, and everything above it.
fn close(stack: &mut Vec<Element>, at: usize) {
    while stack.len() > at {
        let Some(done) = stack.pop() else { return };
        push_node(stack, Node::Element(done));
    }
}

fn fold(mut stack: Vec<Element>) -> Element {
    close(&mut stack, 1);
    stack.pop().unwrap_or_default()
}

/// Whether a tag contains the start of another tag, which means that it is not a tag.
fn has_tag_inside(tag: &Tag<'_>) -> bool {
    tag.rest.contains('<') && tag.attributes().any(|(name, _)| name.contains('<'))
}
