//! Splits text into normalised words, even in scripts without spaces.

use crate::util::text::{comparable, start};
use siphasher::sip::SipHasher13;
use std::borrow::Cow;
use std::hash::Hasher;
use unicode_segmentation::UnicodeSegmentation;

/// The words of a text, without case and accents. In scripts without spaces, each pair of adjacent characters
/// is a word.
pub(super) fn words(text: &str, max_bytes: usize, max: usize) -> Vec<String> {
    let text = comparable(&without_urls(start(text, max_bytes)));
    let mut words: Vec<String> = Vec::new();
    let mut before: Option<&str> = None;
    for word in text.unicode_words() {
        if words.len() >= max {
            break;
        }
        let unspaced = is_unspaced(word);
        match before {
            Some(first) if unspaced => words.push(format!("{first}{word}")),
            _ if !unspaced => words.push(word.to_owned()),
            _ => {}
        }
        before = unspaced.then_some(word);
    }
    words
}

/// Removes URLs from text, because the texts of link sites contain nothing else.
fn without_urls(text: &str) -> Cow<'_, str> {
    if !text.contains("://") {
        return Cow::Borrowed(text);
    }
    let words = text.split_whitespace().filter(|word| !word.contains("://"));
    Cow::Owned(words.collect::<Vec<_>>().join(" "))
}

/// Whether a word is one character of a script without spaces.
pub(super) fn is_unspaced(word: &str) -> bool {
    let mut characters = word.chars();
    let unspaced = |c: char| {
        matches!(u32::from(c), 0x0e00..=0x0eff | 0x1000..=0x109f | 0x1780..=0x17ff
            | 0x2e80..=0x30ff | 0x3400..=0x9fff | 0xf900..=0xfaff | 0x20000..=0x3ffff)
    };
    characters.next().is_some_and(unspaced) && characters.next().is_none()
}

/// A hash that is the same in every release. Collisions can be made on purpose, but only affect the items of
/// whoever makes them.
pub(super) fn hash(parts: &[&str]) -> u64 {
    let mut hasher = SipHasher13::new_with_keys(0x6e65_7773, 0x6665_6400);
    for part in parts {
        hasher.write(part.as_bytes());
        // A byte that text cannot contain.
        hasher.write(&[0xff]);
    }
    hasher.finish()
}

/// The upper half of a hash.
pub(super) fn short(hash: u64) -> u32 {
    (hash >> 32) as u32
}
