//! Prepares the demo: creates temporary folders, with settings that poll often enough to show changes soon.

use super::world::World;
use crate::config::{Paths, Settings, SourcesFile, load};
use crate::util::clock::Clock;
use std::io;
use std::sync::Arc;

const CONFIG: &str = include_str!("../../assets/demo/config.toml");

/// Everything that the demo needs. The folder is removed on drop.
pub struct PreparedDemo {
    pub world: World,
    /// The folder that contains `paths`.
    pub dir: tempfile::TempDir,
    /// Locations of `config.toml`, `sources.toml` and the database.
    pub paths: Paths,
    /// The settings in `config.toml`.
    pub settings: Settings,
}

/// Starts the sites, whose publication times follow `clock`, and declares them in a temporary folder. Needs
/// no network access. `appearance` is appended to the demo's settings.
///
/// # Errors
/// When no port or no folder is available.
pub fn prepare(clock: Arc<dyn Clock>, appearance: &str) -> io::Result<PreparedDemo> {
    let world = World::start(clock)?;
    let dir = tempfile::Builder::new().prefix("newsfed-demo-").tempdir()?;
    let paths = Paths::below(dir.path());
    std::fs::create_dir_all(paths.config_dir())?;
    std::fs::write(paths.config_file(), format!("{CONFIG}\n{appearance}"))?;
    SourcesFile::open(&paths).add(&world.sources()).map_err(io::Error::other)?;
    let settings = load(&paths, &[]).map_err(io::Error::other)?.settings;
    Ok(PreparedDemo { world, dir, paths, settings })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::util::clock::SystemClock;

    #[test]
    fn declares_the_sources_that_the_sites_serve() {
        let prepared = prepare(Arc::new(SystemClock), "").unwrap();
        let loaded = load(&prepared.paths, &[]).unwrap();
        assert_eq!(loaded.sources, prepared.world.sources());
        assert!(loaded.warnings.is_empty(), "{:?}", loaded.warnings);
        assert!(loaded.sources.len() >= 10);
        let folder = prepared.dir.path().to_owned();
        drop(prepared);
        assert!(!folder.exists());
    }
}
