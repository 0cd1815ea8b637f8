//! The state of a crawl: links, strategy and random number generator, and the log that they are restored
//! from.

use super::fetch::LinkResult;
use super::overview::{ENDING, Ending};
use super::{CrawlError, CrawlNetwork, CrawlProgress, CrawlSpec, Curve};
use crate::crawl::{
    Class, Kind, Known, Lessons, LinkGroup, LinkId, Links, NextRequest, Seen,
    SleepingBanditParameters, Strategy, Visit,
};
use crate::model::Time;
use crate::store::{CrawlLog, LearnedLinks, LinkRow, RequestRow, StoreError};
use crate::util::limits;
use std::collections::{BTreeMap, HashSet};
use std::path::Path;
use url::Url;

/// Names of the notes that store the parameters of a crawl.
const START: &str = "start";
const TARGETS: &str = "targets";
const STRATEGY: &str = "strategy";
const SEED: &str = "seed";
/// The parameters of the strategy as JSON, if they differ from the defaults.
const PARAMETERS: &str = "parameters";
/// The URL that redirected to the start.
const DECLARED: &str = "declared";
/// Whether the host must have a public address, because the user has not typed the URL.
const PUBLIC: &str = "public";
/// Whether the crawl was started with credentials.
const CREDENTIALS: &str = "credentials";
/// Maximum number of links, if it differs from the default.
const MAX_LINKS: &str = "max_links";
/// Requests and bytes that count towards the budget, but have no rows in the log.
const BESIDE: &str = "beside";
/// Whether the exploration is finished.
pub(super) const CONCLUDED: &str = "concluded";

pub(super) struct Record {
    log: CrawlLog,
    links: Links,
    strategy: Box<dyn Strategy + Send>,
    random: fastrand::Rng,
    progress: CrawlProgress,
    curve: Curve,
}

impl Record {
    /// Whether a file contains a crawl.
    pub(super) fn is_begun(file: &Path) -> Result<bool, CrawlError> {
        Ok(open(file)?.note(START)?.is_some())
    }

    /// Whether the host of a crawl must have a public address.
    pub(super) fn is_public(file: &Path) -> Result<bool, CrawlError> {
        Ok(open(file)?.note(PUBLIC)?.is_some())
    }

    /// Starts a crawl with at most `most` links.
    pub(super) fn begin(
        file: &Path,
        spec: &CrawlSpec,
        most: Option<usize>,
        net: &CrawlNetwork,
    ) -> Result<Self, CrawlError> {
        let most = most.unwrap_or(limits::CRAWL_TOTAL);
        let mut record = Self::fresh(open(file)?, spec, most)?;
        let mut notes = vec![
            (START, spec.start.to_string()),
            (TARGETS, spec.targets.to_string()),
            (STRATEGY, spec.strategy.name().to_owned()),
            (SEED, spec.seed.to_string()),
        ];
        if spec.parameters != SleepingBanditParameters::default() {
            let json = serde_json::to_string(&spec.parameters).map_err(|_| CrawlError::Record)?;
            notes.push((PARAMETERS, json));
        }
        if most != limits::CRAWL_TOTAL {
            notes.push((MAX_LINKS, most.to_string()));
        }
        notes.extend(spec.declared.as_ref().map(|url| (DECLARED, url.to_string())));
        notes.extend(net.access.auth.is_some().then(|| (CREDENTIALS, "1".to_owned())));
        notes.extend((!net.allow_private).then(|| (PUBLIC, "1".to_owned())));
        record.log.set_notes(&notes)?;
        Ok(record)
    }

