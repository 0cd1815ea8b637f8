//! Whether the network is available, and what its loss means for polls.

use super::context::Context;
use crate::model::{SourceFacts, Time};
use crate::schedule::limits::OFFLINE;
use chrono::TimeDelta;
use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Distinguishes a lost network from failing hosts: the network is considered lost if several hosts that did
/// not fail before are unreachable, and no host has responded for a while.
#[derive(Debug, Default)]
pub(super) struct Connectivity {
    state: Mutex<Reachable>,
}

#[derive(Debug, Default)]
struct Reachable {
    /// For each unreachable host, the sources that were polled there.
    unreachable: HashMap<String, HashSet<i64>>,
    /// When the first of the unreachable hosts was found.
    since: Option<Time>,
    /// When a host last responded.
    responded_at: Option<Time>,
    /// The network is considered lost when this many hosts are unreachable.
    enough: usize,
}

impl Reachable {
    fn is_lost(&self) -> bool {
        self.enough > 0 && self.unreachable.len() >= self.enough
    }
}

/// The network is considered lost when this many hosts are unreachable; fewer if there are fewer hosts.
const OFFLINE_AFTER: usize = 3;
/// If a response is more recent than this, the network is available.
const RECENTLY_REACHED: TimeDelta = TimeDelta::minutes(10);
/// A response within this time after the first failure shows that the network was available all along.
const RECENTLY_LOST: TimeDelta = TimeDelta::minutes(1);

/// What the result of a request reveals about the network.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Reach {
    /// The network is available.
    Online,
    /// The network is considered lost.
    Offline,
    /// The network is considered lost from now on. These sources were wrongly recorded as failing.
    Lost(Vec<i64>),
}

impl Connectivity {
    /// Records that a host responded, or that a failure was the host's own. Returns the sources whose
    /// failures were wrongly attributed to the network.
    pub(super) fn reached(&self, now: Time) -> Vec<i64> {
        let mut state = self.state();
        let lost = state.is_lost();
        let wrong = lost && state.since.is_some_and(|since| now - since <= RECENTLY_LOST);
        let hosts = std::mem::take(&mut state.unreachable);
        (state.since, state.responded_at) = (None, Some(now));
        if wrong { hosts.into_values().flatten().collect() } else { Vec::new() }
    }

    /// Records that a host was unreachable during a poll of a source that was not failing before. A source
    /// that was already failing is no evidence about the network.
    ///
    /// `hosts` is the total number of hosts: if there are only two, two unreachable hosts are enough.
    pub(super) fn unreachable(&self, host: String, source: i64, hosts: usize, now: Time) -> Reach {
        let enough = OFFLINE_AFTER.min(hosts).max(2);
        let mut state = self.state();
        state.enough = enough;
        if state.responded_at.is_some_and(|at| now - at < RECENTLY_REACHED) {
            return Reach::Online;
        }
        state.since.get_or_insert(now);
        let hosts = &mut state.unreachable;
        let before = hosts.len();
        let earlier = hosts.values().flatten().copied().filter(|key| *key != source).collect();
        hosts.entry(host).or_default().insert(source);
        match (before >= enough, hosts.len() >= enough) {
            (true, _) => Reach::Offline,
            (false, true) => Reach::Lost(earlier),
            (false, false) => Reach::Online,
        }
    }

    /// Whether the network is considered lost.
    pub(super) fn is_offline(&self) -> bool {
        self.state().is_lost()
    }

    fn state(&self) -> MutexGuard<'_, Reachable> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Records that the network is available. Failures that were wrongly attributed to the network are now
/// recorded as failures of their sources.
pub(super) async fn reached(context: &Context) {
    for key in context.network.reached(context.clock.now()) {
        amend(context, key, |facts| facts.fail_count += 1).await;
    }
}

/// Records that a host cannot be reached; returns whether the network is lost. If this failure is the first
/// to show that, the earlier failures are cleared, and their sources are polled again soon.
pub(super) async fn lost(context: &Arc<Context>, host: String, key: i64) -> bool {
    let earlier = match context.network.unreachable(host, key, context.hosts(), context.clock.now())
    {
        Reach::Online => return false,
        Reach::Offline => return true,
        Reach::Lost(earlier) => earlier,
    };
    for key in earlier {
        let next = context.clock.now() + OFFLINE;
        let forgive = move |facts: &mut SourceFacts| {
            facts.fail_count = facts.fail_count.saturating_sub(1);
            facts.next_poll = facts.next_poll.map(|at| at.min(next));
        };
        amend(context, key, forgive).await;
    }
    true
}

/// Corrects the facts that an earlier poll stored for a source.
async fn amend(context: &Context, key: i64, change: impl Fn(&mut SourceFacts) + Send + 'static) {
    if let Err(e) = context.store.change_facts(key, change).await {
        tracing::error!("cannot correct the stored state of a source: {e}");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_unreachable_hosts_mean_a_lost_network() {
        let network = Connectivity::default();
        let at = |minutes: i64| Time::from_timestamp(minutes * 60, 0).unwrap();
        let fails = |host: &str, key, now| network.unreachable(host.to_owned(), key, 9, now);
        assert_eq!((fails("a", 1, at(0)), fails("b", 2, at(0))), (Reach::Online, Reach::Online));
        assert!(network.reached(at(0)).is_empty());
        for (host, key) in [("a", 1), ("b", 2), ("c", 3), ("d", 4)] {
            assert_eq!(fails(host, key, at(5)), Reach::Online, "a host responded 5 minutes ago");
        }
        assert_eq!(
            (fails("a", 1, at(20)), fails("a", 3, at(20))),
            (Reach::Online, Reach::Online),
            "one host"
        );
        assert_eq!(fails("b", 2, at(20)), Reach::Online);
        let Reach::Lost(mut earlier) = fails("c", 4, at(20)) else { panic!("three hosts") };
        earlier.sort_unstable();
        assert_eq!(earlier, [1, 2, 3]);
        assert_eq!(fails("d", 5, at(21)), Reach::Offline);
        assert!(network.is_offline());
        assert!(network.reached(at(30)).is_empty(), "the network has come back");
        assert!(!network.is_offline());
    }

    #[test]
    fn unreachable_hosts_are_failing_if_another_responds() {
        let network = Connectivity::default();
        let now = Time::from_timestamp(0, 0).unwrap();
        for (key, host) in ["a", "b", "c"].into_iter().enumerate() {
            network.unreachable(host.to_owned(), key as i64, 9, now);
        }
        let mut blamed = network.reached(now);
        blamed.sort_unstable();
        assert_eq!(blamed, [0, 1, 2]);
    }
}
