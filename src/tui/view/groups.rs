//! Groups of a list: by source, or, if the list is sorted by date: today, yesterday, this week, last week,
//! the months of the last year, and earlier years.

use super::super::app::{App, ItemsPane};
use crate::config::{Grouping, SortOrder};
use crate::model::{ItemRow, Time};
use crate::util::clock::start_of_day;
use chrono::{Datelike, Days, Local, Months, NaiveDate};
use std::cell::Cell;

/// A group of rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Group {
    /// Rows that a search lists first because of their titles.
    Title,
    /// Pinned rows, which come first regardless of their dates.
    Pinned,
    /// Rows dated in `from..to`.
    Dated(Time, Time),
    /// Undated rows that were found today by the first poll of their source.
    Undated,
    /// Rows of a source, by row key.
    Of(i64),
}

/// Assigns the rows of a list to groups.
pub(super) struct Groups {
    by_source: bool,
    now: Time,
    /// Starts of today, yesterday, this week and last week.
    starts: [Time; 4],
    /// Number of rows at the top of the list that are there because of their titles.
    titles: usize,
    /// Number of pinned rows below the title matches.
    pinned: usize,
    /// The group of the previous row. It is cached, because the next row is usually in the same group, and
    /// computing months is slow.
    last: Cell<Option<(Time, Time)>>,
}

impl Groups {
    /// The groups of the list.
    pub(super) fn new(app: &App) -> Self {
        let items = &app.items;
        match app.grouping() {
            Grouping::Source => {
                Self { by_source: true, ..Self::of_rows(&[], items.shown_order(), false, app.now) }
            }
            Grouping::Day | Grouping::None => {
                Self::of_rows(&items.rows, items.shown_order(), !items.more_above, app.now)
            }
        }
    }

    fn of_rows(rows: &[ItemRow], order: SortOrder, from_top: bool, now: Time) -> Self {
        let today = now.with_timezone(&Local).date_naive();
        let week = today - Days::new(today.weekday().num_days_from_monday().into());
        let yesterday = today - Days::new(1);
        let start = |day: NaiveDate| start_of_day(day, &Local).unwrap_or(now);
        let starts = [start(today), start(yesterday), start(week), start(week - Days::new(7))];
        let top = if from_top { rows } else { &[] };
        let titles = top.iter().take_while(|row| row.by_title).count();
        let is_pinned = |row: &&ItemRow| row.pinned && order == SortOrder::PinnedNewest;
        let pinned = top[titles..].iter().take_while(is_pinned).count();
        Self { by_source: false, now, starts, titles, pinned, last: Cell::new(None) }
    }

    /// The group of the row at an index.
    pub(super) fn of(&self, rows: &[ItemRow], index: usize) -> Group {
        if let Some(row) = rows.get(index).filter(|_| self.by_source) {
            return Group::Of(row.source_key);
        }
        if index < self.titles {
            return Group::Title;
        }
        if index < self.titles + self.pinned {
            return Group::Pinned;
        }
        if rows.get(index).is_some_and(|row| self.is_undated(row)) {
            return Group::Undated;
        }
        let date = rows.get(index).map_or(self.now, |row| row.date);
        let last = self.last.get().filter(|(from, to)| (*from..*to).contains(&date));
        let (from, to) = last.unwrap_or_else(|| self.around(date));
        self.last.set(Some((from, to)));
        Group::Dated(from, to)
    }

    /// Whether the item has no date and was found today by the first poll of its source. Such items are
    /// sorted below the items of yesterday; on later days, they are grouped by the date that sorts them.
    fn is_undated(&self, row: &ItemRow) -> bool {
        let [today, yesterday, ..] = self.starts;
        row.date < yesterday && row.found.is_some_and(|found| found >= today)
    }

    /// Start and end of the group that contains a date.
    fn around(&self, date: Time) -> (Time, Time) {
        let [today, yesterday, week, last_week] = self.starts;
        match date {
            date if date >= today => (today, Time::MAX_UTC),
            date if date >= yesterday => (yesterday, today),
            date if date >= week => (week, yesterday),
            date if date >= last_week => (last_week, week.min(yesterday)),
            date => {
                let (_, from, to) = self.month(date);
                (from, to.min(last_week))
            }
        }
    }

