//! The form for a source or the settings. Fields and their checks belong to
//! [`crate::config::SourceForm`]; this module handles focus and keys.

mod open;

use super::choice::neighbour;
use super::dialogs::{Dialog, KeyHints, Reply};
use super::setting_search::SettingSearch;
use super::{App, Bench, BenchPane};
use crate::config::{FileChange, FormPage, Key, Section, SourceForm, UiSettings};
use crate::engine::{Discovery, Edited, NextCheck, Pace};
use crate::model::SourceKind;
use crate::tui::effect::{Effect, Purpose};
use crate::tui::event::{Failure, NotSaved, RequestId};
use crate::tui::input::Field;
use crate::tui::read::Read;
use crate::tui::style::Palette;
use crate::tui::view::{self, DialogArea, editor::Place};
use crossterm::event::{KeyCode, KeyEvent, KeyModifiers, MouseButton, MouseEventKind};
use ratatui::Frame;
use ratatui::layout::Position;

/// The subject of the form.
#[derive(Debug, Clone)]
pub(super) enum Subject {
    /// A followed source, by its row key.
    Source(i64),
    /// A way to follow a URL, by its index; `None` for a website at that URL with hand-written selectors.
    Way(Box<Discovery>, Option<usize>),
    Settings,
}

/// The form, opened for a source or the settings.
#[derive(Debug)]
pub(crate) struct Editor {
    pub(super) of: Subject,
    pub(crate) title: String,
    /// `None` until the entry is loaded.
    pub(crate) form: Option<SourceForm>,
    /// The text field of each field of the form.
    pub(crate) typed: Vec<Field>,
    /// Index of the focused field.
    pub(crate) focus: usize,
    /// Whether Esc was pressed once with unsaved changes.
    pub(super) confirm_leave: bool,
    /// Whether the form was opened to choose a theme.
    pub(super) for_theme: bool,
    /// The page to open first.
    pub(super) first_page: FormPage,
    /// The key of the field to focus first.
    pub(super) first_field: Option<&'static str>,
    /// Interface settings before editing, restored on leaving.
    restore: Option<UiSettings>,
    /// The themes, once the gallery has been drawn.
    pub(crate) gallery: Vec<Palette>,
    pub(super) saving: Option<Saving>,
    /// The workbench for selectors, once it has been opened.
    pub(super) bench: Option<Box<Bench>>,
    /// Whether the workbench opens as soon as the entry is loaded.
    open_bench_next: bool,
    /// Whether only the workbench was requested, so that leaving it closes the form too.
    pub(super) only_bench: bool,
    /// A search for a field.
    pub(crate) search: Option<SettingSearch>,
    /// When a followed source would be checked next with the values in the form.
    pub(crate) next_check: Option<NextCheck>,
}

/// A save that is in progress.
#[derive(Debug, Clone, Copy)]
pub(super) struct Saving {
    number: RequestId,
    /// Whether the source is polled after saving.
    poll: bool,
}

impl Editor {
    fn new(of: Subject, title: String, first_page: FormPage, open_bench_next: bool) -> Self {
        Self {
            of,
            title,
            form: None,
            typed: Vec::new(),
            focus: 0,
            confirm_leave: false,
            for_theme: false,
            first_page,
            first_field: None,
            restore: None,
            gallery: Vec::new(),
            saving: None,
            bench: None,
            open_bench_next,
            only_bench: false,
            search: None,
            next_check: None,
        }
    }

    /// The settings form, opened at a page.
    pub(super) fn settings(page: FormPage, ui: UiSettings) -> Self {
        let title = "Settings".to_owned();
        Self { restore: Some(ui), ..Self::new(Subject::Settings, title, page, false) }
    }

    pub(crate) fn is_settings(&self) -> bool {
        matches!(self.of, Subject::Settings)
    }

    /// Whether saving adds the source.
    pub(crate) fn is_new(&self) -> bool {
        matches!(self.of, Subject::Way(..))
    }

    /// The row key of the source, if it is followed.
    pub(crate) fn source_key(&self) -> Option<i64> {
        match self.of {
            Subject::Source(key) => Some(key),
            _ => None,
        }
    }

    /// Sets the interface settings that are restored on leaving.
    pub(super) fn set_restore(&mut self, ui: UiSettings) {
        self.restore = Some(ui);
    }

