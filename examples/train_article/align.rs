//! Which words of a page its reference text holds, and how well a text fits.

use std::collections::HashMap;

/// Cells of the table of an alignment; a pair of longer texts is cut at the end.
const MOST_CELLS: usize = 400_000_000;

/// Words as the scorer of the corpus counts them: runs of letters, digits and underscores.
pub fn words(text: &str) -> Vec<&str> {
    text.split(|c: char| !(c.is_alphanumeric() || c == '_')).filter(|w| !w.is_empty()).collect()
}

/// For every word of `page`, whether it belongs to a longest common subsequence with `gold`.
pub fn common(page: &[&str], gold: &[&str]) -> Vec<bool> {
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
    let g = &g[..g.len().min(MOST_CELLS / p.len().max(1))];
    // Lengths row by row from the end; one bit a cell says which way to go.
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

/// The figures of one page.
#[derive(Clone, Copy, Default)]
pub struct Fit {
    pub precision: Option<f64>,
    pub recall: Option<f64>,
    pub exact: bool,
    /// Harmonic mean by words alone.
    pub words: f64,
}

/// Precision and recall of runs of four words, as the corpus scores them.
pub fn fit(gold: &str, text: &str) -> Fit {
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

/// One line for many pages.
pub fn summary(fits: &[Fit]) -> String {
    let mean = |values: Vec<f64>| values.iter().sum::<f64>() / values.len().max(1) as f64;
    let p = mean(fits.iter().filter_map(|f| f.precision).collect());
    let r = mean(fits.iter().filter_map(|f| f.recall).collect());
    let share = |n: usize| n as f64 / fits.len().max(1) as f64;
    let exact = share(fits.iter().filter(|f| f.exact).count());
    let near = share(fits.iter().filter(|f| f.words >= 0.95).count());
    let words = mean(fits.iter().map(|f| f.words).collect());
    let f1 = 2.0 * p * r / (p + r);
    format!(
        "n {} F1 {f1:.4} P {p:.4} R {r:.4} exact {exact:.3} near {near:.3} words {words:.4}",
        fits.len()
    )
}
