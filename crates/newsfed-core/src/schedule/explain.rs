//! Explains the schedule of a source, for the command line and the interface.

use super::{Learned, Memory, PollContext, ResponseFacts, decide, jittered};
use crate::model::{PolicyKind, Time};
use chrono::{SubsecRound, TimeDelta};

/// Number of future polls that are listed.
const COMING: usize = 5;

/// How a source publishes and when it is polled.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct Explanation {
    /// The active policy.
    pub policy: PolicyKind,
    /// Items per day expected in the long run.
    pub items_per_day: f64,
    /// Items per day expected right now, given recent items and the hour.
    pub items_per_day_now: f64,
    /// Number of items that the estimates are based on.
    pub observed: u32,
    /// Times between items; `None` with fewer than two items.
    pub gaps: Option<Gaps>,
    pub pulse: Pulse,
    /// For each hour of the week, UTC, starting on Monday: the publishing rate relative to the
    /// mean, which is 1.
    pub week: Vec<f64>,
    /// The planned polls if nothing new is found, the next one first.
    pub coming: Vec<Time>,
}

/// Times between items, in seconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
pub struct Gaps {
    /// Number of gaps.
    #[serde(skip)]
    pub count: usize,
    pub least: i64,
    /// Lower quartile.
    pub lower: i64,
    /// Median.
    pub median: i64,
    /// Upper quartile.
    pub upper: i64,
    pub most: i64,
}

/// Whether a source still publishes, compared with its own habits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Pulse {
    /// Too little data.
    Unknown,
    /// It publishes as usual.
    Normal,
    /// It has not published anything for longer than usual.
    Silent,
    /// It has not published anything for so long that it is probably abandoned.
    Dead,
}

/// Explains a schedule. `dates` are the dates of the newest items, newest first; `since` is the
/// time of the first known poll, `next` the time of the next poll; `limits` has the limits in
/// force (its times and response are ignored).
pub fn explain(
    memory: &Memory,
    dates: &[Time],
    since: Option<Time>,
    next: Option<Time>,
    limits: &PollContext<'_>,
    now: Time,
) -> Explanation {
    let learned: &Learned = memory.learned();
    Explanation {
        policy: memory.policy(),
        items_per_day: learned.rate(now),
        items_per_day_now: learned.rate_now(now),
        observed: learned.items(),
        gaps: gaps(dates),
        pulse: pulse(dates, since, now),
        week: learned.week().to_vec(),
        coming: coming(memory, next, limits, now),
    }
}

/// The times between items, from their sorted dates.
pub fn gaps(dates: &[Time]) -> Option<Gaps> {
    let mut gaps: Vec<i64> =
        dates.windows(2).map(|pair| (pair[0] - pair[1]).num_seconds().abs()).collect();
    gaps.sort_unstable();
    let last = gaps.len().checked_sub(1)?;
    let at = |quarter: usize| gaps[(last * quarter + 2) / 4];
    Some(Gaps {
        count: gaps.len(),
        least: at(0),
        lower: at(1),
        median: at(2),
        upper: at(3),
        most: at(4),
    })
}

/// Whether the time since the newest item is normal. A source is silent after four times the upper quartile
/// of its gaps (at least a day), if it has been polled for a day. It is dead after a year or twice its
/// longest gap, whichever is longer. `watched` is the time of its first known poll.
pub fn pulse(dates: &[Time], watched: Option<Time>, now: Time) -> Pulse {
    let (Some(newest), Some(gaps)) = (dates.iter().max(), gaps(dates)) else {
        return Pulse::Unknown;
    };
    let since = now - *newest;
    let seconds = TimeDelta::seconds;
    let most = seconds(gaps.most.min(i64::from(u32::MAX)) * 2);
    let usual = seconds(gaps.upper.min(i64::from(u32::MAX)) * 4);
    let is_known = watched.is_some_and(|first| now - first >= TimeDelta::days(1));
    if since > most.max(TimeDelta::days(365)) {
        Pulse::Dead
    } else if since <= usual.max(TimeDelta::days(1)) {
        Pulse::Normal
    } else if is_known {
        Pulse::Silent
    } else {
        Pulse::Unknown
    }
}

