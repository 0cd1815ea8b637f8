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
use crate::store::{MAX_TAG, Mark, Part, ReadUndone, Reader, Scope, Store, View, tag_form};
use crate::util::clock::{Clock, SystemClock};
use crate::util::text::{self, counted};
use crate::util::time_text::minute;
use chrono::Local;
use serde::Serialize;

#[derive(Debug, clap::Args)]
#[command(after_help = READ)]
pub(super) struct ReadArgs {
    /// Undo the last `newsfed read`
    #[arg(long, conflicts_with_all = ["ids", "all", "dry_run", "Choice"])]
    undo: bool,
    #[command(flatten)]
    which: MarkedItems,
}

#[derive(Debug, clap::Args)]
#[command(after_help = UNREAD)]
pub(super) struct UnreadArgs {
    #[command(flatten)]
    which: MarkedItems,
}

/// The items that a command marks read or unread.
#[derive(Debug, clap::Args)]
struct MarkedItems {
    /// The items
    #[arg(value_name = "ID")]
    ids: Vec<String>,
    /// Mark all items
    #[arg(long, conflicts_with = "ids")]
    all: bool,
    /// Show what would be marked, without changing anything
    #[arg(long)]
    dry_run: bool,
    #[command(flatten)]
    choice: Choice,
}

impl MarkedItems {
    /// Returns an error unless the items are either given or selected with options.
    fn check(&self) -> Result<(), Failure> {
        let how = match (self.ids.is_empty(), self.all || !self.choice.is_empty()) {
            (true, false) => {
                "give item numbers, or select items with --source, --query or another option; \
                 --all selects every item"
            }
            (false, true) => "either give items or select them with options, not both",
            _ => return Ok(()),
        };
        Err(Failure::Usage(how.to_owned()))
    }

    /// The view of the items. Indexes all texts if the view needs the index.
    fn view(
        &self,
        catalogue: &Catalogue,
        store: &Store,
        out: &mut Output,
    ) -> Result<View, Failure> {
        let view = match self.ids.is_empty() {
            true => self.choice.view(catalogue)?,
            false => View::of(Scope::Only(items::keys(&store.reader()?, &self.ids)?.into())),
        };
        if view.criteria.needs_index() {
            index_all(store, out)?;
        }
        Ok(view)
    }
}

const READ: &str = "\
Give the numbers of items, or select items with options. If an item is unknown,
nothing is changed. With ui.mark_stories, the other items of the same stories
are marked too. --undo undoes the last run, and earlier runs when it is
repeated, up to 20. Items that the run marked and that are still read become
unread.

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

const UNREAD: &str = "\
Give the numbers of items, or select items with options. If an item is unknown,
nothing is changed. With ui.mark_stories, the other items of the same stories
are marked too.

Examples:
  newsfed unread 1234 1235
  newsfed unread --source council --since 7d
  newsfed unread --dry-run --query 'is:read sport'";

pub(super) const PIN: &str = "\
If one of the items is unknown, nothing is changed.

Examples:
  newsfed pin 1234
  newsfed list --pinned";

pub(super) const UNPIN: &str = "\
If one of the items is unknown, nothing is changed.

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
        return undo_read(&Home::load(global)?.store()?, out);
    }
    args.which.check()?;
    let home = Home::load(global)?;
    let store = home.store()?;
    let (stories, now) = (home.settings.ui.mark_stories, SystemClock.now());
    let catalogue = Catalogue::read(&home, &store)?;
    let view = args.which.view(&catalogue, &store, out)?;
    if args.which.dry_run {
        return would_mark(&store, &catalogue, view, (true, stories), out);
    }
    let keys = match view.scope {
        Scope::Only(keys) => store.read_items_blocking(keys.to_vec(), stories, now)?,
        _ => {
            let all = Part::up_to(store.reader()?.last_key()?);
            store.read_view_blocking(view, all, stories, now)?
        }
    };
    let exit = report(keys.len(), "marked read", out)?;
    if !keys.is_empty() && args.which.ids.is_empty() && !out.json {
        out.note("`newsfed read --undo` undoes this");
    }
    Ok(exit)
}

/// Lists the items that would be marked read or, if `read` is false, unread.
fn would_mark(
    store: &Store,
    catalogue: &Catalogue,
    mut view: View,
    (read, stories): (bool, bool),
    out: &mut Output,
) -> Result<Exit, Failure> {
    let reader = store.reader()?;
    let keys = reader.keys(&view)?;
    let changed = reader.read_among(&keys, !read, false)?;
    // When marking unread, items that are already unread also make the other items of their stories unread.
    let all = reader.read_among(if read { &changed } else { &keys }, !read, stories)?.len();
    let listed = changed.len();
    view.scope = Scope::Only(changed.into());
    if out.json {
        out.value(&Marked { changed: 0, would_change: Some(all) })?;
        return Ok(Exit::Ok);
    }
    let more = match all.saturating_sub(listed) {
        0 => String::new(),
        more => format!(", {more} of them because they belong to the same stories"),
    };
    let done = if read { "read" } else { "unread" };
    out.note(format!("{} would be marked {done}{more}", counted(all, "item")));
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
    report(unread, &format!("marked unread (undid `newsfed read` of {})", minute(at)), out)
}

