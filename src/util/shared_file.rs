//! Files for other programs and users, which appear complete or not at all.

use std::io::{self, Write};
use std::path::Path;
use tempfile::NamedTempFile;

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

/// Writes a file, replacing one that exists, whose permissions stay.
///
/// # Errors
/// If it cannot be written; an existing file stays as it was then.
pub fn write_shared(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let folder = path.parent().filter(|f| !f.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut file = shared_file(folder)?;
    file.write_all(bytes)?;
    if let Ok(existing) = std::fs::metadata(path) {
        std::fs::set_permissions(file.path(), existing.permissions())?;
    }
    file.as_file().sync_all()?;
    file.persist(path).map_err(|e| e.error)?;
    Ok(())
}
