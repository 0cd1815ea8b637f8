//! Finds the words of a text that may begin a phrase. Most are excluded by their first letters, many bytes at
//! a time, because reading every letter would take longer than all other work on rules.

use super::first_words::{
    BUCKETS, EACH, FirstWord, HIGHEST, Keys, LETTERS, bucket, ends_word, hashed, highest_bits,
};
use super::folding::{Form, Known, known};
use super::index::MAX_TEXT;
use super::sieve_stops::{BLOCK, Block, Common, Stops, classified, head};
use crate::util::text::MAX_BLOCK_LINE;

/// Maximum number of letters of a word that are compared if some of them have accents.
const MOST_FOLDED: usize = 32;
/// The bit that is set in the key of a character that is not ASCII.
const OTHER: u32 = 1 << 31;
/// Character references that are not part of a word.
const REFERENCES: [&str; 5] = ["&amp;", "&lt;", "&gt;", "&quot;", "&nbsp;"];

/// The beginnings of phrases, in lower case. Others may seem to be among them.
#[derive(Debug, Default)]
pub(super) struct Sieve {
    beginnings: Keys,
    /// Beginnings that were shortened further, for words that are cut off.
    cut: Keys,
    /// For each number of letters, whether there are beginnings of that length that longer words may
    /// continue.
    short: [bool; LETTERS - 1],
    /// Whether there are any such beginnings.
    is_short: bool,
    /// The words of at least four letters, sorted by bucket.
    words: Vec<FirstWord>,
    /// For each bucket, the index of its first word; empty if there are too many words.
    buckets: Vec<u16>,
    /// Whole words of fewer letters.
    whole: Vec<u64>,
    /// For each bucket, the index of its value in `common`; `None` if that was not computed.
    slots: Option<Box<[u16; BUCKETS]>>,
    common: Vec<Common>,
    /// Words that begin with a letter that is not ASCII: all their beginnings, those that longer words may
    /// continue, and whole ones, by their hashes.
    other: [Keys; 3],
}

/// How many of eight bytes are letters or digits before the first other byte.
#[inline]
fn letters_of(bytes: u64) -> usize {
    (!highest_bits(bytes).0 & HIGHEST).trailing_zeros() as usize / 8
}

