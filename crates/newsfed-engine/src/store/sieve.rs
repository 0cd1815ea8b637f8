//! Which words of a text may begin a phrase. Most are excluded by their first letters, many bytes at a
//! time: to read every letter takes longer than everything else that rules do.

use super::folding::{Form, Known, known};
use super::index::MAX_TEXT;
use crate::util::text::{MAX_BLOCK_LINE, has_controls};

/// Letters by which words are compared, unless they have fewer.
const LETTERS: usize = 4;
/// Bytes that are examined together.
const BLOCK: usize = 32;
/// Bits of the set, which is 8 KiB so that it stays in the fastest cache.
const BITS: u32 = 16;
/// In the key of a character that is not ASCII.
const OTHER: u32 = 1 << 31;
/// Character references that are not part of a word.
const REFERENCES: [&str; 5] = ["&amp;", "&lt;", "&gt;", "&quot;", "&nbsp;"];

/// The beginnings of phrases, in lower case. It may contain others, too.
#[derive(Debug, Default)]
pub(super) struct Sieve {
    beginnings: Keys,
    /// Fewer letters of longer beginnings, for words that are cut off.
    cut: Keys,
    /// For each number of letters, whether there are beginnings that longer words may continue.
    short: [bool; LETTERS - 1],
    /// The words of at least four letters by these, which the set of keys has, in order.
    words: Vec<(u32, FirstWord)>,
}

/// The first word of a phrase.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct FirstWord {
    /// Its letters up to the first that is not ASCII.
    letters: String,
    /// Whether longer words may begin the phrase, too.
    is_open: bool,
}

impl FirstWord {
    /// Whether a text may begin with it.
    fn fits(&self, text: &[u8], in_markup: bool) -> bool {
        let unclear = |byte: u8| !byte.is_ascii() || in_markup && matches!(byte, b'<' | b'&');
        for (at, letter) in self.letters.bytes().enumerate() {
            match text.get(at) {
                Some(byte) if byte.to_ascii_lowercase() == letter => {}
                Some(byte) => return unclear(*byte),
                None => return true,
            }
        }
        let next = text.get(self.letters.len());
        self.is_open || next.is_none_or(|byte| unclear(*byte) || !byte.is_ascii_alphanumeric())
    }
}

/// A set of keys.
#[derive(Debug)]
struct Keys(Vec<u64>);

impl Default for Keys {
    fn default() -> Self {
        Self(vec![0; 1 << (BITS - 6)])
    }
}

impl Keys {
    fn insert(&mut self, key: u32) {
        let (at, bit) = place(key);
        if let Some(bits) = self.0.get_mut(at) {
            *bits |= bit;
        }
    }

    fn has(&self, key: u32) -> bool {
        let (at, bit) = place(key);
        self.0.get(at).is_none_or(|bits| bits & bit != 0)
    }
}

/// The first letters of a key.
fn first(key: u32, letters: u32) -> u32 {
    key & !(!0 << (8 * letters))
}

impl Sieve {
    /// Adds the first word of a phrase. `begins`: it may be the start of a longer one.
    pub(super) fn add(&mut self, word: &str, begins: bool) {
        let Some(letter) = word.chars().next() else { return };
        if !letter.is_ascii() {
            return self.beginnings.insert(u32::from(letter) | OTHER);
        }
        let letters = word.bytes().take_while(u8::is_ascii).take(LETTERS);
        let key = letters.clone().zip(0..).fold(0, |key, (b, at)| key | u32::from(b) << (8 * at));
        let count = letters.count();
        for (letters, _) in (1..).zip(1..count) {
            self.cut.insert(first(key, letters));
        }
        match count {
            LETTERS => {
                self.beginnings.insert(key);
                let end = word.bytes().take_while(u8::is_ascii).count();
                let is_open = begins || end < word.len();
                let word = (key, FirstWord { letters: word[..end].to_owned(), is_open });
                let at = self.words.binary_search(&word).unwrap_or_else(|at| at);
                self.words.insert(at, word);
            }
            _ if count == word.len() => {
                self.beginnings.insert(key);
                if let Some(short) = self.short.get_mut(count - 1).filter(|_| begins) {
                    *short = true;
                }
            }
            // Words that continue with another character are never excluded.
            _ => {}
        }
    }