    /// Index of the focused field, if there is one.
    fn focused_index(&self) -> Option<usize> {
        match self.bench() {
            Some(bench) if bench.pane == BenchPane::Fields => Some(bench.field()?.index),
            Some(_) => None,
            None => Some(self.focus),
        }
    }

    pub(crate) fn is_saving(&self) -> bool {
        self.saving.is_some()
    }

    /// Indexes of the visible fields, in order.
    pub(crate) fn shown(&self) -> Vec<usize> {
        let Some(form) = &self.form else { return Vec::new() };
        let fields = form.fields().iter().enumerate();
        fields.filter(|(_, field)| form.is_shown(field)).map(|(i, _)| i).collect()
    }

    fn page_of(&self, field: usize) -> Option<FormPage> {
        Some(self.form.as_ref()?.fields().get(field)?.page())
    }

    /// The open page, which has the focused field.
    pub(crate) fn page(&self) -> FormPage {
        self.page_of(self.focus).unwrap_or(self.first_page)
    }

    /// The pages that have fields for this source.
    pub(crate) fn pages(&self) -> Vec<FormPage> {
        let shown = self.shown();
        let has = |page: &FormPage| shown.iter().any(|&i| self.page_of(i) == Some(*page));
        FormPage::ALL.into_iter().filter(has).collect()
    }

    pub(super) fn open_page(&mut self, page: FormPage) {
        let first = self.shown().into_iter().find(|&i| self.page_of(i) == Some(page));
        self.focus = first.unwrap_or(self.focus);
    }

    pub(super) fn open_first_field(&mut self) {
        let fields = self.form.as_ref().map(SourceForm::fields).unwrap_or_default();
        let first = fields.iter().position(|field| Some(field.key().as_str()) == self.first_field);
        self.focus = first.unwrap_or(self.focus);
    }

    /// Moves to the next or previous field, across pages.
    fn step(&mut self, forward: bool) {
        self.focus = neighbour(&self.shown(), &self.focus, forward).unwrap_or(self.focus);
    }

    fn step_page(&mut self, forward: bool) {
        if let Some(page) = neighbour(&self.pages(), &self.page(), forward) {
            self.open_page(page);
        }
    }

    /// Reads when a followed source would be checked next with the values in the form.
    fn read_next_check(&self) -> Option<Effect> {
        let key = self.source_key()?;
        let source = self.form.as_ref()?.source()?;
        Some(Effect::Read(Read::NextCheck(key, Box::new(source))))
    }

    /// Fills the text fields from the form.
    pub(super) fn show_form(&mut self) {
        let fields = self.form.iter().flat_map(|form| form.fields());
        self.typed = fields.map(|field| Field::new(field.value())).collect();
    }
}

impl Dialog for Editor {
    fn key(&mut self, app: &mut App, event: KeyEvent, key: Key) -> Reply {
        if self.bench().is_some() {
            return self.bench_key(app, event, key);
        }
        if self.search.is_some() {
            self.search_key(event);
            return Reply::default();
        }
        if self.chooses_theme()
            && let Some(reply) = self.theme_key(app, event)
        {
            return reply;
        }
        if event.code == KeyCode::Esc {
            return self.leave(app);
        }
        self.confirm_leave = false;
        let ctrl = event.modifiers.contains(KeyModifiers::CONTROL);
        match event.code {
            KeyCode::Char('s') if ctrl => return self.save(app),
            KeyCode::Char('f') if ctrl => self.start_search(),
            KeyCode::Char(letter @ ('j' | 'k' | '/')) if !ctrl && self.field().is_none() => {
                match letter {
                    '/' => self.start_search(),
                    letter => self.step(letter == 'j'),
                }
            }
            KeyCode::Char('n') if ctrl => self.step_page(true),
            KeyCode::Char('p') if ctrl => self.step_page(false),
            KeyCode::PageDown => self.step_page(true),
            KeyCode::PageUp => self.step_page(false),
            KeyCode::F(n) => {
                let page = self.pages().get(usize::from(n).saturating_sub(1)).copied();
                self.open_page(page.unwrap_or_else(|| self.page()));
            }
            KeyCode::Enter if self.page() == FormPage::Selectors => {
                return self.open_bench(app).into();
            }
            KeyCode::Enter if self.page() == FormPage::Keys => return app.open_keys("").into(),
            KeyCode::Down | KeyCode::Tab | KeyCode::Enter => self.step(true),
            KeyCode::Up | KeyCode::BackTab => self.step(false),
            KeyCode::Right | KeyCode::Left | KeyCode::Char(' ') if self.can_choose() => {
                self.next_choice(event.code != KeyCode::Left);
                return self.typed(app).into();
            }
            KeyCode::Backspace | KeyCode::Delete if self.can_choose() => {
                self.typed[self.focus] = Field::new("");
                return self.typed(app).into();
            }
            _ => return self.type_key(app, event),
        }
        Reply::default()
    }

