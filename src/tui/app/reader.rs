//! The Reader pane: one article, laid out for the pane's width at the last draw.

mod opening;
mod pages;

use super::find::{Find, SearchedText};
use super::keys::Motion;
use super::passage::{OtherTexts, Passage};
use super::pictures::Pictures;
use super::settings::setting;
use super::{App, Focus};
use crate::article::Thumbnail;
use crate::config::{FileChange, Role};
use crate::model::{ItemRow, WORDS_PER_MINUTE};
use crate::store::Mark;
use crate::tui::effect::Effect;
use crate::tui::event::Article;
use crate::tui::reader::{Haystack, Lines, Shape, glyphs, layout, layout_difference};
use opening::Loading;
use std::collections::HashMap;
use std::sync::Arc;

/// State of the pane.
#[derive(Debug)]
pub(crate) struct ReaderPane {
    pub(crate) article: Option<Arc<Article>>,
    pub(crate) lines: Lines,
    pub(crate) top: usize,
    /// The top line of a page that goes on below the end of the text; 0 if the text fills the pane.
    paged_top: usize,
    /// Number of header rows that are scrolled away; `head_rows` once any line of the text is scrolled away.
    pub(crate) head_hidden: usize,
    /// Number of header rows that can be scrolled away.
    pub(crate) head_rows: usize,
    /// Number of visible lines at the last draw.
    pub(crate) height: usize,
    /// Number of header rows that were scrolled away at the last draw.
    drawn_hidden: usize,
    /// Number of cells for text at the last draw.
    pub(crate) space: u16,
    /// Maximum width of the text column.
    pub(crate) column: u16,
    /// Horizontal scroll of wide lines, in cells.
    pub(crate) shift: usize,
    /// The line marked as the target of the last jump.
    pub(crate) pointed: Option<usize>,
    /// Whether the difference from the previous version is shown.
    pub(crate) show_difference: bool,
    /// Index of the shown difference; 0 is the newest.
    pub(crate) difference_at: usize,
    pub(crate) find: Option<Find>,
    pub(super) searched: SearchedText,
    /// The text that is searched; `None` until it is needed.
    pub(super) haystack: Option<Haystack>,
    pub(in crate::tui) pictures: Pictures,
    /// The passage at the top of the screen while another text is laid out, and whether the user requested
    /// that text.
    pub(super) passage: Option<Passage>,
    pub(super) asked_for_text: bool,
    /// The text that the last search in the article did not find, until another key is pressed.
    pub(super) missed: Option<String>,
    pub(super) texts: OtherTexts,
    /// Items (row keys) and positions from which jumps began.
    pub(super) jumps: Vec<(i64, usize)>,
    /// The item (row key) that a jump is opening.
    pub(super) jumping_to: Option<i64>,
    /// The search in the article, set aside while the difference is shown.
    pub(super) set_aside: Option<Find>,
    /// The position, as the number of characters above the top of the screen, which does not depend on the
    /// width.
    pub(super) place: usize,
    /// The position that is stored in the database.
    stored_place: usize,
    stored_column: u16,
    laid_out: Option<LayoutKey>,
    /// Recent layouts of the same article.
    spare: Vec<(LayoutKey, Lines)>,
    /// The article that is being loaded.
    loading: Option<Loading>,
    /// Last positions of articles, by row key.
    pub(super) places: HashMap<i64, usize>,
}

/// What a layout depends on besides the article: the shape, and the index of the shown difference, if any.
type LayoutKey = (Shape, Option<usize>);

/// Maximum number of lines of a heading and the empty line below it.
const MAX_HEADING: usize = 4;
/// Number of lines after the text: an empty line, and a line about the key for the next page.
const END_LINES: usize = 2;

/// Limits for the width of the text column.
pub(super) const COLUMN: std::ops::RangeInclusive<u16> = 20..=400;
/// Maximum number of remembered positions.
const MAX_PLACES: usize = 1000;
/// Maximum number of layouts that are kept besides the shown one.
const MAX_SPARE: usize = 3;

