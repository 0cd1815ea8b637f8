//! Finding a text in laid out lines, whatever the case and across the ends of lines.

use super::line::{Joint, Line};

/// Places that are kept.
const MAX_HITS: usize = 10_000;

/// Characters that are looked through; their places take 16 MB.
const MOST: usize = 500_000;

/// The lines as one text with one form for each letter.
#[derive(Debug, Default)]
pub(crate) struct Haystack {
    folded: String,
    /// For each character of `folded`: where it begins there, and where it comes from.
    origins: Vec<Origin>,
}

#[derive(Debug, Clone, Copy)]
struct Origin {
    folded: usize,
    line: usize,
    /// Bytes in the text of the line; empty for the end of a line.
    from: usize,
    to: usize,
}

/// A part of a place found that stands in one line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Piece {
    pub(crate) line: usize,
    /// Bytes in the text of the line.
    pub(crate) from: usize,
    pub(crate) to: usize,
    /// The number of the place that it belongs to.
    pub(crate) hit: usize,
}

impl Haystack {
    pub(crate) fn new(lines: &[Line]) -> Self {
        let mut out = Self::default();
        for (i, line) in lines.iter().enumerate() {
            if out.origins.len() >= MOST {
                break;
            }
            match line.joint {
                // No query holds it.
                Joint::New => out.push('\n', i, 0, 0),
                Joint::Blank => out.push(' ', i, 0, 0),
                Joint::Tight => {}
            }
            let mut at = 0;
            for span in &line.spans {
                // The number of a link is not part of the sentence.
                if !span.mark {
                    for (offset, c) in span.text.char_indices().take(MOST) {
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

    /// Where a text stands, from top to bottom; each place is one piece for each line it is on.
    pub(crate) fn find(&self, text: &str) -> Vec<Piece> {
        let mut wanted = String::new();
        text.chars().for_each(|c| fold(c, |f| wanted.push(f)));
        if wanted.trim().is_empty() {
            return vec![];
        }
        let mut pieces: Vec<Piece> = Vec::new();
        for (hit, (at, _)) in self.folded.match_indices(&wanted).take(MAX_HITS).enumerate() {
            let start = self.origins.partition_point(|o| o.folded < at);
            let end = self.origins.partition_point(|o| o.folded < at + wanted.len());
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

/// The letters by which a character is compared.
fn fold(c: char, mut to: impl FnMut(char)) {
    match c {
        'ς' => to('σ'),
        'ẞ' | 'ß' => "ss".chars().for_each(to),
        _ if c.is_whitespace() => to(' '),
        // A capital I with a dot is an i with a dot.
        'İ' => to('i'),
        _ => c.to_lowercase().for_each(to),
    }
}

#[cfg(test)]
mod tests {
    use super::super::glyphs::UNICODE;
    use super::super::layout;
    use super::*;
    use crate::article::from_html;

    /// What is found in a text laid out in lines of `width`, line by line.
    fn found(html: &str, width: usize, wanted: &str) -> Vec<String> {
        let lines = layout(&from_html(html, None), width, &UNICODE).lines;
        let pieces = Haystack::new(&lines).find(wanted);
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
    fn texts_are_found() {
        for (html, width, wanted, expected) in [
            ("<p>One two one", 40, "ONE", vec!["One", "one"]),
            // Over the end of a line, where there was a blank and where there was none.
            ("<p>first second third", 12, "second third", vec!["second/third"]),
            ("<p>日本語の文章", 8, "語の文", vec!["語の/文"]),
            // Not over the end of a paragraph.
            ("<p>one<p>two", 40, "onetwo", vec![]),
            ("<p>one<p>two", 40, "one two", vec![]),
            // Not the mark of a list, nor the number of a link.
            ("<ul><li>one</ul>", 40, "•", vec![]),
            ("<p>a <a href='http://e.org/'>link</a>, b", 40, "link, b", vec!["link[1], b"]),
            // Letters whose forms differ in length.
            ("<p>Straße STRASSE", 40, "strasse", vec!["Straße", "STRASSE"]),
            ("<p>ΟΔΟΣ οδος", 40, "οδοσ", vec!["ΟΔΟΣ", "οδος"]),
            ("<p>İstanbul", 40, "istanbul", vec!["İstanbul"]),
            ("<p>مدينة جديدة", 40, "جديدة", vec!["جديدة"]),
            ("<p>a b", 40, " ", vec![]),
            ("<p>a b", 40, "", vec![]),
        ] {
            let found = found(html, width, wanted);
            assert_eq!(found, expected, "{wanted} in {html}");
        }
    }
}
