//! Splitting text into words: their positions and roles.

use std::ops::Range;

/// The role of a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    /// A condition.
    Condition,
    /// A condition whose text is a regular expression, without its slashes.
    Pattern,
    /// An opening parenthesis.
    Open,
    /// A parenthesis that closes a group.
    Close,
    /// `OR`
    Or,
}

/// One word of the input.
#[derive(Debug)]
pub(super) struct Word<'a> {
    pub(super) role: Role,
    /// Its byte range in the input.
    pub(super) at: Range<usize>,
    pub(super) negated: bool,
    /// The operator with its colon or comparison sign, such as `title:` or `age<`.
    pub(super) operator: &'a str,
    pub(super) text: &'a str,
    /// Where `text` begins, or the quotation mark before it.
    pub(super) value_at: usize,
    pub(super) quoted: bool,
    /// Whether its quotation is terminated, or it is not quoted.
    pub(super) closed: bool,
}

/// Splits text into words.
pub(super) struct Words<'a> {
    input: &'a str,
    at: usize,
    /// Number of open groups.
    depth: usize,
}

impl<'a> Words<'a> {
    pub(super) fn new(input: &'a str) -> Self {
        Self { input, at: 0, depth: 0 }
    }

    /// A word that consists of a single sign and begins at `start`, with or without a minus.
    fn sign(&mut self, role: Role, start: usize, rest: &'a str, len: usize) -> Word<'a> {
        let at = self.input.len() - rest.len();
        self.at = at + len;
        Word {
            role,
            at: start..self.at,
            negated: start < at,
            operator: "",
            text: &rest[..len],
            value_at: at,
            quoted: false,
            closed: true,
        }
    }
}

fn is_space(c: char) -> bool {
    c.is_whitespace() || c.is_control()
}

impl<'a> Iterator for Words<'a> {
    type Item = Word<'a>;

    fn next(&mut self) -> Option<Word<'a>> {
        let rest = self.input[self.at..].trim_start_matches(is_space);
        if rest.is_empty() {
            return None;
        }
        let start = self.input.len() - rest.len();
        if self.depth > 0 && rest.starts_with(')') {
            self.depth -= 1;
            return Some(self.sign(Role::Close, start, rest, 1));
        }
        let tail = rest.strip_prefix('-').filter(|t| !t.is_empty() && !t.starts_with('-'));
        let tail = tail.filter(|t| !t.starts_with(is_space));
        let (negated, rest) = (tail.is_some(), tail.unwrap_or(rest));
        if rest.starts_with('(') {
            self.depth += 1;
            return Some(self.sign(Role::Open, start, rest, 1));
        }
        let operator = &rest[..operator_end(rest)];
        let value = &rest[operator.len()..];
        let value_at = self.input.len() - value.len();
        let mut role = Role::Condition;
        let (text, quoted, closed, end) = if let Some(inner) = value.strip_prefix('"') {
            match inner.find('"') {
                Some(close) => (&inner[..close], true, true, close + 2),
                None => (inner, true, false, value.len()),
            }
        } else if let Some(end) = pattern_end(operator, value, self.depth > 0) {
            role = Role::Pattern;
            (&value[1..end - 1], false, true, end)
        } else {
            let end = word_end(value, self.depth > 0);
            (&value[..end], false, true, end)
        };
        if !quoted && !negated && operator.is_empty() && text == "OR" {
            return Some(self.sign(Role::Or, start, rest, 2));
        }
        self.at = value_at + end;
        let at = start..self.at;
        Some(Word { role, at, negated, operator, text, value_at, quoted, closed })
    }
}

/// End of a word that is not quoted. Inside a group, a closing parenthesis that was not opened in the word
/// ends the group.
fn word_end(value: &str, grouped: bool) -> usize {
    let mut open = 0;
    for (at, c) in value.char_indices() {
        match c {
            c if is_space(c) => return at,
            '(' => open += 1,
            ')' if open > 0 => open -= 1,
            ')' if grouped => return at,
            _ => {}
        }
    }
    value.len()
}

/// Operators whose value can be a regular expression.
pub(super) const WITH_PATTERN: [&str; 4] = ["", "title:", "author:", "url:"];

/// End of a regular expression with its slashes. An expression that is not closed, or has a slash inside, is
/// text, such as a path.
fn pattern_end(operator: &str, value: &str, grouped: bool) -> Option<usize> {
    let inner = value
        .strip_prefix('/')
        .filter(|inner| !inner.starts_with('/') && !inner.starts_with(is_space))?;
    WITH_PATTERN.iter().find(|known| operator.eq_ignore_ascii_case(known))?;
    let mut escaped = false;
    let close = inner.find(|c: char| {
        let ends = c == '/' && !escaped;
        escaped = c == '\\' && !escaped;
        ends
    })?;
    let tail = inner[close..].strip_prefix('/')?;
    let ends = tail.is_empty() || tail.starts_with(is_space) || grouped && tail.starts_with(')');
    (close > 0 && ends).then_some(close + 2)
}

/// End of the operator in a word; 0 if it has none. URLs, code paths and a colon at the end are
/// text.
fn operator_end(word: &str) -> usize {
    let name = word.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(word.len());
    if name == 0 {
        return 0;
    }
    let rest = &word[name..];
    let known = |sign: &str| {
        let operator = format!("{}{sign}", &word[..name]).to_ascii_lowercase();
        super::OPERATORS.iter().any(|o| o.name == operator)
    };
    if let Some(value) = rest.strip_prefix(':') {
        let is_text = value.starts_with("//") || value.starts_with(':');
        let bare = value.is_empty() || value.starts_with(is_space);
        return if is_text || bare && !known(":") { 0 } else { name + 1 };
    }
    let Some(sign) = rest.chars().next().filter(|c| matches!(c, '<' | '>')) else { return 0 };
    let value = &rest[1..];
    let (sign_len, value) = value.strip_prefix('=').map_or((1, value), |v| (2, v));
    let compares = value.starts_with(|c: char| c.is_ascii_digit());
    if known(&sign.to_string()) || compares { name + sign_len } else { 0 }
}
