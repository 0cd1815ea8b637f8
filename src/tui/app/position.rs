//! The place in a list: stepping through it, and returning to where it was left.

use super::items::Placement;
use super::listing::Listing;
use super::{App, Focus};
use crate::model::ItemRow;
use crate::store::{Anchor, Cursor};
use crate::tui::effect::Effect;
use std::collections::HashSet;

/// A list and the selection in it, to return to.
#[derive(Debug, Clone)]
pub(super) struct ListPosition {
    pub(super) listing: Listing,
    /// The selected row, and its line on the screen.
    selected: Option<(ItemRow, Option<usize>)>,
    kept: Vec<ItemRow>,
    marked: HashSet<i64>,
}

impl App {
    pub(super) fn list_position(&self) -> ListPosition {
        let items = &self.items;
        let line = items.shown.iter().position(|shown| *shown == Some(items.selected));
        ListPosition {
            listing: items.listing.clone(),
            selected: items.current().map(|row| (row.clone(), line)),
            kept: items.kept.clone(),
            marked: items.marked.clone(),
        }
    }

    /// Opens a list where it was left.
    pub(super) fn return_to(&mut self, position: ListPosition) -> Vec<Effect> {
        let ListPosition { listing, selected, kept, marked } = position;
        let Some((row, line)) = selected else { return self.show(listing) };
        let items = &mut self.items;
        (items.listing, items.kept, items.marked) = (listing, kept, marked);
        (items.seeking, items.opening) = (None, false);
        self.load_items(Anchor::Around(Cursor::from(&row)), Placement::Back(row.key, line))
    }

    /// Goes to the next row, and opens it in the Reader.
    pub(super) fn step_item(&mut self, forward: bool) -> Vec<Effect> {
        let at = self.items.selected;
        let next = if forward { Some(at + 1) } else { at.checked_sub(1) };
        let Some(next) = next.filter(|next| *next < self.items.rows.len()) else {
            let end = if forward { "last" } else { "first" };
            return self.note(format!("This is the {end} item of the list"));
        };
        let mut effects = self.select_item(next);
        if self.focus == Focus::Reader {
            effects.extend(self.open_item());
        }
        effects
    }
}
