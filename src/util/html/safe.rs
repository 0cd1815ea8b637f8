//! HTML -> safe HTML in one pass: every tag of the result is rebuilt from an allow-list, every text
//! and value is escaped, every element is closed. No markup of the source is copied.

use super::scan::{Scanner, Tag, Token, decode_entities};
use super::{escape, task_box};
use crate::util::limits;
use crate::util::session::without_session;
use crate::util::url::absolute;
use std::borrow::Cow;
use std::collections::HashSet;
use url::Url;

/// Allowed elements except void elements, sorted.
pub(super) const KEPT: [&str; 72] = [
    "a",
    "abbr",
    "address",
    "article",
    "aside",
    "audio",
    "b",
    "bdi",
    "blockquote",
    "caption",
    "center",
    "cite",
    "code",
    "colgroup",
    "data",
    "dd",
    "del",
    "details",
    "dfn",
    "div",
    "dl",
    "dt",
    "em",
    "figcaption",
    "figure",
    "footer",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "header",
    "hgroup",
    "i",
    "ins",
    "kbd",
    "li",
    "main",
    "mark",
    "nav",
    "ol",
    "p",
    "picture",
    "pre",
    "q",
    "rp",
    "rt",
    "ruby",
    "s",
    "samp",
    "section",
    "small",
    "span",
    "strike",
    "strong",
    "sub",
    "summary",
    "sup",
    "table",
    "tbody",
    "td",
    "tfoot",
    "th",
    "thead",
    "time",
    "tr",
    "tt",
    "u",
    "ul",
    "var",
    "video",
];

/// Allowed void elements.
const VOID: [&str; 6] = ["br", "col", "hr", "img", "source", "wbr"];

/// Elements dropped with all their content, which is raw text up to the end tag.
const RAW: [&str; 6] = ["script", "style", "iframe", "noembed", "noframes", "title"];

/// Elements dropped with all their content.
const DROPPED: [&str; 2] = ["svg", "template"];

/// Elements that end an open paragraph.
const BLOCKS: [&str; 31] = [
    "address",
    "article",
    "aside",
    "blockquote",
    "center",
    "details",
    "dd",
    "div",
    "dl",
    "dt",
    "figcaption",
    "figure",
    "footer",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "header",
    "hgroup",
    "hr",
    "li",
    "main",
    "nav",
    "ol",
    "p",
    "pre",
    "section",
    "table",
    "ul",
];

/// Longest anchor name that is kept, in bytes.
const MAX_NAME: usize = 100;

/// How much longer than one and a half times its source a text can become by relative URLs, in bytes.
const LONGER: usize = 1 << 20;

/// Writes the safe form of `html`.
pub(super) fn sanitise(html: &str, base: Option<&Url>) -> String {
    let mut writer = Writer {
        out: String::with_capacity(html.len()),
        open: Vec::new(),
        base,
        endless: Vec::new(),
        jumped_to: jumped_to(html),
        longest: html.len() + html.len() / 2 + LONGER,
    };
    let mut scanner = Scanner::new(html);
    while let Some(token) = scanner.next_token() {
        match token {
            Token::Text(text) => writer.out.push_str(&escape(&decode_entities(text))),
            Token::Open(tag) => writer.start(&tag, &mut scanner),
            Token::Close(name) => writer.end(&name.to_ascii_lowercase()),
            Token::Other | Token::Cut(_) => {}
        }
    }
    writer.close_to(0);
    writer.out
}

struct Writer<'a> {
    out: String,
    /// Open elements, outermost first.
    open: Vec<String>,
    base: Option<&'a Url>,
    /// Dropped elements that are known to have no end tag ahead.
    endless: Vec<String>,
    /// Length of the result from which on relative URLs are dropped.
    longest: usize,
    /// Anchors that links of the text point to, as for footnotes.
    jumped_to: HashSet<String>,
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

