//! Decides when the page of an item is fetched again.

use crate::model::Time;
use chrono::TimeDelta;

/// Ages of an article at which its page is refreshed. After the last age, it is never refreshed.
const AGES: [TimeDelta; 5] = [
    TimeDelta::hours(1),
    TimeDelta::hours(4),
    TimeDelta::days(1),
    TimeDelta::days(3),
    TimeDelta::days(7),
];
/// Minimum time between two requests for the same page.
const MIN: TimeDelta = TimeDelta::minutes(30);
/// Delays after consecutive temporary failures. After the last one there is no further retry.
const WAITS: [TimeDelta; 3] = [TimeDelta::minutes(20), TimeDelta::hours(4), TimeDelta::days(1)];

/// The next fetch after the page of an article with this publication date was read.
pub(super) fn after_success(published: Time, now: Time) -> Option<Time> {
    AGES.into_iter().map(|age| published + age).find(|at| *at >= now + MIN)
}

/// The next fetch after `tries` consecutive temporary failures.
pub(super) fn after_failure(tries: u32, now: Time) -> Option<Time> {
    let index = usize::try_from(tries).unwrap_or(usize::MAX).saturating_sub(1);
    WAITS.get(index).map(|wait| now + *wait)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refetches_become_rarer_and_stop() {
        let published = Time::from_timestamp(0, 0).unwrap();
        let (mut now, mut hours) = (published + TimeDelta::minutes(10), Vec::new());
        while let Some(next) = after_success(published, now) {
            hours.push((next - published).num_hours());
            now = next;
        }
        assert_eq!(hours, [1, 4, 24, 72, 168]);
        // If the first fetch is shortly before one of the ages, that age is skipped.
        let late = after_success(published, published + TimeDelta::minutes(45));
        assert_eq!(late, Some(published + TimeDelta::hours(4)));
        assert_eq!(after_success(published, published + TimeDelta::days(30)), None);
    }

    #[test]
    fn stops_after_three_failures() {
        let now = Time::from_timestamp(0, 0).unwrap();
        let minutes = |tries| after_failure(tries, now).map(|at| (at - now).num_minutes());
        assert_eq!([1, 2, 3, 4].map(minutes), [Some(20), Some(240), Some(1440), None]);
    }
}
