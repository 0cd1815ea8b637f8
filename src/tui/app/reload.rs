//! Reloads the content of the screen after the database has changed.

use super::{Add, App, Focus};
use crate::model::Time;
use crate::tui::effect::Effect;
use crate::tui::event::{Failure, SourceList};
use crate::tui::read::Read;
use chrono::TimeDelta;

/// Minimum time between two reloads of the sources while commits keep arriving.
const RELOAD_PAUSE: TimeDelta = TimeDelta::milliseconds(250);

/// Whether the content of the screen may be stale, and when it can be reloaded.
#[derive(Debug, Default)]
pub(super) struct Stale {
    pub(super) changed: bool,
    pub(super) loading: bool,
    pub(super) not_before: Option<Time>,
}

impl App {
    pub(super) fn store_changed(&mut self) -> Vec<Effect> {
        self.stale.changed = true;
        self.reload_if_stale()
    }

    /// Reloads stale content, at most a few times per second, without overlapping reloads.
    pub(super) fn reload_if_stale(&mut self) -> Vec<Effect> {
        let wait = self.stale.not_before.is_some_and(|t| t > self.now);
        if !self.stale.changed || self.stale.loading || wait {
            return vec![];
        }
        self.stale =
            Stale { changed: false, loading: true, not_before: Some(self.now + RELOAD_PAUSE) };
        [Effect::Read(Read::Sources)]
            .into_iter()
            .chain(self.reread_shown_row())
            .chain(self.reload_why())
            .chain(self.reload_queue())
            .chain(self.reload_explorations())
            .collect()
    }

    /// The title of the row of the Sources pane whose items are listed.
    fn listed_title(&self) -> Option<String> {
        let listed = self.items.listed.as_ref()?;
        self.sources.rows.iter().find(|row| row.id == *listed).map(|row| row.title.clone())
    }

    pub(super) fn sources_loaded(&mut self, result: Result<SourceList, Failure>) -> Vec<Effect> {
        self.stale.loading = false;
        let list = match result {
            Ok(list) => list,
            Err(why) => return self.problem(why),
        };
        let empty = list.sources.is_empty();
        let before = self.sources.current().map(|r| r.id.clone());
        let is_titled = self.listed_title().as_ref() == Some(&self.items.listing.title);
        let added = self.sources.set(list, &self.settings.views);
        if !self.started {
            self.started = true;
            if empty {
                self.push_dialog(Add::welcome());
            }
            self.focus = if empty { Focus::Sources } else { Focus::Items };
            // The list is read first, because counting the items of views may take a long time.
            let mut effects = self.show_selected_source();
            effects.extend(self.request_counts());
            return effects;
        }
        // The source of the list may have another title now.
        if is_titled && let Some(title) = self.listed_title() {
            self.items.listing.title = title;
        }
        let mut effects = self.request_counts();
        let moved = self.sources.current().map(|r| r.id.clone()) != before;
        if moved {
            self.before_search = None;
        }
        let shown = added || moved && !self.is_search();
        effects.extend(if shown { self.show_selected_source() } else { self.reload_items() });
        effects
    }
}
