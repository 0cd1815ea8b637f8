//! Determines which items of the list are visible.

use super::ItemsPane;

/// The screen position that the selected item keeps when the list is reloaded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Held {
    /// The line on the screen.
    pub(crate) line: usize,
    /// Whether the start of the list was visible. If it still fits, the start stays visible, even if the
    /// selected item then moves to another line.
    pub(crate) from_start: bool,
}

impl ItemsPane {
    /// The screen position of the selected item.
    pub(super) fn line(&self) -> Option<Held> {
        let line = self.shown.iter().position(|shown| *shown == Some(self.selected))?;
        Some(Held { line, from_start: self.scroll == 0 && !self.more_above })
    }

    /// Computes the scroll position that keeps the selected item on the held line, or as near to it as whole
    /// items above allow. Returns the first visible item, whether the label of its group is shown above it,
    /// and whether all items fit; `None` if no line is held.
    pub(crate) fn held(
        &self,
        space: usize,
        least: usize,
        is_labelled: impl Fn(usize) -> bool,
        height: impl Fn(usize) -> usize,
    ) -> Option<(usize, bool, bool)> {
        let Held { line, from_start } = self.held.filter(|held| held.line + least <= space)?;
        let mut used = height(self.selected).saturating_sub(least);
        let before: usize = (0..self.selected).map(&height).take(space).sum();
        let margin = margin(space, least) * least;
        let fits_from_start = from_start && used + before + least + margin <= space;
        let limit = if fits_from_start { space } else { line };
        let fits = |i: &usize| {
            let rows = height(*i);
            let fits = used + rows <= limit;
            used += if fits { rows } else { 0 };
            fits
        };
        let mut first = (0..self.selected).rev().take_while(fits).last().unwrap_or(self.selected);
        let free = if first == 0 { 0 } else { line.saturating_sub(used) };
        let has_label = free == 1 && is_labelled(first);
        if free > 0 && !has_label {
            // Includes the next item above if this moves the selected item less than leaving it out.
            let rows = height(first - 1);
            if rows < 2 * free && used + rows + least <= space {
                (first, used) = (first - 1, used + rows);
            }
        }
        let top = used + usize::from(has_label);
        let below: usize = (self.selected + 1..self.rows.len()).map(&height).take(space).sum();
        Some((first, has_label, first == 0 && top + least + below <= space))
    }

    /// Computes the scroll position that keeps the selection visible with some items around it. Returns the
    /// first visible item, and whether all items fit. `height` returns the number of rows of an item, of
    /// which `least` are its own and the others are labels above it.
    pub(crate) fn scrolled(
        &self,
        space: usize,
        least: usize,
        height: impl Fn(usize) -> usize,
    ) -> (usize, bool) {
        let last = self.rows.len().saturating_sub(1);
        let margin = margin(space, least);
        // The lowest index such that all items from there to `end` fit.
        let from = |end: usize| {
            let mut used = height(end);
            let fits = |i: &usize| {
                used += height(*i);
                used <= space
            };
            (0..end).rev().take_while(fits).last().unwrap_or(end)
        };
        let lowest = from((self.selected + margin).min(last)).min(self.selected);
        let at_end = from(last);
        let wanted = self.scroll.min(self.selected.saturating_sub(margin)).max(lowest);
        (wanted.min(at_end), at_end == 0)
    }
}

/// Minimum number of visible items above and below the selected one.
fn margin(space: usize, least: usize) -> usize {
    (space / least.max(1) / 6).min(3)
}
