//! Changes to the sources, if the settings allow them.

use super::Api;
use super::call::{Edit, SubscriptionAction};
use super::refusal::Refusal;
use crate::config::{self, FileChange, SourceChange, export_opml};
use crate::engine::FollowError;
use crate::greader::QuickAdd;
use crate::model::{Source, SourceId};

impl From<FollowError> for Refusal {
    fn from(error: FollowError) -> Self {
        match error {
            FollowError::Store(error) => error.into(),
            other => Self::Bad(other.to_string()),
        }
    }
}

impl Api {
    /// Checks whether apps may change the sources.
    pub(super) fn check_edit(&self) -> Result<(), Refusal> {
        if self.handle.settings().serve.edit {
            return Ok(());
        }
        let why = "subscriptions cannot be changed here; set edit = true in [serve] of config.toml";
        Err(Refusal::Forbidden(why.to_owned()))
    }

    pub(super) async fn edit_files(&self, change: FileChange) -> Result<(), Refusal> {
        self.handle.edit(change).await?;
        Ok(())
    }

    pub(super) async fn edit_subscriptions(&self, edit: Edit) -> Result<(), Refusal> {
        self.check_edit()?;
        if edit.action == SubscriptionAction::Subscribe {
            for address in &edit.feeds {
                let (title, folder) = (edit.title.clone(), edit.folder.clone());
                let (id, is_new) = self.follow(address, title, folder).await?;
                if !is_new {
                    return Err(Refusal::Bad(FollowError::Known(id).to_string()));
                }
            }
            return Ok(());
        }
        let feeds = edit.feeds.clone();
        let find = move |_: &crate::store::Reader, directory: &super::directory::Directory| {
            let find = |name: &String| match directory.find(name) {
                Some(feed) => Ok((feed.source.id.clone(), feed.source.folder.clone())),
                None => Err(Refusal::Bad(format!("there is no subscription feed/{name}"))),
            };
            feeds.iter().map(find).collect::<Result<Vec<_>, _>>()
        };
        let sources = self.with_directory(find).await?;
        if edit.action == SubscriptionAction::Unsubscribe {
            let ids = sources.into_iter().map(|(id, _)| id).collect();
            return self.edit_files(FileChange::Remove(ids)).await;
        }
        self.change(sources, &edit).await
    }

    /// Renames and moves sources. Each is given with its current folder.
    async fn change(
        &self,
        sources: Vec<(SourceId, Option<String>)>,
        edit: &Edit,
    ) -> Result<(), Refusal> {
        let mut each = Vec::new();
        for (id, folder) in sources {
            let mut change = SourceChange::default();
            if let Some(title) = &edit.title {
                SourceChange::check("title", title).map_err(Refusal::Bad)?;
                change = change.set("title", title);
            }
            let out = edit.out_of.is_some() && edit.out_of == folder;
            let to = edit.folder.clone().or(out.then(String::new));
            if let Some(folder) = &to {
                SourceChange::check("folder", folder).map_err(Refusal::Bad)?;
                change = change.set("folder", folder);
            }
            if change == SourceChange::default() {
                let why = "nothing to change: expected t (a title), or a or r (folders)";
                return Err(Refusal::Bad(why.to_owned()));
            }
            each.push((id, change));
        }
        self.edit_files(FileChange::Sources(each)).await
    }

    /// Follows a URL in the best way that is found. Returns the source and whether it is new.
    async fn follow(
        &self,
        address: &str,
        title: Option<String>,
        folder: Option<String>,
    ) -> Result<(SourceId, bool), Refusal> {
        for (key, value) in [("title", &title), ("folder", &folder)] {
            if let Some(value) = value {
                SourceChange::check(key, value).map_err(Refusal::Bad)?;
            }
        }
        let discovery = self.handle.discover(address).await?;
        let Some(way) = discovery.ways.iter().position(|way| !way.is_last_resort()) else {
            let why = discovery.attempts().join("; ");
            return Err(Refusal::Bad(format!("nothing to follow at {}: {why}", discovery.address)));
        };
        match self.handle.follow(discovery, way, title, folder).await {
            Ok((source, _)) => Ok((source.id, true)),
            Err(FollowError::Known(id)) => Ok((id, false)),
            Err(error) => Err(error.into()),
        }
    }

    /// Follows a URL in the best way that is found.
    pub(super) async fn quick_add(&self, query: String) -> Result<QuickAdd, Refusal> {
        self.check_edit()?;
        // Some apps send the URL as a stream.
        let address = query.strip_prefix("feed/").unwrap_or(&query);
        let id = match self.follow(address, None, None).await {
            Ok((id, _)) => id,
            Err(Refusal::Bad(error)) => {
                return Ok(QuickAdd { query, error, ..QuickAdd::default() });
            }
            Err(other) => return Err(other),
        };
        let find = move |_: &crate::store::Reader, directory: &super::directory::Directory| {
            let feed = directory.feeds.iter().find(|feed| feed.source.id == id);
            Ok(feed.map(|feed| (feed.id(), feed.title().to_owned())))
        };
        let (stream_id, stream_name) = self.with_directory(find).await?.unwrap_or_default();
        Ok(QuickAdd { num_results: 1, query, stream_id, stream_name, error: String::new() })
    }

    /// The sources as OPML, without secrets.
    pub(super) async fn export(&self) -> Result<String, Refusal> {
        let declared = self.handle.declared().borrow().clone();
        let sources: Vec<Source> = declared.iter().map(|source| Source::clone(source)).collect();
        let titles = |_: &crate::store::Reader, directory: &super::directory::Directory| {
            let feeds = directory.feeds.iter();
            Ok(feeds.map(|feed| (feed.source.id.clone(), feed.title().to_owned())).collect())
        };
        Ok(export_opml(&sources, &self.with_directory(titles).await?, &[]).text)
    }

    /// Follows the sources of an OPML document. Private addresses are skipped, as in `newsfed import`.
    pub(super) async fn import(&self, list: Vec<u8>) -> Result<String, Refusal> {
        self.check_edit()?;
        let mut import = match config::import(&list, "the request") {
            Ok(import) => import,
            Err(error) => return Err(Refusal::Bad(error.to_string())),
        };
        let declared = self.handle.declared().borrow().clone();
        let known = import.known(declared.iter().map(|source| &**source));
        import.skip_private(&known, "`newsfed import --private` imports it");
        let (added, _) = self.handle.declare(import.sources).await?;
        let (new, skipped) = (added.sources.len(), import.skipped.len());
        let why = import.skipped.first().map(|(_, why)| why.as_str()).unwrap_or_default();
        if new + added.already.len() == 0 {
            return Err(Refusal::Bad(format!("nothing was added; {skipped} skipped: {why}")));
        }
        Ok(match skipped {
            0 => "OK".to_owned(),
            n => format!("OK: {new} added, {n} skipped: {why}"),
        })
    }
}
