//! The key bindings page: every action with its keys; new keys are bound by pressing them.

use super::App;
use super::dialogs::{Dialog, KeyHints, Reply};
use crate::config::{
    FileChange, Key, KeyOrigin, KeyRow, KeySettings, LONGEST_SEQUENCE, Rebinding, as_in_preset,
    key_rows, rebind, show_sequence,
};
use crate::model::Time;
use crate::tui::effect::Effect;
use crate::tui::input::Field;
use crate::tui::view::{self, DialogArea};
use chrono::TimeDelta;
use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use ratatui::Frame;

/// A sequence ends when no key follows for this long.
const PAUSE: TimeDelta = TimeDelta::milliseconds(1200);

/// State of the page.
#[derive(Debug, Default)]
pub(crate) struct KeysPage {
    pub(crate) field: Field,
    pub(crate) selected: usize,
    /// The rows that match the text in the field.
    pub(crate) rows: Vec<KeyRow>,
    pub(crate) capture: Option<Capture>,
    /// A binding that would displace others, until it is confirmed.
    pub(crate) confirm: Option<Rebinding>,
}

/// New keys that are being pressed.
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
        self.selected = self.selected.min(self.rows.len().saturating_sub(1));
    }

    fn begin_capture(&mut self, app: &mut App, additional: bool) {
        let Some(row) = self.row().cloned() else { return };
        self.capture = Some(Capture { row, additional, keys: Vec::new(), deadline: None });
        app.toast = None;
    }

    fn capture_key(&mut self, app: &mut App, event: KeyEvent, key: Key) -> Vec<Effect> {
        let Some(capture) = &mut self.capture else { return vec![] };
        match event.code {
            KeyCode::Esc if capture.keys.is_empty() => {
                self.capture = None;
                return vec![];
            }
            KeyCode::Enter if !capture.keys.is_empty() => return self.finish_capture(app),
            _ => {}
        }
        capture.keys.push(key);
        capture.deadline = Some(app.now + PAUSE);
        if capture.keys.len() < LONGEST_SEQUENCE { vec![] } else { self.finish_capture(app) }
    }

    fn finish_capture(&mut self, app: &mut App) -> Vec<Effect> {
        let Some(Capture { row, additional, keys, .. }) = self.capture.take() else {
            return vec![];
        };
        if row.keys.as_ref() == Some(&keys) && row.origin != KeyOrigin::TakenAway {
            return app.note("These keys are already bound to this action");
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

    /// Saves a binding that displaces nothing; asks for confirmation otherwise.
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
                KeyCode::Enter => save(rebinding).into(),
                _ => app.note("Nothing was changed").into(),
            };
        }
        let ctrl = event.modifiers.contains(KeyModifiers::CONTROL);
        let last = self.rows.len().saturating_sub(1);
        match event.code {
            KeyCode::Esc => return Reply::close(vec![]),
            KeyCode::Down | KeyCode::Tab => self.selected = (self.selected + 1).min(last),
            KeyCode::Up | KeyCode::BackTab => self.selected = self.selected.saturating_sub(1),
            KeyCode::PageDown => self.selected = (self.selected + 10).min(last),
            KeyCode::PageUp => self.selected = self.selected.saturating_sub(10),
            KeyCode::Enter => self.begin_capture(app, false),
            KeyCode::Char('n') if ctrl => self.begin_capture(app, true),
            KeyCode::Char('x') if ctrl => {
                return self.change(app, |s, row| rebind(s, row, None, false)).into();
            }
            KeyCode::Char('r') if ctrl => return self.change(app, as_in_preset).into(),
            _ => return self.type_key(app, event),
        }
        Reply::default()
    }

    fn draw(&mut self, app: &App, frame: &mut Frame<'_>, area: DialogArea) {
        view::history::draw_keys(app, frame, self, area.body);
    }

    fn hints(&self) -> KeyHints {
        if self.capture.is_some() || self.confirm.is_some() {
            return &[];
        }
        &[
            ("Enter", "change key"),
            ("C-n", "add key"),
            ("C-x", "unbind"),
            ("C-r", "reset"),
            ("Esc", "close"),
        ]
    }

    /// The field that receives typed text, unless keys are being pressed.
    fn field(&mut self) -> Option<&mut Field> {
        let typing = self.capture.is_none() && self.confirm.is_none();
        typing.then_some(&mut self.field)
    }

    fn typed(&mut self, app: &mut App) -> Vec<Effect> {
        self.selected = 0;
        self.list(&app.settings.keys);
        vec![]
    }

    /// When the key sequence ends.
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
