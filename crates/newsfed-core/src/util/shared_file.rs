//! Files for other programs and users. A file appears only when it is complete.

use super::file_name::numbered;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use tempfile::NamedTempFile;

/// Maximum number of names that are tried.
const MAX_NAMES: usize = 1000;

/// A temporary file with the permissions given by the user's umask.
///
/// # Errors
/// If no file can be created in the folder.
pub fn shared_file(folder: &Path) -> io::Result<NamedTempFile> {
    let mut builder = tempfile::Builder::new();
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    builder.tempfile_in(folder)
}

/// Writes a file that does not exist yet.
///
/// # Errors
/// If it exists, or cannot be written.
pub fn write_new(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let file = written(folder_of(path), bytes)?;
    file.persist_noclobber(path).map_err(|e| e.error)?;
    Ok(())
}

/// A temporary file whose contents have been synced to disk.
fn written(folder: &Path, bytes: &[u8]) -> io::Result<NamedTempFile> {
    let mut file = shared_file(folder)?;
    file.write_all(bytes)?;
    file.as_file().sync_all()?;
    Ok(file)
}

/// Writes a file into a folder, which is created if necessary, under the first name that is free: `name.md`,
/// `name (2).md`.
///
/// # Errors
/// If it cannot be written.
pub fn write_beside(folder: &Path, name: &str, bytes: &[u8]) -> io::Result<PathBuf> {
    std::fs::create_dir_all(folder)?;
    publish(written(folder, bytes)?, folder, name)
}

/// Gives a complete file the first free name, without writing it again for each name.
fn publish(mut file: NamedTempFile, folder: &Path, name: &str) -> io::Result<PathBuf> {
    for number in 1..=MAX_NAMES {
        let path = folder.join(numbered(name, number));
        match file.persist_noclobber(&path) {
            Ok(_) => return Ok(path),
            Err(e) if e.error.kind() == io::ErrorKind::AlreadyExists => file = e.file,
            Err(e) => return Err(e.error),
        }
    }
    Err(io::ErrorKind::AlreadyExists.into())
}

fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|f| !f.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// Removes the name of the temporary file from an error, because it means nothing to users.
fn without_path(error: io::Error) -> io::Error {
    match error.to_string().split_once(" at path ") {
        Some((why, _)) => io::Error::new(error.kind(), why),
        None => error,
    }
}

/// Writes a file. If it exists, it is replaced, but keeps its permissions.
///
/// # Errors
/// If it cannot be written; an existing file is unchanged in that case.
pub fn write_shared(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut file = shared_file(folder_of(path)).map_err(without_path)?;
    file.write_all(bytes)?;
    if let Ok(existing) = std::fs::metadata(path) {
        std::fs::set_permissions(file.path(), existing.permissions())?;
    }
    file.as_file().sync_all()?;
    file.persist(path).map_err(|e| e.error)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_do_not_name_temporary_files() {
        let folder = tempfile::tempdir().unwrap();
        let error = write_shared(&folder.path().join("none/x"), b"text").unwrap_err().to_string();
        assert!(error.contains("No such file") && !error.contains("none"), "{error}");
    }

    #[cfg(unix)]
    #[test]
    fn writes_only_once_if_names_are_taken() {
        use std::os::unix::fs::MetadataExt;
        let folder = tempfile::tempdir().unwrap();
        for number in 1..=300 {
            std::fs::write(folder.path().join(numbered("a.md", number)), "mine").unwrap();
        }
        let file = written(folder.path(), b"new").unwrap();
        let written = file.as_file().metadata().unwrap().ino();
        let path = publish(file, folder.path(), "a.md").unwrap();
        assert_eq!(path, folder.path().join("a (301).md"));
        assert_eq!(std::fs::metadata(&path).unwrap().ino(), written);
        assert_eq!(write_beside(folder.path(), "b.md", b"b").unwrap(), folder.path().join("b.md"));
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 302, "nothing is left over");
    }
}
