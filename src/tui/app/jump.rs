//! Jumping to a row of the Sources pane by typing letters of its name.

use super::dialogs::{Dialog, KeyHint, KeyHints, Reply};
use super::{App, Focus, RowId};
use crate::config::Key;
use crate::tui::effect::Effect;
use crate::tui::input::Field;
use crate::tui::view::{self, DialogArea};
use crossterm::event::{KeyCode, KeyEvent};
use nucleo_matcher::pattern::{CaseMatching, Normalization, Pattern};
use nucleo_matcher::{Config, Matcher};
use ratatui::Frame;

#[derive(Debug, Default)]
pub(crate) struct Jump {
    pub(crate) field: Field,
    pub(crate) selected: usize,
    /// Matching rows, best first.
    pub(crate) hits: Vec<JumpTarget>,
    /// Number of rows, including those that do not match.
    pub(crate) total: usize,
}

/// A row that can be jumped to.
#[derive(Debug, Clone)]
pub(crate) struct JumpTarget {
    pub(crate) id: RowId,
    pub(crate) title: String,
    /// The folder of a source, or the kind of row.
    pub(crate) place: String,
    /// The text that is matched.
    search_text: String,
}

impl AsRef<str> for JumpTarget {
    fn as_ref(&self) -> &str {
        &self.search_text
    }
}

impl JumpTarget {
    fn new(id: RowId, title: &str, place: &str, extra: &str) -> Self {
        let search_text = format!("{title} {extra} {place}");
        Self { id, title: title.to_owned(), place: place.to_owned(), search_text }
    }
}

impl Dialog for Jump {
    fn key(&mut self, app: &mut App, event: KeyEvent, _key: Key) -> Reply {
        let last = self.hits.len().saturating_sub(1);
        match event.code {
            KeyCode::Esc => return Reply::close(vec![]),
            KeyCode::Down | KeyCode::Tab => self.selected = (self.selected + 1).min(last),
            KeyCode::Up | KeyCode::BackTab => self.selected = self.selected.saturating_sub(1),
            KeyCode::Enter => {
                let Some(target) = self.hits.get(self.selected) else {
                    return app.note(format!("Nothing matches {}", self.field.value())).into();
                };
                return Reply::close(app.go_to_row(&target.id));
            }
            _ => return self.type_key(app, event),
        }
        Reply::default()
    }

    fn draw(&mut self, app: &App, frame: &mut Frame<'_>, area: DialogArea) {
        view::lists::jump(app, frame, self, area);
    }

    fn hints(&self) -> KeyHints {
        &[
            KeyHint::Key("Enter", "open"),
            KeyHint::Key("Up Down", "select"),
            KeyHint::Key("Esc", "close"),
        ]
    }

    fn field(&mut self) -> Option<&mut Field> {
        Some(&mut self.field)
    }

    fn typed(&mut self, app: &mut App) -> Vec<Effect> {
        (self.hits, self.selected) = (app.jump_targets(self.field.value()), 0);
        vec![]
    }
}

impl App {
    pub(super) fn open_jump(&mut self) -> Vec<Effect> {
        let hits = self.jump_targets("");
        self.push_dialog(Jump { total: hits.len(), hits, ..Jump::default() })
    }

    fn jump_targets(&self, typed: &str) -> Vec<JumpTarget> {
        let sources = self.sources.list.sources.iter().map(|s| {
            let (id, folder) = (s.source.id.as_str(), s.source.folder.as_deref());
            let name = self.sources.name(s, usize::MAX);
            JumpTarget::new(RowId::Source(s.facts.key), &name, folder.unwrap_or_default(), id)
        });
        let folders = self.sources.folders().into_iter();
        let folders = folders.map(|f| JumpTarget::new(RowId::Folder(f.clone()), &f, "folder", ""));
        let tags = self.sources.tags().into_iter();
        let tags = tags.map(|t| JumpTarget::new(RowId::Tag(t.clone()), &t, "tag", ""));
        let rows = self.sources.rows.iter().filter_map(|row| match &row.id {
            RowId::Smart(_) => Some(JumpTarget::new(row.id.clone(), &row.title, "", "")),
            RowId::Saved(_) => Some(JumpTarget::new(row.id.clone(), &row.title, "view", "")),
            _ => None,
        });
        let all = sources.chain(folders).chain(tags).chain(rows);
        if typed.trim().is_empty() {
            return all.collect();
        }
        let pattern = Pattern::parse(typed, CaseMatching::Smart, Normalization::Smart);
        let hits = pattern.match_list(all, &mut Matcher::new(Config::DEFAULT));
        let mut hits: Vec<JumpTarget> = hits.into_iter().map(|(target, _)| target).collect();
        // Exact matches come first.
        hits.sort_by_key(|target| !target.title.eq_ignore_ascii_case(typed.trim()));
        hits
    }

    /// Selects a row, unfolding its folder, and shows its items.
    fn go_to_row(&mut self, id: &RowId) -> Vec<Effect> {
        self.sources.reveal(id);
        self.sources.select(id);
        if self.focus == Focus::Reader {
            self.focus = Focus::Items;
        }
        self.zen = false;
        self.show_selected_source()
    }
}
