//! Replays the history of sources through the code that decides about polls: the verdict with all its limits,
//! and the budget. Does no I/O except for reading the history.

use super::budget::{Account, TICK};
use super::planner::{Planner, Scheduling};
use super::setup::{Machine, east, setup, shares_budget};
use super::verdict::{Head, Verdict};
use crate::config::ScheduleSettings;
use crate::model::{
    Outcome, PolicyKind, Source, SourceFacts, SourceId, Time, Validators, WebsiteFacts,
};
use crate::net::Freshness;
use crate::schedule::simulate::{
    Figures, Phase, Replaying, Run, Scheduler, Simulated, Timeline, figures, first_parameter, fit,
    weeks,
};
use crate::schedule::{Memory, price_for};
use crate::store::{History, Ingested, Reader, Result};
use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

/// How long a source must have been followed to be replayed, in seconds: its publishing pattern shows within
/// a day.
const MIN_SPAN: i64 = 24 * 3600;

/// A source with its history, and what is known about its feed and its server.
#[derive(Debug, Clone)]
pub struct Recorded {
    pub source: Arc<Source>,
    pub timeline: Timeline,
    /// The facts before the first poll, with hints and validators that later polls found.
    start: SourceFacts,
    head: Head,
}

/// The recorded sources.
#[derive(Debug, Clone, Default)]
pub struct Histories {
    pub recorded: Vec<Recorded>,
    /// Number of sources that have published anything.
    pub sources: usize,
    /// The longest time that a source has been followed, in seconds.
    pub longest: i64,
    /// Number of items since the sources were added.
    pub items: usize,
}

impl Recorded {
    /// Takes hints, validators and cache lifetimes from `facts`, which are the current ones.
    pub fn new(source: Source, facts: &SourceFacts, timeline: Timeline) -> Self {
        let start = SourceFacts {
            hints: facts.hints.clone(),
            website: WebsiteFacts { hints: facts.website.hints, ..WebsiteFacts::default() },
            ..SourceFacts::new(facts.key, facts.id.clone(), facts.url.clone())
        };
        let fresh = facts.planned.as_ref().and_then(|planned| planned.fresh_for);
        let head = Head {
            status: 200,
            final_url: facts.url.clone(),
            moved_for_good: false,
            validators: facts.validators.clone(),
            cache: Freshness { max_age: fresh.map(Duration::from_secs), ..Freshness::default() },
            crawl_delay: Duration::ZERO,
        };
        Self { source: Arc::new(source), timeline, start, head }
    }

    /// Changes the settings of the source.
    #[must_use]
    pub fn with(mut self, change: impl FnOnce(&mut Source)) -> Self {
        change(Arc::make_mut(&mut self.source));
        self
    }

    /// Feeds known only by their timelines. Their servers send validators.
    pub fn unknown(timelines: Vec<Timeline>) -> Vec<Self> {
        let recorded = |(key, timeline): (i64, Timeline)| {
            let (source, mut facts) = unknown(key)?;
            facts.validators.etag = Some(b"\"1\"".to_vec());
            Some(Self::new(source, &facts, timeline))
        };
        (1..).zip(timelines).filter_map(recorded).collect()
    }
}

/// What the enabled sources have published since they were added. Sources followed for less than a
/// day are only counted.
///
/// # Errors
/// If the database cannot be read.
pub fn histories<'a>(
    reader: &Reader,
    sources: impl IntoIterator<Item = (&'a Source, &'a SourceFacts)>,
    now: Time,
) -> Result<Histories> {
    let mut published: HashMap<i64, _> =
        reader.histories()?.into_iter().map(|history| (history.source, history)).collect();
    let mut all = Histories::default();
    for (source, facts) in sources {
        let Some(history) = published.remove(&facts.key).filter(|_| source.enabled) else {
            continue;
        };
        let since = history.since;
        all.sources += 1;
        all.longest = all.longest.max((now - since).num_seconds());
        all.items += history.published.iter().filter(|at| **at >= since.timestamp()).count();
        all.recorded.extend(recorded(source, facts, history, now));
    }
    Ok(all)
}