/// Plans each poll as if the previous one had found nothing.
fn coming(memory: &Memory, next: Option<Time>, limits: &PollContext<'_>, now: Time) -> Vec<Time> {
    let Some(first) = next else { return Vec::new() };
    let mut polls = vec![first.max(now).trunc_subsecs(0)];
    while let Some(last) = polls.last().copied().filter(|_| polls.len() < COMING) {
        let wanted = jittered(memory.plan(last), last, limits.seed);
        let poll = PollContext {
            now: last,
            wanted,
            response: ResponseFacts::default(),
            fail_count: 0,
            failing_for: None,
            ..*limits
        };
        let next = decide(&poll).next.trunc_subsecs(0);
        if next <= last {
            break;
        }
        polls.push(next);
    }
    polls
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(hours: i64) -> Time {
        Time::from_timestamp(1_700_000_000 + hours * 3600, 0).unwrap()
    }

    #[test]
    fn upcoming_polls_are_planned_one_after_another() {
        use crate::model::FeedHints;
        use crate::schedule::{AdvaRssParameters, ChangeRateParameters, LearnedParameters, Setup};
        use std::time::Duration;
        let hour = Duration::from_secs(3600);
        let setup = Setup {
            policy: PolicyKind::Fixed,
            interval: hour,
            change_rate: ChangeRateParameters::default(),
            advarss: AdvaRssParameters::default(),
            learned: LearnedParameters::default(),
            own_budget: None,
        };
        let memory = Memory::load(&[], setup);
        // The last response and the failures do not affect the polls after the next one.
        let hints = FeedHints::default();
        let limits = PollContext {
            now: at(-100),
            wanted: at(900),
            response: ResponseFacts { retry_after: Some(hour * 50), ..ResponseFacts::default() },
            hints: &hints,
            fail_count: 9,
            failing_for: None,
            interval: hour,
            measured_gap: None,
            min: Duration::ZERO,
            usual_min: Duration::ZERO,
            warranted: false,
            quiet: None,
            max: None,
            has_validators: true,
            own: None,
            seed: 7,
        };
        let explained = |next| explain(&memory, &[], None, next, &limits, at(0)).coming;
        assert!(explained(None).is_empty());
        for (next, first) in [(at(3), at(3)), (at(-3), at(0))] {
            let polls = explained(Some(next));
            assert_eq!((polls.len(), polls[0]), (COMING, first));
            for pair in polls.windows(2) {
                // An hour and the jitter, in whole seconds.
                let wait = (pair[1] - pair[0]).num_seconds();
                assert!((3600..=3660).contains(&wait), "{polls:?}");
            }
        }
        let found = explain(&memory, &[], None, None, &limits, at(0));
        assert_eq!((found.policy, found.observed, found.week.len()), (PolicyKind::Fixed, 0, 168));
    }

    #[test]
    fn computes_quartiles_of_gaps() {
        let dates: Vec<Time> = [100, 96, 95, 85, 83, 80].map(at).to_vec();
        let hours = |s: i64| s / 3600;
        let g = gaps(&dates).unwrap();
        let found = [g.least, g.lower, g.median, g.upper, g.most].map(hours);
        assert_eq!(found, [1, 2, 3, 4, 10]);
        assert_eq!((gaps(&dates[..1]), gaps(&[])), (None, None));
    }

    #[test]
    fn compares_a_source_with_its_own_habits() {
        let watched = Some(at(-24));
        let daily: Vec<Time> = (0..20).map(|n| at(-24 * n)).collect();
        for (hours, want) in [
            (1, Pulse::Normal),
            (95, Pulse::Normal),
            (97, Pulse::Silent),
            (24 * 365, Pulse::Silent),
            (24 * 366, Pulse::Dead),
        ] {
            assert_eq!(pulse(&daily, watched, at(hours)), want, "{hours}");
        }
        let busy: Vec<Time> = (0..20).map(|n| at(-n)).collect();
        assert_eq!(pulse(&busy, watched, at(20)), Pulse::Normal, "a night is not silence");
        let yearly: Vec<Time> = (0..5).map(|n| at(-24 * 300 * n)).collect();
        assert_eq!(pulse(&yearly, watched, at(24 * 500)), Pulse::Normal);
        assert_eq!(pulse(&[], watched, at(0)), Pulse::Unknown);
        for (watched, want) in [
            (None, Pulse::Unknown),
            (Some(at(200)), Pulse::Unknown),
            (Some(at(176)), Pulse::Silent),
        ] {
            assert_eq!(pulse(&daily, watched, at(200)), want, "just added: {watched:?}");
        }
        assert_eq!(pulse(&daily, None, at(24 * 400)), Pulse::Dead);
    }
}
