//! Fetching items with their text.

use super::plan::{self, Lists};
use super::state::AccountError;
use super::storing::{Storing, store_items};
use super::sync::{MAX_PAGES, Sync};
use crate::engine::message::SyncProgress;
use crate::greader::{Contents, PageRequest, RemoteId, RemoteRequest, Stream, StreamEntry};
use crate::store::{Announcement, RemoteItem};
use std::collections::HashSet;

/// Maximum number of identifiers in a request for contents.
pub(super) const BATCH: usize = 250;
/// Number of items on the first page of contents.
const FIRST_PAGE: u32 = 250;

/// The response to one request for items.
pub(super) struct Batch {
    pub(super) items: Vec<StreamEntry>,
    /// Whether the only requested item exceeds the maximum size of a response.
    pub(super) too_large: bool,
}

impl Sync {
    /// Fetches as many of the first items as fit into a response, and removes them from the list. An item
    /// that does not fit alone is skipped.
    pub(super) async fn contents(&mut self, rest: &mut &[RemoteId]) -> Result<Batch, AccountError> {
        loop {
            let (now, later) = rest.split_at(self.batch.min(rest.len()));
            let request = |token: &str| RemoteRequest::contents(token, now);
            match self.session.read::<Contents>("the items", true, request).await {
                Ok((contents, _)) => {
                    *rest = later;
                    return Ok(Batch { items: contents.items, too_large: false });
                }
                Err(e) if e.is_too_large() && now.len() > 1 => self.batch = now.len() / 2,
                Err(e) if e.is_too_large() => {
                    *rest = later;
                    self.skip(now.first()).await?;
                    return Ok(Batch { items: Vec::new(), too_large: true });
                }
                Err(e) => return Err(e),
            }
        }
    }

    /// Skips an item that is too large, and reports it in the status.
    async fn skip(&mut self, item: Option<&RemoteId>) -> Result<(), AccountError> {
        let Some(item) = item else { return Ok(()) };
        let now = self.now();
        self.state.warn(now, format!("item {item} is larger than 32 MiB and was skipped"));
        Ok(self.context.store.skip_remote_items(self.key(), vec![item.clone()]).await?)
    }

    /// Reads the newest items with their text, page by page. The next page is read while the previous one is
    /// stored.
    pub(super) async fn read_pages(&mut self) -> Result<(), AccountError> {
        let mut size = FIRST_PAGE;
        let mut waiting: Option<Contents> = None;
        let history = self.settings.history;
        for _ in 0..MAX_PAGES {
            let rest = history.saturating_sub(self.state.first.fetched);
            if rest == 0 {
                break;
            }
            let most = size.min(u32::try_from(rest).unwrap_or(u32::MAX));
            let before = self.state.first.continuation.clone();
            let page = PageRequest { most, continuation: before.clone(), ..PageRequest::default() };
            self.know_feeds(waiting.as_ref().map(|c| c.items.as_slice())).await?;
            let store = store_items(Storing::of(self), waiting.take());
            let request = |_: &str| RemoteRequest::reading_list(&page);
            let read = self.session.read::<Contents>("the items", false, request);
            let (read, stored) = tokio::join!(read, store);
            self.add(stored?);
            let (count, next) = match read {
                Ok((page, response)) => {
                    size = plan::next_page(size, response.body.len(), response.elapsed);
                    let (count, next) = (page.items.len(), page.continuation.clone());
                    waiting = Some(page);
                    (count, next)
                }
                Err(e) if e.is_too_large() && most > 1 => {
                    size = most / 2;
                    continue;
                }
                Err(e) if e.is_too_large() => {
                    let (ids, next) = self.ids_page(&Stream::ReadingList, &page).await?;
                    self.skip(ids.first()).await?;
                    (ids.len(), next)
                }
                Err(e) => return Err(e),
            };
            self.state.first.fetched += count;
            let ended = next.is_none() || count == 0;
            if !ended && next == before {
                return Err(AccountError::Endless);
            }
            self.state.first.continuation = next;
            if ended {
                break;
            }
        }
        self.state.first.paged = true;
        self.know_feeds(waiting.as_ref().map(|c| c.items.as_slice())).await?;
        let stored = store_items(Storing::of(self), waiting).await?;
        self.add(stored);
        Ok(())
    }

    /// Reads the subscriptions again, once, if an item belongs to an unknown one.
    async fn know_feeds(&mut self, items: Option<&[StreamEntry]>) -> Result<(), AccountError> {
        let known = |item: &StreamEntry| self.feeds.contains_key(&item.origin.stream_id);
        if self.read_feeds || items.is_none_or(|items| items.iter().all(known)) {
            return Ok(());
        }
        self.read_subscriptions().await
    }

    fn add(&mut self, stored: (usize, Vec<Announcement>)) {
        self.done.new += stored.0;
        // The first items of an account are not announced.
        if self.state.first.done {
            self.news.all.extend(stored.1);
        } else {
            let (account, items) = (self.settings.id.clone(), self.done.new);
            let progress = SyncProgress { account, items, total: self.expected };
            self.context.set_sync_progress(Some(progress));
        }
    }

    /// Fetches and stores items, newest first.
    pub(super) async fn fetch(&mut self, ids: &[RemoteId]) -> Result<(), AccountError> {
        let mut rest = ids;
        self.expected = Some(self.done.new + ids.len());
        while !rest.is_empty() {
            let Batch { items, .. } = self.contents(&mut rest).await?;
            self.know_feeds(Some(&items)).await?;
            let contents = Contents { items, ..Contents::default() };
            let stored = store_items(Storing::of(self), Some(contents)).await?;
            self.add(stored);
        }
        Ok(())
    }

    /// Fetches items that are no longer listed as pinned. Items that the server has removed are returned;
    /// they keep their pins here.
    pub(super) async fn look_up_pins(
        &mut self,
        known: &[RemoteItem],
        lists: &Lists,
    ) -> Result<HashSet<RemoteId>, AccountError> {
        let lost = plan::lost_pins(known, lists);
        let (mut gone, mut rest) = (HashSet::new(), lost.as_slice());
        while !rest.is_empty() {
            let before = rest;
            let batch = self.contents(&mut rest).await?;
            // An item that is too large still exists on the server.
            if batch.too_large {
                continue;
            }
            let there: HashSet<RemoteId> =
                batch.items.iter().filter_map(|item| RemoteId::parse(&item.id)).collect();
            let requested = &before[..before.len() - rest.len()];
            gone.extend(requested.iter().filter(|id| !there.contains(id)).cloned());
        }
        if !gone.is_empty() {
            self.done.gone += gone.len();
            self.context.store.set_gone(self.key(), gone.iter().cloned().collect()).await?;
        }
        Ok(gone)
    }
}
