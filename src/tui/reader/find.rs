//! Text search in laid-out lines, ignoring case and line breaks.

use super::line::{Joint, Line};

/// Largest number of matches.
const MAX_HITS: usize = 10_000;

/// Characters that are searched; their positions take 16 MB.
const MAX_CHARS: usize = 500_000;

/// The lines as one case-folded text.
#[derive(Debug, Default)]
pub(crate) struct Haystack {
    folded: String,
    /// The origin of each character of `folded`.
    origins: Vec<Origin>,
}

#[derive(Debug, Clone, Copy)]
struct Origin {
    folded: usize,
    line: usize,
    /// Byte range in the text of the line; empty for a line break.
    from: usize,
    to: usize,
}

/// The part of a match that is in one line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Piece {
    pub(crate) line: usize,
    /// Byte range in the text of the line.
    pub(crate) from: usize,
    pub(crate) to: usize,
    /// Index of the match.
    pub(crate) hit: usize,
}

impl Haystack {
    pub(crate) fn new(lines: &[Line]) -> Self {
        let mut out = Self::default();
        for (i, line) in lines.iter().enumerate() {
            if out.origins.len() >= MAX_CHARS {
                break;
            }
            match line.joint {
                // A newline that no query contains.
                Joint::New => out.push('\n', i, 0, 0),
                Joint::Blank => out.push(' ', i, 0, 0),
                Joint::Tight => {}
            }
            let mut at = 0;
            for span in &line.spans {
                // Link numbers are not part of the text.
                if !span.mark {
                    for (offset, c) in span.text.char_indices().take(MAX_CHARS) {
                        let from = at + offset;
                        fold(c, |f| out.push(f, i, from, from + c.len_utf8()));
                    }
                }
                at += span.text.len();
            }
        }
        out
    }

    fn push(&mut self, c: char, line: usize, from: usize, to: usize) {
        self.origins.push(Origin { folded: self.folded.len(), line, from, to });
        self.folded.push(c);
    }

    /// Finds a text from top to bottom; each match has one piece for every line it covers.
    pub(crate) fn find(&self, text: &str) -> Vec<Piece> {
        let mut needle = String::new();
        text.chars().for_each(|c| fold(c, |f| needle.push(f)));
        if needle.trim().is_empty() {
            return vec![];
        }
        let mut pieces: Vec<Piece> = Vec::new();
        for (hit, (at, _)) in self.folded.match_indices(&needle).take(MAX_HITS).enumerate() {
            let start = self.origins.partition_point(|o| o.folded < at);
            let end = self.origins.partition_point(|o| o.folded < at + needle.len());
            for origin in self.origins.iter().take(end).skip(start).filter(|o| o.to > o.from) {
                match pieces.last_mut() {
                    Some(last) if last.hit == hit && last.line == origin.line => {
                        last.to = origin.to
                    }
                    _ => {
                        let Origin { line, from, to, .. } = *origin;
                        pieces.push(Piece { line, from, to, hit });
                    }
                }
            }
        }
        pieces
    }
}

/// Case folding of a character for the comparison.
fn fold(c: char, mut to: impl FnMut(char)) {
    match c {
        'ς' => to('σ'),
        'ẞ' | 'ß' => "ss".chars().for_each(to),
        _ if c.is_whitespace() => to(' '),
        // Turkish capital dotted I.
        'İ' => to('i'),
        _ => c.to_lowercase().for_each(to),
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Shape, layout};
    use super::*;
    use crate::article::from_html;

    /// The matches in a text laid out in lines of `width`.
    fn found(html: &str, width: usize, needle: &str) -> Vec<String> {
        let shape =
            Shape { width, wrap_code: false, ascii: false, picture_lines: 0, graphics: None };
        let lines = layout(&from_html(html, None), shape, &Default::default()).lines;
        let pieces = Haystack::new(&lines).find(needle);
        let mut out: Vec<String> = Vec::new();
        for piece in pieces {
            let text = lines[piece.line].text()[piece.from..piece.to].to_owned();
            if out.len() > piece.hit {
                out[piece.hit] += &format!("/{text}");
            } else {
                out.push(text);
            }
        }
        out
    }

    #[test]
    fn finds_texts_across_lines_and_cases() {
        for (html, width, needle, expected) in [
            ("<p>One two one", 40, "ONE", vec!["One", "one"]),
            // Across a line break, with and without a space.
            ("<p>first second third", 12, "second third", vec!["second/third"]),
            ("<p>日本語の文章", 8, "語の文", vec!["語の/文"]),
            // Not across paragraphs.
            ("<p>one<p>two", 40, "onetwo", vec![]),
            ("<p>one<p>two", 40, "one two", vec![]),
            // Neither list markers nor link numbers.
            ("<ul><li>one</ul>", 40, "•", vec![]),
            ("<p>a <a href='http://e.org/'>link</a>, b", 40, "link, b", vec!["link¹, b"]),
            // Letters whose forms differ in length.
            ("<p>Straße STRASSE", 40, "strasse", vec!["Straße", "STRASSE"]),
            ("<p>ΟΔΟΣ οδος", 40, "οδοσ", vec!["ΟΔΟΣ", "οδος"]),
            ("<p>İstanbul", 40, "istanbul", vec!["İstanbul"]),
            ("<p>مدينة جديدة", 40, "جديدة", vec!["جديدة"]),
            ("<p>a b", 40, " ", vec![]),
            ("<p>a b", 40, "", vec![]),
        ] {
            let found = found(html, width, needle);
            assert_eq!(found, expected, "{needle} in {html}");
        }
    }
}
