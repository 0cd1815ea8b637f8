//! What can be completed in a field, and going through it.

use super::App;
use crate::query::{Known, OPERATORS, Spot, State, quoted, spot};
use crate::tui::input::Field;
use nucleo_matcher::pattern::{CaseMatching, Normalization, Pattern};
use nucleo_matcher::{Config, Matcher};
use std::collections::BTreeSet;
use std::ops::Range;

/// Something that could stand at the cursor.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Offer {
    /// What is written.
    pub(crate) text: String,
    /// What it is.
    pub(crate) help: String,
}

impl Offer {
    pub(super) fn new(text: impl Into<String>, help: impl Into<String>) -> Self {
        Self { text: text.into(), help: help.into() }
    }
}

/// An offer with the letters that it is found by.
struct Line(Offer, String);

impl AsRef<str> for Line {
    fn as_ref(&self) -> &str {
        &self.1
    }
}

/// The list below a field that offers completions.
#[derive(Debug, Clone)]
pub(crate) struct Completion {
    pub(crate) offers: Vec<Offer>,
    /// The one that was taken last.
    pub(crate) taken: Option<usize>,
    /// The bytes of the field that it stands in.
    at: Range<usize>,
    /// What was typed there.
    typed: String,
}

/// Offers kept.
const MOST: usize = 100;

impl Completion {
    /// Those of some offers that fit what was typed, best first; `None` when none does.
    pub(super) fn of(field: &Field, spot: Spot, offers: Vec<Offer>) -> Option<Self> {
        let mut offers = if spot.typed.is_empty() {
            offers
        } else {
            let pattern = Pattern::parse(&spot.typed, CaseMatching::Ignore, Normalization::Smart);
            let line = |offer: Offer| {
                // A source is known by its id as well.
                let letters = format!("{} {}", offer.text, offer.help);
                Line(offer, letters)
            };
            let lines = offers.into_iter().map(line);
            let hits = pattern.match_list(lines, &mut Matcher::new(Config::DEFAULT));
            hits.into_iter().map(|(line, _)| line.0).collect()
        };
        offers.truncate(MOST);
        let typed = field.value().get(spot.at.clone()).unwrap_or_default().to_owned();
        // What stands there already needs no offer.
        if offers.len() == 1 && offers[0].text == typed {
            offers.clear();
        }
        (!offers.is_empty()).then_some(Self { offers, taken: None, at: spot.at, typed })
    }

    /// Takes the next offer or the one before, around the end of the list.
    pub(super) fn step(&mut self, field: &mut Field, forward: bool) {
        let count = self.offers.len();
        let next = match (self.taken, forward) {
            (None, true) => 0,
            (None, false) => count - 1,
            (Some(at), true) => (at + 1) % count,
            (Some(at), false) => (at + count - 1) % count,
        };
        self.taken = Some(next);
        let text = self.offers[next].text.clone();
        self.write(field, &text);
    }

    /// Puts back what was typed.
    pub(super) fn give_back(mut self, field: &mut Field) {
        let typed = std::mem::take(&mut self.typed);
        self.write(field, &typed);
    }

    fn write(&mut self, field: &mut Field, text: &str) {
        field.replace(self.at.clone(), text);
        self.at.end = self.at.start + text.len();
    }
}

impl App {
    /// What can be completed in a query; by itself only values are offered, on a wish operators too.
    pub(super) fn complete_query(&self, field: &Field, explicit: bool) -> Option<Completion> {
        let spot = spot(field.value(), field.cursor());
        if !explicit && spot.operator.is_none() {
            return None;
        }
        let offers = match spot.operator {
            None => {
                let operators = OPERATORS.iter().map(|o| Offer::new(o.name, o.help));
                let all = [Offer::new("unread", "not read yet")].into_iter().chain(operators);
                let typed = spot.typed.to_ascii_lowercase();
                all.filter(|offer| offer.text.starts_with(&typed)).collect()
            }
            Some("is:") => State::ALL.map(|(_, name)| Offer::new(name, "")).to_vec(),
            Some("source:") => {
                let offer =
                    |known: Known<'_>| Offer::new(quoted(known.title), known.source.id.as_str());
                self.sources.known().map(offer).collect()
            }
            Some("folder:") => {
                self.sources.folders().into_iter().map(|f| Offer::new(quoted(&f), "")).collect()
            }
            Some("tag:") => {
                self.sources.tags().into_iter().map(|t| Offer::new(quoted(&t), "")).collect()
            }
            Some("after:" | "before:") => {
                let today = self.now.with_timezone(&chrono::Local);
                let dates = ["%Y-%m-%d", "%Y-%m", "%Y"].map(|f| today.format(f).to_string());
                let words = ["today", "yesterday", "7d", "30d"].map(str::to_owned);
                words.into_iter().chain(dates).map(|word| Offer::new(word, "")).collect()
            }
            Some("age<" | "age>") => ["1h", "12h", "1d", "3d", "1w", "4w", "1y"]
                .map(|word| Offer::new(word, ""))
                .to_vec(),
            Some(_) => return None,
        };
        Completion::of(field, spot, offers)
    }

    /// What can be completed in a line that is all one name.
    pub(super) fn complete_name(field: &Field, names: BTreeSet<String>) -> Option<Completion> {
        let typed = field.value().to_owned();
        let spot = Spot { operator: None, at: 0..typed.len(), typed };
        let offers = names.into_iter().map(|name| Offer::new(name, "")).collect();
        Completion::of(field, spot, offers)
    }

    /// The same in a line of words with a sign before each.
    pub(super) fn complete_signed(field: &Field, names: BTreeSet<String>) -> Option<Completion> {
        let head = field.value().get(..field.cursor()).unwrap_or_default();
        let (start, typed) = match signed_words(head).pop() {
            Some(word) if !word.ended => (word.at, word.name.to_owned()),
            _ => (head.len(), String::new()),
        };
        let spot = Spot { operator: None, at: start..head.len(), typed };
        let odd = |name: &str| name.contains([' ', ',']) || name.starts_with(['+', '-']);
        let written = |name: String| if odd(&name) { format!("\"{name}\"") } else { name };
        let offers = names.into_iter().map(|name| Offer::new(written(name), "")).collect();
        Completion::of(field, spot, offers)
    }
}

/// A name of a line of names with a sign before each.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct SignedWord<'a> {
    /// Where it begins behind its sign, in bytes of the line.
    at: usize,
    pub(super) minus: bool,
    /// Without its quotation marks.
    pub(super) name: &'a str,
    /// Whether what comes next is another name.
    ended: bool,
}

/// The names of a line: blanks and commas stand between them, and in quotes they are of the name. A
/// quotation that is not closed ends with the line.
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
    fn a_line_of_names_is_taken_apart() {
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
    fn names_with_blanks_are_completed_in_quotes() {
        for (typed, expected) in [
            ("+lin", "+\"linux kernel\""),
            ("-\"linux k", "-\"linux kernel\""),
            ("a -ol", "a -old"),
        ] {
            let mut field = Field::new(typed);
            let names = ["linux kernel", "old"].map(str::to_owned).into_iter().collect();
            let offers = App::complete_signed(&field, names);
            offers.unwrap().step(&mut field, true);
            assert_eq!(field.value(), expected);
        }
    }
}
