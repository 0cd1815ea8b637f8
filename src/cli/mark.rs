//! `newsfed read`, `unread`, `pin`, `unpin`, `tag`, `untag`, `later` and `snooze`.

use super::catalogue::Catalogue;
use super::exit::{Exit, Failure};
use super::global::Global;
use super::home::Home;
use super::item_options::Choice;
use super::items;
use super::list::{index_all, print_items};
use super::output::Output;
use crate::model::Time;
use crate::query;
use crate::store::{MAX_TAG, Mark, Part, ReadUndone, Scope, Store, View};
use crate::util::clock::{Clock, SystemClock};
use crate::util::text::{self, counted};
use crate::util::time_text::minute;
use chrono::Local;
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
    /// Show what would be marked, without changing anything
    #[arg(long)]
    dry_run: bool,
    /// Undo the last `newsfed read`
    #[arg(long, conflicts_with_all = ["ids", "all", "dry_run", "Choice"])]
    undo: bool,
    #[command(flatten)]
    choice: Choice,
}

const READ: &str = "\
Give the numbers of items, or select items with options. If one is unknown,
nothing is marked. With ui.mark_stories, the other items of their stories are
marked too. --undo undoes the last run; repeat it to undo earlier ones, up to
20. Items that the run marked and that are still read become unread.

Examples:
  newsfed read 1234 1235
  newsfed read --source council --before 7d
  newsfed read --dry-run --query 'is:unread sport'
  newsfed read --all
  newsfed read --undo";

#[derive(Debug, clap::Args)]
pub(super) struct ItemArgs {
    /// The items
    #[arg(required = true, value_name = "ID")]
    ids: Vec<String>,
}

pub(super) const UNREAD: &str = "\
If one of the items is unknown, nothing is marked.

Examples:
  newsfed unread 1234
  newsfed unread 1234 1235";

pub(super) const PIN: &str = "\
If one of the items is unknown, nothing is marked.

Examples:
  newsfed pin 1234
  newsfed list --pinned";

pub(super) const UNPIN: &str = "\
If one of the items is unknown, nothing is marked.

Examples:
  newsfed unpin 1234
  newsfed unpin 1234 1235";

/// Maximum number of items that a dry run lists.
const SHOWN: usize = 20;

#[derive(Serialize)]
struct Marked {
    changed: usize,
    /// Number of items that would change; only in a dry run.
    #[serde(skip_serializing_if = "Option::is_none")]
    would_change: Option<usize>,
}

