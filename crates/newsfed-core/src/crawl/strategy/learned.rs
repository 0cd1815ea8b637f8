//! The default strategy: a table of extensions, a link classifier, and a linear value function for groups of
//! links that is updated after every page.

use super::by_path::{ByPath, Chosen};
use super::{Known, Lessons, LinkGroup, NextRequest, Strategy, Visit};
use crate::crawl::groups::{GroupId, Groups};
use crate::crawl::links::{LinkId, Links};
use crate::crawl::logistic::{Logistic, Rate, feature, two_grams};
use crate::crawl::pools::{FEATURES, NONE, PoolId, Pools};
use crate::crawl::tag_path::{PathParameters, TagPaths};
use crate::crawl::targets::{Class, Targets, extension};
use crate::crawl::value::ValueParameters;
use std::collections::{HashMap, VecDeque};

/// Minimum cosine for tag paths to count as similar.
const ALIKE: f64 = 0.75;
/// Number of classifier weights, as a power of two.
const BITS: u32 = 16;
/// Step size of the classifier.
const RATE: f32 = 0.5;
/// Minimum number of labels of each class before the classifier is used.
const ENOUGH: u32 = 3;
/// Number of training passes when everything is learned again.
const EPOCHS: usize = 3;
/// Number of consecutive useless responses after which links with an extension are fetched last.
const USELESS: u32 = 3;
/// Reward for an article, in addition to that for the links on it.
const ARTICLE: f64 = 3.0;
/// Links are grouped by their probability of leading to an article. These are the boundaries of the groups.
const LIKELIHOODS: [f32; 6] = [0.05, 0.2, 0.5, 0.8, 0.95, 0.99];
/// Number of labels at which waiting links are first regrouped by these probabilities; it doubles each time.
const FIRST_REGROUPING: usize = 16;
/// Share of the value of a page's best new link that is added to the value of the page. A page that only
/// leads to better pages is worth something, but the pages of a trap lead to nothing of value.
const AHEAD: f64 = 0.5;

const NO_POOL: PoolId = PoolId::MAX;

/// Predicts the class of links before they are fetched.
#[derive(Debug, Clone)]
pub struct Classifier {
    targets: Targets,
    model: Logistic,
    seen: Vec<(LinkId, bool)>,
    /// Dead links. The current crawl learns from them as links that do not lead to an article; the next
    /// one does not learn from them.
    dead: Vec<(LinkId, bool)>,
    /// Number of labels: non-targets, targets.
    labels: [u32; 2],
    /// For each extension, the number of consecutive links that led to neither a page nor a target.
    useless: HashMap<String, u32>,
}

impl Classifier {
    /// Creates a classifier that only uses the known extensions.
    pub fn new(targets: Targets) -> Self {
        let model = Logistic::new(BITS, Rate::Adaptive(RATE));
        let (seen, dead) = Default::default();
        Self { targets, model, seen, dead, labels: [0; 2], useless: HashMap::new() }
    }

    /// Creates a classifier that is trained on these labels.
    pub fn taught(targets: Targets, labels: &[(LinkId, bool)], known: &mut Known<'_>) -> Self {
        let mut classifier = Self::new(targets);
        for (link, hit) in labels {
            classifier.seen.push((*link, *hit));
            classifier.labels[usize::from(*hit)] += 1;
        }
        classifier.settle(known.links, known.random);
        classifier
    }

    /// The predicted class of a link.
    pub fn class(&self, link: LinkId, links: &Links) -> Class {
        let extension = extension(links.url(link));
        match extension.as_deref().and_then(|e| self.targets.of_extension(e)) {
            Some(class) if class != Class::Html => class,
            None if extension.is_some_and(|e| self.useless.get(&e) >= Some(&USELESS)) => {
                Class::Other
            }
            _ if self.targets != Targets::Articles && self.likely(link, links) => Class::Target,
            _ => Class::Html,
        }
    }

    /// Whether the extension of a URL is known to be neither a target nor a page.
    fn is_known_other(&self, url: &str) -> bool {
        self.targets.by_extension(url) == Some(Class::Other)
    }

    /// Whether a link is predicted to lead to a target.
    pub fn promises(&self, link: LinkId, links: &Links) -> bool {
        self.class_promises(self.class(link, links), link, links)
    }

    /// Whether a link is predicted to lead to a target, given its predicted class.
    fn class_promises(&self, class: Class, link: LinkId, links: &Links) -> bool {
        match self.targets {
            Targets::Articles => class == Class::Html && self.likely(link, links),
            Targets::Files(_) => class == Class::Target,
        }
    }

    /// Number of links that the classifier has learned from.
    fn fetched(&self) -> usize {
        self.seen.len() + self.dead.len()
    }

