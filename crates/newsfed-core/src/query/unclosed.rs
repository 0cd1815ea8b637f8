//! Parts of a search that were begun and not closed yet, such as `title:(`, `"fair` and `/re`.

use super::words::{Role, WITH_PATTERN, Word, Words};

/// A part of a search without its closing sign. It extends to the end of the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Unclosed {
    /// Its first byte in the text, including an operator and a minus.
    pub at: usize,
    pub missing: Missing,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Missing {
    /// The end of a group.
    Parenthesis,
    /// The end of a phrase.
    Quote,
    /// The end of a regular expression.
    Slash,
    /// The same, but the text may also be a path such as `/etc`.
    SlashOfPath,
    /// A condition cannot apply to a group, as in `title:(a b)`.
    Condition,
}

impl Unclosed {
    /// What is missing, as the beginning of a sentence.
    pub fn message(self) -> &'static str {
        match self.missing {
            Missing::Parenthesis => "\"(\" has no \")\"; add it",
            Missing::Quote => "the phrase has no closing \"; add it",
            Missing::Slash | Missing::SlashOfPath => "the pattern has no closing \"/\"; add it",
            Missing::Condition => "a group cannot follow an operator; write (title:a title:b)",
        }
    }

    /// What to type, in a few words.
    pub fn hint(self) -> &'static str {
        match self.missing {
            Missing::Parenthesis => "close it with )",
            Missing::Quote => "close it with \"",
            Missing::Slash => "close it with /",
            Missing::SlashOfPath => "for a pattern, close it with /",
            Missing::Condition => "write (title:a title:b)",
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
                if let Some(missing) = missing(&word, input) {
                    groups.truncate(1);
                    let inner = Unclosed { at: word.at.start, missing };
                    return Some(groups.pop().map_or(inner, |at| Unclosed { at, ..inner }));
                }
            }
            Role::Pattern | Role::Or => {}
        }
    }
    let missing = Missing::Parenthesis;
    groups.first().map(|at| Unclosed { at: *at, missing })
}

/// What is missing in a condition.
fn missing(word: &Word<'_>, input: &str) -> Option<Missing> {
    if word.quoted {
        return (!word.closed).then_some(Missing::Quote);
    }
    let rest = input.get(word.value_at..)?;
    let has_pattern = WITH_PATTERN.iter().any(|known| word.operator.eq_ignore_ascii_case(known));
    match rest.strip_prefix('/') {
        Some(inner) if has_pattern && !inner.contains('/') => {
            let is_sign = |c: char| !c.is_alphanumeric() && !"-_. ".contains(c);
            return match inner.is_empty() || inner.contains(is_sign) {
                true => Some(Missing::Slash),
                // After an operator such as `url:`, the text is probably a path.
                false => word.operator.is_empty().then_some(Missing::SlashOfPath),
            };
        }
        _ => {}
    }
    let value = input.get(word.value_at..word.at.end)?;
    let is_group = !word.operator.is_empty() && value.starts_with('(') && !value.contains(')');
    is_group.then_some(Missing::Condition)
}

#[cfg(test)]
mod tests {
    use super::{Missing::*, Unclosed, unclosed};

    #[test]
    fn finds_unclosed_parts() {
        for (typed, at, missing) in [
            ("(", 0, Parenthesis),
            ("rust (a OR b", 5, Parenthesis),
            ("title:(", 0, Condition),
            ("a -title:(rust b", 2, Condition),
            ("title:(rust b) c", 0, Condition),
            ("\"", 0, Quote),
            ("a \"fair sched", 2, Quote),
            ("(a \"b", 0, Quote),
            ("/", 0, Slash),
            ("a /re b", 2, SlashOfPath),
            ("a /re+ b", 2, Slash),
            ("title:/^plover", 0, Slash),
        ] {
            assert_eq!(unclosed(typed), Some(Unclosed { at, missing }), "{typed}");
        }
        for typed in [
            "",
            "a",
            "(a OR b) c",
            "title:(a)",
            "\"a b\"",
            "/re/",
            "/a b/",
            "/etc/fstab",
            "url:/blog",
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
