//! Finds the words that rules search for in all texts of a new item, in one pass: the texts are not split
//! into words, and HTML is not converted.
//!
//! Texts are read as the words of the index, with one space between them. Where it is not certain
//! how the index folds a letter, this pass finds every phrase that may match, and a second pass finds those
//! that do.

use super::folding::{Form, known};
use super::index::{markup_of, stripped};
use super::phrase_walk::{GAP, Walk};
use super::sieve::Sieve;
use crate::model::Entry;
use crate::query::Column;
use aho_corasick::automaton::Automaton;
use aho_corasick::{dfa, nfa::contiguous};
use std::collections::{HashMap, HashSet};

/// Maximum length of a word; longer words are left to the database.
const LONGEST_WORD: usize = 1000;
/// Maximum number of phrases for which a table is used, which takes about 2 KiB per phrase.
const MAX_IN_TABLE: usize = 1000;
/// The bits for the parts of an item.
const TITLE: u8 = 1;
const AUTHORS: u8 = 2;
const BODY: u8 = 4;
/// Distance between the bit of a part that certainly has a phrase and the bit of a part that may have it.
const POSSIBLE: u8 = 3;

fn parts_of(column: Column) -> u8 {
    match column {
        Column::Any => TITLE | AUTHORS | BODY,
        Column::Title => TITLE,
        Column::Author => AUTHORS,
    }
}

fn push_gap(phrase: &mut Vec<u8>) {
    if phrase.last() != Some(&GAP) {
        phrase.push(GAP);
    }
}

/// All phrases of rules, by their numbers.
#[derive(Debug, Default)]
pub(super) struct Phrases {
    numbers: HashMap<Vec<u8>, usize>,
    machine: Option<Machine>,
    /// Excludes words of titles and authors.
    sieve: Sieve,
    /// Excludes words of bodies.
    body_sieve: Sieve,
    /// The phrases that may be in a body.
    of_bodies: HashSet<usize>,
}

#[derive(Debug)]
enum Machine {
    Table(dfa::DFA),
    Compact(contiguous::NFA),
}

