//! Lists of sources: read for a preview, taken over, and taken back.

use super::driver::{apart, words};
use super::event::{ImportRead, Imported};
use crate::config::{self, Added, ConfigFile, Edited, Paths, SourcesFile, ViewsEdited};
use crate::engine::Handle;
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

/// Follows a list and saves its queries.
pub(super) async fn follow(
    handle: &Handle,
    file: ConfigFile,
    import: config::Import,
) -> Result<Imported, String> {
    let (added, edited) = handle.import(import.sources).await.map_err(words)?;
    let new = import.views;
    let saved = match new.is_empty() {
        true => Ok(None),
        false => apart(move || file.add_views(&new).map_err(words)).await.map(Some),
    };
    let (added, known) = (added.sources.len(), added.already.len());
    // The sources are followed by now: they are to be undone, whatever becomes of the queries.
    let (views, not_saved) = saved.map_or_else(|why| (None, Some(why)), |views| (views, None));
    let views = views.filter(|views| views.added().next().is_some());
    Ok(Imported { added, known, skipped: import.skipped.len(), edited, views, not_saved })
}

/// Takes an import back, all of it or nothing. Returns what takes this back in turn.
pub(super) async fn revert(
    handle: &Handle,
    file: ConfigFile,
    sources: Edited,
    views: Option<ViewsEdited>,
) -> Result<(Edited, Option<ViewsEdited>), String> {
    let revert_views = |edited: ViewsEdited| {
        let file = file.clone();
        apart(move || file.revert_views(&edited).map_err(words))
    };
    let views = match views {
        Some(edited) => Some(revert_views(edited).await?),
        None => None,
    };
    let why = match handle.revert(sources).await {
        Ok(sources) => return Ok((sources, views)),
        Err(why) => words(why),
    };
    if let Some(edited) = views {
        revert_views(edited).await?;
    }
    Err(why)
}
