//! Follows the comments on an item as a separate source.

use super::announce;
use super::follow::{FollowError, may_have_credentials};
use super::handle::{Handle, role_changed};
use super::message::{AutomaticChange, FirstFetch, ProcessRole, Typed};
use crate::config::{FileChange, FileEdit, unique_id};
use crate::model::{Enclosure, Health, Origin, Source, SourceFacts, SourceKind, Time};
use crate::store::{PollFilter, Reader, StoreError};
use crate::util::address::is_private_host;
use crate::util::text;
use crate::util::url::WebAddress;
use chrono::TimeDelta;
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::collections::{BTreeMap, HashSet};
use url::Url;

/// When sources with `remove_after` were first seen (JSON: row keys and seconds).
const SEEN: &str = "removed_later";
/// Sources that were removed because they are gone (JSON: row keys).
const REMOVED: &str = "removed_as_gone";
/// Maximum number of removed sources that are remembered; the oldest are dropped.
const MAX_REMOVED: usize = 1000;
/// Number of consecutive failures after which a page that is not found is considered gone.
const NOT_FOUND: u32 = 3;
/// Delay before the first round, so that the interface is ready to show its messages.
const FIRST: TimeDelta = TimeDelta::minutes(1);
/// Time between two rounds.
const ROUND: TimeDelta = TimeDelta::hours(6);
/// Maximum length of a comment source's title, in terminal cells.
const TITLE: usize = 120;

impl Handle {
    /// The URL of the page with the comments on an item (row key), if the item names one.
    ///
    /// # Errors
    /// If the database cannot be read.
    pub async fn comments_url(&self, item: i64) -> Result<Option<String>, StoreError> {
        let found = self.context.read(move |reader| reader.item(item)).await?;
        Ok(found.and_then(|item| item.comments))
    }

    /// The enclosures of an item (row key).
    ///
    /// # Errors
    /// If the database cannot be read.
    pub async fn enclosures(&self, item: i64) -> Result<Vec<Enclosure>, StoreError> {
        let found = self.context.read(move |reader| reader.item(item)).await?;
        Ok(found.map(|item| item.enclosures).unwrap_or_default())
    }

    /// Adds the comment feed of an item (row key) as a source in the folder of the item's
    /// source, and stores its first poll.
    ///
    /// # Errors
    /// If the item has no such feed, or the feed cannot be read or is already followed. A feed at a private
    /// address is refused, unless it is on the host of the item's source.
    pub async fn follow_comments(&self, item: i64) -> Result<(Source, FileEdit), FollowError> {
        let read = self.context.read(move |reader| Ok((reader.row(item)?, reader.item(item)?)));
        let (Some(row), Some(found)) = read.await? else { return Err(FollowError::NoComments) };
        let url = found.comment_feed.as_deref().and_then(|url| Url::parse(url).ok());
        let url = url.ok_or(FollowError::NoComments)?;
        let parent = self.context.source(row.source_key).ok_or(FollowError::NoComments)?;
        let same_host = url.host() == parent.url.host();
        if is_private_host(&url) && !same_host {
            return Err(FollowError::PrivateComments(url));
        }
        let name = if found.title.is_empty() { url.as_str() } else { &found.title };
        let title = text::truncate(&format!("Comments: {name}"), TITLE).into_owned();
        let mut source = Source {
            title: Some(title),
            folder: parent.folder.clone(),
            private: parent.private && same_host,
            remove_after: self.settings().comments.days,
            ..Source::feed(unique_id(&url, &mut HashSet::new()), url.clone())
        };
        if may_have_credentials(&parent.url, &url) {
            source.access = parent.access.clone();
        }
        // The first poll reads the secrets.
        if source.access.auth.is_some() || !source.access.headers.is_empty() {
            return self.follow_source(source, None).await;
        }
        let url_of_parent = parent.url.clone();
        let web = WebAddress { url: url_of_parent, user: None, password: None, assumed: false };
        let typed = Typed { web, private: parent.private, origin: Origin::default() };
        let first = self.fetch_announced(&url, &typed).await?;
        self.follow_source(source, Some(FirstFetch::Feed(first))).await
    }
}

/// What is known about a source with `remove_after`.
struct Known {
    /// How long ago it was first seen.
    age: TimeDelta,
    /// Whether the user has added it again after it was removed as gone.
    is_back: bool,
    /// When its newest item arrived, or when it was first seen.
    since: Time,
    /// The status of the last poll.
    status: Option<u16>,
    /// Whether the user has pinned or tagged an item of the source, or kept one for later.
    kept: bool,
}

/// Why a source with `remove_after` is removed now; `None` if it stays.
fn why_dead(days: u32, facts: &SourceFacts, known: &Known) -> Option<String> {
    if known.kept {
        return None;
    }
    let not_found = facts.fail_count >= NOT_FOUND && matches!(known.status, Some(404 | 410));
    let days = TimeDelta::days(days.into());
    // A source that was added again gets as much time as one without new items.
    let has_time = known.is_back && known.age < days;
    if facts.health(facts.last_poll?) == Health::Gone || not_found {
        return (!has_time).then(|| "the server reports that the source is gone".to_owned());
    }
    // A source that was not polled may have new items.
    let is_quiet = facts.last_ok? - known.since >= days;
    is_quiet.then(|| format!("nothing new since {}", known.since.format("%Y-%m-%d")))
}

