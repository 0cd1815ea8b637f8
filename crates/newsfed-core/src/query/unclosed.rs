//! Parts of a search that were begun and not closed yet, such as `title:(`, `"fair` and `/re`.

use super::words::{Role, WITH_PATTERN, Word, Words};

/// A part of a search without its closing sign. It extends to the end of the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Unclosed {
    /// Its first byte in the text, including an operator and a minus.
    pub at: usize,
    /// The missing sign: `)`, `"` or `/`.
    pub sign: char,
}

impl Unclosed {
    /// What is missing, as the beginning of a sentence.
    pub fn message(self) -> &'static str {
        match self.sign {
            '"' => "the phrase has no closing \"",
            '/' => "the pattern has no closing \"/\"",
            _ => "\"(\" has no \")\"",
        }
    }
}

/// The first part of a search that is not closed. A path with several slashes is text, and so is a
/// parenthesis inside a word.
pub fn unclosed(input: &str) -> Option<Unclosed> {
    let mut groups = Vec::new();
    for word in Words::new(input) {
        match word.role {
            Role::Open => groups.push(word.at.start),
            Role::Close => drop(groups.pop()),
            Role::Condition => {
                if let Some(sign) = missing(&word, input) {
                    groups.truncate(1);
                    let inner = Unclosed { at: word.at.start, sign };
                    return Some(groups.pop().map_or(inner, |at| Unclosed { at, ..inner }));
                }
            }
            Role::Pattern | Role::Or => {}
        }
    }
    groups.first().map(|at| Unclosed { at: *at, sign: ')' })
}

/// The sign that closes the value of a condition, if it is missing.
fn missing(word: &Word<'_>, input: &str) -> Option<char> {
    if word.quoted {
        return (!word.closed).then_some('"');
    }
    let rest = input.get(word.value_at..)?;
    let has_pattern = WITH_PATTERN.iter().any(|known| word.operator.eq_ignore_ascii_case(known));
    match rest.strip_prefix('/') {
        Some(inner) if has_pattern && !inner.contains('/') => return Some('/'),
        _ => {}
    }
    let is_group = !word.operator.is_empty() && rest.starts_with('(') && !rest.contains(')');
    is_group.then_some(')')
}

#[cfg(test)]
mod tests {
    use super::{Unclosed, unclosed};

    #[test]
    fn finds_what_is_not_closed() {
        for (typed, at, sign) in [
            ("(", 0, ')'),
            ("rust (a OR b", 5, ')'),
            ("title:(", 0, ')'),
            ("a -title:(rust b", 2, ')'),
            ("\"", 0, '"'),
            ("a \"fair sched", 2, '"'),
            ("(a \"b", 0, '"'),
            ("/", 0, '/'),
            ("a /re b", 2, '/'),
            ("title:/^plover", 0, '/'),
        ] {
            assert_eq!(unclosed(typed), Some(Unclosed { at, sign }), "{typed}");
        }
        for typed in [
            "",
            "a",
            "(a OR b) c",
            "title:(a)",
            "title:(a OR b)",
            "\"a b\"",
            "/re/",
            "/a b/",
            "/etc/fstab",
            "and/or",
            "f(x",
            "a)",
            "source:/x",
            "title:\"(\"",
        ] {
            assert_eq!(unclosed(typed), None, "{typed}");
        }
    }
}
