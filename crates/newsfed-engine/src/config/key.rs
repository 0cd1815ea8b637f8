//! The notation of keys and key sequences: `j`, `g g`, `C-d`, `PgDn`, `S-Tab`.

use std::fmt;
use std::str::FromStr;

/// A key without modifiers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum KeyCode {
    /// A key that types a character.
    Char(char),
    Enter,
    Esc,
    Tab,
    Backspace,
    Delete,
    Insert,
    Home,
    End,
    PageUp,
    PageDown,
    Up,
    Down,
    Left,
    Right,
    /// A function key, 1-24.
    F(u8),
}

/// A key press in its normal form: shift is part of the character (`A`, never `S-a`), and
/// characters with control are lower case.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Key {
    code: KeyCode,
    ctrl: bool,
    alt: bool,
    shift: bool,
}

/// Names of the keys that are not written as a character. The first name of each key is the displayed one.
const NAMES: &[(&str, KeyCode)] = &[
    ("Enter", KeyCode::Enter),
    ("Return", KeyCode::Enter),
    ("Esc", KeyCode::Esc),
    ("Escape", KeyCode::Esc),
    ("Tab", KeyCode::Tab),
    ("Backspace", KeyCode::Backspace),
    ("BS", KeyCode::Backspace),
    ("Delete", KeyCode::Delete),
    ("Del", KeyCode::Delete),
    ("Insert", KeyCode::Insert),
    ("Ins", KeyCode::Insert),
    ("Home", KeyCode::Home),
    ("End", KeyCode::End),
    ("PgUp", KeyCode::PageUp),
    ("PageUp", KeyCode::PageUp),
    ("PgDn", KeyCode::PageDown),
    ("PageDown", KeyCode::PageDown),
    ("Up", KeyCode::Up),
    ("Down", KeyCode::Down),
    ("Left", KeyCode::Left),
    ("Right", KeyCode::Right),
    ("Space", KeyCode::Char(' ')),
];

/// Maximum number of keys in a sequence.
pub const MAX_SEQUENCE_KEYS: usize = 4;

impl Key {
    /// A key press in its normal form.
    pub fn new(code: KeyCode, ctrl: bool, alt: bool, shift: bool) -> Self {
        match code {
            KeyCode::Char(c) if ctrl => {
                Self { code: KeyCode::Char(single(c, c.to_lowercase())), ctrl, alt, shift: false }
            }
            KeyCode::Char(c) if shift => {
                Self { code: KeyCode::Char(single(c, c.to_uppercase())), ctrl, alt, shift: false }
            }
            KeyCode::Char(_) => Self { code, ctrl, alt, shift: false },
            _ => Self { code, ctrl, alt, shift },
        }
    }

    /// A character without control and alt.
    pub fn char(c: char) -> Self {
        Self::new(KeyCode::Char(c), false, false, false)
    }

    /// Control with a character.
    pub fn ctrl(c: char) -> Self {
        Self::new(KeyCode::Char(c), true, false, false)
    }

    /// The key without modifiers.
    pub fn code(self) -> KeyCode {
        self.code
    }

    /// Whether Control, Alt and Shift are held; shift is part of a character.
    pub fn modifiers(self) -> [bool; 3] {
        [self.ctrl, self.alt, self.shift]
    }

    /// The character that the key types, if any.
    pub fn text(self) -> Option<char> {
        match self.code {
            KeyCode::Char(c) if !self.ctrl && !self.alt => Some(c),
            _ => None,
        }
    }
}

/// The mapped character if the mapping gives exactly one, else the character itself.
fn single(c: char, mut mapped: impl Iterator<Item = char>) -> char {
    match (mapped.next(), mapped.next()) {
        (Some(one), None) => one,
        _ => c,
    }
}

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (held, prefix) in [(self.ctrl, "C-"), (self.alt, "A-"), (self.shift, "S-")] {
            if held {
                f.write_str(prefix)?;
            }
        }
        match (NAMES.iter().find(|(_, code)| *code == self.code), self.code) {
            (Some((name, _)), _) => f.write_str(name),
            (None, KeyCode::Char(c)) => write!(f, "{c}"),
            (None, KeyCode::F(n)) => write!(f, "F{n}"),
            (None, _) => Ok(()),
        }
    }
}

/// A text that is not a key.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct KeyError(String);

impl FromStr for Key {
    type Err = KeyError;

