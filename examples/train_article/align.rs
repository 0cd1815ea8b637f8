//! Finds the words of a page that are in its reference text, and measures how well a text fits.

use std::collections::HashMap;

/// Maximum number of cells in an alignment table. Longer texts are cut off at the end.
const MAX_CELLS: usize = 400_000_000;

/// Tokens as counted in the reference data: runs of letters, digits and underscores. Each Chinese or Japanese
/// character is a token.
pub(crate) fn words(text: &str) -> Vec<&str> {
    let dense = |c: char| matches!(c, '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}');
    let runs = text.split(|c: char| !(c.is_alphanumeric() || c == '_'));
    let mut words = Vec::new();
    for run in runs.filter(|w| !w.is_empty()) {
        let mut from = 0;
        for (at, c) in run.char_indices().filter(|(_, c)| dense(*c)) {
            words.extend(Some(&run[from..at]).filter(|w| !w.is_empty()));
            from = at + c.len_utf8();
            words.push(&run[at..from]);
        }
        words.extend(Some(&run[from..]).filter(|w| !w.is_empty()));
    }
    words
}

/// For each word of `page`, whether it belongs to a longest common subsequence with `gold`.
pub(crate) fn common(page: &[&str], gold: &[&str]) -> Vec<bool> {
    let mut ids = HashMap::new();
    let mut number = |words: &[&str]| -> Vec<u32> {
        words
            .iter()
            .map(|w| {
                let next = ids.len() as u32;
                *ids.entry((*w).to_owned()).or_insert(next)
            })
            .collect()
    };
    let (p, g) = (number(page), number(gold));
    let mut found = vec![false; p.len()];
    let g = &g[..g.len().min(MAX_CELLS / p.len().max(1))];
    // The table has the lengths of common subsequences of suffixes, and is filled from the last row. One flag
    // per cell stores the direction.
    let width = g.len() + 1;
    let mut below = vec![0u32; width];
    let mut down = vec![false; p.len() * width];
    for i in (0..p.len()).rev() {
        let mut row = vec![0u32; width];
        for j in (0..g.len()).rev() {
            if p[i] == g[j] {
                row[j] = below[j + 1] + 1;
            } else if below[j] >= row[j + 1] {
                row[j] = below[j];
                down[i * width + j] = true;
            } else {
                row[j] = row[j + 1];
            }
        }
        below = row;
    }
    let (mut i, mut j) = (0, 0);
    while i < p.len() && j < g.len() {
        if p[i] == g[j] {
            found[i] = true;
            i += 1;
            j += 1;
        } else if down[i * width + j] {
            i += 1;
        } else {
            j += 1;
        }
    }
    found
}

/// Scores of one page.
#[derive(Clone, Copy, Default)]
pub(crate) struct Fit {
    pub(crate) precision: Option<f64>,
    pub(crate) recall: Option<f64>,
    pub(crate) exact: bool,
    /// Token F1.
    pub(crate) words: f64,
}

/// Precision and recall of 4-grams, computed as in the corpus.
pub(crate) fn fit(gold: &str, text: &str) -> Fit {
    let (g, t) = (words(gold), words(text));
    let (gold_runs, runs) = (counts(g.windows(4)), counts(t.windows(4)));
    let common = overlap(&gold_runs, &runs) as f64;
    let ratio = |n: usize| (n > 0).then(|| common / n as f64);
    let lower = |words: &[&str]| words.iter().map(|w| w.to_lowercase()).collect::<Vec<_>>();
    let (gl, tl) = (lower(&g), lower(&t));
    let shared = overlap(&counts(gl.iter()), &counts(tl.iter())) as f64;
    Fit {
        precision: ratio(t.len().saturating_sub(3)),
        recall: ratio(g.len().saturating_sub(3)),
        exact: g == t,
        words: 2.0 * shared / (g.len() + t.len()).max(1) as f64,
    }
}

fn counts<T: std::hash::Hash + Eq>(items: impl Iterator<Item = T>) -> HashMap<T, usize> {
    let mut counts = HashMap::new();
    items.for_each(|item| *counts.entry(item).or_insert(0) += 1);
    counts
}

fn overlap<T: std::hash::Hash + Eq>(a: &HashMap<T, usize>, b: &HashMap<T, usize>) -> usize {
    a.iter().map(|(item, n)| (*n).min(b.get(item).copied().unwrap_or(0))).sum()
}

/// Scores of many pages.
pub(crate) struct Figures {
    pages: usize,
    /// Harmonic mean of the mean precision and recall of 4-grams.
    pub(crate) f1: f64,
    precision: f64,
    recall: f64,
    /// Share of the pages with exactly the words of the reference text.
    pub(crate) exact: f64,
    /// Share of the pages with a token F1 of at least .95.
    pub(crate) near: f64,
    /// Mean token F1, and share of the pages with a token F1 below .5.
    pub(crate) words: f64,
    pub(crate) bad: f64,
}

impl Figures {
    pub(crate) fn of(fits: &[Fit]) -> Self {
        let mean = |values: Vec<f64>| values.iter().sum::<f64>() / values.len().max(1) as f64;
        let precision = mean(fits.iter().filter_map(|f| f.precision).collect());
        let recall = mean(fits.iter().filter_map(|f| f.recall).collect());
        let share = |n: usize| n as f64 / fits.len().max(1) as f64;
        Self {
            pages: fits.len(),
            f1: 2.0 * precision * recall / (precision + recall).max(1e-9),
            precision,
            recall,
            exact: share(fits.iter().filter(|f| f.exact).count()),
            near: share(fits.iter().filter(|f| f.words >= 0.95).count()),
            words: mean(fits.iter().map(|f| f.words).collect()),
            bad: share(fits.iter().filter(|f| f.words < 0.5).count()),
        }
    }
}

impl std::fmt::Display for Figures {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            f,
            "pages {} F1 {:.4} precision {:.4} recall {:.4} exact {:.3} near {:.3} words {:.3} bad {:.3}",
            self.pages,
            self.f1,
            self.precision,
            self.recall,
            self.exact,
            self.near,
            self.words,
            self.bad
        )
    }
}
