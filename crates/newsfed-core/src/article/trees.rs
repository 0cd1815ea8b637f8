//! Boosted decision trees: parses and evaluates their table.
//!
//! The table is text. A line `tree` starts a tree. Its nodes follow, one per line: `feature threshold left
//! right` for a split (values up to the threshold go left), `= value` for a leaf. The leaf values of all
//! trees and the value of the line `base VALUE` add up to the log-odds.

/// A sum of trees.
#[derive(Debug, Clone, PartialEq)]
pub struct Forest {
    base: f32,
    trees: Vec<Tree>,
}

use wide::i32x4;

/// Maximum number of leaves per tree, because a set of leaves is a 32-bit mask.
const MAX_LEAVES: usize = 32;
/// Number of rows that are compared with a threshold at once by SIMD instructions.
const LANES: usize = 16;
/// The values of a feature in [`LANES`] rows, see [`ordered`].
type Values = [i32x4; LANES / 4];

#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Branch {
    /// Index of the feature, threshold, and the indices of the left and right nodes.
    Ask(u16, f32, u16, u16),
    /// The value of a leaf, which is added to the result.
    Answer(f32),
}

/// A tree as a list of splits, each of which excludes leaves. The first leaf that no split excludes is the
/// one that a traversal from the root would reach (Lucchese et al., *QuickScorer: a Fast Algorithm to Rank
/// Documents with Additive Ensembles of Regression Trees*, 2015). There are no branches to mispredict and no
/// dependent loads.
#[derive(Debug, Clone, PartialEq)]
struct Tree {
    splits: Vec<Split>,
    /// The values of the leaves, from left to right.
    leaves: Vec<f32>,
}

#[derive(Debug, Clone, Copy, PartialEq)]
struct Split {
    feature: u16,
    /// The threshold as converted by [`ordered`].
    threshold: i32,
    /// Bit mask of the leaves that are excluded if a value is above the threshold.
    excluded: u32,
}

impl Tree {
    /// Returns `None` if a split leads backward or out of the tree, or if there are too many leaves.
    fn new(branches: &[Branch]) -> Option<Self> {
        let mut tree = Self { splits: Vec::new(), leaves: Vec::new() };
        tree.push(branches, 0)?;
        Some(tree)
    }

    /// Adds a node and its descendants.
    fn push(&mut self, branches: &[Branch], here: usize) -> Option<()> {
        match *branches.get(here)? {
            Branch::Ask(feature, threshold, below, above) => {
                let (below, above) = (usize::from(below), usize::from(above));
                if below <= here || above <= here {
                    return None;
                }
                let (at, first) = (self.splits.len(), self.leaves.len());
                self.splits.push(Split { feature, threshold: ordered(threshold), excluded: 0 });
                self.push(branches, below)?;
                let excluded = (first..self.leaves.len()).map(|leaf| 1 << leaf);
                self.splits[at].excluded = excluded.fold(0, |all, leaf: u32| all | leaf);
                self.push(branches, above)
            }
            Branch::Answer(value) => {
                self.leaves.push(value);
                (value.is_finite() && self.leaves.len() <= MAX_LEAVES).then_some(())
            }
        }
    }

    /// Adds the values of the tree for [`LANES`] rows to `sums`.
    fn add(&self, values: &[Values], sums: &mut [f32; LANES]) {
        let mut excluded = [i32x4::splat(0); LANES / 4];
        for split in &self.splits {
            let Some(values) = values.get(usize::from(split.feature)) else { continue };
            let threshold = i32x4::splat(split.threshold);
            let above = i32x4::splat(split.excluded.cast_signed());
            for at in 0..LANES / 4 {
                excluded[at] |= values[at].simd_gt(threshold) & above;
            }
        }
        let excluded = excluded.map(i32x4::to_array);
        for (sum, excluded) in sums.iter_mut().zip(excluded.as_flattened()) {
            // No split excludes the last leaf, so at least one leaf is left.
            let leaf = excluded.trailing_ones() as usize;
            *sum += self.leaves.get(leaf).copied().unwrap_or_default();
        }
    }
}

/// Converts a float to an integer with the same order. Integer vectors have comparisons that return masks on
/// all processors.
fn ordered(value: f32) -> i32 {
    // Converts negative zero to zero.
    let bits = (value + 0.0).to_bits().cast_signed();
    bits ^ (bits >> 31) & i32::MAX
}

impl Forest {
    /// Combines trees and a base value; returns `None` if a tree is inconsistent.
    pub fn new(base: f32, trees: &[Vec<Branch>]) -> Option<Self> {
        let trees = trees.iter().map(|branches| Tree::new(branches));
        Some(Self { base, trees: trees.collect::<Option<_>>()? })
    }

    /// Parses a table for rows of `features` values; returns `None` if it is inconsistent.
    pub fn parse(table: &str, features: usize) -> Option<Self> {
        let (mut base, mut trees) = (0.0, Vec::<Vec<Branch>>::new());
        for line in table.lines().map(str::trim).filter(|l| !l.is_empty() && !l.starts_with('#')) {
            let mut parts = line.split(' ');
            match parts.next()? {
                "base" => base = parts.next()?.parse().ok()?,
                "tree" => trees.push(Vec::new()),
                "=" => trees.last_mut()?.push(Branch::Answer(parts.next()?.parse().ok()?)),
                feature => {
                    let feature = feature.parse().ok().filter(|f| usize::from(*f) < features)?;
                    let threshold = parts.next()?.parse().ok()?;
                    let below = parts.next()?.parse().ok()?;
                    let above = parts.next()?.parse().ok()?;
                    trees.last_mut()?.push(Branch::Ask(feature, threshold, below, above));
                }
            }
        }
        Self::new(base, &trees)
    }

