//! A key of `config.toml` or of a `[[source]]`: how it is read and written, and how the form shows
//! it. The keys themselves are the rows of [`super::schema`] and [`super::source_settings`].

use super::advice::Expected;
use super::document::{Node, Pair, Value};
use super::error::{Report, did_you_mean};
use super::keymap::Context;
use super::rule::{Rule, Slot, fill, show as show_slot};
use crate::model::SourceKind;
use crate::util::login::hide_secrets;
use std::fmt::Display;
use toml_edit::{InlineTable, Value as Toml};

/// A page of the form.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum FormPage {
    /// Title, URL, folder and tags of a source.
    General,
    /// When a source is polled.
    Schedule,
    /// Selectors of a website.
    Selectors,
    /// Targets of a crawl.
    Crawl,
    /// Programs and files of a feed.
    Origin,
    /// Request headers, login and proxy of a source.
    Access,
    /// Theme and layout.
    Appearance,
    /// Lists and the Reader.
    Reading,
    /// Episodes, downloads and saved articles.
    Listen,
    /// The browser, players and notifications.
    Programs,
    /// Full texts from pages.
    FullText,
    /// How long items are kept.
    Retention,
    /// How often sources are polled.
    Polling,
    /// The HTTP client.
    Network,
    /// Key bindings and the log.
    Keys,
}

impl FormPage {
    /// Every page, in the order of the form.
    pub const ALL: [Self; 15] = [
        Self::General,
        Self::Schedule,
        Self::Selectors,
        Self::Crawl,
        Self::Access,
        Self::Origin,
        Self::Appearance,
        Self::Reading,
        Self::Listen,
        Self::Programs,
        Self::FullText,
        Self::Retention,
        Self::Polling,
        Self::Network,
        Self::Keys,
    ];

    /// The label of its tab.
    pub fn title(self) -> &'static str {
        match self {
            Self::General => "General",
            Self::Schedule => "Schedule",
            Self::Selectors => "Selectors",
            Self::Crawl => "Crawl",
            Self::Origin => "Program or file",
            Self::Access => "Headers and login",
            Self::Appearance => "Appearance",
            Self::Reading => "Reading",
            Self::Listen => "Listen and save",
            Self::Programs => "Programs",
            Self::FullText => "Full text",
            Self::Retention => "Retention",
            Self::Polling => "Schedules",
            Self::Network => "Network",
            Self::Keys => "Keys",
        }
    }
}

const ALL_KINDS: &[SourceKind] = &SourceKind::ALL;

/// A key of a `T`.
pub(super) struct Setting<T: 'static> {
    /// The key with its table, as in `net.proxy`.
    pub(super) key: &'static str,
    pub(super) rule: Rule,
    /// Where the value is stored; the variant is the type of the value.
    pub(super) slot: fn(&mut T) -> Slot<'_>,
    pub(super) field: Field,
}

/// How the form shows a setting.
#[derive(Clone, Copy)]
pub(super) struct Field {
    /// `None` leaves it out of the form.
    pub(super) page: Option<FormPage>,
    pub(super) label: &'static str,
    pub(super) help: &'static str,
    /// The value that applies while the key is not set.
    pub(super) unset: &'static str,
    /// The kinds of sources that have the setting.
    pub(super) kinds: &'static [SourceKind],
    /// Whether the source is polled after the setting changes.
    pub(super) polls: bool,
    /// Whether a change takes effect only after a restart.
    pub(super) waits: bool,
    /// The option of `sources edit` and the name of its value.
    pub(super) option: Option<(&'static str, &'static str)>,
}

impl<T> Setting<T> {
    pub(super) const fn new(key: &'static str, rule: Rule, slot: fn(&mut T) -> Slot<'_>) -> Self {
        let field = Field {
            page: None,
            label: "",
            help: "",
            unset: "",
            kinds: ALL_KINDS,
            polls: false,
            waits: false,
            option: None,
        };
        Self { key, rule, slot, field }
    }

    /// Shows the setting in the form. Tests limit the lengths of labels and help texts.
    pub(super) const fn on(self, page: FormPage, label: &'static str, help: &'static str) -> Self {
        Self { field: Field { page: Some(page), label, help, ..self.field }, ..self }
    }

    pub(super) const fn unset(self, unset: &'static str) -> Self {
        Self { field: Field { unset, ..self.field }, ..self }
    }

    pub(super) const fn kinds(self, kinds: &'static [SourceKind]) -> Self {
        Self { field: Field { kinds, ..self.field }, ..self }
    }

    pub(super) const fn polls(self) -> Self {
        Self { field: Field { polls: true, ..self.field }, ..self }
    }

    pub(super) const fn waits(self) -> Self {
        Self { field: Field { waits: true, ..self.field }, ..self }
    }

    pub(super) const fn option(self, name: &'static str, value: &'static str) -> Self {
        Self { field: Field { option: Some((name, value)), ..self.field }, ..self }
    }

