//! Which rules may match a new item, in one pass over its texts: most rules match none, and a search for
//! each would take longer than storing the items.

use crate::model::Entry;
use crate::query::{Column, Field, Query, What};
use crate::util::text;
use aho_corasick::{AhoCorasick, AhoCorasickKind, MatchKind};
use regex::{RegexSet, RegexSetBuilder};
use std::borrow::Cow;

/// Maximum size of all patterns of rules together, in bytes.
const LARGEST_SET: usize = 64 << 20;
/// Words up to which the automaton that finds them is a table, of about 2 KiB for each.
const DFA_WORDS: usize = 1000;
/// Conditions of a rule that are tested here.
const MOST_NEEDS: usize = 32;

/// One of several things of which an item must have at least one.
enum Need {
    /// A word that begins with this, in lower case.
    Word(String, Column),
    Title(String),
    Url(String),
}

/// A condition of a rule: its number, and a bit.
#[derive(Debug, Clone, Copy)]
struct Place {
    rule: usize,
    bit: u32,
}

/// What rules need.
#[derive(Debug, Default)]
pub(super) struct Prefilter {
    words: Option<AhoCorasick>,
    word_places: Vec<(Place, Column)>,
    titles: Option<RegexSet>,
    title_places: Vec<Place>,
    urls: Option<RegexSet>,
    url_places: Vec<Place>,
    /// The bits of each rule that must all be found.
    full: Vec<u32>,
}

impl Prefilter {
    pub(super) fn new<'a>(queries: impl Iterator<Item = &'a Query>) -> Self {
        let mut all = Self::default();
        let (mut words, mut titles, mut urls) = (Vec::new(), Vec::new(), Vec::new());
        for (rule, query) in queries.enumerate() {
            let mut full = 0;
            for (needs, number) in needs(query).into_iter().take(MOST_NEEDS).zip(0..) {
                let place = Place { rule, bit: 1 << number };
                full |= place.bit;
                for need in needs {
                    match need {
                        Need::Word(word, column) => {
                            words.push(word);
                            all.word_places.push((place, column));
                        }
                        Need::Title(pattern) => {
                            titles.push(pattern);
                            all.title_places.push(place);
                        }
                        Need::Url(pattern) => {
                            urls.push(pattern);
                            all.url_places.push(place);
                        }
                    }
                }
            }
            all.full.push(full);
        }
        // The fastest automaton, unless it would be large.
        let kind = (words.len() <= DFA_WORDS).then_some(AhoCorasickKind::DFA);
        all.words = AhoCorasick::builder()
            .kind(kind)
            .ascii_case_insensitive(true)
            .match_kind(MatchKind::Standard)
            .build(&words)
            .ok();
        (all.titles, all.urls) = (set(&titles), set(&urls));
        all
    }

    /// Which rules may match an item with a text.
    pub(super) fn candidates(&self, entry: &Entry, body: &str) -> Vec<bool> {
        let mut found = vec![0; self.full.len()];
        let mut mark = |place: &Place| {
            if let Some(found) = found.get_mut(place.rule) {
                *found |= place.bit;
            }
        };
        let parts = [(entry.title.as_str(), Column::Title), (body, Column::Any)];
        let authors = entry.authors.iter().map(|author| (author.as_str(), Column::Author));
        match &self.words {
            Some(words) => {
                for (text, part) in parts.into_iter().chain(authors) {
                    let text = folded(text);
                    for hit in words.find_overlapping_iter(text.as_bytes()) {
                        let before = hit.start().checked_sub(1).map(|at| text.as_bytes()[at]);
                        let (place, column) = &self.word_places[hit.pattern().as_usize()];
                        let is_there = *column == Column::Any || *column == part;
                        if is_there && !before.is_some_and(|byte| byte.is_ascii_alphanumeric()) {
                            mark(place);
                        }
                    }
                }
            }
            // Too many words to prepare: each rule is tried.
            None => self.word_places.iter().for_each(|(place, _)| mark(place)),
        }
        let url = entry.url.as_deref().unwrap_or_default();
        for (set, places, text) in [
            (&self.titles, &self.title_places, entry.title.as_str()),
            (&self.urls, &self.url_places, url),
        ] {
            match set {
                Some(set) => set.matches(text).iter().for_each(|at| mark(&places[at])),
                None => places.iter().for_each(&mut mark),
            }
        }
        found.iter().zip(&self.full).map(|(found, full)| found & full == *full).collect()
    }
}

