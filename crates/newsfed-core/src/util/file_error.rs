//! Messages about files that cannot be read or written.

use super::text;
use std::error::Error;
use std::io;
use std::path::Path;

/// Why a file or folder cannot be read.
pub fn cannot_read(path: &Path, error: &io::Error) -> String {
    format!("cannot read {}: {}", text::line(&path.display().to_string()), reason(error))
}

/// Why a file or folder cannot be written or created.
pub fn cannot_write(path: &Path, error: &io::Error) -> String {
    format!("cannot write {}: {}", text::line(&path.display().to_string()), reason(error))
}

/// A system error in plain words, without its number and without the path of a temporary file.
pub fn reason(error: &io::Error) -> String {
    // The error of a temporary file wraps the system's error.
    let inner = error.get_ref().and_then(Error::source).and_then(|e| e.downcast_ref::<io::Error>());
    let words = inner.unwrap_or(error).to_string();
    let words = words.split(" (os error ").next().unwrap_or_default();
    let mut chars = words.chars();
    let start: String = chars.next().into_iter().flat_map(char::to_lowercase).collect();
    text::line(&(start + chars.as_str()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_the_path_and_the_reason() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("none\u{1b}");
        let error = std::fs::read(&path).unwrap_err();
        let want =
            format!("cannot read {}/none: no such file or directory", folder.path().display());
        assert_eq!(cannot_read(&path, &error), want);
        assert_eq!(reason(&io::Error::other("Is too large")), "is too large");
    }

    #[test]
    fn omits_the_path_of_a_temporary_file() {
        let error = tempfile::NamedTempFile::new_in("/no/such/folder").unwrap_err();
        assert!(error.to_string().contains(".tmp"), "{error}");
        assert_eq!(reason(&error), "no such file or directory");
    }
}