    /// Whether a phrase may begin with this character, which is not ASCII in the text.
    pub(super) fn may_begin_with(&self, letter: char) -> bool {
        letter.is_ascii() || self.beginnings.has(u32::from(letter) | OTHER)
    }

    /// Whether a phrase may begin with a word that has these letters.
    fn has(&self, key: u32) -> bool {
        self.beginnings.has(key) || self.has_shorter(key)
    }

    fn has_shorter(&self, key: u32) -> bool {
        let shorter =
            |(short, letters): (&bool, u32)| *short && self.beginnings.has(first(key, letters));
        self.short.iter().zip(1..).any(shorter)
    }

    /// The same for one of four letters or more, at the beginning of a text.
    fn has_longer(&self, key: u32, text: &[u8], in_markup: bool) -> bool {
        let from = self.words.partition_point(|(other, _)| *other < key);
        let mut same = self.words[from..].iter().take_while(|(other, _)| *other == key);
        same.any(|(_, word)| word.fits(text, in_markup)) || self.has_shorter(key)
    }

    /// Whether a phrase may begin with the word at a position of a text. `in_markup`: words may continue
    /// after tags.
    fn may_begin(&self, text: &str, at: usize, in_markup: bool) -> bool {
        // Except in markup, the last word may continue in what follows the text, so a rest that is too
        // short counts.
        let rest = text.as_bytes().get(at..).unwrap_or_default();
        let letters = match rest.first_chunk::<LETTERS>() {
            Some(letters) => *letters,
            None if !in_markup => return true,
            None => {
                let mut letters = [b' '; LETTERS];
                letters[..rest.len()].copy_from_slice(rest);
                letters
            }
        };
        let (mut key, mut count) = (0, 0);
        for byte in letters {
            if !byte.is_ascii() {
                return self.may_begin_folded(&text[at..]);
            }
            if !byte.is_ascii_alphanumeric() {
                let is_cut = in_markup && matches!(byte, b'<' | b'&') && self.cut.has(key);
                return is_cut || self.has(key);
            }
            key |= u32::from(byte.to_ascii_lowercase()) << (8 * count);
            count += 1;
        }
        match self.beginnings.has(key) {
            true => self.has_longer(key, rest, in_markup),
            false => self.has_shorter(key),
        }
    }

    /// The same for a word with other characters than ASCII near its beginning.
    fn may_begin_folded(&self, text: &str) -> bool {
        let (mut key, mut count) = (0, 0);
        for c in text.chars() {
            let form = match c {
                _ if c.is_ascii_alphanumeric() => Form::Letter(c.to_ascii_lowercase()),
                '<' | '&' => return true,
                _ if c.is_ascii() => Form::Gap,
                _ => known(c).form,
            };
            match form {
                Form::Letter(c) if c.is_ascii() => key |= u32::from(c) << (8 * count),
                Form::Letter(c) if count == 0 => return self.may_begin_with(c),
                Form::Letter(_) | Form::Unknown => return true,
                Form::Nothing => continue,
                Form::Gap | Form::Strange => return self.has(key),
            }
            count += 1;
            if count == LETTERS {
                return self.has(key);
            }
        }
        true
    }

