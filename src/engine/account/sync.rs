//! One synchronisation: push, lists, arrivals, merge. Whatever is stored is stored in one transaction
//! with its place, so that the next synchronisation goes on where this one ended.

use super::feeds::{is_other_server, remote_feeds};
use super::plan::{self, Lists, Push};
use super::session::Session;
use super::state::{AccountError, AccountState};
use super::storing::{Storing, store_items};
use crate::config::AccountSettings;
use crate::engine::context::Context;
use crate::greader::{
    Contents, Dialect, ItemRefs, Page, RemoteId, Request, Stream, Subscriptions, UserInfo,
};
use crate::model::Time;
use crate::store::{Announcement, RemoteFeed, RemoteItem, StoredAccount};
use crate::util::text;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

/// Identifiers in a request for contents.
const BATCH: usize = 250;
/// Newest identifiers that are compared where a server cannot list what arrived.
const NEWEST: u32 = 1000;
/// Items of the first page of contents.
const FIRST_PAGE: u32 = 250;
/// Pages of a list that are read at most.
const MOST_PAGES: usize = 1000;
/// Seconds: subscriptions are read again after an hour, all identifiers after a day, and arrivals are
/// listed again from an hour before the last synchronisation.
const HOUR: i64 = 3600;
const DAY: i64 = 24 * HOUR;

/// What a synchronisation did.
#[derive(Debug, Clone, Default, PartialEq, Eq, serde::Serialize)]
pub struct SyncDone {
    /// New items.
    pub new: usize,
    /// Marks that were sent.
    pub sent: usize,
    /// Marks that were taken over from the server.
    pub taken: usize,
    /// Items that the server no longer has.
    pub gone: usize,
    #[serde(skip)]
    pub announcements: Vec<Announcement>,
}

/// A running synchronisation.
pub(super) struct Sync {
    context: Arc<Context>,
    settings: AccountSettings,
    pub(super) session: Session,
    pub(super) state: AccountState,
    pub(super) done: SyncDone,
    /// Row keys of the sources, by their names on the server.
    feeds: HashMap<String, (i64, String)>,
    /// Those that had items before: only of these, others are news.
    filled: Arc<HashSet<i64>>,
    /// Whether many changed pins are taken over.
    accept: bool,
}

impl Sync {
    pub(super) fn new(
        context: Arc<Context>,
        settings: AccountSettings,
        stored: StoredAccount,
        accept: bool,
    ) -> Self {
        let state = AccountState::read(&stored.state);
        let session = Session::new(context.clone(), settings.clone(), stored);
        let (done, feeds) = (SyncDone::default(), HashMap::new());
        let filled = Arc::default();
        Self { context, settings, session, state, done, feeds, filled, accept }
    }

    fn key(&self) -> i64 {
        self.session.stored.key
    }

    fn now(&self) -> i64 {
        self.context.clock.now().timestamp()
    }

    fn dialect(&self) -> Dialect {
        self.state.dialect.unwrap_or(Dialect::Other)
    }

    pub(super) async fn run(&mut self) -> Result<(), AccountError> {
        if self.state.dialect.is_none() {
            self.recognise().await?;
        }
        let key = self.key();
        self.feeds = self.context.read(move |reader| reader.remote_feeds(key)).await?;
        self.filled = Arc::new(self.context.read(move |reader| reader.filled_feeds(key)).await?);
        if self.state.lists_at.is_none_or(|at| (self.now() - at).abs() >= HOUR) {
            self.read_subscriptions().await?;
        }
        let mut known = self.context.read(move |reader| reader.remote_items(key)).await?;
        let sent = self.push(&known).await?;
        let began = self.server_time();
        let arrivals = self.arrivals(&mut known).await?;
        let lists = Lists {
            unread: self.ids(&Stream::ReadingList, true, None, usize::MAX).await?,
            starred: self.ids(&Stream::Starred, false, None, usize::MAX).await?,
        };
        let ids: HashSet<RemoteId> = known.iter().map(|item| item.remote.clone()).collect();
        let seen = plan::seen(&known, &lists, &sent);
        if plan::is_strange(&ids, &lists, seen.len()) {
            self.check_server(&known).await?;
        }
        if !self.accept {
            let refuse =
                |p: plan::TooManyPins| AccountError::Pins { lost: p.lost, gained: p.gained };
            plan::check_pins(&known, &lists).map_err(refuse)?;
        }
        if !self.state.first.done && self.dialect().pages_contents() && !self.state.first.paged {
            self.read_pages().await?;
        }
        let ids = if self.state.first.done { ids } else { self.known_ids().await? };
        let listed = lists.unread.iter().chain(&lists.starred).cloned().chain(arrivals);
        self.fetch(&plan::unknown(listed, &ids)).await?;
        let gone = self.look_up_pins(&known, &lists).await?;
        let seen: Vec<_> = seen.into_iter().filter(|s| !gone.contains(&s.remote)).collect();
        if !seen.is_empty() {
            self.done.taken = self.context.store.merge_marks(key, seen).await?;
        }
        self.state.first.done = true;
        self.state.relink = false;
        self.state.since = Some(began);
        Ok(())
    }

