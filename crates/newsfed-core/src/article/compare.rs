//! Compares two versions of an article: whether they differ, and in which words.

use super::document::{Document, LinkKind};
use crate::model::{Revision, RevisionKind};
use crate::util::url::normalise;
use imara_diff::{Algorithm, Diff, InternedInput};
use std::collections::BTreeMap;
use url::Url;

/// Maximum number of links named in the description of a change.
const MAX_NAMED: usize = 10;

/// A part of a word difference. Its text keeps the whitespace of its version.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Change {
    /// In both versions. The whitespace is that of the later version, or that of the earlier version before
    /// words that were removed without a replacement.
    Same(String),
    /// Only in the earlier version.
    Removed(String),
    /// Only in the later version.
    Added(String),
}

/// Whether two article texts are equal except for whitespace.
pub fn same_text(a: &str, b: &str) -> bool {
    a.split_whitespace().eq(b.split_whitespace())
}

/// The URLs of links and images that only one of two versions of a document contains.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LinkChanges {
    pub removed: Vec<String>,
    pub added: Vec<String>,
}

impl LinkChanges {
    /// Compares normalised URLs, regardless of their order and number.
    pub fn between(earlier: &Document, later: &Document) -> Self {
        let (old, new) = (references(earlier), references(later));
        let missing = |from: &References, other: &References| {
            let only = from.iter().filter(|(key, _)| !other.contains_key(*key));
            only.map(|(_, url)| url.clone()).collect()
        };
        Self { removed: missing(&old, &new), added: missing(&new, &old) }
    }

    pub fn is_empty(&self) -> bool {
        self.removed.is_empty() && self.added.is_empty()
    }

    /// The difference as a one-line revision.
    pub fn revision(&self) -> Option<Revision> {
        let named = |urls: &[String]| {
            let more = if urls.len() > MAX_NAMED { " …" } else { "" };
            urls.iter().take(MAX_NAMED).cloned().collect::<Vec<_>>().join(", ") + more
        };
        let (from, to) = (named(&self.removed), named(&self.added));
        (!self.is_empty()).then_some(Revision { kind: RevisionKind::Links, from, to })
    }
}

/// Whether two versions of a document link to the same pages and images, in any order.
pub fn same_references(a: &Document, b: &Document) -> bool {
    references(a).keys().eq(references(b).keys())
}

/// Kinds and normalised URLs of links and images, with the original URLs.
type References = BTreeMap<(u8, String), String>;

fn references(document: &Document) -> References {
    let kind = |kind: LinkKind| match kind {
        LinkKind::Page => 0,
        LinkKind::Image => 1,
        LinkKind::Media => 2,
    };
    let address = |url: &str| match Url::parse(url) {
        Ok(parsed) => normalise(&parsed),
        Err(_) => url.to_owned(),
    };
    document.links.iter().map(|l| ((kind(l.kind), address(&l.url)), l.url.clone())).collect()
}

/// The word difference of two texts. Removed words come before the words that replace them.
///
/// The difference of texts with little in common may be longer than necessary, because the search for the
/// shortest one is limited to keep the time nearly linear.
pub fn differences(earlier: &str, later: &str) -> Vec<Change> {
    let (old, new) = (pieces(earlier), pieces(later));
    let mut input = InternedInput::default();
    input.update_before(old.iter().map(|piece| piece.trim_end()));
    input.update_after(new.iter().map(|piece| piece.trim_end()));
    let mut diff = Diff::compute(Algorithm::Myers, &input);
    diff.postprocess_no_heuristic(&input);
    let (mut out, mut at) = (Vec::new(), 0);
    let mut push = |kind: fn(String) -> Change, text: String| {
        if !text.is_empty() {
            out.push(kind(text));
        }
    };
    for hunk in diff.hunks() {
        let [before, after] =
            [hunk.before, hunk.after].map(|range| range.start as usize..range.end as usize);
        let same = new[at..after.start].concat();
        at = after.end;
        let (removed, added) = (old[before.clone()].concat(), new[after].concat());
        if added.is_empty() {
            let gap = before.start.checked_sub(1).map_or("", |last| gap_after(old[last]));
            push(Change::Same, same.trim_end().to_owned() + if same.is_empty() { "" } else { gap });
            push(Change::Removed, removed);
        } else {
            // Removed words stay in the paragraph of their replacement.
            push(Change::Same, same);
            push(Change::Removed, in_line(&removed));
            push(Change::Added, added);
        }
    }
    push(Change::Same, new[at..].concat());
    out
}

/// Replaces trailing whitespace with one space; an empty text stays empty.
fn in_line(words: &str) -> String {
    let words = words.trim_end();
    if words.is_empty() { String::new() } else { format!("{words} ") }
}

