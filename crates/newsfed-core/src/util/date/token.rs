//! Splits a text into numbers, words and signs.

use std::borrow::Cow;

/// Abbreviated months with dots inside, and their full names.
const THAI: [(&str, &str); 12] = [
    ("ม.ค.", "มกราคม"),
    ("ก.พ.", "กุมภาพันธ์"),
    ("มี.ค.", "มีนาคม"),
    ("เม.ย.", "เมษายน"),
    ("พ.ค.", "พฤษภาคม"),
    ("มิ.ย.", "มิถุนายน"),
    ("ก.ค.", "กรกฎาคม"),
    ("ส.ค.", "สิงหาคม"),
    ("ก.ย.", "กันยายน"),
    ("ต.ค.", "ตุลาคม"),
    ("พ.ย.", "พฤศจิกายน"),
    ("ธ.ค.", "ธันวาคม"),
];
/// The digit zero of each supported script except ASCII.
const ZEROS: [u32; 10] = [0x660, 0x6F0, 0x966, 0x9E6, 0xA66, 0xAE6, 0xBE6, 0xC66, 0xE50, 0xFF10];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// A number and its digits.
    Number {
        value: u32,
        digits: usize,
    },
    Word,
    Sign(char),
}

#[derive(Debug, Clone, Copy)]
pub(super) struct Token<'a> {
    pub(super) kind: Kind,
    pub(super) text: &'a str,
    /// Position in the prepared text.
    pub(super) start: usize,
    pub(super) end: usize,
}

impl Token<'_> {
    pub(super) fn number(&self) -> Option<(u32, usize)> {
        match self.kind {
            Kind::Number { value, digits } => Some((value, digits)),
            _ => None,
        }
    }

    pub(super) fn is_sign(&self, signs: &[char]) -> bool {
        matches!(self.kind, Kind::Sign(sign) if signs.contains(&sign))
    }
}

/// The ASCII digit for a digit of another script.
fn native_digit(c: char) -> Option<char> {
    let code = u32::from(c);
    let zero = ZEROS.iter().find(|zero| (**zero..**zero + 10).contains(&code))?;
    char::from_digit(code - zero, 10)
}

/// The text with ASCII digits.
pub(super) fn with_ascii_digits(text: &str) -> Cow<'_, str> {
    if text.is_ascii() || !text.chars().any(|c| native_digit(c).is_some()) {
        return Cow::Borrowed(text);
    }
    text.chars().map(|c| native_digit(c).unwrap_or(c)).collect()
}

/// The text in lower case with ASCII digits and plain spaces. Chinese numbers before 年, 月 and
/// 日 become digits.
pub fn prepared(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        let code = u32::from(c);
        if let Some(digit) = native_digit(c) {
            out.push(digit);
        } else if c.is_ascii() {
            out.push(if c.is_ascii_whitespace() { ' ' } else { c.to_ascii_lowercase() });
        } else if c.is_whitespace() {
            out.push(' ');
        } else if !matches!(code, 0x200B..=0x200F | 0x202A..=0x202E | 0x2066..=0x2069 | 0x307 | 0xFEFF | 0xAD)
        {
            let sign = match c {
                '‐' | '‑' | '−' => '-',
                '：' => ':',
                '／' => '/',
                '．' => '.',
                '，' => ',',
                '（' => '(',
                '）' => ')',
                other => other,
            };
            out.extend(sign.to_lowercase().filter(|c| *c != '\u{307}'));
        }
    }
    if out.contains('\u{E04}') || out.contains('\u{E22}') || out.contains('\u{E1E}') {
        for (short, long) in THAI {
            if out.contains(short) {
                out = out.replace(short, long);
            }
        }
    }
    if out.contains('年') { chinese_numbers(&out).into_owned() } else { out }
}

/// Replaces Chinese numerals by digits: `二〇二四年三月十一日`; 元年 is year 1.
fn chinese_numbers(text: &str) -> Cow<'_, str> {
    const DIGITS: &str = "〇一二三四五六七八九";
    let digit = |c: char| match c {
        '零' | '○' => Some(0),
        other => DIGITS.chars().position(|d| d == other).and_then(|p| u32::try_from(p).ok()),
    };
    let is_part = |c: char| digit(c).is_some() || c == '十';
    if !text.contains(is_part) && !text.contains("元年") {
        return Cow::Borrowed(text);
    }
    let text = text.replace("元年", "1年");
    let mut out = String::with_capacity(text.len());
    let mut rest = text.as_str();
    while let Some(at) = rest.find(is_part) {
        out.push_str(&rest[..at]);
        let run = &rest[at..];
        let length = run.find(|c| !is_part(c)).unwrap_or(run.len());
        let (number, after) = run.split_at(length);
        if after.starts_with(['年', '月', '日', '號', '号']) && number.chars().count() <= 4 {
            let value = match number.split_once('十') {
                Some((tens, ones)) => {
                    let of = |s: &str, empty| s.chars().next().map_or(Some(empty), digit);
                    of(tens, 1).zip(of(ones, 0)).map(|(t, o)| t * 10 + o)
                }
                None => number.chars().try_fold(0u32, |sum, c| Some(sum * 10 + digit(c)?)),
            };
            match value {
                Some(value) => out.push_str(&value.to_string()),
                None => out.push_str(number),
            }
        } else {
            out.push_str(number);
        }
        rest = after;
    }
    out.push_str(rest);
    Cow::Owned(out)
}

/// The tokens of a prepared text, at most `most`.
pub(super) fn tokens(text: &str, most: usize) -> Vec<Token<'_>> {
    let mut found = Vec::new();
    let mut chars = text.char_indices().peekable();
    while let Some((start, first)) = chars.next() {
        if found.len() == most {
            break;
        }
        if first == ' ' {
            continue;
        }
        let class = class_of(first);
        let mut end = start + first.len_utf8();
        while class != Class::Sign
            && let Some((at, c)) = chars.peek().copied()
            && (class_of(c) == class || class == Class::Letter && is_mark(c))
        {
            end = at + c.len_utf8();
            chars.next();
        }
        let part = &text[start..end];
        let kind = match class {
            Class::Digit => {
                let value = if part.len() <= 9 { part.parse().unwrap_or(0) } else { 0 };
                Kind::Number { value, digits: part.len() }
            }
            Class::Letter => Kind::Word,
            Class::Sign => Kind::Sign(first),
        };
        found.push(Token { kind, text: part, start, end });
    }
    found
}

#[derive(PartialEq, Eq, Clone, Copy)]
enum Class {
    Digit,
    Letter,
    Sign,
}

fn class_of(c: char) -> Class {
    if c.is_ascii_digit() {
        Class::Digit
    } else if c.is_alphabetic() || is_mark(c) {
        Class::Letter
    } else {
        Class::Sign
    }
}

/// Whether a character is a mark inside words that is not a letter, such as an accent or a vowel sign.
pub fn is_mark(c: char) -> bool {
    matches!(u32::from(c), 0x300..=0x36F | 0x591..=0x5C7 | 0x64B..=0x65F | 0x93C | 0x94D | 0x9BC | 0x9CD | 0xBCD | 0xC4D | 0xE31..=0xE4E)
}
