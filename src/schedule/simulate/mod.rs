//! What a policy would have done with a real or made-up history: looks, delays, misses.
//!
//! The first poll is at the start of a timeline. A look sees the newest 20 items that are out; the
//! delay of an item is the time from its publication to the first poll after it; it is missed when
//! 20 newer ones are out by then. Looks count until the end of the timeline, and one more takes in
//! what is left.

mod budget;
mod figures;
mod replay;
mod synthetic;
mod timeline;

pub use budget::{BUDGETS, at_budget};
pub use figures::{Figures, Phase};
pub use replay::{Controlled, Replay, Simulated};
pub use synthetic::{Change, Synthetic, changed};
pub use timeline::{Timeline, TimelineError, read};

/// Items that a feed shows at once.
pub const WINDOW: usize = 20;

#[cfg(test)]
mod tests;
