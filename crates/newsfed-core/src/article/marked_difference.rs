//! A word difference as a document: removed words in `[-…-]` and added words in `{+…+}`, so that the
//! difference is readable without colours.

use super::compare::Change;
use super::document::{Block, Document, Inline, plain};

/// The difference between two versions as text to display or print.
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
    Document { blocks: out.blocks, ..Document::default() }
}

/// The difference that a document itself marks with deleted and inserted parts.
pub fn marked_parts(document: &Document) -> Vec<Change> {
    let mut out = Vec::new();
    for block in &document.blocks {
        match block {
            Block::Paragraph(text) | Block::Heading(_, text) => parts(text, &mut out),
            Block::Table { rows, .. } => {
                for (n, row) in rows.iter().enumerate() {
                    same(if n > 0 { "\n" } else { "" }, &mut out);
                    for (n, cell) in row.iter().enumerate() {
                        same(if n > 0 { " | " } else { "" }, &mut out);
                        parts(cell, &mut out);
                    }
                }
            }
            other => {
                let alone = Document { blocks: vec![other.clone()], ..Document::default() };
                same(&alone.text(), &mut out);
            }
        }
        same("\n\n", &mut out);
    }
    out
}

fn parts(text: &[Inline], out: &mut Vec<Change>) {
    for inline in text {
        match inline {
            Inline::Deleted(inner) => out.push(Change::Removed(plain(inner))),
            Inline::Inserted(inner) => out.push(Change::Added(plain(inner))),
            other => same(&plain(std::slice::from_ref(other)), out),
        }
    }
}

fn same(text: &str, out: &mut Vec<Change>) {
    match out.last_mut() {
        Some(Change::Same(before)) => before.push_str(text),
        _ if text.is_empty() => {}
        _ => out.push(Change::Same(text.to_owned())),
    }
}

#[derive(Default)]
struct Out {
    blocks: Vec<Block>,
    inline: Vec<Inline>,
}

impl Out {
    /// Adds a text. Its leading and trailing whitespace stays outside the markers.
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
    fn shows_changes_that_the_document_marks_itself() {
        let html = "<p>2 rows changed.</p><table><tr><th>id</th><th>n</th></tr><tr><td>1</td><td><del>5</del>\
                    </td></tr><tr><td>2</td><td><del>a</del> <ins>b</ins></td></tr></table><p>End</p>";
        let document = crate::article::from_html(html, None);
        let want = "2 rows changed.\n\nid | n\n1 | [-5-]\n2 | [-a-] {+b+}\n\nEnd";
        assert_eq!(marked(&marked_parts(&document)).text(), want);
    }

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
