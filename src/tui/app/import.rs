//! Imports a list of sources, with a preview.

use super::dialogs::KeyHint::Back;
use super::dialogs::{Dialog, KeyHint, KeyHints, Reply};
use super::history::Change;
use super::{App, Prompt};
use crate::config::{Completion, FileChange, FileKind, Import, ImportKind, Key, ViewSettings};
use crate::engine::Edited;
use crate::model::{Source, SourceId};
use crate::tui::effect::{Effect, ImportList, Purpose};
use crate::tui::event::{Failure, ImportRead, NotSaved, RequestId};
use crate::tui::import::expand_home;
use crate::tui::view::{self, DialogArea};
use crate::util::login::without_secrets;
use crate::util::text::{counted, counted_as};
use crate::util::url::parse_web;
use crossterm::event::{KeyCode, KeyEvent};
use ratatui::Frame;
use std::collections::{HashMap, HashSet};

/// Preview of an import.
#[derive(Debug)]
pub(crate) struct ImportPreview {
    /// Id of the request that reads the file.
    request: RequestId,
    /// Whether sources at private addresses are imported too.
    private: bool,
    /// `None` while the file is being read.
    pub(crate) read: Option<Box<ImportRead>>,
    /// For sources that are already followed, the index of their entry in `read.completions`.
    completions: HashMap<SourceId, usize>,
    /// The path or URL of the list as the user typed it.
    pub(crate) path: String,
    list: ImportList,
    pub(crate) selected: usize,
    /// URLs of sources, and names of views, that the user has deselected.
    unticked: HashSet<String>,
    /// Whether the import has started.
    pub(crate) going: bool,
}

