//! HTML -> safe HTML in one pass: every tag of the result is rebuilt from an allow-list, every text
//! and value is escaped, every element is closed. No markup of the source is copied.

use super::scan::{Scanner, Tag, Token, decode_entities, push_decoded};
use super::{
    CUT, OMITTED, cut_escaped, formula, is_embedded, is_player, lower, player, push_escaped,
    task_box,
};
use crate::util::limits;
use crate::util::session::{has_session, without_session};
use crate::util::url::{absolute, is_normal};
use memchr::memchr;
use std::borrow::Cow;
use std::collections::HashSet;
use url::Url;

/// What happens to an element.
#[derive(Clone, Copy, PartialEq)]
enum Fate {
    /// Dropped with all its content, which is raw text up to the end tag.
    Raw,
    /// Dropped with all its content.
    Dropped,
    /// Kept only if it is the checkbox of a task list item.
    Input,
    /// Kept; it has no content.
    Void,
    Kept,
    /// Only its tags are dropped.
    Unwrapped,
}

/// What happens to an element with this name. Names are grouped by length, so that most are
/// compared with few others.
fn fate(name: &str) -> Fate {
    use Fate::{Dropped, Input, Kept, Raw, Unwrapped, Void};
    match name.len() {
        1 => match name {
            "a" | "b" | "i" | "p" | "q" | "s" | "u" => Kept,
            _ => Unwrapped,
        },
        2 => match name {
            "br" | "hr" => Void,
            "li" | "em" | "td" | "tr" | "ul" | "ol" | "h1" | "h2" | "h3" | "h4" | "h5" | "h6"
            | "th" | "dd" | "dl" | "dt" | "rp" | "rt" | "tt" => Kept,
            _ => Unwrapped,
        },
        3 => match name {
            "img" | "col" | "wbr" => Void,
            "div" | "pre" | "sub" | "sup" | "bdi" | "del" | "dfn" | "ins" | "kbd" | "nav"
            | "var" => Kept,
            "svg" => Dropped,
            _ => Unwrapped,
        },
        4 => match name {
            "span" | "code" | "cite" | "abbr" | "data" | "main" | "mark" | "ruby" | "samp"
            | "time" => Kept,
            _ => Unwrapped,
        },
        5 => match name {
            "table" | "tbody" | "tfoot" | "thead" | "small" | "aside" | "audio" | "video" => Kept,
            "style" | "title" => Raw,
            "input" => Input,
            _ => Unwrapped,
        },
        6 => match name {
            "strong" | "figure" | "header" | "footer" | "center" | "hgroup" | "strike" => Kept,
            "script" | "iframe" => Raw,
            "source" => Void,
            _ => Unwrapped,
        },
        7 => match name {
            "section" | "article" | "address" | "caption" | "details" | "picture" | "summary" => {
                Kept
            }
            "noembed" => Raw,
            _ => Unwrapped,
        },
        8 => match name {
            "colgroup" => Kept,
            "noframes" => Raw,
            "template" => Dropped,
            _ => Unwrapped,
        },
        10 if matches!(name, "blockquote" | "figcaption") => Kept,
        _ => Unwrapped,
    }
}

/// Whether an element ends an open paragraph.
fn is_block(name: &str) -> bool {
    match name.len() {
        1 => name == "p",
        2 => matches!(
            name,
            "li" | "ul"
                | "ol"
                | "h1"
                | "h2"
                | "h3"
                | "h4"
                | "h5"
                | "h6"
                | "hr"
                | "dd"
                | "dl"
                | "dt"
        ),
        3 => matches!(name, "div" | "pre" | "nav"),
        4 => name == "main",
        5 => matches!(name, "table" | "aside"),
        6 => matches!(name, "figure" | "header" | "footer" | "center" | "hgroup"),
        7 => matches!(name, "section" | "article" | "address" | "details"),
        10 => matches!(name, "blockquote" | "figcaption"),
        _ => false,
    }
}

/// Longest anchor name that is kept, in bytes.
const MAX_NAME: usize = 100;

/// By how many bytes relative URLs can make a text exceed one and a half times its source.
const LONGER: usize = 1 << 20;

