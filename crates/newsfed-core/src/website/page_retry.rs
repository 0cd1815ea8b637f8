//! Decides what to do if a page could not be fetched.

use std::time::Duration;

/// Maximum number of attempts per page.
pub const MAX_TRIES: u32 = 3;
/// Maximum total waiting time per page.
pub const BUDGET: Duration = Duration::from_secs(60);
/// Wait after a 429 without `Retry-After`.
pub const UNNAMED: Duration = Duration::from_secs(30);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FetchFailure {
    /// No response in time, or a broken connection.
    Network,
    /// An error status, with its `Retry-After`.
    Status(u16, Option<Duration>),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RetryDecision {
    /// Fetch again after this time.
    Wait(Duration),
    /// Skip this page.
    Leave,
    /// Skip this host: it is rate-limited for longer than a poll can wait.
    LeaveHost,
}

/// Decides what to do after the failure of attempt `tries` (from 1), when `waited` has already been spent. A
/// network error or 5xx is retried after 1 s and 2 s, give or take a fifth (`seed`). A 429, or a 503 with
/// `Retry-After`, is retried after that time ([`UNNAMED`] for a 429 without it). Other statuses are not
/// retried.
pub fn decide(failure: FetchFailure, tries: u32, waited: Duration, seed: u64) -> RetryDecision {
    if tries >= MAX_TRIES {
        let limited = matches!(failure, FetchFailure::Status(429, _));
        return if limited { RetryDecision::LeaveHost } else { RetryDecision::Leave };
    }
    let wait = match failure {
        FetchFailure::Status(429, asked) => asked.unwrap_or(UNNAMED),
        FetchFailure::Status(503, Some(asked)) => asked,
        FetchFailure::Network | FetchFailure::Status(500.., _) => {
            let whole = Duration::from_secs(1 << (tries - 1).min(8));
            whole.mul_f64(0.8 + 0.4 * fastrand::Rng::with_seed(seed).f64())
        }
        FetchFailure::Status(..) => return RetryDecision::Leave,
    };
    if waited.saturating_add(wait) <= BUDGET {
        return RetryDecision::Wait(wait);
    }
    if matches!(failure, FetchFailure::Status(429 | 503, _)) {
        RetryDecision::LeaveHost
    } else {
        RetryDecision::Leave
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_briefly_or_gives_up() {
        let s = Duration::from_secs;
        let none = Duration::ZERO;
        let cases = [
            (FetchFailure::Status(404, None), 1, none, RetryDecision::Leave),
            (FetchFailure::Status(429, Some(s(1))), 1, none, RetryDecision::Wait(s(1))),
            (FetchFailure::Status(429, None), 1, none, RetryDecision::Wait(s(30))),
            (FetchFailure::Status(429, None), 2, s(40), RetryDecision::LeaveHost),
            (FetchFailure::Status(429, Some(s(86_400))), 1, none, RetryDecision::LeaveHost),
            (FetchFailure::Status(503, Some(s(5))), 1, none, RetryDecision::Wait(s(5))),
            (FetchFailure::Status(503, None), 3, none, RetryDecision::Leave),
            (FetchFailure::Network, 3, none, RetryDecision::Leave),
            (FetchFailure::Network, 2, s(60), RetryDecision::Leave),
        ];
        for (failure, tries, waited, want) in cases {
            assert_eq!(decide(failure, tries, waited, 7), want, "{failure:?}");
        }
    }

    #[test]
    fn delay_doubles_with_each_retry() {
        for seed in 0..50 {
            for (tries, whole) in [(1, 1.0), (2, 2.0)] {
                let found = decide(FetchFailure::Status(500, None), tries, Duration::ZERO, seed);
                let RetryDecision::Wait(wait) = found else { panic!("{found:?}") };
                assert!((wait.as_secs_f64() / whole - 1.0).abs() <= 0.2, "{wait:?}");
            }
        }
    }
}
