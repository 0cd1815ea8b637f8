//! `newsfed list` and `newsfed search`: list items, one per line.

use super::catalogue::Catalogue;
use super::exit::{Exit, Failure};
use super::global::Global;
use super::home::Home;
use super::item_options::{Choice, end_of, parsed};
use super::items::ItemShape;
use super::number::whole;
use super::output::Output;
use super::runtime::runtime;
use super::table::{Column, Table};
use crate::config::{Grouping, SortOrder};
use crate::model::{ItemRow, Time};
use crate::query::{Query, What};
use crate::store::{Anchor, Cursor, Reader, Scope, Snippet, Store, StoreError, View};
use crate::util::clock::{Clock, SystemClock};
use crate::util::text::{self, comment_count};
use crate::util::time_text::{published, published_day};
use crate::util::url_text::item_name;
use serde::Serialize;
use std::collections::HashMap;

/// Number of rows whose snippets are read at once.
const SNIPPETS: usize = 100;
/// Number of rows read at once.
const WINDOW: usize = 500;

#[derive(Debug, clap::Args)]
#[command(after_help = LIST)]
pub(super) struct ListArgs {
    /// Only unread items
    #[arg(long)]
    unread: bool,
    /// Only pinned items
    #[arg(long)]
    pinned: bool,
    /// Only items kept for later
    #[arg(long)]
    later: bool,
    /// Order: pinned-newest, newest, oldest, or best (best match first)
    #[arg(long, value_name = "ORDER", value_parser = order)]
    sort: Option<SortOrder>,
    /// Maximum number of items; 0 lists all (at most 1,000 in a search for words)
    #[arg(long, value_name = "N", default_value_t = 50, value_parser = whole(0_usize..))]
    limit: usize,
    /// List each story once
    #[arg(long)]
    fold: bool,
    /// List the best unread items that take at most this long to read in total
    #[arg(long, value_name = "MINUTES", value_parser = whole(1..=1440_u32))]
    read_for: Option<u32>,
    /// List items as they were at the end of this day
    #[arg(long, value_name = "DATE")]
    as_of: Option<String>,
    #[command(flatten)]
    choice: Choice,
}

const LIST: &str = "\
Each line has the item's number, its marks (* unread, + pinned, ± changed,
~ only small changes), its date, its source and its title, and the number of
other sources that have its story. In a pipe, the columns are separated by
tabs, not shortened, and followed by the URL; an item without marks has a
hyphen.

Without --sort, the view's own order applies, or else ui.sort. Dates
are written 2026-11-21, 2026-11, 2026, today, yesterday or 7d. --fold lists a
pinned item of each story, or else its earliest item. --as-of shows
titles and texts as they were, if earlier versions are stored; the marks are
the current ones, and items that retention has removed are missing. --read-for
prefers items that are new, pinned or kept for later, items of sources that you
read, and a mix of sources.

Examples:
  newsfed list --unread --source kernel
  newsfed list --query 'rust -async' --since 7d
  newsfed list --view Rust --unread
  newsfed list --query is:changed
  newsfed list --unread --fold
  newsfed list --read-for 20 --folder Tech
  newsfed list --as-of 2026-11-21 --source kernel
  newsfed list --pinned --limit 0 --json | jq -r .url";

#[derive(Debug, clap::Args)]
#[command(after_help = SEARCH)]
pub(super) struct SearchArgs {
    /// What to search for
    #[arg(required = true)]
    words: Vec<String>,
    /// Only unread items
    #[arg(long)]
    unread: bool,
    /// Order: pinned-newest, newest, oldest, or best (best match first)
    #[arg(long, value_name = "ORDER", value_parser = order)]
    sort: Option<SortOrder>,
    /// Maximum number of items; 0 lists all (at most 1,000 in a search for words)
    #[arg(long, value_name = "N", default_value_t = 50, value_parser = whole(0_usize..))]
    limit: usize,
    #[command(flatten)]
    choice: Choice,
}

const SEARCH: &str = "\
Items match if they contain all the words. A word of three letters or more also
finds longer words that begin with it; quoted words match exactly. A search for
words shows at most 1,000 matches: the newest ones, or the best ones with
--sort best. A word that begins with a minus excludes items. So that it is not
read as an option, put -- before it or, if other words come first, quote the
whole query.

  \"two words\"  exact phrase         -word            without it       a OR b
  title:word   author:word          source:name      folder:name      tag:name
  is:unread    is:read              is:pinned        is:new           in:later
  is:changed   is:edited            in:versions      asof:2026-11-21  -(a b)
  is:duplicate has:duplicate        is:hidden        is:snoozed
  after:7d     before:2026-11-21    after:yesterday  age<12h          age>2w
  url:part     category:name        lang:de          words<500        has:audio
  /pattern/    title:/pattern/      author:/pattern/ url:/pattern/

