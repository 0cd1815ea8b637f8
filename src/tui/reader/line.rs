//! Lines of the Reader, and their visible parts.

use super::code;
use super::glyphs::Glyphs;
use crate::config::Role;
use crate::util::limits::READER_LINES;
use crate::util::text;
use std::sync::Arc;
use unicode_segmentation::UnicodeSegmentation;

/// A laid-out document.
#[derive(Debug, Clone, Default)]
pub(crate) struct Lines {
    pub(crate) lines: Vec<Line>,
    /// In a difference, the lines where changes begin.
    pub(crate) changes: Vec<usize>,
    /// Number of characters in the text and its footnotes, without whitespace.
    pub(crate) solid: usize,
    /// The blocks of code as written.
    pub(crate) codes: Vec<Arc<str>>,
}

impl Lines {
    /// Limits the number of lines, adding a line that reports removed lines, and sets the positions of lines.
    pub(super) fn finished(mut lines: Vec<Line>, glyphs: &Glyphs) -> Self {
        if lines.len() > READER_LINES {
            lines.truncate(READER_LINES);
            let note = format!("{} the rest is too long to be shown", glyphs.more);
            lines.push(Line::of(Span::new(note, Role::Dim)));
        }
        code::align(&mut lines);
        let mut before = 0;
        for line in &mut lines {
            line.at = before;
            let solid = |s: &Span| s.text.chars().filter(|c| !c.is_whitespace()).count();
            before += line.spans.iter().filter(|s| !s.mark).map(solid).sum::<usize>();
        }
        Self { lines, solid: before, ..Self::default() }
    }
}

/// The target of a jump.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Target {
    /// A link of the document, counted from 0.
    Link(usize),
    /// A footnote, counted from 0.
    Note(usize),
    /// The reference to a footnote, counted from 0.
    Reference(usize),
    /// A place in the text, such as the target of a fragment.
    Place(usize),
    /// A block of code, counted from 0.
    Code(usize),
}

/// A run of text in one role.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Span {
    pub(crate) text: String,
    pub(crate) role: Role,
    /// The target to which the span leads.
    pub(crate) target: Option<Target>,
    /// Whether the span is only drawn, and is not text of the article; for example the number of a link.
    pub(crate) mark: bool,
    /// Whether a text search finds the span, although it is only drawn.
    pub(crate) is_searched: bool,
    /// Whether the span is struck through.
    pub(crate) struck: bool,
    /// The place in the text that starts at this span.
    pub(crate) place: Option<usize>,
}

impl Span {
    pub(crate) fn new(text: impl Into<String>, role: Role) -> Self {
        let text = text.into();
        let (mark, is_searched, struck) = (false, true, false);
        Self { text, role, target: None, mark, is_searched, struck, place: None }
    }

    /// A span with the number of a target. There may be many links, so their numbers are subdued.
    pub(super) fn mark(text: impl Into<String>, target: Target) -> Self {
        let role = if matches!(target, Target::Link(_)) { Role::Dim } else { Role::Accent };
        Self { target: Some(target), ..Self::label(text, role) }
    }

    /// A span with text that is not part of the article.
    pub(super) fn label(text: impl Into<String>, role: Role) -> Self {
        Self { mark: true, is_searched: false, ..Self::new(text, role) }
    }

    /// A span that repeats text of the article.
    pub(super) fn repeated(text: impl Into<String>, role: Role) -> Self {
        Self { mark: true, ..Self::new(text, role) }
    }

    /// A span of empty cells.
    pub(super) fn blank(cells: usize) -> Self {
        Self::new(" ".repeat(cells), Role::Text)
    }

    /// Whether text of the other span can be appended.
    pub(super) fn same_style(&self, other: &Self) -> bool {
        let kind = |span: &Self| (span.mark, span.is_searched);
        let style = |span: &Self| (span.role, span.target, span.struck, span.place);
        kind(self) == kind(other) && style(self) == style(other)
    }
}

