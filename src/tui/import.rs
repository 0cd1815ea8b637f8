//! Reads a list of sources for the preview of an import.

use super::driver::words;
use super::event::ImportRead;
use crate::config::{self, Added, ConfigFile, Paths, SourcesFile};
use std::path::Path;

/// What a list would bring.
pub(super) fn read(paths: &Paths, path: &Path) -> Result<ImportRead, String> {
    // A pipe would be waited for, and is no file to import.
    if !path.is_file() {
        return Err(format!("{} is no file", words(path.display())));
    }
    let bytes = config::read_import(path)?;
    let import = config::import(&bytes, &path.display().to_string()).map_err(words)?;
    let file = SourcesFile::open(paths);
    let Added { sources, already } = file.preview(&import.sources).map_err(words)?;
    let (views, known_views) = match import.views.as_slice() {
        // The settings are of no concern then.
        [] => Default::default(),
        views => ConfigFile::open(paths).preview_views(views).map_err(words)?,
    };
    Ok(ImportRead { import, sources, already, views, known_views })
}
