//! The request limiter of each host: one request at a time, spaced, and none while paused.

use crate::model::Time;
use crate::util::clock::Clock;
use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, watch};
use url::Url;

/// Sites whose subdomains belong to one service with a common limit.
const FAMILIES: [&str; 6] =
    ["livejournal.com", "medium.com", "reddit.com", "substack.com", "tumblr.com", "wordpress.com"];
/// Idle hosts are removed once this many are known.
const SWEEP_FROM: usize = 256;

/// The key under which requests to hosts are limited together: the host name without port and
/// `www.`, or the family that it belongs to.
pub fn host_key(url: &Url) -> String {
    let host = url.host_str().unwrap_or_default().trim_end_matches('.');
    let host = host.strip_prefix("www.").unwrap_or(host);
    let member = |family: &&&str| {
        host.strip_suffix(**family).is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
    };
    FAMILIES.iter().find(member).map_or(host, |family| *family).to_owned()
}

/// The limiters of all hosts.
pub(crate) struct Gate {
    clock: Arc<dyn Clock>,
    hosts: Mutex<Hosts>,
    slots: Arc<Semaphore>,
}

struct Hosts {
    by_key: HashMap<String, Arc<Host>>,
    /// Idle hosts are removed when this many are known.
    sweep_at: usize,
}

struct Host {
    turn: Arc<Semaphore>,
    /// The earliest start of the next request, and the spacing before it.
    next_start: Mutex<Option<(Time, Duration)>>,
    paused: watch::Sender<Option<Time>>,
    /// Whether requests to this host overlapped, so that keeping the connection open is useful.
    busy: AtomicBool,
}

/// The right to send one request; released when dropped.
pub(crate) struct Permit {
    _slot: Option<OwnedSemaphorePermit>,
    _turn: Option<OwnedSemaphorePermit>,
    /// Whether other requests to the host are expected soon.
    pub(crate) busy: bool,
}

impl Gate {
    /// A gate that allows `slots` requests at once over all hosts.
    pub(crate) fn new(clock: Arc<dyn Clock>, slots: usize) -> Self {
        let hosts = Hosts { by_key: HashMap::new(), sweep_at: SWEEP_FROM };
        let slots = Arc::new(Semaphore::new(slots.clamp(1, Semaphore::MAX_PERMITS)));
        Self { clock, hosts: Mutex::new(hosts), slots }
    }

    /// Waits for other requests to this host, then for the spacing, then for a free slot; a waiting host
    /// occupies no slot. The next request to this host starts at least `spacing` after this request.
    ///
    /// # Errors
    /// Returns the time until which the host is paused, immediately if the pause begins during the wait.
    /// `force` ignores a pause.
    pub(crate) async fn acquire(
        &self,
        key: &str,
        spacing: Duration,
        force: bool,
    ) -> Result<Permit, Time> {
        let host = self.host(key);
        let turn = self.turn(&host, spacing);
        if force {
            return Ok(turn.await);
        }
        let mut pauses = host.paused.subscribe();
        let paused = pauses.wait_for(|until| until.is_some_and(|at| at > self.clock.now()));
        tokio::select! {
            biased;
            Ok(until) = paused => Err(until.unwrap_or_else(|| self.clock.now())),
            permit = turn => Ok(permit),
        }
    }

    async fn turn(&self, host: &Host, spacing: Duration) -> Permit {
        // The semaphores are never closed, so neither wait fails.
        let turn = match host.turn.clone().try_acquire_owned() {
            Ok(turn) => Some(turn),
            Err(_) => {
                host.busy.store(true, Ordering::Relaxed);
                host.turn.clone().acquire_owned().await.ok()
            }
        };
        let next_start = *lock(&host.next_start);
        if let Some((at, real)) = next_start
            && at > self.clock.now()
        {
            // If the clock is set back, the host waits at most twice the spacing in real time.
            tokio::select! {
                () = self.clock.sleep_until(at) => {}
                () = tokio::time::sleep(real.saturating_mul(2)) => {}
            }
        }
        let slot = self.slots.clone().acquire_owned().await.ok();
        *lock(&host.next_start) = later(self.clock.now(), spacing).map(|at| (at, spacing));
        Permit { _slot: slot, _turn: turn, busy: host.busy.load(Ordering::Relaxed) }
    }

