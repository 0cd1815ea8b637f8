//! Completion of fields: finds candidates, and steps through them.

use super::App;
use crate::query::{ItemState, NamedSource, OPERATORS, Spot, Thing, quoted, spot};
use crate::store::ItemValues;
use crate::tui::effect::Effect;
use crate::tui::event::Failure;
use crate::tui::input::Field;
use nucleo_matcher::pattern::{CaseMatching, Normalization, Pattern};
use nucleo_matcher::{Config, Matcher};
use std::collections::BTreeSet;
use std::ops::Range;

/// A completion candidate.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Candidate {
    /// The inserted text.
    pub(crate) text: String,
    /// The description that is shown next to the text.
    pub(crate) help: String,
}

impl Candidate {
    pub(super) fn new(text: impl Into<String>, help: impl Into<String>) -> Self {
        Self { text: text.into(), help: help.into() }
    }
}

/// A candidate with the text that the pattern is matched against.
struct Line(Candidate, String);

impl AsRef<str> for Line {
    fn as_ref(&self) -> &str {
        &self.1
    }
}

/// The list of candidates below a field.
#[derive(Debug, Clone)]
pub(crate) struct Completion {
    pub(crate) candidates: Vec<Candidate>,
    /// Index of the candidate that was inserted last.
    pub(crate) applied: Option<usize>,
    /// Byte range of the field that is replaced.
    at: Range<usize>,
    /// The text that was typed in this range.
    typed: String,
}

/// Minimum length of a word, in characters, before operators with that prefix are suggested.
const MIN_TYPED: usize = 2;
/// Minimum length of a word, in characters, before sources are suggested.
const MIN_NAME: usize = 3;
/// Maximum number of suggested sources.
const MAX_SOURCES: usize = 3;
/// Maximum number of candidates.
const MAX_CANDIDATES: usize = 100;

impl Completion {
    /// The candidates that match the typed text, best first; `None` if there are none.
    pub(super) fn matching(field: &Field, spot: Spot, candidates: Vec<Candidate>) -> Option<Self> {
        let mut candidates = if spot.typed.is_empty() {
            candidates
        } else {
            let pattern = Pattern::parse(&spot.typed, CaseMatching::Ignore, Normalization::Smart);
            let line = |candidate: Candidate| {
                // The description is matched too, so that a source is also found by its id.
                let letters = format!("{} {}", candidate.text, candidate.help);
                Line(candidate, letters)
            };
            let lines = candidates.into_iter().map(line);
            let hits = pattern.match_list(lines, &mut Matcher::new(Config::DEFAULT));
            hits.into_iter().map(|(line, _)| line.0).collect()
        };
        candidates.truncate(MAX_CANDIDATES);
        let typed = field.value().get(spot.at.clone()).unwrap_or_default().to_owned();
        // A single candidate that equals the typed text is useless.
        if candidates.len() == 1 && candidates[0].text == typed {
            candidates.clear();
        }
        (!candidates.is_empty()).then_some(Self { candidates, applied: None, at: spot.at, typed })
    }

    /// The byte range of the field that a candidate replaces.
    pub(crate) fn replaces(&self) -> Range<usize> {
        self.at.clone()
    }

    /// Inserts the next or previous candidate, wrapping around at the ends.
    pub(super) fn step(&mut self, field: &mut Field, forward: bool) {
        let count = self.candidates.len();
        let next = match (self.applied, forward) {
            (None, true) => 0,
            (None, false) => count - 1,
            (Some(at), true) => (at + 1) % count,
            (Some(at), false) => (at + count - 1) % count,
        };
        self.applied = Some(next);
        let text = self.candidates[next].text.clone();
        self.write(field, &text);
    }

    /// Restores the typed text.
    pub(super) fn restore_typed(mut self, field: &mut Field) {
        let typed = std::mem::take(&mut self.typed);
        self.write(field, &typed);
    }

    fn write(&mut self, field: &mut Field, text: &str) {
        field.replace(self.at.clone(), text);
        self.at.end = self.at.start + text.len();
    }
}

impl App {
    pub(super) fn values_loaded(&mut self, result: Result<ItemValues, Failure>) -> Vec<Effect> {
        match result {
            Ok(values) => self.values = values,
            Err(why) => return self.problem(why),
        }
        vec![]
    }

