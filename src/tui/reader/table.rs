//! Layout of tables. Columns are shrunk to fit and their cells are wrapped. If the words do not fit, each row
//! becomes a block of lines.

use super::glyphs::Glyphs;
use super::inline::spans;
use super::line::{Line, Span};
use super::wrap::wrap;
use crate::article::{BULLET, Inline};
use crate::config::Role;
use crate::util::text;

/// Number of cells between two columns.
const GAP: usize = 2;
/// Indentation of the cells; the rule below the header is not indented.
const INDENT: usize = 1;
/// Maximum length of a word, in cells, for which its column is kept wide enough.
const LONG_WORD: usize = 16;
/// Maximum length of a number with its unit, in characters.
const MAX_NUMBER: usize = 16;

const NO_BREAK_SPACE: &str = "\u{a0}";

/// Number of lines of a header of one line and the rule below it.
const HEADER_LINES: usize = 2;

/// The cells of a table as spans.
type Cells = Vec<Vec<Vec<Span>>>;

/// The lines of a table, at most `space` cells wide.
pub(super) fn lay_out(
    header: bool,
    rows: &[Vec<Vec<Inline>>],
    space: usize,
    glyphs: &Glyphs,
) -> Vec<Line> {
    let role = |row: usize| if header && row == 0 { Role::Strong } else { Role::Text };
    let cells: Cells = rows
        .iter()
        .enumerate()
        .map(|(i, row)| row.iter().map(|cell| spans(cell, role(i), glyphs)).collect())
        .collect();
    let right = numeric(header, &cells);
    let aligned = align_numbers(&cells, &right);
    match widths(&aligned, space.saturating_sub(INDENT)) {
        Some(widths) => grid(header, &aligned, &widths, &right, glyphs),
        None => stacked(header, &cells, space, glyphs),
    }
}

/// Appends empty cells to numbers, so that the numbers of links after other numbers do not move the digits out
/// of their columns.
fn align_numbers(cells: &Cells, right: &[bool]) -> Cells {
    let after = |cell: &[Span]| -> usize {
        let marks = cell.iter().rev().take_while(|span| span.mark);
        marks.map(|span| text::width(&span.text)).sum()
    };
    let mut cells = cells.clone();
    for (column, _) in right.iter().enumerate().filter(|(_, right)| **right) {
        let widest = cells.iter().filter_map(|row| row.get(column)).map(|cell| after(cell)).max();
        let widest = widest.unwrap_or(0);
        for cell in cells.iter_mut().filter_map(|row| row.get_mut(column)) {
            let missing = widest - after(cell);
            if missing > 0 && !cell.is_empty() {
                // Lines are wrapped before they are aligned, which removes ordinary spaces at their ends.
                cell.push(Span::label(NO_BREAK_SPACE.repeat(missing), Role::Text));
            }
        }
    }
    cells
}

/// Lays out the rows in columns with the given widths.
fn grid(
    header: bool,
    cells: &Cells,
    widths: &[usize],
    right: &[bool],
    glyphs: &Glyphs,
) -> Vec<Line> {
    let wrapped: Vec<Vec<Vec<Line>>> = cells
        .iter()
        .map(|row| {
            row.iter().zip(widths).map(|(cell, width)| wrap_cell(cell, *width, glyphs)).collect()
        })
        .collect();
    // If any row has several lines, rows are separated by empty lines.
    let tall = wrapped.iter().any(|row| row.iter().any(|cell| cell.len() > 1));
    let mut lines = Vec::new();
    for (i, row) in wrapped.iter().enumerate() {
        let height = row.iter().map(Vec::len).max().unwrap_or(0);
        lines.extend((0..height).map(|y| join_line(row, y, widths, right)));
        if header && i == 0 {
            let wide = INDENT + widths.iter().sum::<usize>() + GAP * (widths.len() - 1);
            lines.push(Line::of(Span::label(glyphs.rule.repeat(wide), Role::Edge)));
        } else if tall && i + 1 < wrapped.len() {
            lines.push(Line::default());
        }
    }
    // A header of one line stays visible while the rows are scrolled.
    let header_height = wrapped.first().and_then(|row| row.iter().map(Vec::len).max());
    if header && header_height == Some(1) {
        for (i, line) in lines.iter_mut().enumerate().skip(HEADER_LINES) {
            line.below_header = i;
        }
    }
    lines
}

