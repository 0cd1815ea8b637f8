//! A small set of sites on loopback, for the demo and for tests.
//!
//! `world.rs` starts the fictional sites of `newsfed demo`; their texts are in `assets/demo`. `sites.rs`
//! parses them, `render.rs` renders them as feeds and pages, and `prepare.rs` creates temporary folders for
//! the demo.

mod prepare;
mod render;
mod sites;
mod world;

pub use crate::serve::scripted as server;
pub use prepare::{PreparedDemo, prepare};
pub use world::World;
