//! Dates in feeds and pages: RFC 822, RFC 3339, and common deviations from both.

mod calendar;
mod clock;
mod names;
mod numeric;
mod offsets;
mod range;
mod relative;
mod scan;
mod token;
mod words;

pub use crate::model::Offsets;
pub use names::{day_name, is_weekday, language_of};
pub use offsets::is_offset;
pub use scan::{DateContext, FoundDate, Order, Scan, scan};
pub use token::{is_mark, prepared};

/// The weekday, from 1 for Monday, whose name is at the end of a lower-case text.
pub fn weekday_at_end(text: &str) -> Option<u32> {
    let text = text.trim_end_matches(|c: char| !c.is_alphanumeric());
    let word = text.rsplit(|c: char| !c.is_alphanumeric()).next()?;
    names::Names::get().weekday(word, None)
}

use self::clock::Half;
use self::words::{Written, month};
use crate::model::Time;
use chrono::{Datelike, Duration, NaiveDate, NaiveDateTime, TimeZone, Utc};

/// What a date states about its time zone.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Zone {
    /// The date has no time of day.
    #[default]
    Day,
    /// The time of day has no zone and is read as UTC.
    Missing,
    /// An instant, or a name such as `Z` or `CET`, which many sites write all year.
    Named,
    /// Seconds east of UTC, written as a number.
    Offset(i32),
}

impl Zone {
    /// The zone of a time that is written without one. Midnight means that only the day is known.
    pub(crate) fn without(time: chrono::NaiveTime) -> Self {
        if time == chrono::NaiveTime::MIN { Self::Day } else { Self::Missing }
    }

    /// What a written zone states, if it was read as `seconds`.
    pub(crate) fn written(text: &str, seconds: i32) -> Self {
        match text.trim_start().starts_with(['+', '-', '−']) {
            true => Self::Offset(seconds),
            false => Self::Named,
        }
    }
}

/// Maximum length of a text that is parsed as a date, in characters.
const MAX_DATE: usize = 100;

/// Parses a date in any form known from feeds. Without a zone it is read as UTC, without a time as midnight.
/// Returns `None` for impossible dates and for years outside 1 to 9999 (in UTC).
pub fn parse(text: &str) -> Option<Time> {
    let (time, zone) = parse_with_zone(text)?;
    // Without a written zone, only the language of the date suggests one.
    let guess = if zone == Zone::Missing { east_asian_offset(text) } else { None };
    Some(time - Duration::seconds(guess.unwrap_or(0)))
}

/// Like [`parse`], and also returns what the text states about the zone.
pub fn parse_with_zone(text: &str) -> Option<(Time, Zone)> {
    let text = text.trim();
    if text.is_empty() || text.chars().nth(MAX_DATE).is_some() {
        return None;
    }
    // Java writes the name of the zone in brackets after the offset: `Z[UTC]`.
    let text = match text.strip_suffix(']').and_then(|t| t.rsplit_once('[')) {
        Some((date, _)) => date.trim_end(),
        None => text,
    };
    let text = &*token::with_ascii_digits(text);
    let instant = |time| (time, Zone::Named);
    let found = unix(text).map(instant).or_else(|| iso(text));
    let found = found.or_else(|| of_characters(text)).or_else(|| written(text));
    found.filter(|(time, _)| (1..=9999).contains(&time.year()))
}

/// Seconds or milliseconds since 1970. Shorter numbers are more likely to be written dates, and 12 digits
/// that can be read as a day and a time after 1990 are read as such.
fn unix(text: &str) -> Option<Time> {
    let whole = text.split('.').next()?;
    if !whole.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    let number: i64 = whole.parse().ok()?;
    match whole.len() {
        9 | 10 => Utc.timestamp_opt(number, 0).single(),
        12 | 13 if !starts_with_day_and_time(text) => Utc.timestamp_opt(number / 1000, 0).single(),
        _ => None,
    }
}

/// Whether a text begins with `YYYYMMDDHHMM` or `YYYYMMDDHHMMSS`.
fn starts_with_day_and_time(text: &str) -> bool {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    matches!(digits, 12 | 14)
        && compact_date(&text[..8]).is_some_and(|day| scan::YEARS.contains(&day.year()))
        && parse_clock(&text[8..digits]).is_some()
}

