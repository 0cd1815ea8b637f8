//! Crawls: those of this run, those in remembered folders, and sources that are exploring their sites.

use super::dialogs::KeyHint::{Back, Rows};
use super::dialogs::{Confirm, Dialog, KeyHint, KeyHints, Reply};
use super::{App, CrawlForm};
use crate::config::{Action, Context, Key, Lookup};
use crate::engine::crawl::{CrawlBudget, CrawlEnd, CrawlListing, CrawlPhase, CrawlState};
use crate::tui::crawls::CrawlCommand;
use crate::tui::effect::Effect;
use crate::tui::event::Failure;
use crate::tui::view::{self, DialogArea};
use crate::util::text::{counted, line};
use crossterm::event::{KeyCode, KeyEvent};
use ratatui::Frame;
use std::path::{Path, PathBuf};

/// The known crawls.
#[derive(Debug, Default)]
pub(crate) struct CrawlRuns {
    /// All crawls, newest first.
    pub(crate) all: Vec<CrawlState>,
    /// Sources (row keys) that are exploring their sites, with lines about their progress.
    pub(crate) exploring: Vec<(i64, Vec<String>)>,
    /// Whether the remembered crawls have been read.
    pub(crate) is_listed: bool,
}

/// A row of the list.
#[derive(Debug, Clone, Copy)]
pub(crate) enum CrawlRow<'a> {
    Crawl(&'a CrawlState),
    /// A source (row key) that is exploring its site.
    Exploring(i64, &'a [String]),
}

impl CrawlRuns {
    pub(crate) fn rows(&self) -> impl Iterator<Item = CrawlRow<'_>> {
        let exploring = self.exploring.iter().map(|(key, lines)| CrawlRow::Exploring(*key, lines));
        self.all.iter().map(CrawlRow::Crawl).chain(exploring)
    }

    pub(crate) fn row(&self, index: usize) -> Option<CrawlRow<'_>> {
        self.rows().nth(index)
    }

    pub(super) fn in_folder(&self, folder: &Path) -> Option<&CrawlState> {
        self.all.iter().find(|crawl| crawl.folder == folder)
    }

    /// The folders of the crawls that run in this process.
    fn running(&self) -> Vec<PathBuf> {
        let running = self.all.iter().filter(|crawl| crawl.is_running());
        running.map(|crawl| crawl.folder.clone()).collect()
    }

    /// The progress of the crawls that run in this process, for the status line.
    pub(crate) fn progress(&self) -> Option<String> {
        let running: Vec<&CrawlState> = self.all.iter().filter(|c| c.is_running()).collect();
        let found: u64 = running.iter().map(|crawl| crawl.progress.found).sum();
        match running.as_slice() {
            [] => None,
            [one] => {
                let limit = one.budget.requests.map(|limit| format!(" of {limit}"));
                let requests = one.progress.requests;
                // If space is short, the end of the text is cut off.
                Some(format!("crawl: {found} found, {requests}{}", limit.unwrap_or_default()))
            }
            several => Some(format!("{}: {found} found", counted(several.len(), "crawl"))),
        }
    }
}

/// The part of the dialog that has the focus.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum CrawlPart {
    #[default]
    List,
    Finds,
}

/// State of the dialog.
#[derive(Debug, Default)]
pub(crate) struct CrawlList {
    pub(crate) selected: usize,
    pub(crate) part: CrawlPart,
    /// Index of the selected result, counted from the newest.
    pub(crate) find: usize,
}

impl App {
    pub(super) fn open_crawls(&mut self) -> Vec<Effect> {
        let mut effects = self.push_dialog(CrawlList::default());
        effects.push(self.list_crawls());
        effects
    }

    pub(super) fn list_crawls(&self) -> Effect {
        Effect::Crawl(CrawlCommand::List { running: self.crawls.running() })
    }

    /// Reloads the sources that are exploring their sites, if the list is shown.
    pub(super) fn reload_explorations(&self) -> Option<Effect> {
        self.dialog().map(|_: &CrawlList| Effect::Crawl(CrawlCommand::Explorations))
    }

