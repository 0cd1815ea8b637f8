//! The form for a source or the settings. Fields and their checks belong to
//! [`crate::config::SourceForm`]; this module handles focus and keys.

use super::{Add, App, Bench, BenchPane, Dialog, Focus, PromptKind, Stage};
use crate::config::{FileChange, FormPage, Key, Section, SourceForm, UiSettings};
use crate::engine::{Edited, Pace};
use crate::model::SourceKind;
use crate::tui::effect::{Effect, Purpose};
use crate::tui::event::{Failure, NotSaved, RequestId};
use crate::tui::input::Field;
use crate::tui::view;
use crossterm::event::{KeyCode, KeyEvent, KeyModifiers, MouseButton, MouseEventKind};
use ratatui::layout::Position;

/// What the form edits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Subject {
    /// A followed source, by its row key.
    Source(i64),
    /// A way to follow the URL in the add dialog below, by its index; `None` is a website at that
    /// URL with selectors written by hand.
    Way(Option<usize>),
    Settings,
}

/// The form, opened for a source or the settings.
#[derive(Debug)]
pub(crate) struct Editor {
    pub(super) of: Subject,
    pub(crate) title: String,
    /// `None` until the entry is loaded.
    pub(crate) form: Option<SourceForm>,
    /// Text fields, one for each field of the form.
    pub(crate) typed: Vec<Field>,
    /// Index of the focused field.
    pub(crate) focus: usize,
    /// Whether Esc was pressed once with unsaved changes.
    confirm_leave: bool,
    /// The page to open first.
    pub(super) first_page: FormPage,
    /// Interface settings restore editing, restored on leaving.
    restore: Option<UiSettings>,
    saving: Option<Saving>,
    /// The workbench for selectors, once it was opened.
    pub(super) bench: Option<Box<Bench>>,
    /// Whether the workbench opens as soon as the entry is loaded.
    open_bench_next: bool,
}

/// A save that is in progress.
#[derive(Debug, Clone, Copy)]
struct Saving {
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
            first_page,
            restore: None,
            saving: None,
            bench: None,
            open_bench_next,
        }
    }

    /// The form of the settings, opened at a page.
    pub(super) fn settings(page: FormPage, ui: UiSettings) -> Self {
        let title = "Settings".to_owned();
        Self { restore: Some(ui), ..Self::new(Subject::Settings, title, page, false) }
    }

    pub(crate) fn is_settings(&self) -> bool {
        self.of == Subject::Settings
    }

    /// Sets the interface settings that are restored on leaving.
    pub(super) fn set_restore(&mut self, ui: UiSettings) {
        self.restore = Some(ui);
    }

    /// The field that receives typed text.
    pub(super) fn field(&mut self) -> Option<&mut Field> {
        let focused_index = self.focused_index()?;
        self.typed.get_mut(focused_index).filter(|_| self.saving.is_none())
    }

    /// Index of the focused field, if a field has the focus.
    fn focused_index(&self) -> Option<usize> {
        match self.bench() {
            Some(bench) if bench.pane == BenchPane::Fields => Some(bench.field()?.index),
            Some(_) => None,
            None => Some(self.focus),
        }
    }

    /// Passes the typed text to the form.
    pub(super) fn typed(&mut self) -> Vec<Effect> {
        self.confirm_leave = false;
        let Some(focused_index) = self.focused_index() else { return vec![] };
        if let (Some(form), Some(field)) = (&mut self.form, self.typed.get(focused_index)) {
            form.set(focused_index, field.value());
        }
        if let Some(bench) = &mut self.bench {
            bench.keep_edit(focused_index);
        }
        self.preview()
    }

    /// Whether a save or a fetch is in progress.
    pub(super) fn is_busy(&self) -> bool {
        self.saving.is_some() || self.bench.as_ref().is_some_and(|bench| bench.is_busy())
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

    /// The open page: that of the focused field.
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

    /// Moves to the next or previous field, across pages.
    fn step(&mut self, forward: bool) {
        self.focus = neighbour(&self.shown(), &self.focus, forward).unwrap_or(self.focus);
    }

    fn step_page(&mut self, forward: bool) {
        if let Some(page) = neighbour(&self.pages(), &self.page(), forward) {
            self.open_page(page);
        }
    }

    /// In a field with a fixed set of values, selects the next or previous value.
    fn next_choice(&mut self, forward: bool) -> Option<Vec<Effect>> {
        let field = self.form.as_ref().and_then(|form| form.fields().get(self.focus));
        let field = field.filter(|field| !field.choices().is_empty())?;
        // The empty value stands for the default.
        let values: Vec<&str> =
            [""].into_iter().chain(field.choices().iter().map(String::as_str)).collect();
        let now = match field.value().trim() {
            // The settings show the default value and continue from it.
            "" if self.is_settings() && values.contains(&field.unset()) => field.unset(),
            now => now,
        };
        let next = neighbour(&values, &now, forward).unwrap_or("");
        self.typed[self.focus] = Field::new(next);
        Some(self.typed())
    }

    /// Fills the text fields from the form.
    pub(super) fn show_form(&mut self) {
        let fields = self.form.iter().flat_map(|form| form.fields());
        self.typed = fields.map(|field| Field::new(field.value())).collect();
    }
}