    /// Whether the classifier has seen enough examples of both classes.
    pub fn is_taught(&self) -> bool {
        self.labels.iter().all(|n| *n >= ENOUGH)
    }

    /// The labels in the order in which they were learned.
    pub(super) fn labels(&self) -> &[(LinkId, bool)] {
        &self.seen
    }

    /// The probability that a link leads to an article, as a feature, because links to articles and to other
    /// pages may share their positions and folders. [`NONE`] if the targets are files, or if there are too
    /// few examples.
    fn likelihood(&self, link: LinkId, links: &Links) -> u32 {
        if self.targets != Targets::Articles || !self.is_taught() {
            return NONE;
        }
        let probability = self.model.probability(&signs(link, links));
        let steps = LIKELIHOODS.iter().filter(|step| probability >= **step).count();
        feature(7, (steps as u32).to_be_bytes())
    }

    fn likely(&self, link: LinkId, links: &Links) -> bool {
        self.is_taught() && self.model.probability(&signs(link, links)) > 0.5
    }

    /// Learns everything again in random order, because the last examples of the original order, which the
    /// strategy chose, would have the most weight.
    pub fn settle(&mut self, links: &Links, random: &mut fastrand::Rng) {
        let seen = std::mem::take(&mut self.seen);
        self.seen = self.train(seen, links, random);
    }

    /// Learns everything again, including the dead links, for the rest of this crawl.
    fn settle_with_dead(&mut self, links: &Links, random: &mut fastrand::Rng) {
        self.train([&self.seen[..], &self.dead].concat(), links, random);
    }

    /// Trains on only these labels, and returns them in the order of the last pass.
    fn train(
        &mut self,
        mut labels: Vec<(LinkId, bool)>,
        links: &Links,
        random: &mut fastrand::Rng,
    ) -> Vec<(LinkId, bool)> {
        self.model = Logistic::new(BITS, Rate::Adaptive(RATE));
        for _ in 0..EPOCHS {
            random.shuffle(&mut labels);
            for (link, hit) in &labels {
                self.model.learn(&signs(*link, links), *hit);
            }
        }
        labels
    }

    /// Learns from the response to a link.
    pub fn learn(&mut self, link: LinkId, visit: &Visit<'_>, links: &Links) {
        let hit = visit.is_hit();
        if self.targets == Targets::Articles && visit.class == Class::Failed {
            self.model.learn(&signs(link, links), false);
            self.dead.push((link, false));
        }
        let is_page = matches!(visit.class, Class::Html | Class::Target);
        if is_page {
            self.model.learn(&signs(link, links), hit);
            self.seen.push((link, hit));
            self.labels[usize::from(hit)] += 1;
        }
        if let Some(extension) = extension(links.url(link)) {
            let row = self.useless.entry(extension).or_default();
            match visit.class {
                Class::Other => *row += 1,
                Class::Html | Class::Target => *row = 0,
                Class::Failed => {}
            }
        }
    }
}

#[derive(Debug)]
pub struct LearnedStrategy {
    classifier: Classifier,
    paths: TagPaths,
    clusters: Groups,
    cluster_of_path: HashMap<u32, GroupId>,
    pools: Pools,
    /// The group of each link; [`NO_POOL`] if it is in no group.
    pool_of: Vec<PoolId>,
    by_path: ByPath,
    at_once: VecDeque<LinkId>,
    /// Links that are probably useless. They are fetched after everything else.
    last: VecDeque<LinkId>,
    /// For each link, whether it was, or is predicted to be, a target.
    worth: Vec<bool>,
    /// Number of such links on each page.
    led: HashMap<LinkId, u32>,
    started: bool,
    /// The class that was predicted for the last requested link.
    predicted: Option<Class>,
    /// Number of labels at which links are regrouped next.
    regrouping: usize,
}

impl LearnedStrategy {
    /// Creates a new crawl.
    pub fn new(targets: Targets) -> Self {
        Self {
            classifier: Classifier::new(targets),
            paths: TagPaths::new(PathParameters::default()),
            clusters: Groups::new(ALIKE),
            cluster_of_path: HashMap::new(),
            pools: Pools::new(ValueParameters::default()),
            pool_of: Vec::new(),
            by_path: ByPath::default(),
            at_once: VecDeque::new(),
            last: VecDeque::new(),
            worth: Vec::new(),
            led: HashMap::new(),
            started: false,
            predicted: None,
            regrouping: FIRST_REGROUPING,
        }
    }

    /// The classifier, and the number of targets that each page has led to.
    pub fn into_parts(mut self, known: &mut Known<'_>) -> (Classifier, HashMap<LinkId, u32>) {
        self.classifier.settle(known.links, known.random);
        (self.classifier, self.led)
    }

