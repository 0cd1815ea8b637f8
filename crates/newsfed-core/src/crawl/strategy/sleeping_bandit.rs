//! The published algorithm: a sleeping bandit over groups of tag paths, and a URL classifier.

use super::triage::{Judge, Sorted, Triage};
use super::{Known, NextRequest, Strategy, Visit};
use crate::crawl::bandit::{Arm, BanditParameters};
use crate::crawl::groups::{GroupId, Groups};
use crate::crawl::links::{LinkId, Links};
use crate::crawl::tag_path::{PathParameters, TagPaths};
use crate::crawl::targets::Class;
use serde::{Deserialize, Serialize};

/// The parameters of the published algorithm.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct SleepingBanditParameters {
    /// Parameters of the tag path vectors.
    pub paths: PathParameters,
    /// Minimum cosine for a path to join a group.
    pub theta: f64,
    /// Parameters of the choice among groups.
    pub bandit: BanditParameters,
    /// Number of labels between two trainings. The first batch is labelled by HEAD requests.
    pub batch: usize,
    /// Number of pages after which `dom-off` stops learning.
    pub first_pages: usize,
}

impl Default for SleepingBanditParameters {
    fn default() -> Self {
        Self {
            paths: PathParameters::default(),
            theta: 0.75,
            bandit: BanditParameters::default(),
            batch: 10,
            first_pages: 3_000,
        }
    }
}

pub struct SleepingBandit {
    bandit: BanditParameters,
    triage: Triage,
    paths: TagPaths,
    groups: Groups,
    arms: Vec<Arm>,
    waiting: Vec<Vec<LinkId>>,
    /// The group of the chosen page.
    chosen: Option<GroupId>,
    /// Number of GET requests.
    fetched: u64,
    started: bool,
}

impl SleepingBandit {
    /// Creates a new crawl.
    pub fn new(parameters: SleepingBanditParameters, judge: Judge) -> Self {
        Self {
            bandit: parameters.bandit,
            triage: Triage::new(judge, parameters.batch),
            paths: TagPaths::new(parameters.paths),
            groups: Groups::new(parameters.theta),
            arms: Vec::new(),
            waiting: Vec::new(),
            chosen: None,
            fetched: 0,
            started: false,
        }
    }

    fn wait(&mut self, link: LinkId, links: &Links) {
        let group = self.groups.join(&self.paths.vector(links.path(link)));
        while self.arms.len() <= group as usize {
            self.arms.push(Arm::default());
            self.waiting.push(Vec::new());
        }
        self.waiting[group as usize].push(link);
    }

    /// A random waiting link of the group with the highest bound.
    fn choose(&mut self, random: &mut fastrand::Rng) -> Option<LinkId> {
        let mut best: Option<(f64, usize)> = None;
        for (group, arm) in self.arms.iter().enumerate() {
            if !self.waiting[group].is_empty() {
                let bound = arm.bound(self.bandit, self.fetched);
                if best.is_none_or(|(b, _)| bound > b) {
                    best = Some((bound, group));
                }
            }
        }
        let (_, group) = best?;
        self.arms[group].choose();
        self.chosen = Some(group as GroupId);
        let waiting = &mut self.waiting[group];
        Some(waiting.swap_remove(random.usize(..waiting.len())))
    }
}

impl Strategy for SleepingBandit {
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
        if let (Some(group), Some(reward)) = (self.chosen.take(), self.triage.take_reward()) {
            self.arms[group as usize].learn(f64::from(reward));
        }
        let link = self.choose(known.random)?;
        self.triage.choose(link);
        Some(NextRequest::Get(link))
    }

    fn labelled(&mut self, link: LinkId, class: Class, known: &mut Known<'_>) {
        self.triage.labelled(link, class, known.links);
    }

    fn visited(&mut self, link: LinkId, visit: &Visit<'_>, known: &mut Known<'_>) {
        self.fetched += 1;
        self.triage.visited(link, visit, known.links);
    }

    fn predicted(&self) -> Option<Class> {
        self.triage.predicted()
    }
}
