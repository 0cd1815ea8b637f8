//! Times as seconds since the epoch, the unit in which the policies calculate.

use crate::model::Time;
use std::time::Duration;

pub(super) const MINUTE: f64 = 60.0;
pub(super) const HOUR: f64 = 3600.0;
pub(super) const DAY: f64 = 86_400.0;
pub(super) const WEEK: f64 = 604_800.0;

/// Seconds from the epoch, a Thursday, to the first Monday.
const MONDAY: f64 = 4.0 * DAY;

/// A time in seconds, exact to a microsecond.
pub(super) fn of(time: Time) -> f64 {
    time.timestamp_micros() as f64 / 1e6
}

/// The time `at` seconds after the epoch, exact to a microsecond.
pub(super) fn time(at: f64) -> Time {
    Time::from_timestamp_micros((at * 1e6).round() as i64).unwrap_or_default()
}

/// The time `seconds` after `time`; an hour after it if out of range.
pub(super) fn later(time: Time, seconds: f64) -> Time {
    let wait = Duration::try_from_secs_f64(seconds).unwrap_or(Duration::from_secs(3600));
    let micros = wait.as_nanos().saturating_add(500) / 1000;
    super::limits::after(time, Duration::from_micros(micros.try_into().unwrap_or(u64::MAX)))
}

/// The hour of the week at a time, UTC; 0 is the first hour of Monday.
pub(super) fn hour_of_week(at: f64) -> usize {
    // At least 0 and below 168. With integers, the remainder is faster than with floats.
    (((at - MONDAY) / HOUR).floor() as i64).rem_euclid(168) as usize
}

/// Delay after a multiple of five minutes on the clock, so that polls find the items published by a timer.
pub(super) const AFTER_THE_CLOCK: f64 = 20.0;

/// The twelfth of the hour that contains `at`. Each twelfth ends with an aligned poll, so that an item
/// published by a timer belongs to the twelfth of the poll that finds it.
pub(super) fn twelfth(at: f64) -> usize {
    // At least 0 and below 12.
    (((at - AFTER_THE_CLOCK) / (5.0 * MINUTE)).floor() as i64).rem_euclid(12) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_the_slot_in_week_and_hour() {
        for (at, hour, part) in [
            ("2025-10-20T00:00:20Z", 0, 0),
            ("2025-10-20T00:00:19Z", 0, 11),
            ("2025-10-24T12:31:00Z", 4 * 24 + 12, 6),
            ("2025-10-26T23:59:59Z", 167, 11),
            ("1969-12-31T23:59:59Z", 2 * 24 + 23, 11),
        ] {
            let at = of(at.parse().unwrap());
            assert_eq!((hour_of_week(at), twelfth(at)), (hour, part), "{at}");
        }
    }

    #[test]
    fn times_round_trip_through_seconds() {
        for (text, want) in [
            ("1970-01-01T00:00:01.5Z", 1.5),
            ("2025-10-20T00:00:00.000001Z", 1_760_918_400.000_001),
            ("1969-12-31T23:59:59Z", -1.0),
        ] {
            let at: Time = text.parse().unwrap();
            assert_eq!((of(at), time(want)), (want, at));
        }
    }

    #[test]
    fn stays_inside_the_calendar() {
        let now: Time = "2025-10-20T00:00:00Z".parse().unwrap();
        assert_eq!(later(now, 1.5) - now, chrono::TimeDelta::milliseconds(1500));
        for odd in [f64::NAN, -1.0] {
            assert_eq!(later(now, odd) - now, chrono::TimeDelta::hours(1));
        }
        assert!(later(now, 1e15) > now && later(now, f64::INFINITY) > now);
    }
}