/// The whitespace after a word.
fn gap_after(piece: &str) -> &str {
    &piece[piece.trim_end().len()..]
}

/// Splits a text into words, each with the whitespace after it. Leading whitespace belongs to the first word.
fn pieces(text: &str) -> Vec<&str> {
    let mut out = Vec::new();
    let (mut from, mut blank, mut seen) = (0, false, false);
    for (at, c) in text.char_indices() {
        if blank && seen && !c.is_whitespace() {
            out.push(&text[from..at]);
            from = at;
        }
        blank = c.is_whitespace();
        seen |= !blank;
    }
    if from < text.len() {
        out.push(&text[from..]);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn shown(earlier: &str, later: &str) -> String {
        differences(earlier, later)
            .iter()
            .map(|c| match c {
                Change::Same(t) => t.clone(),
                Change::Removed(t) => format!("[-{t}]"),
                Change::Added(t) => format!("[+{t}]"),
            })
            .collect()
    }

    #[test]
    fn finds_removed_and_added_words() {
        let cases = [
            ("a b c", "a b c", "a b c"),
            ("a b c", "a x c", "a [-b ][+x ]c"),
            ("a b\n\nc", "a x\n\nc", "a [-b ][+x\n\n]c"),
            ("a b\n\nc", "a\n\nc", "a [-b\n\n]c"),
            ("a\n\nb\n\nc", "a\n\nc", "a\n\n[-b\n\n]c"),
            ("a\n\nb", "a", "a\n\n[-b]"),
            ("a b", "a", "a [-b]"),
            ("a b", "a c", "a [-b ][+c]"),
            ("", "a", "[+a]"),
            ("a", "", "[-a]"),
            ("a b", "a  b", "a  b"),
            (
                "one two three four",
                "zero one three four five",
                "[+zero ]one [-two ]three four [+five]",
            ),
        ];
        for (earlier, later, want) in cases {
            assert_eq!(shown(earlier, later), want, "{earlier} -> {later}");
        }
    }

    #[test]
    fn ignores_whitespace() {
        assert!(same_text("a b\n\nc ", " a b c"));
        assert!(!same_text("a b c", "a bc"));
    }

    #[test]
    fn compares_references_by_url() {
        let read = |html: &str| crate::article::from_html(html, None);
        let one = read("<a href='http://e.org/a'>x</a> <a href='http://e.org/b'>y</a>");
        let other = read("<a href='http://E.org/b'>y</a> <a href='http://e.org:80/a'>z</a>");
        assert!(same_references(&one, &other));
        assert!(!same_references(&one, &read("<a href='http://e.org/a'>x</a>")));
        assert!(LinkChanges::between(&one, &other).is_empty());
        let changed = LinkChanges::between(
            &one,
            &read("<a href='http://e.org/a'>x</a><img src='http://e.org/i'>"),
        );
        let urls = |url: &str| vec![url.to_owned()];
        assert_eq!(
            (&changed.removed, &changed.added),
            (&urls("http://e.org/b"), &urls("http://e.org/i"))
        );
        assert_eq!(
            changed.revision().unwrap().describe(),
            "links changed: http://e.org/b -> http://e.org/i"
        );
    }

    #[test]
    fn compares_shuffled_words_quickly() {
        // The same words in a different order, so that no word is known to be new.
        let mut words: Vec<String> = (0..10_000).map(|n| format!("w{} ", n % 500)).collect();
        let earlier = words.concat();
        fastrand::Rng::with_seed(7).shuffle(&mut words);
        let later = words.concat();
        let changes = differences(&earlier, &later);
        let of = |kept: fn(&Change) -> bool| -> String {
            let text = |change: &Change| match change {
                Change::Same(t) | Change::Removed(t) | Change::Added(t) => t.clone(),
            };
            changes.iter().filter(|c| kept(c)).map(text).collect()
        };
        assert!(same_text(&of(|c| !matches!(c, Change::Added(_))), &earlier));
        assert!(same_text(&of(|c| !matches!(c, Change::Removed(_))), &later));
    }

    proptest! {
        #[test]
        fn difference_contains_both_versions(
            a in "[abc ]{0,60}", b in "[abc ]{0,60}"
        ) {
            let (mut old, mut new) = (String::new(), String::new());
            for change in differences(&a, &b) {
                match change {
                    Change::Same(t) => { old.push_str(&t); old.push(' '); new.push_str(&t); }
                    Change::Removed(t) => { old.push_str(&t); old.push(' '); }
                    Change::Added(t) => new.push_str(&t),
                }
            }
            prop_assert!(same_text(&old, &a), "{old:?} {a:?}");
            prop_assert!(same_text(&new, &b), "{new:?} {b:?}");
        }
    }
}
