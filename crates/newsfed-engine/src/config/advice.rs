//! Explains what is wrong with a typed value and what to type instead, for forms. The loader's own
//! messages name a place in a file and quote TOML.

use super::rule::{Rule, Slot, bounds, is_size, parse_time, show_size, show_time};
use crate::util::near::did_you_mean;
use std::time::Duration;

/// The kind of value that a field accepts.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Expected {
    Flag,
    /// Minimum and maximum in seconds.
    Time(u64, u64),
    Whole(u64, u64),
    Number(f64, f64),
    /// Minimum and maximum in bytes.
    Size(u64, u64),
    OneOf(&'static [&'static str]),
    Command,
    Secret,
    /// Text that is validated elsewhere.
    Other,
}

impl Expected {
    pub(super) fn of(slot: &Slot<'_>, rule: Rule) -> Self {
        let (min, max) = bounds(rule);
        match (slot, rule) {
            (_, Rule::OneOf(words)) => Self::OneOf(words),
            (Slot::Flag(_), _) => Self::Flag,
            (Slot::Time(_) | Slot::MaybeTime(_), _) => Self::Time(min, max),
            (Slot::Size(_), _) => Self::Size(min, max),
            (Slot::Number(_) | Slot::MaybeNumber(_), Rule::Between(min, max)) => {
                Self::Number(min, max)
            }
            (Slot::Count(_) | Slot::Pages(_) | Slot::Width(_) | Slot::MaybeCount(_), _) => {
                Self::Whole(min, max)
            }
            (Slot::Command(_), _) => Self::Command,
            (Slot::Secret(_) | Slot::Headers(_), _) => Self::Secret,
            _ => Self::Other,
        }
    }

    /// One or two sentences about a value that the loader has rejected with a message.
    pub(super) fn advice(self, typed: &str, message: &str) -> String {
        match self {
            _ if message.starts_with(MISSING) => rephrase(message),
            Self::Flag => "Use on or off.".to_owned(),
            Self::Time(min, max) => time(typed, min, max),
            Self::Whole(min, max) => whole(typed, min, max),
            Self::Number(min, max) => format!("Use a number from {min} to {max}."),
            Self::Size(min, max) => size(typed, min, max),
            Self::OneOf(words) => {
                let hint = did_you_mean(typed, words.iter().copied());
                format!("Use {}.{}", any_of(words), sentence(&hint))
            }
            Self::Command if shlex::split(typed).is_none() => {
                "A quotation mark is not closed. Close it, or write \\ before it.".to_owned()
            }
            Self::Secret if message.starts_with("expected text") => {
                "Use the text itself, env:VARIABLE, or command:pass show name.".to_owned()
            }
            Self::Command | Self::Secret | Self::Other => rephrase(message),
        }
    }
}

const MISSING: &str = "is missing";
/// The beginnings of messages that continue the name of a key.
const VERBS: [&str; 4] = ["is ", "has ", "needs ", "must "];

fn time(typed: &str, min: u64, max: u64) -> String {
    let (min, max) = (Duration::from_secs(min), Duration::from_secs(max));
    match parse_time(typed) {
        Some(time) if time < min => format!("Too short. Use {} or more.", show_time(min)),
        Some(time) if time > max => format!("Too long. Use {} or less.", show_time(max)),
        _ => "Not a duration. Use a number and a unit, such as 30m or 2h.".to_owned(),
    }
}

fn whole(typed: &str, min: u64, max: u64) -> String {
    let range = match (min, max) {
        (0, max) if max >= u64::from(u32::MAX) => "0 or more".to_owned(),
        (min, max) => format!("from {min} to {max}"),
    };
    let wrong = if typed.trim().parse::<i64>().is_ok() { "" } else { "Not a whole number. " };
    format!("{wrong}Use a whole number, {range}.")
}

fn size(typed: &str, min: u64, max: u64) -> String {
    match is_size(typed) {
        true => format!("Use a size from {} to {}.", show_size(min), show_size(max)),
        false => "Not a size. Use a number and a unit, such as 10MiB.".to_owned(),
    }
}

/// `a, b or c`
fn any_of(words: &[&str]) -> String {
    match words.split_last() {
        Some((last, [])) => (*last).to_owned(),
        Some((last, rest)) => format!("{} or {last}", rest.join(", ")),
        None => "nothing".to_owned(),
    }
}

