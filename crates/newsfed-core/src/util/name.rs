//! Names given by users and publishers: a form for comparing them, and tags.

use super::text::line;

/// Maximum number of characters in an item's tag.
pub const MAX_TAG: usize = 60;

/// A tag in its stored form: one short line, without characters that cannot be written in a search. Empty if
/// the text cannot be a tag.
pub fn tag(text: &str) -> String {
    let short: String = line(text).replace('"', " ").chars().take(MAX_TAG).collect();
    line(&short)
}

/// A name in a form for comparison: without case and accents, and with single spaces.
pub fn comparable(name: &str) -> String {
    let plain = icu_normalizer::DecomposingNormalizerBorrowed::new_nfkd().normalize(name);
    // Combining marks: the blocks that contain nothing else.
    let mark = |c: char| matches!(c, '\u{300}'..='\u{36f}' | '\u{1ab0}'..='\u{1aff}' | '\u{1dc0}'..='\u{1dff}' | '\u{20d0}'..='\u{20ff}' | '\u{fe20}'..='\u{fe2f}');
    let plain: String = plain.chars().filter(|c| !mark(*c)).collect();
    plain.to_lowercase().split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_are_short_clean_lines() {
        for (text, expected) in [
            ("\u{1b}]0;pwned\u{7}\u{1b}[31mX\u{202e}y", "Xy"),
            (" a\"b\n c ", "a b c"),
            ("\u{200b}\u{1b}", ""),
        ] {
            assert_eq!(tag(text), expected, "{text:?}");
        }
        let long = tag(&"x".repeat(70));
        assert_eq!((long.len(), tag(&long)), (MAX_TAG, long.clone()));
        // Cut after a character that joins two letters.
        let cut = tag(&format!("{}\u{645}\u{200c}\u{62e}", "x".repeat(58)));
        assert_eq!(tag(&cut), cut);
    }
}
