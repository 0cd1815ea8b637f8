//! Formulas of several lines: matrices and fractions, with other parts of the formula next to them.

use crate::util::text::width;
use unicode_width::UnicodeWidthChar as _;

/// Maximum width of a formula with a matrix, in cells. In a wider one, the matrix is written inline, because
/// wrapping the lines would break up its columns.
const MAX_WIDTH: usize = 76;
/// Maximum height of a row of a formula, in lines.
const MAX_HEIGHT: usize = 60;

/// The parts of large brackets, from the top.
const LARGE: [(char, [char; 3]); 8] = [
    ('(', ['⎛', '⎜', '⎝']),
    (')', ['⎞', '⎟', '⎠']),
    ('[', ['⎡', '⎢', '⎣']),
    (']', ['⎤', '⎥', '⎦']),
    ('⌊', ['⎢', '⎢', '⎣']),
    ('⌋', ['⎥', '⎥', '⎦']),
    ('⌈', ['⎡', '⎢', '⎢']),
    ('⌉', ['⎤', '⎥', '⎥']),
];
/// Brackets that belong together, including half-open intervals.
const PAIRS: [&str; 6] = ["()", "[]", "[)", "(]", "⌊⌋", "⌈⌉"];

#[derive(Clone, Copy)]
pub(super) enum Environment {
    Rows,
    Grid(&'static str, &'static str),
}

pub(super) fn environment(name: &str) -> Option<Environment> {
    Some(match name.trim_end_matches('*') {
        "align" | "aligned" | "alignat" | "alignedat" | "flalign" | "gather" | "gathered"
        | "multline" | "split" | "eqnarray" | "equation" | "displaymath" | "math" => {
            Environment::Rows
        }
        "cases" | "dcases" => Environment::Grid("{", ""),
        "matrix" | "smallmatrix" | "array" | "bmatrix" => Environment::Grid("[", "]"),
        "pmatrix" => Environment::Grid("(", ")"),
        "vmatrix" => Environment::Grid("|", "|"),
        "Vmatrix" => Environment::Grid("‖", "‖"),
        "Bmatrix" => Environment::Grid("{", "}"),
        _ => return None,
    })
}

/// A part of a line.
pub(super) enum Piece {
    Text(String),
    /// Lines below each other, such as the rows of a matrix. Other parts are next to the middle one.
    Stack(Vec<String>),
    /// Three lines of the same width. Other parts are next to the middle one.
    Tall([String; 3]),
    Break,
}

/// The lines of a formula. `None` if a matrix does not fit.
pub(super) fn lines(pieces: Vec<Piece>) -> Option<Vec<String>> {
    let mut out: Vec<String> = Vec::new();
    let mut was_tall = false;
    let mut pieces = pieces.into_iter().peekable();
    while pieces.peek().is_some() {
        let row: Vec<Piece> = pieces.by_ref().take_while(|p| !matches!(p, Piece::Break)).collect();
        let is_tall = row.iter().any(|piece| matches!(piece, Piece::Tall(_)));
        let mut lines = beside(row)?;
        lines.retain(|line| !line.trim().is_empty());
        if lines.is_empty() {
            continue;
        }
        // Without an empty line, a fraction would seem to continue in the next row.
        if !out.is_empty() && (is_tall || was_tall) {
            out.push(String::new());
        }
        out.extend(lines);
        was_tall = is_tall;
    }
    Some(out)
}

/// Centres each text in its line; all lines have the same width. `fill` is repeated in lines without text.
pub(super) fn centred(texts: [&str; 3], fill: Option<&str>) -> [String; 3] {
    let wide = texts.iter().map(|text| width(text)).max().unwrap_or(0);
    let wide = if fill.is_some() { wide + 2 } else { wide };
    texts.map(|text| match fill.filter(|_| text.is_empty()) {
        Some(fill) => fill.repeat(wide),
        None => {
            let free = wide - width(text);
            let mut line = " ".repeat(free / 2) + text;
            pad(&mut line, wide);
            line
        }
    })
}

