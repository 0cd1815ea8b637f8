//! newsfed: a news reader for people who live in a terminal.
//!
//! ARCHITECTURE.md describes the modules.

/// The Google Reader API over the database, for apps.
pub mod api;
/// Extracts the article of a page: document tree, metadata, versions.
pub mod article;
/// Everything of the user in one file, and back.
pub mod backup;
/// The command line: arguments, and one file per command.
pub mod cli;
/// Settings, sources, keys and themes: loads, validates, edits in place.
pub mod config;
/// The focused crawler: learns which links lead to targets.
pub mod crawl;
/// Fictional sites on loopback, for the demo and the tests.
pub mod demo;
/// URL -> the ways to follow it.
pub mod discover;
/// The background task: plan, fetch, ingest, store.
pub mod engine;
/// Items and marks of other readers and services.
pub mod exchange;
/// RSS, Atom and JSON Feed -> entries, and items -> feeds.
pub mod feed;
/// The Google Reader API: identifiers, streams, requests, responses.
pub mod greader;
/// Mails -> a JSON Feed.
pub mod mail;
/// Plain data shared by every module.
pub mod model;
/// The HTTP client: host gate, limits, robots.txt, redirects.
pub mod net;
/// The search language.
pub mod query;
/// Articles -> files for reading elsewhere: Markdown, HTML, EPUB.
pub mod save;
/// When to poll next.
pub mod schedule;
/// A small HTTP server with limits.
pub mod serve;
/// Sitemaps -> the pages worth fetching.
pub mod sitemap;
/// SQLite.
pub mod store;
/// Which items of different sources are about one story.
pub mod story;
/// The interface.
pub mod tui;
/// Clock, text, HTML, URLs.
pub mod util;
/// Sites without feeds: selectors, articles, pagination, proposals.
pub mod website;
