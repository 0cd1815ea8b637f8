//! One change that the program made to `sources.toml` or `config.toml`, and how to undo it.

use super::section::KeyChange;
use std::collections::HashSet;
use std::fmt;

/// A file that users write and the program changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileKind {
    /// `sources.toml`, whose elements are the `[[source]]` entries, identified by their ids.
    Sources,
    /// `config.toml`, whose elements are the `[[view]]` entries, identified by their names.
    Config,
    /// `config.toml`, whose elements are the `[[rule]]` entries, identified by their names.
    Rules,
    /// `config.toml`, whose elements are the `[[account]]` entries, identified by their ids.
    Accounts,
}

impl FileKind {
    /// The file's name without its folder.
    pub fn name(self) -> &'static str {
        match self {
            Self::Sources => "sources.toml",
            Self::Config | Self::Rules | Self::Accounts => "config.toml",
        }
    }

    /// The key of the array of tables that contains the elements.
    pub(super) fn array(self) -> &'static str {
        match self {
            Self::Sources => "source",
            Self::Config => "view",
            Self::Rules => "rule",
            Self::Accounts => "account",
        }
    }

    /// The key that names an element.
    pub(super) fn name_key(self) -> &'static str {
        match self {
            Self::Sources | Self::Accounts => "id",
            Self::Config | Self::Rules => "name",
        }
    }

    /// An element for a message, as in `source "kernel"`.
    pub(super) fn element(self, name: &str) -> String {
        format!("{} \"{name}\"", self.array())
    }
}

/// One step of a change. Elements are identified by their names.
#[derive(Clone, PartialEq)]
pub(super) enum Step {
    Set(Vec<KeysOf>),
    Insert(Vec<Element>),
    Remove(Vec<String>),
    /// Moves elements, in file order, before another element, or to the end for `None`.
    Move {
        names: Vec<String>,
        before: Option<String>,
    },
}

/// New values for keys of an element, or of the file itself if `element` is `None`.
#[derive(Clone, PartialEq)]
pub(super) struct KeysOf {
    pub(super) element: Option<String>,
    pub(super) changes: Vec<KeyChange>,
}

/// The text of an element with its comments, and the name of the next element, or `None` if there is none.
#[derive(Clone, PartialEq)]
pub(super) struct Element {
    pub(super) name: String,
    pub(super) text: String,
    pub(super) before: Option<String>,
}

/// One saved change to a file, with the steps that undo it; see [`FileEdit::revert`].
#[derive(Clone, PartialEq)]
pub struct FileEdit {
    pub(super) file: FileKind,
    /// The whole file before and after, to restore it exactly.
    pub(super) before: String,
    pub(super) after: String,
    /// What was done, and the steps that undo it, both in order. Both are empty for a change made
    /// in an editor.
    pub(super) done: Vec<Step>,
    pub(super) undo: Vec<Step>,
}

impl fmt::Debug for FileEdit {
    /// Prints names only: the values may be passwords.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "FileEdit({})", self.names().join(", "))
    }
}

impl FileEdit {
    /// A change to `sources.toml` that the user made in an editor; `None` if nothing changed.
    pub fn by_hand(before: String, after: String) -> Option<Self> {
        let (done, undo) = (Vec::new(), Vec::new());
        (before != after).then_some(Self { file: FileKind::Sources, before, after, done, undo })
    }

    /// The edit that undoes this one, if the file has not changed since.
    pub fn reversed(&self) -> Self {
        Self {
            file: self.file,
            before: self.after.clone(),
            after: self.before.clone(),
            done: self.undo.clone(),
            undo: self.done.clone(),
        }
    }

    /// Whether nothing was changed.
    pub fn is_empty(&self) -> bool {
        self.before == self.after
    }

    pub(super) fn is_by_hand(&self) -> bool {
        self.done.is_empty()
    }

    /// The file that was changed.
    pub fn file(&self) -> FileKind {
        self.file
    }

    /// The names of the elements that were inserted.
    pub fn inserted(&self) -> impl Iterator<Item = &str> {
        let inserted = self.done.iter().filter_map(|step| match step {
            Step::Insert(elements) => Some(elements),
            _ => None,
        });
        inserted.flatten().map(|element| element.name.as_str())
    }

