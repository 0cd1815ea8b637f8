//! `newsfed` without a command: the panes.

use super::args::Global;
use super::exit::{Exit, Failure};
use super::output::Output;
use std::io::{self, IsTerminal};

/// Runs the panes.
pub(super) fn run(_global: &Global, _out: &mut Output) -> Result<Exit, Failure> {
    if !(io::stdin().is_terminal() && io::stdout().is_terminal()) {
        let way = "the panes need a terminal; `newsfed list` and `newsfed help` work without one";
        return Err(Failure::Plain(way.to_owned()));
    }
    Err(Failure::Plain("the panes are not part of this build".to_owned()))
}
