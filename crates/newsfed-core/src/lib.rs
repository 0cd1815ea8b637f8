//! The parts of newsfed that need no network and no database: bytes and times in, data out. Only `util` reads
//! the clock and starts programs.
//!
//! ARCHITECTURE.md describes the modules.

#![forbid(unsafe_code)]

/// Extracts the article of a page: document tree, metadata, versions.
pub mod article;
/// The focused crawler: learns which links lead to targets.
pub mod crawl;
/// Data files: what changes in their tables.
pub mod dataset;
/// URL -> the ways to follow it.
pub mod discover;
/// Items and marks of other readers and services.
pub mod exchange;
/// RSS, Atom and JSON Feed -> entries, and items -> feeds.
pub mod feed;
/// The Google Reader API: identifiers, streams, requests, responses.
pub mod greader;
/// Emails -> a JSON Feed.
pub mod mail;
/// Plain data shared by every module.
pub mod model;
/// The search language.
pub mod query;
/// Articles -> files for reading elsewhere: Markdown, HTML, EPUB.
pub mod save;
/// When to poll next.
pub mod schedule;
/// Sitemaps -> the pages worth fetching.
pub mod sitemap;
/// Which items of different sources are about one story.
pub mod story;
/// Clock, text, HTML, URLs.
pub mod util;
/// Sites without feeds: selectors, articles, pagination, proposals.
pub mod website;
