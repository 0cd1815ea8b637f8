//! The first words of phrases, as sets that a word of a text is compared with.

use crate::util::html::separates_words;

/// Number of letters by which words are compared, unless they have fewer.
pub(super) const LETTERS: usize = 4;
/// Bits of a key in the set, whose 8 KiB stay in the fastest cache.
const BITS: u32 = 16;
/// Number of buckets for words of at least four letters.
pub(super) const BUCKETS: usize = 4096;
/// Maximum number of tags after a word that are examined, and of letters in one.
const MOST_TAGS: usize = 4;
const LONGEST_TAG: usize = 16;
/// A one in each byte, and the highest bit of each byte.
pub(super) const EACH: u64 = 0x0101_0101_0101_0101;
pub(super) const HIGHEST: u64 = 0x80 * EACH;

/// The first word of a phrase.
#[derive(Debug)]
pub(super) struct FirstWord {
    pub(super) bucket: usize,
    /// The first eight letters, and which bits of them count.
    pub(super) head: u64,
    pub(super) mask: u64,
    /// Its letters up to the first that is not ASCII.
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

    /// Whether a text may begin with it. `lower`: the first eight bytes of the text, as if they were letters.
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

/// Whether the word may continue at a position, after markup or with characters that are not ASCII.
fn may_go_on(text: &[u8], at: usize, in_markup: bool) -> bool {
    match text.get(at) {
        Some(b'<') => in_markup && !ends_word(&text[at..]),
        Some(b'&') => in_markup,
        other => other.is_some_and(|byte| !byte.is_ascii()),
    }
}

/// Whether the word before HTML that begins with `<` certainly ends there: only simple closing tags follow,
/// then something that separates words.
pub(super) fn ends_word(markup: &[u8]) -> bool {
    let mut rest = markup;
    for _ in 0..MOST_TAGS {
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

/// A set of keys.
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

/// The next hash of the letters of a word.
pub(super) fn hashed(hash: u32, letter: char) -> u32 {
    (hash.rotate_left(5) ^ u32::from(letter)).wrapping_mul(0x9e37_79b1)
}

/// The bucket of a word by its first four letters.
#[inline]
pub(super) fn bucket(head: u64) -> usize {
    let four = (head & 0xffff_ffff) as u32;
    (four.wrapping_mul(0x85eb_ca6b) >> (32 - BUCKETS.ilog2())) as usize
}

/// The position of the bit of a key.
fn place(key: u32) -> (usize, u64) {
    let hash = key.wrapping_mul(0x9e37_79b1) >> (32 - BITS);
    ((hash >> 6) as usize, 1 << (hash & 63))
}

/// Marks by their highest bits which of eight bytes are ASCII letters or digits, and which are not ASCII. The
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
