//! The published baseline that does not learn during the crawl: groups of tag paths and their benefits are
//! learned on the first pages, breadth-first, and stay fixed after that.

use super::sleeping_bandit::SleepingBanditParameters;
use super::triage::{Judge, Sorted, Triage};
use super::{Known, NextRequest, Strategy, Visit};
use crate::crawl::bandit::Arm;
use crate::crawl::groups::{GroupId, Groups};
use crate::crawl::links::{LinkId, Links};
use crate::crawl::tag_path::TagPaths;
use crate::crawl::targets::Class;
use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

pub struct DomOff {
    triage: Triage,
    paths: TagPaths,
    groups: Groups,
    /// The benefits of the groups: the mean number of targets that their pages link to.
    benefits: Vec<Arm>,
    /// Number of pages left to learn from.
    left: usize,
    /// Whether the groups and their benefits are fixed.
    fixed: bool,
    /// Waiting links and their groups while the groups are learned.
    breadth: VecDeque<(LinkId, GroupId)>,
    /// Waiting links after the groups are fixed, ordered by benefit and then by age.
    ranked: BinaryHeap<(u64, Reverse<LinkId>)>,
    /// The group of the chosen page.
    chosen: Option<GroupId>,
    started: bool,
}

impl DomOff {
    /// Creates a new crawl. The benefits are exact if `judge` is an oracle.
    pub fn new(parameters: SleepingBanditParameters, judge: Judge) -> Self {
        Self {
            triage: Triage::new(judge, parameters.batch),
            paths: TagPaths::new(parameters.paths),
            groups: Groups::new(parameters.theta),
            benefits: Vec::new(),
            left: parameters.first_pages,
            fixed: false,
            breadth: VecDeque::new(),
            ranked: BinaryHeap::new(),
            chosen: None,
            started: false,
        }
    }

    fn wait(&mut self, link: LinkId, links: &Links) {
        let vector = self.paths.vector(links.path(link));
        if self.fixed {
            // A path that is similar to no group has no benefit.
            self.rank(link, self.groups.alike(&vector));
        } else {
            let group = self.groups.join(&vector);
            self.benefits.resize(self.benefits.len().max(group as usize + 1), Arm::default());
            self.breadth.push_back((link, group));
        }
    }

    fn rank(&mut self, link: LinkId, group: Option<GroupId>) {
        let benefit = group.map_or(0.0, |group| self.benefits[group as usize].mean);
        // The bits of positive floats have the same order as their values.
        self.ranked.push((benefit.to_bits(), Reverse(link)));
    }

    fn fix(&mut self) {
        self.fixed = true;
        self.triage.end_truth();
        for (link, group) in std::mem::take(&mut self.breadth) {
            self.rank(link, Some(group));
        }
    }
}

impl Strategy for DomOff {
    fn next(&mut self, known: &mut Known<'_>) -> Option<NextRequest> {
        if !self.started {
            self.started = true;
            return Some(NextRequest::Get(0));
        }
        while let Some(sorted) = self.triage.next(known.links) {
            match sorted {
                Sorted::Now(request) => return Some(request),
                Sorted::Page(link) => self.wait(link, known.links),
            }
        }
        if let (Some(group), Some(targets)) = (self.chosen.take(), self.triage.take_reward()) {
            let benefit = &mut self.benefits[group as usize];
            benefit.choose();
            benefit.learn(f64::from(targets));
        }
        if self.left == 0 && !self.fixed {
            self.fix();
        }
        let link = if self.fixed {
            self.ranked.pop()?.1.0
        } else {
            let (link, group) = self.breadth.pop_front()?;
            self.chosen = Some(group);
            link
        };
        self.triage.choose(link);
        Some(NextRequest::Get(link))
    }

    fn labelled(&mut self, link: LinkId, class: Class, known: &mut Known<'_>) {
        self.triage.labelled(link, class, known.links);
    }

    fn visited(&mut self, link: LinkId, visit: &Visit<'_>, known: &mut Known<'_>) {
        self.left = self.left.saturating_sub(usize::from(visit.class == Class::Html));
        self.triage.visited(link, visit, known.links);
    }

    fn predicted(&self) -> Option<Class> {
        self.triage.predicted()
    }
}
