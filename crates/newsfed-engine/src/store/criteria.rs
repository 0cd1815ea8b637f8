//! A query translated for the database: a full-text match and conditions.

use super::condition::{Condition, Hidden, Known, TITLE_COLUMN, fts};
use crate::query::{Column, ItemState, Named, Query, Term, What};
use crate::util::segment::{SEPARATOR, segmented};
use chrono::{DateTime, Local};
use std::fmt::Write;

/// The conditions of a list, with dates computed and source names resolved.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub struct Criteria {
    /// FTS5 match expression; `None` if there are only conditions. It ignores symbols such as those of `c++`,
    /// which are further conditions.
    pub text: Option<String>,
    /// FTS5 match expression of excluded items, used if no text is searched for.
    pub not_text: Option<String>,
    /// Whether the query cannot match anything, such as punctuation alone.
    pub nothing: bool,
    /// Whether items must be read or unread.
    pub read: Option<bool>,
    /// Whether items must be pinned.
    pub pinned: Option<bool>,
    /// Whether the article must have changed by more than typos since the user last opened it.
    pub changed: Option<bool>,
    /// Whether the article must have changed in any way since the user last opened it.
    pub edited: Option<bool>,
    /// Whether earlier versions are searched instead of the current texts. Without a text to search for,
    /// items with earlier versions match.
    pub versions: bool,
    /// Discovered earlier than this (seconds since the epoch), with the titles that the items had then.
    pub as_of: Option<i64>,
    /// Dated earlier than this (seconds since the epoch).
    pub before: Option<i64>,
    /// Dated at or later than this (seconds since the epoch).
    pub after: Option<i64>,
    /// Row keys of the sources to include.
    pub sources: Option<Vec<i64>>,
    /// Row keys of the sources to exclude.
    pub not_sources: Vec<i64>,
    /// A tag in comparable form that an item must have, unless it is from one of these sources (row keys).
    pub tagged: Option<(String, Vec<i64>)>,
    /// Further conditions.
    pub conditions: Vec<Condition>,
    /// The hidden items that the query requests; other lists leave them out.
    pub hidden: Hidden,
    /// Whether the query requests only hidden items.
    pub only_hidden: bool,
    /// Whether the query requests only new items, and there are few of them. Set when a list is read; the new
    /// items are then found by their row keys.
    pub few_new: bool,
    /// The titles that are listed first.
    pub title_match: Option<TitleMatch>,
}

/// Titles that begin with the words of a search or contain them, one after another, or that are its only
/// word.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct TitleMatch {
    /// FTS5 match expression of titles that begin with the words.
    pub(super) text: String,
    /// FTS5 match expression of titles that contain several words. They use the part of the limit that other
    /// titles leave.
    pub(super) inside: Option<String>,
    /// The regular expression of a title that is a single word.
    pub(super) whole: Option<String>,
}

impl TitleMatch {
    /// The titles for the words that a query searches for in titles; `None` without any.
    pub fn of(query: &Query) -> Option<Self> {
        let (mut typed, mut begins) = (Vec::new(), false);
        for term in query.terms.iter().filter(|term| !term.negated) {
            match &term.what {
                // Titles of the past are not indexed by item.
                What::InVersions | What::AsOf(_) => return None,
                What::Text { column: Column::Any | Column::Title, text, phrase } => {
                    typed.push(text.as_str());
                    begins = !phrase;
                }
                _ => {}
            }
        }
        let typed = typed.join(" ");
        let separated = segmented(&typed);
        let words = separated.split([' ', SEPARATOR]);
        let is_word = words.filter(|word| word.contains(char::is_alphanumeric)).count() == 1;
        let words = fts(Column::Any, &typed, begins && !is_word)?;
        let whole = is_word.then(|| format!(r"^\W*{}\W*$", regex::escape(typed.trim())));
        let inside = (!is_word).then(|| format!("{TITLE_COLUMN}{words}"));
        Some(Self { text: format!("{TITLE_COLUMN}^ {words}"), inside, whole })
    }
}

impl Criteria {
    /// Criteria that match nothing.
    pub fn nothing() -> Self {
        Self { nothing: true, ..Self::default() }
    }

