//! One synchronisation: push, lists, arrivals, merge. Each page of items is stored in one transaction with
//! the position reached, so that the next synchronisation continues from there.

use super::feeds::{is_other_server, remote_feeds};
use super::plan::{self, Lists};
use super::session::Session;
use super::state::{AccountError, AccountState};
use crate::config::AccountSettings;
use crate::engine::announce;
use crate::engine::context::Context;
use crate::greader::{Dialect, RemoteId, RemoteRequest, Stream, Subscriptions, UserInfo};
use crate::model::Time;
use crate::store::{Announcement, RemoteFeed, RemoteItem, StoredAccount};
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

/// Maximum number of pages of a list to read.
pub(super) const MAX_PAGES: usize = 1000;
/// One hour, in seconds. Subscriptions are read again after an hour, all identifiers after a day, and
/// arrivals are listed from an hour before the last synchronisation.
pub(super) const HOUR: i64 = 3600;
pub(super) const DAY: i64 = 24 * HOUR;

/// The result of a synchronisation.
#[derive(Debug, Clone, Default, PartialEq, Eq, serde::Serialize)]
pub struct SyncDone {
    /// Number of new items.
    pub new: usize,
    /// Number of marks sent.
    pub sent: usize,
    /// Number of marks received from the server.
    pub received: usize,
    /// Number of items that the server no longer has.
    pub gone: usize,
}

/// The rules' notifications and commands for the items of a synchronisation, carried out when it ends or is
/// interrupted.
pub(super) struct News {
    context: Arc<Context>,
    pub(super) all: Vec<Announcement>,
}

impl Drop for News {
    fn drop(&mut self) {
        announce::begin(&self.context, std::mem::take(&mut self.all));
    }
}

/// A running synchronisation.
pub(super) struct Sync {
    pub(super) context: Arc<Context>,
    pub(super) settings: AccountSettings,
    pub(super) session: Session,
    pub(super) state: AccountState,
    pub(super) done: SyncDone,
    /// Row key and URL of each source, by its name on the server.
    pub(super) feeds: HashMap<String, (i64, String)>,
    /// Row keys of the sources that already had items: only their new items are announced.
    pub(super) filled: Arc<HashSet<i64>>,
    /// The rules' notifications and commands, to be carried out at the end.
    pub(super) news: News,
    /// Whether large changes on the server are accepted.
    pub(super) accept: bool,
    /// Whether this synchronisation has read the subscriptions.
    pub(super) read_feeds: bool,
    /// Number of items in the next request for contents.
    pub(super) batch: usize,
    /// Number of items that will be stored, if known.
    pub(super) expected: Option<usize>,
}

impl Sync {
    pub(super) fn new(
        context: Arc<Context>,
        settings: AccountSettings,
        stored: StoredAccount,
        accept: bool,
    ) -> Self {
        let state = AccountState::read(&stored.state);
        let accept = accept || stored.accept;
        let session = Session::new(context.clone(), settings.clone(), stored);
        let (done, feeds) = (SyncDone::default(), HashMap::new());
        let (read_feeds, batch) = (false, super::fetch::BATCH);
        let (filled, news) = (Arc::default(), News { context: context.clone(), all: Vec::new() });
        Self {
            context,
            settings,
            session,
            state,
            done,
            feeds,
            filled,
            news,
            accept,
            read_feeds,
            batch,
            expected: None,
        }
    }

    pub(super) fn key(&self) -> i64 {
        self.session.stored.key
    }

    pub(super) fn now(&self) -> i64 {
        self.context.clock.now().timestamp()
    }

    pub(super) fn dialect(&self) -> Dialect {
        self.state.dialect.unwrap_or(Dialect::Other)
    }

    /// Synchronises. If the items have been linked to those of a new server, runs a second time to send their
    /// marks.
    pub(super) async fn run(&mut self) -> Result<(), AccountError> {
        if self.session.stored.relink {
            self.state = AccountState { relink: true, ..AccountState::default() };
            self.context.store.begin_relink(self.key(), self.state.json()).await?;
            self.session.stored.relink = false;
        }
        self.state.requested = self.session.stored.requested;
        let relinks = self.state.relink;
        self.once().await?;
        if relinks { self.once().await } else { Ok(()) }
    }

