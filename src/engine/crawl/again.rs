//! Looking again at a site that was explored: first the pages that have led to most, and of what is
//! new there only what is likely to be looked for.

use super::fetch::{Fetcher, Got};
use super::record::{self, CONCLUDED, rows, take_in};
use super::{Budget, CrawlError, End, Found, Network, Order, Place, Progress, Step, fetcher};
use crate::crawl::{Answer, Ask, Class, Classifier, Known, Lessons, LinkId, Links, Seen, Strategy};
use crate::model::Time;
use crate::net::Response;
use crate::store::CrawlLog;
use std::collections::HashMap;
use url::Url;

/// Labels that are learned from: the newest.
const MOST_LABELS: u32 = 5_000;

/// Such a look. Nothing of it is written down before [`Again::conclude`].
pub struct Again {
    log: CrawlLog,
    fetcher: Fetcher,
    links: Links,
    strategy: crate::crawl::Again,
    random: fastrand::Rng,
    budget: Budget,
    deadline: Option<Time>,
    progress: Progress,
    /// Labels and hubs as they were.
    before: Lessons,
    /// Labels of this look.
    labels: Vec<(LinkId, bool)>,
}

impl Again {
    /// Opens the record of a site; `None` where it was not explored to the end yet.
    ///
    /// # Errors
    /// When there is none, or it cannot be read.
    pub fn open(place: &Place, budget: Budget, net: Network) -> Result<Option<Self>, CrawlError> {
        let log = record::open(&place.record())?;
        if log.note(CONCLUDED)?.is_none() {
            return Ok(None);
        }
        let order = record::read_order(&log)?;
        let (labels, hubs) = log.learned(MOST_LABELS)?;
        let before = Lessons { labels, hubs };
        let mut links = Links::default();
        for id in 0..log.links() {
            let (url, path, anchor) = log.stored().link(id)?.ok_or(CrawlError::Record)?;
            let seen = Seen { url: &url, path: &path, anchor: &anchor };
            if links.add(seen, None) != Some((id, true)) {
                return Err(CrawlError::Record);
            }
        }
        let in_range = |id: LinkId| (id as usize) < links.len();
        let sound = before.labels.iter().all(|(id, _)| in_range(*id))
            && before.hubs.iter().all(|(id, _)| in_range(*id));
        if !sound || links.is_empty() {
            return Err(CrawlError::Record);
        }
        let mut random = fastrand::Rng::with_seed(order.seed);
        let known = &mut Known { links: &links, random: &mut random };
        let classifier = Classifier::taught(order.targets.clone(), &before.labels, known);
        let led: HashMap<LinkId, u32> = before.hubs.iter().copied().collect();
        let strategy = crate::crawl::Again::new(led, 0, classifier);
        let time = budget.time.and_then(|t| chrono::TimeDelta::from_std(t).ok());
        let deadline = time.map(|time| net.clock.now() + time);
        let progress = Progress::default();
        let fetcher = fetcher(&order, net);
        let labels = Vec::new();
        Ok(Some(Self {
            log,
            fetcher,
            links,
            strategy,
            random,
            budget,
            deadline,
            progress,
            before,
            labels,
        }))
    }

    /// Takes an answer to the first request that is there already.
    pub fn knowing(self, first: Response) -> Self {
        self.fetcher.know(first);
        self
    }

    /// The newest links of earlier looks that were what is looked for, at most so many.
    pub fn earlier_hits(&self, most: usize) -> Vec<Url> {
        let hits = self.before.labels.iter().rev().filter(|(_, hit)| *hit).take(most);
        hits.filter_map(|(link, _)| Url::parse(self.links.url(*link)).ok()).collect()
    }

    /// How far it has come.
    pub fn progress(&self) -> Progress {
        Progress { links: self.links.len(), ..self.progress }
    }

    /// Asks for one link.
    pub async fn step(&mut self) -> Step {
        if let Some(end) = self.budget.used_up(self.progress.requests, self.progress.bytes) {
            return Step::Ended(end);
        }
        if self.deadline.is_some_and(|at| self.fetcher.clock.now() >= at) {
            return Step::Ended(End::Time);
        }
        let known = &mut Known { links: &self.links, random: &mut self.random };
        let Some(Ask::Get(link)) = self.strategy.next(known) else { return Step::Ended(End::Done) };
        match self.fetcher.ask(self.links.url(link), false, None).await {
            Ok(got) => self.take(link, got),
            Err(words) => Step::Ended(End::Left(words)),
        }
    }

    fn take(&mut self, link: LinkId, got: Got) -> Step {
        let at = self.fetcher.clock.now();
        let is_new = link >= self.log.links();
        let hit = got.class == Class::Target || got.article;
        let url = self.links.url(link).to_owned();
        // What was found before is no news, also where it leads to more.
        let found = (hit && is_new).then(|| Box::new(Found::of(&url, &got, &self.links, link, at)));
        let (all, new) = take_in(&mut self.links, link, &got);
        let answer = Answer { class: got.class, article: got.article, new: &new, all: &all };
        let known = &mut Known { links: &self.links, random: &mut self.random };
        self.strategy.answered(link, &answer, known);
        if is_new && matches!(got.class, Class::Html | Class::Target) {
            self.labels.push((link, hit));
        }
        self.progress.requests += u64::from(got.sent);
        self.progress.bytes += got.bytes;
        self.progress.found += u64::from(found.is_some());
        Step::Answered { url, found, got: Box::new(got) }
    }

    /// Writes down what was seen and learned.
    ///
    /// # Errors
    /// When that cannot be done.
    pub fn conclude(mut self) -> Result<(), CrawlError> {
        let mut hubs = self.strategy.lessons().hubs;
        hubs.retain(|hub| self.before.hubs.binary_search(hub).is_err());
        let new = rows(&self.links, self.log.links());
        Ok(self.log.learn(new, &self.labels, &hubs)?)
    }
}

/// What the record of a place was ordered to do; `None` where it holds no crawl.
///
/// # Errors
/// When it cannot be read.
pub fn ordered(place: &Place) -> Result<Option<Order>, CrawlError> {
    let file = place.record();
    if !file.exists() {
        return Ok(None);
    }
    let log = record::open(&file)?;
    Ok(record::read_order(&log).ok())
}
