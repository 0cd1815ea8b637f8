//! Formulas as text: their TeX source, or the symbols of MathML one after the other.

use super::document::{Block, Inline};
use super::maths_signs::signs;
use super::spaces::is_unspaced;
use crate::util::html::bare_formula;
use crate::util::text;
use scraper::{ElementRef, Node};

/// Maximum number of nodes in a formula.
const MAX_NODES: usize = 2000;
/// Maximum length of the source between delimiters, in bytes.
const MAX_SOURCE: usize = 4000;
/// Maximum number of inline pieces that a source may span.
const MAX_PIECES: usize = 80;
/// Maximum number of delimiters in a paragraph that start no formula. After that, the rest is text.
const MAX_FAILED: usize = 500;
/// Maximum length, in bytes, of a formula that is only recognised in a text with other formulas.
const LONGEST_SIMPLE: usize = 40;
/// Minimum length, in bytes, at which a formula within a sentence gets its own line.
const SHORTEST_LINE: usize = 40;
/// The language of formulas in code: Markdown shows code of this language as a formula.
const LANGUAGE: &str = "math";
/// Start and end delimiters of a formula in text, and whether the formula gets its own line.
const MARKS: [(&str, &str, bool); 4] =
    [("$$", "$$", true), ("\\[", "\\]", true), ("\\(", "\\)", false), ("$", "$", false)];

/// The TeX source of a `math` element.
pub(super) fn source(math: ElementRef<'_>) -> Option<String> {
    let tex = math.descendent_elements().take(MAX_NODES).find(|e| {
        let encoding = e.attr("encoding").unwrap_or_default();
        e.value().name() == "annotation" && encoding.ends_with("x-tex")
    });
    let source = match tex {
        Some(tex) => tex.text().collect::<String>(),
        None => math.attr("alttext")?.to_owned(),
    };
    Some(bare_formula(&source).to_owned())
}

/// The symbols of a `math` element.
pub(super) fn text(math: ElementRef<'_>) -> String {
    let mut out = String::new();
    symbols(math, 0, &mut out);
    out
}

fn symbols(e: ElementRef<'_>, depth: usize, out: &mut String) {
    if depth > 24 || out.len() > 4 * MAX_NODES {
        return;
    }
    let sign = match e.value().name() {
        "msup" => Some("^"),
        "msub" => Some("_"),
        "mfrac" => Some("/"),
        "annotation" | "annotation-xml" => return,
        _ => None,
    };
    let mut first = true;
    for child in e.children() {
        match child.value() {
            Node::Text(text) => out.push_str(text.trim()),
            Node::Element(_) => {
                if let Some(sign) = sign.filter(|_| !first) {
                    out.push_str(sign);
                }
                first = false;
                if let Some(child) = ElementRef::wrap(child) {
                    symbols(child, depth + 1, out);
                }
            }
            _ => {}
        }
    }
}

/// Whether a `math` element is displayed on its own line.
pub(super) fn is_display(math: ElementRef<'_>) -> bool {
    let around = math.ancestors().filter_map(ElementRef::wrap).take(3);
    math.attr("display").is_some_and(|d| d.eq_ignore_ascii_case("block"))
        || around.into_iter().any(|e| e.value().classes().any(|c| c == "katex-display"))
}

/// The source in a `script` element, and whether the formula is displayed on its own line.
pub(super) fn script(e: ElementRef<'_>) -> Option<(String, bool)> {
    let kind = e.attr("type").unwrap_or_default().trim().to_ascii_lowercase();
    let source: String = e.text().collect();
    let source = bare_formula(&source);
    let is_formula = e.value().name() == "script" && kind.starts_with("math/tex");
    (is_formula && !source.is_empty()).then(|| (source.to_owned(), kind.contains("mode=display")))
}

/// Whether an element only displays a formula whose source is next to it.
pub(super) fn is_rendering(e: ElementRef<'_>) -> bool {
    let Some(class) = e.attr("class") else { return false };
    let drawn = || class.split_ascii_whitespace().any(|c| c.starts_with("MathJax"));
    let beside = || {
        let next = e.next_siblings().filter_map(ElementRef::wrap).take(2);
        next.into_iter().any(|e| script(e).is_some())
    };
    is_rendering_class(class) || drawn() && beside()
}

