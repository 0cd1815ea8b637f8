//! The settings: opens their form, applies changes at run time, and handles the page of key bindings.

use super::dialogs::{Dialog, KeyHint, KeyHints, Reply};
use super::items::Placement;
use super::palette::assignment;
use super::{App, Editor, RuleList};
use crate::config::{
    FileChange, FormPage, Grouping, Key, KeyChange, KeyMap, KeyOrigin, KeyRow, KeySettings,
    MAX_SEQUENCE_KEYS, Rebinding, Section, SettingRow, Settings, SourceForm, UiSettings, key_rows,
    rebind, restore_preset, setting_change, show_sequence,
};
use crate::engine::Edited;
use crate::model::Time;
use crate::store::Anchor;
use crate::tui::effect::Effect;
use crate::tui::event::Failure;
use crate::tui::input::Field;
use crate::tui::style::Palette;
use crate::tui::view::{self, DialogArea};
use chrono::TimeDelta;
use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use ratatui::Frame;
use std::ops::Range;

/// A change to one key in the settings.
pub(super) fn setting(path: &[&str], value: impl Into<toml::Value>) -> KeyChange {
    let path = path.iter().map(|key| (*key).to_owned()).collect();
    KeyChange { path, value: Some(value.into().to_string()) }
}

/// The pages of the form with their names in the palette.
pub(super) fn setting_pages() -> Vec<(FormPage, String)> {
    let pages = [
        FormPage::Appearance,
        FormPage::Reading,
        FormPage::Listen,
        FormPage::Programs,
        FormPage::FullText,
        FormPage::Retention,
        FormPage::Polling,
        FormPage::Network,
        FormPage::Keys,
    ];
    let name = |page: FormPage| page.title().to_lowercase().replace(' ', "-");
    pages.into_iter().map(|page| (page, name(page))).collect()
}

/// File changes in progress.
#[derive(Debug, Default)]
pub(super) struct PendingEdits {
    count: usize,
    /// The settings in the last reply, until they are applied.
    settings: Option<Box<Settings>>,
}

impl PendingEdits {
    /// Number of file changes in progress.
    pub(super) fn count(&self) -> usize {
        self.count
    }

    /// Counts the file changes among effects.
    pub(super) fn add(&mut self, effects: &[Effect]) {
        let edit = |effect: &&Effect| matches!(effect, Effect::Edit { .. });
        self.count += effects.iter().filter(edit).count();
    }
}

impl App {
    /// Applies the settings after a change, once no newer change is in progress. Until then, the interface
    /// keeps showing the effects of newer commands.
    pub(super) fn edit_replied(&mut self, edited: Option<&Edited>) -> Vec<Effect> {
        self.edits.count = self.edits.count.saturating_sub(1);
        match edited.and_then(|edited| edited.settings.clone()) {
            Some(settings) => self.use_settings(settings),
            None => self.apply_settings(),
        }
    }

    /// The settings after the last file change, even if they are not applied yet.
    pub(super) fn newest_settings(&self) -> &Settings {
        self.edits.settings.as_deref().unwrap_or(&self.settings)
    }

    /// Applies the current settings of `config.toml`.
    pub(super) fn use_settings(&mut self, settings: Box<Settings>) -> Vec<Effect> {
        // If the user leaves an open form, the saved settings are restored.
        if let Some(open) = self.settings_editor() {
            open.set_restore(settings.ui.clone());
        }
        self.edits.settings = Some(settings);
        self.apply_settings()
    }

    fn apply_settings(&mut self) -> Vec<Effect> {
        let is_last = self.edits.count == 0;
        let Some(settings) = self.edits.settings.take_if(|_| is_last) else { return vec![] };
        let mut effects = self.adopt(*settings);
        effects.extend(self.keys_saved());
        effects
    }

    /// Sets a key to a value: `key value` or `key = value`.
    pub(super) fn set_setting(&mut self, typed: &str) -> Vec<Effect> {
        let (key, value) = assignment(typed).unwrap_or((typed, ""));
        vec![Effect::edit(FileChange::Settings(vec![setting_change(key, value)]))]
    }

    /// Opens the settings form at a page.
    pub(super) fn open_settings(&mut self, page: FormPage) -> Vec<Effect> {
        self.push_dialog(Editor::settings(page, self.settings.ui.clone()));
        vec![Effect::LoadSettings]
    }