/// An enabled source with its history, if it has been followed for at least a day.
pub(super) fn recorded(
    source: &Source,
    facts: &SourceFacts,
    history: History,
    now: Time,
) -> Option<Recorded> {
    let setup = setup(source, facts, &ScheduleSettings::default(), 1.0);
    let window = Memory::load(&facts.schedule, setup).learned().window();
    let (since, now) = (history.since.timestamp(), now.timestamp());
    let timeline = Timeline::with_window(since, now, history.published, window).ok()?;
    let is_long = source.enabled && now - since >= MIN_SPAN;
    is_long.then(|| Recorded::new(source.clone(), facts, timeline))
}

/// A policy with its settings, without the limits of servers, feeds and the user.
pub fn without_limits(policy: PolicyKind, settings: &ScheduleSettings) -> Simulated {
    let Some((source, facts)) = unknown(0) else { return Simulated::Fixed(settings.interval) };
    let settings = ScheduleSettings { policy, ..settings.clone() };
    let setup = setup(&source, &facts, &settings, price_for(settings.polls_per_day));
    match policy {
        PolicyKind::Fixed => Simulated::Fixed(setup.interval),
        PolicyKind::ChangeRate => Simulated::ChangeRate(setup.change_rate),
        PolicyKind::Advarss => Simulated::AdvaRss(setup.advarss),
        PolicyKind::Learned => Simulated::Learned(setup.learned),
    }
}

/// A feed about which nothing is known.
fn unknown(key: i64) -> Option<(Source, SourceFacts)> {
    let id = SourceId("simulated".to_owned());
    let url: url::Url = "https://simulated.example/".parse().ok()?;
    let facts = SourceFacts::new(key, id.clone(), url.to_string());
    Some((Source::feed(id, url), facts))
}

/// A replay of sources as if newsfed had polled them without interruption, and every server had responded.
#[derive(Debug, Clone)]
pub struct LimitedReplay {
    pub recorded: Vec<Recorded>,
    pub settings: ScheduleSettings,
    /// Whether items have dates.
    pub dates: bool,
    /// Seed of the jitter.
    seed: u64,
}

impl LimitedReplay {
    pub fn new(recorded: Vec<Recorded>, settings: ScheduleSettings, seed: u64) -> Self {
        Self { recorded, settings, dates: true, seed }
    }

    /// Sets the policy of all sources, and removes the settings that would override it.
    pub fn poll_all_by(&mut self, policy: PolicyKind) {
        self.settings.policy = policy;
        for recorded in &mut self.recorded {
            let source = Arc::make_mut(&mut recorded.source);
            source.interval = None;
            (source.schedule.policy, source.schedule.polls_per_day) = (None, None);
        }
    }

    /// Adjusts the policy of all sources to a number of polls per source per day.
    pub fn at_budget(&self, policy: PolicyKind, budget: f64) -> Vec<Run> {
        let run = |parameter: f64| {
            let mut with = self.clone();
            let time = Duration::try_from_secs_f64(parameter).unwrap_or(self.settings.interval);
            match policy {
                PolicyKind::Fixed => with.settings.interval = time,
                PolicyKind::ChangeRate => with.settings.change_rate_target = parameter,
                PolicyKind::Advarss => with.settings.advarss_tick = time,
                PolicyKind::Learned => return self.at_price(parameter),
            }
            with.corrected(1.0)
        };
        let first = first_parameter(policy, budget);
        run(fit(first, budget, |parameter| self.figures(&run(parameter), Phase::All)).0)
    }

    /// Runs the policy `learned` at a constant price per poll, in item-seconds of waiting.
    pub fn at_price(&self, price: f64) -> Vec<Run> {
        self.replaying(price).into_iter().map(|source| source.finish(self.dates)).collect()
    }

