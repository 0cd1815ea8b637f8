//! The data that is stored about an item to compare it with others.

use super::address::{Address, address};
use super::title::{Title, title, weight, weighted};
use super::words::{hash, short, words};

/// Maximum number of bytes that are read at the beginning of a text: about three sentences.
const MAX_BYTES: usize = 1200;
/// Maximum number of words that are read at the beginning of a text.
const MAX_WORDS: usize = 80;
/// Maximum number of words in a text that are stored individually.
const MAX_LEAD: usize = 40;
/// Number of title words from which keys are made: every pair of them makes a key, so that one changed word
/// leaves some keys unchanged.
const KEY_WORDS: usize = 4;
/// Number of text shingles from which keys are made.
const KEY_SHINGLES: usize = 4;

/// Maximum number of keys per item: its address, pairs of words of its title, and shingles.
pub const MAX_KEYS: usize = 1 + KEY_WORDS * (KEY_WORDS - 1) / 2 + KEY_SHINGLES;

/// Sets of an item's hashes, each ascending.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Signature {
    pub(super) address: Option<Address>,
    pub(super) title: Title,
    /// Pairs of adjacent words at the beginning of the text.
    pub(super) shingles: Vec<u32>,
    /// The longer words of the text, in the form of [`Title::words`].
    pub(super) lead: Vec<u32>,
}

/// A signature with the source (row key) and the date (seconds since the epoch) of its item.
#[derive(Debug, Clone, Copy)]
pub struct Dated<'a> {
    pub source: i64,
    pub date: i64,
    pub signature: &'a Signature,
}

impl Signature {
    /// The signature of an item with this plain text.
    pub fn new(title_text: &str, url: Option<&str>, text: &str) -> Self {
        let words = words(text, MAX_BYTES, MAX_WORDS);
        let pairs = words.windows(2).map(|pair| short(hash(&[&pair[0], &pair[1]])));
        let mut lead: Vec<u32> = words.iter().map(|word| weighted(word)).collect();
        lead.retain(|word| weight(*word) >= 2);
        lead.truncate(MAX_LEAD);
        Self {
            address: url.and_then(address),
            title: title(title_text),
            shingles: sorted(pairs.collect()),
            lead: sorted(lead),
        }
    }

    /// The keys under which similar items are found, at most [`MAX_KEYS`].
    pub fn keys(&self) -> Vec<i64> {
        let mut keys = Vec::with_capacity(MAX_KEYS);
        keys.extend(self.address.map(|address| address.page));
        // Weighted sampling: the word with the smallest value is the same in two titles with a
        // probability that grows with the weight of what they share (Manasse, McSherry and Talwar,
        // "Consistent weighted sampling", 2010; here with one exponential variable per word).
        let value = |word: &u32| {
            let uniform = (f64::from(hash_number(*word)) + 1.0) / (f64::from(u32::MAX) + 2.0);
            -uniform.ln() / f64::from(weight(*word))
        };
        let mut ranked: Vec<(f64, u32)> = self
            .title
            .words
            .iter()
            .filter(|word| weight(**word) > 1)
            .map(|w| (value(w), *w))
            .collect();
        ranked.sort_unstable_by(|a, b| a.0.total_cmp(&b.0));
        let first: Vec<u32> = ranked.iter().take(KEY_WORDS).map(|(_, word)| *word).collect();
        for (at, a) in first.iter().enumerate() {
            for b in &first[at + 1..] {
                let (low, high) = (a.min(b), a.max(b));
                keys.push(hash(&["title", &low.to_string(), &high.to_string()]));
            }
        }
        let mut shingles: Vec<u32> = self.shingles.iter().map(|s| hash_number(*s)).collect();
        shingles.sort_unstable();
        keys.extend(shingles.iter().take(KEY_SHINGLES).map(|s| hash(&["text", &s.to_string()])));
        keys.into_iter().map(u64::cast_signed).collect()
    }

    /// The key of its address, if it has one.
    pub fn page(&self) -> Option<i64> {
        self.address.map(|address| address.page.cast_signed())
    }

    /// The serialised form in which it is stored.
    pub fn to_bytes(&self) -> Vec<u8> {
        let (page, place, kind) =
            self.address.map_or((0, 0, 0), |a| (a.page, a.place, 1 + u8::from(a.specific)));
        let mut bytes = vec![FORMAT, kind];
        bytes.extend(page.to_le_bytes());
        bytes.extend(place.to_le_bytes());
        bytes.extend(self.title.whole.to_le_bytes());
        for set in [&self.title.words, &self.title.marks, &self.shingles, &self.lead] {
            // Each set has at most 80 elements.
            bytes.push(u8::try_from(set.len()).unwrap_or(u8::MAX));
            bytes.extend(set.iter().flat_map(|hash| hash.to_le_bytes()));
        }
        bytes
    }

    /// Reads [`Signature::to_bytes`]; `None` if it is damaged or from a different version.
    pub fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let mut rest = bytes;
        let [format, kind] = take::<2>(&mut rest)?;
        if format != FORMAT || kind > 2 {
            return None;
        }
        let page = u64::from_le_bytes(take(&mut rest)?);
        let place = u32::from_le_bytes(take(&mut rest)?);
        let address = (kind > 0).then_some(Address { page, place, specific: kind == 2 });
        let whole = u64::from_le_bytes(take(&mut rest)?);
        let mut set = || -> Option<Vec<u32>> {
            let [len] = take::<1>(&mut rest)?;
            (0..len).map(|_| Some(u32::from_le_bytes(take(&mut rest)?))).collect()
        };
        let title = Title { whole, words: set()?, marks: set()? };
        Some(Self { address, title, shingles: set()?, lead: set()? })
    }
}

/// The first byte of a stored signature.
const FORMAT: u8 = 1;

fn take<const N: usize>(rest: &mut &[u8]) -> Option<[u8; N]> {
    let (first, others) = rest.split_first_chunk()?;
    *rest = others;
    Some(*first)
}

fn hash_number(number: u32) -> u32 {
    short(u64::from(number).wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ u64::from(number) << 17)
}

fn sorted(mut set: Vec<u32>) -> Vec<u32> {
    set.sort_unstable();
    set.dedup();
    set
}
