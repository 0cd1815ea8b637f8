//! The elements of arrays of tables, such as `[[source]]`, with their comments. Removes, moves and inserts
//! them byte for byte.

use super::splice::{
    SpliceError, attached_start, find_element, line_start, newline, next_line, skip_lines,
    whole_end,
};
use std::ops::Range;
use toml_edit::{Document, Item, Table};

/// The byte range of each element, with its comments and the blank lines after it. `None` if an element is
/// not written below a header of its own.
pub(crate) fn element_ranges(
    text: &str,
    starts: &[usize],
) -> Result<Option<Vec<Range<usize>>>, SpliceError> {
    let document = Document::parse(text)?;
    let tables = starts.iter().map(|start| Some((*start, find_element(&document, *start)?)));
    Ok(tables.map(|found| found.map(|(start, table)| range_of(text, start, table))).collect())
}

fn range_of(text: &str, start: usize, table: &Table) -> Range<usize> {
    let mut end = next_line(text, whole_end(table));
    // Comments directly below belong to the element, unless they are directly above the next header.
    let comments = skip_lines(text, end, |line| line.starts_with('#'));
    let below = &text[comments..];
    if below.trim_start_matches([' ', '\t']).starts_with(['\r', '\n']) || below.is_empty() {
        end = comments;
    }
    attached_start(text, line_start(text, start))..skip_lines(text, end, str::is_empty)
}

/// The text without these ranges, which are in ascending order. Blank lines that would be left at the end are
/// removed.
pub(crate) fn cut(text: &str, ranges: &[Range<usize>]) -> String {
    let mut new = String::with_capacity(text.len());
    let mut done = 0;
    for range in ranges {
        new.push_str(&text[done..range.start]);
        done = range.end;
    }
    if done == text.len() {
        let kept = new.trim_end_matches([' ', '\t', '\r', '\n']).len();
        new.truncate(next_line(&new, kept));
    }
    new.push_str(&text[done..]);
    new
}

/// Moves ranges, which are in ascending order, to a position outside them. They stay separated by blank lines
/// if the text has any.
pub(crate) fn shift(text: &str, ranges: &[Range<usize>], at: usize) -> String {
    let newline = newline(text);
    let airy = text.contains("\n\n") || text.contains("\n\r\n");
    let without = |from: usize, to: usize| {
        let mut kept = String::new();
        let mut done = from;
        for range in ranges.iter().filter(|r| from <= r.start && r.end <= to) {
            kept.push_str(&text[done..range.start]);
            done = range.end;
        }
        kept.push_str(&text[done..to]);
        kept
    };
    let mut new = String::with_capacity(text.len() + 2);
    let ranges_between = ranges.iter().map(|range| text[range.clone()].to_owned());
    let pieces =
        [without(0, at)].into_iter().chain(ranges_between).chain([without(at, text.len())]);
    for piece in pieces.filter(|piece| !piece.is_empty()) {
        let filled = !new.trim_start_matches('\u{feff}').is_empty();
        if filled && !new.ends_with('\n') {
            new.push_str(newline);
        }
        let parted = new.ends_with("\n\n") || new.ends_with("\n\r\n");
        let last = new.lines().next_back().unwrap_or_default().trim_start();
        // Without a blank line, two comments would merge.
        let merges = last.starts_with('#') && piece.starts_with('#');
        if filled && !parted && (airy || merges) && !piece.starts_with(['\r', '\n']) {
            new.push_str(newline);
        }
        new.push_str(&piece);
    }
    // Blank lines between two elements would now be at the end.
    let kept = new.trim_end_matches([' ', '\t', '\r', '\n']).len();
    let end = text.len() - text.trim_end_matches([' ', '\t', '\r', '\n']).len();
    new.truncate(kept);
    new.push_str(if end == 0 { "" } else { &text[text.len() - end..] });
    new
}

/// Start of the element with its comments, for inserting another one before it.
pub(crate) fn element_start(text: &str, start: usize) -> usize {
    attached_start(text, line_start(text, start))
}

