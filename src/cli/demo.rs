//! `newsfed demo`: the demo, on fictional sites that the program serves itself.

use super::exit::{Exit, Failure};
use super::home::Home;
use super::output::Output;
use super::tui;
use crate::config;

/// Runs the demo. Everything is deleted at the end.
pub(super) fn run(out: &mut Output) -> Result<Exit, Failure> {
    tui::refuse_without_terminal()?;
    let prepared = crate::demo::prepare()
        .map_err(|e| Failure::Plain(format!("cannot start the demo: {e}")))?;
    let sources = config::load(&prepared.paths, &[])?.sources;
    let (paths, settings) = (prepared.paths.clone(), prepared.settings.clone());
    tui::show(Home { paths, overrides: Vec::new(), settings, sources })?;
    out.note("That was the demo; nothing was saved. Run `newsfed` to start with your own sources.");
    Ok(Exit::Ok)
}
