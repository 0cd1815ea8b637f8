//! What a change to an article means: whether it is more than a correction of typos.

mod language;

use super::compare::{Change, differences};
use super::counters::changes_by_itself;
use super::guided::is_stop_word;
use super::words::is_dense;
use crate::model::{Revision, RevisionKind};
use crate::util::text::truncate;
use imara_diff::{Algorithm, Diff, InternedInput};
use language::{has_capital_nouns, is_negation, is_number, is_opposite, notice};
use std::collections::{HashMap, HashSet};

/// Maximum number of bytes of changed text that are examined. A longer text is treated as changed.
const MAX_TEXT: usize = 200_000;
/// Maximum number of word pairs in all edits of a text that are compared letter by letter. Words beyond that
/// are treated as different.
const MAX_COMPARED: usize = 20_000;
/// Maximum number of words on each side of one edit that are compared letter by letter.
const COMPARED: usize = 20;
/// Minimum number of words of a passage that was added or removed in one place.
const PASSAGE: usize = 8;
/// Maximum length of a value in a [`Revision`], in terminal cells.
const MAX_CELLS: usize = 60;
/// Maximum number of words named in a value.
const MAX_NAMED: usize = 5;
/// Minimum length of words that are compared letter by letter.
const MIN_LETTERS: usize = 4;

/// The changes between two texts (one line per block) in a language, given as a tag. Empty if only typos were
/// corrected. Parts that change without an edit, such as counters, are ignored.
pub fn revisions(earlier: &str, later: &str, language: Option<&str>) -> Vec<Revision> {
    let (old, new, cut) = changed_lines(earlier, later);
    let capital_nouns = has_capital_nouns(language);
    let mut found = Found { language, capital_nouns, known: words_of(earlier), ..Found::default() };
    for edit in edits(&old, &new) {
        found.take(&edit);
    }
    let mut out: Vec<Revision> = notices(&old, &new).into_iter().collect();
    let is_noticed = !out.is_empty();
    let all = found.finish().into_iter();
    // The notice is the added passage itself, or is more important.
    out.extend(all.filter(|one| one.kind != RevisionKind::Text || !is_noticed));
    if cut && !is_noticed && out.iter().all(|one| one.kind != RevisionKind::Text) {
        out.push(Revision::text());
    }
    out
}

/// The change of a title; `None` if only typos were corrected.
pub fn headline(earlier: &str, later: &str, language: Option<&str>) -> Option<Revision> {
    // Titles often capitalise every word.
    let mut found = Found { language, capital_nouns: true, is_title: true, ..Found::default() };
    for edit in edits(&spaced(earlier), &spaced(later)) {
        found.take(&edit);
    }
    (!found.finish().is_empty()).then(|| Revision {
        kind: RevisionKind::Headline,
        from: truncate(earlier, MAX_CELLS).into_owned(),
        to: truncate(later, MAX_CELLS).into_owned(),
    })
}

/// The lines that differ, except those that were moved or that change without an edit, and whether some were
/// left out because of their size.
fn changed_lines(earlier: &str, later: &str) -> (String, String, bool) {
    let (a, b): (Vec<&str>, Vec<&str>) = (earlier.lines().collect(), later.lines().collect());
    let mut input = InternedInput::default();
    input.update_before(a.iter().map(|line| line.trim()));
    input.update_after(b.iter().map(|line| line.trim()));
    let diff = Diff::compute(Algorithm::Myers, &input);
    let (mut old, mut new) = (Vec::new(), Vec::new());
    for hunk in diff.hunks() {
        let before = &a[hunk.before.start as usize..hunk.before.end as usize];
        let after = &b[hunk.after.start as usize..hunk.after.end as usize];
        let pairs = before.len() == after.len();
        let by_itself = |n: usize| pairs && changes_by_itself(before[n], after[n]);
        old.extend(before.iter().enumerate().filter(|(n, _)| !by_itself(*n)).map(|(_, l)| *l));
        new.extend(after.iter().enumerate().filter(|(n, _)| !by_itself(*n)).map(|(_, l)| *l));
    }
    let (in_old, in_new): (HashSet<&str>, HashSet<&str>) =
        (old.iter().copied().collect(), new.iter().copied().collect());
    let mut cut = false;
    let mut joined = |lines: &[&str], others: &HashSet<&str>| {
        let mut text = String::new();
        for line in lines.iter().filter(|line| !others.contains(**line)) {
            if text.len() + line.len() > MAX_TEXT {
                cut = true;
                break;
            }
            text.push_str(&spaced(line));
            text.push('\n');
        }
        text
    };
    let (old, new) = (joined(&old, &in_new), joined(&new, &in_old));
    (old, new, cut)
}

