//! Choosing a theme: the settings form, opened at the theme.

use super::dialogs::{Dialog, KeyHint, KeyHints, Reply};
use super::{App, Editor};
use crate::config::{FormField, setting_rows};
use crate::tui::effect::Effect;
use crate::tui::style::{ColorSupport, Palette};
use crate::tui::view;
use crossterm::event::{KeyCode, KeyEvent};

/// The key of the theme setting.
pub(super) const THEME: &str = "ui.theme";

impl App {
    /// Shows a gallery of all themes, and previews the selected one.
    pub(super) fn choose_theme(&mut self) -> Vec<Effect> {
        let Some(row) = setting_rows().find(|row| row.key == THEME) else { return vec![] };
        let effects = self.open_setting(row);
        if let Some(editor) = self.dialog_mut::<Editor>() {
            editor.for_theme = true;
        }
        effects
    }

    /// Applies a late reply about the background: on a slow connection, the terminal reports only after
    /// startup whether it is light.
    pub(super) fn background_found(&mut self, light: bool) -> Vec<Effect> {
        let support = ColorSupport { light, ..self.palette.support() };
        self.palette = Palette::of(&self.settings, support);
        vec![]
    }
}

impl Editor {
    /// Whether the form was opened to choose a theme, and no other field was focused or changed since then.
    pub(crate) fn chooses_theme(&self) -> bool {
        let Some(form) = self.form.as_ref().filter(|_| self.for_theme) else { return false };
        let is_theme = |field: &FormField| field.key() == THEME;
        self.search.is_none()
            && !self.is_saving()
            && form.fields().get(self.focus).is_some_and(is_theme)
            && form.changed().all(is_theme)
    }

    /// Handles the keys that have a different effect while a theme is being chosen.
    pub(super) fn theme_key(&mut self, app: &mut App, event: KeyEvent) -> Option<Reply> {
        let forward = match event.code {
            KeyCode::Enter => return Some(self.save(app)),
            KeyCode::Esc => {
                self.confirm_leave = true;
                return Some(self.leave(app));
            }
            KeyCode::Down | KeyCode::Char('j') => true,
            KeyCode::Up | KeyCode::Char('k') => false,
            _ => return None,
        };
        let steps = view::editor::theme_columns(app, self);
        Some((0..steps).flat_map(|_| self.next_theme(app, forward)).collect::<Vec<_>>().into())
    }

    pub(super) fn next_theme(&mut self, app: &mut App, forward: bool) -> Vec<Effect> {
        self.next_choice(forward);
        self.typed(app)
    }

    /// Previews the theme at an index of the gallery.
    pub(super) fn pick_theme(&mut self, app: &mut App, at: usize) -> Vec<Effect> {
        let fields = self.form.iter().flat_map(|form| form.fields());
        let field = fields.into_iter().position(|field| field.key() == THEME);
        let name = self.gallery.get(at).map(|theme| theme.name().to_owned());
        let Some((field, name)) = field.zip(name) else { return vec![] };
        self.focus = field;
        self.choose(&name);
        self.typed(app)
    }

    /// The keys of the form while a theme is being chosen.
    pub(super) fn theme_hints() -> KeyHints {
        &[
            KeyHint::Key("Enter", "use"),
            KeyHint::Key("Up Down", "preview"),
            KeyHint::Key("Tab", "other settings"),
            KeyHint::Key("Esc", "cancel"),
        ]
    }
}
