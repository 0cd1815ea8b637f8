//! Importing a list of sources, with a preview.

use super::dialogs::{Dialog, KeyHints, Reply};
use super::history::Change;
use super::prompt::expand_home;
use super::{Add, App, Prompt};
use crate::config::{FileChange, FileKind, Import, Key};
use crate::engine::Edited;
use crate::tui::effect::{Effect, Purpose};
use crate::tui::event::{Failure, ImportRead, NotSaved, RequestId};
use crate::tui::view::{self, DialogArea};
use crossterm::event::{KeyCode, KeyEvent};
use ratatui::Frame;

/// Preview of an import.
#[derive(Debug)]
pub(crate) struct ImportPreview {
    /// Id of the request that reads the file.
    request: RequestId,
    /// `None` while the file is being read.
    pub(crate) read: Option<Box<ImportRead>>,
    pub(crate) path: String,
    pub(crate) selected: usize,
    /// Whether the import was started.
    pub(crate) going: bool,
}

/// A line of the preview.
#[derive(Debug, Clone, Copy)]
pub(crate) enum ImportLine<'a> {
    Source(&'a crate::model::Source),
    View(&'a crate::config::ViewSettings),
    /// Already followed: id and URL.
    Known(&'a crate::model::SourceId, &'a url::Url),
    /// A saved query whose name is taken.
    KnownView(&'a crate::config::ViewSettings),
    /// Skipped entry and reason.
    Skipped(&'a str, &'a str),
}

impl ImportPreview {
    pub(crate) fn lines(&self) -> Vec<ImportLine<'_>> {
        let Some(read) = &self.read else { return Vec::new() };
        let sources = read.sources.iter().map(ImportLine::Source);
        let views = read.views.iter().map(ImportLine::View);
        let known = read.already.iter().map(|(id, url)| ImportLine::Known(id, url));
        let skipped = read.import.skipped.iter().map(|(what, why)| ImportLine::Skipped(what, why));
        let named = read.known_views.iter().map(ImportLine::KnownView);
        sources.chain(views).chain(skipped).chain(known).chain(named).collect()
    }
}

impl Dialog for ImportPreview {
    fn key(&mut self, app: &mut App, event: KeyEvent, key: Key) -> Reply {
        if event.code == KeyCode::Enter && !self.going {
            let Some(read) = &self.read else { return Reply::default() };
            if read.sources.is_empty() && read.views.is_empty() {
                let why = "Nothing to import: everything in this file is already followed";
                return Reply::close(app.note(why));
            }
            let Import { sources, views, skipped, .. } = read.import.clone();
            let (request, listed, skipped) = (self.request, sources.len(), skipped.len());
            self.going = true;
            let purpose = Purpose::Import { request, listed, skipped };
            let change = FileChange::Import { sources, views };
            return vec![Effect::Edit { purpose, change }].into();
        }
        if let Some(motion) = app.motion(key) {
            self.selected = motion.from(self.selected, 10, self.lines().len());
        } else if app.is_back(key) {
            return Reply::close(vec![]);
        }
        Reply::default()
    }

    fn draw(&mut self, app: &App, frame: &mut Frame<'_>, area: DialogArea) {
        view::lists::import(app, frame, self, area.body);
    }

    fn hints(&self) -> KeyHints {
        &[("Enter", "import"), ("Up Down", "select"), ("Esc", "cancel")]
    }
}

impl App {
    pub(in crate::tui) fn read_import(&mut self, typed: String) -> Vec<Effect> {
        let path = expand_home(&typed);
        let request = self.request();
        self.push_dialog(ImportPreview {
            request,
            read: None,
            path: typed,
            selected: 0,
            going: false,
        });
        vec![Effect::ReadImport { request, path }]
    }

    /// The preview of a request, if it is still open.
    fn import_preview(&mut self, request: RequestId) -> Option<&mut ImportPreview> {
        self.dialog_mut::<ImportPreview>().filter(|preview| preview.request == request)
    }

    /// Closes a preview and returns the path as it was typed.
    fn close_preview(&mut self, request: RequestId) -> Option<String> {
        let path = std::mem::take(&mut self.import_preview(request)?.path);
        self.close_dialogs::<ImportPreview>();
        Some(path)
    }

    pub(super) fn import_read(
        &mut self,
        request: RequestId,
        result: Result<Box<ImportRead>, Failure>,
    ) -> Vec<Effect> {
        match (result, self.import_preview(request)) {
            (Ok(read), Some(preview)) => {
                preview.read = Some(read);
                vec![]
            }
            (Err(why), Some(_)) => {
                // Ask for the path again, so that it can be corrected.
                let path = self.close_preview(request).unwrap_or_default();
                self.push_dialog(Prompt::import(&path));
                self.problem(why)
            }
            (_, None) => vec![],
        }
    }

    pub(super) fn imported(
        &mut self,
        request: RequestId,
        listed: usize,
        skipped: usize,
        result: Result<Edited, NotSaved>,
    ) -> Vec<Effect> {
        let Edited { edits, problem, .. } = match result {
            Ok(edited) => edited,
            Err(why) => {
                if let Some(preview) = self.import_preview(request) {
                    preview.going = false;
                }
                return self.problem(why.message());
            }
        };
        let of = |file| edits.iter().find(|edit| edit.file() == file);
        let added = of(FileKind::Sources).map_or(0, |edit| edit.inserted().count());
        let known = listed.saturating_sub(added);
        let mut text = match added {
            1 => "1 source imported".to_owned(),
            n => format!("{n} sources imported"),
        };
        // Report the result even if the preview was closed.
        let path = self.close_preview(request).unwrap_or_else(|| "a list".to_owned());
        if let Some(views) = of(FileKind::Config) {
            text += &format!(", {} saved", views.describe());
        }
        if known > 0 {
            let were = if known == 1 { "was" } else { "were" };
            text += &format!(", {known} {were} already followed");
        }
        if skipped > 0 {
            text += &format!(", {skipped} skipped");
        }
        if let Some(why) = &problem {
            text += &format!("; saved queries were not imported: {why}");
        }
        if !edits.is_empty() {
            text += &self.record_change(Change::Files(edits), format!("import of {path}"));
        }
        self.close_dialogs::<Add>();
        match problem {
            Some(_) => self.problem(text),
            None => self.note(text),
        }
    }
}
