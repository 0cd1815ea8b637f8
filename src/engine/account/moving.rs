//! Moving sources of the user to a server, and back.

use super::ops::{is_refusal, is_same_url};
use super::state::AccountError;
use super::sync::Sync;
use super::{AccountReport, sync_one};
use crate::config::{SourcesFile, export_opml};
use crate::engine::edit::blocking;
use crate::engine::follow::FollowError;
use crate::engine::handle::Handle;
use crate::greader::{Dialect, Request, Stream, SubscriptionEdit};
use crate::model::{Access, Source, SourceFacts, SourceId, SourceKind};
use crate::store::{Adoption, RemoteFeed};
use std::collections::HashMap;
use std::sync::Arc;

/// Which sources a server can collect.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct MovePlan {
    /// Those that move, with their titles.
    pub moving: Vec<(SourceId, String)>,
    /// Those that stay, with the reason.
    pub staying: Vec<(SourceId, String)>,
}

/// What moving sources did.
#[derive(Debug, Clone, Default)]
pub struct Moved {
    pub moved: Vec<SourceId>,
    /// Those that stay, with the reason.
    pub staying: Vec<(SourceId, String)>,
    /// The synchronisation that ties the items.
    pub report: Option<AccountReport>,
}

/// Why a server cannot collect a source.
fn obstacle(source: &Source) -> Option<&'static str> {
    match source.kind() {
        SourceKind::Feed if !source.enabled => Some("it is disabled"),
        SourceKind::Feed if source.access != Access::default() => {
            Some("the server would not have its login, headers or proxy")
        }
        SourceKind::Feed => None,
        _ => Some("it is no feed; only newsfed can read it"),
    }
}

type Local = (Arc<Source>, SourceFacts);

impl Handle {
    async fn local_sources(&self, ids: Option<&[SourceId]>) -> Result<Vec<Local>, FollowError> {
        let wanted = |id: &SourceId| ids.is_none_or(|ids| ids.contains(id));
        let all = self.sources().await?;
        Ok(all.into_iter().filter(|(s, _)| s.account.is_none() && wanted(&s.id)).collect())
    }

    /// Which of these sources, or of all, could be moved to a server; nothing is done.
    pub async fn plan_move(&self, ids: Option<&[SourceId]>) -> Result<MovePlan, FollowError> {
        let mut plan = MovePlan::default();
        for (source, facts) in self.local_sources(ids).await? {
            let id = source.id.clone();
            match obstacle(&source) {
                None => plan.moving.push((id, facts.title(&source).to_owned())),
                Some(why) => plan.staying.push((id, why.to_owned())),
            }
        }
        Ok(plan)
    }

    async fn open_sync(&self, account: &str) -> Result<Sync, AccountError> {
        let settings = self.account(account).ok_or(AccountError::Unknown)?;
        let (id, url, user) = (settings.id.clone(), settings.url.clone(), settings.user.clone());
        let stored = self.context.store.open_account(id, url, user).await?;
        let mut sync = Sync::new(self.context.clone(), settings, stored, false);
        sync.recognise().await?;
        Ok(sync)
    }

    /// Has a server subscribe to sources of the user, which it collects from then on. Their items stay,
    /// and their marks are sent.
    ///
    /// # Errors
    /// If the account is not known, the server fails, or the files cannot be written. It can be repeated.
    pub async fn move_to_account(
        &self,
        account: &str,
        ids: &[SourceId],
    ) -> Result<Moved, FollowError> {
        let failed = |e: AccountError| FollowError::Account(format!("{account}: {e}"));
        let sources = self.local_sources(Some(ids)).await?;
        let mut done = Moved::default();
        {
            let _one_at_a_time = self.context.syncing.lock().await;
            let mut sync = self.open_sync(account).await.map_err(failed)?;
            let mut reasons = HashMap::new();
            let before = sync.subscriptions().await.map_err(failed)?.feeds;
            sync.subscribe_all(&sources, &before, &mut reasons).await.map_err(failed)?;
            let after = sync.subscriptions().await.map_err(failed)?.feeds;
            let file = SourcesFile::open(&self.paths);
            let mut adoptions = Vec::new();
            for (source, facts) in &sources {
                let reason = reasons.get(&source.id);
                let stream = reason.and_then(|r| r.as_ref().ok());
                let is_it = |feed: &&RemoteFeed| {
                    is_same_url(&feed.url, source.url.as_str()) || Some(&feed.stream) == stream
                };
                let Some(feed) = after.iter().find(is_it) else {
                    let why = reason.and_then(|r| r.as_ref().err().cloned());
                    let why =
                        why.unwrap_or_else(|| "the server did not subscribe to it".to_owned());
                    done.staying.push((source.id.clone(), why));
                    continue;
                };
                let (entries, id) = (file.clone(), source.id.clone());
                let entry = blocking(move || entries.entry(&id)).await?;
                adoptions.push(Adoption {
                    source: facts.key,
                    stream: feed.stream.clone(),
                    title: feed.title.clone(),
                    folder: feed.folder.clone(),
                    entry: entry.text().to_owned(),
                    subscribed: before.iter().all(|old| old.stream != feed.stream),
                });
                done.moved.push(source.id.clone());
            }
            if !adoptions.is_empty() {
                self.context.store.adopt_sources(sync.key(), adoptions).await?;
                let moved = done.moved.clone();
                blocking(move || file.remove(&moved)).await?;
                self.read_again().await;
            }
        }
        if let Some(settings) = self.account(account).filter(|_| !done.moved.is_empty()) {
            done.report = Some(sync_one(&self.context, settings, false).await);
        }
        Ok(done)
    }

