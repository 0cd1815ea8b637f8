//! Converts untrusted HTML to trees within limits, safe HTML and plain text, all in linear time.

mod decode;
mod embedded;
mod fate;
mod formula;
mod gate;
mod player;
mod ruby;
mod safe;
mod scan;
mod streamed;
pub mod tree;

pub use decode::decode;
pub use embedded::{
    OMITTED, has_hash, has_marker, is_embedded, marker, pictures as embedded_pictures,
    without_hashes,
};
pub use formula::bare as bare_formula;
pub use gate::{SCRIPT_BYTES, names_date};
pub use player::{is_player, player};
pub use scan::{Attributes, Scanner, Tag, Token, decode_entities};

use super::{limits, text};
use memchr::memchr2;
use safe::{Reading, Safe};
use std::borrow::Cow;
use url::Url;

/// Safe HTML: no scripts, styles, frames, forms or drawings, no event or style attributes, only http, https
/// and mailto links, made absolute with `base` (without a base, relative links lose their target). Control
/// characters are removed, every element is closed, and nesting is flattened far below
/// [`limits::PAGE_DEPTH`], so that building a tree of the result is always safe. Text beyond
/// [`limits::TEXT_BYTES`] is replaced by [`CUT`].
pub fn clean(html: &str, base: Option<&Url>) -> String {
    clean_as(html, base, Reading::Current).html
}

/// Like [`clean`], and also returns the output of newsfed 0.2.0, if it was different. Stored texts are
/// compared with it, so that a change in processing is not mistaken for an edit.
pub fn clean_with_former(html: &str, base: Option<&Url>) -> (String, Option<String>) {
    let now = clean_as(html, base, Reading::Current);
    let former = now.differs.then(|| clean_as(html, base, Reading::Former).html);
    let former = former.filter(|former| *former != now.html);
    (now.html, former)
}

fn clean_as(html: &str, base: Option<&Url>, reading: Reading) -> Safe {
    let html = html.trim();
    if first_special(html).is_none() {
        let html = limited(text::markup(html).into_owned());
        return Safe { html, differs: false };
    }
    let safe = safe::sanitise(&text::markup(html), base, reading);
    // Character references may have encoded control characters.
    match text::markup(safe.html.trim()) {
        Cow::Borrowed(same) if same.len() == safe.html.len() => safe,
        clean => Safe { html: clean.into_owned(), ..safe },
    }
}

/// Appended to a text that was cut. It is shown, searched and exported with the text.
pub const CUT: &str = "<p><em>The rest of this text is left out: limit of 1 MiB.</em></p>";

/// Whether a text returned by this module was cut.
pub fn is_cut(safe: &str) -> bool {
    safe.ends_with(CUT)
}

/// Escaped text without tags, cut at [`limits::TEXT_BYTES`].
fn limited(mut escaped: String) -> String {
    if escaped.len() > limits::TEXT_BYTES {
        cut_escaped(&mut escaped, safe::LONGEST_START);
        escaped.push_str(CUT);
    }
    escaped
}

/// Cuts escaped text to a length in bytes, without splitting characters or references.
fn cut_escaped(out: &mut String, length: usize) {
    out.truncate(text::start(out, length).len());
    let tail = text::start(out, out.len().saturating_sub("&quot;".len())).len();
    if let Some(at) = out[tail..].rfind('&').filter(|at| !out[tail + at..].contains(';')) {
        out.truncate(tail + at);
    }
}

/// Plain text of one paragraph as safe HTML.
pub fn plain(text: &str) -> String {
    limited(escape(&text::block(text.trim())).into_owned())
}

/// Plain text as safe HTML: escaped, with a paragraph for each run of non-empty lines. Cut as by [`clean`].
pub fn paragraphs(plain: &str) -> String {
    let plain = text::block(plain);
    let mut out = String::with_capacity(plain.len().min(limits::TEXT_BYTES) + 16);
    for part in plain.split("\n\n").map(|p| p.trim_matches('\n')).filter(|p| !p.is_empty()) {
        for (i, line) in part.split('\n').enumerate() {
            out.push_str(if i == 0 { "<p>" } else { "<br>" });
            push_escaped(&mut out, line);
            if out.len() > safe::LONGEST_START {
                cut_escaped(&mut out, safe::LONGEST_START);
                return out + "</p>" + CUT;
            }
        }
        out.push_str("</p>");
    }
    out
}