    /// Pauses a host: waiting requests fail, and none starts before `until`. A longer pause is kept.
    pub(crate) fn pause(&self, key: &str, until: Time) {
        self.host(key).paused.send_if_modified(|paused| {
            let longer = paused.is_none_or(|at| until > at);
            if longer {
                *paused = Some(until);
            }
            longer
        });
    }

    pub(crate) fn paused_until(&self, key: &str) -> Option<Time> {
        let hosts = lock(&self.hosts);
        let until = *hosts.by_key.get(key)?.paused.borrow();
        until.filter(|at| *at > self.clock.now())
    }

    fn host(&self, key: &str) -> Arc<Host> {
        let mut hosts = lock(&self.hosts);
        if let Some(host) = hosts.by_key.get(key) {
            return host.clone();
        }
        if hosts.by_key.len() >= hosts.sweep_at {
            let now = self.clock.now();
            hosts.by_key.retain(|_, host| !host.is_idle(now));
            hosts.sweep_at = SWEEP_FROM.max(hosts.by_key.len() * 2);
        }
        let host = Arc::new(Host {
            turn: Arc::new(Semaphore::new(1)),
            next_start: Mutex::new(None),
            paused: watch::Sender::new(None),
            busy: AtomicBool::new(false),
        });
        hosts.by_key.insert(key.to_owned(), host.clone());
        host
    }

    #[cfg(test)]
    fn known_hosts(&self) -> usize {
        lock(&self.hosts).by_key.len()
    }
}

impl Host {
    /// Whether the host can be removed: no request waits or runs, and no pause or spacing is left.
    fn is_idle(self: &Arc<Self>, now: Time) -> bool {
        let ahead = |at: Option<Time>| at.is_some_and(|at| at > now);
        Arc::strong_count(self) == 1
            && self.turn.available_permits() == 1
            && !ahead(lock(&self.next_start).map(|(at, _)| at))
            && !ahead(*self.paused.borrow())
    }
}

