//! When to look again: what a policy wants, and what feeds and servers allow. Pure: times in,
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
pub use learned::{Learned, LearnedParameters, Week};
pub use limits::{Decision, PollContext, ResponseFacts, ResponseKind, decide};
pub use memory::{Memory, Setup, is_learned, waiting};
pub use price::{Control, price_for};
pub use prior::{Clues, first_gap, own_gap};
pub use window::{quiet_until, skipped_until};

use crate::model::Time;
use std::time::Duration;

/// Decides when a source is worth the next poll. One value belongs to one source; it is loaded
/// before a poll, told what came, and saved after it.
pub trait Policy {
    /// The look at `now` brought these items that were not known before, oldest first; an item
    /// without a date of its own is `None`. An unchanged document is an empty slice. Not to be
    /// called when a poll failed: that says nothing about the source.
    fn observe(&mut self, items: &[Option<Time>], now: Time);

    /// When it wants to look next, later than `now`. The rules of [`limits`] come on top.
    fn plan(&self, now: Time) -> Time;

    /// Its state, at most 512 bytes; loading it gives the same plans.
    fn save(&self) -> Vec<u8>;
}

/// Largest delay added so that sources do not stay in step.
const MOST_JITTER: Duration = Duration::from_secs(60);

/// A wanted look, up to 5 % or a minute later. `seed` tells sources apart; the same seed gives the
/// same moment.
pub fn jittered(wanted: Time, now: Time, seed: u64) -> Time {
    let wait = (wanted - now).to_std().unwrap_or_default();
    let most = (wait / 20).min(MOST_JITTER).as_millis();
    let mut random = fastrand::Rng::with_seed(seed ^ now.timestamp().unsigned_abs());
    let jitter = random.u64(0..=most.try_into().unwrap_or(u64::MAX));
    limits::after(wanted, Duration::from_millis(jitter))
}

#[cfg(test)]
#[path = "policy_tests.rs"]
mod tests;
