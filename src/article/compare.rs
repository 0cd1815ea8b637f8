//! Compares two versions of an article: whether they differ, and in which words.

use super::document::{Document, LinkKind};
use crate::util::url::normalise;
use std::collections::BTreeSet;
use url::Url;

/// Maximum number of changes in a shortest difference. Texts that differ more are shown as one
/// removal and one addition.
const MAX_CHANGES: usize = 2000;

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
/// After Myers, "An O(ND) Difference Algorithm" (1986). At most [`MAX_CHANGES`] changes are
/// searched, so the time is bounded by their number times the length.
pub fn differences(earlier: &str, later: &str) -> Vec<Change> {
    let (a, b) = (pieces(earlier), pieces(later));
    let same = |x: &&str, y: &&str| x.trim_end() == y.trim_end();
    let head = a.iter().zip(&b).take_while(|(x, y)| same(x, y)).count();
    let rest = a.len().min(b.len()) - head;
    let tail =
        a.iter().rev().zip(b.iter().rev()).take(rest).take_while(|(x, y)| same(x, y)).count();
    let (old, new) = (&a[head..a.len() - tail], &b[head..b.len() - tail]);
    let mut out = Vec::new();
    push(&mut out, Kind::Same, &b[..head]);
    match steps(old, new) {
        Some(steps) => {
            let (mut i, mut j) = (0, 0);
            for step in steps {
                match step {
                    Kind::Same => {
                        push(&mut out, Kind::Same, &new[j..=j]);
                        i += 1;
                        j += 1;
                    }
                    Kind::Removed => {
                        push(&mut out, Kind::Removed, &old[i..=i]);
                        i += 1;
                    }
                    Kind::Added => {
                        push(&mut out, Kind::Added, &new[j..=j]);
                        j += 1;
                    }
                }
            }
        }
        None => {
            push(&mut out, Kind::Removed, old);
            push(&mut out, Kind::Added, new);
        }
    }
    push(&mut out, Kind::Same, &b[b.len() - tail..]);
    out
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Same,
    Removed,
    Added,
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

/// The shortest edit path between two sequences of words. `None` if it is too long.
fn steps(old: &[&str], new: &[&str]) -> Option<Vec<Kind>> {
    let (n, m) = (old.len(), new.len());
    let same = |i: usize, j: usize| old[i].trim_end() == new[j].trim_end();
    // `reach[k + d]` is how far diagonal k leads in `old` with d changes.
    let mut history: Vec<Vec<usize>> = Vec::new();
    let mut reach = vec![0usize];
    for changes in 0..=MAX_CHANGES.min(n + m) {
        let mut next = vec![0usize; 2 * changes + 1];
        for slot in (0..=2 * changes).step_by(2) {
            let k = slot.cast_signed() - changes.cast_signed();
            let mut x = match changes {
                0 => 0,
                _ => step_from(&reach, slot, changes).1,
            };
            let y = |x: usize| x.cast_signed() - k;
            while x < n && (0..m.cast_signed()).contains(&y(x)) && same(x, y(x).unsigned_abs()) {
                x += 1;
            }
            next[slot] = x;
            if x >= n && y(x) >= m.cast_signed() {
                history.push(next);
                return Some(way_back(&history, n, m));
            }
        }
        history.push(next.clone());
        reach = next;
    }
    None
}

/// How a slot is best reached from those with one change less: whether by an addition, and how far
/// in the old text.
fn step_from(before: &[usize], slot: usize, changes: usize) -> (bool, usize) {
    // Slot s of d changes is the diagonal s - d: s - 2 and s of d - 1 changes are its neighbours.
    let added = (slot < 2 * changes).then(|| before[slot]);
    let removed = slot.checked_sub(2).map(|s| before[s] + 1);
    match (added, removed) {
        (Some(a), Some(r)) if a >= r => (true, a),
        (_, Some(r)) => (false, r),
        (Some(a), None) => (true, a),
        (None, None) => (true, 0),
    }
}

fn way_back(history: &[Vec<usize>], n: usize, m: usize) -> Vec<Kind> {
    let mut steps = Vec::new();
    let (mut x, mut y) = (n, m);
    for changes in (1..history.len()).rev() {
        let slot = (x + changes).saturating_sub(y);
        let (added, from) = step_from(&history[changes - 1], slot, changes);
        while x > from {
            steps.push(Kind::Same);
            x -= 1;
            y = y.saturating_sub(1);
        }
        if added {
            steps.push(Kind::Added);
            y = y.saturating_sub(1);
        } else {
            steps.push(Kind::Removed);
            x -= 1;
        }
    }
    steps.extend(std::iter::repeat_n(Kind::Same, x));
    steps.reverse();
    steps
}

fn push(out: &mut Vec<Change>, kind: Kind, pieces: &[&str]) {
    if pieces.is_empty() {
        return;
    }
    let text = pieces.concat();
    match (kind, out.last_mut()) {
        (Kind::Same, Some(Change::Same(last)))
        | (Kind::Removed, Some(Change::Removed(last)))
        | (Kind::Added, Some(Change::Added(last))) => last.push_str(&text),
        (Kind::Same, _) => out.push(Change::Same(text)),
        (Kind::Removed, Some(Change::Added(_))) => {
            // Removed words come first.
            let added = out.pop();
            match out.last_mut() {
                Some(Change::Removed(last)) => last.push_str(&text),
                _ => out.push(Change::Removed(text)),
            }
            out.extend(added);
        }
        (Kind::Removed, _) => out.push(Change::Removed(text)),
        (Kind::Added, _) => out.push(Change::Added(text)),
    }
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
    fn terminates_early_on_unrelated_texts() {
        let (a, b) = ("a ".repeat(20_000), "b ".repeat(20_000));
        assert_eq!(differences(&a, &b).len(), 2);
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
