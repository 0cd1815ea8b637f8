//! Times and durations as users read them, in the local time zone.

use crate::model::{DatePrecision, Pause, PauseReason, Time};
use chrono::{Datelike, Local, NaiveDate, TimeZone};

/// A date for lists, always ten columns wide.
pub fn day(time: Time) -> String {
    time.with_timezone(&Local).format("%Y-%m-%d").to_string()
}

/// A publication date: the day in the publisher's calendar, or a time with minutes.
pub fn published(time: Time) -> String {
    match DatePrecision::of(time) {
        DatePrecision::Day => time.format("%Y-%m-%d").to_string(),
        DatePrecision::Time => minute(time),
    }
}

/// The day of a publication date for lists, always ten columns wide.
pub fn published_day(time: Time) -> String {
    match DatePrecision::of(time) {
        DatePrecision::Day => published(time),
        DatePrecision::Time => day(time),
    }
}

/// The name of a day, relative to now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DayName {
    Today,
    Yesterday,
    /// `20 Nov`, `20 Nov 2024`.
    Date(String),
}

/// The name of the publication day, and the time of day (`14:05`) if the publisher gave one.
pub fn day_name<Z: TimeZone>(time: Time, now: Time, zone: &Z) -> (DayName, Option<String>)
where
    Z::Offset: std::fmt::Display,
{
    let today = now.with_timezone(zone).date_naive();
    let day = publication_day(time, zone);
    let clock = match DatePrecision::of(time) {
        DatePrecision::Day => None,
        DatePrecision::Time => Some(time.with_timezone(zone).format("%H:%M").to_string()),
    };
    let name = match days_ago(time, now, zone) {
        0 => DayName::Today,
        1 => DayName::Yesterday,
        _ if day.year() == today.year() => DayName::Date(day.format("%-d %b").to_string()),
        _ => DayName::Date(day.format("%-d %b %Y").to_string()),
    };
    (name, clock)
}

/// Number of calendar days between a publication date and now.
pub fn days_ago<Z: TimeZone>(time: Time, now: Time, zone: &Z) -> i64 {
    (now.with_timezone(zone).date_naive() - publication_day(time, zone)).num_days()
}

fn publication_day<Z: TimeZone>(time: Time, zone: &Z) -> NaiveDate {
    match DatePrecision::of(time) {
        // The day in the publisher's calendar.
        DatePrecision::Day => time.date_naive(),
        DatePrecision::Time => time.with_timezone(zone).date_naive(),
    }
}

/// A time with minutes.
pub fn minute(time: Time) -> String {
    time.with_timezone(&Local).format("%Y-%m-%d %H:%M").to_string()
}

/// A day, as in `12 Nov`; with the year if it is not the current year.
pub fn near_day(time: Time, now: Time) -> String {
    let (time, now) = (time.with_timezone(&Local), now.with_timezone(&Local));
    let form = if time.year() == now.year() { "%-d %b" } else { "%-d %b %Y" };
    time.format(form).to_string()
}

/// The day of a publication in the publisher's calendar, as in `12 Nov`; with the year if it is not the
/// current year.
pub fn near_published_day(time: Time, now: Time) -> String {
    match DatePrecision::of(time) {
        DatePrecision::Day if time.year() == now.year() => time.format("%-d %b").to_string(),
        DatePrecision::Day => time.format("%-d %b %Y").to_string(),
        DatePrecision::Time => near_day(time, now),
    }
}

/// A day and a time, as in `12 Nov 14:05`; only the day in other years.
pub fn near_minute(time: Time, now: Time) -> String {
    let (local, today) = (time.with_timezone(&Local), now.with_timezone(&Local));
    if local.year() != today.year() {
        return near_day(time, now);
    }
    local.format("%-d %b %H:%M").to_string()
}

/// A time near now: only the time of day if the time is today.
pub fn clock(time: Time, now: Time) -> String {
    let (time, now) = (time.with_timezone(&Local), now.with_timezone(&Local));
    let form = if time.date_naive() == now.date_naive() { "%H:%M" } else { "%Y-%m-%d %H:%M" };
    time.format(form).to_string()
}

/// A duration in seconds, written for sentences: `12 min`, `3 h`, `6 days`, `3 years`; at least a minute.
pub fn span(seconds: i64) -> String {
    match seconds.max(60) {
        s @ ..3600 => format!("{} min", s / 60),
        s @ 3600..172_800 => format!("{} h", s / 3600),
        s if s < 2 * YEAR => format!("{} days", s / 86400),
        s => format!("{} years", s / YEAR),
    }
}

/// Seconds in a year of 365 days.
const YEAR: i64 = 365 * 86400;

/// The duration of a recording in seconds: `40 s`, `52 min`, `1 h 2 min`.
pub fn length(seconds: u64) -> String {
    match (seconds / 3600, seconds % 3600 / 60) {
        (0, 0) => format!("{seconds} s"),
        (0, minutes) => format!("{minutes} min"),
        (hours, 0) => format!("{hours} h"),
        (hours, minutes) => format!("{hours} h {minutes} min"),
    }
}

/// A position in a recording: `3:07`, `1:02:03`.
pub fn clock_time(seconds: f64) -> String {
    let seconds = seconds.max(0.0) as u64;
    match (seconds / 3600, seconds % 3600 / 60, seconds % 60) {
        (0, minutes, seconds) => format!("{minutes}:{seconds:02}"),
        (hours, minutes, seconds) => format!("{hours}:{minutes:02}:{seconds:02}"),
    }
}

/// A duration in seconds, written for columns: `59m`, `3h`, `6d`, `8w`, `5mo`, `2y`; `now` below a minute.
pub fn age(seconds: i64) -> String {
    let s = seconds.max(0);
    let (n, unit) = match s {
        0..60 => return "now".to_owned(),
        60..3600 => (s / 60, "m"),
        3600..86400 => (s / 3600, "h"),
        86400..1_209_600 => (s / 86400, "d"),
        1_209_600..5_259_600 => (s / 604_800, "w"),
        5_259_600..31_536_000 => (s / 2_629_800, "mo"),
        _ => (s / 31_536_000, "y"),
    };
    format!("{n}{unit}")
}

/// The end and reason of a source's pause.
pub fn pause(pause: &Pause, now: Time) -> String {
    if pause.reason == PauseReason::Gone || pause.until.year() >= 9999 {
        return "no longer checked (410 Gone)".to_owned();
    }
    format!("paused until {} ({})", clock(pause.until, now), pause.reason.describe())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_ages() {
        for (seconds, expected) in [
            (-5, "now"),
            (59, "now"),
            (60, "1m"),
            (7199, "1h"),
            (90000, "1d"),
            (1_209_600, "2w"),
            (5_259_599, "8w"),
            (5_259_600, "2mo"),
            (31_535_999, "11mo"),
            (40_000_000, "1y"),
        ] {
            assert_eq!(age(seconds), expected);
        }
    }

    #[test]
    fn dates_without_a_time_use_the_publishers_day() {
        // Regardless of the local time zone.
        let at = |text: &str| text.parse::<Time>().unwrap();
        assert_eq!(published(at("2026-11-20T00:00:00Z")), "2026-11-20");
        assert_eq!(published_day(at("2026-11-20T00:00:00Z")), "2026-11-20");
        let time = at("2026-11-20T12:00:30Z");
        assert_eq!(published(time), minute(time));
        assert_eq!(published_day(time), day(time));
    }
}
