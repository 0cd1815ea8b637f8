//! Revisits a site that was crawled before: first the pages that led to the most targets, then new links on
//! them that are likely to be targets.

use super::learned::Classifier;
use super::{Known, Lessons, NextRequest, Strategy, Visit};
use crate::crawl::links::LinkId;
use crate::crawl::targets::Class;
use std::collections::{HashMap, HashSet, VecDeque};

/// Number of consecutive pages without new targets after which the rest is left for the next visit.
const ENOUGH: usize = 5;

pub struct Revisits {
    hubs: VecDeque<LinkId>,
    at_once: VecDeque<LinkId>,
    classifier: Classifier,
    fetched: HashSet<LinkId>,
    /// Number of targets that each page has led to.
    led: HashMap<LinkId, u32>,
    without_news: usize,
    /// Whether the last hub has led to a new target.
    news: bool,
}

impl Revisits {
    /// `led` contains the number of targets that each page has led to. The start is always fetched. `waiting`
    /// contains links that were left over from the last visit.
    pub fn new(
        led: HashMap<LinkId, u32>,
        start: LinkId,
        waiting: &[LinkId],
        classifier: Classifier,
    ) -> Self {
        let mut hubs: Vec<(u32, LinkId)> = led.iter().map(|(hub, n)| (*n, *hub)).collect();
        hubs.sort_unstable_by_key(|(n, hub)| (std::cmp::Reverse(*n), *hub));
        let hubs = std::iter::once(start).chain(hubs.into_iter().map(|(_, hub)| hub)).collect();
        Self {
            hubs,
            at_once: waiting.iter().copied().collect(),
            classifier,
            fetched: HashSet::new(),
            led,
            without_news: 0,
            news: true,
        }
    }

    /// Links that remain to be fetched, in order.
    pub fn waiting(&self) -> Vec<LinkId> {
        self.at_once.iter().copied().collect()
    }
}

impl Strategy for Revisits {
    fn next(&mut self, _: &mut Known<'_>) -> Option<NextRequest> {
        if let Some(link) = self.at_once.pop_front() {
            return Some(NextRequest::Get(link));
        }
        self.without_news = if self.news { 0 } else { self.without_news + 1 };
        self.news = false;
        if self.without_news >= ENOUGH {
            return None;
        }
        loop {
            let hub = self.hubs.pop_front()?;
            if self.fetched.insert(hub) {
                return Some(NextRequest::Get(hub));
            }
        }
    }

    fn lessons(&self) -> Lessons {
        Lessons::of(self.classifier.labels(), &self.led)
    }

    fn visited(&mut self, link: LinkId, visit: &Visit<'_>, known: &mut Known<'_>) {
        let hit = visit.class == Class::Target || visit.article;
        if self.fetched.insert(link) {
            self.classifier.learn(link, visit, known.links);
            if hit {
                self.news = true;
                *self.led.entry(known.links.from(link)).or_default() += 1;
            }
        }
        for new in visit.new {
            // While the classifier has too few examples of one class, any new link may be a target.
            let unsure = || !self.classifier.is_taught();
            if self.classifier.promises(*new, known.links)
                || unsure() && self.classifier.class(*new, known.links) != Class::Other
            {
                self.at_once.push_back(*new);
            }
        }
    }
}
