//! The policy that polls at a fixed interval.

use super::Policy;
use crate::model::Time;
use std::time::Duration;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Fixed {
    interval: Duration,
}

impl Fixed {
    /// Polls every `interval`.
    pub fn new(interval: Duration) -> Self {
        Self { interval }
    }
}

impl Policy for Fixed {
    fn observe(&mut self, _items: &[Option<Time>], _now: Time) {}

    fn plan(&self, now: Time) -> Time {
        super::limits::after(now, self.interval)
    }

    /// There is nothing to save.
    fn save(&self) -> Vec<u8> {
        Vec::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plans_polls_one_interval_apart() {
        let now = Time::from_timestamp(1_700_000_000, 0).unwrap();
        let plan = |interval| Fixed::new(interval).plan(now) - now;
        assert_eq!(plan(Duration::from_secs(3600)).num_seconds(), 3600);
        assert!(plan(Duration::MAX).num_seconds() > 0, "saturates");
        assert!(Fixed::new(Duration::MAX).save().is_empty(), "nothing to learn");
    }
}
