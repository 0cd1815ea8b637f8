//! Tables: column widths are measured and shrunk if possible, cells are wrapped.

use super::glyphs::Glyphs;
use super::inline::spans;
use super::line::{Line, Span};
use super::wrap::wrap;
use crate::article::Inline;
use crate::config::Role;
use crate::util::text;

/// Cells between two columns; the narrow gap is used if space is short.
const GAP: usize = 2;
const NARROW_GAP: usize = 1;
/// A column is at least as wide as its longest word, unless the word is longer than this.
const LONG_WORD: usize = 16;
/// Widest column of a table that is wider than the available width.
const WIDE_COLUMN: usize = 40;

/// The lines and the width of a table. It is wider than `space` only if its words do not fit.
pub(super) fn lay_out(
    header: bool,
    rows: &[Vec<Vec<Inline>>],
    space: usize,
    glyphs: &Glyphs,
) -> (Vec<Line>, usize) {
    let role = |row: usize| if header && row == 0 { Role::Heading } else { Role::Text };
    let cells: Vec<Vec<Vec<Span>>> = rows
        .iter()
        .enumerate()
        .map(|(i, row)| row.iter().map(|cell| spans(cell, role(i), glyphs)).collect())
        .collect();
    let (widths, gap) = widths(&cells, space);
    let wide = widths.iter().sum::<usize>() + gap * widths.len().saturating_sub(1);
    let wrapped: Vec<Vec<Vec<Line>>> = cells
        .iter()
        .map(|row| row.iter().zip(&widths).map(|(cell, width)| wrap(cell, *width)).collect())
        .collect();
    // Rows of several lines are separated by an empty line.
    let tall = wrapped.iter().any(|row| row.iter().any(|cell| cell.len() > 1));
    let mut lines = Vec::new();
    for (i, row) in wrapped.iter().enumerate() {
        let height = row.iter().map(Vec::len).max().unwrap_or(0);
        lines.extend((0..height).map(|y| join_line(row, y, &widths, gap)));
        if header && i == 0 {
            lines.push(under_header(&widths, gap, glyphs));
        } else if tall && i + 1 < wrapped.len() {
            lines.push(Line::default());
        }
    }
    (lines, wide)
}

/// Column widths and gap: natural widths if they fit, else shrunk in proportion to what each column
/// can give up.
fn widths(cells: &[Vec<Vec<Span>>], space: usize) -> (Vec<usize>, usize) {
    let columns = cells.iter().map(Vec::len).max().unwrap_or(0);
    let mut natural = vec![1; columns];
    let mut minimum = vec![1; columns];
    for row in cells {
        for (column, cell) in row.iter().enumerate() {
            let content: String = cell.iter().map(|s| s.text.as_str()).collect();
            let lines = content.lines().map(text::width).max().unwrap_or(0);
            let word = longest_word(&content).min(LONG_WORD);
            natural[column] = lines.max(natural[column]);
            minimum[column] = word.max(minimum[column]);
        }
    }
    let (natural_total, minimum_total): (usize, usize) =
        (natural.iter().sum(), minimum.iter().sum());
    let both = || natural.iter().zip(&minimum);
    for gap in [GAP, NARROW_GAP] {
        let space = space.saturating_sub(gap * columns.saturating_sub(1));
        if natural_total <= space {
            return (natural, gap);
        }
        if minimum_total <= space {
            let (spare, slack) = (space - minimum_total, natural_total - minimum_total);
            return (both().map(|(n, l)| l + (n - l) * spare / slack).collect(), gap);
        }
    }
    // One column must fit on the screen.
    let limit = WIDE_COLUMN.min(space / 2);
    (both().map(|(n, l)| (*n).min(limit).max(*l)).collect(), GAP)
}

/// The widest piece between two break opportunities.
fn longest_word(content: &str) -> usize {
    let mut start = 0;
    let mut longest = 0;
    for (end, _) in unicode_linebreak::linebreaks(content) {
        longest = longest.max(text::width(content[start..end].trim_end()));
        start = end;
    }
    longest
}

/// The lines number `y` of the cells, side by side.
fn join_line(row: &[Vec<Line>], y: usize, widths: &[usize], gap: usize) -> Line {
    let mut out = Line::default();
    let mut blanks = 0;
    for (cell, width) in row.iter().zip(widths) {
        let spans = cell.get(y).map(|line| line.spans.as_slice()).unwrap_or_default();
        let used: usize = spans.iter().map(|s| text::width(&s.text)).sum();
        if used > 0 && blanks > 0 {
            out.spans.push(Span::new(" ".repeat(blanks), Role::Text));
            blanks = 0;
        }
        out.spans.extend_from_slice(spans);
        blanks += width.saturating_sub(used) + gap;
    }
    out
}

fn under_header(widths: &[usize], gap: usize, glyphs: &Glyphs) -> Line {
    let rules: Vec<String> = widths.iter().map(|width| glyphs.rule.repeat(*width)).collect();
    let rule = Span::new(rules.join(&" ".repeat(gap)), Role::Dim);
    // A mark is drawn only: it is neither searched nor counted.
    Line { margin: vec![], ..Line::of(Span { mark: true, ..rule }) }
}

#[cfg(test)]
mod tests {
    use super::super::glyphs::UNICODE;
    use super::*;
    use crate::article::{Block, from_html};
    use proptest::prelude::*;

    fn shown(html: &str, space: usize) -> (Vec<String>, usize) {
        let document = from_html(html, None);
        let Some(Block::Table { header, rows }) = document.blocks.first() else {
            panic!("no table: {document:?}")
        };
        let (lines, wide) = lay_out(*header, rows, space, &UNICODE);
        (lines.iter().map(|l| l.text().trim_end().to_owned()).collect(), wide)
    }

    const TABLE: &str = "<table><tr><th>Name<th>What it is<tr><td>日本語<td>a language of Asia\
        <tr><td>b<td>short</table>";

    #[test]
    fn table_that_fits_keeps_natural_widths() {
        let (lines, wide) = shown(TABLE, 40);
        assert_eq!(
            lines,
            [
                "Name    What it is",
                "──────  ──────────────────",
                "日本語  a language of Asia",
                "b       short",
            ]
        );
        assert_eq!(wide, 26);
    }

    #[test]
    fn columns_shrink_and_cells_wrap() {
        let (lines, wide) = shown(TABLE, 18);
        assert!(wide <= 18, "{lines:#?}");
        assert!(lines.contains(&String::new()), "rows are separated: {lines:#?}");
        assert!(lines.iter().all(|l| text::width(l) <= 18), "{lines:#?}");
    }

    #[test]
    fn long_words_make_a_table_wider_than_its_space() {
        let row = "<td>considerable</td>".repeat(6);
        let (lines, wide) = shown(&format!("<table><tr>{row}</tr></table>"), 40);
        assert_eq!((lines.len(), wide), (1, 6 * 12 + 5 * 2));
    }

    proptest! {
        #[test]
        fn lines_fit_the_table_width(
            cells in proptest::collection::vec("[a-c日 ]{1,30}", 2..12), space in 8usize..60
        ) {
            let rows: String = cells
                .chunks(2)
                .map(|c| format!("<tr>{}</tr>", c.iter().map(|t| format!("<td>x{t}</td>")).collect::<String>()))
                .collect();
            let (lines, wide) = shown(&format!("<table>{rows}</table>"), space);
            for line in &lines {
                prop_assert!(text::width(line) <= wide, "{line:?} in {wide}");
            }
        }
    }
}