    /// Whether HTML certainly has no phrase, whatever of it is text. Most have none, and it takes longer to
    /// find their tags than this.
    pub(super) fn excludes(&self, markup: &str) -> bool {
        // Longer texts are cut, longer lines broken, and without their control characters words are joined.
        if markup.len() > MAX_TEXT.min(MAX_BLOCK_LINE) || has_controls(markup) {
            return false;
        }
        let mut references = memchr::memchr_iter(b'&', markup.as_bytes());
        if !references.all(|at| REFERENCES.iter().any(|known| markup[at..].starts_with(known))) {
            return false;
        }
        let (mut at, mut in_word) = (0, false);
        loop {
            if markup.as_bytes().get(at).is_some_and(u8::is_ascii) {
                (at, in_word) = self.next(markup, at, in_word, true);
            }
            let Some(c) = markup[at..].chars().next() else { return true };
            let Known { form, is_clean } = known(c);
            if c.is_ascii() || !is_clean || form == Form::Unknown {
                return false;
            }
            if matches!(form, Form::Letter(_)) {
                if !in_word && self.may_begin_folded(&markup[at..]) {
                    return false;
                }
                in_word = true;
            } else if form != Form::Nothing {
                in_word = false;
            }
            at += c.len_utf8();
        }
    }

    /// The next position at which a word begins that may begin a phrase, or a character that is not ASCII
    /// stands; and whether the byte before it belongs to a word. `in_word`: the one before the first does.
    pub(super) fn next(
        &self,
        text: &str,
        mut at: usize,
        in_word: bool,
        in_markup: bool,
    ) -> (usize, bool) {
        let bytes = text.as_bytes();
        let mut before = u32::from(in_word);
        while let Some(rest) = bytes.get(at..).filter(|rest| !rest.is_empty()) {
            let (words, others) = match rest.first_chunk::<BLOCK>() {
                Some(block) => masks(block),
                None => {
                    let mut block = [b' '; BLOCK];
                    block[..rest.len()].copy_from_slice(rest);
                    masks(&block)
                }
            };
            let preceded = words << 1 | before;
            let mut stops = words & !preceded | others;
            while stops != 0 {
                let offset = stops.trailing_zeros();
                let stop = at + offset as usize;
                if others >> offset & 1 == 1 || self.may_begin(text, stop, in_markup) {
                    return (stop, preceded >> offset & 1 == 1);
                }
                stops &= stops - 1;
            }
            before = words >> (rest.len().min(BLOCK) - 1) & 1;
            at += BLOCK;
        }
        (bytes.len(), before == 1)
    }
}

/// Where the bit of a key is.
fn place(key: u32) -> (usize, u64) {
    let hash = key.wrapping_mul(0x9e37_79b1) >> (32 - BITS);
    ((hash >> 6) as usize, 1 << (hash & 63))
}

/// Which bytes are ASCII letters or digits, and which are not ASCII: a bit for each.
fn masks(block: &[u8; BLOCK]) -> (u32, u32) {
    let (parts, _) = block.as_chunks::<8>();
    parts.iter().rev().fold((0, 0), |(words, others), part| {
        let (word, other) = highest_bits(u64::from_le_bytes(*part));
        (words << 8 | gathered(word), others << 8 | gathered(other))
    })
}

/// The same of eight bytes, as their highest bits. They are compared by additions that never reach the
/// next byte.
fn highest_bits(bytes: u64) -> (u64, u64) {
    const EACH: u64 = 0x0101_0101_0101_0101;
    const HIGHEST: u64 = 0x80 * EACH;
    let low = bytes & !HIGHEST;
    let lower = low | (0x20 * EACH);
    let between = |bytes: u64, first: u8, last: u8| {
        let from = bytes + (0x80 - u64::from(first)) * EACH;
        from & !(bytes + (0x7f - u64::from(last)) * EACH)
    };
    let word = between(lower, b'a', b'z') | between(low, b'0', b'9');
    (word & !bytes & HIGHEST, bytes & HIGHEST)
}

