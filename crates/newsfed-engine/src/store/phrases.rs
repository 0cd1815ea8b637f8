//! Words that rules search for, found in all texts of a new item in one pass: neither is the item split
//! into words, nor is its HTML made text.
//!
//! Texts are read as the words of the index, with one space between them. Where the index may write letters
//! otherwise, this finds what is possible, and a second pass what of it is certain.

use super::folding::{Folded, folded, is_plain};
use super::index::{MAX_TEXT, markup_of, stripped};
use crate::model::Entry;
use crate::query::Column;
use crate::util::html::{TextPart, text_parts};
use crate::util::text::{self, MAX_BLOCK_LINE};
use aho_corasick::automaton::{Automaton, StateID};
use aho_corasick::{Anchored, dfa, nfa::contiguous};
use std::collections::HashMap;

/// Longer words are left to the database.
const LONGEST_WORD: usize = 1000;
/// Phrases up to which the automaton that finds them is a table, of about 2 KiB for each.
const MOST_IN_TABLE: usize = 1000;
/// What separates words, and stands at both ends of a text.
const GAP: u8 = b' ';
/// A sign that is in no phrase.
const OTHER: u8 = 1;
/// The bytes of longer characters.
const NOT_ASCII: u8 = 0;

/// What bytes are read as: letters in lower case and digits, all greater than [`GAP`], or one of the above.
const CLASSES: [u8; 256] = {
    let (mut classes, mut byte) = ([NOT_ASCII; 256], 0u8);
    while byte.is_ascii() {
        let class = if byte.is_ascii_alphanumeric() { byte.to_ascii_lowercase() } else { GAP };
        classes[byte as usize] = class;
        byte += 1;
    }
    classes
};

/// The bits of the parts of an item.
const TITLE: u8 = 1;
const AUTHORS: u8 = 2;
const BODY: u8 = 4;
/// From the bits of parts that certainly have a phrase to those of parts that may have it.
const POSSIBLE: u8 = 3;

fn parts_of(column: Column) -> u8 {
    match column {
        Column::Any => TITLE | AUTHORS | BODY,
        Column::Title => TITLE,
        Column::Author => AUTHORS,
    }
}

/// All phrases of rules, by their numbers.
#[derive(Debug, Default)]
pub(super) struct Phrases {
    numbers: HashMap<Vec<u8>, usize>,
    machine: Option<Machine>,
    /// Whether some phrase may stand in the body.
    bodies: bool,
}

#[derive(Debug)]
enum Machine {
    Table(dfa::DFA),
    Compact(contiguous::NFA),
}

impl Phrases {
    /// The number of the words of a text, side by side; the last may be the start of a longer one.
    /// `None` if there are none, or only the index knows them.
    pub(super) fn add(&mut self, text: &str, begins: bool, column: Column) -> Option<usize> {
        let mut phrase = vec![GAP];
        for word in text.split(|c: char| is_plain(c) && !c.is_ascii_alphanumeric()) {
            if word.len() > LONGEST_WORD || !word.bytes().all(|b| b.is_ascii_alphanumeric()) {
                return None;
            }
            if !word.is_empty() {
                phrase.extend(word.bytes().map(|b| b.to_ascii_lowercase()));
                phrase.push(GAP);
            }
        }
        if phrase.len() == 1 {
            return None;
        }
        if begins {
            phrase.pop();
        }
        self.bodies |= column == Column::Any;
        let next = self.numbers.len();
        Some(*self.numbers.entry(phrase).or_insert(next))
    }

    /// Prepares the search. Phrases that are too many or too long together are found nowhere, but
    /// possible everywhere.
    pub(super) fn build(&mut self) {
        let mut all: Vec<(&Vec<u8>, usize)> = self.numbers.iter().map(|(p, n)| (p, *n)).collect();
        all.sort_unstable_by_key(|(_, number)| *number);
        let all = all.into_iter().map(|(phrase, _)| phrase);
        self.machine = match self.numbers.len() {
            0 => None,
            1..=MOST_IN_TABLE => {
                dfa::DFA::builder().prefilter(false).build(all).ok().map(Machine::Table)
            }
            _ => contiguous::NFA::builder().prefilter(false).build(all).ok().map(Machine::Compact),
        };
    }

    /// Searches all texts of an item.
    pub(super) fn search(&self, entry: &Entry, found: &mut Found) {
        found.clear(self.numbers.len());
        match &self.machine {
            Some(Machine::Table(machine)) => self.search_with(machine, entry, found),
            Some(Machine::Compact(machine)) => self.search_with(machine, entry, found),
            None => found.open = TITLE | AUTHORS | BODY,
        }
    }

