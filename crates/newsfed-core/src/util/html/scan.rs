//! A scanner over HTML source that builds nothing. It follows the tokenization rules of the HTML standard
//! closely enough to find the same tags as a browser.

use html5ever::data::NAMED_ENTITIES;
use memchr::{memchr, memmem};
use std::borrow::Cow;

/// A piece of HTML source.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Token<'a> {
    /// Text with character references not yet decoded.
    Text(&'a str),
    /// A start tag.
    Open(Tag<'a>),
    /// An end tag, with its name as written.
    Close(&'a str),
    /// A comment, declaration or processing instruction.
    Other,
    /// An unterminated tag, with everything up to the end of the source.
    Cut(&'a str),
}

/// A start tag.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Tag<'a> {
    /// The name as written.
    pub name: &'a str,
    /// The source between the name and the closing bracket.
    pub rest: &'a str,
}

impl<'a> Tag<'a> {
    /// Whether the tag has this (lower-case) name.
    pub fn is(&self, name: &str) -> bool {
        self.name.eq_ignore_ascii_case(name)
    }

    /// Whether the tag ends with a slash.
    pub fn self_closing(&self) -> bool {
        self.rest.as_bytes().last() == Some(&b'/')
    }

    pub fn attributes(&self) -> Attributes<'a> {
        Attributes { rest: self.rest }
    }

    /// The decoded value of the first attribute with this (lower-case) name.
    pub fn attribute(&self, name: &str) -> Option<Cow<'a, str>> {
        self.attributes()
            .find(|(n, _)| n.eq_ignore_ascii_case(name))
            .map(|(_, v)| decode_entities(v))
    }
}

/// Reads tokens one by one.
#[derive(Debug, Clone)]
pub struct Scanner<'a> {
    src: &'a str,
    pos: usize,
}

impl<'a> Scanner<'a> {
    pub fn new(src: &'a str) -> Self {
        Self { src, pos: 0 }
    }

    /// Position of the next token, in bytes.
    pub fn position(&self) -> usize {
        self.pos
    }

    pub fn at_end(&self) -> bool {
        self.pos >= self.src.len()
    }

    /// Continues at a byte position, rounded up to the next character boundary.
    pub fn seek(&mut self, to: usize) {
        self.pos =
            (to..self.src.len()).find(|p| self.src.is_char_boundary(*p)).unwrap_or(self.src.len());
    }

    /// The next token, or `None` at the end.
    pub fn next_token(&mut self) -> Option<Token<'a>> {
        let rest = &self.src[self.pos..];
        if rest.is_empty() {
            return None;
        }
        if rest.as_bytes()[0] == b'<'
            && let Some((token, len)) = markup(rest)
        {
            self.pos += len;
            return Some(token);
        }
        let len = text_len(rest);
        self.pos += len;
        Some(Token::Text(&rest[..len]))
    }

    /// Skips and returns the raw content of an element whose start tag was just read, including
    /// its end tag.
    pub fn skip_raw(&mut self, name: &str) -> &'a str {
        let rest = &self.src[self.pos..];
        let mut from = 0;
        while let Some(at) = memmem::find(&rest.as_bytes()[from..], b"</") {
            let start = from + at;
            let after = &rest.as_bytes()[start + 2..];
            let named =
                after.get(..name.len()).is_some_and(|n| n.eq_ignore_ascii_case(name.as_bytes()));
            let ended =
                after.get(name.len()).is_none_or(|b| b.is_ascii_whitespace() || b"/>".contains(b));
            if named && ended {
                self.pos += start;
                let end = &self.src[self.pos..];
                self.pos += markup(end).map_or(end.len(), |(_, len)| len);
                return &rest[..start];
            }
            from = start + 2;
        }
        self.pos = self.src.len();
        rest
    }
}

