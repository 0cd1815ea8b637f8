//! JSON Schema of `config.toml` and `sources.toml`, generated from the tables of the loader, so that editors
//! can complete and check the files. It accepts everything that the loader accepts.

use super::action::{Action, OLD_NAMES};
use super::checks::{ARGUMENT, QUIET_HOURS, WEB, WORD};
use super::choices::COLUMNS;
use super::ids::ID_PATTERN;
use super::json_schema_values::{Keys, keys, object, tables, text};
use super::keymap::Context;
use super::role::Role;
use super::setting::Setting;
use super::theme::{AS_IS, BASE, CONTRAST, theme_names};
use super::website::{MODE, MODES, PEAK_HOURS};
use super::{accounts, commands, hooks, item_rules, palette, schema, source_settings, style};
use crate::model::SourceKind;
use serde_json::{Value, json};
use std::collections::BTreeMap;

const DRAFT: &str = "http://json-schema.org/draft-07/schema#";

/// A schema of a file with these keys.
fn file(title: &str, about: &str, properties: Keys) -> Keys {
    let mut schema = object(properties);
    schema.insert("$schema".to_owned(), DRAFT.into());
    schema.insert("title".to_owned(), title.into());
    schema.insert("description".to_owned(), about.into());
    schema
}

/// The schema of `config.toml`.
pub fn config_schema() -> Value {
    let mut tables = tables(schema::SETTINGS);
    let mut root = tables.remove("").unwrap_or_default();
    let bindings = Context::ALL.map(|context| (context.name().to_owned(), bindings(context)));
    tables.entry("keys").or_default().extend(bindings);
    let ui = tables.entry("ui").or_default();
    ui.get_mut("columns").into_iter().for_each(restrict_columns);
    ui.get_mut("theme").and_then(Value::as_object_mut).into_iter().for_each(|theme| {
        // Other names are allowed too, because users can have their own themes.
        let names = theme_names(&BTreeMap::new());
        theme.insert("anyOf".to_owned(), json!([{ "enum": names }, { "minLength": 1 }]));
    });
    for (name, properties) in tables {
        let mut table = object(properties);
        match name {
            "open" => table.extend(keys(json!({ "patternProperties": programs() }))),
            "llm" => table.extend(model_beside_endpoint()),
            _ => {}
        }
        root.insert(name.to_owned(), table.into());
    }
    root.insert("themes".to_owned(), themes());
    root.extend(lists());
    let about =
        "Settings of newsfed. Every setting has a default; docs/files.md explains the file.";
    let mut schema = file("newsfed config.toml", about, root);
    schema.insert("definitions".to_owned(), definitions());
    schema.into()
}

/// Arrays of tables, such as `[[view]]`.
fn lists() -> Keys {
    let mut views = list("A saved search.", schema::VIEW, json!({ "required": ["name", "query"] }));
    views.pointer_mut("/items/properties/columns").into_iter().for_each(restrict_columns);
    let rules = list("What happens to new items.", item_rules::KEYS, Value::Null);
    let run = json!({ "properties": { "run": { "minItems": 1 } } });
    let commands = list(
        "A program that you run on items.",
        commands::KEYS,
        json!({
            "required": ["name", "run"],
            "allOf": [run],
            "if": {
                "properties": { "output": { "const": "terminal" } }, "required": ["output"],
            },
            "then": {
                "properties": { "input": { "const": "none" }, "limit": false },
            },
        }),
    );
    let hooks = list(
        "A program that runs after refreshes.",
        hooks::KEYS,
        json!({ "required": ["name", "after", "run"], "allOf": [run] }),
    );
    let accounts = list(
        "A server with the Google Reader API.",
        accounts::KEYS,
        json!({
            "required": ["id", "url", "user"],
            "anyOf": [
                { "required": ["password_command"] },
                { "required": ["password_file"] },
                { "required": ["password_env"] },
            ],
        }),
    );
    [
        ("view", views),
        ("rule", rules),
        ("command", commands),
        ("hook", hooks),
        ("account", accounts),
    ]
    .map(|(name, list)| (name.to_owned(), list))
    .into_iter()
    .collect()
}

/// An array of tables with these keys; `limits` are added to the schema of each.
fn list<T: Default>(about: &str, settings: &'static [Setting<T>], limits: Value) -> Value {
    let mut element = object(tables(settings).remove("").unwrap_or_default());
    element.extend(keys(limits));
    json!({ "type": "array", "description": about, "items": element })
}

fn restrict_columns(columns: &mut Value) {
    let names = json!({ "type": "string", "enum": COLUMNS });
    if let Some(columns) = columns.as_object_mut() {
        columns.insert("items".to_owned(), names);
        columns.insert("uniqueItems".to_owned(), true.into());
    }
}

/// The bindings of a pane: keys and commands.
fn bindings(context: Context) -> Value {
    let about = format!("Key bindings of {}: keys, and what they run.", context.title());
    json!({
        "type": "object",
        "description": about,
        "additionalProperties": { "$ref": "#/definitions/command" },
    })
}

/// Parts that occur several times.
fn definitions() -> Value {
    let names = Action::ALL.iter().map(|action| action.name()).chain(["none"]);
    let names: Vec<&str> = names.chain(OLD_NAMES.map(|(old, _)| old)).collect();
    json!({
        "command": {
            "type": "string",
            "description": "A command with optional arguments, or several commands separated by \";\", or \"none\".",
            "anyOf": [{ "enum": names }, { "pattern": "[ ;]" }],
        },
        "style": {
            "type": "string",
            "description": "A style such as \"cyan\", \"black on yellow bold\", \"208\" or \"#88c0d0\".",
            "pattern": style_pattern(),
        },
    })
}

