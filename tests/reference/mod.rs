//! The location of the reference data.

// Clippy's exemption for tests does not cover this module.
#![allow(clippy::print_stdout, clippy::unwrap_used)]

use serde_json::Value;
use std::path::{Path, PathBuf};

/// The folder with the reference data: `NEWSFED_CORPORA`, or a folder next to this project. Prints a note and
/// returns `None` if the folder does not exist.
pub(crate) fn corpora() -> Option<PathBuf> {
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/corpora");
    let folder = std::env::var_os("NEWSFED_CORPORA").map_or(beside, PathBuf::from);
    if folder.is_dir() {
        return Some(folder);
    }
    println!("skipped: {} does not exist", folder.display());
    None
}

/// The lines of a JSON Lines file in the reference data; empty if the file is missing.
pub(crate) fn lines(path: &str) -> Vec<Value> {
    let Some(folder) = corpora() else { return Vec::new() };
    match std::fs::read_to_string(folder.join(path)) {
        Ok(text) => text.lines().map(|l| serde_json::from_str(l).unwrap()).collect(),
        Err(e) => {
            println!("skipped: {path}: {e}");
            Vec::new()
        }
    }
}