    /// Restores a crawl from its log. `most` can raise the limit of links.
    pub(super) fn resume(
        file: &Path,
        most: Option<usize>,
        secret: bool,
    ) -> Result<(Self, CrawlSpec), CrawlError> {
        let mut log = open(file)?;
        let spec = read_spec(&log)?;
        // The pages may be available when the host responds again.
        let lost = log.lost_at_end()?;
        drop_last(&mut log, lost)?;
        if !secret && log.note(CREDENTIALS)?.is_some() {
            return Err(CrawlError::Credentials);
        }
        let before = log.note(MAX_LINKS)?.and_then(|n| n.parse().ok());
        let before = before.unwrap_or(limits::CRAWL_TOTAL);
        let most = most.unwrap_or(before).max(before);
        if most > before {
            log.set_note(MAX_LINKS, &most.to_string())?;
        }
        let mut record = Self::fresh(log, &spec, most)?;
        record.replay()?;
        // The crawl is running again.
        if record.log.note(ENDING)?.is_some_and(|before| !before.is_empty()) {
            record.log.set_note(ENDING, "")?;
        }
        let (requests, bytes) = record.beside()?;
        record.progress.requests += requests;
        record.progress.bytes += bytes;
        Ok((record, spec))
    }

    fn fresh(log: CrawlLog, spec: &CrawlSpec, most: usize) -> Result<Self, CrawlError> {
        let strategy = spec.strategy.living(&spec.targets, spec.parameters);
        let strategy = strategy.ok_or(CrawlError::Strategy(spec.strategy.name()))?;
        let mut links = Links::with_limit(most);
        let start = Seen { url: spec.start.as_str(), path: "", anchor: "" };
        links.add(start, None).ok_or(CrawlError::Record)?;
        let random = fastrand::Rng::with_seed(spec.seed);
        let (progress, curve) = (CrawlProgress::default(), Curve::default());
        Ok(Self { log, links, strategy, random, progress, curve })
    }

    /// Makes the same calls in the same order as the original crawl.
    fn replay(&mut self) -> Result<(), CrawlError> {
        let Self { log, links, strategy, random, progress, curve } = self;
        let mut new = Vec::new();
        log.replay(|row, stored| {
            let request =
                if row.head { NextRequest::Head(row.link) } else { NextRequest::Get(row.link) };
            if strategy.next(&mut Known { links, random }) != Some(request) {
                return Err(CrawlError::Record);
            }
            new.clear();
            for id in &row.links {
                // Links are numbered in the order of their discovery.
                if (*id as usize) < links.len() {
                    continue;
                }
                let (url, path, anchor) = stored.link(*id)?.ok_or(CrawlError::Record)?;
                let seen = Seen { url: &url, path: &path, anchor: &anchor };
                if links.add(seen, Some(row.link)) != Some((*id, true)) {
                    return Err(CrawlError::Record);
                }
                new.push(*id);
            }
            let class = class(row.class);
            let visit = Visit { class, article: row.article, new: &new, all: &row.links };
            report(strategy.as_mut(), request, &visit, &mut Known { links, random });
            progress.count(&row, class);
            curve.add(progress.requests, progress.found);
            Ok(())
        })?;
        self.progress.links = self.links.len();
        Ok(())
    }

    pub(super) fn links(&self) -> &Links {
        &self.links
    }

    pub(super) fn progress(&self) -> CrawlProgress {
        self.progress
    }

    pub(super) fn curve(&self) -> &Curve {
        &self.curve
    }

    /// Stores how a run has ended.
    pub(super) fn close(&self, ending: &Ending) -> Result<(), CrawlError> {
        let json = serde_json::to_string(ending).map_err(|_| CrawlError::Record)?;
        Ok(self.log.set_note(ENDING, &json)?)
    }

    /// The newest finds, latest first.
    pub(super) fn newest(&self, most: usize) -> Result<Vec<String>, CrawlError> {
        Ok(self.log.newest_saved(most)?)
    }

    pub(super) fn link_groups(&self, most: usize) -> Vec<LinkGroup> {
        self.strategy.link_groups(&self.links, most)
    }

    /// The stored finds, one JSON object each.
    pub(super) fn saved(&self) -> Result<Vec<String>, CrawlError> {
        Ok(self.log.saved()?)
    }

    pub(super) fn next(&mut self) -> Option<NextRequest> {
        let Self { links, random, .. } = self;
        self.strategy.next(&mut Known { links, random })
    }

