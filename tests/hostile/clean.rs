//! Checks output for a terminal.

/// Panics if printed output contains characters that control a terminal or hide text.
#[track_caller]
pub(crate) fn assert_printed(bytes: &[u8], what: &str) {
    let text = std::str::from_utf8(bytes).unwrap();
    let odd = text.chars().position(|c| c.is_control() && !matches!(c, '\n' | '\t') || hidden(c));
    if let Some(at) = odd {
        let around: String = text.chars().skip(at.saturating_sub(40)).take(80).collect();
        panic!("{what}: {around:?}");
    }
}

/// Whether a character is invisible or changes the direction of text.
fn hidden(c: char) -> bool {
    matches!(c,
        '\u{61c}' | '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fdd0}'..='\u{fdef}' | '\u{fffe}'
        | '\u{e0000}'..='\u{e007f}')
}

/// Modes that the interface sets: autowrap, cursor, mouse, focus, paste, alternate screen, synchronised
/// output.
const MODES: [&str; 11] =
    ["7", "25", "1000", "1002", "1003", "1004", "1006", "1015", "1049", "2004", "2026"];

/// Panics if the output of the interface contains anything except text, positions, colours and the modes
/// above.
#[track_caller]
pub(crate) fn assert_drawn(bytes: &[u8]) {
    let text = std::str::from_utf8(bytes).unwrap();
    let mut rest = text;
    let mut left = 0;
    while let Some(c) = rest.chars().next() {
        let at = text.len() - rest.len();
        let around = || {
            let start = text[..at].char_indices().rev().nth(60).map_or(0, |(start, _)| start);
            text[start..].chars().take(120).collect::<String>()
        };
        rest = &rest[c.len_utf8()..];
        match c {
            '\u{1b}' => {
                let sequence = sequence(rest);
                assert!(sequence.is_some(), "at {at}: {:?}", around());
                let sequence = sequence.unwrap_or_default();
                left += usize::from(sequence == "[?1049l");
                rest = &rest[sequence.len()..];
            }
            // After the alternate screen is left, text may be printed.
            '\n' | '\r' if left > 0 => {}
            _ => assert!(!c.is_control() && !hidden(c), "at {at}: {:?}", around()),
        }
    }
    assert!(left <= 1, "the screen was left {left} times");
}

/// The escape sequence at the start of `rest`, if the interface uses it.
fn sequence(rest: &str) -> Option<&str> {
    let body = rest.strip_prefix('[')?;
    let end = body.find(|c: char| ('@'..='~').contains(&c))?;
    let (parameters, whole) = (&body[..end], &rest[..end + 2]);
    let numbers = parameters.bytes().all(|b| b.is_ascii_digit() || b == b';' || b == b':');
    let known = match body.as_bytes()[end] {
        b'H' | b'K' => numbers,
        // Blinking text is not used.
        b'm' => numbers && !matches!(parameters, "5" | "31;5"),
        b'J' => matches!(parameters, "" | "0" | "1" | "2" | "3"),
        b'h' | b'l' => {
            parameters.strip_prefix('?').is_some_and(|p| p.split(';').all(|p| MODES.contains(&p)))
        }
        // The keyboard protocol of kitty, and the cursor shape.
        b'u' => matches!(parameters.as_bytes().first(), Some(b'>' | b'<' | b'?')),
        b'q' => parameters.ends_with(' '),
        _ => false,
    };
    known.then_some(whole)
}
