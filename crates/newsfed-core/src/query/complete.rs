//! Completion in a search that is being typed.

use super::words::{Role, Words};
use std::ops::Range;

#[derive(Debug, Clone, Copy)]
pub struct Operator {
    pub name: &'static str,
    pub help: &'static str,
}

pub const OPERATORS: &[Operator] = &[
    Operator {
        name: "is:",
        help: "unread, read, pinned, unpinned, changed, edited, duplicate, hidden, snoozed",
    },
    Operator { name: "source:", help: "of a source" },
    Operator { name: "folder:", help: "from sources in a folder" },
    Operator { name: "tag:", help: "with a tag, or from sources with it" },
    Operator { name: "title:", help: "in the title" },
    Operator { name: "author:", help: "in the names of the authors" },
    Operator { name: "after:", help: "dated that day or later" },
    Operator { name: "before:", help: "dated before that day" },
    Operator { name: "age<", help: "newer than that" },
    Operator { name: "age>", help: "older than that" },
    Operator { name: "words<", help: "shorter than so many words" },
    Operator { name: "words>", help: "longer than so many words" },
    Operator { name: "has:", help: "audio, video, image, comments, version, tag, duplicate" },
    Operator { name: "url:", help: "with this in the URL" },
    Operator { name: "category:", help: "in a category of its publisher" },
    Operator { name: "lang:", help: "in a language" },
    Operator { name: "in:", help: "in:later, or in:versions for earlier versions" },
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
    let ended =
        word.at.end < head.len() || word.quoted && word.closed || word.role != Role::Condition;
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
