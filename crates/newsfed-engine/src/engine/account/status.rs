//! The status of accounts.

use super::state::AccountState;
use super::sync::time;
use super::{ops, plan};
use crate::config::AccountSettings;
use crate::greader::Dialect;
use crate::model::{SourceFacts, Time};
use crate::store::{Reader, StoreError, StoredAccount, WaitingOp};

/// The status of an account.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct AccountStatus {
    pub id: String,
    pub url: String,
    pub user: String,
    /// The kind of server; `None` before the first synchronisation.
    pub server: Option<&'static str>,
    pub sources: usize,
    pub items: u64,
    pub unread: u64,
    /// Number of items with marks that have not been sent yet.
    pub waiting: usize,
    /// Number of items with marks that the server did not accept.
    pub refused: usize,
    /// Changes to subscriptions that have not been sent yet, with the error of the last attempt.
    pub changes: Vec<String>,
    /// Whether the first synchronisation is complete.
    pub complete: bool,
    pub last_sync: Option<Time>,
    pub next_sync: Option<Time>,
    /// Number of requests and duration in milliseconds of the last synchronisation.
    pub requests: u32,
    pub millis: u64,
    /// Why the last synchronisation failed.
    pub problem: Option<String>,
    /// Number of subscriptions without a usable URL.
    pub left_out: usize,
    /// Warnings from the last week.
    pub warnings: Vec<String>,
    /// Entries in sources.toml for sources that the server does not have, with their URLs.
    pub unused: Vec<(String, String)>,
    /// Whether the account is in config.toml; otherwise it is no longer synchronised.
    pub configured: bool,
}

/// How the server of an account polls a source.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct AccountPolling {
    /// The id of the account.
    pub name: String,
    /// The kind of server; `None` before the first synchronisation.
    pub server: Option<&'static str>,
    pub last_sync: Option<Time>,
    /// `None` if the account needs the user's help.
    pub next_sync: Option<Time>,
    /// Why the last synchronisation failed.
    pub problem: Option<String>,
}

/// How the server of an account polls its sources.
pub(in crate::engine) fn account_polling(
    reader: &Reader,
    account: &str,
) -> Result<AccountPolling, StoreError> {
    let stored = reader.accounts()?.into_iter().find(|row| row.id == account);
    let state = stored.map(|row| AccountState::read(&row.state)).unwrap_or_default();
    Ok(AccountPolling {
        name: account.to_owned(),
        server: state.dialect.map(Dialect::name),
        last_sync: state.last_ok.and_then(time),
        next_sync: state.next.and_then(time).filter(|_| !state.stopped),
        problem: state.problem,
    })
}

/// The accounts in the order of config.toml, followed by those that exist only in the database.
pub(super) fn statuses(
    reader: &Reader,
    accounts: &[AccountSettings],
) -> Result<Vec<AccountStatus>, StoreError> {
    let (stored, facts) = (reader.accounts()?, reader.sources()?);
    let mut all = Vec::new();
    for account in accounts {
        let row = stored.iter().find(|row| row.id == account.id);
        let (url, user) = (account.url.clone(), account.user.clone());
        let status = AccountStatus { url, user, configured: true, ..status(reader, row, &facts)? };
        all.push(AccountStatus { id: account.id.clone(), ..status });
    }
    for row in stored.iter().filter(|row| accounts.iter().all(|a| a.id != row.id)) {
        all.push(AccountStatus { next_sync: None, ..status(reader, Some(row), &facts)? });
    }
    Ok(all)
}

fn status(
    reader: &Reader,
    row: Option<&StoredAccount>,
    facts: &[SourceFacts],
) -> Result<AccountStatus, StoreError> {
    let state = row.map(|row| AccountState::read(&row.state)).unwrap_or_default();
    let id = row.map_or(String::new(), |row| row.id.clone());
    let own = || facts.iter().filter(|f| f.collected.as_ref().is_some_and(|c| c.account == id));
    let (waiting, refused) = match row {
        Some(row) => {
            let labels = state.dialect.is_some_and(Dialect::has_labels);
            reader.waiting_marks(row.key, plan::MAX_TRIES, labels)?
        }
        None => (0, 0),
    };
    let ops = row.map(|row| reader.account_ops(row.key)).transpose()?.unwrap_or_default();
    let change = |op: &WaitingOp| match &op.error {
        Some(error) => format!("{}: {error}", ops::describe(op)),
        None => ops::describe(op),
    };
    Ok(AccountStatus {
        changes: ops.iter().map(change).collect(),
        url: row.map_or(String::new(), |row| row.url.clone()),
        user: row.map_or(String::new(), |row| row.user.clone()),
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
        left_out: state.left_out,
        warnings: state.warnings.into_iter().map(|(_, warning)| warning).collect(),
        unused: reader.unused_overrides(&id)?,
        configured: false,
        id,
    })
}
