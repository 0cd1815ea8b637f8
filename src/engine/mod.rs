//! The background task: plan -> fetch -> ingest -> store -> announce.
//!
//! [`Engine::start`] spawns it and returns the [`Handle`] through which the panes and the command
//! line speak with it. `run.rs` is the loop, `look.rs` one look at one source.

mod budget;
mod context;
pub mod crawl;
mod explore;
mod follow;
mod fulltext;
mod handle;
mod look;
mod message;
mod part;
mod plan;
mod queue;
mod run;
mod settle;
mod setup;
mod site;
mod upkeep;
mod verdict;
mod why;
mod words;
mod workbench;

pub use follow::{FollowError, access};
pub use fulltext::{PrefetchPlan, TextGot};
pub use handle::{Engine, Handle};
pub use message::{Discovery, Pace, Refreshed, Removed, Report, Role, Status, Way};
pub use plan::{HORIZON, Plan, plan};
pub use setup::setup;
// What a prefetch chooses from.
pub use crate::store::Kept;
pub use why::{Glance, LookTold, Rhythm, Why, glance, rhythm, why};
pub use words::{HOURS, Told, broken};
#[cfg(test)]
pub(crate) use workbench::Rehearsal;
pub use workbench::{Offer, Place, Preview, Said, Subject, Workbench};
// What is told of pages there.
pub use crate::website::{ArticleTold, Found, ListLink, Listed, Outline, OutlineLine, Part};
// The panes know the engine, and this is part of what it tells.
pub use crate::schedule::{Explanation, Gaps, Pulse};
