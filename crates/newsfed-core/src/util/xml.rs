//! Writes XML.

use quick_xml::escape::escape;
use std::borrow::Cow;
use std::fmt::Write;

/// The XML declaration at the start of a document.
pub const DECLARATION: &str = "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n";

/// Appends an element that contains text.
pub fn element(out: &mut String, name: &str, attributes: &[(&str, &str)], text: &str) {
    start(out, name, attributes);
    out.push_str(&escaped(text));
    end(out, name);
}

/// Appends an element without content.
pub fn empty(out: &mut String, name: &str, attributes: &[(&str, &str)]) {
    start(out, name, attributes);
    // The start tag is already closed, so it is changed to an empty-element tag.
    out.truncate(out.len() - 1);
    out.push_str("/>");
}

/// Appends a start tag.
pub fn start(out: &mut String, name: &str, attributes: &[(&str, &str)]) {
    let _ = write!(out, "<{name}");
    for (name, value) in attributes {
        let _ = write!(out, " {name}=\"{}\"", escaped(value));
    }
    out.push('>');
}

/// Appends an end tag.
pub fn end(out: &mut String, name: &str) {
    let _ = write!(out, "</{name}>");
}

/// The text without characters that XML 1.0 cannot contain at all.
pub fn allowed(text: &str) -> Cow<'_, str> {
    let is_allowed = |c: char| !matches!(c, '\u{0}'..='\u{8}' | '\u{b}' | '\u{c}' | '\u{e}'..='\u{1f}' | '\u{fffe}' | '\u{ffff}');
    match text.chars().all(is_allowed) {
        true => text.into(),
        false => text.chars().filter(|c| is_allowed(*c)).collect::<String>().into(),
    }
}

/// The text with special characters escaped.
fn escaped(text: &str) -> String {
    escape(allowed(text)).into_owned()
}
