//! Words of a text, in scripts with and without spaces.

/// Whether a character belongs to a script that is written without spaces.
pub(super) fn is_dense(c: char) -> bool {
    matches!(c, '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}')
}

/// Splits a text into runs of letters and digits. In scripts without spaces, each character is a word.
pub(super) fn words(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        rest = &rest[run(rest, false)..];
        let first = rest.chars().next()?;
        let end = if is_dense(first) { first.len_utf8() } else { run(rest, true) };
        let (word, after) = rest.split_at(end);
        rest = after;
        Some(word)
    })
}

/// Length of the leading run of word characters (`inside`) or other characters.
fn run(text: &str, inside: bool) -> usize {
    let mut at = 0;
    while let Some(byte) = text.as_bytes().get(at) {
        let (is_inside, len) = if byte.is_ascii() {
            (byte.is_ascii_alphanumeric(), 1)
        } else {
            let Some(c) = text[at..].chars().next() else { break };
            (c.is_alphanumeric() && !(inside && is_dense(c)), c.len_utf8())
        };
        if is_inside != inside {
            break;
        }
        at += len;
    }
    at
}

/// A hash of a word that ignores case and final sigma (FNV-1a over its lower-case characters).
pub(super) fn number(word: &str) -> u64 {
    let start = 0xcbf2_9ce4_8422_2325_u64;
    let step = |hash: u64, c: char| (hash ^ u64::from(c)).wrapping_mul(0x100_0000_01b3);
    word.chars().fold(start, |hash, c| match c {
        _ if c.is_ascii() => step(hash, c.to_ascii_lowercase()),
        // A final sigma counts as a sigma, because capital letters do not distinguish the two.
        'ς' => step(hash, 'σ'),
        _ => c.to_lowercase().fold(hash, step),
    })
}

/// A hash of consecutive words, given their hashes.
pub(super) fn joined(numbers: &[u64]) -> u64 {
    numbers.iter().fold(0, |joined: u64, number| joined.rotate_left(17) ^ number)
}

/// Length of a text in words. Three characters of a script without spaces count as two words.
pub(super) fn count(text: &str) -> usize {
    let (mut words, mut dense, mut inside) = (0, 0, false);
    if text.is_ascii() {
        for byte in text.bytes() {
            let letter = byte.is_ascii_alphanumeric();
            words += usize::from(letter & !inside);
            inside = letter;
        }
        return words;
    }
    for c in text.chars() {
        if !c.is_ascii() && is_dense(c) {
            dense += 1;
            inside = false;
        } else {
            let letter = c.is_alphanumeric();
            words += usize::from(letter && !inside);
            inside = letter;
        }
    }
    words + dense * 2 / 3
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn splits_words_in_scripts_with_and_without_spaces() {
        let found: Vec<&str> = words("Don't say 日本 it's 3.5x").collect();
        assert_eq!(found, ["Don", "t", "say", "日", "本", "it", "s", "3", "5x"]);
        assert_eq!(count("one two  three."), 3);
        assert_eq!(count("日本語日本語"), 4);
        assert_eq!(number("ΤΟΥΣ"), number("τους"));
    }
}