    fn from_str(text: &str) -> Result<Self, KeyError> {
        let (mut ctrl, mut alt, mut shift) = (false, false, false);
        let mut rest = text;
        // The part after the dash may itself be a dash: `C--`.
        while let Some((modifier, after)) =
            rest.split_once('-').filter(|(m, after)| m.len() == 1 && !after.is_empty())
        {
            match modifier {
                "C" => ctrl = true,
                "A" | "M" => alt = true,
                "S" => shift = true,
                _ => break,
            }
            rest = after;
        }
        let code = code(rest).ok_or_else(|| unknown(text, rest))?;
        Ok(Self::new(code, ctrl, alt, shift))
    }
}

fn code(name: &str) -> Option<KeyCode> {
    let mut chars = name.chars();
    if let (Some(c), None) = (chars.next(), chars.next()) {
        let writes = !c.is_control() && !c.is_whitespace();
        return writes.then_some(KeyCode::Char(c));
    }
    if let Some((_, code)) = NAMES.iter().find(|(n, _)| n.eq_ignore_ascii_case(name)) {
        return Some(*code);
    }
    let number: u8 = name.strip_prefix(['F', 'f'])?.parse().ok()?;
    (1..=24).contains(&number).then_some(KeyCode::F(number))
}

fn unknown(text: &str, name: &str) -> KeyError {
    let text = super::quote::quote(text);
    if name.len() == 2 && name.chars().all(char::is_alphanumeric) {
        let parts: Vec<_> = name.chars().map(String::from).collect();
        return KeyError(format!(
            "{text} is not a key; write spaces between the keys of a sequence, as in \"{}\"",
            parts.join(" ")
        ));
    }
    let hint = super::error::did_you_mean(name, NAMES.iter().map(|(n, _)| *n));
    KeyError(format!(
        "{text} is not a key such as \"j\", \"g g\", \"C-d\", \"PgDn\" or \"S-Tab\"{hint}"
    ))
}

/// Parses a sequence: keys separated by spaces, at most [`MAX_SEQUENCE_KEYS`].
///
/// # Errors
/// When a part is not a key, or there are none or too many.
pub fn parse_sequence(text: &str) -> Result<Vec<Key>, KeyError> {
    let keys: Vec<Key> = text.split_whitespace().map(str::parse).collect::<Result<_, _>>()?;
    match keys.len() {
        0 => {
            Err(KeyError("expected a key, found nothing; the space bar is called Space".to_owned()))
        }
        n if n > MAX_SEQUENCE_KEYS => {
            Err(KeyError(format!("a sequence has at most {MAX_SEQUENCE_KEYS} keys, found {n}")))
        }
        _ => Ok(keys),
    }
}

/// A sequence in the form that [`parse_sequence`] parses.
pub fn show_sequence(keys: &[Key]) -> String {
    keys.iter().map(Key::to_string).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn parses_every_notation() {
        let cases = [
            ("j", "j"),
            ("S-a", "A"),
            ("G", "G"),
            ("C-D", "C-d"),
            ("M-x", "A-x"),
            ("pgdn", "PgDn"),
            ("return", "Enter"),
            ("S-Tab", "S-Tab"),
            ("S-C-Up", "C-S-Up"),
            ("space", "Space"),
            ("<", "<"),
            ("-", "-"),
            ("C--", "C--"),
            ("f5", "F5"),
            ("ß", "ß"),
        ];
        for (text, shown) in cases {
            assert_eq!(text.parse::<Key>().unwrap().to_string(), shown, "{text}");
        }
        for bad in ["", "C-", "foo", "gg", "\u{1b}", "F0", "F25", "X-a", "\u{2003}"] {
            assert!(bad.parse::<Key>().is_err(), "{bad:?}");
        }
        assert!(parse_sequence("gg").unwrap_err().to_string().contains("\"g g\""));
        assert!(parse_sequence("PgDwn").unwrap_err().to_string().contains("PgDn"));
        assert!(parse_sequence("a b c d e").is_err() && parse_sequence(" ").is_err());
    }

    fn any_key() -> impl Strategy<Value = Key> {
        let named = (0..NAMES.len()).prop_map(|i| NAMES[i].1);
        let function = (1u8..=24).prop_map(KeyCode::F);
        let char = any::<char>()
            .prop_filter("writes", |c| !c.is_control() && !c.is_whitespace())
            .prop_map(KeyCode::Char);
        (prop_oneof![named, function, char], any::<bool>(), any::<bool>(), any::<bool>())
            .prop_map(|(code, ctrl, alt, shift)| Key::new(code, ctrl, alt, shift))
    }

    proptest! {
        #[test]
        fn shown_sequences_round_trip(keys in prop::collection::vec(any_key(), 1..=MAX_SEQUENCE_KEYS)) {
            prop_assert_eq!(parse_sequence(&show_sequence(&keys)).unwrap(), keys);
        }

        #[test]
        fn any_text_is_parsed_or_rejected(text in ".{0,12}") {
            let _ = parse_sequence(&text);
        }
    }
}
