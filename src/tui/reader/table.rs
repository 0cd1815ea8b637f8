//! Layout of tables. A wide table uses the free space to the right of the text column. If that is too narrow,
//! columns are shrunk and their cells are wrapped. If the words do not fit, each row becomes a block of
//! lines.

use super::glyphs::Glyphs;
use super::inline::spans;
use super::line::{Line, Span};
use super::wrap::wrap;
use crate::article::{BULLET, Inline};
use crate::config::Role;
use crate::util::text;

/// Minimum number of cells between two columns.
const GAP: usize = 2;
/// Number of cells between two columns if the table still fits into the text column.
const WIDE_GAP: usize = 4;
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

/// The lines of a table, at most `space` cells wide. Columns may also use `beyond` cells to the right of
/// them.
pub(super) fn lay_out(
    header: bool,
    rows: &[Vec<Vec<Inline>>],
    space: usize,
    beyond: usize,
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
    match widths(header, &aligned, (space + beyond).saturating_sub(INDENT)) {
        Some(widths) => {
            let free = space.saturating_sub(total(&widths, GAP));
            let gap = (GAP + free / widths.len().max(2).saturating_sub(1)).min(WIDE_GAP);
            let beyond = total(&widths, gap).saturating_sub(space);
            let mut lines = grid(header, &aligned, &widths, gap, &right, glyphs);
            lines.iter_mut().for_each(|line| line.beyond = beyond);
            lines
        }
        None => stacked(header, &cells, space, glyphs),
    }
}

/// Appends empty cells to numbers, so that the numbers of links after other numbers do not move the digits
/// out of their columns.
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
                // Wrapping, which comes before alignment, removes ordinary spaces at the ends of lines.
                cell.push(Span::label(NO_BREAK_SPACE.repeat(missing), Role::Text));
            }
        }
    }
    cells
}

/// Width of a table with columns of these widths and this gap between them.
fn total(widths: &[usize], gap: usize) -> usize {
    INDENT + widths.iter().sum::<usize>() + gap * widths.len().saturating_sub(1)
}

/// Lays out the rows in columns with the given widths and gap.
fn grid(
    header: bool,
    cells: &Cells,
    widths: &[usize],
    gap: usize,
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
        lines.extend(
            (0..height).map(|y| Line { below_row: y, ..join_line(row, y, widths, gap, right) }),
        );
        if header && i == 0 {
            lines.push(Line::of(Span::label(glyphs.rule.repeat(total(widths, gap)), Role::Edge)));
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
fn widths(header: bool, cells: &Cells, space: usize) -> Option<Vec<usize>> {
    let columns = cells.iter().map(Vec::len).max().unwrap_or(0);
    let mut natural = vec![1; columns];
    let mut usual = vec![1; columns];
    let mut words = vec![1; columns];
    for (column, natural) in natural.iter_mut().enumerate() {
        let mut all = Vec::new();
        for cell in cells.iter().filter_map(|row| row.get(column)) {
            let content = content(cell);
            all.push(content.lines().map(text::width).max().unwrap_or(0));
            words[column] = longest_word(&content).max(words[column]);
        }
        let head = all.first().copied().filter(|_| header).unwrap_or(0);
        all.sort_unstable_by(|a, b| b.cmp(a));
        *natural = all.first().copied().unwrap_or(0).max(1);
        usual[column] = usual_width(&all).max(head);
    }
    let space = space.checked_sub(GAP * columns.checked_sub(1)?)?;
    // Long words are broken only if other columns would otherwise become very narrow.
    let whole = words.iter().zip(&natural).map(|(word, n)| *word.max(n.min(&LONG_WORD)));
    let whole: Vec<usize> = whole.collect();
    let broken: Vec<usize> = words.iter().map(|word| *word.min(&LONG_WORD)).collect();
    [whole, broken].iter().find_map(|minimum| {
        let enough: Vec<usize> = usual.iter().zip(minimum).map(|(u, m)| *u.max(m)).collect();
        shrink(&natural, &enough, space).or_else(|| shrink(&usual, minimum, space))
    })
}

/// The width of a column whose widest cell may take two lines, but whose other cells take one. `all`: the
/// widths of the cells, widest first. With fewer than three cells, the widest one takes one line too.
fn usual_width(all: &[usize]) -> usize {
    match all {
        [widest, second, _, ..] => widest.div_ceil(2).max(*second),
        _ => all.first().copied().unwrap_or(0),
    }
    .max(1)
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
fn join_line(row: &[Vec<Line>], y: usize, widths: &[usize], gap: usize, right: &[bool]) -> Line {
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
        blanks += if *right { 0 } else { free } + gap;
    }
    out
}

/// Lays out each row as a block, with a line for each cell: the column's header, followed by the cell. If the
/// first column has no header, its cell is the title of the block.
fn stacked(header: bool, cells: &Cells, space: usize, glyphs: &Glyphs) -> Vec<Line> {
    let (heads, body) = match cells.split_first() {
        Some((heads, body)) if header && !body.is_empty() => (heads.as_slice(), body),
        _ => (&[][..], cells.as_slice()),
    };
    let widest = heads.iter().map(|head| text::width(&without_marks(head))).max().unwrap_or(0);
    let label = widest.min(space / 3);
    let indent = if label > 0 { label + GAP } else { 0 };
    let has_titles = heads.first().is_none_or(|head| without_marks(head).trim().is_empty());
    let mut lines: Vec<Line> = Vec::new();
    for row in body {
        if !lines.is_empty() {
            lines.push(Line::default());
        }
        let first = lines.len();
        for (column, cell) in row.iter().enumerate().filter(|(_, cell)| !content(cell).is_empty()) {
            let head = heads.get(column).map(|head| without_marks(head)).unwrap_or_default();
            let head = text::truncate(&head, label).into_owned();
            let is_title = has_titles && column == 0;
            let indent = match (is_title, indent) {
                (true, _) => 0,
                (false, 0) => GAP,
                (false, indent) => indent,
            };
            // The empty cells are not part of the text, so that a search finds a text that continues on the
            // next line.
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
                for span in spans.iter_mut().filter(|span| is_title && span.role == Role::Text) {
                    span.role = Role::Strong;
                }
                lines.push(Line { spans, below_row: lines.len() - first, ..line });
            }
        }
    }
    lines
}

#[cfg(test)]
mod tests;