    /// Opens the settings form at a setting.
    pub(super) fn open_setting(&mut self, row: SettingRow) -> Vec<Effect> {
        let mut editor = Editor::settings(row.page, self.settings.ui.clone());
        editor.first_field = Some(row.key);
        self.push_dialog(editor);
        vec![Effect::LoadSettings]
    }

    pub(super) fn settings_loaded(&mut self, result: Result<Section, Failure>) -> Vec<Effect> {
        let editor = self.settings_editor().filter(|editor| editor.form.is_none());
        match (editor, result) {
            (None, _) => vec![],
            (Some(editor), Ok(text)) => {
                editor.form = Some(SourceForm::settings(text));
                editor.show_form();
                editor.open_page(editor.first_page);
                editor.open_first_field();
                vec![]
            }
            (Some(_), Err(why)) => {
                self.close_dialogs::<Editor>();
                self.problem(why)
            }
        }
    }

    fn settings_editor(&mut self) -> Option<&mut Editor> {
        self.dialog_mut().filter(|editor: &&mut Editor| editor.is_settings())
    }

    pub(super) fn show_theme(&mut self, name: String) {
        if name != self.palette.name()
            && let Some(palette) = Palette::named(&name, &self.settings, self.palette.support())
        {
            self.palette = palette;
        }
    }

    /// All themes, with the colours that this terminal supports.
    pub(super) fn all_themes(&self) -> Vec<Palette> {
        let names = crate::config::theme_names(&self.settings.themes).into_iter();
        names
            .filter_map(|name| Palette::named(&name, &self.settings, self.palette.support()))
            .collect()
    }

    /// Applies appearance settings: theme, characters, widths.
    pub(super) fn apply_appearance(&mut self, ui: UiSettings) {
        self.borders.settings_changed(&self.settings.ui, &ui);
        self.show_theme(ui.theme.clone());
        if ui.reader_width != self.settings.ui.reader_width {
            self.reader.set_column(ui.reader_width);
        }
        self.settings.ui.theme = ui.theme;
        self.settings.ui.ascii = ui.ascii || ui.linear || self.palette.support().ascii;
        self.settings.ui.linear = ui.linear;
        self.settings.ui.reader_width = ui.reader_width;
        self.settings.ui.zen = ui.zen;
        self.settings.ui.wrap_code = ui.wrap_code;
        self.settings.ui.images = ui.images;
        if self.settings.ui.graphics != ui.graphics {
            self.settings.ui.graphics = ui.graphics;
            self.redraw_pictures();
        }
        self.settings.ui.sources_pane = ui.sources_pane;
        self.settings.ui.sources_width = ui.sources_width;
        self.settings.ui.items_width = ui.items_width;
    }

    /// Applies changed settings.
    pub(super) fn adopt(&mut self, new: Settings) -> Vec<Effect> {
        let before = self.settings.clone();
        if new.themes != before.themes || new.ui.background != before.ui.background {
            self.palette = Palette::of(&new, self.palette.support());
        }
        self.settings.themes.clone_from(&new.themes);
        self.apply_appearance(new.ui.clone());
        if new.keys != before.keys
            && let Ok(keymap) = KeyMap::load(&new.keys)
        {
            self.keymap = keymap;
        }
        let mut effects =
            if new.views == before.views { vec![] } else { self.apply_views(&new.views) };
        let sort = new.ui.sort;
        let ascii = new.ui.ascii || new.ui.linear || self.palette.support().ascii;
        let (unread_only, rules) = (new.ui.unread_only, new.rules != before.rules);
        self.settings = new;
        self.settings.ui.ascii = ascii;
        if unread_only != before.ui.unread_only {
            effects.extend(self.show_unread_only(unread_only));
        }
        if rules {
            effects.extend(self.with(|list: &mut RuleList, app| list.preview(app).into()));
        }
        let group = self.settings.ui.group;
        let regrouped =
            group != before.ui.group && [group, before.ui.group].contains(&Grouping::Source);
        if sort != before.ui.sort {
            (self.items.order, self.items.search_order) = super::items::orders(sort);
            self.items.listing.layout.sort = None;
            effects.extend(self.load_items(Anchor::First, Placement::Start));
        } else if regrouped {
            effects.extend(self.load_items(Anchor::First, Placement::Start));
        }
        let fold = self.settings.ui.fold_stories;
        if fold != before.ui.fold_stories {
            effects.extend(self.fold_stories_if(fold));
        }
        effects
    }
}

