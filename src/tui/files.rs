//! Opens pages and files in other programs, and downloads files.

use super::driver::message;
use super::effect::{FileOf, FileUse, MediaFile};
use super::event::{Event, Followed};
use crate::config::{
    self, CommandOutput, CommandSettings, FileEdit, Paths, Settings, ViewSettings,
};
use crate::engine::{DownloadEntry, DownloadOrder, Handle, SaveOrder, SaveState};
use crate::model::{Enclosure, Source};
use crate::util::browser::{self, Launch, NoBrowser, Surroundings};
use crate::util::shared_file::write_beside;
use crate::util::text::{self, counted, counted_as, size};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::sync::mpsc::UnboundedSender;
use tokio::task::AbortHandle;
use tokio_util::sync::CancellationToken;

/// Minimum time between two progress messages about a download or about saving articles.
const STEP: Duration = Duration::from_secs(1);

const AROUND: Surroundings<'_> =
    Surroundings { variable: &browser::variable, installed: &browser::installed };

/// Work that the user can stop: downloads, opening files (which may need a download), saving articles, and
/// programs.
#[derive(Default)]
pub(super) struct Running(Vec<Cancellable>);

struct Cancellable {
    /// The URL, for a download.
    url: Option<String>,
    cancel: CancellationToken,
    task: AbortHandle,
}

impl Running {
    pub(super) fn add(
        &mut self,
        url: Option<String>,
        cancel: CancellationToken,
        task: AbortHandle,
    ) {
        self.0.retain(|running| !running.task.is_finished());
        self.0.push(Cancellable { url, cancel, task });
    }

    /// Stops all work, or only the download of a URL. Returns whether there was anything to stop.
    pub(super) fn cancel(&mut self, url: Option<&str>) -> bool {
        self.0.retain(|running| !running.task.is_finished());
        let is_meant = |running: &&Cancellable| url.is_none() || url == running.url.as_deref();
        let meant = self.0.iter().filter(is_meant);
        meant.inspect(|running| running.cancel.cancel()).count() > 0
    }
}

/// Opens pages in the browser.
pub(super) fn browse(settings: &Settings, urls: Vec<String>) -> Event {
    let addresses: Vec<&str> = urls.iter().map(String::as_str).collect();
    let (argv, in_terminal) = (&settings.browser, settings.browser_in_terminal);
    let plan = browser::plan(argv, in_terminal, &AROUND, &addresses);
    started(plan, urls.into_iter().next().unwrap_or_default())
}

/// Opens a file with the program for its media type. `stored` is the path to which it was downloaded.
fn open(settings: &Settings, file: MediaFile, stored: Option<&Path>) -> Event {
    let (argv, in_terminal) = settings.program(&file.media_type);
    let plan = match stored {
        Some(path) => browser::plan_file(argv, in_terminal, &AROUND, (&file.url, path)),
        None => browser::plan(argv, in_terminal, &AROUND, &[&file.url]),
    };
    started(plan, file.url)
}

/// Opens a file that was downloaded.
pub(super) fn open_stored(settings: &Settings, path: &str, media_type: &str) -> Event {
    let (argv, in_terminal) = settings.program(media_type);
    let plan = browser::plan_stored(argv, in_terminal, &AROUND, Path::new(path));
    started(plan, path.to_owned())
}

pub(super) async fn remove(handle: Handle, entry: DownloadEntry) -> Event {
    let name = entry.name().to_owned();
    let removed = handle.remove_download(entry).await;
    Event::DownloadRemoved(removed.map(|()| name).map_err(message))
}

/// Starts a program that opens a window. A program that needs the terminal is returned in an event.
fn started(plan: Result<Launch, NoBrowser>, url: String) -> Event {
    let opened = match plan {
        Ok(launch) if launch.in_terminal => return Event::BrowserPlanned(launch),
        Ok(launch) => browser::launch(&launch, Duration::ZERO).map_err(message),
        Err(e) => Err(message(e)),
    };
    Event::BrowserOpened(opened.map_err(|why| (url, why)))
}

/// Writes sources with their titles, and views, to a new OPML file in a folder.
pub(super) fn export(
    sources: &[(Arc<Source>, String)],
    views: &[ViewSettings],
    folder: &Path,
) -> Event {
    let titles = sources.iter().map(|(source, title)| (source.id.clone(), title.clone()));
    let all = sources.iter().map(|(source, _)| source.as_ref());
    let export = config::export_opml(all, &titles.collect(), views);
    Event::Message(match write_beside(folder, "newsfed.opml", export.text.as_bytes()) {
        Ok(path) => {
            let path = text::line(&path.to_string_lossy());
            let mut missing = Vec::new();
            if export.withheld > 0 {
                missing.push(format!("the secrets of {}", counted(export.withheld, "source")));
            }
            match sources.len() - export.sources {
                0 => {}
                count => missing.push(counted_as(
                    count,
                    "program, file, mailbox or list",
                    "programs, files, mailboxes or lists",
                )),
            }
            let without = if missing.is_empty() { "" } else { ", without " };
            let missing = missing.join(" and ");
            let written = counted(export.sources, "source");
            Ok(format!("Exported {written} to {path}{without}{missing}"))
        }
        Err(e) => {
            let folder = text::line(&folder.to_string_lossy());
            Err(format!("Not exported: cannot write to {folder}: {e}"))
        }
    })
}