source: finds items of a source, by its id or title. folder: finds items of the
sources in a folder. tag: finds items that have this tag, or whose source has
it in sources.toml.
category: searches the publisher's own categories. Patterns are regular
expressions that ignore case. OR must be in capitals. An unknown operator is an
error; to search for it as text, quote it. `unread` is short for is:unread.
is:changed finds items whose text changed by more than corrected typos since
you last opened them; is:edited finds all changed items. in:versions searches
earlier versions of texts and titles. Hidden and snoozed items are found only
by is:hidden and is:snoozed. before:7d compares whole days, age>7d exact times.
The matching text is shown below each item; in a pipe, it is the last column.

Examples:
  newsfed search kernel release
  newsfed search --limit 5 title:rust is:unread after:7d
  newsfed search '\"night train\" -strike'
  newsfed search train -- -strike
  newsfed search '(rust OR zig) words>800 title:/v[0-9]+[.][0-9]/'";

fn order(text: &str) -> Result<SortOrder, String> {
    serde_json::from_value(text.into())
        .map_err(|_| "expected pinned-newest, newest, oldest or best".to_owned())
}

pub(super) fn run(args: &ListArgs, global: &Global, out: &mut Output) -> Result<Exit, Failure> {
    let home = Home::load(global)?;
    let store = home.store_to_read()?;
    let catalogue = Catalogue::read(&home, &store)?;
    let later = if args.later { Query::of([What::Later]) } else { Query::default() };
    let choice = Choice { also: later, ..args.choice.clone() };
    let mut view = choice.view(&catalogue)?;
    choice.unused_tag(&catalogue).into_iter().for_each(|unused| out.note(unused));
    view.unread_only = args.unread;
    view.fold = args.fold;
    if let Some(date) = &args.as_of {
        let end = end_of(date)?.timestamp();
        view.criteria.as_of = Some(view.criteria.as_of.map_or(end, |before| before.min(end)));
    }
    let named = choice.view.as_deref().map(|name| catalogue.view_named(name)).transpose()?;
    let of_view = named.and_then(|view| view.layout.sort);
    view.order = args.sort.or(of_view).unwrap_or(home.settings.ui.sort);
    if named.and_then(|view| view.layout.group) == Some(Grouping::Source) {
        view.sources = Some(catalogue.order());
    }
    match (args.pinned, &view.scope) {
        (true, Scope::All) => view.scope = Scope::Pinned,
        (true, _) => view.criteria.pinned = Some(true),
        (false, _) => {}
    }
    if let Some(minutes) = args.read_for {
        index_all(&store, out)?;
        let keys = store.reader()?.fitting(&view, minutes, SystemClock.now())?;
        view = View { order: view.order, ..View::of(Scope::Only(keys.into())) };
    }
    if print_items(&store, &catalogue, &view, args.limit, out)? == 0 {
        choice.caveat().into_iter().for_each(|caveat| out.note(caveat));
    }
    Ok(Exit::Ok)
}

pub(super) fn search(
    args: &SearchArgs,
    global: &Global,
    out: &mut Output,
) -> Result<Exit, Failure> {
    let home = Home::load(global)?;
    let store = home.store_to_read()?;
    let catalogue = Catalogue::read(&home, &store)?;
    let choice = Choice { also: parsed(&args.words.join(" "))?, ..args.choice.clone() };
    let mut view = choice.view(&catalogue)?;
    choice.unused_tag(&catalogue).into_iter().for_each(|unused| out.note(unused));
    view.unread_only = args.unread;
    view.order = args.sort.unwrap_or(home.settings.ui.sort);
    if print_items(&store, &catalogue, &view, args.limit, out)? == 0 {
        choice.caveat().into_iter().for_each(|caveat| out.note(caveat));
    }
    Ok(Exit::Ok)
}

