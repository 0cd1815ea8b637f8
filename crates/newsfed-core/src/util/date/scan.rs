//! Dates in running text, in many languages.

use super::Zone;
use super::calendar;
use super::names::Names;
use super::token::{Kind, Token, prepared, tokens};
use chrono::{Datelike, Days, FixedOffset, NaiveDate, NaiveTime};

/// Maximum length of the text that is searched, in bytes.
const MAX_TEXT: usize = 2000;
/// Maximum number of tokens in a text.
const MAX_TOKENS: usize = 300;
/// Maximum number of dates in a text.
const MAX_DATES: usize = 12;
/// The latest year that two digits can mean if the time of the fetch is not known.
const LATEST_UNKNOWN: i32 = 2040;
/// Plausible years.
pub(super) const YEARS: std::ops::RangeInclusive<i32> = 1990..=2100;

/// Order of day and month in `1/2/2024`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Order {
    DayFirst,
    MonthFirst,
}

/// Facts about a text that help to interpret its dates.
#[derive(Debug, Clone, Copy, Default)]
pub struct DateContext {
    /// The language; see [`super::language_of`].
    pub language: Option<&'static str>,
    /// `None` if it is not known.
    pub order: Option<Order>,
    /// When the text was fetched. Without it, relative dates and dates without a year are not found.
    pub now: Option<chrono::DateTime<FixedOffset>>,
}

/// A date in a text.
#[derive(Debug, Clone, PartialEq)]
pub struct FoundDate {
    pub day: NaiveDate,
    /// The date with day and month swapped, if it is valid and the text leaves the order open.
    pub swapped: Option<NaiveDate>,
    pub time: Option<NaiveTime>,
    pub zone: Option<FixedOffset>,
    /// Whether the year has only two digits, or was inferred from the time of the fetch.
    pub short: bool,
    /// Whether it is the first or last day of a range.
    pub range: bool,
    /// Whether it was relative to the time of the fetch.
    pub relative: bool,
    /// Byte range in the prepared text, see [`Scan::text`].
    pub at: std::ops::Range<usize>,
}

impl FoundDate {
    /// What the date states about its zone.
    pub fn shows(&self) -> Zone {
        match (self.time, self.zone) {
            (None, _) => Zone::Day,
            (Some(time), None) => Zone::without(time),
            (Some(_), Some(_)) => Zone::Named,
        }
    }
}

/// The dates of a text.
#[derive(Debug, Default)]
pub struct Scan {
    /// The text in lower case with ASCII digits.
    pub text: String,
    pub dates: Vec<FoundDate>,
}

/// Finds the dates of a text.
pub fn scan(text: &str, context: &DateContext) -> Scan {
    let text = crate::util::text::start(text, MAX_TEXT);
    let digits = text.chars().any(|c| c.is_numeric() || c == '年');
    if !digits && context.now.is_none() {
        return Scan::default();
    }
    let text = prepared(text);
    let mut dates = Vec::new();
    if digits {
        let all = tokens(&text, MAX_TOKENS);
        let reader = Reader { all: &all, text: &text, context, names: Names::get() };
        let (mut at, mut after) = (0, 0);
        while at < all.len() && dates.len() < MAX_DATES {
            match reader.date(at, after) {
                Some((found, next)) => {
                    dates.push(found);
                    at = next.max(at + 1);
                    after = at;
                }
                None => at += 1,
            }
        }
    }
    super::range::join(&text, &mut dates);
    if dates.is_empty() {
        dates.extend(super::relative::find(&text, context));
    }
    Scan { text, dates }
}

/// The time of day at the start of a lower-case text, and the byte offset of its end.
pub(super) fn time_of_day(
    text: &str,
    day: NaiveDate,
    context: &DateContext,
) -> Option<(NaiveTime, Option<FixedOffset>, usize)> {
    let all = tokens(text, MAX_TOKENS);
    let reader = Reader { all: &all, text, context, names: Names::get() };
    let (time, zone, next) = reader.time(day, 0)?;
    Some((time, zone, all[next.min(all.len()).checked_sub(1)?].end))
}

/// A day whose year may be missing.
#[derive(Clone, Copy)]
pub(super) struct Day {
    pub(super) day: NaiveDate,
    pub(super) swapped: Option<NaiveDate>,
    pub(super) short: bool,
    pub(super) range: bool,
}

pub(super) struct Reader<'t> {
    pub(super) all: &'t [Token<'t>],
    pub(super) text: &'t str,
    pub(super) context: &'t DateContext,
    names: &'static Names,
}

