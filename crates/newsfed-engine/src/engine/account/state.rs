//! The state of an account that is stored between two synchronisations, and its errors.

use crate::greader::Dialect;
use crate::model::Time;
use crate::net::FetchError;
use crate::store::StoreError;
use chrono::TimeDelta;
use std::time::Duration;

/// Stored as JSON, with times in seconds since the epoch.
#[derive(Debug, Clone, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(default)]
pub(super) struct AccountState {
    pub(super) dialect: Option<Dialect>,
    /// The server's clock at the start of the last complete synchronisation.
    pub(super) since: Option<i64>,
    /// When the subscriptions were last read.
    pub(super) lists_at: Option<i64>,
    /// When the labels were last read.
    pub(super) labels_at: Option<i64>,
    /// When all identifiers were last read.
    pub(super) all_at: Option<i64>,
    pub(super) last_try: Option<i64>,
    pub(super) last_ok: Option<i64>,
    /// When the next synchronisation is due.
    pub(super) next: Option<i64>,
    /// Number of failures in a row.
    pub(super) failures: u32,
    /// Why the last synchronisation failed.
    pub(super) problem: Option<String>,
    /// Whether the account needs the user's help.
    pub(super) stopped: bool,
    /// Number of requests in the last synchronisation.
    pub(super) requests: u32,
    pub(super) millis: u64,
    pub(super) first: FirstSync,
    /// Whether to link the items to those of a new server at the same URL.
    pub(super) relink: bool,
    /// The user's requests that have been handled; see [`crate::store::StoredAccount::requested`].
    pub(super) requested: i64,
    /// Number of subscriptions without a usable URL.
    pub(super) left_out: usize,
    /// Warnings for the user, with their times.
    pub(super) warnings: Vec<(i64, String)>,
}

/// How long warnings are shown, in seconds.
const WARNING_SECONDS: i64 = 7 * 24 * 3600;
/// Maximum number of warnings kept.
const MAX_WARNINGS: usize = 20;

/// Progress of the first synchronisation.
#[derive(Debug, Clone, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(default)]
pub(super) struct FirstSync {
    pub(super) done: bool,
    /// The continuation of the next page.
    pub(super) continuation: Option<String>,
    pub(super) fetched: usize,
    /// Whether all pages with text have been read.
    pub(super) paged: bool,
}

impl AccountState {
    pub(super) fn read(json: &str) -> Self {
        serde_json::from_str(json).unwrap_or_default()
    }

    pub(super) fn json(&self) -> String {
        serde_json::to_string(self).unwrap_or_default()
    }

    /// Records a warning for the user.
    pub(super) fn warn(&mut self, now: i64, warning: String) {
        self.warnings.retain(|(_, known)| *known != warning);
        self.warnings.push((now, warning));
        let surplus = self.warnings.len().saturating_sub(MAX_WARNINGS);
        self.warnings.drain(..surplus);
    }

    /// Clears old warnings.
    pub(super) fn end_warnings(&mut self, now: i64) {
        self.warnings.retain(|(at, _)| (now - at).abs() < WARNING_SECONDS);
    }

    /// Records a failed synchronisation. The next attempt follows after 1, 2, 4 … 30 minutes, or later if the
    /// server asks for a longer pause.
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

/// Why a synchronisation ended early. The items that it has already stored are kept.
#[derive(Debug, Clone, thiserror::Error)]
pub enum AccountError {
    #[error(transparent)]
    Fetch(#[from] FetchError),
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The login failed.
    #[error("the server refuses the user name or password; run `newsfed account login`")]
    Refused,
    /// The status was 429 or 5xx.
    #[error("the server is busy or failing (HTTP {status})")]
    Busy { status: u16, retry_after: Option<Duration> },
    #[error(
        "the server responds to the request for {request} with HTTP {status}; check the URL of the account"
    )]
    Status { request: &'static str, status: u16 },
    /// The response is not the requested JSON, but for example a login page.
    #[error(
        "the response to the request for {request} is not what the Google Reader API returns ({found}); check the URL of the account"
    )]
    Shape { request: &'static str, found: String },
    /// The server's list repeats itself.
    #[error("the server's list repeats itself endlessly; nothing was applied")]
    Endless,
    #[error(
        "the server would remove {lost} pins and add {gained}; nothing was changed. If that is \
         intended, run `newsfed account sync --accept`"
    )]
    Pins { lost: usize, gained: usize },
    #[error(
        "the server would remove {lost} item tags; no tag was changed. If that is intended, run \
         `newsfed account sync --accept`"
    )]
    Labels { lost: usize },
    #[error(
        "the server lists only {} of {known} known items; nothing was changed. If that is \
         intended, run `newsfed account sync --accept`",
        known - missing
    )]
    Missing { missing: usize, known: usize },
    #[error(
        "another server is at this address: it has none of the known sources or items. Nothing \
         was sent or applied; if it is yours, run `newsfed account relink`"
    )]
    OtherServer,
    /// The server refused a subscription, for the given reason.
    #[error("the server did not subscribe ({0})")]
    NotAdded(String),
    #[error("the account is not in config.toml")]
    Unknown,
    /// The engine is stopping.
    #[error("stopped; what was fetched is stored")]
    Stopped,
}

impl AccountError {
    /// Whether a smaller request may succeed.
    pub(super) fn is_too_large(&self) -> bool {
        matches!(self, Self::Fetch(FetchError::TooLarge { .. }) | Self::Status { status: 413, .. })
    }

    /// Whether the server accepted the login, but rejected this request.
    pub(super) fn is_rejected(&self) -> bool {
        matches!(self, Self::Status { status: 400..=499, .. })
    }
}
