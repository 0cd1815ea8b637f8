//! Parsing text into a query tree.

use super::display::needs_quotes;
use super::words::{Role, Word, Words};
use super::{
    Column, Date, Field, ItemState, Named, Query, QueryError, QueryErrorKind, Span, Term, Thing,
    What, newsboat,
};
use crate::util::text;
use std::borrow::Cow;
use std::str::FromStr;

/// Maximum number of conditions in a query.
const MAX_TERMS: usize = 100;
/// Maximum length of a condition, in characters.
const LONGEST: usize = 500;
/// Maximum depth of groups.
const DEEPEST: usize = 10;
/// Maximum size of a compiled regular expression, in bytes.
const LARGEST_PATTERN: usize = 1 << 20;

/// Compiles a regular expression for searches, which are case-insensitive.
///
/// # Errors
/// If it is invalid or too large.
pub fn pattern(text: &str) -> Result<regex::Regex, regex::Error> {
    regex::RegexBuilder::new(text).case_insensitive(true).size_limit(LARGEST_PATTERN).build()
}

impl FromStr for Query {
    type Err = QueryError;

    /// Parses a query. Control characters are treated as whitespace. An unterminated quotation ends at the
    /// end of the text.
    fn from_str(input: &str) -> Result<Self, QueryError> {
        let text = without_invisible(input);
        let mut parser = Parser { words: Words::new(&text), number: 0, terms: 0, whole: None };
        let parsed = newsboat::misplaced(&text).map_or_else(|| parser.alternatives(None), Err);
        let alternatives = parsed.map_err(|error| {
            let at = |end| position(input, &text[..end]);
            QueryError { at: at(error.at.start)..at(error.at.end), ..error }
        })?;
        Ok(Self::joined(alternatives))
    }
}

/// Removes from a query the invisible characters that are also removed from the texts of items, so that a
/// word pasted from a page finds that page. Control characters and whitespace become spaces.
pub fn without_invisible(input: &str) -> Cow<'_, str> {
    if text::is_simple(input) {
        return Cow::Borrowed(input);
    }
    let spaced = input.replace(|c: char| c.is_control() || c.is_whitespace(), " ");
    Cow::Owned(text::visible(&spaced).into_owned())
}

/// The offset in the original input that corresponds to the end of `start`, a prefix of the cleaned input.
fn position(input: &str, start: &str) -> usize {
    let mut left = start.chars();
    let mut next = left.next();
    for (at, c) in input.char_indices() {
        let Some(wanted) = next else { return at };
        if c == wanted || wanted == ' ' && (c.is_control() || c.is_whitespace()) {
            next = left.next();
        }
    }
    input.len()
}

impl Query {
    /// The query that matches if any of `alternatives` matches.
    pub(super) fn joined(mut alternatives: Vec<Self>) -> Self {
        match alternatives.len() {
            0 => Self::default(),
            1 => alternatives.remove(0),
            _ => {
                // Nested alternatives are flattened.
                let flat = alternatives.into_iter().flat_map(|query| match query.only() {
                    Some(Term { negated: false, what: What::Any(inner) }) => inner.clone(),
                    _ => vec![query],
                });
                Self::of([What::Any(flat.collect())])
            }
        }
    }

    /// The condition of the query, if there is only one.
    fn only(&self) -> Option<&Term> {
        if let [term] = self.terms.as_slice() { Some(term) } else { None }
    }

    /// Adds a group of alternatives.
    pub(super) fn push_group(&mut self, negated: bool, alternatives: Vec<Self>) {
        let group = Self::joined(alternatives);
        match group.only() {
            Some(term) => {
                self.terms.push(Term { negated: term.negated != negated, what: term.what.clone() });
            }
            None if negated => self.terms.push(Term { negated, what: What::Any(vec![group]) }),
            None => self.terms.extend(group.terms),
        }
    }
}

