//! Test folders with settings and sources. `tests/library` also uses this file.

use super::{Loaded, Paths, load};
use std::fs;

pub(crate) const EXAMPLE: &str = include_str!("../../../../../config.example.toml");

/// A folder that contains both files.
pub(crate) struct Home {
    pub(crate) paths: Paths,
    _folder: tempfile::TempDir,
}

impl Home {
    pub(crate) fn new(config: impl AsRef<[u8]>, sources: impl AsRef<[u8]>) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let paths = Paths::below(folder.path());
        fs::create_dir_all(paths.config_dir()).unwrap();
        fs::write(paths.config_file(), config).unwrap();
        fs::write(paths.sources_file(), sources).unwrap();
        Self { paths, _folder: folder }
    }

    pub(crate) fn load(&self, overrides: &[&str]) -> Result<Loaded, String> {
        let overrides: Vec<_> = overrides.iter().map(|o| (*o).to_owned()).collect();
        load(&self.paths, &overrides).map_err(|e| e.to_string())
    }
}

/// The example file with its settings uncommented, and optionally its samples.
pub(crate) fn uncommented(samples: bool) -> String {
    let line = |line: &str| {
        let setting = line.strip_prefix('#').filter(|l| l.starts_with(char::is_alphabetic));
        let sample = line.strip_prefix("#   ").filter(|_| samples);
        setting.or(sample).unwrap_or(line).to_owned()
    };
    EXAMPLE.lines().map(line).collect::<Vec<_>>().join("\n")
}
