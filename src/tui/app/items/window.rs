//! Windows of the list: which rows are read, and where the selection goes when they arrive.

use super::super::scrolling::Held;
use super::super::triage::Extent;
use super::super::{App, Focus};
use super::ItemsPane;
use super::total::Total;
use crate::model::ItemRow;
use crate::store::{Anchor, Cursor, Window};
use crate::tui::effect::Effect;
use crate::tui::event::{Failure, RequestId};
use crate::tui::read::Read;
use crate::tui::view::Series;
use crate::util::text::counted;
use std::collections::{HashMap, HashSet};

/// Where the selection goes when a window arrives.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::tui::app) enum Placement {
    /// A new list. The first row is selected.
    Start,
    End,
    /// The list continues: rows are added below or above.
    Below,
    Above,
    /// The same window was read again.
    Same,
    /// The selection returns to a row (row key) on its previous screen line.
    Back(i64, Option<Held>),
    /// The same window and more rows were read, in order to select them.
    Selecting(Extent),
}

impl Placement {
    /// Whether the rows in memory belong to another list, or to another part of the list.
    pub(super) fn is_another(self) -> bool {
        matches!(self, Self::Start | Self::End | Self::Back(..))
    }
}

/// Maximum number of rows kept in memory; the rows farthest from the cursor and the selection are dropped
/// first.
pub(super) const MAX_ROWS: usize = 2000;

impl ItemsPane {
    /// Whether the rows in memory are about to be replaced by those of a different list.
    pub(crate) fn is_loading(&self) -> bool {
        self.loading.is_some_and(|(_, placement)| placement.is_another())
    }

    /// Whether the rows in memory are up to date.
    pub(in crate::tui::app) fn is_settled(&self) -> bool {
        self.loading.is_none() && !self.outdated
    }

    /// Whether rows are being read in order to select them.
    pub(in crate::tui::app) fn is_selecting(&self) -> bool {
        matches!(self.loading, Some((_, Placement::Selecting(_))))
    }

    /// Whether a key cannot act yet, because the rows that it applies to are still being loaded.
    pub(in crate::tui::app) fn awaits_rows(&self) -> bool {
        self.is_loading() || self.is_selecting()
    }

    fn page(&self) -> usize {
        (self.height * 3).max(60)
    }

    /// Number of rows on each side of the cursor that are reloaded, so that all selected items stay in memory
    /// even if new items arrive between them.
    pub(in crate::tui::app) fn reach(&self) -> usize {
        let rows = self.rows.iter().enumerate();
        let selected = rows.filter(|(_, row)| self.marked.contains(&row.key));
        let farthest = selected.map(|(i, _)| i.abs_diff(self.selected)).max();
        farthest.map_or(0, |far| far + self.page()).max(self.page()).min(MAX_ROWS)
    }

    /// Whether a position is above or below the rows in memory, in a part of the list that was not read.
    fn is_beyond(&self, at: &Cursor) -> bool {
        let view = &self.rows_of;
        let above = self.rows.first().is_some_and(|row| view.compare(at, &row.into()).is_le());
        let below = self.rows.last().is_some_and(|row| view.compare(at, &row.into()).is_ge());
        above && self.more_above || below && self.more_below
    }

    /// Puts kept rows, which were read or opened in the meantime, back into their positions.
    fn merge_kept(&mut self) {
        for row in &self.kept {
            let at = Cursor::from(row);
            if !self.rows.iter().any(|r| r.key == row.key) && !self.is_beyond(&at) {
                let view = &self.rows_of;
                let i = self.rows.partition_point(|r| view.compare(&r.into(), &at).is_lt());
                self.rows.insert(i, row.clone());
            }
        }
    }

    /// Keeps the order of the best matches. Their ranks depend on all texts in the index, so each new text
    /// would change the order while the user goes through the list.
    fn keep_ranks(&mut self, before: &[ItemRow]) {
        let view = &self.rows_of;
        if !view.is_ranked() {
            return;
        }
        let ranks: HashMap<i64, i64> = before.iter().map(|row| (row.key, row.rank)).collect();
        for row in &mut self.rows {
            row.rank = ranks.get(&row.key).copied().unwrap_or(row.rank);
        }
        self.rows.sort_by(|a, b| view.compare(&a.into(), &b.into()));
    }

