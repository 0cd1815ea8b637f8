//! Changes of `config.toml` made by the program, in the way of [`super::edit`].

use super::document::{Node, read_text};
use super::edit::EditError;
use super::entry::EntryChange;
use super::error::ConfigErrors;
use super::load::check_settings;
use super::paths::Paths;
use super::save::{SaveError, rewrite};
use super::section::{Section, apply};
use super::settings::Settings;
use super::splice::SpliceError;
use std::fmt;
use std::path::{Path, PathBuf};
use toml_edit::Value;

/// `config.toml` for changes. Holds nothing of the file but its name.
#[derive(Debug, Clone)]
pub struct ConfigFile {
    pub(super) file: PathBuf,
}

/// `config.toml` as it was read, with the overrides of this run.
#[derive(Clone, PartialEq)]
pub struct SettingsText {
    part: Section,
    overrides: Vec<String>,
}

impl fmt::Debug for SettingsText {
    /// No text: it may hold passwords.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SettingsText")
    }
}

/// What an edit of the settings did, to take it back.
#[derive(Clone, PartialEq)]
pub struct SettingsEdited {
    /// The whole file before and after, for putting everything back exactly.
    before: String,
    after: String,
    /// The values that were there before.
    back: Vec<EntryChange>,
    /// The values that are there now.
    there: Vec<EntryChange>,
}

impl fmt::Debug for SettingsEdited {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SettingsEdited({:?})", self.there)
    }
}

impl SettingsEdited {
    /// What was written.
    pub fn changes(&self) -> &[EntryChange] {
        &self.there
    }
}

impl SettingsText {
    /// The settings of a text as a file would hold it.
    pub fn new(text: &str, overrides: &[String]) -> Self {
        Self { part: Section::new(text, None), overrides: overrides.to_vec() }
    }

    pub(super) fn node(&self, path: &[String]) -> Option<&Node> {
        self.part.node(path)
    }

    /// The settings once these changes are made, or what the loader has against them.
    ///
    /// # Errors
    /// In words where the file can only be changed by hand.
    pub fn check(&self, changes: &[EntryChange]) -> Result<Result<Settings, ConfigErrors>, String> {
        let text = self.part.with(changes).map_err(|e| e.to_string())?;
        Ok(check_settings(Path::new(""), &text, &self.overrides).map(|(settings, _)| settings))
    }
}

impl ConfigFile {
    /// The file of these paths, which need not exist.
    pub fn open(paths: &Paths) -> Self {
        Self { file: paths.config_file() }
    }

    /// Sets one key, as `["ui", "theme"]`, to a value.
    ///
    /// # Errors
    /// When the key or the value is refused, or see [`EditError`].
    pub fn set(&self, key: &[&str], value: impl Into<Value>) -> Result<(), EditError> {
        self.change(key, Some(&value.into().to_string()))
    }

    /// Takes a key away, so that its default holds again.
    ///
    /// # Errors
    /// See [`EditError`].
    pub fn unset(&self, key: &[&str]) -> Result<(), EditError> {
        self.change(key, None)
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.file
    }

    fn change(&self, key: &[&str], value: Option<&str>) -> Result<(), EditError> {
        let path = key.iter().map(|k| (*k).to_owned()).collect();
        self.edit(None, &[EntryChange { path, value: value.map(str::to_owned) }]).map(|_| ())
    }

    /// The file as it is; `overrides` are the `--set` arguments of this run.
    ///
    /// # Errors
    /// When it cannot be read or has faults.
    pub fn read(&self, overrides: &[String]) -> Result<SettingsText, EditError> {
        let text = read_text(&self.file)
            .map_err(|message| SaveError::Unreadable { file: self.file.clone(), message })?
            .unwrap_or_default();
        check_settings(&self.file, &text, overrides).map_err(EditError::Invalid)?;
        Ok(SettingsText::new(&text, overrides))
    }

    /// The settings as the file and the overrides have them now.
    ///
    /// # Errors
    /// When it cannot be read or has faults.
    pub fn settings(&self, overrides: &[String]) -> Result<Settings, EditError> {
        let text = self.read(overrides)?.part.text;
        Ok(check_settings(&self.file, &text, overrides).map_err(EditError::Invalid)?.0)
    }

    /// Changes keys, all or none. What else has changed in the file meanwhile stays.
    ///
    /// # Errors
    /// [`EditError::SettingsElsewhere`] when one of these keys has been changed since `base` was
    /// read; when a key or a value is refused, or see [`EditError`].
    pub fn edit(
        &self,
        base: Option<&SettingsText>,
        wanted: &[EntryChange],
    ) -> Result<SettingsEdited, EditError> {
        self.rewrite(|text| {
            let now = Section::new(text, None);
            let keys = base.map(|base| now.changed_since(&base.part, wanted)).unwrap_or_default();
            if let Some(base) = base.filter(|_| !keys.is_empty()) {
                let now = Box::new(SettingsText::new(text, &base.overrides));
                return Err(EditError::SettingsElsewhere { keys, now });
            }
            let after = now.with(wanted).map_err(|e| self.form(&e))?;
            Ok((after, now.back(wanted), wanted.to_vec()))
        })
    }

    /// Takes an edit back: byte for byte when the file is as it was left, else its keys alone.
    /// Returns what takes this back in turn.
    ///
    /// # Errors
    /// [`EditError::Overtaken`] when one of the keys has been changed again since, or see
    /// [`EditError`].
    pub fn revert(&self, edited: &SettingsEdited) -> Result<SettingsEdited, EditError> {
        self.rewrite(|text| {
            let new = if text == edited.after {
                edited.before.clone()
            } else {
                let left = Section::new(&edited.after, None);
                let keys = Section::new(text, None).changed_since(&left, &edited.back);
                if !keys.is_empty() {
                    return Err(EditError::Overtaken(keys.join(", ")));
                }
                apply(text, None, &edited.back).map_err(|e| self.form(&e))?
            };
            Ok((new, edited.there.clone(), edited.back.clone()))
        })
    }

    fn rewrite(
        &self,
        change: impl Fn(&str) -> Result<(String, Vec<EntryChange>, Vec<EntryChange>), EditError>,
    ) -> Result<SettingsEdited, EditError> {
        let mut done = None;
        rewrite::<EditError>(&self.file, |text| {
            check_settings(&self.file, text, &[]).map_err(EditError::Invalid)?;
            let (new, back, there) = change(text)?;
            check_settings(&self.file, &new, &[]).map_err(EditError::Refused)?;
            let (before, after) = (text.to_owned(), new.clone());
            done = Some(SettingsEdited { before, after, back, there });
            Ok(new)
        })?;
        done.ok_or_else(|| SaveError::Busy { file: self.file.clone() }.into())
    }

    fn form(&self, error: &SpliceError) -> EditError {
        EditError::Form { file: self.file.clone(), message: error.to_string() }
    }
}
