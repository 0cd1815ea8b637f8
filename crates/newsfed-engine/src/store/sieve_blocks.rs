//! Finds the words of HTML that may begin phrases. Bytes are classified many at a time, and most words are
//! excluded without a branch for each: a branch misprediction takes longer than the test.

use super::first_words::{Heads, LETTERS, SHORT, ends_word, lower};
use wide::u8x16;

/// Number of bytes that are examined together.
pub(super) const BLOCK: usize = 64;
const BITS: u32 = u64::BITS;
/// A block, and the letters after it that are compared with words that begin in it.
const WINDOW: usize = BLOCK + 8;
/// Number of words that are compared together.
const GROUP: usize = 3;

/// The classes of the bytes of a block, with one bit per byte.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(super) struct Block {
    /// ASCII letters and digits.
    pub(super) words: u64,
    /// Not ASCII.
    pub(super) others: u64,
    /// Bytes after which the word before them may continue.
    joins: u64,
    /// `&`
    pub(super) references: u64,
    /// Whether there are control characters that are not kept.
    pub(super) controls: bool,
}

/// The blocks of a text, one after the other.
pub(super) struct Blocks<'a> {
    bytes: &'a [u8],
    /// The bytes after the last whole window, padded.
    tail: [u8; WINDOW],
    /// The start of the next block.
    end: usize,
    /// Whether the byte before the block belongs to a word.
    before: u64,
    /// The current block and the next one. They alternate, because copying a block would wait for the bytes
    /// that were just written.
    blocks: [Block; 2],
    /// Which of `blocks` is the next one.
    next: usize,
}

impl<'a> Blocks<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        let bytes = text.as_bytes();
        let mut blocks = <[Block; 2]>::default();
        read(bytes, 0, &mut blocks[0]);
        Self { bytes, tail: [b'<'; WINDOW], end: 0, before: 0, blocks, next: 0 }
    }

    /// Advances to the next block, and returns its start.
    #[inline]
    pub(super) fn advance(&mut self) -> Option<usize> {
        let start = self.end;
        if start >= self.bytes.len() {
            return None;
        }
        self.before = self.block().words >> (BITS - 1);
        self.next ^= 1;
        self.end = start + BLOCK;
        read(self.bytes, self.end, &mut self.blocks[self.next & 1]);
        let rest = self.bytes.get(start..).unwrap_or_default();
        if rest.len() < WINDOW {
            self.tail = filled(rest, b'<');
        }
        Some(start)
    }

    /// The current block.
    #[inline]
    pub(super) fn block(&self) -> &Block {
        &self.blocks[(self.next & 1) ^ 1]
    }

    #[inline]
    fn next_block(&self) -> &Block {
        &self.blocks[self.next & 1]
    }

    /// The words of the block that may begin phrases, whichever parts of it are text. There are false
    /// positives. For each number of letters below four, all bits of `keeps` are set if a phrase may begin
    /// with a word of that length.
    #[inline]
    pub(super) fn beginnings(
        &self,
        heads: &Heads,
        keeps: [u64; 3],
        has_shorter: impl Fn(u32) -> bool,
    ) -> u64 {
        let (block, next) = (self.block(), self.next_block());
        let words = |by: u32| block.words >> by | next.words << (BITS - by);
        let one = block.words & !(block.words << 1 | self.before);
        let two = one & words(1);
        let three = two & words(2);
        let long = three & words(3);
        let window = self.window();
        let (mut left, unclear) = self.unclear(one, window, heads, &has_shorter);
        // Most words certainly end after their letters, so the number of letters does not matter. The words
        // are compared in groups, because the processor cannot predict how many words a block has.
        let mut ended = long & !unclear;
        while ended != 0 {
            for _ in 0..GROUP {
                let letters = lower(head_of(window, ended.trailing_zeros()));
                let may_begin = heads.may_begin_long(letters) | has_shorter(four(letters, LETTERS));
                left |= ended & ended.wrapping_neg() & u64::from(may_begin).wrapping_neg();
                ended &= ended.wrapping_sub(1);
            }
        }
        // Most shorter words can be excluded by their number of letters.
        let kept = |short: u64, letters: u32, keeps| short & !words(letters) & keeps;
        let short = kept(one, 1, keeps[0]) | kept(two, 2, keeps[1]) | kept(three, 3, keeps[2]);
        let mut short = short & !unclear;
        while short != 0 {
            let at = short.trailing_zeros();
            let (bytes, count) =
                (head_of(window, at), (block.words >> at).trailing_ones() as usize);
            if heads.may_begin(bytes, count, false) || has_shorter(four(lower(bytes), count)) {
                left |= short & short.wrapping_neg();
            }
            short &= short - 1;
        }
        left
    }

    /// The words of the block that may continue after their letters, for example after a tag. Returns first
    /// those that may begin phrases, then all of them. `first` marks the first letters of words.
    #[inline]
    fn unclear(
        &self,
        first: u64,
        window: &[u8; WINDOW],
        heads: &Heads,
        has_shorter: &impl Fn(u32) -> bool,
    ) -> (u64, u64) {
        let (block, next) = (self.block(), self.next_block());
        let (mut left, mut unclear) = (0, 0);
        let mut test = |before: u64, letters_after: u32| {
            // The word begins after the last preceding byte that is neither a letter nor a digit.
            let begin = BITS - (!block.words & before).leading_zeros();
            let bit = 1u64.checked_shl(begin).unwrap_or(0) & first;
            unclear |= bit;
            if bit == 0 {
                return;
            }
            let end = before.trailing_ones() + letters_after;
            let joins = end < BITS || next.joins >> letters_after.min(BITS - 1) & 1 == 1;
            let (bytes, count) = (head_of(window, begin), (end - begin).min(9) as usize);
            let mut may_begin = heads.may_begin(bytes, count, joins);
            if may_begin && joins && self.ends_at(self.end - BLOCK + end as usize) {
                may_begin = heads.may_begin(bytes, count, false);
            }
            if may_begin || has_shorter(four(lower(bytes), count)) {
                left |= bit;
            }
        };
        let mut ends = block.joins & block.words << 1;
        while ends != 0 {
            test((ends & ends.wrapping_neg()) - 1, 0);
            ends &= ends - 1;
        }
        if block.words >> (BITS - 1) == 1 {
            test(!0, next.words.trailing_ones());
        }
        (left, unclear)
    }

    /// The bytes of the current block, and those after it.
    #[inline]
    fn window(&self) -> &[u8; WINDOW] {
        let rest = self.bytes.get(self.end - BLOCK..).unwrap_or_default();
        rest.first_chunk().unwrap_or(&self.tail)
    }

    /// Whether a word certainly ends at a position.
    fn ends_at(&self, at: usize) -> bool {
        let rest = self.bytes.get(at..).unwrap_or_default();
        rest.first() == Some(&b'<') && ends_word(rest)
    }
}