fn style_pattern() -> String {
    let colors: Vec<&str> =
        style::COLORS.into_iter().chain(["default"]).chain(palette::color_names()).collect();
    let color = format!("({}|\\+?[0-9]+|#[+0-9A-Fa-f][0-9A-Fa-f]{{5}})", colors.join("|"));
    let attribute = "(bold|dim|underline|reverse|italic)";
    format!(r"^\s*(((on\s+)?{color}|{attribute})(\s+|$))*$")
}

/// The programs that open files, by media type.
fn programs() -> Value {
    json!({
        r"^(\*|[^;]*/[^;]*)$": {
            "type": "array",
            "items": [text(WORD, false)],
            "additionalItems": text(ARGUMENT, false),
            "description": "The program that opens files of this media type, as a list of arguments.",
        },
    })
}

/// An endpoint requires a model.
fn model_beside_endpoint() -> Keys {
    keys(json!({
        "if": { "properties": { "endpoint": { "minLength": 1 } }, "required": ["endpoint"] },
        "then": { "properties": { "model": { "minLength": 1 } }, "required": ["model"] },
    }))
}

/// The user's own themes.
fn themes() -> Value {
    let mut properties: Keys = Role::ALL
        .iter()
        .map(|role| role.name())
        .chain(palette::color_names())
        .map(|name| (name.to_owned(), json!({ "$ref": "#/definitions/style" })))
        .collect();
    let base = "The theme that this one is based on. Value: the name of a theme.";
    properties.insert(BASE.to_owned(), json!({ "type": "string", "description": base }));
    let contrast = "as-is keeps colours that are hard to read on their background.";
    let only = json!({ "type": "string", "enum": [AS_IS], "description": contrast });
    properties.insert(CONTRAST.to_owned(), only);
    json!({
        "type": "object",
        "description": "Your own themes: each sets colours and the styles of roles.",
        "additionalProperties": object(properties),
    })
}

/// The schema of `sources.toml`.
pub fn sources_schema() -> Value {
    let mut tables = tables(source_settings::SETTINGS);
    let mut properties = tables.remove("").unwrap_or_default();
    let website = tables.entry("website").or_default();
    website.insert(MODE.to_owned(), old(json!({ "type": "string", "enum": MODES }), "kind"));
    let hours = old(text(QUIET_HOURS, true), "schedule.quiet_hours");
    website.insert(PEAK_HOURS.to_owned(), hours);
    properties.extend(tables.into_iter().map(|(name, t)| (name.to_owned(), object(t).into())));
    let names = [
        ("id", "Unique name of the source in commands. Derived from the URL if not set."),
        ("account", "The id of the account whose server polls this source."),
        ("list", "The id of the list from which this source came."),
    ];
    for (key, about) in names {
        properties.insert(key.to_owned(), json!({ "type": "string", "description": about }));
    }
    for (key, pattern) in [("id", ID_PATTERN), ("url", WEB)] {
        let found = properties.get_mut(key).and_then(Value::as_object_mut);
        found.into_iter().for_each(|text| drop(text.insert("pattern".to_owned(), pattern.into())));
    }
    let mut source = object(properties);
    source.extend(source_limits());
    let sources = json!({ "type": "array", "description": "A source.", "items": source });
    let about = "The sources that newsfed follows; docs/files.md explains the file.";
    let root = Keys::from_iter([("source".to_owned(), sources)]);
    file("newsfed sources.toml", about, root).into()
}

/// Marks a key as renamed to `now`.
fn old(mut value: Value, now: &str) -> Value {
    if let Some(keys) = value.as_object_mut() {
        keys.insert("description".to_owned(), format!("Deprecated: write {now} instead.").into());
    }
    value
}

/// Keys that require or exclude each other.
fn source_limits() -> Keys {
    let pages: Vec<&str> =
        SourceKind::ALL.iter().filter(|kind| kind.reads_pages()).map(|kind| kind.name()).collect();
    let kind = |names: &[&str]| json!({ "properties": { "kind": { "enum": names } } });
    let given = |names: &[&str]| json!({ "properties": { "kind": { "enum": names } }, "required": ["kind"] });
    let none_of = |names: &[&str]| {
        let any: Vec<Value> = names.iter().map(|name| json!({ "required": [name] })).collect();
        json!({ "not": { "anyOf": any } })
    };
    let (feed, list) = (SourceKind::Feed.name(), SourceKind::List.name());
    let website = json!({
        "required": ["website"],
        "properties": { "website": {
            "required": ["title", "content"],
            "anyOf": [{ "required": ["articles"] }, { "required": [MODE] }],
        } },
    });
    let no_targets =
        json!({ "properties": { "website": { "properties": { "targets": { "maxLength": 0 } } } } });
    let login = json!({ "properties": { "user": { "minLength": 1 } }, "required": ["user"] });
    keys(json!({
        "oneOf": [
            { "required": ["url"] },
            { "required": ["exec"] },
            { "required": ["file"] },
            { "required": ["mail"] },
        ],
        "dependencies": {
            "password": ["user"],
            "from": ["mail"],
            "exec": none_of(&["filter"]),
            "account": none_of(&["exec", "file", "mail", "filter"]),
        },
        "allOf": [
            { "if": given(&pages), "else": none_of(&["website"]) },
            { "if": given(&[SourceKind::Website.name()]), "then": website },
            { "if": given(&[SourceKind::Crawl.name()]), "else": no_targets },
            { "if": kind(&[feed]), "else": none_of(&["exec", "mail", "filter"]) },
            { "if": kind(&[feed, list]), "else": none_of(&["file"]) },
            { "if": login, "then": { "required": ["password"] } },
            // The first element is the program.
            { "properties": { "exec": { "minItems": 1, "items": [text(WORD, false)] } } },
        ],
    }))
}
