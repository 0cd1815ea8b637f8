//! Finds the rules that may match a new item, by what they require. Most rules match no item, and a search
//! for each would take longer than storing the items.

use super::condition::fts;
use super::folding::is_combining;
use super::phrases::{Found, Phrases};
use crate::model::Entry;
use crate::query::{Column, Field, Query, What};
use regex_automata::util::syntax;
use regex_automata::{Input, MatchKind, PatternSet, meta};
use std::sync::OnceLock;

/// Maximum total size of the patterns of rules, in bytes.
const LARGEST_SET: usize = 64 << 20;
/// Maximum number of conditions in a rule that are tested here.
const MAX_NEEDS: usize = 32;

/// One of several alternatives, of which an item must contain at least one.
enum Need {
    /// A phrase, by its number.
    Phrase(usize, Column),
    Title(String),
    Url(String),
}

/// A condition of a rule: the index of the rule, and the bit of the condition.
#[derive(Debug, Clone, Copy)]
struct Place {
    rule: usize,
    bit: u32,
}

/// Regular expressions for one text of an item, and the condition that each of them meets.
#[derive(Debug, Default)]
struct Patterns {
    texts: Vec<String>,
    places: Vec<Place>,
    /// Compiled when first needed. `None` if the patterns are too large in total, so that any of them may
    /// match.
    set: OnceLock<Option<meta::Regex>>,
}

/// What an item must contain for rules to match.
#[derive(Debug, Default)]
pub(super) struct Prefilter {
    /// For each phrase, the columns and conditions that need it.
    phrase_places: Vec<Vec<(Column, Place)>>,
    titles: Patterns,
    urls: Patterns,
    /// For each rule, the bits that its URL patterns can set.
    url_needs: Vec<u32>,
    /// For each rule, the bits that must all be set.
    full: Vec<u32>,
    /// The rules without any bits.
    always: Vec<usize>,
}

/// The rules that may match an item. The same value is reused for the next item.
#[derive(Debug, Default)]
pub(super) struct Candidates {
    found: Vec<u32>,
    /// The rules with any bit set.
    touched: Vec<usize>,
    /// The rules that may match, in order.
    pub(super) rules: Vec<usize>,
}

impl Candidates {
    fn clear(&mut self, rules: usize) {
        for rule in self.touched.drain(..) {
            self.found[rule] = 0;
        }
        self.found.resize(rules, 0);
        self.rules.clear();
    }

    fn mark(&mut self, place: Place) {
        if let Some(found) = self.found.get_mut(place.rule) {
            if *found == 0 {
                self.touched.push(place.rule);
            }
            *found |= place.bit;
        }
    }
}

impl Prefilter {
    pub(super) fn new<'a>(queries: impl Iterator<Item = &'a Query>, phrases: &mut Phrases) -> Self {
        let mut all = Self::default();
        for (rule, query) in queries.enumerate() {
            let mut full = 0;
            for (needs, number) in needs(query, phrases).into_iter().take(MAX_NEEDS).zip(0..) {
                let place = Place { rule, bit: 1 << number };
                full |= place.bit;
                for need in needs {
                    match need {
                        Need::Phrase(phrase, column) => {
                            if all.phrase_places.len() <= phrase {
                                all.phrase_places.resize(phrase + 1, Vec::new());
                            }
                            all.phrase_places[phrase].push((column, place));
                        }
                        Need::Title(pattern) => {
                            all.titles.add(pattern, place);
                        }
                        Need::Url(pattern) => {
                            all.urls.add(pattern, place);
                        }
                    }
                }
            }
            if full == 0 {
                all.always.push(rule);
            }
            all.full.push(full);
        }
        all.url_needs = vec![0; all.full.len()];
        for place in &all.urls.places {
            if let Some(needs) = all.url_needs.get_mut(place.rule) {
                *needs |= place.bit;
            }
        }
        all
    }

    /// Finds the rules that may match an item, given the phrases found in its texts.
    pub(super) fn candidates(&self, entry: &Entry, phrases: &Found, all: &mut Candidates) {
        all.clear(self.full.len());
        let mut phrase_found = |phrase: usize| {
            for (column, place) in self.phrase_places.get(phrase).into_iter().flatten() {
                if phrases.may_have(phrase, *column) {
                    all.mark(*place);
                }
            }
        };
        match phrases.touched() {
            Some(touched) => touched.iter().for_each(|phrase| phrase_found(*phrase)),
            None => (0..self.phrase_places.len()).for_each(phrase_found),
        }
        self.titles.mark(&entry.title, all);
        // Usually, the item also lacks something else that the rules require, so its URL need not be
        // searched.
        let lacks_url = |place: &Place| {
            let (found, full) = (all.found[place.rule], self.full[place.rule]);
            found != full && found | self.url_needs[place.rule] == full
        };
        if self.urls.places.iter().any(lacks_url) {
            self.urls.mark(entry.url.as_deref().unwrap_or_default(), all);
        }
        let is_full = |rule: &usize| all.found[*rule] == self.full[*rule];
        all.rules.extend(all.touched.iter().copied().filter(is_full));
        all.rules.extend(&self.always);
        all.rules.sort_unstable();
    }
}