pub(super) fn unread(
    args: &UnreadArgs,
    global: &Global,
    out: &mut Output,
) -> Result<Exit, Failure> {
    args.which.check()?;
    let home = Home::load(global)?;
    let (store, stories) = (home.store()?, home.settings.ui.mark_stories);
    let catalogue = Catalogue::read(&home, &store)?;
    let view = args.which.view(&catalogue, &store, out)?;
    if args.which.dry_run {
        return would_mark(&store, &catalogue, view, (false, stories), out);
    }
    let keys = match view.scope {
        Scope::Only(keys) => keys.to_vec(),
        _ => store.reader()?.keys(&view)?,
    };
    let changed = set_whole(&store, Mark::Read, keys, false, stories)?;
    report(changed, "marked unread", out)
}

pub(super) fn pin(
    args: &ItemArgs,
    to: bool,
    global: &Global,
    out: &mut Output,
) -> Result<Exit, Failure> {
    let home = Home::load(global)?;
    let store = home.store()?;
    let keys = items::keys(&store.reader()?, &args.ids)?;
    let changed = set_whole(&store, Mark::Pinned, keys, to, home.settings.ui.mark_stories)?;
    report(changed, if to { "pinned" } else { "unpinned" }, out)
}

#[derive(Debug, clap::Args)]
#[command(after_help = TAG)]
pub(super) struct TagArgs {
    /// The tag, or several, separated by commas
    tag: String,
    /// The items
    #[arg(required = true, value_name = "ID")]
    ids: Vec<String>,
}

const TAG: &str = "\
Case and accents are ignored in tags. tag:NAME finds items that have the tag or
whose source has it. To add a tag that contains a comma, put it in quotes.

Examples:
  newsfed tag todo 1234 1235
  newsfed tag linux,c 1234
  newsfed tag '\"Paris, Texas\"' 1234
  newsfed untag todo 1234
  newsfed list --query tag:todo";

#[derive(Debug, clap::Args)]
#[command(after_help = LATER)]
pub(super) struct LaterArgs {
    /// The items
    #[arg(required = true, value_name = "ID")]
    ids: Vec<String>,
    /// Stop keeping the items for later
    #[arg(long)]
    remove: bool,
}

const LATER: &str = "\
Retention does not remove items that are kept for later.

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
Snoozed items are left out of lists, except with is:snoozed. At the given time,
they come back as unread. `newsfed unread` brings them back at once.

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
    let mut tags = listed_tags(&args.tag);
    if tags.is_empty() || tags.iter().any(|tag| tag.chars().count() > MAX_TAG) {
        let message = format!("a tag must have 1 to {MAX_TAG} characters");
        return Err(Failure::Usage(message));
    }
    let store = Home::load(global)?.store()?;
    let reader = store.reader()?;
    let keys = items::keys(&reader, &args.ids)?;
    if !on && has_tag(&reader, &keys, &args.tag)? {
        tags = vec![args.tag.clone()];
    }
    let changed = store.mark_all_blocking(tags.into_iter().map(Mark::Tag).collect(), keys, on)?;
    report(changed.len(), if on { "tagged" } else { "untagged" }, out)
}

/// Whether one of the items (row keys) has the tag.
fn has_tag(reader: &Reader, keys: &[i64], tag: &str) -> Result<bool, Failure> {
    let form = tag_form(tag);
    for &key in keys {
        if reader.tags_of(key)?.iter().any(|tag| tag_form(tag) == form) {
            return Ok(true);
        }
    }
    Ok(false)
}

/// The tags in a comma-separated list. Tags in quotes may contain commas.
fn listed_tags(list: &str) -> Vec<String> {
    let mut quoted = false;
    let parts = list.split(|c| {
        quoted ^= c == '"';
        c == ',' && !quoted
    });
    let tags = parts.map(|part| text::line(&part.replace('"', " ")));
    tags.filter(|tag| !text::comparable(tag).is_empty()).collect()
}

pub(super) fn later(args: &LaterArgs, global: &Global, out: &mut Output) -> Result<Exit, Failure> {
    let store = Home::load(global)?.store()?;
    let changed = set(&store, Mark::Later, &args.ids, !args.remove)?;
    report(changed, if args.remove { "no longer kept for later" } else { "kept for later" }, out)
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
    let store = Home::load(global)?.store()?;
    let changed = set(&store, Mark::Snoozed(until), &args.ids, true)?;
    report(changed, &format!("snoozed until {}", minute(until)), out)
}

fn set(store: &Store, mark: Mark, ids: &[String], to: bool) -> Result<usize, Failure> {
    let keys = items::keys(&store.reader()?, ids)?;
    Ok(store.mark_blocking(mark, keys, to)?.len())
}

/// Sets a mark on items (row keys) and, if `stories` is set, on the other items of their stories. Returns
/// the number of items that changed.
fn set_whole(
    store: &Store,
    mark: Mark,
    keys: Vec<i64>,
    to: bool,
    stories: bool,
) -> Result<usize, Failure> {
    Ok(match stories {
        true => store.mark_stories_blocking(mark, keys, to)?.len(),
        false => store.mark_blocking(mark, keys, to)?.len(),
    })
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