/// Longest beginning of a text that is cut, in bytes: it fits with its end tags and [`CUT`].
pub(super) const LONGEST_START: usize =
    limits::TEXT_BYTES - limits::PAGE_DEPTH / 2 * "</blockquote>".len() - 2 * CUT.len();

/// Writes the safe form of `html`, cut if it exceeds [`limits::TEXT_BYTES`].
pub(super) fn sanitise(html: &str, base: Option<&Url>) -> String {
    match write(html, base, limits::TEXT_BYTES) {
        (all, false) => all,
        (_, true) => {
            let (mut start, _) = write(html, base, LONGEST_START);
            start.push_str(CUT);
            start
        }
    }
}

/// The safe form of `html` up to a length in bytes without the last end tags, and whether the rest is
/// missing.
fn write(html: &str, base: Option<&Url>, most: usize) -> (String, bool) {
    let mut writer = Writer {
        html,
        most,
        is_full: false,
        out: String::with_capacity(html.len().min(most)),
        open: Vec::new(),
        base,
        endless: Vec::new(),
        jumped_to: None,
        longest: html.len() + html.len() / 2 + LONGER,
        decoded: String::new(),
        last_player: None,
    };
    let mut scanner = Scanner::new(html);
    while let Some(token) = scanner.next_token() {
        match token {
            Token::Text(text) => writer.text(text),
            Token::Open(tag) => writer.start(&tag, &mut scanner),
            Token::Close(name) => writer.end(&lower(name)),
            Token::Other | Token::Cut(_) => {}
        }
        // Line breaks and checkboxes are not counted where they are written.
        writer.is_full |= writer.out.len() > most;
        if writer.is_full {
            break;
        }
    }
    writer.close_to(0);
    let is_cut = writer.is_full || writer.out.len() > limits::TEXT_BYTES;
    (writer.out, is_cut)
}

struct Writer<'a> {
    html: &'a str,
    out: String,
    /// Open elements, outermost first.
    open: Vec<Cow<'a, str>>,
    base: Option<&'a Url>,
    /// Dropped elements that are known to have no end tag ahead.
    endless: Vec<Cow<'a, str>>,
    /// Length of the result from which relative URLs are dropped.
    longest: usize,
    /// Anchors that links of the text point to, as for footnotes; collected at the first anchor.
    jumped_to: Option<HashSet<String>>,
    /// Space for decoding a text.
    decoded: String,
    /// Address of the last player.
    last_player: Option<String>,
    /// Longest result without the last end tags, in bytes, and whether something did not fit.
    most: usize,
    is_full: bool,
}

/// The fragments of all links.
fn jumped_to(html: &str) -> HashSet<String> {
    let mut names = HashSet::new();
    if !html.contains('#') {
        return names;
    }
    let mut scanner = Scanner::new(html);
    while let Some(token) = scanner.next_token() {
        let Token::Open(tag) = token else { continue };
        if !tag.is("a") {
            continue;
        }
        let href = tag.attributes().find(|(name, _)| name.eq_ignore_ascii_case("href"));
        if let Some((_, value)) = href.filter(|(_, value)| value.contains('#')) {
            let value = decode_entities(value);
            let fragment = value.split_once('#').map_or("", |(_, fragment)| fragment);
            let name = percent_encoding::percent_decode_str(fragment).decode_utf8_lossy();
            if (1..=MAX_NAME).contains(&name.len()) {
                names.insert(name.into_owned());
            }
        }
    }
    names
}

impl<'a> Writer<'a> {
    fn text(&mut self, text: &str) {
        if memchr(b'&', text.as_bytes()).is_none() {
            push_escaped(&mut self.out, text);
        } else {
            self.decoded.clear();
            push_decoded(&mut self.decoded, text);
            push_escaped(&mut self.out, &self.decoded);
        }
        if self.out.len() > self.most {
            cut_escaped(&mut self.out, self.most);
            self.is_full = true;
        }
    }

