//! Times of day next to dates in running text.

use super::scan::Reader;
use super::token::Kind;
use super::words;
use chrono::{FixedOffset, NaiveDate, NaiveDateTime, NaiveTime, Timelike};

/// Words that precede a time of day written with a dot.
const CLOCK_WORDS: [&str; 14] = [
    "klo", "kl", "kell", "um", "ore", "alle", "o", "ob", "at", "kello", "klukkan", "godz", "ob",
    "à",
];

/// The part of the day in which an hour of a twelve-hour clock is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Half {
    Morning,
    Noon,
    Afternoon,
    /// From the early evening until after midnight.
    Night,
}

/// East Asian words for the parts of the day. They precede the time.
const HALVES: [(&str, Half); 31] = [
    ("오전", Half::Morning),
    ("새벽", Half::Morning),
    ("아침", Half::Morning),
    ("낮", Half::Noon),
    ("오후", Half::Afternoon),
    ("저녁", Half::Night),
    ("밤", Half::Night),
    ("午前", Half::Morning),
    ("未明", Half::Morning),
    ("早朝", Half::Morning),
    ("朝", Half::Morning),
    ("昼", Half::Noon),
    ("午後", Half::Afternoon),
    ("夕方", Half::Afternoon),
    ("夜", Half::Night),
    ("上午", Half::Morning),
    ("凌晨", Half::Morning),
    ("清晨", Half::Morning),
    ("早晨", Half::Morning),
    ("早上", Half::Morning),
    ("中午", Half::Noon),
    ("下午", Half::Afternoon),
    ("午后", Half::Afternoon),
    ("傍晚", Half::Afternoon),
    ("晚上", Half::Night),
    ("晚間", Half::Night),
    ("晚间", Half::Night),
    ("夜晚", Half::Night),
    ("夜間", Half::Night),
    ("夜间", Half::Night),
    ("晚", Half::Night),
];

impl Half {
    /// Converts an hour of a twelve-hour clock to one of the 24-hour clock.
    pub(super) fn hour(self, hour: u32) -> u32 {
        match (self, hour) {
            (Self::Morning | Self::Night, 12) => 0,
            (Self::Afternoon, 1..12) | (Self::Noon, 1..5) | (Self::Night, 5..12) => hour + 12,
            _ => hour,
        }
    }

    /// The part of the day named at the end of a text in an East Asian language.
    fn at_end(text: &str) -> Option<Self> {
        HALVES.iter().find(|(word, _)| text.ends_with(word)).map(|(_, half)| *half)
    }

    /// The part of the day named at the start of a text in an East Asian language, and the rest of the text.
    pub(super) fn at_start(text: &str) -> Option<(Self, &str)> {
        HALVES.iter().find_map(|(word, half)| Some((*half, text.strip_prefix(word)?)))
    }
}