/// Puts spaces around each character of a script without spaces.
fn spaced(line: &str) -> String {
    let mut out = String::with_capacity(line.len());
    for c in line.chars() {
        match is_dense(c) {
            true => out.extend([' ', c, ' ']),
            false => out.push(c),
        }
    }
    out
}

/// One place where the texts differ.
struct Edit {
    removed: Vec<Word>,
    added: Vec<Word>,
}

/// A word without the surrounding punctuation.
#[derive(Clone)]
struct Word {
    /// The word with its punctuation.
    raw: String,
    text: String,
    lower: String,
    /// Whether it is the first word of a sentence or a line.
    begins: bool,
}

impl Word {
    fn is_name(&self) -> bool {
        let mut chars = self.text.chars();
        let capital = chars.next().is_some_and(char::is_uppercase);
        !self.begins && capital && chars.any(char::is_alphabetic) && !is_number(&self.lower)
    }

    fn is_content(&self) -> bool {
        let dense = self.lower.chars().any(is_dense);
        let long = self.lower.chars().count() >= MIN_LETTERS;
        dense || long && !is_stop_word(&self.lower) || is_number(&self.lower)
    }
}

fn edits(old: &str, new: &str) -> Vec<Edit> {
    let mut out: Vec<Edit> = Vec::new();
    let (mut open, mut begins) = (false, true);
    for change in differences(old, new) {
        let (Change::Same(text) | Change::Removed(text) | Change::Added(text)) = &change;
        let is_same = matches!(change, Change::Same(_));
        if is_same {
            open = false;
            begins = ends_sentence(text);
            continue;
        }
        if !std::mem::replace(&mut open, true) {
            out.push(Edit { removed: Vec::new(), added: Vec::new() });
        }
        if let Some(edit) = out.last_mut() {
            let side = if matches!(change, Change::Removed(_)) {
                &mut edit.removed
            } else {
                &mut edit.added
            };
            side.extend(split(text, begins));
        }
    }
    out
}

/// The first words of a passage as written.
fn beginning(words: &[Word]) -> String {
    words.iter().map(|w| w.raw.as_str()).take(20).collect::<Vec<_>>().join(" ")
}

fn ends_sentence(text: &str) -> bool {
    let end = text.trim_end().chars().next_back();
    let stops = matches!(end, None | Some('.' | '!' | '?' | ':' | '。' | '！' | '？'));
    stops || text[text.trim_end().len()..].contains('\n')
}

fn split(text: &str, begins: bool) -> Vec<Word> {
    let mut begins = begins;
    let mut out = Vec::new();
    let mut rest = text;
    while let Some(start) = rest.find(|c: char| !c.is_whitespace()) {
        begins |= rest[..start].contains('\n') && !out.is_empty();
        rest = &rest[start..];
        let end = rest.find(char::is_whitespace).unwrap_or(rest.len());
        let raw = &rest[..end];
        let word = raw.trim_matches(|c: char| !c.is_alphanumeric());
        if !word.is_empty() {
            let (raw, text, lower) = (raw.to_owned(), word.to_owned(), word.to_lowercase());
            out.push(Word { raw, text, lower, begins });
            begins = ends_sentence(&rest[..end]);
        }
        rest = &rest[end..];
    }
    out
}

/// The words of a text in lower case.
fn words_of(text: &str) -> HashSet<String> {
    let word = |w: &str| w.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase();
    text.split_whitespace().map(word).collect()
}

/// Findings in the edits so far. Equal words that were removed in one place and added in another cancel each
/// other out at the end.
#[derive(Default)]
struct Found<'a> {
    language: Option<&'a str>,
    capital_nouns: bool,
    is_title: bool,
    /// The words of the earlier text.
    known: HashSet<String>,
    /// Number of word pairs that were compared letter by letter so far.
    compared: usize,
    numbers: Sides,
    negations: Sides,
    names: Sides,
    wording: Sides,
    passages: Sides,
}

/// Removed and added words.
#[derive(Default)]
struct Sides {
    removed: Vec<String>,
    added: Vec<String>,
}

