//! Dates parsed by a layout as in Go's package `time`: the layout is the moment `Mon Jan 2 15:04:05 MST
//! 2006`, written in the format of the site (<https://pkg.go.dev/time#Layout>).

use crate::model::Time;
use chrono::{NaiveDate, NaiveTime, TimeDelta, TimeZone, Utc};

/// Maximum length of a layout, and of a text, in bytes.
const LONGEST: usize = 200;

/// A piece of a layout that represents a part of the date.
#[derive(Debug, Clone, Copy, PartialEq)]
enum LayoutPart {
    /// `January`, or `Jan`.
    MonthName { long: bool },
    /// `01`, or `1`.
    Month { two: bool },
    /// `Monday`, or `Mon`.
    Weekday { long: bool },
    /// `02`, `2`, or `_2`.
    Day { two: bool, padded: bool },
    /// `002`, or `__2`.
    YearDay { padded: bool },
    /// `15`.
    Hour,
    /// `03`, or `3`.
    Hour12 { two: bool },
    /// `04`, or `4`.
    Minute { two: bool },
    /// `05`, or `5`.
    Second { two: bool },
    /// `2006`.
    Year,
    /// `06`.
    ShortYear,
    /// `PM`, or `pm`.
    HalfDay { upper: bool },
    /// `MST`.
    ZoneName,
    /// `-0700` and similar.
    Offset { z: bool, colon: bool, minutes: bool, seconds: bool },
    /// `.000`: exactly this number of digits after a point or comma.
    Fraction(usize),
    /// `.999`: any digits, or none.
    MaybeFraction,
}

/// All pieces; longer ones come before their prefixes.
const PARTS: [(&str, LayoutPart); 35] = [
    ("January", LayoutPart::MonthName { long: true }),
    ("Jan", LayoutPart::MonthName { long: false }),
    ("Monday", LayoutPart::Weekday { long: true }),
    ("Mon", LayoutPart::Weekday { long: false }),
    ("MST", LayoutPart::ZoneName),
    ("002", LayoutPart::YearDay { padded: false }),
    ("01", LayoutPart::Month { two: true }),
    ("02", LayoutPart::Day { two: true, padded: false }),
    ("03", LayoutPart::Hour12 { two: true }),
    ("04", LayoutPart::Minute { two: true }),
    ("05", LayoutPart::Second { two: true }),
    ("06", LayoutPart::ShortYear),
    ("15", LayoutPart::Hour),
    ("1", LayoutPart::Month { two: false }),
    ("2006", LayoutPart::Year),
    ("2", LayoutPart::Day { two: false, padded: false }),
    ("__2", LayoutPart::YearDay { padded: true }),
    ("_2", LayoutPart::Day { two: false, padded: true }),
    ("3", LayoutPart::Hour12 { two: false }),
    ("4", LayoutPart::Minute { two: false }),
    ("5", LayoutPart::Second { two: false }),
    ("PM", LayoutPart::HalfDay { upper: true }),
    ("pm", LayoutPart::HalfDay { upper: false }),
    ("-07:00:00", offset(false, true, true, true)),
    ("-070000", offset(false, false, true, true)),
    ("-07:00", offset(false, true, true, false)),
    ("-0700", offset(false, false, true, false)),
    ("-07", offset(false, false, false, false)),
    ("Z07:00:00", offset(true, true, true, true)),
    ("Z070000", offset(true, false, true, true)),
    ("Z07:00", offset(true, true, true, false)),
    ("Z0700", offset(true, false, true, false)),
    ("Z07", offset(true, false, false, false)),
    // Handled by `fraction`.
    (".000", LayoutPart::Fraction(3)),
    (".999", LayoutPart::MaybeFraction),
];

const fn offset(z: bool, colon: bool, minutes: bool, seconds: bool) -> LayoutPart {
    LayoutPart::Offset { z, colon, minutes, seconds }
}

/// Whether a layout contains any part of a date.
pub fn is_layout(layout: &str) -> bool {
    layout.len() <= LONGEST && (0..layout.len()).any(|at| part_at(layout, at).is_some())
}

