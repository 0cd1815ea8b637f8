//! The limits of servers, feeds and the user, on top of what a policy wants: a server may ask for more time,
//! within bounds that keep the source usable.

use super::window::{quiet_until, skipped_until};
use crate::model::{
    FIRST_LIMITED, FeedHints, MAX_RETRY, MIN_RETRY, Moved, Pause, PauseReason, QuietHours, Time,
};
use std::time::Duration;

const MINUTE: Duration = Duration::from_secs(60);
pub(super) const DAY: Duration = Duration::from_secs(24 * 3600);

/// Upper limit for `max-age` and `Expires`.
pub const MAX_FRESH: Duration = Duration::from_secs(5 * 3600);
/// Upper limit for `ttl`, the update period and the hints of pages.
pub const MAX_TTL: Duration = DAY;
/// A `ttl` of more than this many measured gaps between items is treated as a mistake.
const TTL_GAPS: u32 = 6;
/// Minimum back-off after a 403 that is at least the second failure in a row.
const FORBIDDEN: Duration = Duration::from_secs(4 * 3600);
/// Maximum back-off after failures.
pub const MAX_BACKOFF: Duration = DAY;
/// Delay of the next poll after newsfed exited during one; doubled each time.
const FIRST_ENDED: Duration = Duration::from_secs(120);
/// Upper limit for `crawl-delay`.
const MAX_CRAWL_DELAY: Duration = MINUTE;
/// Delay of the next poll while this machine is offline.
pub const OFFLINE: Duration = Duration::from_secs(300);
/// Maximum number of times that a poll is moved out of a window of skipped or quiet hours.
const WINDOWS: usize = 4;
/// The end of the year 9999, for sources that are never due automatically.
const NEVER_SECONDS: i64 = 253_402_300_799;

/// How a poll ended, which decides what limits apply.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ResponseKind {
    /// A full response or 304.
    #[default]
    Ok,
    /// 429.
    Limited,
    /// 503.
    Unavailable,
    /// 403.
    Forbidden,
    /// Any other 4xx.
    Refused,
    /// 410.
    Gone,
    /// Any other failure, with or without a response.
    Failed,
    /// All hosts fail: this machine has no connection.
    Offline,
}

impl ResponseKind {
    /// The kind for an HTTP status.
    pub fn of_status(status: u16) -> Self {
        match status {
            200..=299 | 304 => Self::Ok,
            403 => Self::Forbidden,
            410 => Self::Gone,
            429 => Self::Limited,
            400..=499 => Self::Refused,
            503 => Self::Unavailable,
            _ => Self::Failed,
        }
    }
}

/// Facts of the response. Durations start at `now` and are not yet clamped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ResponseFacts {
    pub kind: ResponseKind,
    /// `Retry-After`.
    pub retry_after: Option<Duration>,
    /// Remaining `max-age`; zero for `no-cache` and `no-store`.
    pub max_age: Option<Duration>,
    /// Time until `Expires`; used if there is no `max-age`.
    pub expires: Option<Duration>,
    /// `crawl-delay` of robots.txt, for pages.
    pub crawl_delay: Option<Duration>,
    /// Interval suggested by the page itself, used while too little is known about the site.
    pub site_hint: Option<Duration>,
}

/// Input of the limits after a poll.
#[derive(Debug, Clone, Copy)]
pub struct PollContext<'a> {
    pub now: Time,
    /// When the policy wants to poll next.
    pub wanted: Time,
    pub response: ResponseFacts,
    /// Hints from the feed.
    pub hints: &'a FeedHints,
    /// Failures in a row, including this poll; 0 after a success.
    pub fail_count: u32,
    /// Time since the last success, if there was one.
    pub failing_for: Option<Duration>,
    /// Usual interval, before any failures.
    pub interval: Duration,
    /// Measured mean time between items, once there are enough items.
    pub measured_gap: Option<Duration>,
    /// Minimum interval that the user allows.
    pub min: Duration,
    /// Minimum interval for a source with few expected items; at least `min`.
    pub usual_min: Duration,
    /// Whether the source's learned rate warrants polls sooner than `usual_min`.
    pub warranted: bool,
    /// Maximum interval that the user allows. Servers can ask for more.
    pub max: Option<Duration>,
    /// Hours without automatic polls, and the offset of the user's time zone in seconds east of UTC.
    pub quiet: Option<(QuietHours, i32)>,
    /// Whether the server sends validators. Without them every poll transfers the full document, so the
    /// minimum interval is doubled, but not beyond `own`.
    pub has_validators: bool,
    /// The interval that the user set for this source.
    pub own: Option<Duration>,
    /// Differs between sources, so that they do not retry at the same time.
    pub seed: u64,
}

