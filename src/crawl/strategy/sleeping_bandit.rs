//! The published algorithm: a sleeping bandit over groups of tag paths, and a classifier of URLs.

use super::{Ask, Known, Strategy, Visit};
use crate::crawl::bandit::{Arm, BanditParameters};
use crate::crawl::groups::{GroupId, Groups};
use crate::crawl::links::{LinkId, Links};
use crate::crawl::logistic::{Logistic, Rate, evenly, two_grams};
use crate::crawl::tag_path::{PathParameters, TagPaths};
use crate::crawl::targets::Class;
use std::collections::{HashMap, HashSet, VecDeque};

#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SleepingBanditParameters {
    pub paths: PathParameters,
    /// Cosine from which a path joins a group.
    pub theta: f32,
    /// The choice among groups.
    pub bandit: BanditParameters,
    /// Number of labels between two trainings. The first batch is labelled by HEAD requests.
    pub batch: usize,
    /// Number of pages read breadth first; their groups stay fixed afterwards. 0: groups are formed
    /// throughout the crawl.
    pub warm_up: usize,
}

impl Default for SleepingBanditParameters {
    fn default() -> Self {
        Self {
            paths: PathParameters::default(),
            theta: 0.75,
            bandit: BanditParameters::default(),
            batch: 10,
            warm_up: 0,
        }
    }
}

/// Predicts pages and targets before they are fetched.
pub enum Judge {
    /// The classifier of URLs.
    Classifier,
    /// The recorded truth.
    Oracle(Box<dyn Fn(&str) -> Class + Send>),
}

pub struct SleepingBandit {
    parameters: SleepingBanditParameters,
    judge: Judge,
    paths: TagPaths,
    groups: Groups,
    group_of_path: HashMap<u32, GroupId>,
    arms: Vec<Arm>,
    waiting: Vec<Vec<LinkId>>,
    model: Logistic,
    labels: Vec<(LinkId, bool)>,
    labelled: usize,
    trained: bool,
    /// Links of the last page without a prediction: the first of them are labelled by HEAD requests.
    unjudged: VecDeque<LinkId>,
    at_once: VecDeque<LinkId>,
    /// The page whose reward is being counted, and its group.
    counting: Option<(GroupId, f64)>,
    chosen: Option<(LinkId, GroupId)>,
    steps: u64,
    started: bool,
    /// Waiting links in the order in which they were seen, while groups are formed breadth first.
    breadth: VecDeque<(LinkId, GroupId)>,
    asked: HashSet<LinkId>,
    pages: usize,
}

impl SleepingBandit {
    /// A new crawl.
    pub fn new(parameters: SleepingBanditParameters, judge: Judge) -> Self {
        Self {
            paths: TagPaths::new(parameters.paths),
            groups: Groups::new(parameters.theta),
            group_of_path: HashMap::new(),
            arms: Vec::new(),
            waiting: Vec::new(),
            model: Logistic::new(16, Rate::Constant(RATE)),
            labels: Vec::new(),
            labelled: 0,
            trained: false,
            unjudged: VecDeque::new(),
            at_once: VecDeque::new(),
            counting: None,
            chosen: None,
            steps: 0,
            started: false,
            breadth: VecDeque::new(),
            asked: HashSet::new(),
            pages: 0,
            judge,
            parameters,
        }
    }

    fn label(&mut self, link: LinkId, class: Class, links: &Links) {
        if matches!(class, Class::Other | Class::Failed) || !matches!(self.judge, Judge::Classifier)
        {
            return;
        }
        self.labels.push((link, class == Class::Target));
        self.labelled += 1;
        if self.labels.len() >= self.parameters.batch {
            for (link, target) in std::mem::take(&mut self.labels) {
                let features: Vec<u32> = two_grams(0, links.url(link)).collect();
                self.model.learn(&evenly(&features), target);
            }
            self.trained = true;
        }
    }

