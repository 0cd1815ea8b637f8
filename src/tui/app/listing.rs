//! Lists in the Items pane: the items of a row of the Sources pane, of a tag, or of a search.

use super::items::{Placement, midnight};
use super::{App, Focus, Row, RowId, Smart};
use crate::config::{ListLayout, SortOrder};
use crate::query::{Date, ItemState, Named, Query, What};
use crate::store::{Anchor, Scope, View};
use crate::tui::effect::Effect;

/// The content of a list in the Items pane.
#[derive(Debug, Clone)]
pub(crate) struct Listing {
    pub(crate) title: String,
    /// Scope and filters without the query.
    pub(crate) base: View,
    /// The typed query.
    pub(crate) query: String,
    /// Scope and filters, written as a query.
    pub(crate) place: Query,
    /// Layout options that differ from the settings.
    pub(crate) layout: ListLayout,
    /// Whether the list is a search, which has no row in the Sources pane.
    pub(crate) is_search: bool,
}

impl App {
    /// Lists the items of the selected row of the Sources pane.
    pub(super) fn show_selected_source(&mut self) -> Vec<Effect> {
        let Some(row) = self.sources.current().cloned() else { return vec![] };
        self.before_search = None;
        let listing = self.listing_of(&row);
        let mut effects = vec![];
        // The article of the previous list is closed, unless the Reader follows the selection and shows the
        // first item of the new list.
        let before = self.items.listed.replace(row.id);
        let other = before.is_some_and(|id| Some(&id) != self.items.listed.as_ref());
        if other && !self.reader_follows() {
            effects.extend(self.close_article());
        }
        effects.extend(self.show(listing));
        effects
    }

    pub(super) fn listing_of(&self, row: &Row) -> Listing {
        let order = self.items.order;
        let base = |scope, unread_only| View { unread_only, order, ..View::of(scope) };
        let unread_only = self.settings.ui.unread_only;
        let mut query = String::new();
        let base = match &row.id {
            RowId::Smart(Smart::Pinned) => base(Scope::Pinned, false),
            RowId::Smart(Smart::Later) => base(Scope::Later, false),
            RowId::Smart(Smart::Unread) => base(Scope::All, true),
            RowId::Smart(Smart::Today) => {
                base(Scope::Since(midnight(self.now).timestamp()), unread_only)
            }
            RowId::Smart(Smart::New) => {
                query = "is:new".to_owned();
                base(Scope::All, unread_only)
            }
            RowId::Smart(Smart::Changed) => {
                query = "is:changed".to_owned();
                base(Scope::All, false)
            }
            RowId::Smart(Smart::All) => base(Scope::All, false),
            RowId::Saved(name) => {
                let saved = self.settings.views.iter().find(|v| v.name == *name);
                query = saved.map(|v| v.query.clone()).unwrap_or_default();
                base(Scope::All, false)
            }
            RowId::Folder(folder) => {
                base(Scope::Sources(self.sources.folder_keys(folder)), unread_only)
            }
            RowId::Tags => base(Scope::Sources(self.sources.tagged_keys()), unread_only),
            RowId::Tag(tag) => base(Scope::Sources(self.sources.tag_keys(tag)), unread_only),
            RowId::Source(key) => base(Scope::Sources(vec![*key]), unread_only),
        };
        let mut place = self.place_of(row);
        if base.unread_only && !matches!(row.id, RowId::Smart(Smart::Unread)) {
            place = place.and(Query::of([What::Is(ItemState::Unread)]));
        }
        let layout = match &row.id {
            RowId::Saved(name) => self.view_named(name).map(|view| view.layout.clone()),
            _ => None,
        };
        let layout = layout.unwrap_or_default();
        Listing { title: row.title.clone(), base, query, place, layout, is_search: false }
    }

    fn place_of(&self, row: &Row) -> Query {
        let what = match &row.id {
            RowId::Smart(Smart::Pinned) => What::Is(ItemState::Pinned),
            RowId::Smart(Smart::Unread) => What::Is(ItemState::Unread),
            RowId::Smart(Smart::Later) => What::Later,
            RowId::Smart(Smart::Today) => What::After(Date::Today),
            RowId::Folder(folder) => What::Of(Named::Folder(folder.clone())),
            RowId::Tag(tag) => What::Of(Named::Tag(tag.clone())),
            RowId::Source(key) => match self.sources.entry(*key) {
                Some(entry) => What::Of(Named::Source(entry.source.id.to_string())),
                None => return Query::default(),
            },
            RowId::Smart(Smart::New | Smart::Changed | Smart::All)
            | RowId::Saved(_)
            | RowId::Tags => {
                return Query::default();
            }
        };
        Query::of([what])
    }

    /// Lists the items of sources with a tag.
    pub(super) fn show_tag(&mut self, tag: &str) -> Vec<Effect> {
        let base = View { order: self.items.order, ..View::of(Scope::All) };
        let query = format!("tag:\"{tag}\"");
        self.focus = Focus::Items;
        let (title, place, layout) = ("Tag".to_owned(), Query::default(), ListLayout::default());
        self.show(Listing { title, base, query, place, layout, is_search: false })
    }

    pub(super) fn sort(&mut self, next: bool) -> Vec<Effect> {
        let order = self.neighbour_order(next);
        self.note(format!("Order: {}", order.label()));
        self.sort_as(order)
    }

    /// The next or previous order of the list. A full-text search can also be sorted by best match. That
    /// order comes directly after the one in which the search begins.
    pub(super) fn neighbour_order(&self, next: bool) -> SortOrder {
        let mut all = SortOrder::ALL.to_vec();
        all.retain(|order| *order != SortOrder::Best);
        if self.searches_words() {
            let first = self.items.listing.layout.sort.unwrap_or(self.items.order);
            let at = all.iter().position(|order| *order == first).unwrap_or(0);
            all.insert(at + 1, SortOrder::Best);
        }
        let at = all.iter().position(|o| *o == self.items.shown_order()).unwrap_or(0);
        let step = if next { 1 } else { all.len() - 1 };
        all[(at + step) % all.len()]
    }

    /// Whether the list is a full-text search. Only its matches have a rank.
    pub(super) fn searches_words(&self) -> bool {
        View { order: SortOrder::Best, ..self.view() }.is_ranked()
    }

    /// Sorts the list. The order of a full-text search does not change the order of other lists.
    pub(super) fn sort_as(&mut self, order: SortOrder) -> Vec<Effect> {
        if order == SortOrder::Best || self.searches_words() {
            self.items.search_order = Some(order);
        } else {
            (self.items.order, self.items.search_order) = (order, None);
        }
        self.items.listing.layout.sort = None;
        self.load_items(Anchor::First, Placement::Start)
    }
}
