//! Accounts: the client of the Google Reader API. The difference between the marks here and those last
//! seen on the server is what is sent; see `store/account.rs`.

mod convert;
mod feeds;
mod plan;
mod session;
mod state;
mod storing;
mod sync;

use super::announce;
use super::context::Context;
use super::handle::Handle;
use super::message::{AccountNote, Role};
use super::rules;
use crate::config::AccountSettings;
use crate::greader::Dialect;
use crate::model::Time;
use crate::store::{StoreError, StoredAccount};
pub use state::AccountError;
use state::AccountState;
use std::sync::Arc;
use std::time::Instant;
pub use sync::SyncDone;
use sync::{Sync, time};

/// Which accounts are synchronised.
#[derive(Debug, Clone, Copy)]
pub enum WhichAccounts<'a> {
    All,
    /// Those whose time has come.
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
    /// With the URL at which the API was found.
    pub settings: AccountSettings,
    pub server: &'static str,
    pub sources: usize,
    pub unread: usize,
}

/// What is known of an account.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct AccountStatus {
    pub id: String,
    pub url: String,
    pub user: String,
    /// What the server is; `None` before the first synchronisation.
    pub server: Option<&'static str>,
    pub sources: usize,
    pub items: u64,
    pub unread: u64,
    /// Items whose marks wait to be sent.
    pub waiting: usize,
    /// Items whose marks the server did not take.
    pub refused: usize,
    /// Whether the first synchronisation is complete.
    pub complete: bool,
    pub last_sync: Option<Time>,
    pub next_sync: Option<Time>,
    /// Requests and milliseconds of the last synchronisation.
    pub requests: u32,
    pub millis: u64,
    /// Why the last synchronisation failed.
    pub problem: Option<String>,
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
    let interval = settings.interval;
    let mut sync = Sync::new(context.clone(), settings, stored, accept);
    let began = context.clock.now();
    let result = sync.run().await;
    let now = context.clock.now();
    let Sync { mut state, mut session, mut done, .. } = sync;
    let report = report(result.map(|()| done.clone()), session.requests);
    state.last_try = Some(began.timestamp());
    (state.requests, state.millis) = (report.requests, report.millis);
    match &report.result {
        Ok(_) => state.succeeded(now, interval),
        Err(e) => {
            tracing::warn!(account = %report.account, "synchronising failed: {e}");
            if matches!(e, AccountError::OtherServer) {
                // It is compared again before anything else.
                state.lists_at = None;
            }
            state.failed(e, now);
        }
    }
    session.stored.state = state.json();
    if let Err(e) = context.store.save_account(session.stored).await {
        tracing::error!(account = %report.account, "cannot store the state: {e}");
    }
    let problem = report.result.as_ref().err().map(ToString::to_string);
    context.note_account(AccountNote { account: report.account.clone(), at: now, problem });
    announce::begin(context, std::mem::take(&mut done.announcements));
    report
}

/// Runs until the engine stops: synchronises the accounts that are due while this process is the one
/// that polls.
pub(super) async fn run(handle: Handle) {
    let mut settings = handle.reloaded_settings();
    let mut status = handle.status();
    loop {
        let follows = status.borrow_and_update().role == Role::Follows;
        let wake = if follows { sync_due(&handle).await } else { None };
        let clock = handle.context.clock.clone();
        let alarm = async {
            match wake {
                Some(at) => clock.sleep_until(at).await,
                None => std::future::pending().await,
            }
        };
        let role_changed = async {
            while status.changed().await.is_ok() {
                if (status.borrow().role == Role::Follows) != follows {
                    return;
                }
            }
            std::future::pending().await
        };
        tokio::select! {
            () = handle.stop.cancelled() => return,
            () = alarm => {}
            _ = settings.changed() => {}
            () = role_changed => {}
        }
    }
}

