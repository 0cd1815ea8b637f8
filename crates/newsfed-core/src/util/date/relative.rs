//! Dates relative to the time of the fetch: `2 hours ago`, `vor 3 Tagen`, `gestern`, `3日前`.

use super::names::{Ago, Names};
use super::scan::{Context, Found};
use chrono::{Datelike, TimeDelta};

/// Longer texts are sentences, in which such words refer to other times.
const MAX_TEXT: usize = 160;

/// The date that a prepared text gives relative to the fetch.
pub(super) fn find(text: &str, context: &Context) -> Option<Found> {
    let now = context.now.filter(|_| text.len() <= MAX_TEXT)?;
    let names = Names::get();
    let languages =
        |language: &str| context.language.is_none_or(|l| l == language || language == "en");
    let ago = names.ago.iter().filter(|a| languages(a.language));
    let longest = ago.filter_map(|a| matched(text, a).map(|m| (m.1.len(), m.0, a.minutes, m.1)));
    let longest = longest.max_by_key(|m| m.0);
    let (minutes, unit, at) = match longest {
        Some((_, number, unit, at)) => (number.checked_mul(unit)?, unit, at),
        None => {
            let days = names.days.iter().filter(|d| languages(d.0));
            let found = days.filter_map(|(_, word, days)| Some((whole_word(text, word)?, *days)));
            match found.max_by_key(|(at, _)| at.len()) {
                Some((at, days)) => (days.checked_neg()?.checked_mul(24 * 60)?, 24 * 60, at),
                None => weekday(text, context)?,
            }
        }
    };
    let time = now.checked_sub_signed(TimeDelta::try_minutes(minutes)?)?;
    Some(Found {
        day: time.date_naive(),
        swapped: None,
        time: (unit < 24 * 60).then(|| time.time()),
        zone: (unit < 24 * 60).then(|| *time.offset()),
        // Weeks and months are rounded.
        short: unit > 24 * 60,
        range: false,
        relative: true,
        at,
    })
}

/// Minutes since the last weekday with which a text begins, before a time of day, as in the lists of
/// forums: `Tuesday at 4:15 PM`. Opening hours have two times.
fn weekday(text: &str, context: &Context) -> Option<(i64, i64, std::ops::Range<usize>)> {
    let start = text.len() - text.trim_start().len();
    let word = text[start..].split(|c: char| !c.is_alphabetic()).next()?;
    let weekday = Names::get().weekday(word, context.language)?;
    let end = start + word.len();
    // "Monday 19:00" is when something happens every week.
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
    // Those of today say so.
    let days = match (today + 7 - weekday) % 7 {
        0 => 7,
        days => days,
    };
    Some((i64::from(days) * 24 * 60, 24 * 60, start..end))
}

/// The number and place of a pattern in a text.
fn matched(text: &str, pattern: &Ago) -> Option<(i64, std::ops::Range<usize>)> {
    if let Some(number) = pattern.fixed {
        return Some((number, whole_word(text, pattern.before)?));
    }
    let bytes = text.as_bytes();
    let mut at = 0;
    while let Some(found) = bytes[at..].iter().position(u8::is_ascii_digit) {
        let start = at + found;
        let length = bytes[start..].iter().take_while(|b| b.is_ascii_digit()).count();
        at = start + length;
        let (before, after) = (text[..start].trim_end(), text[at..].trim_start());
        let fits = before.ends_with(pattern.before) && after.starts_with(pattern.after);
        let first = before.len() - pattern.before.len().min(before.len());
        let end = text.len() - after.len() + pattern.after.len();
        if fits && length <= 3 && ends_word(text, first, end) {
            return Some((text[start..at].parse().ok()?, first..end));
        }
    }
    None
}

/// Where a text contains a word or phrase as a whole.
fn whole_word(text: &str, word: &str) -> Option<std::ops::Range<usize>> {
    let all = text.match_indices(word).map(|(at, _)| at..at + word.len());
    all.into_iter().find(|at| ends_word(text, at.start, at.end))
}

/// Whether the text is not part of a longer alphabetic word.
fn ends_word(text: &str, start: usize, end: usize) -> bool {
    let letter = |c: char| c.is_alphanumeric() && u32::from(c) < 0xE00;
    let joined =
        |a: Option<char>, b: Option<char>| a.zip(b).is_some_and(|(a, b)| letter(a) && letter(b));
    let (before, after) = (text[..start].chars().next_back(), text[end..].chars().next());
    let (first, last) = (text[start..].chars().next(), text[..end].chars().next_back());
    // A number may follow a word without a space.
    let number = first.is_some_and(|c| c.is_ascii_digit());
    (number || !joined(before, first)) && !joined(last, after)
}