/// How a line continues the previous line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Joint {
    /// The line starts a new paragraph.
    #[default]
    New,
    /// The line continues after a space.
    Blank,
    /// The line continues within a word, or in a script without spaces.
    Tight,
}

/// The lines of a heading.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct HeadingLines {
    /// Its rank among the levels of the article, from 0.
    pub(crate) rank: usize,
    pub(crate) count: usize,
}

/// A background behind a line, from a cell to the end of the column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Ground {
    pub(crate) role: Role,
    pub(crate) from: usize,
}

/// The upper and lower half of each cell in a row, as red, green, blue and opacity.
pub(crate) type Halves = Vec<[[u8; 4]; 2]>;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct PictureRow {
    /// Index of the picture's link.
    pub(crate) link: usize,
    /// Columns and rows of the whole picture.
    pub(crate) cells: (u16, u16),
    /// Index of the row in the picture.
    pub(crate) row: u16,
    pub(crate) pixels: Halves,
}

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Line {
    /// Spans before the text: indentation, bars, list marks.
    pub(crate) margin: Vec<Span>,
    pub(crate) spans: Vec<Span>,
    pub(crate) joint: Joint,
    /// Number of cells by which the line's block is wider than the available width.
    pub(crate) over: usize,
    /// Number of characters before the line, without whitespace.
    pub(crate) at: usize,
    /// Number of cells at the end of the column that stay empty. `beyond` is the number of cells to the right
    /// of the column that the line's block uses.
    pub(crate) inset: usize,
    pub(crate) beyond: usize,
    /// The heading that begins on the line.
    pub(crate) heading: Option<HeadingLines>,
    pub(crate) ground: Option<Ground>,
    /// The block of code that the line belongs to, as an index into [`Lines::codes`].
    pub(crate) code: Option<usize>,
    /// How many lines above this one the header of its table is; 0 if it is not in the body of a table with a
    /// header.
    pub(crate) below_header: usize,
    /// Number of lines of the same row of a table above the line.
    pub(crate) below_row: usize,
    /// Whether the line shows how many links are not listed. The key for the list of links is drawn after it.
    pub(crate) counts_links: bool,
    /// A row of a picture instead of text.
    pub(crate) picture: Option<Box<PictureRow>>,
    /// Whether the line is right-aligned, with its margin on the right.
    pub(crate) right_to_left: bool,
}

impl Line {
    pub(super) fn of(span: Span) -> Self {
        Self { spans: vec![span], ..Self::default() }
    }

    /// Width of the margin in cells.
    pub(crate) fn indent(&self) -> usize {
        self.margin.iter().map(|s| text::width(&s.text)).sum()
    }

    /// Number of cells for the text in a column.
    pub(crate) fn space(&self, column: usize) -> usize {
        (column + self.beyond).saturating_sub(self.indent() + self.inset)
    }

    /// The text without the margin.
    pub(crate) fn text(&self) -> String {
        self.spans.iter().map(|s| s.text.as_str()).collect()
    }

    /// All spans from left to right.
    pub(crate) fn all(&self) -> impl Iterator<Item = &Span> {
        self.margin.iter().chain(&self.spans)
    }

    /// The visible cells in a column, from left to right, when wide lines are scrolled by `shift` cells.
    pub(crate) fn cells(
        &self,
        shift: usize,
        column: usize,
        glyphs: &'static Glyphs,
    ) -> Vec<Cell<'_>> {
        let margin = self.margin.iter().flat_map(|span| {
            let cell = |text| Cell { text, at: usize::MAX, span: Some(span) };
            span.text.graphemes(true).map(cell)
        });
        let mut text = cut(self, shift, self.space(column), glyphs);
        if !self.right_to_left {
            return margin.chain(text).collect();
        }
        let used: usize = text.iter().map(|cell| text::width(cell.text)).sum();
        let blank = Cell { text: " ", at: usize::MAX, span: None };
        let free = self.space(column).saturating_sub(used);
        text.splice(0..0, std::iter::repeat_n(blank, free));
        text.extend(margin.rev());
        text
    }
}

