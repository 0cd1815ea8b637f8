//! `newsfed demo`: the tour.

use super::args::Global;
use super::exit::{Exit, Failure};
use super::output::Output;

/// Runs `demo`.
pub(super) fn run(_global: &Global, _out: &mut Output) -> Result<Exit, Failure> {
    Err(Failure::Plain("the demo is not part of this build".to_owned()))
}