/// `; did you mean "light"?` as a sentence of its own.
fn sentence(hint: &str) -> String {
    let hint = hint.trim_start_matches(';').trim();
    if hint.is_empty() { String::new() } else { format!(" {}", capitalized(hint)) }
}

fn capitalized(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

/// Turns the loader's message into sentences, without the typed value, which is already on the screen.
fn rephrase(message: &str) -> String {
    let text = match message.strip_prefix(MISSING) {
        Some("") => "A value is needed".to_owned(),
        Some(why) => why.trim_start_matches([':', ';', ' ']).to_owned(),
        None => match message.strip_prefix("expected ") {
            Some(expected) => {
                let (what, rest) = expected.split_once(", found ").unwrap_or((expected, ""));
                // The value is in quotation marks; a reason or a suggestion may follow it.
                let why = rest.rsplit_once('"').map_or("", |(_, why)| why);
                // A suggestion contains quotation marks too.
                let why = rest.find("; did you mean").map_or(why, |at| &rest[at..]);
                let why = why.trim_start_matches([';', ' ']);
                let why =
                    if why.is_empty() { String::new() } else { format!(". {}", capitalized(why)) };
                format!("Use {}{why}", what.replace('"', ""))
            }
            // The message continues the name of the key.
            None if VERBS.iter().any(|verb| message.starts_with(verb)) => format!("This {message}"),
            None => message.to_owned(),
        },
    };
    let end = if text.ends_with(['.', '?', '!']) { "" } else { "." };
    capitalized(&text) + end
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn explains_what_is_wrong_and_what_to_do() {
        let year = Expected::Time(60, 8766 * 3600);
        for (expected, typed, message, advice) in [
            (
                year,
                "5 fortnights",
                "",
                "Not a duration. Use a number and a unit, such as 30m or 2h.",
            ),
            (year, "1s", "", "Too short. Use 1m or more."),
            (year, "3years", "", "Too long. Use 1year or less."),
            (Expected::Whole(20, 400), "5", "", "Use a whole number, from 20 to 400."),
            (
                Expected::Whole(0, u32::MAX.into()),
                "x",
                "",
                "Not a whole number. Use a whole number, 0 or more.",
            ),
            (Expected::Number(0.1, 280.0), "many", "", "Use a number from 0.1 to 280."),
            (
                Expected::Size(1, 2),
                "big",
                "",
                "Not a size. Use a number and a unit, such as 10MiB.",
            ),
            (
                Expected::OneOf(&["default", "vim"]),
                "defualt",
                "",
                "Use default or vim. Did you mean \"default\"?",
            ),
            (
                Expected::Command,
                "firefox 'a",
                "",
                "A quotation mark is not closed. Close it, or write \\ before it.",
            ),
            (
                Expected::Other,
                "night",
                "expected hours such as \"23:00-07:00\", found \"night\"",
                "Use hours such as 23:00-07:00.",
            ),
            (
                Expected::Other,
                "a.org",
                "expected a URL such as \"https://a.org\", found \"a.org\"; is https:// missing at the start?",
                "Use a URL such as https://a.org. Is https:// missing at the start?",
            ),
            (
                Expected::Other,
                "",
                "is missing: a website needs a selector for the links to its articles",
                "A website needs a selector for the links to its articles.",
            ),
            (Expected::Command, "p", "needs {url} in it", "This needs {url} in it."),
            (
                Expected::Other,
                "a/b",
                "folders go at most 16 deep, found 17 levels",
                "Folders go at most 16 deep, found 17 levels.",
            ),
            (Expected::Size(1024, 2048), "1B", "", "Use a size from 1KiB to 2KiB."),
            (
                Expected::Secret,
                "",
                "expected text, { env = \"NAME\" }",
                "Use the text itself, env:VARIABLE, or command:pass show name.",
            ),
            (Expected::Flag, "x", "", "Use on or off."),
            (Expected::Other, "", "is missing", "A value is needed."),
            (Expected::Other, "a >", "is not a selector", "This is not a selector."),
        ] {
            assert_eq!(expected.advice(typed, message), advice, "{typed}");
        }
    }
}