    /// Logs a response and learns from it.
    pub(super) fn visited(
        &mut self,
        request: NextRequest,
        got: &LinkResult,
        at: Time,
        saved: Option<&str>,
    ) -> Result<(), CrawlError> {
        let (link, head) = match request {
            NextRequest::Get(link) => (link, false),
            NextRequest::Head(link) => (link, true),
        };
        let TakenLinks { all, new, left_out } = match request {
            NextRequest::Get(link) => take_in(&mut self.links, link, got),
            NextRequest::Head(_) => TakenLinks::default(),
        };
        let row = RequestRow {
            link,
            head,
            sent: got.sent,
            status: got.status,
            class: number(got.class),
            article: got.article,
            bytes: got.bytes,
            at: at.timestamp_millis(),
            links: all,
            lost: got.lost,
        };
        let links = &self.links;
        let unstored = rows(links, self.log.links());
        self.log.append(&row, unstored, saved)?;
        let visit = Visit { class: got.class, article: got.article, new: &new, all: &row.links };
        let known = &mut Known { links, random: &mut self.random };
        report(self.strategy.as_mut(), request, &visit, known);
        self.progress.count(&row, got.class);
        self.curve.add(self.progress.requests, self.progress.found);
        self.progress.links = links.len();
        self.progress.links_left_out += left_out;
        Ok(())
    }

    /// Stores what was learned, for the next visit.
    pub(super) fn conclude(&mut self) -> Result<(), CrawlError> {
        let Lessons { labels, hubs } = self.strategy.lessons();
        // A page may turn out to lead to targets long after it was read.
        let hits: HashSet<LinkId> =
            labels.iter().filter(|(_, hit)| *hit).map(|(l, _)| *l).collect();
        let mut led: BTreeMap<LinkId, u32> = hubs.into_iter().collect();
        self.log.replay::<CrawlError>(|row, _| {
            let here = row.links.iter().filter(|l| hits.contains(l)).count() as u32;
            if here > 0 {
                let led = led.entry(row.link).or_default();
                *led = here.max(*led);
            }
            Ok(())
        })?;
        let hubs: Vec<(LinkId, u32)> = led.into_iter().collect();
        let learned = LearnedLinks { labels, hubs, ..LearnedLinks::default() };
        self.log.learn(std::iter::empty(), &learned)?;
        Ok(self.log.set_note(CONCLUDED, "1")?)
    }

    /// Removes the last responses, which failed.
    pub(super) fn drop_last(&mut self, responses: u32) -> Result<(), CrawlError> {
        drop_last(&mut self.log, responses)
    }

    /// Keeps the last responses even though they failed.
    pub(super) fn keep_lost(&self, responses: u32) -> Result<(), CrawlError> {
        Ok(self.log.keep_lost(responses)?)
    }

    /// Counts requests and bytes that are not part of the crawl.
    pub(super) fn count_beside(&mut self, requests: u64, bytes: u64) -> Result<(), CrawlError> {
        self.progress.requests += requests;
        self.progress.bytes += bytes;
        note_beside(&self.log, requests, bytes)
    }

    fn beside(&self) -> Result<(u64, u64), CrawlError> {
        beside(&self.log)
    }
}

/// Removes the last responses. Only their costs are kept.
fn drop_last(log: &mut CrawlLog, responses: u32) -> Result<(), CrawlError> {
    if responses > 0 {
        let (requests, bytes) = log.spent(responses)?;
        note_beside(log, requests, bytes)?;
        log.drop_last(responses)?;
    }
    Ok(())
}

fn note_beside(log: &CrawlLog, requests: u64, bytes: u64) -> Result<(), CrawlError> {
    let before = beside(log)?;
    let sums = format!("{} {}", before.0 + requests, before.1 + bytes);
    Ok(log.set_note(BESIDE, &sums)?)
}

/// Requests and bytes that count towards the budget, but have no rows in the log.
pub(super) fn beside(log: &CrawlLog) -> Result<(u64, u64), CrawlError> {
    let note = log.note(BESIDE)?.unwrap_or_default();
    let mut numbers = note.split(' ').map(|n| n.parse().unwrap_or(0));
    Ok((numbers.next().unwrap_or(0), numbers.next().unwrap_or(0)))
}

