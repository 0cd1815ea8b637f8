//! Dates relative to the time of the fetch: `2 hours ago`, `vor 3 Tagen`, `gestern`, `3日前`.

use super::names::{Ago, Day, Names};
use super::scan::{DateContext, FoundDate};
use chrono::{DateTime, Datelike, FixedOffset, NaiveDate, NaiveTime, TimeDelta};
use std::cmp::Reverse;
use std::ops::Range;

/// Maximum length in bytes: longer texts are sentences, in which such words refer to other times.
const MAX_TEXT: usize = 160;
/// Minutes in a day.
const DAY: i64 = 24 * 60;

/// Maximum number of dates in a text.
const MAX_DATES: usize = 4;

/// A part of a text that refers to the time of the fetch.
struct Match {
    /// Minutes before the fetch. `unit` is also in minutes.
    minutes: i64,
    unit: i64,
    /// A day with a name, such as "yesterday", that may be followed by a time.
    named: bool,
    at: Range<usize>,
}

/// The dates in a prepared text that are relative to the fetch, in text order.
pub(super) fn find(text: &str, context: &DateContext) -> Vec<FoundDate> {
    let now = context.now.filter(|_| text.len() <= MAX_TEXT);
    let Some(now) = now else { return Vec::new() };
    let (ago, days) = Names::get().relative_in(text);
    let mut all: Vec<Match> = named(text, &days, context).collect();
    let numbered: Vec<Match> = numbered(text, &ago, context).collect();
    if !numbered.is_empty() {
        // Next to "2 hours ago", "today" and "tomorrow" refer to something else.
        all.retain(|part| part.minutes > 0);
    }
    all.extend(numbered);
    let mut found = chosen(all);
    if found.is_empty() {
        found.extend(weekday(text, context));
    }
    found.into_iter().filter_map(|part| dated(part, text, now, context)).collect()
}

/// The longest matches that do not overlap, in text order.
fn chosen(mut all: Vec<Match>) -> Vec<Match> {
    // Among matches of the same length, the last one is preferred.
    all.reverse();
    all.sort_by_key(|part| Reverse(part.at.len()));
    let mut chosen: Vec<Match> = Vec::new();
    for part in all {
        let apart = |other: &Match| other.at.end <= part.at.start || part.at.end <= other.at.start;
        if chosen.len() < MAX_DATES && chosen.iter().all(apart) {
            chosen.push(part);
        }
    }
    chosen.sort_by_key(|part| part.at.start);
    chosen
}

fn speaks(context: &DateContext, language: &str) -> bool {
    context.language.is_none_or(|l| l == language || language == "en")
}

/// `2 hours ago`, `vor 3 Tagen`.
fn numbered(text: &str, ago: &[&Ago], context: &DateContext) -> impl Iterator<Item = Match> {
    let patterns = ago.iter().filter(|a| speaks(context, a.language));
    patterns.flat_map(|pattern| {
        let unit = pattern.minutes;
        let of = move |(number, at): (i64, _)| {
            Some(Match { minutes: number.checked_mul(unit)?, unit, named: false, at })
        };
        matched(text, pattern).into_iter().filter_map(of)
    })
}

/// `yesterday`, `gestern`.
fn named(text: &str, days: &[&Day], context: &DateContext) -> impl Iterator<Item = Match> {
    let days = days.iter().filter(|d| speaks(context, d.0));
    days.filter_map(|(_, word, days)| {
        let minutes = days.checked_neg()?.checked_mul(DAY)?;
        Some(Match { minutes, unit: DAY, named: true, at: whole_word(text, word)? })
    })
}

fn dated(
    part: Match,
    text: &str,
    now: DateTime<FixedOffset>,
    context: &DateContext,
) -> Option<FoundDate> {
    let Match { minutes, unit, named, mut at } = part;
    let time = now.checked_sub_signed(TimeDelta::try_minutes(minutes)?)?;
    let day = time.date_naive();
    let (mut clock, mut zone) = (unit < DAY).then(|| (time.time(), *time.offset())).unzip();
    if named && let Some((time, offset, end)) = clock_after(text, at.end, day, context) {
        (clock, zone, at.end) = (Some(time), offset, end);
    }
    Some(FoundDate {
        day,
        swapped: None,
        time: clock,
        zone,
        // Weeks and months are approximate.
        short: unit > DAY,
        range: false,
        relative: true,
        at,
    })
}