    /// Candidates for a query: values, and operators if the word may be the start of one or if the user
    /// requests them (`explicit`).
    pub(super) fn complete_query(&self, field: &Field, explicit: bool) -> Option<Completion> {
        let spot = spot(field.value(), field.cursor());
        if !explicit && spot.operator.is_none() && spot.typed.chars().count() < MIN_TYPED {
            return None;
        }
        let candidates = match spot.operator {
            None => {
                let operators = OPERATORS.iter().map(|o| Candidate::new(o.name, o.help));
                let all = [Candidate::new("unread", "unread items")].into_iter().chain(operators);
                let typed = spot.typed.to_ascii_lowercase();
                let all = all.filter(|candidate| candidate.text.starts_with(&typed));
                all.chain(self.sources_named(&spot.typed)).collect()
            }
            Some("is:") => ItemState::ALL.map(|(_, name)| Candidate::new(name, "")).to_vec(),
            Some("has:") => Thing::ALL.map(|(_, name)| Candidate::new(name, "")).to_vec(),
            Some("in:") => vec![
                Candidate::new("later", "kept for later"),
                Candidate::new("versions", "earlier versions, not current texts"),
            ],
            Some("category:") => {
                self.values.categories.iter().map(|c| Candidate::new(quoted(c), "")).collect()
            }
            Some("lang:") => {
                self.values.languages.iter().map(|code| Candidate::new(code, "")).collect()
            }
            Some("source:") => {
                let candidate = |known: NamedSource<'_>| {
                    Candidate::new(quoted(known.title), known.source.id.as_str())
                };
                self.sources.known().map(candidate).collect()
            }
            Some("folder:") => {
                self.sources.folders().into_iter().map(|f| Candidate::new(quoted(&f), "")).collect()
            }
            Some("tag:") => {
                let mut tags = self.sources.tags();
                tags.extend(self.sources.list.item_tags.iter().cloned());
                tags.into_iter().map(|t| Candidate::new(quoted(&t), "")).collect()
            }
            Some("after:" | "before:") => {
                let today = self.now.with_timezone(&chrono::Local);
                let dates = ["%Y-%m-%d", "%Y-%m", "%Y"].map(|f| today.format(f).to_string());
                let words = ["today", "yesterday", "7d", "30d"].map(str::to_owned);
                words.into_iter().chain(dates).map(|word| Candidate::new(word, "")).collect()
            }
            Some("age<" | "age>") => ["1h", "12h", "1d", "3d", "1w", "4w", "1y"]
                .map(|word| Candidate::new(word, ""))
                .to_vec(),
            Some(_) => return None,
        };
        Completion::matching(field, spot, candidates)
    }

    /// Candidates for the sources whose titles contain a word. If there are none, the word is searched for in
    /// items.
    fn sources_named(&self, word: &str) -> Vec<Candidate> {
        if word.chars().count() < MIN_NAME {
            return Vec::new();
        }
        let word = word.to_lowercase();
        let named = self.sources.known().filter(|known| known.title.to_lowercase().contains(&word));
        let query = |known: NamedSource<'_>| format!("source:{}", quoted(known.title));
        named.take(MAX_SOURCES).map(|known| Candidate::new(query(known), "its items")).collect()
    }

    /// Candidates for a field that contains a single name.
    pub(super) fn complete_name(field: &Field, names: BTreeSet<String>) -> Option<Completion> {
        let at = 0..field.value().len();
        // A suggestion does not limit the names, because typing replaces it.
        let typed = if field.is_suggestion() { "" } else { field.value() };
        let spot = Spot { operator: None, at, typed: typed.to_owned() };
        let candidates = names.into_iter().map(|name| Candidate::new(name, "")).collect();
        Completion::matching(field, spot, candidates)
    }

    /// Candidates for a field that contains several names, each with an optional sign.
    pub(super) fn complete_signed(field: &Field, names: BTreeSet<String>) -> Option<Completion> {
        let head = field.value().get(..field.cursor()).unwrap_or_default();
        let (start, typed) = match signed_words(head).pop() {
            Some(word) if !word.ended => (word.at, word.name.to_owned()),
            _ => (head.len(), String::new()),
        };
        let spot = Spot { operator: None, at: start..head.len(), typed };
        let needs_quotes = |name: &str| name.contains([' ', ',']) || name.starts_with(['+', '-']);
        let written = |name: String| if needs_quotes(&name) { format!("\"{name}\"") } else { name };
        let candidates = names.into_iter().map(|name| Candidate::new(written(name), "")).collect();
        Completion::matching(field, spot, candidates)
    }
}

/// One name in a line of names with optional signs.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct SignedWord<'a> {
    /// Byte offset of the name in the line, after its sign.
    at: usize,
    pub(super) minus: bool,
    /// The name without quotation marks.
    pub(super) name: &'a str,
    /// Whether the name is complete, so that further text is a new name.
    ended: bool,
}

/// Splits a line into names separated by spaces and commas. Quoted names may contain both. A name with an
/// unclosed quotation mark extends to the end of the line.
pub(super) fn signed_words(line: &str) -> Vec<SignedWord<'_>> {
    let (mut words, mut rest) = (Vec::new(), line);
    loop {
        rest = rest.trim_start_matches([' ', ',']);
        if rest.is_empty() {
            return words;
        }
        let minus = rest.starts_with('-');
        rest = rest.strip_prefix(['+', '-']).unwrap_or(rest);
        let at = line.len() - rest.len();
        let (name, tail, ended) = match rest.strip_prefix('"') {
            Some(inner) => match inner.split_once('"') {
                Some((name, tail)) => (name, tail, true),
                None => (inner, "", false),
            },
            None => {
                let end = rest.find([' ', ',']).unwrap_or(rest.len());
                (&rest[..end], &rest[end..], end < rest.len())
            }
        };
        words.push(SignedWord { at, minus, name, ended });
        rest = tail;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn splits_signed_names() {
        let summary = |line| {
            let word = |w: &SignedWord<'_>| (if w.minus { "-" } else { "" }).to_owned() + w.name;
            signed_words(line).iter().map(word).collect::<Vec<_>>().join("|")
        };
        for (line, expected) in [
            ("", ""),
            ("+os -c", "os|-c"),
            ("a,-b", "a|-b"),
            ("+\"linux kernel\" -old", "linux kernel|-old"),
            ("-\"a, b\"\"c", "-a, b|c"),
            ("+ x", "|x"),
            ("c++ é-", "c++|é-"),
        ] {
            assert_eq!(summary(line), expected, "{line}");
        }
    }

    #[test]
    fn quotes_completed_names_with_spaces() {
        for (typed, expected) in [
            ("+lin", "+\"linux kernel\""),
            ("-\"linux k", "-\"linux kernel\""),
            ("a -ol", "a -old"),
        ] {
            let mut field = Field::new(typed);
            let names = ["linux kernel", "old"].map(str::to_owned).into_iter().collect();
            let candidates = App::complete_signed(&field, names);
            candidates.unwrap().step(&mut field, true);
            assert_eq!(field.value(), expected);
        }
    }
}