/// The highest bits of eight bytes.
fn gathered(bits: u64) -> u32 {
    // Moves the bit of each byte to one of the highest eight.
    ((bits >> 7).wrapping_mul(0x0102_0408_1020_4080) >> 56) as u32
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The same, one byte after the other.
    fn slowly(sieve: &Sieve, text: &str, at: usize, in_word: bool) -> (usize, bool) {
        let bytes = text.as_bytes();
        let mut before = in_word;
        for (stop, byte) in bytes.iter().enumerate().skip(at) {
            let is_word = byte.is_ascii_alphanumeric();
            if !byte.is_ascii() || is_word && !before && sieve.may_begin(text, stop, false) {
                return (stop, before);
            }
            before = is_word;
        }
        (bytes.len(), before)
    }

    proptest! {
        #[test]
        fn blocks_are_searched_as_single_bytes_are(
            text in "([a-zA-Z0-9]{1,9}[ .,<_`@\\[{/:\u{10}\u{7f}é本]{1,3}){0,30}", at in 0usize..40, in_word: bool,
        ) {
            let mut sieve = Sieve::default();
            for (word, begins) in [("ab", true), ("cd", false), ("e", true), ("abcde", false), ("q", false), ("abcdef", true)] {
                sieve.add(word, begins);
            }
            let at = (0..=at.min(text.len())).rfind(|at| text.is_char_boundary(*at)).unwrap_or(0);
            prop_assert_eq!(sieve.next(&text, at, in_word, false), slowly(&sieve, &text, at, in_word));
        }
    }

    #[test]
    fn words_are_excluded_by_their_first_letters() {
        let mut sieve = Sieve::default();
        let closed = ["the", "express"].map(|word| (word, false));
        let open = ["rust", "go", "новости", "newsfeed"].map(|word| (word, true));
        closed.into_iter().chain(open).for_each(|(word, begins)| sieve.add(word, begins));
        for (text, expected) in [
            ("Rusty x", true),
            ("rusk x", false),
            ("rust", true),
            ("express x", true),
            ("expresso x", false),
            ("expres x", false),
            ("expr\u{e9}ss", true),
            ("expres", true),
            ("newsfeeds", true),
            ("newsfe x", false),
            ("the x", true),
            ("then x", false),
            ("gone x", true),
            ("god x", true),
            ("g xyz", false),
            ("xyz  ", false),
            // It may continue.
            ("xyz", true),
            ("xyø  ", true),
            ("rüsk x", false),
            ("rüst x", true),
            ("Gø x", true),
        ] {
            assert_eq!(sieve.may_begin(text, 0, false), expected, "{text}");
        }
        assert!(sieve.may_begin_with('н') && !sieve.may_begin_with('о'));
    }

    #[test]
    fn html_is_excluded_if_no_text_in_it_can_have_a_phrase() {
        let mut sieve = Sieve::default();
        let words = [("rust", true), ("the", false), ("новости", true), ("express", false)];
        for (word, begins) in words {
            sieve.add(word, begins);
        }
        for (markup, expected) in [
            ("<p>One <b>small</b> body &amp; more.</p>", true),
            ("<p>One <b>rust</b> body</p>", false),
            ("<p>One r<b>ust</b> body</p>", false),
            ("<p>One ru<b>st</b> body</p>", false),
            ("<p>expre<b>ss</b> body</p>", false),
            ("<p>express</p>", false),
            ("<p>expresso</p>", true),
            ("<p>One x<b>yz</b> body</p>", true),
            ("<p>then</p>", true),
            ("<p>th<i>e</i></p>", false),
            ("<p>&#114;ust</p>", false),
            ("<p>&ltrust</p>", false),
            ("<p>x&amp;y</p>", true),
            ("<p>сон новый</p>", false),
            ("<p>сон, кот</p>", true),
            ("<p>étage, Übung, naïve… 东京 🚀</p>", true),
            ("<p>r\u{fc}st</p>", false),
            ("<p>ru\u{200b}st</p>", false),
            ("<p>xru\u{7}st</p>", false),
            ("", true),
        ] {
            assert_eq!(sieve.excludes(markup), expected, "{markup}");
        }
        assert!(!sieve.excludes(&"x ".repeat(MAX_BLOCK_LINE)));
    }
}
