//! Changes to `sources.toml` and `config.toml` while the engine runs.

use super::budget;
use super::collected::CollectedChanges;
use super::follow::FollowError;
use super::handle::Handle;
use super::planner;
use super::rules;
use crate::config::{
    ConfigFile, EditError, FileChange, FileEdit, FileKind, KeyChange, Section, Settings,
};
use crate::store::StoreError;
use std::sync::PoisonError;

/// The result of a change to the files.
#[derive(Debug, Clone, Default)]
pub struct Edited {
    /// One edit per file. [`FileChange::Revert`] undoes them.
    pub edits: Vec<FileEdit>,
    /// The settings that apply now, if `config.toml` was changed.
    pub settings: Option<Box<Settings>>,
    /// Changes that undo those made to account sources, for [`FileChange::Collected`].
    pub collected: CollectedChanges,
    /// Why the views of an import were not saved even though its sources were added.
    pub problem: Option<String>,
}

impl Handle {
    /// The current `config.toml`, with the overrides of this run.
    pub async fn settings_section(&self) -> Result<Section, FollowError> {
        let (file, overrides) = (ConfigFile::open(&self.paths), self.overrides());
        blocking(move || file.read(&overrides)).await
    }

    /// Changes `sources.toml` or `config.toml`. The change takes effect immediately, except that the HTTP
    /// client keeps the settings that it was created with. The items of removed sources are kept for 30 days,
    /// so that adding a source again restores them. Titles and folders of account sources are changed in the
    /// database and, with the next synchronisation, on their servers; their other settings are stored in
    /// `sources.toml`.
    pub async fn edit(&self, change: FileChange) -> Result<Edited, FollowError> {
        let (changes, collected) = self.divide(change)?;
        let mut edited = Edited::default();
        for change in changes {
            let done = self.edit_files(change).await?;
            edited.edits.extend(done.edits);
            edited.settings = done.settings.or(edited.settings);
            edited.problem = done.problem.or(edited.problem);
        }
        if !collected.is_empty() {
            edited.collected = self.change_collected(collected).await?;
        }
        Ok(edited)
    }

    async fn edit_files(&self, change: FileChange) -> Result<Edited, FollowError> {
        if matches!(change, FileChange::Import { .. }) {
            self.refuse_missing_file().await?;
        }
        let (paths, overrides) = (self.paths.clone(), self.overrides_without(change.settings()));
        let left = overrides.clone();
        let edit = move || {
            let applied = change.apply(&paths)?;
            let is_config = applied.edits.iter().any(|edit| edit.file() != FileKind::Sources);
            let settings = || ConfigFile::open(&paths).settings(&overrides).map(Box::new);
            let settings = is_config.then(settings).transpose()?;
            let problem = applied.problem.map(|error| error.to_string());
            Ok(Edited { edits: applied.edits, settings, problem, ..Edited::default() })
        };
        let edited = blocking(edit).await?;
        if edited.edits.iter().any(|edit| edit.file() == FileKind::Sources) {
            self.read_again().await;
        }
        if let Some(settings) = &edited.settings {
            *self.overrides.write().unwrap_or_else(PoisonError::into_inner) = left;
            let before = self.context.settings();
            self.context.set_settings(Settings::clone(settings));
            // A different budget requires a different price of a poll.
            budget::restore(&self.context).await;
            if before.schedule != settings.schedule {
                let facts = self.context.read(|reader| reader.sources()).await?;
                planner::plan_changed(&self.context, &facts).await?;
            }
            rules::renew(&self.context).await;
            self.replan().await;
        }
        Ok(edited)
    }

    /// The overrides except those for these keys, so that a change by the user takes effect immediately.
    fn overrides_without(&self, changes: &[KeyChange]) -> Vec<String> {
        let keys: Vec<String> = changes.iter().map(KeyChange::key).collect();
        let key = |argument: &str| argument.split('=').next().unwrap_or("").trim().to_owned();
        let mut overrides = self.overrides();
        overrides.retain(|argument| !keys.contains(&key(argument)));
        overrides
    }
}

/// Runs work that waits for the disk on a blocking thread.
pub(super) async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, EditError> + Send + 'static,
) -> Result<T, FollowError> {
    let task = tokio::task::spawn_blocking(work);
    Ok(task.await.map_err(|_| StoreError::Closed)??)
}