    /// Translates a query. `now` is the user's local time; `resolve` returns the row keys of the
    /// sources that a name refers to.
    pub fn new(
        query: &Query,
        now: DateTime<Local>,
        mut resolve: impl FnMut(&Named) -> Vec<i64>,
    ) -> Self {
        let mut criteria = Self::default();
        let (mut text, mut not) = (Vec::new(), Vec::new());
        let mut says = query.is_empty();
        let mut known = Known { now, resolve: &mut resolve };
        for term in &query.terms {
            let date =
                |criteria: &mut Self, start, later| criteria.date(start, later != term.negated);
            match &term.what {
                What::InVersions => criteria.versions = true,
                What::AsOf(date) => {
                    let end = date.end(now).unwrap_or(i64::MAX);
                    criteria.as_of = Some(criteria.as_of.map_or(end, |before| before.min(end)));
                }
                what => match known.term(&Term::new(what.clone()), term.negated) {
                    None => continue,
                    Some(Condition::Sources(keys)) => criteria.limit(keys, term.negated),
                    Some(Condition::After(start)) => date(&mut criteria, start, true),
                    Some(Condition::Before(start)) => date(&mut criteria, start, false),
                    Some(Condition::Is(state)) => criteria.mark(state, !term.negated),
                    Some(condition) => match condition.as_text() {
                        Some(found) if found.is_exact && term.negated => not.push(found.text),
                        Some(found) if !term.negated => {
                            text.push(found.text);
                            if !found.is_exact {
                                criteria.conditions.push(condition.after_index());
                            }
                        }
                        _ => criteria.combine(condition, term.negated),
                    },
                },
            }
            says = true;
        }
        if text.is_empty() && !not.is_empty() {
            criteria.not_text = Some(not.join(" OR "));
        }
        criteria.text = (!text.is_empty()).then(|| {
            let mut all = text.join(" AND ");
            for word in not {
                let _ = write!(all, " NOT {word}");
            }
            all
        });
        criteria.nothing |= !says;
        criteria
    }

    /// Whether the criteria depend on values that are computed when texts are indexed: words, lengths,
    /// stories.
    pub fn needs_index(&self) -> bool {
        self.text.is_some()
            || self.not_text.is_some()
            || self.conditions.iter().any(Condition::needs_index)
    }

    fn combine(&mut self, condition: Condition, negated: bool) {
        if !negated {
            self.hidden = self.hidden.or(condition.hidden());
        }
        match condition {
            Condition::Is(ItemState::Hidden | ItemState::Snoozed) if !negated => {
                self.only_hidden = true;
                self.conditions.push(condition);
            }
            Condition::Tagged(tag, keys) if !negated && self.tagged.is_none() => {
                self.tagged = Some((tag, keys));
            }
            other if negated => self.conditions.push(Condition::Not(Box::new(other))),
            other => self.conditions.push(other),
        }
    }

    fn limit(&mut self, keys: Vec<i64>, negated: bool) {
        match (&mut self.sources, negated) {
            (_, true) => self.not_sources.extend(keys),
            (Some(now), false) => now.retain(|k| keys.contains(k)),
            (none, false) => *none = Some(keys),
        }
    }

    fn mark(&mut self, state: ItemState, is: bool) {
        let (mark, wanted) = match state {
            ItemState::Unread => (&mut self.read, !is),
            ItemState::Read => (&mut self.read, is),
            ItemState::Pinned => (&mut self.pinned, is),
            ItemState::Unpinned => (&mut self.pinned, !is),
            ItemState::Changed => (&mut self.changed, is),
            ItemState::Edited => (&mut self.edited, is),
            ItemState::New | ItemState::Hidden | ItemState::Snoozed | ItemState::Duplicate => {
                return self.combine(Condition::Is(state), !is);
            }
        };
        self.nothing |= mark.replace(wanted).is_some_and(|before| before != wanted);
    }