    pub(super) fn crawls_listed(&mut self, result: Result<CrawlListing, Failure>) -> Vec<Effect> {
        let listing = match result {
            Ok(listing) => listing,
            Err(why) => return self.problem(why),
        };
        let selected = self.selected_crawl().map(|crawl| crawl.folder.clone());
        let runs = &mut self.crawls;
        // Keeps crawls that have ended since the list was requested, because it does not contain them.
        runs.all.retain(|crawl| crawl.is_running() || listing.except.contains(&crawl.folder));
        let others = listing.crawls.into_iter();
        let others: Vec<CrawlState> =
            others.filter(|crawl| runs.in_folder(&crawl.folder).is_none()).collect();
        runs.all.extend(others);
        runs.exploring = listing.exploring;
        runs.is_listed = true;
        self.select_crawl(selected.as_deref());
        // The folder that an open form suggests must not be used by a listed crawl.
        self.with::<CrawlForm>(|form, app| {
            form.suggest_folder(&app.crawls);
            Reply::default()
        })
    }

    pub(super) fn explorations_listed(
        &mut self,
        result: Result<Vec<(i64, Vec<String>)>, Failure>,
    ) -> Vec<Effect> {
        match result {
            Ok(exploring) => self.crawls.exploring = exploring,
            Err(why) => return self.problem(why),
        }
        vec![]
    }

    /// The crawl that is selected in the list.
    fn selected_crawl(&self) -> Option<&CrawlState> {
        match self.crawls.row(self.dialog::<CrawlList>()?.selected)? {
            CrawlRow::Crawl(crawl) => Some(crawl),
            CrawlRow::Exploring(..) => None,
        }
    }

    /// Changes the known crawls. The selection stays on its row.
    fn change_crawls(&mut self, change: impl FnOnce(&mut CrawlRuns)) {
        let folder = self.selected_crawl().map(|crawl| crawl.folder.clone());
        let before = self.crawls.rows().count();
        change(&mut self.crawls);
        let after = self.crawls.rows().count();
        match (folder, self.dialog_mut::<CrawlList>()) {
            (Some(folder), _) => self.select_crawl(Some(&folder)),
            // A selected source keeps its distance from the end of the list, where the sources are.
            (None, Some(list)) if list.selected < before => {
                list.selected = (list.selected + after).saturating_sub(before);
            }
            (None, _) => {}
        }
    }

    /// Shows a crawl whose log is being read. The user can stop it even before its first state arrives.
    pub(super) fn crawl_opens(&mut self, folder: &Path, budget: CrawlBudget) {
        self.change_crawls(|runs| {
            let at =
                runs.all.iter().position(|crawl| crawl.folder == folder).unwrap_or_else(|| {
                    runs.all.insert(0, CrawlState::new(folder.to_owned()));
                    0
                });
            (runs.all[at].phase, runs.all[at].budget) = (CrawlPhase::Opening, budget);
        });
    }

    pub(super) fn crawl_unlisted(&mut self, folder: &Path) -> Vec<Effect> {
        self.change_crawls(|runs| {
            runs.all.retain(|crawl| crawl.folder != folder || crawl.is_running());
        });
        if let Some(list) = self.dialog_mut::<CrawlList>() {
            (list.part, list.find) = (CrawlPart::List, 0);
        }
        let folder = line(&folder.to_string_lossy());
        self.note(format!("Removed from the list; the files stay in {folder}"))
    }

    fn select_crawl(&mut self, folder: Option<&Path>) {
        let at = self.crawls.all.iter().position(|crawl| Some(crawl.folder.as_path()) == folder);
        if let (Some(list), Some(at)) = (self.dialog_mut::<CrawlList>(), at) {
            list.selected = at;
        }
    }

