//! Why a change to `sources.toml` or `config.toml` was not made.

use super::error::ConfigErrors;
use super::save::EditSaveError;
use super::section::Section;
use std::path::PathBuf;

/// Why a file was not changed.
#[derive(Debug, thiserror::Error)]
pub enum EditError {
    /// The file has errors already, so the program does not write it.
    #[error("nothing was changed, because the file has errors:\n{0}")]
    Invalid(ConfigErrors),
    /// The change would introduce errors into the file.
    #[error("nothing was changed: {0}")]
    Refused(ConfigErrors),
    /// There is no such source or view: its kind and name, and a hint.
    #[error("there is no {0}{1}")]
    Unknown(String, String),
    /// The file is written in a form that the program cannot change.
    #[error("{}: {message}", file.display())]
    Form { file: PathBuf, message: String },
    /// The same keys were changed elsewhere since the section was read.
    #[error("changed in the file since it was read: {}", keys.join(", "))]
    Conflict {
        /// The dotted keys.
        keys: Vec<String>,
        /// The current section.
        now: Box<Section>,
    },
    /// A part that the undo would restore was changed elsewhere in the meantime.
    #[error("nothing was changed: {0} has been changed elsewhere since then")]
    Overtaken(String),
    /// The file could not be read or written.
    #[error(transparent)]
    Save(#[from] EditSaveError),
}