/// Prints the items of a view, and returns their number.
pub(super) fn print_items(
    store: &Store,
    catalogue: &Catalogue,
    view: &View,
    limit: usize,
    out: &mut Output,
) -> Result<usize, Failure> {
    if view.fold || view.criteria.needs_index() {
        index_all(store, out)?;
    }
    let reader = store.reader()?;
    let mut lines = Lines::new(&reader, catalogue, view, out)?;
    // Matches in earlier versions have no snippets, because snippets come from the current texts.
    let searched = view.criteria.text.as_deref().filter(|_| !view.criteria.versions);
    let mut left = if limit == 0 { usize::MAX } else { limit };
    let mut anchor = Anchor::First;
    let mut printed = 0usize;
    loop {
        let window = reader.window(view, anchor, WINDOW.min(left))?;
        let shown: Vec<&ItemRow> = window.rows.iter().take(left).collect();
        for rows in shown.chunks(SNIPPETS) {
            let untitled = rows.iter().filter(|row| row.title.is_empty()).map(|row| row.key);
            // With `--as-of`, only the titles of that day are printed, not the texts.
            if view.criteria.as_of.is_none() && !out.json {
                let untitled: Vec<i64> = untitled.collect();
                lines.openings = reader.openings(&untitled)?.into_iter().collect();
            }
            if let Some(expression) = searched {
                let keys: Vec<i64> = rows.iter().map(|row| row.key).collect();
                lines.snippets = reader.snippets(&keys, expression)?.into_iter().collect();
            }
            rows.iter().try_for_each(|row| lines.print(&reader, row, out))?;
        }
        let taken = window.rows.len().min(left);
        (left, printed) = (left - taken, printed + taken);
        match window.rows.last() {
            // A full-text search returns all its rows at once.
            Some(last) if window.more_below && left > 0 && view.criteria.text.is_none() => {
                anchor = Anchor::After(Cursor::from(last));
            }
            _ => {
                if window.cut && left > 0 {
                    let which = if view.is_ranked() { "best" } else { "newest" };
                    out.note(format!("only the {which} {printed} matches are shown"));
                }
                break;
            }
        }
    }
    if printed == 0 {
        out.note(nothing(catalogue));
    }
    Ok(printed)
}

/// Explains why a list is empty.
fn nothing(catalogue: &Catalogue) -> &'static str {
    if catalogue.entries.is_empty() {
        "no sources yet; `newsfed add URL` follows a site or a feed"
    } else if catalogue.entries.iter().all(|e| !e.facts.polled) {
        "not refreshed yet; run `newsfed sync`"
    } else {
        "no item matches"
    }
}

/// Waits until all texts are indexed. This usually happens in the background.
pub(super) fn index_all(store: &Store, out: &mut Output) -> Result<(), Failure> {
    let waiting = std::time::Instant::now();
    let mut summary = false;
    let indexed = runtime()?.block_on(async {
        while store.index_step().await?.is_some() {
            if !summary && waiting.elapsed() > std::time::Duration::from_secs(1) {
                out.note("indexing new items for the search …");
                summary = true;
            }
        }
        Ok(())
    });
    match indexed {
        // The texts that are already indexed can still be searched.
        Err::<(), StoreError>(e) if e.leaves_reading() => Ok(()),
        other => Ok(other?),
    }
}

/// Prints rows as lines, tab-separated values or JSON.
struct Lines<'a> {
    table: Table,
    sources: HashMap<i64, &'a super::catalogue::Entry>,
    as_of: Option<Time>,
    /// Whether a full-text search of the current texts selects the rows.
    searched: bool,
    /// The snippets of the next rows, by row key.
    snippets: HashMap<i64, Snippet>,
    /// The beginnings of the texts of the next rows without a title, by row key.
    openings: HashMap<i64, Snippet>,
}

/// Maximum width of a source name in a list, in cells.
const SOURCE_WIDTH: usize = 16;
/// Maximum width of a text in place of a title, in cells.
const NAME: usize = 80;

impl<'a> Lines<'a> {
    fn new(
        reader: &Reader,
        catalogue: &'a Catalogue,
        view: &View,
        out: &Output,
    ) -> Result<Self, Failure> {
        let number = Column { most: 20, right: true };
        let plain = |most| Column { most, right: false };
        let columns = [number, plain(2), plain(10), plain(SOURCE_WIDTH)];
        let mut table = Table::new(&columns, out.width);
        let last = reader.last_key()?.to_string();
        for entry in &catalogue.entries {
            table.fit(&[&last, "*+", "2026-11-21", entry.title()]);
        }
        let as_of = view.criteria.as_of.and_then(|at| Time::from_timestamp(at, 0));
        let sources = catalogue.by_key();
        let searched = view.criteria.text.is_some() && !view.criteria.versions;
        let (snippets, openings) = (HashMap::new(), HashMap::new());
        Ok(Self { table, sources, as_of, searched, snippets, openings })
    }

