//! The time, behind a trait so that tests can set it.

use crate::model::Time;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::watch;

/// A pending wait.
pub type Sleep<'a> = Pin<Box<dyn Future<Output = ()> + Send + 'a>>;

/// Where the time comes from.
pub trait Clock: Send + Sync + 'static {
    /// The present moment.
    fn now(&self) -> Time;

    /// Waits until `now()` has reached `at`; returns at once when it already has.
    fn sleep_until(&self, at: Time) -> Sleep<'_>;
}

/// The machine's clock.
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemClock;

/// A sleeping laptop stops the timers but not the clock, so long waits look at it this often.
const RECHECK: Duration = Duration::from_secs(60);

impl Clock for SystemClock {
    fn now(&self) -> Time {
        chrono::Utc::now()
    }

    fn sleep_until(&self, at: Time) -> Sleep<'_> {
        Box::pin(async move {
            while let Ok(rest) = (at - self.now()).to_std() {
                if rest.is_zero() {
                    break;
                }
                tokio::time::sleep(rest.min(RECHECK)).await;
            }
        })
    }
}

/// The first moment of a day in a zone. Some zones set their clocks forward at midnight, so that a
/// day of theirs begins later; `None` for a day that a zone leaves out.
pub fn start_of_day<Z: chrono::TimeZone>(day: chrono::NaiveDate, zone: &Z) -> Option<Time> {
    let quarter =
        |n: i64| day.and_time(chrono::NaiveTime::MIN) + chrono::TimeDelta::minutes(15 * n);
    // No zone has ever jumped by more than three hours without leaving out the whole day.
    let first = (0..=12).find_map(|n| zone.from_local_datetime(&quarter(n)).earliest());
    first.map(|t| t.with_timezone(&chrono::Utc))
}

/// A clock that only moves when told to. Clones share the time.
#[derive(Debug, Clone)]
pub struct FakeClock {
    time: Arc<watch::Sender<Time>>,
}

impl FakeClock {
    /// A clock that stands at `start`.
    pub fn new(start: Time) -> Self {
        Self { time: Arc::new(watch::Sender::new(start)) }
    }

    /// Moves the clock to a moment, which may lie in the past.
    pub fn set(&self, to: Time) {
        self.time.send_replace(to);
    }

    /// Moves the clock forward.
    pub fn advance(&self, by: Duration) {
        self.time.send_modify(|t| *t += by);
    }
}

impl Clock for FakeClock {
    fn now(&self) -> Time {
        *self.time.borrow()
    }

    fn sleep_until(&self, at: Time) -> Sleep<'_> {
        let mut times = self.time.subscribe();
        Box::pin(async move {
            // The sender lives as long as `self`, so the wait cannot fail.
            let _ = times.wait_for(|now| *now >= at).await;
        })
    }
}