fn later(now: Time, by: Duration) -> Option<Time> {
    now.checked_add_signed(chrono::Duration::from_std(by).ok()?)
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::util::clock::FakeClock;
    use futures_util::FutureExt;
    use std::pin::pin;

    const SECOND: Duration = Duration::from_secs(1);
    const HOUR: Duration = Duration::from_secs(3600);

    fn gate(slots: usize) -> (FakeClock, Gate) {
        let clock = FakeClock::new(Time::from_timestamp(1_700_000_000, 0).unwrap());
        (clock.clone(), Gate::new(Arc::new(clock), slots))
    }

    #[test]
    fn hosts_share_a_key_by_name_or_family() {
        let cases = [
            ("http://example.com:81/a", "example.com"),
            ("https://WWW.Example.com./", "example.com"),
            ("https://a.tumblr.com/", "tumblr.com"),
            ("https://old.reddit.com/r/x", "reddit.com"),
            ("https://notreddit.com/", "notreddit.com"),
            ("http://127.0.1.7:9/", "127.0.1.7"),
            ("http://[::1]:9/", "[::1]"),
        ];
        for (url, want) in cases {
            assert_eq!(host_key(&Url::parse(url).unwrap()), want);
        }
    }

    #[tokio::test]
    async fn runs_one_request_per_host_with_spacing() {
        let (clock, gate) = gate(9);
        let first = gate.acquire("a", HOUR, false).await.ok();
        let mut second = pin!(gate.acquire("a", HOUR, false));
        assert!(second.as_mut().now_or_never().is_none(), "the first is running");
        assert!(gate.acquire("b", HOUR, false).now_or_never().is_some(), "another host");
        drop(first);
        assert!(second.as_mut().now_or_never().is_none(), "too soon");
        clock.advance(HOUR - SECOND);
        assert!(second.as_mut().now_or_never().is_none(), "still too soon");
        clock.advance(SECOND);
        assert!(second.now_or_never().is_some_and(|p| p.is_ok_and(|p| p.busy)));
    }

    #[tokio::test]
    async fn a_waiting_host_occupies_no_slot() {
        let (_clock, gate) = gate(1);
        drop(gate.acquire("a", HOUR, false).await);
        let mut spaced = pin!(gate.acquire("a", HOUR, false));
        assert!(spaced.as_mut().now_or_never().is_none());
        let other = gate.acquire("b", HOUR, false).now_or_never();
        assert!(other.is_some());
        assert!(gate.acquire("c", HOUR, false).now_or_never().is_none(), "the only slot is taken");
    }

    #[tokio::test]
    async fn a_cancelled_wait_releases_its_turn() {
        let (_clock, gate) = gate(9);
        let first = gate.acquire("a", Duration::ZERO, false).await;
        {
            let mut waiting = pin!(gate.acquire("a", Duration::ZERO, false));
            assert!(waiting.as_mut().now_or_never().is_none());
        }
        drop(first);
        assert!(gate.acquire("a", Duration::ZERO, false).now_or_never().is_some());
    }

    #[tokio::test]
    async fn a_pause_rejects_waiting_requests() {
        let (clock, gate) = gate(9);
        let first = gate.acquire("a", SECOND, false).await;
        let mut waiting = pin!(gate.acquire("a", SECOND, false));
        assert!(waiting.as_mut().now_or_never().is_none());
        let until = clock.now() + HOUR;
        gate.pause("a", until);
        gate.pause("a", clock.now() + SECOND);
        assert!(matches!(waiting.now_or_never(), Some(Err(at)) if at == until));
        drop(first);
        assert_eq!(gate.paused_until("a"), Some(until));
        assert!(matches!(gate.acquire("a", SECOND, false).await, Err(at) if at == until));
        clock.advance(SECOND);
        assert!(gate.acquire("a", SECOND, true).now_or_never().is_some(), "forced");
        clock.advance(HOUR);
        assert_eq!(gate.paused_until("a"), None);
        assert!(gate.acquire("a", SECOND, false).now_or_never().is_some(), "over");
    }

    #[tokio::test]
    async fn pauses_end_on_time_and_are_never_shortened() {
        let (clock, gate) = gate(9);
        let now = clock.now();
        for (until, want) in [(now, None), (now + HOUR, Some(HOUR)), (now + SECOND, Some(HOUR))] {
            gate.pause("a", until);
            assert_eq!(gate.paused_until("a"), want.map(|wait| now + wait));
        }
        gate.pause("a", now + HOUR + SECOND);
        clock.advance(HOUR);
        assert_eq!(gate.paused_until("a"), Some(now + HOUR + SECOND));
        clock.advance(SECOND);
        assert!(gate.acquire("a", SECOND, false).now_or_never().is_some_and(|p| p.is_ok()));
    }

    #[tokio::test]
    async fn removes_idle_hosts_once_there_are_many() {
        let (clock, gate) = gate(9);
        for n in 0..SWEEP_FROM {
            drop(gate.acquire(&n.to_string(), SECOND, false).await);
        }
        assert_eq!(gate.known_hosts(), SWEEP_FROM, "none is removed before");
        drop(gate.acquire("next", SECOND, false).await);
        assert_eq!(gate.known_hosts(), SWEEP_FROM + 1, "all may be needed within their spacing");
        clock.advance(SECOND);
        for n in 1..SWEEP_FROM {
            drop(gate.acquire(&format!("more{n}"), SECOND, false).await);
        }
        assert_eq!(gate.known_hosts(), SWEEP_FROM * 2, "the next time at twice as many");
        clock.advance(SECOND);
        drop(gate.acquire("last", SECOND, false).await);
        drop(gate.acquire("very last", SECOND, false).await);
        assert!(gate.known_hosts() <= 3, "{}", gate.known_hosts());
    }

    #[tokio::test]
    async fn removes_idle_hosts() {
        let (clock, gate) = gate(9);
        let kept = gate.acquire("kept", SECOND, false).await;
        gate.pause("paused", clock.now() + HOUR * 5);
        for n in 0..5_000 {
            drop(gate.acquire(&n.to_string(), SECOND, false).await);
            clock.advance(SECOND);
        }
        assert!(gate.known_hosts() <= SWEEP_FROM + 1, "{}", gate.known_hosts());
        assert!(gate.paused_until("paused").is_some());
        assert!(gate.acquire("kept", SECOND, false).now_or_never().is_none());
        drop(kept);
    }
}