    /// The label above the rows of a group.
    pub(super) fn label(&self, app: &App, group: Group) -> String {
        match group {
            Group::Of(source) => {
                let entry = app.sources.entry(source);
                entry.map(|s| app.sources.name(s, usize::MAX).into_owned()).unwrap_or_default()
            }
            Group::Title => "Matching title".to_owned(),
            Group::Pinned => "Pinned".to_owned(),
            Group::Undated => "No date".to_owned(),
            Group::Dated(from, _) => self.label_from(from),
        }
    }

    /// The label of the group that starts at this time.
    fn label_from(&self, from: Time) -> String {
        let [today, yesterday, week, last_week] = self.starts;
        let label = match from {
            from if from >= today => "Today",
            from if from >= yesterday => "Yesterday",
            from if from >= week => "Earlier this week",
            from if from >= last_week => "Last week",
            from => return self.month(from).0,
        };
        label.to_owned()
    }

    /// The label of the month that contains a date (with the year, unless it is the current one), its start
    /// and its end. Dates before the last twelve months are grouped by year, because in old lists most months
    /// have only one item. The latest of these years ends where the months begin.
    fn month(&self, date: Time) -> (String, Time, Time) {
        let day = date.with_timezone(&Local).date_naive();
        let today = self.now.with_timezone(&Local).date_naive();
        let first_of = |day: NaiveDate| day.with_day(1).unwrap_or(day);
        let start = |day: NaiveDate| start_of_day(day, &Local).unwrap_or(date);
        let by_month = first_of(today).checked_sub_months(Months::new(11)).unwrap_or(today);
        if day < by_month {
            let first = first_of(day).with_month(1).unwrap_or(day);
            let next = first.checked_add_months(Months::new(12)).unwrap_or(first).min(by_month);
            return (years_label(first, next), start(first), start(next));
        }
        let next = first_of(day).checked_add_months(Months::new(1)).unwrap_or(day);
        let same_year = today.year() == day.year();
        let label = first_of(day).format(if same_year { "%B" } else { "%B %Y" }).to_string();
        (label, start(first_of(day)), start(next))
    }

    /// Whether the row is the first one of its group.
    pub(super) fn is_first(&self, rows: &[ItemRow], index: usize) -> bool {
        index == 0 || self.of(rows, index) != self.of(rows, index - 1)
    }

    /// Number of rows in a group; `None` if the group may have more rows than are loaded.
    pub(super) fn count(&self, items: &ItemsPane, group: Group) -> Option<usize> {
        self.count_rows(&items.rows, group, items.more_above, items.more_below)
    }

    fn count_rows(
        &self,
        rows: &[ItemRow],
        group: Group,
        more_above: bool,
        more_below: bool,
    ) -> Option<usize> {
        let inside = |row: &&ItemRow| match group {
            Group::Title | Group::Pinned => true,
            Group::Dated(from, to) => (from..to).contains(&row.date) && !self.is_undated(row),
            Group::Undated => self.is_undated(row),
            Group::Of(source) => row.source_key == source,
        };
        let top = self.titles + self.pinned;
        match group {
            Group::Title => return Some(self.titles),
            Group::Pinned => return (top < rows.len() || !more_below).then_some(self.pinned),
            _ => {}
        }
        let dated = rows.get(top..).unwrap_or_default();
        let reaches = |row: Option<&ItemRow>| row.as_ref().is_some_and(inside);
        if (more_above && reaches(dated.first())) || (more_below && reaches(dated.last())) {
            return None;
        }
        Some(dated.iter().filter(inside).count())
    }
}

