//! `newsfed reread`: extracts the stored items of a site again with its current selectors.

use super::catalogue::Catalogue;
use super::exit::{Exit, Failure};
use super::global::Global;
use super::home::Home;
use super::log;
use super::number::whole;
use super::output::Output;
use super::runtime::with_engine;
use crate::model::{LeftOut, SourceId};
use serde::Serialize;

#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct RereadArgs {
    /// Sources of the kind website, entries, page, sitemap or crawl
    #[arg(value_name = "SOURCE", required = true)]
    sources: Vec<String>,
    /// Maximum number of items per source, newest first
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = whole(0_usize..))]
    limit: usize,
}

const EXAMPLES: &str = "\
Fetches the pages of stored items and reads them with the current selectors of
the source. Titles, dates, authors and texts are replaced; earlier versions and
marks (read, pinned) stay. Useful after you change selectors. Exits with 3 if
the run stopped early, for instance because a server asked for a pause.

Examples:
  newsfed reread council
  newsfed reread council --limit 20";

#[derive(Serialize)]
struct Done<'a> {
    source: &'a SourceId,
    #[serde(flatten)]
    reread: crate::engine::Reread,
}

pub(super) fn run(args: &RereadArgs, global: &Global, out: &mut Output) -> Result<Exit, Failure> {
    let home = Home::load(global)?;
    log::start(&home, out.verbose, false);
    with_engine(&home, out, async |handle, out| {
        let catalogue = Catalogue::of(handle).await?;
        let found = catalogue.find_all(&args.sources)?;
        if let Some(feed) = found.iter().find(|entry| !entry.source.kind().reads_pages()) {
            let what = format!(
                "{} is a feed: its items come from the feed; `newsfed prefetch ID` reads the page of \
                 an item again",
                feed.source.id
            );
            return Err(Failure::Usage(what));
        }
        let mut exit = Exit::Ok;
        for entry in found {
            let id = &entry.source.id;
            let reread = handle.reread(entry.facts.key, args.limit).await?;
            if reread.stopped.is_some() {
                exit = Exit::Partial;
            }
            if out.json {
                out.value(&Done { source: id, reread })?;
                continue;
            }
            if let Some(left_out) = LeftOut::describe(&reread.left_out) {
                out.warn(format!("{id}: {left_out}"));
            }
            if let Some(why) = &reread.stopped {
                out.warn(format!("{id}: stopped early: {why}"));
            }
            out.result(format!("{id}: {} read again, {} changed", reread.read, reread.changed))?;
        }
        Ok(exit)
    })
}