    async fn once(&mut self) -> Result<(), AccountError> {
        if self.state.dialect.is_none() {
            self.recognise().await?;
        }
        let key = self.key();
        self.finish_moves().await?;
        self.know_sources().await?;
        self.filled = Arc::new(self.context.read(move |reader| reader.filled_feeds(key)).await?);
        if self.state.lists_at.is_none_or(|at| (self.now() - at).abs() >= HOUR) {
            self.read_subscriptions().await?;
        }
        let sent = self.push().await?;
        let sent_labels = self.push_labels().await?;
        self.send_ops().await?;
        let began = self.server_time();
        let arrivals = self.arrivals().await?;
        let lists = Lists {
            unread: self.ids(&Stream::ReadingList, true, None, usize::MAX).await?,
            starred: self.ids(&Stream::Starred, false, None, usize::MAX).await?,
        };
        let mut known = self.known(&lists, &arrivals.new, arrivals.all.is_some()).await?;
        self.restore_listed(&mut known, &lists, &arrivals.new).await?;
        if let Some(all) = &arrivals.all {
            self.remove_missing(all, &mut known).await?;
        }
        let ids: HashSet<RemoteId> = known.iter().map(|item| item.remote.clone()).collect();
        let seen = plan::seen(&known, &lists, &sent);
        if plan::is_strange(&known, &lists, &seen) {
            self.check_server().await?;
        }
        if !self.accept {
            let refuse =
                |p: plan::TooManyPins| AccountError::Pins { lost: p.lost, gained: p.gained };
            plan::check_pins(&known, &lists).map_err(refuse)?;
        }
        let pages = !self.state.first.done && self.dialect().pages_contents();
        if pages && !self.state.first.paged {
            self.read_pages().await?;
        }
        let listed = lists.unread.iter().chain(&lists.starred).cloned().chain(arrivals.new);
        let mut unknown = plan::unknown(listed, &ids);
        if pages {
            unknown = self.not_stored(unknown).await?;
        }
        self.fetch(&unknown).await?;
        let gone = self.look_up_pins(&known, &lists).await?;
        let seen: Vec<_> = seen.into_iter().filter(|s| !gone.contains(&s.remote)).collect();
        if !seen.is_empty() {
            self.done.received += self.context.store.merge_marks(key, seen).await?;
        }
        if arrivals.all.is_some() || !self.state.first.done {
            self.state.all_at = Some(self.now());
        }
        self.state.first.done = true;
        self.state.relink = false;
        self.state.since = Some(began);
        self.merge_labels(sent_labels).await
    }

    /// The known items that the lists can change: those that are unread or pinned here or on the server, the
    /// listed ones, and with `all` every item.
    async fn known(
        &self,
        lists: &Lists,
        new: &HashSet<RemoteId>,
        all: bool,
    ) -> Result<Vec<RemoteItem>, AccountError> {
        let key = self.key();
        if all {
            return Ok(self.context.read(move |reader| reader.remote_items(key)).await?);
        }
        let open = self.context.read(move |reader| reader.open_remote_items(key)).await?;
        let ids: HashSet<&RemoteId> = open.iter().map(|item| &item.remote).collect();
        let listed: HashSet<&RemoteId> =
            lists.unread.iter().chain(&lists.starred).chain(new).collect();
        let rest: Vec<RemoteId> =
            listed.into_iter().filter(|id| !ids.contains(*id)).cloned().collect();
        let listed = move |reader: &crate::store::Reader| reader.remote_items_of(key, &rest);
        let listed = self.context.read(listed).await?;
        Ok(open.into_iter().chain(listed).collect())
    }

