//! Letters as the full-text index writes them, as far as that is certain.

use crate::util::text;
use std::ops::RangeInclusive;
use std::sync::LazyLock;

/// ASCII, and frequent signs that separate words.
pub(super) fn is_plain(c: char) -> bool {
    matches!(c, '\0'..='\x7f' | '\u{a0}' | '«' | '»' | '\u{2010}'..='\u{2015}')
        || matches!(c, '\u{2018}'..='\u{201f}' | '•' | '…' | '€')
}

/// What a character may be in the index.
#[derive(Debug, PartialEq)]
pub(super) enum Folded {
    Letters(&'static str),
    Nothing,
    /// What ends a phrase: a sign, or a letter of another script.
    Gap,
    Unknown,
}

/// The plain forms of letters with accents. To find one takes longer than to read a line of text.
static LATIN: LazyLock<Vec<String>> = LazyLock::new(|| plain_forms('\u{c0}'..='\u{24f}'));
static LATIN_ADDITIONAL: LazyLock<Vec<String>> =
    LazyLock::new(|| plain_forms('\u{1e00}'..='\u{1eff}'));

fn plain_forms(letters: RangeInclusive<char>) -> Vec<String> {
    letters.map(|c| text::comparable(c.encode_utf8(&mut [0; 4]))).collect()
}

fn plain(forms: &'static [String], c: char, first: char) -> &'static str {
    let at = u32::from(c).checked_sub(u32::from(first)).and_then(|at| usize::try_from(at).ok());
    at.and_then(|at| forms.get(at)).map_or("", String::as_str)
}

/// What is no letter or digit of the index separates words, also where its plain form would be one, as
/// with the sign for a trade mark.
pub(super) fn folded(c: char) -> Folded {
    match c {
        // Accents that the index removes, wherever they stand.
        '\u{300}'..='\u{304}' | '\u{306}'..='\u{30c}' | '\u{30f}' | '\u{311}' | '\u{31b}' => {
            Folded::Nothing
        }
        '\u{323}'..='\u{328}' | '\u{32d}' | '\u{32e}' | '\u{330}' | '\u{331}' => Folded::Nothing,
        _ if is_combining(c) => Folded::Unknown,
        '\u{d7}' | '\u{f7}' => Folded::Gap,
        '\u{c0}'..='\u{24f}' => Folded::Letters(plain(&LATIN, c, '\u{c0}')),
        '\u{1e00}'..='\u{1eff}' => Folded::Letters(plain(&LATIN_ADDITIONAL, c, '\u{1e00}')),
        // Without a plain form.
        '\u{370}'..='\u{1cff}'
        | '\u{3040}'..='\u{30ff}'
        | '\u{3400}'..='\u{4dbf}'
        | '\u{4e00}'..='\u{9fff}'
        | '\u{ac00}'..='\u{d7a3}' => Folded::Gap,
        // Letters in circles are signs, too.
        '\u{24b6}'..='\u{24e9}' | '\u{1f100}'..='\u{1f1ff}' => Folded::Gap,
        _ if !c.is_alphanumeric() => Folded::Gap,
        _ => {
            let plain = text::comparable(c.encode_utf8(&mut [0; 4]));
            let has_plain = plain.bytes().any(|b| b.is_ascii_alphanumeric());
            if has_plain { Folded::Unknown } else { Folded::Gap }
        }
    }
}

/// Marks that belong to the letter before.
pub(super) fn is_combining(c: char) -> bool {
    matches!(c, '\u{300}'..='\u{36f}' | '\u{1ab0}'..='\u{1aff}' | '\u{1dc0}'..='\u{1dff}')
        || matches!(c, '\u{20d0}'..='\u{20ff}' | '\u{fe20}'..='\u{fe2f}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_without_a_plain_form_have_none() {
        let ranges = ['\u{370}'..='\u{1cff}', '\u{3040}'..='\u{30ff}', '\u{3400}'..='\u{4dbf}'];
        for c in ranges.into_iter().flatten().chain('\u{4e00}'..='\u{9fff}') {
            let plain = text::comparable(&c.to_string());
            assert!(!plain.bytes().any(|b| b.is_ascii_alphanumeric()), "{c:?} is {plain}");
        }
        assert_eq!(folded('\u{fc}'), Folded::Letters("u"));
        assert_eq!(folded('\u{24f}'), Folded::Letters("\u{24f}"));
        assert_eq!(folded('\u{1eff}'), Folded::Letters("\u{1eff}"));
        assert_eq!(folded('\u{1e0c}'), Folded::Letters("d"));
        assert_eq!(folded('\u{308}'), Folded::Nothing);
        assert_eq!(folded('\u{336}'), Folded::Unknown, "a separator in the index");
        assert_eq!(folded('\u{ff32}'), Folded::Unknown);
        assert_eq!((folded('\u{2122}'), folded('\u{24b6}')), (Folded::Gap, Folded::Gap));
    }
}
