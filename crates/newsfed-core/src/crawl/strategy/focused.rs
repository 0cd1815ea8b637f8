//! A focused crawler: a classifier orders the links by their probability of leading to targets.
//!
//! The published crawler only distinguishes media types, so this one does not learn from articles. The
//! publication does not specify when and on what data the classifier is trained. The choices here match the
//! published figures.

use super::{Known, NextRequest, Strategy, Visit};
use crate::crawl::links::{LinkId, Links};
use crate::crawl::logistic::{Logistic, Rate, evenly, feature, two_grams};
use crate::crawl::targets::Class;
use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashSet};

/// Number of labels before the first training.
const FIRST: usize = 10;
/// The model is trained again when the number of labels has grown by this factor.
const GROWTH: usize = 3;
/// Number of passes over all labels in a training.
const EPOCHS: u32 = 3;
/// Step size of a training.
const RATE: f32 = 0.05;
/// Weight of the depth of a link. All 2-grams together have a weight of 1.
const DEPTH: f32 = 0.3;
/// Bits of a feature index.
const BITS: u32 = 17;

#[derive(Debug)]
pub struct Focused {
    model: Logistic,
    /// Links to targets, and links to pages with a target on them, are positive examples; other
    /// links are negative examples.
    labels: Vec<(LinkId, bool)>,
    /// Number of labels at the last training.
    trained: usize,
    /// Pages that link to a target.
    sources: HashSet<LinkId>,
    /// Ordered by probability, then by age.
    waiting: BinaryHeap<(u32, Reverse<LinkId>)>,
    started: bool,
}

impl Default for Focused {
    fn default() -> Self {
        Self {
            model: Logistic::new(BITS, Rate::Constant(RATE)),
            labels: Vec::new(),
            trained: 0,
            sources: HashSet::new(),
            waiting: BinaryHeap::new(),
            started: false,
        }
    }
}

fn features(links: &Links, link: LinkId) -> Vec<(u32, f32)> {
    let grams: Vec<u32> =
        two_grams(1, links.url(link)).chain(two_grams(2, links.anchor(link))).collect();
    let mut features = evenly(&grams);
    features.push((feature(0, links.depth(link).min(255).to_be_bytes()), DEPTH));
    features
}

impl Focused {
    fn push(&mut self, link: LinkId, links: &Links) {
        let p = self.model.probability(&features(links, link));
        self.waiting.push(((p * 1e9) as u32, Reverse(link)));
    }

    /// Trains on all labels again, with equal total weights for both classes, and rescores the queue.
    fn train(&mut self, links: &Links) {
        let all = self.labels.len() as f32;
        let hits = self.labels.iter().filter(|(_, hit)| *hit).count() as f32;
        let weight = |of: f32| all / (2.0 * of.max(1.0));
        self.model = Logistic::new(BITS, Rate::Constant(RATE));
        for _ in 0..EPOCHS {
            for (link, hit) in &self.labels {
                let weight = weight(if *hit { hits } else { all - hits });
                self.model.learn_weighted(&features(links, *link), *hit, weight);
            }
        }
        self.trained = self.labels.len();
        for (_, Reverse(link)) in std::mem::take(&mut self.waiting) {
            self.push(link, links);
        }
    }
}

impl Strategy for Focused {
    fn next(&mut self, _: &mut Known<'_>) -> Option<NextRequest> {
        if !self.started {
            self.started = true;
            return Some(NextRequest::Get(0));
        }
        let (_, Reverse(link)) = self.waiting.pop()?;
        Some(NextRequest::Get(link))
    }

    fn visited(&mut self, link: LinkId, visit: &Visit<'_>, known: &mut Known<'_>) {
        let hit = visit.class == Class::Target;
        self.labels.push((link, hit));
        let source = known.links.from(link);
        if hit && self.sources.insert(source) {
            self.labels.push((source, true));
        }
        if self.labels.len() >= FIRST.max(self.trained * GROWTH) {
            self.train(known.links);
        }
        for link in visit.new {
            self.push(*link, known.links);
        }
    }
}
