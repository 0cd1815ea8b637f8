//! Estimates how deep and how large the tree of an HTML source would be, without building it, and
//! removes attributes that would make it slow.
//!
//! Follows the stack of open elements by the rules of the HTML standard (section 13.2.6, tree
//! construction) where they can close an element. Where a rule is not modelled, the element stays
//! open: the estimate may be too high, but never too low.

use super::scan::{Scanner, Tag, Token};
use crate::util::limits;
use std::borrow::Cow;

/// The source without surplus attributes. `None` if its tree would be nested deeper than `limit`, or
/// have more than [`limits::PAGE_ELEMENTS`] elements.
///
/// Levels that the parser inserts (bodies and rows of tables) are not counted. A document with an
/// unterminated SVG or MathML element counts as too deep. As in the parser's default, the content
/// of `noscript` is read as text.
/// Linear in the length of the source (times the limit, for sources made to be slow).
pub fn gate(html: &str, limit: usize) -> Option<Cow<'_, str>> {
    // Every level costs at least a tag of three bytes.
    if html.len() < limit * 3 {
        return Some(html.into());
    }
    let mut open = Open::default();
    let mut scanner = Scanner::new(html);
    let (mut elements, mut out, mut from) = (0, String::new(), 0);
    loop {
        let start = scanner.position();
        let Some(token) = scanner.next_token() else { break };
        let end = scanner.position();
        let mut cut = None;
        match token {
            Token::Open(tag) => {
                cut = surplus(tag.rest);
                let kept = cut.map(|cut| {
                    let slash = if tag.self_closing() { "/" } else { "" };
                    format!("{} {slash}", &tag.rest[..tag.rest.len() - cut.len()])
                });
                let rest = kept.as_deref().unwrap_or(tag.rest);
                if open.start(&Tag { name: tag.name, rest }) {
                    scanner.skip_raw(tag.name);
                }
                if open.irregular || open.depth() > limit {
                    return None;
                }
                elements += 1;
            }
            Token::Close(name) => {
                cut = surplus(&html[start..end - 1]);
                open.end(name);
                // The parser reopens formatting elements that a block closed.
                elements += open.formatting.len();
            }
            Token::Other => elements += 1,
            _ => {}
        }
        if elements > limits::PAGE_ELEMENTS {
            return None;
        }
        if let Some(cut) = cut {
            out.push_str(&html[from..end - 1 - cut.len()]);
            from = end - 1 - usize::from(cut.ends_with('/'));
            out.push(' ');
        }
    }
    if from == 0 {
        return Some(html.into());
    }
    out.push_str(&html[from..]);
    Some(out.into())
}

/// What follows the first [`limits::TAG_ATTRIBUTES`] attributes of a tag; `None` if nothing does.
fn surplus(attributes: &str) -> Option<&str> {
    if attributes.len() <= 2 * limits::TAG_ATTRIBUTES {
        return None;
    }
    let mut all = Tag { name: "", rest: attributes }.attributes();
    all.nth(limits::TAG_ATTRIBUTES - 1)?;
    Some(all.rest()).filter(|rest| !rest.trim().is_empty())
}

macro_rules! names {
    ($name:ident: $($word:literal)*) => {
        const $name: &[Name] = &[$(Name::new($word)),*];
    };
}

// Raw text elements: their content is text up to the end tag.
names!(RAW: "script" "textarea" "style" "title" "xmp" "iframe" "noembed" "noframes"
    "noscript");

// Void elements.
names!(VOID: "area" "base" "basefont" "bgsound" "br" "col" "embed" "frame" "hr" "img" "image"
    "input" "keygen" "link" "meta" "param" "source" "track" "wbr");

// Closed by the next element of their kind, so that they nest only inside other elements.
names!(SELF_LIMITING: "html" "head" "body" "p" "tr" "td" "th" "tbody" "thead" "tfoot" "colgroup");

// Formatting elements: the parser reopens them after a block that closed them.
names!(FORMATTING: "a" "b" "big" "code" "em" "font" "i" "nobr" "s" "small" "strike" "strong" "tt"
    "u");

