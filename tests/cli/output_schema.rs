//! The JSON Schema of `--json` output: keys and descriptions come from docs/json.md, types from the output of
//! the tests.

use super::shapes::{DOCUMENT, documented};
use boon::{Compiler, Schemas};
use serde_json::{Map, Value, json};
use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

/// The key that replaces the type if the value is `null` in all tests.
const COMMENT: &str = "$comment";

/// Serialises access to the schema file, because tests run concurrently and each adds its types.
static FILE: Mutex<()> = Mutex::new(());

fn path() -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/docs/schema/output.json"))
}

fn committed() -> Value {
    let text = fs::read_to_string(path()).unwrap_or_else(|_| "{}".to_owned());
    serde_json::from_str(&text).unwrap()
}

fn updates() -> bool {
    std::env::var_os("UPDATE_EXPECT").is_some()
}

fn write(schema: &Value) {
    fs::write(path(), format!("{schema:#}\n")).unwrap();
}

/// Checks output against the definition of its section. `just schemas` adds new types; types are never
/// removed, because scripts rely on them.
#[track_caller]
pub(super) fn check(section: &str, values: &[Value]) {
    let _file = FILE.lock().unwrap_or_else(PoisonError::into_inner);
    let mut schema = committed();
    if updates() {
        let definition = &mut schema["definitions"][section];
        for value in values {
            *definition = merged(definition.take(), shape(value));
        }
        write(&build(&schema));
        return;
    }
    let (mut compiler, mut schemas) = (Compiler::new(), Schemas::new());
    let url = "https://newsfed.example/output.json";
    compiler.add_resource(url, schema).unwrap();
    let place = format!("{url}#/definitions/{}", section.replace(' ', "%20"));
    let index = compiler.compile(&place, &mut schemas).unwrap();
    for value in values {
        if let Err(error) = schemas.validate(value, index) {
            panic!("{section}: {error}; new types need `just schemas`\n{value}");
        }
    }
}

/// The type of a value, and the types of the values in it.
fn shape(value: &Value) -> Value {
    match value {
        Value::Null => json!({ "type": ["null"] }),
        Value::Bool(_) => json!({ "type": ["boolean"] }),
        Value::Number(number) if number.is_f64() => json!({ "type": ["number"] }),
        Value::Number(_) => json!({ "type": ["integer"] }),
        Value::String(_) => json!({ "type": ["string"] }),
        Value::Array(list) => {
            let items = list.iter().map(shape).reduce(merged);
            let mut array = json!({ "type": ["array"] });
            items.into_iter().for_each(|items| array["items"] = items);
            array
        }
        Value::Object(map) => {
            let shapes: Map<_, _> =
                map.iter().map(|(key, value)| (key.clone(), shape(value))).collect();
            json!({ "type": ["object"], "properties": shapes })
        }
    }
}

/// A schema that allows both shapes.
fn merged(mut one: Value, other: Value) -> Value {
    let types = types(&one).union(&types(&other)).cloned().collect::<BTreeSet<_>>();
    let (is_number, null) = (types.contains("number"), json!(null));
    let types: Vec<_> = types.into_iter().filter(|t| !is_number || t != "integer").collect();
    one["type"] = json!(types);
    one.as_object_mut().unwrap().remove(COMMENT);
    match (one.get("items"), other.get("items")) {
        (Some(a), Some(b)) => one["items"] = merged(a.clone(), b.clone()),
        (None, Some(b)) => one["items"] = b.clone(),
        _ => {}
    }
    for (key, value) in other["properties"].as_object().into_iter().flatten() {
        let known = one.pointer(&format!("/properties/{key}")).unwrap_or(&null).clone();
        one["properties"][key] = merged(known, value.clone());
    }
    one
}

fn types(shape: &Value) -> BTreeSet<String> {
    match shape.get("type") {
        Some(Value::String(one)) => BTreeSet::from([one.clone()]),
        Some(Value::Array(list)) => list.iter().map(|t| t.as_str().unwrap().to_owned()).collect(),
        _ if shape.get(COMMENT).is_some() => BTreeSet::from(["null".to_owned()]),
        _ => BTreeSet::new(),
    }
}

