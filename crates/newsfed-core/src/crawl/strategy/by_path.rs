//! Chooses pages by their tag path alone, like the published algorithm, in addition to the value function of
//! the default strategy.

use crate::crawl::bandit::{Arm, BanditParameters};
use crate::crawl::groups::GroupId;
use crate::crawl::links::LinkId;

/// How a page was chosen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Chosen {
    ByValue,
    ByPath,
}

/// Waiting links by the cluster of their tag path, and the results of both methods. The value of a group
/// depends on URLs and words, which a site can generate without limit, but there are only a few clusters of
/// paths.
#[derive(Debug, Default)]
pub(super) struct ByPath {
    arms: Vec<Arm>,
    waiting: Vec<Vec<LinkId>>,
    /// The cluster of each waiting link; [`NONE`] for other links.
    cluster_of: Vec<GroupId>,
    chosen: Option<(LinkId, Chosen)>,
    /// Number of consecutive pages that led to nothing, for pages chosen by value and by path.
    dry: [u32; 2],
    steps: u64,
}

const NONE: GroupId = GroupId::MAX;

/// Number of pages after which one is chosen by the method that is not preferred.
const SHARE: u64 = 50;
/// Number of consecutive pages without a result after which the other method is preferred.
const PATIENCE: u32 = 30;

impl ByPath {
    /// Adds a waiting link with its cluster.
    pub(super) fn put(&mut self, link: LinkId, cluster: GroupId) {
        while self.arms.len() <= cluster as usize {
            self.arms.push(Arm::default());
            self.waiting.push(Vec::new());
        }
        self.waiting[cluster as usize].push(link);
        self.cluster_of.resize(self.cluster_of.len().max(link as usize + 1), NONE);
        self.cluster_of[link as usize] = cluster;
    }

    /// Whether the next page is chosen by its path.
    pub(super) fn is_due(&mut self) -> bool {
        self.steps += 1;
        let [value, path] = self.dry;
        let preferred = value > PATIENCE && (path <= value || self.steps.is_multiple_of(2));
        preferred != self.steps.is_multiple_of(SHARE)
    }

    /// Whether a link is still waiting.
    pub(super) fn is_waiting(&self, link: LinkId) -> bool {
        self.cluster_of.get(link as usize).is_some_and(|cluster| *cluster != NONE)
    }

    /// Records how the next page was chosen.
    pub(super) fn chose(&mut self, link: LinkId, by: Chosen) {
        self.chosen = Some((link, by));
    }

    /// A random link of the cluster with the highest reward bound.
    pub(super) fn take(&mut self, random: &mut fastrand::Rng) -> Option<LinkId> {
        let parameters = BanditParameters::default();
        loop {
            let bound = |cluster: usize| self.arms[cluster].bound(parameters, self.steps);
            let some = (0..self.arms.len()).filter(|cluster| !self.waiting[*cluster].is_empty());
            let best = some.max_by(|a, b| bound(*a).total_cmp(&bound(*b)).then(b.cmp(a)))?;
            let waiting = &mut self.waiting[best];
            let link = waiting.swap_remove(random.usize(..waiting.len()));
            // A link that no longer waits was already chosen by its value.
            if self.is_waiting(link) {
                return Some(link);
            }
        }
    }

    /// Records the number of targets that a page led to.
    pub(super) fn observe(&mut self, link: LinkId, found: u32) {
        let cluster = self.cluster_of.get_mut(link as usize).map(|c| std::mem::replace(c, NONE));
        if let Some(cluster) = cluster.filter(|cluster| *cluster != NONE) {
            let arm = &mut self.arms[cluster as usize];
            arm.choose();
            arm.learn(f64::from(found));
        }
        if let Some((_, by)) = self.chosen.take_if(|(chosen, _)| *chosen == link) {
            let dry = &mut self.dry[by as usize];
            *dry = if found > 0 { 0 } else { dry.saturating_add(1) };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chooses_by_tag_path_after_a_long_time_without_targets() {
        let mut by_path = ByPath::default();
        (0..200).for_each(|link| by_path.put(link, link % 2));
        let due = |by_path: &mut ByPath| (0..100).filter(|_| by_path.is_due()).count();
        assert_eq!(due(&mut by_path), 2, "a share is always chosen by path");
        for link in 0..=PATIENCE {
            by_path.chose(link, Chosen::ByValue);
            by_path.observe(link, 0);
        }
        assert_eq!(due(&mut by_path), 98);
        for link in 100..200 {
            by_path.chose(link, Chosen::ByPath);
            by_path.observe(link, 0);
        }
        assert!((40..60).contains(&due(&mut by_path)), "both are dry");
        by_path.chose(90, Chosen::ByValue);
        by_path.observe(90, 3);
        assert_eq!(due(&mut by_path), 2);
    }

    #[test]
    fn takes_each_link_once() {
        let mut by_path = ByPath::default();
        (0..50).for_each(|link| by_path.put(link, link % 5));
        by_path.observe(7, 1);
        let mut random = fastrand::Rng::with_seed(1);
        let mut taken: Vec<LinkId> = std::iter::from_fn(|| by_path.take(&mut random)).collect();
        assert_eq!(taken.len(), 49);
        taken.sort_unstable();
        assert!(!taken.contains(&7) && taken.windows(2).all(|pair| pair[0] != pair[1]));
    }
}