/// Puts parts next to each other, with text level with the middle lines of the stacks.
fn beside(mut pieces: Vec<Piece>) -> Option<Vec<String>> {
    // A full stop after several lines belongs to the last one.
    if let [.., Piece::Stack(stack), Piece::Text(text)] = pieces.as_mut_slice()
        && text.trim().chars().all(|c| ".,;".contains(c))
        && let Some(last) = stack.last_mut()
    {
        last.push_str(text.trim());
        pieces.pop();
    }
    pieces.retain(|piece| !matches!(piece, Piece::Text(text) if text.is_empty()));
    if let Some(Piece::Text(first)) = pieces.first_mut() {
        *first = first.trim_start().to_owned();
    }
    let stacks: Vec<&[String]> = pieces.iter().filter_map(stack).collect();
    let Some(above) = stacks.iter().map(|stack| middle(stack)).max() else {
        let text: String = pieces.iter().filter_map(text).collect();
        return Some(vec![text.trim().to_owned()]);
    };
    if stacks.len() == 1 && pieces.iter().filter_map(text).all(|text| text.trim().is_empty()) {
        return pieces.iter().find_map(stack).map(<[String]>::to_vec);
    }
    let below = stacks.iter().map(|stack| stack.len() - middle(stack)).max().unwrap_or(1);
    if above + below > MAX_HEIGHT {
        return None;
    }
    let mut out = vec![String::new(); above + below];
    let mut wide = 0;
    for piece in &pieces {
        let (from, lines) = match piece {
            Piece::Text(text) => (above, std::slice::from_ref(text)),
            Piece::Stack(lines) => (above - middle(lines), lines.as_slice()),
            Piece::Tall(lines) => (above - middle(lines), lines.as_slice()),
            Piece::Break => continue,
        };
        for (out, line) in out.iter_mut().skip(from).zip(lines) {
            pad(out, wide);
            out.push_str(line);
        }
        wide += lines.iter().map(|line| width(line)).max().unwrap_or(0);
        if wide > MAX_WIDTH {
            return None;
        }
    }
    enlarge_brackets(&mut out);
    out.iter_mut().for_each(|line| line.truncate(line.trim_end().len()));
    Some(out)
}

/// Enlarges brackets around parts of three lines to the height of these parts.
fn enlarge_brackets(lines: &mut [String]) {
    let [above, line, below] = lines else { return };
    if !line.contains(|c| LARGE.iter().any(|(small, _)| *small == c)) {
        return;
    }
    let mut rows = [cells(above), cells(line), cells(below)];
    let mut open: Vec<usize> = Vec::new();
    for at in 0..rows[1].len() {
        let close = match rows[1][at].as_str() {
            "(" | "[" | "⌊" | "⌈" => {
                open.push(at);
                continue;
            }
            close @ (")" | "]" | "⌋" | "⌉") => close.to_owned(),
            _ => continue,
        };
        let pair = |from: usize| [rows[1][from].as_str(), close.as_str()].concat();
        let Some(from) = open.pop_if(|from| PAIRS.contains(&pair(*from).as_str())) else {
            return;
        };
        let is_blank = |row: &[String], at: usize| row.get(at).is_none_or(|cell| cell == " ");
        let is_tall = (from..at).any(|at| !is_blank(&rows[0], at) || !is_blank(&rows[2], at));
        let is_free =
            [from, at].iter().all(|at| is_blank(&rows[0], *at) && is_blank(&rows[2], *at));
        if !is_tall || !is_free {
            continue;
        }
        for at in [from, at] {
            let large = LARGE.iter().find(|(small, _)| rows[1][at].starts_with(*small));
            for (row, part) in rows.iter_mut().zip(large.map_or([' '; 3], |(_, large)| *large)) {
                row.resize(row.len().max(at + 1), " ".to_owned());
                row[at] = part.to_string();
            }
        }
    }
    for (line, row) in [above, line, below].into_iter().zip(rows) {
        *line = row.concat();
    }
}

