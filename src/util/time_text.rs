//! Times and durations as users read them, in the local time zone.

use crate::model::{DatePrecision, Pause, PauseReason, Time};
use chrono::{Datelike, Local, TimeDelta};

/// A date for lists, always ten columns wide.
pub fn day(time: Time) -> String {
    time.with_timezone(&Local).format("%Y-%m-%d").to_string()
}

/// A publication date: the day in the publisher's calendar, or a time to the minute.
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

/// A time to the minute.
pub fn minute(time: Time) -> String {
    time.with_timezone(&Local).format("%Y-%m-%d %H:%M").to_string()
}

/// A time near now: only the time of day if it is today.
pub fn clock(time: Time, now: Time) -> String {
    let (time, now) = (time.with_timezone(&Local), now.with_timezone(&Local));
    let form = if time.date_naive() == now.date_naive() { "%H:%M" } else { "%Y-%m-%d %H:%M" };
    time.format(form).to_string()
}

/// A duration in its largest unit: `12m`, `3h`, `5d`.
pub fn span(span: TimeDelta) -> String {
    match span.num_minutes() {
        ..1 => "now".to_owned(),
        m @ 1..60 => format!("{m}m"),
        m @ 60..2880 => format!("{}h", m / 60),
        m => format!("{}d", m / 1440),
    }
}

/// Until when a source is paused, and why.
pub fn pause(pause: &Pause, now: Time) -> String {
    if pause.reason == PauseReason::Gone || pause.until.year() >= 9999 {
        return "paused for good (410 Gone)".to_owned();
    }
    format!("paused until {} ({})", clock(pause.until, now), pause.reason.describe())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_day_without_a_time_is_the_publishers_day() {
        // Whatever the local time zone is.
        let at = |text: &str| text.parse::<Time>().unwrap();
        assert_eq!(published(at("2026-11-20T00:00:00Z")), "2026-11-20");
        assert_eq!(published_day(at("2026-11-20T00:00:00Z")), "2026-11-20");
        let time = at("2026-11-20T12:00:30Z");
        assert_eq!(published(time), minute(time));
        assert_eq!(published_day(time), day(time));
    }
}
