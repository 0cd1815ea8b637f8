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

/// A URL without user and password, for messages.
pub(crate) fn without_secrets(address: &str) -> String {
    let Some(start) = address.find("//").map(|i| i + 2) else { return address.to_owned() };
    let rest = &address[start..];
    let authority = rest.split(['/', '?', '#']).next().unwrap_or("");
    match authority.rfind('@') {
        Some(at) => format!("{}{}", &address[..start], &rest[at + 1..]),
        None => address.to_owned(),
    }
}
