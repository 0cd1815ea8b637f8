//! `newsfed demo`: runs newsfed on fictional sites that the program itself serves.

use super::exit::{Exit, Failure};
use super::global::Global;
use super::home::Home;
use super::output::Output;
use super::tui;
use crate::config;
use crate::util::clock::SystemClock;
use std::sync::Arc;

/// Runs the demo. All its files are deleted at the end.
pub(super) fn run(global: &Global, out: &mut Output) -> Result<Exit, Failure> {
    tui::refuse_without_terminal()?;
    let (own, message) = appearance(global);
    let prepared = crate::demo::prepare(Arc::new(SystemClock), &own)
        .map_err(|e| Failure::Plain(format!("cannot start the demo: {e}")))?;
    let (paths, overrides) = (prepared.paths.clone(), global.set.clone());
    let config::Loaded { settings, sources, .. } = config::load(&paths, &overrides)?;
    tui::show(Home::new(paths, overrides, settings, sources), message)?;
    out.note("That was the demo; its items and settings are gone. Run `newsfed` to start with your own sources.");
    Ok(Exit::Ok)
}

/// The user's appearance and key settings, and a message about them.
fn appearance(global: &Global) -> (String, Option<Result<String, String>>) {
    let Ok(paths) = global.paths() else { return Default::default() };
    let Ok(text) = std::fs::read_to_string(paths.config_file()) else { return Default::default() };
    if config::load(&paths, &[]).is_err() {
        let message = "config.toml has errors, so the demo uses the default appearance and key bindings. \
                       `newsfed config check` lists them.";
        return (String::new(), Some(Err(message.to_owned())));
    }
    let own = config::appearance(&text);
    let message = "The demo uses your appearance settings and key bindings. It ignores your other settings, and \
                   what you change is not kept.";
    let message = (!own.is_empty()).then(|| Ok(message.to_owned()));
    (own, message)
}