impl Found<'_> {
    fn take(&mut self, edit: &Edit) {
        let (mut removed, mut added) = (edit.removed.clone(), edit.added.clone());
        // Skips edits that only split or join words, or change their punctuation.
        let joined = |words: &[Word]| -> String {
            words.iter().flat_map(|w| w.lower.chars()).filter(|c| c.is_alphanumeric()).collect()
        };
        if joined(&removed) == joined(&added) {
            return;
        }
        // A new passage, such as a reply in a forum, does not correct a number, name or negation.
        let (gone, come) = (edit.removed.len(), edit.added.len());
        if gone == 0 && come >= PASSAGE || come == 0 && gone >= PASSAGE {
            self.passages.removed.extend((gone > 0).then(|| beginning(&edit.removed)));
            self.passages.added.extend((come > 0).then(|| beginning(&edit.added)));
            return;
        }
        cancel_equal(&mut removed, &mut added, |word| word.lower.clone());
        let passage = removed.len().abs_diff(added.len()) >= PASSAGE;
        let rewritten = removed.len().min(added.len()) >= PASSAGE;
        let meaning =
            |words: &mut Vec<Word>, into: &mut Vec<String>, test: &dyn Fn(&str) -> bool| {
                into.extend(words.extract_if(.., |w| test(&w.lower)).map(|w| w.text));
            };
        let number = |word: &str| is_number(word);
        meaning(&mut removed, &mut self.numbers.removed, &number);
        meaning(&mut added, &mut self.numbers.added, &number);
        let language = self.language;
        let negates = |word: &str| is_negation(word, language);
        meaning(&mut removed, &mut self.negations.removed, &negates);
        meaning(&mut added, &mut self.negations.added, &negates);
        cancel_opposites(&mut removed, &mut added, &mut self.negations);
        self.drop_typing_errors(&mut removed, &mut added);
        if passage || rewritten {
            let keep = |from: &[Word], other: &[Word], passages: &mut Vec<String>| {
                if from.len() >= PASSAGE && (rewritten || from.len() > other.len()) {
                    passages.push(beginning(from));
                }
            };
            keep(&edit.removed, &edit.added, &mut self.passages.removed);
            keep(&edit.added, &edit.removed, &mut self.passages.added);
            return;
        }
        self.names.removed.extend(removed.extract_if(.., |w| w.is_name()).map(|w| w.text));
        self.names.added.extend(added.extract_if(.., |w| w.is_name()).map(|w| w.text));
        self.take_wording(&removed, &added);
    }

    /// Removes pairs of similar words. A name that was changed to a different name is kept, unless the
    /// earlier text also contains the new name.
    fn drop_typing_errors(&mut self, removed: &mut Vec<Word>, added: &mut Vec<Word>) {
        let (known, nouns) = (&self.known, self.capital_nouns);
        let (mut gone, mut taken) = (HashSet::new(), HashSet::new());
        for (at, a) in removed.iter().enumerate().take(COMPARED) {
            for (n, b) in added.iter().enumerate().take(COMPARED) {
                if taken.contains(&n) || self.compared == MAX_COMPARED {
                    continue;
                }
                self.compared += 1;
                let names = a.is_name() && b.is_name() && !nouns && !known.contains(&b.lower);
                if !names && is_similar(&a.lower, &b.lower) {
                    gone.insert(at);
                    taken.insert(n);
                    break;
                }
            }
        }
        take_at(removed, &gone);
        take_at(added, &taken);
    }

    fn take_wording(&mut self, removed: &[Word], added: &[Word]) {
        let content = |words: &[Word]| words.iter().filter(|w| w.is_content()).count();
        let dense = removed.iter().chain(added).any(|w| w.text.chars().any(is_dense));
        let (gone, come) = (content(removed), content(added));
        // A single missing or additional word is a typo.
        let needed = match (gone, come) {
            _ if self.is_title => 1,
            _ if dense => 2,
            (0, _) | (_, 0) => 2,
            _ => 1,
        };
        if gone.max(come) < needed {
            return;
        }
        self.wording.removed.extend(removed.iter().map(|w| w.text.clone()));
        self.wording.added.extend(added.iter().map(|w| w.text.clone()));
    }

    fn finish(self) -> Vec<Revision> {
        let kinds = [
            (RevisionKind::Negation, self.negations),
            (RevisionKind::Numbers, self.numbers),
            (RevisionKind::Names, self.names),
            (RevisionKind::Wording, self.wording),
            (RevisionKind::Text, self.passages),
        ];
        kinds.into_iter().filter_map(|(kind, sides)| sides.revision(kind)).collect()
    }
}

impl Sides {
    fn revision(mut self, kind: RevisionKind) -> Option<Revision> {
        let key = |word: &String| match kind {
            RevisionKind::Numbers => plain_number(word),
            _ => word.to_lowercase(),
        };
        cancel_equal(&mut self.removed, &mut self.added, key);
        let value = |words: &[String]| {
            let between = match kind {
                RevisionKind::Wording => " ",
                RevisionKind::Text => " … ",
                _ => ", ",
            };
            let named = words.iter().take(MAX_NAMED).map(String::as_str).collect::<Vec<_>>();
            let more = if words.len() > MAX_NAMED { " …" } else { "" };
            truncate(&(named.join(between) + more), MAX_CELLS).into_owned()
        };
        let changed = !self.removed.is_empty() || !self.added.is_empty();
        changed.then(|| Revision { kind, from: value(&self.removed), to: value(&self.added) })
    }
}

