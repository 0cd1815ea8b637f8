//! Simulates what a policy would have done with a real or synthetic history: polls, delays, misses.
//!
//! The first poll is at the start of a timeline. A poll sees the newest items, usually 20. The delay of an
//! item is the time from its publication to the first poll after it. An item is missed if it is no longer
//! among the newest items by then. Polls before the end of the timeline are counted. One more poll picks up
//! the rest.

mod budget;
mod figures;
mod replay;
mod synthetic;
mod timeline;

pub use budget::{BUDGETS, at_budget, first_parameter, fit};
pub use figures::{Figures, Phase, figures, weeks};
pub use replay::{Controlled, Replay, Replaying, Run, Scheduler, Simulated};
pub use synthetic::{RateChange, Synthetic, changed};
pub use timeline::{Timeline, TimelineError, read};

/// Number of items that a feed usually lists at once.
pub const WINDOW: usize = 20;

#[cfg(test)]
mod arithmetic_tests;
#[cfg(test)]
mod tests;