/// Parses a text by a layout. Without a zone the date is in UTC; the name of a zone other than
/// UTC does not change the offset. `None` if the text does not match or the date does not exist.
pub fn parse_layout(layout: &str, text: &str) -> Option<Time> {
    if layout.len() > LONGEST || text.len() > LONGEST {
        return None;
    }
    let (mut at, mut rest, mut date) = (0, text, Draft::default());
    loop {
        let found = (at..layout.len()).find_map(|i| part_at(layout, i).map(|(p, len)| (i, p, len)));
        let literal = &layout[at..found.map_or(layout.len(), |(i, ..)| i)];
        rest = skip(literal, rest)?;
        let Some((start, part, len)) = found else { break };
        at = start + len;
        rest = date.take(part, rest)?;
        // The text may have a fraction after the seconds even if the layout has none.
        let follows = part_at(layout, at).map(|(p, _)| p);
        let fraction = matches!(follows, Some(LayoutPart::Fraction(_) | LayoutPart::MaybeFraction));
        if matches!(part, LayoutPart::Second { .. }) && !fraction {
            rest = date.take(LayoutPart::MaybeFraction, rest)?;
        }
    }
    if rest.is_empty() { date.time() } else { None }
}

/// The part that begins at `at`, and its length.
fn part_at(layout: &str, at: usize) -> Option<(LayoutPart, usize)> {
    let rest = layout.get(at..)?;
    if rest.starts_with(['.', ',']) {
        return fraction(rest);
    }
    // The underscore of `_2006` is a literal character.
    if rest.starts_with("_2006") {
        return None;
    }
    let (name, part) = PARTS.iter().find(|(name, _)| rest.starts_with(name))?;
    // Does not match at the start of words such as "Janus" and "Month".
    let word =
        matches!(part, LayoutPart::MonthName { long: false } | LayoutPart::Weekday { long: false });
    let goes_on = rest[name.len()..].starts_with(|c: char| c.is_ascii_lowercase());
    (!(word && goes_on)).then_some((*part, name.len()))
}

/// `.000` or `,999` of any length, not followed by another digit.
fn fraction(rest: &str) -> Option<(LayoutPart, usize)> {
    let digit = rest[1..].chars().next().filter(|c| matches!(c, '0' | '9'))?;
    let digits = rest[1..].chars().take_while(|c| *c == digit).count();
    let ends = !rest[1 + digits..].starts_with(|c: char| c.is_ascii_digit());
    let part = if digit == '0' { LayoutPart::Fraction(digits) } else { LayoutPart::MaybeFraction };
    ends.then_some((part, 1 + digits))
}

/// The rest of a text after a literal part of the layout; runs of spaces match each other.
fn skip<'a>(literal: &str, mut text: &'a str) -> Option<&'a str> {
    let mut chars = literal.chars().peekable();
    while let Some(c) = chars.next() {
        if c == ' ' {
            if !text.is_empty() && !text.starts_with(' ') {
                return None;
            }
            while chars.next_if_eq(&' ').is_some() {}
            text = text.trim_start_matches(' ');
        } else {
            text = text.strip_prefix(c)?;
        }
    }
    Some(text)
}

/// A date that is being parsed.
#[derive(Default)]
struct Draft {
    year: Option<i32>,
    month: Option<u32>,
    day: Option<u32>,
    year_day: Option<u32>,
    hour: u32,
    minute: u32,
    second: u32,
    nanos: u32,
    afternoon: Option<bool>,
    offset: i64,
}

