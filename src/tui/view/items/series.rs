//! Shortens the titles of a series in the middle, because they begin alike and would otherwise look the same.

use crate::model::ItemRow;
use crate::util::text;
use std::collections::HashMap;
use std::ops::Range;

/// Separator in place of the omitted part.
const GAP: &str = " … ";

/// The number of bytes that each title shares with the start of another title, by row key of the item.
/// Contains only titles with at least [`MIN`] shared bytes.
#[derive(Debug, Default)]
pub(in crate::tui) struct Series(HashMap<i64, usize>);

/// Minimum number of bytes in a common prefix for titles to be shortened.
const MIN: usize = 8;

impl Series {
    pub(in crate::tui) fn of(rows: &[ItemRow]) -> Self {
        let mut titles: Vec<&str> = rows.iter().map(|row| row.title.as_str()).collect();
        titles.sort_unstable();
        titles.dedup();
        // In sorted order, the titles with the longest common prefix are adjacent.
        let after: Vec<usize> = titles.windows(2).map(|pair| common(pair[0], pair[1])).collect();
        let alike = |title: &str| {
            let at = titles.binary_search(&title).ok()?;
            let before = at.checked_sub(1).and_then(|before| after.get(before));
            before.max(after.get(at)).copied().filter(|bytes| *bytes >= MIN)
        };
        let found = rows.iter().filter_map(|row| Some((row.key, alike(&row.title)?)));
        Self(found.collect())
    }

    /// The visible start and end of an item's title, if another title has the same visible start.
    pub(super) fn parts<'a>(
        &self,
        item: i64,
        title: &'a str,
        space: usize,
    ) -> Option<(&'a str, &'a str)> {
        parts(title, *self.0.get(&item)?, space)
    }
}

/// The visible start and end of a title that is wider than `space`, if another title begins with the same
/// visible text. `alike` is the number of bytes in the common prefix.
fn parts(title: &str, alike: usize, space: usize) -> Option<(&str, &str)> {
    if text::width(title) <= space {
        return None;
    }
    // The last cell is for the ellipsis.
    let seen = text::truncate(title, space).trim_end_matches('…').len();
    // The title may have changed since `alike` was computed.
    if alike < seen || !title.is_char_boundary(alike) {
        return None;
    }
    let is_inside = |c: char| c.is_alphanumeric() || matches!(c, '.' | '-' | '\'' | '’');
    let word = match title[alike..].starts_with(is_inside) {
        true => title[..alike].trim_end_matches(is_inside).len(),
        false => alike,
    };
    // Scripts without spaces have no start of a word to move back to.
    let from = if word * 2 > alike { word } else { alike };
    let end = title[from..].trim_start_matches(|c: char| !c.is_alphanumeric());
    let gap = text::width(GAP);
    let most = space.saturating_sub(gap + text::width(end)).max(space / 3);
    let start = text::truncate(title, most + 1);
    let start = start.trim_end_matches('…').len();
    let start = title.get(..start)?;
    let start = match start.rfind(' ') {
        Some(blank) if !title[start.len()..].starts_with(' ') => &start[..blank],
        _ => start,
    };
    let start = start.trim_end_matches(|c: char| !c.is_alphanumeric());
    (!start.is_empty() && !end.is_empty()).then_some((start, end))
}

/// Length in bytes of the longest common prefix.
fn common(a: &str, b: &str) -> usize {
    let same = a.char_indices().zip(b.chars()).find(|((_, a), b)| a != b);
    same.map_or(a.len().min(b.len()), |((at, _), _)| at)
}

/// A title of `len` bytes with its middle left out, and the byte ranges of its hits that are still visible.
pub(super) fn joined(
    (start, end): (&str, &str),
    len: usize,
    hits: &[Range<usize>],
) -> (String, Vec<Range<usize>>) {
    let joined = format!("{start}{GAP}{end}");
    // The end of the title begins here.
    let from = len.saturating_sub(end.len());
    let moved = |at: usize| at - from + start.len() + GAP.len();
    let seen = hits.iter().filter_map(|hit| match hit.start >= from {
        true => Some(moved(hit.start)..moved(hit.end)),
        false => (hit.end <= start.len()).then(|| hit.clone()),
    });
    (joined, seen.collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tui::tests::stock::item_rows;

    const SERIES: [&str; 5] = [
        "Building an Enterprise Data Access Layer: Composable Row-Level Security",
        "Building an Enterprise Data Access Layer: Automated Auditing",
        "Building an Enterprise Data Access Layer: Automatic Soft-Delete",
        "Building a boat",
        "日本語の文章の組み方について、第一回 はじめに",
    ];

    /// The shortened title in a list with other titles.
    fn among(title: &str, others: &[&str], space: usize) -> Option<String> {
        let titles: Vec<&str> = others.iter().copied().chain([title]).collect();
        let first = item_rows().remove(0);
        let row = |(key, title): (i64, &&str)| ItemRow {
            key,
            title: (*title).to_owned(),
            ..first.clone()
        };
        let rows: Vec<ItemRow> = (1..).zip(&titles).map(row).collect();
        let last = rows.last().unwrap();
        let series = Series::of(&rows);
        let parts = series.parts(last.key, &last.title, space)?;
        Some(joined(parts, last.title.len(), &[]).0)
    }

    fn shown(title: &str, space: usize) -> Option<String> {
        among(title, &SERIES, space)
    }

    #[test]
    fn shows_how_titles_with_a_common_prefix_differ() {
        for (title, space, expected) in [
            (SERIES[0], 38, Some("Building an … Composable Row-Level Security")),
            (SERIES[1], 38, Some("Building an … Automated Auditing")),
            (SERIES[1], 43, Some("Building an Enterprise … Automated Auditing")),
            // Words are not split, even if two words begin alike.
            (SERIES[2], 30, Some("Building … Automatic Soft-Delete")),
            // A title that fits, or differs in its visible part, is not changed.
            (SERIES[3], 30, None),
            (SERIES[0], 80, None),
            (SERIES[0], 60, None),
        ] {
            assert_eq!(shown(title, space).as_deref(), expected, "{title} {space}");
        }
        let other = "日本語の文章の組み方について、第二回 行の折り返し";
        let found = among(SERIES[4], &[other], 24);
        assert_eq!(found.as_deref(), Some("日本語の … 第一回 はじめに"));
    }

    #[test]
    fn hits_outside_the_omitted_part_move_with_the_title() {
        let title = "Building an Enterprise Data Access Layer: Automated Auditing";
        let at = |word: &str| title.find(word).map(|at| at..at + word.len()).unwrap();
        let hits = [at("Building"), at("Data"), at("Auditing")];
        let (shown, seen) = joined(("Building an", "Automated Auditing"), title.len(), &hits);
        let seen: Vec<&str> = seen.into_iter().map(|hit| &shown[hit]).collect();
        assert_eq!(seen, ["Building", "Auditing"], "{shown}");
    }

    #[test]
    fn does_not_change_equal_titles_and_prefixes() {
        for (title, other) in [
            ("A rather long title of an item", "A rather long title of an item"),
            ("A rather long title of an item", "A rather"),
            ("a                              ", "a                               b"),
        ] {
            assert_eq!(among(title, &[other], 12), None, "{title}");
        }
        // The longer of two titles is shortened.
        let found = among("A rather long title, part two", &["A rather long title"], 14);
        assert_eq!(found.as_deref(), Some("A … part two"));
        // A title that changes while the list is shown is not split at the old offset.
        assert_eq!(parts("é".repeat(20).as_str(), 15, 6), None);
    }
}