impl Patterns {
    fn add(&mut self, pattern: String, place: Place) {
        self.texts.push(pattern);
        self.places.push(place);
    }

    /// Marks the conditions whose patterns match a text.
    fn mark(&self, text: &str, all: &mut Candidates) {
        if self.places.is_empty() {
            return;
        }
        match self.set.get_or_init(|| set(&self.texts)) {
            // Most items match no pattern, and that can be tested without listing matches.
            Some(set) if !set.is_match(text) => {}
            Some(set) => {
                let mut found = PatternSet::new(set.pattern_len());
                set.which_overlapping_matches(&Input::new(text), &mut found);
                found.iter().for_each(|at| all.mark(self.places[at.as_usize()]));
            }
            None => self.places.iter().for_each(|place| all.mark(*place)),
        }
    }
}

/// Compiles patterns into a set for searches; `None` if they are too large in total. A prefilter for the
/// literals of all patterns would take longer than searching a short text.
fn set(patterns: &[String]) -> Option<meta::Regex> {
    let config = meta::Config::new()
        .match_kind(MatchKind::All)
        .auto_prefilter(false)
        .nfa_size_limit(Some(LARGEST_SET));
    let syntax = syntax::Config::new().case_insensitive(true);
    meta::Builder::new().configure(config).syntax(syntax).build_many(patterns).ok()
}

/// What an item must contain to match a query: at least one element of each list.
fn needs(query: &Query, phrases: &mut Phrases) -> Vec<Vec<Need>> {
    let terms = query.terms.iter().filter(|term| !term.negated);
    terms.filter_map(|term| needs_of(&term.what, phrases)).collect()
}

fn needs_of(what: &What, phrases: &mut Phrases) -> Option<Vec<Need>> {
    match what {
        What::Text { column, text, phrase } => {
            let begins = fts(*column, text, !phrase)?.ends_with('*');
            let number = phrases.add(text, begins, *column).or_else(|| {
                // Use only words that can be compared byte by byte.
                let words = text.split(|c: char| !c.is_alphanumeric() && !is_combining(c));
                let words = words.filter(|word| word.bytes().all(|b| b.is_ascii_alphanumeric()));
                phrases.add(words.max_by_key(|word| word.len())?, true, *column)
            });
            Some(vec![Need::Phrase(number?, *column)])
        }
        What::Pattern(Field::Title, pattern) => Some(vec![Need::Title(pattern.clone())]),
        What::Pattern(Field::Url, pattern) => Some(vec![Need::Url(pattern.clone())]),
        What::Any(alternatives) => {
            let of_each = alternatives
                .iter()
                .map(|query| needs(query, phrases).into_iter().min_by_key(Vec::len));
            let all: Option<Vec<Vec<Need>>> = of_each.collect();
            all.map(|needs| needs.into_iter().flatten().collect())
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn excludes_rules_that_need_what_an_item_lacks() {
        let entry = Entry {
            title: "Café — “Release” v1.2 nonsense™word".to_owned(),
            authors: vec!["Ann Lee".to_owned()],
            url: Some("https://a.example/x/1".to_owned()),
            content: Some("<p>The body, text</p>".to_owned()),
            ..Entry::default()
        };
        for (query, expected) in [
            ("cafe", true),
            ("release", true),
            ("lease", false),
            ("sense", false),
            ("word", true),
            ("body", true),
            ("title:body", false),
            ("author:lee", true),
            ("author:release", false),
            ("lee ann zebra", false),
            ("title:/v[0-9]/", true),
            ("title:/v[3-9]/ release", false),
            ("url:/x.1/ body", true),
            ("url:/y/", false),
            ("url:/x.1/ zebra", false),
            ("url:/x.1/ (zebra OR title:/v[0-9]/)", true),
            ("url:/y/ title:/v[0-9]/", false),
            ("url:/a.EXAMPLE/ url:/x.1/", true),
            ("url:/a.EXAMPLE/ url:/y/", false),
            ("body OR url:/y/", true),
            ("zebra OR url:/x.1/", true),
            ("(zebra OR url:/x.1/) (url:/y/ OR lee)", true),
            ("(zebra OR url:/x.1/) (url:/y/ OR zebra)", false),
            ("zebra OR title:/café/", true),
            ("zebra OR title:/x/", false),
            ("(zebra OR is:unread) release", true),
            ("-zebra", true),
            ("is:unread", true),
        ] {
            let query: Query = query.parse().unwrap();
            let mut phrases = Phrases::default();
            let prefilter = Prefilter::new([&query].into_iter(), &mut phrases);
            phrases.build();
            let (mut found, mut candidates) = (Found::default(), Candidates::default());
            phrases.search(&entry, &mut found);
            prefilter.candidates(&entry, &found, &mut candidates);
            assert_eq!(candidates.rules == [0], expected, "{query}");
        }
    }
}
