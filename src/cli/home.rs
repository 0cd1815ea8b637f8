//! What nearly every command needs: the folders, the settings, the declared sources.

use super::args::Global;
use super::exit::Failure;
use super::output::Output;
use crate::config::{self, Paths, Settings};
use crate::engine::Engine;
use crate::model::Source;
use crate::store::Store;
use crate::util::clock::SystemClock;
use std::sync::Arc;

/// The user's files, read.
pub(super) struct Home {
    pub(super) paths: Paths,
    pub(super) overrides: Vec<String>,
    pub(super) settings: Settings,
    pub(super) sources: Vec<Source>,
}

impl Home {
    /// Reads the files; what is odd in them is said, what is wrong ends the command.
    pub(super) fn load(global: &Global, out: &mut Output) -> Result<Self, Failure> {
        let paths = global.paths()?;
        let loaded = config::load(&paths, &global.set)?;
        for warning in &loaded.warnings {
            out.note(format!("newsfed: {warning}"));
        }
        let config::Loaded { settings, sources, .. } = loaded;
        Ok(Self { paths, overrides: global.set.clone(), settings, sources })
    }

    /// Opens the database, creating it first where there is none.
    pub(super) fn store(&self) -> Result<Store, Failure> {
        Ok(Store::open(&self.paths.database())?)
    }

    /// An engine that can be started; with `follow` it looks at due sources by itself.
    pub(super) fn engine(&self, store: Store, follow: bool) -> Engine {
        Engine {
            store,
            settings: self.settings.clone(),
            sources: self.sources.clone(),
            paths: self.paths.clone(),
            overrides: self.overrides.clone(),
            clock: Arc::new(SystemClock),
            seed: fastrand::u64(..),
            follow,
        }
    }
}
