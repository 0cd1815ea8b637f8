//! Text -> tree.

use super::{Column, Date, Named, Query, QueryError, QueryErrorKind, Span, State, Term, What};
use std::ops::Range;
use std::str::FromStr;

/// Maximum number of conditions in a query.
const MOST_TERMS: usize = 100;
/// Maximum length of a condition, in characters.
const LONGEST: usize = 500;

impl FromStr for Query {
    type Err = QueryError;

    /// Parses a query. Control characters count as white space. An unterminated quotation ends with
    /// the text.
    fn from_str(input: &str) -> Result<Self, QueryError> {
        let mut terms = Vec::new();
        for (number, word) in (1..).zip(Words::new(input)) {
            let error = |kind| QueryError { at: word.at.clone(), word: number, kind };
            if terms.len() == MOST_TERMS || word.text.chars().nth(LONGEST).is_some() {
                return Err(error(QueryErrorKind::Long(MOST_TERMS, LONGEST)));
            }
            let what = word.what().map_err(error)?;
            terms.push(Term { negated: word.negated, what });
        }
        Ok(Self { terms })
    }
}

/// One word of the input.
#[derive(Debug)]
pub(super) struct Word<'a> {
    /// Its byte range in the input.
    pub(super) at: Range<usize>,
    pub(super) negated: bool,
    /// The operator with its sign, such as `title:` or `age<`.
    pub(super) operator: &'a str,
    pub(super) text: &'a str,
    /// Start of `text`, including its quotation mark.
    pub(super) value_at: usize,
    pub(super) quoted: bool,
    /// Whether its quotation is terminated, or it has none.
    pub(super) closed: bool,
}

impl Word<'_> {
    fn not_negated(&self) -> Result<(), QueryErrorKind> {
        match self.negated {
            true => Err(QueryErrorKind::Negated(self.operator.to_ascii_lowercase())),
            false => Ok(()),
        }
    }

    fn what(&self) -> Result<What, QueryErrorKind> {
        let value = self.text.to_owned();
        let text = |column| What::Text { column, text: value.clone(), phrase: self.quoted };
        let name = self.operator.to_ascii_lowercase();
        let missing = |operator, what| match value.as_str() {
            "" => Err(QueryErrorKind::Missing(operator, what)),
            _ => Ok(()),
        };
        let date = || Date::parse(&value).ok_or_else(|| QueryErrorKind::Date(value.clone()));
        let span = || Span::parse(&value).ok_or_else(|| QueryErrorKind::Age(value.clone()));
        Ok(match name.as_str() {
            "" if !self.quoted && self.text == "unread" => What::Is(State::Unread),
            "" if !self.quoted => {
                not_grouping(&value)?;
                text(Column::Any)
            }
            "" => text(Column::Any),
            "is:" => {
                missing("is:", "unread, read, pinned, unpinned, changed or edited")?;
                What::Is(State::named(&value).ok_or(QueryErrorKind::State(value))?)
            }
            "title:" => {
                missing("title:", "a word of the title")?;
                text(Column::Title)
            }
            "author:" => {
                missing("author:", "a name")?;
                text(Column::Author)
            }
            "source:" => {
                missing("source:", "the name of a source")?;
                What::Of(Named::Source(value))
            }
            "folder:" => {
                missing("folder:", "the name of a folder")?;
                What::Of(Named::Folder(value))
            }
            "tag:" => {
                missing("tag:", "a tag")?;
                What::Of(Named::Tag(value))
            }
            "after:" => {
                missing("after:", "a date such as 2026-11-21, yesterday or 7d")?;
                What::After(date()?)
            }
            "before:" => {
                missing("before:", "a date such as 2026-11-21, yesterday or 7d")?;
                What::Before(date()?)
            }
            "asof:" => {
                missing("asof:", "a date such as 2026-11-21, yesterday or 7d")?;
                self.not_negated()?;
                What::AsOf(date()?)
            }
            "in:" => {
                missing("in:", "versions")?;
                self.not_negated()?;
                match value.eq_ignore_ascii_case("versions") {
                    true => What::InVersions,
                    false => return Err(QueryErrorKind::Place(value)),
                }
            }
            "age<" | "age<=" => {
                missing("age<", "a time such as 3d")?;
                What::Younger(span()?)
            }
            "age>" | "age>=" => {
                missing("age>", "a time such as 3d")?;
                What::Older(span()?)
            }
            "age:" => return Err(QueryErrorKind::AgeColon),
            other => match other.strip_suffix(':') {
                Some(name) => {
                    let whole = format!("{}{value}", self.operator);
                    return Err(QueryErrorKind::Operator(name.to_owned(), whole));
                }
                None => {
                    return Err(QueryErrorKind::Comparison(format!("{}{value}", self.operator)));
                }
            },
        })
    }
}

/// Refuses what other search languages combine words with, so that it is not searched as text.
fn not_grouping(word: &str) -> Result<(), QueryErrorKind> {
    let is_pattern = word.len() > 2 && word.starts_with('/') && word.ends_with('/');
    match word {
        "OR" | "AND" | "NOT" | "||" | "&&" => Err(QueryErrorKind::Joined(word.to_owned())),
        _ if word.starts_with(['(', ')']) => Err(QueryErrorKind::Group(word.to_owned())),
        _ if is_pattern => Err(QueryErrorKind::Pattern(word.to_owned())),
        _ => Ok(()),
    }
}

/// Splits a text into words.
pub(super) struct Words<'a> {
    input: &'a str,
    at: usize,
}

impl<'a> Words<'a> {
    pub(super) fn new(input: &'a str) -> Self {
        Self { input, at: 0 }
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
        let tail = rest.strip_prefix('-').filter(|t| !t.is_empty() && !t.starts_with('-'));
        let tail = tail.filter(|t| !t.starts_with(is_space));
        let (negated, rest) = (tail.is_some(), tail.unwrap_or(rest));
        let operator = &rest[..operator_end(rest)];
        let value = &rest[operator.len()..];
        let value_at = self.input.len() - value.len();
        let (text, quoted, closed, end) = match value.strip_prefix('"') {
            Some(inner) => match inner.find('"') {
                Some(close) => (&inner[..close], true, true, close + 2),
                None => (inner, true, false, value.len()),
            },
            None => {
                let end = value.find(is_space).unwrap_or(value.len());
                (&value[..end], false, true, end)
            }
        };
        self.at = value_at + end;
        Some(Word { at: start..self.at, negated, operator, text, value_at, quoted, closed })
    }
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