    fn draw(&mut self, app: &App, frame: &mut Frame<'_>, area: DialogArea) {
        match self.bench() {
            Some(bench) => view::workbench::draw(app, frame, self, bench, area.body),
            None => {
                if self.gallery.is_empty() && self.shows_themes() {
                    self.gallery = app.all_themes();
                }
                view::editor::draw(app, frame, self, area);
            }
        }
    }

    fn hints(&self) -> KeyHints {
        match self.bench() {
            Some(bench) => bench.hints(),
            None => self.form_hints(),
        }
    }

    /// The field that receives typed text.
    fn field(&mut self) -> Option<&mut Field> {
        if self.search.is_some() {
            return self.search.as_mut().map(|search| &mut search.field);
        }
        let index = self.focused_index()?;
        // A field with few values is for choosing, not for typing.
        let typing = self.saving.is_none() && !self.has_choices(index);
        self.typed.get_mut(index).filter(|_| typing)
    }

    /// Passes the typed text to the form and previews its effect.
    fn typed(&mut self, app: &mut App) -> Vec<Effect> {
        self.confirm_leave = false;
        if self.search.is_some() {
            self.go_to_first_match();
            return vec![];
        }
        let Some(index) = self.focused_index() else { return vec![] };
        if let (Some(form), Some(field)) = (&mut self.form, self.typed.get(index)) {
            form.set(index, field.value());
        }
        if let Some(bench) = &mut self.bench {
            bench.keep_edit(index);
        }
        let form = self.form.as_ref().filter(|_| self.is_settings());
        if let Some(settings) = form.and_then(SourceForm::preview_settings) {
            app.apply_appearance(settings.ui.clone());
        }
        let mut effects = self.preview();
        match self.read_next_check() {
            Some(read) => effects.push(read),
            None => self.next_check = None,
        }
        effects
    }

    /// A click selects a field, page or theme. The wheel moves between fields or themes.
    fn mouse(&mut self, app: &mut App, kind: MouseEventKind, at: Position) -> Reply {
        if self.bench().is_some() {
            return self.bench_mouse(app, kind, at).into();
        }
        let forward = kind == MouseEventKind::ScrollDown;
        match kind {
            MouseEventKind::ScrollDown | MouseEventKind::ScrollUp => match self.chooses_theme() {
                true => return self.next_theme(app, forward).into(),
                false => self.step(forward),
            },
            MouseEventKind::Down(MouseButton::Left) => match view::editor::at(app, self, at) {
                Some(Place::Field(field)) => self.focus = field,
                Some(Place::Page(page)) => self.open_page(page),
                Some(Place::Theme(theme)) => return self.pick_theme(app, theme).into(),
                None => {}
            },
            _ => {}
        }
        Reply::default()
    }

    fn awaits(&self) -> Option<RequestId> {
        self.saving.map(|saving| saving.number)
    }

    fn is_see_through(&self) -> bool {
        self.chooses_theme()
    }

    /// The workbench fills the screen.
    fn is_framed(&self) -> bool {
        self.bench().is_none()
    }

    /// The quit key does not discard changes.
    fn quits(&mut self) -> bool {
        false
    }
}

impl Editor {
    /// Closes the form; with unsaved changes, only at the second attempt.
    pub(super) fn leave(&mut self, app: &mut App) -> Reply {
        if self.saving.is_some() {
            return app.note("Saving …").into();
        }
        let changed = self.form.as_ref().is_some_and(|form| !form.changes().is_empty());
        if changed && !self.confirm_leave {
            self.confirm_leave = true;
            return app.note("Press Esc again to discard the changes").into();
        }
        if let Some(restore) = self.restore.take() {
            app.apply_appearance(restore);
        }
        app.toast = None;
        Reply::close(if self.bench.is_some() { vec![Effect::CloseBench] } else { vec![] })
    }

