//! Toggles: elements such as "Read more" that reveal more of a text on click. Their labels are not part of
//! the text, but the revealed content is, although the page hides it at first. When in doubt, visible text is
//! kept and hidden text is left out.

mod refused;
mod shown;

pub(super) use shown::Shown;

use super::blocks::{is_hidden, is_skipped};
use super::from_html::is_block;
use ego_tree::NodeRef;
use scraper::{ElementRef, Node};

/// Maximum length of a toggle's text, in characters including punctuation, and maximum number of nodes in a
/// toggle.
const MAX_TEXT: usize = 200;
const MAX_NODES: usize = 100;
/// Maximum number of nodes after a toggle that are searched for the end of its line, and maximum number of
/// nodes searched in each of them.
const MAX_AHEAD: usize = 50;
const MAX_WITHIN: usize = 20;

/// Labels of toggles in lower case, without spaces: those that continue a text, and those that may reveal
/// anything.
const READ: [&str; 19] = [
    "readmore",
    "readthefullarticle",
    "continuereading",
    "mehrlesen",
    "weiterlesen",
    "lirelasuite",
    "liresuite",
    "lireplus",
    "leermás",
    "leggidipiù",
    "leggitutto",
    "leiamais",
    "lermais",
    "leesmeer",
    "läsmer",
    "lesmer",
    "czytajwięcej",
    "показатьполностью",
    "続きを読む",
];
const SHOW: [&str; 21] = [
    "readless",
    "showmore",
    "showless",
    "seemore",
    "seeless",
    "viewmore",
    "mehranzeigen",
    "wenigeranzeigen",
    "voirplus",
    "voirmoins",
    "afficherplus",
    "affichermoins",
    "vermás",
    "vermenos",
    "mostrarmás",
    "mostraaltro",
    "vermais",
    "mostrarmais",
    "toonmeer",
    "visamer",
    "vismere",
];

/// The meaning of a toggle's label.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Toggle {
    /// Reveals the rest of a text.
    Read,
    /// Reveals more, which may be anything.
    Show,
}

impl Toggle {
    /// Recognises an element that contains only one of these labels and does not link to another page.
    /// `role` is its role.
    pub(super) fn of(e: ElementRef<'_>, role: &str) -> Option<Self> {
        let leads_nowhere = || {
            e.attr("href").is_none_or(|href| {
                let href = href.trim();
                href.is_empty() || href.starts_with('#') || href.starts_with("javascript:")
            })
        };
        let can_be = match e.value().name() {
            "a" => leads_nowhere(),
            "summary" | "button" | "label" => true,
            "span" | "div" => role == "button",
            _ => false,
        };
        can_be.then(|| Self::with_words(e)).flatten()
    }

    fn with_words(e: ElementRef<'_>) -> Option<Self> {
        let mut folded = String::new();
        let mut left = MAX_TEXT;
        for (at, node) in e.descendants().enumerate() {
            if at >= MAX_NODES {
                return None;
            }
            let Node::Text(text) = node.value() else { continue };
            for c in text.chars() {
                left = left.checked_sub(1)?;
                if c.is_alphanumeric() {
                    folded.extend(c.to_lowercase());
                }
            }
        }
        match folded.as_str() {
            words if READ.contains(&words) => Some(Self::Read),
            words if SHOW.contains(&words) => Some(Self::Show),
            _ => None,
        }
    }
}

fn is_toggle(e: ElementRef<'_>) -> bool {
    Toggle::of(e, e.attr("role").unwrap_or_default()).is_some()
}

/// Whether a toggle is separate from the surrounding text: in its own box or at the end of a line, after the
/// end of a sentence. `before` is the text before it in its block.
pub(super) fn is_apart(toggle: ElementRef<'_>, before: &str) -> bool {
    if is_block(toggle.value().name()) {
        return true;
    }
    // With neither a target nor the role of a button, it may be ordinary text.
    let is_text = toggle.value().name() == "a"
        && toggle.attr("href").is_none()
        && toggle.attr("role") != Some("button");
    !is_text && is_ended(before) && ends_line(toggle)
}

/// Whether a text is empty, ends like a sentence, or is truncated.
fn is_ended(text: &str) -> bool {
    let mut last = text.chars().rev().take(MAX_TEXT).skip_while(|c| c.is_whitespace());
    match last.next() {
        None => true,
        Some(
            '.' | '!' | '?' | '…' | ':' | ';' | '。' | '！' | '？' | '؟' | '|' | '·' | '•' | '–'
            | '—' | '-',
        ) => true,
        // A quotation mark or bracket after a space is an opening one.
        Some(')' | ']' | '"' | '\'' | '”' | '“' | '’' | '‘' | '»' | '«' | '」') => {
            last.next().is_some_and(|c| !c.is_whitespace())
        }
        Some(_) => false,
    }
}

/// Whether no visible words follow an element on its line.
fn ends_line(e: ElementRef<'_>) -> bool {
    let mut left = MAX_AHEAD;
    let mut at: NodeRef<'_, Node> = *e;
    loop {
        for next in at.next_siblings() {
            let Some(rest) = left.checked_sub(1) else { return false };
            left = rest;
            if let Some(next) = ElementRef::wrap(next) {
                let name = next.value().name();
                if name == "br" || is_block(name) {
                    return true;
                }
                if is_skipped(name) || is_hidden(next) || is_toggle(next) {
                    continue;
                }
            }
            if may_have_words(next) {
                return false;
            }
        }
        match at.parent() {
            Some(parent)
                if ElementRef::wrap(parent).is_some_and(|p| !is_block(p.value().name())) =>
            {
                at = parent;
            }
            _ => return true,
        }
    }
}

/// Whether a node contains words, or is too large to be searched.
fn may_have_words(node: NodeRef<'_, Node>) -> bool {
    let mut nodes = node.descendants();
    let has_words = |node: NodeRef<'_, Node>| match node.value() {
        Node::Text(text) => {
            let mut chars = text.chars();
            chars.by_ref().take(MAX_TEXT).any(char::is_alphanumeric) || chars.next().is_some()
        }
        _ => false,
    };
    nodes.by_ref().take(MAX_WITHIN).any(has_words) || nodes.next().is_some()
}

#[cfg(test)]
mod tests;
