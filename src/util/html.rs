//! HTML from outside: limits of trees, safe HTML, plain text. All in linear time.

mod decode;
mod gate;
mod safe;
mod scan;
pub mod tree;

pub use decode::decode;
use gate::gate;
pub use scan::{Attributes, Scanner, Tag, Token, decode_entities};

use super::text;
use std::borrow::Cow;
use std::collections::HashSet;
use std::sync::LazyLock;
use url::Url;

/// Safe HTML: no scripts, styles, frames, forms or drawings, no event or style attributes, only
/// http, https and mailto links, made absolute with `base` (without a base, relative links lose
/// their target). Control characters are removed, every element is closed, and nesting is
/// flattened far below [`limits::PAGE_DEPTH`], so that building a tree of the result is always safe.
pub fn clean(html: &str, base: Option<&Url>) -> String {
    let html = html.trim();
    if !html.contains(['<', '>', '&', '"']) {
        return text::markup(html).into_owned();
    }
    let safe = safe::sanitise(&text::markup(html), base);
    // Character references may have encoded control characters.
    text::markup(safe.trim()).into_owned()
}

/// Plain text as safe HTML: escaped, with a paragraph for each run of non-empty lines.
pub fn paragraphs(plain: &str) -> String {
    let plain = text::block(plain);
    let mut out = String::with_capacity(plain.len() + 16);
    for part in plain.split("\n\n").map(|p| p.trim_matches('\n')).filter(|p| !p.is_empty()) {
        out.push_str("<p>");
        out.push_str(&escape(part).replace('\n', "<br>"));
        out.push_str("</p>");
    }
    out
}

/// Escapes `&`, `<` and `>`.
pub fn escape(plain: &str) -> Cow<'_, str> {
    if first_special(plain).is_none() {
        return plain.into();
    }
    let mut out = String::with_capacity(plain.len() + 16);
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
    out.into()
}

/// Position of the first character that [`escape`] replaces.
fn first_special(s: &str) -> Option<usize> {
    let special = |b: &u8| matches!(b, b'&' | b'<' | b'>' | b'"');
    // Checks a chunk at a time, without a branch per byte.
    let chunks = s.as_bytes().chunks_exact(32);
    let plain =
        chunks.take_while(|c| !c.iter().fold(false, |any, b| any | special(b))).count() * 32;
    s.as_bytes()[plain..].iter().position(special).map(|at| plain + at)
}

/// Whether a text contains tags or character references that should not be shown as they are.
pub fn contains_markup(s: &str) -> bool {
    if !s.contains(['<', '&']) {
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

/// The box of a task list as a character and a space; `None` if the attributes are not those of one.
/// A box that can be clicked belongs to a form.
pub fn task_box<'a, T: AsRef<str>>(
    attribute: impl Fn(&'a str) -> Option<T>,
) -> Option<&'static str> {
    let is_box = attribute("type")?.as_ref().trim().eq_ignore_ascii_case("checkbox");
    if !is_box || attribute("disabled").is_none() {
        return None;
    }
    Some(if attribute("checked").is_some() { "☑ " } else { "☐ " })
}

/// The plain text of a fragment, without building a tree: tags are dropped, references decoded,
/// blocks put on their own lines, white space collapsed, control characters removed.
pub fn to_text(html: &str) -> String {
    if !html.contains(['<', '&']) {
        return text::block(&collapse(html));
    }
    let mut out = String::with_capacity(html.len());
    let mut scanner = Scanner::new(html);
    let mut preformatted = 0usize;
    while let Some(token) = scanner.next_token() {
        match token {
            Token::Text(part) if preformatted > 0 => out.push_str(&decode_entities(part)),
            Token::Text(part) => push_collapsed(&mut out, &decode_entities(part)),
            Token::Open(tag) => {
                preformatted += usize::from(tag.is("pre"));
                break_line(&mut out, tag.name);
                if HIDDEN.iter().any(|name| tag.is(name)) && !tag.self_closing() {
                    scanner.skip_raw(tag.name);
                }
            }
            Token::Close(name) => {
                preformatted =
                    preformatted.saturating_sub(usize::from(name.eq_ignore_ascii_case("pre")));
                break_line(&mut out, name);
            }
            Token::Cut(rest) => push_collapsed(&mut out, &decode_entities(rest)),
            Token::Other => {}
        }
    }
    text::block(&out)
}

/// Elements whose content is never readable text.
const HIDDEN: [&str; 7] = ["script", "style", "iframe", "noembed", "noframes", "template", "svg"];

static BLOCKS: LazyLock<HashSet<&str>> = LazyLock::new(|| {
    "address article aside blockquote br caption center dd details dialog div dl dt fieldset \
     figcaption figure footer form h1 h2 h3 h4 h5 h6 header hr li main nav ol option p pre \
     section summary table tr ul"
        .split_whitespace()
        .collect()
});

fn break_line(out: &mut String, name: &str) {
    let lower = name.to_ascii_lowercase();
    let cell = matches!(lower.as_str(), "td" | "th");
    if cell && !out.ends_with(['\n', ' ']) && !out.is_empty() {
        out.push(' ');
    } else if BLOCKS.contains(lower.as_str()) && !out.is_empty() {
        out.truncate(out.trim_end_matches(' ').len());
        let wanted = if lower == "p" { "\n\n" } else { "\n" };
        if !out.ends_with(wanted) {
            out.push('\n');
            if wanted.len() > 1 && !out.ends_with(wanted) {
                out.push('\n');
            }
        }
    }
}

fn push_collapsed(out: &mut String, part: &str) {
    for c in part.chars() {
        if !c.is_whitespace() {
            out.push(c);
        } else if !out.is_empty() && !out.ends_with([' ', '\n']) {
            out.push(' ');
        }
    }
}

fn collapse(s: &str) -> String {
    let mut out = String::with_capacity(s.len());
    push_collapsed(&mut out, s);
    out
}

#[cfg(test)]
mod tests;
