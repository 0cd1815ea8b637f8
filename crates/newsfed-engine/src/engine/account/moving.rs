//! Moves the user's sources to a server, and back.

use super::ops::{concerns_all, is_refusal, is_same_url};
use super::state::AccountError;
use super::sync::Sync;
use super::{AccountReport, sync_one};
use crate::config::{SourcesFile, export_opml, own_keys};
use crate::engine::edit::blocking;
use crate::engine::follow::FollowError;
use crate::engine::handle::Handle;
use crate::greader::{Dialect, RemoteRequest, Stream, SubscriptionEdit};
use crate::model::{Access, Origin, OwnSettings, Source, SourceFacts, SourceId, SourceKind};
use crate::store::{MovedSource, RemoteFeed};
use crate::util::url::normalise;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

/// A source that a server can poll.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MovingSource {
    pub id: SourceId,
    pub title: String,
    /// The keys of its entry that do not apply while the server polls the source.
    pub dropped: Vec<&'static str>,
}

/// Which sources a server can poll.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct MovePlan {
    pub moving: Vec<MovingSource>,
    /// Sources that stay local, with the reasons.
    pub staying: Vec<(SourceId, String)>,
}

/// The result of moving sources.
#[derive(Debug, Clone, Default)]
pub struct MovedSources {
    pub moved: Vec<SourceId>,
    /// Sources that were not moved, with the reasons.
    pub staying: Vec<(SourceId, String)>,
    /// The synchronisation that links the items to the server's items.
    pub report: Option<AccountReport>,
}

/// Keys of an entry that servers also know.
const KNOWN_KEYS: [&str; 2] = ["title", "folder"];

/// The settings of a moved source that stay in `sources.toml`; `None` if there are none.
fn override_of(source: &Source, account: &str) -> Option<Source> {
    let own = OwnSettings::of(source);
    (own != OwnSettings::default()).then(|| Source {
        tags: own.tags,
        color: own.color,
        full_text: source.full_text,
        account: Some(account.to_owned()),
        ..Source::feed(source.id.clone(), source.url.clone())
    })
}

/// Why a server cannot poll a source; `None` if it can.
fn obstacle(source: &Source) -> Option<&'static str> {
    match source.kind() {
        SourceKind::Feed if !source.enabled => Some("it is disabled"),
        SourceKind::Feed if source.access != Access::default() => {
            Some("the server does not know the source's login, headers or proxy")
        }
        SourceKind::Feed if source.origin != Origin::default() => {
            Some("it is a program, a file or a filtered feed on this computer")
        }
        SourceKind::Feed if source.private => {
            Some("it is private; the server might be unable to reach its host")
        }
        SourceKind::Feed if source.retention.is_some() => {
            Some("it has its own retention, which would not apply")
        }
        SourceKind::Feed => None,
        _ => Some("it is not a feed; only newsfed can read it"),
    }
}

type Local = (Arc<Source>, SourceFacts);

impl Handle {
    async fn local_sources(&self, ids: Option<&[SourceId]>) -> Result<Vec<Local>, FollowError> {
        let wanted = |id: &SourceId| ids.is_none_or(|ids| ids.contains(id));
        let all = self.sources().await?;
        Ok(all.into_iter().filter(|(s, _)| s.account.is_none() && wanted(&s.id)).collect())
    }

    /// Which of these sources, or of all, could be moved to a server. Changes nothing.
    pub async fn plan_move(&self, ids: Option<&[SourceId]>) -> Result<MovePlan, FollowError> {
        let mut plan = MovePlan::default();
        for (source, facts) in self.local_sources(ids).await? {
            let id = source.id.clone();
            if let Some(why) = obstacle(&source) {
                plan.staying.push((id, why.to_owned()));
                continue;
            }
            let mut dropped = own_keys(&source);
            dropped.retain(|key| !KNOWN_KEYS.contains(key) && !OwnSettings::KEYS.contains(key));
            let title = facts.title(&source).to_owned();
            plan.moving.push(MovingSource { id, title, dropped });
        }
        Ok(plan)
    }

