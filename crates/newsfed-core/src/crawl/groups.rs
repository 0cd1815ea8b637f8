//! Groups of links in similar positions: clusters of tag paths by cosine similarity.

use super::tag_path::Sparse;
use std::collections::HashMap;

/// Maximum number of groups. When it is reached, dissimilar vectors are assigned to the last group without
/// changing it.
const MAX_GROUPS: usize = 4_096;

/// Cosines with a smaller difference are treated as equal. Many are equal apart from rounding, because paths
/// often share the same fraction of their parts.
const ROUNDING: f64 = 1e-9;

pub(super) type GroupId = u32;

#[derive(Debug)]
pub(super) struct Groups {
    /// Minimum cosine for a vector to join the nearest group.
    theta: f64,
    centroids: Vec<Centroid>,
    /// For each dimension, the groups with a value there.
    at: HashMap<u32, Vec<GroupId>>,
}

#[derive(Debug)]
struct Centroid {
    /// The sum of the members' vectors, which has the same direction as their mean.
    sums: HashMap<u32, f64>,
    norm_squared: f64,
}

impl Groups {
    /// Creates an empty set of groups. Vectors join a group at a cosine of at least `theta`, 0 to 1.
    pub(super) fn new(theta: f64) -> Self {
        Self { theta, centroids: Vec::new(), at: HashMap::new() }
    }

    /// The nearest group with a cosine of at least theta. The dimensions that most groups share add at most
    /// the norm of the vector in these dimensions to the cosine, so groups that share no others with the
    /// vector cannot reach theta and are skipped.
    pub(super) fn alike(&self, vector: &Sparse) -> Option<GroupId> {
        let groups_at = |position| self.at.get(&position).map_or(&[][..], Vec::as_slice);
        let norm = vector.norm();
        let mut parts = vector.parts.clone();
        parts.sort_by_key(|(position, _)| std::cmp::Reverse(groups_at(*position).len()));
        let mut slack = (self.theta * norm).powi(2) * (1.0 - 1e-5);
        let rare = parts.iter().skip_while(|(_, value)| {
            slack -= value * value;
            slack > 0.0
        });
        let mut groups: Vec<GroupId> =
            rare.flat_map(|(position, _)| groups_at(*position)).copied().collect();
        groups.sort_unstable();
        groups.dedup();
        let cosine = |group: GroupId| {
            let Centroid { sums, norm_squared } = &self.centroids[group as usize];
            let products = vector.parts.iter().filter_map(|(p, value)| Some(sums.get(p)? * value));
            (group, products.sum::<f64>() / (norm * norm_squared.sqrt()))
        };
        let near = groups.into_iter().map(cosine);
        let enough = |(_, cosine): &(GroupId, f64)| *cosine >= self.theta - ROUNDING;
        near.reduce(nearer).filter(enough).map(|(group, _)| group)
    }

    /// Adds a vector to the nearest group, which moves towards it, or to a new group.
    pub(super) fn join(&mut self, vector: &Sparse) -> GroupId {
        let near = self.alike(vector);
        if near.is_none() && self.centroids.len() >= MAX_GROUPS {
            return MAX_GROUPS as GroupId - 1;
        }
        let id = near.unwrap_or(self.centroids.len() as GroupId);
        if near.is_none() {
            self.centroids.push(Centroid { sums: HashMap::new(), norm_squared: 0.0 });
        }
        let centroid = &mut self.centroids[id as usize];
        for (position, value) in &vector.parts {
            let sum = centroid.sums.entry(*position).or_insert_with(|| {
                self.at.entry(*position).or_default().push(id);
                0.0
            });
            centroid.norm_squared += 2.0 * *sum * value + value * value;
            *sum += value;
        }
        id
    }
}

/// The nearer of two groups, or the first one if they are equally near.
fn nearer(a: (GroupId, f64), b: (GroupId, f64)) -> (GroupId, f64) {
    if b.1 > a.1 + ROUNDING { b } else { a }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::crawl::tag_path::{PathParameters, TagPaths};

    /// The nearest group and its cosine, from a search over all groups.
    fn nearest(groups: &Groups, vector: &Sparse) -> Option<(GroupId, f64)> {
        let mut dots: HashMap<GroupId, f64> = HashMap::new();
        for (position, value) in &vector.parts {
            for group in groups.at.get(position).into_iter().flatten() {
                let sum = groups.centroids[*group as usize].sums[position];
                *dots.entry(*group).or_default() += sum * value;
            }
        }
        let norm = vector.norm();
        let cosine = |(group, dot): (GroupId, f64)| {
            (group, dot / (norm * groups.centroids[group as usize].norm_squared.sqrt()))
        };
        let mut dots: Vec<(GroupId, f64)> = dots.into_iter().collect();
        dots.sort_unstable_by_key(|(group, _)| *group);
        dots.into_iter().map(cosine).reduce(nearer)
    }

    #[test]
    fn groups_similar_paths() {
        let mut paths = TagPaths::new(PathParameters::default());
        let mut groups = Groups::new(0.75);
        let mut join = |path: &str| groups.join(&paths.vector(path));
        let list = join("/html/body/main/ul.news/li/h3/a");
        assert_eq!(join("/html/body/main/ul.news/li/h3/a"), list);
        assert_eq!(
            join("/html/body/main/ul.news/li.first/h3/a"),
            list,
            "6 of 8 pairs are the same"
        );
        assert_ne!(join("/html/body/footer/p/a"), list);
    }

    #[test]
    fn skipping_dimensions_does_not_change_the_nearest_group() {
        let mut random = fastrand::Rng::with_seed(5);
        let mut paths = TagPaths::new(PathParameters::default());
        let mut groups = Groups::new(0.75);
        for _ in 0..3_000 {
            let deep = random.usize(1..8);
            let tail: String = (0..deep).map(|_| format!("/e{}", random.u8(..5))).collect();
            let vector = paths.vector(&format!("/html/body/main{tail}"));
            let near = nearest(&groups, &vector).filter(|(_, cosine)| *cosine >= 0.75 - ROUNDING);
            assert_eq!(groups.alike(&vector), near.map(|(group, _)| group));
            groups.join(&vector);
        }
        assert!(groups.centroids.len() > 100);
    }

    #[test]
    fn limits_the_number_of_groups() {
        let mut groups = Groups::new(0.75);
        for n in 0..MAX_GROUPS as u32 + 9 {
            let vector = Sparse { parts: vec![(n, 1.0)] };
            assert_eq!(groups.join(&vector), n.min(MAX_GROUPS as u32 - 1));
        }
    }

    #[test]
    fn moves_the_centroid_to_the_mean() {
        let mut groups = Groups::new(0.5);
        let vector = |parts: &[(u32, f64)]| Sparse { parts: parts.to_vec() };
        assert_eq!(groups.join(&vector(&[(1, 1.0)])), 0);
        assert_eq!(groups.join(&vector(&[(1, 1.0), (2, 1.0)])), 0);
        let (group, cosine) = nearest(&groups, &vector(&[(2, 1.0)])).unwrap();
        // The sum is (2, 1).
        assert_eq!(group, 0);
        assert!((cosine - 1.0 / 5f64.sqrt()).abs() < 1e-6);
        assert_eq!(nearest(&groups, &vector(&[(9, 1.0)])), None);
    }
}
