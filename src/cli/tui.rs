//! `newsfed` without a command: runs the interface.

use super::exit::{Exit, Failure};
use super::global::Global;
use super::home::Home;
use super::output::Output;
use super::runtime::runtime_beside;
use super::{demo, log};
use crate::config::{KeyMap, first_warning};
use crate::tui::{self, ExitReason, Interface, Left, TerminalQuery};
use crate::util::text::counted;

pub(super) fn run(global: &Global, out: &mut Output) -> Result<Exit, Failure> {
    refuse_without_terminal()?;
    let home = Home::load(global)?;
    let warning = first_warning(&home.warnings).map(Err);
    let left = show(home, warning)?;
    if left.downloads > 0 {
        let downloads = counted(left.downloads, "download");
        out.note(format!(
            "{downloads} stopped; `newsfed download --list` lists the unfinished ones, and \
             `newsfed download ID` resumes them"
        ));
    }
    match left.reason {
        ExitReason::Quit => Ok(Exit::Ok),
        ExitReason::Demo => demo::run(global, out),
    }
}

/// Returns an error with suggestions if the interface cannot run.
pub(super) fn refuse_without_terminal() -> Result<(), Failure> {
    match tui::unusable() {
        None => Ok(()),
        Some(why) => Err(Failure::Plain(format!(
            "{why}; `newsfed list` and `newsfed --help` work everywhere"
        ))),
    }
}

/// Runs the interface until the user quits. `message` is shown first.
pub(super) fn show(home: Home, message: Option<Result<String, String>>) -> Result<Left, Failure> {
    // Both files have already been loaded without errors.
    let keymap = KeyMap::load(&home.settings.keys).map_err(|e| Failure::Plain(e.to_string()))?;
    let terminal = TerminalQuery::start(&home.settings);
    log::start(&home, 0, false);
    let store = home.store()?;
    runtime_beside()?.block_on(async {
        let engine = home.engine(store, true);
        let Home { paths, settings, sources, own_settings, .. } = home;
        // The engine has its own copies.
        drop((sources, own_settings));
        let (handle, held) = engine.start_held().await?;
        let panes = Interface {
            handle: handle.clone(),
            held: Some(held),
            settings,
            paths,
            keymap,
            terminal,
            message,
        };
        let left = tui::run(panes).await;
        handle.shutdown().await;
        left.map_err(|e| Failure::Plain(e.to_string()))
    })
}
