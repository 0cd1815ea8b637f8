//! The list of downloads: running, unfinished and complete ones.

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

/// A download that runs, or waits for its turn.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Running {
    url: String,
    /// Bytes that are there; `None` before it has begun.
    pub(crate) received: Option<u64>,
    pub(crate) total: Option<u64>,
}

/// State of the dialog.
#[derive(Debug, Default)]
pub(crate) struct DownloadList {
    pub(crate) selected: usize,
    /// What is on the disk, once it is known.
    pub(crate) entries: Option<Vec<DownloadEntry>>,
}

/// A line of the list: a running download, a file, or both.
#[derive(Debug)]
pub(crate) struct DownloadRow<'a> {
    pub(crate) running: Option<&'a Running>,
    pub(crate) entry: Option<&'a DownloadEntry>,
}

impl DownloadRow<'_> {
    /// The name of the file, or the URL as long as there is none.
    pub(crate) fn name(&self) -> &str {
        match (self.entry, self.running) {
            (Some(entry), _) => entry.name(),
            (None, running) => running.map_or("", |running| running.url.as_str()),
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
        // What is being downloaded already fails on its own.
        if !self.downloads.iter().any(|running| running.url == url) {
            self.downloads.push(Running { url, received: None, total: None });
        }
        self.list_downloads()
    }

    pub(super) fn download_progress(&mut self, url: &str, received: u64, total: Option<u64>) {
        if let Some(running) = self.downloads.iter_mut().find(|running| running.url == url) {
            (running.received, running.total) = (Some(received), total);
        }
    }

    pub(super) fn download_ended(&mut self, url: &str) -> Vec<Effect> {
        self.downloads.retain(|running| running.url != url);
        self.list_downloads()
    }

    /// Reads the list again, if it is shown.
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
    /// The running downloads without a file, then the files.
    pub(crate) fn rows<'a>(&'a self, app: &'a App) -> Vec<DownloadRow<'a>> {
        let entries = self.entries.as_deref().unwrap_or_default();
        let is_of = |entry: &DownloadEntry, running: &Running| {
            entry.state.is_none() && entry.url.as_deref() == Some(running.url.as_str())
        };
        let mut rows: Vec<DownloadRow<'a>> = Vec::new();
        for running in &app.downloads {
            if !entries.iter().any(|entry| is_of(entry, running)) {
                rows.push(DownloadRow { running: Some(running), entry: None });
            }
        }
        for entry in entries {
            let running = app.downloads.iter().find(|running| is_of(entry, running));
            rows.push(DownloadRow { running, entry: Some(entry) });
        }
        rows
    }

    fn pressed(&self, app: &mut App, event: KeyEvent) -> Vec<Effect> {
        let rows = self.rows(app);
        let Some(row) = rows.get(self.selected) else { return vec![] };
        match event.code {
            KeyCode::Char('c') => match row.running {
                Some(running) => {
                    vec![Effect::CancelRunning { url: Some(running.url.clone()) }]
                }
                None => app.note("This download is not running"),
            },
            KeyCode::Enter | KeyCode::Char('o') => match (row.running, row.entry.cloned()) {
                (None, Some(entry)) => app.open_download(&entry),
                _ => app.note("This download is not complete"),
            },
            KeyCode::Char('r') => match (row.running, row.entry.cloned()) {
                (None, Some(entry)) => app.continue_download(entry),
                _ => app.note("This download is running"),
            },
            KeyCode::Char('d') => match (row.running, row.entry.cloned()) {
                (None, Some(entry)) => app.remove_download(entry),
                _ => app.note("This download is running: cancel it first"),
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
                // The extension says most; a URL may have none, or the name another one.
                let file = Url::from_file_path(&path).map(String::from).unwrap_or_default();
                let of_url = |url: &String| media_type(None, url);
                let media_type = of_url(&file).or_else(|| entry.url.as_ref().and_then(of_url));
                let media_type = media_type.unwrap_or_default();
                vec![Effect::OpenDownload { path, media_type }]
            }
            Some(FileState::Missing | FileState::Unknown) => {
                self.note("This file is not there any more")
            }
        }
    }

    fn continue_download(&mut self, entry: DownloadEntry) -> Vec<Effect> {
        if let Some(FileState::Unchanged | FileState::Changed) = entry.state {
            return self.note("This download is complete");
        }
        let (Some(url), Some(item), Some(source)) = (entry.url, entry.item, entry.source) else {
            return self.note("Its item is gone, so it cannot be continued");
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
            KeyHint::Key("r", "continue"),
            KeyHint::Key("c", "cancel"),
            KeyHint::Key("d", "remove"),
            Rows("select"),
            Back("close"),
        ]
    }
}
