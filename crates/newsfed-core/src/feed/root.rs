//! Finds the start of the feed in a document, or detects what else the document is.

use super::FeedError;
use crate::model::Outcome;
use crate::util::html::{Scanner, Token};
use crate::util::text;

/// The kind of a document with a feed.
pub(super) enum Root<'a> {
    /// JSON text, without the call around it that JSONP adds.
    Json(&'a str),
    /// XML with a root element that starts at this byte offset.
    Xml { start: usize },
}

/// HTML elements that may precede a feed, as error notices from broken servers.
const PAGE: [&str; 24] = [
    "html", "head", "body", "title", "meta", "link", "br", "b", "p", "div", "pre", "font", "table",
    "tr", "td", "span", "i", "hr", "center", "a", "script", "style", "h1", "strong",
];

const BINARY: &str = "a binary file";

pub(super) fn find(text: &str) -> Result<Root<'_>, FeedError> {
    let start = text.trim_start_matches(is_filler);
    if start.is_empty() {
        return Err(FeedError::not_a_feed("an empty document"));
    }
    if start.starts_with(['{', '[']) {
        return Ok(Root::Json(start));
    }
    if let Some(inner) = script_call(start) {
        return Ok(Root::Json(inner));
    }
    if is_binary(text) {
        return Err(FeedError::not_a_feed(BINARY));
    }
    let mut scanner = Scanner::new(text);
    let mut first: Option<String> = None;
    let kind = loop {
        let at = scanner.position();
        let Some(token) = scanner.next_token() else {
            break match first {
                Some(_) => Outcome::HTML_PAGE.to_owned(),
                None if text.contains("<?xml") => "an XML document without content".to_owned(),
                None => "plain text".to_owned(),
            };
        };
        let Token::Open(tag) = token else { continue };
        let local = tag.name.rsplit(':').next().unwrap_or(tag.name).to_ascii_lowercase();
        let is_page = first.as_deref().is_some_and(|f| PAGE.contains(&f));
        if is_root(&local, is_page) {
            return Ok(Root::Xml { start: at });
        }
        if first.is_none() && !PAGE.contains(&local.as_str()) {
            break describe(&local);
        }
        if matches!(local.as_str(), "script" | "style" | "textarea") {
            scanner.skip_raw(tag.name);
        }
        first.get_or_insert(local);
    };
    Err(FeedError::not_a_feed(if has_control_characters(text) { BINARY.to_owned() } else { kind }))
}

/// Records the content that was skipped before the root.
pub(super) fn note_prologue(head: &str, repairs: &mut Vec<String>) {
    let mut scanner = Scanner::new(head);
    let mut junk = false;
    while let Some(token) = scanner.next_token() {
        junk |= match token {
            // The rest of a document type declaration ends with a bracket.
            Token::Text(text) => {
                !text.trim_matches(|c| is_filler(c) || "]>".contains(c)).is_empty()
            }
            Token::Open(_) | Token::Close(_) => true,
            Token::Other | Token::Cut(_) => false,
        };
    }
    if junk {
        repairs.push("text before the feed was skipped".to_owned());
    } else if !head.is_empty() && !head.starts_with('<') {
        repairs.push("whitespace before the feed was skipped".to_owned());
    }
}

fn is_root(local: &str, in_page: bool) -> bool {
    match local {
        "rss" | "rdf" | "feed" => true,
        "channel" | "entry" => !in_page,
        _ => false,
    }
}

fn is_filler(c: char) -> bool {
    c.is_whitespace() || c.is_control() || matches!(c, '\u{feff}' | '\u{200b}')
}

/// Maximum number of unexpected characters at the beginning of text.
const MAX_UNEXPECTED: usize = 8;

fn is_binary(text: &str) -> bool {
    text.starts_with("%PDF")
        || text.chars().take(16).filter(|c| *c == '\u{fffd}').count() > 1
        || text.chars().take(1024).filter(|c| *c == '\0').count() > MAX_UNEXPECTED
}

/// Whether a document without a feed is binary. Feeds with a wrong encoding contain control characters too.
fn has_control_characters(text: &str) -> bool {
    // Text with escape sequences for Japanese characters contains ESC.
    let unexpected = |c: &char| c.is_ascii_control() && !c.is_whitespace() && *c != '\u{1b}';
    text.chars().take(1024).filter(unexpected).count() > MAX_UNEXPECTED
}

/// The argument of a script call such as `callback({...});`.
fn script_call(text: &str) -> Option<&str> {
    let name_len = text.find('(').filter(|at| *at <= 64)?;
    let (name, rest) = text.split_at(name_len);
    let plain = name.chars().all(|c| c.is_ascii_alphanumeric() || "_.$".contains(c));
    let inner = rest[1..].trim_start();
    let inner = inner.starts_with('{').then_some(inner)?;
    plain.then(|| inner.rfind('}').map(|end| &inner[..=end])).flatten()
}

fn describe(root: &str) -> String {
    let name = text::truncate(&text::line(root), 30).into_owned();
    match name.as_str() {
        "opml" => "an OPML list of feeds; import it with `newsfed import`".to_owned(),
        "urlset" | "sitemapindex" => "a sitemap".to_owned(),
        "svg" => "an SVG image".to_owned(),
        "service" => "an AtomPub service document".to_owned(),
        "envelope" => "a SOAP message".to_owned(),
        _ => format!("an XML document of another kind (<{name}>)"),
    }
}
