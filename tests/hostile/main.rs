//! Hostile input, end to end: a script next to the project generates it, a server on loopback serves it, and
//! the program follows it, lists it, and shows it in the interface.
//!
//! Not part of the default test run. Run with `cargo test --test hostile`. `NEWSFED_HOSTILE` selects another
//! variant of the files. Without the script or python3, each test prints a note and passes. Times are
//! printed, and asserted only in release builds.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that cannot continue should fail")]
#![allow(clippy::print_stdout, reason = "reports what was skipped and what was slow")]

mod clean;
mod corpus;
mod harm;
mod interface;
mod lists;
#[path = "../reference/mod.rs"]
#[allow(dead_code, reason = "shared with other tests")]
mod reference;
#[path = "../tui/term.rs"]
#[allow(dead_code, reason = "shared with the tests of the interface")]
mod term;
#[path = "../tui/world.rs"]
#[allow(dead_code, reason = "shared with the tests of the interface")]
mod world;
