//! Storing a page of items.

use super::convert::received;
use super::state::{AccountError, AccountState};
use crate::engine::context::Context;
use crate::greader::{Contents, Dialect};
use crate::store::{Announcement, ArrivedItem, prepare};
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

/// What storing a page needs.
pub(super) struct Storing {
    context: Arc<Context>,
    feeds: HashMap<String, i64>,
    filled: Arc<HashSet<i64>>,
    dialect: Dialect,
    account: i64,
    /// What is stored with the page.
    state: String,
    relink: bool,
}

impl Storing {
    pub(super) fn of(
        context: &Arc<Context>,
        feeds: &HashMap<String, (i64, String)>,
        filled: Arc<HashSet<i64>>,
        state: &AccountState,
        account: i64,
    ) -> Self {
        Self {
            context: context.clone(),
            feeds: feeds.iter().map(|(stream, (key, _))| (stream.clone(), *key)).collect(),
            filled,
            dialect: state.dialect.unwrap_or(Dialect::Other),
            account,
            state: state.json(),
            relink: state.relink,
        }
    }
}

/// Stores the items of a page whose sources are known, oldest first; returns the number of new ones.
pub(super) async fn store_items(
    storing: Storing,
    contents: Option<Contents>,
) -> Result<(usize, Vec<Announcement>), AccountError> {
    let Some(contents) = contents else { return Ok((0, Vec::new())) };
    let hashing = storing.context.store.hashing().await?;
    let now = storing.context.clock.now();
    let (feeds, filled, dialect) = (storing.feeds, storing.filled, storing.dialect);
    let convert = move || -> Vec<ArrivedItem> {
        let items = contents.items.iter().rev().filter_map(|entry| received(entry, dialect));
        items
            .filter_map(|item| {
                let source = *feeds.get(&item.stream)?;
                let entry = item.entry.map(|entry| prepare(vec![entry], &hashing));
                Some(ArrivedItem {
                    remote: item.remote,
                    source,
                    is_first: !filled.contains(&source),
                    marks: item.marks,
                    arrived: item.arrived.unwrap_or(now),
                    entry: entry.and_then(|mut entries| entries.pop()),
                })
            })
            .collect()
    };
    // Some hundred entries are as much work as one large document.
    let items = storing.context.work(convert).await.ok_or(AccountError::Stopped)?;
    let stored = storing
        .context
        .store
        .store_arrived(storing.account, items, storing.relink, storing.state, now)
        .await?;
    Ok((stored.new, stored.announcements))
}
