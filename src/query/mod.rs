//! The language of searches: what people type after `/`, as a tree that can be printed again.
//!
//! Everything is joined by AND. `word` (the last one also finds words that begin so), `"a phrase"`,
//! `title:word`, `author:word`, `is:unread` and the other states, `unread` for short,
//! `before:DATE`, `after:DATE`, `age<3d`, `age>2w`, `source:name`, `folder:name`, `tag:name`; a
//! minus before any of them takes out what it finds. What looks like an operator and is none is a
//! fault; any other punctuation is text.

mod complete;
mod date;
mod error;
mod names;
mod newsboat;
mod parse;

#[cfg(test)]
mod tests;

pub use complete::{OPERATORS, Operator, Spot, spot};
pub use date::{Date, Span, Unit};
pub use error::{Fault, QueryError};
pub use names::{Known, resolve, unknown_name};
pub use newsboat::{NotTranslated, from_newsboat};

use std::fmt;

/// A search as it was meant.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub struct Query {
    /// What an item has to be, all at once.
    pub terms: Vec<Term>,
}

/// One condition.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Term {
    /// Whether it takes out what it finds.
    pub negated: bool,
    /// What is looked for.
    pub what: What,
}

/// What a condition looks at.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum What {
    /// A word or a phrase.
    Text {
        /// Where it has to stand.
        column: Column,
        /// The word. No white space outside of phrases, no quotation mark in them.
        text: String,
        /// Whether it was quoted: the words side by side, each of them whole.
        phrase: bool,
    },
    /// A mark of the item.
    Is(State),
    /// `after:`: dated at or later than the beginning of a day, a month or a year.
    After(Date),
    /// `before:`: dated earlier than that.
    Before(Date),
    /// `age<`: dated at most so long ago.
    Younger(Span),
    /// `age>`: dated longer ago.
    Older(Span),
    /// It comes from one of these sources.
    Of(Named),
}

/// Where a text stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Column {
    /// Anywhere.
    Any,
    /// `title:`
    Title,
    /// `author:`
    Author,
}

/// A mark that an item can have.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum State {
    /// `is:unread`
    Unread,
    /// `is:read`
    Read,
    /// `is:pinned`
    Pinned,
    /// `is:unpinned`
    Unpinned,
    /// `is:changed`: its article changed since the user last opened it.
    Changed,
}

/// A word that names sources.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Named {
    /// `source:x`: an id or a title.
    Source(String),
    /// `folder:x`: the folder and those in it.
    Folder(String),
    /// `tag:x`
    Tag(String),
}

impl State {
    /// Every state with its name.
    pub const ALL: [(Self, &str); 5] = [
        (Self::Unread, "unread"),
        (Self::Read, "read"),
        (Self::Pinned, "pinned"),
        (Self::Unpinned, "unpinned"),
        (Self::Changed, "changed"),
    ];

    /// Its name behind `is:`.
    pub fn name(self) -> &'static str {
        Self::ALL.iter().find(|(state, _)| *state == self).map_or("", |(_, name)| name)
    }

    /// The state of a name.
    pub fn named(name: &str) -> Option<Self> {
        let same = |(_, n): &&(Self, &str)| n.eq_ignore_ascii_case(name);
        Self::ALL.iter().find(same).map(|(state, _)| *state)
    }
}

impl Named {
    /// The name.
    pub fn name(&self) -> &str {
        let (Self::Source(name) | Self::Folder(name) | Self::Tag(name)) = self;
        name
    }

    /// What is named, in a word.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Source(_) => "source",
            Self::Folder(_) => "folder",
            Self::Tag(_) => "tag",
        }
    }
}

impl Term {
    /// A condition that is not taken out.
    pub fn new(what: What) -> Self {
        Self { negated: false, what }
    }
}

impl Query {
    /// Whether it narrows nothing.
    pub fn is_empty(&self) -> bool {
        self.terms.is_empty()
    }

    /// A query of these conditions.
    pub fn of(what: impl IntoIterator<Item = What>) -> Self {
        Self { terms: what.into_iter().map(Term::new).collect() }
    }

    /// Both at once.
    #[must_use]
    pub fn and(mut self, other: Self) -> Self {
        self.terms.extend(other.terms);
        self
    }

    /// Whether it says which marks its items have.
    pub fn asks_for_marks(&self) -> bool {
        self.terms.iter().any(|term| matches!(term.what, What::Is(_)))
    }
}

/// As a user would type it; read again it gives the same tree.
impl fmt::Display for Query {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, term) in self.terms.iter().enumerate() {
            write!(f, "{}{term}", if i == 0 { "" } else { " " })?;
        }
        Ok(())
    }
}

impl fmt::Display for Term {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.negated {
            f.write_str("-")?;
        }
        match &self.what {
            What::Text { column, text, phrase } => {
                f.write_str(match column {
                    Column::Any => "",
                    Column::Title => "title:",
                    Column::Author => "author:",
                })?;
                let mark = if *phrase { "\"" } else { "" };
                write!(f, "{mark}{text}{mark}")
            }
            What::Is(State::Unread) => f.write_str("unread"),
            What::Is(state) => write!(f, "is:{}", state.name()),
            What::After(date) => write!(f, "after:{date}"),
            What::Before(date) => write!(f, "before:{date}"),
            What::Younger(span) => write!(f, "age<{span}"),
            What::Older(span) => write!(f, "age>{span}"),
            What::Of(named) => write!(f, "{}:{}", named.kind(), quoted(named.name())),
        }
    }
}

/// A name behind a colon, in quotes where it would not be read again as one.
pub fn quoted(name: &str) -> String {
    let odd = name.contains(char::is_whitespace)
        || name.starts_with("//")
        || name.starts_with([':', '"']);
    if odd { format!("\"{}\"", name.replace('"', " ")) } else { name.to_owned() }
}
