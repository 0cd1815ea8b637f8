//! Text search in the article, and stepping through the changes in a comparison of versions.

use super::ReaderPane;
use crate::tui::reader::{Haystack, Piece};
use crate::util::text;

/// A text search in the article.
#[derive(Debug)]
pub(crate) struct Find {
    pub(crate) text: String,
    /// Matches, by line.
    pub(crate) pieces: Vec<Piece>,
    /// Index of the current match.
    pub(crate) at: usize,
    /// The top line when the search began.
    from: usize,
    haystack: Haystack,
}

impl Find {
    /// Number of matches.
    pub(crate) fn count(&self) -> usize {
        self.pieces.last().map_or(0, |piece| piece.hit + 1)
    }

    fn piece(&self) -> Option<Piece> {
        self.pieces.iter().find(|piece| piece.hit == self.at).copied()
    }

    /// Selects the first match at or below a line.
    fn select_first(&mut self, line: usize) {
        let below = self.pieces.iter().find(|piece| piece.line >= line);
        self.at = below.map_or(0, |piece| piece.hit);
    }
}

impl ReaderPane {
    /// Searches for a text and goes to the first match at or below the line where the search began.
    pub(super) fn search_for(&mut self, text: &str) {
        let (from, haystack) = match self.find.take() {
            Some(find) => (find.from, find.haystack),
            None => (self.top, Haystack::new(&self.lines.lines)),
        };
        let pieces = haystack.find(text);
        let mut find = Find { text: text.to_owned(), pieces, at: 0, from, haystack };
        find.select_first(from);
        let found = find.count() > 0;
        self.find = Some(find);
        self.set_top(from);
        if found {
            self.go_to_match();
        } else {
            self.pointed = None;
        }
    }

    /// Repeats the search after the article was laid out again.
    pub(super) fn find_again(&mut self) {
        let Some(mut find) = self.find.take() else { return };
        find.haystack = Haystack::new(&self.lines.lines);
        find.pieces = find.haystack.find(&find.text);
        find.at = find.at.min(find.count().saturating_sub(1));
        find.from = self.top;
        self.pointed = find.piece().map(|piece| piece.line);
        self.find = Some(find);
    }

    pub(super) fn next_match(&mut self, forward: bool) {
        if let Some(find) = self.find.as_mut().filter(|f| !f.pieces.is_empty()) {
            let count = find.count();
            find.at = (find.at + if forward { 1 } else { count - 1 }) % count;
            self.go_to_match();
        }
    }

    fn go_to_match(&mut self) {
        let Some(piece) = self.find.as_ref().and_then(Find::piece) else { return };
        self.go_to_line(piece.line);
        let Some(line) = self.lines.lines.get(piece.line).filter(|line| line.over > 0) else {
            return;
        };
        let space = line.space(self.width());
        let content = line.text();
        let cells = |end: usize| text::width(content.get(..end).unwrap_or_default());
        // The outermost cells may hold the markers of clipped text.
        let hidden = cells(piece.from) <= self.shift.min(line.over)
            || cells(piece.to) >= self.shift.min(line.over) + space;
        if hidden {
            self.shift = cells(piece.from).saturating_sub(space / 3).min(line.over);
        }
    }

    pub(super) fn next_change(&mut self, forward: bool) {
        let changes = &self.lines.changes;
        let at = self.pointed.unwrap_or(self.top);
        let found = if forward {
            changes.iter().find(|line| **line > at || self.pointed.is_none() && **line == at)
        } else {
            changes.iter().rev().find(|line| **line < at)
        };
        let around = if forward { changes.first() } else { changes.last() };
        if let Some(line) = found.or(around).copied() {
            self.go_to_line(line);
        }
    }

    /// Ends the text search; returns whether there was one.
    pub(super) fn clear_find(&mut self) -> bool {
        let was = self.find.take().is_some();
        if was {
            self.pointed = None;
        }
        was
    }

    /// Ends the search and returns to where it began.
    pub(super) fn cancel_find(&mut self) {
        if let Some(from) = self.find.as_ref().map(|find| find.from) {
            self.clear_find();
            self.set_top(from);
        }
    }
}
