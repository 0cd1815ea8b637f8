//! A part of a file as read, key by key: one `[[source]]` entry, or all of `config.toml`.

use super::document::{Node, Pair, Value, parse};
use super::error::{ConfigErrors, Report};
use super::load::{check_settings, check_sources};
use super::render::source_text;
use super::settings::Settings;
use super::splice::{SpliceError, set};
use crate::model::{Source, SourceId};
use std::fmt;
use std::path::Path;

/// A key, possibly in a subtable of the section, and its new value as TOML. `None` removes the key.
#[derive(Clone, PartialEq, Eq)]
pub struct KeyChange {
    /// The tables that lead to the key, then the key: `["net", "proxy"]`.
    pub path: Vec<String>,
    /// The value as TOML.
    pub value: Option<String>,
}

impl fmt::Debug for KeyChange {
    /// Prints the key only: the value may be a password.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.key())
    }
}

impl KeyChange {
    /// The key with its tables, as in `net.proxy`.
    pub fn key(&self) -> String {
        self.path.join(".")
    }

    /// The new value, if it is text.
    pub fn text(&self) -> Option<String> {
        let value = self.value.as_deref()?.parse::<toml_edit::Value>().ok()?;
        value.as_str().map(str::to_owned)
    }
}

#[derive(Clone, PartialEq)]
enum Scope {
    Source(SourceId),
    /// `config.toml`, with the `--set` arguments of this run.
    Settings(Vec<String>),
}

/// A part of a file as read, with its comments.
#[derive(Clone, PartialEq)]
pub struct Section {
    scope: Scope,
    text: String,
    tree: Vec<Pair>,
}

impl fmt::Debug for Section {
    /// Prints the name only: the text may contain passwords.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.scope {
            Scope::Source(id) => write!(f, "Section({id})"),
            Scope::Settings(_) => f.write_str("Section(config.toml)"),
        }
    }
}

impl Section {
    fn new(scope: Scope, text: &str) -> Self {
        let tree = parse(text, &mut Report::new(Path::new(""), text));
        Self { scope, text: text.to_owned(), tree }
    }

    /// The entry of a source; `text` is this entry alone.
    pub(super) fn source(id: SourceId, text: &str) -> Self {
        Self::new(Scope::Source(id), text)
    }

    /// The entry of a source that is not declared yet.
    pub fn draft(source: &Source) -> Self {
        Self::source(source.id.clone(), &source_text(source, "\n"))
    }

    /// All settings. `overrides` are the `--set` arguments of this run.
    pub fn settings(text: &str, overrides: &[String]) -> Self {
        Self::new(Scope::Settings(overrides.to_vec()), text)
    }

    /// The text of the entry; it may contain passwords.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The source of this entry; `None` for the settings.
    pub fn source_id(&self) -> Option<&SourceId> {
        match &self.scope {
            Scope::Source(id) => Some(id),
            Scope::Settings(_) => None,
        }
    }

    /// The same section in another version of the file.
    pub(super) fn with_text(&self, text: &str) -> Self {
        Self::new(self.scope.clone(), text)
    }

    /// Whether both sections have the same text, apart from surrounding blank lines and line endings.
    pub(super) fn reads_like(&self, other: &Self) -> bool {
        let text = |section: &Self| section.text.trim().replace("\r\n", "\n");
        text(self) == text(other)
    }

    /// The `[[source]]` table of an entry; `None` for the settings.
    fn entry(&self) -> Option<&Node> {
        match (&self.scope, &self.tree.first()?.node.value) {
            (Scope::Source(_), Value::List(list)) => list.first(),
            _ => None,
        }
    }

    /// The value of a key.
    pub(super) fn node(&self, path: &[String]) -> Option<&Node> {
        let (mut table, mut found) = match &self.scope {
            Scope::Settings(_) => (&self.tree, None),
            Scope::Source(_) => {
                let entry = self.entry()?;
                let Value::Table(table) = &entry.value else { return None };
                (table, Some(entry))
            }
        };
        for (depth, key) in path.iter().enumerate() {
            let node = &table.iter().find(|pair| pair.key == *key)?.node;
            found = Some(node);
            match &node.value {
                Value::Table(inner) => table = inner,
                _ if depth + 1 == path.len() => {}
                _ => return None,
            }
        }
        found
    }

    /// The keys of a table.
    pub(super) fn keys(&self, path: &[String]) -> Vec<&str> {
        match self.node(path).map(|node| &node.value) {
            Some(Value::Table(table)) => table.iter().map(|pair| pair.key.as_str()).collect(),
            _ => Vec::new(),
        }
    }

    /// The value of a key, as written.
    pub(super) fn written(&self, path: &[String]) -> Option<&str> {
        let at = self.node(path)?.at;
        self.text.get(at.start..at.end)
    }

    /// The dotted keys of `changes` whose current value differs both from the value in `base` and from the
    /// new value.
    pub(super) fn changed_since(&self, base: &Self, changes: &[KeyChange]) -> Vec<String> {
        let foreign = |change: &&KeyChange| {
            let now = self.written(&change.path);
            now != base.written(&change.path) && now != change.value.as_deref()
        };
        changes.iter().filter(foreign).map(KeyChange::key).collect()
    }

    /// The text with these changes applied.
    fn with(&self, changes: &[KeyChange]) -> Result<String, SpliceError> {
        let header = self.entry().map(|entry| entry.at.start);
        changes.iter().try_fold(self.text.clone(), |text, change| {
            let path: Vec<&str> = change.path.iter().map(String::as_str).collect();
            // The whole entry comes after its header, so the header's position does not change.
            set(&text, header, &path, change.value.as_deref())
        })
    }

    /// The source that the entry would declare after these changes.
    ///
    /// # Errors
    /// When the loader rejects it.
    pub fn source_with(&self, changes: &[KeyChange]) -> Result<Source, ConfigErrors> {
        let text = self.with(changes).map_err(|e| ConfigErrors::whole("sources.toml", e))?;
        let (sources, _) = check_sources(Path::new(""), &text)?;
        let source = sources.into_iter().next().map(|(_, source)| source);
        source.ok_or_else(|| ConfigErrors::whole("sources.toml", "there is no [[source]]"))
    }

    /// Has the loader read the section with these changes applied. Returns the loader's errors or its result.
    ///
    /// # Errors
    /// When the section can only be changed in an editor.
    pub fn check(&self, changes: &[KeyChange]) -> Result<Result<Checked, ConfigErrors>, String> {
        let text = self.with(changes).map_err(|e| e.to_string())?;
        Ok(match &self.scope {
            Scope::Source(_) => check_sources(Path::new(""), &text).map(|(sources, _)| {
                let source = sources.into_iter().next().map(|(_, source)| Box::new(source));
                Checked::Source(source)
            }),
            Scope::Settings(overrides) => check_settings(Path::new(""), &text, overrides)
                .map(|(settings, _)| Checked::Settings(Box::new(settings))),
        })
    }
}

/// What the loader reads in a section.
#[derive(Debug)]
pub enum Checked {
    Source(Option<Box<Source>>),
    Settings(Box<Settings>),
}
