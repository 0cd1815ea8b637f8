//! Hours in which a site is not polled.

use crate::model::{PeakHours, Time};
use chrono::{Days, NaiveTime, TimeZone, Timelike};

/// Parses a span such as `08:00-18:30`; it may span midnight.
///
/// # Errors
/// What was expected.
pub fn parse_peak_hours(text: &str) -> Result<PeakHours, String> {
    let expected = || "expected two times such as \"08:00-18:00\"".to_owned();
    let (from, to) = text.split_once('-').ok_or_else(expected)?;
    let minute = |s: &str| NaiveTime::parse_from_str(s.trim(), "%H:%M").ok();
    let minute =
        |s: &str| minute(s).and_then(|t| u16::try_from(t.num_seconds_from_midnight() / 60).ok());
    match (minute(from), minute(to)) {
        (Some(from), Some(to)) if from != to => Ok(PeakHours { from, to }),
        (Some(_), Some(_)) => Err("begins and ends at the same time".to_owned()),
        _ => Err(expected()),
    }
}

/// When the hours end, if `at` is within them; `zone` is that of the user. If the clocks skip or
/// repeat the end, the later time counts.
pub fn peak_end<Z: TimeZone>(hours: PeakHours, at: Time, zone: &Z) -> Option<Time> {
    let local = at.with_timezone(zone);
    let now = u16::try_from(local.hour() * 60 + local.minute()).unwrap_or(0);
    let over_midnight = hours.to < hours.from;
    let inside = match over_midnight {
        false => (hours.from..hours.to).contains(&now),
        true => now >= hours.from || now < hours.to,
    };
    if !inside {
        return None;
    }
    let tomorrow = over_midnight && now >= hours.from;
    let day = local.date_naive().checked_add_days(Days::new(u64::from(tomorrow)))?;
    let clock = NaiveTime::from_num_seconds_from_midnight_opt(u32::from(hours.to) * 60, 0)?;
    let end = (0..=2).find_map(|hour| {
        let shifted = day.and_time(clock).checked_add_signed(chrono::TimeDelta::hours(hour))?;
        zone.from_local_datetime(&shifted).latest()
    })?;
    Some(end.to_utc())
}

#[cfg(test)]
mod tests {
    use super::*;
    use chrono::FixedOffset;

    #[test]
    fn spans_by_day_and_over_midnight() {
        let zone = FixedOffset::east_opt(2 * 3600).unwrap();
        let at = |s: &str| crate::util::date::parse(s).unwrap();
        let cases = [
            ("08:00-18:00", "2024-03-01T06:00:00Z", Some("2024-03-01T16:00:00Z")),
            ("08:00-18:00", "2024-03-01T16:00:00Z", None),
            ("08:00-18:00", "2024-03-01T05:59:00Z", None),
            ("22:00-06:30", "2024-03-01T21:00:00Z", Some("2024-03-02T04:30:00Z")),
            ("22:00-06:30", "2024-03-02T03:00:00Z", Some("2024-03-02T04:30:00Z")),
            ("22:00-06:30", "2024-03-01T12:00:00Z", None),
        ];
        for (hours, now, want) in cases {
            let hours = parse_peak_hours(hours).unwrap();
            assert_eq!(peak_end(hours, at(now), &zone), want.map(at), "{now}");
        }
        for wrong in ["8-18", "08:00", "25:00-26:00", "08:00-08:00"] {
            assert!(parse_peak_hours(wrong).is_err(), "{wrong}");
        }
    }
}
