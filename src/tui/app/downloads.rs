//! The list of downloads: running, unfinished and complete downloads.

use super::App;
use super::dialogs::KeyHint::{Back, Rows};
use super::dialogs::{Confirm, Dialog, KeyHint, KeyHints, Reply};
use crate::config::Key;
use crate::engine::{DownloadEntry, FileState};
use crate::tui::effect::{Effect, FileOf, FileUse, MediaFile};
use crate::tui::event::Failure;
use crate::tui::read::Read;
use crate::tui::view::{self, DialogArea};
use crate::util::media::media_type;
use crossterm::event::{KeyCode, KeyEvent};
use ratatui::Frame;
use url::Url;

/// Maximum number of failed downloads that are listed.
const MAX_FAILED: usize = 100;

/// A download that is running, or waiting for its turn.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Running {
    url: String,
    /// Bytes received; `None` before the download has started.
    pub(crate) received: Option<u64>,
    pub(crate) total: Option<u64>,
}

/// A download that failed since newsfed was opened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct FailedDownload {
    file: MediaFile,
    pub(crate) why: Failure,
}

/// The downloads of this run.
#[derive(Debug, Default)]
pub(in crate::tui) struct Downloads {
    pub(in crate::tui) running: Vec<Running>,
    failed: Vec<FailedDownload>,
}

/// State of the dialog.
#[derive(Debug, Default)]
pub(crate) struct DownloadList {
    pub(crate) selected: usize,
    /// The files on the disk, once they are known.
    pub(crate) entries: Option<Vec<DownloadEntry>>,
}

/// A row of the list: a running or failed download, a file, or both.
#[derive(Debug, Default)]
pub(crate) struct DownloadRow<'a> {
    pub(crate) failed: Option<&'a FailedDownload>,
    pub(crate) running: Option<&'a Running>,
    pub(crate) entry: Option<&'a DownloadEntry>,
}

impl DownloadRow<'_> {
    /// The name of the file, or the URL until there is a file.
    pub(crate) fn name(&self) -> &str {
        match (self.entry, self.running) {
            (Some(entry), _) => entry.name(),
            (None, Some(running)) => &running.url,
            (None, None) => self.failed.map_or("", |failed| &failed.file.url),
        }
    }
}

impl App {
    pub(super) fn open_downloads(&mut self) -> Vec<Effect> {
        let mut effects = self.push_dialog(DownloadList::default());
        effects.push(Effect::Read(Read::Downloads));
        effects
    }

    pub(super) fn download_begun(&mut self, url: String) -> Vec<Effect> {
        self.downloads.failed.retain(|failed| failed.file.url != url);
        // A download that is already running reports its own result.
        if !self.downloads.running.iter().any(|running| running.url == url) {
            self.downloads.running.push(Running { url, received: None, total: None });
        }
        self.list_downloads()
    }

    pub(super) fn download_progress(&mut self, url: &str, received: u64, total: Option<u64>) {
        if let Some(running) = self.downloads.running.iter_mut().find(|running| running.url == url)
        {
            (running.received, running.total) = (Some(received), total);
        }
    }

    pub(super) fn download_ended(&mut self, url: &str) -> Vec<Effect> {
        self.downloads.running.retain(|running| running.url != url);
        self.list_downloads()
    }

    pub(super) fn download_failed(&mut self, file: MediaFile, why: Failure) -> Vec<Effect> {
        self.downloads.failed.retain(|failed| failed.file.url != file.url);
        self.downloads.failed.insert(0, FailedDownload { file, why });
        self.downloads.failed.truncate(MAX_FAILED);
        vec![]
    }

    /// Reloads the list if it is shown.
    fn list_downloads(&self) -> Vec<Effect> {
        match self.dialog::<DownloadList>() {
            Some(_) => vec![Effect::Read(Read::Downloads)],
            None => vec![],
        }
    }

    pub(super) fn downloads_listed(
        &mut self,
        result: Result<Vec<DownloadEntry>, Failure>,
    ) -> Vec<Effect> {
        match (result, self.dialog_mut::<DownloadList>()) {
            (Ok(entries), Some(list)) => list.entries = Some(entries),
            (Err(why), _) => return self.problem(why),
            _ => {}
        }
        vec![]
    }

    pub(super) fn download_removed(&mut self, result: Result<String, Failure>) -> Vec<Effect> {
        let mut effects = match result {
            Ok(name) => self.note(format!("Removed {name}")),
            Err(why) => self.problem(format!("Not removed: {why}")),
        };
        effects.extend(self.list_downloads());
        effects
    }
}

