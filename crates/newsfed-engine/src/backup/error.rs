//! Why a backup was not written or not restored.

use crate::store::StoreError;
use crate::util::file_error::{cannot_read, cannot_write};
use std::io;
use std::path::{Path, PathBuf};

#[derive(Debug, thiserror::Error)]
pub enum BackupError {
    #[error("there is nothing to back up: no settings, sources or database in {} and {}", .0.display(), .1.display())]
    Nothing(PathBuf, PathBuf),
    /// The target of a backup already exists.
    #[error("{} already exists; give --replace to overwrite it", .0.display())]
    Exists(PathBuf),
    #[error("{}", cannot_read(path, source))]
    Read { path: PathBuf, source: io::Error },
    #[error("{}", cannot_write(path, source))]
    Write { path: PathBuf, source: io::Error },
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error("{} is not a backup of newsfed: {why}", file.display())]
    NotABackup { file: PathBuf, why: String },
    #[error("{} is damaged: {why}; nothing was restored", file.display())]
    Damaged { file: PathBuf, why: String },
    #[error(
        "{} was made by a newer version of newsfed ({newsfed}, {what} {found}; this version supports {known}); \
         update newsfed first", file.display()
    )]
    TooNew { file: PathBuf, newsfed: String, what: &'static str, found: u64, known: u64 },
    #[error("{0} uses the database; stop it first")]
    InUse(String),
    #[error("{} already exists; give --replace to move the old files to a dated folder first", .0.display())]
    InTheWay(PathBuf),
}

impl BackupError {
    /// For `map_err`: one of the user's files or folders cannot be read.
    pub(super) fn read(path: &Path) -> impl FnOnce(io::Error) -> Self {
        let path = path.to_owned();
        move |source| Self::Read { path, source }
    }

    /// For `map_err`: a file or folder cannot be written. If a temporary file cannot be written, this is its
    /// folder.
    pub(super) fn write(path: &Path) -> impl FnOnce(io::Error) -> Self {
        let path = path.to_owned();
        move |source| Self::Write { path, source }
    }
}