    /// Logs in to the server of an account and checks that it is not a different one. Returns its
    /// subscriptions.
    async fn open_sync(&self, account: &str) -> Result<(Sync, Vec<RemoteFeed>), AccountError> {
        let settings = self.account(account).ok_or(AccountError::Unknown)?;
        let (id, url, user) = (settings.id.clone(), settings.url.clone(), settings.user.clone());
        let stored = self.context.store.open_account(id, url, user).await?;
        let mut sync = Sync::new(self.context.clone(), settings, stored, false);
        sync.recognise().await?;
        sync.finish_moves().await?;
        sync.know_sources().await?;
        let feeds = sync.own_subscriptions().await?.feeds;
        Ok((sync, feeds))
    }

    /// Has a server subscribe to sources of the user and poll them instead of newsfed. Their items are kept,
    /// and their marks are sent.
    ///
    /// # Errors
    /// If the account is unknown, the server fails, or the files cannot be written. The move can be repeated.
    pub async fn move_to_account(
        &self,
        account: &str,
        ids: &[SourceId],
    ) -> Result<MovedSources, FollowError> {
        let sources = self.local_sources(Some(ids)).await?;
        let done = {
            let _one_at_a_time = self.context.syncing.lock().await;
            self.move_locked(account, &sources).await?
        };
        let Some(settings) = self.account(account).filter(|_| !done.moved.is_empty()) else {
            return Ok(done);
        };
        let report = Some(sync_one(&self.context, settings, false).await);
        Ok(MovedSources { report, ..done })
    }

    async fn move_locked(
        &self,
        account: &str,
        sources: &[Local],
    ) -> Result<MovedSources, FollowError> {
        let failed = |e: AccountError| FollowError::Account(format!("{account}: {e}"));
        let (mut sync, before) = self.open_sync(account).await.map_err(failed)?;
        let (key, store) = (sync.key(), &self.context.store);
        let known = self.context.read(move |reader| reader.moved_sources(key)).await?;
        // Record the subscriptions before the server receives them.
        let intents = self.intents(sources, &before, &known).await?;
        store.begin_move(key, intents.clone()).await?;
        let mut reasons = HashMap::new();
        sync.subscribe_all(sources, &before, &mut reasons).await.map_err(failed)?;
        let after = sync.subscriptions().await.map_err(failed)?;
        let (moving, staying) = divide(intents, &known, (&before, &after.feeds), &reasons);
        let stay: Vec<i64> = staying.iter().map(|(source, _)| source.source).collect();
        store.clear_moved(stay).await?;
        let staying = staying.into_iter().map(|(source, why)| (source.id, why)).collect();
        if moving.is_empty() {
            return Ok(MovedSources { staying, ..MovedSources::default() });
        }
        // The order of these steps allows each to be completed or undone after an interruption.
        store.begin_move(key, moving.clone()).await?;
        let moved: Vec<SourceId> = moving.iter().map(|source| source.id.clone()).collect();
        let (file, leaving) = (SourcesFile::open(&self.paths), moved.clone());
        let stays = sources.iter().filter(|(source, _)| moved.contains(&source.id));
        let overrides: Vec<Source> =
            stays.filter_map(|(source, _)| override_of(source, account)).collect();
        blocking(move || file.hand_over(&leaving, &overrides)).await?;
        let adopted = moving.into_iter().filter_map(|source| Some((source.source, source.stream?)));
        store.adopt_sources(key, adopted.collect()).await?;
        self.read_again().await;
        // Use the titles and folders that the sources have on the server.
        sync.use_subscriptions(after).await.map_err(failed)?;
        Ok(MovedSources { moved, staying, report: None })
    }