/// When to poll next, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Decision {
    /// The next automatic poll.
    pub next: Time,
    /// The time that the policy wanted.
    pub wanted: Time,
    /// The longest pause that also applies to a manual refresh.
    pub pause: Option<Pause>,
    /// Every limit that moved the next poll, in order, and the resulting time.
    pub moved_by: Vec<Moved>,
}

/// Applies the limits in order: the user's maximum interval; gone, offline, rate-limited, failed or fresh;
/// the hints of the feed and the site; crawl-delay and the user's minimum interval; and last the hours
/// excluded by the feed or the user, which apply to the resulting time.
pub fn decide(context: &PollContext<'_>) -> Decision {
    let mut decision = Decision {
        next: context.wanted,
        wanted: context.wanted,
        pause: None,
        moved_by: Vec::new(),
    };
    if let Some(latest) =
        context.max.map(|max| after(context.now, max)).filter(|t| *t < context.wanted)
    {
        decision.next = latest;
        decision.moved_by.push(Moved { reason: PauseReason::MaxInterval, to: latest });
    }
    match context.response.kind {
        ResponseKind::Gone => {
            let never = Time::from_timestamp(NEVER_SECONDS, 0).unwrap_or(Time::MAX_UTC);
            decision.not_before(never, PauseReason::Gone, context.now);
            return decision;
        }
        ResponseKind::Offline => {
            let soon = after(context.now, OFFLINE);
            decision.next = soon;
            decision.moved_by = vec![Moved { reason: PauseReason::Offline, to: soon }];
            return decision;
        }
        ResponseKind::Ok => fresh_enough(context, &mut decision),
        kind => {
            let (wait, reason) = back_off(context);
            decision.not_before(after(context.now, wait), reason, context.now);
            let refuses = matches!(kind, ResponseKind::Forbidden | ResponseKind::Refused);
            if refuses && !matches!(reason, PauseReason::RetryAfter | PauseReason::Refused) {
                refused(context, &mut decision);
            }
        }
    }
    general_limits(context, &mut decision);
    decision
}

/// How long to postpone the next poll of a source after newsfed exited during `broken` polls of it in a row.
/// Short at first, because the user or the system may have stopped newsfed.
pub fn after_end(broken: u32) -> Duration {
    doubled(FIRST_ENDED, broken.saturating_sub(1))
}

/// `now` plus a duration, at most the end of the year 9999.
pub(super) fn after(now: Time, wait: Duration) -> Time {
    let wait = chrono::Duration::from_std(wait).ok();
    let then = wait.and_then(|wait| now.checked_add_signed(wait));
    let never = Time::from_timestamp(NEVER_SECONDS, 0).unwrap_or(Time::MAX_UTC);
    then.map_or(never, |t| t.min(never))
}

impl Decision {
    /// Moves the next poll to `at` unless it is already later, and records a pause that a manual refresh also
    /// obeys.
    fn not_before(&mut self, at: Time, reason: PauseReason, now: Time) {
        if at > self.next {
            self.next = at;
            self.moved_by.push(Moved { reason, to: at });
        }
        if reason.binds_manual() {
            self.pause_until(at, reason, now);
        }
    }

    fn pause_until(&mut self, until: Time, reason: PauseReason, now: Time) {
        if until > now && self.pause.is_none_or(|h| until > h.until) {
            self.pause = Some(Pause { until, reason });
        }
    }
}

/// How long to pause a server that failed or asked for a pause.
fn back_off(context: &PollContext<'_>) -> (Duration, PauseReason) {
    let asked = context.response.retry_after.filter(|wait| !wait.is_zero());
    match (context.response.kind, asked) {
        (ResponseKind::Failed, _) => (jittered(context), PauseReason::Failures),
        // Other 4xx responses are about one document, not its host.
        (ResponseKind::Refused, Some(wait)) => {
            (wait.clamp(MIN_RETRY, MAX_RETRY), PauseReason::Refused)
        }
        (_, Some(wait)) => (wait.clamp(MIN_RETRY, MAX_RETRY), PauseReason::RetryAfter),
        (ResponseKind::Limited, None) => {
            let wait = doubled(FIRST_LIMITED, context.fail_count.saturating_sub(1));
            (wait, PauseReason::RateLimited)
        }
        (ResponseKind::Forbidden, _) if context.fail_count >= 2 => {
            (FORBIDDEN.max(jittered(context)), PauseReason::RateLimited)
        }
        _ => (jittered(context), PauseReason::Failures),
    }
}

