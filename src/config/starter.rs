//! Sources to begin with.

use super::load::check_sources;
use crate::model::Source;
use std::path::Path;

const STARTER_SOURCES: &str = include_str!("../../assets/starter-sources.toml");

/// A dozen of well-known public feeds in folders, for those who have none yet.
pub fn starter_sources() -> Vec<Source> {
    // The list is part of the program and loaded by a test, so that it cannot have faults.
    let (sources, _) =
        check_sources(Path::new("starter-sources.toml"), STARTER_SOURCES).unwrap_or_default();
    sources.into_iter().map(|(_, source)| source).collect()
}
