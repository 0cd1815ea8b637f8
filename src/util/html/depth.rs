//! How deep a tree of this HTML would be, found without building it.

use super::scan::{Scanner, Tag, Token};

/// Whether the tree of an HTML document or fragment would be nested deeper than `limit`.
///
/// Linear in the length of the source. Errs on the side of depth: elements that a parser would
/// close by itself may be counted as open, never the other way round.
pub fn depth_exceeds(html: &str, limit: usize) -> bool {
    // Every level costs at least a tag of three bytes.
    if html.len() < limit * 3 {
        return false;
    }
    let mut open = Open::default();
    let mut scanner = Scanner::new(html);
    while let Some(token) = scanner.next_token() {
        match token {
            Token::Open(tag) => {
                open.start(&tag);
                if open.depth() > limit {
                    return true;
                }
                if open.foreign == 0 && RAW.iter().any(|name| tag.is(name)) {
                    scanner.skip_raw(tag.name);
                }
            }
            Token::Close(name) => open.end(name),
            _ => {}
        }
    }
    false
}

/// Content of these is text up to their end tag.
const RAW: [&str; 8] =
    ["script", "style", "textarea", "title", "xmp", "iframe", "noembed", "noframes"];

/// Never have content.
const VOID: [&str; 18] = [
    "area", "base", "basefont", "bgsound", "br", "col", "embed", "frame", "hr", "img", "input",
    "keygen", "link", "meta", "param", "source", "track", "wbr",
];

/// Closed by the next of their kind, so that they nest only where something else nests.
const SELF_LIMITING: [&str; 20] = [
    "html", "head", "body", "p", "li", "dt", "dd", "tr", "td", "th", "tbody", "thead", "tfoot",
    "colgroup", "option", "optgroup", "rb", "rp", "rt", "rtc",
];

/// Reopened by the parser after a block has closed over them, until their own end tag.
const FORMATTING: [&str; 14] = [
    "a", "b", "big", "code", "em", "font", "i", "nobr", "s", "small", "strike", "strong", "tt", "u",
];

/// An end tag outside does not close what is open inside of these.
const BOUNDARIES: [&str; 16] = [
    "table",
    "template",
    "object",
    "applet",
    "marquee",
    "caption",
    "foreignobject",
    "desc",
    "title",
    "mi",
    "mo",
    "mn",
    "ms",
    "mtext",
    "annotation-xml",
    "button",
];

#[derive(Default)]
struct Open {
    blocks: Vec<Name>,
    formatting: Vec<Name>,
    /// How many of the blocks are drawings or formulas, in which other rules hold.
    foreign: usize,
}

#[derive(Clone, Copy, PartialEq, Eq)]
struct Name(u64);

impl Open {
    fn depth(&self) -> usize {
        self.blocks.len() + self.formatting.len()
    }

    fn start(&mut self, tag: &Tag<'_>) {
        let is = |names: &[&str]| names.iter().any(|name| tag.is(name));
        if self.foreign > 0 {
            if !tag.self_closing() {
                self.push_block(tag.name);
            }
        } else if is(&FORMATTING) {
            self.formatting.push(Name::new(tag.name));
        } else if !is(&VOID) && !is(&SELF_LIMITING) && !is(&RAW) {
            self.push_block(tag.name);
        }
    }

    fn push_block(&mut self, name: &str) {
        let name = Name::new(name);
        self.foreign += usize::from(name.is_foreign());
        self.blocks.push(name);
    }

    fn end(&mut self, name: &str) {
        let through_all =
            name.eq_ignore_ascii_case("table") || name.eq_ignore_ascii_case("template");
        let name = Name::new(name);
        if let Some(at) = self.formatting.iter().rposition(|n| *n == name) {
            self.formatting.remove(at);
            return;
        }
        let reach = if through_all {
            0
        } else {
            let boundary = self.blocks.iter().rposition(|n| *n != name && n.is_boundary());
            boundary.map_or(0, |at| at + 1)
        };
        if let Some(at) = self.blocks[reach..].iter().rposition(|n| *n == name) {
            let closed = self.blocks.drain(reach + at..);
            self.foreign -= closed.filter(|n| n.is_foreign()).count();
        }
    }
}

impl Name {
    /// FNV-1a over the lower-case name.
    const fn new(name: &str) -> Self {
        let bytes = name.as_bytes();
        let mut hash = 0xcbf2_9ce4_8422_2325_u64;
        let mut at = 0;
        while at < bytes.len() {
            hash ^= bytes[at].to_ascii_lowercase() as u64;
            hash = hash.wrapping_mul(0x100_0000_01b3);
            at += 1;
        }
        Self(hash)
    }

    fn is_foreign(self) -> bool {
        const SVG: Name = Name::new("svg");
        const MATH: Name = Name::new("math");
        self == SVG || self == MATH
    }

    fn is_boundary(self) -> bool {
        const NAMES: [Name; BOUNDARIES.len()] = {
            let mut names = [Name(0); BOUNDARIES.len()];
            let mut at = 0;
            while at < names.len() {
                names[at] = Name::new(BOUNDARIES[at]);
                at += 1;
            }
            names
        };
        NAMES.contains(&self)
    }
}
