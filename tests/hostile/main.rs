//! Input made to harm, end to end: made by a script that lies beside the project, served over
//! loopback, followed by the program, listed, and read in the interface.
//!
//! Not part of the plain test run: `cargo test --test hostile`, with `NEWSFED_HOSTILE` for another
//! variant of the files. Without the script or python3 every test says so and passes. Times are
//! told, and asserted in release builds only.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on is to fail")]
#![allow(clippy::print_stdout, reason = "it tells what was skipped and what was slow")]

mod clean;
mod corpus;
mod harm;
mod lists;
mod panes;
#[path = "../reference/mod.rs"]
#[allow(dead_code, reason = "shared with other tests")]
mod reference;
#[path = "../tui/term.rs"]
#[allow(dead_code, reason = "shared with the tests of the interface")]
mod term;
#[path = "../tui/world.rs"]
#[allow(dead_code, reason = "shared with the tests of the interface")]
mod world;
