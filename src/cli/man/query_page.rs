//! `newsfed-query(7)`: the search language, generated from the tables of its parser.

use super::manual::Manual;
use crate::query::{ItemState, OPERATORS, Thing};
use clap_mangen::roff::{bold, italic};
use std::io;

const DESCRIPTION: &str = "\
A query selects items. Its syntax is the same after `/` and `f` in the interface, in `newsfed search`, with `--query`,
and in the `[[view]]` and `[[rule]]` entries of newsfed-config(5). Conditions next to each other must all be met. Case and
accents are ignored. A `+` or `#` directly after a letter or digit is part of the word: `c++` does not find C.";

/// Terms without an operator, and what they match.
const WORDS: [(&str, &str); 7] = [
    (
        "rust async",
        "Items with both words. A word of three letters or more also finds longer words that begin with it.",
    ),
    ("\"night train\"", "Items with this phrase."),
    (
        "rust OR zig",
        "Items with at least one of them. OR is written in capitals, and separates whole lists of conditions.",
    ),
    ("(rust OR zig) async", "Parentheses group conditions."),
    (
        "-rust",
        "Items that do not match what follows the minus: a word, a phrase, an operator or a group.",
    ),
    (
        "/v[0-9]+\\.[0-9]/",
        "A regular expression that matches the title or the text. It ends at the next slash that has no backslash before it; only a space or a closing parenthesis may follow.",
    ),
    ("unread", "Short for is:unread."),
];

/// Forms of values.
const VALUES: [(&str, &str); 6] = [
    ("DATE", "2026-11-21, 2026-11, 2026, today, yesterday, or 7d for seven days ago."),
    (
        "AGE",
        "A number with m for minutes, h for hours, d for days, w for weeks or y for years, such as 3d.",
    ),
    (
        "NAME",
        "A name with spaces is written in quotation marks. It selects the sources, folders or tags with exactly that name; if there are none, those whose name contains it.",
    ),
    ("TEXT", "A word, a phrase in quotation marks, or a regular expression between slashes."),
    ("LANGUAGE", "A code such as en, de or pt-BR."),
    ("PLACE", "later or versions."),
];

const NOTES: &str = "\
A word that resembles an operator, such as sorce:x, is an error. Quote it to search for it as text. `in:versions` and
`asof:` apply to the whole query: they cannot follow a minus, or be in parentheses or next to OR. A query with words
shows the newest 1,000 matches, or the best ones if the order is best.";

/// Complete queries, and what they select.
const EXAMPLES: [(&str, &str); 8] = [
    ("is:unread folder:Tech -tag:release", "Unread items in a folder, except those with a tag."),
    ("title:\"night train\" after:2026-11", "A phrase in the titles since November 2026."),
    ("(rust OR zig) words>2000 age<2w", "Long recent items that mention one of two languages."),
    ("source:\"The Kernel\" is:changed", "Items of one source that changed since you opened them."),
    ("url:/\\.pdf$/ has:comments", "Items whose URL ends with .pdf and that have comments."),
    ("title:/^re:/ author:roe lang:de", "Replies in German by an author."),
    ("in:versions minister", "Items with the word in an earlier version."),
    ("in:later category:science before:yesterday", "Items kept for later, by topic and date."),
];

/// Creates the page.
pub(super) fn page() -> io::Result<Manual> {
    let mut manual = Manual::new("newsfed-query", 7, "search language of newsfed")?;
    manual.section("DESCRIPTION")?;
    manual.text(DESCRIPTION)?;
    manual.section("WORDS")?;
    entries(&mut manual, &WORDS)?;
    manual.section("OPERATORS")?;
    for operator in OPERATORS {
        manual.tags(vec![vec![bold(operator.name), italic(operator.value)]])?;
        manual.text(operator.explanation)?;
    }
    manual.section("STATES")?;
    for (state, name) in ItemState::ALL {
        manual.entry(&format!("is:{name}"), state.help())?;
    }
    manual.section("THINGS")?;
    for (thing, name) in Thing::ALL {
        manual.entry(&format!("has:{name}"), thing.help())?;
    }
    manual.section("VALUES")?;
    for (name, text) in VALUES {
        manual.tags(vec![vec![italic(name)]])?;
        manual.text(text)?;
    }
    manual.section("NOTES")?;
    manual.text(NOTES)?;
    manual.section("EXAMPLES")?;
    entries(&mut manual, &EXAMPLES)?;
    manual
        .see_also(&["newsfed(1)", "newsfed-search(1)", "newsfed-config(5)"].map(str::to_owned))?;
    Ok(manual)
}

fn entries(manual: &mut Manual, entries: &[(&str, &str)]) -> io::Result<()> {
    entries.iter().try_for_each(|(query, text)| manual.entry(query, text))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::query::Query;

    #[test]
    fn examples_parse_as_queries() {
        for (query, _) in WORDS.iter().chain(&EXAMPLES) {
            assert!(query.parse::<Query>().is_ok_and(|query| !query.is_empty()), "{query}");
        }
        for (name, _) in VALUES {
            assert!(OPERATORS.iter().any(|operator| operator.value == name), "{name}");
        }
    }
}
