//! Text search in the article, highlighting the words of an item search, and stepping through the changes
//! between versions.

use super::{App, Focus, ReaderPane};
use crate::tui::effect::Effect;
use crate::tui::reader::{Haystack, Lines, Piece, SearchedWord};
use crate::util::text;
use std::ops::Range;

/// A text search in the article.
#[derive(Debug)]
pub(crate) struct Find {
    /// The search text; `None` for the words of the item search whose results are listed.
    pub(crate) text: Option<String>,
    /// Matches, ordered by line.
    pub(crate) pieces: Vec<Piece>,
    /// Index of the current match; `None` before the first one is selected.
    pub(crate) at: Option<usize>,
    /// The top line when the search began.
    from: usize,
    /// Whether the user has hidden the highlights of the matches.
    pub(crate) is_faded: bool,
    /// Whether the keys for the next item step through the matches.
    steps: bool,
}

/// The words of the item search whose results are listed. They are highlighted in the article.
#[derive(Debug, Default)]
pub(super) struct SearchedText {
    query: String,
    words: Vec<SearchedWord>,
    /// Whether no match is highlighted yet, because nothing is laid out or the text had no match.
    is_due: bool,
}

impl Find {
    fn new(text: Option<String>, pieces: Vec<Piece>, from: usize) -> Self {
        let steps = text.is_some();
        Self { text, pieces, at: None, from, is_faded: false, steps }
    }

    /// Number of matches.
    pub(crate) fn count(&self) -> usize {
        self.pieces.last().map_or(0, |piece| piece.hit + 1)
    }

    /// Which match is selected, such as `2 of 5`; `None` without one.
    pub(crate) fn position(&self) -> Option<String> {
        let count = self.count();
        self.at.filter(|_| count > 0).map(|at| format!("{} of {count}", at + 1))
    }

    fn piece(&self) -> Option<Piece> {
        self.pieces.iter().find(|piece| Some(piece.hit) == self.at).copied()
    }

    /// Selects the next or previous match, starting from the current one if it is on the screen, or else from
    /// the lines on the screen.
    fn step(&mut self, forward: bool, seen: &Range<usize>) {
        let count = self.count();
        let is_seen = self.piece().is_some_and(|piece| seen.contains(&piece.line));
        self.at = Some(match (self.at.filter(|_| is_seen), forward) {
            (Some(at), true) => (at + 1) % count,
            (Some(at), false) => (at + count - 1) % count,
            (None, true) => {
                let below = self.pieces.iter().find(|piece| piece.line >= seen.start);
                below.map_or(0, |piece| piece.hit)
            }
            (None, false) => {
                let above = self.pieces.iter().rfind(|piece| piece.line < seen.end);
                above.map_or(count - 1, |piece| piece.hit)
            }
        });
    }

    /// Selects the first match at or below a line.
    fn select_first(&mut self, line: usize) {
        let below = self.pieces.iter().find(|piece| piece.line >= line);
        self.at = below.or(self.pieces.first()).map(|piece| piece.hit);
    }
}

