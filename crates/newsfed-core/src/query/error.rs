//! Errors in searches.

use crate::util::near::did_you_mean;
use crate::util::text::line as clean;
use std::ops::Range;

/// An invalid word in a search.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}{kind}", place(*.word))]
pub struct QueryError {
    /// Its byte range in the typed text.
    pub at: Range<usize>,
    /// Number of the word, from 1.
    pub word: usize,
    pub kind: QueryErrorKind,
}

/// The position of the error, unless it is in the first word.
fn place(word: usize) -> String {
    if word > 1 { format!("word {word}: ") } else { String::new() }
}

/// What is wrong with a word.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum QueryErrorKind {
    /// A word with a colon that is not an operator.
    #[error("no operator \"{}:\"{}", clean(.0), meant_operator(.0, .1))]
    Operator(String, String),
    /// A comparison with an operator other than `age` and `words`.
    #[error(
        "only age and words can be compared, with < or >, as in age<3d or words<500; quote \"{}\" to find it as text",
        clean(.0)
    )]
    Comparison(String),
    /// `age:`
    #[error("an age needs < or >: write age<3d or age>3d")]
    AgeColon,
    /// An unknown state.
    #[error("\"{}\" is not a state{}", clean(.0), meant_state(.0))]
    State(String),
    /// An invalid date.
    #[error(
        "\"{}\" is not a date; write 2026-11-21, 2026-11, 2026, today, yesterday or 7d", clean(.0)
    )]
    Date(String),
    /// An invalid duration.
    #[error("\"{}\" is not an age; write 3d, 12h, 30m, 2w or 1y", clean(.0))]
    Age(String),
    /// An unknown value of `in:`.
    #[error("\"in:\" accepts \"later\" or \"versions\", not \"{}\"", clean(.0))]
    Place(String),
    /// An unknown value of `has:`.
    #[error("unknown value \"has:{}\"{}", clean(.0), meant_thing(.0))]
    Thing(String),
    /// An invalid language.
    #[error("\"{}\" is not a language tag; use one such as en, de or pt-BR", clean(.0))]
    Language(String),
    /// An invalid number.
    #[error("\"{}\" is not a number of words; write words<500", clean(.0))]
    Count(String),
    /// A minus before an operator that cannot exclude.
    #[error("\"{0}\" cannot be excluded; remove the minus")]
    Negated(String),
    /// An operator without a value.
    #[error("\"{0}\" needs {1}")]
    Missing(&'static str, &'static str),
    /// A conjunction from other search languages, such as `AND`.
    #[error(
        "words next to each other must all match, OR separates alternatives, and a minus excludes; \
         quote \"{}\" to find it as text",
        clean(.0)
    )]
    Joined(String),
    /// A comparison with a space before its operator.
    #[error("write a comparison without spaces, as in words>500; quote \"{0}\" to find it as text")]
    Spaced(String),
    /// A closing parenthesis without an opening one.
    #[error("there is no \"(\" before it; quote \"{}\" to find it as text", clean(&.0.replace('"', "")))]
    Group(String),
    /// An opening parenthesis without a closing one.
    #[error("\"(\" has no \")\"; add it, or quote the word to find it as text")]
    Unclosed,
    /// A filter of newsboat, with the same search in newsfed if there is one.
    #[error("this is a newsboat filter; {}", in_newsfed(.0.as_deref()))]
    Newsboat(Option<String>),
    /// An invalid regular expression.
    #[error("\"/{}/\" is not a valid pattern: {}", clean(.0), clean(.1))]
    Pattern(String, String),
    /// A condition that applies to the whole search, inside a part of it.
    #[error("\"{}\" applies to the whole search and cannot be in parentheses or next to OR", clean(.0))]
    Whole(String),
    /// Groups that are nested too deeply.
    #[error("parentheses can be nested at most {0} deep")]
    Deep(usize),
    /// A search with too many conditions, or with one that is too long.
    #[error("a search can have at most {0} words of at most {1} characters")]
    Long(usize, usize),
}

fn in_newsfed(query: Option<&str>) -> String {
    match query {
        Some(query) => format!("in newsfed: {}", clean(query)),
        None => "newsfed has no such condition".to_owned(),
    }
}

fn meant_operator(name: &str, whole: &str) -> String {
    let names = super::OPERATORS.iter().filter_map(|o| o.name.strip_suffix(':'));
    match did_you_mean(name, names) {
        // Suggest the operator with its colon.
        hint if hint.ends_with("\"?") => hint.replacen("\"?", ":\"?", 1),
        _ => format!("; to find it as text, quote it: \"{}\"", clean(&whole.replace('"', ""))),
    }
}

fn meant_thing(name: &str) -> String {
    let names = super::Thing::ALL.map(|(_, name)| name);
    match did_you_mean(name, names) {
        hint if hint.is_empty() => format!("; has: accepts {}", names.join(", ")),
        hint => hint,
    }
}

fn meant_state(name: &str) -> String {
    let names = super::ItemState::ALL.map(|(_, name)| name);
    match did_you_mean(name, names) {
        hint if hint.is_empty() => format!("; is: accepts {}", names.join(", ")),
        hint => hint,
    }
}
