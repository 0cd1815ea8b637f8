//! The policy that keeps the share of polls that find something new at a target.

use super::bytes::{Reader, Writer};
use super::{Policy, seconds};
use crate::model::Time;
use std::time::Duration;

/// What can be set of [`ChangeRate`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ChangeRateParameters {
    /// Weight of the last poll in the smoothed change rate (a), above 0, at most 1.
    pub smoothing: f64,
    /// How strongly the interval follows the rate (k), above 0, at most 1.
    pub gain: f64,
    /// The change rate that is aimed at (r_t), between 0 and 1.
    pub target: f64,
    /// The rate to begin with (r_0): the target, unless that is what is searched for.
    pub start: f64,
    /// First interval (f_0), from what is known of the source.
    pub first: Duration,
    /// Shortest interval.
    pub least: Duration,
    /// Longest interval.
    pub most: Duration,
}

impl Default for ChangeRateParameters {
    fn default() -> Self {
        Self {
            smoothing: 0.3,
            gain: 0.2,
            target: 0.5,
            start: 0.5,
            first: Duration::from_secs(3600),
            least: Duration::from_secs(900),
            most: Duration::from_secs(24 * 3600),
        }
    }
}

/// Smoothed change rate: `r_n = a x_n + (1-a) r_(n-1)`, where x is 1 when a poll found a change,
/// and `f_n = f_(n-1) (1 - k (r_n - r_t))`, beginning with `r_0 = r_t`. The first poll teaches
/// nothing: everything is new to it.
#[derive(Debug, Clone, PartialEq)]
pub struct ChangeRate {
    parameters: ChangeRateParameters,
    /// Rate and interval in seconds; `None` before the first poll.
    learned: Option<(f64, f64)>,
}

impl ChangeRate {
    /// With the state that was saved; an empty or damaged one begins again.
    pub fn load(saved: &[u8], parameters: ChangeRateParameters) -> Self {
        let mut reader = Reader(saved);
        Self { parameters, learned: reader.number().zip(reader.number()) }
    }

    fn start(&self) -> (f64, f64) {
        (self.parameters.start, self.parameters.first.as_secs_f64())
    }

    fn within(&self, interval: f64) -> f64 {
        let ChangeRateParameters { least, most, .. } = self.parameters;
        interval.min(most.as_secs_f64()).max(least.as_secs_f64())
    }
}

impl Policy for ChangeRate {
    fn observe(&mut self, items: &[Option<Time>], _now: Time) {
        let ChangeRateParameters { smoothing, gain, target, .. } = self.parameters;
        self.learned = Some(match self.learned {
            None => self.start(),
            Some((rate, interval)) => {
                let changed = f64::from(u8::from(!items.is_empty()));
                let rate = smoothing * changed + (1.0 - smoothing) * rate;
                (rate, self.within(interval * (1.0 - gain * (rate - target))))
            }
        });
    }

    fn plan(&self, now: Time) -> Time {
        let (_, interval) = self.learned.unwrap_or(self.start());
        seconds::later(now, self.within(interval))
    }

    fn save(&self) -> Vec<u8> {
        let mut writer = Writer::default();
        if let Some((rate, interval)) = self.learned {
            writer.number(rate);
            writer.number(interval);
        }
        writer.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Time = Time::UNIX_EPOCH;

    fn interval(policy: &ChangeRate) -> f64 {
        (policy.plan(NOW) - NOW).as_seconds_f64()
    }

    #[test]
    fn the_interval_follows_the_smoothed_rate() {
        let mut policy = ChangeRate::load(&[], ChangeRateParameters::default());
        policy.observe(&[None; 20], NOW);
        assert_eq!(interval(&policy), 3600.0, "the first poll teaches nothing");
        // r = 0.3 + 0.7 * 0.5 = 0.65; f = 3600 (1 - 0.2 * 0.15)
        policy.observe(&[None], NOW);
        assert!((interval(&policy) - 3492.0).abs() < 1e-3);
        // r = 0.7 * 0.65 = 0.455; f = 3492 (1 + 0.2 * 0.045)
        policy.observe(&[], NOW);
        assert!((interval(&policy) - 3523.428).abs() < 1e-3);
    }

    #[test]
    fn the_interval_stays_within_its_bounds() {
        for (items, want) in [(&[][..], 86_400.0), (&[None][..], 900.0)] {
            let mut policy = ChangeRate::load(&[], ChangeRateParameters::default());
            (0..200).for_each(|_| policy.observe(items, NOW));
            assert_eq!(interval(&policy), want);
        }
    }
}