/// The number of a month and its calendar.
#[derive(Clone, Copy)]
pub(super) enum Month {
    Gregorian(u32),
    Persian(u32),
}

impl Reader<'_> {
    pub(super) fn number(&self, at: usize) -> Option<(u32, usize)> {
        self.all.get(at)?.number()
    }

    pub(super) fn word(&self, at: usize) -> Option<&str> {
        self.all.get(at).filter(|t| t.kind == Kind::Word).map(|t| t.text)
    }

    pub(super) fn sign(&self, at: usize, signs: &[char]) -> bool {
        self.all.get(at).is_some_and(|t| t.is_sign(signs))
    }

    /// Whether there is nothing between a token and the next one.
    pub(super) fn glued(&self, at: usize) -> bool {
        self.all.get(at).zip(self.all.get(at + 1)).is_some_and(|(a, b)| a.end == b.start)
    }

    /// A date that starts at a token, and the index of the token after it. The previous date ended at
    /// `after`.
    fn date(&self, at: usize, after: usize) -> Option<(FoundDate, usize)> {
        let found = match self.all[at].kind {
            Kind::Number { .. } => self
                .of_characters(at)
                .or_else(|| self.numeric(at))
                .or_else(|| self.dotted_without_year(at))
                .or_else(|| self.month_and_day(at))
                .or_else(|| self.year_first(at))
                .or_else(|| self.day_month(at)),
            Kind::Word => self.month_day(at),
            Kind::Sign(_) => None,
        };
        let (day, next) = found?;
        if day.day.year() < *YEARS.start() || day.day.year() > *YEARS.end() {
            return None;
        }
        let (time, zone, next) = self
            .time(day.day, next)
            .or_else(|| {
                let (time, zone) = self.time_before(day.day, at, after)?;
                Some((time, zone, next))
            })
            .map_or((None, None, next), |(t, z, n)| (Some(t), z, n));
        let found = FoundDate {
            day: day.day,
            swapped: day.swapped.filter(|s| *s != day.day),
            time,
            zone,
            short: day.short,
            range: day.range || self.is_range(at, next),
            relative: false,
            at: self.all[at].start..self.all[next.min(self.all.len()) - 1].end,
        };
        Some((found, next))
    }

    /// `2024. március 11.`, `2024 m. kovo 11 d.`, `2024-mar-11`, `2024. gada 11. marts`.
    fn year_first(&self, at: usize) -> Option<(Day, usize)> {
        let year = self.number(at).filter(|(_, digits)| *digits == 4)?.0;
        let year = i32::try_from(year).ok()?;
        let mut next = at + 1;
        while next <= at + 4
            && (self.sign(next, &['.', ',', '-', '/'])
                || self.word(next).is_some_and(|w| {
                    matches!(
                        w,
                        "m" | "gada" | "g" | "ko" | "eko" | "e" | "оны" | "ж" | "წლის" | "թ"
                    )
                })
                || self.sign(next, &['(', ')']))
        {
            next += 1;
        }
        if let Some((month, after)) = self.month(next) {
            let after = if self.sign(after, &['.', '-', '/', ',']) { after + 1 } else { after };
            let (day, digits) = self.number(after)?;
            let day = (digits <= 2).then(|| in_month(year, month, day)).flatten()?;
            return (!self.sign(after + 1, &[':'])).then_some((day, self.after_day(after + 1)));
        }
        let (day, digits) = self.number(next).filter(|_| next > at + 1)?;
        let (month, after) = self.month(self.after_day(next + 1))?;
        let day = (digits <= 2 && self.year(after).is_none())
            .then(|| in_month(year, month, day))
            .flatten()?;
        Some((day, after))
    }

    /// Skips the suffix of a day number: `11.`, `11th`, `11º`, `11 d.`.
    fn after_day(&self, at: usize) -> usize {
        let mut at = at;
        if self.has_colon_ordinal(at) {
            return at + 2;
        }
        if self.word(at).is_some_and(|w| {
            matches!(
                w,
                "st" | "nd"
                    | "rd"
                    | "th"
                    | "er"
                    | "re"
                    | "e"
                    | "ª"
                    | "º"
                    | "d"
                    | "a"
                    | "го"
                    | "го."
                    | "ης"
                    | "η"
                    | "น"
                    | "й"
            )
        }) || self.sign(at, &['°'])
        {
            at += 1;
        }
        if self.sign(at, &['.']) { at + 1 } else { at }
    }

    /// Whether an ordinal suffix follows, as in the Swedish `3:e`.
    fn has_colon_ordinal(&self, at: usize) -> bool {
        self.sign(at, &[':']) && self.glued(at) && matches!(self.word(at + 1), Some("e" | "a"))
    }

    /// `11 March 2024`, `11. März 2024`, `11 de marzo de 2024`, `11 tháng 3, 2024`, `11-Mar-24`.
    fn day_month(&self, at: usize) -> Option<(Day, usize)> {
        let (day, digits) = self.number(at)?;
        let counts = self.sign(at + 1, &[':', '%']) && !self.has_colon_ordinal(at + 1);
        if digits > 2 || !(1..=31).contains(&day) || counts {
            return None;
        }
        if at > 0 && self.sign(at - 1, &['$', '€', '£']) && self.glued(at - 1)
            || at > 1 && self.sign(at - 1, &[':']) && self.number(at - 2).is_some()
        {
            return None;
        }
        let mut next = self.after_day(at + 1);
        // The 11th day of March; 11 de marzo; am 11. des Monats März.
        let mut skipped = 0;
        while skipped < 2
            && (self.sign(next, &['-', '/', ',', '–', '\'', '’', '،'])
                || self.word(next).is_some_and(|w| {
                    matches!(
                        w,
                        "de" | "of"
                            | "del"
                            | "d"
                            | "di"
                            | "den"
                            | "ng"
                            | "na"
                            | "ב"
                            | "ל"
                            | "day"
                            | "tuần"
                    )
                }))
        {
            next += 1;
            skipped += 1;
        }
        let (month, after) = self.month(next)?;
        self.with_year(month, day, after, at)
    }

    /// `March 11, 2024`, `Mar. 11 2024`, `kovo 11 d., 2024`.
    fn month_day(&self, at: usize) -> Option<(Day, usize)> {
        let (month, mut next) = self.month(at)?;
        while next < at + 5
            && (self.sign(next, &['.', '-', '/']) || matches!(self.word(next), Some("the")))
        {
            next += 1;
        }
        let (day, digits) = self.number(next)?;
        if digits > 2 || self.sign(next + 1, &[':']) {
            return None;
        }
        let mut after = self.after_day(next + 1);
        if self.sign(after, &['-', '–'])
            && self.number(after + 1).is_some_and(|(n, d)| d <= 2 && n <= 31)
        {
            // March 11–13, 2024.
            let (found, end) = self.with_year(month, day, self.after_day(after + 2), at)?;
            return Some((Day { range: true, ..found }, end));
        }
        if self.word(after).is_some_and(|w| self.names.weekday(w, self.context.language).is_some())
        {
            after += 1;
        }
        self.with_year(month, day, after, at)
    }

    /// A month name, or `tháng 3`, and the token after it.
    pub(super) fn month(&self, at: usize) -> Option<(Month, usize)> {
        let word = self.word(at)?;
        if matches!(word, "tháng" | "thang" | "thg" | "th") {
            return self.vietnamese(at + 1);
        }
        let dot = |at: usize| if self.sign(at, &['.', '׳', '॰']) { at + 1 } else { at };
        let language = self.context.language;
        let known = |w: &str| self.names.month(w, language);
        if let Some(second) = self.word(at + 1)
            && let Some(month) = known(&format!("{word} {second}"))
        {
            return Some((Month::Gregorian(month), dot(at + 2)));
        }
        // Two names of one month: آذار/مارس.
        if let Some(month) = known(word)
            && self.sign(at + 1, &['/'])
            && self.word(at + 2).and_then(known) == Some(month)
        {
            return Some((Month::Gregorian(month), at + 3));
        }
        let persian = || self.names.persian(word).map(Month::Persian);
        // A wrongly recognised Persian month is rejected later by its year.
        let stripped = || word.strip_prefix('ב').and_then(known).map(Month::Gregorian);
        let month = known(word).map(Month::Gregorian).or_else(persian).or_else(stripped);
        month.map(|m| (m, dot(at + 1)))
    }

    fn vietnamese(&self, at: usize) -> Option<(Month, usize)> {
        const NAMES: [&str; 10] =
            ["một", "hai", "ba", "tư", "năm", "sáu", "bảy", "tám", "chín", "mười"];
        let at = if self.sign(at, &['.']) { at + 1 } else { at };
        if let Some((month, digits)) = self.number(at) {
            return (digits <= 2 && (1..=12).contains(&month))
                .then_some((Month::Gregorian(month), at + 1));
        }
        let month = (1..).zip(NAMES).find(|(_, n)| Some(*n) == self.word(at))?.0;
        match (month, self.word(at + 1)) {
            (10, Some("một")) => Some((Month::Gregorian(11), at + 2)),
            (10, Some("hai")) => Some((Month::Gregorian(12), at + 2)),
            _ => Some((Month::Gregorian(month), at + 1)),
        }
    }

    /// The year after a month or day, and the index of the token after it.
    fn year(&self, at: usize) -> Option<(i32, usize)> {
        let mut next = at;
        while next < at + 6
            && (self.sign(next, &[',', '.', '-', '/', '’', '\'', '،', '‘', '(', ')'])
                || self.word(next).is_some_and(|w| {
                    matches!(w, "de" | "del" | "of" | "năm" | "nam" | "พ" | "ศ" | "ค" | "d" | "จ")
                }))
        {
            next += 1;
        }
        let (year, digits) = self.number(next)?;
        let value = i32::try_from(year).ok()?;
        // A number before a colon and another number is not a year.
        if self.sign(next + 1, &[':']) && self.number(next + 2).is_some() {
            return None;
        }
        let short = next > at
            && self.sign(next - 1, &['-', '/', '\'', '’', '‘', '.'])
            && (self.glued(next - 1) || self.sign(next - 1, &['\'', '’', '‘']));
        match digits {
            4 => Some((value, next + 1)),
            2 if short => Some((self.short_year(year)?, next + 1)),
            _ => None,
        }
    }

    fn with_year(&self, month: Month, day: u32, after: usize, at: usize) -> Option<(Day, usize)> {
        if let Some((year, next)) = self.year(after) {
            let short = self.number(next - 1).is_some_and(|(_, digits)| digits == 2);
            let found = in_month(year, month, day)?;
            return Some((Day { short, ..found }, next));
        }
        let Month::Gregorian(month) = month else { return None };
        // "May 3 people" is not a date.
        let word = !self.sign(at + 1, &['.'])
            && self.word(at).is_some_and(|w| {
                matches!(w, "may" | "mar" | "mars" | "march" | "set" | "out" | "dec")
            });
        if word && after < self.all.len() && self.word(after).is_some() {
            return None;
        }
        // Short names can be words in other languages.
        let named = (at..after).filter_map(|t| self.word(t)).any(|w| {
            let own = self.context.language.is_some_and(|l| self.names.is_month_of(w, l));
            own || w.chars().count() > 4
        });
        if !named && !self.word(at).is_some_and(|w| matches!(w, "tháng" | "thg")) {
            return None;
        }
        Some((self.without_year(month, day)?, after))
    }

    /// The year for two digits: the latest one that is not after the fetch.
    pub(super) fn short_year(&self, digits: u32) -> Option<i32> {
        let digits = i32::try_from(digits).ok()?;
        let latest = match self.context.now {
            Some(now) => now.date_naive().checked_add_days(Days::new(1))?.year(),
            None => LATEST_UNKNOWN,
        };
        [2000, 1900]
            .map(|century| century + digits)
            .into_iter()
            .find(|y| (*YEARS.start()..=latest).contains(y))
    }

    /// The latest date with this month and day up to the fetch.
    pub(super) fn without_year(&self, month: u32, day: u32) -> Option<Day> {
        let today = self.context.now?.date_naive();
        let tomorrow = today.checked_add_days(Days::new(1))?;
        let mut years = (0..5).map(|back| today.year() + 1 - back);
        let day = years.find_map(|year| {
            NaiveDate::from_ymd_opt(year, month, day).filter(|d| *d <= tomorrow)
        })?;
        Some(Day { day, swapped: None, short: true, range: false })
    }
}

pub(super) fn plain(year: i32, month: u32, day: u32) -> Option<Day> {
    Some(Day {
        day: NaiveDate::from_ymd_opt(year, month, day)?,
        swapped: None,
        short: false,
        range: false,
    })
}

/// A date with the year first, in the calendar that the size of the year implies.
pub(super) fn year_month_day(year: i32, month: u32, day: u32) -> Option<Day> {
    if (1300..=1498).contains(&year) {
        return Some(Day {
            day: calendar::persian(year, month, day)?,
            swapped: None,
            short: false,
            range: false,
        });
    }
    plain(calendar::buddhist(year).unwrap_or(year), month, day)
}

fn in_month(year: i32, month: Month, day: u32) -> Option<Day> {
    match month {
        Month::Gregorian(month) => plain(calendar::buddhist(year).unwrap_or(year), month, day),
        Month::Persian(month) => Some(Day {
            day: calendar::persian(year, month, day)?,
            swapped: None,
            short: false,
            range: false,
        }),
    }
}
