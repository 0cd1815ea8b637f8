//! Finds the words and phrases of a search in a text, as the full-text index does. The index ignores symbols;
//! here, `c++` and `c#` are found only with their symbols.

use super::segment::are_joined;
use std::ops::Range;

/// In scripts from this character on, a match does not include the rest of a longer word.
const FIRST_WITHOUT_BLANKS: char = '\u{2e80}';

/// Whether a character is part of the word that it directly follows, as in `c++` and `c#`.
pub fn is_symbol(c: char) -> bool {
    matches!(c, '+' | '#')
}

/// A word or phrase of a search. Its text and the texts that are searched must be folded in the same way.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Phrase {
    /// They may be separated by any characters except letters, digits and line breaks.
    words: Vec<Word>,
    /// Whether the last word must be complete, not the start of a longer word.
    is_whole: bool,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
struct Word {
    letters: String,
    /// The symbols that directly follow.
    symbols: String,
}

impl Phrase {
    /// Splits a folded text into words; `None` if it has no letters or digits.
    pub fn new(folded: &str, is_whole: bool) -> Option<Self> {
        let (mut words, mut before): (Vec<Word>, _) = (Vec::new(), ' ');
        // Symbols at the start of the text or after a space are ignored.
        let mut follows = false;
        for c in folded.chars() {
            match words.last_mut() {
                Some(word) if are_joined(before, c) => word.letters.push(c),
                _ if c.is_alphanumeric() => {
                    // A single symbol between two words is not part of the first one, as in `a+b`.
                    let last = words
                        .last_mut()
                        .filter(|last| is_symbol(before) && last.symbols.len() == 1);
                    last.into_iter().for_each(|last| last.symbols.clear());
                    words.push(Word { letters: c.into(), symbols: String::new() });
                }
                Some(word) if is_symbol(c) && follows => word.symbols.push(c),
                _ => {}
            }
            follows = c.is_alphanumeric() || is_symbol(c) && follows;
            before = c;
        }
        (!words.is_empty()).then_some(Self { words, is_whole })
    }

    /// Whether the index alone cannot find the phrase, because symbols follow one of its words.
    pub fn has_symbols(&self) -> bool {
        self.words.iter().any(|word| !word.symbols.is_empty())
    }

    /// Whether all words with symbols may be in a text, or in the text of sanitised HTML, in which symbols
    /// are not written as references. This takes less time than folding the text.
    pub fn may_be_in(&self, markup: &str) -> bool {
        let markup = markup.as_bytes();
        self.words.iter().all(|word| {
            let (Some(symbol), Some(last)) =
                (word.symbols.bytes().next(), word.letters.bytes().last())
            else {
                return true;
            };
            // Between the letter and the symbol there may be a tag or an accent.
            let follows = |at: usize| {
                let before = at.checked_sub(1).and_then(|at| markup.get(at));
                before.is_some_and(|b| {
                    *b == b'>' || !b.is_ascii() || !last.is_ascii() || b.eq_ignore_ascii_case(&last)
                })
            };
            memchr::memchr_iter(symbol, markup).any(follows)
        })
    }

    /// The occurrences in a folded text, as byte ranges.
    pub fn hits<'a>(&'a self, folded: &'a str) -> impl Iterator<Item = Range<usize>> + 'a {
        let first = self.words.first().map_or("", |word| word.letters.as_str());
        folded.match_indices(first).filter_map(move |(at, _)| self.hit(folded, at))
    }

    /// The occurrence that begins at a position of a folded text, where the letters of the first word are.
    fn hit(&self, folded: &str, at: usize) -> Option<Range<usize>> {
        let mut end = at;
        for (number, word) in self.words.iter().enumerate() {
            let rest = &folded[end..];
            let gap = match number {
                0 => 0,
                _ => rest.find(|c: char| c.is_alphanumeric() || c == '\n')?,
            };
            if goes_on(folded, end) || !rest[gap..].starts_with(&word.letters) {
                return None;
            }
            end += gap + word.letters.len();
            if !folded[end..].starts_with(&word.symbols) {
                return None;
            }
            end += word.symbols.len();
        }
        // In scripts with spaces between words, the occurrence includes the rest of a longer word.
        if !goes_on(folded, end) {
            return Some(at..end);
        }
        let is_more = |c: char| c.is_alphanumeric() && c < FIRST_WITHOUT_BLANKS;
        let rest = &folded[end..];
        let more = rest.find(|c: char| !is_more(c)).unwrap_or(rest.len());
        (!self.is_whole).then_some(at..end + more)
    }
}

/// Whether a word of the index continues at a position of a folded text.
fn goes_on(folded: &str, at: usize) -> bool {
    let (before, after) = folded.split_at(at);
    let adjacent = before.chars().next_back().zip(after.chars().next());
    adjacent.is_some_and(|(before, after)| are_joined(before, after))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn symbols_after_a_word_belong_to_it() {
        let long = "c++ and c, g++; abc++ C";
        for (phrase, text, expected) in [
            ("c++", long, vec!["c++"]),
            ("c", long, vec!["c", "c"]),
            ("c+", long, vec!["c+"]),
            ("c++", "c++20, c++. c+ + c ++", vec!["c++", "c++"]),
            ("c#", "c#, f#, c, abc#, c #, #c", vec!["c#"]),
            ("#c", "c#, c", vec!["c", "c"]),
            ("+1", "1, +1, 1+", vec!["1", "1", "1"]),
            ("c ++", "c", vec!["c"]),
            ("(c)++", "c", vec!["c"]),
            (
                "c++ temp",
                "c++ templates, c++: temp, c templates",
                vec!["c++ templates", "c++: temp"],
            ),
            ("c++20", "c++20 c20 c++23", vec!["c++20"]),
            ("c+#x", "c+#x c#x", vec!["c+#x"]),
            ("1+1", "1+1\n1 + 1\n1 1\n1", vec!["1+1", "1 + 1", "1 1"]),
            ("c+", "c++ c", vec!["c+"]),
            ("notepad++", "notepad++ notepads++ notepad", vec!["notepad++"]),
            ("直c++", "直c++感", vec!["直c++"]),
            ("", "c", vec![]),
            ("++", "c++", vec![]),
        ] {
            let found = Phrase::new(phrase, false);
            let hits = found.iter().flat_map(|phrase| phrase.hits(text));
            let hits: Vec<&str> = hits.map(|hit| &text[hit]).collect();
            assert_eq!(hits, expected, "{phrase} in {text}");
        }
        for (phrase, expected) in
            [("c", false), ("#c", false), ("c++", true), ("c# x", true), ("a ++ # b", false)]
        {
            assert_eq!(Phrase::new(phrase, true).unwrap().has_symbols(), expected, "{phrase}");
        }
    }

    #[test]
    fn markup_without_the_symbols_is_excluded() {
        for (markup, expected) in [
            ("<p>C++</p>", true),
            ("<b>C</b>++", true),
            ("c\u{301}++", true),
            ("<p>C, 1+1 ++</p>", false),
            ("<a href=\"/x+y\">C</a>", false),
            ("C", false),
        ] {
            let phrase = Phrase::new("go c++", false).unwrap();
            assert_eq!(phrase.may_be_in(markup), expected, "{markup}");
        }
    }
}
