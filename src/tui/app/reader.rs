//! The reader pane: one article, laid out for the width it was drawn at.

use super::find::Find;
use super::keys::Motion;
use super::settings::setting;
use super::{App, Focus};
use crate::config::FileChange;
use crate::model::ItemRow;
use crate::store::Mark;
use crate::tui::effect::Effect;
use crate::tui::event::{Article, Cause, Failure, RequestId};
use crate::tui::reader::{Lines, glyphs, layout, layout_difference};
use std::collections::HashMap;
use std::sync::Arc;

/// State of the pane.
#[derive(Debug)]
pub(crate) struct ReaderPane {
    pub(crate) article: Option<Arc<Article>>,
    pub(crate) lines: Lines,
    pub(crate) top: usize,
    /// Lines on the screen, as drawn last.
    pub(crate) height: usize,
    /// Cells that the pane has for text, as drawn last.
    pub(crate) room: u16,
    /// Widest text column wanted.
    pub(crate) column: u16,
    /// Cells by which what is too wide is moved to the left.
    pub(crate) shift: usize,
    /// The line that was gone to last.
    pub(crate) pointed: Option<usize>,
    /// Whether the difference to the earlier version is shown.
    pub(crate) different: bool,
    pub(crate) find: Option<Find>,
    /// Where jumps began, as places.
    pub(super) jumps: Vec<usize>,
    /// How many characters stand before the top of the screen, whatever the width.
    pub(super) place: usize,
    /// The place as it is stored.
    kept_place: usize,
    kept_column: u16,
    laid_out: Option<Form>,
    /// Layouts of the same article that were left lately.
    spare: Vec<(Form, Lines)>,
    wanted: Option<RequestId>,
    /// Where articles were left, by row key.
    places: HashMap<i64, usize>,
}

/// What a layout depends on beside the article: the width, and whether it is of the difference.
type Form = (usize, bool);

/// Narrowest and widest text column.
const COLUMN: std::ops::RangeInclusive<u16> = 20..=400;
/// Places remembered.
const MOST_PLACES: usize = 1000;
/// Layouts of an article kept beside the one that is shown.
const MOST_SPARE: usize = 3;

impl ReaderPane {
    pub(super) fn new(column: u16) -> Self {
        let column = column.clamp(*COLUMN.start(), *COLUMN.end());
        Self {
            article: None,
            lines: Lines::default(),
            top: 0,
            height: 20,
            room: column,
            column,
            shift: 0,
            pointed: None,
            different: false,
            find: None,
            jumps: Vec::new(),
            place: 0,
            kept_place: 0,
            kept_column: column,
            laid_out: None,
            spare: Vec::new(),
            wanted: None,
            places: HashMap::new(),
        }
    }

    pub(super) fn row(&self) -> Option<&ItemRow> {
        self.article.as_ref().map(|a| &a.row)
    }

    /// Lays the article out for a width, unless it is already; keeps the place in the text.
    pub(crate) fn fit(&mut self, width: usize, height: usize, ascii: bool) {
        self.height = height.max(1);
        let form = (width, self.different);
        if self.laid_out != Some(form) {
            let spare = self.spare.iter().position(|(f, _)| *f == form);
            let lines = match spare {
                Some(at) => self.spare.swap_remove(at).1,
                None => self.lay_out(form, ascii),
            };
            let before = std::mem::replace(&mut self.lines, lines);
            if let Some(form) = self.laid_out.replace(form) {
                self.spare.truncate(MOST_SPARE - 1);
                self.spare.insert(0, (form, before));
            }
            self.pointed = None;
            self.top = match (self.different, self.lines.changes.first()) {
                (false, _) => self.line_of(self.place),
                (true, first) => first.map_or(0, |line| line.saturating_sub(self.height / 3)),
            };
            self.find_again();
        }
        self.top = self.top.min(self.last_top());
    }

    fn lay_out(&self, (width, different): Form, ascii: bool) -> Lines {
        let Some(article) = &self.article else { return Lines::default() };
        match article.difference.as_ref().filter(|_| different) {
            Some(changes) => layout_difference(changes, width, glyphs(ascii)),
            None => layout(&article.document, width, glyphs(ascii)),
        }
    }