/// The label of a year, or of its months before `next`.
fn years_label(first: NaiveDate, next: NaiveDate) -> String {
    let last = next.pred_opt().unwrap_or(first);
    match last.month() {
        12 => first.format("%Y").to_string(),
        1 => first.format("%B %Y").to_string(),
        _ => format!("Earlier in {}", first.format("%Y")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tui::tests::stock::item_rows;
    use chrono::{TimeDelta, TimeZone};

    fn rows(ages: &[i64], now: Time) -> Vec<ItemRow> {
        let row = item_rows().remove(0);
        let dated = |hours: &i64| ItemRow {
            date: now - TimeDelta::hours(*hours),
            pinned: false,
            ..row.clone()
        };
        ages.iter().map(dated).collect()
    }

    fn labels(groups: &Groups, rows: &[ItemRow]) -> Vec<String> {
        let label = |i| match groups.of(rows, i) {
            Group::Dated(from, _) => groups.label_from(from),
            other => format!("{other:?}"),
        };
        (0..rows.len()).map(label).collect()
    }

    #[test]
    fn first_items_without_a_date_are_a_group() {
        let noon = Local.with_ymd_and_hms(2026, 11, 19, 12, 0, 0).unwrap().to_utc();
        let mut rows = rows(&[1, 13, 36, 37, 40], noon);
        rows[3].date = noon - TimeDelta::hours(36) - TimeDelta::seconds(1);
        rows[3].found = Some(noon);
        let groups = Groups::of_rows(&rows, SortOrder::Newest, true, noon);
        let expected = ["Today", "Yesterday", "Yesterday", "Undated", "Earlier this week"];
        assert_eq!(labels(&groups, &rows), expected);
        let count = |index| groups.count_rows(&rows, groups.of(&rows, index), false, false);
        assert_eq!([0, 1, 3, 4].map(count), [Some(1), Some(2), Some(1), Some(1)]);
        // On later days, they are grouped by date.
        let next_day = noon + TimeDelta::days(1);
        let groups = Groups::of_rows(&rows, SortOrder::Newest, true, next_day);
        assert_eq!(labels(&groups, &rows)[3], "Earlier this week");
    }

    #[test]
    fn groups_by_day_week_and_month() {
        // A Thursday at noon.
        let noon = Local.with_ymd_and_hms(2026, 11, 19, 12, 0, 0).unwrap().to_utc();
        let rows = rows(
            &[0, 11, 13, 37, 40, 85, 120, 24 * 30, 24 * 340, 24 * 400, 24 * 700, 24 * 750],
            noon,
        );
        let groups = Groups::of_rows(&rows, SortOrder::Newest, true, noon);
        let labels = labels(&groups, &rows);
        let expected = [
            "Today",
            "Today",
            "Yesterday",
            "Earlier this week",
            "Earlier this week",
            "Last week",
            "Last week",
            "October",
            "December 2025",
            "Earlier in 2025",
            "2024",
            "2024",
        ];
        assert_eq!(labels, expected);
        let firsts: Vec<usize> = (0..rows.len()).filter(|i| groups.is_first(&rows, *i)).collect();
        assert_eq!(firsts, [0, 2, 3, 5, 7, 8, 9, 10]);
        let week = groups.of(&rows, 5);
        assert_eq!(groups.count_rows(&rows, week, true, true), Some(2));
        let today = groups.of(&rows, 0);
        assert_eq!(groups.count_rows(&rows, today, true, false), None);
        assert_eq!(groups.count_rows(&rows, today, false, true), Some(2));
    }

    #[test]
    fn does_not_list_a_year_in_addition_to_its_months() {
        // The current day, the age of the item in days, and its group.
        for (now, age, expected) in [
            ((2026, 12, 31), 400, "2025"),
            ((2026, 1, 1), 340, "January 2025"),
            ((2026, 1, 1), 330, "February 2025"),
            ((2026, 2, 1), 360, "Earlier in 2025"),
            ((2026, 2, 1), 400, "2024"),
        ] {
            let (year, month, day) = now;
            let noon = Local.with_ymd_and_hms(year, month, day, 12, 0, 0).unwrap().to_utc();
            let rows = rows(&[24 * age], noon);
            let groups = Groups::of_rows(&rows, SortOrder::Newest, true, noon);
            assert_eq!(labels(&groups, &rows), [expected], "{now:?} {age}");
        }
    }

    #[test]
    fn groups_pinned_rows_at_the_top() {
        let noon = Local.with_ymd_and_hms(2026, 11, 19, 12, 0, 0).unwrap().to_utc();
        let mut rows = rows(&[500, 1, 2, 600], noon);
        rows[0].pinned = true;
        rows[2].pinned = true;
        let groups = Groups::of_rows(&rows, SortOrder::PinnedNewest, true, noon);
        let labels = labels(&groups, &rows);
        assert_eq!(labels, ["Pinned", "Today", "Today", "October"]);
        assert_eq!(groups.count_rows(&rows, groups.of(&rows, 0), false, true), Some(1));
    }
}
