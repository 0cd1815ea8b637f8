//! Groups of waiting links, and the choice of the most valuable group.

use super::links::LinkId;
use super::value::{FeatureId, NO_FEATURE, Value, ValueParameters};
use smallvec::SmallVec;
use std::collections::binary_heap::PeekMut;
use std::collections::{BinaryHeap, HashMap};
use std::hash::{BuildHasher, RandomState};

/// Number of features that the links of a group share. The last feature can change or be missing.
pub(super) const FEATURES: usize = 8;
/// Value of a missing feature.
pub(super) const NONE: u32 = u32::MAX;

/// Number of groups that are re-evaluated in turn at each choice.
const TURN: usize = 64;
/// Number of groups that are re-evaluated for each corrected feature.
const KIN: usize = 32;
/// Maximum number of outdated values that are corrected at each choice. If all groups have lost value, the
/// best of the corrected ones is good enough.
const CORRECTIONS: usize = 512;

pub(super) type PoolId = u32;

/// Usually a single index, which needs no allocation.
type Few = SmallVec<[u32; 1]>;

#[derive(Debug)]
struct Pool {
    features: [FeatureId; FEATURES],
    waiting: Few,
    /// The value of its highest entry in the heap.
    queued: f64,
    /// The first link of the group, which represents the other links.
    first: LinkId,
    /// Number of fetched links, and of targets that they led to.
    fetched: u32,
    found: u32,
}

/// A value with a total order; it is never NaN.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Entry(f64, PoolId);

impl Eq for Entry {}

impl Ord for Entry {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.0.total_cmp(&other.0).then(other.1.cmp(&self.1))
    }
}

impl PartialOrd for Entry {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

/// All groups, indexed by the features of their links.
#[derive(Debug)]
pub(super) struct Pools {
    value: Value,
    features: HashMap<u32, FeatureId>,
    /// For each feature, the newest groups with it, the newest last.
    having: Vec<Few>,
    pools: Vec<Pool>,
    /// Groups by the hash of their features.
    by_features: HashMap<u64, PoolId>,
    hasher: RandomState,
    /// May contain outdated values; the values of waiting groups are corrected when they reach the top.
    heap: BinaryHeap<Entry>,
    turn: usize,
}

impl Pools {
    pub(super) fn new(parameters: ValueParameters) -> Self {
        Self {
            value: Value::new(parameters),
            features: HashMap::new(),
            having: Vec::new(),
            pools: Vec::new(),
            by_features: HashMap::new(),
            hasher: RandomState::new(),
            heap: BinaryHeap::new(),
            turn: 0,
        }
    }

    /// Adds a link to the group with these hashed features.
    pub(super) fn put(&mut self, link: LinkId, features: [u32; FEATURES]) -> PoolId {
        let features = features.map(|hash| self.feature(hash));
        self.add(link, features)
    }

    fn feature(&mut self, hash: u32) -> FeatureId {
        if hash == NONE {
            return NO_FEATURE;
        }
        *self.features.entry(hash).or_insert_with(|| {
            self.having.push(Few::default());
            self.value.add()
        })
    }

    /// Assigns all waiting links to new groups by a new last feature, and returns these groups.
    pub(super) fn regroup(&mut self, last: impl Fn(LinkId) -> u32) -> Vec<(LinkId, PoolId)> {
        let mut groups = Vec::new();
        for id in 0..self.pools.len() {
            let pool = &mut self.pools[id];
            let (waiting, mut features) = (std::mem::take(&mut pool.waiting), pool.features);
            for link in waiting {
                features[FEATURES - 1] = self.feature(last(link));
                groups.push((link, self.add(link, features)));
            }
        }
        groups
    }

    fn add(&mut self, link: LinkId, features: [FeatureId; FEATURES]) -> PoolId {
        let next = self.pools.len() as PoolId;
        let id = *self.by_features.entry(self.hasher.hash_one(features)).or_insert(next);
        if id == next {
            for feature in features.into_iter().filter(|feature| *feature != NO_FEATURE) {
                let having = &mut self.having[feature as usize];
                if having.len() == 2 * KIN {
                    // Older groups are no longer re-evaluated.
                    having.drain(..KIN);
                }
                having.push(id);
            }
            let (waiting, queued) = (Few::default(), f64::NEG_INFINITY);
            self.pools.push(Pool { features, waiting, queued, first: link, fetched: 0, found: 0 });
        }
        self.pools[id as usize].waiting.push(link);
        self.revisit(id);
        id
    }

    /// The expected reward of a group.
    pub(super) fn mean(&self, id: PoolId) -> f64 {
        self.value.mean(&self.pools[id as usize].features)
    }

