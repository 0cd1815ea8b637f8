//! Limits that postpone a poll, and which of them also apply to a manual refresh.

use super::Time;
use std::time::Duration;

/// The limit that postpones a poll.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PauseReason {
    /// `Cache-Control: max-age`.
    MaxAge,
    /// `Expires`.
    Expires,
    /// `Retry-After` of a 403, 429 or 503.
    RetryAfter,
    /// 429, or 403 after another failure, without a usable `Retry-After`: newsfed's own back-off.
    RateLimited,
    /// The host is paused because of a response to another source.
    HostPaused,
    /// RSS `ttl`.
    Ttl,
    /// RSS `skipHours` or `skipDays`.
    SkipWindow,
    /// `sy:updatePeriod`.
    UpdatePeriod,
    /// Back-off after failures.
    Failures,
    /// Back-off after any other 4xx: the request is wrong, so repeating it soon is useless.
    Refused,
    /// Back-off after polls during which newsfed exited.
    Ended,
    /// 410: not polled again, unless the user chooses to fetch it anyway.
    Gone,
    /// `crawl-delay` of robots.txt.
    CrawlDelay,
    /// A site's hints about when its pages change, used while there is too little history.
    #[serde(alias = "page-says")]
    SiteHints,
    /// `schedule.min_interval`, or the source's own setting.
    MinInterval,
    /// `schedule.usual_min_interval`: too few new items are expected to justify an earlier poll.
    UsualMinInterval,
    /// The server sends no validators, so every poll downloads the whole document: the minimum
    /// interval is doubled.
    NoValidators,
    /// `schedule.max_interval`, or the source's own setting. Unlike other limits, it makes a poll
    /// earlier.
    MaxInterval,
    /// `schedule.quiet_hours`.
    QuietHours,
    /// The machine has no network connection.
    Offline,
}

impl PauseReason {
    /// Whether a refresh requested by the user also obeys the limit.
    pub fn binds_manual(self) -> bool {
        !matches!(
            self,
            Self::Failures
                // The requests of a manual refresh wait for this delay anyway.
                | Self::CrawlDelay
                | Self::SiteHints
                | Self::MinInterval
                | Self::UsualMinInterval
                | Self::NoValidators
                | Self::MaxInterval
                | Self::QuietHours
                | Self::Offline
        )
    }

    /// Whether the limit is the result of an error.
    pub fn is_from_error(self) -> bool {
        matches!(
            self,
            Self::RetryAfter
                | Self::RateLimited
                | Self::HostPaused
                | Self::Failures
                | Self::Refused
                | Self::Ended
                | Self::Gone
        )
    }

    /// Whether the limit applies to the whole host, not only to one document.
    pub fn is_of_host(self) -> bool {
        matches!(self, Self::RetryAfter | Self::RateLimited | Self::HostPaused)
    }

    /// The limit as text, shown in brackets.
    pub fn describe(self) -> &'static str {
        match self {
            Self::MaxAge => "Cache-Control max-age",
            Self::Expires => "Expires",
            Self::RetryAfter => "Retry-After",
            Self::RateLimited => "rate limit without Retry-After",
            Self::HostPaused => "host pause, set by another source",
            Self::Ttl => "feed ttl",
            Self::SkipWindow => "feed skipHours or skipDays",
            Self::UpdatePeriod => "feed update period",
            Self::Failures => "back-off after failures",
            Self::Ended => "newsfed exited while checking this source",
            Self::Refused => "back-off after HTTP 4xx",
            Self::Gone => "410 Gone",
            Self::CrawlDelay => "robots.txt crawl-delay",
            Self::SiteHints => "the site's own dates and hints",
            Self::MinInterval => "minimum interval",
            Self::UsualMinInterval => "too few items expected for an earlier check",
            Self::NoValidators => "no validators, so every check downloads the whole document",
            Self::MaxInterval => "maximum interval",
            Self::QuietHours => "quiet hours",
            Self::Offline => "no connection",
        }
    }
}

/// Minimum `Retry-After`; shorter values are raised to it.
pub const MIN_RETRY: Duration = Duration::from_secs(60);
/// Maximum `Retry-After`; longer values are reduced to it.
pub const MAX_RETRY: Duration = Duration::from_secs(8 * 24 * 3600);
/// Initial back-off after a 429 without `Retry-After`. After another 4xx, it delays only a manual refresh.
pub const FIRST_LIMITED: Duration = Duration::from_secs(600);

/// No poll before this moment, and the reason.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Pause {
    pub until: Time,
    pub reason: PauseReason,
}