pub(super) fn is_rendering_class(class: &str) -> bool {
    class.split_ascii_whitespace().any(|c| matches!(c, "katex-html" | "MathJax_Preview"))
}

/// A formula within a line of text: code, unless it can be written as plain text.
pub(super) fn inline(source: &str) -> Inline {
    let line = super::from_html::on_one_line(source);
    if let Some(signs) = signs(&line) {
        return Inline::Text(signs);
    }
    match line.contains(['\\', '^', '_', '{', '}']) {
        true => Inline::Code(line),
        false => Inline::Text(line),
    }
}

/// A formula on its own line.
pub(super) fn block(source: &str) -> Block {
    let code = text::block(source.trim());
    Block::Code { language: Some(LANGUAGE.to_owned()), code }
}

/// The plain text of a code block, if the block is a formula that can be written as plain text.
pub(super) fn formula_text(language: Option<&str>, code: &str) -> Option<String> {
    language.filter(|language| *language == LANGUAGE).and_then(|_| super::formula(code))
}

/// Running text, or a formula on its own line.
pub(super) enum Part {
    Text(Vec<Inline>),
    Formula(String),
}

/// Finds the formulas between delimiters. Formulas on their own lines split the text.
///
/// If `known` is true, the text has formulas between single dollar signs, so simple formulas between them are
/// recognised too.
pub(super) fn split(pieces: Vec<Inline>, known: bool) -> Vec<Part> {
    let has_mark = |piece: &Inline| match piece {
        Inline::Text(text) => {
            // All delimiters begin with one of these characters.
            memchr::memchr2(b'$', b'\\', text.as_bytes()).is_some()
                && MARKS.iter().any(|mark| text.contains(mark.0))
        }
        _ => false,
    };
    if !pieces.iter().any(has_mark) {
        return vec![Part::Text(pieces)];
    }
    let (mut parts, mut out) = (Vec::new(), Vec::new());
    // The index of the current piece, the offset up to which it was written, and the offset up to which it
    // was searched.
    let (mut at, mut written, mut searched) = (0, 0, 0);
    let (mut next, mut failed) = (NextMarks::default(), 0);
    while let Some(piece) = pieces.get(at) {
        let Inline::Text(text) = piece else {
            out.push(piece.clone());
            at += 1;
            continue;
        };
        let found = if failed < MAX_FAILED { next.first(text, searched) } else { None };
        let Some((start, mark)) = found else {
            out.push(Inline::Text(text[written..].to_owned()));
            (at, written, searched) = (at + 1, 0, 0);
            next = NextMarks::default();
            continue;
        };
        let Some((source, end)) = enclosed(&pieces, (at, start + mark.0.len()), mark, known) else {
            searched = start + mark.0.len();
            failed += 1;
            continue;
        };
        out.push(Inline::Text(text[written..start].to_owned()));
        // Some authors use `$$` for all formulas. A formula within a sentence stays in the sentence.
        let is_long = || source.len() >= SHORTEST_LINE;
        let is_block = mark.2
            && (mark.0 != "$$" || is_long() || {
                is_line_end(text[written..start].chars().rev(), out.iter().rev())
                    && is_line_end(rest_of(&pieces, end).chars(), pieces[end.0 + 1..].iter())
            });
        if is_block {
            parts.push(Part::Text(std::mem::take(&mut out)));
            parts.push(Part::Formula(source));
        } else {
            out.push(inline(&source));
        }
        if end.0 != at {
            next = NextMarks::default();
        }
        (at, written, searched) = (end.0, end.1, end.1);
    }
    parts.push(Part::Text(out));
    parts
}

fn rest_of(pieces: &[Inline], (at, from): (usize, usize)) -> &str {
    match pieces.get(at) {
        Some(Inline::Text(text)) => text.get(from..).unwrap_or_default(),
        _ => "",
    }
}