    /// Takes a random link from the most valuable group.
    pub(super) fn take(&mut self, random: &mut fastrand::Rng) -> Option<LinkId> {
        for _ in 0..TURN.min(self.pools.len()) {
            self.turn = (self.turn + 1) % self.pools.len();
            self.revisit(self.turn as PoolId);
        }
        let mut best: Option<Entry> = None;
        let mut corrections = 0;
        while corrections < CORRECTIONS {
            let Some(mut top) = self.heap.peek_mut() else { break };
            let Entry(queued, id) = *top;
            let pool = &mut self.pools[id as usize];
            if queued < pool.queued || pool.waiting.is_empty() {
                // The group already has a higher entry, or is empty.
                if pool.waiting.is_empty() {
                    pool.queued = f64::NEG_INFINITY;
                }
                PeekMut::pop(top);
                continue;
            }
            let entry = Entry(self.value.of(&pool.features), id);
            pool.queued = entry.0;
            *top = entry;
            drop(top);
            best = best.max(Some(entry));
            if entry.0 >= queued || self.heap.peek() == Some(&entry) {
                best = Some(entry);
                break;
            }
            corrections += 1;
        }
        let waiting = &mut self.pools[best?.1 as usize].waiting;
        Some(waiting.swap_remove(random.usize(..waiting.len())))
    }

    /// The results of each group: its first link, the number of fetched links, and the number of targets
    /// found.
    pub(super) fn link_groups(&self) -> impl Iterator<Item = (LinkId, u32, u32)> {
        self.pools.iter().filter(|p| p.fetched > 0).map(|p| (p.first, p.fetched, p.found))
    }

    /// Records the reward of a link in a group, and the number of targets that the link led to.
    pub(super) fn observe(&mut self, id: PoolId, observed: f64, found: u32) {
        let pool = &mut self.pools[id as usize];
        pool.fetched += 1;
        pool.found += found;
        let features = pool.features;
        self.value.observe(&features, observed);
        for feature in features.into_iter().filter(|feature| *feature != NO_FEATURE) {
            let having = &self.having[feature as usize];
            for at in having.len().saturating_sub(KIN)..having.len() {
                self.revisit(self.having[feature as usize][at]);
            }
        }
    }

    /// Moves a group up in the heap if its value has increased.
    fn revisit(&mut self, id: PoolId) {
        let pool = &mut self.pools[id as usize];
        let value = self.value.of(&pool.features);
        if !pool.waiting.is_empty() && value > pool.queued {
            pool.queued = value;
            self.heap.push(Entry(value, id));
        }
        let enough = self.pools.len() + self.pools.len() / 4 + 64;
        if self.heap.len() > enough {
            // Rebuilds the heap, because many entries are outdated.
            let pools = (0..).zip(&self.pools).filter(|(_, pool)| !pool.waiting.is_empty());
            let mut entries = std::mem::take(&mut self.heap).into_vec();
            entries.clear();
            entries.extend(pools.map(|(id, pool)| Entry(pool.queued, id)));
            self.heap = entries.into();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn takes_from_the_best_group_until_it_is_empty() {
        let mut pools = Pools::new(ValueParameters::default());
        let mut random = fastrand::Rng::with_seed(1);
        let like = |n: u32| [n, n + 1, n + 2, n + 3, n + 4, n + 5, n + 6, NONE];
        let dull: Vec<PoolId> = (0..10).map(|link| pools.put(link, like(100))).collect();
        let rich: Vec<PoolId> = (10..20).map(|link| pools.put(link, like(200))).collect();
        assert!(dull.iter().all(|p| *p == dull[0]) && rich.iter().all(|p| *p == rich[0]));
        pools.observe(dull[0], 0.0, 0);
        pools.observe(rich[0], 3.0, 19);
        let order: Vec<LinkId> = std::iter::from_fn(|| pools.take(&mut random)).collect();
        assert_eq!(order.len(), 20);
        assert!(order[..10].iter().all(|l| *l >= 10), "{order:?}");
        assert_eq!(pools.link_groups().collect::<Vec<_>>(), [(0, 1, 0), (10, 1, 19)]);
        assert_eq!(pools.put(20, like(200)), rich[0]);
        assert_eq!(pools.take(&mut random), Some(20), "an empty group fills again");
    }

    #[test]
    fn takes_regrouped_links_in_the_order_of_their_new_groups() {
        let mut pools = Pools::new(ValueParameters::default());
        let mut random = fastrand::Rng::with_seed(1);
        for link in 0..20 {
            pools.put(link, [1, 2, 3, 4, 5, 6, 7, NONE]);
        }
        let groups = pools.regroup(|link| 8 + link % 2);
        assert_eq!(groups.len(), 20);
        let of = |link| groups.iter().find(|(l, _)| *l == link).unwrap().1;
        assert!(of(0) == of(18) && of(1) == of(19) && of(0) != of(1));
        pools.observe(of(0), 0.0, 0);
        pools.observe(of(1), 2.0, 3);
        let order: Vec<LinkId> = std::iter::from_fn(|| pools.take(&mut random)).collect();
        assert_eq!(order.len(), 20);
        assert!(order[..10].iter().all(|link| link % 2 == 1), "{order:?}");
    }
}
