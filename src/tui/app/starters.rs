//! The dialog with well-known sources.

use super::App;
use super::dialogs::{Dialog, KeyHint, KeyHints, Reply};
use crate::config::Key;
use crate::tui::effect::Effect;
use crate::tui::view::{self, DialogArea};
use KeyHint::{Back, Rows};
use crossterm::event::{KeyCode, KeyEvent};
use ratatui::Frame;

/// Well-known sources to choose from.
#[derive(Debug)]
pub(crate) struct Starters {
    /// Folder and title.
    pub(crate) rows: Vec<(String, String)>,
    pub(crate) checked: Vec<bool>,
    pub(crate) selected: usize,
}

impl Starters {
    pub(super) fn load() -> Self {
        let row = |s: &crate::model::Source| {
            let title = s.title.clone().unwrap_or_else(|| s.url.to_string());
            (s.folder.clone().unwrap_or_default(), title)
        };
        let rows: Vec<_> = crate::config::starter_sources().iter().map(row).collect();
        Self { checked: vec![false; rows.len()], rows, selected: 0 }
    }
}

impl Dialog for Starters {
    fn key(&mut self, app: &mut App, event: KeyEvent, key: Key) -> Reply {
        match event.code {
            KeyCode::Char(' ') => {
                if let Some(checked) = self.checked.get_mut(self.selected) {
                    *checked = !*checked;
                }
            }
            KeyCode::Enter => {
                let checked = (0..self.checked.len()).filter(|&i| self.checked[i]);
                let mut indexes: Vec<usize> = checked.collect();
                if indexes.is_empty() {
                    indexes.push(self.selected);
                }
                let request = app.request();
                app.await_in_add(request);
                return Reply::close(vec![Effect::FollowStarters { request, indexes }]);
            }
            _ => match app.motion(key) {
                Some(motion) => self.selected = motion.from(self.selected, 10, self.rows.len()),
                None if app.is_back(key) => return Reply::close(vec![]),
                None => {}
            },
        }
        Reply::default()
    }

    fn draw(&mut self, app: &App, frame: &mut Frame<'_>, area: DialogArea) {
        view::dialogs::starters(app, frame, self, area);
    }

    fn hints(&self) -> KeyHints {
        &[KeyHint::Key("Space", "select"), KeyHint::Key("Enter", "add"), Rows("move"), Back("back")]
    }
}
