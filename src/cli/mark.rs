//! `newsfed read`, `unread`, `pin` and `unpin`.

use super::catalogue::Catalogue;
use super::exit::{Exit, Failure};
use super::global::Global;
use super::home::Home;
use super::item_options::Choice;
use super::items;
use super::output::Output;
use crate::store::{Mark, Store};
use serde::Serialize;

#[derive(Debug, clap::Args)]
#[command(after_help = READ)]
pub(super) struct ReadArgs {
    /// The items
    #[arg(value_name = "ID")]
    ids: Vec<String>,
    /// All items
    #[arg(long, conflicts_with = "ids")]
    all: bool,
    #[command(flatten)]
    choice: Choice,
}

const READ: &str = "\
Name items by number, or select them with options. If one of them is unknown, nothing is marked.

Examples:
  newsfed read 1234 1235
  newsfed read --source council --before 7d
  newsfed read --all";

#[derive(Debug, clap::Args)]
#[command(after_help = ITEMS)]
pub(super) struct ItemArgs {
    /// The items
    #[arg(required = true, value_name = "ID")]
    ids: Vec<String>,
}

const ITEMS: &str = "\
If one of the items is unknown, nothing is marked.

Examples:
  newsfed pin 1234
  newsfed unread 1234 1235";

#[derive(Serialize)]
struct Marked {
    changed: usize,
}

pub(super) fn read(args: &ReadArgs, global: &Global, out: &mut Output) -> Result<Exit, Failure> {
    let chosen = !args.choice.is_empty();
    match (args.ids.is_empty(), args.all || chosen) {
        (true, false) => {
            let how = "give items, or select them with --source, --query or another option; \
                       --all selects every item";
            return Err(Failure::Usage(how.to_owned()));
        }
        (false, true) => {
            let how = "either give items or select them with options, not both";
            return Err(Failure::Usage(how.to_owned()));
        }
        _ => {}
    }
    let home = Home::load(global, out)?;
    let store = home.store()?;
    let changed = if args.ids.is_empty() {
        let catalogue = Catalogue::read(&home, &store)?;
        let up_to = store.reader()?.last_key()?;
        store.mark_view_read_blocking(args.choice.view(&catalogue)?, up_to)?.len()
    } else {
        set(&store, Mark::Read, &args.ids, true)?
    };
    report(changed, "marked read", out)
}

pub(super) fn unread(args: &ItemArgs, global: &Global, out: &mut Output) -> Result<Exit, Failure> {
    let store = Home::load(global, out)?.store()?;
    report(set(&store, Mark::Read, &args.ids, false)?, "marked unread", out)
}

pub(super) fn pin(
    args: &ItemArgs,
    to: bool,
    global: &Global,
    out: &mut Output,
) -> Result<Exit, Failure> {
    let store = Home::load(global, out)?.store()?;
    let changed = set(&store, Mark::Pinned, &args.ids, to)?;
    report(changed, if to { "pinned" } else { "unpinned" }, out)
}

fn set(store: &Store, mark: Mark, ids: &[String], to: bool) -> Result<usize, Failure> {
    let keys = items::keys(&store.reader()?, ids)?;
    Ok(store.mark_blocking(mark, keys, to)?.len())
}

fn report(changed: usize, done: &str, out: &mut Output) -> Result<Exit, Failure> {
    if out.json {
        out.value(&Marked { changed })?;
    } else {
        let plural = if changed == 1 { "" } else { "s" };
        out.result(format!("{changed} item{plural} {done}"))?;
    }
    Ok(Exit::Ok)
}
