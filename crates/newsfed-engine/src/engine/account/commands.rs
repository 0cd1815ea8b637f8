//! The user's commands for accounts.

use super::session::Session;
use super::state::AccountState;
use super::status::statuses;
use super::sync::Sync;
use super::{AccountError, AccountProbe, AccountReport, AccountStatus, WhichAccounts};
use super::{due_at, sync_shown};
use crate::config::AccountSettings;
use crate::engine::handle::Handle;
use crate::engine::message::ProcessRole;
use crate::store::{StoreError, StoredAccount};

impl Handle {
    /// The account with this id in config.toml.
    pub(super) fn account(&self, id: &str) -> Option<AccountSettings> {
        self.settings().accounts.iter().find(|account| account.id == id).cloned()
    }

    /// Synchronises accounts now, one after the other. With `accept`, large changes are accepted. Does
    /// nothing if another process polls or the database is read-only.
    pub async fn sync_accounts(
        &self,
        which: WhichAccounts<'_>,
        accept: bool,
    ) -> Vec<AccountReport> {
        let mut reports = Vec::new();
        if matches!(self.status().borrow().role, ProcessRole::Watches(_) | ProcessRole::Reads) {
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
            if !wanted {
                continue;
            }
            let id = account.id.clone();
            tokio::select! {
                report = sync_shown(self, account, accept) => reports.push(report),
                // Everything fetched so far is stored.
                () = self.stop.cancelled() => {
                    let result = Err(AccountError::Stopped);
                    reports.push(AccountReport { account: id, result, requests: 0, millis: 0 });
                    return reports;
                }
            }
            // Publish the status.
            self.replan().await;
        }
        reports
    }

    /// Logs in again and stores the new token. The next synchronisation is due immediately.
    ///
    /// # Errors
    /// If the account is not in config.toml, or the server rejects the login.
    pub async fn log_in_account(&self, id: &str) -> Result<(), AccountError> {
        let settings = self.account(id).ok_or(AccountError::Unknown)?;
        let _one_at_a_time = self.context.syncing.lock().await;
        let (url, user) = (settings.url.clone(), settings.user.clone());
        let stored = self.context.store.open_account(id.to_owned(), url, user).await?;
        let mut state = AccountState::read(&stored.state);
        if let Some(secret) = settings.password() {
            self.context.client.drop_secret(&secret).await;
        }
        let mut session = Session::new(self.context.clone(), settings, stored);
        session.log_in().await?;
        (state.stopped, state.next, state.failures, state.problem) = (false, None, 0, None);
        session.stored.state = state.json();
        Ok(self.context.store.save_login(session.stored).await?)
    }

    /// Records the user's requests for an account, for the process that synchronises it. `accept` accepts
    /// large changes. `relink` links the items, by source and item URL, to those of a different server at the
    /// account's URL. The local marks are then sent to that server.
    ///
    /// # Errors
    /// If the account is unknown, or the database cannot be written.
    pub async fn request_sync(
        &self,
        id: &str,
        accept: bool,
        relink: bool,
    ) -> Result<(), AccountError> {
        let settings = self.account(id).ok_or(AccountError::Unknown)?;
        let (url, user) = (settings.url, settings.user);
        let stored = self.context.store.open_account(id.to_owned(), url, user).await?;
        Ok(self.context.store.request_sync(stored.key, accept, relink).await?)
    }

    /// Finds the API of a server at or below the URL of an account, and logs in. Nothing is stored.
    ///
    /// # Errors
    /// Returns the error for the last URL that was tried, or `Refused` if the server rejected the login.
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
                // Other URLs would not help.
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
            requested: 0,
            accept: false,
            relink: false,
        };
        let mut sync = Sync::new(self.context.clone(), settings.clone(), stored, false);
        sync.session.log_in().await?;
        let (sources, unread) = sync.survey().await?;
        let (dialect, now) = (sync.dialect(), self.now());
        Ok(AccountProbe {
            settings,
            server: dialect.name(),
            sources,
            unread,
            ids_per_page: dialect.ids_per_page(),
            lists_arrivals: dialect.knows_arrival(),
            clock_ahead: sync.session.date.map(|date| (date - now).num_seconds()),
        })
    }

    /// The status of the accounts, in the order of config.toml.
    pub async fn accounts(&self) -> Result<Vec<AccountStatus>, StoreError> {
        let settings = self.settings();
        let accounts = settings.accounts.clone();
        self.context.read(move |reader| statuses(reader, &accounts)).await
    }
}
