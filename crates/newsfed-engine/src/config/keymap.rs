//! The key bindings of each pane: a preset with the user's own bindings merged onto it.

use super::action::Action;
use super::key::{Key, parse_sequence, show_sequence};
use super::key_lines;
use super::settings::KeySettings;
use std::collections::BTreeMap;
use std::fmt;
use std::sync::LazyLock;

/// Names of the presets.
pub(crate) const PRESETS: &[&str] = &["default", "classic", "newsboat"];

const DEFAULT_KEYS: &str = include_str!("../../assets/keymap-default.toml");
const CLASSIC_KEYS: &str = include_str!("../../assets/keymap-classic.toml");
const NEWSBOAT_KEYS: &str = include_str!("../../assets/keymap-newsboat.toml");

/// Where a binding applies.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Context {
    /// Every pane that does not bind the same keys itself.
    Everywhere,
    Sources,
    Items,
    Reader,
}

impl Context {
    pub const ALL: [Self; 4] = [Self::Everywhere, Self::Sources, Self::Items, Self::Reader];

    /// The name of the context in sentences.
    pub fn title(self) -> &'static str {
        match self {
            Self::Everywhere => "every pane",
            Self::Sources => "Sources",
            Self::Items => "Items",
            Self::Reader => "Reader",
        }
    }

    /// Its name in `[keys]`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Everywhere => "everywhere",
            Self::Sources => "sources",
            Self::Items => "items",
            Self::Reader => "reader",
        }
    }
}

/// What the keys pressed so far are bound to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lookup {
    Action(Action),
    /// The keys are the beginning of a longer sequence.
    Prefix,
    None,
}

/// An invalid binding.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("keys.{context}.\"{keys}\": {message}")]
pub struct BindingError {
    /// The context as written.
    pub context: String,
    /// The keys as written.
    pub keys: String,
    /// The problem, and what to do.
    pub message: String,
}

/// All invalid bindings.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyMapErrors(pub Vec<BindingError>);

impl fmt::Display for KeyMapErrors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let lines: Vec<_> = self.0.iter().map(BindingError::to_string).collect();
        f.write_str(&lines.join("\n"))
    }
}

impl std::error::Error for KeyMapErrors {}

/// A sequence and its action; `None` hides the binding of the sequence in `everywhere`.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Binding {
    keys: Vec<Key>,
    action: Option<Action>,
}

/// The active key bindings.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyMap {
    /// As declared, the user's own first.
    declared: BTreeMap<Context, Vec<Binding>>,
    /// Per context, with the bindings of `everywhere` merged in.
    effective: BTreeMap<Context, BTreeMap<Vec<Key>, Action>>,
    /// Commands with arguments, as written. [`Action::Lines`] is an index into them.
    lines: Vec<String>,
}

impl KeyMap {
    /// The preset with the user's bindings merged onto it.
    ///
    /// # Errors
    /// Returns every binding with an unknown key, action or context, or whose key sequence is a prefix of
    /// another.
    pub fn load(settings: &KeySettings) -> Result<Self, KeyMapErrors> {
        let mut errors = Vec::new();
        let mut declared = preset(&settings.preset).map_err(|e| KeyMapErrors(vec![e]))?;
        let (mut own, mut lines) = (BTreeMap::new(), Vec::new());
        for (context, bindings) in &settings.bindings {
            match Context::ALL.into_iter().find(|c| c.name() == context) {
                Some(found) => {
                    own.insert(found, read_own(context, bindings, &mut lines, &mut errors));
                }
                None => errors.push(BindingError {
                    context: context.clone(),
                    keys: String::new(),
                    message:
                        "unknown context; the contexts are everywhere, sources, items and reader"
                            .to_owned(),
                }),
            }
        }
        for (context, bindings) in &own {
            let base = declared.entry(*context).or_default();
            base.retain(|b| bindings.iter().all(|(_, new)| new.keys != b.keys));
            base.splice(0..0, bindings.iter().map(|(_, binding)| binding.clone()));
        }
        let map = Self { effective: effective(&declared), declared, lines };
        for (context, bindings) in &own {
            for (written, binding) in bindings {
                errors.extend(map.conflict(*context, written, binding));
            }
        }
        if errors.is_empty() { Ok(map) } else { Err(KeyMapErrors(errors)) }
    }

    /// The commands of [`Action::Lines`], each with its arguments.
    pub fn lines(&self, number: u16) -> impl Iterator<Item = &str> {
        let line = self.lines.get(usize::from(number)).map_or("", String::as_str);
        key_lines::commands(line)
    }

    /// The actions that are commands with arguments.
    pub fn own_lines(&self) -> impl Iterator<Item = Action> {
        (0..).take(self.lines.len()).map(Action::Lines)
    }

    /// What an action does, for hints. For [`Action::Lines`], the commands as written.
    pub fn label(&self, action: Action) -> String {
        match action {
            Action::Lines(number) => self.lines(number).collect::<Vec<_>>().join("; "),
            action => action.label().to_owned(),
        }
    }