    /// Adds a waiting link. `source` is the feature of the page's folder, `reward` the level of the page's
    /// own reward.
    fn wait(&mut self, link: LinkId, links: &Links, source: u32, reward: u32) -> PoolId {
        let path = links.path_number(link);
        let cluster = match self.cluster_of_path.get(&path) {
            Some(cluster) => *cluster,
            None => {
                let cluster = self.clusters.join(&self.paths.vector(links.path(link)));
                self.cluster_of_path.insert(path, cluster);
                cluster
            }
        };
        let url = Pattern::of(links.url(link));
        let features: [u32; FEATURES] = [
            feature(0, cluster.to_be_bytes()),
            feature(1, path.to_be_bytes()),
            feature(6, reward.to_be_bytes()),
            // New values of the following features get no bonus, because a site can generate an unlimited
            // number of values.
            feature(2, url.folder().bytes()),
            feature(3, url.outline().bytes()),
            feature(4, without_digits(links.anchor(link)).bytes()),
            source,
            self.classifier.likelihood(link, links),
        ];
        let pool = self.pools.put(link, features);
        self.by_path.put(link, cluster);
        self.pool_of.resize(self.pool_of.len().max(link as usize + 1), NO_POOL);
        self.pool_of[link as usize] = pool;
        pool
    }
}

impl LearnedStrategy {
    /// Regroups waiting links by the current predictions of the classifier.
    fn regroup(&mut self, known: &mut Known<'_>) {
        self.regrouping = 2 * self.classifier.fetched();
        self.classifier.settle_with_dead(known.links, known.random);
        let Self { classifier, pools, pool_of, .. } = self;
        for (link, pool) in pools.regroup(|link| classifier.likelihood(link, known.links)) {
            pool_of[link as usize] = pool;
        }
    }

    /// Chooses the next page by its value, or by its tag path alone.
    fn choose(&mut self, random: &mut fastrand::Rng) -> Option<LinkId> {
        let by_path = self.by_path.is_due();
        let value = |this: &mut Self, random: &mut fastrand::Rng| {
            while let Some(link) = this.pools.take(random) {
                if this.by_path.is_waiting(link) {
                    return Some((link, Chosen::ByValue));
                }
            }
            None
        };
        let path = |this: &mut Self, random: &mut fastrand::Rng| {
            this.by_path.take(random).map(|link| (link, Chosen::ByPath))
        };
        let chosen = match by_path {
            true => path(self, random).or_else(|| value(self, random)),
            false => value(self, random).or_else(|| path(self, random)),
        };
        let (link, by) = chosen?;
        self.by_path.chose(link, by);
        Some(link)
    }
}

impl Strategy for LearnedStrategy {
    fn next(&mut self, known: &mut Known<'_>) -> Option<NextRequest> {
        if !self.started {
            self.started = true;
            return Some(NextRequest::Get(0));
        }
        let (class, link) = if let Some(link) = self.at_once.pop_front() {
            (Class::Target, link)
        } else if let Some(link) = self.choose(known.random) {
            (Class::Html, link)
        } else {
            (Class::Other, self.last.pop_front()?)
        };
        self.predicted = Some(class);
        Some(NextRequest::Get(link))
    }

    fn predicted(&self) -> Option<Class> {
        self.predicted
    }

    fn lessons(&self) -> Lessons {
        Lessons::of(self.classifier.labels(), &self.led)
    }

    fn link_groups(&self, links: &Links, most: usize) -> Vec<LinkGroup> {
        add_up(self.pools.link_groups(), links, most)
    }

    fn visited(&mut self, link: LinkId, visit: &Visit<'_>, known: &mut Known<'_>) {
        let links = known.links;
        self.classifier.learn(link, visit, links);
        if self.classifier.targets == Targets::Articles
            && self.classifier.is_taught()
            && self.classifier.fetched() >= self.regrouping
        {
            self.regroup(known);
        }
        self.worth.resize(links.len(), false);
        self.worth[link as usize] = visit.is_hit();
        let mut promised = 0u32;
        let mut pages = Vec::new();
        for new in visit.new {
            let class = self.classifier.class(*new, links);
            let promises = self.classifier.class_promises(class, *new, links);
            self.worth[*new as usize] = promises;
            promised += u32::from(promises);
            match class {
                Class::Target => self.at_once.push_back(*new),
                Class::Html => pages.push(*new),
                // Images and style sheets are never targets.
                _ if self.classifier.is_known_other(links.url(*new)) => {}
                Class::Other | Class::Failed => self.last.push_back(*new),
            }
        }
        let led = visit.all.iter().filter(|l| self.worth[**l as usize]).count();
        if led > 0 {
            self.led.insert(link, led as u32);
        }
        // The page's own reward predicts the value of its links, in steps of 0, 1, 2, 3-4, 5-8 ...
        let reward = (promised + 1).next_power_of_two().ilog2();
        let source = feature(5, Pattern::of(links.url(link)).folder().bytes());
        let mut ahead = 0.0f64;
        for page in pages {
            let pool = self.wait(page, links, source, reward);
            ahead = ahead.max(self.pools.mean(pool));
        }
        let pool = self.pool_of.get_mut(link as usize).map(|p| std::mem::replace(p, NO_POOL));
        if let Some(pool) = pool.filter(|p| *p != NO_POOL) {
            let own = match (visit.is_hit(), visit.class) {
                (false, _) => 0.0,
                (true, Class::Target) => 1.0,
                (true, _) => ARTICLE,
            };
            let found = promised + u32::from(visit.is_hit());
            self.pools.observe(pool, (1.0 + own + f64::from(promised)).ln() + AHEAD * ahead, found);
            self.by_path.observe(link, found);
        }
    }
}

