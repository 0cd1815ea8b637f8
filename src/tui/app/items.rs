//! The Items pane: a window onto a list that may be a million rows long.

use super::listing::Listing;
use super::triage::Extent;
use super::{App, Focus, RowId};
use crate::config::{Grouping, ListLayout, MarkRead, SortOrder, UiSettings};
use crate::model::{ItemRow, Time};
use crate::query::{Query, State, What, resolve};
use crate::store::{Anchor, Criteria, Cursor, Mark, Scope, View, Window};
use crate::tui::effect::Effect;
use crate::tui::event::{Cause, Failure, RequestId};
use crate::tui::read::Read;
use crate::tui::view::Series;
use crate::util::clock::start_of_day;
use std::collections::HashSet;

/// State of the pane.
#[derive(Debug)]
pub(crate) struct ItemsPane {
    pub(crate) listing: Listing,
    pub(crate) rows: Vec<ItemRow>,
    /// Which of their titles begin alike.
    pub(crate) series: Series,
    pub(crate) more_above: bool,
    pub(crate) more_below: bool,
    /// The search found more items than can be shown.
    pub(crate) cut: bool,
    pub(crate) selected: usize,
    pub(crate) scroll: usize,
    /// The screen line on which the selected item stays when the list is read again.
    pub(crate) held: Option<usize>,
    /// Whether the next reload shows the same part, because the user has moved an item in the list.
    pub(super) keeps_scroll: bool,
    /// The selected item (row key), if it was the first one before others arrived.
    was_first: Option<i64>,
    /// An item that was moved to the top while it was read, and the one after its old position (row keys),
    /// where reading continues.
    pub(super) left: Option<(i64, i64)>,
    /// Number of screen rows of an item at the last draw.
    pub(crate) item_height: usize,
    /// Row keys of the selected items.
    pub(crate) marked: HashSet<i64>,
    /// The size of the pane for which it was decided whether long titles take two rows; `None` for a new list.
    pub(crate) wraps: Option<((u16, u16), bool)>,
    /// Visible items at the last draw.
    pub(crate) height: usize,
    /// The items at the rows of the screen, for the mouse.
    pub(crate) shown: Vec<Option<usize>>,
    pub(super) order: SortOrder,
    /// The view, with its order, of the rows that were read last.
    pub(super) rows_of: View,
    /// Whether stories are listed once.
    pub(crate) folds: bool,
    /// The row of the Sources pane whose items are listed.
    pub(super) listed: Option<RowId>,
    /// Rows that stay in a list of unread items after they were read.
    pub(super) kept: Vec<ItemRow>,
    loading: Option<(RequestId, Placement)>,
    /// The pending request for the best unread items.
    pub(super) fitting: Option<RequestId>,
    /// The unread row to go to once the rows that are being read have arrived.
    pub(super) seeking: Option<Seek>,
    /// Whether the first row is opened once the list that is being read has arrived.
    pub(super) opening: bool,
}

/// Which unread row to go to.
#[derive(Debug, Clone, Copy)]
pub(super) struct Seek {
    pub(super) forward: bool,
    /// Whether the selected row counts too, because it is the first one of a new list.
    pub(super) here: bool,
    /// Whether the row is opened.
    pub(super) open: bool,
}

/// Where the selection goes when a window arrives.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Placement {
    /// A new list: the first row.
    Start,
    End,
    /// The list continues: rows are added below or above.
    Below,
    Above,
    /// The same part was read again.
    Same,
    /// The selection returns to a row (row key) and to its screen line.
    Back(i64, Option<usize>),
    /// The same part and more rows were read, in order to select them.
    Selecting(Extent),
}

/// Rows kept in memory; those farthest from the selection are dropped first.
const MAX_ROWS: usize = 2000;

impl ItemsPane {
    pub(super) fn new(settings: &UiSettings) -> Self {
        let order = settings.sort;
        let base = View { unread_only: true, order, ..View::of(Scope::All) };
        Self {
            listing: Listing {
                title: "All unread".to_owned(),
                base,
                query: String::new(),
                place: Query::of([What::Is(State::Unread)]),
                layout: ListLayout::default(),
                is_search: false,
            },
            rows: Vec::new(),
            series: Series::default(),
            more_above: false,
            more_below: false,
            cut: false,
            selected: 0,
            scroll: 0,
            held: None,
            keeps_scroll: false,
            was_first: None,
            left: None,
            item_height: 1,
            marked: HashSet::new(),
            wraps: None,
            height: 20,
            shown: Vec::new(),
            order,
            rows_of: View::of(Scope::All),
            folds: settings.fold_stories,
            listed: None,
            kept: Vec::new(),
            loading: None,
            fitting: None,
            seeking: None,
            opening: false,
        }
    }

