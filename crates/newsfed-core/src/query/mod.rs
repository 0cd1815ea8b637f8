//! The search language: what users type after `/`, as a tree that can be printed again.
//!
//! Conditions next to each other must all be met; `OR` separates alternatives, and parentheses group
//! them: `word` (with three letters or more, it also matches longer words), `"a phrase"`, `title:word`,
//! `author:word`, `/a regular expression/`, `is:unread` and the other states, `unread` for short,
//! `before:DATE`, `after:DATE`, `age<3d`, `age>2w`, `words<500`, `source:name`, `folder:name`, `tag:name`,
//! `url:text`, `category:name`, `lang:de`, `has:audio`, `in:later`, `in:versions`, `asof:DATE`. A minus
//! before any of them except the last two excludes its matches. Something that resembles an operator but
//! is not one is an error. Any other punctuation is text.

mod complete;
mod date;
mod display;
mod error;
mod newsboat;
mod parse;
mod sources;
mod unclosed;
mod words;

#[cfg(test)]
mod tests;

pub use complete::{OPERATORS, Operator, Spot, spot};
pub use date::{Date, Span, Unit, moment};
pub use display::quoted;
pub use error::{QueryError, QueryErrorKind};
pub use newsboat::{NotTranslated, from_newsboat};
pub use parse::{pattern, without_invisible};
pub use sources::{Directory, NamedSource, Unknown, resolve, unknown_name};
pub use unclosed::{Missing, Unclosed, unclosed};

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
        /// The word, without quotation marks; only phrases contain whitespace.
        text: String,
        /// Whether it was quoted. Phrases match adjacent complete words.
        phrase: bool,
    },
    /// A state of the item.
    Is(ItemState),
    /// `after:`: dated at or after the start of a day, month or year.
    After(Date),
    /// `before:`: dated before the start of a day, month or year.
    Before(Date),
    /// `age<`: at most as old as the duration.
    Younger(Span),
    /// `age>`: older than the duration.
    Older(Span),
    /// `asof:`: items that were stored at the end of a day, month or year, with their titles at
    /// that time.
    AsOf(Date),
    /// `in:versions`: earlier versions of articles and titles are searched.
    InVersions,
    /// From a source with this title, folder or tag; a tag may also be the item's own.
    Of(Named),
    /// `a OR b`: matches at least one of these alternatives. A group after a minus may have only one.
    Any(Vec<Query>),
    /// `/a regular expression/`, case-insensitive.
    Pattern(Field, String),
    /// `url:`: its URL contains this text.
    Url(String),
    /// `category:`: the publisher puts it into this category.
    Category(String),
    /// `lang:`: in this language, such as `de`, which includes `de-CH`.
    Language(String),
    /// `words<`: its text has fewer words; never matches if they have not been counted.
    Shorter(u32),
    /// `words>`: its text has more words.
    Longer(u32),
    /// `has:`
    Has(Thing),
    /// `in:later`: kept for later.
    Later,
}

/// Where a regular expression is matched.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Field {
    /// In the title or the text.
    Any,
    /// `title:/…/`
    Title,
    /// `author:/…/`
    Author,
    /// `url:/…/`
    Url,
}

/// Something that an item can have.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Thing {
    /// A recording among its enclosures.
    Audio,
    /// A video among its enclosures.
    Video,
    /// A picture among its enclosures or in its text.
    Image,
    /// Comments, or a page for them.
    Comments,
    /// An earlier version of its text or title.
    Version,
    /// A tag of its own.
    Tag,
    /// Items of other sources about the same story.
    Duplicate,
}

/// Where text is searched.
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
pub enum ItemState {
    /// `is:unread`
    Unread,
    /// `is:read`
    Read,
    /// `is:pinned`
    Pinned,
    /// `is:unpinned`
    Unpinned,
    /// `is:changed`: its article changed by more than typo fixes since the user last opened it, or since it
    /// was discovered.
    Changed,
    /// `is:edited`: its article changed in any way since the user last opened it.
    Edited,
    /// `is:hidden`: hidden by a rule. Other searches leave these out.
    Hidden,
    /// `is:snoozed`: hidden until a given time. Other searches leave these out.
    Snoozed,
    /// `is:new`: it arrived since the last session in the interface.
    New,
    /// `is:duplicate`: another source had the same story earlier.
    Duplicate,
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

impl ItemState {
    pub const ALL: [(Self, &str); 10] = [
        (Self::Unread, "unread"),
        (Self::New, "new"),
        (Self::Read, "read"),
        (Self::Pinned, "pinned"),
        (Self::Unpinned, "unpinned"),
        (Self::Changed, "changed"),
        (Self::Edited, "edited"),
        (Self::Duplicate, "duplicate"),
        (Self::Hidden, "hidden"),
        (Self::Snoozed, "snoozed"),
    ];

    /// The name of the state after `is:`.
    pub fn name(self) -> &'static str {
        Self::ALL.iter().find(|(state, _)| *state == self).map_or("", |(_, name)| name)
    }

