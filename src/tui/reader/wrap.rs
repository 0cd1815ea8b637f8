//! Breaking styled text into lines.

use crate::config::Role;
use crate::util::text;
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

/// Fills lines of `width` cells; a word that is longer is cut. `\n` in a span breaks the line.
pub(super) fn wrap(spans: &[Span], width: usize) -> Vec<Vec<Span>> {
    let mut fill = Fill { width: width.max(1), lines: vec![Vec::new()], used: 0 };
    for span in spans {
        for (i, part) in span.text.split('\n').enumerate() {
            if i > 0 {
                fill.new_line();
            }
            for piece in part.split_word_bounds() {
                fill.push(piece, span);
            }
        }
    }
    for line in &mut fill.lines {
        trim_end(line);
    }
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

struct Fill {
    width: usize,
    lines: Vec<Vec<Span>>,
    used: usize,
}

impl Fill {
    fn new_line(&mut self) {
        self.lines.push(Vec::new());
        self.used = 0;
    }

    fn push(&mut self, piece: &str, like: &Span) {
        let cells = text::width(piece);
        let blank = piece.trim().is_empty();
        if blank && self.used == 0 && self.lines.len() > 1 {
            return;
        }
        if self.used + cells > self.width {
            if blank {
                self.new_line();
                return;
            }
            // Punctuation stays with the word before it, which then moves down with it.
            let carried = if sticks(piece) { self.take_last_word() } else { Vec::new() };
            self.new_line();
            for span in carried {
                self.append(&span.text.clone(), &span);
            }
        }
        if self.used + cells <= self.width {
            self.append(piece, like);
            return;
        }
        for grapheme in piece.graphemes(true) {
            let cells = text::width(grapheme);
            if self.used + cells > self.width && self.used > 0 {
                self.new_line();
            }
            self.append(grapheme, like);
        }
    }

    fn append(&mut self, piece: &str, like: &Span) {
        self.used += text::width(piece);
        let Some(line) = self.lines.last_mut() else { return };
        match line.last_mut() {
            Some(last) if last.role == like.role && last.link == like.link => {
                last.text.push_str(piece)
            }
            _ => line.push(Span { text: piece.to_owned(), role: like.role, link: like.link }),
        }
    }

    /// Takes the word at the end of the line off it, unless it is all there is.
    fn take_last_word(&mut self) -> Vec<Span> {
        let Some(line) = self.lines.last_mut() else { return Vec::new() };
        let all: String = line.iter().map(|s| s.text.as_str()).collect();
        let Some(cut) =
            all.rfind(' ').map(|i| i + 1).filter(|i| *i < all.len() && all.len() - i < 40)
        else {
            return Vec::new();
        };
        let mut keep = cut;
        let mut carried = Vec::new();
        let mut kept = Vec::new();
        for mut span in std::mem::take(line) {
            if keep >= span.text.len() {
                keep -= span.text.len();
                kept.push(span);
            } else {
                let tail = span.text.split_off(keep);
                keep = 0;
                let like = Span { text: tail, role: span.role, link: span.link };
                if !span.text.is_empty() {
                    kept.push(span);
                }
                carried.push(like);
            }
        }
        *line = kept;
        carried
    }
}

/// Pieces that do not begin a line.
fn sticks(piece: &str) -> bool {
    piece.chars().next().is_some_and(|c| {
        matches!(
            c,
            '.' | ',' | ';' | ':' | '!' | '?' | ')' | ']' | '}' | '»' | '”' | '’' | '%' | '…'
        ) || matches!(c, '、' | '。' | '」' | '』' | '）' | '，' | '！' | '？')
    })
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
            ("a\nb", 9, vec!["a", "b"]),
            ("", 5, vec![""]),
        ] {
            assert_eq!(lines(input, width), expected, "{input}");
        }
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
