//! Tests the queries of rules on a new item without the database, because a search takes longer than storing
//! the item.

use super::condition::fts;
use super::index::markup_of;
use super::phrases::{Found, Phrases};
use super::signs::Signed;
use crate::model::Entry;
use crate::query::{self, Column, Field, Named, Query, What};
use crate::util::{html, text};
use chrono::{DateTime, Local};
use regex::Regex;
use std::cell::OnceCell;
use std::collections::HashSet;
use std::sync::OnceLock;

/// A condition, like [`super::condition::Condition`].
#[derive(Debug)]
pub(super) enum RuleTest {
    All(Vec<RuleTest>),
    Any(Vec<RuleTest>),
    Not(Box<RuleTest>),
    /// A phrase, by its number.
    Phrase(usize, Column),
    Title(Pattern),
    /// In the title or the text.
    Anywhere(Pattern),
    Author(Pattern),
    /// In this category, in comparable form.
    Category(String),
    Url(Pattern),
    UrlPart(String),
    /// Of one of these sources (row keys).
    Sources(Vec<i64>),
    /// With a date that meets a condition on dates.
    Dated(What),
    /// Only the database can decide.
    Unknown,
}

/// A regular expression, compiled when first needed: few items have everything else that a rule needs.
#[derive(Debug)]
pub(super) struct Pattern {
    text: String,
    /// `None` if the expression is invalid.
    compiled: OnceLock<Option<Regex>>,
}

impl Pattern {
    fn new(text: &str) -> Self {
        Self { text: text.to_owned(), compiled: OnceLock::new() }
    }

    fn compiled(&self) -> Option<&Regex> {
        self.compiled.get_or_init(|| query::pattern(&self.text).ok()).as_ref()
    }
}

/// What is needed to resolve names in tests.
pub(super) struct Names<'a> {
    /// The row keys of the sources that a name selects.
    pub(super) resolve: &'a dyn Fn(&Named) -> Vec<i64>,
    /// The tags that rules give to items, in comparable form.
    pub(super) given: &'a HashSet<String>,
}

impl RuleTest {
    /// The test of a query; an empty query matches nothing.
    pub(super) fn new(query: &Query, names: &Names<'_>, phrases: &mut Phrases) -> Self {
        Self::all(query, false, names, phrases).unwrap_or(Self::Any(Vec::new()))
    }

    fn all(query: &Query, negated: bool, names: &Names<'_>, phrases: &mut Phrases) -> Option<Self> {
        let term = |term: &query::Term| {
            let test = Self::what(&term.what, term.negated != negated, names, phrases)?;
            Some(if term.negated { Self::Not(Box::new(test)) } else { test })
        };
        let tests: Vec<Self> = query.terms.iter().filter_map(term).collect();
        (!tests.is_empty()).then_some(Self::All(tests))
    }