    /// Updates the state of a crawl that runs in this process, or has just ended.
    pub(super) fn crawl_changed(&mut self, state: CrawlState) -> Vec<Effect> {
        let waits = self
            .dialog::<CrawlForm>()
            .is_some_and(|form| form.opening.as_deref() == Some(&*state.folder));
        if let (CrawlPhase::Failed(why), true) = (&state.phase, state.start.is_empty()) {
            let why = why.clone();
            // The folder may now contain another crawl, or none.
            self.change_crawls(|runs| runs.all.retain(|crawl| crawl.folder != state.folder));
            let effects = vec![self.list_crawls()];
            match self.dialog_mut::<CrawlForm>().filter(|_| waits) {
                Some(form) => form.failed(why),
                None => drop(self.problem(format!("The crawl did not start: {why}"))),
            }
            return effects;
        }
        let folder = state.folder.clone();
        let ended = (!state.is_running()).then(|| end_of(&state));
        self.change_crawls(|runs| match runs.all.iter_mut().find(|c| c.folder == state.folder) {
            Some(known) => *known = state,
            None => runs.all.insert(0, state),
        });
        let mut effects = Vec::new();
        if waits {
            self.close_dialogs::<CrawlForm>();
            if self.dialog::<CrawlList>().is_none() {
                effects.extend(self.open_crawls());
            }
            self.select_crawl(Some(&folder));
        }
        match ended {
            Some((text, true)) => effects.extend(self.problem(text)),
            Some((text, false)) => effects.extend(self.background_note(text)),
            None => {}
        }
        effects
    }
}

/// Describes how a crawl ended, and whether that is a problem.
fn end_of(state: &CrawlState) -> (String, bool) {
    let sums = format!(
        "{} found in {}",
        state.progress.found,
        counted(state.progress.requests, "request")
    );
    let site = state.site();
    match &state.phase {
        CrawlPhase::Ended(CrawlEnd::Done) => (format!("Crawled {site}: {sums}"), false),
        CrawlPhase::Ended(CrawlEnd::Stopped) => {
            (format!("Stopped the crawl of {site}: {sums}; it can be resumed"), false)
        }
        CrawlPhase::Ended(CrawlEnd::Left(why)) if state.progress.requests <= 1 => {
            (format!("The crawl of {site} failed: {why}"), true)
        }
        CrawlPhase::Ended(CrawlEnd::Left(why)) => {
            (format!("The crawl of {site} gave up: {why} ({sums})"), true)
        }
        CrawlPhase::Failed(why) => (format!("The crawl of {site} failed: {why} ({sums})"), true),
        _ => (format!("The budget of the crawl of {site} is used up: {sums}"), false),
    }
}

impl CrawlList {
    fn finds(&self, app: &App) -> usize {
        match app.crawls.row(self.selected) {
            Some(CrawlRow::Crawl(crawl)) => crawl.finds.len(),
            _ => 0,
        }
    }

    fn go_to_finds(&mut self, app: &mut App) -> Vec<Effect> {
        if self.finds(app) == 0 {
            return app.note("Nothing found yet");
        }
        (self.part, self.find) = (CrawlPart::Finds, 0);
        vec![]
    }

    /// Opens the selected result with the program for its type.
    fn open_find(&self, app: &mut App) -> Vec<Effect> {
        let Some(CrawlRow::Crawl(crawl)) = app.crawls.row(self.selected) else { return vec![] };
        let Some(find) = crawl.finds.get(self.find) else { return vec![] };
        let path = crawl.path_of(find).and_then(|path| path.to_str().map(str::to_owned));
        let media_type = find.mime.clone();
        match path {
            Some(path) => vec![Effect::OpenDownload { path, media_type }],
            None => app.note("This result has no file in the folder of the crawl"),
        }
    }

