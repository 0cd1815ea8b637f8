//! Replaces a file that users also edit: atomically, and without overwriting their changes.

use super::document::read_text;
use crate::util::file_error::cannot_write;
use std::fs::{self, File, TryLockError};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Maximum number of attempts to make a change while other programs change the file.
const ATTEMPTS: usize = 20;

/// Maximum number of waits for another newsfed process that is saving.
const LOCK_WAITS: usize = 100;
/// Duration of each wait.
const LOCK_WAIT: Duration = Duration::from_millis(20);

/// Why a file was not saved. The file is unchanged.
#[derive(Debug, thiserror::Error)]
pub enum EditSaveError {
    /// The file cannot be read.
    #[error("{}: {message}", file.display())]
    Unreadable { file: PathBuf, message: String },
    /// The new text cannot be written.
    #[error("{}; check the folder's permissions and free space", cannot_write(file, source))]
    Io { file: PathBuf, source: io::Error },
    /// Other programs keep changing the file.
    #[error("{} is being changed by another program; try again", file.display())]
    Busy { file: PathBuf },
}

/// Reads the file, passes the text to `change`, and replaces the file with the result. `change` is called
/// again if the file was changed at the same time. A missing file is treated as empty. Symbolic links and the
/// mode are kept, and new files are readable by their owner only.
pub(crate) fn rewrite<E: From<EditSaveError>>(
    file: &Path,
    mut change: impl FnMut(&str) -> Result<String, E>,
) -> Result<(), E> {
    let io_error = |source| EditSaveError::Io { file: file.to_owned(), source };
    let target = resolve(file).map_err(io_error)?;
    let folder = target.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
    create_folder(folder).map_err(io_error)?;
    let lock = lock(folder).ok_or_else(|| EditSaveError::Busy { file: file.to_owned() })?;
    if lock.is_some() {
        remove_leftovers(folder);
    }
    let read = || {
        read_text(&target)
            .map_err(|message| EditSaveError::Unreadable { file: file.to_owned(), message })
    };
    for _ in 0..ATTEMPTS {
        let old = read()?;
        let new = change(old.as_deref().unwrap_or(""))?;
        if old.as_deref() == Some(new.as_str()) {
            return Ok(());
        }
        let prepared = prepare(folder, &target, &new).map_err(io_error)?;
        // The last check before the rename: only one system call remains unprotected.
        if read()? != old {
            continue;
        }
        prepared.persist(&target).map_err(|e| io_error(e.error))?;
        return sync_folder(folder).map_err(|e| io_error(e).into());
    }
    Err(EditSaveError::Busy { file: file.to_owned() }.into())
}

/// The target of symbolic links, which may not exist yet.
fn resolve(file: &Path) -> io::Result<PathBuf> {
    let mut target = file.to_owned();
    for _ in 0..40 {
        match fs::read_link(&target) {
            Ok(link) => target = target.parent().unwrap_or(Path::new("")).join(link),
            Err(_) => return Ok(target),
        }
    }
    Err(io::Error::other("the symbolic links form a loop"))
}

fn create_folder(folder: &Path) -> io::Result<()> {
    if folder.is_dir() {
        return Ok(());
    }
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)
}

/// Keeps other newsfed processes from saving in the folder while the handle exists. If folders cannot be
/// locked, the comparison before the rename must suffice. `None` on timeout.
fn lock(folder: &Path) -> Option<Option<File>> {
    let Ok(handle) = File::open(folder) else { return Some(None) };
    for _ in 0..LOCK_WAITS {
        match handle.try_lock() {
            Ok(()) => return Some(Some(handle)),
            Err(TryLockError::WouldBlock) => std::thread::sleep(LOCK_WAIT),
            Err(TryLockError::Error(_)) => return Some(None),
        }
    }
    None
}

/// The prefix of temporary files, `.newsfed-XXXXXX.tmp`.
const PREFIX: &str = ".newsfed-";
const SUFFIX: &str = ".tmp";