impl ReaderPane {
    pub(super) fn new(column: u16) -> Self {
        let column = column.clamp(*COLUMN.start(), *COLUMN.end());
        Self {
            article: None,
            lines: Lines::default(),
            top: 0,
            paged_top: 0,
            head_hidden: 0,
            head_rows: 0,
            height: 20,
            drawn_hidden: 0,
            space: column,
            column,
            shift: 0,
            pointed: None,
            show_difference: false,
            difference_at: 0,
            find: None,
            searched: SearchedText::default(),
            haystack: None,
            pictures: Pictures::default(),
            passage: None,
            asked_for_text: false,
            missed: None,
            texts: OtherTexts::default(),
            jumps: Vec::new(),
            jumping_to: None,
            set_aside: None,
            place: 0,
            stored_place: 0,
            stored_column: column,
            laid_out: None,
            spare: Vec::new(),
            loading: None,
            places: HashMap::new(),
        }
    }

    /// Whether the item (row key) is shown or is about to be shown.
    pub(super) fn shows(&self, key: i64) -> bool {
        let is_next = self.loading.as_ref().is_some_and(|next| next.key == key);
        is_next || self.row().is_some_and(|row| row.key == key)
    }

    pub(super) fn row(&self) -> Option<&ItemRow> {
        self.article.as_ref().map(|a| &a.row)
    }

    /// Lays out the article if necessary, and keeps the position in the text.
    pub(crate) fn fit(&mut self, shape: Shape) {
        let key = (shape, self.show_difference.then_some(self.difference_at));
        if self.laid_out != Some(key) {
            let spare = self.spare.iter().position(|(f, _)| *f == key);
            let lines = match spare {
                Some(at) => self.spare.swap_remove(at).1,
                None => self.lay_out(key),
            };
            let before = std::mem::replace(&mut self.lines, lines);
            let is_same_text = self.laid_out.is_some_and(|(_, shown)| shown == key.1);
            let is_other_text = self.laid_out.is_some() && !is_same_text;
            let began = self.find_began(&before).filter(|_| !is_other_text);
            if let Some(key) = self.laid_out.replace(key) {
                self.spare.truncate(MAX_SPARE - 1);
                self.spare.insert(0, (key, before));
            }
            // At a different width, the mark of a jump stays on the same text.
            let pointed = self.pointed.take().filter(|_| is_same_text);
            let pointed = pointed.and_then(|line| Some(self.spare.first()?.1.lines.get(line)?.at));
            self.pointed = pointed.map(|at| self.line_of(at));
            if let Some(passage) = self.passage.take_if(|_| !self.show_difference) {
                self.place = passage.position(&self.lines).unwrap_or(self.place);
                self.texts.opened_at = Some(self.place);
            }
            let hidden = self.head_hidden;
            self.put_top(match (self.show_difference, self.lines.changes.first()) {
                (false, _) => self.line_of(self.place),
                (true, first) => first.map_or(0, |line| line.saturating_sub(self.height / 3)),
            });
            let kept = Some(hidden).filter(|rows| self.top == 0 && *rows < self.head_rows);
            self.head_hidden = kept.unwrap_or(self.head_hidden);
            self.paged_top = if self.paged_top > 0 && !is_other_text { self.top } else { 0 };
            self.find_again(began);
        }
    }

    /// Sets the number of visible lines. Only on the last page may there be empty lines below the text.
    pub(crate) fn set_height(&mut self, height: usize) {
        self.height = height.max(1);
        self.drawn_hidden = self.head_hidden.min(self.head_rows);
        self.top = self.top.min(self.lowest_top());
    }

    fn lay_out(&self, (shape, difference): LayoutKey) -> Lines {
        let Some(article) = &self.article else { return Lines::default() };
        match difference.and_then(|at| article.differences.get(at)) {
            Some(difference) => {
                layout_difference(&difference.changes, shape.width, glyphs(shape.ascii))
            }
            None => {
                let pictures = self.pictures.of(&article.document);
                layout(&article.document, shape, &pictures)
            }
        }
    }

