//! `sources.toml` changed by hand, in an editor that the program opened.

use super::document::read_text;
use super::edit::{EditError, SourcesFile};
use super::save::{SaveError, rewrite};
use std::fmt;

/// The whole file before and after.
#[derive(Clone, PartialEq, Eq)]
pub struct HandEdited {
    before: String,
    after: String,
}

impl fmt::Debug for HandEdited {
    /// No text: it may hold passwords.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("HandEdited")
    }
}

impl HandEdited {
    /// What was changed; `None` where nothing was.
    pub fn between(before: String, after: String) -> Option<Self> {
        (before != after).then_some(Self { before, after })
    }
}

impl SourcesFile {
    /// All of the file.
    ///
    /// # Errors
    /// When it cannot be read.
    pub fn text(&self) -> Result<String, EditError> {
        let unreadable = |message| SaveError::Unreadable { file: self.file.clone(), message };
        Ok(read_text(&self.file).map_err(unreadable)?.unwrap_or_default())
    }

    /// Puts back what was there before. Returns what takes this back in turn.
    ///
    /// # Errors
    /// When the file has been changed since, or see [`EditError`].
    pub fn exchange(&self, edited: &HandEdited) -> Result<HandEdited, EditError> {
        rewrite(&self.file, |text| {
            if text == edited.after {
                return Ok(edited.before.clone());
            }
            let message = "has been changed since then, so it is left as it is".to_owned();
            Err(EditError::Form { file: self.file.clone(), message })
        })?;
        Ok(HandEdited { before: edited.after.clone(), after: edited.before.clone() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Paths;

    #[test]
    fn a_text_goes_to_and_fro_unless_others_changed_it() {
        let folder = tempfile::tempdir().unwrap();
        let file = SourcesFile::open(&Paths::below(folder.path()));
        let write = |text: &str| std::fs::write(&file.file, text).unwrap();
        std::fs::create_dir_all(file.file.parent().unwrap()).unwrap();
        write("# one\n");
        let before = file.text().unwrap();
        assert_eq!(HandEdited::between(before.clone(), before.clone()), None);
        write("# two\r\n");
        let edited = HandEdited::between(before, file.text().unwrap()).unwrap();
        let back = file.exchange(&edited).unwrap();
        assert_eq!(file.text().unwrap(), "# one\n");
        assert_eq!(file.exchange(&back).unwrap(), edited);
        assert_eq!(file.text().unwrap(), "# two\r\n");
        write("# three\n");
        assert!(file.exchange(&edited).unwrap_err().to_string().contains("since then"));
        assert_eq!(file.text().unwrap(), "# three\n");
    }
}
