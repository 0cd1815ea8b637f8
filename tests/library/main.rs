//! Tests of the library that do not run the program: module boundaries, the example configuration, schemas,
//! suggested selectors, and fuzz seeds.

#![allow(clippy::unwrap_used, reason = "a test that cannot be set up has failed")]
#![allow(clippy::print_stdout, reason = "reports what was measured")]

mod architecture;
mod config;
mod config_schema;
mod docs;
mod fuzz_seeds;
mod limits;
mod lists;
mod markdown;
#[cfg(unix)]
mod packaging;
mod stories;