/// Saves articles into a folder; the event contains the path of the file, and what is missing from it.
pub(super) async fn save(
    handle: &Handle,
    order: &SaveOrder,
    (folder, name): (PathBuf, String),
    events: &UnboundedSender<Event>,
    cancelled: CancellationToken,
) -> Event {
    let (total, mut shown) = (order.items.len(), Instant::now());
    let progress = |state: SaveState| {
        if shown.elapsed() >= STEP {
            shown = Instant::now();
            // Sending fails if the interface is already closed.
            let _ = events.send(Event::SaveAdvanced(state, total));
        }
    };
    // Dropping the future cancels its requests.
    let saved = match cancelled.run_until_cancelled(handle.save(order, progress)).await {
        None => return Event::Message(Ok("Stopped: nothing was saved".to_owned())),
        Some(Err(e)) => return Event::Message(Err(format!("Not saved: {}", message(e)))),
        Some(Ok(saved)) => saved,
    };
    let articles = counted(saved.file.articles, "article");
    let mut facts = vec![articles, size(saved.file.bytes.len() as u64)];
    facts.extend(saved.lacks());
    if saved.pictures_as_links > 0 {
        let links = if saved.pictures_as_links == 1 { "a link" } else { "links" };
        facts.push(format!("{} left as {links}", counted(saved.pictures_as_links, "picture")));
    }
    let write = move || write_beside(&folder, &name, &saved.file.bytes).map_err(|e| (e, folder));
    Event::Message(match tokio::task::spawn_blocking(write).await {
        Ok(Ok(path)) => Ok(format!("Saved {}: {}", path.to_string_lossy(), facts.join(", "))),
        Ok(Err((e, folder))) => Err(format!("Cannot write to {}: {e}", folder.to_string_lossy())),
        Err(e) => Err(message(e)),
    })
}

/// Opens a file, downloading it first if its program needs that, or only downloads it.
pub(super) async fn use_file(
    handle: Handle,
    file: MediaFile,
    file_use: FileUse,
    events: UnboundedSender<Event>,
    cancelled: CancellationToken,
) -> Event {
    let settings = handle.settings();
    let needed = browser::needs_file(settings.program(&file.media_type).0);
    let stored = match file_use {
        FileUse::Open if !needed => None,
        _ => {
            // Sending fails if the interface is already closed.
            let _ = events.send(Event::DownloadBegun(file.url.clone()));
            let stored = tokio::select! {
                stored = download(&handle, &settings, &file, file_use, &events) => Some(stored),
                () = cancelled.cancelled() => None,
            };
            let _ = events.send(Event::DownloadEnded(file.url.clone()));
            match stored {
                Some(Ok(path)) => Some(path),
                Some(Err(why)) => {
                    let _ = events.send(Event::DownloadFailed(file, why.clone()));
                    return Event::Downloaded(Err(why));
                }
                None => {
                    let note = format!("Stopped the download of {}", file.url);
                    return Event::Message(Ok(note));
                }
            }
        }
    };
    match (file_use, stored) {
        (FileUse::Download, Some(path)) => Event::Downloaded(Ok(message(path.to_string_lossy()))),
        (_, stored) => {
            let work = move || open(&settings, file, stored.as_deref());
            let opened = tokio::task::spawn_blocking(work).await;
            opened.unwrap_or_else(|e| Event::Message(Err(message(e))))
        }
    }
}

async fn download(
    handle: &Handle,
    settings: &Settings,
    file: &MediaFile,
    file_use: FileUse,
    events: &UnboundedSender<Event>,
) -> Result<PathBuf, String> {
    let folder = settings.download.folder.as_deref();
    let order = DownloadOrder {
        item: file.of.item,
        source: file.of.source,
        url: file.url.clone(),
        mime: Some(file.media_type.clone()),
        folder: Paths::downloads(folder).map_err(message)?,
        max_size: settings.download.max_size,
    };
    let mut shown: Option<Instant> = None;
    let progress = |state: crate::engine::DownloadState| {
        if shown.is_none_or(|at| at.elapsed() >= STEP) {
            shown = Some(Instant::now());
            let step = Event::DownloadAdvanced(file.url.clone(), state.received, state.total);
            // Sending fails if the interface is already closed.
            let _ = events.send(step);
        }
    };
    match file_use {
        FileUse::Open => handle.stored_file(&order, progress).await.map_err(message),
        FileUse::Download => {
            let downloaded = handle.download(&order, progress).await;
            downloaded.map(|file| file.path).map_err(message)
        }
    }
}

/// Follows some of the well-known sources.
pub(super) async fn follow_starters(
    handle: &Handle,
    chosen: &[usize],
) -> Result<(Vec<Followed>, FileEdit), String> {
    let all = config::starter_sources();
    let sources = chosen.iter().filter_map(|&i| all.get(i).cloned()).collect();
    let (added, edit) = handle.declare(sources).await.map_err(message)?;
    Ok((added.sources.into_iter().map(Followed::from).collect(), edit))
}

/// Reads the enclosures of items.
pub(super) async fn find_enclosures(
    handle: &Handle,
    items: Vec<FileOf>,
) -> Result<Vec<(FileOf, Vec<Enclosure>)>, String> {
    let mut found = Vec::with_capacity(items.len());
    for of in items {
        found.push((of, handle.enclosures(of.item).await.map_err(message)?));
    }
    Ok(found)
}

/// Runs one of the user's programs, or prepares it if it needs the terminal.
pub(super) async fn run_command(
    handle: &Handle,
    command: &CommandSettings,
    items: &[i64],
) -> Event {
    if command.output != CommandOutput::Terminal {
        let run = handle.run_command(command, items).await.map(Some).map_err(message);
        return Event::CommandEnded(command.name.clone(), command.output, run);
    }
    let mut all = Vec::new();
    for item in items {
        match handle.command_arguments(command, *item).await {
            Ok(argv) => all.extend(argv),
            Err(e) => return Event::Message(Err(message(e))),
        }
    }
    Event::BrowserPlanned(Launch { how: browser::How::Commands(all), in_terminal: true })
}
