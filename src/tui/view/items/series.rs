//! Titles of a series, which begin alike: cut in the middle, so that they differ where they are cut short.

use crate::util::text;

/// Sign of what is left out.
const GAP: &str = " … ";

/// The start and the end of a title with more than `space` cells, if another title has the same visible start.
pub(super) fn parts<'a>(
    title: &'a str,
    others: impl Iterator<Item = &'a str>,
    space: usize,
) -> Option<(&'a str, &'a str)> {
    if text::width(title) <= space {
        return None;
    }
    // The last cell is the sign of the cut.
    let seen = text::truncate(title, space).trim_end_matches('…').len();
    let alike = others.filter(|other| *other != title).map(|other| common(title, other)).max()?;
    if alike < seen {
        return None;
    }
    let is_inside = |c: char| c.is_alphanumeric() || matches!(c, '.' | '-' | '\'' | '’');
    let word = match title[alike..].starts_with(is_inside) {
        true => title[..alike].trim_end_matches(is_inside).len(),
        false => alike,
    };
    // Scripts without blanks have no words to go back to.
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

/// Length in bytes of the common start of two texts.
fn common(a: &str, b: &str) -> usize {
    let same = a.char_indices().zip(b.chars()).find(|((_, a), b)| a != b);
    same.map_or(a.len().min(b.len()), |((at, _), _)| at)
}

/// The title with its middle left out.
pub(super) fn joined((start, end): (&str, &str)) -> String {
    format!("{start}{GAP}{end}")
}

#[cfg(test)]
mod tests {
    use super::*;

    const SERIES: [&str; 5] = [
        "Building an Enterprise Data Access Layer: Composable Row-Level Security",
        "Building an Enterprise Data Access Layer: Automated Auditing",
        "Building an Enterprise Data Access Layer: Automatic Soft-Delete",
        "Building a boat",
        "日本語の文章の組み方について、第一回 はじめに",
    ];

    fn shown(title: &str, space: usize) -> Option<String> {
        parts(title, SERIES.into_iter(), space).map(joined)
    }

    #[test]
    fn titles_that_begin_alike_show_how_they_differ() {
        for (title, space, expected) in [
            (SERIES[0], 38, Some("Building an … Composable Row-Level Security")),
            (SERIES[1], 38, Some("Building an … Automated Auditing")),
            (SERIES[1], 43, Some("Building an Enterprise … Automated Auditing")),
            // Words are not cut, although two begin alike.
            (SERIES[2], 30, Some("Building … Automatic Soft-Delete")),
            // What fits, and what differs in its visible part.
            (SERIES[3], 30, None),
            (SERIES[0], 80, None),
            (SERIES[0], 60, None),
        ] {
            assert_eq!(shown(title, space).as_deref(), expected, "{title} {space}");
        }
        let other = "日本語の文章の組み方について、第二回 行の折り返し";
        let found = parts(SERIES[4], [other].into_iter(), 24).map(joined);
        assert_eq!(found.as_deref(), Some("日本語の … 第一回 はじめに"));
    }

    #[test]
    fn equal_titles_and_prefixes_of_others_are_left_as_they_are() {
        for (title, other) in [
            ("A rather long title of an item", "A rather long title of an item"),
            ("A rather long title of an item", "A rather"),
            ("a                              ", "a                               b"),
        ] {
            assert_eq!(parts(title, [other].into_iter(), 12), None, "{title}");
        }
        // The longer one of two.
        let found = parts("A rather long title, part two", ["A rather long title"].into_iter(), 14);
        assert_eq!(found, Some(("A", "part two")));
    }
}