struct Parser<'a> {
    words: Words<'a>,
    /// The number of words so far.
    number: usize,
    /// The number of conditions so far.
    terms: usize,
    /// The error to return if a condition on the whole search turns out to be inside a part of it.
    whole: Option<QueryError>,
}

impl<'a> Parser<'a> {
    fn word(&mut self) -> Option<Word<'a>> {
        self.number += 1;
        self.words.next()
    }

    /// Reads conditions, separated by `OR`, up to the end of the group or of the text. `group` is the depth
    /// of the group, and the error to return if it is not closed.
    fn alternatives(
        &mut self,
        group: Option<(usize, QueryError)>,
    ) -> Result<Vec<Query>, QueryError> {
        let depth = group.as_ref().map_or(0, |(depth, _)| *depth);
        let mut unclosed = group.map(|(_, error)| error);
        let mut alternatives = vec![Query::default()];
        let mut or: Option<QueryError> = None;
        let outside = self.whole.take();
        while let Some(word) = self.word() {
            let number = self.number;
            let at = word.at.clone();
            let error = |kind| QueryError { at: at.clone(), word: number, kind };
            self.terms += usize::from(matches!(word.role, Role::Condition | Role::Pattern));
            if self.terms > MAX_TERMS || word.text.chars().nth(LONGEST).is_some() {
                return Err(error(QueryErrorKind::Long(MAX_TERMS, LONGEST)));
            }
            let now =
                alternatives.last_mut().filter(|query| word.role != Role::Or || !query.is_empty());
            let missing =
                || error(QueryErrorKind::Missing("OR", "a condition before it and one after it"));
            match (word.role, now) {
                (Role::Close, _) => {
                    unclosed = None;
                    break;
                }
                (Role::Or, None) => return Err(missing()),
                (Role::Or, Some(_)) => {
                    or = Some(missing());
                    alternatives.push(Query::default());
                }
                (Role::Open, _) if depth == DEEPEST => {
                    return Err(error(QueryErrorKind::Deep(DEEPEST)));
                }
                (Role::Open, Some(now)) => {
                    let unclosed = error(QueryErrorKind::Unclosed);
                    let inner = self.alternatives(Some((depth + 1, unclosed)))?;
                    if inner.iter().all(Query::is_empty) {
                        return Err(error(QueryErrorKind::Missing("(", "a condition after it")));
                    }
                    now.push_group(word.negated, inner);
                }
                (_, Some(now)) => {
                    let what = word.what().map_err(&error)?;
                    if let What::AsOf(_) | What::InVersions = what {
                        self.whole = Some(error(QueryErrorKind::Whole(word.operator.to_owned())));
                    }
                    now.terms.push(Term { negated: word.negated, what });
                }
                (_, None) => {}
            }
        }
        let unfinished = or.filter(|_| alternatives.last().is_some_and(Query::is_empty));
        let misplaced = self.whole.take_if(|_| depth > 0 || alternatives.len() > 1);
        self.whole = outside.or(self.whole.take());
        let is_empty = alternatives.iter().all(Query::is_empty);
        let unclosed = unclosed.filter(|_| !is_empty);
        unfinished.or(unclosed).or(misplaced).map_or(Ok(alternatives), Err)
    }
}

