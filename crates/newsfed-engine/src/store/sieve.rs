//! Finds the words of a text that may begin a phrase. Most words are excluded by their first letters, many
//! bytes at a time, because reading every letter would take longer than all other work on rules.

use super::first_words::{
    BUCKETS, FirstWord, HIGHEST, Heads, Keys, LETTERS, bucket, ends_word, hashed, highest_bits,
    lower,
};
use super::folding::{Form, Known, known};
use super::index::MAX_TEXT;
use super::sieve_blocks::{BLOCK, Block, Blocks, classified, filled, head, positions};
use crate::util::text::MAX_BLOCK_LINE;

/// Maximum number of letters in a word that are compared if some of them have accents.
const MAX_FOLDED: usize = 32;
/// The bit that is set in keys of characters that are not ASCII.
const OTHER: u32 = 1 << 31;

/// The prefixes of phrases, in lower case. There are false positives.
#[derive(Debug, Default)]
pub(super) struct Sieve {
    beginnings: Keys,
    /// The same prefixes as `parts`, for words of a text of which only the first letters are certain.
    cut: Keys,
    /// For each number of letters below four, whether a first word of that length may be the prefix of a
    /// longer word.
    short: [bool; LETTERS - 1],
    /// Whether any entry of `short` is true.
    is_short: bool,
    /// The words of at least four letters, sorted by bucket.
    words: Vec<FirstWord>,
    /// For each bucket, the index of its first word; empty if there are too many words.
    buckets: Vec<u16>,
    /// Whole words of fewer than four letters.
    whole: Vec<u64>,
    /// Prefixes of longer words, with fewer than four letters each.
    parts: Vec<u64>,
    /// For each number of letters below four: all bits are set if a phrase may begin with a word of that
    /// length, else none.
    keeps: [u64; LETTERS - 1],
    heads: Option<Heads>,
    /// Hashes for first words that begin with a letter that is not ASCII: of all their prefixes, of words
    /// that may be the prefix of a longer word, and of words that may not.
    other: [Keys; 3],
}

/// Number of letters and digits at the start of eight bytes.
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

/// The last character that was not ASCII: where it ends, and whether a word may continue there.
#[derive(Debug, Default, Clone, Copy)]
struct Last {
    end: usize,
    in_word: bool,
}

/// Whether a text begins with a character reference that is not part of a word.
fn separates(text: &str) -> bool {
    // The patterns are compared without a function call for each.
    matches!(
        text.as_bytes(),
        [b'&', b'a', b'm', b'p', b';', ..]
            | [b'&', b'l' | b'g', b't', b';', ..]
            | [b'&', b'q', b'u', b'o', b't', b';', ..]
            | [b'&', b'n', b'b', b's', b'p', b';', ..]
    )
}

/// Whether a text ends within a word.
fn follows_letters(text: &str) -> bool {
    for c in text.chars().rev() {
        match known(c).form {
            _ if c.is_ascii() => return c.is_ascii_alphanumeric(),
            Form::Letter(_) => return true,
            Form::Nothing => {}
            _ => return false,
        }
    }
    false
}

/// The first letters of a key.
fn first(key: u32, letters: u32) -> u32 {
    key & !(!0 << (8 * letters))
}

