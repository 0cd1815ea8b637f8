//! Finds the article using its feed: the part of a page where the words of the feed are densest.
//!
//! Follows "Deriving data objects from web feeds": conceptual nodes contain an n-gram of the feed's text,
//! zones are the boxes around them, and the wrapper is the smallest box that contains the densest zone and
//! enough of the concepts.

use super::blocks::Page;
use super::words::{joined, number, words};
use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

/// Length of an n-gram, in words.
const N: usize = 3;
/// Minimum share of the concepts that the wrapper must contain.
const CONSISTENT: f32 = 0.5;
/// Minimum number of n-grams needed to decide whether a text contains a summary.
const MIN_RUNS: usize = 8;
/// Maximum number of words read from a title or summary.
const MAX_WORDS: usize = 400;
/// Maximum number of concepts.
const MAX_CONCEPTS: usize = 40;

static STOP: LazyLock<HashSet<&str>> = LazyLock::new(|| {
    "a an and are as at be but by for from has have he her his i if in into is it its \
        not of on or our she so that the their them they this to was we were what when which who will \
        with you your der die das und ist ein eine den dem des mit von zu im auf für nicht sich als auch \
        le la les de des du un une et est en que qui pour dans sur pas el los las y es por con para una \
        il lo gli di che non per del della"
        .split_ascii_whitespace()
        .collect()
});

/// Whether a word (lower case) carries little meaning.
pub fn is_stop_word(word: &str) -> bool {
    STOP.contains(word)
}

/// N-grams and concepts of a feed item's title and summary.
pub(super) struct Concepts {
    /// Hashes of the n-grams.
    runs: HashSet<u64>,
    stems: HashSet<String>,
}

impl Concepts {
    /// `None` if there is nothing to search for.
    pub(super) fn of(title: Option<&str>, summary: Option<&str>) -> Option<Self> {
        let mut runs = HashSet::new();
        let mut counts: HashMap<String, usize> = HashMap::new();
        for text in [title, summary].into_iter().flatten() {
            runs.extend(runs_of(words(text).take(MAX_WORDS)));
            for stem in words(text).take(MAX_WORDS).filter_map(|w| stem(&w.to_lowercase())) {
                *counts.entry(stem).or_insert(0) += 1;
            }
        }
        let mut stems: Vec<(String, usize)> = counts.into_iter().collect();
        stems.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
        stems.truncate(MAX_CONCEPTS);
        let stems: HashSet<String> = stems.into_iter().map(|(s, _)| s).collect();
        (!stems.is_empty()).then_some(Self { runs, stems })
    }

    /// The concepts (frequent words) as stems, sorted.
    pub(super) fn stems(&self) -> Vec<String> {
        let mut stems: Vec<String> = self.stems.iter().cloned().collect();
        stems.sort();
        stems
    }

    /// The share of the concepts that `blocks` contain, 0 to 1.
    pub(super) fn coverage(&self, page: &Page<'_>, blocks: impl Iterator<Item = usize>) -> f32 {
        let mut found = HashSet::new();
        for at in blocks {
            let stems = words(page.text(at)).filter_map(|w| stem(&w.to_lowercase()));
            found.extend(stems.filter(|s| self.stems.contains(s)));
        }
        found.len() as f32 / self.stems.len().max(1) as f32
    }

    /// The share of the n-grams that the selected blocks contain, 0 to 1; `None` if there are too few to
    /// decide.
    pub(super) fn held(&self, page: &Page<'_>, taken: &[bool]) -> Option<f32> {
        if self.runs.len() < MIN_RUNS {
            return None;
        }
        let mut found = HashSet::new();
        for at in (0..taken.len()).filter(|at| taken[*at]) {
            found.extend(runs_of(words(page.text(at))).filter(|run| self.runs.contains(run)));
        }
        Some(found.len() as f32 / self.runs.len() as f32)
    }

    /// Number of matches in a text, counting n-grams or single concepts.
    fn matches(&self, text: &str, by_run: bool) -> usize {
        if by_run {
            return runs_of(words(text)).filter(|run| self.runs.contains(run)).count();
        }
        let stems = words(text).filter_map(|w| stem(&w.to_lowercase()));
        stems.filter(|s| self.stems.contains(s)).count()
    }
}

/// Hashes of each run of [`N`] consecutive words.
fn runs_of<'t>(words: impl Iterator<Item = &'t str>) -> impl Iterator<Item = u64> {
    let mut last = [0; N];
    let numbers = words.enumerate().map(move |(at, word)| {
        last.rotate_left(1);
        last[N - 1] = number(word);
        (at + 1 >= N).then_some(joined(&last))
    });
    numbers.flatten()
}

/// The box with the article according to the feed's words; `None` if they are not on the page.
pub(super) fn wrapper(page: &Page<'_>, concepts: &Concepts) -> Option<usize> {
    [true, false].into_iter().find_map(|by_run| {
        let mut zones: HashMap<usize, f32> = HashMap::new();
        for (at, block) in page.blocks.iter().enumerate() {
            let matches = concepts.matches(page.text(at), by_run);
            let zone = page.around(block.element).find(|e| is_zone(page.elements[*e].name()));
            if let Some(zone) = zone.filter(|_| matches > 0) {
                *zones.entry(zone).or_insert(0.0) += matches as f32 / block.chars.max(1) as f32;
            }
        }
        // Sorted, so that the first of equally dense zones is used.
        let mut zones: Vec<(usize, f32)> = zones.into_iter().collect();
        zones.sort_by_key(|z| z.0);
        let best = zones.into_iter().reduce(|a, b| if b.1 > a.1 { b } else { a })?.0;
        page.around(best).take_while(|e| !matches!(page.elements[*e].name(), "body" | "html")).find(
            |e| {
                let blocks = page.elements[*e].blocks.clone();
                is_zone(page.elements[*e].name()) && concepts.coverage(page, blocks) >= CONSISTENT
            },
        )
    })
}

fn is_zone(name: &str) -> bool {
    matches!(name, "div" | "article" | "section" | "main" | "td" | "body")
}

/// The approximate stem of a word; `None` for stop words.
fn stem(word: &str) -> Option<String> {
    if STOP.contains(word) {
        return None;
    }
    if word.chars().next().is_some_and(super::words::is_dense) {
        return Some(word.to_owned());
    }
    if word.chars().count() < 3 {
        return None;
    }
    for ending in ["ingly", "edly", "ings", "ing", "ies", "ed", "es", "s", "en", "er", "e", "n"] {
        if let Some(start) = word.strip_suffix(ending).filter(|s| s.chars().count() >= 4) {
            return Some(start.to_owned());
        }
    }
    Some(word.to_owned())
}