    fn judge(&mut self, link: LinkId, links: &Links) -> Class {
        match &self.judge {
            Judge::Oracle(truth) => truth(links.url(link)),
            Judge::Classifier => {
                let features: Vec<u32> = two_grams(0, links.url(link)).collect();
                if self.model.probability(&evenly(&features)) > 0.5 {
                    Class::Target
                } else {
                    Class::Html
                }
            }
        }
    }

    fn wait(&mut self, link: LinkId, links: &Links) {
        let number = links.path_number(link);
        let group = match self.group_of_path.get(&number) {
            Some(group) => *group,
            None => {
                let vector = self.paths.vector(links.path(link));
                let frozen = self.parameters.warm_up > 0 && !self.warming_up();
                let near = self.groups.nearest(&vector).filter(|_| frozen);
                let group = near.map_or_else(|| self.groups.join(&vector), |(group, _)| group);
                self.group_of_path.insert(number, group);
                group
            }
        };
        while self.arms.len() <= group as usize {
            self.arms.push(Arm::default());
            self.waiting.push(Vec::new());
        }
        self.waiting[group as usize].push(link);
        if self.warming_up() {
            self.breadth.push_back((link, group));
        }
    }

    fn warming_up(&self) -> bool {
        self.pages < self.parameters.warm_up
    }

    fn settle(&mut self) {
        if let Some((group, reward)) = self.counting.take() {
            self.arms[group as usize].reward(reward);
        }
    }
}

/// Step size of the classifier.
const RATE: f32 = 0.5;

impl Strategy for SleepingBandit {
    fn next(&mut self, known: &mut Known<'_>) -> Option<Ask> {
        if !self.started {
            self.started = true;
            return Some(Ask::Get(0));
        }
        while let Some(link) = self.unjudged.front().copied() {
            if matches!(self.judge, Judge::Classifier) && !self.trained {
                return Some(Ask::Head(link));
            }
            self.unjudged.pop_front();
            match self.judge(link, known.links) {
                Class::Target => self.at_once.push_back(link),
                Class::Html => self.wait(link, known.links),
                Class::Other | Class::Failed => {}
            }
        }
        if let Some(link) = self.at_once.pop_front() {
            return Some(Ask::Get(link));
        }
        self.settle();
        self.steps += 1;
        if self.warming_up()
            && let Some((link, group)) = self.breadth.pop_front()
        {
            self.asked.insert(link);
            self.chosen = Some((link, group));
            return Some(Ask::Get(link));
        }
        let bandit = self.parameters.bandit;
        if !self.asked.is_empty() {
            for waiting in &mut self.waiting {
                waiting.retain(|link| !self.asked.contains(link));
            }
            self.asked.clear();
        }
        let mut best: Option<(f64, usize)> = None;
        for (group, arm) in self.arms.iter().enumerate() {
            if !self.waiting[group].is_empty() {
                let bound = arm.bound(bandit, self.steps);
                if best.is_none_or(|(b, _)| bound > b) {
                    best = Some((bound, group));
                }
            }
        }
        let (_, group) = best?;
        let waiting = &mut self.waiting[group];
        let link = waiting.swap_remove(known.random.usize(..waiting.len()));
        self.chosen = Some((link, group as GroupId));
        Some(Ask::Get(link))
    }

    fn labelled(&mut self, link: LinkId, class: Class, known: &mut Known<'_>) {
        self.unjudged.pop_front();
        self.label(link, class, known.links);
        match class {
            Class::Target => self.at_once.push_back(link),
            Class::Html => self.wait(link, known.links),
            Class::Other | Class::Failed => {}
        }
    }

    fn visited(&mut self, link: LinkId, answer: &Visit<'_>, known: &mut Known<'_>) {
        self.label(link, answer.class, known.links);
        if let Some((_, group)) = self.chosen.take_if(|(chosen, _)| *chosen == link) {
            self.counting = Some((group, 0.0));
        }
        let gain = f64::from(u8::from(answer.is_hit()));
        if let Some((_, reward)) = &mut self.counting {
            *reward += gain;
        }
        self.unjudged.extend(answer.new);
        self.pages += usize::from(answer.class == Class::Html);
    }
}
