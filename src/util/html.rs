//! HTML from outside: depth, safe HTML, plain text. All of it in linear time.

mod depth;
mod scan;

pub use depth::depth_exceeds;
pub use scan::{Attributes, Scanner, Tag, Token, decode_entities};

use super::text;
use depth::RAW;
use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;
use url::Url;

/// Deepest nesting of which a tree is built.
pub const MAX_DEPTH: usize = 512;

/// Safe HTML: no scripts, styles, frames, forms or drawings, no event or style attributes, only
/// http, https and mailto links, made absolute with `base` (relative ones lose their target when
/// there is none). Control characters are removed. HTML nested deeper than [`MAX_DEPTH`] comes
/// back as its plain text in paragraphs.
pub fn clean(html: &str, base: Option<&Url>) -> String {
    Cleaner::new(base).clean(html)
}

/// [`clean`] for many fragments with one base address.
pub struct Cleaner {
    policy: ammonia::Builder<'static>,
    base: Option<Url>,
}

impl Cleaner {
    /// A cleaner that resolves addresses against `base`.
    pub fn new(base: Option<&Url>) -> Self {
        Self { policy: policy(base), base: base.cloned() }
    }

    /// The base address it was made for.
    pub fn base(&self) -> Option<&Url> {
        self.base.as_ref()
    }

    /// See [`clean`].
    pub fn clean(&self, html: &str) -> String {
        let html = html.trim();
        if !html.contains(['<', '>', '&']) {
            return text::markup(html).into_owned();
        }
        let html = without_empty_raw(html);
        if depth_exceeds(&html, MAX_DEPTH) {
            return paragraphs(&to_text(&html));
        }
        text::markup(self.policy.clean(&html).to_string().trim()).into_owned()
    }
}

/// HTML without elements such as `<iframe src="x"/>`, as XML tools write them: to HTML they have no
/// end, and everything behind them would be their content.
fn without_empty_raw(html: &str) -> Cow<'_, str> {
    if !html.contains("/>") {
        return Cow::Borrowed(html);
    }
    let mut out = String::new();
    let mut kept = 0;
    let mut scanner = Scanner::new(html);
    loop {
        let start = scanner.position();
        match scanner.next_token() {
            Some(Token::Open(tag)) if RAW.iter().any(|name| tag.is(name)) => {
                if tag.self_closing() {
                    out.push_str(&html[kept..start]);
                    kept = scanner.position();
                } else {
                    scanner.skip_raw(tag.name);
                }
            }
            Some(_) => {}
            None if kept == 0 => return Cow::Borrowed(html),
            None => break,
        }
    }
    out.push_str(&html[kept..]);
    Cow::Owned(out)
}

/// Plain text as safe HTML: escaped, one paragraph per run of lines between empty lines.
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

/// Text with `&`, `<` and `>` written as references.
pub fn escape(plain: &str) -> Cow<'_, str> {
    if !plain.contains(['&', '<', '>', '"']) {
        return plain.into();
    }
    let mut out = String::with_capacity(plain.len() + 16);
    for c in plain.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            _ => out.push(c),
        }
    }
    out.into()
}

/// Whether a text holds tags or character references that a reader would not want to see.
pub fn looks_like_html(s: &str) -> bool {
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

/// The plain text of a fragment, without building a tree: tags dropped, references decoded,
/// blocks on lines of their own, white space collapsed, control characters removed.
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

/// Elements whose content is never text to read.
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

fn policy(base: Option<&Url>) -> ammonia::Builder<'static> {
    let mut policy = ammonia::Builder::default();
    policy
        .add_tags(["audio", "video", "source", "section", "main", "picture"])
        .rm_tags(["bdo", "map", "area"])
        .add_tag_attributes("audio", ["src"])
        .add_tag_attributes("video", ["src", "poster"])
        .add_tag_attributes("source", ["src", "type"])
        .add_tag_attributes("code", ["class"])
        .add_clean_content_tags(HIDDEN.into_iter().chain(["noscript"]))
        .url_schemes(HashSet::from(["http", "https", "mailto"]))
        .url_relative(match base {
            Some(base) => ammonia::UrlRelative::RewriteWithBase(base.clone()),
            None => ammonia::UrlRelative::Deny,
        })
        .allowed_classes(HashMap::new())
        .link_rel(None);
    policy
}

#[cfg(test)]
mod tests;
