//! Dates written in numbers in running text: `11.3.2024`, `3/11/24`, `2024年3月11日`.

use super::calendar;
use super::scan::{Day, Order, Reader, YEARS, plain, year_month_day};
use super::token::{Kind, Token};
use chrono::{Datelike, NaiveDate};

impl Reader<'_> {
    /// `2024年3月11日`, `2024년 3월 11일`, `令和6年3月11日`, and without a year.
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
                    .or_else(|| (digits == 2).then_some(2000 + short))?,
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
        if !matches!(sign, '.' | '/' | '-') || !self.sign(at + 3, &[sign]) {
            return None;
        }
        let (b, b_digits) = self.number(at + 2)?;
        let (c, c_digits) = self.number(at + 4)?;
        // Spaces only after dots, or around every sign.
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

    /// `12.11.`, where dates are written like this.
    pub(super) fn dotted_without_year(&self, at: usize) -> Option<(Day, usize)> {
        const DOTTED: [&str; 14] =
            ["de", "fi", "da", "no", "et", "cs", "sk", "sl", "hr", "sr", "tr", "is", "lv", "pl"];
        self.context.language.filter(|l| DOTTED.contains(l))?;
        let (day, _) = self.number(at).filter(|(_, digits)| *digits <= 2)?;
        let (month, _) = self.number(at + 2).filter(|(_, digits)| *digits <= 2)?;
        let dots = self.sign(at + 1, &['.']) && self.sign(at + 3, &['.']);
        let glued = (at..at + 3).all(|t| self.glued(t));
        let longer = self.glued(at + 3) && self.number(at + 4).is_some();
        if !dots || !glued || longer || self.inside_number(at, at + 2, '.') {
            return None;
        }
        Some((self.without_year(month, day)?, at + 4))
    }

    /// Whether three numbers are a part of something longer: a version, an address, a price.
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
                    || t.is_sign(&['%', '€', '$']))
        });
        before || after
    }

    /// Day and month in the order of the page, and a year of four digits.
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

    /// `11.3.24`, `3/11/24`. In Korean, Hungarian and others the year comes first.
    fn two_digits(&self, a: u32, b: u32, c: u32, sign: char) -> Option<Day> {
        let this = self.context.now.map_or(*YEARS.end(), |n| n.year() + 1);
        let year = |n: u32| i32::try_from(n).ok().map(|n| 2000 + n).filter(|y| *y <= this);
        let year_first = matches!(self.context.language, Some("ko" | "ja" | "zh" | "hu" | "lt"));
        if sign == '-' && !year_first {
            // 24-03-11 and 11-03-24 have the same form.
            return None;
        }
        let day = if year_first {
            Day { short: true, ..plain(year(a)?, b, c)? }
        } else {
            Day { short: true, ..self.ordered(year(c)?, a, b, sign)? }
        };
        Some(day)
    }
}
