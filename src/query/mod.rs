//! The search language: what users type after `/`, as a tree that can be printed again.
//!
//! All conditions are joined by AND: `word` (the last word also matches longer words), `"a phrase"`,
//! `title:word`, `author:word`, `is:unread` and the other states, `unread` for short,
//! `before:DATE`, `after:DATE`, `age<3d`, `age>2w`, `source:name`, `folder:name`, `tag:name`,
//! `in:versions`, `asof:DATE`. A minus before any of them but the last two excludes its matches. Something that resembles an operator but is not
//! one is an error. Any other punctuation is text.

mod complete;
mod date;
mod error;
mod newsboat;
mod parse;
mod sources;

#[cfg(test)]
mod tests;

pub use complete::{OPERATORS, Operator, Spot, spot};
pub use date::{Date, Span, Unit};
pub use error::{QueryError, QueryErrorKind};
pub use newsboat::{NotTranslated, from_newsboat};
pub use sources::{Known, resolve, unknown_name};

use std::fmt;

/// A parsed search.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub struct Query {
    /// Conditions that an item must meet.
    pub terms: Vec<Term>,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Term {
    /// Whether it excludes its matches.
    pub negated: bool,
    pub what: What,
}

/// The test of a condition.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum What {
    /// A word or a phrase.
    Text {
        /// Where to search.
        column: Column,
        /// The word. No white space outside phrases, no quotation marks inside.
        text: String,
        /// Whether it was quoted: matches complete words side by side.
        phrase: bool,
    },
    /// A mark of the item.
    Is(State),
    /// `after:`: dated at or after the start of a day, month or year.
    After(Date),
    /// `before:`: dated before that.
    Before(Date),
    /// `age<`: at most that old.
    Younger(Span),
    /// `age>`: older than that.
    Older(Span),
    /// `asof:`: items that were stored at the end of a day, month or year, with their titles then.
    AsOf(Date),
    /// `in:versions`: earlier versions of articles and titles are searched.
    InVersions,
    /// From one of these sources.
    Of(Named),
}

/// Where to search for a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Column {
    /// Anywhere.
    Any,
    /// `title:`
    Title,
    /// `author:`
    Author,
}

/// A state that an item can have.
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
    /// `is:changed`: its article changed by more than typing errors since the user last opened
    /// it.
    Changed,
    /// `is:edited`: its article changed in any way since then.
    Edited,
}

/// A word that selects sources.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Named {
    /// `source:x`: an id or a title.
    Source(String),
    /// `folder:x`: the folder and its subfolders.
    Folder(String),
    /// `tag:x`
    Tag(String),
}

impl State {
    pub const ALL: [(Self, &str); 6] = [
        (Self::Unread, "unread"),
        (Self::Read, "read"),
        (Self::Pinned, "pinned"),
        (Self::Unpinned, "unpinned"),
        (Self::Changed, "changed"),
        (Self::Edited, "edited"),
    ];

    /// Its name after `is:`.
    pub fn name(self) -> &'static str {
        Self::ALL.iter().find(|(state, _)| *state == self).map_or("", |(_, name)| name)
    }

    /// The state with a name.
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

    /// What it selects by, in one word.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Source(_) => "source",
            Self::Folder(_) => "folder",
            Self::Tag(_) => "tag",
        }
    }
}

impl Term {
    /// A condition that does not exclude.
    pub fn new(what: What) -> Self {
        Self { negated: false, what }
    }
}

impl Query {
    /// Whether it matches everything.
    pub fn is_empty(&self) -> bool {
        self.terms.is_empty()
    }

    pub fn of(what: impl IntoIterator<Item = What>) -> Self {
        Self { terms: what.into_iter().map(Term::new).collect() }
    }

    /// Both combined.
    #[must_use]
    pub fn and(mut self, other: Self) -> Self {
        self.terms.extend(other.terms);
        self
    }

    /// Whether it restricts the states of items.
    pub fn asks_for_marks(&self) -> bool {
        self.terms.iter().any(|term| matches!(term.what, What::Is(_)))
    }
}

/// As a user would type it. Parsing the result gives the same tree.
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
            What::AsOf(date) => write!(f, "asof:{date}"),
            What::InVersions => f.write_str("in:versions"),
            What::Of(named) => write!(f, "{}:{}", named.kind(), quoted(named.name())),
        }
    }
}

/// A name after a colon, quoted if it would not be parsed as one word.
pub fn quoted(name: &str) -> String {
    let odd = name.contains(char::is_whitespace)
        || name.starts_with("//")
        || name.starts_with([':', '"']);
    if odd { format!("\"{}\"", name.replace('"', " ")) } else { name.to_owned() }
}
