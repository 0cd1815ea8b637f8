//! Accounts: the client of the Google Reader API. It sends the differences between the local marks and those
//! last seen on the server; see `store/account.rs`.

mod commands;
mod convert;
mod feeds;
mod fetch;
mod labels;
mod lists;
mod moving;
mod ops;
mod plan;
mod push;
mod session;
mod state;
mod status;
mod storing;
mod sync;

use super::context::Context;
use super::handle::{Handle, role_changed};
use super::message::{AccountNote, ProcessRole};
use super::rules;
use crate::config::AccountSettings;
use crate::model::Time;
use crate::store::{StoreError, StoredAccount};
pub use moving::{MovePlan, MovedSources, MovingSource};
pub use state::AccountError;
use state::AccountState;
pub(super) use status::account_polling;
pub use status::{AccountPolling, AccountStatus};
use std::sync::Arc;
use std::time::{Duration, Instant};
pub use sync::SyncDone;
use sync::{Sync, time};

/// Which accounts to synchronise.
#[derive(Debug, Clone, Copy)]
pub enum WhichAccounts<'a> {
    All,
    /// Accounts that are due.
    Due,
    Named(&'a [String]),
}

/// The result of a synchronisation.
#[derive(Debug, Clone)]
pub struct AccountReport {
    /// The name of the account.
    pub account: String,
    pub result: Result<SyncDone, AccountError>,
    pub requests: u32,
    pub millis: u64,
}

/// A server that accepts the login.
#[derive(Debug, Clone)]
pub struct AccountProbe {
    /// The settings, with the URL where the API was found.
    pub settings: AccountSettings,
    pub server: &'static str,
    pub sources: usize,
    pub unread: usize,
    /// Maximum number of ids in one response.
    pub ids_per_page: u32,
    /// Whether the server can list the items that arrived since a given time.
    pub lists_arrivals: bool,
    /// Number of seconds that the server's clock is ahead; `None` without a `Date` header.
    pub clock_ahead: Option<i64>,
}

/// Synchronises one account now.
async fn sync_one(
    context: &Arc<Context>,
    settings: AccountSettings,
    accept: bool,
) -> AccountReport {
    let _one_at_a_time = context.syncing.lock().await;
    let (account, began) = (settings.id.clone(), Instant::now());
    let report = |result, requests| {
        let millis = u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX);
        AccountReport { account: account.clone(), result, requests, millis }
    };
    let (id, url, user) = (settings.id.clone(), settings.url.clone(), settings.user.clone());
    let stored = match context.store.open_account(id, url, user).await {
        Ok(stored) => stored,
        Err(e) => return report(Err(e.into()), 0),
    };
    let (interval, key) = (settings.interval, stored.key);
    let mut sync = Sync::new(context.clone(), settings, stored, accept);
    let began = context.clock.now();
    let result = sync.run().await;
    context.set_sync_progress(None);
    let now = context.clock.now();
    let labels = sync.dialect().has_labels();
    let Sync { mut state, mut session, done, accept, news, .. } = sync;
    let report = report(result.map(|()| done), session.requests);
    state.last_try = Some(began.timestamp());
    (state.requests, state.millis) = (report.requests, report.millis);
    match &report.result {
        Ok(_) => state.succeeded(now, interval),
        Err(e) => {
            tracing::warn!(account = %report.account, "synchronising failed: {e}");
            if matches!(e, AccountError::OtherServer) {
                // The next synchronisation first checks the server again.
                state.lists_at = None;
            }
            state.failed(e, now);
        }
    }
    state.end_warnings(now.timestamp());
    session.stored.state = state.json();
    let accepted = accept && report.result.is_ok();
    if let Err(e) = context.store.save_account(session.stored, accepted).await {
        tracing::error!(account = %report.account, "cannot store the state: {e}");
    }
    let problem = report.result.as_ref().err().map(ToString::to_string);
    let waiting = match &problem {
        Some(_) => context.read(move |r| r.waiting_marks(key, plan::MAX_TRIES, labels)).await,
        None => Ok((0, 0)),
    };
    let waiting = waiting.map_or(0, |(waiting, _)| waiting);
    context.note_account(AccountNote {
        account: report.account.clone(),
        at: now,
        problem,
        waiting,
    });
    drop(news);
    report
}

