//! Printing a query tree as text.

use super::{Column, Field, ItemState, Query, Term, What};
use std::fmt;

/// Prints it as a user would type it. Parsing the result gives the same tree.
impl fmt::Display for Query {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let [Term { negated: false, what: What::Any(alternatives) }] = self.terms.as_slice() {
            return alternatives_of(f, alternatives);
        }
        separated(f, &self.terms, " ")
    }
}

fn separated(f: &mut fmt::Formatter<'_>, parts: &[impl fmt::Display], by: &str) -> fmt::Result {
    for (i, part) in parts.iter().enumerate() {
        write!(f, "{}{part}", if i == 0 { "" } else { by })?;
    }
    Ok(())
}

fn alternatives_of(f: &mut fmt::Formatter<'_>, alternatives: &[Query]) -> fmt::Result {
    separated(f, alternatives, " OR ")
}

impl fmt::Display for Term {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.negated {
            f.write_str("-")?;
        }
        self.what.fmt(f)
    }
}

impl fmt::Display for What {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Text { column, text, phrase } => {
                f.write_str(match column {
                    Column::Any => "",
                    Column::Title => "title:",
                    Column::Author => "author:",
                })?;
                let mark = if *phrase { "\"" } else { "" };
                write!(f, "{mark}{text}{mark}")
            }
            Self::Is(ItemState::Unread) => f.write_str("unread"),
            Self::Is(state) => write!(f, "is:{}", state.name()),
            Self::After(date) => write!(f, "after:{date}"),
            Self::Before(date) => write!(f, "before:{date}"),
            Self::Younger(span) => write!(f, "age<{span}"),
            Self::Older(span) => write!(f, "age>{span}"),
            Self::AsOf(date) => write!(f, "asof:{date}"),
            Self::InVersions => f.write_str("in:versions"),
            Self::Later => f.write_str("in:later"),
            Self::Of(named) => write!(f, "{}:{}", named.kind(), quoted(named.name())),
            Self::Any(alternatives) => {
                f.write_str("(")?;
                alternatives_of(f, alternatives)?;
                f.write_str(")")
            }
            Self::Pattern(field, pattern) => {
                let field = match field {
                    Field::Any => "",
                    Field::Title => "title:",
                    Field::Author => "author:",
                    Field::Url => "url:",
                };
                write!(f, "{field}/{pattern}/")
            }
            Self::Url(text) => write!(f, "url:{}", quoted(text)),
            Self::Category(name) => write!(f, "category:{}", quoted(name)),
            Self::Language(code) => write!(f, "lang:{code}"),
            Self::Shorter(count) => write!(f, "words<{count}"),
            Self::Longer(count) => write!(f, "words>{count}"),
            Self::Has(thing) => write!(f, "has:{}", thing.name()),
        }
    }
}

/// Whether a name after a colon would not be parsed as one word.
pub(super) fn needs_quotes(name: &str) -> bool {
    name.contains(|c: char| c.is_whitespace() || matches!(c, '(' | ')'))
        || name.starts_with([':', '"', '/'])
}

/// A name after a colon, quoted if it would not be parsed as one word.
pub fn quoted(name: &str) -> String {
    if needs_quotes(name) { format!("\"{}\"", name.replace('"', " ")) } else { name.to_owned() }
}