// Special elements: the end tag of any other element does not close them.
names!(SPECIAL: "address" "applet" "article" "aside" "blockquote" "button" "caption" "center"
    "details" "dir" "div" "dl" "fieldset" "figcaption" "figure" "footer" "form" "frameset" "h1"
    "h2" "h3" "h4" "h5" "h6" "header" "hgroup" "listing" "main" "marquee" "menu" "nav" "noscript"
    "object" "ol" "plaintext" "pre" "search" "section" "select" "summary" "table" "template" "ul"
    "dialog" "li" "dd" "dt");

// Scope markers: only the end tag of a table or template closes through them.
names!(BOUNDARIES: "applet" "caption" "marquee" "object" "table" "template");

// SVG and MathML elements that contain HTML again, and stop end tags.
names!(IN_SVG: "foreignobject" "desc" "title");
names!(IN_MATH: "mi" "mo" "mn" "ms" "mtext");

// Start tags that end an SVG or MathML element.
names!(BREAK_OUT: "b" "big" "blockquote" "body" "br" "center" "code" "dd" "div" "dl" "dt" "em"
    "embed" "h1" "h2" "h3" "h4" "h5" "h6" "head" "hr" "i" "img" "li" "listing" "menu" "meta" "nobr"
    "ol" "p" "pre" "ruby" "s" "small" "span" "strong" "strike" "sub" "sup" "table" "tt" "u" "ul"
    "var");

// Closed by other elements implicitly.
names!(IMPLIED: "dd" "dt" "li" "rb" "rp" "rt" "rtc");

/// The lower-case name of an element as a number (FNV-1a).
#[derive(Clone, Copy, PartialEq, Eq)]
struct Name(u64);

impl Name {
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
}

/// HTML, SVG or MathML.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Space {
    Html,
    Svg,
    Math,
}

/// An open element.
#[derive(Clone, Copy)]
struct Element {
    name: Name,
    space: Space,
    /// Whether it is an integration point: HTML again inside SVG or MathML.
    integrates: bool,
}

impl Element {
    /// The namespace of the elements inside.
    fn inside(&self) -> Space {
        if self.integrates { Space::Html } else { self.space }
    }

    fn is_boundary(&self) -> bool {
        self.integrates || self.space == Space::Html && BOUNDARIES.contains(&self.name)
    }

    fn is_special(&self) -> bool {
        self.integrates || self.space == Space::Html && SPECIAL.contains(&self.name)
    }
}

/// The stack of open elements.
#[derive(Default)]
struct Open {
    blocks: Vec<Element>,
    /// Formatting elements, with the number of blocks around them when they were opened.
    formatting: Vec<(Name, usize)>,
    /// Whether an SVG or MathML element was left in an unusual way.
    irregular: bool,
}

impl Open {
    fn depth(&self) -> usize {
        self.blocks.len() + self.formatting.len()
    }

    fn space(&self) -> Space {
        self.blocks.last().map_or(Space::Html, Element::inside)
    }

    /// Opens an element. Returns `true` if its content is raw text.
    fn start(&mut self, tag: &Tag<'_>) -> bool {
        const SVG: Name = Name::new("svg");
        const MATH: Name = Name::new("math");
        let name = Name::new(tag.name);
        if self.space() != Space::Html && ends_foreign(name, tag) {
            self.leave_foreign(0);
            return false;
        }
        match self.space() {
            Space::Html if RAW.contains(&name) => true,
            Space::Html if FORMATTING.contains(&name) => {
                self.formatting.push((name, self.blocks.len()));
                false
            }
            Space::Html if VOID.contains(&name) || SELF_LIMITING.contains(&name) => false,
            _ if tag.self_closing()
                && (self.space() != Space::Html || [SVG, MATH].contains(&name)) =>
            {
                false
            }
            Space::Html => {
                self.end_item_before(name);
                let space = match name {
                    SVG => Space::Svg,
                    MATH => Space::Math,
                    _ => Space::Html,
                };
                self.push(Element { name, space, integrates: false });
                false
            }
            space => {
                let html =
                    || tag.attribute("encoding").is_some_and(|e| e.to_lowercase().contains("html"));
                let integrates = match space {
                    Space::Svg => IN_SVG.contains(&name),
                    _ => IN_MATH.contains(&name) || name == Name::new("annotation-xml") && html(),
                };
                self.push(Element { name, space, integrates });
                false
            }
        }
    }

