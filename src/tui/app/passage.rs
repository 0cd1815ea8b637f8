//! Finds the same passage in another text of the article, so that the user's position stays the same when the
//! full text replaces the feed's text.

use super::ReaderPane;
use crate::article::Document;
use crate::tui::reader::{Line, Lines};
use std::sync::Arc;

/// Number of lines below the top of the screen that may be used for finding the passage.
const AHEAD: usize = 40;
/// Maximum number of these lines that are searched for in the other text.
const MAX_LINES: usize = 8;
/// Minimum number of characters in a line that is searched for, without whitespace.
const MIN: usize = 12;
/// Maximum number of texts of an article whose positions are remembered.
const MAX_TEXTS: usize = 4;

/// The texts of the article that are not shown now.
#[derive(Debug, Default)]
pub(super) struct OtherTexts {
    /// The texts that were shown before, with their last positions, most recent first.
    left: Vec<(Arc<Document>, usize)>,
    /// The position at which the current text was opened in place of another one.
    pub(super) opened_at: Option<usize>,
}

/// The text at the top of the screen: the characters of its lines, without whitespace.
#[derive(Debug)]
pub(super) struct Passage {
    lines: Vec<String>,
    /// The position in a text without the passage; `None` leaves it unchanged.
    otherwise: Option<usize>,
}

impl Passage {
    /// The position of the passage in a text; `None` leaves the position unchanged.
    pub(super) fn position(&self, text: &Lines) -> Option<usize> {
        let all: String = text.lines.iter().map(solid).collect();
        let found = self.lines.iter().find_map(|line| all.find(line.as_str()));
        found.map(|at| all[..at].chars().count()).or(self.otherwise)
    }
}

impl ReaderPane {
    /// Chooses the position in another text of the article: that of the same passage, or else the position
    /// where the user left that text. With `restarts`, a text without either is shown from its start. A text
    /// that was left for the current one is shown as it was if the current one has not been scrolled.
    pub(super) fn change_text(&mut self, before: &Arc<Document>, now: &Document, restarts: bool) {
        self.shift = 0;
        let texts = &mut self.texts.left;
        let is_unmoved = self.texts.opened_at.take() == Some(self.place);
        let is_last = texts.first().is_some_and(|(text, _)| **text == *now);
        let left = texts.iter().find(|(text, _)| **text == *now).map(|(_, place)| *place);
        texts.retain(|(text, _)| text != before && **text != *now);
        texts.truncate(MAX_TEXTS - 1);
        texts.insert(0, (before.clone(), self.place));
        match left.filter(|_| is_unmoved && is_last) {
            Some(place) => (self.place, self.passage) = (place, None),
            None => {
                let restart = (restarts || self.place == 0).then_some(0);
                self.keep_passage(left.or(restart));
            }
        }
    }

    /// Records the passage at the top of the screen before another text of the article is shown.
    fn keep_passage(&mut self, otherwise: Option<usize>) {
        let seen = self.lines.lines.iter().skip(self.top).take(AHEAD).map(solid);
        let lines = match self.place {
            0 => vec![],
            _ => seen.filter(|line| line.chars().count() >= MIN).take(MAX_LINES).collect(),
        };
        self.passage = Some(Passage { lines, otherwise });
    }
}

/// The characters of a line that positions are based on.
fn solid(line: &Line) -> String {
    let spans = line.spans.iter().filter(|span| !span.mark);
    spans.flat_map(|span| span.text.chars()).filter(|c| !c.is_whitespace()).collect()
}

impl ReaderPane {
    /// The position at which the article is opened again: the start if the article was read to the end.
    pub(super) fn kept_place(&self) -> usize {
        let is_read = self.is_laid_out() && !self.show_difference && self.text_left() == 0;
        if is_read { 0 } else { self.place }
    }
}
