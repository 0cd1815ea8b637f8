//! `newsfed save`: saves articles as a file.

use super::catalogue::Catalogue;
use super::exit::{Exit, Failure};
use super::global::Global;
use super::home::Home;
use super::item_options::Choice;
use super::items;
use super::list::index_all;
use super::log;
use super::number::whole;
use super::output::Output;
use super::progress::Progress;
use super::runtime::{asked_to_stop, runtime_beside};
use crate::config::Paths;
use crate::engine::{SaveOrder, SaveState, Saved};
use crate::save::SaveFormat;
use crate::store::{Anchor, Cursor, Reader, Store, View};
use crate::util::limits::SAVED_ITEMS;
use crate::util::shared_file::{write_beside, write_new, write_shared};
use crate::util::text::{counted, line, size};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct SaveArgs {
    /// The items
    #[arg(value_name = "ID")]
    ids: Vec<String>,
    /// Format of the file [default: from the file's extension, or else markdown]
    #[arg(long, value_enum)]
    format: Option<SaveFormatArg>,
    /// The file to write, or - for standard output [default: a file in save.folder]
    #[arg(long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Replace the file if it exists
    #[arg(long, requires = "output")]
    replace: bool,
    /// Fetch the pictures and put them into the file [default: save.pictures in config.toml]
    #[arg(long)]
    pictures: bool,
    /// Maximum number of items
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = whole(1..=SAVED_ITEMS))]
    limit: usize,
    #[command(flatten)]
    choice: Choice,
}

const EXAMPLES: &str = "\
Several articles become one file with a chapter for each. Without --output, the
file is named after the article or the view, with a number if another file has
that name. A file is never overwritten without --replace. Pictures are fetched
only with --pictures or save.pictures; otherwise they remain links. HTML and
EPUB files load nothing from the network when they are read.

Examples:
  newsfed save 1234
  newsfed save --format html --pictures 1234
  newsfed save --view Rust --format epub
  newsfed save --query 'in:later' --output ~/weekend.epub";

#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum SaveFormatArg {
    /// Markdown
    Markdown,
    /// An HTML page with embedded pictures
    Html,
    /// EPUB 3 with a chapter for each article
    Epub,
}

impl From<SaveFormatArg> for SaveFormat {
    fn from(format: SaveFormatArg) -> Self {
        match format {
            SaveFormatArg::Markdown => Self::Markdown,
            SaveFormatArg::Html => Self::Html,
            SaveFormatArg::Epub => Self::Epub,
        }
    }
}

#[derive(serde::Serialize)]
struct Shape<'a> {
    path: &'a str,
    format: &'a str,
    items: usize,
    left_out: usize,
    /// Whether the limit excluded items.
    more: bool,
    pictures: usize,
    pictures_failed: usize,
    pictures_left_out: usize,
    bytes: usize,
}

pub(super) fn run(args: &SaveArgs, global: &Global, out: &mut Output) -> Result<Exit, Failure> {
    if args.ids.is_empty() == args.choice.is_empty() {
        let how = "give item numbers, or select items with --view, --query or another option";
        return Err(Failure::Usage(how.to_owned()));
    }
    let home = Home::load(global)?;
    log::start(&home, out.verbose, false);
    let store = home.store()?;
    let (items, more) = chosen(args, &home, &store, out)?;
    if items.is_empty() {
        return Err(Failure::Plain("no items to save".to_owned()));
    }
    let named =
        args.output.as_deref().and_then(|path| SaveFormat::of_name(&path.to_string_lossy()));
    let order = SaveOrder {
        items,
        format: args.format.map(SaveFormat::from).or(named).unwrap_or(SaveFormat::Markdown),
        title: title(args),
        pictures: args.pictures || home.settings.save.pictures,
    };
    let saved = make(&home, store, &order, out)?;
    let Some(saved) = saved else { return Ok(Exit::Interrupted) };
    if args.output.as_deref() == Some(Path::new("-")) {
        out.raw(&saved.file.bytes)?;
        return Ok(note(&saved, more, out));
    }
    let path = store_file(args, &home, &saved)?;
    let path = line(&path.to_string_lossy());
    if out.json {
        out.value(&Shape {
            path: &path,
            format: order.format.name(),
            items: saved.file.articles,
            left_out: saved.file.left_out + saved.gone,
            more,
            pictures: saved.file.pictures,
            pictures_failed: saved.pictures_failed,
            pictures_left_out: saved.pictures_left_out,
            bytes: saved.file.bytes.len(),
        })?;
    } else {
        let articles = counted(saved.file.articles, "article");
        out.line(&path)?;
        out.result(format!("{articles}, {}", size(saved.file.bytes.len() as u64)))?;
    }
    Ok(note(&saved, more, out))
}