    /// The server's clock, else this computer's.
    fn server_time(&self) -> i64 {
        self.session.date.map_or_else(|| self.now(), |date| date.timestamp())
    }

    async fn recognise(&mut self) -> Result<(), AccountError> {
        let (_, _): (UserInfo, _) =
            self.session.read("user-info", false, |_| Request::user_info()).await?;
        let fresh = self.settings.url.ends_with("/api/greader.php");
        self.state.dialect = Some(if fresh { Dialect::FreshRss } else { Dialect::Other });
        Ok(())
    }

    /// The numbers of sources and of unread items.
    pub(super) async fn survey(&mut self) -> Result<(usize, usize), AccountError> {
        self.recognise().await?;
        let request = |_: &str| Request::subscriptions();
        let (list, _): (Subscriptions, _) =
            self.session.read("the subscriptions", false, request).await?;
        let unread = self.ids(&Stream::ReadingList, true, None, usize::MAX).await?;
        Ok((list.subscriptions.len(), unread.len()))
    }

    async fn known_ids(&self) -> Result<HashSet<RemoteId>, AccountError> {
        let key = self.key();
        let known = self.context.read(move |reader| reader.remote_items(key)).await?;
        Ok(known.into_iter().map(|item| item.remote).collect())
    }

    /// Reads the subscriptions, and stores them as sources.
    async fn read_subscriptions(&mut self) -> Result<(), AccountError> {
        let request = |_: &str| Request::subscriptions();
        let (list, _): (Subscriptions, _) =
            self.session.read("the subscriptions", false, request).await?;
        let (key, now) = (self.key(), self.context.clock.now());
        let feeds = remote_feeds(&self.settings.id, self.dialect(), list.subscriptions);
        let listed = |feed: &RemoteFeed| (feed.stream.clone(), feed.url.clone());
        let listed: HashMap<String, String> = feeds.iter().map(listed).collect();
        if !self.state.relink && is_other_server(&self.feeds, &listed) {
            return Err(AccountError::OtherServer);
        }
        if self.context.store.set_remote_feeds(key, feeds, now).await? {
            self.context.renew_collected().await?;
        }
        self.feeds = self.context.read(move |reader| reader.remote_feeds(key)).await?;
        self.state.lists_at = Some(self.now());
        Ok(())
    }

    /// Sends the marks that wait; returns their items. A success is not believed: the lists that are
    /// read afterwards show what the server has.
    async fn push(&mut self, known: &[RemoteItem]) -> Result<HashSet<RemoteId>, AccountError> {
        let pushes = plan::pushes(known);
        let mut sent = HashSet::new();
        if pushes.is_empty() {
            return Ok(sent);
        }
        // Marks must not reach another server's items.
        self.check_server(known).await?;
        let mut size = plan::FIRST_BATCH;
        for Push { state, to, items } in pushes {
            let mut rest = items.as_slice();
            while !rest.is_empty() {
                let (now, later) = rest.split_at(size.min(rest.len()));
                let request = |token: &str| Request::mark(token, &state, to, now);
                let response = self.session.send("a mark", true, request).await?;
                size = plan::next_batch(size, response.elapsed);
                self.done.sent += now.len();
                sent.extend(now.iter().cloned());
                rest = later;
            }
        }
        Ok(sent)
    }