    fn what(what: &What, negated: bool, names: &Names<'_>, phrases: &mut Phrases) -> Option<Self> {
        Some(match what {
            What::Text { column, text, phrase } => {
                // `fts` builds the expression, so that the same texts are ignored as in searches, and the
                // same words may be prefixes.
                let expression = fts(*column, text, !phrase && !negated)?;
                let phrase = match phrases.add(text, expression.ends_with('*'), *column) {
                    Some(phrase) => Self::Phrase(phrase, *column),
                    None => Self::Unknown,
                };
                // Only the database can compare the symbols after a word.
                match Signed::new(*column, text, &expression) {
                    Some(_) => Self::All(vec![phrase, Self::Unknown]),
                    None => phrase,
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
                let one = |query| Self::all(query, negated, names, phrases);
                let all: Vec<Self> = alternatives.iter().filter_map(one).collect();
                return (!all.is_empty()).then_some(Self::Any(all));
            }
            What::Pattern(Field::Any, text) => Self::Anywhere(Pattern::new(text)),
            What::Pattern(Field::Title, text) => Self::Title(Pattern::new(text)),
            What::Pattern(Field::Url, text) => Self::Url(Pattern::new(text)),
            What::Pattern(Field::Author, text) => Self::Author(Pattern::new(text)),
            What::Category(name) => Self::Category(text::comparable(name)),
            What::Url(part) => Self::UrlPart(part.to_ascii_lowercase()),
            What::AsOf(_) | What::InVersions => return None,
            dated if is_timed(dated) => Self::Dated(dated.clone()),
            _ => Self::Unknown,
        })
    }

    /// Whether a new item meets the condition; `None` if only the database can decide that.
    pub(super) fn decide(&self, item: &Arriving<'_>) -> Option<bool> {
        match self {
            Self::All(tests) => all(tests.iter().map(|test| test.decide(item))),
            Self::Any(tests) => any(tests.iter().map(|test| test.decide(item))),
            Self::Not(test) => test.decide(item).map(|is| !is),
            Self::Phrase(phrase, column) => item.phrases.has(*phrase, *column),
            Self::Title(pattern) => Some(pattern.compiled()?.is_match(&item.entry.title)),
            Self::Anywhere(pattern) => {
                let pattern = pattern.compiled()?;
                match pattern.is_match(&item.entry.title) {
                    true => Some(true),
                    false => item.text().map(|text| pattern.is_match(text)),
                }
            }
            Self::Author(pattern) => {
                let pattern = pattern.compiled()?;
                Some(item.entry.authors.iter().any(|author| pattern.is_match(author)))
            }
            Self::Category(form) => item.is_in(form),
            Self::Url(pattern) => {
                let pattern = pattern.compiled()?;
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
    pub(super) entry: &'a Entry,
    pub(super) source: i64,
    /// The date by which lists are sorted, in seconds since the epoch.
    pub(super) date: i64,
    pub(super) now: DateTime<Local>,
    /// The phrases of rules that the item contains.
    pub(super) phrases: &'a Found,
    /// Whether the item's page may add categories.
    pub(super) has_page: bool,
    /// The categories in comparable form, once a rule needs them.
    pub(super) categories: OnceCell<Vec<String>>,
    /// The text without markup, once a rule needs it: the conversion takes longer than a match.
    pub(super) text: OnceCell<String>,
}

impl Arriving<'_> {
    /// The text that is searched; `None` if the item's page may have a different text.
    fn text(&self) -> Option<&str> {
        let text = || html::to_text(markup_of(self.entry));
        (!self.has_page).then(|| self.text.get_or_init(text).as_str())
    }

    /// Whether the item is in a category.
    fn is_in(&self, form: &str) -> Option<bool> {
        let forms = || self.entry.categories.iter().map(|name| text::comparable(name)).collect();
        match self.categories.get_or_init(forms).iter().any(|category| category == form) {
            false if self.has_page => None,
            is_in => Some(is_in),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decides_queries_that_need_only_the_item() {
        let entry = Entry {
            title: "The Release — “v1.2”, nonsense\u{2122}word".to_owned(),
            url: Some("https://A.example/x/1".to_owned()),
            authors: vec!["Ann Lee".to_owned()],
            categories: vec!["Tr\u{e1}ms".to_owned()],
            content: Some("<p>One small <b>body</b>, with FIVE words</p>".to_owned()),
            ..Entry::default()
        };
        let now = DateTime::from_timestamp(1_800_000_000, 0).unwrap().with_timezone(&Local);
        let date = now.timestamp() - 3600;
        let given = HashSet::from(["mine".to_owned()]);
        let resolve = |named: &Named| if named.name() == "here" { vec![7] } else { vec![8] };
        let names = Names { resolve: &resolve, given: &given };
        for (query, expected) in [
            ("body", Some(true)),
            ("bod", Some(true)),
            ("\"small bod\"", Some(false)),
            ("\"small body\"", Some(true)),
            ("\"body small\"", Some(false)),
            ("title:release", Some(true)),
            ("title:word", Some(true)),
            ("author:le", Some(false)),
            ("author:small", Some(false)),
            ("author:\"le\"", Some(false)),
            ("author:l", Some(false)),
            ("-author:le", Some(true)),
            ("title:rel", Some(true)),
            ("-author:lee", Some(false)),
            ("author:ann -author:lee", Some(false)),
            ("author:zoe OR author:ann", Some(true)),
            ("author:zoe OR is:read", None),
            ("author:ann is:read", None),
            ("author:zoe is:read", Some(false)),
            ("author:caf\u{e9}", Some(false)),
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
            ("author:/^ann/", Some(true)),
            ("author:/^lee/", Some(false)),
            ("category:trams", Some(true)),
            ("category:tram", Some(false)),
            ("category:rail", None),
            ("/small body, with five/", Some(true)),
            ("/^the release/", Some(true)),
            ("/<b>/", Some(false)),
            ("-/bodies/", Some(true)),
            ("/guard ?rail/", None),
            ("/release|rail/", Some(true)),
            ("words>3", None),
            ("-...", Some(false)),
            ("body++", None),
            ("-body++ small", None),
            ("\"small body#\"", None),
            ("title:body#", Some(false)),
            ("-rusty#", Some(true)),
            ("#body", Some(true)),
        ] {
            let mut phrases = Phrases::default();
            let test = RuleTest::new(&query.parse().unwrap(), &names, &mut phrases);
            phrases.build();
            let mut found = Found::default();
            phrases.search(&entry, &mut found);
            let item = Arriving {
                entry: &entry,
                source: 7,
                date,
                now,
                phrases: &found,
                has_page: query.contains("rail"),
                categories: OnceCell::new(),
                text: OnceCell::new(),
            };
            assert_eq!(test.decide(&item), expected, "{query}");
        }
    }
}