impl ReaderPane {
    /// Searches for a text and selects the first match at or below the line where the search began.
    pub(super) fn search_for(&mut self, text: &str) {
        // Only a typed search may have scrolled, so only its start position is kept.
        let typed = self.find.take().filter(|find| find.text.is_some());
        let from = typed.map_or(self.top, |find| find.from);
        let pieces = self.haystack().find(text);
        let mut find = Find::new(Some(text.to_owned()), pieces, from);
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

    /// The position in the text where the search began, in the lines of its layout.
    pub(super) fn find_began(&self, lines: &Lines) -> Option<usize> {
        self.find.as_ref().and_then(|find| lines.lines.get(find.from)).map(|line| line.at)
    }

    /// Repeats the search after the article has been laid out again. `began` is the position in the text
    /// where the search began; `None` if it is not known.
    pub(super) fn find_again(&mut self, began: Option<usize>) {
        self.haystack = None;
        let Some(mut find) = self.find.take() else { return self.show_searched() };
        find.pieces = match &find.text {
            Some(text) => self.haystack().find(text),
            None => self.find_searched(),
        };
        if find.text.is_none() && find.pieces.is_empty() {
            // The new text may have matches.
            self.searched.is_due = true;
            return;
        }
        find.at = find.at.map(|at| at.min(find.count().saturating_sub(1)));
        find.from = began.map_or(self.top, |place| self.line_of(place));
        // Hidden matches have no mark.
        if !find.is_faded {
            self.pointed = find.piece().map(|piece| piece.line);
        }
        self.find = Some(find);
    }

    fn haystack(&mut self) -> &Haystack {
        self.haystack.get_or_insert_with(|| Haystack::new(&self.lines.lines))
    }

    fn find_searched(&mut self) -> Vec<Piece> {
        let words = std::mem::take(&mut self.searched.words);
        // The list of links at the end is not part of the text.
        let solid = self.lines.solid;
        let end = self.lines.lines.partition_point(|line| line.at < solid);
        let pieces = self.haystack().find_words(&words, end);
        self.searched.words = words;
        pieces
    }

    /// Whether the matches are those of the item search whose results are listed.
    pub(crate) fn shows_searched(&self) -> bool {
        self.find.as_ref().is_some_and(|find| find.text.is_none())
    }

    /// Highlights the words of a search in the article. The scroll position stays: an article always opens
    /// where the user stopped reading.
    fn mark_words(&mut self, query: &str) {
        if self.shows_searched() {
            self.clear_find();
        }
        let words = SearchedWord::all(&query.parse().unwrap_or_default());
        let is_due = !words.is_empty();
        self.searched = SearchedText { query: query.to_owned(), words, is_due };
        if self.is_laid_out() {
            self.show_searched();
        }
    }

    /// Highlights the words of the search once the article is laid out.
    fn show_searched(&mut self) {
        if !self.searched.is_due || self.show_difference || self.find.is_some() {
            return;
        }
        let pieces = self.find_searched();
        if !pieces.is_empty() {
            self.searched.is_due = false;
            self.find = Some(Find::new(None, pieces, self.top));
        }
    }

    pub(super) fn next_match(&mut self, forward: bool) {
        let seen = self.top..self.top + self.height;
        if let Some(find) = self.find.as_mut().filter(|f| !f.pieces.is_empty()) {
            find.step(forward, &seen);
            find.is_faded = false;
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
        // The outermost cells may contain the markers of clipped text.
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

    /// Hides the highlights of a search; returns whether there were any. Going to a match of the listed
    /// search shows its highlights again.
    pub(super) fn hide_marks(&mut self) -> bool {
        match self.find.as_mut().filter(|find| find.text.is_none()) {
            Some(find) => {
                let was = !std::mem::replace(&mut find.is_faded, true);
                (find.steps, find.at) = (false, None);
                self.pointed = self.pointed.filter(|_| !was);
                was
            }
            None => self.clear_find(),
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

    /// Records the position where a typed search began in the jump list, if it is no longer on the screen.
    fn record_find(&mut self) {
        let from = self.find.as_ref().map(|find| find.from).filter(|from| *from != self.top);
        if let Some(line) = from.and_then(|from| self.lines.lines.get(from)) {
            self.record_jump(line.at);
        }
    }

    /// Ends the search and returns to the position where it began.
    pub(super) fn cancel_find(&mut self) {
        let typed = self.find.as_ref().filter(|find| find.text.is_some());
        if let Some(from) = typed.map(|find| find.from) {
            self.clear_find();
            self.set_top(from);
        }
    }
}

impl App {
    /// Highlights the words of the listed search in an article that was opened from its results.
    pub(super) fn mark_opened(&mut self) {
        let Some(key) = self.reader.row().map(|row| row.key) else { return };
        if self.items.rows.iter().any(|row| row.key == key) {
            self.reader.mark_words(&self.items.listing.query);
        }
    }

    /// Highlights the words of a changed search in the open article, unless the Reader has the focus.
    pub(super) fn mark_searched(&mut self) {
        let is_same = self.reader.searched.query == self.items.listing.query;
        let is_open = self.reader.article.is_some() && self.focus != Focus::Reader;
        if !is_same && is_open && !self.searches_from_reader() {
            self.reader.mark_words(&self.items.listing.query);
        }
    }

    /// Whether the keys for the next item step through matches or changes in the article instead.
    pub(in crate::tui) fn stepping(&self) -> bool {
        let is_entered = self.marks_matches() && !self.has_unentered_matches();
        let steps = is_entered || self.reader.show_difference;
        self.focus == Focus::Reader && steps && self.reader.next().is_none()
    }

    /// Whether the matches of a search in the article are highlighted.
    pub(super) fn marks_matches(&self) -> bool {
        self.reader.find.as_ref().is_some_and(|find| !find.is_faded)
    }

    /// Goes to the first match of the listed search in the article. From then on, the keys for the next item
    /// step through its matches.
    fn enter_matches(&mut self) -> Vec<Effect> {
        self.reader.searched.is_due = !self.reader.searched.words.is_empty();
        self.reader.show_searched();
        if let Some(find) = self.reader.find.as_mut() {
            find.steps = true;
            self.reader.next_match(true);
        }
        vec![]
    }

    /// Whether matches of the listed search are highlighted, but the keys do not step through them yet.
    pub(super) fn has_unentered_matches(&self) -> bool {
        self.marks_matches() && self.reader.find.as_ref().is_some_and(|find| !find.steps)
    }

    pub(super) fn step(&mut self, forward: bool) -> Vec<Effect> {
        if self.marks_matches() {
            self.reader.next_match(forward);
        } else {
            self.reader.next_change(forward);
        }
        vec![]
    }

    /// Closes the search field; the search stays active if it has matches.
    pub(super) fn find_confirmed(&mut self) -> Vec<Effect> {
        // Nothing was typed.
        if self.reader.shows_searched() {
            return self.enter_matches();
        }
        let missing = self.reader.find.as_ref().filter(|find| find.pieces.is_empty());
        let text = missing.and_then(|find| find.text.as_deref()).map(|text| text.trim().to_owned());
        let Some(text) = text else {
            self.reader.record_find();
            return vec![];
        };
        self.reader.cancel_find();
        // As in vim, an empty search repeats the last one.
        if text.is_empty() { self.enter_matches() } else { self.missed(text) }
    }

    /// The keys for the next match repeat the message, so that they do not leave the article.
    pub(super) fn missed(&mut self, text: String) -> Vec<Effect> {
        let effects = self.note(format!("Not found in this text: {text}"));
        self.reader.missed = Some(text);
        effects
    }

    /// Shows the difference from the previous version, or the article again.
    pub(super) fn toggle_difference(&mut self) -> Vec<Effect> {
        let Some(article) = &self.reader.article else { return vec![] };
        if article.differences.is_empty() {
            return self.note("No earlier version of this article is stored");
        }
        let reader = &mut self.reader;
        reader.show_difference = !reader.show_difference;
        (reader.difference_at, reader.shift) = (0, 0);
        let (here, aside) = (reader.find.take(), reader.set_aside.take());
        (reader.find, reader.set_aside) =
            if reader.show_difference { (None, here) } else { (aside, None) };
        vec![]
    }

    /// Shows the changes in the next older or newer version.
    pub(super) fn step_difference(&mut self, older: bool) -> Vec<Effect> {
        let count = self.reader.article.as_ref().map_or(0, |a| a.differences.len());
        if count == 0 || !self.reader.show_difference {
            // The first press shows the newest changes.
            return self.toggle_difference();
        }
        let at = self.reader.difference_at;
        let to = if older { at + 1 } else { at.wrapping_sub(1) };
        if to >= count {
            let end =
                if older { "These are the oldest changes" } else { "These are the newest changes" };
            return self.note(end);
        }
        self.reader.difference_at = to;
        self.reader.find = None;
        vec![]
    }
}