    /// What the keys pressed so far are bound to in a context. `C-c` always quits.
    pub fn lookup(&self, context: Context, keys: &[Key]) -> Lookup {
        if keys.last() == Some(&Key::ctrl('c')) {
            return Lookup::Action(Action::Quit);
        }
        let Some(map) = self.effective.get(&context) else { return Lookup::None };
        if let Some(action) = map.get(keys) {
            return Lookup::Action(*action);
        }
        let longer = map.range(keys.to_vec()..).next();
        match longer {
            Some((sequence, _)) if !keys.is_empty() && sequence.starts_with(keys) => Lookup::Prefix,
            _ => Lookup::None,
        }
    }

    /// The bindings of a context itself, one row per action in the order of [`Action::ALL`]. The
    /// keys of a row are in the order of declaration, separated by commas.
    pub fn bindings(&self, context: Context) -> Vec<(String, Action)> {
        let declared = self.declared.get(&context).map_or(&[][..], Vec::as_slice);
        let keys = |action: Action| {
            let bound = declared.iter().filter(|b| b.action == Some(action));
            bound.map(|b| show_sequence(&b.keys)).collect::<Vec<_>>().join(", ")
        };
        let rows = Action::ALL
            .iter()
            .copied()
            .chain(self.own_lines())
            .map(|action| (keys(action), action));
        rows.filter(|(keys, _)| !keys.is_empty()).collect()
    }

    /// The first keys bound to an action in a context, for hints.
    pub fn keys_for(&self, context: Context, action: Action) -> Option<String> {
        let map = self.effective.get(&context)?;
        [context, Context::Everywhere]
            .iter()
            .filter_map(|c| self.declared.get(c))
            .flatten()
            .find(|b| b.action == Some(action) && map.get(&b.keys) == Some(&action))
            .map(|b| show_sequence(&b.keys))
    }

    /// All keys bound to an action in a context, in the order of declaration.
    pub fn all_keys_for(&self, context: Context, action: Action) -> Vec<String> {
        let Some(map) = self.effective.get(&context) else { return Vec::new() };
        let mut contexts = vec![context, Context::Everywhere];
        contexts.dedup();
        contexts
            .iter()
            .filter_map(|c| self.declared.get(c))
            .flatten()
            .filter(|b| b.action == Some(action) && map.get(&b.keys) == Some(&action))
            .map(|b| show_sequence(&b.keys))
            .collect()
    }

    /// The possible continuations of a prefix in a context, in the order of declaration: the remaining keys
    /// and their action.
    pub fn continuations(&self, context: Context, keys: &[Key]) -> Vec<(String, Action)> {
        let Some(map) = self.effective.get(&context) else { return Vec::new() };
        let declared =
            [context, Context::Everywhere].into_iter().filter_map(|c| self.declared.get(&c));
        let mut found: Vec<(String, Action)> = Vec::new();
        for binding in declared.flatten() {
            let Some(rest) = binding.keys.strip_prefix(keys).filter(|rest| !rest.is_empty()) else {
                continue;
            };
            let rest = show_sequence(rest);
            if let (Some(action), false) =
                (map.get(&binding.keys), found.iter().any(|(known, _)| *known == rest))
            {
                found.push((rest, *action));
            }
        }
        found
    }

    /// Every binding as declared; `None` hides the binding in `everywhere`.
    pub(super) fn declared(&self) -> impl Iterator<Item = (Context, &[Key], Option<Action>)> {
        let bindings = self.declared.iter().flat_map(|(c, all)| all.iter().map(|b| (*c, b)));
        bindings.map(|(context, b)| (context, b.keys.as_slice(), b.action))
    }

    /// Whether a context binds these keys itself.
    pub(super) fn declares(&self, context: Context, keys: &[Key]) -> bool {
        self.declared().any(|(c, k, _)| c == context && k == keys)
    }

    /// The bindings of a context that clash with these keys: the same keys, a prefix of them, or longer
    /// sequences that begin with them.
    pub(super) fn clashes(&self, context: Context, keys: &[Key]) -> Vec<(Vec<Key>, Action)> {
        let map = self.effective.get(&context).into_iter().flatten();
        map.filter(|(k, _)| k.starts_with(keys) || keys.starts_with(k))
            .map(|(k, action)| (k.clone(), *action))
            .collect()
    }

    /// Why a user's binding conflicts with the others.
    fn conflict(&self, context: Context, written: &str, binding: &Binding) -> Option<BindingError> {
        let action = binding.action?;
        let error = |message| {
            Some(BindingError {
                context: context.name().to_owned(),
                keys: written.to_owned(),
                message,
            })
        };
        if binding.keys.contains(&Key::ctrl('c')) {
            return error("C-c always quits and cannot be bound".to_owned());
        }
        let reach = if context == Context::Everywhere { &Context::ALL[..] } else { &[context] };
        let (keys, other, place) = reach.iter().find_map(|c| {
            let map = self.effective.get(c)?;
            // If a pane binds the same keys itself, this binding does not apply there.
            if map.get(&binding.keys) != Some(&action) {
                return None;
            }
            let clash = |k: &&Vec<Key>| {
                **k != binding.keys && (k.starts_with(&binding.keys) || binding.keys.starts_with(k))
            };
            map.keys().find(clash).map(|k| (show_sequence(k), map[k], *c))
        })?;
        error(format!(
            "conflicts with \"{keys}\" ({other}) in {}: one begins with the other; bind \
             \"{keys}\" to \"none\" or choose other keys",
            place.name()
        ))
    }
}

