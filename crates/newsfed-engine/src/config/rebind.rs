//! Changes key bindings: the current bindings, the bindings displaced by a new one, and the changes to
//! `config.toml`.

use super::action::Action;
use super::key::{Key, parse_sequence, show_sequence};
use super::keymap::{Context, KeyMap};
use super::section::KeyChange;
use super::settings::KeySettings;

/// An action and one of its bindings, as shown on the key bindings page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyRow {
    pub action: Action,
    pub context: Context,
    /// `None` if the action has no keys.
    pub keys: Option<Vec<Key>>,
    pub origin: KeyOrigin,
}

/// Where a binding comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeyOrigin {
    /// From the preset.
    Preset,
    /// From the user.
    Own,
    /// From the preset, removed by the user.
    Unbound,
}

/// The result of a new binding.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rebinding {
    /// The changes to `config.toml`.
    pub changes: Vec<KeyChange>,
    /// Messages about the bindings that no longer apply, or apply only elsewhere.
    pub displaced: Vec<String>,
}

/// Every action with its keys, in the order of [`Action::ALL`]. An action without keys has a row too.
pub fn key_rows(settings: &KeySettings) -> Vec<KeyRow> {
    let (Ok(map), Ok(preset)) = (KeyMap::load(settings), KeyMap::load(&preset_of(settings))) else {
        return Vec::new();
    };
    let mut rows = Vec::new();
    for (context, keys, action) in map.declared() {
        let own = written(settings, context, keys).is_some();
        let before = || preset.declared().find(|(c, k, _)| *c == context && *k == keys);
        let (action, origin) = match action {
            Some(action) if own => (action, KeyOrigin::Own),
            Some(action) => (action, KeyOrigin::Preset),
            None => match before().and_then(|(_, _, action)| action) {
                Some(action) => (action, KeyOrigin::Unbound),
                // Hides a binding of `everywhere`.
                None => match map.lookup(Context::Everywhere, keys) {
                    super::keymap::Lookup::Action(action) => (action, KeyOrigin::Unbound),
                    _ => continue,
                },
            },
        };
        // Several commands can only be edited in the file.
        if !matches!(action, Action::Lines(_)) {
            rows.push(KeyRow { action, context, keys: Some(keys.to_vec()), origin });
        }
    }
    for action in Action::ALL {
        if !rows.iter().any(|r| r.action == *action && r.origin != KeyOrigin::Unbound) {
            let (context, origin) = (Context::Everywhere, KeyOrigin::Preset);
            rows.push(KeyRow { action: *action, context, keys: None, origin });
        }
    }
    rows.sort_by_key(|row| (row.action, row.context));
    rows
}

/// Binds `new` to the action of `row`, replacing its keys, or in addition to them if `beside` is set. `None`
/// only removes the keys.
///
/// # Errors
/// Returns a message if the new keys cannot be bound.
pub fn rebind(
    settings: &KeySettings,
    row: &KeyRow,
    new: Option<&[Key]>,
    beside: bool,
) -> Result<Rebinding, String> {
    let mut wanted = settings.clone();
    if let Some(old) = row.keys.as_deref().filter(|_| !beside) {
        unbind(&mut wanted, row.context, old);
    }
    let mut displaced = Vec::new();
    if let Some(new) = new {
        let before = KeyMap::load(&wanted).map_err(|e| e.to_string())?;
        let reach = match row.context {
            Context::Everywhere => &Context::ALL[..],
            _ => &[row.context],
        };
        for context in reach {
            for (keys, action) in before.clashes(*context, new) {
                let here = before.declares(*context, &keys);
                // The binding is inherited from `everywhere`, where it was already handled.
                if row.context == Context::Everywhere && *context != row.context && !here {
                    continue;
                }
                let (shown, label) = (show_sequence(&keys), before.label(action));
                let place = match context {
                    Context::Everywhere => "everywhere".to_owned(),
                    pane => format!("in {}", pane.title()),
                };
                // The pane's own binding overrides the one in `everywhere`.
                if keys == new && here && *context != row.context {
                    displaced.push(format!("{shown} stays \"{label}\" {place}"));
                    continue;
                }
                if action == row.action && keys == new {
                    continue;
                }
                displaced.push(format!("{shown} will no longer be \"{label}\" {place}"));
                if keys != new {
                    unbind(&mut wanted, *context, &keys);
                }
            }
        }
        remove_own(&mut wanted, row.context, new);
        let bindings = wanted.bindings.entry(row.context.name().to_owned()).or_default();
        bindings.insert(show_sequence(new), row.action.name().to_owned());
    }
    finish(settings, &wanted, displaced)
}