/// A number without thousands separators.
fn plain_number(word: &str) -> String {
    let is_group = |part: &str| part.len() == 3 && part.bytes().all(|b| b.is_ascii_digit());
    let mut parts = word.split([',', '.', '\'', '’', '\u{a0}', '\u{202f}']);
    let first = parts.next().unwrap_or_default();
    let rest: Vec<&str> = parts.collect();
    if rest.is_empty() || !rest.iter().all(|part| is_group(part)) {
        return word.to_lowercase();
    }
    format!("{first}{}", rest.concat())
}

/// Removes pairs with the same key from both lists, in linear time.
fn cancel_equal<T>(removed: &mut Vec<T>, added: &mut Vec<T>, key: impl Fn(&T) -> String) {
    let mut counts: HashMap<String, usize> = HashMap::new();
    for word in added.iter() {
        *counts.entry(key(word)).or_default() += 1;
    }
    let mut pairs: HashMap<String, usize> = HashMap::new();
    removed.retain(|word| {
        let key = key(word);
        let paired = count_down(&mut counts, &key);
        if paired {
            *pairs.entry(key).or_default() += 1;
        }
        !paired
    });
    added.retain(|word| !count_down(&mut pairs, &key(word)));
}

fn count_down(counts: &mut HashMap<String, usize>, key: &str) -> bool {
    let left = counts.get_mut(key).filter(|left| **left > 0);
    left.map(|left| *left -= 1).is_some()
}

/// Removes the elements at the given indices and returns them.
fn take_at<T>(from: &mut Vec<T>, places: &HashSet<usize>) -> Vec<T> {
    let mut at = 0;
    from.extract_if(.., |_| (places.contains(&at), at += 1).0).collect()
}

/// Moves pairs of opposites, such as `legal` and `illegal`, to the negations.
fn cancel_opposites(removed: &mut Vec<Word>, added: &mut Vec<Word>, found: &mut Sides) {
    let (mut gone, mut taken) = (HashSet::new(), HashSet::new());
    for (a, word) in removed.iter().enumerate().take(PASSAGE) {
        let partner = |(n, other): &(usize, &Word)| {
            !taken.contains(n) && is_opposite(&word.lower, &other.lower)
        };
        if let Some((b, _)) = added.iter().enumerate().take(PASSAGE).find(partner) {
            gone.insert(a);
            taken.insert(b);
        }
    }
    found.removed.extend(take_at(removed, &gone).into_iter().map(|word| word.text));
    found.added.extend(take_at(added, &taken).into_iter().map(|word| word.text));
}

/// Whether two lower-case words differ only by a typo: by one letter, or by two in long words. The first
/// letter is rarely wrong.
fn is_similar(a: &str, b: &str) -> bool {
    /// Minimum length of words that may differ by two letters.
    const LONG: usize = 8;
    const MAX: usize = 40;
    let letters =
        |word: &str| -> Vec<char> { word.chars().filter(|c| c.is_alphanumeric()).collect() };
    let (a, b) = (letters(a), letters(b));
    let long = a.len().max(b.len());
    if a == b {
        return true;
    }
    let swapped_start =
        a.len() > 1 && a.get(..2).map(|s| [s[1], s[0]]) == b.get(..2).map(|s| [s[0], s[1]]);
    if long > MAX || a.first() != b.first() && !swapped_start {
        return false;
    }
    // Short words may have their letters in a different order. Longer ones may differ by one or two edits.
    let limit = match long {
        LONG.. => 2,
        MIN_LETTERS.. => 1,
        _ => {
            let (mut x, mut y) = (a.clone(), b.clone());
            x.sort_unstable();
            y.sort_unstable();
            return x == y;
        }
    };
    a.len().abs_diff(b.len()) <= limit && distance(&a, &b) <= limit
}

/// Number of insertions, deletions, replacements and swaps of neighbours (optimal string alignment).
fn distance(a: &[char], b: &[char]) -> usize {
    let mut rows = vec![(0..=b.len()).collect::<Vec<usize>>()];
    for i in 1..=a.len() {
        let mut row = vec![i];
        for j in 1..=b.len() {
            let cost = usize::from(a[i - 1] != b[j - 1]);
            let mut best = (rows[i - 1][j] + 1).min(row[j - 1] + 1).min(rows[i - 1][j - 1] + cost);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                best = best.min(rows[i - 2][j - 2] + 1);
            }
            row.push(best);
        }
        rows.push(row);
    }
    rows[a.len()][b.len()]
}

/// The first notice of a correction that is only in the later text.
fn notices(old: &str, new: &str) -> Option<Revision> {
    let before: HashSet<&str> = old.lines().filter_map(notice).collect();
    let line = new.lines().find(|line| notice(line).is_some_and(|n| !before.contains(n)))?;
    let to = truncate(line.trim(), MAX_CELLS).into_owned();
    Some(Revision { kind: RevisionKind::Notice, from: String::new(), to })
}

#[cfg(test)]
mod tests;