/// The lines of a cell. The entries of a list are indented below their bullets.
fn wrap_cell(cell: &[Span], width: usize, glyphs: &Glyphs) -> Vec<Line> {
    let mark = glyphs.bullets[0];
    let bullet = text::width(mark);
    if width < 3 * bullet || !cell.iter().any(|span| span.text.starts_with(BULLET)) {
        return wrap(cell, width);
    }
    let mut out = Vec::new();
    for spans in cell.split(|span| span.text == "\n") {
        let Some(entry) = spans.first().and_then(|span| span.text.strip_prefix(BULLET)) else {
            out.extend(wrap(spans, width));
            continue;
        };
        let mut spans = spans.to_vec();
        spans[0].text = entry.to_owned();
        let indented = wrap(&spans, width - bullet).into_iter().enumerate().map(|(y, mut line)| {
            let start = if y == 0 { Span::new(mark, Role::Text) } else { Span::blank(bullet) };
            line.spans.insert(0, start);
            line
        });
        out.extend(indented);
    }
    out
}

/// Column widths: natural ones if they fit. Otherwise the widest columns shrink to a common width, but
/// not below their longest word, so that narrow columns stay as they are. `None` if the words do not
/// fit.
fn widths(cells: &Cells, space: usize) -> Option<Vec<usize>> {
    let columns = cells.iter().map(Vec::len).max().unwrap_or(0);
    let mut natural = vec![1; columns];
    let mut words = vec![1; columns];
    for row in cells {
        for (column, cell) in row.iter().enumerate() {
            let content = content(cell);
            let lines = content.lines().map(text::width).max().unwrap_or(0);
            natural[column] = lines.max(natural[column]);
            words[column] = longest_word(&content).max(words[column]);
        }
    }
    let space = space.checked_sub(GAP * columns.checked_sub(1)?)?;
    // Long words are only broken if other columns would become very narrow.
    let whole = words.iter().zip(&natural).map(|(word, n)| *word.max(n.min(&LONG_WORD)));
    let whole: Vec<usize> = whole.collect();
    let broken: Vec<usize> = words.iter().map(|word| *word.min(&LONG_WORD)).collect();
    [whole, broken].iter().find_map(|minimum| shrink(&natural, minimum, space))
}

/// Widths between the minimum and natural ones that use the space; `None` if the minimum does not fit.
fn shrink(natural: &[usize], minimum: &[usize], space: usize) -> Option<Vec<usize>> {
    let at_most = |limit: usize| -> Vec<usize> {
        natural.iter().zip(minimum).map(|(n, m)| limit.clamp(*m, *n.max(m))).collect()
    };
    let fits = |limit: usize| at_most(limit).iter().sum::<usize>() <= space;
    let limit = (0..=space).rev().find(|limit| fits(*limit))?;
    let mut widths = at_most(limit);
    let mut rest = space - widths.iter().sum::<usize>();
    for (width, natural) in widths.iter_mut().zip(natural) {
        if rest > 0 && *width == limit && *width < *natural {
            *width += 1;
            rest -= 1;
        }
    }
    Some(widths)
}

fn content(cell: &[Span]) -> String {
    cell.iter().map(|s| s.text.as_str()).collect()
}

/// The text of a cell without the numbers of links.
fn without_marks(cell: &[Span]) -> String {
    cell.iter().filter(|s| !s.mark).map(|s| s.text.as_str()).collect()
}

/// The width of the widest piece between two break opportunities.
fn longest_word(content: &str) -> usize {
    let mut start = 0;
    let mut longest = 0;
    for (end, _) in unicode_linebreak::linebreaks(content) {
        longest = longest.max(text::width(content[start..end].trim_end()));
        start = end;
    }
    longest
}

/// For each column, whether it contains only numbers below the header, and so is right-aligned.
fn numeric(header: bool, cells: &Cells) -> Vec<bool> {
    let columns = cells.iter().map(Vec::len).max().unwrap_or(0);
    let body = cells.get(usize::from(header)..).unwrap_or_default();
    let of_column = |column: usize| {
        let texts = body.iter().filter_map(|row| row.get(column));
        let texts = texts.map(|cell| without_marks(cell).trim().to_owned());
        let mut filled = texts.filter(|text| !text.is_empty()).peekable();
        filled.peek().is_some() && filled.all(|text| is_number(&text))
    };
    (0..columns).map(of_column).collect()
}

