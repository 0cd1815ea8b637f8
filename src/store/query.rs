//! What people type after `/`: words, phrases and fields -> a full-text match and conditions.
//!
//! Grammar, everything joined by AND: `word` (the last one also matches words that begin so),
//! `"a phrase"`, `-word`, `title:word`, `author:word`, `is:unread|read|pinned|unpinned|changed`,
//! `before:DATE`, `after:DATE` (`2026-11-21`, `2026-11`, `2026`, `today`, `yesterday`, `7d`),
//! `source:name`, `folder:name`, `tag:name`. Any other punctuation is text.

use crate::util::clock::start_of_day;
use chrono::{Datelike, Days, NaiveDate};
use std::fmt::Write;

/// A search, ready to run once its names of sources are resolved.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub struct Query {
    /// FTS5 match expression; `None` when there are only conditions.
    pub text: Option<String>,
    /// FTS5 match expression of what is left out where nothing is looked for.
    pub not_text: Option<String>,
    /// It asks for something that nothing can be, such as punctuation alone.
    pub nothing: bool,
    /// `is:read` and `is:unread`.
    pub read: Option<bool>,
    /// `is:pinned` and `is:unpinned`.
    pub pinned: Option<bool>,
    /// `is:changed`: the article changed since the person last opened it.
    pub changed: Option<bool>,
    /// Dated earlier than this (seconds since the epoch).
    pub before: Option<i64>,
    /// Dated at or later than this (seconds since the epoch).
    pub after: Option<i64>,
    /// Row keys of the sources it is limited to.
    pub sources: Option<Vec<i64>>,
    /// Row keys of the sources left out.
    pub not_sources: Vec<i64>,
}

/// A word that names sources.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Named {
    /// `source:x`
    Source(String),
    /// `folder:x`
    Folder(String),
    /// `tag:x`
    Tag(String),
}

/// Characters of a query that are looked at.
const MAX_QUERY: usize = 1000;

impl Query {
    /// Whether it narrows nothing.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Reads a query. `today` is the person's local date; `resolve` gives the row keys of the
    /// sources that a name means.
    pub fn parse(
        input: &str,
        today: chrono::DateTime<chrono::Local>,
        mut resolve: impl FnMut(&Named) -> Vec<i64>,
    ) -> Self {
        let mut query = Self::default();
        let mut text = Vec::new();
        let mut not = Vec::new();
        let words = words(input);
        let last = words.len().saturating_sub(1);
        for (i, word) in words.iter().enumerate() {
            if let Some(named) = word.named() {
                query.limit(resolve(&named), word.negated);
            } else if !query.condition(word, today) {
                // The last word may still be being typed. A letter alone begins too much.
                let begins = i == last || (!word.negated && word.text.chars().nth(1).is_some());
                let prefix = begins && !word.quoted;
                let list = if word.negated { &mut not } else { &mut text };
                list.extend(word.fts(prefix));
            }
        }
        if text.is_empty() && !not.is_empty() {
            query.not_text = Some(not.join(" OR "));
        }
        query.text = (!text.is_empty()).then(|| {
            let mut all = text.join(" AND ");
            for word in not {
                let _ = write!(all, " NOT {word}");
            }
            all
        });
        query.nothing = query.is_empty() && !input.trim().is_empty();
        query
    }

    fn limit(&mut self, keys: Vec<i64>, negated: bool) {
        match (&mut self.sources, negated) {
            (_, true) => self.not_sources.extend(keys),
            (Some(now), false) => now.retain(|k| keys.contains(k)),
            (none, false) => *none = Some(keys),
        }
    }

    /// Takes `is:`, `before:` and `after:`; anything else is text.
    fn condition(&mut self, word: &Word, today: chrono::DateTime<chrono::Local>) -> bool {
        match (word.field.as_deref(), word.text.as_str()) {
            (Some("is"), "read") => self.read = Some(!word.negated),
            (Some("is"), "unread") => self.read = Some(word.negated),
            (Some("is"), "pinned") => self.pinned = Some(!word.negated),
            (Some("is"), "unpinned") => self.pinned = Some(word.negated),
            (Some("is"), "changed") => self.changed = Some(!word.negated),
            (Some(field @ ("before" | "after")), date) => {
                let Some(start) = date_start(date, today) else { return false };
                if (field == "before") != word.negated {
                    self.before = Some(start);
                } else {
                    self.after = Some(start);
                }
            }
            _ => return false,
        }
        true
    }
}

/// One word of a query.
#[derive(Debug, Default)]
struct Word {
    field: Option<String>,
    text: String,
    quoted: bool,
    negated: bool,
}

impl Word {
    fn named(&self) -> Option<Named> {
        let value = self.text.clone();
        match self.field.as_deref()? {
            "source" => Some(Named::Source(value)),
            "folder" => Some(Named::Folder(value)),
            "tag" => Some(Named::Tag(value)),
            _ => None,
        }
    }