/// The element after or restore `now`, wrapping neighbour. The first one if `now` is not in the list.
fn neighbour<T: PartialEq + Copy>(list: &[T], now: &T, forward: bool) -> Option<T> {
    let step = if forward { 1 } else { list.len().max(1) - 1 };
    let at = list.iter().position(|one| one == now);
    let next = at.map_or(0, |at| (at + step) % list.len());
    list.get(next).copied()
}

impl App {
    pub(super) fn editor(&mut self) -> Option<&mut Editor> {
        self.dialogs.iter_mut().find_map(|dialog| match dialog {
            Dialog::Edit(editor) => Some(editor),
            _ => None,
        })
    }

    /// Opens the form of the selected source.
    pub(super) fn open_editor(&mut self, open_bench_next: bool) -> Vec<Effect> {
        let saved =
            self.saved_view().filter(|_| self.focus == Focus::Sources && !open_bench_next).cloned();
        if let Some(view) = saved {
            return self.ask(PromptKind::ViewQuery { name: view.name }, &view.query);
        }
        let entry = self.selected_source().and_then(|key| self.sources.entry(key));
        let Some(entry) = entry else {
            return self.note("Select a source in the Sources pane first");
        };
        let (source, id) = (entry.facts.key, entry.source.id.clone());
        let title = entry.title().to_owned();
        // Broken selectors are fixed in the workbench.
        let open_bench_next = open_bench_next || entry.facts.website.broken().is_some();
        self.dialogs.push(Dialog::Edit(Editor::new(
            Subject::Source(source),
            title,
            FormPage::General,
            open_bench_next,
        )));
        vec![Effect::LoadEntry { source, id }]
    }

    /// Opens the form of a way to follow a URL; saving adds the source.
    pub(super) fn edit_way(&mut self, by_hand: bool) -> Vec<Effect> {
        let found = self.dialogs.iter().find_map(|dialog| match dialog {
            Dialog::Add(Add { stage: Stage::Found { discovery, selected }, .. }) => {
                let way = (!by_hand).then_some(*selected);
                let title = way.and_then(|way| discovery.ways.get(way)).map(|w| w.title.clone());
                Some((way, discovery.draft(way)?, title.unwrap_or_default()))
            }
            _ => None,
        });
        let Some((way, entry, title)) = found else { return vec![] };
        let id = entry.source_id().map(ToString::to_string);
        let title = if title.is_empty() { id.unwrap_or_default() } else { title };
        let mut editor = Editor::new(Subject::Way(way), title, FormPage::General, false);
        let form = SourceForm::new(entry);
        let has_selectors = form.kind() == SourceKind::Website;
        editor.form = Some(form);
        editor.show_form();
        self.dialogs.push(Dialog::Edit(editor));
        if has_selectors { self.open_bench() } else { vec![] }
    }

