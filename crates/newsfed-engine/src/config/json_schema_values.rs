//! The JSON Schema of single values. Draft 7, because TOML editors do not support later ones well.

use super::checks::WORD;
use super::reference::reference;
use super::rule::{Rule, Slot};
use super::setting::Setting;
use crate::model::SourceKind;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

/// The keys of a schema, or of its properties.
pub(super) type Keys = Map<String, Value>;

/// A time as users write it.
const TIME: &str = concat!(
    r"^\s*(0|([0-9][0-9\s]*(\.[0-9\s]+)?(nanos|nsec|ns|usec|us|µs|millis|msec|ms",
    r"|seconds|second|secs|sec|s|minutes|minute|mins|min|m|hours|hour|hrs|hr|h|days|day|d",
    r"|weeks|week|wks|wk|w|months|month|M|years|year|yrs|yr|y)\s*)+)\s*$"
);
/// A number of bytes with a unit.
const SIZE: &str = r"^\s*[0-9]+\s*([kKmMgG]?[bB]|[kKmMgG][iI][bB])?\s*$";
/// Text that is sent as a header or as login data.
const SECRET: &str = r"^[^\r\n\x00]*$";
const HEADER_NAME: &str = r"^[0-9A-Za-z!#$%&'*+.^_`|~-]+$";

/// A table with these keys and no others.
pub(super) fn object(properties: Keys) -> Keys {
    let mut keys = Keys::new();
    keys.insert("type".to_owned(), "object".into());
    keys.insert("additionalProperties".to_owned(), false.into());
    keys.insert("properties".to_owned(), properties.into());
    keys
}

/// The properties of each table; keys without a table are under "".
pub(super) fn tables<T: Default>(settings: &'static [Setting<T>]) -> BTreeMap<&'static str, Keys> {
    let mut tables: BTreeMap<&str, Keys> = BTreeMap::new();
    for setting in settings {
        let (table, key) = setting.key.rsplit_once('.').unwrap_or(("", setting.key));
        tables.entry(table).or_default().insert(key.to_owned(), described(setting).into());
    }
    tables
}

/// The schema of a setting, with its description and default.
fn described<T: Default>(setting: &Setting<T>) -> Keys {
    let about = reference(setting);
    let mut keys = values(&(setting.slot)(&mut T::default()), setting.rule);
    let mut sentences = vec![about.help.to_owned(), format!("Value: {}.", about.values)];
    if about.kinds.len() < SourceKind::ALL.len() {
        let kinds: Vec<&str> = about.kinds.iter().map(|kind| kind.name()).collect();
        sentences.push(format!("For the kinds {}.", kinds.join(", ")));
    }
    if !about.unset.is_empty() {
        sentences.push(format!("Not set: {}.", about.unset));
    }
    if about.waits {
        sentences.push("Takes effect at the next start.".to_owned());
    }
    sentences.retain(|sentence| !sentence.is_empty());
    keys.insert("description".to_owned(), sentences.join(" ").into());
    let is_list = |value: &Value| value.as_array().is_some_and(Vec::is_empty);
    let default = about.default.and_then(|default| serde_json::to_value(default).ok());
    if let Some(default) = default.filter(|default| !is_list(default)) {
        keys.insert("default".to_owned(), default);
    }
    keys
}

/// The keys of a JSON object.
pub(super) fn keys(value: Value) -> Keys {
    match value {
        Value::Object(keys) => keys,
        _ => Keys::new(),
    }
}

/// The values that the loader accepts for a slot with these limits.
fn values(slot: &Slot<'_>, rule: Rule) -> Keys {
    keys(match slot {
        Slot::Flag(_) => json!({ "type": "boolean" }),
        Slot::Text(_) | Slot::Choice(_) | Slot::Special => text(rule, false),
        Slot::MaybeText(_) => text(rule, true),
        Slot::Words(_) => json!({ "type": "array", "items": text(rule, false) }),
        Slot::Command(_) => command(rule),
        Slot::Time(_) | Slot::MaybeTime(_) => {
            let time = json!({ "type": "string", "pattern": TIME });
            match rule {
                Rule::Within(1.., _) => time,
                _ => json!({ "anyOf": [time, { "const": 0 }] }),
            }
        }
        Slot::Count(_) | Slot::Pages(_) | Slot::Width(_) | Slot::MaybeCount(_) => whole(rule),
        Slot::Size(_) => json!({ "anyOf": [{ "type": "string", "pattern": SIZE }, whole(rule)] }),
        Slot::Number(_) | Slot::MaybeNumber(_) => match rule {
            Rule::Between(min, max) => json!({ "type": "number", "minimum": min, "maximum": max }),
            _ => json!({ "type": "number" }),
        },
        Slot::Secret(_) => secret(),
        Slot::Headers(_) => json!({
            "type": "object",
            "propertyNames": { "pattern": HEADER_NAME },
            "additionalProperties": secret(),
        }),
    })
}

/// The schema of a text with this rule; `empty` also allows "".
pub(super) fn text(rule: Rule, empty: bool) -> Value {
    match rule {
        Rule::OneOf(words) => {
            json!({ "type": "string", "enum": words })
        }
        Rule::Checked(_, pattern) | Rule::Address(_, pattern) if !pattern.is_empty() => {
            let pattern = if empty { format!("^$|{pattern}") } else { pattern.to_owned() };
            json!({ "type": "string", "pattern": pattern })
        }
        _ => json!({ "type": "string" }),
    }
}

/// A command: the program, then its arguments.
pub(super) fn command(rule: Rule) -> Value {
    json!({ "type": "array", "items": [text(WORD, false)], "additionalItems": text(rule, false) })
}

fn whole(rule: Rule) -> Value {
    let (min, max) = super::rule::bounds(rule);
    json!({ "type": "integer", "minimum": min, "maximum": max })
}

fn secret() -> Value {
    let reference = json!({
        "type": "object",
        "additionalProperties": false,
        "minProperties": 1,
        "maxProperties": 1,
        "properties": {
            "env": {
                "type": "string",
                "pattern": r"^[^=\x00]+$",
                "description": "An environment variable with the secret.",
            },
            "command": {
                "type": "array",
                "items": { "type": "string" },
                "minItems": 1,
                "description": "A command that prints the secret, as a list of arguments.",
            },
        },
    });
    json!({ "anyOf": [{ "type": "string", "pattern": SECRET }, reference] })
}