/// Restores the preset's bindings for the keys of a row.
///
/// # Errors
/// Returns a message if the preset's bindings conflict with others.
pub fn restore_preset(settings: &KeySettings, row: &KeyRow) -> Result<Rebinding, String> {
    let mut wanted = settings.clone();
    if let Some(keys) = &row.keys {
        remove_own(&mut wanted, row.context, keys);
    }
    finish(settings, &wanted, Vec::new())
}

fn finish(
    settings: &KeySettings,
    wanted: &KeySettings,
    displaced: Vec<String>,
) -> Result<Rebinding, String> {
    KeyMap::load(wanted)
        .map_err(|e| e.0.into_iter().next().map(|first| first.message).unwrap_or_default())?;
    Ok(Rebinding { changes: changes(settings, wanted), displaced })
}

fn preset_of(settings: &KeySettings) -> KeySettings {
    KeySettings { preset: settings.preset.clone(), ..KeySettings::default() }
}

/// How the user wrote these keys, if the user's bindings contain them.
fn written<'a>(settings: &'a KeySettings, context: Context, keys: &[Key]) -> Option<&'a str> {
    let own = settings.bindings.get(context.name())?;
    let same = |text: &&String| parse_sequence(text).is_ok_and(|k| k == keys);
    own.keys().find(same).map(String::as_str)
}

/// Removes the user's bindings of these keys.
fn remove_own(settings: &mut KeySettings, context: Context, keys: &[Key]) {
    let Some(text) = written(settings, context, keys).map(str::to_owned) else { return };
    if let Some(own) = settings.bindings.get_mut(context.name()) {
        own.remove(&text);
    }
}

/// Unbinds these keys in a context.
fn unbind(settings: &mut KeySettings, context: Context, keys: &[Key]) {
    remove_own(settings, context, keys);
    let Ok(map) = KeyMap::load(settings) else { return };
    if matches!(map.lookup(context, keys), super::keymap::Lookup::Action(_)) {
        let own = settings.bindings.entry(context.name().to_owned()).or_default();
        own.insert(show_sequence(keys), "none".to_owned());
    }
}

