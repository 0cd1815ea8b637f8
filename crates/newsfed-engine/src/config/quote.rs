//! Quotes text from files in messages.

use crate::util::text::line;

/// Maximum length of a quoted text, in characters.
const QUOTED: usize = 60;

/// The text in quotation marks, truncated if it is long.
pub(crate) fn quote(text: &str) -> String {
    let text = line(text);
    match text.char_indices().nth(QUOTED) {
        Some((end, _)) => format!("\"{}…\"", &text[..end]),
        None => format!("\"{text}\""),
    }
}
