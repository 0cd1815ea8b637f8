//! Conversion from other calendars to the Gregorian calendar.

use chrono::{Days, NaiveDate};

/// A day of the Persian (solar Hijri) calendar, by the arithmetic of its 33-year cycle, which
/// agrees with the official calendar from 1206 to 1498.
pub(super) fn persian(year: i32, month: u32, day: u32) -> Option<NaiveDate> {
    if !(1206..=1498).contains(&year) || !(1..=12).contains(&month) {
        return None;
    }
    let leap = (25 * year + 11) % 33 < 8;
    let length = match month {
        1..=6 => 31,
        12 if !leap => 29,
        _ => 30,
    };
    if !(1..=length).contains(&day) {
        return None;
    }
    let earlier: i32 = (1206..year).map(|y| 365 + i32::from((25 * y + 11) % 33 < 8)).sum();
    let months = (month - 1) * 31 - (month - 1).saturating_sub(6);
    // 1 Farvardin 1206 was 22 March 1827.
    let days = u64::try_from(earlier).ok()? + u64::from(months + day - 1);
    NaiveDate::from_ymd_opt(1827, 3, 22)?.checked_add_days(Days::new(days))
}

/// The Gregorian year for a year of the Thai Buddhist era.
pub(super) fn buddhist(year: i32) -> Option<i32> {
    (2500..=2643).contains(&year).then(|| year - 543)
}

/// The Gregorian year for a year in an era that is named in the text before the number: the Japanese eras and
/// the era of the Republic of China.
pub(super) fn era(before: &str, year: i32) -> Option<i32> {
    let first = [("令和", 2019), ("平成", 1989), ("昭和", 1926), ("民國", 1912), ("民国", 1912)];
    let (_, start) = first.iter().find(|(name, _)| before.ends_with(name))?;
    (1..=150).contains(&year).then(|| start + year - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn converts_persian_days() {
        let cases = [
            ((1402, 12, 21), "2024-03-11"),
            ((1403, 1, 1), "2024-03-20"),
            ((1403, 12, 30), "2025-03-20"),
            ((1404, 1, 1), "2025-03-21"),
            ((1399, 12, 30), "2021-03-20"),
            ((1400, 7, 1), "2021-09-23"),
            ((1405, 9, 1), "2026-11-22"),
            ((1357, 11, 22), "1979-02-11"),
        ];
        for ((y, m, d), want) in cases {
            assert_eq!(persian(y, m, d).map(|d| d.to_string()).as_deref(), Some(want), "{y}");
        }
        for (y, m, d) in [(1402, 12, 30), (1402, 13, 1), (1402, 7, 31), (2024, 1, 1)] {
            assert_eq!(persian(y, m, d), None, "{y} {m} {d}");
        }
    }

    #[test]
    fn converts_years_of_eras() {
        assert_eq!(buddhist(2567), Some(2024));
        assert_eq!(era("令和", 6), Some(2024));
        assert_eq!(era("平成", 31), Some(2019));
        assert_eq!(era("中華民國", 113), Some(2024));
        assert_eq!(era("西暦", 2024), None);
    }
}
