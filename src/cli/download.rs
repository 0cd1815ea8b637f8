//! `newsfed download`: downloads enclosures of items.

use super::exit::{Exit, Failure};
use super::global::Global;
use super::home::Home;
use super::items;
use super::log;
use super::number::whole;
use super::open::{FileOf, enclosure};
use super::output::Output;
use super::progress::Progress;
use super::runtime::{asked_to_stop, runtime_beside};
use super::table::{Column, Table};
use crate::config::Paths;
use crate::engine::{
    DownloadEntry, DownloadOrder, DownloadState, Downloaded, Handle, list_downloads,
};
use crate::model::Time;
use crate::util::clock::{Clock, SystemClock};
use crate::util::text::{self, line};
use crate::util::time_text::{age, published};
use std::num::NonZeroUsize;
use std::path::PathBuf;

#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct DownloadArgs {
    /// The items
    #[arg(required_unless_present = "list", value_name = "ID")]
    ids: Vec<String>,
    /// List downloads, unfinished ones first, then the newest, without downloading
    #[arg(long, conflicts_with_all = ["ids", "enclosure", "all", "dir"])]
    list: bool,
    /// Download the enclosure with this number [default: the first audio or video]
    #[arg(long, value_name = "N", conflicts_with = "all", value_parser = whole(NonZeroUsize::MIN..))]
    enclosure: Option<NonZeroUsize>,
    /// Download all enclosures
    #[arg(long)]
    all: bool,
    /// Folder for the files [default: download.folder in config.toml]
    #[arg(long, value_name = "DIR")]
    dir: Option<PathBuf>,
}

const EXAMPLES: &str = "\
Prints the path of each file. Files get the name that the server or the URL
gives them, with a number if another file already has that name: nothing is
overwritten. The name of an unfinished file ends in .part. The next download of
its URL resumes it, unless the file on the server has changed. Exits with 3 if
only some of the files were downloaded. With download.days set, files are
removed after that many days. Without download.folder, files go to your
downloads folder.

Examples:
  newsfed download 1234
  newsfed download --dir ~/Podcasts 1234 1235
  newsfed download --enclosure 2 1234
  newsfed download --list
  newsfed list --query has:audio --json | jq .number | xargs newsfed download";

#[derive(serde::Serialize)]
struct Shape<'a> {
    number: i64,
    url: &'a str,
    path: Option<String>,
    bytes: Option<u64>,
    resumed: Option<u64>,
    error: Option<String>,
}

pub(super) fn run(args: &DownloadArgs, global: &Global, out: &mut Output) -> Result<Exit, Failure> {
    let home = Home::load(global)?;
    if args.list {
        return list(&home, out);
    }
    log::start(&home, out.verbose, false);
    let folder = match &args.dir {
        Some(dir) => std::path::absolute(dir)
            .map_err(|e| Failure::Plain(format!("{}: {e}", line(&dir.to_string_lossy()))))?,
        None => Paths::downloads(home.settings.download.folder.as_deref())?,
    };
    let store = home.store()?;
    let (orders, without) = orders(args, &home, &store, &folder, out)?;
    runtime_beside()?.block_on(async {
        let stop = asked_to_stop();
        let handle = home.engine(store, false).start().await?;
        let result = tokio::select! {
            result = download(&orders, without, &handle, out) => result,
            () = stop => Ok(Exit::Interrupted),
        };
        handle.shutdown().await;
        if matches!(result, Ok(Exit::Interrupted)) {
            out.warn("newsfed: interrupted; the same command resumes the download");
        }
        result
    })
}

#[derive(serde::Serialize)]
struct Listed<'a> {
    path: &'a str,
    url: Option<&'a str>,
    number: Option<i64>,
    bytes: u64,
    total: Option<u64>,
    downloaded: Option<Time>,
    state: &'static str,
    kept: bool,
}

/// Maximum length of a line in the list, in cells.
const LONGEST_LINE: usize = 4096;

