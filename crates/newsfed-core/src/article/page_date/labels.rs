//! Words around a date that determine its meaning, in many languages.

use super::label_words::{MODIFIED, OTHER, PUBLISHED, WEAK};
use aho_corasick::AhoCorasick;
use std::sync::LazyLock;

/// The meaning of a date according to the words around it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Label {
    Published,
    Modified,
    /// A date of something else: an event, a deadline, a copyright, a citation, "member since".
    Other,
}

/// The label in the words before a date or, if there is none, in the words after it.
pub(super) fn of(before: &str, after: &str) -> Option<Label> {
    nearest(before).or_else(|| first(after))
}

/// Whether the words before a date mark it as the first publication.
pub(super) fn is_original(before: &str) -> bool {
    const WORDS: [&str; 9] = [
        "originally p",
        "first p",
        "ursprünglich",
        "zuerst",
        "erstmals",
        "initialement",
        "originalmente",
        "originariamente",
        "oorspronkelijk",
    ];
    let text = tail(before, 40);
    WORDS.iter().any(|word| has(text, word))
}

/// Whether a text contains a label of a publication.
pub(super) fn is_published(text: &str) -> bool {
    hits(tail(text, 400)).iter().any(|hit| hit.label == Some(Label::Published))
}

/// Whether the label before a date only announces a date, as in "Date:".
pub(super) fn is_weak(before: &str) -> bool {
    let hits = hits(tail(before, 90));
    let has = |label| hits.iter().any(|hit| hit.label == label);
    has(None) && !has(Some(Label::Published))
}

/// The label that is closest to the end of a text.
fn nearest(text: &str) -> Option<Label> {
    let hits = hits(tail(text, 90));
    let last = |label| hits.iter().filter(|hit| hit.label == label).map(|hit| hit.at).max();
    let found =
        [Label::Modified, Label::Other, Label::Published].map(|label| (last(Some(label)), label));
    let best = found.iter().filter(|f| f.0.is_some()).max_by_key(|f| f.0);
    best.map(|b| b.1).or_else(|| last(None).map(|_| Label::Published))
}

/// The label at the start of a text. Labels of the next date come later in the text.
fn first(text: &str) -> Option<Label> {
    let text = text.trim_start_matches(|c: char| !c.is_alphabetic());
    let text = crate::util::text::start(text, 48);
    let starts = |words: &[&str]| words.iter().any(|w| text.starts_with(w));
    let hits = hits(text);
    // Only the last occurrence of each word counts.
    let is_last = |at: usize| !hits[at + 1..].iter().any(|hit| hit.word == hits[at].word);
    let at = |label| {
        let all = hits.iter().enumerate().filter(|(at, hit)| hit.label == label && is_last(*at));
        all.map(|(_, hit)| hit.at).min()
    };
    let (modified, published) = (at(Some(Label::Modified)), at(Some(Label::Published)));
    if modified.is_some_and(|at| text[at..].contains(|c: char| c.is_ascii_digit())) {
        // The label belongs to the date in the text after it.
        return None;
    }
    match (modified, published) {
        (Some(modified), published) if published.is_none_or(|p| modified < p) => {
            Some(Label::Modified)
        }
        _ if starts(OTHER) => Some(Label::Other),
        (_, published) => published.map(|_| Label::Published),
    }
}

/// An occurrence of a label word in a text.
struct Hit {
    word: usize,
    at: usize,
    /// `None` for weak words.
    label: Option<Label>,
}

/// Occurrences of label words, sorted by their ends.
fn hits(text: &str) -> Vec<Hit> {
    const KINDS: [(&[&str], Option<Label>); 4] = [
        (MODIFIED, Some(Label::Modified)),
        (OTHER, Some(Label::Other)),
        (PUBLISHED, Some(Label::Published)),
        (WEAK, None),
    ];
    static WORDS: LazyLock<Option<AhoCorasick>> =
        LazyLock::new(|| AhoCorasick::new(KINDS.iter().flat_map(|kind| kind.0)).ok());
    let Some(words) = &*WORDS else { return Vec::new() };
    let label = |mut word: usize| {
        KINDS.iter().find_map(|(words, label)| match word.checked_sub(words.len()) {
            Some(rest) => {
                word = rest;
                None
            }
            None => Some(*label),
        })?
    };
    words
        .find_overlapping_iter(text)
        .filter(|found| is_start(text, found.start()))
        .map(|found| {
            let word = found.pattern().as_usize();
            Hit { word, at: found.start(), label: label(word) }
        })
        .collect()
}

/// Whether a word begins at an offset. Scripts without spaces have no word boundaries.
fn is_start(text: &str, at: usize) -> bool {
    let mut around = text[..at].chars().rev().take(1).chain(text[at..].chars().take(1));
    match (around.next(), around.next()) {
        (Some(before), Some(first)) => {
            !(before.is_alphabetic() && first.is_alphabetic() && u32::from(first) < 0xE00)
        }
        _ => true,
    }
}

/// Whether a word of the text has the prefix `word`.
fn has(text: &str, word: &str) -> bool {
    text.match_indices(word).any(|(at, _)| is_start(text, at))
}

fn tail(text: &str, most: usize) -> &str {
    let mut from = text.len().saturating_sub(most);
    while !text.is_char_boundary(from) {
        from += 1;
    }
    &text[from..]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn uses_the_nearest_label() {
        let cases = [
            ("last updated: ", "", Some(Label::Modified)),
            ("published 1 may, updated ", "", Some(Label::Modified)),
            ("zuletzt aktualisiert am ", "", Some(Label::Modified)),
            ("", " (updated)", Some(Label::Modified)),
            ("", " · 4 min read", None),
            ("© ", "", Some(Label::Other)),
            ("最終更新: ", "", Some(Label::Modified)),
            ("by ann lee, ", "", None),
        ];
        for (before, after, want) in cases {
            assert_eq!(of(before, after), want, "{before}|{after}");
        }
    }
}