/// A row of the preview.
#[derive(Debug, Clone, Copy)]
pub(crate) enum ImportLine<'a> {
    /// A folder with its number of sources, listed above them.
    Folder(&'a str, usize),
    Source(&'a Source),
    View(&'a ViewSettings),
    /// An already followed source: its id, URL, and what the list would add to it.
    Known(&'a SourceId, &'a url::Url, Option<&'a Completion>),
    /// A view whose name is taken.
    KnownView(&'a ViewSettings),
    /// A skipped entry and the reason.
    Skipped(&'a str, &'a str),
}

impl ImportPreview {
    /// Whether the list is an OPML file, which can be followed so that its sources stay in sync.
    fn is_followable(&self) -> bool {
        let is_opml = |read: &ImportRead| read.import.kind == ImportKind::Opml;
        matches!(self.list, ImportList::File(_)) && self.read.as_deref().is_some_and(is_opml)
    }

    fn has_private(&self) -> bool {
        self.read.as_ref().is_some_and(|read| read.private_sources > 0)
    }

    /// Whether a line is imported; for a folder, whether any of its sources is.
    pub(crate) fn is_ticked(&self, line: ImportLine<'_>) -> bool {
        match line {
            ImportLine::Folder(folder, _) => {
                self.in_folder(folder).any(|url| !self.unticked.contains(url))
            }
            ImportLine::Source(source) => !self.unticked.contains(source.url.as_str()),
            ImportLine::View(view) => !self.unticked.contains(&view.name),
            _ => false,
        }
    }

    /// The URLs of the sources in a folder.
    fn in_folder<'a>(&'a self, folder: &'a str) -> impl Iterator<Item = &'a str> + 'a {
        let sources = self.read.iter().flat_map(|read| &read.sources);
        let inside = move |s: &&Source| s.folder.as_deref() == Some(folder);
        sources.filter(inside).map(|s| s.url.as_str())
    }

    /// Ticks or unticks the selected source, view or folder.
    fn toggle(&mut self) {
        let lines = self.lines();
        let Some(line) = lines.get(self.selected).copied() else { return };
        let names: HashSet<String> = match line {
            ImportLine::Folder(folder, _) => self.in_folder(folder).map(str::to_owned).collect(),
            ImportLine::Source(source) => [source.url.to_string()].into(),
            ImportLine::View(view) => [view.name.clone()].into(),
            _ => return,
        };
        match self.is_ticked(line) {
            true => self.unticked.extend(names),
            false => self.unticked.retain(|name| !names.contains(name)),
        }
    }

    /// The sources and views to import.
    fn wanted(&self, import: &Import) -> (Vec<Source>, Vec<ViewSettings>) {
        let (mut sources, mut views) = (import.sources.clone(), import.views.clone());
        sources.retain(|source| !self.unticked.contains(source.url.as_str()));
        views.retain(|view| !self.unticked.contains(&view.name));
        (sources, views)
    }

    pub(crate) fn lines(&self) -> Vec<ImportLine<'_>> {
        let Some(read) = &self.read else { return Vec::new() };
        let sources = grouped(&read.sources);
        let views = read.views.iter().map(ImportLine::View);
        let known = read.already.iter().map(|(id, url)| {
            let at = self.completions.get(id);
            ImportLine::Known(id, url, at.and_then(|at| read.completions.get(*at)))
        });
        let skipped = read.import.skipped.iter().map(|(what, why)| ImportLine::Skipped(what, why));
        let named = read.known_views.iter().map(ImportLine::KnownView);
        sources.into_iter().chain(views).chain(skipped).chain(known).chain(named).collect()
    }
}

impl Dialog for ImportPreview {
    fn key(&mut self, app: &mut App, event: KeyEvent, key: Key) -> Reply {
        if event.code == KeyCode::Enter && !self.going {
            let Some(read) = &self.read else { return Reply::default() };
            let completes = read.completions.iter().any(Completion::adds);
            if read.sources.is_empty() && read.views.is_empty() && !completes {
                let why =
                    "Nothing to import: everything in this file is already followed or skipped";
                return Reply::close(app.note(why));
            }
            let is_new = |name: &str| !self.unticked.contains(name);
            if !completes
                && !read.sources.iter().any(|source| is_new(source.url.as_str()))
                && !read.views.iter().any(|view| is_new(&view.name))
            {
                return app.note("Nothing is selected. Space selects a source or a folder.").into();
            }
            let (sources, views) = self.wanted(&read.import);
            let skipped = read.import.skipped.len();
            let (request, listed) = (self.request, sources.len());
            self.going = true;
            let purpose = Purpose::Import { request, listed, skipped };
            let change = FileChange::Import { sources, views };
            return vec![Effect::Edit { purpose, change }].into();
        }
        if event.code == KeyCode::Char('p') && self.has_private() && !self.going {
            self.request = app.request();
            self.private = !self.private;
            let (request, private) = (self.request, self.private);
            let list = self.list.clone();
            return vec![Effect::ReadImport { request, list, private }].into();
        }
        if event.code == KeyCode::Char('f') && self.is_followable() && !self.going {
            let ImportList::File(path) = &self.list else { return Reply::default() };
            self.going = true;
            let typed = std::path::absolute(path).unwrap_or_else(|_| path.clone());
            self.request = app.request();
            let (request, typed) = (self.request, typed.to_string_lossy().into_owned());
            return vec![Effect::FollowList { request, typed }].into();
        }
        if event.code == KeyCode::Char(' ') {
            self.toggle();
        } else if let Some(motion) = app.motion(key) {
            self.selected = motion.from(self.selected, 10, self.lines().len());
        } else if app.is_back(key) {
            return Reply::close(vec![]);
        }
        Reply::default()
    }

    fn draw(&mut self, app: &App, frame: &mut Frame<'_>, area: DialogArea) {
        view::lists::import(app, frame, self, area);
    }

    fn awaits(&self) -> Option<RequestId> {
        self.going.then_some(self.request)
    }

    fn hints(&self) -> KeyHints {
        const FOLLOW: KeyHint = KeyHint::Key("f", "follow the file");
        const WITH_PRIVATE: KeyHint = KeyHint::Key("p", "import private addresses too");
        const WITHOUT: KeyHint = KeyHint::Key("p", "skip private addresses");
        /// The keys of every preview, with additional keys between them.
        macro_rules! hints {
            ($($other:expr),*) => {
                &[
                    KeyHint::Key("Enter", "import"),
                    $($other,)*
                    KeyHint::Key("Space", "skip or import"),
                    Back("cancel"),
                ]
            };
        }
        let private = self.has_private().then_some(self.private);
        match (private, self.is_followable()) {
            (None, false) => hints!(),
            (None, true) => hints!(FOLLOW),
            (Some(false), false) => hints!(WITH_PRIVATE),
            (Some(false), true) => hints!(WITH_PRIVATE, FOLLOW),
            (Some(true), false) => hints!(WITHOUT),
            (Some(true), true) => hints!(WITHOUT, FOLLOW),
        }
    }
}

impl App {
    /// Previews a file, or follows the list at a URL.
    pub(in crate::tui) fn read_import(&mut self, typed: String) -> Vec<Effect> {
        if typed.contains("://") {
            self.note(format!("Reading {} …", without_secrets(&typed)));
            let request = self.request();
            self.await_in_add(request);
            return vec![Effect::FollowList { request, typed }];
        }
        let list = ImportList::File(expand_home(&typed));
        self.preview_import(typed, list)
    }

    /// Previews the import of several typed or pasted URLs.
    pub(super) fn import_urls(&mut self, urls: &[String]) -> Vec<Effect> {
        let name = counted(urls.len(), "URL");
        self.preview_import(name, ImportList::Urls(urls.join("\n")))
    }

    fn preview_import(&mut self, path: String, list: ImportList) -> Vec<Effect> {
        let request = self.request();
        self.push_dialog(ImportPreview {
            request,
            private: false,
            read: None,
            completions: HashMap::new(),
            path,
            list: list.clone(),
            selected: 0,
            unticked: HashSet::new(),
            going: false,
        });
        vec![Effect::ReadImport { request, list, private: false }]
    }

    /// The preview of a request, if it is still open.
    fn import_preview(&mut self, request: RequestId) -> Option<&mut ImportPreview> {
        self.dialog_mut::<ImportPreview>().filter(|preview| preview.request == request)
    }

    /// Closes a preview and returns its list and the path or URL that the user typed.
    fn close_preview(&mut self, request: RequestId) -> Option<(String, ImportList)> {
        let preview = self.import_preview(request)?;
        let closed = (std::mem::take(&mut preview.path), preview.list.clone());
        self.close_dialogs::<ImportPreview>();
        Some(closed)
    }

    pub(super) fn import_read(
        &mut self,
        request: RequestId,
        result: Result<Box<ImportRead>, Failure>,
    ) -> Vec<Effect> {
        match (result, self.import_preview(request)) {
            (Ok(read), Some(preview)) => {
                let ids = read.completions.iter().map(|completion| completion.id.clone());
                preview.completions = ids.zip(0..).collect();
                preview.read = Some(read);
                vec![]
            }
            (Err(why), Some(_)) => {
                // Prompt for the path again, so that the user can correct it.
                if let Some((path, ImportList::File(_))) = self.close_preview(request) {
                    self.push_dialog(Prompt::import(&path));
                }
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
        let mut text = counted_as(added, "source imported", "sources imported");
        // Report the result even if the preview was closed.
        let preview = self.awaiting_mut::<ImportPreview>(request);
        let completions = preview.as_ref().and_then(|preview| preview.read.as_ref());
        let completed =
            completions.map_or(0, |read| read.completions.iter().filter(|c| c.adds()).count());
        let path = preview.map_or("a list".to_owned(), |preview| preview.path.clone());
        self.close_awaiting(request);
        if let Some(views) = of(FileKind::Config) {
            text += &format!(", {} saved", views.describe());
        }
        if known > 0 {
            text += &format!(", {} already followed", counted_as(known, "was", "were"));
        }
        if completed > 0 {
            text += &format!(" (a folder or tags added to {completed})");
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
        match problem {
            Some(_) => self.problem(text),
            None => self.note(text),
        }
    }
}

/// Groups the sources: those without a folder first, then each folder with its sources, in the order of the
/// list.
fn grouped(sources: &[Source]) -> Vec<ImportLine<'_>> {
    let mut lines = Vec::with_capacity(sources.len());
    let mut folders: Vec<(&str, Vec<&Source>)> = Vec::new();
    let mut places: HashMap<&str, usize> = HashMap::new();
    for source in sources {
        let Some(folder) = source.folder.as_deref() else {
            lines.push(ImportLine::Source(source));
            continue;
        };
        let place = *places.entry(folder).or_insert_with(|| {
            folders.push((folder, Vec::new()));
            folders.len() - 1
        });
        folders[place].1.push(source);
    }
    for (folder, inside) in folders {
        lines.push(ImportLine::Folder(folder, inside.len()));
        lines.extend(inside.into_iter().map(ImportLine::Source));
    }
    lines
}

/// The URLs in a text that consists of several URLs with schemes, separated by whitespace; otherwise `None`.
pub(super) fn several_addresses(text: &str) -> Option<Vec<String>> {
    let with_scheme = |word: &str| {
        let scheme = if word.contains("://") { "" } else { "https://" };
        parse_web(word).is_ok().then(|| format!("{scheme}{word}"))
    };
    let addresses: Vec<String> = text.split_whitespace().map(with_scheme).collect::<Option<_>>()?;
    (addresses.len() > 1).then_some(addresses)
}