    fn push(&mut self, element: Element) {
        // An option ends the previous one.
        const OPTION: Name = Name::new("option");
        let repeats =
            element.name == OPTION && self.blocks.last().is_some_and(|e| e.name == OPTION);
        if !repeats || element.space != Space::Html {
            self.blocks.push(element);
        }
    }

    /// A list item ends the previous item, unless a block is open in between.
    fn end_item_before(&mut self, name: Name) {
        const LI: Name = Name::new("li");
        const DEFINITION: [Name; 2] = [Name::new("dd"), Name::new("dt")];
        const LOOSE: [Name; 3] = [Name::new("address"), Name::new("div"), Name::new("p")];
        if name != LI && !DEFINITION.contains(&name) {
            return;
        }
        for at in (0..self.blocks.len()).rev() {
            let before = self.blocks[at];
            let same = before.name == name
                || DEFINITION.contains(&name) && DEFINITION.contains(&before.name);
            if same && before.space == Space::Html {
                // What is open inside it may not really be inside it.
                self.blocks.remove(at);
                return;
            }
            if before.is_special() && !LOOSE.contains(&before.name) {
                return;
            }
        }
    }

    fn end(&mut self, name: &str) {
        let name = Name::new(name);
        if self.close_foreign(name) {
            return;
        }
        let boundary = self.blocks.iter().rposition(Element::is_boundary);
        let reach = boundary.map_or(0, |at| at + 1);
        if let Some(at) = self.formatting.iter().rposition(|(n, _)| *n == name) {
            let around = self.formatting[at].1.min(self.blocks.len());
            if around >= reach {
                self.formatting.remove(at);
                if !self.blocks[around..].iter().any(Element::is_special) {
                    self.leave_foreign(around);
                }
            }
            return;
        }
        let through_all = [Name::new("table"), Name::new("template")].contains(&name);
        let is_special = SPECIAL.contains(&name);
        let is_item = name == Name::new("li");
        let lists = [Name::new("ul"), Name::new("ol")];
        let stops = |e: &Element| match (through_all, is_special) {
            _ if is_item && lists.contains(&e.name) => true,
            (true, _) => e.name == Name::new("template") || e.integrates,
            (_, true) => e.is_boundary(),
            _ => e.is_special(),
        };
        for at in (0..self.blocks.len()).rev() {
            let element = &self.blocks[at];
            if element.name == name && element.space == Space::Html {
                self.leave_foreign(at + 1);
                // Closes only this one and elements with optional end tags: any other element that is
                // open inside it here may have been closed by a rule that is not modelled.
                self.blocks.remove(at);
                let implied = self.blocks[at..].iter().all(|e| IMPLIED.contains(&e.name));
                if implied {
                    self.blocks.truncate(at);
                }
                return;
            }
            if stops(element) {
                return;
            }
        }
    }

    /// Notes whether an SVG or MathML element above a position is left without its end tag. What is
    /// markup after that is uncertain.
    fn leave_foreign(&mut self, from: usize) {
        self.irregular |= self.blocks.iter().skip(from).any(|e| e.space != Space::Html);
    }

    /// Closes an SVG or MathML element at the top. Returns `true` if there was one.
    fn close_foreign(&mut self, name: Name) -> bool {
        for at in (0..self.blocks.len()).rev() {
            let element = self.blocks[at];
            // Formatting elements may lie between an integration point and the top.
            let below_html = element.integrates && at + 1 < self.blocks.len();
            if element.space == Space::Html || below_html {
                return false;
            }
            if element.name == name {
                self.blocks.truncate(at);
                return true;
            }
        }
        false
    }
}

/// Whether a start tag ends the SVG or MathML element around it.
fn ends_foreign(name: Name, tag: &Tag<'_>) -> bool {
    let font = name == Name::new("font");
    let styled = |n: &str| ["color", "face", "size"].iter().any(|a| n.eq_ignore_ascii_case(a));
    BREAK_OUT.contains(&name) || font && tag.attributes().any(|(n, _)| styled(n))
}