/// What follows the letters of a word that is read letter by letter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum After {
    Gap,
    Letter,
    /// Perhaps another letter.
    Unclear,
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
            return self.add_other(word, letter, begins);
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
                self.words.push(FirstWord::new(&word[..end], is_open));
            }
            _ if count == word.len() => {
                self.beginnings.insert(key);
                self.whole.push(u64::from(key));
                if let Some(short) = self.short.get_mut(count - 1).filter(|_| begins) {
                    (*short, self.is_short) = (true, true);
                }
            }
            // A word that continues with another character is never excluded, and neither is its beginning.
            _ => self.cut.insert(key),
        }
    }

    fn add_other(&mut self, word: &str, letter: char, begins: bool) {
        self.beginnings.insert(u32::from(letter) | OTHER);
        let [beginnings, open, whole] = &mut self.other;
        let end = word.chars().fold(0, |hash, letter| {
            let hash = hashed(hash, letter);
            beginnings.insert(hash);
            hash
        });
        if begins { open.insert(end) } else { whole.insert(end) }
    }

    /// Prepares what was added.
    pub(super) fn build(&mut self) {
        self.words.sort_unstable_by(|a, b| (a.bucket, &a.letters).cmp(&(b.bucket, &b.letters)));
        self.words.dedup_by(|b, a| a.letters == b.letters && a.is_open == b.is_open);
        // If there are too many words to number, any word with the first four letters of one of them counts.
        if u16::try_from(self.words.len()).is_err() {
            return self.words.clear();
        }
        let start = |bucket| self.words.partition_point(|word| word.bucket < bucket);
        let starts = (0..=BUCKETS).map(|bucket| u16::try_from(start(bucket)).unwrap_or(u16::MAX));
        self.buckets = starts.collect();
        self.compare();
    }

    /// Finds what the words of each bucket have in common.
    fn compare(&mut self) {
        let words = self.words.iter().map(|word| Common::of(word.head, word.mask));
        let whole = self.whole.iter().map(|letters| Common::of(*letters, 0xffff_ffff));
        self.common = vec![Common::NONE];
        let mut slots = Box::new([0u16; BUCKETS]);
        for word in words.chain(whole) {
            let Some(slot) = slots.get_mut(word.bucket()) else { continue };
            match self.common.get_mut(usize::from(*slot)).filter(|_| *slot > 0) {
                Some(common) => *common = common.and(word),
                // There are fewer buckets than `u16` values.
                None => {
                    *slot = u16::try_from(self.common.len()).unwrap_or_default();
                    self.common.push(word);
                }
            }
        }
        self.slots = Some(slots);
    }

    /// Whether a phrase may begin with a word that has these first eight letters; zeros follow if it has
    /// fewer.
    #[inline]
    pub(super) fn may_begin_with_letters(&self, letters: u64) -> bool {
        let slot = self.slots.as_ref().and_then(|slots| slots.get(bucket(letters)));
        let common = slot.and_then(|slot| self.common.get(usize::from(*slot)));
        let is_common = common.is_none_or(|common| common.fits(letters));
        is_common | (self.is_short && self.has_shorter((letters & 0xffff_ffff) as u32))
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

    /// The words of at least four letters that may begin like the first eight bytes of a text; `None`: any
    /// word may.
    #[inline]
    fn words_like(&self, lower: u64) -> Option<&[FirstWord]> {
        let bucket = bucket(lower);
        let (from, to) = (*self.buckets.get(bucket)?, *self.buckets.get(bucket + 1)?);
        self.words.get(usize::from(from)..usize::from(to))
    }

    /// Whether a phrase may begin with the word at a position of a text. `letters`: how many it has, if
    /// that is known. `in_markup`: words may continue after tags.
    #[inline]
    pub(super) fn may_begin(
        &self,
        text: &str,
        at: usize,
        letters: Option<usize>,
        in_markup: bool,
    ) -> bool {
        let rest = text.as_bytes().get(at..).unwrap_or_default();
        let bytes = head(rest, 0);
        let count = letters.map_or_else(|| letters_of(bytes), |letters| letters.min(8));
        // Except in markup, the last word may continue after the end of this text.
        if count >= rest.len() && !in_markup {
            return true;
        }
        let head = bytes.to_le_bytes();
        let lower = bytes | (0x20 * EACH);
        let four = (lower & 0xffff_ffff) as u32;
        if count >= LETTERS {
            return match head.get(count) {
                _ if !self.beginnings.has(four) => self.has_shorter(four),
                Some(byte) if !byte.is_ascii() => self.may_begin_folded(&text[at..]),
                _ => self.has_longer(lower, rest, in_markup) || self.has_shorter(four),
            };
        }
        let key = first(four, count as u32);
        match head[count] {
            byte if !byte.is_ascii() => self.may_begin_folded(&text[at..]),
            b'<' | b'&' if in_markup && !ends_word(&rest[count..]) => {
                self.cut.has(key) || self.has(key)
            }
            _ => self.has(key),
        }
    }

    fn has_longer(&self, lower: u64, text: &[u8], in_markup: bool) -> bool {
        let mut words = self.words_like(lower).map(<[FirstWord]>::iter);
        words.as_mut().is_none_or(|words| words.any(|word| word.fits(lower, text, in_markup)))
    }

    /// Like [`Self::may_begin`], for a word with characters other than ASCII near its beginning.
    fn may_begin_folded(&self, text: &str) -> bool {
        let mut letters = text.char_indices().filter_map(|(at, c)| match c {
            _ if c.is_ascii_alphanumeric() => Some(Form::Letter(c.to_ascii_lowercase())),
            '<' if ends_word(&text.as_bytes()[at..]) => Some(Form::Gap),
            '<' | '&' => Some(Form::Unknown),
            _ if c.is_ascii() => Some(Form::Gap),
            _ => Some(known(c).form).filter(|form| *form != Form::Nothing),
        });
        let (mut word, mut count) = ([0u8; MOST_FOLDED], 0);
        let after = loop {
            match letters.next() {
                Some(Form::Letter(c)) if c.is_ascii() && count < MOST_FOLDED => {
                    word[count] = u8::try_from(c).unwrap_or_default();
                    count += 1;
                }
                Some(Form::Letter(c)) if count == 0 => {
                    return self.may_begin_with(c) && self.has_other(c, letters);
                }
                Some(Form::Letter(c)) if c.is_ascii() => break After::Letter,
                Some(Form::Gap | Form::Strange) => break After::Gap,
                _ => break After::Unclear,
            }
        };
        let four = u32::from_le_bytes([word[0], word[1], word[2], word[3]]);
        if count < LETTERS {
            return after == After::Unclear || self.has(four);
        }
        self.has_shorter(four)
            || self.beginnings.has(four) && self.has_folded(&word[..count], after)
    }

    /// Whether a phrase may begin with these letters, of which there are at least four, followed by `after`.
    fn has_folded(&self, letters: &[u8], after: After) -> bool {
        let four = [letters[0], letters[1], letters[2], letters[3], 0, 0, 0, 0];
        let Some(words) = self.words_like(u64::from_le_bytes(four)) else { return true };
        words.iter().any(|word| {
            let known = word.letters.as_bytes();
            match known.len() {
                longer if longer > letters.len() => {
                    after != After::Gap && known.starts_with(letters)
                }
                same if same == letters.len() => {
                    (word.is_open || after != After::Letter) && known == letters
                }
                _ => word.is_open && letters.starts_with(known),
            }
        })
    }

    /// Whether a phrase may begin with a letter that is not ASCII, followed by the other letters.
    fn has_other(&self, letter: char, letters: impl Iterator<Item = Form>) -> bool {
        let [beginnings, open, whole] = &self.other;
        let mut hash = hashed(0, letter);
        for form in letters {
            if open.has(hash) {
                return true;
            }
            hash = match form {
                Form::Letter(letter) => hashed(hash, letter),
                Form::Gap | Form::Strange => return whole.has(hash),
                Form::Unknown | Form::Nothing => return true,
            };
            if !beginnings.has(hash) {
                return false;
            }
        }
        true
    }

    /// Whether HTML certainly contains no phrase, whichever parts of it are text. Most contain none, and
    /// finding their tags would take longer than this test.
    pub(super) fn excludes(&self, markup: &str) -> bool {
        // Longer texts are cut off, and longer lines are broken.
        if markup.len() > MAX_TEXT.min(MAX_BLOCK_LINE) {
            return false;
        }
        let mut references = memchr::memchr_iter(b'&', markup.as_bytes());
        if !references.all(|at| REFERENCES.iter().any(|known| markup[at..].starts_with(known))) {
            return false;
        }
        let mut stops = Stops::new(self, markup);
        while let Some((at, in_word)) = stops.next() {
            let Some(c) = markup.get(at..).and_then(|rest| rest.chars().next()) else {
                return false;
            };
            let Known { form, is_clean } = known(c);
            if c.is_ascii() || !is_clean || form == Form::Unknown {
                return false;
            }
            let is_letter = matches!(form, Form::Letter(_));
            if is_letter && !in_word && self.may_begin_folded(&markup[at..]) {
                return false;
            }
            stops.resume(at + c.len_utf8(), is_letter || form == Form::Nothing && in_word);
        }
        // Control characters are removed from texts, which can join words.
        !stops.has_controls()
    }

    /// The next position of a word that may begin a phrase, or of a character that is not ASCII, and whether
    /// the byte before it belongs to a word. `in_word`: the byte before `at` does.
    pub(super) fn next(&self, text: &str, mut at: usize, in_word: bool) -> (usize, bool) {
        let bytes = text.as_bytes();
        let mut before = u32::from(in_word);
        while let Some(rest) = bytes.get(at..).filter(|rest| !rest.is_empty()) {
            let Block { words, others, .. } = match rest.first_chunk::<BLOCK>() {
                Some(block) => classified(block, &mut [0; BLOCK]),
                None => {
                    let mut block = [b' '; BLOCK];
                    block[..rest.len()].copy_from_slice(rest);
                    classified(&block, &mut [0; BLOCK])
                }
            };
            let preceded = words << 1 | before;
            let mut stops = words & !preceded | others;
            while stops != 0 {
                let offset = stops.trailing_zeros();
                let stop = at + offset as usize;
                // Number of letters of the word, up to the end of the block.
                let count = (!(words >> offset)).trailing_zeros() as usize;
                let in_block = (offset as usize + count < BLOCK).then_some(count);
                if others >> offset & 1 == 1 || self.may_begin(text, stop, in_block, false) {
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

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Like [`Sieve::next`], but byte by byte.
    fn slowly(sieve: &Sieve, text: &str, at: usize, in_word: bool) -> (usize, bool) {
        let bytes = text.as_bytes();
        let mut before = in_word;
        for (stop, byte) in bytes.iter().enumerate().skip(at) {
            let is_word = byte.is_ascii_alphanumeric();
            if !byte.is_ascii() || is_word && !before && sieve.may_begin(text, stop, None, false) {
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
            sieve.build();
            let at = (0..=at.min(text.len())).rfind(|at| text.is_char_boundary(*at)).unwrap_or(0);
            prop_assert_eq!(sieve.next(&text, at, in_word), slowly(&sieve, &text, at, in_word));
        }
    }

    #[test]
    fn words_are_excluded_by_their_first_letters() {
        let mut sieve = Sieve::default();
        let closed = ["the", "express"].map(|word| (word, false));
        let open = ["rust", "go", "новости", "newsfeed"].map(|word| (word, true));
        closed.into_iter().chain(open).for_each(|(word, begins)| sieve.add(word, begins));
        sieve.build();
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
            // The word may continue after the text.
            ("xyz", true),
            ("xyø  ", true),
            ("rüsk x", false),
            ("rüst x", true),
            ("Gø x", true),
        ] {
            assert_eq!(sieve.may_begin(text, 0, None, false), expected, "{text}");
        }
        assert!(sieve.may_begin_with('н') && !sieve.may_begin_with('о'));
    }

    #[test]
    fn html_is_excluded_if_no_text_in_it_can_have_a_phrase() {
        let mut sieve = Sieve::default();
        let words = [
            ("rust", true),
            ("the", false),
            ("новости", true),
            ("express", false),
            ("g\u{f8}", true),
        ];
        for (word, begins) in words {
            sieve.add(word, begins);
        }
        sieve.build();
        for (markup, expected) in [
            ("<p>One <b>small</b> body &amp; more.</p>", true),
            ("<p>One <b>rust</b> body</p>", false),
            ("<p>One r<b>ust</b> body</p>", false),
            ("<p>One ru<b>st</b> body</p>", false),
            ("<p>expre<b>ss</b> body</p>", false),
            ("<p><b>expre</b>ss body</p>", false),
            ("<p><b>expre</b>\u{e9} body</p>", false),
            ("<p><b>expre</b>&shy;ss body</p>", false),
            ("<p><b>expre</b> body</p>", true),
            ("<p><i><b>expre</b></i>, body</p>", true),
            ("<p><i><b>expre</b></i>ss body</p>", false),
            ("<p><b>expre</b><i>ss</i> body</p>", false),
            ("<p><b>expre</b title=\">\"> body</p>", false),
            ("<p>expre<!-- > -->ss body</p>", false),
            ("<p><b>ru</b> body</p>", true),
            ("<p><b>ru</b>st body</p>", false),
            ("<p><b>r\u{fc}</b> body</p>", true),
            ("<p><b>r\u{fc}</b>st body</p>", false),
            ("<p><b>expr\u{e8}</b> body</p>", true),
            ("<p><b>expr\u{e8}</b>ss body</p>", false),
            ("<p>express</p>", false),
            ("<p>expresso</p>", true),
            ("<p>g<b>\u{f8}</b></p>", false),
            ("<p>g<b>o</b></p>", false),
            ("<p>g x</p>", true),
            ("<ul><li>expre</li><li>ss</li></ul>", true),
            ("<p>expre<br>ss</p>", true),
            ("<p>expre<br/>ss</p>", false),
            ("<p>expre<wbr>ss</p>", false),
            ("<p><b>expre</b></p><p>ss</p>", true),
            ("<p>One x<b>yz</b> body</p>", true),
            ("<p>then</p>", true),
            ("<p>th<i>e</i></p>", false),
            ("<p>&#114;ust</p>", false),
            ("<p>&ltrust</p>", false),
            ("<p>x&amp;y</p>", true),
            ("<p>сон новый</p>", true),
            ("<p>сон новости</p>", false),
            ("<p>сон Новостица</p>", false),
            ("<p><b>ново</b> кот</p>", true),
            ("<p>ново<b>сти</b></p>", false),
            ("<p>новост о</p>", true),
            ("<p>caf\u{e9}s, exp\u{e9}rt</p>", true),
            ("<p>expr\u{e8}ss</p>", false),
            ("<p>expr\u{e8}sso</p>", true),
            ("<p>expr\u{e8}ss\u{f8}</p>", false),
            ("<p>\u{e9}xpress</p>", false),
            ("<p>\u{e9}xpresso, \u{e9}xpres.</p>", true),
            ("<p>r\u{fc}sty</p>", false),
            ("<p>r\u{fc}s</p>", true),
            ("<p>r\u{fc}s go</p>", true),
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