/// ISO 8601, RFC 3339 and W3C dates, even incomplete ones: `2024-03-11T04:15:30.5+01:00`,
/// `2024-03`, `20240311`, `2024-03-11 04:15`.
fn iso(text: &str) -> Option<(Time, Zone)> {
    let date_len = text.bytes().take_while(|b| b.is_ascii_digit() || b"-/".contains(b)).count();
    let date_len = if starts_with_day_and_time(text) { 8 } else { date_len };
    // A minus after the digits may start a zone, but never without a time in between.
    let (date, rest) = text.split_at(date_len);
    let date = iso_date(date)?;
    let rest = rest.trim_start_matches(|c: char| c.is_whitespace() || "Tt,".contains(c));
    if rest.is_empty() {
        return Some((at(date, Clock::MIDNIGHT, 0)?, Zone::Day));
    }
    let clock_len = rest.bytes().take_while(|b| b.is_ascii_digit() || b":.,".contains(b)).count();
    let (clock, zone) = rest.split_at(clock_len);
    let (mut clock, zone) = (parse_clock(clock)?, zone.trim());
    let (half, zone) = split_half_day(zone);
    clock = clock.with_half_day(half);
    if zone.is_empty() {
        return Some((at(date, clock, 0)?, clock.without_zone()));
    }
    in_zone(date, clock, words::zone(zone)?, zone)
}

fn iso_date(text: &str) -> Option<NaiveDate> {
    let parts: Vec<&str> = text.split(['-', '/']).collect();
    let number = |s: &str| s.parse::<u32>().ok();
    match parts.as_slice() {
        [y, m, d] if y.len() == 4 && d.len() <= 2 => ymd(y.parse().ok()?, number(m)?, number(d)?),
        [y, m, d] if y.len() == 2 && text.contains('-') => {
            ymd(century(y.parse().ok()?), number(m)?, number(d)?)
        }
        [y, m] if y.len() == 4 && m.len() == 2 => ymd(y.parse().ok()?, number(m)?, 1),
        [y, day] if y.len() == 4 && day.len() == 3 => {
            NaiveDate::from_yo_opt(y.parse().ok()?, number(day)?)
        }
        [all] => compact_date(all),
        _ => None,
    }
}

/// `20240311`, `240311`, `2024`.
fn compact_date(all: &str) -> Option<NaiveDate> {
    let part = |range: std::ops::Range<usize>| all.get(range)?.parse::<u32>().ok();
    match all.len() {
        8 => ymd(all[..4].parse().ok()?, part(4..6)?, part(6..8)?),
        6 => ymd(century(all[..2].parse().ok()?), part(2..4)?, part(4..6)?),
        4 => ymd(all.parse().ok().filter(|y| (1900..2200).contains(y))?, 1, 1),
        _ => None,
    }
}

/// `2004년 05월 28일 01:31:15`, `2024年5月12日 午後3:30`.
fn of_characters(text: &str) -> Option<(Time, Zone)> {
    let text = &token::prepared(text);
    let (y, rest) = text.split_once(['년', '年'])?;
    let (m, rest) = rest.split_once(['월', '月'])?;
    let (d, rest) = rest.split_once(['일', '日'])?;
    let date = ymd(y.trim().parse().ok()?, m.trim().parse().ok()?, d.trim().parse().ok()?)?;
    let Some((time, zone, _)) = scan::time_of_day(rest, date, &DateContext::default()) else {
        return Some((at(date, Clock::MIDNIGHT, 0)?, Zone::Day));
    };
    let zone_seconds = zone.map_or(0, |zone| zone.local_minus_utc());
    let local = date.and_time(time).and_utc();
    let shown = if zone.is_some() { Zone::Named } else { Zone::without(time) };
    Some((local.checked_sub_signed(Duration::seconds(i64::from(zone_seconds)))?, shown))
}

/// Seconds east of UTC in the countries where dates are written like this. It is a guess: the text does not
/// state the zone.
fn east_asian_offset(text: &str) -> Option<i64> {
    const JAPANESE: [&str; 3] = ["曜", "午前", "午後"];
    if text.contains('년') || JAPANESE.iter().any(|w| text.contains(w)) {
        return Some(9 * 3600);
    }
    text.contains('年').then_some(8 * 3600)
}

