//! Dates in running text that are written as numbers: `11.3.2024`, `3/11/24`, `2024年3月11日`.

use super::calendar;
use super::scan::{Day, Order, Reader, plain, year_month_day};
use super::token::{Kind, Token};
use chrono::NaiveDate;

impl Reader<'_> {
    /// `2024年3月11日`, `2024년 3월 11일`, `令和6年3月11日`, also without a year.
    pub(super) fn of_characters(&self, at: usize) -> Option<(Day, usize)> {
        let (first, digits) = self.number(at)?;
        let unit = |at: usize, units: &[char]| self.word(at).is_some_and(|w| w.starts_with(units));
        let day_at = |at: usize| {
            let (month, _) = self.number(at).filter(|_| unit(at + 1, &['月', '월']))?;
            let (day, _) = self.number(at + 2)?;
            unit(at + 3, &['日', '일', '號', '号']).then_some((month, day, at + 4))
        };
        if unit(at + 1, &['年', '년']) {
            let (month, day, next) = day_at(at + 2)?;
            let before = self.text[..self.all[at].start].trim_end();
            let short = i32::try_from(first).ok()?;
            let taiwan = (100..=150).contains(&short);
            let year = match digits {
                4 => short,
                _ => calendar::era(before, short)
                    .or_else(|| taiwan.then_some(short + 1911))
                    .or_else(|| self.short_year(first).filter(|_| digits == 2))?,
            };
            return Some((plain(year, month, day)?, next));
        }
        let (month, day, next) = day_at(at)?;
        Some((self.without_year(month, day)?, next))
    }

    /// Three numbers: `2024-03-11`, `11.3.2024`, `3/11/24`, `۱۴۰۲/۱۲/۲۱`.
    pub(super) fn numeric(&self, at: usize) -> Option<(Day, usize)> {
        let (a, a_digits) = self.number(at)?;
        let Kind::Sign(sign) = self.all.get(at + 1)?.kind else { return None };
        let (b, b_digits) = self.number(at + 2)?;
        let (c, c_digits) = self.number(at + 4)?;
        // 24/12-2025 is written in Denmark and Norway.
        let mixed = sign == '/' && self.sign(at + 3, &['-']) && c_digits == 4;
        if !matches!(sign, '.' | '/' | '-') || !self.sign(at + 3, &[sign]) && !mixed {
            return None;
        }
        if let Some(year) = self.era_letter(at) {
            return Some((plain(year, b, c)?, at + 5));
        }
        // Spaces are allowed only after dots, or around every sign.
        let tight = (at..at + 4).all(|t| self.glued(t));
        let half = self.glued(at) && self.glued(at + 2);
        if !half && sign == '-' || b_digits > 2 {
            return None;
        }
        if self.inside_number(at, at + 4, sign) {
            return None;
        }
        let found = match (a_digits, c_digits) {
            (4, 1 | 2) => year_month_day(i32::try_from(a).ok()?, b, c),
            (1 | 2, 4) => self.ordered(i32::try_from(c).ok()?, a, b, sign),
            (1 | 2, 2) if tight => self.two_digits(a, b, c, sign),
            (3, 1 | 2) if self.context.language == Some("zh") && (100..=150).contains(&a) => {
                plain(i32::try_from(a).ok()? + 1911, b, c)
            }
            _ => None,
        };
        found.map(|day| (day, at + 5))
    }

    /// The year of `R6.12.5`, in the era that the letter before the number stands for.
    fn era_letter(&self, at: usize) -> Option<i32> {
        self.context.language.filter(|l| *l == "ja")?;
        let before = at.checked_sub(1).filter(|before| self.glued(*before))?;
        let start = match self.word(before)? {
            "r" => 2018,
            "h" => 1988,
            "s" => 1925,
            _ => return None,
        };
        let (year, digits) = self.number(at)?;
        (digits <= 2).then_some(start + i32::try_from(year).ok()?)
    }

    /// `9/18(木)`, `9/18 12:05`, and `12-27` at the end of a text, in East Asian languages.
    pub(super) fn month_and_day(&self, at: usize) -> Option<(Day, usize)> {
        self.context.language.filter(|l| matches!(*l, "ja" | "zh" | "ko"))?;
        let (month, month_digits) = self.number(at)?;
        let (day, day_digits) = self.number(at + 2)?;
        let tight = self.glued(at) && self.glued(at + 1) && month_digits <= 2 && day_digits <= 2;
        let sign = if self.sign(at + 1, &['/']) { '/' } else { '-' };
        if !tight || !self.sign(at + 1, &[sign]) || self.inside_number(at, at + 2, sign) {
            return None;
        }
        let weekday = self.sign(at + 3, &['('])
            && self.word(at + 4).is_some_and(|w| {
                w.starts_with([
                    '月', '火', '水', '木', '金', '土', '日', '一', '二', '三', '四', '五', '六',
                ])
            });
        let clock = self.number(at + 3).is_some() && self.sign(at + 4, &[':']);
        let last = at + 3 == self.all.len() && month_digits == 2 && day_digits == 2;
        let dated = if sign == '/' { weekday || clock } else { last || clock };
        if !dated {
            return None;
        }
        let next = if weekday { at + 6 } else { at + 3 };
        Some((self.without_year(month, day)?, next.min(self.all.len())))
    }

    /// `12.11.`, in languages that write dates like this.
    pub(super) fn dotted_without_year(&self, at: usize) -> Option<(Day, usize)> {
        const SPACED: [&str; 6] = ["cs", "sk", "sl", "hr", "sr", "bs"];
        const DOTTED: [&str; 14] =
            ["de", "fi", "da", "no", "et", "cs", "sk", "sl", "hr", "sr", "tr", "is", "lv", "pl"];
        self.context.language.filter(|l| DOTTED.contains(l))?;
        let (day, _) = self.number(at).filter(|(_, digits)| *digits <= 2)?;
        let (month, _) = self.number(at + 2).filter(|(_, digits)| *digits <= 2)?;
        let dots = self.sign(at + 1, &['.']) && self.sign(at + 3, &['.']);
        let spaced = self.context.language.is_some_and(|l| SPACED.contains(&l));
        let glued = self.glued(at) && self.glued(at + 2) && (spaced || self.glued(at + 1));
        let longer = self.glued(at + 3) && self.number(at + 4).is_some();
        if !dots || !glued || longer || self.inside_number(at, at + 2, '.') {
            return None;
        }
        Some((self.without_year(month, day)?, at + 4))
    }

    /// Whether three numbers are part of something longer: a version, an address, a price.
    fn inside_number(&self, first: usize, last: usize, sign: char) -> bool {
        let before = first.checked_sub(1).and_then(|at| self.all.get(at));
        let joined = |t: &Token<'_>, end: usize| t.end == end;
        let before = before.is_some_and(|t| {
            let glued = joined(t, self.all[first].start);
            glued
                && (t.is_sign(&['.', '-', '/', '+', ':', '#', '$', '€', '£', '_', '='])
                    && first >= 2
                    && (self.number(first - 2).is_some()
                        || t.is_sign(&['#', '$', '€', '£', '+', '=']))
                    || matches!(t.text, "v" | "r" | "version"))
                || matches!(
                    t.text,
                    "version"
                        | "v"
                        | "versión"
                        | "versione"
                        | "versie"
                        | "ver"
                        | "release"
                        | "build"
                        | "ip"
                )
        });
        let after = self.all.get(last + 1).is_some_and(|t| {
            t.start == self.all[last].end
                && (t.is_sign(&[sign]) && self.glued(last + 1) && self.number(last + 2).is_some()
                    || t.is_sign(&['%', '€', '$'])
                    || t.is_sign(&['-'])
                        && self.glued(last + 1)
                        && self.word(last + 2).is_some_and(|w| w.chars().count() <= 2))
        });
        before || after
    }

    /// Day and month in the order that the page uses, with a four-digit year.
    fn ordered(&self, year: i32, a: u32, b: u32, sign: char) -> Option<Day> {
        if let Some(year) = calendar::buddhist(year) {
            return plain(year, b, a);
        }
        if (1300..=1500).contains(&year) {
            return Some(Day {
                day: calendar::persian(year, b, a)?,
                swapped: None,
                short: false,
                range: false,
            });
        }
        let day_first = NaiveDate::from_ymd_opt(year, b, a);
        let month_first = NaiveDate::from_ymd_opt(year, a, b);
        let (day, swapped) = match (day_first, month_first) {
            (Some(day), None) | (None, Some(day)) => (day, None),
            (Some(day), Some(_)) if sign == '.' => (day, None),
            (Some(day), Some(other)) => match self.context.order {
                Some(Order::MonthFirst) => (other, None),
                Some(Order::DayFirst) => (day, None),
                None => (day, Some(other)),
            },
            (None, None) => return None,
        };
        Some(Day { day, swapped, short: false, range: false })
    }

    /// `11.3.24`, `3/11/24`. In Korean, Hungarian and some other languages the year comes first.
    fn two_digits(&self, a: u32, b: u32, c: u32, sign: char) -> Option<Day> {
        let year_first = || plain(self.short_year(a)?, b, c);
        let year_last = || self.ordered(self.short_year(c)?, a, b, sign);
        let language = self.context.language;
        let day = match (language, sign) {
            (Some("ko" | "ja" | "zh" | "hu" | "lt"), _) => year_first(),
            (Some("nl" | "da" | "pt"), _) | (_, '.' | '/') => year_last(),
            // 24-03-11 and 11-03-24 have the same form.
            _ => self.only([year_first(), year_last()]),
        };
        Some(Day { short: true, ..day? })
    }

    /// The only day that is not after the fetch; `None` if both are possible.
    fn only(&self, days: [Option<Day>; 2]) -> Option<Day> {
        let today = self.context.now?.date_naive();
        let possible = |day: &Day| day.day <= today || day.swapped.is_some_and(|d| d <= today);
        let mut possible = days.into_iter().flatten().filter(possible);
        possible.next().filter(|day| day.swapped.is_none()).filter(|_| possible.next().is_none())
    }
}