    pub(super) fn entry_loaded(
        &mut self,
        source: i64,
        result: Result<Section, Failure>,
    ) -> Vec<Effect> {
        let of = Subject::Source(source);
        let editor = self.editor().filter(|e| e.of == of && e.form.is_none());
        match (editor, result) {
            (None, _) => vec![],
            (Some(editor), Ok(entry)) => {
                editor.form = Some(SourceForm::new(entry));
                editor.show_form();
                if editor.open_bench_next { self.open_bench() } else { vec![] }
            }
            (Some(_), Err(why)) => {
                self.dialogs.retain(|dialog| !matches!(dialog, Dialog::Edit(_)));
                self.problem(why)
            }
        }
    }

    pub(super) fn editor_key(&mut self, event: KeyEvent, key: Key) -> Vec<Effect> {
        let Some(editor) = self.editor() else { return vec![] };
        if editor.bench().is_some() {
            return self.bench_key(event, key);
        }
        let ctrl = event.modifiers.contains(KeyModifiers::CONTROL);
        if event.code == KeyCode::Esc {
            return self.leave_editor();
        }
        editor.confirm_leave = false;
        match event.code {
            KeyCode::Char('s') if ctrl => return self.save_entry(),
            KeyCode::Char('n') if ctrl => editor.step_page(true),
            KeyCode::Char('p') if ctrl => editor.step_page(false),
            KeyCode::PageDown => editor.step_page(true),
            KeyCode::PageUp => editor.step_page(false),
            KeyCode::F(n) => {
                let page = editor.pages().get(usize::from(n).saturating_sub(1)).copied();
                editor.open_page(page.unwrap_or_else(|| editor.page()));
            }
            KeyCode::Enter if editor.page() == FormPage::Selectors => return self.open_bench(),
            KeyCode::Down | KeyCode::Tab | KeyCode::Enter => editor.step(true),
            KeyCode::Up | KeyCode::BackTab => editor.step(false),
            _ => {
                let turned = match event.code {
                    KeyCode::Right | KeyCode::Left if editor.saving.is_none() => {
                        editor.next_choice(event.code == KeyCode::Right)
                    }
                    _ => None,
                };
                let effects = match turned {
                    Some(effects) => effects,
                    None if editor.field().is_some_and(|field| field.input(event)) => {
                        editor.typed()
                    }
                    None => vec![],
                };
                self.preview();
                return effects;
            }
        }
        self.preview();
        vec![]
    }

    /// Closes the form; with unsaved changes only at the second time.
    fn leave_editor(&mut self) -> Vec<Effect> {
        let Some(editor) = self.editor() else { return vec![] };
        if editor.saving.is_some() {
            return self.note("Saving …");
        }
        let changed = editor.form.as_ref().is_some_and(|form| !form.changes().is_empty());
        if changed && !editor.confirm_leave {
            editor.confirm_leave = true;
            return self.note("Press Esc again to discard the changes");
        }
        let had_bench = editor.bench.is_some();
        if let Some(restore) = editor.restore.take() {
            self.apply_appearance(restore);
        }
        self.dialogs.pop();
        self.toast = None;
        if had_bench { vec![Effect::CloseBench] } else { vec![] }
    }

