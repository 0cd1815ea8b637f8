//! Why a search is not understood.

use crate::util::near::did_you_mean;
use crate::util::text::line as clean;
use std::ops::Range;

/// A word of a search that means nothing.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{fault}")]
pub struct QueryError {
    /// Where it stands in what was typed, in bytes.
    pub at: Range<usize>,
    /// What is wrong with it.
    pub fault: Fault,
}

/// What is wrong with a word.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Fault {
    /// A word with a colon that is no operator.
    #[error("there is no \"{}:\"{}", clean(.0), meant_operator(.0, .1))]
    Operator(String, String),
    /// A comparison of something else than the age.
    #[error("only the age is compared, as in age<3d; quote \"{}\" to find it as text", clean(.0))]
    Comparison(String),
    /// `age:`
    #[error("an age is compared: write age<3d or age>3d")]
    AgeColon,
    /// A state that is none.
    #[error("\"{}\" is no state{}", clean(.0), meant_state(.0))]
    State(String),
    /// A date that is none.
    #[error(
        "\"{}\" is no date; write 2026-11-21, 2026-11, 2026, today, yesterday or 7d", clean(.0)
    )]
    Date(String),
    /// A span of time that is none.
    #[error("\"{}\" is no age; write 3d, 12h, 30m, 2w or 1y", clean(.0))]
    Age(String),
    /// An operator without what it looks for.
    #[error("after \"{0}\" comes {1}")]
    Missing(&'static str, &'static str),
    /// Longer than anybody types.
    #[error("a search has at most {0} words of at most {1} characters")]
    Long(usize, usize),
}

impl Fault {
    /// Whether what was typed may only be unfinished.
    pub fn is_unfinished(&self) -> bool {
        matches!(self, Self::Missing(..))
    }
}

fn meant_operator(name: &str, whole: &str) -> String {
    let names = super::OPERATORS.iter().filter_map(|o| o.name.strip_suffix(':'));
    match did_you_mean(name, names) {
        // The operator is meant with its colon.
        hint if hint.ends_with("\"?") => hint.replacen("\"?", ":\"?", 1),
        _ => format!("; to find it as text, quote it: \"{}\"", clean(&whole.replace('"', ""))),
    }
}

fn meant_state(name: &str) -> String {
    let names = super::State::ALL.map(|(_, name)| name);
    match did_you_mean(name, names) {
        hint if hint.is_empty() => format!("; is: takes {}", names.join(", ")),
        hint => hint,
    }
}