/// Escapes `&`, `<`, `>` and `"`.
pub fn escape(plain: &str) -> Cow<'_, str> {
    if first_special(plain).is_none() {
        return plain.into();
    }
    let mut out = String::with_capacity(plain.len() + 16);
    push_escaped(&mut out, plain);
    out.into()
}

/// Appends text, escaped as by [`escape`].
fn push_escaped(out: &mut String, plain: &str) {
    let mut rest = plain;
    while let Some(at) = first_special(rest) {
        out.push_str(&rest[..at]);
        out.push_str(match rest.as_bytes()[at] {
            b'&' => "&amp;",
            b'<' => "&lt;",
            b'>' => "&gt;",
            _ => "&quot;",
        });
        rest = &rest[at + 1..];
    }
    out.push_str(rest);
}

/// Position of the first character that [`escape`] replaces.
fn first_special(s: &str) -> Option<usize> {
    // This is not a `matches!`, because the compiler would turn that into a test per byte.
    let is_plain = |b| (b != b'&') & (b != b'<') & (b != b'>') & (b != b'"');
    let plain = text::leading(s.as_bytes(), is_plain);
    (plain < s.len()).then_some(plain)
}

/// Whether a text contains tags or character references that should not be shown as they are.
pub fn contains_markup(s: &str) -> bool {
    if memchr2(b'<', b'&', s.as_bytes()).is_none() {
        return false;
    }
    let mut scanner = Scanner::new(s);
    while let Some(token) = scanner.next_token() {
        match token {
            Token::Text(part) if decode_entities(part) != part => return true,
            Token::Text(_) | Token::Cut(_) => {}
            _ => return true,
        }
    }
    false
}

/// The checkbox of a task list item as a character and a space; `None` if the attributes do not describe such
/// a checkbox. A checkbox that can be clicked belongs to a form.
pub fn task_box<'a, T: AsRef<str>>(
    attribute: impl Fn(&'a str) -> Option<T>,
) -> Option<&'static str> {
    let is_box = attribute("type")?.as_ref().trim().eq_ignore_ascii_case("checkbox");
    if !is_box || attribute("disabled").is_none() {
        return None;
    }
    Some(if attribute("checked").is_some() { "☑ " } else { "☐ " })
}

/// The plain text of a fragment, without building a tree: tags are dropped, references are decoded, blocks
/// are put on separate lines, whitespace is collapsed, and control characters are removed.
pub fn to_text(html: &str) -> String {
    if memchr2(b'<', b'&', html.as_bytes()).is_none() {
        return text::block(&collapse(html));
    }
    let mut out = String::with_capacity(html.len());
    pieces(html, |piece| match piece {
        Piece::Text(part) => push_collapsed(&mut out, part),
        Piece::Preformatted(part) => out.push_str(part),
        Piece::Gap(gap) => push_gap(&mut out, gap),
    });
    text::block(&out)
}

/// A part of a fragment's text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TextPart<'a> {
    /// References are decoded; whitespace and control characters are unchanged.
    Text(&'a str),
    /// A separator of words or of lines.
    Space,
    Line,
}

