//! Tag paths as vectors: the n-grams of the elements from the root to a link, projected to a fixed number of
//! dimensions.
//!
//! Follows "Efficient Crawling for Scalable Web Data Acquisition" (Gauquier, Manolescu, Senellart).

use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};

#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct PathParameters {
    /// Number of elements in one n-gram.
    pub n: usize,
    /// The vectors have 2^bits dimensions.
    pub bits: u32,
    /// Number of hash bits from which dimensions are computed.
    pub hash_bits: u32,
    /// A large prime number.
    pub prime: u64,
}

impl Default for PathParameters {
    fn default() -> Self {
        Self { n: 2, bits: 12, hash_bits: 15, prime: 766_245_317 }
    }
}

/// A sparse vector with its Euclidean length.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Sparse {
    /// Dimension and value, sorted by dimension.
    pub parts: Vec<(u32, f64)>,
}

impl Sparse {
    pub(super) fn norm(&self) -> f64 {
        self.parts.iter().map(|(_, v)| v * v).sum::<f64>().sqrt()
    }
}

/// Converts tag paths to vectors. The vocabulary grows during the crawl.
#[derive(Debug, Default)]
pub(super) struct TagPaths {
    parameters: PathParameters,
    /// Indices of the n-grams by hash.
    vocabulary: HashMap<u64, u32>,
    /// Number of n-grams per dimension.
    at: HashMap<u32, u32>,
}

impl TagPaths {
    pub(super) fn new(parameters: PathParameters) -> Self {
        Self { parameters, ..Self::default() }
    }

    /// The vector of a path such as `/html/body.wide/ul#menu/a`.
    pub(super) fn vector(&mut self, path: &str) -> Sparse {
        let n = self.parameters.n.max(1);
        let mut tokens: Vec<&str> = vec!["^"];
        tokens.extend(path.split('/').filter(|t| !t.is_empty()));
        tokens.push("$");
        let mut counts: HashMap<u32, f64> = HashMap::new();
        for gram in tokens.windows(n.min(tokens.len())) {
            let mut hasher = DefaultHasher::new();
            gram.hash(&mut hasher);
            let next = self.vocabulary.len() as u32;
            let index = *self.vocabulary.entry(hasher.finish()).or_insert(next);
            let position = self.position(index);
            if index == next {
                *self.at.entry(position).or_default() += 1;
            }
            *counts.entry(position).or_default() += 1.0;
        }
        // The value in a dimension is the mean over all n-grams of the vocabulary in it, including those that
        // are not in this path.
        let mean =
            |(position, count): (u32, f64)| (position, count / f64::from(self.at[&position]));
        let mut parts: Vec<(u32, f64)> = counts.into_iter().map(mean).collect();
        parts.sort_unstable_by_key(|(p, _)| *p);
        Sparse { parts }
    }

    /// The dimension of an n-gram: h(i) = floor(((P i) mod 2^w) / 2^(w-m)).
    fn position(&self, index: u32) -> u32 {
        let PathParameters { bits, hash_bits, prime, .. } = self.parameters;
        let hash = prime.wrapping_mul(u64::from(index)) & ((1 << hash_bits) - 1);
        (hash >> (hash_bits - bits)) as u32
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn splits_a_path_into_pairs() {
        let mut paths = TagPaths::new(PathParameters::default());
        let vector = paths.vector("/html/body/a");
        assert_eq!(vector.parts.iter().map(|(_, v)| *v).collect::<Vec<_>>(), [1.0; 4]);
        assert_eq!(vector.norm(), 2.0);
        assert_eq!(paths.vector("/html/body/a"), vector, "a path has one vector");
        assert_ne!(paths.vector("/html/body/p/a"), vector);
        assert_eq!(paths.vector("").parts.len(), 1, "start and end");
    }

    #[test]
    fn averages_shared_dimensions_with_zeros() {
        // Only two dimensions: indices 0 and 2 share the first, 1 and 3 share the second.
        let parameters = PathParameters { n: 1, bits: 1, hash_bits: 1, prime: 1 };
        let mut paths = TagPaths::new(parameters);
        assert_eq!(paths.vector("").parts, [(0, 1.0), (1, 1.0)], "^ and $");
        assert_eq!(paths.vector("/html/a").parts, [(0, 1.0), (1, 1.0)]);
        assert_eq!(paths.vector("").parts, [(0, 0.5), (1, 0.5)], "html and a are missing");
        assert_eq!(paths.vector("/a/a").parts, [(0, 0.5), (1, 1.5)]);
    }

    #[test]
    fn dimensions_follow_the_formula() {
        let paths = TagPaths::new(PathParameters::default());
        // floor(((766245317 i) mod 2^15) / 2^3).
        assert_eq!([0, 1, 2].map(|i| paths.position(i)), [0, 3896, 3697]);
        assert!((0..100_000).all(|i| paths.position(i) < 4096));
    }
}
