//! The parts of newsfed that need no network and no database. Only `util` reads the clock and starts
//! programs.
//!
//! ARCHITECTURE.md describes the modules.

#![forbid(unsafe_code)]

pub mod article;
pub mod crawl;
pub mod dataset;
pub mod discover;
pub mod exchange;
pub mod feed;
pub mod greader;
pub mod mail;
pub mod model;
pub mod query;
pub mod save;
pub mod schedule;
pub mod sitemap;
pub mod story;
pub mod util;
pub mod website;
