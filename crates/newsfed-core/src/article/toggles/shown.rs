//! The hidden elements that toggles reveal.

use super::refused::is_refused;
use super::{MAX_WITHIN, Toggle, is_toggle, may_have_words};
use crate::article::blocks::{is_hidden, is_skipped};
use ego_tree::{NodeId, NodeRef};
use scraper::{ElementRef, Node};
use std::collections::{HashMap, HashSet};

/// Maximum number of nodes next to a toggle that are searched.
const MAX_BESIDE: usize = 20;
/// Minimum number of words in running text.
const PROSE: usize = 8;
/// Maximum number of nested boxes around a text that contain nothing else.
const MAX_AROUND: usize = 3;

/// The content that the toggles of a page reveal.
#[derive(Default)]
pub(in crate::article) struct Shown<'a> {
    nodes: HashSet<NodeId>,
    refused: HashSet<NodeId>,
    /// Elements by id, built when the first toggle has a target.
    ids: Option<HashMap<&'a str, ElementRef<'a>>>,
}

impl<'a> Shown<'a> {
    /// Adds the hidden element that a toggle reveals: its target, or else an element that continues the
    /// adjacent text. Returns whether an element was added.
    pub(in crate::article) fn add(&mut self, toggle: ElementRef<'a>, kind: Toggle) -> bool {
        let named = self.named(toggle);
        let target = match named.is_empty() {
            true => beside(toggle, kind),
            false => named.into_iter().find(|e| is_hidden(*e)),
        };
        let Some(target) = target.filter(|e| !self.refused.contains(&e.id())) else { return false };
        if self.nodes.contains(&target.id()) {
            return true;
        }
        let refused = is_refused(target);
        match refused {
            true => self.refused.insert(target.id()),
            false => self.nodes.insert(target.id()),
        };
        !refused
    }

    pub(in crate::article) fn contains(&self, hidden: ElementRef<'_>) -> bool {
        self.nodes.contains(&hidden.id())
    }

    /// Whether a link leads to a visible element.
    pub(in crate::article) fn leads_to_text(&mut self, link: ElementRef<'a>) -> bool {
        let target = link.attr("href").and_then(|href| href.trim().strip_prefix('#'));
        target.and_then(|id| self.by_id(link, id)).is_some_and(|e| !is_hidden(e))
    }

    /// The target elements of a toggle.
    fn named(&mut self, toggle: ElementRef<'a>) -> Vec<ElementRef<'a>> {
        let controlled = toggle.attr("aria-controls").unwrap_or_default();
        let targets = ["href", "data-target", "data-bs-target"].iter();
        let targets = targets.filter_map(|name| toggle.attr(name)?.trim().strip_prefix('#'));
        let ids = controlled.split_ascii_whitespace().take(MAX_BESIDE).chain(targets);
        ids.filter_map(|id| self.by_id(toggle, id)).collect()
    }

    fn by_id(&mut self, any: ElementRef<'a>, id: &str) -> Option<ElementRef<'a>> {
        if id.is_empty() {
            return None;
        }
        let ids = self.ids.get_or_insert_with(|| {
            let mut ids = HashMap::new();
            for element in any.tree().root().descendants().filter_map(ElementRef::wrap) {
                if let Some(id) = element.attr("id") {
                    ids.entry(id).or_insert(element);
                }
            }
            ids
        });
        ids.get(id).copied()
    }
}

/// The hidden text after a toggle, if it continues the text before the toggle, or else hidden text between
/// that text and the toggle.
fn beside<'a>(toggle: ElementRef<'a>, kind: Toggle) -> Option<ElementRef<'a>> {
    // If a toggle is alone in its box, the siblings of the box are also searched.
    let parent = toggle.parent().and_then(ElementRef::wrap);
    let alone = parent.filter(|parent| Toggle::with_words(*parent).is_some());
    let places = || std::iter::once(toggle).chain(alone);
    let next = places().find_map(|place| {
        let next = neighbour(place.next_siblings()).filter(|next| is_hidden(*next))?;
        Some((place, next))
    });
    if let Some((place, next)) = next {
        return (is_prose(next) && follows_text(place, true)).then_some(next);
    }
    if kind != Toggle::Read {
        return None;
    }
    let previous = places().find_map(|place| neighbour(place.prev_siblings()));
    previous.filter(|e| is_hidden(*e) && is_prose(*e) && follows_text(*e, false))
}

/// The first element with words, if no text comes before it. Buttons are skipped.
fn neighbour<'a>(nodes: impl Iterator<Item = NodeRef<'a, Node>>) -> Option<ElementRef<'a>> {
    for node in nodes.take(MAX_BESIDE) {
        match ElementRef::wrap(node) {
            Some(e) if is_between(e) || !may_have_words(node) => {}
            Some(e) => return Some(e),
            None if may_have_words(node) => return None,
            None => {}
        }
    }
    None
}

fn is_between(e: ElementRef<'_>) -> bool {
    let name = e.value().name();
    matches!(name, "br" | "hr" | "input") || is_skipped(name) || is_toggle(e)
}

/// Whether an element contains running text, directly or in paragraphs.
fn is_prose(e: ElementRef<'_>) -> bool {
    let mut at = e;
    for _ in 0..=MAX_AROUND {
        if matches!(at.value().name(), "p" | "span" | "em" | "i" | "b" | "strong" | "font") {
            return may_have_words(*at);
        }
        let mut within = at.children().take(MAX_BESIDE).filter_map(ElementRef::wrap);
        if within.clone().any(|e| e.value().name() == "p" && may_have_words(*e)) {
            return true;
        }
        match (within.next(), within.next()) {
            (Some(only), None) if is_box(only) => at = only,
            _ => return false,
        }
    }
    false
}

fn is_box(e: ElementRef<'_>) -> bool {
    matches!(e.value().name(), "div" | "section" | "article" | "p")
}

/// Whether visible running text is directly before an element, or before the paragraph that begins with the
/// element. With `boxed`, the text may be in a box.
fn follows_text(e: ElementRef<'_>, boxed: bool) -> bool {
    let parent = e.parent().and_then(ElementRef::wrap).filter(|p| p.value().name() == "p");
    std::iter::once(e).chain(parent).any(|place| {
        let mut before = place.prev_siblings().take(MAX_BESIDE).filter(|node| {
            let is_other = |e| is_between(e) || is_hidden(e);
            may_have_words(*node) && !ElementRef::wrap(*node).is_some_and(is_other)
        });
        before.next().is_some_and(|node| is_text(node, if boxed { MAX_AROUND } else { 0 }))
    })
}

/// Whether a node is running text, a paragraph, or at most `boxes` nested boxes that end with a paragraph.
fn is_text(node: NodeRef<'_, Node>, boxes: usize) -> bool {
    let Some(e) = ElementRef::wrap(node) else { return has_many_words(node) };
    match e.value().name() {
        "p" => has_many_words(node),
        "div" | "section" if boxes > 0 => {
            let mut last = node.children().rev().take(MAX_BESIDE).filter(|n| may_have_words(*n));
            last.next().is_some_and(|last| is_text(last, boxes - 1))
        }
        _ => false,
    }
}

/// Whether a node has enough words to be running text.
fn has_many_words(node: NodeRef<'_, Node>) -> bool {
    let (mut words, mut left) = (0, 400);
    for node in node.descendants().take(MAX_WITHIN) {
        let Node::Text(text) = node.value() else { continue };
        let start: String = text.chars().take(left).collect();
        left -= start.chars().count();
        words += crate::article::words::count(&start);
    }
    words >= PROSE
}
