//! Which items of the list are visible.

use super::ItemsPane;

impl ItemsPane {
    /// The first visible item if the selected one stays on the held line, the number of empty rows above it
    /// where an item does not fit, and whether all items fit. `None` if no line is held.
    pub(crate) fn held(
        &self,
        space: usize,
        least: usize,
        height: impl Fn(usize) -> usize,
    ) -> Option<(usize, usize, bool)> {
        let line = self.held.filter(|line| line + least <= space)?;
        let mut used = height(self.selected).saturating_sub(least);
        let fits = |i: &usize| {
            let rows = height(*i);
            let fits = used + rows <= line;
            used += if fits { rows } else { 0 };
            fits
        };
        let first = (0..self.selected).rev().take_while(fits).last().unwrap_or(self.selected);
        let above = if first == 0 { 0 } else { line.saturating_sub(used) };
        let below: usize = (self.selected + 1..self.rows.len()).map(&height).take(space).sum();
        Some((first, above, first == 0 && line + least + below <= space))
    }

    /// The first visible item if the selection is visible with some items around it, and whether all items
    /// fit. `height` returns the rows of an item, including rows above it; `least` of them are its own.
    pub(crate) fn scrolled(
        &self,
        space: usize,
        least: usize,
        height: impl Fn(usize) -> usize,
    ) -> (usize, bool) {
        let last = self.rows.len().saturating_sub(1);
        let margin = (space / least.max(1) / 6).min(3);
        // The lowest index from which all items up to `end` fit.
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
