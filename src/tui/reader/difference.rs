//! Layout of the difference between two versions.

use super::glyphs::Glyphs;
use super::line::Lines;
use super::line::{Line, Span};
use super::wrap::wrap;
use crate::article::Change;
use crate::config::Role;

/// Lays out a difference in lines of `width` cells. Removed text is shown as `[-…-]`, added text as `{+…+}`,
/// so that it can be read without colours and copied.
pub(crate) fn layout_difference(changes: &[Change], width: usize, glyphs: &Glyphs) -> Lines {
    let mut out = Out { paragraph: Vec::new(), lines: Vec::new(), changes: Vec::new(), width };
    for change in changes {
        match change {
            Change::Same(text) => out.push(text, "", "", Role::Text),
            Change::Removed(text) => out.push(text, "[-", "-]", Role::Removed),
            Change::Added(text) => out.push(text, "{+", "+}", Role::Added),
        }
    }
    out.end_paragraph();
    let mut lines = out.lines;
    while lines.last().is_some_and(|l| l.spans.is_empty()) {
        lines.pop();
    }
    let changes = out.changes.into_iter().filter(|line| *line < lines.len()).collect();
    Lines { changes, ..Lines::finished(lines, glyphs) }
}

/// Keeps a marker on the same line as its word. This character has no width, is never drawn, and does not
/// occur in fetched text.
const JOINER: char = '\u{2060}';

struct Out {
    /// The current paragraph, which is not laid out yet.
    paragraph: Vec<Span>,
    lines: Vec<Line>,
    changes: Vec<usize>,
    width: usize,
}

impl Out {
    /// Adds a text, with markers around each of its lines.
    fn push(&mut self, text: &str, open: &str, close: &str, role: Role) {
        for (i, part) in text.split('\n').enumerate() {
            if i > 0 {
                self.end_paragraph();
            }
            // Separates the cells of tables, because tabs are not drawn.
            let part = &part.replace('\t', "  ");
            let solid = part.trim();
            if open.is_empty() || solid.is_empty() {
                self.paragraph.push(Span::new(part.as_str(), Role::Text));
                continue;
            }
            let start = part.len() - part.trim_start().len();
            let end = start + solid.len();
            self.paragraph.push(Span::new(&part[..start], Role::Text));
            let marked = format!("{open}{JOINER}{solid}{JOINER}{close}");
            self.paragraph.push(Span::new(marked, role));
            self.paragraph.push(Span::new(&part[end..], Role::Text));
        }
    }

    fn end_paragraph(&mut self) {
        let spans = std::mem::take(&mut self.paragraph);
        for mut line in wrap(&spans, self.width.max(8)) {
            line.spans.iter_mut().for_each(|span| span.text.retain(|c| c != JOINER));
            let is_change = |s: &Span| matches!(s.role, Role::Added | Role::Removed);
            let (before, line_has) = (self.lines.last(), line.spans.iter().any(is_change));
            let went_on = before.is_some_and(|l| l.spans.last().is_some_and(is_change))
                && line.spans.first().is_some_and(is_change);
            if line_has && !went_on {
                self.changes.push(self.lines.len());
            }
            self.lines.push(line);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::glyphs::UNICODE;
    use super::*;
    use crate::article::differences;

    fn shown(earlier: &str, later: &str, width: usize) -> (Vec<String>, Vec<usize>) {
        let lines = layout_difference(&differences(earlier, later), width, &UNICODE);
        (lines.lines.iter().map(Line::text).collect(), lines.changes)
    }

    #[test]
    fn marks_changed_words() {
        let (lines, changes) =
            shown("one two three\n\nfour five", "one 2 three\n\nfour five six", 40);
        assert_eq!(lines, ["one [-two-] {+2+} three", "", "four five {+six+}"]);
        assert_eq!(changes, [0, 2]);
        let (lines, _) = shown("one b c", "one a-b c", 10);
        assert_eq!(lines, ["one [-b-]", "{+a-b+} c"]);
    }

    #[test]
    fn markers_do_not_span_paragraphs() {
        let (lines, changes) = shown("a\n\nb\n\nc d", "c d", 40);
        assert_eq!(lines, ["[-a-]", "", "[-b-]", "", "c d"]);
        assert_eq!(changes, [0, 2]);
    }

    #[test]
    fn counts_a_multi_line_change_once() {
        let (lines, changes) = shown("x", &"word ".repeat(20), 12);
        assert!(lines.len() > 5 && lines.iter().all(|l| l.chars().count() <= 12), "{lines:?}");
        assert_eq!(changes, [0]);
    }
}
