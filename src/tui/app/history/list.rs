//! The list of changes, for undoing or redoing several at once.

use super::super::App;
use super::super::dialogs::KeyHint::{Back, Bound, Rows};
use super::super::dialogs::{Dialog, KeyHint, KeyHints, Reply};
use crate::config::{Action, Context, Key};
use crate::tui::effect::Effect;
use crate::tui::view::{self, DialogArea};
use crossterm::event::{KeyCode, KeyEvent};
use ratatui::Frame;

/// The list of changes, newest first, with the initial state at the bottom.
#[derive(Debug, Default)]
pub(crate) struct HistoryList {
    pub(crate) selected: usize,
}

impl App {
    pub(in crate::tui::app) fn open_history(&mut self) -> Vec<Effect> {
        let selected = self.history.steps.len() - self.history.done;
        self.push_dialog(HistoryList { selected })
    }

    /// Number of rows in the history: the changes and the initial state.
    pub(crate) fn history_rows(&self) -> usize {
        self.history.steps.len() + 1
    }

    /// Keeps the selection on its state after a change was inserted at index `at`, counted from the oldest.
    pub(super) fn history_grew(&mut self, at: usize) {
        let before = self.history.steps.len().saturating_sub(1);
        if let Some(list) = self.dialog_mut::<HistoryList>()
            && before.saturating_sub(list.selected) < at
        {
            list.selected += 1;
        }
    }
}

impl Dialog for HistoryList {
    fn key(&mut self, app: &mut App, event: KeyEvent, key: Key) -> Reply {
        let count = app.history_rows();
        self.selected = self.selected.min(count - 1);
        match (event.code, app.motion(key), app.action_of(key)) {
            (KeyCode::Enter, ..) => return app.go_to_state(count - 1 - self.selected).into(),
            (_, Some(motion), _) => self.selected = motion.from(self.selected, 10, count),
            (_, _, Some(Action::Undo)) => return app.undo().into(),
            (_, _, Some(Action::Redo)) => return app.redo().into(),
            (_, _, Some(Action::Back | Action::Log | Action::History)) => {
                return Reply::close(vec![]);
            }
            _ => {}
        }
        Reply::default()
    }

    fn draw(&mut self, app: &App, frame: &mut Frame<'_>, area: DialogArea) {
        view::history::draw(app, frame, self, area);
    }

    fn hints(&self) -> KeyHints {
        &[
            KeyHint::Key("Enter", "go to this state"),
            Rows("select"),
            Bound(Context::Everywhere, Action::Undo, "undo"),
            Bound(Context::Everywhere, Action::Redo, "redo"),
            Back("close"),
        ]
    }
}
