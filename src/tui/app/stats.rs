//! The dialog with statistics of all sources.

use super::App;
use super::dialogs::KeyHint::{Back, Rows};
use super::dialogs::{Dialog, KeyHints, Reply};
use crate::config::{Action, Context, Key, Lookup};
use crate::engine::Statistics;
use crate::tui::effect::Effect;
use crate::tui::event::Failure;
use crate::tui::read::Read;
use crate::tui::view::{self, DialogArea};
use crossterm::event::KeyEvent;
use ratatui::Frame;

/// State of the dialog.
#[derive(Debug, Default)]
pub(crate) struct StatsDialog {
    /// `None` until they are loaded.
    pub(crate) statistics: Option<Box<Statistics>>,
    /// Scroll position in lines.
    pub(crate) top: usize,
}

/// More lines than the statistics can have.
const MAX_LINES: usize = 100_000;

impl App {
    pub(super) fn open_stats(&mut self) -> Vec<Effect> {
        self.push_dialog(StatsDialog::default());
        // Counting continues when the dialog is closed, and the next dialog shows its result.
        match std::mem::replace(&mut self.counts_items, true) {
            true => vec![],
            false => vec![Effect::Read(Read::Statistics)],
        }
    }

    pub(super) fn statistics_loaded(
        &mut self,
        result: Result<Box<Statistics>, Failure>,
    ) -> Vec<Effect> {
        self.counts_items = false;
        match (self.dialog_mut::<StatsDialog>(), result) {
            (Some(dialog), Ok(statistics)) => {
                dialog.statistics = Some(statistics);
                vec![]
            }
            (Some(_), Err(why)) => {
                self.close_dialogs::<StatsDialog>();
                self.problem(why)
            }
            (None, _) => vec![],
        }
    }
}

impl Dialog for StatsDialog {
    fn key(&mut self, app: &mut App, _event: KeyEvent, key: Key) -> Reply {
        if let Some(motion) = app.motion(key) {
            // Drawing limits this position to the last page.
            self.top = motion.from(self.top, 10, MAX_LINES);
            return Reply::default();
        }
        match app.keymap.lookup(Context::Sources, &[key]) {
            Lookup::Action(Action::Back | Action::Stats) => Reply::close(vec![]),
            _ => Reply::default(),
        }
    }

    fn draw(&mut self, app: &App, frame: &mut Frame<'_>, area: DialogArea) {
        view::stats::draw(app, frame, self, area);
    }

    fn hints(&self) -> KeyHints {
        &[Rows("scroll"), Back("close")]
    }
}
