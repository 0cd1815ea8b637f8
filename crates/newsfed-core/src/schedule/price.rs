//! The price of a poll, which keeps the total number of polls within a budget.

use super::bytes::{Reader, Writer};
use super::seconds;
use crate::model::Time;

/// Price of a poll at 12 polls per source per day, in item-seconds of delay.
const PRICE_OF_12: f64 = 830.0;
/// Maximum factor between the price and its initial value. If server limits keep the number of polls below
/// the budget, no price can use it up.
const FURTHEST: f64 = 100.0;
/// Number of days with fast corrections.
const EARLY_DAYS: u32 = 14;

/// The price of a poll, in item-seconds, that gives about `budget` polls per source per day.
pub fn price_for(budget: f64) -> f64 {
    PRICE_OF_12 * (12.0 / budget.max(1e-3)).powi(2)
}

/// The price that all sources share, corrected once a day.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Control {
    /// Item-seconds of delay that a poll must be worth.
    pub price: f64,
    /// Number of corrections so far.
    pub days: u32,
}

impl Control {
    /// Starts at the price that a budget (polls per source per day) usually needs.
    pub fn new(budget: f64) -> Self {
        Self { price: price_for(budget), days: 0 }
    }

    /// Corrects the price after a day with `used` polls and a budget of `budget` (both in the same
    /// unit): `P *= clamp(used / budget, 0.3, 3)^g`, with g = 0.5 for two weeks and 0.25 from then on.
    pub fn correct(&mut self, used: f64, budget: f64) {
        if budget > 0.0 && used.is_finite() {
            let gain = if self.days < EARLY_DAYS { 0.5 } else { 0.25 };
            self.price *= (used / budget).clamp(0.3, 3.0).powf(gain);
        }
        self.days = self.days.saturating_add(1);
    }

    /// Keeps the price near the one that the budget usually needs.
    pub fn bound(&mut self, budget: f64) {
        let usual = price_for(budget);
        self.price = if self.price.is_finite() { self.price } else { usual };
        self.price = self.price.clamp(usual / FURTHEST, usual * FURTHEST);
    }
}

/// The price of a single source, and its polls since the last correction.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct OwnBudget {
    control: Control,
    /// Start of the current day, in seconds since the epoch.
    since: Option<f64>,
    used: u32,
}

impl OwnBudget {
    pub(super) fn load(saved: &[u8], budget: f64) -> Self {
        let mut from = Reader(saved);
        let read = || {
            let (price, days) = (from.number()?, from.count()?);
            let control = Control { price, days };
            Some(Self { control, since: Some(from.number()?), used: from.count()? })
        };
        let fresh = Self { control: Control::new(budget), since: None, used: 0 };
        let mut own = { read }().unwrap_or(fresh);
        own.control.bound(budget);
        own
    }

    pub(super) fn save(&self) -> Vec<u8> {
        let mut to = Writer::default();
        if let Some(since) = self.since {
            to.number(self.control.price);
            to.count(self.control.days);
            to.number(since);
            to.count(self.used);
        }
        to.0
    }

    pub(super) fn price(&self) -> f64 {
        self.control.price
    }

    /// Counts a poll. After a day has passed, corrects the price.
    pub(super) fn count(&mut self, now: Time, budget: f64) {
        let now = seconds::of(now);
        let since = *self.since.get_or_insert(now);
        let passed = (now - since) / seconds::DAY;
        if !(0.0..1.0).contains(&passed) {
            // A clock that was set back starts a new day without a correction.
            if passed > 0.0 {
                self.control.correct(f64::from(self.used) / passed, budget);
                self.control.bound(budget);
            }
            (self.since, self.used) = (Some(now), 0);
        }
        self.used = self.used.saturating_add(1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn corrects_the_price_of_a_separate_budget_daily() {
        let at = |hours: i64| Time::from_timestamp(1_700_000_000 + hours * 3600, 0).unwrap();
        let mut own = OwnBudget::load(&[], 12.0);
        let start = own.price();
        for hour in [0, 1, 23] {
            own.count(at(hour), 12.0);
            assert_eq!((own.price(), own.used), (start, u32::try_from(hour).unwrap().min(2) + 1));
        }
        // Three polls in two days, where 24 are allowed: the correction is limited to a factor of 0.3.
        own.count(at(48), 12.0);
        assert!((own.price() / start - 0.3f64.sqrt()).abs() < 1e-9, "{}", own.price());
        assert_eq!((own.used, own.control.days), (1, 1));
        // A clock that was set back starts a new day.
        let before = own.price();
        own.count(at(47), 12.0);
        assert_eq!((own.price(), own.used, own.control.days), (before, 1, 1));
        own.count(at(47 + 23), 12.0);
        assert_eq!((own.price(), own.used), (before, 2));
        assert_eq!(OwnBudget::load(&own.save(), 12.0), own);
    }

    #[test]
    fn invalid_usage_or_budget_changes_no_price() {
        for (used, budget) in [(5.0, 0.0), (f64::NAN, 12.0), (f64::INFINITY, 12.0), (5.0, -1.0)] {
            let mut control = Control::new(12.0);
            control.correct(used, budget);
            assert_eq!(control, Control { price: 830.0, days: 1 }, "{used} {budget}");
        }
    }

    #[test]
    fn price_follows_usage() {
        assert!((price_for(24.0) - 207.5).abs() < 1e-9);
        let mut control = Control::new(12.0);
        control.correct(48.0, 12.0);
        assert!((control.price / 830.0 - 3f64.sqrt()).abs() < 1e-9, "limited to a factor of three");
        for _ in 1..EARLY_DAYS {
            control.correct(12.0, 12.0);
        }
        let before = control.price;
        control.correct(24.0, 12.0);
        assert!(
            (control.price / before - 2f64.powf(0.25)).abs() < 1e-9,
            "slower in the third week"
        );
        for _ in 0..1000 {
            control.correct(0.0, 12.0);
            control.bound(12.0);
        }
        assert!((control.price - 8.3).abs() < 1e-9, "has a lower limit");
    }
}
