//! Replays a policy on synthetic sources whose rates change, to measure how soon it adapts.

use super::figures::mean;
use super::replay::Run;
use super::{Replay, Simulated, Timeline};
use crate::schedule::seconds::{DAY, MINUTE};

/// Number of days before and after the change.
const DAYS: usize = 42;
/// Time of the change: a Monday at midnight.
const CHANGE: f64 = (4 + 7 * 2857) as f64 * DAY;

/// How the sources change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RateChange {
    /// The rate rises from 2 items a day to 20.
    Jump,
    /// The rate drops from 20 items a day to none.
    Silence,
}

/// Polls per source per day, and mean delays in minutes, around the change. Day 0 is the first day
/// after it.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize)]
#[allow(missing_docs, reason = "the names are self-explanatory")]
pub struct Synthetic {
    pub polls_before: f64,
    pub polls_day_0: f64,
    pub polls_day_1: f64,
    pub polls_day_2: f64,
    pub polls_day_4: f64,
    pub polls_day_7: f64,
    pub polls_day_14: f64,
    pub polls_day_40: f64,
    pub delay_before_min: f64,
    pub delay_day_0_min: f64,
    pub delay_day_1_min: f64,
    pub delay_day_2_min: f64,
    pub delay_days_4_to_7_min: f64,
    pub delay_end_min: f64,
}

/// Replays a policy on sources that publish at random, at one constant rate before the change and
/// at a different one after it.
pub fn changed(change: RateChange, policy: &Simulated, sources: usize, seed: u64) -> Synthetic {
    let (before, after) = match change {
        RateChange::Jump => (2.0, 20.0),
        RateChange::Silence => (20.0, 0.0),
    };
    let mut random = fastrand::Rng::with_seed(seed);
    let timelines: Vec<Timeline> =
        (0..sources).map(|_| timeline(before, after, &mut random)).collect();
    let runs = Replay::new(timelines).runs(policy);
    let polls = |days: std::ops::Range<i32>| {
        let count: usize =
            runs.iter().map(|r| r.polls.iter().filter(|l| is_in(l.0, &days)).count()).sum();
        count as f64 / sources.max(1) as f64 / f64::from(days.end - days.start)
    };
    let delay = |days: std::ops::Range<i32>| {
        let found = |run: &Run| -> Vec<f64> {
            run.items.iter().filter(|i| is_in(i.0, &days)).map(|i| i.1).collect()
        };
        mean(&runs.iter().flat_map(found).collect::<Vec<_>>()) / MINUTE
    };
    Synthetic {
        polls_before: polls(-14..0),
        polls_day_0: polls(0..1),
        polls_day_1: polls(1..2),
        polls_day_2: polls(2..3),
        polls_day_4: polls(4..5),
        polls_day_7: polls(7..8),
        polls_day_14: polls(14..15),
        polls_day_40: polls(40..41),
        delay_before_min: delay(-14..0),
        delay_day_0_min: delay(0..1),
        delay_day_1_min: delay(1..2),
        delay_day_2_min: delay(2..3),
        delay_days_4_to_7_min: delay(4..8),
        delay_end_min: delay(28..42),
    }
}

fn is_in(at: f64, days: &std::ops::Range<i32>) -> bool {
    let day = (at - CHANGE) / DAY;
    (f64::from(days.start)..f64::from(days.end)).contains(&day)
}

/// Twenty items before the start, then a Poisson process at each rate (items per day).
pub(super) fn timeline(before: f64, after: f64, random: &mut fastrand::Rng) -> Timeline {
    let start = CHANGE - DAYS as f64 * DAY;
    let end = CHANGE + DAYS as f64 * DAY;
    let shown = 20.0 / before * DAY;
    let mut items: Vec<f64> = (0..20).map(|_| start - shown * (1.0 - random.f64())).collect();
    for (from, until, rate) in [(start, CHANGE, before), (CHANGE, end, after)] {
        let mut at = from;
        loop {
            // Infinite if nothing is published.
            at += -(1.0 - random.f64()).ln() / rate * DAY;
            if at.is_nan() || at >= until {
                break;
            }
            items.push(at);
        }
    }
    items.sort_by(f64::total_cmp);
    Timeline { start, end, items, shown: 20, window: 20 }
}