/// The user's bindings of one context; errors go to `errors`.
fn read_own<'a>(
    context: &str,
    bindings: &'a BTreeMap<String, String>,
    lines: &mut Vec<String>,
    errors: &mut Vec<BindingError>,
) -> Vec<(&'a str, Binding)> {
    let mut read: Vec<(&str, Binding)> = Vec::new();
    for (written, action) in bindings {
        let message = match binding(written, action, lines) {
            Ok(new) => match read.iter().find(|(_, old)| old.keys == new.keys) {
                None => {
                    read.push((written, new));
                    continue;
                }
                Some((first, _)) => format!("the same keys as \"{first}\"; keep one of them"),
            },
            Err(message) => message,
        };
        errors.push(BindingError { context: context.to_owned(), keys: written.clone(), message });
    }
    read
}

/// Binds keys to the name of a command, `none`, or commands with arguments, which are added to `lines`.
fn binding(keys: &str, bound: &str, lines: &mut Vec<String>) -> Result<Binding, String> {
    let is_line = key_lines::is_line(bound);
    let action = match bound {
        "none" => None,
        line if is_line => {
            for command in key_lines::commands(line) {
                let name = command.split(' ').next().unwrap_or_default();
                name.parse::<Action>().map_err(|e| e.to_string())?;
                // In the palette, `read all` is the command `read-all`, not a query.
                if let Ok(action) = command.replace(' ', "-").parse::<Action>()
                    && command.contains(' ')
                {
                    return Err(format!("write \"{action}\" instead of \"{command}\""));
                }
            }
            let number = u16::try_from(lines.len()).map_err(|_| "too many bindings".to_owned())?;
            lines.push(line.to_owned());
            Some(Action::Lines(number))
        }
        name => Some(name.parse::<Action>().map_err(|e| e.to_string())?),
    };
    let keys = parse_sequence(keys).map_err(|e| e.to_string())?;
    Ok(Binding { keys, action })
}

/// Bindings per context.
type Bindings = BTreeMap<Context, Vec<Binding>>;

/// The bindings of a preset, in the order of its file. Each file is parsed once.
fn preset(name: &str) -> Result<Bindings, BindingError> {
    static DEFAULT: LazyLock<Result<Bindings, BindingError>> =
        LazyLock::new(|| read_preset("default", DEFAULT_KEYS));
    static CLASSIC: LazyLock<Result<Bindings, BindingError>> =
        LazyLock::new(|| read_preset("classic", CLASSIC_KEYS));
    static NEWSBOAT: LazyLock<Result<Bindings, BindingError>> =
        LazyLock::new(|| read_preset("newsboat", NEWSBOAT_KEYS));
    match name {
        "default" => DEFAULT.clone(),
        "classic" => CLASSIC.clone(),
        "newsboat" => NEWSBOAT.clone(),
        _ => {
            let hint = super::error::did_you_mean(name, PRESETS.iter().copied());
            let name = super::quote::quote(name);
            let message = format!("there is no preset {name}{hint}");
            Err(BindingError { context: "preset".to_owned(), keys: String::new(), message })
        }
    }
}

fn read_preset(name: &str, text: &str) -> Result<Bindings, BindingError> {
    let error = |context: &str, keys: &str, message: String| BindingError {
        context: context.to_owned(),
        keys: keys.to_owned(),
        message,
    };
    let document = toml_edit::Document::parse(text).map_err(|e| error(name, "", e.to_string()))?;
    let mut bindings = BTreeMap::new();
    for context in Context::ALL {
        let table = document.as_table().get(context.name()).and_then(toml_edit::Item::as_table);
        let mut rows = Vec::new();
        for (keys, action) in table.into_iter().flat_map(toml_edit::Table::iter) {
            let action = action.as_str().unwrap_or_default();
            rows.push(
                binding(keys, action, &mut Vec::new())
                    .map_err(|m| error(context.name(), keys, m))?,
            );
        }
        bindings.insert(context, rows);
    }
    Ok(bindings)
}

fn effective(
    declared: &BTreeMap<Context, Vec<Binding>>,
) -> BTreeMap<Context, BTreeMap<Vec<Key>, Action>> {
    let mut all = BTreeMap::new();
    for context in Context::ALL {
        let mut map = BTreeMap::new();
        for binding in
            [Context::Everywhere, context].iter().filter_map(|c| declared.get(c)).flatten()
        {
            match binding.action {
                Some(action) => map.insert(binding.keys.clone(), action),
                None => map.remove(&binding.keys),
            };
        }
        all.insert(context, map);
    }
    all
}

#[cfg(test)]
#[path = "keymap_tests.rs"]
mod tests;
