//! Options for showing the article: its width, long lines of code, and zen mode.

use super::reader::COLUMN;
use super::settings::setting;
use super::{App, Focus};
use crate::config::FileChange;
use crate::tui::effect::{Effect, Purpose};

impl App {
    /// Wraps or clips long lines of code, and saves the choice in the settings.
    pub(super) fn toggle_wrap_code(&mut self) -> Vec<Effect> {
        self.reader.shift = 0;
        let ui = &mut self.settings.ui;
        ui.wrap_code = !ui.wrap_code;
        let wrap = ui.wrap_code;
        let label = if wrap { "wrapped" } else { "cut" };
        let purpose = Purpose::Command(Some(format!("long lines of code are {label}")));
        let change = FileChange::Settings(vec![setting(&["ui", "wrap_code"], wrap)]);
        vec![Effect::Edit { purpose, change }]
    }

    pub(super) fn change_width(&mut self, by: i16) -> Vec<Effect> {
        let (column, space) = (self.reader.column, self.reader.space);
        if by > 0 && column >= space {
            return self.note("The text is as wide as the pane");
        }
        let width = column.min(space).saturating_add_signed(by);
        self.reader.column = width.clamp(*COLUMN.start(), *COLUMN.end());
        self.note(format!("Text width {}", self.reader.column))
    }

    /// Shows only the Reader, or all panes again.
    pub(super) fn toggle_zen(&mut self) -> Vec<Effect> {
        self.zen = !self.zen;
        let opened = if self.reader.article.is_none() { self.open_item() } else { vec![] };
        self.focus = Focus::Reader;
        opened
    }
}
