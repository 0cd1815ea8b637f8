//! What can go wrong with the database, in words that say what to do.

use std::path::PathBuf;

/// A failure of the store.
#[derive(Debug, Clone, thiserror::Error)]
pub enum StoreError {
    /// The folder or file cannot be created or opened.
    #[error("cannot open the database {path}: {why}")]
    Open {
        /// The file.
        path: PathBuf,
        /// The system's words.
        why: String,
    },
    /// Written by a later newsfed.
    #[error(
        "the database {path} was written by a newer newsfed (schema {found}, this one knows {known}); \
         update newsfed, or choose another folder with --data-dir"
    )]
    TooNew {
        /// The file.
        path: PathBuf,
        /// Schema version in the file.
        found: usize,
        /// Newest schema version known here.
        known: usize,
    },
    /// Written by an earlier newsfed, and cannot be brought up to date.
    #[error(
        "the database {path} was written by an older newsfed and has to be brought up to date, which its \
         permissions or a full disk forbid; mend that and start newsfed again"
    )]
    TooOld {
        /// The file.
        path: PathBuf,
    },
    /// The file is damaged.
    #[error(
        "the database is damaged ({0}); quit newsfed and run `newsfed doctor --rebuild`, which keeps a copy and saves what can be read"
    )]
    Corrupt(String),
    /// No space left.
    #[error("the disk is full; free some space and try again")]
    Full,
    /// The system can neither read nor write the file.
    #[error("the database cannot be read or written ({0}); check the disk and its free space")]
    Io(String),
    /// The file or folder cannot be written.
    #[error("the database is read-only; check the permissions of its file and folder")]
    ReadOnly,
    /// Another process holds the write lock for too long.
    #[error("another program has been writing to the database for too long; try again")]
    Busy,
    /// A query was superseded by a newer one.
    #[error("interrupted")]
    Interrupted,
    /// The writer has stopped.
    #[error("newsfed is shutting down")]
    Closed,
    /// Anything else that SQLite says.
    #[error("database: {0}")]
    Sqlite(String),
}

impl StoreError {
    /// Whether what is there can be read all the same.
    pub fn leaves_reading(&self) -> bool {
        matches!(self, Self::ReadOnly | Self::Full)
    }
}

impl From<rusqlite::Error> for StoreError {
    fn from(e: rusqlite::Error) -> Self {
        use rusqlite::ErrorCode as Code;
        use rusqlite::ffi::{SQLITE_IOERR_SHMMAP, SQLITE_IOERR_SHMSIZE};
        // Its shared memory is a file too, which grows before anything is written.
        if let rusqlite::Error::SqliteFailure(failure, _) = &e
            && matches!(failure.extended_code, SQLITE_IOERR_SHMSIZE | SQLITE_IOERR_SHMMAP)
        {
            return Self::Full;
        }
        match e.sqlite_error_code() {
            Some(Code::SystemIoFailure) => Self::Io(e.to_string()),
            Some(Code::DatabaseCorrupt | Code::NotADatabase) => Self::Corrupt(e.to_string()),
            Some(Code::DiskFull) => Self::Full,
            Some(Code::ReadOnly | Code::PermissionDenied) => Self::ReadOnly,
            Some(Code::DatabaseBusy | Code::DatabaseLocked) => Self::Busy,
            Some(Code::OperationInterrupted) => Self::Interrupted,
            _ => Self::Sqlite(e.to_string()),
        }
    }
}

/// Result with a [`StoreError`].
pub type Result<T> = std::result::Result<T, StoreError>;