    /// The settings that were written; `None` if the edit changed anything else.
    fn settings(&self) -> Option<&[KeyChange]> {
        match self.done.as_slice() {
            [Step::Set(each)] => match each.as_slice() {
                [KeysOf { element: None, changes }] => Some(changes),
                _ => None,
            },
            _ => None,
        }
    }

    /// The elements and settings that were changed, without values.
    fn names(&self) -> Vec<String> {
        let mut names = Vec::new();
        for step in &self.done {
            match step {
                Step::Set(each) => names.extend(each.iter().flat_map(|keys| match &keys.element {
                    Some(name) => vec![name.clone()],
                    None => keys.changes.iter().map(KeyChange::key).collect(),
                })),
                Step::Insert(elements) => names.extend(elements.iter().map(|e| e.name.clone())),
                Step::Remove(all) | Step::Move { names: all, .. } => names.extend(all.clone()),
            }
        }
        let mut seen = HashSet::new();
        names.retain(|name| seen.insert(name.clone()));
        names
    }

    /// What was changed, as in `title of kernel` or `ui.theme = "dark"`.
    pub fn describe(&self) -> String {
        self.describe_with(str::to_owned)
    }

    /// Like [`Self::describe`], but a function returns the names to show for sources instead of their
    /// identifiers.
    pub fn describe_with(&self, source_name: impl Fn(&str) -> String) -> String {
        if self.is_by_hand() {
            return format!("{} (edited by hand)", self.file.name());
        }
        if let Some(settings) = self.settings() {
            return settings.iter().map(describe_setting).collect::<Vec<_>>().join(", ");
        }
        let names = self.names();
        let whose = match (names.as_slice(), self.file) {
            ([name], FileKind::Sources) => source_name(name),
            ([name], file) => format!("{} {name}", file.array()),
            (many, file) => format!("{} {}s", many.len(), file.array()),
        };
        let mut keys: Vec<String> = Vec::new();
        for step in &self.done {
            match step {
                Step::Set(each) => {
                    for change in each.iter().flat_map(|keys| &keys.changes) {
                        match self.renamed(change) {
                            Some(name) => return format!("{whose} renamed to {name}"),
                            None => keys.push(describe_key(change)),
                        }
                    }
                }
                Step::Insert(_) => return whose,
                Step::Remove(_) => keys.push("removal".to_owned()),
                Step::Move { .. } => keys.push("position".to_owned()),
            }
        }
        let mut seen = HashSet::new();
        keys.retain(|key| seen.insert(key.clone()));
        // If sources move to different folders, the list of names would be long.
        let folders = keys.iter().filter(|key| key.starts_with("folder ")).count();
        if folders > 1 {
            keys.retain(|key| !key.starts_with("folder "));
            keys.push("folder".to_owned());
        }
        match keys.as_slice() {
            [one] if one == OFF || one == ON => format!("{whose} {one}"),
            _ => format!("{} of {whose}", keys.join(", ")),
        }
    }

    /// The new name, if the change renames an element of `config.toml`.
    fn renamed(&self, change: &KeyChange) -> Option<String> {
        let is_name = self.file != FileKind::Sources && change.path == [self.file.name_key()];
        is_name.then(|| change.text()).flatten()
    }
}

/// Descriptions of changes to `enabled`.
const OFF: &str = "disabled";
const ON: &str = "enabled";

/// Describes a change to a key of an element. Values may be long, so only that of `folder` is included.
fn describe_key(change: &KeyChange) -> String {
    match (change.key(), change.value.as_deref()) {
        (key, Some("false")) if key == "enabled" => OFF.to_owned(),
        (key, _) if key == "enabled" => ON.to_owned(),
        (key, Some(name)) if key == "folder" => format!("folder {}", name.trim()),
        (key, _) => key,
    }
}

/// Describes a setting with its new value. The value of `net.proxy` may contain a password and is left out.
fn describe_setting(change: &KeyChange) -> String {
    match (change.key(), &change.value) {
        (key, Some(_)) if key == "net.proxy" => key,
        (key, Some(value)) => format!("{key} = {}", value.trim()),
        (key, None) => format!("{key} reset to the default"),
    }
}
