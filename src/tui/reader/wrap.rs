//! Wraps styled text.

use super::line::{Joint, Line, Span};
use crate::config::Role;
use crate::util::limits::READER_LINES;
use crate::util::text;
use unicode_linebreak::BreakOpportunity;
use unicode_segmentation::UnicodeSegmentation;

/// Maximum length of punctuation that is not separated from the word after it, in bytes.
const LONGEST_PREFIX: usize = 3;

/// Maximum width of a word that is not broken inside parentheses or after its only slash, such as
/// `(1/τ)e^(-T/τ)`, in cells.
const UNBROKEN: usize = 24;

/// Wraps text into lines of `width` cells at the break opportunities of UAX #14. Longer words are cut. A `\n`
/// in a span breaks the line.
pub(crate) fn wrap(spans: &[Span], width: usize) -> Vec<Line> {
    wrap_keeping(spans, width, width.min(UNBROKEN), |word, before| {
        let is_inside = before.matches('(').count() > before.matches(')').count();
        is_inside || before.ends_with('/') && word.matches('/').count() == 1
    })
}

/// Wraps the text of a formula only at spaces, unless the text between two spaces does not fit into a line.
pub(super) fn wrap_formula(spans: &[Span], width: usize) -> Vec<Line> {
    wrap_keeping(spans, width, width, |_, _| true)
}

/// Wraps text. `keeps` gets a word between spaces, which is at most `longest` cells wide, and its part before
/// a break opportunity. It returns whether the word is not broken there.
fn wrap_keeping(
    spans: &[Span],
    width: usize,
    longest: usize,
    keeps: impl Fn(&str, &str) -> bool,
) -> Vec<Line> {
    let text: String = spans.iter().map(|s| s.text.as_str()).collect();
    let lines = vec![Line::default()];
    let mut fill = Fill { width: width.max(1), lines, used: 0, spans, from: 0 };
    let mut start = 0;
    for (end, opportunity) in breaks(&text) {
        let is_word = || {
            is_in_korean_word(&text, end)
                || is_prefix(&text[start..end])
                || word_around(&text, end, longest)
                    .is_some_and(|(word, before)| keeps(word, before))
        };
        if opportunity == BreakOpportunity::Allowed && is_word() {
            continue;
        }
        let piece = text[start..end].trim_end_matches('\n');
        fill.push(piece);
        fill.from += end - start - piece.len();
        start = end;
        if opportunity == BreakOpportunity::Mandatory && end < text.len() {
            fill.new_line(Joint::New);
        }
        // One line more than the limit indicates that text is missing. Wrapping stops one line after that,
        // because the last line may be empty.
        if fill.lines.len() > READER_LINES + 1 {
            break;
        }
    }
    for line in &mut fill.lines {
        trim_end(&mut line.spans);
        // Most lines have only one span.
        line.spans.shrink_to_fit();
    }
    while fill.lines.len() > 1 && fill.lines.last().is_some_and(|line| line.spans.is_empty()) {
        fill.lines.pop();
    }
    fill.lines
}

/// Whether a position is inside a Korean word, which may begin with Latin letters or digits. Korean has
/// spaces between words and breaks there, although UAX #14 allows breaks in words.
fn is_in_korean_word(text: &str, at: usize) -> bool {
    let is_syllable = |c: char| matches!(c, '가'..='힣');
    let is_letter = |c: char| is_syllable(c) || c.is_ascii_alphanumeric();
    text[..at].ends_with(is_letter) && text[at..].starts_with(is_syllable)
}

/// Where a text may break. UAX #14 keeps slashes, periods and colons with the word before them, even after a
/// space, which is wrong before paths and names.
fn breaks(text: &str) -> impl Iterator<Item = (usize, BreakOpportunity)> {
    let mut start = 0;
    unicode_linebreak::linebreaks(text).flat_map(move |(end, opportunity)| {
        let piece = start..end;
        start = end;
        let blanks =
            text[piece.clone()].match_indices(' ').map(move |(at, _)| piece.start + at + 1);
        let inside = blanks.filter(move |at| *at < end && is_path(&text[*at..]));
        inside.map(|at| (at, BreakOpportunity::Allowed)).chain([(end, opportunity)])
    })
}

/// Whether a text begins with punctuation that belongs to the word after it, as in a path.
fn is_path(text: &str) -> bool {
    let name = text.trim_start_matches(['/', '.', ':']);
    (1..=LONGEST_PREFIX).contains(&(text.len() - name.len()))
        && name.starts_with(char::is_alphanumeric)
}

/// The word between spaces around a position inside it, and its part before the position. `None` if the word
/// is wider than `longest`, or ends there.
fn word_around(text: &str, at: usize, longest: usize) -> Option<(&str, &str)> {
    let (before, after) = text.split_at(at);
    let bytes = |c: char| (!c.is_whitespace()).then(|| c.len_utf8());
    let before: usize = before.chars().rev().take(longest + 1).map_while(bytes).sum();
    let after: usize = after.chars().take(longest + 1).map_while(bytes).sum();
    let word = &text[at - before..at + after];
    let is_inside = before > 0 && after > 0 && text::width(word) <= longest;
    is_inside.then(|| (word, &word[..before]))
}

/// Whether a piece before a break is only the start of a word, such as the first slash of a path or
/// the scheme of a URL.
fn is_prefix(piece: &str) -> bool {
    piece.ends_with("://")
        || piece.len() <= LONGEST_PREFIX && piece.bytes().all(|byte| byte.is_ascii_punctuation())
}

/// Wraps plain text into lines of `width` cells.
pub(crate) fn wrap_plain(content: &str, width: usize) -> Vec<String> {
    let lines = wrap(&[Span::new(content, Role::Text)], width);
    lines.iter().map(Line::text).collect()
}

