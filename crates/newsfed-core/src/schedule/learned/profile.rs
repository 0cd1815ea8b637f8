//! The weekly profile of a source: its relative publishing rate by hour, by day, and by part of
//! the hour.

use super::state::State;
use crate::model::FeedHints;
use crate::schedule::seconds::{self, HOUR};

/// Weight of the flat prior for hours, in items.
const FLAT_HOURS: f64 = 10.0;
/// Weight of the flat prior for days, in items.
const FLAT_DAYS: f64 = 60.0;
/// Weight of the flat prior for the parts of an hour, in items.
const FLAT_PARTS: f64 = 30.0;
/// Lower limit of the relative rate of an hour.
const FLOOR: f64 = 0.02;

/// Number of parts of an hour that have their own rates.
pub(super) const FINE: usize = 12;

/// Hours of the week, one bit each: day 0 is Monday, hours are UTC.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Week([u32; 7]);

impl Week {
    /// The hours in which a feed asks not to be polled.
    pub fn closed(hints: &FeedHints) -> Self {
        let hours = hints.skip_hours.iter().filter(|h| **h < 24).fold(0, |all, h| all | 1 << h);
        let day = |day: usize| hints.skip_days.iter().any(|d| usize::from(*d) == day);
        Self(std::array::from_fn(|d| if day(d) { 0xff_ffff } else { hours }))
    }

    fn pauses(self, hour_of_week: usize) -> bool {
        self.0[hour_of_week / 24 % 7] >> (hour_of_week % 24) & 1 == 1
    }
}

/// Relative rates; the mean of each kind is 1.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Profile {
    hours: [f64; 24],
    days: [f64; 7],
    parts: [f64; FINE],
    closed: Week,
}

impl Profile {
    /// Counts shrunk towards the flat profile: `fh = (c + k/24) / (n + k) * 24` for hours, smoothed by their
    /// neighbours, and likewise, without smoothing, for days and the parts of an hour.
    pub(super) fn new(state: &State, closed: Week) -> Self {
        let count = |counts: &[u32], at: usize| f64::from(counts[at % counts.len()]);
        let total = |counts: &[u32]| counts.iter().map(|c| f64::from(*c)).sum::<f64>();
        let (n, parts) = (total(&state.hours), total(&state.parts));
        Self {
            hours: std::array::from_fn(|h| {
                let near = count(&state.hours, h + 1) + count(&state.hours, h + 23);
                let smooth = 0.5 * count(&state.hours, h) + 0.25 * near;
                (smooth + FLAT_HOURS / 24.0) / (n + FLAT_HOURS) * 24.0
            }),
            days: std::array::from_fn(|d| {
                (count(&state.days, d) + FLAT_DAYS / 7.0) / (n + FLAT_DAYS) * 7.0
            }),
            parts: std::array::from_fn(|m| {
                let flat = FLAT_PARTS / FINE as f64;
                (count(&state.parts, m) + flat) / (parts + FLAT_PARTS) * FINE as f64
            }),
            closed,
        }
    }

    /// The relative rate in an hour of the week. Means of 1 over hours and over days give a mean of
    /// 1 over the week.
    pub(super) fn at_hour(&self, hour: usize) -> f64 {
        if self.closed.pauses(hour) {
            return FLOOR;
        }
        (self.hours[hour % 24] * self.days[hour / 24 % 7]).max(FLOOR)
    }

    /// The relative rate at a time, constant within the hour.
    pub(super) fn step(&self, at: f64) -> f64 {
        self.at_hour(seconds::hour_of_week(at))
    }

    /// The relative rate at a time, interpolated between the midpoints of adjacent hours.
    pub(super) fn smooth(&self, at: f64) -> f64 {
        let before = at - HOUR / 2.0;
        let hours = before / HOUR;
        let share = hours - hours.floor();
        let hour = seconds::hour_of_week(before);
        self.at_hour(hour) * (1.0 - share) + self.at_hour((hour + 1) % 168) * share
    }

    /// The relative rate in the part of the hour that contains `at`.
    pub(super) fn part(&self, at: f64) -> f64 {
        self.parts[seconds::twelfth(at)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn interpolates_rates_between_hours() {
        let mut state = State::default();
        state.hours[9] = 100;
        let profile = Profile::new(&state, Week::default());
        let [before, at] = [8, 9].map(|hour| profile.at_hour(hour));
        assert!(at > before);
        // Time 0 is a Thursday.
        let thursday = 3 * 24;
        assert_eq!(profile.at_hour(thursday + 9), at);
        for (minutes, want) in
            [(8 * 60 + 30, before), (9 * 60, (before + at) / 2.0), (9 * 60 + 30, at)]
        {
            let found = profile.smooth(f64::from(minutes) * 60.0);
            assert!((found - want).abs() < 1e-9, "{minutes}: {found} {want}");
        }
    }

    #[test]
    fn expects_items_at_their_usual_times() {
        let mut state = State::default();
        let flat = Profile::new(&state, Week::default());
        assert!((0..168).all(|h| (flat.at_hour(h) - 1.0).abs() < 1e-12));
        (state.hours[12], state.days[0], state.parts[3]) = (100, 100, 100);
        let profile = Profile::new(&state, Week::default());
        assert!(profile.at_hour(12) > 5.0 && profile.at_hour(0) < 0.5);
        assert!(profile.at_hour(11) > profile.at_hour(9), "the neighbouring hour has a share");
        assert!(profile.at_hour(24 + 12) < profile.at_hour(12));
        let mean = (0..168).map(|h| profile.at_hour(h)).sum::<f64>() / 168.0;
        assert!((0.99..1.05).contains(&mean), "{mean}");
        let sixteen_past = 16.0 * 60.0;
        assert!(profile.part(sixteen_past) > 5.0 && profile.part(0.0) < 0.5);
    }

    #[test]
    fn skips_closed_hours_and_days() {
        let hints =
            FeedHints { skip_hours: [3].into(), skip_days: [6].into(), ..FeedHints::default() };
        let profile = Profile::new(&State::default(), Week::closed(&hints));
        for (hour, want) in [(3, FLOOR), (4, 1.0), (24 + 3, FLOOR), (6 * 24 + 10, FLOOR)] {
            assert!((profile.at_hour(hour) - want).abs() < 1e-12, "{hour}");
        }
    }
}
