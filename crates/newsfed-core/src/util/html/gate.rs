//! Checks HTML source before a tree is built from it, because the parser compares each attribute of a tag
//! with all previous ones, and searches the open elements for each tag.

use super::scan::{Scanner, Tag, Token};
use crate::util::limits::{ELEMENT_NAMES, PAGE_DEPTH, PAGE_NAMES, PAGE_NODES, TAG_ATTRIBUTES};
use crate::util::text;
use html5ever::tendril::StrTendril;
use std::collections::HashSet;
use std::hash::{BuildHasher, RandomState};

/// Elements whose content is text up to the end tag.
const RAW: [&str; 9] =
    ["script", "textarea", "style", "title", "xmp", "iframe", "noembed", "noframes", "noscript"];

/// Elements of drawings.
const SHAPES: [&str; 24] = [
    "path",
    "g",
    "circle",
    "rect",
    "use",
    "line",
    "polygon",
    "polyline",
    "ellipse",
    "defs",
    "clipPath",
    "linearGradient",
    "radialGradient",
    "stop",
    "mask",
    "symbol",
    "text",
    "tspan",
    "animate",
    "image",
    "pattern",
    "filter",
    "marker",
    "metadata",
];

/// Elements of drawings whose content is HTML.
const LABELS: [&str; 2] = ["title", "desc"];

/// Attributes that name the element. At most [`ELEMENT_NAMES`] bytes of each are kept.
const NAMING: [&str; 6] = ["class", "id", "role", "rel", "itemprop", "name"];

/// Number of bytes of a script that are searched for dates.
pub const SCRIPT_BYTES: usize = 1 << 20;

/// Frequent named references, and the equivalent numeric ones. The parser searches all names after each
/// letter of a name.
const REFERENCES: [(&str, &str); 5] = [
    ("&amp;", "&#38;"),
    ("&nbsp;", "&#160;"),
    ("&quot;", "&#34;"),
    ("&lt;", "&#60;"),
    ("&gt;", "&#62;"),
];

/// Maximum length of a name that the parser stores without a table, in bytes.
const SHORT_NAME: usize = 7;

/// The source of a page, without parts that are never read.
pub(super) struct Gated {
    pub(super) text: StrTendril,
    /// Number of tags in the text, which is about the number of nodes.
    pub(super) tags: usize,
}

/// Whether the contents of drawings are kept.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Drawings {
    /// Selectors may match elements in drawings.
    Kept,
    Emptied,
}

/// Returns the source with [`REFERENCES`] as numbers, without surplus attributes ([`TAG_ATTRIBUTES`]) and
/// classes, without style sheets and scripts that are never read, and without an unterminated tag at the end.
/// `None` if it has more tags and comments than [`PAGE_NODES`], or more different names than [`PAGE_NAMES`].
pub(super) fn gate(html: &str, mut drawings: Drawings) -> Option<Gated> {
    let mut scanner = Scanner::new(html);
    let mut names = Names::default();
    // The number of tags and comments, of those left out, and of open `svg` and `math` elements; whether the
    // body has begun.
    let (mut tags, mut left_out, mut foreign, mut in_body) = (0, 0, 0_usize, false);
    let (mut out, mut from) = (StrTendril::with_capacity(html.len() as u32), 0);
    loop {
        let start = scanner.position();
        let Some(token) = scanner.next_token() else { break };
        let end = scanner.position();
        let mut unread = "";
        tags += usize::from(!matches!(token, Token::Text(_)));
        if tags > PAGE_NODES || names.count() > PAGE_NAMES {
            return None;
        }
        let inside = match token {
            Token::Text(text) => {
                replace_references(html, text, &mut out, &mut from);
                continue;
            }
            Token::Open(tag) => {
                if ["svg", "math"].iter().any(|name| tag.is(name)) && !closes_itself(&tag) {
                    // Text in a drawing before the body prevents a frameset from replacing the body.
                    let emptied = drawings == Drawings::Emptied && in_body && tag.is("svg");
                    match emptied.then(|| drawing(&html[end..])).flatten() {
                        Some((content, within)) => {
                            unread = content;
                            (tags, left_out) = (tags + within, left_out + within);
                            scanner.seek(end + content.len());
                        }
                        // HTML elements may end the drawing earlier than this code notices.
                        None => drawings = Drawings::Kept,
                    }
                    foreign += 1;
                } else if foreign == 0 && tag.is("plaintext") {
                    scanner.seek(html.len());
                } else if foreign == 0 && RAW.iter().any(|name| tag.is(name)) {
                    let raw = scanner.skip_raw(tag.name);
                    unread = if is_unread(&tag, raw) { raw } else { "" };
                }
                in_body |= tag.is("body");
                names.note(tag.name);
                tag.rest
            }
            Token::Close(name) => {
                if ["svg", "math"].iter().any(|n| name.eq_ignore_ascii_case(n)) {
                    foreign = foreign.saturating_sub(1);
                }
                &html[start + 2 + name.len()..end - 1]
            }
            Token::Other => {
                // In SVG and MathML it is text up to its own end; in HTML it is a comment up to `>`.
                if foreign > 0 && html[start..].starts_with("<![CDATA[") {
                    let len = html[start..].find("]]>").map_or(html.len() - start, |len| len + 3);
                    scanner.seek(start + len);
                }
                continue;
            }
            Token::Cut(_) => {
                out.push_slice(&html[from..start]);
                from = html.len();
                break;
            }
        };
        let has_references = memchr::memchr(b'&', inside.as_bytes()).is_some();
        let mut attributes = Tag { name: "", rest: inside }.attributes();
        for (name, value) in attributes.by_ref().take(TAG_ATTRIBUTES) {
            names.note(name);
            if value.len() > ELEMENT_NAMES && NAMING.iter().any(|n| name.eq_ignore_ascii_case(n)) {
                let kept = text::start(value, ELEMENT_NAMES);
                // Drops a class that was cut in the middle.
                let kept = kept.rsplit_once(char::is_whitespace).map_or(kept, |(whole, _)| whole);
                let at = value.as_ptr().addr() - html.as_ptr().addr();
                out.push_slice(&html[from..at + kept.len()]);
                from = at + value.len();
            } else if has_references {
                replace_references(html, value, &mut out, &mut from);
            }
        }
        let surplus = attributes.rest();
        if !surplus.trim_matches(|c: char| c.is_ascii_whitespace() || c == '/').is_empty() {
            out.push_slice(&html[from..end - 1 - surplus.len()]);
            out.push_slice(" ");
            from = end - 1 - usize::from(surplus.ends_with('/'));
        }
        if !unread.is_empty() {
            out.push_slice(&html[from..end]);
            from = end + unread.len();
        }
    }
    out.push_slice(&html[from..]);
    (tags <= PAGE_NODES && names.count() <= PAGE_NAMES)
        .then_some(Gated { text: out, tags: tags - left_out })
}