/// Whether a text is a number, with a sign, a currency or one unit.
fn is_number(text: &str) -> bool {
    let signs = |c: char| {
        matches!(c, '+' | '-' | '−' | '±' | '~' | '≈' | '<' | '>' | '$' | '€' | '£' | '¥' | ' ')
    };
    let unsigned = text.trim_start_matches(signs);
    // A dash means that a number is missing.
    if unsigned.is_empty() || matches!(text, "–" | "—") {
        return text.chars().count() == 1;
    }
    let number = unsigned.starts_with(|c: char| c.is_ascii_digit());
    number && text.chars().count() <= MAX_NUMBER && unsigned.split_whitespace().count() <= 2
}

/// Joins line number `y` of all cells in a row.
fn join_line(row: &[Vec<Line>], y: usize, widths: &[usize], right: &[bool]) -> Line {
    let mut out = Line { margin: vec![Span::blank(INDENT)], ..Line::default() };
    let mut blanks = 0;
    for ((cell, width), right) in row.iter().zip(widths).zip(right) {
        let spans = cell.get(y).map(|line| line.spans.as_slice()).unwrap_or_default();
        let used: usize = spans.iter().map(|s| text::width(&s.text)).sum();
        let free = width.saturating_sub(used);
        blanks += if *right { free } else { 0 };
        if used > 0 && blanks > 0 {
            out.spans.push(Span::blank(blanks));
            blanks = 0;
        }
        out.spans.extend_from_slice(spans);
        blanks += if *right { 0 } else { free } + GAP;
    }
    out
}

