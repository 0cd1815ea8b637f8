//! When to look again: what a policy wants, and what feeds and servers allow. Pure: times in,
//! times out.

mod fixed;
pub mod limits;
mod window;

pub use fixed::Fixed;
pub use limits::{Answer, AnswerKind, Decision, Look, decide};
pub use window::skipped_until;

use crate::model::Time;

/// Decides when a source is worth the next look. One value belongs to one source; it is loaded
/// before a look, told what came, and saved after it.
pub trait Policy {
    /// The look at `now` brought these items that were not known before, oldest first; an item
    /// without a date of its own is `None`. An unchanged document is an empty slice. Not to be
    /// called when a look failed: that says nothing about the source.
    fn observe(&mut self, items: &[Option<Time>], now: Time);

    /// When it wants to look next, later than `now`. The rules of [`limits`] come on top.
    fn plan(&mut self, now: Time) -> Time;

    /// Its state, at most 512 bytes; loading it gives the same plans.
    fn save(&self) -> Vec<u8>;
}
