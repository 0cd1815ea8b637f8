//! The words of HTML with which phrases may begin. Its bytes are classified many at a time, and most words are
//! excluded without a branch for each: a wrong guess of the processor takes longer than the test.

use super::first_words::{Heads, SHORT, ends_word, lower};
use wide::u8x16;

/// Bytes that are examined together.
pub(super) const BLOCK: usize = 64;
const BITS: u32 = u64::BITS;

/// What the bytes of a block are: a bit for each.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(super) struct Block {
    /// ASCII letters and digits.
    pub(super) words: u64,
    /// Not ASCII.
    pub(super) others: u64,
    /// The first bytes of characters that are not ASCII.
    pub(super) leads: u64,
    /// After these, the word before may go on.
    joins: u64,
    /// `&`
    pub(super) references: u64,
    /// Control characters that are not kept.
    pub(super) controls: u64,
}

/// The blocks of a text, one after the other.
pub(super) struct Blocks<'a> {
    bytes: &'a [u8],
    /// Where the next block begins.
    end: usize,
    /// Whether the byte before the block belongs to a word.
    before: u64,
    block: Block,
    next: Block,
}

impl<'a> Blocks<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        let bytes = text.as_bytes();
        Self { bytes, end: 0, before: 0, block: Block::default(), next: read(bytes, 0) }
    }

    /// The next block, and where it begins.
    #[inline]
    pub(super) fn next(&mut self) -> Option<(usize, Block)> {
        let start = self.end;
        if start >= self.bytes.len() {
            return None;
        }
        self.before = self.block.words >> (BITS - 1);
        self.block = self.next;
        self.end = start + BLOCK;
        self.next = read(self.bytes, self.end);
        Some((start, self.block))
    }

    /// The words of the block with which phrases may begin, whatever of them is text. Some others are left, too.
    /// `keeps`: all bits for each number of letters below four that such words may have.
    #[inline]
    pub(super) fn beginnings(
        &self,
        heads: &Heads,
        keeps: [u64; 3],
        has_shorter: impl Fn(u32) -> bool,
    ) -> u64 {
        let (block, next) = (&self.block, &self.next);
        let later = |block: u64, next: u64, by: u32| block >> by | next << (BITS - by);
        let words = |by| later(block.words, next.words, by);
        let kept = |by: u32, keeps| !words(by) & (later(block.joins, next.joins, by) | keeps);
        // Most words are too short for all phrases.
        let one = block.words & !(block.words << 1 | self.before);
        let two = one & words(1);
        let three = two & words(2);
        let shorter = one & kept(1, keeps[0]) | two & kept(2, keeps[1]) | three & kept(3, keeps[2]);
        let mut starts = shorter | three & words(3);
        let start = self.end - BLOCK;
        let mut left = 0;
        while starts != 0 {
            let offset = starts.trailing_zeros();
            starts &= starts - 1;
            let from = |block: u64, next: u64| block >> offset | next << 1 << (BITS - 1 - offset);
            let count = from(block.words, next.words).trailing_ones().min(9) as usize;
            let joins = from(block.joins, next.joins) >> count & 1 == 1;
            let at = start + offset as usize;
            let bytes = head(self.bytes, at, b'<');
            let four = (lower(bytes) & SHORT[count.min(4)]) as u32;
            let mut may_begin = heads.may_begin(bytes, count, joins);
            if may_begin & joins && self.ends_at(at + count) {
                may_begin = heads.may_begin(bytes, count, false);
            }
            left |= u64::from(may_begin || has_shorter(four)) << offset;
        }
        left
    }

    /// Whether a word certainly ends at a position.
    fn ends_at(&self, at: usize) -> bool {
        let rest = self.bytes.get(at..).unwrap_or_default();
        rest.first() == Some(&b'<') && ends_word(rest)
    }
}

#[inline]
fn read(bytes: &[u8], at: usize) -> Block {
    let rest = bytes.get(at..).unwrap_or_default();
    match rest.first_chunk::<BLOCK>() {
        Some(block) => classified(block),
        // The last word may go on in what follows the text.
        None => classified(&filled(rest, b'<')),
    }
}

/// A block with the last bytes of a text, and then another one.
pub(super) fn filled(rest: &[u8], with: u8) -> [u8; BLOCK] {
    let mut block = [with; BLOCK];
    block.iter_mut().zip(rest).for_each(|(to, byte)| *to = *byte);
    block
}

/// Eight bytes from a position on, as far as the text has so many, and then another one.
#[inline]
pub(super) fn head(bytes: &[u8], at: usize, with: u8) -> u64 {
    let rest = bytes.get(at..).unwrap_or_default();
    u64::from_le_bytes(match rest.first_chunk::<8>() {
        Some(head) => *head,
        None => {
            let mut head = [with; 8];
            head.iter_mut().zip(rest).for_each(|(to, byte)| *to = *byte);
            head
        }
    })
}

/// The positions of bits, in order.
#[inline]
pub(super) fn positions(mut bits: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let at = (bits != 0).then_some(bits.trailing_zeros() as usize)?;
        bits &= bits - 1;
        Some(at)
    })
}

#[inline]
pub(super) fn classified(bytes: &[u8; BLOCK]) -> Block {
    let is = |bytes: u8x16, byte: u8| bytes.simd_eq(u8x16::splat(byte));
    let at_most = |bytes: u8x16, most: u8| bytes.min(u8x16::splat(most)).simd_eq(bytes);
    let mut block = Block::default();
    let (parts, _) = bytes.as_chunks::<16>();
    for (part, at) in parts.iter().zip((0u32..).step_by(16)) {
        let bytes = u8x16::new(*part);
        let letters = at_most((bytes | u8x16::splat(0x20)) - u8x16::splat(b'a'), 25);
        let digits = at_most(bytes - u8x16::splat(b'0'), 9);
        let kept = is(bytes, b'\n') | is(bytes, b'\t');
        let controls = at_most(bytes, 0x1f) & !kept | is(bytes, 0x7f);
        // The highest bit of each byte.
        let bits = |bytes: u8x16| u64::from(bytes.to_bitmask()) << at;
        let (others, references) = (bits(bytes), bits(is(bytes, b'&')));
        block.words |= bits(letters | digits);
        block.others |= others;
        // The second highest one.
        block.leads |= others & bits(bytes + bytes);
        block.joins |= others | references | bits(is(bytes, b'<'));
        block.references |= references;
        block.controls |= bits(controls);
    }
    block
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
                let bit = |is: bool| u64::from(is) << at;
                let expected = Block {
                    words: bit(byte.is_ascii_alphanumeric()),
                    others: bit(!byte.is_ascii()),
                    leads: bit(byte >= 0xc0),
                    joins: bit(!byte.is_ascii() || b"<&".contains(&byte)),
                    references: bit(byte == b'&'),
                    controls: bit(byte.is_ascii_control() && !b"\n\t".contains(&byte)),
                };
                assert_eq!(classified(&bytes), expected, "{byte} at {at}");
            }
        }
    }
}
