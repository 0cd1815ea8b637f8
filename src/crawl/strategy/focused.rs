//! A focused crawler: links in the order of how likely a classifier thinks that they lead to targets.
//!
//! As published it knows media types only, so it does not learn from articles. What is told of it
//! leaves open how often and on what it is trained; this follows the figures that are given for it.

use super::{Ask, Known, Strategy, Visit};
use crate::crawl::links::{LinkId, Links};
use crate::crawl::logistic::{Logistic, Rate, evenly, feature, two_grams};
use crate::crawl::targets::Class;
use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashSet};

/// Labels before the first training.
const FIRST: usize = 10;
/// It is trained again when it has so many times the labels of the last time.
const GROWTH: usize = 3;
/// How often a training goes through all labels.
const EPOCHS: u32 = 3;
/// Step of a training.
const RATE: f32 = 0.05;
/// What the depth of a link counts, beside 2-grams that count 1 together.
const DEPTH: f32 = 0.3;
/// Bits of a feature's number.
const BITS: u32 = 17;

/// The strategy.
#[derive(Debug)]
pub struct Focused {
    model: Logistic,
    /// Links that were targets, and links to pages with a target on them, are examples of what
    /// leads there; links that were none are examples against.
    labels: Vec<(LinkId, bool)>,
    /// How many there were at the last training.
    trained: usize,
    /// Pages on which a target was found.
    sources: HashSet<LinkId>,
    /// By probability, then the oldest.
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

    /// Learns all labels again, both kinds with the same weight together, and judges what waits again.
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
    fn next(&mut self, _: &mut Known<'_>) -> Option<Ask> {
        if !self.started {
            self.started = true;
            return Some(Ask::Get(0));
        }
        let (_, Reverse(link)) = self.waiting.pop()?;
        Some(Ask::Get(link))
    }

    fn answered(&mut self, link: LinkId, answer: &Visit<'_>, known: &mut Known<'_>) {
        let hit = answer.class == Class::Target;
        self.labels.push((link, hit));
        let source = known.links.from(link);
        if hit && self.sources.insert(source) {
            self.labels.push((source, true));
        }
        if self.labels.len() >= FIRST.max(self.trained * GROWTH) {
            self.train(known.links);
        }
        for link in answer.new {
            self.push(*link, known.links);
        }
    }
}
