//! `newsfed stats`: shows what sources publish, what was read, and what polls cost.

use super::exit::{Exit, Failure};
use super::global::Global;
use super::home::Home;
use super::number::whole;
use super::output::Output;
use super::table::{Column, Table};
use crate::engine::{self, MAX_WEEKS, SourceStatistics, Statistics};
use crate::util::clock::{Clock, SystemClock};
use crate::util::sparkline::sparkline;
use crate::util::text::counted;
use chrono::{Local, Offset, SubsecRound, TimeZone};

#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct StatsArgs {
    /// Weeks to cover, at most 52
    #[arg(long, value_name = "N", default_value_t = 12, value_parser = whole(1..=MAX_WEEKS))]
    weeks: usize,
    /// Maximum number of sources listed; 0 lists all
    #[arg(long, value_name = "N", default_value_t = 20, value_parser = whole(0_usize..))]
    limit: usize,
}

const EXAMPLES: &str = "\
Counts the items dated in the weeks that --weeks sets, and adds up the reading
time of those marked read. Items that a rule hid or marked read are not counted
as read. Items without a date that were in a source when it was added are not
counted at all. Hours are in your time zone. Polls are recorded for two weeks.
A source could be removed if it is gone, has been failing for two weeks, or
seems abandoned, or if you have read less than 5 % of its items after four
weeks and at least 20 items; sources with pinned items are left out.

Examples:
  newsfed stats
  newsfed stats --weeks 4 --limit 0
  newsfed stats --json | jq -r '.sources[] | select(.removal) | .source'";

pub(super) fn run(args: &StatsArgs, global: &Global, out: &mut Output) -> Result<Exit, Failure> {
    let home = Home::load(global)?;
    let store = home.store_to_read()?;
    let now = SystemClock.now().trunc_subsecs(0);
    // Creates the rows of sources that were added to sources.toml since newsfed last read it.
    super::catalogue::Catalogue::read(&home, &store)?;
    let zone = Local.offset_from_utc_datetime(&now.naive_utc()).fix();
    let all = engine::statistics(&store.reader()?, &home.sources, args.weeks, zone, now)?;
    if out.json {
        out.value(&all)?;
    } else {
        print(&all, args.limit, home.settings.ui.ascii, out)?;
    }
    Ok(Exit::Ok)
}

fn print(all: &Statistics, limit: usize, ascii: bool, out: &mut Output) -> Result<(), Failure> {
    for (name, value) in all.summary(ascii) {
        out.line(format!("{name:<9} {value}"))?;
    }
    if all.sources.is_empty() {
        out.note("no sources yet; `newsfed add URL` follows a site or a feed");
        return Ok(());
    }
    out.line("")?;
    let limit = if limit == 0 { usize::MAX } else { limit };
    table(all, limit, ascii, out)?;
    if all.sources.len() > limit {
        out.note(format!(
            "{limit} of {}; --limit 0 lists all",
            counted(all.sources.len(), "source")
        ));
    }
    section("Slow, silent and failing", all.sources.iter(), SourceStatistics::problem, out)?;
    section("Could be removed", all.unfollowed(), SourceStatistics::reason, out)
}

fn table(all: &Statistics, limit: usize, ascii: bool, out: &mut Output) -> Result<(), Failure> {
    let right = |most| Column { most, right: true };
    let weeks = Column { most: MAX_WEEKS, right: false };
    let mut table = Table::new(&[right(9), right(9), right(5), right(9), weeks], out.width);
    let cells = |source: &SourceStatistics| {
        [
            source.items.to_string(),
            source.read.to_string(),
            engine::share(source.read, source.items),
            engine::reading_time(source.minutes),
            sparkline(&source.items_per_week, ascii),
            source.title.clone(),
        ]
    };
    let head = ["items", "read", "share", "time", "weeks", "source"];
    let rows: Vec<_> = all.sources.iter().take(limit).map(cells).collect();
    table.fit(&head);
    for row in &rows {
        table.fit(&row.each_ref().map(String::as_str));
    }
    out.line(out.bold(&table.line(&head)))?;
    rows.iter().try_for_each(|row| out.line(table.line(&row.each_ref().map(String::as_str))))
}

/// Prints a titled section with the sources for which there is a text.
fn section<'a>(
    title: &str,
    sources: impl Iterator<Item = &'a SourceStatistics>,
    text: impl Fn(&SourceStatistics) -> Option<String>,
    out: &mut Output,
) -> Result<(), Failure> {
    let shown: Vec<_> = sources.filter_map(|source| Some((source, text(source)?))).collect();
    if shown.is_empty() {
        return Ok(());
    }
    out.line("")?;
    out.line(out.bold(title))?;
    shown.iter().try_for_each(|(source, text)| {
        out.line(format!("{} ({}): {text}", source.title, source.source))
    })
}
