//! newsfed: a news reader for people who live in a terminal.
//!
//! The map of the house is in ARCHITECTURE.md; each line below is one room.

pub mod article; // the article in a page: the document tree and its text
pub mod cli; // the command line: arguments, and one file per command
pub mod config; // what people declare: settings, sources, keys, themes
pub mod crawl; // the focused crawler: which links lead to what is looked for
pub mod demo; // the small network that the tour and the tests run on
pub mod discover; // any address -> the ways in which it can be followed
pub mod engine; // the background task: plan, fetch, ingest, store, announce
pub mod feed; // RSS, Atom and JSON Feed -> entries
pub mod model; // plain data shared by every room
pub mod net; // the only door to the network
pub mod query; // the language of searches
pub mod schedule; // when to look again
pub mod sitemap; // robots.txt Sitemap lines, indexes, url sets, news sitemaps
pub mod store; // SQLite: the only owner of the database
pub mod tui; // the interface
pub mod util; // clock, text, addresses
pub mod website; // sites without feeds: selectors, articles, pagination, proposals
