//! The page of keys: every action with its keys, and a new one is given by striking it.

use super::{App, Dialog};
use crate::config::{
    self, Key, KeyRow, LONGEST_SEQUENCE, Rebinding, as_in_preset, key_rows, rebind, show_sequence,
};
use crate::model::Time;
use crate::tui::effect::Effect;
use crate::tui::input::Field;
use chrono::TimeDelta;
use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

/// A sequence ends when no key follows for so long.
const PAUSE: TimeDelta = TimeDelta::milliseconds(1200);

/// Every action with its keys.
#[derive(Debug, Default)]
pub(crate) struct KeysPage {
    pub(crate) field: Field,
    pub(crate) selected: usize,
    /// What is shown, by the text in the field.
    pub(crate) rows: Vec<KeyRow>,
    pub(crate) catching: Option<Catching>,
    /// What a new binding would displace, until that is agreed to.
    pub(crate) request_options: Option<Rebinding>,
}

/// New keys, being struck.
#[derive(Debug)]
pub(crate) struct Catching {
    pub(crate) row: KeyRow,
    beside: bool,
    pub(crate) keys: Vec<Key>,
    until: Option<Time>,
}

impl KeysPage {
    fn row(&self) -> Option<&KeyRow> {
        self.rows.get(self.selected)
    }

    /// When the sequence ends.
    pub(super) fn until(&self) -> Option<Time> {
        self.catching.as_ref()?.until
    }

    /// The field that takes what is typed, unless keys are being struck.
    pub(super) fn typing(&mut self) -> Option<&mut Field> {
        if self.catching.is_some() || self.request_options.is_some() {
            None
        } else {
            Some(&mut self.field)
        }
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

    /// Lists the rows that fit what is typed.
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

    /// After the settings have changed.
    pub(super) fn keys_saved(&mut self) -> Vec<Effect> {
        if self.keys_page().is_some() { self.list_keys() } else { vec![] }
    }

    pub(super) fn keys_key(&mut self, event: KeyEvent, key: Key) -> Vec<Effect> {
        let Some(page) = self.keys_page() else { return vec![] };
        if page.catching.is_some() {
            return self.catch_key(event, key);
        }
        if let Some(rebinding) = page.request_options.take() {
            let effects = match event.code {
                KeyCode::Enter => self.save_keys(rebinding),
                _ => self.note("left as it was"),
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
            KeyCode::Enter => return self.begin_catching(false),
            KeyCode::Char('n') if ctrl => return self.begin_catching(true),
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

    fn begin_catching(&mut self, beside: bool) -> Vec<Effect> {
        let Some(page) = self.keys_page() else { return vec![] };
        let Some(row) = page.row().cloned() else { return vec![] };
        page.catching = Some(Catching { row, beside, keys: Vec::new(), until: None });
        self.toast = None;
        vec![]
    }

    fn catch_key(&mut self, event: KeyEvent, key: Key) -> Vec<Effect> {
        let now = self.now;
        let Some(page) = self.keys_page() else { return vec![] };
        let Some(catching) = &mut page.catching else { return vec![] };
        match event.code {
            KeyCode::Esc if catching.keys.is_empty() => {
                page.catching = None;
                return vec![];
            }
            KeyCode::Enter if !catching.keys.is_empty() => return self.keys_caught(),
            _ => {}
        }
        catching.keys.push(key);
        catching.until = Some(now + PAUSE);
        if catching.keys.len() < LONGEST_SEQUENCE { vec![] } else { self.keys_caught() }
    }

    /// After the pause that ends a sequence.
    pub(super) fn end_sequence(&mut self) -> Vec<Effect> {
        let now = self.now;
        let over = self.keys_page().and_then(|page| page.until()).is_some_and(|at| at <= now);
        if over { self.keys_caught() } else { vec![] }
    }

    fn keys_caught(&mut self) -> Vec<Effect> {
        let Some(catching) = self.keys_page().and_then(|page| page.catching.take()) else {
            return vec![];
        };
        let Catching { row, beside, keys, .. } = catching;
        if row.keys.as_ref() == Some(&keys) && row.origin != config::KeyOrigin::TakenAway {
            return self.note("these are its keys already");
        }
        self.agree(rebind(&self.settings.keys, &row, Some(&keys), beside))
    }

    fn change_keys(
        &mut self,
        change: impl Fn(&config::KeySettings, &KeyRow) -> Result<Rebinding, String>,
    ) -> Vec<Effect> {
        let Some(row) = self.keys_page().and_then(|page| page.row().cloned()) else {
            return vec![];
        };
        self.agree(change(&self.settings.keys, &row))
    }

    /// Saves what takes nothing away; asks about what does.
    fn agree(&mut self, result: Result<Rebinding, String>) -> Vec<Effect> {
        match result {
            Err(why) => self.problem(why),
            Ok(rebinding) if rebinding.changes.is_empty() => self.note("that is so already"),
            Ok(rebinding) if rebinding.displaced.is_empty() => self.save_keys(rebinding),
            Ok(rebinding) => {
                if let Some(page) = self.keys_page() {
                    page.request_options = Some(rebinding);
                }
                vec![]
            }
        }
    }

    fn save_keys(&mut self, rebinding: Rebinding) -> Vec<Effect> {
        vec![Effect::edit(config::FileChange::Settings(rebinding.changes))]
    }
}