/// A grapheme with its byte offset in the text of its line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Cell<'a> {
    pub(crate) text: &'a str,
    /// The byte offset; `usize::MAX` outside the text.
    pub(crate) at: usize,
    /// The span of the grapheme; `None` for clip markers and empty cells.
    pub(crate) span: Option<&'a Span>,
}

/// The part of a line's text that is visible in `space` cells when scrolled by `shift` cells. Clipped text is
/// replaced by a marker, and a wide character that does not fit at an edge is left out.
fn cut<'a>(line: &'a Line, shift: usize, space: usize, glyphs: &'static Glyphs) -> Vec<Cell<'a>> {
    let (mut out, mut column, mut used, mut at) = (Vec::new(), 0, 0, 0);
    let more = |text| Cell { text, at: usize::MAX, span: None };
    let shift = shift.min(line.over);
    for span in &line.spans {
        for grapheme in span.text.graphemes(true) {
            let (cells, here) = (text::width(grapheme), at);
            let from = column;
            column += cells;
            at += grapheme.len();
            if shift > 0 && from <= shift {
                // The first cell is the marker. Characters that it partly covers are left out.
                if out.is_empty() {
                    out.push(more(glyphs.more_left));
                    used = 1;
                }
                if column > shift + 1 {
                    let blanks = (column - shift - 1).min(space.saturating_sub(used));
                    out.extend(std::iter::repeat_n(more(" "), blanks));
                    used += blanks;
                }
                continue;
            }
            if used + cells > space {
                while used + 1 > space
                    && let Some(last) = out.pop()
                {
                    used -= text::width(last.text);
                }
                out.extend(std::iter::repeat_n(more(" "), space.saturating_sub(used + 1)));
                out.push(more(glyphs.more_right));
                return out;
            }
            out.push(Cell { text: grapheme, at: here, span: Some(span) });
            used += cells;
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::super::glyphs::UNICODE;
    use super::*;
    use proptest::prelude::*;

    fn seen(text: &str, shift: usize, space: usize) -> String {
        let over = crate::util::text::width(text).saturating_sub(space);
        let line = Line { over, ..Line::of(Span::new(text, Role::Code)) };
        line.cells(shift, space, &UNICODE).iter().map(|c| c.text).collect()
    }

    #[test]
    fn marks_clipped_text() {
        for (text, shift, space, expected) in [
            ("abc", 0, 5, "abc"),
            ("abcdef", 0, 5, "abcd›"),
            ("abcdefgh", 2, 5, "‹def›"),
            ("abcdefgh", 3, 5, "‹efgh"),
            ("abcdefgh", 99, 5, "‹efgh"),
            ("日本語の文", 0, 5, "日本›"),
            ("日本語の文", 0, 6, "日本 ›"),
            ("日本語の文", 1, 5, "‹本 ›"),
            ("日本語の文", 2, 5, "‹ 語›"),
        ] {
            assert_eq!(seen(text, shift, space), expected, "{text} from {shift} in {space}");
        }
    }

    #[test]
    fn aligns_right_to_left_lines_to_the_right() {
        let margin = vec![Span::new("| ", Role::Quote), Span::new("* ", Role::Accent)];
        let line =
            Line { margin, right_to_left: true, ..Line::of(Span::new("שלום", Role::Text)) };
        let shown: String = line.cells(0, 12, &UNICODE).iter().map(|c| c.text).collect();
        assert_eq!(shown, "    שלום * |");
    }

    proptest! {
        #[test]
        fn fits_the_clipped_part_into_the_width(
            text in "[a-c日é🇩]{0,30}", shift in 0usize..40, space in 1usize..20
        ) {
            let shown = seen(&text, shift, space);
            prop_assert!(text::width(&shown) <= space, "{shown:?}");
        }
    }
}
