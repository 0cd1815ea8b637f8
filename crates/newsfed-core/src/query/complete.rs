//! Completion in a search that is being typed.

use super::words::{Role, Words};
use std::ops::Range;

#[derive(Debug, Clone, Copy)]
pub struct Operator {
    pub name: &'static str,
    /// Placeholder for its value, as in manual pages.
    pub value: &'static str,
    pub help: &'static str,
    /// The explanation in the manual page.
    pub explanation: &'static str,
}

const fn operator(
    name: &'static str,
    value: &'static str,
    help: &'static str,
    explanation: &'static str,
) -> Operator {
    Operator { name, value, help, explanation }
}

pub const OPERATORS: &[Operator] = &[
    operator(
        "is:",
        "STATE",
        "unread, read, pinned, unpinned, changed, edited, duplicate, hidden, snoozed",
        "Items in a state; see STATES.",
    ),
    operator("source:", "NAME", "of a source", "Items of a source, by its id or title."),
    operator(
        "folder:",
        "NAME",
        "from sources in a folder",
        "Items of the sources in a folder or its subfolders.",
    ),
    operator(
        "tag:",
        "NAME",
        "with this tag, or from sources that have it",
        "Items with a tag, and items of the sources that have it in sources.toml.",
    ),
    operator(
        "title:",
        "TEXT",
        "in the title",
        "Items whose title contains a word or phrase, or matches a regular expression.",
    ),
    operator(
        "author:",
        "TEXT",
        "in the names of the authors",
        "Items whose authors' names contain a word or phrase, or match a regular expression.",
    ),
    operator(
        "after:",
        "DATE",
        "dated that day or later",
        "Items dated on that day, in that month or year, or later.",
    ),
    operator(
        "before:",
        "DATE",
        "dated before that day",
        "Items dated before that day, month or year.",
    ),
    operator("age<", "AGE", "newer than this", "Items newer than this."),
    operator("age>", "AGE", "older than this", "Items older than this."),
    operator(
        "words<",
        "NUMBER",
        "shorter than this many words",
        "Items with fewer words than this, if the count is known.",
    ),
    operator(
        "words>",
        "NUMBER",
        "longer than this many words",
        "Items with more words than this, if the count is known.",
    ),
    operator(
        "has:",
        "THING",
        "audio, video, image, comments, version, tag, duplicate",
        "Items that have something; see THINGS.",
    ),
    operator(
        "url:",
        "TEXT",
        "with this text in the URL",
        "Items whose URL contains a text, or matches a regular expression.",
    ),
    operator(
        "category:",
        "NAME",
        "in a category set by the publisher",
        "Items in a category set by the publisher.",
    ),
    operator(
        "lang:",
        "LANGUAGE",
        "in a language",
        "Items in this language, such as de, including variants such as de-CH.",
    ),
    operator(
        "in:",
        "PLACE",
        "in:later, or in:versions for earlier versions",
        "in:later finds items kept for later. in:versions searches earlier versions of texts and \
         titles; alone, it finds items that have such versions.",
    ),
    operator(
        "asof:",
        "DATE",
        "items and titles as of that day",
        "Items stored at the end of that day, month or year, with the titles they had then.",
    ),
];

/// A position in a query at which something can be completed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Spot {
    /// The operator whose value is at the cursor; `None` if the word may become an operator.
    pub operator: Option<&'static str>,
    /// The text so far, without an opening quotation mark.
    pub typed: String,
    /// The byte range that a completion replaces.
    pub at: Range<usize>,
}

/// What can be completed at the cursor (byte offset).
pub fn spot(text: &str, cursor: usize) -> Spot {
    let head = text.get(..cursor).unwrap_or(text);
    let nothing = || Spot { operator: None, typed: String::new(), at: head.len()..head.len() };
    let Some(word) = Words::new(head).last() else { return nothing() };
    // After a finished word, the cursor is at the start of a new one.
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
