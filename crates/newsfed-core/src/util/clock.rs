//! The time, behind a trait so that tests can set it.

use crate::model::Time;
use std::pin::Pin;
use std::sync::Arc;
use std::time::{Duration, SystemTime};
use tokio::sync::watch;

/// A pending wait.
pub type Sleep<'a> = Pin<Box<dyn Future<Output = ()> + Send + 'a>>;

/// A source of time.
pub trait Clock: Send + Sync + 'static {
    fn now(&self) -> Time;

    /// Waits until `now()` has reached `at`. Returns immediately if it already has.
    fn sleep_until(&self, at: Time) -> Sleep<'_>;
}

/// The system clock.
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemClock;

/// Suspending a laptop stops timers but not the clock, so long waits check the clock this often.
const RECHECK: Duration = Duration::from_secs(60);

impl Clock for SystemClock {
    fn now(&self) -> Time {
        // `Utc::now` panics before 1970.
        SystemTime::now().into()
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

/// The first moment of a day in a time zone. Some zones move their clocks forward at midnight, so
/// that the day begins later. `None` for a day that a zone skipped.
pub fn start_of_day<Z: chrono::TimeZone>(day: chrono::NaiveDate, zone: &Z) -> Option<Time> {
    let quarter =
        |n: i64| day.and_time(chrono::NaiveTime::MIN) + chrono::TimeDelta::minutes(15 * n);
    // No zone has ever moved by more than three hours without skipping a whole day.
    let first = (0..=12).find_map(|n| zone.from_local_datetime(&quarter(n)).earliest());
    first.map(|t| t.with_timezone(&chrono::Utc))
}

/// A clock that only moves when a test moves it. Clones share the time.
#[derive(Debug, Clone)]
pub struct FakeClock {
    time: Arc<watch::Sender<Time>>,
}

impl FakeClock {
    pub fn new(start: Time) -> Self {
        Self { time: Arc::new(watch::Sender::new(start)) }
    }

    /// Sets the clock, possibly to the past.
    pub fn set(&self, to: Time) {
        self.time.send_replace(to);
    }

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
            // The sender lives as long as `self`, so this wait cannot fail.
            let _ = times.wait_for(|now| *now >= at).await;
        })
    }
}