/// Whether a line ends (or begins) here: only whitespace remains before the next line break (including one in
/// the source) or the end of the pieces.
fn is_line_end<'a>(
    mut beside: impl Iterator<Item = char>,
    mut pieces: impl Iterator<Item = &'a Inline>,
) -> bool {
    if let Some(c) = beside.find(|c| *c == '\n' || !c.is_whitespace()) {
        return c == '\n';
    }
    let next = pieces.find(|piece| match piece {
        Inline::Text(text) => !text.trim().is_empty(),
        Inline::Place(_) => false,
        _ => true,
    });
    matches!(next, None | Some(Inline::Break))
}

/// Finds the formulas between delimiters in text that cannot be split, such as a heading.
pub(super) fn within(pieces: Vec<Inline>, known: bool) -> Vec<Inline> {
    let parts = split(pieces, known).into_iter();
    parts
        .flat_map(|part| match part {
            Part::Text(pieces) => pieces,
            Part::Formula(source) => vec![inline(&source)],
        })
        .collect()
}

type Mark = (&'static str, &'static str, bool);

/// The next delimiter of each kind in a text, so that the text is searched once per kind.
#[derive(Default)]
struct NextMarks([Option<usize>; MARKS.len()]);

impl NextMarks {
    /// The first delimiter at or after an offset. Offsets must ascend from call to call.
    fn first(&mut self, text: &str, from: usize) -> Option<(usize, Mark)> {
        for (next, mark) in self.0.iter_mut().zip(MARKS) {
            if next.is_none_or(|at| at < from) {
                *next = Some(next_mark(text, from, mark).unwrap_or(text.len()));
            }
        }
        let all = self.0.iter().zip(MARKS).filter_map(|(at, mark)| Some(((*at)?, mark)));
        all.filter(|(at, _)| *at < text.len()).min_by_key(|(at, _)| *at)
    }
}

/// The next delimiter of a kind at or after an offset in a text.
fn next_mark(text: &str, from: usize, mark: Mark) -> Option<usize> {
    let mut at = from;
    loop {
        at += text.get(at..)?.find(mark.0)?;
        let before = text[..at].chars().next_back();
        let after = text[at + mark.0.len()..].chars().next();
        let alone = match mark.0 {
            "$" if after.is_none_or(char::is_whitespace) => false,
            "$$" | "$" => {
                after != Some('$')
                    && before.is_none_or(|c| {
                        let in_word = c.is_alphanumeric() && !is_unspaced(c);
                        c != '$' && c != '\\' && !in_word
                    })
            }
            _ => before != Some('\\'),
        };
        if alone {
            return Some(at);
        }
        at += mark.0.len();
    }
}

/// The source from a position up to the end delimiter, and the position after the delimiter. A position is
/// the index of a piece and an offset in it.
fn enclosed(
    pieces: &[Inline],
    (first, start): (usize, usize),
    mark: Mark,
    known: bool,
) -> Option<(String, (usize, usize))> {
    let mut source = String::new();
    for (at, piece) in pieces.iter().enumerate().skip(first).take(MAX_PIECES) {
        match piece {
            Inline::Text(text) => {
                let from = if at == first { start } else { 0 };
                let rest = text::start(&text[from..], MAX_SOURCE + 2);
                if let Some(end) = end_mark(rest, mark.1) {
                    push_joined(&mut source, &rest[..end]);
                    let after = from + end + mark.1.len();
                    let more = match mark.1 {
                        "$$" => text[after..].starts_with('$'),
                        "$" => text[after..].starts_with(|c: char| c == '$' || c.is_alphanumeric()),
                        _ => false,
                    };
                    let formula = !more && is_formula(&source, mark, known);
                    return formula.then(|| (source.trim().to_owned(), (at, after)));
                }
                push_joined(&mut source, rest);
            }
            Inline::Break => source.push('\n'),
            // Markdown parses the underscores of two indices as emphasis.
            Inline::Emphasis(inner) => match inner.as_slice() {
                [Inline::Text(text)] => source.push_str(&format!("_{text}_")),
                _ => return None,
            },
            _ => return None,
        }
        if source.len() > MAX_SOURCE {
            return None;
        }
    }
    None
}

/// The first end delimiter in a text; a dollar sign after a backslash is part of the formula.
fn end_mark(text: &str, mark: &str) -> Option<usize> {
    let is_escaped = |at: usize| {
        let slashes = text[..at].bytes().rev().take_while(|b| *b == b'\\').count();
        mark.starts_with('$') && slashes % 2 == 1
    };
    text.match_indices(mark).map(|(at, _)| at).find(|at| !is_escaped(*at))
}