    pub(crate) fn current(&self) -> Option<&ItemRow> {
        self.rows.get(self.selected)
    }

    pub(crate) fn is_loading(&self) -> bool {
        let another = |placement| {
            matches!(placement, Placement::Start | Placement::End | Placement::Back(..))
        };
        self.loading.is_some_and(|(_, placement)| another(placement))
    }

    pub(crate) fn order(&self) -> SortOrder {
        self.listing.layout.sort.unwrap_or(self.order)
    }

    fn page(&self) -> usize {
        (self.height * 3).max(60)
    }

    /// Puts rows that were read or opened since back in their positions.
    fn merge_kept(&mut self) {
        let view = &self.rows_of;
        let inside = |at: &Cursor, rows: &[ItemRow], above: bool, below: bool| {
            let after_first = rows.first().is_none_or(|r| view.compare(at, &r.into()).is_gt());
            let before_last = rows.last().is_none_or(|r| view.compare(at, &r.into()).is_lt());
            (after_first || !above) && (before_last || !below)
        };
        for row in &self.kept {
            let at = Cursor::from(row);
            let known = self.rows.iter().any(|r| r.key == row.key);
            if !known && inside(&at, &self.rows, self.more_above, self.more_below) {
                let i = self.rows.partition_point(|r| view.compare(&r.into(), &at).is_lt());
                self.rows.insert(i, row.clone());
            }
        }
    }

    fn forget_far_rows(&mut self) {
        if self.rows.len() <= MAX_ROWS {
            return;
        }
        let start = self.selected.saturating_sub(MAX_ROWS / 2).min(self.rows.len() - MAX_ROWS);
        if start > 0 {
            self.more_above = true;
        }
        if start + MAX_ROWS < self.rows.len() {
            self.more_below = true;
        }
        self.rows.truncate(start + MAX_ROWS);
        self.rows.drain(..start);
        self.selected -= start;
        self.scroll = self.scroll.saturating_sub(start);
    }
}

/// Shows a mark before it is stored.
pub(in crate::tui) fn show_mark(row: &mut ItemRow, mark: &Mark, to: bool) {
    match mark {
        Mark::Read => row.read = to,
        Mark::Pinned => row.pinned = to,
        Mark::Later => row.later = to,
        // Rows do not show these marks; hidden items disappear when the list is read again.
        Mark::Queued | Mark::Hidden | Mark::Snoozed(_) | Mark::Tag(_) => {}
    }
}

impl App {
    /// Opens a list from its start.
    pub(super) fn show(&mut self, listing: Listing) -> Vec<Effect> {
        self.items.listing = listing;
        self.items.kept.clear();
        self.items.marked.clear();
        (self.items.seeking, self.items.opening, self.items.fitting) = (None, false, None);
        self.load_items(Anchor::First, Placement::Start)
    }

    pub(super) fn load_items(&mut self, anchor: Anchor, placement: Placement) -> Vec<Effect> {
        let request = self.request();
        self.items.loading = Some((request, placement));
        let size = match placement {
            Placement::Same => self.items.page().max(self.items.selected.min(MAX_ROWS / 2)),
            Placement::Selecting(_) => MAX_ROWS / 2,
            _ => self.items.page(),
        };
        self.items.rows_of = self.view();
        let view = Box::new(self.items.rows_of.clone());
        vec![Effect::Read(Read::Window { request, view, anchor, size })]
    }

    /// What separates the items of the list.
    pub(crate) fn grouping(&self) -> Grouping {
        self.items.listing.layout.group.unwrap_or(self.settings.ui.group)
    }

    /// The view with the parsed query.
    pub(super) fn view(&self) -> View {
        let listing = &self.items.listing;
        let criteria = self.criteria(&listing.query);
        let sources = (self.grouping() == Grouping::Source).then(|| self.sources.order());
        let (order, fold) = (self.items.order(), self.items.folds);
        View { criteria, order, sources, fold, ..listing.base.clone() }
    }

    /// Resolves a query as typed; an invalid one matches nothing.
    pub(super) fn criteria(&self, query: &str) -> Criteria {
        let now = self.now.with_timezone(&chrono::Local);
        let ready =
            |query| Criteria::new(&query, now, |named| resolve(named, self.sources.known()));
        query.parse().map_or_else(|_| Criteria::nothing(), ready)
    }

