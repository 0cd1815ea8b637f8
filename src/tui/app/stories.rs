//! Stories in the Items pane: lists them once or with all their items, and marks them as a whole.

use super::App;
use super::items::Placement;
use crate::model::ItemRow;
use crate::store::{Anchor, Mark};
use crate::tui::effect::Effect;
use crate::tui::event::Cause;
use std::collections::HashSet;

impl App {
    /// Folds the items of a story into one, or unfolds them, until the program exits.
    pub(super) fn fold_stories(&mut self) -> Vec<Effect> {
        let fold = !self.items.folds;
        self.note(match fold {
            true => "Each story is listed once",
            false => "All items of a story are listed",
        });
        self.fold_stories_if(fold)
    }

    pub(super) fn fold_stories_if(&mut self, fold: bool) -> Vec<Effect> {
        self.items.folds = fold;
        // The number of items in the list changes.
        self.items.total = Default::default();
        // A list that is being read was requested with the earlier state.
        match self.items.is_loading() {
            true => self.load_items(Anchor::First, Placement::Start),
            false => self.reload_items(),
        }
    }

    /// The items on the screen (row keys) that a mark changes: the given ones and, with `ui.mark_stories`,
    /// the other items of their stories.
    pub(super) fn shown_with(&self, mark: &Mark, keys: &[i64], cause: Cause) -> HashSet<i64> {
        let mut shown: HashSet<i64> = keys.iter().copied().collect();
        let whole = matches!(mark, Mark::Read | Mark::Pinned)
            && matches!(cause, Cause::User | Cause::Reading)
            && self.settings.ui.mark_stories;
        if whole {
            let rows = || self.items.rows.iter().chain(self.reader.row());
            let marked = rows().filter(|row| keys.contains(&row.key));
            let stories: HashSet<i64> = marked.filter_map(|row| row.story).collect();
            let same = |row: &&ItemRow| row.story.is_some_and(|story| stories.contains(&story));
            shown.extend(rows().filter(same).map(|row| row.key));
        }
        shown
    }
}