/// Calls `each` for the parts that [`to_text`] joins.
pub fn text_parts(html: &str, mut each: impl FnMut(TextPart<'_>)) {
    pieces(html, |piece| match piece {
        Piece::Text(part) | Piece::Preformatted(part) => each(TextPart::Text(part)),
        Piece::Gap(Gap::None) => {}
        Piece::Gap(Gap::Space) => each(TextPart::Space),
        Piece::Gap(Gap::Line | Gap::EmptyLine) => each(TextPart::Line),
    });
}

enum Piece<'a> {
    Text(&'a str),
    Preformatted(&'a str),
    Gap(Gap),
}

fn pieces(html: &str, mut each: impl FnMut(Piece<'_>)) {
    let mut scanner = Scanner::new(html);
    let mut preformatted = 0usize;
    let mut reading = ruby::Reading::default();
    while let Some(token) = scanner.next_token() {
        match token {
            Token::Text(part) if preformatted > 0 => {
                each(Piece::Preformatted(&decode_entities(part)));
            }
            Token::Text(part) | Token::Cut(part) => each(Piece::Text(&decode_entities(part))),
            Token::Open(tag) => {
                let name = lower(tag.name);
                preformatted += usize::from(name == "pre");
                reading.open(&name).into_iter().for_each(|sign| each(Piece::Text(sign)));
                each(Piece::Gap(gap(&name)));
                if HIDDEN.contains(&&*name) && !tag.self_closing() {
                    scanner.skip_raw(tag.name);
                }
            }
            Token::Close(name) => {
                let name = lower(name);
                preformatted = preformatted.saturating_sub(usize::from(name == "pre"));
                reading.close(&name).into_iter().for_each(|sign| each(Piece::Text(sign)));
                each(Piece::Gap(gap(&name)));
            }
            Token::Other => {}
        }
    }
}

/// Elements whose content is never readable text.
const HIDDEN: [&str; 7] = ["script", "style", "iframe", "noembed", "noframes", "template", "svg"];

/// The separator between an element and the text before it.
#[derive(Clone, Copy, PartialEq)]
enum Gap {
    None,
    Space,
    Line,
    EmptyLine,
}

/// Whether a tag with this name, in lower case, separates words in [`to_text`].
pub fn separates_words(name: &str) -> bool {
    gap(name) != Gap::None
}

/// The names are grouped by length, so that most are compared with few others.
fn gap(name: &str) -> Gap {
    let line = match name.len() {
        1 if name == "p" => return Gap::EmptyLine,
        2 => match name {
            "td" | "th" => return Gap::Space,
            "br" | "li" | "ul" | "ol" | "tr" | "h1" | "h2" | "h3" | "h4" | "h5" | "h6" | "hr"
            | "dd" | "dl" | "dt" => true,
            _ => false,
        },
        3 => matches!(name, "div" | "pre" | "nav"),
        4 => matches!(name, "form" | "main"),
        5 => matches!(name, "table" | "aside"),
        6 => matches!(name, "figure" | "header" | "footer" | "center" | "dialog" | "option"),
        7 => matches!(name, "section" | "article" | "address" | "caption" | "details" | "summary"),
        8 => name == "fieldset",
        10 => matches!(name, "blockquote" | "figcaption"),
        _ => false,
    };
    if line { Gap::Line } else { Gap::None }
}

fn push_gap(out: &mut String, gap: Gap) {
    if out.is_empty() || gap == Gap::None {
        return;
    }
    if gap == Gap::Space {
        if !out.ends_with(['\n', ' ']) {
            out.push(' ');
        }
        return;
    }
    out.truncate(out.trim_end_matches(' ').len());
    let wanted = if gap == Gap::EmptyLine { "\n\n" } else { "\n" };
    if !out.ends_with(wanted) {
        out.push('\n');
        if gap == Gap::EmptyLine && !out.ends_with(wanted) {
            out.push('\n');
        }
    }
}

fn lower(name: &str) -> Cow<'_, str> {
    if name.bytes().any(|b| b.is_ascii_uppercase()) {
        name.to_ascii_lowercase().into()
    } else {
        name.into()
    }
}

fn push_collapsed(out: &mut String, part: &str) {
    let mut rest = part;
    while let Some(at) = rest.find(char::is_whitespace) {
        out.push_str(&rest[..at]);
        if !out.is_empty() && !out.ends_with([' ', '\n']) {
            out.push(' ');
        }
        rest = rest[at..].trim_start();
    }
    out.push_str(rest);
}

fn collapse(s: &str) -> String {
    let mut out = String::with_capacity(s.len());
    push_collapsed(&mut out, s);
    out
}

#[cfg(test)]
mod drawing_tests;
#[cfg(test)]
mod tests;
