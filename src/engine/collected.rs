//! Changes of sources that servers collect: they are made in the database, and sent with the next
//! synchronisation.

use super::account::AccountError;
use super::follow::FollowError;
use super::handle::Handle;
use crate::config::{FileChange, Section, SourceChange, SourcesFile};
use crate::model::{CollectedChange, Source, SourceId};
use crate::store::AccountOp;
use crate::util::url::normalise;
use url::Url;

/// Changes of sources of accounts.
pub type CollectedChanges = Vec<(SourceId, CollectedChange)>;

/// What of a change applies to sources of accounts, and what is left for the files.
pub(super) type Divided = (Option<FileChange>, CollectedChanges);

impl Handle {
    /// The account that collects a source.
    fn account_of(&self, id: &SourceId) -> Option<String> {
        let declared = self.declared().borrow().clone();
        declared.iter().find(|source| source.id == *id)?.account.clone()
    }

    /// Divides a change of sources.
    pub(super) fn divide(&self, change: FileChange) -> Result<Divided, FollowError> {
        Ok(match change {
            FileChange::Collected(changes) => (None, changes),
            FileChange::Remove(ids) => {
                let (own, local): (Vec<_>, Vec<_>) =
                    ids.into_iter().partition(|id| self.account_of(id).is_some());
                let local = (!local.is_empty()).then_some(FileChange::Remove(local));
                (local, own.into_iter().map(|id| (id, CollectedChange::Remove)).collect())
            }
            FileChange::Sources(changes) => {
                let (mut local, mut own) = (Vec::new(), Vec::new());
                for (id, change) in changes {
                    match self.account_of(&id) {
                        None => local.push((id, change)),
                        Some(account) => {
                            let new = of_source_change(&id, &account, &change)?;
                            own.extend(new.into_iter().map(|new| (id.clone(), new)));
                        }
                    }
                }
                ((!local.is_empty()).then_some(FileChange::Sources(local)), own)
            }
            FileChange::Section { base, changes } => {
                let of = base.source_id().and_then(|id| Some((id.clone(), self.account_of(id)?)));
                let Some((id, account)) = of else {
                    return Ok((Some(FileChange::Section { base, changes }), Vec::new()));
                };
                let texts = changes.iter().map(|change| (change.key(), change.text()));
                let new = changes_of(&id, &account, texts)?;
                (None, new.into_iter().map(|new| (id.clone(), new)).collect())
            }
            other => (Some(other), Vec::new()),
        })
    }

    /// Changes sources of accounts; returns what undoes it.
    pub(super) async fn change_collected(
        &self,
        changes: CollectedChanges,
    ) -> Result<CollectedChanges, FollowError> {
        let undo = self.context.store.change_collected(changes, self.now()).await?;
        self.context.renew_collected().await?;
        Ok(undo)
    }

    /// The entry of a source as the form shows it; that of a source of an account is in no file.
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

    /// Has an account subscribe to the feed at a URL, with the next synchronisation.
    ///
    /// # Errors
    /// If there is no such account, or it has the source already.
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

fn of_source_change(
    id: &SourceId,
    account: &str,
    change: &SourceChange,
) -> Result<Vec<CollectedChange>, FollowError> {
    let texts = change.texts().into_iter().map(|(key, text)| (key.to_owned(), text));
    let tags = change.changes_tags().then(|| ("tags".to_owned(), None));
    changes_of(id, account, texts.chain(tags))
}

/// What keys of an entry with their new texts change on a server.
fn changes_of(
    id: &SourceId,
    account: &str,
    texts: impl Iterator<Item = (String, Option<String>)>,
) -> Result<Vec<CollectedChange>, FollowError> {
    let refuse = |why: &str| FollowError::Account(format!("{id} was not changed: {why}"));
    let change = |(key, text): (String, Option<String>)| match (key.as_str(), text) {
        ("title", Some(title)) => Ok(CollectedChange::Title(title)),
        ("title", None) => Err(refuse("the title of a source of an account cannot be empty")),
        ("folder", text) => {
            let folder = text.and_then(|folder| folder_on_server(account, &folder));
            Ok(CollectedChange::Folder(folder))
        }
        _ => Err(refuse(&format!(
            "the account {account} collects it, so only its title and folder can be changed"
        ))),
    };
    texts.map(change).collect()
}

/// The name on the server of a folder, which is shown below the name of the account.
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
