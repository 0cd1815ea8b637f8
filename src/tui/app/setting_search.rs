//! Searches for settings on all pages of a form.

use super::Editor;
use super::choice::neighbour;
use crate::tui::input::Field;
use crossterm::event::{KeyCode, KeyEvent};

/// The search words, and the field that had the focus before the search.
#[derive(Debug)]
pub(crate) struct SettingSearch {
    pub(crate) field: Field,
    before: usize,
}

impl Editor {
    pub(super) fn start_search(&mut self) {
        self.search = Some(SettingSearch { field: Field::new(""), before: self.focus });
    }

    /// Handles a key during the search. Esc returns to the field where the search began.
    pub(super) fn search_key(&mut self, event: KeyEvent) {
        let Some(search) = &mut self.search else { return };
        match event.code {
            KeyCode::Esc => {
                self.focus = search.before;
                self.search = None;
            }
            KeyCode::Enter => self.search = None,
            KeyCode::Down | KeyCode::Tab => self.go_to_match(true),
            KeyCode::Up | KeyCode::BackTab => self.go_to_match(false),
            _ if search.field.input(event) => self.go_to_first_match(),
            _ => {}
        }
    }

    fn go_to_match(&mut self, forward: bool) {
        self.focus = neighbour(&self.matches(), &self.focus, forward).unwrap_or(self.focus);
    }

    pub(super) fn go_to_first_match(&mut self) {
        let before = self.search.as_ref().map_or(self.focus, |search| search.before);
        self.focus = self.matches().first().copied().unwrap_or(before);
    }

    /// The fields whose label, key, page and help contain all typed words. Matches in the label come first.
    pub(crate) fn matches(&self) -> Vec<usize> {
        let (Some(search), Some(form)) = (&self.search, &self.form) else { return Vec::new() };
        let typed = search.field.value().to_lowercase();
        let words: Vec<&str> = typed.split_whitespace().collect();
        if words.is_empty() {
            return Vec::new();
        }
        let has = |text: &str| {
            let text = text.to_lowercase();
            words.iter().all(|word| text.contains(word))
        };
        let (mut named, mut others) = (Vec::new(), Vec::new());
        for index in self.shown() {
            let Some(field) = form.fields().get(index) else { continue };
            let page = field.page().title();
            if has(&field.label) {
                named.push(index);
            } else if has(&format!("{} {page} {} {}", field.label, field.key(), field.help())) {
                others.push(index);
            }
        }
        named.extend(others);
        named
    }
}
