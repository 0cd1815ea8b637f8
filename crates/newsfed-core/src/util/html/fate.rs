//! Selects the elements that safe HTML keeps.

/// How safe HTML treats an element.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Fate {
    /// Dropped with its content, which is raw text up to the end tag.
    Raw,
    /// Dropped with its content.
    Dropped,
    /// Kept only if it is a checkbox of a task list.
    Input,
    /// Kept; it has no content.
    Void,
    Kept,
    /// Its tags are dropped, but its content is kept.
    Unwrapped,
}

/// How safe HTML treats elements with this name. The names are grouped by length, so that most are compared
/// with few others.
pub(super) fn fate(name: &str) -> Fate {
    use Fate::{Dropped, Input, Kept, Raw, Unwrapped, Void};
    match name.len() {
        1 => match name {
            "a" | "b" | "i" | "p" | "q" | "s" | "u" => Kept,
            _ => Unwrapped,
        },
        2 => match name {
            "br" | "hr" => Void,
            "li" | "em" | "td" | "tr" | "ul" | "ol" | "h1" | "h2" | "h3" | "h4" | "h5" | "h6"
            | "th" | "dd" | "dl" | "dt" | "rp" | "rt" | "tt" => Kept,
            _ => Unwrapped,
        },
        3 => match name {
            "img" | "col" | "wbr" => Void,
            "div" | "pre" | "sub" | "sup" | "bdi" | "del" | "dfn" | "ins" | "kbd" | "nav"
            | "var" => Kept,
            "svg" => Dropped,
            _ => Unwrapped,
        },
        4 => match name {
            "span" | "code" | "cite" | "abbr" | "data" | "main" | "mark" | "ruby" | "samp"
            | "time" => Kept,
            _ => Unwrapped,
        },
        5 => match name {
            "table" | "tbody" | "tfoot" | "thead" | "small" | "aside" | "audio" | "video" => Kept,
            "style" | "title" => Raw,
            "input" => Input,
            _ => Unwrapped,
        },
        6 => match name {
            "strong" | "figure" | "header" | "footer" | "center" | "hgroup" | "strike" => Kept,
            "script" | "iframe" => Raw,
            "source" => Void,
            _ => Unwrapped,
        },
        7 => match name {
            "section" | "article" | "address" | "caption" | "details" | "picture" | "summary" => {
                Kept
            }
            "noembed" => Raw,
            _ => Unwrapped,
        },
        8 => match name {
            "colgroup" => Kept,
            "noframes" => Raw,
            "template" => Dropped,
            _ => Unwrapped,
        },
        10 if matches!(name, "blockquote" | "figcaption") => Kept,
        _ => Unwrapped,
    }
}

/// Whether an element ends an open paragraph.
pub(super) fn is_block(name: &str) -> bool {
    match name.len() {
        1 => name == "p",
        2 => matches!(
            name,
            "li" | "ul"
                | "ol"
                | "h1"
                | "h2"
                | "h3"
                | "h4"
                | "h5"
                | "h6"
                | "hr"
                | "dd"
                | "dl"
                | "dt"
        ),
        3 => matches!(name, "div" | "pre" | "nav"),
        4 => name == "main",
        5 => matches!(name, "table" | "aside"),
        6 => matches!(name, "figure" | "header" | "footer" | "center" | "hgroup"),
        7 => matches!(name, "section" | "article" | "address" | "details"),
        10 => matches!(name, "blockquote" | "figcaption"),
        _ => false,
    }
}
