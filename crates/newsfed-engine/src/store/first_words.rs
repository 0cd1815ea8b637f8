//! The first words of phrases, as sets that the words of a text are compared with.

use crate::util::html::separates_words;

/// Number of leading letters by which words are looked up; shorter words are looked up as a whole.
pub(super) const LETTERS: usize = 4;
/// Number of bits of a key in the set, whose 8 KiB stay in the L1 cache.
const BITS: u32 = 16;
/// Number of buckets for words of at least four letters.
pub(super) const BUCKETS: usize = 4096;
/// Maximum number of tags after a word that are examined.
const MAX_TAGS: usize = 4;
/// Maximum length of the name of one of these tags, in letters.
const LONGEST_TAG: usize = 16;
/// Masks of the compared bytes of a word, by the number of its letters.
pub(super) const SHORT: [u64; 9] =
    [0, !0 >> 56, !0 >> 48, !0 >> 40, !0 >> 32, !0 >> 24, !0 >> 16, !0 >> 8, !0];
/// A one in each byte.
pub(super) const EACH: u64 = 0x0101_0101_0101_0101;
/// The highest bit of each byte.
pub(super) const HIGHEST: u64 = 0x80 * EACH;

/// The first word of a phrase.
#[derive(Debug)]
pub(super) struct FirstWord {
    pub(super) bucket: usize,
    /// The first eight letters, and the mask of the bits that count.
    pub(super) head: u64,
    pub(super) mask: u64,
    /// The letters of the word up to the first that is not ASCII.
    pub(super) letters: String,
    /// Whether the phrase may also begin with a longer word.
    pub(super) is_open: bool,
}

impl FirstWord {
    pub(super) fn new(letters: &str, is_open: bool) -> Self {
        let mut head = [0; 8];
        head.iter_mut().zip(letters.bytes()).for_each(|(to, letter)| *to = letter);
        let mask = !0 >> (64 - 8 * letters.len().clamp(LETTERS, 8));
        let head = u64::from_le_bytes(head);
        Self { bucket: bucket(head), head, mask, letters: letters.to_owned(), is_open }
    }

    /// Whether a text may begin with the word. `lower` is the result of [`lower`] for the first eight bytes
    /// of the text.
    #[inline]
    pub(super) fn fits(&self, lower: u64, text: &[u8], in_markup: bool) -> bool {
        let differs = (lower ^ self.head) & self.mask;
        if differs != 0 {
            return may_go_on(text, differs.trailing_zeros() as usize / 8, in_markup);
        }
        for (at, letter) in self.letters.bytes().enumerate().skip(8) {
            match text.get(at) {
                Some(byte) if byte.to_ascii_lowercase() == letter => {}
                Some(_) => return may_go_on(text, at, in_markup),
                None => return true,
            }
        }
        let next = text.get(self.letters.len());
        self.is_open || next.is_none_or(|byte| !byte.is_ascii_alphanumeric())
    }
}

/// What the first words of phrases in a bucket have in common.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Common {
    head: u64,
    mask: u64,
    /// Whether all words have more than the eight letters that are compared.
    is_long: bool,
}

impl Common {
    /// The value of an empty bucket.
    const NONE: Self = Self { head: !0, mask: !0, is_long: false };

    fn of(head: u64, mask: u64, is_long: bool) -> Self {
        Self { head: head & mask, mask, is_long }
    }

    fn and(self, other: Self) -> Self {
        let mask = self.mask & other.mask & !(self.head ^ other.head);
        Self::of(self.head, mask, self.is_long && other.is_long)
    }
}

/// The prefixes of first words, as a table that the words of a text are compared with.
#[derive(Debug)]
pub(super) struct Heads {
    /// What the words of each bucket have in common. The first half is for words of a text that end after
    /// their letters, the second half for words that may continue, for example after a tag.
    common: Box<[Common; 2 * BUCKETS]>,
}

impl Heads {
    /// `whole` contains words of fewer than [`LETTERS`] letters, `cut` prefixes of longer words that are just
    /// as short.
    pub(super) fn new(words: &[FirstWord], whole: &[u64], cut: &[u64]) -> Self {
        let mut heads = Self { common: Box::new([Common::NONE; 2 * BUCKETS]) };
        for word in words {
            let common = Common::of(word.head, word.mask, word.letters.len() > 8);
            heads.add(word.bucket, common);
            heads.add(BUCKETS + word.bucket, common);
        }
        for letters in whole {
            heads.add(bucket(*letters), Common::of(*letters, SHORT[LETTERS], false));
        }
        for letters in whole.iter().chain(cut) {
            heads.add(BUCKETS + bucket(*letters), Common::of(*letters, SHORT[LETTERS], false));
        }
        heads
    }

    fn add(&mut self, at: usize, common: Common) {
        let known = &mut self.common[at % (2 * BUCKETS)];
        *known = if *known == Common::NONE { common } else { known.and(common) };
    }