/// Interval between two checks of a synchronisation's progress.
const PROGRESS: Duration = Duration::from_millis(300);

/// Synchronises one account now; the status shows the progress of a first synchronisation.
async fn sync_shown(handle: &Handle, settings: AccountSettings, accept: bool) -> AccountReport {
    let context = &handle.context;
    let mut work = std::pin::pin!(sync_one(context, settings, accept));
    let mut shown = None;
    loop {
        tokio::select! {
            report = &mut work => return report,
            () = tokio::time::sleep(PROGRESS) => {
                let progress = context.sync_progress();
                if progress != shown {
                    shown = progress;
                    // Publish the status.
                    handle.replan().await;
                }
            }
        }
    }
}

/// Runs until the engine stops. Synchronises the accounts that are due while this process is the one that
/// polls. Stopping does not wait for a synchronisation, because everything is stored together with the
/// position reached.
pub(super) async fn run(handle: Handle) {
    let work = async {
        let mut settings = handle.reloaded_settings();
        let mut status = handle.status();
        let mut revision = handle.store().revision();
        loop {
            let follows = status.borrow_and_update().role == ProcessRole::Follows;
            revision.borrow_and_update();
            let wake = if follows { sync_due(&handle).await } else { None };
            let clock = handle.context.clock.clone();
            let alarm = async {
                match wake {
                    Some(at) => clock.sleep_until(at).await,
                    None => std::future::pending().await,
                }
            };
            tokio::select! {
                () = alarm => {}
                _ = settings.changed() => {}
                () = role_changed(&mut status, follows) => {}
                // Another process may have logged in or requested a synchronisation.
                _ = revision.changed(), if follows => {}
            }
        }
    };
    tokio::select! {
        () = handle.stop.cancelled() => {}
        () = work => {}
    }
}

/// Synchronises the accounts that are due. Returns when the next one is due.
async fn sync_due(handle: &Handle) -> Option<Time> {
    let context = &handle.context;
    let accounts = context.settings().accounts.clone();
    if accounts.is_empty() {
        return None;
    }
    for account in accounts {
        if due_at(context, &account).await.is_some_and(|at| at <= context.clock.now()) {
            sync_shown(handle, account, false).await;
            // Publish the status.
            handle.replan().await;
        }
    }
    let mut wake = None;
    for account in &context.settings().accounts {
        let at = due_at(context, account).await;
        wake = wake.into_iter().chain(at).min();
    }
    wake
}

/// When an account is due; `None` if it needs the user's help.
async fn due_at(context: &Arc<Context>, account: &AccountSettings) -> Option<Time> {
    let stored = context.read(|reader| reader.accounts()).await.unwrap_or_default();
    let known =
        |s: &StoredAccount| s.id == account.id && s.url == account.url && s.user == account.user;
    let Some(stored) = stored.into_iter().find(known) else { return Some(context.clock.now()) };
    let state = AccountState::read(&stored.state);
    if stored.requested != state.requested {
        return Some(context.clock.now());
    }
    if state.stopped {
        return None;
    }
    let next = state.next.and_then(time).unwrap_or_else(|| context.clock.now());
    // A clock that was set back must not block the synchronisation.
    let latest = context.clock.now() + chrono::TimeDelta::days(1);
    Some(if next > latest { context.clock.now() } else { next })
}

impl Context {
    /// Applies the sources of accounts as currently stored.
    pub(super) async fn renew_collected(self: &Arc<Self>) -> Result<(), StoreError> {
        let facts = self.read(|reader| reader.sources()).await?;
        let declared = self.declared().borrow().clone();
        let (old, local): (Vec<_>, Vec<_>) =
            declared.iter().map(|s| (**s).clone()).partition(|s| s.account.is_some());
        let mut new: Vec<_> = facts.iter().filter_map(|f| f.collected_source()).collect();
        new.sort_by(|a, b| a.id.cmp(&b.id));
        if new != old {
            self.set_sources(local, &facts);
            rules::renew(self).await;
        }
        Ok(())
    }
}
