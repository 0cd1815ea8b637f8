//! Boosted decision trees: reading and evaluating their table.
//!
//! The table is text. A line `tree` starts a tree. Its nodes follow, one per line: `feature
//! threshold left right` for a split (a value not above the threshold goes left), `= value` for a
//! leaf. The leaves of all trees and the line `base VALUE` add up to the log-odds.

/// A sum of trees.
#[derive(Debug, Clone, PartialEq)]
pub struct Forest {
    base: f32,
    trees: Vec<Tree>,
}

/// Maximum number of nodes per tree, because indexes have 16 bits.
const MAX_NODES: usize = 1 << 15;
/// Number of rows that go through a tree together: their steps do not wait for each other.
const TOGETHER: usize = 8;

#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Branch {
    /// Index of the feature, threshold, and the nodes for below and above.
    Ask(u16, f32, u16, u16),
    /// A summand of the result.
    Answer(f32),
}

/// A tree whose leaves lead to themselves, so that every walk takes the same number of steps and
/// the processor has no branch to predict.
#[derive(Debug, Clone, PartialEq)]
struct Tree {
    nodes: Vec<Node>,
    /// Steps to the deepest leaf.
    depth: usize,
}

#[derive(Debug, Clone, Copy, PartialEq)]
struct Node {
    /// Threshold of a split, summand of a leaf.
    value: f32,
    feature: u16,
    /// The nodes for above and below the threshold.
    next: [u16; 2],
}

impl Tree {
    /// `None` if a split leads backward, so that not every walk ends, or out of the tree.
    fn new(branches: &[Branch]) -> Option<Self> {
        if !(1..MAX_NODES).contains(&branches.len()) {
            return None;
        }
        let mut nodes = Vec::with_capacity(branches.len());
        let mut depths = vec![0; branches.len()];
        for (here, branch) in branches.iter().enumerate() {
            nodes.push(match *branch {
                Branch::Ask(feature, value, below, above) => {
                    for next in [below, above] {
                        if usize::from(next) <= here {
                            return None;
                        }
                        let depth = depths[here] + 1;
                        let of_next = depths.get_mut(usize::from(next))?;
                        *of_next = depth.max(*of_next);
                    }
                    Node { value, feature, next: [above, below] }
                }
                Branch::Answer(value) if value.is_finite() => {
                    let here = u16::try_from(here).ok()?;
                    Node { value, feature: 0, next: [here, here] }
                }
                Branch::Answer(_) => return None,
            });
        }
        Some(Self { nodes, depth: depths.into_iter().max().unwrap_or_default() })
    }

    /// Adds the tree's summands for some rows.
    fn add(&self, rows: &[&[f32]; TOGETHER], sums: &mut [f32; TOGETHER]) {
        let mut at = [0u16; TOGETHER];
        for _ in 0..self.depth {
            for (at, row) in at.iter_mut().zip(rows) {
                let node = &self.nodes[usize::from(*at)];
                let value = row.get(usize::from(node.feature)).copied().unwrap_or_default();
                *at = node.next[usize::from(value <= node.value)];
            }
        }
        for (sum, at) in sums.iter_mut().zip(at) {
            *sum += self.nodes[usize::from(at)].value;
        }
    }

    fn branch(&self, at: usize) -> Branch {
        let Node { value, feature, next: [above, below] } = self.nodes[at];
        match usize::from(below) == at {
            true => Branch::Answer(value),
            false => Branch::Ask(feature, value, below, above),
        }
    }
}

impl Forest {
    /// Combines trees and a base value; `None` if a tree is inconsistent.
    pub fn new(base: f32, trees: &[Vec<Branch>]) -> Option<Self> {
        let trees = trees.iter().map(|branches| Tree::new(branches));
        Some(Self { base, trees: trees.collect::<Option<_>>()? })
    }

    /// Reads a table for rows of `features` numbers; `None` if it is inconsistent.
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
        let mut chances = Vec::with_capacity(rows.len());
        for rows in rows.chunks(TOGETHER) {
            // The last rows are repeated to fill the last group.
            let lanes = std::array::from_fn(|lane| rows[lane.min(rows.len() - 1)].as_ref());
            let mut sums = [0.0; TOGETHER];
            self.trees.iter().for_each(|tree| tree.add(&lanes, &mut sums));
            let chance = |sum: &f32| 1.0 / (1.0 + (-(self.base + sum)).exp());
            chances.extend(sums[..rows.len()].iter().map(chance));
        }
        chances
    }

    /// The table that [`Forest::parse`] reads.
    pub fn table(&self) -> String {
        let mut out = format!("base {}\n", self.base);
        for tree in &self.trees {
            out.push_str("tree\n");
            for at in 0..tree.nodes.len() {
                out.push_str(&match tree.branch(at) {
                    Branch::Ask(f, t, l, r) => format!("{f} {t} {l} {r}\n"),
                    Branch::Answer(value) => format!("= {value:.5}\n"),
                });
            }
        }
        out
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
        ] {
            assert_eq!(Forest::parse(table, 2), None, "{table}");
        }
    }
}
