//! Lines of the reader, and the part of one that a pane shows.

use super::glyphs::Glyphs;
use crate::config::Role;
use crate::util::text;
use unicode_segmentation::UnicodeSegmentation;

/// What can be gone to from a place in the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Target {
    /// A link of the document, counted from 0.
    Link(usize),
    /// A footnote, counted from 0.
    Note(usize),
    /// The place that a footnote belongs to.
    Reference(usize),
}

/// A run of text in one role.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Span {
    pub(crate) text: String,
    pub(crate) role: Role,
    /// Where it leads.
    pub(crate) target: Option<Target>,
    /// Whether it is the number of its target, and no text of the article.
    pub(crate) mark: bool,
}

impl Span {
    pub(super) fn new(text: impl Into<String>, role: Role) -> Self {
        Self { text: text.into(), role, target: None, mark: false }
    }

    /// The number by which a target is named.
    pub(super) fn mark(text: impl Into<String>, target: Target) -> Self {
        Self { text: text.into(), role: Role::Dim, target: Some(target), mark: true }
    }

    /// Whether a text can be added to it.
    pub(super) fn goes_on(&self, other: &Self) -> bool {
        (self.role, self.target, self.mark) == (other.role, other.target, other.mark)
    }
}

/// How a line goes on from the one above it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Joint {
    /// Not at all.
    #[default]
    New,
    /// Where a blank was.
    Blank,
    /// Within a word, or in a script without blanks.
    Tight,
}

/// One line.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Line {
    /// What stands before the text: indentation, bars, marks of lists.
    pub(crate) margin: Vec<Span>,
    pub(crate) spans: Vec<Span>,
    pub(crate) joint: Joint,
    /// Cells by which its block is wider than the room for it.
    pub(crate) over: usize,
    /// How many characters other than white space stand before it.
    pub(crate) at: usize,
}

impl Line {
    pub(super) fn of(span: Span) -> Self {
        Self { spans: vec![span], ..Self::default() }
    }

    /// Cells of what stands before the text.
    pub(crate) fn indent(&self) -> usize {
        self.margin.iter().map(|s| text::width(&s.text)).sum()
    }

    /// The text, without what stands before it.
    pub(crate) fn text(&self) -> String {
        self.spans.iter().map(|s| s.text.as_str()).collect()
    }

    /// Every span from left to right.
    pub(crate) fn all(&self) -> impl Iterator<Item = &Span> {
        self.margin.iter().chain(&self.spans)
    }
}

/// A grapheme with the byte at which it stands in the text of its line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Cell<'a> {
    pub(crate) text: &'a str,
    pub(crate) at: usize,
    /// Index of its span; `None` for the marks of what is cut off.
    pub(crate) span: Option<usize>,
}

/// The part of a line's text that is seen in `room` cells when the first `shift` are passed over.
/// What is cut off leaves a mark, and a wide character at an edge is left out whole.
pub(crate) fn cut<'a>(line: &'a Line, shift: usize, room: usize, glyphs: &Glyphs) -> Vec<Cell<'a>> {
    let (mut out, mut column, mut used, mut at) = (Vec::new(), 0, 0, 0);
    let more = |text| Cell { text, at: usize::MAX, span: None };
    let shift = shift.min(line.over);
    for (i, span) in line.spans.iter().enumerate() {
        for grapheme in span.text.graphemes(true) {
            let (cells, here) = (text::width(grapheme), at);
            let from = column;
            column += cells;
            at += grapheme.len();
            if shift > 0 && from <= shift {
                // The first cell is the mark; what it hides only a part of goes too.
                if out.is_empty() {
                    out.push(more(glyphs.more_left));
                    used = 1;
                }
                if column > shift + 1 {
                    let blanks = (column - shift - 1).min(room.saturating_sub(used));
                    out.extend(std::iter::repeat_n(more(" "), blanks));
                    used += blanks;
                }
                continue;
            }
            if used + cells > room {
                while used + 1 > room
                    && let Some(last) = out.pop()
                {
                    used -= text::width(last.text);
                }
                out.extend(std::iter::repeat_n(more(" "), room.saturating_sub(used + 1)));
                out.push(more(glyphs.more_right));
                return out;
            }
            out.push(Cell { text: grapheme, at: here, span: Some(i) });
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

    fn seen(text: &str, shift: usize, room: usize) -> String {
        let over = crate::util::text::width(text).saturating_sub(room);
        let line = Line { over, ..Line::of(Span::new(text, Role::Code)) };
        cut(&line, shift, room, &UNICODE).iter().map(|c| c.text).collect()
    }

    #[test]
    fn what_is_cut_leaves_a_mark() {
        for (text, shift, room, expected) in [
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
            assert_eq!(seen(text, shift, room), expected, "{text} from {shift} in {room}");
        }
    }

    proptest! {
        #[test]
        fn a_part_is_never_wider_than_its_room(
            text in "[a-c日é🇩]{0,30}", shift in 0usize..40, room in 1usize..20
        ) {
            let shown = seen(&text, shift, room);
            prop_assert!(text::width(&shown) <= room, "{shown:?}");
        }
    }
}
