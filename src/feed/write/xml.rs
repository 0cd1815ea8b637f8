//! Elements of XML.

use quick_xml::escape::escape;
use std::fmt::Write;

pub(super) const DECLARATION: &str = "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n";

/// Appends an element with a text.
pub(super) fn element(out: &mut String, name: &str, attributes: &[(&str, &str)], text: &str) {
    start(out, name, attributes);
    out.push_str(&escaped(text));
    end(out, name);
}

/// Appends an element without content.
pub(super) fn empty(out: &mut String, name: &str, attributes: &[(&str, &str)]) {
    start(out, name, attributes);
    // The tag is closed already: make it an empty one.
    out.truncate(out.len() - 1);
    out.push_str("/>");
}

/// Appends a start tag.
pub(super) fn start(out: &mut String, name: &str, attributes: &[(&str, &str)]) {
    let _ = write!(out, "<{name}");
    for (name, value) in attributes {
        let _ = write!(out, " {name}=\"{}\"", escaped(value));
    }
    out.push('>');
}

/// Appends an end tag.
pub(super) fn end(out: &mut String, name: &str) {
    let _ = write!(out, "</{name}>");
}

/// The text with references. What XML 1.0 cannot contain at all is left out.
fn escaped(text: &str) -> String {
    let allowed = |c: char| !matches!(c, '\u{0}'..='\u{8}' | '\u{b}' | '\u{c}' | '\u{e}'..='\u{1f}' | '\u{fffe}' | '\u{ffff}');
    match text.chars().all(allowed) {
        true => escape(text).into_owned(),
        false => escape(text.chars().filter(|c| allowed(*c)).collect::<String>()).into_owned(),
    }
}