impl Handle {
    /// Removes the sources with `remove_after` that have expired, such as old comment feeds. Their items are
    /// kept for 30 days. A source with items that the user keeps is not removed. Returns the changes made.
    ///
    /// # Errors
    /// If the database or `sources.toml` cannot be used.
    pub async fn drop_dead_sources(&self) -> Result<Vec<AutomaticChange>, FollowError> {
        let (mut ids, mut keys, mut changes) = (Vec::new(), Vec::new(), Vec::new());
        // Usually there are no such sources, so the facts of all sources need not be read.
        if !self.context.declared().borrow().iter().any(|source| source.remove_after.is_some()) {
            return Ok(changes);
        }
        let mut removed: Vec<i64> = self.memo(REMOVED).await?;
        for (source, facts) in self.sources().await? {
            let may_end = source.enabled && source.kind() != SourceKind::List;
            let Some(days) = source.remove_after.filter(|_| may_end) else { continue };
            let (key, now) = (facts.key, self.now());
            let first = self.first_seen(key, now).await?;
            let is_back = removed.contains(&key);
            let read = move |reader: &Reader| {
                let filter = PollFilter { source: Some(key), noteworthy: false };
                let status = reader.polls(filter, 1)?.pop().and_then(|(_, poll)| poll.status);
                Ok(Known {
                    age: now - first,
                    is_back,
                    kept: reader.has_kept(key)?,
                    since: reader.newest_arrival(key)?.max(Some(first)).unwrap_or(first),
                    status,
                })
            };
            let known = self.context.read(read).await?;
            if let Some(why) = why_dead(days, &facts, &known) {
                let title = text::line(facts.title(&source));
                let message = format!("Removed {title}: {why}");
                let label = format!("removal of {title}");
                changes.push(AutomaticChange { message, label, edit: None });
                ids.push(source.id.clone());
                keys.push(key);
            }
        }
        if !ids.is_empty() {
            let count = ids.len();
            let mut edits = self.edit(FileChange::Remove(ids)).await?.edits;
            // All removals are a single change to the file.
            if let Some(last) = changes.last_mut() {
                last.edit = edits.pop();
                if count > 1 {
                    last.label = format!("removal of {count} sources");
                }
            }
            // If a removed source is followed again, its time starts over.
            let mut seen: BTreeMap<i64, i64> = self.memo(SEEN).await?;
            seen.retain(|key, _| !keys.contains(key));
            self.set_memo(SEEN, &seen).await?;
            removed.retain(|key| !keys.contains(key));
            removed.extend(keys);
            removed.drain(..removed.len().saturating_sub(MAX_REMOVED));
            self.set_memo(REMOVED, &removed).await?;
        }
        Ok(changes)
    }

    /// When a source with `remove_after` was first seen. The age of a source without items starts then.
    async fn first_seen(&self, key: i64, now: Time) -> Result<Time, StoreError> {
        let mut seen: BTreeMap<i64, i64> = self.memo(SEEN).await?;
        if let Some(first) = seen.get(&key).and_then(|at| Time::from_timestamp(*at, 0)) {
            return Ok(first.min(now));
        }
        let keys = self.context.keys();
        seen.retain(|key, _| keys.contains(key));
        seen.insert(key, now.timestamp());
        self.set_memo(SEEN, &seen).await?;
        Ok(now)
    }

    /// A value stored in the database, or its default.
    async fn memo<T: DeserializeOwned + Default>(
        &self,
        name: &'static str,
    ) -> Result<T, StoreError> {
        let text = self.context.read(move |reader| reader.memo(name)).await?;
        Ok(text.and_then(|text| serde_json::from_str(&text).ok()).unwrap_or_default())
    }

    async fn set_memo(&self, name: &'static str, value: &impl Serialize) -> Result<(), StoreError> {
        // Serialising integers cannot fail.
        let text = serde_json::to_string(value).unwrap_or_default();
        self.context.store.set_memo(name, text).await
    }
}

/// Runs until the engine stops: removes dead sources while this process is the one that polls.
pub(super) async fn run(handle: Handle) {
    let (mut status, mut pause) = (handle.status(), FIRST);
    loop {
        let follows = status.borrow_and_update().role == ProcessRole::Follows;
        tokio::select! {
            () = handle.stop.cancelled() => return,
            () = role_changed(&mut status, follows) => continue,
            () = handle.context.clock.sleep_until(handle.now() + pause) => pause = ROUND,
        }
        if !follows {
            continue;
        }
        match handle.drop_dead_sources().await {
            Ok(changes) => {
                for change in changes {
                    announce::report(&handle.context, change).await;
                }
            }
            Err(e) => tracing::warn!("sources that are gone were not removed: {e}"),
        }
    }
}
