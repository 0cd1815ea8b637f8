//! Dates and ages as users type them.

use crate::util::clock::start_of_day;
use chrono::{DateTime, Datelike, Days, Local, NaiveDate, Weekday};
use std::fmt;

/// A day, month or year in the user's time zone, absolute or relative to today.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Date {
    /// `2026-11-21`
    Day(NaiveDate),
    /// `2026-11`
    Month(i32, u32),
    /// `2026`
    Year(i32),
    /// `today`
    Today,
    /// `yesterday`
    Yesterday,
    /// `7d`: seven days ago.
    DaysAgo(u32),
}

/// A duration, as in `age<3d`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Span {
    pub count: u32,
    pub unit: Unit,
}

/// A unit of time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Unit {
    /// `m`
    Minutes,
    /// `h`
    Hours,
    /// `d`
    Days,
    /// `w`
    Weeks,
    /// `y`: 365 days.
    Years,
}

/// Maximum number of days counted back, about 270 years.
const MAX_DAYS: u32 = 100_000;
/// Years that can be typed.
const YEARS: std::ops::RangeInclusive<i32> = 1000..=9999;
const DAY: i64 = 86_400;

impl Date {
    /// Parses a date.
    pub fn parse(text: &str) -> Option<Self> {
        let number = |s: &str| {
            let digits = (1..=4).contains(&s.len()) && s.bytes().all(|b| b.is_ascii_digit());
            digits.then(|| s.parse::<u32>().ok()).flatten()
        };
        let year =
            |s: &str| number(s).and_then(|y| i32::try_from(y).ok()).filter(|y| YEARS.contains(y));
        let parts: Vec<&str> = text.split('-').collect();
        match (text, parts.as_slice()) {
            ("today", _) => Some(Self::Today),
            ("yesterday", _) => Some(Self::Yesterday),
            (_, [days]) if days.ends_with('d') => {
                let days = days.strip_suffix('d')?;
                let whole = days.bytes().all(|b| b.is_ascii_digit());
                let days = days.parse().ok().filter(|n| whole && *n <= MAX_DAYS)?;
                Some(Self::DaysAgo(days))
            }
            (_, [y]) => year(y).map(Self::Year),
            (_, [y, m]) => {
                let (y, m) = (year(y)?, number(m)?);
                NaiveDate::from_ymd_opt(y, m, 1).map(|_| Self::Month(y, m))
            }
            (_, [y, m, d]) => {
                NaiveDate::from_ymd_opt(year(y)?, number(m)?, number(d)?).map(Self::Day)
            }
            _ => None,
        }
    }

    /// The first second after this date, in seconds since the epoch; `now` is the user's local time. `None`
    /// if out of range.
    pub fn end(self, now: DateTime<Local>) -> Option<i64> {
        let today = now.date_naive();
        match self {
            Self::Day(date) => Self::Day(date.succ_opt()?),
            Self::Month(year, 12) => Self::Month(year + 1, 1),
            Self::Month(year, month) => Self::Month(year, month + 1),
            Self::Year(year) => Self::Year(year + 1),
            Self::Today | Self::DaysAgo(0) => Self::Day(today.succ_opt()?),
            Self::Yesterday => Self::Today,
            Self::DaysAgo(days) => Self::DaysAgo(days - 1),
        }
        .start(now)
    }

    /// The first second of this date, in seconds since the epoch; `now` is the user's local time. `None` if
    /// out of range.
    pub fn start(self, now: DateTime<Local>) -> Option<i64> {
        let today = now.date_naive();
        let ago = |days: u32| today.checked_sub_days(Days::new(days.into()));
        let date = match self {
            Self::Day(date) => date,
            Self::Month(year, month) => NaiveDate::from_ymd_opt(year, month, 1)?,
            Self::Year(year) => NaiveDate::from_ymd_opt(year, 1, 1)?,
            Self::Today => today,
            Self::Yesterday => ago(1)?,
            Self::DaysAgo(days) => ago(days)?,
        };
        if !(1..=9999).contains(&date.year()) {
            return None;
        }
        start_of_day(date, &now.timezone()).map(|t| t.timestamp())
    }
}

impl fmt::Display for Date {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Day(date) => write!(f, "{}", date.format("%Y-%m-%d")),
            Self::Month(year, month) => write!(f, "{year}-{month:02}"),
            Self::Year(year) => write!(f, "{year}"),
            Self::Today => f.write_str("today"),
            Self::Yesterday => f.write_str("yesterday"),
            Self::DaysAgo(days) => write!(f, "{days}d"),
        }
    }
}

impl Unit {
    /// Every unit with its letter and its length in seconds.
    const ALL: [(Self, char, i64); 5] = [
        (Self::Minutes, 'm', 60),
        (Self::Hours, 'h', 3600),
        (Self::Days, 'd', DAY),
        (Self::Weeks, 'w', 7 * DAY),
        (Self::Years, 'y', 365 * DAY),
    ];

    fn row(self) -> (Self, char, i64) {
        Self::ALL.into_iter().find(|row| row.0 == self).unwrap_or(Self::ALL[2])
    }
}

impl Span {
    /// Parses a duration of at most `MAX_DAYS` days.
    pub fn parse(text: &str) -> Option<Self> {
        let (unit, letter, _) = Unit::ALL.into_iter().find(|row| text.ends_with(row.1))?;
        let digits = text.strip_suffix(letter)?;
        let whole = !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit());
        let span = Self { count: digits.parse().ok().filter(|_| whole)?, unit };
        (span.seconds() <= i64::from(MAX_DAYS) * DAY).then_some(span)
    }

    pub fn seconds(self) -> i64 {
        i64::from(self.count).saturating_mul(self.unit.row().2)
    }
}

impl fmt::Display for Span {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.count, self.unit.row().1)
    }
}
/// The moment after `now` that a duration (`12h`, `3 days`), `tomorrow`, a weekday or a date means, in
/// seconds since the epoch. Days begin at midnight.
pub fn moment(text: &str, now: DateTime<Local>) -> Option<i64> {
    let text = text.trim().to_lowercase();
    let at = match (span(&text), day(&text, now)) {
        (Some(span), _) => now.timestamp().checked_add(span.seconds())?,
        (None, Some(day)) => start_of_day(day, &Local)?.timestamp(),
        (None, None) => Date::parse(&text)?.start(now)?,
    };
    (at > now.timestamp()).then_some(at)
}

/// Parses a duration, or a number and the name of a unit.
fn span(text: &str) -> Option<Span> {
    let Some((count, word)) = text.split_once(char::is_whitespace) else {
        return Span::parse(text);
    };
    let unit = match word.trim() {
        "minute" | "minutes" | "min" => "m",
        "hour" | "hours" => "h",
        "day" | "days" => "d",
        "week" | "weeks" => "w",
        "year" | "years" => "y",
        _ => return None,
    };
    Span::parse(&format!("{count}{unit}"))
}

/// `tomorrow`, or the next day with the name of a weekday.
fn day(text: &str, now: DateTime<Local>) -> Option<NaiveDate> {
    let today = now.date_naive();
    let ahead = match text {
        "tomorrow" => 1,
        _ => {
            let wanted = text.parse::<Weekday>().ok()?.num_days_from_monday();
            (wanted + 6 - today.weekday().num_days_from_monday()) % 7 + 1
        }
    };
    today.checked_add_days(Days::new(ahead.into()))
}