    fn search_with(&self, machine: &impl Automaton, entry: &Entry, found: &mut Found) {
        search_part(machine, found, TITLE, |walk| walk.read(&entry.title));
        search_part(machine, found, AUTHORS, |walk| {
            for author in &entry.authors {
                walk.read_author(author);
                walk.push(GAP);
            }
        });
        let markup = markup_of(entry);
        if !self.bodies || markup.is_empty() {
            return;
        }
        let is_clean = search_part(machine, found, BODY, |walk| walk.read_markup(markup));
        if is_clean == Some(false) {
            found.forget(BODY);
            let body = stripped(markup);
            search_part(machine, found, BODY, |walk| walk.read(&body));
        }
    }
}

/// Searches a part of an item for what is possible and, where that is not certain, for what is. What is
/// certain is among what is possible: its letters are all plain.
fn search_part<A: Automaton, T>(
    machine: &A,
    found: &mut Found,
    part: u8,
    mut read: impl FnMut(&mut Walk<'_, A>) -> T,
) -> Option<T> {
    let mut walk = Walk::new(machine, found, part << POSSIBLE)?;
    walk.folds = true;
    let result = read(&mut walk);
    walk.push(GAP);
    let (is_strange, is_open) = (walk.is_strange, walk.is_open);
    if !is_strange {
        found.confirm(part);
    } else if found.touched.iter().any(|phrase| found.possible(*phrase) & part != 0) {
        let mut walk = Walk::new(machine, found, part)?;
        read(&mut walk);
        walk.push(GAP);
    }
    if is_open {
        found.open |= part;
    }
    Some(result)
}

/// What an item has. It is used for one item after the other.
#[derive(Debug, Default)]
pub(super) struct Found {
    /// Of each phrase: the parts that have it, and those that may have it.
    parts: Vec<u8>,
    /// Phrases with any.
    touched: Vec<usize>,
    /// The parts that may have any phrase.
    open: u8,
}

impl Found {
    fn clear(&mut self, phrases: usize) {
        self.forget(u8::MAX);
        self.touched.clear();
        self.parts.resize(phrases, 0);
        self.open = 0;
    }

    fn forget(&mut self, part: u8) {
        for phrase in &self.touched {
            if let Some(parts) = self.parts.get_mut(*phrase) {
                *parts &= !(part | part << POSSIBLE);
            }
        }
        self.open &= !part;
    }

    /// The parts that may have a phrase.
    fn possible(&self, phrase: usize) -> u8 {
        self.parts.get(phrase).map_or(0, |parts| parts >> POSSIBLE)
    }

    /// Makes certain what a part may have.
    fn confirm(&mut self, part: u8) {
        for phrase in &self.touched {
            if let Some(parts) = self.parts.get_mut(*phrase) {
                let possible = *parts >> POSSIBLE & part;
                *parts = *parts & !(part << POSSIBLE) | possible;
            }
        }
    }

    fn add(&mut self, phrase: usize, part: u8) {
        if let Some(parts) = self.parts.get_mut(phrase) {
            if *parts == 0 {
                self.touched.push(phrase);
            }
            *parts |= part;
        }
    }

    /// Whether the item has a phrase; `None` if only the database knows.
    pub(super) fn has(&self, phrase: usize, column: Column) -> Option<bool> {
        let (found, parts) = (self.parts.get(phrase).copied()?, parts_of(column));
        match () {
            () if found & parts != 0 => Some(true),
            () if (found >> POSSIBLE | self.open) & parts != 0 => None,
            () => Some(false),
        }
    }

    /// Whether the item may have a phrase.
    pub(super) fn may_have(&self, phrase: usize, column: Column) -> bool {
        self.has(phrase, column) != Some(false)
    }
}

/// The way of one part of an item through the automaton.
struct Walk<'a, A> {
    machine: &'a A,
    found: &'a mut Found,
    /// What is noted of a phrase that is found.
    note: u8,
    state: StateID,
    /// The state outside of all phrases.
    start: StateID,
    after_gap: bool,
    /// Whether other letters are read as what they may be in the index.
    folds: bool,
    /// Whether there were such letters.
    is_strange: bool,
    /// Whether there may be any phrase.
    is_open: bool,
    /// Whether all other letters stay as they are when HTML is made text.
    is_clean: bool,
}

impl<'a, A: Automaton> Walk<'a, A> {
    fn new(machine: &'a A, found: &'a mut Found, note: u8) -> Option<Self> {
        let state = machine.start_state(Anchored::No).ok()?;
        let mut walk = Self {
            machine,
            found,
            note,
            state,
            start: state,
            after_gap: false,
            folds: false,
            is_strange: false,
            is_open: false,
            is_clean: true,
        };
        walk.push(GAP);
        Some(walk)
    }