/// Removes the temporary files of interrupted saves. Requires the lock, so that no other process is saving.
fn remove_leftovers(folder: &Path) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let middle = name.to_str().and_then(|n| n.strip_prefix(PREFIX)?.strip_suffix(SUFFIX));
        let ours =
            middle.is_some_and(|m| m.len() == 6 && m.bytes().all(|b| b.is_ascii_alphanumeric()));
        if ours && entry.file_type().is_ok_and(|kind| kind.is_file()) {
            // A file that cannot be removed does no harm.
            let _ = fs::remove_file(entry.path());
        }
    }
}

/// Writes the new text to a temporary file next to the target, and syncs it to disk.
fn prepare(folder: &Path, target: &Path, text: &str) -> io::Result<tempfile::NamedTempFile> {
    // The file is created with owner-only permissions.
    let mut file =
        tempfile::Builder::new().prefix(PREFIX).rand_bytes(6).suffix(SUFFIX).tempfile_in(folder)?;
    file.write_all(text.as_bytes())?;
    if let Ok(metadata) = fs::metadata(target) {
        fs::set_permissions(file.path(), metadata.permissions())?;
    }
    file.as_file().sync_all()?;
    Ok(file)
}

fn sync_folder(folder: &Path) -> io::Result<()> {
    if cfg!(unix) { File::open(folder)?.sync_all() } else { Ok(()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn append(file: &Path, text: &str) -> Result<(), EditSaveError> {
        rewrite(file, |old| Ok(format!("{old}{text}")))
    }

    #[test]
    fn keeps_a_change_made_at_the_same_time() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("f");
        fs::write(&file, "a").unwrap();
        let mut calls = 0;
        rewrite(&file, |old| {
            calls += 1;
            if calls < 3 {
                fs::write(&file, format!("{old}{calls}")).unwrap();
            }
            Ok::<_, EditSaveError>(format!("{old}!"))
        })
        .unwrap();
        assert_eq!(fs::read_to_string(&file).unwrap(), "a12!");
        let never = rewrite(&file, |old| {
            fs::write(&file, format!("{old}x")).unwrap();
            Ok::<_, EditSaveError>(String::new())
        });
        assert!(matches!(never, Err(EditSaveError::Busy { .. })));
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1, "no temporary file is left");
    }

    #[test]
    fn removes_leftovers_of_interrupted_saves() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        // The file that a killed save leaves.
        let left = prepare(folder.path(), &path("f"), "x").unwrap().keep().unwrap().1;
        let others = [".newsfed-abc.tmp", ".newsfed-abc-de.tmp", "newsfed-abcdef.tmp", "x.tmp"];
        others.iter().for_each(|name| fs::write(path(name), "x").unwrap());
        fs::create_dir(path(".newsfed-folder.tmp")).unwrap();
        append(&path("f"), "y").unwrap();
        assert!(!left.exists());
        assert!(others.iter().all(|name| path(name).exists()));
        assert!(path(".newsfed-folder.tmp").exists() && path("f").exists());
    }

    #[test]
    fn concurrent_writers_lose_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("new/f");
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| (0..5).for_each(|_| append(&file, "x").unwrap()));
            }
        });
        assert_eq!(fs::read_to_string(&file).unwrap().len(), 20);
    }

    #[cfg(unix)]
    #[test]
    fn keeps_symlinks_and_permissions() {
        use std::os::unix::fs::{PermissionsExt, symlink};
        let mode = |p: &Path| fs::metadata(p).unwrap().permissions().mode() & 0o777;
        let folder = tempfile::tempdir().unwrap();
        let (link, real) = (folder.path().join("link"), folder.path().join("dots/real"));
        fs::create_dir(folder.path().join("dots")).unwrap();
        symlink("dots/real", &link).unwrap();
        append(&link, "a").unwrap();
        assert_eq!((fs::read_to_string(&real).unwrap().as_str(), mode(&real)), ("a", 0o600));
        fs::set_permissions(&real, fs::Permissions::from_mode(0o640)).unwrap();
        append(&link, "b").unwrap();
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        assert_eq!((fs::read_to_string(&real).unwrap().as_str(), mode(&real)), ("ab", 0o640));
        let circle = folder.path().join("circle");
        symlink("circle", &circle).unwrap();
        assert!(append(&circle, "x").unwrap_err().to_string().contains("circle"));
    }
}