    /// A picture of an article by its URL.
    pub(in crate::tui) fn picture(&self, url: &str) -> Option<Arc<Thumbnail>> {
        self.pictures.kept(url)
    }

    /// Drops all layouts, because something in them has changed.
    pub(super) fn lay_out_again(&mut self) {
        self.laid_out = None;
        self.spare.clear();
    }

    pub(super) fn is_laid_out(&self) -> bool {
        self.laid_out.is_some()
    }

    /// Width of the text column at the last draw, in cells.
    pub(super) fn width(&self) -> usize {
        self.laid_out.map_or(0, |(shape, _)| shape.width)
    }

    /// The line that contains a position.
    pub(super) fn line_of(&self, place: usize) -> usize {
        let after = self.lines.lines.partition_point(|line| line.at <= place);
        if place == 0 { 0 } else { after.saturating_sub(1) }
    }

    /// The line with the header of a table whose body is at the top of the pane.
    pub(crate) fn table_header(&self) -> Option<usize> {
        let below = self.lines.lines.get(self.top)?.below_header;
        self.top.checked_sub(below).filter(|_| below > 0)
    }

    /// Number of lines, including those after the text.
    pub(crate) fn line_count(&self) -> usize {
        let end = if self.show_difference { 0 } else { END_LINES };
        self.lines.lines.len() + end
    }

    fn put_top(&mut self, line: usize) {
        self.top = line;
        self.head_hidden = if line > 0 { usize::MAX } else { 0 };
    }

    /// Scrolls a line to the top of the screen, or as far up as possible.
    pub(super) fn set_top(&mut self, line: usize) {
        self.put_top(line.min(self.lowest_top()));
        if !self.show_difference {
            let lines = &self.lines.lines;
            self.place = lines.get(self.top).or(lines.last()).map_or(0, |line| line.at);
        }
    }

    pub(super) fn go_to_place(&mut self, place: usize) {
        self.set_top(self.line_of(place));
    }

    /// Makes a line visible with some lines above it, and marks it.
    pub(super) fn go_to_line(&mut self, line: usize) {
        // If rows of the header come back, they cover lines.
        let covered = self.drawn_hidden.saturating_sub(self.head_hidden);
        if line < self.top || line + covered >= self.top + self.height {
            self.set_top(line.saturating_sub(self.height / 3));
        }
        self.pointed = Some(line);
    }

    /// Sets the text width from the settings.
    pub(super) fn set_column(&mut self, width: u16) {
        self.column = width.clamp(*COLUMN.start(), *COLUMN.end());
        self.stored_column = self.column;
    }

    /// Reading time of the article, in minutes; 0 if its length is unknown.
    pub(crate) fn minutes(&self) -> u32 {
        self.row().map_or(0, |row| row.words.div_ceil(WORDS_PER_MINUTE))
    }

    /// Reading time of the text below the screen, in minutes; 0 at the end of the text.
    pub(crate) fn minutes_left(&self) -> u32 {
        let words = self.row().map_or(0, |row| u64::from(row.words));
        let left = self.text_left() as u64 * words;
        let left = left.div_ceil(u64::from(WORDS_PER_MINUTE) * self.lines.solid.max(1) as u64);
        u32::try_from(left).unwrap_or(u32::MAX)
    }

