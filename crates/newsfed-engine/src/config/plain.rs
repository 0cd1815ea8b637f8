//! Reads the plain TOML that most of `sources.toml` consists of, in a fraction of the time of a whole parser: sections
//! such as `[[source]]` with a key and a value on each line.

use super::document::{Node, Pair, Value};
use super::error::At;

/// The tree of a text; `None` if anything in it is not plain, or wrong. Then [`super::document::parse`] reads it with a
/// complete parser, which also reports what is wrong.
pub(super) fn parse(text: &str) -> Option<Vec<Pair>> {
    let (mut root, mut start) = (Vec::new(), 0);
    for whole in text.split_inclusive('\n') {
        let line = whole.strip_suffix('\n').map_or(whole, |l| l.strip_suffix('\r').unwrap_or(l));
        read(Rest { text: line, at: start }.trimmed(), &mut root)?;
        start += whole.len();
    }
    Some(root)
}

/// What is left of a line, and where in the file it starts.
#[derive(Clone, Copy)]
struct Rest<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Rest<'a> {
    fn trimmed(self) -> Self {
        self.skip(self.text.bytes().take_while(|b| matches!(b, b' ' | b'\t')).count())
    }

    fn skip(self, count: usize) -> Self {
        Self { text: self.text.get(count..).unwrap_or_default(), at: self.at + count }
    }

    fn after(self, start: &str) -> Option<Self> {
        self.text.starts_with(start).then(|| self.skip(start.len()))
    }

    fn to(self, end: Self) -> At {
        At { origin: 0, start: self.at, end: end.at }
    }

    /// A key without quotation marks.
    fn key(self) -> Option<(&'a str, Self)> {
        let is_plain = |b: &u8| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_');
        let count = self.text.bytes().take_while(is_plain).count();
        let key = self.text.get(..count).filter(|key| !key.is_empty())?;
        Some((key, self.skip(count)))
    }

    /// A text without escapes.
    fn text(self) -> Option<(&'a str, Self)> {
        let inner = self.after("\"")?;
        let end =
            inner.text.bytes().position(|b| b == b'"' || b == b'\\' || b.is_ascii_control())?;
        let after = inner.skip(end).after("\"")?;
        Some((inner.text.get(..end)?, after))
    }

    /// Nothing but a comment.
    fn end(self) -> Option<()> {
        let rest = self.trimmed().text;
        let is_comment = || rest.starts_with('#') && !rest.bytes().any(|b| b.is_ascii_control());
        (rest.is_empty() || is_comment()).then_some(())
    }
}

fn read(line: Rest<'_>, root: &mut Vec<Pair>) -> Option<()> {
    if line.end().is_some() {
        return Some(());
    }
    if let Some(inner) = line.after("[[") {
        let (name, after) = inner.key()?;
        let end = after.after("]]")?;
        section(name, inner.to(after), line.to(end), root)?;
        return end.end();
    }
    let (key, after) = line.key()?;
    let value = after.trimmed().after("=")?.trimmed();
    let (node, rest) = node(value)?;
    rest.end()?;
    let section = match &mut root.last_mut()?.node.value {
        Value::List(list) => &mut list.last_mut()?.value,
        _ => return None,
    };
    match section {
        Value::Table(pairs) if pairs.iter().all(|pair| pair.key != key) => {
            pairs.push(Pair { key: key.to_owned(), at: line.to(after), node });
            Some(())
        }
        _ => None,
    }
}

/// Begins a section. All sections of a name follow each other.
fn section(name: &str, at: At, header: At, root: &mut Vec<Pair>) -> Option<()> {
    let new = Node { at: header, value: Value::Table(Vec::new()) };
    match root.last_mut() {
        Some(Pair { key, node: Node { value: Value::List(list), .. }, .. }) if key == name => {
            list.push(new);
        }
        None => {
            let node = Node { at: header, value: Value::List(vec![new]) };
            root.push(Pair { key: name.to_owned(), at, node });
        }
        Some(_) => return None,
    }
    Some(())
}

fn node(value: Rest<'_>) -> Option<(Node, Rest<'_>)> {
    let (read, rest) = match value.text.as_bytes().first()? {
        b'"' => {
            let (text, rest) = value.text()?;
            (Value::Text(text.to_owned()), rest)
        }
        b'[' => list(value)?,
        b'1'..=b'9' => {
            let count = value.text.bytes().take_while(u8::is_ascii_digit).count();
            (Value::Whole(value.text.get(..count)?.parse().ok()?), value.skip(count))
        }
        _ => match (value.after("true"), value.after("false")) {
            (Some(rest), _) => (Value::Flag(true), rest),
            (None, rest) => (Value::Flag(false), rest?),
        },
    };
    Some((Node { at: value.to(rest), value: read }, rest))
}