    /// The tables that lead to the key, then the key.
    pub(super) fn path(&self) -> Vec<String> {
        self.key.split('.').map(str::to_owned).collect()
    }

    pub(super) fn shape(&self, from: &mut T) -> Shape {
        match (self.slot)(from) {
            Slot::Flag(_) => Shape::Flag,
            Slot::Words(_) => Shape::Words,
            Slot::Command(_) => Shape::Command,
            Slot::Secret(_) => Shape::Secret,
            Slot::Headers(_) => Shape::NewHeader,
            Slot::Count(_)
            | Slot::Pages(_)
            | Slot::Width(_)
            | Slot::MaybeCount(_)
            | Slot::Number(_)
            | Slot::MaybeNumber(_) => Shape::Number,
            _ => Shape::Text,
        }
    }

    /// The kind of value that its field accepts.
    pub(super) fn expected(&self, from: &mut T) -> Expected {
        Expected::of(&(self.slot)(from), self.rule)
    }

    /// The value as TOML, without secrets.
    pub(super) fn shown(&self, of: &mut T) -> toml::Value {
        match (show_slot((self.slot)(of)), self.rule) {
            (toml::Value::String(text), Rule::Address(..)) => hide_secrets(&text).into(),
            (value, _) => value,
        }
    }

    /// The possible values, if they are few.
    pub(super) fn choices(&self, from: &mut T) -> &'static [&'static str] {
        match (self.rule, (self.slot)(from)) {
            (Rule::OneOf(words), _) => words,
            (_, Slot::Flag(_)) => &["on", "off"],
            _ => &[],
        }
    }
}

/// How a value is typed and written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Shape {
    Text,
    Number,
    /// `on` or `off`; in the file, `true` or `false`.
    Flag,
    /// Comma-separated words.
    Words,
    /// A list of arguments, in shell syntax.
    Command,
    /// Plain text, `env:NAME` or `command:ARGUMENTS`.
    Secret,
    /// A name, a colon and a secret, for one more key of the table.
    NewHeader,
}

const ENV: &str = "env:";
const COMMAND: &str = "command:";

impl Shape {
    /// The TOML for typed text; `None` if it is empty. Text that is not a valid value is written as a string,
    /// for the loader to reject.
    pub(super) fn value(self, typed: &str) -> Option<Toml> {
        let text = typed.trim();
        if text.is_empty() {
            return None;
        }
        if let (Self::Words | Self::Command, Some(list)) = (self, list(text)) {
            return (!list.is_empty()).then(|| text_array(&list));
        }
        Some(match self {
            Self::Text => text.into(),
            Self::Number => number(text),
            Self::Flag => match text {
                "on" | "true" => true.into(),
                "off" | "false" => false.into(),
                _ => text.into(),
            },
            Self::Words => {
                let split = text.split(',').map(str::trim).filter(|word| !word.is_empty());
                let list: Vec<String> = split.map(str::to_owned).collect();
                return (!list.is_empty()).then(|| text_array(&list));
            }
            Self::Command => {
                shlex::split(text).map_or_else(|| text.into(), |argv| text_array(&argv))
            }
            Self::Secret | Self::NewHeader => secret(text),
        })
    }

    /// A value as the user types it.
    pub(super) fn show(self, node: &Node) -> String {
        match (self, &node.value) {
            (Self::NewHeader, _) => String::new(),
            (Self::Command, Value::List(list)) => arguments(list),
            (_, Value::Flag(flag)) => if *flag { "on" } else { "off" }.to_owned(),
            _ => show(node),
        }
    }
}

/// Whether the typed text only names the place of a secret.
pub(super) fn is_reference(typed: &str) -> bool {
    typed.starts_with(ENV) || typed.starts_with(COMMAND)
}

fn number(text: &str) -> Toml {
    let whole = text.parse::<i64>().map(Toml::from);
    whole.or_else(|_| text.parse::<f64>().map(Toml::from)).unwrap_or_else(|_| text.into())
}

fn secret(text: &str) -> Toml {
    let command = |rest: &str| shlex::split(rest).filter(|argv| !argv.is_empty());
    let (key, value) = match (text.strip_prefix(ENV), text.strip_prefix(COMMAND).and_then(command))
    {
        (Some(name), _) => ("env", Toml::from(name.trim())),
        (None, Some(argv)) => ("command", text_array(&argv)),
        (None, None) => return text.into(),
    };
    let mut table = InlineTable::new();
    table.insert(key, value);
    Toml::InlineTable(table)
}

/// Arguments in shell syntax.
fn arguments(list: &[Node]) -> String {
    let argv: Vec<String> = list.iter().map(show).collect();
    shlex::try_join(argv.iter().map(String::as_str)).unwrap_or_default()
}