    /// Scrolls the article. Returns whether the scroll position has changed.
    pub(super) fn scroll(&mut self, motion: Motion) -> bool {
        let head = self.head_rows;
        let before = self.top + self.head_hidden.min(head);
        let bottom = self.top + self.height;
        // The header is scrolled away first, row by row, so that the content moves by the requested number of
        // rows. A page includes the visible rows of the header, so that the next page begins where this one
        // ends.
        let page = self.height + head - self.head_hidden.min(head);
        let end = (self.line_count() + head).saturating_sub(page);
        let limit = self.limit(motion, before, end);
        let to = motion.from(before, page, limit + 1);
        self.paged_top = limit.saturating_sub(head);
        self.set_top(to.saturating_sub(head));
        if matches!(motion, Motion::HalfPages(1..)) {
            self.skip_empty_lines();
            self.show_start(before.saturating_sub(head));
        }
        self.head_hidden = to.min(head);
        self.paged_top = if to > end { self.top } else { 0 };
        let is_page = motion == Motion::HalfPages(2) && to != before;
        self.pointed = self.first_new(bottom).filter(|_| is_page);
        to != before
    }

    /// Whether code or a table on the screen continues to the right.
    pub(super) fn is_cut(&self) -> bool {
        let seen = self.lines.lines.iter().skip(self.top).take(self.height);
        seen.into_iter().any(|line| line.over > self.shift)
    }

    /// Scrolls back to the start of a picture or a row of a table that is cut off at the top of the screen,
    /// or to a heading right above the top, provided that the screen still moves down.
    fn show_start(&mut self, before: usize) {
        let line = self.lines.lines.get(self.top);
        let cut = line.and_then(|line| line.picture.as_ref()).map_or(0, |p| usize::from(p.row));
        // At most half of a page is repeated.
        let row = line.map_or(0, |line| line.below_row);
        let cut = cut.max(if row <= self.height / 2 { row } else { 0 });
        let cut = if cut > 0 { cut } else { self.heading_above() };
        if cut > 0 && self.top - cut.min(self.top) > before {
            self.set_top(self.top - cut);
        }
    }

    /// Number of lines up to the heading whose text begins at the top; 0 without one.
    fn heading_above(&self) -> usize {
        let above = self.lines.lines.get(..self.top).unwrap_or_default();
        let above = above.iter().rev().take(MAX_HEADING).enumerate();
        let belongs = |line: &crate::tui::reader::Line| {
            line.spans.iter().all(|s| matches!(s.role, Role::Heading | Role::Subheading))
        };
        let mut above = above.take_while(|(_, line)| line.heading.is_some() || belongs(line));
        above.find(|(_, line)| line.heading.is_some()).map_or(0, |(at, _)| at + 1)
    }

    /// Scrolls wide lines sideways; returns false if nothing on the screen is wider than the pane or if the
    /// end is reached.
    pub(super) fn scroll_sideways(&mut self, right: bool) -> bool {
        let seen = self.lines.lines.iter().skip(self.top).take(self.height);
        let limit = seen.map(|line| line.over).max().unwrap_or(0);
        let step = (self.width() / 4).max(4);
        let before = self.shift.min(limit);
        self.shift = if right { (before + step).min(limit) } else { before.saturating_sub(step) };
        self.shift != before
    }

    pub(super) fn show_mark(&mut self, mark: &Mark, keys: &[i64], to: bool) {
        if let Some(next) = self.loading.as_mut().filter(|next| keys.contains(&next.key)) {
            next.marks.push((mark.clone(), to));
        }
        let Some(article) = self.article.as_ref().filter(|a| keys.contains(&a.row.key)) else {
            return;
        };
        let mut row = article.row.clone();
        super::items::show_mark(&mut row, mark, to);
        self.article = Some(Arc::new(Article { row, ..Article::clone(article) }));
    }

    fn record_place(&mut self) {
        if let Some(key) = self.row().map(|row| row.key) {
            if self.places.len() >= MAX_PLACES {
                self.places.clear();
            }
            self.places.insert(key, self.kept_place());
        }
    }

    /// Clears the pane, and discards an article that is still loading.
    fn close(&mut self) {
        self.record_place();
        (self.article, self.loading, self.jumping_to) = (None, None, None);
        (self.find, self.set_aside) = (None, None);
        (self.searched, self.haystack) = (SearchedText::default(), None);
        (self.lines, self.laid_out) = (Lines::default(), None);
        (self.shift, self.show_difference) = (0, false);
        self.put_top(0);
        self.difference_at = 0;
        self.jumps.clear();
        self.spare.clear();
    }

