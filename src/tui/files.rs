//! Opens pages and files in other programs, and downloads files.

use super::driver::message;
use super::effect::{FileUse, MediaFile};
use super::event::Event;
use crate::config::{Paths, Settings};
use crate::engine::{DownloadOrder, Handle};
use crate::util::browser::{self, Launch, NoBrowser, Surroundings};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use tokio::sync::mpsc::UnboundedSender;
use tokio_util::sync::CancellationToken;

/// Time between two messages about a download.
const STEP: Duration = Duration::from_secs(1);

const AROUND: Surroundings<'_> =
    Surroundings { variable: &browser::variable, installed: &browser::installed };

/// Opens pages in the browser.
pub(super) fn browse(settings: &Settings, urls: Vec<String>) -> Event {
    let addresses: Vec<&str> = urls.iter().map(String::as_str).collect();
    let (argv, in_terminal) = (&settings.browser, settings.browser_in_terminal);
    let plan = browser::plan(argv, in_terminal, &AROUND, &addresses);
    started(plan, urls.into_iter().next().unwrap_or_default())
}

/// Opens a file with the program for its media type. `stored` is where it was downloaded to.
fn open(settings: &Settings, file: MediaFile, stored: Option<&Path>) -> Event {
    let (argv, in_terminal) = settings.program(&file.media_type);
    let plan = match stored {
        Some(path) => browser::plan_file(argv, in_terminal, &AROUND, (&file.url, path)),
        None => browser::plan(argv, in_terminal, &AROUND, &[&file.url]),
    };
    started(plan, file.url)
}

/// Starts what opens a window; others need the terminal first.
fn started(plan: Result<Launch, NoBrowser>, url: String) -> Event {
    let opened = match plan {
        Ok(launch) if launch.in_terminal => return Event::BrowserPlanned(launch),
        Ok(launch) => browser::launch(&launch).map_err(message),
        Err(e) => Err(message(e)),
    };
    Event::BrowserOpened(opened.map_err(|why| (url, why)))
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
        _ => tokio::select! {
            stored = download(&handle, &settings, &file, &events) => match stored {
                Ok(path) => Some(path),
                Err(why) => return Event::Downloaded(Err(why)),
            },
            () = cancelled.cancelled() => {
                let note = format!("Cancelled the download of {}", file.url);
                return Event::Message(Ok(note));
            }
        },
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
            // The interface may be closed already.
            let _ = events.send(step);
        }
    };
    let downloaded = handle.download(&order, progress).await;
    downloaded.map(|file| file.path).map_err(message)
}
