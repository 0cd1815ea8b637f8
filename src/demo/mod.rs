//! A small network of its own on loopback, for the tour and for tests.
//!
//! `server.rs` is an HTTP server whose answers are given by a function. `world.rs` is the set of
//! fictional sites of `newsfed demo`, whose texts lie in `assets/demo`; `sites.rs` reads them,
//! `render.rs` writes them as feeds and pages. `prepare.rs` makes a temporary home for a tour.

mod prepare;
mod render;
pub mod server;
mod sites;
mod world;

pub use prepare::{Prepared, prepare};
pub use world::World;