    pub(super) fn save(&mut self, app: &mut App) -> Reply {
        let Some(form) = self.form.as_mut().filter(|_| self.saving.is_none()) else {
            return Reply::default();
        };
        // An unchanged form may be incomplete.
        form.check();
        if let Some(wrong) = form.first_invalid() {
            let label = form.fields()[wrong].label.clone();
            self.focus = wrong;
            if let Some(bench) = &mut self.bench {
                // The invalid field may be on a different page of the form.
                let place = bench.fields.iter().position(|f| f.index == wrong);
                bench.shown &= place.is_some();
                bench.active = place.unwrap_or(bench.active);
            }
            return app.problem(format!("Not saved: {label} is not valid")).into();
        }
        if let Some(why) = &form.problem {
            return app.problem(format!("Not saved: {why}")).into();
        }
        if self.bench.as_mut().is_some_and(|bench| bench.warns_of_nothing()) {
            return app.note("No articles found. Press C-s again to save anyway").into();
        }
        let (changes, base) = (form.changes(), form.base().clone());
        let number = app.request();
        let (effect, poll) = match &self.of {
            Subject::Way(discovery, way) => {
                let (discovery, way) = (Discovery::clone(discovery), *way);
                (Effect::FollowEdited { request: number, discovery, way, base, changes }, false)
            }
            _ if changes.is_empty() => {
                app.note("Nothing changed");
                return Reply::close(vec![Effect::CloseBench]);
            }
            _ => {
                let change = FileChange::Section { base, changes };
                (Effect::Edit { purpose: Purpose::Form(number), change }, form.needs_poll())
            }
        };
        self.saving = Some(Saving { number, poll });
        vec![effect].into()
    }
}

impl App {
    pub(super) fn entry_loaded(
        &mut self,
        source: i64,
        result: Result<Section, Failure>,
    ) -> Vec<Effect> {
        self.with(|editor: &mut Editor, app| match (&editor.of, result) {
            (Subject::Source(key), Ok(entry)) if *key == source && editor.form.is_none() => {
                let mut form = SourceForm::new(entry);
                let title = app.sources.entry(source).and_then(|e| e.facts.feed_title.as_deref());
                form.show_inherited(&app.settings, title);
                editor.form = Some(form);
                editor.show_form();
                match editor.open_bench_next {
                    true if editor.form.as_ref().is_some_and(|f| f.kind() == SourceKind::Feed) => {
                        Reply::close(app.note("Selectors are for websites. This source is a feed."))
                    }
                    true => editor.open_bench(app).into(),
                    false => Vec::from_iter(editor.read_next_check()).into(),
                }
            }
            (Subject::Source(key), Err(why)) if *key == source && editor.form.is_none() => {
                Reply::close(app.problem(why))
            }
            _ => Reply::default(),
        })
    }

    pub(super) fn form_saved(
        &mut self,
        save: RequestId,
        result: Result<Edited, NotSaved>,
    ) -> Vec<Effect> {
        let is_awaited =
            |editor: &Editor| editor.saving.is_some_and(|saving| saving.number == save);
        if self.dialog().is_some_and(is_awaited) {
            return self.with(|editor: &mut Editor, app| editor.saved(app, result));
        }
        match result {
            Ok(edited) => self.saved_all(edited, None, ""),
            Err(why) => self.problem(why.message()),
        }
    }
}

impl Editor {
    /// Handles the result of a save.
    fn saved(&mut self, app: &mut App, result: Result<Edited, NotSaved>) -> Reply {
        let poll = self.saving.take().is_some_and(|saving| saving.poll);
        match result {
            Ok(edited) => {
                let waiting = self.form.iter().flat_map(SourceForm::changed);
                let waiting = waiting.filter(|field| field.needs_restart());
                let waiting: Vec<&str> = waiting.map(|field| field.label.as_str()).collect();
                let note = match waiting.join(", ") {
                    labels if labels.is_empty() => labels,
                    labels => format!("; restart to apply: {labels}"),
                };
                let mut effects = vec![];
                if let Subject::Source(source) = self.of {
                    effects.push(Effect::CloseBench);
                    if poll {
                        effects.extend(app.refresh(Some(vec![source]), Pace::Manual));
                    }
                }
                effects.extend(app.saved_all(edited, None, &note));
                Reply::close(effects)
            }
            Err(NotSaved::Conflict(keys, now)) => {
                if let Some(form) = &mut self.form {
                    form.rebase(*now);
                    self.show_form();
                }
                let keys = keys.join(", ");
                app.problem(format!(
                    "Not saved: {keys} changed in the file. Press C-s again to overwrite"
                ))
                .into()
            }
            Err(why) => app.problem(why.message()).into(),
        }
    }
}
