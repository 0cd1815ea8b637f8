//! Opens items in the Reader, and loads their articles.

use super::super::{App, Focus};
use super::ReaderPane;
use crate::config::MarkRead;
use crate::model::{ItemRow, Time};
use crate::store::Mark;
use crate::tui::app::items::show_mark;
use crate::tui::effect::Effect;
use crate::tui::event::{Article, Cause, Failure, RequestId};
use crate::tui::read::Read;
use chrono::TimeDelta;
use std::sync::Arc;

/// Time after which an article that is still loading replaces the one that is shown. A shorter time would
/// make the Reader flicker.
const LATE: TimeDelta = TimeDelta::milliseconds(150);

/// An article that is being loaded.
#[derive(Debug)]
pub(super) struct Loading {
    request: RequestId,
    pub(super) key: i64,
    since: Time,
    /// Marks of the item that the loaded article may not include yet, in order.
    pub(super) marks: Vec<(Mark, bool)>,
}

impl ReaderPane {
    /// The item (row key) that is about to replace the shown one.
    pub(in crate::tui::app) fn next(&self) -> Option<i64> {
        let next = self.loading.as_ref().map(|next| next.key);
        next.filter(|key| self.row().is_none_or(|row| row.key != *key))
    }
}

impl App {
    /// Requests an article, to be shown when it arrives.
    pub(in crate::tui::app) fn read_article(&mut self, key: i64) -> Effect {
        let request = self.request();
        // The reader thread may see the database as it was before these marks.
        let marks = self.history.unstored_marks(key);
        let same = self.reader.loading.as_ref().filter(|loading| loading.key == key);
        let since = same.map_or(self.now, |loading| loading.since);
        self.reader.loading = Some(Loading { request, key, since, marks });
        Effect::Read(Read::Article { request, key })
    }

    /// The item that the Reader shows, or is about to show; `None` if the row of the item is not in memory.
    pub(in crate::tui::app) fn read_item(&self) -> Option<&ItemRow> {
        let Some(next) = self.reader.next() else { return self.reader.row() };
        let mut rows = self.items.rows.iter().chain(&self.items.kept);
        rows.find(|row| row.key == next)
    }

    /// When the item that is being opened becomes late.
    pub(in crate::tui::app) fn late_deadline(&self) -> Option<Time> {
        self.late_at().filter(|at| *at > self.now)
    }

    fn late_at(&self) -> Option<Time> {
        let loading = self.reader.loading.as_ref()?;
        let is_awaited = self.focus == Focus::Reader && self.reader.next().is_some();
        is_awaited.then(|| loading.since + LATE)
    }

    /// The item that is being opened, if loading it takes so long that the user could mistake the shown
    /// article for it.
    pub(in crate::tui) fn late_item(&self) -> Option<&ItemRow> {
        self.read_item().filter(|_| self.late_at().is_some_and(|at| at <= self.now))
    }

    /// Opens the selected item in the Reader.
    pub(in crate::tui::app) fn open_item(&mut self) -> Vec<Effect> {
        if self.items.is_loading() {
            return vec![];
        }
        let Some(row) = self.items.current().cloned() else { return vec![] };
        // If the Reader has the focus, panes that the user has shown next to this article stay visible with
        // the next one.
        self.zen |= self.settings.ui.zen && self.focus != Focus::Reader;
        self.focus = Focus::Reader;
        self.end_preview();
        // Neither the list of a source that was just added nor a list that was requested earlier may close
        // the article.
        self.sources.select_added = None;
        self.items.fitting = None;
        let mut effects = vec![self.read_article(row.key)];
        effects.extend(self.mark_opened_read(&row));
        effects
    }

    fn mark_opened_read(&mut self, row: &ItemRow) -> Vec<Effect> {
        if self.settings.ui.mark_read == MarkRead::Never || row.read {
            return vec![];
        }
        self.change_mark(Mark::Read, vec![row.key], true, Cause::Reading)
    }

    pub(in crate::tui::app) fn article_loaded(
        &mut self,
        request: RequestId,
        result: Result<Option<Arc<Article>>, Failure>,
    ) -> Vec<Effect> {
        let Some(next) = self.reader.loading.take_if(|next| next.request == request) else {
            return vec![];
        };
        self.texts.arrived(next.key);
        let mut article = match result {
            Ok(Some(article)) => article,
            Ok(None) => return self.problem("The item was not opened: it is no longer stored"),
            Err(why) => return self.problem(why),
        };
        for (mark, to) in &next.marks {
            show_mark(&mut Arc::make_mut(&mut article).row, mark, *to);
        }
        let mut effects = self.store_reading_state();
        let is_other = self.reader.row().is_none_or(|row| row.key != article.row.key);
        let jumped = self.reader.jumping_to == Some(article.row.key);
        let row = article.row.clone();
        self.reader.show(article);
        if jumped {
            effects.extend(self.mark_opened_read(&row));
        }
        if is_other {
            self.mark_opened();
        }
        effects
    }

    /// Reloads the article that is shown or about to be shown.
    pub(in crate::tui::app) fn reload_article(&mut self) -> Vec<Effect> {
        let next = self.reader.loading.as_ref().map(|next| next.key);
        let shown = || self.reader.row().map(|row| row.key);
        next.or_else(shown).map(|key| self.read_article(key)).into_iter().collect()
    }

    /// Reads the row of the item in the Reader again, in case it has changed.
    pub(in crate::tui::app) fn reread_shown_row(&self) -> Option<Effect> {
        self.reader.row().map(|row| Effect::Read(Read::Row(row.key)))
    }

    /// If the item in the Reader has changed, reloads its article. The position in the text stays.
    pub(in crate::tui::app) fn shown_row_loaded(
        &mut self,
        result: Result<Option<ItemRow>, Failure>,
    ) -> Vec<Effect> {
        let new = match result {
            Ok(Some(new)) => new,
            // The item was removed. The next attempt to open it reports this.
            Ok(None) => return vec![],
            Err(why) => return self.problem(why),
        };
        let content = |row: &ItemRow| (row.title.clone(), row.words, row.substantial);
        let shown = self.reader.row().filter(|shown| shown.key == new.key);
        if shown.is_none_or(|shown| content(shown) == content(&new)) {
            return vec![];
        }
        // A row that stays in a list of unread items is no longer reloaded together with the list.
        for row in self.items.kept.iter_mut().chain(&mut self.items.rows) {
            if row.key == new.key {
                (row.title, row.words) = (new.title.clone(), new.words);
                (row.changed, row.substantial) = (new.changed, new.substantial);
            }
        }
        self.reload_article()
    }
}