    pub(super) fn save_entry(&mut self) -> Vec<Effect> {
        let found = self.dialogs.iter().find_map(|dialog| match dialog {
            Dialog::Add(Add { stage: Stage::Found { discovery, .. }, .. }) => Some(discovery),
            _ => None,
        });
        let discovery = found.cloned();
        let number = self.request();
        let Some(editor) = self.editor() else { return vec![] };
        let Some(form) = editor.form.as_ref().filter(|_| editor.saving.is_none()) else {
            return vec![];
        };
        if let Some(wrong) = form.first_wrong() {
            let label = form.fields()[wrong].label.clone();
            editor.focus = wrong;
            if let Some(bench) = &mut editor.bench {
                // The invalid field may be on another page of the form.
                let place = bench.fields.iter().position(|f| f.index == wrong);
                bench.shown &= place.is_some();
                bench.active = place.unwrap_or(bench.active);
            }
            return self.problem(format!("Not saved: {label} is not valid"));
        }
        if let Some(why) = form.problem.clone() {
            return self.problem(format!("Not saved: {why}"));
        }
        let (changes, base) = (form.changes(), form.base().clone());
        match (editor.of, discovery) {
            (Subject::Way(way), Some(discovery)) => {
                editor.saving = Some(Saving { number, poll: false });
                vec![Effect::FollowEdited { discovery, way, base, changes }]
            }
            (Subject::Source(_) | Subject::Settings, _) if !changes.is_empty() => {
                editor.saving = Some(Saving { number, poll: form.needs_poll() });
                let purpose = Purpose::Form(number);
                vec![Effect::Edit { purpose, change: FileChange::Section { base, changes } }]
            }
            _ => {
                self.dialogs.pop();
                self.note("Nothing was changed");
                vec![Effect::CloseBench]
            }
        }
    }

    pub(super) fn form_saved(
        &mut self,
        save: RequestId,
        result: Result<Edited, NotSaved>,
    ) -> Vec<Effect> {
        let is_awaited =
            |editor: &Editor| editor.saving.is_some_and(|saving| saving.number == save);
        let editor = self.editor().filter(|editor| is_awaited(editor));
        match (result, editor) {
            (Ok(edited), editor) => {
                let Some(editor) = editor else { return self.saved(edited.edits, None, "") };
                let (of, poll) = (editor.of, editor.saving.is_some_and(|saving| saving.poll));
                let waiting = editor.form.iter().flat_map(SourceForm::changed);
                let waiting = waiting.filter(|field| field.waits());
                let waiting: Vec<&str> = waiting.map(|field| field.label.as_str()).collect();
                let note = match waiting.join(", ") {
                    labels if labels.is_empty() => labels,
                    labels => format!("; restart to apply: {labels}"),
                };
                self.dialogs.retain(|dialog| !matches!(dialog, Dialog::Edit(e) if is_awaited(e)));
                let mut effects = vec![];
                if let Subject::Source(source) = of {
                    effects.push(Effect::CloseBench);
                    if poll {
                        effects.extend(self.refresh(Some(vec![source]), Pace::Manual));
                    }
                }
                effects.extend(self.saved(edited.edits, None, &note));
                effects
            }
            (Err(NotSaved::Conflict(keys, now)), Some(editor)) => {
                editor.saving = None;
                if let Some(form) = &mut editor.form {
                    form.rebase(*now);
                    editor.show_form();
                }
                let keys = keys.join(", ");
                self.problem(format!(
                    "Not saved: {keys} changed in the file. Press C-s again to overwrite"
                ))
            }
            (Err(why), editor) => {
                if let Some(editor) = editor {
                    editor.saving = None;
                }
                self.problem(why.message())
            }
        }
    }

    /// The edited way could not be followed; the form stays open.
    pub(super) fn not_followed(&mut self) -> bool {
        let editor = self.editor().filter(|editor| matches!(editor.of, Subject::Way(_)));
        editor.map(|editor| editor.saving = None).is_some()
    }

    /// A click selects a field or a page, the wheel moves between fields.
    pub(super) fn editor_mouse(&mut self, kind: MouseEventKind, at: Position) -> Vec<Effect> {
        let size = self.size;
        let Some(editor) = self.editor() else { return vec![] };
        if editor.bench().is_some() {
            return self.bench_mouse(kind, at);
        }
        match kind {
            MouseEventKind::ScrollDown => editor.step(true),
            MouseEventKind::ScrollUp => editor.step(false),
            MouseEventKind::Down(MouseButton::Left) => match view::editor::at(editor, size, at) {
                Some(view::editor::Place::Field(field)) => editor.focus = field,
                Some(view::editor::Place::Page(page)) => editor.open_page(page),
                None => {}
            },
            _ => {}
        }
        vec![]
    }
}