/// Length of the text before the next markup. The first byte always counts as text.
fn text_len(rest: &str) -> usize {
    let bytes = rest.as_bytes();
    let mut from = 1;
    while let Some(at) = memchr(b'<', &bytes[from..]) {
        let next = bytes.get(from + at + 1);
        if next.is_some_and(|b| b.is_ascii_alphabetic() || b"!/?".contains(b)) {
            return from + at;
        }
        from += at + 1;
    }
    rest.len()
}

/// The markup at the start of `rest` and its length in bytes. `None` if the `<` is text.
fn markup(rest: &str) -> Option<(Token<'_>, usize)> {
    let bytes = rest.as_bytes();
    match bytes.get(1)? {
        b if b.is_ascii_alphabetic() => {
            let (name, end) = tag(rest, 1);
            let attributes = rest.get(1 + name.len()..end).unwrap_or_default();
            let tag = Tag { name, rest: attributes };
            Some(if end == rest.len() {
                (Token::Cut(rest), end)
            } else {
                (Token::Open(tag), end + 1)
            })
        }
        b'/' if bytes.get(2).is_some_and(u8::is_ascii_alphabetic) => {
            let (name, end) = tag(rest, 2);
            let token = if end == rest.len() { Token::Cut(rest) } else { Token::Close(name) };
            Some((token, (end + 1).min(rest.len())))
        }
        b'!' if rest.starts_with("<!--") => Some((Token::Other, comment_len(rest))),
        b'!' | b'?' | b'/' => Some((Token::Other, rest.find('>').map_or(rest.len(), |at| at + 1))),
        _ => None,
    }
}

fn comment_len(rest: &str) -> usize {
    if rest.starts_with("<!-->") {
        return 5;
    }
    if rest.starts_with("<!--->") {
        return 6;
    }
    let body = &rest[4..];
    let normal = body.find("-->").map(|at| at + 3);
    let odd = body[..normal.unwrap_or(body.len())].find("--!>").map(|at| at + 4);
    odd.or(normal).map_or(rest.len(), |len| len + 4)
}

/// The name that starts at `from`, and the offset of the closing bracket (or of the end of `rest`).
fn tag(rest: &str, from: usize) -> (&str, usize) {
    let after = &rest.as_bytes()[from..];
    let name_len = after.iter().position(is_name_end).unwrap_or(after.len());
    let mut attributes = Attributes { rest: &rest[from + name_len..] };
    while attributes.next().is_some() {}
    let end = rest.len() - attributes.rest.len();
    (&rest[from..from + name_len], end)
}

fn is_name_end(b: &u8) -> bool {
    b.is_ascii_whitespace() || matches!(b, b'/' | b'>')
}

/// Attributes of a tag as (name, raw value) pairs. Stops at the closing bracket.
#[derive(Debug, Clone)]
pub struct Attributes<'a> {
    rest: &'a str,
}

impl<'a> Attributes<'a> {
    /// The source that has not been read yet.
    pub fn rest(&self) -> &'a str {
        self.rest
    }
}

impl<'a> Iterator for Attributes<'a> {
    type Item = (&'a str, &'a str);

    fn next(&mut self) -> Option<Self::Item> {
        let bytes = self.rest.as_bytes();
        let first = bytes.iter().position(|b| !b.is_ascii_whitespace() && *b != b'/');
        self.rest = &self.rest[first.unwrap_or(bytes.len())..];
        let bytes = self.rest.as_bytes();
        if bytes.first().is_none_or(|b| *b == b'>') {
            return None;
        }
        // A leading equals sign belongs to the name.
        let name_end = bytes[1..].iter().position(|b| is_name_end(b) || *b == b'=');
        let (name, after) = self.rest.split_at(name_end.map_or(bytes.len(), |at| at + 1));
        let Some(value) = after.trim_ascii_start().strip_prefix('=') else {
            self.rest = after;
            return Some((name, ""));
        };
        let value = value.trim_ascii_start();
        let (value, rest) = match value.as_bytes().first() {
            Some(quote @ (b'"' | b'\'')) => match memchr(*quote, &value.as_bytes()[1..]) {
                Some(at) => (&value[1..at + 1], &value[at + 2..]),
                None => (&value[1..], ""),
            },
            _ => {
                let end = |b: &u8| b.is_ascii_whitespace() || *b == b'>';
                value.split_at(value.bytes().position(|b| end(&b)).unwrap_or(value.len()))
            }
        };
        self.rest = rest;
        Some((name, value))
    }
}