/// The time of day after the name of a day, and its end: `, 14:30`, `um 14.30 Uhr`. Numbers after any other
/// sign are durations, and two times are a range; both are ignored.
fn clock_after(
    text: &str,
    from: usize,
    day: NaiveDate,
    context: &DateContext,
) -> Option<(NaiveTime, Option<FixedOffset>, usize)> {
    let rest = text.get(from..)?;
    let digit = rest.find(|c: char| c.is_ascii_digit())?;
    let words = rest[..digit].trim_start_matches(',').trim();
    if words.chars().count() > 5 || !words.chars().all(char::is_alphabetic) {
        return None;
    }
    let (time, zone, end) = super::scan::time_of_day(rest, day, context)?;
    // The end of `9:00-17:00` resembles a zone.
    let (own, after) = (rest.get(digit..end)?, rest.get(end..)?.trim_start());
    const DASH: [char; 4] = ['-', '–', '—', '~'];
    let range = own.contains(DASH) || after.starts_with(DASH);
    (!range).then_some((time, zone, from + end))
}

/// The previous day with that weekday, if a text begins with the name of a weekday and a time of day, as in
/// lists of forums: `Tuesday at 4:15 PM`. Opening hours are not matched, because they have two times.
fn weekday(text: &str, context: &DateContext) -> Option<Match> {
    let start = text.len() - text.trim_start().len();
    let word = text[start..].split(|c: char| !c.is_alphabetic()).next()?;
    let weekday = Names::get().weekday(word, context.language)?;
    let end = start + word.len();
    // "Monday 19:00" is the time of a weekly event.
    let (between, rest) = text.get(end..)?.trim_start().split_once(' ')?;
    if between.len() > 5 || !between.chars().all(char::is_alphabetic) {
        return None;
    }
    let hour = rest.bytes().take_while(u8::is_ascii_digit).count();
    let clock = rest.get(hour..)?.strip_prefix([':', '.', 'h'])?;
    let minute = clock.bytes().take_while(u8::is_ascii_digit).count();
    let after = clock.get(minute..)?;
    let dash = |c: char| matches!(c, '-' | '–' | '—');
    let several = after.contains(':') || after.trim_start().starts_with(dash);
    if !(1..=2).contains(&hour) || minute != 2 || several {
        return None;
    }
    let today = context.now?.weekday().number_from_monday();
    // For the current day, sites write a relative date instead.
    let days = match (today + 7 - weekday) % 7 {
        0 => 7,
        days => days,
    };
    Some(Match { minutes: i64::from(days) * DAY, unit: DAY, named: true, at: start..end })
}

/// The matches of a pattern in a text: their numbers and byte ranges.
fn matched(text: &str, pattern: &Ago) -> Vec<(i64, Range<usize>)> {
    if let Some(number) = pattern.fixed {
        return whole_word(text, pattern.before).map(|at| (number, at)).into_iter().collect();
    }
    let bytes = text.as_bytes();
    let (mut at, mut all) = (0, Vec::new());
    while let Some(found) = bytes[at..].iter().position(u8::is_ascii_digit) {
        let start = at + found;
        let length = bytes[start..].iter().take_while(|b| b.is_ascii_digit()).count();
        at = start + length;
        let (before, after) = (text[..start].trim_end(), text[at..].trim_start());
        let fits = before.ends_with(pattern.before) && after.starts_with(pattern.after);
        let first = before.len() - pattern.before.len().min(before.len());
        let end = text.len() - after.len() + pattern.after.len();
        if fits
            && length <= 3
            && ends_word(text, first, end)
            && let Ok(number) = text[start..at].parse()
        {
            all.push((number, first..end));
        }
    }
    all
}

/// The first occurrence of a whole word or phrase in a text.
fn whole_word(text: &str, word: &str) -> Option<Range<usize>> {
    let all = text.match_indices(word).map(|(at, _)| at..at + word.len());
    all.into_iter().find(|at| ends_word(text, at.start, at.end))
}

/// Whether the range is not part of a longer alphabetic word.
fn ends_word(text: &str, start: usize, end: usize) -> bool {
    let letter = |c: char| c.is_alphanumeric() && u32::from(c) < 0xE00;
    let joined =
        |a: Option<char>, b: Option<char>| a.zip(b).is_some_and(|(a, b)| letter(a) && letter(b));
    let (before, after) = (text[..start].chars().next_back(), text[end..].chars().next());
    let (first, last) = (text[start..].chars().next(), text[..end].chars().next_back());
    // A number may directly follow a word.
    let number = first.is_some_and(|c| c.is_ascii_digit());
    (number || !joined(before, first)) && !joined(last, after)
}