    /// Whether a phrase may begin with a word of at least four letters that certainly ends after its letters.
    /// `letters` are the eight bytes at its start, in lower case. There are false positives.
    #[inline]
    pub(super) fn may_begin_long(&self, letters: u64) -> bool {
        let common = &self.common[bucket(letters)];
        (letters ^ common.head) & common.mask == 0
    }

    /// Whether a phrase may begin with the word at the start of eight bytes. `count` is the number of bytes
    /// in the word, or nine if there are more than eight. `joins` is whether the word may continue after the
    /// next byte, for example after a tag.
    #[inline]
    pub(super) fn may_begin(&self, bytes: u64, count: usize, joins: bool) -> bool {
        let compared = SHORT[count.min(8)];
        let letters = lower(bytes) & compared;
        // The code has no branches, because the processor cannot predict which words continue.
        let common = &self.common[bucket(letters) + usize::from(joins) * BUCKETS];
        let differs = (letters ^ common.head) & common.mask;
        let counts = compared | u64::from(joins).wrapping_sub(1);
        (differs & counts == 0) & (joins | (count > 8) | !common.is_long)
    }
}

/// Converts eight bytes to lower case. Bytes that are not letters become meaningless.
#[inline]
pub(super) fn lower(bytes: u64) -> u64 {
    bytes | (0x20 * EACH)
}

/// Whether a word may continue at a position, after markup or with a character that is not ASCII.
fn may_go_on(text: &[u8], at: usize, in_markup: bool) -> bool {
    match text.get(at) {
        Some(b'<') => in_markup && !ends_word(&text[at..]),
        Some(b'&') => in_markup,
        other => other.is_some_and(|byte| !byte.is_ascii()),
    }
}

/// Whether the word before `markup`, which begins with `<`, certainly ends there: only simple closing tags
/// follow, and then something that separates words.
pub(super) fn ends_word(markup: &[u8]) -> bool {
    let mut rest = markup;
    for _ in 0..MAX_TAGS {
        let closes = rest.get(1) == Some(&b'/');
        let Some(tag) = rest.get(1 + usize::from(closes)..).filter(|_| rest[0] == b'<') else {
            return false;
        };
        let name = tag.iter().take(LONGEST_TAG).take_while(|byte| byte.is_ascii_alphanumeric());
        let (name, after) = tag.split_at(name.count());
        if after.first() != Some(&b'>') || !name.first().is_some_and(u8::is_ascii_alphabetic) {
            return false;
        }
        if std::str::from_utf8(name).is_ok_and(separates_words) {
            return true;
        }
        if !closes {
            return false;
        }
        rest = &after[1..];
        match rest.first() {
            Some(b'<') => {}
            other => {
                return other
                    .is_none_or(|b| b.is_ascii() && !b.is_ascii_alphanumeric() && *b != b'&');
            }
        }
    }
    false
}

/// A bit set with one bit per hash of a key, so it may also contain keys that were never inserted.
#[derive(Debug)]
pub(super) struct Keys(Vec<u64>);

impl Default for Keys {
    fn default() -> Self {
        Self(vec![0; 1 << (BITS - 6)])
    }
}

impl Keys {
    pub(super) fn insert(&mut self, key: u32) {
        let (at, bit) = place(key);
        if let Some(bits) = self.0.get_mut(at) {
            *bits |= bit;
        }
    }

    #[inline]
    pub(super) fn has(&self, key: u32) -> bool {
        let (at, bit) = place(key);
        self.0.get(at).is_none_or(|bits| bits & bit != 0)
    }
}

/// Adds a letter to the hash of a word.
pub(super) fn hashed(hash: u32, letter: char) -> u32 {
    (hash.rotate_left(5) ^ u32::from(letter)).wrapping_mul(0x9e37_79b1)
}

/// The bucket of a word by its first four letters.
#[inline]
pub(super) fn bucket(head: u64) -> usize {
    let four = (head & 0xffff_ffff) as u32;
    (four.wrapping_mul(0x85eb_ca6b) >> (32 - BUCKETS.ilog2())) as usize % BUCKETS
}

/// The position of a key's bit.
fn place(key: u32) -> (usize, u64) {
    let hash = key.wrapping_mul(0x9e37_79b1) >> (32 - BITS);
    ((hash >> 6) as usize, 1 << (hash & 63))
}

/// Marks, by the highest bits, which of eight bytes are ASCII letters or digits, and which are not ASCII. The
/// bytes are compared by additions that never carry into the next byte.
#[inline]
pub(super) fn highest_bits(bytes: u64) -> (u64, u64) {
    let low = bytes & !HIGHEST;
    let lower = low | (0x20 * EACH);
    let between = |bytes: u64, first: u8, last: u8| {
        let from = bytes + (0x80 - u64::from(first)) * EACH;
        from & !(bytes + (0x7f - u64::from(last)) * EACH)
    };
    let word = between(lower, b'a', b'z') | between(low, b'0', b'9');
    (word & !bytes & HIGHEST, bytes & HIGHEST)
}