    /// Handles the keys for the selected crawl.
    fn pressed(&mut self, app: &mut App, event: KeyEvent) -> Reply {
        let crawl = match app.crawls.row(self.selected) {
            Some(CrawlRow::Crawl(crawl)) => crawl.clone(),
            Some(CrawlRow::Exploring(source, _)) if event.code == KeyCode::Char('s') => {
                return vec![Effect::StopCrawl { source }].into();
            }
            _ => return Reply::default(),
        };
        match event.code {
            KeyCode::Char('s') if crawl.is_running() => {
                let stop = CrawlCommand::Stop(crawl.folder.clone());
                app.note(format!("Stopping the crawl of {} …", crawl.site()));
                vec![Effect::Crawl(stop)]
            }
            KeyCode::Char('s') => app.note("This crawl is not running"),
            KeyCode::Char('r') if crawl.is_running() => app.note("This crawl is running"),
            KeyCode::Char('r') => app.push_dialog(CrawlForm::resuming(&crawl)),
            KeyCode::Char('o') => match crawl.folder.to_str() {
                Some(path) => {
                    let (path, media_type) = (path.to_owned(), "inode/directory".to_owned());
                    vec![Effect::OpenDownload { path, media_type }]
                }
                None => app.note("The path of this folder is not valid UTF-8"),
            },
            KeyCode::Char('d') if crawl.is_running() => {
                app.note("This crawl is running: stop it first")
            }
            KeyCode::Char('d') => {
                let question = format!("Remove the crawl of {} from the list?", crawl.site());
                let detail =
                    format!("Its files stay in {}.", line(&crawl.folder.to_string_lossy()));
                let unlist = Effect::Crawl(CrawlCommand::Unlist(crawl.folder.clone()));
                app.push_dialog(Confirm::for_good(question, detail, unlist))
            }
            KeyCode::Char('f') if crawl.start.is_empty() => {
                app.note("The site of this crawl is unknown")
            }
            KeyCode::Char('f') => {
                let (start, targets) = (crawl.start.clone(), crawl.targets.clone());
                let request = app.request();
                vec![Effect::Crawl(CrawlCommand::Follow { request, start, targets })]
            }
            _ => vec![],
        }
        .into()
    }
}

impl Dialog for CrawlList {
    fn key(&mut self, app: &mut App, event: KeyEvent, key: Key) -> Reply {
        let count = app.crawls.rows().count();
        self.selected = self.selected.min(count.saturating_sub(1));
        if let Some(motion) = app.motion(key) {
            match self.part {
                CrawlPart::List => {
                    self.selected = motion.from(self.selected, 10, count);
                    self.find = 0;
                }
                CrawlPart::Finds => self.find = motion.from(self.find, 10, self.finds(app)),
            }
            return Reply::default();
        }
        let in_finds = self.part == CrawlPart::Finds;
        match event.code {
            KeyCode::Left | KeyCode::Tab | KeyCode::BackTab | KeyCode::Char('h') if in_finds => {
                self.part = CrawlPart::List;
            }
            _ if in_finds && app.is_back(key) => self.part = CrawlPart::List,
            KeyCode::Enter if in_finds => return self.open_find(app).into(),
            KeyCode::Enter | KeyCode::Right | KeyCode::Tab | KeyCode::Char('l') if !in_finds => {
                return self.go_to_finds(app).into();
            }
            _ if app.is_back(key) => return Reply::close(vec![]),
            KeyCode::Char('n') => return app.open_crawl_form().into(),
            _ => {
                let bound = app.keymap.lookup(Context::Sources, &[key]);
                if bound == Lookup::Action(Action::StopCrawl) {
                    return self.pressed(app, KeyCode::Char('s').into());
                }
                return self.pressed(app, event);
            }
        }
        Reply::default()
    }

    fn draw(&mut self, app: &App, frame: &mut Frame<'_>, area: DialogArea) {
        view::crawls::draw(app, frame, self, area);
    }

    fn hints(&self) -> KeyHints {
        match self.part {
            CrawlPart::List => &[
                KeyHint::Key("Enter", "results"),
                KeyHint::Key("n", "new"),
                KeyHint::Key("s", "stop"),
                KeyHint::Key("r", "resume"),
                KeyHint::Key("o", "folder"),
                KeyHint::Key("f", "follow"),
                KeyHint::Key("d", "remove"),
                Rows("select"),
                Back("close"),
            ],
            CrawlPart::Finds => &[
                KeyHint::Key("Enter", "open"),
                KeyHint::Key("o", "folder"),
                KeyHint::Key("s", "stop"),
                KeyHint::Key("r", "resume"),
                Rows("select"),
                Back("crawls"),
            ],
        }
    }
}
