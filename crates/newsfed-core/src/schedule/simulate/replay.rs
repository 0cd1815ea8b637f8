//! Runs every poll that a policy plans on a set of timelines.

use super::Timeline;
use super::figures::{Figures, Phase, figures, weekly};
use crate::model::Time;
use crate::schedule::seconds::{self, DAY};
use crate::schedule::{
    AdvaRss, AdvaRssParameters, ChangeRate, ChangeRateParameters, Control, Fixed, Learned,
    LearnedParameters, Policy,
};
use std::time::Duration;

/// A policy with its parameters. Each source gets its own instance.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Simulated {
    Fixed(Duration),
    ChangeRate(ChangeRateParameters),
    AdvaRss(AdvaRssParameters),
    Learned(LearnedParameters),
}

/// Decides when a source is polled next.
pub trait Scheduler {
    /// When to poll next, after a poll at `now` that found these new items, oldest first (`None`
    /// without a date). The document lists `listed` items, of which the new ones are the newest.
    fn polled(&mut self, new: &[Option<Time>], listed: usize, now: Time) -> Time;

    /// Changes the price of a poll, if it has one.
    fn set_price(&mut self, price: f64);
}

/// A policy without the limits of servers, feeds and the user.
struct Bare {
    running: Running,
    /// If set, the state is saved and restored before every poll.
    restarts: Option<Simulated>,
}

enum Running {
    Fixed(Fixed),
    ChangeRate(ChangeRate),
    AdvaRss(AdvaRss),
    Learned(Box<Learned>),
}

impl Simulated {
    fn load(&self, saved: &[u8]) -> Running {
        match *self {
            Self::Fixed(interval) => Running::Fixed(Fixed::new(interval)),
            Self::ChangeRate(p) => Running::ChangeRate(ChangeRate::load(saved, p)),
            Self::AdvaRss(p) => Running::AdvaRss(AdvaRss::load(saved, p)),
            Self::Learned(p) => Running::Learned(Box::new(Learned::load(saved, p))),
        }
    }
}

impl Running {
    fn policy(&mut self) -> &mut dyn Policy {
        match self {
            Self::Fixed(policy) => policy,
            Self::ChangeRate(policy) => policy,
            Self::AdvaRss(policy) => policy,
            Self::Learned(policy) => policy.as_mut(),
        }
    }
}

impl Scheduler for Bare {
    fn polled(&mut self, new: &[Option<Time>], _listed: usize, now: Time) -> Time {
        if let Some(simulated) = self.restarts {
            self.running = simulated.load(&self.running.policy().save());
        }
        let policy = self.running.policy();
        policy.observe(new, now);
        policy.plan(now)
    }

    fn set_price(&mut self, price: f64) {
        if let Running::Learned(policy) = &mut self.running {
            policy.set_price(price);
        }
    }
}

/// A source during the replay of its timeline.
pub struct Replaying<'a, S> {
    timeline: &'a Timeline,
    scheduler: S,
    /// The next poll; `None` after the end, once all items have been found.
    next: Option<f64>,
    /// Items found so far.
    found: usize,
    run: Run,
}

/// The result for one source.
#[derive(Debug, Clone, Default)]
pub struct Run {
    /// Times of the counted polls, and whether each found something.
    pub(super) polls: Vec<(f64, bool)>,
    /// For each item since the start: publication time, delay, and whether it was missed.
    pub(super) items: Vec<(f64, f64, bool)>,
}

impl Run {
    /// The times of the counted polls.
    pub fn polls(&self) -> impl Iterator<Item = Time> {
        self.polls.iter().map(|(at, _)| seconds::time(*at))
    }

    /// Number of polls after `after`, up to and including `until`.
    pub fn polls_between(&self, after: Time, until: Time) -> usize {
        let (after, until) = (seconds::of(after), seconds::of(until));
        let before = |at: f64| self.polls.partition_point(|(poll, _)| *poll <= at);
        before(until).saturating_sub(before(after))
    }
}

impl<'a, S: Scheduler> Replaying<'a, S> {
    pub fn new(timeline: &'a Timeline, scheduler: S) -> Self {
        let next = Some(timeline.start);
        Self { timeline, scheduler, next, found: 0, run: Run::default() }
    }

    pub fn set_price(&mut self, price: f64) {
        self.scheduler.set_price(price);
    }

    /// Runs the polls before `until`. `dates` sets whether items have dates.
    pub fn advance(&mut self, until: Time, dates: bool) {
        self.advance_to(seconds::of(until), dates);
    }