    /// The word as an FTS5 string; what has no letters or digits matches nothing and is left out.
    fn fts(&self, prefix: bool) -> Option<String> {
        let (column, text) = match self.field.as_deref() {
            Some("title") => ("title : ", self.text.clone()),
            Some("author") => ("authors : ", self.text.clone()),
            Some(other) => ("", format!("{other}:{}", self.text)),
            None => ("", self.text.clone()),
        };
        if !text.chars().any(char::is_alphanumeric) {
            return None;
        }
        let star = if prefix { "*" } else { "" };
        Some(format!("{column}\"{}\"{star}", text.replace('"', "\"\"")))
    }
}

fn words(input: &str) -> Vec<Word> {
    let mut words = Vec::new();
    let clean: String =
        input.chars().take(MAX_QUERY).map(|c| if c.is_control() { ' ' } else { c }).collect();
    let mut rest = clean.trim_start();
    while !rest.is_empty() {
        let mut word = Word::default();
        if let Some(tail) = rest.strip_prefix('-').filter(|t| !t.starts_with([' ', '-'])) {
            word.negated = !tail.is_empty();
            rest = tail;
        }
        let field_end = rest.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(rest.len());
        if field_end > 0 && rest[field_end..].starts_with(':') && rest.len() > field_end + 1 {
            word.field = Some(rest[..field_end].to_ascii_lowercase());
            rest = &rest[field_end + 1..];
        }
        let end = match rest.strip_prefix('"') {
            Some(tail) => {
                word.quoted = true;
                let close = tail.find('"').unwrap_or(tail.len());
                word.text = tail[..close].to_owned();
                (close + 2).min(rest.len())
            }
            None => {
                let end = rest.find(char::is_whitespace).unwrap_or(rest.len());
                word.text = rest[..end].to_owned();
                end
            }
        };
        rest = rest[end..].trim_start();
        if !word.text.is_empty() {
            words.push(word);
        }
    }
    words
}

/// The first second of a day, month, year or span of days, in the person's zone.
fn date_start(text: &str, today: chrono::DateTime<chrono::Local>) -> Option<i64> {
    let day = today.date_naive();
    let parts: Vec<&str> = text.split('-').collect();
    let number = |s: &str| s.parse::<u32>().ok();
    let date = match (text, parts.as_slice()) {
        ("today", _) => day,
        ("yesterday", _) => day.checked_sub_days(Days::new(1))?,
        (_, [days]) if days.ends_with('d') => {
            let n = days.strip_suffix('d')?.parse().ok()?;
            day.checked_sub_days(Days::new(n))?
        }
        (_, [y]) => {
            NaiveDate::from_ymd_opt(y.parse().ok().filter(|y| (1970..9999).contains(y))?, 1, 1)?
        }
        (_, [y, m]) => NaiveDate::from_ymd_opt(y.parse().ok()?, number(m)?, 1)?,
        (_, [y, m, d]) => NaiveDate::from_ymd_opt(y.parse().ok()?, number(m)?, number(d)?)?,
        _ => return None,
    };
    if !(1..=9999).contains(&date.year()) {
        return None;
    }
    start_of_day(date, &today.timezone()).map(|t| t.timestamp())
}

#[cfg(test)]
mod tests {
    use super::*;
    use chrono::TimeZone;

    fn parse(input: &str) -> Query {
        let today = chrono::Local.with_ymd_and_hms(2026, 11, 21, 9, 0, 0).unwrap();
        Query::parse(input, today, |named| match named {
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
            ("a OR b", Some("\"a\" AND \"OR\"* AND \"b\"*")),
            ("NEAR(", Some("\"NEAR(\"*")),
            ("\" * - ^ ( { %", None),
            ("is:odd", Some("\"is:odd\"*")),
        ] {
            assert_eq!(parse(input).text.as_deref(), expected, "{input}");
        }
    }

    #[test]
    fn what_only_leaves_out_does_not_ask_for_everything() {
        let q = parse("-rust -\"go lang\"");
        assert_eq!(q.not_text.as_deref(), Some("\"rust\" OR \"go lang\""));
        for input in ["***", "-", "\"\"", "( )", "-***"] {
            assert!(parse(input).nothing, "{input}");
        }
        assert!(!parse("  ").nothing && !parse("is:read").nothing);
    }

    #[test]
    fn conditions() {
        let q = parse("is:unread after:2026-11-20 before:today source:hn");
        assert_eq!((q.read, q.text, q.sources), (Some(false), None, Some(vec![1])));
        let day = 86400;
        assert_eq!(q.before.unwrap() - q.after.unwrap(), day);
        assert_eq!(parse("folder:Tech -source:hn").not_sources, [1]);
        assert_eq!(parse("source:hn source:none").sources, Some(vec![]));
        assert_eq!(parse("-is:pinned").pinned, Some(false));
        assert_eq!(
            (parse("is:changed").changed, parse("-is:changed").changed),
            (Some(true), Some(false))
        );
    }
}