    /// Reads the rows around the selection again; the selection stays on its item.
    pub(super) fn reload_items(&mut self) -> Vec<Effect> {
        if self.items.loading.is_some_and(|(_, placement)| placement != Placement::Same) {
            return vec![];
        }
        match self.items.current().map(Cursor::from) {
            Some(at) => self.load_items(Anchor::Around(at), Placement::Same),
            None => self.load_items(Anchor::First, Placement::Start),
        }
    }

    pub(super) fn window_loaded(
        &mut self,
        request: RequestId,
        result: Result<Window, Failure>,
    ) -> Vec<Effect> {
        let placement = match self.items.loading {
            Some((expected, placement)) if expected == request => placement,
            _ => return vec![],
        };
        self.items.loading = None;
        let window = match result {
            Ok(window) => window,
            Err(why) => {
                self.items.seeking = None;
                return self.problem(why);
            }
        };
        let items = &mut self.items;
        items.cut = window.cut;
        if matches!(placement, Placement::Start | Placement::End | Placement::Back(..)) {
            items.wraps = None;
        }
        match placement {
            Placement::Start | Placement::End => {
                (items.more_above, items.more_below) = (window.more_above, window.more_below);
                items.rows = window.rows;
                items.selected = if placement == Placement::End {
                    items.rows.len().saturating_sub(1)
                } else {
                    0
                };
                items.scroll = items.selected;
                items.held = None;
            }
            Placement::Below => {
                items.rows.extend(window.rows);
                items.more_below = window.more_below;
            }
            Placement::Above => {
                let added = window.rows.len();
                items.rows.splice(0..0, window.rows);
                items.more_above = window.more_above;
                items.selected += added;
                items.scroll += added;
            }
            Placement::Same | Placement::Selecting(_) => items.place_on_same(window),
            Placement::Back(key, line) => {
                (items.more_above, items.more_below) = (window.more_above, window.more_below);
                items.rows = window.rows;
                items.merge_kept();
                let found = items.rows.iter().position(|row| row.key == key);
                items.selected = found.unwrap_or(0);
                items.held = line.filter(|_| found.is_some());
            }
        }
        items.forget_far_rows();
        items.series = Series::of(&items.rows);
        let known: HashSet<i64> = items.rows.iter().map(|r| r.key).collect();
        items.marked.retain(|k| known.contains(k));
        let opens = std::mem::take(&mut self.items.opening) && self.focus == Focus::Items;
        match (self.items.seeking.take(), placement) {
            (Some(seek), _) => self.seek_unread(seek),
            (None, Placement::Start | Placement::Back(..)) if opens => self.open_item(),
            (None, Placement::Selecting(extent)) => self.extend_selection(extent),
            _ => vec![],
        }
    }

    /// Moves the selection and loads more rows near the ends.
    pub(super) fn select_item(&mut self, index: usize) -> Vec<Effect> {
        let items = &mut self.items;
        let last = items.rows.len().saturating_sub(1);
        let wanted = index;
        items.selected = index.min(last);
        (items.held, items.seeking, items.left) = (None, None, None);
        if items.loading.is_some() || items.rows.is_empty() {
            return vec![];
        }
        let edge = items.height.max(10);
        if items.more_below && wanted + edge > last {
            let at = Cursor::from(&items.rows[last]);
            return self.load_items(Anchor::After(at), Placement::Below);
        }
        if items.more_above && wanted < edge {
            let at = Cursor::from(&items.rows[0]);
            return self.load_items(Anchor::Before(at), Placement::Above);
        }
        vec![]
    }

    pub(super) fn first_item(&mut self) -> Vec<Effect> {
        if self.items.more_above {
            return self.load_items(Anchor::First, Placement::Start);
        }
        (self.items.selected, self.items.held) = (0, None);
        vec![]
    }

    pub(super) fn last_item(&mut self) -> Vec<Effect> {
        if self.items.more_below {
            return self.load_items(Anchor::Last, Placement::End);
        }
        self.items.selected = self.items.rows.len().saturating_sub(1);
        self.items.held = None;
        vec![]
    }

    /// With `ui.mark_read = "scroll"`, marks the items that the selection has passed on its way down.
    pub(super) fn pass_items(&mut self, from: usize) -> Vec<Effect> {
        if self.settings.ui.mark_read != MarkRead::Scroll {
            return vec![];
        }
        let passed = self.items.rows.get(from..self.items.selected).unwrap_or_default();
        let rows: Vec<ItemRow> = passed.iter().filter(|row| !row.read).cloned().collect();
        if rows.is_empty() {
            return vec![];
        }
        self.set_mark(Mark::Read, &rows, true, Cause::Reading)
    }