    /// Describes the items in the state, for manual pages.
    pub fn help(self) -> &'static str {
        match self {
            Self::Unread => "Unread items.",
            Self::New => "Items that arrived since your last session in the interface.",
            Self::Read => "Read items.",
            Self::Pinned => "Pinned items.",
            Self::Unpinned => "Items that are not pinned.",
            Self::Changed => {
                "Items whose article has changes other than typos since you last opened it."
            }
            Self::Edited => "Items whose article has any changes since you last opened it.",
            Self::Duplicate => "Items whose story another source had earlier.",
            Self::Hidden => "Items that a rule hid. Other searches leave them out.",
            Self::Snoozed => "Items that are snoozed. Other searches leave them out.",
        }
    }

    /// The state with this name.
    pub fn named(name: &str) -> Option<Self> {
        let same = |(_, n): &&(Self, &str)| n.eq_ignore_ascii_case(name);
        Self::ALL.iter().find(same).map(|(state, _)| *state)
    }
}

impl Thing {
    pub const ALL: [(Self, &str); 7] = [
        (Self::Audio, "audio"),
        (Self::Video, "video"),
        (Self::Image, "image"),
        (Self::Comments, "comments"),
        (Self::Version, "version"),
        (Self::Tag, "tag"),
        (Self::Duplicate, "duplicate"),
    ];

    /// The name of the thing after `has:`.
    pub fn name(self) -> &'static str {
        Self::ALL.iter().find(|(thing, _)| *thing == self).map_or("", |(_, name)| name)
    }

    /// Describes the items that have the thing, for manual pages.
    pub fn help(self) -> &'static str {
        match self {
            Self::Audio => "An audio enclosure.",
            Self::Video => "A video enclosure.",
            Self::Image => "A picture in an enclosure or in the text.",
            Self::Comments => "Comments, or a page for them.",
            Self::Version => "An earlier version of the text or title.",
            Self::Tag => "A tag of the item itself.",
            Self::Duplicate => "Items of other sources about the same story.",
        }
    }

    /// The thing with this name.
    pub fn named(name: &str) -> Option<Self> {
        let same = |(_, n): &&(Self, &str)| n.eq_ignore_ascii_case(name);
        Self::ALL.iter().find(same).map(|(thing, _)| *thing)
    }
}

impl Named {
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

    /// A query that requires the conditions of both.
    #[must_use]
    pub fn and(mut self, other: Self) -> Self {
        self.terms.extend(other.terms);
        self
    }

    /// The conditions of the query, including those in groups.
    pub fn all_terms(&self) -> impl Iterator<Item = &Term> {
        let mut left: Vec<&Term> = self.terms.iter().rev().collect();
        std::iter::from_fn(move || {
            let term = left.pop()?;
            if let What::Any(alternatives) = &term.what {
                left.extend(alternatives.iter().rev().flat_map(|query| query.terms.iter().rev()));
            }
            Some(term)
        })
    }

    /// The words and phrases that the texts of its matches contain; the second value is whether they
    /// match complete words only.
    pub fn text_words(&self) -> Vec<(&str, bool)> {
        // These words are in earlier versions, not in the texts themselves.
        if self.terms.iter().any(|term| term.what == What::InVersions) {
            return Vec::new();
        }
        let included = self.terms.iter().filter(|term| !term.negated);
        let words = included.flat_map(|term| match &term.what {
            What::Text { column: Column::Any, text, phrase } => vec![(text.as_str(), *phrase)],
            What::Any(alternatives) => alternatives.iter().flat_map(Self::text_words).collect(),
            _ => Vec::new(),
        });
        words.collect()
    }

    /// Restricts its words and phrases to titles. If all of them are restricted already, they are searched
    /// everywhere again.
    #[must_use]
    pub fn toggle_titles(mut self) -> Self {
        let is_any = |term: &Term| matches!(term.what, What::Text { column: Column::Any, .. });
        let to_titles = self.all_terms().any(is_any);
        let (from, to) = (Column::Any, Column::Title);
        self.search_in(if to_titles { (from, to) } else { (to, from) });
        self
    }

    fn search_in(&mut self, (from, to): (Column, Column)) {
        for term in &mut self.terms {
            match &mut term.what {
                What::Text { column, .. } if *column == from => *column = to,
                What::Any(alternatives) => {
                    alternatives.iter_mut().for_each(|query| query.search_in((from, to)));
                }
                _ => {}
            }
        }
    }

    /// A property of the query that users may not expect, shown when nothing matches.
    pub fn caveat(&self) -> Option<&'static str> {
        let joins = |text: &str| matches!(text, "or" | "and" | "not");
        let option = |pair: &[Term]| match pair {
            [word, excluded] => {
                let is_word = |term: &Term| {
                    matches!(&term.what, What::Text { column: Column::Any, phrase: false, .. })
                };
                let short = matches!(&excluded.what, What::Text { text, .. } if text.len() <= 4);
                is_word(word) && is_word(excluded) && short && !word.negated && excluded.negated
            }
            _ => false,
        };
        if self.terms.windows(2).any(option) {
            return Some(
                "A minus excludes a word; quote a command, as in \"rm -rf\", to find it as text",
            );
        }
        self.all_terms().find_map(|term| match &term.what {
            What::Text { column: Column::Any, text, phrase: false } if joins(text) => Some(
                "\"or\", \"and\" and \"not\" are ordinary words here; write OR between \
                 alternatives and - before what to exclude",
            ),
            What::Is(ItemState::New) => Some("Items count as new until you close the interface"),
            _ => None,
        })
    }

    /// Whether it restricts the states of items.
    pub fn asks_for_marks(&self) -> bool {
        self.all_terms().any(|term| matches!(term.what, What::Is(_)))
    }
}
