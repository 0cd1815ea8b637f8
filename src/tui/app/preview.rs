//! The preview: the Reader shows the item that is selected in the list next to it. The item stays unread
//! until it is opened.

use super::{App, Focus};
use crate::config::MarkRead;
use crate::model::Time;
use crate::store::Mark;
use crate::tui::effect::Effect;
use crate::tui::event::Cause;
use crate::tui::view;
use chrono::TimeDelta;

/// Time without a change of the selection after which its item is shown.
const REST: TimeDelta = TimeDelta::milliseconds(100);

/// Time for which an item is shown before `ui.mark_read = "preview"` marks it read.
const READ: TimeDelta = TimeDelta::seconds(1);

/// State of the preview.
#[derive(Debug, Default)]
pub(super) struct Preview {
    /// Whether the Reader shows an item that was not opened.
    shown: bool,
    /// The item (row key) that is shown next, and when.
    next: Option<(i64, Time)>,
    /// The last requested item (row key). It is not requested again until the selection changes, even if it
    /// could not be read.
    requested: Option<i64>,
    /// The item (row key) that is to be marked read, and when.
    read: Option<(i64, Time)>,
}

impl App {
    /// Whether the Reader shows an item that was not opened.
    pub(in crate::tui) fn is_preview(&self) -> bool {
        self.preview.shown
    }

    /// Whether the Reader previews an empty list, so that an article from a different list would be
    /// misleading.
    pub(in crate::tui) fn previews_nothing(&self) -> bool {
        let follows = self.settings.ui.preview && self.focus != Focus::Reader;
        let is_empty = self.items.rows.is_empty() && !self.items.is_loading();
        (self.preview.shown || follows) && is_empty
    }

    /// Whether the Reader is next to the list and shows the selected item.
    pub(super) fn reader_follows(&self) -> bool {
        let beside =
            || view::arrangement(self, self.size.0).iter().any(|(pane, _)| *pane == Focus::Reader);
        let open = self.focus != Focus::Reader;
        // The article stays open until the search is confirmed, because Esc returns to the article.
        let open = open && !self.searches_from_reader();
        self.settings.ui.preview && open && beside()
    }

    /// Records that the item in the Reader was opened.
    pub(super) fn end_preview(&mut self) {
        self.preview = Preview::default();
    }

    /// Schedules the preview of the selected item. If the Reader gets the focus, opens the previewed item.
    pub(super) fn plan_preview(&mut self) -> Vec<Effect> {
        if self.preview.shown && self.focus == Focus::Reader {
            return self.open_item();
        }
        let shown = self.reader.row().map(|row| row.key);
        let current = self.items.current().map(|row| row.key);
        self.preview.read.take_if(|(key, _)| Some(*key) != current);
        let wanted = current.filter(|key| Some(*key) != shown);
        let Some(key) = wanted.filter(|_| self.reader_follows()) else {
            (self.preview.next, self.preview.requested) = (None, None);
            return vec![];
        };
        if self.preview.requested == Some(key) {
            return vec![];
        }
        self.preview.requested = None;
        if self.preview.next.is_none_or(|(planned, _)| planned != key) {
            self.preview.next = Some((key, self.now + REST));
        }
        vec![]
    }

    /// When the next item is shown or marked read.
    pub(super) fn preview_deadline(&self) -> Option<Time> {
        let moments = [self.preview.next, self.preview.read];
        moments.into_iter().flatten().map(|(_, at)| at).min()
    }

    /// Shows the next item, or marks the shown one read, when it is due.
    pub(super) fn preview_if_due(&mut self) -> Vec<Effect> {
        let read = self.preview.read.take_if(|(_, at)| *at <= self.now);
        let row = read.and_then(|(key, _)| self.items.current().filter(|row| row.key == key));
        if let Some(row) = row.filter(|row| !row.read).cloned() {
            return self.set_mark(Mark::Read, &[row], true, Cause::Reading);
        }
        let due = self.preview.next.take_if(|(_, at)| *at <= self.now);
        let Some((key, _)) = due else { return vec![] };
        let read = self.read_article(key);
        (self.preview.shown, self.preview.requested) = (true, Some(key));
        let marks = self.settings.ui.mark_read == MarkRead::Preview;
        self.preview.read = marks.then_some((key, self.now + READ));
        vec![read]
    }
}