impl DownloadList {
    /// The running downloads without a file, the failed ones, and the files.
    pub(crate) fn rows<'a>(&'a self, app: &'a App) -> Vec<DownloadRow<'a>> {
        let entries = self.entries.as_deref().unwrap_or_default();
        let is_of = |entry: &DownloadEntry, running: &Running| {
            entry.state.is_none() && entry.url.as_deref() == Some(running.url.as_str())
        };
        let mut rows: Vec<DownloadRow<'a>> = Vec::new();
        for running in &app.downloads.running {
            if !entries.iter().any(|entry| is_of(entry, running)) {
                rows.push(DownloadRow { running: Some(running), ..DownloadRow::default() });
            }
        }
        let is_there = |failed: &&FailedDownload| {
            entries.iter().any(|entry| entry.url.as_deref() == Some(failed.file.url.as_str()))
        };
        for failed in app.downloads.failed.iter().filter(|failed| !is_there(failed)) {
            rows.push(DownloadRow { failed: Some(failed), ..DownloadRow::default() });
        }
        for entry in entries {
            let running = app.downloads.running.iter().find(|running| is_of(entry, running));
            let of_entry = |failed: &&FailedDownload| {
                running.is_none()
                    && entry.state.is_none()
                    && entry.url.as_deref() == Some(failed.file.url.as_str())
            };
            let failed = app.downloads.failed.iter().find(of_entry);
            rows.push(DownloadRow { running, failed, entry: Some(entry) });
        }
        rows
    }

    fn pressed(&self, app: &mut App, event: KeyEvent) -> Vec<Effect> {
        let rows = self.rows(app);
        let Some(row) = rows.get(self.selected) else { return vec![] };
        let failed = row.failed.cloned();
        match event.code {
            KeyCode::Char('c') => match row.running {
                Some(running) => {
                    vec![Effect::StopRunning { url: Some(running.url.clone()) }]
                }
                None => app.note("This download is not running"),
            },
            KeyCode::Enter | KeyCode::Char('o') if failed.is_some() => {
                app.problem(failed.map(|failed| failed.why).unwrap_or_default())
            }
            KeyCode::Enter | KeyCode::Char('o') => match (row.running, row.entry.cloned()) {
                (None, Some(entry)) => app.open_download(&entry),
                _ => app.note("This download is not complete"),
            },
            KeyCode::Char('r') => match (row.running, row.entry.cloned()) {
                (None, Some(entry)) => app.continue_download(entry),
                (None, None) => failed.map_or_else(Vec::new, |failed| {
                    vec![Effect::UseFile { file: failed.file, file_use: FileUse::Download }]
                }),
                _ => app.note("This download is running"),
            },
            KeyCode::Char('d') => match (row.running, row.entry.cloned()) {
                (None, Some(entry)) => app.remove_download(entry),
                (None, None) => {
                    let url = failed.map(|failed| failed.file.url);
                    app.downloads.failed.retain(|other| Some(&other.file.url) != url.as_ref());
                    vec![]
                }
                _ => app.note("This download is running: stop it first"),
            },
            _ => vec![],
        }
    }
}

impl App {
    fn open_download(&mut self, entry: &DownloadEntry) -> Vec<Effect> {
        match entry.state {
            None => self.note("This download is not complete"),
            Some(FileState::Unchanged | FileState::Changed) => {
                let path = entry.path.clone();
                // The media type is derived from the file's extension, because the URL may have none, or a
                // different one.
                let file = Url::from_file_path(&path).map(String::from).unwrap_or_default();
                let of_url = |url: &String| media_type(None, url);
                let media_type = of_url(&file).or_else(|| entry.url.as_ref().and_then(of_url));
                let media_type = media_type.unwrap_or_default();
                vec![Effect::OpenDownload { path, media_type }]
            }
            Some(FileState::Missing | FileState::Unknown) => {
                self.note("This file no longer exists")
            }
        }
    }

    fn continue_download(&mut self, entry: DownloadEntry) -> Vec<Effect> {
        if let Some(FileState::Unchanged | FileState::Changed) = entry.state {
            return self.note("This download is complete");
        }
        let (Some(url), Some(item), Some(source)) = (entry.url, entry.item, entry.source) else {
            return self.note("The item no longer exists, so the download cannot be resumed");
        };
        let media_type = media_type(None, &url).unwrap_or_default();
        let file = MediaFile { of: FileOf { item, source }, url, media_type };
        vec![Effect::UseFile { file, file_use: FileUse::Download }]
    }

    fn remove_download(&mut self, entry: DownloadEntry) -> Vec<Effect> {
        let (question, path) = (format!("Remove {}?", entry.name()), entry.path.clone());
        let remove = Effect::RemoveDownload { entry: Box::new(entry) };
        self.push_dialog(Confirm::for_good(question, path, remove))
    }
}

impl Dialog for DownloadList {
    fn key(&mut self, app: &mut App, event: KeyEvent, key: Key) -> Reply {
        if let Some(motion) = app.motion(key) {
            let count = self.rows(app).len();
            self.selected = motion.from(self.selected, 10, count);
            return Reply::default();
        }
        if app.is_back(key) {
            return Reply::close(vec![]);
        }
        self.pressed(app, event).into()
    }

    fn draw(&mut self, app: &App, frame: &mut Frame<'_>, area: DialogArea) {
        view::downloads::draw(app, frame, self, area);
    }

    fn hints(&self) -> KeyHints {
        &[
            KeyHint::Key("Enter", "open"),
            KeyHint::Key("r", "resume"),
            KeyHint::Key("c", "stop"),
            KeyHint::Key("d", "remove"),
            Rows("select"),
            Back("close"),
        ]
    }
}
