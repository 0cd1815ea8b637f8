//! Gradient boosting of small decision trees on the logistic loss, with histograms: Friedman,
//! "Greedy Function Approximation" (2001), split gain by second derivatives as in XGBoost (Chen and
//! Guestrin 2016, equation 7), trees grown leaf by leaf as in LightGBM.

use newsfed::article::trees::{Branch, Forest, table as table_of};
use std::sync::Arc;

/// Hyperparameters of the trees.
#[derive(Clone, Copy)]
pub(crate) struct Plan {
    pub(crate) trees: usize,
    pub(crate) leaves: usize,
    pub(crate) rate: f32,
    /// Share of the features that a tree can use.
    pub(crate) features: f64,
    /// Minimum sum of second derivatives in a leaf.
    pub(crate) least: f32,
    /// L2 regularisation of the leaves.
    pub(crate) ridge: f32,
}

const BINS: usize = 128;

/// Rows as bins, one column per feature. Several tables can share columns.
#[derive(Clone)]
pub(crate) struct Table {
    columns: Vec<Arc<Vec<u8>>>,
    /// The upper limits of each feature's bins.
    borders: Vec<Arc<Vec<f32>>>,
}

impl Table {
    pub(crate) fn new<'r>(rows: impl Iterator<Item = &'r Vec<f32>>) -> Self {
        Self { columns: Vec::new(), borders: Vec::new() }.with(rows)
    }

    /// Adds columns for the same rows.
    pub(crate) fn with<'r>(&self, rows: impl Iterator<Item = &'r Vec<f32>>) -> Self {
        let rows: Vec<&[f32]> = rows.map(Vec::as_slice).collect();
        let features = rows.first().map_or(0, |r| r.len());
        let mut table = self.clone();
        for feature in 0..features {
            let mut values: Vec<f32> = rows.iter().map(|r| r[feature]).collect();
            values.sort_unstable_by(f32::total_cmp);
            let mut distinct = values.clone();
            distinct.dedup();
            let borders: Vec<f32> = if distinct.len() <= BINS {
                distinct.windows(2).map(|w| (w[0] + w[1]) / 2.0).collect()
            } else {
                let at = |i: usize| values[i * (values.len() - 1) / BINS];
                let mut borders: Vec<f32> = (1..BINS).map(at).collect();
                borders.dedup();
                borders
            };
            let bin = |v: f32| borders.partition_point(|b| *b < v) as u8;
            table.columns.push(Arc::new(rows.iter().map(|r| bin(r[feature])).collect()));
            table.borders.push(Arc::new(borders));
        }
        table
    }
}

struct Leaf {
    rows: Vec<u32>,
    histogram: Vec<[f32; 2]>,
    sum: [f32; 2],
    /// Gain, feature and bin of the leaf's best split.
    best: Option<(f32, usize, usize)>,
    /// The leaf's index in the tree.
    node: usize,
}

/// A forest, and its serialized table.
pub(crate) struct Trained {
    pub(crate) forest: Forest,
    pub(crate) table: String,
}

/// Trains on the rows `some` of a table, with labels (0 or 1) and weights.
pub(crate) fn train(
    table: &Table,
    some: &[u32],
    labels: &[f32],
    weights: &[f32],
    plan: Plan,
    seed: u64,
) -> Trained {
    let mut random = fastrand::Rng::with_seed(seed);
    let total: f32 = some.iter().map(|i| weights[*i as usize]).sum();
    let yes: f32 = some.iter().map(|i| labels[*i as usize] * weights[*i as usize]).sum();
    let base = (yes / (total - yes)).ln();
    let mut scores = vec![base; labels.len()];
    let mut trees = Vec::new();
    for _ in 0..plan.trees {
        let slopes: Vec<[f32; 2]> = (0..labels.len())
            .map(|i| {
                let p = 1.0 / (1.0 + (-scores[i]).exp());
                [weights[i] * (p - labels[i]), weights[i] * p * (1.0 - p)]
            })
            .collect();
        let mut features: Vec<usize> = (0..table.columns.len()).collect();
        random.shuffle(&mut features);
        features.truncate((features.len() as f64 * plan.features).ceil() as usize);
        trees.push(grow(table, some, &slopes, &features, plan, &mut scores));
    }
    Trained { forest: Forest::new(base, &trees).unwrap(), table: table_of(base, &trees) }
}

