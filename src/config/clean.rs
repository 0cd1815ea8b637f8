//! Text from a file made fit for one line of a message or a title.

/// Longest text quoted from a file in a message, in characters.
const QUOTED: usize = 60;

/// One line without control characters, direction marks and zero-width characters; blanks at the
/// ends removed.
pub(crate) fn clean(text: &str) -> String {
    let kept: String = text
        .chars()
        .map(|c| if matches!(c, '\n' | '\r' | '\t') { ' ' } else { c })
        .filter(|c| !hidden(*c))
        .collect();
    kept.trim().to_owned()
}

/// Whether a character is never seen but changes what is seen.
fn hidden(c: char) -> bool {
    c.is_control()
        || matches!(c,
            '\u{00ad}' | '\u{061c}' | '\u{180e}' | '\u{200b}' | '\u{200e}' | '\u{200f}'
            | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}'
            | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}')
}

/// The text in quotation marks, cut where it is long.
pub(crate) fn quote(text: &str) -> String {
    let text = clean(text);
    match text.char_indices().nth(QUOTED) {
        Some((end, _)) => format!("\"{}…\"", &text[..end]),
        None => format!("\"{text}\""),
    }
}

/// An address without its user and password, for messages.
pub(crate) fn without_secrets(address: &str) -> String {
    let Some(start) = address.find("//").map(|i| i + 2) else { return address.to_owned() };
    let rest = &address[start..];
    let authority = rest.split(['/', '?', '#']).next().unwrap_or("");
    match authority.rfind('@') {
        Some(at) => format!("{}{}", &address[..start], &rest[at + 1..]),
        None => address.to_owned(),
    }
}
