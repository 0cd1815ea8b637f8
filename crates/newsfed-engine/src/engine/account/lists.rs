//! Lists of identifiers, and what they reveal about the server.

use super::convert::received;
use super::plan;
use super::state::AccountError;
use super::sync::{DAY, HOUR, MAX_PAGES, Sync};
use crate::greader::{ItemRefs, PageRequest, RemoteId, RemoteRequest, Stream};
use crate::store::{Prepared, RemoteItem, prepare};
use crate::util::text;
use std::collections::HashSet;

/// Number of newest identifiers to compare if a server cannot list new arrivals.
const NEWEST: u32 = 1000;

/// Items that a server lists in addition to its unread and starred ones.
pub(super) struct Arrivals {
    /// Items that may have arrived since the last synchronisation.
    pub(super) new: HashSet<RemoteId>,
    /// All items, if they were listed.
    pub(super) all: Option<HashSet<RemoteId>>,
}

impl Sync {
    /// Fails if the server has none of the newest known items, or has different items with their ids.
    pub(super) async fn check_server(&mut self) -> Result<(), AccountError> {
        let key = self.key();
        let newest =
            move |reader: &crate::store::Reader| reader.newest_remote_items(key, plan::SAMPLE);
        let sample = self.context.read(newest).await?;
        if sample.len() < plan::SMALLEST_SAMPLE {
            return Ok(());
        }
        let hashing = self.context.store.hashing().await?;
        let (dialect, mut rest) = (self.dialect(), sample.as_slice());
        while !rest.is_empty() {
            let batch = self.contents(&mut rest).await?;
            let prepared = |entry| -> Option<(RemoteId, Prepared)> {
                let item = received(entry, dialect)?;
                Some((item.remote, prepare(vec![item.entry?], &hashing).pop()?))
            };
            let items: Vec<_> = batch.items.iter().filter_map(prepared).collect();
            let same = move |reader: &crate::store::Reader| reader.same_remote_items(key, &items);
            if batch.too_large || self.context.read(same).await? > 0 {
                return Ok(());
            }
        }
        Err(AccountError::OtherServer)
    }

    /// Items that may have arrived since the last synchronisation. Once a day, all identifiers are listed,
    /// which also shows which items were removed.
    pub(super) async fn arrivals(&mut self) -> Result<Arrivals, AccountError> {
        let list = Stream::ReadingList;
        let (history, some) = (self.settings.history, |new| Arrivals { new, all: None });
        if !self.state.first.done {
            if self.dialect().pages_contents() {
                return Ok(some(HashSet::new()));
            }
            return Ok(some(self.ids(&list, false, None, history).await?));
        }
        if self.state.all_at.is_none_or(|at| (self.now() - at).abs() >= DAY) {
            let all = self.ids_in_order(&list, false, None, usize::MAX).await?;
            let new = all.iter().take(history).cloned().collect();
            return Ok(Arrivals { new, all: Some(all.into_iter().collect()) });
        }
        Ok(some(match self.state.since.filter(|_| self.dialect().knows_arrival()) {
            Some(since) => self.ids(&list, false, Some(since - HOUR), usize::MAX).await?,
            None => self.ids(&list, false, None, NEWEST as usize).await?,
        }))
    }

    /// Records which items were thought to be removed, but are listed by the server again.
    pub(super) async fn restore_listed(
        &mut self,
        known: &mut [RemoteItem],
        lists: &plan::Lists,
        new: &HashSet<RemoteId>,
    ) -> Result<(), AccountError> {
        let is_listed = |id: &RemoteId| {
            lists.unread.contains(id) || lists.starred.contains(id) || new.contains(id)
        };
        let mut back = Vec::new();
        for item in known.iter_mut().filter(|item| item.gone && is_listed(&item.remote)) {
            item.gone = false;
            back.push(item.remote.clone());
        }
        if !back.is_empty() {
            self.context.store.set_present(self.key(), back).await?;
        }
        Ok(())
    }

    /// Records which known items the server no longer has. `all` contains every item on the server.
    pub(super) async fn remove_missing(
        &mut self,
        all: &HashSet<RemoteId>,
        known: &mut [RemoteItem],
    ) -> Result<(), AccountError> {
        let there = known.iter().filter(|item| !item.gone).count();
        let is_missing = |item: &RemoteItem| !item.gone && !all.contains(&item.remote);
        let missing = known.iter().filter(|item| is_missing(item)).count();
        // A server that lists few of the known items is a different server, or has a problem.
        if !self.accept && plan::are_too_many_missing(missing, there) {
            return Err(AccountError::Missing { missing, known: there });
        }
        let mut gone = Vec::new();
        for item in known.iter_mut().filter(|item| is_missing(item)) {
            item.gone = true;
            gone.push(item.remote.clone());
        }
        if !gone.is_empty() {
            self.done.gone += gone.len();
            self.context.store.set_gone(self.key(), gone).await?;
        }
        Ok(())
    }

    pub(super) async fn ids(
        &mut self,
        stream: &Stream,
        unread: bool,
        since: Option<i64>,
        most: usize,
    ) -> Result<HashSet<RemoteId>, AccountError> {
        Ok(self.ids_in_order(stream, unread, since, most).await?.into_iter().collect())
    }

    /// The identifiers of a stream, up to `most`.
    async fn ids_in_order(
        &mut self,
        stream: &Stream,
        unread: bool,
        since: Option<i64>,
        most: usize,
    ) -> Result<Vec<RemoteId>, AccountError> {
        let (mut all, mut continuation) = (Vec::new(), None);
        for _ in 0..MAX_PAGES {
            let rest = u32::try_from(most - all.len()).unwrap_or(u32::MAX);
            let most_here = rest.min(self.dialect().ids_per_page());
            let page =
                PageRequest { most: most_here, unread, since, continuation: continuation.clone() };
            let (ids, next) = self.ids_page(stream, &page).await?;
            all.extend(ids);
            if next.is_none() || all.len() >= most {
                all.truncate(most);
                return Ok(all);
            }
            if next == continuation {
                break;
            }
            continuation = next;
        }
        Err(AccountError::Endless)
    }

    /// A page of a list, and the continuation of the next one.
    pub(super) async fn ids_page(
        &mut self,
        stream: &Stream,
        page: &PageRequest,
    ) -> Result<(Vec<RemoteId>, Option<String>), AccountError> {
        let request = |_: &str| RemoteRequest::ids(stream, page);
        let (refs, _): (ItemRefs, _) = self.session.read("a list of items", false, request).await?;
        let wrong = |id: &str| AccountError::Shape {
            request: "a list of items",
            found: format!("the identifier \"{}\"", text::start(&text::line(id), 60)),
        };
        let read = |item: &crate::greader::ItemRef| {
            RemoteId::parse(&item.id).ok_or_else(|| wrong(&item.id))
        };
        Ok((refs.item_refs.iter().map(read).collect::<Result<_, _>>()?, refs.continuation))
    }
}
