//! The direction of paragraphs.

use super::line::Span;

/// Number of characters without a strong direction after which a paragraph is treated as left-to-right.
const MAX_WEAK: usize = 200;

/// Whether a paragraph is written from right to left: its first letter determines the direction (rule P2 of
/// UAX #9).
pub(crate) fn is_right_to_left(spans: &[Span]) -> bool {
    let text = spans.iter().filter(|span| !span.mark).flat_map(|span| span.text.chars());
    let first = text.take(MAX_WEAK).find(|c| c.is_alphabetic());
    first.is_some_and(|c| {
        matches!(c,
            // Hebrew, Arabic, Syriac, Thaana, N'Ko, Samaritan, Mandaic.
            '\u{590}'..='\u{8ff}'
            // Presentation forms of Hebrew and Arabic.
            | '\u{fb1d}'..='\u{fdff}' | '\u{fe70}'..='\u{feff}'
            // Older scripts, Mende Kikakui, Adlam, Arabic mathematics.
            | '\u{10800}'..='\u{10fff}' | '\u{1e800}'..='\u{1efff}')
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Role;

    #[test]
    fn determines_the_direction_from_the_first_letter() {
        for (text, expected) in [
            ("أخبار المدينة", true),
            ("12. «שלום» world", true),
            ("News: أخبار", false),
            ("日本語 אב", false),
            ("1234 …", false),
            ("", false),
        ] {
            assert_eq!(is_right_to_left(&[Span::new(text, Role::Text)]), expected, "{text}");
        }
    }
}
