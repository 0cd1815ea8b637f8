//! Adding sources: the add dialog, and importing a list with a preview.

use super::dialogs::{Dialog, KeyHints, Reply, Starters};
use super::history::Change;
use super::prompt::expand_home;
use super::{App, Editor, Prompt};
use crate::config::{Action, Context, FileChange, FileEdit, FileKind, Import, Key};
use crate::engine::{Discovery, Edited, Way};
use crate::model::SourceKind;
use crate::tui::effect::{Effect, ExitReason, Purpose};
use crate::tui::event::{Failure, Followed, ImportRead, NotSaved, RequestId};
use crate::tui::input::Field;
use crate::tui::read::Read;
use crate::tui::view::{self, DialogArea};
use crossterm::event::{KeyCode, KeyEvent};
use ratatui::Frame;

/// State of the add dialog.
#[derive(Debug)]
pub(crate) struct Add {
    pub(crate) field: Field,
    /// First run: shows a welcome text and other ways to start.
    pub(crate) welcome: bool,
    /// Index of the selected alternative; `None` while the URL field has the focus.
    pub(crate) choice: Option<usize>,
    pub(crate) stage: Stage,
}

/// Progress of the dialog.
#[derive(Debug)]
pub(crate) enum Stage {
    /// Waiting for a URL.
    Typing,
    /// Discovery runs; `tried` lists what was tried so far.
    Discovering { request: RequestId, tried: Vec<String> },
    /// Ways were found; the selected one is shown with a preview of its items.
    Found { discovery: Discovery, selected: usize },
    /// Discovery or following failed, with the reasons.
    Failed(Vec<String>),
    /// The selected way is being added.
    Following,
}

/// Alternatives to entering a URL, offered on the first run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Choice {
    Import,
    Starters,
    Demo,
}

impl Choice {
    pub(crate) const ALL: [Self; 3] = [Self::Import, Self::Starters, Self::Demo];

    pub(crate) fn label(self) -> &'static str {
        match self {
            Self::Import => "Import a file: OPML, newsboat urls, or a list of URLs",
            Self::Starters => "Choose from well-known sources",
            Self::Demo => "Try the demo (needs no network)",
        }
    }
}

impl Add {
    pub(super) fn welcome() -> Self {
        Self { welcome: true, ..Self::with("") }
    }

    pub(super) fn with(text: &str) -> Self {
        let mut field = Field::new("");
        field.paste(text.trim());
        Self { field, welcome: false, choice: None, stage: Stage::Typing }
    }
}

impl Dialog for Add {
    fn key(&mut self, app: &mut App, event: KeyEvent, _key: Key) -> Reply {
        match (&mut self.stage, event.code) {
            (Stage::Discovering { .. } | Stage::Following, KeyCode::Esc) => {
                self.stage = Stage::Typing;
                return vec![Effect::CancelDiscovery].into();
            }
            (_, KeyCode::Esc) => return Reply::close(vec![]),
            (Stage::Found { discovery, selected }, KeyCode::Down | KeyCode::Tab) => {
                *selected = (*selected + 1).min(discovery.ways.len().saturating_sub(1));
            }
            (Stage::Found { selected, .. }, KeyCode::Up | KeyCode::BackTab) => {
                *selected = selected.saturating_sub(1);
            }
            (Stage::Found { .. }, KeyCode::Enter) => return self.follow_selected().into(),
            (Stage::Found { discovery, selected }, KeyCode::Char(letter @ ('e' | 's')))
                if event.modifiers.is_empty() =>
            {
                // Selectors of entries are those of their way; of a list, any may be written.
                let entries =
                    discovery.ways.get(*selected).map(Way::kind) == Some(SourceKind::Entries);
                let way = (letter == 'e' || entries).then_some(*selected);
                return app.edit_way(discovery, way).into();
            }
            (Stage::Discovering { .. } | Stage::Following, _) => {}
            (_, KeyCode::Down | KeyCode::Tab) if self.welcome => {
                let next = |choice: usize| (choice + 1).min(Choice::ALL.len() - 1);
                self.choice = Some(self.choice.map_or(0, next));
            }
            (_, KeyCode::Up | KeyCode::BackTab) => {
                self.choice = self.choice.and_then(|c| c.checked_sub(1));
            }
            (_, KeyCode::Enter) => {
                return match self.choice.map(|choice| Choice::ALL[choice]) {
                    Some(Choice::Import) => app.push_dialog(Prompt::import("")),
                    Some(Choice::Starters) => app.push_dialog(Starters::load()),
                    Some(Choice::Demo) => vec![Effect::Quit(ExitReason::Demo)],
                    None => self.discover(app),
                }
                .into();
            }
            _ => {
                self.choice = None;
                if self.field.input(event) {
                    self.stage = Stage::Typing;
                }
            }
        }
        Reply::default()
    }

