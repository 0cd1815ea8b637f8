//! Errors of the database, with advice for the user.

use std::path::PathBuf;

/// An error of the store.
#[derive(Debug, Clone, thiserror::Error)]
pub enum StoreError {
    /// The folder or file cannot be created or opened.
    #[error("cannot open the database {path}: {why}")]
    Open {
        path: PathBuf,
        /// The message of the system.
        why: String,
    },
    /// The database was written by a newer version of newsfed.
    #[error(
        "the database {path} was written by a newer version of newsfed (schema {found}, this version supports {known}); \
         update newsfed, or choose another folder with --data-dir"
    )]
    TooNew {
        path: PathBuf,
        /// Schema version in the file.
        found: usize,
        known: usize,
    },
    /// The database was written by an older version of newsfed, and cannot be migrated.
    #[error(
        "the database {path} was written by an older version of newsfed and cannot be migrated because of its \
         permissions or a full disk; fix that and start newsfed again"
    )]
    TooOld { path: PathBuf },
    #[error(
        "the database is damaged ({0}); quit newsfed and run `newsfed doctor --rebuild`, which keeps a copy and recovers what can be read"
    )]
    Corrupt(String),
    #[error("the disk is full; free some space and try again")]
    Full,
    /// The system cannot read or write the file.
    #[error("the database cannot be read or written ({0}); check the disk and its free space")]
    Io(String),
    #[error("the database is read-only; check the permissions of its file and folder")]
    ReadOnly,
    /// Another process has kept the write lock for too long.
    #[error("another program has been writing to the database for too long; try again")]
    Busy,
    /// A newer query replaced this one.
    #[error("interrupted")]
    Interrupted,
    /// The writer has stopped.
    #[error("newsfed is shutting down")]
    Closed,
    /// Any other SQLite error.
    #[error("database error: {0}")]
    Sqlite(String),
}

impl StoreError {
    /// Whether the data can still be read.
    pub fn leaves_reading(&self) -> bool {
        matches!(self, Self::ReadOnly | Self::Full)
    }
}

impl From<rusqlite::Error> for StoreError {
    fn from(e: rusqlite::Error) -> Self {
        use rusqlite::ErrorCode as Code;
        use rusqlite::ffi::{SQLITE_IOERR_SHMMAP, SQLITE_IOERR_SHMSIZE};
        // SQLite's shared memory is a file too, and grows before anything is written.
        if let rusqlite::Error::SqliteFailure(failure, _) = &e
            && matches!(failure.extended_code, SQLITE_IOERR_SHMSIZE | SQLITE_IOERR_SHMMAP)
        {
            return Self::Full;
        }
        // A value that newsfed never writes, or a missing table or column.
        if let rusqlite::Error::FromSqlConversionFailure(..)
        | rusqlite::Error::InvalidColumnType(..)
        | rusqlite::Error::IntegralValueOutOfRange(..)
        | rusqlite::Error::Utf8Error(..) = &e
        {
            return Self::Corrupt(e.to_string());
        }
        if let rusqlite::Error::SqlInputError { msg, .. }
        | rusqlite::Error::SqliteFailure(_, Some(msg)) = &e
            && (msg.starts_with("no such table") || msg.starts_with("no such column"))
        {
            return Self::Corrupt(e.to_string());
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

pub type Result<T> = std::result::Result<T, StoreError>;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_table_or_column_counts_as_damage() {
        let conn = rusqlite::Connection::open_in_memory().unwrap();
        let error = |sql: &str| StoreError::from(conn.prepare(sql).map(drop).unwrap_err());
        assert!(matches!(error("SELECT 1 FROM item"), StoreError::Corrupt(_)));
        conn.execute_batch("CREATE TABLE item (key INTEGER)").unwrap();
        assert!(matches!(error("SELECT title FROM item"), StoreError::Corrupt(_)));
        assert!(matches!(error("SELEC 1"), StoreError::Sqlite(_)));
    }
}
