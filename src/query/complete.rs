//! What can be completed in a search that is being typed.

use super::parse::Words;
use std::ops::Range;

/// An operator, with what it is for.
#[derive(Debug, Clone, Copy)]
pub struct Operator {
    /// With its sign.
    pub name: &'static str,
    /// In a few words.
    pub help: &'static str,
}

/// Every operator.
pub const OPERATORS: &[Operator] = &[
    Operator { name: "is:", help: "unread, read, pinned, unpinned, changed" },
    Operator { name: "source:", help: "of a source" },
    Operator { name: "folder:", help: "of the sources in a folder" },
    Operator { name: "tag:", help: "of the sources with a tag" },
    Operator { name: "title:", help: "in the title" },
    Operator { name: "author:", help: "in the names of the authors" },
    Operator { name: "after:", help: "dated that day or later" },
    Operator { name: "before:", help: "dated before that day" },
    Operator { name: "age<", help: "dated at most so long ago" },
    Operator { name: "age>", help: "dated longer ago" },
];

/// The place in a query at which something can be completed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Spot {
    /// The operator whose value stands there; `None`: the word may become an operator.
    pub operator: Option<&'static str>,
    /// What stands there so far, without its quotation mark.
    pub typed: String,
    /// The bytes that a completion takes the place of.
    pub at: Range<usize>,
}

/// What can be completed where the cursor stands, in bytes of the text.
pub fn spot(text: &str, cursor: usize) -> Spot {
    let head = text.get(..cursor).unwrap_or(text);
    let nothing = || Spot { operator: None, typed: String::new(), at: head.len()..head.len() };
    let Some(word) = Words::new(head).last() else { return nothing() };
    // Behind a word that has ended another one begins.
    let ended = word.at.end < head.len() || word.quoted && word.closed;
    if ended {
        return nothing();
    }
    let name = word.operator.to_ascii_lowercase();
    match OPERATORS.iter().find(|o| o.name == name) {
        Some(operator) => Spot {
            operator: Some(operator.name),
            typed: word.text.to_owned(),
            at: word.value_at..head.len(),
        },
        None if word.quoted => nothing(),
        None => {
            let start = word.at.start + usize::from(word.negated);
            Spot { operator: None, typed: head[start..].to_owned(), at: start..head.len() }
        }
    }
}