/// Synchronises what is due; returns when the next account is.
async fn sync_due(handle: &Handle) -> Option<Time> {
    let context = &handle.context;
    let accounts = context.settings().accounts.clone();
    if accounts.is_empty() {
        return None;
    }
    for account in accounts {
        if due_at(context, &account).await.is_some_and(|at| at <= context.clock.now()) {
            sync_one(context, account, false).await;
            // Publishes the status.
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

/// When an account is due; `None` if only the user can help.
async fn due_at(context: &Arc<Context>, account: &AccountSettings) -> Option<Time> {
    let stored = context.read(|reader| reader.accounts()).await.unwrap_or_default();
    let known =
        |s: &StoredAccount| s.id == account.id && s.url == account.url && s.user == account.user;
    let Some(stored) = stored.into_iter().find(known) else { return Some(context.clock.now()) };
    let state = AccountState::read(&stored.state);
    if state.stopped {
        return None;
    }
    let next = state.next.and_then(time).unwrap_or_else(|| context.clock.now());
    // A clock that was set back must not stop it.
    let latest = context.clock.now() + chrono::TimeDelta::days(1);
    Some(if next > latest { context.clock.now() } else { next })
}

impl Context {
    /// Uses the sources of accounts as they are stored now.
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

impl Handle {
    /// The accounts in config.toml.
    fn account(&self, id: &str) -> Option<AccountSettings> {
        self.settings().accounts.iter().find(|account| account.id == id).cloned()
    }

    /// Synchronises accounts now, one after the other. With `accept`, many changed pins are taken
    /// over. In a process that only watches nothing is done.
    pub async fn sync_accounts(
        &self,
        which: WhichAccounts<'_>,
        accept: bool,
    ) -> Vec<AccountReport> {
        let mut reports = Vec::new();
        if matches!(self.status().borrow().role, Role::Watches(_) | Role::Reads) {
            return reports;
        }
        for account in self.settings().accounts.clone() {
            let wanted = match which {
                WhichAccounts::All => true,
                WhichAccounts::Named(ids) => ids.contains(&account.id),
                WhichAccounts::Due => {
                    let due = due_at(&self.context, &account).await;
                    due.is_some_and(|at| at <= self.now())
                }
            };
            if wanted {
                reports.push(sync_one(&self.context, account, accept).await);
                // Publishes the status.
                self.replan().await;
            }
        }
        reports
    }

    /// Logs in again and stores the new token; the next synchronisation is due at once.
    ///
    /// # Errors
    /// If the account is not in config.toml, or the server refuses it.
    pub async fn log_in_account(&self, id: &str) -> Result<(), AccountError> {
        let settings = self.account(id).ok_or(AccountError::Unknown)?;
        let _one_at_a_time = self.context.syncing.lock().await;
        let (url, user) = (settings.url.clone(), settings.user.clone());
        let stored = self.context.store.open_account(id.to_owned(), url, user).await?;
        let mut state = AccountState::read(&stored.state);
        let mut session = session::Session::new(self.context.clone(), settings, stored);
        session.log_in().await?;
        (state.stopped, state.next, state.failures, state.problem) = (false, None, 0, None);
        session.stored.state = state.json();
        Ok(self.context.store.save_account(session.stored).await?)
    }

    /// Ties the items of an account to those of another server behind its address: by source and
    /// address of the item. The marks here are then sent there. The next synchronisation does it.
    ///
    /// # Errors
    /// If the account is not known, or the database cannot be written.
    pub async fn relink_account(&self, id: &str) -> Result<(), AccountError> {
        let settings = self.account(id).ok_or(AccountError::Unknown)?;
        let _one_at_a_time = self.context.syncing.lock().await;
        let (url, user) = (settings.url, settings.user);
        let stored = self.context.store.open_account(id.to_owned(), url, user).await?;
        let state = AccountState { relink: true, ..AccountState::default() };
        Ok(self.context.store.forget_remote_items(stored.key, state.json()).await?)
    }

    /// Finds the API of a server at or below the URL of an account, and logs in. Nothing is stored.
    ///
    /// # Errors
    /// What went wrong at the last place that was tried, or that the server refused the login.
    pub async fn probe_account(
        &self,
        settings: &AccountSettings,
    ) -> Result<AccountProbe, AccountError> {
        let mut result = Err(AccountError::Unknown);
        let known = settings.url.ends_with("/greader.php");
        let ends: &[&str] =
            if known { &[""] } else { &["/api/greader.php", "/p/api/greader.php", ""] };
        for end in ends {
            let url = format!("{}{end}", settings.url);
            let found = AccountSettings { url, ..settings.clone() };
            result = self.probe_at(found).await;
            match &result {
                // Nothing else will help.
                Ok(_) | Err(AccountError::Refused | AccountError::Fetch(_)) => break,
                Err(_) => {}
            }
        }
        result
    }

    async fn probe_at(&self, settings: AccountSettings) -> Result<AccountProbe, AccountError> {
        let stored = StoredAccount {
            key: 0,
            id: settings.id.clone(),
            url: settings.url.clone(),
            user: settings.user.clone(),
            auth: None,
            token: None,
            state: String::new(),
        };
        let mut sync = Sync::new(self.context.clone(), settings.clone(), stored, false);
        sync.session.log_in().await?;
        let (sources, unread) = sync.survey().await?;
        let server = sync.state.dialect.map_or("", Dialect::name);
        Ok(AccountProbe { settings, server, sources, unread })
    }

    /// What is known of the accounts, in the order of config.toml.
    pub async fn accounts(&self) -> Result<Vec<AccountStatus>, StoreError> {
        let settings = self.settings();
        let accounts = settings.accounts.clone();
        self.context.read(move |reader| statuses(reader, &accounts)).await
    }
}

fn statuses(
    reader: &crate::store::Reader,
    accounts: &[AccountSettings],
) -> Result<Vec<AccountStatus>, StoreError> {
    let (stored, facts) = (reader.accounts()?, reader.sources()?);
    let mut all = Vec::new();
    for account in accounts {
        let row = stored.iter().find(|row| row.id == account.id);
        let state = row.map(|row| AccountState::read(&row.state)).unwrap_or_default();
        let own = || {
            facts.iter().filter(|f| f.collected.as_ref().is_some_and(|c| c.account == account.id))
        };
        let (waiting, refused) = match row {
            Some(row) => reader.waiting_marks(row.key, plan::MOST_TRIES)?,
            None => (0, 0),
        };
        all.push(AccountStatus {
            id: account.id.clone(),
            url: account.url.clone(),
            user: account.user.clone(),
            server: state.dialect.map(Dialect::name),
            sources: own().count(),
            items: own().map(|f| u64::from(f.items)).sum(),
            unread: own().map(|f| u64::from(f.unread)).sum(),
            waiting,
            refused,
            complete: state.first.done,
            last_sync: state.last_ok.and_then(time),
            next_sync: state.next.and_then(time).filter(|_| !state.stopped),
            requests: state.requests,
            millis: state.millis,
            problem: state.problem,
        });
    }
    Ok(all)
}
