//! What came of one poll of a source.

use super::{PolicyKind, Sign, Time};
use std::time::Duration;

/// What kind of failure it is; decides what happens next.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ErrorKind {
    /// May pass by itself: timeouts, resets, 5xx. Looked at again with back-off.
    Transient,
    /// Will not pass by itself: 404, no feed there. Looked at again with back-off.
    Permanent,
    /// The server asked to be left alone: 429, 503 with Retry-After, robots.txt.
    Politeness,
    /// Something the user must put right: a missing password, a private address.
    User,
}

/// The rule that keeps a source from being polled before a moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PauseReason {
    /// `Cache-Control: max-age`.
    MaxAge,
    /// `Expires`.
    Expires,
    /// `Retry-After` of a 429 or 503.
    RetryAfter,
    /// 429 or repeated 403 without a usable `Retry-After`: own back-off.
    RateLimited,
    /// A pause that the host asked for when it was asked for another source.
    HostPaused,
    /// RSS `ttl`.
    Ttl,
    /// RSS `skipHours` or `skipDays`.
    SkipWindow,
    /// `sy:updatePeriod`.
    UpdatePeriod,
    /// Back-off after failures.
    Failures,
    /// 410: gone for good until the user says otherwise.
    Gone,
    /// `crawl-delay` of robots.txt.
    CrawlDelay,
    /// What a site says of when it changes, as long as too little is known of it to tell.
    PageSays,
    /// `schedule.min_interval`, or the source's own.
    MinInterval,
    /// `schedule.usual_min_interval`: too little is expected to warrant a poll sooner.
    UsualMinInterval,
    /// The server sends no validators, so that every poll costs the whole document: the shortest
    /// interval is doubled.
    NoValidators,
    /// `schedule.max_interval`, or the source's own; the only rule that moves a poll forward.
    MaxInterval,
    /// `schedule.quiet_hours`.
    QuietHours,
    /// The machine has no connection.
    Offline,
}

impl PauseReason {
    /// Whether a refresh asked for by the user also obeys it (manners.md, P17).
    pub fn binds_manual(self) -> bool {
        !matches!(
            self,
            Self::Failures
                // Requests by hand are spaced like all others.
                | Self::CrawlDelay
                | Self::PageSays
                | Self::MinInterval
                | Self::UsualMinInterval
                | Self::NoValidators
                | Self::MaxInterval
                | Self::QuietHours
                | Self::Offline
        )
    }

    /// Whether it is meant for all that is asked of the host, not for one document alone.
    pub fn is_of_host(self) -> bool {
        matches!(self, Self::RetryAfter | Self::RateLimited | Self::HostPaused)
    }

    /// The rule in plain words, to stand after "held back by".
    pub fn describe(self) -> &'static str {
        match self {
            Self::MaxAge => "Cache-Control max-age",
            Self::Expires => "Expires",
            Self::RetryAfter => "Retry-After",
            Self::RateLimited => "too many requests (server gave no time)",
            Self::HostPaused => "the pause that its host asked for, answering another source",
            Self::Ttl => "the feed's ttl",
            Self::SkipWindow => "the feed's skipHours or skipDays",
            Self::UpdatePeriod => "the feed's update period",
            Self::Failures => "back-off after failures",
            Self::Gone => "410 Gone",
            Self::CrawlDelay => "robots.txt crawl-delay",
            Self::PageSays => "what the site says of when it changes",
            Self::MinInterval => "the shortest interval allowed",
            Self::UsualMinInterval => "too little expected for a poll sooner",
            Self::NoValidators => "the lack of validators (every poll costs the whole document)",
            Self::MaxInterval => "the longest interval allowed",
            Self::QuietHours => "quiet hours",
            Self::Offline => "no connection",
        }
    }
}

/// `Retry-After` is honoured from this on.
pub const LEAST_RETRY: Duration = Duration::from_secs(60);
/// `Retry-After` is honoured up to this.
pub const MOST_RETRY: Duration = Duration::from_secs(8 * 24 * 3600);
/// First back-off after a 429 that does not say how long.
pub const FIRST_LIMITED: Duration = Duration::from_secs(600);

/// Not before this moment, and why.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Pause {
    /// Earliest next poll.
    pub until: Time,
    /// The rule.
    pub reason: PauseReason,
}

/// When to look next, and what led to it.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Planned {
    /// When this was decided.
    pub at: Time,
    /// The policy that decided.
    pub policy: PolicyKind,
    /// When it wanted to look.
    pub wanted: Time,
    /// When it is polled.
    pub next: Time,
    /// The rules that moved the poll, in order, and where to.
    pub moved_by: Vec<Moved>,
    /// Of websites and sitemaps: the first conclusive signal of when to look again.
    #[serde(default)]
    pub sign: Option<Sign>,
}

/// A look moved by a rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Moved {
    /// The rule.
    pub reason: PauseReason,
    /// Where to.
    pub to: Time,
}

/// How a poll ended.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case", tag = "outcome")]
pub enum Outcome {
    /// 304, or a body with the hash of the last one.
    Unchanged,
    /// A full answer was read.
    Fetched {
        /// Items not seen before.
        new: u32,
        /// Known items that changed.
        updated: u32,
        /// Entries in the document.
        entries: u32,
    },
    /// The look failed.
    Failed {
        /// What kind of failure.
        kind: ErrorKind,
        /// What happened, in plain words, already sanitised.
        message: String,
    },
}

/// One look at a source, as kept in the poll history and shown in the log.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct PollRecord {
    /// When it started.
    pub at: Time,
    /// HTTP status; `None` when no answer came.
    pub status: Option<u16>,
    /// Time from start to end, in milliseconds.
    pub millis: u32,
    /// Requests that it took, redirects included and robots.txt not.
    pub requests: u32,
    /// Bytes received on the wire (compressed size).
    pub bytes: u64,
    /// How it ended.
    #[serde(flatten)]
    pub outcome: Outcome,
    /// What had to be repaired to read the document, in plain words.
    pub repairs: Vec<String>,
}