/// Dates with words, in any order: `Mon, 11 Mar 2024 04:15:30 GMT`,
/// `March 11, 2024 4:15 pm`, `Mon Mar 11 04:15:30 2024`, `03/11/2024 04:15`.
fn written(text: &str) -> Option<(Time, Zone)> {
    let mut found = Found::default();
    let spaced = text.replace([',', '(', ')'], " ");
    for word in spaced.split_whitespace() {
        found.take(word)?;
    }
    let (year, month, day) = found.date()?;
    let date = ymd(year, month, day)?;
    let clock = found.clock.unwrap_or(Clock::MIDNIGHT).with_half_day(found.half);
    match found.zone {
        Some((zone, text)) => in_zone(date, clock, zone, text),
        None => Some((at(date, clock, 0)?, clock.without_zone())),
    }
}

/// A time in the zone that the text states.
fn in_zone(date: NaiveDate, clock: Clock, zone: Written, text: &str) -> Option<(Time, Zone)> {
    let seconds = zone.at(at(date, clock, 0)?.naive_utc())?;
    Some((at(date, clock, seconds)?, Zone::written(text, seconds)))
}

fn zone_of(text: &str) -> Option<(Written, &str)> {
    Some((words::zone(text)?, text))
}

/// The parts of a date found so far.
#[derive(Default)]
struct Found<'t> {
    clock: Option<Clock>,
    half: Option<Half>,
    /// The zone, and its text.
    zone: Option<(Written, &'t str)>,
    month: Option<u32>,
    numbers: Vec<(u32, usize)>,
    /// The numbers are separated by dots, which American dates never use.
    dotted: bool,
}

impl<'t> Found<'t> {
    /// Parses a word. `None` means that the text is not a date.
    fn take(&mut self, word: &'t str) -> Option<()> {
        let Some(first) = word.chars().next() else { return Some(()) };
        if let Some((half, rest)) = Half::at_start(word) {
            self.half = Some(half);
            return self.take(rest);
        }
        if word.contains(':') && first.is_ascii_digit() {
            return self.take_clock(word);
        }
        if matches!(first, '+' | '-') && self.clock.is_some() {
            self.zone = Some(zone_of(word)?);
            return Some(());
        }
        if first.is_ascii_digit() {
            return self.take_numbers(word);
        }
        if let Some(month) = month(word) {
            // Some zone and weekday names resemble months (mar, sep). The first match is used.
            self.month.get_or_insert(month);
        } else if let (Some(half), _) = split_half_day(word) {
            self.half = Some(half);
        } else if let Some(zone) = zone_of(word).filter(|_| self.clock.is_some()) {
            self.zone = Some(zone);
        } else if self.clock.is_some() && word.contains(['+', '-']) && word.contains(':') {
            return None;
        }
        Some(())
    }

    fn take_clock(&mut self, word: &'t str) -> Option<()> {
        let len = word.bytes().take_while(|b| b.is_ascii_digit() || b":.".contains(b)).count();
        let (clock, rest) = word.split_at(len);
        self.clock = Some(parse_clock(clock)?);
        let (half, rest) = split_half_day(rest);
        self.half = half.or(self.half);
        if !rest.is_empty() {
            self.zone = zone_of(rest);
        }
        Some(())
    }

    fn take_numbers(&mut self, word: &str) -> Option<()> {
        self.dotted |= word.split('.').filter(|p| !p.is_empty()).count() == 3;
        for part in word.split(['-', '/', '.']).filter(|p| !p.is_empty()) {
            let digits = part.bytes().take_while(u8::is_ascii_digit).count();
            if digits == 0 {
                self.month.get_or_insert(month(part)?);
            } else {
                // 1st, 2nd, 11th, 1er.
                self.numbers.push((part[..digits].parse().ok()?, digits));
            }
        }
        Some(())
    }

    /// Year, month and day from the numbers, by size and position.
    fn date(&self) -> Option<(i32, u32, u32)> {
        let year = |(n, digits): (u32, usize)| match digits {
            4 => i32::try_from(n).ok(),
            2 => i32::try_from(n).ok().map(century),
            _ => None,
        };
        match (self.month, self.numbers.as_slice()) {
            (Some(month), [a, b]) if a.1 == 4 => Some((year(*a)?, month, b.0)),
            (Some(month), [a, b]) => Some((year(*b)?, month, a.0)),
            (None, [a, b, c]) if a.1 == 4 => Some((year(*a)?, b.0, c.0)),
            (None, [a, b, c]) if self.dotted && b.0 <= 12 => Some((year(*c)?, b.0, a.0)),
            // If the month has no name, the American order is more frequent in feeds.
            (None, [a, b, c]) if a.0 <= 12 => Some((year(*c)?, a.0, b.0)),
            (None, [a, b, c]) => Some((year(*c)?, b.0, a.0)),
            _ => None,
        }
    }
}

