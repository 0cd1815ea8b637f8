//! The advaRSS policy: a running median of the time between changes, in ticks.

use super::bytes::{Reader, Writer};
use super::{Policy, seconds};
use crate::model::Time;
use std::time::Duration;

/// Upper limit of the cap.
const MAX_CAP: f64 = 640.0;

/// Parameters of [`AdvaRss`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct AdvaRssParameters {
    /// Length of a tick (X).
    pub tick: Duration,
    /// Maximum median, in ticks, 1-640.
    pub cap: u32,
    /// Whether the cap doubles, up to 640, when it has been reached and a poll still finds nothing.
    pub growth: bool,
    /// Ticks until the second poll (0-3), instead of the number that follows from the median. Polls are at
    /// least a tick apart.
    pub first: Option<u32>,
}

impl Default for AdvaRssParameters {
    fn default() -> Self {
        Self { tick: Duration::from_secs(8 * 60), cap: 25, growth: false, first: None }
    }
}

/// Counters M (median) and T (timer). Unchanged: `temp = T + M; M += 0.3 T; T = temp`. Changed
/// (including the first poll): `T = 1; M = 0.2 M + 0.8 T`. M stays in `[1, cap]`. The next poll is
/// `ceil(M)` ticks later. Initially M = 4 and T = 1.
#[derive(Debug, Clone, PartialEq)]
pub struct AdvaRss {
    parameters: AdvaRssParameters,
    median: f64,
    timer: f64,
    /// The current cap, if it has grown.
    grown: f64,
    /// Number of polls, counted up to two.
    polls: u32,
}

impl AdvaRss {
    /// Restores a saved state; an empty or damaged state gives the initial one.
    pub fn load(saved: &[u8], parameters: AdvaRssParameters) -> Self {
        let mut reader = Reader(saved);
        let learned = reader.number().zip(reader.number());
        let (median, timer) = learned.unwrap_or((4.0, 1.0));
        // States saved by earlier versions end here.
        let (grown, polls) = reader.number().zip(reader.count()).unwrap_or((0.0, 2));
        let polls = if learned.is_some() { polls } else { 0 };
        Self { parameters, median, timer, grown, polls }
    }

    fn cap(&self) -> f64 {
        let start = f64::from(self.parameters.cap);
        if self.parameters.growth { self.grown.clamp(start, MAX_CAP.max(start)) } else { start }
    }
}

impl Policy for AdvaRss {
    fn observe(&mut self, items: &[Option<Time>], _now: Time) {
        if items.is_empty() && self.polls > 0 {
            if self.parameters.growth && self.median >= self.cap() {
                self.grown = 2.0 * self.cap();
            }
            let timer = self.timer + self.median;
            self.median += 0.3 * self.timer;
            // Prevents overflow; no interval is that long.
            self.timer = timer.min(1e9);
        } else {
            self.timer = 1.0;
            self.median = 0.2 * self.median + 0.8 * self.timer;
        }
        self.median = self.median.min(self.cap()).max(1.0);
        self.polls = (self.polls + 1).min(2);
    }

    fn plan(&self, now: Time) -> Time {
        let usual = (self.median - 1e-9).ceil();
        let first = self.parameters.first.filter(|_| self.polls == 1);
        let ticks = first.map_or(usual, |ticks| f64::from(ticks.max(1)));
        seconds::later(now, ticks * self.parameters.tick.as_secs_f64())
    }

    fn save(&self) -> Vec<u8> {
        let mut writer = Writer::default();
        if self.polls > 0 {
            writer.number(self.median);
            writer.number(self.timer);
            writer.number(self.grown);
            writer.count(self.polls);
        }
        writer.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn intervals_follow_the_documented_counters() {
        let now = Time::UNIX_EPOCH;
        let mut policy = AdvaRss::load(&[], AdvaRssParameters::default());
        let mut ticks = |items: &[Option<Time>]| {
            policy.observe(items, now);
            (policy.plan(now) - now).num_minutes() / 8
        };
        // M: 1.6 (first), then 1.9 (T 2.6), 2.68 (T 4.5), then changed: 1.336.
        assert_eq!([ticks(&[]), ticks(&[]), ticks(&[]), ticks(&[None])], [2, 2, 3, 2]);
        assert_eq!((0..50).map(|_| ticks(&[])).last(), Some(25), "the cap");
        assert_eq!((0..50).map(|_| ticks(&[None])).last(), Some(1));
    }

    #[test]
    fn cap_grows_only_while_nothing_changes() {
        let now = Time::UNIX_EPOCH;
        let parameters = AdvaRssParameters { growth: true, ..AdvaRssParameters::default() };
        let mut saved = Vec::new();
        let mut ticks = |items: &[Option<Time>]| {
            let mut policy = AdvaRss::load(&saved, parameters);
            policy.observe(items, now);
            saved = policy.save();
            (policy.plan(now) - now).num_minutes() / 8
        };
        let seen: Vec<i64> = (0..60).map(|_| ticks(&[])).collect();
        for cap in [25, 50, 100, 200, 400, 640] {
            assert!(seen.contains(&cap), "{cap}: {seen:?}");
        }
        assert!(seen.iter().all(|ticks| *ticks <= 640));
        assert_eq!(ticks(&[None]), 129, "0.2 * 640 + 0.8");
    }

    #[test]
    fn first_applies_only_to_the_second_poll() {
        let now = Time::UNIX_EPOCH;
        for (first, want) in [(0, 1), (1, 1), (3, 3)] {
            let parameters = AdvaRssParameters { first: Some(first), ..Default::default() };
            let mut policy = AdvaRss::load(&[], parameters);
            policy.observe(&[], now);
            let policy = AdvaRss::load(&policy.save(), parameters);
            assert_eq!((policy.plan(now) - now).num_minutes(), 8 * want);
            let mut later = policy.clone();
            later.observe(&[], now);
            assert_eq!((later.plan(now) - now).num_minutes(), 16, "as usual");
        }
    }

    #[test]
    fn state_of_earlier_versions_is_kept() {
        let mut old = Writer::default();
        old.number(9.5);
        old.number(30.0);
        let policy = AdvaRss::load(&old.0, AdvaRssParameters::default());
        assert_eq!((policy.plan(Time::UNIX_EPOCH) - Time::UNIX_EPOCH).num_minutes(), 80);
    }
}
