//! Importing a list of sources, with a preview.

use super::history::Change;
use super::keys::Motion;
use super::prompt::expand_home;
use super::{App, Dialog, Prompt};
use crate::config::{FileChange, FileKind, Import, Key};
use crate::engine::Edited;
use crate::tui::effect::{Effect, Purpose};
use crate::tui::event::{Failure, ImportRead, NotSaved, RequestId};
use crossterm::event::{KeyCode, KeyEvent};

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

impl App {
    pub(in crate::tui) fn read_import(&mut self, typed: String) -> Vec<Effect> {
        let path = expand_home(&typed);
        let request = self.request();
        self.dialogs.push(Dialog::Import(ImportPreview {
            request,
            read: None,
            path: typed,
            selected: 0,
            going: false,
        }));
        vec![Effect::ReadImport { request, path }]
    }

    /// The preview of a request, if it is still open.
    fn import_preview(&mut self, request: RequestId) -> Option<&mut ImportPreview> {
        self.dialogs.iter_mut().find_map(|dialog| match dialog {
            Dialog::Import(preview) if preview.request == request => Some(preview),
            _ => None,
        })
    }

    /// Closes a preview and returns the path as it was typed.
    fn close_preview(&mut self, request: RequestId) -> Option<String> {
        let path = self.import_preview(request).map(|preview| std::mem::take(&mut preview.path));
        let its = |dialog: &Dialog| matches!(dialog, Dialog::Import(p) if p.request == request);
        self.dialogs.retain(|dialog| !its(dialog));
        path
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
                self.dialogs.push(Dialog::Prompt(Prompt::import(&path)));
                self.problem(why)
            }
            (_, None) => vec![],
        }
    }

    pub(super) fn import_key(&mut self, event: KeyEvent, key: Key) -> Vec<Effect> {
        let (motion, back): (Option<Motion>, bool) = (self.motion(key), self.is_back(key));
        let Some(Dialog::Import(preview)) = self.dialogs.last_mut() else { return vec![] };
        let (count, request) = (preview.lines().len(), preview.request);
        if event.code == KeyCode::Enter && !preview.going {
            let Some(read) = &preview.read else { return vec![] };
            if read.sources.is_empty() && read.views.is_empty() {
                self.close_preview(request);
                return self.note("Nothing to import: everything in this file is already followed");
            }
            let Import { sources, views, skipped, .. } = read.import.clone();
            let (listed, skipped) = (sources.len(), skipped.len());
            preview.going = true;
            let purpose = Purpose::Import { request, listed, skipped };
            return vec![Effect::Edit { purpose, change: FileChange::Import { sources, views } }];
        }
        if let Some(motion) = motion {
            preview.selected = motion.from(preview.selected, 10, count);
        } else if back {
            self.close_preview(request);
        }
        vec![]
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
        let mut words = match added {
            1 => "1 source imported".to_owned(),
            n => format!("{n} sources imported"),
        };
        // Report the result even if the preview was closed.
        let path = self.close_preview(request).unwrap_or_else(|| "a list".to_owned());
        if let Some(views) = of(FileKind::Config) {
            words += &format!(", {} saved", views.describe());
        }
        if known > 0 {
            let were = if known == 1 { "was" } else { "were" };
            words += &format!(", {known} {were} already followed");
        }
        if skipped > 0 {
            words += &format!(", {skipped} skipped");
        }
        if let Some(why) = &problem {
            words += &format!("; saved queries were not imported: {why}");
        }
        if !edits.is_empty() {
            words += &self.record_change(Change::Files(edits), format!("import of {path}"));
        }
        self.dialogs.retain(|l| !matches!(l, Dialog::Add(_)));
        match problem {
            Some(_) => self.problem(words),
            None => self.note(words),
        }
    }
}