/// The title of a file with several articles.
fn title(args: &SaveArgs) -> String {
    let Choice { view, query, folder, tag, .. } = &args.choice;
    let name = [view, query, folder, tag].into_iter().flatten().next().cloned();
    name.or_else(|| args.choice.source.first().cloned()).unwrap_or_else(|| "Articles".to_owned())
}

/// The row keys of the items, and whether there are more.
fn chosen(
    args: &SaveArgs,
    home: &Home,
    store: &Store,
    out: &mut Output,
) -> Result<(Vec<i64>, bool), Failure> {
    let limit = args.limit;
    let mut keys = if args.ids.is_empty() {
        let view = args.choice.view(&Catalogue::read(home, store)?)?;
        if view.criteria.needs_index() {
            index_all(store, out)?;
        }
        first_keys(&store.reader()?, &view, limit + 1)?
    } else {
        items::keys(&store.reader()?, &args.ids)?
    };
    let more = keys.len() > limit;
    keys.truncate(limit);
    Ok((keys, more))
}

/// The row keys of the first items in a view.
fn first_keys(reader: &Reader, view: &View, most: usize) -> Result<Vec<i64>, Failure> {
    let (mut anchor, mut keys) = (Anchor::First, Vec::new());
    loop {
        let window = reader.window(view, anchor, most)?;
        keys.extend(window.rows.iter().map(|row| row.key));
        match window.rows.last() {
            // A full-text search returns all its rows at once.
            Some(last)
                if window.more_below && keys.len() < most && view.criteria.text.is_none() =>
            {
                anchor = Anchor::After(Cursor::from(last));
            }
            _ => break,
        }
    }
    keys.truncate(most);
    Ok(keys)
}

/// Creates the file; `None` if the user stopped it.
fn make(
    home: &Home,
    store: Store,
    order: &SaveOrder,
    out: &mut Output,
) -> Result<Option<Saved>, Failure> {
    runtime_beside()?.block_on(async {
        let stop = asked_to_stop();
        let handle = home.engine(store, false).start().await?;
        let (progress, mut done) = (Progress::new(order.items.len(), out), 0);
        let step = |state: SaveState| {
            if state.articles > done {
                done = state.articles;
                progress.step(None);
            }
        };
        let result = tokio::select! {
            saved = handle.save(order, step) => saved.map(Some),
            () = stop => Ok(None),
        };
        progress.clear();
        handle.shutdown().await;
        result.map_err(|e| Failure::Plain(line(&e.to_string())))
    })
}

/// Writes the file and returns its path.
fn store_file(args: &SaveArgs, home: &Home, saved: &Saved) -> Result<PathBuf, Failure> {
    let bytes = &saved.file.bytes;
    let Some(path) = &args.output else {
        let folder = Paths::downloads(home.settings.save.folder.as_deref())?;
        return write_beside(&folder, &saved.name, bytes).map_err(|e| {
            Failure::Plain(format!("cannot write into {}: {e}", line(&folder.to_string_lossy())))
        });
    };
    let written = match args.replace {
        true => write_shared(path, bytes),
        false => write_new(path, bytes),
    };
    let shown = line(&path.to_string_lossy());
    written.map(|()| path.clone()).map_err(|e| {
        Failure::Plain(match e.kind() {
            ErrorKind::AlreadyExists => {
                format!("{shown} exists; use --replace to overwrite it, or give another name")
            }
            _ => format!("cannot write {shown}: {e}"),
        })
    })
}

/// Reports what is missing from the file.
fn note(saved: &Saved, more: bool, out: &mut Output) -> Exit {
    if more {
        out.note("newsfed: there are more items; --limit sets how many are saved");
    }
    for lack in saved.lacks() {
        out.note(format!("newsfed: {lack}"));
    }
    let complete = saved.file.left_out + saved.gone == 0;
    if complete { Exit::Ok } else { Exit::Partial }
}