pub(super) fn read(args: &ReadArgs, global: &Global, out: &mut Output) -> Result<Exit, Failure> {
    if args.undo {
        return undo_read(&Home::load(global, out)?.store()?, out);
    }
    let chosen = !args.choice.is_empty();
    match (args.ids.is_empty(), args.all || chosen) {
        (true, false) => {
            let how = "give item numbers, or select items with --source, --query or another option; \
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
    let (stories, now) = (home.settings.ui.mark_stories, SystemClock.now());
    let catalogue = Catalogue::read(&home, &store)?;
    let view = if args.ids.is_empty() {
        args.choice.view(&catalogue)?
    } else {
        View::of(Scope::Only(items::keys(&store.reader()?, &args.ids)?.into()))
    };
    if view.criteria.needs_index() {
        index_all(&store, out)?;
    }
    if args.dry_run {
        return would_read(&store, &catalogue, view, stories, out);
    }
    let keys = match view.scope {
        Scope::Only(keys) => store.read_items_blocking(keys.to_vec(), stories, now)?,
        _ => {
            let all = Part::up_to(store.reader()?.last_key()?);
            store.read_view_blocking(view, all, stories, now)?
        }
    };
    let exit = report(keys.len(), "marked read", out)?;
    if !keys.is_empty() && args.ids.is_empty() && !out.json {
        out.note("`newsfed read --undo` undoes this");
    }
    Ok(exit)
}

/// Lists the items that would be marked read.
fn would_read(
    store: &Store,
    catalogue: &Catalogue,
    mut view: View,
    stories: bool,
    out: &mut Output,
) -> Result<Exit, Failure> {
    view.unread_only = true;
    let reader = store.reader()?;
    let listed = reader.keys(&view)?;
    let all = reader.unread_among(&listed, stories)?.len();
    let listed = listed.len();
    if out.json {
        out.value(&Marked { changed: 0, would_change: Some(all) })?;
        return Ok(Exit::Ok);
    }
    let more = match all.saturating_sub(listed) {
        0 => String::new(),
        more => format!(", {more} of them because they belong to the same stories"),
    };
    out.note(format!("{} would be marked read{more}", counted(all, "item")));
    if listed == 0 {
        return Ok(Exit::Ok);
    }
    if listed > SHOWN {
        out.note(format!("the newest {SHOWN}:"));
    }
    print_items(store, catalogue, &view, SHOWN, out)?;
    Ok(Exit::Ok)
}

fn undo_read(store: &Store, out: &mut Output) -> Result<Exit, Failure> {
    let Some(ReadUndone { at, unread }) = store.undo_read_blocking()? else {
        return Err(Failure::Plain("there is no `newsfed read` to undo".to_owned()));
    };
    report(unread, &format!("marked unread, undoing the run of {}", minute(at)), out)
}

pub(super) fn unread(args: &ItemArgs, global: &Global, out: &mut Output) -> Result<Exit, Failure> {
    let home = Home::load(global, out)?;
    let changed = set_whole(&home, &home.store()?, Mark::Read, &args.ids, false)?;
    report(changed, "marked unread", out)
}

pub(super) fn pin(
    args: &ItemArgs,
    to: bool,
    global: &Global,
    out: &mut Output,
) -> Result<Exit, Failure> {
    let home = Home::load(global, out)?;
    let changed = set_whole(&home, &home.store()?, Mark::Pinned, &args.ids, to)?;
    report(changed, if to { "pinned" } else { "unpinned" }, out)
}

#[derive(Debug, clap::Args)]
#[command(after_help = TAG)]
pub(super) struct TagArgs {
    /// The tag
    tag: String,
    /// The items
    #[arg(required = true, value_name = "ID")]
    ids: Vec<String>,
}

const TAG: &str = "\
Case and accents are ignored in tags. tag:NAME finds items that have the tag or
whose source has it.

Examples:
  newsfed tag todo 1234 1235
  newsfed untag todo 1234
  newsfed list --query tag:todo";

#[derive(Debug, clap::Args)]
#[command(after_help = LATER)]
pub(super) struct LaterArgs {
    /// The items
    #[arg(required = true, value_name = "ID")]
    ids: Vec<String>,
    /// Stop keeping them for later
    #[arg(long)]
    remove: bool,
}

const LATER: &str = "\
Retention keeps these items, as it does pinned ones.

Examples:
  newsfed later 1234
  newsfed later --remove 1234
  newsfed list --query in:later";

#[derive(Debug, clap::Args)]
#[command(after_help = SNOOZE)]
pub(super) struct SnoozeArgs {
    /// For how long (12h, 3d, 2w), or until when (tomorrow, friday, 2026-12-31)
    when: String,
    /// The items
    #[arg(required = true, value_name = "ID")]
    ids: Vec<String>,
}

const SNOOZE: &str = "\
The items are left out of all lists and come back as unread. `newsfed unread`
brings them back at once.

Examples:
  newsfed snooze 3d 1234
  newsfed snooze 2026-12-31 1234 1235
  newsfed list --query is:snoozed";

pub(super) fn tag(
    args: &TagArgs,
    on: bool,
    global: &Global,
    out: &mut Output,
) -> Result<Exit, Failure> {
    let tag = text::line(&args.tag);
    if text::comparable(&tag).is_empty() || tag.chars().count() > MAX_TAG {
        let message = format!("a tag has 1 to {MAX_TAG} characters");
        return Err(Failure::Usage(message));
    }
    let store = Home::load(global, out)?.store()?;
    let changed = set(&store, Mark::Tag(tag), &args.ids, on)?;
    report(changed, if on { "tagged" } else { "untagged" }, out)
}

pub(super) fn later(args: &LaterArgs, global: &Global, out: &mut Output) -> Result<Exit, Failure> {
    let store = Home::load(global, out)?.store()?;
    let changed = set(&store, Mark::Later, &args.ids, !args.remove)?;
    report(changed, if args.remove { "not kept for later" } else { "kept for later" }, out)
}

pub(super) fn snooze(
    args: &SnoozeArgs,
    global: &Global,
    out: &mut Output,
) -> Result<Exit, Failure> {
    let now = SystemClock.now();
    let until = query::moment(&args.when, now.with_timezone(&Local))
        .and_then(|at| Time::from_timestamp(at, 0))
        .ok_or_else(|| {
            let when = text::line(&args.when);
            Failure::Usage(format!(
                "\"{when}\" is not a duration or a date in the future; write 12h, 3d, tomorrow, friday or 2026-12-31"
            ))
        })?;
    let store = Home::load(global, out)?.store()?;
    let changed = set(&store, Mark::Snoozed(until), &args.ids, true)?;
    report(changed, &format!("hidden until {}", minute(until)), out)
}

fn set(store: &Store, mark: Mark, ids: &[String], to: bool) -> Result<usize, Failure> {
    let keys = items::keys(&store.reader()?, ids)?;
    Ok(store.mark_blocking(mark, keys, to)?.len())
}

/// Like [`set`], but with `ui.mark_stories` also marks the other items of their stories.
fn set_whole(
    home: &Home,
    store: &Store,
    mark: Mark,
    ids: &[String],
    to: bool,
) -> Result<usize, Failure> {
    if !home.settings.ui.mark_stories {
        return set(store, mark, ids, to);
    }
    let keys = items::keys(&store.reader()?, ids)?;
    Ok(store.mark_stories_blocking(mark, keys, to)?.len())
}

/// Prints the number of changed items.
pub(super) fn report(changed: usize, done: &str, out: &mut Output) -> Result<Exit, Failure> {
    if out.json {
        out.value(&Marked { changed, would_change: None })?;
    } else {
        out.result(format!("{} {done}", counted(changed, "item")))?;
    }
    Ok(Exit::Ok)
}
