//! Changing the settings while everything runs.

use super::budget;
use super::follow::FollowError;
use super::handle::Handle;
use crate::config::{ConfigFile, EditError, EntryChange, Settings, SettingsEdited, SettingsText};
use crate::store::StoreError;
use std::sync::PoisonError;

impl Handle {
    /// `config.toml` as it is now, with the overrides of this run.
    pub async fn settings_text(&self) -> Result<SettingsText, FollowError> {
        let overrides = self.overrides();
        self.with_file(move |file| file.read(&overrides)).await
    }

    /// Changes keys of `config.toml`; see [`ConfigFile::edit`]. What can take effect at once does; the
    /// client that asks servers keeps what it was made with.
    pub async fn edit_settings(
        &self,
        base: Option<SettingsText>,
        changes: Vec<EntryChange>,
    ) -> Result<(SettingsEdited, Box<Settings>), FollowError> {
        let overrides = self.overrides_without(&changes);
        let edit = move |file: &ConfigFile| {
            Ok((file.edit(base.as_ref(), &changes)?, file.settings(&overrides)?))
        };
        let (edited, settings) = self.with_file(edit).await?;
        let left = self.overrides_without(edited.changes());
        *self.overrides.write().unwrap_or_else(PoisonError::into_inner) = left;
        Ok((edited, self.take_over(settings).await))
    }

    /// Takes such a change back; what is returned takes this back in turn.
    pub async fn revert_settings(
        &self,
        edited: SettingsEdited,
    ) -> Result<(SettingsEdited, Box<Settings>), FollowError> {
        let overrides = self.overrides();
        let revert =
            move |file: &ConfigFile| Ok((file.revert(&edited)?, file.settings(&overrides)?));
        let (edited, settings) = self.with_file(revert).await?;
        Ok((edited, self.take_over(settings).await))
    }

    /// The overrides of other keys than these: what a user changes is to hold at once.
    fn overrides_without(&self, changes: &[EntryChange]) -> Vec<String> {
        let keys: Vec<String> = changes.iter().map(|c| c.path.join(".")).collect();
        let key = |argument: &str| argument.split('=').next().unwrap_or("").trim().to_owned();
        let mut overrides = self.overrides();
        overrides.retain(|argument| !keys.contains(&key(argument)));
        overrides
    }

    async fn take_over(&self, settings: Settings) -> Box<Settings> {
        self.context.set_settings(settings.clone());
        // Another budget is another price of a poll.
        budget::restore(&self.context).await;
        self.replan().await;
        Box::new(settings)
    }

    async fn with_file<T: Send + 'static>(
        &self,
        work: impl FnOnce(&ConfigFile) -> Result<T, EditError> + Send + 'static,
    ) -> Result<T, FollowError> {
        let file = ConfigFile::open(&self.paths);
        let task = tokio::task::spawn_blocking(move || work(&file));
        Ok(task.await.map_err(|_| StoreError::Closed)??)
    }
}