/// The elements of an array of tables in order: the text value of `key`, and the byte offset of the header.
/// Elements without the key are skipped.
pub(crate) fn named(
    text: &str,
    array: &str,
    key: &str,
) -> Result<Vec<(String, usize)>, SpliceError> {
    let document = Document::parse(text)?;
    let Some(item) = document.as_table().get(array) else { return Ok(Vec::new()) };
    let tables = item.as_array_of_tables().ok_or_else(|| SpliceError::Form(array.to_owned()))?;
    let named = |table: &Table| {
        let name = table.get(key).and_then(Item::as_str)?;
        Some((name.to_owned(), table.span()?.start))
    };
    Ok(tables.iter().filter_map(named).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moves_elements_with_their_comments() {
        let cases = [
            ("[[s]]\na = 1\n[[s]]\nb = 1\n", vec![0], None, "[[s]]\nb = 1\n[[s]]\na = 1\n"),
            (
                "# file\n[[s]]\na = 1\n\n# b\n[[s]] # c\nb = 1\n# off\n\n[[s]]\nc = 1",
                vec![1],
                Some(0),
                "# file\n\n# b\n[[s]] # c\nb = 1\n# off\n\n[[s]]\na = 1\n\n[[s]]\nc = 1",
            ),
            (
                "[[s]]\na = 1\n\n[[s]]\nb = 1\n\n[[s]]\nc = 1\n\n# end\n",
                vec![0, 1],
                None,
                "[[s]]\nc = 1\n\n[[s]]\na = 1\n\n[[s]]\nb = 1\n\n# end\n",
            ),
            (
                "x = 1\r\n\r\n[[s]]\r\na = 1\r\n\r\n[[s]]\r\n[s.h]\r\nb = 1",
                vec![1],
                Some(0),
                "x = 1\r\n\r\n[[s]]\r\n[s.h]\r\nb = 1\r\n\r\n[[s]]\r\na = 1",
            ),
        ];
        for (before, taken, to, after) in cases {
            let starts: Vec<_> = before.match_indices("[[s]]").map(|(at, _)| at).collect();
            let ranges = element_ranges(before, &starts).unwrap().unwrap();
            let at = to.map_or(ranges[ranges.len() - 1].end, |to: usize| ranges[to].start);
            let taken: Vec<_> = taken.into_iter().map(|i: usize| ranges[i].clone()).collect();
            assert_eq!(shift(before, &taken, at), after, "{before:?}");
        }
    }

    fn without(text: &str, nth: usize) -> String {
        let start = text.match_indices("[[s]]").nth(nth).unwrap().0;
        cut(text, &element_ranges(text, &[start]).unwrap().unwrap())
    }

    #[test]
    fn removes_elements_with_only_their_own_comments() {
        let cases = [
            ("# file\n[[s]]\na = 1\n\n[[s]]\nb = 1\n", 0, "# file\n[[s]]\nb = 1\n"),
            ("# file\n\n# one\n[[s]]\na = 1\n\n# two\n[[s]]\n", 0, "# file\n\n# two\n[[s]]\n"),
            ("[[s]]\na = 1\n# two\n[[s]]\nb = 2 # c\n", 0, "# two\n[[s]]\nb = 2 # c\n"),
            ("[[s]]\na = 1\n# off = 1\n\n[[s]]\n", 0, "[[s]]\n"),
            ("[[s]]\na = 1\n\n# two\n[[s]]\nb = 2\n", 1, "[[s]]\na = 1\n"),
            (
                "[[s]]\na = 1\n\n[[s]]\n[s.h]\nx = '''\n# y'''\n\n# end\n",
                1,
                "[[s]]\na = 1\n\n# end\n",
            ),
            ("[[s]]\r\na = 1\r\n\r\n[[s]]\r\n", 1, "[[s]]\r\na = 1\r\n"),
            ("[[s]]", 0, ""),
        ];
        for (before, nth, after) in cases {
            assert_eq!(without(before, nth), after, "{before:?}");
        }
    }
}
