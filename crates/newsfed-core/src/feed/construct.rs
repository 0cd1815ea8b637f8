//! Text, link and media constructs in the vocabularies used by feeds.

use super::element::Element;
use super::raw::{Base, RawLink, RawText, TextKind};
use base64::Engine;

/// An Atom text construct: plain text, HTML, XHTML, or a mode of Atom 0.3.
pub(super) fn atom_text(element: &Element, base: Base) -> RawText {
    let kind = element.attribute("type").unwrap_or("text").trim().to_ascii_lowercase();
    let mode = element.attribute("mode").unwrap_or_default().trim().to_ascii_lowercase();
    let has_markup = element.elements().next().is_some();
    let (value, kind) = match kind.as_str() {
        _ if mode == "base64" => return decoded(element, &kind, base),
        _ if mode == "escaped" => (element.text(), TextKind::Guess),
        _ if has_markup => (element.inner_html(base.as_deref()), TextKind::Html),
        "text" | "text/plain" => (element.text(), TextKind::Plain),
        "html" | "text/html" => (element.text(), TextKind::Html),
        "xhtml" | "application/xhtml+xml" => (element.inner_html(None), TextKind::Html),
        other if other.ends_with("xml") || other.starts_with("text/") => {
            (element.text(), TextKind::Plain)
        }
        other if other.contains('/') => return decoded(element, &kind, base),
        _ => (element.text(), TextKind::Guess),
    };
    RawText { value, kind, base }
}

/// Decodes Base64 content. Binary data is dropped.
fn decoded(element: &Element, kind: &str, base: Base) -> RawText {
    let source: String = element.text().split_whitespace().collect();
    let bytes = base64::engine::general_purpose::STANDARD.decode(source.as_bytes());
    let text = bytes.ok().and_then(|b| String::from_utf8(b).ok());
    let media =
        ["image/", "audio/", "video/", "application/octet"].iter().any(|m| kind.starts_with(m));
    let kind = if kind.contains("html") { TextKind::Html } else { TextKind::Guess };
    match text {
        Some(value) => RawText { value, kind, base },
        // An image is not text, but content with another unusual media type is.
        None if media => RawText::default(),
        None => RawText { value: element.text(), kind, base },
    }
}

/// RSS text, which does not declare whether it is HTML.
pub(super) fn rss_text(element: &Element, base: Base) -> RawText {
    if element.attribute("type").is_some() || element.attribute("mode").is_some() {
        let text = atom_text(element, base.clone());
        if text.kind != TextKind::Plain {
            return text;
        }
    }
    if element.elements().next().is_some() {
        return RawText { value: element.inner_html(base.as_deref()), kind: TextKind::Html, base };
    }
    RawText { value: element.text(), kind: TextKind::Guess, base }
}

/// Text that is defined as HTML source.
pub(super) fn html_text(element: &Element, base: Base) -> RawText {
    RawText { kind: TextKind::Html, ..rss_text(element, base) }
}

/// An Atom link (`href` attribute) or an RSS link (text).
pub(super) fn link(element: &Element, base: Base) -> RawLink {
    let number = |name: &str| element.attribute(name).and_then(|v| v.trim().parse().ok());
    let text = || element.text().trim().to_owned();
    let href = element.attribute("href").map(str::to_owned).filter(|h| !h.trim().is_empty());
    // Media RSS and RSS enclosures use `url`; RDF uses `rdf:resource`.
    let href = href.or_else(|| element.attribute("url").map(str::to_owned));
    let href = href.unwrap_or_else(|| {
        let text = text();
        if text.is_empty() {
            element.attribute("resource").unwrap_or_default().to_owned()
        } else {
            text
        }
    });
    RawLink {
        href,
        rel: relation(element.attribute("rel")),
        mime: element.attribute("type").map(|t| t.trim().to_owned()).filter(|t| !t.is_empty()),
        bytes: number("length").or_else(|| number("filesize")).filter(|n| *n > 0),
        seconds: number("duration"),
        base,
    }
}

fn relation(rel: Option<&str>) -> String {
    let rel = rel.unwrap_or_default().trim().to_ascii_lowercase();
    let rel = rel.trim_start_matches("http://www.iana.org/assignments/relation/");
    if rel.is_empty() { "alternate".to_owned() } else { rel.to_owned() }
}

/// A duration such as `1:02:03`, `62:03` or `3723`, in seconds.
pub(super) fn play_time(text: &str) -> Option<u64> {
    let parts: Vec<&str> = text.trim().split(':').collect();
    if parts.len() > 3 {
        return None;
    }
    parts.iter().try_fold(0u64, |sum, part| {
        let part: u64 = part.split('.').next()?.trim().parse().ok()?;
        sum.checked_mul(60)?.checked_add(part)
    })
}
