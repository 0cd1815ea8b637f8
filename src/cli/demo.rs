//! `newsfed demo`: the demo, on fictional sites that the program serves itself.

use super::exit::{Exit, Failure};
use super::global::Global;
use super::home::Home;
use super::output::Output;
use super::tui;
use crate::config;
use crate::util::clock::SystemClock;
use std::sync::Arc;

/// Runs the demo. Everything is deleted at the end.
pub(super) fn run(global: &Global, out: &mut Output) -> Result<Exit, Failure> {
    tui::refuse_without_terminal()?;
    let prepared = crate::demo::prepare(Arc::new(SystemClock))
        .map_err(|e| Failure::Plain(format!("cannot start the demo: {e}")))?;
    let (paths, overrides) = (prepared.paths.clone(), global.set.clone());
    let config::Loaded { settings, sources, .. } = config::load(&paths, &overrides)?;
    tui::show(Home::new(paths, overrides, settings, sources))?;
    out.note("That was the demo; nothing was saved. Run `newsfed` to start with your own sources.");
    Ok(Exit::Ok)
}
