//! The part of newsfed behind the interface: settings, database, HTTP client, background tasks.
//!
//! ARCHITECTURE.md describes the modules.

#![forbid(unsafe_code)]

use newsfed_core::{
    article, crawl, dataset, discover, exchange, feed, greader, mail, model, query, save, schedule,
    sitemap, story, util, website,
};

/// The Google Reader API over the database, for apps.
pub mod api;
/// Writes all of the user's data to one file, and restores the data from such a file.
pub mod backup;
/// Settings, sources, keys and themes: loads, validates, edits in place.
pub mod config;
/// The background task: plan, fetch, ingest, store.
pub mod engine;
/// The HTTP client: host gate, limits, robots.txt, redirects.
pub mod net;
/// A small HTTP server with limits.
pub mod serve;
/// SQLite.
pub mod store;