    fn draw(&mut self, app: &App, frame: &mut Frame<'_>, area: DialogArea) {
        view::add::draw(app, frame, self, area.body, area.is_top);
    }

    fn hints(&self) -> KeyHints {
        match self.stage {
            Stage::Found { .. } => &[
                ("Enter", "add"),
                ("Up Down", "select"),
                ("e", "edit"),
                ("s", "selectors"),
                ("Esc", "close"),
            ],
            Stage::Discovering { .. } => &[("Esc", "stop")],
            _ => &[("Enter", "find feeds"), ("Esc", "close")],
        }
    }

    fn field(&mut self) -> Option<&mut Field> {
        Some(&mut self.field)
    }

    fn is_busy(&self) -> bool {
        matches!(self.stage, Stage::Discovering { .. } | Stage::Following)
    }
}

impl Add {
    /// Enter in the field: starts discovery for the URL.
    fn discover(&mut self, app: &mut App) -> Vec<Effect> {
        let address = self.field.value().trim().to_owned();
        if address.is_empty() {
            return vec![];
        }
        let request = app.request();
        self.stage = Stage::Discovering { request, tried: Vec::new() };
        vec![Effect::Discover { request, address }]
    }

    fn follow_selected(&mut self) -> Vec<Effect> {
        match std::mem::replace(&mut self.stage, Stage::Following) {
            Stage::Found { discovery, selected } => {
                vec![Effect::Follow { discovery, way: selected }]
            }
            other => {
                self.stage = other;
                vec![]
            }
        }
    }
}

impl App {
    /// Opens the dialog with a pasted URL and starts discovery.
    pub(super) fn add_url(&mut self, url: &str) -> Vec<Effect> {
        self.push_dialog(Add::with(url));
        self.with(|add: &mut Add, app| add.discover(app).into())
    }

    pub(super) fn tried(&mut self, request: RequestId, message: String) -> Vec<Effect> {
        match self.dialog_mut::<Add>().map(|add| &mut add.stage) {
            Some(Stage::Discovering { request: expected, tried }) if *expected == request => {
                tried.push(message);
            }
            _ => {}
        }
        vec![]
    }

    pub(super) fn discovered(
        &mut self,
        request: RequestId,
        result: Result<Discovery, Failure>,
    ) -> Vec<Effect> {
        let Some(add) = self.dialog_mut::<Add>() else { return vec![] };
        if !matches!(add.stage, Stage::Discovering { request: expected, .. } if expected == request)
        {
            return vec![];
        }
        add.stage = match result {
            Ok(discovery) if discovery.ways.is_empty() => Stage::Failed(discovery.tried),
            Ok(discovery) => Stage::Found { discovery, selected: 0 },
            Err(why) => Stage::Failed(vec![why]),
        };
        vec![]
    }

