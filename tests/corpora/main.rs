//! Measurements with reference data in a folder next to the project:
//! `cargo test --test corpora -- --nocapture`. Without the data, each test prints a note and passes.

#![allow(clippy::unwrap_used, reason = "a test that cannot be set up has failed")]
#![allow(
    clippy::print_stdout,
    clippy::panic,
    clippy::expect_used,
    reason = "reports what was measured"
)]

#[path = "../reference/mod.rs"]
mod reference;

mod conformance;
mod crawl;
mod extract;
mod figures;
mod net;
mod opml;
mod sync;
mod website;