    /// Cells of the text column, as drawn last.
    pub(super) fn width(&self) -> usize {
        self.laid_out.map_or(0, |(width, _)| width)
    }

    /// The line in which a place is.
    fn line_of(&self, place: usize) -> usize {
        let after = self.lines.lines.partition_point(|line| line.at <= place);
        if place == 0 { 0 } else { after.saturating_sub(1) }
    }

    pub(super) fn last_top(&self) -> usize {
        self.lines.lines.len().saturating_sub(self.height)
    }

    /// Puts a line at the top of the screen, or as far up as there is text to fill it.
    pub(super) fn set_top(&mut self, line: usize) {
        self.top = line.min(self.last_top());
        if !self.different {
            self.place = self.lines.lines.get(self.top).map_or(0, |line| line.at);
        }
    }

    pub(super) fn go_to_place(&mut self, place: usize) {
        self.set_top(self.line_of(place));
    }

    /// Makes a line be seen, with some lines above it, and points at it.
    pub(super) fn go_to_line(&mut self, line: usize) {
        if line < self.top || line >= self.top + self.height {
            self.set_top(line.saturating_sub(self.height / 3));
        }
        self.pointed = Some(line);
    }

    /// Takes over a text width from the settings.
    pub(super) fn set_column(&mut self, width: u16) {
        self.column = width.clamp(*COLUMN.start(), *COLUMN.end());
        self.kept_column = self.column;
    }

    /// How much has been read, in percent.
    pub(crate) fn percent(&self) -> usize {
        let seen = (self.top + self.height).min(self.lines.lines.len());
        (100 * seen).checked_div(self.lines.lines.len()).unwrap_or(100)
    }

    /// Scrolls; tells whether there was anything to scroll to.
    pub(super) fn scroll(&mut self, motion: Motion) -> bool {
        let before = self.top;
        let count = self.last_top() + 1;
        self.set_top(motion.from(self.top, self.height, count));
        self.pointed = None;
        self.top != before
    }

    /// Moves what is wider than the pane sideways; false when nothing on the screen is, or it does
    /// not go on there.
    pub(super) fn scroll_sideways(&mut self, right: bool) -> bool {
        let seen = self.lines.lines.iter().skip(self.top).take(self.height);
        let most = seen.map(|line| line.over).max().unwrap_or(0);
        let step = (self.width() / 4).max(4);
        let before = self.shift.min(most);
        self.shift = if right { (before + step).min(most) } else { before.saturating_sub(step) };
        self.shift != before
    }

    pub(super) fn show_mark(&mut self, mark: Mark, keys: &[i64], to: bool) {
        let Some(article) = self.article.as_ref().filter(|a| keys.contains(&a.row.key)) else {
            return;
        };
        let mut row = article.row.clone();
        match mark {
            Mark::Read => row.read = to,
            Mark::Pinned => row.pinned = to,
        }
        self.article = Some(Arc::new(Article { row, ..Article::clone(article) }));
    }

    fn remember_place(&mut self) {
        if let Some(key) = self.row().map(|row| row.key) {
            if self.places.len() >= MOST_PLACES {
                self.places.clear();
            }
            self.places.insert(key, self.place);
        }
    }

    /// Shows nothing, also when an article is still to come.
    fn close(&mut self) {
        self.remember_place();
        (self.article, self.wanted, self.find) = (None, None, None);
        (self.lines, self.laid_out) = (Lines::default(), None);
        (self.top, self.shift, self.different) = (0, 0, false);
        self.jumps.clear();
        self.spare.clear();
    }

    /// Shows another article, or the same one read again.
    fn show(&mut self, article: Arc<Article>) {
        let same = self.row().is_some_and(|row| row.key == article.row.key);
        if !same {
            self.remember_place();
            self.place = self.places.get(&article.row.key).copied().unwrap_or(article.position);
            self.kept_place = self.place;
            self.find = None;
            self.jumps.clear();
            self.shift = 0;
        }
        self.different = self.different && same && article.difference.is_some();
        self.article = Some(article);
        self.laid_out = None;
        self.spare.clear();
    }
}