    /// The probability for each row, 0 to 1.
    pub fn chances<R: AsRef<[f32]>>(&self, rows: &[R]) -> Vec<f32> {
        let width = rows.first().map_or(0, |row| row.as_ref().len());
        let mut lanes = vec![[0; LANES]; width];
        let mut chances = Vec::with_capacity(rows.len());
        for rows in rows.chunks(LANES) {
            for (lane, row) in rows.iter().enumerate() {
                for (lanes, value) in lanes.iter_mut().zip(row.as_ref()) {
                    lanes[lane] = ordered(*value);
                }
            }
            let vector = |lanes: &[i32; LANES], at| {
                i32x4::new(std::array::from_fn(|lane| lanes[4 * at + lane]))
            };
            let values = lanes.iter().map(|lanes| std::array::from_fn(|at| vector(lanes, at)));
            let values: Vec<Values> = values.collect();
            let mut sums = [0.0; LANES];
            self.trees.iter().for_each(|tree| tree.add(&values, &mut sums));
            let chance = |sum: &f32| 1.0 / (1.0 + (-(self.base + sum)).exp());
            chances.extend(sums[..rows.len()].iter().map(chance));
        }
        chances
    }
}

/// Writes the table that [`Forest::parse`] reads.
pub fn table(base: f32, trees: &[Vec<Branch>]) -> String {
    let mut out = format!("base {base}\n");
    for tree in trees {
        out.push_str("tree\n");
        for branch in tree {
            out.push_str(&match branch {
                Branch::Ask(f, t, l, r) => format!("{f} {t} {l} {r}\n"),
                Branch::Answer(value) => format!("= {value:.5}\n"),
            });
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_and_writes_tables() {
        let text = "base 0.5\ntree\n1 2.5 1 2\n= -1.00000\n= 2.00000\n";
        let tree = vec![Branch::Ask(1, 2.5, 1, 2), Branch::Answer(-1.0), Branch::Answer(2.0)];
        assert_eq!(table(0.5, std::slice::from_ref(&tree)), text);
        let forest = Forest::parse(text, 2).unwrap();
        assert_eq!(Some(&forest), Forest::new(0.5, &[tree]).as_ref());
        let rows: Vec<[f32; 2]> = (0..19).map(|row| [0.0, 2.5 + (row % 3) as f32]).collect();
        for (row, chance) in rows.iter().zip(forest.chances(&rows)) {
            let sum: f32 = if row[1] <= 2.5 { -0.5 } else { 2.5 };
            assert!((chance - 1.0 / (1.0 + (-sum).exp())).abs() < 1e-6, "{row:?}");
        }
    }

    #[test]
    fn rejects_invalid_tables() {
        for table in [
            "tree\n5 1 1 2\n= 0\n= 0",
            "tree\n0 1 0 0",
            "tree\n0 1 1 9\n= 0",
            "tree\nx",
            "tree",
            "tree\n= inf",
            &format!(
                "tree\n{}= 0",
                (0..32)
                    .map(|at| format!("0 1 {} {}\n= 0\n", 2 * at + 1, 2 * at + 2))
                    .collect::<String>()
            ),
        ] {
            assert_eq!(Forest::parse(table, 2), None, "{table}");
        }
    }

    /// The value of the leaf that a traversal from the root reaches.
    fn walked(tree: &[Branch], row: &[f32]) -> f32 {
        let mut at = 0;
        loop {
            match tree[at] {
                Branch::Answer(value) => return value,
                Branch::Ask(f, t, below, above) => {
                    at = usize::from(if row[usize::from(f)] <= t { below } else { above });
                }
            }
        }
    }

    #[test]
    fn finds_the_same_leaf_as_a_traversal() {
        let mut random = fastrand::Rng::with_seed(3);
        for leaves in 1..=MAX_LEAVES {
            let mut tree = vec![Branch::Answer(0.0)];
            for _ in 1..leaves {
                let open: Vec<usize> =
                    (0..tree.len()).filter(|at| matches!(tree[*at], Branch::Answer(_))).collect();
                let (at, next) = (open[random.usize(..open.len())], tree.len() as u16);
                let threshold = random.u8(..4).into();
                tree[at] = Branch::Ask(random.u16(..5), threshold, next, next + 1);
                tree.extend([Branch::Answer(next.into()), Branch::Answer((next + 1).into())]);
            }
            let forest = Forest::new(0.0, std::slice::from_ref(&tree)).unwrap();
            let value = |random: &mut fastrand::Rng| match random.u8(..9) {
                8 => f32::NAN,
                number => f32::from(number) / 2.0,
            };
            let rows: Vec<[f32; 5]> =
                (0..50).map(|_| std::array::from_fn(|_| value(&mut random))).collect();
            for (row, chance) in rows.iter().zip(forest.chances(&rows)) {
                let want = 1.0 / (1.0 + (-walked(&tree, row)).exp());
                assert_eq!(chance, want, "{tree:?} {row:?}");
            }
        }
    }
}
