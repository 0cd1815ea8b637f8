//! Formulas as text: their TeX source, or the symbols of MathML in a row.

use scraper::{ElementRef, Node};

/// Maximum number of nodes of a formula.
const MAX_NODES: usize = 2000;

/// The text of a `math` element.
pub(super) fn text(math: ElementRef<'_>) -> String {
    let tex = math.descendent_elements().take(MAX_NODES).find(|e| {
        let encoding = e.attr("encoding").unwrap_or_default();
        e.value().name() == "annotation" && encoding.ends_with("x-tex")
    });
    if let Some(tex) = tex {
        return tex.text().collect::<String>().trim().to_owned();
    }
    if let Some(tex) = math.attr("alttext") {
        return tex.trim().to_owned();
    }
    let mut out = String::new();
    symbols(math, 0, &mut out);
    out
}

fn symbols(e: ElementRef<'_>, depth: usize, out: &mut String) {
    if depth > 24 || out.len() > 4 * MAX_NODES {
        return;
    }
    let sign = match e.value().name() {
        "msup" => Some("^"),
        "msub" => Some("_"),
        "mfrac" => Some("/"),
        "annotation" | "annotation-xml" => return,
        _ => None,
    };
    let mut first = true;
    for child in e.children() {
        match child.value() {
            Node::Text(text) => out.push_str(text.trim()),
            Node::Element(_) => {
                if let Some(sign) = sign.filter(|_| !first) {
                    out.push_str(sign);
                }
                first = false;
                if let Some(child) = ElementRef::wrap(child) {
                    symbols(child, depth + 1, out);
                }
            }
            _ => {}
        }
    }
}

/// Whether an element only draws a formula whose source is beside it.
pub(super) fn is_rendering(e: ElementRef<'_>) -> bool {
    e.attr("class").is_some_and(is_rendering_class)
}

pub(super) fn is_rendering_class(class: &str) -> bool {
    class.split_ascii_whitespace().any(|c| matches!(c, "katex-html" | "MathJax_Preview"))
}