    /// Goes to the next unread item and opens it if the Reader has the focus.
    pub(super) fn next_unread(&mut self, forward: bool) -> Vec<Effect> {
        // From the Sources pane, it is the first unread item of the list.
        let here = self.focus == Focus::Sources;
        if here {
            self.focus = Focus::Items;
        }
        self.seek_unread(Seek { forward, here, open: self.focus == Focus::Reader })
    }

    /// Goes to an unread row, and reads more rows if there are any; after the last one, goes to the next
    /// source.
    pub(super) fn seek_unread(&mut self, seek: Seek) -> Vec<Effect> {
        let items = &mut self.items;
        if items.is_loading() {
            // The rows are still those of another list.
            items.seeking = Some(seek);
            return vec![];
        }
        let next = items.after_old_place();
        let at = next.unwrap_or(items.selected).min(items.rows.len());
        let is_here = seek.here || next.is_some();
        let is_unread = |i: &usize| !items.rows[*i].read;
        let found = match seek.forward {
            true => (at + usize::from(!is_here)..items.rows.len()).find(is_unread),
            false => (0..at).rev().find(is_unread),
        };
        if let Some(index) = found {
            let mut effects = self.select_item(index);
            if seek.open {
                effects.extend(self.open_item());
            }
            return effects;
        }
        let more = if seek.forward { items.more_below } else { items.more_above };
        if more && items.loading.is_some() {
            items.seeking = Some(seek);
            return vec![];
        }
        // Rows beyond the maximum would be dropped at once, and read again and again.
        if more && items.rows.len() >= MAX_ROWS {
            let beyond = if seek.forward { items.rows.len().saturating_sub(at + 1) } else { at };
            return self.note(format!("No unread items among the next {beyond}"));
        }
        let end = if seek.forward { items.rows.last() } else { items.rows.first() };
        match end.map(Cursor::from).filter(|_| more) {
            Some(at) => {
                items.seeking = Some(seek);
                let (anchor, placement) = match seek.forward {
                    true => (Anchor::After(at), Placement::Below),
                    false => (Anchor::Before(at), Placement::Above),
                };
                self.load_items(anchor, placement)
            }
            None if seek.here => self.note("No unread items left here"),
            None => self.next_unread_source(seek),
        }
    }

    /// The items an action applies to: the selection, else the current item, else the item being
    /// read.
    pub(super) fn item_targets(&self) -> Vec<ItemRow> {
        if self.focus == Focus::Reader {
            return self.reader.row().cloned().into_iter().collect();
        }
        if self.items.marked.is_empty() {
            return self.items.current().cloned().into_iter().collect();
        }
        let marked = |r: &&ItemRow| self.items.marked.contains(&r.key);
        self.items.rows.iter().filter(marked).cloned().collect()
    }

    /// Keeps an opened item in a list whose query may not match it any more.
    pub(super) fn keep_opened(&mut self, row: ItemRow) {
        if !self.items.listing.query.is_empty() && self.items.kept.iter().all(|k| k.key != row.key)
        {
            self.items.kept.push(ItemRow { changed: false, substantial: false, ..row });
        }
    }
}

impl ItemsPane {
    /// The row below the old position of the selected one, if the user has moved that to the top.
    pub(super) fn after_old_place(&self) -> Option<usize> {
        let current = self.current()?.key;
        let (_, next) = self.left.filter(|(moved, _)| *moved == current)?;
        self.rows.iter().position(|row| row.key == next)
    }

    /// Keeps the same item on the same screen line. If it was the first one and the user has not moved since,
    /// the list shows the items that arrive above it.
    fn place_on_same(&mut self, window: Window) {
        let before = self.current().map(|r| r.key);
        let is_first = self.selected == 0 || before.is_some() && self.was_first == before;
        let at_top = is_first && !self.more_above;
        self.was_first = before.filter(|_| at_top);
        let line = self.shown.iter().position(|shown| *shown == Some(self.selected));
        let index = self.selected;
        (self.more_above, self.more_below) = (window.more_above, window.more_below);
        self.rows = window.rows;
        self.merge_kept();
        let same = before.and_then(|key| self.rows.iter().position(|r| r.key == key));
        self.selected = same.unwrap_or(index).min(self.rows.len().saturating_sub(1));
        let keeps_scroll = std::mem::take(&mut self.keeps_scroll);
        self.held = line.filter(|_| !at_top && !keeps_scroll && same.is_some());
    }
}

/// The start of the user's day.
pub(crate) fn midnight(now: Time) -> Time {
    let today = now.with_timezone(&chrono::Local).date_naive();
    start_of_day(today, &chrono::Local).unwrap_or(now)
}
