//! Queries of rules that a new item alone decides: a search takes longer than storing the item.

use super::condition::fts;
use super::prefilter::is_plain;
use crate::model::Entry;
use crate::query::{self, Column, Field, Named, Query, What};
use crate::util::text;
use chrono::{DateTime, Local};
use regex::Regex;
use std::cell::OnceCell;
use std::collections::HashSet;
use std::ops::Range;

/// Longer words are left to the database.
const LONGEST_WORD: usize = 1000;

/// A condition as [`super::condition::Condition`] has it.
#[derive(Debug)]
pub(super) enum RuleTest {
    All(Vec<RuleTest>),
    Any(Vec<RuleTest>),
    Not(Box<RuleTest>),
    /// Words side by side, in lower case. The last may be the start of a longer one.
    Words {
        column: Column,
        words: Vec<String>,
        begins: bool,
    },
    Title(Regex),
    Url(Regex),
    UrlPart(String),
    /// Of one of these sources (row keys).
    Sources(Vec<i64>),
    /// Dated as one of the conditions about dates says.
    Dated(What),
    /// Only the database knows.
    Unknown,
}

/// What tests need to know about names.
pub(super) struct Names<'a> {
    /// The row keys of the sources that a name selects.
    pub(super) resolve: &'a dyn Fn(&Named) -> Vec<i64>,
    /// The tags that rules give to items, in comparable form.
    pub(super) given: &'a HashSet<String>,
}

impl RuleTest {
    /// The test of a query; a query that says nothing matches nothing.
    pub(super) fn new(query: &Query, names: &Names<'_>) -> Self {
        Self::all(query, false, names).unwrap_or(Self::Any(Vec::new()))
    }

    fn all(query: &Query, negated: bool, names: &Names<'_>) -> Option<Self> {
        let term = |term: &query::Term| {
            let test = Self::what(&term.what, term.negated != negated, names)?;
            Some(if term.negated { Self::Not(Box::new(test)) } else { test })
        };
        let tests: Vec<Self> = query.terms.iter().filter_map(term).collect();
        (!tests.is_empty()).then_some(Self::All(tests))
    }

    fn what(what: &What, negated: bool, names: &Names<'_>) -> Option<Self> {
        let pattern = |pattern: &str, of: fn(Regex) -> Self| {
            query::pattern(pattern).map_or(Self::Unknown, of)
        };
        Some(match what {
            What::Text { column, text, phrase } => {
                // The same texts say nothing, and the same words begin longer ones.
                let begins = fts(*column, text, !phrase && !negated)?.ends_with('*');
                match Words::new(text).known() {
                    Some(words) => Self::Words { column: *column, words, begins },
                    None => Self::Unknown,
                }
            }
            What::Of(named @ Named::Tag(tag)) => {
                let sources = Self::Sources((names.resolve)(named));
                match names.given.contains(&text::comparable(tag)) {
                    true => Self::Any(vec![sources, Self::Unknown]),
                    false => sources,
                }
            }
            What::Of(named) => Self::Sources((names.resolve)(named)),
            What::Any(alternatives) => {
                let all = alternatives.iter().filter_map(|query| Self::all(query, negated, names));
                let all: Vec<Self> = all.collect();
                return (!all.is_empty()).then_some(Self::Any(all));
            }
            What::Pattern(Field::Title, text) => pattern(text, Self::Title),
            What::Pattern(Field::Url, text) => pattern(text, Self::Url),
            What::Url(part) => Self::UrlPart(part.to_ascii_lowercase()),
            What::AsOf(_) | What::InVersions => return None,
            dated if is_timed(dated) => Self::Dated(dated.clone()),
            _ => Self::Unknown,
        })
    }

    /// Whether a new item meets it; `None` if only the database knows.
    pub(super) fn decide(&self, item: &Arriving<'_>) -> Option<bool> {
        match self {
            Self::All(tests) => all(tests.iter().map(|test| test.decide(item))),
            Self::Any(tests) => any(tests.iter().map(|test| test.decide(item))),
            Self::Not(test) => test.decide(item).map(|is| !is),
            Self::Words { column, words, begins } => {
                let parts = item.parts.iter();
                let parts = parts.filter(|(part, ..)| *column == Column::Any || part == column);
                any(parts.map(|(_, text, split)| {
                    split.get_or_init(|| Words::new(text)).find(words, *begins)
                }))
            }
            Self::Title(pattern) => Some(pattern.is_match(&item.entry.title)),
            Self::Url(pattern) => {
                Some(item.entry.url.as_ref().is_some_and(|url| pattern.is_match(url)))
            }
            Self::UrlPart(part) => {
                let url = item.entry.url.as_ref().map(|url| url.to_ascii_lowercase());
                Some(url.is_some_and(|url| url.contains(part)))
            }
            Self::Sources(keys) => Some(keys.contains(&item.source)),
            Self::Dated(what) => dated(what, item),
            Self::Unknown => None,
        }
    }
}

/// Whether a condition depends on the time.
pub(super) fn is_timed(what: &What) -> bool {
    matches!(what, What::After(_) | What::Before(_) | What::Younger(_) | What::Older(_))
}

fn dated(what: &What, item: &Arriving<'_>) -> Option<bool> {
    let ago = |seconds| item.now.timestamp().saturating_sub(seconds);
    let start = |start: Option<i64>| start.unwrap_or(i64::MIN);
    Some(match what {
        What::After(date) => item.date >= start(date.start(item.now)),
        What::Before(date) => item.date < start(date.start(item.now)),
        What::Younger(span) => item.date >= ago(span.seconds()),
        What::Older(span) => item.date < ago(span.seconds()),
        _ => return None,
    })
}