    fn drop_far_rows(&mut self) {
        let count = self.rows.len();
        if count <= MAX_ROWS {
            return;
        }
        let mut start = self.selected.saturating_sub(MAX_ROWS / 2);
        // Keeps all selected items if possible.
        let stays = |i: &usize| *i == self.selected || self.marked.contains(&self.rows[*i].key);
        if let (Some(first), Some(last)) = ((0..count).find(stays), (0..count).rfind(stays))
            && last - first < MAX_ROWS
        {
            start = start.clamp((last + 1).saturating_sub(MAX_ROWS), first);
        }
        let start = start.min(count - MAX_ROWS);
        self.more_above |= start > 0;
        self.more_below |= start + MAX_ROWS < count;
        self.rows.truncate(start + MAX_ROWS);
        self.rows.drain(..start);
        self.selected -= start;
        self.scroll = self.scroll.saturating_sub(start);
    }

    /// Inserts the rows of a window.
    fn place(&mut self, placement: Placement, window: Window) {
        self.cut = window.cut;
        if placement.is_another() {
            self.wraps = None;
        }
        match placement {
            Placement::Start | Placement::End => {
                (self.more_above, self.more_below) = (window.more_above, window.more_below);
                self.rows = window.rows;
                self.selected = match placement {
                    Placement::End => self.rows.len().saturating_sub(1),
                    _ => 0,
                };
                self.scroll = self.selected;
                self.held = None;
            }
            Placement::Below => {
                self.rows.extend(window.rows);
                self.more_below = window.more_below;
            }
            Placement::Above => {
                let added = window.rows.len();
                self.rows.splice(0..0, window.rows);
                self.more_above = window.more_above;
                self.selected += added;
                self.scroll += added;
            }
            Placement::Same | Placement::Selecting(_) => self.place_on_same(window),
            Placement::Back(key, line) => {
                (self.more_above, self.more_below) = (window.more_above, window.more_below);
                self.rows = window.rows;
                self.merge_kept();
                let found = self.rows.iter().position(|row| row.key == key);
                self.selected = found.unwrap_or(0);
                self.held = line.filter(|_| found.is_some());
            }
        }
        self.drop_far_rows();
        self.series = Series::of(&self.rows);
    }

    /// Keeps the selected item on its screen line, unless it was the first one before new items arrived. In
    /// that case, the new items above it are shown.
    fn place_on_same(&mut self, window: Window) {
        let before = self.current().map(|r| r.key);
        let is_first = self.selected == 0 || before.is_some() && self.was_first == before;
        let at_top = is_first && !self.more_above;
        self.was_first = before.filter(|_| at_top);
        let line = self.line();
        let index = self.selected;
        (self.more_above, self.more_below) = (window.more_above, window.more_below);
        let before_rows = std::mem::replace(&mut self.rows, window.rows);
        self.keep_ranks(&before_rows);
        self.merge_kept();
        let place = |key: i64| self.rows.iter().position(|row| row.key == key);
        let restored = self.restored.and_then(place);
        if restored.is_some() {
            (self.restored, self.keeps_scroll) = (None, true);
        }
        let place = |key: i64| self.rows.iter().position(|row| row.key == key);
        let same = restored.or_else(|| before.and_then(place));
        self.selected = same.unwrap_or(index).min(self.rows.len().saturating_sub(1));
        let keeps_scroll = std::mem::take(&mut self.keeps_scroll);
        self.held = line.filter(|_| !at_top && !keeps_scroll && same.is_some());
    }

    /// Row keys and positions of the selected items in memory.
    fn selected_positions(&self) -> Vec<(i64, Cursor)> {
        let selected = self.rows.iter().filter(|row| self.marked.contains(&row.key));
        selected.map(|row| (row.key, row.into())).collect()
    }

