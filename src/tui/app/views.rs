//! Saved queries: saving, renaming and deleting them, and what they find.

use super::{App, PromptKind, RowId};
use crate::config::{FileChange, ViewChange, ViewSettings};
use crate::model::Time;
use crate::query::Query;
use crate::store::{Count, Scope, View};
use crate::tui::effect::Effect;
use crate::tui::event::Failure;
use chrono::TimeDelta;

/// Between two countings while commits keep coming.
const PAUSE: TimeDelta = TimeDelta::seconds(2);

/// Whether what saved queries find has to be counted again.
#[derive(Debug, Default)]
pub(super) struct Counting {
    wanted: bool,
    waiting: bool,
    not_before: Option<Time>,
}

impl Counting {
    /// When it is to go on.
    pub(super) fn deadline(&self) -> Option<Time> {
        self.not_before.filter(|_| self.wanted && !self.waiting)
    }
}

impl App {
    /// Has the saved queries counted, now or once that is due.
    pub(super) fn want_counts(&mut self) -> Vec<Effect> {
        self.counting.wanted = true;
        self.count_if_due()
    }

    pub(super) fn count_if_due(&mut self) -> Vec<Effect> {
        let counting = &self.counting;
        let due = counting.not_before.is_none_or(|t| t <= self.now);
        if !counting.wanted || counting.waiting || !due || self.settings.views.is_empty() {
            return vec![];
        }
        let view = |view: &ViewSettings| {
            let query: Query = view.query.parse().ok()?;
            // As everywhere in this column: what is unread, unless it asks for something else.
            let unread_only = !query.asks_for_marks();
            let criteria = self.criteria(&view.query);
            let view = (view.name.clone(), View { unread_only, criteria, ..View::of(Scope::All) });
            Some(view)
        };
        let views: Vec<_> = self.settings.views.iter().filter_map(view).collect();
        self.counting =
            Counting { wanted: false, waiting: true, not_before: Some(self.now + PAUSE) };
        vec![Effect::CountViews { views }]
    }

    pub(super) fn views_counted(
        &mut self,
        result: Result<Vec<(String, Count)>, Failure>,
    ) -> Vec<Effect> {
        self.counting.waiting = false;
        match result {
            Ok(counts) => {
                self.sources.set_counts(counts);
                self.count_if_due()
            }
            Err(why) => self.problem(why),
        }
    }

    /// Asks for the name under which the query of the list is saved.
    pub(super) fn save_query(&mut self) -> Vec<Effect> {
        let listing = &self.items.listing;
        let typed = match listing.query.parse::<Query>() {
            Ok(query) => query,
            Err(e) => return self.problem(format!("not saved: {e}")),
        };
        let name = if typed.is_empty() { listing.title.clone() } else { typed.to_string() };
        let query = listing.place.clone().and(typed);
        if query.is_empty() {
            return self.note("nothing narrows this list; search or filter it first");
        }
        self.ask(PromptKind::SaveView { query: query.to_string() }, &name)
    }

    pub(super) fn saved_view(&self) -> Option<&ViewSettings> {
        match self.sources.current().map(|row| &row.id) {
            Some(RowId::Saved(name)) => self.view_named(name),
            _ => None,
        }
    }

    fn view_named(&self, name: &str) -> Option<&ViewSettings> {
        self.settings.views.iter().find(|view| view.name == *name)
    }

    /// Saves a query under a name, in the place of another one of that name.
    pub(super) fn save_view(&mut self, name: String, query: String) -> Vec<Effect> {
        let was = self.view_named(&name).cloned();
        change(was, Some(ViewSettings { name, query }))
    }

    pub(super) fn rename_view(&mut self, old: &str, name: String) -> Vec<Effect> {
        let Some(was) = self.view_named(old).cloned() else { return vec![] };
        let query = was.query.clone();
        change(Some(was), Some(ViewSettings { name, query }))
    }

    pub(super) fn change_view_query(&mut self, name: &str, query: String) -> Vec<Effect> {
        let Some(was) = self.view_named(name).cloned() else { return vec![] };
        let name = was.name.clone();
        change(Some(was), Some(ViewSettings { name, query }))
    }

    pub(super) fn delete_view(&mut self) -> Vec<Effect> {
        change(self.saved_view().cloned(), None)
    }

    /// Takes over what is saved now.
    pub(super) fn take_views(&mut self, views: &[ViewSettings]) -> Vec<Effect> {
        let before = self.sources.current().map(|row| row.id.clone());
        let shown = self.saved_view().cloned();
        self.settings.views = views.to_vec();
        self.sources.set_views(views);
        let row = self.sources.current().map(|row| row.id.clone());
        let mut effects = self.want_counts();
        if row != before || self.saved_view() != shown.as_ref() {
            effects.extend(self.show_selected_source());
        }
        effects
    }
}

fn change(was: Option<ViewSettings>, now: Option<ViewSettings>) -> Vec<Effect> {
    if was == now {
        return vec![];
    }
    vec![Effect::edit(FileChange::Views(vec![ViewChange { was, now }]))]
}