/// Time after the last key until a recorded key sequence ends.
const PAUSE: TimeDelta = TimeDelta::milliseconds(1200);

/// State of the page of key bindings.
#[derive(Debug, Default)]
pub(crate) struct KeysPage {
    pub(crate) field: Field,
    pub(crate) selected: usize,
    /// The rows that match the text in the field.
    pub(crate) rows: Vec<KeyRow>,
    pub(crate) capture: Option<Capture>,
    /// A binding that would replace others and waits for confirmation.
    pub(crate) confirm: Option<Rebinding>,
}

/// A key sequence that is being recorded.
#[derive(Debug)]
pub(crate) struct Capture {
    pub(crate) row: KeyRow,
    additional: bool,
    pub(crate) keys: Vec<Key>,
    deadline: Option<Time>,
}

impl KeysPage {
    fn row(&self) -> Option<&KeyRow> {
        self.rows.get(self.selected)
    }

    /// Lists the rows that match the typed text.
    fn list(&mut self, settings: &KeySettings) {
        let typed = self.field.value().trim().to_lowercase();
        let keys = |row: &KeyRow| row.keys.as_deref().map(show_sequence).unwrap_or_default();
        let fits = |row: &KeyRow| {
            row.action.name().contains(&typed)
                || row.action.help().to_lowercase().contains(&typed)
                || keys(row).to_lowercase() == typed
        };
        self.rows = key_rows(settings).into_iter().filter(fits).collect();
        self.rows.sort_by_key(|row| row.action.name() != typed);
        self.selected = self.selected.min(self.rows.len().saturating_sub(1));
    }

    /// For each action, the range of rows with its bindings.
    pub(crate) fn actions(&self) -> Vec<Range<usize>> {
        let mut start = 0;
        let groups = self.rows.chunk_by(|a, b| a.action == b.action);
        let range = |group: &[KeyRow]| {
            let range = start..start + group.len();
            start = range.end;
            range
        };
        groups.map(range).collect()
    }

    /// Moves by a number of actions.
    fn step(&mut self, count: isize) {
        let actions = self.actions();
        let at = actions.iter().position(|range| range.contains(&self.selected)).unwrap_or(0);
        let next = at.saturating_add_signed(count).min(actions.len().saturating_sub(1));
        self.selected = actions.get(next).map_or(0, |range| range.start);
    }

    /// Moves among the bindings of an action.
    fn step_binding(&mut self, forward: bool) {
        let next = if forward { self.selected + 1 } else { self.selected.saturating_sub(1) };
        let same =
            |a: Option<&KeyRow>, b: Option<&KeyRow>| a.map(|r| r.action) == b.map(|r| r.action);
        if next < self.rows.len() && same(self.rows.get(next), self.row()) {
            self.selected = next;
        }
    }

    fn begin_capture(&mut self, app: &mut App, additional: bool) {
        let Some(row) = self.row().cloned() else { return };
        self.capture = Some(Capture { row, additional, keys: Vec::new(), deadline: None });
        app.toast = None;
    }

    fn capture_key(&mut self, app: &mut App, event: KeyEvent, key: Key) -> Vec<Effect> {
        let Some(capture) = &mut self.capture else { return vec![] };
        match event.code {
            KeyCode::Esc => {
                self.capture = None;
                return vec![];
            }
            KeyCode::Enter if !capture.keys.is_empty() => return self.finish_capture(app),
            _ => {}
        }
        capture.keys.push(key);
        capture.deadline = Some(app.now + PAUSE);
        if capture.keys.len() < MAX_SEQUENCE_KEYS { vec![] } else { self.finish_capture(app) }
    }

    fn finish_capture(&mut self, app: &mut App) -> Vec<Effect> {
        let Some(Capture { row, additional, keys, .. }) = self.capture.take() else {
            return vec![];
        };
        if row.keys.as_ref() == Some(&keys) && row.origin != KeyOrigin::Unbound {
            return app.note("These keys are already bound to this command");
        }
        let rebinding = rebind(&app.settings.keys, &row, Some(&keys), additional);
        self.confirm_or_save(app, rebinding)
    }

    fn change(
        &mut self,
        app: &mut App,
        change: impl Fn(&KeySettings, &KeyRow) -> Result<Rebinding, String>,
    ) -> Vec<Effect> {
        let Some(row) = self.row() else { return vec![] };
        let rebinding = change(&app.settings.keys, row);
        self.confirm_or_save(app, rebinding)
    }

