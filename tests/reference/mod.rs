//! Where the reference data lies.

// It is no test by itself, so the exemption of tests misses it.
#![allow(clippy::print_stdout, clippy::unwrap_used)]
#![allow(dead_code, reason = "not every test reads lines")]

use serde_json::Value;
use std::path::{Path, PathBuf};

/// The folder of the reference data beside this project, or of `NEWSFED_CORPORA`; `None`, told with a
/// word, where there is none.
pub(crate) fn corpora() -> Option<PathBuf> {
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/corpora");
    let folder = std::env::var_os("NEWSFED_CORPORA").map_or(beside, PathBuf::from);
    if folder.is_dir() {
        return Some(folder);
    }
    println!("skipped: there is no {}", folder.display());
    None
}

/// The lines of a JSON Lines file of the reference data; none where it is not there.
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