    /// Shows another article, or a new state of the same one.
    fn show(&mut self, mut article: Arc<Article>) {
        let same = self.row().is_some_and(|row| row.key == article.row.key);
        if !same {
            self.record_place();
            self.place = self.places.get(&article.row.key).copied().unwrap_or(article.position);
            self.stored_place = self.place;
            (self.find, self.set_aside) = (None, None);
            self.searched = SearchedText::default();
            self.texts = OtherTexts::default();
            if self.jumping_to != Some(article.row.key) {
                self.jumps.clear();
            }
            self.jumping_to = None;
            (self.shift, self.head_hidden, self.paged_top) = (0, 0, 0);
        }
        let asked = std::mem::take(&mut self.asked_for_text);
        let before = self.article.as_ref().filter(|_| same && self.is_laid_out());
        let before = before.map(|before| before.document.clone());
        if let Some(before) = before.filter(|before| *before != article.document) {
            self.change_text(&before, &article.document, asked && self.find.is_none());
        }
        self.show_difference = self.show_difference && same && !article.differences.is_empty();
        if !self.show_difference {
            self.difference_at = 0;
        }
        self.difference_at = self.difference_at.min(article.differences.len().saturating_sub(1));
        // The number of new comments stays while the article is open, although the comments have been seen.
        if let Some(before) = self.article.as_ref().filter(|_| same) {
            let new = before.new_comments.max(article.new_comments);
            Arc::make_mut(&mut article).new_comments = new;
        }
        self.article = Some(article);
        self.lay_out_again();
    }
}

impl App {
    /// Closes the article and stores its position.
    pub(super) fn close_article(&mut self) -> Vec<Effect> {
        let effects = self.store_reading_state();
        self.reader.close();
        self.end_preview();
        self.zen = false;
        if self.focus == Focus::Reader {
            self.focus = Focus::Items;
        }
        effects
    }

    /// Stores the position in the article and the text width if they changed.
    pub(super) fn store_reading_state(&mut self) -> Vec<Effect> {
        let mut effects = Vec::new();
        let reader = &mut self.reader;
        if let Some(item) = reader.article.as_ref().map(|a| a.row.key)
            && reader.kept_place() != reader.stored_place
        {
            reader.stored_place = reader.kept_place();
            effects.push(Effect::StorePosition { item, place: reader.stored_place });
        }
        if reader.column != reader.stored_column {
            reader.stored_column = reader.column;
            let width = setting(&["ui", "reader_width"], i64::from(reader.column));
            effects.push(Effect::edit(FileChange::Settings(vec![width])));
        }
        effects
    }

    pub(super) fn scroll_reader(&mut self, motion: Motion) -> Vec<Effect> {
        // The key is not intended for the article that is about to be replaced. At the end of that article,
        // it would skip the item that is being opened.
        if self.reader.next().is_some() {
            return self.note(self.being_read());
        }
        let moved = self.reader.scroll(motion);
        let goes_on = !self.stepping() || self.reader.shows_searched();
        if moved || motion != Motion::HalfPages(2) || !goes_on {
            return vec![];
        }
        if let Some(waits) = self.wait_for_text() {
            return waits;
        }
        self.next_unread(true)
    }

    /// Scrolls the article without going on to the next item.
    pub(super) fn scroll_in_text(&mut self, motion: Motion) -> Vec<Effect> {
        if self.reader.next().is_some() {
            return self.note(self.being_read());
        }
        self.reader.scroll(motion);
        vec![]
    }

    /// Scrolls wide lines to the right, or back to the left. At the left end, moves the focus to the pane on
    /// the left.
    pub(super) fn scroll_sideways(&mut self, right: bool) -> Vec<Effect> {
        match (self.reader.scroll_sideways(right), right) {
            (true, _) => vec![],
            (false, false) => self.leave_pane(),
            (false, true) => self.note("Nothing more to the right"),
        }
    }
}