/// The changes that turn `from` into `to`.
fn changes(from: &KeySettings, to: &KeySettings) -> Vec<KeyChange> {
    let mut changes = Vec::new();
    for context in Context::ALL {
        let name = context.name();
        let (before, after) = (from.bindings.get(name), to.bindings.get(name));
        let path = |keys: &str| vec!["keys".to_owned(), name.to_owned(), keys.to_owned()];
        for (keys, _) in before.into_iter().flatten() {
            if after.is_none_or(|after| !after.contains_key(keys)) {
                changes.push(KeyChange { path: path(keys), value: None });
            }
        }
        for (keys, action) in after.into_iter().flatten() {
            if before.and_then(|before| before.get(keys)) != Some(action) {
                let value = toml_edit::Value::from(action.as_str()).to_string();
                changes.push(KeyChange { path: path(keys), value: Some(value) });
            }
        }
    }
    changes
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::section::{Checked, Section};

    fn row(settings: &KeySettings, action: Action, context: Context) -> KeyRow {
        let rows = key_rows(settings);
        rows.into_iter().find(|r| r.action == action && r.context == context).unwrap()
    }

    /// Applies the changes and reads the result like the loader.
    fn apply(text: &str, changes: &[KeyChange]) -> KeySettings {
        let checked = Section::settings(text, &[]).check(changes).unwrap().unwrap();
        let Checked::Settings(settings) = checked else { panic!("not settings") };
        settings.keys
    }

    fn keys(text: &str) -> Vec<Key> {
        parse_sequence(text).unwrap()
    }

    #[test]
    fn every_action_has_a_row() {
        for preset in super::super::keymap::PRESETS {
            let settings = KeySettings { preset: (*preset).to_owned(), ..KeySettings::default() };
            let rows = key_rows(&settings);
            for action in Action::ALL {
                assert!(rows.iter().any(|row| row.action == *action), "{preset} {action}");
            }
        }
    }

    #[test]
    fn replaces_adds_removes_and_restores_keys() {
        let none = KeySettings::default();
        let pin = row(&none, Action::Pin, Context::Items);
        assert_eq!(pin.keys, Some(keys("p")));
        let new = rebind(&none, &pin, Some(&keys("C-t")), false).unwrap();
        assert!(new.displaced.is_empty(), "{:?}", new.displaced);
        let settings = apply("# mine\n", &new.changes);
        let own = row(&settings, Action::Pin, Context::Items);
        assert_eq!((own.keys.clone(), own.origin), (Some(keys("C-t")), KeyOrigin::Own));
        let map = KeyMap::load(&settings).unwrap();
        use super::super::keymap::Lookup;
        assert_eq!(map.lookup(Context::Items, &keys("p")), Lookup::None);
        assert_eq!(map.lookup(Context::Items, &keys("C-t")), Lookup::Action(Action::Pin));
        let gone = key_rows(&settings).into_iter().find(|r| r.origin == KeyOrigin::Unbound);
        let gone = gone.unwrap();
        assert_eq!((gone.action, gone.keys.clone()), (Action::Pin, Some(keys("p"))));
        let back = restore_preset(&settings, &gone).unwrap();
        assert_eq!(back.changes.len(), 1);
        let beside = rebind(&none, &pin, Some(&keys("C-t")), true).unwrap();
        assert_eq!(beside.changes.len(), 1);
        let away = rebind(&none, &pin, None, false).unwrap();
        assert_eq!(away.changes[0].value.as_deref(), Some("\"none\""));
    }

    #[test]
    fn restoring_the_preset_undoes_unbinding() {
        for preset in super::super::keymap::PRESETS {
            let settings = KeySettings { preset: (*preset).to_owned(), ..KeySettings::default() };
            let head = format!("[keys]\npreset = \"{preset}\"\n");
            let before = key_rows(&settings);
            for row in before.iter().filter(|row| row.keys.is_some()) {
                let gone = rebind(&settings, row, None, false).unwrap();
                let changed = apply(&head, &gone.changes);
                let unbound = KeyRow { origin: KeyOrigin::Unbound, ..row.clone() };
                let rows = key_rows(&changed);
                assert!(rows.contains(&unbound) && !rows.contains(row), "{preset} {row:?}");
                let back = restore_preset(&changed, &unbound).unwrap();
                let all: Vec<KeyChange> = gone.changes.into_iter().chain(back.changes).collect();
                assert_eq!(key_rows(&apply(&head, &all)), before, "{preset} {row:?}");
            }
        }
    }

    #[test]
    fn an_action_does_not_displace_itself() {
        let none = KeySettings::default();
        let pin = row(&none, Action::Pin, Context::Items);
        let same = rebind(&none, &pin, Some(&keys("p")), true).unwrap();
        assert_eq!(same.displaced, [""; 0]);
        let longer = rebind(&none, &pin, Some(&keys("p x")), true).unwrap();
        assert_eq!(longer.displaced, ["p will no longer be \"pin\" in Items"]);
    }

    #[test]
    fn reports_and_removes_displaced_bindings() {
        let none = KeySettings::default();
        let pin = row(&none, Action::Pin, Context::Items);
        for (new, summary) in [
            ("x", vec!["x will no longer be \"full text\" in Items"]),
            ("j", vec!["j will no longer be \"down\" in Items"]),
            ("x y", vec!["x will no longer be \"full text\" in Items"]),
        ] {
            let rebinding = rebind(&none, &pin, Some(&keys(new)), false).unwrap();
            assert_eq!(rebinding.displaced, summary, "{new}");
            let settings = apply("", &rebinding.changes);
            let map = KeyMap::load(&settings).unwrap();
            let found = map.lookup(Context::Items, &keys(new));
            assert_eq!(found, super::super::keymap::Lookup::Action(Action::Pin), "{new}");
        }
        let help = row(&none, Action::Help, Context::Everywhere);
        let rebinding = rebind(&none, &help, Some(&keys("x")), true).unwrap();
        assert_eq!(
            rebinding.displaced,
            ["x stays \"full text\" in Items", "x stays \"full text\" in Reader"]
        );
        let log = rebind(&none, &help, Some(&keys("v")), false).unwrap();
        assert_eq!(log.displaced, ["v will no longer be \"log\" everywhere"]);
        let first = rebind(&none, &help, Some(&keys("g")), true).unwrap();
        // One of these key bindings is only in the Reader.
        let begin_with_g = KeyMap::load(&none).unwrap().continuations(Context::Reader, &keys("g"));
        assert_eq!(first.displaced.len(), begin_with_g.len());
        assert!(first.displaced.contains(&"g g will no longer be \"top\" everywhere".to_owned()));
        apply("", &first.changes);
        let wide = rebind(&none, &help, Some(&keys("D a")), true).unwrap();
        assert_eq!(wide.displaced, ["D will no longer be \"changes\" in Reader"]);
        apply("", &wide.changes);
        let quit = rebind(&none, &pin, Some(&keys("C-c")), false).unwrap_err();
        assert!(quit.contains("always quits"), "{quit}");
    }
}
