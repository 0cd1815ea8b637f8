//! The advaRSS policy: a running median of the time between changes, in ticks.

use super::bytes::{Reader, Writer};
use super::{Policy, seconds};
use crate::model::Time;
use std::time::Duration;

/// Parameters of [`AdvaRss`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct AdvaRssParameters {
    /// Length of a tick (X).
    pub tick: Duration,
    /// Largest median, in ticks, 1-640.
    pub cap: u32,
}

impl Default for AdvaRssParameters {
    fn default() -> Self {
        Self { tick: Duration::from_secs(8 * 60), cap: 25 }
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
    polled: bool,
}

impl AdvaRss {
    /// Restores a saved state. An empty or damaged state starts from the beginning.
    pub fn load(saved: &[u8], parameters: AdvaRssParameters) -> Self {
        let mut reader = Reader(saved);
        let learned = reader.number().zip(reader.number());
        let (median, timer) = learned.unwrap_or((4.0, 1.0));
        Self { parameters, median, timer, polled: learned.is_some() }
    }
}

impl Policy for AdvaRss {
    fn observe(&mut self, items: &[Option<Time>], _now: Time) {
        if items.is_empty() && self.polled {
            let timer = self.timer + self.median;
            self.median += 0.3 * self.timer;
            // Prevents overflow; no interval is that long.
            self.timer = timer.min(1e9);
        } else {
            self.timer = 1.0;
            self.median = 0.2 * self.median + 0.8 * self.timer;
        }
        self.median = self.median.min(f64::from(self.parameters.cap)).max(1.0);
        self.polled = true;
    }

    fn plan(&self, now: Time) -> Time {
        let ticks = (self.median - 1e-9).ceil();
        seconds::later(now, ticks * self.parameters.tick.as_secs_f64())
    }

    fn save(&self) -> Vec<u8> {
        let mut writer = Writer::default();
        if self.polled {
            writer.number(self.median);
            writer.number(self.timer);
        }
        writer.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_as_described() {
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
}