    fn print(&self, reader: &Reader, row: &ItemRow, out: &mut Output) -> Result<(), Failure> {
        if out.json {
            // `None` if the item was removed after the window was read.
            let shape = ItemShape::read(reader, row.key, self.as_of)?;
            let snippet = self.snippets.get(&row.key);
            return shape.map_or(Ok(()), |shape| match snippet {
                Some(snippet) => out.value(&Found { shape, snippet: JsonSnippet::of(snippet) }),
                None => out.value(&shape),
            });
        }
        let number = row.key.to_string();
        let source = self.sources.get(&row.source_key);
        let opening = self.openings.get(&row.key).map_or("", |opening| &opening.text);
        let opening = text::truncate(opening, NAME);
        let title = &*item_name(&row.title, &opening, row.url.as_deref());
        let line = if out.width.is_some() {
            let name = source.map_or("", |e| e.title());
            let count = row.comment_count.filter(|count| *count > 0);
            let counted = count.map(|count| comment_count(count, row.new_comments));
            let also = (row.also > 0).then(|| format!("also in {}", row.also));
            let notes: Vec<String> = counted.into_iter().chain(also).collect();
            let (marks, day) = (marks(row, " "), day_of(row, published_day));
            let cells = [&number, &marks, &day, name, title];
            match notes.is_empty() {
                true => self.table.line(&cells),
                false => self.table.line_with_note(&cells, &format!(" ({})", notes.join(", "))),
            }
        } else {
            let name = source.map_or("", |e| e.source.id.as_str());
            let url = row.url.as_deref().unwrap_or_default();
            let mut cells = vec![number, marks(row, "-"), day_of(row, published)];
            cells.extend([name, title, url].map(str::to_owned));
            if self.searched {
                let snippet = self.snippets.get(&row.key).map(|snippet| snippet.text.clone());
                cells.push(snippet.unwrap_or_default());
            }
            self.table.line(&cells.iter().map(String::as_str).collect::<Vec<_>>())
        };
        out.line(if row.read { out.faint(&line) } else { line })?;
        let snippet = self.snippets.get(&row.key).filter(|snippet| !snippet.text.is_empty());
        match (snippet, out.width) {
            (Some(snippet), Some(width)) => out.line(indented(snippet, width, out)),
            _ => Ok(()),
        }
    }
}

/// Wraps a snippet for printing below its row, with the hits in bold, or in brackets without colours.
fn indented(snippet: &Snippet, width: usize, out: &Output) -> String {
    const INDENT: &str = "    ";
    let mut lines = vec![String::new()];
    let (mut used, mut at) = (0, 0);
    for word in snippet.text.split_inclusive(' ') {
        let cells = text::width(word);
        if used > 0 && used + cells > width.saturating_sub(INDENT.len() + 1).max(20) {
            lines.push(String::new());
            used = 0;
        }
        used += cells;
        if let Some(line) = lines.last_mut() {
            line.push_str(&emphasised(word, at, snippet, out));
        }
        at += word.len();
    }
    lines.iter().map(|line| format!("{INDENT}{}", line.trim_end())).collect::<Vec<_>>().join("\n")
}

/// Highlights the hits in a word that begins at byte `at` of the snippet.
fn emphasised(word: &str, at: usize, snippet: &Snippet, out: &Output) -> String {
    let (mut line, mut done) = (String::new(), 0);
    for hit in snippet.hits.iter().filter(|hit| hit.start < at + word.len() && hit.end > at) {
        let (start, end) = (hit.start.saturating_sub(at), (hit.end - at).min(word.len()));
        let (Some(before), Some(found)) = (word.get(done..start), word.get(start..end)) else {
            continue;
        };
        line.push_str(before);
        line.push_str(&match out.bold("") {
            plain if plain.is_empty() => format!("[{found}]"),
            _ => out.bold(found),
        });
        done = end;
    }
    line + word.get(done..).unwrap_or_default()
}

/// JSON output for an item that a search found.
#[derive(Serialize)]
struct Found<'a> {
    #[serde(flatten)]
    shape: ItemShape,
    snippet: JsonSnippet<'a>,
}

/// A snippet, with its hits as ranges of characters.
#[derive(Serialize)]
struct JsonSnippet<'a> {
    text: &'a str,
    hits: Vec<[usize; 2]>,
}

impl<'a> JsonSnippet<'a> {
    fn of(snippet: &'a Snippet) -> Self {
        let characters = |end: usize| snippet.text.get(..end).unwrap_or_default().chars().count();
        let hits = snippet.hits.iter().map(|hit| [characters(hit.start), characters(hit.end)]);
        Self { text: &snippet.text, hits: hits.collect() }
    }
}

fn marks(row: &ItemRow, none: &str) -> String {
    let small = row.changed && !row.substantial;
    let all = [(!row.read, '*'), (row.pinned, '+'), (row.substantial, '±'), (small, '~')];
    let marks: String = all.into_iter().filter(|(set, _)| *set).map(|(_, mark)| mark).collect();
    if marks.is_empty() { none.to_owned() } else { marks }
}

/// The date of an item; `-` if it has none.
fn day_of(row: &ItemRow, of: fn(Time) -> String) -> String {
    if row.found.is_some() { "-".to_owned() } else { of(row.date) }
}
