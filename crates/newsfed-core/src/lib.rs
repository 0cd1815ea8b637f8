//! The parts of newsfed that need no network and no database. Only `util` reads the clock and starts
//! programs.
//!
//! ARCHITECTURE.md describes the modules.

#![forbid(unsafe_code)]

/// Extracts the article of a page: document tree, metadata and versions.
pub mod article;
/// The focused crawler: learns which links lead to targets.
pub mod crawl;
/// Data files, and the changes in their tables.
pub mod dataset;
/// Detects the ways to follow a URL.
pub mod discover;
/// Items and marks of other readers and services.
pub mod exchange;
/// Parses RSS, Atom and JSON Feed, and writes items as feeds.
pub mod feed;
/// The Google Reader API: identifiers, streams, requests, responses.
pub mod greader;
/// Converts emails to a JSON Feed.
pub mod mail;
/// Plain data types used by all modules.
pub mod model;
/// The search language.
pub mod query;
/// Saves articles for reading elsewhere: Markdown, HTML, EPUB.
pub mod save;
/// Decides when to poll next.
pub mod schedule;
/// Reads sitemaps for the pages worth fetching.
pub mod sitemap;
/// Finds items of different sources about the same story.
pub mod story;
/// Clock, text, HTML, URLs.
pub mod util;
/// Sites without feeds: selectors, articles, pagination, proposals.
pub mod website;
