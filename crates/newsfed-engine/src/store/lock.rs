//! The lock that lets only one process poll a database; the others only read it.

use super::connect::file_error;
use super::error::Result;
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{Read, Seek, Write};
use std::path::Path;

/// Held by the polling process; released when dropped, and by the system when the process ends.
#[derive(Debug)]
pub struct PollerLock {
    _file: File,
}

/// The process that polls.
#[derive(Debug)]
pub enum Poller {
    Mine(PollerLock),
    /// Another process, with its process id if known.
    Other(Option<u32>),
}

impl PollerLock {
    /// Takes the lock next to the database, or returns the process that has it.
    pub fn acquire(database: &Path) -> Result<Poller> {
        let path = database.with_extension("lock");
        let fail = |e: std::io::Error| file_error(&path, &e);
        let mut options = OpenOptions::new();
        options.read(true).write(true).create(true).truncate(false);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let mut file = options.open(&path).map_err(fail)?;
        match file.try_lock() {
            Ok(()) => {
                file.set_len(0).map_err(fail)?;
                file.rewind().map_err(fail)?;
                file.write_all(std::process::id().to_string().as_bytes()).map_err(fail)?;
                Ok(Poller::Mine(PollerLock { _file: file }))
            }
            Err(TryLockError::WouldBlock) => {
                let mut text = String::new();
                let _ = file.take(20).read_to_string(&mut text);
                Ok(Poller::Other(text.trim().parse().ok()))
            }
            Err(TryLockError::Error(e)) => Err(fail(e)),
        }
    }
}
