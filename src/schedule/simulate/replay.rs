//! Runs every poll that a policy plans on a set of timelines.

use super::figures::{Figures, Phase, figures};
use super::{Timeline, WINDOW};
use crate::model::Time;
use crate::schedule::seconds::DAY;
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

enum Running {
    Fixed(Fixed),
    ChangeRate(ChangeRate),
    AdvaRss(AdvaRss),
    Learned(Box<Learned>),
}

impl Simulated {
    fn start(&self) -> Running {
        self.load(&[])
    }

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

    fn set_price(&mut self, price: f64) {
        if let Self::Learned(policy) = self {
            policy.set_price(price);
        }
    }
}

/// A source during the replay of its timeline.
struct Source<'a> {
    timeline: &'a Timeline,
    running: Running,
    /// The next poll; `None` once everything is found and the end is past.
    next: Option<f64>,
    /// Items found so far.
    found: usize,
    run: Run,
}

/// The result for one source.
#[derive(Debug, Clone, Default)]
pub(super) struct Run {
    /// Times of the polls that count, and whether each found something.
    pub(super) polls: Vec<(f64, bool)>,
    /// For each item from the start on: publication time, delay, and whether it was missed.
    pub(super) items: Vec<(f64, f64, bool)>,
}

impl Source<'_> {
    fn advance(&mut self, until: f64, dates: bool, restarts: Option<&Simulated>) {
        while let Some(now) = self.next.filter(|at| *at < until) {
            let Timeline { end, ref items, shown, .. } = *self.timeline;
            if now >= end && self.found >= items.len() {
                self.next = None;
                return;
            }
            let before = self.found;
            self.found += items[before..].partition_point(|at| *at <= now);
            let new = &items[before..self.found];
            let missed = new.len().saturating_sub(WINDOW);
            for (i, at) in new.iter().enumerate().filter(|(i, _)| before + i >= shown) {
                self.run.items.push((*at, now - at, i < missed));
            }
            if now < end {
                self.run.polls.push((now, !new.is_empty()));
            }
            if let Some(simulated) = restarts {
                self.running = simulated.load(&self.running.policy().save());
            }
            let moment = |at: f64| Time::from_timestamp_micros((at * 1e6).round() as i64);
            let seen: Vec<Option<Time>> =
                new[missed..].iter().map(|at| moment(*at).filter(|_| dates)).collect();
            let time = moment(now).unwrap_or_default();
            self.running.policy().observe(&seen, time);
            let wait = self.running.policy().plan(time) - time;
            self.next = Some(now + wait.as_seconds_f64().max(1.0));
        }
    }
}

#[derive(Debug, Clone)]
pub struct Replay {
    pub(super) timelines: Vec<Timeline>,
    /// Whether items carry dates. Without dates the policies must guess.
    pub dates: bool,
    /// Whether states are saved and restored before every poll, which must not change anything.
    pub restarts: bool,
}

/// The result of a replay in which the price was corrected daily.
#[derive(Debug, Clone)]
pub struct Controlled {
    pub figures: Figures,
    /// Polls per source and day, week by week, until most sources have ended.
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
        let mut sources = start(&self.timelines, policy);
        for source in &mut sources {
            source.advance(f64::INFINITY, self.dates, self.restarts.then_some(policy));
        }
        sources.into_iter().map(|s| s.run).collect()
    }

    /// Replays all sources together, starting in the same week, and corrects the price once a day
    /// towards `budget` polls per source and day.
    pub fn controlled(
        &self,
        parameters: LearnedParameters,
        budget: f64,
        phase: Phase,
    ) -> Controlled {
        // A Monday.
        let origin = 4.0 * DAY;
        let timelines: Vec<Timeline> = self.timelines.iter().map(|t| t.aligned(origin)).collect();
        let mut sources = start(&timelines, &Simulated::Learned(parameters));
        let mut control = Control { price: parameters.price, days: 0 };
        let end = timelines.iter().map(|t| t.end).fold(origin, f64::max);
        let (mut weekly, mut week, mut before) = (Vec::new(), (0, 0.0), 0);
        let days = ((end - origin) / DAY).ceil() as usize;
        for day in 1..=days {
            let until = origin + day as f64 * DAY;
            for source in &mut sources {
                source.running.set_price(control.price);
                source.advance(until, self.dates, None);
            }
            let taken: usize = sources.iter().map(|s| s.run.polls.len()).sum();
            let used = taken - std::mem::replace(&mut before, taken);
            let overlap = |t: &Timeline| (t.end.min(until) - t.start.max(until - DAY)).max(0.0);
            let followed: f64 = timelines.iter().map(overlap).sum::<f64>() / DAY;
            // The first days of most sources, and the last days of a few, say little.
            if followed > 0.2 * timelines.len() as f64 && day > 1 {
                control.correct(used as f64, followed * budget);
            }
            week = (week.0 + used, week.1 + followed);
            if day % 7 == 0 || day == days {
                weekly.push(week);
                week = (0, 0.0);
            }
        }
        for source in &mut sources {
            source.advance(f64::INFINITY, self.dates, None);
        }
        let runs: Vec<Run> = sources.into_iter().map(|s| s.run).collect();
        let fullest = weekly.iter().map(|(_, followed)| *followed).fold(0.0, f64::max);
        let whole = weekly.iter().rposition(|(_, followed)| *followed > 0.5 * fullest);
        weekly.truncate(whole.map_or(0, |last| last + 1));
        let weekly = weekly.iter().map(|(used, followed)| *used as f64 / followed).collect();
        Controlled { figures: figures(&timelines, &runs, phase), weekly }
    }
}

fn start<'a>(timelines: &'a [Timeline], policy: &Simulated) -> Vec<Source<'a>> {
    let source = |timeline: &'a Timeline| Source {
        timeline,
        running: policy.start(),
        next: Some(timeline.start),
        found: 0,
        run: Run::default(),
    };
    timelines.iter().map(source).collect()
}