impl Reader<'_> {
    /// A time of day shortly after a date: `, 14:05 CET`, `um 12:30 Uhr`, `12h30`, `오후 3:05`.
    pub(super) fn time(
        &self,
        day: NaiveDate,
        from: usize,
    ) -> Option<(NaiveTime, Option<FixedOffset>, usize)> {
        let start = (from..(from + 5).min(self.all.len())).find(|at| self.number(*at).is_some())?;
        if (from..start).any(|at| self.sign(at, &['©', '$', '€', '£'])) {
            return None;
        }
        // In `2024年5月12日下午3:30`, there is no space between the date and the word.
        let words = (from.saturating_sub(1)..start).filter_map(|at| self.word(at));
        let half =
            words.filter_map(Half::at_end).next_back().or_else(|| self.latin_half(from, start));
        let after_word =
            start > from && self.word(start - 1).is_some_and(|w| CLOCK_WORDS.contains(&w));
        self.time_at(day, start, after_word, half)
    }

    /// `PM 3:30`, as written in Korean, Japanese and Chinese.
    fn latin_half(&self, from: usize, start: usize) -> Option<Half> {
        self.context.language.filter(|l| matches!(*l, "ko" | "ja" | "zh"))?;
        let before = start.checked_sub(1).filter(|before| *before >= from)?;
        self.half(before).map(|(half, _)| half)
    }

    /// A time of day that starts at a token.
    fn time_at(
        &self,
        day: NaiveDate,
        start: usize,
        after_word: bool,
        half: Option<Half>,
    ) -> Option<(NaiveTime, Option<FixedOffset>, usize)> {
        let (time, next) = self.clock(start, after_word)?;
        let (half, next) = match self.half(next) {
            Some((half, next)) => (Some(half), next),
            None => (half, next),
        };
        let hour = half.map_or(time.hour(), |half| half.hour(time.hour()));
        let time = NaiveTime::from_hms_opt(hour, time.minute(), time.second())?;
        let (zone, next) = self.zone(day.and_time(time), next);
        Some((time, zone, next))
    }

    /// `am`, `p.m.`, and the token after it.
    fn half(&self, at: usize) -> Option<(Half, usize)> {
        let of = |half: &str| if half.starts_with('p') { Half::Afternoon } else { Half::Morning };
        match self.word(at)? {
            half @ ("am" | "pm") => Some((of(half), at + 1)),
            half @ ("a" | "p") if self.sign(at + 1, &['.']) && self.word(at + 2) == Some("m") => {
                Some((of(half), at + 3 + usize::from(self.sign(at + 3, &['.']))))
            }
            _ => None,
        }
    }

    /// A time of day directly before a date, and after the end of the previous date: `14:30, 3 May`, `8:30
    /// p.m., 3 April`.
    pub(super) fn time_before(
        &self,
        day: NaiveDate,
        at: usize,
        after: usize,
    ) -> Option<(NaiveTime, Option<FixedOffset>)> {
        let starts = |t: &usize| {
            let continues = *t > after
                && (self.sign(*t - 1, &[':']) || self.sign(*t - 1, &['.']) && self.glued(*t - 1));
            self.number(*t).is_some() && self.is_hour(*t) && !continues
        };
        let from = (at.saturating_sub(9).max(after)..at).rev().find(starts)?;
        let (time, zone, next) = self.time_at(day, from, false, None)?;
        let between = self.all.get(next..at)?;
        let words = between.iter().filter(|t| t.kind == Kind::Word).count();
        let signs = between.iter().filter(|t| t.is_sign(&[',', '-', '–', '|'])).count();
        (words <= 2 && signs <= 2 && words + signs == between.len()).then_some((time, zone))
    }

    /// Whether the text after a number shows that it is an hour: `8:30`, `8pm`, `8.30pm`, `20h30`, `20 Uhr`.
    fn is_hour(&self, at: usize) -> bool {
        self.sign(at + 1, &[':'])
            || self.half(at + 1).is_some()
            || self.is_dotted(at)
            || self.word(at + 1) == Some("h")
            || self.is_uhr(at + 1)
    }

    /// `8.30pm`, `20.15 Uhr`.
    fn is_dotted(&self, at: usize) -> bool {
        self.sign(at + 1, &['.'])
            && self.glued(at)
            && (self.half(at + 3).is_some() || self.is_uhr(at + 3))
    }

    fn is_uhr(&self, at: usize) -> bool {
        self.word(at) == Some("uhr")
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
                && !self.sign(at - 1, &[','])
            || self.is_dotted(at);
        if !separated {
            let uhr = usize::from(self.is_uhr(at + 1));
            return (self.half(at + 1).is_some() && digits <= 2 || uhr == 1)
                .then(|| NaiveTime::from_hms_opt(hour % 24, 0, 0))
                .flatten()
                .map(|t| (t, at + 1 + uhr));
        }
        let minute = self.number(at + 2).filter(|(n, d)| *d <= 2 && *n < 60);
        let Some((minute, _)) = minute else {
            let time = unit(at + 1, &["h", "時", "点", "點", "시"])
                .then(|| NaiveTime::from_hms_opt(hour % 24, 0, 0))
                .flatten()?;
            return Some((time, at + 2));
        };
        let mut next = at + 3;
        let mut second = 0;
        if unit(next, &["分", "분", "m", "min"]) {
            next += 1;
            if let Some((n, 1 | 2)) = self.number(next)
                && unit(next + 1, &["秒", "초"])
            {
                second = n.min(59);
                next += 2;
            }
        }
        if self.sign(next, &[':'])
            && let Some((n, 2)) = self.number(next + 1)
        {
            second = n.min(59);
            next += 2;
        }
        Some((NaiveTime::from_hms_opt(hour % 24, minute, second)?, next))
    }

    /// A zone after a time: `CET`, `+02:00`, `(UTC+8)`.
    fn zone(&self, local: NaiveDateTime, at: usize) -> (Option<FixedOffset>, usize) {
        let Some(token) = self.all.get(at) else { return (None, at) };
        let skip = usize::from(token.is_sign(&['(']));
        let Some(token) = self.all.get(at + skip) else { return (None, at) };
        let word = self.text[token.start..].split([' ', ')', ',']).next().unwrap_or_default();
        // Longer words, and words with another meaning, are not zones.
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
        let zone = fits.then(|| words::zone(word)?.at(local)).flatten();
        let zone = zone.and_then(FixedOffset::east_opt);
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
