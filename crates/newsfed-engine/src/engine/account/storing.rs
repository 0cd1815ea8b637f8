//! Stores a page of items.

use super::convert::{Received, received};
use super::state::AccountError;
use super::sync::Sync;
use crate::engine::context::Context;
use crate::greader::{Contents, Dialect};
use crate::model::Time;
use crate::store::{Announcement, ArrivedItem, prepare};
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

/// The data needed to store a page.
pub(super) struct Storing {
    context: Arc<Context>,
    feeds: HashMap<String, i64>,
    filled: Arc<HashSet<i64>>,
    dialect: Dialect,
    account: i64,
    /// The state that is stored with the page.
    state: String,
    /// Whether this is the first synchronisation.
    first: bool,
    relink: bool,
}

impl Storing {
    pub(super) fn of(sync: &Sync) -> Self {
        let feeds = sync.feeds.iter().map(|(stream, (key, _))| (stream.clone(), *key));
        Self {
            context: sync.context.clone(),
            feeds: feeds.collect(),
            filled: sync.filled.clone(),
            dialect: sync.dialect(),
            account: sync.key(),
            state: sync.state.json(),
            first: !sync.state.first.done,
            relink: sync.state.relink,
        }
    }
}

/// Stores the items of a page, oldest first. Returns the number of new items. Items without a known source,
/// or with nothing to show, are only recorded as known.
pub(super) async fn store_items(
    storing: Storing,
    contents: Option<Contents>,
) -> Result<(usize, Vec<Announcement>), AccountError> {
    let Some(contents) = contents else { return Ok((0, Vec::new())) };
    let hashing = storing.context.store.hashing().await?;
    let now = storing.context.clock.now();
    let (feeds, filled, dialect) = (storing.feeds, storing.filled, storing.dialect);
    // After the first synchronisation, items are recorded as discovered now, because apps that use `newsfed
    // serve` list the items discovered since their last request.
    let first = storing.first;
    let discovered = move |arrived: Option<Time>| arrived.filter(|_| first).unwrap_or(now);
    let convert = move || -> Vec<ArrivedItem> {
        let items = contents.items.iter().rev().filter_map(|entry| received(entry, dialect));
        let arrived = |item: Received| ArrivedItem {
            source: feeds.get(&item.stream).copied(),
            is_first: feeds.get(&item.stream).is_some_and(|source| !filled.contains(source)),
            remote: item.remote,
            marks: item.marks,
            discovered: discovered(item.arrived),
            entry: item.entry.and_then(|entry| prepare(vec![entry], &hashing).pop()),
        };
        items.map(arrived).collect()
    };
    // A few hundred entries are as much work as one large document.
    let items = storing.context.work(convert).await.ok_or(AccountError::Stopped)?;
    let stored = storing
        .context
        .store
        .store_arrived(storing.account, items, storing.relink, storing.state, now)
        .await?;
    Ok((stored.new, stored.announcements))
}