impl Draft {
    /// Parses a part of the date and returns the rest of the text.
    fn take<'a>(&mut self, part: LayoutPart, text: &'a str) -> Option<&'a str> {
        match part {
            LayoutPart::MonthName { long } => {
                let (number, rest) = name(&MONTHS, long, text)?;
                self.month = Some(number);
                Some(rest)
            }
            LayoutPart::Weekday { long } => name(&DAYS, long, text).map(|(_, rest)| rest),
            LayoutPart::Month { two } => number(text, two, 1..=12, |n| self.month = Some(n)),
            LayoutPart::Day { two, padded } => {
                let text = if padded { text.strip_prefix(' ').unwrap_or(text) } else { text };
                number(text, two, 1..=31, |n| self.day = Some(n))
            }
            LayoutPart::YearDay { padded } => {
                let blanks = text.len() - text.trim_start_matches(' ').len();
                let blanks = if padded { blanks.min(2) } else { 0 };
                let digits = text.get(blanks..3).filter(|d| all_digits(d))?;
                self.year_day = digits.parse().ok();
                text.get(3..)
            }
            LayoutPart::Hour => number(text, false, 0..=23, |n| self.hour = n),
            LayoutPart::Hour12 { two } => number(text, two, 0..=12, |n| self.hour = n),
            LayoutPart::Minute { two } => number(text, two, 0..=59, |n| self.minute = n),
            LayoutPart::Second { two } => number(text, two, 0..=59, |n| self.second = n),
            LayoutPart::Year => {
                let digits = text.get(..4).filter(|d| all_digits(d))?;
                self.year = digits.parse().ok();
                text.get(4..)
            }
            LayoutPart::ShortYear => {
                let digits = text.get(..2).filter(|d| all_digits(d))?;
                let year: i32 = digits.parse().ok()?;
                self.year = Some(if year >= 69 { 1900 + year } else { 2000 + year });
                text.get(2..)
            }
            LayoutPart::HalfDay { upper } => {
                let (am, pm) = if upper { ("AM", "PM") } else { ("am", "pm") };
                self.afternoon = Some(text.starts_with(pm));
                text.strip_prefix(pm).or_else(|| text.strip_prefix(am))
            }
            LayoutPart::ZoneName => zone_name(text),
            LayoutPart::Offset { z, .. } if z && text.starts_with('Z') => text.get(1..),
            LayoutPart::Offset { colon, minutes, seconds, .. } => {
                let (offset, rest) = read_offset(text, colon, minutes, seconds)?;
                self.offset = offset;
                Some(rest)
            }
            LayoutPart::Fraction(digits) => {
                let body = text.strip_prefix(['.', ','])?;
                let found = body.get(..digits).filter(|d| all_digits(d))?;
                self.nanos = nanos(found);
                body.get(digits..)
            }
            LayoutPart::MaybeFraction => {
                let Some(body) = text.strip_prefix(['.', ',']) else { return Some(text) };
                let digits = body.bytes().take_while(u8::is_ascii_digit).count();
                if digits == 0 {
                    return Some(text);
                }
                self.nanos = nanos(&body[..digits]);
                body.get(digits..)
            }
        }
    }

    fn time(&self) -> Option<Time> {
        let hour = match self.afternoon {
            Some(true) if self.hour < 12 => self.hour + 12,
            Some(false) if self.hour == 12 => 0,
            _ => self.hour,
        };
        let year = self.year?;
        let date = match self.year_day {
            Some(day) => NaiveDate::from_yo_opt(year, day)
                .filter(|d| self.month.is_none_or(|m| chrono::Datelike::month(d) == m))?,
            None => NaiveDate::from_ymd_opt(year, self.month.unwrap_or(1), self.day.unwrap_or(1))?,
        };
        let clock = NaiveTime::from_hms_nano_opt(hour, self.minute, self.second, self.nanos)?;
        let local = date.and_time(clock);
        Some(Utc.from_utc_datetime(&local.checked_sub_signed(TimeDelta::seconds(self.offset))?))
    }
}

const MONTHS: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];
const DAYS: [&str; 7] =
    ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];

/// A full name or its first three letters, in any letter case. Returns its number, counted from 1.
fn name<'a>(names: &[&str], long: bool, text: &'a str) -> Option<(u32, &'a str)> {
    (1..).zip(names).find_map(|(number, name)| {
        let name = if long { name } else { &name[..3] };
        let start = text.get(..name.len())?;
        start.eq_ignore_ascii_case(name).then(|| (number, &text[name.len()..]))
    })
}

fn all_digits(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit())
}