/// Adds up the results of links with the same position and similar URLs.
fn add_up(
    rows: impl Iterator<Item = (LinkId, u32, u32)>,
    links: &Links,
    most: usize,
) -> Vec<LinkGroup> {
    let mut groups: HashMap<(u32, String), (u32, u32)> = HashMap::new();
    for (link, fetched, found) in rows {
        let sums = groups
            .entry((links.path_number(link), Pattern::of(links.url(link)).folder()))
            .or_default();
        *sums = (sums.0 + fetched, sums.1.saturating_add(found));
    }
    let mut groups: Vec<_> = groups.into_iter().filter(|(_, (_, found))| *found > 0).collect();
    groups.sort_unstable_by(|a, b| (b.1.1, b.1.0, &a.0).cmp(&(a.1.1, a.1.0, &b.0)));
    let summary = |((path, url_pattern), (fetched, found)): ((u32, String), _)| LinkGroup {
        path: links.path_text(path).to_owned(),
        url_pattern,
        fetched,
        found,
    };
    groups.into_iter().take(most).map(summary).collect()
}

type Signs = Vec<(u32, f32)>;

/// The features that describe a link.
fn signs(link: LinkId, links: &Links) -> Signs {
    let url = links.url(link);
    let pattern = Pattern::of(url);
    let whole = [
        feature(0, without_digits(links.path(link)).bytes()),
        feature(1, pattern.template().bytes()),
        feature(2, pattern.outline().bytes()),
        feature(3, without_digits(links.anchor(link)).bytes()),
    ];
    // The host is the same for all URLs, and would have as much weight as everything else.
    let path = url.split_once("://").map_or(url, |(_, rest)| rest);
    let path = path.find('/').map_or("", |at| &path[at..]);
    let grams: Vec<u32> = two_grams(4, path).collect();
    let share = 1.0 / (grams.len().max(1) as f32).sqrt();
    whole.into_iter().map(|f| (f, 1.0)).chain(grams.into_iter().map(|f| (f, share))).collect()
}

/// Replaces each run of digits with a single zero.
fn without_digits(s: &str) -> String {
    let mut out = String::with_capacity(s.len());
    for c in s.chars() {
        let digit = c.is_ascii_digit();
        if !digit || !out.ends_with('0') {
            out.push(if digit { '0' } else { c });
        }
    }
    out
}

/// A URL and its extension, which its patterns are derived from.
struct Pattern<'a> {
    url: &'a str,
    extension: Option<String>,
}

impl<'a> Pattern<'a> {
    fn of(url: &'a str) -> Self {
        Self { url, extension: extension(url) }
    }

    /// The segments of the path, and its suffix: a slash or an extension.
    fn segments(&self) -> (Vec<&'a str>, String) {
        let rest = self.url.split_once("://").map_or(self.url, |(_, rest)| rest);
        let path = rest.split(['?', '#']).next().unwrap_or_default();
        let end = self.extension.as_ref().map(|e| format!(".{e}"));
        let slash = || if path.ends_with('/') { "/".to_owned() } else { String::new() };
        (path.trim_end_matches('/').split('/').skip(1).collect(), end.unwrap_or_else(slash))
    }

    /// Everything up to the last slash with digits replaced, and the extension.
    fn folder(&self) -> String {
        let path = self.url.split(['?', '#']).next().unwrap_or_default();
        let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
        format!("{}/*.{}", without_digits(folder), self.extension.as_deref().unwrap_or_default())
    }

    /// The folders with digits replaced, and the suffix.
    fn template(&self) -> String {
        let (segments, end) = self.segments();
        let folders = &segments[..segments.len().saturating_sub(1)];
        format!("{}/*{end}", without_digits(&folders.join("/")))
    }

    /// The first folder, the depth, and the suffix.
    fn outline(&self) -> String {
        let (segments, end) = self.segments();
        let first = if segments.len() > 1 { without_digits(segments[0]) } else { String::new() };
        format!("{first}/{}{end}", segments.len())
    }
}
