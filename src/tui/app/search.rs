//! Search and filter: a line at the bottom, and a list that narrows as one types.

use super::items::Listing;
use super::{App, Focus, Layer};
use crate::store::{Scope, View};
use crate::tui::effect::Effect;
use crate::tui::input::Field;

/// The line that is being typed.
#[derive(Debug, Clone)]
pub(crate) struct SearchBar {
    pub(crate) field: Field,
    /// A filter narrows the current list, a search looks through everything.
    pub(crate) is_filter: bool,
    /// What was listed before, for Esc.
    before: Listing,
    focus: Focus,
}

impl App {
    pub(super) fn open_search(&mut self, is_filter: bool) -> Vec<Effect> {
        let now = &self.items.listing;
        // Going on with a search shows what it was.
        let text = if is_filter || self.is_search() { now.query.clone() } else { String::new() };
        let bar = SearchBar {
            field: Field::new(&text),
            is_filter,
            before: now.clone(),
            focus: self.focus,
        };
        self.focus = Focus::Items;
        self.zen = false;
        self.layers.push(Layer::Search(bar));
        vec![]
    }

    pub(crate) fn is_search(&self) -> bool {
        self.items.listing.title == SEARCH && self.items.listing.base.scope == Scope::All
    }

    /// Lists what the line says so far.
    pub(super) fn search_changed(&mut self) -> Vec<Effect> {
        let Some(Layer::Search(bar)) = self.layers.last() else { return vec![] };
        let query = bar.field.value().to_owned();
        let listing = if bar.is_filter {
            Listing { query, ..bar.before.clone() }
        } else {
            let base = View { order: self.items.order(), ..View::of(Scope::All) };
            Listing { title: SEARCH.to_owned(), base, query }
        };
        self.show(listing)
    }

    /// Esc: back to what was listed before.
    pub(super) fn search_cancelled(&mut self, bar: SearchBar) -> Vec<Effect> {
        self.focus = bar.focus;
        self.show(bar.before)
    }

    /// Enter: the narrowed list stays.
    pub(super) fn search_confirmed(&mut self, bar: &SearchBar) -> Vec<Effect> {
        if bar.field.value().trim().is_empty() && !bar.is_filter {
            return self.search_cancelled(bar.clone());
        }
        vec![]
    }

    /// Whether a search or a filter narrows the list, which going back then ends.
    pub(super) fn leave_search(&self) -> bool {
        self.is_search() || !self.items.listing.query.is_empty()
    }
}

/// The name of a list that is a search.
pub(crate) const SEARCH: &str = "Search";
