//! A home for a tour: folders that vanish, with settings under which much happens soon.

use super::world::World;
use crate::config::{Paths, Settings, SourcesFile, load};
use crate::util::clock::SystemClock;
use std::io;
use std::sync::Arc;

/// The settings of the tour.
const CONFIG: &str = include_str!("../../assets/demo/config.toml");

/// Everything that a tour runs on. The folder is removed when this is dropped.
pub struct Prepared {
    /// The sites.
    pub world: World,
    /// The folder that `paths` lie in.
    pub dir: tempfile::TempDir,
    /// Where `config.toml` and `sources.toml` are, and where the database will be.
    pub paths: Paths,
    /// What `config.toml` says.
    pub settings: Settings,
}

/// Starts the sites and declares them in a temporary folder. No network is needed.
///
/// # Errors
/// When there is no port or no folder to be had.
pub fn prepare() -> io::Result<Prepared> {
    let world = World::start(Arc::new(SystemClock))?;
    let dir = tempfile::Builder::new().prefix("newsfed-demo-").tempdir()?;
    let paths = Paths::below(dir.path());
    std::fs::create_dir_all(paths.config_dir())?;
    std::fs::write(paths.config_file(), CONFIG)?;
    SourcesFile::open(&paths).add(&world.sources()).map_err(io::Error::other)?;
    let settings = load(&paths, &[]).map_err(io::Error::other)?.settings;
    Ok(Prepared { world, dir, paths, settings })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_declared_is_what_the_world_serves() {
        let prepared = prepare().unwrap();
        let loaded = load(&prepared.paths, &[]).unwrap();
        assert_eq!(loaded.sources, prepared.world.sources());
        assert!(loaded.warnings.is_empty(), "{:?}", loaded.warnings);
        assert!(loaded.sources.len() >= 10);
        let folder = prepared.dir.path().to_owned();
        drop(prepared);
        assert!(!folder.exists());
    }
}