    /// Deselects items that are no longer in memory. Returns the number of those that are still in the list,
    /// but too far away.
    fn drop_selected(&mut self, before: &[(i64, Cursor)]) -> usize {
        let known: HashSet<i64> = self.rows.iter().map(|row| row.key).collect();
        self.marked.retain(|key| known.contains(key));
        before.iter().filter(|(key, at)| !known.contains(key) && self.is_beyond(at)).count()
    }

    /// Removes all rows, because the rows of the list could not be read.
    fn clear(&mut self) {
        self.rows.clear();
        self.marked.clear();
        self.series = Series::default();
        (self.more_above, self.more_below, self.cut) = (false, false, false);
        (self.selected, self.scroll, self.held) = (0, 0, None);
    }
}

impl App {
    pub(in crate::tui::app) fn load_items(
        &mut self,
        anchor: Anchor,
        placement: Placement,
    ) -> Vec<Effect> {
        let items = &self.items;
        let size = match placement {
            Placement::Same => items.reach().max(items.selected.min(MAX_ROWS / 2)),
            Placement::Selecting(_) => MAX_ROWS / 2,
            _ => items.page(),
        };
        self.load_rows(anchor, placement, size)
    }

    /// Reads `size` rows at an anchor, or twice as many around it.
    pub(in crate::tui::app) fn load_rows(
        &mut self,
        anchor: Anchor,
        placement: Placement,
        size: usize,
    ) -> Vec<Effect> {
        let request = self.request();
        self.items.loading = Some((request, placement));
        if placement.is_another() {
            self.items.total = Total::default();
        }
        // If rows are only added, the rows in memory remain outdated.
        self.items.outdated &= matches!(placement, Placement::Below | Placement::Above);
        self.items.rows_of = self.view();
        let view = Box::new(self.items.rows_of.clone());
        vec![Effect::Read(Read::Window { request, view, anchor, size })]
    }

    /// Reloads the rows around the cursor, which stays on its item.
    pub(in crate::tui::app) fn reload_items(&mut self) -> Vec<Effect> {
        if self.items.loading.is_some_and(|(_, placement)| placement != Placement::Same) {
            self.items.outdated = true;
            return vec![];
        }
        match self.items.current().map(Cursor::from) {
            Some(at) => self.load_items(Anchor::Around(at), Placement::Same),
            None => self.load_items(Anchor::First, Placement::Start),
        }
    }

    pub(in crate::tui::app) fn window_loaded(
        &mut self,
        request: RequestId,
        result: Result<Window, Failure>,
    ) -> Vec<Effect> {
        let placement = match self.items.loading {
            Some((expected, placement)) if expected == request => placement,
            _ => return vec![],
        };
        self.items.loading = None;
        let mut effects = match result {
            Ok(window) => {
                let mut effects = self.rows_arrived(placement, window);
                effects.extend(self.count_list(placement));
                effects.extend(self.request_failures());
                effects
            }
            Err(why) => {
                self.items.seeking = None;
                if placement.is_another() {
                    // The rows may belong to a different list.
                    self.items.clear();
                }
                self.problem(why)
            }
        };
        if self.items.outdated && self.items.loading.is_none() {
            effects.extend(self.reload_items());
        }
        effects
    }

    fn rows_arrived(&mut self, placement: Placement, window: Window) -> Vec<Effect> {
        let selected = self.items.selected_positions();
        self.items.place(placement, window);
        let far = self.items.drop_selected(&selected);
        if far > 0 {
            let (far, left) = (counted(far, "item"), self.items.marked.len());
            self.note(format!(
                "{far} deselected (too far from the current item); {left} still selected"
            ));
        }
        let opens = std::mem::take(&mut self.items.opening) && self.focus == Focus::Items;
        match (self.items.seeking.take(), placement) {
            (Some(seek), _) => self.seek_unread(seek),
            (None, Placement::Start | Placement::Back(..)) if opens => self.open_item(),
            (None, Placement::Selecting(extent)) => self.extend_selection(extent),
            _ => vec![],
        }
    }
}
