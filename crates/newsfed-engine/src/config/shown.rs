//! Settings as the program shows them, and single settings as users type them.

use super::schema::{SETTINGS, VIEW};
use super::section::KeyChange;
use super::setting::{FormPage, Setting, Shape};
use super::settings::Settings;

/// Elements such as `[[view]]`, as TOML.
fn elements<T>(keys: &[Setting<T>], all: &mut [T]) -> toml::Value {
    let element = |element: &mut T| {
        let pair = |s: &Setting<T>| (s.key.to_owned(), s.shown(element));
        let is_set = |(_, value): &(String, toml::Value)| {
            let is_empty = value.as_str().is_some_and(str::is_empty);
            !is_empty && value.as_array().is_none_or(|list| !list.is_empty())
        };
        toml::Value::Table(keys.iter().map(pair).filter(is_set).collect())
    };
    toml::Value::Array(all.iter_mut().map(element).collect())
}

/// The settings as in `config.toml`, including defaults. Users and passwords in URLs become `***`.
pub fn show_settings(settings: &Settings) -> toml::Table {
    let mut settings = settings.clone();
    let mut all = toml::Table::new();
    for setting in SETTINGS {
        let value = setting.shown(&mut settings);
        match setting.key.split_once('.') {
            None => drop(all.insert(setting.key.to_owned(), value)),
            Some((table, key)) => {
                let table = all.entry(table).or_insert_with(|| toml::Table::new().into());
                table.as_table_mut().and_then(|table| table.insert(key.to_owned(), value));
            }
        }
    }
    let open = all.get_mut("open").and_then(toml::Value::as_table_mut);
    open.into_iter().for_each(|open| open.extend(super::open::shown(&settings.open)));
    let keys = all.get_mut("keys").and_then(toml::Value::as_table_mut);
    keys.into_iter().for_each(|keys| keys.extend(texts(&settings.keys.bindings)));
    if !settings.themes.is_empty() {
        all.insert("themes".to_owned(), texts(&settings.themes).into());
    }
    if !settings.views.is_empty() {
        all.insert("view".to_owned(), elements(VIEW, &mut settings.views));
    }
    if !settings.rules.is_empty() {
        all.insert("rule".to_owned(), elements(super::item_rules::KEYS, &mut settings.rules));
    }
    if !settings.commands.is_empty() {
        all.insert("command".to_owned(), elements(super::commands::KEYS, &mut settings.commands));
    }
    if !settings.hooks.is_empty() {
        all.insert("hook".to_owned(), elements(super::hooks::KEYS, &mut settings.hooks));
    }
    if !settings.accounts.is_empty() {
        let accounts = elements(super::accounts::KEYS, &mut settings.accounts);
        all.insert("account".to_owned(), accounts);
    }
    all
}

type Texts = std::collections::BTreeMap<String, std::collections::BTreeMap<String, String>>;

/// Tables that contain only text values.
fn texts(tables: &Texts) -> toml::Table {
    let inner = |table: &std::collections::BTreeMap<String, String>| {
        let pair = |(key, text): (&String, &String)| (key.clone(), text.as_str().into());
        toml::Value::Table(table.iter().map(pair).collect())
    };
    tables.iter().map(|(name, table)| (name.clone(), inner(table))).collect()
}

/// Every key with a single value, dotted, as in `--set`.
pub fn setting_keys() -> Vec<String> {
    let mut keys: Vec<String> = SETTINGS.iter().map(|setting| setting.key.to_owned()).collect();
    keys.sort_unstable();
    keys
}

/// A setting as shown in the form.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SettingRow {
    /// The dotted key.
    pub key: &'static str,
    pub page: FormPage,
    pub label: &'static str,
    pub help: &'static str,
}

impl SettingRow {
    /// Additional words that users may search for.
    pub fn search_words(self) -> &'static str {
        match self.key.split_once('.') {
            Some(("ui", "list")) => "layout rows",
            Some(("notify", _)) => "notification alert desktop message",
            Some(("machines", _)) => "machines synchronise sync computer",
            Some(("listen", _)) => "podcast episode audio video",
            Some(("download", _)) => "podcast enclosure",
            Some(("llm", _)) => "language model ai",
            Some(("serve", _)) => "app phone fever greader",
            _ => "",
        }
    }
}

/// The settings in the form, in its order.
pub fn setting_rows() -> impl Iterator<Item = SettingRow> {
    SETTINGS.iter().filter_map(|setting| {
        let (field, key) = (&setting.field, setting.key);
        Some(SettingRow { key, page: field.page?, label: field.label, help: field.help })
    })
}

fn named(key: &str) -> Option<&'static Setting<Settings>> {
    SETTINGS.iter().find(|setting| setting.key == key)
}

/// The possible values of a key; empty if there are many.
pub fn setting_choices(settings: &Settings, key: &str) -> Vec<String> {
    if key == "ui.theme" {
        return super::theme::theme_names(&settings.themes);
    }
    let choices = named(key).map(|setting| setting.choices(&mut settings.clone()));
    choices.unwrap_or_default().iter().map(|word| (*word).to_owned()).collect()
}

/// The value of a dotted key, as the user types it.
pub fn setting_shown(settings: &Settings, key: &str) -> String {
    let value = named(key).map(|setting| setting.shown(&mut settings.clone()));
    match value {
        Some(toml::Value::String(text)) if text.is_empty() => "none".to_owned(),
        Some(toml::Value::String(text)) => text,
        Some(toml::Value::Array(list)) if list.is_empty() => "none".to_owned(),
        Some(toml::Value::Array(list)) => {
            let words: Vec<&str> = list.iter().filter_map(toml::Value::as_str).collect();
            match shape(key) {
                Shape::Command => shlex::try_join(words.iter().copied()).unwrap_or_default(),
                _ => words.join(", "),
            }
        }
        Some(toml::Value::Boolean(flag)) => if flag { "on" } else { "off" }.to_owned(),
        Some(other) => other.to_string(),
        None => String::new(),
    }
}

/// How the user types the value of a dotted key.
fn shape(key: &str) -> Shape {
    named(key).map_or(Shape::Text, |setting| setting.shape(&mut Settings::default()))
}

/// The change for a typed value of a dotted key; empty text removes the key. The loader rejects invalid
/// values.
pub fn setting_change(key: &str, typed: &str) -> KeyChange {
    let value = shape(key).value(typed).map(|value| value.to_string());
    KeyChange { path: key.split('.').map(str::to_owned).collect(), value }
}
