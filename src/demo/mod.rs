//! A small network of sites on loopback, for the demo and for tests.
//!
//! `world.rs` is the set of fictional sites of `newsfed demo`, with their texts in `assets/demo`; `sites.rs` reads them,
//! `render.rs` renders them as feeds and pages. `prepare.rs` makes a temporary home for the demo.

mod prepare;
mod render;
mod sites;
mod world;

pub use crate::serve::scripted as server;
pub use prepare::{Prepared, prepare};
pub use world::World;
