//! Completion in a search that is being typed.

use super::parse::Words;
use std::ops::Range;

#[derive(Debug, Clone, Copy)]
pub struct Operator {
    pub name: &'static str,
    pub help: &'static str,
}

pub const OPERATORS: &[Operator] = &[
    Operator { name: "is:", help: "unread, read, pinned, unpinned, changed, edited" },
    Operator { name: "source:", help: "of a source" },
    Operator { name: "folder:", help: "from sources in a folder" },
    Operator { name: "tag:", help: "from sources with a tag" },
    Operator { name: "title:", help: "in the title" },
    Operator { name: "author:", help: "in the names of the authors" },
    Operator { name: "after:", help: "dated that day or later" },
    Operator { name: "before:", help: "dated before that day" },
    Operator { name: "age<", help: "newer than that" },
    Operator { name: "age>", help: "older than that" },
    Operator { name: "in:", help: "in:versions searches earlier versions" },
    Operator { name: "asof:", help: "the items and titles of that day" },
];

/// A position in a query at which something can be completed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Spot {
    /// The operator whose value is at the cursor; `None`: the word may become an operator.
    pub operator: Option<&'static str>,
    /// The text so far, without its quotation mark.
    pub typed: String,
    /// The byte range that a completion replaces.
    pub at: Range<usize>,
}

/// What can be completed at the cursor (byte offset).
pub fn spot(text: &str, cursor: usize) -> Spot {
    let head = text.get(..cursor).unwrap_or(text);
    let nothing = || Spot { operator: None, typed: String::new(), at: head.len()..head.len() };
    let Some(word) = Words::new(head).last() else { return nothing() };
    // After the end of a word a new one begins.
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