struct Fill<'a> {
    width: usize,
    lines: Vec<Line>,
    used: usize,
    /// The remaining spans, and the used part of the first one.
    spans: &'a [Span],
    from: usize,
}

impl Fill<'_> {
    fn new_line(&mut self, joint: Joint) {
        self.lines.push(Line { joint, ..Line::default() });
        self.used = 0;
    }

    /// Continues on a new line.
    fn continue_line(&mut self) {
        let before = self.lines.last().and_then(|line| line.spans.last());
        let blank = before.is_some_and(|span| span.text.ends_with(' '));
        self.new_line(if blank { Joint::Blank } else { Joint::Tight });
    }

    /// Adds a piece of text between two break opportunities.
    fn push(&mut self, piece: &str) {
        let solid = text::width(piece.trim_end_matches(' '));
        if self.used + solid > self.width && self.used > 0 {
            self.continue_line();
        }
        if solid <= self.width {
            self.append(piece);
            return;
        }
        for grapheme in piece.graphemes(true) {
            if self.used + text::width(grapheme) > self.width && self.used > 0 {
                self.continue_line();
            }
            self.append(grapheme);
        }
    }

    /// Adds a piece with the styles of its spans.
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
            match line.spans.last_mut() {
                Some(last) if last.same_style(span) => last.text.push_str(here),
                _ => line.spans.push(Span { text: here.to_owned(), ..*span }),
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
    use super::super::line::Target;
    use super::*;
    use proptest::prelude::*;

    fn lines(input: &str, width: usize) -> Vec<String> {
        wrap_plain(input, width)
    }

    #[test]
    fn wraps_text_and_cuts_long_words() {
        for (input, width, expected) in [
            ("one two three", 7, vec!["one two", "three"]),
            ("one two, three", 7, vec!["one", "two,", "three"]),
            ("abcdefghij", 4, vec!["abcd", "efgh", "ij"]),
            ("日本語の文", 4, vec!["日本", "語の", "文"]),
            ("他说：「好」", 8, vec!["他说：", "「好」"]),
            ("программу «Мир» и", 12, vec!["программу", "«Мир» и"]),
            ("한국어 문장은 띄어쓰기로", 10, vec!["한국어", "문장은", "띄어쓰기로"]),
            ("문장 Secure의", 9, vec!["문장", "Secure의"]),
            ("대한민국", 4, vec!["대한", "민국"]),
            ("one-two three", 8, vec!["one-two", "three"]),
            ("a\nb", 9, vec!["a", "b"]),
            ("see /usr/bin", 6, vec!["see", "/usr/", "bin"]),
            ("see --all", 6, vec!["see", "--all"]),
            ("see ../all", 6, vec!["see", "../all"]),
            ("mot : mot", 5, vec!["mot :", "mot"]),
            ("see http://a.example/b", 18, vec!["see", "http://a.example/b"]),
            ("so (1/τ)e^(-T/τ)", 15, vec!["so", "(1/τ)e^(-T/τ)"]),
            ("so p(T)/q(T)", 10, vec!["so", "p(T)/q(T)"]),
            ("so (1/τ)e^(-T/τ)", 8, vec!["so (1/", "τ)e^(-T/", "τ)"]),
            ("", 5, vec![""]),
        ] {
            assert_eq!(lines(input, width), expected, "{input}");
        }
    }

    #[test]
    fn breaks_formulas_only_at_spaces() {
        for (input, width, expected) in [
            ("E[W] = (a-b)/c-d + 1", 12, vec!["E[W] =", "(a-b)/c-d +", "1"]),
            ("so (1/τ)e^(-T/τ)", 8, vec!["so (1/", "τ)e^(-T/", "τ)"]),
        ] {
            let lines = wrap_formula(&[Span::new(input, Role::Text)], width);
            assert_eq!(lines.iter().map(Line::text).collect::<Vec<_>>(), expected, "{input}");
        }
    }

    #[test]
    fn keeps_styles_with_their_text() {
        let link = Span { target: Some(Target::Link(0)), ..Span::new("a link", Role::Link) };
        let spans = [Span::new("see ", Role::Text), link, Span::new("[1]\nnext", Role::Dim)];
        let lines = wrap(&spans, 7);
        let shown: Vec<Vec<(&str, Role)>> =
            lines.iter().map(|l| l.all().map(|s| (s.text.as_str(), s.role)).collect()).collect();
        assert_eq!(
            shown,
            [
                vec![("see ", Role::Text), ("a", Role::Link)],
                vec![("link", Role::Link), ("[1]", Role::Dim)],
                vec![("next", Role::Dim)],
            ]
        );
    }

    #[test]
    fn records_how_lines_continue() {
        let joints = |input: &str, width| {
            let lines = wrap(&[Span::new(input, Role::Text)], width);
            lines.iter().skip(1).map(|l| l.joint).collect::<Vec<_>>()
        };
        assert_eq!(joints("one two", 4), [Joint::Blank]);
        assert_eq!(joints("日本語", 4), [Joint::Tight]);
        assert_eq!(joints("abcdef", 4), [Joint::Tight]);
        assert_eq!(joints("one\ntwo", 4), [Joint::New]);
    }

    proptest! {
        #[test]
        fn fits_the_width_and_keeps_all_text(input in "[a-zé日 ,.]{0,60}", width in 2usize..20) {
            let out = lines(&input, width);
            for line in &out {
                prop_assert!(text::width(line) <= width, "{line:?}");
            }
            let letters = |s: &str| s.chars().filter(|c| *c != ' ').collect::<String>();
            prop_assert_eq!(letters(&out.concat()), letters(&input));
        }
    }
}