    /// The records of the sources to be moved.
    async fn intents(
        &self,
        sources: &[Local],
        before: &[RemoteFeed],
        known: &[MovedSource],
    ) -> Result<Vec<MovedSource>, FollowError> {
        let (file, mut intents) = (SourcesFile::open(&self.paths), Vec::new());
        for (source, facts) in sources {
            let (entries, id) = (file.clone(), source.id.clone());
            let entry = blocking(move || entries.entry(&id)).await?;
            let is_there = before.iter().any(|f| is_same_url(&f.url, source.url.as_str()));
            // An earlier attempt may have subscribed to the feed.
            let tried = known.iter().any(|m| m.source == facts.key && m.subscribed);
            intents.push(MovedSource {
                source: facts.key,
                id: source.id.clone(),
                url: source.url.to_string(),
                stream: None,
                entry: entry.text().to_owned(),
                subscribed: tried || !is_there,
                collected: false,
            });
        }
        Ok(intents)
    }

    /// Turns sources that were moved to an account back into the user's own, once the server's list shows
    /// that the server has unsubscribed. The server keeps the subscriptions that it had before the move.
    ///
    /// # Errors
    /// As for [`Self::move_to_account`].
    pub async fn move_back(&self, account: &str) -> Result<MovedSources, FollowError> {
        let failed = |e: AccountError| FollowError::Account(format!("{account}: {e}"));
        let settings = self.account(account).ok_or_else(|| failed(AccountError::Unknown))?;
        // Sends the marks and changes that were not sent yet, and applies those of the server.
        sync_one(&self.context, settings, false).await.result.map_err(failed)?;
        let _one_at_a_time = self.context.syncing.lock().await;
        let (mut sync, listed) = self.open_sync(account).await.map_err(failed)?;
        let key = sync.key();
        let moved = self.context.read(move |reader| reader.moved_sources(key)).await?;
        let own = self.local_sources(None).await?;
        let mut done = MovedSources::default();
        let is_free = |source: &MovedSource| {
            !own.iter().any(|(s, facts)| s.id == source.id && facts.key != source.source)
        };
        let (moved, taken): (Vec<_>, Vec<_>) = moved.into_iter().partition(is_free);
        let taken = taken.into_iter().map(|source| {
            (
                source.id,
                "another source now has this id; change the id of that source, or remove it"
                    .to_owned(),
            )
        });
        done.staying.extend(taken);
        let errors = sync.unsubscribe_all(&moved, &listed).await.map_err(failed)?;
        let left = sync.subscriptions().await.map_err(failed)?.feeds;
        let mut back = Vec::new();
        for source in moved {
            if source.subscribed && on_server(&source, &left).is_some() {
                let why = errors.get(&source.source).cloned();
                let why = why.unwrap_or_else(|| "the server is still subscribed to it".to_owned());
                done.staying.push((source.id, why));
            } else {
                back.push(source);
            }
        }
        let collected = back.iter().filter(|source| source.collected).map(|source| source.source);
        self.context.store.release_sources(collected.collect(), self.now()).await?;
        let entries: Vec<(SourceId, String)> =
            back.iter().map(|source| (source.id.clone(), source.entry.clone())).collect();
        let file = SourcesFile::open(&self.paths);
        blocking(move || file.restore(&entries)).await?;
        self.read_again().await;
        let keys: Vec<i64> = back.iter().map(|source| source.source).collect();
        self.context.store.clear_moved(keys).await?;
        done.moved = back.into_iter().map(|source| source.id).collect();
        Ok(done)
    }
}

/// The subscription of a source that was moved.
fn on_server<'a>(source: &MovedSource, list: &'a [RemoteFeed]) -> Option<&'a RemoteFeed> {
    let is_it = |feed: &&RemoteFeed| match &source.stream {
        Some(stream) => feed.stream == *stream,
        None => is_same_url(&feed.url, &source.url),
    };
    list.iter().find(is_it)
}

/// Sources that move, with their names on the server, and sources that stay, with the reasons.
type Divided = (Vec<MovedSource>, Vec<(MovedSource, String)>);

