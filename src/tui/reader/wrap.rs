//! Breaking styled text into lines.

use crate::config::Role;
use crate::util::text;
use unicode_linebreak::BreakOpportunity;
use unicode_segmentation::UnicodeSegmentation;

/// A run of text in one role, and the link it belongs to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Span {
    pub(crate) text: String,
    pub(crate) role: Role,
    pub(crate) link: Option<usize>,
}

impl Span {
    pub(super) fn new(text: impl Into<String>, role: Role) -> Self {
        Self { text: text.into(), role, link: None }
    }
}

/// Fills lines of `width` cells, breaking where UAX #14 allows it; a word that is longer is cut.
/// `\n` in a span breaks the line.
pub(super) fn wrap(spans: &[Span], width: usize) -> Vec<Vec<Span>> {
    let text: String = spans.iter().map(|s| s.text.as_str()).collect();
    let mut fill = Fill { width: width.max(1), lines: vec![Vec::new()], used: 0, spans, from: 0 };
    let mut start = 0;
    for (end, opportunity) in unicode_linebreak::linebreaks(&text) {
        let piece = text[start..end].trim_end_matches('\n');
        fill.push(piece);
        fill.from += end - start - piece.len();
        start = end;
        if opportunity == BreakOpportunity::Mandatory && end < text.len() {
            fill.new_line();
        }
    }
    fill.lines.iter_mut().for_each(trim_end);
    while fill.lines.len() > 1 && fill.lines.last().is_some_and(Vec::is_empty) {
        fill.lines.pop();
    }
    fill.lines
}

/// Plain text in lines of `width` cells.
pub(crate) fn wrap_plain(content: &str, width: usize) -> Vec<String> {
    let lines = wrap(&[Span::new(content, Role::Text)], width);
    lines.into_iter().map(|l| l.into_iter().map(|s| s.text).collect()).collect()
}

struct Fill<'a> {
    width: usize,
    lines: Vec<Vec<Span>>,
    used: usize,
    /// The spans that are not used up, and how much of the first one is.
    spans: &'a [Span],
    from: usize,
}

impl Fill<'_> {
    fn new_line(&mut self) {
        self.lines.push(Vec::new());
        self.used = 0;
    }

    /// Adds what stands between two places where a line may end.
    fn push(&mut self, piece: &str) {
        let solid = text::width(piece.trim_end_matches(' '));
        if self.used + solid > self.width && self.used > 0 {
            self.new_line();
        }
        if solid <= self.width {
            self.append(piece);
            return;
        }
        for grapheme in piece.graphemes(true) {
            if self.used + text::width(grapheme) > self.width && self.used > 0 {
                self.new_line();
            }
            self.append(grapheme);
        }
    }

    /// Adds a piece with the styles of the spans that it comes from.
    fn append(&mut self, mut piece: &str) {
        self.used += text::width(piece);
        while let (Some(span), false) = (self.spans.first(), piece.is_empty()) {
            let left = span.text.len().saturating_sub(self.from);
            if left == 0 {
                self.from -= span.text.len();
                self.spans = &self.spans[1..];
                continue;
            }
            let (here, rest) = piece.split_at(left.min(piece.len()));
            self.from += here.len();
            piece = rest;
            let Some(line) = self.lines.last_mut() else { return };
            match line.last_mut() {
                Some(last) if last.role == span.role && last.link == span.link => {
                    last.text.push_str(here);
                }
                _ => line.push(Span { text: here.to_owned(), role: span.role, link: span.link }),
            }
        }
    }
}

fn trim_end(line: &mut Vec<Span>) {
    while let Some(last) = line.last_mut() {
        last.text.truncate(last.text.trim_end_matches(' ').len());
        if !last.text.is_empty() {
            return;
        }
        line.pop();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn lines(input: &str, width: usize) -> Vec<String> {
        let lines = wrap(&[Span::new(input, Role::Text)], width);
        lines.into_iter().map(|l| l.into_iter().map(|s| s.text).collect()).collect()
    }

    #[test]
    fn words_move_and_long_ones_are_cut() {
        for (input, width, expected) in [
            ("one two three", 7, vec!["one two", "three"]),
            ("one two, three", 7, vec!["one", "two,", "three"]),
            ("abcdefghij", 4, vec!["abcd", "efgh", "ij"]),
            ("日本語の文", 4, vec!["日本", "語の", "文"]),
            ("他说：「好」", 8, vec!["他说：", "「好」"]),
            ("программу «Мир» и", 12, vec!["программу", "«Мир» и"]),
            ("one-two three", 8, vec!["one-two", "three"]),
            ("a\nb", 9, vec!["a", "b"]),
            ("", 5, vec![""]),
        ] {
            assert_eq!(lines(input, width), expected, "{input}");
        }
    }

    #[test]
    fn styles_follow_their_text() {
        let link = Span { text: "a link".into(), role: Role::Link, link: Some(0) };
        let spans = [Span::new("see ", Role::Text), link, Span::new("[1]\nnext", Role::Dim)];
        let lines = wrap(&spans, 7);
        let shown: Vec<Vec<(&str, Role)>> =
            lines.iter().map(|l| l.iter().map(|s| (s.text.as_str(), s.role)).collect()).collect();
        assert_eq!(
            shown,
            [
                vec![("see ", Role::Text), ("a", Role::Link)],
                vec![("link", Role::Link), ("[1]", Role::Dim)],
                vec![("next", Role::Dim)],
            ]
        );
    }

    proptest! {
        #[test]
        fn no_line_is_wider_and_nothing_is_lost(input in "[a-zé日 ,.]{0,60}", width in 2usize..20) {
            let out = lines(&input, width);
            for line in &out {
                prop_assert!(text::width(line) <= width, "{line:?}");
            }
            let letters = |s: &str| s.chars().filter(|c| *c != ' ').collect::<String>();
            prop_assert_eq!(letters(&out.concat()), letters(&input));
        }
    }
}