    /// The identifiers that are still unknown.
    async fn not_stored(&self, ids: Vec<RemoteId>) -> Result<Vec<RemoteId>, AccountError> {
        let (key, wanted) = (self.key(), ids.clone());
        let read = move |reader: &crate::store::Reader| reader.remote_items_of(key, &wanted);
        let stored: HashSet<RemoteId> =
            self.context.read(read).await?.into_iter().map(|item| item.remote).collect();
        Ok(ids.into_iter().filter(|id| !stored.contains(id)).collect())
    }

    /// The server's clock, or else this computer's.
    fn server_time(&self) -> i64 {
        self.session.date.map_or_else(|| self.now(), |date| date.timestamp())
    }

    pub(super) async fn recognise(&mut self) -> Result<(), AccountError> {
        let (_, response): (UserInfo, _) =
            self.session.read("user-info", false, |_| RemoteRequest::user_info()).await?;
        let dialect = Dialect::recognise(&self.settings.url, response.server.as_deref());
        self.state.dialect = Some(dialect);
        Ok(())
    }

    /// The number of sources and the unread count.
    pub(super) async fn survey(&mut self) -> Result<(usize, usize), AccountError> {
        self.recognise().await?;
        let request = |_: &str| RemoteRequest::subscriptions();
        let (list, _): (Subscriptions, _) =
            self.session.read("the subscriptions", false, request).await?;
        let unread = self.ids(&Stream::ReadingList, true, None, usize::MAX).await?;
        Ok((list.subscriptions.len(), unread.len()))
    }

    /// The subscriptions of the server.
    pub(super) async fn subscriptions(&mut self) -> Result<Listed, AccountError> {
        let request = |_: &str| RemoteRequest::subscriptions();
        let (list, _): (Subscriptions, _) =
            self.session.read("the subscriptions", false, request).await?;
        let count = list.subscriptions.len();
        let feeds = remote_feeds(&self.settings.id, self.dialect(), list.subscriptions);
        Ok(Listed { left_out: count - feeds.len(), feeds })
    }

    /// Like [`Self::subscriptions`], but fails if there is now a different server at the account's URL.
    pub(super) async fn own_subscriptions(&mut self) -> Result<Listed, AccountError> {
        let list = self.subscriptions().await?;
        self.check_subscriptions(&list.feeds)?;
        Ok(list)
    }

    fn check_subscriptions(&self, feeds: &[RemoteFeed]) -> Result<(), AccountError> {
        let listed = |feed: &RemoteFeed| (feed.stream.clone(), feed.url.clone());
        let listed: HashMap<String, String> = feeds.iter().map(listed).collect();
        if !self.state.relink && is_other_server(&self.feeds, &listed) {
            return Err(AccountError::OtherServer);
        }
        Ok(())
    }

    /// Loads the stored sources of the account.
    pub(super) async fn know_sources(&mut self) -> Result<(), AccountError> {
        let key = self.key();
        self.feeds = self.context.read(move |reader| reader.remote_feeds(key)).await?;
        Ok(())
    }

    /// Reads the subscriptions from the server and stores them as sources.
    pub(super) async fn read_subscriptions(&mut self) -> Result<(), AccountError> {
        let list = self.own_subscriptions().await?;
        self.use_subscriptions(list).await
    }

    /// Stores subscriptions as sources. The server must have been checked first.
    pub(super) async fn use_subscriptions(&mut self, list: Listed) -> Result<(), AccountError> {
        let (key, now) = (self.key(), self.context.clock.now());
        let Listed { feeds, left_out } = list;
        self.state.left_out = left_out;
        if self.context.store.set_remote_feeds(key, feeds, now).await? {
            self.context.renew_collected().await?;
        }
        self.know_sources().await?;
        self.state.lists_at = Some(self.now());
        self.read_feeds = true;
        Ok(())
    }
}

/// Subscriptions, converted to sources.
pub(super) struct Listed {
    pub(super) feeds: Vec<RemoteFeed>,
    /// Number of subscriptions without a usable URL.
    left_out: usize,
}

/// Converts seconds since the epoch to a time.
pub(super) fn time(seconds: i64) -> Option<Time> {
    Time::from_timestamp(seconds, 0)
}