fn show(node: &Node) -> String {
    match &node.value {
        Value::Text(text) => text.clone(),
        Value::Whole(number) => number.to_string(),
        Value::Decimal(number) => number.to_string(),
        Value::Flag(flag) => flag.to_string(),
        Value::Date(date) => date.clone(),
        Value::List(list) => list.iter().map(show).collect::<Vec<_>>().join(", "),
        Value::Table(table) => match table.first().map(|pair| (&*pair.key, &pair.node.value)) {
            Some(("env", Value::Text(name))) => format!("{ENV}{name}"),
            Some(("command", Value::List(argv))) => format!("{COMMAND}{}", arguments(argv)),
            _ => String::new(),
        },
    }
}

/// A list of strings.
pub(super) fn text_array(texts: &[String]) -> Toml {
    Toml::Array(texts.iter().map(String::as_str).collect())
}

/// The settings of a table, with their key names in it. Keys outside any table are in the table "".
pub(super) fn in_table<'a, T>(
    settings: &'a [Setting<T>],
    table: &'a str,
) -> impl Iterator<Item = (&'static str, &'a Setting<T>)> {
    settings.iter().filter_map(move |setting| match setting.key.rsplit_once('.') {
        Some((its, key)) => (its == table).then_some((key, setting)),
        None => table.is_empty().then_some((setting.key, setting)),
    })
}

/// Whether a setting is this key of this table.
fn is_key(setting: &str, table: &str, key: &str) -> bool {
    if table.is_empty() {
        return setting == key && !key.contains('.');
    }
    setting.len() == table.len() + 1 + key.len() && setting.rsplit_once('.') == Some((table, key))
}

/// Reads the keys of a table into `into` and reports invalid and unknown ones. Messages prepend `prefix` to a
/// key. Keys in `others` are left to the caller.
pub(super) fn read<T>(
    pairs: &[Pair],
    prefix: &dyn Display,
    (settings, table): (&[Setting<T>], &str),
    others: &[&str],
    into: &mut T,
    report: &mut Report,
) {
    for pair in pairs {
        let name = || format!("{prefix}{}", pair.key);
        if let Some(setting) = settings.iter().find(|s| is_key(s.key, table, &pair.key)) {
            if let Err(message) = fill((setting.slot)(into), setting.rule, &pair.node) {
                report.error(pair.node.at, &name(), message);
            }
        } else if !others.contains(&pair.key.as_str()) {
            let known = in_table(settings, table).map(|(key, _)| key);
            let similar = did_you_mean(&pair.key, known.chain(others.iter().copied()));
            let hints = [similar, report.elsewhere(&pair.key), misplaced_binding(table, pair)];
            let hint = hints.into_iter().find(|hint| !hint.is_empty()).unwrap_or_default();
            report.error(pair.at, &name(), format!("unknown setting{hint}"));
        }
    }
}

/// A hint for a key binding in `[keys]` itself.
fn misplaced_binding(table: &str, pair: &Pair) -> String {
    if table != "keys" || !matches!(pair.node.value, Value::Text(_)) {
        return String::new();
    }
    let tables = Context::ALL.map(|context| format!("[keys.{}]", context.name())).join(", ");
    format!("; key bindings belong in one of the tables {tables}")
}

/// Parses a list in TOML notation, such as `["mpv", "--no-video"]`.
fn list(text: &str) -> Option<Vec<String>> {
    let list = text.parse::<toml_edit::Value>().ok()?;
    list.as_array()?.iter().map(|word| Some(word.as_str()?.to_owned())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_keys_only_in_their_table() {
        for (setting, table, key, expected) in [
            ("title", "", "title", true),
            ("retention.days", "retention", "days", true),
            ("retention.days", "", "days", false),
            ("retention.days", "", "retention.days", false),
            ("website.date.format", "website.date", "format", true),
            ("website.date.format", "website", "date.format", false),
            ("full_text", "", "text", false),
            ("a.full_text", "a", "text", false),
            ("title", "", "", false),
            ("title", "title", "", false),
        ] {
            assert_eq!(is_key(setting, table, key), expected, "{setting} {table} {key}");
        }
    }

    #[test]
    fn lists_are_typed_as_words_or_toml() {
        for (shape, typed, expected) in [
            (Shape::Command, "mpv --no-video", Some("[\"mpv\", \"--no-video\"]")),
            (Shape::Command, "[\"mpv\", \"--title=a b\"]", Some("[\"mpv\", \"--title=a b\"]")),
            (Shape::Words, "a, b", Some("[\"a\", \"b\"]")),
            (Shape::Words, "['a', \"b, c\"]", Some("[\"a\", \"b, c\"]")),
            (Shape::Words, "[]", None),
            (Shape::Command, "[ -f x ]", Some("[\"[\", \"-f\", \"x\", \"]\"]")),
        ] {
            let value = shape.value(typed).map(|value| value.to_string().trim().to_owned());
            assert_eq!(value.as_deref(), expected, "{typed}");
        }
    }
}
