//! How far the text scrolls. Page keys scroll by a whole page, so that a page begins where the previous one
//! ended. If the last page would be less than half full, or have only links, it is filled with lines from the
//! previous page.

use super::super::keys::Motion;
use super::ReaderPane;

/// Maximum number of lines from the previous page that need no mark below them.
const MAX_KNOWN: usize = 2;

impl ReaderPane {
    /// Begins a page below the empty lines that separate its text from the previous page.
    pub(in crate::tui::app) fn skip_empty_lines(&mut self) {
        let below = self.lines.lines.iter().skip(self.top);
        let is_empty = |line: &&crate::tui::reader::Line| {
            line.picture.is_none() && line.text().trim().is_empty()
        };
        let empty = below.take_while(is_empty).count();
        let goes_on = self.top + empty < self.lines.lines.len();
        if goes_on && empty > 0 && self.top > 0 {
            self.set_top(self.top + empty);
        }
    }

    /// The first line with text from `bottom`, where the previous page ended, if this page repeats lines from
    /// it.
    pub(super) fn first_new(&self, bottom: usize) -> Option<usize> {
        if self.top + MAX_KNOWN >= bottom {
            return None;
        }
        let below = self.lines.lines.iter().enumerate().skip(bottom);
        below.filter(|(_, line)| !line.text().trim().is_empty()).map(|(at, _)| at).next()
    }

    /// The line at the top of the screen if the text ends at the bottom of the screen.
    fn last_top(&self) -> usize {
        self.line_count().saturating_sub(self.height)
    }

    /// The lowest line that may be at the top.
    pub(super) fn lowest_top(&self) -> usize {
        self.last_top().max(self.paged_top)
    }

    /// The lowest position to which a movement from `before` may scroll. At `end`, the last line of the text
    /// is at the bottom of the screen. All positions include the rows of the header, which are scrolled away
    /// first.
    pub(super) fn limit(&self, motion: Motion, before: usize, end: usize) -> usize {
        let (bottom, lines) = (self.top + self.height, self.lines.lines.len());
        match motion {
            Motion::HalfPages(2) if bottom + self.height / 2 <= lines && self.text_left() > 0 => {
                end.max(bottom + self.head_rows)
            }
            Motion::Last => end,
            // If the last page is already below `end`, it stays there, because scrolling down must not move
            // back.
            _ => end.max(before),
        }
    }

    /// The percentage of the text above the bottom of the screen, without the list of links. It is 100 only
    /// if the rest, such as that list, is visible too.
    pub(crate) fn percent(&self) -> usize {
        let bottom = self.top + self.height;
        if bottom >= self.line_count() {
            return 100;
        }
        let solid = self.lines.solid;
        (100 * (solid - self.text_left())).checked_div(solid).unwrap_or(100).min(99)
    }

    /// The number of characters of the text below the screen, without whitespace and the list of links.
    pub(in crate::tui) fn text_left(&self) -> usize {
        let bottom = self.lines.lines.get(self.top + self.height);
        bottom.map_or(0, |line| self.lines.solid.saturating_sub(line.at))
    }
}
