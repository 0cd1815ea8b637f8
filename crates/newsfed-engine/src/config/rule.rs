//! The types of values, their limits, and how they are parsed and displayed.

use super::choices::{
    Background, CommandInput, CommandOutput, DateStyle, GraphicsMode, Grouping, HookAfter,
    ListStyle, MarkRead, NotifyWay, SortOrder,
};
use super::document::{Node, Pair, Value};
use super::error::did_you_mean;
use crate::model::{FullText, PolicyKind, Priority, Secret, SourceKind};
use std::time::Duration;

/// The limits of a value beyond its type.
#[derive(Clone, Copy)]
pub(crate) enum Rule {
    /// Anything of the type.
    Any,
    /// Minimum and maximum: a count, seconds for a time, bytes for a size.
    Within(u64, u64),
    /// Minimum and maximum of a number with decimals.
    Between(f64, f64),
    /// One of these words.
    OneOf(&'static [&'static str]),
    /// Text that passes a check, in the form that the check returns, and a pattern. The pattern is for
    /// editors: it must match every text that passes, and may match others. "" matches everything.
    Checked(fn(&str) -> Result<String, String>, &'static str),
    /// A URL that passes a check, with a pattern like that of [`Self::Checked`]. Its user and password are
    /// not shown.
    Address(fn(&str) -> Result<String, String>, &'static str),
}

/// The place to store a value. The variant is the value's type.
pub(crate) enum Slot<'a> {
    Flag(&'a mut bool),
    Text(&'a mut String),
    /// Empty text is `None`.
    MaybeText(&'a mut Option<String>),
    Words(&'a mut Vec<String>),
    /// A command as a list of arguments.
    Command(&'a mut Vec<String>),
    Time(&'a mut Duration),
    MaybeTime(&'a mut Option<Duration>),
    Count(&'a mut usize),
    Pages(&'a mut u32),
    Width(&'a mut u16),
    /// 0 is `None`.
    MaybeCount(&'a mut Option<u32>),
    Size(&'a mut u64),
    Number(&'a mut f64),
    MaybeNumber(&'a mut Option<f64>),
    Choice(&'a mut dyn Choice),
    Secret(&'a mut Option<Secret>),
    /// Read by separate code, because messages give the position of each header.
    Headers(&'a mut Vec<(String, Secret)>),
    /// Read and written by separate code.
    Special,
}

/// A setting that is one of a few words.
pub(crate) trait Choice {
    /// Sets the value by its name, which must be a valid one.
    fn choose(&mut self, name: &str);
    /// The name of the value; empty if there is none.
    fn chosen(&self) -> &'static str;
}

trait Named: Copy + Default + 'static {
    const ALL: &'static [Self];
    fn its_name(self) -> &'static str;

    fn of_name(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|value| value.its_name() == name)
    }
}

impl<T: Named> Choice for T {
    fn choose(&mut self, name: &str) {
        *self = T::of_name(name).unwrap_or_default();
    }

    fn chosen(&self) -> &'static str {
        self.its_name()
    }
}

impl<T: Named> Choice for Option<T> {
    fn choose(&mut self, name: &str) {
        *self = T::of_name(name);
    }

    fn chosen(&self) -> &'static str {
        self.map_or("", Named::its_name)
    }
}

macro_rules! named {
    ($($of:ty => $all:expr;)*) => {$(
        impl Named for $of {
            const ALL: &'static [Self] = $all;

            fn its_name(self) -> &'static str {
                self.name()
            }
        }
    )*};
}

named! {
    PolicyKind => &PolicyKind::ALL;
    FullText => &FullText::ALL;
    SortOrder => SortOrder::ALL;
    ListStyle => ListStyle::ALL;
    Background => Background::ALL;
    MarkRead => MarkRead::ALL;
    DateStyle => DateStyle::ALL;
    Grouping => Grouping::ALL;
    GraphicsMode => GraphicsMode::ALL;
    NotifyWay => NotifyWay::ALL;
    CommandInput => CommandInput::ALL;
    HookAfter => HookAfter::ALL;
    CommandOutput => CommandOutput::ALL;
    Priority => &[Self::Low, Self::Normal, Self::High];
    SourceKind => &SourceKind::ALL;
}

/// Stores a value in its slot. The error names what was expected and what was found.
pub(super) fn fill(slot: Slot<'_>, rule: Rule, node: &Node) -> Result<(), String> {
    match slot {
        Slot::Special | Slot::Headers(_) => {}
        Slot::Flag(to) => *to = flag(node)?,
        Slot::Text(to) => *to = text(node, rule)?,
        Slot::MaybeText(to) => {
            let empty = matches!(&node.value, Value::Text(t) if t.is_empty());
            *to = if empty { None } else { Some(text(node, rule)?) };
        }
        Slot::Words(to) => *to = text_list(node, rule)?,
        Slot::Command(to) => *to = command(node, rule)?,
        Slot::Time(to) => *to = time(node, rule)?,
        Slot::MaybeTime(to) => *to = Some(time(node, rule)?),
        Slot::Count(to) => *to = usize::try_from(count(node, rule)?).unwrap_or(usize::MAX),
        Slot::Pages(to) => *to = u32::try_from(count(node, rule)?).unwrap_or(u32::MAX),
        Slot::Width(to) => *to = u16::try_from(count(node, rule)?).unwrap_or(u16::MAX),
        Slot::MaybeCount(to) => {
            *to = u32::try_from(count(node, rule)?).ok().filter(|n| *n > 0);
        }
        Slot::Size(to) => *to = size(node, rule)?,
        Slot::Number(to) => *to = number(node, rule)?,
        Slot::MaybeNumber(to) => *to = Some(number(node, rule)?),
        Slot::Choice(to) => to.choose(&text(node, rule)?),
        Slot::Secret(to) => *to = Some(secret(node)?),
    }
    Ok(())
}

/// `expected …, found …`
pub(crate) fn mismatch(expected: &str, node: &Node) -> String {
    format!("expected {expected}, found {}", node.value.describe())
}

fn flag(node: &Node) -> Result<bool, String> {
    match &node.value {
        Value::Flag(flag) => Ok(*flag),
        _ => Err(mismatch("true or false", node)),
    }
}

fn text(node: &Node, rule: Rule) -> Result<String, String> {
    let Value::Text(text) = &node.value else {
        return Err(match rule {
            Rule::OneOf(words) => mismatch(&one_of(words), node),
            _ => mismatch("a string", node),
        });
    };
    match rule {
        Rule::OneOf(words) if !words.contains(&text.as_str()) => {
            let hint = did_you_mean(text, words.iter().copied());
            Err(format!("{}{hint}", mismatch(&one_of(words), node)))
        }
        Rule::Checked(check, _) | Rule::Address(check, _) => check(text),
        _ => Ok(text.clone()),
    }
}

/// `"a", "b" or "c"`
pub(crate) fn one_of(words: &[&str]) -> String {
    let quoted: Vec<_> = words.iter().map(|w| format!("\"{w}\"")).collect();
    match quoted.split_last() {
        Some((last, [])) => last.clone(),
        Some((last, rest)) => format!("{} or {last}", rest.join(", ")),
        None => "nothing".to_owned(),
    }
}

fn text_list(node: &Node, rule: Rule) -> Result<Vec<String>, String> {
    let expected = "a list of strings such as [\"one\", \"two\"]";
    let Value::List(list) = &node.value else { return Err(mismatch(expected, node)) };
    list.iter()
        .map(|word| match &word.value {
            Value::Text(_) => text(word, rule),
            _ => Err(format!("{} in the list", mismatch(expected, word))),
        })
        .collect()
}

/// A program and its arguments, which can be empty.
fn command(node: &Node, rule: Rule) -> Result<Vec<String>, String> {
    let argv = text_list(node, rule)?;
    match argv.first() {
        Some(program) if program.trim().is_empty() => {
            Err("expected a list such as [\"program\", \"argument\"], found an empty program"
                .to_owned())
        }
        _ => Ok(argv),
    }
}

fn count(node: &Node, rule: Rule) -> Result<u64, String> {
    let (min, max) = bounds(rule);
    let expected = format!("a whole number from {min} to {max}");
    match &node.value {
        Value::Whole(n) => u64::try_from(*n)
            .ok()
            .filter(|n| (min..=max).contains(n))
            .ok_or_else(|| mismatch(&expected, node)),
        _ => Err(mismatch(&expected, node)),
    }
}

fn number(node: &Node, rule: Rule) -> Result<f64, String> {
    let (min, max) = match rule {
        Rule::Between(min, max) => (min, max),
        _ => (f64::MIN, f64::MAX),
    };
    let found = match &node.value {
        Value::Whole(n) => Some(*n as f64),
        Value::Decimal(n) => Some(*n),
        _ => None,
    };
    let found = found.filter(|n| (min..=max).contains(n));
    found.ok_or_else(|| mismatch(&format!("a number from {min} to {max}"), node))
}

fn time(node: &Node, rule: Rule) -> Result<Duration, String> {
    let (min, max) = bounds(rule);
    let (min, max) = (Duration::from_secs(min), Duration::from_secs(max));
    let examples = ["30s", "15m", "1h", "2d"];
    let examples = examples
        .iter()
        .filter(|text| parse_time(text).is_some_and(|time| (min..=max).contains(&time)));
    let expected = format!(
        "a time from \"{}\" to \"{}\" such as {}",
        show_time(min),
        show_time(max),
        one_of(&examples.copied().collect::<Vec<_>>())
    );
    match &node.value {
        Value::Text(text) => parse_time(text)
            .filter(|t| (min..=max).contains(t))
            .ok_or_else(|| mismatch(&expected, node)),
        Value::Whole(0) if min.is_zero() => Ok(Duration::ZERO),
        _ => Err(mismatch(&expected, node)),
    }
}

/// A time as users write it.
pub(super) fn parse_time(text: &str) -> Option<Duration> {
    humantime::parse_duration(text.trim()).ok()
}

/// A time in the form that `parse_time` reads. Days are written `1d`, not `1day`, to match `1h`.
pub(crate) fn show_time(time: Duration) -> String {
    humantime::format_duration(time).to_string().replace("days", "d").replace("day", "d")
}

/// The notations of a secret. Its value never appears in a message.
const SECRET_FORMS: &str =
    "expected text, { env = \"NAME\" } or { command = [\"pass\", \"show\", \"name\"] }";

pub(super) fn secret(node: &Node) -> Result<Secret, String> {
    let secret = match &node.value {
        Value::Text(text) => Some(Secret::Plain(text.clone())),
        Value::Table(table) => match table.as_slice() {
            [one] => secret_of(one),
            _ => None,
        },
        _ => None,
    };
    let usable =
        secret.filter(|s| !matches!(s, Secret::Plain(t) if t.contains(['\r', '\n', '\0'])));
    usable.ok_or_else(|| SECRET_FORMS.to_owned())
}

fn secret_of(pair: &Pair) -> Option<Secret> {
    match (&*pair.key, &pair.node.value) {
        ("env", Value::Text(name)) if !name.is_empty() && !name.contains(['=', '\0']) => {
            Some(Secret::Env(name.clone()))
        }
        ("command", Value::List(words)) if !words.is_empty() => {
            let word = |n: &Node| match &n.value {
                Value::Text(text) => Some(text.clone()),
                _ => None,
            };
            words.iter().map(word).collect::<Option<_>>().map(Secret::Command)
        }
        _ => None,
    }
}

const UNITS: [(&str, u64); 7] = [
    ("GiB", 1 << 30),
    ("MiB", 1 << 20),
    ("KiB", 1 << 10),
    ("GB", 1_000_000_000),
    ("MB", 1_000_000),
    ("kB", 1_000),
    ("B", 1),
];

fn size(node: &Node, rule: Rule) -> Result<u64, String> {
    let (min, max) = bounds(rule);
    let expected =
        format!("a size from \"{}\" to \"{}\" such as \"10MiB\"", show_size(min), show_size(max));
    let size = match &node.value {
        Value::Text(text) => parse_size(text),
        Value::Whole(n) => u64::try_from(*n).ok(),
        _ => None,
    };
    size.filter(|n| (min..=max).contains(n)).ok_or_else(|| mismatch(&expected, node))
}

/// A number of bytes, with or without a unit.
fn parse_size(text: &str) -> Option<u64> {
    let text = text.trim();
    let digits = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let (number, unit) = text.split_at(digits);
    let unit = unit.trim();
    let factor = match UNITS.iter().find(|(name, _)| name.eq_ignore_ascii_case(unit)) {
        Some((_, factor)) => *factor,
        None if unit.is_empty() => 1,
        None => return None,
    };
    number.parse::<u64>().ok()?.checked_mul(factor)
}

/// Whether text is a size, whatever the number of bytes.
pub(super) fn is_size(text: &str) -> bool {
    parse_size(text).is_some()
}

/// A size in the largest binary unit that keeps it exact.
pub(crate) fn show_size(bytes: u64) -> String {
    let binary = UNITS[..3].iter().find(|(_, f)| bytes >= *f && bytes.is_multiple_of(*f));
    match binary {
        Some((unit, factor)) => format!("{}{unit}", bytes / factor),
        None => format!("{bytes}B"),
    }
}

pub(super) fn bounds(rule: Rule) -> (u64, u64) {
    match rule {
        Rule::Within(min, max) => (min, max),
        _ => (0, u64::from(u32::MAX)),
    }
}

/// The value of a slot as TOML, as `config show` prints it. Secrets are not shown.
pub(super) fn show(slot: Slot<'_>) -> toml::Value {
    let whole = |n: u64| toml::Value::Integer(i64::try_from(n).unwrap_or(i64::MAX));
    let text = |text: &str| toml::Value::String(text.to_owned());
    match slot {
        Slot::Special | Slot::Secret(_) | Slot::Headers(_) => text(""),
        Slot::Flag(flag) => toml::Value::Boolean(*flag),
        Slot::Text(value) => text(value),
        Slot::MaybeText(value) => text(value.as_deref().unwrap_or_default()),
        Slot::Words(words) | Slot::Command(words) => {
            toml::Value::Array(words.iter().map(|word| text(word)).collect())
        }
        Slot::Time(time) => text(&show_time(*time)),
        Slot::MaybeTime(time) => text(&time.map(show_time).unwrap_or_default()),
        Slot::Count(n) => whole(*n as u64),
        Slot::Pages(n) => whole(u64::from(*n)),
        Slot::Width(n) => whole(u64::from(*n)),
        Slot::MaybeCount(n) => whole(u64::from(n.unwrap_or(0))),
        Slot::Size(n) => text(&show_size(*n)),
        Slot::Number(n) => toml::Value::Float(*n),
        Slot::MaybeNumber(n) => n.map_or_else(|| text(""), toml::Value::Float),
        Slot::Choice(choice) => text(choice.chosen()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_and_times_round_trip() {
        for bytes in [0, 1, 1023, 1024, 1536, 10 << 20, 1 << 30, 1_000_000] {
            assert_eq!(parse_size(&show_size(bytes)), Some(bytes));
        }
        assert_eq!(parse_size("10 mib"), Some(10 << 20));
        assert_eq!(parse_size("2kB"), Some(2000));
        for bad in ["", "MiB", "-1B", "1.5MiB", "99999999999999999999", "18446744073709551615KiB"] {
            let expected = None;
            assert_eq!(parse_size(bad), expected, "{bad}");
        }
        for seconds in [0, 1, 90, 3600, 86_400 * 40] {
            let time = Duration::from_secs(seconds);
            assert_eq!(parse_time(&show_time(time)), Some(time));
        }
        assert_eq!(parse_time("0s"), Some(Duration::ZERO));
        assert_eq!(parse_time("1h 30m"), Some(Duration::from_secs(5400)));
        assert_eq!(parse_time("10"), None);
    }
}
