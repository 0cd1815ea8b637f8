//! Reads source lists for the import preview, and lists the files that may contain one.

use super::driver::message;
use super::effect::ImportList;
use super::event::ImportRead;
use crate::config::{self, Added, ConfigFile, Paths, SourcesFile};
use crate::exchange::FileFormat;
use crate::util::text::line;
use std::path::{Path, PathBuf};

/// Reads a list for the preview.
pub(super) fn read(paths: &Paths, list: &ImportList, private: bool) -> Result<ImportRead, String> {
    let (bytes, name) = match list {
        // Reading a pipe would block.
        ImportList::File(path) if !path.is_file() => {
            return Err(format!("{} is not a file", message(path.display())));
        }
        ImportList::File(path) => (config::read_import(path)?, path.display().to_string()),
        ImportList::Urls(text) => (text.clone().into_bytes(), "the pasted text".to_owned()),
    };
    if FileFormat::of(&bytes).is_some() {
        let name = message(&name);
        return Err(format!(
            "{name} has items, not sources: run `newsfed import {name}` in a shell"
        ));
    }
    let mut import = config::import(&bytes, &name).map_err(message)?;
    let file = SourcesFile::open(paths);
    let known = import.known(&file.declared().map_err(message)?);
    let private_sources = import.private(&known).count();
    if !private {
        import.skip_private(&known, "press p to import it too");
    }
    let Added { sources, already, completions } = file.preview(&import.sources).map_err(message)?;
    let (views, known_views) = match import.views.as_slice() {
        // If the list has no views, there is no need to read the settings.
        [] => Default::default(),
        views => ConfigFile::open(paths).preview_views(views).map_err(message)?,
    };
    Ok(ImportRead { import, private_sources, sources, already, completions, views, known_views })
}

/// Maximum number of suggested files.
const MAX_PATHS: usize = 200;
/// Maximum number of entries that are read from a folder.
const MAX_ENTRIES: usize = 10_000;

/// The files and folders whose paths start with the typed text, sorted. Folders end with a slash. `~/` is the
/// home folder. Hidden files are listed only if a dot was typed.
pub(super) fn paths(typed: &str) -> Vec<String> {
    let (folder, start) = typed.rsplit_once('/').map_or(("", typed), |(f, s)| (f, s));
    let shown = &typed[..typed.len() - start.len()];
    let place = match (shown, folder) {
        ("", _) => Path::new(".").to_path_buf(),
        (_, "") => Path::new("/").to_path_buf(),
        _ => expand_home(shown),
    };
    let entries = std::fs::read_dir(place).into_iter().flatten().take(MAX_ENTRIES).flatten();
    let path = |entry: std::fs::DirEntry| {
        let name = entry.file_name().into_string().ok()?;
        let hidden = name.starts_with('.') && !start.starts_with('.');
        // A path that the field would change, such as one with control characters, cannot be completed.
        if hidden || !name.starts_with(start) || line(&name) != name {
            return None;
        }
        let end = if entry.path().is_dir() { "/" } else { "" };
        Some(format!("{shown}{name}{end}"))
    };
    let mut paths: Vec<String> = entries.filter_map(path).collect();
    paths.sort_unstable();
    paths.truncate(MAX_PATHS);
    paths
}

/// Expands a leading `~/`.
pub(super) fn expand_home(text: &str) -> PathBuf {
    let home = directories::BaseDirs::new();
    match (text.strip_prefix("~/"), home) {
        (Some(rest), Some(dirs)) => dirs.home_dir().join(rest),
        _ => PathBuf::from(text),
    }
}
