//! Revisits a site after its exploration: first the pages that have led to the most targets, then only their
//! new links that are likely to be targets.

use super::fetch::{Fetcher, LinkRequest, LinkResult};
use super::record::{self, CONCLUDED, TakenLinks, rows, take_in};
use super::{
    CrawlBudget, CrawlEnd, CrawlError, CrawlFind, CrawlLocation, CrawlNetwork, CrawlProgress,
    CrawlSpec, CrawlStep, MAX_LOST, fetcher,
};
use crate::crawl::{Class, Classifier, Known, LinkId, Links, NextRequest, Seen, Strategy, Visit};
use crate::model::{Time, Validators};
use crate::net::Response;
use crate::store::{CrawlLog, LearnedLinks};
use crate::util::limits;
use std::collections::{HashMap, HashSet};
use url::Url;

/// Maximum number of labels used for learning; the newest are used.
const MAX_LABELS: u32 = 5_000;
/// Maximum number of links kept for the next visit.
const MAX_WAITING: usize = 500;

/// A revisit of a site. Nothing is stored before [`Revisit::conclude`].
pub struct Revisit {
    log: CrawlLog,
    fetcher: Fetcher,
    links: Links,
    strategy: crate::crawl::Revisits,
    random: fastrand::Rng,
    budget: CrawlBudget,
    deadline: Option<Time>,
    progress: CrawlProgress,
    /// What earlier visits have learned.
    before: LearnedLinks,
    /// Links that the last visit saw but did not fetch.
    waited: HashSet<LinkId>,
    /// The validators of pages.
    validators: HashMap<LinkId, Validators>,
    /// What this visit has learned.
    learned: LearnedLinks,
    /// The link that is being fetched.
    fetching: Option<LinkId>,
    /// New links that could not be fetched; the next visit tries them again.
    failed: Vec<LinkId>,
    /// Number of consecutive failed requests.
    in_a_row: u32,
}

