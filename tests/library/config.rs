//! The documented example configuration and the documented keys.

use newsfed::config::{
    Action, Context, KeyMap, KeySettings, Loaded, Paths, Settings, load, setting_keys, source_keys,
};

#[path = "../../crates/newsfed-engine/src/config/tests/folder.rs"]
mod folder;
pub(super) use folder::{EXAMPLE, Home, uncommented};

#[test]
fn the_example_lists_every_key_with_its_default() {
    let as_it_is = Home::new(EXAMPLE, "").load(&[]).unwrap();
    assert_eq!(as_it_is.settings, Settings::default());
    let text = uncommented(false);
    assert_eq!(Home::new(&text, "").load(&[]).unwrap().settings, Settings::default());
    let tree: toml::Table = text.parse().unwrap();
    for key in setting_keys() {
        let mut found = Some(&toml::Value::Table(tree.clone())).cloned();
        for part in key.split('.') {
            found = found.and_then(|v| v.get(part).cloned());
        }
        assert!(found.is_some(), "{key} is missing in config.example.toml");
    }
    let listed: Vec<&str> = EXAMPLE
        .lines()
        .filter_map(|line| line.strip_prefix("#  "))
        .flat_map(|line| line.split([' ', ',', ':']))
        .collect();
    for key in source_keys() {
        assert!(listed.contains(&key), "{key} is missing in config.example.toml");
    }
}

#[test]
fn samples_in_the_example_can_be_loaded() {
    let loaded = Home::new(uncommented(true), "").load(&["ui.theme=night"]).unwrap();
    assert_eq!(loaded.settings.views[0].name, "Rust");
    assert_eq!(loaded.settings.keys.bindings["items"]["p"], "none");
    assert!(loaded.settings.themes.contains_key("night"));
    assert_eq!(loaded.settings.ui.theme, "night");
}

/// A row of the tables in docs/keys.md for an action and its keys.
fn key_row(keys: &str, action: Action, contexts: &[Context]) -> String {
    let keys: Vec<_> = keys.split(", ").map(|k| format!("`{}`", k.replace('|', "\\|"))).collect();
    let names = contexts.iter().map(|context| match context {
        Context::Everywhere => "everywhere",
        Context::Sources => "Sources",
        Context::Items => "Items",
        Context::Reader => "Reader",
    });
    let names: Vec<_> = names.collect();
    format!("| {} | {} | {} |", keys.join(" "), action.help(), names.join(", "))
}

/// The expected rows of docs/keys.md for a preset.
fn key_rows(settings: &KeySettings) -> Vec<String> {
    let map = KeyMap::load(settings).unwrap();
    let mut rows = Vec::new();
    for action in Action::ALL {
        let mut bound: Vec<(String, Vec<Context>)> = Vec::new();
        for context in Context::ALL {
            for (keys, _) in map.bindings(context).into_iter().filter(|(_, a)| a == action) {
                match bound.iter_mut().find(|(same, _)| *same == keys) {
                    Some((_, contexts)) => contexts.push(context),
                    None => bound.push((keys, vec![context])),
                }
            }
        }
        rows.extend(bound.iter().map(|(keys, contexts)| key_row(keys, *action, contexts)));
    }
    rows
}

#[test]
fn documented_keys_match_the_presets() {
    let documented = include_str!("../../docs/keys.md");
    let (default, newsboat) = documented.split_once("## The newsboat preset\n").unwrap();
    let listed = |text: &str| -> Vec<String> {
        text.lines().filter(|line| line.starts_with("| `")).map(str::to_owned).collect()
    };
    let expected = key_rows(&KeySettings::default());
    for row in &expected {
        assert!(default.contains(row), "docs/keys.md lacks {row}");
    }
    let count = listed(default).len();
    assert_eq!(count, expected.len(), "docs/keys.md lists keys that are not bound");
    let preset = KeySettings { preset: "newsboat".to_owned(), ..KeySettings::default() };
    let differing: Vec<String> =
        key_rows(&preset).into_iter().filter(|row| !expected.contains(row)).collect();
    assert_eq!(listed(newsboat), differing, "expected:\n{}", differing.join("\n"));
}
