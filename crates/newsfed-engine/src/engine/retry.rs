//! Sending a request again after errors that may be temporary.

use crate::model::{ErrorKind, Time};
use crate::net::{Client, FetchError, Request, Response};
use crate::util::clock::Clock;
use crate::website::page_retry::{FetchFailure, RetryDecision, decide};
use std::time::Duration;

/// The result of a request with retries.
pub(super) struct Retried {
    pub(super) fetched: Result<Response, FetchError>,
    /// Requests sent, including redirects.
    pub(super) sent: u32,
    /// Whether newsfed has waited as long as the host asked, so its pause no longer applies.
    pub(super) waited_for_pause: bool,
    /// Whether the host asked for a pause that is longer than a poll can wait.
    pub(super) is_host_paused: bool,
}

/// Sends a request until it succeeds or [`decide`] gives up; `failure` decides which results are worth a
/// retry.
pub(super) async fn fetch(
    client: &Client,
    clock: &dyn Clock,
    seed: u64,
    request: Request,
    failure: fn(&Result<Response, FetchError>, Time) -> Option<FetchFailure>,
) -> Retried {
    let (mut waited, mut total, mut tries) = (Duration::ZERO, 0, 0);
    let mut waited_for_pause = false;
    loop {
        let force = request.force || waited_for_pause;
        let fetched = client.fetch(Request { force, ..request.clone() }).await;
        let requests = sent(&fetched);
        total += requests;
        tries += u32::from(requests > 0);
        let done = |fetched, is_host_paused| Retried {
            fetched,
            sent: total,
            waited_for_pause,
            is_host_paused,
        };
        let Some(failure) = failure(&fetched, clock.now()) else { return done(fetched, false) };
        match decide(failure, tries.max(1), waited, seed) {
            RetryDecision::Wait(wait) => {
                // This response must not occupy memory during the wait for the next one.
                drop(fetched);
                waited += wait;
                let wait = chrono::TimeDelta::from_std(wait).unwrap_or_default();
                clock.sleep_until(clock.now() + wait).await;
                waited_for_pause |= matches!(failure, FetchFailure::Status(429 | 503, _));
            }
            RetryDecision::Leave => return done(fetched, false),
            RetryDecision::LeaveHost => return done(fetched, true),
        }
    }
}

/// Rate limits, errors of the server, and temporary errors of the connection.
pub(super) fn temporary(fetched: &Result<Response, FetchError>) -> Option<FetchFailure> {
    match fetched {
        Ok(r) if r.status == 429 || r.status >= 500 => {
            Some(FetchFailure::Status(r.status, r.cache.retry_after))
        }
        Err(e) if e.is_offline() || e.is_local() => None,
        Err(e) if e.kind() == ErrorKind::Transient => Some(FetchFailure::Network),
        _ => None,
    }
}

/// Number of requests that a response took.
pub(super) fn sent(fetched: &Result<Response, FetchError>) -> u32 {
    match fetched {
        Ok(response) => 1 + u32::try_from(response.hops.len()).unwrap_or(u32::MAX - 1),
        // No request was sent.
        Err(FetchError::Paused { .. } | FetchError::Robots { .. }) => 0,
        Err(e) if e.kind() == ErrorKind::User || e.is_local() => 0,
        Err(_) => 1,
    }
}
