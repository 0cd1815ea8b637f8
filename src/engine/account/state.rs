//! What is remembered of an account between two synchronisations, and what went wrong.

use crate::greader::Dialect;
use crate::model::Time;
use crate::net::FetchError;
use crate::store::StoreError;
use chrono::TimeDelta;
use std::time::Duration;

/// Stored as JSON; times in seconds since the epoch.
#[derive(Debug, Clone, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(default)]
pub(super) struct AccountState {
    pub(super) dialect: Option<Dialect>,
    /// The server's clock when the last complete synchronisation began.
    pub(super) since: Option<i64>,
    /// When the subscriptions were last read.
    pub(super) lists_at: Option<i64>,
    /// When all identifiers were last read.
    pub(super) all_at: Option<i64>,
    pub(super) last_try: Option<i64>,
    pub(super) last_ok: Option<i64>,
    /// When the next synchronisation is due.
    pub(super) next: Option<i64>,
    /// Failures in a row.
    pub(super) failures: u32,
    /// Why the last synchronisation failed.
    pub(super) problem: Option<String>,
    /// Whether only the user can help.
    pub(super) stopped: bool,
    /// Of the last synchronisation.
    pub(super) requests: u32,
    pub(super) millis: u64,
    pub(super) first: FirstSync,
    /// Whether items are tied to those of a server that is new behind the address.
    pub(super) relink: bool,
}

/// How far the first synchronisation is.
#[derive(Debug, Clone, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(default)]
pub(super) struct FirstSync {
    pub(super) done: bool,
    /// Where the next page begins.
    pub(super) continuation: Option<String>,
    pub(super) fetched: usize,
    /// Whether all pages of texts were read.
    pub(super) paged: bool,
}

impl AccountState {
    pub(super) fn read(json: &str) -> Self {
        serde_json::from_str(json).unwrap_or_default()
    }

    pub(super) fn json(&self) -> String {
        serde_json::to_string(self).unwrap_or_default()
    }

    /// The synchronisation failed: the next one comes after 1, 2, 4 … 30 minutes.
    pub(super) fn failed(&mut self, error: &AccountError, now: Time) {
        self.failures = self.failures.saturating_add(1);
        self.problem = Some(error.to_string());
        self.stopped = matches!(error, AccountError::Refused);
        let minutes = 1_i64 << (self.failures - 1).min(5);
        let wait = TimeDelta::minutes(minutes.min(30));
        let pause = match error {
            AccountError::Busy { retry_after: Some(wait), .. } => {
                TimeDelta::from_std(*wait).unwrap_or(TimeDelta::days(1)).min(TimeDelta::days(1))
            }
            _ => TimeDelta::zero(),
        };
        self.next = Some((now + wait.max(pause)).timestamp());
    }

    pub(super) fn succeeded(&mut self, now: Time, interval: Duration) {
        (self.failures, self.problem, self.stopped) = (0, None, false);
        self.last_ok = Some(now.timestamp());
        let interval = i64::try_from(interval.as_secs()).unwrap_or(i64::MAX);
        self.next = Some(now.timestamp().saturating_add(interval));
    }
}

/// Why a synchronisation ended early. What was read before is stored.
#[derive(Debug, Clone, thiserror::Error)]
pub enum AccountError {
    #[error(transparent)]
    Fetch(#[from] FetchError),
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The login failed.
    #[error("the server refuses the user or the password; run `newsfed account login`")]
    Refused,
    /// 429 and 5xx.
    #[error("the server is busy or failing (HTTP {status}); newsfed tries again later")]
    Busy { status: u16, retry_after: Option<Duration> },
    #[error("the server responds to {request} with HTTP {status}; check the URL of the account")]
    Status { request: &'static str, status: u16 },
    /// Not the JSON that was requested, such as a login page.
    #[error(
        "the response to {request} is not what the Google Reader API returns ({found}); check the URL of the account"
    )]
    Shape { request: &'static str, found: String },
    /// A list that repeats itself.
    #[error("the server's list does not end; nothing of it was used")]
    Endless,
    #[error(
        "the server would remove {lost} pins and add {gained}; nothing was taken over. If that is \
         right, run `newsfed account sync --accept`"
    )]
    Pins { lost: usize, gained: usize },
    #[error(
        "another server is behind this address: it has none of the known sources or items. Nothing \
         was sent or taken over; if it is yours, run `newsfed account relink`"
    )]
    OtherServer,
    #[error("the account is not in config.toml")]
    Unknown,
    /// The engine is stopping.
    #[error("stopped; what was fetched is stored")]
    Stopped,
}