    /// Fails if the server has none of the newest known items.
    async fn check_server(&mut self, known: &[RemoteItem]) -> Result<(), AccountError> {
        let Some(sample) = plan::sample(known) else { return Ok(()) };
        let found = self.contents(&sample).await?;
        let ids: HashSet<RemoteId> =
            found.items.iter().filter_map(|item| RemoteId::parse(&item.id)).collect();
        match sample.iter().any(|id| ids.contains(id)) {
            true => Ok(()),
            false => Err(AccountError::OtherServer),
        }
    }

    /// What may have arrived since the last synchronisation: once a day all identifiers, which also
    /// shows what was removed.
    async fn arrivals(
        &mut self,
        known: &mut [RemoteItem],
    ) -> Result<HashSet<RemoteId>, AccountError> {
        let list = Stream::ReadingList;
        if !self.state.first.done {
            if self.dialect().pages_contents() {
                return Ok(HashSet::new());
            }
            self.state.all_at = Some(self.now());
            let history = self.settings.history;
            return self.ids(&list, false, None, history).await;
        }
        if self.state.all_at.is_none_or(|at| (self.now() - at).abs() >= DAY) {
            let all = self.ids_in_order(&list, false, None, usize::MAX).await?;
            self.state.all_at = Some(self.now());
            self.remove_missing(&all, known).await?;
            return Ok(all.into_iter().take(self.settings.history).collect());
        }
        match self.state.since.filter(|_| self.dialect().knows_arrival()) {
            Some(since) => self.ids(&list, false, Some(since - HOUR), usize::MAX).await,
            None => self.ids(&list, false, None, NEWEST as usize).await,
        }
    }

    /// Records which known items a server no longer has, knowing all that it has.
    async fn remove_missing(
        &mut self,
        all: &[RemoteId],
        known: &mut [RemoteItem],
    ) -> Result<(), AccountError> {
        let there: HashSet<&RemoteId> = all.iter().collect();
        // A server that has nothing of what is known is another one, or fails.
        if !known.iter().any(|item| there.contains(&item.remote)) {
            return Ok(());
        }
        let missing = known.iter_mut().filter(|i| !i.gone && !there.contains(&i.remote));
        let mark = |item: &mut RemoteItem| {
            item.gone = true;
            item.remote.clone()
        };
        let gone: Vec<RemoteId> = missing.map(mark).collect();
        if !gone.is_empty() {
            self.done.gone += gone.len();
            self.context.store.set_gone(self.key(), gone).await?;
        }
        Ok(())
    }

    async fn ids(
        &mut self,
        stream: &Stream,
        unread: bool,
        since: Option<i64>,
        most: usize,
    ) -> Result<HashSet<RemoteId>, AccountError> {
        Ok(self.ids_in_order(stream, unread, since, most).await?.into_iter().collect())
    }

    /// The identifiers of a stream, to its end or to `most`.
    async fn ids_in_order(
        &mut self,
        stream: &Stream,
        unread: bool,
        since: Option<i64>,
        most: usize,
    ) -> Result<Vec<RemoteId>, AccountError> {
        let (mut all, mut continuation) = (Vec::new(), None);
        for _ in 0..MOST_PAGES {
            let rest = u32::try_from(most - all.len()).unwrap_or(u32::MAX);
            let most_here = rest.min(self.dialect().ids_per_page());
            let page = Page { most: most_here, unread, since, continuation: continuation.clone() };
            let request = |_: &str| Request::ids(stream, &page);
            let (refs, _): (ItemRefs, _) =
                self.session.read("a list of items", false, request).await?;
            let wrong = |id: &str| AccountError::Shape {
                request: "a list of items",
                found: format!("the identifier \"{}\"", text::start(&text::line(id), 60)),
            };
            for item in &refs.item_refs {
                all.push(RemoteId::parse(&item.id).ok_or_else(|| wrong(&item.id))?);
            }
            if refs.continuation.is_none() || all.len() >= most {
                all.truncate(most);
                return Ok(all);
            }
            if refs.continuation == continuation {
                break;
            }
            continuation = refs.continuation;
        }
        Err(AccountError::Endless)
    }

