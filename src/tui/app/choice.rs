//! Form fields with few values, which are chosen instead of typed.

use super::Editor;
use super::dialogs::{KeyHint, KeyHints};
use crate::config::FormPage;
use crate::tui::input::Field;

impl Editor {
    /// Whether the page with the theme setting is open, where a gallery shows all themes.
    pub(crate) fn shows_themes(&self) -> bool {
        self.is_settings() && self.page() == FormPage::Appearance
    }

    /// The keys of the form.
    pub(super) fn form_hints(&self) -> KeyHints {
        if self.search.is_some() {
            return &[
                KeyHint::Key("Enter", "go to setting"),
                KeyHint::Key("Up Down", "other matches"),
                KeyHint::Key("Esc", "back"),
            ];
        }
        match self.page() {
            _ if self.chooses_theme() => Self::theme_hints(),
            FormPage::Selectors => &[
                KeyHint::Key("Enter", "edit on the page"),
                KeyHint::Key("C-s", "save"),
                KeyHint::Key("C-n", "next page"),
                KeyHint::Key("Esc", "close"),
            ],
            FormPage::Keys => &[
                KeyHint::Key("Enter", "change individual keys"),
                KeyHint::Key("C-s", "save"),
                KeyHint::Key("Left Right", "choose"),
                KeyHint::Key("C-n", "next page"),
                KeyHint::Key("Esc", "close"),
            ],
            _ if self.can_choose() => &[
                KeyHint::Key("C-s", "save"),
                KeyHint::Key("Left Right", "choose"),
                KeyHint::Key("Up Down", "fields"),
                KeyHint::Key("/", "find"),
                KeyHint::Key("C-n", "next page"),
                KeyHint::Key("Backspace", "default"),
                KeyHint::Key("Esc", "close"),
            ],
            _ => &[
                KeyHint::Key("C-s", "save"),
                KeyHint::Key("Up Down", "fields"),
                KeyHint::Key("C-f", "find"),
                KeyHint::Key("C-n", "next page"),
                KeyHint::Key("Esc", "close"),
            ],
        }
    }

    pub(super) fn has_choices(&self, index: usize) -> bool {
        let field = self.form.as_ref().and_then(|form| form.fields().get(index));
        field.is_some_and(|field| !field.choices().is_empty())
    }

    pub(super) fn can_choose(&self) -> bool {
        self.saving.is_none() && self.has_choices(self.focus)
    }

    /// In a field with a fixed set of values, selects the next or previous one.
    pub(super) fn next_choice(&mut self, forward: bool) {
        let field = self.form.as_ref().and_then(|form| form.fields().get(self.focus));
        let Some(field) = field else { return };
        let choices = field.choices().iter().map(String::as_str);
        let default = field.default_value();
        // An empty value selects the default if the default is not one of the choices.
        let known = field.choices().iter().any(|choice| choice == default);
        let values: Vec<&str> = (!known).then_some("").into_iter().chain(choices).collect();
        let now = match field.value().trim() {
            "" if known => default,
            now => now,
        };
        let next = neighbour(&values, &now, forward).unwrap_or("").to_owned();
        self.choose(&next);
    }

    /// Sets the focused field to one of its choices.
    pub(super) fn choose(&mut self, choice: &str) {
        let field = self.form.as_ref().and_then(|form| form.fields().get(self.focus));
        let Some(field) = field else { return };
        let default = field.default_value();
        let known = field.choices().iter().any(|choice| choice == default);
        // The default is written only if the file already has the key.
        let choice = if known && choice == default && !field.is_written() { "" } else { choice };
        self.typed[self.focus] = Field::new(choice);
    }
}

/// The element after or before `now`, wrapping around at the ends. If `now` is not in the list, the first
/// element.
pub(super) fn neighbour<T: PartialEq + Copy>(list: &[T], now: &T, forward: bool) -> Option<T> {
    let step = if forward { 1 } else { list.len().max(1) - 1 };
    let at = list.iter().position(|one| one == now);
    let next = at.map_or(0, |at| (at + step) % list.len());
    list.get(next).copied()
}