    /// Polls until the end, and once more to pick up the remaining items.
    pub fn finish(mut self, dates: bool) -> Run {
        self.advance_to(f64::INFINITY, dates);
        self.run
    }

    /// The polls and items so far.
    pub fn run(&self) -> &Run {
        &self.run
    }

    fn advance_to(&mut self, until: f64, dates: bool) {
        while let Some(now) = self.next.filter(|at| *at < until) {
            let Timeline { end, ref items, shown, window, .. } = *self.timeline;
            if now >= end && self.found >= items.len() {
                self.next = None;
                return;
            }
            let before = self.found;
            self.found += items[before..].partition_point(|at| *at <= now);
            let new = &items[before..self.found];
            let missed = new.len().saturating_sub(window);
            for (i, at) in new.iter().enumerate().filter(|(i, _)| before + i >= shown) {
                self.run.items.push((*at, now - at, i < missed));
            }
            if now < end {
                self.run.polls.push((now, !new.is_empty()));
            }
            let seen: Vec<Option<Time>> =
                new[missed..].iter().map(|at| Some(seconds::time(*at)).filter(|_| dates)).collect();
            let time = seconds::time(now);
            let next = self.scheduler.polled(&seen, self.found.min(window), time);
            self.next = Some(now + (next - time).as_seconds_f64().max(1.0));
        }
    }
}

#[derive(Debug, Clone)]
pub struct Replay {
    pub(super) timelines: Vec<Timeline>,
    /// Whether items have dates. Without dates the policies must guess.
    pub dates: bool,
    /// Whether states are saved and restored before every poll, which must not change the results.
    pub restarts: bool,
}

/// The result of a replay in which the price was corrected daily.
#[derive(Debug, Clone)]
pub struct Controlled {
    pub figures: Figures,
    /// Polls per source per day, week by week, until most sources have ended.
    pub weekly: Vec<f64>,
}

impl Replay {
    /// A replay of these timelines, with dates.
    pub fn new(timelines: Vec<Timeline>) -> Self {
        Self { timelines, dates: true, restarts: false }
    }

    /// Runs a policy on every timeline.
    pub fn run(&self, policy: &Simulated, phase: Phase) -> Figures {
        figures(&self.timelines, &self.runs(policy), phase)
    }

    pub(super) fn runs(&self, policy: &Simulated) -> Vec<Run> {
        let restarts = self.restarts.then_some(*policy);
        let sources = start(&self.timelines, policy, restarts);
        sources.into_iter().map(|source| source.finish(self.dates)).collect()
    }

    /// Replays all sources together, starting in the same week, and corrects the price once a day
    /// towards `budget` polls per source per day.
    pub fn controlled(
        &self,
        parameters: LearnedParameters,
        budget: f64,
        phase: Phase,
    ) -> Controlled {
        // A Monday.
        let origin = 4.0 * DAY;
        let timelines: Vec<Timeline> = self.timelines.iter().map(|t| t.aligned(origin)).collect();
        let mut sources = start(&timelines, &Simulated::Learned(parameters), None);
        let mut control = Control { price: parameters.price, days: 0 };
        let end = timelines.iter().map(|t| t.end).fold(origin, f64::max);
        let mut before = 0;
        let days = ((end - origin) / DAY).ceil() as usize;
        for day in 1..=days {
            let until = origin + day as f64 * DAY;
            for source in &mut sources {
                source.set_price(control.price);
                source.advance_to(until, self.dates);
            }
            let taken: usize = sources.iter().map(|s| s.run.polls.len()).sum();
            let used = taken - std::mem::replace(&mut before, taken);
            let overlap = |t: &Timeline| (t.end.min(until) - t.start.max(until - DAY)).max(0.0);
            let followed: f64 = timelines.iter().map(overlap).sum::<f64>() / DAY;
            // The first day, and days on which few sources are followed, are not representative.
            if followed > 0.2 * timelines.len() as f64 && day > 1 {
                control.correct(used as f64, followed * budget);
            }
        }
        let runs: Vec<Run> = sources.into_iter().map(|s| s.finish(self.dates)).collect();
        let weekly = weekly(&timelines, &runs, origin);
        Controlled { figures: figures(&timelines, &runs, phase), weekly }
    }
}

fn start<'a>(
    timelines: &'a [Timeline],
    policy: &Simulated,
    restarts: Option<Simulated>,
) -> Vec<Replaying<'a, Bare>> {
    let bare = || Bare { running: policy.load(&[]), restarts };
    timelines.iter().map(|timeline| Replaying::new(timeline, bare())).collect()
}