    async fn contents(&mut self, ids: &[RemoteId]) -> Result<Contents, AccountError> {
        let request = |token: &str| Request::contents(token, ids);
        Ok(self.session.read("items", true, request).await?.0)
    }

    /// The newest items page by page, with their texts. While a page is stored, the next one is read.
    async fn read_pages(&mut self) -> Result<(), AccountError> {
        let mut size = FIRST_PAGE;
        let mut waiting: Option<Contents> = None;
        let history = self.settings.history;
        for _ in 0..MOST_PAGES {
            let rest = history.saturating_sub(self.state.first.fetched);
            let before = self.state.first.continuation.clone();
            let fetched = if rest == 0 {
                None
            } else {
                let most = size.min(u32::try_from(rest).unwrap_or(u32::MAX));
                let page = Page { most, continuation: before.clone(), ..Page::default() };
                let request = |_: &str| Request::reading_list(&page);
                let store = store_items(self.storing(), waiting.take());
                let read = self.session.read::<Contents>("items", false, request);
                let (read, stored) = tokio::join!(read, store);
                self.add(stored?);
                Some(read?)
            };
            let Some((page, response)) = fetched else { break };
            size = plan::next_page(size, response.body.len(), response.elapsed);
            self.state.first.fetched += page.items.len();
            let next = page.continuation.clone();
            let ended = next.is_none() || page.items.is_empty();
            if !ended && next == before {
                return Err(AccountError::Endless);
            }
            self.state.first.continuation = next;
            waiting = Some(page);
            if ended {
                break;
            }
        }
        self.state.first.paged = true;
        self.state.all_at = Some(self.now());
        let stored = store_items(self.storing(), waiting).await?;
        self.add(stored);
        Ok(())
    }

    fn storing(&self) -> Storing {
        Storing::of(&self.context, &self.feeds, self.filled.clone(), &self.state, self.key())
    }

    fn add(&mut self, stored: (usize, Vec<Announcement>)) {
        self.done.new += stored.0;
        // The first items of an account are nothing new.
        if self.state.first.done {
            self.done.announcements.extend(stored.1);
        }
    }

    /// Fetches and stores items, newest first.
    async fn fetch(&mut self, ids: &[RemoteId]) -> Result<(), AccountError> {
        for batch in ids.chunks(BATCH) {
            let contents = self.contents(batch).await?;
            let known =
                |item: &crate::greader::Entry| self.feeds.contains_key(&item.origin.stream_id);
            if !contents.items.iter().all(known) && self.state.lists_at != Some(self.now()) {
                self.read_subscriptions().await?;
            }
            let stored = store_items(self.storing(), Some(contents)).await?;
            self.add(stored);
        }
        Ok(())
    }

    /// Fetches items that are no longer listed as pinned: those that the server has removed stay here
    /// with their pins. Returns these.
    async fn look_up_pins(
        &mut self,
        known: &[RemoteItem],
        lists: &Lists,
    ) -> Result<HashSet<RemoteId>, AccountError> {
        let lost = plan::lost_pins(known, lists);
        let mut gone = HashSet::new();
        for batch in lost.chunks(BATCH) {
            let found = self.contents(batch).await?;
            let there: HashSet<RemoteId> =
                found.items.iter().filter_map(|item| RemoteId::parse(&item.id)).collect();
            gone.extend(batch.iter().filter(|id| !there.contains(id)).cloned());
        }
        if !gone.is_empty() {
            self.done.gone += gone.len();
            self.context.store.set_gone(self.key(), gone.iter().cloned().collect()).await?;
        }
        Ok(gone)
    }
}

/// Seconds since the epoch as a time.
pub(super) fn time(seconds: i64) -> Option<Time> {
    Time::from_timestamp(seconds, 0)
}
