//! Times of day beside dates in running text.

use super::scan::Reader;
use super::token::Kind;
use super::words::offset;
use chrono::{FixedOffset, NaiveTime, Timelike};

/// Words before a time of day that is written with a dot.
const CLOCK_WORDS: [&str; 14] = [
    "klo", "kl", "kell", "um", "ore", "alle", "o", "ob", "at", "kello", "klukkan", "godz", "ob",
    "à",
];

impl Reader<'_> {
    /// A time of day soon after a date: `, 14:05 CET`, `um 12:30 Uhr`, `12h30`, `오후 3:05`.
    pub(super) fn time(&self, from: usize) -> Option<(NaiveTime, Option<FixedOffset>, usize)> {
        let mut afternoon = None;
        let start = (from..(from + 5).min(self.all.len())).find(|at| {
            if let Some(word) = self.word(*at) {
                match word {
                    "오후" | "下午" | "午後" | "晚上" => afternoon = Some(true),
                    "오전" | "上午" | "午前" | "凌晨" => afternoon = Some(false),
                    _ => {}
                }
            }
            self.number(*at).is_some()
        })?;
        if start >= from + 5 || (from..start).any(|at| self.sign(at, &['©', '$', '€', '£'])) {
            return None;
        }
        let (time, next) = self.clock(
            start,
            start > from && self.word(start - 1).is_some_and(|w| CLOCK_WORDS.contains(&w)),
        )?;
        let (afternoon, next) = match self.word(next) {
            Some("am") => (Some(false), next + 1),
            Some("pm") => (Some(true), next + 1),
            Some(half @ ("a" | "p"))
                if self.sign(next + 1, &['.']) && self.word(next + 2).is_some_and(|w| w == "m") =>
            {
                (Some(half == "p"), next + 4)
            }
            _ => (afternoon, next),
        };
        let hour = match (afternoon, time.hour()) {
            (Some(true), hour @ 1..12) => hour + 12,
            (Some(false), 12) => 0,
            (_, hour) => hour,
        };
        let time = NaiveTime::from_hms_opt(hour, time.minute(), time.second())?;
        let (zone, next) = self.zone(next);
        Some((time, zone, next))
    }

    pub(super) fn time_before(&self, at: usize) -> Option<(NaiveTime, Option<FixedOffset>)> {
        let from = (at.checked_sub(5)?..at)
            .find(|t| self.number(*t).is_some() && self.sign(*t + 1, &[':']))?;
        let (time, next) = self.clock(from, false)?;
        let between = self.all[next.min(at)..at]
            .iter()
            .all(|t| t.kind == Kind::Word || t.is_sign(&[',', '-', '–', '|']));
        let (zone, _) = self.zone(next);
        (next <= at && at - next <= 2 && between).then_some((time, zone))
    }

    fn clock(&self, at: usize, after_word: bool) -> Option<(NaiveTime, usize)> {
        let (hour, digits) = self.number(at).filter(|(n, d)| *d <= 2 && *n <= 24)?;
        let unit = |at: usize, units: &[&str]| self.word(at).is_some_and(|w| units.contains(&w));
        let separated = self.sign(at + 1, &[':'])
            || unit(at + 1, &["h", "時", "点", "點", "時", "시", "u", "г"])
            || after_word
                && self.sign(at + 1, &['.'])
                && self.glued(at)
                && self.glued(at + 1)
                && !(self.sign(at + 3, &['.']) && self.number(at + 4).is_some())
                && !self.sign(at - 1, &[',']);
        if !separated {
            let half = unit(at + 1, &["am", "pm"]);
            return (half && digits <= 2)
                .then(|| NaiveTime::from_hms_opt(hour % 24, 0, 0))
                .flatten()
                .map(|t| (t, at + 1));
        }
        let minute = self.number(at + 2).filter(|(n, d)| *d <= 2 && *n < 60);
        let Some((minute, _)) = minute else {
            let time = unit(at + 1, &["h", "時", "点", "點", "시"])
                .then(|| NaiveTime::from_hms_opt(hour % 24, 0, 0))
                .flatten()?;
            return Some((time, at + 2));
        };
        let mut next = at + 3;
        if unit(next, &["分", "분", "m", "min"]) {
            next += 1;
        }
        let mut second = 0;
        if self.sign(next, &[':'])
            && let Some((n, 2)) = self.number(next + 1)
        {
            second = n.min(59);
            next += 2;
        }
        Some((NaiveTime::from_hms_opt(hour % 24, minute, second)?, next))
    }

    /// A zone after a time: `CET`, `+02:00`, `(UTC+8)`.
    fn zone(&self, at: usize) -> (Option<FixedOffset>, usize) {
        let Some(token) = self.all.get(at) else { return (None, at) };
        let skip = usize::from(token.is_sign(&['(']));
        let Some(token) = self.all.get(at + skip) else { return (None, at) };
        let word = self.text[token.start..].split([' ', ')', ',']).next().unwrap_or_default();
        // Longer words and those that mean something else are not zones.
        let fits = matches!(word.len(), 1..=9)
            && !matches!(
                word,
                "at" | "art"
                    | "mt"
                    | "ct"
                    | "et"
                    | "pt"
                    | "ist"
                    | "cat"
                    | "eat"
                    | "-"
                    | "z"
                    | "west"
                    | "cot"
                    | "mez"
            );
        let fits = fits || matches!(word, "et" | "pt" | "mez" | "ist" | "z");
        let zone = fits.then(|| offset(word)).flatten().and_then(FixedOffset::east_opt);
        match zone {
            Some(zone) => {
                let end = token.start + word.len();
                let next = (at..self.all.len()).find(|t| self.all[*t].start >= end);
                (Some(zone), next.unwrap_or(self.all.len()))
            }
            None => (None, at),
        }
    }
}
