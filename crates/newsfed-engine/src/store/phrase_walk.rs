//! Feeds a text to the automaton that finds phrases.

use super::folding::{Form, Known, known};
use super::index::MAX_TEXT;
use super::phrases::Found;
use super::sieve::Sieve;
use crate::util::html::{TextPart, text_parts};
use crate::util::text::{self, MAX_BLOCK_LINE};
use aho_corasick::Anchored;
use aho_corasick::automaton::{Automaton, StateID};

/// Represents everything that separates words, and both ends of a text.
pub(super) const GAP: u8 = b' ';
/// Represents a character that no phrase contains.
const OTHER: u8 = 1;
/// Represents the bytes of characters that are not ASCII.
const NOT_ASCII: u8 = 0;

/// How each byte is read: as a lower-case letter or a digit, all of which are greater than [`GAP`], or as one
/// of the constants above.
const CLASSES: [u8; 256] = {
    let (mut classes, mut byte) = ([NOT_ASCII; 256], 0u8);
    while byte.is_ascii() {
        let class = if byte.is_ascii_alphanumeric() { byte.to_ascii_lowercase() } else { GAP };
        classes[byte as usize] = class;
        byte += 1;
    }
    classes
};

/// The state of the automaton while it reads one part of an item.
pub(super) struct Walk<'a, A> {
    machine: &'a A,
    sieve: &'a Sieve,
    found: &'a mut Found,
    /// The bits that are set for each phrase found.
    note: u8,
    state: StateID,
    /// The state within a word that begins no phrase, and the state before a word.
    start: StateID,
    before_word: StateID,
    after_gap: bool,
    /// Whether characters with an uncertain form are read as anything that they may be; otherwise, no phrase
    /// contains them.
    pub(super) folds: bool,
    /// Whether the text contains characters with an uncertain form.
    pub(super) is_strange: bool,
    /// Whether the text may contain any phrase.
    pub(super) is_open: bool,
    /// Whether the conversion of HTML to text leaves all characters that are not ASCII unchanged.
    is_clean: bool,
}

impl<'a, A: Automaton> Walk<'a, A> {
    pub(super) fn new(
        machine: &'a A,
        sieve: &'a Sieve,
        found: &'a mut Found,
        note: u8,
    ) -> Option<Self> {
        let start = machine.start_state(Anchored::No).ok()?;
        let before_word = machine.next_state(Anchored::No, start, GAP);
        Some(Self {
            machine,
            sieve,
            found,
            note,
            state: before_word,
            start,
            before_word,
            after_gap: true,
            folds: false,
            is_strange: false,
            is_open: false,
            is_clean: true,
        })
    }

    #[inline]
    pub(super) fn push(&mut self, class: u8) {
        if class != GAP || !self.after_gap {
            self.after_gap = class == GAP;
            self.state = self.machine.next_state(Anchored::No, self.state, class);
            if self.machine.is_special(self.state) {
                self.note_found();
            }
        }
    }

    fn push_letter(&mut self, letter: char) {
        for byte in letter.encode_utf8(&mut [0; 4]).bytes() {
            self.push(byte);
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

    /// Whether the automaton is outside all phrases.
    #[inline]
    fn is_outside(&self) -> bool {
        self.state == self.start || self.state == self.before_word
    }

    pub(super) fn read(&mut self, text: &str) {
        let bytes = text.as_bytes();
        let mut at = 0;
        while let Some(&byte) = bytes.get(at) {
            if !byte.is_ascii() {
                let c = text[at..].chars().next().unwrap_or(char::REPLACEMENT_CHARACTER);
                self.read_other(c);
                at += c.len_utf8();
                continue;
            }
            if self.is_outside() {
                let (next, in_word) = self.sieve.next(text, at, !self.after_gap);
                self.after_gap = !in_word;
                self.state = if in_word { self.start } else { self.before_word };
                at = next;
            }
            // Reads the words that may belong to a phrase.
            while let Some(&byte) = bytes.get(at).filter(|byte| byte.is_ascii()) {
                self.push(CLASSES[usize::from(byte)]);
                at += 1;
                if self.is_outside() {
                    break;
                }
            }
        }
    }

    /// Reads the name of an author as it is in the index: as JSON.
    pub(super) fn read_author(&mut self, author: &str) {
        if author.bytes().any(|b| b.is_ascii_control()) {
            self.read(&serde_json::to_string(author).unwrap_or_default());
        } else {
            self.read(author);
        }
    }

    /// Reads HTML as the text that [`super::index::stripped`] makes of it; false if that text may differ.
    pub(super) fn read_markup(&mut self, markup: &str) -> bool {
        let (mut is_clean, mut line) = (markup.len() <= MAX_TEXT, 0);
        self.is_clean = true;
        text_parts(markup, |part| match part {
            TextPart::Text(text) => {
                line += text.len();
                // Longer lines are broken, possibly within a word.
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
        let Known { form, is_clean } = known(c);
        self.is_clean &= is_clean;
        match form {
            Form::Gap => self.push(GAP),
            Form::Nothing => {}
            Form::Letter(_) if self.state == self.start => self.after_gap = false,
            Form::Letter(letter)
                if self.state == self.before_word && !self.sieve.may_begin_with(letter) =>
            {
                (self.state, self.after_gap) = (self.start, false);
            }
            Form::Word(letter) if self.is_outside() && !self.sieve.may_begin_with(letter) => {
                (self.state, self.after_gap) = (self.before_word, true);
            }
            Form::Word(letter) => {
                self.push(GAP);
                self.push_letter(letter);
                self.push(GAP);
            }
            Form::Letter(letter) => self.push_letter(letter),
            Form::Strange | Form::Unknown => {
                self.is_strange = true;
                match (self.folds, form) {
                    (false, _) => self.push(OTHER),
                    (true, Form::Unknown) => self.is_open = true,
                    (true, _) => self.push(GAP),
                }
            }
        }
    }
}
