//! Boosted decision trees: reading and evaluating their table.
//!
//! The table is text. A line `tree` starts a tree. Its nodes follow, one per line: `feature
//! threshold left right` for a split (a value not above the threshold goes left), `= value` for a
//! leaf. The leaves of all trees and the line `base VALUE` add up to the log-odds.

/// A sum of trees.
#[derive(Debug, Clone, PartialEq)]
pub struct Forest {
    base: f32,
    trees: Vec<Vec<Branch>>,
}

/// Maximum number of nodes per tree, because indexes have 16 bits.
const MAX_NODES: usize = 1 << 15;

#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Branch {
    /// Index of the feature, threshold, and the nodes for below and above.
    Ask(u16, f32, u16, u16),
    /// A summand of the result.
    Answer(f32),
}

impl Forest {
    /// Combines trees and a base value.
    pub fn new(base: f32, trees: Vec<Vec<Branch>>) -> Self {
        Self { base, trees }
    }

    /// Reads a table for rows of `features` numbers; `None` if it is inconsistent.
    pub fn parse(table: &str, features: usize) -> Option<Self> {
        let mut forest = Self { base: 0.0, trees: Vec::new() };
        for line in table.lines().map(str::trim).filter(|l| !l.is_empty() && !l.starts_with('#')) {
            let mut parts = line.split(' ');
            match parts.next()? {
                "base" => forest.base = parts.next()?.parse().ok()?,
                "tree" => forest.trees.push(Vec::new()),
                "=" => {
                    let value = parts.next()?.parse().ok()?;
                    forest.trees.last_mut()?.push(Branch::Answer(value));
                }
                feature => {
                    let feature: u16 = feature.parse().ok()?;
                    let threshold = parts.next()?.parse().ok()?;
                    let left: u16 = parts.next()?.parse().ok()?;
                    let right: u16 = parts.next()?.parse().ok()?;
                    let tree = forest.trees.last_mut()?;
                    // Splits lead forward only, so that every walk ends.
                    let here = tree.len();
                    if usize::from(feature) >= features
                        || usize::from(left) <= here
                        || usize::from(right) <= here
                    {
                        return None;
                    }
                    tree.push(Branch::Ask(feature, threshold, left, right));
                }
            }
        }
        let whole = |tree: &Vec<Branch>| {
            (1..MAX_NODES).contains(&tree.len())
                && tree.iter().all(|b| match b {
                    Branch::Ask(_, _, left, right) => usize::from(*left.max(right)) < tree.len(),
                    Branch::Answer(value) => value.is_finite(),
                })
        };
        forest.trees.iter().all(whole).then_some(forest)
    }

    /// The probability, 0 to 1.
    pub fn chance(&self, row: &[f32]) -> f32 {
        let sum: f32 = self.trees.iter().map(|tree| answer(tree, row)).sum();
        1.0 / (1.0 + (-(self.base + sum)).exp())
    }

    /// The table that [`Forest::parse`] reads.
    pub fn table(&self) -> String {
        let mut out = format!("base {}\n", self.base);
        for tree in &self.trees {
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
}

fn answer(tree: &[Branch], row: &[f32]) -> f32 {
    let mut at = 0;
    loop {
        match tree.get(at) {
            Some(Branch::Ask(feature, threshold, left, right)) => {
                let value = row.get(usize::from(*feature)).copied().unwrap_or_default();
                at = usize::from(if value <= *threshold { *left } else { *right });
            }
            Some(Branch::Answer(value)) => return *value,
            None => return 0.0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_and_writes_tables() {
        let table = "base 0.5\ntree\n1 2.5 1 2\n= -1.00000\n= 2.00000\n";
        let forest = Forest::parse(table, 2).unwrap();
        assert_eq!(forest.table(), table);
        assert!((forest.chance(&[0.0, 2.5]) - 1.0 / (1.0 + 0.5f32.exp())).abs() < 1e-6);
        assert!(forest.chance(&[0.0, 3.0]) > 0.9);
    }

    #[test]
    fn rejects_invalid_tables() {
        for table in ["tree\n5 1 1 2\n= 0\n= 0", "tree\n0 1 0 0", "tree\n0 1 1 9\n= 0", "tree\nx"] {
            assert_eq!(Forest::parse(table, 2), None, "{table}");
        }
    }
}
