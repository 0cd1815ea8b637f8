//! Changes to `config.toml` made by the program: settings and saved views.

use super::declared_file::DeclaredFile;
use super::edit_error::EditError;
use super::file_edit::{Element, FileEdit, FileKind, KeysOf, Step};
use super::load::check_settings;
use super::paths::Paths;
use super::render::view_text;
use super::section::{KeyChange, Section};
use super::settings::{Settings, ViewSettings};
use super::splice::newline;
use std::collections::HashSet;
use std::path::Path;
use toml_edit::Value;

/// Changes `config.toml`. Contains only the path of the file.
#[derive(Debug, Clone)]
pub struct ConfigFile(DeclaredFile);

/// A saved view before and after a change; `None` where it does not exist.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ViewChange {
    /// Before.
    pub was: Option<ViewSettings>,
    /// After.
    pub now: Option<ViewSettings>,
}

impl ConfigFile {
    /// The `config.toml` of these paths, which need not exist.
    pub fn open(paths: &Paths) -> Self {
        Self(DeclaredFile::of(FileKind::Config, paths))
    }

    pub fn path(&self) -> &Path {
        &self.0.path
    }

    /// Sets one key, such as `["ui", "theme"]`, to a value.
    ///
    /// # Errors
    /// When the key or the value is rejected; see also [`EditError`].
    pub fn set(&self, key: &[&str], value: impl Into<Value>) -> Result<(), EditError> {
        self.change(key, Some(value.into().to_string()))
    }

    /// Removes a key, so that its default applies again.
    ///
    /// # Errors
    /// See [`EditError`].
    pub fn unset(&self, key: &[&str]) -> Result<(), EditError> {
        self.change(key, None)
    }

    fn change(&self, key: &[&str], value: Option<String>) -> Result<(), EditError> {
        let path = key.iter().map(|k| (*k).to_owned()).collect();
        self.edit(None, &[KeyChange { path, value }]).map(|_| ())
    }

    /// The current content of the file. `overrides` are the `--set` arguments of this run.
    ///
    /// # Errors
    /// When it cannot be read or has errors.
    pub fn read(&self, overrides: &[String]) -> Result<Section, EditError> {
        let text = self.0.read()?;
        self.settings_in(&text, overrides)?;
        Ok(Section::settings(&text, overrides))
    }

    /// The current settings of the file with the overrides applied.
    ///
    /// # Errors
    /// When it cannot be read or has errors.
    pub fn settings(&self, overrides: &[String]) -> Result<Settings, EditError> {
        self.settings_in(&self.0.read()?, overrides)
    }

    fn settings_in(&self, text: &str, overrides: &[String]) -> Result<Settings, EditError> {
        let read = check_settings(&self.0.path, text, overrides);
        Ok(read.map_err(EditError::Invalid)?.0)
    }

    /// Changes keys, all or none. Other changes in the file are kept.
    ///
    /// # Errors
    /// [`EditError::Conflict`] when one of these keys has been changed since `base` was read. Another error
    /// when a key or a value is rejected; see [`EditError`].
    pub fn edit(
        &self,
        base: Option<&Section>,
        changes: &[KeyChange],
    ) -> Result<FileEdit, EditError> {
        self.0.change(|text| {
            if let Some(base) = base {
                let now = base.with_text(text);
                let keys = now.changed_since(base, changes);
                if !keys.is_empty() {
                    return Err(EditError::Conflict { keys, now: Box::new(now) });
                }
            }
            Ok(vec![Step::Set(vec![KeysOf { element: None, changes: changes.to_vec() }])])
        })
    }

    /// Adds, renames, changes and removes saved views, all or none.
    ///
    /// # Errors
    /// When a new name is taken; see also [`EditError`].
    pub fn edit_views(&self, changes: &[ViewChange]) -> Result<FileEdit, EditError> {
        self.0.change(|text| {
            let views = self.settings_in(text, &[])?.views;
            Ok(changes.iter().filter_map(|change| step(change, &views, text)).collect())
        })
    }

    /// Previews [`Self::add_views`] for a list: the views that would be saved, and those whose names are
    /// taken.
    ///
    /// # Errors
    /// When the file cannot be read or has errors.
    pub fn preview_views(
        &self,
        views: &[ViewSettings],
    ) -> Result<(Vec<ViewSettings>, Vec<ViewSettings>), EditError> {
        let known = self.settings(&[])?.views;
        let mut names: HashSet<String> = known.into_iter().map(|view| view.name).collect();
        Ok(views.iter().cloned().partition(|view| names.insert(view.name.clone())))
    }

    /// Saves the views of a list whose names are not taken.
    ///
    /// # Errors
    /// See [`Self::edit_views`].
    pub fn add_views(&self, views: &[ViewSettings]) -> Result<FileEdit, EditError> {
        let (new, _) = self.preview_views(views)?;
        let added = |view| ViewChange { was: None, now: Some(view) };
        self.edit_views(&new.into_iter().map(added).collect::<Vec<_>>())
    }
}

/// The step that makes a change to a view; `None` if there is nothing to do.
fn step(change: &ViewChange, views: &[ViewSettings], text: &str) -> Option<Step> {
    let was = change.was.as_ref().filter(|was| views.iter().any(|view| view.name == was.name));
    Some(match (was, &change.now) {
        (Some(was), Some(now)) => {
            let set = |key: &str, value: &str| KeyChange {
                path: vec![key.to_owned()],
                value: Some(Value::from(value).to_string()),
            };
            let mut changes = Vec::new();
            if was.name != now.name {
                changes.push(set("name", &now.name));
            }
            if was.query != now.query {
                changes.push(set("query", &now.query));
            }
            Step::Set(vec![KeysOf { element: Some(was.name.clone()), changes }])
        }
        (Some(was), None) => Step::Remove(vec![was.name.clone()]),
        (None, Some(now)) => {
            let text = view_text(now, newline(text));
            Step::Insert(vec![Element { name: now.name.clone(), text, before: None }])
        }
        (None, None) => return None,
    })
}
