//! The policy that keeps the share of polls with new items at a target.

use super::bytes::{Reader, Writer};
use super::{Policy, seconds};
use crate::model::Time;
use std::time::Duration;

/// Parameters of [`ChangeRate`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ChangeRateParameters {
    /// Weight of the last poll in the smoothed change rate (a), above 0, at most 1.
    pub smoothing: f64,
    /// How strongly the interval follows the rate (k), above 0, at most 1.
    pub gain: f64,
    /// The target change rate (r_t), between 0 and 1.
    pub target: f64,
    /// Initial rate (r_0). Usually the target; differs while a replay searches for the target.
    pub start: f64,
    /// Initial interval (f_0), from what is known about the source.
    pub first: Duration,
    pub least: Duration,
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

/// The smoothed change rate is `r_n = a x_n + (1-a) r_(n-1)`, where x is 1 if a poll found a change, else 0.
/// The interval is `f_n = f_(n-1) (1 - k (r_n - r_t))`. The first poll is ignored, because all of its items
/// are new.
#[derive(Debug, Clone, PartialEq)]
pub struct ChangeRate {
    parameters: ChangeRateParameters,
    /// Rate and interval in seconds; `None` before the first poll.
    learned: Option<(f64, f64)>,
}

impl ChangeRate {
    /// Restores a saved state; an empty or damaged state gives the initial one.
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
    fn interval_follows_the_smoothed_rate() {
        let mut policy = ChangeRate::load(&[], ChangeRateParameters::default());
        policy.observe(&[None; 20], NOW);
        assert_eq!(interval(&policy), 3600.0, "the first poll is ignored");
        // r = 0.3 + 0.7 * 0.5 = 0.65; f = 3600 (1 - 0.2 * 0.15)
        policy.observe(&[None], NOW);
        assert!((interval(&policy) - 3492.0).abs() < 1e-3);
        // r = 0.7 * 0.65 = 0.455; f = 3492 (1 + 0.2 * 0.045)
        policy.observe(&[], NOW);
        assert!((interval(&policy) - 3523.428).abs() < 1e-3);
    }

    #[test]
    fn interval_stays_within_its_bounds() {
        for (items, want) in [(&[][..], 86_400.0), (&[None][..], 900.0)] {
            let mut policy = ChangeRate::load(&[], ChangeRateParameters::default());
            (0..200).for_each(|_| policy.observe(items, NOW));
            assert_eq!(interval(&policy), want);
        }
    }
}
