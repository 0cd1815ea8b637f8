//! `newsfed prune`: removes what retention does not keep.

use super::catalogue::Catalogue;
use super::exit::{Exit, Failure};
use super::global::Global;
use super::home::Home;
use super::output::Output;
use crate::model::Retention;
use crate::util::clock::{Clock, SystemClock};
use serde::Serialize;

/// Arguments of `prune`.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct PruneArgs {
    /// Remove the items; without it, they are only counted
    #[arg(long)]
    apply: bool,
}

const EXAMPLES: &str = "\
[retention] in config.toml and retention in sources.toml determine how long items are kept. Pinned
items always stay, unread items stay unless unread = true. `newsfed daemon` and the TUI remove items
every few hours.

Examples:
  newsfed prune
  newsfed --set retention.days=90 prune --apply";

/// The JSON of one source.
#[derive(Serialize)]
struct Pruned<'a> {
    source: &'a str,
    items: usize,
    removed: bool,
}

/// Runs `prune`.
pub(super) fn run(args: &PruneArgs, global: &Global, out: &mut Output) -> Result<Exit, Failure> {
    let home = Home::load(global, out)?;
    let store = home.store()?;
    let catalogue = Catalogue::read(&home, &store)?;
    let reader = store.reader()?;
    let now = SystemClock.now();
    let (mut total, mut limited) = (0, false);
    for entry in &catalogue.entries {
        let retention = entry.source.retention(home.settings.retention);
        limited |= is_limit(retention);
        let items = if args.apply {
            store.prune_blocking(entry.facts.key, retention, now)?
        } else {
            reader.prunable(entry.facts.key, retention, now)?
        };
        total += items;
        if items == 0 {
            continue;
        }
        if out.json {
            let source = entry.source.id.as_str();
            out.value(&Pruned { source, items, removed: args.apply })?;
        } else {
            out.line(format!("{items:>7}  {}", entry.title()))?;
        }
    }
    if !limited {
        out.note("all items are kept forever; set a limit in [retention] of config.toml");
    }
    let done = if args.apply { "removed" } else { "would be removed; --apply removes them" };
    out.result(format!("{total} items {done}"))?;
    Ok(Exit::Ok)
}

fn is_limit(retention: Retention) -> bool {
    retention.days.is_some() || retention.items.is_some()
}