    fn date(&mut self, start: i64, later: bool) {
        if later {
            self.after = Some(self.after.map_or(start, |after| after.max(start)));
        } else {
            self.before = Some(self.before.map_or(start, |before| before.min(start)));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use chrono::TimeZone;

    fn read(input: &str) -> Criteria {
        let now = Local.with_ymd_and_hms(2026, 11, 21, 9, 0, 0).unwrap();
        Criteria::new(&input.parse().unwrap(), now, |named| match named {
            Named::Source(s) if s == "hn" => vec![1],
            Named::Folder(f) if f == "Tech" => vec![1, 2],
            _ => vec![],
        })
    }

    #[test]
    fn words_become_a_match_expression() {
        for (input, expected) in [
            ("", None),
            ("rust", Some("\"rust\"*")),
            ("rust async", Some("\"rust\"* AND \"async\"*")),
            ("-rust async", Some("\"async\"* NOT \"rust\"")),
            ("rust OR \"go\" -c x", Some("(\"rust\"* OR ((\"go\" AND \"x\") NOT (\"c\")))")),
            ("title:go gos", Some("title : \"go\" AND \"gos\"*")),
            (
                "title:直感go -日本 한",
                Some("title : \"直\u{1}感\u{1}go\" AND \"한\"* NOT \"日\u{1}本\""),
            ),
            (
                "rust (go OR c) -(d e)",
                Some("\"rust\"* AND (\"go\" OR \"c\") NOT (\"d\" AND \"e\")"),
            ),
            ("\"rust\" as", Some("\"rust\" AND \"as\"")),
            ("\"a phrase\"", Some("\"a phrase\"")),
            ("rust -go", Some("\"rust\"* NOT \"go\"")),
            ("title:rust", Some("title : \"rust\"*")),
            ("author:roe x", Some("authors : \"roe\"* AND \"x\"")),
            ("a\"", Some("\"a\"\"\"")),
            ("日 C++", Some("\"日\" AND \"C++\"")),
            // Exclusions of words with symbols are further conditions.
            ("notepad++ -c++ -go", Some("\"notepad++\" NOT \"go\"")),
            ("-c++ -go", None),
            ("c -c++ -go OR f#", Some("(((\"c\") NOT (\"go\")) OR \"f#\")")),
            ("http://xy", Some("\"http://xy\"")),
            ("a \"OR\" b", Some("\"a\" AND \"OR\" AND \"b\"")),
            ("NEAR(", Some("\"NEAR(\"*")),
            ("\" * - ^ { %", None),
            ("\"a\u{0}b\"", Some("\"a b\"")),
        ] {
            assert_eq!(read(input).text.as_deref(), expected, "{input}");
        }
    }

    #[test]
    fn a_query_of_exclusions_needs_no_text_match() {
        let q = read("-rust -\"go lang\"");
        assert_eq!(q.not_text.as_deref(), Some("\"rust\" OR \"go lang\""));
        for input in ["***", "-", "\"\"", "{ }", "-***", "is:read unread", "is:pinned -is:pinned"] {
            assert!(read(input).nothing, "{input}");
        }
        for input in ["  ", "is:read", "-tag:none", "-source:none -***", "-rust"] {
            assert!(!read(input).nothing, "{input}");
        }
    }

    #[test]
    fn words_lengths_and_stories_need_the_index() {
        for (input, expected) in [
            ("rust", true),
            ("-rust", true),
            ("(rust OR is:pinned)", true),
            ("is:unread -(is:pinned -rust)", true),
            ("words<500", true),
            ("-words>500", true),
            ("is:duplicate", true),
            ("has:duplicate OR is:read", true),
            ("is:unread source:hn after:today", false),
            ("title:/rust/ OR is:pinned", false),
            ("", false),
        ] {
            assert_eq!(read(input).needs_index(), expected, "{input}");
        }
    }

    #[test]
    fn conditions_become_limits_and_row_keys() {
        let q = read("is:unread after:2026-11-20 before:today source:hn");
        assert_eq!((q.read, q.text, q.sources), (Some(false), None, Some(vec![1])));
        let day = 86400;
        assert_eq!(q.before.unwrap() - q.after.unwrap(), day);
        assert_eq!(read("folder:Tech -source:hn").not_sources, [1]);
        assert_eq!(read("source:hn source:none").sources, Some(vec![]));
        assert_eq!(read("-is:pinned").pinned, Some(false));
        assert_eq!(
            (read("is:changed").changed, read("-is:changed").changed),
            (Some(true), Some(false))
        );
        assert_eq!((read("is:edited").edited, read("in:versions x").versions), (Some(true), true));
        let q = read("asof:2026-11-20 after:2026-11-21");
        assert_eq!(q.as_of, q.after, "the end of the day");
        let ages = read("age<3d age<2h -age<10d age>5d");
        let now = Local.with_ymd_and_hms(2026, 11, 21, 9, 0, 0).unwrap().timestamp();
        assert_eq!((ages.after, ages.before), (Some(now - 7200), Some(now - 10 * day)));
    }
}
