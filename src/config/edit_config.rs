//! Changes of `config.toml` made by the program, in the way of [`super::edit`].

use super::edit::EditError;
use super::load::check_settings;
use super::paths::Paths;
use super::save::rewrite;
use super::splice::set;
use std::path::{Path, PathBuf};
use toml_edit::Value;

/// `config.toml` for changes. Holds nothing of the file but its name.
#[derive(Debug, Clone)]
pub struct ConfigFile {
    pub(super) file: PathBuf,
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
        rewrite(&self.file, |text| {
            check_settings(&self.file, text, &[]).map_err(EditError::Invalid)?;
            let new = set(text, None, key, value)
                .map_err(|e| EditError::Form { file: self.file.clone(), message: e.to_string() })?;
            check_settings(&self.file, &new, &[]).map_err(EditError::Refused)?;
            Ok(new)
        })
    }
}
