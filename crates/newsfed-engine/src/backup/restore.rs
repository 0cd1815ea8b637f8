//! Puts the files of a backup in their places: either all of them or none.

use super::pack::folder_for_copies;
use super::place::Place;
use super::unpack::{Unpacked, unpack};
use super::{BackupError, BackupProgress, Manifest};
use crate::config::{CRAWLS_FOLDER, Paths};
use crate::model::Time;
use crate::store::{self, Poller, PollerLock};
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use tempfile::{NamedTempFile, TempDir};

/// A restored backup.
#[derive(Debug)]
pub struct Restored {
    pub manifest: Manifest,
    /// The folders with the replaced files.
    pub replaced: Vec<PathBuf>,
}

/// Checks a backup without restoring it.
///
/// # Errors
/// If it is not a backup, is damaged, or was made by a newer version of newsfed.
pub fn check(
    paths: &Paths,
    file: &Path,
    progress: BackupProgress<'_>,
) -> Result<Manifest, BackupError> {
    Ok(prepare(paths, file, progress)?.0.manifest)
}

/// Restores a backup. If `replace` is set, existing files are moved to dated folders; otherwise, they are an
/// error. After an error, all files are as before.
///
/// # Errors
/// If the file is not a backup, is damaged, or was made by a newer version of newsfed; if another process
/// uses the database; if files exist and `replace` is false; or if something cannot be written.
pub fn restore(
    paths: &Paths,
    file: &Path,
    replace: bool,
    now: Time,
    progress: BackupProgress<'_>,
) -> Result<Restored, BackupError> {
    let (Unpacked { manifest, files }, _folder) = prepare(paths, file, progress)?;
    let existing = existing(paths);
    if let Some(first) = existing.iter().find(|path| !is_empty_folder(path)).filter(|_| !replace) {
        return Err(BackupError::InTheWay(first.clone()));
    }
    for folder in [paths.data_dir(), paths.config_dir()] {
        create_private(folder).map_err(BackupError::write(folder))?;
    }
    let database = paths.database();
    let _lock = match PollerLock::acquire(&database)? {
        Poller::Mine(lock) => lock,
        Poller::Other(pid) => {
            let who = pid.map(|pid| format!("newsfed (process {pid})"));
            return Err(BackupError::InUse(who.unwrap_or("another newsfed process".to_owned())));
        }
    };
    if store::in_use(&database)? {
        return Err(BackupError::InUse("another newsfed process".to_owned()));
    }
    let mut moves = Moves::default();
    let moved = moves.away(paths, now).and_then(|replaced| {
        (progress)("Restoring", 0);
        for (place, from) in &files {
            moves.bring(from, &place.path(paths))?;
        }
        Ok(replaced)
    });
    match moved {
        Ok(replaced) => Ok(Restored { manifest, replaced }),
        Err(e) => {
            moves.undo();
            Err(e)
        }
    }
}

/// Unpacks a backup, checks its database and migrates it.
fn prepare(
    paths: &Paths,
    file: &Path,
    progress: BackupProgress<'_>,
) -> Result<(Unpacked, TempDir), BackupError> {
    // The folder is next to the database, so that files can be moved there in one step.
    let folder = folder_for_copies(paths)?;
    let unpacked = unpack(file, folder.path(), progress)?;
    if let Some((_, path)) = unpacked.files.iter().find(|(place, _)| *place == Place::Database) {
        (progress)("Checking the database", 0);
        store::adopt(path).map_err(|e| BackupError::Damaged {
            file: file.to_owned(),
            why: format!("its database cannot be used: {e}"),
        })?;
    }
    Ok((unpacked, folder))
}

/// The existing files that a restore replaces.
fn existing(paths: &Paths) -> Vec<PathBuf> {
    let mut all = vec![paths.config_file(), paths.sources_file(), paths.database()];
    for end in ["-wal", "-shm", "-journal"] {
        let mut name = paths.database().into_os_string();
        name.push(end);
        all.push(name.into());
    }
    all.push(paths.data_dir().join(CRAWLS_FOLDER));
    all.retain(|path| path.symlink_metadata().is_ok());
    all
}

fn is_empty_folder(path: &Path) -> bool {
    fs::read_dir(path).is_ok_and(|mut entries| entries.next().is_none())
}

fn create_private(folder: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)
}

/// The completed steps, which are undone after an error.
#[derive(Default)]
struct Moves(Vec<Move>);

enum Move {
    /// A folder for replaced files.
    Folder(PathBuf),
    /// A replaced file: its old path and its new path.
    Away(PathBuf, PathBuf),
    /// A restored file.
    New(PathBuf),
}

impl Moves {
    /// Moves existing files to dated folders next to them. Returns the folders.
    fn away(&mut self, paths: &Paths, now: Time) -> Result<Vec<PathBuf>, BackupError> {
        let mut folders = Vec::new();
        for path in existing(paths) {
            let Some((parent, name)) = path.parent().zip(path.file_name()) else { continue };
            let folder = match folders.iter().find(|f: &&PathBuf| f.parent() == Some(parent)) {
                Some(folder) => folder.clone(),
                None => {
                    let folder = unused(parent, now);
                    create_private(&folder).map_err(BackupError::write(&folder))?;
                    self.0.push(Move::Folder(folder.clone()));
                    folders.push(folder.clone());
                    folder
                }
            };
            let to = folder.join(name);
            fs::rename(&path, &to).map_err(BackupError::write(&path))?;
            self.0.push(Move::Away(path, to));
        }
        Ok(folders)
    }

    /// Moves a restored file to its place.
    fn bring(&mut self, from: &Path, to: &Path) -> Result<(), BackupError> {
        let folder = to.parent().unwrap_or(Path::new("."));
        create_private(folder).map_err(BackupError::write(folder))?;
        // The settings folder may be on another file system.
        if fs::rename(from, to).is_err() {
            let copy = || -> io::Result<()> {
                let mut copy = NamedTempFile::new_in(folder)?;
                io::copy(&mut fs::File::open(from)?, &mut copy)?;
                copy.flush()?;
                copy.as_file().sync_all()?;
                copy.persist(to).map(drop).map_err(|e| e.error)
            };
            copy().map_err(BackupError::write(to))?;
        }
        self.0.push(Move::New(to.to_owned()));
        Ok(())
    }

    fn undo(&mut self) {
        for done in self.0.drain(..).rev() {
            let undone = match &done {
                Move::Folder(folder) => fs::remove_dir(folder),
                Move::Away(was, is) => {
                    // The crawl folder may have been created again.
                    let _ = fs::remove_dir(was);
                    fs::rename(is, was)
                }
                Move::New(file) => fs::remove_file(file),
            };
            if let (Err(e), Move::Away(was, is)) = (undone, &done) {
                tracing::error!("{} cannot be moved to {}: {e}", is.display(), was.display());
            }
        }
    }
}

/// The path of a folder for replaced files that does not exist yet.
fn unused(parent: &Path, now: Time) -> PathBuf {
    let name = format!("replaced-{}", now.format("%Y-%m-%d-%H%M%S"));
    let numbered = |n: usize| parent.join(format!("{name}-{n}"));
    let first = parent.join(&name);
    if !first.exists() {
        return first;
    }
    (2..).map(numbered).find(|folder| !folder.exists()).unwrap_or(first)
}
