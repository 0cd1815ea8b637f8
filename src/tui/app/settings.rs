//! The settings: their form, and taking over what was changed while everything runs.

use super::{App, Dialog, Editor};
use crate::config::{EntryChange, FormPage, KeyMap, Settings, SettingsText, SourceForm};
use crate::config::{SettingsEdited, Theme, UiSettings, setting_change};
use crate::tui::effect::Effect;
use crate::tui::event::{Failure, NotSaved};
use crate::tui::style::Palette;
use std::collections::VecDeque;

/// One key of the settings with a new value.
pub(super) fn setting(path: &[&str], value: impl Into<toml::Value>) -> EntryChange {
    let path = path.iter().map(|key| (*key).to_owned()).collect();
    EntryChange { path, value: Some(value.into().to_string()) }
}

/// The pages of the form, by the names that the palette takes.
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

/// Saves of the settings that are not answered yet.
#[derive(Debug, Default)]
pub(super) struct Saves {
    /// Whether each is of the form, the oldest first: they are answered in their order.
    waiting: VecDeque<bool>,
    /// What held after those that are answered, where it is not taken over yet.
    held: Option<Box<Settings>>,
}

impl Saves {
    /// Counts the saves among some effects.
    pub(super) fn asked(&mut self, effects: &[Effect]) {
        self.waiting.extend(effects.iter().filter_map(|effect| match effect {
            Effect::SaveSettings { base, .. } => Some(base.is_some()),
            Effect::RevertSettings { .. } => Some(false),
            _ => None,
        }));
    }
}

impl App {
    /// Takes over what a save has made of the settings once no newer one waits: until then the interface
    /// show what newer strokes have chosen.
    pub(super) fn settings_answered(&mut self, now: Option<Box<Settings>>) -> Vec<Effect> {
        self.saves.waiting.pop_front();
        self.saves.held = now.or_else(|| self.saves.held.take());
        let last = self.saves.waiting.is_empty();
        match self.saves.held.take_if(|_| last) {
            Some(settings) => self.adopt(*settings),
            None => vec![],
        }
    }

    /// Sets a key to a value, typed with a blank between.
    pub(super) fn set_setting(&mut self, typed: &str) -> Vec<Effect> {
        let (key, value) = typed.split_once(' ').unwrap_or((typed, ""));
        vec![Effect::SaveSettings { base: None, changes: vec![setting_change(key, value.trim())] }]
    }

    /// Opens the form of the settings at one of its pages.
    pub(super) fn open_settings(&mut self, page: FormPage) -> Vec<Effect> {
        self.dialogs.push(Dialog::Edit(Editor::settings(page, self.settings.ui.clone())));
        vec![Effect::LoadSettings]
    }

    pub(super) fn settings_loaded(&mut self, result: Result<SettingsText, Failure>) -> Vec<Effect> {
        let editor = self.editor().filter(|e| e.is_settings() && e.form.is_none());
        match (editor, result) {
            (None, _) => vec![],
            (Some(editor), Ok(text)) => {
                editor.form = Some(SourceForm::settings(text));
                editor.show_form();
                editor.open_page(editor.begin);
                vec![]
            }
            (Some(_), Err(why)) => {
                self.dialogs.retain(|dialog| !matches!(dialog, Dialog::Edit(_)));
                self.problem(why)
            }
        }
    }

    pub(super) fn settings_saved(
        &mut self,
        result: Result<(SettingsEdited, Box<Settings>), NotSaved>,
    ) -> Vec<Effect> {
        let of_form = self.saves.waiting.front() == Some(&true);
        let mut effects = match result {
            Ok(_) => vec![],
            Err(_) => self.settings_answered(None),
        };
        let saving = self.editor().filter(|e| of_form && e.is_settings() && e.is_saving());
        effects.extend(match (result, saving) {
            (Ok((edited, settings)), editor) => {
                let waits = editor.and_then(|editor| editor.form.as_ref()).map(|form| {
                    let waiting = form.changed().filter(|field| field.waits());
                    waiting.map(|field| field.label.as_str()).collect::<Vec<_>>().join(", ")
                });
                let note = match waits.filter(|labels| !labels.is_empty()) {
                    Some(labels) => format!("; {labels}: from the next start"),
                    None => String::new(),
                };
                match self.editor().filter(|e| e.is_settings()) {
                    // It goes on from what holds now.
                    Some(open) if !of_form => open.set_before(settings.ui.clone()),
                    _ => self.dialogs.retain(|l| !matches!(l, Dialog::Edit(e) if e.is_settings())),
                }
                let mut effects = self.settings_answered(Some(settings));
                effects.extend(self.settings_edited(edited, &note));
                effects.extend(self.keys_saved());
                effects
            }
            (Err(NotSaved::SettingsElsewhere(keys, now)), Some(editor)) => {
                editor.not_saved();
                if let Some(form) = &mut editor.form {
                    form.rebase(*now);
                    editor.show_form();
                }
                let keys = keys.join(", ");
                self.problem(format!(
                    "{keys}: changed in the file meanwhile; C-s again puts this in its place"
                ))
            }
            (Err(why), editor) => {
                if let Some(editor) = editor {
                    editor.not_saved();
                }
                match why {
                    NotSaved::Failed(why) => self.problem(format!("not saved: {why}")),
                    _ => self.problem("not saved: changed in the file meanwhile"),
                }
            }
        });
        effects
    }

    /// Shows what the form for the settings would make of the interface.
    pub(super) fn preview(&mut self) {
        let editor = self.editor().filter(|e| e.is_settings());
        let would_be = editor.and_then(|e| e.form.as_ref()).and_then(SourceForm::would_be);
        if let Some(ui) = would_be.map(|settings| settings.ui.clone()) {
            self.apply_appearance(ui);
        }
    }

    /// Draws with another theme from here on.
    pub(super) fn show_theme(&mut self, name: String) {
        if name != self.palette.name()
            && let Ok(theme) = Theme::load(&name, &self.settings.themes)
        {
            self.palette = Palette::new(theme, self.palette.depth());
        }
    }

    /// Takes over what can be seen at once: the theme, the marks, the widths.
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

    /// Takes over changed settings.
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
        let (sort, views) = (new.ui.sort, new.views != before.views);
        self.settings = new;
        let mut effects = if sort == before.ui.sort { vec![] } else { self.sort_as(sort) };
        if views {
            effects.push(Effect::LoadSources);
        }
        effects
    }
}