    /// Makes the sources that were moved to an account sources of the user again. The server keeps
    /// only those that it had before.
    ///
    /// # Errors
    /// As [`Self::move_to_account`].
    pub async fn move_back(&self, account: &str) -> Result<Moved, FollowError> {
        let failed = |e: AccountError| FollowError::Account(format!("{account}: {e}"));
        let _one_at_a_time = self.context.syncing.lock().await;
        let mut sync = self.open_sync(account).await.map_err(failed)?;
        let key = sync.key();
        let moved = self.context.read(move |reader| reader.moved_sources(key)).await?;
        let mut done = Moved::default();
        for source in moved.iter().filter(|source| source.subscribed) {
            let Some(of) = source.stream.as_deref().and_then(Stream::parse) else { continue };
            let request = |token: &str| Request::unsubscribe(token, &of);
            match sync.session.send("a change", true, request).await {
                Ok(_) => {}
                // It is another one's business what the server keeps.
                Err(e) if is_refusal(&e) => done.staying.push((source.id.clone(), e.to_string())),
                Err(e) => return Err(failed(e)),
            }
        }
        let keys: Vec<i64> = moved.iter().map(|source| source.source).collect();
        self.context.store.release_sources(keys.clone(), self.now()).await?;
        let entries: Vec<(SourceId, String)> =
            moved.iter().map(|source| (source.id.clone(), source.entry.clone())).collect();
        let file = SourcesFile::open(&self.paths);
        blocking(move || file.restore(&entries)).await?;
        self.read_again().await;
        self.context.store.forget_moved(keys).await?;
        done.moved = moved.into_iter().map(|source| source.id).collect();
        Ok(done)
    }
}

/// What the server called a new subscription, or why there is none.
type Reasons = HashMap<SourceId, Result<String, String>>;

impl Sync {
    /// Has the server subscribe to feeds that it does not have: FreshRSS to all at once, and one by one
    /// to those that are left.
    async fn subscribe_all(
        &mut self,
        sources: &[Local],
        known: &[RemoteFeed],
        reasons: &mut Reasons,
    ) -> Result<(), AccountError> {
        let lacks = |known: &[RemoteFeed], source: &Source| {
            !known.iter().any(|feed| is_same_url(&feed.url, source.url.as_str()))
        };
        let titled = |(source, facts): &Local| Source {
            title: Some(facts.title(source).to_owned()),
            ..(**source).clone()
        };
        let mut missing: Vec<Source> =
            sources.iter().filter(|(s, _)| lacks(known, s)).map(titled).collect();
        if self.dialect() == Dialect::FreshRss && missing.len() > 1 {
            let opml = export_opml(&missing, &[]).text;
            let request = |_: &str| Request::import(opml.clone());
            match self.session.send("an import", true, request).await {
                // One by one it may work.
                Err(e) if !is_refusal(&e) && !matches!(e, AccountError::Refused) => return Err(e),
                _ => {}
            }
            let now = self.subscriptions().await?.feeds;
            missing.retain(|source| lacks(&now, source));
        }
        for source in missing {
            let result = self.subscribe(&source).await;
            match result {
                Err(e) if !is_refusal(&e) => return Err(e),
                other => reasons.insert(source.id.clone(), other.map_err(|e| e.to_string())),
            };
        }
        Ok(())
    }

    async fn subscribe(&mut self, source: &Source) -> Result<String, AccountError> {
        let stream = self.quick_add(source.url.as_str()).await?;
        if let Some(of) = Stream::parse(&stream) {
            let edit = SubscriptionEdit {
                title: source.title.as_deref(),
                folder: source.folder.as_deref(),
                out_of: None,
            };
            match self.edit_subscription(&of, edit).await {
                // The server has it, under another title.
                Err(e) if !is_refusal(&e) => return Err(e),
                _ => {}
            }
        }
        Ok(stream)
    }
}
