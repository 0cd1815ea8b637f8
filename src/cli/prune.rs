//! `newsfed prune`: removes items and downloads that retention does not keep.

use super::catalogue::Catalogue;
use super::exit::{Exit, Failure};
use super::global::Global;
use super::home::Home;
use super::output::Output;
use crate::engine::{is_expired, remove_download};
use crate::model::{Retention, Time};
use crate::store::{DownloadRecord, Store};
use crate::util::clock::{Clock, SystemClock};
use crate::util::text::{counted, line, size};
use serde::Serialize;

#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct PruneArgs {
    /// Remove items and downloads instead of counting them
    #[arg(long)]
    apply: bool,
}

const EXAMPLES: &str = "\
[retention] in config.toml and retention in sources.toml limit how many items
are kept, and for how long. Items that are pinned, snoozed, queued or kept for
later always stay; unread items stay unless the setting retention.unread is on.
download.days limits how long downloads are kept. `newsfed daemon` and the
interface remove items and downloads beyond these limits every few hours.

Examples:
  newsfed prune
  newsfed --set retention.days=90 prune --apply";

/// JSON output for one source.
#[derive(Serialize)]
struct Pruned<'a> {
    source: &'a str,
    items: usize,
    removed: bool,
}

/// JSON output for one download.
#[derive(Serialize)]
struct PrunedDownload<'a> {
    download: &'a str,
    bytes: u64,
    removed: bool,
}

pub(super) fn run(args: &PruneArgs, global: &Global, out: &mut Output) -> Result<Exit, Failure> {
    let home = Home::load(global)?;
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
    let days = home.settings.download.days;
    if !limited && days.is_none() {
        out.note("all items are kept forever; set a limit in [retention] of config.toml");
    }
    let done = if args.apply { "removed" } else { "would be removed; --apply removes them" };
    // If only downloads have a retention limit, the number of items is not printed, because it is always 0.
    if limited || days.is_none() {
        out.result(format!("{} {done}", counted(total, "item")))?;
    }
    let expired = |file: &DownloadRecord| is_expired(file, days, now);
    let files: Vec<DownloadRecord> = reader.downloads()?.into_iter().filter(expired).collect();
    if files.is_empty() { Ok(Exit::Ok) } else { downloads(&files, args.apply, &store, now, out) }
}

/// Removes downloads, or only lists them.
fn downloads(
    files: &[DownloadRecord],
    apply: bool,
    store: &Store,
    now: Time,
    out: &mut Output,
) -> Result<Exit, Failure> {
    let (mut gone, mut exit) = (Vec::new(), Exit::Ok);
    for file in files {
        let DownloadRecord { path, size: bytes, .. } = file;
        if apply && let Err(e) = remove_download(file, now) {
            out.warn(format!("newsfed: cannot remove {}: {e}", line(path)));
            exit = Exit::Partial;
            continue;
        }
        gone.push(path.clone());
        if out.json {
            out.value(&PrunedDownload { download: path, bytes: *bytes, removed: apply })?;
        } else {
            out.line(format!("{:>7}  {}", size(*bytes), line(path)))?;
        }
    }
    let done = if apply { "removed" } else { "would be removed; --apply removes them" };
    out.result(format!("{} {done}", counted(gone.len(), "download")))?;
    if apply {
        store.drop_download_records_blocking(gone)?;
    }
    Ok(exit)
}

fn is_limit(retention: Retention) -> bool {
    retention.days.is_some() || retention.items.is_some()
}