/// A time of day. Hour 24 is the start of the next day.
#[derive(Clone, Copy)]
struct Clock {
    hour: u32,
    minute: u32,
    second: u32,
}

impl Clock {
    const MIDNIGHT: Self = Self { hour: 0, minute: 0, second: 0 };

    fn without_zone(self) -> Zone {
        // Hour 24 is midnight.
        match (self.hour % 24, self.minute, self.second) {
            (0, 0, 0) => Zone::Day,
            _ => Zone::Missing,
        }
    }

    /// Converts a time on a twelve-hour clock, if `half` is given.
    fn with_half_day(self, half: Option<Half>) -> Self {
        Self { hour: half.map_or(self.hour, |half| half.hour(self.hour)), ..self }
    }
}

fn parse_clock(text: &str) -> Option<Clock> {
    let text = text.split(['.', ',']).next()?;
    let parts: Vec<&str> = text.split(':').collect();
    let number = |s: &str| (s.len() <= 2).then(|| s.parse::<u32>().ok()).flatten();
    let clock = match parts.as_slice() {
        [h, m, s] => Clock { hour: number(h)?, minute: number(m)?, second: number(s)? },
        [h, m] => Clock { hour: number(h)?, minute: number(m)?, second: 0 },
        [all] if matches!(all.len(), 4 | 6) && all.is_ascii() => Clock {
            hour: number(&all[..2])?,
            minute: number(&all[2..4])?,
            second: number(all.get(4..6).filter(|s| !s.is_empty()).unwrap_or("0"))?,
        },
        [h] => Clock { hour: number(h)?, minute: 0, second: 0 },
        _ => return None,
    };
    let fits = clock.hour <= 24 && clock.minute < 60 && clock.second <= 60;
    fits.then_some(clock)
}

/// Strips `am` or `pm` from the start.
fn split_half_day(text: &str) -> (Option<Half>, &str) {
    let lower = text.to_ascii_lowercase();
    let (am, pm) = (Half::Morning, Half::Afternoon);
    for (mark, half) in [("am", am), ("pm", pm), ("a.m.", am), ("p.m.", pm)] {
        if let Some(rest) = lower.strip_prefix(mark)
            && !rest.starts_with(|c: char| c.is_ascii_alphabetic())
        {
            return (Some(half), text[mark.len()..].trim_start());
        }
    }
    (None, text)
}

/// The year for a two-digit number: 00-68 are 2000-2068, 69-99 are 1969-1999.
fn century(year: i32) -> i32 {
    if year < 69 { year + 2000 } else { year + 1900 }
}

fn ymd(year: i32, month: u32, day: u32) -> Option<NaiveDate> {
    (1..=9999).contains(&year).then(|| NaiveDate::from_ymd_opt(year, month, day)).flatten()
}

fn at(date: NaiveDate, clock: Clock, offset: i32) -> Option<Time> {
    let midnight = NaiveDateTime::new(date, chrono::NaiveTime::MIN);
    // A leap second becomes the first second of the next minute.
    let seconds = clock.hour * 3600 + clock.minute * 60 + clock.second;
    let local = midnight.checked_add_signed(Duration::seconds(i64::from(seconds)))?;
    Some(Utc.from_utc_datetime(&local.checked_sub_signed(Duration::seconds(i64::from(offset)))?))
}

#[cfg(test)]
mod scan_tests;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_dates_in_many_forms() {
        let cases = include_str!("../../../../tests/data/dates.tsv");
        for case in cases.lines().filter(|l| !l.is_empty() && !l.starts_with('#')) {
            let (input, expected) = case.split_once('\t').expect("two columns");
            let got = parse(input).map(|t| t.format("%Y-%m-%dT%H:%M:%SZ").to_string());
            assert_eq!(got.as_deref().unwrap_or("none"), expected, "{input}");
        }
    }

    proptest::proptest! {
        #[test]
        fn never_panics(s in "\\PC{0,40}", t in "[0-9:/.+ TZapm-]{0,30}") {
            let _ = (parse(&s), parse(&t));
        }
    }
}