/// Appends the source up to the last frequent reference in `piece`, with numbers instead of names.
fn replace_references(html: &str, piece: &str, out: &mut StrTendril, from: &mut usize) {
    for at in memchr::memchr_iter(b'&', piece.as_bytes()) {
        let is_here = |(name, _): &&(&str, &str)| piece[at..].starts_with(name);
        if let Some((name, number)) = REFERENCES.iter().find(is_here) {
            let at = piece.as_ptr().addr() - html.as_ptr().addr() + at;
            out.push_slice(&html[*from..at]);
            out.push_slice(number);
            *from = at + name.len();
        }
    }
}

/// The content of an SVG element whose start tag was just read, and the number of tags in it. The end tag of
/// another element, or an HTML element, may end the drawing, so the result is `None` unless the drawing
/// contains only properly nested [`SHAPES`] and [`LABELS`].
fn drawing(html: &str) -> Option<(&str, usize)> {
    let is_among = |name: &str, all: &[&str]| all.iter().any(|n| name.eq_ignore_ascii_case(n));
    let (mut scanner, mut open, mut tags) = (Scanner::new(html), Vec::<&str>::new(), 0);
    while open.len() < PAGE_DEPTH && tags < PAGE_NODES {
        let start = scanner.position();
        let in_label = open.last().is_some_and(|last| is_among(last, &LABELS));
        match scanner.next_token() {
            Some(Token::Text(_)) => continue,
            Some(Token::Open(tag))
                if !in_label && (is_among(tag.name, &SHAPES) || is_among(tag.name, &LABELS)) =>
            {
                if !closes_itself(&tag) {
                    open.push(tag.name);
                }
            }
            Some(Token::Close(name))
                if open.last().is_some_and(|last| last.eq_ignore_ascii_case(name)) =>
            {
                open.pop();
            }
            Some(Token::Close(name)) if !in_label && name.eq_ignore_ascii_case("svg") => {
                return Some((&html[..start], tags));
            }
            _ => break,
        }
        tags += 1;
    }
    None
}

/// Whether nothing reads the raw content of an element. Such content is a quarter of a typical page.
fn is_unread(tag: &Tag<'_>, raw: &str) -> bool {
    // If a script contains `<!--`, the parser and the scanner may disagree about its end.
    tag.is("style")
        || tag.is("script") && is_program(tag) && !names_date(raw) && !raw.contains("<!--")
}

/// Whether a script is a program rather than data or a formula.
fn is_program(script: &Tag<'_>) -> bool {
    let kind = script.attribute("type").unwrap_or_default().trim().to_ascii_lowercase();
    kind.is_empty() || kind == "module" || kind.contains("javascript")
}

/// Whether the start of a script contains a key that pages use for their publication dates.
pub fn names_date(script: &str) -> bool {
    const NAMES: [&str; 4] = ["ublish", "ublication", "ate_posted", "atePosted"];
    let start = text::start(script, SCRIPT_BYTES).as_bytes();
    NAMES.iter().any(|name| memchr::memmem::find(start, name.as_bytes()).is_some())
}

/// Whether a tag ends with a slash that is not part of a value, as in `<svg a=b/>`.
fn closes_itself(tag: &Tag<'_>) -> bool {
    let end = |text: &str| text.as_bytes().as_ptr_range().end;
    let in_value = |(_, value): (&str, &str)| !value.is_empty() && end(value) == end(tag.rest);
    tag.self_closing() && !tag.attributes().last().is_some_and(in_value)
}

/// Number of recently counted names that are kept.
const KNOWN: usize = 32;

/// Counts the different names that the parser keeps in a table of limited width.
#[derive(Default)]
struct Names<'a> {
    hashes: HashSet<u64>,
    hasher: RandomState,
    /// Recently counted names, because most tags repeat them.
    known: [&'a str; KNOWN],
}

impl<'a> Names<'a> {
    fn note(&mut self, name: &'a str) {
        if name.len() <= SHORT_NAME || self.hashes.len() > PAGE_NAMES {
            return;
        }
        // Long names differ at the end: many begin with "data-" or "aria-".
        let end = &name.as_bytes()[name.len() - SHORT_NAME..];
        let place = end.iter().fold(name.len(), |place, byte| 3 * place + usize::from(*byte));
        let known = &mut self.known[place % KNOWN];
        if *known != name {
            *known = name;
            self.hashes.insert(self.hasher.hash_one(name));
        }
    }

    fn count(&self) -> usize {
        self.hashes.len()
    }
}