/// The content of each cell of a line; empty for the second cell of a wide character.
fn cells(line: &str) -> Vec<String> {
    let mut out: Vec<String> = Vec::new();
    for c in line.chars() {
        match (c.width().unwrap_or(0), out.last_mut()) {
            (0, Some(last)) => last.push(c),
            (wide, _) => {
                out.push(c.to_string());
                out.extend((1..wide).map(|_| String::new()));
            }
        }
    }
    out
}

fn stack(piece: &Piece) -> Option<&[String]> {
    match piece {
        Piece::Stack(lines) if !lines.is_empty() => Some(lines),
        Piece::Tall(lines) => Some(lines),
        _ => None,
    }
}

fn text(piece: &Piece) -> Option<&str> {
    match piece {
        Piece::Text(text) => Some(text),
        _ => None,
    }
}

/// The index of the line that is level with the text next to the stack.
fn middle(lines: &[String]) -> usize {
    lines.len().saturating_sub(1) / 2
}

fn pad(line: &mut String, to: usize) {
    let missing = to.saturating_sub(width(line));
    line.extend(std::iter::repeat_n(' ', missing));
}

/// A matrix with aligned columns between brackets. `None` if it does not fit.
pub(super) fn grid(rows: &[Vec<String>], open: &str, close: &str) -> Option<Vec<String>> {
    let count = rows.iter().map(Vec::len).max().unwrap_or(0);
    if count > MAX_WIDTH || rows.len() > MAX_HEIGHT {
        return None;
    }
    let column = |at: usize| rows.iter().filter_map(move |row| row.get(at));
    let widths: Vec<usize> =
        (0..count).map(|at| column(at).map(|cell| width(cell)).max().unwrap_or(0)).collect();
    if widths.iter().map(|wide| wide + 2).sum::<usize>() > MAX_WIDTH {
        return None;
    }
    let is_number = |cell: &String| cell.chars().all(|c| c.is_ascii_digit() || "-+.".contains(c));
    let numbers: Vec<bool> = (0..count).map(|at| column(at).all(is_number)).collect();
    let line = |row: &Vec<String>| {
        let mut line = if open.is_empty() { String::new() } else { format!("{open} ") };
        for (at, (wide, numbers)) in widths.iter().zip(&numbers).enumerate() {
            let cell = row.get(at).map_or("", String::as_str);
            let space = wide - width(cell).min(*wide);
            let (left, right) = if *numbers { (space, 0) } else { (0, space) };
            line.extend(std::iter::repeat_n(' ', left + if at > 0 { 2 } else { 0 }));
            line.push_str(cell);
            line.extend(std::iter::repeat_n(' ', right));
        }
        if close.is_empty() {
            line.truncate(line.trim_end().len());
        } else {
            line.push(' ');
            line.push_str(close);
        }
        line
    };
    Some(rows.iter().map(line).collect())
}

/// A matrix on one line: `[1 2; 3 4]`.
pub(super) fn in_line(rows: &[Vec<String>], open: &str, close: &str) -> String {
    // A bracket without a counterpart shows where the lines begin, but not where they end.
    let close = if close.is_empty() && open == "{" { "}" } else { close };
    let cells = || rows.iter().flatten();
    let separator = if cells().any(|cell| cell.contains(' ')) { ", " } else { " " };
    let row = |row: &Vec<String>| {
        let mut out = String::new();
        for (at, cell) in row.iter().enumerate() {
            if at > 0 {
                out.push_str(if out.ends_with(',') { " " } else { separator });
            }
            out.push_str(cell);
        }
        out
    };
    let rows: Vec<String> = rows.iter().map(row).collect();
    format!("{open}{}{close}", rows.join("; "))
}