    pub(super) fn followed(
        &mut self,
        result: Result<(Vec<Followed>, FileEdit), Failure>,
    ) -> Vec<Effect> {
        let in_form = result.is_err() && self.not_followed();
        match (result, self.dialog_mut::<Add>()) {
            (Err(why), _) if in_form => self.problem(why),
            (Ok((added, edit)), _) => {
                self.close_dialogs::<Add>();
                self.close_dialogs::<Starters>();
                if self.dialog::<Editor>().is_some_and(Editor::is_new) {
                    self.close_dialogs::<Editor>();
                }
                let message = match added.as_slice() {
                    [] => "All of these are already followed".to_owned(),
                    [Followed { title, no_items: Some(why), .. }] => {
                        format!("Following {title}: {why}")
                    }
                    [one] if one.kind == SourceKind::Crawl => {
                        let key = |action| self.keymap.keys_for(Context::Sources, action);
                        let hint = |action, does: &str| {
                            key(action).map(|key| format!("{key} {does}")).unwrap_or_default()
                        };
                        let progress = hint(Action::Why, "shows the progress");
                        let stop = hint(Action::StopCrawl, "stops it");
                        format!("Crawling {}; {progress}, {stop}", one.title)
                    }
                    [one] => format!("Following {}", one.title),
                    many => format!("Following {} sources", many.len()),
                };
                let what = match added.as_slice() {
                    [one] => format!("follow {}", one.title),
                    many => format!("follow {} sources", many.len()),
                };
                if !edit.is_empty() {
                    self.record_change(Change::Files(vec![edit]), what);
                }
                self.note(message);
                // Show the items of the new source, because the user wants to see them now.
                if let [one] = added.as_slice() {
                    self.sources.select_added = Some(one.id.clone());
                    self.focus = super::Focus::Items;
                }
                vec![Effect::Read(Read::Sources), Effect::CloseBench]
            }
            (Err(why), Some(add)) => {
                add.stage = Stage::Failed(vec![why]);
                vec![]
            }
            (Err(why), None) => self.problem(why),
        }
    }
}

/// Preview of an import.
#[derive(Debug)]
pub(crate) struct ImportPreview {
    /// Id of the request that reads the file.
    request: RequestId,
    /// Whether sources at private addresses are imported too.
    private: bool,
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
    /// A view whose name is taken.
    KnownView(&'a crate::config::ViewSettings),
    /// Skipped entry and reason.
    Skipped(&'a str, &'a str),
}

impl ImportPreview {
    fn has_private(&self) -> bool {
        self.read.as_ref().is_some_and(|read| read.private_sources > 0)
    }

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
                let why =
                    "Nothing to import: everything in this file is already followed or skipped";
                return Reply::close(app.note(why));
            }
            let Import { sources, views, skipped, .. } = read.import.clone();
            let (request, listed, skipped) = (self.request, sources.len(), skipped.len());
            self.going = true;
            let purpose = Purpose::Import { request, listed, skipped };
            let change = FileChange::Import { sources, views };
            return vec![Effect::Edit { purpose, change }].into();
        }
        if event.code == KeyCode::Char('p') && self.has_private() && !self.going {
            self.request = app.request();
            self.private = !self.private;
            let (request, private) = (self.request, self.private);
            let path = expand_home(&self.path);
            return vec![Effect::ReadImport { request, path, private }].into();
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
        match (self.has_private(), self.private) {
            (false, _) => &[("Enter", "import"), ("Up Down", "select"), ("Esc", "cancel")],
            (true, false) => &[
                ("Enter", "import"),
                ("p", "import private addresses too"),
                ("Up Down", "select"),
                ("Esc", "cancel"),
            ],
            (true, true) => &[
                ("Enter", "import"),
                ("p", "skip private addresses"),
                ("Up Down", "select"),
                ("Esc", "cancel"),
            ],
        }
    }
}

impl App {
    pub(in crate::tui) fn read_import(&mut self, typed: String) -> Vec<Effect> {
        let path = expand_home(&typed);
        let request = self.request();
        self.push_dialog(ImportPreview {
            request,
            private: false,
            read: None,
            path: typed,
            selected: 0,
            going: false,
        });
        vec![Effect::ReadImport { request, path, private: false }]
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
            text += &format!("; views were not imported: {why}");
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
