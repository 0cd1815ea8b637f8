//! A small network on loopback, for the demo and for tests.
//!
//! `server.rs` is an HTTP server whose responses come from a function. `world.rs` is the set of
//! fictional sites of `newsfed demo`, with their texts in `assets/demo`; `sites.rs` reads them,
//! `render.rs` renders them as feeds and pages. `prepare.rs` makes a temporary home for the demo.

mod prepare;
mod render;
pub mod server;
mod sites;
mod world;

pub use prepare::{Prepared, prepare};
pub use world::World;
