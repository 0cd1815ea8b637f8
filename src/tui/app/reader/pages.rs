//! How far the text scrolls. Keys for pages go on by a whole page, so that a page begins where the one before it
//! ended, even if the text then ends above the end of the screen.

use super::super::keys::Motion;
use super::ReaderPane;

/// Minimum number of new lines on a page that goes on below the end of the text.
const FEW: usize = 3;

impl ReaderPane {
    /// The top line if the text ends at the end of the screen.
    fn last_top(&self) -> usize {
        self.line_count().saturating_sub(self.height)
    }

    /// The lowest line that may be at the top.
    pub(super) fn lowest_top(&self) -> usize {
        self.last_top().max(self.paged_top)
    }

    /// The lowest line to which a movement may scroll.
    pub(super) fn limit(&self, motion: Motion) -> usize {
        let bottom = self.top + self.height;
        match motion {
            Motion::HalfPages(2) if bottom + FEW <= self.lines.lines.len() => bottom,
            Motion::Last => self.last_top(),
            // Scrolling down by lines never moves the last page up.
            _ => self.last_top().max(self.top),
        }
    }

    /// Keeps the text where it is if it now ends above the end of the screen.
    pub(super) fn keep_page(&mut self) {
        self.paged_top = if self.top > self.last_top() { self.top } else { 0 };
    }
}
