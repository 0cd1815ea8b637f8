//! Ranges of days, written as their first and last day.

use super::scan::{FoundDate, Reader};

const DASH: [char; 4] = ['-', '–', '—', '~'];

/// Marks two dates with only a dash between them as the first and last day of a range. If the later date
/// comes first, they are something else, such as the dates of an update and of the publication.
pub(super) fn join(text: &str, dates: &mut [FoundDate]) {
    for at in 1..dates.len() {
        let [first, last] = &mut dates[at - 1..=at] else { continue };
        let between = text.get(first.at.end..last.at.start).unwrap_or_default().trim();
        let mut signs = between.chars();
        let dash = signs.next().is_some_and(|c| DASH.contains(&c)) && signs.next().is_none();
        if dash && (first.day < last.day || first.swapped.is_some()) {
            (first.range, last.range) = (true, true);
        }
    }
}

impl Reader<'_> {
    /// Whether a date is one end of a range of days.
    pub(super) fn is_range(&self, at: usize, next: usize) -> bool {
        let before = at >= 2
            && self.sign(at - 1, &DASH)
            && (self.number(at - 2).is_some_and(|(n, d)| d <= 2 && n <= 31)
                || at >= 3 && self.number(at - 3).is_some() && self.sign(at - 2, &['.'])
                || self.ends_month_after_day(at - 2));
        // "3 May 2024 - 5 comments" is not a range.
        let counts = |at: usize| self.word(at).is_some() && self.month(at).is_none();
        let after = self.sign(next, &DASH)
            && self.number(next + 1).is_some_and(|(n, d)| d <= 2 && (1..=31).contains(&n))
            && !self.sign(next + 2, &[':'])
            && !counts(next + 2);
        before || after
    }

    /// Whether a token is the end of a day without a year: `1 April`, `1. Apr.`.
    fn ends_month_after_day(&self, at: usize) -> bool {
        let month = if self.sign(at, &['.']) { at.checked_sub(1) } else { Some(at) };
        let Some(month) = month.filter(|month| self.month(*month).is_some()) else { return false };
        let day = match month.checked_sub(1) {
            Some(dot) if self.sign(dot, &['.']) => dot.checked_sub(1),
            day => day,
        };
        day.and_then(|day| self.number(day)).is_some_and(|(n, d)| d <= 2 && (1..=31).contains(&n))
    }
}
