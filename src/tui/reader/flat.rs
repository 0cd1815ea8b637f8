//! Notices that code has lost its layout, which some feeds remove.

use super::guess::guess;

/// Minimum number of lines of code that has lost its indentation.
const LEAST_LINES: usize = 6;
/// Maximum length of a single line that was written as one, in bytes.
const MAX_LINE: usize = 200;
/// Minimum number of statements and blocks in a line that has lost its line breaks.
const LEAST_PARTS: usize = 5;
/// First words of lines that open an indented block with a colon.
const COLON: [&str; 10] =
    ["def", "class", "if", "for", "while", "else:", "try:", "with", "async", "elif"];

/// What code has lost.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Lost {
    LineBreaks,
    Indentation,
}

/// What the code has lost, as far as this is certain.
pub(super) fn lost(code: &str) -> Option<Lost> {
    let mut lines = code.lines().filter(|line| !line.trim().is_empty());
    let first = lines.next()?;
    if lines.next().is_none() {
        return is_joined(first.trim()).then_some(Lost::LineBreaks);
    }
    is_unindented(code).then_some(Lost::Indentation)
}

/// Whether a line contains several statements. Data and markup are often written on one line.
fn is_joined(line: &str) -> bool {
    let is_data = line.starts_with(['[', '<', '"']) || line.starts_with("{\"");
    let parts = line.bytes().filter(|b| matches!(b, b';' | b'{')).count();
    let is_code = line.contains('{') || line.contains(");");
    line.len() > MAX_LINE && parts >= LEAST_PARTS && is_code && !is_data
}

/// Whether no line is indented, not even after a line that opens a block.
fn is_unindented(code: &str) -> bool {
    let lines: Vec<&str> = code.lines().filter(|line| !line.trim().is_empty()).collect();
    // Numbers, prompts and the signs of a diff stand before the indentation.
    let starts = |c: char| c.is_whitespace() || c.is_ascii_digit() || "+->.$".contains(c);
    if lines.len() < LEAST_LINES || lines.iter().any(|line| line.starts_with(starts)) {
        return false;
    }
    // Prose may have a line such as `for example:`.
    let is_python = guess(code) == Some("python");
    lines.windows(2).any(|pair| {
        let (line, next) = (pair[0].trim_end(), pair[1]);
        let first = line.split_ascii_whitespace().next().unwrap_or_default();
        // The content of a namespace is often not indented.
        let is_open = line.ends_with(['{', '(']) && !matches!(first, "namespace" | "extern");
        let opens = is_open && !next.starts_with(['{', '}', ')']);
        opens || is_python && line.ends_with(':') && COLON.contains(&first)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn notices_code_that_has_lost_its_layout() {
        let rows = |text: &str| text.replace(" / ", "\n");
        let rust = "fn main() { / let a = 1; / if a > 0 { / println!(\"{a}\"); / } / }";
        let indented = "fn main() { /     let a = 1; /     let b = 2; /     a + b; /     b; / }";
        let joined =
            "int main() { int i; for (i = 0; i < 9; i++) { work(i); } return 0; } ".repeat(4);
        let pair = "the name of a key = a value; and another one; ".repeat(9);
        let json = format!("{{\"a\": [{}]}}", "{\"b\": {}}, ".repeat(30));
        for (code, expected) in [
            (rows(rust), Some(Lost::Indentation)),
            (
                rows("def f(a): / b = a / for c in b: / d(c) / e(c) / return b"),
                Some(Lost::Indentation),
            ),
            (rows("call( / one, / two, / three, / four, / )"), Some(Lost::Indentation)),
            (joined.clone(), Some(Lost::LineBreaks)),
            (format!("{joined}\n\n"), Some(Lost::LineBreaks)),
            (rows(indented), None),
            (rows("fn main() { / let a = 1; / }"), None),
            (rows("namespace a { / int b; / int c; / int d; / int e; / }"), None),
            (rows("fn a() { / } / fn b() { / } / fn c() { / } / fn d() { / }"), None),
            (rows("if you want to help: / write / to us / with the words: / one / two"), None),
            (rows("Needs: / flour / salt / water / yeast / and time"), None),
            (rows("+fn main() { /      a(); /      b(); /      c(); / +} / +"), None),
            (rows(">>> if a: / ...     b / ...     c / ...     d / ... / >>> e"), None),
            (rows("$ run ( / one / two / three / four / five"), None),
            (rows("1 if (a) { / 2     b(); / 3     c(); / 4     d(); / 5 } / 6 e();"), None),
            (joined[..70].to_owned(), None),
            (pair, None),
            (json, None),
            (String::new(), None),
        ] {
            assert_eq!(lost(&code), expected, "{code}");
        }
    }
}