/// One or two digits, or exactly two if `two` is set.
fn number(
    text: &str,
    two: bool,
    range: std::ops::RangeInclusive<u32>,
    put: impl FnOnce(u32),
) -> Option<&str> {
    let digits = text.bytes().take(2).take_while(u8::is_ascii_digit).count();
    if digits == 0 || (two && digits == 1) {
        return None;
    }
    let value = text[..digits].parse().ok().filter(|n| range.contains(n))?;
    put(value);
    Some(&text[digits..])
}

/// Nanoseconds from the first nine digits after the point.
fn nanos(digits: &str) -> u32 {
    let nine: String = digits.chars().chain("000000000".chars()).take(9).collect();
    nine.parse().unwrap_or(0)
}

/// `UTC`, `CET`, `+03`: three to five capital letters, or a sign and two or four digits.
fn zone_name(text: &str) -> Option<&str> {
    let capitals = text.bytes().take_while(u8::is_ascii_uppercase).count();
    if (3..=5).contains(&capitals) {
        return text.get(capitals..);
    }
    let rest = text.strip_prefix(['+', '-'])?;
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    matches!(digits, 2 | 4).then(|| &rest[digits..])
}

fn read_offset(text: &str, colon: bool, minutes: bool, seconds: bool) -> Option<(i64, &str)> {
    let sign = match text.chars().next()? {
        '+' => 1,
        '-' => -1,
        _ => return None,
    };
    let mut rest = &text[1..];
    let mut total = 0;
    let units = [(3600, 24, true), (60, 59, minutes), (1, 59, seconds)];
    for (n, (unit, most, wanted)) in units.into_iter().enumerate() {
        if !wanted {
            break;
        }
        if colon && n > 0 {
            rest = rest.strip_prefix(':')?;
        }
        let digits = rest.get(..2).filter(|d| all_digits(d))?;
        let value: i64 = digits.parse().ok().filter(|v| *v <= most)?;
        total += unit * value;
        rest = &rest[2..];
    }
    Some((sign * total, rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parses_dates_by_layout() {
        let cases = [
            ("January 2, 2006", "March 9, 2024", "2024-03-09T00:00:00Z"),
            ("January 2, 2006", "march  09, 2024", "2024-03-09T00:00:00Z"),
            ("02/01/2006 15:04", "31/12/2023 23:05", "2023-12-31T23:05:00Z"),
            (
                "Mon, 02 Jan 2006 15:04:05 -0700",
                "Sat, 09 Mar 2024 01:00:00 +0200",
                "2024-03-08T23:00:00Z",
            ),
            ("2 Jan 06 3:04pm MST", "9 Mar 24 12:30am CET", "2024-03-09T00:30:00Z"),
            ("2006-01-02T15:04:05Z07:00", "2024-03-09T10:00:00.25Z", "2024-03-09T10:00:00.250Z"),
            ("2006-002", "2024-060", "2024-02-29T00:00:00Z"),
            ("Monthly, Jan 2 2006", "Monthly, Mar 9 2024", "2024-03-09T00:00:00Z"),
            ("2006-01-02", "2023-02-29", "none"),
            ("2006-01-02", "2024-03-09 ", "none"),
            ("2006-01-02", "2024-3-9", "none"),
            ("2006-01-02 15:04", "2024-03-09 24:00", "none"),
            ("15:04", "10:00", "none"),
        ];
        for (layout, text, want) in cases {
            let found = parse_layout(layout, text);
            let found = found.map(|t| t.to_rfc3339_opts(chrono::SecondsFormat::AutoSi, true));
            assert_eq!(found.as_deref().unwrap_or("none"), want, "{layout} {text}");
        }
        assert!(is_layout("02.01.2006") && !is_layout("%Y-%m-%d") && !is_layout(""));
    }

    proptest::proptest! {
        #[test]
        fn never_panics(layout in "[-0-9JanMoZ_.,: é]{0,20}", text in "[-0-9JanMoZ_.,: é+]{0,20}") {
            let _ = (parse_layout(&layout, &text), is_layout(&layout));
        }
    }
}
