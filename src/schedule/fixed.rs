//! The policy that looks at a fixed interval.

use super::Policy;
use crate::model::Time;
use std::time::Duration;

/// Largest delay added so that sources do not stay in step.
const MOST_JITTER: Duration = Duration::from_secs(60);

/// A fixed interval, and up to 5 % or a minute more, different for each look.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Fixed {
    interval: Duration,
    seed: u64,
}

impl Fixed {
    /// Looks every `interval`. `seed` tells sources apart; the same seed gives the same plans.
    pub fn new(interval: Duration, seed: u64) -> Self {
        Self { interval, seed }
    }
}

impl Policy for Fixed {
    fn observe(&mut self, _items: &[Option<Time>], _now: Time) {}

    fn plan(&mut self, now: Time) -> Time {
        let most = (self.interval / 20).min(MOST_JITTER).as_millis();
        let mut random = fastrand::Rng::with_seed(self.seed ^ now.timestamp().unsigned_abs());
        let jitter = random.u64(0..=most.try_into().unwrap_or(u64::MAX));
        super::limits::after(now, self.interval.saturating_add(Duration::from_millis(jitter)))
    }

    /// Nothing is learned.
    fn save(&self) -> Vec<u8> {
        Vec::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plans_after_the_interval_with_little_jitter() {
        let now = Time::from_timestamp(1_700_000_000, 0).unwrap();
        let hour = Duration::from_secs(3600);
        let gaps: Vec<_> = (0..200).map(|seed| Fixed::new(hour, seed).plan(now) - now).collect();
        assert!(gaps.iter().all(|g| (3600..=3660).contains(&g.num_seconds())), "{gaps:?}");
        let (least, most) = (gaps.iter().min().unwrap(), gaps.iter().max().unwrap());
        assert!((*most - *least).num_seconds() > 30, "spread out");
        assert_eq!(Fixed::new(hour, 7).plan(now), Fixed::new(hour, 7).plan(now), "repeatable");
        let short = Fixed::new(Duration::from_secs(60), 1).plan(now) - now;
        assert!((60..=63).contains(&short.num_seconds()));
        assert!(Fixed::new(Duration::MAX, 1).plan(now) > now, "saturates");
    }
}
