//! The hours and days in which a feed asks not to be polled.

use super::limits::DAY;
use crate::model::{FeedHints, QuietHours, Time};
use chrono::{Datelike, Timelike};

/// The end of the skip window (`skipHours`, `skipDays`, both UTC) that contains `at`, at most a day
/// later. `None` outside a window.
pub fn skipped_until(hints: &FeedHints, at: Time) -> Option<Time> {
    if !is_skipped(hints, at) {
        return None;
    }
    let hour = chrono::Duration::hours(1);
    let latest = at + DAY;
    let start = at.timestamp().div_euclid(3600) * 3600;
    let mut next = Time::from_timestamp(start, 0).unwrap_or(at) + hour;
    while next < latest && is_skipped(hints, next) {
        next += hour;
    }
    Some(next.min(latest))
}

/// The end of the user's quiet hours that contain `at`. `None` outside them. The user's time zone
/// is `east` seconds east of UTC.
pub fn quiet_until(hours: QuietHours, east: i32, at: Time) -> Option<Time> {
    let local = (at.timestamp() + i64::from(east)).rem_euclid(24 * 3600);
    let left = hours.left(u32::try_from(local / 60).unwrap_or(0))?;
    Some(at + chrono::TimeDelta::seconds(i64::from(left) * 60 - local % 60))
}

fn is_skipped(hints: &FeedHints, at: Time) -> bool {
    // Both fit into a `u8`: 0-23 and 0-6.
    hints.skip_hours.contains(&(at.hour() as u8))
        || hints.skip_days.contains(&(at.weekday().num_days_from_monday() as u8))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn time(text: &str) -> Time {
        text.parse().unwrap()
    }

    #[test]
    fn quiet_hours_end_in_the_users_time_zone() {
        let night = QuietHours::parse("23:00-07:00").unwrap();
        for (at, east, want) in [
            ("2025-10-24T23:30:10Z", 0, Some("2025-10-25T07:00:00Z")),
            ("2025-10-24T23:30:10Z", 7200, Some("2025-10-25T05:00:00Z")),
            ("2025-10-24T05:00:00Z", 7200, None),
            ("2025-10-24T04:59:59Z", 7200, Some("2025-10-24T05:00:00Z")),
            ("2025-10-24T03:00:00Z", -5 * 3600, None),
            ("2025-10-24T04:00:00Z", -5 * 3600, Some("2025-10-24T12:00:00Z")),
        ] {
            assert_eq!(quiet_until(night, east, time(at)), want.map(time), "{at} {east}");
        }
    }

    #[test]
    fn windows_end_at_the_right_time() {
        // 2025-10-24 is a Friday.
        type Case = (&'static [u8], &'static [u8], &'static str, Option<&'static str>);
        let cases: &[Case] = &[
            (&[], &[], "2025-10-24T12:30:00Z", None),
            (&[13], &[], "2025-10-24T12:59:59Z", None),
            (&[12], &[], "2025-10-24T12:30:00Z", Some("2025-10-24T13:00:00Z")),
            (&[12, 13], &[], "2025-10-24T12:30:00Z", Some("2025-10-24T14:00:00Z")),
            (&[23, 0, 1], &[], "2025-10-24T23:00:00Z", Some("2025-10-25T02:00:00Z")),
            (&[], &[4], "2025-10-24T12:30:00Z", Some("2025-10-25T00:00:00Z")),
            (&[0], &[4], "2025-10-24T12:30:00Z", Some("2025-10-25T01:00:00Z")),
            (&[], &[4, 5, 6], "2025-10-24T12:30:00Z", Some("2025-10-25T12:30:00Z")),
            (&[], &[0, 1, 2, 3, 4, 5, 6], "2025-10-24T12:30:00Z", Some("2025-10-25T12:30:00Z")),
        ];
        for (hours, days, at, want) in cases {
            let hints = FeedHints {
                skip_hours: hours.iter().copied().collect(),
                skip_days: days.iter().copied().collect(),
                ..FeedHints::default()
            };
            assert_eq!(skipped_until(&hints, time(at)), want.map(time), "{hours:?} {days:?} {at}");
        }
    }
}