    /// Saves a binding that replaces no other; otherwise asks for confirmation.
    fn confirm_or_save(&mut self, app: &mut App, result: Result<Rebinding, String>) -> Vec<Effect> {
        match result {
            Err(why) => app.problem(why),
            Ok(rebinding) if rebinding.changes.is_empty() => app.note("Nothing to change"),
            Ok(rebinding) if rebinding.displaced.is_empty() => save(rebinding),
            Ok(rebinding) => {
                self.confirm = Some(rebinding);
                vec![]
            }
        }
    }
}

fn save(rebinding: Rebinding) -> Vec<Effect> {
    vec![Effect::edit(FileChange::Settings(rebinding.changes))]
}

impl Dialog for KeysPage {
    fn key(&mut self, app: &mut App, event: KeyEvent, key: Key) -> Reply {
        if self.capture.is_some() {
            return self.capture_key(app, event, key).into();
        }
        if let Some(rebinding) = self.confirm.take() {
            return match event.code {
                KeyCode::Char('y') => save(rebinding).into(),
                // Enter does not confirm, because it may be intended to end the sequence that a timeout has
                // just ended.
                KeyCode::Enter => {
                    self.confirm = Some(rebinding);
                    Reply::default()
                }
                _ => app.note("Nothing changed").into(),
            };
        }
        let ctrl = event.modifiers.contains(KeyModifiers::CONTROL);
        match event.code {
            KeyCode::Esc => return Reply::close(vec![]),
            KeyCode::Down | KeyCode::Tab => self.step(1),
            KeyCode::Up | KeyCode::BackTab => self.step(-1),
            KeyCode::PageDown => self.step(10),
            KeyCode::PageUp => self.step(-10),
            KeyCode::Right => self.step_binding(true),
            KeyCode::Left => self.step_binding(false),
            KeyCode::Enter => self.begin_capture(app, false),
            KeyCode::Char('n') if ctrl => self.begin_capture(app, true),
            KeyCode::Char('x') if ctrl => {
                return self.change(app, |s, row| rebind(s, row, None, false)).into();
            }
            KeyCode::Char('r') if ctrl => return self.change(app, restore_preset).into(),
            _ => return self.type_key(app, event),
        }
        Reply::default()
    }

    fn draw(&mut self, app: &App, frame: &mut Frame<'_>, area: DialogArea) {
        view::history::draw_keys(app, frame, self, area);
    }

    fn hints(&self) -> KeyHints {
        if self.capture.is_some() || self.confirm.is_some() {
            return &[];
        }
        &[
            KeyHint::Key("Enter", "change key"),
            KeyHint::Key("Left Right", "another key"),
            KeyHint::Key("C-n", "add key"),
            KeyHint::Key("C-x", "unbind"),
            KeyHint::Key("C-r", "reset"),
            KeyHint::Key("Esc", "close"),
        ]
    }

    fn takes_keys(&self) -> bool {
        self.capture.is_some()
    }

    /// The field that receives typed text, unless a key sequence is being recorded or waits for confirmation.
    fn field(&mut self) -> Option<&mut Field> {
        let typing = self.capture.is_none() && self.confirm.is_none();
        typing.then_some(&mut self.field)
    }

    fn typed(&mut self, app: &mut App) -> Vec<Effect> {
        self.selected = 0;
        self.list(&app.settings.keys);
        vec![]
    }

    /// When the recorded key sequence ends.
    fn deadline(&self) -> Option<Time> {
        self.capture.as_ref()?.deadline
    }

    fn time_passed(&mut self, app: &mut App) -> Vec<Effect> {
        self.finish_capture(app)
    }

    fn quits(&mut self) -> bool {
        false
    }
}

impl App {
    pub(super) fn open_keys(&mut self, typed: &str) -> Vec<Effect> {
        let mut page = KeysPage { field: Field::new(typed), ..KeysPage::default() };
        page.list(&self.settings.keys);
        self.push_dialog(page)
    }

    /// Updates the list after the settings changed.
    pub(super) fn keys_saved(&mut self) -> Vec<Effect> {
        self.with(|page: &mut KeysPage, app| {
            page.list(&app.settings.keys);
            Reply::default()
        })
    }
}
