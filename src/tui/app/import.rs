//! Importing a list of sources: what it would bring is shown first.

use super::history::Change;
use super::keys::Motion;
use super::prompt::expand_home;
use super::{App, Dialog, Prompt};
use crate::config::Key;
use crate::tui::effect::Effect;
use crate::tui::event::{Failure, ImportRead, Imported, RequestId};
use crossterm::event::{KeyCode, KeyEvent};

/// What a list would bring.
#[derive(Debug)]
pub(crate) struct ImportPreview {
    /// Number of the question for it.
    request: RequestId,
    /// `None` while the file is read.
    pub(crate) read: Option<Box<ImportRead>>,
    pub(crate) path: String,
    pub(crate) selected: usize,
    /// Whether Enter was pressed already.
    pub(crate) going: bool,
}

/// A line of the preview.
#[derive(Debug, Clone, Copy)]
pub(crate) enum ImportLine<'a> {
    Source(&'a crate::model::Source),
    View(&'a crate::config::ViewSettings),
    /// Followed already: as what, and the address.
    Known(&'a crate::model::SourceId, &'a url::Url),
    /// A query whose name is taken.
    KnownView(&'a crate::config::ViewSettings),
    /// Left out: what, and why.
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

    /// The preview that waits for this answer, where it is still open.
    fn import_preview(&mut self, request: RequestId) -> Option<&mut ImportPreview> {
        self.dialogs.iter_mut().find_map(|dialog| match dialog {
            Dialog::Import(preview) if preview.request == request => Some(preview),
            _ => None,
        })
    }

    /// Closes a preview; the path as it was typed.
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
                // The path is asked for again, to be mended.
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
                return self.note("nothing in it is new");
            }
            let import = read.import.clone();
            preview.going = true;
            return vec![Effect::Import { request, import }];
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
        result: Result<Imported, Failure>,
    ) -> Vec<Effect> {
        let Imported { added, known, skipped, edited, views, not_saved } = match result {
            Ok(imported) => imported,
            Err(why) => {
                if let Some(preview) = self.import_preview(request) {
                    preview.going = false;
                }
                return self.problem(why);
            }
        };
        let mut words = match added {
            1 => "1 source imported".to_owned(),
            n => format!("{n} sources imported"),
        };
        let mut effects = vec![Effect::LoadSources];
        // Who has left it meanwhile is told all the same.
        let path = self.close_preview(request).unwrap_or_else(|| "a list".to_owned());
        if let Some(edited) = &views {
            words += &format!(", {} saved", edited.what());
            effects.extend(self.take_views(edited));
        }
        if known > 0 {
            let were = if known == 1 { "was" } else { "were" };
            words += &format!(", {known} {were} followed already");
        }
        if skipped > 0 {
            words += &format!(", {skipped} left out");
        }
        if let Some(why) = &not_saved {
            words += &format!("; no saved query of it: {why}");
        }
        if !edited.is_empty() || views.is_some() {
            let change = Change::Import { sources: edited, views };
            words += &self.did(change, format!("import of {path}"));
        }
        self.dialogs.retain(|l| !matches!(l, Dialog::Add(_)));
        match not_saved {
            Some(_) => self.problem(words),
            None => self.note(words),
        };
        effects
    }
}
