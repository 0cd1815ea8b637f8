//! Words with symbols, such as `c++` and `c#`. The index finds `c`, and the stored texts of the items found
//! are tested for the symbols.

use super::condition::{BODY, from_feed};
use super::filter::{Filter, Texts};
use super::folding::folded;
use crate::query::Column;
use crate::util::phrase::Phrase;
use rusqlite::types::Value;

/// A word or phrase that contains a word with symbols.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Signed {
    /// FTS5 match expression that ignores the symbols.
    pub(super) expression: String,
    column: Column,
    text: String,
    /// Whether the last word must not be the prefix of a longer word.
    is_whole: bool,
}

/// The text with which a new item was stored.
const NEW_BODY: &str =
    "(SELECT CASE WHEN length(coalesce(d.summary, '')) > length(coalesce(d.content, ''))
        THEN d.summary ELSE coalesce(d.content, '') END FROM detail d WHERE d.item = i.key)";

impl Signed {
    /// `expression` is the FTS5 expression for the text. `None` if no word of the text has symbols.
    pub(super) fn new(column: Column, text: &str, expression: &str) -> Option<Self> {
        let is_whole = !expression.ends_with('*');
        Phrase::new(&folded(text), is_whole).filter(Phrase::has_symbols)?;
        Some(Self { expression: expression.to_owned(), column, text: text.to_owned(), is_whole })
    }

    /// SQL that tests whether an item `i` matches. `is_found` is whether the index has found it.
    pub(super) fn sql(&self, is_found: bool, filter: &mut Filter) -> String {
        if filter.texts == Texts::Versions {
            return self.in_versions(filter);
        }
        let is_new = filter.texts == Texts::Arriving;
        let found = (!is_found).then(|| filter.in_texts(&self.expression));
        let authors = "(SELECT authors FROM detail WHERE item = i.key)";
        let signs = self.test(["i.title", authors, if is_new { NEW_BODY } else { BODY }], filter);
        // Only texts that the index found are read.
        found.map_or(signs.clone(), |found| format!("CASE WHEN {found} THEN {signs} ELSE 0 END"))
    }

    /// Like [`Self::sql`], for earlier versions.
    fn in_versions(&self, filter: &mut Filter) -> String {
        let title = "(SELECT title FROM item WHERE key = a.item)";
        let authors = "(SELECT authors FROM detail WHERE item = a.item)";
        filter.values.push(self.expression.clone().into());
        let in_texts = self.test([title, authors, "a.body"], filter);
        filter.values.push(self.expression.clone().into());
        let in_titles = self.test(["h.title", "NULL", "NULL"], filter);
        format!(
            "i.key IN (SELECT a.item FROM version_text v CROSS JOIN article a ON a.key = v.rowid
                WHERE version_text MATCH ? AND v.rowid > 0 AND {in_texts}
            UNION ALL SELECT h.item FROM version_text v CROSS JOIN headline h ON h.key = -v.rowid
                WHERE version_text MATCH ? AND v.rowid < 0 AND {in_titles})"
        )
    }

    /// SQL that tests for the symbols in the title, authors and body, or only in the one that is searched.
    fn test(&self, [title, authors, body]: [&str; 3], filter: &mut Filter) -> String {
        let mut test = |of: &str| {
            filter.values.push(Value::from(self.text.clone()));
            if of == BODY {
                filter.values.push(from_feed().into());
            }
            let is_whole = i32::from(self.is_whole);
            let name = if of == body { "text_has_phrase" } else { "has_phrase" };
            format!("{name}(?, {is_whole}, {of})")
        };
        match self.column {
            Column::Title => test(title),
            Column::Author => test(authors),
            // The body is read last, because that takes longest.
            Column::Any => {
                let (title, authors, body) = (test(title), test(authors), test(body));
                format!("CASE WHEN {title} THEN 1 WHEN {authors} THEN 1 ELSE {body} END")
            }
        }
    }
}