    /// Runs with a price that starts at a multiple of what the budget usually needs, and is corrected daily,
    /// as in the engine.
    pub fn corrected(&self, factor: f64) -> Vec<Run> {
        let settings = &self.settings;
        let starts = || self.recorded.iter().map(|recorded| recorded.timeline.starts());
        let end = self.recorded.iter().map(|recorded| recorded.timeline.ends()).max();
        let (Some(begin), Some(end)) = (starts().min(), end) else { return Vec::new() };
        let mut account = Account::new(settings.polls_per_day, begin).times(factor);
        let mut sources = self.replaying(account.price());
        let mut now = begin;
        while now < end {
            now += TICK;
            for source in &mut sources {
                source.set_price(account.price());
                source.advance(now, self.dates);
            }
            if account.count(now) {
                let since = account.since();
                let used = sources.iter().zip(&self.recorded).filter_map(|(source, recorded)| {
                    let Recorded { source: declared, timeline, .. } = recorded;
                    let active = timeline.starts() < now && timeline.ends() > since;
                    let polls = source.run().polls_between(since, now);
                    let polls = u32::try_from(polls).unwrap_or(u32::MAX);
                    active.then(|| (shares_budget(declared, settings), polls))
                });
                account.correct(used, settings, now);
            }
        }
        sources.into_iter().map(|source| source.finish(self.dates)).collect()
    }

    fn replaying(&self, price: f64) -> Vec<Replaying<'_, Polled>> {
        let polled = |recorded| Polled::new(recorded, &self.settings, self.seed, price);
        let all = self.recorded.iter();
        all.map(|recorded| Replaying::new(&recorded.timeline, polled(recorded))).collect()
    }

    pub fn figures(&self, runs: &[Run], phase: Phase) -> Figures {
        figures(&self.timelines(), runs, phase)
    }

    /// Polls per source per day in each week.
    pub fn weeks(&self, runs: &[Run]) -> Vec<f64> {
        weeks(&self.timelines(), runs)
    }

    fn timelines(&self) -> Vec<&Timeline> {
        self.recorded.iter().map(|recorded| &recorded.timeline).collect()
    }
}

/// A source that is polled as the engine would poll it.
struct Polled {
    verdict: Verdict,
    facts: SourceFacts,
    seed: u64,
}

impl Polled {
    fn new(recorded: &Recorded, settings: &ScheduleSettings, seed: u64, price: f64) -> Self {
        let Recorded { source, start, head, timeline } = recorded;
        let verdict = Verdict {
            started: timeline.starts(),
            now: timeline.starts(),
            requested: head.final_url.clone(),
            outcome: Outcome::Unchanged,
            response: Some(head.clone()),
            document: None,
            offline: false,
            settles: false,
            automatic: true,
            planner: Planner::new(
                source.clone(),
                Arc::new(Scheduling::new(settings.clone())),
                price,
                Machine { east: 0, seed },
            ),
        };
        Self { verdict, facts: start.clone(), seed }
    }
}

impl Scheduler for Polled {
    fn polled(&mut self, new: &[Option<Time>], listed: usize, now: Time) -> Time {
        let Self { verdict, facts, seed } = self;
        let count = |items: usize| u32::try_from(items).unwrap_or(u32::MAX);
        let is_read = !new.is_empty() || facts.last_ok.is_none();
        verdict.outcome = match is_read {
            true => Outcome::Fetched { new: count(new.len()), updated: 0, entries: count(listed) },
            false => Outcome::Unchanged,
        };
        if let Some(head) = &mut verdict.response {
            let is_conditional = head.validators != Validators::default();
            head.status = if is_conditional && !is_read { 304 } else { 200 };
        }
        // An unchanged document is not read, so its entries are not counted.
        let known = if is_read { count(listed.saturating_sub(new.len())) } else { 0 };
        (verdict.started, verdict.now) = (now, now);
        verdict.planner.machine = Machine { east: east(now), seed: *seed };
        verdict.apply(facts, &Ingested { new: new.to_vec(), known, ..Ingested::default() });
        facts.due().unwrap_or(now)
    }

    fn set_price(&mut self, price: f64) {
        self.verdict.planner.price = price;
    }
}