fn grow(
    table: &Table,
    some: &[u32],
    slopes: &[[f32; 2]],
    features: &[usize],
    plan: Plan,
    scores: &mut [f32],
) -> Vec<Branch> {
    let mut tree = vec![Branch::Answer(0.0)];
    let histogram = histogram_of(table, slopes, features, some);
    let all = some.to_vec();
    let mut leaves = vec![leaf(table, features, all, histogram, slopes, 0, plan)];
    while leaves.len() < plan.leaves {
        let gain = |l: &Leaf| l.best.map_or(0.0, |b| b.0);
        let Some(at) =
            (0..leaves.len()).max_by(|a, b| gain(&leaves[*a]).total_cmp(&gain(&leaves[*b])))
        else {
            break;
        };
        let Some((_, slot, bin)) = leaves[at].best else { break };
        let parent = leaves.swap_remove(at);
        let feature = features[slot];
        let column = &table.columns[feature];
        let (left, right): (Vec<u32>, Vec<u32>) =
            parent.rows.iter().partition(|r| usize::from(column[**r as usize]) <= bin);
        let (l, r) = (tree.len(), tree.len() + 1);
        tree.push(Branch::Answer(0.0));
        tree.push(Branch::Answer(0.0));
        let border = table.borders[feature][bin];
        tree[parent.node] = Branch::Ask(feature as u16, border, l as u16, r as u16);
        let small = if left.len() < right.len() { &left } else { &right };
        let one = histogram_of(table, slopes, features, small);
        let other: Vec<[f32; 2]> =
            parent.histogram.iter().zip(&one).map(|(a, b)| [a[0] - b[0], a[1] - b[1]]).collect();
        let (lh, rh) = if left.len() < right.len() { (one, other) } else { (other, one) };
        leaves.push(leaf(table, features, left, lh, slopes, l, plan));
        leaves.push(leaf(table, features, right, rh, slopes, r, plan));
    }
    for leaf in &leaves {
        let answer = -plan.rate * leaf.sum[0] / (leaf.sum[1] + plan.ridge);
        tree[leaf.node] = Branch::Answer(answer);
        for row in &leaf.rows {
            scores[*row as usize] += answer;
        }
    }
    tree
}

fn histogram_of(
    table: &Table,
    slopes: &[[f32; 2]],
    features: &[usize],
    rows: &[u32],
) -> Vec<[f32; 2]> {
    let mut out = vec![[0f32; 2]; features.len() * BINS];
    for (slot, feature) in features.iter().enumerate() {
        let column = &table.columns[*feature];
        let bins = &mut out[slot * BINS..(slot + 1) * BINS];
        for row in rows {
            let bin = &mut bins[usize::from(column[*row as usize])];
            let slope = slopes[*row as usize];
            bin[0] += slope[0];
            bin[1] += slope[1];
        }
    }
    out
}

fn leaf(
    table: &Table,
    features: &[usize],
    rows: Vec<u32>,
    histogram: Vec<[f32; 2]>,
    slopes: &[[f32; 2]],
    node: usize,
    plan: Plan,
) -> Leaf {
    let sum = rows.iter().fold([0f32; 2], |sum, r| {
        let s = slopes[*r as usize];
        [sum[0] + s[0], sum[1] + s[1]]
    });
    let quality = |g: f32, h: f32| g * g / (h + plan.ridge);
    let whole = quality(sum[0], sum[1]);
    let mut best: Option<(f32, usize, usize)> = None;
    for (slot, feature) in features.iter().enumerate() {
        let (mut g, mut h) = (0.0, 0.0);
        for bin in 0..table.borders[*feature].len() {
            let here = histogram[slot * BINS + bin];
            g += here[0];
            h += here[1];
            let (og, oh) = (sum[0] - g, sum[1] - h);
            if h < plan.least || oh < plan.least {
                continue;
            }
            let gain = quality(g, h) + quality(og, oh) - whole;
            if gain > best.map_or(1e-4, |b| b.0) {
                best = Some((gain, slot, bin));
            }
        }
    }
    Leaf { rows, histogram, sum, best, node }
}
