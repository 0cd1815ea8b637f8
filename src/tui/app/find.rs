//! Finding a text in the article, and stepping through the changes of a difference.

use super::{App, Focus, ReaderPane};
use crate::tui::effect::Effect;
use crate::tui::reader::{Haystack, Piece};
use crate::util::text;

/// A text looked for in the article.
#[derive(Debug)]
pub(crate) struct Find {
    pub(crate) text: String,
    /// Where it stands, by lines.
    pub(crate) pieces: Vec<Piece>,
    /// The place gone to, of all places.
    pub(crate) at: usize,
    /// The line that was at the top when the search began.
    from: usize,
    haystack: Haystack,
}

impl Find {
    /// How often the text was found.
    pub(crate) fn count(&self) -> usize {
        self.pieces.last().map_or(0, |piece| piece.hit + 1)
    }

    fn piece(&self) -> Option<Piece> {
        self.pieces.iter().find(|piece| piece.hit == self.at).copied()
    }

    /// Takes the first place at or below a line.
    fn take_first(&mut self, line: usize) {
        let below = self.pieces.iter().find(|piece| piece.line >= line);
        self.at = below.map_or(0, |piece| piece.hit);
    }
}

impl ReaderPane {
    /// Looks for a text and goes to its first place at or below where the search began.
    pub(super) fn search_for(&mut self, text: &str) {
        let (from, haystack) = match self.find.take() {
            Some(find) => (find.from, find.haystack),
            None => (self.top, Haystack::new(&self.lines.lines)),
        };
        let pieces = haystack.find(text);
        let mut find = Find { text: text.to_owned(), pieces, at: 0, from, haystack };
        find.take_first(from);
        let found = find.count() > 0;
        self.find = Some(find);
        self.set_top(from);
        if found {
            self.go_to_hit();
        } else {
            self.pointed = None;
        }
    }

    /// After the article was laid out again.
    pub(super) fn find_again(&mut self) {
        let Some(mut find) = self.find.take() else { return };
        find.haystack = Haystack::new(&self.lines.lines);
        find.pieces = find.haystack.find(&find.text);
        find.at = find.at.min(find.count().saturating_sub(1));
        find.from = self.top;
        self.pointed = find.piece().map(|piece| piece.line);
        self.find = Some(find);
    }

    pub(super) fn next_hit(&mut self, forward: bool) {
        if let Some(find) = self.find.as_mut().filter(|f| !f.pieces.is_empty()) {
            let count = find.count();
            find.at = (find.at + if forward { 1 } else { count - 1 }) % count;
            self.go_to_hit();
        }
    }

    fn go_to_hit(&mut self) {
        let Some(piece) = self.find.as_ref().and_then(Find::piece) else { return };
        self.go_to_line(piece.line);
        let Some(line) = self.lines.lines.get(piece.line).filter(|line| line.over > 0) else {
            return;
        };
        let room = self.width().saturating_sub(line.indent());
        let content = line.text();
        let cells = |end: usize| text::width(content.get(..end).unwrap_or_default());
        // The outermost cells may hold the marks of what is cut off.
        let hidden = cells(piece.from) <= self.shift.min(line.over)
            || cells(piece.to) >= self.shift.min(line.over) + room;
        if hidden {
            self.shift = cells(piece.from).saturating_sub(room / 3).min(line.over);
        }
    }

    fn next_change(&mut self, forward: bool) {
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

    /// Ends a search in the text; tells whether there was one.
    pub(super) fn clear_find(&mut self) -> bool {
        let was = self.find.take().is_some();
        if was {
            self.pointed = None;
        }
        was
    }

    /// Ends a search and goes back to where it began.
    pub(super) fn cancel_find(&mut self) {
        if let Some(from) = self.find.as_ref().map(|find| find.from) {
            self.clear_find();
            self.set_top(from);
        }
    }
}

impl App {
    /// Whether the keys for the next item step through the article instead: through the places of a
    /// text, or through changes.
    pub(in crate::tui) fn stepping(&self) -> bool {
        self.focus == Focus::Reader && (self.reader.find.is_some() || self.reader.different)
    }

    pub(super) fn step(&mut self, forward: bool) -> Vec<Effect> {
        if self.reader.find.is_some() {
            self.reader.next_hit(forward);
        } else {
            self.reader.next_change(forward);
        }
        vec![]
    }

    /// The field of a search is closed, and the search goes on if it found something.
    pub(super) fn find_confirmed(&mut self) -> Vec<Effect> {
        let missing = self.reader.find.as_ref().filter(|find| find.pieces.is_empty());
        let Some(text) = missing.map(|find| find.text.trim().to_owned()) else { return vec![] };
        self.reader.cancel_find();
        if text.is_empty() { vec![] } else { self.note(format!("not in this text: {text}")) }
    }
}
