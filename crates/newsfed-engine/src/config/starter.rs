//! The suggested sources for new users.

use super::load::check_sources;
use crate::model::Source;
use std::path::Path;

const STARTER_SOURCES: &str = include_str!("../../assets/starter-sources.toml");

/// About a dozen well-known public feeds, in folders.
pub fn starter_sources() -> Vec<Source> {
    // The list is part of the program, and a test checks that it loads without errors.
    let (sources, _) =
        check_sources(Path::new("starter-sources.toml"), STARTER_SOURCES).unwrap_or_default();
    sources.into_iter().map(|(_, source)| source).collect()
}
