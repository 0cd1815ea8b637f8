//! The settings: opening their form and applying changes at run time.

use super::{App, Editor};
use crate::config::{
    FileChange, FormPage, KeyChange, KeyMap, Section, Settings, SourceForm, Theme, UiSettings,
    setting_change,
};
use crate::engine::Edited;
use crate::tui::effect::Effect;
use crate::tui::event::Failure;
use crate::tui::style::Palette;

/// A change of one key of the settings.
pub(super) fn setting(path: &[&str], value: impl Into<toml::Value>) -> KeyChange {
    let path = path.iter().map(|key| (*key).to_owned()).collect();
    KeyChange { path, value: Some(value.into().to_string()) }
}

/// The pages of the form with their names in the palette.
pub(super) fn setting_pages() -> Vec<(FormPage, String)> {
    let pages = [
        FormPage::Appearance,
        FormPage::Reading,
        FormPage::FullText,
        FormPage::Retention,
        FormPage::Budget,
        FormPage::Network,
        FormPage::Keys,
    ];
    let name = |page: FormPage| page.title().to_lowercase().replace(' ', "-");
    pages.into_iter().map(|page| (page, name(page))).collect()
}

/// File changes in progress.
#[derive(Debug, Default)]
pub(super) struct PendingEdits {
    count: usize,
    /// The settings after the last reply, until they are applied.
    settings: Option<Box<Settings>>,
}

impl PendingEdits {
    /// Counts the file changes among some effects.
    pub(super) fn add(&mut self, effects: &[Effect]) {
        let edit = |effect: &&Effect| matches!(effect, Effect::Edit { .. });
        self.count += effects.iter().filter(edit).count();
    }
}

impl App {
    /// Applies the settings after a change once no newer change is in progress: until then the
    /// interface shows what newer commands have set.
    pub(super) fn edit_replied(&mut self, edited: Option<&Edited>) -> Vec<Effect> {
        self.edits.count = self.edits.count.saturating_sub(1);
        let settings = edited.and_then(|edited| edited.settings.clone());
        if let Some(settings) = settings {
            // An open form continues from the saved settings.
            if let Some(open) = self.settings_editor() {
                open.set_restore(settings.ui.clone());
            }
            self.edits.settings = Some(settings);
        }
        let is_last = self.edits.count == 0;
        let Some(settings) = self.edits.settings.take_if(|_| is_last) else { return vec![] };
        let mut effects = self.adopt(*settings);
        effects.extend(self.keys_saved());
        effects
    }

    /// Sets a key to a value; both are separated by a space.
    pub(super) fn set_setting(&mut self, typed: &str) -> Vec<Effect> {
        let (key, value) = typed.split_once(' ').unwrap_or((typed, ""));
        vec![Effect::edit(FileChange::Settings(vec![setting_change(key, value.trim())]))]
    }

    /// Opens the form of the settings at a page.
    pub(super) fn open_settings(&mut self, page: FormPage) -> Vec<Effect> {
        self.push_dialog(Editor::settings(page, self.settings.ui.clone()));
        vec![Effect::LoadSettings]
    }

    pub(super) fn settings_loaded(&mut self, result: Result<Section, Failure>) -> Vec<Effect> {
        let editor = self.settings_editor().filter(|editor| editor.form.is_none());
        match (editor, result) {
            (None, _) => vec![],
            (Some(editor), Ok(text)) => {
                editor.form = Some(SourceForm::settings(text));
                editor.show_form();
                editor.open_page(editor.first_page);
                vec![]
            }
            (Some(_), Err(why)) => {
                self.close_dialogs::<Editor>();
                self.problem(why)
            }
        }
    }

    fn settings_editor(&mut self) -> Option<&mut Editor> {
        self.dialog_mut().filter(|editor: &&mut Editor| editor.is_settings())
    }

    pub(super) fn show_theme(&mut self, name: String) {
        if name != self.palette.name()
            && let Ok(theme) = Theme::load(&name, &self.settings.themes)
        {
            self.palette = Palette::new(theme, self.palette.depth());
        }
    }

    /// Applies appearance settings: theme, characters, widths.
    pub(super) fn apply_appearance(&mut self, ui: UiSettings) {
        self.show_theme(ui.theme.clone());
        if ui.reader_width != self.settings.ui.reader_width {
            self.reader.set_column(ui.reader_width);
        }
        self.settings.ui.theme = ui.theme;
        self.settings.ui.ascii = ui.ascii;
        self.settings.ui.reader_width = ui.reader_width;
        self.settings.ui.sources_width = ui.sources_width;
        self.settings.ui.items_width = ui.items_width;
    }

    /// Applies changed settings.
    pub(super) fn adopt(&mut self, new: Settings) -> Vec<Effect> {
        let before = self.settings.clone();
        if new.themes != before.themes
            && let Ok(theme) = Theme::load(&new.ui.theme, &new.themes)
        {
            self.palette = Palette::new(theme, self.palette.depth());
        }
        self.settings.themes.clone_from(&new.themes);
        self.apply_appearance(new.ui.clone());
        if new.keys != before.keys
            && let Ok(keymap) = KeyMap::load(&new.keys)
        {
            self.keymap = keymap;
        }
        let mut effects =
            if new.views == before.views { vec![] } else { self.apply_views(&new.views) };
        let sort = new.ui.sort;
        self.settings = new;
        if sort != before.ui.sort {
            effects.extend(self.sort_as(sort));
        }
        effects
    }
}
