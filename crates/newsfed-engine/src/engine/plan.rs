//! Which sources to poll now, and when to wake next: a pure function of its arguments.

use crate::model::Time;
use crate::schedule::waiting;
use crate::store::Due;
use std::collections::HashSet;

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Plan {
    /// Row keys of the sources to poll now, the most valuable first.
    pub start: Vec<i64>,
    /// When the next source becomes due; `None` if there is none, or if more are already due.
    pub wake: Option<Time>,
}

/// Maximum number of sources planned at once; the others follow when these have been polled.
pub const HORIZON: usize = 2048;

/// Selects from `due`, which is ordered by the next poll, the sources that are not already
/// `claimed`. After a long absence many are due: never-polled ones come first, then those with the longest
/// expected total wait of their items, multiplied by the `weight` of the source (row key).
pub fn plan(due: &[Due], now: Time, claimed: &HashSet<i64>, weight: impl Fn(i64) -> f64) -> Plan {
    let mut plan = Plan::default();
    let mut start = Vec::new();
    for source in due {
        let paused = source.pause.filter(|h| h.until > now).map(|h| h.until);
        let at = source.next_poll.max(paused);
        match at {
            Some(at) if at > now => plan.wake = Some(plan.wake.map_or(at, |wake| wake.min(at))),
            _ if claimed.contains(&source.key) => {}
            None => start.push((f64::INFINITY, source.key)),
            _ => start.push((waiting(&source.schedule, now) * weight(source.key), source.key)),
        }
    }
    start.sort_by(|a, b| b.0.total_cmp(&a.0));
    plan.start = start.into_iter().map(|(_, key)| key).collect();
    plan
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Pause, PauseReason, SourceId};

    fn at(seconds: i64) -> Time {
        Time::from_timestamp(seconds, 0).unwrap()
    }

    fn due(key: i64, next: Option<i64>, paused: Option<i64>) -> Due {
        let pause = paused.map(|until| Pause { until: at(until), reason: PauseReason::RetryAfter });
        Due {
            key,
            id: SourceId(key.to_string()),
            next_poll: next.map(at),
            pause,
            schedule: Vec::new(),
        }
    }

    /// Description, due sources, running ones, expected starts, and wake time.
    type Case = (&'static str, Vec<Due>, &'static [i64], &'static [i64], Option<i64>);

    #[test]
    fn starts_due_sources_and_wakes_for_the_next_one() {
        let cases: [Case; 6] = [
            ("no sources", vec![], &[], &[], None),
            ("never polled", vec![due(1, None, None)], &[], &[1], None),
            (
                "due and not due",
                vec![due(1, Some(99), None), due(2, Some(150), None)],
                &[],
                &[1],
                Some(150),
            ),
            ("running", vec![due(1, Some(99), None)], &[1], &[], None),
            (
                "paused for longer than planned",
                vec![due(1, Some(50), Some(300))],
                &[],
                &[],
                Some(300),
            ),
            ("the pause is over", vec![due(1, Some(50), Some(100))], &[], &[1], None),
        ];
        for (why, sources, claimed, start, wake) in cases {
            let claimed = claimed.iter().copied().collect();
            let plan = plan(&sources, at(100), &claimed, |_| 1.0);
            assert_eq!((plan.start.as_slice(), plan.wake), (start, wake.map(at)), "{why}");
        }
    }
}