/// Decides which sources the server polls now. Each feed of the server belongs to at most one.
fn divide(
    intents: Vec<MovedSource>,
    known: &[MovedSource],
    (before, after): (&[RemoteFeed], &[RemoteFeed]),
    reasons: &Reasons,
) -> Divided {
    let (mut moving, mut staying) = (Vec::new(), Vec::new());
    let collected = known.iter().filter(|source| source.collected);
    let mut taken: HashMap<String, SourceId> =
        collected.filter_map(|s| Some((s.stream.clone()?, s.id.clone()))).collect();
    for mut source in intents {
        let reason = reasons.get(&source.id);
        let stream = reason.and_then(|r| r.as_ref().ok());
        let is_it = |feed: &&RemoteFeed| {
            is_same_url(&feed.url, &source.url) || Some(&feed.stream) == stream
        };
        let Some(feed) = after.iter().find(is_it) else {
            let why = reason.and_then(|r| r.as_ref().err().cloned());
            let why = why.unwrap_or_else(|| "the server did not subscribe to it".to_owned());
            staying.push((source, why));
            continue;
        };
        if let Some(other) = taken.get(&feed.stream) {
            let why =
                format!("on the server it is the same feed as {other}, which is moved instead");
            staying.push((source, why));
            continue;
        }
        taken.insert(feed.stream.clone(), source.id.clone());
        let tried = known.iter().any(|m| m.source == source.source && m.subscribed);
        source.subscribed = tried || before.iter().all(|old| old.stream != feed.stream);
        source.stream = Some(feed.stream.clone());
        moving.push(source);
    }
    (moving, staying)
}

/// The server's name for each new subscription, or why it was not made.
type Reasons = HashMap<SourceId, Result<String, String>>;

impl Sync {
    /// Completes interrupted moves.
    pub(super) async fn finish_moves(&mut self) -> Result<(), AccountError> {
        let key = self.key();
        let moved = self.context.read(move |reader| reader.moved_sources(key)).await?;
        if moved.iter().all(|source| source.collected) {
            return Ok(());
        }
        if self.context.store.finish_moves(key).await? {
            self.context.renew_collected().await?;
        }
        Ok(())
    }

    /// Has the server unsubscribe from sources that it did not have before. Returns the reasons for refusals
    /// by row key.
    async fn unsubscribe_all(
        &mut self,
        moved: &[MovedSource],
        listed: &[RemoteFeed],
    ) -> Result<HashMap<i64, String>, AccountError> {
        let mut errors = HashMap::new();
        for source in moved.iter().filter(|source| source.subscribed) {
            let feed = on_server(source, listed);
            let Some(of) = feed.and_then(|feed| Stream::parse(&feed.stream)) else { continue };
            let request = |token: &str| RemoteRequest::unsubscribe(token, &of);
            match self.session.send("a change", true, request).await {
                Ok(_) => {}
                Err(e) if concerns_all(&e) => return Err(e),
                // The server may still unsubscribe from the other sources.
                Err(e) => drop(errors.insert(source.source, e.to_string())),
            }
        }
        Ok(errors)
    }

    /// Has the server subscribe to the feeds that it lacks. FreshRSS first gets all of them in one import,
    /// then those that are still missing one by one.
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
        // If several sources have the same feed, only the first one moves.
        let mut urls = HashSet::new();
        missing.retain(|source| urls.insert(normalise(&source.url)));
        if self.dialect() == Dialect::FreshRss && missing.len() > 1 {
            let opml = export_opml(&missing, &HashMap::new(), &[]).text;
            let request = |_: &str| RemoteRequest::import(opml.clone());
            match self.session.send("an import", true, request).await {
                // After a refused import, subscribing one by one may still work.
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
                // After a refusal, the subscription still exists, but with a different title.
                Err(e) if !is_refusal(&e) => return Err(e),
                _ => {}
            }
        }
        Ok(stream)
    }
}