/// A list of texts in one line.
fn list(value: Rest<'_>) -> Option<(Value, Rest<'_>)> {
    let mut rest = value.after("[")?.trimmed();
    let mut nodes = Vec::new();
    loop {
        if let Some(end) = rest.after("]") {
            return Some((Value::List(nodes), end));
        }
        let (text, after) = rest.text()?;
        nodes.push(Node { at: rest.to(after), value: Value::Text(text.to_owned()) });
        let after = after.trimmed();
        rest = match after.after(",") {
            Some(next) => next.trimmed(),
            None => after.text.starts_with(']').then_some(after)?,
        };
    }
}

#[cfg(test)]
mod tests {
    use super::super::document::parse_all;
    use super::super::error::Report;
    use super::*;
    use proptest::prelude::*;
    use std::path::Path;

    /// The tree of the complete parser; `None` with errors.
    fn complete(text: &str) -> Option<Vec<Pair>> {
        let mut report = Report::new(Path::new("sources.toml"), text);
        let tree = parse_all(text, &mut report);
        report.is_clean().then_some(tree)
    }

    const PLAIN: &str = "# Mine\n\n[[source]] # first\nurl = \"http://a/ä#b\"\n\ttitle=\"\"  # none\r\n\
        enabled = false\n[[source]]\n\n  retention-days = 30\ntags = [ \"a\", \"b c\" , ]\nnone = []\nx = [\"y\"]";

    #[test]
    fn plain_texts_are_read_as_by_the_complete_parser() {
        let tree = parse(PLAIN).unwrap();
        assert_eq!(Some(&tree), complete(PLAIN).as_ref());
        assert_eq!(parse(""), Some(vec![]));
        let Value::List(sections) = &tree[0].node.value else { panic!("{tree:?}") };
        assert_eq!(sections.len(), 2);
    }

    const LINES: &[&str] = &[
        "[[source]]",
        "[[source]]",
        "[[source]] # c",
        "[[ source ]]",
        "[[other]]",
        "[source]",
        "[source.website]",
        "[[source.website]]",
        "a = \"x\"",
        "b=\"ü # y\" # \"",
        "c = true",
        "d = falsetto",
        "e = 12",
        "f = 012",
        "f = 0",
        "g = 1_000",
        "h = 99999999999999999999",
        "i = [\"a\",\"b\"]",
        "j = [\"a\" \"b\"]",
        "k = [\"a\",,]",
        "l = [\"a\",",
        "]",
        "m = \"\"\"",
        "n = \"\\n\"",
        "o = 'x'",
        "p.q = 1",
        "\"r\" = 1",
        "s = 2020-01-01",
        "t = 1.5",
        "u",
        "v = ",
        "w = \"x",
        "x = \"x\" y",
        "y = { z = 1 }",
        "  \t# \u{7}",
        "# comment",
        "\u{feff}",
        "aa = \"\u{7f}\"",
        "ab = \"\t\"",
        "ac = 3 \r",
        "ad\u{a0}= 3",
        "- = 4",
        "7 = 4",
        "= 4",
        "",
    ];

    proptest! {
        #[test]
        fn a_text_is_read_as_by_the_complete_parser_or_not_at_all(
            lines in prop::collection::vec((0..LINES.len(), prop::bool::weighted(0.1)), 0..8),
            begin in any::<bool>(),
        ) {
            let mut text = String::from(if begin { "[[source]]\n" } else { "" });
            for (line, returns) in lines {
                text.push_str(LINES[line]);
                text.push_str(if returns { "\r\n" } else { "\n" });
            }
            if let Some(tree) = parse(&text) {
                prop_assert_eq!(Some(tree), complete(&text), "{}", text);
            }
            let text = text.trim_end_matches('\n');
            if let Some(tree) = parse(text) {
                prop_assert_eq!(Some(tree), complete(text), "{}", text);
            }
        }
    }

    #[test]
    fn each_line_is_read_as_by_the_complete_parser_or_not_at_all() {
        for line in LINES {
            for text in
                [format!("[[source]]\n{line}"), format!("[[source]]\na = \"x\"\n{line}\nz = 1\n")]
            {
                if let Some(tree) = parse(&text) {
                    assert_eq!(Some(tree), complete(&text), "{text}");
                }
            }
        }
        let plain = |line: &&&str| parse(&format!("[[source]]\n{line}")).is_some();
        assert_eq!(LINES.iter().filter(plain).count(), 12);
    }
}