impl Sieve {
    /// Adds the first word of a phrase. With `begins`, it may be a prefix of a longer word.
    pub(super) fn add(&mut self, word: &str, begins: bool) {
        let Some(letter) = word.chars().next() else { return };
        if !letter.is_ascii() {
            return self.add_other(word, letter, begins);
        }
        let letters = word.bytes().take_while(u8::is_ascii).take(LETTERS);
        let key = letters.clone().zip(0..).fold(0, |key, (b, at)| key | u32::from(b) << (8 * at));
        let count = letters.count();
        for (letters, _) in (1..).zip(1..count) {
            self.add_part(first(key, letters));
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
                let longest = if begins { LETTERS - 1 } else { count };
                self.keeps.iter_mut().take(longest).skip(count - 1).for_each(|bits| *bits = !0);
                if let Some(short) = self.short.get_mut(count - 1).filter(|_| begins) {
                    (*short, self.is_short) = (true, true);
                }
            }
            // Words that continue with another character are never excluded, nor are their prefixes.
            _ => self.add_part(key),
        }
    }

    fn add_part(&mut self, key: u32) {
        self.cut.insert(key);
        self.parts.push(u64::from(key));
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

    /// Prepares the search, after all words have been added.
    pub(super) fn build(&mut self) {
        self.words.sort_unstable_by(|a, b| (a.bucket, &a.letters).cmp(&(b.bucket, &b.letters)));
        self.words.dedup_by(|b, a| a.letters == b.letters && a.is_open == b.is_open);
        self.heads = Some(Heads::new(&self.words, &self.whole, &self.parts));
        // If there are too many words to number, only the first four letters of words are compared.
        if u16::try_from(self.words.len()).is_err() {
            return self.words.clear();
        }
        let start = |bucket| self.words.partition_point(|word| word.bucket < bucket);
        let starts = (0..=BUCKETS).map(|bucket| u16::try_from(start(bucket)).unwrap_or(u16::MAX));
        self.buckets = starts.collect();
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

    /// The words of at least four letters that may have the same first letters as a text, given its first
    /// eight bytes; `None` if any word may.
    #[inline]
    fn words_like(&self, lower: u64) -> Option<&[FirstWord]> {
        let bucket = bucket(lower);
        let (from, to) = (*self.buckets.get(bucket)?, *self.buckets.get(bucket + 1)?);
        self.words.get(usize::from(from)..usize::from(to))
    }

    /// Whether a phrase may begin with the word at a position of a text. `letters` is the number of its
    /// letters, if known. With `in_markup`, words may continue after tags.
    #[inline]
    pub(super) fn may_begin(
        &self,
        text: &str,
        at: usize,
        letters: Option<usize>,
        in_markup: bool,
    ) -> bool {
        let rest = text.as_bytes().get(at..).unwrap_or_default();
        let bytes = head(rest, 0, b' ');
        let count = letters.map_or_else(|| letters_of(bytes), |letters| letters.min(8));
        // Except in markup, the last word may continue after the end of this text.
        if count >= rest.len() && !in_markup {
            return true;
        }
        let head = bytes.to_le_bytes();
        let lower = lower(bytes);
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

    /// Like [`Self::may_begin`], for a word with characters other than ASCII near its start.
    fn may_begin_folded(&self, text: &str) -> bool {
        let mut letters = text.char_indices().filter_map(|(at, c)| match c {
            _ if c.is_ascii_alphanumeric() => Some(Form::Letter(c.to_ascii_lowercase())),
            '<' if ends_word(&text.as_bytes()[at..]) => Some(Form::Gap),
            '<' | '&' => Some(Form::Unknown),
            _ if c.is_ascii() => Some(Form::Gap),
            _ => Some(known(c).form).filter(|form| *form != Form::Nothing),
        });
        let (mut word, mut count) = ([0u8; MAX_FOLDED], 0);
        let after = loop {
            match letters.next() {
                Some(Form::Letter(c)) if c.is_ascii() && count < MAX_FOLDED => {
                    word[count] = u8::try_from(c).unwrap_or_default();
                    count += 1;
                }
                Some(Form::Letter(c)) if count == 0 => {
                    return self.may_begin_with(c) && self.has_other(c, letters);
                }
                Some(Form::Word(c)) if count == 0 => return self.may_begin_with(c),
                Some(Form::Letter(c)) if c.is_ascii() => break After::Letter,
                Some(Form::Gap | Form::Strange | Form::Word(_)) => break After::Gap,
                _ => break After::Unclear,
            }
        };
        let four = u32::from_le_bytes([word[0], word[1], word[2], word[3]]);
        if count < LETTERS {
            let goes_on = after == After::Unclear && (count == 0 || self.cut.has(four));
            return goes_on || self.has(four);
        }
        self.has_shorter(four)
            || self.beginnings.has(four) && self.has_folded(&word[..count], after)
    }

    /// Whether a phrase may begin with these letters, at least four, followed by `after`.
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
                Form::Gap | Form::Strange | Form::Word(_) => return whole.has(hash),
                Form::Unknown | Form::Nothing => return true,
            };
            if !beginnings.has(hash) {
                return false;
            }
        }
        true
    }

    /// Whether HTML certainly contains no phrase, whichever parts of it are text. Most HTML contains none,
    /// and finding the tags would take longer than this test.
    pub(super) fn excludes(&self, markup: &str) -> bool {
        // Longer texts are cut off, and longer lines are broken.
        if markup.len() > MAX_TEXT.min(MAX_BLOCK_LINE) {
            return false;
        }
        let Some(heads) = &self.heads else { return false };
        let (mut blocks, mut last, mut controls) = (Blocks::new(markup), Last::default(), false);
        while let Some(start) = blocks.advance() {
            let rest = |at| markup.get(start + at..).unwrap_or_default();
            let block = blocks.block();
            controls |= block.controls;
            if !positions(block.references).all(|at| separates(rest(at)))
                || !positions(block.others)
                    .map(|at| start + at)
                    .filter(|at| markup.is_char_boundary(*at))
                    .all(|at| self.excludes_other(markup, at, &mut last))
            {
                return false;
            }
            let beginnings = match self.is_short {
                true => blocks.beginnings(heads, self.keeps, |key| self.has_shorter(key)),
                false => blocks.beginnings(heads, self.keeps, |_| false),
            };
            if positions(beginnings).any(|at| self.may_begin_word(markup, start + at)) {
                return false;
            }
        }
        // Removing control characters joins words.
        !controls
    }

    fn may_begin_word(&self, markup: &str, at: usize) -> bool {
        self.may_begin(markup, at, None, true) && !follows_letters(&markup[..at])
    }

    /// Whether no phrase begins at a character that is not ASCII, and everything known about the character is
    /// certain.
    fn excludes_other(&self, markup: &str, at: usize, last: &mut Last) -> bool {
        let Some(c) = markup.get(at..).and_then(|rest| rest.chars().next()) else { return false };
        let Known { form, is_clean } = known(c);
        let is_letter = matches!(form, Form::Letter(_));
        let before = at.checked_sub(1).and_then(|at| markup.as_bytes().get(at));
        let in_word = match at == last.end {
            true => last.in_word,
            false => before.is_some_and(u8::is_ascii_alphanumeric),
        };
        *last =
            Last { end: at + c.len_utf8(), in_word: is_letter || form == Form::Nothing && in_word };
        let may_begin = match form {
            Form::Word(c) => self.may_begin_with(c),
            _ => is_letter && !in_word && self.may_begin_folded(&markup[at..]),
        };
        is_clean && form != Form::Unknown && !may_begin
    }

    /// The next position of a word that may begin a phrase, or of a character that is not ASCII, and whether
    /// the byte before it belongs to a word. `in_word` is whether the byte before `at` does.
    pub(super) fn next(&self, text: &str, mut at: usize, in_word: bool) -> (usize, bool) {
        let bytes = text.as_bytes();
        let mut before = u64::from(in_word);
        while let Some(rest) = bytes.get(at..).filter(|rest| !rest.is_empty()) {
            let Block { words, others, .. } = match rest.first_chunk::<BLOCK>() {
                Some(block) => classified(block),
                None => classified(&filled(rest, b' ')),
            };
            let preceded = words << 1 | before;
            let mut stops = words & !preceded | others;
            while stops != 0 {
                let offset = stops.trailing_zeros();
                let stop = at + offset as usize;
                // Number of letters in the word, up to the end of the block.
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
mod tests;