impl Writer<'_> {
    fn start(&mut self, tag: &Tag<'_>, scanner: &mut Scanner<'_>) {
        let name = tag.name.to_ascii_lowercase();
        if RAW.contains(&name.as_str()) {
            // XML tools write `<iframe/>`, which has no end tag.
            if !tag.self_closing() {
                scanner.skip_raw(tag.name);
            }
        } else if DROPPED.contains(&name.as_str()) {
            if !tag.self_closing() && !self.endless.contains(&name) {
                self.skip_element(name, scanner);
            }
        } else if name == "input" {
            let attributes: Vec<(&str, &str)> = tag.attributes().collect();
            let value = |name: &str| {
                attributes.iter().find(|(n, _)| n.eq_ignore_ascii_case(name)).map(|(_, v)| *v)
            };
            self.out.push_str(task_box(value).unwrap_or_default());
        } else if VOID.contains(&name.as_str()) {
            self.close_implied(&name);
            self.write_tag(tag, &name);
        } else if KEPT.binary_search(&name.as_str()).is_ok() {
            self.close_implied(&name);
            if self.open.len() < limits::PAGE_DEPTH / 2 {
                self.write_tag(tag, &name);
                self.open.push(name);
            } else if BLOCKS.contains(&name.as_str()) {
                self.out.push_str("<br>");
            }
        }
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
        if BLOCKS.contains(&name) {
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
        if self.open.last().is_some_and(|top| names.contains(&top.as_str())) {
            self.close_to(self.open.len() - 1);
        }
    }

    /// Skips everything up to the end tag that matches a start tag just read. Without an end tag only
    /// the start tag is dropped, so that the text after it is not lost.
    fn skip_element(&mut self, name: String, scanner: &mut Scanner<'_>) {
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

    fn write_tag(&mut self, tag: &Tag<'_>, name: &str) {
        self.out.push('<');
        self.out.push_str(name);
        let mut written: Vec<&str> = Vec::new();
        for (raw_name, raw_value) in tag.attributes() {
            let Some(kind) = attribute(name, raw_name) else { continue };
            if written.iter().any(|w| w.eq_ignore_ascii_case(raw_name)) {
                continue;
            }
            written.push(raw_name);
            if let Some(value) = self.value(kind, &decode_entities(raw_value)) {
                self.out.push(' ');
                self.out.push_str(&raw_name.to_ascii_lowercase());
                self.out.push_str("=\"");
                self.out.push_str(&escape(&value));
                self.out.push('"');
            }
        }
        self.out.push('>');
    }

    fn value<'v>(&self, kind: Kind, value: &'v str) -> Option<Cow<'v, str>> {
        let base = self.base.filter(|_| self.out.len() < self.longest);
        match kind {
            Kind::Text => Some(value.trim().into()),
            Kind::Name => self.jumped_to.contains(value).then(|| value.into()),
            Kind::Number => {
                let number: i32 = value.trim().parse().ok()?;
                (-9999..=9999).contains(&number).then(|| number.to_string().into())
            }
            Kind::Language => {
                let class = value.split_whitespace().find(|c| c.starts_with("language-"));
                class.map(Cow::from)
            }
            Kind::Address => absolute(base, value).map(|u| String::from(u).into()),
            Kind::Link => match absolute(base, value) {
                // Else a text would change whenever its links are given another session.
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
    /// An http(s) or mailto URL; without a base also a jump within the text.
    Link,
}

/// The kind of an allowed attribute.
fn attribute(element: &str, name: &str) -> Option<Kind> {
    let name = name.to_ascii_lowercase();
    Some(match (element, name.as_str()) {
        (_, "title" | "lang") | ("img", "alt") | ("time", "datetime") | ("source", "type") => {
            Kind::Text
        }
        (_, "id") | ("a", "name") => Kind::Name,
        ("a", "href") => Kind::Link,
        ("img" | "audio" | "video" | "source", "src") | ("video", "poster") => Kind::Address,
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