    fn start(&mut self, tag: &Tag<'a>, scanner: &mut Scanner<'a>) {
        let name = lower(tag.name);
        if matches!(&*name, "math" | "script")
            && let Some(source) = formula::read(tag, scanner)
        {
            return self.text(&super::escape(&source));
        }
        if is_player(&name) {
            self.player(tag, &name);
        }
        if formula::is_drawing(tag) && !self.endless.contains(&name) {
            return self.skip_element(name, scanner);
        }
        match fate(&name) {
            Fate::Unwrapped => {}
            // XML tools write `<iframe/>`, which has no end tag.
            Fate::Raw if tag.self_closing() => {}
            Fate::Raw => {
                scanner.skip_raw(tag.name);
            }
            Fate::Dropped => {
                if !tag.self_closing() && !self.endless.contains(&name) {
                    self.skip_element(name, scanner);
                }
            }
            Fate::Input => {
                let attributes: Vec<(&str, &str)> = tag.attributes().collect();
                let value = |name: &str| {
                    attributes.iter().find(|(n, _)| n.eq_ignore_ascii_case(name)).map(|(_, v)| *v)
                };
                self.out.push_str(task_box(value).unwrap_or_default());
            }
            Fate::Void => {
                self.close_implied(&name);
                self.write_tag(tag, &name);
            }
            Fate::Kept => {
                self.close_implied(&name);
                if self.open.len() < limits::PAGE_DEPTH / 2 {
                    if self.write_tag(tag, &name) {
                        self.open.push(name);
                    }
                } else if is_block(&name) {
                    self.out.push_str("<br>");
                }
            }
        }
    }

    /// Writes a player as a link in a paragraph of its own.
    fn player(&mut self, tag: &Tag<'a>, name: &str) {
        let Some((label, to)) = player(name, false, |name| tag.attribute(name)) else { return };
        let Some(to) = self.value(Kind::Link, &to).map(Cow::into_owned) else { return };
        // A player for other browsers inside it shows the same.
        if self.last_player.as_ref() == Some(&to) {
            return;
        }
        self.end("a");
        self.close_implied("p");
        let start = self.out.len();
        self.out.push_str("<p><a href=\"");
        push_escaped(&mut self.out, &to);
        self.out.push_str("\">");
        push_escaped(&mut self.out, &label);
        self.out.push_str("</a></p>");
        if self.out.len() > self.most {
            self.out.truncate(start);
            self.is_full = true;
        }
        self.last_player = Some(to);
    }

    fn end(&mut self, name: &str) {
        if let Some(at) = self.open.iter().rposition(|n| n == name) {
            self.close_to(at);
        } else if name == "br" {
            self.out.push_str("<br>");
        }
    }

    fn close_to(&mut self, depth: usize) {
        for name in self.open.drain(depth..).rev() {
            self.out.push_str("</");
            self.out.push_str(&name);
            self.out.push('>');
        }
    }

    /// Closes elements that the start of another one ends implicitly.
    fn close_implied(&mut self, name: &str) {
        if is_block(name) {
            self.close_top(&["p"]);
        }
        match name {
            "li" => self.close_top(&["li"]),
            "dt" | "dd" => self.close_top(&["dt", "dd"]),
            "td" | "th" => self.close_top(&["td", "th"]),
            "tr" => {
                self.close_top(&["td", "th"]);
                self.close_top(&["tr"]);
            }
            "thead" | "tbody" | "tfoot" => {
                self.close_top(&["td", "th"]);
                self.close_top(&["tr"]);
                self.close_top(&["thead", "tbody", "tfoot", "caption", "colgroup"]);
            }
            "a" => self.end("a"),
            _ => {}
        }
    }

    fn close_top(&mut self, names: &[&str]) {
        if self.open.last().is_some_and(|top| names.contains(&top.as_ref())) {
            self.close_to(self.open.len() - 1);
        }
    }

    /// Skips everything up to the end tag that matches a start tag just read. Without an end tag only
    /// the start tag is dropped, so that the text after it is not lost.
    fn skip_element(&mut self, name: Cow<'a, str>, scanner: &mut Scanner<'a>) {
        let start = scanner.position();
        let mut depth = 1usize;
        while let Some(token) = scanner.next_token() {
            match token {
                Token::Open(tag) if tag.is(&name) && !tag.self_closing() => depth += 1,
                Token::Close(end) if end.eq_ignore_ascii_case(&name) => depth -= 1,
                _ => {}
            }
            if depth == 0 {
                return;
            }
        }
        scanner.seek(start);
        self.endless.push(name);
    }