fn list(home: &Home, out: &mut Output) -> Result<Exit, Failure> {
    let folder = Paths::downloads(home.settings.download.folder.as_deref())?;
    let files = list_downloads(&home.store_to_read()?.reader()?, &folder)?;
    let now = SystemClock.now();
    let columns = [20, 10, 10].map(|most| Column { most, right: true });
    // Paths are not truncated.
    let mut table = Table::new(&columns, out.width.map(|_| LONGEST_LINE));
    let terminal = out.width.is_some();
    let cells = |file: &DownloadEntry| {
        let number = file.item.map(|item| item.to_string()).unwrap_or_default();
        let at = |show: &dyn Fn(Time) -> String| file.at.map(show).unwrap_or_default();
        match terminal {
            true => [number, text::size(file.size), at(&|at: Time| age((now - at).num_seconds()))],
            false => [number, file.size.to_string(), at(&published)],
        }
    };
    for file in &files {
        table.fit(&cells(file).each_ref().map(String::as_str));
    }
    for file in &files {
        let state = file.state_name();
        if out.json {
            let DownloadEntry { path, url, item, at, size, total, kept, .. } = file;
            let url = url.as_deref();
            let (number, bytes, total, kept) = (*item, *size, *total, *kept);
            // The time of an unfinished file is that of its last change, not of a download.
            let downloaded = at.filter(|_| file.state.is_some());
            out.value(&Listed { path, url, number, bytes, total, downloaded, state, kept })?;
            continue;
        }
        let note = match (state, file.total) {
            ("unchanged", _) => String::new(),
            ("unfinished", Some(total)) => format!(" (unfinished, of {})", text::size(total)),
            _ => format!(" ({state})"),
        };
        let [number, size, age] = cells(file);
        out.line(table.line(&[&number, &size, &age, &(line(&file.path) + &note)]))?;
    }
    if files.is_empty() {
        out.note("nothing has been downloaded yet");
    }
    Ok(Exit::Ok)
}

/// What to download for each item, and how many items have nothing to download.
fn orders(
    args: &DownloadArgs,
    home: &Home,
    store: &crate::store::Store,
    folder: &std::path::Path,
    out: &mut Output,
) -> Result<(Vec<(i64, DownloadOrder)>, usize), Failure> {
    let reader = store.reader()?;
    let (mut orders, mut without) = (Vec::new(), 0);
    for key in items::keys(&reader, &args.ids)? {
        let (Some(row), Some(item)) = (reader.row(key)?, reader.item(key)?) else { continue };
        let files = match enclosure(&item, args.enclosure, key) {
            Ok(_) if args.all => item.enclosures.iter().collect(),
            Ok(file) => vec![file],
            Err(why) => {
                out.warn(format!("newsfed: {why}"));
                without += 1;
                continue;
            }
        };
        orders.extend(files.into_iter().map(|file| {
            let order = DownloadOrder {
                item: key,
                source: row.source_key,
                url: file.url.clone(),
                mime: file.mime.clone(),
                folder: folder.to_owned(),
                max_size: home.settings.download.max_size,
            };
            (key, order)
        }));
    }
    Ok((orders, without))
}

/// The path of a file for the program that opens it. The file is downloaded to the download folder first,
/// unless it is already there.
pub(super) fn store(
    home: &Home,
    url: &str,
    media_type: &str,
    of: FileOf,
    out: &mut Output,
) -> Result<PathBuf, String> {
    let settings = &home.settings.download;
    let order = DownloadOrder {
        item: of.item,
        source: of.source,
        url: url.to_owned(),
        mime: Some(media_type.to_owned()),
        folder: Paths::downloads(settings.folder.as_deref()).map_err(|e| e.to_string())?,
        max_size: settings.max_size,
    };
    let store = home.store().map_err(|e| e.to_string())?;
    runtime_beside().map_err(|e| e.to_string())?.block_on(async {
        let stop = asked_to_stop();
        let handle = home.engine(store, false).start().await.map_err(|e| e.to_string())?;
        let progress = Progress::file(&line(url), out);
        let report = |state: DownloadState| progress.bytes(state.received, state.total);
        let result = tokio::select! {
            file = handle.stored_file(&order, report) => file.map_err(|e| line(&e.to_string())),
            () = stop => Err("interrupted; the same command resumes the download".to_owned()),
        };
        progress.clear();
        handle.shutdown().await;
        result
    })
}

async fn download(
    orders: &[(i64, DownloadOrder)],
    without: usize,
    handle: &Handle,
    out: &mut Output,
) -> Result<Exit, Failure> {
    let (mut done, mut failed) = (0, without);
    for (number, order) in orders {
        let progress = Progress::file(&line(&order.url), out);
        let result =
            handle.download(order, |state| progress.bytes(state.received, state.total)).await;
        progress.clear();
        let (file, error) = match result {
            Ok(file) => (Some(file), None),
            Err(e) => (None, Some(line(&e.to_string()))),
        };
        done += usize::from(file.is_some());
        failed += usize::from(error.is_some());
        if out.json {
            let path = file.as_ref().map(|file| file.path.to_string_lossy().into_owned());
            let (bytes, resumed) =
                file.map(|Downloaded { bytes, resumed, .. }| (bytes, resumed)).unzip();
            let url = &order.url;
            out.value(&Shape { number: *number, url, path, bytes, resumed, error })?;
        } else if let Some(file) = file {
            out.line(file.path.to_string_lossy())?;
        } else if let Some(error) = error {
            out.warn(format!("newsfed: item {number}: {error}"));
        }
        out.flush()?;
    }
    Ok(match (done, failed) {
        (_, 0) => Exit::Ok,
        (0, _) => Exit::Failed,
        _ => Exit::Partial,
    })
}
