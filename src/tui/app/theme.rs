//! Changing the theme.

use super::App;
use super::settings::setting;
use crate::config::{self, FileChange, Theme};
use crate::tui::effect::Effect;
use crate::tui::style::Palette;

impl App {
    pub(super) fn next_theme(&mut self) -> Vec<Effect> {
        let names = config::theme_names(&self.settings.themes);
        let at = names.iter().position(|n| n == self.palette.name()).unwrap_or(0);
        self.save_theme(names[(at + 1) % names.len()].clone())
    }

    /// Applies a theme and saves it in the settings.
    pub(super) fn save_theme(&mut self, name: String) -> Vec<Effect> {
        if let Some(error) =
            Theme::load(&name, &self.settings.themes).err().unwrap_or_default().first()
        {
            return self.problem(error.to_string());
        }
        self.settings.ui.theme.clone_from(&name);
        self.palette = Palette::of(&self.settings, self.palette.support());
        self.note(format!("Theme: {name}"));
        let changes = vec![setting(&["ui", "theme"], name)];
        vec![Effect::edit(FileChange::Settings(changes))]
    }
}
