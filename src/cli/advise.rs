//! `newsfed schedule advise`: which sources' items are found too late, and what would help.

use super::catalogue::Catalogue;
use super::exit::{Exit, Failure};
use super::global::Global;
use super::home::Home;
use super::output::Output;
use super::source_edit::report;
use super::table::{Column, Table};
use crate::config::SourcesFile;
use crate::engine::{self, AdviceReport, Publishing};
use crate::util::clock::{Clock, SystemClock};
use crate::util::time_text::span;
use clap::Args;

#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct AdviseArgs {
    /// Only these sources
    #[arg(value_name = "SOURCE")]
    sources: Vec<String>,
    /// Apply the change advised for this source; can be repeated
    #[arg(long, value_name = "SOURCE")]
    apply: Vec<String>,
}

const EXAMPLES: &str = "\
Replays the last four weeks of each source with the limits of servers, feeds
and your settings. A change is advised if newsfed would find the items at least
10 min and 20 % sooner, and if the time saved is worth the additional polls.
Only sources followed for at least a day are replayed, and only those with at
least 20 items get advice.

Examples:
  newsfed schedule advise
  newsfed schedule advise --apply kernel
  newsfed schedule advise --json | jq -r '.advice[].source'";

pub(super) fn run(args: &AdviseArgs, global: &Global, out: &mut Output) -> Result<Exit, Failure> {
    let home = Home::load(global)?;
    let store = home.store_to_read()?;
    let catalogue = Catalogue::read(&home, &store)?;
    let words: Vec<String> = args.sources.iter().chain(&args.apply).cloned().collect();
    let named = catalogue.find_all(&words)?;
    let entries = if named.is_empty() { catalogue.entries.iter().collect() } else { named };
    let reader = store.reader()?;
    let entries = Catalogue::full(entries, &reader)?;
    let sources = entries.iter().map(|entry| (&*entry.source, &entry.facts));
    let settings = &home.settings.schedule;
    let advised = engine::advise(&reader, sources, settings, SystemClock.now())?;
    if !args.apply.is_empty() {
        return apply(args, &home, &catalogue, &advised, out);
    }
    if out.json {
        out.value(&advised)?;
        return Ok(Exit::Ok);
    }
    if advised.sources.is_empty() {
        out.note("no source has been followed for a day yet");
        return Ok(Exit::Ok);
    }
    for advice in &advised.advice {
        out.line(format!("{} ({}): {}", advice.title, advice.source, advice.describe()))?;
    }
    match advised.advice.first() {
        None => out.line("No change to a setting is worth the additional polls.")?,
        Some(first) => {
            out.note(format!(
                "`newsfed schedule advise --apply {}` makes the change",
                first.source
            ));
        }
    }
    statistics("folder", &advised.folders, out)?;
    statistics("source", &advised.sources, out)?;
    Ok(Exit::Ok)
}

/// Changes the settings of all named sources, or of none if one fails.
fn apply(
    args: &AdviseArgs,
    home: &Home,
    catalogue: &Catalogue,
    advised: &AdviceReport,
    out: &mut Output,
) -> Result<Exit, Failure> {
    let mut changes = Vec::new();
    for entry in catalogue.find_all(&args.apply)? {
        let id = &entry.source.id;
        let Some(advice) = advised.advice.iter().find(|advice| advice.source == *id) else {
            return Err(Failure::Plain(format!("no change is advised for {id}")));
        };
        changes.push((id.clone(), advice.change()));
        if !out.json {
            out.note(format!("{}: {}", advice.title, advice.describe()));
        }
    }
    SourcesFile::open(&home.paths).update_each(&changes)?;
    let ids: Vec<_> = changes.into_iter().map(|(id, _)| id).collect();
    report(&ids, "changed", out)?;
    Ok(Exit::Ok)
}

/// Prints a table of publishing statistics of sources or folders.
fn statistics(what: &str, all: &[Publishing], out: &mut Output) -> Result<(), Failure> {
    out.line("")?;
    let right = |most| Column { most, right: true };
    let mut table = Table::new(&[right(7), right(8), right(9), right(9), right(8)], out.width);
    let minutes = |minutes: Option<f64>| {
        minutes.map_or_else(String::new, |minutes| span((minutes * 60.0).round() as i64))
    };
    let cells = |one: &Publishing| {
        let name = if one.name.is_empty() { "no folder" } else { &one.name };
        [
            one.items.to_string(),
            minutes(one.mean_gap_min),
            minutes(one.deviation_min),
            format!("{:.1}", one.polls_per_day),
            minutes(Some(one.mean_delay_min).filter(|_| one.items > 0)),
            name.to_owned(),
        ]
    };
    let head = ["items", "gap", "deviation", "polls/day", "delay", what];
    let rows: Vec<_> = all.iter().map(cells).collect();
    table.fit(&head);
    for row in &rows {
        table.fit(&row.each_ref().map(String::as_str));
    }
    out.line(out.bold(&table.line(&head)))?;
    rows.iter().try_for_each(|row| out.line(table.line(&row.each_ref().map(String::as_str))))
}
