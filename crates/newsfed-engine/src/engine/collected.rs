//! Changes to sources that servers poll. The changes are made in the database and sent with the next
//! synchronisation.

use super::account::AccountError;
use super::follow::FollowError;
use super::handle::Handle;
use crate::config::{FileChange, KeyChange, Section, SourcesFile};
use crate::model::{CollectedChange, OwnSettings, Source, SourceId};
use crate::store::AccountOp;
use crate::util::url::normalise;
use std::sync::Arc;
use url::Url;

/// Changes to account sources.
pub type CollectedChanges = Vec<(SourceId, CollectedChange)>;

/// The parts of a change for the files, and those for account sources.
pub(super) type Divided = (Vec<FileChange>, CollectedChanges);

impl Handle {
    /// A source polled by the server of an account, with the name of the account.
    fn collected(&self, id: &SourceId) -> Option<(Arc<Source>, String)> {
        let declared = self.declared().borrow().clone();
        let source = declared.iter().find(|source| source.id == *id)?;
        Some((source.clone(), source.account.clone()?))
    }

    /// Divides a change into parts for the files and parts for account sources. For account sources, settings
    /// that servers do not know are stored in `sources.toml`.
    pub(super) fn divide(&self, change: FileChange) -> Result<Divided, FollowError> {
        Ok(match change {
            FileChange::Collected(changes) => (Vec::new(), changes),
            FileChange::Remove(ids) => {
                let (own, local): (Vec<_>, Vec<_>) =
                    ids.into_iter().partition(|id| self.collected(id).is_some());
                let local = (!local.is_empty()).then_some(FileChange::Remove(local));
                let own = own.into_iter().map(|id| (id, CollectedChange::Remove)).collect();
                (local.into_iter().collect(), own)
            }
            FileChange::Sources(changes) => {
                let (mut local, mut there, mut own) = (Vec::new(), Vec::new(), Vec::new());
                for (id, change) in changes {
                    let Some((source, account)) = self.collected(&id) else {
                        local.push((id, change));
                        continue;
                    };
                    if change.texts().contains(&("title", None)) {
                        return Err(refusal(&id, NO_TITLE));
                    }
                    let (known, keys) = split(&id, &account, change.keys(&source))?;
                    there.extend(known.into_iter().map(|new| (id.clone(), new)));
                    own.extend((!keys.is_empty()).then(|| ((*source).clone(), keys)));
                }
                let local = (!local.is_empty()).then_some(FileChange::Sources(local));
                let own = (!own.is_empty()).then_some(FileChange::Overrides(own));
                (local.into_iter().chain(own).collect(), there)
            }
            FileChange::Section { base, changes } => {
                let of = base.source_id().and_then(|id| Some((id.clone(), self.collected(id)?)));
                let Some((id, (source, account))) = of else {
                    return Ok((vec![FileChange::Section { base, changes }], Vec::new()));
                };
                let (known, keys) = split(&id, &account, changes)?;
                let own = (!keys.is_empty())
                    .then(|| FileChange::Overrides(vec![((*source).clone(), keys)]));
                let there = known.into_iter().map(|new| (id.clone(), new)).collect();
                (own.into_iter().collect(), there)
            }
            other => (vec![other], Vec::new()),
        })
    }

    /// Changes account sources. Returns the changes that restore the previous state.
    pub(super) async fn change_collected(
        &self,
        changes: CollectedChanges,
    ) -> Result<CollectedChanges, FollowError> {
        let undo = self.context.store.change_collected(changes, self.now()).await?;
        self.context.renew_collected().await?;
        Ok(undo)
    }

    /// The entry of a source as the form shows it. For an account source, the entry is generated.
    pub async fn source_section(&self, id: &SourceId) -> Result<Section, FollowError> {
        let all = self.sources().await?;
        let own = all.into_iter().find(|(source, _)| source.id == *id && source.account.is_some());
        if let Some((source, facts)) = own {
            let title = Some(facts.title(&source).to_owned());
            return Ok(Section::draft(&Source { title, account: None, ..(*source).clone() }));
        }
        let (file, id) = (SourcesFile::open(&self.paths), id.clone());
        super::edit::blocking(move || file.entry(&id)).await
    }

    /// Has an account subscribe to the feed at a URL, at the next synchronisation.
    ///
    /// # Errors
    /// If there is no such account, or it already has the source.
    pub async fn subscribe_at(
        &self,
        account: &str,
        url: &Url,
        title: Option<String>,
        folder: Option<String>,
    ) -> Result<(), FollowError> {
        let accounts = self.settings().accounts.clone();
        let settings = accounts.into_iter().find(|settings| settings.id == account);
        let settings = settings
            .ok_or_else(|| FollowError::Account(format!("{account}: {}", AccountError::Unknown)))?;
        let is_it = |source: &Source| {
            source.account.as_deref() == Some(account) && normalise(&source.url) == normalise(url)
        };
        let declared = self.declared().borrow().clone();
        if let Some(known) = declared.iter().find(|source| is_it(source)) {
            return Err(FollowError::Known(known.id.clone()));
        }
        let store = &self.context.store;
        let stored = store.open_account(settings.id, settings.url, settings.user).await?;
        let folder = folder.and_then(|folder| folder_on_server(account, &folder));
        let op = AccountOp::Subscribe { url: url.to_string(), title, folder, stream: None };
        Ok(store.queue_op(stored.key, op).await?)
    }
}

const NO_TITLE: &str = "the title of an account source cannot be empty";

fn refusal(id: &SourceId, why: &str) -> FollowError {
    FollowError::Account(format!("{id} was not changed: {why}"))
}

/// Divides changed keys into those that the server of an account knows, and the user's own settings.
fn split(
    id: &SourceId,
    account: &str,
    changes: Vec<KeyChange>,
) -> Result<(Vec<CollectedChange>, Vec<KeyChange>), FollowError> {
    let (mut there, mut own) = (Vec::new(), Vec::new());
    for change in changes {
        let key = change.key();
        match (key.as_str(), change.text()) {
            ("title", Some(title)) => there.push(CollectedChange::Title(title)),
            ("title", None) => return Err(refusal(id, NO_TITLE)),
            ("folder", text) => {
                let folder = text.and_then(|folder| folder_on_server(account, &folder));
                there.push(CollectedChange::Folder(folder));
            }
            (key, _) if OwnSettings::KEYS.contains(&key) || key == "retention" => own.push(change),
            _ => {
                let why =
                    format!("the server of the account {account} polls it, so {key} has no effect");
                return Err(refusal(id, &why));
            }
        }
    }
    Ok((there, own))
}

/// The name of a folder on the server. In newsfed, the folder is below one with the name of the account.
fn folder_on_server(account: &str, folder: &str) -> Option<String> {
    let folder = folder.trim_matches('/');
    let below = match folder.strip_prefix(account) {
        Some("") => "",
        Some(rest) => rest.strip_prefix('/').unwrap_or(folder),
        None => folder,
    };
    (!below.is_empty()).then(|| below.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_are_below_the_account() {
        let cases = [
            ("home/News", Some("News")),
            ("home/News/Daily/", Some("News/Daily")),
            ("News", Some("News")),
            ("homework", Some("homework")),
            ("home", None),
            ("", None),
        ];
        for (folder, want) in cases {
            assert_eq!(folder_on_server("home", folder).as_deref(), want, "{folder}");
        }
    }
}