/// Decodes the character references in a text by the rules of HTML. Unknown references are kept.
pub fn decode_entities(s: &str) -> Cow<'_, str> {
    if memchr(b'&', s.as_bytes()).is_none() {
        return Cow::Borrowed(s);
    }
    let mut out = String::with_capacity(s.len());
    push_decoded(&mut out, s);
    Cow::Owned(out)
}

/// Appends text, decoded as by [`decode_entities`].
pub(super) fn push_decoded(out: &mut String, s: &str) {
    let mut rest = s;
    while let Some(at) = memchr(b'&', rest.as_bytes()) {
        out.push_str(&rest[..at]);
        let body = &rest[at + 1..];
        match reference(body) {
            Some(([first, second], len)) => {
                out.push(first);
                // A few names represent two characters.
                if second != '\0' {
                    out.push(second);
                }
                rest = &body[len..];
            }
            None => {
                out.push('&');
                rest = body;
            }
        }
    }
    out.push_str(rest);
}

/// The characters of the reference whose ampersand precedes `body` (the second one is usually 0), and the
/// length of the reference in bytes.
fn reference(body: &str) -> Option<([char; 2], usize)> {
    if body.as_bytes().first() == Some(&b'#') {
        return numeric(&body[1..]).map(|(c, len)| ([c, '\0'], len + 1));
    }
    let len = body.bytes().take(MAX_NAME).take_while(u8::is_ascii_alphanumeric).count();
    if len == 0 {
        return None;
    }
    // Legacy names work without a semicolon, but `&copy=1` is part of a URL.
    let (end, known) = match body.as_bytes().get(len) {
        Some(b';') => (len + 1, true),
        next => (len, next != Some(&b'=')),
    };
    let first = match body.as_bytes()[..end] {
        [b'a', b'm', b'p', b';'] => '&',
        [b'l', b't', b';'] => '<',
        [b'g', b't', b';'] => '>',
        [b'q', b'u', b'o', b't', b';'] => '"',
        _ => {
            let named = NAMED_ENTITIES.get(&body[..end]);
            let (first, second) = named.filter(|c| known && c.0 != 0)?;
            return Some(([*first, *second].map(|c| char::from_u32(c).unwrap_or('\0')), end));
        }
    };
    Some(([first, '\0'], end))
}

/// Maximum length of the name of a character reference, in bytes.
const MAX_NAME: usize = 32;

/// The character for a number (after `&#`), and the number of bytes read.
fn numeric(s: &str) -> Option<(char, usize)> {
    let (digits, radix, prefix) = match s.strip_prefix(['x', 'X']) {
        Some(hex) => (hex, 16, 1),
        None => (s, 10, 0),
    };
    let len = digits.bytes().take_while(|b| (*b as char).is_digit(radix)).count();
    if len == 0 {
        return None;
    }
    let code = u32::from_str_radix(&digits[..len], radix).unwrap_or(u32::MAX);
    let semicolon = usize::from(digits.as_bytes().get(len) == Some(&b';'));
    Some((character(code), prefix + len + semicolon))
}

/// The character that HTML shows for a number: 0x80-0x9F are interpreted as Windows-1252.
fn character(code: u32) -> char {
    if let Ok(byte @ 0x80..=0x9f) = u8::try_from(code) {
        let bytes = [byte];
        let (text, _) = encoding_rs::WINDOWS_1252.decode_without_bom_handling(&bytes);
        return text.chars().next().unwrap_or('\u{fffd}');
    }
    char::from_u32(code).filter(|c| *c != '\0').unwrap_or('\u{fffd}')
}
