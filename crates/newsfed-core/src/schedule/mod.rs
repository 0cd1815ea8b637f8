//! When to poll next: what a policy wants, and what feeds and servers allow. Pure: times in,
//! times out.

mod advarss;
mod bytes;
mod change_rate;
mod explain;
mod fixed;
mod learned;
pub mod limits;
mod memory;
mod price;
mod prior;
mod seconds;
pub mod simulate;
mod window;

pub use advarss::{AdvaRss, AdvaRssParameters};
pub use change_rate::{ChangeRate, ChangeRateParameters};
pub use explain::{Explanation, Gaps, Pulse, explain, gaps, pulse};
pub use fixed::Fixed;
pub use learned::{Learned, LearnedParameters, Week, least_saving};
pub use limits::{Decision, PollContext, ResponseFacts, ResponseKind, decide};
pub use memory::{Memory, Setup, is_learned, waiting};
pub use price::{Control, price_for};
pub use prior::{Clues, first_gap, own_gap};
pub use window::{quiet_until, skipped_until};

use crate::model::Time;
use std::time::Duration;

/// Decides when to poll a source next. There is one instance per source: it is restored before a poll,
/// observes the result, and is saved after the poll.
pub trait Policy {
    /// Records a successful poll at `now` and its new items, oldest first. An item without a date
    /// is `None`. An unchanged document gives an empty slice. Do not call it after a failed poll,
    /// which shows nothing about the source.
    fn observe(&mut self, items: &[Option<Time>], now: Time);

    /// When to poll next, later than `now`. The limits of [`limits`] are applied on top.
    fn plan(&self, now: Time) -> Time;

    /// The state, at most 512 bytes. Restoring it gives the same plans.
    fn save(&self) -> Vec<u8>;
}

/// Maximum jitter, so that sources are not polled at the same time.
const MAX_JITTER: Duration = Duration::from_secs(60);

/// A planned poll, delayed by up to 5 % or a minute. `seed` differs between sources; the same seed
/// gives the same time.
pub fn jittered(wanted: Time, now: Time, seed: u64) -> Time {
    let wait = (wanted - now).to_std().unwrap_or_default();
    let most = (wait / 20).min(MAX_JITTER).as_millis();
    let mut random = fastrand::Rng::with_seed(seed ^ now.timestamp().unsigned_abs());
    let jitter = random.u64(0..=most.try_into().unwrap_or(u64::MAX));
    limits::after(wanted, Duration::from_millis(jitter))
}

#[cfg(test)]
#[path = "policy_tests.rs"]
mod tests;