/// The links of a page.
#[derive(Default)]
pub(super) struct TakenLinks {
    pub(super) all: Vec<LinkId>,
    /// Links that were not seen before.
    pub(super) new: Vec<LinkId>,
    /// Number of links beyond the limit of the crawl.
    pub(super) left_out: u64,
}

/// Adds the links of a page to those of the crawl.
pub(super) fn take_in(links: &mut Links, page: LinkId, got: &LinkResult) -> TakenLinks {
    let mut taken = TakenLinks::default();
    for seen in &got.page.links {
        match links.add(seen.seen(), Some(page)) {
            Some((id, is_new)) => {
                taken.all.push(id);
                taken.new.extend(is_new.then_some(id));
            }
            None => taken.left_out += 1,
        }
    }
    taken
}

/// The links from a given number on, as rows of the log.
pub(super) fn rows(links: &Links, from: LinkId) -> impl Iterator<Item = LinkRow<'_>> {
    (from..links.len() as LinkId).map(|id| LinkRow {
        url: links.url(id),
        path: (links.path_number(id), links.path(id)),
        anchor: (links.anchor_number(id), links.anchor(id)),
    })
}

impl CrawlProgress {
    /// Counts a response, and whether it was a target.
    pub(super) fn count(&mut self, row: &RequestRow, class: Class) {
        self.requests += u64::from(row.sent);
        self.bytes += row.bytes;
        self.fetched += usize::from(!row.head);
        self.found += u64::from(!row.head && (class == Class::Target || row.article));
    }
}

/// What the crawl does, from its notes.
pub(super) fn read_spec(log: &CrawlLog) -> Result<CrawlSpec, CrawlError> {
    let note = |name| log.note(name)?.ok_or(CrawlError::Record);
    let named = note(STRATEGY)?;
    let kind = Kind::ALL.iter().find(|(_, name)| *name == named).map(|(kind, _)| *kind);
    let parameters = log.note(PARAMETERS)?.map(|json| serde_json::from_str(&json));
    let declared = log.note(DECLARED)?.map(|url| Url::parse(&url)).transpose();
    Ok(CrawlSpec {
        declared: declared.map_err(|_| CrawlError::Record)?,
        start: Url::parse(&note(START)?).map_err(|_| CrawlError::Record)?,
        targets: note(TARGETS)?.parse().map_err(|_| CrawlError::Record)?,
        strategy: kind.ok_or(CrawlError::Record)?,
        parameters: parameters.unwrap_or(Ok(Default::default())).map_err(|_| CrawlError::Record)?,
        seed: note(SEED)?.parse().map_err(|_| CrawlError::Record)?,
    })
}

pub(super) fn open(file: &Path) -> Result<CrawlLog, CrawlError> {
    CrawlLog::open(file).map_err(|e| in_use(e, file))
}

/// Opens the log of a crawl for reading only.
pub(super) fn open_for_reading(file: &Path) -> Result<CrawlLog, CrawlError> {
    CrawlLog::open_for_reading(file).map_err(|e| in_use(e, file))
}

fn in_use(error: StoreError, file: &Path) -> CrawlError {
    match error {
        StoreError::Busy => CrawlError::Busy(file.to_owned()),
        other => other.into(),
    }
}

fn report(
    strategy: &mut dyn Strategy,
    request: NextRequest,
    visit: &Visit<'_>,
    known: &mut Known<'_>,
) {
    match request {
        NextRequest::Head(link) => strategy.labelled(link, visit.class, known),
        NextRequest::Get(link) => strategy.visited(link, visit, known),
    }
}

const CLASSES: [Class; 4] = [Class::Failed, Class::Html, Class::Target, Class::Other];

fn number(class: Class) -> u8 {
    CLASSES.iter().position(|c| *c == class).unwrap_or_default() as u8
}

pub(super) fn class(number: u8) -> Class {
    CLASSES.get(usize::from(number)).copied().unwrap_or_default()
}