/// Appends a part of a source. Line breaks become spaces, except at the end of a row.
fn push_joined(source: &mut String, part: &str) {
    for (at, line) in part.split('\n').enumerate() {
        if at > 0 {
            let row = source.trim_end_matches(' ').ends_with("\\\\");
            match (row, source.ends_with([' ', '\n'])) {
                (true, _) => source.push('\n'),
                (false, true) => {}
                (false, false) => source.push(' '),
            }
        }
        source.push_str(if at > 0 { line.trim_start() } else { line });
    }
}

/// Whether a text between delimiters is a formula, rather than text with prices or brackets.
fn is_formula(source: &str, mark: Mark, known: bool) -> bool {
    if mark.0 == "$" {
        return is_certain(source) || known && is_simple(source);
    }
    if mark.0 == "$$" && known && (is_bare_number(source) || is_simple(source)) {
        return true;
    }
    let source = source.trim();
    let words = || source.split(|c: char| !c.is_alphabetic()).filter(|w| w.chars().count() > 1);
    let long = || source.chars().count() > 3;
    if source.is_empty() || source.len() > MAX_SOURCE || source.replace("\\$", "").contains('$') {
        return false;
    }
    if source.contains(['\\', '^', '_', '{']) {
        return true;
    }
    let plain = source.chars().all(char::is_alphabetic) || !source.chars().any(char::is_alphabetic);
    match mark.0 {
        "\\(" => !(plain && source.chars().count() > 2),
        _ if long() => source.contains(['=', '+', '<', '>']) && words().count() <= 1,
        _ => {
            let is_part = |c: char| c.is_alphanumeric() && !is_unspaced(c);
            source.chars().all(|c| is_part(c) || "+-=/<>*".contains(c)) && !is_number(source)
        }
    }
}

/// Whether a text between single dollar signs is certainly a formula: it contains a TeX command or a power,
/// and no whitespace next to the delimiters. Prices and variable names also have dollar signs.
fn is_certain(source: &str) -> bool {
    let mut pairs = source.bytes().zip(source.bytes().skip(1));
    !source.ends_with(char::is_whitespace)
        && pairs.any(|(a, b)| a == b'^' || a == b'\\' && b.is_ascii_alphabetic())
}

/// Whether a text between dollar signs may be a formula if the surrounding text contains formulas:
/// `N`, `p(T)`, `x = 1`.
fn is_simple(source: &str) -> bool {
    let mut words = source.split(|c: char| !c.is_ascii_alphabetic());
    !source.ends_with(char::is_whitespace)
        && source.len() <= LONGEST_SIMPLE
        && source.bytes().any(|b| b.is_ascii_alphabetic())
        && words.all(|word| word.len() <= 2)
}

/// Whether a text has formulas between single dollar signs.
pub(super) fn has_formulas(e: ElementRef<'_>) -> bool {
    e.text().any(|text| {
        let mut parts = text.split('$').skip(1).peekable();
        text.contains(['\\', '^'])
            && std::iter::from_fn(|| Some((parts.next()?, *parts.peek()?))).any(|(part, after)| {
                let is_tight = !part.starts_with(char::is_whitespace);
                // As in `enclosed`, no letter or digit may follow the end delimiter: `$HOME` and `$PATH` are
                // variables.
                let ends = is_tight && !after.starts_with(char::is_alphanumeric);
                ends && part.len() <= MAX_SOURCE && is_certain(part)
            })
    })
}

/// Whether a text between double dollar signs is only a number, such as `1` or `-0.5`. It may be a price, so
/// the caller also checks the surrounding text.
fn is_bare_number(source: &str) -> bool {
    let digits = source.strip_prefix('-').unwrap_or(source);
    digits.starts_with(|c: char| c.is_ascii_digit())
        && digits.ends_with(|c: char| c.is_ascii_digit())
        && source.len() <= LONGEST_SIMPLE
        && digits.bytes().all(|b| b.is_ascii_digit() || matches!(b, b'.' | b','))
}

fn is_number(source: &str) -> bool {
    !source.chars().any(char::is_alphabetic)
}
