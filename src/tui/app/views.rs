//! Saved queries: saving, renaming, deleting and counting them.

use super::{App, PromptKind, RowId};
use crate::config::{FileChange, ViewChange, ViewSettings};
use crate::model::Time;
use crate::query::Query;
use crate::store::{Count, Scope, View};
use crate::tui::effect::Effect;
use crate::tui::event::Failure;
use crate::tui::read::Read;
use chrono::TimeDelta;

/// Pause between two counts while commits keep coming.
const PAUSE: TimeDelta = TimeDelta::seconds(2);

/// Whether the results of saved queries must be counted again.
#[derive(Debug, Default)]
pub(super) struct Counting {
    requested: bool,
    waiting: bool,
    not_before: Option<Time>,
}

impl Counting {
    /// When the next count is due.
    pub(super) fn deadline(&self) -> Option<Time> {
        self.not_before.filter(|_| self.requested && !self.waiting)
    }
}

impl App {
    /// Counts the saved queries, now or when due.
    pub(super) fn request_counts(&mut self) -> Vec<Effect> {
        self.counting.requested = true;
        self.count_if_due()
    }

    pub(super) fn count_if_due(&mut self) -> Vec<Effect> {
        let counting = &self.counting;
        let due = counting.not_before.is_none_or(|t| t <= self.now);
        if !counting.requested || counting.waiting || !due || self.settings.views.is_empty() {
            return vec![];
        }
        let view = |view: &ViewSettings| {
            let query: Query = view.query.parse().ok()?;
            // Count unread items as the other rows do, unless the query asks for something else.
            let unread_only = !query.asks_for_marks();
            let criteria = self.criteria(&view.query);
            let view = (view.name.clone(), View { unread_only, criteria, ..View::of(Scope::All) });
            Some(view)
        };
        let views: Vec<_> = self.settings.views.iter().filter_map(view).collect();
        self.counting =
            Counting { requested: false, waiting: true, not_before: Some(self.now + PAUSE) };
        vec![Effect::Read(Read::Counts { left: views, done: Vec::new() })]
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

    /// Opens the prompt for the name of a new saved query.
    pub(super) fn save_query(&mut self) -> Vec<Effect> {
        let listing = &self.items.listing;
        let typed = match listing.query.parse::<Query>() {
            Ok(query) => query,
            Err(e) => return self.problem(format!("Not saved: {e}")),
        };
        let name = if typed.is_empty() { listing.title.clone() } else { typed.to_string() };
        let query = listing.place.clone().and(typed);
        if query.is_empty() {
            return self.note("Nothing to save: search or filter the list first");
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

    /// Saves a query under a name, replacing one of the same name.
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

    /// Applies changed saved queries.
    pub(super) fn apply_views(&mut self, views: &[ViewSettings]) -> Vec<Effect> {
        let before = self.sources.current().map(|row| row.id.clone());
        let shown = self.saved_view().cloned();
        self.settings.views = views.to_vec();
        self.sources.set_views(views);
        let row = self.sources.current().map(|row| row.id.clone());
        let mut effects = self.request_counts();
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
