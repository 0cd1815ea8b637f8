//! Tests of key bindings.

use super::*;

fn settings(preset: &str, own: &[(&str, &str, &str)]) -> KeySettings {
    let mut settings = KeySettings { preset: preset.to_owned(), ..KeySettings::default() };
    for (context, keys, action) in own {
        let bindings = settings.bindings.entry((*context).to_owned()).or_default();
        bindings.insert((*keys).to_owned(), (*action).to_owned());
    }
    settings
}

fn find(map: &KeyMap, context: Context, keys: &str) -> Lookup {
    map.lookup(context, &parse_sequence(keys).unwrap())
}

#[test]
fn presets_are_valid_and_bind_every_action() {
    for preset in PRESETS {
        let map = KeyMap::load(&settings(preset, &[])).unwrap();
        for context in Context::ALL {
            let bound = map.effective[&context].clone();
            for keys in bound.keys() {
                let clash = bound.keys().find(|k| *k != keys && k.starts_with(keys));
                assert_eq!(clash, None, "{preset} {context:?} {}", show_sequence(keys));
            }
        }
        // These commands may have no key: they need an argument, are only offered if there are no sources,
        // are intended for sequences of commands, change many items, or are rarely used.
        let typed = [Action::Set, Action::ReadMatching, Action::ReadFor, Action::Run];
        let others = [Action::Starters, Action::Demo, Action::MarkRead, Action::MarkUnread];
        let typed = [&typed[..], &others, &[Action::ReadEverything, Action::Export]].concat();
        for action in Action::ALL.iter().filter(|a| !typed.contains(a)) {
            let reached = Context::ALL.iter().any(|c| map.keys_for(*c, *action).is_some());
            assert!(reached, "{preset} does not bind {action}");
        }
        for action in map.declared[&Context::Everywhere].iter().filter_map(|b| b.action) {
            for context in Context::ALL {
                let hidden = map.keys_for(context, action).is_none();
                assert!(!hidden, "{preset} hides {action} in {context:?}");
            }
        }
    }
}

#[test]
fn panes_fall_back_to_everywhere() {
    let map = KeyMap::load(&KeySettings::default()).unwrap();
    let cases = [
        (Context::Items, "j", Lookup::Action(Action::Down)),
        (Context::Items, "g", Lookup::Prefix),
        (Context::Items, "g g", Lookup::Action(Action::First)),
        (Context::Items, "g x", Lookup::None),
        (Context::Sources, "Space", Lookup::Action(Action::Select)),
        (Context::Reader, "Space", Lookup::Action(Action::PageDown)),
        (Context::Everywhere, "Space", Lookup::None),
        (Context::Reader, "g C-c", Lookup::Action(Action::Quit)),
        (Context::Reader, "7", Lookup::Action(Action::OpenLink)),
    ];
    for (context, keys, expected) in cases {
        assert_eq!(find(&map, context, keys), expected, "{context:?} {keys}");
    }
    assert_eq!(map.lookup(Context::Items, &[]), Lookup::None);
}

#[test]
fn user_bindings_replace_or_remove_preset_bindings() {
    let own = [
        ("everywhere", "Q", "none"),
        ("everywhere", "Q x", "first"),
        ("items", "x", "pin"),
        ("items", "j", "none"),
    ];
    let map = KeyMap::load(&settings("default", &own)).unwrap();
    assert_eq!(find(&map, Context::Reader, "Q x"), Lookup::Action(Action::First));
    assert_eq!(find(&map, Context::Items, "j"), Lookup::None);
    assert_eq!(find(&map, Context::Reader, "j"), Lookup::Action(Action::Down));
    assert_eq!(map.keys_for(Context::Items, Action::Pin).as_deref(), Some("x"));
    assert_eq!(map.keys_for(Context::Items, Action::First).as_deref(), Some("Q x"));
    let rows = map.bindings(Context::Items);
    assert!(rows.iter().any(|(k, a)| *a == Action::Pin && k.starts_with("x, p")), "{rows:?}");
}

#[test]
fn reports_all_errors() {
    let own = [
        ("items", "g", "pin"),
        ("items", "zz", "pin"),
        ("reader", "x", "pinn"),
        ("everywhere", "C-c", "down"),
        ("itms", "x", "pin"),
        ("sources", "C-d", "add"),
        ("sources", "C-D", "add"),
    ];
    let errors = KeyMap::load(&settings("default", &own)).unwrap_err();
    let text = errors.to_string();
    let wanted =
        ["conflicts with", "zz", "did you mean \"pin\"", "always quits", "itms", "the same"];
    assert_eq!(errors.0.len(), wanted.len(), "{text}");
    for part in wanted {
        assert!(text.contains(part), "{part} in {text}");
    }
    assert!(KeyMap::load(&settings("defualt", &[])).unwrap_err().to_string().contains("mean"));
}

#[test]
fn the_newsboat_preset_keeps_its_macro_prefix_free() {
    let own = [("items", ", n", "pin")];
    let map = KeyMap::load(&settings("newsboat", &own)).unwrap();
    assert_eq!(find(&map, Context::Items, ", n"), Lookup::Action(Action::Pin));
    assert_eq!(find(&map, Context::Items, "g ,"), Lookup::Action(Action::Settings));
    assert_eq!(find(&map, Context::Sources, "l"), Lookup::Action(Action::UnreadOnly));
    for (key, action) in
        [("l", Action::UnreadOnly), ("G", Action::SortPrevious), ("e", Action::Enqueue)]
    {
        assert_eq!(find(&map, Context::Items, key), Lookup::Action(action), "{key}");
    }
    assert_eq!(find(&map, Context::Reader, "e"), Lookup::Action(Action::Enqueue));
    // As in newsboat, one key marks a feed as read, and the other one marks all feeds.
    assert_eq!(find(&map, Context::Sources, "A"), Lookup::Action(Action::ReadAll));
    assert_eq!(find(&map, Context::Sources, "C"), Lookup::Action(Action::ReadEverything));
}

#[test]
fn the_key_that_deletes_articles_in_newsboat_does_not_remove_sources() {
    let map = KeyMap::load(&settings("newsboat", &[])).unwrap();
    assert_eq!(find(&map, Context::Sources, "D"), Lookup::None);
    assert_eq!(find(&map, Context::Items, "D"), Lookup::None);
    assert_eq!(find(&map, Context::Sources, "g D"), Lookup::Action(Action::Delete));
    assert_eq!(find(&map, Context::Sources, "g d"), Lookup::Action(Action::Downloads));
}