    /// Returns whether the tag fits.
    fn write_tag(&mut self, tag: &Tag<'_>, name: &str) -> bool {
        let start = self.out.len();
        self.out.push('<');
        self.out.push_str(name);
        let mut written: Vec<&str> = Vec::new();
        for (raw_name, raw_value) in tag.attributes() {
            let attribute_name = lower(raw_name);
            let Some(kind) = attribute(name, &attribute_name) else { continue };
            if written.iter().any(|w| w.eq_ignore_ascii_case(raw_name)) {
                continue;
            }
            written.push(raw_name);
            if let Some(value) = self.value(kind, &decode_entities(raw_value)) {
                self.out.push(' ');
                self.out.push_str(&attribute_name);
                self.out.push_str("=\"");
                push_escaped(&mut self.out, &value);
                self.out.push('"');
            }
        }
        self.out.push('>');
        self.is_full = self.out.len() > self.most;
        if self.is_full {
            self.out.truncate(start);
        }
        !self.is_full
    }

    fn value<'v>(&mut self, kind: Kind, value: &'v str) -> Option<Cow<'v, str>> {
        let base = self.base.filter(|_| self.out.len() < self.longest);
        match kind {
            Kind::Text => Some(value.trim().into()),
            Kind::Name => {
                let jumped_to = self.jumped_to.get_or_insert_with(|| jumped_to(self.html));
                jumped_to.contains(value).then(|| value.into())
            }
            Kind::Number => {
                let number: i32 = value.trim().parse().ok()?;
                (-9999..=9999).contains(&number).then(|| number.to_string().into())
            }
            Kind::Language => {
                let class = value.split_whitespace().find(|c| c.starts_with("language-"));
                class.map(Cow::from)
            }
            Kind::Address if is_normal(value) => Some(value.into()),
            Kind::Picture if is_embedded(value) => Some(OMITTED.into()),
            Kind::Picture => self.value(Kind::Address, value),
            Kind::Address => absolute(base, value).map(|u| String::from(u).into()),
            Kind::Link if is_normal(value) && !has_session(value) => Some(value.into()),
            Kind::Link => match absolute(base, value) {
                // Otherwise a text would change each time its links get another session.
                Some(url) => Some(String::from(without_session(url)).into()),
                None => mail(value).or_else(|| jump(value)).map(Cow::from),
            },
        }
    }
}

/// Allowed values of an attribute.
#[derive(Clone, Copy)]
enum Kind {
    Text,
    /// An anchor name, kept if a link of the text points to it.
    Name,
    Number,
    /// Class names, of which only a code language is kept.
    Language,
    /// An http(s) URL.
    Address,
    /// An http(s) URL, or a picture that is in the text.
    Picture,
    /// An http(s) or mailto URL; without a base, a jump within the text too.
    Link,
}

/// The kind of an allowed attribute. Both names are in lower case.
fn attribute(element: &str, name: &str) -> Option<Kind> {
    Some(match (element, name) {
        (_, "title" | "lang") | ("img", "alt") | ("time", "datetime") | ("source", "type") => {
            Kind::Text
        }
        (_, "id") | ("a", "name") => Kind::Name,
        ("a", "href") => Kind::Link,
        ("img", "src") => Kind::Picture,
        ("audio" | "video" | "source", "src") | ("video", "poster") => Kind::Address,
        ("blockquote" | "q" | "del" | "ins", "cite") => Kind::Address,
        ("td" | "th", "colspan" | "rowspan") | ("ol", "start") | ("li", "value") => Kind::Number,
        ("img" | "video", "width" | "height") => Kind::Number,
        ("code" | "pre", "class") => Kind::Language,
        _ => return None,
    })
}

fn jump(value: &str) -> Option<String> {
    let name = value.trim().strip_prefix('#')?;
    (1..=MAX_NAME).contains(&name.len()).then(|| format!("#{name}"))
}

fn mail(value: &str) -> Option<String> {
    let url = Url::parse(value.trim()).ok()?;
    (url.scheme() == "mailto").then(|| url.into())
}
