//! The part of newsfed behind the interface: settings, database, HTTP client, background tasks.
//!
//! ARCHITECTURE.md describes the modules.

#![forbid(unsafe_code)]

use newsfed_core::{
    article, crawl, dataset, discover, exchange, feed, greader, mail, model, query, save, schedule,
    sitemap, story, util, website,
};

pub mod api;
pub mod backup;
pub mod config;
pub mod engine;
pub mod net;
pub mod serve;
pub mod store;