/// The first letters of a word as a key, at most four.
#[inline]
fn four(lower: u64, letters: usize) -> u32 {
    (lower & SHORT[letters.min(LETTERS)]) as u32
}

#[inline]
fn read(bytes: &[u8], at: usize, block: &mut Block) {
    let rest = bytes.get(at..).unwrap_or_default();
    // The last word may continue after the end of the text.
    match rest.first_chunk::<BLOCK>() {
        Some(bytes) => classify(bytes, block),
        None if rest.is_empty() => *block = Block { joins: !0, ..Block::default() },
        None => classify(&filled(rest, b'<'), block),
    }
}

/// The last bytes of a text, padded with a byte.
pub(super) fn filled<const N: usize>(rest: &[u8], with: u8) -> [u8; N] {
    let mut block = [with; N];
    let length = rest.len().min(N);
    block[..length].copy_from_slice(&rest[..length]);
    block
}

/// Eight bytes from a position, padded with a byte at the end of the text.
#[inline]
pub(super) fn head(bytes: &[u8], at: usize, with: u8) -> u64 {
    let rest = bytes.get(at..).unwrap_or_default();
    u64::from_le_bytes(rest.first_chunk().copied().unwrap_or_else(|| filled(rest, with)))
}

/// Eight bytes from a position in the block.
#[inline]
fn head_of(window: &[u8; WINDOW], offset: u32) -> u64 {
    let rest = &window[offset as usize % BLOCK..];
    u64::from_le_bytes(rest.first_chunk().copied().unwrap_or_default())
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

pub(super) fn classified(bytes: &[u8; BLOCK]) -> Block {
    let mut block = Block::default();
    classify(bytes, &mut block);
    block
}

#[inline]
fn classify(bytes: &[u8; BLOCK], block: &mut Block) {
    let is = |bytes: u8x16, byte: u8| bytes.simd_eq(u8x16::splat(byte));
    let at_most = |bytes: u8x16, most: u8| bytes.min(u8x16::splat(most)).simd_eq(bytes);
    let [mut words, mut others, mut joins, mut references, mut controls] = [0; 5];
    let (parts, _) = bytes.as_chunks::<16>();
    for (part, at) in parts.iter().zip((0u32..).step_by(16)) {
        let bytes = u8x16::new(*part);
        let letters = at_most((bytes | u8x16::splat(0x20)) - u8x16::splat(b'a'), 25);
        let digits = at_most(bytes - u8x16::splat(b'0'), 9);
        let kept = is(bytes, b'\n') | is(bytes, b'\t');
        let ampersands = is(bytes, b'&');
        // The highest bit of each byte.
        let bits = |bytes: u8x16| u64::from(bytes.to_bitmask()) << at;
        words |= bits(letters | digits);
        others |= bits(bytes);
        joins |= bits(ampersands | is(bytes, b'<'));
        references |= bits(ampersands);
        controls |= bits(at_most(bytes, 0x1f) & !kept | is(bytes, 0x7f));
    }
    joins |= others;
    *block = Block { words, others, joins, references, controls: controls != 0 };
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
                    joins: bit(!byte.is_ascii() || b"<&".contains(&byte)),
                    references: bit(byte == b'&'),
                    controls: byte.is_ascii_control() && !b"\n\t".contains(&byte),
                };
                assert_eq!(classified(&bytes), expected, "{byte} at {at}");
            }
        }
    }
}