    fn push(&mut self, class: u8) {
        if class != GAP || !self.after_gap {
            self.after_gap = class == GAP;
            self.state = self.machine.next_state(Anchored::No, self.state, class);
            self.note_found();
        }
    }

    fn read(&mut self, text: &str) {
        let bytes = text.as_bytes();
        let mut at = 0;
        while let Some(&byte) = bytes.get(at) {
            match CLASSES[usize::from(byte)] {
                NOT_ASCII => {
                    let c = text[at..].chars().next().unwrap_or(char::REPLACEMENT_CHARACTER);
                    self.read_other(c);
                    at += c.len_utf8();
                }
                // Only the first of several separators moves.
                GAP if self.after_gap => at += 1,
                class => {
                    self.after_gap = class == GAP;
                    self.state = self.machine.next_state(Anchored::No, self.state, class);
                    at += 1;
                    if self.state == self.start {
                        // No phrase has such a word. The rest of it is passed over.
                        let word = |b: &&u8| CLASSES[usize::from(**b)] > GAP;
                        at += bytes[at..].iter().take_while(word).count();
                    } else if self.machine.is_special(self.state) {
                        self.note_found();
                    }
                }
            }
        }
    }

    fn note_found(&mut self) {
        if self.machine.is_match(self.state) {
            for at in 0..self.machine.match_len(self.state) {
                let phrase = self.machine.match_pattern(self.state, at);
                self.found.add(phrase.as_usize(), self.note);
            }
        }
    }

    /// The name of an author, as the index has it: JSON.
    fn read_author(&mut self, author: &str) {
        if author.bytes().any(|b| b.is_ascii_control()) {
            self.read(&serde_json::to_string(author).unwrap_or_default());
        } else {
            self.read(author);
        }
    }

    /// Reads HTML as [`stripped`] makes it text; false if that may be another one.
    fn read_markup(&mut self, markup: &str) -> bool {
        let (mut is_clean, mut line) = (markup.len() <= MAX_TEXT, 0);
        self.is_clean = true;
        text_parts(markup, |part| match part {
            TextPart::Text(text) => {
                line += text.len();
                // Longer lines are broken, perhaps within a word.
                is_clean &= line <= MAX_BLOCK_LINE && !text::has_controls(text);
                self.read(text);
            }
            TextPart::Space => self.push(GAP),
            TextPart::Line => {
                line = 0;
                self.push(GAP);
            }
        });
        is_clean && self.is_clean
    }

    fn read_other(&mut self, c: char) {
        self.is_clean &= c == '\u{a0}' || text::stands_alone(c);
        if is_plain(c) {
            return self.push(GAP);
        }
        self.is_strange = true;
        if !self.folds {
            return self.push(OTHER);
        }
        match folded(c) {
            Folded::Letters(letters) => {
                for byte in letters.bytes() {
                    self.push(if byte.is_ascii_alphanumeric() { byte } else { GAP });
                }
            }
            Folded::Nothing => {}
            Folded::Gap => self.push(GAP),
            Folded::Unknown => self.is_open = true,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn phrases_are_found_in_markup_as_in_its_text() {
        let long = format!("<p>{}</p>", "abc ".repeat(MAX_BLOCK_LINE / 2));
        for (markup, text, expected) in [
            ("<p>One ru<b>st</b></p><p>two</p>", "rust", Some(true)),
            ("<p>One ru<b>st</b></p><p>two</p>", "rust two", Some(true)),
            ("<p>One rust</p>two", "rusttwo", Some(false)),
            ("<a href=\"rust\">go</a>", "rust", Some(false)),
            ("a<script>rust</script>b", "rust", Some(false)),
            ("rust&amp;go &eacute;", "rust go", Some(true)),
            ("caf&eacute;", "cafe", None),
            ("caf&eacute;", "caf", Some(false)),
            ("caf\u{e9}s", "cafe", Some(false)),
            ("ru\u{200b}st &#x1f980;", "rust", Some(true)),
            ("ru&#x200b;st", "ru", Some(false)),
            ("go\u{336}rust", "rust", None),
            ("rust\u{a0}go", "rust go", Some(true)),
            ("R\u{fc}st", "rust", None),
            ("R\u{fc}st rust", "rust", Some(true)),
            ("\u{440}rust", "rust", None),
            (long.as_str(), "abc abc", Some(true)),
            ("<pre>rust\n\tgo</pre>", "rust go", Some(true)),
            ("", "rust", Some(false)),
        ] {
            let mut phrases = Phrases::default();
            let exact = phrases.add(text, false, Column::Any).unwrap();
            phrases.build();
            let entry = Entry { content: Some(markup.to_owned()), ..Entry::default() };
            let mut found = Found::default();
            phrases.search(&entry, &mut found);
            assert_eq!(found.has(exact, Column::Any), expected, "{text} in {markup:.40}");
        }
    }
}
