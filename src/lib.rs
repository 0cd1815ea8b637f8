//! newsfed: a news reader for people who work in a terminal.
//!
//! ARCHITECTURE.md describes the modules and the crates.

#![forbid(unsafe_code)]

pub use newsfed_core::{
    article, crawl, dataset, discover, exchange, feed, greader, mail, model, query, save, schedule,
    sitemap, story, util, website,
};
pub use newsfed_engine::{api, backup, config, engine, net, serve, store};

/// The command line: arguments, and one file per command.
pub mod cli;
/// Fictional sites on loopback, for the demo and the tests.
pub mod demo;
/// The interface.
pub mod tui;
