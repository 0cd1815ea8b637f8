//! A word difference as a document: removed words in `[-…-]`, added words in `{+…+}`, so that it
//! works without colours.

use super::compare::Change;
use super::document::{Block, Document, Inline};

/// The difference of two versions as text, ready to be drawn or printed.
pub fn marked(changes: &[Change]) -> Document {
    let mut out = Out::default();
    for change in changes {
        match change {
            Change::Same(text) => out.text(text, |text| Inline::Text(text.to_owned())),
            Change::Removed(text) => {
                out.text(text, |t| Inline::Emphasis(vec![Inline::Text(format!("[-{t}-]"))]));
            }
            Change::Added(text) => {
                out.text(text, |t| Inline::Strong(vec![Inline::Text(format!("{{+{t}+}}"))]));
            }
        }
    }
    out.end_paragraph();
    Document { blocks: out.blocks, links: Vec::new() }
}

#[derive(Default)]
struct Out {
    blocks: Vec<Block>,
    inline: Vec<Inline>,
}

impl Out {
    /// Adds a text. Its leading and trailing white space stays outside the marks.
    fn text(&mut self, text: &str, mark: impl Fn(&str) -> Inline) {
        for (n, paragraph) in text.split("\n\n").enumerate() {
            if n > 0 {
                self.end_paragraph();
            }
            for (n, line) in paragraph.split('\n').enumerate() {
                if n > 0 && !self.inline.is_empty() {
                    self.inline.push(Inline::Break);
                }
                let words = line.trim();
                if line.starts_with(char::is_whitespace) {
                    self.space();
                }
                if !words.is_empty() {
                    self.inline.push(mark(words));
                    if line.ends_with(char::is_whitespace) {
                        self.space();
                    }
                }
            }
        }
    }

    fn space(&mut self) {
        if !self.inline.is_empty() {
            self.inline.push(Inline::Text(" ".to_owned()));
        }
    }

    fn end_paragraph(&mut self) {
        if !self.inline.is_empty() {
            self.blocks.push(Block::Paragraph(std::mem::take(&mut self.inline)));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::article::differences;

    #[test]
    fn marks_removed_and_added_words() {
        let cases = [
            ("a b c", "a b c", "a b c"),
            ("a b c", "a x c", "a [-b-] {+x+} c"),
            ("a\n\nb", "a\n\nnew one\n\nb", "a\n\n{+new one+}\n\nb"),
            ("a b\nc", "a\nc", "a [-b-]\nc"),
            ("a b\n\nc", "a x\n\nc", "a [-b-] {+x+}\n\nc"),
            ("a b\n\nc", "a\n\nc", "a [-b-]\n\nc"),
            ("a\n\nb", "a", "a\n\n[-b-]"),
            ("a b", "a", "a [-b-]"),
            ("one two", "", "[-one two-]"),
            ("a 2.\n\nb", "a two.\n\nb", "a [-2.-] {+two.+}\n\nb"),
        ];
        for (earlier, later, want) in cases {
            assert_eq!(marked(&differences(earlier, later)).text(), want, "{earlier} -> {later}");
        }
    }
}
