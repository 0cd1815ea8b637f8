//! Compares two versions of an article: whether they differ, and in which words.

use super::document::{Document, LinkKind};
use crate::util::url::normalise;
use imara_diff::{Algorithm, Diff, InternedInput};
use std::collections::BTreeSet;
use url::Url;

/// A part of a word difference. Its text keeps the white space of its version.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Change {
    /// In both versions, with the white space of the later one.
    Same(String),
    /// Only in the earlier version.
    Removed(String),
    /// Only in the later version.
    Added(String),
}

/// Whether two article texts are equal except for white space.
pub fn same_text(a: &str, b: &str) -> bool {
    a.split_whitespace().eq(b.split_whitespace())
}

/// Longest line, in words, in which a different number is not a change of the article.
const COUNTER_WORDS: usize = 8;

/// Whether two texts differ only in short lines, and there only in numbers that change by
/// themselves: visitors, "3 hours ago", a clock. Prices, shares and versions are not such numbers.
pub fn is_small_change(earlier: &str, later: &str) -> bool {
    let (mut a, mut b) = (earlier.lines(), later.lines());
    loop {
        match (a.next(), b.next()) {
            (None, None) => return true,
            (Some(a), Some(b)) if same_text(a, b) || is_counter(a, b) => {}
            _ => return false,
        }
    }
}

fn is_counter(a: &str, b: &str) -> bool {
    let short = |line: &str| line.split_whitespace().count() <= COUNTER_WORDS;
    let valued = |line: &str| {
        let version = line.split_whitespace().any(|word| {
            let parts: Vec<&str> = word.trim_start_matches('v').split('.').collect();
            let is_date = parts.len() == 3 && parts[2].len() == 4;
            !is_date && parts.iter().filter(|part| is_number(part)).count() > 1
        });
        version || line.contains(['€', '$', '£', '¥', '%'])
    };
    short(a) && short(b) && !valued(a) && !valued(b) && without_digits(a) == without_digits(b)
}

fn is_number(part: &str) -> bool {
    !part.is_empty() && part.chars().all(char::is_numeric)
}

/// A line with one sign for each number, whatever its length and separators.
fn without_digits(line: &str) -> String {
    let mut out = String::with_capacity(line.len());
    let mut number = false;
    for c in line.split_whitespace().flat_map(|word| word.chars().chain([' '])) {
        match (c.is_numeric(), number && matches!(c, ',' | '.' | ':' | '\'' | '\u{a0}')) {
            (true, _) if !number => {
                out.push('#');
                number = true;
            }
            (true, _) | (_, true) => {}
            _ => {
                out.push(c);
                number = false;
            }
        }
    }
    out
}

/// Whether two versions of a document link to the same pages and images, in any order.
pub fn same_references(a: &Document, b: &Document) -> bool {
    references(a) == references(b)
}

fn references(document: &Document) -> BTreeSet<(u8, String)> {
    let kind = |kind: LinkKind| match kind {
        LinkKind::Page => 0,
        LinkKind::Image => 1,
        LinkKind::Media => 2,
    };
    let address = |url: &str| match Url::parse(url) {
        Ok(parsed) => normalise(&parsed),
        Err(_) => url.to_owned(),
    };
    document.links.iter().map(|l| (kind(l.kind), address(&l.url))).collect()
}

/// The difference of two texts by words. Removed words come before those that replace them.
///
/// Texts without much in common give a longer difference than necessary, so that the time stays
/// nearly linear.
pub fn differences(earlier: &str, later: &str) -> Vec<Change> {
    let (old, new) = (pieces(earlier), pieces(later));
    let mut input = InternedInput::default();
    input.update_before(old.iter().map(|piece| piece.trim_end()));
    input.update_after(new.iter().map(|piece| piece.trim_end()));
    let mut diff = Diff::compute(Algorithm::Myers, &input);
    diff.postprocess_no_heuristic(&input);
    let (mut out, mut at) = (Vec::new(), 0);
    let mut push = |kind: fn(String) -> Change, pieces: &[&str]| {
        if !pieces.is_empty() {
            out.push(kind(pieces.concat()));
        }
    };
    for hunk in diff.hunks() {
        let [before, after] =
            [hunk.before, hunk.after].map(|range| range.start as usize..range.end as usize);
        push(Change::Same, &new[at..after.start]);
        push(Change::Removed, &old[before]);
        at = after.end;
        push(Change::Added, &new[after]);
    }
    push(Change::Same, &new[at..]);
    out
}

/// Words, each with the white space after it. Leading white space belongs to the first word.
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
    fn counters_are_small_changes() {
        let cases = [
            ("Title\n1,204 views\ntext", "Title\n998 views\ntext", true),
            ("Updated 12:05\ntext", "Updated 9:15\ntext", true),
            ("as of 9.11.2026", "as of 10.11.2026", true),
            ("posted 3 hours ago", "posted 14 hours ago", true),
            ("Tea 3 €", "Tea 4 €", false),
            ("newsfed 1.2.3", "newsfed 1.2.4", false),
            ("Turnout 40 %", "Turnout 45 %", false),
            (
                "The fire in the old mill killed 3 people on Monday",
                "The fire in the old mill killed 5 people on Monday",
                false,
            ),
            ("a\nb", "a", false),
            ("open", "closed", false),
        ];
        for (earlier, later, want) in cases {
            assert_eq!(is_small_change(earlier, later), want, "{earlier} -> {later}");
        }
    }

    #[test]
    fn words_that_changed() {
        let cases = [
            ("a b c", "a b c", "a b c"),
            ("a b c", "a x c", "a [-b ][+x ]c"),
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
    fn ignores_white_space() {
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
    }

    #[test]
    fn shuffled_words_are_compared_quickly() {
        // The same words in another order, so that none is known to be new.
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
