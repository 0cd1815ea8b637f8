//! The key bindings page: every action with its keys; new keys are bound by pressing them.

use super::{App, Dialog};
use crate::config::{
    self, Key, KeyRow, LONGEST_SEQUENCE, Rebinding, as_in_preset, key_rows, rebind, show_sequence,
};
use crate::model::Time;
use crate::tui::effect::Effect;
use crate::tui::input::Field;
use chrono::TimeDelta;
use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

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
    /// A binding that would displace others, deadline it is confirmed.
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

    /// When the sequence ends.
    pub(super) fn deadline(&self) -> Option<Time> {
        self.capture.as_ref()?.deadline
    }

    /// The field that receives typed text, unless keys are being pressed.
    pub(super) fn field_mut(&mut self) -> Option<&mut Field> {
        if self.capture.is_some() || self.confirm.is_some() { None } else { Some(&mut self.field) }
    }
}

impl App {
    fn keys_page(&mut self) -> Option<&mut KeysPage> {
        self.dialogs.iter_mut().rev().find_map(|dialog| match dialog {
            Dialog::Keys(page) => Some(page),
            _ => None,
        })
    }

    pub(super) fn open_keys(&mut self, typed: &str) -> Vec<Effect> {
        let page = KeysPage { field: Field::new(typed), ..KeysPage::default() };
        self.dialogs.push(Dialog::Keys(page));
        self.list_keys()
    }

    /// Lists the rows that match the typed text.
    pub(super) fn list_keys(&mut self) -> Vec<Effect> {
        let all = key_rows(&self.settings.keys);
        let Some(page) = self.keys_page() else { return vec![] };
        let typed = page.field.value().trim().to_lowercase();
        let keys = |row: &KeyRow| row.keys.as_deref().map(show_sequence).unwrap_or_default();
        let fits = |row: &KeyRow| {
            row.action.name().contains(&typed)
                || row.action.help().to_lowercase().contains(&typed)
                || keys(row).to_lowercase() == typed
        };
        page.rows = all.into_iter().filter(fits).collect();
        page.selected = page.selected.min(page.rows.len().saturating_sub(1));
        vec![]
    }

    /// Updates the list after the settings changed.
    pub(super) fn keys_saved(&mut self) -> Vec<Effect> {
        if self.keys_page().is_some() { self.list_keys() } else { vec![] }
    }

    pub(super) fn keys_key(&mut self, event: KeyEvent, key: Key) -> Vec<Effect> {
        let Some(page) = self.keys_page() else { return vec![] };
        if page.capture.is_some() {
            return self.capture_key(event, key);
        }
        if let Some(rebinding) = page.confirm.take() {
            let effects = match event.code {
                KeyCode::Enter => self.save_keys(rebinding),
                _ => self.note("Nothing was changed"),
            };
            return effects;
        }
        let ctrl = event.modifiers.contains(KeyModifiers::CONTROL);
        let (selected, last) = (page.selected, page.rows.len().saturating_sub(1));
        match event.code {
            KeyCode::Esc => {
                self.dialogs.pop();
            }
            KeyCode::Down | KeyCode::Tab => page.selected = (selected + 1).min(last),
            KeyCode::Up | KeyCode::BackTab => page.selected = selected.saturating_sub(1),
            KeyCode::PageDown => page.selected = (selected + 10).min(last),
            KeyCode::PageUp => page.selected = selected.saturating_sub(10),
            KeyCode::Enter => return self.begin_capture(false),
            KeyCode::Char('n') if ctrl => return self.begin_capture(true),
            KeyCode::Char('x') if ctrl => {
                return self.change_keys(|s, row| rebind(s, row, None, false));
            }
            KeyCode::Char('r') if ctrl => return self.change_keys(as_in_preset),
            _ => {
                if page.field.input(event) {
                    page.selected = 0;
                    return self.list_keys();
                }
            }
        }
        vec![]
    }

    fn begin_capture(&mut self, additional: bool) -> Vec<Effect> {
        let Some(page) = self.keys_page() else { return vec![] };
        let Some(row) = page.row().cloned() else { return vec![] };
        page.capture = Some(Capture { row, additional, keys: Vec::new(), deadline: None });
        self.toast = None;
        vec![]
    }

    fn capture_key(&mut self, event: KeyEvent, key: Key) -> Vec<Effect> {
        let now = self.now;
        let Some(page) = self.keys_page() else { return vec![] };
        let Some(capture) = &mut page.capture else { return vec![] };
        match event.code {
            KeyCode::Esc if capture.keys.is_empty() => {
                page.capture = None;
                return vec![];
            }
            KeyCode::Enter if !capture.keys.is_empty() => return self.finish_capture(),
            _ => {}
        }
        capture.keys.push(key);
        capture.deadline = Some(now + PAUSE);
        if capture.keys.len() < LONGEST_SEQUENCE { vec![] } else { self.finish_capture() }
    }

    /// Ends the key sequence after its pause.
    pub(super) fn end_sequence(&mut self) -> Vec<Effect> {
        let now = self.now;
        let over = self.keys_page().and_then(|page| page.deadline()).is_some_and(|at| at <= now);
        if over { self.finish_capture() } else { vec![] }
    }

    fn finish_capture(&mut self) -> Vec<Effect> {
        let Some(capture) = self.keys_page().and_then(|page| page.capture.take()) else {
            return vec![];
        };
        let Capture { row, additional, keys, .. } = capture;
        if row.keys.as_ref() == Some(&keys) && row.origin != config::KeyOrigin::TakenAway {
            return self.note("These keys are already bound to this action");
        }
        self.confirm_or_save(rebind(&self.settings.keys, &row, Some(&keys), additional))
    }

    fn change_keys(
        &mut self,
        change: impl Fn(&config::KeySettings, &KeyRow) -> Result<Rebinding, String>,
    ) -> Vec<Effect> {
        let Some(row) = self.keys_page().and_then(|page| page.row().cloned()) else {
            return vec![];
        };
        self.confirm_or_save(change(&self.settings.keys, &row))
    }

    /// Saves a binding that displaces nothing; asks for confirmation otherwise.
    fn confirm_or_save(&mut self, result: Result<Rebinding, String>) -> Vec<Effect> {
        match result {
            Err(why) => self.problem(why),
            Ok(rebinding) if rebinding.changes.is_empty() => self.note("Nothing to change"),
            Ok(rebinding) if rebinding.displaced.is_empty() => self.save_keys(rebinding),
            Ok(rebinding) => {
                if let Some(page) = self.keys_page() {
                    page.confirm = Some(rebinding);
                }
                vec![]
            }
        }
    }

    fn save_keys(&mut self, rebinding: Rebinding) -> Vec<Effect> {
        vec![Effect::edit(config::FileChange::Settings(rebinding.changes))]
    }
}
