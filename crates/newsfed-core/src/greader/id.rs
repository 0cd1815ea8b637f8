//! Identifiers of items.

use std::fmt;

/// The identifier of an item on a server.
///
/// Most servers use signed 64-bit numbers, which are written in three forms: decimal, as 16 hexadecimal
/// digits, and as [`RemoteId::LONG`] followed by these digits. The Old Reader uses 24 hexadecimal digits,
/// which are kept as they are.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum RemoteId {
    Number(i64),
    Other(String),
}

/// Maximum length of an identifier that is not a number, in bytes.
const LONGEST: usize = 64;

impl RemoteId {
    /// The prefix of the long form.
    pub const LONG: &str = "tag:google.com,2005:reader/item/";

    /// Parses an identifier in any form; `None` for anything else. Bare digits are decimal, unless they begin
    /// with 0, which makes them hexadecimal, as in FreshRSS.
    pub fn parse(text: &str) -> Option<Self> {
        let text = text.trim();
        if let Some(hex) = text.strip_prefix(Self::LONG) {
            return Self::hexadecimal(hex);
        }
        match text.parse() {
            Ok(number) if text == "0" || !text.starts_with(['0', '+']) => {
                Some(Self::Number(number))
            }
            _ => Self::hexadecimal(text),
        }
    }

    fn hexadecimal(text: &str) -> Option<Self> {
        if text.is_empty() || text.len() > LONGEST || !text.bytes().all(|b| b.is_ascii_hexdigit()) {
            return None;
        }
        // Numbers are signed: the highest bit is the sign bit.
        Some(match u64::from_str_radix(text, 16) {
            Ok(number) => Self::Number(number.cast_signed()),
            Err(_) => Self::Other(text.to_owned()),
        })
    }

    /// The form used in contents: the prefix and 16 hexadecimal digits.
    pub fn long(&self) -> String {
        match self {
            Self::Number(number) => format!("{}{:016x}", Self::LONG, number.cast_unsigned()),
            Self::Other(text) => format!("{}{text}", Self::LONG),
        }
    }
}

/// The form used in lists and requests: decimal.
impl fmt::Display for RemoteId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Number(number) => write!(f, "{number}"),
            Self::Other(text) => f.write_str(text),
        }
    }
}
