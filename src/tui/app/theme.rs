//! Changing the theme.

use super::App;
use super::settings::setting;
use crate::config::{self, FileChange, Theme};
use crate::tui::effect::{Effect, Purpose};
use crate::tui::style::{ColorSupport, Palette};

impl App {
    /// Lists the themes; each is previewed while it is selected.
    pub(super) fn choose_theme(&mut self) -> Vec<Effect> {
        let names = config::theme_names(&self.settings.themes);
        let at = names.iter().position(|name| *name == self.settings.ui.theme).unwrap_or(0);
        self.open_palette_at("theme ", at)
    }

    /// On a slow connection, the terminal reports only after the start whether its background is light.
    pub(super) fn background_found(&mut self, light: bool) -> Vec<Effect> {
        let support = ColorSupport { light, ..self.palette.support() };
        self.palette = Palette::of(&self.settings, support);
        vec![]
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
        let purpose = Purpose::Command(Some(format!("theme {name}")));
        let change = FileChange::Settings(vec![setting(&["ui", "theme"], name)]);
        vec![Effect::Edit { purpose, change }]
    }
}
