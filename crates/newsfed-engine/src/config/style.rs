//! Text styles and their notation, such as `black on yellow bold`.

use super::error::did_you_mean;
use super::quote::quote;
use std::fmt;
use std::str::FromStr;

/// A terminal colour.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Color {
    /// The terminal's default.
    #[default]
    Default,
    /// One of the 16 named colours, 0-15.
    Named(u8),
    /// One of the 256 colours.
    Indexed(u8),
    /// Truecolor; terminals without it show a similar colour.
    Rgb(u8, u8, u8),
}

/// A text style.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Style {
    pub fg: Color,
    pub bg: Color,
    pub bold: bool,
    pub dim: bool,
    pub underline: bool,
    /// Foreground and background swapped.
    pub reverse: bool,
    pub italic: bool,
}

/// The names of the 16 colours, in order.
pub(super) const COLORS: [&str; 16] = [
    "black",
    "red",
    "green",
    "yellow",
    "blue",
    "magenta",
    "cyan",
    "gray",
    "dark-gray",
    "light-red",
    "light-green",
    "light-yellow",
    "light-blue",
    "light-magenta",
    "light-cyan",
    "white",
];

/// A text that is not a style.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct StyleError(String);

impl Style {
    /// Parses `colour [on colour] [bold] [dim] [underline] [reverse] [italic]`. `named` returns the theme's
    /// named colours.
    ///
    /// # Errors
    /// When a word is neither a colour nor an attribute, or there are too many colours.
    pub fn parse(text: &str, named: impl Fn(&str) -> Option<Color>) -> Result<Self, StyleError> {
        let color = |word: &str| named(word).map_or_else(|| word.parse(), Ok);
        let mut style = Self::default();
        let mut words = text.split_whitespace();
        let mut colored = false;
        while let Some(word) = words.next() {
            match word {
                "bold" => style.bold = true,
                "dim" => style.dim = true,
                "underline" => style.underline = true,
                "reverse" => style.reverse = true,
                "italic" => style.italic = true,
                "on" => style.bg = color(words.next().unwrap_or(""))?,
                _ if !colored => {
                    style.fg = color(word)?;
                    colored = true;
                }
                _ => return Err(not_a_color(word)),
            }
        }
        Ok(style)
    }
}

impl FromStr for Color {
    type Err = StyleError;

    /// Parses `default`, one of the 16 names, a number from 0 to 255, or `#rrggbb`.
    fn from_str(word: &str) -> Result<Self, StyleError> {
        if word == "default" {
            return Ok(Self::Default);
        }
        if let Some(index) = COLORS.iter().position(|c| *c == word) {
            return Ok(Self::Named(u8::try_from(index).unwrap_or(0)));
        }
        if let Ok(index) = word.parse() {
            return Ok(Self::Indexed(index));
        }
        let digits = word.strip_prefix('#').filter(|d| d.len() == 6);
        let number = digits.and_then(|d| u32::from_str_radix(d, 16).ok());
        let [_, r, g, b] = number.ok_or_else(|| not_a_color(word))?.to_be_bytes();
        Ok(Self::Rgb(r, g, b))
    }
}

fn not_a_color(word: &str) -> StyleError {
    let attributes = ["default", "on", "bold", "dim", "underline", "reverse", "italic"];
    let hint = did_you_mean(word, COLORS.into_iter().chain(attributes));
    StyleError(format!(
        "expected a style such as \"cyan\", \"black on yellow bold\", \"208\" or \"#88c0d0\", \
         found {}{hint}",
        quote(word)
    ))
}

impl fmt::Display for Color {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Default => f.write_str("default"),
            Self::Named(i) => {
                f.write_str(COLORS.get(usize::from(*i)).copied().unwrap_or("default"))
            }
            Self::Indexed(i) => write!(f, "{i}"),
            Self::Rgb(r, g, b) => write!(f, "#{r:02x}{g:02x}{b:02x}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_round_trip() {
        for text in ["default", "light-magenta", "0", "255", "#00ff7f"] {
            assert_eq!(text.parse::<Color>().unwrap().to_string(), text);
        }
        assert!("256".parse::<Color>().is_err() && "".parse::<Color>().is_err());
    }
}
