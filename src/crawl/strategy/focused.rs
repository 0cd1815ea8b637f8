//! A focused crawler: links in the order of how likely a classifier thinks that they are targets.

use super::{Answer, Ask, Known, Strategy};
use crate::crawl::links::{LinkId, Links};
use crate::crawl::logistic::{Logistic, Rate, evenly, feature, two_grams};
use crate::crawl::targets::Class;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Labels between two trainings.
const BATCH: usize = 10;
/// Answers between two judgements of the links that wait.
const AGAIN: usize = 100;

/// The strategy.
#[derive(Debug)]
pub struct Focused {
    model: Logistic,
    labels: Vec<(LinkId, bool)>,
    /// By probability, then the oldest.
    waiting: BinaryHeap<(u32, Reverse<LinkId>)>,
    answers: usize,
    started: bool,
}

impl Default for Focused {
    fn default() -> Self {
        Self {
            model: Logistic::new(17, Rate::Constant(0.5)),
            labels: Vec::new(),
            waiting: BinaryHeap::new(),
            answers: 0,
            started: false,
        }
    }
}

fn features(links: &Links, link: LinkId) -> Vec<u32> {
    let depth = feature(0, links.depth(link).min(255).to_be_bytes());
    let grams = two_grams(1, links.url(link)).chain(two_grams(2, links.anchor(link)));
    std::iter::once(depth).chain(grams).collect()
}

impl Focused {
    fn push(&mut self, link: LinkId, links: &Links) {
        let p = self.model.probability(&evenly(&features(links, link)));
        self.waiting.push(((p * 1e9) as u32, Reverse(link)));
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

    fn answered(&mut self, link: LinkId, answer: &Answer<'_>, known: &mut Known<'_>) {
        self.labels.push((link, answer.class == Class::Target || answer.article));
        if self.labels.len() >= BATCH {
            for (link, target) in std::mem::take(&mut self.labels) {
                self.model.learn(&evenly(&features(known.links, link)), target);
            }
        }
        self.answers += 1;
        if self.answers.is_multiple_of(AGAIN) {
            for (_, Reverse(link)) in std::mem::take(&mut self.waiting) {
                self.push(link, known.links);
            }
        }
        for link in answer.new {
            self.push(*link, known.links);
        }
    }
}