/// Patterns as searches use them; `None` if they are too large together.
fn set(patterns: &[String]) -> Option<RegexSet> {
    RegexSetBuilder::new(patterns).case_insensitive(true).size_limit(LARGEST_SET).build().ok()
}

/// What an item must have to match a query: of each list at least one.
fn needs(query: &Query) -> Vec<Vec<Need>> {
    let terms = query.terms.iter().filter(|term| !term.negated);
    terms.filter_map(|term| needs_of(&term.what)).collect()
}

fn needs_of(what: &What) -> Option<Vec<Need>> {
    match what {
        What::Text { column, text, .. } => {
            // Only words that are compared byte by byte.
            let words = text.split(|c: char| !c.is_alphanumeric());
            let longest = words.filter(|word| word.is_ascii()).max_by_key(|word| word.len())?;
            (!longest.is_empty()).then(|| vec![Need::Word(longest.to_ascii_lowercase(), *column)])
        }
        What::Pattern(Field::Title, pattern) => Some(vec![Need::Title(pattern.clone())]),
        What::Pattern(Field::Url, pattern) => Some(vec![Need::Url(pattern.clone())]),
        What::Any(alternatives) => {
            let of_each =
                alternatives.iter().map(|query| needs(query).into_iter().min_by_key(Vec::len));
            let all: Option<Vec<Vec<Need>>> = of_each.collect();
            all.map(|needs| needs.into_iter().flatten().collect())
        }
        _ => None,
    }
}

/// ASCII, and frequent signs that separate words.
pub(super) fn is_plain(c: char) -> bool {
    matches!(c, '\0'..='\x7f' | '\u{a0}' | '«' | '»' | '\u{2010}'..='\u{2015}')
        || matches!(c, '\u{2018}'..='\u{201f}' | '•' | '…' | '€')
}

/// A text in which words can be found byte by byte. What is no letter or digit of the index separates
/// words, also where its plain form would be one, as with the sign for a trade mark.
fn folded(text: &str) -> Cow<'_, str> {
    if text.is_ascii() || text.chars().all(is_plain) {
        return Cow::Borrowed(text);
    }
    // Letters in circles are signs, too.
    let is_circled = |c: char| matches!(c, '\u{24b6}'..='\u{24e9}' | '\u{1f100}'..='\u{1f1ff}');
    let is_sign =
        |c: char| !c.is_ascii() && (is_circled(c) || !c.is_alphanumeric() && !is_combining(c));
    let separated: String = text.chars().map(|c| if is_sign(c) { ' ' } else { c }).collect();
    Cow::Owned(text::comparable(&separated))
}

/// Marks that belong to the letter before.
fn is_combining(c: char) -> bool {
    matches!(c, '\u{300}'..='\u{36f}' | '\u{1ab0}'..='\u{1aff}' | '\u{1dc0}'..='\u{1dff}')
        || matches!(c, '\u{20d0}'..='\u{20ff}' | '\u{fe20}'..='\u{fe2f}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_are_excluded_by_what_an_item_lacks() {
        let entry = Entry {
            title: "Café — “Release” v1.2 nonsense™word".to_owned(),
            authors: vec!["Ann Lee".to_owned()],
            url: Some("https://a.example/x/1".to_owned()),
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
            ("zebra OR title:/café/", true),
            ("zebra OR title:/x/", false),
            ("(zebra OR is:unread) release", true),
            ("-zebra", true),
            ("is:unread", true),
        ] {
            let query: Query = query.parse().unwrap();
            let found = Prefilter::new([&query].into_iter()).candidates(&entry, "The body, text");
            assert_eq!(found, [expected], "{query}");
        }
    }
}
