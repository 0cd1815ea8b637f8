//! Going to a row of the sources pane by some letters of its name.

use super::{App, Dialog, Focus, RowId};
use crate::tui::effect::Effect;
use crate::tui::input::Field;
use crossterm::event::{KeyCode, KeyEvent};
use nucleo_matcher::pattern::{CaseMatching, Normalization, Pattern};
use nucleo_matcher::{Config, Matcher};

/// The list to choose from.
#[derive(Debug, Default)]
pub(crate) struct Jump {
    pub(crate) field: Field,
    pub(crate) selected: usize,
    /// Those that fit, best first.
    pub(crate) hits: Vec<Goal>,
}

/// Where one can go.
#[derive(Debug, Clone)]
pub(crate) struct Goal {
    pub(crate) id: RowId,
    pub(crate) title: String,
    /// The folder of a source, or what it is.
    pub(crate) place: String,
    /// What letters are looked for in.
    words: String,
}

impl AsRef<str> for Goal {
    fn as_ref(&self) -> &str {
        &self.words
    }
}

impl Goal {
    fn new(id: RowId, title: &str, place: &str, words: &str) -> Self {
        let words = format!("{title} {words} {place}");
        Self { id, title: title.to_owned(), place: place.to_owned(), words }
    }
}

impl App {
    pub(super) fn open_jump(&mut self) -> Vec<Effect> {
        self.dialogs.push(Dialog::Jump(Jump { hits: self.goals(""), ..Jump::default() }));
        vec![]
    }

    pub(super) fn jump_typed(&mut self) -> Vec<Effect> {
        let Some(Dialog::Jump(jump)) = self.dialogs.last() else { return vec![] };
        let hits = self.goals(jump.field.value());
        if let Some(Dialog::Jump(jump)) = self.dialogs.last_mut() {
            (jump.hits, jump.selected) = (hits, 0);
        }
        vec![]
    }

    fn goals(&self, typed: &str) -> Vec<Goal> {
        let sources = self.sources.list.sources.iter().map(|s| {
            let (id, folder) = (s.source.id.as_str(), s.source.folder.as_deref());
            Goal::new(RowId::Source(s.facts.key), s.title(), folder.unwrap_or_default(), id)
        });
        let folders = self.sources.folders().into_iter();
        let folders = folders.map(|f| Goal::new(RowId::Folder(f.clone()), &f, "folder", ""));
        let tags = self.sources.tags().into_iter();
        let tags = tags.map(|t| Goal::new(RowId::Tag(t.clone()), &t, "tag", ""));
        let rows = self.sources.rows.iter().filter_map(|row| match &row.id {
            RowId::Smart(_) => Some(Goal::new(row.id.clone(), &row.title, "", "")),
            RowId::Saved(_) => Some(Goal::new(row.id.clone(), &row.title, "saved query", "")),
            _ => None,
        });
        let all = sources.chain(folders).chain(tags).chain(rows);
        if typed.trim().is_empty() {
            return all.collect();
        }
        let pattern = Pattern::parse(typed, CaseMatching::Smart, Normalization::Smart);
        let hits = pattern.match_list(all, &mut Matcher::new(Config::DEFAULT));
        let mut hits: Vec<Goal> = hits.into_iter().map(|(goal, _)| goal).collect();
        // Who types a whole name means that.
        hits.sort_by_key(|goal| !goal.title.eq_ignore_ascii_case(typed.trim()));
        hits
    }

    pub(super) fn jump_key(&mut self, event: KeyEvent) -> Vec<Effect> {
        let Some(Dialog::Jump(jump)) = self.dialogs.last_mut() else { return vec![] };
        let last = jump.hits.len().saturating_sub(1);
        match event.code {
            KeyCode::Esc => {
                self.dialogs.pop();
            }
            KeyCode::Down | KeyCode::Tab => jump.selected = (jump.selected + 1).min(last),
            KeyCode::Up | KeyCode::BackTab => jump.selected = jump.selected.saturating_sub(1),
            KeyCode::Enter => {
                let goal = jump.hits.get(jump.selected).cloned();
                self.dialogs.pop();
                return goal.map(|goal| self.go_to_row(&goal.id)).unwrap_or_default();
            }
            _ => return self.type_into_field(event),
        }
        vec![]
    }

    /// Selects a row wherever it is, and shows its items.
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
