//! Reads source lists for the import preview.

use super::driver::message;
use super::event::ImportRead;
use crate::config::{self, Added, ConfigFile, Import, Paths, SourcesFile};
use std::path::Path;

/// Reads a list for the preview.
pub(super) fn read(paths: &Paths, path: &Path, private: bool) -> Result<ImportRead, String> {
    // Reading a pipe would block.
    if !path.is_file() {
        return Err(format!("{} is not a file", message(path.display())));
    }
    let bytes = config::read_import(path)?;
    let mut import = config::import(&bytes, &path.display().to_string()).map_err(message)?;
    let private_sources = import.sources.iter().filter(|s| Import::is_private(s)).count();
    if !private {
        import.skip_private("press p to import it too");
    }
    let file = SourcesFile::open(paths);
    let Added { sources, already } = file.preview(&import.sources).map_err(message)?;
    let (views, known_views) = match import.views.as_slice() {
        // Without views the settings need not be read.
        [] => Default::default(),
        views => ConfigFile::open(paths).preview_views(views).map_err(message)?,
    };
    Ok(ImportRead { import, private_sources, sources, already, views, known_views })
}