impl Word<'_> {
    fn not_negated(&self) -> Result<(), QueryErrorKind> {
        match self.negated {
            true => Err(QueryErrorKind::Negated(self.operator.to_ascii_lowercase())),
            false => Ok(()),
        }
    }

    /// Parses the text as a regular expression.
    fn pattern(&self, operator: &str) -> Result<What, QueryErrorKind> {
        let field = match operator {
            "title:" => Field::Title,
            "author:" => Field::Author,
            "url:" => Field::Url,
            _ => Field::Any,
        };
        let text = self.text.replace(char::is_control, " ");
        match pattern(&text) {
            Ok(_) => Ok(What::Pattern(field, text)),
            Err(e) => Err(QueryErrorKind::Pattern(text, why_invalid(&e))),
        }
    }

    fn what(&self) -> Result<What, QueryErrorKind> {
        let mut value = self.text.to_owned();
        let named = !self.operator.is_empty() && value.contains(['(', ')']);
        let phrase = self.quoted || named || unbalanced(&value);
        if phrase {
            // The value is printed in quotation marks, so it must not contain any. Without them, a
            // parenthesis could end a group.
            value = value.replace('"', " ");
        }
        let name = self.operator.to_ascii_lowercase();
        let is_name =
            matches!(name.as_str(), "source:" | "folder:" | "tag:" | "url:" | "category:");
        if is_name && needs_quotes(&value) {
            value = value.replace('"', " ");
        }
        let text = |column| What::Text { column, text: value.clone(), phrase };
        if self.role == Role::Pattern {
            return self.pattern(&name);
        }
        let missing = |operator, what| match value.as_str() {
            "" => Err(QueryErrorKind::Missing(operator, what)),
            _ => Ok(()),
        };
        let date = || Date::parse(&value).ok_or_else(|| QueryErrorKind::Date(value.clone()));
        let span = || Span::parse(&value).ok_or_else(|| QueryErrorKind::Age(value.clone()));
        Ok(match name.as_str() {
            "" if !self.quoted && self.text == "unread" => What::Is(ItemState::Unread),
            "" if !self.quoted => {
                not_joining(&value)?;
                text(Column::Any)
            }
            "" => text(Column::Any),
            "is:" => {
                missing(
                    "is:",
                    "unread, read, pinned, unpinned, changed, edited, duplicate, hidden or snoozed",
                )?;
                What::Is(ItemState::named(&value).ok_or(QueryErrorKind::State(value))?)
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
                missing("in:", "later or versions")?;
                match value.to_ascii_lowercase().as_str() {
                    "later" => What::Later,
                    "versions" => {
                        self.not_negated()?;
                        What::InVersions
                    }
                    _ => return Err(QueryErrorKind::Place(value)),
                }
            }
            "has:" => {
                missing("has:", "audio, video, image, comments, version, tag or duplicate")?;
                What::Has(Thing::named(&value).ok_or(QueryErrorKind::Thing(value))?)
            }
            "url:" => {
                missing("url:", "a part of a URL")?;
                What::Url(value)
            }
            "category:" => {
                missing("category:", "the name of a category")?;
                What::Category(value)
            }
            "lang:" => {
                missing("lang:", "a language such as en or de-CH")?;
                match value.chars().all(|c| c.is_ascii_alphanumeric() || c == '-') {
                    true => What::Language(value.to_ascii_lowercase()),
                    false => return Err(QueryErrorKind::Language(value)),
                }
            }
            "words<" => {
                missing("words<", "a number")?;
                What::Shorter(value.parse().map_err(|_| QueryErrorKind::Count(value))?)
            }
            "words>" => {
                missing("words>", "a number")?;
                What::Longer(value.parse().map_err(|_| QueryErrorKind::Count(value))?)
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

/// Rejects words and signs that join conditions in other search languages, so that they are not searched as
/// text.
fn not_joining(word: &str) -> Result<(), QueryErrorKind> {
    match word {
        "AND" | "NOT" | "||" | "&&" => Err(QueryErrorKind::Joined(word.to_owned())),
        "<" | ">" | "<=" | ">=" => Err(QueryErrorKind::Spaced(word.to_owned())),
        _ if word.starts_with(')') => Err(QueryErrorKind::Group(word.to_owned())),
        _ => Ok(()),
    }
}

/// Whether the parentheses of a word are unbalanced.
fn unbalanced(word: &str) -> bool {
    let mut open = 0i32;
    word.chars().any(|c| {
        open += i32::from(c == '(') - i32::from(c == ')');
        open < 0
    })
}

/// The reason why a regular expression is invalid, in one line.
fn why_invalid(e: &regex::Error) -> String {
    let whole = e.to_string();
    let last = whole.lines().last().unwrap_or_default();
    last.strip_prefix("error: ").unwrap_or(last).to_owned()
}
