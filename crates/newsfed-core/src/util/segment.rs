//! Separates words in texts and searches where the tokenizer of the full-text index does not.
//!
//! Chinese and Japanese have no spaces between words, so the index would read a whole sentence as one word.
//! Each Han or Kana character is therefore a word of its own: [`segmented`] puts a separator on both sides of
//! it, in the texts that are indexed and in searches, which thereby become phrases.

use super::phrase::is_symbol;
use super::text::leading;
use std::borrow::Cow;

/// The character between words that are adjacent in the text. Sanitised text contains no control characters,
/// and the index skips them.
pub const SEPARATOR: char = '\u{1}';

/// The first byte of all Han and Kana characters in UTF-8 is at least this one.
const FIRST_BYTE: u8 = 0xe3;

/// Minimum number of letters of a search word that also finds longer words beginning with it.
const PREFIX_LETTERS: usize = 3;

/// Whether a character is a word of its own: a Han or Kana character that the index reads as a letter.
pub fn is_word(c: char) -> bool {
    matches!(c,
        '\u{3005}'..='\u{3007}' | '\u{3021}'..='\u{3029}' | '\u{3031}'..='\u{3035}'
        | '\u{3038}'..='\u{303c}' | '\u{3041}'..='\u{3096}' | '\u{309d}'..='\u{309f}'
        | '\u{30a1}'..='\u{30fa}' | '\u{30fc}'..='\u{30ff}' | '\u{31f0}'..='\u{31ff}'
        | '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}' | '\u{f900}'..='\u{faff}'
        | '\u{ff66}'..='\u{ff9f}' | '\u{1b000}'..='\u{1b16f}' | '\u{20000}'..='\u{3fffd}')
}

/// Whether two adjacent characters belong to the same word.
pub fn are_joined(before: char, after: char) -> bool {
    before.is_alphanumeric() && after.is_alphanumeric() && !is_word(before) && !is_word(after)
}

/// A text with a [`SEPARATOR`] between each Han or Kana character and an adjacent character that is not
/// whitespace. Texts without such characters are unchanged.
pub fn segmented(text: &str) -> Cow<'_, str> {
    // `copied` is the end of the text in `out`, which is where the last separator is.
    let (mut out, mut copied, mut at) = (String::new(), 0, 0);
    loop {
        // Most texts contain no such character, and their bytes are tested many at a time.
        at += leading(&text.as_bytes()[at..], |byte| byte < FIRST_BYTE);
        let (before, after) = text.split_at(at);
        let mut characters = after.chars();
        let Some(c) = characters.next() else { break };
        let end = at + c.len_utf8();
        if is_word(c) {
            for (place, adjacent) in [(at, before.chars().next_back()), (end, characters.next())] {
                if place > copied && adjacent.is_some_and(|c| !c.is_whitespace()) {
                    out.push_str(&text[copied..place]);
                    out.push(SEPARATOR);
                    copied = place;
                }
            }
        }
        at = end;
    }
    if copied == 0 {
        return Cow::Borrowed(text);
    }
    out.push_str(&text[copied..]);
    Cow::Owned(out)
}

/// Whether the last word of a search may be the start of a longer word. At least three letters are needed,
/// because too many words begin with the same two. A Hangul syllable has two or three letters, so one
/// syllable is enough; Han and Kana words are phrases, which are found inside other words anyway. Symbols
/// that directly follow a word end it.
pub fn may_be_prefix(text: &str) -> bool {
    let (mut letters, mut is_signed) = (0, false);
    for c in text.chars().rev() {
        match c {
            // An accent belongs to the letter before it.
            '\u{300}'..='\u{36f}' => {}
            _ if c.is_alphanumeric() && is_signed => return false,
            '\u{ac00}'..='\u{d7a3}' => return true,
            _ if c.is_alphanumeric() && !is_word(c) => letters += 1,
            _ if letters > 0 || is_word(c) => return false,
            // Trailing symbols are not part of the word.
            _ => is_signed = is_symbol(c),
        }
        if letters >= PREFIX_LETTERS {
            return true;
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn separates_characters_that_are_words() {
        for (text, expected) in [
            ("", ""),
            ("One café, Москва", "One café, Москва"),
            ("서울에서", "서울에서"),
            ("日", "日"),
            ("日本", "日|本"),
            (" 日 本 ", " 日 本 "),
            ("go日本2024年", "go|日|本|2024|年"),
            ("コーヒー、ﾃﾚﾋﾞ", "コ|ー|ヒ|ー|、|ﾃ|ﾚ|ﾋ|ﾞ"),
            ("e\u{301}日\u{301}x", "e\u{301}|日|\u{301}x"),
            ("\u{20000}\u{20001}🦀", "\u{20000}|\u{20001}|🦀"),
        ] {
            let read = segmented(text).replace(SEPARATOR, "|");
            assert_eq!(read, expected);
        }
        let long = format!("{}日本", "Latin text. ".repeat(50));
        assert!(segmented(&long).ends_with("日\u{1}本"));
        assert!(matches!(segmented("“Latin” — 🦀 서울"), Cow::Borrowed(_)));
    }

    #[test]
    fn words_of_three_letters_may_be_prefixes() {
        for (text, expected) in [
            ("", false),
            ("...", false),
            ("g", false),
            ("go", false),
            ("gos", true),
            ("gos.", true),
            ("C++", false),
            ("notepad++", false),
            ("notepad ++", true),
            ("caf\u{e9}#", false),
            ("cafe\u{301}#.", false),
            ("wi-fi", false),
            ("http://xyz", true),
            ("ёж", false),
            ("ежи", true),
            ("ne\u{301}", false),
            ("ne\u{301}e", true),
            ("한", true),
            ("서울", true),
            ("感", false),
            ("人間の直感", false),
            ("日本go", false),
            ("日本gos", true),
            ("gos日", false),
        ] {
            assert_eq!(may_be_prefix(text), expected, "{text}");
        }
    }
}