impl Revisit {
    /// Opens the log of a site; `None` if its exploration is not finished.
    ///
    /// # Errors
    /// If there is no log, or it cannot be read.
    pub fn open(
        place: &CrawlLocation,
        budget: CrawlBudget,
        net: CrawlNetwork,
    ) -> Result<Option<Self>, CrawlError> {
        let log = record::open(&place.record())?;
        if log.note(CONCLUDED)?.is_none() {
            return Ok(None);
        }
        let spec = record::read_spec(&log)?;
        let before = log.learned(MAX_LABELS)?;
        let mut links = Links::default();
        for id in 0..log.links() {
            let (url, path, anchor) = log.stored().link(id)?.ok_or(CrawlError::Record)?;
            let seen = Seen { url: &url, path: &path, anchor: &anchor };
            if links.add(seen, None) != Some((id, true)) {
                return Err(CrawlError::Record);
            }
        }
        let in_range = |id: LinkId| (id as usize) < links.len();
        let numbers = before.labels.iter().map(|(id, _)| id);
        let numbers = numbers.chain(before.hubs.iter().map(|(id, _)| id)).chain(&before.waiting);
        let sound = numbers.copied().all(in_range);
        if !sound || links.is_empty() {
            return Err(CrawlError::Record);
        }
        let mut random = fastrand::Rng::with_seed(spec.seed);
        let known = &mut Known { links: &links, random: &mut random };
        let classifier = Classifier::taught(spec.targets.clone(), &before.labels, known);
        let led: HashMap<LinkId, u32> = before.hubs.iter().copied().collect();
        let strategy = crate::crawl::Revisits::new(led, 0, &before.waiting, classifier);
        let time = budget.time.and_then(|t| chrono::TimeDelta::from_std(t).ok());
        let deadline = time.map(|time| net.clock.now() + time);
        let progress = CrawlProgress::default();
        let fetcher = fetcher(&spec, budget.page_links, net);
        let validators = before.validators.iter().cloned().collect();
        let waited = before.waiting.iter().copied().collect();
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
            waited,
            validators,
            learned: LearnedLinks::default(),
            fetching: None,
            failed: Vec::new(),
            in_a_row: 0,
        }))
    }

    /// Provides the response to the first request, which was fetched earlier.
    pub fn know(&self, first: Response) {
        self.fetcher.use_response(first);
    }

    /// The newest targets found by earlier visits, at most `most`.
    pub fn earlier_hits(&self, most: usize) -> Vec<Url> {
        let hits = self.before.labels.iter().rev().filter(|(_, hit)| *hit).take(most);
        hits.filter_map(|(link, _)| Url::parse(self.links.url(*link)).ok()).collect()
    }

    /// The start URL of the site.
    pub fn start(&self) -> &str {
        self.links.url(0)
    }

    pub fn progress(&self) -> CrawlProgress {
        CrawlProgress { links: self.links.len(), ..self.progress }
    }

    /// Fetches one link.
    pub async fn step(&mut self) -> CrawlStep {
        if let Some(end) = self.budget.used_up(self.progress.requests, self.progress.bytes) {
            return CrawlStep::Ended(end);
        }
        if self.deadline.is_some_and(|at| self.fetcher.clock.now() >= at) {
            return CrawlStep::Ended(CrawlEnd::Time);
        }
        let known = &mut Known { links: &self.links, random: &mut self.random };
        let Some(NextRequest::Get(link)) = self.strategy.next(known) else {
            return CrawlStep::Ended(CrawlEnd::Done);
        };
        self.fetching = Some(link);
        let validators = self.validators.get(&link).cloned().unwrap_or_default();
        let request_options =
            LinkRequest { first: link == 0, validators, ..LinkRequest::default() };
        match self.fetcher.fetch(self.links.url(link), request_options).await {
            Ok(got) => self.take(link, got),
            Err(words) => CrawlStep::Ended(CrawlEnd::Left(words)),
        }
    }

    /// Whether the link has not been fetched by an earlier visit.
    fn is_new(&self, link: LinkId) -> bool {
        link >= self.log.links() || self.waited.contains(&link)
    }

    fn take(&mut self, link: LinkId, got: LinkResult) -> CrawlStep {
        let at = self.fetcher.clock.now();
        self.fetching = None;
        let is_new = self.is_new(link);
        if got.lost || got.status == 429 || got.status >= 500 {
            self.in_a_row += 1;
            self.failed.extend(is_new.then_some(link));
            if self.in_a_row >= MAX_LOST {
                let words = got
                    .why
                    .unwrap_or_else(|| format!("the server responds with HTTP {}", got.status));
                return CrawlStep::Ended(CrawlEnd::Left(words));
            }
        } else {
            // The host responds, so links that failed twice are skipped.
            self.failed.retain(|failed| !self.waited.contains(failed));
            self.in_a_row = 0;
        }
        let hit = got.class == Class::Target || got.article;
        let url = self.links.url(link).to_owned();
        // A target that was found before is not new, even if it leads to further links.
        let found =
            (hit && is_new).then(|| Box::new(CrawlFind::of(&url, &got, &self.links, link, at)));
        let TakenLinks { all, new, .. } = take_in(&mut self.links, link, &got);
        let visit = Visit { class: got.class, article: got.article, new: &new, all: &all };
        let known = &mut Known { links: &self.links, random: &mut self.random };
        self.strategy.visited(link, &visit, known);
        if is_new && matches!(got.class, Class::Html | Class::Target) {
            self.learned.labels.push((link, hit));
        }
        if !is_new && got.validators != Validators::default() {
            self.learned.validators.push((link, got.validators.clone()));
        }
        self.progress.requests += u64::from(got.sent);
        self.progress.bytes += got.bytes;
        self.progress.found += u64::from(found.is_some());
        CrawlStep::Response { url, found, got: Box::new(got) }
    }

    /// Stores the links and what was learned. Returns a note about links beyond the limit. These are stored
    /// as known, so that later visits do not fetch them either.
    ///
    /// # Errors
    /// If it cannot be stored.
    pub fn conclude(mut self) -> Result<Option<String>, CrawlError> {
        let mut hubs = self.strategy.lessons().hubs;
        hubs.retain(|hub| self.before.hubs.binary_search(hub).is_err());
        let left = self.fetching.filter(|link| self.is_new(*link));
        let waiting = left.into_iter().chain(self.strategy.waiting()).chain(self.failed.clone());
        let waiting: Vec<LinkId> = waiting.collect();
        let surplus = waiting.len().saturating_sub(MAX_WAITING);
        let note = limits::left_out(surplus, "waiting link", MAX_WAITING);
        let waiting = waiting.into_iter().take(MAX_WAITING).collect();
        let learned = LearnedLinks { hubs, waiting, ..self.learned };
        let new = rows(&self.links, self.log.links());
        self.log.learn(new, &learned)?;
        Ok(note)
    }
}

/// What the crawl at a location does; `None` if there is no crawl.
///
/// # Errors
/// If it cannot be read.
pub fn spec_at(place: &CrawlLocation) -> Result<Option<CrawlSpec>, CrawlError> {
    let file = place.record();
    if !file.exists() {
        return Ok(None);
    }
    let log = record::open(&file)?;
    Ok(record::read_spec(&log).ok())
}
