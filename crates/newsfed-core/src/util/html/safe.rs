//! Converts HTML to safe HTML in one pass: every tag of the result is rebuilt from an allow-list, every text
//! and value is escaped, and every element is closed. No markup of the source is copied.

use super::fate::{Fate, fate, is_block};
use super::scan::{Scanner, Tag, Token, decode_entities, push_decoded};
use super::{
    CUT, cut_escaped, formula, is_embedded, is_player, lower, marker, player, push_escaped,
    task_box,
};
use crate::util::limits;
use crate::util::session::{has_session, without_session};
use crate::util::url::{absolute, is_normal};
use memchr::memchr;
use std::borrow::Cow;
use std::collections::HashSet;
use url::Url;

/// Maximum length of an anchor name that is kept, in bytes.
const MAX_NAME: usize = 100;

/// Relative URLs are added only while the result is shorter than one and a half times its source plus this,
/// in bytes.
const LONGER: usize = 1 << 20;

/// Maximum number of bytes kept of a text that is cut off. It leaves space for the end tags and [`CUT`].
pub(super) const LONGEST_START: usize =
    limits::TEXT_BYTES - limits::PAGE_DEPTH / 2 * "</blockquote>".len() - 2 * CUT.len();

/// Which version of the rules for elements applies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Reading {
    Current,
    /// Like newsfed 0.2.0: without players, sources of formulas, embedded pictures, and the languages of
    /// boxes around code.
    Former,
}

/// The safe form of a text.
pub(super) struct Safe {
    pub(super) html: String,
    /// Whether [`Reading::Former`] may give a different result.
    pub(super) differs: bool,
}

/// Writes the safe form of `html`, cut if it exceeds [`limits::TEXT_BYTES`].
pub(super) fn sanitise(html: &str, base: Option<&Url>, reading: Reading) -> Safe {
    match write(html, base, reading, limits::TEXT_BYTES) {
        (all, false) => all,
        (_, true) => {
            let (mut start, _) = write(html, base, reading, LONGEST_START);
            start.html.push_str(CUT);
            start
        }
    }
}

/// The safe form of `html`, cut off at a length in bytes (not counting the final end tags), and whether
/// anything was cut off.
fn write(html: &str, base: Option<&Url>, reading: Reading, most: usize) -> (Safe, bool) {
    let mut writer = Writer {
        html,
        reading,
        differs: false,
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
        // Line breaks and task boxes are not counted when they are written.
        writer.is_full |= writer.out.len() > most;
        if writer.is_full {
            break;
        }
    }
    writer.close_to(0);
    let is_cut = writer.is_full || writer.out.len() > limits::TEXT_BYTES;
    (Safe { html: writer.out, differs: writer.differs }, is_cut)
}

struct Writer<'a> {
    html: &'a str,
    reading: Reading,
    /// See [`Safe::differs`].
    differs: bool,
    out: String,
    /// Open elements, outermost first.
    open: Vec<Cow<'a, str>>,
    base: Option<&'a Url>,
    /// Dropped elements that are known to have no end tag in the rest of the source.
    endless: Vec<Cow<'a, str>>,
    /// Length of the result at which no more relative URLs are added.
    longest: usize,
    /// Anchors that links in the text point to, such as footnotes; collected at the first anchor.
    jumped_to: Option<HashSet<String>>,
    /// Reusable buffer for decoding text.
    decoded: String,
    /// URL of the last player.
    last_player: Option<String>,
    /// Maximum length of the result without the final end tags, in bytes.
    most: usize,
    /// Whether something did not fit.
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
        if self.reading == Reading::Current && self.special(tag, &name, scanner) {
            return;
        }
        match fate(&name) {
            Fate::Unwrapped => {}
            // XML tools write `<iframe/>` without an end tag.
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

    /// Writes players and formulas. Returns whether nothing else has to be done for the element.
    fn special(&mut self, tag: &Tag<'a>, name: &str, scanner: &mut Scanner<'a>) -> bool {
        if matches!(name, "math" | "script")
            && let Some(source) = formula::read(tag, scanner)
        {
            self.differs = true;
            self.text(&super::escape(&source));
            return true;
        }
        if is_player(name) {
            self.player(tag, name);
        }
        let drawn = formula::is_drawing(tag) && !self.endless.iter().any(|endless| endless == name);
        if drawn {
            self.differs = true;
            self.skip_element(lower(tag.name), scanner);
        }
        drawn
    }

    /// Writes a player as a link in its own paragraph.
    fn player(&mut self, tag: &Tag<'a>, name: &str) {
        let Some((label, to)) = player(name, false, |name| tag.attribute(name)) else { return };
        let Some(to) = self.value(Kind::Link, &to).map(Cow::into_owned) else { return };
        // A player nested in it for other browsers shows the same video.
        if self.last_player.as_ref() == Some(&to) {
            return;
        }
        self.differs = true;
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

    /// Closes elements that the start of a new one ends implicitly.
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

    /// Skips everything up to the end tag that matches the start tag just read. If there is no end tag, only
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
            Kind::BoxLanguage if self.reading == Reading::Former => None,
            Kind::Language | Kind::BoxLanguage => {
                let class = value.split_whitespace().find(|c| c.starts_with("language-"))?;
                self.differs |= matches!(kind, Kind::BoxLanguage);
                Some(class.into())
            }
            Kind::Address if is_normal(value) => Some(value.into()),
            Kind::Picture if self.reading == Reading::Current && is_embedded(value) => {
                self.differs = true;
                Some(marker(value).into())
            }
            Kind::Picture => self.value(Kind::Address, value),
            Kind::Address => absolute(base, value).map(|u| String::from(u).into()),
            Kind::Link if is_normal(value) && !has_session(value) => Some(value.into()),
            Kind::Link => match absolute(base, value) {
                // Session parameters are removed because the text would otherwise change with every session.
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
    /// An anchor name, kept if a link in the text points to it.
    Name,
    Number,
    /// Class names; only a code language is kept.
    Language,
    /// Class names of a box around code; only a code language is kept.
    BoxLanguage,
    /// An http(s) URL.
    Address,
    /// An http(s) URL, or a picture that is embedded in the text.
    Picture,
    /// An http(s) or mailto URL; without a base, also a jump within the text.
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
        // Jekyll names the language in the box around the code.
        ("div", "class") => Kind::BoxLanguage,
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
