//! `newsfed` without a verb: the panes.

use crate::config::{KeyMap, Loaded, Paths, Theme};
use crate::engine::Engine;
use crate::store::Store;
use crate::tui::{self, Farewell, Panes};
use crate::util::clock::SystemClock;
use anyhow::{Context, Result};
use std::sync::Arc;

/// Shows the panes over a database until the person leaves.
///
/// # Errors
/// In words: when there is no terminal, or the database or the keys cannot be used.
pub fn run(paths: Paths, loaded: Loaded, overrides: Vec<String>) -> Result<Farewell> {
    if let Some(why) = tui::unusable() {
        anyhow::bail!("{why}; `newsfed list` and `newsfed --help` work everywhere");
    }
    let keymap = KeyMap::load(&loaded.settings.keys)?;
    let theme = Theme::load(&loaded.settings.ui.theme, &loaded.settings.themes);
    let theme = theme.unwrap_or_else(|_| Theme::plain());
    let store = Store::open(&paths.database())?;
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .context("the runtime cannot be started")?;
    runtime.block_on(async {
        let engine = Engine {
            store,
            settings: loaded.settings.clone(),
            sources: loaded.sources,
            paths: paths.clone(),
            overrides,
            clock: Arc::new(SystemClock),
            seed: fastrand::u64(..),
            follow: true,
        };
        let handle = engine.start().await?;
        let panes =
            Panes { handle: handle.clone(), settings: loaded.settings, paths, keymap, theme };
        let left = tui::run(panes).await;
        handle.shutdown().await;
        Ok(left?)
    })
}
