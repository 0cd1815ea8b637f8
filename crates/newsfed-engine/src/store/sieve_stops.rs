//! The positions in HTML where the sieve stops. The bytes are classified many at a time, and most words are
//! excluded without a branch for each, because a branch that the processor predicts wrongly takes longer than
//! the test.

use super::first_words::{EACH, bucket};
use super::sieve::Sieve;

/// Number of bytes that are examined together.
pub(super) const BLOCK: usize = 32;
/// The bits of a word that are compared, by its number of letters.
const SHORT: [u64; 9] = [0, 0xff, 0xffff, 0x00ff_ffff, !0, !0, !0, !0, !0];

/// The classes of the bytes of a block, with one bit for each byte.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Block {
    /// ASCII letters and digits.
    pub(super) words: u32,
    /// Not ASCII.
    pub(super) others: u32,
    /// Bytes at which the preceding word may continue: those that are not ASCII, `<` and `&`.
    joins: u32,
}

/// The bits that the letters of all words in a bucket have in common.
#[derive(Debug, Clone, Copy)]
pub(super) struct Common {
    head: u64,
    mask: u64,
}

impl Common {
    /// The value of a bucket without words.
    pub(super) const NONE: Self = Self { head: !0, mask: !0 };

    pub(super) fn of(head: u64, mask: u64) -> Self {
        Self { head: head & mask, mask }
    }

    pub(super) fn and(self, other: Self) -> Self {
        let mask = self.mask & other.mask & !(self.head ^ other.head);
        Self::of(self.head, mask)
    }

    /// The bucket of its words.
    pub(super) fn bucket(self) -> usize {
        bucket(self.head)
    }

    /// Whether these letters agree with it.
    #[inline]
    pub(super) fn fits(self, letters: u64) -> bool {
        (letters ^ self.head) & self.mask == 0
    }
}

/// Positions in HTML: of words that may begin a phrase, regardless of which parts are text, and of bytes that
/// are not ASCII.
pub(super) struct Stops<'a> {
    sieve: &'a Sieve,
    text: &'a str,
    /// Where the current block begins.
    base: usize,
    block: Block,
    next: Block,
    /// The remaining positions in the block.
    left: u32,
    /// Where the caller resumed, and whether that is within a word.
    resumed: (usize, bool),
    /// Not zero at positions where any block has a control character.
    controls: [u8; BLOCK],
}

impl<'a> Stops<'a> {
    pub(super) fn new(sieve: &'a Sieve, text: &'a str) -> Self {
        let none = Block { words: 0, others: 0, joins: 0 };
        let mut stops = Self {
            sieve,
            text,
            base: 0,
            block: none,
            next: none,
            left: 0,
            resumed: (0, false),
            controls: [0; BLOCK],
        };
        stops.load();
        stops
    }

    /// Resumes at a position after the last one.
    pub(super) fn resume(&mut self, at: usize, in_word: bool) {
        self.resumed = (at, in_word);
        if at < self.base + BLOCK {
            self.pass();
        } else if at < self.base + 2 * BLOCK {
            self.advance();
        } else {
            self.base = at;
            self.load();
        }
    }

    /// Reads the two blocks from `base` on.
    fn load(&mut self) {
        self.block = self.read(self.base);
        self.next = self.read(self.base.saturating_add(BLOCK));
        self.test();
    }

    fn advance(&mut self) {
        self.base += BLOCK;
        self.block = self.next;
        self.next = self.read(self.base.saturating_add(BLOCK));
        self.test();
    }

    #[inline]
    fn read(&mut self, at: usize) -> Block {
        let rest = self.text.as_bytes().get(at..).unwrap_or_default();
        match rest.first_chunk::<BLOCK>() {
            Some(bytes) => classified(bytes, &mut self.controls),
            None => {
                let mut bytes = [b' '; BLOCK];
                bytes[..rest.len()].copy_from_slice(rest);
                let mut block = classified(&bytes, &mut self.controls);
                // The last word may continue after the end of the text.
                block.joins |= !0 << rest.len();
                block
            }
        }
    }

    /// Finds the words of the block that may begin a phrase. Some other words are kept too.
    #[inline]
    fn test(&mut self) {
        let Block { words, others, joins } = self.block;
        let bytes = self.text.as_bytes();
        let before = self.base.checked_sub(1).and_then(|at| bytes.get(at));
        let before = before.is_some_and(u8::is_ascii_alphanumeric);
        let mut starts = words & !(words << 1 | u32::from(before));
        let mut left = others;
        let both = |block: u32, next: u32| u64::from(block) | u64::from(next) << BLOCK;
        let (all, joins) = (both(words, self.next.words), both(joins, self.next.joins));
        while starts != 0 {
            let offset = starts.trailing_zeros();
            starts &= starts - 1;
            // The letters after the first eight are compared later.
            let count = (all >> offset).trailing_ones().min(8);
            let joins = joins >> offset >> count & 1;
            let letters = head(bytes, self.base + offset as usize) | (0x20 * EACH);
            let letters = letters & SHORT[count as usize];
            let may_begin = self.sieve.may_begin_with_letters(letters);
            left |= u32::from(may_begin | (joins != 0)) << offset;
        }
        self.left = left;
        self.pass();
    }