impl App {
    /// Puts the article away; its place is kept.
    pub(super) fn close_article(&mut self) -> Vec<Effect> {
        let effects = self.keep_reading();
        self.reader.close();
        self.zen = false;
        if self.focus == Focus::Reader {
            self.focus = Focus::Items;
        }
        effects
    }

    /// Opens the selected item in the reader.
    pub(super) fn open_item(&mut self) -> Vec<Effect> {
        self.items.keep_selection();
        let Some(row) = self.items.current().cloned() else { return vec![] };
        self.focus = Focus::Reader;
        let request = self.request();
        self.reader.wanted = Some(request);
        let mut effects = vec![Effect::LoadArticle { request, key: row.key }];
        if self.settings.ui.read_on_open && !row.read {
            effects.extend(self.set_mark(Mark::Read, &[row], true, Cause::Reading));
        }
        effects
    }

    pub(super) fn article_loaded(
        &mut self,
        request: RequestId,
        result: Result<Option<Arc<Article>>, Failure>,
    ) -> Vec<Effect> {
        if self.reader.wanted != Some(request) {
            return vec![];
        }
        self.reader.wanted = None;
        let article = match result {
            Ok(Some(article)) => article,
            Ok(None) => return self.problem("this item is no longer stored"),
            Err(why) => return self.problem(why),
        };
        let effects = self.keep_reading();
        self.reader.show(article);
        effects
    }

    /// Has stored what is to be the same the next time: the place in the article, the text width.
    pub(in crate::tui) fn keep_reading(&mut self) -> Vec<Effect> {
        let mut effects = Vec::new();
        let reader = &mut self.reader;
        if let Some(item) = reader.article.as_ref().map(|a| a.row.key)
            && reader.place != reader.kept_place
        {
            reader.kept_place = reader.place;
            effects.push(Effect::KeepPlace { item, place: reader.place });
        }
        if reader.column != reader.kept_column {
            reader.kept_column = reader.column;
            let width = setting(&["ui", "reader_width"], i64::from(reader.column));
            effects.push(Effect::edit(FileChange::Settings(vec![width])));
        }
        effects
    }

    pub(super) fn scroll_reader(&mut self, motion: Motion) -> Vec<Effect> {
        let moved = self.reader.scroll(motion);
        let unread = self.keymap.keys_for(self.context(), crate::config::Action::NextUnread);
        match unread {
            Some(key) if !moved && motion == Motion::HalfPages(2) && !self.stepping() => {
                self.note(format!("the end; {key} opens the next unread item"))
            }
            _ => vec![],
        }
    }

    /// Right shows more of what is too wide; left goes back, and to the pane at the left in the end.
    pub(super) fn scroll_sideways(&mut self, right: bool) -> Vec<Effect> {
        match (self.reader.scroll_sideways(right), right) {
            (true, _) => vec![],
            (false, false) => self.leave_pane(),
            (false, true) => self.note("nothing more at the right"),
        }
    }

    /// Reads the article that is shown again.
    pub(super) fn reload_article(&mut self) -> Vec<Effect> {
        let Some(key) = self.reader.row().map(|row| row.key) else { return vec![] };
        let request = self.request();
        self.reader.wanted = Some(request);
        vec![Effect::LoadArticle { request, key }]
    }

    pub(super) fn change_width(&mut self, by: i16) -> Vec<Effect> {
        let (column, room) = (self.reader.column, self.reader.room);
        if by > 0 && column >= room {
            return self.note("the text is as wide as the pane");
        }
        let width = column.min(room).saturating_add_signed(by);
        self.reader.column = width.clamp(*COLUMN.start(), *COLUMN.end());
        self.note(format!("text width {}", self.reader.column))
    }

    /// The reader alone, or with the other panes again.
    pub(super) fn toggle_zen(&mut self) -> Vec<Effect> {
        self.zen = !self.zen;
        let opened = if self.reader.article.is_none() { self.open_item() } else { vec![] };
        self.focus = Focus::Reader;
        opened
    }

    /// The difference to the earlier version, or the article again.
    pub(super) fn toggle_difference(&mut self) -> Vec<Effect> {
        let Some(article) = &self.reader.article else { return vec![] };
        if article.difference.is_none() {
            return self.note("no earlier version of this article is known");
        }
        self.reader.different = !self.reader.different;
        self.reader.find = None;
        vec![]
    }
}