impl Phrases {
    /// Adds the words of a text as a phrase, and returns its number. With `begins`, the last word may be a
    /// prefix of a longer one. `None` if there are no words, or only the index can find them.
    pub(super) fn add(&mut self, text: &str, begins: bool, column: Column) -> Option<usize> {
        let mut phrase = vec![GAP];
        for c in text.chars() {
            let form = match c {
                'a'..='z' | '0'..='9' => Form::Letter(c),
                'A'..='Z' => Form::Letter(c.to_ascii_lowercase()),
                _ if c.is_ascii() => Form::Gap,
                _ => known(c).form,
            };
            match form {
                Form::Letter(c) => phrase.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes()),
                Form::Word(c) => {
                    push_gap(&mut phrase);
                    phrase.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
                    phrase.push(GAP);
                }
                Form::Gap => push_gap(&mut phrase),
                Form::Nothing => {}
                Form::Strange | Form::Unknown => return None,
            }
        }
        push_gap(&mut phrase);
        if phrase.len() == 1 || phrase.split(|b| *b == GAP).any(|word| word.len() > LONGEST_WORD) {
            return None;
        }
        if begins {
            phrase.pop();
        }
        let next = self.numbers.len();
        let number = *self.numbers.entry(phrase).or_insert(next);
        if column == Column::Any {
            self.of_bodies.insert(number);
        }
        Some(number)
    }

    /// Prepares the search. If there are too many phrases or they are too long in total, no phrase is found,
    /// but every text may contain every phrase.
    pub(super) fn build(&mut self) {
        let mut all: Vec<(&Vec<u8>, usize)> = self.numbers.iter().map(|(p, n)| (p, *n)).collect();
        all.sort_unstable_by_key(|(_, number)| *number);
        (self.sieve, self.body_sieve) = Default::default();
        for (phrase, number) in &all {
            let mut words = phrase.split(|b| *b == GAP).skip(1);
            let first = words.next().and_then(|word| std::str::from_utf8(word).ok());
            let (first, begins) = (first.unwrap_or_default(), words.next().is_none());
            self.sieve.add(first, begins);
            if self.of_bodies.contains(number) {
                self.body_sieve.add(first, begins);
            }
        }
        // The sieves are built only if needed, because their tables are large.
        if !all.is_empty() {
            self.sieve.build();
        }
        if !self.of_bodies.is_empty() {
            self.body_sieve.build();
        }
        let all = all.into_iter().map(|(phrase, _)| phrase);
        self.machine = match self.numbers.len() {
            0 => None,
            1..=MAX_IN_TABLE => {
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
        let sieve = &self.sieve;
        // Plain text cannot contain a phrase that HTML with the same letters cannot contain.
        if !sieve.excludes(&entry.title) {
            search_part((machine, sieve), found, TITLE, |walk| walk.read(&entry.title));
        }
        if !entry.authors.iter().all(|author| sieve.excludes(author)) {
            search_part((machine, sieve), found, AUTHORS, |walk| {
                for author in &entry.authors {
                    walk.read_author(author);
                    walk.push(GAP);
                }
            });
        }
        let (markup, sieve) = (markup_of(entry), &self.body_sieve);
        if self.of_bodies.is_empty() || sieve.excludes(markup) {
            return;
        }
        let is_clean = search_part((machine, sieve), found, BODY, |walk| walk.read_markup(markup));
        if is_clean == Some(false) {
            found.clear_parts(BODY);
            let body = stripped(markup);
            search_part((machine, sieve), found, BODY, |walk| walk.read(&body));
        }
    }
}

/// Searches a part of an item for possible phrases and, if these are not certain, again for the certain ones,
/// whose letters are all plain.
fn search_part<A: Automaton, T>(
    (machine, sieve): (&A, &Sieve),
    found: &mut Found,
    part: u8,
    mut read: impl FnMut(&mut Walk<'_, A>) -> T,
) -> Option<T> {
    let mut walk = Walk::new(machine, sieve, found, part << POSSIBLE)?;
    walk.folds = true;
    let result = read(&mut walk);
    walk.push(GAP);
    let (is_strange, is_open) = (walk.is_strange, walk.is_open);
    if !is_strange {
        found.confirm(part);
    } else if found.touched.iter().any(|phrase| found.possible(*phrase) & part != 0) {
        let mut walk = Walk::new(machine, sieve, found, part)?;
        read(&mut walk);
        walk.push(GAP);
    }
    if is_open {
        found.open |= part;
    }
    Some(result)
}

/// The phrases of an item. The same value is reused for the next item.
#[derive(Debug, Default)]
pub(super) struct Found {
    /// For each phrase: the parts that contain it, and those that may contain it.
    parts: Vec<u8>,
    /// The phrases that any part contains or may contain.
    touched: Vec<usize>,
    /// The parts that may contain any phrase.
    open: u8,
}

impl Found {
    fn clear(&mut self, phrases: usize) {
        self.clear_parts(u8::MAX);
        self.touched.clear();
        self.parts.resize(phrases, 0);
        self.open = 0;
    }

    fn clear_parts(&mut self, part: u8) {
        for phrase in &self.touched {
            if let Some(parts) = self.parts.get_mut(*phrase) {
                *parts &= !(part | part << POSSIBLE);
            }
        }
        self.open &= !part;
    }

    /// The parts that may contain a phrase.
    fn possible(&self, phrase: usize) -> u8 {
        self.parts.get(phrase).map_or(0, |parts| parts >> POSSIBLE)
    }

    /// Records that a part certainly contains the phrases that it may contain.
    fn confirm(&mut self, part: u8) {
        for phrase in &self.touched {
            if let Some(parts) = self.parts.get_mut(*phrase) {
                let possible = *parts >> POSSIBLE & part;
                *parts = *parts & !(part << POSSIBLE) | possible;
            }
        }
    }

    pub(super) fn add(&mut self, phrase: usize, part: u8) {
        if let Some(parts) = self.parts.get_mut(phrase) {
            if *parts == 0 {
                self.touched.push(phrase);
            }
            *parts |= part;
        }
    }

    /// Whether the item has a phrase; `None` if only the database can decide that.
    pub(super) fn has(&self, phrase: usize, column: Column) -> Option<bool> {
        let (found, parts) = (self.parts.get(phrase).copied()?, parts_of(column));
        match () {
            () if found & parts != 0 => Some(true),
            () if (found >> POSSIBLE | self.open) & parts != 0 => None,
            () => Some(false),
        }
    }

    /// The phrases that any part has or may have; `None` if it may have any phrase.
    pub(super) fn touched(&self) -> Option<&[usize]> {
        (self.open == 0).then_some(self.touched.as_slice())
    }

    /// Whether the item may have a phrase.
    pub(super) fn may_have(&self, phrase: usize, column: Column) -> bool {
        self.has(phrase, column) != Some(false)
    }
}

#[cfg(test)]
mod tests {
    use super::super::condition::fts;
    use super::*;
    use crate::util::segment::{may_be_prefix, segmented};
    use crate::util::text::MAX_BLOCK_LINE;

    #[test]
    fn finds_the_same_phrases_in_markup_and_its_text() {
        let long = format!("<p>{}</p>", "abc ".repeat(MAX_BLOCK_LINE / 2));
        for (markup, text, expected) in [
            ("<p>One ru<b>st</b></p><p>two</p>", "rust", Some(true)),
            ("<p>One ru<b>st</b></p><p>two</p>", "rust two", Some(true)),
            ("<p>One rust</p>two", "rusttwo", Some(false)),
            ("<a href=\"rust\">go</a>", "rust", Some(false)),
            ("a<script>rust</script>b", "rust", Some(false)),
            ("rust&amp;go &eacute;", "rust go", Some(true)),
            ("caf&eacute;", "cafe", Some(true)),
            ("caf&eacute;", "caf", Some(false)),
            ("caf\u{e9}s", "cafe", Some(false)),
            ("caf\u{e9}s", "Caf\u{c9}S", Some(true)),
            ("cafe\u{301}s", "Caf\u{c9}S", Some(true)),
            ("Sm\u{f8}rrebr\u{f8}d", "sm\u{d8}rrebr\u{f8}d", Some(true)),
            ("Sm\u{f8}rrebr\u{f8}d", "smorrebrod", Some(false)),
            ("\u{41d}\u{43e}\u{432}\u{43e}\u{441}\u{442}\u{438} дня", "\u{43d}овости", Some(true)),
            ("сновости", "новости", Some(false)),
            ("\u{d6}l und Gas", "ol", Some(true)),
            ("东京\u{2019}s", "东京", Some(true)),
            ("go东京go", "东京", Some(true)),
            ("go东京", "go", Some(true)),
            ("人間の直感とその限界", "直感", Some(true)),
            ("人間の<b>直</b>感", "直感", Some(true)),
            ("人間の直感とその限界", "感直", Some(false)),
            ("人間の直、感", "直感", Some(true)),
            ("人間の\u{e9}直感go", "感go", Some(true)),
            ("人間の直感gone", "感go", Some(false)),
            ("東京go 京都go", "都go", Some(true)),
            ("ru\u{1f980}st go", "go", Some(true)),
            ("ru\u{200b}st &#x1f980;", "rust", Some(true)),
            ("ru&#x200b;st", "ru", Some(false)),
            ("go\u{336}rust", "rust", None),
            ("rust\u{a0}go", "rust go", Some(true)),
            ("R\u{fc}st", "rust", Some(true)),
            ("R\u{fc}st rust", "rust", Some(true)),
            ("\u{440}rust", "rust", Some(false)),
            ("\u{904}rust", "rust", None),
            ("Stanisl\u{e1}vrust \u{e9}rust", "rust", Some(false)),
            ("xxxx<b>rust</b>", "rust", Some(false)),
            ("xxxx<b>-rust</b>", "rust", Some(true)),
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

    /// Pieces from which unusual words are composed.
    const PIECES: [&str; 34] = [
        "str",
        "\u{f8}",
        "o",
        "m",
        "<b>",
        "</b>",
        "<li>",
        "</p>",
        "<br>",
        "<wbr>",
        "<i class=x>",
        "&amp;",
        "&shy;",
        "\u{ad}",
        "o\u{338}",
        "o\u{308}",
        "\u{df}",
        "ss",
        "e",
        " ",
        ", ",
        "STRA",
        "rust",
        "expr",
        "\u{e9}",
        "go",
        "-",
        "<!-- x -->",
        "</i></b>",
        "\u{43d}",
        "直",
        "感",
        "の",
        "서",
    ];

    proptest::proptest! {
        #[test]
        fn decided_phrases_agree_with_the_index(
            pieces in proptest::collection::vec(proptest::sample::select(&PIECES[..]), 0..24),
        ) {
            let markup = pieces.concat();
            let conn = rusqlite::Connection::open_in_memory().unwrap();
            conn.execute_batch(crate::store::arrivals::ARRIVING).unwrap();
            let insert = "INSERT INTO arriving (rowid, body) VALUES (1, ?1)";
            conn.execute(insert, [segmented(&stripped(&markup))]).unwrap();
            let mut phrases = Phrases::default();
            let words = [
                "str\u{f8}m", "strom", "express", "stra\u{df}e", "strasse", "go \u{43d}", "rust", "直感",
                "感go", "go直", "서", "の",
            ];
            let numbers = words.map(|word| {
                phrases.add(word, may_be_prefix(word), Column::Any).unwrap()
            });
            phrases.build();
            let entry = Entry { content: Some(markup.clone()), ..Entry::default() };
            let mut found = Found::default();
            phrases.search(&entry, &mut found);
            for (word, number) in words.iter().zip(numbers) {
                let count = "SELECT count(*) FROM arriving WHERE arriving MATCH ?1";
                let query = fts(Column::Any, word, true).unwrap();
                let is_found = conn.query_row(count, [query], |r| r.get::<_, i64>(0)).unwrap() > 0;
                if let Some(certain) = found.has(number, Column::Any) {
                    proptest::prop_assert_eq!(certain, is_found, "{} in {}", word, markup);
                }
            }
        }
    }
}
