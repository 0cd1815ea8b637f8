//! Temporary folders for copies of private files.

use super::clock::{Clock, SystemClock};
use crate::model::Time;
use chrono::TimeDelta;
use std::fs;
use std::io;
use std::path::Path;
use tempfile::TempDir;

/// Prefix of the names of all temporary folders.
const PREFIX: &str = ".newsfed-scratch-";
/// Age from which a folder counts as left behind by a killed process. No copy takes that long.
const STALE: TimeDelta = TimeDelta::days(1);

/// Creates a folder that only its owner can enter. It is removed when the returned value is dropped. Also
/// removes folders that killed processes have left behind.
///
/// # Errors
/// If the folder cannot be created.
pub fn private_folder(within: &Path) -> io::Result<TempDir> {
    remove_stale(within, SystemClock.now() - STALE);
    let mut builder = tempfile::Builder::new();
    builder.prefix(PREFIX);
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o700));
    builder.tempdir_in(within)
}

/// Removes temporary folders that were last changed before a time. If one cannot be removed, the next call
/// tries again.
fn remove_stale(within: &Path, before: Time) {
    for entry in fs::read_dir(within).into_iter().flatten().flatten() {
        let is_named = entry.file_name().to_string_lossy().starts_with(PREFIX);
        // Symbolic links are not followed.
        let is_stale = || {
            let metadata = entry.metadata().ok().filter(fs::Metadata::is_dir);
            let changed = metadata.and_then(|metadata| metadata.modified().ok());
            changed.is_some_and(|changed| Time::from(changed) < before)
        };
        if is_named && is_stale() {
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn removes_folders_of_killed_processes() {
        let within = tempfile::tempdir().unwrap();
        let old = SystemClock.now() - STALE - TimeDelta::minutes(1);
        let make = |name: &str, is_old: bool| {
            let path = within.path().join(name);
            fs::create_dir(&path).unwrap();
            fs::write(path.join("copy.db"), "private").unwrap();
            if is_old {
                fs::File::open(&path).unwrap().set_modified(old.into()).unwrap();
            }
            path
        };
        let killed = make(".newsfed-scratch-a", true);
        let kept = [make(".newsfed-scratch-b", false), make("crawls", true)];
        let folder = private_folder(within.path()).unwrap();
        assert!(!killed.exists());
        assert!(kept.iter().all(|path| path.join("copy.db").exists()));
        assert!(folder.path().exists());
    }
}