    /// Drops the positions before the one at which the caller resumed.
    #[inline]
    fn pass(&mut self) {
        let (at, in_word) = self.resumed;
        let Some(offset) = at.checked_sub(self.base).filter(|offset| *offset < BLOCK) else {
            return;
        };
        self.left &= !0 << offset;
        if in_word {
            self.left &= !(1 << offset) | self.block.others;
        }
    }

    /// Whether the byte before a position of the block belongs to a word.
    fn is_in_word(&self, at: usize) -> bool {
        let byte = |at| self.text.as_bytes().get(at).is_some_and(u8::is_ascii_alphanumeric);
        if at == self.resumed.0 { self.resumed.1 } else { at.checked_sub(1).is_some_and(byte) }
    }

    /// The next position, and whether the byte before it belongs to a word.
    #[inline]
    pub(super) fn next(&mut self) -> Option<(usize, bool)> {
        loop {
            while self.left != 0 {
                let offset = self.left.trailing_zeros();
                self.left &= self.left - 1;
                let at = self.base + offset as usize;
                let is_other = self.block.others >> offset & 1 == 1;
                if is_other || self.sieve.may_begin(self.text, at, None, true) {
                    return Some((at, self.is_in_word(at)));
                }
            }
            if self.base.saturating_add(BLOCK) >= self.text.len() {
                return None;
            }
            self.advance();
        }
    }

    /// Whether control characters were seen.
    pub(super) fn has_controls(&self) -> bool {
        self.controls != [0; BLOCK]
    }
}

/// The eight bytes from a position on.
#[inline]
pub(super) fn head(bytes: &[u8], at: usize) -> u64 {
    let rest = bytes.get(at..).unwrap_or_default();
    u64::from_le_bytes(match rest.first_chunk::<8>() {
        Some(head) => *head,
        None => {
            let mut head = [b' '; 8];
            head[..rest.len()].copy_from_slice(rest);
            head
        }
    })
}

/// Classifies the bytes of a block. The compiler vectorises the first loop.
#[inline]
pub(super) fn classified(bytes: &[u8; BLOCK], controls: &mut [u8; BLOCK]) -> Block {
    let (mut words, mut others, mut joins) = ([0; BLOCK], [0; BLOCK], [0; BLOCK]);
    for at in 0..BLOCK {
        let byte = bytes[at];
        let letter = (byte | 0x20).wrapping_sub(b'a') < 26;
        words[at] = u8::from(letter | (byte.wrapping_sub(b'0') < 10));
        others[at] = byte >> 7;
        joins[at] = byte >> 7 | u8::from((byte == b'<') | (byte == b'&'));
        let control = (byte < 0x20) & (byte != b'\n') & (byte != b'\t') | (byte == 0x7f);
        controls[at] |= u8::from(control);
    }
    Block { words: gathered(&words), others: gathered(&others), joins: gathered(&joins) }
}

/// Gathers the lowest bits of bytes whose other bits are zero.
#[inline]
fn gathered(bytes: &[u8; BLOCK]) -> u32 {
    let (parts, _) = bytes.as_chunks::<8>();
    parts.iter().rev().fold(0, |bits, part| {
        // Moves the bit of each byte to one of the highest eight.
        let moved = u64::from_le_bytes(*part).wrapping_mul(0x0102_0408_1020_4080) >> 56;
        bits << 8 | moved as u32
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_byte_of_a_block_is_classified() {
        for byte in 0..=u8::MAX {
            for at in 0..BLOCK {
                let mut bytes = [b' '; BLOCK];
                bytes[at] = byte;
                let bit = |is: bool| u32::from(is) << at;
                let mut controls = [0; BLOCK];
                let block = classified(&bytes, &mut controls);
                let expected = Block {
                    words: bit(byte.is_ascii_alphanumeric()),
                    others: bit(!byte.is_ascii()),
                    joins: bit(!byte.is_ascii() || b"<&".contains(&byte)),
                };
                assert_eq!(block, expected, "{byte} at {at}");
                let control = byte.is_ascii_control() && !b"\n\t".contains(&byte);
                assert_eq!(controls != [0; BLOCK], control, "{byte}");
            }
        }
    }
}