/// Lays out each row as a block, with a line for each cell: the column's header, followed by the cell.
fn stacked(header: bool, cells: &Cells, space: usize, glyphs: &Glyphs) -> Vec<Line> {
    let (heads, body) = match cells.split_first() {
        Some((heads, body)) if header && !body.is_empty() => (heads.as_slice(), body),
        _ => (&[][..], cells.as_slice()),
    };
    let widest = heads.iter().map(|head| text::width(&without_marks(head))).max().unwrap_or(0);
    let label = widest.min(LONG_WORD).min(space / 3);
    let indent = if label > 0 { label + GAP } else { 0 };
    let mut lines: Vec<Line> = Vec::new();
    for row in body {
        if !lines.is_empty() {
            lines.push(Line::default());
        }
        for (column, cell) in row.iter().enumerate().filter(|(_, cell)| !content(cell).is_empty()) {
            let head = heads.get(column).map(|head| without_marks(head)).unwrap_or_default();
            let head = text::truncate(&head, label).into_owned();
            // Without a header, the first cell is the heading of its row.
            let indent = if indent == 0 && column > 0 { GAP } else { indent };
            // A search finds a text that continues on the next line, so the empty cells are not part of it.
            let blank = |cells: usize| Span::label(" ".repeat(cells), Role::Text);
            let inside = space.saturating_sub(indent).max(1);
            for (y, line) in wrap_cell(cell, inside, glyphs).into_iter().enumerate() {
                let mut spans = match y {
                    0 => vec![
                        Span::repeated(head.clone(), Role::Strong),
                        blank(indent.saturating_sub(text::width(&head))),
                    ],
                    _ => vec![blank(indent)],
                };
                spans.extend(line.spans);
                lines.push(Line { spans, ..line });
            }
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::super::glyphs::UNICODE;
    use super::*;
    use crate::article::{Block, from_html};
    use proptest::prelude::*;

    fn shown(html: &str, space: usize) -> Vec<String> {
        let document = from_html(html, None);
        let Some(Block::Table { header, rows }) = document.blocks.first() else {
            panic!("no table: {document:?}")
        };
        let line = |l: &Line| l.all().map(|s| s.text.as_str()).collect::<String>();
        let lines = lay_out(*header, rows, space, &UNICODE);
        lines.iter().map(|l| line(l).trim_end().to_owned()).collect()
    }

    const TABLE: &str = "<table><tr><th>Name<th>What it is<th>Worst<tr><td>日本語<td>a language\
        <td>2.9 s<tr><td>b<td>short<td>310 ms</table>";

    #[test]
    fn keeps_natural_widths_if_the_table_fits() {
        let lines = [
            " Name    What it is   Worst",
            "───────────────────────────",
            " 日本語  a language   2.9 s",
            " b       short       310 ms",
        ];
        assert_eq!(shown(TABLE, 40), lines);
        assert_eq!(shown(TABLE, 27), lines);
    }

    #[test]
    fn numbers_of_links_do_not_disturb_the_alignment_of_digits() {
        let html = "<table><tr><th>Name<th>Size<tr><td>one<td><a href='http://e.org/1'>12</a>\
            <tr><td>two<td>1234<tr><td>three<td></table>";
        let lines = [" Name   Size", "─────────────", " one      12¹", " two    1234", " three"];
        assert_eq!(shown(html, 40), lines);
    }

    #[test]
    fn entries_of_lists_are_indented_below_their_bullets() {
        let html = "<table><tr><th>Name<th>Facts<tr><td>one<td>It has<ul><li>a long first entry\
            <li>and <b>more</b></ul></table>";
        let lines = shown(html, 24);
        let expected = [
            " Name  Facts",
            "────────────────────────",
            " one   It has",
            "       • a long first",
            "         entry",
            "       • and more",
        ];
        assert_eq!(lines, expected);
    }

    #[test]
    fn only_the_widest_columns_shrink() {
        let widths = |natural: &[usize], minimum: &[usize], space| {
            shrink(natural, minimum, space).unwrap_or_default()
        };
        assert_eq!(widths(&[10, 12, 80], &[5, 6, 12], 60), [10, 12, 38]);
        assert_eq!(widths(&[10, 50, 80], &[5, 6, 12], 61), [10, 26, 25]);
        assert_eq!(widths(&[10, 50, 80], &[5, 30, 12], 61), [10, 30, 21]);
        assert_eq!(widths(&[10, 12], &[5, 6], 60), [10, 12]);
        assert_eq!(widths(&[10, 12], &[5, 6], 11), [5, 6]);
        assert!(widths(&[10, 12], &[5, 6], 10).is_empty());
        // A long word is broken only if nothing else can shrink.
        let link = "https://example.org/one";
        let row = format!("<tr><td>{link}<td>{}", "word ".repeat(20));
        let lines = shown(&format!("<table>{row}</table>"), 60);
        assert!(lines[0].contains(link), "{lines:#?}");
        // It does not squeeze the text beside it.
        let lines = shown(&format!("<table>{row}</table>"), 36);
        assert!(!lines[0].contains(link) && lines.len() < 12, "{lines:#?}");
    }

    #[test]
    fn shrinks_columns_and_wraps_cells() {
        let lines = shown(TABLE, 26);
        assert!(lines.contains(&String::new()), "rows are separated: {lines:#?}");
        assert!(lines.iter().all(|l| text::width(l) <= 26), "{lines:#?}");
        assert!(lines[0].starts_with(" Name"), "{lines:#?}");
    }

    #[test]
    fn shows_rows_of_a_wide_table_as_blocks() {
        assert_eq!(
            shown(TABLE, 20),
            [
                "Name    日本語",
                "What …  a language",
                "Worst   2.9 s",
                "",
                "Name    b",
                "What …  short",
                "Worst   310 ms",
            ]
        );
        let row = "<td>considerable</td>".repeat(6);
        let lines = shown(&format!("<table><tr>{row}</tr></table>"), 40);
        assert_eq!(lines[..2], ["considerable", "  considerable"]);
    }

    #[test]
    fn recognises_numbers() {
        for (text, expected) in [
            ("412", true),
            ("−1.5", true),
            ("2.9 s", true),
            ("100 %", true),
            ("$1,200", true),
            ("–", true),
            ("-", true),
            ("12 Nov 2020", false),
            ("4X line", true),
            ("v2", false),
            ("", false),
            ("3 of them all", false),
        ] {
            assert_eq!(is_number(text), expected, "{text}");
        }
    }

    proptest! {
        #[test]
        fn fits_lines_into_the_space(
            cells in proptest::collection::vec("[a-c日 1-3]{1,30}", 2..12),
            head in proptest::bool::ANY, space in 8usize..60
        ) {
            let cell = if head { "th" } else { "td" };
            let row = |(i, c): (usize, &[String])| {
                let name = if i == 0 { cell } else { "td" };
                c.iter().map(|t| format!("<{name}>x{t}</{name}>")).collect::<String>()
            };
            let rows: String =
                cells.chunks(2).enumerate().map(|c| format!("<tr>{}</tr>", row(c))).collect();
            for line in &shown(&format!("<table>{rows}</table>"), space) {
                prop_assert!(text::width(line) <= space, "{line:?} in {space}");
            }
        }
    }
}