/// After a 4xx, a manual refresh also has to wait, but not as long as an automatic poll.
fn refused(context: &PollContext<'_>, decision: &mut Decision) {
    let own = doubled(FIRST_LIMITED, context.fail_count.saturating_sub(1));
    decision.not_before(after(context.now, own), PauseReason::Refused, context.now);
    if let Some((wait, reason)) = fresh_for(&context.response) {
        decision.not_before(after(context.now, wait), reason, context.now);
    }
}

/// The interval, doubled for every failure, minus a jitter of up to a tenth. Several retries by the user in a
/// short time do not lengthen it: it is at most twice the time since the last success, and at least the
/// interval doubled once.
fn jittered(context: &PollContext<'_>) -> Duration {
    let interval = context.interval.max(MINUTE);
    let whole = doubled(interval, context.fail_count);
    let whole = match context.failing_for {
        Some(failing) => whole.min(failing.max(interval).saturating_mul(2)),
        None => whole,
    };
    let mut random = fastrand::Rng::with_seed(context.seed ^ u64::from(context.fail_count));
    whole.mul_f64(1.0 - random.f64() / 10.0)
}

fn doubled(start: Duration, times: u32) -> Duration {
    start.saturating_mul(2_u32.saturating_pow(times)).min(MAX_BACKOFF)
}

/// How long a response stays fresh, and which header states it.
fn fresh_for(response: &ResponseFacts) -> Option<(Duration, PauseReason)> {
    let (wait, reason) = match (response.max_age, response.expires) {
        (Some(age), _) => (age, PauseReason::MaxAge),
        (None, Some(left)) => (left, PauseReason::Expires),
        (None, None) => return None,
    };
    Some((wait.min(MAX_FRESH), reason))
}

/// Applies the limits that a successful response and its feed state. They are not applied to a failing
/// server, so that a manual retry remains possible.
fn fresh_enough(context: &PollContext<'_>, decision: &mut Decision) {
    let fresh = fresh_for(&context.response);
    let believable = |ttl: &Duration| {
        context.measured_gap.is_none_or(|gap| *ttl <= gap.saturating_mul(TTL_GAPS))
    };
    let ttl = context.hints.ttl.filter(believable);
    let ttl = ttl.map(|ttl| (ttl.min(MAX_TTL), PauseReason::Ttl));
    let period = context.hints.update_period;
    let period = period.map(|p| (p.min(MAX_TTL), PauseReason::UpdatePeriod));
    // A hint is not binding, so the user's maximum interval takes precedence.
    let most = context.max.map_or(MAX_TTL, |max| max.min(MAX_TTL));
    let hint = context.response.site_hint.map(|wait| (wait.min(most), PauseReason::SiteHints));
    for (wait, reason) in [fresh, ttl, period, hint].into_iter().flatten() {
        decision.not_before(after(context.now, wait), reason, context.now);
    }
}

/// Limits that apply whether the poll succeeded or failed: crawl-delay, minimum interval, and the hours and
/// days that the feed or the user excludes.
fn general_limits(context: &PollContext<'_>, decision: &mut Decision) {
    let now = context.now;
    if let Some(delay) = context.response.crawl_delay {
        decision.not_before(after(now, delay.min(MAX_CRAWL_DELAY)), PauseReason::CrawlDelay, now);
    }
    let (floor, reason) = if context.warranted || context.usual_min <= context.min {
        (context.min, PauseReason::MinInterval)
    } else {
        (context.usual_min, PauseReason::UsualMinInterval)
    };
    decision.not_before(after(now, floor), reason, now);
    if context.response.kind == ResponseKind::Ok && !context.has_validators {
        let twice = floor.saturating_mul(2).min(context.own.unwrap_or(Duration::MAX));
        decision.not_before(after(now, twice), PauseReason::NoValidators, now);
    }
    if let Some(end) = skipped_until(context.hints, now) {
        decision.pause_until(end, PauseReason::SkipWindow, now);
    }
    // The end of one window may lie inside another.
    for _ in 0..WINDOWS {
        let skipped = skipped_until(context.hints, decision.next);
        let quiet = context.quiet.and_then(|(hours, east)| quiet_until(hours, east, decision.next));
        let Some((to, reason)) = skipped
            .map(|end| (end, PauseReason::SkipWindow))
            .or(quiet.map(|end| (end, PauseReason::QuietHours)))
        else {
            return;
        };
        decision.next = to;
        decision.moved_by.push(Moved { reason, to });
    }
}

#[cfg(test)]
#[path = "limits_tests.rs"]
mod tests;
