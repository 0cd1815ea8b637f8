//! The position in a list: moving through it, and returning to the position where the user left it.

use super::items::Placement;
use super::listing::Listing;
use super::scrolling::Held;
use super::{App, Focus};
use crate::config::SortOrder;
use crate::model::ItemRow;
use crate::store::{Anchor, Cursor};
use crate::tui::effect::Effect;
use crate::tui::view;
use std::collections::HashSet;

/// A list with its selection, for returning to it.
#[derive(Debug, Clone)]
pub(super) struct ListPosition {
    pub(super) listing: Listing,
    /// The selected row and its screen line.
    selected: Option<(ItemRow, Option<Held>)>,
    order: SortOrder,
    kept: Vec<ItemRow>,
    marked: HashSet<i64>,
    /// Number of rows around the selected one that have to be read to include all of `marked`.
    reach: usize,
    /// The displayed number of items; `None` if it is not known yet.
    count: Option<String>,
}

impl ListPosition {
    /// The rows that stay in the list although its query no longer matches them.
    pub(super) fn kept_mut(&mut self) -> impl Iterator<Item = &mut ItemRow> {
        self.kept.iter_mut()
    }

    pub(super) fn count(&self) -> Option<&str> {
        self.count.as_deref()
    }
}

impl App {
    pub(super) fn list_position(&self) -> ListPosition {
        let items = &self.items;
        let line = items.line();
        ListPosition {
            listing: items.listing.clone(),
            // While a list is loading, the current row still belongs to the previous list.
            selected: items
                .current()
                .filter(|_| !items.is_loading())
                .map(|row| (row.clone(), line)),
            order: items.order(),
            kept: items.kept.clone(),
            marked: items.marked.clone(),
            reach: items.reach(),
            count: Some(view::count_of_list(self)).filter(|count| count != "…"),
        }
    }

    /// Opens a list at the position where the user left it.
    pub(super) fn return_to(&mut self, position: ListPosition) -> Vec<Effect> {
        let ListPosition { listing, selected, order, kept, marked, reach, .. } = position;
        let Some((row, line)) = selected else { return self.show(listing) };
        let items = &mut self.items;
        (items.listing, items.kept, items.marked) = (listing, kept, marked);
        (items.seeking, items.opening) = (None, false);
        // In a different order, the row may be the last one, and the screen below it would be empty.
        let line = line.filter(|_| items.order() == order);
        let placement = Placement::Back(row.key, line);
        self.load_rows(Anchor::Around(Cursor::from(&row)), placement, reach)
    }

    /// Goes to the next row, and opens it if the Reader has the focus.
    pub(super) fn step_item(&mut self, forward: bool) -> Vec<Effect> {
        let items = &self.items;
        if items.is_loading() {
            return vec![];
        }
        let next = match (items.after_old_place(), forward) {
            (Some(after), true) => Some(after),
            (Some(after), false) => after.checked_sub(1),
            (None, true) => Some(items.selected + 1),
            (None, false) => items.selected.checked_sub(1),
        };
        let Some(next) = next.filter(|next| *next < items.rows.len()) else {
            // Shows no message if more rows are being read, or if the list is empty.
            if items.rows.is_empty() || if forward { items.more_below } else { items.more_above } {
                return vec![];
            }
            let end = if forward { "last" } else { "first" };
            return self.note(format!("This is the {end} item in the list"));
        };
        let mut effects = self.select_item(next);
        if self.focus == Focus::Reader {
            effects.extend(self.open_item());
        }
        effects
    }
}
