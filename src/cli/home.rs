//! Loads the data that most commands need: the folders, the settings and the declared sources.

use super::exit::Failure;
use super::global::Global;
use super::output::Output;
use super::progress::Progress;
use crate::config::{self, Paths, Settings};
use crate::engine::Engine;
use crate::model::Source;
use crate::net::Names;
use crate::store::{Migration, Store, StoreError};
use crate::util::clock::SystemClock;
use std::path::Path;
use std::sync::Arc;

/// The user's files after loading.
pub(super) struct Home {
    pub(super) paths: Paths,
    pub(super) overrides: Vec<String>,
    pub(super) settings: Settings,
    pub(super) sources: Vec<Arc<Source>>,
    /// The user's own settings for the sources of accounts.
    pub(super) own_settings: Vec<Arc<Source>>,
    /// Problems in the files that cause no loss of data or settings.
    pub(super) warnings: Vec<String>,
}

impl Home {
    /// Loads the files. Fails if they have errors.
    pub(super) fn load(global: &Global) -> Result<Self, Failure> {
        let paths = global.paths()?;
        let loaded = config::load(&paths, &global.set)?;
        let config::Loaded { settings, sources, warnings } = loaded;
        let warnings = warnings.iter().map(ToString::to_string).collect();
        Ok(Self { warnings, ..Self::new(paths, global.set.clone(), settings, sources) })
    }

    /// Prints the warnings of the files, in commands whose results depend on the settings.
    pub(super) fn show_warnings(&self, out: &mut Output) {
        self.warnings.iter().for_each(|warning| out.note(format!("warning: {warning}")));
    }

    /// A home with the entries of `sources.toml`, divided into sources and settings for the sources of
    /// accounts.
    pub(super) fn new(
        paths: Paths,
        overrides: Vec<String>,
        settings: Settings,
        declared: Vec<Source>,
    ) -> Self {
        let (sources, own_settings) =
            declared.into_iter().map(Arc::new).partition(|source| source.account.is_none());
        Self { paths, overrides, settings, sources, own_settings, warnings: Vec::new() }
    }

    /// All entries of `sources.toml`.
    pub(super) fn declared(&self) -> impl Iterator<Item = &Source> + Clone {
        self.sources.iter().chain(&self.own_settings).map(Arc::as_ref)
    }

    /// Opens the database, creating it if necessary.
    pub(super) fn store(&self) -> Result<Store, Failure> {
        self.opened(Store::open_showing)
    }

    /// Like [`Self::store`], for commands that rarely write.
    pub(super) fn store_to_read(&self) -> Result<Store, Failure> {
        self.opened(Store::open_to_read)
    }

    fn opened<F>(&self, open: F) -> Result<Store, Failure>
    where
        F: FnOnce(&Path, &mut dyn FnMut(Migration)) -> Result<Store, StoreError>,
    {
        let mut wheel = None;
        let opened = open(&self.paths.database(), &mut |migration| {
            wheel.get_or_insert_with(Progress::rare).show(match migration {
                Migration::Copy(percent) => {
                    format!("Copying the database before an update: {percent} %")
                }
                Migration::Step(step, steps) => {
                    format!("Updating the database: step {step} of {steps}")
                }
            });
        });
        if let Some(wheel) = wheel {
            wheel.clear();
        }
        let store = opened?;
        store.read_stories_together(self.settings.ui.mark_stories);
        Ok(store)
    }

    /// An engine that can be started. With `follow`, it polls due sources automatically.
    pub(super) fn engine(&self, store: Store, follow: bool) -> Engine {
        Engine {
            store,
            settings: self.settings.clone(),
            sources: self.declared().cloned().collect(),
            paths: self.paths.clone(),
            overrides: self.overrides.clone(),
            clock: Arc::new(SystemClock),
            names: Names::System,
            seed: fastrand::u64(..),
            follow,
        }
    }
}