fn all(mut tests: impl Iterator<Item = Option<bool>>) -> Option<bool> {
    tests
        .try_fold(Some(true), |so_far, test| match test {
            Some(false) => Err(()),
            Some(true) => Ok(so_far),
            None => Ok(None),
        })
        .unwrap_or(Some(false))
}

fn any(tests: impl Iterator<Item = Option<bool>>) -> Option<bool> {
    all(tests.map(|test| test.map(|is| !is))).map(|none| !none)
}

/// A new item.
pub(super) struct Arriving<'a> {
    entry: &'a Entry,
    source: i64,
    /// By which lists are sorted, in seconds since the epoch.
    date: i64,
    now: DateTime<Local>,
    /// Title, authors and body, split into words when a rule needs them.
    parts: [(Column, &'a str, OnceCell<Words>); 3],
}

impl<'a> Arriving<'a> {
    /// `authors` and `body` are the texts that are indexed.
    pub(super) fn new(
        entry: &'a Entry,
        source: i64,
        (date, now): (i64, DateTime<Local>),
        authors: &'a str,
        body: &'a str,
    ) -> Self {
        let parts =
            [(Column::Title, entry.title.as_str()), (Column::Author, authors), (Column::Any, body)];
        let parts = parts.map(|(column, text)| (column, text, OnceCell::new()));
        Self { entry, source, date, now, parts }
    }
}

/// The words of a text as the index has them, as far as that is certain: those of ASCII letters and
/// digits.
struct Words {
    /// In lower case.
    text: String,
    /// `None` stands for none, one or several words with other letters or signs.
    places: Vec<Option<Range<usize>>>,
}

impl Words {
    fn new(text: &str) -> Self {
        let text = text.to_ascii_lowercase();
        let mut places = Vec::new();
        let separates = |c: char| is_plain(c) && !c.is_ascii_alphanumeric();
        let mut at = 0;
        for run in text.split(separates) {
            let start = at;
            at += run.len();
            let separator = text[at..].chars().next();
            if !run.is_empty() {
                let known =
                    run.len() <= LONGEST_WORD && run.bytes().all(|b| b.is_ascii_alphanumeric());
                places.push(known.then_some(start..at));
            }
            at += separator.map_or(0, char::len_utf8);
        }
        Self { text, places }
    }

    /// All words, if they are certain and there are any.
    fn known(&self) -> Option<Vec<String>> {
        let word = |place: &Option<Range<usize>>| Some(self.text[place.clone()?].to_owned());
        let words: Vec<String> = self.places.iter().map(word).collect::<Option<_>>()?;
        (!words.is_empty()).then_some(words)
    }

    /// Whether these words stand side by side.
    fn find(&self, words: &[String], begins: bool) -> Option<bool> {
        let Some((last, before)) = words.split_last() else { return Some(false) };
        let word = |place: &Option<Range<usize>>| place.clone().map(|place| &self.text[place]);
        let found = self.places.windows(words.len()).any(|places| {
            let here = places.split_last().and_then(|(end, start)| Some((word(end)?, start)));
            let Some((end, start)) = here else { return false };
            let ends = end == last || begins && end.starts_with(last);
            ends && start.iter().zip(before).all(|(place, wanted)| word(place) == Some(wanted))
        });
        match found {
            true => Some(true),
            false if self.places.contains(&None) => None,
            false => Some(false),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn queries_are_decided_where_the_item_is_enough() {
        let entry = Entry {
            title: "The Release — “v1.2”, nonsense\u{2122}word".to_owned(),
            url: Some("https://A.example/x/1".to_owned()),
            ..Entry::default()
        };
        let body = "One small body, with FIVE words";
        let now = DateTime::from_timestamp(1_800_000_000, 0).unwrap().with_timezone(&Local);
        let date = now.timestamp() - 3600;
        let item = Arriving::new(&entry, 7, (date, now), "[\"Ann Lee\"]", body);
        let given = HashSet::from(["mine".to_owned()]);
        let resolve = |named: &Named| if named.name() == "here" { vec![7] } else { vec![8] };
        let names = Names { resolve: &resolve, given: &given };
        for (query, expected) in [
            ("body", Some(true)),
            ("bod", Some(true)),
            ("\"small bod\"", None),
            ("\"small body\"", Some(true)),
            ("\"body small\"", None),
            ("title:release", Some(true)),
            ("title:word", None),
            ("author:le", Some(true)),
            ("author:small", Some(false)),
            ("author:\"le\"", Some(false)),
            ("author:l", Some(false)),
            ("-author:le", Some(true)),
            ("-author:lee", Some(false)),
            ("author:ann -author:lee", Some(false)),
            ("author:zoe OR author:ann", Some(true)),
            ("author:zoe OR is:read", None),
            ("author:ann is:read", None),
            ("author:zoe is:read", Some(false)),
            ("author:caf\u{e9}", None),
            ("title:/v[0-9]/ url:a.EXAMPLE", Some(true)),
            ("url:/y/", Some(false)),
            ("source:here body", Some(true)),
            ("source:there", Some(false)),
            ("tag:there", Some(false)),
            ("tag:mine", None),
            ("tag:here", Some(true)),
            ("age<3d author:ann", Some(true)),
            ("age>3d", Some(false)),
            ("age<1h", Some(true)),
            ("age>1h", Some(false)),
            ("after:2020-01-01 -before:2020-01-01", Some(true)),
            ("words>3", None),
            ("-...", Some(false)),
        ] {
            let test = RuleTest::new(&query.parse().unwrap(), &names);
            assert_eq!(test.decide(&item), expected, "{query}");
        }
    }
}