/// A shape as published in the schema. `null` means unknown, so any value except a boolean can be `null`. If
/// a value was always `null`, its type is not known.
fn published(mut shape: Value) -> Value {
    let mut types = types(&shape);
    if types.iter().any(|t| t != "null" && t != "boolean") {
        types.insert("null".to_owned());
    }
    let keys = shape.as_object_mut().unwrap();
    match Vec::from_iter(types).as_slice() {
        [] => {}
        [only] if only == "null" => {
            keys.remove("type");
            keys.insert(COMMENT.to_owned(), "No test has another value than null.".into());
        }
        [only] => drop(keys.insert("type".to_owned(), json!(only))),
        several => drop(keys.insert("type".to_owned(), json!(several))),
    }
    if let Some(items) = keys.get_mut("items") {
        let types = types_of_items(items);
        *items = published(items.take());
        if !types.is_empty() {
            items["type"] = if types.len() == 1 { json!(types[0]) } else { json!(types) };
        }
    }
    for (_, value) in
        keys.get_mut("properties").and_then(Value::as_object_mut).into_iter().flatten()
    {
        *value = published(value.take());
    }
    shape
}

/// The types of a list's elements. They include `null` only if an element was `null`.
fn types_of_items(items: &Value) -> Vec<String> {
    types(items).into_iter().collect()
}

/// The schema of all documented objects, with the types from `known`.
fn build(known: &Value) -> Value {
    let (mut definitions, mut last) = (Map::new(), "");
    for text in DOCUMENT.split("\n## ").skip(1) {
        let (section, body) = text.split_once('\n').unwrap();
        if !body.contains("\n- `") {
            continue;
        }
        let keys = documented(section);
        let required: Vec<&String> =
            keys.iter().filter(|(_, optional)| !**optional).map(|(key, _)| key).collect();
        let mut properties = Map::new();
        for (key, description) in descriptions(body) {
            let shape = &known["definitions"][section]["properties"][&key];
            let mut property = if shape.is_object() { published(shape.clone()) } else { json!({}) };
            property["description"] = description.into();
            properties.insert(key, property);
        }
        let about = body.split("\n- `").next().unwrap().split_whitespace().collect::<Vec<_>>();
        let about = about.join(" ");
        let same = about.contains("prints the same and").then_some(last);
        let same = Vec::from_iter(same.map(|s| json!({ "$ref": format!("#/definitions/{s}") })));
        let mut definition = json!({
            "type": "object",
            "description": about,
            "required": required,
            "properties": properties,
        });
        if !same.is_empty() {
            definition["allOf"] = json!(same);
        }
        definitions.insert(section.to_owned(), definition);
        last = section;
    }
    json!({
        "$schema": "http://json-schema.org/draft-07/schema#",
        "title": "Outputs of newsfed --json",
        "description": "One definition for each object in docs/json.md. \
            New keys can be added. What no test has seen with a value has no type.",
        "definitions": definitions,
    })
}

/// The keys of a section of the document, with their descriptions.
fn descriptions(body: &str) -> Vec<(String, String)> {
    let mut entries: Vec<String> = Vec::new();
    for line in body.lines() {
        match (line.strip_prefix("- "), entries.last_mut()) {
            (Some(entry), _) => entries.push(entry.to_owned()),
            (None, Some(last)) if line.starts_with(' ') => {
                last.push(' ');
                last.push_str(line.trim());
            }
            _ => {}
        }
    }
    let split = |entry: &String| {
        let (names, about) = entry.split_once(':').unwrap();
        let name = |name: &str| name.trim_start_matches('`').split_once('`').unwrap().0.to_owned();
        names.split(", ").map(|n| (name(n), about.trim().to_owned())).collect::<Vec<_>>()
    };
    entries.iter().flat_map(split).collect()
}

#[test]
fn the_committed_output_schema_matches_the_documentation() {
    let _file = FILE.lock().unwrap_or_else(PoisonError::into_inner);
    let schema = committed();
    let built = build(&schema);
    if updates() {
        write(&built);
        return;
    }
    assert!(schema == built, "docs/schema/output.json is out of date: run `just schemas`");
    let definitions = schema["definitions"].as_object().unwrap();
    assert!(definitions.len() > 45, "{}", definitions.len());
    let untyped = |(section, definition): (&String, &Value)| {
        let properties = definition["properties"].as_object().unwrap();
        let no_type = |property: &&Value| property.get("type").is_none();
        let (count, all) = (properties.values().filter(no_type).count(), properties.len());
        // Some values are so rare that they are `null` in all tests.
        (2 * count > all).then(|| format!("{section}: {count} of {all}"))
    };
    let untyped: Vec<String> = definitions.iter().filter_map(untyped).collect();
    assert!(untyped.is_empty(), "no test has seen the values of {untyped:?}");
    let of = |place: &str| schema.pointer(place).cloned().unwrap_or_default();
    assert_eq!(of("/definitions/Item/properties/pinned/type"), "boolean");
    assert_eq!(of("/definitions/Item/properties/number/type"), json!(["integer", "null"]));
    assert_eq!(of("/definitions/Poll/properties/new/type"), json!(["integer", "null"]));
}
