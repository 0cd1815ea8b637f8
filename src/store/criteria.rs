//! A query translated for the database: a full-text match and conditions.

use crate::query::{Column, Named, Query, State, Term, What};
use chrono::{DateTime, Local};
use std::fmt::Write;

/// The conditions of a list, with dates computed and source names resolved.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub struct Criteria {
    /// FTS5 match expression; `None` if there are only conditions.
    pub text: Option<String>,
    /// FTS5 match expression of excluded items, used if no text is searched for.
    pub not_text: Option<String>,
    /// Whether the query cannot match anything, such as punctuation alone.
    pub nothing: bool,
    /// Whether items must be read or unread.
    pub read: Option<bool>,
    /// Whether they must be pinned.
    pub pinned: Option<bool>,
    /// Whether the article must have changed by more than typing errors since the user last
    /// opened it.
    pub changed: Option<bool>,
    /// Whether it must have changed in any way since then.
    pub edited: Option<bool>,
    /// Whether earlier versions are searched instead of the current texts. Without a text, items
    /// with earlier versions are meant.
    pub versions: bool,
    /// Discovered earlier than this (seconds since the epoch), with the titles of that time.
    pub as_of: Option<i64>,
    /// Dated earlier than this (seconds since the epoch).
    pub before: Option<i64>,
    /// Dated at or later than this (seconds since the epoch).
    pub after: Option<i64>,
    /// Row keys of the sources to include.
    pub sources: Option<Vec<i64>>,
    /// Row keys of the sources to exclude.
    pub not_sources: Vec<i64>,
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
        let last = query.terms.len().saturating_sub(1);
        for (i, term) in query.terms.iter().enumerate() {
            says |= !matches!(&term.what, What::Text { text, .. } if !has_words(text));
            match &term.what {
                What::Of(named) => criteria.limit(resolve(named), term.negated),
                What::InVersions => criteria.versions = true,
                What::AsOf(date) => {
                    let end = date.end(now).unwrap_or(i64::MAX);
                    criteria.as_of = Some(criteria.as_of.map_or(end, |before| before.min(end)));
                }
                What::Is(state) => criteria.mark(*state, !term.negated),
                What::Text { column, text: words, phrase } => {
                    // The last word may be incomplete. A prefix of one letter matches too much.
                    let begins = i == last || (!term.negated && words.chars().nth(1).is_some());
                    let list = if term.negated { &mut not } else { &mut text };
                    list.extend(fts(*column, words, begins && !phrase));
                }
                _ => criteria.date(term, now),
            }
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

    fn limit(&mut self, keys: Vec<i64>, negated: bool) {
        match (&mut self.sources, negated) {
            (_, true) => self.not_sources.extend(keys),
            (Some(now), false) => now.retain(|k| keys.contains(k)),
            (none, false) => *none = Some(keys),
        }
    }

    fn mark(&mut self, state: State, is: bool) {
        let (mark, wanted) = match state {
            State::Unread => (&mut self.read, !is),
            State::Read => (&mut self.read, is),
            State::Pinned => (&mut self.pinned, is),
            State::Unpinned => (&mut self.pinned, !is),
            State::Changed => (&mut self.changed, is),
            State::Edited => (&mut self.edited, is),
        };
        self.nothing |= mark.replace(wanted).is_some_and(|before| before != wanted);
    }

    fn date(&mut self, term: &Term, now: DateTime<Local>) {
        let ago = |seconds| Some(now.timestamp().saturating_sub(seconds));
        let (start, later) = match &term.what {
            What::After(date) => (date.start(now), true),
            What::Before(date) => (date.start(now), false),
            What::Younger(span) => (ago(span.seconds()), true),
            What::Older(span) => (ago(span.seconds()), false),
            _ => return,
        };
        // Before all times.
        let start = start.unwrap_or(i64::MIN);
        if later == term.negated {
            self.before = Some(self.before.map_or(start, |before| before.min(start)));
        } else {
            self.after = Some(self.after.map_or(start, |after| after.max(start)));
        }
    }
}

fn has_words(text: &str) -> bool {
    text.chars().any(char::is_alphanumeric)
}

/// A text as an FTS5 string; text without letters or digits matches nothing and is skipped.
fn fts(column: Column, text: &str, prefix: bool) -> Option<String> {
    if !has_words(text) {
        return None;
    }
    let column = match column {
        Column::Any => "",
        Column::Title => "title : ",
        Column::Author => "authors : ",
    };
    let clean: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    let star = if prefix { "*" } else { "" };
    Some(format!("{column}\"{}\"{star}", clean.replace('"', "\"\"")))
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
    fn text() {
        for (input, expected) in [
            ("", None),
            ("rust", Some("\"rust\"*")),
            ("rust async", Some("\"rust\"* AND \"async\"*")),
            ("-rust async", Some("\"async\"* NOT \"rust\"")),
            ("\"rust\" as", Some("\"rust\" AND \"as\"*")),
            ("\"a phrase\"", Some("\"a phrase\"")),
            ("rust -go", Some("\"rust\"* NOT \"go\"*")),
            ("title:rust", Some("title : \"rust\"*")),
            ("author:roe x", Some("authors : \"roe\"* AND \"x\"*")),
            ("a\"", Some("\"a\"\"\"*")),
            ("http://x", Some("\"http://x\"*")),
            ("a \"OR\" b", Some("\"a\" AND \"OR\" AND \"b\"*")),
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
    fn conditions() {
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
