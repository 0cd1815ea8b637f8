//! `newsfed schedule why`: explains the schedule of sources.

use super::catalogue::Catalogue;
use super::exit::{Exit, Failure};
use super::global::Global;
use super::home::Home;
use super::output::Output;
use crate::engine::{self, HOURS, Why};
use crate::store::{Poller, PollerLock};
use crate::util::clock::{Clock, SystemClock};
use clap::Args;
use serde::Serialize;

#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct WhyArgs {
    /// The sources
    #[arg(required = true, value_name = "SOURCE")]
    sources: Vec<String>,
}

const EXAMPLES: &str = "\
Example:
  newsfed schedule why kernel";

#[derive(Serialize)]
struct Shape<'a> {
    source: &'a str,
    #[serde(flatten)]
    why: Why,
}

pub(super) fn run(args: &WhyArgs, global: &Global, out: &mut Output) -> Result<Exit, Failure> {
    let home = Home::load(global)?;
    let store = home.store_to_read()?;
    let catalogue = Catalogue::read(&home, &store)?;
    let reader = store.reader()?;
    let now = SystemClock.now();
    // If the lock cannot be checked, assume that another process polls, so that no false warning is printed.
    let polling = !matches!(PollerLock::acquire(store.path()), Ok(Poller::Mine(_)));
    let found = Catalogue::full(catalogue.find_all(&args.sources)?, &reader)?;
    for (n, entry) in found.iter().enumerate() {
        let (source, facts) = (&entry.source, &entry.facts);
        let mut why = engine::why(&reader, source, facts, &home.settings.schedule, now)?;
        why.polling = polling;
        if out.json {
            out.value(&Shape { source: source.id.as_str(), why })?;
            continue;
        }
        if n > 0 {
            out.line("")?;
        }
        out.line(entry.title())?;
        let summary = why.describe(source.enabled, home.settings.ui.ascii, now);
        for (name, value) in summary.facts {
            out.line(format!("{name:<10} {value}"))?;
        }
        if !summary.week.is_empty() {
            out.line("week       hours of the day, in your time zone; darker is more")?;
            out.line(format!("{:>10} {HOURS}", ""))?;
        }
        for (day, hours) in summary.week {
            out.line(format!("{day:>10} {hours}"))?;
        }
        for poll in summary.polls {
            out.line(poll)?;
        }
    }
    Ok(Exit::Ok)
}
